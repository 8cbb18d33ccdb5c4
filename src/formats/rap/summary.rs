//! The implementation of [`Inspect`] for configs.

use nom::error::context;

use super::{Class, Config, Entry, Enum, Step};
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::inspect::{Depth, Inspect};
use crate::outline::{Outline, Part};
use crate::record::list::Item as _;
use crate::record::parser::{le_u32, length_count};
use crate::record::{Fixed as _, List, describe_count};
use crate::summary::{Problems, References, Summary, counted};

counted! { classes inside, values inside, arrays inside }

impl Inspect for Config<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Rap, &self.limits, self.data.size())
    }

    /// Summarizes with one walk over all classes.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut counted = Counted::default();
        let mut references = References::new(&self.limits);
        let mut order = Order { is_broken: false, reached: super::ROOT, around: Vec::new() };
        if depth > Depth::Header {
            for step in self.classes() {
                let Some(step) = problems.ok(step) else {
                    order.is_broken = true;
                    continue;
                };
                for entry in step.class.entries() {
                    counted.add(&entry);
                    let name = entry.name();
                    for text in entry.texts() {
                        if let Some(kind) = super::kind_of(name.as_bytes(), text.as_bytes()) {
                            references.add(kind, text);
                        }
                    }
                }
                order.add(&step, problems);
            }
            order.leave(0, problems);
            self.check_enums(&order, problems);
        }
        Summary {
            version: Some(self.version()),
            counts: counted.counts(depth > Depth::Header),
            references: references.into_vec(problems),
            ..Summary::new(Format::Rap, self.data.size())
        }
    }

    /// Outlines the classes as a flat list. Each class names the class that contains it.
    fn outline(&self, out: &mut Outline<'_>) {
        self.header.describe_fields(0, out);
        out.list("classes");
        for step in self.classes() {
            if out.is_done() {
                return;
            }
            let Some(Step { index, outer, class, .. }) = out.ok(step) else { continue };
            let part = Part::item("classes", index).labelled(class.name).spanning(class.offset(), class.byte_len());
            out.part(part, |out| {
                out.field("outer", outer);
                class.describe(out);
            });
        }
        self.describe_enums(out);
    }

    fn dissect(&self, out: &mut Outline<'_>) {
        self.header.describe_fields(0, out);
        let mut around: Vec<bool> = Vec::new();
        for step in self.classes() {
            let Some(Step { index, depth, class, .. }) = out.ok(step) else { continue };
            leave(&mut around, depth, out);
            let Span { offset, bytes } = self.span(&class);
            let part = Part::item("classes", index).labelled(class.name).rooted().spanning(offset, bytes);
            let is_shown = around.last().is_none_or(|&is_shown| is_shown) && out.open(&part);
            if is_shown {
                class.describe(out);
            }
            around.push(is_shown);
        }
        leave(&mut around, 0, out);
        self.describe_enums(out);
    }
}

impl Counted {
    fn add(&mut self, entry: &Entry<'_>) {
        let count = match entry {
            Entry::Class(_) => &mut self.classes,
            Entry::Value(_) => &mut self.values,
            Entry::Array(_) => &mut self.arrays,
            Entry::Extern(_) | Entry::Delete(_) | Entry::Append(_) => return,
        };
        *count = count.saturating_add(1);
    }
}

/// Ends open parts until this many are left.
fn leave(around: &mut Vec<bool>, depth: usize, out: &mut Outline<'_>) {
    while around.len() > depth {
        if around.pop() == Some(true) {
            out.close();
        }
    }
}

impl<'a> Config<'a> {
    /// Returns the range of a class with all its inner classes, cut at the end of the file.
    fn span(&self, class: &Class<'_>) -> Span {
        let end = u64::from(class.end).min(self.data.size()).max(class.body_end());
        Span { offset: class.offset(), bytes: end.saturating_sub(class.offset()) }
    }

    pub(super) fn spanned_enums(&self) -> Result<(List<'a, Enum<'a>>, Span)> {
        let mut cursor = self.at(self.header.enum_address.get().into());
        let offset = cursor.offset();
        let enums = cursor.parse(context("enums", length_count(le_u32(), Enum::parser())))?;
        Ok((enums, cursor.since(offset)))
    }

    fn describe_enums(&self, out: &mut Outline<'_>) {
        if let Some((enums, span)) = out.ok(self.spanned_enums()) {
            describe_count("enum_count", enums.len() as u64, span.offset, out);
            Enum::describe_items(&enums, "enums", out);
        }
    }

    fn check_enums(&self, order: &Order, problems: &mut Problems) {
        let Some((_, Span { offset, bytes })) = problems.ok(self.spanned_enums()) else { return };
        let end = offset.saturating_add(bytes);
        let size = self.data.size();
        if end < size {
            problems.warning(&Error::trailing(size.saturating_sub(end), "the enums").at(end));
        }
        if !order.is_broken && order.reached != offset {
            let message = format!("the classes end at {:#x}, the enums start at {offset:#x}", order.reached);
            problems.warning(&Error::malformed(message).at(12).within("enum_address").coded(Code::Order));
        }
    }
}

/// Checks that bodies follow each other depth first, and that each class ends where it says.
struct Order {
    is_broken: bool,
    /// The offset after the last body.
    reached: u64,
    /// The last class and the classes that contain it: index, claimed end, and offset of that claim.
    around: Vec<(usize, u64, u64)>,
}

impl Order {
    fn add(&mut self, step: &Step<'_>, problems: &mut Problems) {
        self.leave(step.depth, problems);
        let class = &step.class;
        if !self.is_broken && class.offset() != self.reached {
            let message = format!("the body is not at {:#x}, right after the one before", self.reached);
            let error = Error::malformed(message).at(class.offset()).within_item("classes", step.index);
            problems.warning(&error.coded(Code::Order));
        }
        self.reached = class.body_end();
        self.around.push((step.index, class.end.into(), class.body_end().saturating_sub(4)));
    }

    /// Ends classes, until this many are left.
    fn leave(&mut self, depth: usize, problems: &mut Problems) {
        while self.around.len() > depth
            && let Some((index, end, offset)) = self.around.pop()
        {
            if !self.is_broken && end != self.reached {
                let message = format!("{end:#x} is not {:#x}, where the class ends", self.reached);
                let error = Error::malformed(message).at(offset).within("end").within_item("classes", index);
                problems.warning(&error.coded(Code::Order));
            }
        }
    }
}
