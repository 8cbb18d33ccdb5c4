//! Any bytes, as the format that they start like: asks every question, reads every array, and asserts what must hold.

use std::collections::HashSet;
use std::ops::ControlFlow;

use meshpeek::dissect::{LineKind, dissect, dissect_until, locate, overview};
use meshpeek::grammar::in_place;
use meshpeek::inspect::{Field, FieldValue, Inspect, Outline, Part, PartArray, Span, Text, Value, Visitor};
use meshpeek::ranges::Ranges;
use meshpeek::summary::{Counts, Problems, Severity};
use meshpeek::view::{Cursor, Packing, Strided};
use meshpeek::visit::visit_ranges;
use meshpeek::{Asset, Budget, Limits};
use zerocopy::little_endian::U32;

/// The maximum size of a file for questions whose cost grows with the file.
const SMALL: usize = 1 << 12;

/// The maximum number of bytes read of one table: a file of a few bytes may describe billions of equal rows.
const ENOUGH: u64 = 1 << 22;

pub fn run(data: &[u8]) {
    // A fuzzer's machine is small, and a run must be short.
    let limits = Limits::default().with_decoded_bytes(1 << 26);
    if let Ok(asset) = Asset::parse_with(data, &limits) {
        walk(&asset, data, &limits);
        dissect_whole(&asset, data.len() as u64);
    }
    if data.len() <= SMALL {
        by_ranges(data, &limits);
    }
    // Columns are inside records, and records divide the bytes.
    if !data.is_empty() {
        assert!(Strided::<u8>::new(data, 0, data.len() + 1, 0).is_err());
        assert!(Strided::<u8>::new(data, 0, data.len(), data.len()).is_err());
        assert!(Strided::<u8>::new(data, 0, data.len(), data.len() - 1).is_ok_and(|last| last.get(0) == data.last()));
    }
    // A record can be parsed at its offset.
    let mut cursor = Cursor::with_offset(data, 7);
    match (cursor.parse(in_place::<U32>()), data.first_chunk()) {
        (Ok(number), Some(bytes)) => assert_eq!((number.get(), cursor.offset()), (u32::from_le_bytes(*bytes), 11)),
        (Err(error), None) => assert!(error.offset() == Some(7) && cursor.left() == data.len() as u64, "{error}"),
        (result, _) => panic!("{result:?} of {} bytes", data.len()),
    }
}

/// Opening from ranges, with each missing range added on request, gives the same results as opening the whole file, from
/// any first read.
fn by_ranges(data: &[u8], limits: &Limits) {
    let visited = Ranges::new(data.len() as u64).with_first_read(1 + data.len() as u64 % 97).load(data, |ranges| {
        let mut members = 0;
        let _ = visit_ranges(ranges, limits, &mut |visited| {
            members += 1;
            drop(visited.asset.map(|asset| asset.summarize_header()));
            if members < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        Ok(members)
    });
    assert!(visited.is_ok_and(|members| members > 0));
    let header = |asset: &Asset<'_>| format!("{:?}", asset.summarize_header());
    let whole = Asset::parse_with(data, limits).map(|asset| header(&asset));
    let mut ranges = Ranges::new(data.len() as u64);
    let parts = ranges.load(data, |ranges| Asset::parse_ranges(ranges, limits).map(|asset| header(&asset)));
    assert!(ranges.held() <= data.len() as u64);
    match (whole, parts) {
        (Ok(whole), Ok(parts)) => assert_eq!(whole, parts),
        (Err(whole), Err(parts)) => assert_eq!(whole.to_string(), parts.to_string()),
        (whole, parts) => panic!("{whole:?} of the whole, {parts:?} of its ranges"),
    }
}

/// Every byte of a file belongs to exactly one name.
fn dissect_whole(asset: &Asset<'_>, size: u64) {
    let mut reached = 0;
    // One of the bytes, chosen by the size.
    let mut left = size % 61;
    let mut one = None;
    dissect(asset, size, &mut |line| {
        if size <= SMALL as u64 && matches!(line.kind, LineKind::Field | LineKind::Array) {
            // An array comes after its count, which has its name.
            let is_its_array = one.as_ref().is_some_and(|(selector, _)| selector == line.selector);
            if is_its_array && line.kind == LineKind::Array || one.is_none() || left > 0 {
                one = line.span.map(|span| (line.selector.to_owned(), span)).or(one.take());
            }
            left = left.saturating_sub(1);
        }
        let Some(span) = line.span.filter(|_| line.kind != LineKind::Part) else { return };
        assert_eq!(span.offset, reached, "{line:?}");
        assert!(span.bytes > 0, "{line:?}");
        reached += span.bytes;
    });
    assert_eq!(reached, size);
    if let Some((selector, span)) = one {
        let found = locate(asset, size, &selector.parse().expect("what a dissection names can be sought"));
        let found = found.unwrap_or_else(|| panic!("{selector} leads nowhere"));
        let place = found.span.unwrap_or_else(|| panic!("{selector} has no place"));
        let end = |span: Span| span.offset + span.bytes;
        let is_around = |span: Span| place.offset <= span.offset && end(span) <= end(place);
        assert!(found.is_exact && is_around(span), "{selector} leads to {found:?}, not {span:?}");
    }
}

/// Asks an asset everything. Returns a checksum over all answers, so that nothing can be optimized away.
pub fn walk(asset: &dyn Inspect, data: &[u8], limits: &Limits) -> u64 {
    let summary = asset.summarize();
    assert_eq!((summary.bytes, summary.format), (data.len() as u64, Some(asset.format())));
    assert!(asset.digest("of no such name", &Budget::unlimited(limits), &mut |_| ()).is_err());
    let names: Vec<&str> = summary.counts.iter().map(|(name, _)| name).collect();
    assert_eq!(names, asset.format().count_names());
    for problem in &summary.problems {
        assert!(problem.offset.is_none_or(|offset| offset <= summary.bytes), "{problem:?} is outside");
    }
    let mut problems = Problems::new(limits);
    asset.verify(&mut problems);
    let problems = problems.into_vec();
    for problem in &problems {
        assert!(problem.offset.is_none_or(|offset| offset <= summary.bytes), "{problem:?} is outside");
    }
    let damaged = |problems: &[_]| problems.iter().any(|p: &meshpeek::summary::Problem| p.severity == Severity::Error);
    assert!(damaged(&problems) || !damaged(&summary.problems), "verify misses {:?}", summary.problems);
    let parts = vec![Names::default()];
    let mut reader = Reader { data, size: data.len() as u64, sum: 0, parts, derived: 0, failed: false, holes: false };
    asset.outline(&mut Outline::new(&mut reader));
    assert_eq!(reader.parts.len(), 1);
    assert!(reader.failed || !reader.holes, "a list with holes, and yet nothing that cannot be read");
    assert!(damaged(&problems) || !reader.failed, "verify finds nothing, and yet something cannot be read");
    let mut sum = reader.sum;
    overview(&|sink| dissect_until(asset, data.len() as u64, sink), &mut |line| {
        let Span { offset, bytes, .. } = line.span.unwrap_or_default();
        sum = sum.wrapping_mul(31).wrapping_add(offset ^ bytes);
        ControlFlow::Continue(())
    });
    for name in asset.digest_names() {
        let mut bytes = 0_u64;
        let read =
            asset.digest(name, &Budget::unlimited(limits), &mut |piece| bytes = bytes.wrapping_add(piece.len() as u64));
        assert!(read.is_ok() || damaged(&problems), "verify finds nothing, and yet {name} fails: {read:?}");
        sum = sum.wrapping_mul(31).wrapping_add(bytes);
    }
    assert_eq!(summary, asset.summarize(), "a second look differs");
    sum
}

/// Returns the offset of the bytes in the data, or `None` if they are empty or not part of it.
fn data_range(data: &[u8], bytes: &[u8]) -> Option<u64> {
    let start = (bytes.as_ptr() as usize).checked_sub(data.as_ptr() as usize)?;
    (!bytes.is_empty() && start < data.len()).then_some(start as u64)
}

struct Reader<'d> {
    data: &'d [u8],
    size: u64,
    sum: u64,
    /// The names in each open part.
    parts: Vec<Names>,
    derived: usize,
    failed: bool,
    holes: bool,
}

#[derive(Default)]
struct Names {
    seen: HashSet<&'static str>,
    /// The current list, and its next expected item.
    list: Option<(&'static str, usize)>,
}

impl Reader<'_> {
    /// Names are unique within a part, and the items of a list are adjacent.
    fn named(&mut self, name: &'static str, index: Option<usize>) {
        let names = self.parts.last_mut().unwrap();
        let next = names.list.filter(|(list, _)| index.is_some() && *list == name).map(|(_, next)| next);
        if next.is_none() {
            assert!(names.seen.insert(name), "{name} is reported twice, or in pieces");
        }
        names.list = index.map(|index| (name, index + 1));
        if let Some(index) = index {
            assert!(index >= next.unwrap_or(0), "{name}/{index} is reported late");
            self.holes |= index != next.unwrap_or(0);
        }
    }

    /// A text is the same however it is returned, and moves no cursor.
    fn text(&mut self, text: Text<'_>) {
        self.add(text.stored_byte_len() as u64);
        if let Text::Bytes(bytes) = text {
            let (whole, lossy) = (bytes.to_text(), bytes.to_text_lossy());
            assert!(whole.is_none_or(|whole| whole == lossy && bytes == *whole), "{bytes:?} becomes {lossy:?}");
            let padded = format!("{bytes:>20}");
            assert!(padded.trim_start().len() <= bytes.to_string().len() && padded.chars().count() >= 20);
            assert!(!padded.contains(|c: char| c.is_control()), "{padded:?}");
        }
    }

    fn add(&mut self, value: u64) {
        self.sum = self.sum.wrapping_mul(0x0000_0100_0000_01b3).wrapping_add(value);
    }
}

impl Visitor for Reader<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        self.named(part.name, part.index);
        self.parts.push(Names::default());
        assert!(self.parts.len() < 16, "an outline stays flat");
        if let Some(span) = part.span {
            let end = span.offset.checked_add(span.bytes);
            assert!(end.is_some_and(|end| end <= self.size), "{part:?} is outside {} bytes", self.size);
        }
        true
    }

    fn close(&mut self) {
        self.parts.pop();
    }

    fn field(&mut self, field: Field<'_>) {
        if field.is_framing() {
            return;
        }
        self.named(field.name, None);
        let value = match field.value {
            FieldValue::One(value) => value,
            FieldValue::Texts(texts) => return texts.for_each(|text| self.text(text)),
            _ => return,
        };
        self.add(field.name.len() as u64);
        match value {
            Value::Bool(value) => self.add(value.into()),
            Value::Uint(value) => self.add(value),
            Value::Int(value) | Value::Coded(value, _) => self.add(value as u64),
            Value::Float(value) => self.add(value.to_bits().into()),
            Value::Floats(values) => values.iter().for_each(|value| self.add(value.to_bits().into())),
            Value::Text(text) => self.text(text),
            Value::Opaque(span) => assert!(span.offset.saturating_add(span.bytes) <= self.size),
            _ => {}
        }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let PartArray { name, index, table, .. } = *array;
        self.named(name, index);
        let storage = table.storage();
        if storage.packing == Packing::Derived {
            // Each may cost as much as the whole file, so large files ask only for a few.
            self.derived += 1;
            if self.derived > if self.size <= SMALL as u64 { 100 } else { 2 } {
                return;
            }
        }
        if !matches!(storage.packing, Packing::Derived | Packing::Deflate) {
            let end = storage.offset.checked_add(storage.bytes);
            assert!(end.is_some_and(|end| end <= self.size), "{name}: {storage:?} is outside {} bytes", self.size);
        }
        let row = table.columns().iter().map(|column| column.scalar.byte_len()).sum::<usize>() as u64;
        let mut read = 0_u64;
        let mut in_place = table.in_place().map(|rows| {
            let after = rows.bytes.len().saturating_sub(row as usize) / rows.stride.max(1);
            let in_file = data_range(self.data, rows.bytes);
            assert!(in_file.is_none_or(|start| start == storage.offset), "{name}: {storage:?} is at {in_file:?}");
            assert_eq!(table.rows(), if rows.bytes.is_empty() { 0 } else { after as u64 + 1 }, "{name}: rows in place");
            rows.bytes.chunks(rows.stride).map(|bytes| &bytes[..row as usize])
        });
        let result = table.read(&mut |rows| {
            assert!(row == 0 || (rows.len() as u64).is_multiple_of(row), "{name}: a batch of half rows");
            if let Some(in_place) = &mut in_place {
                let same = rows.chunks(row as usize).all(|read| in_place.next() == Some(read));
                assert!(same, "{name}: what is read differs from the bytes in place");
            }
            read += rows.len() as u64;
            if read > ENOUGH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match result {
            Ok(()) => assert!(read > ENOUGH || read == table.rows() * row, "{name}: {read} bytes of {}", table.rows()),
            Err(_) => self.failed = true,
        }
        self.add(read);
    }

    fn problem(&mut self, _: &meshpeek::Error) {
        self.failed = true;
    }
}

/// Compares the counts of triangles with those of each LOD, which come with its resolution.
pub fn same_triangles(counts: &Counts, lods: &[(f32, u64)]) {
    let (mut triangles, mut visual_lods, mut finest) = (0, 0, None);
    for (resolution, of_lod) in lods {
        triangles += of_lod;
        if *resolution < 0.0 || *resolution >= 1000.0 || resolution.is_nan() {
            continue;
        }
        visual_lods += 1;
        if finest.is_none_or(|(known, _)| resolution < known) {
            finest = Some((resolution, *of_lod));
        }
    }
    let found = ["triangles", "visual_lods", "visual_triangles"].map(|name| counts.get(name));
    assert_eq!(found, [Some(triangles), Some(visual_lods), finest.map(|(_, of_lod)| of_lod)]);
}
