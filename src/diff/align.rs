//! Matches the items of one list with those of another.

use std::collections::{HashMap, VecDeque};
use std::iter::zip;

use super::options::Options;
use super::tree::Tree;
use crate::base::text::Name;

/// How many items found only in the second list are compared with one that may have changed.
const NEIGHBORS: usize = 16;

/// The properties that identify an item.
#[derive(Clone, Copy)]
pub(super) struct Item<'t> {
    /// Equal for equal content.
    pub(super) content: &'t [u8],
    pub(super) label: Option<&'t str>,
    /// `None` for an item of a list of texts.
    pub(super) tree: Option<&'t Tree>,
}

impl<'t> Item<'t> {
    pub(super) fn part(tree: &'t Tree) -> Self {
        let label = tree.label.as_ref().map(|label| label.text.as_str());
        Self { content: &tree.digest, label, tree: Some(tree) }
    }

    pub(super) fn text(text: &'t Name) -> Self {
        Self { content: text.text.as_bytes(), label: Some(&text.text), tree: None }
    }

    /// Returns its label, unless that is empty.
    pub(super) fn named(&self) -> Option<&'t str> {
        self.label.filter(|label| !label.is_empty())
    }

    /// Returns its number in the file, if it has one. The item is at this place of its list.
    pub(super) fn number(&self, place: usize) -> Option<usize> {
        match self.tree {
            Some(tree) => tree.index,
            None => Some(place),
        }
    }

    /// Returns the bytes that its partner has too.
    fn key(&self, by: Key) -> Option<&'t [u8]> {
        match by {
            Key::Content => Some(self.content),
            Key::Label => self.label.map(str::as_bytes),
        }
    }
}

/// The property that two items share.
#[derive(Clone, Copy)]
enum Key {
    Content,
    Label,
}

/// The matches between the items of two lists.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// In the order of the first list; then the items found only in the second.
    pub(super) pairs: Vec<(Option<usize>, Option<usize>)>,
}

impl Matched {
    /// Returns the place in the second list that matches this place in the first.
    pub(super) fn other(&self, place: usize) -> Option<usize> {
        let (one, two) = *self.pairs.get(place)?;
        if one == Some(place) { two } else { None }
    }

    /// Returns the places in both lists of the items that both have.
    pub(super) fn in_both(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pairs.iter().filter_map(|&(one, two)| Some((one?, two?)))
    }
}

pub(super) fn align(a: &[Item<'_>], b: &[Item<'_>]) -> Matched {
    let mut of_a = vec![None; a.len()];
    let mut is_free = vec![true; b.len()];
    pair_up(a, b, Key::Content, &mut of_a, &mut is_free);
    pair_up(a, b, Key::Label, &mut of_a, &mut is_free);
    let mut pairs = Vec::new();
    let mut after = 0;
    for (index, (item, mut other)) in zip(a, of_a).enumerate() {
        if other.is_none() {
            other = neighbor_like(item, b, &is_free, after);
        }
        if let Some(place) = other {
            after = place.saturating_add(1);
            if let Some(is_free) = is_free.get_mut(place) {
                *is_free = false;
            }
        }
        pairs.push((Some(index), other));
    }
    for (place, is_free) in is_free.into_iter().enumerate() {
        if is_free {
            pairs.push((None, Some(place)));
        }
    }
    Matched { pairs }
}

/// Pairs items of the same key, in order if there are several.
fn pair_up(a: &[Item<'_>], b: &[Item<'_>], by: Key, of_a: &mut [Option<usize>], is_free: &mut [bool]) {
    let mut free: HashMap<&[u8], VecDeque<usize>> = HashMap::new();
    for (place, (item, is_free)) in zip(b, &*is_free).enumerate() {
        if *is_free && let Some(key) = item.key(by) {
            free.entry(key).or_default().push_back(place);
        }
    }
    for (item, other) in zip(a, of_a) {
        if other.is_some() {
            continue;
        }
        let Some(key) = item.key(by) else { continue };
        let Some(places) = free.get_mut(key) else { continue };
        let Some(place) = places.pop_front() else { continue };
        *other = Some(place);
        if let Some(is_free) = is_free.get_mut(place) {
            *is_free = false;
        }
    }
}

/// Returns the place of the first item of the second list that may be this item, changed. The remaining items follow
/// the same neighbor in both, so only the free items right `after` the previous partner are compared.
fn neighbor_like(item: &Item<'_>, b: &[Item<'_>], is_free: &[bool], after: usize) -> Option<usize> {
    for (place, (other, is_free)) in zip(b, is_free).enumerate().skip(after).take(NEIGHBORS) {
        if !is_free {
            return None;
        }
        if is_alike(item, other) {
            return Some(place);
        }
    }
    None
}

/// Returns true if two items without a common label may be one that changed: half of their content is equal.
fn is_alike(a: &Item<'_>, b: &Item<'_>) -> bool {
    let (Some(one), Some(two)) = (a.tree, b.tree) else { return true };
    if a.label.is_none() && b.label.is_none() {
        return true;
    }
    let mut same = 0_usize;
    for ((name, value), (other_name, other)) in zip(&one.fields, &two.fields) {
        if name == other_name && value.is_same(other, &Options::default()) {
            same = same.saturating_add(1);
        }
    }
    for (array, other) in zip(&one.arrays, &two.arrays) {
        if array.digest == other.digest {
            same = same.saturating_add(1);
        }
    }
    for (part, other) in zip(&one.parts, &two.parts) {
        if part.digest == other.digest {
            same = same.saturating_add(1);
        }
    }
    same.saturating_mul(2) >= one.len().max(two.len())
}

/// Returns the items of the first list whose partners break the order: all except a longest sequence with ascending
/// partners. Pairs have a place in the first list, in ascending order, and one in the second. No place is in two pairs.
pub(super) fn out_of_order(pairs: &[(usize, usize)]) -> Vec<usize> {
    // For each length, the number of the pair with the smallest partner that ends a sequence of that length.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, &(_, partner)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs.get(end).is_some_and(|&(_, last)| last < partner));
        let mut previous = None;
        if let Some(shorter) = length.checked_sub(1) {
            previous = ends.get(shorter).copied();
        }
        before.push(previous);
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut is_in_order = vec![false; pairs.len()];
    let mut next = ends.last().copied();
    while let Some(place) = next {
        if let Some(is_in_order) = is_in_order.get_mut(place) {
            *is_in_order = true;
        }
        next = before.get(place).copied().flatten();
    }
    let mut items = Vec::new();
    for (&(item, _), is_in_order) in zip(pairs, is_in_order) {
        if !is_in_order {
            items.push(item);
        }
    }
    items
}

#[cfg(test)]
mod tests {
    fn out_of_order(numbers: &[usize]) -> Vec<usize> {
        super::out_of_order(&numbers.iter().copied().enumerate().collect::<Vec<_>>())
    }

    #[test]
    fn as_few_as_can_be_are_out_of_order() {
        assert_eq!(out_of_order(&[0, 1, 2, 9]), [0; 0]);
        assert_eq!(out_of_order(&[3, 0, 1, 2]), [0]);
        assert_eq!(out_of_order(&[1, 2, 3, 0]), [3]);
        assert_eq!(out_of_order(&[0, 4, 1, 2, 3, 5]), [1]);
        assert_eq!(out_of_order(&[2, 1, 0]).len(), 2);
        assert_eq!(out_of_order(&[]), [0; 0]);
    }
}
