//! `diff git:REV:PATH`: files and folders of a git repository.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::program::{Folder, code, lines, program, stderr, stdout};
use crate::writer::b3d;
use crate::writer::zip::Entry;

fn scene(names: &[&str]) -> Vec<u8> {
    b3d::scene(names.iter().map(|name| b3d::node(name, []))).to_vec()
}

/// Git without the settings of the user.
fn git_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]);
    git.args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", folder.join("none"));
    git
}

fn diff_in(folder: &Path, arguments: &[&str]) -> Output {
    program().current_dir(folder).arg("diff").args(arguments).output().unwrap()
}

struct Repository(Folder);

impl Repository {
    /// `None` without git.
    fn new(name: &str) -> Option<Self> {
        Self::with_ids(name, "sha1")
    }

    /// One with ids of this kind. `None` if git has none of these.
    fn with_ids(name: &str, kind: &str) -> Option<Self> {
        let folder = Folder::new(name);
        let init = git_in(&folder.0, &["init", "-q", &format!("--object-format={kind}")]).status();
        if !init.is_ok_and(|status| status.success()) {
            println!("skipped: no git, or one without ids of {kind}");
            return None;
        }
        Some(Self(folder))
    }

    fn git(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut git = git_in(&self.0.0, arguments);
        let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        git.stdin.take().unwrap().write_all(input).unwrap();
        let output = git.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self) {
        self.git(&["add", "-A"], b"");
        self.git(&["commit", "-q", "-m", "files"], b"");
    }

    fn blob(&self, content: &[u8]) -> String {
        self.git(&["hash-object", "-w", "--stdin"], content)
    }

    /// Makes a tree of entries with any names. Ids of trees begin with `/`.
    fn tree<'n>(&self, entries: impl IntoIterator<Item = (&'n [u8], String)>) -> String {
        let mut text = Vec::new();
        for (name, id) in entries {
            match id.strip_prefix('/') {
                Some(id) => write!(text, "040000 tree {id}\t").unwrap(),
                None => write!(text, "100644 blob {id}\t").unwrap(),
            }
            text.extend(name);
            text.push(0);
        }
        self.git(&["mktree", "-z"], &text)
    }

    /// Makes a tree of files, whose folders are one deep.
    fn files(&self, files: &[(&[u8], Vec<u8>)]) -> String {
        let mut entries = Vec::new();
        for (path, content) in files {
            let blob = self.blob(content);
            match path.iter().position(|byte| *byte == b'/') {
                None => entries.push((*path, blob)),
                Some(slash) => {
                    let folder = self.tree([(&path[slash + 1..], blob)]);
                    entries.push((&path[..slash], format!("/{folder}")));
                }
            }
        }
        self.tree(entries)
    }

    fn diff(&self, arguments: &[&str]) -> Output {
        diff_in(&self.0.0, arguments)
    }
}

#[test]
fn revisions_are_compared_as_folders_and_files() {
    let Some(repository) = Repository::new("git") else { return };
    let folder = &repository.0;
    folder.file("mod/a.b3d", scene(&["one"]));
    folder.file("mod/same.b3d", scene(&["same"]));
    folder.file("mod/old.b3d", scene(&["moved"]));
    repository.commit();
    repository.git(&["tag", "first"], b"");
    folder.file("mod/a.b3d", scene(&["one", "two"]));
    std::fs::rename(folder.0.join("mod/old.b3d"), folder.0.join("mod/new.b3d")).unwrap();
    repository.commit();
    let text = |arguments: &[&str]| {
        let output = repository.diff(arguments);
        assert_eq!(code(&output), 1, "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    };
    let trees = text(&["git:first:mod", "git:HEAD:mod"]);
    assert!(trees.contains("a.b3d") && trees.contains("two"), "{trees}");
    assert!(trees.contains("old.b3d") && trees.contains("new.b3d") && !trees.contains("same.b3d"), "{trees}");
    // A folder is as good as the tree that it was checked out from.
    assert_eq!(text(&["git:first:mod", "mod"]), trees);
    assert_eq!(code(&repository.diff(&["git:HEAD:mod", "mod"])), 0);
    assert_eq!(code(&repository.diff(&["git:HEAD", "."])), 0);
    let files = text(&["git:first:mod/a.b3d", "mod/a.b3d"]);
    assert!(files.contains("added    nodes/1 (two)"), "{files}");
    assert!(text(&["git:first:mod", "git:HEAD:mod", "--stat"]).contains("a.b3d"));
    // A colon in braces belongs to the revision.
    assert_eq!(text(&["git:HEAD^{/:?files}~1:mod", "git:HEAD:mod"]), trees);
    for (side, said) in [
        ("git:none:mod", "git does not know this revision"),
        ("git:HEAD:none", "this revision has no such path"),
        ("git:HEAD:mod/none/none", "this revision has no such path"),
        ("git:HEAD:mod/a.b3d/none", "this revision has no such path"),
        ("git:--help:x", "git does not know this revision"),
        ("git:HEAD:mod/a.b3d", "is a folder"),
    ] {
        let output = repository.diff(&[side, "mod"]);
        assert_eq!(code(&output), 2, "{side}");
        assert!(stderr(&output).contains(said), "{side}: {}", stderr(&output));
    }
    let output = diff_in(&std::env::temp_dir(), &["git:HEAD:mod", "."]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("git cannot read the repository: "), "{}", stderr(&output));
}

/// A partial clone whose configuration names a program wherever it can.
#[cfg(unix)]
struct Partial {
    folder: PathBuf,
    marker: PathBuf,
}

#[cfg(unix)]
impl Partial {
    /// Clones with these arguments and reads the objects of these names, which git then has.
    fn new(repository: &Repository, name: &str, arguments: &[&str], read: &[&str]) -> Self {
        let parent = &repository.0.0;
        let address = format!("file://{}", parent.display());
        let clone = [&["clone", "-q", "--bare"], arguments, &[&address, name]].concat();
        repository.git(&clone, b"");
        let folder = parent.join(name);
        let git = |arguments: &[&str]| {
            let output = git_in(&folder, arguments).output().unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        };
        for name in read {
            git(&["cat-file", "-t", name]);
        }
        let marker = parent.join(format!("{name}-ran"));
        let text = format!("#!/bin/sh\n: > '{}'\nexec git-upload-pack \"$@\"\n", marker.display());
        let program = repository.0.file(&format!("{name}-program"), text);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, mode).unwrap();
        let program = program.to_str().unwrap();
        for key in [
            "remote.origin.uploadpack",
            "core.fsmonitor",
            "core.pager",
            "core.sshCommand",
            "core.gitProxy",
            "core.askPass",
            "core.alternateRefsCommand",
            "pager.rev-parse",
            "pager.cat-file",
            "diff.external",
            "credential.helper",
        ] {
            git(&["config", key, program]);
        }
        for key in ["alias.rev-parse", "alias.cat-file"] {
            git(&["config", key, &format!("!{program}")]);
        }
        for key in ["protocol.allow", "protocol.file.allow", "protocol.ext.allow"] {
            git(&["config", key, "always"]);
        }
        Self { folder, marker }
    }

    /// Returns the result of `diff`, which has ended with status 2 and started nothing.
    fn diff(&self, arguments: &[&str]) -> (String, String) {
        let output = diff_in(&self.folder, arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {} {}", stdout(&output), stderr(&output));
        assert!(!self.marker.exists(), "{arguments:?}");
        (stdout(&output), stderr(&output))
    }

    /// Git itself, which fetches the object, starts the program.
    fn is_armed(&self, missing: &str) {
        let _ = git_in(&self.folder, &["cat-file", "-t", missing]).output().unwrap();
        assert!(self.marker.exists());
    }
}

#[cfg(unix)]
fn cloned() -> Option<Repository> {
    let repository = Repository::new("git-partial")?;
    for version in ["one", "two"] {
        repository.0.file("mod/a.b3d", scene(&["a", version]));
        repository.0.file("mod/b.b3d", scene(&["b", version]));
        repository.0.file("mod/deep/c.b3d", scene(&["c", version]));
        repository.0.file("top.b3d", scene(&["top", version]));
        repository.commit();
    }
    repository.git(&["config", "uploadpack.allowFilter", "true"], b"");
    repository.git(&["config", "uploadpack.allowAnySHA1InWant", "true"], b"");
    Some(repository)
}

#[cfg(unix)]
#[test]
fn files_that_a_partial_clone_lacks_are_missing_and_not_fetched() {
    let Some(repository) = cloned() else { return };
    let there = ["HEAD:mod/b.b3d", "HEAD~1:mod/b.b3d"];
    let partial = Partial::new(&repository, ".blobs", &["--filter=blob:none"], &there);
    let (text, notes) = partial.diff(&["git:HEAD~1:mod", "git:HEAD:mod"]);
    assert!(text.contains("b.b3d\n  changed  nodes/1/name (one)  \"one\" -> \"two\"\n"), "{text}");
    let missing = "git does not have this object (a partial clone?)";
    assert!(text.contains(&format!("a.b3d\n  changed  problems  \"{missing}\" -> \"{missing}\"\n")), "{text}");
    for side in ["HEAD~1:mod", "HEAD:mod"] {
        let message =
            format!("git:{side}: git does not have 2 objects of this tree (a partial clone?): a.b3d, deep/c.b3d\n");
        assert!(notes.contains(&message), "{notes}");
    }
    // An output file has the part that was compared.
    partial.diff(&["git:HEAD~1:mod", "git:HEAD:mod", "-o", "out.ndjson"]);
    let written = std::fs::read_to_string(partial.folder.join("out.ndjson")).unwrap();
    assert!(written.contains(r#""path":"b.b3d""#), "{written}");
    // Against a folder, too.
    let (text, notes) = partial.diff(&["git:HEAD:mod", "../mod"]);
    assert!(text.contains(missing) && !text.contains("b.b3d"), "{text}");
    assert!(notes.contains("git does not have 2 objects"), "{notes}");
    let (text, notes) = partial.diff(&["git:HEAD~1:mod/a.b3d", "git:HEAD:mod/a.b3d"]);
    assert_eq!(text, "");
    assert!(notes.contains("git:HEAD~1:mod/a.b3d: git does not have this object, "), "{notes}");
    // What is there has no need of the rest.
    let output = diff_in(&partial.folder, &["git:HEAD~1:mod/b.b3d", "git:HEAD:mod/b.b3d"]);
    assert_eq!((code(&output), stderr(&output)), (1, String::new()));
    partial.is_armed("HEAD:mod/a.b3d");
}

#[cfg(unix)]
#[test]
fn folders_that_a_partial_clone_lacks_are_missing_and_not_fetched() {
    let Some(repository) = cloned() else { return };
    // The first tree and its files, of the folders nothing.
    let partial = Partial::new(&repository, ".folders", &["--filter=tree:1"], &["HEAD:top.b3d"]);
    let (text, notes) = partial.diff(&["git:HEAD~1:", "git:HEAD:"]);
    assert!(text.contains("top.b3d") && !text.contains("mod/"), "{text}");
    assert!(notes.contains("git:HEAD:: git does not have 1 object of this tree (a partial clone?): mod\n"), "{notes}");
    // The files of the other side are not called added.
    let (text, notes) = partial.diff(&["git:HEAD:", ".."]);
    assert_eq!(text, "");
    assert!(notes.contains("git does not have 1 object"), "{notes}");
    assert!(notes.contains("3 files not compared: their folders on the other side cannot be read"), "{notes}");
    for (side, said) in [
        ("git:HEAD:mod", "git does not have this object, "),
        ("git:HEAD:mod/a.b3d", "git does not have the folder mod (a partial clone?)"),
        ("git:HEAD:mod/deep/c.b3d", "git does not have the folder mod (a partial clone?)"),
    ] {
        let (text, notes) = partial.diff(&[side, "../mod"]);
        assert_eq!(text, "");
        assert!(notes.contains(&format!("{side}: {said}")), "{notes}");
    }
    partial.is_armed("HEAD:mod");
}

#[cfg(unix)]
#[test]
fn commits_and_first_trees_that_a_partial_clone_lacks_are_missing_and_not_fetched() {
    let Some(repository) = cloned() else { return };
    let partial = Partial::new(&repository, ".trees", &["--filter=tree:0", "--depth=1"], &[]);
    let before = repository.git(&["rev-parse", "HEAD~1"], b"");
    let no_files = "git does not have the files of this revision (a partial clone?)";
    for (side, said) in [
        ("git:HEAD", no_files),
        ("git:HEAD:mod", no_files),
        ("git:HEAD:mod/a.b3d", no_files),
        ("git:HEAD~1", "git does not know this revision, or does not have its commits (a shallow or partial clone?)"),
        (&format!("git:{before}"), &format!("git does not have the commit {before} (a partial clone?)")),
        (&format!("git:{before}:mod"), &format!("git does not have the commit {before} (a partial clone?)")),
    ] {
        let (text, notes) = partial.diff(&[side, "../mod"]);
        assert_eq!(text, "");
        assert!(notes.contains(&format!("{side}: {said}")), "{side}: {notes}");
    }
    partial.is_armed("HEAD:mod");
}

/// Paths of changes, as they are in the tree.
fn changed(repository: &Repository, a: &str, b: &str) -> Vec<(String, String)> {
    let output = repository.diff(&[&format!("git:{a}"), &format!("git:{b}"), "--format", "ndjson"]);
    let found = lines(&output);
    assert_eq!(code(&output), i32::from(!found.is_empty()), "{}", stderr(&output));
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    found.iter().map(|line| (text(&line["change"]), text(&line["path"]))).collect()
}

#[test]
fn names_of_a_tree_that_are_alike_elsewhere_are_kept_apart() {
    let Some(repository) = Repository::new("git-names") else { return };
    let long = ["1", "2"].map(|end| format!("{}{end}.b3d", "n".repeat(3_000)));
    let pairs: [[&[u8]; 2]; 8] = [
        [br"a\b.b3d", b"a/b.b3d"],
        [b"x\n.b3d", b"x%0A.b3d"],
        [long[0].as_bytes(), long[1].as_bytes()],
        [b"a", br"a\b.b3d"],
        [b"case.b3d", b"CASE.b3d"],
        [b"\xff.b3d", br"\xff.b3d"],
        [b"con.b3d", b"con .b3d"],
        [b"..b3d", b"%2E.b3d"],
    ];
    for pair in pairs {
        let [one, two] = pair.map(|name| String::from_utf8(name.to_vec()).unwrap_or(r"\xff.b3d".to_owned()));
        let make = |contents: [&[&str]; 2]| {
            let mut files = Vec::new();
            for (name, nodes) in std::iter::zip(pair, contents) {
                if !nodes.is_empty() {
                    files.push((name, scene(nodes)));
                }
            }
            repository.files(&files)
        };
        let both = make([&["one"], &["two"]]);
        let added = |name: &String| vec![("added".to_owned(), name.clone())];
        assert_eq!(changed(&repository, &both, &make([&["one", "new"], &["two"]])), added(&one));
        assert_eq!(changed(&repository, &both, &make([&["one"], &["two", "new"]])), added(&two));
        let mut two_changes = changed(&repository, &both, &make([&["one", "new"], &["two", "other"]]));
        two_changes.sort();
        let mut expected = [added(&one), added(&two)].concat();
        expected.sort();
        assert_eq!(two_changes, expected);
        // One changes and the other is removed: the name decides, not the order.
        for (contents, removed, kept) in
            [([&["one", "new"][..], &[]], &two, &one), ([&[], &["two", "new"]], &one, &two)]
        {
            let mut found = changed(&repository, &both, &make(contents));
            found.sort();
            assert_eq!(found, [("added".to_owned(), kept.clone()), ("removed".to_owned(), removed.clone())]);
        }
        assert_eq!(changed(&repository, &both, &make([&["one"], &[]])), [("removed".to_owned(), two.clone())]);
        assert_eq!(changed(&repository, &both, &both), []);
    }
}

#[test]
fn lists_of_files_are_within_the_limits() {
    let Some(repository) = Repository::new("git-many") else { return };
    let mut tree = repository.blob(b"x");
    for _ in 0..3 {
        let names: Vec<String> = (0..216).map(|number| format!("{number}.b3d")).collect();
        let inner = tree.clone();
        tree = repository.tree(names.iter().map(|name| (name.as_bytes(), inner.clone())));
        tree.insert(0, '/');
    }
    let many = &format!("git:{}", &tree[1..]);
    let small = &format!("git:{}", repository.files(&[(b"a.b3d", scene(&["a"]))]));
    let other = &format!("git:{}", repository.files(&[(b"a.b3d", scene(&["b"]))]));
    let empty = &format!("git:{}", repository.tree([]));
    let list = |limit| {
        format!(
            "the list of its files takes more than {limit} bytes, the limit for decoded data; \
                                --max-decoded raises it"
        )
    };
    for (a, b, arguments, said) in [
        (
            many,
            empty,
            &[][..],
            "has 10,124,568 files and folders, more than the limit of 4,000,000; \
                                --max-archive-members raises it"
                .to_owned(),
        ),
        (many, empty, &["--max-archive-members", "20000000"], list("268,435,456")),
        (small, empty, &["--max-archive-members", "0"], "has 1 files and folders, more than the limit of 0".to_owned()),
        (small, empty, &["--max-decoded", "100"], list("100")),
        // Both lists fit, and what is remembered of each file that differs does not.
        (small, other, &["--max-decoded", "500"], list("500")),
    ] {
        let output = repository.diff(&[&[a.as_str(), b], arguments].concat());
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}");
        assert!(stderr(&output).contains(&said), "{arguments:?}: {}", stderr(&output));
    }
    assert_eq!(code(&repository.diff(&[small, other, "--max-archive-members", "1"])), 1);
}

/// Git does not compare the content of an object with its id.
#[test]
fn a_tree_that_contains_itself_is_an_error() {
    let Some(repository) = Repository::new("git-loop") else { return };
    let inner = repository.files(&[(b"a.b3d", scene(&["a"]))]);
    let outer = repository.tree([(&b"folder"[..], format!("/{inner}"))]);
    let path = |id: &str| repository.0.0.join(".git/objects").join(&id[..2]).join(&id[2..]);
    std::fs::remove_file(path(&inner)).unwrap();
    std::fs::copy(path(&outer), path(&inner)).unwrap();
    let output = repository.diff(&[&format!("git:{outer}"), "."]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains(&format!("the tree {inner} contains itself")), "{}", stderr(&output));
}

/// Commits two versions of a folder.
fn two_versions(repository: &Repository) {
    for version in ["one", "two"] {
        repository.0.file("mod/a.b3d", scene(&["a", version]));
        repository.0.file("mod/deep/b.b3d", scene(&["b", version]));
        repository.commit();
    }
}

#[test]
fn ids_of_both_kinds_name_commits_trees_and_files() {
    for (kind, digits) in [("sha1", 40), ("sha256", 64)] {
        let Some(repository) = Repository::with_ids("git-ids", kind) else { continue };
        two_versions(&repository);
        let id = |name: &str| repository.git(&["rev-parse", name], b"");
        for (now, before, side) in
            [("HEAD:mod", "HEAD~1:mod", "mod"), ("HEAD^{tree}", "HEAD~1^{tree}", "."), ("HEAD", "HEAD~1", ".")]
        {
            let [now, before] = [now, before].map(id);
            assert_eq!(now.len(), digits);
            for length in [digits, 12] {
                let [now, before] = [&now[..length], &before[..length]];
                assert_eq!(code(&repository.diff(&[&format!("git:{now}"), side])), 0, "{kind} {now}");
                assert_eq!(code(&repository.diff(&[&format!("git:{before}"), side])), 1, "{kind} {before}");
                let found = changed(&repository, before, now);
                assert_eq!(found.len(), 2, "{kind} {before} {now}: {found:?}");
            }
        }
        let files = ["git:HEAD~1:mod/a.b3d", "git:HEAD:mod/a.b3d"];
        let output = repository.diff(&files);
        assert!(code(&output) == 1 && stdout(&output).contains("nodes/1"), "{}", stdout(&output));
        // Git takes any id of its kind for one that it may have.
        let none = "1".repeat(digits);
        for (side, said) in [
            (format!("git:{none}"), format!("git does not have the commit {none} (a partial clone?)")),
            (format!("git:{none}:mod"), format!("git does not have the commit {none} (a partial clone?)")),
            (format!("git:{}:mod", &none[1..]), "git does not know this revision".to_owned()),
        ] {
            let output = repository.diff(&[&side, "mod"]);
            let text = stderr(&output);
            assert!(code(&output) == 2 && text.contains(&format!("{side}: {said}")), "{kind}: {text}");
        }
    }
}

#[test]
fn every_name_of_git_for_a_file_or_folder_is_taken() {
    let Some(repository) = Repository::new("git-names-of-revisions") else { return };
    two_versions(&repository);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "fix: a {brace} and a } alone"], b"");
    for branch in ["a}b", "c}}d", "e-f", "g/h"] {
        repository.git(&["branch", branch], b"");
    }
    let revisions = [
        "HEAD",
        "@",
        "main",
        "refs/heads/main",
        "HEAD@{0}",
        "main@{0}",
        "@{0}",
        "HEAD^{commit}",
        "HEAD^{tree}",
        "HEAD^{}",
        "HEAD~0^{}",
        "HEAD^{/fix}",
        "HEAD^{/fix: a}",
        "HEAD^{/a:b|fix: a}",
        // Of a branch with a brace that closes none.
        "a}b",
        "c}}d",
        "c}}d^{/fix: a}",
        "e-f",
        "g/h",
        // The index.
        "",
        ":0",
    ];
    let blob = repository.git(&["rev-parse", "HEAD:mod/a.b3d"], b"");
    for revision in revisions {
        let of_git = repository.git(&["rev-parse", "--verify", &format!("{revision}:mod/a.b3d")], b"");
        assert_eq!(of_git, blob, "{revision}");
        // The index has no folders.
        let has_folders = !matches!(revision, "" | ":0");
        for (path, side) in [(":mod/a.b3d", "mod/a.b3d"), (":mod/", "mod"), ("", ".")] {
            if has_folders || path == ":mod/a.b3d" {
                let output = repository.diff(&[&format!("git:{revision}{path}"), side]);
                assert_eq!(code(&output), 0, "{revision}{path}: {}", stderr(&output));
            }
        }
    }
}

/// A path that is there is a path, even if a revision has its name.
#[cfg(unix)]
#[test]
fn files_and_folders_go_before_the_revisions_of_their_names() {
    let Some(repository) = Repository::new("git-or-file") else { return };
    two_versions(&repository);
    for (name, below) in [
        ("git:HEAD", "/mod/a.b3d"),
        ("git:HEAD:", "/mod/a.b3d"),
        ("git:HEAD:mod", "/a.b3d"),
        ("git:HEAD:mod/a.b3d", ""),
        ("git:none", "/a.b3d"),
        ("git:a.b3d", ""),
    ] {
        let other = Folder::new("git-or-file-other");
        let other_side = other.0.join("side.b3d");
        other.file(&format!("side.b3d{below}"), scene(&["there"]));
        let sides = [name, other_side.to_str().unwrap()];
        assert_ne!(code(&repository.diff(&sides)), 0, "{name}");
        repository.0.file(&format!("{name}{below}"), scene(&["there"]));
        for [a, b] in [sides, [sides[1], sides[0]]] {
            let output = repository.diff(&[a, b]);
            assert_eq!(code(&output), 0, "{a} {b}: {}{}", stdout(&output), stderr(&output));
        }
        let made = repository.0.0.join(name.split('/').next().unwrap());
        if made.is_dir() { std::fs::remove_dir_all(made) } else { std::fs::remove_file(made) }.unwrap();
    }
}

/// Every mode that an entry of a tree may have, and the kind of its object. `None` is an entry that is not there.
const MODES: [Option<(&str, &str)>; 6] = [
    None,
    Some(("100644", "blob")),
    Some(("100755", "blob")),
    Some(("120000", "blob")),
    Some(("160000", "commit")),
    Some(("040000", "tree")),
];

#[test]
fn files_alone_are_compared_whatever_an_entry_was_or_becomes() {
    let Some(repository) = Repository::new("git-modes") else { return };
    two_versions(&repository);
    let commits = ["HEAD~1", "HEAD"].map(|name| repository.git(&["rev-parse", name], b""));
    let mut trees = [Vec::new(), Vec::new()];
    let mut expected = Vec::new();
    for (a, mode_a) in MODES.iter().enumerate() {
        for (b, mode_b) in MODES.iter().enumerate() {
            let name = format!("{a}{b}.b3d");
            // The paths of files on each side.
            let mut files = [None, None];
            for (side, mode) in [mode_a, mode_b].into_iter().enumerate() {
                let Some((mode, kind)) = mode else { continue };
                let content = scene(&[["before", "after"][side], &name]);
                let blob = repository.blob(&content);
                let id = match *kind {
                    "tree" => repository.tree([(&b"in.b3d"[..], blob)]),
                    "commit" => commits[side].clone(),
                    _ => blob,
                };
                trees[side].extend(format!("{mode} {kind} {id}\t{name}\0").bytes());
                files[side] = match *mode {
                    "040000" => Some(format!("{name}/in.b3d")),
                    "100644" | "100755" => Some(name.clone()),
                    _ => None,
                };
            }
            let [before, after] = files;
            match (before, after) {
                (Some(before), Some(after)) if before == after => expected.push(("changed".to_owned(), before)),
                (before, after) => {
                    expected.extend(before.map(|path| ("removed".to_owned(), path)));
                    expected.extend(after.map(|path| ("added".to_owned(), path)));
                }
            }
        }
    }
    let [a, b] = trees.map(|entries| repository.git(&["mktree", "-z"], &entries));
    for (a, b, from, to) in [(&a, &b, "removed", "added"), (&b, &a, "added", "removed")] {
        let mut expected: Vec<(String, String)> = expected
            .iter()
            .map(|(change, path)| match change.as_str() {
                "removed" => (from.to_owned(), path.clone()),
                "added" => (to.to_owned(), path.clone()),
                _ => (change.clone(), path.clone()),
            })
            .collect();
        expected.sort();
        let mut found = changed(&repository, a, b);
        found.sort();
        assert_eq!(found, expected);
    }
    // The links and submodules of one tree have no files of their own.
    let only: Vec<u8> = [("120000", "blob", repository.blob(b"mod")), ("160000", "commit", commits[0].clone())]
        .iter()
        .flat_map(|(mode, kind, id)| format!("{mode} {kind} {id}\t{mode}.b3d\0").into_bytes())
        .collect();
    let only = repository.git(&["mktree", "-z"], &only);
    assert_eq!(changed(&repository, &only, &repository.tree([])), []);
    for name in ["120000.b3d", "160000.b3d"] {
        let output = repository.diff(&[&format!("git:{only}:{name}/x"), "mod"]);
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
    }
}

#[test]
fn objects_that_replace_others_are_not_read() {
    let Some(repository) = Repository::new("git-replace") else { return };
    two_versions(&repository);
    let sides = [["git:HEAD:mod/a.b3d", "mod/a.b3d"], ["git:HEAD:mod", "mod"], ["git:HEAD", "."]];
    let old = ["git:HEAD~1", "git:HEAD"];
    let before = stdout(&repository.diff(&old));
    assert!(before.contains("a.b3d") && before.contains("deep/b.b3d"), "{before}");
    for name in ["mod/deep/b.b3d", "mod/a.b3d", "mod/deep", "mod", "", "^{commit}"] {
        let [other, own] = ["HEAD~1", "HEAD"].map(|revision| match name {
            "^{commit}" => format!("{revision}{name}"),
            _ => format!("{revision}:{name}"),
        });
        let [other, own] = [other, own].map(|name| repository.git(&["rev-parse", &name], b""));
        repository.git(&["replace", &own, &other], b"");
        // Git itself follows it.
        let content = |id: &str| repository.git(&["cat-file", "-p", id], b"");
        if !name.ends_with(".b3d") {
            assert_eq!(content(&own), content(&other), "{name}");
        }
        for sides in sides {
            let output = repository.diff(&sides);
            assert_eq!(code(&output), 0, "{name} {sides:?}: {}{}", stdout(&output), stderr(&output));
        }
        assert_eq!(stdout(&repository.diff(&old)), before, "{name}");
        repository.git(&["replace", "-d", &own], b"");
    }
}

#[test]
fn files_are_written_up_to_the_limit_of_one_and_of_all() {
    let Some(repository) = Repository::new("git-sizes") else { return };
    let content = |number: usize| {
        let mut content = scene(&[&number.to_string()]);
        content.resize(20_000, 0);
        content
    };
    // Of each file the same bytes again count again.
    let tree = |count: usize| {
        let blob = repository.blob(&content(0));
        let names: Vec<String> = (0..count).map(|number| format!("{number}.b3d")).collect();
        repository.tree(names.iter().map(|name| (name.as_bytes(), blob.clone())))
    };
    let empty = repository.tree([]);
    let said = "larger than the limits allow; --max-decoded raises them";
    let [one, two] = [1, 2].map(|number| repository.files(&[(b"x.b3d", content(number))]));
    let whole = |count| format!("git:{}", tree(count));
    for (a, b, most, is_enough) in [
        (format!("git:{one}:x.b3d"), format!("git:{two}:x.b3d"), "19999", false),
        (format!("git:{one}:x.b3d"), format!("git:{two}:x.b3d"), "20000", true),
        (whole(15), format!("git:{empty}"), "20000", true),
        (whole(16), format!("git:{empty}"), "20000", true),
        (whole(17), format!("git:{empty}"), "20000", false),
    ] {
        let output = repository.diff(&[&a, &b, "--max-decoded", most]);
        let text = stderr(&output);
        assert_eq!(text.contains(said), !is_enough, "{a} {most}: {text}");
        assert_eq!(code(&output) != 2, is_enough, "{a} {most}: {text}");
    }
}

/// `SECURITY.md` lists every process that the program starts.
#[test]
fn git_is_the_only_process_that_is_started() {
    let mut found = Vec::new();
    let mut open = ["src", "cli/src", "tables/src", "python/src", "capi/src", "web/src"]
        .map(|folder| crate::support::files::root().join(folder))
        .to_vec();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let is_test = path.ends_with("tests.rs");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !is_test && text.contains("Command::new") {
            found.push(path);
        }
    }
    assert_eq!(found, [crate::support::files::root().join("cli/src/diff/git.rs")]);
}

/// The error of a file names it as `git:REV:PATH` does, however the folder is written.
#[test]
fn errors_of_files_have_the_address_of_the_file() {
    let Some(repository) = Repository::new("git-addresses") else { return };
    let folder = &repository.0;
    let archive = |start: &str| {
        let shared = Entry::stored(format!("{start}0"), &vec![b'x'; 1_000_000]);
        crate::writer::archives::sharing(100, shared, start)
    };
    folder.file("mod/sub/x.zip", archive("a"));
    repository.commit();
    for below in ["mod/sub/", "sub/", ""] {
        folder.file(&format!("other{}/{below}x.zip", below.len()), archive("b"));
    }
    for (name, other) in [
        ("HEAD", "other8"),
        ("HEAD:", "other8"),
        ("HEAD:mod", "other4"),
        ("HEAD:mod/", "other4"),
        ("HEAD:mod/sub", "other0"),
        ("HEAD:mod/sub/", "other0"),
    ] {
        let output = repository.diff(&[&format!("git:{name}"), other, "--max-work", "8"]);
        let text = stderr(&output);
        assert!(code(&output) == 2 && text.contains("--max-work raises it"), "{name}: {text}");
        assert!(text.contains(": git:HEAD:mod/sub/x.zip: "), "{name}: {text}");
    }
}

/// Of a revision, files and folders are compared, and nothing else has content.
#[test]
fn paths_of_a_revision_are_files_and_folders_or_are_refused() {
    let Some(repository) = Repository::new("git-kinds") else { return };
    two_versions(&repository);
    let commit = repository.git(&["rev-parse", "HEAD"], b"");
    let tree = repository.git(&["rev-parse", "HEAD:mod"], b"");
    let blob = repository.git(&["rev-parse", "HEAD:mod/a.b3d"], b"");
    repository.git(&["tag", "-a", "-m", "text", "noted"], b"");
    let entries = format!(
        "100644 blob {blob}\tfile\0100755 blob {blob}\tprogram\0120000 blob {blob}\tlink\0\
         160000 commit {commit}\tmodule\0040000 tree {tree}\tfolder\0"
    );
    let all = repository.git(&["mktree", "-z"], entries.as_bytes());
    for (path, is_file) in [("file", Some(true)), ("program", Some(true)), ("folder", Some(false)), ("module", None)] {
        for (side, is_same_kind) in [("mod/a.b3d", Some(true)), ("mod", Some(false))] {
            let output = repository.diff(&[&format!("git:{all}:{path}"), side]);
            let said = stderr(&output);
            let is_equal = is_file == is_same_kind;
            assert_eq!(code(&output), if is_equal { 0 } else { 2 }, "{path} {side}: {said}");
            let is_other = said.contains(&format!("git:{all}:{path}: neither a file nor a folder"));
            assert_eq!(is_other, is_file.is_none(), "{path} {side}: {said}");
        }
    }
    // A tag with a text of its own stands for its commit.
    assert_eq!(code(&repository.diff(&["git:noted", "."])), 0);
    assert_eq!(code(&repository.diff(&["git:noted:mod/a.b3d", "mod/a.b3d"])), 0);
}
