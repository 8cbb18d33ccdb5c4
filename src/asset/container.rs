//! Archives as containers of files: one face over PBO and zip, for programs that look into both.

use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::ByteStr;
use crate::blocks::Decoded;
use crate::budget::Budget;
use crate::bytes::Packing;
#[cfg(feature = "pbo")]
use crate::formats::pbo;
#[cfg(feature = "zip")]
use crate::formats::zip;

macro_rules! either {
    ($self:ident, $of:ident => $value:expr) => {
        match $self {
            #[cfg(feature = "pbo")]
            Self::Pbo($of) => $value,
            #[cfg(feature = "zip")]
            Self::Zip($of) => $value,
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
    /// The asset as a container; `None` where it is none. A Ballance map is none, though it is a zip.
    pub fn of(asset: &Asset<'a>) -> Option<Self> {
        match asset {
            #[cfg(feature = "pbo")]
            Asset::Pbo(archive) => Some(Self::Pbo(*archive)),
            #[cfg(feature = "zip")]
            Asset::Zip(archive) => Some(Self::Zip(*archive)),
            _ => None,
        }
    }

    /// The members that share bytes with one before them, by their places among the [members](Self::members), ascending.
    /// A PBO has none: its members lie one behind the other.
    pub fn overlapping(&self) -> Vec<usize> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(_) => Vec::new(),
            #[cfg(feature = "zip")]
            Self::Zip(archive) => archive.overlapping(),
        }
    }

    /// Its files in the archive's order, duplicates included, folders left out; ends after the first error.
    pub fn members(&self) -> Members<'a> {
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(archive) => Members::Pbo(archive.members()),
            #[cfg(feature = "zip")]
            Self::Zip(archive) => Members::Zip(archive.members()),
        }
    }
}

/// The files of a container.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Members<'a> {
    /// Of a PBO archive.
    #[cfg(feature = "pbo")]
    Pbo(pbo::Members<'a>),
    /// Of a zip archive.
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
#[non_exhaustive]
pub enum Member<'a> {
    /// Of a PBO archive.
    #[cfg(feature = "pbo")]
    Pbo(pbo::Member<'a>),
    /// Of a zip archive.
    #[cfg(feature = "zip")]
    Zip(zip::Member<'a>),
}

/// How a file lies in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// As it is.
    InPlace,
    /// Packed in a way that can be decoded.
    Packed(Packing),
    /// Encrypted, which cannot be.
    Encrypted,
    /// Packed in a way that is not known here.
    Unknown,
}

impl Form {
    /// The word for it in reports.
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
    /// Its name as stored: a path with `\` or `/`.
    pub fn name(&self) -> ByteStr<'a> {
        either!(self, member => member.name())
    }

    /// How it lies there.
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
                zip::Method::STORED => Form::InPlace,
                zip::Method::DEFLATED => Form::Packed(Packing::Deflate),
                _ => Form::Unknown,
            },
        }
    }

    /// The bytes it takes in the container, by its word.
    pub fn stored_byte_len(&self) -> u64 {
        either!(self, member => member.stored_byte_len())
    }

    /// The bytes it decodes to, by the container's word.
    pub fn decoded_byte_len_hint(&self) -> u64 {
        either!(self, member => member.decoded_byte_len_hint())
    }

    /// Its content where that lies in the container as it is; `None` where it must be decoded or cannot be.
    ///
    /// # Errors
    /// Where it does not lie inside the container.
    pub fn borrowed(&self) -> Result<Option<&'a [u8]>> {
        either!(self, member => member.borrowed())
    }

    /// The format that its content starts like. Of a member that is deflated only the beginning is inflated for that;
    /// `None` also where only decoding all of it would tell.
    ///
    /// # Errors
    /// As [`borrowed`](Self::borrowed), and where not even the beginning decodes.
    pub fn sniff(&self) -> Result<Option<Format>> {
        match self {
            #[cfg(feature = "zip")]
            Self::Zip(member) if self.form() == Form::Packed(Packing::Deflate) => {
                let mut head = [0; 1024];
                let length = member.inflate_head(&mut head)?;
                Ok(head.get(..length).and_then(Format::sniff))
            }
            _ => Ok(self.borrowed()?.and_then(Format::sniff)),
        }
    }

    /// Its content: borrowed where it lies there as it is, else decoded into new memory, for which the budget pays.
    ///
    /// # Errors
    /// As [`borrowed`](Self::borrowed); where the budget is spent; where it does not decode, or not within the limits
    /// of the archive; [`Encrypted`](crate::ErrorKind::Encrypted) where it is;
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where its form is unknown.
    pub fn decode(&self, budget: &Budget) -> Result<Decoded<'a, u8>> {
        if let Some(content) = self.borrowed()? {
            return Ok(Decoded::new(content.into(), budget.take(0)?));
        }
        match self {
            #[cfg(feature = "pbo")]
            Self::Pbo(member) => {
                let mut held = budget.take(0)?;
                let content = member.decode_after(|bytes| {
                    held = budget.take(bytes)?;
                    Ok(())
                })?;
                Ok(Decoded::new(content, held))
            }
            #[cfg(feature = "zip")]
            Self::Zip(member) => {
                let held = budget.take(member.unpacked_bytes())?;
                Ok(Decoded::new(member.decode()?, held))
            }
        }
    }
}
