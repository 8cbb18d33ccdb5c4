//! Exit status and messages.

use serde_json::{Value as Json, json};

use super::EVERYTHING;
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};
use crate::writer::b3d;

#[test]
fn status_2_means_that_nothing_was_done() {
    let folder = Folder::new("status");
    folder.file("notes.txt", "an ordinary file");
    let scan = |arguments: &[&str]| code(&program().args(arguments).arg(&folder.0).output().unwrap());
    for verb in ["scan", "verify"] {
        assert_eq!(scan(&[verb]), 0);
        assert_eq!(scan(&[verb, "no/such/file"]), 1);
        assert_eq!(code(&run([verb, "no/such/file"])), 2);
        assert_eq!(code(&run([verb, "no/such/file", EVERYTHING])), 1);
        assert_eq!(code(&run([verb, "--type", "odol", "no/such/file", EVERYTHING])), 1);
    }
}

/// Verbs for many files describe files that are not assets. Verbs for one file fail, and name it.
#[test]
fn the_status_for_other_files_is_the_same_in_all_verbs() {
    let folder = Folder::new("strangers_status");
    let pointer = folder.file("model.p3d", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    let pointer = pointer.to_str().unwrap();
    for stranger in ["Cargo.toml", pointer] {
        for verb in ["scan", "verify"] {
            let output = run([verb, "--format", "ndjson", stranger]);
            assert_eq!(code(&output), 0, "{verb} {stranger}");
            let record = &lines(&output)[0];
            assert_eq!((&record["path"], &record["format"]), (&stranger.into(), &Json::Null));
            assert!(stderr(&output).contains("0 assets") && stderr(&output).ends_with(", 1 not an asset\n"));
            assert_eq!(code(&run([verb, stranger, EVERYTHING])), 0, "{verb} {stranger}");
            assert_eq!(code(&run([verb, stranger, "no/such/file"])), 1, "{verb} {stranger}");
        }
        assert_eq!(code(&run(["verify", "--strict", stranger])), 1);
        for arguments in [
            &["info", stranger][..],
            &["hex", stranger, "vertices"],
            &["dump", stranger],
            &["diff", stranger, EVERYTHING],
            &["diff", EVERYTHING, stranger],
        ] {
            let output = run(arguments);
            assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}");
            let said = format!("meshpeek: {stranger}: not an asset; ");
            assert!(stderr(&output).starts_with(&said), "{arguments:?}: {}", stderr(&output));
        }
        // The bytes are shown nevertheless.
        for verb in ["tree", "hex"] {
            let output = run([verb, stranger]);
            assert_eq!(code(&output), 1, "{verb} {stranger}");
            assert!(stderr(&output).contains("not an asset; "), "{verb}: {}", stderr(&output));
        }
    }
    assert_eq!(code(&run(["verify", EVERYTHING])), 0);
    assert_eq!(code(&run(["verify", "corpus/hostile/vertex_out_of_range.b3d", "no/such/file"])), 1);
}

#[test]
fn summary_lines_and_the_end_event_count_other_and_unreadable_files_separately() {
    let folder = Folder::new("counted_apart");
    folder.file("in/a.b3d", b3d::sound().to_vec());
    folder.file("in/cut.b3d", b"BB3D");
    folder.file("in/script.p3d", "hint \"hello\";");
    folder.file("in/pointer.rtm", "version https://git-lfs.github.com/spec/v1\n");
    folder.file("in/nothing.lod", "");
    folder.file("in/readme.txt", "not counted: its name is not one of an asset");
    let input = folder.0.join("in");
    let scan = |more: &[&str]| run([&["scan", "--events", input.to_str().unwrap()], more].concat());
    let output = scan(&[]);
    let said = stderr(&output);
    assert!(
        said.starts_with("2 assets in 6 files, ")
            && said.ends_with(", 1 damaged, 3 not assets\n1 file is no asset (1 text); `--others` lists\n"),
        "{said}"
    );
    let end = lines(&output).pop().unwrap();
    let counts = ["whole", "assets", "damaged", "other", "unreadable"].map(|key| end[key].clone());
    assert_eq!(json!(counts), json!([true, 2, 1, 3, 0]));
    let output = scan(&["no/such/file"]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    assert!(
        said.ends_with(", 1 damaged, 3 not assets, 1 unreadable\n1 file is no asset (1 text); `--others` lists\n"),
        "{said}"
    );
    let end = lines(&output).pop().unwrap();
    assert_eq!((&end["whole"], &end["unreadable"]), (&json!(false), &json!(1)));
    let said = stderr(&run(["verify", input.to_str().unwrap(), "no/such/file"]));
    assert!(said.ends_with("2 assets, 1 error, 3 warnings, 3 not assets, 1 unreadable\n"), "{said}");
    // A scan that continues from the stream counts the copied records.
    let old = folder.file("old.ndjson", output.stdout);
    let output = scan(&["--since", old.to_str().unwrap()]);
    let counts =
        ["whole", "assets", "damaged", "other", "unreadable"].map(|key| lines(&output).pop().unwrap()[key].clone());
    assert_eq!(json!(counts), json!([true, 2, 1, 3, 0]));
    let said = stderr(&output);
    assert!(said.contains(", 1 damaged, 3 not assets\n"), "{said}");
}

#[test]
fn paths_are_written_once_and_without_control_characters() {
    let missing = run(["scan", "no\x1b[2J/such\u{202e}\nfile"]);
    let said = stderr(&missing);
    let reason = said.lines().next().unwrap().strip_prefix("meshpeek: no\\u{1b}[2J/such\\u{202e}\\nfile: ");
    // Windows has no such names.
    let expected = if cfg!(windows) { "(os error " } else { "No such file or directory (os error 2)" };
    assert!(reason.is_some_and(|reason| reason.contains(expected)), "{said}");
    for arguments in [
        &["info", "a\x1bb"][..],
        &["tree", "a\x1bb"],
        &["dump", "a\x1bb"],
        &["scan", "--paths-from", "a\x1bb"],
        &["info", EVERYTHING, "-o", "a\x1bb/c"],
        &["dump", EVERYTHING, "a\x1bb"],
    ] {
        let said = stderr(&run(arguments));
        assert!(said.contains("a\\u{1b}b") && !said.contains('\x1b'), "{arguments:?}: {said:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_broken_link_is_reported_once() {
    let folder = Folder::new("dangling");
    std::os::unix::fs::symlink("nowhere", folder.0.join("link")).unwrap();
    let output = program().args(["scan", "-q", "--follow"]).arg(&folder.0).output().unwrap();
    let expected = format!("meshpeek: {}/link: No such file or directory (os error 2)\n", folder.0.display());
    assert_eq!((code(&output), stderr(&output)), (2, expected));
}

#[test]
fn more_threads_than_make_sense_are_not_started() {
    let start = std::time::Instant::now();
    assert_eq!(code(&run(["scan", "-j", "1000000", "corpus/b3d"])), 0);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn every_verb_has_examples_in_its_help_and_in_the_manual() {
    let page = stdout(&run(["man"])).replace("\\-", "-");
    assert!(!page.contains("meshpeek-info") && !page.contains("(1)\n.br"), "{page}");
    for verb in ["info", "scan", "verify", "tree", "dump", "completions", "man"] {
        let help = stdout(&run([verb, "--help"]));
        let examples = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{verb}: {help}"));
        assert!(examples.starts_with(&format!("  meshpeek {verb} ")) || verb == "man", "{examples}");
        for line in examples.lines().take_while(|line| line.starts_with("  ")) {
            assert!(page.contains(line.trim()), "{line} in {page}");
        }
        assert_eq!(["tree", "completions", "man"].contains(&verb), !help.contains("GUIDE.md"), "{verb}");
    }
    assert!(stdout(&run(["--help"])).contains("GUIDE.md") && page.contains("GUIDE.md"));
}

#[test]
fn help_is_short_and_the_limits_are_explained_once() {
    let verbs = [
        "ls",
        "info",
        "scan",
        "plan",
        "verify",
        "tree",
        "hex",
        "schema",
        "dump",
        "cat",
        "extract",
        "export",
        "fit",
        "refs",
        "diff",
        "dupes",
        "completions",
        "man",
    ];
    for verb in verbs {
        let help = stdout(&run([verb, "--help"]));
        assert!(help.lines().count() <= if ["scan", "export"].contains(&verb) { 80 } else { 65 }, "{verb}: {help}");
        assert!(!help.contains("--max-"), "{verb}: {help}");
        assert!(help.contains("Print only errors"), "{verb}: {help}");
        // They work nevertheless.
        assert_eq!(code(&run([verb, "--help", "--max-depth", "1"])), 0);
    }
    let limits = stdout(&run(["help", "limits"]));
    for flag in ["depth", "decoded", "problems", "archive-depth", "archive-members", "work", "output", "references"] {
        assert!(limits.contains(&format!("--max-{flag} ")), "{limits}");
    }
    assert!(limits.contains("--no-mmap"), "{limits}");
    assert_eq!(stdout(&run(["limits"])), limits);
    let page = stdout(&run(["man"])).replace("\\-", "-");
    assert_eq!(page.matches("--max-decoded").count(), 2, "the flag and its example");
    assert!(stdout(&run(["completions", "bash"])).contains("--max-decoded"));
    let help = stdout(&run(["--help"]));
    let groups: Vec<&str> = help.lines().filter_map(|line| line.strip_suffix(':')).collect();
    assert_eq!(groups[..5], ["Look", "Scan", "Check", "Compare", "Extract"], "{help}");
}

#[test]
fn messages_say_what_to_do() {
    for (arguments, said) in [
        (&["hex", EVERYTHING, "--range", "5"][..], "expected A..B, such as 0x10..0x20"),
        (&["hex", EVERYTHING, "--at", "x"], "expected a decimal number, or a hexadecimal one such as 0x2c"),
        (&["scan", "--max-decoded", "1T", EVERYTHING], "expected a number of bytes, such as 4096, 64k, 512M or 2G"),
        (&["info", "--digests", EVERYTHING], "--digests needs --json or -o NAME.json"),
        (
            &["export", EVERYTHING],
            "export needs -o NAME.glb, NAME.obj or NAME.ply for a model, -o NAME.png for a picture of it, or -o NAME.cpp or \
             NAME.bin for a config",
        ),
        (&["plan", "-"], "standard input can be read only once, so it cannot be split into units"),
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(said), "{arguments:?}: {}", stderr(&output));
    }
    let info = stdout(&run(["info", "corpus/pbo/addon.pbo"]));
    assert!(info.contains("\n       0  ") && info.contains("\n       1  "), "{info}");
}
