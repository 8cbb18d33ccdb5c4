//! The implementation of [`Inspect`] for indices of textures.

use super::Index;
use super::verify::Checks;
use crate::base::amount::Amount;
use crate::base::error::Error;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::check;
use crate::inspect::{Depth, Inspect};
use crate::outline::Outline;
use crate::record::Fixed;
use crate::summary::{Counts, Problems, Summary};

impl Inspect for Index<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::TexHeaders, &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Summarizes with one walk over all textures. Reads none if only headers are wanted.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut summary =
            Summary { version: Some(self.version()), ..Summary::new(Format::TexHeaders, self.data.size()) };
        // If the file is too small for the number of textures, neither the number nor the textures are right.
        if problems.ok(self.check_count()).is_none() {
            return summary;
        }
        let mut mips = None;
        if depth != Depth::Header {
            mips = self.walk(depth, problems);
        }
        summary.counts = Counts::known([("textures", Some(self.texture_count() as u64)), ("mips", mips)]);
        summary
    }

    fn outline(&self, out: &mut Outline<'_>) {
        self.header.describe_fields(0, out);
        self.textures().describe_from(0, out);
    }
}

impl Index<'_> {
    /// Reads all textures, and checks them if the depth says so. Returns the number of mips, or `None` if a texture
    /// cannot be read.
    fn walk(&self, depth: Depth, problems: &mut Problems) -> Option<u64> {
        let mut checks = Checks::default();
        let mut mips = Amount(0);
        let mut end = super::TEXTURES;
        let mut is_whole = true;
        for (index, (texture, span)) in self.textures().spanned().enumerate() {
            let Some(texture) = problems.ok(texture) else {
                is_whole = false;
                break;
            };
            mips += texture.mips.len() as u64;
            end = span.offset.saturating_add(span.bytes);
            if depth == Depth::Verify {
                checks.add(index, span.offset, &texture);
            }
        }
        if depth == Depth::Verify {
            check::fields((self.data.size(), &self.limits), false, problems, |out| self.outline(out));
            checks.report(problems);
        }
        // The end is not known after a texture that cannot be read.
        if !is_whole {
            return None;
        }
        let after = self.data.size().saturating_sub(end);
        if after > 0 {
            problems.warning(&Error::trailing(after, "the last texture").at(end));
        }
        Some(mips.0)
    }
}
