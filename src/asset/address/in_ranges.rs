//! Members of a file that is available only in ranges.

use std::ops::Deref;
use std::path::Path;

use super::content::Content;
use super::follow::{Opened, Place, follow};
use crate::asset::container::{self, Checksum, Member};
use crate::base::error::Result;
use crate::budget::{Budget, Held};
use crate::ranges::{Data, Ranges};

/// The bytes of a target in a file that is available only in ranges, as far as they are available.
///
/// A member that its archive stores is a [section](Ranges::section). Of a deflated member whose stream is not all
/// available, it has the beginning; its checksum is then not checked. Any other member is decoded.
#[derive(Debug)]
pub struct ContentRanges {
    ranges: Ranges,
    budget: Budget,
    /// Memory taken on the path, innermost first.
    held: Vec<Held>,
    /// The checksum of these bytes, if decoding has not compared it.
    unchecked: Option<Checksum>,
}

impl ContentRanges {
    /// Returns the budget for parts of this content.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }
}

impl Deref for ContentRanges {
    type Target = Ranges;

    fn deref(&self) -> &Ranges {
        &self.ranges
    }
}

impl Place for ContentRanges {
    type Part = (Ranges, Option<Checksum>);

    fn data(&self) -> Data<'_> {
        Data::Parts(self)
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn part(&self, member: &Member<'_>) -> Result<(Self::Part, Held)> {
        let (ranges, held) = match member.content(&self.budget)? {
            container::Content::Parts(ranges, held) => (ranges, held),
            container::Content::Whole(bytes) => {
                let (bytes, held) = bytes.into_parts();
                (self.whole(bytes.into_owned()), held)
            }
        };
        Ok(((ranges, member.unchecked()), held))
    }

    fn inside(mut self, ((ranges, unchecked), held): (Self::Part, Held)) -> Self {
        let budget = held.budget().clone();
        self.held.insert(0, held);
        Self { ranges, budget, unchecked, ..self }
    }
}

impl Opened<ContentRanges> {
    /// Returns the target with all of its bytes, to [check](Content::check) it too.
    ///
    /// # Errors
    /// Returns an [`Incomplete`](crate::ErrorKind::Incomplete) error if some are missing.
    pub fn whole(&self) -> Result<Opened<Content<'_>>> {
        let content = match &self.content {
            Ok(content) => {
                let mut whole = Content::new(content.get(0..content.byte_len())?, &content.budget);
                whole.unchecked = content.unchecked;
                Ok(whole)
            }
            Err(error) if error.incomplete().is_some() => return Err(error.clone()),
            Err(error) => Err(error.clone()),
        };
        Ok(Opened {
            content,
            format: self.format,
            bytes: self.bytes,
            member: self.member.clone(),
            #[cfg(feature = "scan")]
            stored: self.stored.clone(),
            depth: self.depth,
            alike: self.alike,
        })
    }
}

/// Follows a path through archives like [`open_member`](super::open_member), in a file available only in ranges.
/// Call it inside [`Ranges::ask`] or [`load`](Ranges::load), together with the questions about the member.
///
/// ```
/// # let store = [&b"a.p3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"MLOD\x01\x01\0\0\x02\0\0\0"].concat();
/// use std::path::Path;
/// use meshpeek::address::open_member_ranges;
/// use meshpeek::ranges::{Ranges, ReadAt};
/// use meshpeek::{Asset, Budget, Inspect, Limits};
/// let limits = Limits::default();
/// let lods = Ranges::new(store.byte_len()?).load(&store, |ranges| {
///     let budget = Budget::new(ranges.byte_len(), &limits);
///     let model = open_member_ranges(Path::new("a.pbo"), ranges, Some(b"A.P3D"), &budget)?.content?;
///     Ok(Asset::parse_ranges(&model, &limits)?.summarize_header().counts.get("lods"))
/// })?;
/// assert_eq!(lods, Some(2));
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`open_member`](super::open_member), and [`Incomplete`](crate::ErrorKind::Incomplete) if bytes
/// of an archive on the path are missing.
pub fn open_member_ranges(
    file: &Path,
    ranges: &Ranges,
    member: Option<&[u8]>,
    budget: &Budget,
) -> Result<Opened<ContentRanges>> {
    let ranges = ranges.section(0..ranges.byte_len());
    let content = ContentRanges { ranges, budget: budget.clone(), held: Vec::new(), unchecked: None };
    follow(file, content, member, &mut |_| Ok(()))
}
