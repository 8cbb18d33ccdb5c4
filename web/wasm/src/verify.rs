//! Checks everything in a file, as `meshpeek verify` does, and says what could not be checked.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

use meshpeek::address::Names;
use meshpeek::container::{Container, Member};
use meshpeek::scan::Depth;
use meshpeek::summary::Problem;
use meshpeek::{Asset, Budget, ErrorKind, Format, Limits};
use serde_json::{Value, json};

use crate::node::{MOST_ONCE, Node, report_progress, step, whole};
use crate::{Result, budget, scan};

/// An archive up to this size is read as a whole, for its checksum.
const MOST_WHOLE: u64 = 256 << 20;
/// The most members, and bytes of them, that are read at once.
const MOST_AT_ONCE: usize = 256;
const BYTES_AT_ONCE: u64 = 32 << 20;
/// The most problems that are listed.
const MOST_PROBLEMS: usize = 10_000;
/// The most members that are checked, those of archives in archives included.
const MOST_MEMBERS: u64 = 1_000_000;

/// The findings of a check.
struct Report {
    /// The work that remains for all members together.
    budget: Budget,
    problems: Vec<Value>,
    /// The files in the archive that were checked, and those that were not.
    members: u64,
    skipped: u64,
    is_cut: bool,
}

impl Report {
    /// An empty report on a file of this size.
    fn new(size: u64) -> Self {
        Self { budget: budget(size), problems: Vec::new(), members: 0, skipped: 0, is_cut: false }
    }

    fn add(&mut self, member: Option<&str>, problems: &[Problem]) {
        for problem in problems {
            if self.problems.len() >= MOST_PROBLEMS {
                self.is_cut = true;
                return;
            }
            let mut row = json!(problem);
            if let (Some(row), Some(member)) = (row.as_object_mut(), member) {
                row.insert("member".to_owned(), member.into());
            }
            self.problems.push(row);
        }
    }

    /// Checks bytes as a file of this name, and everything in them. `outer` is the path of the member whose bytes they
    /// are, and `depth` the number of archives around it.
    fn bytes(&mut self, name: &Path, bytes: &[u8], outer: Option<&str>, depth: u32) {
        let (limits, scan) = (Limits::default(), scan(Depth::Verify));
        let Ok(asset) = Asset::parse_file(name, bytes, &limits) else {
            return self.add(outer, &scan.record(name, bytes).summary.problems);
        };
        self.add(outer, &scan.record_of_asset(name, bytes, &asset).summary.problems);
        let Some(container) = Container::of(&asset) else { return };
        if depth >= limits.archive_depth {
            self.skipped += container.members().count() as u64;
            return;
        }
        let (shared, mut names, mut done) = (container.overlapping(), Names::of(&container), 0_u64);
        for (index, member) in container.members().map_while(std::result::Result::ok).enumerate() {
            let inner = names.next(member.name()).text;
            if outer.is_none() {
                report_progress(done, bytes.len() as u64);
            }
            done = done.saturating_add(member.stored_byte_len());
            // Bytes in several members are checked once.
            if shared.binary_search(&index).is_err() {
                let inner = outer.map_or_else(|| inner.clone(), |outer| format!("{outer}!/{inner}"));
                self.member(&member, &inner, depth + 1);
            }
        }
    }

    /// Checks a member of an archive.
    fn member(&mut self, member: &Member<'_>, name: &str, depth: u32) {
        if self.members >= MOST_MEMBERS {
            self.skipped += 1;
            return;
        }
        let budget = self.budget.clone();
        let content = match member.decode(&budget) {
            Ok(content) => content,
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_) | ErrorKind::Encrypted(_)) => {
                self.skipped += 1;
                return;
            }
            Err(error) => {
                self.members += 1;
                return self.add(Some(name), &[Problem::error(&error)]);
            }
        };
        self.members += 1;
        let path = crate::unnumbered(name);
        if Format::of_file(path, &content).is_some() || Format::from_extension(path).is_some() {
            self.bytes(path, &content, Some(name), depth);
        }
    }
}

/// Returns the problems of a file and of everything in it, and the numbers of checked and skipped members.
pub(crate) fn of(node: &Node) -> Result<Value> {
    let size = node.size();
    let mut report = Report::new(size);
    let mut is_whole = true;
    match (node.in_memory(), node.place()) {
        (Some(bytes), _) => report.bytes(node.own_name(), bytes, None, 0),
        (None, Some((source, range))) if size <= MOST_WHOLE => {
            let bytes = whole(source, range.clone())?;
            report.bytes(node.own_name(), &bytes, None, 0);
        }
        _ => {
            is_whole = false;
            by_members(node, &mut report)?;
        }
    }
    Ok(json!({
        "problems": report.problems, "cut": report.is_cut, "members": report.members, "skipped": report.skipped,
        "whole": is_whole, "opened": node.error().is_none(),
    }))
}

/// Checks the directory of an archive, and then some members after others.
fn by_members(node: &Node, report: &mut Report) -> Result<()> {
    let sizes = node.ask(|asset| {
        let members = Container::of(asset).into_iter().flat_map(|container| container.members());
        Ok(members.map_while(|member| Some(member.ok()?.stored_byte_len())).collect::<Vec<u64>>())
    })?;
    let problems = node.ask(|asset| Ok(node.record_of(asset, Depth::Summary).summary.problems))?;
    report.add(None, &problems);
    let all = sizes.iter().fold(0, |sum: u64, size| sum.saturating_add(*size));
    let (mut start, mut done) = (0, 0_u64);
    while start < sizes.len() {
        let (mut end, mut bytes) = (start, 0_u64);
        while let Some(size) = sizes.get(end).filter(|_| end - start < MOST_AT_ONCE) {
            if end > start && bytes.saturating_add(*size) > BYTES_AT_ONCE {
                break;
            }
            bytes = bytes.saturating_add(*size);
            end += 1;
        }
        let next = done.saturating_add(bytes);
        step(done, next, all, || {
            if bytes > MOST_ONCE / 2 {
                report.skipped += (end - start) as u64;
            } else if let Err(error) = some(node, start..end, report) {
                report.skipped += (end - start) as u64;
                report.add(None, &[Problem::error(&error)]);
            }
        });
        (start, done) = (end, next);
    }
    Ok(())
}

/// Checks these members.
fn some(node: &Node, range: Range<usize>, report: &mut Report) -> Result<()> {
    let shared = RefCell::new(report);
    node.ask_once(|asset| {
        let Some(container) = Container::of(asset) else { return Ok(()) };
        let members: Vec<Member<'_>> =
            container.members().skip(range.start).take(range.len()).collect::<std::result::Result<_, _>>()?;
        // Everything is read before the first member is checked, because a question may be repeated.
        let mut missing = None;
        for member in &members {
            let stored = match member {
                Member::Pbo(member) => member.stored_bytes(),
                Member::Zip(member) => member.stored_bytes(),
                _ => continue,
            };
            missing = missing.or(stored.err().filter(|error| error.incomplete().is_some()));
        }
        if let Some(error) = missing {
            return Err(error);
        }
        for member in members {
            let name = member.name().to_string();
            shared.borrow_mut().member(&member, &name, 1);
        }
        Ok(())
    })
}
