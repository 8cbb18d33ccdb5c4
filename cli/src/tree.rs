//! `meshpeek tree`: shows the structure of one file.

pub(crate) mod fields;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use meshpeek::dissect::{LineKind, Sink};

use crate::args::{Common, LineFormat};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::place::{lines, place_of, status};
use crate::source::Source;
use fields::Runs;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.p3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Only this part, array or field, such as `meshes/0` or `nodes/@arm`
    selector: Option<String>,
    /// Show every field, with its type and value
    #[arg(long)]
    fields: bool,
    /// Show at most N levels of parts in parts
    #[arg(long, value_name = "N")]
    depth: Option<NonZeroUsize>,
    /// Show only lines of this kind; separate several by commas. Fields and gaps are those of `--fields`
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    only: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

fn kinds() -> PossibleValuesParser {
    [LineKind::Part, LineKind::Field, LineKind::Array, LineKind::Gap].map(LineKind::name).into()
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content);
    let size = content.len() as u64;
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
    let lines = |sink: Sink<'_>| lines(&asset, &content, sink);
    // The overview has no fields, and counts those in a row as a gap.
    let needs_fields = args.only.iter().any(|kind| kind == "field" || kind == "gap");
    let is_full = args.fields || needs_fields || asset.is_err();
    let runs = Runs::new(!common.verbose);
    fields::write(&lines, args, is_full, within.as_ref(), runs, &mut out)?;
    out.flush()?;
    source.unchanged()?;
    Ok(status(&asset, common))
}
