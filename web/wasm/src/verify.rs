//! Checks everything in a file, as `meshpeek verify` does, and says what could not be checked.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

use meshpeek::address::{MemberPath, Names, unnumbered};
use meshpeek::container::{Container, Member};
use meshpeek::scan::{Depth, Subject};
use meshpeek::summary::Problem;
use meshpeek::{Asset, Budget, ErrorKind, Format, Limits};
use serde_json::{Value, json};

use crate::node::{MOST_ONCE, Node, Step, report_progress, whole};
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
            if let Some(member) = member
                && let Some(row) = row.as_object_mut()
            {
                row.insert("member".to_owned(), member.into());
            }
            self.problems.push(row);
        }
    }

    /// Checks bytes as a file of this name, and everything in them. `outer` is the path of the member whose bytes they
    /// are, and `depth` the number of archives around it.
    fn bytes(&mut self, name: &Path, bytes: &[u8], outer: Option<&str>, depth: u32) {
        let limits = Limits::default();
        let scan = scan(Depth::Verify);
        let Ok(asset) = Asset::parse_file(name, bytes, &limits) else {
            return self.add(outer, &scan.record(name, bytes).summary.problems);
        };
        self.add(outer, &scan.record(name, Subject::Asset(bytes, &asset)).summary.problems);
        let Some(container) = Container::of(&asset) else { return };
        if depth >= limits.archive_depth {
            self.skipped += container.members().count() as u64;
            return;
        }
        let shared = container.overlapping();
        let mut names = Names::of(&container);
        let mut done = 0_u64;
        for (index, member) in container.members().enumerate() {
            let Ok(member) = member else { break };
            let inner = names.next(member.name()).text;
            if outer.is_none() {
                report_progress(done, bytes.len() as u64);
            }
            done = done.saturating_add(member.stored_byte_len());
            // Bytes in several members are checked once.
            if shared.binary_search(&index).is_err() {
                let inner = match outer {
                    Some(outer) => MemberPath::join_text(outer, Some(&inner)),
                    None => inner,
                };
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
        let path = Path::new(unnumbered(name));
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
    if let Some(bytes) = node.in_memory() {
        report.bytes(node.own_name(), bytes, None, 0);
    } else if let Some((source, range)) = node.place()
        && size <= MOST_WHOLE
    {
        let bytes = whole(source, range.clone())?;
        report.bytes(node.own_name(), &bytes, None, 0);
    } else if node.error().is_some() {
        is_whole = false;
        report.add(None, &node.record(Depth::Verify).summary.problems);
    } else {
        is_whole = false;
        by_members(node, &mut report)?;
    }
    Ok(json!({
        "problems": report.problems, "cut": report.is_cut, "members": report.members, "skipped": report.skipped,
        "whole": is_whole, "opened": node.error().is_none(),
    }))
}

/// Checks the directory of an archive, and then some members after others.
fn by_members(node: &Node, report: &mut Report) -> Result<()> {
    let sizes = node.ask(|asset| Ok(sizes_of(asset)))?;
    let problems = node.ask(|asset| Ok(node.record_of(asset, Depth::Summary).summary.problems))?;
    report.add(None, &problems);
    let mut all = 0_u64;
    for size in &sizes {
        all = all.saturating_add(*size);
    }
    let mut start = 0;
    let mut done = 0_u64;
    while start < sizes.len() {
        let mut end = start;
        let mut bytes = 0_u64;
        while end - start < MOST_AT_ONCE
            && let Some(size) = sizes.get(end)
        {
            if end > start && bytes.saturating_add(*size) > BYTES_AT_ONCE {
                break;
            }
            bytes = bytes.saturating_add(*size);
            end += 1;
        }
        let next = done.saturating_add(bytes);
        let _step = Step::begin(done, next, all);
        if bytes > MOST_ONCE / 2 {
            report.skipped += (end - start) as u64;
        } else if let Err(error) = check_members(node, start..end, report) {
            report.skipped += (end - start) as u64;
            report.add(None, &[Problem::error(&error)]);
        }
        start = end;
        done = next;
    }
    Ok(())
}

/// The stored bytes of each member, up to the first unreadable one.
fn sizes_of(asset: &Asset<'_>) -> Vec<u64> {
    let mut sizes = Vec::new();
    let Some(container) = Container::of(asset) else { return sizes };
    for member in container.members() {
        let Ok(member) = member else { break };
        sizes.push(member.stored_byte_len());
    }
    sizes
}

/// Checks these members.
fn check_members(node: &Node, range: Range<usize>, report: &mut Report) -> Result<()> {
    let shared = RefCell::new(report);
    node.ask_once(|asset| {
        let Some(container) = Container::of(asset) else { return Ok(()) };
        let mut members = Vec::new();
        for member in container.members().skip(range.start).take(range.len()) {
            members.push(member?);
        }
        // Everything is read before the first member is checked, because a question may be repeated.
        require_stored_bytes(&members)?;
        for member in members {
            let name = member.name().to_string();
            shared.borrow_mut().member(&member, &name, 1);
        }
        Ok(())
    })
}

/// Asks for the stored bytes of all members.
///
/// # Errors
/// Returns the error of the first member whose bytes are not read yet.
fn require_stored_bytes(members: &[Member<'_>]) -> Result<()> {
    let mut missing = None;
    // All of them, because the ranges of each are read before the question is repeated.
    for member in members {
        let stored = match member {
            Member::Pbo(member) => member.stored_bytes(),
            Member::Zip(member) => member.stored_bytes(),
            _ => continue,
        };
        if let Err(error) = stored
            && error.incomplete().is_some()
            && missing.is_none()
        {
            missing = Some(error);
        }
    }
    match missing {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
