//! The JSON of a file.

use std::io::Write;

use meshpeek::scan::Record;
use meshpeek::{Asset, Format, json};
use serde_json::ser::Formatter;

use crate::failure::Failure;

/// Puts the record, `title` and `detail` into a document.
pub(super) fn put_keys<W: Write, F: Formatter + Clone>(
    document: &mut json::Document<W, F>,
    record: &Record,
    asset: Option<&Asset<'_>>,
) -> Result<(), Failure> {
    document.record(record)?;
    document.entry("title", &record.summary.format.map(Format::title))?;
    match asset {
        Some(asset) => document.outline("detail", asset)?,
        None => document.entry("detail", &())?,
    }
    Ok(())
}
