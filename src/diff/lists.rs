//! Lists whose items are referred to by number.

use std::collections::HashMap;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::align::{Item, Matched};
use super::fact::Fact;
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
    /// Creates a list of this part. The name after a `#` is the field that numbers its items; without one, they are
    /// numbered by their place in the file.
    fn of(tree: &'t Tree, name: &'static str) -> Option<Self> {
        let mut plain = name;
        let mut field = None;
        if let Some((before, after)) = name.split_once('#') {
            plain = before;
            field = Some(after);
        }
        let mut items: Vec<Item<'t>> = tree.list(plain).map(Item::part).collect();
        if items.is_empty() {
            let Some(Fact::Texts(texts)) = tree.field(plain) else { return None };
            items.extend(texts.iter().map(Item::text));
        }
        let mut numbers = HashMap::new();
        for (place, item) in items.iter().enumerate() {
            if let Some(number) = number_of(item, place, field) {
                numbers.entry(number).or_insert(place);
            }
        }
        let keys = keys(&items);
        let digest = Sha256::digest(keys.as_flattened()).into();
        Some(Self { key: (tree.id, name), items, numbers, keys, digest })
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
        let mut items: Vec<Item<'l>> = self.items.clone();
        for item in &mut items {
            if let Some(tree) = item.tree
                && let Some(digest) = digests.get(tree.id)
            {
                item.content = digest;
            }
        }
        items
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

/// Returns the number by which others refer to the item at this place.
fn number_of(item: &Item<'_>, place: usize, field: Option<&str>) -> Option<i64> {
    if let (Some(tree), Some(field)) = (item.tree, field) {
        return tree.field(field)?.number();
    }
    i64::try_from(item.number(place)?).ok()
}

/// Keys of the names of items. A repeated name gets a number to distinguish it.
fn keys(items: &[Item<'_>]) -> Vec<[u8; 32]> {
    let mut met: HashMap<&[u8], u64> = HashMap::new();
    let mut keys = Vec::with_capacity(items.len());
    for item in items {
        let name = match item.named() {
            Some(label) => label.as_bytes(),
            None => item.content,
        };
        let count = met.entry(name).or_default();
        keys.push(Sha256::new().chain_update(name).chain_update(count.to_le_bytes()).finalize().into());
        *count = count.saturating_add(1);
    }
    keys
}

/// The lists of an outline, each built on first use.
#[derive(Default)]
pub(super) struct Lists<'t>(HashMap<(usize, &'static str), Option<Rc<List<'t>>>>);

impl<'t> Lists<'t> {
    /// Returns a list of this part. The name after a `#` is the field that numbers its items.
    pub(super) fn of(&mut self, tree: &'t Tree, name: &'static str) -> Option<Rc<List<'t>>> {
        self.0.entry((tree.id, name)).or_insert_with(|| List::of(tree, name).map(Rc::new)).clone()
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
    let mut around = around.iter();
    let mut tree = *around.next()?;
    let mut is_around = true;
    for step in steps.split('/') {
        if step.is_empty() {
            continue;
        }
        if is_around
            && let Some(inner) = around.next()
            && inner.name == step
        {
            tree = inner;
        } else {
            is_around = false;
            tree = tree.only(step)?;
        }
    }
    Some((tree, last))
}

/// The lists of both sides that numbers refer to, and the matches of their items.
#[derive(Clone)]
pub(super) struct Link<'t> {
    pub(super) lists: [Option<Rc<List<'t>>>; 2],
    pub(super) matched: Rc<Matched>,
}

impl<'t> Link<'t> {
    fn sides(&self) -> [Option<&List<'t>>; 2] {
        self.lists.each_ref().map(Option::as_deref)
    }

    /// Returns true if two numbers refer to the same item, or refer to none and are equal.
    pub(super) fn is_same(&self, a: i64, b: i64) -> bool {
        let [one, two] = self.sides();
        match (place_in(one, a), place_in(two, b)) {
            (Some(one), Some(two)) => self.matched.other(one) == Some(two),
            (None, None) => a == b || is_end(one, a) && is_end(two, b),
            _ => false,
        }
    }

    /// Returns the items that two numbers refer to. Names of different items include their numbers if they are equal.
    pub(super) fn facts(&self, a: i64, b: i64) -> [Fact; 2] {
        let [one, two] = self.sides();
        let mut names = [name_in(one, a, None), name_in(two, b, None)];
        if !self.is_same(a, b) {
            let [name_a, name_b] = &names;
            names = [name_in(one, a, name_b.as_deref()), name_in(two, b, name_a.as_deref())];
        }
        let [name_a, name_b] = names;
        [named_or_number(name_a, a), named_or_number(name_b, b)]
    }

    /// Returns the item that a number of one side refers to.
    pub(super) fn fact(&self, side: usize, number: i64) -> Fact {
        let [one, two] = self.facts(number, number);
        if side == 0 { one } else { two }
    }

    /// Returns true if the lists are known to be equal.
    pub(super) fn is_plain(&self) -> bool {
        match &self.lists {
            [Some(one), Some(two)] => one.digest == two.digest,
            [None, None] => true,
            _ => false,
        }
    }
}

fn place_in(list: Option<&List<'_>>, number: i64) -> Option<usize> {
    list?.place(number)
}

/// Returns true if a number equals the item count. It refers to no item, too.
fn is_end(list: Option<&List<'_>>, number: i64) -> bool {
    list.is_some_and(|list| usize::try_from(number) == Ok(list.keys.len()))
}

fn name_in(list: Option<&List<'_>>, number: i64, other: Option<&str>) -> Option<String> {
    list?.name(number, other)
}

fn named_or_number(name: Option<String>, number: i64) -> Fact {
    match name {
        Some(text) => Fact::Text(Name { text, lossy: false }),
        None => Fact::Value(Value::Int(number)),
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
            let Some(list) = self.rules.item(name) else { continue };
            let list = self.lists.find(&self.around, list);
            let list = list.as_deref();
            if let Fact::Value(Value::Ints(numbers)) = value {
                for &number in &**numbers {
                    hash_item(&mut hash, list, number);
                }
            } else if let Some(number) = value.number() {
                hash_item(&mut hash, list, number);
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
            self.rules.enter(part.name);
            hash.update(self.part(part));
            self.rules.leave();
        }
        self.around.pop();
        let digest = hash.finalize().into();
        if self.digests.len() <= tree.id {
            self.digests.resize(tree.id.saturating_add(1), [0; 32]);
        }
        if let Some(place) = self.digests.get_mut(tree.id) {
            *place = digest;
        }
        digest
    }
}

/// Adds the item that a number refers to, or the number if there is no such item.
fn hash_item(hash: &mut Sha256, list: Option<&List<'_>>, number: i64) {
    if let Some(list) = list
        && let Some(place) = list.place(number)
        && let Some(key) = list.keys.get(place)
    {
        hash.update(key);
    } else {
        hash.update(number.to_le_bytes());
    }
}

/// Returns the lists that an array depends on.
fn lists_of(array: &Array, rules: &mut Rules) -> Vec<&'static str> {
    let mut lists = Vec::new();
    rules.enter(array.name);
    for column in &array.columns {
        lists.extend(rules.item(column.name));
    }
    rules.leave();
    match rules.rows(array.name) {
        Some(list) => lists.push(list),
        None => lists.extend(rules.numbered(array.name)),
    }
    lists
}
