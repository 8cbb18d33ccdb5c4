//! Converts an asset's outline to rows of parts and arrays.

use std::io;
use std::ops::ControlFlow;

use serde_json::ser::CompactFormatter;

use super::AddRow;
use super::plain::{ArrayRow, Arrays, Key, PartRow, Parts};
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

/// Adds the parts, if requested, and arrays of an asset, each part after its contents. Ends early if the budget is
/// spent. Then the asset's own row, the last one, contains `"truncated": true`.
pub(super) fn add_outline(
    asset: &Asset<'_>,
    key: Key<'_>,
    budget: &Budget,
    with_parts: bool,
    batches: &impl AddRow,
) -> ControlFlow<()> {
    let root = Open {
        name: asset.format().name(),
        index: None,
        label: None,
        span: Some(Span::new(0, asset.size())),
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
        batches,
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

struct Walk<'w, B> {
    key: Key<'w>,
    budget: &'w Budget,
    path: Path,
    open: Vec<Open>,
    with_parts: bool,
    is_cut: bool,
    flow: ControlFlow<()>,
    batches: &'w B,
}

impl<B: AddRow> Walk<'_, B> {
    /// Returns true if the budget allows a row with this many bytes of text.
    fn pays(&mut self, bytes: usize) -> bool {
        let bytes = ROW_BYTES.saturating_add(bytes as u64).saturating_add(self.key.bytes() as u64);
        self.is_cut = self.is_cut || self.budget.charge_output(bytes).is_err();
        !self.is_cut && self.flow.is_continue()
    }

    /// Ends the part that was opened last.
    fn end_part(&mut self) {
        let Some(part) = self.open.pop() else { return };
        let is_root = self.open.is_empty();
        if !self.with_parts || self.flow.is_break() {
            return;
        }
        let is_truncated = is_root && self.is_cut;
        let fields = match json_of(part.fields, is_truncated) {
            Some(json) => json,
            None => "{}".to_owned(),
        };
        let is_paid = self.pays(fields.len().saturating_add(self.path.as_str().len()));
        // The last row is added at any cost, because it reports that others are missing.
        if is_paid || is_root {
            self.flow = self.batches.add::<Parts>(&PartRow {
                key: self.key,
                part: self.path.as_str(),
                name: part.name,
                index: part.index,
                label: part.label.as_deref(),
                span: part.span,
                fields: &fields,
            });
        }
    }

    fn fields(&mut self) -> Option<&mut Document<Vec<u8>, CompactFormatter>> {
        if !self.with_parts {
            return None;
        }
        self.open.last_mut()?.fields.as_mut().ok()
    }

    /// Adds the row of an array with this selector, in the part with that one.
    fn add_array(&mut self, array: &PartArray<'_>, selector: &str, part: &str) {
        if !self.pays(selector.len().saturating_add(part.len())) {
            return;
        }
        let columns: Vec<_> = array.table.columns().iter().map(|column| column.name).collect();
        self.flow = self.batches.add::<Arrays>(&ArrayRow {
            key: self.key,
            part,
            name: array.name,
            selector,
            rows: array.table.rows(),
            columns: &columns,
            storage: array.table.storage(),
        });
    }
}

/// Ends the fields of a part. Returns `None` if they could not be written.
fn json_of(fields: Fields, is_truncated: bool) -> Option<String> {
    let mut fields = fields.ok()?;
    if is_truncated {
        fields.entry("truncated", &true).ok()?;
    }
    String::from_utf8(fields.finish().ok()?).ok()
}

impl<B: AddRow> Visitor for Walk<'_, B> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        if self.is_cut || self.flow.is_break() {
            return false;
        }
        self.path.open(part);
        let mut label = None;
        if self.with_parts
            && let Some(text) = part.label
        {
            label = Some(Name::from(text.cut(LONGEST_TEXT)).text);
        }
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
        let mut path = std::mem::take(&mut self.path);
        let part = path.as_str().to_owned();
        path.with(array.name, array.index, |selector| self.add_array(array, selector, &part));
        self.path = path;
    }

    fn problem(&mut self, error: &Error) {
        if let Some(fields) = self.fields() {
            fields.problem(error);
        }
    }
}
