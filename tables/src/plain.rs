//! Converts members, parts and arrays to rows.

use std::ops::{ControlFlow, Range};

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, Field};

use super::AddRow;
use super::cells::{Column, Flag, Int, List, Long, OrNull, Rows, Text, Time, clamped, columns, fitting};
use meshpeek::Asset;
use meshpeek::address::Names;
use meshpeek::container::{Container, Member};
use meshpeek::inspect::Span;
use meshpeek::scan::Stored;
use meshpeek::summary::Name;
use meshpeek::view::Storage;

/// The asset that a row belongs to.
#[derive(Clone, Copy)]
pub(super) struct Key<'k> {
    pub(super) path: &'k Name,
    pub(super) member: Option<&'k Name>,
}

impl<'k> Key<'k> {
    pub(super) fn member(&self) -> Option<&'k str> {
        text_of(self.member)
    }

    /// The bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        let mut bytes = self.path.text.len();
        if let Some(member) = self.member() {
            bytes = bytes.saturating_add(member.len());
        }
        bytes
    }
}

/// The text of a name that may be missing.
pub(super) fn text_of(name: Option<&Name>) -> Option<&str> {
    Some(&name?.text)
}

pub(super) fn index(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

/// A member of an archive.
pub(super) struct MemberRow<'m> {
    key: Key<'m>,
    index: usize,
    name: Name,
    member: Member<'m>,
    stored: Stored,
}

impl MemberRow<'_> {
    fn crc32(&self) -> Option<i64> {
        match &self.member {
            Member::Zip(member) => Some(member.entry.header.crc32.get().into()),
            _ => None,
        }
    }

    fn is_lossy(&self) -> bool {
        self.key.path.lossy || self.name.lossy || self.key.member.is_some_and(|name| name.lossy)
    }
}

/// Adds the members of an archive that the scan visits.
pub(super) fn add_members(
    asset: &Asset<'_>,
    key: Key<'_>,
    members: &Range<usize>,
    batches: &impl AddRow,
) -> ControlFlow<()> {
    let Some(container) = Container::of(asset) else { return ControlFlow::Continue(()) };
    let mut names = Names::among(&container, members.end);
    for (index, member) in container.members().map_while(Result::ok).enumerate().take(members.end) {
        let name = names.next(member.name());
        if index >= members.start {
            let stored = Stored::of(&member);
            batches.add::<Members>(&MemberRow { key, index, name, member, stored })?;
        }
    }
    ControlFlow::Continue(())
}

columns! {
    /// The members of archives.
    Members of row: &'r MemberRow<'r> {
        path: Text = &row.key.path.text,
        outer: OrNull<Text> = row.key.member(),
        index: Int = index(row.index),
        name: Text = &row.name.text,
        lossy: Flag = row.is_lossy(),
        method: Text = &row.stored.method,
        stored_bytes: Long = clamped(row.stored.bytes),
        bytes: Long = clamped(row.member.decoded_byte_len_hint()),
        offset: OrNull<Long> = row.stored.offset.and_then(fitting),
        crc32: OrNull<Long> = row.crc32(),
        time: OrNull<Text> = row.stored.time.as_deref(),
        mtime: OrNull<Time> = row.stored.modified,
    }
}

/// A part of an asset.
pub(super) struct PartRow<'p> {
    pub(super) key: Key<'p>,
    /// Its selector. The asset itself has an empty one.
    pub(super) part: &'p str,
    pub(super) name: &'p str,
    pub(super) index: Option<usize>,
    pub(super) label: Option<&'p str>,
    pub(super) span: Option<Span>,
    /// Its own fields, as JSON.
    pub(super) fields: &'p str,
}

columns! {
    /// The parts of assets.
    Parts of row: &'r PartRow<'r> {
        path: Text = &row.key.path.text,
        member: OrNull<Text> = row.key.member(),
        part: Text = row.part,
        name: Text = row.name,
        index: OrNull<Int> = row.index.map(index),
        label: OrNull<Text> = row.label,
        offset: OrNull<Long> = row.offset(),
        bytes: OrNull<Long> = row.bytes(),
        fields: Text = row.fields,
    }
}

impl PartRow<'_> {
    fn offset(&self) -> Option<i64> {
        fitting(self.span?.offset)
    }

    fn bytes(&self) -> Option<i64> {
        fitting(self.span?.bytes)
    }
}

/// An array of an asset.
pub(super) struct ArrayRow<'p> {
    pub(super) key: Key<'p>,
    /// The part that it belongs to.
    pub(super) part: &'p str,
    pub(super) name: &'p str,
    pub(super) selector: &'p str,
    pub(super) rows: u64,
    pub(super) columns: &'p [&'static str],
    pub(super) storage: Storage,
}

columns! {
    /// The arrays of assets.
    Arrays of row: &'r ArrayRow<'r> {
        path: Text = &row.key.path.text,
        member: OrNull<Text> = row.key.member(),
        part: Text = row.part,
        name: Text = row.name,
        selector: Text = row.selector,
        rows: Long = clamped(row.rows),
        columns: List<Text> = &mut row.columns.iter().copied(),
        offset: Long = clamped(row.storage.offset),
        bytes: Long = clamped(row.storage.bytes),
        packing: Text = row.storage.packing.name(),
    }
}
