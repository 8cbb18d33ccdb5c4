//! Compares two assets side by side.

use std::collections::{HashMap, HashSet};
use std::iter::zip;
use std::rc::Rc;
use std::sync::Arc;

use super::align::{Item, Matched, align, out_of_order};
use super::difference::{Change, Difference, Place, Rows};
use super::fact::Fact;
use super::lists::{Link, List, Lists, digests, seek};
use super::options::Options;
use super::rows::{self, Wanted};
use super::rules::{Rule, Rules};
use super::side::Side;
use super::tree::{Array, PROBLEMS, Tree};
use crate::asset::Asset;
use crate::asset::container::Container;
use crate::base::error::Result;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::inspect::selector::push;
use crate::outline::Value;

/// Where differences go.
type Sink<'c> = &'c mut dyn FnMut(Difference);

/// A comparison of two contents that may be archives, including their members.
pub(super) struct Comparison<'c> {
    pub(super) place: Place,
    pub(super) options: &'c Options,
    sink: Sink<'c>,
    /// The number of differences so far, without what cannot be read on both sides.
    count: u64,
}

impl<'c> Comparison<'c> {
    pub(super) fn new(place: Place, options: &'c Options, sink: Sink<'c>) -> Self {
        Self { place, options, sink, count: 0 }
    }

    pub(super) fn report(&mut self, difference: Difference) {
        if difference.change != Change::Unread {
            self.count = self.count.saturating_add(1);
        }
        (self.sink)(difference);
    }

    /// Compares two assets, including the members of archives.
    pub(super) fn assets(&mut self, assets: [&Asset<'_>; 2], budgets: [&Budget; 2], depth: u32) -> Result<()> {
        let formats = assets.map(|asset| asset.format());
        if formats[0] != formats[1] {
            let values = formats.map(|format| Fact::of(format.name().into()));
            let difference = self.place.difference(Change::Changed, "format".to_owned());
            self.report(Difference { values: Some(values), ..difference });
            return Ok(());
        }
        let [a, b] = assets;
        let containers = Container::of(a).zip(Container::of(b));
        let is_archive = containers.is_some();
        let [of_a, of_b] = budgets;
        let trees = [Tree::of(a, true, is_archive, of_a)?, Tree::of(b, true, is_archive, of_b)?];
        let mut outlines = Outlines::new(trees.each_ref(), Rules::of(formats[0]), &self.place, self.options);
        outlines.parts(trees.each_ref());
        let Outlines { findings, wanted, .. } = outlines;
        let mut rows = rows::compare(&wanted, assets, is_archive, budgets, self.options)?.into_iter();
        for mut difference in findings {
            if difference.rows.is_some() {
                difference.rows = rows.next().flatten();
                // The rows turned out to mean the same.
                if difference.rows.is_none() {
                    continue;
                }
            }
            self.report(difference);
        }
        match containers {
            Some((a, b)) => self.members([&a, &b], budgets, depth),
            None => Ok(()),
        }
    }

    /// Compares two files, which need not be assets.
    pub(super) fn contents(&mut self, sides: [Side<'_>; 2], depth: u32) -> Result<()> {
        let before = self.count;
        let [a, b] = sides;
        if let (Ok((one, held_one)), Ok((two, held_two))) = (a.open(), b.open()) {
            let budgets = [held_one.budget(), held_two.budget()];
            self.assets([&one, &two], budgets, depth)?;
            // Their bytes differ only in numbers that are within the tolerance, or in what cannot be read.
            if self.count == before && self.options.tolerance > 0.0 {
                return Ok(());
            }
        }
        if self.count == before {
            let sizes = sides.map(|side| Fact::of(side.data.len().into()));
            let difference = self.place.difference(Change::Changed, "bytes".to_owned());
            self.report(Difference { values: Some(sizes), ..difference });
        }
        Ok(())
    }
}

/// Two outlines of one format.
struct Outlines<'t, 'c> {
    rules: Rules,
    lists: [Lists<'t>; 2],
    digests: [Vec<[u8; 32]>; 2],
    matched: HashMap<[(usize, &'static str); 2], Rc<Matched>>,
    place: &'c Place,
    options: &'c Options,
    /// The current parts after all that enclose them.
    around: [Vec<&'t Tree>; 2],
    findings: Vec<Difference>,
    /// The arrays whose rows are still to be compared: those of the findings with rows.
    wanted: Vec<Wanted<'t>>,
}

impl<'t, 'c> Outlines<'t, 'c> {
    fn new(trees: [&'t Tree; 2], mut rules: Rules, place: &'c Place, options: &'c Options) -> Self {
        let mut lists = [Lists::default(), Lists::default()];
        let [a, b] = trees;
        let [of_a, of_b] = &mut lists;
        let digests = [digests(a, &mut rules, of_a), digests(b, &mut rules, of_b)];
        Self {
            rules,
            lists,
            digests,
            matched: HashMap::new(),
            place,
            options,
            around: [Vec::new(), Vec::new()],
            findings: Vec::new(),
            wanted: Vec::new(),
        }
    }

    /// Returns the selector of something inside the current part, in the first asset or in the second.
    fn at(&self, side: usize, name: &'static str, index: Option<usize>) -> String {
        let mut place = String::new();
        // The first is the asset, which selectors do not name.
        for part in self.around.get(side).into_iter().flatten().skip(1) {
            push(&mut place, part.name, part.index);
        }
        push(&mut place, name, index);
        place
    }

    fn difference(&self, change: Change, place: String, label: Option<&Arc<Name>>) -> Difference {
        Difference { label: label.cloned(), ..self.place.difference(change, place) }
    }

    fn report(&mut self, change: Change, place: String, label: Option<&Arc<Name>>, values: Option<[Fact; 2]>) {
        let difference = self.difference(change, place, label);
        self.findings.push(Difference { values, ..difference });
    }

    fn report_moved(&mut self, places: [String; 2], label: Option<&Arc<Name>>, values: Option<[Fact; 2]>) {
        let [place, to] = places;
        let difference = self.difference(Change::Moved, place, label);
        self.findings.push(Difference { to: Some(to), values, ..difference });
    }

    /// Matches the items of two lists. One of the lists may be missing.
    fn matched(&mut self, lists: &[Option<Rc<List<'t>>>; 2]) -> Rc<Matched> {
        let [one, two] = lists.each_ref().map(Option::as_deref);
        let mut key = None;
        if let (Some(a), Some(b)) = (one, two) {
            let both = [a.key(), b.key()];
            if let Some(matched) = self.matched.get(&both) {
                return matched.clone();
            }
            key = Some(both);
        }
        let [digests_a, digests_b] = &self.digests;
        let matched = Rc::new(align(&items_of(one, digests_a), &items_of(two, digests_b)));
        if let Some(key) = key {
            self.matched.insert(key, matched.clone());
        }
        matched
    }

    fn lists_of(&mut self, [a, b]: [&'t Tree; 2], name: &'static str) -> [Option<Rc<List<'t>>>; 2] {
        let [of_a, of_b] = &mut self.lists;
        [of_a.of(a, name), of_b.of(b, name)]
    }

    fn link(&mut self, path: &'static str) -> Link<'t> {
        let [of_a, of_b] = &mut self.lists;
        let lists = [of_a.find(&self.around[0], path), of_b.find(&self.around[1], path)];
        let matched = match &lists {
            [Some(_), Some(_)] => self.matched(&lists),
            _ => Rc::new(Matched::default()),
        };
        Link { lists, matched }
    }

    /// Returns the link of the field or column of this name, if it contains numbers of items.
    fn link_of(&mut self, name: &str) -> Option<Link<'t>> {
        let list = self.rules.item(name)?;
        Some(self.link(list))
    }

    fn parts(&mut self, pair: [&'t Tree; 2]) {
        let [a, b] = pair;
        let [of_a, of_b] = &self.digests;
        let is_equal = of_a.get(a.id) == of_b.get(b.id);
        if is_equal && !a.is_unread {
            return;
        }
        self.around[0].push(a);
        self.around[1].push(b);
        self.fields(pair);
        self.arrays(pair);
        let mut seen = HashSet::new();
        for (name, _) in a.lists.iter().chain(&b.lists) {
            if seen.insert(*name) {
                self.list(pair, name);
            }
        }
        for around in &mut self.around {
            around.pop();
        }
    }

    /// Compares the items of one list of both parts.
    fn list(&mut self, pair: [&'t Tree; 2], name: &'static str) {
        let [a, b] = pair;
        let items_a: Vec<&Tree> = a.list(name).collect();
        let items_b: Vec<&Tree> = b.list(name).collect();
        let lists = self.lists_of(pair, name).map(|list| list.filter(|list| list.is_of_parts()));
        let matched = self.matched(&lists);
        let mut moved = self.moved(name, &items_a, &items_b, &matched);
        for &(one, two) in &matched.pairs {
            match (item_at(&items_a, one), item_at(&items_b, two)) {
                (Some(one), Some(two)) => {
                    if let Some(values) = moved.remove(&one.id) {
                        let places = [self.at(0, one.name, one.index), self.at(1, two.name, two.index)];
                        self.report_moved(places, one.label.as_ref(), values);
                    }
                    self.rules.enter(name);
                    self.parts([one, two]);
                    self.rules.leave();
                }
                (Some(one), None) => {
                    self.report(Change::Removed, self.at(0, one.name, one.index), one.label.as_ref(), None);
                }
                (None, Some(two)) => {
                    self.report(Change::Added, self.at(1, two.name, two.index), two.label.as_ref(), None);
                }
                (None, None) => {}
            }
        }
    }

    /// Returns the parts of the first list that moved in the second, by their numbers, with their parents in both.
    /// Among parts with the same parent, reports as few as explain the order.
    fn moved(
        &mut self,
        name: &str,
        a: &[&'t Tree],
        b: &[&'t Tree],
        matched: &Matched,
    ) -> HashMap<usize, Option<[Fact; 2]>> {
        let mut moved = HashMap::new();
        let Some(first) = a.first() else { return moved };
        let is_ordered = !self.rules.has(name, Rule::Unordered);
        let link = self.link_of_parents(first);
        let mut siblings: HashMap<Option<i64>, Vec<(usize, usize)>> = HashMap::new();
        for (place, other) in matched.in_both() {
            let (Some(one), Some(two)) = (a.get(place), b.get(other)) else { continue };
            let mut parent = None;
            if let Some((field, link)) = &link {
                parent = number_in(one, field);
                if let Some(parents) = other_parent(link, parent, number_in(two, field)) {
                    moved.insert(one.id, Some(parents));
                    continue;
                }
            }
            siblings.entry(parent).or_default().push((place, other));
        }
        if !is_ordered {
            return moved;
        }
        for list in siblings.into_values() {
            for place in out_of_order(&list) {
                if let Some(part) = a.get(place) {
                    moved.insert(part.id, None);
                }
            }
        }
        moved
    }

    /// Returns the field with the parents of parts like this one, and the lists that its numbers refer to. `None` if
    /// they have no parents.
    fn link_of_parents(&mut self, part: &'t Tree) -> Option<(&'static str, Link<'t>)> {
        let mut parent = None;
        self.rules.enter(part.name);
        for (field, _) in &part.fields {
            if let Some(list) = self.rules.parent(field) {
                parent = Some((*field, list));
                break;
            }
        }
        self.rules.leave();
        let (field, list) = parent?;
        Some((field, self.link(list)))
    }

    fn fields(&mut self, pair: [&'t Tree; 2]) {
        let [a, b] = pair;
        let label = a.label.as_ref();
        for (name, value) in &a.fields {
            let Some(other) = b.field(name) else {
                self.report(Change::Removed, self.at(0, name, None), label, Some([value.clone(), Fact::ABSENT]));
                continue;
            };
            // Other parts report these.
            if self.rules.has(name, Rule::Number) || self.rules.parent(name).is_some() || self.is_repeat(name) {
                continue;
            }
            if let Some(link) = self.link_of(name) {
                if let Some(values) = linked(value, other, &link) {
                    self.report(Change::Changed, self.at(0, name, None), label, Some(values));
                }
                continue;
            }
            if value.is_same(other, self.options) {
                // What cannot be read for the same reason is not known to be equal.
                if *name == PROBLEMS {
                    let values = [value.clone(), other.clone()];
                    self.report(Change::Unread, self.at(0, name, None), label, Some(values));
                }
                continue;
            }
            if let (Fact::Texts(one), Fact::Texts(two)) = (value, other) {
                self.texts(pair, name, [one, two]);
            } else {
                let values = [value.clone(), other.clone()];
                self.report(Change::Changed, self.at(0, name, None), label, Some(values));
            }
        }
        for (name, value) in &b.fields {
            if a.field(name).is_none() {
                let values = [Fact::ABSENT, value.clone()];
                self.report(Change::Added, self.at(1, name, None), b.label.as_ref(), Some(values));
            }
        }
    }

    /// Returns true if a field repeats others of which one differs.
    fn is_repeat(&mut self, name: &str) -> bool {
        let Some(repeated) = self.rules.repeated(name) else { return false };
        let [around_a, around_b] = &self.around;
        for path in repeated {
            if let (Some(a), Some(b)) = (field_at(around_a, path), field_at(around_b, path))
                && !a.is_same(b, self.options)
            {
                return true;
            }
        }
        false
    }

    /// Compares a list of texts item by item.
    fn texts(&mut self, pair: [&'t Tree; 2], name: &'static str, texts: [&'t [Name]; 2]) {
        let label = pair[0].label.as_ref();
        let lists = self.lists_of(pair, name);
        let matched = self.matched(&lists);
        let pairs: Vec<(usize, usize)> = matched.in_both().collect();
        let moved: HashSet<usize> = out_of_order(&pairs).into_iter().collect();
        let [texts_a, texts_b] = texts;
        for &(one, two) in &matched.pairs {
            let values = [text_at(texts_a, one), text_at(texts_b, two)];
            let place = match one {
                Some(_) => self.at(0, name, one),
                None => self.at(1, name, two),
            };
            match (one, two) {
                (Some(index), Some(_)) if moved.contains(&index) => {
                    let to = self.at(1, name, two);
                    self.report_moved([place, to], label, Some(values));
                }
                (Some(_), Some(_)) if values[0].is_same(&values[1], self.options) => {
                    if name == PROBLEMS {
                        self.report(Change::Unread, place, label, Some(values));
                    }
                }
                (Some(_), Some(_)) => self.report(Change::Changed, place, label, Some(values)),
                (Some(_), None) => self.report(Change::Removed, place, label, Some(values)),
                (None, _) => self.report(Change::Added, place, label, Some(values)),
            }
        }
    }

    fn arrays(&mut self, pair: [&'t Tree; 2]) {
        let [a, b] = pair;
        let by_name = pair.map(arrays_by_name);
        let mut met = HashSet::new();
        for array in &a.arrays {
            let mut index = array.index;
            if let (Some(list), Some(number)) = (self.rules.numbered(array.name), array.index) {
                index = self.other_number(list, number);
                // The item is reported as removed, so its array need not be.
                if index.is_none() {
                    continue;
                }
            }
            let other = by_name[1].get(&(array.name, index)).copied();
            if let Some(other) = other {
                met.insert(other.id);
            }
            if self.is_reported_elsewhere(array, other, &by_name) {
                continue;
            }
            let place = self.at(0, array.name, array.index);
            let label = a.label.as_ref();
            match other {
                None => self.report(Change::Removed, place, label, None),
                Some(other) => self.array([array, other], place, label),
            }
        }
        for array in &b.arrays {
            if !met.contains(&array.id)
                && self.rules.numbered(array.name).is_none()
                && !self.is_reported_elsewhere(array, None, &by_name)
            {
                self.report(Change::Added, self.at(1, array.name, array.index), b.label.as_ref(), None);
            }
        }
    }

    /// Returns the number in the second list of the item with this number in the first.
    fn other_number(&mut self, list: &'static str, number: usize) -> Option<usize> {
        let Link { lists: [one, two], matched } = self.link(list);
        let place = one?.place(i64::try_from(number).ok()?)?;
        two?.number(matched.other(place)?)
    }

    /// Compares two arrays that may differ.
    fn array(&mut self, arrays: [&'t Array; 2], place: String, label: Option<&Arc<Name>>) {
        let [one, other] = arrays;
        if one.rows == 0 && other.rows == 0 {
            return;
        }
        self.rules.enter(one.name);
        let mut links = Vec::new();
        if one.columns == other.columns {
            for (place, column) in one.columns.iter().enumerate() {
                if let Some(link) = self.link_of(column.name) {
                    links.push((place, link));
                }
            }
        }
        self.rules.leave();
        let mut rows = None;
        if let Some(list) = self.rules.rows(one.name) {
            rows = Some(self.link(list));
        }
        // Differing numbers in rows may be explained by their lists. Equal rows may mean different items if their lists
        // differ.
        let is_plain = links.iter().all(|(_, link)| link.is_plain()) && rows.as_ref().is_none_or(Link::is_plain);
        if one.digest == other.digest && is_plain {
            return;
        }
        let rows = rows.filter(|link| !link.is_plain());
        let difference = self.difference(Change::Changed, place, label);
        self.findings.push(Difference { rows: Some(Rows::of(arrays)), ..difference });
        self.wanted.push(Wanted { arrays, links, rows });
    }

    /// Returns true if an array shows the same data as another one, which reports the difference, or if only its
    /// storage differs.
    fn is_reported_elsewhere(&mut self, array: &Array, other: Option<&Array>, by_name: &[ByName<'t>; 2]) -> bool {
        let Some(repeated) = self.rules.repeated(array.name) else { return false };
        let [around_a, around_b] = &self.around;
        let [by_name_a, by_name_b] = by_name;
        let mut is_there = false;
        let mut is_same = true;
        for &path in repeated {
            let one = repeated_digests(path, array.index, around_a, by_name_a);
            let two = repeated_digests(path, array.index, around_b, by_name_b);
            is_there |= !one.is_empty() || !two.is_empty();
            is_same &= one == two;
        }
        is_there && !(is_same && other.is_some_and(|other| other.columns == array.columns))
    }
}

fn items_of<'l>(list: Option<&'l List<'_>>, digests: &'l [[u8; 32]]) -> Vec<Item<'l>> {
    match list {
        Some(list) => list.to_match(digests),
        None => Vec::new(),
    }
}

fn item_at<T>(items: &[T], place: Option<usize>) -> Option<&T> {
    items.get(place?)
}

fn text_at(texts: &[Name], place: Option<usize>) -> Fact {
    match item_at(texts, place) {
        Some(text) => Fact::Text(text.clone()),
        None => Fact::ABSENT,
    }
}

fn field_at<'t>(around: &[&'t Tree], path: &'static str) -> Option<&'t Fact> {
    let (tree, name) = seek(around, path)?;
    tree.field(name)
}

fn number_in(tree: &Tree, field: &str) -> Option<i64> {
    tree.field(field)?.number()
}

/// Returns the parent that a part has on each side, if they differ. A side without one has an absent fact.
fn other_parent(link: &Link<'_>, was: Option<i64>, is: Option<i64>) -> Option<[Fact; 2]> {
    let is_same = match (was, is) {
        (Some(was), Some(is)) => link.is_same(was, is),
        _ => was == is,
    };
    if is_same {
        return None;
    }
    // -1 stands for a missing parent, whose fact is not used.
    let [mut fact_was, mut fact_is] = link.facts(was.unwrap_or(-1), is.unwrap_or(-1));
    if was.is_none() {
        fact_was = Fact::ABSENT;
    }
    if is.is_none() {
        fact_is = Fact::ABSENT;
    }
    Some([fact_was, fact_is])
}

type ByName<'t> = HashMap<(&'static str, Option<usize>), &'t Array>;

fn arrays_by_name(tree: &Tree) -> ByName<'_> {
    tree.arrays.iter().map(|array| ((array.name, array.index), array)).collect()
}

/// Returns the digests of the arrays at a path that another array repeats. If that one has a number, it repeats the one
/// with the same number, else all.
fn repeated_digests(path: &'static str, index: Option<usize>, around: &[&Tree], by_name: &ByName<'_>) -> Vec<[u8; 32]> {
    let mut digests = Vec::new();
    if index.is_some() {
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some(array) = by_name.get(&(name, index)) {
            digests.push(array.digest);
        }
    } else if let Some((tree, name)) = seek(around, path) {
        for array in &tree.arrays {
            if array.name == name {
                digests.push(array.digest);
            }
        }
    }
    digests
}

/// Returns the items that two fields refer to, if they differ.
fn linked(a: &Fact, b: &Fact, link: &Link<'_>) -> Option<[Fact; 2]> {
    if let (Fact::Value(Value::Ints(one)), Fact::Value(Value::Ints(two))) = (a, b) {
        let is_same = one.len() == two.len() && zip(&**one, &**two).all(|(&a, &b)| link.is_same(a, b));
        return if is_same { None } else { Some([linked_names(one, link, 0), linked_names(two, link, 1)]) };
    }
    match (a.number(), b.number()) {
        (Some(one), Some(two)) if link.is_same(one, two) => None,
        (Some(one), Some(two)) => Some(link.facts(one, two)),
        (None, None) if a.is_same(b, &Options::default()) => None,
        (one, two) => Some([linked_or_stored(a, one, link, 0), linked_or_stored(b, two, link, 1)]),
    }
}

/// Returns the names of the items that numbers of one side refer to.
fn linked_names(numbers: &[i64], link: &Link<'_>, side: usize) -> Fact {
    let mut names = Vec::new();
    for &number in numbers {
        names.push(match link.fact(side, number) {
            Fact::Text(name) => name,
            _ => Name { text: number.to_string(), lossy: false },
        });
    }
    Fact::Texts(names)
}

/// Returns the item that a field of one side refers to, or its value if that is not a number.
fn linked_or_stored(stored: &Fact, number: Option<i64>, link: &Link<'_>, side: usize) -> Fact {
    match number {
        Some(number) => link.fact(side, number),
        None => stored.clone(),
    }
}
