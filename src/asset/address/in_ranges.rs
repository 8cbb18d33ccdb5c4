//! Members of a file that is available only in ranges.

use std::path::Path;

use super::names::unnumbered;
use super::{Located, Opened, join, locate, not_found};
use crate::asset::Asset;
use crate::asset::container::{Container, Content};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::flag;
use crate::base::text::Name;
use crate::budget::{Budget, Held};
use crate::ranges::Ranges;

/// The target of an address in a file that is available only in ranges.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedRanges {
    /// Its bytes, as far as they are available, or the error if it is a member that cannot be decoded.
    ///
    /// A member that its archive stores is a [section](Ranges::section). Of a deflated member whose stream is not all
    /// available, it has the beginning; its checksum is then not checked. Any other member is decoded.
    pub content: Result<Ranges>,
    /// For a member that cannot be decoded, the format that its first bytes suggest, if known.
    pub format: Option<Format>,
    /// Its size. For a member that cannot be decoded, the size stated by its archive.
    pub bytes: u64,
    /// The path to it inside the file, as in records, or `None` for the file itself.
    pub member: Option<Name>,
    /// How it is stored in the innermost archive.
    #[cfg(feature = "scan")]
    pub stored: Option<crate::asset::stored::Stored>,
    /// The number of archives around it.
    pub depth: u32,
    /// The number of members matched by the last name that matches several, including this one; 0 if each name matches
    /// one.
    pub alike: u64,
    budget: Budget,
    /// Memory taken on the path.
    held: Vec<Held>,
}

impl OpenedRanges {
    /// Returns the budget for parts of the content.
    pub fn budget(&self) -> &Budget {
        self.held.last().map_or(&self.budget, Held::budget)
    }

    /// Returns the target with all of its bytes.
    ///
    /// # Errors
    /// Returns an [`Incomplete`](crate::ErrorKind::Incomplete) error if some are missing.
    pub fn whole(&self) -> Result<Opened<'_>> {
        let content = match &self.content {
            Ok(content) => Ok(super::Content::new(content.get(0..content.byte_len())?, self.budget())),
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
) -> Result<OpenedRanges> {
    let limits = *budget.limits();
    let mut opened = OpenedRanges {
        content: Ok(ranges.section(0..ranges.byte_len())),
        format: None,
        bytes: ranges.byte_len(),
        member: None,
        #[cfg(feature = "scan")]
        stored: None,
        depth: 0,
        alike: 0,
        budget: budget.clone(),
        held: Vec::new(),
    };
    let mut left = member;
    while let Some(names) = left {
        if opened.depth >= limits.archive_depth {
            return Err(Error::limit("archives inside each other", limits.archive_depth, flag::ARCHIVE_DEPTH));
        }
        let budget = opened.budget().clone();
        let around = opened.content?;
        budget.work(around.byte_len())?;
        let name = opened.member.as_ref().map_or(file, |member| Path::new(unnumbered(&member.text)));
        let asset = Asset::parse_file_ranges(name, &around, budget.limits())?;
        let no_archive = || not_found(format!("{} is no archive to go into", asset.format().title()));
        let container = Container::of(&asset).ok_or_else(no_archive)?;
        let Located { found, name, rest } = locate(&container, names)?;
        let (content, format) = match found.member.content(&budget) {
            Ok(content) => (Ok(content), None),
            // As in a scan, if even the beginning does not decode, that error is reported.
            Err(error) => match found.member.sniff() {
                Ok(format) => (Err(error), format),
                Err(error) => (Err(error), None),
            },
        };
        let content = content.map(|content| match content {
            Content::Parts(ranges, held) => (ranges, held),
            Content::Whole(bytes) => {
                let (bytes, held) = bytes.into_parts();
                (around.whole(bytes.into_owned()), held)
            }
        });
        opened.bytes = content.as_ref().map_or(found.member.decoded_byte_len_hint(), |(content, _)| content.byte_len());
        opened.member = Some(join(opened.member.as_ref(), name));
        #[cfg(feature = "scan")]
        {
            opened.stored = Some(crate::asset::stored::Stored::of(&found.member));
        }
        opened.alike = if found.count > 1 { found.count } else { opened.alike };
        opened.depth = opened.depth.saturating_add(1);
        opened.format = format;
        let content = content.map(|(content, held)| {
            opened.held.push(held);
            content
        });
        left = rest;
        opened.content = content;
    }
    Ok(opened)
}
