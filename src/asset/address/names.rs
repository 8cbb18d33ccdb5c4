//! Member names: how addresses write them, and which members they match.

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

/// The number of members that match a name, and one of them.
struct Fit<'a> {
    wanted: u64,
    count: u64,
    member: Option<Member<'a>>,
}

impl<'a> Fit<'a> {
    fn add(&mut self, member: &Member<'a>) {
        if self.count == self.wanted {
            self.member = Some(*member);
        }
        self.count = self.count.saturating_add(1);
    }

    fn found(self) -> Option<Found<'a>> {
        Some(Found { member: self.member?, number: self.wanted, count: self.count })
    }
}

impl<'a> Container<'a> {
    /// Finds member `number`, counted from 0, among those that match this name as stored or as written in records. If
    /// none does, finds it among those that match ignoring case and slash direction. Walks all members once.
    ///
    /// # Errors
    /// Returns an error if the list of members ends in an error before a match.
    pub fn find(&self, name: &[u8], number: u64) -> Result<Option<Found<'a>>> {
        let fit = || Fit { wanted: number, count: 0, member: None };
        let (mut exact, mut folded) = (fit(), fit());
        let mut broken = Ok(());
        for member in self.members() {
            match member {
                Ok(member) if is_written_so(member.name(), name) => exact.add(&member),
                Ok(member) if exact.count == 0 && is_same_name(member.name().as_bytes(), name) => folded.add(&member),
                Ok(_) => {}
                Err(error) => broken = Err(error),
            }
        }
        let found = if exact.count > 0 { exact.found() } else { folded.found() };
        match found {
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
        let mut fits: BTreeMap<usize, Fits<'a>> = BTreeMap::new();
        let mut broken = Ok(());
        for member in self.members() {
            let member = match member {
                Ok(member) => member,
                Err(error) => {
                    broken = Err(error);
                    continue;
                }
            };
            let stored = member.name();
            let bytes = stored.as_bytes();
            let (spelled, shown) = match is_plain(bytes) {
                true => (None, None),
                false => (Some(spelled(stored).text), Some(stored.to_string())),
            };
            let written = [Some(bytes), spelled.as_ref().map(String::as_bytes), shown.as_ref().map(String::as_bytes)];
            let mut exact: Vec<(usize, bool)> =
                written.into_iter().flatten().flat_map(|text| ends(names, text, |a, b| a == b)).collect();
            exact.sort_unstable();
            exact.dedup();
            let folded = ends(names, bytes, is_same_name).filter(|end| exact.binary_search(end).is_err());
            let folded: Vec<(usize, bool)> = folded.collect();
            for (ends, is_exact) in [(&exact, true), (&folded, false)] {
                for &(end, is_numbered) in ends {
                    let fits = fits.entry(end).or_insert_with(|| Fits::new(names.get(..end).unwrap_or(names)));
                    fits.add(&member, is_exact, is_numbered);
                }
            }
        }
        match fits.into_iter().find_map(|(end, fits)| Some((end, fits.found()?))) {
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

/// Returns the ends of the prefixes of these names that match this text, and whether a number follows the text there.
fn ends(names: &[u8], text: &[u8], is_same: impl Fn(&[u8], &[u8]) -> bool) -> impl Iterator<Item = (usize, bool)> {
    let after = names.split_at_checked(text.len()).filter(|(name, _)| is_same(text, name)).map(|(_, after)| after);
    let is_end = |after: &[u8]| after.is_empty() || after.starts_with(SEAM);
    let plain = after.filter(|after| is_end(after)).map(|_| (text.len(), false));
    let number = after.and_then(|after| {
        let digits = after.strip_prefix(b"#")?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, after) = after.split_at_checked(digits.saturating_add(1))?;
        let end = text.len().saturating_add(number.len());
        (is_end(after) && numbered(names.get(..end)?).is_some()).then_some((end, true))
    });
    plain.into_iter().chain(number)
}

/// The members that match one name, with its number and without.
struct Fits<'a> {
    /// Exact matches, then those that ignore case and slash direction. `numbered` matches the name before the number,
    /// `whole` the name including the number.
    numbered: [Fit<'a>; 2],
    whole: [Fit<'a>; 2],
}

impl<'a> Fits<'a> {
    fn new(name: &[u8]) -> Self {
        let number = numbered(name).map_or(0, |(_, number)| number);
        let fits = |wanted| [0; 2].map(|_| Fit { wanted, count: 0, member: None });
        Self { numbered: fits(number), whole: fits(0) }
    }

    fn add(&mut self, member: &Member<'a>, is_exact: bool, is_numbered: bool) {
        let [exact, folded] = if is_numbered { &mut self.numbered } else { &mut self.whole };
        if is_exact {
            exact.add(member);
        } else if exact.count == 0 {
            folded.add(member);
        }
    }

    fn found(self) -> Option<Found<'a>> {
        let found = |[exact, folded]: [Fit<'a>; 2]| if exact.count > 0 { exact.found() } else { folded.found() };
        found(self.numbered).or_else(|| found(self.whole))
    }
}

/// Returns true if a stored name is this one, as its bytes or as written in records and tables.
fn is_written_so(stored: ByteStr<'_>, name: &[u8]) -> bool {
    let bytes = stored.as_bytes();
    bytes == name
        || !is_plain(bytes) && (spelled(stored).text.as_bytes() == name || stored.to_string().as_bytes() == name)
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
