//! An outline, kept for comparison.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::fact::Fact;
use super::rules::{Rule, Rules};
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::span::Span;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::bytes::batch::to_the_end;
use crate::bytes::{Column, Table};
use crate::inspect::Inspect;
use crate::outline::{Field, FieldValue, Outline, Part, PartArray, Text, Value, Visitor};

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) name: &'static str,
    pub(super) index: Option<usize>,
    pub(super) label: Option<Arc<Name>>,
    pub(super) fields: Vec<(&'static str, Fact)>,
    pub(super) arrays: Vec<Array>,
    pub(super) parts: Vec<Self>,
    /// The indices of the parts of each name.
    pub(super) lists: Vec<(&'static str, Vec<usize>)>,
    /// Its number among all parts of the outline.
    pub(super) id: usize,
    /// The digest of everything in it, except its offset and its references to other parts.
    pub(super) digest: [u8; 32],
    /// True if something in it could not be read.
    pub(super) is_unread: bool,
}

#[derive(Debug)]
pub(super) struct Array {
    pub(super) name: &'static str,
    pub(super) index: Option<usize>,
    pub(super) rows: u64,
    pub(super) columns: Vec<Column>,
    /// Its number among all arrays of the outline.
    pub(super) id: usize,
    pub(super) digest: [u8; 32],
}

impl Array {
    /// Returns the size of its decoded rows.
    pub(super) fn byte_len(&self) -> u64 {
        let row: usize = self.columns.iter().map(|column| column.scalar.byte_len()).sum();
        self.rows.saturating_mul(row as u64)
    }
}

impl Tree {
    /// Reads the outline of an asset. With `keep`, omits what the [rules](super::rules) say; otherwise it only computes
    /// a digest.
    pub(super) fn of(asset: &dyn Inspect, keep: bool, is_archive: bool, budget: &Budget) -> Result<Self> {
        let limit = budget.limits().decoded_bytes;
        let mut builder = Builder {
            open: vec![Open::new(&Part::one(""), 0)],
            keep,
            is_archive,
            left: limit,
            rules: if keep { Rules::of(asset.format()) } else { Rules::default() },
            parts: 0,
            arrays: 0,
            budget,
            failure: None,
        };
        asset.outline(&mut Outline::new(&mut builder));
        if let Some(failure) = builder.failure {
            return Err(failure);
        }
        if builder.left == 0 {
            return Err(Error::limit("bytes of parts and fields to compare", limit, Code::DecodedBytesLimit));
        }
        let Some(top) = builder.open.pop() else { return Err(Error::malformed("outline without an end")) };
        Ok(top.close())
    }

    /// Returns the parts of one name.
    pub(super) fn list(&self, name: &str) -> impl Iterator<Item = &Self> {
        let mut places: &[usize] = &[];
        if let Some((_, known)) = self.lists.iter().find(|(known, _)| *known == name) {
            places = known;
        }
        places.iter().filter_map(|&place| self.parts.get(place))
    }

    /// Returns the part of this name, if there is exactly one.
    pub(super) fn only(&self, name: &str) -> Option<&Self> {
        let mut list = self.list(name);
        let first = list.next()?;
        if list.next().is_some() { None } else { Some(first) }
    }

    pub(super) fn field(&self, name: &str) -> Option<&Fact> {
        let (_, value) = self.fields.iter().find(|(known, _)| *known == name)?;
        Some(value)
    }

    /// Returns the number of its fields, arrays and parts.
    pub(super) fn len(&self) -> usize {
        self.fields.len().saturating_add(self.arrays.len()).saturating_add(self.parts.len())
    }
}

/// The name of the field with the problems of a part.
pub(super) const PROBLEMS: &str = "problems";

/// A part whose outline is being read.
struct Open {
    tree: Tree,
    span: Option<Span>,
    hash: Sha256,
    problems: Vec<Name>,
}

impl Open {
    fn new(part: &Part<'_>, id: usize) -> Self {
        let mut tree = Tree { name: part.name, index: part.index, id, ..Tree::default() };
        let mut hash = Sha256::new();
        hash.update(part.name);
        hash.update([0]);
        if let Some(label) = part.label {
            let label = Name::from(label);
            hash.update(&label.text);
            tree.label = Some(Arc::new(label));
        }
        Self { tree, span: part.span, hash, problems: Vec::new() }
    }

    fn add(&mut self, part: Tree) {
        let tree = &mut self.tree;
        tree.is_unread |= part.is_unread;
        let place = tree.parts.len();
        match tree.lists.iter_mut().rev().find(|(name, _)| *name == part.name) {
            Some((_, places)) => places.push(place),
            None => tree.lists.push((part.name, vec![place])),
        }
        tree.parts.push(part);
    }

    fn close(mut self) -> Tree {
        if !self.problems.is_empty() {
            self.hash.update(format!("{:?}", self.problems));
            self.tree.is_unread = true;
            self.tree.fields.push((PROBLEMS, Fact::Texts(self.problems)));
        }
        Tree { digest: self.hash.finalize().into(), ..self.tree }
    }

    /// Returns true if a field is an offset, a stored size, or the part's own number.
    fn is_place(&self, name: &str, value: &Value<'_>) -> bool {
        let number = match value {
            Value::Opaque(_) => return true,
            Value::Uint(number) => *number,
            Value::Int(number) | Value::Coded(number, _) => u64::try_from(*number).unwrap_or(u64::MAX),
            _ => return false,
        };
        let mut is_bound = false;
        if let Some(span) = self.span {
            is_bound = number == span.offset || number == span.offset.saturating_add(span.bytes);
        }
        matches!(name, "index" | "offset" | "crc32")
            || name.ends_with("_offset")
            || name.ends_with("_bytes") && name != "trailing_bytes"
            || matches!(name, "start" | "end") && is_bound
    }
}

struct Builder<'b> {
    open: Vec<Open>,
    keep: bool,
    is_archive: bool,
    /// The remaining bytes that may be kept.
    left: u64,
    /// The rules for keeping the outline; none if it is not kept.
    rules: Rules,
    parts: usize,
    arrays: usize,
    budget: &'b Budget,
    /// Why not everything could be read.
    failure: Option<Error>,
}

impl Builder<'_> {
    fn spend(&mut self, bytes: usize) -> bool {
        if self.failure.is_some() {
            return false;
        }
        if let Err(error) = self.budget.charge_work((bytes as u64).saturating_add(64)) {
            self.failure = Some(error);
            return false;
        }
        if self.keep {
            self.left = self.left.saturating_sub((bytes as u64).saturating_add(128));
        }
        self.left > 0
    }

    /// Adds a field to the digest of its part. Returns the part if fields are kept.
    fn hash_field(&mut self, name: &str, text: &str) -> Option<&mut Tree> {
        if !self.spend(text.len().saturating_mul(2)) {
            return None;
        }
        let is_number = self.rules.item(name).is_some() || self.rules.has(name, Rule::Number);
        let open = self.open.last_mut()?;
        if !is_number {
            open.hash.update(text);
        }
        if self.keep { Some(&mut open.tree) } else { None }
    }

    fn texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) {
        let mut all = Vec::new();
        for text in texts {
            if !self.spend(text.stored_byte_len().saturating_mul(2)) {
                return;
            }
            all.push(Name::from(text));
        }
        let text = format!("{name}={all:?}\n");
        if let Some(tree) = self.hash_field(name, &text) {
            tree.fields.push((name, Fact::Texts(all)));
        }
    }
}

impl Visitor for Builder<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_left_out = self.rules.leave_out(part, self.is_archive);
        let mut text = 0_usize;
        if let Some(label) = &part.label {
            text = label.stored_byte_len();
        }
        let is_kept = !is_left_out && self.spend(text.saturating_mul(2).saturating_add(size_of::<Tree>()));
        if is_kept {
            self.parts = self.parts.saturating_add(1);
            self.rules.enter(part.name);
            self.open.push(Open::new(part, self.parts));
        }
        is_kept
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let tree = open.close();
        self.rules.leave();
        if let Some(around) = self.open.last_mut() {
            around.hash.update(tree.digest);
            if self.keep {
                around.add(tree);
            }
        }
    }

    fn field(&mut self, field: Field<'_>) {
        if field.is_framing() {
            return;
        }
        let name = field.name;
        let value = match field.value {
            FieldValue::One(value) => value,
            FieldValue::Texts(texts) => return self.texts(name, texts),
        };
        let is_count = self.is_archive && name == "entries";
        let is_place = self.open.last().is_none_or(|open| open.is_place(name, &value));
        if is_count || is_place || self.rules.has(name, Rule::Derived) {
            return;
        }
        let text = format!("{name}={value:?}\n");
        if let Some(tree) = self.hash_field(name, &text) {
            tree.fields.push((name, Fact::of(value)));
        }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let PartArray { name, index, table, .. } = *array;
        let id = self.arrays;
        self.arrays = id.saturating_add(1);
        // Offsets of LODs, which are not compared.
        let is_offset = name.ends_with("_starts") || name.ends_with("_ends");
        if is_offset || self.rules.has(name, Rule::Derived) || !self.spend(0) {
            return;
        }
        let columns = table.columns();
        let mut hash = Sha256::new();
        hash.update(format!("{name} {index:?} {columns:?} {}\n", table.rows()));
        if let Err(error) = self.budget.read(table, &mut to_the_end(|rows| hash.update(rows))) {
            self.problem(&error);
        }
        if self.keep && !self.spend(columns.len().saturating_mul(size_of::<Column>())) {
            return;
        }
        let Some(open) = self.open.last_mut() else { return };
        let digest: [u8; 32] = hash.finalize().into();
        open.hash.update(digest);
        if self.keep {
            open.tree.arrays.push(Array { name, index, rows: table.rows(), columns, id, digest });
        }
    }

    fn problem(&mut self, error: &Error) {
        // Data that exceeds a limit is not read, so it is not known to be equal. A digest alone cannot say what was not read.
        if !self.keep || stops_comparison(error) {
            if self.failure.is_none() {
                self.failure = Some(error.clone());
            }
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

/// Returns true for an error that ends a comparison. Other data that cannot be read is compared by its error.
pub(super) fn stops_comparison(error: &Error) -> bool {
    error.is_from_outside()
}

/// Reads the arrays of an outline by their numbers.
pub(super) trait ArrayReader {
    fn array(&mut self, id: usize, table: &dyn Table) -> Result<()>;
}

/// Passes the arrays of an outline to `reader` again.
pub(super) fn read_arrays(asset: &dyn Inspect, is_archive: bool, reader: &mut dyn ArrayReader) -> Result<()> {
    let mut again = Again { is_archive, rules: Rules::of(asset.format()), arrays: 0, reader, result: Ok(()) };
    asset.outline(&mut Outline::new(&mut again));
    again.result
}

struct Again<'r> {
    is_archive: bool,
    rules: Rules,
    arrays: usize,
    reader: &'r mut dyn ArrayReader,
    result: Result<()>,
}

impl Visitor for Again<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_read = self.result.is_ok() && !self.rules.leave_out(part, self.is_archive);
        if is_read {
            self.rules.enter(part.name);
        }
        is_read
    }

    fn close(&mut self) {
        self.rules.leave();
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let id = self.arrays;
        self.arrays = id.saturating_add(1);
        if self.result.is_ok() {
            self.result = self.reader.array(id, array.table);
        }
    }

    fn problem(&mut self, _: &Error) {}
}
