//! Describes an Arma texture in words.

use std::io::{Result, Write};

use meshpeek::paa::{Color, Kind, Mip, Source, Swizzle, Tag, TagData, Texture};

use super::list::{FAINT, heading, list, section};
use super::text::{count, shown};
use crate::failure::message_of;

pub(super) fn write(texture: &Texture<'_>, out: &mut impl Write) -> Result<()> {
    let Kind(word) = texture.kind();
    heading(out, "Texture")?;
    match texture.kind().name() {
        Some(name) => writeln!(out, "  {name}, alpha {}", texture.alpha())?,
        None => writeln!(out, "  kind {word:#x}")?,
    }
    if !texture.palette().is_empty() {
        writeln!(out, "  palette of {}", count(texture.palette().len() as u64, "colors"))?;
    }
    section(out, "Tags", texture.tags().iter(), tag)?;
    heading(out, "Mips")?;
    list(out, texture.mips().enumerate(), |out, (index, mip)| match mip {
        Ok(mip) => writeln!(out, "  {index}  {} x {}  {FAINT}{}{FAINT:#}", mip.width(), mip.height(), stored(&mip)),
        Err(error) => writeln!(out, "  {index}  {}", message_of(&error)),
    })
}

fn tag(out: &mut impl Write, tag: Tag<'_>) -> Result<()> {
    writeln!(out, "  {}  {}", shown(tag.name), data(&tag))
}

fn data(tag: &Tag<'_>) -> String {
    match tag.data {
        TagData::Color(&Color { red, green, blue, alpha }) => {
            format!("red {red}, green {green}, blue {blue}, alpha {alpha}")
        }
        TagData::Flags(flags) => format!("{flags:#x}"),
        TagData::Swizzle(swizzle) => sources(swizzle),
        TagData::Offsets(offsets) => {
            let used = offsets.iter().filter(|offset| offset.get() > 0).count();
            count(used as u64, "offsets")
        }
        TagData::Text(text) => shown(text),
        _ => count(u64::from(tag.byte_len), "bytes"),
    }
}

fn sources(swizzle: &Swizzle) -> String {
    let Swizzle { red, green, blue, alpha } = *swizzle;
    let mut sources = Vec::new();
    for (channel, source) in [("red", red), ("green", green), ("blue", blue), ("alpha", alpha)] {
        let Source(code) = source;
        sources.push(match source.name() {
            Some(name) => format!("{channel} from {name}"),
            None => format!("{channel} from unknown {code}"),
        });
    }
    sources.join(", ")
}

fn stored(mip: &Mip<'_>) -> String {
    match mip.block() {
        Ok(block) => format!("{}, {}", count(block.stored_byte_len(), "bytes"), block.packing()),
        Err(error) => message_of(&error),
    }
}
