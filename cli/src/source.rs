//! One asset by its address: in a file, in archives inside it, or from standard input.

use std::path::{Path, PathBuf};

#[cfg(feature = "remote")]
use meshpeek::address::ContentRanges;
use meshpeek::address::{Address, Content, Opened, open_member};
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, FileMap};

use crate::args::Common;
use crate::failure::Failure;
use crate::map;
use crate::notes::Notes;
use crate::remote;
use crate::visible::shown;

/// The open file that contains the target of an address.
pub(crate) struct Source<'p> {
    pub(crate) text: &'p Path,
    pub(crate) address: Address,
    /// The name of the target.
    pub(crate) name: PathBuf,
    bytes: Bytes,
    budget: Budget,
}

/// The available bytes: those of the whole file, or of one member.
enum Bytes {
    All(FileMap),
    /// The target of the address.
    #[cfg(feature = "remote")]
    Member(Box<Opened<ContentRanges>>),
}

impl<'p> Source<'p> {
    pub(crate) fn open(text: &'p Path, common: &Common) -> Result<Self, Failure> {
        Self::open_some(text, false, common)
    }

    /// Opens an address, and fetches the whole file even if the address names a member.
    pub(crate) fn open_all(text: &'p Path, common: &Common) -> Result<Self, Failure> {
        Self::open_some(text, true, common)
    }

    #[cfg_attr(not(feature = "remote"), allow(unused_variables, reason = "only URLs are read in part"))]
    fn open_some(text: &'p Path, all: bool, common: &Common) -> Result<Self, Failure> {
        let address = Address::parse(text);
        let limits = common.limits.limits();
        let (bytes, size) = match remote::is_url(text) {
            #[cfg(feature = "remote")]
            true => fetched(&address, all, common).map_err(|error| error.in_file(text))?,
            _ => {
                remote::openable(text)?;
                let opened = address.open(map::access(common), &limits);
                if opened.is_err() && address.file.is_dir() {
                    return Err(Failure::at(text, "is a folder; `meshpeek scan` reads folders"));
                }
                with_size(opened?)
            }
        };
        let budget = Budget::new(size, &limits);
        common.results.read(size);
        Ok(Self { text, name: address.name(), address, bytes, budget })
    }

    /// Calls the file by this name, as if it were its path.
    pub(crate) fn named(self, text: &'p Path) -> Self {
        Self { text, name: text.to_owned(), ..self }
    }

    /// The bytes of the file that contains the target. Needs [`open_all`](Self::open_all).
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::All(bytes) => bytes,
            #[cfg(feature = "remote")]
            Bytes::Member(_) => &[],
        }
    }

    /// The target of the address. Prints a note if its names match other members as well.
    pub(crate) fn member(&self, common: &Common) -> Result<Opened<Content<'_>>, Failure> {
        let file = &self.address.file;
        let member = self.address.member.as_deref();
        let opened = match &self.bytes {
            Bytes::All(bytes) => open_member(file, bytes, member, &self.budget),
            #[cfg(feature = "remote")]
            Bytes::Member(opened) => opened.whole(),
        };
        let opened = opened.map_err(|error| error.in_file(self.text))?;
        if opened.alike > 1 {
            let text = shown(self.text);
            let count = opened.alike;
            Notes::new(common)
                .say(format_args!("{text}: {count} members have this name; #0 to #{} select one", count - 1));
        }
        Ok(opened)
    }

    pub(crate) fn content(&self, common: &Common) -> Result<Content<'_>, Failure> {
        let content = self.member(common)?.content.map_err(|error| error.in_file(self.text))?;
        Self::count(&content, common);
        Ok(content)
    }

    /// The content, with the checksum of a stored member compared too.
    pub(crate) fn checked_content(&self, common: &Common) -> Result<Content<'_>, Failure> {
        Ok(self.checked(common)??)
    }

    /// The checked content, or the error of the target.
    pub(crate) fn checked(&self, common: &Common) -> Result<meshpeek::Result<Content<'_>>, Failure> {
        Ok(self.checked_member(common)?.0)
    }

    /// Also returns the path inside the file, as in records.
    pub(crate) fn checked_member(
        &self,
        common: &Common,
    ) -> Result<(meshpeek::Result<Content<'_>>, Option<Name>), Failure> {
        let opened = self.member(common)?;
        let content = match opened.content {
            Ok(content) => content,
            Err(error) => return Ok((Err(error.in_file(self.text)), opened.member)),
        };
        Self::count(&content, common);
        match content.check() {
            Ok(()) => Ok((Ok(content), opened.member)),
            Err(error) => Ok((Err(error.in_file(self.text)), opened.member)),
        }
    }

    /// Lets a decoded member that was named allow as much output as any file of its size.
    fn count(content: &Content<'_>, common: &Common) {
        if !content.is_borrowed() {
            common.results.read(content.len() as u64);
        }
    }

    pub(crate) fn asset<'c>(&self, content: &'c Content<'_>) -> meshpeek::Result<Asset<'c>> {
        let asset = Asset::parse_file(&self.name, content, content.budget().limits());
        asset.map_err(|error| error.in_file(self.text))
    }

    /// Returns an error if the file changed while results were made from it.
    pub(crate) fn unchanged(&self) -> Result<(), Failure> {
        match &self.bytes {
            Bytes::All(bytes) => Ok(bytes.unchanged().map_err(|error| error.in_file(&self.address.file))?),
            // Each request asked for the same file.
            #[cfg(feature = "remote")]
            Bytes::Member(_) => Ok(()),
        }
    }
}

fn with_size(bytes: FileMap) -> (Bytes, u64) {
    let size = bytes.len() as u64;
    (Bytes::All(bytes), size)
}

/// The target of a URL, and the size of the file. It is one member, or the file if the address has no member or `all` is
/// wanted.
#[cfg(feature = "remote")]
fn fetched(address: &Address, all: bool, common: &Common) -> meshpeek::Result<(Bytes, u64)> {
    let limits = common.limits.limits();
    if let Some(member) = &address.member
        && !all
    {
        let (opened, size) = remote::member(&address.file, member, &common.remote, &limits)?;
        return Ok((Bytes::Member(Box::new(opened)), size));
    }
    let file = remote::file(&address.file, &common.remote, &limits)?;
    Ok(with_size(file))
}
