//! Describes the records of a zip and their fields with their locations.

use super::directory::Directory;
use super::search::locator;
use super::wire::*;
use crate::outline::{Outline, Part};
use crate::record::{describe_fields, describe_fixed, walk_part};

impl Directory<'_> {
    /// Describes the entries of the directory, the end records, and the comment.
    pub(crate) fn dissect(&self, out: &mut Outline<'_>) {
        if self.is_lost() {
            return;
        }
        out.part(Part::one("directory").spanning(self.start, self.stop.saturating_sub(self.start)), |out| {
            let mut cursor = self.data.cursor(self.start);
            for index in 0..self.entries().take_while(Result::is_ok).count() {
                let entry = walk_part::<CentralRecord<'_>, _, _>(&mut cursor, (), Part::item("entries", index), out);
                if entry.is_err() || out.is_done() {
                    break;
                }
            }
        });
        let locator_offset = self.end_offset.saturating_sub(size_of::<Zip64Locator>() as u64);
        if matches!(locator(self.data, self.end_offset), Ok(Some(_))) {
            let bytes = locator_offset.saturating_sub(self.stop);
            out.part(Part::one("zip64_end").spanning(self.stop, bytes), |out| {
                describe_fixed::<Zip64EndRecord>(&mut self.data.cursor(self.stop), out);
            });
            out.part(Part::one("zip64_locator").spanning(locator_offset, size_of::<Zip64Locator>() as u64), |out| {
                describe_fixed::<Zip64Locator>(&mut self.data.cursor(locator_offset), out);
            });
        }
        // It was read when the directory was found.
        let _ = walk_part::<End<'_>, _, _>(&mut self.data.cursor(self.end_offset), (), Part::one("end"), out);
    }

    /// Adds the fields of an entry's local header to the part opened last.
    pub(crate) fn describe_local(&self, header_offset: u64, out: &mut Outline<'_>) {
        describe_fields::<LocalRecord<'_>, _>(self.data.cursor(header_offset), (), out);
    }

    /// Describes an entry's local header as a part.
    pub(crate) fn dissect_local(&self, header_offset: u64, out: &mut Outline<'_>) {
        let header =
            walk_part::<LocalRecord<'_>, _, _>(&mut self.data.cursor(header_offset), (), Part::one("header"), out);
        out.ok(header);
    }

    /// Describes the descriptor of `bytes` bytes after an entry's data.
    pub(crate) fn dissect_descriptor(&self, offset: u64, bytes: u64, out: &mut Outline<'_>) {
        out.part(Part::one("descriptor").spanning(offset, bytes), |out| {
            let mut cursor = self.data.cursor(offset);
            match bytes {
                24.. => describe_fixed::<Zip64Descriptor>(&mut cursor, out),
                20.. => describe_fixed::<Zip64BareDescriptor>(&mut cursor, out),
                16.. => describe_fixed::<Descriptor>(&mut cursor, out),
                _ => describe_fixed::<BareDescriptor>(&mut cursor, out),
            }
        });
    }
}
