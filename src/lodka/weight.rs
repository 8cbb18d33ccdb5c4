//! Bone weights: lists of varying length behind one another.

use super::fields::{count, known_number};
use super::wire::{NarrowWeight, WideWeight};
use crate::error::{Context, Result};
use crate::view::{Cursor, LeArray, Table};

/// One bone's pull on a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// The bone, by position in the list.
    pub bone: u16,
    /// The share, 0 to 1.
    pub weight: f32,
    /// Whether the record closes its vertex's list.
    pub is_last: bool,
}

/// Weight records as stored: 5 bytes each, or 6 in files of more than 127 bones.
#[derive(Clone, Copy, Debug)]
pub enum WeightRecords<'a> {
    /// Bone numbers of 7 bits.
    Narrow(LeArray<'a, NarrowWeight>),
    /// Bone numbers of 15 bits.
    Wide(LeArray<'a, WideWeight>),
}

impl<'a> WeightRecords<'a> {
    /// The record at `index`.
    pub fn get(&self, index: usize) -> Option<Weight> {
        match self {
            Self::Narrow(array) => array.get(index).map(|record| Weight {
                bone: (record.bone & 0x7f).into(),
                weight: record.weight.get(),
                is_last: record.bone & 0x80 != 0,
            }),
            Self::Wide(array) => array.get(index).map(|record| Weight {
                bone: record.bone.get() & 0x7fff,
                weight: record.weight.get(),
                is_last: record.bone.get() & 0x8000 != 0,
            }),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(array) => array.len(),
            Self::Wide(array) => array.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As an array of whatever format.
    pub fn table(&self) -> &dyn Table {
        match self {
            Self::Narrow(array) => array,
            Self::Wide(array) => array,
        }
    }
}

/// The bone weights of a mesh.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Weights<'a> {
    /// The most records that one vertex has (`BonesPerVertix`), at least 1.
    pub bones_per_vertex: u32,
    /// All records, vertex by vertex.
    pub records: WeightRecords<'a>,
}

impl<'a> Weights<'a> {
    /// The weights of each vertex in order; as many lists as the records form. Finding one list needs the walk over
    /// those before it.
    ///
    /// A list ends with a record that says so, or at the [most](Self::bones_per_vertex) that a vertex has.
    pub fn vertices(&self) -> VertexWeights<'a> {
        VertexWeights { weights: *self, next: 0 }
    }

    /// The kind, and the weights where it says that there are some.
    pub(crate) fn read(cursor: &mut Cursor<'a>, bone_count: u32) -> Result<Option<Self>> {
        if known_number(cursor, &[0, 1]).within("kind")? == 0 {
            return Ok(None);
        }
        let start = *cursor;
        let bones_per_vertex = match u32::try_from(cursor.i32().within("bones_per_vertex")?) {
            Ok(most @ 1..) => most,
            _ => return Err(start.error("fewer than 1 bone a vertex")).within("bones_per_vertex"),
        };
        let count = count(cursor)?;
        let records = match bone_count {
            0..=127 => WeightRecords::Narrow(cursor.array(count)?),
            _ => WeightRecords::Wide(cursor.array(count)?),
        };
        Ok(Some(Self { bones_per_vertex, records }))
    }
}

/// The weights of each vertex in order.
#[derive(Clone, Debug)]
pub struct VertexWeights<'a> {
    weights: Weights<'a>,
    next: usize,
}

impl<'a> Iterator for VertexWeights<'a> {
    type Item = WeightList<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let Weights { bones_per_vertex, records } = self.weights;
        let start = self.next;
        let mut is_closed = false;
        while !is_closed && let Some(record) = records.get(self.next) {
            self.next = self.next.saturating_add(1);
            is_closed = record.is_last || self.next.saturating_sub(start) >= bones_per_vertex as usize;
        }
        (self.next > start).then_some(WeightList { records, start, end: self.next, is_closed })
    }
}

/// The weights of one vertex.
#[derive(Clone, Copy, Debug)]
pub struct WeightList<'a> {
    records: WeightRecords<'a>,
    start: usize,
    end: usize,
    is_closed: bool,
}

impl<'a> WeightList<'a> {
    /// The weights in order.
    pub fn iter(&self) -> impl Iterator<Item = Weight> + use<'a> {
        let records = self.records;
        (self.start..self.end).filter_map(move |index| records.get(index))
    }

    /// How many, at least 1.
    pub fn count(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether a record or the cap ended it; not so for a last list that the records break off in.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }
}
