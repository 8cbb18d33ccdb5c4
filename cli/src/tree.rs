//! `meshpeek tree`: shows the structure of one file.

mod args;
pub(crate) mod fields;

use std::io::Write;

use meshpeek::Asset;
use meshpeek::dissect::Sink;

use crate::args::{Common, LineFormat};
use crate::config::Readable;
use crate::failure::{Failure, Outcome};
use crate::notes::Notes;
use crate::output::Output;
use crate::place::{first_error, lines, place_of, status};
use crate::report::count;
use crate::source::Source;
use crate::visible::shown;
pub(crate) use args::Args;
use fields::{ProblemLines, Runs};

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let readable = Readable::of(&source, &content, common)?;
    let asset = readable.asset(&source, &content);
    let bytes = readable.bytes();
    let size = bytes.len() as u64;
    let mut within = None;
    if let Some(text) = &args.selector {
        match place_of(&asset, size, text) {
            Ok(place) => {
                place.explain(common);
                within = place.selector;
            }
            Err(message) => return Err(Failure::at(&args.file, message)),
        }
    }
    let mut out = Output::of(common, args.format == LineFormat::Text)?;
    let lines = |sink: Sink<'_>| lines(&asset, bytes, sink);
    // The overview has no fields, and counts those in a row as a gap.
    let needs_fields = args.only.iter().any(|kind| kind == "field" || kind == "gap");
    let is_full = args.fields || needs_fields || asset.is_err();
    let runs = Runs::new(!common.verbose);
    let problems = fields::write(&lines, args, is_full, within.as_ref(), runs, &mut out)?;
    out.flush()?;
    if let Ok(asset) = &asset {
        say_of_problems(problems, asset, args, common);
    }
    source.unchanged()?;
    readable.say_of_offsets(&source, common);
    Ok(if readable.is_whole() { status(&asset, common) } else { readable.status() })
}

/// Says which problems no line shows.
fn say_of_problems(problems: ProblemLines, asset: &Asset<'_>, args: &Args, common: &Common) {
    let notes = Notes::new(common);
    let file = shown(&args.file);
    if problems.hidden > 0 {
        notes.say(format_args!("{file}: {} not shown; verify lists them", count(problems.hidden, "problems")));
        return;
    }
    // Some are in no field, such as a table that does not inflate.
    if problems.shown == 0
        && args.selector.is_none()
        && let Some(problem) = first_error(asset)
    {
        notes.say(format_args!("{file}: the file has errors that no line shows: {problem}"));
    }
}
