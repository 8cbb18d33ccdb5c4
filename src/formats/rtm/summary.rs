//! The implementation of [`Inspect`] for animations.

use super::Motion;
use super::verify::Survey;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::budget::Budget;
use crate::bytes::batch::to_the_end;
use crate::inspect::{Depth, Inspect, no_digest};
use crate::outline::Outline;
use crate::summary::{Blocks, Counts, Problems, Summary};

impl Inspect for Motion<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        let file = self.file();
        (Motion::format(self), &file.limits, file.data.size())
    }

    fn is_torn(&self) -> bool {
        self.file().data.is_torn()
    }

    /// Summarizes without decoding. Packed frames are walked to count their bytes.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let blocks = match depth {
            Depth::Header => Blocks::default(),
            _ => Survey::new(depth == Depth::Verify, problems).run(self),
        };
        Summary {
            version: Some(self.version()),
            counts: Counts::known([
                ("frames", self.frame_count() as u64),
                ("bones", self.bones().len() as u64),
                ("properties", self.property_count() as u64),
            ]),
            blocks,
            ..Summary::new(self.format(), self.size())
        }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::motion(self, out);
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["times", "transforms"]
    }

    fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let mut sink = to_the_end(sink);
        match (name, self) {
            ("times", Self::Binarised(motion)) => budget.read(&motion.times()?.block, &mut sink),
            ("times", Self::Plain(motion)) => budget.read(&motion.times()?, &mut sink),
            ("transforms", Self::Binarised(motion)) => {
                motion.frames()?.iter().try_for_each(|frame| budget.read(&frame?.block, &mut sink))
            }
            ("transforms", Self::Plain(motion)) => {
                motion.frames().try_for_each(|frame| budget.read(&frame?.matrices(), &mut sink))
            }
            _ => Err(no_digest(self.format(), name)),
        }
    }
}
