//! The arguments of `meshpeek tree`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use meshpeek::dissect::LineKind;

use crate::args::LineFormat;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.p3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Only this part, array or field, such as `meshes/0` or `nodes/@arm`
    pub(super) selector: Option<String>,
    /// Show every field, with its type and value
    #[arg(long)]
    pub(super) fields: bool,
    /// Show at most N levels of parts in parts
    #[arg(long, value_name = "N")]
    pub(super) depth: Option<NonZeroUsize>,
    /// Show only lines of this kind; separate several by commas. Fields and gaps are those of `--fields`
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub(super) only: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: LineFormat,
}

fn kinds() -> PossibleValuesParser {
    [LineKind::Part, LineKind::Field, LineKind::Array, LineKind::Gap].map(LineKind::name).into()
}
