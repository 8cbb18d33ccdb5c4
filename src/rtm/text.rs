//! Names of bones, metadata and properties.

use nom::Parser;
use nom::multi::length_data;
use nom::number::complete::u8 as byte;
use zerocopy::little_endian::{F32, I32};

use super::wire::FixedName;
use crate::error::{Context, Error, Result};
use crate::view::cursor::{NomError, record};
use crate::view::text::cstr;
use crate::view::{ByteStr, Cursor, LeArray};

/// Names in a row.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    /// So many texts, each up to its NUL; they have been looked through.
    Closed(Cursor<'a>, u32),
    Fixed(LeArray<'a, FixedName>),
}

impl<'a> Names<'a> {
    /// So many texts at the cursor, each up to its NUL. Linear in their bytes.
    pub(super) fn read(cursor: &mut Cursor<'a>, count: u32, list: &'static str) -> Result<Self> {
        let start = *cursor;
        check_count(cursor, count, 1).within(list)?;
        for index in 0..count as usize {
            cursor.cstr().within_item(list, index)?;
        }
        let bytes = start.left().saturating_sub(cursor.left());
        Ok(Self(Form::Closed({ start }.split(bytes)?, count)))
    }

    /// Names in fields of 32 bytes.
    pub(super) fn fixed(fields: LeArray<'a, FixedName>) -> Self {
        Self(Form::Fixed(fields))
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self.0 {
            Form::Closed(_, count) => count as usize,
            Form::Fixed(fields) => fields.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = ByteStr<'a>> + Clone + use<'a> {
        let (mut closed, fixed) = match self.0 {
            Form::Closed(texts, _) => (texts, None),
            Form::Fixed(fields) => (Cursor::new(&[]), Some(fields)),
        };
        let fixed = fixed.into_iter().flatten().map(FixedName::text);
        std::iter::from_fn(move || closed.cstr().ok()).fuse().chain(fixed)
    }

    /// Offset and size of each name's field, NUL included, and the name.
    pub(super) fn located(&self) -> impl Iterator<Item = (u64, u64, ByteStr<'a>)> + use<'a> {
        let fixed = matches!(self.0, Form::Fixed(_)).then_some(size_of::<FixedName>() as u64);
        self.iter().scan(self.offset(), move |offset, name| {
            let bytes = fixed.unwrap_or_else(|| (name.len() as u64).saturating_add(1));
            let start = std::mem::replace(offset, offset.saturating_add(bytes));
            Some((start, bytes, name))
        })
    }

    /// The name at `index`; looks through those before it, where they are not in fields of one size.
    pub fn get(&self, index: usize) -> Option<ByteStr<'a>> {
        match self.0 {
            Form::Closed(..) => self.iter().nth(index),
            Form::Fixed(fields) => Some(fields.get(index)?.text()),
        }
    }

    /// Where the first name starts.
    pub fn offset(&self) -> u64 {
        match self.0 {
            Form::Closed(texts, _) => texts.offset(),
            Form::Fixed(fields) => fields.offset(),
        }
    }

    /// The bytes of all names, NULs included.
    pub fn bytes(&self) -> u64 {
        match self.0 {
            Form::Closed(texts, _) => texts.left(),
            Form::Fixed(fields) => fields.as_bytes().len() as u64,
        }
    }
}

/// What a property takes beside its texts: id, phase and two NULs.
const BINARISED_BYTES: u64 = 10;
/// Phase and two lengths.
const PLAIN_BYTES: u64 = 6;

/// A note on an animation: something that happens at a phase of it, such as a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property<'a> {
    /// What kind of property, in BMTR files (default): -1 says that only the name tells.
    pub id: Option<i32>,
    /// When, 0 at the first frame, 1 at the end.
    pub phase: f32,
    /// Its name, such as `StepSound`.
    pub name: ByteStr<'a>,
    /// Its value; often empty.
    pub value: ByteStr<'a>,
    /// Where it starts.
    pub offset: u64,
}

impl Property<'_> {
    /// The bytes it takes.
    pub fn bytes(&self) -> u64 {
        let fixed = if self.id.is_some() { BINARISED_BYTES } else { PLAIN_BYTES };
        fixed.saturating_add(self.name.len() as u64).saturating_add(self.value.len() as u64)
    }

    /// What its number means.
    pub fn id_name(&self) -> Option<&'static str> {
        match self.id? {
            -1 => Some("none"),
            0 => Some("StepSound"),
            _ => None,
        }
    }
}

/// The properties of an animation.
#[derive(Clone, Copy, Debug)]
pub struct Properties<'a> {
    all: Cursor<'a>,
    count: u32,
    binarised: bool,
}

impl<'a> Properties<'a> {
    /// So many properties at the cursor. Linear in their bytes.
    pub(super) fn read(cursor: &mut Cursor<'a>, count: u32, binarised: bool) -> Result<Self> {
        let start = *cursor;
        let least = if binarised { BINARISED_BYTES } else { PLAIN_BYTES };
        check_count(cursor, count, least).within("properties")?;
        for index in 0..count as usize {
            property(cursor, binarised).within_item("properties", index)?;
        }
        let bytes = start.left().saturating_sub(cursor.left());
        Ok(Self { all: { start }.split(bytes)?, count, binarised })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All properties in order.
    pub fn iter(&self) -> impl Iterator<Item = Property<'a>> + use<'a> {
        let Self { mut all, binarised, .. } = *self;
        // They have been read before, so that only the end of the last one is met here.
        std::iter::from_fn(move || property(&mut all, binarised).ok()).fuse()
    }

    /// The bytes of all of them.
    pub fn bytes(&self) -> u64 {
        self.all.left()
    }

    /// Where the first one starts.
    pub fn offset(&self) -> u64 {
        self.all.offset()
    }
}

fn property<'a>(cursor: &mut Cursor<'a>, binarised: bool) -> Result<Property<'a>> {
    let offset = cursor.offset();
    let (id, name, phase, value) = if binarised {
        let (id, name, phase, value) = cursor.parse((record::<I32>, cstr, record::<F32>, cstr))?;
        (Some(id.get()), name, phase, value)
    } else {
        let text = || length_data(byte::<&[u8], NomError<'_>>).map(ByteStr::new);
        let (phase, name, value) = cursor.parse((record::<F32>, text(), text()))?;
        (None, name, phase, value)
    };
    Ok(Property { id, phase: phase.get(), name, value, offset })
}

/// Refuses a count that the bytes left cannot hold.
fn check_count(cursor: &Cursor<'_>, count: u32, least: u64) -> Result<()> {
    let needed = u64::from(count).saturating_mul(least);
    if needed > cursor.left() {
        return Err(Error::truncated(needed, cursor.left()).at(cursor.offset()));
    }
    Ok(())
}
