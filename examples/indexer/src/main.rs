//! Keeps the facts about files and archives in a SQLite database. The scan uses all cores; the caller's thread writes.
//!
//! `cargo run --release -- index.db PATH...`, then `sqlite3 index.db "select format, count(*) from assets group by 1"`.
//! A second run reads only the files that have changed, and drops the rows of those that are gone.

#[cfg(test)]
mod tests;
mod writer;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::scan::{Found, Known, Scan};
use rusqlite::{Connection, OptionalExtension};

use crate::writer::{Done, Writer};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A file's `stamp` is null if it could not be read whole, so that the next run reads it again.
const TABLES: &str = "
    create table if not exists files (id integer primary key, path text unique, stamp text);
    create table if not exists assets (id integer primary key, file integer references files on delete cascade, member text,
                                       format text, version integer, bytes integer, vertices integer, problems integer);
    create table if not exists uses (asset integer references assets on delete cascade, kind text, name text);
    create table if not exists unread (path text, error text);
    create index if not exists assets_of_files on assets (file);
    create index if not exists uses_of_assets on uses (asset);";

fn open(path: &Path) -> Result<Connection> {
    let database = Connection::open(path)?;
    database.execute_batch("pragma foreign_keys = on;")?;
    database.execute_batch(TABLES)?;
    Ok(database)
}

/// Returns the files whose rows are all there, so that the scan skips them if they have not changed.
fn known(database: &Connection) -> Result<Known> {
    let mut known = Known::default();
    let mut query = database.prepare("select path, stamp from files where stamp is not null")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        known.add(PathBuf::from(row.get::<_, String>(0)?), row.get(1)?);
    }
    Ok(known)
}

/// Brings the database up to date with these files and folders, all or nothing.
fn index(paths: &[PathBuf], database: &mut Connection) -> Result<Done> {
    let mut scan = Scan::new(paths);
    scan.known = Some(Arc::new(known(database)?));
    let mut writer = Writer::new(database.transaction()?)?;
    // An error here drops the iterator, which ends the scan.
    for found in scan.iter()? {
        match found {
            Found::Asset(record) => writer.add(&record)?,
            Found::Unchanged(path) => writer.unchanged(&path),
            Found::Unreadable(error) => writer.unread(&error)?,
            // Files that are no assets have no rows.
            _ => {}
        }
    }
    writer.finish(paths)
}

fn main() -> Result<()> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let path = paths.next().ok_or("usage: indexer DATABASE PATH...")?;
    let mut database = open(&path)?;
    let done = index(&paths.collect::<Vec<_>>(), &mut database)?;
    println!("{} assets read, {} files unchanged, {} gone", done.read, done.unchanged, done.gone);
    let worst = "select path || coalesce('!/' || member, ''), problems from assets join files on files.id = file
                 where problems > 0 order by problems desc limit 1";
    let worst =
        database.query_row(worst, [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).optional()?;
    if let Some((address, problems)) = worst {
        println!("{address} has {problems} problems");
    }
    Ok(())
}
