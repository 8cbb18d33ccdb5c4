//! `meshpeek info`: files in full, or the values of some keys.

mod described;
mod document;
pub(crate) mod rows;

use std::io::{BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use meshpeek::address::Content;
use meshpeek::json;
use meshpeek::scan::{Depth, Scan, Subject};

use crate::args::Common;
use crate::config::Readable;
use crate::failure::{Failure, Outcome, status};
use crate::forms::{End, Form};
use crate::limits::with_flag;
use crate::notes::Notes;
use crate::output::Output;
use crate::output_file::ending;
use crate::report;
use crate::source::Source;
use described::Described;
use document::put_keys;
use rows::KeyRows;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files or members, such as `mod.pbo!/tree.p3d`; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write JSON: the record and, under `detail`, every field
    #[arg(long)]
    json: bool,
    /// Add SHA-256 digests of its bytes and decoded content; only in JSON
    #[arg(long)]
    digests: bool,
    /// Write one row per file with these keys of the JSON, such as `name,bones,clips.seconds`
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = crate::keys::checked, conflicts_with = "json")]
    select: Vec<String>,
    /// Output format of these rows [default: `ndjson`]
    #[arg(long, value_name = "FORMAT", requires = "select")]
    format: Option<RowFormat>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RowFormat {
    Csv,
    Ndjson,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let ending = common.output.as_deref().and_then(ending);
    let json = args.json || args.select.is_empty() && ending == Some("json");
    if args.digests && !json && args.select.is_empty() {
        return Err("--digests needs --json or -o NAME.json".into());
    }
    let mut page = Page::new(args, json, ending, common)?;
    let mut opened = 0;
    let mut failed = 0;
    let mut in_part = 0;
    for file in &args.files {
        match page.add(file, args, common) {
            Ok(Added::Whole) => opened += 1,
            Ok(Added::InPart) => {
                opened += 1;
                in_part += 1;
            }
            // Its problem was reported, but nothing else could be done.
            Ok(Added::Unopened) => failed += 1,
            Err(Failure::Message(message)) => {
                Notes::new(common).error(message);
                failed += 1;
            }
            Err(closed) => return Err(closed),
        }
    }
    page.form.finish(End::default())?;
    Ok(if failed == 0 && in_part > 0 { ExitCode::from(1) } else { status(opened, failed) })
}

/// How much of a file is shown.
enum Added {
    Whole,
    /// A config that is text, without its includes or other parts.
    InPart,
    /// It does not open as an asset.
    Unopened,
}

/// Shows files one by one. Each is written at once, since the next may take a while.
struct Page {
    form: Box<dyn for<'d> Form<Described<'d>>>,
    /// True for text, which shows only assets and configs.
    is_text: bool,
}

impl Page {
    fn new(args: &Args, is_json: bool, ending: Option<&str>, common: &Common) -> Result<Self, Failure> {
        if !args.select.is_empty() {
            let is_csv = match args.format {
                Some(format) => format == RowFormat::Csv,
                None => ending == Some("csv"),
            };
            let rows = KeyRows::new(&args.select, is_csv, common)?;
            return Ok(Self { form: Box::new(rows), is_text: false });
        }
        if is_json {
            return Ok(Self { form: Box::new(Documents(Output::data(common)?)), is_text: false });
        }
        let sheets = FileSheets { out: Output::text(common)?, is_first: true, is_long: common.verbose };
        Ok(Self { form: Box::new(sheets), is_text: true })
    }

    /// Adds a file.
    fn add(&mut self, path: &Path, args: &Args, common: &Common) -> Result<Added, Failure> {
        let source = Source::open(path, common)?;
        let opened = source.member(common)?;
        let mut scan = Scan::new([path]);
        scan.depth = Depth::Summary;
        scan.limits = common.limits.limits();
        scan.digests = args.digests;
        let record = scan.record(&source.address.file, Subject::Opened(&opened));
        let is_config = report::is_config(&record);
        if self.is_text
            && !is_config
            && !record.summary.is_asset()
            && let Some(problem) = record.summary.problems.first()
        {
            return Err(Failure::at(path, with_flag(&problem.message, problem.code)));
        }
        let mut readable = None;
        if let Ok(content) = &opened.content {
            readable = readable_of(&source, content, common)?;
        }
        let mut asset = None;
        let mut unread = None;
        // A config that does not compile is not read.
        let mut is_whole = readable.is_some() || !is_config;
        if let (Some(readable), Ok(content)) = (&readable, &opened.content) {
            asset = readable.asset(&source, content).ok();
            unread = readable.unread();
            is_whole = readable.is_whole();
        }
        self.form.add(Described { record: &record, asset: asset.as_ref(), unread })?;
        source.unchanged()?;
        Ok(if asset.is_none() && !is_config {
            Added::Unopened
        } else if is_whole {
            Added::Whole
        } else {
            Added::InPart
        })
    }
}

/// Opens the content. One that is a config as text and does not compile is reported, and its record is shown all the same.
fn readable_of<'c>(
    source: &Source<'_>,
    content: &'c Content<'_>,
    common: &Common,
) -> Result<Option<Readable<'c>>, Failure> {
    match Readable::of(source, content, common) {
        Ok(readable) => Ok(Some(readable)),
        Err(Failure::Message(message)) => {
            Notes::new(common).error(message);
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Each file as a document of JSON: the record, `title` and `detail`, and of a config as text what is not read.
struct Documents(Output);

impl Form<Described<'_>> for Documents {
    fn add(&mut self, Described { record, asset, unread }: Described<'_>) -> Result<(), Failure> {
        let out = &mut self.0;
        // A document comes in very many pieces.
        let mut pieces = BufWriter::new(&mut *out);
        let mut document = json::Document::new(&mut pieces)?;
        put_keys(&mut document, record, asset)?;
        if let Some(unread) = unread {
            document.entry("unread", unread)?;
        }
        document.finish()?;
        pieces.into_inner().map_err(IntoInnerError::into_error)?;
        writeln!(out)?;
        Ok(out.flush()?)
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

/// Each file as text, with a blank line between two.
struct FileSheets {
    out: Output,
    is_first: bool,
    /// True if nothing is left out.
    is_long: bool,
}

impl Form<Described<'_>> for FileSheets {
    fn add(&mut self, Described { record, asset, .. }: Described<'_>) -> Result<(), Failure> {
        let out = &mut self.out;
        if !self.is_first {
            writeln!(out)?;
        }
        self.is_first = false;
        report::header(record, out)?;
        if let Some(asset) = asset {
            report::first(asset, out)?;
        }
        report::references(record, out)?;
        if let Some(asset) = asset {
            report::body(asset, self.is_long, out)?;
        }
        if !report::is_config(record) {
            report::problems(record, out)?;
        }
        Ok(out.flush()?)
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(())
    }
}
