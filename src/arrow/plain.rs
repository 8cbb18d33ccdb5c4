//! Members, parts and arrays as rows.

use std::ops::ControlFlow;

use arrow_array::RecordBatch;
use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_schema::ArrowError;

use super::cells::{Cells, Ends, clamped, fitting};
use super::schema::Table;
use crate::address::Names;
use crate::container::{Container, Member};
use crate::inspect::Span;
use crate::scan::{Sighting, Stored};
use crate::summary::Name;
use crate::view::Storage;

/// The asset that a row belongs to.
pub(super) struct Key<'k> {
    pub(super) path: &'k Name,
    pub(super) member: Option<&'k Name>,
}

#[derive(Default)]
struct Keys {
    path: StringBuilder,
    member: StringBuilder,
}

impl Keys {
    fn add(&mut self, key: &Key<'_>) {
        self.path.append_value(&key.path.text);
        self.member.append_option(key.member.map(|member| &member.text));
    }

    fn bytes(&self) -> usize {
        self.path.values_slice().len().saturating_add(self.member.values_slice().len())
    }
}

fn index(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

/// A member of an archive.
pub(super) struct MemberRow<'m> {
    key: Key<'m>,
    index: usize,
    name: Name,
    member: Member<'m>,
}

/// Tells the members of an archive that the scan looks at.
pub(super) fn tell_members(
    seen: &Sighting<'_, '_>,
    take: &mut dyn FnMut(&MemberRow<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(container) = seen.asset.and_then(Container::of) else { return ControlFlow::Continue(()) };
    let path = seen.record.path_name();
    let mut names = Names::among(&container, seen.members.end);
    for (index, member) in container.members().map_while(Result::ok).enumerate().take(seen.members.end) {
        let name = names.next(member.name());
        if index >= seen.members.start {
            let key = Key { path: &path, member: seen.record.member.as_ref() };
            take(&MemberRow { key, index, name, member })?;
        }
    }
    ControlFlow::Continue(())
}

#[derive(Default)]
pub(super) struct Members {
    keys: Keys,
    index: Int32Builder,
    name: StringBuilder,
    lossy: BooleanBuilder,
    method: StringBuilder,
    stored_bytes: Int64Builder,
    bytes: Int64Builder,
    offset: Int64Builder,
    crc32: Int64Builder,
    time: StringBuilder,
}

impl Members {
    pub(super) fn size(&self) -> (usize, usize) {
        let rows = self.index.len();
        let texts = self.keys.bytes().saturating_add(self.name.values_slice().len());
        (rows, texts.saturating_add(rows.saturating_mul(80)))
    }

    pub(super) fn add(&mut self, row: &MemberRow<'_>) {
        let stored = Stored::of(&row.member);
        let crc32 = match &row.member {
            Member::Zip(member) => Some(member.entry().header.crc32.get().into()),
            _ => None,
        };
        self.keys.add(&row.key);
        self.index.append_value(index(row.index));
        self.name.append_value(&row.name.text);
        self.lossy.append_value(row.key.path.lossy || row.name.lossy || row.key.member.is_some_and(|name| name.lossy));
        self.method.append_value(&stored.method);
        self.stored_bytes.append_value(clamped(stored.bytes));
        self.bytes.append_value(clamped(row.member.decoded_byte_len_hint()));
        self.offset.append_option(stored.offset.and_then(fitting));
        self.crc32.append_option(crc32);
        self.time.append_option(stored.time.as_ref());
    }

    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = vec![
            self.keys.path.take(),
            self.keys.member.take(),
            self.index.take(),
            self.name.take(),
            self.lossy.take(),
            self.method.take(),
            self.stored_bytes.take(),
            self.bytes.take(),
            self.offset.take(),
            self.crc32.take(),
            self.time.take(),
        ];
        RecordBatch::try_new(Table::Members.schema(), columns)
    }
}

/// A part of an asset.
pub(super) struct PartRow<'p> {
    pub(super) key: Key<'p>,
    /// Its selector; that of the asset itself is empty.
    pub(super) part: &'p str,
    pub(super) name: &'p str,
    pub(super) index: Option<usize>,
    pub(super) label: Option<&'p str>,
    pub(super) span: Option<Span>,
    /// Its own fields, as JSON.
    pub(super) fields: &'p str,
}

#[derive(Default)]
pub(super) struct Parts {
    keys: Keys,
    part: StringBuilder,
    name: StringBuilder,
    index: Int32Builder,
    label: StringBuilder,
    offset: Int64Builder,
    bytes: Int64Builder,
    fields: StringBuilder,
}

impl Parts {
    pub(super) fn size(&self) -> (usize, usize) {
        let rows = self.index.len();
        let texts = [&self.part, &self.name, &self.label, &self.fields].map(|column| column.values_slice().len());
        (rows, texts.into_iter().fold(self.keys.bytes().saturating_add(rows.saturating_mul(48)), usize::saturating_add))
    }

    pub(super) fn add(&mut self, row: &PartRow<'_>) {
        self.keys.add(&row.key);
        self.part.append_value(row.part);
        self.name.append_value(row.name);
        self.index.append_option(row.index.map(index));
        self.label.append_option(row.label);
        self.offset.append_option(row.span.and_then(|span| fitting(span.offset)));
        self.bytes.append_option(row.span.and_then(|span| fitting(span.bytes)));
        self.fields.append_value(row.fields);
    }

    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = vec![
            self.keys.path.take(),
            self.keys.member.take(),
            self.part.take(),
            self.name.take(),
            self.index.take(),
            self.label.take(),
            self.offset.take(),
            self.bytes.take(),
            self.fields.take(),
        ];
        RecordBatch::try_new(Table::Parts.schema(), columns)
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

#[derive(Default)]
pub(super) struct Arrays {
    keys: Keys,
    part: StringBuilder,
    name: StringBuilder,
    selector: StringBuilder,
    rows: Int64Builder,
    columns: StringBuilder,
    column_ends: Ends,
    offset: Int64Builder,
    bytes: Int64Builder,
    packing: StringBuilder,
}

impl Arrays {
    pub(super) fn size(&self) -> (usize, usize) {
        let rows = self.rows.len();
        let texts = [&self.part, &self.name, &self.selector, &self.columns].map(|column| column.values_slice().len());
        (rows, texts.into_iter().fold(self.keys.bytes().saturating_add(rows.saturating_mul(80)), usize::saturating_add))
    }

    pub(super) fn add(&mut self, row: &ArrayRow<'_>) {
        self.keys.add(&row.key);
        self.part.append_value(row.part);
        self.name.append_value(row.name);
        self.selector.append_value(row.selector);
        self.rows.append_value(clamped(row.rows));
        row.columns.iter().for_each(|name| self.columns.append_value(name));
        self.column_ends.add(self.columns.len());
        self.offset.append_value(clamped(row.storage.offset));
        self.bytes.append_value(clamped(row.storage.bytes));
        self.packing.append_value(row.storage.packing.name());
    }

    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = vec![
            self.keys.path.take(),
            self.keys.member.take(),
            self.part.take(),
            self.name.take(),
            self.selector.take(),
            self.rows.take(),
            self.column_ends.take(self.columns.take())?,
            self.offset.take(),
            self.bytes.take(),
            self.packing.take(),
        ];
        RecordBatch::try_new(Table::Arrays.schema(), columns)
    }
}
