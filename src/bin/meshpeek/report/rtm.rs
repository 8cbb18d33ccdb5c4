//! An Arma animation in words.

use std::io::{Result, Write};

use meshpeek::rtm::{Frames, Motion};

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
        writeln!(out, "  preload {}", motion.header().preload)?;
        match motion.frames() {
            Ok(frames) => writeln!(out, "  frames {}", packed(&frames))?,
            Err(error) => writeln!(out, "  frames: {}", error.message())?,
        }
        let metadata = motion.metadata().into_iter().flat_map(|texts| texts.iter());
        list(out, metadata, |out, text| writeln!(out, "  metadata {}", shown(text)))?;
    }
    let mut properties = motion.properties().into_iter().flat_map(|all| all.iter()).peekable();
    if properties.peek().is_some() {
        heading(out, "Events (properties)")?;
        list(out, properties, |out, property| {
            let id =
                property.id_name().map_or_else(|| property.id.map(|id| id.to_string()), |name| Some(name.to_owned()));
            let id = id.map(|id| format!("id {id}")).unwrap_or_default();
            let (name, value) = (shown(property.name), shown(property.value));
            writeln!(out, "  at {}  {name} {value}  {FAINT}{id}{FAINT:#}", property.phase)
        })?;
    }
    heading(out, "Bones")?;
    list(out, motion.bones().iter().enumerate(), |out, (index, name)| writeln!(out, "  {index}  {}", shown(name)))
}

/// Which frames are packed.
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
    let runs: Vec<String> = packed
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first} to {last}") })
        .collect();
    match &packed[..] {
        [] => "raw".to_owned(),
        [(0, last)] if last + 1 == frames.len() => "packed".to_owned(),
        _ if runs.len() <= 20 => format!("raw, packed ones: {}", runs.join(", ")),
        _ => format!("raw, packed ones in {}", count(runs.len() as u64, "place")),
    }
}
