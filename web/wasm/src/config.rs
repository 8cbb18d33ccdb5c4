//! Binary configs as text.

use std::io::{self, Write};

use meshpeek::inspect::Inspect as _;
use meshpeek::{Asset, Budget, Error, Limits};
use serde_json::{Value, json};

use crate::Result;

/// The most bytes of text.
const MOST: usize = 64 << 20;

/// Writes a binary config as text. Returns the text, and why it ends early if it does.
pub(crate) fn text(asset: &Asset<'_>) -> Result<(Value, Vec<u8>)> {
    let Asset::Rap(config) = asset else { return Err(Error::unsupported("this is no binary config")) };
    let mut text = Text(Vec::new());
    let written = config.write_text(&mut text, &Budget::new(asset.size(), &Limits::default()));
    let mut problem = None;
    if let Err(error) = written {
        problem = Some(error.to_string());
    }
    Ok((json!({ "problem": problem }), text.0))
}

/// A text in memory.
struct Text(Vec<u8>);

impl Write for Text {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(piece.len()) > MOST {
            return Err(io::Error::other("the text is too large for this page"));
        }
        self.0.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
