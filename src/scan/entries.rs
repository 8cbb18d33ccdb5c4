//! Begins scans, and makes single records.

use std::ops::ControlFlow;
use std::path::Path;

use super::describe::{self, At, Origin};
use super::found::{Found, Sighting};
use super::globs::Globs;
use super::input::{Input, Subject};
use super::options::Scan;
use super::pending::Callbacks;
use super::record::Record;
use super::run::Run;
use super::target::Target;
use super::unit::Unit;
use super::unit_list::UnitList;
use crate::asset::address::{Address, Content, Opened};
use crate::base::amount::Amount;
use crate::base::error::Result;
use crate::budget::Budget;
use crate::inspect::{Depth, Inspect as _};

impl Scan {
    /// Passes each result to the callback as it is found, until the callback returns `Break`. Calls `view` on each asset
    /// while it is open; the callback gets the result of `view` with the asset's record. `view` runs on many threads at
    /// once, and is not called if an asset's bytes are not available. The callback never runs on two threads at once.
    /// While it runs, further results wait.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// use meshpeek::scan::{Input, Scan, Sighting};
    /// use meshpeek::Asset;
    /// let bones = |seen: &Sighting<'_, '_>| match seen.asset {
    ///     Some(Asset::Rtm(motion)) => motion.bones().len(),
    ///     _ => 0,
    /// };
    /// let mut all = 0;
    /// Scan::new(["corpus/rtm"]).run(Input::Paths, bones, |_, bones| {
    ///     all += bones.unwrap_or(0);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(all > 0);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// The bytes of a file, without any view:
    ///
    /// ```
    /// # let bytes = &[&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
    /// use std::{ops::ControlFlow, path::Path};
    /// use meshpeek::scan::{Found, Input, Scan};
    /// let mut scan = Scan::new([""; 0]);
    /// scan.jobs = Some(1);
    /// let mut formats = Vec::new();
    /// scan.run(Input::Bytes { path: Path::new("mod.pbo"), data: bytes }, |_| (), |found, _| {
    ///     if let Found::Asset(record) = found {
    ///         formats.extend(record.summary.format.map(|format| format.name()));
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(formats, ["pbo", "b3d"]);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// Ranges of a file in a store:
    ///
    /// ```
    /// # let store = [&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
    /// use std::{ops::ControlFlow, path::Path};
    /// use meshpeek::ranges::{Ranges, ReadAt};
    /// use meshpeek::scan::{Depth, Found, Input, Scan};
    /// let mut scan = Scan::new([""; 0]);
    /// scan.depth = Depth::Header;
    /// let mut formats = Vec::new();
    /// // `store` is anything that implements `ReadAt`.
    /// let ranges = Ranges::new(store.byte_len()?);
    /// let input = Input::Ranges { path: Path::new("mod.pbo"), ranges, source: &store };
    /// scan.run(input, |_| (), |found, _| {
    ///     if let Found::Asset(record) = found {
    ///         formats.extend(record.summary.format.map(|format| format.name()));
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(formats, ["pbo", "b3d"]);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a glob is invalid, and the errors of a source of ranges. A file that cannot be read is not an
    /// error; it is reported as [`Found::Unreadable`].
    pub fn run<T: Send>(
        &self,
        input: Input<'_>,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        mut callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        if let Input::Ranges { path, ranges, source } = input {
            return self.run_ranges(path, ranges, source, &mut |record| callback(Found::Asset(Box::new(record)), None));
        }
        let caller = Callbacks::new(view, callback);
        let run = Run::new(self, &caller)?;
        match input {
            Input::Paths => run.over(&mut self.counting_walk(self.paths())),
            Input::List(paths) => run.over(&mut self.counting_walk(paths)),
            Input::Units(units) => self.run_units(run, units),
            Input::Bytes { path, data } => run.bytes(path, data),
            Input::Ranges { .. } => {}
        }
        Ok(())
    }

    fn run_units(&self, run: Run<'_>, units: &mut (dyn Iterator<Item = Result<Unit>> + Send)) {
        let units = UnitList::new(units);
        let mut targets = std::iter::from_fn(|| units.next()).map(|unit| self.target(unit?));
        Run { units_left: Some(&units), ..run }.over(&mut targets);
    }

    fn target(&self, unit: Unit) -> Result<Target> {
        Ok(self.selection.named(unit.path.clone(), Some(unit)))
    }

    /// Like a [run](Self::run) of the paths, and also calls `view` on files with these names that are not assets.
    pub(crate) fn run_showing<T: Send>(
        &self,
        texts: fn(&Path) -> bool,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let caller = Callbacks::new(view, callback);
        Run { texts, ..Run::new(self, &caller)? }.over(&mut self.counting_walk(self.paths()));
        Ok(())
    }

    /// Like [`run_showing`](Self::run_showing), over the target of an address in the file with these bytes.
    pub(crate) fn run_in_showing<T: Send>(
        &self,
        (address, data): (&Address, &[u8]),
        texts: fn(&Path) -> bool,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let caller = Callbacks::new(view, callback);
        Run { texts, ..Run::new(self, &caller)? }.in_bytes(address, data)
    }

    /// Returns the number of files to scan and their total size. Walks all folders but opens no file. Stops early if
    /// the scan stops.
    ///
    /// # Errors
    /// Returns an error if a glob is invalid.
    pub fn measure(&self) -> Result<(u64, u64)> {
        Globs::of_members(&self.selection.globs)?;
        let mut files = Amount(0);
        let mut bytes = Amount(0);
        for target in self.walk(self.paths()).flatten() {
            if self.progress.is_stopped() {
                break;
            }
            files += 1;
            if let Ok(metadata) = target.path.metadata() {
                bytes += metadata.len();
            }
        }
        Ok((files.0, bytes.0))
    }

    /// Returns the record of a file. The path names the file in the record. For an archive, this is its own record,
    /// without those of its members.
    pub fn record<'s>(&self, path: &Path, subject: impl Into<Subject<'s>>) -> Record {
        let record = match subject.into() {
            Subject::Bytes(data) => {
                let budget = &Budget::new(data.len() as u64, &self.limits);
                describe::describe(At { origin: &Origin::file(self, path), budget }, data)
            }
            Subject::Asset(data, asset) => {
                let budget = &Budget::new(data.len() as u64, &self.limits);
                describe::describe_asset(At { origin: &Origin::file(self, path), budget }, data, asset)
            }
            Subject::Ranges(asset) => {
                let scan = Self { depth: self.depth.min(Depth::Summary), digests: false, ..self.clone() };
                let budget = &Budget::new(asset.size(), &self.limits);
                describe::describe_asset(At { origin: &Origin::file(&scan, path), budget }, &[], asset)
            }
            Subject::Opened(opened) => self.record_of_opened(path, opened),
        };
        *record
    }

    fn record_of_opened(&self, path: &Path, opened: &Opened<Content<'_>>) -> Box<Record> {
        let origin = &Origin::opened(self, path, opened);
        match &opened.content {
            Ok(content) => describe::describe(At { origin, budget: content.budget() }, content),
            Err(error) => {
                let budget = &Budget::new(opened.bytes, &self.limits);
                describe::unreadable(At { origin, budget }, opened.format, opened.bytes, None, error)
            }
        }
    }
}
