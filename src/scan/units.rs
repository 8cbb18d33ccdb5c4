//! Divides a scan into units for many processes or machines.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::SystemTime;

use super::globs::Globs;
use super::options::Scan;
use super::record::sha256;
use super::target::{Target, Use};
use super::unit::{Unit, UnitsBy};
use crate::asset::Asset;
use crate::asset::address::Address;
use crate::asset::container::Container;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::stop;
use crate::source::FileMap;

/// The cost of opening a file, in bytes, so that a unit cannot have an unlimited number of tiny files.
const FILE_BYTES: u64 = 4096;

/// The start of a stamp by digest.
const DIGEST: &str = "sha256";

impl Unit {
    /// Returns an error if the file has changed since the unit was made.
    pub(super) fn unchanged(&self, file: &Path, scan: &Scan) -> Result<()> {
        let Some(expected) = &self.stamp else { return Ok(()) };
        let by = match expected.split_once(':') {
            Some((DIGEST, _)) => UnitsBy::Digest,
            Some(_) => UnitsBy::Time,
            None => UnitsBy::Size,
        };
        if scan.stamp(file, by)?.as_ref() == Some(expected) {
            return Ok(());
        }
        Err(Error::changed("changed since it was cut into units").in_file(file))
    }
}

impl Scan {
    /// Returns a text that changes with a regular file. Every machine gets the same one.
    fn stamp(&self, path: &Path, by: UnitsBy) -> Result<Option<String>> {
        let Some(metadata) = path.metadata().ok().filter(std::fs::Metadata::is_file) else { return Ok(None) };
        Ok(match by {
            UnitsBy::Time => metadata.modified().ok().and_then(|time| {
                let time = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
                Some(format!("{}:{}.{:09}", metadata.len(), time.as_secs(), time.subsec_nanos()))
            }),
            UnitsBy::Size => Some(metadata.len().to_string()),
            UnitsBy::Digest => {
                let data = FileMap::open_with(path, self.access, &self.limits)?;
                let _until = stop::Until::new(self.progress.switch());
                Some(format!("{DIGEST}:{}", sha256(&data)?))
            }
        })
    }

    /// Divides this scan into units of about this many bytes, for a [run](Self::run) here or elsewhere.
    /// Small files share a unit. Larger archives are divided by their members, using the sizes in their directories.
    /// The records of all units together are those of the whole scan. But each unit has a separate
    /// [budget](crate::budget), so units may find more in an archive that exceeds its limits. Files that fit into a
    /// unit are not opened, unless their [digests](UnitsBy::Digest) are needed.
    ///
    /// A path that cannot be read is a unit too; the scan reports it.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// let mut units = Vec::new();
    /// meshpeek::scan::Scan::new(["corpus/pbo"]).plan(1 << 20, |unit| {
    ///     units.push(unit);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(units.iter().all(|unit| unit.unit == 0 && unit.range.is_none()));
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a glob is invalid.
    pub fn plan(&self, unit_bytes: u64, mut each: impl FnMut(Unit) -> ControlFlow<()>) -> Result<()> {
        let mut bin = Bin { unit: 0, filled: 0, most: unit_bytes.max(1), each: &mut each };
        Globs::of_members(&self.selection.globs)?;
        for target in self.counting_walk(self.paths()) {
            self.progress.begin();
            let flow = match target {
                Ok(Target { use_as: Use::Nothing, .. }) => ControlFlow::Continue(()),
                Ok(target) => self.plan_file(&target, &mut bin),
                Err(error) => match error.path() {
                    Some(path) => bin.unreadable(path),
                    None => return Err(error),
                },
            };
            if flow.is_break() || self.progress.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    fn plan_file(&self, target: &Target, bin: &mut Bin<'_>) -> ControlFlow<()> {
        let path = &target.path;
        #[cfg(feature = "stores")]
        if let Some(stores) = self.store_of(path) {
            return self.plan_stored(stores, target, bin);
        }
        let address = target.address();
        let metadata = address.file.metadata().ok();
        let bytes = metadata.filter(std::fs::Metadata::is_file).map_or(0, |metadata| metadata.len());
        self.progress.open(bytes);
        // A file that cannot be read is a unit too.
        let stamp = self.stamp(&address.file, self.units_by).unwrap_or_default();
        if self.archives
            && address.member.is_none()
            && bytes > bin.most
            && let Ok(data) = FileMap::open_with(&address.file, self.access, &self.limits)
            && let Ok(asset) = Asset::parse_file(path, &data, &self.limits)
            && let Some(flow) = bin.cut(&asset, data.len() as u64, path, &stamp, self)
        {
            return flow;
        }
        bin.whole(target, &address, bytes, stamp)
    }
}

/// The unit that is being filled, and the callback for its pieces.
pub(super) struct Bin<'e> {
    unit: u64,
    filled: u64,
    pub(super) most: u64,
    each: &'e mut dyn FnMut(Unit) -> ControlFlow<()>,
}

impl Bin<'_> {
    /// Adds this many bytes to the unit, or starts another one if they do not fit.
    fn make_room(&mut self, bytes: u64) {
        if self.filled > 0 && self.filled.saturating_add(bytes) > self.most {
            self.unit = self.unit.saturating_add(1);
            self.filled = 0;
        }
        self.filled = self.filled.saturating_add(bytes);
    }

    fn piece(&self, path: &Path, bytes: u64, stamp: Option<String>) -> Unit {
        Unit { unit: self.unit, path: path.to_owned(), range: None, bytes, stamp, named: false }
    }

    /// Adds a file that cannot be read.
    pub(super) fn unreadable(&mut self, path: &Path) -> ControlFlow<()> {
        let piece = self.piece(path, 0, None);
        (self.each)(piece)
    }

    /// Adds a file that is not divided.
    pub(super) fn whole(
        &mut self,
        target: &Target,
        address: &Address,
        bytes: u64,
        stamp: Option<String>,
    ) -> ControlFlow<()> {
        self.make_room(bytes.saturating_add(FILE_BYTES));
        let named = target.named && Format::from_extension(&address.name()).is_none();
        let piece = self.piece(&target.path, bytes, stamp);
        (self.each)(Unit { named, ..piece })
    }

    /// Divides an archive by its members. Returns `None` if it is not an archive.
    pub(super) fn cut(
        &mut self,
        asset: &Asset<'_>,
        size: u64,
        path: &Path,
        stamp: &Option<String>,
        scan: &Scan,
    ) -> Option<ControlFlow<()>> {
        let container = Container::of(asset)?;
        let (mut first, mut bytes, mut last) = (0_u64, 0_u64, None);
        for (index, member) in (0_u64..).zip(container.members().map_while(Result::ok)) {
            if scan.progress.is_stopped() {
                return Some(ControlFlow::Continue(()));
            }
            let unit = self.unit;
            self.make_room(member.stored_byte_len().saturating_add(FILE_BYTES));
            let range = last.map(|last| (first, last));
            if self.unit != unit && range.is_some() {
                let piece = self.piece(path, bytes, stamp.clone());
                if (self.each)(Unit { unit, range, ..piece }).is_break() {
                    return Some(ControlFlow::Break(()));
                }
                (first, bytes) = (index, 0);
            }
            // Members may overlap, and their sizes are claims.
            bytes = bytes.saturating_add(member.stored_byte_len()).min(size);
            last = Some(index);
        }
        // An error that cuts the list of members short is reported with the archive's own record.
        let range = last.map(|last| (first, last)).filter(|range| *range != (0, 0));
        let piece = self.piece(path, bytes, stamp.clone());
        Some((self.each)(Unit { range, ..piece }))
    }
}
