//! Blocks and tables read within a budget.

use std::borrow::Cow;
use std::ops::{ControlFlow, Deref};

use super::block::Block;
use crate::base::error::Result;
use crate::budget::{Budget, Held};
use crate::bytes::{Element, Table};

impl Budget {
    /// Returns the elements of a block: borrowed if they are in place, else decoded. The budget is charged for it.
    ///
    /// # Errors
    /// Returns the errors of [`charge_work`](Self::charge_work), [`hold`](Self::hold) and [`Block::decode`].
    pub fn decode<'a, T: Element>(&self, block: &Block<'a, T>) -> Result<Decoded<'a, T>> {
        block.check_claim()?;
        let bytes = if block.borrowed().is_some() { 0 } else { block.decoded_byte_len() };
        let held = self.charge_and_hold(bytes).map_err(|error| error.at(block.offset()))?;
        let elements = block.decode()?;
        // Decoding may have taken a while, and the run may have been stopped meanwhile.
        self.charge_work(0)?;
        Ok(Decoded { elements, held })
    }

    /// Passes the rows of a table to `sink`. The budget is charged for it.
    ///
    /// # Errors
    /// Returns the errors of [`charge_work`](Self::charge_work), [`hold`](Self::hold) and [`Table::read`].
    pub fn read(&self, table: &dyn Table, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        let storage = table.storage();
        self.charge_work(table.read_work()).map_err(|error| error.at(storage.offset))?;
        let _held = self.hold(table.read_memory()).map_err(|error| error.at(storage.offset))?;
        table.read(sink)
    }
}

/// Decoded elements and their memory, or elements borrowed in place.
#[derive(Debug)]
pub struct Decoded<'a, T: Clone> {
    elements: Cow<'a, [T]>,
    held: Held,
}

impl<'a, T: Clone> Decoded<'a, T> {
    /// Creates a value from elements whose memory was taken before.
    pub(crate) fn new(elements: Cow<'a, [T]>, held: Held) -> Self {
        Self { elements, held }
    }

    /// Returns the elements alone. From here on their memory is not counted.
    pub fn into_inner(self) -> Cow<'a, [T]> {
        self.elements
    }

    /// Returns the elements and their memory.
    pub(crate) fn into_parts(self) -> (Cow<'a, [T]>, Held) {
        (self.elements, self.held)
    }

    /// Returns the budget for parts of the elements.
    pub fn budget(&self) -> &Budget {
        self.held.budget()
    }
}

impl<T: Clone> Deref for Decoded<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}
