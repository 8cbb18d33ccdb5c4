//! The number of differences in each part or file.

use std::collections::HashMap;
use std::iter::zip;
use std::sync::Arc;

use meshpeek::diff::{Change, Difference};
use meshpeek::summary::Name;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::name::{name_of_file, text};
use crate::report::{escape, grouped};

/// The number of differences in each part, or in each file.
#[derive(Default)]
pub(super) struct Stats {
    pub(super) list: Vec<Stat>,
    places: HashMap<String, usize>,
}

pub(super) struct Stat {
    path: Option<Arc<Name>>,
    member: Option<Arc<Name>>,
    /// The path and member in one.
    file: String,
    place: String,
    label: Option<String>,
    counts: [u64; 5],
}

const CHANGES: [Change; 5] = [Change::Removed, Change::Added, Change::Changed, Change::Moved, Change::Unread];

impl Stats {
    /// The number of all differences, without what could not be compared.
    pub(super) fn differences(&self) -> u64 {
        let mut differences = 0;
        for Stat { counts: [removed, added, changed, moved, _], .. } in &self.list {
            differences += removed + added + changed + moved;
        }
        differences
    }

    pub(super) fn add(&mut self, difference: &Difference) {
        let file = name_of_file(difference);
        let mut steps = difference.place.splitn(3, '/');
        let mut part = steps.next().unwrap_or_default().to_owned();
        let mut has_index = false;
        if let Some(step) = steps.next()
            && step.bytes().all(|byte| byte.is_ascii_digit())
        {
            part = format!("{part}/{step}");
            has_index = true;
        }
        let place = if file.is_empty() { part } else { String::new() };
        let Some(stat) = self.stat_of(difference, file, place) else { return };
        // The label belongs to this part if nothing else is in between.
        let inside = difference.place.get(stat.place.len()..).unwrap_or_default();
        let is_of_part = has_index && stat.file.is_empty() && inside.matches('/').count() <= 1;
        if let Some(label) = &difference.label
            && stat.label.is_none()
            && is_of_part
        {
            stat.label = Some(label.text.clone());
        }
        for (count, change) in zip(&mut stat.counts, CHANGES) {
            *count += u64::from(change == difference.change);
        }
    }

    /// The counts of a file, or of a part if there is only one file.
    fn stat_of(&mut self, difference: &Difference, file: String, place: String) -> Option<&mut Stat> {
        let key = if file.is_empty() { &place } else { &file };
        let index = match self.places.get(key) {
            Some(&index) => index,
            None => {
                let index = self.list.len();
                self.places.insert(key.clone(), index);
                let path = difference.path.clone();
                let member = difference.member.clone();
                self.list.push(Stat { path, member, file, place, label: None, counts: [0; 5] });
                index
            }
        };
        self.list.get_mut(index)
    }
}

impl Serialize for Stat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { place, label, counts: [removed, added, changed, moved, unread], .. } = self;
        let path = text(self.path.as_ref());
        let member = text(self.member.as_ref());
        let row = json!({
            "path": path, "member": member, "place": place, "label": label,
            "removed": removed, "added": added, "changed": changed, "moved": moved, "unread": unread,
        });
        row.serialize(serializer)
    }
}

impl Stat {
    pub(super) fn name(&self) -> String {
        if !self.file.is_empty() {
            return escape(&self.file).into_owned();
        }
        let mut name = self.place.clone();
        if let Some(label) = &self.label
            && !label.is_empty()
        {
            name += &format!(" ({})", escape(label));
        }
        name
    }

    pub(super) fn counts_in_words(&self) -> String {
        let mut words = Vec::new();
        for (count, change) in zip(self.counts, CHANGES) {
            if count > 0 {
                words.push(format!("{} {}", grouped(count), change.name()));
            }
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::difference_for_tests::{difference, name};
    use super::*;

    #[test]
    fn differences_are_counted_by_part_or_by_file() {
        let mut stats = Stats::default();
        let mut expected: Vec<(&str, &str, [u64; 5])> = Vec::new();
        for (path, member, place, file, part) in [
            ("", "", "lods/0/points", "", "lods/0"),
            ("", "", "lods/0/points/3", "", "lods/0"),
            ("", "", "lods/1", "", "lods/1"),
            ("", "", "lods", "", "lods"),
            ("", "", "name/x/y", "", "name"),
            ("", "", "", "", ""),
            ("a.p3d", "", "lods/0/points", "a.p3d", ""),
            ("a.p3d", "", "", "a.p3d", ""),
            ("a.pbo", "m.p3d", "lods/0", "a.pbo!/m.p3d", ""),
            ("", "m.p3d", "lods/0", "m.p3d", ""),
        ] {
            for (number, change) in CHANGES.into_iter().enumerate() {
                for _ in 0..=number {
                    stats.add(&difference(change, path, member, place));
                }
            }
            match expected.iter_mut().find(|(known, of, _)| (*known, *of) == (file, part)) {
                Some((.., counts)) => *counts = counts.map(|count| count * 2),
                None => expected.push((file, part, [1, 2, 3, 4, 5])),
            }
        }
        let found: Vec<_> =
            stats.list.iter().map(|stat| (stat.file.as_str(), stat.place.as_str(), stat.counts)).collect();
        assert_eq!(found, expected);
        for stat in &stats.list {
            let [removed, added, changed, moved, unread] = stat.counts;
            let words = format!("{removed} removed, {added} added, {changed} changed, {moved} moved, {unread} unread");
            assert_eq!(stat.counts_in_words(), words);
        }
    }

    /// The label of a part is that of a difference of it or of what is directly in it.
    #[test]
    fn a_part_has_the_label_of_its_own_fields() {
        for (path, place, is_of_part) in [
            ("", "lods/0", true),
            ("", "lods/0/name", true),
            ("", "lods/0/selections/3", false),
            ("", "lods", false),
            ("", "lods/name", false),
            ("a.p3d", "lods/0", false),
        ] {
            for label in ["", "first", "with\nline"] {
                let mut stats = Stats::default();
                let mut first = difference(Change::Changed, path, "", place);
                first.label = Some(Arc::new(Name::from(std::path::Path::new(label))));
                stats.add(&first);
                first.label = name("second");
                stats.add(&first);
                let expected = if is_of_part { Some(label) } else { None };
                assert_eq!(stats.list[0].label.as_deref(), expected, "{path} {place}");
            }
        }
    }
}
