//! One asset by its address: in a file, in archives inside it, or from standard input.

use std::path::{Path, PathBuf};

use meshpeek::address::{Address, Content, Opened, open_member};
use meshpeek::{Asset, Budget, FileMap};

use crate::args::Common;
use crate::failure::Failure;
use crate::input;
use crate::notes::Notes;
use crate::visible::shown;

/// The file that an address is in, opened.
pub(crate) struct Source<'p> {
    /// The address as it was given.
    text: &'p Path,
    pub(crate) address: Address,
    /// What the address leads to is called so.
    pub(crate) name: PathBuf,
    bytes: FileMap,
    budget: Budget,
}

impl<'p> Source<'p> {
    pub(crate) fn open(text: &'p Path, common: &Common) -> Result<Self, Failure> {
        let (address, limits) = (Address::parse(text), common.limits.limits());
        let bytes = address.open(input::access(common), &limits)?;
        let budget = Budget::new(bytes.len() as u64, &limits);
        common.results.read(bytes.len() as u64);
        Ok(Self { text, name: address.name(), address, bytes, budget })
    }

    /// The bytes of the file that the address is in.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What the address leads to; says so where its names fit other members as well.
    pub(crate) fn member(&self, common: &Common) -> Result<Opened<'_>, Failure> {
        let opened = open_member(&self.address.file, &self.bytes, self.address.member.as_deref(), &self.budget)
            .map_err(|error| error.in_file(self.text))?;
        if opened.alike > 1 {
            let (text, count) = (shown(self.text), opened.alike);
            Notes::new(common)
                .say(format_args!("{text}: {count} members have this name; #0 to #{} select one", count - 1));
        }
        Ok(opened)
    }

    /// The bytes that the address leads to.
    pub(crate) fn content(&self, common: &Common) -> Result<Content<'_>, Failure> {
        let content = self.member(common)?.content.map_err(|error| error.in_file(self.text))?;
        // What was decoded for somebody who named it may be told as any file of its size.
        if !content.is_borrowed() {
            common.results.read(content.len() as u64);
        }
        Ok(content)
    }

    /// The asset that they are.
    pub(crate) fn asset<'c>(&self, content: &'c Content<'_>) -> meshpeek::Result<Asset<'c>> {
        let asset = Asset::parse_file(&self.name, content, content.budget().limits());
        asset.map_err(|error| error.in_file(self.text))
    }

    /// Says so if the file was changed while results were made of it.
    pub(crate) fn unchanged(&self) -> Result<(), Failure> {
        input::unchanged(&self.bytes, &self.address.file)
    }
}
