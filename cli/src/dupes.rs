//! `meshpeek dupes`: duplicate assets.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use meshpeek::answers::dupes::{self, Copy, Duplicate, Group, Sameness};
use meshpeek::scan::Found;
use meshpeek::summary::Name;

use crate::args::{Common, ReportFormat};
use crate::failure::{Failure, Outcome, status};
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
    let scan = input::scan_whole(&args.paths, args.jobs, common)?;
    let mut report = Report::new(args.format, common)?;
    let mut by_digest = Sorter::new(None, 2, common);
    let mut by_place = Sorter::new(None, 2, common);
    let find = |other: &mut (dyn FnMut(Found) + Send)| {
        dupes::find_with(&scan, [&mut by_digest, &mut by_place], other, |duplicate| Ok(report.add(duplicate)?))
    };
    let ((), unreadable) = input::whole(&scan, common, find)?;
    report.finish(common)?;
    Ok(status(scan.progress.files(), unreadable))
}

/// Writes groups as they are found, and counts them.
struct Report {
    form: Form,
    /// The group whose copies come next, without them.
    group: Option<Group>,
    /// The number of copies so far.
    copies: u64,
    same_bytes: u64,
    same_content: u64,
    /// The bytes of copies after the first, of files with the same bytes.
    spare: u64,
}

enum Form {
    Text(Output),
    Ndjson(Output),
    Tables(Arc<Tables>),
}

impl Report {
    fn new(format: ReportFormat, common: &Common) -> Result<Self, Failure> {
        let form = match Tables::of(Table::Dupes, &format, None, common)? {
            Some(tables) => Form::Tables(tables),
            None if format == ReportFormat::Text => Form::Text(Output::text(common)?),
            None => Form::Ndjson(Output::data(common)?),
        };
        Ok(Self { form, group: None, copies: 0, same_bytes: 0, same_content: 0, spare: 0 })
    }

    fn add(&mut self, duplicate: Duplicate) -> Result<(), Failure> {
        match duplicate {
            Duplicate::Group { group, copies } => self.begin(group, copies),
            Duplicate::Copy(copy) => self.copy(copy),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, group: Group, copies: u64) -> Result<(), Failure> {
        self.end()?;
        match &mut self.form {
            Form::Text(out) => {
                if self.same_bytes + self.same_content > 0 {
                    writeln!(out)?;
                }
                let what = match group.same {
                    Sameness::File => "the same bytes",
                    Sameness::Content => "the same content in different bytes",
                };
                writeln!(out, "{copies} {}, {what}", group.format)?;
            }
            Form::Ndjson(out) => {
                let line = serde_json::to_string(&group)?;
                // The copies come one by one.
                out.write_all(line.strip_suffix("]}").unwrap_or(&line).as_bytes())?;
            }
            Form::Tables(_) => {}
        }
        match group.same {
            Sameness::File => self.same_bytes += 1,
            Sameness::Content => self.same_content += 1,
        }
        self.group = Some(group);
        self.copies = 0;
        Ok(())
    }

    fn copy(&mut self, copy: Copy) -> Result<(), Failure> {
        let Some(group) = &mut self.group else { return Ok(()) };
        let is_first = self.copies == 0;
        self.copies += 1;
        if group.same == Sameness::File && !is_first {
            self.spare += copy.bytes;
        }
        match &mut self.form {
            Form::Text(out) => {
                let address = report::address(&Name::from(copy.path.as_path()).text, copy.member.as_deref());
                writeln!(out, "  {HANG}{:>12}  {address}", report::grouped(copy.bytes))?;
            }
            Form::Ndjson(out) => {
                if !is_first {
                    out.write_all(b",")?;
                }
                out.write_all(&serde_json::to_vec(&copy)?)?;
            }
            Form::Tables(tables) => {
                let number = self.same_bytes + self.same_content - 1;
                group.copies = vec![copy];
                tables.group(number, group)?;
            }
        }
        Ok(())
    }

    /// Ends the current group.
    fn end(&mut self) -> Result<(), Failure> {
        if let Form::Ndjson(out) = &mut self.form
            && self.group.take().is_some()
        {
            out.write_all(b"]}\n")?;
        }
        Ok(())
    }

    fn finish(mut self, common: &Common) -> Result<(), Failure> {
        self.end()?;
        match self.form {
            Form::Text(mut out) | Form::Ndjson(mut out) => out.flush()?,
            Form::Tables(tables) => tables.finish(false)?,
        }
        Notes::new(common).say(format_args!(
            "{} with the same bytes ({} could be saved), {} with the same content in different bytes",
            report::count(self.same_bytes, "groups"),
            report::count(self.spare, "bytes"),
            report::count(self.same_content, "groups"),
        ));
        Ok(())
    }
}
