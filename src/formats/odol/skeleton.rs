//! The bones of a model.

use super::version::Version;
use crate::base::error::Result;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::outline::{Sink, Type};
use crate::record::{Framing, List, Read, Stored, form, record};

record! {
    /// A named set of bones.
    Skeleton<'a>(version: Version) named name {
        /// Its name. Models with the same skeleton can share animations.
        name: ByteStr<'a>,
        /// True if every vertex is bound to a single bone.
        is_discrete: bool,
        /// The bones. Other parts of the file refer to them by index.
        bones: List<'a, Bone<'a>>,
        /// The model that contains the pivots (pivotsNameObsolete).
        pivots: ByteStr<'a> where version >= 41 && !version.is_vbs_line(),
    }
}

record! {
    /// A bone by its name.
    Bone<'a> named name {
        /// Its name (`SkeletonBoneName`).
        name: ByteStr<'a>,
        /// The name of its parent bone; empty for a root.
        parent: ByteStr<'a>,
    }
}

/// The form of an optional skeleton: without one, the name is empty and nothing follows. Version 7 never has one.
#[derive(Debug)]
pub(super) struct OrNone<T>(Option<T>);

impl Stored for OrNone<Skeleton<'_>> {
    const TYPE: Type = Type::Record(Skeleton::SCHEMA);
}

impl<'a> Read<'a, Version> for OrNone<Skeleton<'a>> {
    fn walk(cursor: &mut Cursor<'a>, version: Version, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        if version.is_flashpoint() {
            return Ok(Self(None));
        }
        if cursor.rest().first() == Some(&0) {
            Framing::<ByteStr<'_>>::walk(cursor, (), name, sink)?;
            return Ok(Self(None));
        }
        Skeleton::walk(cursor, version, name, sink).map(|skeleton| Self(Some(skeleton)))
    }
}

form!(['a] OrNone<Skeleton<'a>> => Option<Skeleton<'a>>);
