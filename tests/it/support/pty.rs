//! A pseudo-terminal on which to run the program.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Both ends of a terminal with this many columns: ours, and the program's.
fn terminal(columns: u16) -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = OpenOptions::new().read(true).write(true).open(name).unwrap();
    (ours.into(), theirs)
}

/// Reads everything written to it until all other handles are closed.
fn read_all(mut ours: File) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    // Linux ends a terminal with an error.
    while let Ok(count @ 1..) = ours.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8(bytes).unwrap()
}

/// The program's standard output if it is such a terminal.
pub fn stdout_on_terminal(mut command: Command, columns: u16) -> String {
    let (ours, theirs) = terminal(columns);
    let mut child = command.stdin(Stdio::null()).stdout(theirs).stderr(Stdio::null()).spawn().unwrap();
    // Holds the other end.
    drop(command);
    let text = read_all(ours);
    child.wait().unwrap();
    text.replace("\r\n", "\n")
}

/// The program's standard error if it is such a terminal.
pub fn stderr_on_terminal(mut command: Command, columns: u16) -> String {
    let (ours, theirs) = terminal(columns);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(theirs).spawn().unwrap();
    drop(command);
    let text = read_all(ours);
    child.wait().unwrap();
    text
}
