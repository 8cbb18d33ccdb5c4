//! Chunks: which there are, what holds what, and the one walk over all of them.

use std::marker::PhantomData;

use super::fields::{end, not_negative};
use super::wire::ChunkHeader;
use crate::base::error::{Context, Error, Result};
use crate::base::sealed::Sealed;
use crate::bytes::chunk::Tag;
use crate::bytes::{Cursor, chunk};
use crate::record::Read;

/// One chunk in place.
pub type Chunk<'a> = chunk::Chunk<'a, ChunkHeader>;
/// The chunks of one part in file order; ends after the first error.
pub type Chunks<'a> = chunk::Chunks<'a, ChunkHeader>;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal $parent:literal $tag:literal;)*) => {
        /// What a chunk is, by its tag and where it lies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            /// A model: LOD1.
            Part,
            $($(#[$doc])* $kind,)*
            /// Holds only chunks: ANS1, MAL1, TXTL, SHDL, MSL1, LGS1, PXL1 or CLL1 in a LOD1.
            List,
            /// None of the format's chunks, or one in the wrong place; stepped over.
            Unknown,
        }

        impl Kind {
            const COUNT: usize = Self::DATA.len().saturating_add(3);

            /// All that hold data.
            pub(crate) const DATA: &[Self] = &[$(Self::$kind),*];

            /// The chunks of this kind, in the plural, as outlines and errors call them.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Part => "models",
                    $(Self::$kind => $name,)*
                    Self::List => "lists",
                    Self::Unknown => "unknown_chunks",
                }
            }

            const TAGS: &[(&[u8; 4], &[u8; 4], Self)] = &[$(($parent, $tag, Self::$kind)),*];
        }
    };
}

kinds! {
    /// Bytes of the user, normally text.
    Info "infos" b"LOD1" b"INF1";
    /// The bones.
    Skeleton "skeletons" b"LOD1" b"SKL1";
    /// A skeletal animation.
    Animation "animations" b"ANS1" b"ANM1";
    /// Materials.
    MaterialList "material_lists" b"MAL1" b"MAT1";
    /// Embedded textures.
    TextureList "texture_lists" b"TXTL" b"TXTR";
    /// Shaders.
    ShaderList "shader_lists" b"SHDL" b"SHDR";
    /// A mesh.
    Mesh "meshes" b"MSL1" b"MSH1";
    /// Morph animations' bones and bounds.
    MorphCollections "morph_collection_lists" b"LOD1" b"MAN1";
    /// Morph animations' vertices.
    MorphMeshes "morph_mesh_lists" b"LOD1" b"MMD1";
    /// Bodies, geoms and joints.
    Physics "physics" b"LOD1" b"PHS1";
    /// Eight lights.
    LightScheme "light_schemes" b"LGS1" b"LIG1";
    /// Further appearances of meshes.
    ProxySet "proxy_sets" b"PXL1" b"PXI1";
    /// Shapes tied to bones.
    ColliderSet "collider_sets" b"CLL1" b"COL1";
    /// The screenshot.
    Screenshot "screenshots" b"LOD1" b"IMG1";
}

impl Kind {
    const LISTS: [&'static [u8; 4]; 8] = [b"ANS1", b"MAL1", b"TXTL", b"SHDL", b"MSL1", b"LGS1", b"PXL1", b"CLL1"];

    fn of(parent: Option<Tag>, chunk: &Chunk<'_>) -> Self {
        let Tag(tag) = &chunk.tag();
        let Some(Tag(parent)) = &parent else {
            return if tag == b"LOD1" { Self::Part } else { Self::Unknown };
        };
        match Self::TAGS.iter().find(|(list, known, _)| (*list, *known) == (parent, tag)) {
            // The count is the layout's version, and only this one is known.
            Some((.., Self::Physics)) if chunk.header().count.get() != 2 => Self::Unknown,
            Some((.., kind)) => *kind,
            None if parent == b"LOD1" && Self::LISTS.contains(&tag) => Self::List,
            None => Self::Unknown,
        }
    }

    /// Whether the format has chunks of this tag, wherever they belong.
    pub(crate) fn is_known(Tag(tag): Tag) -> bool {
        tag == *b"LOD1" || Self::LISTS.contains(&&tag) || Self::TAGS.iter().any(|(_, known, _)| **known == tag)
    }
}

/// A chunk met on the [walk](Nodes) and what is known of it from its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    pub(crate) chunk: Chunk<'a>,
    pub(crate) parent: Option<Tag>,
    pub(crate) kind: Kind,
    pub(crate) index: usize,
    pub(crate) depth: usize,
    pub(crate) part: usize,
    pub(crate) bones: Option<u32>,
}

impl<'a> Node<'a> {
    /// A chunk met outside a [walk](Nodes), in a parent of this tag, after a skeleton of so many bones.
    pub fn alone(chunk: Chunk<'a>, parent: Option<Tag>, bones: Option<u32>) -> Self {
        Self { chunk, parent, kind: Kind::of(parent, &chunk), index: 0, depth: 0, part: 0, bones }
    }

    /// The chunk itself.
    pub fn chunk(&self) -> &Chunk<'a> {
        &self.chunk
    }

    /// The chunk around it; `None` beside LOD1.
    pub fn parent(&self) -> Option<Tag> {
        self.parent
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How many of its kind the walk met before it.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many chunks lie around it, 0 to 2.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The LOD1 it belongs to, counted from 0. For a chunk beside LOD1, how many LOD1 came before.
    pub fn part(&self) -> usize {
        self.part
    }

    /// How many bones the LOD1's last SKL1 before this chunk claims (`BonesCnt`); `None` where there was none.
    pub fn bones_hint(&self) -> Option<u32> {
        self.bones
    }

    /// What the header counts, by its own word.
    pub fn count_hint(&self) -> i32 {
        self.chunk.header().count.get()
    }

    /// The same, 0 where it is negative.
    pub(crate) fn count(&self) -> u64 {
        self.count_hint().try_into().unwrap_or(0)
    }

    /// A cursor at the start of the body.
    ///
    /// # Errors
    /// Where the size is negative or larger than what the surrounding chunk has left.
    pub fn body(&self) -> Result<Cursor<'a>> {
        match self.chunk.header().size.get() {
            size if size < 0 => {
                Err(Error::malformed(format!("size {size} is negative")).at(self.chunk.offset().saturating_add(4)))
            }
            _ => self.chunk.whole(),
        }
    }
}

/// A walk over chunks in file order, each list before the chunks inside it: at most three levels deep, without
/// allocation. What cannot be read ends its level, with an error, and the walk goes on outside.
#[derive(Clone, Debug)]
pub struct Nodes<'a> {
    /// The chunks left at each depth, and the tag of what they lie in.
    levels: [Option<(Option<Tag>, Chunks<'a>)>; 3],
    parts: usize,
    bones: Option<u32>,
    seen: [usize; Kind::COUNT],
}

impl<'a> Nodes<'a> {
    /// Over a whole file, from behind the signature.
    pub(crate) fn file(cursor: Cursor<'a>) -> Self {
        let levels = [Some((None, Chunks::new(cursor))), None, None];
        Self { levels, parts: 0, bones: None, seen: [0; Kind::COUNT] }
    }

    /// Over what one LOD1 holds.
    pub(crate) fn part(chunk: &Chunk<'a>, index: usize) -> Self {
        let levels = [None, Some((Some(chunk.tag()), Chunks::new(chunk.body()))), None];
        Self { levels, parts: index.saturating_add(1), bones: None, seen: [0; Kind::COUNT] }
    }

    fn enter(&mut self, parent: Option<Tag>, chunk: Chunk<'a>, depth: usize) -> Node<'a> {
        let kind = Kind::of(parent, &chunk);
        match kind {
            Kind::Part => {
                self.parts = self.parts.saturating_add(1);
                self.bones = None;
            }
            Kind::Skeleton => self.bones = Some(u32::try_from(chunk.header().count.get()).unwrap_or(0)),
            _ => {}
        }
        if matches!(kind, Kind::Part | Kind::List)
            && let Some(level) = self.levels.get_mut(depth.saturating_add(1))
        {
            *level = Some((Some(chunk.tag()), Chunks::new(chunk.body())));
        }
        let mut index = 0;
        if let Some(seen) = self.seen.get_mut(kind as usize) {
            index = *seen;
            *seen = seen.saturating_add(1);
        }
        let part = if depth == 0 && kind != Kind::Part { self.parts } else { self.parts.saturating_sub(1) };
        Node { chunk, parent, kind, index, depth, part, bones: self.bones }
    }
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Result<Node<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let depth = self.levels.iter().rposition(Option::is_some)?;
            let level = self.levels.get_mut(depth)?;
            let (parent, chunks) = level.as_mut()?;
            let parent = *parent;
            match chunks.next() {
                Some(Ok(chunk)) => return Some(Ok(self.enter(parent, chunk, depth))),
                Some(Err(error)) if depth == 0 => return Some(Err(error.within("chunks"))),
                Some(Err(error)) => {
                    return Some(Err(error.within("chunks").within_item("models", self.parts.saturating_sub(1))));
                }
                None => *level = None,
            }
        }
    }
}

/// A chunk's data with a meaning.
pub trait View<'a>: Sealed + Sized {
    /// The kind of chunk it is read from.
    const KIND: Kind;

    /// Finds the chunk's fields and arrays, which must end exactly at its size.
    ///
    /// # Errors
    /// Where they do not fit, or the layout is not one that is known.
    fn read(node: &Node<'a>) -> Result<Self>;
}

/// All chunks of one kind in file order, read one by one; one that cannot be read does not hide the others.
#[derive(Debug)]
pub struct Views<'a, T> {
    nodes: Nodes<'a>,
    view: PhantomData<T>,
}

impl<'a, T: View<'a>> Views<'a, T> {
    pub(crate) fn new(nodes: Nodes<'a>) -> Self {
        Self { nodes, view: PhantomData }
    }
}

impl<'a, T: View<'a>> Iterator for Views<'a, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.nodes.find(|node| node.as_ref().map_or(true, |node| node.kind == T::KIND))?;
        Some(found.and_then(|node| T::read(&node).within_item(T::KIND.name(), node.index)))
    }
}

/// One model of a file (LOD1).
#[derive(Clone, Copy, Debug)]
pub struct LodModel<'a> {
    pub(super) chunk: Chunk<'a>,
    pub(super) index: usize,
}

impl<'a> LodModel<'a> {
    /// The chunk itself.
    pub fn chunk(&self) -> &Chunk<'a> {
        &self.chunk
    }

    /// Its place in the file, counted from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// A walk over all chunks inside it, unknown ones too.
    pub fn nodes(&self) -> Nodes<'a> {
        Nodes::part(&self.chunk, self.index)
    }

    /// All chunks of one kind.
    pub fn views<T: View<'a>>(&self) -> Views<'a, T> {
        Views::new(self.nodes())
    }
}

/// Reads data by its description, which must take all of it.
pub(super) fn exactly<'a, T: Read<'a, C>, C>(mut data: Cursor<'a>, context: C) -> Result<T> {
    let view = T::read(&mut data, context)?;
    end(&data).map(|()| view)
}

/// Reads a chunk's data by its description.
pub(super) fn whole<'a, T: Read<'a, Node<'a>>>(node: &Node<'a>) -> Result<T> {
    exactly(node.body()?, *node)
}

/// The same of a chunk whose header's count must not be negative.
pub(super) fn counted<'a, T: Read<'a, Node<'a>>>(node: &Node<'a>) -> Result<T> {
    let data = node.body()?;
    header_count(node)?;
    exactly(data, *node)
}

/// What the chunk's header counts, which must not be negative.
pub(crate) fn header_count(node: &Node<'_>) -> Result<u64> {
    not_negative(node.count_hint()).map_err(|error| error.at(node.chunk.offset().saturating_add(8))).within("count")
}
