//! The implementation of [`Inspect`] for scenes.

use super::bounds::SceneBox;
use super::verify::{Facts, Survey};
use super::{ChunkKind, Scene, Step, Triangles, Vertices};
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::stop;
use crate::budget::Budget;
use crate::bytes::batch::to_the_end;
use crate::bytes::{Strided, Table};
use crate::inspect::{Depth, Inspect, no_digest};
use crate::outline::Outline;
use crate::summary::{Counts, Problems, References, Summary};

impl Scene<'_> {
    /// Returns the counts of a [summary](Inspect::summarize), without its references and bounds. Walks over all chunks
    /// once, and reads no arrays. Like a summary, it leaves out damaged parts. If only [ranges](Self::parse_ranges) of the
    /// scene are available, those of the arrays are requested all the same.
    ///
    /// ```
    /// use meshpeek::Inspect;
    /// use meshpeek::b3d::Scene;
    /// # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
    /// let scene = Scene::parse(bytes)?;
    /// assert_eq!(scene.counts()?, scene.summarize().counts);
    /// assert_eq!(scene.counts()?.get("vertices"), Some(0));
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Cancelled`](crate::ErrorKind::Cancelled) if the caller [stopped](crate::Until) the walk.
    pub fn counts(&self) -> Result<Counts> {
        let mut problems = Problems::new(&self.limits);
        let counted = Survey::new(self, Depth::Summary, &mut problems, None).run();
        stop::check()?;
        Ok(counted.counts(true))
    }
}

impl Inspect for Scene<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::B3d, &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Summarizes with one walk over all chunks. Of their arrays, it reads the positions alone, for the bounds.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let references = References::new(&self.limits);
        let mut facts = Facts { scene_box: SceneBox::default(), references };
        let counted = Survey::new(self, depth, problems, Some(&mut facts)).run();
        Summary {
            version: u32::try_from(self.version).ok(),
            // Counts of chunks in nodes are known only if the nodes were walked.
            counts: counted.counts(depth > Depth::Header),
            bounds: facts.scene_box.bounds(),
            references: facts.references.into_vec(problems),
            ..Summary::new(Format::B3d, self.data.size())
        }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::scene(self, out);
    }

    fn dissect(&self, out: &mut Outline<'_>) {
        super::outline::dissect(self, out);
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions", "indices"]
    }

    /// Writes the positions, or the indices of the triangles, of all meshes in file order as stored.
    fn digest(&self, name: &str, _: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let wants_positions = match name {
            "positions" => true,
            "indices" => false,
            _ => return Err(no_digest(self.format(), name)),
        };
        let mut sink = to_the_end(sink);
        for step in self.walk() {
            let Step { chunk, part, .. } = step?;
            match part {
                ChunkKind::Vertices(_) if wants_positions => {
                    Strided::read(&Vertices::parse(&chunk)?.positions(), &mut sink)?;
                }
                ChunkKind::Triangles(mesh) if !wants_positions => {
                    Triangles::parse(&chunk, mesh.brush_id)?.indices.read(&mut sink)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
