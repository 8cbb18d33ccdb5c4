//! Converts the results of a scan to Arrow batches, for engines and data frames. The tables are:
//!
//! | table | a row is | keys |
//! | --- | --- | --- |
//! | [`Table::Assets`] | a record | `path`, `member` |
//! | [`Table::Members`] | a member of an archive, an asset or not | `path`, `outer`, `index` |
//! | [`Table::Parts`] | a part of an asset's outline with its fields; the asset itself is the part without a name | `path`, `member`, `part` |
//! | [`Table::Arrays`] | an array of an asset | `path`, `member`, `selector` |
//! | [`Table::Lods`] | a LOD of an ODOL or MLOD model | `path`, `member`, `lod` |
//! | [`Table::Problems`] | a problem of an asset, or of a path that cannot be read | `path`, `member` |
//! | [`Table::Files`] | a file that the scan found: `asset`, `other` or `unreadable` | `path` |
//! | [`Table::Geometry`] | the triangles of one material in one mesh | `path`, `member`, `primitive` |
//! | [`Table::Refs`] | a reference, its state, and the file it means | `path`, `member` |
//! | [`Table::Dupes`] | a copy of an asset that occurs more than once, or an asset that could not all be read | `group`, `path`, `member` |
//! | [`Table::Diff`] | a difference between two assets, archives or folders | `path`, `member`, `place` |
//!
//! [`Table::schema`] has the columns. Its metadata contains `meshpeek.schema`, the [version](SCHEMA), and
//! `meshpeek.table`. Numbers are signed and texts are UTF-8 with 32-bit offsets. Times are
//! microseconds in UTC; a zip does not state the time zone. The only other types are `bool`, structs, and lists, of a
//! fixed size for points and triangles, so every engine can read them. A count or size that does not fit is null if the
//! column allows it, else the largest number. Columns may be added without a new version.
//!
//! # Columns
//!
//! `?` marks a column that may be null. Where no type is given, counts, offsets and sizes are `i64`, `bounds`
//! are `f32`, `lossy`, `visual` and `visible` are `bool`, and all else is text. `lossy` is true if a name has bytes that are not UTF-8.
//!
//! | table | columns |
//! | --- | --- |
//! | `assets` | path, member?, lossy bool, format?, version? i32, bytes? i64, counts struct<i64?, ...> with every count of any format, bounds? struct<xmin, ymin, zmin, xmax, ymax, zmax>, refs list<struct<kind, name, name_lossy>>, blocks struct<stored_blocks, packed_blocks, packed_bytes, unpacked_bytes>, problems list<struct<severity, code, offset?, message>>, digests? struct<file?, positions?, ...>, stored? struct<stored_offset?, stored_bytes, method, time?>, prefix?, stamp?, mtime? timestamp, address?, texture? struct<texture_kind, width, height> |
//! | `members` | path, outer?, index i32, name, lossy, method, stored_bytes, bytes, offset?, crc32? i64, time?, mtime? timestamp |
//! | `parts` | path, member?, part, name, index? i32, label?, offset?, bytes?, fields (JSON, as in `info --json`) |
//! | `arrays` | path, member?, part, name, selector, rows, columns `list<text>`, offset, bytes, packing |
//! | `lods` | path, member?, lod i32, resolution f32, lod_name, visual bool, bytes, vertices, faces, sections?, textures?, materials?, selections, properties |
//! | `problems` | path, member?, lossy, format?, severity, code, offset?, message |
//! | `files` | path, lossy, state, format?, bytes?, mtime? timestamp |
//! | `geometry` | path, member?, primitive i32, name?, lod? i32, resolution? f32, lod_name?, visual? bool, model? i32, node? i32, mesh? i32, visible? bool, material?, texture?, alpha?, alpha_cutoff? f32, positions list<f32\[3\]>, normals list<f32\[3\]>, uvs list<f32\[2\]>, triangles list<i32\[3\]>, left_out, problem? |
//! | `refs` | path, member?, lossy, kind?, name?, state, target?, targets `list<text>`, elsewhere `list<text>`, more, via?, reason?, note?, line? i32, column? i32 |
//! | `dupes` | group? i64, same, format?, digest?, path, member?, lossy, bytes |
//! | `diff` | change, path?, member?, place, to?, label?, a? (JSON), b? (JSON), rows? (JSON) |
//!
//! Columns have the meaning of the keys of a record; `references` is `refs`, because that word is reserved in SQL. There is
//! no `unchecked`; `members` have their `method`. No
//! field of a struct has the name of another column, so that Polars can `unnest` it; only fields of `counts` and
//! `digests` have equal names. `path` and `member` join the tables; in `members`, the archive is `path` and `outer`.
//! In `lods` and `geometry`, `visual` is true for LODs that are seen from outside. In `geometry` it is also true without a LOD,
//! and `visible` is true unless the file hides the triangles: a collision mesh is visible, but not visual.
//! `selector` is an argument of `meshpeek dump`. In `parts`, a part comes after the parts inside it. Floats are `f32`. A file that is not an
//! asset has no format; a row of `assets` for one that cannot be read has only the path and a problem.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use meshpeek_tables::{Batches, Table};
//! use meshpeek::scan::{Found, Input, Scan};
//!
//! let rows = AtomicUsize::new(0);
//! let batches = Batches::new(&[Table::Assets, Table::Arrays], 8192, |_, batch| {
//!     rows.fetch_add(batch.num_rows(), Ordering::Relaxed);
//!     Ok(ControlFlow::Continue(()))
//! });
//! Scan::new(["../corpus/b3d"]).run(Input::Paths, |seen| batches.see(seen), |found, _| match found {
//!     Found::Asset(record) => batches.record(&record),
//!     _ => ControlFlow::Continue(()),
//! })?;
//! batches.finish()?;
//! assert!(rows.into_inner() > 20);
//! # Ok::<(), meshpeek::Error>(())
//! ```

// `clippy.toml` has the threshold.
#![cfg_attr(not(test), deny(clippy::too_many_lines))]

mod answers;
mod assets;
mod cells;
#[cfg(feature = "parquet")]
mod file;
mod flat;
mod geometry;
mod outline;
#[cfg(feature = "parquet")]
pub mod parquet;
mod plain;
mod schema;
pub mod since;

use std::any::Any;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use self::answers::{CopyRow, Differences, Dupes, Refs};
use self::assets::{AssetRow, Assets, unreadable};
use self::cells::Rows;
use self::flat::{FileRow, Files, ProblemRow, Problems};
use self::plain::Key;
use self::schema::OfTable;
use meshpeek::answers::dupes::{Copy, Group};
use meshpeek::answers::refs::Link;
use meshpeek::diff::Difference;
use meshpeek::scan::{Record, Sighting};
use meshpeek::summary::Summary;
use meshpeek::{Asset, Budget, Error, Result};

#[cfg(feature = "parquet")]
pub use self::file::{Form, Writer, is_of};
pub use self::schema::{SCHEMA, Table};
/// The crates that define these batches and schemas.
#[doc(no_inline)]
pub use {arrow_array, arrow_schema};

/// A batch is handed over when its rows take this many bytes, however few rows there are. Larger ones take more time:
/// they do not stay in the caches of the processor, and the system clears their memory.
const BATCH_BYTES: usize = 1 << 20;

/// Collects the results of a scan in batches, and hands over each full batch. Holds one batch of each table.
pub struct Batches<F> {
    tables: Vec<(Table, Mutex<Box<dyn Rows>>)>,
    most_rows: usize,
    take: F,
    failure: Mutex<Option<Error>>,
}

impl<F: Fn(Table, RecordBatch) -> Result<ControlFlow<()>>> Batches<F> {
    /// Creates batches of these tables, with at most this many rows. `take` never runs twice at the same time for one
    /// table.
    pub fn new(tables: &[Table], most_rows: usize, take: F) -> Self {
        let tables = tables.iter().map(|table| (*table, Mutex::new(table.rows()))).collect();
        Self { tables, most_rows: most_rows.max(1), take, failure: Mutex::new(None) }
    }

    /// Adds a record to the assets, its problems, and its file, if those tables are requested. Breaks if `take` does.
    pub fn record(&self, record: &Record) -> ControlFlow<()> {
        if self.wants(Table::Files)
            && let Some(file) = FileRow::of(record)
        {
            self.add::<Files>(&file)?;
        }
        if !self.wants(Table::Problems) && !self.wants(Table::Assets) {
            return ControlFlow::Continue(());
        }
        let row = AssetRow::of(record);
        self.add_problems(&row, &record.summary)?;
        self.add::<Assets>(&row)
    }

    /// Adds a row for a file that cannot be read to the assets, the problems and the files. It contains only the path,
    /// and the error as its one problem.
    pub fn unreadable(&self, error: &Error) -> ControlFlow<()> {
        self.unreadable_aside(error)?;
        self.add::<Assets>(&AssetRow::unreadable(error, &unreadable(error)))
    }

    /// Like [`unreadable`](Self::unreadable), but without a row of the assets.
    pub fn unreadable_aside(&self, error: &Error) -> ControlFlow<()> {
        let summary = unreadable(error);
        let row = AssetRow::unreadable(error, &summary);
        self.add_problems(&row, &summary)?;
        self.add::<Files>(&FileRow::unreadable(error))
    }

    fn add_problems(&self, asset: &AssetRow<'_>, summary: &Summary) -> ControlFlow<()> {
        for problem in &summary.problems {
            self.add::<Problems>(ProblemRow { asset, problem })?;
        }
        ControlFlow::Continue(())
    }

    /// Adds a file that is not an asset to the files, if that table is requested.
    pub fn other(&self, path: &Path) -> ControlFlow<()> {
        if self.wants(Table::Files) { self.add::<Files>(&FileRow::other(path)) } else { ControlFlow::Continue(()) }
    }

    /// Adds a reference to the references, if that table is requested.
    pub fn link(&self, link: &Link<'_>) -> ControlFlow<()> {
        self.add::<Refs>(link)
    }

    /// Adds the copies of a group of equal assets to the duplicates, if that table is requested. `number` is that of the
    /// group.
    pub fn group(&self, number: usize, group: &Group) -> ControlFlow<()> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        for copy in &group.copies {
            self.add::<Dupes>(CopyRow { group: Some((number, group)), copy })?;
        }
        ControlFlow::Continue(())
    }

    /// Adds an asset that could not all be read to the duplicates, if that table is requested. Its `same` is `unread`.
    pub fn unread_copy(&self, copy: &Copy) -> ControlFlow<()> {
        self.add::<Dupes>(CopyRow { group: None, copy })
    }

    /// Adds a difference, if that table is requested.
    pub fn difference(&self, difference: &Difference) -> ControlFlow<()> {
        self.add::<Differences>(difference)
    }

    /// Adds the triangles of an asset to the geometry, if that table is requested. Memory and work are charged to the
    /// budget; if it is spent, the last row has the problem.
    pub fn geometry(&self, record: &Record, asset: &Asset<'_>, budget: &Budget) -> ControlFlow<()> {
        let key = Key { path: &record.path_name(), member: record.member.as_ref() };
        geometry::add_primitives(asset, key, budget, self)
    }

    /// Adds the rows of an asset to the other tables, if they are requested.
    pub fn see(&self, seen: &Sighting<'_, '_>) -> ControlFlow<()> {
        let &Sighting { record, asset: Some(asset), budget, ref members, is_continued, .. } = seen else {
            return ControlFlow::Continue(());
        };
        let key = Key { path: &record.path_name(), member: record.member.as_ref() };
        if self.wants(Table::Members) {
            plain::add_members(asset, key, members, self)?;
        }
        if is_continued {
            return ControlFlow::Continue(());
        }
        if self.wants(Table::Lods) {
            flat::add_lods(asset, key, budget, self)?;
        }
        if self.wants(Table::Geometry) {
            geometry::add_primitives(asset, key, budget, self)?;
        }
        if self.wants(Table::Parts) || self.wants(Table::Arrays) {
            outline::add_outline(asset, key, budget, self.wants(Table::Parts), self)?;
        }
        ControlFlow::Continue(())
    }

    /// Hands over the remaining rows.
    ///
    /// # Errors
    /// Returns the first error of `take`, from this call or an earlier one.
    pub fn finish(&self) -> Result<()> {
        for (table, rows) in &self.tables {
            let mut rows = lock(rows);
            if rows.size().rows > 0 && self.hand_over(*table, &mut **rows).is_break() {
                break;
            }
        }
        match lock(&self.failure).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn wants(&self, table: Table) -> bool {
        self.rows(table).is_some()
    }

    /// The rows of a table, if it is requested.
    fn rows(&self, table: Table) -> Option<&Mutex<Box<dyn Rows>>> {
        for (wanted, rows) in &self.tables {
            if *wanted == table {
                return Some(rows);
            }
        }
        None
    }

    /// Hands over the rows as a batch. Keeps the first error.
    fn hand_over(&self, table: Table, rows: &mut dyn Rows) -> ControlFlow<()> {
        match self.try_hand_over(table, rows) {
            Ok(flow) => flow,
            Err(error) => {
                lock(&self.failure).get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    }

    fn try_hand_over(&self, table: Table, rows: &mut dyn Rows) -> Result<ControlFlow<()>> {
        let columns = rows.take().map_err(arrow_error)?;
        let batch = RecordBatch::try_new(table.schema(), columns).map_err(arrow_error)?;
        (self.take)(table, batch)
    }
}

/// Batches to which each module adds the rows of its tables.
trait AddRow {
    /// Adds a row to a table, if it is requested. Breaks if `take` does.
    fn add<R: OfTable>(&self, row: R::Row<'_>) -> ControlFlow<()>;
}

impl<F: Fn(Table, RecordBatch) -> Result<ControlFlow<()>>> AddRow for Batches<F> {
    fn add<R: OfTable>(&self, row: R::Row<'_>) -> ControlFlow<()> {
        let Some(rows) = self.rows(R::TABLE) else { return ControlFlow::Continue(()) };
        let mut rows = lock(rows);
        let of_table: &mut dyn Any = &mut **rows;
        if let Some(rows) = of_table.downcast_mut::<R>() {
            rows.add(row);
        }
        let size = rows.size();
        if size.rows >= self.most_rows || size.bytes >= BATCH_BYTES {
            return self.hand_over(R::TABLE, &mut **rows);
        }
        ControlFlow::Continue(())
    }
}

/// Locks a mutex, even if a thread panicked while it held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An internal error of Arrow, which occurs only if a batch cannot be built.
fn arrow_error(error: ArrowError) -> Error {
    std::io::Error::other(error).into()
}
