//! A scan in progress: what its threads share, and what it reports.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::describe::ALL;
use super::found::{Found, Sighting};
use super::globs::Globs;
use super::identity::FileId;
use super::options::Scan;
use super::pending::{Caller, Pending};
use super::progress::Stretch;
use super::target::Target;
use super::unit_list::LaterUnits;
use super::workers::{MOST_JOBS, Workers};
use crate::asset::address::Address;
use crate::base::error::Result;
use crate::budget::{Budget, Memory};

/// A scan in progress.
pub(super) struct Run<'s> {
    pub(super) scan: &'s Scan,
    /// For the members of archives.
    pub(super) globs: Globs,
    pub(super) workers: Arc<Workers>,
    pub(super) memory: Memory,
    /// The remaining work for all units of each archive that is scanned in units.
    pub(super) budgets_of_units: Mutex<HashMap<FileId, Budget>>,
    /// The options of the scan, for the stamp of each file.
    pub(super) question: String,
    pub(super) caller: &'s dyn Caller,
    /// Names of files to show to the view even if they are not assets.
    pub(super) texts: fn(&Path) -> bool,
    /// The units that follow, if units are scanned.
    pub(super) units_left: Option<&'s dyn LaterUnits>,
    /// Files of stores that may be read again at the end.
    #[cfg(feature = "stores")]
    pub(super) unread: Mutex<Vec<super::stores::Unread>>,
}

impl<'s> Run<'s> {
    /// Prepares a scan, without texts and units.
    pub(super) fn new(scan: &'s Scan, caller: &'s dyn Caller) -> Result<Self> {
        let jobs = match scan.jobs {
            Some(jobs) if jobs > 0 => jobs,
            _ => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        };
        Ok(Self {
            scan,
            globs: Globs::of_members(&scan.selection.globs)?,
            workers: Arc::new(Workers::new(jobs.min(MOST_JOBS))),
            memory: Memory::default(),
            budgets_of_units: Mutex::default(),
            question: scan.question(),
            caller,
            texts: |_| false,
            units_left: None,
            #[cfg(feature = "stores")]
            unread: Mutex::default(),
        })
    }

    /// Reports a target that is not an asset, or cannot be read. Returns true unless it cannot be read.
    pub(super) fn report_unless_asset(&self, target: &Target, is_asset: Result<bool>) -> bool {
        match is_asset {
            Ok(true) => {}
            Ok(false) => self.put(Found::NoAsset(target.path.clone())),
            Err(error) => {
                self.put(Found::Unreadable(error.in_file(&target.path)));
                return false;
            }
        }
        true
    }

    /// Reports a file that has not changed since an earlier scan.
    pub(super) fn skip(&self, address: Address, bytes: u64) {
        drop(Stretch::new(&self.scan.progress, bytes));
        self.scan.progress.add_file();
        self.put(Found::Unchanged(address.file));
    }

    /// Returns the members of this target, and for these the budget and the progress.
    pub(super) fn share(&self, target: &Target, whole: u64) -> (Range<usize>, Budget, Stretch<'s>) {
        let mut members = ALL;
        let mut bytes = whole;
        if let Some(unit) = &target.unit
            && unit.range.is_some()
        {
            members = unit.members();
            // The numbers of a unit are claims.
            bytes = unit.bytes.min(whole);
        }
        // The unit with the first part also processes the archive as a whole.
        let budget = self.budget(if members.start == 0 { whole } else { bytes });
        (members, budget, Stretch::new(&self.scan.progress, bytes))
    }

    /// Returns the budget of a file of this size.
    pub(super) fn budget(&self, bytes: u64) -> Budget {
        Budget::sharing(bytes, &self.scan.limits, &self.memory).helped_by(self.workers.clone())
    }

    /// Reports a result that is not an asset.
    pub(super) fn put(&self, found: Found) {
        self.put_seen(found, None);
    }

    /// Reports a result, and calls the view.
    pub(super) fn put_seen(&self, found: Found, sighting: Option<&Sighting<'_, '_>>) {
        let mut pending = self.pending();
        pending.see(sighting);
        pending.add(found, 0);
        self.hand_over(&mut pending);
    }

    /// Creates an empty batch of results.
    pub(super) fn pending(&self) -> Pending<'s> {
        Pending::new(self.caller)
    }

    /// Hands over one result at a time, until the callback breaks.
    pub(super) fn hand_over(&self, pending: &mut Pending<'_>) {
        self.scan.progress.add_assets(pending.assets());
        pending.hand_over(&self.scan.progress);
    }
}
