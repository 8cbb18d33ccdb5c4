//! Everything in an archive, one after the other: for programs without folders and threads.

use std::ops::ControlFlow;
use std::path::Path;

use crate::address::{Names, join};
use crate::asset::Asset;
use crate::container::{Budget, Container, Form, Member};
use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::limits::Limits;
use crate::summary::Name;
use crate::view::Packing;

/// What a visit comes upon.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Visited<'v> {
    /// The way to it as [addresses](crate::address) have it; `None` for the data itself.
    pub member: Option<&'v Name>,
    /// The asset, or why it cannot be opened.
    pub asset: Result<&'v Asset<'v>, &'v Error>,
}

/// Hands over the asset that these bytes are and, where it is an archive, the assets in it, however deep, until the
/// callback breaks off. A member that is neither an asset nor called like one is passed over, one that cannot be read
/// and should be is handed over with its error. Decodes what it must, within the limits.
///
/// ```
/// # let bytes = &[&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
/// use std::ops::ControlFlow;
/// use meshpeek::{Limits, visit::visit};
/// let mut found = Vec::new();
/// let _ = visit(bytes, &Limits::default(), &mut |visited| {
///     if let Ok(asset) = visited.asset {
///         found.push(asset.summarize().format.name());
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(found, ["pbo", "b3d"]);
/// ```
pub fn visit(data: &[u8], limits: &Limits, each: &mut dyn FnMut(Visited<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    let budget = Budget::new(data.len() as u64, limits);
    Visit { limits, budget, each }.look(None, 0, data, true)
}

struct Visit<'v> {
    limits: &'v Limits,
    budget: Budget,
    each: &'v mut dyn FnMut(Visited<'_>) -> ControlFlow<()>,
}

impl Visit<'_> {
    fn look(&mut self, member: Option<&Name>, depth: u32, data: &[u8], is_promised: bool) -> ControlFlow<()> {
        let asset = match Asset::parse_with(data, self.limits) {
            Ok(asset) => asset,
            Err(error) if !is_promised && matches!(error.kind(), ErrorKind::Unrecognized) => {
                return ControlFlow::Continue(());
            }
            Err(error) => return (self.each)(Visited { member, asset: Err(&error) }),
        };
        (self.each)(Visited { member, asset: Ok(&asset) })?;
        let Some(container) = Container::of(&asset) else { return ControlFlow::Continue(()) };
        if depth >= self.limits.archive_depth {
            let limit = self.limits.archive_depth.into();
            let error = Error::new(ErrorKind::Limit { what: "archives inside each other", limit });
            return (self.each)(Visited { member, asset: Err(&error) });
        }
        let mut names = Names::of(&container);
        for inner in container.members() {
            match inner {
                Ok(inner) => {
                    let name = join(member, names.next(inner.name()));
                    self.member(&name, depth.saturating_add(1), &inner)?;
                }
                Err(error) => return (self.each)(Visited { member, asset: Err(&error) }),
            }
        }
        ControlFlow::Continue(())
    }

    fn member(&mut self, name: &Name, depth: u32, member: &Member<'_>) -> ControlFlow<()> {
        let is_promised = Format::from_extension(Path::new(&name.text)).is_some();
        // LZSS is rare, and its beginning alone does not decode.
        let is_hidden = !matches!(member.form(), Form::InPlace | Form::Packed(Packing::Deflate));
        let sniffed = member.sniff();
        let is_expected = is_promised || matches!(sniffed, Ok(Some(_)));
        if sniffed.is_ok() && !is_expected && !is_hidden {
            return ControlFlow::Continue(());
        }
        match sniffed.and_then(|_| member.decode(&self.budget)) {
            Ok(content) => self.look(Some(name), depth, &content, is_promised),
            Err(error) if is_expected => (self.each)(Visited { member: Some(name), asset: Err(&error) }),
            Err(_) => ControlFlow::Continue(()),
        }
    }
}
