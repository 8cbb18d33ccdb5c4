//! An archive's answers to [`Inspect`].

use std::collections::HashMap;

use super::{Archive, Member, Method};
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::inspect::{Inspect, Outline, Part, Span, Value};
use crate::summary::{Blocks, Counts, Problems, Summary};
use crate::view::LeArray;
use crate::view::zip::first_entry;

impl Inspect for Archive<'_> {
    /// One walk over the directory.
    fn summarize(&self) -> Summary {
        let mut problems = Problems::new(&self.limits);
        let mut blocks = Blocks::default();
        let mut count = 0_u64;
        let mut whole = true;
        for member in self.members() {
            let Some(member) = problems.ok(member) else {
                whole = false;
                break;
            };
            count = count.saturating_add(1);
            match (member.method(), member.stored_size()) {
                (Method::STORED, size) => blocks.stored = blocks.stored.saturating_add((size > 0).into()),
                (_, size) => {
                    blocks.packed = blocks.packed.saturating_add(1);
                    blocks.packed_bytes = blocks.packed_bytes.saturating_add(size);
                    blocks.unpacked_bytes = blocks.unpacked_bytes.saturating_add(member.size_hint());
                }
            }
            member.check(&mut problems);
        }
        self.check(&mut problems);
        Summary {
            counts: Counts::new([("members", whole.then_some(count))]),
            blocks,
            problems: problems.into_vec(),
            ..Summary::new(Format::Zip, self.data.len() as u64)
        }
    }

    /// Files that share bytes are named and not unpacked: what is decoded stays in proportion to the archive's size.
    fn verify(&self, problems: &mut Problems) {
        let mut members = Vec::new();
        let mut seen = HashMap::new();
        for member in self.members() {
            let Some(member) = problems.ok(member) else { break };
            member.check(problems);
            let first = *seen.entry(member.name()).or_insert(member.index());
            if first != member.index() {
                problems.warning(&member.error(format!("the same name as member {first}")));
            }
            members.push(member);
        }
        self.check(problems);
        members.sort_by_key(Member::header_offset);
        let mut reached = 0;
        for member in members {
            if member.header_offset() < reached {
                problems.error(&member.error("overlaps another member"));
                continue;
            }
            let Some(local) = problems.ok(member.local()) else { continue };
            reached = local.data_offset.saturating_add(member.stored_size());
            if local.name != member.name() || local.header.method != member.entry().header.method {
                problems.error(&member.error("the header before its bytes tells of another file"));
            }
            match member.unpack() {
                Ok((_, 0)) => {}
                Ok((_, behind)) => {
                    problems.warning(&member.error(format!("{behind} bytes behind the end of its stream")));
                }
                // That only its owner can read a file is no fault of it.
                Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                    problems.ok(member.stored_bytes());
                }
                Err(error) => problems.error(&error),
            }
        }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        out.part(Part::one("directory").spanning(self.directory.start(), self.directory_bytes()), |out| {
            out.field("entries", self.directory.entry_count());
            out.field("prefix_bytes", self.directory.prefix());
            out.field("comment", self.directory.comment());
        });
        for member in self.members() {
            if let Some(member) = out.ok(member) {
                member.outline(out);
            }
        }
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &[]
    }

    fn digest(&self, name: &str, _: &mut dyn FnMut(&[u8])) -> Result<()> {
        Err(Error::unsupported(format!("archives have no digest `{name}`")))
    }
}

impl Archive<'_> {
    fn directory_bytes(&self) -> u64 {
        self.directory.stop().saturating_sub(self.directory.start())
    }

    fn check(&self, problems: &mut Problems) {
        if self.directory.is_lost() {
            let lost = "zip archive without an end record: read by the headers before its files";
            problems.error(&Error::malformed(lost).at(self.data.len() as u64));
            return;
        }
        // A program that unpacks itself lies before its archive; files lie in it.
        let prefix = self.directory.prefix();
        if prefix > 0 && first_entry(self.data).is_ok() {
            problems.warning(&Error::malformed(format!("{prefix} bytes of another archive before it")).at(0));
        }
        let end = self.directory.archive().len();
        let behind = self.data.len().saturating_sub(end);
        if behind > 0 {
            problems.warning(&Error::malformed(format!("{behind} bytes behind the archive")).at(end as u64));
        }
    }
}

impl Member<'_> {
    /// What the directory alone shows.
    fn check(&self, problems: &mut Problems) {
        if let Err(error) = self.name().to_relative_path() {
            problems.warning(&self.error(error.message()));
        }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        let entry = self.entry();
        let header = entry.header;
        let data = self.stored_bytes().and_then(|bytes| {
            let offset = self.local()?.data_offset;
            LeArray::<u8>::new(bytes, offset)
        });
        let mut part = Part::item("members", self.index()).labelled(self.name());
        if let Ok(data) = &data {
            part = part.spanning(data.offset(), data.len() as u64);
        }
        out.part(part, |out| {
            out.field("name", self.name());
            // The line's fixed part, name, extra fields and comment.
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
            if let Some(data) = out.ok(data) {
                out.array("data", &data);
            }
        });
    }
}
