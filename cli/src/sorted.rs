//! Results in order: what a verb keeps until its end. Rows that memory cannot hold go to a temporary file.

mod order;
mod runs;
mod sorter;

use std::io;
use std::path::Path;

use meshpeek::scan::Record;

use self::order::Order;
pub(crate) use self::sorter::Sorter;
use crate::args::{Common, Inputs};

/// Rows about records, which are made as records arrive and read in order.
pub(crate) struct Sorted {
    order: Order,
    sorter: Sorter,
}

impl Sorted {
    /// In the order of `--sort`, or else of the arguments and the paths below them. Of `--top`, the first rows alone.
    pub(crate) fn new(inputs: &Inputs, top: Option<usize>, common: &Common) -> Self {
        let order = match &inputs.sort {
            Some(key) => Order::Key(key.clone()),
            None => Order::of_arguments(&inputs.paths),
        };
        Self { order, sorter: Sorter::new(top, 1, common) }
    }

    /// In the order of `--sort`. `None` without it: then records are written as they are found.
    pub(crate) fn if_asked(inputs: &Inputs, top: Option<usize>, common: &Common) -> Option<Self> {
        inputs.sort.as_ref()?;
        Some(Self::new(inputs, top, common))
    }

    /// True if the row of this record may be among the first. If not, it need not be made.
    pub(crate) fn wants(&self, record: &Record) -> bool {
        !self.sorter.is_cut() || self.sorter.wants(&self.key(record))
    }

    pub(crate) fn key(&self, record: &Record) -> Vec<u8> {
        let mut key = Vec::new();
        self.order.add_key(&mut key, record);
        key
    }

    pub(crate) fn push(&mut self, record: &Record, row: &[u8]) -> io::Result<()> {
        let key = self.key(record);
        self.push_at(&key, row)
    }

    /// Adds a row that has this [`key`](Self::key).
    pub(crate) fn push_at(&mut self, key: &[u8], row: &[u8]) -> io::Result<()> {
        self.sorter.push(key, row)
    }

    /// Adds a row about a path or member of which there is no record.
    pub(crate) fn push_line(&mut self, path: &Path, member: Option<&str>, row: &[u8]) -> io::Result<()> {
        let mut key = Vec::new();
        self.order.add_place(&mut key, path, member);
        self.push_at(&key, row)
    }

    /// The next row. No row is added after this.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(self.sorter.next()?.map(|(_, row)| row))
    }

    /// Begins again with the first row.
    pub(crate) fn rewind(&mut self) {
        self.sorter.rewind();
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use meshpeek::scan::Scan;
    use meshpeek::summary::Name;
    use meshpeek::view::ByteStr;

    use super::*;
    use crate::verbs::{Cli, Verb};

    fn parsed(arguments: &[&str]) -> (Inputs, Common) {
        let cli = Cli::try_parse_from([&["meshpeek", "verify"], arguments].concat()).unwrap();
        match cli.verb {
            Verb::Verify(args) => (args.inputs, cli.common),
            _ => panic!("another verb"),
        }
    }

    /// A path, a member, and a size.
    type Row = (&'static str, Option<&'static str>, u64);

    const ROWS: [Row; 7] = [
        ("b/y", None, 5),
        ("a", None, 7),
        ("b/x", Some("n"), 5),
        ("c", None, 1),
        ("b/x", None, 6),
        ("b/x", Some("m"), 5),
        ("a", Some("m"), 7),
    ];

    fn text((path, member, bytes): &Row) -> String {
        format!("{path} {member:?} {bytes}")
    }

    #[test]
    fn the_first_rows_of_every_order_are_read_again_and_again() {
        let by_path = |(path, member, _): &Row| (*path, *member);
        for (sort, arguments) in
            [(None, &["b", "a", "c"][..]), (Some("path"), &["a"]), (Some("bytes"), &["a"]), (Some("-bytes"), &["a"])]
        {
            let flag = sort.map(|sort| format!("--sort={sort}"));
            let flag: Vec<&str> = flag.as_deref().into_iter().collect();
            let (inputs, common) = parsed(&[arguments, &flag].concat());
            let mut expected = ROWS.to_vec();
            expected.sort_by_key(by_path);
            match sort {
                None => expected.sort_by_key(|(path, ..)| arguments.iter().position(|own| path.starts_with(own))),
                Some("bytes") => expected.sort_by_key(|(.., bytes)| *bytes),
                Some("-bytes") => expected.sort_by_key(|(.., bytes)| std::cmp::Reverse(*bytes)),
                _ => {}
            }
            for top in [None, Some(0), Some(1), Some(3), Some(7), Some(9)] {
                assert_eq!(Sorted::if_asked(&inputs, top, &common).is_some(), sort.is_some());
                let mut sorted = Sorted::new(&inputs, top, &common);
                for row in &ROWS {
                    let (path, member, bytes) = *row;
                    let mut record = Scan::new(["x"]).record(Path::new(path), b"");
                    record.member = member.map(|member| Name::from(ByteStr::from(member)));
                    record.summary.bytes = bytes;
                    assert!(sorted.wants(&record));
                    // The same place in an order without numbers.
                    match member {
                        Some(_) if sort.is_none_or(|sort| sort == "path") => {
                            sorted.push_line(Path::new(path), member, text(row).as_bytes()).unwrap();
                        }
                        _ => sorted.push(&record, text(row).as_bytes()).unwrap(),
                    }
                }
                let expected: Vec<String> = expected.iter().take(top.unwrap_or(usize::MAX)).map(text).collect();
                for _ in 0..2 {
                    let mut found = Vec::new();
                    while let Some(row) = sorted.next().unwrap() {
                        found.push(String::from_utf8(row.to_vec()).unwrap());
                    }
                    assert_eq!(found, expected, "{sort:?}, the first {top:?}");
                    sorted.rewind();
                }
            }
        }
    }
}
