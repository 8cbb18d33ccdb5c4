//! The header before a file and the descriptor after it, compared with the directory.
//!
//! Readers of streams have only these two, so that a contradiction shows different readers different files.

use super::Member;
use crate::base::span::Span;
use crate::formats::zip_directory::extra::{self, ExtraFields, UnicodePath};
use crate::formats::zip_directory::{LocalEntry, SIZES_FOLLOW, Sizes};
use crate::summary::{Problems, Severity};

/// The bits of the flags that change what is read: encrypted, patched data, strong encryption, masked headers.
const MEANING: u16 = 1 | 1 << 5 | 1 << 6 | 1 << 13;
/// The disk number of an entry whose zip64 field has it.
const WIDE_DISK: u16 = u16::MAX;

impl Member<'_> {
    /// Reports each contradiction between the directory, the header before the bytes, and the descriptor after them.
    pub(super) fn check_headers(&self, local: &LocalEntry<'_>, problems: &mut Problems) {
        let mut check = Comparison { member: self, where_from: "the header before its bytes", problems };
        let here = local.header;
        let there = self.header();
        if local.name != self.entry.name {
            check.differs("the name", local.name.in_message(), self.entry.name.in_message());
        }
        if here.method != there.method {
            check.differs("method", super::Method(here.method.get()), self.method());
        }
        check.flags(here.flags.get(), there.flags.get());
        let sizes = local.sizes();
        // The header of a stream has no sizes, and only those of its descriptor count.
        let is_stream = here.flags.get() & SIZES_FOLLOW != 0;
        let in_directory = self.entry.sizes();
        check.sizes(&sizes, &in_directory, is_stream);
        check.extra("", self.entry.extra);
        check.extra(" before its bytes", local.extra);
        if extra::unicode_path(self.entry.extra, self.entry.name) == Some(UnicodePath::Wrong) {
            let message = "the extra field with its name in UTF-8 belongs to another name";
            check.report(Severity::Warning, message.to_owned());
        }
        let disk = there.disk.get();
        if disk != 0 && disk != WIDE_DISK {
            let message = format!("the directory says that it is on disk {disk}");
            check.report(Severity::Error, message);
        }
        if is_stream {
            self.check_descriptor(&in_directory, problems);
        }
    }

    /// Compares the descriptor with the sizes in the directory. Without a signature it may be missing or of any of two
    /// forms, so it is wrong only if no form fits.
    fn check_descriptor(&self, in_directory: &Sizes, problems: &mut Problems) {
        // A wrong range is reported with the content.
        let Ok(Span { offset, bytes }) = self.span() else { return };
        let end = offset.saturating_add(bytes);
        let directory = &self.archive.directory;
        let forms = directory.descriptors(end);
        let Some(first) = forms.first() else {
            // The header before the bytes has the sizes, so that nobody needs the descriptor.
            if self.local().is_ok_and(|local| local.sizes() == *in_directory) {
                return;
            }
            let message = "no descriptor after its bytes, though its flags announce one";
            return problems.warning(&self.error(message));
        };
        if forms.iter().any(|form| form.sizes == *in_directory) {
            return;
        }
        let mut check = Comparison { member: self, where_from: "the descriptor after its bytes", problems };
        check.sizes(&first.sizes, in_directory, false);
    }
}

/// Compares values of a member with those of the directory.
struct Comparison<'c, 'm> {
    member: &'c Member<'m>,
    /// The record with the compared values, as named in messages.
    where_from: &'static str,
    problems: &'c mut Problems,
}

impl Comparison<'_, '_> {
    /// Reports a problem of the member.
    fn report(&mut self, severity: Severity, message: String) {
        self.problems.add(severity, &self.member.error(message));
    }

    /// Reports a value that is `here` in the record and `there` in the directory.
    fn differs(&mut self, what: &str, here: impl std::fmt::Display, there: impl std::fmt::Display) {
        let message = format!("{} says {what} {here}, the directory {there}", self.where_from);
        self.report(Severity::Error, message);
    }

    /// Compares the flags. A difference is an error if it changes what is read, and otherwise a warning.
    fn flags(&mut self, here: u16, there: u16) {
        let different = here ^ there;
        if different == 0 {
            return;
        }
        let severity = if different & MEANING != 0 { Severity::Error } else { Severity::Warning };
        let message = format!("{} says flags {here:#06x}, the directory {there:#06x}", self.where_from);
        self.report(severity, message);
    }

    /// Compares sizes and CRC-32. If the record may lack them, its zeros say nothing.
    fn sizes(&mut self, here: &Sizes, there: &Sizes, may_lack: bool) {
        if here.crc32 != there.crc32 && !(may_lack && here.crc32 == 0) {
            self.differs("CRC-32", format!("{:08x}", here.crc32), format!("{:08x}", there.crc32));
        }
        if here.packed != there.packed && !(may_lack && here.packed == 0) {
            self.differs("a packed size of", here.packed, there.packed);
        }
        if here.unpacked != there.unpacked && !(may_lack && here.unpacked == 0) {
            self.differs("an unpacked size of", here.unpacked, there.unpacked);
        }
    }

    /// Warns if the extra fields in this place, as named in the message, are malformed.
    fn extra(&mut self, place: &str, extra: &[u8]) {
        if let Some((at, fault)) = ExtraFields::fault(extra) {
            self.report(Severity::Warning, format!("extra fields{place}: {fault} at byte {at} of {}", extra.len()));
        }
    }
}
