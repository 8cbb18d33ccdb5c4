//! Runs the program, and takes apart what it prints.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value as Json;

use super::files::root;

pub fn program() -> Command {
    let mut command = built();
    command.current_dir(root()).env_remove("NO_COLOR");
    command
}

/// The program as built, in the folder of the test. `MESHPEEK_RUNNER` is the command that runs it where the program is
/// for another machine, such as `qemu-s390x -L /usr/s390x-linux-gnu`.
pub fn built() -> Command {
    let program = env!("CARGO_BIN_EXE_meshpeek");
    let runner = std::env::var("MESHPEEK_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace().chain([program]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    #[cfg(unix)]
    with_default_signals(&mut command);
    command
}

/// Lets signals end the child, even if the tests were started to ignore them, as `nohup` does and shells do for jobs in
/// the background.
#[cfg(unix)]
fn with_default_signals(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let reset = || {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
            // SAFETY: it may be called between fork and exec, and sets no handler.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(reset) };
}

pub fn run(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Output {
    program().args(args).output().unwrap()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn stdout(output: &Output) -> String {
    slashes(String::from_utf8(output.stdout.clone()).unwrap())
}

pub fn stderr(output: &Output) -> String {
    slashes(String::from_utf8(output.stderr.clone()).unwrap())
}

/// Writes paths in the corpus, also those in JSON, with the slashes that tests expect; members keep theirs.
pub fn slashes(text: String) -> String {
    if !cfg!(windows) {
        return text;
    }
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some((before, _)) = rest.split_once("corpus") {
        let (before, path) = rest.split_at(before.len());
        let end = path.find(|c: char| c.is_whitespace() || "\",:".contains(c)).unwrap_or(path.len());
        let (path, after) = path.split_at(end);
        out += before;
        let (path, member) = path.split_at(path.find("!/").unwrap_or(path.len()));
        out += &path.replace("\\\\", "/").replace('\\', "/");
        out += member;
        rest = after;
    }
    out + rest
}

/// Writes an address with the slashes that tests expect; members keep theirs.
pub fn with_slashes(address: &str) -> String {
    let (path, rest) = address.split_at(address.find("!/").unwrap_or(address.len()));
    path.replace(std::path::MAIN_SEPARATOR, "/") + rest
}

pub fn lines(output: &Output) -> Vec<Json> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A temporary folder for one test, deleted afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        // Two tests may use the same name.
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("meshpeek-cli-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
