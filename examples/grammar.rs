//! A container of your own, with records of two formats inside it.
//!
//! `cargo run --example grammar -- FILE`

use meshpeek::nom::branch::alt;
use meshpeek::nom::bytes::complete::{tag, take_until};
use meshpeek::nom::combinator::{all_consuming, cond, cut};
use meshpeek::nom::error::context;
use meshpeek::nom::multi::length_count;
use meshpeek::nom::number::complete::{le_u16, le_u32, u8};
use meshpeek::nom::sequence::{preceded, terminated};
use meshpeek::nom::{IResult, Parser};
use meshpeek::view::{ByteStr, Cursor};
use meshpeek::{Error, Limits, Result, b3d, odol};

/// The signature `KIT`, the ODOL version of its records, a title if there is one, and its items.
#[derive(Debug)]
pub struct Kit<'a> {
    pub version: odol::Version,
    pub title: Option<ByteStr<'a>>,
    pub items: Vec<Item<'a>>,
}

/// An item of a kit, each after its tag.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "an example")]
pub enum Item<'a> {
    Texture(b3d::Texture<'a>),
    Material(odol::Material<'a>),
    Skeleton(odol::Skeleton<'a>),
}

/// Parses a whole kit.
pub fn parse(bytes: &[u8]) -> Result<Kit<'_>> {
    Cursor::new(bytes).parse(all_consuming(kit))
}

fn kit(input: Cursor<'_>) -> IResult<Cursor<'_>, Kit<'_>, Error> {
    let (input, version) = preceded(tag("KIT"), le_u32.map_res(odol::Version::new)).parse(input)?;
    let (input, has_title) = u8(input)?;
    let line = terminated(take_until("\n"), tag("\n")).map(|line: Cursor<'_>| ByteStr::new(line.rest()));
    let (input, title) = cond(has_title == 1, context("title", line)).parse(input)?;
    let (input, items) = context("items", length_count(le_u16, item(version))).parse(input)?;
    Ok((input, Kit { version, title, items }))
}

fn item<'a>(version: odol::Version) -> impl Parser<Cursor<'a>, Output = Item<'a>, Error = Error> {
    let layout = odol::Layout::new(version, &Limits::default());
    let texture = context("texture", cut(b3d::Texture::parser())).map(Item::Texture);
    let material = context("material", cut(odol::Material::parser(layout))).map(Item::Material);
    let skeleton = context("skeleton", cut(odol::Skeleton::parser(layout))).map(Item::Skeleton);
    alt((preceded(tag("TEX"), texture), preceded(tag("MAT"), material), preceded(tag("SKEL"), skeleton)))
}

#[allow(dead_code, reason = "the test has bytes of its own")]
fn main() -> Result<()> {
    std::env::args().skip(1).try_for_each(|path| parse(&std::fs::read(path)?).map(|kit| println!("{kit:#?}")))
}
