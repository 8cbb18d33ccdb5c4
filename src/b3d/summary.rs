//! The five questions of [`Inspect`], answered for scenes.

use super::verify::Survey;
use super::{Part, Scene, Step, Triangles, Vertices};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::inspect::{Inspect, Outline, Region};
use crate::summary::{Counts, Problems, ReferenceKind, References, Summary};
use crate::view::chunk::Chunk;
use crate::view::{Strided, Table};

impl Inspect for Scene<'_> {
    /// One walk over all chunks; looks into none of the arrays.
    fn summarize(&self) -> Summary {
        let mut problems = Problems::new(&self.limits);
        let counted = Survey::new(self, false, &mut problems).run();
        let mut references = References::new(&self.limits);
        for texture in self.textures().flatten() {
            references.add(ReferenceKind::Texture, texture.name);
        }
        Summary {
            version: u32::try_from(self.version).ok(),
            counts: Counts::known([
                ("textures", counted.textures),
                ("brushes", counted.brushes),
                ("nodes", counted.nodes),
                ("meshes", counted.meshes),
                ("bones", counted.bones),
                ("vertices", counted.vertices),
                ("triangles", counted.triangles),
                ("weights", counted.weights),
                ("keys", counted.keys),
                ("animations", counted.animations),
            ]),
            references: references.into_vec(&mut problems),
            problems: problems.into_vec(),
            ..Summary::new(Format::B3d, self.data.len() as u64)
        }
    }

    fn verify(&self, problems: &mut Problems) {
        Survey::new(self, true, problems).run();
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::scene(self, out);
    }

    /// The chunks as they nest, with the size of each, header included.
    fn layout(&self, sink: &mut dyn FnMut(Region<'_>)) {
        let mut tell = |depth: u32, chunk: &Chunk<'_, _>, note: &str| {
            let name = chunk.tag().to_string().into();
            let (offset, bytes) = (chunk.offset(), chunk.bytes());
            sink(Region { depth: depth as usize, name, note: note.into(), offset, bytes });
        };
        tell(0, &self.chunk, "");
        for Step { depth, chunk, part, .. } in self.walk().flatten() {
            let note = match part {
                Part::Node(node) => node.name.to_string(),
                Part::Vertices(_) => rows(Vertices::parse(&chunk).map(|vertices| vertices.len())),
                Part::Triangles(_) => rows(Triangles::parse(&chunk, -1).map(|triangles| triangles.indices.len())),
                Part::Bone(mesh) => rows(super::Bone::parse(&chunk, mesh).map(|bone| bone.weights.len())),
                Part::Keys => rows(super::Keys::parse(&chunk).map(|keys| keys.len())),
                Part::Unknown => "unknown".to_owned(),
                _ => String::new(),
            };
            tell(depth, &chunk, &note);
        }
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions", "indices"]
    }

    fn digest(&self, name: &str, _: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let positions = match name {
            "positions" => true,
            "indices" => false,
            _ => return Err(Error::malformed("no digest of this name")),
        };
        let mut sink = |rows: &[u8]| {
            sink(rows);
            std::ops::ControlFlow::Continue(())
        };
        for step in self.walk() {
            let Step { chunk, part, .. } = step?;
            match part {
                Part::Vertices(_) if positions => Strided::read(&Vertices::parse(&chunk)?.positions(), &mut sink)?,
                Part::Triangles(mesh) if !positions => {
                    Triangles::parse(&chunk, mesh.brush_id())?.indices.read(&mut sink)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn rows(count: Result<usize>) -> String {
    count.map_or_else(|error| error.message(), |count| format!("{count} rows"))
}
