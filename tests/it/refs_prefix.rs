//! Which prefix the files of a folder or archive have.

use crate::support::program::{Folder, lines, run};
use crate::writer::pbo::{Tail, Writer};

/// The state of each reference of the config in the folder, by its name.
fn states(folder: &Folder, names: &[&str]) -> Vec<String> {
    let values: String = names.iter().enumerate().map(|(at, name)| format!("picture{at} = \"{name}\";\n")).collect();
    folder.file("asks/config.cpp", format!("class A {{\n{values}}};\n"));
    let rows = lines(&run(["refs", folder.0.to_str().unwrap(), "--format", "ndjson"]));
    let state = |name: &&str| {
        let row = rows.iter().find(|row| row["name"] == **name).unwrap_or_else(|| panic!("{name}: {rows:?}"));
        row["state"].as_str().unwrap().to_owned()
    };
    names.iter().map(state).collect()
}

#[test]
fn of_several_prefix_files_the_best_name_counts() {
    let names = ["$PBOPREFIX$", "$pboprefix$.txt", "$PREFIX$", "$prefix$.TXT", "PboPrefix.txt"];
    for (place, best) in names.iter().enumerate() {
        for other in &names[place + 1..] {
            let folder = Folder::new("prefix-ranks");
            folder.file(&format!("in/{best}"), "best\\one");
            folder.file(&format!("in/{other}"), "prefix = other\\one");
            folder.file("in/x.paa", "x");
            let states = states(&folder, &[r"best\one\x.paa", r"other\one\x.paa"]);
            assert_eq!(states, ["found", "missing"], "{best}, {other}");
        }
    }
}

#[test]
fn a_prefix_file_has_at_most_4096_bytes() {
    for (bytes, state) in [(5, "found"), (4095, "found"), (4096, "found"), (4097, "missing"), (100_000, "missing")] {
        let folder = Folder::new("prefix-size");
        let mut text = String::from("best\n");
        text.extend(std::iter::repeat_n('\n', bytes - text.len()));
        folder.file("in/$PBOPREFIX$", text);
        folder.file("in/x.paa", "x");
        assert_eq!(states(&folder, &[r"best\x.paa"]), [state], "{bytes}");
    }
}

#[test]
fn the_nearest_prefix_around_a_file_counts() {
    let folder = Folder::new("prefix-nearest");
    folder.file("in/$PBOPREFIX$", "outer");
    folder.file("in/deep/$PBOPREFIX$", "inner");
    for path in ["in/x.paa", "in/deep/x.paa", "in/deep/er/x.paa"] {
        folder.file(path, "x");
    }
    let names = [r"outer\x.paa", r"inner\x.paa", r"inner\er\x.paa", r"outer\deep\x.paa", r"outer\deep\er\x.paa"];
    assert_eq!(states(&folder, &names), ["found", "found", "found", "missing", "missing"]);
}

#[test]
fn an_archive_without_a_prefix_is_named_by_its_file_up_to_the_last_dot() {
    let folder = Folder::new("prefix-stem");
    folder.file("a.b.pbo", Writer::new().product(&[]).stored(b"x.paa", b"x").finish(Tail::Sha1));
    assert_eq!(states(&folder, &[r"a.b\x.paa", r"a\x.paa"]), ["found", "missing"]);
}
