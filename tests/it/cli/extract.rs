//! `extract`: nothing outside its folder, nothing half.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, SystemTime};

use crate::support::program::{Folder, code, program, stderr};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

fn extract(folder: &Folder, arguments: &[&str]) -> Output {
    program().current_dir(&folder.0).arg("extract").args(arguments).output().unwrap()
}

/// Every file below a folder, with its content; links and folders with a slash.
fn tree(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in path.read_dir().into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_symlink() {
            all.insert(name + " ->", Vec::new());
        } else if path.is_dir() {
            all.extend(tree(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            all.insert(name, std::fs::read(&path).unwrap());
        }
    }
    all
}

fn names(path: &Path) -> Vec<String> {
    tree(path).into_keys().collect()
}

/// Two addons in a zip, one packed, and a file beside them.
fn mods(folder: &Folder) {
    let a = Writer::new()
        .stored(b"config.cpp", b"a")
        .packed(br"data\tree.p3d", &vec![b't'; 3000])
        .stored(br"data\tree.rvmat", b"material");
    let b = Writer::new().stored(b"config.cpp", b"bb").stored(br"Data\ROCK.P3D", b"rock");
    let (a, b) = (a.finish(Tail::Sha1), b.finish(Tail::Sha1));
    let entries =
        [Entry::stored("addons/a.pbo", &a), Entry::deflated("addons/b.pbo", &b), Entry::stored("readme.txt", b"read")];
    folder.file("mods.zip", zip(&entries, b"").to_vec());
    folder.file("a.pbo", a);
}

#[test]
fn archives_whole_globs_and_members_at_any_depth() {
    let folder = Folder::new("extract");
    mods(&folder);
    for (arguments, expected) in [
        (&["a.pbo"][..], &["config.cpp", "data/tree.p3d", "data/tree.rvmat"][..]),
        (&["a.pbo!/*.P3D"], &["data/tree.p3d"]),
        (&["a.pbo!/*.p3d", "--flat"], &["tree.p3d"]),
        (&["a.pbo!/data/*"], &["data/tree.p3d", "data/tree.rvmat"]),
        (&["a.pbo!/DATA/Tree.p3d"], &["data/tree.p3d"]),
        (&["mods.zip"], &["addons/a.pbo", "addons/b.pbo", "readme.txt"]),
        (&["mods.zip!/addons/b.pbo"], &["Data/ROCK.P3D", "config.cpp"]),
        (&["mods.zip!/addons/b.pbo!/"], &["Data/ROCK.P3D", "config.cpp"]),
        (&["mods.zip!/addons/a.pbo!/*.p3d"], &["data/tree.p3d"]),
        (&["mods.zip!/*.pbo!/*.p3d"], &["addons/a.pbo/data/tree.p3d", "addons/b.pbo/Data/ROCK.P3D"]),
        (&["mods.zip!/*.pbo!/*.p3d", "--flat"], &["ROCK.P3D", "tree.p3d"]),
        (&["mods.zip!/*!/config.cpp", "--flat"], &["config (2).cpp", "config.cpp"]),
        (&["a.pbo", "mods.zip!/readme.txt"], &["config.cpp", "data/tree.p3d", "data/tree.rvmat", "readme.txt"]),
    ] {
        let output = extract(&folder, &[arguments, &["-o", "out"]].concat());
        assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty());
        assert_eq!(names(&folder.0.join("out")), expected, "{arguments:?}");
        std::fs::remove_dir_all(folder.0.join("out")).unwrap();
    }
    assert_eq!(code(&extract(&folder, &["a.pbo", "-o", "out"])), 0);
    let files = tree(&folder.0.join("out"));
    assert_eq!((&files["config.cpp"][..], files["data/tree.p3d"].len()), (&b"a"[..], 3000));
    let packed = folder.0.join("out/data/tree.p3d").metadata().unwrap();
    assert_eq!(packed.modified().unwrap(), SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000));
}

#[test]
fn members_that_cannot_be_extracted_are_reported() {
    let folder = Folder::new("extract-wrong");
    mods(&folder);
    folder.file("model.b3d", crate::writer::b3d::sound().to_vec());
    for (arguments, status, said) in [
        (&["a.pbo"][..], 2, "extract needs -o DIR"),
        (&["a.pbo!/config.ccp", "-o", "out"], 2, "no member config.ccp; nearest: config.cpp"),
        (&["a.pbo!/*.paa", "-o", "out"], 2, "a.pbo: no member matches"),
        (&["model.b3d", "-o", "out"], 2, "is not an archive"),
        (&["none.pbo", "-o", "out"], 2, "none.pbo: "),
        (&["a.pbo!/a[", "-o", "out"], 2, "not a pattern"),
        (&["none.pbo", "a.pbo", "-o", "out"], 1, "(os error 2)"),
    ] {
        let output = extract(&folder, arguments);
        assert_eq!(code(&output), status, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{arguments:?}: {}", stderr(&output));
    }
    // A member that does not decode leaves the others.
    let broken = Entry::deflated("broken", &[1; 100]).both(|header| header.crc32 ^= 1);
    folder.file("b.zip", zip(&[broken, Entry::stored("sound", b"sound")], b"").to_vec());
    let output = extract(&folder, &["b.zip", "-o", "b"]);
    assert_eq!((code(&output), names(&folder.0.join("b"))), (1, vec!["sound".to_owned()]), "{}", stderr(&output));
}

/// The bytes of a file. On Windows, a folder keeps the case in which it was made.
fn file_at<'f>(files: &'f BTreeMap<String, Vec<u8>>, name: &str) -> Option<&'f [u8]> {
    let is_it = |found: &str| found == name || cfg!(windows) && found.to_lowercase() == name.to_lowercase();
    files.iter().find(|(found, _)| is_it(found)).map(|(_, bytes)| bytes.as_slice())
}

/// Extracts members with these names, and compares the files: no others are written, inside the folder or outside.
fn names_become(all: &[(&str, &str)]) {
    let folder = Folder::new("extract-names");
    let entries: Vec<Entry> = all.iter().map(|(name, expected)| Entry::stored(name, expected.as_bytes())).collect();
    folder.file("in/names.zip", zip(&entries, b"").to_vec());
    let output = extract(&folder, &["in/names.zip", "-o", "a/b/out"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let files = tree(&folder.0.join("a/b/out"));
    for (name, expected) in all {
        assert_eq!(file_at(&files, expected), Some(expected.as_bytes()), "{name:?}");
    }
    assert_eq!(names(&folder.0).len(), all.len() + 1, "{:?}", names(&folder.0));
    let errors = stderr(&output);
    for (name, expected) in all.iter().filter(|(name, expected)| name != expected) {
        let is_reported = errors.contains(&format!(": the file is {expected}\n"));
        assert!(is_reported || name.replace('\\', "/").trim_start_matches('/') == *expected, "{name:?}: {errors}");
    }
    assert!(!errors.contains('\x1b'));
}

#[test]
fn the_folder_above_is_not_reached() {
    names_become(&[
        ("../../up.txt", ".%2E/.%2E/up.txt"),
        (r"..\back.txt", ".%2E/back.txt"),
        ("a/../../over.txt", "a/.%2E/.%2E/over.txt"),
        ("..", ".%2E (2)"),
        (".", "%2E"),
    ]);
}

#[test]
fn absolute_paths_are_below_the_folder() {
    names_become(&[
        ("/root.txt", "root.txt"),
        ("//server/share.txt", "server/share.txt"),
        ("~/.bashrc", "~/.bashrc"),
        ("$HOME", "$HOME"),
    ]);
}

#[test]
fn drives_are_names_of_folders() {
    names_become(&[("C:\\drive.txt", "C%3A/drive.txt"), ("c:relative.txt", "c%3Arelative.txt")]);
}

#[test]
fn nul_and_control_characters_are_escaped() {
    names_become(&[("nul\0byte", "nul%00byte"), ("\x1b[2J", "%1B[2J"), ("line\nbreak", "line%0Abreak")]);
    // Bytes that are no text.
    let folder = Folder::new("extract-bytes");
    folder.file("x.pbo", Writer::new().stored(b"\xff.txt", b"x").finish(Tail::Sha1));
    assert_eq!(code(&extract(&folder, &["x.pbo", "-o", "x"])), 0);
    assert_eq!(names(&folder.0.join("x")), ["%FF.txt"]);
}

#[test]
fn names_of_300_bytes_are_shortened() {
    let long = "n".repeat(300);
    let (one, other, deep) = (format!("{long}1"), format!("{long}2"), "d/".repeat(5_000) + "end");
    let short = "n".repeat(200);
    let (second, third) = (format!("{short} (2)"), format!("{short} (3)"));
    names_become(&[(&long, &short), (&one, &second), (&other, &third), (&deep, "end")]);
}

#[test]
fn names_that_are_equal_but_for_case_get_a_number() {
    names_become(&[
        ("case.txt", "case.txt"),
        ("CASE.TXT", "CASE (2).TXT"),
        ("case.txt", "case (3).txt"),
        ("case (2).txt", "case (2) (2).txt"),
        ("file", "file"),
        ("file/below", "file (2)/below"),
        ("%2E", "%2E"),
        (".", "%2E (2)"),
    ]);
    // Of any alphabet.
    names_become(&[
        ("\u{c9}t\u{e9}.txt", "\u{c9}t\u{e9}.txt"),
        ("\u{e9}T\u{c9}.txt", "\u{e9}T\u{c9} (2).txt"),
        ("\u{41c}\u{418}\u{420}/a", "\u{41c}\u{418}\u{420}/a"),
        ("\u{43c}\u{438}\u{440}/A", "\u{43c}\u{438}\u{440}/A (2)"),
        ("\u{43c}\u{438}\u{440}", "\u{43c}\u{438}\u{440} (2)"),
        ("\u{3a9}", "\u{3a9}"),
        ("\u{3c9}", "\u{3c9} (2)"),
    ]);
}

/// The files of a folder stay together, wherever the file of its name stands.
#[test]
fn a_folder_with_the_name_of_a_file_gets_one_other_name() {
    names_become(&[
        ("a", "a"),
        ("a/0", "a (2)/0"),
        ("a/1", "a (2)/1"),
        ("a/b", "a (2)/b"),
        ("a/b/0", "a (2)/b (2)/0"),
        ("a/b/1", "a (2)/b (2)/1"),
        ("a", "a (3)"),
        ("a/2", "a (2)/2"),
    ]);
    names_become(&[("a/0", "a/0"), ("a", "a (2)"), ("a/1", "a/1")]);
    names_become(&[("a", "a"), ("a (2)", "a (2)"), ("a/0", "a (3)/0"), ("a/1", "a (3)/1")]);
    names_become(&[("x.d", "x.d"), ("x.d/0", "x (2).d/0"), ("x.d/1", "x (2).d/1")]);
}

#[test]
fn names_that_windows_forbids_are_escaped() {
    names_become(&[
        ("CON", "%43ON"),
        ("aux", "%61ux"),
        ("COM1.txt", "%43OM1.txt"),
        ("what?.txt", "what%3F.txt"),
        ("dot.", "dot%2E"),
        ("space ", "space%20"),
        ("stream.txt:hidden", "stream.txt%3Ahidden"),
    ]);
}

/// A device has no end, nothing in it, or nobody who writes to it.
#[cfg(unix)]
#[test]
fn devices_as_archives_end_at_once() {
    let folder = Folder::new("extract-devices");
    assert!(std::process::Command::new("mkfifo").arg(folder.0.join("pipe")).status().unwrap().success());
    for (device, said) in [
        ("/dev/zero", "more than 1048576 bytes from a file without a size"),
        ("/dev/null", "the file is empty"),
        ("pipe", "nothing is writing to this pipe"),
    ] {
        let output = extract(&folder, &[device, "-o", "out", "--max-decoded", "1M"]);
        assert_eq!(code(&output), 2, "{device}");
        assert!(stderr(&output).contains(said), "{device}: {}", stderr(&output));
        assert_eq!(names(&folder.0.join("out")), Vec::<String>::new());
    }
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("extract-links");
    folder.file("outside/kept.txt", "kept");
    let entries = ["sub/a.txt", "kept.txt", "fresh.txt"].map(|name| Entry::stored(name, b"from the archive"));
    folder.file("links.zip", zip(&entries, b"").to_vec());
    folder.file("out/other", "");
    symlink("../outside", folder.0.join("out/sub")).unwrap();
    symlink("../outside/kept.txt", folder.0.join("out/kept.txt")).unwrap();
    symlink("../outside/dangling", folder.0.join("out/fresh.txt")).unwrap();
    let output = extract(&folder, &["links.zip", "-o", "out"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("sub: is a link, which is not followed"), "{}", stderr(&output));
    assert_eq!(names(&folder.0.join("outside")), ["kept.txt"]);
    assert_eq!(names(&folder.0.join("out")), ["fresh.txt ->", "kept.txt ->", "other", "sub ->"]);
    // A link that is overwritten is replaced; its target stays.
    let output = extract(&folder, &["links.zip", "-o", "out", "--force"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert_eq!(tree(&folder.0.join("outside"))["kept.txt"], b"kept");
    assert_eq!(tree(&folder.0.join("out"))["kept.txt"], b"from the archive");
    assert_eq!(names(&folder.0.join("outside")), ["kept.txt"]);
    // Neither a pipe nor a device is written to.
    assert!(std::process::Command::new("mkfifo").arg(folder.0.join("out/pipe")).status().unwrap().success());
    folder.file("pipe.zip", zip(&[Entry::stored("pipe", b"p")], b"").to_vec());
    assert_eq!(code(&extract(&folder, &["pipe.zip", "-o", "out"])), 2);
    assert_eq!(code(&extract(&folder, &["pipe.zip", "-o", "out", "--force"])), 0);
    assert_eq!(tree(&folder.0.join("out"))["pipe"], b"p");
}

#[test]
fn nothing_is_overwritten_and_existing_files_are_skipped() {
    let folder = Folder::new("extract-again");
    mods(&folder);
    let run = |flags: &[&str]| extract(&folder, &[&["a.pbo", "-o", "out"], flags].concat());
    assert!(stderr(&run(&[])).contains("3 files written"));
    let again = run(&[]);
    assert!(stderr(&again).contains("0 files written, 3 already there"), "{}", stderr(&again));
    assert_eq!(code(&again), 0);
    // A further run writes the members that an interrupted run has not written.
    std::fs::remove_file(folder.0.join("out/data/tree.p3d")).unwrap();
    assert!(stderr(&run(&[])).contains("1 file written, 2 already there"));
    // Other content of the same size: without a time, bytes are compared; with a time, that decides.
    folder.file("out/config.cpp", "z");
    folder.file("out/data/tree.p3d", vec![b'z'; 3000]);
    let changed = run(&[]);
    assert_eq!(code(&changed), 1);
    assert_eq!(stderr(&changed).matches("exists with other content; --force overwrites it").count(), 2);
    assert_eq!(tree(&folder.0.join("out"))["config.cpp"], b"z");
    assert_eq!(code(&run(&["--force"])), 0);
    let files = tree(&folder.0.join("out"));
    assert_eq!((&files["config.cpp"][..], &files["data/tree.p3d"]), (&b"a"[..], &vec![b't'; 3000]));
    // A folder in the place of a file stays.
    std::fs::remove_file(folder.0.join("out/config.cpp")).unwrap();
    folder.file("out/config.cpp/x", "x");
    let blocked = run(&["--force"]);
    assert_eq!(code(&blocked), 1);
    assert!(stderr(&blocked).contains("config.cpp: is a folder"), "{}", stderr(&blocked));
    // An archive is not overwritten by its own member.
    let own = zip(&[Entry::stored("own.zip", b"1")], b"").to_vec();
    folder.file("own.zip", &own);
    for address in ["own.zip", "own.zip!/own.zip", "own.zip!/*"] {
        assert_eq!(code(&extract(&folder, &[address, "-o", ".", "--force"])), 2, "{address}");
        assert_eq!(std::fs::read(folder.0.join("own.zip")).unwrap(), own, "{address}");
    }
}

/// Beyond the limit for the size of a file, as on a full disk, writing fails in the middle of a file.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_half() {
    let folder = Folder::new("extract-full");
    let entries = [Entry::stored("1", &[1; 100]), Entry::stored("2", &[2; 100_000]), Entry::stored("3", &[3; 100])];
    folder.file("a.zip", zip(&entries, b"").to_vec());
    let limited = |units: &str| {
        let script = format!("ulimit -f {units}; exec \"$0\" extract a.zip -o out");
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", &script, env!("CARGO_BIN_EXE_meshpeek")]).current_dir(&folder.0).output().unwrap()
    };
    let output = limited("50");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("2: File too large"), "{}", stderr(&output));
    assert_eq!(tree(&folder.0.join("out")).keys().collect::<Vec<_>>(), ["1"]);
    // With space again, the same command completes it.
    let output = limited("unlimited");
    assert!(stderr(&output).contains("2 files written, 1 already there"), "{}", stderr(&output));
}

/// A disk of 64 KiB, if this user may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_without_space_leaves_nothing_half() {
    let folder = Folder::new("extract-disk");
    let entries = [Entry::stored("1", &[1; 10_000]), Entry::stored("2", &[2; 100_000]), Entry::stored("3", &[3; 100])];
    folder.file("a.zip", zip(&entries, b"").to_vec());
    std::fs::create_dir(folder.0.join("out")).unwrap();
    let script = "mount -t tmpfs -o size=64k none out || exit 9; \"$0\" extract a.zip -o out; echo $?; ls -A out";
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_meshpeek")]).current_dir(&folder.0);
    let Some(output) = unshare.output().ok().filter(|output| output.status.success()) else {
        println!("skipped: no disk can be mounted");
        return;
    };
    assert_eq!(crate::support::program::stdout(&output), "2\n1\n", "{}", stderr(&output));
    assert!(stderr(&output).contains("2: No space left on device"), "{}", stderr(&output));
}

/// Each file that gets its final name is whole, and the program ends with an error if the archive became shorter.
#[test]
#[cfg_attr(windows, ignore = "Windows refuses to shorten a mapped file")]
fn an_archive_that_shrinks_meanwhile_leaves_nothing_false() {
    let folder = Folder::new("extract-shrink");
    let content = |index: usize| vec![index as u8 | 1; 40_000];
    let entries: Vec<Entry> = (0..400).map(|index| Entry::stored(index.to_string(), &content(index))).collect();
    let bytes = zip(&entries, b"").to_vec();
    let mut cut = 0;
    for round in 0..6 {
        let path = folder.file("a.zip", &bytes);
        let out = folder.0.join(format!("out{round}"));
        let mut child = program()
            .args(["extract", "-q"])
            .arg(&path)
            .arg("-o")
            .arg(&out)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() && out.read_dir().map_or(0, Iterator::count) < 5 {
            std::thread::sleep(Duration::from_micros(100));
        }
        std::fs::File::options().write(true).open(&path).unwrap().set_len(1 << (10 + round)).unwrap();
        let output = child.wait_with_output().unwrap();
        if code(&output) != 0 {
            cut += 1;
            assert!(stderr(&output).contains("the file was changed while it was read"), "{}", stderr(&output));
        }
        for (name, written) in tree(&out) {
            assert!(written == content(name.parse().unwrap()), "{name} is false");
        }
    }
    assert!(cut > 0, "no run was disturbed");
}

#[test]
fn the_output_is_bounded() {
    let folder = Folder::new("extract-bomb");
    // 300 members of 1 MB from the same bytes.
    folder.file("quilt.zip", crate::writer::archives::quilt(300, 1_000_000));
    let output = extract(&folder, &["quilt.zip", "-o", "out", "--max-output", "8"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--max-output raises it"), "{}", stderr(&output));
    let written: usize = tree(&folder.0.join("out")).values().map(Vec::len).sum();
    assert!((1_000_000..12_000_000).contains(&written), "{written} bytes");
    assert!(tree(&folder.0.join("out")).values().all(|bytes| bytes.len() == 1_000_000));
    let output = extract(&folder, &["quilt.zip", "-o", "work", "--max-work", "1"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("--max-work raises it"), "{}", stderr(&output));
    // An archive in an archive, and so on.
    folder.file("deep.zip", crate::writer::archives::nested(8));
    let output = extract(&folder, &["deep.zip!/*!/*!/*!/*!/*!/*", "-o", "deep"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--max-archive-depth raises the limit"), "{}", stderr(&output));
    // Messages about very many members.
    let entries: Vec<Entry> = (0..1500).map(|_| Entry::stored("same", b"")).collect();
    folder.file("same.zip", zip(&entries, b"").to_vec());
    let output = extract(&folder, &["same.zip", "-o", "same"]);
    assert_eq!(stderr(&output).lines().count(), 1000 + 2, "{}", stderr(&output));
    assert_eq!(names(&folder.0.join("same")).len(), 1500);
}

#[test]
fn messages_about_members_end_at_the_limit_and_the_rest_are_counted() {
    let folder = Folder::new("extract-messages");
    folder.file("a.zip", zip(&[Entry::stored("there", b"x")], b"").to_vec());
    // Members that are missing, and one under another name.
    let addresses: Vec<String> = (0..4).map(|number| format!("a.zip!/none{number}")).collect();
    folder.file("b.zip", zip(&[Entry::stored("a:b", b"x")], b"").to_vec());
    let mut arguments: Vec<&str> = addresses.iter().map(String::as_str).collect();
    arguments.push("b.zip");
    for most in 0..7 {
        let limit = most.to_string();
        let output =
            extract(&folder, &[&arguments[..], &["-o", &format!("out{most}"), "--max-problems", &limit]].concat());
        let text = stderr(&output);
        assert_eq!(code(&output), 1, "{text}");
        let said = text.matches(": no member none").count() + text.matches(": the file is ").count();
        assert_eq!(said, most.min(5), "{text}");
        let rest = match 5_usize.saturating_sub(most) {
            0 => String::new(),
            1 => "and 1 message like these\n".to_owned(),
            more => format!("and {more} messages like these\n"),
        };
        let end = format!("{rest}1 file written, 1 under another name, 4 not written\n");
        assert!(text.ends_with(&end), "{most}: {text}");
        assert_eq!(text.contains("like these"), most < 5, "{text}");
    }
}

#[test]
fn archives_in_archives_are_entered_up_to_the_limit() {
    let folder = Folder::new("extract-depth");
    // `0.txt` in `1.zip` in `2.zip` and so on.
    let mut inner = zip(&[Entry::stored("0.txt", b"text")], b"").to_vec();
    for level in 1..4 {
        inner = zip(&[Entry::stored(format!("{level}.zip"), &inner)], b"").to_vec();
    }
    folder.file("4.zip", inner);
    for limit in 0..5 {
        for (pattern, name) in
            [("3.zip!/2.zip!/1.zip!/0.txt", "0.txt"), ("*.zip!/*.zip!/*!/*", "3.zip/2.zip/1.zip/0.txt")]
        {
            let out = format!("out{limit}{}", pattern.len());
            let address = format!("4.zip!/{pattern}");
            let output = extract(&folder, &[&address, "-o", &out, "--max-archive-depth", &limit.to_string()]);
            let files = names(&folder.0.join(&out));
            if limit >= 3 {
                assert_eq!((code(&output), files), (0, vec![name.to_owned()]), "{}", stderr(&output));
                continue;
            }
            let said = format!("more than {limit} archives inside each other; --max-archive-depth raises the limit");
            assert!(code(&output) == 2 && stderr(&output).contains(&said), "{}", stderr(&output));
            assert!(files.is_empty(), "{files:?}");
        }
    }
}

/// A name is a name before it is a number or a glob.
#[test]
fn names_with_the_signs_of_addresses_are_found() {
    let folder = Folder::new("extract-signs");
    let stored =
        ["a", "a", "a#1", "b#x", "b", "[c].x", "c.x", "d*", "dd", "e?", "ee", "f#0", "f", "i#1", "i#1", "j#0#1", "j#0"];
    let entries: Vec<Entry> = (0_u8..).zip(stored).map(|(at, name)| Entry::stored(name, &[at])).collect();
    folder.file("in.zip", zip(&entries, b"").to_vec());
    for (address, expected) in [
        ("a", Some(vec![0_u8])),
        ("a#0", Some(vec![0])),
        // The member of this very name, though another would be the second `a`.
        ("a#1", Some(vec![2])),
        ("a#2", None),
        ("b#x", Some(vec![3])),
        ("b#0", Some(vec![4])),
        ("b#1", None),
        ("[c].x", Some(vec![5])),
        ("[cd].x", Some(vec![6])),
        ("d*", Some(vec![7])),
        ("d[d*]", Some(vec![7, 8])),
        ("e?", Some(vec![9])),
        ("?e", Some(vec![10])),
        ("f#0", Some(vec![11])),
        ("f", Some(vec![12])),
        // The last sign divides the name and the number.
        ("i#1", Some(vec![13])),
        ("i#1#0", Some(vec![13])),
        ("i#1#1", Some(vec![14])),
        ("i#1#2", None),
        ("i", None),
        ("j#0#1", Some(vec![15])),
        ("j#0#1#0", Some(vec![15])),
        ("j#0#0", Some(vec![16])),
        ("j#0#2", None),
        ("g", None),
        ("g*", None),
    ] {
        let out = folder.0.join("out");
        let output = extract(&folder, &[&format!("in.zip!/{address}"), "-o", "out"]);
        let mut found: Vec<u8> = tree(&out).into_values().flatten().collect();
        found.sort_unstable();
        assert_eq!(
            (code(&output), found),
            (if expected.is_some() { 0 } else { 2 }, expected.unwrap_or_default()),
            "{address}"
        );
        std::fs::remove_dir_all(out).unwrap();
    }
}

/// Whether an archive inside another is entered by a glob depends on what can be seen of it without unpacking all of it:
/// its first bytes, or its name alone.
#[test]
fn archives_are_entered_by_their_bytes_or_else_by_their_name() {
    let archives = [
        ("pbo", Writer::new().stored(b"in.txt", b"x").finish(Tail::Sha1)),
        ("pbo with a product", Writer::new().product(&[]).stored(b"in.txt", b"x").finish(Tail::Sha1)),
        ("zip", zip(&[Entry::stored("in.txt", b"x")], b"").to_vec()),
    ];
    for (kind, inner) in &archives {
        for name in ["x.pbo", "x.PBO", "x.zip", "x.Zip", "x.bin", "x"] {
            let bytes = name.as_bytes();
            let outers = [
                ("stored.pbo", Writer::new().stored(bytes, inner).finish(Tail::Sha1)),
                ("packed.pbo", Writer::new().packed(bytes, inner).finish(Tail::Sha1)),
                ("stored.zip", zip(&[Entry::stored(name, inner)], b"").to_vec()),
                ("deflated.zip", zip(&[Entry::deflated(name, inner)], b"").to_vec()),
            ];
            for (outer, archive) in outers {
                let folder = Folder::new("extract-inner");
                folder.file(outer, archive);
                let output = extract(&folder, &[&format!("{outer}!/x*!/*"), "-o", "out"]);
                let lower = name.to_lowercase();
                let is_seen = outer != "packed.pbo" || ["x.pbo", "x.zip"].contains(&lower.as_str());
                let expected = if is_seen { vec![format!("{name}/in.txt")] } else { Vec::new() };
                let found = names(&folder.0.join("out"));
                assert_eq!(found, expected, "{kind} as {name} in {outer}: {}", stderr(&output));
                assert_eq!(code(&output), if expected.is_empty() { 2 } else { 0 }, "{kind} as {name} in {outer}");
            }
        }
    }
}

/// What can be seen to be no archive is a file, whatever its name promises.
#[test]
fn members_that_are_named_like_archives_are_files_if_their_bytes_say_so() {
    let content = b"a text, and no archive of any kind".repeat(10);
    for name in ["x.zip", "x.ZIP", "x.bin", "x.txt", "x"] {
        let bytes = name.as_bytes();
        for (outer, archive) in [
            ("stored.zip", zip(&[Entry::stored(name, &content)], b"").to_vec()),
            ("stored.pbo", Writer::new().stored(bytes, &content).finish(Tail::Sha1)),
        ] {
            let folder = Folder::new("extract-no-archive");
            folder.file(outer, archive);
            for address in [outer.to_owned(), format!("{outer}!/{name}"), format!("{outer}!/x*")] {
                let output = extract(&folder, &[&address, "-o", "out"]);
                let found = tree(&folder.0.join("out"));
                assert_eq!(code(&output), 0, "{address}: {}", stderr(&output));
                assert_eq!(found, BTreeMap::from([(name.to_owned(), content.clone())]), "{address}");
                std::fs::remove_dir_all(folder.0.join("out")).unwrap();
            }
        }
    }
}

/// A file whose name is not the end of its member's name is said, with and without folders.
#[test]
fn files_with_other_names_than_their_members_are_said() {
    // The member, its file, and its file without folders.
    let members = [
        ("a/x.txt", "a/x.txt", "x.txt"),
        ("b/x.txt", "b/x.txt", "x (2).txt"),
        ("B/X.TXT", "B/X (2).TXT", "X (3).TXT"),
        ("c\\y.txt", "c/y.txt", "y.txt"),
        ("d/e:f", "d/e%3Af", "e%3Af"),
        ("d/con", "d/%63on", "%63on"),
        ("z.txt", "z.txt", "z.txt"),
    ];
    for is_flat in [false, true] {
        let folder = Folder::new("extract-said");
        let entries = members.map(|(name, _, _)| Entry::stored(name, name.as_bytes()));
        folder.file("in.zip", zip(&entries, b"").to_vec());
        let flags: &[&str] = if is_flat { &["--flat"] } else { &[] };
        let output = extract(&folder, &[&["in.zip", "-o", "out"], flags].concat());
        let (text, files) = (stderr(&output), tree(&folder.0.join("out")));
        let mut said = 0;
        for (name, deep, flat) in members {
            let file = if is_flat { flat } else { deep };
            assert_eq!(file_at(&files, file), Some(name.as_bytes()), "{name} {is_flat}: {files:?}");
            let is_same = name.replace('\\', "/").ends_with(file);
            said += usize::from(!is_same);
            assert_eq!(text.contains(&format!("{name}: the file is {file}\n")), !is_same, "{name} {is_flat}: {text}");
        }
        assert!(text.ends_with(&format!("7 files written, {said} under another name\n")), "{text}");
        assert_eq!((code(&output), files.len()), (0, 7), "{text}");
    }
}

/// No member replaces an archive that the same run reads, whichever argument it is.
#[test]
fn no_archive_of_the_run_is_overwritten_by_a_member_of_another() {
    let one = |name: &str| zip(&[Entry::stored(name, b"from an archive")], b"").to_vec();
    for addresses in [
        &["a.zip", "b.zip"][..],
        &["b.zip", "a.zip"],
        &["a.zip", "b.zip!/x"],
        &["a.zip!/*", "b.zip!/x*"],
        &["none.zip", "a.zip", "b.zip"],
    ] {
        let folder = Folder::new("extract-inputs");
        let entries = ["b.zip", "c.zip"].map(|name| Entry::stored(name, b"from an archive"));
        folder.file("a.zip", zip(&entries, b"").to_vec());
        folder.file("b.zip", one("x"));
        // It is no input.
        folder.file("c.zip", one("x"));
        let output = extract(&folder, &[addresses, &["-o", ".", "--force"]].concat());
        let said = stderr(&output);
        assert_eq!(code(&output), 1, "{addresses:?}: {said}");
        assert_eq!(said.matches("b.zip: is an input\n").count(), 1, "{addresses:?}: {said}");
        let files = tree(&folder.0);
        assert_eq!(files["b.zip"], one("x"), "{addresses:?}");
        assert_eq!((&files["c.zip"][..], &files["x"][..]), (&b"from an archive"[..], &b"from an archive"[..]));
    }
}

/// The archives that a glob selects have a folder each, those that are named have none.
#[test]
fn files_are_in_a_folder_for_each_archive_that_a_glob_selects() {
    let folder = Folder::new("extract-below");
    let inner = zip(&[Entry::stored("d/t.txt", b"text")], b"").to_vec();
    let middle = zip(&[Entry::stored("n/2.zip", &inner)], b"").to_vec();
    folder.file("o.zip", zip(&[Entry::stored("m/1.zip", &middle)], b"").to_vec());
    for (first, below_first) in [("m/1.zip", ""), ("*1.zip", "m/1.zip/"), ("m/*", "m/1.zip/"), ("M/1.ZIP", "")] {
        for (second, below_second) in [("n/2.zip", ""), ("*.zip", "n/2.zip/"), ("n/[12].zip", "n/2.zip/")] {
            for last in ["d/t.txt", "*.txt", "*"] {
                for is_flat in [false, true] {
                    let address = format!("o.zip!/{first}!/{second}!/{last}");
                    let flags: &[&str] = if is_flat { &["--flat"] } else { &[] };
                    let output = extract(&folder, &[&[&address, "-o", "out"], flags].concat());
                    assert_eq!(code(&output), 0, "{address}: {}", stderr(&output));
                    let expected =
                        if is_flat { "t.txt".to_owned() } else { format!("{below_first}{below_second}d/t.txt") };
                    assert_eq!(names(&folder.0.join("out")), [expected], "{address}");
                    std::fs::remove_dir_all(folder.0.join("out")).unwrap();
                }
            }
        }
    }
}

#[test]
fn the_last_line_counts_what_became_of_every_member() {
    for chosen in 0..16 {
        let has = |bit: u32| chosen >> bit & 1 == 1;
        let folder = Folder::new("extract-counted");
        let mut entries = Vec::new();
        if has(0) {
            entries.extend([Entry::stored("new", b"1"), Entry::stored("new2", b"1")]);
        }
        if has(1) {
            entries.push(Entry::stored("there", b"1"));
            folder.file("out/there", b"1");
        }
        if has(2) {
            entries.push(Entry::stored("re:named", b"1"));
        }
        if has(3) {
            entries.push(Entry::stored("other", b"1"));
            folder.file("out/other", b"2");
        }
        folder.file("in.zip", zip(&entries, b"").to_vec());
        let output = extract(&folder, &["in.zip", "-o", "out"]);
        let written = 2 * u32::from(has(0)) + u32::from(has(2));
        let mut expected = format!("{written} file{} written", if written == 1 { "" } else { "s" });
        for (bit, words) in [(1, "already there"), (2, "under another name"), (3, "not written")] {
            if has(bit) {
                expected += &format!(", 1 {words}");
            }
        }
        assert!(stderr(&output).ends_with(&format!("{expected}\n")), "{chosen}: {}", stderr(&output));
        let is_any = has(0) || has(1) || has(2);
        let status = if !has(3) { 0 } else { 2 - i32::from(is_any) };
        assert_eq!(code(&output), status, "{chosen}: {}", stderr(&output));
    }
}

/// Of files, no archive is entered, and nothing is what a pattern may find.
#[test]
fn patterns_that_find_nothing_are_reported_where_they_find_nothing() {
    let folder = Folder::new("extract-nothing");
    let inner = |name: &str| zip(&[Entry::stored(name, b"text")], b"").to_vec();
    let entries = [
        Entry::stored("1.zip", &inner("a.txt")),
        Entry::stored("2.zip", &inner("b.txt")),
        Entry::stored("c.txt", b"text, and no archive"),
    ];
    folder.file("o.zip", zip(&entries, b"").to_vec());
    let (no_match, no_member) = ("no member matches", "no member b.txt; nearest: a.txt");
    for (address, files, errors) in [
        ("*.none", &[][..], &[("o.zip", no_match)][..]),
        ("*.txt!/*", &[], &[("o.zip", no_match)]),
        ("*.zip!/*", &["1.zip/a.txt", "2.zip/b.txt"], &[]),
        ("*!/*", &["1.zip/a.txt", "2.zip/b.txt"], &[]),
        ("*!/b*", &["2.zip/b.txt"], &[("o.zip!/1.zip", no_match)]),
        ("*!/b.txt", &["2.zip/b.txt"], &[("o.zip!/1.zip", no_member)]),
        ("1.zip!/b*", &[], &[("o.zip!/1.zip", no_match)]),
        ("1.zip!/b.txt", &[], &[("o.zip!/1.zip", no_member)]),
        ("*!/*.none", &[], &[("o.zip!/1.zip", no_match), ("o.zip!/2.zip", no_match)]),
        ("c.txt!/*", &[], &[("o.zip!/c.txt", "")]),
    ] {
        let output = extract(&folder, &[&format!("o.zip!/{address}"), "-o", "out"]);
        let said = stderr(&output);
        assert_eq!(names(&folder.0.join("out")), files, "{address}: {said}");
        let found: Vec<&str> = said.lines().filter(|line| line.starts_with("meshpeek: ")).collect();
        assert_eq!(found.len(), errors.len(), "{address}: {said}");
        for (line, (place, message)) in found.iter().zip(errors) {
            assert!(line.starts_with(&format!("meshpeek: {place}: {message}")), "{address}: {said}");
        }
        let status = if errors.is_empty() { 0 } else { 2 - i32::from(!files.is_empty()) };
        assert_eq!(code(&output), status, "{address}: {said}");
        std::fs::remove_dir_all(folder.0.join("out")).unwrap();
    }
}
