//! The implementation of [`Inspect`] for maps.

use super::index::{Listed, Placed};
use super::{List, Map, table, verify};
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
            table::inflated_bytes(archive).saturating_add(archive.directory_bytes().saturating_mul(4))
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
        if let Some(index) = problems.ok(index) {
            let whole = index.broken.is_none();
            if let Some(error) = &index.broken {
                problems.error(error);
            }
            // In a broken index, the readable entries are known, but not how many there should be.
            let count = |length: Result<usize>| length.ok().filter(|_| whole).map(|length| length as u64);
            let inside = depth > Depth::Header;
            let components = if inside { self.components(problems) } else { None };
            let lengths = if inside { self.lengths(problems) } else { [None; 4] };
            let [components, vertices, uvs, normals, triangles] = {
                let [vertices, uvs, normals, triangles] = lengths;
                [components, vertices, uvs, normals, triangles].map(|sum| sum.filter(|_| whole))
            };
            summary.counts = Counts::new([
                ("objects", count(self.objects().map(|list| list.len()))),
                ("components", components),
                ("meshes", count(self.meshes().map(|list| list.len()))),
                ("materials", count(self.materials().map(|list| list.len()))),
                ("textures", count(self.textures().map(|list| list.len()))),
                ("vertices", vertices),
                ("uvs", uvs),
                ("normals", normals),
                ("triangles", triangles),
            ]);
            let mut references = References::new(&self.limits);
            if inside && let Some(textures) = self.readable(self.textures(), problems) {
                for texture in textures.walk() {
                    if let Some(texture) = problems.ok(texture) {
                        references.add(ReferenceKind::Texture, texture.file_name);
                    }
                }
            }
            summary.references = references.into_vec(problems);
        }
        summary
    }

    /// Counts every entry of the zip as a block, except stored entries of 0 bytes.
    fn blocks(&self) -> Blocks {
        let mut blocks = Blocks::default();
        for entry in self.entries() {
            let (packed, unpacked) = (entry.stored_byte_len(), entry.decoded_byte_len_hint());
            let is_packed = entry.central().header.method.get() != 0;
            // A stored entry is empty if its decompressed size is 0.
            blocks.count(is_packed, if is_packed { packed } else { unpacked }, unpacked);
        }
        blocks
    }

    /// Returns the list if it is empty or its table can be read. Otherwise reports one problem, instead of one for each
    /// record.
    pub(super) fn readable<'m, T: Listed<'m>>(
        &'m self,
        list: Result<List<'m, T>>,
        problems: &mut Problems,
    ) -> Option<List<'m, T>> {
        let list = problems.ok(list)?;
        if !list.is_empty() {
            problems.ok(self.table(T::TABLE))?;
        }
        Some(list)
    }

    fn components(&self, problems: &mut Problems) -> Option<u64> {
        let objects = self.readable(self.objects(), problems)?;
        let mut sum = Some(0_u64);
        for object in objects.walk() {
            let component = problems.ok(object).map(|object| u64::from(object.is_component.is_set()));
            sum = sum.zip(component).map(|(sum, one)| sum.saturating_add(one));
        }
        sum
    }

    /// Returns the total lengths of the positions, texture coordinates, normals and faces of all meshes. Each is `None`
    /// if a mesh cannot be read.
    fn lengths(&self, problems: &mut Problems) -> [Option<u64>; 4] {
        let Some(meshes) = self.readable(self.meshes(), problems) else { return [None; 4] };
        let mut sums = Some([0_u64; 4]);
        for mesh in meshes.walk() {
            let mesh = problems.ok(mesh);
            let lengths = |mesh: Placed<'_, super::Mesh<'_>>| {
                [mesh.positions.len(), mesh.uvs.len(), mesh.normals.len(), mesh.faces.len()].map(|length| length as u64)
            };
            sums = sums.zip(mesh.map(lengths)).map(|([a, b, c, d], [p, q, r, s])| {
                [a.saturating_add(p), b.saturating_add(q), c.saturating_add(r), d.saturating_add(s)]
            });
        }
        sums.map_or([None; 4], |sums| sums.map(Some))
    }
}
