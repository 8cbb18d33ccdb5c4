//! Small parts of a LOD.

use zerocopy::little_endian::{I32, U32};

use super::array::{Layout, Reading};
use super::index::IndexBlock;
use super::version::Version;
use super::wire::Transform;
use crate::base::error::Result;
use crate::base::text::ByteStr;
use crate::blocks::Block;
use crate::bytes::{Cursor, LeArray, Vec3};
use crate::outline::{Sink, Type};
use crate::record::parser::{
    Grammar, by_value, cond, le_f32, le_i32, le_u32, length_array, parsers, text_to_nul, times,
};
use crate::record::{List, Read as _, Stored, grammar};

/// The proxies of a LOD. They were checked when the LOD was read, so its iterator yields no errors.
pub type Proxies<'a> = List<'a, Proxy<'a>, Version>;
/// The selections of a LOD.
pub type Selections<'a> = List<'a, Selection<'a>, Layout>;
/// The frames of a LOD.
pub type Frames<'a> = List<'a, Frame<'a>, Layout>;

grammar! {
    /// The position of another model.
    Proxy<'a>(version: Version) named model {
        /// The model's path, without extension.
        model: ByteStr<'a> = text_to_nul(),
        /// Position and orientation.
        transform: Transform = by_value(),
        /// Its number among the proxies of this model file (proxySequenceId).
        sequence: i32,
        /// Index of the LOD's selection that marks it.
        selection: i32,
        /// The bone of the skeleton that moves it; -1 for none.
        bone: Option<i32> = cond(version >= 40, le_i32()),
        /// Index of the LOD's section that displays it in the editor; -1 for none.
        section: Option<i32> = cond(version >= 40, le_i32()),
    }
}

grammar! {
    /// Faces and vertices that have a name.
    Selection<'a>(layout: Layout) named name {
        /// Its name.
        name: ByteStr<'a> = text_to_nul(),
        /// Numbers of the faces in it.
        faces: IndexBlock<'a> = IndexBlock::parser(layout),
        /// Weight of each of these faces.
        face_weights: Option<Block<'a, u8>> = cond(layout.version == 7, Block::parser(layout)),
        /// Offset of each of these faces in the game's memory.
        face_offsets: Option<Block<'a, U32>> = cond(layout.version == 7, Block::parser(layout)),
        /// Zero in all known files.
        #[rule(OneOf(&[0]))]
        unknown: Option<u32> = cond(layout.version >= 40, le_u32()),
        /// True if it consists of whole sections, so that their appearance can be changed.
        is_sectional: bool,
        /// Indices of those sections.
        sections: Block<'a, I32> = Block::parser(layout),
        /// Numbers of the vertices in it, not always in order.
        vertices: IndexBlock<'a> = IndexBlock::parser(layout),
        /// Weight of each of these vertices, in 255ths; empty if all have full weight.
        weights: Block<'a, u8> = Weights { layout, vertices: vertices.count() },
    }
}

/// A parser of a weight for each of this many vertices, or of none. Another number is noted, and no error.
struct Weights {
    layout: Layout,
    vertices: u64,
}

parsers! { ['a] Weights => Block<'a, u8>; }

impl<'a> Grammar<'a> for Weights {
    const TYPE: Type = <Block<'a, u8> as Stored>::TYPE;
    const SHOWS_ABSENCE: bool = <Block<'a, u8> as Stored>::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<Block<'a, u8>> {
        let weights = Block::parser(self.layout).walk(cursor, name, sink)?;
        if weights.count() > 0 && weights.count() != self.vertices {
            sink.uneven_blocks();
        }
        Ok(weights)
    }
}

grammar! {
    /// A setting by the author, such as `class` = `house`.
    Property<'a> named name {
        /// Its name; some end in blanks.
        #[label("Property")] name: ByteStr<'a> = text_to_nul(),
        /// Its value, always a text.
        #[label("Value")] value: ByteStr<'a> = text_to_nul(),
    }
}

grammar! {
    /// A vertex-animation frame: the positions of all points at one time. No file of a game has one.
    Frame<'a>(layout: Layout) {
        /// Time.
        time: f32,
        /// Positions of the points; never compressed.
        positions: LeArray<'a, Vec3> = length_array(le_u32()),
        /// Four numbers of unknown use, which the document has from version 47 on, but no reader. Read only if the LOD
        /// then ends where its tables say.
        extra: Option<[f32; 4]> = cond(layout.reading == Reading::LongFrames, times(le_f32())),
    }
}
