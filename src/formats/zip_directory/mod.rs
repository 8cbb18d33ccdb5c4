//! The records of a zip archive in place: the directory's claims, entry by entry, without verification.
//!
//! Supports archives on one disk, including zip64. An archive whose end is missing is read through the headers in front
//! of its files. Spec: PKWARE APPNOTE 4.3.

mod check;
mod directory;
mod entries;
#[cfg(feature = "zip")]
pub(crate) mod extra;
mod find;
mod outline;
mod search;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
mod wire;

pub use directory::Directory;
pub use entries::{CentralEntry, Entries, LocalEntry};
pub(crate) use entries::{Sizes, first_entry};
pub(crate) use search::has_end_record;
pub(crate) use wire::*;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a stored entry, its directory record and the end record, with a comment of two bytes.
    fn archive() -> Vec<u8> {
        let mut bytes = b"PK\x03\x04\x14\0\0\x08\0\0\0\0\x20\0\0\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\0\0nhi".to_vec();
        bytes.extend(b"PK\x01\x02\0\0\x14\0\0\x08\0\0\0\0\x20\0\0\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\0\0\0\0");
        bytes.extend(b"\0\0\0\0\0\0\0\0\0\0\0\0n");
        bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x2f\0\0\0\x21\0\0\0\x02\0ok");
        bytes
    }

    #[test]
    fn a_directory_is_found_from_the_end_and_read_in_place() {
        let bytes = archive();
        let directory = Directory::find(&bytes).unwrap();
        assert_eq!((directory.start, directory.end_offset, directory.prefix), (33, 80, 0));
        assert_eq!(directory.comment, "ok");
        let mut entries = directory.entries();
        let entry = entries.next().unwrap().unwrap();
        assert!(entries.next().is_none() && entries.left() == 0);
        assert_eq!(entry.name, "n");
        assert_eq!((entry.offset, entry.header.packed_bytes.get()), (33, 2));
        let local = directory.local(0).unwrap();
        assert_eq!(local.name, "n");
        assert_eq!(local.data_offset, 31);
        assert_eq!(first_entry(&bytes).unwrap().name, "n");
        assert_eq!(directory.local(1).unwrap_err().to_string(), "header at 0x1: no LocalHeader");
        // A location outside the file is reported at its end.
        assert_eq!(bytes.len(), 0x68);
        assert_eq!(directory.local(u64::MAX).unwrap_err().to_string(), "header at 0x68: needs 30 bytes, 0 left");
    }

    #[test]
    fn bytes_around_the_archive_shift_it_or_are_left_out() {
        let bytes = [b"before", &archive()[..], b"after"].concat();
        let directory = Directory::find(&bytes).unwrap();
        assert_eq!((directory.prefix, directory.start), (6, 39));
        assert_eq!(directory.archive_end(), (bytes.len() - "after".len()) as u64);
        assert_eq!(directory.entries().count(), 1);
    }

    #[test]
    fn an_error_ends_the_entries() {
        let mut bytes = archive();
        // One more entry than there is, which the directory's size would allow.
        bytes[88..92].copy_from_slice(&[2, 0, 2, 0]);
        bytes[92] = 92;
        // The offset and the first entry show that the size and the count are wrong.
        let directory = Directory::find(&bytes).unwrap();
        assert_eq!((directory.start, directory.entries().filter(Result::is_ok).count()), (33, 1));
        let mut bytes = archive();
        // A name longer than the directory.
        bytes[33 + 28] = 200;
        let mut entries = Directory::find(&bytes).unwrap().entries();
        assert_eq!(entries.next().unwrap().unwrap_err().to_string(), "name at 0x4f: needs 200 bytes, 1 left");
        assert!(entries.next().is_none());
    }
}
