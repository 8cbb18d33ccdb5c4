//! Two assets gone over side by side.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::align::{align, is_moved};
use super::tree::{Array, Tree};
use super::{Change, Difference, Fact, Rows, rows};
use crate::asset::Asset;
use crate::asset::address::{Names, unnumbered};
use crate::asset::container::{Container, Member};
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::format::Format;
use crate::base::limits::flag;
use crate::base::text::{Name, folded};
use crate::budget::Budget;
use crate::bytes::Packing;

/// How often the rows of an array that differs are looked into; of further ones it is told that they differ.
const ARRAYS_IN_DETAIL: u32 = 256;

/// Steps of a selector.
type Steps = Vec<(&'static str, Option<usize>)>;

fn selector(steps: &[(&'static str, Option<usize>)]) -> String {
    let step = |(name, index): &(&str, Option<usize>)| match index {
        Some(index) => format!("{name}/{index}"),
        None => (*name).to_owned(),
    };
    steps.iter().map(step).collect::<Vec<_>>().join("/")
}

fn with(steps: &Steps, name: &'static str, index: Option<usize>) -> Steps {
    steps.iter().copied().chain([(name, index)]).collect()
}

/// What two assets are compared at the cost of, where, and who is told.
pub(super) struct Comparison<'c> {
    budgets: [&'c Budget; 2],
    member: Option<Name>,
    in_detail: u32,
    sink: &'c mut dyn FnMut(Difference),
}

/// Two parts that are the same one, with the way to each.
struct Pair<'t> {
    trees: [&'t Tree; 2],
    steps: [Steps; 2],
}

impl<'c> Comparison<'c> {
    pub(super) fn new(budgets: [&'c Budget; 2], sink: &'c mut dyn FnMut(Difference)) -> Self {
        Self { budgets, member: None, in_detail: 0, sink }
    }

    fn tell(&mut self, change: Change, place: String, label: Option<&Name>, values: Option<[Fact; 2]>) {
        let (member, label) = (self.member.clone(), label.cloned());
        (self.sink)(Difference { change, member, place, label, values, rows: None });
    }

    pub(super) fn assets(&mut self, a: &Asset<'_>, b: &Asset<'_>, depth: u32) -> Result<()> {
        let formats = [a, b].map(|asset| asset.format());
        if formats[0] != formats[1] {
            let values = formats.map(|format| Fact::of(format.name().into()));
            self.tell(Change::Changed, "format".to_owned(), None, Some(values));
            return Ok(());
        }
        let containers = Container::of(a).zip(Container::of(b));
        let is_archive = containers.is_some();
        let [of_a, of_b] = self.budgets;
        let trees = [Tree::of(a, true, is_archive, of_a)?, Tree::of(b, true, is_archive, of_b)?];
        let pair = Pair { trees: trees.each_ref(), steps: [Steps::new(), Steps::new()] };
        self.parts(&pair, [a, b]);
        match containers {
            Some((a, b)) => self.members(&a, &b, depth),
            None => Ok(()),
        }
    }

    fn parts(&mut self, pair: &Pair<'_>, assets: [&Asset<'_>; 2]) {
        let [a, b] = pair.trees;
        if a.digest == b.digest {
            return;
        }
        self.fields(pair);
        self.arrays(pair, assets);
        let mut names: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        names.extend(a.parts.iter().chain(&b.parts).map(|part| part.name).filter(|name| seen.insert(*name)));
        for name in names {
            let list = |tree: &'_ Tree| -> Vec<usize> {
                let items = tree.parts.iter().enumerate().filter(|(_, part)| part.name == name);
                items.map(|(place, _)| place).collect()
            };
            self.list(pair, assets, &list(a), &list(b));
        }
    }

    /// The items of one list of both.
    fn list(&mut self, pair: &Pair<'_>, assets: [&Asset<'_>; 2], a: &[usize], b: &[usize]) {
        let of = |tree: usize, places: &[usize]| -> Vec<&Tree> {
            let parts = pair.trees.get(tree).map(|tree| tree.parts.as_slice()).unwrap_or_default();
            places.iter().filter_map(|&place| parts.get(place)).collect()
        };
        let (a, b) = (of(0, a), of(1, b));
        let matched = align(&a, &b);
        let [steps_a, steps_b] = &pair.steps;
        for &(one, two) in &matched {
            match (one.and_then(|index| a.get(index)), two.and_then(|index| b.get(index))) {
                (Some(one), Some(two)) => {
                    let steps = [with(steps_a, one.name, one.index), with(steps_b, two.name, two.index)];
                    self.parts(&Pair { trees: [one, two], steps }, assets);
                }
                (Some(one), None) => {
                    let place = selector(&with(steps_a, one.name, one.index));
                    self.tell(Change::Removed, place, one.label.as_ref(), None);
                }
                (None, Some(two)) => {
                    let place = selector(&with(steps_b, two.name, two.index));
                    self.tell(Change::Added, place, two.label.as_ref(), None);
                }
                (None, None) => {}
            }
        }
        if let Some(first) = a.first().filter(|_| is_moved(&matched)) {
            self.tell(Change::Moved, selector(&with(steps_a, first.name, None)), pair.trees[0].label.as_ref(), None);
        }
    }

    fn fields(&mut self, pair: &Pair<'_>) {
        let [a, b] = pair.trees;
        let place = |side: usize, name: &'static str| {
            pair.steps.get(side).map(|steps| selector(&with(steps, name, None))).unwrap_or_default()
        };
        let field = |tree: &'_ Tree, name: &str| {
            tree.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
        };
        let label = a.label.as_ref();
        for (name, value) in &a.fields {
            match (value, field(b, name)) {
                (_, None) => {
                    let values = Some([value.clone(), Fact::ABSENT]);
                    self.tell(Change::Removed, place(0, name), label, values);
                }
                (value, Some(other)) if value.is_same(&other) => {}
                (Fact::Texts(one), Some(Fact::Texts(two))) => self.texts(&place(0, name), label, one, &two),
                (_, Some(other)) => {
                    self.tell(Change::Changed, place(0, name), label, Some([value.clone(), other]));
                }
            }
        }
        for (name, value) in b.fields.iter().filter(|(name, _)| field(a, name).is_none()) {
            let values = Some([Fact::ABSENT, value.clone()]);
            self.tell(Change::Added, place(1, name), b.label.as_ref(), values);
        }
    }

    /// A list of texts, item by item.
    fn texts(&mut self, place: &str, label: Option<&Name>, a: &[Name], b: &[Name]) {
        let item = |text: &Name| Tree {
            name: "",
            index: None,
            label: None,
            fields: vec![("", Fact::Text(text.clone()))],
            arrays: Vec::new(),
            parts: Vec::new(),
            digest: Sha256::digest(&text.text).into(),
        };
        let (items_a, items_b): (Vec<Tree>, Vec<Tree>) = (a.iter().map(item).collect(), b.iter().map(item).collect());
        let matched = align(&items_a.iter().collect::<Vec<_>>(), &items_b.iter().collect::<Vec<_>>());
        for &(one, two) in &matched {
            let text = |list: &[Name], index: Option<usize>| index.and_then(|index| list.get(index)).cloned();
            let values = [text(a, one), text(b, two)];
            let (change, index) = match (one, two) {
                _ if values[0] == values[1] => continue,
                (Some(index), Some(_)) => (Change::Changed, index),
                (Some(index), None) => (Change::Removed, index),
                (None, index) => (Change::Added, index.unwrap_or(0)),
            };
            let values = values.map(|text| text.map_or(Fact::ABSENT, Fact::Text));
            self.tell(change, format!("{place}/{index}"), label, Some(values));
        }
        if is_moved(&matched) {
            self.tell(Change::Moved, place.to_owned(), label, None);
        }
    }

    fn arrays(&mut self, pair: &Pair<'_>, assets: [&Asset<'_>; 2]) {
        let [a, b] = pair.trees;
        let same = |list: &'_ [Array], array: &Array| {
            list.iter().position(|other| (other.name, other.index) == (array.name, array.index))
        };
        let [steps_a, steps_b] = &pair.steps;
        let mut told: Vec<(u64, u64)> = Vec::new();
        for array in &a.arrays {
            let place = selector(&with(steps_a, array.name, array.index));
            let Some(other) = same(&b.arrays, array).and_then(|place| b.arrays.get(place)) else {
                self.tell(Change::Removed, place, a.label.as_ref(), None);
                continue;
            };
            let span = (array.storage.offset, array.storage.bytes);
            // Another reading of the bytes of an array that was just told.
            let is_told = array.storage.packing == Packing::Derived && told.contains(&span);
            if array.digest == other.digest || is_told {
                continue;
            }
            told.push(span);
            let mut rows = Rows { counts: [array.rows, other.rows], differing: None, first: None };
            if self.in_detail < ARRAYS_IN_DETAIL {
                self.in_detail = self.in_detail.saturating_add(1);
                let [one, two] = assets;
                let step = (array.name, array.index);
                let [of_a, of_b] = self.budgets;
                if let (Some(one), Some(two)) =
                    (rows::find(one, steps_a, step, of_a), rows::find(two, steps_b, step, of_b))
                {
                    rows::compare(&one, &two, &mut rows);
                }
            }
            let (member, label) = (self.member.clone(), a.label.clone());
            (self.sink)(Difference { change: Change::Changed, member, place, label, values: None, rows: Some(rows) });
        }
        for array in b.arrays.iter().filter(|array| same(&a.arrays, array).is_none()) {
            let place = selector(&with(steps_b, array.name, array.index));
            self.tell(Change::Added, place, b.label.as_ref(), None);
        }
    }

    /// The members of two archives, by name.
    fn members(&mut self, a: &Container<'_>, b: &Container<'_>, depth: u32) -> Result<()> {
        let [budget_a, budget_b] = self.budgets;
        let limit = budget_a.limits().archive_depth;
        if depth >= limit {
            return Err(Error::limit("archives inside each other", limit, flag::ARCHIVE_DEPTH));
        }
        let around = self.member.take();
        let listed = |container: &Container<'_>, budget: &Budget| -> Result<Vec<Name>> {
            let mut names = Names::of(container);
            let name = |member: Result<Member<'_>>| {
                let name = member?.name();
                budget.members(1)?;
                budget.work((name.len() as u64).saturating_add(256))?;
                Ok(names.next(name))
            };
            container.members().map(name).collect()
        };
        let key = |name: &Name| name.text.bytes().map(folded).collect::<Vec<u8>>();
        let (names_a, names_b) = (listed(a, budget_a)?, listed(b, budget_b)?);
        let mut of_b: HashMap<Vec<u8>, VecDeque<(Member<'_>, Name)>> = HashMap::new();
        for (member, name) in b.members().zip(names_b.iter().cloned()) {
            of_b.entry(key(&name)).or_default().push_back((member?, name));
        }
        let mut met = HashSet::new();
        for (member, name) in a.members().zip(names_a) {
            let (member, place) = (member?, crate::asset::address::join(around.as_ref(), name.clone()));
            self.member = Some(place);
            match of_b.get_mut(&key(&name)).and_then(VecDeque::pop_front) {
                None => self.tell(Change::Removed, String::new(), None, None),
                Some((other, name)) => {
                    met.insert(name.text);
                    self.contents(&member, &other, depth)?;
                }
            }
        }
        for name in names_b.into_iter().filter(|name| !met.contains(&name.text)) {
            self.member = Some(crate::asset::address::join(around.as_ref(), name));
            self.tell(Change::Added, String::new(), None, None);
        }
        self.member = around;
        Ok(())
    }

    fn contents(&mut self, a: &Member<'_>, b: &Member<'_>, depth: u32) -> Result<()> {
        let [one, two] = self.budgets;
        let (one, two) = match (a.decode(one), b.decode(two)) {
            (Ok(one), Ok(two)) => (one, two),
            (Err(error), _) | (_, Err(error)) if matches!(error.kind(), ErrorKind::Limit { .. }) => return Err(error),
            (one, two) => {
                let text = |result: Result<_>| match result {
                    Ok(_) => Fact::ABSENT,
                    Err(error) => Fact::Text(Name { text: error.message(), lossy: false }),
                };
                let values = [text(one), text(two)];
                // What cannot be decoded is the same if it is stored the same.
                if !values[0].is_same(&values[1]) || a.stored_byte_len() != b.stored_byte_len() {
                    self.tell(Change::Changed, "problems".to_owned(), None, Some(values));
                }
                return Ok(());
            }
        };
        if *one == *two {
            return Ok(());
        }
        let mut told = 0_u64;
        let mut count = |difference: Difference| {
            told = told.saturating_add(1);
            (self.sink)(difference);
        };
        let file = Path::new(self.member.as_ref().map_or("", |member| unnumbered(&member.text)));
        let open = |data, budget| Asset::open_within(Format::of_file(file, data), data, budget);
        if let (Ok((a, held_a)), Ok((b, held_b))) = (open(&one, one.budget()), open(&two, two.budget())) {
            let (budgets, member) = ([held_a.budget(), held_b.budget()], self.member.clone());
            let mut inside = Comparison { budgets, member, in_detail: self.in_detail, sink: &mut count };
            inside.assets(&a, &b, depth.saturating_add(1))?;
            self.in_detail = inside.in_detail;
        }
        if told == 0 {
            let sizes = [one.len(), two.len()].map(|size| Fact::of(size.into()));
            self.tell(Change::Changed, "bytes".to_owned(), None, Some(sizes));
        }
        Ok(())
    }
}
