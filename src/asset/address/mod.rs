//! Addresses of archive members.
//!
//! An address is a file, followed by `!/` and a member's name for each archive to enter:
//! `mods.zip!/a.pbo!/data\tree.p3d`. Names are written as in records: each byte that is not UTF-8 as `\xNN`, and `!/`
//! inside a name as `!\x2f`. A name matches a member exactly as stored, or else ignoring case and slash direction. If
//! several members share a name, `#1` selects the second. A name that itself ends this way gets a `#0`.

mod content;
mod follow;
mod in_ranges;
mod member_path;
mod names;
mod parse;

use std::path::Path;

use self::follow::follow;
use crate::base::error::Result;
use crate::budget::Budget;

pub use content::Content;
pub use follow::{Located, Opened, locate};
pub use in_ranges::{ContentRanges, open_member_ranges};
#[cfg(feature = "scan")]
pub(crate) use member_path::has_seam;
pub use member_path::{MemberPath, unnumbered};
pub use names::{Found, Names, nearest};
pub use parse::Address;

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
/// Returns an error with [`Code::NotFound`](crate::summary::Code::NotFound) if a name matches no member (the message
/// suggests the nearest) or is inside an asset that is not an archive. Damage to the directory of an archive may be the
/// cause, because archives on the path are not verified. Returns an error if a name is inside something that is no asset,
/// or if an archive on the path cannot be decoded. Returns a [`Limit`](crate::ErrorKind::Limit) error beyond
/// [`Limits::archive_depth`](crate::Limits::archive_depth).
pub fn open_member<'a>(
    file: &Path,
    data: &'a [u8],
    member: Option<&[u8]>,
    budget: &Budget,
) -> Result<Opened<Content<'a>>> {
    open_member_if(file, data, member, budget, &mut |_| Ok(()))
}

/// Opens a member like [`open_member`], but calls `check` before an archive on the path is examined and before a member
/// is decoded, with the number of bytes.
///
/// # Errors
/// Returns the errors of [`open_member`] and of `check`.
pub fn open_member_if<'a>(
    file: &Path,
    data: &'a [u8],
    member: Option<&[u8]>,
    budget: &Budget,
    check: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Opened<Content<'a>>> {
    follow(file, Content::new(data, budget), member, check)
}

#[cfg(all(test, feature = "pbo"))]
mod tests {
    use super::*;
    use crate::asset::Asset;
    use crate::asset::container::Container;
    use crate::base::limits::Limits;

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
