//! Lists whose items are referred to by number.

use std::collections::HashMap;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::Fact;
use super::align::{Item, Matched};
use super::rules::Rules;
use super::tree::{Array, Tree};
use crate::base::text::Name;
use crate::outline::Value;

/// A list with an index of its items.
pub(super) struct List<'t> {
    /// The part that it belongs to, and its name.
    key: (usize, &'static str),
    /// Its parts or texts, with their own content.
    items: Vec<Item<'t>>,
    /// The item of each number.
    numbers: HashMap<i64, usize>,
    /// For each item, a key that equals that of the item with the same label in another list.
    keys: Vec<[u8; 32]>,
    /// The digest of these keys.
    pub(super) digest: [u8; 32],
}

impl<'t> List<'t> {
    /// Creates the list of this name, whose items are numbered by a field or by their place in the file.
    fn new(id: usize, name: &'static str, field: Option<&str>, items: Vec<Item<'t>>) -> Self {
        let mut numbers = HashMap::new();
        for (place, item) in items.iter().enumerate() {
            let number = match (item.tree, field) {
                (Some(tree), Some(field)) => tree.field(field).and_then(Fact::number),
                _ => item.number(place).and_then(|number| i64::try_from(number).ok()),
            };
            if let Some(number) = number {
                numbers.entry(number).or_insert(place);
            }
        }
        let keys = keys(items.iter().map(|item| item.named().map_or(item.content, str::as_bytes)));
        Self { key: (id, name), items, numbers, digest: Sha256::digest(keys.as_flattened()).into(), keys }
    }

    /// Returns the part that it belongs to and its name, however its items are numbered.
    pub(super) fn key(&self) -> (usize, &'static str) {
        (self.key.0, self.key.1.split('#').next().unwrap_or_default())
    }

    pub(super) fn is_of_parts(&self) -> bool {
        self.items.iter().any(|item| item.tree.is_some())
    }

    /// Returns the number of the item at this place, if items are numbered by their place in the file.
    pub(super) fn number(&self, place: usize) -> Option<usize> {
        self.items.get(place)?.number(place)
    }

    /// Returns the place of the item with this number.
    pub(super) fn place(&self, number: i64) -> Option<usize> {
        self.numbers.get(&number).copied()
    }

    /// Returns its items for matching, with these digests as the content of parts.
    pub(super) fn to_match<'l>(&'l self, digests: &'l [[u8; 32]]) -> Vec<Item<'l>> {
        let content = |item: &Item<'l>| item.tree.and_then(|tree| digests.get(tree.id)).map(<[u8; 32]>::as_slice);
        self.items.iter().map(|item| Item { content: content(item).unwrap_or(item.content), ..*item }).collect()
    }

    /// Returns the name of an item: its label, or the list and its number. Includes both if the label equals `other`.
    pub(super) fn name(&self, number: i64, other: Option<&str>) -> Option<String> {
        let place = self.place(number)?;
        let (_, list) = self.key();
        Some(match self.items.get(place).and_then(Item::named) {
            Some(label) if other == Some(label) => format!("{label} ({list}/{place})"),
            Some(label) => label.to_owned(),
            None => format!("{list}/{place}"),
        })
    }
}

/// Keys of names. A repeated name gets a number to distinguish it.
fn keys<'n>(names: impl Iterator<Item = &'n [u8]>) -> Vec<[u8; 32]> {
    let mut met: HashMap<&[u8], u64> = HashMap::new();
    let key = |name: &'n [u8]| {
        let count = met.entry(name).or_default();
        let key = Sha256::new().chain_update(name).chain_update(count.to_le_bytes()).finalize().into();
        *count = count.saturating_add(1);
        key
    };
    names.map(key).collect()
}

/// The lists of an outline, each built on first use.
#[derive(Default)]
pub(super) struct Lists<'t>(HashMap<(usize, &'static str), Option<Rc<List<'t>>>>);

impl<'t> Lists<'t> {
    /// Returns a list of this part. The name after a `#` is the field that numbers its items.
    pub(super) fn of(&mut self, tree: &'t Tree, name: &'static str) -> Option<Rc<List<'t>>> {
        let make = || {
            let (plain, field) = name.split_once('#').map_or((name, None), |(plain, field)| (plain, Some(field)));
            let mut items: Vec<Item<'_>> = tree.list(plain).map(Item::part).collect();
            match tree.field(plain) {
                Some(Fact::Texts(texts)) if items.is_empty() => items.extend(texts.iter().map(Item::text)),
                _ if items.is_empty() => return None,
                _ => {}
            }
            Some(Rc::new(List::new(tree.id, name, field, items)))
        };
        self.0.entry((tree.id, name)).or_insert_with(make).clone()
    }

    /// Finds the list of this path, starting inside these parts.
    pub(super) fn find(&mut self, around: &[&'t Tree], path: &'static str) -> Option<Rc<List<'t>>> {
        let (tree, last) = seek(around, path)?;
        self.of(tree, last)
    }
}

/// Finds the part that contains the target of this path, starting inside these parts, and the last step.
pub(super) fn seek<'t>(around: &[&'t Tree], path: &'static str) -> Option<(&'t Tree, &'static str)> {
    let (steps, last) = path.rsplit_once('/').unwrap_or(("", path));
    let mut tree = *around.first()?;
    let mut around = around.iter().skip(1);
    let mut is_around = true;
    for step in steps.split('/').filter(|step| !step.is_empty()) {
        let inner = around.next().filter(|inner| is_around && inner.name == step);
        is_around = inner.is_some();
        tree = inner.copied().or_else(|| tree.only(step))?;
    }
    Some((tree, last))
}

/// The lists of both sides that numbers refer to, and the matches of their items.
#[derive(Clone)]
pub(super) struct Link<'t> {
    pub(super) lists: [Option<Rc<List<'t>>>; 2],
    pub(super) matched: Rc<Matched>,
}

impl Link<'_> {
    /// Returns true if two numbers refer to the same item, or refer to none and are equal.
    pub(super) fn is_same(&self, a: i64, b: i64) -> bool {
        let place = |side: &Option<Rc<List<'_>>>, number| side.as_ref().and_then(|list| list.place(number));
        // A number equal to the item count refers to no item, too.
        let is_end = |side: &Option<Rc<List<'_>>>, number| {
            side.as_ref().is_some_and(|list| usize::try_from(number) == Ok(list.keys.len()))
        };
        let [one, two] = &self.lists;
        match (place(one, a), place(two, b)) {
            (Some(one), Some(two)) => self.matched.other(one) == Some(two),
            (None, None) => a == b || is_end(one, a) && is_end(two, b),
            _ => false,
        }
    }

    /// Returns the items that two numbers refer to.
    pub(super) fn facts(&self, a: i64, b: i64) -> [Fact; 2] {
        let [one, two] = &self.lists;
        let name = |list: &Option<Rc<List<'_>>>, number, other: Option<&str>| list.as_ref()?.name(number, other);
        let is_same = self.is_same(a, b);
        let fact = |list, number, other: Option<String>| {
            let other = other.as_deref().filter(|_| !is_same);
            name(list, number, other)
                .map_or(Fact::Value(Value::Int(number)), |text| Fact::Text(Name { text, lossy: false }))
        };
        [fact(one, a, name(two, b, None)), fact(two, b, name(one, a, None))]
    }

    /// Returns true if the lists are known to be equal.
    pub(super) fn is_plain(&self) -> bool {
        let [one, two] = self.lists.each_ref().map(|list| list.as_ref().map(|list| list.digest));
        one == two
    }
}

/// Digests of all parts, by their numbers. Numbers that refer to other parts are replaced by the items they refer to.
pub(super) fn digests<'t>(tree: &'t Tree, rules: &mut Rules, lists: &mut Lists<'t>) -> Vec<[u8; 32]> {
    let mut meaning = Meaning { rules, lists, around: Vec::new(), digests: Vec::new() };
    meaning.part(tree);
    meaning.digests
}

struct Meaning<'m, 't> {
    rules: &'m mut Rules,
    lists: &'m mut Lists<'t>,
    around: Vec<&'t Tree>,
    digests: Vec<[u8; 32]>,
}

impl<'t> Meaning<'_, 't> {
    fn part(&mut self, tree: &'t Tree) -> [u8; 32] {
        self.around.push(tree);
        let mut hash = Sha256::new().chain_update(tree.digest);
        for (name, value) in &tree.fields {
            if let Some(list) = self.rules.item(name) {
                let list = self.lists.find(&self.around, list);
                let mut number = |number: i64| match list.as_ref().and_then(|list| list.keys.get(list.place(number)?)) {
                    Some(key) => hash.update(key),
                    None => hash.update(number.to_le_bytes()),
                };
                match value {
                    Fact::Value(Value::Ints(numbers)) => numbers.iter().copied().for_each(number),
                    value => value.number().into_iter().for_each(&mut number),
                }
            }
        }
        for array in &tree.arrays {
            for list in lists_of(array, self.rules) {
                if let Some(list) = self.lists.find(&self.around, list) {
                    hash.update(list.digest);
                }
            }
        }
        for part in &tree.parts {
            self.rules.open(part.name);
            hash.update(self.part(part));
            self.rules.close();
        }
        self.around.pop();
        let digest = hash.finalize().into();
        if self.digests.len() <= tree.id {
            self.digests.resize(tree.id.saturating_add(1), [0; 32]);
        }
        self.digests.iter_mut().skip(tree.id).take(1).for_each(|place| *place = digest);
        digest
    }
}

/// Returns the lists that an array depends on.
fn lists_of(array: &Array, rules: &mut Rules) -> Vec<&'static str> {
    rules.open(array.name);
    let mut lists: Vec<_> = array.columns.iter().filter_map(|column| rules.item(column.name)).collect();
    rules.close();
    lists.extend(rules.rows(array.name).or_else(|| rules.numbered(array.name)));
    lists
}
