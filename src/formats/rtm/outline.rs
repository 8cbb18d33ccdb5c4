//! The outline of an animation.

use super::{Binarised, Motion, Plain, PlainProperty};
use crate::base::span::Span;
use crate::outline::{Outline, Part, Value};
use crate::record::list::Item;
use crate::record::{self, Fixed, List, Stored as _};

/// Describes an animation of either form.
pub(super) fn motion(motion: &Motion<'_>, out: &mut Outline<'_>) {
    out.field("version", motion.version());
    let last_time = out.ok(motion.last_time()).flatten();
    out.field("last_time", last_time);
    match motion {
        Motion::Binarised(binarised) => {
            out.field("packed_arrays", binarised.rule().ok().map(super::PackingMark::name));
            header(binarised.header, 0, out);
            bones(motion, out);
            let texts = binarised.texts;
            list("metadata", texts.metadata, out);
            list("properties", texts.properties, out);
            if !out.skips_arrays() {
                binarised_frames(binarised, out);
            }
        }
        Motion::Plain(plain) => {
            match plain.metadata {
                Some(header) => header.describe_fields(0, out),
                None => out.field("metadata_reserved", Value::Absent),
            }
            if let Some(properties) = plain.properties {
                PlainProperty::describe_items(&properties, "properties", out);
            }
            header(plain.header, plain.header_offset, out);
            bones(motion, out);
            if !out.skips_arrays() {
                plain_frames(plain, out);
            }
        }
    }
}

/// Describes the header at this offset as a part.
fn header<T: Fixed>(header: &T, offset: u64, out: &mut Outline<'_>) {
    let part = Part::one("header").spanning(offset, size_of::<T>() as u64);
    out.part(part, |out| header.describe_fields(offset, out));
}

/// Describes a list and its count. A list of single values that the version lacks is described as absent; one of
/// records is left out.
fn list<'a, T: Item<'a>>(name: &'static str, list: Option<List<'a, T>>, out: &mut Outline<'_>) {
    match list {
        Some(list) => list.describe_counted(name, out),
        None if T::IS_FIELD => out.field(name, Value::Absent),
        None => {}
    }
}

/// Describes each bone: its name, and its track through all frames.
fn bones(motion: &Motion<'_>, out: &mut Outline<'_>) {
    out.list("bones");
    for (index, (name, span)) in motion.bones().spanned().enumerate() {
        out.part(Part::item("bones", index).labelled(name).spanning(span.offset, span.bytes), |out| {
            name.describe_at("name", span, out);
            if let Some(track) = motion.track(index) {
                out.array("track", &track);
            }
        });
    }
}

/// Describes times and frames up to the first that cannot be read.
fn binarised_frames(motion: &Binarised<'_>, out: &mut Outline<'_>) {
    let Some((times, frames)) = out.ok(motion.body()) else { return };
    times.describe("times", "times_flag", out);
    out.list("frames");
    for (index, frame) in frames.iter().enumerate() {
        let Some(frame) = out.ok(frame) else { return };
        out.part(Part::item("frames", index).spanning(frame.offset, frame.byte_len()), |out| {
            frame.describe("transforms", "flag", out);
        });
    }
}

/// Describes times and frames up to the first that cannot be read. The names of bones in a frame are shown only if they
/// differ from those in the header.
fn plain_frames(motion: &Plain<'_>, out: &mut Outline<'_>) {
    if let Some(times) = out.ok(motion.times()) {
        out.array("times", &times);
    }
    out.list("frames");
    for (index, frame) in motion.frames().enumerate() {
        let Some(frame) = out.ok(frame) else { return };
        out.part(Part::item("frames", index).spanning(frame.offset, frame.bytes()), |out| {
            frame.time.describe_at("time", Span { offset: frame.offset, bytes: 4 }, out);
            if frame.names().eq(motion.bones.iter()) {
                out.field("other_bone_names", Value::Absent);
            } else {
                out.texts("other_bone_names", frame.names());
            }
            if out.dissects() {
                record::describe_rows("bones", frame.bones, frame.offset.saturating_add(4), out);
            }
            out.array("transforms", &frame.matrices());
        });
    }
}
