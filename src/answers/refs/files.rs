//! Resolves references among files that the caller has open, without a file system.

use std::path::PathBuf;

use super::Textures;
use super::index::Index;
use super::links::Links;
use super::prefix::{Given, LARGEST_PREFIX_FILE, is_prefix_file};
use super::seen::Seen;
use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::impl_fmt::impl_fmt;
use crate::budget::Budget;
use crate::inspect::Inspect as _;
use crate::scan::{Found, Record, Scan, Sighting};

/// Files to resolve references among, added one by one: those of a browser, or of an object store. Reads nothing from
/// the file system.
///
/// ```
/// use std::{ops::ControlFlow, path::Path};
/// use meshpeek::{Asset, answers::refs, scan::Scan};
/// # let texture = [&b"skin.png\0\x01\0\0\0\x02\0\0\0"[..], &[0; 20]].concat();
/// # let size = (texture.len() as u32).to_le_bytes();
/// # let bytes = [&b"BB3D"[..], &(texture.len() as u32 + 12).to_le_bytes(), b"\x01\0\0\0TEXS", &size, &texture].concat();
/// let scan = Scan::new(["mod"]);
/// let mut files = refs::Files::new(&scan, &[]);
/// files.add_path("mod/skin.png".into())?;
/// let asset = Asset::parse(&bytes)?;
/// files.add(scan.record(Path::new("mod/man.b3d"), &bytes), &bytes, Some(&asset))?;
/// let mut targets = Vec::new();
/// files.links()?.each(|link| {
///     targets.extend(link.targets().map(|target| target.text));
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(targets, ["mod/skin.png"]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub struct Files {
    index: Index,
}

impl Files {
    /// Starts without files. The paths of the scan are the files and folders that the user named: a path is below the
    /// name of such a folder. `assumed` are prefixes of names that the game itself has.
    pub fn new(scan: &Scan, assumed: &[String]) -> Self {
        Self { index: Index { given_prefix_files: Some(Given::new()), ..Index::new(scan, assumed) } }
    }

    /// Adds a file that others may name.
    ///
    /// # Errors
    /// Returns [`Limit`](crate::ErrorKind::Limit) if the names take more than
    /// [`Limits::decoded_bytes`](crate::Limits::decoded_bytes).
    pub fn add_path(&mut self, path: PathBuf) -> Result<()> {
        self.index.add_path(path)
    }

    /// Adds a file with its content: an asset with its references, an archive with the names of its members, a text
    /// config, or a file such as `$PBOPREFIX$`. `data` are all its bytes. They are not needed if there is an asset.
    ///
    /// # Errors
    /// Returns the errors of [`add_path`](Self::add_path), and a [`Limit`](crate::ErrorKind::Limit) error if the
    /// content exceeds the budget of its size. Everything before the limit is added.
    pub fn add(&mut self, record: Record, data: &[u8], asset: Option<&Asset<'_>>) -> Result<()> {
        let is_file = record.member.is_none();
        let is_prefix = is_file && data.len() as u64 <= LARGEST_PREFIX_FILE && is_prefix_file(&record.path);
        if let Some(prefix_files) = &mut self.index.given_prefix_files
            && is_prefix
        {
            // No file system has it.
            prefix_files.insert(record.path.clone(), data.to_vec());
        }
        let bytes = match asset {
            Some(asset) => asset.size(),
            None => data.len() as u64,
        };
        // The bytes of a member are those of its archive, which are counted.
        if is_file {
            self.index.given_bytes = self.index.given_bytes.saturating_add(bytes);
        }
        let budget = Budget::new(bytes, &self.index.scan.limits);
        let sighting =
            Sighting { record: &record, data, asset, budget: &budget, members: 0..usize::MAX, is_continued: false };
        let copies = false;
        let seen = Seen::of(&sighting, copies, &self.index.hash);
        let mut failed = None;
        self.index.add(Found::Asset(Box::new(record)), seen, &mut |other| {
            if let Found::Unreadable(error) = other {
                failed.get_or_insert(error);
            }
        })?;
        match failed {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Resolves the references.
    ///
    /// # Errors
    /// Returns the errors of [`add_path`](Self::add_path).
    pub fn links(self) -> Result<Links> {
        Links::of(self.index)
    }

    /// Finds the files that textures of models mean, and resolves no other references.
    ///
    /// # Errors
    /// Returns the errors of [`add_path`](Self::add_path).
    pub fn textures(self) -> Result<Textures<'static>> {
        Textures::among(self.index)
    }
}

impl_fmt!([] Debug for Files, |files| "Files({} loose)", files.index.loose.len());

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::base::text::Name;

    #[test]
    fn a_prefix_file_of_up_to_4096_bytes_that_is_no_member_is_kept() {
        for name in ["$PBOPREFIX$", "m/$prefix$.TXT", "m/pboprefix.txt", "m/prefix.txt", "m/a.txt"] {
            for length in [0, 1, 4095, 4096, 4097] {
                for member in [None, Some("$PBOPREFIX$")] {
                    let scan = Scan::new(["m"]);
                    let mut files = Files::new(&scan, &[]);
                    let data = vec![b'x'; length];
                    let mut record = scan.record(Path::new(name), &data);
                    record.member = member.map(|text| Name { text: text.to_owned(), lossy: false });
                    files.add(record, &data, None).unwrap();
                    let is_kept = !["m/prefix.txt", "m/a.txt"].contains(&name) && length <= 4096 && member.is_none();
                    let kept = files.index.given_prefix_files.as_ref().unwrap();
                    let expected = Some((PathBuf::from(name), data)).filter(|_| is_kept);
                    assert_eq!(*kept, Given::from_iter(expected), "{name} {length} {member:?}");
                    // A member is in its archive, which is a file.
                    let loose = if member.is_none() { vec![PathBuf::from(name)] } else { Vec::new() };
                    assert_eq!(files.index.loose, loose, "{name} {length} {member:?}");
                }
            }
        }
    }
}
