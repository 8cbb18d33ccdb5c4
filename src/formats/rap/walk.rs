//! Every class of a config, depth first, without recursion.

use super::class::{Class, Entries, Entry};
use super::config::{Config, ROOT};
use super::depth::MOST_DEPTH;
use super::wire::ClassEntry;
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::text::ByteStr;

/// A class in a [`Walk`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The number of classes before it.
    pub index: usize,
    /// The index of the class that contains it; `None` for the root class.
    pub outer: Option<usize>,
    /// The number of classes that contain it.
    pub depth: usize,
    /// The class.
    pub class: Class<'a>,
}

/// An iterator over all classes, each before its inner classes.
///
/// A class with a wrong address is an error, and the walk continues after it. The walk ends at the first body that
/// cannot be read, or when the bodies take more bytes than the file, because real files do not share bodies. It uses
/// memory in proportion to the depth.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    config: Config<'a>,
    /// The classes that contain the next one, the root class first.
    frames: Vec<Frame<'a>>,
    /// The index of the next class.
    next: usize,
    /// The number of bytes that bodies may still take.
    left: u64,
    /// True if the root class stores where it ends, as all others then do.
    has_ends: bool,
    /// True after a body that cannot be read.
    is_done: bool,
}

/// A class whose inner classes are being walked.
#[derive(Clone, Debug)]
struct Frame<'a> {
    /// The index of the class.
    class: usize,
    /// The offset of its body.
    offset: u64,
    /// Its entries that are left.
    entries: Entries<'a>,
    /// How many of these are inner classes.
    inner_left: u32,
    /// The index of the next entry.
    entry: usize,
}

impl<'a> Config<'a> {
    /// Returns a walk over all classes, each before its inner classes. The root class is first.
    pub fn classes(&self) -> Walk<'a> {
        Walk::new(*self)
    }
}

impl<'a> Walk<'a> {
    /// Starts a walk before the root class.
    fn new(config: Config<'a>) -> Self {
        Self { config, frames: Vec::new(), next: 0, left: config.data.size(), has_ends: true, is_done: false }
    }

    /// Reads the class at this address, and makes it the innermost one.
    ///
    /// # Errors
    /// Returns an error if its body cannot be read, or if all bodies so far take more bytes than the file.
    fn enter(&mut self, address: u64, name: ByteStr<'a>) -> Result<Step<'a>> {
        let cursor = self.config.at(address);
        let index = self.next;
        let class = if index == 0 {
            Class::read_root(cursor, self.config.header.enum_address.get())
        } else {
            Class::read(cursor, name, self.has_ends)
        };
        let class = class.within_item("classes", index)?;
        self.has_ends = class.end.is_some();
        self.left = self.left.checked_sub(class.byte_len()).ok_or_else(|| {
            Error::malformed("the classes so far take more bytes than the file")
                .at(address)
                .within_item("classes", index)
        })?;
        self.next = index.saturating_add(1);
        let outer = self.frames.last().map(|frame| frame.class);
        let depth = self.frames.len();
        let inner_left = class.inner_count();
        self.frames.push(Frame { class: index, offset: address, entries: class.entries(), inner_left, entry: 0 });
        Ok(Step { index, outer, depth, class })
    }

    /// Returns the address in an entry of `around`, the class that contains it. `offset` is that of the entry.
    ///
    /// # Errors
    /// Returns an error if the address is not after the body of `around` begins and inside the file, or if the class
    /// would be too deep.
    fn address(&self, around: &Frame<'a>, entry: &ClassEntry<'a>, offset: u64) -> Result<u64> {
        let address = u64::from(entry.address);
        let size = self.config.data.size();
        if address <= around.offset || address >= size {
            // If addresses always increase, they cannot form a loop.
            let message = format!("address {address:#x} is not between {:#x} and {size:#x}", around.offset);
            // The address follows the kind and the name with its NUL.
            let offset = (Amount(offset) + 2 + entry.name.len() as u64).0;
            return Err(Error::malformed(message).at(offset).within("address"));
        }
        let allowed = self.config.limits.depth as usize;
        let (most, code) = match allowed < MOST_DEPTH {
            true => (allowed, Code::DepthLimit),
            // No caller can raise this one.
            false => (MOST_DEPTH, Code::Limit),
        };
        if self.frames.len() > most {
            return Err(Error::limit("classes inside each other", most as u64, code).at(offset));
        }
        Ok(address)
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Step<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        // The root class is at a fixed address. Any other is named by the next class entry of the innermost class that
        // has one left.
        let (address, name) = if self.next == 0 {
            (Ok(ROOT), ByteStr::new(b""))
        } else {
            loop {
                let around = self.frames.last_mut()?;
                // The entries after the last inner class need not be read again.
                if around.inner_left == 0 {
                    self.frames.pop();
                    continue;
                }
                let offset = around.entries.offset();
                let index = around.entry;
                let Some(entry) = around.entries.next() else {
                    // The file was changed since the class was read.
                    self.frames.pop();
                    continue;
                };
                around.entry = index.saturating_add(1);
                let Entry::Class(entry) = entry else { continue };
                around.inner_left = around.inner_left.saturating_sub(1);
                let around = self.frames.last()?;
                let address = self.address(around, &entry, offset);
                let address = address.within_item("entries", index).within_item("classes", around.class);
                break (address, entry.name);
            }
        };
        let address = match address {
            Ok(address) => address,
            // The walk continues after a class with a wrong address.
            Err(error) => return Some(Err(error)),
        };
        let step = self.enter(address, name);
        self.is_done = step.is_err();
        Some(step)
    }
}
