//! Converts records to rows.

use std::time::SystemTime;

use arrow_array::ArrayRef;
use arrow_array::builder::ArrayBuilder as _;
use arrow_schema::{ArrowError, Field};

use super::cells::{
    Column, Flag, Float, Group, Int, List, Long, OrNull, Rows, Size, Text, Time, clamped, columns, fitting, path_of,
};
use super::plain::text_of;
use meshpeek::scan::{self, Record};
use meshpeek::summary::{self, Code, Name, Problem, Reference, Summary};
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
        let mut bytes: usize = 0;
        for reference in &summary.references {
            bytes = bytes.saturating_add(reference.name.text.len());
        }
        let mut row = Self {
            path: record.path_name(),
            is_lossy: record.is_lossy(),
            summary,
            references: &summary.references,
            left_out: None,
            address: Some(record.address()),
            record: Some(record),
        };
        if bytes > MOST_BYTES {
            let error = Error::limit("bytes of references", MOST_BYTES as u64, Code::ReferenceBytesLimit);
            row.references = &[];
            row.left_out = Some(Problem::error(&error));
        }
        row
    }

    /// The row of a path that cannot be read, with the summary of that.
    pub(super) fn unreadable(error: &Error, summary: &'r Summary) -> Self {
        let path = path_of(error);
        Self { is_lossy: path.lossy, path, summary, references: &[], left_out: None, address: None, record: None }
    }

    pub(super) fn member(&self) -> Option<&str> {
        text_of(self.record?.member.as_ref())
    }

    fn version(&self) -> Option<i32> {
        i32::try_from(self.summary.version?).ok()
    }

    fn bytes(&self) -> Option<i64> {
        Some(clamped(self.record?.summary.bytes))
    }

    fn digests(&self) -> Option<&'r scan::Digests> {
        self.record?.digests.as_ref()
    }

    fn stored(&self) -> Option<&'r scan::Stored> {
        self.record?.stored.as_ref()
    }

    fn prefix(&self) -> Option<&str> {
        text_of(self.record?.prefix.as_ref())
    }

    fn stamp(&self) -> Option<&str> {
        self.record?.stamp.as_deref()
    }

    fn modified(&self) -> Option<SystemTime> {
        self.record?.modified
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
        version: OrNull<Int> = row.version(),
        bytes: OrNull<Long> = row.bytes(),
        counts: Group<Counts> = &row.summary.counts,
        bounds: OrNull<Group<Bounds>> = row.summary.bounds.as_ref(),
        refs: List<Group<References>> = &mut row.references.iter(),
        blocks: Group<Blocks> = &row.summary.blocks,
        problems: List<Group<Problems>> = &mut row.summary.problems.iter().chain(&row.left_out),
        digests: OrNull<Group<Digests>> = row.digests(),
        stored: OrNull<Group<Stored>> = row.stored(),
        prefix: OrNull<Text> = row.prefix(),
        stamp: OrNull<Text> = row.stamp(),
        mtime: OrNull<Time> = row.modified(),
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
        let mut bytes = self.path.size().rows.saturating_mul(600);
        for text in texts {
            bytes = bytes.saturating_add(text.bytes);
        }
        bytes
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
        let mut columns = Vec::new();
        for name in count_names() {
            columns.push((name, Long::new()));
        }
        Self { columns, rows: 0 }
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
            let Some(place) = self.place(name, after) else { continue };
            after = place.saturating_add(1);
            let Some(count) = count.and_then(fitting) else { continue };
            if let Some((_, column)) = self.columns.get_mut(place) {
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
        let mut columns = Vec::new();
        for (_, column) in &mut self.columns {
            pad(column, rows);
            columns.push(column.take()?);
        }
        Ok(columns)
    }

    fn size(&self) -> Size {
        Size { rows: self.rows, bytes: 0 }
    }
}

impl Counts {
    /// Finds the column of a count. The search begins after the previous one, because counts of one format are usually
    /// adjacent.
    fn place(&self, name: &str, after: usize) -> Option<usize> {
        for (place, (known, _)) in self.columns.iter().enumerate().skip(after) {
            if *known == name {
                return Some(place);
            }
        }
        self.columns.iter().position(|(known, _)| *known == name)
    }
}

/// Extends a column to at least this many cells. The new ones are null.
fn pad(column: &mut Long, rows: usize) {
    column.append_nulls(rows.saturating_sub(column.len()));
}

/// The names of the counts of all formats.
fn count_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for format in Format::ALL {
        for &name in format.count_names() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
