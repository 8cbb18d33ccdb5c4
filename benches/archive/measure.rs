//! CPU time, wall-clock time and memory of programs, and CPU time of this process.

use std::mem::MaybeUninit;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// What a program or a part of this process used.
struct Usage {
    /// Seconds of CPU time, of the program and of the kernel for it.
    cpu: f64,
    /// The most memory that it had at once, in bytes, with the pages of mapped files.
    peak: f64,
}

/// The CPU time of a program in seconds.
pub fn cpu(command: &mut Command) -> f64 {
    usage_of(command).cpu
}

/// The wall-clock time of a program in seconds.
pub fn wall(command: &mut Command) -> f64 {
    let start = Instant::now();
    usage_of(command);
    start.elapsed().as_secs_f64()
}

/// The CPU time in seconds that this work takes in this process.
pub fn of_this_process(work: impl FnOnce()) -> f64 {
    let before = usage_so_far().cpu;
    work();
    usage_so_far().cpu - before
}

/// The first argument with which the bench is a launcher.
pub const LAUNCH: &str = "launch";

/// The peak of a program's memory in bytes. Until a new process starts its program, Linux counts the memory of its
/// parent as its own. So the parent is a launcher, which has little.
pub fn peak(command: &Command) -> f64 {
    let mut launcher = Command::new(std::env::current_exe().expect("the path of this program"));
    launcher.arg(LAUNCH).arg(command.get_program()).args(command.get_args());
    let output = launcher.output().expect("the launcher runs");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| panic!("no peak: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Runs the program in the arguments and prints the peak of its memory.
pub fn launch(mut arguments: impl Iterator<Item = String>) {
    let mut command = Command::new(arguments.next().expect("a program"));
    println!("{}", usage_of(command.args(arguments)).peak);
}

fn usage_of(command: &mut Command) -> Usage {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    let (status, usage) = wait(child.unwrap_or_else(|error| panic!("{command:?}: {error}")));
    // Status 1 means problems in other people's files.
    let is_done = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) < 2;
    assert!(is_done, "{command:?}: status {status:#x}");
    usage
}

/// Waits for a program. The standard library does not say what it used.
#[allow(unsafe_code)]
fn wait(child: Child) -> (i32, Usage) {
    let id = child.id() as libc::pid_t;
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::uninit());
    // SAFETY: both places are writable, and `usage` is complete if the call returns the child.
    let usage = unsafe {
        assert_eq!(libc::wait4(id, &mut status, 0, usage.as_mut_ptr()), id, "the program ends");
        usage.assume_init()
    };
    (status, Usage::from(usage))
}

#[allow(unsafe_code)]
fn usage_so_far() -> Usage {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the place is writable, and complete if the call returns 0.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()), 0, "the time of this process");
        usage.assume_init()
    };
    Usage::from(usage)
}

impl From<libc::rusage> for Usage {
    fn from(usage: libc::rusage) -> Self {
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        // Linux counts in units of 1024 bytes.
        Self { cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime), peak: usage.ru_maxrss as f64 * 1024.0 }
    }
}
