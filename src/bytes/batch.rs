//! Batching of rows that are computed one by one.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::table::{Column, InPlace, Packing, Scalar, Storage, Table};
use crate::base::error::Result;
use crate::base::span::Span;

/// The size of a batch in bytes.
pub(crate) const BATCH: usize = 4096;

/// Receives the bytes of whole rows, until it breaks.
pub(crate) type RowSink<'s> = dyn FnMut(&[u8]) -> ControlFlow<()> + 's;

/// Buffers a few kilobytes of rows on the stack for the sink of a [`Table`](super::Table).
pub(crate) struct Batch<'s> {
    sink: &'s mut RowSink<'s>,
    rows: [u8; BATCH],
    filled: usize,
    flow: ControlFlow<()>,
}

impl<'s> Batch<'s> {
    /// Creates an empty batch for this sink.
    pub(crate) fn new(sink: &'s mut RowSink<'s>) -> Self {
        Self { sink, rows: [0; BATCH], filled: 0, flow: ControlFlow::Continue(()) }
    }

    /// Adds one or more whole rows. Breaks once the sink has broken.
    #[inline]
    pub(crate) fn push(&mut self, rows: &[u8]) -> ControlFlow<()> {
        let end = self.filled.saturating_add(rows.len());
        match self.rows.get_mut(self.filled..end) {
            Some(free) => {
                free.copy_from_slice(rows);
                self.filled = end;
                self.flow
            }
            None => self.push_after_flush(rows),
        }
    }

    /// Passes the buffered rows to the sink, then adds these. Rows longer than the buffer go to the sink at once.
    #[cold]
    fn push_after_flush(&mut self, rows: &[u8]) -> ControlFlow<()> {
        self.flush()?;
        if rows.len() > self.rows.len() {
            self.flow = (self.sink)(rows);
            return self.flow;
        }
        self.push(rows)
    }

    /// Adds rows until the sink breaks, or up to the first error, which it returns.
    pub(crate) fn extend<R: AsRef<[u8]>>(&mut self, rows: impl Iterator<Item = Result<R>>) -> Result<()> {
        for row in rows {
            if self.push(row?.as_ref()).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Passes the buffered rows to the sink, unless it has broken.
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

/// Wraps a function as a sink that never breaks.
pub(crate) fn to_the_end(mut sink: impl FnMut(&[u8])) -> impl FnMut(&[u8]) -> ControlFlow<()> {
    move |rows| {
        sink(rows);
        ControlFlow::Continue(())
    }
}

/// Passes rows to the sink in batches, until it breaks.
pub(crate) fn write_batched<R: AsRef<[u8]>>(mut rows: impl Iterator<Item = R>, sink: &mut RowSink<'_>) {
    let mut batch = Batch::new(sink);
    let _ = rows.try_for_each(|row| batch.push(row.as_ref()));
    let _ = batch.flush();
}

/// An array that is not stored. Its rows are computed on access.
pub(crate) struct Derived<F> {
    pub(crate) rows: u64,
    pub(crate) columns: &'static [Column],
    /// The bytes from which the rows are computed.
    pub(crate) from: Span,
    /// Computes the rows, in order.
    pub(crate) make: F,
}

impl<F: Fn(&mut Batch<'_>) -> Result<()>> Table for Derived<F> {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn columns(&self) -> Vec<Column> {
        self.columns.to_vec()
    }

    fn storage(&self) -> Storage {
        Storage { offset: self.from.offset, bytes: self.from.bytes, packing: Packing::Derived }
    }

    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        let mut batch = Batch::new(sink);
        let made = (self.make)(&mut batch);
        // The rows before an error are correct, and are passed on too.
        let _ = batch.flush();
        made
    }
}

/// A column of bytes that are looked up or decoded on access.
pub(crate) struct Bytes<'a, N, H, R> {
    column: Column,
    storage: Storage,
    rows: N,
    here: H,
    read: R,
    of: PhantomData<&'a [u8]>,
}

impl<'a, N: Fn() -> u64, H: Fn() -> Option<&'a [u8]>, R: Fn() -> Result<Cow<'a, [u8]>>> Bytes<'a, N, H, R> {
    /// Creates a column. `rows` returns the number of bytes, `here` the bytes if they are in place, and `read` the bytes,
    /// decoded if they are packed.
    pub(crate) fn new(column: &'static str, storage: Storage, rows: N, here: H, read: R) -> Self {
        Self { column: Column::new(column, Scalar::U8), storage, rows, here, read, of: PhantomData }
    }
}

impl<'a, N: Fn() -> u64, H: Fn() -> Option<&'a [u8]>, R: Fn() -> Result<Cow<'a, [u8]>>> Table for Bytes<'a, N, H, R> {
    fn rows(&self) -> u64 {
        (self.rows)()
    }

    fn columns(&self) -> Vec<Column> {
        vec![self.column]
    }

    fn storage(&self) -> Storage {
        self.storage
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        (self.here)().map(|bytes| InPlace { bytes, stride: 1 })
    }

    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        let _ = sink(&(self.read)()?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_whole_and_in_order() {
        let mut handed = Vec::new();
        let mut sink = |rows: &[u8]| {
            handed.push(rows.to_vec());
            ControlFlow::Continue(())
        };
        let rows = [vec![1; 3], vec![2; BATCH], vec![], vec![3; BATCH + 1], vec![4; 5], vec![5; BATCH - 5], vec![6]];
        write_batched(rows.iter(), &mut sink);
        assert_eq!(handed.iter().map(Vec::len).collect::<Vec<_>>(), [3, BATCH, BATCH + 1, BATCH, 1]);
        assert_eq!(handed.concat(), rows.concat());
    }

    #[test]
    fn nothing_follows_a_break() {
        for longest in [1, 2, BATCH + 1] {
            let mut calls = 0;
            let mut sink = |_: &[u8]| {
                calls += 1;
                ControlFlow::Break(())
            };
            let rows = (0..3).flat_map(|_| [vec![1; longest], vec![2; BATCH]]);
            write_batched(rows, &mut sink);
            assert_eq!(calls, 1);
        }
    }
}
