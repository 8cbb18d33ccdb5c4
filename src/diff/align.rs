//! Which item of one list is which of another.

use std::collections::{HashMap, VecDeque};

use super::tree::Tree;

/// How many items that only the second list has are looked at for one that was changed.
const NEIGHBORS: usize = 16;

/// Which item of one list is which of the other, in the order of the first; then what only the second has.
pub(super) fn align(a: &[&Tree], b: &[&Tree]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut of_a = vec![None; a.len()];
    let mut is_free = vec![true; b.len()];
    pair_up(a, b, |tree| Some(&tree.digest), &mut of_a, &mut is_free);
    pair_up(a, b, |tree| tree.label.as_ref().map(|label| label.text.as_bytes()), &mut of_a, &mut is_free);
    let mut pairs = Vec::new();
    let mut behind = 0;
    for (index, (tree, other)) in a.iter().zip(of_a).enumerate() {
        // What is left stands behind the same neighbor in both.
        let left = is_free.iter().enumerate().skip(behind).take_while(|(_, is_free)| **is_free).take(NEIGHBORS);
        let mut left = left.map(|(place, _)| place);
        let alike = || left.find(|&place| b.get(place).is_some_and(|other| is_alike(tree, other)));
        let other = other.or_else(alike);
        if let Some(place) = other {
            behind = place.saturating_add(1);
            is_free.iter_mut().skip(place).take(1).for_each(|is_free| *is_free = false);
        }
        pairs.push((Some(index), other));
    }
    let added = is_free.iter().enumerate().filter(|(_, is_free)| **is_free);
    pairs.extend(added.map(|(place, _)| (None, Some(place))));
    pairs
}

/// Whether what both lists have stands in another order in the second.
pub(super) fn is_moved(pairs: &[(Option<usize>, Option<usize>)]) -> bool {
    !pairs.iter().filter_map(|(one, two)| one.and(*two)).is_sorted()
}

/// Pairs what has the same key, in order where there are several.
fn pair_up<'t>(
    a: &[&'t Tree],
    b: &[&'t Tree],
    key: impl Fn(&'t Tree) -> Option<&'t [u8]>,
    of_a: &mut [Option<usize>],
    is_free: &mut [bool],
) {
    let mut free: HashMap<&[u8], VecDeque<usize>> = HashMap::new();
    for (place, (tree, _)) in b.iter().zip(&*is_free).enumerate().filter(|(_, (_, is_free))| **is_free) {
        if let Some(key) = key(tree) {
            free.entry(key).or_default().push_back(place);
        }
    }
    for (tree, other) in a.iter().zip(of_a).filter(|(_, other)| other.is_none()) {
        *other = key(tree).and_then(|key| free.get_mut(key)?.pop_front());
        if let Some(is_free) = other.and_then(|place| is_free.get_mut(place)) {
            *is_free = false;
        }
    }
}

/// Whether two items without a common label may be one that was changed: half of what they hold is the same.
fn is_alike(a: &Tree, b: &Tree) -> bool {
    if a.label.is_none() && b.label.is_none() {
        return true;
    }
    let fields = a.fields.iter().zip(&b.fields).filter(|((one, a), (two, b))| one == two && a.is_same(b)).count();
    let arrays = a.arrays.iter().zip(&b.arrays).filter(|(a, b)| a.digest == b.digest).count();
    let parts = a.parts.iter().zip(&b.parts).filter(|(a, b)| a.digest == b.digest).count();
    let same = fields.saturating_add(arrays).saturating_add(parts);
    let size = |tree: &Tree| tree.fields.len().saturating_add(tree.arrays.len()).saturating_add(tree.parts.len());
    same.saturating_mul(2) >= size(a).max(size(b))
}
