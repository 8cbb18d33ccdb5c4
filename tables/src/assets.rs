//! Converts records to rows.

use arrow_array::ArrayRef;
use arrow_array::builder::ArrayBuilder as _;
use arrow_schema::{ArrowError, Field};

use super::cells::{Column, Flag, Float, Group, Int, List, Long, OrNull, Rows, Text, Time, clamped, columns, fitting};
use super::flat::path_of;
use meshpeek::scan::{self, Record};
use meshpeek::summary::{self, Name, Problem, Reference, Summary};
use meshpeek::{Error, Format};

/// No column of a batch may have more bytes than its offsets can count. If references take more, all are left out.
const MOST_BYTES: usize = 1 << 30;

/// A record, or a path that cannot be read.
pub(super) struct AssetRow<'r> {
    pub(super) path: Name,
    pub(super) is_lossy: bool,
    pub(super) summary: &'r Summary,
    references: &'r [Reference],
    /// The problem of references that are too large for a column.
    left_out: Option<Problem>,
    /// `None` if the path cannot be read.
    address: Option<String>,
    /// `None` if the path cannot be read.
    record: Option<&'r Record>,
}

impl<'r> AssetRow<'r> {
    pub(super) fn of(record: &'r Record) -> Self {
        let summary = &record.summary;
        let bytes = summary.references.iter().fold(0, |sum: usize, file| sum.saturating_add(file.name.text.len()));
        let fits = bytes <= MOST_BYTES;
        let left_out = || Problem::error(&Error::limit("bytes of references", MOST_BYTES as u64, "--max-references"));
        Self {
            path: record.path_name(),
            is_lossy: record.is_lossy(),
            summary,
            references: if fits { &summary.references } else { &[] },
            left_out: (!fits).then(left_out),
            address: Some(record.address()),
            record: Some(record),
        }
    }

    /// The row of a path that cannot be read, with the summary of that.
    pub(super) fn unreadable(error: &Error, summary: &'r Summary) -> Self {
        let path = path_of(error);
        Self { is_lossy: path.lossy, path, summary, references: &[], left_out: None, address: None, record: None }
    }

    pub(super) fn member(&self) -> Option<&str> {
        self.record?.member.as_ref().map(|member| &*member.text)
    }
}

/// Returns the facts of a path that cannot be read: the error as its one problem.
pub(super) fn unreadable(error: &Error) -> Summary {
    let mut summary = Summary::new(None, 0);
    summary.problems.push(Problem::error(error));
    summary
}

columns! {
    /// Records.
    Assets of row: &'r AssetRow<'r> {
        path: Text = &row.path.text,
        member: OrNull<Text> = row.member(),
        lossy: Flag = row.is_lossy,
        format: OrNull<Text> = row.summary.format.map(Format::name),
        version: OrNull<Int> = row.summary.version.and_then(|version| i32::try_from(version).ok()),
        bytes: OrNull<Long> = row.record.map(|record| clamped(record.summary.bytes)),
        counts: Group<Counts> = &row.summary.counts,
        bounds: OrNull<Group<Bounds>> = row.summary.bounds.as_ref(),
        refs: List<Group<References>> = &mut row.references.iter(),
        blocks: Group<Blocks> = &row.summary.blocks,
        problems: List<Group<Problems>> = &mut row.summary.problems.iter().chain(&row.left_out),
        digests: OrNull<Group<Digests>> = row.record.and_then(|record| record.digests.as_ref()),
        stored: OrNull<Group<Stored>> = row.record.and_then(|record| record.stored.as_ref()),
        prefix: OrNull<Text> = row.record.and_then(|record| record.prefix.as_ref()).map(|prefix| &*prefix.text),
        stamp: OrNull<Text> = row.record.and_then(|record| record.stamp.as_deref()),
        mtime: OrNull<Time> = row.record.and_then(|record| record.modified),
        address: OrNull<Text> = row.address.as_deref(),
        texture: OrNull<Group<Textures>> = row.summary.texture.as_ref(),
    } sized Assets::bytes
}

impl Assets {
    fn bytes(&self) -> usize {
        let texts = [
            self.path.size(),
            self.member.size(),
            self.address.size(),
            self.refs.size(),
            self.problems.size(),
            self.stored.size(),
        ];
        // The other columns of a row take about this much.
        let others = self.path.size().0.saturating_mul(600);
        texts.into_iter().fold(others, |sum, (_, bytes)| sum.saturating_add(bytes))
    }
}

columns! {
    Bounds of bounds: &'r summary::Bounds {
        xmin: Float = bounds.min[0],
        ymin: Float = bounds.min[1],
        zmin: Float = bounds.min[2],
        xmax: Float = bounds.max[0],
        ymax: Float = bounds.max[1],
        zmax: Float = bounds.max[2],
    }
}

columns! {
    References of reference: &'r Reference {
        kind: Text = reference.kind.name(),
        name: Text = &reference.name.text,
        name_lossy: Flag = reference.name.lossy,
    }
}

columns! {
    Blocks of blocks: &'r summary::Blocks {
        stored_blocks: Long = clamped(blocks.stored),
        packed_blocks: Long = clamped(blocks.packed),
        packed_bytes: Long = clamped(blocks.packed_bytes),
        unpacked_bytes: Long = clamped(blocks.unpacked_bytes),
    }
}

columns! {
    Problems of problem: &'r Problem {
        severity: Text = problem.severity.name(),
        code: Text = problem.code.name(),
        offset: OrNull<Long> = problem.offset.and_then(fitting),
        message: Text = &problem.message,
    }
}

columns! {
    Stored of stored: &'r scan::Stored {
        stored_offset: OrNull<Long> = stored.offset.and_then(fitting),
        stored_bytes: Long = clamped(stored.bytes),
        method: Text = &stored.method,
        time: OrNull<Text> = stored.time.as_deref(),
    }
}

columns! {
    Textures of texture: &'r summary::Texture {
        texture_kind: Text = texture.kind,
        width: Long = texture.width.into(),
        height: Long = texture.height.into(),
    }
}

columns! {
    /// The byte streams for which a format may have digests.
    Digests of digests: &'r scan::Digests {
        file: OrNull<Text> = digest(digests, "file"),
        positions: OrNull<Text> = digest(digests, "positions"),
        indices: OrNull<Text> = digest(digests, "indices"),
        uvs: OrNull<Text> = digest(digests, "uvs"),
        normals: OrNull<Text> = digest(digests, "normals"),
        faces: OrNull<Text> = digest(digests, "faces"),
        times: OrNull<Text> = digest(digests, "times"),
        transforms: OrNull<Text> = digest(digests, "transforms"),
        pixels: OrNull<Text> = digest(digests, "pixels"),
    }
}

fn digest<'d>(digests: &'d scan::Digests, name: &str) -> Option<&'d str> {
    digests.iter().find(|(known, _)| *known == name)?.1
}

/// A column for each count of any format, as long as the last row that has the count.
struct Counts {
    columns: Vec<(&'static str, Long)>,
    rows: usize,
}

impl Default for Counts {
    fn default() -> Self {
        Self { columns: count_names().into_iter().map(|name| (name, Long::new())).collect(), rows: 0 }
    }
}

impl Rows for Counts {
    type Row<'r> = &'r summary::Counts;

    fn fields() -> Vec<Field> {
        count_names().into_iter().map(OrNull::<Long>::field).collect()
    }

    fn add(&mut self, counts: &summary::Counts) {
        let mut after = 0;
        for (name, count) in counts.iter() {
            // Counts of one format are usually adjacent.
            let from = |start| self.columns.iter().enumerate().skip(start).find(|(_, (known, _))| *known == name);
            let place = from(after).or_else(|| from(0)).map(|(place, _)| place);
            after = place.map_or(after, |place| place.saturating_add(1));
            let column = place.and_then(|place| self.columns.get_mut(place));
            if let (Some((_, column)), Some(count)) = (column, count.and_then(fitting)) {
                pad(column, self.rows);
                column.append_value(count);
            }
        }
        self.add_blank();
    }

    fn add_blank(&mut self) {
        self.rows = self.rows.saturating_add(1);
    }

    fn take(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        let columns = self.columns.iter_mut().map(|(_, column)| {
            pad(column, rows);
            column.take()
        });
        columns.collect()
    }

    fn size(&self) -> (usize, usize) {
        (self.rows, 0)
    }
}

/// Extends a column to at least this many cells. The new ones are null.
fn pad(column: &mut Long, rows: usize) {
    column.append_nulls(rows.saturating_sub(column.len()));
}

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
