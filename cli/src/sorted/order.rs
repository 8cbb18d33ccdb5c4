//! The order of records, as keys whose bytes have this order.

use std::collections::HashMap;
use std::path::{Path, PathBuf, is_separator};

use meshpeek::scan::{Record, add_sort_key};

use crate::args::SortKey;
use crate::keys;

pub(super) enum Order {
    /// The arguments that led to records, then the bytes of their paths and members.
    Arguments(Arguments),
    /// `--sort`.
    Key(SortKey),
}

impl Order {
    pub(super) fn of_arguments(paths: &[PathBuf]) -> Self {
        Self::Arguments(Arguments::new(paths))
    }

    /// Adds the key of a record. Records without a number come last, and those with equal ones in order of their path.
    pub(super) fn add_key(&self, key: &mut Vec<u8>, record: &Record) {
        let member = record.member.as_ref().map(|name| name.text.as_str());
        let sort = match self {
            Self::Key(sort) if sort.name != "path" => sort,
            _ => return self.add_place(key, &record.path, member),
        };
        match keys::number(record, &sort.name) {
            Some(number) => {
                let number = if sort.is_downwards { !number } else { number };
                key.push(0);
                key.extend(number.to_be_bytes());
            }
            None => key.push(1),
        }
        add_sort_key(key, &record.path, member);
    }

    /// Adds the key of a path and member in an order without numbers.
    pub(super) fn add_place(&self, key: &mut Vec<u8>, path: &Path, member: Option<&str>) {
        if let Self::Arguments(arguments) = self {
            key.extend(arguments.place(path).to_be_bytes());
        }
        let start = key.len();
        add_sort_key(key, path, member);
        if let Self::Key(SortKey { is_downwards: true, .. }) = self {
            // No key is the beginning of another, so this reverses their order.
            for byte in key.iter_mut().skip(start) {
                *byte = !*byte;
            }
        }
    }
}

/// The places of the arguments on the command line.
pub(super) struct Arguments {
    places: HashMap<Vec<u8>, u32>,
    /// The lengths of all arguments, longest first. A path may have thousands of folders, but there are few lengths.
    lengths: Vec<usize>,
}

impl Arguments {
    fn new(paths: &[PathBuf]) -> Self {
        let mut places = HashMap::new();
        for (place, path) in std::iter::zip(0.., paths) {
            places.insert(trimmed(path).to_vec(), place);
        }
        let mut lengths: Vec<usize> = places.keys().map(Vec::len).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Self { places, lengths }
    }

    /// The place of the argument that is this path or the nearest folder around it. Paths of no argument come last.
    fn place(&self, path: &Path) -> u32 {
        let bytes = path.as_os_str().as_encoded_bytes();
        for &length in &self.lengths {
            let is_end = match bytes.get(length) {
                Some(byte) => is_separator((*byte).into()),
                None => length == bytes.len(),
            };
            if is_end
                && let Some(start) = bytes.get(..length)
                && let Some(place) = self.places.get(start)
            {
                return *place;
            }
        }
        u32::MAX
    }
}

/// The path without separators at its end.
fn trimmed(path: &Path) -> &[u8] {
    let mut bytes = path.as_os_str().as_encoded_bytes();
    while let [rest @ .., last] = bytes
        && is_separator((*last).into())
    {
        bytes = rest;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use meshpeek::scan::Scan;
    use meshpeek::summary::{Counts, Name};
    use meshpeek::view::ByteStr;

    use super::*;

    #[test]
    fn paths_belong_to_the_nearest_argument_around_them() {
        let arguments = ["a/", "a/b", "c.pbo", "..", "/", "a/b/c//"].map(PathBuf::from);
        let arguments = Arguments::new(&arguments);
        for (path, place) in [
            ("a", 0),
            ("a/x", 0),
            ("a/bc", 0),
            ("a/b", 1),
            ("a/b/x", 1),
            ("a/b/cd/x", 1),
            ("c.pbo", 2),
            ("../x/y", 3),
            ("/x", 4),
            ("a/b/c/x", 5),
            ("a/b/c//x", 5),
            ("c.pbo.b3d", u32::MAX),
            ("x", u32::MAX),
        ] {
            assert_eq!(arguments.place(Path::new(path)), place, "{path}");
        }
    }

    #[test]
    fn downwards_is_the_reverse_of_upwards() {
        let key = |text: &str, path: &str, member| {
            let order = Order::Key(SortKey { name: "path".to_owned(), is_downwards: text == "down" });
            let mut key = Vec::new();
            order.add_place(&mut key, Path::new(path), member);
            key
        };
        let all = [("a", None), ("a", Some("")), ("a", Some("b")), ("a.b", None), ("a/b", None), ("ab", Some("c"))];
        for (one, other) in all.iter().zip(&all[1..]) {
            assert!(key("up", one.0, one.1) < key("up", other.0, other.1));
            assert!(key("down", one.0, one.1) > key("down", other.0, other.1));
        }
    }

    /// Records with paths, members, sizes and numbers of every kind.
    fn records() -> Vec<Record> {
        let scan = Scan::new(["x"]);
        let mut all = Vec::new();
        for path in ["a", "a.b", "a/b", "b"] {
            for member in [None, Some("m"), Some("n")] {
                for number in [None, Some(0), Some(1), Some(255), Some(256), Some(u64::MAX)] {
                    let mut record = scan.record(Path::new(path), b"");
                    record.member = member.map(|member| Name::from(ByteStr::from(member)));
                    record.summary.bytes = [0, 1, 256, u64::MAX][all.len() % 4];
                    record.summary.counts = Counts::known([("triangles", number)]);
                    all.push(record);
                }
            }
        }
        all
    }

    /// The order as `GUIDE.md` states it: those without the number last, and equal ones by their place.
    fn stated(key: &SortKey, a: &Record, b: &Record) -> Ordering {
        let [place_a, place_b] =
            [a, b].map(|record| (record.path.to_str().unwrap(), record.member.as_ref().map(|name| name.text.as_str())));
        let by_place = place_a.cmp(&place_b);
        let [number_a, number_b] = [a, b].map(|record| match key.name.as_str() {
            "bytes" => Some(record.summary.bytes),
            name => record.summary.counts.get(name),
        });
        match (number_a, number_b) {
            _ if key.name == "path" && key.is_downwards => by_place.reverse(),
            _ if key.name == "path" => by_place,
            (Some(a), Some(b)) if key.is_downwards => b.cmp(&a).then(by_place),
            (Some(a), Some(b)) => a.cmp(&b).then(by_place),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => by_place,
        }
    }

    #[test]
    fn records_are_in_the_order_of_every_key_in_both_directions() {
        let records = records();
        for name in ["path", "bytes", "triangles"] {
            for is_downwards in [false, true] {
                let key = SortKey { name: name.to_owned(), is_downwards };
                let order = Order::Key(key.clone());
                let mut keys = Vec::new();
                for record in &records {
                    let mut bytes = Vec::new();
                    order.add_key(&mut bytes, record);
                    keys.push(bytes);
                }
                for (a, key_a) in records.iter().zip(&keys) {
                    for (b, key_b) in records.iter().zip(&keys) {
                        let place = |record: &Record| (record.path.clone(), record.member.clone());
                        let expected = stated(&key, a, b);
                        assert_eq!(key_a.cmp(key_b), expected, "{name} {is_downwards}: {:?}, {:?}", place(a), place(b));
                    }
                }
            }
        }
    }

    #[test]
    fn records_of_arguments_are_in_the_order_of_these() {
        let arguments = ["b", "a/b", "a", "a.b/"].map(PathBuf::from);
        let order = Order::of_arguments(&arguments);
        let place = |path: &Path| {
            let around = (0..arguments.len()).filter(|&at| path.starts_with(&arguments[at]));
            around.max_by_key(|&at| arguments[at].components().count()).unwrap_or(usize::MAX)
        };
        let records = records();
        for a in &records {
            for b in &records {
                let [key_a, key_b] = [a, b].map(|record| {
                    let mut key = Vec::new();
                    order.add_key(&mut key, record);
                    key
                });
                let [text_a, text_b] = [a, b].map(|record| {
                    (place(&record.path), record.path.to_str(), record.member.as_ref().map(|name| name.text.as_str()))
                });
                assert_eq!(key_a.cmp(&key_b), text_a.cmp(&text_b), "{text_a:?} {text_b:?}");
            }
        }
    }
}
