//! What can be wrong with a vertex table: spec sections 8 and 12.

use zerocopy::{FromBytes, IntoBytes};

use super::{Sizes, Survey};
use crate::check::{Below, Broken, Check, Finite, Index, Length, Numbers, Rows, Unit};
use crate::error::{Context as _, Error, Result};
use crate::odol::wire::PackedVector;
use crate::odol::{BoneRef, Encoding, Lod, Neighbors, UvSet, VertexTable};
use crate::summary::Code;
use crate::view::{Block, Element, Filled, Table, Vec3};

impl<'a> Survey<'_, 'a> {
    pub(super) fn vertices(&mut self, lod: &Lod<'a>, table: &VertexTable<'a>, sizes: &Sizes) {
        let (start, bytes) = (lod.vertex_table_offset(), lod.vertex_table_bytes());
        if let Some(size) = table.size_hint.filter(|&size| !lod.is_table_size(size)) {
            let message = format!("says to take {size} bytes, the LOD ends after {bytes}");
            self.tell::<()>(sizes, Err(Error::malformed(message).at(start)));
        }
        if !table.rest.is_empty() {
            let left = table.rest.left();
            let error = table.rest.error(format!("{left} bytes between the last array and the end of the LOD"));
            self.tell::<()>(sizes, Err(error));
        }
        if table.point_count() != sizes.points {
            let message = format!("{} positions for {} points", table.point_count(), sizes.points);
            self.tell::<()>(sizes, Err(Error::malformed(message).at(table.positions.offset()).within("positions")));
        }
        let positions = self.block(&table.positions);
        if let Some(positions) = self.tell(sizes, positions.within("positions")).flatten() {
            let check = Check::new(Finite).array(&table.positions, positions.iter().map(|one| Numbers(one.to_array())));
            check.tell("positions", self.problems, |error| in_table(sizes, error.within("positions")));
        }
        if let Some(flags) = lod.point_flags {
            let even = table.check_count(&flags).within("point_flags").within_item("lods", sizes.lod);
            self.problems.ok(even);
        }
        if let Some(flags) = table.point_flags {
            self.filled(sizes, table, &flags, "point_flags");
            if let Some(block) = flags.block() {
                let decoded = self.block(&block);
                self.tell(sizes, decoded.within("point_flags"));
            }
        }
        for (set, uvs) in table.uv_sets().enumerate() {
            self.uvs(sizes, table, &uvs, set);
        }
        self.filled(sizes, table, table.normals.as_table(), "normals");
        match &table.normals {
            Encoding::Packed(array) => self.normals(sizes, array, PackedVector::length),
            Encoding::Float(array) => self.normals(sizes, array, |normal: &Vec3| Length::of(normal.to_array())),
        }
        match &table.tangents {
            Encoding::Packed(block) => self.tangents(sizes, block, PackedVector::length),
            Encoding::Float(block) => self.tangents(sizes, block, |tangent: &Vec3| Length::of(tangent.to_array())),
        }
        let optional: [(&dyn Table, &'static str); 3] =
            [(table.tangents.as_table(), "tangents"), (&table.bone_refs, "bone_refs"), (&table.neighbors, "neighbors")];
        for (array, name) in optional {
            if array.rows() > 0 {
                self.filled(sizes, table, array, name);
            }
        }
        self.bone_refs(&table.bone_refs, sizes);
        self.neighbors(&table.neighbors, sizes);
    }

    fn uvs(&mut self, sizes: &Sizes, table: &VertexTable<'a>, uvs: &UvSet<'a>, set: usize) {
        let place = |error: Error| error.within_item("uvs", set).within("vertex_table").within_item("lods", sizes.lod);
        let stored = uvs.stored.as_table();
        self.problems.ok(table.check_count(stored).map_err(place));
        let decoded = match &uvs.stored {
            Encoding::Packed(array) => array.block().map(|block| self.block(&block).map(drop)),
            Encoding::Float(array) => array.block().map(|block| self.block(&block).map(drop)),
        };
        self.problems.ok(decoded.transpose().map_err(place));
        if let Some(bounds) = uvs.bounds {
            let ends = [bounds.min, bounds.max].into_iter().map(Numbers);
            Check::new(Finite).array(stored.storage().offset, ends).tell("bounds", self.problems, place);
        }
    }

    fn normals<T: Element>(&mut self, sizes: &Sizes, array: &Filled<'a, T>, length: fn(&T) -> Length) {
        let Some(block) = array.block() else {
            let fill = array.fill().filter(|_| self.deep).into_iter();
            return self.lengths(sizes, array.storage().offset, fill.map(length), "normals");
        };
        let decoded = self.block(&block).within("normals");
        if let Some(normals) = self.tell(sizes, decoded).flatten() {
            self.lengths(sizes, &block, normals.iter().map(length), "normals");
        }
    }

    /// Each tangent is a pair of vectors `V`.
    fn tangents<T: Element, V: Element>(&mut self, sizes: &Sizes, block: &Block<'a, T>, length: fn(&V) -> Length) {
        let decoded = self.block(block).within("tangents");
        if let Some(pairs) = self.tell(sizes, decoded).flatten() {
            let vectors = <[V]>::ref_from_bytes(pairs.as_bytes()).unwrap_or_default();
            let rows = Rows::from(block).each(size_of::<V>());
            self.lengths(sizes, rows, vectors.iter().map(length), "tangents");
        }
    }

    fn lengths(
        &mut self,
        sizes: &Sizes,
        rows: impl Into<Rows>,
        lengths: impl Iterator<Item = Length> + Clone,
        name: &'static str,
    ) {
        let check = Check::new(Unit::Direction).array(rows, lengths);
        check.tell("vectors", self.problems, |error| in_table(sizes, error.within(name)));
    }

    fn bone_refs(&mut self, block: &Block<'a, BoneRef>, sizes: &Sizes) {
        let place = |error: Error| in_table(sizes, error.within("bone_refs"));
        let refs = self.block(block).map_err(place);
        let Some(refs) = self.problems.ok(refs).flatten() else { return };
        let mut checks = BoneRefs::new(sizes);
        let mut sums = Check::new(Broken::new(Code::Weights, "not 255"));
        for (point, bones) in refs.iter().enumerate() {
            checks.look(bones, ("points", point), block.offset());
            let sum: u32 = bones.weights().iter().map(|pair| u32::from(pair.weight)).sum();
            sums.look(block.offset(), sum, sum == 255 || bones.weights().is_empty());
        }
        checks.tell(self, place);
        sums.tell("sums of weights", self.problems, place);
    }

    fn neighbors(&mut self, block: &Block<'a, Neighbors>, sizes: &Sizes) {
        let place = |error: Error| in_table(sizes, error.within("neighbors"));
        let all = self.block(block).map_err(place);
        let Some(all) = self.problems.ok(all).flatten() else { return };
        let mut points = Check::new(Below(sizes.points));
        let mut checks = BoneRefs::new(sizes);
        for (point, Neighbors(pair)) in all.iter().enumerate() {
            points.list(("points", point), block.offset(), pair.iter().map(|neighbor| neighbor.vertex.get().into()));
            for neighbor in pair {
                checks.look(&neighbor.bones, ("points", point), block.offset());
            }
        }
        points.tell("point numbers", self.problems, place);
        checks.tell(self, place);
    }

    fn filled(&mut self, sizes: &Sizes, table: &VertexTable<'_>, array: &dyn Table, name: &'static str) {
        self.tell(sizes, table.check_count(array).within(name));
    }

    /// Takes what was read in the vertex table, or tells the error.
    pub(super) fn tell<T>(&mut self, sizes: &Sizes, result: Result<T>) -> Option<T> {
        self.problems.ok(result.within("vertex_table").within_item("lods", sizes.lod))
    }
}

fn in_table(sizes: &Sizes, error: Error) -> Error {
    error.within("vertex_table").within_item("lods", sizes.lod)
}

impl PackedVector {
    #[inline]
    fn length(&self) -> Length {
        Length::of(self.to_outward())
    }
}

/// What holds for all bone references.
struct BoneRefs {
    counts: Check<Index>,
    items: Check<Below>,
}

impl BoneRefs {
    fn new(sizes: &Sizes) -> Self {
        // Up to four: counts 0 to 4 are as indices below 5.
        Self { counts: Check::new(Index(5)), items: Check::new(Below(sizes.items)) }
    }

    #[inline]
    fn look(&mut self, bones: &BoneRef, point: (&'static str, usize), offset: u64) {
        self.counts.next(offset, bones.count.get().into());
        self.items.list(point, offset, bones.weights().iter().map(|pair| pair.item.into()));
    }

    fn tell(self, survey: &mut Survey<'_, '_>, place: impl Fn(Error) -> Error) {
        self.counts.tell("counts of bones", survey.problems, &place);
        self.items.tell("items", survey.problems, place);
    }
}
