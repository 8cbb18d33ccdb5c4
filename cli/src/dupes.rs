//! `meshpeek dupes`: duplicate assets.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use meshpeek::answers::dupes::{self, Copy, Duplicate, Group, Sameness};
use meshpeek::scan::Found;
use meshpeek::summary::Name;
use serde::Serialize;

use crate::args::{Common, ReportFormat};
use crate::failure::{Failure, Outcome, status};
use crate::forms::{End, Form};
use crate::notes::Notes;
use crate::output::Output;
use crate::sorted::Sorter;
use crate::tables::{Table, Tables};
use crate::wrap::HANG;
use crate::{input, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Files to read at once, at most 256 [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut scan = input::scan_whole(&args.paths, args.jobs, common)?;
    // Copies are often files that git ignores.
    scan.selection.ignored = true;
    let mut report = Report::new(args.format, common)?;
    let mut by_digest = Sorter::new(None, 2, common);
    let mut by_place = Sorter::new(None, 2, common);
    let find = |other: &mut (dyn FnMut(Found) + Send)| {
        dupes::find_with(&scan, [&mut by_digest, &mut by_place], other, |duplicate| Ok(report.add(duplicate)?))
    };
    let ((), unreadable) = input::whole(&scan, common, find)?;
    let unread = report.finish(common)?;
    Ok(status(scan.progress.files(), unreadable + unread))
}

/// Counts groups as they are found.
struct Report {
    form: Box<dyn Form<Duplicate>>,
    /// The sameness of the copies in the current group.
    same: Option<Sameness>,
    /// The number of copies of this group so far.
    copies: u64,
    same_bytes: u64,
    same_content: u64,
    /// The bytes of copies after the first, of files with the same bytes.
    spare: u64,
    /// The assets that could not all be read.
    unread: u64,
}

impl Report {
    fn new(format: ReportFormat, common: &Common) -> Result<Self, Failure> {
        let form: Box<dyn Form<Duplicate>> = match Tables::of(Table::Dupes, &format, None, common)? {
            Some(tables) => Box::new(GroupTable { tables, group: None, groups: 0 }),
            None if format == ReportFormat::Text => {
                Box::new(Text { out: Output::text(common)?, is_first: true, is_in_unread: false })
            }
            None => Box::new(Json { out: Output::data(common)?, group: InGroup::None }),
        };
        Ok(Self { form, same: None, copies: 0, same_bytes: 0, same_content: 0, spare: 0, unread: 0 })
    }

    fn add(&mut self, duplicate: Duplicate) -> Result<(), Failure> {
        match &duplicate {
            Duplicate::Group { group, .. } => {
                self.same = Some(group.same);
                self.copies = 0;
                match group.same {
                    Sameness::File => self.same_bytes += 1,
                    Sameness::Content => self.same_content += 1,
                }
            }
            Duplicate::Copy(copy) => {
                if self.same == Some(Sameness::File) && self.copies > 0 {
                    self.spare += copy.bytes;
                }
                self.copies += 1;
            }
            Duplicate::Unread(_) => self.unread += 1,
            _ => {}
        }
        self.form.add(duplicate)
    }

    /// Returns how many assets could not all be read.
    fn finish(self, common: &Common) -> Result<u64, Failure> {
        self.form.finish(End::default())?;
        let mut unread = String::new();
        if self.unread > 0 {
            unread = format!("; not all read: {}", report::count(self.unread, "assets"));
        }
        Notes::new(common).say(format_args!(
            "{} with the same bytes ({} could be saved), {} with the same content in different bytes{unread}",
            report::count(self.same_bytes, "groups"),
            report::count(self.spare, "bytes"),
            report::count(self.same_content, "groups"),
        ));
        Ok(self.unread)
    }
}

/// Each group as a heading with its copies below. Assets that could not all be read follow under a heading of their own.
struct Text {
    out: Output,
    is_first: bool,
    is_in_unread: bool,
}

impl Text {
    /// Writes an empty line, unless this heading is the first.
    fn begin_heading(&mut self) -> Result<(), Failure> {
        if !self.is_first {
            writeln!(self.out)?;
        }
        self.is_first = false;
        Ok(())
    }

    fn copy(&mut self, copy: &Copy) -> Result<(), Failure> {
        let address = report::address(&Name::from(copy.path.as_path()).text, copy.member.as_deref());
        writeln!(self.out, "  {HANG}{:>12}  {address}", report::grouped(copy.bytes))?;
        Ok(())
    }
}

impl Form<Duplicate> for Text {
    fn add(&mut self, duplicate: Duplicate) -> Result<(), Failure> {
        match duplicate {
            Duplicate::Group { group, copies } => {
                self.begin_heading()?;
                let what = match group.same {
                    Sameness::File => "the same bytes",
                    Sameness::Content => "the same content in different bytes",
                };
                writeln!(self.out, "{copies} {}, {what}", group.format)?;
            }
            Duplicate::Copy(copy) => self.copy(&copy)?,
            Duplicate::Unread(copy) => {
                if !self.is_in_unread {
                    self.begin_heading()?;
                    writeln!(self.out, "not all read, others may have the same content")?;
                }
                self.is_in_unread = true;
                self.copy(&copy)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }
}

#[derive(Serialize)]
struct UnreadLine<'c> {
    same: &'static str,
    #[serde(flatten)]
    copy: &'c Copy,
}

/// Each group as a line of JSON, whose copies are written as they come. An asset that could not all be read is a line, too.
struct Json {
    out: Output,
    group: InGroup,
}

/// How much of the current group is written.
#[derive(PartialEq)]
enum InGroup {
    None,
    /// All before its copies.
    Beginning,
    SomeCopies,
}

impl Json {
    /// Ends the group, if there is one.
    fn end(&mut self) -> Result<(), Failure> {
        if self.group != InGroup::None {
            self.out.write_all(b"]}\n")?;
        }
        self.group = InGroup::None;
        Ok(())
    }
}

impl Form<Duplicate> for Json {
    fn add(&mut self, duplicate: Duplicate) -> Result<(), Failure> {
        match duplicate {
            Duplicate::Group { group, .. } => {
                self.end()?;
                let line = serde_json::to_string(&group)?;
                self.out.write_all(line.strip_suffix("]}").unwrap_or(&line).as_bytes())?;
                self.group = InGroup::Beginning;
            }
            Duplicate::Copy(copy) => {
                if self.group == InGroup::SomeCopies {
                    self.out.write_all(b",")?;
                }
                self.out.write_all(&serde_json::to_vec(&copy)?)?;
                self.group = InGroup::SomeCopies;
            }
            Duplicate::Unread(copy) => {
                self.end()?;
                self.out.json_line(&UnreadLine { same: "unread", copy: &copy })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.end()?;
        Ok(self.out.flush()?)
    }
}

/// Each copy as a row of a table, with the number of its group.
struct GroupTable {
    tables: Arc<Tables>,
    /// The current group and its number.
    group: Option<(u64, Group)>,
    /// The number of groups so far.
    groups: u64,
}

impl Form<Duplicate> for GroupTable {
    fn add(&mut self, duplicate: Duplicate) -> Result<(), Failure> {
        match duplicate {
            Duplicate::Group { group, .. } => {
                self.group = Some((self.groups, group));
                self.groups += 1;
            }
            Duplicate::Copy(copy) => {
                let Some((number, group)) = &mut self.group else { return Ok(()) };
                group.copies = vec![copy];
                self.tables.group(*number, group)?;
            }
            Duplicate::Unread(copy) => self.tables.unread_copy(&copy)?,
            _ => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.tables.finish(false)
    }
}
