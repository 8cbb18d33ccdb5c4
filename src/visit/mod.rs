//! Visits every asset in an archive, one after another, for programs without folders and threads.

pub(crate) mod members;
pub(crate) mod walk;

use std::ops::ControlFlow;
use std::path::Path;

use self::members::cost;
use self::walk::{Archive, Bytes, Flow, Unread, Visitor, enter, walk};
use crate::asset::Asset;
use crate::asset::address::{MemberPath, unnumbered};
use crate::asset::container::{Container, Member};
use crate::base::code::Code;
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::ranges::{Data, Ranges};

/// An asset found by a visit.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Visited<'v> {
    /// The path to it as in [addresses](crate::address), or `None` for the data itself.
    pub member: Option<&'v Name>,
    /// The asset, or the reason why it cannot be opened.
    pub asset: std::result::Result<&'v Asset<'v>, &'v Error>,
}

/// Calls `each` with the asset in these bytes. If it is an archive, also calls it with the assets inside, at any depth,
/// until the callback breaks. A member that is not an asset, in content or name, is skipped. A member that should be an
/// asset but cannot be read is passed with its error. Decodes whatever is necessary, within the limits.
///
/// ```
/// # let bytes = &[&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
/// use std::ops::ControlFlow;
/// use meshpeek::{Inspect, Limits, visit::visit};
/// let mut found = Vec::new();
/// let _ = visit(bytes, &Limits::default(), &mut |visited| {
///     if let Ok(asset) = visited.asset {
///         found.push(asset.format().name());
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(found, ["pbo", "b3d"]);
/// ```
pub fn visit(data: &[u8], limits: &Limits, each: &mut dyn FnMut(Visited<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    visit_data(Data::Whole(data), limits, each)
}

/// Visits everything in a file like [`visit`], if the file is available only in [ranges](crate::ranges). Requests the
/// ranges that `each` needs. A stored member is a section of the file. Of a deflated member, only the beginning is
/// inflated if that suffices; then its checksum is not checked.
///
/// Ask through [`Ranges::ask`] or [`load`](Ranges::load), and collect the answer inside the question: it is asked
/// several times, and an asset that lacks bytes is passed with that error.
///
/// ```
/// # let bytes = [&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
/// use std::ops::ControlFlow;
/// use meshpeek::ranges::{Ranges, ReadAt};
/// use meshpeek::{Inspect, Limits, visit::visit_ranges};
/// let found = Ranges::new(bytes.byte_len()?).load(&bytes, |ranges| {
///     let mut found = Vec::new();
///     let _ = visit_ranges(ranges, &Limits::default(), &mut |visited| {
///         if let Ok(asset) = visited.asset {
///             found.push((asset.format().name(), asset.summarize_header()));
///         }
///         ControlFlow::Continue(())
///     });
///     Ok(found)
/// })?;
/// assert_eq!((found.len(), found[1].0), (2, "b3d"));
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub fn visit_ranges(
    ranges: &Ranges,
    limits: &Limits,
    each: &mut dyn FnMut(Visited<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    visit_data(Data::Parts(ranges), limits, each)
}

/// The callback of a visit.
type Each<'e> = &'e mut dyn FnMut(Visited<'_>) -> ControlFlow<()>;

fn visit_data(data: Data<'_>, limits: &Limits, each: Each<'_>) -> ControlFlow<()> {
    let budget = &Budget::new(data.size(), limits);
    let root = Place { member: None, depth: 0 };
    walk(&mut Opening { each }, &root, Bytes { data, budget, fault: None })
}

/// Opens each asset, and shows it to the caller.
struct Opening<'e> {
    each: Each<'e>,
}

/// The place of an asset: its path in the archive, and the number of archives around it.
struct Place {
    member: Option<Name>,
    depth: u32,
}

impl Place {
    /// Returns the innermost name.
    fn name(&self) -> &Path {
        Path::new(self.member.as_ref().map_or("", |member| unnumbered(&member.text)))
    }

    /// Returns the place of a member with this name.
    fn inside(&self, name: Name) -> Self {
        let member = MemberPath::join(self.member.as_ref(), name);
        Self { member: Some(member), depth: self.depth.saturating_add(1) }
    }
}

impl Opening<'_> {
    fn show(&mut self, place: &Place, asset: std::result::Result<&Asset<'_>, &Error>) -> ControlFlow<()> {
        (self.each)(Visited { member: place.member.as_ref(), asset })
    }
}

impl Visitor for Opening<'_> {
    type Place<'p> = Place;

    fn members(&mut self, place: &Place, archive: &Archive<'_>, around: &Budget) -> Flow {
        let members = archive.rest(around);
        let budget = members.budget(around);
        for (name, member) in members {
            enter(self, &place.inside(name), &member, &budget)?;
        }
        Flow::Continue(())
    }

    fn is_promised(&self, place: &Place) -> bool {
        place.depth == 0 || Format::from_extension(place.name()).is_some()
    }

    fn charge(&self, member: &Member<'_>, budget: &Budget) -> Result<()> {
        budget.charge_work(cost(member))
    }

    fn look<'a>(&mut self, place: &Place, bytes: Bytes<'_, 'a>) -> Flow<Option<Archive<'a>>> {
        let Bytes { data, budget, .. } = bytes;
        let opened = Format::of_file_in(place.name(), data).and_then(|format| Asset::open_within(format, data, budget));
        let (asset, held) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                if self.is_promised(place) || !matches!(error.kind(), ErrorKind::Unrecognized(_)) {
                    self.show(place, Err(&error))?;
                }
                return Flow::Continue(None);
            }
        };
        self.show(place, Ok(&asset))?;
        let Some(container) = Container::of(&asset) else { return Flow::Continue(None) };
        let most = budget.limits().archive_depth;
        if place.depth >= most {
            self.show(place, Err(&Error::limit("archives inside each other", most, Code::ArchiveDepthLimit)))?;
            return Flow::Continue(None);
        }
        let (count, counted) = count_members(&container, budget);
        if let Err(error) = counted {
            self.show(place, Err(&error))?;
        }
        Flow::Continue(Some(Archive { data, container, members: 0..count, held: Some(held) }))
    }

    fn unread(&mut self, place: &Place, unread: Unread<'_>) -> Flow {
        self.show(place, Err(&unread.error))
    }
}

/// Counts the members of an archive that can be visited. Also returns why not all can.
fn count_members(container: &Container<'_>, budget: &Budget) -> (usize, Result<()>) {
    let mut count = 0_usize;
    for member in container.members() {
        let counted = match member {
            Ok(_) => budget.charge_members(1),
            Err(error) => Err(error),
        };
        if counted.is_err() {
            return (count, counted);
        }
        count = count.saturating_add(1);
    }
    (count, Ok(()))
}
