//! The bones of a model: spec section 4.

use nom::Parser;
use nom::combinator::cond;

use super::list::{Item, List};
use super::version::Version;
use crate::error::{Context as _, Result};
use crate::inspect::Span;
use crate::view::text::cstr;
use crate::view::{ByteStr, Cursor};

/// A named set of bones. Without a name there is nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Skeleton<'a> {
    /// Its name; models of one skeleton can share animations.
    pub name: ByteStr<'a>,
    /// Whether each vertex moves with one bone only.
    pub is_discrete: bool,
    /// The bones. Other parts of the file name them by their place here.
    pub bones: List<'a, Bone<'a>>,
    /// The model that holds the pivots (pivotsNameObsolete); absent in version 40 and in VBS' files.
    pub pivots: Option<ByteStr<'a>>,
    pub(super) span: Span,
}

/// A bone by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bone<'a> {
    /// Its name.
    pub name: ByteStr<'a>,
    /// The name of the bone that carries it; empty for a root.
    pub parent: ByteStr<'a>,
}

impl<'a> Skeleton<'a> {
    /// Reads the skeleton at the cursor; `None` where its name is empty.
    pub(super) fn read(cursor: &mut Cursor<'a>, version: Version) -> Result<Option<Self>> {
        let offset = cursor.offset();
        let name = cursor.cstr()?;
        if name.is_empty() {
            return Ok(None);
        }
        let is_discrete = cursor.u8()? != 0;
        let bones = List::read(cursor, "bones", ())?;
        let pivots = cursor.parse(cond(version.has_pivots(), cstr)).within("pivots")?;
        let span = Span { offset, bytes: cursor.offset().saturating_sub(offset) };
        Ok(Some(Self { name, is_discrete, bones, pivots, span }))
    }
}

impl<'a> Item<'a> for Bone<'a> {
    const LEAST: u64 = 2;

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        cursor.parse((cstr, cstr).map(|(name, parent)| Self { name, parent }))
    }
}
