//! Answers that need many files: [references](refs) and the files that they mean, [equal assets](dupes), and the
//! differences between [folders].
//!
//! Each takes a [`Scan`](crate::scan::Scan) or its parts, and gives rows that serialize: [`refs::Link`], [`dupes::Group`]
//! and [`diff::Difference`](crate::diff::Difference). A row is passed to a function of the caller, because it borrows
//! from what the answer keeps until its end.

pub mod dupes;
pub mod folders;
pub mod refs;
mod replaced;
