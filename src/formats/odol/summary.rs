//! The implementation of [`Inspect`] for models.

use super::table::{self, Sink};
use super::verify::Survey;
use super::{Lod, Model, VertexTable};
use crate::base::error::{Context as _, Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::budget::Budget;
use crate::bytes::batch::to_the_end;
use crate::inspect::{Depth, Inspect, no_digest};
use crate::outline::Outline;
use crate::summary::{Bounds, Counts, Problems, Summary};

impl Inspect for Model<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Odol, &self.layout.limits, self.byte_len())
    }

    /// Summarizes with one walk over all parts of all LODs and their compressed arrays, without decoding.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let Survey { problems, counted, visual, references, blocks, is_whole, .. } = Survey::of(self, depth, problems);
        let header = &self.header;
        let animations = header.animations.map(|animations| animations.animations.len() as u64);
        // Sums are known only if every LOD could be read.
        let [vertices, faces, triangles, sections, selections, materials, textures, proxies, properties] =
            counted.map(|sum| is_whole.then_some(sum));
        let counts = [
            ("lods", header.lod_count().map(u64::from)),
            ("visual_lods", is_whole.then_some(visual.count)),
            ("vertices", vertices),
            ("faces", faces),
            ("triangles", triangles),
            ("visual_triangles", visual.triangles().filter(|_| is_whole)),
            ("sections", sections),
            ("selections", selections),
            ("materials", materials),
            ("textures", textures),
            ("proxies", proxies),
            ("properties", properties),
            ("bones", header.info.as_ref().map(|info| info.bone_count() as u64)),
            ("animations", animations.or_else(|| self.version().is_flashpoint().then_some(0))),
        ];
        let bounds = header.info.as_ref().map(|info| Bounds { min: info.bbox_min, max: info.bbox_max });
        let is_finite = |bounds: &Bounds| bounds.min.iter().chain(&bounds.max).all(|bound| bound.is_finite());
        Summary {
            version: Some(self.version().stored()),
            counts: Counts::known(counts),
            bounds: bounds.filter(is_finite),
            references: references.into_vec(problems),
            blocks,
            ..Summary::new(Format::Odol, self.byte_len())
        }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::model(self, out);
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions", "uvs", "indices"]
    }

    fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.digests(&[name], budget, &mut |_, bytes| sink(bytes)).into_iter().collect()
    }

    /// Computes all digests in one walk over each LOD.
    fn digests(&self, names: &[&str], budget: &Budget, sink: &mut dyn FnMut(usize, &[u8])) -> Vec<Result<()>> {
        let start = |name: &&str| match self.digest_names().contains(name) {
            true => self.whole(),
            false => Err(no_digest(self.format(), name)),
        };
        let mut results: Vec<Result<()>> = names.iter().map(start).collect();
        for index in 0..self.lod_count() {
            if results.iter().all(Result::is_err) {
                break;
            }
            let Some(lod) = self.lod(index).transpose() else { continue };
            let table = match &lod {
                Ok(lod) if names.contains(&"uvs") => Some(lod.vertex_table()),
                _ => None,
            };
            for (place, (name, result)) in names.iter().zip(&mut results).enumerate().filter(|(_, (_, r))| r.is_ok()) {
                let mut sink = to_the_end(|rows| sink(place, rows));
                *result = match &lod {
                    Ok(lod) => lod.digest(name, table.as_ref(), budget, &mut sink).within_item("lods", index),
                    Err(error) => Err(error.clone()),
                };
            }
        }
        results
    }
}

impl<'a> Lod<'a> {
    /// Writes one of its streams to `sink`. `table` is the vertex table if it was already read.
    fn digest(
        &self,
        name: &str,
        table: Option<&Result<VertexTable<'a>>>,
        budget: &Budget,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        match (name, table) {
            ("positions", Some(Ok(table))) => budget.read(&table.positions, sink),
            ("positions", _) => budget.read(&self.positions()?, sink),
            ("uvs", Some(table)) => {
                let vertices = table.as_ref().map_err(Error::clone)?;
                let stored = vertices.uvs.first.stored.as_table();
                vertices.check_count(stored)?;
                budget.read(stored, sink)
            }
            _ => budget.read(&table::indices(&self.faces), sink),
        }
    }
}
