//! The database after several runs.

use std::path::Path;

use rusqlite::Connection;

use crate::{index, open};

#[test]
fn a_second_run_reads_what_has_changed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folder = std::env::temp_dir().join(format!("meshpeek-indexer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = 0;
    for name in ["b3d", "odol", "zip", "hostile"] {
        for entry in std::fs::read_dir(root.join(name)).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
            files += 1;
        }
    }
    let paths = [folder.clone(), folder.join("not here.b3d")];
    let mut database = open(&folder.join("index.db")).unwrap();
    let first = index(&paths, &mut database).unwrap();
    assert!(first.read > files / 2 && first.unchanged == 0 && first.gone == 0, "{first:?} of {files}");
    let count = |database: &Connection, query: &str| database.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
    let all = |database: &Connection| {
        ["files", "assets", "uses", "unread"].map(|table| count(database, &format!("select count(*) from {table}")))
    };
    assert!(count(&database, "select count(*) from assets where member like '%!/%'") > 0);
    assert_eq!(count(&database, "select count(*) from unread where path like '%not here.b3d'"), 1);
    let sums = "select sum(vertices) from assets join files on files.id = file where path like '%v73.p3d'";
    assert!(count(&database, sums) > 0);
    assert!(count(&database, "select count(*) from uses where kind = 'texture'") > 0);
    let rows = all(&database);
    // Nothing has changed: the rows stay, without being read.
    let second = index(&paths, &mut database).unwrap();
    assert_eq!((second.unchanged as i64, second.gone, all(&database)), (rows[0], 0, rows));
    assert_eq!(second.read, 0);
    // One file is longer, and one is gone.
    let changed = folder.join("everything.b3d");
    let mut bytes = std::fs::read(&changed).unwrap();
    bytes.push(0);
    std::fs::write(&changed, bytes).unwrap();
    std::fs::remove_file(folder.join("triangle.b3d")).unwrap();
    let third = index(&paths, &mut database).unwrap();
    assert_eq!((third.read, third.unchanged, third.gone), (1, second.unchanged - 2, 1));
    // Files elsewhere stay: this run did not look at them.
    let before = all(&database);
    let inner = [folder.join("everything.b3d")];
    assert_eq!(index(&inner, &mut database).unwrap().gone, 0);
    let rows = all(&database);
    assert_eq!(rows[..3], before[..3]);
    // An error of the database ends the scan, and leaves the rows.
    database.execute_batch("create trigger full before insert on uses begin select raise(abort, 'full'); end").unwrap();
    let mut bytes = std::fs::read(&changed).unwrap();
    bytes.push(0);
    std::fs::write(&changed, bytes).unwrap();
    assert!(index(&paths, &mut database).unwrap_err().to_string().contains("full"));
    assert_eq!(all(&database), rows);
    drop(database);
    std::fs::remove_dir_all(folder).unwrap();
}
