//! Describes an archive in words.

use std::io::{Result, Write};

use meshpeek::container::{Container, Form, Member};
use meshpeek::pbo::{self, TailKind};
use meshpeek::scan::Stored;

use super::list::{FAINT, heading, list, section};
use super::text::{grouped, shown};
use crate::failure::message_of;
use crate::wrap::HANG;

pub(super) fn pbo(archive: &pbo::Archive<'_>, out: &mut impl Write) -> Result<()> {
    section(out, "Properties", archive.properties(), property)?;
    members(&Container::Pbo(*archive), out)?;
    let tail = match archive.tail().map(|tail| tail.kind()) {
        Ok(TailKind::None) => "nothing".to_owned(),
        Ok(TailKind::Short(_)) => "four bytes, as Operation Flashpoint Elite writes them".to_owned(),
        Ok(TailKind::Sha1(_)) => "a SHA-1, which verify compares".to_owned(),
        Ok(_) => "bytes of no known form".to_owned(),
        Err(error) => message_of(&error),
    };
    writeln!(out, "\n  after the members: {tail}")
}

fn property(out: &mut impl Write, property: pbo::Property<'_>) -> Result<()> {
    writeln!(out, "  {} = {}", shown(property.key), shown(property.value))
}

pub(super) fn members(archive: &Container<'_>, out: &mut impl Write) -> Result<()> {
    heading(out, "Members")?;
    // Use the numbers of problems and selectors.
    let members = archive.members().enumerate().filter_map(|(index, member)| Some((index, member.ok()?)));
    list(out, members, |out, (index, member)| self::member(out, index, &member))
}

fn member(out: &mut impl Write, index: usize, member: &Member<'_>) -> Result<()> {
    let mut bytes = member.decoded_byte_len_hint();
    let form = match member.form() {
        Form::InPlace => {
            bytes = member.stored_byte_len();
            String::new()
        }
        Form::Packed(packing) => {
            format!("  {FAINT}{}, {} bytes stored{FAINT:#}", packing.name(), grouped(member.stored_byte_len()))
        }
        Form::Encrypted => format!("  {FAINT}encrypted{FAINT:#}"),
        _ => format!("  {FAINT}packed with {}, which is not read{FAINT:#}", member.method_name()),
    };
    let size = grouped(bytes);
    let time = Stored::of(member).time.unwrap_or_default();
    let day_and_minute = time.get(..16).unwrap_or_default().replace('T', " ");
    let name = shown(member.name());
    writeln!(out, "  {HANG}{index:>6}  {size:>12}  {day_and_minute:<16}  {name}{form}")
}
