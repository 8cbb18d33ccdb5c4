//! Member names: how addresses write them, and which members they match.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use super::SEAM;
use crate::asset::container::{Container, Member};
use crate::base::error::Result;
use crate::base::text::{ByteStr, Name, is_same_name};

/// Splits a name that ends in `#` and a number.
pub(super) fn numbered(name: &[u8]) -> Option<(&[u8], u64)> {
    let mark = memchr::memrchr(b'#', name)?;
    let (base, digits) = (name.get(..mark)?, name.get(mark.saturating_add(1)..)?);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number = is_number.then(|| std::str::from_utf8(digits).ok()?.parse().ok()).flatten()?;
    Some((base, number))
}

/// Returns a member's path without the number of its last name. Only an address adds `#` and a number.
pub(crate) fn unnumbered(name: &str) -> &str {
    numbered(name.as_bytes()).and_then(|(base, _)| name.get(..base.len())).unwrap_or(name)
}

pub(super) fn numbered_name(name: Name, number: u64) -> Name {
    if number == 0 && numbered(name.text.as_bytes()).is_none() {
        return name;
    }
    Name { text: format!("{}#{number}", name.text), ..name }
}

/// Returns a member's name as written in addresses and records, without its number.
pub(super) fn spelled(name: ByteStr<'_>) -> Name {
    let name = Name::from(name);
    match name.text.contains("!/") {
        true => Name { text: name.text.replace("!/", "!\\x2f"), lossy: true },
        false => name,
    }
}

/// A member that matches a name.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Found<'a> {
    /// The member.
    pub member: Member<'a>,
    /// The number of earlier members that match the name.
    pub number: u64,
    /// The number of all members that match the name as well as this one.
    pub count: u64,
}

/// The members that match a name.
struct Fits<'a> {
    wanted: u64,
    /// The number of members that match exactly, and one of them.
    exact: (u64, Option<Member<'a>>),
    /// The same of those that match ignoring case and slash direction. They count only without exact ones.
    folded: (u64, Option<Member<'a>>),
}

impl<'a> Fits<'a> {
    fn new(wanted: u64) -> Self {
        Self { wanted, exact: (0, None), folded: (0, None) }
    }

    fn add(&mut self, found: &Member<'a>, is_exact: bool) {
        let (count, member) = if is_exact { &mut self.exact } else { &mut self.folded };
        if *count == self.wanted {
            *member = Some(*found);
        }
        *count = count.saturating_add(1);
    }

    fn found(self) -> Option<Found<'a>> {
        let (count, member) = if self.exact.0 > 0 { self.exact } else { self.folded };
        Some(Found { member: member?, number: self.wanted, count })
    }
}

impl<'a> Container<'a> {
    /// Finds member `number`, counted from 0, among those that match this name as stored or as written in records. If
    /// none does, finds it among those that match ignoring case and slash direction. Walks all members once.
    ///
    /// # Errors
    /// Returns an error if the list of members ends in an error before a match.
    pub fn find(&self, name: &[u8], number: u64) -> Result<Option<Found<'a>>> {
        let mut fits = Fits::new(number);
        let mut broken = Ok(());
        for member in self.members() {
            match member {
                Ok(member) if written(member.name()).any(|text| *text == *name) => fits.add(&member, true),
                Ok(member) if is_same_name(member.name().as_bytes(), name) => fits.add(&member, false),
                Ok(_) => {}
                Err(error) => broken = Err(error),
            }
        }
        match fits.found() {
            Some(found) => Ok(Some(found)),
            None => broken.map(|()| None),
        }
    }

    /// Returns up to three names that are most similar to this one, best first. Examines the first 100,000 members, and
    /// compares letters for at most about a tenth of a second.
    pub fn nearest(&self, name: &[u8]) -> Vec<ByteStr<'a>> {
        nearest(self.members().map_while(Result::ok).map(|member| member.name()), name)
    }

    /// Finds the member that the shortest matching prefix of these names matches, and the end of that prefix: at a
    /// separator, or at the end of the names. Walks all members once.
    ///
    /// # Errors
    /// Returns an error if the list of members ends in an error before a match.
    pub(super) fn locate(&self, names: &[u8]) -> Result<Option<(usize, Found<'a>)>> {
        let mut fits: BTreeMap<(usize, bool), Fits<'a>> = BTreeMap::new();
        let mut broken = Ok(());
        for member in self.members() {
            let member = match member {
                Ok(member) => member,
                Err(error) => {
                    broken = Err(error);
                    continue;
                }
            };
            let mut add = |(end, is_whole), is_exact| {
                let number = || names.get(..end).and_then(numbered).map_or(0, |(_, number)| number);
                let fits =
                    fits.entry((end, is_whole)).or_insert_with(|| Fits::new(if is_whole { 0 } else { number() }));
                fits.add(&member, is_exact);
            };
            let mut exact: Vec<_> =
                written(member.name()).flat_map(|text| ends(names, &text, |a, b| a == b)).flatten().collect();
            exact.sort_unstable();
            exact.dedup();
            exact.into_iter().for_each(|end| add(end, true));
            ends(names, member.name().as_bytes(), is_same_name).into_iter().flatten().for_each(|end| add(end, false));
        }
        match fits.into_iter().find_map(|((end, _), fits)| Some((end, fits.found()?))) {
            Some(found) => Ok(Some(found)),
            None => broken.map(|()| None),
        }
    }
}

/// Returns up to three of these names that are most similar to `name`, best first, ignoring case and slash direction.
/// Examines the first 100,000 names, and compares letters for at most about a tenth of a second.
pub fn nearest<'n>(names: impl Iterator<Item = ByteStr<'n>>, name: &[u8]) -> Vec<ByteStr<'n>> {
    const LONGEST: usize = 256;
    const MOST_STEPS: usize = 20_000_000;
    let text = |name: &[u8]| ByteStr::new(name).to_text_lossy().to_lowercase().replace('/', "\\");
    if name.len() > LONGEST {
        return Vec::new();
    }
    let wanted = text(name);
    let last = |name: &str| name.rsplit('\\').next().unwrap_or_default().to_owned();
    let letters = wanted.chars().count();
    let (last_wanted, near) = (last(&wanted), letters.div_ceil(3));
    let mut steps = 0_usize;
    let mut distance = |name: &str| {
        // The right file in another folder is nearer than any misspelling.
        if last(name) == last_wanted {
            return 0;
        }
        // Each additional letter counts as a misspelling.
        let others = name.chars().count();
        let spent = steps.saturating_add(letters.saturating_mul(others));
        if others.abs_diff(letters) > near || spent > MOST_STEPS {
            return usize::MAX;
        }
        steps = spent;
        strsim::osa_distance(name, &wanted)
    };
    let mut best: Vec<(usize, ByteStr<'n>)> = Vec::new();
    for name in names.take(100_000).filter(|name| name.len() <= LONGEST) {
        let far = distance(&text(name.as_bytes()));
        if far <= near && !best.iter().any(|(_, known)| *known == name) {
            best.push((far, name));
            best.sort_by_key(|(far, _)| *far);
            best.truncate(3);
        }
    }
    best.into_iter().map(|(_, name)| name).collect()
}

/// Returns the ends of the prefixes of these names that match this text: with a number after it (false), and without
/// (true).
fn ends(names: &[u8], text: &[u8], is_same: impl Fn(&[u8], &[u8]) -> bool) -> [Option<(usize, bool)>; 2] {
    let after = names.split_at_checked(text.len()).filter(|(name, _)| is_same(text, name)).map(|(_, after)| after);
    let is_end = |after: &[u8]| after.is_empty() || after.starts_with(SEAM);
    let whole = after.filter(|after| is_end(after)).map(|_| (text.len(), true));
    let number = after.and_then(|after| {
        let digits = after.strip_prefix(b"#")?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, after) = after.split_at_checked(digits.saturating_add(1))?;
        let end = text.len().saturating_add(number.len());
        (is_end(after) && numbered(names.get(..end)?).is_some()).then_some((end, false))
    });
    [number, whole]
}

/// Returns a stored name as its bytes, and as written in records and tables where that differs.
fn written(name: ByteStr<'_>) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let bytes = name.as_bytes();
    let others =
        (!is_plain(bytes)).then(|| [spelled(name).text, name.to_string()].map(|text| text.into_bytes().into()));
    std::iter::once(bytes.into()).chain(others.into_iter().flatten())
}

/// Returns true if a name is written exactly as stored.
fn is_plain(name: &[u8]) -> bool {
    name.iter().all(|byte| (b' '..=b'~').contains(byte)) && memchr::memmem::find(name, SEAM).is_none()
}

/// Gives each member of an archive a unique name that an address resolves to it.
#[derive(Debug)]
pub struct Names {
    hash: RandomState,
    /// How many members of each repeated name have been named so far.
    shared: HashMap<u64, u64>,
}

impl Names {
    /// Finds repeated names. Walks the members once, and needs eight bytes for each meanwhile.
    pub fn of(container: &Container<'_>) -> Self {
        Self::among(container, usize::MAX)
    }

    /// Finds repeated names among this many members at the beginning.
    pub fn among(container: &Container<'_>, count: usize) -> Self {
        let hash = RandomState::new();
        let names = container.members().map_while(Result::ok).take(count);
        let mut hashes: Vec<u64> = names.map(|member| key(&hash, member.name())).collect();
        hashes.sort_unstable();
        let twice = hashes.windows(2).filter(|pair| pair.first() == pair.last()).flatten();
        let shared = twice.map(|&hash| (hash, 0)).collect();
        Self { hash, shared }
    }

    /// Returns the name of the next member in archive order.
    pub fn next(&mut self, name: ByteStr<'_>) -> Name {
        let number = match self.shared.is_empty() {
            true => 0,
            false => self.shared.get_mut(&key(&self.hash, name)).map_or(0, |count| {
                let number = *count;
                *count = count.saturating_add(1);
                number
            }),
        };
        numbered_name(spelled(name), number)
    }
}

/// Returns the hash of a name as written, for most names without writing it out.
fn key(hash: &RandomState, name: ByteStr<'_>) -> u64 {
    let bytes = name.as_bytes();
    match bytes.is_ascii() && !bytes.contains(&b'!') {
        true => hash.hash_one(bytes),
        false => hash.hash_one(spelled(name).text.as_bytes()),
    }
}
