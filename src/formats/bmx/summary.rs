//! The implementation of [`Inspect`] for maps.

use super::index::Listed;
use super::{Kind, List, Map, Mesh, Object, Texture, table, verify};
use crate::base::error::{Error, Result};
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
        self.source.archive().map_or(0, |archive| {
            let directory = archive.directory.end_offset.saturating_sub(archive.directory.start);
            table::inflated_bytes(archive).saturating_add(directory.saturating_mul(4))
        })
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions", "uvs", "normals", "faces"]
    }

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
    fn facts(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut summary = Summary { blocks: self.blocks(), ..Summary::new(Format::Bmx, self.bytes) };
        let index = self.positions();
        summary.version = index.as_ref().map_or_else(Error::version, |index| Some(index.version));
        let Some(index) = problems.ok(index) else { return summary };
        if let Some(error) = &index.broken {
            problems.error(error);
        }
        let (mut components, mut lengths) = ([None], [None; 4]);
        let mut references = References::new(&self.limits);
        if depth > Depth::Header {
            components = self.sums::<Object<'_>, 1>(problems, |object| [object.is_component.is_set().into()]);
            lengths = self.sums::<Mesh<'_>, 4>(problems, |mesh| {
                [mesh.positions.len(), mesh.uvs.len(), mesh.normals.len(), mesh.faces.len()]
            });
            for texture in self.readable::<Texture<'_>>(problems).iter().flat_map(List::walk) {
                if let Some(texture) = problems.ok(texture) {
                    references.add(ReferenceKind::Texture, texture.file_name);
                }
            }
        }
        summary.references = references.into_vec(problems);
        let ([components], [vertices, uvs, normals, triangles]) = (components, lengths);
        // In a broken index, the readable entries are known, but not how many there should be.
        let known = |sum: Option<u64>| sum.filter(|_| index.broken.is_none());
        summary.counts = Counts::known([
            ("objects", index.count(Kind::OBJECT)),
            ("components", known(components)),
            ("meshes", index.count(Kind::MESH)),
            ("materials", index.count(Kind::MATERIAL)),
            ("textures", index.count(Kind::TEXTURE)),
            ("vertices", known(vertices)),
            ("uvs", known(uvs)),
            ("normals", known(normals)),
            ("triangles", known(triangles)),
        ]);
        summary
    }

    /// Counts every entry of the zip as a block, except stored entries of 0 bytes.
    fn blocks(&self) -> Blocks {
        let mut blocks = Blocks::default();
        for entry in self.entries() {
            let (packed, unpacked) = (entry.stored_byte_len(), entry.decoded_byte_len_hint());
            let is_packed = entry.central.header.method.get() != 0;
            // A stored entry is empty if its decompressed size is 0.
            blocks.count(is_packed, if is_packed { packed } else { unpacked }, unpacked);
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

    /// Returns the sums of these numbers over all records of a list. They are `None` if a record cannot be read.
    fn sums<'m, T: Listed<'m>, const N: usize>(
        &'m self,
        problems: &mut Problems,
        numbers: fn(&T) -> [usize; N],
    ) -> [Option<u64>; N] {
        let Some(list) = self.readable::<T>(problems) else { return [None; N] };
        let mut sums = Some([0_u64; N]);
        for record in list.walk() {
            let Some(record) = problems.ok(record) else {
                sums = None;
                continue;
            };
            for (sum, number) in sums.iter_mut().flatten().zip(numbers(&record)) {
                *sum = sum.saturating_add(number as u64);
            }
        }
        sums.map_or([None; N], |sums| sums.map(Some))
    }
}
