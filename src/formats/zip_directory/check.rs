//! What the records at the end of an archive say, compared with what its bytes hold.

use super::directory::Directory;
use super::entries::Entries;
use super::search::{self, Claim, Search, locator};
use super::wire::*;
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::place::Root;
use crate::summary::{Problems, Severity};

/// A count of a classic end record is the true one modulo this, from writers that do not know zip64.
const COUNTS: u64 = 1 << 16;

fn wrong_count(record: &str, said: u64, counted: u64) -> String {
    format!("the {record} says {said} entries, the directory holds {counted}")
}

impl Directory<'_> {
    /// Reports each number at the end of the archive that its bytes contradict. `read` are the entries after all of them
    /// were read, if they were.
    pub(crate) fn check(&self, read: Option<&Entries<'_>>, problems: &mut Problems) {
        let counted = read.map(Entries::count_so_far);
        if self.is_lost() {
            return problems.error(&self.lost_error());
        }
        let claim = self.claim();
        if let Some(record) = self.zip64 {
            self.check_claim("zip64 end record", &claim, self.stop, counted, problems);
            self.check_twice(record, problems);
            self.check_locator(problems);
        } else {
            self.check_claim("end record", &claim, self.end_offset, counted, problems);
        }
        self.check_comment(problems);
        let left = read.map_or(0, Entries::left);
        if left > 0 {
            let message = format!("{left} bytes of the directory belong to no entry");
            problems.warning(&Error::malformed(message).at(self.stop.saturating_sub(left)).coded(Code::Trailing));
        }
    }

    /// Returns an error if files may be missing from the list of entries, although it ends without an error: the
    /// directory is lost, or holds fewer entries than the end record says. `counted` is the number of its entries.
    #[cfg(feature = "zip")]
    pub(crate) fn list_error(&self, counted: u64) -> Option<Error> {
        if self.is_lost() {
            return Some(self.lost_error());
        }
        let said = self.claim().entries;
        if said <= counted {
            return None;
        }
        let (record, offset) = match self.zip64 {
            Some(_) => ("zip64 end record", self.stop),
            None => ("end record", self.end_offset),
        };
        Some(Error::malformed(wrong_count(record, said, counted)).at(offset))
    }

    /// Returns the error that says that there is no directory, and why.
    fn lost_error(&self) -> Error {
        let error = match search::find(self.data) {
            Ok(Search::Nowhere(error)) => error,
            _ => Error::malformed("zip archive without its directory"),
        };
        let offset = error.offset().unwrap_or(self.data.size());
        let part = match search::is_marked(self.data) {
            Ok(true) => ", the first part of an archive on several disks",
            _ => "",
        };
        let message = format!("{}{part}: read by the headers before its files", error.kind());
        Error::malformed(message).at(offset)
    }

    /// Compares the numbers of an end record at this offset with the directory. `counted` is the number of entries in it,
    /// if all can be read.
    fn check_claim(&self, record: &str, claim: &Claim, offset: u64, counted: Option<u64>, problems: &mut Problems) {
        if let Some(counted) = counted {
            let said = claim.entries;
            if said != counted {
                let message = wrong_count(record, said, counted);
                // Old writers of many entries count like this, and most readers do not mind.
                if self.zip64.is_none() && counted.checked_rem(COUNTS) == Some(said) {
                    problems.report_at(Severity::Warning, Root, offset, message);
                } else {
                    problems.report_at(Severity::Error, Root, offset, message);
                }
            }
            let here = claim.disk_entries;
            if here != claim.entries && here != counted {
                let message = format!("the {record} says {here} entries on this disk, the directory holds {counted}");
                problems.report_at(Severity::Error, Root, offset, message);
            }
        }
        let bytes = self.stop.saturating_sub(self.start);
        if claim.bytes != bytes {
            let said = claim.bytes;
            let message = format_args!("the {record} says a directory of {said} bytes, it has {bytes}");
            problems.report_at(Severity::Error, Root, offset, message);
        }
        let start = self.start.saturating_sub(self.prefix);
        if claim.offset != start {
            let said = claim.offset;
            let message = format!("the {record} says that the directory is at {said:#x}, it is at {start:#x}");
            problems.report_at(Severity::Error, Root, offset, message);
        }
        for (disk, what) in [(claim.disk, "this is"), (claim.directory_disk, "the directory is on")] {
            if disk > 0 {
                let message = format!("the {record} says that {what} disk {disk}, but the archive is in one piece");
                problems.report_at(Severity::Error, Root, offset, message);
            }
        }
    }

    /// Compares the classic end record with that of zip64. A number that is all ones is not in the classic one.
    fn check_twice(&self, wide: &Zip64EndRecord, problems: &mut Problems) {
        let said = Claim::of_classic(&self.end);
        let wide = Claim::of_zip64(wide);
        let short = u64::from(u16::MAX);
        let long = u64::from(u32::MAX);
        let pairs = [
            ("number of this disk", said.disk, wide.disk, short),
            ("disk of the directory", said.directory_disk, wide.directory_disk, short),
            ("entries on this disk", said.disk_entries, wide.disk_entries, short),
            ("entries", said.entries, wide.entries, short),
            ("bytes of the directory", said.bytes, wide.bytes, long),
            ("offset of the directory", said.offset, wide.offset, long),
        ];
        for (what, classic, zip64, left_out) in pairs {
            if classic != zip64 && classic != left_out {
                let message = format!("{what}: the end record says {classic}, the zip64 end record {zip64}");
                problems.error(&Error::malformed(message).at(self.end_offset));
            }
        }
    }

    /// Compares the zip64 locator, if there is one, with the place of its record.
    fn check_locator(&self, problems: &mut Problems) {
        let Ok(Some(locator)) = locator(self.data, self.end_offset) else { return };
        let offset = self.end_offset.saturating_sub(size_of::<Zip64Locator>() as u64);
        let said = locator.record_offset.get();
        let there = self.stop.saturating_sub(self.prefix);
        if said != there {
            let message = format!("the zip64 locator says that its record is at {said:#x}, it is at {there:#x}");
            problems.report_at(Severity::Error, Root, offset, message);
        }
        let disk = locator.disk.get();
        if disk > 0 {
            let message = format!("the zip64 locator says disk {disk}, but the archive is in one piece");
            problems.report_at(Severity::Error, Root, offset, message);
        }
        // Some writers count from 0.
        let disks = locator.disks.get();
        if disks > 1 {
            let message = format!("the zip64 locator says {disks} disks, but the archive is in one piece");
            problems.report_at(Severity::Error, Root, offset, message);
        }
    }

    /// Reports a comment that the file cuts short, and one that holds the signature of an end record.
    fn check_comment(&self, problems: &mut Problems) {
        let said = u64::from(self.end.comment_bytes.get());
        let held = self.comment.len() as u64;
        let offset = self.end_offset;
        if said != held {
            let message = format!("the end record says a comment of {said} bytes, {held} are left");
            problems.error(&Error::malformed(message).at(offset).coded(Code::Truncated));
        }
        if memchr::memmem::find(self.comment.as_bytes(), &EndRecord::SIGNATURE).is_some() {
            problems.warning(&Error::malformed("the comment holds another end record").at(offset));
        }
    }
}
