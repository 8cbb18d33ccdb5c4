//! Every field of a map, told once; and where things lie.

use std::ops::ControlFlow;

use zerocopy::little_endian::F32;

use super::index::{Budget, Record};
use super::table::{Place, TableId};
use super::wire::Matrix;
use super::{Component, Entry, IndexEntry, List, Map, Material, MaterialRecord, Mesh, Object, Texture};
use crate::error::Result;
use crate::inspect::{self, Outline, Part, Region, RegionKind, Span, Value};
use crate::view::{Column, Packing, Scalar, Storage, Table};

pub(super) fn map(map: &Map<'_>, out: &mut Outline<'_>) {
    let version = version(map, out);
    out.field("version", version);
    out.field("comment", map.comment());
    for (index, entry) in map.entries().enumerate() {
        self::entry(&entry, index, out);
    }
    let packing = packing(map, TableId::Meshes);
    records(map, out, object);
    records(map, out, |mesh, out| self::mesh(mesh, packing, out));
    records(map, out, material);
    records(map, out, texture);
    let unknown = map.index().into_iter().flatten().flatten().filter(|entry| entry.kind.name().is_none());
    for (index, entry) in unknown.enumerate() {
        out.part(Part::item("unknown_entries", index).labelled(entry.name), |out| indexed(&entry, out));
    }
}

/// The records of one kind. The table they lie in is unpacked only for a visitor that looks into one.
fn records<'m, T: Record<'m>>(map: &'m Map<'m>, out: &mut Outline<'_>, tell: impl Fn(&T, &mut Outline<'_>)) {
    // What keeps the index from being read has been told with the version.
    let Ok(list) = List::<T>::new(map) else { return };
    let mut budget = None;
    for index in 0..list.len() {
        let Some(entry) = list.entry(index) else { continue };
        out.part(Part::item(T::LIST, index).labelled(entry.name), |out| {
            indexed(&entry, out);
            let Some(record) = list.get(index) else { return };
            let paid = budget.get_or_insert_with(|| Budget::new(map, T::TABLE.0)).pay(&record);
            if let Some(record) = out.ok(paid.and(record)) {
                tell(&record, out);
            }
        });
    }
}

fn version(map: &Map<'_>, out: &mut Outline<'_>) -> Option<u32> {
    let index = out.ok(map.positions())?;
    if let Some(error) = &index.broken {
        out.problem(error);
    }
    Some(index.version)
}

fn entry(entry: &Entry<'_>, index: usize, out: &mut Outline<'_>) {
    let part = Part::item("entries", index).labelled(entry.name());
    // Where the data does not fit in the file, it lies in no one piece of it.
    let part = match (entry.data(), extent(entry)) {
        (Ok(_), (offset, bytes)) => part.spanning(offset, bytes),
        (Err(_), _) => part,
    };
    out.part(part, |out| {
        let header = entry.central().header;
        out.field("name", entry.name());
        out.coded("method", header.method.get(), method(entry));
        out.field("packed_bytes", entry.packed_bytes());
        out.field("unpacked_bytes", entry.unpacked_bytes_hint());
        out.field("crc32", entry.crc32_hint());
        out.field("flags", header.flags.get());
        out.field("utf8_name", header.flags.get() & 1 << 11 != 0);
        out.field("encrypted", header.flags.get() & 1 != 0);
        out.field("version_made_by", header.version_made_by.get());
        out.field("version_needed", header.version_needed.get());
        out.field("dos_date", header.date.get());
        out.field("dos_time", header.time.get());
        out.field("external_attributes", header.external_attributes.get());
        out.field("comment", Some(entry.central().comment).filter(|comment| !comment.is_empty()));
        out.field("extra_bytes", entry.central().extra.len());
        if let Some(local) = out.ok(entry.local()) {
            out.field("data_offset", local.data_offset);
        }
    });
}

fn method(entry: &Entry<'_>) -> Option<&'static str> {
    match entry.central().header.method.get() {
        0 => Some("stored"),
        8 => Some("deflate"),
        _ => None,
    }
}

/// From the entry's header to the end of its data.
fn extent(entry: &Entry<'_>) -> (u64, u64) {
    let start = entry.header_offset();
    let header = entry.local().map_or(0, |local| local.data_offset.saturating_sub(start));
    (start, header.saturating_add(entry.packed_bytes()))
}

fn indexed(entry: &IndexEntry<'_>, out: &mut Outline<'_>) {
    out.field("name", entry.name);
    out.coded("type", entry.kind.0, entry.kind.name());
    out.field("record_offset", entry.record_offset);
    out.field("index_offset", entry.offset);
}

fn object(object: &Object<'_>, out: &mut Outline<'_>) {
    out.field("is_component", object.is_component != 0);
    out.field("is_forced_no_component", object.is_forced_no_component.map(|flag| flag != 0));
    out.field("is_hidden", object.is_hidden.map(|flag| flag != 0));
    out.field("world_matrix", floats(object.world_matrix));
    match out.ok(object.groups()).flatten() {
        Some(groups) => {
            let mut broken = None;
            out.texts("groups", groups.map_while(|group| group.map_err(|error| broken = Some(error)).ok()));
            if let Some(error) = broken {
                out.problem(&error);
            }
        }
        None => out.field("groups", Value::Absent),
    }
    let Some(number) = out.ok(object.mesh_index()) else { return };
    if object.is_component == 0 {
        out.field("mesh", number);
    } else {
        out.coded("component", number, Component(number).name());
    }
}

fn floats<'v>(matrix: &Matrix) -> Value<'v> {
    matrix.rows.as_flattened().iter().map(|number: &F32| number.get()).collect::<Vec<f32>>().into()
}

fn mesh(mesh: &Mesh<'_>, packing: Packing, out: &mut Outline<'_>) {
    let mut list = |name, list: Result<&dyn Table>| match list {
        Ok(table) => {
            out.array(name, &InTable { table, packing });
            true
        }
        Err(error) => {
            out.problem(&error);
            false
        }
    };
    // A list that does not fit hides those behind it; it is told once.
    let _ = list("positions", mesh.positions().as_ref().map(|l| l as _).map_err(|e| e.again()))
        && list("uvs", mesh.uvs().as_ref().map(|l| l as _).map_err(|e| e.again()))
        && list("normals", mesh.normals().as_ref().map(|l| l as _).map_err(|e| e.again()))
        && list("faces", mesh.faces().as_ref().map(|l| l.as_table()).map_err(|e| e.again()));
}

fn material(material: &Material<'_>, out: &mut Outline<'_>) {
    out.field("record_bytes", material.record_bytes());
    out.field("ambient", material.ambient().to_array());
    out.field("diffuse", material.diffuse().to_array());
    out.field("specular", material.specular().to_array());
    if !matches!(material.record, MaterialRecord::First(_)) {
        out.field("emissive", material.emissive().map(|color| color.to_array().to_vec()));
        out.field("power", material.power());
    }
    if let Some(switches) = material.switches() {
        out.field("alpha_test", switches.alpha_test != 0);
        out.field("alpha_blend", switches.alpha_blend != 0);
        out.field("z_buffer", switches.z_buffer != 0);
        out.field("two_sided", switches.two_sided != 0);
    }
    out.field("use_texture", material.use_texture() != 0);
    out.field("texture", material.texture());
    out.field("texture_index", material.texture_index());
}

fn texture(texture: &Texture<'_>, out: &mut Outline<'_>) {
    out.field("file_name", texture.file_name);
    out.field("is_external", texture.is_external != 0);
    let image = texture.image();
    out.field("embedded_as", image.as_ref().map(Entry::name));
    if let Some(image) = image.filter(|image| out.ok(image.data()).is_some()) {
        out.array("image", &Image(image));
    }
}

/// An array inside a table that may itself be packed.
struct InTable<'t> {
    table: &'t dyn Table,
    packing: Packing,
}

impl Table for InTable<'_> {
    fn rows(&self) -> u64 {
        self.table.rows()
    }

    fn columns(&self) -> Vec<Column> {
        self.table.columns()
    }

    fn storage(&self) -> Storage {
        Storage { packing: self.packing, ..self.table.storage() }
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        self.table.read(sink)
    }
}

/// The bytes of an image that the map brings along.
struct Image<'m>(Entry<'m>);

impl Table for Image<'_> {
    fn rows(&self) -> u64 {
        self.0.unpacked_bytes_hint()
    }

    fn columns(&self) -> Vec<Column> {
        vec![Column::new("value", Scalar::U8)]
    }

    fn storage(&self) -> Storage {
        let packing = if self.0.central().header.method.get() == 0 { Packing::InPlace } else { Packing::Deflate };
        let offset = self.0.local().map_or(self.0.header_offset(), |local| local.data_offset);
        Storage { offset, bytes: self.0.packed_bytes(), packing }
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        let _ = sink(&self.0.decode()?);
        Ok(())
    }
}

fn packing(map: &Map<'_>, table: TableId) -> Packing {
    let path = table.file_name();
    let stored =
        map.source.archive().and_then(|zip| zip.find(path)).is_none_or(|e| e.central().header.method.get() == 0);
    if stored { Packing::InPlace } else { Packing::Deflate }
}

/// The records of one table that get a row; real maps have a hundredth.
const MOST_ROWS: usize = 50_000;

pub(super) fn regions(map: &Map<'_>, sink: &mut dyn FnMut(Region<'_>)) {
    for entry in map.entries() {
        // Where the data does not fit in the file, it lies in no one piece of it.
        if let Err(error) = entry.data() {
            sink(Region::problem(0, &error, entry.central().offset));
            continue;
        }
        let (offset, bytes) = extent(&entry);
        let unpacked = entry.unpacked_bytes_hint();
        let note = format!("{}, {unpacked} bytes unpacked", method(&entry).unwrap_or("unknown method"));
        sink(Region::part(0, inspect::brief(entry.name()), note, Span { offset, bytes }));
        for id in TableId::ALL.into_iter().filter(|id| entry.name() == id.file_name()) {
            table(map, id, sink);
        }
    }
    if let Some(archive) = map.source.archive() {
        inspect::zip_directory(archive.directory(), sink);
    }
}

/// The records of a table, as far as they can be read. Those of a packed one lie where its stream does.
fn table(map: &Map<'_>, id: TableId, sink: &mut dyn FnMut(Region<'_>)) {
    let table = match map.table(id) {
        Ok(table) => table,
        Err(error) => return sink(Region::problem(1, &error, 0)),
    };
    let mut tell = |list: &str, index: usize, entry: &IndexEntry<'_>, start: u64, end: u64| {
        let name = inspect::brief(entry.name);
        let (kind, offset, note) = match table.place {
            Place::Stored(table) => (RegionKind::Part, table.saturating_add(start), name),
            Place::Packed(table) => (RegionKind::Unpacked, table, format!("{name} at {start:#x} unpacked")),
            Place::Nowhere => (RegionKind::Unpacked, start, name),
        };
        let (name, bytes) = (format!("{list}[{index}]").into(), end.saturating_sub(start));
        sink(Region { depth: 1, kind, name, note: note.into(), offset, bytes });
    };
    let more = match id {
        TableId::Index => {
            let mut entries = map.index().into_iter().flatten().flatten().enumerate().peekable();
            while let Some((index, entry)) = entries.next_if(|(index, _)| *index < MOST_ROWS) {
                let end = entries.peek().map_or(table.len(), |(_, next)| next.offset);
                tell("entries", index, &entry, entry.offset, end);
            }
            entries.count()
        }
        TableId::Objects => extents::<Object<'_>>(map, &mut tell),
        TableId::Meshes => extents::<Mesh<'_>>(map, &mut tell),
        TableId::Materials => extents::<Material<'_>>(map, &mut tell),
        TableId::Textures => extents::<Texture<'_>>(map, &mut tell),
    };
    if more > 0 {
        let (kind, name, note) = (RegionKind::Unpacked, "more".into(), format!("{more} further records").into());
        let offset = match table.place {
            Place::Stored(table) | Place::Packed(table) => table,
            Place::Nowhere => 0,
        };
        sink(Region { depth: 1, kind, name, note, offset, bytes: 0 });
    }
}

/// The first records; how many there are beside them.
fn extents<'m, T: Record<'m>>(map: &'m Map<'m>, tell: &mut dyn FnMut(&str, usize, &IndexEntry<'_>, u64, u64)) -> usize {
    let Ok(list) = List::<T>::new(map) else { return 0 };
    for (index, record) in list.walk().enumerate().take(MOST_ROWS) {
        if let (Some(entry), Ok(record)) = (list.entry(index), record) {
            let start = record.start();
            tell(T::LIST, index, &entry, start, record.end().unwrap_or(start));
        }
    }
    list.len().saturating_sub(MOST_ROWS)
}
