//! The five questions of [`Inspect`], answered for scenes.

use std::borrow::Cow;

use super::verify::Survey;
use super::{ChunkKind, Scene, Step, Triangles, Vertices};
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::budget::Budget;
use crate::bytes::batch::to_the_end;
use crate::bytes::chunk::Chunk;
use crate::bytes::{Strided, Table};
use crate::inspect::{self, Depth, Inspect, Region, no_digest};
use crate::outline::Outline;
use crate::summary::{Problems, References, Summary};

impl Inspect for Scene<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::B3d, &self.limits, self.data.len() as u64)
    }

    /// For a summary, one walk over all chunks, which looks into none of the arrays.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut references = References::new(&self.limits);
        let counted = Survey::new(self, depth, problems).run(&mut references);
        Summary {
            version: u32::try_from(self.version).ok(),
            // What nodes hold is known where they were walked.
            counts: counted.counts(depth > Depth::Header),
            references: references.into_vec(problems),
            ..Summary::new(Format::B3d, self.data.len() as u64)
        }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::scene(self, out);
    }

    fn dissect(&self, out: &mut Outline<'_>) {
        super::outline::dissect(self, out);
    }

    /// The chunks as they nest, with the size of each, header included.
    fn regions(&self, sink: &mut dyn FnMut(Region<'_>)) {
        let span = |chunk: &Chunk<'_, _>| Span { offset: chunk.offset(), bytes: chunk.byte_len() };
        sink(Region::part(0, self.chunk.tag().to_string(), "", span(&self.chunk)));
        let mut deepest = 0;
        for step in self.walk() {
            let Step { depth, chunk, part, .. } = match step {
                Ok(step) => step,
                Err(error) => {
                    sink(Region::problem(deepest, &error, self.chunk.offset()));
                    continue;
                }
            };
            deepest = depth as usize;
            let rows = match part {
                ChunkKind::Vertices(_) => Some(Vertices::parse(&chunk).map(|vertices| vertices.len())),
                ChunkKind::Triangles(_) => Some(Triangles::parse(&chunk, -1).map(|triangles| triangles.indices.len())),
                ChunkKind::Bone(mesh) => Some(super::Bone::parse(&chunk, mesh).map(|bone| bone.weights.len())),
                ChunkKind::Keys => Some(super::Keys::parse(&chunk).map(|keys| keys.len())),
                _ => None,
            };
            let note: Cow<'_, str> = match (part, &rows) {
                (ChunkKind::Node(node), _) => inspect::brief(node.name).into(),
                (ChunkKind::Unknown, _) => "unknown".into(),
                (_, Some(Ok(count))) => inspect::rows(*count as u64).into(),
                _ => "".into(),
            };
            sink(Region::part(deepest, chunk.tag().to_string(), note, span(&chunk)));
            if let Some(Err(error)) = rows {
                sink(Region::problem(deepest.saturating_add(1), &error, chunk.offset()));
            }
        }
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions", "indices"]
    }

    fn digest(&self, name: &str, _: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let positions = match name {
            "positions" => true,
            "indices" => false,
            _ => return Err(no_digest(self.format(), name)),
        };
        let mut sink = to_the_end(sink);
        for step in self.walk() {
            let Step { chunk, part, .. } = step?;
            match part {
                ChunkKind::Vertices(_) if positions => Strided::read(&Vertices::parse(&chunk)?.positions(), &mut sink)?,
                ChunkKind::Triangles(mesh) if !positions => {
                    Triangles::parse(&chunk, mesh.brush_id())?.indices.read(&mut sink)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
