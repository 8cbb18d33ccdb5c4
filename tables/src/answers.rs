//! Converts references, duplicates and differences to rows.

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, Field};

use super::cells::{Column, Flag, Int, List, Long, OrNull, Rows, Text, clamped, columns};
use meshpeek::diff::{Difference, Fact};
use meshpeek::scan::dupes::{Copy, Group};
use meshpeek::scan::refs::{Link, State};
use meshpeek::summary::Name;
use meshpeek::view::ByteStr;

/// A resolved reference, with its path as text.
pub(super) struct LinkRow<'l> {
    pub(super) link: &'l Link<'l>,
    path: Name,
}

impl<'l> LinkRow<'l> {
    pub(super) fn of(link: &'l Link<'l>) -> Self {
        Self { link, path: ByteStr::new(link.path.as_os_str().as_encoded_bytes()).into() }
    }

    fn is_lossy(&self) -> bool {
        let Link { member, reference, targets, elsewhere, via, .. } = self.link;
        let names =
            [&self.path, &reference.name].into_iter().chain(*member).chain(*via).chain(targets).chain(elsewhere);
        names.into_iter().any(|name| name.lossy)
    }

    /// The file that it means, if it is exactly one.
    fn target(&self) -> Option<&str> {
        let first = self.link.targets.first().filter(|_| self.link.state == State::Found);
        first.map(|target| &*target.text)
    }
}

fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

columns! {
    /// References and the files that they mean.
    Refs of row: &'r LinkRow<'r> {
        path: Text = &row.path.text,
        member: OrNull<Text> = row.link.member.map(|member| &*member.text),
        lossy: Flag = row.is_lossy(),
        kind: Text = row.link.reference.kind.name(),
        name: Text = &row.link.reference.name.text,
        state: Text = row.link.state.name(),
        target: OrNull<Text> = row.target(),
        targets: List<Text> = &mut row.link.targets.iter().map(|name| &*name.text),
        elsewhere: List<Text> = &mut row.link.elsewhere.iter().map(|name| &*name.text),
        more: Long = clamped(row.link.more as u64),
        via: OrNull<Text> = row.link.via.map(|via| &*via.text),
        line: OrNull<Int> = row.link.place.map(|(line, _)| int(line)),
        column: OrNull<Int> = row.link.place.map(|(_, column)| int(column)),
    }
}

columns! {
    /// Assets that occur more than once: a row for each copy.
    Dupes of row: (&'r Group, i64, &'r Copy) {
        group: Long = row.1,
        same: Text = row.0.same.name(),
        format: Text = row.0.format.name(),
        digest: Text = &row.0.digest,
        path: Text = &ByteStr::new(row.2.path.as_os_str().as_encoded_bytes()).to_text_lossy(),
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
