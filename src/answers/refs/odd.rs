//! What is odd about a file that a reference means: it is empty, for example.

use std::path::Path;

use super::index::{File, Index};
use super::keys::{address, key};
use super::resolved::Odd;
use super::seen::LONGEST_POINTER;
use crate::asset::address::MemberPath;
use crate::base::code::Code;
use crate::base::error::Result;
use crate::base::no_asset::NoAsset;
use crate::base::text::Name;
use crate::scan::Record;
use crate::summary::Severity;

impl Index {
    /// Keeps what is odd about an asset or text.
    pub(super) fn add_odd(&mut self, record: &Record) -> Result<()> {
        let Some(odd) = odd_by_problems(record) else { return Ok(()) };
        self.take(0)?;
        let place = key(&self.hash, &address(&record.path, record.member.as_ref()).text);
        self.odd.insert(place, odd);
        Ok(())
    }

    /// Returns what is odd about a file that a reference means. It is looked for once: addresses may be long.
    pub(super) fn odd_of(&mut self, number: usize) -> Option<Odd> {
        if let Some(known) = self.looked_at.get(&number) {
            return *known;
        }
        let odd = self.look_for_odd(self.files.get(number)?);
        self.looked_at.insert(number, odd);
        odd
    }

    fn look_for_odd(&self, file: &File) -> Option<Odd> {
        if file.odd.is_some() {
            return file.odd;
        }
        let archive = self.archive_of(file).map(|archive| &archive.address);
        if !self.odd.is_empty() {
            let name = Name { text: self.text_of(file).to_owned(), lossy: file.lossy };
            if let Some(odd) = self.odd.get(&key(&self.hash, &MemberPath::join(archive, name).text)) {
                return Some(*odd);
            }
        }
        if archive.is_some() || self.given_prefix_files.is_some() {
            return None;
        }
        odd_on_disk(Path::new(self.text_of(file)))
    }
}

/// Returns what is odd about an asset or text by its problems.
fn odd_by_problems(record: &Record) -> Option<Odd> {
    let summary = &record.summary;
    for problem in &summary.problems {
        match problem.code {
            Code::LfsPointer => return Some(Odd::LfsPointer),
            Code::Empty => return Some(Odd::Empty),
            _ if problem.severity == Severity::Error && summary.format.is_some() => return Some(Odd::Damaged),
            _ => {}
        }
    }
    None
}

/// Returns what is odd about a loose file of which a scan says nothing.
fn odd_on_disk(path: &Path) -> Option<Odd> {
    let metadata = path.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST_POINTER {
        return None;
    }
    if metadata.len() == 0 {
        return Some(Odd::Empty);
    }
    let data = std::fs::read(path).ok()?;
    if NoAsset::of(&data) == NoAsset::LfsPointer { Some(Odd::LfsPointer) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::prefix::Given;
    use super::super::seen::Listing;
    use super::*;
    use crate::base::error::Error;
    use crate::base::format::Format;
    use crate::scan::Scan;
    use crate::summary::Problem;

    fn problem(code: Code, severity: Severity) -> Problem {
        let mut problem = Problem::error(&Error::malformed("why").coded(code));
        problem.severity = severity;
        problem
    }

    #[test]
    fn the_first_problem_that_says_what_is_odd_counts() {
        let scan = Scan::new(["x"]);
        let mut record = scan.record(Path::new("x"), b"");
        let codes = [Code::LfsPointer, Code::Empty, Code::Damaged, Code::Checksum, Code::Text];
        let all = codes.iter().flat_map(|code| [(*code, Severity::Warning), (*code, Severity::Error)]);
        let all: Vec<(Code, Severity)> = all.collect();
        for format in [None, Some(Format::ALL[0])] {
            record.summary.format = format;
            let of = |(code, severity): (Code, Severity)| match code {
                Code::LfsPointer => Some(Odd::LfsPointer),
                Code::Empty => Some(Odd::Empty),
                _ if format.is_some() && severity == Severity::Error => Some(Odd::Damaged),
                _ => None,
            };
            for &one in &all {
                record.summary.problems = vec![problem(one.0, one.1)];
                assert_eq!(odd_by_problems(&record), of(one), "{one:?} {format:?}");
                for &two in &all {
                    record.summary.problems = vec![problem(one.0, one.1), problem(two.0, two.1)];
                    assert_eq!(odd_by_problems(&record), of(one).or(of(two)), "{one:?} {two:?} {format:?}");
                }
            }
            record.summary.problems.clear();
            assert_eq!(odd_by_problems(&record), None);
        }
    }

    /// The list of an archive says it first, then the record of the file. Only loose files are looked at on disk.
    #[test]
    fn what_is_odd_is_said_by_the_archive_then_by_the_record_then_by_the_file() {
        let folder = std::env::temp_dir().join(format!("meshpeek-odd-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let empty = folder.join("empty");
        std::fs::write(&empty, b"").unwrap();
        let empty = empty.to_str().unwrap();
        for archive in [None, Some(0)] {
            for listed in [None, Some(Odd::LfsPointer)] {
                for recorded in [false, true] {
                    for is_given in [false, true] {
                        let scan = Scan::new(["x"]);
                        let mut index = Index::new(&scan, &[]);
                        index.given_prefix_files = is_given.then(Given::new);
                        index.add_archive(Path::new("a.zip").into(), None, Listing::default()).unwrap();
                        let file = index.add_file(archive, empty, false);
                        index.files[file].odd = listed;
                        let path = if archive.is_some() { "a.zip" } else { empty };
                        let mut record = scan.record(Path::new(path), b"");
                        record.member = archive.map(|_| Name { text: empty.to_owned(), lossy: false });
                        record.summary.format = Some(Format::ALL[0]);
                        record.summary.problems = vec![problem(Code::Damaged, Severity::Error)];
                        if recorded {
                            index.add_odd(&record).unwrap();
                        }
                        let of_record = recorded.then_some(Odd::Damaged);
                        let on_disk = (archive.is_none() && !is_given).then_some(Odd::Empty);
                        let case = format!("{archive:?} {listed:?} {recorded} {is_given}");
                        assert_eq!(index.odd_of(file), listed.or(of_record).or(on_disk), "{case}");
                        assert_eq!(index.odd_of(99), None);
                    }
                }
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
