//! Checks a vertex table.

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, IntoBytes};

use super::Survey;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error};
use crate::blocks::{Block, Filled};
use crate::bytes::{Cursor, Element, Table, Vec3};
use crate::check::{self, Below, Broken, Check, Finite, Index, Length, Numbers, Rows, Unit, are_finite};
use crate::formats::odol::wire::{PackedVector, UvBounds};
use crate::formats::odol::{BoneRef, Encoding, Lod, Neighbors, UvSet, VertexTable};

impl<'a> Survey<'_, 'a> {
    pub(super) fn vertices(&mut self, lod: &Lod<'a>, table: &VertexTable<'a>, rest: Cursor<'a>, index: usize) {
        let (start, bytes) = (lod.vertex_table_offset(), lod.vertex_table_byte_len());
        if let Some(size) = table.vertex_table_bytes.filter(|&size| !lod.is_table_size(size)) {
            let message = format!("says to take {size} bytes, the LOD ends after {bytes}");
            self.problems
                .error(&Error::malformed(message).at(start).within("vertex_table_bytes").within_item("lods", index));
        }
        if !rest.is_empty() {
            let error = rest.error(format!("{} bytes between the last array and the end of the LOD", rest.left()));
            self.problems.error(&error.within_item("lods", index));
        }
        let place = |error: Error| error.within("positions").within_item("lods", index);
        if table.point_count() != u64::from(lod.point_count) {
            let message = format!("{} positions for {} points", table.point_count(), lod.point_count);
            self.problems.error(&place(Error::malformed(message).at(table.positions.offset())));
        }
        let positions = self.block(&table.positions, &place);
        if let Some(positions) = positions.filter(|positions| !are_finite(positions.as_bytes())) {
            let numbers = positions.iter().map(|one| Numbers(one.to_array()));
            Check::new(Finite).array(&table.positions, numbers).report("positions", self.problems, place);
        }
        if let Some(flags) = lod.point_flags {
            self.filled(index, table, &flags, "point_flags");
        }
        if let Some(flags) = table.point_flags {
            self.filled(index, table, &flags, "point_flags");
            self.each(&flags, &|error| error.within("point_flags").within_item("lods", index), |_, _, _| {});
        }
        for (set, uvs) in table.uvs.iter().enumerate() {
            self.uvs(index, table, &uvs, set);
        }
        self.filled(index, table, table.normals.as_table(), "normals");
        let packed = |vector: &PackedVector| vector.to_outward();
        match &table.normals {
            Encoding::Packed(array) => self.directions(index, array, packed, false, "normals"),
            Encoding::Float(array) => self.directions(index, array, Vec3::to_array, true, "normals"),
        }
        match table.tangents {
            Encoding::Packed(block) => self.directions(index, &block.into(), packed, false, "tangents"),
            Encoding::Float(block) => self.directions(index, &block.into(), Vec3::to_array, true, "tangents"),
        }
        let optional: [(&dyn Table, &'static str); 3] =
            [(table.tangents.as_table(), "tangents"), (&table.bone_refs, "bone_refs"), (&table.neighbors, "neighbors")];
        for (array, name) in optional {
            if array.rows() > 0 {
                self.filled(index, table, array, name);
            }
        }
        self.bone_refs(lod, &table.bone_refs, index);
        self.neighbors(lod, &table.neighbors, index);
        if let Some(number @ 1..) = table.unknown.filter(|_| self.deep) {
            let end = table.neighbors.offset().saturating_add(table.neighbors.stored_byte_len());
            let rule = Broken::new(Code::OddRange, "not 0");
            check::one(rule, number, end, self.problems, |error| error.within("unknown").within_item("lods", index));
        }
    }

    fn uvs(&mut self, index: usize, table: &VertexTable<'a>, uvs: &UvSet<'a>, set: usize) {
        let place = |error: Error| error.within_item("uvs", set).within_item("lods", index);
        let stored = uvs.stored.as_table();
        self.problems.ok(table.check_count(stored).map_err(place));
        match &uvs.stored {
            Encoding::Packed(array) => self.each(array, &place, |_, _, _| {}),
            Encoding::Float(array) => self.each(array, &place, |survey, rows, all| {
                let check = Check::new(Finite).array(rows, all.iter().map(|uv| Numbers(uv.to_array())));
                check.report("coordinates", survey.problems, place);
            }),
        }
        if let Some(bounds) = uvs.bounds {
            let ends = [bounds.min, bounds.max].map(|ends| Numbers(ends.map(F32::get)));
            // A count, a fill, and possibly the flag of a block are between the bounds and the coordinates.
            let is_block =
                matches!(&uvs.stored, Encoding::Packed(array) if array.block().is_some_and(|all| all.count() > 0));
            let flag = u64::from(is_block && self.model.version().has_block_flags());
            let before = (size_of::<UvBounds>() as u64).saturating_add(5).saturating_add(flag);
            let start = stored.storage().offset.saturating_sub(before);
            Check::new(Finite).array(Rows::new(start, 8), ends.into_iter()).report("bounds", self.problems, place);
        }
    }

    /// Passes the elements to `look`: each one, or the single value for all.
    fn each<T: Element>(
        &mut self,
        array: &Filled<'a, T>,
        place: &dyn Fn(Error) -> Error,
        look: impl FnOnce(&mut Self, Rows, &[T]),
    ) {
        let Some(block) = array.block() else {
            let fill = array.fill().filter(|_| self.deep);
            return look(self, Rows::from(array.storage().offset), fill.map_or(&[], std::slice::from_ref));
        };
        if let Some(all) = self.block(&block, place) {
            look(self, Rows::from(&block), &all);
        }
    }

    /// Checks that vectors have length 1. Also checks that float vectors are finite.
    fn directions<T: Element, V: Element>(
        &mut self,
        index: usize,
        array: &Filled<'a, T>,
        vector: impl Fn(&V) -> [f32; 3] + Copy,
        are_floats: bool,
        name: &'static str,
    ) {
        let place = |error: Error| error.within(name).within_item("lods", index);
        self.each(array, &place, |survey, rows, all| {
            // Tangents are pairs of vectors.
            let rows = rows.each(size_of::<V>());
            let vectors = <[V]>::ref_from_bytes(all.as_bytes()).unwrap_or_default().iter().map(vector);
            if are_floats {
                Check::new(Finite).array(rows, vectors.clone().map(Numbers)).report(name, survey.problems, place);
            }
            Check::new(Unit::Direction).array(rows, vectors.map(Length::of)).report("vectors", survey.problems, place);
        });
    }

    fn bone_refs(&mut self, lod: &Lod<'a>, block: &Block<'a, BoneRef>, index: usize) {
        let place = |error: Error| error.within("bone_refs").within_item("lods", index);
        let Some(refs) = self.block(block, &place) else { return };
        if lod.faces.has_units() {
            self.section_bones(lod, block, &refs, index);
        }
        if refs.iter().fold(true, |all, bones| all & is_sound(bones, lod.bones.len() as u64)) {
            return;
        }
        let mut checks = BoneRefs::new(lod);
        let rows = Rows::from(block);
        for (point, bones) in refs.iter().enumerate() {
            checks.look(bones, ("points", point), rows.offset_of(point as u64));
        }
        checks.report(self, place);
    }

    /// Checks that the bones that move a vertex are among those of each section that draws it.
    fn section_bones(&mut self, lod: &Lod<'a>, block: &Block<'a, BoneRef>, refs: &[BoneRef], index: usize) {
        let mut check = Check::new(Broken::new(Code::OddRange, "none of the bones of a section that draws it"));
        let rows = Rows::from(block);
        let mut faces = lod.faces.iter();
        let mut at = 0_u32;
        'sections: for section in &lod.sections {
            let (Some(first), Some(count)) = (section.min_bone, section.bone_count) else { return };
            let bones = u64::from(first)..u64::from(first).saturating_add(count.into());
            while at < section.end {
                let Some(Ok(face)) = faces.next() else { break 'sections };
                at = at.saturating_add(face.memory_byte_len());
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
        check.report("bones", self.problems, |error| error.within("bone_refs").within_item("lods", index));
    }

    fn neighbors(&mut self, lod: &Lod<'a>, block: &Block<'a, Neighbors>, index: usize) {
        let place = |error: Error| error.within("neighbors").within_item("lods", index);
        let Some(all) = self.block(block, &place) else { return };
        let mut points = Check::new(Below(lod.point_count.into()));
        let mut checks = BoneRefs::new(lod);
        let rows = Rows::from(block);
        for (point, Neighbors { pair }) in all.iter().enumerate() {
            points.list(
                ("points", point),
                rows.offset_of(point as u64),
                pair.iter().map(|neighbor| neighbor.vertex.get().into()),
            );
            for neighbor in pair {
                checks.look(&neighbor.bones, ("points", point), rows.offset_of(point as u64));
            }
        }
        points.report("point numbers", self.problems, place);
        checks.report(self, place);
    }

    fn filled(&mut self, index: usize, table: &VertexTable<'_>, array: &dyn Table, name: &'static str) {
        self.problems.ok(table.check_count(array).within(name).within_item("lods", index));
    }
}

/// Returns true if a point's bones are valid. Written without a branch for each bone.
#[inline]
fn is_sound(bones: &BoneRef, below: u64) -> bool {
    let count = bones.count.get();
    let (mut sound, mut sum) = ((0..=4).contains(&count), 0_u32);
    for (place, pair) in (0..).zip(&bones.pairs) {
        let counts = place < count;
        sound &= !counts | (u64::from(pair.bone) < below);
        sum = sum.wrapping_add(if counts { pair.weight.into() } else { 0 });
    }
    sound & ((count == 0) | (sum == 255))
}

/// The checks for all bone references.
struct BoneRefs {
    counts: Check<Index>,
    bones: Check<Below>,
    sums: Check<Broken<u32>>,
}

impl BoneRefs {
    fn new(lod: &Lod<'_>) -> Self {
        // A count of 0 to 4 is checked as an index below 5.
        let sums = Check::new(Broken::new(Code::Weights, "not 255"));
        Self { counts: Check::new(Index(5)), bones: Check::new(Below(lod.bones.len() as u64)), sums }
    }

    #[inline]
    fn look(&mut self, bones: &BoneRef, point: (&'static str, usize), offset: u64) {
        self.counts.next(offset, bones.count.get().into());
        self.bones.list(point, offset, bones.weights().iter().map(|pair| pair.bone.into()));
        let sum: u32 = bones.weights().iter().map(|pair| u32::from(pair.weight)).sum();
        self.sums.look(offset, sum, sum == 255 || bones.weights().is_empty());
    }

    fn report(self, survey: &mut Survey<'_, '_>, place: impl Fn(Error) -> Error) {
        self.counts.report("counts of bones", survey.problems, &place);
        self.bones.report("bones", survey.problems, &place);
        self.sums.report("sums of weights", survey.problems, place);
    }
}
