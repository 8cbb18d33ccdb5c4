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
    /// A place where another model is to be put.
    Proxy<'a>(version: Version) named model {
        /// The model, without its ending.
        model: ByteStr<'a>,
        /// Where and how it stands.
        transform: Transform,
        /// Its number among the proxies of this model file (proxySequenceId).
        sequence: i32,
        /// Which of the LOD's selections marks it.
        selection: i32,
        /// The bone of the skeleton that moves it; -1 for none.
        bone: i32 where version >= 40,
        /// Which of the LOD's sections shows it while editing; -1 for none.
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
        /// How much each of these faces belongs to it.
        face_weights: Block<'a, u8> [layout] where layout.version == 7,
        /// Where each of these faces lies in the game's memory.
        face_offsets: Block<'a, U32> [layout] where layout.version == 7,
        /// Zero in every file met.
        #[rule(OneOf(&[0]))]
        unknown: u32 where layout.version >= 40,
        /// Whether it consists of whole sections, so that their look can be changed.
        is_sectional: bool,
        /// Numbers of those sections.
        sections: Block<'a, I32> [layout],
        /// Numbers of the vertices in it, not always in order.
        vertices: IndexBlock<'a> [layout],
        /// How much each of these vertices belongs to it, in 255ths; empty where all do wholly.
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
    /// All points at one moment of a movement. No file of a game has any.
    Frame<'a>(layout: Layout) {
        /// When.
        time: f32,
        /// Where the points are then; never compressed.
        positions: LeArray<'a, Vec3>,
        /// Four numbers of unknown use that the document has from version 47 on, and no reader. They are read where a LOD
        /// ends as its tables say with them alone.
        extra: [f32; 4] where layout.reading == Reading::LongFrames,
    }
}
