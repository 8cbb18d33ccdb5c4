//! Every field of an animation, told once.

use super::{Binarised, Motion, Plain, Properties};
use crate::inspect::{Outline, Part, Value};

pub(super) fn motion(motion: &Motion<'_>, out: &mut Outline<'_>) {
    out.field("version", motion.version());
    let last_time = out.ok(motion.last_time()).flatten();
    out.field("last_time", last_time);
    match motion {
        Motion::Binarised(binarised) => {
            let header = binarised.header();
            out.field("packed_arrays", binarised.rule().ok().map(super::Rule::name));
            out.part(Part::one("header").spanning(0, size_of_val(header) as u64), |out| {
                out.field("reversed", header.reversed);
                out.field("displacement", header.displacement.to_array());
                out.field("frames", header.frames.get());
                out.field("preload", header.preload.get());
                out.field("bones_hint", header.bones_hint.get());
                out.field("bones", header.bones.get());
            });
            bones(motion, out);
            match binarised.metadata() {
                Some(metadata) => out.texts("metadata", metadata.iter()),
                None => out.field("metadata", Value::Absent),
            }
            properties(binarised.properties(), out);
            binarised_frames(binarised, out);
        }
        Motion::Plain(plain) => {
            out.field("metadata_reserved", plain.metadata().map(|header| header.reserved.get()));
            properties(plain.properties(), out);
            let header = plain.header();
            out.part(Part::one("header").spanning(plain.header_offset(), size_of_val(header) as u64), |out| {
                out.field("displacement", header.displacement.to_array());
                out.field("frames", header.frames.get());
                out.field("bones", header.bones.get());
            });
            bones(motion, out);
            plain_frames(plain, out);
        }
    }
}

fn bones(motion: &Motion<'_>, out: &mut Outline<'_>) {
    for (index, (offset, bytes, name)) in motion.bones().located().enumerate() {
        out.part(Part::item("bones", index).labelled(name).spanning(offset, bytes), |out| {
            out.field("name", name);
            if let Some(track) = motion.track(index) {
                out.array("track", &track);
            }
        });
    }
}

fn properties(all: Option<Properties<'_>>, out: &mut Outline<'_>) {
    for (index, property) in all.into_iter().flat_map(|all| all.iter()).enumerate() {
        let part = Part::item("properties", index).labelled(property.name);
        out.part(part.spanning(property.offset, property.bytes()), |out| {
            if let Some(id) = property.id {
                out.coded("id", id, property.id_name());
            }
            out.field("name", property.name);
            out.field("phase", property.phase);
            out.field("value", property.value);
        });
    }
}

fn binarised_frames(motion: &Binarised<'_>, out: &mut Outline<'_>) {
    let Some((times, frames)) = out.ok(motion.body()) else { return };
    out.field("times_flag", times.flag);
    out.array("times", &times.block);
    for (index, frame) in frames.iter().enumerate() {
        let Some(frame) = out.ok(frame) else { return };
        out.part(Part::item("frames", index).spanning(frame.offset, frame.bytes()), |out| {
            out.field("flag", frame.flag);
            out.array("transforms", &frame.block);
        });
    }
}

fn plain_frames(motion: &Plain<'_>, out: &mut Outline<'_>) {
    if let Some(times) = out.ok(motion.times()) {
        out.array("times", &times);
    }
    for (index, frame) in motion.frames().enumerate() {
        let Some(frame) = out.ok(frame) else { return };
        out.part(Part::item("frames", index).spanning(frame.offset, frame.bytes()), |out| {
            out.field("time", frame.time);
            if frame.names().eq(motion.bones().iter()) {
                out.field("other_bone_names", Value::Absent);
            } else {
                out.texts("other_bone_names", frame.names());
            }
            out.array("transforms", &frame.matrices());
        });
    }
}
