//! An outline, kept to be compared.

use sha2::{Digest, Sha256};

use super::Fact;
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::limits::flag;
use crate::base::span::Span;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::bytes::batch::to_the_end;
use crate::bytes::{Storage, Table};
use crate::inspect::Inspect;
use crate::outline::{Outline, Part, Text, Value, Visitor};

/// An outline, kept.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) name: &'static str,
    pub(super) index: Option<usize>,
    pub(super) label: Option<Name>,
    pub(super) fields: Vec<(&'static str, Fact)>,
    pub(super) arrays: Vec<Array>,
    pub(super) parts: Vec<Self>,
    /// Of all of this but its place.
    pub(super) digest: [u8; 32],
}

#[derive(Debug)]
pub(super) struct Array {
    pub(super) name: &'static str,
    pub(super) index: Option<usize>,
    pub(super) rows: u64,
    pub(super) storage: Storage,
    pub(super) digest: [u8; 32],
}

impl Tree {
    pub(super) fn of(asset: &dyn Inspect, keep: bool, is_archive: bool, budget: &Budget) -> Result<Self> {
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
        if let Err(error) = self.budget.read(table, &mut to_the_end(|rows| hash.update(rows))) {
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
            self.failure.get_or_insert_with(|| error.clone());
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
