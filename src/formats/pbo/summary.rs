//! The implementation of [`Inspect`] for PBO archives.

use super::entry::{Entries, Entry, EntryKind, HeaderEntry, Property};
use super::member::Member;
use super::tail::Checksum;
use super::wire::{Method, Sha1Tail, ShortTail};
use super::{Archive, TailKind};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context, Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::place::{Locate, Root};
use crate::base::span::Span;
use crate::base::text::{ByteStr, folded};
use crate::bytes::Cursor;
use crate::check::{Alike, Broken, Check, Repeated, grouped};
use crate::inspect::{Depth, Inspect};
use crate::outline::{Outline, Part, Value, next};
use crate::ranges::Data;
use crate::record::{Fixed, Framing, Record, Stored as _, describe_fields, describe_fixed, describe_opaque};
use crate::summary::{Blocks, Counts, Problems, Severity, Summary, Unchecked};

impl Inspect for Archive<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Pbo, &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let summary = self.survey_but_checksum(depth, problems);
        if depth == Depth::Verify {
            // If members exceed the file, the tail is unknown. That is reported for those members.
            if let Ok(Some(checksum)) = self.checksum() {
                self.report_checksum(checksum, problems);
            }
        }
        summary
    }

    fn outline(&self, out: &mut Outline<'_>) {
        out.part(Part::one("header").spanning(0, self.data_offset), |out| {
            out.field("prefix", self.prefix());
            out.field("entries", self.entries().filter(Result::is_ok).count());
        });
        out.list("properties");
        for (index, (property, span)) in self.spanned_properties().enumerate() {
            out.part(property_part(index, &property, span), |out| {
                out.field("key", property.key);
                out.field("value", property.value);
            });
        }
        out.list("members");
        for member in self.members() {
            if let Some(member) = out.ok(member) {
                member.outline(out);
            }
        }
        self.outline_tail(out);
    }

    /// Dissects the entries of the header, and the members after it.
    fn dissect(&self, out: &mut Outline<'_>) {
        out.part(Part::one("header").spanning(0, self.data_offset), |out| {
            let mut properties = 0_usize;
            let mut members = Amount(0);
            for (index, entry) in self.entries().enumerate() {
                let Some(entry) = out.ok(entry.within_item("members", members.0)) else { break };
                if out.is_done() {
                    break;
                }
                members += usize::from(entry.kind() == EntryKind::Member);
                let part = Part::item("entries", index).labelled(entry.name());
                out.part(part.spanning(entry.offset, entry.byte_len()), |out| {
                    entry.dissect(self.data, &mut properties, out)
                });
            }
        });
        for member in self.members() {
            let Some(member) = out.ok(member) else { break };
            // A member that is not inside the file has an empty location.
            let stored = member.span();
            let part = Part::item("members", member.index).labelled(member.name());
            let bytes = match &stored {
                Ok(span) => span.bytes,
                Err(_) => 0,
            };
            out.part(part.spanning(member.offset, bytes), |out| {
                if out.ok(stored).is_some() {
                    out.array("content", &member.content());
                }
            });
        }
        self.outline_tail(out);
    }
}

impl Entry<'_> {
    /// Returns true if it looks like an entry that a writer wrote, and not like other bytes.
    fn is_plausible(&self) -> bool {
        let is_text = !self.name().as_bytes().iter().any(u8::is_ascii_control);
        let method = self.fields().method;
        is_text && method.name().is_some() && method != Method::PRODUCT && self.fields().reserved.get() == 0
    }

    /// Describes its fields and properties. `properties` is the number of properties described so far, in all entries;
    /// it is the index of the next.
    fn dissect(&self, archive: Data<'_>, properties: &mut usize, out: &mut Outline<'_>) {
        let entry = HeaderEntry::walk_fields(&mut archive.cursor(self.offset), (), out);
        let Some(entry) = out.ok(entry) else { return };
        let Some(list) = entry.properties else { return };
        for (start, span, property) in list.located() {
            let part = property_part(next(properties), &property, span).rooted();
            out.part(part, |out| describe_fields::<Property<'_>, _>(start, (), out));
        }
        let end = list.offset().saturating_add(list.byte_len());
        Framing(ByteStr::default()).describe_at("end_of_properties", Span { offset: end, bytes: 1 }, out);
    }
}

/// Returns the part that describes a property: its index among all properties, its key and its location.
fn property_part<'a>(index: usize, property: &Property<'a>, span: Span) -> Part<'a> {
    Part::item("properties", index).labelled(property.key).spanning(span.offset, span.bytes)
}

impl Member<'_> {
    /// Describes it: the fields of its entry, its offset and its content. If its bytes are not inside the file, it has
    /// no location and the content is a problem.
    fn outline(&self, out: &mut Outline<'_>) {
        let part = Part::item("members", self.index).labelled(self.name());
        let bytes = self.span();
        let part = if bytes.is_ok() { part.spanning(self.offset, self.stored_byte_len()) } else { part };
        out.part(part, |out| {
            out.field("name", self.name());
            let entry = Span { offset: self.entry.offset, bytes: self.entry.byte_len() };
            out.field("entry", Value::Opaque(entry));
            let after_name = (self.name().len() as u64).saturating_add(1);
            self.fields().describe_fields(entry.offset.saturating_add(after_name), out);
            out.field("offset", self.offset);
            if out.ok(bytes).is_some() {
                out.array("content", &self.content());
            }
        });
    }

    /// Returns its name as games compare it.
    fn folded_name(&self) -> Vec<u8> {
        self.name().as_bytes().iter().map(|&byte| folded(byte)).collect()
    }

    /// Returns where a problem with it is: its index, and the offset of its entry.
    fn place(&self) -> (usize, u64) {
        (self.index, self.entry.offset)
    }

    /// Checks its entry, and adds problems to `alike`, which reports those of one kind together.
    fn check(&self, depth: Depth, alike: &mut Alike) {
        alike.add_name(self.name(), self.place());
        let claimed = self.fields().original_size.get();
        // Writers store 0 or the size for a stored member.
        let is_other_size = claimed != 0 && u64::from(claimed) != self.stored_byte_len();
        if self.method() == Method::STORED && is_other_size {
            let is_stream = depth == Depth::Verify && self.is_stream_of(claimed.into());
            let kind = if is_stream { "stored stream" } else { "stored size" };
            let name = self.name().in_message();
            let stream = if is_stream { ", and its bytes are an LZSS stream of that size" } else { "" };
            let message = format_args!("{name}: stored, but its entry claims an original size of {claimed}{stream}");
            alike.add(kind, self.place(), message);
        }
        if self.method().name().is_none() || self.method() == Method::PRODUCT {
            let name = self.name().in_message();
            let message = format_args!("{name}: unknown method {:#010x}", self.method().code());
            alike.add("method", self.place(), message);
        }
    }

    /// Checks that a packed member decodes to the size in its entry.
    fn check_content(&self, alike: &mut Alike, problems: &mut Problems) {
        // Keeps the memory for the content reserved up to the end of this function.
        let mut held = None;
        let content = self.decode_after(|bytes| {
            let budget = problems.budget();
            held = Some(budget.charge_and_hold(bytes)?);
            Ok(())
        });
        let Some(content) = problems.ok(content) else { return };
        let claimed = self.decoded_byte_len_hint();
        let decoded = content.len() as u64;
        if claimed != decoded {
            let name = self.name().in_message();
            let message = format_args!("{name}: its entry claims {claimed} bytes, its stream holds {decoded}");
            alike.add("size", self.place(), message);
        }
    }
}

impl Archive<'_> {
    /// Does the [survey](Inspect::survey) without its last step, the [checksum](Self::report_checksum).
    pub(crate) fn survey_but_checksum(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut unchecked = Unchecked::default();
        let blocks = self.check_directory(depth, &mut unchecked, problems);
        if depth > Depth::Header {
            self.check_tail(problems);
        }
        if depth == Depth::Verify {
            self.check_content(problems);
        }
        Summary {
            unchecked,
            counts: if self.whole {
                Counts::known([("members", self.member_count as u64)])
            } else {
                Counts::absent(Format::Pbo)
            },
            blocks,
            ..Summary::new(Format::Pbo, self.data.size())
        }
    }

    /// Describes the bytes after the last member.
    fn outline_tail(&self, out: &mut Outline<'_>) {
        let Some(tail) = out.ok(self.tail().within("tail")) else { return };
        out.part(Part::one("tail").spanning(tail.offset, tail.bytes.len() as u64), |out| {
            out.field("kind", tail.kind().name());
            let mut cursor = Cursor::with_offset(tail.bytes, tail.offset);
            match tail.kind() {
                TailKind::None => {}
                TailKind::Sha1(_) => describe_fixed::<Sha1Tail>(&mut cursor, out),
                TailKind::Short(_) => describe_fixed::<ShortTail>(&mut cursor, out),
                TailKind::Unknown => {
                    describe_opaque("data", Span { offset: tail.offset, bytes: tail.bytes.len() as u64 }, out);
                }
            }
        });
    }

    /// Checks the header: its entries, the prefix and the entry of each member. Returns how many members are stored and
    /// packed, and their sizes.
    /// The members that cannot be read are counted in `unchecked`.
    fn check_directory(&self, depth: Depth, unchecked: &mut Unchecked, problems: &mut Problems) -> Blocks {
        let mut blocks = Blocks::default();
        let mut first = true;
        for entry in self.entries().map_while(Result::ok) {
            if let Some(violation) = violation(&entry, first) {
                problems.report_at(Severity::Warning, Root.field("header"), entry.offset, violation);
            }
            first = false;
        }
        self.check_prefix(problems);
        // If the header ends with an error, that error is reported, and the offsets of members are unknown. Then no
        // member is reported as lost.
        let missing = if self.whole { self.data_end.saturating_sub(self.data.size()) } else { 0 };
        let words = format!("truncated or lost, {} bytes missing at the end", grouped(missing));
        let mut lost = Check::new(Broken::new(Code::Truncated, words));
        let mut alike = Alike::default();
        for member in self.members() {
            if let Some(member) = problems.ok(member) {
                member.check(depth, &mut alike);
                let is_packed = member.method() == Method::PACKED;
                if is_packed || member.method() == Method::STORED {
                    blocks.count(is_packed, member.stored_byte_len(), member.decoded_byte_len_hint());
                } else if depth > Depth::Header {
                    unchecked.add(member.method().to_string());
                }
                lost.look(self.data.size(), member.name(), missing == 0 || member.is_inside());
            }
        }
        alike.report(problems);
        lost.report("members", problems, Root);
        blocks
    }

    /// Warns about a prefix that games and tools read in different ways.
    fn check_prefix(&self, problems: &mut Problems) {
        for (index, (property, span)) in self.spanned_properties().enumerate() {
            if !property.key.as_bytes().eq_ignore_ascii_case(b"prefix") {
                continue;
            }
            let prefix = property.value.as_bytes();
            let mut faults = Vec::new();
            if prefix.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
                faults.push("a line break");
            }
            if prefix.contains(&b'/') {
                faults.push("a / instead of a \\");
            }
            if prefix.starts_with(b"\\") {
                faults.push("a leading \\");
            }
            if prefix.ends_with(b"\\") {
                faults.push("a \\ at its end");
            }
            for fault in faults {
                let message = format!("prefix with {fault}: {}", property.value.in_message());
                let error = Error::malformed(message).at(span.offset).within_item("properties", index);
                problems.warning(&error);
            }
            // Only the first one counts.
            return;
        }
    }

    /// Reports entries after the end of the header, if the sizes before it do not lead to a known tail.
    fn check_end(&self, problems: &mut Problems) {
        let is_consistent = self.tail().is_ok_and(|tail| tail.kind() != TailKind::Unknown);
        if is_consistent || !self.whole {
            return;
        }
        let mut first = None;
        let mut count = Amount(0);
        let mut end = Amount(self.data_end);
        let mut entries = Entries::new(self.data.cursor(self.data_offset));
        for entry in entries.by_ref() {
            let Ok(entry) = entry else { return };
            match entry.kind() {
                EntryKind::Member if entry.is_plausible() => {
                    first = first.or(Some(entry.name()));
                    count += 1;
                    end += entry.fields().data_size.get().into();
                }
                EntryKind::End => {}
                _ => return,
            }
        }
        let Some(first) = first else { return };
        // With them, all sizes have to lead to the end, or to a tail.
        end += entries.offset().saturating_sub(self.data_offset);
        let tail = self.data.size().checked_sub(end.0);
        let tails = [0, size_of::<ShortTail>() as u64, size_of::<Sha1Tail>() as u64];
        if !tail.is_some_and(|tail| tails.contains(&tail)) {
            return;
        }
        let first = first.in_message();
        let count: u64 = count.0;
        let entries = if count == 1 { "entry" } else { "entries" };
        let message =
            format!("{count} {entries} after the end of the header, which are not read; the first is {first}");
        problems.error(&Error::malformed(message).at(self.data_offset).within("header"));
    }

    /// Reports entries after the end of the header, and a tail of no known form.
    fn check_tail(&self, problems: &mut Problems) {
        self.check_end(problems);
        if let Ok(tail) = self.tail()
            && tail.kind() == TailKind::Unknown
        {
            let message = format!("{} bytes of no known form after the members", tail.bytes.len());
            problems.warning(&Error::malformed(message).at(tail.offset).within("tail"));
        }
    }

    /// Checks everything except the checksum: duplicate names and packed members.
    fn check_content(&self, problems: &mut Problems) {
        let mut alike = Alike::default();
        self.check_duplicates(&mut alike, problems);
        for member in self.members().map_while(Result::ok) {
            if member.method() == Method::PACKED && member.stored_bytes().is_ok() {
                member.check_content(&mut alike, problems);
            }
        }
        alike.report(problems);
    }

    /// Reports a wrong checksum. `holds` is `None` if there is no checksum to compare.
    pub(crate) fn report_checksum(&self, mut checksum: Checksum<'_>, problems: &mut Problems) {
        while checksum.step() {}
        match checksum.holds() {
            Ok(true) => {}
            Ok(false) => {
                let error = Error::malformed("SHA-1 is not that of the archive").at(self.data_end).within("tail");
                problems.error(&error.coded(Code::Checksum));
            }
            Err(error) => problems.error(&error),
        }
    }

    /// Adds a problem to `alike` for each member with the name of an earlier one, as games compare names.
    fn check_duplicates(&self, alike: &mut Alike, problems: &mut Problems) {
        let names = self.members().map_while(Result::ok).map(|member| (member.index, member.folded_name()));
        let mut repeated = Repeated::find(self.member_count, names, problems);
        for member in self.members().map_while(Result::ok) {
            if let Some(first) = repeated.first_of(member.index) {
                let name = member.name().in_message();
                alike.add("repeated", member.place(), format_args!("{name}: the same name as member {first}"));
            }
        }
    }
}

/// Returns how an entry differs from those of usual writers, or `None` if it does not. `first` is true for the first
/// entry of the header.
fn violation(entry: &Entry<'_>, first: bool) -> Option<&'static str> {
    let fields = entry.fields();
    let numbers = [fields.original_size, fields.reserved, fields.timestamp, fields.data_size];
    let empty = numbers.iter().all(|number| number.get() == 0);
    match entry.kind() {
        EntryKind::Product if !first => Some("product entry that is not the first"),
        EntryKind::Product if !empty => Some("product entry with sizes"),
        EntryKind::End if fields.data_size.get() > 0 => Some("ended by an entry without a name, but with a size"),
        // The missions of Operation Flashpoint end with the method of their members.
        EntryKind::End if !empty || !matches!(fields.method, Method::STORED | Method::PACKED) => {
            Some("end is not all zero")
        }
        _ => None,
    }
}
