//! Keys of records, and what options say of them.

use std::process::Command;

use serde_json::Value as Json;

use crate::support::files::root;
use crate::support::program::{Folder, code, lines, run, stderr, stdout};

#[test]
fn keys_that_no_record_has_are_refused_with_the_nearest() {
    for (arguments, hint) in [
        (&["scan", "corpus/odol", "--columns", "member,nmae"][..], "nearest: name"),
        (&["scan", "corpus/odol", "--where", "lods.sectons > 2"], "nearest: sections"),
        (&["scan", "corpus/odol", "--sort", "trangles"], "nearest: triangles"),
        (&["info", "corpus/b3d/triangle.b3d", "--select", "name,vertcies"], "nearest: vertices"),
    ] {
        let output = run(arguments);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}");
        assert!(stderr(&output).contains(hint), "{arguments:?}: {}", stderr(&output));
    }
}

/// Adds the keys inside a value.
fn add_keys(value: &Json, keys: &mut std::collections::BTreeSet<String>) {
    match value {
        Json::Object(entries) => {
            for (key, value) in entries {
                keys.insert(key.clone());
                add_keys(value, keys);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| add_keys(item, keys)),
        _ => {}
    }
}

#[test]
fn every_key_of_every_file_is_known() {
    let mut keys = std::collections::BTreeSet::new();
    for file in std::fs::read_dir(root().join("corpus/golden")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines() {
            let line: Json = serde_json::from_str(line).unwrap();
            add_keys(&line["info"]["detail"], &mut keys);
            for key in line["info"].as_object().into_iter().flat_map(|info| info.keys()) {
                keys.insert(key.clone());
            }
        }
    }
    assert!(keys.len() > 400, "{}", keys.len());
    let keys: Vec<String> = keys.into_iter().collect();
    let output = run(["info", "corpus/b3d/triangle.b3d", "--select", &keys.join(",")]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn conditions_and_columns_reach_into_models() {
    let with = |condition: &str| {
        let output = run(["scan", "-q", "corpus/odol", "--where", condition, "--columns", "address,lods.name"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        lines(&output)
    };
    let has = |row: &Json, name: &str| row["lods.name"].as_array().is_some_and(|names| names.contains(&name.into()));
    let (with_geometry, without) = (with("lods.name = 'Geometry'"), with("not lods.name = 'Geometry'"));
    assert!(!with_geometry.is_empty() && !without.is_empty());
    assert!(with_geometry.iter().all(|row| has(row, "Geometry")));
    assert!(without.iter().all(|row| !has(row, "Geometry")));
    let all = lines(&run(["scan", "-q", "corpus/odol"])).len();
    assert_eq!(with_geometry.len() + without.len(), all);
    assert_eq!(with("lods.is_visual = true").len() + with("not lods.is_visual = true").len(), all);
}

#[test]
fn textures_have_kind_and_size() {
    let output = run(["scan", "corpus/paa", "--where", "width > 12 and texture.kind = 'DXT5'", "--sort", "-width"]);
    let records = lines(&output);
    assert!(!records.is_empty());
    for record in records {
        let info: Json =
            serde_json::from_str(&stdout(&run(["info", "--json", record["path"].as_str().unwrap()]))).unwrap();
        let mip = &info["detail"]["mips"][0];
        let texture = &record["texture"];
        assert_eq!((&texture["width"], &texture["height"]), (&mip["width"], &mip["height"]), "{record}");
        assert_eq!((&texture["kind"], &info["detail"]["kind_name"]), (&"DXT5".into(), &"DXT5".into()));
        assert_eq!(record["address"], record["path"]);
        // A scan of headers alone knows it too.
        let header = lines(&run(["scan", "--depth", "header", record["path"].as_str().unwrap()]));
        assert_eq!(&header[0]["texture"], texture);
    }
    assert_eq!(lines(&run(["scan", "corpus/b3d/triangle.b3d"]))[0]["texture"], Json::Null);
    let member = &lines(&run(["scan", "corpus/zip/addons.zip!/a.pbo"]))[1];
    let address = format!("{}!/{}", member["path"].as_str().unwrap(), member["member"].as_str().unwrap());
    assert_eq!(member["address"].as_str(), Some(address.as_str()));
}

#[test]
fn files_that_are_no_assets_are_counted_by_kind_and_listed_if_asked() {
    let folder = Folder::new("others");
    folder.file("a.rar", b"Rar!\x1a\x07\x00rest");
    folder.file("b.rar", b"Rar!\x1a\x07\x01rest");
    folder.file("level.dat", b"\0\x01\x02");
    folder.file("model.b3d", std::fs::read(root().join("corpus/b3d/triangle.b3d")).unwrap());
    let path = folder.0.to_str().unwrap();
    let output = run(["scan", path]);
    assert_eq!(lines(&output).len(), 1);
    let says = stderr(&output);
    assert!(says.contains("\n3 files are no assets (2 RAR, 1 unknown); `--others` lists\n"), "{says}");
    let records = lines(&run(["scan", "--others", "--sort", "path", path]));
    let codes: Vec<_> = records.iter().map(|record| record["problems"][0]["code"].as_str()).collect();
    assert_eq!(codes, [Some("other.unknown"), Some("other.unknown"), Some("other.unknown"), None]);
    assert_eq!(records[0]["bytes"], 11);
}

#[test]
fn an_archive_is_compared_with_a_folder_member_by_file() {
    let folder = Folder::new("diff-archive");
    let unpacked = folder.0.join("unpacked");
    let (archive, unpacked) = ("corpus/zip/assets.zip", unpacked.to_str().unwrap());
    assert_eq!(code(&run(["extract", "-q", archive, "-o", unpacked])), 0);
    for sides in [[archive, unpacked], [unpacked, archive]] {
        let output = run([&["diff"], &sides[..]].concat());
        assert_eq!((code(&output), stdout(&output)), (0, String::new()), "{}", stderr(&output));
    }
    std::fs::write(folder.0.join("unpacked/readme.txt"), b"another text").unwrap();
    std::fs::write(folder.0.join("unpacked/new.txt"), b"new").unwrap();
    std::fs::remove_file(folder.0.join("unpacked/models/model.p3d")).unwrap();
    let output = run(["diff", archive, unpacked]);
    let expected = "removed  models/model.p3d\nreadme.txt\n  changed  bytes  14 -> 12\nadded    new.txt\n";
    let mut listed: Vec<&str> = expected.lines().collect();
    let printed = stdout(&output);
    let mut printed: Vec<&str> = printed.lines().collect();
    listed.sort_unstable();
    printed.sort_unstable();
    assert_eq!((code(&output), printed), (1, listed));
    let brief = stdout(&run(["diff", "--brief", archive, unpacked]));
    let mut brief: Vec<&str> = brief.lines().collect();
    brief.sort_unstable();
    assert_eq!(brief, ["added    new.txt", "changed  readme.txt", "removed  models/model.p3d"]);
    let output = run(["diff", "--brief", "corpus/mod_before/trees/oak.b3d", "corpus/mod/trees/oak.b3d"]);
    let expected = "corpus/mod_before/trees/oak.b3d and corpus/mod/trees/oak.b3d differ\n";
    assert_eq!((code(&output), stdout(&output).as_str()), (1, expected));
    let output = run(["diff", unpacked, "corpus/b3d/triangle.b3d"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("neither a folder nor an archive"), "{}", stderr(&output));
}

#[test]
fn the_version_names_features_and_short_help_fits_a_screen() {
    let version = stdout(&run(["--version"]));
    assert_eq!(
        version.trim_end().ends_with("(parquet, remote)"),
        cfg!(feature = "parquet") && cfg!(feature = "remote")
    );
    let help = stdout(&run(["-h"]));
    assert!(help.lines().count() <= 24 && help.lines().all(|line| line.len() <= 80), "{help}");
}

/// The script that gives the program its version.
#[path = "../../../cli/build.rs"]
#[allow(dead_code, reason = "Cargo runs the rest")]
mod build;

/// As Git says it, for a branch of its own and a packed one, a linked worktree, and no branch.
#[test]
fn the_commit_of_a_checkout_is_read_without_git() {
    assert!(stdout(&run(["--version"])).starts_with(concat!("meshpeek ", env!("MESHPEEK_VERSION"))));
    assert!(env!("MESHPEEK_VERSION").starts_with(env!("CARGO_PKG_VERSION")));
    let folder = Folder::new("version");
    let git = |arguments: &str| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a"]).args(arguments.split(' ')).current_dir(&folder.0);
        git.output().ok().filter(|output| output.status.success()).map(|output| stdout(&output))
    };
    if git("init -q -b feature/main").is_none() {
        println!("skipped: no git");
        return;
    }
    assert_eq!(build::commit(&folder.0), None);
    assert_eq!(build::commit(&folder.0.join("none")), None);
    for next in [
        "commit -q --allow-empty -m one",
        "pack-refs --all",
        "commit -q --allow-empty -m two",
        "worktree add -q -b other linked",
        "checkout -q --detach",
    ] {
        git(next).unwrap_or_else(|| panic!("git {next}"));
        let head = git("rev-parse HEAD").unwrap();
        assert_eq!(build::commit(&folder.0).as_deref(), head.get(..8), "{next}");
    }
    let of_worktree = build::commit(&folder.0.join("linked"));
    assert_eq!(of_worktree.as_deref(), git("rev-parse other").unwrap().get(..8));
    git("pack-refs --all").unwrap();
    assert_eq!(build::commit(&folder.0.join("linked")), of_worktree);
}

/// The candidates for the last word, as bash asks for them.
fn completed(words: &[&str]) -> Vec<String> {
    let mut command = crate::support::program::program();
    command.envs([("COMPLETE", "bash"), ("_CLAP_IFS", "\n"), ("_CLAP_COMPLETE_COMP_TYPE", "9")]);
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_COMPLETE_SPACE", "true");
    let output = command.args(["--", "meshpeek"]).args(words).output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{words:?}");
    stdout(&output).lines().map(str::to_owned).collect()
}

#[test]
fn members_selectors_and_keys_are_completed_and_errors_print_nothing() {
    let inner = "corpus/zip/addons.zip!/a.pbo";
    assert_eq!(completed(&["cat", "corpus/zip/addons.zip!/a"]), [&format!("{inner}!/"), inner]);
    assert_eq!(completed(&["cat", &format!("{inner}!/d")]), [format!("{inner}!/data/")]);
    assert_eq!(completed(&["cat", &format!("{inner}!/data/")]), [format!("{inner}!/data/scene.b3d")]);
    let everything = "corpus/b3d/everything.b3d";
    assert_eq!(completed(&["dump", everything, "nodes/1/ke"]), ["nodes/1/keys/"]);
    assert_eq!(completed(&["scan", "x", "--columns", "path,visual_t"]), ["path,visual_triangles"]);
    assert_eq!(completed(&["scan", "x", "--where", "bytes > 2 and wid"]).last().unwrap(), "bytes > 2 and width");
    assert!(completed(&["scan", "x", "--sort", "-tri"]).contains(&"-triangles".to_owned()));
    for words in [&["cat", "no/such.zip!/a"][..], &["cat", "README.md!/a"], &["dump", "no/such", "a"]] {
        assert_eq!(completed(words), [""; 0], "{words:?}");
    }
}
