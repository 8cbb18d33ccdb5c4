//! What an indexer keeps of one asset: owned, small, the same for every format.

use std::borrow::Cow;
#[cfg(feature = "zip")]
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::hash::BuildHasher;
#[cfg(feature = "zip")]
use std::sync::{Mutex, PoisonError};

use crate::budget::Budget;
use crate::error::Error;
use crate::format::Format;
use crate::limits::{Limits, flag};
use crate::named::named;
use crate::view::{ByteStr, Packing, Storage, Utf32Str};

/// The facts of one asset. Absent knowledge is `None`, never 0.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Summary {
    /// Its format.
    pub format: Format,
    /// Its version as stored.
    pub version: Option<u32>,
    /// Its size.
    pub bytes: u64,
    /// How many of what, as stored: empty names and empty lists included.
    pub counts: Counts,
    /// The box around it, as stored, where the format has one.
    pub bounds: Option<Bounds>,
    /// The other files that it asks for, in order of first use, each once.
    pub references: Vec<Reference>,
    /// Its compressible blocks.
    pub blocks: Blocks,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

impl Summary {
    /// Nothing known but format and size: every count absent, no problem so far.
    pub fn new(format: Format, bytes: u64) -> Self {
        Self {
            format,
            version: None,
            bytes,
            counts: Counts::absent(format),
            bounds: None,
            references: Vec::new(),
            blocks: Blocks::default(),
            problems: Vec::new(),
        }
    }

    /// The summary of an asset that cannot be opened: the error is its one problem. Its version is known where the error
    /// keeps it.
    pub fn unreadable(format: Format, bytes: u64, error: &Error) -> Self {
        Self { version: error.version(), problems: vec![Problem::error(error)], ..Self::new(format, bytes) }
    }
}

/// Named counts in a fixed order; `None` where a count is not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Counts(Vec<(&'static str, Option<u64>)>);

impl Counts {
    /// The counts of this format, none of them known.
    pub fn absent(format: Format) -> Self {
        Self(format.count_names().iter().map(|&name| (name, None)).collect())
    }

    /// These counts, all known or each an `Option`.
    pub fn known<const N: usize>(counts: [(&'static str, impl Into<Option<u64>>); N]) -> Self {
        Self(counts.into_iter().map(|(name, count)| (name, count.into())).collect())
    }

    /// These counts, some of them perhaps unknown.
    pub fn new<const N: usize>(counts: [(&'static str, Option<u64>); N]) -> Self {
        Self(counts.into())
    }

    /// The count of this name, if it is known.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.iter().find(|(known, _)| *known == name)?.1
    }

    /// Names and counts in order.
    pub fn iter(&self) -> std::iter::Copied<std::slice::Iter<'_, (&'static str, Option<u64>)>> {
        self.0.iter().copied()
    }
}

/// An axis-aligned box, as stored.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: [f32; 3],
    /// The corner with the largest coordinates.
    pub max: [f32; 3],
}

/// A text from a file, for people and indexes: UTF-8, each invalid byte as `\xNN`, each invalid code point as
/// `\u{NNNN}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Whether something had to be written in one of these ways.
    pub lossy: bool,
}

impl From<ByteStr<'_>> for Name {
    fn from(text: ByteStr<'_>) -> Self {
        let (text, lossy) = text.to_text_or_lossy();
        Self { text, lossy }
    }
}

impl From<Utf32Str<'_>> for Name {
    /// Each number that is no character is written as `\u{d800}`.
    fn from(text: Utf32Str<'_>) -> Self {
        Self { lossy: text.chars().any(|c| c.is_err()), text: text.to_text_lossy() }
    }
}

named! {
    /// What kind of file a [`Reference`] asks for.
    #[non_exhaustive]
    pub enum ReferenceKind {
        /// An image.
        Texture = "texture",
        /// A material file, `.rvmat`.
        Material = "material",
        /// A surface file, `.bisurf`.
        Surface = "surface",
        /// Another model.
        Proxy = "proxy",
    }
}

/// Another file that an asset asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reference {
    /// What kind of file.
    pub kind: ReferenceKind,
    /// Its name as stored.
    pub name: Name,
}

/// A text as stored, which a [`Name`] can be made of.
pub trait StoredText: Into<Name> {
    /// Its bytes.
    fn stored(&self) -> &[u8];
}

impl StoredText for ByteStr<'_> {
    fn stored(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl StoredText for Utf32Str<'_> {
    fn stored(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Collects references: empty names are left out, repeated ones too, and those beyond
/// [`Limits::reference_bytes`].
#[derive(Debug)]
pub struct References {
    list: Vec<Reference>,
    /// Of each name, by its hash, the kinds, a bit for each. A name that was met before costs no memory.
    seen: HashMap<u64, u8>,
    limit: u64,
    left: Option<u64>,
}

impl References {
    /// None so far.
    pub fn new(limits: &Limits) -> Self {
        let limit = limits.reference_bytes;
        Self { list: Vec::new(), seen: HashMap::new(), limit, left: Some(limit) }
    }

    /// Adds a reference, unless its name is empty or it is there already.
    pub fn add(&mut self, kind: ReferenceKind, name: impl StoredText) {
        self.add_rooted(kind, name, b"");
    }

    /// The same where a name means no other file with this in front: both are one, told as the first.
    pub fn add_rooted(&mut self, kind: ReferenceKind, name: impl StoredText, root: &[u8]) {
        let stored = name.stored();
        let stored = stored.strip_prefix(root).unwrap_or(stored);
        let Some(left) = self.left.filter(|_| !stored.is_empty()) else { return };
        let bit = 1 << kind as u8;
        let seen = self.seen.entry(self.seen.hasher().hash_one(stored)).or_default();
        if *seen & bit != 0 {
            return;
        }
        *seen |= bit;
        let name: Name = name.into();
        self.left = left.checked_sub((name.text.len() as u64).saturating_add(64));
        if self.left.is_some() {
            self.list.push(Reference { kind, name });
        }
    }

    /// All of them, in order of first use. That there are more than fit is a problem.
    pub fn into_vec(self, problems: &mut Problems) -> Vec<Reference> {
        if self.left.is_none() {
            problems.error(&Error::limit("bytes of references", self.limit, flag::REFERENCES));
        }
        self.list
    }
}

/// The compressible blocks met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Blocks {
    /// How many are stored raw, empty ones not counted.
    pub stored: u64,
    /// How many are compressed.
    pub packed: u64,
    /// Bytes of the compressed ones in the file.
    pub packed_bytes: u64,
    /// Bytes of the compressed ones when decoded.
    pub unpacked_bytes: u64,
}

impl Blocks {
    /// Adds a block that is stored so and has so many bytes when decoded.
    pub fn add(&mut self, storage: Storage, unpacked_bytes: u64) {
        match storage.packing {
            Packing::InPlace if storage.bytes > 0 => self.stored = self.stored.saturating_add(1),
            Packing::Lzo | Packing::Lzss | Packing::Deflate => {
                self.packed = self.packed.saturating_add(1);
                self.packed_bytes = self.packed_bytes.saturating_add(storage.bytes);
                self.unpacked_bytes = self.unpacked_bytes.saturating_add(unpacked_bytes);
            }
            _ => {}
        }
    }
}

named! {
    /// How bad a [`Problem`] is.
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// Legal to read but surely not meant.
        Warning = "warning",
        /// Bytes that cannot be read as the format says, or an index, count or size that points outside.
        Error = "error",
    }
}

named! {
    /// What kind of trouble a [`Problem`] is, for programs: a word, and behind a dot a closer one, such as
    /// `damaged.truncated`. Words stay; closer ones may be added.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Code {
        /// Bytes that cannot be read as the format says.
        Damaged = "damaged",
        /// No byte at all.
        Empty = "damaged.empty",
        /// A checksum that is not that of its bytes.
        Checksum = "damaged.checksum",
        /// Parts that share bytes.
        Overlap = "damaged.overlap",
        /// An index, count or offset that points outside.
        Range = "damaged.range",
        /// Fewer bytes than there should be.
        Truncated = "damaged.truncated",
        /// Another version or kind than is read.
        Unsupported = "unsupported",
        /// What Git leaves in the place of a file that it keeps elsewhere.
        LfsPointer = "unsupported.lfs",
        /// What only the owner of a key can read.
        Encrypted = "encrypted",
        /// More than the caller's [`Limits`] allow.
        Limit = "limit",
        /// Legal to read but surely not meant.
        Suspicious = "suspicious",
        /// A byte for yes or no that is neither 0 nor 1.
        Bool = "suspicious.bool",
        /// What should be there once.
        Duplicate = "suspicious.duplicate",
        /// A part of a pair that is empty alone.
        OddEmpty = "suspicious.empty",
        /// A name of nothing that is there.
        Missing = "suspicious.missing",
        /// A name other than where it stands first.
        Name = "suspicious.name",
        /// A number that is infinite or none.
        NotFinite = "suspicious.not_finite",
        /// A normal or rotation whose length is not 1.
        NotUnit = "suspicious.not_unit",
        /// Parts in another order than they should be.
        Order = "suspicious.order",
        /// A number that means nothing in its place, though nothing is looked up by it.
        OddRange = "suspicious.range",
        /// A number to which the format gives no meaning.
        UnknownCode = "suspicious.unknown_code",
        /// Weights with another sum than they should have.
        Weights = "suspicious.weights",
        /// Bytes behind the end that belong to nothing.
        Trailing = "suspicious.trailing",
    }
}

impl Code {
    /// Its first word: `damaged`, `unsupported`, `encrypted`, `limit` or `suspicious`.
    pub fn class(self) -> &'static str {
        let name = self.name();
        name.split_once('.').map_or(name, |(class, _)| class)
    }
}

/// What is told of a problem before it is cut, in bytes: names in it may be of any length.
const LONGEST_MESSAGE: usize = 1000;

/// Something that is wrong with an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of trouble it is.
    pub code: Code,
    /// Where it starts, counted from the start of the asset; `None` where no place applies.
    pub offset: Option<u64>,
    /// What it is, and in which part.
    pub message: Cow<'static, str>,
}

impl Problem {
    /// An error as a problem.
    pub fn error(error: &Error) -> Self {
        let mut message = error.message();
        if message.len() > LONGEST_MESSAGE {
            let bytes = message.len();
            let end = (0..=LONGEST_MESSAGE).rev().find(|&end| message.is_char_boundary(end));
            message.truncate(end.unwrap_or(0));
            message.push_str(&format!("... ({bytes} bytes)"));
        }
        Self { severity: Severity::Error, code: error.code(), offset: error.offset(), message: message.into() }
    }

    /// An error as a problem that does not keep anything from being read: nothing is damaged, only suspicious.
    pub fn warning(error: &Error) -> Self {
        let problem = Self::error(error);
        let code = if problem.code.class() == "damaged" { Code::Suspicious } else { problem.code };
        Self { severity: Severity::Warning, code, ..problem }
    }
}

/// Collects problems up to a limit, and counts the rest; and knows what looking for them may cost.
#[derive(Debug)]
pub struct Problems {
    list: Vec<Problem>,
    beyond: u64,
    budget: Budget,
    /// Which of them tells that the budget is spent.
    spent: Option<usize>,
}

/// Looks at each item, on as many threads as the budget has to help. The problems are those of one thread that looks at
/// one item after the other.
#[cfg(feature = "zip")]
pub(crate) fn side_by_side<T: Send>(
    problems: &mut Problems,
    items: impl Iterator<Item = T> + Send,
    look: impl Fn(T, &mut Problems) + Sync,
) {
    let (budget, items) = (problems.budget.clone(), Mutex::new(items.fuse().enumerate()));
    let told: Mutex<InOrder<'_>> = Mutex::new(InOrder { problems, next: 0, waiting: BTreeMap::new(), held: 0 });
    budget.share_out(&|| {
        while let Some((place, item)) = { items.lock().unwrap_or_else(PoisonError::into_inner).next() } {
            let mut of_item = Problems::within(budget.clone());
            look(item, &mut of_item);
            told.lock().unwrap_or_else(PoisonError::into_inner).tell(place, of_item);
        }
    });
}

/// Problems of items that are done before others in front of them.
#[cfg(feature = "zip")]
struct InOrder<'p> {
    problems: &'p mut Problems,
    next: usize,
    waiting: BTreeMap<usize, Problems>,
    /// How many problems wait.
    held: u64,
}

#[cfg(feature = "zip")]
impl InOrder<'_> {
    fn tell(&mut self, place: usize, mut of_item: Problems) {
        let is_last = self.waiting.last_key_value().is_none_or(|(last, _)| place > *last);
        if is_last && self.held >= u64::from(self.problems.budget.limits().problems) {
            // Those in front of it are as many as are kept; of the end of the budget it is counted later whether it is new.
            let spent = of_item.spent.take().filter(|place| *place < of_item.list.len());
            let end = spent.map(|place| of_item.list.swap_remove(place));
            of_item.beyond = of_item.beyond.saturating_add(of_item.list.drain(..).len() as u64);
            of_item.spent = end.is_some().then_some(0);
            of_item.list.extend(end);
        }
        self.held = self.held.saturating_add(of_item.list.len() as u64);
        self.waiting.insert(place, of_item);
        while let Some(of_item) = self.waiting.remove(&self.next) {
            self.held = self.held.saturating_sub(of_item.list.len() as u64);
            self.problems.append(of_item);
            self.next = self.next.saturating_add(1);
        }
    }
}

impl Problems {
    /// None so far; what looking costs is bounded part by part.
    pub fn new(limits: &Limits) -> Self {
        Self::within(Budget::unlimited(limits))
    }

    /// None so far; what looking costs is charged to this budget.
    pub fn within(budget: Budget) -> Self {
        Self { list: Vec::new(), beyond: 0, budget, spent: None }
    }

    /// What looking may cost.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Adds a problem of severity `error`.
    pub fn error(&mut self, error: &Error) {
        self.add(Severity::Error, error);
    }

    /// Adds a problem of severity `warning`.
    pub fn warning(&mut self, error: &Error) {
        self.add(Severity::Warning, error);
    }

    /// Adds a problem of this severity, which is made only if it is kept.
    pub fn tell(&mut self, severity: Severity, error: impl FnOnce() -> Error) {
        if self.keeps_another() {
            self.add(severity, &error());
        }
    }

    /// Takes the value, or adds the error and goes on without.
    #[inline(always)]
    pub fn ok<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.error(&error);
                None
            }
        }
    }

    /// Whether the limit is reached, so that looking for more only costs time.
    pub fn is_full(&self) -> bool {
        self.list.len() as u64 >= u64::from(self.budget.limits().problems)
    }

    /// Whether one more problem is kept; if not, it is counted.
    pub(crate) fn keeps_another(&mut self) -> bool {
        let is_full = self.is_full();
        self.beyond = self.beyond.saturating_add(is_full.into());
        !is_full
    }

    pub(crate) fn add(&mut self, severity: Severity, error: &Error) {
        // Once spent, a budget refuses all that follows: to say so once is enough.
        if error.is_spent() && !self.is_first_spent() {
            return;
        }
        if self.keeps_another() {
            self.list.push(match severity {
                Severity::Error => Problem::error(error),
                Severity::Warning => Problem::warning(error),
            });
        }
    }

    /// Whether the problem that comes next is the first to tell that the budget is spent.
    fn is_first_spent(&mut self) -> bool {
        let is_first = self.spent.is_none();
        self.spent.get_or_insert(self.list.len());
        is_first
    }

    #[cfg(feature = "zip")]
    fn append(&mut self, other: Self) {
        self.beyond = self.beyond.saturating_add(other.beyond);
        for (place, problem) in other.list.into_iter().enumerate() {
            if other.spent == Some(place) && !self.is_first_spent() {
                continue;
            }
            if self.keeps_another() {
                self.list.push(problem);
            }
        }
    }

    /// All of them, in order of their offsets. Where the limit cut the list, a last problem says how many are missing.
    pub fn into_vec(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.offset);
        if self.beyond > 0 {
            let message = format!("{} further problems, beyond the limit for one asset", self.beyond);
            let (severity, code) = (Severity::Error, Code::Limit);
            self.list.push(Problem { severity, code, offset: None, message: message.into() });
        }
        self.list
    }
}

#[cfg(feature = "serde")]
mod serialize {
    use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

    use super::{Counts, Reference};
    use crate::format::Format;

    impl Serialize for Format {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.name())
        }
    }

    impl Serialize for Counts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(self.0.len()))?;
            for (name, count) in self.iter() {
                map.serialize_entry(name, &count)?;
            }
            map.end()
        }
    }

    impl Serialize for Reference {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut fields = serializer.serialize_struct("Reference", if self.name.lossy { 3 } else { 2 })?;
            fields.serialize_field("kind", &self.kind)?;
            fields.serialize_field("name", &self.name.text)?;
            if self.name.lossy {
                fields.serialize_field("lossy", &true)?;
            }
            fields.end()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_keep_their_first_place() {
        let limits = Limits { reference_bytes: 3 * 69, ..Limits::default() };
        let mut references = References::new(&limits);
        for name in ["b.png", "", "a.png", "b.png"] {
            references.add(ReferenceKind::Texture, ByteStr::from(name));
        }
        references.add(ReferenceKind::Material, ByteStr::from("b.png"));
        // There is room for no fourth.
        references.add(ReferenceKind::Proxy, ByteStr::from("c.p3d"));
        let mut problems = Problems::new(&limits);
        let names: Vec<String> = references.into_vec(&mut problems).into_iter().map(|r| r.name.text).collect();
        assert_eq!(names, ["b.png", "a.png", "b.png"]);
        assert_eq!(problems.into_vec()[0].code, Code::Limit);
    }

    #[test]
    fn problems_beyond_the_limit_are_counted() {
        let mut problems = Problems::new(&Limits { problems: 2, ..Limits::default() });
        for offset in [9, 5, 1] {
            problems.error(&Error::malformed("odd").at(offset));
        }
        let list = problems.into_vec();
        assert_eq!(list.iter().map(|p| p.offset).collect::<Vec<_>>(), [Some(5), Some(9), None]);
        assert_eq!(list[2].message, "1 further problems, beyond the limit for one asset");
    }
}
