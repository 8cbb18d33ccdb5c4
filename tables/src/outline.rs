//! Converts an asset's outline to rows of parts and arrays.

use std::io;
use std::ops::ControlFlow;

use serde_json::ser::CompactFormatter;

use super::plain::{ArrayRow, Key, PartRow};
use meshpeek::inspect::selector::Path;
use meshpeek::inspect::{Field, Inspect as _, Part, PartArray, Span, Visitor, outline_within_limits};
use meshpeek::json::{Document, LONGEST_TEXT};
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Error};

/// The fields of one part are truncated after this many bytes.
const MOST_FIELDS: u64 = 16 << 20;

/// Room for the fields of most parts.
const USUAL_FIELDS: usize = 512;

/// The size of a row in the results, without its texts.
const ROW_BYTES: u64 = 64;

/// A row.
pub(super) enum Row<'t> {
    Part(&'t PartRow<'t>),
    Array(&'t ArrayRow<'t>),
}

/// Emits the parts, if requested, and arrays of an asset, each part after its contents. Ends early if the budget is
/// spent. Then the asset's own row, the last one, contains `"truncated": true`.
pub(super) fn emit(
    asset: &Asset<'_>,
    key: Key<'_>,
    budget: &Budget,
    with_parts: bool,
    take: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let root = Open {
        name: asset.format().name(),
        index: None,
        label: None,
        span: Some(Span { offset: 0, bytes: asset.size() }),
        fields: fields(),
    };
    let mut walk = Walk {
        key,
        budget,
        path: Path::default(),
        open: vec![root],
        with_parts,
        is_cut: false,
        flow: ControlFlow::Continue(()),
        take,
    };
    outline_within_limits(asset, &mut walk);
    walk.end_part();
    walk.flow
}

type Fields = io::Result<Document<Vec<u8>, CompactFormatter>>;

fn fields() -> Fields {
    Document::compact(Vec::with_capacity(USUAL_FIELDS), MOST_FIELDS)
}

/// A part whose end has not been reached.
struct Open {
    name: &'static str,
    index: Option<usize>,
    label: Option<String>,
    span: Option<Span>,
    fields: Fields,
}

struct Walk<'w> {
    key: Key<'w>,
    budget: &'w Budget,
    path: Path,
    open: Vec<Open>,
    with_parts: bool,
    is_cut: bool,
    flow: ControlFlow<()>,
    take: &'w mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
}

impl Walk<'_> {
    /// Returns true if the budget allows a row with this many bytes of text.
    fn pays(&mut self, bytes: usize) -> bool {
        let bytes = ROW_BYTES.saturating_add(bytes as u64).saturating_add(self.key.bytes() as u64);
        self.is_cut = self.is_cut || self.budget.output(bytes).is_err();
        !self.is_cut && self.flow.is_continue()
    }

    /// Ends the part that was opened last.
    fn end_part(&mut self) {
        let Some(part) = self.open.pop() else { return };
        let is_root = self.open.is_empty();
        if !self.with_parts || self.flow.is_break() {
            return;
        }
        let Open { name, index, label, span, fields } = part;
        let ended = fields.and_then(|mut fields| {
            if is_root && self.is_cut {
                fields.entry("truncated", &true)?;
            }
            fields.finish()
        });
        let fields = ended.ok().and_then(|json| String::from_utf8(json).ok()).unwrap_or_else(|| "{}".to_owned());
        // The last row is emitted at any cost, because it reports that others are missing.
        if self.pays(fields.len().saturating_add(self.path.as_str().len())) || is_root {
            let (part, label) = (self.path.as_str(), label.as_deref());
            let row = PartRow { key: self.key, part, name, index, label, span, fields: &fields };
            self.flow = (self.take)(Row::Part(&row));
        }
    }

    fn fields(&mut self) -> Option<&mut Document<Vec<u8>, CompactFormatter>> {
        self.open.last_mut().filter(|_| self.with_parts)?.fields.as_mut().ok()
    }
}

impl Visitor for Walk<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        if self.is_cut || self.flow.is_break() {
            return false;
        }
        self.path.open(part);
        let label = part.label.filter(|_| self.with_parts).map(|label| Name::from(label.cut(LONGEST_TEXT)).text);
        self.open.push(Open { name: part.name, index: part.index, label, span: part.span, fields: fields() });
        true
    }

    fn close(&mut self) {
        self.end_part();
        self.path.close();
    }

    fn field(&mut self, field: Field<'_>) {
        if let Some(fields) = self.fields() {
            fields.field(field);
        }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let PartArray { name, index, table, .. } = *array;
        let mut path = std::mem::take(&mut self.path);
        let part = path.as_str().to_owned();
        path.with(name, index, |selector| {
            if self.pays(selector.len().saturating_add(part.len())) {
                let columns: Vec<_> = table.columns().iter().map(|column| column.name).collect();
                let (key, storage) = (self.key, table.storage());
                let row = ArrayRow { key, part: &part, name, selector, rows: table.rows(), columns: &columns, storage };
                self.flow = (self.take)(Row::Array(&row));
            }
        });
        self.path = path;
    }

    fn problem(&mut self, error: &Error) {
        if let Some(fields) = self.fields() {
            fields.problem(error);
        }
    }
}
