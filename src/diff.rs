//! What differs between two assets, told by their outlines: no format is known here.
//!
//! Items of lists are matched before they are compared: what is the same in both, then what has the same label, then
//! what stands between the same neighbours and is alike. So an item put into the middle makes no later one differ, except
//! where the file itself names its items by number. Arrays are compared decoded. Left out is where something lies and
//! how many bytes it takes there: both change with everything before them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::address::{Names, folded, unnumbered};
use crate::asset::Asset;
use crate::budget::{Budget, Held};
use crate::container::{Container, Member};
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::inspect::{Inspect, Outline, Part, Span, Text, Value, Visitor};
use crate::limits::flag;
use crate::summary::Name;
use crate::view::{Column, Packing, Scalar, Storage, Table};

/// How often the rows of an array that differs are looked into; of further ones it is told that they differ.
const ARRAYS_IN_DETAIL: u32 = 256;

/// What happened from the first asset to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Only the first has it.
    Removed,
    /// Only the second has it.
    Added,
    /// Both have it, and it is not the same.
    Changed,
    /// Both have the same items, in another order.
    Moved,
}

impl Change {
    /// The word for it in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }
}

/// One thing that differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// What happened to it.
    pub change: Change,
    /// The member that it is in, where archives are compared.
    pub member: Option<Name>,
    /// The part, field or array, as selectors name it in the first asset; in the second, where only that has it. Empty
    /// for the asset as a whole.
    pub place: String,
    /// The label of the part that it is or is in.
    pub label: Option<Name>,
    /// The value of a field in the first asset, and in the second.
    pub values: Option<[Fact; 2]>,
    /// How the rows of an array differ.
    pub rows: Option<Rows>,
}

/// The value of a field, kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fact {
    /// Any but a text.
    Value(Value<'static>),
    /// A text.
    Text(Name),
    /// Several texts.
    Texts(Vec<Name>),
}

impl Fact {
    const ABSENT: Self = Self::Value(Value::Absent);

    fn of(value: Value<'_>) -> Self {
        Self::Value(match value {
            Value::Absent => Value::Absent,
            Value::Bool(value) => Value::Bool(value),
            Value::Uint(value) => Value::Uint(value),
            Value::Int(value) => Value::Int(value),
            Value::Float(value) => Value::Float(value),
            Value::Floats(values) => Value::Floats(values.into_owned().into()),
            Value::Ints(values) => Value::Ints(values.into_owned().into()),
            Value::Text(text) => return Self::Text(text.into()),
            Value::Coded(value, meaning) => Value::Coded(value, meaning),
            Value::Opaque(span) => Value::Opaque(span),
        })
    }
}

/// One of two assets to compare.
#[derive(Clone, Copy, Debug)]
pub struct Side<'s> {
    /// Its file, which tells of PBO archives what their bytes may not.
    pub file: &'s Path,
    /// Its bytes.
    pub data: &'s [u8],
    /// What comparing it may cost.
    pub budget: &'s Budget,
}

/// How the rows of an array differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rows {
    /// How many the first asset has, and the second.
    pub counts: [u64; 2],
    /// How many are not the same, of those that both have; `None` where they were not looked into.
    pub differing: Option<u64>,
    /// The first of these, with its numbers in both.
    pub first: Option<(u64, [Vec<String>; 2])>,
}

/// Tells what differs between two assets, and in archives between their members: in the order of the first, then what
/// only the second has. Decodes what is compressed and takes memory for both outlines; of arrays, one at a time.
///
/// ```
/// # let (a, b) = (b"BB3D\x04\0\0\0\x01\0\0\0", b"BB3D\x04\0\0\0\x02\0\0\0");
/// use std::path::Path;
/// use meshpeek::diff::{Side, compare};
/// use meshpeek::{Budget, Limits};
/// let budget = Budget::new(a.len() as u64, &Limits::default());
/// let file = Path::new("scene.b3d");
/// let mut told = Vec::new();
/// let (a, b) = (Side { file, data: a, budget: &budget }, Side { file, data: b, budget: &budget });
/// compare(a, b, &mut |difference| told.push(difference.place))?;
/// assert_eq!(told, ["version"]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Where one of them does not open, a list of members breaks off, or a budget or limit is exceeded.
pub fn compare(a: Side<'_>, b: Side<'_>, sink: &mut dyn FnMut(Difference)) -> Result<()> {
    if a.data == b.data {
        return Ok(());
    }
    let ((one, held_one), (two, held_two)) = (
        Asset::open_within(Format::of_file(a.file, a.data), a.data, a.budget)?,
        Asset::open_within(Format::of_file(b.file, b.data), b.data, b.budget)?,
    );
    let budgets = [held_one.budget(), held_two.budget()];
    Comparison { budgets, member: None, in_detail: 0, sink }.assets(&one, &two, 0)
}

/// SHA-256 of everything that an asset's outline tells, arrays decoded: the same for two assets that differ only in where
/// and how their bytes are stored. Decodes everything; keeps nothing.
///
/// # Errors
/// Where the budget or a limit is exceeded. What else cannot be read counts as what is said of it.
pub fn fingerprint(asset: &dyn Inspect, budget: &Budget) -> Result<[u8; 32]> {
    Tree::of(asset, false, false, budget).map(|tree| tree.digest)
}

/// An outline, kept.
#[derive(Debug)]
struct Tree {
    name: &'static str,
    index: Option<usize>,
    label: Option<Name>,
    fields: Vec<(&'static str, Fact)>,
    arrays: Vec<Array>,
    parts: Vec<Self>,
    /// Of all of this but its place.
    digest: [u8; 32],
}

#[derive(Debug)]
struct Array {
    name: &'static str,
    index: Option<usize>,
    rows: u64,
    storage: Storage,
    digest: [u8; 32],
}

impl Tree {
    fn of(asset: &dyn Inspect, keep: bool, is_archive: bool, budget: &Budget) -> Result<Self> {
        let limit = budget.limits().decoded_bytes;
        let open = vec![Open::new(&Part::one(""))];
        let mut builder = Builder { open, keep, is_archive, left: limit, budget, failure: None };
        asset.outline(&mut Outline::new(&mut builder));
        if let Some(failure) = builder.failure {
            return Err(failure);
        }
        if builder.left == 0 {
            return Err(Error::limit("bytes of parts and fields to compare", limit, flag::DECODED));
        }
        let top = builder.open.pop().map(Open::close);
        top.ok_or_else(|| Error::malformed("outline without an end"))
    }
}

/// A part that is being told.
struct Open {
    tree: Tree,
    span: Option<Span>,
    hash: Sha256,
    problems: Vec<Name>,
}

impl Open {
    fn new(part: &Part<'_>) -> Self {
        let (name, index, label) = (part.name, part.index, part.label.map(Name::from));
        let mut hash = Sha256::new();
        hash.update(name);
        hash.update([0]);
        hash.update(label.as_ref().map_or("", |label| &label.text));
        let tree =
            Tree { name, index, label, fields: Vec::new(), arrays: Vec::new(), parts: Vec::new(), digest: [0; 32] };
        Self { tree, span: part.span, hash, problems: Vec::new() }
    }

    fn close(mut self) -> Tree {
        if !self.problems.is_empty() {
            self.hash.update(format!("{:?}", self.problems));
            self.tree.fields.push(("problems", Fact::Texts(self.problems)));
        }
        Tree { digest: self.hash.finalize().into(), ..self.tree }
    }

    /// Whether a field tells where something lies, or how many bytes it takes, or its own number.
    fn is_place(&self, name: &str, value: &Value<'_>) -> bool {
        let number = match value {
            Value::Opaque(_) => return true,
            Value::Uint(number) => *number,
            Value::Int(number) | Value::Coded(number, _) => u64::try_from(*number).unwrap_or(u64::MAX),
            _ => return false,
        };
        let ends = self.span.map(|span| [span.offset, span.offset.saturating_add(span.bytes)]);
        matches!(name, "index" | "offset" | "crc32")
            || name.ends_with("_offset")
            || name.ends_with("_bytes") && name != "trailing_bytes"
            || matches!(name, "start" | "end") && ends.is_some_and(|ends| ends.contains(&number))
    }
}

struct Builder<'b> {
    open: Vec<Open>,
    keep: bool,
    /// Whether the members, and what follows from them, are compared in another way.
    is_archive: bool,
    /// Bytes that may still be kept.
    left: u64,
    budget: &'b Budget,
    /// Why not all could be looked at.
    failure: Option<Error>,
}

impl Builder<'_> {
    fn spend(&mut self, bytes: usize) -> bool {
        if self.failure.is_some() {
            return false;
        }
        if let Err(error) = self.budget.work((bytes as u64).saturating_add(64)) {
            self.failure = Some(error);
            return false;
        }
        if self.keep {
            self.left = self.left.saturating_sub((bytes as u64).saturating_add(128));
        }
        self.left > 0
    }

    fn fact(&mut self, name: &'static str, told: &str, fact: impl FnOnce() -> Fact) {
        if !self.spend(told.len().saturating_mul(2)) {
            return;
        }
        if let Some(open) = self.open.last_mut() {
            open.hash.update(told);
            if self.keep {
                open.tree.fields.push((name, fact()));
            }
        }
    }
}

impl Visitor for Builder<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_left_out = self.is_archive && matches!(part.name, "members" | "directory" | "tail");
        let text = part.label.as_ref().map_or(0, Text::stored_byte_len);
        let is_told = !is_left_out && self.spend(text.saturating_add(size_of::<Tree>()));
        if is_told {
            self.open.push(Open::new(part));
        }
        is_told
    }

    fn close(&mut self) {
        let Some(tree) = self.open.pop().map(Open::close) else { return };
        if let Some(around) = self.open.last_mut() {
            around.hash.update(tree.digest);
            if self.keep {
                around.tree.parts.push(tree);
            }
        }
    }

    fn field(&mut self, name: &'static str, value: Value<'_>) {
        let is_count = self.is_archive && name == "entries";
        if is_count || self.open.last().is_none_or(|open| open.is_place(name, &value)) {
            return;
        }
        let told = format!("{name}={value:?}\n");
        self.fact(name, &told, || Fact::of(value));
    }

    fn texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) {
        let mut all = Vec::new();
        for text in texts {
            if !self.spend(text.stored_byte_len().saturating_mul(2)) {
                return;
            }
            all.push(Name::from(text));
        }
        let told = format!("{name}={all:?}\n");
        self.fact(name, &told, || Fact::Texts(all));
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        // Where the LODs of a model lie is a table of its own.
        if name.ends_with("_starts") || name.ends_with("_ends") || !self.spend(0) {
            return;
        }
        let mut hash = Sha256::new();
        hash.update(format!("{name} {index:?} {:?} {}\n", table.columns(), table.rows()));
        let read = self.budget.read(table, &mut |rows| {
            hash.update(rows);
            ControlFlow::Continue(())
        });
        if let Err(error) = read {
            self.problem(&error);
        }
        let Some(open) = self.open.last_mut() else { return };
        let digest: [u8; 32] = hash.finalize().into();
        open.hash.update(digest);
        if self.keep {
            let (rows, storage) = (table.rows(), table.storage());
            open.tree.arrays.push(Array { name, index, rows, storage, digest });
        }
    }

    fn problem(&mut self, error: &Error) {
        // What was not looked at for its cost is not known to be the same.
        if matches!(error.kind(), ErrorKind::Limit { .. } | ErrorKind::Io(_)) {
            self.failure.get_or_insert_with(|| error.duplicate());
            return;
        }
        let text = error.message();
        if self.spend(text.len())
            && let Some(open) = self.open.last_mut()
        {
            open.problems.push(Name { text, lossy: false });
        }
    }
}

fn is_same(a: &Fact, b: &Fact) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

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

struct Comparison<'c> {
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

impl Comparison<'_> {
    fn tell(&mut self, change: Change, place: String, label: Option<&Name>, values: Option<[Fact; 2]>) {
        let (member, label) = (self.member.clone(), label.cloned());
        (self.sink)(Difference { change, member, place, label, values, rows: None });
    }

    fn assets(&mut self, a: &Asset<'_>, b: &Asset<'_>, depth: u32) -> Result<()> {
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
        let mut last = None;
        let mut is_moved = false;
        for &(one, two) in &matched {
            let one = one.and_then(|index| a.get(index));
            is_moved |= one.is_some() && two.is_some() && two < last;
            last = last.max(two);
            match (one, two.and_then(|index| b.get(index))) {
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
        if let Some(first) = a.first().filter(|_| is_moved) {
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
                (value, Some(other)) if is_same(value, &other) => {}
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
        let mut last = None;
        let mut is_moved = false;
        for (one, two) in matched {
            is_moved |= one.is_some() && two.is_some() && two < last;
            last = last.max(two);
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
        if is_moved {
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
                if let (Some(one), Some(two)) = (find(one, steps_a, step, of_a), find(two, steps_b, step, of_b)) {
                    compare_rows(&one, &two, &mut rows);
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
            let (member, place) = (member?, crate::address::join(around.as_ref(), name.clone()));
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
            self.member = Some(crate::address::join(around.as_ref(), name));
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
                if !is_same(&values[0], &values[1]) || a.stored_byte_len() != b.stored_byte_len() {
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

/// How many items that only the second list has are looked at for one that was changed.
const NEIGHBORS: usize = 16;

/// Which item of one list is which of the other, in the order of the first; then what only the second has.
fn align(a: &[&Tree], b: &[&Tree]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut of_a = vec![None; a.len()];
    let mut is_free = vec![true; b.len()];
    pair_up(a, b, |tree| Some(&tree.digest), &mut of_a, &mut is_free);
    pair_up(a, b, |tree| tree.label.as_ref().map(|label| label.text.as_bytes()), &mut of_a, &mut is_free);
    let mut pairs = Vec::new();
    let mut behind = 0;
    for (index, (tree, other)) in a.iter().zip(of_a).enumerate() {
        // What is left stands behind the same neighbour in both.
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
    let fields = a.fields.iter().zip(&b.fields).filter(|((one, a), (two, b))| one == two && is_same(a, b)).count();
    let arrays = a.arrays.iter().zip(&b.arrays).filter(|(a, b)| a.digest == b.digest).count();
    let parts = a.parts.iter().zip(&b.parts).filter(|(a, b)| a.digest == b.digest).count();
    let same = fields.saturating_add(arrays).saturating_add(parts);
    let size = |tree: &Tree| tree.fields.len().saturating_add(tree.arrays.len()).saturating_add(tree.parts.len());
    same.saturating_mul(2) >= size(a).max(size(b))
}

/// An array's rows, decoded, and what they are made of.
struct Found {
    bytes: Vec<u8>,
    columns: Vec<Column>,
    _held: Held,
}

/// Looks for one array; descends only on the way to it.
struct Finder<'f> {
    steps: &'f [(&'static str, Option<usize>)],
    array: (&'static str, Option<usize>),
    depth: usize,
    budget: &'f Budget,
    found: Option<Found>,
}

fn find(
    asset: &Asset<'_>,
    steps: &[(&'static str, Option<usize>)],
    array: (&'static str, Option<usize>),
    budget: &Budget,
) -> Option<Found> {
    let mut finder = Finder { steps, array, depth: 0, budget, found: None };
    asset.outline(&mut Outline::new(&mut finder));
    finder.found
}

impl Visitor for Finder<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_next = self.found.is_none() && self.steps.get(self.depth) == Some(&(part.name, part.index));
        self.depth = self.depth.saturating_add(is_next.into());
        is_next
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn field(&mut self, _: &'static str, _: Value<'_>) {}

    fn texts<'t>(&mut self, _: &'static str, _: &mut dyn Iterator<Item = Text<'t>>) {}

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        if self.depth == self.steps.len() && (name, index) == self.array && self.found.is_none() {
            self.found = rows(table, self.budget).ok();
        }
    }

    fn problem(&mut self, _: &Error) {}
}

/// All rows of a table, at the budget's expense.
fn rows(table: &dyn Table, budget: &Budget) -> Result<Found> {
    let columns = table.columns();
    let row: usize = columns.iter().map(|column| column.scalar.byte_len()).sum();
    let held = budget.hold(table.rows().saturating_mul(row as u64))?;
    let mut bytes = Vec::new();
    held.budget().read(table, &mut |rows| {
        bytes.extend_from_slice(rows);
        ControlFlow::Continue(())
    })?;
    Ok(Found { bytes, columns, _held: held })
}

fn compare_rows(a: &Found, b: &Found, rows: &mut Rows) {
    let size = |found: &Found| found.columns.iter().map(|column| column.scalar.byte_len()).sum::<usize>();
    if a.columns != b.columns || size(a) == 0 {
        return;
    }
    let both = a.bytes.chunks_exact(size(a)).zip(b.bytes.chunks_exact(size(b)));
    let mut differing = (0_u64..).zip(both).filter(|(_, (a, b))| a != b).peekable();
    rows.first = differing.peek().map(|&(row, (one, two))| (row, [numbers(&a.columns, one), numbers(&b.columns, two)]));
    rows.differing = Some(differing.count() as u64);
}

/// The numbers of one row as text.
fn numbers(columns: &[Column], mut row: &[u8]) -> Vec<String> {
    let number = |column: &Column| {
        let (bytes, behind) = row.split_at_checked(column.scalar.byte_len())?;
        row = behind;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let [a, b, c, d, ..] = wide;
        Some(match column.scalar {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => u64::from_le_bytes(wide).to_string(),
            Scalar::I8 => i8::from_le_bytes([a]).to_string(),
            Scalar::I16 => i16::from_le_bytes([a, b]).to_string(),
            Scalar::I32 => i32::from_le_bytes([a, b, c, d]).to_string(),
            Scalar::F16 => half(u16::from_le_bytes([a, b])).to_string(),
            Scalar::F32 => f32::from_le_bytes([a, b, c, d]).to_string(),
        })
    };
    columns.iter().map_while(number).collect()
}

/// An IEEE half as a float.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, f32::from(bits & 1023));
    let size = match exponent {
        0 => fraction / 16_777_216.0,
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f32.powi(i32::from(exponent).saturating_sub(15)),
    };
    if bits >> 15 == 1 { -size } else { size }
}
