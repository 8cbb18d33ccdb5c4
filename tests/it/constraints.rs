//! Each constraint that the formats' documents state has a written file that breaks it alone, and `verify` reports it at
//! the broken field.
//!
//! `tests/it/constraints.tsv` lists them: the document, the constraint, a sound file of `corpus`, what is changed in it,
//! the path of the problem if that is not the changed field, the place of the problem counted from the changed field if
//! that is not the changed byte, and a part of the message. A change is `SELECTOR=HEX` or `SELECTOR+OFFSET=HEX`, several are separated by `;`;
//! the first one is the broken field. `-` as the file names a constraint that is not checked, with the reason.

use meshpeek::dissect::locate;
use meshpeek::inspect::Selector;
use meshpeek::summary::Problems;
use meshpeek::{Asset, Inspect, Limits};

use crate::corpus::root;
use crate::writer::bmx::full;
use crate::writer::zip::{Entry, zip};

/// The path, the offset, the place in an unpacked table, and the message of each problem.
type Found = Vec<(String, Option<u64>, Option<u64>, String)>;

fn problems(bytes: &[u8]) -> Found {
    let mut problems = Problems::new(&Limits::default());
    match Asset::parse(bytes) {
        Ok(asset) => asset.verify(&mut problems),
        Err(error) => problems.error(&error),
    }
    let split = |message: &str| {
        let (path, text) = message.split_once(": ").unwrap_or(("", message));
        let (path, place) = path.split_once(" (").unwrap_or((path, ""));
        let place =
            place.split_once("+0x").and_then(|(_, hex)| u64::from_str_radix(hex.trim_end_matches(')'), 16).ok());
        let path = path.parse::<Selector>().map_or_else(|_| path.to_owned(), |path| path.to_string());
        (path, place, text.to_owned())
    };
    let found = problems.into_vec().into_iter().map(|problem| {
        let (path, place, text) = split(&problem.message);
        (path, problem.offset, place, text)
    });
    found.collect()
}

/// A changed file, the selector of the changed field, and where the problem should be.
struct Changed {
    bytes: Vec<u8>,
    selector: String,
    /// The first byte of the field, and the first that is changed.
    start: u64,
    place: u64,
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn change(file: &str, changes: &str) -> Result<Changed, String> {
    let sound = std::fs::read(root().join("corpus").join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let asset = Asset::parse(&sound).unwrap();
    let mut tables = full(14).tables();
    let (mut bytes, mut first) = (sound.clone(), None);
    for change in changes.split(';') {
        let (place, value) = change.split_once('=').unwrap();
        let (selector, into) = place.split_once('+').unwrap_or((place, "0"));
        let into: i64 = into.parse().unwrap();
        let found = locate(&asset, sound.len() as u64, &selector.parse().unwrap());
        let found = found.filter(|found| found.is_exact).ok_or_else(|| format!("{file} has no {selector}"))?;
        let (at, target) = match &found.unpacked {
            // Of the map whose tables these are.
            Some(unpacked) => {
                let table = tables.iter_mut().find(|(name, _)| unpacked.name == *name);
                let table = table.ok_or_else(|| format!("no table {}", unpacked.name))?;
                (unpacked.place.offset.checked_add_signed(into).unwrap(), &mut table.1)
            }
            None => {
                let at = found
                    .span
                    .ok_or_else(|| format!("{selector} has no bytes"))?
                    .offset
                    .checked_add_signed(into)
                    .unwrap();
                let value = hex(value);
                bytes[at as usize..at as usize + value.len()].copy_from_slice(&value);
                first.get_or_insert((selector.to_owned(), at.checked_add_signed(-into).unwrap(), at));
                continue;
            }
        };
        let mut table = target.to_vec();
        let value = hex(value);
        table[at as usize..at as usize + value.len()].copy_from_slice(&value);
        *target = crate::writer::bytes::Bytes::new().raw(table);
        first.get_or_insert((selector.to_owned(), at.checked_add_signed(-into).unwrap(), at));
    }
    if file.ends_with(".bmx") {
        let entries = full(14).entries(&tables, |name, bytes| Entry::deflated(name, bytes));
        bytes = zip(&entries, b"Use BM Spec 1.4").to_vec();
    }
    let (selector, start, place) = first.unwrap();
    Ok(Changed { bytes, selector, start, place })
}

fn fault([document, constraint, file, changes, path, place, words]: &[&str; 7]) -> Option<String> {
    let Changed { bytes, selector, start, place: at } = match change(file, changes) {
        Ok(changed) => changed,
        Err(error) => return Some(format!("{document}, {constraint}: {error}")),
    };
    let path = if path.is_empty() { &selector } else { *path };
    let at = if place.is_empty() { at } else { start.checked_add_signed(place.parse().unwrap()).unwrap() };
    let found = problems(&bytes);
    let path = if path == "." { "" } else { path };
    let is_it = |(is, offset, table, text): &(String, Option<u64>, Option<u64>, String)| {
        is == path && table.or(*offset) == Some(at) && text.contains(words)
    };
    let leads = || {
        let asset = Asset::parse(&bytes).ok()?;
        locate(&asset, bytes.len() as u64, &path.parse().ok()?)
    };
    match &found[..] {
        [only] if is_it(only) && (Asset::parse(&bytes).is_err() || path.is_empty() || leads().is_some()) => None,
        _ => {
            Some(format!("{document}, {constraint} ({changes}): not {path} at {at:#x} with {words:?}, but {found:#x?}"))
        }
    }
}

#[test]
fn each_constraint_is_reported_at_the_broken_field() {
    let table = std::fs::read_to_string(root().join("tests/it/constraints.tsv")).unwrap();
    let rows: Vec<[&str; 7]> = table.lines().skip(1).map(cells).collect();
    let (kept, decided): (Vec<&[&str; 7]>, Vec<&[&str; 7]>) = rows.iter().partition(|[_, _, file, ..]| *file != "-");
    assert!(decided.iter().all(|[.., words]| !words.is_empty()), "a constraint is left out without a reason");
    let wrong: Vec<_> = kept.iter().filter_map(|row| fault(row)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), kept.len(), wrong.join("\n"));
    assert!(kept.len() >= 200, "{}", kept.len());
    let files: std::collections::BTreeSet<_> = kept.iter().map(|[_, _, file, ..]| *file).collect();
    for file in files {
        let sound = std::fs::read(root().join("corpus").join(file)).unwrap();
        assert_eq!(problems(&sound), [], "{file}");
    }
}

fn cells(line: &str) -> [&str; 7] {
    let cells: Vec<&str> = line.split('\t').collect();
    cells.try_into().unwrap_or_else(|cells| panic!("not seven cells: {cells:?}"))
}
