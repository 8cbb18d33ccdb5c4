//! Member names: how addresses write them, and which members they match.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use super::member_path::{SEAM, has_seam, numbered, respelled};
use crate::asset::container::{Container, Member};
use crate::base::error::Result;
use crate::base::text::{ByteStr, Name, is_same_name};

pub(super) fn numbered_name(name: Name, number: u64) -> Name {
    if number == 0 && numbered(name.text.as_bytes()).is_none() {
        return name;
    }
    Name { text: format!("{}#{number}", name.text), ..name }
}

/// Returns a member's name as written in addresses and records, without its number.
pub(super) fn spelled(name: ByteStr<'_>) -> Name {
    let name = Name::from(name);
    match respelled(&name.text) {
        Some(text) => Name { text, lossy: true },
        None => name,
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

/// The members that match a name in the same way.
#[derive(Default)]
struct Matches<'a> {
    count: u64,
    /// The one with the wanted number.
    wanted: Option<Member<'a>>,
}

/// The members that match a name.
struct Fits<'a> {
    wanted: u64,
    exact: Matches<'a>,
    /// Those that match ignoring case and slash direction. They count only without exact ones.
    folded: Matches<'a>,
}

impl<'a> Fits<'a> {
    fn new(wanted: u64) -> Self {
        Self { wanted, exact: Matches::default(), folded: Matches::default() }
    }

    fn add(&mut self, member: &Member<'a>, is_exact: bool) {
        let matches = if is_exact { &mut self.exact } else { &mut self.folded };
        if matches.count == self.wanted {
            matches.wanted = Some(*member);
        }
        matches.count = matches.count.saturating_add(1);
    }

    fn found(self) -> Option<Found<'a>> {
        let matches = if self.exact.count > 0 { self.exact } else { self.folded };
        Some(Found { member: matches.wanted?, number: self.wanted, count: matches.count })
    }
}

/// The end of a prefix of names that matches a member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    at: usize,
    /// True if the whole prefix is the name, false if a `#` and a number follow the name.
    is_whole: bool,
}

/// The members that prefixes of these names match, by the end of the prefix.
struct PrefixFits<'n, 'a> {
    names: &'n [u8],
    by_end: BTreeMap<End, Fits<'a>>,
}

impl<'a> PrefixFits<'_, 'a> {
    fn add(&mut self, end: End, member: &Member<'a>, is_exact: bool) {
        let names = self.names;
        let fits = self.by_end.entry(end).or_insert_with(|| Fits::new(wanted_number(names, end)));
        fits.add(member, is_exact);
    }
}

/// Returns the number at the end of a prefix of names.
fn wanted_number(names: &[u8], end: End) -> u64 {
    if !end.is_whole
        && let Some(name) = names.get(..end.at)
        && let Some((_, number)) = numbered(name)
    {
        return number;
    }
    0
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
            let member = match member {
                Ok(member) => member,
                Err(error) => {
                    broken = Err(error);
                    continue;
                }
            };
            if is_written_as(member.name(), name) {
                fits.add(&member, true);
            } else if is_same_name(member.name().as_bytes(), name) {
                fits.add(&member, false);
            }
        }
        let found = fits.found();
        if found.is_none() {
            broken?;
        }
        Ok(found)
    }

    /// Finds the member with this name as records write it: one of several with one name ends in `#` and its number.
    ///
    /// # Errors
    /// Returns the errors of [`find`](Self::find).
    pub fn find_written(&self, name: &str) -> Result<Option<Member<'a>>> {
        if let Some(found) = self.find(name.as_bytes(), 0)? {
            return Ok(Some(found.member));
        }
        let Some((name, number)) = numbered(name.as_bytes()) else { return Ok(None) };
        let found = self.find(name, number)?;
        Ok(found.map(|found| found.member))
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
        let mut fits = PrefixFits { names, by_end: BTreeMap::new() };
        let mut broken = Ok(());
        for member in self.members() {
            let member = match member {
                Ok(member) => member,
                Err(error) => {
                    broken = Err(error);
                    continue;
                }
            };
            for end in exact_ends(names, member.name()) {
                fits.add(end, &member, true);
            }
            for end in folded_ends(names, member.name()) {
                fits.add(end, &member, false);
            }
        }
        for (end, fits) in fits.by_end {
            if let Some(found) = fits.found() {
                return Ok(Some((end.at, found)));
            }
        }
        broken?;
        Ok(None)
    }
}

/// Returns up to three of these names that are most similar to `name`, best first, ignoring case and slash direction.
/// Examines the first 100,000 names, and compares letters for at most about a tenth of a second.
pub fn nearest<'n>(names: impl Iterator<Item = ByteStr<'n>>, name: &[u8]) -> Vec<ByteStr<'n>> {
    const LONGEST: usize = 256;
    if name.len() > LONGEST {
        return Vec::new();
    }
    let mut comparison = Comparison::new(name);
    let mut best: Vec<(usize, ByteStr<'n>)> = Vec::new();
    for name in names.take(100_000) {
        if name.len() > LONGEST {
            continue;
        }
        let distance = comparison.distance(&folded(name.as_bytes()));
        if distance <= comparison.most && !best.iter().any(|(_, known)| *known == name) {
            best.push((distance, name));
            best.sort_by_key(|(distance, _)| *distance);
            best.truncate(3);
        }
    }
    best.into_iter().map(|(_, name)| name).collect()
}

/// A name that others are compared with.
struct Comparison {
    wanted: String,
    letters: usize,
    /// The distance of names that are still similar.
    most: usize,
    /// How many pairs of letters were compared.
    steps: usize,
}

impl Comparison {
    const MOST_STEPS: usize = 20_000_000;

    fn new(name: &[u8]) -> Self {
        let wanted = folded(name);
        let letters = wanted.chars().count();
        Self { wanted, letters, most: letters.div_ceil(3), steps: 0 }
    }

    /// Returns the number of misspellings in a folded name.
    fn distance(&mut self, name: &str) -> usize {
        // The right file in another folder is nearer than any misspelling.
        if last_name(name) == last_name(&self.wanted) {
            return 0;
        }
        // Each additional letter counts as a misspelling.
        let letters = name.chars().count();
        let steps = self.steps.saturating_add(self.letters.saturating_mul(letters));
        if letters.abs_diff(self.letters) > self.most || steps > Self::MOST_STEPS {
            return usize::MAX;
        }
        self.steps = steps;
        strsim::osa_distance(name, &self.wanted)
    }
}

/// Returns a name in lower case and with backslashes.
fn folded(name: &[u8]) -> String {
    ByteStr::new(name).to_text_lossy().to_lowercase().replace('/', "\\")
}

/// Returns the last component of a folded name.
fn last_name(name: &str) -> &str {
    name.rsplit('\\').next().unwrap_or_default()
}

/// Returns the ends of the prefixes of these names that match a stored name exactly, each once: as its bytes, or as
/// written in records and tables.
fn exact_ends(names: &[u8], name: ByteStr<'_>) -> Vec<End> {
    let mut ends = Vec::new();
    let bytes = name.as_bytes();
    if names.starts_with(bytes) {
        add_ends(&mut ends, names, bytes.len());
    }
    if !is_plain(bytes) {
        for text in [spelled(name).text, name.to_string()] {
            if names.starts_with(text.as_bytes()) {
                add_ends(&mut ends, names, text.len());
            }
        }
    }
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Returns the ends of the prefixes of these names that match a stored name ignoring case and slash direction.
fn folded_ends(names: &[u8], name: ByteStr<'_>) -> Vec<End> {
    let mut ends = Vec::new();
    let bytes = name.as_bytes();
    if let Some((start, _)) = names.split_at_checked(bytes.len())
        && is_same_name(bytes, start)
    {
        add_ends(&mut ends, names, bytes.len());
    }
    ends
}

/// Adds the ends of the prefixes of these names that consist of a name of this length: alone, and with a number.
fn add_ends(ends: &mut Vec<End>, names: &[u8], length: usize) {
    let after = names.get(length..).unwrap_or_default();
    if is_end(after) {
        ends.push(End { at: length, is_whole: true });
    }
    if let Some(end) = end_of_number(names, length) {
        ends.push(end);
    }
}

/// Returns the end of the `#` and number at a place in these names.
fn end_of_number(names: &[u8], start: usize) -> Option<End> {
    let after_name = names.get(start..)?;
    let digits = after_name.strip_prefix(b"#")?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let at = start.saturating_add(1).saturating_add(digits);
    let (name, after) = names.split_at_checked(at)?;
    if !is_end(after) {
        return None;
    }
    // Without digits, or with too many, it is not a number.
    numbered(name)?;
    Some(End { at, is_whole: false })
}

/// Returns true if a name ends before these names.
fn is_end(after: &[u8]) -> bool {
    after.is_empty() || after.starts_with(SEAM)
}

/// Returns true if a stored name is this text: as its bytes, or as written in records and tables.
fn is_written_as(name: ByteStr<'_>, text: &[u8]) -> bool {
    let bytes = name.as_bytes();
    if bytes == text {
        return true;
    }
    !is_plain(bytes) && (spelled(name).text.as_bytes() == text || name.to_string().as_bytes() == text)
}

/// Returns true if a name is written exactly as stored.
fn is_plain(name: &[u8]) -> bool {
    name.iter().all(|byte| (b' '..=b'~').contains(byte)) && !has_seam(name)
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
        let mut hashes: Vec<u64> = Vec::new();
        for member in container.members().take(count) {
            let Ok(member) = member else { break };
            hashes.push(key(&hash, member.name()));
        }
        hashes.sort_unstable();
        let mut shared = HashMap::new();
        for pair in hashes.windows(2) {
            if let [first, second] = pair
                && first == second
            {
                shared.insert(*first, 0);
            }
        }
        Self { hash, shared }
    }

    /// Returns the name of the next member in archive order.
    pub fn next(&mut self, name: ByteStr<'_>) -> Name {
        let mut number = 0;
        if !self.shared.is_empty()
            && let Some(count) = self.shared.get_mut(&key(&self.hash, name))
        {
            number = *count;
            *count = count.saturating_add(1);
        }
        numbered_name(spelled(name), number)
    }
}

/// Returns the hash of a name as written, for most names without writing it out.
fn key(hash: &RandomState, name: ByteStr<'_>) -> u64 {
    let bytes = name.as_bytes();
    let is_written_as_stored = bytes.is_ascii() && !bytes.contains(&b'!');
    if is_written_as_stored {
        return hash.hash_one(bytes);
    }
    hash.hash_one(spelled(name).text.as_bytes())
}
