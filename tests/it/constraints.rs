//! Tests constraints: for each one that the formats' documents state, changes a valid file so that it breaks only this
//! constraint. `verify` must report the broken field.
//!
//! `tests/it/constraints-index.tsv` lists the constraints: an id that starts with the format, the part of the document
//! that states it, and the rule. `tests/it/constraints.tsv` lists the files that break them in these columns: the id, the
//! constraint, a valid file of `corpus`, the change to it, the path of the problem if it is not the changed field, the
//! position of the problem relative to the changed field if it is not the changed byte, and a part of the message. A
//! change is `SELECTOR=HEX` or `SELECTOR+OFFSET=HEX`. Several changes are separated by `;`, and the first one is at the
//! broken field. A file without a change is damaged itself, and the position counts from its start.
//!
//! `-` as the file means that a change of bytes cannot break this constraint alone. Then the change is the test that
//! breaks it, or empty if it is not checked, and the last column is the reason.

use std::collections::BTreeSet;

use meshpeek::dissect::{locate, problem_at};
use meshpeek::inspect::Selector;
use meshpeek::summary::Problems;
use meshpeek::{Asset, Inspect, Limits};

use crate::support::files::root;
use crate::writer::bmx::full;
use crate::writer::zip::{Entry, zip};

/// Returns path, offset, offset in an unpacked table, and message of each problem.
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
        let (path, text) = if path.contains(' ') { ("", message) } else { (path, text) };
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
    if changes.is_empty() {
        return Ok(Changed { bytes: sound, selector: String::new(), start: 0, place: 0 });
    }
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
            // In one of the tables of a map.
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

fn fault([id, constraint, file, changes, path, place, words]: &[&str; 7]) -> Option<String> {
    let Changed { bytes, selector, start, place: at } = match change(file, changes) {
        Ok(changed) => changed,
        Err(error) => return Some(format!("{id}, {constraint}: {error}")),
    };
    let path = if path.is_empty() { &selector } else { *path };
    let at = if place.is_empty() { at } else { start.checked_add_signed(place.parse().unwrap()).unwrap() };
    let found = problems(&bytes);
    let path = if path == "." { "" } else { path };
    let is_it = |(is, offset, table, text): &(String, Option<u64>, Option<u64>, String)| {
        is == path && table.or(*offset) == Some(at) && text.contains(words)
    };
    let leads = || {
        let (asset, size) = (Asset::parse(&bytes).ok()?, bytes.len() as u64);
        let path: Selector = path.parse().ok()?;
        let exactly = locate(&asset, size, &path).filter(|located| located.is_exact).map(drop);
        exactly.or_else(|| problem_at(&asset, size, &path).map(drop))
    };
    match &found[..] {
        [only] if is_it(only) && (Asset::parse(&bytes).is_err() || path.is_empty() || leads().is_some()) => None,
        _ => Some(format!("{id}, {constraint} ({changes}): not {path} at {at:#x} with {words:?}, but {found:#x?}")),
    }
}

const TABLE: &str = include_str!("constraints.tsv");
const INDEX: &str = include_str!("constraints-index.tsv");

/// The rows with a file, and those without one.
fn rows() -> (Vec<[&'static str; 7]>, Vec<[&'static str; 7]>) {
    TABLE.lines().skip(1).map(cells::<7>).partition(|[_, _, file, ..]| *file != "-")
}

fn cells<const N: usize>(line: &str) -> [&str; N] {
    let cells: Vec<&str> = line.split('\t').collect();
    cells.try_into().unwrap_or_else(|cells| panic!("not {N} cells: {cells:?}"))
}

#[test]
fn each_constraint_is_reported_at_the_broken_field() {
    let (rows, _) = rows();
    let wrong: Vec<_> = rows.iter().filter_map(fault).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    let changed: BTreeSet<_> = rows.iter().filter(|row| !row[3].is_empty()).map(|row| row[2]).collect();
    for file in changed {
        let sound = std::fs::read(root().join("corpus").join(file)).unwrap();
        assert_eq!(problems(&sound), [], "{file}");
    }
}

#[test]
fn each_stated_constraint_has_a_file_that_breaks_it_or_a_reason() {
    let stated: Vec<[&str; 3]> = INDEX.lines().skip(1).map(cells).collect();
    let ids: BTreeSet<_> = stated.iter().map(|[id, ..]| *id).collect();
    assert_eq!(ids.len(), stated.len(), "an id is there twice");
    let (broken, others) = rows();
    let held: BTreeSet<_> = broken.iter().chain(&others).map(|[id, ..]| *id).collect();
    let mut wrong: Vec<_> = ids.symmetric_difference(&held).map(|id| format!("{id} is in one table only")).collect();
    for [id, constraint, _, test, .., reason] in &others {
        if reason.is_empty() {
            wrong.push(format!("{id}, {constraint}: neither a file nor a reason"));
        }
        let Some((file, name)) = test.split_once("::") else { continue };
        let source = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        if !source.contains(&format!("fn {name}()")) {
            wrong.push(format!("{id}, {constraint}: no test {test}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for format in ["b3d", "bmx", "lodka", "odol", "rtm", "paa", "pbo", "rap", "codec"] {
        let of = |ids: &BTreeSet<&str>| ids.iter().filter(|id| id.split('-').next() == Some(format)).count();
        let with_file: BTreeSet<_> = broken.iter().map(|[id, ..]| *id).collect();
        println!("{format}: {} stated, {} broken by a file", of(&ids), of(&with_file));
    }
}
