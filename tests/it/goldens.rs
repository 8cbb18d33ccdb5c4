//! The output of `info --json` and `tree` for every file in `corpus/`, compared key by key and in order with
//! `corpus/golden/`, which has a file for each format and a line for each asset. `MESHPEEK_BLESS=1` rewrites them.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::support::files::{blessing, root};
use crate::support::program::program;
use crate::writer;

/// The program's output for a file, and its exit status.
fn golden(name: &str) -> Json {
    let run = |verb: &[&str]| program().args(verb).arg("-q").arg(format!("corpus/{name}")).output().unwrap();
    let (info, tree) = (run(&["info", "--json"]), run(&["tree"]));
    let tree_text = String::from_utf8(tree.stdout).unwrap();
    json!({
        "file": name,
        "status": [info.status.code(), tree.status.code()],
        "info": serde_json::from_slice::<Json>(&info.stdout).unwrap_or_default(),
        "tree": tree_text.lines().collect::<Vec<_>>(),
    })
}

#[test]
fn info_and_tree_print_their_goldens() {
    let folder = root().join("corpus/golden");
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, _) in writer::corpus() {
        let (kind, _) = name.split_once('/').unwrap();
        files.entry(kind.to_owned()).or_default().push(name);
    }
    for (kind, mut names) in files {
        names.sort();
        let path = folder.join(format!("{kind}.ndjson"));
        let goldens: Vec<Json> = names.iter().map(|name| golden(name)).collect();
        if blessing() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, goldens.iter().map(|golden| format!("{golden}\n")).collect::<String>()).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap();
        assert_eq!(stored.lines().count(), goldens.len(), "{kind}: files came or went; MESHPEEK_BLESS=1 writes anew");
        for (stored, golden) in stored.lines().zip(&goldens) {
            let stored: Json = serde_json::from_str(stored).unwrap();
            if let Some(difference) = difference("", &stored, golden) {
                panic!("{}: {difference}; MESHPEEK_BLESS=1 writes goldens anew", golden["file"]);
            }
        }
    }
}

/// Returns the first difference of two documents, including the order of keys.
fn difference(path: &str, old: &Json, new: &Json) -> Option<String> {
    match (old, new) {
        (Json::Object(a), Json::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().zip(b.values()).find_map(|((key, a), b)| difference(&format!("{path}/{key}"), a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            let keys = |map: &serde_json::Map<String, Json>| map.keys().cloned().collect::<Vec<_>>().join(" ");
            Some(format!("{path}: keys were [{}], are [{}]", keys(a), keys(b)))
        }
        (Json::Array(a), Json::Array(b)) => {
            let differ = a.iter().zip(b).enumerate();
            let mut differ = differ.filter_map(|(index, (a, b))| difference(&format!("{path}/{index}"), a, b));
            let count = || format!("{path}: had {} items, has {}", a.len(), b.len());
            differ.next().or_else(|| (a.len() != b.len()).then(count))
        }
        _ => (old != new).then(|| format!("{path}: was {old}, is {new}")),
    }
}
