//! Trees and files of a git repository, written to a temporary folder by the installed `git`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use meshpeek::Limits;
use meshpeek::view::ByteStr;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::output_file;
use crate::visible::shown;

/// All files of a tree may have this many times the size that one may have.
const MOST_FILES: u64 = 16;

/// One side of a comparison.
pub(super) struct Written {
    pub(super) path: PathBuf,
    folder: Option<TempDir>,
}

impl Drop for Written {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            output_file::end(folder.path());
        }
    }
}

/// An object of the repository.
struct Object {
    /// As given, for messages.
    text: String,
    /// Files by their path. Only one if the object is a file.
    files: BTreeMap<Vec<u8>, Blob>,
    is_tree: bool,
}

#[derive(PartialEq, Eq)]
struct Blob {
    id: String,
    bytes: u64,
}

/// The sides of a comparison, where `git:REV:PATH` is written to a folder. Of two trees, only files that differ are.
pub(super) fn written(sides: [&Path; 2], limits: &Limits) -> Result<[Written; 2], Failure> {
    let [a, b] = sides.map(|side| of(side, limits));
    let (mut a, mut b) = (a?, b?);
    if let (Some(a), Some(b)) = (&mut a, &mut b)
        && a.is_tree
        && b.is_tree
    {
        a.files.retain(|path, blob| {
            let is_same = b.files.get(path) == Some(blob);
            if is_same {
                b.files.remove(path);
            }
            !is_same
        });
    }
    let [of_a, of_b] = sides;
    Ok([write(of_a, a, limits)?, write(of_b, b, limits)?])
}

fn failed(text: &str, message: impl std::fmt::Display) -> Failure {
    Failure::Message(format!("{}: {message}", ByteStr::from(text)))
}

fn start(text: &str, arguments: &[&str]) -> Result<Child, Failure> {
    let mut git = Command::new("git");
    git.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    git.spawn().map_err(|error| failed(text, format_args!("git cannot be run: {error}")))
}

/// The files of `git:REV:PATH`, or `None` for any other path.
fn of(side: &Path, limits: &Limits) -> Result<Option<Object>, Failure> {
    let Some(name) = side.to_str().and_then(|text| text.strip_prefix("git:")).filter(|_| !side.exists()) else {
        return Ok(None);
    };
    let text = shown(side);
    let name = if name.contains(':') { name.to_owned() } else { format!("{name}:") };
    let found = start(&text, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
    let found = found.wait_with_output()?;
    let id = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    if !found.status.success() || id.is_empty() {
        return Err(failed(&text, "git does not know this revision, or it has no such path"));
    }
    let (kind, bytes) = head(&id, &text)?;
    let mut files = BTreeMap::new();
    match kind.as_str() {
        "blob" => {
            let last = name.rsplit([':', '/']).next().unwrap_or(&name);
            files.insert(last.as_bytes().to_vec(), Blob { id, bytes });
        }
        "tree" => files = list(&id, &text, limits)?,
        kind => return Err(failed(&text, format_args!("a {kind}, not a file or folder"))),
    }
    let too_large = files.values().any(|blob| blob.bytes > limits.decoded_bytes);
    let total = files.values().fold(0, |sum: u64, blob| sum.saturating_add(blob.bytes));
    if too_large || total > limits.decoded_bytes.saturating_mul(MOST_FILES) {
        return Err(failed(&text, "larger than the limits allow; --max-decoded raises them"));
    }
    Ok(Some(Object { text, files, is_tree: kind == "tree" }))
}

/// The kind and size of an object.
fn head(id: &str, text: &str) -> Result<(String, u64), Failure> {
    let mut git = start(text, &["cat-file", "--batch-check=%(objecttype) %(objectsize)"])?;
    if let Some(stdin) = &mut git.stdin {
        writeln!(stdin, "{id}").map_err(|error| failed(text, error))?;
    }
    let line = git.wait_with_output()?.stdout;
    let line = String::from_utf8_lossy(&line);
    let (kind, bytes) = line.trim().split_once(' ').ok_or_else(|| failed(text, "git does not have this object"))?;
    Ok((kind.to_owned(), bytes.parse().unwrap_or(u64::MAX)))
}

/// The files of a tree, without links and submodules.
fn list(id: &str, text: &str, limits: &Limits) -> Result<BTreeMap<Vec<u8>, Blob>, Failure> {
    let mut git = start(text, &["ls-tree", "-r", "-z", "-l", "--full-tree", id])?;
    let mut files = BTreeMap::new();
    let mut entries = 0_u32;
    // A small repository may describe a huge tree. If the list is cut, git fails.
    let stdout = git.stdout.take().map(|stdout| BufReader::new(stdout.take(limits.decoded_bytes)));
    for line in stdout.into_iter().flat_map(|stdout| stdout.split(0)) {
        let line = line?;
        entries = entries.saturating_add(1);
        if entries > limits.archive_members {
            // It may still be writing.
            let _ = git.kill();
            let _ = git.wait();
            return Err(failed(text, "more files than the limits allow; --max-archive-members raises them"));
        }
        let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
        let (entry, path) = (String::from_utf8_lossy(&line[..tab]).into_owned(), line[tab + 1..].to_vec());
        if let [mode, "blob", id, bytes] = entry.split_whitespace().collect::<Vec<_>>()[..]
            && mode.starts_with("100")
        {
            files.insert(path, Blob { id: id.to_owned(), bytes: bytes.parse().unwrap_or(u64::MAX) });
        }
    }
    match git.wait()?.success() {
        true => Ok(files),
        false => Err(failed(text, "git cannot list this tree")),
    }
}

/// Writes the files of an object into a temporary folder. Any other side stays where it is.
fn write(side: &Path, object: Option<Object>, limits: &Limits) -> Result<Written, Failure> {
    let Some(Object { text, files, is_tree }) = object else {
        return Ok(Written { path: side.to_owned(), folder: None });
    };
    let folder = tempfile::Builder::new().prefix("meshpeek-").tempdir()?;
    output_file::begin(folder.path());
    let mut written = Written { path: folder.path().to_owned(), folder: Some(folder) };
    let mut git = start(&text, &["cat-file", "--batch"])?;
    let (Some(mut asked), Some(stdout)) = (git.stdin.take(), git.stdout.take()) else { return Ok(written) };
    let mut answers = BufReader::new(stdout);
    for (path, blob) in &files {
        // Not the closed pipe of a reader of results.
        writeln!(asked, "{}", blob.id).map_err(|error| failed(&text, error))?;
        let mut line = String::new();
        (&mut answers).take(256).read_line(&mut line)?;
        let bytes: u64 = line.trim().rsplit(' ').next().and_then(|bytes| bytes.parse().ok()).unwrap_or(u64::MAX);
        if bytes > limits.decoded_bytes || bytes != blob.bytes {
            return Err(failed(&text, format_args!("git cannot read {}", ByteStr::new(path))));
        }
        let target = written.path.join(ByteStr::new(path).to_escaped_path());
        std::fs::create_dir_all(target.parent().unwrap_or(&target))?;
        let copied = std::io::copy(&mut (&mut answers).take(bytes), &mut File::create(&target)?)?;
        answers.read_exact(&mut [0])?;
        if copied != bytes {
            return Err(failed(&text, format_args!("git cannot read {}", ByteStr::new(path))));
        }
        if !is_tree {
            written.path = target;
        }
    }
    drop(asked);
    git.wait()?;
    Ok(written)
}
