//! What a scan leaves out of folders is counted.

use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::scan::{Input, LeftOut, Scan, Selection};

use crate::support::program::Folder;

/// What a scan of a folder leaves out, with these changes to its selection: hidden or ignored, links, too deep.
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
}
