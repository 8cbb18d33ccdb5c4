//! What many tests share: the program, the files, damage, scans and small models.

pub mod files;
pub mod models;
pub mod mutate;
pub mod outline;
pub mod program;
#[cfg(unix)]
pub mod pty;
pub mod scans;
