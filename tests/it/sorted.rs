//! Results that verbs keep until their end: in order, in bounded memory, and beyond it in a temporary file.

use std::path::Path;

use crate::support::files::root;
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};

#[cfg(unix)]
mod held;

/// A model with a texture that does not exist.
fn model() -> Vec<u8> {
    use crate::writer::b3d::{Texture, scene, textures};
    scene([textures(&[Texture { name: b"missing.png", flags: 1, blend: 2 }])]).to_vec()
}

#[test]
fn paths_are_in_the_order_of_their_bytes() {
    // The order of folders by their names would be "a", "a b", "a!", "a.b".
    const FOLDERS: [&str; 4] = ["a b", "a!", "a.b", "a"];
    let folder = Folder::new("by-bytes");
    for name in FOLDERS {
        folder.file(&format!("{name}/x.b3d"), model());
        folder.file(&format!("{name}/y.b3d"), "BB3D");
    }
    let expected = |file: &str| FOLDERS.map(|name| format!("{name}/{file}"));
    // The places of these files in a text.
    let order = |text: &str, file: &str| {
        let mut found = expected(file).map(|path| (text.find(&format!("folder/{path}")), path));
        found.sort();
        assert!(found.iter().all(|(place, _)| place.is_some()), "{found:?} {text}");
        found.map(|(_, path)| path)
    };
    let inner = folder.0.join("folder");
    std::fs::create_dir(&inner).unwrap();
    for name in FOLDERS {
        std::fs::rename(folder.0.join(name), inner.join(name)).unwrap();
    }
    for (verb, file) in [
        (&["scan", "--sort", "path"][..], "x.b3d"),
        (&["scan", "--sort", "-vertices"], "x.b3d"),
        (&["scan", "--sort", "path", "--format", "csv"], "x.b3d"),
        (&["scan", "--format", "table"], "x.b3d"),
        (&["verify"], "y.b3d"),
        (&["verify", "--sort", "path", "--format", "ndjson"], "x.b3d"),
        (&["dupes"], "x.b3d"),
        (&["refs", "--format", "ndjson"], "x.b3d"),
    ] {
        // A long path would have a line of its own in a table.
        let output =
            program().current_dir(&folder.0).args(verb.iter().copied().chain(["-q", "folder"])).output().unwrap();
        let text = stdout(&output).replace("\\\\", "/").replace('\\', "/");
        assert_eq!(order(&text, file), expected(file), "{verb:?}");
    }
}

#[test]
fn the_first_are_the_start_of_all() {
    let lines_of = |flags: &[&str]| {
        let output = run(["scan", "-q", "corpus"].iter().chain(flags));
        stdout(&output).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    // Few versions and many equal numbers of meshes.
    for key in ["path", "-path", "bytes", "-bytes", "vertices", "-vertices", "meshes", "-meshes"] {
        for format in [&["--format", "ndjson"][..], &["--format", "csv"], &["--columns", "member,bytes"]] {
            let flags = [&["--sort", key][..], format].concat();
            let all = lines_of(&flags);
            assert!(all.len() > 100);
            let header = usize::from(format.contains(&"csv"));
            for top in [1, 2, 17, 60, 1_000_000] {
                let top_flag = top.to_string();
                let first = lines_of(&[&flags[..], &["--top", &top_flag]].concat());
                assert_eq!(first, all[..all.len().min(top + header)], "{flags:?} {top}");
            }
        }
    }
}

/// The sort of paths by their folders takes minutes here.
#[test]
#[cfg_attr(windows, ignore = "Windows has no such paths without a prefix")]
fn deep_folders_take_little_time() {
    // As deep as the systems' limit of 4,096 bytes allows.
    let folder = Folder::new("deep");
    let depth = (3_900 - folder.0.as_os_str().len()) / 2;
    let deep = folder.0.join(vec!["d"; depth].join("/"));
    std::fs::create_dir_all(&deep).unwrap();
    for index in 0..400 {
        std::fs::write(deep.join(format!("{index}.b3d")), model()).unwrap();
        std::fs::write(deep.join(format!("{index}.paa")), "").unwrap();
    }
    let time = |verb: &[&str]| {
        let start = std::time::Instant::now();
        let output = run(verb.iter().copied().chain(["-q", folder.0.to_str().unwrap()]));
        assert!(code(&output) < 2, "{}", stderr(&output));
        start.elapsed()
    };
    let plain = time(&["scan"]);
    for verb in [&["scan", "--format", "table"][..], &["verify"], &["refs", "--missing"], &["dupes"]] {
        let taken = time(verb);
        assert!(taken < plain * 5 + std::time::Duration::from_secs(1), "{verb:?}: {taken:?}, {plain:?} without order");
    }
}

#[test]
fn without_a_folder_for_temporary_files_small_results_are_sorted() {
    let output = crate::support::program::program()
        .args(["scan", "corpus/b3d", "--sort", "bytes", "-q"])
        .envs(["TMPDIR", "TMP", "TEMP"].map(|variable| (variable, Path::new("no-such-folder"))))
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(lines(&output).len(), std::fs::read_dir(root().join("corpus/b3d")).unwrap().count());
}
