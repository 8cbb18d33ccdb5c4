//! The outline and the dissection of a map.

use std::ops::ControlFlow;

use super::archive::Archive;
use super::list::{Listed, OverlapBudget, Placed};
use super::table::{Table, TableId, TableLocation};
use super::wire::IndexStart;
use super::{Entry, IndexEntry, IndexPlace, List, Map, Material, Mesh, Object, Texture};
use crate::base::amount::Amount;
use crate::base::delegate::delegate;
use crate::base::error::{Error, Result};
use crate::base::place::Locate;
use crate::base::span::Span;
use crate::bytes::batch::Bytes;
use crate::bytes::{Column, InPlace, Packing, Storage, array};
use crate::formats::zip_directory::Descriptor;
use crate::outline::{Field, Outline, Part, PartArray, Visitor, Wants, next};
use crate::record::{describe_fields, describe_fixed, walk_part};

/// Describes a map: its zip, the records of its tables, and the index entries of unknown kinds.
pub(super) fn map(map: &Map<'_>, out: &mut Outline<'_>) {
    let version = version(map, out);
    out.field("version", version);
    out.field("comment", map.comment());
    out.list("entries");
    for entry in map.entries() {
        self::entry(&entry, out);
    }
    for &id in TableId::VARIANTS {
        table_records(map, id, out);
    }
    unknown_entries(map, out);
}

/// Describes the entries of the index whose kind is unknown.
fn unknown_entries(map: &Map<'_>, out: &mut Outline<'_>) {
    out.list("unknown_entries");
    let Ok(entries) = map.index() else { return };
    let mut index = 0;
    for entry in entries.flatten() {
        if entry.kind.name().is_some() {
            continue;
        }
        if out.is_done() {
            break;
        }
        let part = Part::item("unknown_entries", next(&mut index)).labelled(entry.name);
        out.part(part, |out| indexed(&entry, out));
    }
}

/// Describes the records of a table.
fn table_records(map: &Map<'_>, id: TableId, out: &mut Outline<'_>) {
    match id {
        // The index entries are described with the records that they name.
        TableId::Index => {}
        TableId::Objects => records::<Object<'_>>(map, out, nothing),
        TableId::Meshes => records::<Mesh<'_>>(map, out, nothing),
        TableId::Materials => records::<Material<'_>>(map, out, record_bytes),
        TableId::Textures => records::<Texture<'_>>(map, out, image),
    }
}

/// For records that have nothing beside their fields.
fn nothing<T>(_: &Placed<'_, T>, _: &mut Outline<'_>) {}

/// Describes the size of a material, which tells the two layouts of version 14 apart.
fn record_bytes(material: &Placed<'_, Material<'_>>, out: &mut Outline<'_>) {
    out.field("record_bytes", material.record_byte_len());
}

/// Describes the records of one kind. Their table is decompressed only if the visitor looks inside a record. `also`
/// describes what is beside the fields of a record.
fn records<'m, T: Listed<'m>>(map: &'m Map<'m>, out: &mut Outline<'_>, also: fn(&Placed<'m, T>, &mut Outline<'_>)) {
    // An unreadable index was reported with the version.
    let Ok(list) = List::<T>::new(map) else { return };
    let mut budget = None;
    out.list(T::LIST);
    for index in 0..list.len() {
        if out.is_done() {
            break;
        }
        let Some(entry) = list.entry(index) else { continue };
        let mut part = Part::item(T::LIST, index).labelled(entry.name).rooted();
        let mut found = None;
        // A dissection shows the range of the record, so it is read before its part is opened.
        if out.dissects() {
            found = list.paid(index, budget.get_or_insert_with(|| OverlapBudget::new(map, T::TABLE)));
        }
        if let Some(Ok(found)) = &found {
            let span = Span { offset: entry.record_offset, bytes: found.record_byte_len() };
            part.span = found.table.range_in_file(span);
            part.unpacked = found.table.range_unpacked(span);
        }
        if !out.open(&part) {
            continue;
        }
        indexed(&entry, out);
        if found.is_none() {
            found = list.paid(index, budget.get_or_insert_with(|| OverlapBudget::new(map, T::TABLE)));
        }
        if let Some(record) = found
            && let Some(record) = out.ok(record)
        {
            let mut inside = InTable { out, table: record.table };
            describe_fields::<T, _>(record.cursor(), record.layout, &mut Outline::new(&mut inside));
            also(&record, out);
        }
        out.close();
    }
}

/// Describes the image of a texture in the map: the name of its zip entry, and its bytes.
fn image(texture: &Placed<'_, Texture<'_>>, out: &mut Outline<'_>) {
    let image = texture.image();
    out.field("embedded_as", image.as_ref().map(Entry::name));
    // A dissection shows the image in its zip entry.
    if let Some(image) = image
        && !out.dissects()
        && out.ok(image.stored_bytes()).is_some()
    {
        out.array("image", &content(image));
    }
}

/// Dissects the zip in file order, with the records of a table inside its entry.
pub(super) fn dissect(map: &Map<'_>, out: &mut Outline<'_>) {
    // Tables without a zip have no file order.
    let Some(archive) = map.source.archive() else { return };
    // The end of the entries so far.
    let mut reached = 0;
    for entry in archive.in_file_order() {
        let (offset, bytes) = extent(&entry);
        let part = Part::item("entries", entry.index).labelled(entry.name());
        if offset < reached {
            let error = entry.error("overlaps the entry before it").at(offset);
            out.part(part, |out| out.problem(&error));
            continue;
        }
        reached = offset.saturating_add(bytes);
        out.part(part.spanning(offset, bytes), |out| dissect_entry(map, archive, &entry, out));
    }
    archive.directory.dissect(out);
}

/// Dissects an entry: its header, its bytes or the records in them, and its descriptor.
fn dissect_entry(map: &Map<'_>, archive: &Archive<'_>, entry: &Entry<'_>, out: &mut Outline<'_>) {
    if out.ok(entry.local()).is_none() {
        return;
    }
    let (offset, bytes) = extent(entry);
    archive.directory.describe_local(offset, out);
    let mut table = None;
    if let Some(id) = TableId::VARIANTS.iter().copied().find(|id| entry.name() == id.name()) {
        table = map.source.table(id).ok();
    }
    let is_stored = table.is_some_and(|table| matches!(table.place, TableLocation::Stored(_)));
    // The records of an uncompressed table already show its bytes.
    if !is_stored && out.ok(entry.stored_bytes()).is_some() {
        out.array("data", &content(*entry));
    }
    if let Some(table) = table {
        if table.id == TableId::Index {
            index_entries(map, &table, out);
        }
        table_records(map, table.id, out);
    }
    if let Ok(Some(_)) = entry.descriptor() {
        // The descriptor is the last part of the entry.
        let descriptor_bytes = size_of::<Descriptor>() as u64;
        let end = offset.saturating_add(bytes);
        archive.directory.dissect_descriptor(end.saturating_sub(descriptor_bytes), descriptor_bytes, out);
    }
}

/// Describes the version and the entries of the index as stored, up to the first broken entry, which is reported with
/// the version.
fn index_entries(map: &Map<'_>, table: &Table<'_>, out: &mut Outline<'_>) {
    let Some(version) = version(map, out) else { return };
    let mut inside = InTable { out, table: *table };
    let out = &mut Outline::new(&mut inside);
    let Some(mut cursor) = table.cursor(0) else { return };
    describe_fixed::<IndexStart>(&mut cursor, out);
    let mut index = Amount(0);
    while !cursor.is_empty() && !out.is_done() {
        let place = IndexPlace { version, offset: cursor.offset() };
        let part = Part::item("index_entries", index.0).rooted();
        if walk_part::<IndexEntry<'_>, _, _>(&mut cursor, place, part, out).is_err() {
            break;
        }
        index += 1;
    }
}

/// Passes on what it receives, with positions in a table converted: to positions in the file if the table is stored
/// uncompressed, or to positions in the unpacked data if it is compressed.
struct InTable<'o, 'v, 't> {
    out: &'o mut Outline<'v>,
    table: Table<'t>,
}

impl Visitor for InTable<'_, '_, '_> {
    fn wants(&self) -> Wants {
        Wants { dissection: self.out.dissects(), arrays: true, more: !self.out.is_done() }
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        let mut part = *part;
        if let Some(span) = part.span {
            part.span = self.table.range_in_file(span);
            part.unpacked = self.table.range_unpacked(span);
        }
        self.out.open(&part)
    }

    fn close(&mut self) {
        self.out.close();
    }

    fn list(&mut self, name: &'static str) {
        self.out.list(name);
    }

    fn field(&mut self, mut field: Field<'_>) {
        if let Some(stored) = &mut field.stored {
            field.unpacked = self.table.range_unpacked(stored.span);
            match self.table.range_in_file(stored.span) {
                Some(span) => stored.span = span,
                // Counts and lengths are shown only for their place in the file.
                None if stored.framing => return,
                None => {}
            }
        }
        self.out.add(field);
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let mut storage = array.table.storage();
        let unpacked = self.table.range_unpacked(storage.span());
        if let Some(span) = self.table.range_in_file(storage.span()) {
            storage.offset = span.offset;
        } else if unpacked.is_some() {
            // A dissection has already shown the compressed bytes.
            storage.packing = if self.out.dissects() { Packing::Derived } else { Packing::Deflate };
        }
        self.out.add_array(&PartArray { unpacked, table: &Elsewhere { table: array.table, storage }, ..*array });
    }

    fn problem(&mut self, error: &Error) {
        self.out.problem(&self.table.locate(error.clone()));
    }
}

/// An array with a different location than it reports.
struct Elsewhere<'t> {
    table: &'t dyn array::Table,
    storage: Storage,
}

impl Elsewhere<'_> {
    fn table(&self) -> &dyn array::Table {
        self.table
    }
}

impl array::Table for Elsewhere<'_> {
    delegate! {
        table:
        fn rows(&self) -> u64;
        fn columns(&self) -> Vec<Column>;
        fn in_place(&self) -> Option<InPlace<'_>>;
        fn read_memory(&self) -> u64;
        fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()>;
    }

    fn storage(&self) -> Storage {
        self.storage
    }
}

/// Returns the decompressed bytes of an entry as an array, which decompresses them when it is read.
fn content<'m>(entry: Entry<'m>) -> impl array::Table + use<'m> {
    let is_stored = entry.central.header.method.get() == 0;
    let packing = if is_stored { Packing::InPlace } else { Packing::Deflate };
    let offset = match entry.local() {
        Ok(local) => local.data_offset,
        Err(_) => entry.header_offset(),
    };
    let storage = Storage { offset, bytes: entry.stored_byte_len(), packing };
    Bytes::new("value", storage, move || entry.decoded_byte_len_hint(), || None, move || entry.decode())
}

/// Returns the version, or `None` if the index cannot be read. Reports what is wrong with the index.
fn version(map: &Map<'_>, out: &mut Outline<'_>) -> Option<u32> {
    let index = out.ok(map.positions())?;
    if let Some(error) = &index.broken {
        out.problem(error);
    }
    Some(index.version)
}

/// Describes a zip entry by its fields in the directory.
fn entry(entry: &Entry<'_>, out: &mut Outline<'_>) {
    let mut part = Part::item("entries", entry.index).labelled(entry.name());
    // An entry whose data does not fit in the file has no contiguous range.
    if entry.stored_bytes().is_ok() {
        let (offset, bytes) = extent(entry);
        part = part.spanning(offset, bytes);
    }
    out.part(part, |out| {
        let header = entry.central.header;
        out.field("name", entry.name());
        out.coded("method", header.method.get(), method(entry));
        out.field("packed_bytes", entry.stored_byte_len());
        out.field("unpacked_bytes", entry.decoded_byte_len_hint());
        out.field("crc32", header.crc32.get());
        out.field("flags", header.flags.get());
        out.field("utf8_name", header.flags.get() & 1 << 11 != 0);
        out.field("encrypted", header.flags.get() & 1 != 0);
        out.field("version_made_by", header.version_made_by.get());
        out.field("version_needed", header.version_needed.get());
        out.field("dos_date", header.date.get());
        out.field("dos_time", header.time.get());
        out.field("external_attributes", header.external_attributes.get());
        let comment = entry.central.comment;
        out.field("comment", if comment.is_empty() { None } else { Some(comment) });
        out.field("extra_bytes", entry.central.extra.len());
        if let Some(local) = out.ok(entry.local()) {
            out.field("data_offset", local.data_offset);
        }
    });
}

/// Returns the name of the compression method if maps use it.
fn method(entry: &Entry<'_>) -> Option<&'static str> {
    match entry.central.header.method.get() {
        0 => Some("stored"),
        8 => Some("deflate"),
        _ => None,
    }
}

/// Returns the offset of an entry's header, and the length from there to the end of its data and its descriptor.
fn extent(entry: &Entry<'_>) -> (u64, u64) {
    let start = entry.header_offset();
    let mut bytes = Amount(entry.stored_byte_len());
    if let Ok(local) = entry.local() {
        bytes += local.data_offset.saturating_sub(start);
    }
    if let Ok(Some(_)) = entry.descriptor() {
        bytes += size_of::<Descriptor>() as u64;
    }
    (start, bytes.0)
}

/// Describes the index entry of a record.
fn indexed(entry: &IndexEntry<'_>, out: &mut Outline<'_>) {
    out.field("name", entry.name);
    out.coded("type", entry.kind.0, entry.kind.name());
    out.field("record_offset", entry.record_offset);
    out.field("index_offset", entry.offset);
}
