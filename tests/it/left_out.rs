//! What a scan leaves out of folders is counted.

use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::scan::{Found, Input, LeftOut, Scan, Selection};

use crate::support::program::Folder;

/// Scans a folder, with these changes to the selection. Returns the numbers of what is hidden or ignored, links, and folders
/// too deep.
fn left_out(folder: &Path, change: impl FnOnce(&mut Selection)) -> [u64; 3] {
    let mut scan = Scan::new([folder]);
    change(&mut scan.selection);
    scan.run(Input::Paths, |_| (), |_, _| ControlFlow::Continue(())).unwrap();
    let LeftOut { hidden_or_ignored, links, folders_too_deep, .. } = scan.progress.left_out();
    [hidden_or_ignored, links, folders_too_deep]
}

#[test]
fn each_file_and_folder_that_is_left_out_is_counted() {
    let place = Folder::new("left-out");
    for name in ["a.b3d", ".b.b3d", "c.pbo", "deep/d.b3d", "deep/er/e.b3d", "deep/.x.p3d", ".hidden/f.b3d", ".note"] {
        place.file(&format!("in/{name}"), "");
    }
    for name in [".git/g.b3d", "ignored/h.b3d"] {
        place.file(&format!("in/{name}"), "");
    }
    place.file("in/.ignore", "*.pbo\nignored\n");
    let folder = place.0.join("in");
    // `.b.b3d`, `c.pbo`, `.hidden`, `ignored` and `deep/.x.p3d`.
    assert_eq!(left_out(&folder, |_| ()), [5, 0, 0]);
    assert_eq!(left_out(&folder, |selection| selection.hidden = true), [2, 0, 0]);
    assert_eq!(left_out(&folder, |selection| selection.ignored = true), [3, 0, 0]);
    let all = |selection: &mut Selection| (selection.hidden, selection.ignored) = (true, true);
    assert_eq!(left_out(&folder, all), [0, 0, 0]);
    for (most, expected) in [(0, [0, 0, 1]), (1, [4, 0, 1]), (2, [5, 0, 1]), (3, [5, 0, 0])] {
        assert_eq!(left_out(&folder, |selection| selection.folder_depth = Some(most)), expected, "{most}");
    }
    assert_eq!(left_out(&folder.join("a.b3d"), |_| ()), [0, 0, 0]);
}

/// Not only formats, but also configs have names of their own.
#[test]
fn names_of_configs_are_counted() {
    let place = Folder::new("left-out-configs");
    for name in [".a.rvmat", ".config.cpp", ".b.bin", ".mission.sqm", ".c.txt", ".note", ".d.cpp"] {
        place.file(&format!("in/{name}"), "");
    }
    assert_eq!(left_out(&place.0.join("in"), |_| ()), [3, 0, 0]);
}

/// Folders that no pattern excludes are entered, and may be hidden.
#[test]
fn what_a_pattern_excludes_is_not_counted() {
    let place = Folder::new("left-out-patterns");
    for name in ["a.b3d", ".b.b3d", ".c.lod", "d.pbo", "sub/.e.lod"] {
        place.file(&format!("in/{name}"), "");
    }
    let with = |globs: &[&str]| {
        let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
        left_out(&place.0.join("in"), |selection| selection.globs = globs)
    };
    assert_eq!(with(&[]), [3, 0, 0]);
    assert_eq!(with(&["!*.lod"]), [1, 0, 0]);
    // A pattern includes hidden files, too.
    assert_eq!(with(&["*.lod"]), [0, 0, 0]);
    assert_eq!(with(&["!sub"]), [2, 0, 0]);
}

/// A pattern may match members of archives, which are opened although it does not match them.
#[test]
fn archives_that_may_contain_what_a_pattern_includes_are_counted() {
    let place = Folder::new("left-out-archives");
    for name in ["a.pbo", ".b.pbo", "ignored.zip", "c.lod", ".d.b3d"] {
        place.file(&format!("in/{name}"), "");
    }
    place.file("in/.ignore", "*.zip\n");
    for (glob, expected) in [("*.lod", 2), ("*.pbo", 1), ("!*.zip", 2), ("*.none", 2)] {
        let change = |selection: &mut Selection| selection.globs = vec![glob.to_owned()];
        assert_eq!(left_out(&place.0.join("in"), change), [expected, 0, 0], "{glob}");
    }
}

/// A folder that is reported is not left out without a word, and each folder of a list has its numbers.
#[test]
fn folders_with_too_large_ignore_files_are_errors() {
    let place = Folder::new("left-out-oversized");
    place.file("in/large/.ignore", "x\n".repeat(100_000));
    place.file("in/large/.a.b3d", "");
    place.file("in/.b.b3d", "");
    let mut folders = [Ok(place.0.join("in")), Ok(place.0.join("in"))].into_iter();
    let scan = Scan::new([""; 0]);
    let mut errors = 0;
    let count = |found, _| {
        errors += u64::from(matches!(found, Found::Unreadable(_)));
        ControlFlow::Continue(())
    };
    scan.run(Input::List(&mut folders), |_| (), count).unwrap();
    assert_eq!((errors, scan.progress.left_out().hidden_or_ignored), (2, 2));
}

#[cfg(unix)]
#[test]
fn links_are_counted_unless_they_are_followed() {
    use std::os::unix::fs::symlink;
    let place = Folder::new("left-out-links");
    place.file("other/a.b3d", "");
    place.file("in/b.b3d", "");
    let folder = place.0.join("in");
    symlink("../other", folder.join("folder")).unwrap();
    symlink("../other/a.b3d", folder.join("file.b3d")).unwrap();
    symlink("../other/a.b3d", folder.join(".hidden.b3d")).unwrap();
    assert_eq!(left_out(&folder, |_| ()), [1, 2, 0]);
    assert_eq!(left_out(&folder, |selection| selection.follow = true), [1, 0, 0]);
    // One that is named is followed in any case.
    let named = place.0.join("named");
    symlink("in", &named).unwrap();
    assert_eq!(left_out(&named, |_| ()), [1, 2, 0]);
    // One that leads nowhere is an error if it is followed.
    symlink("nowhere", folder.join("broken.b3d")).unwrap();
    assert_eq!(left_out(&folder, |selection| selection.follow = true), [1, 0, 0]);
}
