//! Pairs files by name: members of archives, files of folders.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::comparison::Comparison;
use super::difference::Place;
use super::difference::{Change, Difference};
use super::fact::Fact;
use super::side::Side;
use super::tree::{PROBLEMS, stops_comparison};
use crate::asset::address::{MemberPath, Names, unnumbered};
use crate::asset::container::{Container, Member};
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::text::Name;
use crate::base::text::folded;
use crate::budget::Budget;

/// Smaller files may have equal content by chance, so they are not matched by content.
const LEAST_MOVED: u64 = 32;

/// A file of both lists, or of one.
pub(crate) enum Paired<T> {
    Both([(Name, T); 2]),
    /// Equal content under another name.
    Moved([Name; 2]),
    Removed(Name),
    Added(Name),
}

/// Pairs files by path, then the remaining files by path ignoring case and the kind of slash, and then by content. The
/// result is in the order of the first list, followed by the files found only in the second.
pub(crate) fn pair_paths<T>(
    a: Vec<(Name, T)>,
    b: Vec<(Name, T)>,
    size: impl Fn(&T) -> u64,
    mut content: impl FnMut(usize, &T) -> Result<Option<[u8; 32]>>,
) -> Result<Vec<Paired<T>>> {
    let others = same_names(&a, &b);
    let mut left: Vec<Option<(Name, T)>> = b.into_iter().map(Some).collect();
    let mut paired = Vec::with_capacity(a.len());
    for ((name, file), other) in std::iter::zip(a, others) {
        paired.push((name, file, take(&mut left, other)));
    }
    // Read the content only of files that have the size of a removed file.
    let mut by_size: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, file) in left.iter().enumerate() {
        let Some((_, file)) = file else { continue };
        let bytes = size(file);
        if bytes >= LEAST_MOVED {
            by_size.entry(bytes).or_default().push(place);
        }
    }
    let mut by_content: HashMap<[u8; 32], VecDeque<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (name, file, other) in paired {
        if let Some(other) = other {
            pairs.push(Paired::Both([(name, file), other]));
            continue;
        }
        let bytes = size(&file);
        for place in by_size.remove(&bytes).unwrap_or_default() {
            let Some(Some((_, file))) = left.get(place) else { continue };
            if let Some(digest) = content(1, file)? {
                by_content.entry(digest).or_default().push_back(place);
            }
        }
        let mut same = None;
        if bytes >= LEAST_MOVED
            && !by_content.is_empty()
            && let Some(digest) = content(0, &file)?
            && let Some(places) = by_content.get_mut(&digest)
        {
            same = places.pop_front();
        }
        pairs.push(match take(&mut left, same) {
            Some((to, _)) => Paired::Moved([name, to]),
            None => Paired::Removed(name),
        });
    }
    for (name, _) in left.into_iter().flatten() {
        pairs.push(Paired::Added(name));
    }
    Ok(pairs)
}

fn take<T>(list: &mut [Option<T>], place: Option<usize>) -> Option<T> {
    list.get_mut(place?)?.take()
}

/// Returns the place in the second list of the file that each one of the first is paired with by its name.
fn same_names<T>(a: &[(Name, T)], b: &[(Name, T)]) -> Vec<Option<usize>> {
    let mut others = vec![None; a.len()];
    let mut is_paired = vec![false; b.len()];
    let mut by_name: HashMap<&Name, VecDeque<usize>> = HashMap::new();
    for (place, (name, _)) in b.iter().enumerate() {
        by_name.entry(name).or_default().push_back(place);
    }
    for ((name, _), other) in std::iter::zip(a, &mut others) {
        if let Some(places) = by_name.get_mut(name) {
            *other = places.pop_front();
        }
    }
    drop(by_name);
    for place in others.iter().flatten() {
        if let Some(is_paired) = is_paired.get_mut(*place) {
            *is_paired = true;
        }
    }
    let mut by_key: HashMap<Vec<u8>, VecDeque<usize>> = HashMap::new();
    for (place, ((name, _), is_paired)) in std::iter::zip(b, is_paired).enumerate() {
        if !is_paired {
            by_key.entry(folded_path(name)).or_default().push_back(place);
        }
    }
    for ((name, _), other) in std::iter::zip(a, &mut others) {
        if other.is_none()
            && let Some(places) = by_key.get_mut(&folded_path(name))
        {
            *other = places.pop_front();
        }
    }
    others
}

/// Returns a path without the case of its letters and the kind of its slashes.
fn folded_path(name: &Name) -> Vec<u8> {
    name.text.bytes().map(folded).collect()
}

impl Place {
    /// Returns the place of a member of the archive at this place.
    fn of_member(&self, name: Name) -> Self {
        let member = MemberPath::join(self.member.as_deref(), name);
        Self { path: self.path.clone(), member: Some(Arc::new(member)) }
    }
}

impl Comparison<'_> {
    /// Compares the members of two archives.
    pub(super) fn members(&mut self, archives: [&Container<'_>; 2], budgets: [&Budget; 2], depth: u32) -> Result<()> {
        let [a, b] = budgets;
        let limit = a.limits().archive_depth;
        if depth >= limit {
            return Err(Error::limit("archives inside each other", limit, Code::ArchiveDepthLimit));
        }
        self.report_incomplete_lists(archives);
        let [one, two] = archives;
        let of_a = listed(one, a)?;
        let of_b = listed(two, b)?;
        let digest = |side, member: &Member<'_>| content_digest(member, if side == 0 { a } else { b });
        let pairs = pair_paths(of_a, of_b, Member::decoded_byte_len_hint, digest)?;
        let around = self.place.clone();
        for pair in pairs {
            match pair {
                Paired::Both([(name, one), (_, two)]) => {
                    self.place = around.of_member(name);
                    self.member([&one, &two], budgets, depth)?;
                }
                Paired::Moved([name, to]) => {
                    let mut difference = around.of_member(name).difference(Change::Moved, String::new());
                    difference.to = around.of_member(to).member.map(|name| name.text.clone());
                    self.report(difference);
                }
                Paired::Removed(name) => {
                    self.report(around.of_member(name).difference(Change::Removed, String::new()));
                }
                Paired::Added(name) => self.report(around.of_member(name).difference(Change::Added, String::new())),
            }
        }
        self.place = around;
        Ok(())
    }

    /// Reports that files may be missing from the list of an archive. They would count as removed or added, or would not
    /// be compared.
    fn report_incomplete_lists(&mut self, archives: [&Container<'_>; 2]) {
        let [one, two] = archives.map(|archive| match archive.list_error() {
            Some(error) => Fact::Text(Name { text: error.message(), lossy: false }),
            None => Fact::ABSENT,
        });
        if one == Fact::ABSENT && two == Fact::ABSENT {
            return;
        }
        let change = if one.is_same(&two, self.options) { Change::Unread } else { Change::Changed };
        let difference = self.place.difference(change, PROBLEMS.to_owned());
        self.report(Difference { values: Some([one, two]), ..difference });
    }

    fn member(&mut self, members: [&Member<'_>; 2], budgets: [&Budget; 2], depth: u32) -> Result<()> {
        let [a, b] = members;
        let [one, two] = budgets;
        let (one, two) = match (a.view(one), b.view(two)) {
            (Ok(one), Ok(two)) => (one, two),
            (Err(error), _) | (_, Err(error)) if stops_comparison(&error) => return Err(error),
            (one, two) => {
                let values = [problem(one), problem(two)];
                let is_same = values[0].is_same(&values[1], self.options);
                // Members that cannot be read for the same reason are equal if the same bytes are stored for them.
                if is_same && is_stored_alike(a, b) {
                    return Ok(());
                }
                let change = if is_same { Change::Unread } else { Change::Changed };
                let difference = self.place.difference(change, PROBLEMS.to_owned());
                self.report(Difference { values: Some(values), ..difference });
                return Ok(());
            }
        };
        if *one == *two {
            return Ok(());
        }
        let member = self.place.member.clone();
        let mut file = Path::new("");
        if let Some(member) = &member {
            file = Path::new(unnumbered(&member.text));
        }
        let sides = [Side { file, data: &one, budget: one.budget() }, Side { file, data: &two, budget: two.budget() }];
        self.contents(sides, depth.saturating_add(1))
    }
}

/// Returns true if the same bytes are stored for both members, in the same way.
fn is_stored_alike(a: &Member<'_>, b: &Member<'_>) -> bool {
    let (Ok(one), Ok(two)) = (a.stored_bytes(), b.stored_bytes()) else { return false };
    one == two && a.method_name() == b.method_name() && a.decoded_byte_len_hint() == b.decoded_byte_len_hint()
}

/// Returns the digest of a member's content. Returns `None` if it cannot be decoded.
fn content_digest(member: &Member<'_>, budget: &Budget) -> Result<Option<[u8; 32]>> {
    match member.view(budget) {
        Ok(bytes) => {
            bytes.budget().charge_work(bytes.len() as u64)?;
            Ok(Some(Sha256::digest(&*bytes).into()))
        }
        Err(error) if stops_comparison(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns the reason why a member cannot be decoded.
fn problem<T>(decoded: Result<T>) -> Fact {
    match decoded {
        Ok(_) => Fact::ABSENT,
        Err(error) => Fact::Text(Name { text: error.message(), lossy: false }),
    }
}

/// Returns the members of an archive by name.
fn listed<'a>(archive: &Container<'a>, budget: &Budget) -> Result<Vec<(Name, Member<'a>)>> {
    let mut names = Names::of(archive);
    let mut list = Vec::new();
    for member in archive.members() {
        let member = member?;
        budget.charge_members(1)?;
        budget.charge_work((member.name().len() as u64).saturating_add(256))?;
        list.push((names.next(member.name()), member));
    }
    Ok(list)
}
