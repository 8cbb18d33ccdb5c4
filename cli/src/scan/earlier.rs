//! The results of an earlier scan: `--since`.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use meshpeek::scan::Known;

use super::writer::format;
use crate::args::{Common, Inputs, RecordFormat, ScanArgs};
use crate::failure::Failure;
use crate::notes::Notes;
use crate::since::Old;
use crate::tables::{OldTables, Table, Tables};

pub(super) enum Earlier {
    None,
    /// The records of a stream.
    Stream(Old),
    Tables {
        old: OldTables,
        /// The files that have not changed since.
        unchanged: HashSet<PathBuf>,
    },
}

impl Earlier {
    pub(super) fn open(inputs: &Inputs, args: &ScanArgs, common: &Common) -> Result<Self, Failure> {
        let mut earlier = Self::None;
        if let Some(path) = &args.since {
            earlier = match OldTables::at(path)? {
                Some(old) => Self::Tables { old, unchanged: HashSet::new() },
                None => Self::Stream(Old::open(path, common)?),
            };
        }
        if earlier.is_stream(args) && !matches!(format(args, common)?, None | Some(RecordFormat::Ndjson)) {
            return Err("--events and --since need --format ndjson, or --since older tables".into());
        }
        // The records of unchanged files are copied from the old stream, without a look at their numbers.
        let is_by_number = inputs.sort.as_ref().is_some_and(|by| by.name != "path");
        if matches!(earlier, Self::Stream(_)) && (args.top.is_some() || is_by_number) {
            return Err("--since goes with --sort path only, and not with --top".into());
        }
        Ok(earlier)
    }

    /// Returns true if the results are a stream of records and events.
    pub(super) fn is_stream(&self, args: &ScanArgs) -> bool {
        args.events || matches!(self, Self::Stream(_))
    }

    /// The files that the earlier scan has records of. Those that have not changed are not scanned.
    pub(super) fn known(
        &self,
        tables: Option<&Tables>,
        inputs: &Inputs,
        notes: Notes,
    ) -> Result<Option<Arc<Known>>, Failure> {
        match self {
            Self::None => Ok(None),
            Self::Stream(old) => Ok(Some(old.known())),
            Self::Tables { old, .. } => match tables {
                Some(tables) if tables.has(Table::Assets) && inputs.sort.is_none() => {
                    Ok(Some(Arc::new(old.known(tables, notes)?)))
                }
                _ => Err("--since older tables is for tables with the assets, without --sort".into()),
            },
        }
    }
}
