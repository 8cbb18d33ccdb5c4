//! Implements [`Inspect`] for textures.

use super::texture::Header;
use super::verify::Survey;
use super::{EndMark, Mip, Texture, mip};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::budget::Budget;
use crate::bytes::Table;
use crate::bytes::batch::to_the_end;
use crate::inspect::{Depth, Inspect, no_digest};
use crate::outline::{Outline, Part};
use crate::record::{Fixed, describe_fields};
use crate::summary::{self, Counts, Problems, Summary};

impl Texture<'_> {
    /// Returns its kind and the size of its first mip, or `None` if it has none. Reads the header of that mip only.
    fn kind_and_size(&self) -> Option<summary::Texture> {
        let sides = mip::sides_at(self.data, self.mips, self.kind())?;
        Some(summary::Texture { kind: self.kind().name()?, width: sides.width.into(), height: sides.height.into() })
    }
}

impl Inspect for Texture<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Paa, &self.layout.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Decodes nothing except to verify. If only headers are wanted, reads only those of the mips.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut summary = Summary::new(Format::Paa, self.data.size());
        summary.texture = self.kind_and_size();
        match depth {
            Depth::Header => {
                let mips = mip::count(self.data, self.mips, self.layout);
                Summary { counts: Counts::known([("mips", mips)]), ..summary }
            }
            _ => Survey::new(self, depth == Depth::Verify, problems).run(summary),
        }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        out.field("alpha", self.alpha().name());
        describe_fields::<Header<'_>, _>(self.data.cursor(0), self.header.kind.is_some(), out);
        let mut mips = self.mips();
        out.list("mips");
        for index in 0_usize.. {
            let start = mips.rest();
            let Some(mip) = mips.next() else { break };
            // After a mip that cannot be read, the end mark cannot be found.
            let Some(_) = out.ok(mip) else { return };
            let part = Part::item("mips", index).spanning(start.offset(), mips.offset().saturating_sub(start.offset()));
            out.part(part, |out| describe_fields::<Mip<'_>, _>(start, self.layout, out));
        }
        // Some writers leave out its last two bytes.
        let mut rest = mips.rest();
        let offset = rest.offset();
        let bytes = rest.left().min(size_of::<EndMark>() as u64);
        out.part(Part::one("end").spanning(offset, bytes), |out| {
            if let Ok(mark) = rest.read::<EndMark>() {
                mark.describe_fields(offset, out);
            }
        });
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["pixels"]
    }

    /// `pixels`: the first and largest mip as RGBA, in rows from the top.
    fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        if name != "pixels" {
            return Err(no_digest(Format::Paa, name));
        }
        let mut mips = self.mips();
        let Some(mip) = mips.next().transpose()? else {
            return Err(Error::malformed("no mip").at(mips.offset()));
        };
        let stored = budget.decode(&mip.block()?)?;
        let rgba_bytes = mip.pixels().rows().saturating_mul(4);
        budget.charge_work(rgba_bytes)?;
        mip.pixels().each_row(&stored, &mut to_the_end(sink))
    }
}
