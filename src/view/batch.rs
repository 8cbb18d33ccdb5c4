//! Rows that are made one by one, handed over many at a time.

use std::ops::ControlFlow;

/// Rows on their way to the sink of a [`Table`](super::Table): a few kilobytes of them, in a buffer on the stack.
pub(crate) struct Batch<'s> {
    sink: &'s mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    rows: [u8; 4096],
    filled: usize,
    flow: ControlFlow<()>,
}

impl<'s> Batch<'s> {
    pub(crate) fn new(sink: &'s mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Self {
        Self { sink, rows: [0; 4096], filled: 0, flow: ControlFlow::Continue(()) }
    }

    /// Adds one row or several whole ones.
    pub(crate) fn push(&mut self, rows: &[u8]) -> ControlFlow<()> {
        if self.rows.get(self.filled..).is_none_or(|free| free.len() < rows.len()) {
            self.flush()?;
        }
        match self.rows.get_mut(self.filled..).and_then(|free| free.get_mut(..rows.len())) {
            Some(free) => {
                free.copy_from_slice(rows);
                self.filled = self.filled.saturating_add(rows.len());
            }
            // What is wider than the buffer goes by itself.
            None => self.flow = (self.sink)(rows),
        }
        self.flow
    }

    /// Hands over those that are left.
    pub(crate) fn flush(&mut self) -> ControlFlow<()> {
        let filled = std::mem::take(&mut self.filled);
        if let Some(rows @ [_, ..]) = self.rows.get(..filled)
            && self.flow.is_continue()
        {
            self.flow = (self.sink)(rows);
        }
        self.flow
    }
}

/// Hands over rows as they come.
pub(crate) fn write_batched<R: AsRef<[u8]>>(
    mut rows: impl Iterator<Item = R>,
    sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) {
    let mut batch = Batch::new(sink);
    let _ = rows.try_for_each(|row| batch.push(row.as_ref()));
    let _ = batch.flush();
}
