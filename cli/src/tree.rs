//! `meshpeek tree`: shows the structure of one file.

mod args;
pub(crate) mod fields;

use std::io::Write;

use meshpeek::dissect::Sink;

use crate::args::{Common, LineFormat};
use crate::config::Readable;
use crate::failure::{Failure, Outcome};
use crate::notes::Notes;
use crate::output::Output;
use crate::place::{lines, place_of, status};
use crate::report::count;
use crate::source::Source;
use crate::visible::shown;
pub(crate) use args::Args;
use fields::Runs;

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
    let hidden_problems = fields::write(&lines, args, is_full, within.as_ref(), runs, &mut out)?;
    out.flush()?;
    if hidden_problems > 0 {
        let problems = count(hidden_problems, "problems");
        Notes::new(common).say(format_args!("{}: {problems} not shown; verify lists them", shown(&args.file)));
    }
    source.unchanged()?;
    readable.say_of_offsets(&source, common);
    Ok(if readable.is_whole() { status(&asset, common) } else { readable.status() })
}
