//! `-o`: never over an input, never partial.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Output;

use super::EVERYTHING;
use crate::support::files::root;
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};

fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn to_file(arguments: &[&str], input: &Path, output: &Path) -> Output {
    program().args(arguments).arg(input).arg("-o").arg(output).output().unwrap()
}

#[test]
fn no_verb_writes_onto_its_input() {
    let folder = Folder::new("onto-input");
    let bytes = std::fs::read(root().join(EVERYTHING)).unwrap();
    let input = folder.file("scene.b3d", &bytes);
    let mut targets = vec![input.clone(), folder.0.join("./scene.b3d")];
    #[cfg(unix)]
    {
        targets.push(folder.0.join("hard.b3d"));
        std::fs::hard_link(&input, folder.0.join("hard.b3d")).unwrap();
        targets.push(folder.0.join("soft.b3d"));
        std::os::unix::fs::symlink("scene.b3d", folder.0.join("soft.b3d")).unwrap();
    }
    let before = names(&folder);
    for verb in [&["info"][..], &["info", "--json"], &["scan"], &["verify"], &["tree"], &["dump"], &["scan", "-q"]] {
        for target in &targets {
            let output = to_file(verb, &input, target);
            assert_eq!(code(&output), 2, "{verb:?} {target:?}");
            assert!(stderr(&output).contains("is the same file as the input"), "{}", stderr(&output));
        }
    }
    for target in &targets {
        let mut dump = program();
        dump.arg("dump").arg(&input).args(["meshes/0/positions", "--format", "raw", "-o"]).arg(target);
        assert_eq!(code(&dump.output().unwrap()), 2);
        let list = folder.file("list", input.as_os_str().as_encoded_bytes());
        let output = program().args(["scan", "--paths-from"]).arg(&list).arg("-o").arg(target).output().unwrap();
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains("is the same file as the input"), "{}", stderr(&output));
        let output = program().args(["scan", "--paths-from"]).arg(&list).arg("-o").arg(&list).output().unwrap();
        assert_eq!(code(&output), 2);
        std::fs::remove_file(list).unwrap();
    }
    assert_eq!(std::fs::read(&input).unwrap(), bytes);
    assert_eq!(names(&folder), before);
}

#[test]
fn a_file_to_write_in_a_scanned_folder_is_passed_over() {
    let folder = Folder::new("in-folder");
    let bytes = std::fs::read(root().join(EVERYTHING)).unwrap();
    folder.file("scene.b3d", &bytes);
    // The existing file may be anything, even a scene.
    let target = folder.file("out.b3d", &bytes);
    for flags in [&["scan"][..], &["scan", "--hidden", "-v"]] {
        let output = to_file(flags, &folder.0, &target);
        assert_eq!(code(&output), 0);
        assert!(!stderr(&output).contains(".meshpeek-\n"), "{}", stderr(&output));
        let written = std::fs::read_to_string(&target).unwrap();
        assert_eq!(written.lines().count(), 1, "{written}");
        assert!(written.contains("scene.b3d"));
        assert!(stderr(&output).contains("out.b3d: skipped, because results are written to it"), "{}", stderr(&output));
    }
    assert_eq!(names(&folder), ["out.b3d", "scene.b3d"]);
}

#[test]
fn the_old_file_stays_if_nothing_could_be_done() {
    let folder = Folder::new("nothing-done");
    let old = folder.file("old", "old");
    let missing = Path::new("no/such/file.b3d");
    let verbs = [&["info"][..], &["scan"], &["verify"], &["tree"], &["dump"]];
    for verb in verbs {
        assert_eq!(code(&to_file(verb, missing, &old)), 2, "{verb:?}");
    }
    for verb in [&["info"][..], &["dump"]] {
        assert_eq!(code(&to_file(verb, Path::new("Cargo.toml"), &old)), 2, "{verb:?}");
    }
    let unknown = program().args(["dump", EVERYTHING, "no/such/array", "-o"]).arg(&old).output().unwrap();
    assert_eq!(code(&unknown), 2);
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    assert_eq!(names(&folder), ["old"]);
    // If the command succeeds, the file is replaced.
    let some = program().args(["scan", EVERYTHING]).arg(missing).arg("-o").arg(&old).output().unwrap();
    assert_eq!(code(&some), 1);
    assert!(std::fs::read_to_string(&old).unwrap().contains(EVERYTHING));
    assert_eq!(names(&folder), ["old"]);
}

#[cfg(unix)]
#[test]
fn rights_and_links_stay_as_they_are() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let folder = Folder::new("rights");
    let old = folder.file("old", "old");
    let link = folder.0.join("link");
    symlink("old", &link).unwrap();
    for mode in [0o640, 0o600, 0o755] {
        std::fs::set_permissions(&old, PermissionsExt::from_mode(mode)).unwrap();
        assert_eq!(code(&to_file(&["info"], Path::new(EVERYTHING), &link)), 0);
        assert_eq!(old.metadata().unwrap().mode() & 0o777, mode);
    }
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&old).unwrap().contains("Blitz3D"));
    // A new file has the default permissions.
    let usual = folder.file("usual", "").metadata().unwrap().mode();
    let new = folder.0.join("new");
    assert_eq!(code(&to_file(&["info"], Path::new(EVERYTHING), &new)), 0);
    assert_eq!(new.metadata().unwrap().mode(), usual);
    assert_eq!(names(&folder), ["link", "new", "old", "usual"]);
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_written_straight() {
    use std::os::unix::fs::FileTypeExt;
    let expected = stdout(&run(["info", EVERYTHING]));
    let straight = run(["info", EVERYTHING, "-o", "/dev/stdout"]);
    assert_eq!((code(&straight), stdout(&straight)), (0, expected.clone()));
    let folder = Folder::new("straight");
    // A file that is already standard output is appended to.
    let file = folder.file("file", "before\n");
    let append = std::fs::File::options().append(true).open(&file).unwrap();
    let status = program().args(["info", EVERYTHING, "-o", "/dev/stdout"]).stdout(append).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("before\n{expected}"));
    assert_eq!(code(&run(["info", EVERYTHING, "-o", "/dev/null"])), 0);
    assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
    let fifo = folder.0.join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut child = program().args(["info", EVERYTHING, "-o"]).arg(&fifo).spawn().unwrap();
    assert_eq!(std::fs::read_to_string(&fifo).unwrap(), expected);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(fifo.metadata().unwrap().file_type().is_fifo());
}

#[cfg(target_os = "linux")]
#[test]
fn an_error_of_writing_names_the_file() {
    let full = run(["scan", "corpus", "-o", "/dev/full"]);
    assert_eq!(code(&full), 2);
    assert!(stderr(&full).contains("/dev/full: No space left on device"), "{}", stderr(&full));
    let stdout = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = program().args(["scan", "corpus"]).stdout(stdout).output().unwrap();
    assert!(stderr(&output).contains("standard output: No space left on device"), "{}", stderr(&output));
    assert!(stderr(&run(["info", EVERYTHING, "-o", "corpus"])).contains("corpus: Is a directory"));
    assert!(stderr(&run(["info", EVERYTHING, "-o", "no/such/folder/out"])).contains("no/such/folder"));
}

/// Bytes of a map that another process has truncated are not valid memory for a system call to write from.
#[cfg(target_os = "linux")]
#[test]
fn a_dump_of_a_file_that_is_cut_short_says_so() {
    use std::io::Read;
    let folder = Folder::new("cut-dump");
    let vertices = crate::writer::b3d::vertices(300_000, 0, 0, 0);
    let scene = crate::writer::b3d::scene([crate::writer::b3d::node("n", [crate::writer::b3d::mesh(-1, [vertices])])]);
    let path = folder.file("large.b3d", scene.to_vec());
    let mut command = program();
    command.arg("dump").arg(&path).args(["meshes/0/positions", "--format", "raw"]);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let mut first = [0; 12];
    pipe.read_exact(&mut first).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(200).unwrap();
    std::io::copy(&mut pipe, &mut std::io::sink()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("large.b3d: the file was changed"), "{}", stderr(&output));
    assert_eq!(lines(&run([OsStr::new("scan"), path.as_os_str()])).len(), 1);
}

/// Each verb with the formats that it has endings for.
const VERBS: [(&[&str], &[&str]); 17] = [
    (&["info", EVERYTHING], &["json"]),
    (&["scan", EVERYTHING], &["csv", "ndjson", "parquet", "arrow"]),
    (&["plan", EVERYTHING], &["ndjson"]),
    (&["verify", EVERYTHING], &["ndjson", "parquet", "arrow"]),
    (&["tree", EVERYTHING], &["ndjson"]),
    (&["hex", EVERYTHING], &[]),
    (&["schema", "b3d"], &["ndjson"]),
    (&["dump", EVERYTHING, "meshes/0/positions"], &["csv", "ndjson", "npy"]),
    (&["dump", EVERYTHING], &[]),
    (&["export", EVERYTHING], &["png", "glb", "obj", "ply"]),
    (&["refs", EVERYTHING], &["csv", "ndjson", "parquet", "arrow"]),
    (&["fit", "corpus/rtm/plain.rtm", "corpus/rtm/plain.rtm"], &["ndjson"]),
    (&["diff", EVERYTHING, EVERYTHING], &["ndjson", "json", "parquet", "arrow"]),
    (&["dupes", EVERYTHING, EVERYTHING], &["ndjson", "parquet", "arrow"]),
    (&["completions", "bash"], &[]),
    (&["man"], &[]),
    (&["limits"], &[]),
];

#[test]
fn the_ending_of_the_file_to_write_is_its_format() {
    let folder = Folder::new("endings");
    for (verb, formats) in VERBS {
        for ending in ["csv", "ndjson", "json", "npy", "parquet", "arrow", "png", "glb", "obj", "ply"] {
            let path = folder.0.join(format!("out.{}", if ending == "csv" { "CSV" } else { ending }));
            let output = program().args(verb).arg("-q").arg("-o").arg(&path).output().unwrap();
            let is_built = !["parquet", "arrow"].contains(&ending) || cfg!(feature = "parquet");
            if !(formats.contains(&ending) && is_built) {
                assert_eq!(code(&output), 2, "{verb:?} {ending}");
                assert!(!stderr(&output).is_empty() && !path.exists(), "{verb:?} {ending}");
                continue;
            }
            assert!(code(&output) < 2, "{verb:?} {ending}: {}", stderr(&output));
            let bytes = std::fs::read(&path).unwrap();
            let is_it = match ending {
                "csv" => bytes.split(|&byte| byte == b'\n').next().unwrap().contains(&b','),
                "npy" => bytes.starts_with(b"\x93NUMPY"),
                "parquet" => bytes.starts_with(b"PAR1"),
                "arrow" => bytes.starts_with(b"ARROW1"),
                "png" => bytes.starts_with(b"\x89PNG"),
                "glb" => bytes.starts_with(b"glTF"),
                "obj" => bytes.starts_with(b"# meshpeek\n"),
                "ply" => bytes.starts_with(b"ply\n"),
                "json" => serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(),
                _ => {
                    let text = std::str::from_utf8(&bytes).unwrap();
                    text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
                }
            };
            assert!(is_it, "{verb:?} {ending}: {}", String::from_utf8_lossy(&bytes));
            std::fs::remove_file(path).unwrap();
        }
        // Any other extension selects the format for pipes.
        if verb[0] == "export" {
            continue;
        }
        for name in ["out", "out.txt", "out.lod"] {
            let path = folder.0.join(name);
            let piped = program().args(verb).output().unwrap();
            let written = program().args(verb).arg("-o").arg(&path).output().unwrap();
            assert_eq!(code(&written), code(&piped), "{verb:?} {name}");
            assert_eq!(std::fs::read(&path).unwrap(), piped.stdout, "{verb:?} {name}");
        }
    }
    let verify = folder.0.join("verify.ndjson");
    let output = program().args(["verify", EVERYTHING, "-o"]).arg(&verify).output().unwrap();
    assert_eq!(code(&output), 0);
    assert!(std::fs::read_to_string(&verify).unwrap().contains("\"path\""));
    let wrong = run(["verify", EVERYTHING, "-o", "x.csv"]);
    let writes = if cfg!(feature = "parquet") {
        "text, ndjson, sarif, github, parquet, arrow"
    } else {
        "text, ndjson, sarif, github"
    };
    assert_eq!(stderr(&wrong), format!("meshpeek: x.csv: verify does not write .csv files; it writes {writes}\n"));
}

/// In capitals, too, it is the same format, in every verb.
#[test]
fn the_ending_selects_the_format_in_any_case() {
    let folder = Folder::new("endings-in-any-case");
    for (verb, formats) in VERBS {
        for ending in formats {
            if ["parquet", "arrow"].contains(ending) && !cfg!(feature = "parquet") {
                continue;
            }
            let written = |ending: &str| {
                let path = folder.0.join(format!("out.{ending}"));
                let output = program().args(verb).arg("-q").arg("-o").arg(&path).output().unwrap();
                assert!(code(&output) < 2, "{verb:?} {ending}: {}", stderr(&output));
                let bytes = std::fs::read(&path).unwrap();
                std::fs::remove_file(path).unwrap();
                (code(&output), bytes)
            };
            let (first, rest) = ending.split_at(1);
            let small = written(ending);
            for other in [ending.to_uppercase(), first.to_uppercase() + rest] {
                assert!(written(&other) == small, "{verb:?} {other}");
            }
        }
    }
}

/// NDJSON under such a name would look like a damaged file to a spreadsheet.
#[test]
fn a_format_that_no_verb_writes_is_refused_by_its_ending() {
    let folder = Folder::new("foreign");
    for (verb, ending) in [("scan", "xlsx"), ("scan", "TSV"), ("tree", "html"), ("info", "xml"), ("hex", "pdf")] {
        let path = folder.0.join(format!("out.{ending}"));
        let output = program().args([verb, EVERYTHING, "-o"]).arg(&path).output().unwrap();
        let message = format!("{verb} does not write .{} files; it writes ", ending.to_lowercase());
        assert!(code(&output) == 2 && stderr(&output).contains(&message), "{ending}: {}", stderr(&output));
        assert!(!path.exists(), "{ending}");
    }
    let path = folder.0.join("out.tsv");
    let asked = program().args(["scan", "--format", "csv", EVERYTHING, "-o"]).arg(&path).output().unwrap();
    assert!(code(&asked) == 0 && std::fs::read(&path).unwrap().starts_with(b"path,"), "{}", stderr(&asked));
    let path = folder.0.join("out.xml");
    let copied = program().args(["cat", "corpus/zip/assets.zip!/readme.txt", "-o"]).arg(&path).output().unwrap();
    assert!(code(&copied) == 0 && std::fs::read(&path).unwrap().starts_with(b"nothing"), "{}", stderr(&copied));
}

#[test]
fn a_format_that_is_given_outranks_the_ending() {
    let folder = Folder::new("outranked");
    let path = folder.0.join("out.csv");
    let write = |arguments: &[&str]| {
        let output = program().args(arguments).arg("-o").arg(&path).output().unwrap();
        assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
        std::fs::read_to_string(&path).unwrap()
    };
    assert!(write(&["scan", "--format", "ndjson", EVERYTHING]).starts_with('{'));
    assert!(write(&["dump", EVERYTHING, "meshes/0/positions", "--format", "ndjson"]).starts_with('{'));
    assert!(write(&["tree", EVERYTHING, "--format", "text"]).starts_with("    offset"));
    // A member is written unchanged.
    assert!(write(&["cat", "corpus/zip/assets.zip!/README.txt"]).starts_with("nothing"));
    let digests =
        program().args(["info", "--digests", EVERYTHING, "-o"]).arg(folder.0.join("out.json")).output().unwrap();
    assert_eq!(code(&digests), 0, "{}", stderr(&digests));
    assert_eq!(code(&run(["info", "--digests", EVERYTHING])), 2);
}
