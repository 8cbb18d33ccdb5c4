//! What every format can be asked, whichever it is.
//!
//! A format answers five questions ([`Inspect`]). The widest is [`outline`](Inspect::outline): it tells a [`Visitor`]
//! every part, field and array of the asset, from which a program makes a JSON document, a list of arrays to dump or a
//! check that everything can be read, knowing no format.

pub mod array;
pub mod selector;

pub use array::Array;
pub use selector::Selector;

use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::named::named;
use crate::base::sealed::Sealed;
use crate::budget::Budget;
use crate::outline::Bound;
use crate::summary::{Problems, Summary};

pub use crate::base::span::Span;
pub use crate::outline::Text;
pub use crate::outline::{Outline, Part, Silent, Sink, StoredField, Value, Visitor, to_bytes};

named! {
    /// How closely an asset is looked at. Each depth finds what those before it find.
    #[derive(PartialOrd, Ord, Default)]
    #[non_exhaustive]
    pub enum Depth {
        /// What its header and tables alone tell: a count that they leave open is absent, references and blocks are those
        /// that were met there. Touches the fewest pages.
        ///
        /// | format | counts | reads |
        /// | --- | --- | --- |
        /// | b3d | textures, brushes; the references | TEXS, BRUS and the headers of the chunks beside them |
        /// | bmx | objects, meshes, materials, textures | `index.bm`, which it unpacks; the zip's directory |
        /// | lodka | models, animations, meshes, light schemes, collider sets | the headers of the chunks |
        /// | odol | LODs, bones, animations; the bounds | the header; of version 7 all LODs, behind which it lies |
        /// | bmtr, rtm | all | up to the first frame |
        /// | mlod | LODs | the header |
        /// | paa | all | the tags, and the sides of each mip |
        /// | rap | none | the header |
        /// | pbo, zip | all, and the blocks | the directory |
        Header = "header",
        /// Everything that can be read without decoding. Each record is read once, and a compressed stream is walked only to
        /// find its end. Linear in the file for b3d, lodka, odol, mlod, rap and both kinds of rtm, in the directory for pbo
        /// and zip, and in the number of tags and mips for paa. The tables of a Ballance map are inflated and kept.
        #[default]
        Summary = "summary",
        /// Every block decoded, one at a time, and every index checked: linear in what the file unpacks to.
        Verify = "verify",
    }
}

impl Depth {
    /// Every depth, the shallowest first.
    pub const ALL: &[Self] = &[Self::Header, Self::Summary, Self::Verify];
}

/// An opened asset of any format.
pub trait Inspect: Sealed + Send + Sync {
    /// Its format, the limits that it was opened with and its size in bytes.
    fn about(&self) -> (Format, &Limits, u64);

    /// Its format.
    fn format(&self) -> Format {
        self.about().0
    }

    /// The limits that it was opened with.
    fn limits(&self) -> Limits {
        *self.about().1
    }

    /// How many bytes the asset has.
    fn size(&self) -> u64 {
        self.about().2
    }

    /// Looks at it so closely: the facts, without problems, and beside them what is wrong, as far as the
    /// [budget](Problems::budget) goes. Allocates for the answer; [`Depth::Verify`] for each block that it decodes, one
    /// after the other. Linear in what the depth reads.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary;

    /// The facts that its header and tables tell, at the cost of [`Depth::Header`].
    fn summarize_header(&self) -> Summary {
        summary(self, Depth::Header)
    }

    /// The facts that can be had without decoding anything, at the cost of [`Depth::Summary`]. What is counted is told by
    /// [`Format::count_names`].
    fn summarize(&self) -> Summary {
        summary(self, Depth::Summary)
    }

    /// Decodes every block and checks every index and bound, at the cost of [`Depth::Verify`]. Adds what it finds, everything in
    /// [`summarize`](Self::summarize)'s problems included.
    fn verify(&self, problems: &mut Problems) {
        self.survey(Depth::Verify, problems);
    }

    /// Tells every part, field and array, in the order of the file where it has one.
    fn outline(&self, out: &mut Outline<'_>);

    /// The same in the order of the file and nested as the file is, counts and signatures included, so that every byte
    /// has a name. For a visitor that [dissects](Visitor::dissects).
    fn dissect(&self, out: &mut Outline<'_>) {
        self.outline(out);
    }

    /// The names of the byte streams that identify the asset's content.
    fn digest_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Hands out the byte stream of one of the [`digest_names`](Self::digest_names): decoded, little-endian, in order.
    ///
    /// # Errors
    /// Where a part of it cannot be read or decoded, the budget does not allow it, or the name is none of them.
    fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let _ = (budget, sink);
        Err(no_digest(self.format(), name))
    }

    /// Hands out several of these streams, each in its order, the sink being told its place among the names: what they
    /// have in common is read once. How each ended.
    fn digests(&self, names: &[&str], budget: &Budget, sink: &mut dyn FnMut(usize, &[u8])) -> Vec<Result<()>> {
        let digest = |(place, name): (usize, &&str)| self.digest(name, budget, &mut |bytes| sink(place, bytes));
        names.iter().enumerate().map(digest).collect()
    }

    /// The bytes that it decodes for itself when they are first asked for, and keeps: the tables of a map. 0 for all
    /// other formats.
    fn kept_bytes(&self) -> u64 {
        0
    }
}

/// The error of a digest that the format does not have.
#[cold]
pub(crate) fn no_digest(format: Format, name: &str) -> Error {
    Error::unsupported(format!("{format} has no digest `{name}`"))
}

fn summary<A: Inspect + ?Sized>(asset: &A, depth: Depth) -> Summary {
    let mut problems = Problems::new(&asset.limits());
    let summary = asset.survey(depth, &mut problems);
    Summary { problems: problems.into_vec(), ..summary }
}

/// Outlines the asset for the visitor, as far as [`Limits::work`] allows: a few bytes of a file may stand for any number
/// of records. Beyond that, the visitor gets one problem and nothing more.
pub fn outline_within_limits(asset: &dyn Inspect, visitor: &mut dyn Visitor) {
    let bound = bound_of(asset);
    asset.outline(&mut Outline::within(&bound, visitor));
}

/// The amount that may be told of an asset.
pub(crate) fn bound_of(asset: &dyn Inspect) -> Bound {
    Bound::new(asset.size(), &asset.limits())
}
