//! A finished model.

use std::io::{self, Write};

/// A model in the form of another program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Model {
    pub(super) pieces: Vec<Vec<u8>>,
    /// True if it contains no triangles.
    pub is_empty: bool,
    /// The number of parts that cannot be read.
    pub unreadable: u64,
    /// The number of triangles with a missing corner, which are left out.
    pub left_out: u64,
}

impl Model {
    /// Returns the size of the file.
    pub fn byte_len(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn write_to(&self, mut out: impl Write) -> io::Result<()> {
        for piece in &self.pieces {
            out.write_all(piece)?;
        }
        Ok(())
    }
}
