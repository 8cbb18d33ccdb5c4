//! Small parts of a LOD.

use zerocopy::little_endian::{I32, U32};

use super::array::{Layout, Reading};
use super::index::IndexBlock;
use super::version::Version;
use super::wire::Transform;
use crate::base::text::ByteStr;
use crate::blocks::Block;
use crate::bytes::{LeArray, Vec3};
use crate::record::{List, record};

/// The proxies of a LOD.
pub type Proxies<'a> = List<'a, Proxy<'a>, Version>;
/// The selections of a LOD.
pub type Selections<'a> = List<'a, Selection<'a>, Layout>;
/// The frames of a LOD.
pub type Frames<'a> = List<'a, Frame<'a>, Layout>;

record! {
    /// The position of another model.
    Proxy<'a>(version: Version) named model {
        /// The model's path, without extension.
        model: ByteStr<'a>,
        /// Position and orientation.
        transform: Transform,
        /// Its number among the proxies of this model file (proxySequenceId).
        sequence: i32,
        /// Index of the LOD's selection that marks it.
        selection: i32,
        /// The bone of the skeleton that moves it; -1 for none.
        bone: i32 where version >= 40,
        /// Index of the LOD's section that displays it in the editor; -1 for none.
        section: i32 where version >= 40,
    }
}

record! {
    /// Faces and vertices that have a name.
    Selection<'a>(layout: Layout) named name {
        /// Its name.
        name: ByteStr<'a>,
        /// Numbers of the faces in it.
        faces: IndexBlock<'a> [layout],
        /// Weight of each of these faces.
        face_weights: Block<'a, u8> [layout] where layout.version == 7,
        /// Offset of each of these faces in the game's memory.
        face_offsets: Block<'a, U32> [layout] where layout.version == 7,
        /// Zero in all known files.
        #[rule(OneOf(&[0]))]
        unknown: u32 where layout.version >= 40,
        /// True if it consists of whole sections, so that their appearance can be changed.
        is_sectional: bool,
        /// Indices of those sections.
        sections: Block<'a, I32> [layout],
        /// Numbers of the vertices in it, not always in order.
        vertices: IndexBlock<'a> [layout],
        /// Weight of each of these vertices, in 255ths; empty if all have full weight.
        weights: Block<'a, u8> [layout],
    }
}

record! {
    /// A setting by the author, such as `class` = `house`.
    Property<'a> named name {
        /// Its name; some end in blanks.
        name: ByteStr<'a> = "Property",
        /// Its value, always a text.
        value: ByteStr<'a> = "Value",
    }
}

record! {
    /// A vertex-animation frame: the positions of all points at one time. No file of a game has one.
    Frame<'a>(layout: Layout) {
        /// Time.
        time: f32,
        /// Positions of the points; never compressed.
        positions: LeArray<'a, Vec3>,
        /// Four numbers of unknown use, which the document has from version 47 on, but no reader. Read only if the LOD
        /// then ends where its tables say.
        extra: [f32; 4] where layout.reading == Reading::LongFrames,
    }
}
