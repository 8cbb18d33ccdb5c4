//! Bone weights: consecutive lists of variable length.

use super::wire::{NarrowWeight, WideWeight};
use crate::base::error::Result;
use crate::base::span::Span;
use crate::bytes::array::columns;
use crate::bytes::batch::{RowSink, write_batched};
use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::parser::reading;
use crate::bytes::shapes::shapes;
use crate::bytes::{Column, Cursor, Packing, Storage, Table};
use crate::outline::{Outline, Type};
use crate::record::Stored;
use crate::record::parser::{Grammar, array};

/// The weight of one bone for a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub(crate) struct Weight {
    /// The bone, as an index into the list.
    pub bone: u16,
    /// The weight.
    pub weight: f32,
    /// True if the record ends its vertex's list.
    pub is_last: bool,
}

shapes! {
    /// Weight records as stored: 5 bytes each, or 6 in files with more than 127 bones.
    pub(crate) enum WeightRecords<'a> of Weight {
        /// 7-bit bone numbers.
        Narrow(NarrowWeight) = |record| Weight {
            bone: (record.bone & 0x7f).into(),
            weight: record.weight.get(),
            is_last: record.bone & 0x80 != 0,
        },
        /// 15-bit bone numbers.
        Wide(WideWeight) = |record| Weight {
            bone: record.bone.get() & 0x7fff,
            weight: record.weight.get(),
            is_last: record.bone.get() & 0x8000 != 0,
        },
    }
}

/// The bone weights of a mesh.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub(crate) struct Weights<'a> {
    /// The maximum number of records of a vertex (`BonesPerVertix`), at least 1.
    pub bones_per_vertex: u32,
    /// All records, vertex by vertex.
    pub records: WeightRecords<'a>,
}

impl<'a> Weights<'a> {
    /// Returns an iterator over the weights of each vertex, as many lists as the records form. Finding one list means
    /// walking those before it.
    ///
    /// A list ends with a record that says so, or at the [maximum](Self::bones_per_vertex) for a vertex.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = WeightList<'a>> + use<'a> {
        WeightLists { weights: *self, next: 0 }
    }
}

/// The weights of the vertices that are left.
struct WeightLists<'a> {
    weights: Weights<'a>,
    /// The first record of the next vertex.
    next: usize,
}

impl<'a> Iterator for WeightLists<'a> {
    type Item = WeightList<'a>;

    /// Takes records up to the one that ends the list, or up to the maximum for a vertex.
    fn next(&mut self) -> Option<WeightList<'a>> {
        let Weights { bones_per_vertex, records } = self.weights;
        let start = self.next;
        // Stays false if the records end first.
        let mut is_closed = false;
        while !is_closed && let Some(record) = records.get(self.next) {
            self.next = self.next.saturating_add(1);
            is_closed = record.is_last || self.next.saturating_sub(start) >= bones_per_vertex as usize;
        }
        if self.next > start { Some(WeightList { records, start, end: self.next, is_closed }) } else { None }
    }
}

impl Stored for Weights<'_> {
    const TYPE: Type = Type::Varying("NarrowWeight[] or WideWeight[]", 0);

    /// Outlines have a row for each weight with its vertex, a dissection has the records as stored.
    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, if out.dissects() { self.records.as_table() } else { self });
    }
}

/// Returns a parser of this many weights in a model of this many bones.
pub(super) fn weights<'a>(count: u64, bones: u32, bones_per_vertex: u32) -> impl Grammar<'a, Output = Weights<'a>> {
    reading(move |cursor: &mut Cursor<'a>| {
        // The 7 bits of a narrow record could number 128 bones, but the format allows it only up to 127.
        let records = match bones <= 127 {
            true => WeightRecords::Narrow(array(count).read(cursor)?),
            false => WeightRecords::Wide(array(count).read(cursor)?),
        };
        Ok(Weights { bones_per_vertex, records })
    })
}

/// A row for each weight: its vertex, its bone and the weight.
impl Table for Weights<'_> {
    /// Returns the number of records, of all vertices together.
    fn rows(&self) -> u64 {
        self.records.len() as u64
    }

    fn columns(&self) -> Vec<Column> {
        columns!["vertex" U32, "bone" U16, "weight" F32].to_vec()
    }

    /// Returns where the records are. The rows are made from them, because no record has its vertex.
    fn storage(&self) -> Storage {
        Storage { packing: Packing::Derived, ..self.records.as_table().storage() }
    }

    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        let lists = (0_u32..).zip(self.vertices());
        let rows = lists.flat_map(|(vertex, list)| list.iter().map(move |weight| row(vertex, weight)));
        write_batched(rows, sink);
        Ok(())
    }
}

/// Returns the bytes of a row of the table: the vertex, the bone and the weight, each little-endian.
#[inline(always)]
fn row(vertex: u32, Weight { bone, weight, .. }: Weight) -> [u8; 10] {
    let [a, b, c, d] = vertex.to_le_bytes();
    let [e, f] = bone.to_le_bytes();
    let [g, h, i, j] = weight.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j]
}

/// The weights of one vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightList<'a> {
    /// The records of all vertices.
    records: WeightRecords<'a>,
    /// The index of its first record.
    start: usize,
    /// The index after its last record.
    end: usize,
    is_closed: bool,
}

impl<'a> WeightList<'a> {
    /// Returns an iterator over the weights.
    pub(crate) fn iter(&self) -> ByIndex<Self> {
        ByIndex::new(*self, self.len())
    }

    /// Returns the number of weights, at least 1.
    pub(crate) fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns true if a record or the maximum ended it, and false for a last list that is cut short.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

impl Indexed for WeightList<'_> {
    type Item = Weight;

    /// Returns the weight at `index`, which must be below the length.
    fn item(&self, index: usize) -> Option<Weight> {
        self.records.get(self.start.checked_add(index)?)
    }
}

impl crate::base::sealed::Sealed for WeightList<'_> {}

impl crate::base::sealed::Sealed for WeightRecords<'_> {}
