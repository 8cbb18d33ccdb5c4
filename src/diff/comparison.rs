//! Compares two assets side by side.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::align::{Matched, align, out_of_order};
use super::lists::{Link, List, Lists, digests, seek};
use super::rows::{self, Wanted};
use super::rules::{Rule, Rules};
use super::tree::{Array, Tree};
use super::{Change, Difference, Fact, Options, Rows, Side};
use crate::asset::Asset;
use crate::asset::container::Container;
use crate::base::error::Result;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::inspect::selector::push;
use crate::outline::Value;

/// The file and member being compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) path: Option<Arc<Name>>,
    pub(super) member: Option<Arc<Name>>,
}

impl Place {
    pub(super) fn difference(&self, change: Change, place: String) -> Difference {
        let Self { path, member } = self.clone();
        Difference { change, path, member, place, to: None, label: None, values: None, rows: None }
    }
}

/// A comparison of two contents that may be archives, including their members.
pub(super) struct Comparison<'c> {
    pub(super) place: Place,
    pub(super) options: &'c Options,
    pub(super) sink: &'c mut dyn FnMut(Difference),
}

impl Comparison<'_> {
    /// Compares two assets, including the members of archives.
    pub(super) fn assets(&mut self, assets: [&Asset<'_>; 2], budgets: [&Budget; 2], depth: u32) -> Result<()> {
        let formats = assets.map(|asset| asset.format());
        if formats[0] != formats[1] {
            let values = formats.map(|format| Fact::of(format.name().into()));
            let difference = self.place.difference(Change::Changed, "format".to_owned());
            (self.sink)(Difference { values: Some(values), ..difference });
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
            (self.sink)(difference);
        }
        match containers {
            Some((a, b)) => self.members([&a, &b], budgets, depth),
            None => Ok(()),
        }
    }

    /// Compares two files, which need not be assets.
    pub(super) fn contents(&mut self, sides: [Side<'_>; 2], depth: u32) -> Result<()> {
        let mut count = 0_u64;
        let [a, b] = sides;
        if let (Ok((one, held_one)), Ok((two, held_two))) = (a.open(), b.open()) {
            let sink = &mut |difference| {
                count = count.saturating_add(1);
                (self.sink)(difference);
            };
            let budgets = [held_one.budget(), held_two.budget()];
            let mut inside = Comparison { place: self.place.clone(), options: self.options, sink };
            inside.assets([&one, &two], budgets, depth)?;
            // Their bytes differ only in numbers that are within the tolerance.
            if count == 0 && self.options.tolerance > 0.0 {
                return Ok(());
            }
        }
        if count == 0 {
            let sizes = sides.map(|side| Fact::of(side.data.len().into()));
            let difference = self.place.difference(Change::Changed, "bytes".to_owned());
            (self.sink)(Difference { values: Some(sizes), ..difference });
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
        let [of_a, of_b] = &self.digests;
        let [one, two] = lists.each_ref().map(Option::as_deref);
        let make = || {
            let (a, b) = (one.map(|list| list.to_match(of_a)), two.map(|list| list.to_match(of_b)));
            Rc::new(align(&a.unwrap_or_default(), &b.unwrap_or_default()))
        };
        match (one, two) {
            (Some(a), Some(b)) => self.matched.entry([a.key(), b.key()]).or_insert_with(make).clone(),
            _ => make(),
        }
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
        let ([a, b], [of_a, of_b]) = (pair, &self.digests);
        if of_a.get(a.id) == of_b.get(b.id) {
            return;
        }
        self.around[0].push(a);
        self.around[1].push(b);
        self.fields(pair);
        self.arrays(pair);
        let mut seen = HashSet::new();
        let names = a.lists.iter().chain(&b.lists).map(|(name, _)| *name);
        for name in names.filter(|name| seen.insert(*name)) {
            self.list(pair, name);
        }
        for around in &mut self.around {
            around.pop();
        }
    }

    /// Compares the items of one list of both parts.
    fn list(&mut self, pair: [&'t Tree; 2], name: &'static str) {
        let [a, b] = pair;
        let (items_a, items_b): (Vec<&Tree>, Vec<&Tree>) = (a.list(name).collect(), b.list(name).collect());
        let lists = self.lists_of(pair, name).map(|list| list.filter(|list| list.is_of_parts()));
        let matched = self.matched(&lists);
        let mut moved = self.moved(name, &items_a, &items_b, &matched);
        for &(one, two) in &matched.pairs {
            match (one.and_then(|one| items_a.get(one)), two.and_then(|two| items_b.get(two))) {
                (Some(one), Some(two)) => {
                    if let Some(values) = moved.remove(&one.id) {
                        let places = [self.at(0, one.name, one.index), self.at(1, two.name, two.index)];
                        self.report_moved(places, one.label.as_ref(), values);
                    }
                    self.rules.open(name);
                    self.parts([one, two]);
                    self.rules.close();
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
        self.rules.open(first.name);
        let parent = first.fields.iter().find_map(|(field, _)| Some((*field, self.rules.parent(field)?)));
        self.rules.close();
        let link = parent.map(|(field, list)| (field, self.link(list)));
        let mut siblings: HashMap<Option<i64>, Vec<(usize, usize)>> = HashMap::new();
        for (one, place, other) in matched.pairs.iter().filter_map(|&(one, two)| Some((a.get(one?)?, one?, two?))) {
            let Some(two) = b.get(other) else { continue };
            let mut hangs_on = None;
            if let Some((field, link)) = &link {
                let number = |tree: &Tree| tree.field(field).and_then(Fact::number);
                let (was, is) = (number(one), number(two));
                let is_same = was.zip(is).map_or(was == is, |(was, is)| link.is_same(was, is));
                if !is_same {
                    let [from, to] = link.facts(was.unwrap_or(-1), is.unwrap_or(-1));
                    let fact = |number: Option<i64>, fact| if number.is_some() { fact } else { Fact::ABSENT };
                    moved.insert(one.id, Some([fact(was, from), fact(is, to)]));
                    continue;
                }
                hangs_on = was;
            }
            siblings.entry(hangs_on).or_default().push((place, other));
        }
        for list in siblings.into_values().filter(|_| is_ordered) {
            moved.extend(out_of_order(&list).into_iter().filter_map(|place| Some((a.get(place)?.id, None))));
        }
        moved
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
            let values = || Some([value.clone(), other.clone()]);
            match (value, other) {
                _ if value.is_same(other, self.options) => {}
                (Fact::Texts(one), Fact::Texts(two)) => self.texts(pair, name, [one, two]),
                _ => self.report(Change::Changed, self.at(0, name, None), label, values()),
            }
        }
        for (name, value) in b.fields.iter().filter(|(name, _)| a.field(name).is_none()) {
            let values = [Fact::ABSENT, value.clone()];
            self.report(Change::Added, self.at(1, name, None), b.label.as_ref(), Some(values));
        }
    }

    /// Returns true if a field repeats others of which one differs.
    fn is_repeat(&mut self, name: &str) -> bool {
        let repeated = self.rules.repeated(name).unwrap_or_default();
        let differs = |path: &&'static str| {
            let [a, b] =
                self.around.each_ref().map(|around| seek(around, path).and_then(|(tree, name)| tree.field(name)));
            a.zip(b).is_some_and(|(a, b)| !a.is_same(b, self.options))
        };
        repeated.iter().any(differs)
    }

    /// Compares a list of texts item by item.
    fn texts(&mut self, pair: [&'t Tree; 2], name: &'static str, texts: [&'t [Name]; 2]) {
        let label = pair[0].label.as_ref();
        let lists = self.lists_of(pair, name);
        let matched = self.matched(&lists);
        let pairs: Vec<(usize, usize)> = matched.pairs.iter().filter_map(|&(one, two)| one.zip(two)).collect();
        let moved: HashSet<usize> = out_of_order(&pairs).into_iter().collect();
        let [texts_a, texts_b] = texts;
        let text = |list: &[Name], index: Option<usize>| {
            index.and_then(|index| list.get(index)).map_or(Fact::ABSENT, |text| Fact::Text(text.clone()))
        };
        for &(one, two) in &matched.pairs {
            let values = [text(texts_a, one), text(texts_b, two)];
            let place = match one {
                Some(_) => self.at(0, name, one),
                None => self.at(1, name, two),
            };
            match (one, two) {
                (Some(index), Some(_)) if moved.contains(&index) => {
                    let to = self.at(1, name, two);
                    self.report_moved([place, to], label, Some(values));
                }
                (Some(_), Some(_)) if values[0].is_same(&values[1], self.options) => {}
                (Some(_), Some(_)) => self.report(Change::Changed, place, label, Some(values)),
                (Some(_), None) => self.report(Change::Removed, place, label, Some(values)),
                (None, _) => self.report(Change::Added, place, label, Some(values)),
            }
        }
    }

    fn arrays(&mut self, pair: [&'t Tree; 2]) {
        let [a, b] = pair;
        let by_name = pair
            .map(|tree| tree.arrays.iter().map(|array| ((array.name, array.index), array)).collect::<HashMap<_, _>>());
        let mut met = HashSet::new();
        for array in &a.arrays {
            let index = match (self.rules.numbered(array.name), array.index) {
                (Some(list), Some(index)) => match self.other_number(list, index) {
                    Some(index) => Some(index),
                    // The item is reported as removed, so its array need not be.
                    None => continue,
                },
                (_, index) => index,
            };
            let other = by_name[1].get(&(array.name, index)).copied();
            met.extend(other.map(|other| other.id));
            if self.is_reported_elsewhere(array, other, &by_name) {
                continue;
            }
            let (place, label) = (self.at(0, array.name, array.index), a.label.as_ref());
            match other {
                None => self.report(Change::Removed, place, label, None),
                Some(other) => self.array([array, other], place, label),
            }
        }
        for array in b.arrays.iter().filter(|array| !met.contains(&array.id)) {
            if self.rules.numbered(array.name).is_none() && !self.is_reported_elsewhere(array, None, &by_name) {
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
        self.rules.open(one.name);
        let mut links = Vec::new();
        if one.columns == other.columns {
            for (place, column) in one.columns.iter().enumerate() {
                links.extend(self.link_of(column.name).map(|link| (place, link)));
            }
        }
        self.rules.close();
        let rows = self.rules.rows(one.name).map(|list| self.link(list));
        // Differing numbers in rows may be explained by their lists. Equal rows may mean different items if their lists
        // differ.
        let is_plain = links.iter().map(|(_, link)| link).chain(&rows).all(Link::is_plain);
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
        let (mut is_there, mut is_same) = (false, true);
        for &path in repeated {
            if array.index.is_some() {
                let name = path.rsplit('/').next().unwrap_or_default();
                let [one, two] = by_name.each_ref().map(|arrays| arrays.get(&(name, array.index)));
                is_there |= one.is_some() || two.is_some();
                is_same &= one.map(|array| array.digest) == two.map(|array| array.digest);
            } else {
                let arrays = self.around.each_ref().map(|around| {
                    let (tree, name) = seek(around, path)?;
                    let arrays = tree.arrays.iter().filter(|array| array.name == name);
                    Some(arrays.map(|array| array.digest).collect::<Vec<_>>()).filter(|arrays| !arrays.is_empty())
                });
                is_there |= arrays.iter().any(Option::is_some);
                is_same &= arrays[0] == arrays[1];
            }
        }
        is_there && !(is_same && other.is_some_and(|other| other.columns == array.columns))
    }
}

type ByName<'t> = HashMap<(&'static str, Option<usize>), &'t Array>;

/// Returns the items that two fields refer to, if they differ.
fn linked(a: &Fact, b: &Fact, link: &Link<'_>) -> Option<[Fact; 2]> {
    if let (Fact::Value(Value::Ints(one)), Fact::Value(Value::Ints(two))) = (a, b) {
        let is_same = one.len() == two.len() && one.iter().zip(&**two).all(|(&a, &b)| link.is_same(a, b));
        let name = |fact: &Fact| match fact {
            Fact::Text(name) => name.clone(),
            fact => Name { text: fact.number().map_or_else(String::new, |number| number.to_string()), lossy: false },
        };
        let names = |numbers: &[i64], side: usize| {
            let fact = |&number: &i64| link.facts(number, number).get(side).map(name);
            Fact::Texts(numbers.iter().filter_map(fact).collect())
        };
        return (!is_same).then(|| [names(one, 0), names(two, 1)]);
    }
    match (a.number(), b.number()) {
        (Some(one), Some(two)) if link.is_same(one, two) => None,
        (Some(one), Some(two)) => Some(link.facts(one, two)),
        (None, None) if a.is_same(b, &Options::default()) => None,
        (one, two) => {
            let fact = |number: Option<i64>, side: usize, fact: &Fact| {
                let name = number.and_then(|number| link.facts(number, number).into_iter().nth(side));
                name.unwrap_or_else(|| fact.clone())
            };
            Some([fact(one, 0, a), fact(two, 1, b)])
        }
    }
}
