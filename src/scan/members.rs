//! The members of an archive that a scan visits: their cost and their records.

use std::ops::Range;

use super::describe::At;
use super::options::Scan;
use super::record::Record;
use super::target::{Use, is_archive};
use crate::asset::Asset;
use crate::asset::address::MemberPath;
use crate::asset::container::{Container, Member};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::Name;
use crate::summary::{Problem, Severity, Unchecked};
use crate::visit::members::cost;

/// The bytes of results that a record takes, in addition to its names and problems.
const RECORD_BYTES: u64 = 1024;

/// Returns the asset as an archive, and which of these members can be visited. If it is too deep for that, or the budget
/// ends before, this is a problem of its record.
pub(super) fn container<'a>(
    at: At<'_>,
    asset: &Asset<'a>,
    members: Range<usize>,
    record: &mut Record,
) -> Option<(Container<'a>, Range<usize>)> {
    if !at.origin.scan.archives {
        return None;
    }
    let container = Container::of(asset)?;
    let limit = at.origin.scan.limits.archive_depth;
    if at.origin.depth >= limit {
        let error = Error::limit("archives inside each other", limit, Code::ArchiveDepthLimit);
        record.summary.problems.push(Problem::error(&error));
        return None;
    }
    let (count, error) = afford(at, container.members().take(members.end).skip(members.start));
    if let Some(error) = &error {
        record.summary.problems.push(Problem::error(error));
    }
    Some((container, members.start..members.start.saturating_add(count)))
}

/// Charges for visiting the members of an archive and for a record of each. This happens before the archive's own
/// record is handed over, so that the record can report where the budget ends. Returns how many members can be
/// visited, and why not all.
pub(super) fn afford<'a>(at: At<'_>, members: impl Iterator<Item = Result<Member<'a>>>) -> (usize, Option<Error>) {
    let around = at.origin.member.as_ref().map_or(0, text_bytes);
    let mut count = 0_usize;
    for member in members.map_while(Result::ok) {
        if let Err(error) = charge(at, &member, around) {
            return (count, Some(error));
        }
        count = count.saturating_add(1);
    }
    (count, None)
}

/// Charges for visiting a member and for its record. `around` are the bytes that the path of the archive takes there.
fn charge(At { origin, budget }: At<'_>, member: &Member<'_>, around: u64) -> Result<()> {
    let work = cost(member);
    let name = (member.name().len() as u64).saturating_mul(LONGEST_ESCAPE);
    // As the member, and in the address.
    let names = around.saturating_add(name).saturating_mul(2);
    budget.charge_members(1)?;
    budget.charge_work(work)?;
    budget.charge_output(RECORD_BYTES.saturating_add(names))?;
    origin.charge_units(work)
}

/// Charges for the content of a record beyond names. Returns the bytes that it takes, or `None` if the record is not
/// requested.
pub(super) fn pay(At { origin, budget }: At<'_>, record: &mut Record) -> Option<u64> {
    let is_requested = origin.use_as == Use::Whole && origin.scan.wants(record.summary.format);
    if !is_requested && !may_stand_for_assets(record, origin.use_as, origin.scan) {
        return None;
    }
    let bytes = content_bytes(record);
    if let Err(error) = budget.charge_output(bytes) {
        record.prefix = None;
        record.summary.references.clear();
        record.summary.unchecked = Unchecked::default();
        record.summary.problems = vec![Problem::error(&error)];
    }
    Some(bytes)
}

/// Returns true if this record may stand for requested assets: an archive that could not all be read, or data in no known
/// format whose name does not promise a format that is not requested.
fn may_stand_for_assets(record: &Record, use_as: Use, scan: &Scan) -> bool {
    let summary = &record.summary;
    let has_error = summary.problems.iter().any(|problem| problem.severity == Severity::Error);
    if summary.format.is_some() {
        // Members that cannot be read have names, by which a glob selects them.
        let has_unread_members = use_as == Use::Whole && summary.unchecked.total() > 0;
        return scan.archives && is_archive(summary.format) && (has_error || has_unread_members);
    }
    let name = MemberPath::own_name(&record.path, record.member.as_ref());
    let Some(promised) = Format::from_extension(name) else { return has_error };
    if is_archive(Some(promised)) {
        return scan.archives;
    }
    // It may be damaged, but also be a pointer of Git LFS.
    scan.formats.iter().any(|format| share_extension(*format, promised))
}

/// Returns true if files of both formats have the same extension.
fn share_extension(a: Format, b: Format) -> bool {
    match (a, b) {
        (Format::Odol | Format::Mlod, Format::Odol | Format::Mlod) => true,
        (Format::Rtm | Format::Bmtr, Format::Rtm | Format::Bmtr) => true,
        _ => a == b,
    }
}

/// Returns the bytes that the references, problems, unread methods and prefix of a record take.
fn content_bytes(record: &Record) -> u64 {
    let member_bytes = record.member.as_ref().map_or(0, text_bytes);
    let mut bytes = Amount(record.prefix.as_ref().map_or(0, text_bytes));
    for reference in &record.summary.references {
        bytes += text_bytes(&reference.name);
        bytes += REFERENCE_BYTES;
    }
    for (method, _) in record.summary.unchecked.iter() {
        bytes += method.len() as u64;
        bytes += METHOD_BYTES;
    }
    // Each problem has a line of its own, with the name of the member.
    for problem in &record.summary.problems {
        bytes += problem.message.len() as u64;
        bytes += member_bytes;
        bytes += PROBLEM_BYTES;
    }
    bytes.0
}

/// The bytes of results that a reference takes, in addition to its name.
const REFERENCE_BYTES: u64 = 40;
/// The bytes of results that the number of members with one method takes, in addition to the method.
const METHOD_BYTES: u64 = 24;
/// The bytes of results that a problem takes, in addition to its message and the member's path.
const PROBLEM_BYTES: u64 = 100;
/// The most bytes that one byte of a name takes in a record: `\u0001`.
const LONGEST_ESCAPE: u64 = 6;

/// Returns the most bytes that a text takes in a record.
pub(super) fn text_bytes(name: &Name) -> u64 {
    let text = &name.text;
    let plain = text.len() as u64;
    // Many names have no characters to escape. Without an early end, many bytes are compared at once.
    let has_escaped = text.bytes().fold(false, |found, byte| found | is_escaped(byte));
    if !has_escaped {
        return plain;
    }
    let mut bytes = Amount(plain);
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => bytes += 1,
            byte if is_escaped(byte) => bytes += LONGEST_ESCAPE,
            _ => {}
        }
    }
    bytes.0
}

fn is_escaped(byte: u8) -> bool {
    byte.is_ascii_control() | (byte == b'"') | (byte == b'\\')
}
