use std::fs;
use std::time::{Duration, SystemTime};

use clap::Parser;
use meshpeek::container::Container;
use meshpeek::{Asset, Limits};

use super::*;
use crate::verbs::Cli;

const TIME: u32 = 1_600_000_000;

/// An archive with one member, `ours`.
fn archive(time: u32) -> Vec<u8> {
    let mut pbo = b"member\0".to_vec();
    for number in [0, 4, 0, time, 4] {
        pbo.extend(u32::to_le_bytes(number));
    }
    pbo.extend([0; 21]);
    pbo.extend(b"ours");
    pbo
}

fn common() -> Common {
    Cli::try_parse_from(["meshpeek", "limits"]).unwrap().common
}

fn seconds(seconds: u32) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into())
}

/// Writes the member of an archive to `file` below this folder. `meanwhile` runs before the file gets its name.
fn write(folder: &mut Folder<'_>, time: u32, meanwhile: impl Fn()) -> &'static str {
    let bytes = archive(time);
    let asset = Asset::parse_file(Path::new("x.pbo"), &bytes, &Limits::default()).unwrap();
    let container = Container::of(&asset).unwrap();
    let member = container.members().next().unwrap().unwrap();
    let budget = Budget::new(bytes.len() as u64, &Limits::default());
    let unchanged = || {
        meanwhile();
        Ok(())
    };
    match folder.write("file", &member, &budget, unchanged).unwrap() {
        Done::Written => "written",
        Done::Exists => "exists",
        Done::Lost(message) if message.ends_with(OTHER_CONTENT) => "other",
        Done::Lost(message) if message.ends_with(OWN) => "own",
        Done::Lost(message) if message.ends_with("is a folder") => "folder",
        Done::Lost(message) if message.ends_with("is an input") => "input",
        Done::Lost(message) => panic!("{message}"),
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum There {
    Nothing,
    File,
    Input,
    /// A file that this run has written for another member.
    Own,
    /// The file of another member, which an earlier run has written.
    Earlier,
    Folder,
    Link,
}

const ALL: [There; 7] =
    [There::Nothing, There::File, There::Input, There::Own, There::Earlier, There::Folder, There::Link];

/// What happens to the member, as `GUIDE.md` and `SECURITY.md` say it.
fn expected(there: There, content: &str, has_time: bool, time_is_same: bool, force: bool) -> &'static str {
    // The same command continues an interrupted run.
    let is_done = content.len() == 4 && if has_time { time_is_same } else { content == "ours" };
    match (there, force) {
        (There::Nothing, _) => "written",
        (There::Folder, _) => "folder",
        // Even if it has the same size, time and content: it stands for another member.
        (There::Own | There::Earlier, _) => "own",
        (There::Link, false) => "other",
        (There::Link | There::File, true) => "written",
        (There::Input, true) => "input",
        (There::File | There::Input, false) if is_done => "exists",
        (There::File | There::Input, false) => "other",
    }
}

#[test]
fn what_is_there_is_kept_or_replaced_as_stated() {
    let common = common();
    let mut seen = HashSet::new();
    for there in ALL {
        for content in ["ours", "them", "longer"] {
            for (has_time, time_is_same) in [(true, true), (true, false), (false, true), (false, false)] {
                for force in [false, true] {
                    if there == There::Link && cfg!(not(unix)) {
                        continue;
                    }
                    let case = format!("{there:?} {content} {has_time} {time_is_same} {force}");
                    let place = tempfile::tempdir().unwrap();
                    let path = place.path().join("file");
                    let mut folder = Folder::new(place.path(), force, Vec::new(), &common);
                    match there {
                        There::Nothing => {}
                        There::Folder => fs::create_dir(&path).unwrap(),
                        #[cfg(unix)]
                        There::Link => std::os::unix::fs::symlink("elsewhere", &path).unwrap(),
                        // On a system that takes two names for one, the first is already there.
                        There::Own => assert_eq!(write(&mut folder, 0, || {}), "written"),
                        There::Earlier => {
                            let mut earlier = Folder::new(place.path(), force, Vec::new(), &common);
                            let time = if has_time { TIME } else { 0 };
                            assert_eq!(write(&mut earlier, time, || {}), "written");
                            let again = if force { "written" } else { "exists" };
                            assert_eq!(write(&mut folder, time, || {}), again);
                        }
                        _ => fs::write(&path, content).unwrap(),
                    }
                    if matches!(there, There::File | There::Input | There::Own) {
                        let file = fs::File::options().append(true).open(&path).unwrap();
                        file.set_modified(seconds(if time_is_same { TIME } else { TIME + 60 })).unwrap();
                    }
                    if there == There::Input {
                        folder.inputs.push(FileId::of(&path).unwrap());
                    }
                    let before = fs::read(&path).ok();
                    let done = write(&mut folder, if has_time { TIME } else { 0 }, || {});
                    assert_eq!(done, expected(there, content, has_time, time_is_same, force), "{case}");
                    let after = if done == "written" { Some(b"ours".to_vec()) } else { before };
                    assert_eq!(fs::read(&path).ok(), after, "{case}");
                    assert_eq!(place.path().read_dir().unwrap().count(), 1, "{case}");
                    seen.insert(done);
                }
            }
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

/// Somebody else makes something of this name while the member is written.
#[test]
fn what_is_made_meanwhile_is_not_replaced_without_force() {
    let common = common();
    for force in [false, true] {
        for theirs in ["theirs", "them", "ours", ""] {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join("file");
            let mut folder = Folder::new(place.path(), force, Vec::new(), &common);
            let done = write(&mut folder, 0, || fs::write(&path, theirs).unwrap());
            assert_eq!(done, if force { "written" } else { "other" }, "{theirs} {force}");
            assert_eq!(fs::read_to_string(&path).unwrap(), if force { "ours" } else { theirs });
            assert_eq!(place.path().read_dir().unwrap().count(), 1);
        }
    }
}

/// A hard link to a file of this run is one too; a link that was there before is not followed.
#[cfg(unix)]
#[test]
fn other_names_of_a_written_file_are_known() {
    let common = common();
    for is_hard in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let (path, other) = (place.path().join("file"), place.path().join("other"));
        let mut folder = Folder::new(place.path(), true, Vec::new(), &common);
        assert_eq!(write(&mut folder, 0, || {}), "written");
        fs::rename(&path, &other).unwrap();
        match is_hard {
            true => fs::hard_link(&other, &path).unwrap(),
            false => std::os::unix::fs::symlink(&other, &path).unwrap(),
        }
        assert_eq!(write(&mut folder, 0, || {}), if is_hard { "own" } else { "written" });
        assert_eq!(fs::read(&other).unwrap(), b"ours");
    }
}

/// Files never get the path of another file or folder, in any case, and a folder gets one name.
#[test]
fn paths_are_unique_and_folders_stay_whole() {
    let common = common();
    let parts = ["a", "A", "a (2)", "b.x", "b"];
    let mut names = Vec::new();
    for first in parts {
        names.push(first.to_owned());
        for second in parts {
            names.push(format!("{first}/{second}"));
            names.extend(parts.map(|third| format!("{first}/{second}/{third}")));
        }
    }
    // Some orders of the same names.
    for step in [1, 2, 7, 11, 59, 83, 149] {
        let place = PathBuf::new();
        let mut folder = Folder::new(&place, false, Vec::new(), &common);
        let mut files: HashSet<String> = HashSet::new();
        let mut folders: HashMap<String, String> = HashMap::new();
        for index in 0..2 * names.len() {
            let name = &names[index * step % names.len()];
            let path = folder.free(name);
            assert!(files.insert(path.to_lowercase()), "{name}: {path}");
            let (name, path) = (name.to_lowercase(), path.to_lowercase());
            for (above, below) in std::iter::zip(name.match_indices('/'), path.match_indices('/')) {
                let (name, path) = (&name[..above.0], &path[..below.0]);
                let known = folders.entry(name.to_owned()).or_insert_with(|| path.to_owned());
                assert_eq!(known, path, "{name} in the order {step}");
            }
        }
        for file in &files {
            assert!(!folders.values().any(|folder| folder == file), "{file}");
        }
    }
}

#[test]
fn a_number_is_before_the_ending() {
    for (part, expected) in [
        ("config.cpp", "config (2).cpp"),
        ("a.b.c", "a.b (2).c"),
        ("a", "a (2)"),
        ("a.", "a (2)."),
        ("a..", "a. (2)."),
        (".a", ".a (2)"),
        (".a.b", ".a (2).b"),
        (".", ". (2)"),
        ("", " (2)"),
        ("é.ö", "é (2).ö"),
    ] {
        assert_eq!(numbered(part, 2), expected);
        assert_eq!(numbered(part, u32::MAX), expected.replace('2', "4294967295"));
    }
}

/// Content is read in pieces of 64 KiB.
#[test]
fn files_are_the_same_if_every_byte_and_the_length_are() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    let piece = 1 << 16;
    for length in [0, 1, piece - 1, piece, piece + 1, 2 * piece, 2 * piece + 1] {
        let content: Vec<u8> = (0..length).map(|place| (place % 251) as u8).collect();
        fs::write(&path, &content).unwrap();
        assert!(is_same(&path, &content).unwrap(), "{length}");
        assert!(!is_same(&path, &[&content[..], b"x"].concat()).unwrap(), "{length}");
        if length > 0 {
            assert!(!is_same(&path, &content[1..]).unwrap() && !is_same(&path, &content[..length - 1]).unwrap());
        }
        for changed in [0, 1, piece - 1, piece, 2 * piece - 1, 2 * piece].into_iter().filter(|&place| place < length) {
            let mut other = content.clone();
            other[changed] ^= 1;
            assert!(!is_same(&path, &other).unwrap(), "{changed} of {length}");
        }
    }
    assert!(is_same(&place.path().join("none"), b"").is_err());
    // What cannot be read is no other content.
    #[cfg(unix)]
    assert!(is_same(place.path(), b"x").is_err());
}

/// Folders on the way are made or used, and nothing else is followed or replaced.
#[test]
fn every_part_of_a_path_is_a_folder_of_its_own() {
    let common = common();
    for at in ["a", "a/b", "a/b/c"] {
        for there in ["nothing", "folder", "file", "link to a folder", "link to nothing"] {
            if there.starts_with("link") && cfg!(not(unix)) {
                continue;
            }
            let place = tempfile::tempdir().unwrap();
            let (out, elsewhere) = (place.path().join("out"), place.path().join("elsewhere"));
            fs::create_dir_all(out.join(at).parent().unwrap()).unwrap();
            fs::create_dir(&elsewhere).unwrap();
            match there {
                "folder" => fs::create_dir(out.join(at)).unwrap(),
                "file" => fs::write(out.join(at), "theirs").unwrap(),
                #[cfg(unix)]
                "link to a folder" => std::os::unix::fs::symlink(&elsewhere, out.join(at)).unwrap(),
                #[cfg(unix)]
                "link to nothing" => std::os::unix::fs::symlink(place.path().join("none"), out.join(at)).unwrap(),
                _ => {}
            }
            let mut folder = Folder::new(&out, true, Vec::new(), &common);
            let found = folder.folder_of("a/b/c/file").map_err(|(path, error)| (path, error.to_string()));
            let expected = match there {
                "nothing" | "folder" => Ok(out.join("a/b/c/file")),
                "file" => Err((out.join(at), "is not a folder".to_owned())),
                _ => Err((out.join(at), "is a link, which is not followed".to_owned())),
            };
            assert_eq!(found, expected, "{there} at {at}");
            let is_made = out.join("a/b/c").symlink_metadata().is_ok_and(|made| made.is_dir());
            assert_eq!(is_made, expected.is_ok(), "{there} at {at}");
            assert!(!out.join("a/b/c/file").exists() && elsewhere.read_dir().unwrap().next().is_none());
            assert!(!place.path().join("none").exists());
            // An error is no folder that is known to be there.
            let again = folder.folder_of("a/b/c/other").map_err(|(path, error)| (path, error.to_string()));
            assert_eq!(again, expected.map(|_| out.join("a/b/c/other")), "{there} at {at}");
        }
    }
}

/// A disk that is full ends the run. Any other error is that of one member.
#[test]
fn only_a_full_disk_ends_the_run() {
    for kind in [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::AlreadyExists,
        ErrorKind::PermissionDenied,
        ErrorKind::NotFound,
        ErrorKind::IsADirectory,
        ErrorKind::InvalidFilename,
        ErrorKind::Other,
    ] {
        let result = lost(Path::new("file"), io::Error::new(kind, "cause"));
        let is_full = matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let Ok(done) = result else {
            assert!(is_full, "{kind}");
            continue;
        };
        let Done::Lost(message) = done else { panic!("{kind}") };
        let expected = if kind == ErrorKind::AlreadyExists { OTHER_CONTENT } else { "cause" };
        assert!(!is_full && message == format!("file: {expected}"), "{kind}: {message}");
    }
}
