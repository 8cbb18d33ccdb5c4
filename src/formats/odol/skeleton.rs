//! The bones of a model.

use nom::bytes::complete::tag;

use super::version::Version;
use crate::base::error::Result;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::parser::is_ahead;
use crate::outline::{Sink, Type};
use crate::record::parser::{Grammar, cond, framing, le_u32, length_count, parsers, text_to_nul};
use crate::record::{List, grammar};

grammar! {
    /// A named set of bones.
    Skeleton<'a>(version: Version) named name {
        /// Its name. Models with the same skeleton can share animations.
        name: ByteStr<'a> = text_to_nul(),
        /// True if every vertex is bound to a single bone.
        is_discrete: bool,
        /// The bones. Other parts of the file refer to them by index.
        bones: List<'a, Bone<'a>> = length_count(le_u32(), Bone::parser()),
        /// The model that contains the pivots (pivotsNameObsolete).
        pivots: Option<ByteStr<'a>> = cond(version >= 41 && !version.is_vbs_line(), text_to_nul()),
    }
}

grammar! {
    /// A bone by its name.
    Bone<'a> named name {
        /// Its name (`SkeletonBoneName`).
        name: ByteStr<'a> = text_to_nul(),
        /// The name of its parent bone; empty for a root.
        parent: ByteStr<'a> = text_to_nul(),
    }
}

/// A parser of an optional skeleton: without one, the name is empty and nothing follows. Version 7 never has one.
pub(super) struct OrNone(pub(super) Version);

parsers! { ['a] OrNone => Option<Skeleton<'a>>; }

impl<'a> Grammar<'a> for OrNone {
    const TYPE: Type = Type::Record(Skeleton::SCHEMA);

    fn walk(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &'static str,
        sink: &mut impl Sink,
    ) -> Result<Option<Skeleton<'a>>> {
        if self.0.is_flashpoint() {
            return Ok(None);
        }
        // An empty name.
        if is_ahead(*cursor, tag(&b"\0"[..])) {
            framing(text_to_nul()).walk(cursor, name, sink)?;
            return Ok(None);
        }
        Skeleton::parser(self.0).walk(cursor, name, sink).map(Some)
    }
}
