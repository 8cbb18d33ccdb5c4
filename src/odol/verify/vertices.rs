//! What can be wrong with a vertex table: spec sections 8 and 12.

use super::{Sizes, Survey};
use crate::error::{Context as _, Error, Result};
use crate::odol::{BoneRef, Encoding, Lod, Neighbors, UvSet, VertexTable};
use crate::view::{Block, Table};

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
        let positions = self.tell(sizes, positions.within("positions")).flatten();
        if positions.is_some_and(|all| all.iter().any(|one| !one.to_array().iter().all(|axis| axis.is_finite()))) {
            self.warn(sizes, &table.positions, "a position that is no number", "positions");
        }
        if let Some(flags) = lod.point_flags.or(table.point_flags) {
            self.filled(sizes, table, &flags, "point_flags");
            if let (Some(block), true) = (flags.block(), table.point_flags.is_some()) {
                let decoded = self.block(&block);
                self.tell(sizes, decoded.within("point_flags"));
            }
        }
        for (set, uvs) in table.uv_sets().enumerate() {
            self.uvs(sizes, table, &uvs, set);
        }
        self.filled(sizes, table, table.normals.as_table(), "normals");
        let normals = match &table.normals {
            Encoding::Packed(array) => array.block().map(|block| self.block(&block).map(drop)),
            Encoding::Float(array) => array.block().map(|block| self.block(&block).map(drop)),
        };
        self.tell(sizes, normals.transpose().within("normals"));
        let tangents = match &table.tangents {
            Encoding::Packed(block) => self.block(block).map(drop),
            Encoding::Float(block) => self.block(block).map(drop),
        };
        self.tell(sizes, tangents.within("tangents"));
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
        let ends = uvs.bounds.iter().flat_map(|bounds| bounds.min.into_iter().chain(bounds.max));
        if ends.into_iter().any(|end| !end.is_finite()) {
            let error = Error::malformed("bounds that are no numbers").at(stored.storage().offset);
            self.problems.warning(&place(error));
        }
    }

    fn bone_refs(&mut self, block: &Block<'a, BoneRef>, sizes: &Sizes) {
        let place = |error: Error| error.within("bone_refs").within("vertex_table").within_item("lods", sizes.lod);
        let refs = self.block(block).map_err(place);
        for bones in self.problems.ok(refs).flatten().iter().flat_map(|refs| refs.iter()) {
            self.bone_ref(bones, sizes, block.offset(), place);
            let sum: u32 = bones.weights().iter().map(|pair| u32::from(pair.weight)).sum();
            if sum != 255 && !bones.weights().is_empty() {
                let message = format!("weights of a point that sum to {sum}, not 255");
                self.problems.warning(&place(Error::malformed(message).at(block.offset())));
            }
        }
    }

    fn bone_ref(&mut self, bones: &BoneRef, sizes: &Sizes, offset: u64, place: impl Fn(Error) -> Error + Copy) {
        // Up to four: counts 0 to 4 are as indices below 5.
        self.index("count of bones", bones.count.get().into(), 5, offset, place);
        for pair in bones.weights() {
            self.index("item", pair.item.into(), sizes.items, offset, place);
        }
    }

    fn neighbors(&mut self, block: &Block<'a, Neighbors>, sizes: &Sizes) {
        let place = |error: Error| error.within("neighbors").within("vertex_table").within_item("lods", sizes.lod);
        let all = self.block(block).map_err(place);
        for Neighbors(pair) in self.problems.ok(all).flatten().iter().flat_map(|all| all.iter()) {
            for neighbor in pair {
                self.index("point", neighbor.vertex.get().into(), sizes.points, block.offset(), place);
                self.bone_ref(&neighbor.bones, sizes, block.offset(), place);
            }
        }
    }

    fn filled(&mut self, sizes: &Sizes, table: &VertexTable<'_>, array: &dyn Table, name: &'static str) {
        self.tell(sizes, table.check_count(array).within(name));
    }

    /// Takes what was read in the vertex table, or tells the error.
    pub(super) fn tell<T>(&mut self, sizes: &Sizes, result: Result<T>) -> Option<T> {
        self.problems.ok(result.within("vertex_table").within_item("lods", sizes.lod))
    }

    fn warn(&mut self, sizes: &Sizes, array: &dyn Table, message: &'static str, name: &'static str) {
        let error = Error::malformed(message).at(array.storage().offset);
        self.problems.warning(&error.within(name).within("vertex_table").within_item("lods", sizes.lod));
    }
}
