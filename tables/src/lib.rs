//! Converts the results of a scan to Arrow batches, for engines and data frames. There are four tables.
//!
//! | table | a row is | keys |
//! | --- | --- | --- |
//! | [`Table::Assets`] | a record | `path`, `member` |
//! | [`Table::Members`] | a member of an archive, an asset or not | `path`, `outer`, `index` |
//! | [`Table::Parts`] | a part of an asset's outline with its fields; the asset itself is the part without a name | `path`, `member`, `part` |
//! | [`Table::Arrays`] | an array of an asset | `path`, `member`, `selector` |
//!
//! [`Table::schema`] has the columns. Its metadata contains `meshpeek.schema`, the [version](SCHEMA), and
//! `meshpeek.table`. Numbers are signed and texts are UTF-8 with 32-bit offsets. The only other types are lists and
//! structs, so every engine can read them. A count or size that does not fit is null if the column allows it, else the
//! largest number. Columns may be added without a new version.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use meshpeek_tables::{Batches, Table};
//! use meshpeek::scan::{Found, Scan};
//!
//! let rows = AtomicUsize::new(0);
//! let batches = Batches::new(&[Table::Assets, Table::Arrays], 8192, |_, batch| {
//!     rows.fetch_add(batch.num_rows(), Ordering::Relaxed);
//!     Ok(ControlFlow::Continue(()))
//! });
//! Scan::new(["../corpus/b3d"]).run_with(|seen| batches.see(seen), |found, _| match found {
//!     Found::Asset(record) => batches.record(&record),
//!     _ => ControlFlow::Continue(()),
//! })?;
//! batches.finish()?;
//! assert!(rows.into_inner() > 20);
//! # Ok::<(), meshpeek::Error>(())
//! ```

mod assets;
mod cells;
mod outline;
#[cfg(feature = "parquet")]
pub mod parquet;
mod plain;
mod schema;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use self::assets::Assets;
use self::plain::{Arrays, Members, Parts};
use meshpeek::scan::{Record, Sighting};
use meshpeek::{Error, Result};

pub use self::schema::{SCHEMA, Table};
/// The crates that define these batches and schemas.
#[doc(no_inline)]
pub use {arrow_array, arrow_schema};

/// Rows of one table, collected for a batch.
enum Rows {
    Assets(Box<Assets>),
    Members(Members),
    Parts(Parts),
    Arrays(Arrays),
}

impl Rows {
    fn new(table: Table) -> Self {
        match table {
            Table::Assets => Self::Assets(Box::default()),
            Table::Members => Self::Members(Members::default()),
            Table::Parts => Self::Parts(Parts::default()),
            Table::Arrays => Self::Arrays(Arrays::default()),
        }
    }

    /// The number of rows, and about how many bytes they take.
    fn size(&self) -> (usize, usize) {
        match self {
            Self::Assets(rows) => rows.size(),
            Self::Members(rows) => rows.size(),
            Self::Parts(rows) => rows.size(),
            Self::Arrays(rows) => rows.size(),
        }
    }

    fn take(&mut self, table: Table) -> Result<RecordBatch> {
        let columns = match self {
            Self::Assets(rows) => rows.take(),
            Self::Members(rows) => rows.take(),
            Self::Parts(rows) => rows.take(),
            Self::Arrays(rows) => rows.take(),
        };
        columns.and_then(|columns| RecordBatch::try_new(table.schema(), columns)).map_err(arrow_error)
    }
}

/// A batch is handed over when its rows take this many bytes, however few rows there are.
const BATCH_BYTES: usize = 16 << 20;

/// Collects the results of a scan in batches, and hands over each full batch. Holds one batch of each table.
pub struct Batches<F> {
    tables: Vec<(Table, Mutex<Rows>)>,
    most_rows: usize,
    take: F,
    failure: Mutex<Option<Error>>,
}

impl<F: Fn(Table, RecordBatch) -> Result<ControlFlow<()>>> Batches<F> {
    /// Creates batches of these tables, with at most this many rows. `take` never runs twice at the same time for one
    /// table.
    pub fn new(tables: &[Table], most_rows: usize, take: F) -> Self {
        let tables = tables.iter().map(|&table| (table, Mutex::new(Rows::new(table)))).collect();
        Self { tables, most_rows: most_rows.max(1), take, failure: Mutex::new(None) }
    }

    /// Adds a record to the assets, if that table is requested. Breaks if `take` does.
    pub fn record(&self, record: &Record) -> ControlFlow<()> {
        self.add(Table::Assets, |rows| {
            if let Rows::Assets(rows) = rows {
                rows.add(record);
            }
        })
    }

    /// Adds a row to the assets for a file that cannot be read. It contains only the path, and the error as its one
    /// problem.
    pub fn unreadable(&self, error: &Error) -> ControlFlow<()> {
        self.add(Table::Assets, |rows| {
            if let Rows::Assets(rows) = rows {
                rows.add_unreadable(error);
            }
        })
    }

    /// Adds the rows of an asset to the other tables, if they are requested.
    pub fn see(&self, seen: &Sighting<'_, '_>) -> ControlFlow<()> {
        if self.wants(Table::Members) {
            plain::tell_members(seen, &mut |member| {
                self.add(Table::Members, |rows| {
                    if let Rows::Members(rows) = rows {
                        rows.add(member);
                    }
                })
            })?;
        }
        if self.wants(Table::Parts) || self.wants(Table::Arrays) {
            outline::tell(seen, self.wants(Table::Parts), &mut |told| match told {
                outline::Told::Part(part) => self.add(Table::Parts, |rows| {
                    if let Rows::Parts(rows) = rows {
                        rows.add(part);
                    }
                }),
                outline::Told::Array(array) => self.add(Table::Arrays, |rows| {
                    if let Rows::Arrays(rows) = rows {
                        rows.add(array);
                    }
                }),
            })?;
        }
        ControlFlow::Continue(())
    }

    /// Hands over the remaining rows.
    ///
    /// # Errors
    /// Returns the first error of `take`, from this call or an earlier one.
    pub fn finish(&self) -> Result<()> {
        for (table, rows) in &self.tables {
            let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
            if rows.size().0 > 0 && self.hand_over(*table, &mut rows).is_break() {
                break;
            }
        }
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn wants(&self, table: Table) -> bool {
        self.tables.iter().any(|(wanted, _)| *wanted == table)
    }

    fn add(&self, table: Table, add: impl FnOnce(&mut Rows)) -> ControlFlow<()> {
        let Some((_, rows)) = self.tables.iter().find(|(wanted, _)| *wanted == table) else {
            return ControlFlow::Continue(());
        };
        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut rows);
        let (count, bytes) = rows.size();
        if count >= self.most_rows || bytes >= BATCH_BYTES {
            return self.hand_over(table, &mut rows);
        }
        ControlFlow::Continue(())
    }

    fn hand_over(&self, table: Table, rows: &mut Rows) -> ControlFlow<()> {
        rows.take(table).and_then(|batch| (self.take)(table, batch)).unwrap_or_else(|error| {
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            ControlFlow::Break(())
        })
    }
}

/// An internal error of Arrow, which occurs only if a batch cannot be built.
fn arrow_error(error: ArrowError) -> Error {
    std::io::Error::other(error).into()
}
