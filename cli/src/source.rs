//! One asset by its address: in a file, in archives inside it, or from standard input.

use std::path::{Path, PathBuf};

use meshpeek::address::{Address, Content, Opened, open_member};
use meshpeek::{Asset, Budget, FileMap};

use crate::args::Common;
use crate::failure::Failure;
use crate::input;
use crate::notes::Notes;
use crate::visible::shown;

/// The open file that contains the target of an address.
pub(crate) struct Source<'p> {
    /// The address as given.
    text: &'p Path,
    pub(crate) address: Address,
    /// The name of the target.
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

    /// The bytes of the file that contains the target.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The target of the address. Prints a note if its names match other members as well.
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

    /// The bytes of the target.
    pub(crate) fn content(&self, common: &Common) -> Result<Content<'_>, Failure> {
        let content = self.member(common)?.content.map_err(|error| error.in_file(self.text))?;
        // A decoded member that was named allows as much output as any file of its size.
        if !content.is_borrowed() {
            common.results.read(content.len() as u64);
        }
        Ok(content)
    }

    /// Opens these bytes as an asset.
    pub(crate) fn asset<'c>(&self, content: &'c Content<'_>) -> meshpeek::Result<Asset<'c>> {
        let asset = Asset::parse_file(&self.name, content, content.budget().limits());
        asset.map_err(|error| error.in_file(self.text))
    }

    /// Returns an error if the file changed while results were made from it.
    pub(crate) fn unchanged(&self) -> Result<(), Failure> {
        input::unchanged(&self.bytes, &self.address.file)
    }
}
