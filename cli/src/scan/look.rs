//! What a scan does with an asset while it is open, on any thread.

use std::cell::OnceCell;
use std::sync::Arc;

use meshpeek::Asset;
use meshpeek::scan::{Record, Scan, Sighting, Views};

use super::writer::Writer;
use crate::args::{Common, Inputs, ScanArgs};
use crate::condition::{Noticed, Verdict};
use crate::failure::Failure;
use crate::info::rows::{self, RowMaker};
use crate::keys::Needs;
use crate::output::Line;
use crate::tables::Tables;
use crate::thumbnails::Thumbnails;

pub(super) struct Look<'a> {
    pub(super) noticed: Noticed<'a>,
    /// Makes rows that need the asset.
    maker: Option<RowMaker>,
    /// True if each record is written as a line.
    is_lines: bool,
    tables: Option<Arc<Tables>>,
    pub(super) thumbnails: Option<Thumbnails>,
}

/// The result for an asset.
pub(super) struct Seen {
    pub(super) verdict: Verdict,
    /// The row or line of its record, if it is made already.
    pub(super) line: Option<Line>,
}

impl<'a> Look<'a> {
    /// Collects what the outputs need of each asset, and sets the scan to read it.
    pub(super) fn new(
        scan: &mut Scan,
        writer: &Writer,
        inputs: &'a Inputs,
        args: &'a ScanArgs,
        common: &Common,
    ) -> Result<Self, Failure> {
        let mut sort = None;
        if let Some(key) = &inputs.sort
            // Path and size are fields of every record.
            && !["path", "bytes"].contains(&key.name.as_str())
        {
            sort = Some(key.name.as_str());
        }
        let noticed = Noticed::new(args.condition.as_deref(), sort);
        let maker = writer.row_maker.clone().filter(RowMaker::needs_assets);
        let tables = writer.tables.clone();
        if let Some(tables) = &tables {
            scan.views = tables.views();
        }
        let mut thumbnails = None;
        if let Some(folder) = &args.thumbnails {
            thumbnails = Some(Thumbnails::new(folder, args, scan, &common.results)?);
        }
        if thumbnails.is_some() || noticed.needs == Needs::Asset || maker.is_some() {
            scan.views = scan.views.max(Views::Outlines);
        }
        let needs_all_bytes = tables.is_some() || scan.views != Views::Records;
        scan.beginnings = !needs_all_bytes;
        // With `--top`, few of the records are written, so no lines are made beforehand.
        let is_lines = writer.is_ndjson && args.top.is_none();
        Ok(Self { noticed, maker, is_lines, tables, thumbnails })
    }

    /// Asks the condition about a record. The asset, if there is one, has more keys.
    pub(super) fn judge(&self, record: &Record, asset: Option<&Asset<'_>>) -> Verdict {
        // The record as JSON is made once for all keys that need it.
        let json = OnceCell::new();
        self.noticed.look(record, &|key| rows::value(key, record, asset, &json))
    }

    pub(super) fn see(&self, seen: &Sighting<'_, '_>) -> Seen {
        let asset = if self.noticed.needs == Needs::Asset { seen.asset } else { None };
        let verdict = self.judge(seen.record, asset);
        if !verdict.is_chosen {
            return Seen { verdict, line: None };
        }
        if let Some(tables) = &self.tables {
            tables.see(seen);
        }
        if let Some(thumbnails) = &self.thumbnails {
            thumbnails.draw(seen);
        }
        let line = match &self.maker {
            Some(maker) => Some(Line(maker.row(seen.record, seen.asset))),
            None => Line::of(seen.record, self.is_lines),
        };
        Seen { verdict, line }
    }
}
