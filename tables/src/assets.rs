//! Converts records to rows.

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType, Field, Fields};

use super::cells::{
    Column, Ends, Flag, Float, Int, Long, OrNull, Present, Rows, Text, Time, clamped, columns, fitting, item, structs,
    take_each,
};
use meshpeek::scan::{self, Record};
use meshpeek::summary::{Counts, Name, Problem, Reference, Summary};
use meshpeek::view::ByteStr;
use meshpeek::{Error, Format};

/// No column of a batch may have more bytes than its offsets can count. If references take more, all are left out.
const MOST_BYTES: usize = 1 << 30;

#[derive(Default)]
pub(super) struct Assets {
    rows: usize,
    path: Text,
    member: Text,
    lossy: Flag,
    format: Text,
    version: Int,
    bytes: Long,
    /// As long as the last row that has a count.
    counts: CountColumns,
    bounds: [Float; 6],
    has_bounds: Present,
    references: References,
    reference_ends: Ends,
    blocks: [Long; 4],
    problems: Problems,
    problem_ends: Ends,
    /// As long as the last row that has a digest.
    digests: [Text; DIGESTS.len()],
    has_digests: Present,
    stored: Stored,
    has_stored: Present,
    prefix: Text,
    stamp: Text,
    mtime: Time,
}

/// One column for each count of any format.
struct CountColumns(Vec<(&'static str, Long)>);

impl Default for CountColumns {
    fn default() -> Self {
        Self(count_names().into_iter().map(|name| (name, Long::new())).collect())
    }
}

columns! {
    References of reference: &Reference {
        kind: Text = reference.kind.name(),
        name: Text = &reference.name.text,
        name_lossy: Flag = reference.name.lossy,
    }
}

columns! {
    Problems of problem: &Problem {
        severity: Text = problem.severity.name(),
        code: Text = problem.code.name(),
        offset: OrNull<Long> = problem.offset.and_then(fitting),
        message: Text = &problem.message,
    }
}

columns! {
    Stored of stored: Option<&scan::Stored> {
        stored_offset: OrNull<Long> = stored.and_then(|stored| stored.offset).and_then(fitting),
        stored_bytes: Long = stored.map_or(0, |stored| clamped(stored.bytes)),
        method: Text = stored.map_or("", |stored| &stored.method),
        time: OrNull<Text> = stored.and_then(|stored| stored.time.as_deref()),
    }
}

impl Assets {
    pub(super) fn add(&mut self, record: &Record) {
        let Summary { format, version, bytes, counts, bounds, references, blocks, problems, .. } = &record.summary;
        let path = record.path_name();
        self.key(&path, record.member.as_ref(), record.is_lossy());
        self.format.append_option(format.map(Format::name));
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
            let mut columns = DIGESTS.into_iter().zip(&mut self.digests);
            if let (Some((_, column)), Some(digest)) = (columns.find(|(known, _)| *known == name), digest) {
                column.pad(self.rows);
                column.append_value(digest);
            }
        }
        self.stored(record.stored.as_ref());
        self.prefix.append_option(record.prefix.as_ref().map(|prefix| &prefix.text));
        self.stamp.append_option(record.stamp.as_ref());
        self.mtime.put(record.modified);
        self.rows = self.rows.saturating_add(1);
    }

    /// Adds a row that contains only a path and the error.
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
        self.mtime.put(None);
        self.rows = self.rows.saturating_add(1);
    }

    fn key(&mut self, path: &Name, member: Option<&Name>, is_lossy: bool) {
        self.path.append_value(&path.text);
        self.member.append_option(member.map(|member| &member.text));
        self.lossy.append_value(is_lossy);
    }

    fn counts(&mut self, counts: &Counts) {
        let mut after = 0;
        for (name, count) in counts.iter() {
            // Counts of one format are usually adjacent.
            let from = |start| self.counts.0.iter().enumerate().skip(start).find(|(_, (known, _))| *known == name);
            let place = from(after).or_else(|| from(0)).map(|(place, _)| place);
            after = place.map_or(after, |place| place.saturating_add(1));
            let column = place.and_then(|place| self.counts.0.get_mut(place));
            if let (Some((_, column)), Some(count)) = (column, count.and_then(fitting)) {
                column.pad(self.rows);
                column.append_value(count);
            }
        }
    }

    /// Returns the problem of references that are too large for a column.
    fn references(&mut self, references: &[Reference]) -> Option<Problem> {
        let bytes = references.iter().fold(0_usize, |sum, reference| sum.saturating_add(reference.name.text.len()));
        let fits = bytes <= MOST_BYTES;
        references.iter().filter(|_| fits).for_each(|reference| self.references.add(reference));
        self.reference_ends.add(self.references.size().0);
        (!fits).then(|| Problem::error(&Error::limit("bytes of references", MOST_BYTES as u64, "--max-references")))
    }

    fn problems<'p>(&mut self, problems: impl IntoIterator<Item = &'p Problem>) {
        problems.into_iter().for_each(|problem| self.problems.add(problem));
        self.problem_ends.add(self.problems.size().0);
    }

    fn stored(&mut self, stored: Option<&scan::Stored>) {
        self.has_stored.add(stored.is_some());
        self.stored.add(stored);
    }
}

impl Rows for Assets {
    fn fields() -> Vec<Field> {
        vec![
            Text::field("path"),
            OrNull::<Text>::field("member"),
            Flag::field("lossy"),
            OrNull::<Text>::field("format"),
            OrNull::<Int>::field("version"),
            OrNull::<Long>::field("bytes"),
            group("counts", counts()),
            group("bounds", bounds()).with_nullable(true),
            list("refs", DataType::Struct(References::fields().into())),
            group("blocks", blocks()),
            list("problems", DataType::Struct(Problems::fields().into())),
            group("digests", digests()).with_nullable(true),
            group("stored", Stored::fields().into()).with_nullable(true),
            OrNull::<Text>::field("prefix"),
            OrNull::<Text>::field("stamp"),
            OrNull::<Time>::field("mtime"),
        ]
    }

    fn take(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        self.counts.0.iter_mut().for_each(|(_, column)| column.pad(self.rows));
        self.digests.iter_mut().for_each(|column| column.pad(self.rows));
        self.rows = 0;
        Ok(vec![
            self.path.take()?,
            self.member.take()?,
            self.lossy.take()?,
            self.format.take()?,
            self.version.take()?,
            self.bytes.take()?,
            structs(counts(), take_each(self.counts.0.iter_mut().map(|(_, column)| column))?, None)?,
            structs(bounds(), take_each(&mut self.bounds)?, self.has_bounds.take())?,
            self.reference_ends.take(structs(References::fields(), self.references.take()?, None)?)?,
            structs(blocks(), take_each(&mut self.blocks)?, None)?,
            self.problem_ends.take(structs(Problems::fields(), self.problems.take()?, None)?)?,
            structs(digests(), take_each(&mut self.digests)?, self.has_digests.take())?,
            structs(Stored::fields(), self.stored.take()?, self.has_stored.take())?,
            self.prefix.take()?,
            self.stamp.take()?,
            self.mtime.take()?,
        ])
    }

    fn size(&self) -> (usize, usize) {
        let (names, stored) = (self.path.size().1.saturating_add(self.member.size().1), self.stored.size().1);
        let lists = self.references.size().1.saturating_add(self.problems.size().1);
        // The other columns of a row take about this much.
        let others = self.rows.saturating_mul(600);
        (self.rows, names.saturating_add(stored).saturating_add(lists).saturating_add(others))
    }
}

fn group(name: &str, fields: Fields) -> Field {
    Field::new(name, DataType::Struct(fields), false)
}

fn list(name: &str, kind: DataType) -> Field {
    Field::new(name, DataType::List(item(kind)), false)
}

/// The byte streams for which a format may have digests. The first is the file itself.
const DIGESTS: [&str; 9] = ["file", "positions", "indices", "uvs", "normals", "faces", "times", "transforms", "pixels"];

/// The names of the counts of all formats.
fn count_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for &name in Format::ALL.iter().flat_map(|format| format.count_names()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn counts() -> Fields {
    count_names().into_iter().map(OrNull::<Long>::field).collect()
}

fn bounds() -> Fields {
    ["xmin", "ymin", "zmin", "xmax", "ymax", "zmax"].into_iter().map(Float::field).collect()
}

fn blocks() -> Fields {
    ["stored_blocks", "packed_blocks", "packed_bytes", "unpacked_bytes"].into_iter().map(Long::field).collect()
}

fn digests() -> Fields {
    DIGESTS.into_iter().map(OrNull::<Text>::field).collect()
}
