//! Every byte of a file belongs to exactly one name, and every problem has a location.

use std::collections::HashSet;

use meshpeek::container::Container;
use meshpeek::dissect::{LineKind, dissect, locate};
use meshpeek::inspect::{Selector, Span};
use meshpeek::summary::Problems;
use meshpeek::{Asset, Budget, Inspect, Limits};

use crate::corpus::{below, outside};
use crate::writer;

/// All available files, including damaged ones, and the members of archives among them.
fn each(run: &mut dyn FnMut(&str, &[u8])) {
    let own = writer::corpus().into_iter();
    let others = outside().map(|folder| below(&folder)).unwrap_or_default().into_iter();
    for (name, bytes) in own.chain(others.map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))) {
        run(&name, &bytes);
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let Some(container) = Container::of(&asset) else { continue };
        let budget = Budget::new(bytes.len() as u64, &Limits::default());
        for member in container.members().map_while(Result::ok) {
            if let Ok(content) = member.decode(&budget) {
                run(&format!("{name}!/{}", member.name()), &content);
            }
        }
    }
}

#[test]
fn leaves_tile_the_file() {
    let mut files = 0;
    each(&mut |name, bytes| {
        let Ok(asset) = Asset::parse(bytes) else { return };
        files += 1;
        let (mut at, mut gaps, mut problems, mut fields) = (0, Vec::new(), 0, HashSet::new());
        let mut last = String::new();
        dissect(&asset, bytes.len() as u64, &mut |line| {
            problems += usize::from(line.name == "problem");
            let Some(span) = line.span.filter(|_| line.kind != LineKind::Part) else { return };
            assert_eq!(span.offset, at, "{name}: {line:?}");
            assert!(span.bytes > 0);
            at += span.bytes;
            if line.kind == LineKind::Field {
                // A list of texts has the name of the count directly before it.
                let is_counted = std::mem::replace(&mut last, line.selector.to_owned()) == line.selector;
                assert!(fields.insert(last.clone()) || is_counted, "{name}: two fields are {last}");
            }
            if line.kind == LineKind::Gap {
                gaps.push(span);
            }
        });
        assert_eq!(at, bytes.len() as u64, "{name}");
        let summary = asset.summarize();
        if problems == 0 && summary.problems.is_empty() {
            assert!(gaps.is_empty(), "{name}: {gaps:#?}");
        }
    });
    assert!(files > 150, "{files}");
}

/// The path at the start of a message, without the location in an unpacked table.
fn path(message: &str) -> Option<&str> {
    let (path, _) = message.split_once(": ")?;
    let path = path.split_once(" (").map_or(path, |(path, _)| path);
    let is_path = path.starts_with(|c: char| c.is_ascii_lowercase())
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_[].".contains(&byte));
    is_path.then_some(path)
}

#[test]
fn problems_lead_to_their_places() {
    let (mut exact, mut near, mut nowhere) = (0, Vec::new(), Vec::new());
    for (name, bytes) in writer::corpus().into_iter().filter(|(name, _)| name.starts_with("hostile/")) {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let mut problems = Problems::new(&Limits::default());
        asset.verify(&mut problems);
        for problem in problems.into_vec() {
            let Some(path) = path(&problem.message) else { continue };
            let selector: Selector = path.parse().unwrap_or_else(|error| panic!("{name}: {path}: {error}"));
            match locate(&asset, bytes.len() as u64, &selector) {
                Some(located) if located.is_exact => exact += 1,
                Some(located) => near.push(format!("{name}: {path} leads to {}", located.selector)),
                None => nowhere.push((asset.summarize().format, format!("{name}: {path}"))),
            }
        }
    }
    println!("{exact} exact\n{}\nnowhere: {nowhere:#?}", near.join("\n"));
    assert!(nowhere.is_empty(), "{nowhere:#?}");
    assert!(exact > 30, "{exact}");
}

#[test]
fn an_array_is_found_wherever_its_count_stands() {
    let mut found = 0;
    for (name, bytes) in writer::corpus().into_iter().filter(|(_, bytes)| bytes.len() < 2000) {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let mut arrays = Vec::new();
        dissect(&asset, bytes.len() as u64, &mut |line| {
            arrays.extend(
                line.span.filter(|_| line.kind == LineKind::Array).map(|span| (line.selector.to_owned(), span)),
            );
        });
        for (path, span) in arrays.into_iter().take(40) {
            let located = locate(&asset, bytes.len() as u64, &path.parse().unwrap()).unwrap().span.unwrap();
            let end = |span: Span| span.offset + span.bytes;
            assert!(located.offset <= span.offset && end(span) <= end(located), "{name}: {path} leads to {located:?}");
            found += 1;
        }
    }
    assert!(found > 300, "{found}");
}
