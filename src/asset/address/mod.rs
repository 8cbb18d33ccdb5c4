//! Addresses of archive members.
//!
//! An address is a file, followed by `!/` and a member's name for each archive to enter:
//! `mods.zip!/a.pbo!/data\tree.p3d`. Names are written as in records: each byte that is not UTF-8 as `\xNN`, and `!/`
//! inside a name as `!\x2f`. A name matches a member exactly as stored, or else ignoring case and slash direction. If
//! several members share a name, `#1` selects the second. A name that itself ends this way gets a `#0`.

mod in_ranges;
mod names;

pub use in_ranges::{ContentRanges, open_member_ranges};
pub(crate) use names::unnumbered;
pub use names::{Found, Names, nearest};

use std::borrow::Cow;
use std::ffi::OsStr;
#[cfg(feature = "scan")]
use std::fs::Metadata;
use std::io;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};

use crate::asset::Asset;
use crate::asset::container::{Checksum, Container, Member};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::{Limits, flag};
use crate::base::text::{ByteStr, Name};
use crate::budget::{Budget, Held};
use crate::ranges::Data;
use crate::source::{Access, FileMap};
#[cfg(feature = "scan")]
use crate::source::{Patience, read_standard_input};
use names::{numbered_name, spelled};

/// The separator between the names of an address.
const SEAM: &[u8] = b"!/";

/// A file, and the path through the archives in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The file. `-` is standard input.
    pub file: PathBuf,
    /// Names joined by `!/`, or `None` for the file itself.
    pub member: Option<Vec<u8>>,
}

impl Address {
    /// Splits an address into file and member. If `!/` could be part of the file's own path, the file system decides:
    /// the longest prefix that is a file is the file.
    ///
    /// ```
    /// # use meshpeek::address::Address;
    /// let address = Address::parse("corpus/zip/addons.zip!/a.pbo!/model.p3d");
    /// assert_eq!(address.member.as_deref(), Some(&b"a.pbo!/model.p3d"[..]));
    /// assert_eq!(Address::parse("corpus/zip").member, None);
    /// ```
    pub fn parse(text: impl AsRef<OsStr>) -> Self {
        let text = text.as_ref();
        let whole = Self { file: text.into(), member: None };
        let bytes = text.as_encoded_bytes();
        let mut cuts = seams(bytes).filter_map(|seam| {
            let member = bytes.get(seam.saturating_add(SEAM.len())..)?;
            Some(Self { file: to_path(bytes.get(..seam)?), member: Some(member.to_vec()) })
        });
        let Some(first) = cuts.next() else { return whole };
        if whole.file.as_os_str() != "-" && whole.file.exists() {
            return whole;
        }
        // If no prefix is a file, a message should name the shortest.
        let is_file = |address: &Self| address.file.metadata().is_ok_and(|metadata| !metadata.is_dir());
        cuts.filter(is_file).last().unwrap_or(first)
    }

    /// Opens the file, or reads standard input if it is `-`.
    ///
    /// # Errors
    /// Returns the errors of [`FileMap::open_with`] and [`FileMap::from_reader`].
    pub fn open(&self, access: Access, limits: &Limits) -> Result<FileMap> {
        if self.is_stdin() {
            return FileMap::from_reader(io::stdin().lock(), limits).map_err(|error| error.in_file(&self.file));
        }
        FileMap::open_with(&self.file, access, limits)
    }

    /// Also returns the metadata from before the file was read. Waits for a pipe that was `named`, until `is_over`.
    #[cfg(feature = "scan")]
    pub(crate) fn open_with_metadata(
        &self,
        access: Access,
        limits: &Limits,
        named: bool,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(FileMap, Option<Metadata>)> {
        if named && self.is_stdin() {
            let patience = Patience { most: None, is_over };
            let bytes =
                read_standard_input(limits.decoded_bytes, patience).map_err(|error| error.in_file(&self.file))?;
            return Ok((bytes.into(), None));
        }
        let patience = if named { Some(Patience { is_over, ..Patience::NAMED }) } else { None };
        FileMap::open_with_metadata(&self.file, access, limits, patience).map(|(file, metadata)| (file, Some(metadata)))
    }

    /// Returns the name of the target, without a number. Its extension hints at the format.
    pub fn name(&self) -> PathBuf {
        let member = self.member.as_ref().map(|member| ByteStr::new(member).to_text_lossy());
        member.map_or_else(|| self.file.clone(), |member| unnumbered(&member).into())
    }

    /// Returns true if the file is standard input.
    pub fn is_stdin(&self) -> bool {
        self.file.as_os_str() == "-"
    }
}

#[cfg(unix)]
fn to_path(bytes: &[u8]) -> PathBuf {
    <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn to_path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

fn seams(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(bytes, SEAM)
}

/// The bytes of a member. They are a view of the outer file if every archive on the path stores them in place, else a
/// view of the innermost member that had to be decoded.
#[derive(Debug)]
pub struct Content<'a> {
    whole: Cow<'a, [u8]>,
    range: Range<usize>,
    budget: Budget,
    /// Memory taken on the path, innermost first.
    held: Vec<Held>,
    /// The checksum of these bytes, if decoding has not compared it.
    unchecked: Option<Checksum>,
}

impl<'a> Content<'a> {
    fn new(whole: &'a [u8], budget: &Budget) -> Self {
        let range = 0..whole.len();
        Self { whole: whole.into(), range, budget: budget.clone(), held: Vec::new(), unchecked: None }
    }

    /// Compares the checksum of a member that its zip stores in place. That of any other member was compared when it was
    /// decoded. Archives around the member are not checked.
    ///
    /// # Errors
    /// Returns an error if the checksum differs, or if the budget is spent.
    pub fn check(&self) -> Result<()> {
        match self.unchecked {
            Some(checksum) => checksum.check(self, &self.budget),
            None => Ok(()),
        }
    }

    /// Returns true if nothing had to be decoded.
    pub fn is_borrowed(&self) -> bool {
        matches!(self.whole, Cow::Borrowed(_))
    }

    /// Returns the budget for parts of this content.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }
}

/// A smaller view of the same bytes, or new memory that replaces them.
enum Part {
    Here(Range<usize>, Option<Checksum>),
    Decoded(Vec<u8>),
}

impl Deref for Content<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }
}

/// Content at the end of a path through archives: its bytes, or the ranges that are available.
trait Place: Sized {
    /// The content of a member, without the borrow of the archive around it.
    type Part;

    fn data(&self) -> Data<'_>;

    fn budget(&self) -> &Budget;

    /// Returns the content of a member of this archive, and its memory.
    fn part(&self, member: &Member<'_>) -> Result<(Self::Part, Held)>;

    /// Descends to a part of this content.
    fn inside(self, part: (Self::Part, Held)) -> Self;
}

impl Place for Content<'_> {
    type Part = Part;

    fn data(&self) -> Data<'_> {
        Data::Whole(self)
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn part(&self, member: &Member<'_>) -> Result<(Part, Held)> {
        let place = |inside: &[u8]| {
            let start = inside.as_ptr().addr().checked_sub(self.whole.as_ptr().addr())?;
            let range = start..start.checked_add(inside.len())?;
            self.whole.get(range.clone()).map(|_| range)
        };
        let (bytes, held) = member.view(&self.budget)?.into_parts();
        let part = match bytes {
            Cow::Borrowed(inside) => match place(inside) {
                Some(range) => Part::Here(range, member.unchecked()),
                None => Part::Decoded(member.decode(&self.budget)?.to_vec()),
            },
            Cow::Owned(bytes) => Part::Decoded(bytes),
        };
        Ok((part, held))
    }

    fn inside(mut self, (part, held): (Part, Held)) -> Self {
        self.budget = held.budget().clone();
        self.held.insert(0, held);
        match part {
            Part::Here(range, unchecked) => Self { range, unchecked, ..self },
            Part::Decoded(bytes) => Self { range: 0..bytes.len(), whole: bytes.into(), unchecked: None, ..self },
        }
    }
}

/// The target of an address: its [`Content`], or [`ContentRanges`] in a file that is available only in ranges.
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

/// Follows a path through archives to a member of the file with this name. The content is borrowed if each archive
/// stores it in place, else decoded and charged to the budget. Without a member, the content is the data itself.
///
/// The checksum of a member stored in place is not checked here, because that reads all of its bytes:
/// [`Content::check`] does it.
///
/// ```
/// # let bytes = &[&b"a.txt\0"[..], &[0; 16], &[2, 0, 0, 0], &[0; 21], b"hi"].concat();
/// use std::path::Path;
/// use meshpeek::{Budget, Limits, address::open_member};
/// let budget = Budget::new(bytes.len() as u64, &Limits::default());
/// let opened = open_member(Path::new("a.pbo"), bytes, Some(b"A.TXT"), &budget)?;
/// let content = opened.content?;
/// assert_eq!((&*content, content.is_borrowed()), (&b"hi"[..], true));
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns an error if a name matches no member (the message suggests the nearest), if a name is inside something that
/// is not an archive, or if an archive on the path cannot be decoded. Returns a [`Limit`](crate::ErrorKind::Limit)
/// error beyond [`Limits::archive_depth`].
pub fn open_member<'a>(
    file: &Path,
    data: &'a [u8],
    member: Option<&[u8]>,
    budget: &Budget,
) -> Result<Opened<Content<'a>>> {
    open_checked_member(file, data, member, budget, &mut |_| Ok(()))
}

/// Opens a member like [`open_member`], but calls `check` before an archive on the path is examined and before a member
/// is decoded, with the number of bytes.
///
/// # Errors
/// Returns the errors of [`open_member`] and of `check`.
pub fn open_checked_member<'a>(
    file: &Path,
    data: &'a [u8],
    member: Option<&[u8]>,
    budget: &Budget,
    check: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Opened<Content<'a>>> {
    follow(file, Content::new(data, budget), member, check)
}

/// Follows a path through archives from the content of the file.
fn follow<C: Place>(
    file: &Path,
    content: C,
    member: Option<&[u8]>,
    check: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Opened<C>> {
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
            return Err(Error::limit("archives inside each other", most, flag::ARCHIVE_DEPTH));
        }
        let around = opened.content?;
        let (data, budget) = (around.data(), around.budget());
        check(data.size())?;
        budget.work(data.size())?;
        let name = opened.member.as_ref().map_or(file, |member| Path::new(unnumbered(&member.text)));
        let asset = Asset::parse_file_in(name, data, budget.limits())?;
        let no_archive = || not_found(format!("{} is no archive to go into", asset.format().title()));
        let container = Container::of(&asset).ok_or_else(no_archive)?;
        let Located { found, name, rest } = locate(&container, names)?;
        let hint = found.member.decoded_byte_len_hint();
        check(hint)?;
        let (part, format) = match around.part(&found.member) {
            Ok(part) => (Ok(part), None),
            // As in a scan, if even the beginning does not decode, that error is reported.
            Err(error) => match found.member.sniff() {
                Ok(format) => (Err(error), format),
                Err(error) => (Err(error), None),
            },
        };
        #[cfg(feature = "scan")]
        let stored = crate::asset::stored::Stored::of(&found.member);
        let alike = if found.count > 1 { found.count } else { opened.alike };
        let content = part.map(|part| around.inside(part));
        opened = Opened {
            bytes: content.as_ref().map_or(hint, |content| content.data().size()),
            content,
            format,
            member: Some(join(opened.member.as_ref(), name)),
            #[cfg(feature = "scan")]
            stored: Some(stored),
            depth: opened.depth.saturating_add(1),
            alike,
        };
        left = rest;
    }
    Ok(opened)
}

/// Returns the path of a member of the archive at a path.
pub(crate) fn join(outer: Option<&Name>, name: Name) -> Name {
    match outer {
        Some(outer) => Name { text: format!("{}!/{}", outer.text, name.text), lossy: outer.lossy || name.lossy },
        None => name,
    }
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
/// [`open_member`] follows all of them.
///
/// # Errors
/// Returns an error if no member matches; the message suggests the nearest.
pub fn locate<'a, 'n>(container: &Container<'a>, names: &'n [u8]) -> Result<Located<'a, 'n>> {
    if let Some((end, found)) = container.locate(names)? {
        let rest = names.get(end..).unwrap_or_default();
        let name = numbered_name(spelled(found.member.name()), found.number);
        return Ok(Located { found, name, rest: rest.strip_prefix(SEAM) });
    }
    let first = seams(names).next().and_then(|seam| names.get(..seam)).unwrap_or(names);
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

#[cfg(all(test, feature = "pbo"))]
mod tests {
    use super::*;

    /// Returns a PBO archive whose members are stored in place.
    fn archive(members: &[(&[u8], &[u8])]) -> Vec<u8> {
        let entry = |name: &[u8], size: usize| [name, &[0; 17], &(size as u32).to_le_bytes()].concat();
        // A product entry without properties, by which any archive is recognized.
        let mut bytes = [&b"\0sreV"[..], &[0; 17]].concat();
        bytes.extend(members.iter().flat_map(|(name, data)| entry(name, data.len())));
        bytes.extend(entry(b"", 0));
        bytes.extend(members.iter().flat_map(|(_, data)| data.iter()));
        bytes
    }

    fn open<'a>(bytes: &'a [u8], member: &[u8]) -> Result<Opened<Content<'a>>> {
        let limits = Limits::default();
        open_member(Path::new("a"), bytes, Some(member), &Budget::new(bytes.len() as u64, &limits))
    }

    fn content(bytes: &[u8], member: &[u8]) -> String {
        String::from_utf8(open(bytes, member).unwrap().content.unwrap().to_vec()).unwrap()
    }

    #[test]
    fn names_match_as_stored_before_they_match_otherwise() {
        let bytes = archive(&[(b"A\\b.txt", b"1"), (b"a/B.TXT", b"2"), (b"a/b.txt", b"3")]);
        assert_eq!(content(&bytes, b"a/b.txt"), "3");
        assert_eq!(content(&bytes, b"A/b.txt"), "1");
        let opened = open(&bytes, b"A/b.txt").unwrap();
        assert_eq!((opened.alike, opened.member.unwrap().text.as_str()), (3, "A\\b.txt"));
        assert_eq!(content(&bytes, b"A/b.txt#1"), "2");
        assert_eq!(open(&bytes, b"a/b.txt").unwrap().alike, 0);
    }

    #[test]
    fn every_name_given_leads_back() {
        let names: [&[u8]; 11] =
            [b"a", b"a", b"a#1", b"a#1", b"b#0", b"\xff", b"\\xff", b"x!/y", b"x!\\x2fy", b"z!/y", b"\x1b[2J"];
        let numbers: Vec<String> = (0..names.len()).map(|number| number.to_string()).collect();
        let members: Vec<(&[u8], &[u8])> = names.iter().zip(&numbers).map(|(n, d)| (*n, d.as_bytes())).collect();
        let bytes = archive(&members);
        let asset = Asset::parse(&bytes).unwrap();
        let container = Container::of(&asset).unwrap();
        let mut given = Names::of(&container);
        let mut all = std::collections::HashSet::new();
        for (index, member) in container.members().enumerate() {
            let name = given.next(member.unwrap().name());
            assert_eq!(content(&bytes, name.text.as_bytes()), numbers[index], "{}", name.text);
            let opened = open(&bytes, name.text.as_bytes()).unwrap();
            // The name reported for the address is the name that was given.
            assert_eq!(opened.member.unwrap().text, name.text);
            assert!(all.insert(name.text));
        }
        assert_eq!(content(&bytes, b"z!/y"), "9");
        assert_eq!(content(&bytes, b"\\u{1b}[2J"), "10");
    }

    #[test]
    fn stored_members_of_stored_archives_are_views() {
        let inner = archive(&[(b"deep.txt", b"hello")]);
        let bytes = archive(&[(b"inner.pbo", &inner)]);
        let opened = open(&bytes, b"INNER.pbo!/deep.TXT").unwrap();
        let content = opened.content.unwrap();
        assert!(bytes.as_ptr_range().contains(&content.as_ptr()));
        assert_eq!(opened.member.unwrap().text, "inner.pbo!/deep.txt");
        assert_eq!(&*content, b"hello");
        let empty = archive(&[(b"nothing", b"")]);
        assert!(open(&empty, b"nothing").unwrap().content.unwrap().is_empty());
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_nearest_names() {
        let bytes = archive(&[(b"data\\tree.p3d", b"1"), (b"data\\stone.p3d", b"2"), (b"config.bin", b"3")]);
        let message = |name: &[u8]| open(&bytes, name).unwrap_err().to_string();
        assert_eq!(message(b"data/tre.p3d"), "no member data/tre.p3d; nearest: data\\tree.p3d, data\\stone.p3d");
        assert_eq!(message(b"stone.p3d"), "no member stone.p3d; nearest: data\\stone.p3d");
        assert_eq!(message(b"\xff\xff\xff\xff\xff\xff"), "no member \\xff\\xff\\xff\\xff\\xff\\xff");
        assert!(message(b"config.bin!/x").contains("not an asset"), "{}", message(b"config.bin!/x"));
        assert!(message(b"config.bin#1").starts_with("no member config.bin#1; nearest: config.bin"));
    }

    #[test]
    fn archives_inside_each_other_end_at_the_limit() {
        let bytes = (0..6).fold(archive(&[(b"x", b"x")]), |inner, _| archive(&[(b"x", &inner)]));
        assert_eq!(open(&bytes, b"x!/x!/x!/x").unwrap().depth, 4);
        assert!(matches!(open(&bytes, b"x!/x!/x!/x!/x").unwrap_err().kind(), crate::ErrorKind::Limit { .. }));
    }
}
