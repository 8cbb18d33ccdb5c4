//! Archives as containers of files: a common interface to PBO and zip.

use crate::asset::Asset;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::{ByteStr, Name};
use crate::blocks::Decoded;
use crate::budget::{Budget, Held};
use crate::bytes::Packing;
#[cfg(feature = "pbo")]
use crate::formats::pbo;
#[cfg(feature = "zip")]
use crate::formats::zip;
use crate::ranges::{Data, Ranges};

/// Evaluates an expression with the value of any variant.
macro_rules! each {
    ($of:expr, $inner:ident => $value:expr) => {
        match $of {
            #[cfg(feature = "pbo")]
            Self::Pbo($inner) => $value,
            #[cfg(feature = "zip")]
            Self::Zip($inner) => $value,
        }
    };
}

/// An archive whose members are files.
///
/// ```
/// # let bytes = &[&b"a.txt\0"[..], &[0; 16], &[2, 0, 0, 0], &[0; 21], b"hi"].concat();
/// use meshpeek::container::Container;
/// use meshpeek::{Asset, Budget, Limits};
/// let archive = Container::of(&Asset::parse(bytes)?).expect("an archive");
/// let budget = Budget::new(bytes.len() as u64, &Limits::default());
/// for member in archive.members() {
///     let member = member?;
///     println!("{}: {} bytes", member.name(), member.decode(&budget)?.len());
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Container<'a> {
    /// A PBO archive.
    #[cfg(feature = "pbo")]
    Pbo(pbo::Archive<'a>),
    /// A zip archive.
    #[cfg(feature = "zip")]
    Zip(zip::Archive<'a>),
}

impl<'a> Container<'a> {
    /// Returns the asset as a container, or `None` if it is not one. A Ballance map is not one, although it is a zip.
    pub fn of(asset: &Asset<'a>) -> Option<Self> {
        match asset {
            #[cfg(feature = "pbo")]
            Asset::Pbo(archive) => Some(Self::Pbo(*archive)),
            #[cfg(feature = "zip")]
            Asset::Zip(archive) => Some(Self::Zip(*archive)),
            _ => None,
        }
    }

    /// Returns the members that are not read because they share bytes with another, as ascending indices into the
    /// [members](Self::members): see [`zip::Archive::overlapping`](crate::zip::Archive::overlapping). A PBO has none,
    /// because its members follow one another.
    pub fn overlapping(&self) -> Vec<usize> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(_) => Vec::new(),
            #[cfg(feature = "zip")]
            Self::Zip(archive) => archive.overlapping(),
        }
    }

    /// Returns an iterator over the files in archive order. Duplicates are included, folders are not. Ends after the
    /// first error.
    pub fn members(&self) -> Members<'a> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(archive) => Members::Pbo(archive.members()),
            #[cfg(feature = "zip")]
            Self::Zip(archive) => Members::Zip(archive.members()),
        }
    }

    /// Returns an error if files may be missing from [`members`](Self::members), although these end without an error: a
    /// zip lost its directory, or the directory holds fewer entries than the zip says. Without a directory, the files
    /// are found by the headers before them, as far as these are there. Reads the whole list.
    pub fn list_error(&self) -> Option<Error> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(_) => None,
            #[cfg(feature = "zip")]
            Self::Zip(archive) => archive.list_error(),
        }
    }
}

/// An iterator over the files of a container.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Members<'a> {
    /// The members of a PBO archive.
    #[cfg(feature = "pbo")]
    Pbo(pbo::Members<'a>),
    /// The members of a zip archive.
    #[cfg(feature = "zip")]
    Zip(zip::Members<'a>),
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(members) => Some(members.next()?.map(Member::Pbo)),
            #[cfg(feature = "zip")]
            Self::Zip(members) => Some(members.next()?.map(Member::Zip)),
        }
    }
}

/// A file inside a container.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "few members are there at once")]
#[non_exhaustive]
pub enum Member<'a> {
    /// A member of a PBO archive.
    #[cfg(feature = "pbo")]
    Pbo(pbo::Member<'a>),
    /// A member of a zip archive.
    #[cfg(feature = "zip")]
    Zip(zip::Member<'a>),
}

/// How a file is stored in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Uncompressed, in place.
    InPlace,
    /// Compressed with a method that can be decoded.
    Packed(Packing),
    /// Encrypted, so it cannot be decoded.
    Encrypted,
    /// Stored with a method that this crate does not know.
    Unknown,
}

impl Form {
    /// Returns the name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InPlace => "stored",
            Self::Packed(packing) => packing.name(),
            Self::Encrypted => "encrypted",
            Self::Unknown => "unknown",
        }
    }
}

impl<'a> Member<'a> {
    /// Returns the name as stored: a path with `\` or `/`.
    pub fn name(&self) -> ByteStr<'a> {
        each!(self, member => member.name())
    }

    /// Returns how the member is stored.
    pub fn form(&self) -> Form {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(member) => match member.method() {
                pbo::Method::STORED => Form::InPlace,
                pbo::Method::PACKED => Form::Packed(Packing::Lzss),
                pbo::Method::ENCRYPTED => Form::Encrypted,
                _ => Form::Unknown,
            },
            #[cfg(feature = "zip")]
            Self::Zip(member) => match member.method() {
                _ if member.is_encrypted() => Form::Encrypted,
                _ => match member.packing() {
                    Some(Packing::InPlace) => Form::InPlace,
                    Some(packing) => Form::Packed(packing),
                    None => Form::Unknown,
                },
            },
        }
    }

    /// Returns the name of its method: `stored`, `lzss`, `deflated`, `bzip2`, or `encrypted`.
    pub fn method_name(&self) -> String {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(member) => member.method().to_string(),
            #[cfg(feature = "zip")]
            Self::Zip(member) => member.method_name(),
        }
    }

    /// Returns true if it is a symbolic link. Its content is the path to its target, which is never followed.
    pub fn is_link(&self) -> bool {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(_) => false,
            #[cfg(feature = "zip")]
            Self::Zip(member) => member.is_link(),
        }
    }

    /// Returns the target of a symbolic link, or `None` if it is none.
    ///
    /// # Errors
    /// Returns the errors of [`decode`](Self::decode), and an error if the target is longer than a path can be.
    pub fn link_target(&self, budget: &Budget) -> Result<Option<Name>> {
        const LONGEST: u64 = 4096;
        if !self.is_link() {
            return Ok(None);
        }
        if self.decoded_byte_len_hint() > LONGEST {
            return Err(Error::malformed(format!("a symbolic link to a path of more than {LONGEST} bytes")));
        }
        let target = self.decode(budget)?;
        Ok(Some(Name::from(ByteStr::new(&target))))
    }

    /// Returns the error for what a symbolic link is: no asset, and a link to its target.
    pub(crate) fn link_error(&self, budget: &Budget) -> Error {
        let target = match self.link_target(budget) {
            Ok(target) => target.map(|target| target.text).unwrap_or_default(),
            Err(error) => error.message(),
        };
        let message = format!("not an asset; a symbolic link to {target}");
        Error::malformed(message).coded(Code::Link)
    }

    /// Returns its size in the container in bytes, as stated by the container.
    pub fn stored_byte_len(&self) -> u64 {
        each!(self, member => member.stored_byte_len())
    }

    /// Returns its decoded size in bytes, as stated by the container.
    pub fn decoded_byte_len_hint(&self) -> u64 {
        each!(self, member => member.decoded_byte_len_hint())
    }

    /// Returns the content, with its checksum not checked, if it is stored in place. Returns `None` if it must be
    /// decoded or cannot be.
    ///
    /// # Errors
    /// Returns an error if the member is not inside the container.
    pub fn borrowed(&self) -> Result<Option<&'a [u8]>> {
        each!(self, member => member.borrowed())
    }

    /// Returns the format that the beginning of the content indicates. Returns `None` if it indicates none, or if all
    /// of the content would have to be decoded. For a deflated member, only the beginning is inflated.
    ///
    /// # Errors
    /// Returns the errors of [`borrowed`](Self::borrowed), and an error if even the beginning does not decode.
    pub fn sniff(&self) -> Result<Option<Format>> {
        if let Some(ranges) = self.ranges()? {
            let data = Data::Parts(&ranges);
            return match self.form() {
                Form::InPlace => Format::sniff_in(data),
                _ => Ok(Format::sniff(data.head(HEAD as u64)?)),
            };
        }
        match self {
            #[cfg(feature = "zip")]
            Self::Zip(member) if matches!(self.form(), Form::Packed(_)) => match member.hides_beginning() {
                true => Ok(None),
                false => Ok(Format::sniff(member.head(&mut [0; HEAD])?)),
            },
            _ => Ok(self.borrowed()?.and_then(Format::sniff)),
        }
    }

    /// Returns true if [`sniff`](Self::sniff) knows nothing: only all of the content shows the format.
    pub(crate) fn hides_beginning(&self) -> bool {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(_) => self.form() != Form::InPlace,
            #[cfg(feature = "zip")]
            Self::Zip(member) => member.hides_beginning(),
        }
    }

    /// Returns the content as ranges if only ranges of the container are available, and this does not need all of them:
    /// those of a member stored in place, and the beginning of a deflated one.
    fn ranges(&self) -> Result<Option<Ranges>> {
        each!(self, member => member.ranges())
    }

    /// Returns the offset of its first stored byte: of its content in a PBO, of its local header in a zip.
    #[cfg(feature = "scan")]
    pub(crate) fn start(&self) -> u64 {
        match self {
            Self::Pbo(member) => member.offset,
            Self::Zip(member) => member.header_offset(),
        }
    }

    /// Returns the same member with these ranges of its container.
    #[cfg(feature = "scan")]
    pub(crate) fn in_ranges(self, ranges: &'a Ranges) -> Self {
        match self {
            Self::Pbo(member) => Self::Pbo(member.in_ranges(ranges)),
            Self::Zip(member) => Self::Zip(member.in_ranges(ranges)),
        }
    }

    /// Returns the same member, but its bytes are not read because another member has them.
    pub(crate) fn shared(self) -> Self {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(member) => Self::Pbo(member),
            #[cfg(feature = "zip")]
            Self::Zip(member) => Self::Zip(member.shared()),
        }
    }

    /// Returns its bytes as stored, whatever the form.
    #[cfg(feature = "scan")]
    pub(crate) fn stored_bytes(&self) -> Result<&'a [u8]> {
        each!(self, member => member.stored_bytes())
    }

    /// Returns the content as far as it is available, like [`view`](Self::view).
    pub(crate) fn content(&self, budget: &Budget) -> Result<Content<'a>> {
        let Some(ranges) = self.ranges()? else { return self.view(budget).map(Content::Whole) };
        let unpacked = match self {
            #[cfg(feature = "zip")]
            Self::Zip(member) => member.unpacked_bytes(),
            #[cfg(feature = "pbo")]
            Self::Pbo(_) => 0,
        };
        Ok(Content::Parts(ranges, budget.charge_and_hold(unpacked)?))
    }

    /// Returns the content without checking a member that is stored in place: it is borrowed, and its bytes are not
    /// read. Any other member is decoded. [`decode`](Self::decode) checks both.
    ///
    /// # Errors
    /// Returns the errors of [`decode`](Self::decode), except for a wrong checksum of a member stored in place.
    pub fn view(&self, budget: &Budget) -> Result<Decoded<'a, u8>> {
        match self.borrowed()? {
            Some(content) => Ok(Decoded::new(content.into(), budget.charge_and_hold(0)?)),
            None => self.decode(budget),
        }
    }

    /// Returns the checksum that decoding compares and a view does not, if there is one: the CRC-32 of a member that a
    /// zip stores in place.
    pub(crate) fn unchecked(&self) -> Option<Checksum> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(_) => None,
            #[cfg(feature = "zip")]
            Self::Zip(member) => (self.form() == Form::InPlace).then(|| Checksum::Zip(member.checksum())),
        }
    }

    /// Checks a member that is stored in place. A member that [`view`](Self::view) decodes is checked by that.
    pub(crate) fn check(&self, budget: &Budget) -> Result<()> {
        match (self.unchecked(), self.borrowed()?) {
            (Some(checksum), Some(content)) => checksum.check(content, budget),
            _ => Ok(()),
        }
    }

    /// Returns the content, with its checksum checked: borrowed if it is stored in place, else decoded into new memory.
    /// The bytes that are read and the memory are charged to the budget.
    ///
    /// A zip has a CRC-32 for each member, a PBO only the sum of a packed member.
    ///
    /// # Errors
    /// Returns the errors of [`borrowed`](Self::borrowed). Returns an error if the budget is spent, or if the content
    /// does not decode, at all or within the limits of the archive. Returns an
    /// [`Encrypted`](crate::ErrorKind::Encrypted) error if the member is encrypted, and an
    /// [`Unsupported`](crate::ErrorKind::Unsupported) error if its form is unknown.
    pub fn decode(&self, budget: &Budget) -> Result<Decoded<'a, u8>> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(member) => {
                let mut held = budget.charge_and_hold(0)?;
                let content = member.decode_after(|bytes| {
                    held = budget.charge_and_hold(bytes)?;
                    Ok(())
                })?;
                Ok(Decoded::new(content, held))
            }
            #[cfg(feature = "zip")]
            Self::Zip(member) => {
                let held = member.pay(budget)?;
                Ok(Decoded::new(member.decode()?, held))
            }
        }
    }
}

/// The checksum of a member that is stored in place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Checksum {
    #[cfg(feature = "zip")]
    Zip(zip::Checksum),
}

impl Checksum {
    /// Compares it with that of the content. Charges the budget for the bytes.
    pub(crate) fn check(self, content: &[u8], budget: &Budget) -> Result<()> {
        budget.charge_work(content.len() as u64)?;
        match self {
            #[cfg(feature = "zip")]
            Self::Zip(checksum) => checksum.check(content),
        }
    }
}

/// The decoded bytes that show the format of a deflated member.
const HEAD: usize = 1024;

/// The content of a member, and the memory that it takes.
pub(crate) enum Content<'a> {
    /// All of it.
    Whole(Decoded<'a, u8>),
    /// The available ranges.
    Parts(Ranges, Held),
}

impl Content<'_> {
    pub(crate) fn data(&self) -> Data<'_> {
        match self {
            Self::Whole(bytes) => Data::Whole(bytes),
            Self::Parts(ranges, _) => Data::Parts(ranges),
        }
    }

    /// Returns the budget for parts of the content.
    pub(crate) fn budget(&self) -> &Budget {
        match self {
            Self::Whole(bytes) => bytes.budget(),
            Self::Parts(_, held) => held.budget(),
        }
    }
}
