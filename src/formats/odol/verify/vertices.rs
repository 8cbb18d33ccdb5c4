//! Checks a vertex table.

use std::ops::Deref;

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, IntoBytes};

use super::Survey;
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::place::{Locate, Root};
use crate::blocks::{Block, Decoded, Filled};
use crate::bytes::{Cursor, Element, Table, Vec3};
use crate::check::{self, Below, Broken, Check, Finite, Index, Length, Numbers, Rows, Unit, are_finite};
use crate::formats::odol::wire::{PackedVector, UvBounds};
use crate::formats::odol::{BoneRef, Encoding, Lod, Neighbors, UvSet, VertexTable};
use crate::summary::Problems;

impl<'a> Survey<'_, 'a> {
    /// Checks the vertex table of the LOD at `index`. `rest` is the bytes between its end and that of the LOD.
    pub(super) fn vertices(&mut self, lod: &Lod<'a>, table: &VertexTable<'a>, rest: Cursor<'a>, index: usize) {
        let place = Root.item("lods", index);
        if let Some(size) = table.vertex_table_bytes
            && !lod.is_table_size(size)
        {
            let message = format!("says to take {size} bytes, the LOD ends after {}", lod.vertex_table_byte_len());
            let error = Error::malformed(message).at(lod.vertex_table_offset());
            self.problems.error(&place.field("vertex_table_bytes").locate(error));
        }
        if !rest.is_empty() {
            let error = rest.error(format!("{} bytes between the last array and the end of the LOD", rest.left()));
            self.problems.error(&place.locate(error));
        }
        self.positions(lod, table, index);
        if let Some(flags) = lod.point_flags {
            self.check_count(index, table, &flags, "point_flags");
        }
        if let Some(flags) = table.point_flags {
            self.check_count(index, table, &flags, "point_flags");
            self.elements(&flags, place.field("point_flags"));
        }
        for (set, uvs) in table.uvs.iter().enumerate() {
            self.uvs(index, table, &uvs, set);
        }
        self.check_count(index, table, table.normals.as_table(), "normals");
        match &table.normals {
            Encoding::Packed(array) => self.directions::<_, PackedVector>(index, array, "normals"),
            Encoding::Float(array) => self.directions::<_, Vec3>(index, array, "normals"),
        }
        match table.tangents {
            Encoding::Packed(block) => self.directions::<_, PackedVector>(index, &block.into(), "tangents"),
            Encoding::Float(block) => self.directions::<_, Vec3>(index, &block.into(), "tangents"),
        }
        // These may be missing, with a count of 0.
        let optional: [(&dyn Table, &'static str); 3] =
            [(table.tangents.as_table(), "tangents"), (&table.bone_refs, "bone_refs"), (&table.neighbors, "neighbors")];
        for (array, name) in optional {
            if array.rows() > 0 {
                self.check_count(index, table, array, name);
            }
        }
        self.bone_refs(lod, &table.bone_refs, index);
        self.neighbors(lod, &table.neighbors, index);
        if let Some(number @ 1..) = table.unknown
            && self.deep
        {
            let end = table.neighbors.offset().saturating_add(table.neighbors.stored_byte_len());
            let rule = Broken::new(Code::OddRange, "not 0");
            check::one(rule, number, end, self.problems, place.field("unknown"));
        }
    }

    /// Checks that there are as many positions as the LOD claims points, and that they are finite.
    fn positions(&mut self, lod: &Lod<'a>, table: &VertexTable<'a>, index: usize) {
        let place = Root.item("lods", index).field("positions");
        if table.point_count() != u64::from(lod.point_count) {
            let message = format!("{} positions for {} points", table.point_count(), lod.point_count);
            self.problems.error(&place.locate(Error::malformed(message).at(table.positions.offset())));
        }
        let Some(positions) = self.block(&table.positions, place) else { return };
        // A fast check of all bytes first; the numbers are looked at one by one only to report them.
        if !are_finite(positions.as_bytes()) {
            let numbers = positions.iter().map(|one| Numbers(one.to_array()));
            Check::new(Finite).array(&table.positions, numbers).report("positions", self.problems, place);
        }
    }

    /// Checks a set of texture coordinates: its count, that floats are finite, and that the bounds of packed ones are.
    fn uvs(&mut self, index: usize, table: &VertexTable<'a>, uvs: &UvSet<'a>, set: usize) {
        let place = Root.item("lods", index).item("uvs", set);
        let stored = uvs.stored.as_table();
        self.problems.ok_in(place, table.check_count(stored));
        let mut is_block = false;
        match &uvs.stored {
            Encoding::Packed(array) => {
                self.elements(array, place);
                is_block = array.block().is_some_and(|all| all.count() > 0);
            }
            Encoding::Float(array) => {
                if let Some((rows, all)) = self.elements(array, place) {
                    let check = Check::new(Finite).array(rows, all.iter().map(|uv| Numbers(uv.to_array())));
                    check.report("coordinates", self.problems, place);
                }
            }
        }
        if let Some(bounds) = uvs.bounds {
            let ends = [bounds.min, bounds.max].map(|ends| Numbers(ends.map(F32::get)));
            // A count (4 bytes), the mark of a fill (1), and possibly the flag of a block (1) are between the bounds
            // and the coordinates. An empty block has no flag.
            let flag = u64::from(is_block && self.model.version().has_block_flags());
            let start = (Amount(stored.storage().offset) - size_of::<UvBounds>() as u64 - 5 - flag).0;
            Check::new(Finite).array(Rows::new(start, 8), ends.into_iter()).report("bounds", self.problems, place);
        }
    }

    /// Adds an array to the facts. In a deep survey, returns its elements with their locations: each one, or the single
    /// value for all.
    fn elements<T: Element>(&mut self, array: &Filled<'a, T>, place: impl Locate) -> Option<(Rows, Elements<'a, T>)> {
        if let Some(block) = array.block() {
            let all = self.block(&block, place)?;
            return Some((Rows::from(&block), Elements::Each(all)));
        }
        let fill = array.fill()?;
        if self.deep { Some((Rows::from(array.storage().offset), Elements::Fill(fill))) } else { None }
    }

    /// Checks that vectors have length 1. Also checks that float vectors are finite.
    fn directions<T: Element, V: Direction>(&mut self, index: usize, array: &Filled<'a, T>, name: &'static str) {
        let place = Root.item("lods", index).field(name);
        let Some((rows, all)) = self.elements(array, place) else { return };
        // Tangents are pairs of vectors.
        let rows = rows.each(size_of::<V>());
        let vectors = <[V]>::ref_from_bytes(all.as_bytes()).unwrap_or_default().iter().map(V::to_floats);
        if V::MAY_BE_INFINITE {
            Check::new(Finite).array(rows, vectors.clone().map(Numbers)).report(name, self.problems, place);
        }
        Check::new(Unit::Direction).array(rows, vectors.map(Length::of)).report("vectors", self.problems, place);
    }

    /// Checks the bones that move each point.
    fn bone_refs(&mut self, lod: &Lod<'a>, block: &Block<'a, BoneRef>, index: usize) {
        let place = Root.item("lods", index).field("bone_refs");
        let Some(refs) = self.block(block, place) else { return };
        if lod.faces.has_units() {
            self.section_bones(lod, block, &refs, index);
        }
        // A fast check of all first; the bones are looked at one by one only to report them.
        if refs.iter().fold(true, |all, bones| all & is_sound(bones, lod.bones.len() as u64)) {
            return;
        }
        let mut checks = BoneRefs::new(lod);
        let rows = Rows::from(block);
        for (point, bones) in refs.iter().enumerate() {
            checks.look(bones, ("points", point), rows.offset_of(point as u64));
        }
        checks.report(self.problems, place);
    }

    /// Checks that the bones that move a vertex are among those of each section that draws it.
    fn section_bones(&mut self, lod: &Lod<'a>, block: &Block<'a, BoneRef>, refs: &[BoneRef], index: usize) {
        let mut check = Check::new(Broken::new(Code::OddRange, "none of the bones of a section that draws it"));
        let rows = Rows::from(block);
        let mut faces = lod.faces.iter();
        // The end of the faces that were read, in bytes of the game's memory.
        let mut at = Amount(0_u32);
        'sections: for section in &lod.sections {
            let (Some(first), Some(count)) = (section.min_bone, section.bone_count) else { return };
            let bones = u64::from(first)..u64::from(first).saturating_add(count.into());
            while at.0 < section.end {
                // A broken face is reported with the faces.
                let Some(Ok(face)) = faces.next() else { break 'sections };
                at += face.memory_byte_len();
                for corner in face.corners.iter() {
                    let Some(found) = refs.get(corner as usize) else { continue };
                    let outside = found.weights().iter().find(|pair| {
                        // Indices that are out of range for the LOD are reported with the counts.
                        let bone = u64::from(pair.bone);
                        bone < lod.bones.len() as u64 && !bones.contains(&bone)
                    });
                    match outside {
                        Some(pair) => check.next(rows.offset_of(corner.into()), pair.bone),
                        None => check.skip(),
                    }
                }
            }
        }
        check.report("bones", self.problems, Root.item("lods", index).field("bone_refs"));
    }

    /// Checks the neighbors of each point, and the bones that move them.
    fn neighbors(&mut self, lod: &Lod<'a>, block: &Block<'a, Neighbors>, index: usize) {
        let place = Root.item("lods", index).field("neighbors");
        let Some(all) = self.block(block, place) else { return };
        let mut points = Check::new(Below(lod.point_count.into()));
        let mut checks = BoneRefs::new(lod);
        let rows = Rows::from(block);
        for (point, Neighbors { pair }) in all.iter().enumerate() {
            let numbers = pair.iter().map(|neighbor| neighbor.vertex.get().into());
            points.list(("points", point), rows.offset_of(point as u64), numbers);
            for neighbor in pair {
                checks.look(&neighbor.bones, ("points", point), rows.offset_of(point as u64));
            }
        }
        points.report("point numbers", self.problems, place);
        checks.report(self.problems, place);
    }

    /// Checks that an array has an element for each point.
    fn check_count(&mut self, index: usize, table: &VertexTable<'_>, array: &dyn Table, name: &'static str) {
        self.problems.ok_in(Root.item("lods", index).field(name), table.check_count(array));
    }
}

/// The elements of an array: each one, or the single value for all.
enum Elements<'a, T: Clone> {
    Each(Decoded<'a, T>),
    Fill(&'a T),
}

impl<T: Clone> Deref for Elements<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Each(all) => all,
            Self::Fill(one) => std::slice::from_ref(one),
        }
    }
}

/// A vector of length 1.
trait Direction: Element {
    /// True if the stored form can hold numbers that are not finite.
    const MAY_BE_INFINITE: bool;

    /// Returns the vector; the sign does not matter for its length.
    fn to_floats(&self) -> [f32; 3];
}

impl Direction for PackedVector {
    const MAY_BE_INFINITE: bool = false;

    #[inline]
    fn to_floats(&self) -> [f32; 3] {
        self.to_outward()
    }
}

impl Direction for Vec3 {
    const MAY_BE_INFINITE: bool = true;

    #[inline]
    fn to_floats(&self) -> [f32; 3] {
        self.to_array()
    }
}

/// Returns true if a point has 0 to 4 bones, all with an index less than `below`, whose weights sum to 255 if there are
/// any. Written without a branch for each bone.
#[inline]
fn is_sound(bones: &BoneRef, below: u64) -> bool {
    let count = bones.count.get();
    let mut sound = (0..=4).contains(&count);
    let mut sum = 0_u32;
    for (place, pair) in (0..).zip(&bones.pairs) {
        let counts = place < count;
        sound &= !counts | (u64::from(pair.bone) < below);
        sum = sum.wrapping_add(if counts { pair.weight.into() } else { 0 });
    }
    sound & ((count == 0) | (sum == 255))
}

/// The checks for all bone references: they report what [`is_sound`] finds.
struct BoneRefs {
    counts: Check<Index>,
    bones: Check<Below>,
    sums: Check<Broken<u32>>,
}

impl BoneRefs {
    /// Creates the checks for the bones of this LOD.
    fn new(lod: &Lod<'_>) -> Self {
        // A count of 0 to 4 is checked as an index below 5.
        let sums = Check::new(Broken::new(Code::Weights, "not 255"));
        Self { counts: Check::new(Index(5)), bones: Check::new(Below(lod.bones.len() as u64)), sums }
    }

    /// Checks one bone reference at this offset. `point` is the list that a problem names, and the index in it.
    #[inline]
    fn look(&mut self, bones: &BoneRef, point: (&'static str, usize), offset: u64) {
        self.counts.next(offset, bones.count.get().into());
        self.bones.list(point, offset, bones.weights().iter().map(|pair| pair.bone.into()));
        let sum: u32 = bones.weights().iter().map(|pair| u32::from(pair.weight)).sum();
        self.sums.look(offset, sum, sum == 255 || bones.weights().is_empty());
    }

    /// Reports at most one problem for each check.
    fn report(self, problems: &mut Problems, place: impl Locate + Copy) {
        self.counts.report("counts of bones", problems, place);
        self.bones.report("bones", problems, place);
        self.sums.report("sums of weights", problems, place);
    }
}
