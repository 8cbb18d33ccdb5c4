//! The implementation of [`Inspect`] for models.

use super::verify::Survey;
use super::{Mesh, Model};
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::budget::Budget;
use crate::bytes::Table;
use crate::bytes::batch::to_the_end;
use crate::inspect::{Depth, Inspect, no_digest};
use crate::outline::Outline;
use crate::summary::{Problems, Summary};

impl Inspect for Model<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Lodka, &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Summarizes with one walk over all chunks. Reads their records unless only headers are wanted, and the elements
    /// of arrays only to verify.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let (counts, references) = Survey::new(self, depth, problems).run();
        Summary { version: Some(1), counts, references, ..Summary::new(Format::Lodka, self.data.size()) }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::model(self, out);
    }

    fn dissect(&self, out: &mut Outline<'_>) {
        super::outline::dissect(self, out);
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions"]
    }

    /// `positions`: the vertices of all meshes in file order, as stored.
    fn digest(&self, name: &str, _: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        if name != "positions" {
            return Err(no_digest(self.format(), name));
        }
        let mut sink = to_the_end(sink);
        for mesh in self.views::<Mesh<'_>>() {
            mesh?.positions.read(&mut sink)?;
        }
        Ok(())
    }
}
