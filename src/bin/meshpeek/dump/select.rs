//! Selectors: the path of an array through an asset's outline.
//!
//! A list's item goes by its number or by its own name: `nodes/3/keys/0/records`, `nodes/Arm_Left/keys/0/records`. Of
//! several items of one name the first counts.

use meshpeek::inspect::{Inspect, Outline, Part, Value, Visitor};
use meshpeek::view::Table;

use crate::detail::join;

/// Hands over the array of this selector, if there is one.
pub(super) fn find(asset: &dyn Inspect, selector: &str, take: &mut dyn FnMut(&dyn Table)) {
    let mut finder = Finder { rest: vec![selector], found: false, take };
    asset.outline(&mut Outline::new(&mut finder));
}

/// Hands over every array with its selector.
pub(super) fn each(asset: &dyn Inspect, take: &mut dyn FnMut(&str, &dyn Table)) {
    asset.outline(&mut Outline::new(&mut Lister { paths: vec![String::new()], take }));
}

/// The selector that is most like this one.
pub(super) fn nearest(asset: &dyn Inspect, selector: &str) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    each(asset, &mut |known, _| {
        let shared = known.bytes().zip(selector.bytes()).take_while(|(a, b)| a == b).count()
            + known.bytes().rev().zip(selector.bytes().rev()).take_while(|(a, b)| a == b).count();
        if best.as_ref().is_none_or(|(most, _)| shared > *most) {
            best = Some((shared, known.to_owned()));
        }
    });
    best.filter(|(shared, _)| *shared >= 3).map(|(_, known)| known)
}

struct Finder<'s> {
    /// What is left of the selector in each part around the place told of.
    rest: Vec<&'s str>,
    found: bool,
    take: &'s mut dyn FnMut(&dyn Table),
}

impl<'s> Finder<'s> {
    fn rest(&self) -> &'s str {
        self.rest.last().copied().unwrap_or_default()
    }
}

/// What is left of a selector behind one step of it.
fn step<'s>(selector: &'s str, name: &str) -> Option<&'s str> {
    match selector.strip_prefix(name)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

fn item_step<'s>(selector: &'s str, name: &str, index: Option<usize>, label: Option<&str>) -> Option<&'s str> {
    let rest = step(selector, name)?;
    match index {
        None => Some(rest),
        Some(index) => step(rest, &index.to_string()).or_else(|| step(rest, label.filter(|label| !label.is_empty())?)),
    }
}

impl Visitor for Finder<'_> {
    fn open(&mut self, part: &Part) -> bool {
        let label = part.label.as_ref().map(|label| label.text.as_str());
        let inside = (!self.found).then(|| item_step(self.rest(), part.name, part.index, label)).flatten();
        self.rest.extend(inside);
        inside.is_some()
    }

    fn close(&mut self) {
        self.rest.pop();
    }

    fn field(&mut self, _: &'static str, _: Value<'_>) {}

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        if !self.found && item_step(self.rest(), name, index, None) == Some("") {
            self.found = true;
            (self.take)(table);
        }
    }

    fn problem(&mut self, _: &meshpeek::Error) {}
}

struct Lister<'s> {
    paths: Vec<String>,
    take: &'s mut dyn FnMut(&str, &dyn Table),
}

impl Lister<'_> {
    fn path(&self, name: &str, index: Option<usize>) -> String {
        join(self.paths.last().map_or("", String::as_str), name, index)
    }
}

impl Visitor for Lister<'_> {
    fn open(&mut self, part: &Part) -> bool {
        self.paths.push(self.path(part.name, part.index));
        true
    }

    fn close(&mut self) {
        self.paths.pop();
    }

    fn field(&mut self, _: &'static str, _: Value<'_>) {}

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        let path = self.path(name, index);
        (self.take)(&path, table);
    }

    fn problem(&mut self, _: &meshpeek::Error) {}
}
