//! How batches of rows are handed over.

use std::ops::ControlFlow;

use meshpeek_tables::Table;
use meshpeek_tables::arrow_array::RecordBatch;

/// Rows collected before they are compressed.
pub(super) const ROWS: usize = 8192;

/// Receives a batch of rows of a table.
pub(super) type Take = Box<dyn Fn(Table, RecordBatch) -> meshpeek::Result<ControlFlow<()>> + Send + Sync>;
