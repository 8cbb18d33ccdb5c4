//! The bytes of a file: read, or memory-mapped if the caller accepts the risk.
//!
//! | access | action | another process truncates the file | another process writes into it |
//! | --- | --- | --- | --- |
//! | [`Access::READ`], the default | reads into memory | no effect: the copy is private | no effect |
//! | [`Access::map_large`], unsafe | after [`guard_maps`], maps larger files; otherwise reads | the rest reads as zeros | changes become visible, possibly half old and half new |
//! | [`Access::map`], unsafe | maps | after [`guard_maps`], the rest reads as zeros; otherwise SIGBUS ends the process | changes become visible, possibly half old and half new |
//!
//! A map shows the current content of the opened file. If the file is replaced, deleted or appended to, the map still
//! shows what was opened. If another process writes into the file, the map shows the new bytes. [`FileMap::unchanged`]
//! detects such changes afterwards.
//!
//! # Why mapping is unsafe
//!
//! In Rust's memory model, a change of the bytes of a `&[u8]` is undefined behaviour, no matter what makes it. No
//! operating system keeps other processes away from a mapped file. [memmap2](https://docs.rs/memmap2) therefore leaves
//! the choice to the caller, and so does this crate: only unsafe functions enable mapping. A program that maps files to
//! which others may write relies on something that Rust does not guarantee: that reading a byte during a concurrent
//! write yields some byte value. This crate needs no more than that.
//!
//! - Mapped bytes are only viewed as types for which every bit pattern is valid: numbers, and arrays and records of
//!   them. A `str`, `char` or `bool` is created from a copy or from a number already read.
//! - A length or offset is compared with the available bytes each time it is read. No unchecked read relies on an
//!   earlier check. Data that is sorted or hashed is copied first.
//! - The same applies to the crates that receive mapped bytes: memchr, nom, zerocopy, bytemuck, flate2 with zlib-rs,
//!   sha1 and sha2 treat each byte as a number.
//!
//! `tests/it/shrink.rs` has other processes and threads truncate files and write into them while they are read.
//!
//! # The guard
//!
//! On Unix, access to a truncated part of a map raises SIGBUS, which ends a process that does not handle it.
//! [`guard_maps`] installs a handler that replaces the lost part with zeros. Before each file is mapped, the crate
//! checks that the handler is still installed. If another handler was installed over it, the guard is installed again
//! on top, and passes on signals that are not its own. After several such times, and in threads that block SIGBUS,
//! files are read instead. The guard has these limits:
//!
//! - A handler that is installed while a file is mapped, and that passes nothing on, receives the faults until the next
//!   file is opened. (A handler that restores the guard and raises the signal again, such as Python's `faulthandler`,
//!   does pass it on.) If a thread blocks SIGBUS while a file is mapped, a fault in that thread ends the process.
//! - In a process that has reached its maximum number of maps (`vm.max_map_count`), the whole map is replaced with
//!   zeros, not only the lost part. If the process then takes every further map it can get, the fault is passed on.
//! - A system call that receives lost bytes returns an error (`EFAULT`) instead of zeros.
//!
//! Files on hugetlbfs, whose pages are larger than memory pages, are read. Windows refuses to truncate a mapped file,
//! so every map counts as guarded there.
//!
//! All unsafe code of the crate is in this folder: it creates maps, guards them, requests their pages and gives them back,
//! and waits for pipes.

#[cfg(all(feature = "mmap", unix))]
#[allow(unsafe_code)]
mod guard;
#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
mod map;
#[allow(unsafe_code)]
pub(crate) mod pages;
#[allow(unsafe_code)]
mod pipe;

mod access;
mod file;
mod guarding;
#[cfg(test)]
#[allow(unsafe_code)]
mod tests;

pub use access::Access;
pub use file::FileMap;
pub(crate) use guarding::is_torn;
pub use guarding::{are_maps_guarded, guard_maps};
#[cfg(feature = "scan")]
pub(crate) use pipe::{Patience, read_standard_input};
