//! The records of a zip and their fields, told each with its place.

use super::directory::{Directory, locator};
use super::wire::*;
use crate::outline::{Outline, Part};
#[cfg(feature = "bmx")]
use crate::record::Record as _;
use crate::record::{tell_fixed, tell_part};

impl Directory<'_> {
    /// Tells the entries, the records of the end, and the comment, each with its place.
    pub(crate) fn dissect(&self, out: &mut Outline<'_>) {
        if self.is_lost() {
            return;
        }
        out.part(Part::one("directory").spanning(self.start(), self.stop().saturating_sub(self.start())), |out| {
            let mut cursor = self.cursor(self.start());
            for index in 0..self.entries().take_while(Result::is_ok).count() {
                let told = tell_part::<CentralRecord<'_>, ()>(&mut cursor, (), Part::item("entries", index), out);
                if told.is_err() || out.is_done() {
                    break;
                }
            }
        });
        let locator_offset = self.end_offset().saturating_sub(size_of::<Zip64Locator>() as u64);
        if matches!(locator(self.data, self.end_offset()), Ok(Some(_))) {
            let bytes = locator_offset.saturating_sub(self.stop());
            out.part(Part::one("zip64_end").spanning(self.stop(), bytes), |out| {
                tell_fixed::<Zip64EndRecord>(&mut self.cursor(self.stop()), out);
            });
            out.part(Part::one("zip64_locator").spanning(locator_offset, size_of::<Zip64Locator>() as u64), |out| {
                tell_fixed::<Zip64Locator>(&mut self.cursor(locator_offset), out);
            });
        }
        // It was read when the directory was found.
        let _ = tell_part::<End<'_>, ()>(&mut self.cursor(self.end_offset()), (), Part::one("end"), out);
    }

    /// Tells the fields of the header before the data of an entry as those of the part opened last.
    #[cfg(feature = "bmx")]
    pub(crate) fn tell_local(&self, header_offset: u64, out: &mut Outline<'_>) {
        let told = LocalRecord::tell_fields(&mut self.cursor(header_offset), (), out);
        out.ok(told);
    }

    /// Tells the header before the data of an entry.
    #[cfg(feature = "zip")]
    pub(crate) fn dissect_local(&self, header_offset: u64, out: &mut Outline<'_>) {
        let told = tell_part::<LocalRecord<'_>, ()>(&mut self.cursor(header_offset), (), Part::one("header"), out);
        out.ok(told);
    }

    /// Tells what follows the data of an entry in so many bytes.
    pub(crate) fn dissect_descriptor(&self, offset: u64, bytes: u64, out: &mut Outline<'_>) {
        out.part(Part::one("descriptor").spanning(offset, bytes), |out| {
            let mut cursor = self.cursor(offset);
            match bytes {
                16.. => tell_fixed::<Descriptor>(&mut cursor, out),
                _ => tell_fixed::<BareDescriptor>(&mut cursor, out),
            }
        });
    }
}
