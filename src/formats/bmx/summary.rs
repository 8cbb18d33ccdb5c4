//! The implementation of [`Inspect`] for maps.

use std::iter::zip;

use super::list::Listed;
use super::{Kind, List, Map, Mesh, Object, Texture, table, verify};
use crate::base::amount::Amount;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::budget::Budget;
use crate::inspect::{Depth, Inspect, no_digest};
use crate::outline::Outline;
use crate::summary::{Blocks, Counts, Problems, ReferenceKind, References, Summary};

impl Inspect for Map<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Bmx, &self.limits, self.bytes)
    }

    fn is_torn(&self) -> bool {
        self.source.is_torn()
    }

    /// Inflates `index.bm`. A summary also inflates `object.bm` if there are objects, to count components; `mesh.bm` if
    /// there are meshes, for the lengths of their lists; and `texture.bm` if there are textures, for their names. Only
    /// verifying inflates `material.bm` and images.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        if depth == Depth::Verify {
            verify::map(self, problems);
            // The verifier has already reported the problems that `facts` finds.
            return self.facts(depth, &mut Problems::new(&self.limits));
        }
        self.facts(depth, problems)
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::map(self, out);
    }

    fn dissect(&self, out: &mut Outline<'_>) {
        super::outline::dissect(self, out);
    }

    /// Returns the size of the compressed tables when decompressed, plus four times the size of the directory, whose
    /// names are copied.
    fn kept_bytes(&self) -> u64 {
        let Some(archive) = self.source.archive() else { return 0 };
        let directory = archive.directory.end_offset.saturating_sub(archive.directory.start);
        (Amount(directory) * 4 + table::inflated_bytes(archive)).0
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions", "uvs", "normals", "faces"]
    }

    /// Writes this list of each mesh in the order of the index, as stored.
    fn digest(&self, name: &str, _: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        if !self.digest_names().contains(&name) {
            return Err(no_digest(self.format(), name));
        }
        if let Some(error) = &self.positions()?.broken {
            return Err(error.clone());
        }
        for mesh in self.meshes()?.walk() {
            let mesh = mesh?;
            sink(match name {
                "positions" => mesh.positions.as_bytes(),
                "uvs" => mesh.uvs.as_bytes(),
                "normals" => mesh.normals.as_bytes(),
                _ => mesh.faces.as_bytes(),
            });
        }
        Ok(())
    }
}

impl Map<'_> {
    /// Returns the summary at this depth. Below the header, it reads the records, for the other counts and the
    /// references.
    fn facts(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut summary = Summary { blocks: self.blocks(), ..Summary::new(Format::Bmx, self.bytes) };
        let index = self.positions();
        summary.version = match &index {
            Ok(index) => Some(index.version),
            Err(error) => error.version(),
        };
        let Some(index) = problems.ok(index) else { return summary };
        if let Some(error) = &index.broken {
            problems.error(error);
        }
        let mut components = [None];
        let mut lengths = [None; 4];
        let mut references = References::new(&self.limits);
        if depth > Depth::Header {
            components = self.sums::<Object<'_>, 1>(problems, |object| [object.is_component.is_set().into()]);
            lengths = self.sums::<Mesh<'_>, 4>(problems, |mesh| {
                [mesh.positions.len(), mesh.uvs.len(), mesh.normals.len(), mesh.faces.len()]
            });
            self.add_textures(&mut references, problems);
        }
        summary.references = references.into_vec(problems);
        if index.broken.is_some() {
            // The readable entries are known, but not how many there should be.
            components = [None];
            lengths = [None; 4];
        }
        // Each array has one sum for each number that its closure returned.
        let [components] = components;
        let [vertices, uvs, normals, triangles] = lengths;
        summary.counts = Counts::known([
            ("objects", index.count(Kind::OBJECT)),
            ("components", components),
            ("meshes", index.count(Kind::MESH)),
            ("materials", index.count(Kind::MATERIAL)),
            ("textures", index.count(Kind::TEXTURE)),
            ("vertices", vertices),
            ("uvs", uvs),
            ("normals", normals),
            ("triangles", triangles),
        ]);
        summary
    }

    /// Adds the file names of the textures.
    fn add_textures(&self, references: &mut References, problems: &mut Problems) {
        let Some(textures) = self.readable::<Texture<'_>>(problems) else { return };
        for texture in textures.walk() {
            if let Some(texture) = problems.ok(texture) {
                references.add(ReferenceKind::Texture, texture.file_name);
            }
        }
    }

    /// Counts every entry of the zip as a block, except stored entries of 0 bytes.
    fn blocks(&self) -> Blocks {
        let mut blocks = Blocks::default();
        for entry in self.entries() {
            let packed = entry.stored_byte_len();
            let unpacked = entry.decoded_byte_len_hint();
            let is_packed = entry.central.header.method.get() != 0;
            // A stored entry is empty if its decompressed size is 0.
            let bytes = if is_packed { packed } else { unpacked };
            blocks.count(is_packed, bytes, unpacked);
        }
        blocks
    }

    /// Returns the list if it is empty or its table can be read. Otherwise reports one problem, instead of one for each
    /// record.
    fn readable<'m, T: Listed<'m>>(&'m self, problems: &mut Problems) -> Option<List<'m, T>> {
        let list = problems.ok(List::<T>::new(self))?;
        if !list.is_empty() {
            problems.ok(self.source.table(T::TABLE))?;
        }
        Some(list)
    }

    /// Returns the sum of each of the numbers that `numbers` returns, over all records of a list. They are `None` if a
    /// record cannot be read.
    fn sums<'m, T: Listed<'m>, const N: usize>(
        &'m self,
        problems: &mut Problems,
        numbers: fn(&T) -> [usize; N],
    ) -> [Option<u64>; N] {
        let Some(list) = self.readable::<T>(problems) else { return [None; N] };
        let mut sums = Some([Amount(0); N]);
        for record in list.walk() {
            let Some(record) = problems.ok(record) else {
                sums = None;
                continue;
            };
            if let Some(sums) = &mut sums {
                for (sum, number) in zip(sums, numbers(&record)) {
                    *sum += number as u64;
                }
            }
        }
        match sums {
            Some(sums) => sums.map(|sum| Some(sum.0)),
            None => [None; N],
        }
    }
}
