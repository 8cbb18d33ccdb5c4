//! Matches the items of one list with those of another.

use std::collections::{HashMap, VecDeque};

use super::Options;
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
        self.tree.map_or(Some(place), |tree| tree.index)
    }
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
        self.pairs.get(place).filter(|(one, _)| *one == Some(place)).and_then(|(_, two)| *two)
    }
}

pub(super) fn align(a: &[Item<'_>], b: &[Item<'_>]) -> Matched {
    let mut of_a = vec![None; a.len()];
    let mut is_free = vec![true; b.len()];
    pair_up(a, b, |item| Some(item.content), &mut of_a, &mut is_free);
    pair_up(a, b, |item| item.label.map(str::as_bytes), &mut of_a, &mut is_free);
    let mut pairs = Vec::new();
    let mut after = 0;
    for (index, (item, other)) in a.iter().zip(of_a).enumerate() {
        // The remaining items follow the same neighbor in both.
        let left = is_free.iter().enumerate().skip(after).take_while(|(_, is_free)| **is_free).take(NEIGHBORS);
        let mut left = left.map(|(place, _)| place);
        let alike = || left.find(|&place| b.get(place).is_some_and(|other| is_alike(item, other)));
        let other = other.or_else(alike);
        if let Some(place) = other {
            after = place.saturating_add(1);
            is_free.iter_mut().skip(place).take(1).for_each(|is_free| *is_free = false);
        }
        pairs.push((Some(index), other));
    }
    let added = is_free.iter().enumerate().filter(|(_, is_free)| **is_free);
    pairs.extend(added.map(|(place, _)| (None, Some(place))));
    Matched { pairs }
}

/// Pairs items of the same key, in order if there are several.
fn pair_up<'t>(
    a: &[Item<'t>],
    b: &[Item<'t>],
    key: impl Fn(&Item<'t>) -> Option<&'t [u8]>,
    of_a: &mut [Option<usize>],
    is_free: &mut [bool],
) {
    let mut free: HashMap<&[u8], VecDeque<usize>> = HashMap::new();
    for (place, (item, _)) in b.iter().zip(&*is_free).enumerate().filter(|(_, (_, is_free))| **is_free) {
        if let Some(key) = key(item) {
            free.entry(key).or_default().push_back(place);
        }
    }
    for (item, other) in a.iter().zip(of_a).filter(|(_, other)| other.is_none()) {
        *other = key(item).and_then(|key| free.get_mut(key)?.pop_front());
        if let Some(is_free) = other.and_then(|place| is_free.get_mut(place)) {
            *is_free = false;
        }
    }
}

/// Returns true if two items without a common label may be one that changed: half of their content is equal.
fn is_alike(a: &Item<'_>, b: &Item<'_>) -> bool {
    let (Some(one), Some(two)) = (a.tree, b.tree) else { return true };
    if a.label.is_none() && b.label.is_none() {
        return true;
    }
    let fields = one.fields.iter().zip(&two.fields);
    let fields = fields.filter(|((name, a), (other, b))| name == other && a.is_same(b, &Options::default())).count();
    let arrays = one.arrays.iter().zip(&two.arrays).filter(|(a, b)| a.digest == b.digest).count();
    let parts = one.parts.iter().zip(&two.parts).filter(|(a, b)| a.digest == b.digest).count();
    let same = fields.saturating_add(arrays).saturating_add(parts);
    let size = |tree: &Tree| tree.fields.len().saturating_add(tree.arrays.len()).saturating_add(tree.parts.len());
    same.saturating_mul(2) >= size(one).max(size(two))
}

/// Returns the items of the first list whose partners break the order: all except a longest sequence with ascending
/// partners. Pairs have a place in the first list and one in the second, which are distinct.
pub(super) fn out_of_order(pairs: &[(usize, usize)]) -> Vec<usize> {
    // For each length, the place of the pair with the smallest partner that ends a sequence of that length.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let number = |place: &usize| pairs.get(*place).map(|(_, number)| *number);
    for (place, &(_, this)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| number(end) < Some(this));
        before.push(length.checked_sub(1).and_then(|length| ends.get(length)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut in_order = vec![false; pairs.len()];
    let mut at = ends.last().copied();
    while let Some(place) = at {
        in_order.iter_mut().skip(place).take(1).for_each(|is| *is = true);
        at = before.get(place).copied().flatten();
    }
    pairs.iter().zip(in_order).filter(|(_, is)| !is).map(|((item, _), _)| *item).collect()
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
