//! Visits every asset in an archive, one after another, for programs without folders and threads.

use std::ops::ControlFlow;
use std::path::Path;

use crate::asset::Asset;
use crate::asset::address::{Names, join, unnumbered};
use crate::asset::container::{Container, Member};
use crate::base::error::{Error, ErrorKind};
use crate::base::format::Format;
use crate::base::limits::{Limits, flag};
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
    look(None, 0, Data::Whole(data), true, &Budget::new(data.len() as u64, limits), each)
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
    look(None, 0, Data::Parts(ranges), true, &Budget::new(ranges.byte_len(), limits), each)
}

fn look(
    member: Option<&Name>,
    depth: u32,
    data: Data<'_>,
    is_promised: bool,
    budget: &Budget,
    each: &mut dyn FnMut(Visited<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let path = Path::new(member.map_or("", |member| unnumbered(&member.text)));
    let opened = Format::of_file_in(path, data).and_then(|format| Asset::open_within(format, data, budget));
    let (asset, _held) = match opened {
        Ok(opened) => opened,
        Err(error) if !is_promised && matches!(error.kind(), ErrorKind::Unrecognized(_)) => {
            return ControlFlow::Continue(());
        }
        Err(error) => return each(Visited { member, asset: Err(&error) }),
    };
    each(Visited { member, asset: Ok(&asset) })?;
    let Some(container) = Container::of(&asset) else { return ControlFlow::Continue(()) };
    let most = budget.limits().archive_depth;
    if depth >= most {
        let error = Error::limit("archives inside each other", most, flag::ARCHIVE_DEPTH);
        return each(Visited { member, asset: Err(&error) });
    }
    let mut names = Names::of(&container);
    let shared = container.overlapping();
    for (index, inner) in container.members().enumerate() {
        match inner.and_then(|inner| budget.members(1).map(|()| inner)) {
            Ok(inner) => {
                let name = join(member, names.next(inner.name()));
                if shared.binary_search(&index).is_err() {
                    look_inside(&name, depth.saturating_add(1), &inner, budget, each)?;
                }
            }
            Err(error) => return each(Visited { member, asset: Err(&error) }),
        }
    }
    ControlFlow::Continue(())
}

fn look_inside(
    name: &Name,
    depth: u32,
    member: &Member<'_>,
    budget: &Budget,
    each: &mut dyn FnMut(Visited<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let is_promised = Format::from_extension(Path::new(unnumbered(&name.text))).is_some();
    if member.is_link() {
        if !is_promised {
            return ControlFlow::Continue(());
        }
        return each(Visited { member: Some(name), asset: Err(&member.link_error(budget)) });
    }
    let is_hidden = member.hides_beginning();
    let sniffed = budget.work(MEMBER_WORK).and_then(|()| member.sniff());
    let is_expected = is_promised || matches!(sniffed, Ok(Some(_)));
    if sniffed.is_ok() && !is_expected && !is_hidden {
        return ControlFlow::Continue(());
    }
    match sniffed.and_then(|_| member.content(budget)) {
        Ok(content) => look(Some(name), depth, content.data(), is_promised, content.budget(), each),
        Err(error) if is_expected => each(Visited { member: Some(name), asset: Err(&error) }),
        Err(_) => ControlFlow::Continue(()),
    }
}

/// The cost of examining a member, in bytes of [work](Budget::work). Its beginning may have to be inflated.
const MEMBER_WORK: u64 = 2048;
