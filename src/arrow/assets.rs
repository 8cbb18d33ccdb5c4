//! Records as rows.

use arrow_array::RecordBatch;
use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Float32Builder, Int32Builder, Int64Builder, StringBuilder};
use arrow_schema::ArrowError;

use super::cells::{Cells, Ends, Present, clamped, fitting, structs};
use super::schema::{self, Table};
use crate::error::Error;
use crate::limits::flag;
use crate::scan::Record;
use crate::summary::{Counts, Name, Problem, Reference, Summary};
use crate::view::ByteStr;

/// No column of a batch may have more bytes than its offsets can count. References that take more than this go as a whole.
const MOST_BYTES: usize = 1 << 30;

pub(super) struct Assets {
    rows: usize,
    /// Of the texts.
    text_bytes: usize,
    path: StringBuilder,
    member: StringBuilder,
    lossy: BooleanBuilder,
    format: StringBuilder,
    version: Int32Builder,
    bytes: Int64Builder,
    /// As long as the last row that has one.
    counts: Vec<(&'static str, Int64Builder)>,
    bounds: [Float32Builder; 6],
    has_bounds: Present,
    references: References,
    blocks: [Int64Builder; 4],
    problems: Problems,
    /// As long as the last row that has one.
    digests: [StringBuilder; schema::DIGESTS.len()],
    has_digests: Present,
    stored: Stored,
    prefix: StringBuilder,
    stamp: StringBuilder,
}

impl Default for Assets {
    fn default() -> Self {
        Self {
            rows: 0,
            text_bytes: 0,
            path: StringBuilder::new(),
            member: StringBuilder::new(),
            lossy: BooleanBuilder::new(),
            format: StringBuilder::new(),
            version: Int32Builder::new(),
            bytes: Int64Builder::new(),
            counts: schema::count_names().into_iter().map(|name| (name, Int64Builder::new())).collect(),
            bounds: Default::default(),
            has_bounds: Present::default(),
            references: References::default(),
            blocks: Default::default(),
            problems: Problems::default(),
            digests: Default::default(),
            has_digests: Present::default(),
            stored: Stored::default(),
            prefix: StringBuilder::new(),
            stamp: StringBuilder::new(),
        }
    }
}

#[derive(Default)]
struct References {
    ends: Ends,
    kind: StringBuilder,
    name: StringBuilder,
    lossy: BooleanBuilder,
}

#[derive(Default)]
struct Problems {
    ends: Ends,
    severity: StringBuilder,
    code: StringBuilder,
    offset: Int64Builder,
    message: StringBuilder,
}

#[derive(Default)]
struct Stored {
    present: Present,
    offset: Int64Builder,
    bytes: Int64Builder,
    method: StringBuilder,
    time: StringBuilder,
}

impl Assets {
    pub(super) fn size(&self) -> (usize, usize) {
        // A row's numbers and flags take so much.
        (self.rows, self.text_bytes.saturating_add(self.rows.saturating_mul(600)))
    }

    pub(super) fn add(&mut self, record: &Record) {
        let Summary { format, version, bytes, counts, bounds, references, blocks, problems } = &record.summary;
        let path = record.path_name();
        let is_lossy = path.lossy || record.member.iter().chain(&record.prefix).any(|name| name.lossy);
        self.key(&path, record.member.as_ref(), is_lossy);
        self.format.append_value(format.name());
        self.version.append_option(version.and_then(|version| i32::try_from(version).ok()));
        self.bytes.append_value(clamped(*bytes));
        self.counts(counts);
        let corners = bounds.map(|bounds| [bounds.min, bounds.max]);
        self.has_bounds.add(corners.is_some());
        let corners = corners.unwrap_or_default();
        for (column, &number) in self.bounds.iter_mut().zip(corners.as_flattened()) {
            column.append_value(number);
        }
        let of_blocks = [blocks.stored, blocks.packed, blocks.packed_bytes, blocks.unpacked_bytes];
        for (column, number) in self.blocks.iter_mut().zip(of_blocks) {
            column.append_value(clamped(number));
        }
        let too_many = self.references(references);
        self.problems(problems.iter().chain(&too_many));
        self.has_digests.add(record.digests.is_some());
        for (name, digest) in record.digests.iter().flat_map(|digests| digests.iter()) {
            let mut columns = schema::DIGESTS.into_iter().zip(&mut self.digests);
            if let (Some((_, column)), Some(digest)) = (columns.find(|(known, _)| *known == name), digest) {
                column.pad(self.rows);
                column.append_value(digest);
            }
        }
        self.stored(record.stored.as_ref());
        self.prefix.append_option(record.prefix.as_ref().map(|prefix| &prefix.text));
        self.stamp.append_option(record.stamp.as_ref());
        self.rows = self.rows.saturating_add(1);
    }

    /// A row of which nothing is known but the path and why nothing is.
    pub(super) fn add_unreadable(&mut self, error: &Error) {
        let path = error.path().map(|path| Name::from(ByteStr::new(path.as_os_str().as_encoded_bytes())));
        let path = path.unwrap_or_else(|| Name { text: String::new(), lossy: false });
        self.key(&path, None, path.lossy);
        self.format.append_null();
        self.version.append_null();
        self.bytes.append_null();
        self.has_bounds.add(false);
        self.bounds.iter_mut().for_each(|column| column.append_value(0.0));
        self.blocks.iter_mut().for_each(|column| column.append_value(0));
        self.references(&[]);
        self.problems([&Problem::error(error)]);
        self.has_digests.add(false);
        self.stored(None);
        self.prefix.append_null();
        self.stamp.append_null();
        self.rows = self.rows.saturating_add(1);
    }

    fn key(&mut self, path: &Name, member: Option<&Name>, is_lossy: bool) {
        self.path.append_value(&path.text);
        self.member.append_option(member.map(|member| &member.text));
        self.lossy.append_value(is_lossy);
        let member = member.map_or(0, |member| member.text.len());
        self.text_bytes = self.text_bytes.saturating_add(path.text.len()).saturating_add(member);
    }

    fn counts(&mut self, counts: &Counts) {
        let mut behind = 0;
        for (name, count) in counts.iter() {
            // Those of a format mostly follow each other.
            let from = |start| self.counts.iter().enumerate().skip(start).find(|(_, (known, _))| *known == name);
            let place = from(behind).or_else(|| from(0)).map(|(place, _)| place);
            behind = place.map_or(behind, |place| place.saturating_add(1));
            let column = place.and_then(|place| self.counts.get_mut(place));
            if let (Some((_, column)), Some(count)) = (column, count.and_then(fitting)) {
                column.pad(self.rows);
                column.append_value(count);
            }
        }
    }

    /// The problem of references that no column can hold.
    fn references(&mut self, references: &[Reference]) -> Option<Problem> {
        let bytes = references.iter().fold(0_usize, |sum, reference| sum.saturating_add(reference.name.text.len()));
        let fits = bytes <= MOST_BYTES;
        let columns = &mut self.references;
        for Reference { kind, name } in references.iter().filter(|_| fits) {
            columns.kind.append_value(kind.name());
            columns.name.append_value(&name.text);
            columns.lossy.append_value(name.lossy);
        }
        columns.ends.add(columns.kind.len());
        self.text_bytes = self.text_bytes.saturating_add(if fits { bytes } else { 0 });
        (!fits).then(|| Problem::error(&Error::limit("bytes of references", MOST_BYTES as u64, flag::REFERENCES)))
    }

    fn problems<'p>(&mut self, problems: impl IntoIterator<Item = &'p Problem>) {
        let columns = &mut self.problems;
        for Problem { severity, code, offset, message, .. } in problems {
            columns.severity.append_value(severity.name());
            columns.code.append_value(code.name());
            columns.offset.append_option(offset.and_then(fitting));
            columns.message.append_value(message);
            self.text_bytes = self.text_bytes.saturating_add(message.len().saturating_add(40));
        }
        columns.ends.add(columns.severity.len());
    }

    fn stored(&mut self, stored: Option<&crate::scan::Stored>) {
        let columns = &mut self.stored;
        columns.present.add(stored.is_some());
        columns.offset.append_option(stored.and_then(|stored| stored.offset).and_then(fitting));
        columns.bytes.append_value(stored.map_or(0, |stored| clamped(stored.bytes)));
        columns.method.append_value(stored.map_or("", |stored| &stored.method));
        columns.time.append_option(stored.and_then(|stored| stored.time.as_ref()));
    }

    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        self.counts.iter_mut().for_each(|(_, column)| column.pad(self.rows));
        self.digests.iter_mut().for_each(|column| column.pad(self.rows));
        (self.rows, self.text_bytes) = (0, 0);
        let Self { references, problems, stored, .. } = self;
        let of_references = vec![references.kind.take(), references.name.take(), references.lossy.take()];
        let of_problems =
            vec![problems.severity.take(), problems.code.take(), problems.offset.take(), problems.message.take()];
        let of_stored = vec![stored.offset.take(), stored.bytes.take(), stored.method.take(), stored.time.take()];
        let counts = self.counts.iter_mut().map(|(_, column)| column.take()).collect();
        let columns = vec![
            self.path.take(),
            self.member.take(),
            self.lossy.take(),
            self.format.take(),
            self.version.take(),
            self.bytes.take(),
            structs(schema::counts(), counts, None)?,
            structs(schema::bounds(), self.bounds.iter_mut().map(Cells::take).collect(), self.has_bounds.take())?,
            references.ends.take(structs(schema::reference(), of_references, None)?)?,
            structs(schema::blocks(), self.blocks.iter_mut().map(Cells::take).collect(), None)?,
            problems.ends.take(structs(schema::problem(), of_problems, None)?)?,
            structs(schema::digests(), self.digests.iter_mut().map(Cells::take).collect(), self.has_digests.take())?,
            structs(schema::stored(), of_stored, stored.present.take())?,
            self.prefix.take(),
            self.stamp.take(),
        ];
        RecordBatch::try_new(Table::Assets.schema(), columns)
    }
}
