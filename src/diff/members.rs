//! Pairs files by name: members of archives, files of folders.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::comparison::{Comparison, Place};
use super::{Change, Difference, Fact, Side};
use crate::asset::address::{Names, join, unnumbered};
use crate::asset::container::{Container, Member};
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::limits::flag;
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
        let other = match other {
            Some(place) => left.get_mut(place).and_then(Option::take),
            None => None,
        };
        paired.push((name, file, other));
    }
    // Read the content only of files that have the size of a removed file.
    let mut by_size: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, file) in left.iter().enumerate() {
        if let Some(bytes) = file.as_ref().map(|(_, file)| size(file)).filter(|bytes| *bytes >= LEAST_MOVED) {
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
            let file = left.get(place).and_then(Option::as_ref);
            if let Some(digest) = file.map(|(_, file)| content(1, file)).transpose()?.flatten() {
                by_content.entry(digest).or_default().push_back(place);
            }
        }
        let digest = if bytes >= LEAST_MOVED && !by_content.is_empty() { content(0, &file)? } else { None };
        let same = digest.and_then(|digest| by_content.get_mut(&digest)?.pop_front());
        pairs.push(match same.and_then(|place| left.get_mut(place)?.take()) {
            Some((to, _)) => Paired::Moved([name, to]),
            None => Paired::Removed(name),
        });
    }
    pairs.extend(left.into_iter().flatten().map(|(name, _)| Paired::Added(name)));
    Ok(pairs)
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
    let key = |name: &Name| name.text.bytes().map(folded).collect::<Vec<u8>>();
    let mut by_key: HashMap<Vec<u8>, VecDeque<usize>> = HashMap::new();
    for (place, ((name, _), is_paired)) in std::iter::zip(b, is_paired).enumerate() {
        if !is_paired {
            by_key.entry(key(name)).or_default().push_back(place);
        }
    }
    for ((name, _), other) in std::iter::zip(a, &mut others) {
        if other.is_none()
            && let Some(places) = by_key.get_mut(&key(name))
        {
            *other = places.pop_front();
        }
    }
    others
}

impl Comparison<'_> {
    /// Compares the members of two archives.
    pub(super) fn members(&mut self, archives: [&Container<'_>; 2], budgets: [&Budget; 2], depth: u32) -> Result<()> {
        let [a, b] = budgets;
        let limit = a.limits().archive_depth;
        if depth >= limit {
            return Err(Error::limit("archives inside each other", limit, flag::ARCHIVE_DEPTH));
        }
        let [one, two] = archives;
        let lists = [listed(one, a)?, listed(two, b)?];
        let [of_a, of_b] = lists;
        let content = |side: usize, member: &Member<'_>| match member.view(if side == 0 { a } else { b }) {
            Ok(bytes) => {
                bytes.budget().work(bytes.len() as u64)?;
                Ok(Some(Sha256::digest(&*bytes).into()))
            }
            Err(error) if matches!(error.kind(), ErrorKind::Limit { .. } | ErrorKind::Io(_)) => Err(error),
            Err(_) => Ok(None),
        };
        let pairs = pair_paths(of_a, of_b, Member::decoded_byte_len_hint, content)?;
        let around = self.place.clone();
        for pair in pairs {
            let at =
                |name: Name| Place { member: Some(Arc::new(join(around.member.as_deref(), name))), ..around.clone() };
            match pair {
                Paired::Both([(name, one), (_, two)]) => {
                    self.place = at(name);
                    self.member([&one, &two], budgets, depth)?;
                }
                Paired::Moved([name, to]) => {
                    let difference = at(name).difference(Change::Moved, String::new());
                    let to = at(to).member.map(|name| name.text.clone());
                    (self.sink)(Difference { to, ..difference });
                }
                Paired::Removed(name) => (self.sink)(at(name).difference(Change::Removed, String::new())),
                Paired::Added(name) => (self.sink)(at(name).difference(Change::Added, String::new())),
            }
        }
        self.place = around;
        Ok(())
    }

    fn member(&mut self, members: [&Member<'_>; 2], budgets: [&Budget; 2], depth: u32) -> Result<()> {
        let [a, b] = members;
        let [one, two] = budgets;
        let (one, two) = match (a.view(one), b.view(two)) {
            (Ok(one), Ok(two)) => (one, two),
            (Err(error), _) | (_, Err(error)) if matches!(error.kind(), ErrorKind::Limit { .. } | ErrorKind::Io(_)) => {
                return Err(error);
            }
            (one, two) => {
                let text = |result: Result<_>| match result {
                    Ok(_) => Fact::ABSENT,
                    Err(error) => Fact::Text(Name { text: error.message(), lossy: false }),
                };
                let values = [text(one), text(two)];
                // Members that cannot be decoded are equal if they are stored identically.
                if !values[0].is_same(&values[1], self.options) || a.stored_byte_len() != b.stored_byte_len() {
                    let difference = self.place.difference(Change::Changed, "problems".to_owned());
                    (self.sink)(Difference { values: Some(values), ..difference });
                }
                return Ok(());
            }
        };
        if *one == *two {
            return Ok(());
        }
        let member = self.place.member.clone();
        let file = Path::new(member.as_ref().map_or("", |member| unnumbered(&member.text)));
        let sides = [Side { file, data: &one, budget: one.budget() }, Side { file, data: &two, budget: two.budget() }];
        self.contents(sides, depth.saturating_add(1))
    }
}

/// Returns the members of an archive by name.
fn listed<'a>(archive: &Container<'a>, budget: &Budget) -> Result<Vec<(Name, Member<'a>)>> {
    let mut names = Names::of(archive);
    let name = |member: Result<Member<'a>>| {
        let member = member?;
        budget.members(1)?;
        budget.work((member.name().len() as u64).saturating_add(256))?;
        Ok((names.next(member.name()), member))
    };
    archive.members().map(name).collect()
}
