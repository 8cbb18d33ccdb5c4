//! Compares signatures of Arma with the archives that they are for.
//!
//! A signature has three SHA-1 digests, each signed with the key:
//!
//! 1. of all bytes of the archive before its tail;
//! 2. of the first, the digest of the members' names, and the prefix;
//! 3. of the digest of some members' content, the digest of the names, and the prefix.
//!
//! Names are in lower case, one after the other in the order of the header. Members without bytes have no part in any
//! digest but the first. A prefix is followed by one `\`. The content is as stored, also if it is packed: in version 2
//! that of all members except for textures, models, sounds and the like, in version 3 only that of scripts and configs
//! as text. FORMATS.md has the list, and the programs that agree on it.
//!
//! Where these programs disagree, one digest can be made in several ways. Such an archive is [`Unsure`](Fit::Unsure) if
//! the way that most use does not fit.

use std::borrow::Borrow;

use sha1::{Digest as _, Sha1};

use crate::base::error::{Error, Result};
use crate::base::word_enum::word_enum;
use crate::budget::Budget;
use crate::formats::bisign::KeyFile;
use crate::formats::pbo::{Archive, Member, TailKind};

/// The digest that a SHA-1 makes.
type Sha = [u8; 20];

/// The number of bytes that are charged and hashed at once. Takes about a millisecond.
const PIECE: usize = 1 << 20;

/// The endings of members whose content a signature of version 2 leaves out, in lower case.
const LEFT_OUT_BY_2: [&[u8]; 13] =
    [b"fxy", b"jpg", b"lip", b"ogg", b"p3d", b"paa", b"pac", b"png", b"rtm", b"rvmat", b"tga", b"wrp", b"wss"];
/// The endings of members whose content a signature of version 3 covers, in lower case.
const COVERED_BY_3: [&[u8]; 11] =
    [b"bikb", b"cfg", b"ext", b"fsm", b"h", b"hpp", b"inc", b"sqf", b"sqfc", b"sqm", b"sqs"];

word_enum! {
    /// What one of the digests of a signature covers.
    pub enum Part {
        /// All bytes of the archive.
        Archive = "archive",
        /// The names of its members, and the prefix.
        Names = "names",
        /// The content of some of its members.
        Content = "content",
    }
}

/// Whether a signature fits an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fit {
    /// All three digests are those of the archive.
    Fits,
    /// The digest of this part is not that of the archive: the archive was changed, or is another.
    Differs(Part),
    /// The signature of this part is not made with the key that is in the same file.
    NotOfKey(Part),
    /// All bytes are as they were signed, but another digest differs. Programs make it in different ways for such an
    /// archive; the text says what kind of archive that is.
    Unsure(Part, &'static str),
}

/// Compares a signature with an archive. Reads the archive once, and some of its members twice; the budget is charged
/// for both. Copies nothing.
///
/// ```
/// # fn example(bytes: &[u8], signed: &[u8]) -> meshpeek::Result<()> {
/// use meshpeek::{Budget, Limits, bisign::KeyFile, pbo::Archive, signatures};
/// let budget = Budget::new(bytes.len() as u64, &Limits::default());
/// match signatures::compare(&KeyFile::parse(signed)?, &Archive::parse(bytes)?, &budget)? {
///     signatures::Fit::Fits => println!("nobody changed it"),
///     other => println!("{other:?}"),
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// Returns an error if the file is only a key, if the archive or the signature cannot be read, if the version is
/// unknown, if the key is too large, or if the budget does not allow the work.
pub fn compare(signature: &KeyFile<'_>, archive: &Archive<'_>, budget: &Budget) -> Result<Fit> {
    compare_with(signature, budget, |version| Digests::of(archive, version, budget))
}

/// Like [`compare`], with digests that the caller may have kept of another signature of the same archive: they depend
/// on the version of the signature alone, not on its key. `digests` is called with that version, at most once, and not
/// if the signature is not made with its key.
///
/// # Errors
/// Returns an error of `digests`, and one if the file is only a key, if the signature cannot be read, if its version is
/// unknown or not that of the digests, if the key is too large, or if the budget does not allow the work.
pub fn compare_with<D: Borrow<Digests>>(
    signature: &KeyFile<'_>,
    budget: &Budget,
    digests: impl FnOnce(u32) -> Result<D>,
) -> Result<Fit> {
    let key = signature.key();
    let Some(signature) = signature.signature()? else {
        return Err(Error::malformed("a key without a signature"));
    };
    let version = Version::of(signature.version)?;
    let parts = [(Part::Archive, signature.first), (Part::Names, signature.second), (Part::Content, signature.third)];
    let mut signed = [[0; 20]; 3];
    for (digest, (part, number)) in signed.iter_mut().zip(parts) {
        let Some(recovered) = key.recover(number.as_bytes(), budget)? else { return Ok(Fit::NotOfKey(part)) };
        *digest = recovered;
    }
    let digests = digests(signature.version)?;
    let digests = digests.borrow();
    if digests.version != version {
        return Err(Error::malformed("digests of another version than the signature"));
    }
    let [of_archive, of_names, of_content] = signed;
    if digests.archive != of_archive {
        return Ok(Fit::Differs(Part::Archive));
    }
    // The bytes are those that were signed, so a difference is one of how digests are made.
    let (differs, doubt) = match (digests.names == of_names, digests.content == of_content) {
        (true, true) => return Ok(Fit::Fits),
        (false, _) => (Part::Names, digests.doubts.names),
        (true, false) => (Part::Content, digests.doubts.names.or(digests.doubts.content)),
    };
    Ok(match doubt {
        Some(doubt) => Fit::Unsure(differs, doubt),
        None => Fit::Differs(differs),
    })
}

/// The known versions of a signature.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Version {
    Two,
    Three,
}

impl Version {
    fn of(number: u32) -> Result<Self> {
        match number {
            2 => Ok(Self::Two),
            3 => Ok(Self::Three),
            other => Err(Error::unsupported(format!("signature of version {other}, only 2 and 3 are known"))),
        }
    }

    /// Returns true if the content of a member with this ending, in lower case, is covered.
    fn covers(self, ending: &[u8]) -> bool {
        match self {
            Self::Two => !LEFT_OUT_BY_2.contains(&ending),
            Self::Three => COVERED_BY_3.contains(&ending),
        }
    }

    /// Returns the bytes that stand for the content if none is covered.
    fn nothing(self) -> &'static [u8] {
        match self {
            Self::Two => b"nothing",
            Self::Three => b"gnihton",
        }
    }
}

/// The digests of an archive, as signatures of one version sign them.
#[derive(Clone, Debug)]
pub struct Digests {
    version: Version,
    archive: Sha,
    names: Sha,
    content: Sha,
    doubts: Doubts,
}

/// What programs disagree about, if an archive has it.
#[derive(Clone, Copy, Debug, Default)]
struct Doubts {
    /// About names, their order and the prefix. These are part of the content's digest, too.
    names: Option<&'static str>,
    /// About the content alone.
    content: Option<&'static str>,
}

impl Digests {
    /// Makes the digests that a signature of this version signs. Reads the archive once, and some of its members twice.
    ///
    /// # Errors
    /// Returns an error if the archive cannot be read or has no SHA-1 at its end, if the version is unknown, or if the
    /// budget does not allow the work.
    pub fn of(archive: &Archive<'_>, version: u32, budget: &Budget) -> Result<Self> {
        let version = Version::of(version)?;
        let tail = archive.tail()?;
        if !matches!(tail.kind(), TailKind::Sha1(_)) {
            return Err(Error::malformed("an archive without a SHA-1 at its end").at(tail.offset));
        }
        let mut whole = Sha1::new();
        hash(archive.bytes_before_tail()?, &mut whole, budget)?;
        let of_archive: Sha = whole.finalize().into();
        let members = Members::of(archive, version, budget)?;
        let mut prefix = Vec::new();
        let mut doubts = members.doubts;
        for property in archive.properties() {
            let key = property.key.as_bytes();
            if key == b"prefix" {
                prefix = property.value.as_bytes().to_vec();
                if prefix.is_empty() {
                    doubts.names = Some("an empty prefix");
                }
            } else if key.eq_ignore_ascii_case(b"prefix") {
                doubts.names = Some("a prefix whose key is not in lower case");
            }
        }
        if prefix.ends_with(b"\\") {
            doubts.names = Some("a prefix with a \\ at its end");
        } else if !prefix.is_empty() {
            prefix.push(b'\\');
        }
        let with_names = |first: Sha| -> Sha {
            let mut sum = Sha1::new();
            sum.update(first);
            sum.update(members.names);
            sum.update(&prefix);
            sum.finalize().into()
        };
        let (names, content) = (with_names(of_archive), with_names(members.content));
        Ok(Self { version, archive: of_archive, names, content, doubts })
    }
}

/// The digests of an archive's members.
struct Members {
    names: Sha,
    content: Sha,
    doubts: Doubts,
}

impl Members {
    fn of(archive: &Archive<'_>, version: Version, budget: &Budget) -> Result<Self> {
        let mut names = Sha1::new();
        let mut content = Sha1::new();
        let mut is_any_covered = false;
        let mut doubts = Doubts::default();
        let mut before: Option<Vec<u8>> = None;
        for member in archive.members() {
            let member = member?;
            let name = member.name().as_bytes().to_ascii_lowercase();
            budget.charge_work(name.len() as u64)?;
            doubts.add(&member, &name);
            if before.is_some_and(|before| before > name) {
                doubts.names = Some("members that are not in alphabetical order");
            }
            if member.stored_byte_len() > 0 {
                names.update(&name);
                if version.covers(ending(&name)) {
                    is_any_covered = true;
                    hash(member.stored_bytes()?, &mut content, budget)?;
                }
            }
            before = Some(name);
        }
        if !is_any_covered {
            content.update(version.nothing());
        }
        Ok(Self { names: names.finalize().into(), content: content.finalize().into(), doubts })
    }
}

impl Doubts {
    /// Adds what programs disagree about in this member. `name` is in lower case.
    fn add(&mut self, member: &Member<'_>, name: &[u8]) {
        if !name.is_ascii() {
            self.names = Some("names with letters beyond ASCII");
        }
        // armake2 0.3.0 counts their names, and their content where it is covered.
        if member.stored_byte_len() == 0 {
            self.names = Some("empty members");
        }
        if name.contains(&b'/') {
            self.names = Some("names with a /");
        }
        if ending(member.name().as_bytes()) != ending(name) {
            self.content = Some("endings in upper case");
        }
        if ending(name) == b"sqfc" {
            self.content = Some("compiled scripts (.sqfc)");
        }
    }
}

/// Returns what follows the last dot of a name, or nothing without a dot after the last folder.
fn ending(name: &[u8]) -> &[u8] {
    let file = name.rsplit(|byte| *byte == b'\\').next().unwrap_or(name);
    match memchr::memrchr(b'.', file) {
        Some(dot) => file.get(dot.saturating_add(1)..).unwrap_or_default(),
        None => b"",
    }
}

/// Adds bytes to a digest in pieces, each of which is charged first.
fn hash(bytes: &[u8], sum: &mut Sha1, budget: &Budget) -> Result<()> {
    for piece in bytes.chunks(PIECE) {
        budget.charge_work(piece.len() as u64)?;
        sum.update(piece);
    }
    Ok(())
}
