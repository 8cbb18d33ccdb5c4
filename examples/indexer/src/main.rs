//! Lists the contents of files and archives in SQLite tables: read on all cores, written by one thread.
//!
//! `cargo run --release -- index.db FILE...`, then `sqlite3 index.db "select format, count(*) from assets group by 1"`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};

use meshpeek::visit::visit;
use meshpeek::{FileMap, Inspect, Limits, Summary};
use rayon::prelude::*;
use rusqlite::{Connection, Result, params};

const TABLES: &str = "
    create table assets (id integer primary key, path text, member text, format text, version integer, bytes integer,
                         vertices integer, problems integer);
    create table uses (asset integer references assets, kind text, name text);
    create table unread (path text, member text, error text);";

/// The facts about one place, or the reason why there are none.
struct Row {
    path: PathBuf,
    member: Option<String>,
    summary: std::result::Result<Summary, String>,
}

/// Sends a row for every asset in a file, at any depth.
fn look(path: &Path, limits: &Limits, rows: &SyncSender<Row>) {
    let row = |member, summary| Row { path: path.to_owned(), member, summary };
    let file = match FileMap::open(path) {
        Ok(file) => file,
        Err(error) => return drop(rows.send(row(None, Err(error.to_string())))),
    };
    let _ = visit(&file, limits, &mut |visited| {
        let member = visited.member.map(|name| name.text.clone());
        let summary = visited.asset.map(|asset| asset.summarize()).map_err(ToString::to_string);
        // Stops when the writer has ended.
        rows.send(row(member, summary)).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    });
}

/// Adds all files in one transaction. Returns the number of assets.
fn index(files: &[PathBuf], database: &mut Connection) -> Result<usize> {
    let (sender, rows) = sync_channel(1000);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let limits = Limits::default();
            files.par_iter().for_each_with(sender, |rows, path| look(path, &limits, rows));
        });
        let transaction = database.transaction()?;
        let mut assets = 0;
        for Row { path, member, summary } in rows {
            let path = path.to_string_lossy();
            let summary = match summary {
                Ok(summary) => summary,
                Err(error) => {
                    transaction.execute("insert into unread values (?, ?, ?)", params![path, member, error])?;
                    continue;
                }
            };
            let mut insert = transaction.prepare_cached("insert into assets values (null, ?, ?, ?, ?, ?, ?, ?)")?;
            let Summary { format, version, bytes, counts, references, problems, .. } = summary;
            let (vertices, faults) = (counts.get("vertices").map(|count| count as i64), problems.len() as i64);
            let name = format.map(|format| format.name());
            let id = insert.insert(params![path, member, name, version, bytes as i64, vertices, faults])?;
            for reference in references {
                let mut insert = transaction.prepare_cached("insert into uses values (?, ?, ?)")?;
                insert.execute(params![id, reference.kind.name(), reference.name.text])?;
            }
            assets += 1;
        }
        transaction.commit()?;
        Ok(assets)
    })
}

fn main() -> Result<()> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let mut database = Connection::open(paths.next().expect("a database"))?;
    database.execute_batch(TABLES)?;
    println!("{} assets", index(&paths.collect::<Vec<_>>(), &mut database)?);
    Ok(())
}

#[test]
fn the_corpus_is_indexed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folders = ["b3d", "odol", "zip", "hostile"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let files: Vec<_> = folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    let mut database = Connection::open_in_memory().unwrap();
    database.execute_batch(TABLES).unwrap();
    assert!(index(&files, &mut database).unwrap() > files.len() / 2);
    let count = |query: &str| database.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
    assert!(count("select count(*) from assets where member like '%!/%'") > 0);
    assert!(count("select count(*) from unread") > 0);
    let sums = "select sum(vertices) from assets where format = 'odol' and path like '%v73.p3d'";
    assert!(count(sums) > 0 && count("select count(*) from uses join assets on id = asset where kind = 'texture'") > 0);
}
