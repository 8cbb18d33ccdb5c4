//! What every opened asset can do.

use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::sealed::Sealed;
use crate::base::word_enum::word_enum;
use crate::budget::Budget;
use crate::outline::{Bound, Outline, Visitor};
#[cfg(doc)]
use crate::outline::{PartArray, Wants};
use crate::summary::{Problems, Summary};

word_enum! {
    /// How thoroughly an asset is examined. Each depth includes the results of the depths before it.
    #[derive(PartialOrd, Ord, Default)]
    #[non_exhaustive]
    pub enum Depth {
        /// Reads only the header and tables. A count that they do not contain is absent. References and blocks are
        /// those in the bytes that were read. Touches the fewest pages.
        ///
        /// | format | counts | reads |
        /// | --- | --- | --- |
        /// | b3d | textures, brushes; the references | TEXS, BRUS and the headers of their sibling chunks |
        /// | bmx | objects, meshes, materials, textures | `index.bm`, which it unpacks; the zip's directory |
        /// | lodka | models, animations, meshes, light schemes, collider sets | the headers of the chunks |
        /// | odol | LODs, bones, animations; the bounds | the header; in version 7 all LODs, because the header follows them |
        /// | bmtr, rtm | all | up to the first frame |
        /// | mlod | LODs | the header |
        /// | paa | all | the tags, and the sides of each mip |
        /// | rap | none | the header |
        /// | texheaders | textures | the header |
        /// | bikey, bisign | all | everything |
        /// | pbo, zip | all, and the blocks | the directory |
        Header = "header",
        /// Reads everything that needs no decoding. Each record is read once, and a compressed stream is walked only to
        /// find its end. Linear in the size of the file for b3d, lodka, odol, mlod, rap, texheaders and both kinds of
        /// rtm, in the size of the directory for pbo and zip, and in the number of tags and mips for paa. The tables of
        /// a Ballance map are inflated and kept.
        #[default]
        Summary = "summary",
        /// Decodes every block, one at a time, and checks every index. Linear in the unpacked size of the file.
        Verify = "verify",
    }
}

impl Depth {
    /// Every depth, from the shallowest to the deepest.
    pub const ALL: &[Self] = Self::VARIANTS;
}

/// An opened asset of any format.
pub trait Inspect: Sealed + Send + Sync {
    /// Returns the format, the limits that the asset was opened with, and its size in bytes, for the methods below.
    #[doc(hidden)]
    fn about(&self) -> (Format, &Limits, u64);

    /// Returns the format.
    fn format(&self) -> Format {
        self.about().0
    }

    /// Returns the limits that the asset was opened with.
    fn limits(&self) -> Limits {
        *self.about().1
    }

    /// Returns the size of the asset in bytes.
    fn size(&self) -> u64 {
        self.about().2
    }

    /// Returns true if the asset is in a [map](crate::source) of which the guard has replaced a part with zeros,
    /// because the file was cut. What was read since then may be wrong. The problems of [`summarize`](Self::summarize)
    /// and [`verify`](Self::verify) then say so. Costs a look at each map of the process.
    fn is_torn(&self) -> bool {
        false
    }

    /// Surveys the asset at the given depth. Returns the facts with an empty list of problems; the problems go to
    /// `problems`, as far as the [budget](Problems::budget) allows. Allocates for the answer, and at [`Depth::Verify`]
    /// for one decoded block at a time. Linear in the bytes that the depth reads.
    ///
    /// Surveys an asset within a budget:
    /// ```
    /// # use meshpeek::{Asset, Budget, Depth, Inspect, Limits, summary::Problems};
    /// # let bytes = std::fs::read("corpus/b3d/triangle.b3d").unwrap();
    /// let asset = Asset::parse(&bytes)?;
    /// let mut problems = Problems::within(Budget::new(bytes.len() as u64, &Limits::default()));
    /// let facts = asset.survey(Depth::Verify, &mut problems);
    /// assert!(facts.counts.get("triangles") == Some(1) && problems.into_vec().is_empty());
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary;

    /// Returns the facts in the header and tables, at the cost of [`Depth::Header`].
    fn summarize_header(&self) -> Summary {
        summary(self, Depth::Header)
    }

    /// Returns the facts that need no decoding, at the cost of [`Depth::Summary`]. [`Format::count_names`] lists the
    /// counts.
    fn summarize(&self) -> Summary {
        summary(self, Depth::Summary)
    }

    /// Decodes every block and checks every index and bound, at the cost of [`Depth::Verify`]. Adds all problems,
    /// including those that [`summarize`](Self::summarize) finds. If the caller [stops](crate::Until) it, adds one
    /// problem that says so, after those found before.
    fn verify(&self, problems: &mut Problems) {
        if let Err(error) = problems.budget().check_stop() {
            return problems.error(&error);
        }
        self.survey(Depth::Verify, problems);
        report_stop(problems);
        report_tear(self, problems);
    }

    /// Passes every part, field and array to `out`, in file order if the asset has one.
    fn outline(&self, out: &mut Outline<'_>);

    /// Like [`outline`](Self::outline), but in file order, nested as the file is, and with counts and signatures. For a
    /// visitor that [wants a dissection](Wants::dissection).
    ///
    /// Every byte that the format defines belongs to one field or one array. Some fields and arrays also come in a
    /// second form, such as the corners of faces as triangles: these are [derived](PartArray::is_derived), or have a
    /// range in unpacked data. Without them, no byte comes twice, unless parts of the file overlap. A byte that belongs
    /// to nothing does not come; [`dissect::dissect`](crate::dissect::dissect) shows it as a gap.
    fn dissect(&self, out: &mut Outline<'_>) {
        self.outline(out);
    }

    /// Returns the names of the byte streams that identify the asset's content.
    fn digest_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Writes the stream of one of the [`digest_names`](Self::digest_names) to `sink`: decoded, little-endian, in
    /// order.
    ///
    /// # Errors
    /// Fails if a part of the stream cannot be read or decoded, the budget does not allow it, or the name is unknown.
    fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let _ = (budget, sink);
        Err(no_digest(self.format(), name))
    }

    /// Writes several of these streams, each in order. `sink` gets the index of the name and the bytes. Data that the
    /// streams share is read once. Returns one result per name.
    fn digests(&self, names: &[&str], budget: &Budget, sink: &mut dyn FnMut(usize, &[u8])) -> Vec<Result<()>> {
        let mut results = Vec::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            results.push(self.digest(name, budget, &mut |bytes| sink(place, bytes)));
        }
        results
    }

    /// Returns the number of bytes that the asset decodes on first use and keeps: the tables of a map. 0 for all other
    /// formats.
    fn kept_bytes(&self) -> u64 {
        0
    }
}

/// Returns the error for a digest name that the format does not have.
#[cold]
pub(crate) fn no_digest(format: Format, name: &str) -> Error {
    Error::unsupported(format!("{format} has no digest `{name}`"))
}

/// Returns the facts at this depth, with the problems that are found.
fn summary<A: Inspect + ?Sized>(asset: &A, depth: Depth) -> Summary {
    let mut problems = Problems::new(&asset.limits());
    let summary = asset.survey(depth, &mut problems);
    report_stop(&mut problems);
    report_tear(asset, &mut problems);
    Summary { problems: problems.into_vec(), ..summary }
}

/// Reports that the caller stopped the work, once.
fn report_stop(problems: &mut Problems) {
    if let Err(error) = problems.budget().check_stop() {
        problems.error(&error);
    }
}

/// Reports that a part of the asset was lost while it was read.
pub(crate) fn report_tear<A: Inspect + ?Sized>(asset: &A, problems: &mut Problems) {
    #[cfg(any(feature = "mmap", feature = "scan"))]
    if asset.is_torn() {
        problems.error(&Error::changed("the file was cut while it was read: zeros stand for what was lost"));
    }
    #[cfg(not(any(feature = "mmap", feature = "scan")))]
    let _ = (asset, problems);
}

/// Outlines the asset for the visitor within [`Limits::work`], because a few bytes of a file can describe any number of
/// records. If the limit is exceeded, the visitor gets one problem and nothing more.
pub fn outline_within_limits(asset: &dyn Inspect, visitor: &mut dyn Visitor) {
    asset.outline(&mut Outline::within(&bound_of(asset), visitor));
}

/// Returns the bound on the outline of this asset.
pub(crate) fn bound_of(asset: &dyn Inspect) -> Bound {
    Bound::new(asset.size(), &asset.limits())
}
