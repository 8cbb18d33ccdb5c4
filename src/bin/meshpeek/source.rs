//! One asset by its address: in a file, in archives inside it, or from standard input.

use std::path::Path;

use meshpeek::address::{Address, Content, Opened, open_member};
use meshpeek::container::Budget;
use meshpeek::{FileMap, Limits};

use crate::args::Common;
use crate::input;
use crate::output::{Failure, Notes};

/// The file that an address is in, opened.
pub(crate) struct Source<'p> {
    /// The address as it was given.
    text: &'p Path,
    pub(crate) address: Address,
    bytes: FileMap,
}

impl<'p> Source<'p> {
    pub(crate) fn open(text: &'p Path, common: &Common) -> Result<Self, Failure> {
        let address = Address::parse(text);
        let bytes = address.open(input::access(common), &Limits::default())?;
        Ok(Self { text, address, bytes })
    }

    /// What the address leads to; says so where its names fit other members as well.
    pub(crate) fn member(&self, common: &Common) -> Result<Opened<'_>, Failure> {
        let limits = Limits::default();
        let budget = Budget::new(self.bytes.len() as u64, &limits);
        let opened = open_member(&self.bytes, self.address.member.as_deref(), &budget, &limits)
            .map_err(|error| error.in_file(self.text))?;
        if opened.alike > 1 {
            let text = self.text.display();
            let count = opened.alike;
            Notes::new(common).say(format_args!("{text}: fits {count} members; #0 to #{} pick one", count - 1));
        }
        Ok(opened)
    }

    /// The bytes that the address leads to.
    pub(crate) fn content(&self, common: &Common) -> Result<Content<'_>, Failure> {
        Ok(self.member(common)?.content.map_err(|error| error.in_file(self.text))?)
    }

    /// Says so if the file was changed while results were made of it.
    pub(crate) fn unchanged(&self) -> Result<(), Failure> {
        input::unchanged(&self.bytes, &self.address.file)
    }
}
