//! The implementation of [`Inspect`] for configs.

use nom::error::context;

use super::order::{Layout, Order};
use super::{Class, Config, Entry, Enum, Step};
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::budget::Budget;
use crate::inspect::{Depth, Inspect};
use crate::outline::{Outline, Part};
use crate::record::list::Item as _;
use crate::record::parser::{le_u32, length_count};
use crate::record::{Fixed as _, List, describe_count};
use crate::summary::{Problems, References, Summary, counted};

/// The offset of the address of the enums in the header.
const ENUM_ADDRESS: u64 = 12;

counted! { classes inside, values inside, arrays inside }

impl Inspect for Config<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Rap, &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Summarizes with one walk over all classes.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut counted = Counted::default();
        let mut references = References::new(&self.limits);
        if depth > Depth::Header {
            let mut order = Order::of(self.layout());
            for step in self.classes() {
                // After a class that cannot be read, the order of the others is not known.
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
            order.finish(self, problems);
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
        match self.layout() {
            Layout::Nested => self.dissect_nested(out),
            Layout::Flat => self.dissect_flat(out),
        }
        self.describe_enums(out);
    }
}

impl Config<'_> {
    /// Dissects the classes inside each other, as their ranges are. Classes inside one that is not shown are not shown
    /// either.
    fn dissect_nested(&self, out: &mut Outline<'_>) {
        // For each class that contains the next one: true if its part is open.
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
    }

    /// Dissects the bodies in the order of the file, because inner classes are not within the range of their own.
    fn dissect_flat(&self, out: &mut Outline<'_>) {
        let budget = Budget::unlimited(&self.limits);
        let Some(bodies) = out.ok(self.bodies(&budget)) else { return self.dissect_nested(out) };
        // Only classes that can be read have bodies. This reports the others.
        for step in self.classes() {
            out.ok(step);
        }
        for body in &bodies.list {
            if out.is_done() {
                return;
            }
            let Some(class) = out.ok(body.read(self)) else { return };
            let part = Part::item("classes", body.index as usize).labelled(class.name).rooted();
            out.part(part.spanning(class.offset(), class.byte_len()), |out| class.describe(out));
        }
    }
}

impl Counted {
    /// Counts an entry. Names of classes elsewhere or to delete are not counted.
    fn add(&mut self, entry: &Entry<'_>) {
        let count = match entry {
            Entry::Class(_) => &mut self.classes,
            Entry::Value(_) => &mut self.values,
            // `x[] += {...}` is stored as an array too.
            Entry::Array(_) | Entry::Append(_) => &mut self.arrays,
            Entry::Extern(_) | Entry::Delete(_) => return,
        };
        *count += 1;
    }
}

/// Removes the innermost classes until `depth` are left, and closes the parts of those that are open.
fn leave(around: &mut Vec<bool>, depth: usize, out: &mut Outline<'_>) {
    while around.len() > depth {
        if around.pop() == Some(true) {
            out.close();
        }
    }
}

impl<'a> Config<'a> {
    /// Returns the range of a class with all its inner classes, as the class claims it: at least its body, and not past
    /// the end of the file.
    fn span(&self, class: &Class<'_>) -> Span {
        let end = u64::from(class.end.unwrap_or_default()).min(self.data.size()).max(class.body_end());
        Span { offset: class.offset(), bytes: end.saturating_sub(class.offset()) }
    }

    /// Returns the constants after the classes, and their location, including their count.
    ///
    /// # Errors
    /// Returns an error if they are outside the file.
    pub(super) fn spanned_enums(&self) -> Result<(List<'a, Enum<'a>>, Span)> {
        let address = u64::from(self.header.enum_address.get());
        // The last address at which a count fits.
        let last = self.data.size().saturating_sub(super::config::ENUMS_MIN);
        if !(super::config::ROOT..=last).contains(&address) {
            let message = format!("address {address:#x} is not from {:#x} to {last:#x}", super::config::ROOT);
            return Err(Error::malformed(message).at(ENUM_ADDRESS).within("enum_address"));
        }
        let mut cursor = self.at(address);
        let offset = cursor.offset();
        let enums = cursor.parse(context("enums", length_count(le_u32(), Enum::parser())))?;
        Ok((enums, cursor.since(offset)))
    }

    /// Describes the constants after the classes.
    fn describe_enums(&self, out: &mut Outline<'_>) {
        if let Some((enums, span)) = out.ok(self.spanned_enums()) {
            describe_count("enum_count", enums.len() as u64, span.offset, out);
            Enum::describe_items(&enums, "enums", out);
        }
    }

    /// Checks that the constants follow the last class and end the file.
    fn check_enums(&self, order: &Order, problems: &mut Problems) {
        let Some((_, Span { offset, bytes })) = problems.ok(self.spanned_enums()) else { return };
        let end = offset.saturating_add(bytes);
        let size = self.data.size();
        if end < size {
            problems.warning(&Error::trailing(size.saturating_sub(end), "the enums").at(end));
        }
        if !order.is_broken && order.reached != offset {
            let message = format!("the classes end at {:#x}, the enums start at {offset:#x}", order.reached);
            let error = Error::malformed(message).at(ENUM_ADDRESS).within("enum_address");
            problems.warning(&error.coded(Code::Order));
        }
    }
}
