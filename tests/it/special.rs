//! Files that are not regular, named and found, and files that make a walk skip others.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::files::root;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("meshpeek-special-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::copy(root().join("corpus/b3d/triangle.b3d"), path.join("a.b3d")).unwrap();
        Self(path)
    }

    fn pipe(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn scan(paths: &[&Path]) -> Output {
    crate::support::program::built().args(["scan", "-j1"]).args(paths).output().unwrap()
}

fn records(output: &Output) -> usize {
    output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_pipe_found_in_a_folder_is_passed_over() {
    let folder = Folder::new("found");
    let pipe = folder.pipe("b.b3d");
    std::os::unix::fs::symlink(&pipe, folder.0.join("c.b3d")).unwrap();
    let output = scan(&[&folder.0]);
    assert_eq!((records(&output), output.status.code()), (1, Some(0)), "{}", errors(&output));
}

#[test]
fn a_pipe_that_is_named_is_read() {
    let folder = Folder::new("named");
    let pipe = folder.pipe("b.b3d");
    let bytes = std::fs::read(folder.0.join("a.b3d")).unwrap();
    std::thread::scope(|scope| {
        // Waits until the program opens the other end.
        scope.spawn(|| File::options().write(true).open(&pipe).unwrap().write_all(&bytes).unwrap());
        let output = scan(&[&pipe]);
        assert_eq!((records(&output), output.status.code()), (1, Some(0)), "{}", errors(&output));
    });
}

#[test]
fn a_named_pipe_without_a_writer_delays_a_scan_only_briefly() {
    let folder = Folder::new("silent");
    let pipe = folder.pipe("b.b3d");
    let output = scan(&[&pipe, &folder.0.join("a.b3d")]);
    assert_eq!((records(&output), output.status.code()), (1, Some(1)), "{}", errors(&output));
    assert!(errors(&output).contains("b.b3d: nothing is writing to this pipe"), "{}", errors(&output));
}

#[test]
fn folders_whose_ignore_files_could_cost_too_much_are_reported_and_skipped() {
    let folder = Folder::new("ignore");
    for inner in ["pipe", "large", "outer/inner", "small"] {
        std::fs::create_dir_all(folder.0.join(inner)).unwrap();
        std::fs::copy(folder.0.join("a.b3d"), folder.0.join(inner).join("b.b3d")).unwrap();
    }
    folder.pipe("pipe/.gitignore");
    std::fs::write(folder.0.join("large/.ignore"), [b'\n'; 200_000]).unwrap();
    std::fs::write(folder.0.join("outer/.ignore"), [b'\n'; 100_000]).unwrap();
    std::fs::write(folder.0.join("outer/inner/.ignore"), [b'\n'; 100_000]).unwrap();
    std::fs::write(folder.0.join("small/.ignore"), [b'\n'; 100_000]).unwrap();
    let output = scan(&[&folder.0]);
    assert_eq!((records(&output), output.status.code()), (2, Some(1)), "{}", errors(&output));
    for passed_over in ["pipe/.gitignore", "large/.ignore", "outer/inner/.ignore"] {
        assert!(errors(&output).contains(passed_over), "{}", errors(&output));
    }
    let mut all = crate::support::program::built();
    let output = all.args(["scan", "--no-ignore"]).arg(&folder.0).output().unwrap();
    assert_eq!((records(&output), output.status.code()), (5, Some(0)), "{}", errors(&output));
}
