//! The files that are processed.

use std::path::Path;

use crate::support::program::{Folder, code, lines, program, run, stderr};
use crate::writer;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

fn scene() -> Vec<u8> {
    writer::b3d::scene([]).to_vec()
}

/// The results of a scan with these flags below this folder.
fn found(flags: &[&str], path: &Path) -> Vec<String> {
    let output = program().args(["scan", "--sort", "path"]).args(flags).arg(path).output().unwrap();
    let place = |record: serde_json::Value| {
        let outer = Path::new(record["path"].as_str().unwrap()).strip_prefix(path).unwrap().display().to_string();
        record["member"].as_str().map_or(outer.clone(), |member| format!("{outer}!/{member}"))
    };
    lines(&output).into_iter().map(place).collect()
}

#[test]
fn globs_reach_the_members_of_archives() {
    let folder = Folder::new("globs");
    let scene = scene();
    let pbo = Writer::new().stored(b"data\\a.b3d", &scene).stored(b"data\\b.rtm", &scene).finish(Tail::Sha1);
    let nested = zip(&[Entry::stored("sub/in.pbo", &pbo), Entry::stored("c.b3d", &scene)], b"").to_vec();
    folder.file("outer.zip", &nested);
    folder.file("loose.b3d", &scene);
    folder.file("loose.rtm", &scene);
    folder.file(".hidden.zip", &nested);
    folder.file("left_out.zip", &nested);
    folder.file(".ignore", "left_out.zip\n");
    let all = ["outer.zip!/c.b3d", "outer.zip!/sub/in.pbo!/data\\a.b3d"];
    assert_eq!(found(&["-g", "*.b3d"], &folder.0), [&["loose.b3d"], &all[..]].concat());
    assert_eq!(found(&["-g", "data/*.b3d"], &folder.0), [all[1]]);
    assert_eq!(found(&["-g", "*.b3d", "-g", "!*.pbo"], &folder.0), ["loose.b3d", "outer.zip!/c.b3d"]);
    assert_eq!(found(&["-g", "*.b3d", "-g", "!*.zip"], &folder.0), ["loose.b3d"]);
    assert_eq!(found(&["-g", "*.b3d", "--no-archives"], &folder.0), ["loose.b3d"]);
    assert_eq!(
        found(&["-g", "!*.rtm", "-g", "!c.b3d"], &folder.0),
        ["loose.b3d", "outer.zip", "outer.zip!/sub/in.pbo", all[1]].map(str::to_owned)
    );
    assert_eq!(found(&["-g", "*.zip"], &folder.0), [".hidden.zip", "left_out.zip", "outer.zip"]);
    assert_eq!(found(&["-g", "*.b3d", "--hidden"], &folder.0).len(), 5);
    // A named path is processed whatever its name, and the patterns apply inside it.
    let named = |flags: &[&str], name: &str| found(flags, &folder.0.join(name)).len();
    assert_eq!(named(&["-g", "*.b3d"], "loose.rtm"), 1);
    assert_eq!(named(&["-g", "*.b3d"], "left_out.zip"), 3);
    assert_eq!(named(&["-g", "!*.b3d"], "left_out.zip"), 3);
}

#[test]
#[cfg_attr(windows, ignore = "B.b3d and b.b3d are one file")]
fn folders_are_walked_in_the_order_of_their_names() {
    let folder = Folder::new("order");
    // In whole paths, a separator comes after a space, `!`, `-` and `.`.
    let in_order = ["B.b3d", "a/b/c.b3d", "a/b.x.b3d", "a b/x.b3d", "a!.b3d", "a-b/c.b3d", "a.b.b3d", "a.b3d", "b.b3d"];
    for path in in_order.iter().rev() {
        folder.file(path, scene());
    }
    let output = program().args(["scan", "--jobs", "1"]).arg(&folder.0).output().unwrap();
    let path = |record: serde_json::Value| record["path"].as_str().unwrap().replace('\\', "/");
    let root = folder.0.display().to_string().replace('\\', "/");
    let found: Vec<String> = lines(&output).into_iter().map(path).collect();
    assert_eq!(found, in_order.map(|path| format!("{root}/{path}")));
}

#[test]
fn a_folder_whose_files_are_all_left_out_gets_a_hint() {
    let folder = Folder::new("hint");
    folder.file(".ignore", "*.b3d\n");
    folder.file("a.b3d", scene());
    folder.file("sub/b.b3d", scene());
    let said = |flags: &[&str]| stderr(&program().arg("scan").args(flags).arg(&folder.0).output().unwrap());
    let hint = said(&[]);
    assert!(hint.contains("3 files are hidden or excluded by an ignore file; use --hidden and --no-ignore"), "{hint}");
    assert!(!said(&["--no-ignore"]).contains("are hidden"));
    assert_eq!(said(&["-q"]), "");
    let empty = Folder::new("hint-empty");
    let output = program().arg("scan").arg(&empty.0).output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, "0 assets in 0 files, 0 bytes, 0 damaged\n".to_owned()));
}

#[test]
fn patterns_and_formats_that_match_nothing_are_said() {
    let corpus = ["corpus/pbo", "corpus/b3d"];
    for (filters, said) in [
        (&["--type", "pbo", "-g", "*.none"][..], Some("no asset matches -g and --type\n")),
        (&["-g", "*.none"], Some("no asset matches -g\n")),
        (&["--type", "lodka"], Some("no asset matches --type\n")),
        (&["--type", "pbo"], None),
        (&["-g", "*.b3d"], None),
        (&[], None),
    ] {
        for verb in ["scan", "verify"] {
            let output = run([&[verb], filters, &corpus].concat());
            let text = stderr(&output);
            assert_eq!(text.contains("no asset matches"), said.is_some(), "{verb} {filters:?}: {text}");
            assert!(said.is_none_or(|said| text.contains(said)), "{verb} {filters:?}: {text}");
        }
    }
    assert_eq!(stderr(&run(["scan", "-q", "-g", "*.none", "corpus/b3d"])), "");
}

#[cfg(unix)]
#[test]
fn links_are_followed_where_they_are_named_or_it_is_asked() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    let outside = Folder::new("links-outside");
    outside.file("far.b3d", scene());
    folder.file("near.b3d", scene());
    symlink(&outside.0, folder.0.join("linked")).unwrap();
    symlink("near.b3d", folder.0.join("also.b3d")).unwrap();
    assert_eq!(found(&[], &folder.0), ["near.b3d"]);
    assert_eq!(found(&["--follow"], &folder.0), ["also.b3d", "linked/far.b3d", "near.b3d"]);
    assert_eq!(found(&["-L"], &folder.0).len(), 3);
    assert_eq!(found(&[], &folder.0.join("linked")), ["far.b3d"]);
    assert_eq!(found(&[], &folder.0.join("also.b3d")), [""]);
    symlink(".", folder.0.join("round")).unwrap();
    let round = program().args(["scan", "-q", "-L"]).arg(&folder.0).output().unwrap();
    assert_eq!((code(&round), lines(&round).len()), (1, 3));
    let said = format!("{}/round: a link that leads back to a folder around it", folder.0.display());
    assert!(stderr(&round).contains(&said), "{}", stderr(&round));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_is_passed_over() {
    let folder = Folder::new("pipe");
    folder.file("near.b3d", scene());
    assert!(std::process::Command::new("mkfifo").arg(folder.0.join("pipe.b3d")).status().unwrap().success());
    assert_eq!(found(&[], &folder.0), ["near.b3d"]);
    assert_eq!(found(&["--follow"], &folder.0), ["near.b3d"]);
}
