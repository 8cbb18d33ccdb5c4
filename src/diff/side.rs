//! One of two assets.

use std::path::Path;

use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::budget::{Budget, Held};
use crate::ranges::Data;

/// One of the two assets to compare.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Side<'s> {
    /// Its file. The name describes PBO archives whose bytes may not.
    pub file: &'s Path,
    /// Its bytes.
    pub data: &'s [u8],
    /// The budget for comparing it.
    pub budget: &'s Budget,
}

impl<'s> Side<'s> {
    /// Creates a side from the bytes of a file.
    pub const fn new(file: &'s Path, data: &'s [u8], budget: &'s Budget) -> Self {
        Self { file, data, budget }
    }

    pub(super) fn open(&self) -> Result<(Asset<'s>, Held)> {
        Asset::open_within(Format::of_file(self.file, self.data), Data::Whole(self.data), self.budget)
    }

    /// Like `open`, with the file in the error.
    pub(super) fn open_named(&self) -> Result<(Asset<'s>, Held)> {
        self.open().map_err(|error| error.in_file(self.file))
    }
}
