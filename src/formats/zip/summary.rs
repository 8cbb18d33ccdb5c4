//! The implementation of [`Inspect`] for zip archives.

use std::borrow::Cow;

use super::member::{is_folder, name_of};
use super::{Archive, Member, Method};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::batch::Bytes;
use crate::bytes::{Packing, Storage};
use crate::check::{Alike, Repeated};
use crate::formats::zip_directory::{Directory, Entries, SIZES_FOLLOW, first_entry};
use crate::inspect::{Depth, Inspect};
use crate::outline::{Outline, Part, Value};
use crate::record::describe_opaque;
use crate::summary::{Blocks, Counts, Problems, Summary, Unchecked, side_by_side};

/// The tables of a Ballance map, without its index.
const MAP_TABLES: [&str; 4] = ["object.bm", "mesh.bm", "material.bm", "texture.bm"];

/// Which tables of a Ballance map are among the files of an archive.
#[derive(Default)]
struct MapTables {
    has_index: bool,
    /// Whether each of [`MAP_TABLES`] is there.
    has: [bool; MAP_TABLES.len()],
}

impl MapTables {
    /// Notes the table if the file of this name is one.
    fn add(&mut self, name: ByteStr<'_>) {
        if !name.as_bytes().ends_with(b".bm") {
            return;
        }
        self.has_index |= name == "index.bm";
        for (has, table) in self.has.iter_mut().zip(MAP_TABLES) {
            *has |= name == table;
        }
    }

    /// Returns the first table that is there.
    fn first(&self) -> Option<&'static str> {
        for (has, table) in self.has.iter().zip(MAP_TABLES) {
            if *has {
                return Some(table);
            }
        }
        None
    }
}

/// A file or a folder to dissect, both of which have a local header.
struct Headed<'a> {
    header_offset: u64,
    part: Part<'static>,
    /// `None` for a folder.
    member: Option<Member<'a>>,
}

impl Inspect for Archive<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Zip, &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Walks the directory once, unless it verifies. Overlapping files are reported and not decompressed, so that the
    /// work stays in proportion to the archive's size.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let (summary, shared) = self.survey_but_content(depth, problems);
        if depth == Depth::Verify {
            self.check_content(&shared, problems);
        }
        summary
    }

    fn outline(&self, out: &mut Outline<'_>) {
        let start = self.directory.start;
        let stop = self.directory.stop;
        out.part(Part::one("directory").spanning(start, stop.saturating_sub(start)), |out| {
            out.field("entries", self.directory.entry_count);
            out.field("prefix_bytes", self.directory.prefix);
            out.field("comment", self.directory.comment);
        });
        out.list("members");
        for member in self.members() {
            if let Some(member) = out.ok(member) {
                member.outline(out);
            }
        }
    }

    /// Dissects the files with their local headers and descriptors, the directory, and the end records.
    fn dissect(&self, out: &mut Outline<'_>) {
        let prefix = self.directory.prefix;
        if prefix > 0 {
            describe_opaque("before_the_archive", Span { offset: 0, bytes: prefix }, out);
        }
        let mut headed: Vec<Headed<'_>> = Vec::new();
        for member in self.members() {
            let Some(member) = out.ok(member) else { break };
            let part = Part::item("members", member.index);
            headed.push(Headed { header_offset: member.header_offset(), part, member: Some(member) });
        }
        let folders = self.directory.entries().map_while(Result::ok).filter(is_folder);
        for (index, folder) in folders.enumerate() {
            let header_offset = prefix.saturating_add(folder.header_offset);
            headed.push(Headed { header_offset, part: Part::item("folders", index), member: None });
        }
        headed.sort_by_key(|headed| headed.header_offset);
        for Headed { header_offset, part, member } in headed {
            match member {
                Some(member) => member.dissect(part, out),
                None => out.part(part, |out| self.directory.dissect_local(header_offset, out)),
            }
        }
        self.directory.dissect(out);
    }
}

impl Archive<'_> {
    /// Walks the directory. At the depth of a verification, only the content of the files is left to check: all but
    /// those with these indices.
    pub(crate) fn survey_but_content(&self, depth: Depth, problems: &mut Problems) -> (Summary, Vec<usize>) {
        let mut blocks = Blocks::default();
        let mut count = Amount(0_u64);
        let mut is_whole = true;
        let mut names = Alike::default();
        let mut unchecked = Unchecked::default();
        let mut map = MapTables::default();
        let mut members = self.members();
        for member in members.by_ref() {
            let Some(member) = problems.ok(member) else {
                is_whole = false;
                break;
            };
            count += 1;
            let is_packed = member.method() != Method::STORED;
            blocks.count(is_packed, member.stored_byte_len(), member.decoded_byte_len_hint());
            names.add_name(member.name(), member.place());
            if depth > Depth::Header && member.packing().is_none() {
                unchecked.add(member.method_name());
            }
            if depth == Depth::Verify {
                map.add(member.name());
            }
        }
        names.report(problems);
        let all_read = if is_whole { Some(members.entries()) } else { None };
        self.check(all_read, problems);
        if depth == Depth::Verify {
            self.check_names(usize::try_from(count.0).unwrap_or(usize::MAX), problems);
            self.check_map(&map, problems);
        }
        let shared = self.check_overlaps(problems);
        let known_count = if is_whole { Some(count.0) } else { None };
        let summary = Summary {
            counts: Counts::known([("members", known_count)]),
            blocks,
            unchecked,
            ..Summary::new(Format::Zip, self.data.size())
        };
        (summary, shared)
    }

    /// Returns an error if files may be missing from the [members](Self::members), although they end without one.
    pub(crate) fn list_error(&self) -> Option<Error> {
        let mut members = self.members();
        if members.by_ref().any(|member| member.is_err()) {
            return None;
        }
        self.directory.list_error(members.entries().count_so_far())
    }

    /// Warns about tables of a Ballance map without `index.bm`, by which maps are recognized.
    fn check_map(&self, map: &MapTables, problems: &mut Problems) {
        if map.has_index {
            return;
        }
        let Some(table) = map.first() else { return };
        let message = format!("{table} without index.bm: a Ballance map that cannot be read");
        problems.warning(&Error::malformed(message).at(self.directory.start).coded(Code::Missing));
    }

    /// Reports names that several of this many files have.
    fn check_names(&self, count: usize, problems: &mut Problems) {
        let names = self.file_entries().map(|entry| name_of(&entry)).enumerate();
        let mut repeated = Repeated::find(count, names, problems);
        if repeated.is_empty() {
            return;
        }
        let mut alike = Alike::default();
        for member in self.members().map_while(Result::ok) {
            if let Some(first) = repeated.first_of(member.index) {
                let message = member.message(format!("the same name as member {first}"));
                alike.add("repeated", member.place(), message);
            }
        }
        alike.report(problems);
    }

    /// Checks the headers and content of all files, except those in `shared`.
    pub(crate) fn check_content(&self, shared: &[usize], problems: &mut Problems) {
        let budget = problems.budget().clone();
        let members = self.members().map_while(Result::ok);
        let members = members.filter(|member| shared.binary_search(&member.index).is_err()).map(|member| {
            let local = member.local();
            // The budget is charged in order, so that it always runs out at the same member. A member without a header
            // is not charged.
            let paid = local.map(|local| (local, member.pay(&budget)));
            (member, paid)
        });
        side_by_side(problems, members, |(member, paid), problems| {
            let Some((local, held)) = problems.ok(paid) else { return };
            member.check_headers(&local, problems);
            let Some(_held) = problems.ok(held) else { return };
            match member.check_content() {
                Ok(0) => {}
                Ok(after) => {
                    let error = member.error(format!("{after} bytes after the end of its stream"));
                    problems.warning(&error.coded(Code::Trailing));
                }
                // A file that only its owner can read is not faulty, but its bytes must be there.
                Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_) | ErrorKind::Encrypted(_)) => {
                    problems.ok(member.stored_bytes());
                }
                Err(error) => problems.error(&error),
            }
        });
    }

    /// Reports files that overlap others as one problem, at the first of them. Returns their indices, ascending.
    fn check_overlaps(&self, problems: &mut Problems) -> Vec<usize> {
        let overlaps = self.overlaps();
        let mut shared: Vec<usize> = overlaps.iter().map(|overlap| overlap.index).collect();
        shared.sort_unstable();
        let Some(first) = overlaps.iter().min_by_key(|overlap| overlap.index) else { return shared };
        // Overlaps are found only among the members that can be listed, so this one exists.
        let Some(Ok(member)) = self.members().nth(first.index) else { return shared };
        let other = first.other;
        let mut message = if first.is_over {
            let bytes = member.stored_byte_len();
            format!("its {bytes} bytes reach over the header of members[{other}]")
        } else {
            format!("shares bytes with members[{other}]")
        };
        if shared.len() > 1 {
            message += &format!(" (first of {} such members)", shared.len());
        }
        problems.error(&member.error(message).coded(Code::Overlap));
        shared
    }

    /// Checks the directory and the bytes around the archive. `read` are the entries after all of them were read, if
    /// they were.
    fn check(&self, read: Option<&Entries<'_>>, problems: &mut Problems) {
        self.directory.check(read, problems);
        if self.directory.is_lost() {
            return;
        }
        // Bytes before the archive are normal for a self-extracting program, but not if they are another archive.
        let prefix = self.directory.prefix;
        if prefix > 0 && self.data.read(0, |cursor| first_entry(cursor.rest())).is_ok() {
            problems.warning(&Error::malformed(format!("{prefix} bytes of another archive before it")).at(0));
        }
        let end = self.directory.archive_end();
        let after = self.data.size().saturating_sub(end);
        if after > 0 {
            problems.warning(&Error::trailing(after, "the archive").at(end));
        }
    }
}

impl Member<'_> {
    /// Returns its index, and the offset of its directory entry.
    fn place(&self) -> (usize, u64) {
        (self.index, self.entry.offset)
    }

    /// Returns four offsets in ascending order: of its local header, of the start and the end of its bytes, and of the
    /// end of the descriptor after them, which exists if the header does not contain their size.
    fn places(&self) -> Result<[u64; 4]> {
        let start = self.header_offset();
        let span = self.span()?;
        let end = span.offset.saturating_add(span.bytes);
        let directory = &self.archive.directory;
        let mut bytes = 0;
        if self.header().flags.get() & SIZES_FOLLOW != 0 {
            // Missing bytes are an error, and not a missing descriptor.
            let longest = directory.start.min(end.saturating_add(Directory::LONGEST_DESCRIPTOR));
            self.archive.data.get(end.min(longest)..longest)?;
            bytes = directory.descriptor_byte_len(end, &self.entry);
        }
        Ok([start, span.offset, end, end.saturating_add(bytes).min(directory.start)])
    }

    /// Dissects it as this part: its local header, its bytes and its descriptor.
    fn dissect(&self, part: Part<'_>, out: &mut Outline<'_>) {
        let places = self.places();
        let part = match &places {
            Ok([start, .., descriptor_end]) => part.spanning(*start, descriptor_end.saturating_sub(*start)),
            Err(_) => part,
        };
        out.part(part.labelled(self.name()), |out| {
            self.archive.directory.dissect_local(self.header_offset(), out);
            let Some([_, _, end, descriptor_end]) = out.ok(places) else { return };
            self.outline_bytes(out);
            if descriptor_end > end {
                self.archive.directory.dissect_descriptor(end, descriptor_end.saturating_sub(end), out);
            }
        });
    }

    /// Describes its content, and its bytes as stored. Both need its header only, until they are read.
    fn outline_bytes(&self, out: &mut Outline<'_>) {
        let Some(Span { offset, bytes }) = out.ok(self.span()) else { return };
        // Encrypted content, or content with an unsupported method, cannot be read.
        let packing = self.packing();
        if let Some(packing) = packing {
            let rows = || self.decoded_byte_len_hint();
            let here = || self.borrowed().ok().flatten();
            out.array("data", &Bytes::new("value", Storage { offset, bytes, packing }, rows, here, || self.decode()));
        }
        let storage = Storage { offset, bytes, packing: Packing::InPlace };
        let read = || self.stored_bytes().map(Cow::from);
        out.repeating(packing.is_some())
            .array("stored", &Bytes::new("value", storage, || bytes, || self.stored_bytes().ok(), read));
    }

    /// Describes it by its directory entry. Its part spans its bytes as stored.
    fn outline(&self, out: &mut Outline<'_>) {
        let entry = self.entry;
        let header = entry.header;
        let mut part = Part::item("members", self.index).labelled(self.name());
        if let Ok([_, data, end, _]) = self.places() {
            part = part.spanning(data, end.saturating_sub(data));
        }
        out.part(part, |out| {
            out.field("name", self.name());
            // The fixed part, name, extra fields and comment of the directory entry.
            out.field("entry", Value::Opaque(Span { offset: entry.offset, bytes: entry.bytes }));
            out.field("version_made_by", header.version_made_by.get());
            out.field("version_needed", header.version_needed.get());
            out.field("flags", header.flags.get());
            out.field("encrypted", self.is_encrypted());
            out.coded("method", header.method.get(), self.method().name());
            out.field("time", header.time.get());
            out.field("date", header.date.get());
            out.field("crc32", header.crc32.get());
            out.field("packed_bytes", entry.packed_bytes);
            out.field("unpacked_bytes", entry.unpacked_bytes);
            out.field("internal_attributes", header.internal_attributes.get());
            out.field("external_attributes", header.external_attributes.get());
            out.field("header_offset", self.header_offset());
            out.field("comment", entry.comment);
            self.outline_bytes(out);
        });
    }
}
