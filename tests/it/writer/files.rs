//! The files that writers make.

/// The files of one folder: their names and bytes.
pub type Files = Vec<(&'static str, Vec<u8>)>;
