//! The way through archives to a member.

use std::io;
use std::path::Path;

use super::member_path::{MemberPath, SEAM, seams};
use super::names::{Found, numbered_name, spelled};
use crate::asset::Asset;
use crate::asset::container::{Container, Member};
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::{ByteStr, Name};
use crate::budget::{Budget, Held};
use crate::ranges::Data;

/// Content at the end of a path through archives: its bytes, or the ranges that are available.
pub(super) trait Place: Sized {
    /// The content of a member, without the borrow of the archive around it.
    type Part;

    fn data(&self) -> Data<'_>;

    fn budget(&self) -> &Budget;

    /// Returns the content of a member of this archive, and its memory.
    fn part(&self, member: &Member<'_>) -> Result<(Self::Part, Held)>;

    /// Descends to a part of this content.
    fn inside(self, part: (Self::Part, Held)) -> Self;
}

/// The target of an address: its [`Content`](super::Content), or [`ContentRanges`](super::ContentRanges) in a file that
/// is available only in ranges.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened<C> {
    /// Its bytes, or the error if it is a member that cannot be decoded.
    pub content: Result<C>,
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
}

/// A callback that takes a number of bytes before they are examined or decoded.
pub(super) type Check<'c> = &'c mut dyn FnMut(u64) -> Result<()>;

/// Follows a path through archives from the content of the file.
pub(super) fn follow<C: Place>(file: &Path, content: C, member: Option<&[u8]>, check: Check<'_>) -> Result<Opened<C>> {
    let most = content.budget().limits().archive_depth;
    let mut opened = Opened {
        bytes: content.data().size(),
        content: Ok(content),
        format: None,
        member: None,
        #[cfg(feature = "scan")]
        stored: None,
        depth: 0,
        alike: 0,
    };
    let mut left = member;
    while let Some(names) = left {
        if opened.depth >= most {
            return Err(Error::limit("archives inside each other", most, Code::ArchiveDepthLimit));
        }
        (opened, left) = enter(file, opened, names, check)?;
    }
    Ok(opened)
}

/// Follows the first of these names into an archive. Also returns the names after it.
fn enter<'n, C: Place>(
    file: &Path,
    opened: Opened<C>,
    names: &'n [u8],
    check: Check<'_>,
) -> Result<(Opened<C>, Option<&'n [u8]>)> {
    let around = opened.content?;
    let data = around.data();
    let budget = around.budget();
    check(data.size())?;
    budget.charge_work(data.size())?;
    let archive_name = MemberPath::own_name(file, opened.member.as_ref());
    let asset = Asset::parse_file_in(archive_name, data, budget.limits())?;
    let Some(container) = Container::of(&asset) else {
        return Err(not_found(format!("{} is no archive to go into", asset.format().title())));
    };
    let Located { found, name, rest } = locate(&container, names)?;
    let hint = found.member.decoded_byte_len_hint();
    check(hint)?;
    let mut part = around.part(&found.member);
    let mut format = None;
    if part.is_err() {
        match found.member.sniff() {
            Ok(suggested) => format = suggested,
            // As in a scan, if even the beginning does not decode, that error is reported.
            Err(error) => part = Err(error),
        }
    }
    #[cfg(feature = "scan")]
    let stored = crate::asset::stored::Stored::of(&found.member);
    let alike = if found.count > 1 { found.count } else { opened.alike };
    let content = part.map(|part| around.inside(part));
    let bytes = match &content {
        Ok(content) => content.data().size(),
        Err(_) => hint,
    };
    let inner = Opened {
        bytes,
        content,
        format,
        member: Some(MemberPath::join(opened.member.as_ref(), name)),
        #[cfg(feature = "scan")]
        stored: Some(stored),
        depth: opened.depth.saturating_add(1),
        alike,
    };
    Ok((inner, rest))
}

/// A member that the first names of a path match.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Located<'a, 'n> {
    /// The member.
    pub found: Found<'a>,
    /// Its name, as in records.
    pub name: Name,
    /// The names after it, which lead into it.
    pub rest: Option<&'n [u8]>,
}

/// Finds the member that the first of these names matches, joined by `!/`. If none does, `!/` may be part of the name.
/// [`open_member`](super::open_member) follows all of them.
///
/// # Errors
/// Returns an error if no member matches; the message suggests the nearest.
pub fn locate<'a, 'n>(container: &Container<'a>, names: &'n [u8]) -> Result<Located<'a, 'n>> {
    if let Some((end, found)) = container.locate(names)? {
        let rest = names.get(end..).unwrap_or_default();
        let name = numbered_name(spelled(found.member.name()), found.number);
        return Ok(Located { found, name, rest: rest.strip_prefix(SEAM) });
    }
    let first = match seams(names).next() {
        Some(seam) => names.get(..seam).unwrap_or_default(),
        None => names,
    };
    let nearest: Vec<String> = container.nearest(first).iter().map(ToString::to_string).collect();
    let hint = match nearest.as_slice() {
        [] => String::new(),
        names => format!("; nearest: {}", names.join(", ")),
    };
    Err(not_found(format!("no member {}{hint}", ByteStr::new(first))))
}

fn not_found(message: String) -> Error {
    io::Error::new(io::ErrorKind::NotFound, message).into()
}
