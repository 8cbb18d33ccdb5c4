//! Describes an Arma animation in words.

use std::io::{Result, Write};

use meshpeek::rtm::{Frames, Motion, PropertyId};

use super::{FAINT, count, heading, list, numbers, shown};

pub(super) fn write(motion: &Motion<'_>, out: &mut impl Write) -> Result<()> {
    heading(out, "Motion")?;
    match motion.last_time() {
        Ok(Some(last)) => writeln!(out, "  last frame at {last}")?,
        Ok(None) => writeln!(out, "  no times")?,
        Err(error) => writeln!(out, "  times: {}", error.message())?,
    }
    writeln!(out, "  moves by {}", numbers(&motion.displacement()))?;
    if let Motion::Binarised(motion) = motion {
        writeln!(out, "  preload {}", motion.header.preload)?;
        match motion.frames() {
            Ok(frames) => writeln!(out, "  frames {}", packed(&frames))?,
            Err(error) => writeln!(out, "  frames: {}", error.message())?,
        }
        let metadata = motion.texts.metadata;
        list(out, metadata.iter().flatten(), |out, text| writeln!(out, "  metadata {}", shown(text)))?;
    }
    if motion.property_count() > 0 {
        heading(out, "Events (properties)")?;
    }
    match motion {
        Motion::Binarised(motion) => list(out, motion.texts.properties.iter().flatten(), |out, property| {
            let PropertyId(id) = property.id;
            let id = property.id.name().map_or_else(|| id.to_string(), str::to_owned);
            let (name, value) = (shown(property.name), shown(property.value));
            writeln!(out, "  at {}  {name} {value}  {FAINT}id {id}{FAINT:#}", property.phase)
        })?,
        Motion::Plain(motion) => list(out, motion.properties.iter().flatten(), |out, property| {
            writeln!(out, "  at {}  {} {}", property.phase, shown(property.name), shown(property.value))
        })?,
        _ => {}
    }
    heading(out, "Bones")?;
    list(out, motion.bones().iter().enumerate(), |out, (index, name)| writeln!(out, "  {index}  {}", shown(name)))
}

/// The frames that are packed.
fn packed(frames: &Frames<'_>) -> String {
    let mut packed: Vec<(u32, u32)> = Vec::new();
    for (index, frame) in (0_u32..).zip(frames.iter()) {
        let Ok(frame) = frame else { return format!("up to {index} only") };
        match packed.last_mut() {
            _ if frame.block.borrowed().is_some() => {}
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => packed.push((index, index)),
        }
    }
    let run = |(first, last): &_| if first == last { format!("{first}") } else { format!("{first} to {last}") };
    match &packed[..] {
        [] => "raw".to_owned(),
        [(0, last)] if *last as usize + 1 == frames.len() => "packed".to_owned(),
        runs if runs.len() <= 20 => {
            format!("raw, packed ones: {}", runs.iter().map(run).collect::<Vec<_>>().join(", "))
        }
        runs => format!("raw, packed ones in {}", count(runs.len() as u64, "places")),
    }
}
