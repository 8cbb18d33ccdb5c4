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
