//! A program without tables. `Tables` and `OldTables` have no values, so that nothing about tables runs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use meshpeek::Error;
use meshpeek::answers::dupes::{Copy, Group};
use meshpeek::answers::refs::Link;
use meshpeek::diff::Difference;
use meshpeek::scan::{FileId, Known, Record, Sighting, Views};

use crate::args::{Common, RecordFormat, ScanArgs};
use crate::failure::Failure;
use crate::notes::Notes;
use crate::sorted::Sorted;
use crate::table_args::{NO_TABLES, is_table};

/// The tables that verbs ask for.
#[derive(Clone, Copy)]
pub(crate) enum Table {
    Assets,
    Diff,
    Dupes,
    Problems,
    Refs,
}

pub(crate) enum Tables {}

impl Tables {
    pub(crate) fn of(
        _: Table,
        format: &impl ValueEnum,
        _: Option<Sorted>,
        _: &Common,
    ) -> Result<Option<Arc<Self>>, Failure> {
        if is_table(format) { Err(NO_TABLES.into()) } else { Ok(None) }
    }

    pub(crate) fn of_scan(_: &ScanArgs, _: RecordFormat, _: Option<Sorted>, _: &Common) -> Result<Arc<Self>, Failure> {
        Err(NO_TABLES.into())
    }

    pub(crate) fn has(&self, _: Table) -> bool {
        match *self {}
    }

    pub(crate) fn views(&self) -> Views {
        match *self {}
    }

    pub(crate) fn ids(&self) -> Vec<FileId> {
        match *self {}
    }

    pub(crate) fn see(&self, _: &Sighting<'_, '_>) {
        match *self {}
    }

    pub(crate) fn record(&self, _: &Record) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn unreadable(&self, _: &Error) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn other(&self, _: &Path) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn link(&self, _: &Link<'_>) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn difference(&self, _: &Difference) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn group(&self, _: u64, _: &Group) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn unread_copy(&self, _: &Copy) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn copy(&self, _: &OldTables, _: &HashSet<PathBuf>) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn finish(&self, _: bool) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn keep(&self) -> Result<(), Failure> {
        match *self {}
    }
}

pub(crate) enum OldTables {}

impl OldTables {
    pub(crate) fn at(_: &Path) -> Result<Option<Self>, Failure> {
        Ok(None)
    }

    pub(crate) fn known(&self, _: &Tables, _: Notes) -> Result<Known, Failure> {
        match *self {}
    }
}
