//! Every byte of a file belongs to exactly one name, and every problem has a location.

use std::collections::HashSet;
use std::ops::ControlFlow;

use meshpeek::container::Container;
use meshpeek::dissect::{LineKind, dissect, dissect_until, locate, overview};
use meshpeek::inspect::{Field, Outline, Part, PartArray, Selector, Span, Value, Visitor, Wants};
use meshpeek::summary::Problems;
use meshpeek::{Asset, Budget, Error, Inspect, Limits};

use crate::support::files::{below, outside};
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

/// Collects the bytes that a dissection hands out, each in the file's order of fields and arrays.
#[derive(Default)]
struct Bytes {
    place: Vec<&'static str>,
    /// Ranges of fields and arrays that are not derived, each with its place.
    own: Vec<(Span, String)>,
    /// The names of fields and arrays whose bytes belong to those that came before.
    repeated: HashSet<String>,
}

impl Bytes {
    fn add(&mut self, name: &str, span: Span, repeats: bool) {
        let place = format!("{}/{name}", self.place.join("/"));
        if repeats {
            assert!(self.has(span), "{place} repeats nothing");
            self.repeated.insert(name.to_owned());
        } else if span.bytes > 0 {
            self.own.push((span, place));
        }
    }
}

impl Bytes {
    /// Returns true if what came before has each of these bytes.
    fn has(&self, span: Span) -> bool {
        let mut at = span.offset;
        while at < span.end() {
            let around = self.own.iter().find(|(own, _)| own.offset <= at && at < own.end());
            let Some((own, _)) = around else { return false };
            at = own.end();
        }
        true
    }
}

impl Visitor for Bytes {
    fn wants(&self) -> Wants {
        Wants { dissection: true, ..Wants::default() }
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        self.place.push(part.name);
        true
    }

    fn close(&mut self) {
        self.place.pop();
    }

    fn field(&mut self, field: Field<'_>) {
        assert!(field.stored.is_some() || field.is_derived());
        if let Some(stored) = field.stored
            && field.unpacked.is_none()
        {
            self.add(field.name, stored.span, field.is_derived());
        }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let is_own = !array.is_derived() || array.repeats;
        if is_own && array.unpacked.is_none() {
            self.add(array.name, array.table.storage().span(), array.is_derived());
        }
    }

    fn problem(&mut self, _: &Error) {}
}

/// A program may add up the bytes of what is not derived.
#[test]
fn no_byte_comes_twice_but_in_what_is_derived() {
    let mut repeated = HashSet::new();
    each(&mut |name, bytes| {
        // There, parts of the files overlap.
        if name.contains("hostile") {
            return;
        }
        let Ok(asset) = Asset::parse(bytes) else { return };
        let mut found = Bytes::default();
        asset.dissect(&mut Outline::new(&mut found));
        found.own.sort_by_key(|(span, _)| span.offset);
        for pair in found.own.windows(2) {
            let [(first, place), (second, other)] = pair else { continue };
            assert!(first.end() <= second.offset, "{name}: {place} {first:?} and {other} {second:?}");
        }
        repeated.extend(found.repeated);
    });
    for name in ["layers", "data", "matrices", "vertices", "interval", "stored"] {
        assert!(repeated.contains(name), "{name} of {repeated:?}");
    }
}

/// In an overview the lines that have no others inside have every byte once, and it has no more lines than needed.
pub fn overview_covers(name: &str, asset: &dyn Inspect) {
    let mut spans: Vec<(usize, Span)> = Vec::new();
    let mut last = String::new();
    overview(&|sink| dissect_until(asset, asset.size(), sink), &mut |line| {
        assert!(line.kind != LineKind::Field || ["problem", "fields"].contains(&line.name), "{name}: {line:?}");
        let is_again = std::mem::replace(&mut last, line.name.to_owned()) == "fields" && line.name == "fields";
        assert!(!is_again || spans.last().is_some_and(|(depth, _)| *depth != line.depth), "{name}: {line:?}");
        // Members may be after the end.
        spans.extend(line.span.filter(|span| span.offset <= asset.size()).map(|span| (line.depth, span)));
        ControlFlow::Continue(())
    });
    let mut at = 0;
    for (index, (depth, span)) in spans.iter().enumerate() {
        assert_eq!(span.offset, at, "{name}: line {index}");
        if spans.get(index + 1).is_none_or(|(next, _)| next <= depth) {
            at += span.bytes;
        }
    }
    assert_eq!(at, asset.size(), "{name}");
}

#[test]
fn each_field_with_bytes_has_a_value() {
    each(&mut |name, bytes| {
        let Ok(asset) = Asset::parse(bytes) else { return };
        dissect(&asset, bytes.len() as u64, &mut |line| {
            let has_bytes = line.kind == LineKind::Field && line.span.is_some_and(|span| span.bytes > 0);
            assert!(!has_bytes || !matches!(line.value, None | Some(Value::Absent)), "{name}: {line:?}");
        });
    });
}

#[test]
fn an_overview_joins_items_and_names_chunks() {
    let lines = |name: &str| {
        let bytes = std::fs::read(crate::support::files::root().join("corpus").join(name)).unwrap();
        let asset = Asset::parse(&bytes).unwrap();
        let mut lines = Vec::new();
        overview(&|sink| dissect_until(&asset, asset.size(), sink), &mut |line| {
            lines.push(format!("{} {} {}", line.selector, line.name, line.note));
            if lines.len() < 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        lines
    };
    let model = lines("odol/edge_of_packing.p3d");
    assert!(model.contains(&"lods/3/faces faces[0..254] 254 items".to_owned()), "{model:#?}");
    assert_eq!(model.len(), 20, "it goes on when nobody wants more");
    assert!(lines("b3d/triangle.b3d").contains(&"nodes/0 nodes[0] NODE, root_node".to_owned()));
    let map = lines("bmx/alpha_2022.bmx");
    assert!(
        map.contains(&"index_entries/1 index_entries[1] 隐藏的物体, 33 bytes at 0x49 unpacked".to_owned()),
        "{map:#?}"
    );
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
        overview_covers(name, &asset);
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
fn an_array_is_found_wherever_its_count_is() {
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
