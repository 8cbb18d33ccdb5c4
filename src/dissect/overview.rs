//! A shorter form of a dissection.

use std::fmt::Write;
use std::ops::ControlFlow;

use super::line::{Line, LineKind};
use crate::base::amount::Amount;
use crate::base::span::Span;
use crate::outline::Value;

/// Receives lines until it returns `Break`.
pub type Sink<'s> = &'s mut dyn FnMut(&Line<'_>) -> ControlFlow<()>;

/// Passes on the lines of a dissection that an overview needs: parts, arrays that have bytes, gaps and problems.
/// Consecutive fields become one line named `fields`. Consecutive items of a list that have only fields and no name
/// become one line, such as `faces[0..12]`. The tag of a chunk is added to the note of its part.
///
/// As in the dissection, the lines that contain no other lines cover every byte of the file exactly once.
pub fn overview(lines: &dyn Fn(Sink<'_>), sink: Sink<'_>) {
    let mut overview = Overview { sink, run: None, part: None, fields: None, at: 0 };
    let mut flow = ControlFlow::Continue(());
    lines(&mut |line| {
        flow = overview.line(line);
        flow
    });
    if flow.is_continue() {
        let _ = overview.end_part().is_continue() && overview.flush().is_continue();
    }
}

struct Overview<'s> {
    sink: Sink<'s>,
    /// Parts that have ended: consecutive items of one list, or a single part.
    run: Option<Held>,
    /// The last part, as long as it has only fields.
    part: Option<Held>,
    /// The range of the last consecutive fields, and their depth.
    fields: Option<(usize, Span)>,
    /// Every byte before this one has its line.
    at: u64,
}

/// One or several parts that have no line yet.
struct Held {
    depth: usize,
    selector: String,
    name: String,
    note: String,
    span: Option<Span>,
    unpacked: Option<Span>,
    count: Amount<usize>,
}

impl Held {
    /// Copies the line of a part. Its note also says where the part is unpacked.
    fn of(line: &Line<'_>) -> Self {
        let selector = line.selector.to_owned();
        let name = line.name.to_owned();
        let mut note = line.note.clone();
        if let Some(Span { offset, bytes }) = line.unpacked {
            // Writing to a String cannot fail.
            let _ = write!(note, "{}{bytes} bytes at {offset:#x} unpacked", if note.is_empty() { "" } else { ", " });
        }
        Self { depth: line.depth, selector, name, note, span: line.span, unpacked: line.unpacked, count: Amount(1) }
    }

    /// Returns its list and its index, if it has no note that distinguishes it from other items.
    fn item(&self) -> Option<(&str, usize)> {
        if !self.note.is_empty() {
            return None;
        }
        let (list, index) = self.selector.rsplit_once('/')?;
        Some((list, index.parse().ok()?))
    }

    /// True if `next` follows this part both in the list and in the file.
    fn is_followed_by(&self, next: &Self) -> bool {
        let end = self.span.map(Span::end);
        if self.depth != next.depth || end != next.span.map(|span| span.offset) {
            return false;
        }
        let (Some((list, _)), Some((next_list, _))) = (self.item(), next.item()) else { return false };
        list == next_list
    }

    /// Extends this run of parts by the one that follows it.
    fn add(&mut self, next: &Self) {
        self.count += 1;
        if let (Some(all), Some(span)) = (&mut self.span, next.span) {
            all.bytes = all.bytes.saturating_add(span.bytes);
        }
    }

    /// Passes one line to the sink: that of a single part, or `name[first..end]` for a run of several.
    fn emit(self, sink: Sink<'_>) -> ControlFlow<()> {
        let Self { depth, span, unpacked, .. } = self;
        let part = Line { depth, span, unpacked, ..Line::default() };
        if self.count.0 > 1
            && let Some((selector, first)) = self.item()
            && let Some((name, _)) = self.name.split_once('[')
        {
            let name = format!("{name}[{first}..{}]", (self.count + first).0);
            return sink(&Line { selector, name: &name, note: format!("{} items", self.count.0), ..part });
        }
        sink(&Line { selector: &self.selector, name: &self.name, note: self.note, ..part })
    }
}

impl Overview<'_> {
    /// Takes the next line of the dissection. Parts and fields are held back, because the lines after them may join them.
    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if let Some(part) = &self.part
            && line.depth <= part.depth
        {
            self.end_part()?;
        }
        if let Some(span) = line.span
            && line.kind != LineKind::Part
        {
            self.at = span.end();
        }
        match line.kind {
            LineKind::Field if line.name != "problem" => self.field(line),
            LineKind::Array if line.span.is_none() => ControlFlow::Continue(()),
            LineKind::Part => {
                let mut part = Held::of(line);
                // The span of some parts covers bytes of earlier lines.
                part.span = part.span.filter(|span| span.offset >= self.at);
                match &self.run {
                    Some(run) if run.is_followed_by(&part) && self.part.is_none() => {}
                    _ => self.flush()?,
                }
                self.part = Some(part);
                ControlFlow::Continue(())
            }
            _ => {
                self.flush()?;
                (self.sink)(line)
            }
        }
    }

    /// Adds a field to the range of the fields directly before it, or starts a new range. A tag also goes into the note
    /// of its part.
    fn field(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if let (Some(part), "tag", Some(Value::Text(tag))) = (&mut self.part, line.name, &line.value) {
            let label = std::mem::take(&mut part.note);
            part.note = if label.is_empty() { tag.to_string() } else { format!("{tag}, {label}") };
        }
        let Some(span) = line.span else { return ControlFlow::Continue(()) };
        match &mut self.fields {
            Some((depth, fields)) if *depth == line.depth => fields.bytes = fields.bytes.saturating_add(span.bytes),
            _ => {
                // The first field of a part gives it no line yet: all that follows in it may be fields too.
                if self.part.is_none() {
                    self.flush()?;
                }
                self.fields = Some((line.depth, span));
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends the current part. Fields that cover the whole part get no line.
    fn end_part(&mut self) -> ControlFlow<()> {
        let Some(part) = self.part.take() else { return ControlFlow::Continue(()) };
        if let Some((_, fields)) = self.fields
            && Some(fields) != part.span
        {
            self.part = Some(part);
            return self.flush();
        }
        self.fields = None;
        match &mut self.run {
            Some(run) if run.is_followed_by(&part) => run.add(&part),
            _ => {
                self.flush()?;
                self.run = Some(part);
            }
        }
        ControlFlow::Continue(())
    }

    /// Passes all that is held back to the sink, in the order of the file.
    fn flush(&mut self) -> ControlFlow<()> {
        for part in [self.run.take(), self.part.take()].into_iter().flatten() {
            part.emit(&mut *self.sink)?;
        }
        if let Some((depth, fields)) = self.fields.take() {
            let line = Line { depth, kind: LineKind::Field, name: "fields", span: Some(fields), ..Line::default() };
            (self.sink)(&line)?;
        }
        ControlFlow::Continue(())
    }
}
