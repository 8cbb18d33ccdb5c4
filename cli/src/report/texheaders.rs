//! Describes an index of textures in words.

use std::io::{Result, Write};

use meshpeek::texheaders::{Index, Kind, Purpose, Texture};

use super::list::{FAINT, heading, list};
use super::text::{count, or_unnamed};
use crate::failure::message_of;

pub(super) fn write(index: &Index<'_>, out: &mut impl Write) -> Result<()> {
    // The line above says that there are none.
    if index.textures().next().is_none() {
        return Ok(());
    }
    heading(out, "Textures")?;
    list(out, index.textures(), texture)
}

fn texture(out: &mut impl Write, texture: meshpeek::Result<Texture<'_>>) -> Result<()> {
    let texture = match texture {
        Ok(texture) => texture,
        Err(error) => return writeln!(out, "  {}", message_of(&error)),
    };
    let mut facts = vec![kind(texture.kind)];
    if let Some(largest) = texture.mips.get(0) {
        facts.push(format!("{} x {}", largest.width, largest.height));
    }
    facts.push(count(texture.mips.len() as u64, "mips"));
    facts.push(count(texture.file_size.into(), "bytes"));
    facts.push(purpose(texture.purpose));
    writeln!(out, "  {}  {FAINT}{}{FAINT:#}", or_unnamed(texture.path), facts.join(", "))
}

fn kind(kind: Kind) -> String {
    match kind.name() {
        Some(name) => name.to_owned(),
        None => format!("kind {}", kind.0),
    }
}

fn purpose(purpose: Purpose) -> String {
    match purpose.name() {
        Some(name) => name.to_owned(),
        None => format!("purpose {}", purpose.0),
    }
}
