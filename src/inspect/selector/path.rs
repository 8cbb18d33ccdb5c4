//! The selector of a position in an outline.

use std::fmt::Write;

use crate::outline::Part;

/// The selector of the current position in an outline.
#[derive(Debug, Default)]
pub struct Path {
    text: String,
    /// For each open part, the text before it: its length, or all of it if selectors start at the part.
    before: Vec<Result<usize, String>>,
}

impl Path {
    /// Starts a part.
    pub fn open(&mut self, part: &Part<'_>) {
        self.before.push(if part.root { Err(std::mem::take(&mut self.text)) } else { Ok(self.text.len()) });
        push(&mut self.text, part.name, part.index);
    }

    /// Ends the part opened last.
    pub fn close(&mut self) {
        match self.before.pop() {
            Some(Err(text)) => self.text = text,
            before => self.text.truncate(before.and_then(Result::ok).unwrap_or(0)),
        }
    }

    /// Returns the selector of the part opened last; empty outside all parts.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Calls `run` with the selector of an array in the part opened last.
    pub fn with<T>(&mut self, name: &str, index: Option<usize>, run: impl FnOnce(&str) -> T) -> T {
        let length = self.text.len();
        push(&mut self.text, name, index);
        let done = run(&self.text);
        self.text.truncate(length);
        done
    }
}

/// Appends a step to the text of a selector.
pub(crate) fn push(path: &mut String, name: &str, index: Option<usize>) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
    if let Some(index) = index {
        // Writing to a String cannot fail.
        let _ = write!(path, "/{index}");
    }
}
