//! One asset by its address: in a file, in archives inside it, or from standard input.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use meshpeek::address::{Address, Content, Opened, OpenedRanges, open_member, open_member_ranges};
use meshpeek::ranges::{Ranges, ReadAt};
use meshpeek::scan::stores;
use meshpeek::{Asset, Budget, ErrorKind, FileMap};

use crate::args::Common;
use crate::failure::Failure;
use crate::input;
use crate::notes::Notes;
use crate::remote::is_url;
use crate::visible::shown;

/// The open file that contains the target of an address.
pub(crate) struct Source<'p> {
    /// The address as given.
    text: &'p Path,
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
    Member(Box<OpenedRanges>),
}

impl<'p> Source<'p> {
    pub(crate) fn open(text: &'p Path, common: &Common) -> Result<Self, Failure> {
        Self::open_some(text, false, common)
    }

    /// Opens an address, and fetches the whole file even if the address names a member.
    pub(crate) fn open_all(text: &'p Path, common: &Common) -> Result<Self, Failure> {
        Self::open_some(text, true, common)
    }

    fn open_some(text: &'p Path, all: bool, common: &Common) -> Result<Self, Failure> {
        let (address, limits) = (Address::parse(text), common.limits.limits());
        let (bytes, size) = if is_url(text) {
            let member = address.member.as_deref().filter(|_| !all);
            fetch(&address.file, member, common).map_err(|error| error.in_file(text))?
        } else {
            let bytes = address.open(input::access(common), &limits)?;
            let size = bytes.len() as u64;
            (Bytes::All(bytes), size)
        };
        let budget = Budget::new(size, &limits);
        common.results.read(size);
        Ok(Self { text, name: address.name(), address, bytes, budget })
    }

    /// The bytes of the file that contains the target. Needs [`open_all`](Self::open_all).
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::All(bytes) => bytes,
            Bytes::Member(_) => &[],
        }
    }

    /// The target of the address. Prints a note if its names match other members as well.
    pub(crate) fn member(&self, common: &Common) -> Result<Opened<'_>, Failure> {
        let (file, member) = (&self.address.file, self.address.member.as_deref());
        let opened = match &self.bytes {
            Bytes::All(bytes) => open_member(file, bytes, member, &self.budget),
            Bytes::Member(opened) => opened.whole(),
        };
        let opened = opened.map_err(|error| error.in_file(self.text))?;
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
        match &self.bytes {
            Bytes::All(bytes) => input::unchanged(bytes, &self.address.file),
            // Each request asked for the same file.
            Bytes::Member(_) => Ok(()),
        }
    }
}

/// Fetches a file of a store, or only the ranges that a member of it needs. Also returns the size of the file.
fn fetch(file: &Path, member: Option<&[u8]>, common: &Common) -> meshpeek::Result<(Bytes, u64)> {
    let limits = common.limits.limits();
    let stores = common.remote.stores();
    let source = Stored { file: stores.open(file)?, most: limits.decoded_bytes };
    let size = source.file.byte_len();
    let mut ranges = Ranges::new(size);
    let Some(member) = member else {
        let bytes = source.read_at(0..size)?;
        return Ok((Bytes::All(FileMap::from_reader(&*bytes, &limits)?), size));
    };
    let budget = Budget::new(size, &limits);
    let opened = ranges.load(&source, |ranges| {
        let opened = open_member_ranges(file, ranges, Some(member), &budget)?;
        opened.whole()?;
        Ok(opened)
    })?;
    Ok((Bytes::Member(Box::new(opened)), size))
}

/// A file of a store. A single read takes at most this many bytes.
struct Stored<'s> {
    file: Box<dyn stores::Stored + 's>,
    most: u64,
}

impl ReadAt for Stored<'_> {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.file.byte_len())
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.end.saturating_sub(range.start) > self.most {
            let what = "bytes of a file in memory";
            let kind = ErrorKind::Limit { what, limit: self.most, flag: Some("--max-decoded") };
            return Err(io::Error::other(kind.to_string()));
        }
        self.file.read(&[range])?.pop().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
