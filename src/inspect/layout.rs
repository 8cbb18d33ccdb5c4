//! Where everything lies, put in order, with what lies between.

use std::borrow::Cow;
use std::fmt::Write;

use crate::base::error::Error;
use crate::base::named::named;
use crate::base::span::Span;
use crate::base::text::Name;
use crate::bytes::{Packing, Storage, Table};
use crate::outline::{Outline, Part, Text, Visitor};

/// Rows that are put in order at once; real files have a hundredth.
const MOST_ROWS: usize = 1 << 19;

/// Problems that get a row; the others are counted.
const MOST_PROBLEMS: u64 = 1_000;

/// Longer names and notes are cut.
const LONGEST_TEXT: usize = 1 << 10;

/// One line of a [layout](super::Inspect::layout).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Region<'a> {
    /// How many rows it lies in.
    pub depth: usize,
    /// What it is.
    pub kind: RegionKind,
    /// What it is called: a chunk's tag, or the name of a part or array.
    pub name: Cow<'a, str>,
    /// What more can be said of it in a few words; often empty.
    pub note: Cow<'a, str>,
    /// Its first byte, counted from the start of the asset.
    pub offset: u64,
    /// How many bytes it takes.
    pub bytes: u64,
}

named! {
    /// What a [`Region`] is.
    #[non_exhaustive]
    pub enum RegionKind {
        /// A part of the asset, which may have rows inside.
        Part = "part",
        /// An array.
        Array = "array",
        /// Bytes that no other row of the part around them names: `fields` of the part, or at the top a `gap` of which
        /// nothing is known.
        Gap = "gap",
        /// Of what is unpacked from the part around it, whose offset it has; its bytes are unpacked ones.
        Unpacked = "unpacked",
        /// Something that cannot be read, with the reason as its note. No bytes are its own.
        Problem = "problem",
    }
}

impl<'a> Region<'a> {
    /// A row for a part.
    pub fn part(depth: usize, name: impl Into<Cow<'a, str>>, note: impl Into<Cow<'a, str>>, span: Span) -> Self {
        let Span { offset, bytes } = span;
        Self { depth, kind: RegionKind::Part, name: name.into(), note: note.into(), offset, bytes }
    }

    /// A row for what cannot be read; in the part that starts at `offset`, unless the error knows better.
    pub fn problem(depth: usize, error: &Error, offset: u64) -> Self {
        let (name, note) = ("error".into(), error.message().into());
        Self { depth, kind: RegionKind::Problem, name, note, offset: error.offset().unwrap_or(offset), bytes: 0 }
    }
}

/// The rows of an outline: every part and array that says where it lies, and every problem.
pub fn outlined(outline: &dyn Fn(&mut Outline<'_>), sink: &mut dyn FnMut(Region<'_>)) {
    outline(&mut Outline::new(&mut Rows { sink, around: Vec::new() }));
}

struct Rows<'s> {
    sink: &'s mut dyn FnMut(Region<'_>),
    /// The parts around the place told of.
    around: Vec<Around>,
}

enum Around {
    /// Has a row, which starts here.
    Row(u64),
    /// Lies in no one piece: what is inside is called by its name too.
    Pieces(String),
}

impl Rows<'_> {
    fn tell(&mut self, kind: RegionKind, (name, index): (&str, Option<usize>), note: Cow<'_, str>, span: Span) {
        let mut full = String::new();
        let pieces = self.around.iter().rev().map_while(|around| match around {
            Around::Row(_) => None,
            Around::Pieces(name) => Some(name),
        });
        for name in pieces.collect::<Vec<_>>().into_iter().rev() {
            full.push_str(name);
            full.push('.');
        }
        full.push_str(&title(name, index));
        let depth = self.around.iter().filter(|around| matches!(around, Around::Row(_))).count();
        let Span { offset, bytes } = span;
        (self.sink)(Region { depth, kind, name: full.into(), note, offset, bytes });
    }
}

/// `name`, `name[0]`.
pub(crate) fn title(name: &str, index: Option<usize>) -> String {
    index.map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]"))
}

impl Visitor for Rows<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        match part.span {
            Some(span) => {
                let note = part.label.map_or_else(String::new, brief);
                self.tell(RegionKind::Part, (part.name, part.index), note.into(), span);
                self.around.push(Around::Row(span.offset));
            }
            None => self.around.push(Around::Pieces(title(part.name, part.index))),
        }
        true
    }

    fn close(&mut self) {
        self.around.pop();
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        let Storage { offset, bytes, packing } = table.storage();
        if packing != Packing::Derived {
            let note = format!("{}, {}", rows(table.rows()), packing.name());
            self.tell(RegionKind::Array, (name, index), note.into(), Span { offset, bytes });
        }
    }

    fn problem(&mut self, error: &Error) {
        let rows = self.around.iter().filter_map(|around| match around {
            Around::Row(offset) => Some(*offset),
            Around::Pieces(_) => None,
        });
        let (depth, offset) = rows.fold((0_usize, 0), |(depth, _), offset| (depth.saturating_add(1), offset));
        (self.sink)(Region::problem(depth, error, offset));
    }
}

/// A text as a note, cut where it is long.
pub(crate) fn brief<'t>(text: impl Into<Text<'t>>) -> String {
    let text = text.into();
    let dots = if text.stored_byte_len() > LONGEST_TEXT { "..." } else { "" };
    // What a note shows is escaped where it is shown.
    format!("{}{dots}", Name::from(text.cut(LONGEST_TEXT)).text)
}

/// `1 row`, `2 rows`.
pub(crate) fn rows(count: u64) -> String {
    format!("{count} row{}", if count == 1 { "" } else { "s" })
}

/// Takes in rows, and tells them in order with the gaps between them.
///
/// Rows inside one another are told one behind the other, those beside each other in any order. Those that are waiting
/// are kept small: a large archive has millions.
pub(super) struct Layout<'s> {
    rows: Vec<Row>,
    /// The names and notes of the rows.
    texts: String,
    /// Whether there were so many rows inside one part that they pass as they are told.
    passing: bool,
    problems: u64,
    gaps: Gaps<'s>,
}

#[derive(Clone, Copy)]
struct Row {
    depth: u32,
    kind: RegionKind,
    offset: u64,
    bytes: u64,
    /// Where its name starts, ends, and its note ends.
    text: [usize; 3],
}

impl Row {
    fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}

impl<'s> Layout<'s> {
    pub(super) fn new(size: u64, sink: &'s mut dyn FnMut(Region<'_>)) -> Self {
        let whole = Open { depth: 0, kind: None, start: 0, end: size, reached: 0, has_rows: true };
        let gaps = Gaps { size, open: vec![whole], sink };
        Self { rows: Vec::new(), texts: String::new(), passing: false, problems: 0, gaps }
    }

    pub(super) fn add(&mut self, region: Region<'_>) {
        if region.kind == RegionKind::Problem {
            self.problems = self.problems.saturating_add(1);
            if self.problems > MOST_PROBLEMS {
                return;
            }
        }
        let depth = u32::try_from(region.depth).unwrap_or(u32::MAX);
        if self.rows.len() >= MOST_ROWS && (depth == 0 || self.rows.len() >= 2 * MOST_ROWS) {
            self.passing = depth > 0;
            self.flush();
        }
        let start = self.texts.len();
        self.texts.push_str(cut(&region.name));
        let name_end = self.texts.len();
        self.texts.push_str(cut(&region.note));
        let text = [start, name_end, self.texts.len()];
        let Region { kind, offset, bytes, .. } = region;
        self.rows.push(Row { depth, kind, offset, bytes, text });
        if self.passing {
            self.flush();
        }
    }

    pub(super) fn finish(mut self) {
        self.flush();
        self.gaps.leave(0);
        if let Some(beyond) = self.problems.checked_sub(MOST_PROBLEMS).filter(|&beyond| beyond > 0) {
            let mut note = String::new();
            // Writing to a String cannot fail.
            let _ = write!(note, "{beyond} further ones have no row");
            let (kind, name, note) = (RegionKind::Problem, "error".into(), note.into());
            let offset = self.gaps.size;
            (self.gaps.sink)(Region { depth: 0, kind, name, note, offset, bytes: 0 });
        }
    }

    fn flush(&mut self) {
        if self.passing {
            for row in &self.rows {
                self.gaps.tell(row.depth, row, &self.texts);
            }
        } else {
            self.tell_in_order();
        }
        self.rows.clear();
        self.texts.clear();
    }

    /// Tells each row behind the part it lies in, those of one part by their offsets.
    fn tell_in_order(&mut self) {
        let parents = self.parents();
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let key = |&index: &usize| {
            let offset = self.rows.get(index).map_or(0, |row| row.offset);
            (parents.get(index).copied().flatten(), offset, index)
        };
        order.sort_unstable_by_key(key);
        // The children of each row stand together now; those of the whole asset come first.
        let children = |parent: Option<usize>| {
            let of = |index: &usize| parents.get(*index).copied().flatten();
            order.partition_point(|index| of(index) < parent)..order.partition_point(|index| of(index) <= parent)
        };
        let mut stack = vec![children(None)];
        while let Some(top) = stack.last_mut() {
            let Some(index) = top.next().and_then(|place| order.get(place).copied()) else {
                stack.pop();
                continue;
            };
            let depth = u32::try_from(stack.len()).unwrap_or(u32::MAX).saturating_sub(1);
            if let Some(row) = self.rows.get(index) {
                self.gaps.tell(depth, row, &self.texts);
            }
            stack.push(children(Some(index)));
        }
    }

    /// The row that each one lies in: the innermost of those around it that has all its bytes.
    fn parents(&self) -> Vec<Option<usize>> {
        let mut around: Vec<(u32, usize)> = Vec::new();
        let mut parents = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            while around.last().is_some_and(|(depth, _)| *depth >= row.depth) {
                around.pop();
            }
            let holds = |outer: &Row| {
                row.kind == RegionKind::Unpacked || outer.offset <= row.offset && row.end() <= outer.end()
            };
            let inner = around.iter().rev().map(|(_, outer)| *outer);
            parents.push(inner.into_iter().find(|&outer| self.rows.get(outer).is_some_and(holds)));
            if row.kind == RegionKind::Part {
                around.push((row.depth, index));
            }
        }
        parents
    }
}

/// A longer note than [`brief`] gives is cut without a word, as few are.
fn cut(text: &str) -> &str {
    let end = (0..=(2 * LONGEST_TEXT).min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

/// Passes rows on, and tells what lies between them.
struct Gaps<'s> {
    /// Of the whole asset.
    size: u64,
    /// The parts around the last row, the whole asset first.
    open: Vec<Open>,
    sink: &'s mut dyn FnMut(Region<'_>),
}

struct Open {
    /// That of the rows inside.
    depth: u32,
    /// `None` of the whole asset.
    kind: Option<RegionKind>,
    start: u64,
    end: u64,
    /// Up to here rows have told of its bytes.
    reached: u64,
    has_rows: bool,
}

impl Gaps<'_> {
    fn tell(&mut self, depth: u32, row: &Row, texts: &str) {
        self.leave(depth.saturating_add(1));
        if matches!(row.kind, RegionKind::Part | RegionKind::Array) {
            self.gap(row.offset);
            if let Some(around) = self.open.last_mut() {
                around.has_rows = true;
                around.reached = around.reached.max(row.end());
            }
        }
        let [start, name_end, end] = row.text;
        let (name, note) = (texts.get(start..name_end), texts.get(name_end..end));
        let (name, note) = (name.unwrap_or_default().into(), note.unwrap_or_default().into());
        let Row { kind, offset, bytes, .. } = *row;
        (self.sink)(Region { depth: depth as usize, kind, name, note, offset, bytes });
        if row.kind == RegionKind::Part {
            let inside = depth.saturating_add(1);
            let (start, end) = (row.offset, row.end());
            self.open.push(Open { depth: inside, kind: Some(kind), start, end, reached: start, has_rows: false });
        }
    }

    /// Leaves the parts whose rows have this depth and more.
    fn leave(&mut self, depth: u32) {
        while self.open.last().is_some_and(|open| open.depth >= depth) {
            let end = self.open.last().map_or(0, |open| open.end);
            if self.open.last().is_some_and(|open| open.has_rows) {
                self.gap(end);
            }
            self.open.pop();
        }
    }

    /// What lies before this place and behind the rows told.
    fn gap(&mut self, offset: u64) {
        let Some(&Open { depth, kind, start, end, reached, .. }) = self.open.last() else { return };
        let bytes = offset.min(end).min(self.size).saturating_sub(reached);
        if bytes == 0 {
            return;
        }
        let (name, note) = match kind {
            Some(_) => ("fields", ""),
            // A signature, and what else stands before all parts.
            None if reached == start && offset < end => ("fields", ""),
            None if offset == end => ("gap", "after the last part"),
            None => ("gap", ""),
        };
        let (depth, name, note) = (depth as usize, name.into(), note.into());
        (self.sink)(Region { depth, kind: RegionKind::Gap, name, note, offset: reached, bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of depth, offset and bytes as they are told of 100 bytes.
    fn laid_out(rows: &[(usize, RegionKind, u64, u64)]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut sink = |region: Region<'_>| {
            let Region { depth, name, offset, bytes, .. } = region;
            lines.push(format!("{:1$}{name} {offset}+{bytes}", "", 2 * depth));
        };
        let mut layout = Layout::new(100, &mut sink);
        for (index, &(depth, kind, offset, bytes)) in rows.iter().enumerate() {
            let name = format!("{}{index}", &format!("{kind:?}").to_lowercase()[..1]).into();
            layout.add(Region { depth, kind, name, note: "".into(), offset, bytes });
        }
        layout.finish();
        lines
    }

    use RegionKind::{Array, Part, Problem, Unpacked};

    #[test]
    fn rows_are_put_in_order_and_gaps_are_told() {
        let rows = [(0, Part, 60, 30), (1, Array, 70, 10), (1, Array, 62, 8), (0, Part, 10, 50), (0, Array, 10, 0)];
        let expected = [
            "fields 0+10",
            "p3 10+50",
            "a4 10+0",
            "p0 60+30",
            "  fields 60+2",
            "  a2 62+8",
            "  a1 70+10",
            "  fields 80+10",
            "gap 90+10",
        ];
        assert_eq!(laid_out(&rows), expected);
        assert_eq!(laid_out(&[]), ["gap 0+100"]);
    }

    #[test]
    fn a_row_outside_the_part_it_was_told_in_goes_where_it_lies() {
        let rows = [(0, Part, 0, 50), (1, Array, 60, 40), (1, Array, 0, 50)];
        assert_eq!(laid_out(&rows), ["p0 0+50", "  a2 0+50", "gap 50+10", "a1 60+40"]);
    }

    #[test]
    fn problems_and_what_is_unpacked_take_no_bytes() {
        let rows = [(0, Part, 0, 100), (1, Unpacked, 0, 5000), (1, Problem, 7, 0)];
        assert_eq!(laid_out(&rows), ["p0 0+100", "  u1 0+5000", "  p2 7+0"]);
    }

    #[test]
    fn bytes_of_two_rows_are_no_gap() {
        let rows = [(0, Array, 0, 80), (0, Array, 10, 20), (0, Array, 20, 80)];
        assert_eq!(laid_out(&rows), ["a0 0+80", "a1 10+20", "a2 20+80"]);
    }

    #[test]
    fn so_many_rows_that_they_pass_are_still_told_with_their_gaps() {
        let mut bytes = 0;
        let mut count = 0_usize;
        let mut sink = |region: Region<'_>| {
            count += 1;
            bytes += if region.depth == 1 { region.bytes } else { 0 };
        };
        let many = 2 * MOST_ROWS as u64 + 10;
        let mut layout = Layout::new(3 * many, &mut sink);
        layout.add(Region::part(0, "all", "", Span { offset: 0, bytes: 3 * many }));
        for index in 0..many {
            layout.add(Region::part(1, "", "", Span { offset: 3 * index, bytes: 2 }));
        }
        layout.finish();
        assert_eq!((count as u64, bytes), (1 + 2 * many, 3 * many));
    }
}
