//! `meshpeek tree`: shows the structure of one file.

pub(crate) mod fields;

use std::io::Write;
use std::path::PathBuf;

use meshpeek::dissect::Sink;

use crate::args::{Common, LineFormat};
use crate::failure::{Failure, Outcome};
use crate::place::{lines, place_of, status};
use crate::source::Source;
use crate::visible::shown;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.p3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Only this part, array or field, such as `meshes/0` or `nodes/@arm`
    selector: Option<String>,
    /// Show every field, with its type and value
    #[arg(long)]
    fields: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content);
    let size = content.len() as u64;
    let mut only = None;
    if let Some(text) = &args.selector {
        let found = place_of(&asset, size, text);
        let place = found.map_err(|message| Failure::Told(format!("{}: {message}", shown(&args.file))))?;
        place.explain(common);
        only = place.selector;
    }
    let mut out = args.format.output(common)?;
    let lines = |sink: Sink<'_>| lines(&asset, &content, sink);
    fields::write(&lines, args.format, args.fields || asset.is_err(), only.as_ref(), &mut out)?;
    out.flush()?;
    source.unchanged()?;
    Ok(status(&asset, common))
}
