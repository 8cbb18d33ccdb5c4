//! The results of a scan, one by one.

use std::path::{Path, PathBuf};

use meshpeek::scan::{Found, Record, Scan};

use super::earlier::Earlier;
use super::look::{Look, Seen};
use super::others::{self, Others};
use super::writer::Writer;
use crate::args::{Common, Inputs, ScanArgs};
use crate::failure::Failure;
use crate::input::Tally;
use crate::since;

pub(super) struct ResultHandler<'a> {
    pub(super) scan: &'a Scan,
    pub(super) look: &'a Look<'a>,
    pub(super) earlier: Earlier,
    pub(super) writer: Writer,
    pub(super) inputs: &'a Inputs,
    pub(super) args: &'a ScanArgs,
    pub(super) common: &'a Common,
    pub(super) others: Others,
    /// The counts of records that are copied from an earlier stream.
    pub(super) copied: Tally,
}

impl ResultHandler<'_> {
    pub(super) fn add(&mut self, found: Found, seen: Option<Seen>) -> Result<(), Failure> {
        match found {
            Found::Asset(record) => self.asset(&record, seen),
            Found::Unchanged(path) => self.unchanged(path),
            Found::NoAsset(path) => self.no_asset(&path),
            Found::Unreadable(error) => self.writer.unreadable(&error),
            _ => Ok(()),
        }
    }

    fn asset(&mut self, record: &Record, seen: Option<Seen>) -> Result<(), Failure> {
        let seen = match seen {
            Some(seen) => seen,
            None => Seen { verdict: self.look.judge(record, None), line: None },
        };
        self.look.noticed.count(record, &seen.verdict);
        if seen.verdict.is_chosen { self.writer.record(record, seen.line) } else { Ok(()) }
    }

    fn unchanged(&mut self, path: PathBuf) -> Result<(), Failure> {
        match &mut self.earlier {
            Earlier::None => Ok(()),
            Earlier::Stream(old) => {
                self.copied.add_copied(old.counts(&path));
                self.writer.lines(&path, old)
            }
            Earlier::Tables { unchanged, .. } => {
                unchanged.insert(path);
                Ok(())
            }
        }
    }

    fn no_asset(&mut self, path: &Path) -> Result<(), Failure> {
        self.others.add(path);
        if self.args.others {
            let record = others::record(self.scan, path, self.common)?;
            return self.asset(&record, None);
        }
        match &self.writer.tables {
            Some(tables) if self.args.condition.is_none() => tables.other(path),
            _ => Ok(()),
        }
    }

    /// Writes what is left, and adds the copied records to the counts. Returns the files that are no assets.
    pub(super) fn finish(self, tally: &mut Tally) -> Result<Others, Failure> {
        tally.add_copied(self.copied);
        let mut events = String::new();
        if self.args.events {
            events = since::last_events(self.scan, tally, self.common.requests());
        }
        if let Earlier::Tables { old, unchanged } = &self.earlier
            && let Some(tables) = &self.writer.tables
        {
            tables.copy(old, unchanged)?;
        }
        // A later scan may take rows of these tables, unless some are missing.
        let is_cut = self.args.condition.is_some() || self.args.top.is_some() || self.inputs.units_from.is_some();
        self.writer.finish(!is_cut && !tally.interrupted, &events)?;
        Ok(self.others)
    }
}
