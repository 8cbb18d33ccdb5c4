//! The rows of a scan.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use meshpeek::Summary;
use meshpeek::scan::Record;
use rusqlite::{Transaction, params};

use crate::Result;

/// The counts of a run.
#[derive(Debug, Default, PartialEq)]
pub struct Done {
    /// Assets that were read.
    pub read: u64,
    /// Files that have not changed.
    pub unchanged: u64,
    /// Files whose rows were removed, because they are gone.
    pub gone: u64,
}

/// Writes the results of a scan. A transaction may not leave its thread, so it needs an iterator over the results.
pub struct Writer<'t> {
    transaction: Transaction<'t>,
    /// The files with results.
    seen: HashSet<String>,
    /// Files and folders that could not be read.
    unread: Vec<PathBuf>,
    done: Done,
}

impl<'t> Writer<'t> {
    /// Begins to write. What could not be read before is asked again.
    pub fn new(transaction: Transaction<'t>) -> Result<Self> {
        transaction.execute("delete from unread", [])?;
        Ok(Self { transaction, seen: HashSet::new(), unread: Vec::new(), done: Done::default() })
    }

    /// Adds an asset. The first of a file replaces the rows of an earlier run.
    pub fn add(&mut self, record: &Record) -> Result<()> {
        let path = record.path_name().text;
        if self.seen.insert(path.clone()) {
            self.transaction.execute("delete from files where path = ?", [&path])?;
            self.transaction.execute("insert into files values (null, ?, null)", [&path])?;
        }
        if record.stamp.is_some() && !record.path_name().lossy {
            self.transaction.execute("update files set stamp = ? where path = ?", params![record.stamp, path])?;
        }
        let file: i64 = self.transaction.query_row("select id from files where path = ?", [&path], |row| row.get(0))?;
        let Summary { format, version, bytes, counts, references, problems, .. } = &record.summary;
        let member = record.member.as_ref().map(|name| &name.text);
        let vertices = counts.get("vertices").map(|count| count as i64);
        let format = format.map(|format| format.name());
        let mut insert = self.transaction.prepare_cached("insert into assets values (null, ?, ?, ?, ?, ?, ?, ?)")?;
        let row = params![file, member, format, version, *bytes as i64, vertices, problems.len() as i64];
        let asset = insert.insert(row)?;
        let mut insert = self.transaction.prepare_cached("insert into uses values (?, ?, ?)")?;
        for reference in references {
            insert.execute(params![asset, reference.kind.name(), reference.name.text])?;
        }
        self.done.read += 1;
        Ok(())
    }

    /// Adds a file that could not be read, or not to its end.
    pub fn unread(&mut self, error: &meshpeek::Error) -> Result<()> {
        let path = error.path().map(|path| path.to_string_lossy().into_owned());
        // What an earlier run found is not read again, but neither is it gone.
        self.unread.extend(error.path().map(Path::to_owned));
        self.transaction.execute("update files set stamp = null where path = ?", [&path])?;
        self.transaction.execute("insert into unread values (?, ?)", params![path, error.to_string()])?;
        Ok(())
    }

    pub fn unchanged(&mut self, path: &Path) {
        self.seen.insert(path.to_string_lossy().into_owned());
        self.done.unchanged += 1;
    }

    /// Removes the files below these paths that have no result, and ends the transaction. What is below a folder that could
    /// not be listed is not gone.
    pub fn finish(mut self, given: &[PathBuf]) -> Result<Done> {
        let mut query = self.transaction.prepare("select path from files")?;
        let paths = query.query_map([], |row| row.get::<_, String>(0))?.collect::<std::result::Result<Vec<_>, _>>()?;
        drop(query);
        for path in paths {
            let is_given = given.iter().any(|folder| Path::new(&path).starts_with(folder));
            let is_listed = !self.unread.iter().any(|folder| Path::new(&path).starts_with(folder));
            if is_given && is_listed && !self.seen.contains(&path) {
                self.transaction.execute("delete from files where path = ?", [path])?;
                self.done.gone += 1;
            }
        }
        self.transaction.commit()?;
        Ok(self.done)
    }
}
