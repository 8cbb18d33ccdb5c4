//! The implementation of [`Inspect`] for models.

use std::iter::zip;

use super::face;
use super::table::Sink;
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

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Summarizes with one walk over all parts of all LODs and their compressed arrays, without decoding.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let Survey { problems, counted, visual, references, blocks, is_whole, .. } = Survey::of(self, depth, problems);
        let header = &self.header;
        let mut bones = None;
        let mut bounds = None;
        if let Some(info) = &header.info {
            bones = Some(info.bone_count() as u64);
            if info.bbox_min.iter().chain(&info.bbox_max).all(|bound| bound.is_finite()) {
                bounds = Some(Bounds { min: info.bbox_min, max: info.bbox_max });
            }
        }
        // Sums are known only if every LOD could be read.
        let [vertices, faces, triangles, sections, selections, materials, textures, proxies, properties] =
            counted.map(|sum| if is_whole { Some(sum) } else { None });
        let counts = Counts::known([
            ("lods", header.lod_count().map(u64::from)),
            ("visual_lods", if is_whole { Some(visual.count.0) } else { None }),
            ("vertices", vertices),
            ("faces", faces),
            ("triangles", triangles),
            ("visual_triangles", if is_whole { visual.triangles() } else { None }),
            ("sections", sections),
            ("selections", selections),
            ("materials", materials),
            ("textures", textures),
            ("proxies", proxies),
            ("properties", properties),
            ("bones", bones),
            ("animations", self.animation_count()),
        ]);
        Summary {
            version: Some(self.version().stored()),
            counts,
            bounds,
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
        let mut results: Vec<Result<()>> = Vec::with_capacity(names.len());
        for name in names {
            let is_known = self.digest_names().contains(name);
            results.push(if is_known { self.whole() } else { Err(no_digest(self.format(), name)) });
        }
        for index in 0..self.lod_count() {
            if results.iter().all(Result::is_err) {
                break;
            }
            // `None` for a LOD of version 7 that ends after 4 GiB, so that its location is unknown.
            let Some(lod) = self.lod(index).transpose() else { continue };
            // Only `uvs` needs the vertex table. Once read, `positions` uses it too.
            let table = match &lod {
                Ok(lod) if names.contains(&"uvs") => Some(lod.vertex_table()),
                _ => None,
            };
            for (place, (name, result)) in zip(names, &mut results).enumerate() {
                if result.is_err() {
                    continue;
                }
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

impl Model<'_> {
    /// Returns the number of bone animations, or `None` if the header is cut short before them. Version 7 has none.
    fn animation_count(&self) -> Option<u64> {
        if let Some(animations) = &self.header.animations {
            return Some(animations.animations.len() as u64);
        }
        if self.version().is_flashpoint() { Some(0) } else { None }
    }
}

impl<'a> Lod<'a> {
    /// Writes the bytes of the named digest to `sink`. `table` is the vertex table, or the error in it, if it was
    /// already read; `uvs` needs it.
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
            // `indices`: other names were rejected.
            _ => budget.read(&face::indices(&self.faces), sink),
        }
    }
}
