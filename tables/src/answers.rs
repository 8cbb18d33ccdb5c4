//! Converts references, duplicates and differences to rows.

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, Field};

use super::cells::{Column, Flag, Int, List, Long, OrNull, Rows, Text, clamped, columns};
use super::plain::{index, text_of};
use meshpeek::answers::dupes::{Copy, Group};
use meshpeek::answers::refs::{Link, Reason};
use meshpeek::diff::Difference;
use meshpeek::summary::Name;

columns! {
    /// References and the files that they mean.
    Refs of row: &'r Link<'r> {
        path: Text = &Name::from(row.path).text,
        member: OrNull<Text> = text_of(row.member),
        lossy: Flag = row.is_lossy(),
        kind: OrNull<Text> = kind(row),
        name: OrNull<Text> = name(row),
        state: Text = row.state.name(),
        target: OrNull<Text> = text_of(row.target().as_ref()),
        targets: List<Text> = &mut texts(row.targets()).iter().map(String::as_str),
        elsewhere: List<Text> = &mut texts(row.elsewhere()).iter().map(String::as_str),
        more: Long = clamped(row.more as u64),
        via: OrNull<Text> = text_of(row.via),
        reason: OrNull<Text> = row.reason.map(Reason::name),
        note: OrNull<Text> = row.note_text().as_deref(),
        line: OrNull<Int> = line(row),
        column: OrNull<Int> = column(row),
    }
}

fn kind(link: &Link<'_>) -> Option<&'static str> {
    Some(link.reference?.kind.name())
}

fn name<'l>(link: &Link<'l>) -> Option<&'l str> {
    Some(&link.reference?.name.text)
}

fn line(link: &Link<'_>) -> Option<i32> {
    let (line, _) = link.place?;
    Some(index(line as usize))
}

fn column(link: &Link<'_>) -> Option<i32> {
    let (_, column) = link.place?;
    Some(index(column as usize))
}

fn texts(names: impl Iterator<Item = Name>) -> Vec<String> {
    names.map(|name| name.text).collect()
}

/// A copy of an asset that occurs more than once, or an asset that could not all be read.
pub(super) struct CopyRow<'g> {
    /// The group and its number. `None` for what could not all be read.
    pub(super) group: Option<(i64, &'g Group)>,
    pub(super) copy: &'g Copy,
}

columns! {
    /// Assets that occur more than once, a row for each copy, and assets that could not all be read.
    Dupes of row: CopyRow<'r> {
        group: OrNull<Long> = number(&row),
        same: Text = same(&row),
        format: OrNull<Text> = format(&row),
        digest: OrNull<Text> = digest(&row),
        path: Text = &Name::from(&*row.copy.path).text,
        member: OrNull<Text> = row.copy.member.as_deref(),
        lossy: Flag = row.copy.lossy,
        bytes: Long = clamped(row.copy.bytes),
    }
}

fn number(row: &CopyRow<'_>) -> Option<i64> {
    let (number, _) = row.group?;
    Some(number)
}

fn same(row: &CopyRow<'_>) -> &'static str {
    match row.group {
        Some((_, group)) => group.same.name(),
        None => "unread",
    }
}

fn format(row: &CopyRow<'_>) -> Option<&'static str> {
    let (_, group) = row.group?;
    Some(group.format.name())
}

fn digest<'g>(row: &CopyRow<'g>) -> Option<&'g str> {
    let (_, group) = row.group?;
    Some(&group.digest)
}

/// The most bytes of JSON in a cell. A longer value is null.
const MOST_JSON: usize = 16 << 20;

columns! {
    /// Differences between two assets, archives or folders.
    Differences of row: &'r Difference {
        change: Text = row.change.name(),
        path: OrNull<Text> = text_of(row.path.as_deref()),
        member: OrNull<Text> = text_of(row.member.as_deref()),
        place: Text = &row.place,
        to: OrNull<Text> = row.to.as_deref(),
        label: OrNull<Text> = text_of(row.label.as_deref()),
        a: OrNull<Text> = value(row, 0).as_deref(),
        b: OrNull<Text> = value(row, 1).as_deref(),
        rows: OrNull<Text> = rows(row).as_deref(),
    }
}

/// The value in the first asset (0) or in the second (1), as JSON.
fn value(difference: &Difference, side: usize) -> Option<String> {
    let value = difference.values.as_ref()?.get(side)?;
    let json = serde_json::to_string(value).ok()?;
    if json.len() < MOST_JSON { Some(json) } else { None }
}

/// The differences between rows, as JSON.
fn rows(difference: &Difference) -> Option<String> {
    serde_json::to_string(difference.rows.as_ref()?).ok()
}
