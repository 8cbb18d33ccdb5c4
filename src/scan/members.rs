//! The members of an archive that a scan visits: their cost and their records.

use std::ops::Range;

use super::Record;
use super::describe::{At, unreadable};
use super::pending::Named;
use super::walk::Use;
use crate::asset::Asset;
use crate::asset::address::Names;
use crate::asset::container::{Container, Form, Member, Members};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::flag;
use crate::base::text::Name;
use crate::budget::{Budget, Held};
use crate::bytes::Packing;
use crate::summary::Problem;

/// The memory per member for detecting repeated names and members that share bytes.
const MEMBER_BYTES: u64 = 48;

/// The cost of a member: for its entry alone, and if its beginning is inflated to recognise its format.
pub(super) const MEMBER_WORK: [u64; 2] = [256, 2048];
pub(super) const DEFLATED: Form = Form::Packed(Packing::Deflate);

/// The bytes of results that a record takes, in addition to its names and problems.
const RECORD_BYTES: u64 = 1024;

/// The members of an archive that remain to be visited, in order and with their names.
pub(super) struct Rest<'a> {
    pub(super) members: Members<'a>,
    /// The number of the next member, and where to end.
    pub(super) reached: usize,
    pub(super) end: usize,
    names: Names,
    /// The members that are not read because they share bytes with another.
    shared: Vec<usize>,
    held: Option<Held>,
}

impl<'a> Rest<'a> {
    pub(super) fn new(container: &Container<'a>, Range { start, end }: Range<usize>, budget: &Budget) -> Self {
        let names_bytes = (end.saturating_sub(start) as u64).saturating_mul(MEMBER_BYTES);
        let held = budget.hold(names_bytes.min(budget.room())).ok();
        let (names, shared) = (Names::among(container, end), container.overlapping());
        let mut rest = Self { members: container.members(), reached: 0, end, names, shared, held };
        rest.skip_to(start);
        rest
    }

    /// Returns the budget for the members, within this one.
    pub(super) fn budget(&self, around: &Budget) -> Budget {
        self.held.as_ref().map_or(around, Held::budget).clone()
    }

    pub(super) fn skip_to(&mut self, start: usize) {
        while self.reached < start && self.step().is_some() {}
    }

    fn step(&mut self) -> Option<Named<'a>> {
        let member = self.members.next()?.ok()?;
        self.reached = self.reached.saturating_add(1);
        Some((self.names.next(member.name()), member))
    }
}

impl<'a> Iterator for Rest<'a> {
    type Item = Named<'a>;

    fn next(&mut self) -> Option<Named<'a>> {
        if self.reached >= self.end {
            return None;
        }
        let index = self.reached;
        let (name, member) = self.step()?;
        let is_shared = self.shared.binary_search(&index).is_ok();
        Some((name, if is_shared { member.shared() } else { member }))
    }
}

/// Returns the asset as an archive, and which of these members can be visited. If it is too deep for that, or the budget
/// ends before, this is a problem of its record.
pub(super) fn container<'a>(
    at: At<'_>,
    asset: &Asset<'a>,
    members: Range<usize>,
    record: &mut Record,
) -> Option<(Container<'a>, Range<usize>)> {
    let container = Container::of(asset).filter(|_| at.origin.scan.archives)?;
    let limit = at.origin.scan.limits.archive_depth;
    if at.origin.depth >= limit {
        let error = Error::limit("archives inside each other", limit, flag::ARCHIVE_DEPTH);
        record.summary.problems.push(Problem::error(&error));
        return None;
    }
    let (count, error) = afford(at, container.members().take(members.end).skip(members.start));
    record.summary.problems.extend(error.as_ref().map(Problem::error));
    Some((container, members.start..members.start.saturating_add(count)))
}

/// Decodes a member only if it may be an asset, in the way that `decode` does; always if its name says that it is
/// `expected`. A member that cannot be decoded has a record if its name or beginning indicates an asset.
pub(super) fn content<C>(
    at: At<'_>,
    member: &Member<'_>,
    is_expected: bool,
    decode: impl FnOnce(Option<Format>) -> Result<Option<C>>,
) -> Result<Option<C>, Option<Box<Record>>> {
    if member.is_link() {
        if !is_expected {
            return Ok(None);
        }
        let error = member.link_error(at.budget);
        return Err(Some(Box::new(unreadable(at, None, member.decoded_byte_len_hint(), None, &error))));
    }
    let mut format = None;
    let content = member.sniff().and_then(|found| {
        format = found;
        if found.is_none() && !is_expected && !member.hides_beginning() {
            return Ok(None);
        }
        decode(found)
    });
    content.map_err(|error| {
        let is_asset = format.is_some() || is_expected;
        is_asset.then(|| Box::new(unreadable(at, format, member.decoded_byte_len_hint(), None, &error)))
    })
}

/// Charges for visiting the members of an archive and for a record of each. This happens before the archive's own
/// record is handed over, so that the record can report where the budget ends. Returns how many members can be
/// visited, and why not all.
pub(super) fn afford<'a>(
    At { origin, budget }: At<'_>,
    members: impl Iterator<Item = Result<Member<'a>>>,
) -> (usize, Option<Error>) {
    let around = origin.member.as_ref().map_or(0, text_bytes);
    let mut count = 0_usize;
    for member in members.map_while(Result::ok) {
        let [by_entry, by_beginning] = MEMBER_WORK;
        let work = if member.form() == Form::InPlace { by_entry } else { by_beginning };
        let name = (member.name().len() as u64).saturating_mul(LONGEST_ESCAPE);
        // As the member, and in the address.
        let names = around.saturating_add(name).saturating_mul(2);
        let results = RECORD_BYTES.saturating_add(names);
        let paid = budget.members(1).and_then(|()| budget.work(work)).and_then(|()| budget.output(results));
        let paid = paid.and_then(|()| origin.charge_units(work));
        if let Err(error) = paid {
            return (count, Some(error));
        }
        count = count.saturating_add(1);
    }
    (count, None)
}

/// Charges for the content of a record beyond names. Returns the bytes that it takes, or `None` if the record is not
/// requested.
pub(super) fn pay(At { origin, budget }: At<'_>, record: &mut Record) -> Option<u64> {
    let wanted = &origin.scan.formats;
    let is_wanted = |format| wanted.contains(&format);
    if origin.use_as != Use::Whole || !wanted.is_empty() && !record.summary.format.is_some_and(is_wanted) {
        return None;
    }
    let summary = &mut record.summary;
    let around = record.member.as_ref().map_or(0, text_bytes);
    let references = summary.references.iter().map(|reference| text_bytes(&reference.name).saturating_add(40));
    // Each problem has a separate line.
    let problems = summary.problems.iter().map(|problem| (problem.message.len() as u64).saturating_add(around));
    let problems = problems.map(|bytes| bytes.saturating_add(100));
    let prefix = record.prefix.as_ref().map_or(0, text_bytes);
    let bytes = references.chain(problems).fold(prefix, u64::saturating_add);
    if let Err(error) = budget.output(bytes) {
        record.prefix = None;
        summary.references.clear();
        summary.problems = vec![Problem::error(&error)];
    }
    Some(bytes)
}

/// The most bytes that one byte of a name takes in a record: `\u0001`.
const LONGEST_ESCAPE: u64 = 6;

/// Returns the bytes that a text takes in a record.
pub(super) fn text_bytes(name: &Name) -> u64 {
    let escaped = name.text.bytes().filter(u8::is_ascii_control).count() as u64;
    let quoted = name.text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count() as u64;
    (name.text.len() as u64).saturating_add(quoted).saturating_add(escaped.saturating_mul(LONGEST_ESCAPE))
}
