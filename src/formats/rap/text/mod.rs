//! Configs as text: `.rvmat`, `.bisurf`, `config.cpp`, `model.cfg` and the `.hpp` files that they include.
//!
//! [`Reader`] is lenient and has no preprocessor. It skips definitions, reads both branches of each condition, and
//! reports includes without following them. A macro is kept as its text. [`Event::ask`] resolves macros that only build
//! paths: `PATHTOF`, `QPATHTOF`, `QPATHTO_R`, `QPATHTOEF` and `QUOTE`.
//!
//! [`to_binary`] compiles a text to the binary form.

mod compile;
mod literal;
mod reader;

pub use compile::{Binary, to_binary};
#[cfg(feature = "scan")]
pub use reader::is_config;
pub use reader::{Ask, Event, EventKind, Reader, Scalar, Way};
#[cfg(feature = "scan")]
pub(crate) use reader::{Skipped, Step};
