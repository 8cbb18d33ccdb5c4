//! Converts references, duplicates and differences to rows.

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, Field};

use super::cells::{Column, Flag, Int, List, Long, OrNull, Rows, Text, clamped, columns};
use super::plain::index;
use meshpeek::diff::{Difference, Fact};
use meshpeek::scan::dupes::{Copy, Group};
use meshpeek::scan::refs::{Link, Reason};
use meshpeek::summary::Name;

columns! {
    /// References and the files that they mean.
    Refs of row: &'r Link<'r> {
        path: Text = &Name::from(row.path).text,
        member: OrNull<Text> = row.member.map(|member| &*member.text),
        lossy: Flag = row.is_lossy(),
        kind: OrNull<Text> = row.reference.map(|reference| reference.kind.name()),
        name: OrNull<Text> = row.reference.map(|reference| &*reference.name.text),
        state: Text = row.state.name(),
        target: OrNull<Text> = row.target().map(|target| target.text).as_deref(),
        targets: List<Text> = &mut texts(row.targets()).iter().map(String::as_str),
        elsewhere: List<Text> = &mut texts(row.elsewhere()).iter().map(String::as_str),
        more: Long = clamped(row.more as u64),
        via: OrNull<Text> = row.via.map(|via| &*via.text),
        reason: OrNull<Text> = row.reason.map(Reason::name),
        note: OrNull<Text> = row.note_text().as_deref(),
        line: OrNull<Int> = row.place.map(|(line, _)| index(line as usize)),
        column: OrNull<Int> = row.place.map(|(_, column)| index(column as usize)),
    }
}

fn texts(names: impl Iterator<Item = Name>) -> Vec<String> {
    names.map(|name| name.text).collect()
}

columns! {
    /// Assets that occur more than once: a row for each copy.
    Dupes of row: (&'r Group, i64, &'r Copy) {
        group: Long = row.1,
        same: Text = row.0.same.name(),
        format: Text = row.0.format.name(),
        digest: Text = &row.0.digest,
        path: Text = &Name::from(&*row.2.path).text,
        member: OrNull<Text> = row.2.member.as_deref(),
        lossy: Flag = row.2.lossy,
        bytes: Long = clamped(row.2.bytes),
    }
}

fn json(value: Option<&Fact>) -> Option<String> {
    value.and_then(|value| serde_json::to_string(value).ok())
}

fn text(name: Option<&std::sync::Arc<Name>>) -> Option<&str> {
    name.map(|name| &*name.text)
}

/// The most bytes of JSON in a cell. A longer value is null.
const MOST_JSON: usize = 16 << 20;

columns! {
    /// Differences between two assets, archives or folders.
    Differences of row: &'r Difference {
        change: Text = row.change.name(),
        path: OrNull<Text> = text(row.path.as_ref()),
        member: OrNull<Text> = text(row.member.as_ref()),
        place: Text = &row.place,
        to: OrNull<Text> = row.to.as_deref(),
        label: OrNull<Text> = text(row.label.as_ref()),
        a: OrNull<Text> = json(row.values.as_ref().map(|[a, _]| a)).filter(|text| text.len() < MOST_JSON).as_deref(),
        b: OrNull<Text> = json(row.values.as_ref().map(|[_, b]| b)).filter(|text| text.len() < MOST_JSON).as_deref(),
        rows: OrNull<Text> = row.rows.as_ref().and_then(|rows| serde_json::to_string(rows).ok()).as_deref(),
    }
}
