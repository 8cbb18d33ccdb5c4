//! Describes an Arma animation in words.

use std::io::{Result, Write};

use meshpeek::rtm::{Frames, Motion, PlainProperty, Property, PropertyId};

use super::list::{FAINT, heading, list};
use super::text::{count, numbers, shown};
use crate::failure::message_of;

pub(super) fn write(motion: &Motion<'_>, out: &mut impl Write) -> Result<()> {
    heading(out, "Motion")?;
    match motion.last_time() {
        Ok(Some(last)) => writeln!(out, "  last frame at {last}")?,
        Ok(None) => writeln!(out, "  no times")?,
        Err(error) => writeln!(out, "  times: {}", message_of(&error))?,
    }
    writeln!(out, "  moves by {}", numbers(&motion.displacement()))?;
    if let Motion::Binarised(motion) = motion {
        writeln!(out, "  preload {}", motion.header.preload)?;
        match motion.frames() {
            Ok(frames) => writeln!(out, "  frames {}", packed(&frames))?,
            Err(error) => writeln!(out, "  frames: {}", message_of(&error))?,
        }
        let metadata = motion.texts.metadata;
        list(out, metadata.iter().flatten(), |out, text| writeln!(out, "  metadata {}", shown(text)))?;
    }
    if motion.property_count() > 0 {
        heading(out, "Events (properties)")?;
    }
    match motion {
        Motion::Binarised(motion) => list(out, motion.texts.properties.iter().flatten(), property)?,
        Motion::Plain(motion) => list(out, motion.properties.iter().flatten(), plain_property)?,
        _ => {}
    }
    heading(out, "Bones")?;
    list(out, motion.bones().iter().enumerate(), |out, (index, name)| writeln!(out, "  {index}  {}", shown(name)))
}

fn property(out: &mut impl Write, property: Property<'_>) -> Result<()> {
    let PropertyId(code) = property.id;
    let id = match property.id.name() {
        Some(name) => name.to_owned(),
        None => code.to_string(),
    };
    let name = shown(property.name);
    let value = shown(property.value);
    writeln!(out, "  at {}  {name} {value}  {FAINT}id {id}{FAINT:#}", property.phase)
}

fn plain_property(out: &mut impl Write, property: PlainProperty<'_>) -> Result<()> {
    writeln!(out, "  at {}  {} {}", property.phase, shown(property.name), shown(property.value))
}

/// The frames that are packed.
fn packed(frames: &Frames<'_>) -> String {
    let mut packed: Vec<(u32, u32)> = Vec::new();
    for (index, frame) in std::iter::zip(0_u32.., frames.iter()) {
        let Ok(frame) = frame else { return format!("up to {index} only") };
        match packed.last_mut() {
            _ if frame.block.borrowed().is_some() => {}
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => packed.push((index, index)),
        }
    }
    match &packed[..] {
        [] => "raw".to_owned(),
        [(0, last)] if *last as usize + 1 == frames.len() => "packed".to_owned(),
        runs if runs.len() <= 20 => format!("raw, packed ones: {}", indices(runs)),
        runs => format!("raw, packed ones in {}", count(runs.len() as u64, "places")),
    }
}

/// The first and last index of each run.
fn indices(runs: &[(u32, u32)]) -> String {
    let mut texts = Vec::new();
    for (first, last) in runs {
        texts.push(if first == last { format!("{first}") } else { format!("{first} to {last}") });
    }
    texts.join(", ")
}
