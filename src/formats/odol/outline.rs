//! The outline of a model: its records, and values computed from them.

use super::animation::Animations;
use super::header::{Facts, Start, Tables};
use super::{FaceDefault, Lod, LodEntry, Model, Trailer};
use crate::base::error::{Context as _, Result};
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::outline::{Outline, Part, Silent};
use crate::record::{Record as _, describe_fields, walk_part};

/// Describes a model: its header, its LODs and its trailer.
pub(super) fn model(model: &Model<'_>, out: &mut Outline<'_>) {
    out.field("version", model.version().stored());
    out.field("lod_count", model.header.lod_count());
    let described = header(model, out);
    out.ok(described);
    // The LODs of version 7 are inside the header, and were described with it.
    if !model.version().is_flashpoint() {
        lods(model, out);
    }
    if let Some(Ok(rest)) = model.after_lods()
        && let Some(has_shapes) = model.trailer_has_shapes(rest)
    {
        trailer(rest, has_shapes, out);
    }
}

/// Describes the trailer at the start of `rest`. If it cannot be read, the part shown as trailer extends to the end of
/// the file.
fn trailer(mut rest: Cursor<'_>, has_shapes: bool, out: &mut Outline<'_>) {
    let mut end = rest;
    let bytes = match end.parse(Trailer::parser(has_shapes)) {
        Ok(_) => end.offset().saturating_sub(rest.offset()),
        Err(_) => rest.left(),
    };
    out.part(Part::one("trailer").spanning(rest.offset(), bytes), |out| {
        // Not reported here, because no LOD depends on the trailer: `verify` warns about an error in it.
        let _ = Trailer::walk_fields(&mut rest, has_shapes, out);
    });
}

/// Describes the header. In version 7 that includes the LODs, which are between its start and the facts.
fn header(model: &Model<'_>, out: &mut Outline<'_>) -> Result<()> {
    let mut cursor = model.data.cursor(0);
    let version = model.version();
    walk_part::<Start<'_>, _, _>(&mut cursor, version, Part::one("header"), out)?;
    if version.is_flashpoint() {
        lods(model, out);
        let end = match model.lods().last() {
            Some(last) => last.end.into(),
            None => cursor.offset(),
        };
        cursor.skip(end.saturating_sub(cursor.offset()))?;
        // If a LOD is broken, the start of the facts is unknown.
        model.whole()?;
    }
    let lods = model.header.lods_context(model.layout);
    Facts::walk_fields(&mut cursor, lods, out)?;
    if !version.is_flashpoint() {
        Animations::walk_fields(&mut cursor, version, out)?;
        Tables::walk_fields(&mut cursor, lods, out)?;
    }
    Ok(())
}

/// Describes the LODs by index, or in file order for a dissection.
fn lods(model: &Model<'_>, out: &mut Outline<'_>) {
    out.list("lods");
    let mut entries: Vec<_> = model.lods().collect();
    if out.dissects() {
        entries.sort_by_key(|entry| entry.start);
    }
    for entry in &entries {
        lod(model, entry, out);
    }
}

/// Describes a LOD: its table entry, its face default and its fields. A dissection shows the face default in the tables
/// instead.
fn lod(model: &Model<'_>, entry: &LodEntry, out: &mut Outline<'_>) {
    let label = entry.resolution.to_string();
    let title = entry.resolution.title();
    let part = Part::item("lods", entry.index).labelled(ByteStr::from(label.as_str())).titled(&title);
    // Only a LOD inside the file has a location to show.
    let part = match model.contains(entry) {
        true => part.spanning(entry.start.into(), entry.byte_len()),
        false => part,
    };
    out.part(part, |out| {
        out.field("name", label.as_str());
        out.field("resolution", entry.resolution.0);
        out.field("is_visual", entry.resolution.is_visual());
        out.field("start", entry.start);
        out.field("end", entry.end);
        if !out.dissects()
            && let Some((.., span)) = model.header.face_default(entry.index)
        {
            out.part(Part::one("face_default"), |out| {
                describe_fields::<FaceDefault, _>(model.data.cursor(span.offset), model.version(), out);
            });
        }
        lod_fields(model, entry, out);
    });
}

/// Describes the fields of a LOD as it was read. The arrays that have an element for each point are described only if
/// the number of points is known.
fn lod_fields(model: &Model<'_>, entry: &LodEntry, out: &mut Outline<'_>) {
    let body = model.lod_body(entry).within_item("lods", entry.index);
    let Some(mut body) = out.ok(body) else { return };
    // A LOD that cannot be read is described up to the error.
    let mut layout = model.layout;
    layout.points = None;
    if let Ok((lod, Silent)) = model.read_lod(body) {
        layout = lod.layout();
        layout.points = None;
        if !out.skips_arrays()
            && let Ok(table) = lod.vertex_table()
        {
            layout.points = Some(table.positions.count());
        }
    }
    let described = Lod::describe(&mut body, layout, out);
    out.ok(described.within_item("lods", entry.index));
}
