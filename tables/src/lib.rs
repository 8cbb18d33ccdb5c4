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
//! | [`Table::Dupes`] | a copy of an asset that occurs more than once | `group`, `path`, `member` |
//! | [`Table::Diff`] | a difference between two assets, archives or folders | `path`, `member`, `place` |
//!
//! [`Table::schema`] has the columns. Its metadata contains `meshpeek.schema`, the [version](SCHEMA), and
//! `meshpeek.table`. Numbers are signed and texts are UTF-8 with 32-bit offsets. Times are
//! microseconds in UTC; a zip does not state the time zone. The only other types are lists, of a fixed size for points
//! and triangles, and structs, so every engine can read them. A count or size that does not fit is null if the column allows it, else the
//! largest number. Columns may be added without a new version.
//!
//! # Columns
//!
//! `?` marks a column that may be null.
//!
//! | table | columns |
//! | --- | --- |
//! | `assets` | path, member?, lossy bool, format?, version? i32, bytes? i64, counts struct<i64?, ...> with every count of any format, bounds? struct<xmin, ymin, zmin, xmax, ymax, zmax>, refs list<struct<kind, name, name_lossy>>, blocks struct<stored_blocks, packed_blocks, packed_bytes, unpacked_bytes>, problems list<struct<severity, code, offset?, message>>, digests? struct<file?, positions?, ...>, stored? struct<stored_offset?, stored_bytes, method, time?>, prefix?, stamp?, mtime? timestamp |
//! | `members` | path, outer?, index i32, name, lossy, method, stored_bytes, bytes, offset?, crc32? i64, time?, mtime? timestamp |
//! | `parts` | path, member?, part, name, index? i32, label?, offset?, bytes?, fields (JSON, as in `info --json`) |
//! | `arrays` | path, member?, part, name, selector, rows, columns `list<text>`, offset, bytes, packing |
//! | `lods` | path, member?, lod i32, resolution f32, lod_name, visual bool, bytes, vertices, faces, sections?, textures?, materials?, selections, properties |
//! | `problems` | path, member?, lossy, format?, severity, code, offset?, message |
//! | `files` | path, lossy, state, format?, bytes?, mtime? timestamp |
//! | `geometry` | path, member?, primitive i32, name?, lod? i32, resolution? f32, model? i32, node? i32, mesh? i32, visible? bool, material?, texture?, positions list<f32\[3\]>, normals list<f32\[3\]>, uvs list<f32\[2\]>, triangles list<i32\[3\]>, left_out, problem? |
//! | `refs` | path, member?, lossy, kind, name, state, target?, targets `list<text>`, elsewhere `list<text>`, more, via?, line? i32, column? i32 |
//! | `dupes` | group i64, same, format, digest, path, member?, lossy, bytes |
//! | `diff` | change, path?, member?, place, to?, label?, a? (JSON), b? (JSON), rows? (JSON) |
//!
//! Columns have the meaning of the keys of a record; `references` is `refs`, because that word is reserved in SQL. No
//! field of a struct has the name of another column, so that Polars can `unnest` it; only `counts` and `digests`
//! share names. `path` and `member` (in `members` `path` and `outer`) join the tables. `selector` is an argument of
//! `meshpeek dump`. In `parts`, a part comes after the parts inside it. Floats are `f32`. In a row of a file that
//! is not an asset, only the format is null.
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

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use self::answers::{Differences, Dupes, LinkRow, Refs};
use self::assets::Assets;
use self::flat::{FileRow, Files, Lods, ProblemRow, Problems};
use self::geometry::{Geometry, GeometryRow};
use self::plain::{Arrays, Key, Members, Parts};
use meshpeek::diff::Difference;
use meshpeek::scan::dupes::Group;
use meshpeek::scan::refs::Link;
use meshpeek::scan::{Record, Sighting};
use meshpeek::{Asset, Budget, Error, Result};

#[cfg(feature = "parquet")]
pub use self::file::{Form, Writer, is_of};
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
    Lods(Box<Lods>),
    Problems(Problems),
    Files(Files),
    Geometry(Box<Geometry>),
    Refs(Refs),
    Dupes(Dupes),
    Differences(Differences),
}

impl Rows {
    fn new(table: Table) -> Self {
        match table {
            Table::Assets => Self::Assets(Box::default()),
            Table::Members => Self::Members(Members::default()),
            Table::Parts => Self::Parts(Parts::default()),
            Table::Arrays => Self::Arrays(Arrays::default()),
            Table::Lods => Self::Lods(Box::default()),
            Table::Problems => Self::Problems(Problems::default()),
            Table::Files => Self::Files(Files::default()),
            Table::Geometry => Self::Geometry(Box::default()),
            Table::Refs => Self::Refs(Refs::default()),
            Table::Dupes => Self::Dupes(Dupes::default()),
            Table::Diff => Self::Differences(Differences::default()),
        }
    }

    /// The number of rows, and about how many bytes they take.
    fn size(&self) -> (usize, usize) {
        match self {
            Self::Assets(rows) => rows.size(),
            Self::Members(rows) => rows.size(),
            Self::Parts(rows) => rows.size(),
            Self::Arrays(rows) => rows.size(),
            Self::Lods(rows) => rows.size(),
            Self::Problems(rows) => rows.size(),
            Self::Files(rows) => rows.size(),
            Self::Geometry(rows) => rows.size(),
            Self::Refs(rows) => rows.size(),
            Self::Dupes(rows) => rows.size(),
            Self::Differences(rows) => rows.size(),
        }
    }

    fn take(&mut self, table: Table) -> Result<RecordBatch> {
        let columns = match self {
            Self::Assets(rows) => rows.take(),
            Self::Members(rows) => rows.take(),
            Self::Parts(rows) => rows.take(),
            Self::Arrays(rows) => rows.take(),
            Self::Lods(rows) => rows.take(),
            Self::Problems(rows) => rows.take(),
            Self::Files(rows) => rows.take(),
            Self::Geometry(rows) => rows.take(),
            Self::Refs(rows) => rows.take(),
            Self::Dupes(rows) => rows.take(),
            Self::Differences(rows) => rows.take(),
        };
        columns.and_then(|columns| RecordBatch::try_new(table.schema(), columns)).map_err(arrow_error)
    }
}

/// A batch is handed over when its rows take this many bytes, however few rows there are. Larger ones take more time:
/// they do not stay in the caches of the processor, and the system clears their memory.
const BATCH_BYTES: usize = 1 << 20;

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

    /// Adds a record to the assets, its problems, and its file, if those tables are requested. Breaks if `take` does.
    pub fn record(&self, record: &Record) -> ControlFlow<()> {
        if self.wants(Table::Problems) {
            flat::emit_problems(record, &mut |problem| self.problem(problem))?;
        }
        if let Some(file) = FileRow::of(record).filter(|_| self.wants(Table::Files)) {
            self.file(&file)?;
        }
        self.add(Table::Assets, |rows| {
            if let Rows::Assets(rows) = rows {
                rows.add(record);
            }
        })
    }

    /// Adds a row for a file that cannot be read to the assets, the problems and the files. It contains only the path,
    /// and the error as its one problem.
    pub fn unreadable(&self, error: &Error) -> ControlFlow<()> {
        self.unreadable_aside(error)?;
        self.add(Table::Assets, |rows| {
            if let Rows::Assets(rows) = rows {
                rows.add_unreadable(error);
            }
        })
    }

    /// Like [`unreadable`](Self::unreadable), but without a row of the assets.
    pub fn unreadable_aside(&self, error: &Error) -> ControlFlow<()> {
        if self.wants(Table::Problems) {
            flat::emit_unreadable(error, |problem| self.problem(problem))?;
        }
        if self.wants(Table::Files) { self.file(&FileRow::unreadable(error)) } else { ControlFlow::Continue(()) }
    }

    /// Adds a file that is not an asset to the files, if that table is requested.
    pub fn other(&self, path: &Path) -> ControlFlow<()> {
        if self.wants(Table::Files) { self.file(&FileRow::other(path)) } else { ControlFlow::Continue(()) }
    }

    /// Adds a reference to the references, if that table is requested.
    pub fn link(&self, link: &Link<'_>) -> ControlFlow<()> {
        let row = LinkRow::of(link);
        self.add(Table::Refs, |rows| {
            if let Rows::Refs(rows) = rows {
                rows.add(&row);
            }
        })
    }

    /// Adds the copies of a group of equal assets to the duplicates, if that table is requested. `number` is that of the
    /// group.
    pub fn group(&self, number: usize, group: &Group) -> ControlFlow<()> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        group.copies.iter().try_for_each(|copy| {
            self.add(Table::Dupes, |rows| {
                if let Rows::Dupes(rows) = rows {
                    rows.add((group, number, copy));
                }
            })
        })
    }

    /// Adds a difference, if that table is requested.
    pub fn difference(&self, difference: &Difference) -> ControlFlow<()> {
        self.add(Table::Diff, |rows| {
            if let Rows::Differences(rows) = rows {
                rows.add(difference);
            }
        })
    }

    /// Adds the triangles of an asset to the geometry, if that table is requested. Memory and work are charged to the
    /// budget; if it is spent, the last row has the problem.
    pub fn geometry(&self, record: &Record, asset: &Asset<'_>, budget: &Budget) -> ControlFlow<()> {
        let path = record.path_name();
        let key = || Key { path: &path, member: record.member.as_ref() };
        geometry::of_asset(asset, budget, &key, &mut |row| self.geometry_row(row))
    }

    fn geometry_row(&self, row: &GeometryRow<'_>) -> ControlFlow<()> {
        self.add(Table::Geometry, |rows| {
            if let Rows::Geometry(rows) = rows {
                rows.add(row);
            }
        })
    }

    fn problem(&self, problem: &ProblemRow<'_>) -> ControlFlow<()> {
        self.add(Table::Problems, |rows| {
            if let Rows::Problems(rows) = rows {
                rows.add(problem);
            }
        })
    }

    fn file(&self, file: &FileRow) -> ControlFlow<()> {
        self.add(Table::Files, |rows| {
            if let Rows::Files(rows) = rows {
                rows.add(file);
            }
        })
    }

    /// Adds the rows of an asset to the other tables, if they are requested.
    pub fn see(&self, seen: &Sighting<'_, '_>) -> ControlFlow<()> {
        if self.wants(Table::Members) {
            plain::emit_members(seen, &mut |member| {
                self.add(Table::Members, |rows| {
                    if let Rows::Members(rows) = rows {
                        rows.add(member);
                    }
                })
            })?;
        }
        if self.wants(Table::Lods) {
            flat::emit_lods(seen, &mut |lod| {
                self.add(Table::Lods, |rows| {
                    if let Rows::Lods(rows) = rows {
                        rows.add(lod);
                    }
                })
            })?;
        }
        if self.wants(Table::Geometry) {
            geometry::emit(seen, &mut |row| self.geometry_row(row))?;
        }
        if self.wants(Table::Parts) || self.wants(Table::Arrays) {
            outline::emit(seen, self.wants(Table::Parts), &mut |row| match row {
                outline::Row::Part(part) => self.add(Table::Parts, |rows| {
                    if let Rows::Parts(rows) = rows {
                        rows.add(part);
                    }
                }),
                outline::Row::Array(array) => self.add(Table::Arrays, |rows| {
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
