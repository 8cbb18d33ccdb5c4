//! Opens each file of a scan, and reports those that cannot be read.

use std::path::Path;
use std::time::SystemTime;

use super::descent::{Descent, Spot};
use super::describe::{ALL, Origin};
use super::found::Found;
use super::known::stamp;
use super::progress::Stretch;
use super::run::Run;
use super::target::{Target, Use};
use crate::asset::address::{Address, open_member};
use crate::base::error::Result;
use crate::base::stop;
use crate::ranges::Data;

/// The present state of a file, by its metadata.
#[derive(Default)]
struct Version {
    /// A text that changes with the file and the options of the scan.
    stamp: Option<String>,
    /// The time of the last change.
    modified: Option<SystemTime>,
}

/// The maximum number of bytes charged for opening an archive again. Larger archives are mapped, not read.
const READ_WHOLE: u64 = 4 << 20;

impl Run<'_> {
    /// Scans all of these.
    pub(super) fn over(&self, targets: &mut (dyn Iterator<Item = Result<Target>> + Send)) {
        let progress = &self.scan.progress;
        let _until = stop::Until::new(progress.switch());
        self.workers.each_that_comes(targets.take_while(|_| !progress.is_stopped()), |target| {
            progress.begin();
            match target {
                Ok(target) => self.target(target),
                Err(error) => self.put(Found::Unreadable(error)),
            }
        });
        #[cfg(feature = "stores")]
        self.unread_again();
    }

    fn target(&self, target: Target) {
        if target.use_as == Use::Nothing {
            return self.put(Found::Excluded { path: target.path, named: target.named });
        }
        #[cfg(feature = "stores")]
        if let Some(stores) = self.scan.store_of(&target.path) {
            return self.stored(stores, target);
        }
        self.file(&target);
    }

    fn file(&self, target: &Target) {
        let scan = self.scan;
        let address = target.address();
        if let Some(unit) = &target.unit
            && let Err(error) = unit.unchanged(&address.file, scan)
        {
            return self.put(Found::Unreadable(error));
        }
        if target.use_as == Use::Whole
            && target.unit.is_none()
            && let Some(bytes) = self.unchanged(&address)
        {
            scan.progress.open(bytes);
            return self.skip(address, bytes);
        }
        let is_over = || scan.progress.is_stopped();
        let (file, metadata) = match address.open_with_metadata(scan.access, &scan.limits, target.named, &is_over) {
            Ok(opened) => opened,
            Err(error) => return self.put(Found::Unreadable(error)),
        };
        let mut version = Version::default();
        // Use the metadata from before reading: later writes show in the next one.
        if let Some(metadata) = &metadata
            && address.member.is_none()
        {
            version.modified = metadata.modified().ok();
            version.stamp = stamp(metadata, &self.question);
        }
        scan.progress.open(file.len() as u64);
        let found = self.address(&address, version, &file, target);
        let is_there = self.report_unless_asset(target, found);
        if let Err(error) = file.unchanged() {
            self.put(Found::Unreadable(error.in_file(&address.file)));
        }
        if is_there {
            scan.progress.add_file();
        }
    }

    /// Returns the size of a file that has not changed since an earlier scan.
    fn unchanged(&self, address: &Address) -> Option<u64> {
        if address.member.is_some() {
            return None;
        }
        let known = self.scan.known.as_ref()?;
        let metadata = address.file.metadata().ok()?;
        let stamp = stamp(&metadata, &self.question)?;
        if known.has(&address.file, &stamp) { Some(metadata.len()) } else { None }
    }

    /// Describes bytes that are not open yet.
    pub(super) fn bytes(&self, path: &Path, data: &[u8]) {
        let _until = stop::Until::new(self.scan.progress.switch());
        self.scan.progress.begin();
        self.scan.progress.open(data.len() as u64);
        let budget = self.budget(data.len() as u64);
        let stretch = Stretch::new(&self.scan.progress, data.len() as u64);
        let spot = Spot { origin: Origin::file(self.scan, path), stretch };
        let mut descent = Descent::new(self);
        descent.describe(&spot, Data::Whole(data), &budget, None);
        descent.hand_over();
        self.scan.progress.add_file();
    }

    /// Describes the target of an address in the file with these bytes.
    pub(super) fn in_bytes(&self, address: &Address, data: &[u8]) -> Result<()> {
        let progress = &self.scan.progress;
        let _until = stop::Until::new(progress.switch());
        progress.begin();
        progress.open(data.len() as u64);
        let target = self.scan.selection.named(address.file.clone(), None);
        self.address(address, Version::default(), data, &target)?;
        Ok(())
    }

    /// Describes the target of an address. Returns false if it is not in a known format.
    fn address(&self, address: &Address, version: Version, data: &[u8], target: &Target) -> Result<bool> {
        let whole = data.len() as u64;
        let (members, budget, stretch) = self.share(target, whole);
        let mut units = None;
        if members != ALL {
            let budget_of_units = self.budget_of_units(&address.file, whole);
            // A small archive is read whole for each unit that opens it again.
            let read = if members.start == 0 { whole } else { whole.min(READ_WHOLE) };
            if let Err(error) = budget_of_units.charge_work(read) {
                self.put(Found::Unreadable(error.in_file(&address.file)));
                return Ok(true);
            }
            units = Some(budget_of_units);
        }
        let opened = open_member(&address.file, data, address.member.as_deref(), &budget)?;
        let origin = Origin::opened(self.scan, &address.file, &opened);
        let origin = Origin {
            stamp: version.stamp,
            modified: version.modified.or(origin.modified),
            use_as: target.use_as,
            members,
            units: units.as_ref(),
            named: target.is_expected(),
            ..origin
        };
        let spot = Spot { origin, stretch };
        if let Some(unit) = &target.unit
            && let Ok(content) = &opened.content
            && spot.origin.members.start > 0
        {
            if let Err(error) = self.look_on(spot, content, content.budget(), unit) {
                self.put(Found::Unreadable(error.in_file(&address.file)));
            }
            return Ok(true);
        }
        let mut descent = Descent::new(self);
        let found = descent.opened(&spot, &opened, &budget);
        descent.hand_over();
        Ok(found)
    }
}
