//! The nesting of chunks, and the walk over all chunks.

use std::mem::offset_of;
use std::ops::Range;

use super::fields::not_negative;
use super::kind::Kind;
use super::wire::ChunkHeader;
use crate::base::amount::Amount;
use crate::base::error::{Context, Error, Result};
use crate::base::place::Locate;
use crate::bytes::chunk::Header as _;
use crate::bytes::chunk::Tag;
use crate::bytes::parser::in_place;
use crate::bytes::{Cursor, chunk};
use crate::ranges::Data;
use crate::record::Read;
use crate::record::parser::all_consuming;

/// One chunk in place.
pub(crate) type Chunk<'a> = chunk::Chunk<'a, ChunkHeader>;
/// An iterator over the chunks of one part in file order. It ends after the first error.
pub(crate) type Chunks<'a> = chunk::Chunks<'a, ChunkHeader>;

impl Kind {
    /// The tags of the chunks in a LOD1 that contain only chunks.
    const LISTS: [&'static [u8; 4]; 8] = [b"ANS1", b"MAL1", b"TXTL", b"SHDL", b"MSL1", b"LGS1", b"PXL1", b"CLL1"];

    /// Returns the kind of a chunk in a parent with this tag, or next to LOD1 if there is no parent.
    fn of(parent: Option<Tag>, chunk: &Chunk<'_>) -> Self {
        let Tag(tag) = &chunk.tag();
        let Some(Tag(parent)) = &parent else {
            return if tag == b"LOD1" { Self::Part } else { Self::Unknown };
        };
        for (known_parent, known_tag, kind) in Self::TAGS {
            if *known_parent == parent && *known_tag == tag {
                return if kind.is_layout_known(chunk) { *kind } else { Self::Unknown };
            }
        }
        if parent == b"LOD1" && Self::LISTS.contains(&tag) { Self::List } else { Self::Unknown }
    }

    /// Returns true unless this chunk of this kind declares in its header a layout that is not known.
    fn is_layout_known(self, chunk: &Chunk<'_>) -> bool {
        // Of PHS1 alone, the count is the version of the layout, and only version 2 is known.
        self != Self::Physics || chunk.header().count.get() == 2
    }

    /// Returns true if the format has chunks with this tag, in any place.
    pub(crate) fn is_known(Tag(tag): Tag) -> bool {
        tag == *b"LOD1" || Self::LISTS.contains(&&tag) || Self::TAGS.iter().any(|(_, known, _)| **known == tag)
    }
}

/// A chunk found on the [walk](Nodes), with its context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'a> {
    /// The chunk itself.
    pub chunk: Chunk<'a>,
    /// The tag of the parent chunk, or `None` next to LOD1.
    pub parent: Option<Tag>,
    /// The kind of the chunk.
    pub kind: Kind,
    /// The number of chunks of this kind found before it.
    pub index: usize,
    /// The number of enclosing chunks, 0 to 2.
    pub depth: usize,
    /// The index of the LOD1 that contains it. For a chunk next to LOD1, the number of LOD1 before it.
    pub part: usize,
    /// The claimed bone count (`BonesCnt`) of the LOD1's last SKL1 before this chunk, or `None` if there was none.
    pub bones_hint: Option<u32>,
    /// True to read what the description leaves open as it says, not as the author's own loader does.
    pub(crate) as_described: bool,
}

impl<'a> Node<'a> {
    /// Returns the count in the header.
    pub(crate) fn count_hint(&self) -> i32 {
        self.chunk.header().count.get()
    }

    /// Returns the count in the header, or 0 if it is negative.
    pub(crate) fn count(&self) -> u64 {
        self.count_hint().try_into().unwrap_or(0)
    }

    /// Returns the offset of the count in the header.
    pub(super) fn count_offset(&self) -> u64 {
        self.chunk.offset().saturating_add(offset_of!(ChunkHeader, count) as u64)
    }

    /// Returns a cursor at the start of the body.
    ///
    /// # Errors
    /// Returns an error if the size is negative or exceeds what the parent chunk has left.
    pub(crate) fn body(&self) -> Result<Cursor<'a>> {
        let size = self.chunk.header().size.get();
        if size < 0 {
            let offset = self.chunk.offset().saturating_add(offset_of!(ChunkHeader, size) as u64);
            return Err(Error::malformed(format!("size {size} is negative")).at(offset));
        }
        self.chunk.whole()
    }
}

/// An error inside a chunk has the chunk's place.
impl Locate for Node<'_> {
    fn locate(&self, error: Error) -> Error {
        error.within_item(self.kind.name(), self.index)
    }
}

/// A walk over chunks in file order, each list before its children. It is at most three levels deep and allocates
/// nothing. A chunk that cannot be read ends its level with an error, and the walk continues one level up.
#[derive(Clone, Debug)]
pub(crate) struct Nodes<'a> {
    /// The chunks left at each depth, and the tag of their parent.
    levels: [Option<(Option<Tag>, Level<'a>)>; 3],
    /// The number of LOD1 found, including the one that the walk is in.
    parts: usize,
    /// The bone count of the last SKL1 found in this LOD1.
    bones: Option<u32>,
    /// The number of chunks found of each kind.
    seen: [Amount<usize>; Kind::COUNT],
}

impl<'a> Nodes<'a> {
    /// Creates a walk over a whole file; the cursor is after the signature.
    pub(crate) fn file(cursor: Cursor<'a>) -> Self {
        Self::of(Level::Loaded(Chunks::new(cursor)))
    }

    /// Creates a walk over a file from this offset, which reads the headers of chunks alone. Their bodies are empty.
    pub(crate) fn headers_only(data: Data<'a>, start: u64) -> Self {
        Self::of(Level::HeadersOnly(data, start..data.size()))
    }

    /// Creates a walk over these chunks of the outermost level, and over the chunks in them.
    fn of(level: Level<'a>) -> Self {
        Self { levels: [Some((None, level)), None, None], parts: 0, bones: None, seen: [Amount(0); Kind::COUNT] }
    }

    /// Creates a walk over the contents of one LOD1, which has this index in the file.
    pub(crate) fn part(chunk: &Chunk<'a>, index: usize) -> Self {
        let levels = [None, Some((Some(chunk.tag()), Level::Loaded(Chunks::new(chunk.body())))), None];
        // This LOD1 and those before it count as found.
        Self { levels, parts: index.saturating_add(1), bones: None, seen: [Amount(0); Kind::COUNT] }
    }

    /// Returns the node of a chunk found at this depth, and counts it. If it contains chunks, the walk goes on `inside`
    /// it.
    fn enter(&mut self, parent: Option<Tag>, chunk: Chunk<'a>, inside: Level<'a>, depth: usize) -> Node<'a> {
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
            *level = Some((Some(chunk.tag()), inside));
        }
        let mut index = 0;
        if let Some(seen) = self.seen.get_mut(kind as usize) {
            index = seen.0;
            *seen += 1;
        }
        // Inside a LOD1, the last one found is the one that contains the chunk.
        let part = if depth == 0 && kind != Kind::Part { self.parts } else { self.parts.saturating_sub(1) };
        Node { chunk, parent, kind, index, depth, part, bones_hint: self.bones, as_described: false }
    }
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Result<Node<'a>>;

    /// Returns the next chunk of the deepest level that has chunks left.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // The walk ends when no level is left.
            let depth = self.levels.iter().rposition(Option::is_some)?;
            let level = self.levels.get_mut(depth)?;
            let (parent, chunks) = level.as_mut()?;
            let parent = *parent;
            match chunks.next() {
                Some(Ok((chunk, inside))) => return Some(Ok(self.enter(parent, chunk, inside, depth))),
                Some(Err(error)) if depth == 0 => return Some(Err(error.within("chunks"))),
                Some(Err(error)) => {
                    // The walk is in the LOD1 found last.
                    return Some(Err(error.within("chunks").within_item("models", self.parts.saturating_sub(1))));
                }
                None => *level = None,
            }
        }
    }
}

/// The chunks left in a file or in the body of a chunk.
#[derive(Clone, Debug)]
enum Level<'a> {
    /// Chunks whose bytes are available.
    Loaded(Chunks<'a>),
    /// The chunks in this range. Their bodies need not be available.
    HeadersOnly(Data<'a>, Range<u64>),
}

impl<'a> Level<'a> {
    /// Returns the next chunk, and the level of the chunks in its body. After an error, no chunk is left.
    fn next(&mut self) -> Option<Result<(Chunk<'a>, Self)>> {
        match self {
            Self::Loaded(chunks) => Some(chunks.next()?.map(|chunk| (chunk, Self::Loaded(Chunks::new(chunk.body()))))),
            Self::HeadersOnly(_, left) if left.is_empty() => None,
            Self::HeadersOnly(data, left) => {
                let all = left.clone();
                // Empty, in case the header cannot be read.
                *left = all.end..all.end;
                let (chunk, body) = match next_header(*data, all) {
                    Ok(next) => next,
                    Err(error) => return Some(Err(error)),
                };
                left.start = body.end;
                Some(Ok((chunk, Self::HeadersOnly(*data, body))))
            }
        }
    }
}

/// Reads the header of the chunk at the start of a range. Returns the chunk without its body, and the range of the
/// body, which ends with the given range even if the header claims more.
fn next_header<'a>(data: Data<'a>, range: Range<u64>) -> Result<(Chunk<'a>, Range<u64>)> {
    let body = range.start.saturating_add(size_of::<ChunkHeader>() as u64);
    let bytes = data.ahead(range.start..body.min(range.end))?;
    let header: &ChunkHeader = Cursor::with_offset(bytes, range.start).parse(in_place())?;
    let end = body.saturating_add(header.byte_len_hint().into()).min(range.end);
    Ok((Chunk::of(header, Cursor::with_offset(&[], body)), body..end))
}

/// The parsed data of a chunk.
pub(crate) trait View<'a>: Sized {
    /// The kind of chunk.
    const KIND: Kind;

    /// Finds the chunk's fields and arrays, which must end exactly at its size.
    ///
    /// # Errors
    /// Returns an error if they do not, or if the layout is not known.
    fn read(node: &Node<'a>) -> Result<Self>;
}

/// Reads all chunks of one kind in file order. One that cannot be read does not hide the others.
pub(super) fn views<'a, T: View<'a>>(nodes: Nodes<'a>) -> impl Iterator<Item = Result<T>> + use<'a, T> {
    nodes.filter_map(|node| match node {
        Ok(node) if node.kind == T::KIND => Some(T::read(&node).map_err(|error| node.locate(error))),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    })
}

/// One model of a file (LOD1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub(crate) struct LodModel<'a> {
    /// The chunk itself.
    pub chunk: Chunk<'a>,
    /// Its index in the file, counted from 0.
    pub index: usize,
}

impl<'a> LodModel<'a> {
    /// Returns a walk over all chunks inside it, including unknown ones.
    pub(crate) fn nodes(&self) -> Nodes<'a> {
        Nodes::part(&self.chunk, self.index)
    }

    /// Reads all chunks of one kind inside it. One that cannot be read does not hide the others.
    pub(crate) fn views<T: View<'a>>(&self) -> impl Iterator<Item = Result<T>> + use<'a, T> {
        views(self.nodes())
    }

    /// Reads the first chunk of one kind inside it.
    ///
    /// # Errors
    /// Returns an error if it, or a chunk before it, cannot be read.
    pub(crate) fn first<T: View<'a>>(&self) -> Result<Option<T>> {
        self.views().next().transpose()
    }
}

/// Reads a chunk's data as a record, which must take all of it.
pub(super) fn whole<'a, T: Read<'a, Node<'a>>>(node: &Node<'a>) -> Result<T> {
    node.body()?.parse(all_consuming(T::parser(*node)))
}

/// Reads a chunk's data as a record, if its header's count is not negative.
pub(super) fn counted<'a, T: Read<'a, Node<'a>>>(node: &Node<'a>) -> Result<T> {
    check_count(node)?;
    whole(node)
}

/// Reads a chunk's data as the description says where that differs from the author's own loader.
pub(super) fn as_described<'a, T: Read<'a, Node<'a>>>(node: &Node<'a>) -> Result<T> {
    whole(&Node { as_described: true, ..*node })
}

/// Reads a chunk's data as the author's own loader does, or else as the description says. If both fail, returns the
/// error of the first.
pub(super) fn first_or_as_described<'a, T: Read<'a, Node<'a>>>(node: &Node<'a>) -> Result<T> {
    let first = whole(node);
    if first.is_ok() {
        return first;
    }
    as_described(node).or(first)
}

/// Reads a chunk's data as [`first_or_as_described`] does, if its header's count is not negative.
pub(super) fn counted_either<'a, T: Read<'a, Node<'a>>>(node: &Node<'a>) -> Result<T> {
    check_count(node)?;
    first_or_as_described(node)
}

/// Checks that the chunk is complete and the count in its header is not negative.
pub(super) fn check_count(node: &Node<'_>) -> Result<()> {
    node.body()?;
    not_negative(node.count_hint()).map_err(|error| error.at(node.count_offset())).within("count")?;
    Ok(())
}
