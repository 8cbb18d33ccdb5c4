//! Scans files of stores by ranges.

use std::iter::zip;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fetch;
use super::first_reads::{self, Batch, Batches, Part, at_once};
use super::place::{Place, sum};
use super::store::{Retry, Stored as File, Stores};
use super::unread::Unread;
use crate::asset::Asset;
use crate::asset::address::{Address, open_member_ranges};
use crate::asset::container::{Container, Form, Member};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::{Budget, Held};
use crate::inspect::Depth;
use crate::ranges::{Data, Ranges, missing};
use crate::scan::beginning::Shown;
use crate::scan::descent::{Descent, InSight, Spot};
use crate::scan::describe::{At, Origin, describe_parsed, parse, unreadable};
use crate::scan::found::{Found, Sighting};
use crate::scan::members::container;
use crate::scan::record::Record;
use crate::scan::run::Run;
use crate::scan::target::{Target, Use, is_archive};
use crate::summary::Summary;
use crate::visit::members::{Named, Rest};
use crate::visit::walk::enter;

/// A larger file is read again from its beginning, because joining its pieces takes memory for all of it.
const MOST_JOINED: u64 = 16 << 20;

/// The most files to read again. Further ones that fail are reported at once.
const MOST_UNREAD: usize = 100_000;

/// The first error of several threads.
#[derive(Default)]
struct Failure(Mutex<Option<Error>>);

impl Failure {
    fn lock(&self) -> MutexGuard<'_, Option<Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_there(&self) -> bool {
        self.lock().is_some()
    }

    fn keep(&self, result: Result<()>) {
        if let Err(error) = result {
            self.lock().get_or_insert(error);
        }
    }

    fn into_result(self) -> Result<()> {
        match self.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// What was found in a file, or in an asset inside one.
#[derive(Default)]
struct Looked {
    /// True if it is in a known format.
    is_asset: bool,
    /// The error that ended the walk over its members, after the first results were reported.
    cut: Option<Error>,
}

impl From<bool> for Looked {
    fn from(is_asset: bool) -> Self {
        Self { is_asset, cut: None }
    }
}

impl Run<'_> {
    /// Describes a file of a store and everything inside it. A file that fails for now is kept for
    /// [`unread_again`](Self::unread_again).
    pub(in crate::scan) fn stored(&self, stores: &dyn Stores, target: Target) {
        let Err(error) = self.stored_file(stores, &target) else { return };
        let file = target.address().file;
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        if unread.len() < MOST_UNREAD && stores.retry(&file) != Retry::Never {
            return unread.push(Unread { target, error });
        }
        drop(unread);
        self.put(Found::Unreadable(error.in_file(&target.path)));
    }

    /// Reads files that failed once more, if their stores have answered since. Reports the errors of the others.
    pub(in crate::scan) fn unread_again(&self) {
        let failed = std::mem::take(&mut *self.unread.lock().unwrap_or_else(PoisonError::into_inner));
        self.workers.each(failed.into_iter(), |Unread { target, mut error }| {
            if !self.scan.progress.is_stopped()
                && let Some(stores) = self.scan.store_of(&target.path)
                && stores.retry(&target.address().file) == Retry::Now
            {
                match self.stored_file(stores, &target) {
                    Ok(()) => return,
                    Err(again) => error = again,
                }
            }
            self.put(Found::Unreadable(error.in_file(&target.path)));
        });
    }

    /// Describes a file of a store and everything inside it. Returns an error if nothing was reported before it, so that
    /// the file can be read again; a later error is reported with the file.
    fn stored_file(&self, stores: &dyn Stores, target: &Target) -> Result<()> {
        let scan = self.scan;
        let address = target.address();
        let file = stores.open(&address.file).map_err(|error| error.in_file(&address.file))?;
        let stamp_of_store = file.stamp();
        if let Some(unit) = &target.unit
            && unit.stamp.is_some()
            && unit.stamp != stamp_of_store
        {
            return Err(Error::changed("changed since it was cut into units").in_file(&address.file));
        }
        // Other options give other records. Members have no stamps: they change with their files.
        let mut stamp = None;
        if let Some(text) = stamp_of_store
            && address.member.is_none()
        {
            stamp = Some(format!("{text}:{}", self.question));
        }
        scan.progress.open(file.byte_len());
        let is_whole_file = target.use_as == Use::Whole && target.unit.is_none();
        if let (Some(known), Some(stamp)) = (&scan.known, &stamp)
            && is_whole_file
            && known.has(&address.file, stamp)
        {
            self.skip(address, file.byte_len());
            return Ok(());
        }
        let looked = self.stored_address(&address, stamp, &*file, target)?;
        let found = match looked.cut {
            Some(error) => Err(error),
            None => Ok(looked.is_asset),
        };
        // Only files that could be read are counted.
        if self.report_unless_asset(target, found) {
            scan.progress.add_file();
        }
        Ok(())
    }

    fn stored_address(
        &self,
        address: &Address,
        stamp: Option<String>,
        file: &dyn File,
        target: &Target,
    ) -> Result<Looked> {
        let place = Place { file, most: self.scan.limits.decoded_bytes };
        let (members, budget, stretch) = self.share(target, place.size());
        let mut descent = Descent::new(self);
        let mut ranges = Ranges::new(place.size());
        let use_as = target.use_as;
        let named = target.is_expected();
        let Some(member) = &address.member else {
            place.add(std::slice::from_ref(&first_reads::of_file(place.size())), 0, &mut ranges)?;
            let of_file = Origin::file(self.scan, &address.file);
            let origin = Origin { stamp, named, use_as, members, modified: file.modified(), ..of_file };
            let spot = Spot { origin, stretch };
            let found = self.look_in(&spot, &budget, place, &mut ranges, &mut descent);
            descent.hand_over();
            return found;
        };
        let opened = place.load(&mut ranges, |ranges| {
            let opened = open_member_ranges(&address.file, ranges, Some(member), &budget)?;
            opened.whole()?;
            Ok(opened)
        })?;
        let opened = opened.whole()?;
        let inside = Origin::opened(self.scan, &address.file, &opened);
        let modified = file.modified().or(inside.modified);
        let origin = Origin { modified, use_as, named, ..inside };
        let spot = Spot { origin, stretch };
        let found = descent.opened(&spot, &opened, &budget);
        descent.hand_over();
        Ok(found.into())
    }

    /// Describes a file, or an asset inside one, and everything inside it. Some of its ranges may be available. After
    /// an error, nothing was reported.
    fn look_in(
        &self,
        spot: &Spot<'_>,
        budget: &Budget,
        place: Place<'_>,
        ranges: &mut Ranges,
        descent: &mut Descent<'_, '_>,
    ) -> Result<Looked> {
        let origin = &spot.origin;
        let at = spot.at(budget);
        let scan = self.scan;
        let size = ranges.byte_len();
        let format = place.load(ranges, |ranges| Format::of_file_in(origin.name(), Data::Parts(ranges)))?;
        if format.is_none() && !origin.is_expected() && !(self.texts)(origin.name()) {
            return Ok(false.into());
        }
        // Some ranges are enough for a list of members or a header, unless content is hashed.
        let is_listed = is_archive(format) && scan.depth <= Depth::Summary;
        let by_ranges = !scan.digests && (is_listed || scan.depth == Depth::Header && format.is_some());
        if !by_ranges {
            return Ok(look_at_all(spot, budget, format, place, ranges, descent)?.into());
        }
        let (mut record, record_memory) = place.load(ranges, |ranges| {
            let parsed = parse(at, format, Data::Parts(ranges));
            let described = describe_parsed(at, format, Data::Parts(ranges), &parsed, false);
            if let Some(asset) = described.asset
                && let Some(container) = Container::of(asset)
            {
                // Both also fetch what the walk over the members reads.
                container.overlapping();
                container.members().take_while(Result::is_ok).for_each(drop);
            }
            Ok((described.record, described.record_memory))
        })?;
        let ranges = &*ranges;
        let asset = Asset::parse_in(format, Data::Parts(ranges), budget.limits()).ok();
        let asset = asset.as_ref();
        let mut archive = None;
        let mut members = 0..0;
        if let Some(asset) = asset
            && let Some((container, visited)) = container(at, asset, origin.members.clone(), &mut record)
        {
            archive = Some(container);
            members = visited;
        }
        // What the record's memory leaves.
        let inner = record_memory.as_ref().map_or(budget, Held::budget);
        // The run over the first members reports the archive itself.
        if origin.members.start == 0 {
            let open = InSight { data: &[], asset, budget: inner, members: members.clone() };
            descent.asset(at, record, Some(open));
        } else {
            let bare = &origin.record(Summary::new(format, size), None);
            let members = members.clone();
            let sighting = Sighting { record: bare, data: &[], asset, budget: inner, members, is_continued: true };
            self.put_seen(Found::Continued(origin.path.to_owned()), Some(&sighting));
        }
        drop(record_memory);
        let mut looked = Looked::from(true);
        if let Some(archive) = archive
            && !members.is_empty()
        {
            descent.hand_over();
            looked.cut = self.members_in(spot, budget, place, Rest::new(&archive, members, budget), ranges).err();
        }
        Ok(looked)
    }

    /// Visits these members of an archive whose directory is available, some at once on each thread.
    fn members_in(
        &self,
        spot: &Spot<'_>,
        around: &Budget,
        place: Place<'_>,
        mut members: Rest<'_>,
        directory: &Ranges,
    ) -> Result<()> {
        let budget = members.budget(around);
        let failure = Failure::default();
        let parts = members.by_ref().filter_map(|named| self.first_part(named, directory.byte_len()));
        let goes_on = |_: &Batch<'_>| !self.scan.progress.is_stopped() && !failure.is_there();
        self.workers.each(Batches::new(parts, at_once(&budget)).take_while(goes_on), |batch| {
            failure.keep(self.batch_in(spot, &budget.fork(), place, directory, &batch));
        });
        failure.into_result()
    }

    /// Returns what to fetch first of a member in an archive of this size, or `None` if it is passed over.
    fn first_part<'a>(&self, (name, member): Named<'a>, archive_bytes: u64) -> Option<Part<'a>> {
        let use_as = self.globs.use_of(member.name());
        if use_as == Use::Nothing {
            return None;
        }
        let needs_all = self.scan.digests || (self.texts)(Path::new(&member.name().to_text_lossy()));
        let depth = if needs_all { None } else { Some(self.scan.depth) };
        Some(Part::new(name, member, use_as, depth, archive_bytes))
    }

    /// Visits the members of a batch. Fetches the bytes that are missing of all of them at once.
    fn batch_in(
        &self,
        spot: &Spot<'_>,
        budget: &Budget,
        place: Place<'_>,
        directory: &Ranges,
        batch: &Batch<'_>,
    ) -> Result<()> {
        let first = batch.first_ranges(directory);
        let held = match budget.hold(sum(&first.wanted).saturating_add(first.spare)) {
            Ok(held) => held,
            Err(error) => {
                self.batch_too_large(spot, budget, place, directory, batch, &error);
                return Ok(());
            }
        };
        let budget = held.budget();
        let mut ranges = directory.clone().with_first_read(fetch::MORE);
        let mut found = self.beginnings(spot.at(budget), place, batch, first, &mut ranges)?;
        let mut descent = Descent::new(self);
        for (part, shown) in zip(&batch.parts, &mut found.shown) {
            if self.scan.progress.is_stopped() {
                break;
            }
            let spot = part.spot(spot, &ranges, place.size());
            match shown.take() {
                Some(Shown::Record(record)) => {
                    shown_record(spot.at(budget), part, record, &ranges, &mut descent);
                }
                Some(Shown::Other) => {}
                Some(Shown::Further) | None => self.further(&spot, budget, place, part, &ranges, &mut descent)?,
            }
        }
        descent.hand_over();
        Ok(())
    }

    /// Reports that the first ranges of a batch are too large for the memory: a record with the error for each member
    /// whose name promises an asset.
    fn batch_too_large(
        &self,
        spot: &Spot<'_>,
        budget: &Budget,
        place: Place<'_>,
        directory: &Ranges,
        batch: &Batch<'_>,
        error: &Error,
    ) {
        let mut descent = Descent::new(self);
        for part in &batch.parts {
            if self.scan.progress.is_stopped() {
                break;
            }
            let spot = part.spot(spot, directory, place.size());
            if spot.origin.is_promised() {
                let at = spot.at(budget);
                descent.asset(at, unreadable(at, None, part.member.stored_byte_len(), None, error), None);
            }
        }
        descent.hand_over();
    }

    /// Visits a member that its beginning does not describe.
    fn further(
        &self,
        spot: &Spot<'_>,
        budget: &Budget,
        place: Place<'_>,
        part: &Part<'_>,
        ranges: &Ranges,
        descent: &mut Descent<'_, '_>,
    ) -> Result<()> {
        let mut ranges = ranges.clone();
        if part.by_ranges {
            let start = match part.member.in_ranges(&ranges) {
                Member::Pbo(member) => member.content_offset(),
                Member::Zip(member) => member.content_offset(),
            };
            if let (Form::InPlace, Some(start)) = (part.member.form(), start) {
                let mut here = ranges.section(start..start.saturating_add(part.member.stored_byte_len()));
                return match self.look_in(spot, budget, place, &mut here, descent)?.cut {
                    Some(error) => Err(error),
                    None => Ok(()),
                };
            }
            place.load(&mut ranges, |ranges| missing(part.member.in_ranges(ranges).stored_bytes()))?;
        }
        let _ = enter(descent, spot, &part.member.in_ranges(&ranges), budget);
        Ok(())
    }
}

/// Hands over the record of a member that its beginning describes.
fn shown_record(at: At<'_>, part: &Part<'_>, record: Box<Record>, ranges: &Ranges, descent: &mut Descent<'_, '_>) {
    let content = part.member.in_ranges(ranges).content(at.budget);
    let asset = match &content {
        Ok(content) => Asset::parse_in(record.summary.format, content.data(), at.budget.limits()).ok(),
        Err(_) => None,
    };
    let open = InSight { data: &[], asset: asset.as_ref(), budget: at.budget, members: 0..0 };
    descent.asset(at, record, Some(open));
}

/// Reads all bytes of a file, or of an asset inside one, and describes them and everything inside them.
fn look_at_all(
    spot: &Spot<'_>,
    budget: &Budget,
    format: Option<Format>,
    place: Place<'_>,
    ranges: &mut Ranges,
    descent: &mut Descent<'_, '_>,
) -> Result<bool> {
    let size = ranges.byte_len();
    let held = match budget.hold(size) {
        Ok(held) => held,
        Err(error) => {
            let at = spot.at(budget);
            descent.asset(at, unreadable(at, format, size, None, &error), None);
            return Ok(true);
        }
    };
    if size > MOST_JOINED {
        let bytes = place.whole(ranges.in_file(0..size))?;
        return Ok(descent.describe(spot, Data::Whole(&bytes), held.budget(), None));
    }
    place.load(ranges, |ranges| {
        ranges.get(0..size)?;
        Ok(())
    })?;
    Ok(descent.describe(spot, Data::Whole(ranges.get(0..size)?), held.budget(), None))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::ops::{ControlFlow, Range};
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::SystemTime;

    use super::super::store::Listed;
    use super::*;
    use crate::scan::input::Input;
    use crate::scan::known::Known;
    use crate::scan::options::Scan;
    use crate::scan::unit::Unit;

    /// A store with one file, the model or archive `s:/m/x`, which fails at first.
    #[derive(Debug, Default)]
    struct Shelf {
        bytes: Vec<u8>,
        stamp: Option<&'static str>,
        /// How often it fails to open or, if this is below 0, to read.
        failures: i32,
        /// What it says about other tries, one after the other.
        retries: [Option<Retry>; 2],
        /// The number of the read that fails, counted from 1.
        failing_read: usize,
        reads: Mutex<usize>,
        /// How often it was asked to open the file, and about another try.
        asked: Mutex<(i32, usize)>,
    }

    struct Opened<'s>(&'s Shelf, i32);

    impl Shelf {
        fn asked(&self) -> MutexGuard<'_, (i32, usize)> {
            self.asked.lock().unwrap()
        }
    }

    impl Stores for Shelf {
        fn has(&self, path: &Path) -> bool {
            path.starts_with("s:")
        }

        fn list<'s>(&'s self, path: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>> {
            let named = path.file_name().is_some_and(|name| name != "m");
            Ok(Box::new(std::iter::once(Ok(Listed { path: "s:/m/x.pbo".into(), named }))))
        }

        fn open(&self, _: &Path) -> Result<Box<dyn File + '_>> {
            self.asked().0 += 1;
            let number = self.asked().0;
            if number <= self.failures {
                return Err(io::Error::other(format!("try {number}")).into());
            }
            Ok(Box::new(Opened(self, number)))
        }

        fn retry(&self, _: &Path) -> Retry {
            let mut asked = self.asked();
            asked.1 += 1;
            self.retries[asked.1 - 1].unwrap()
        }
    }

    impl File for Opened<'_> {
        fn byte_len(&self) -> u64 {
            self.0.bytes.len() as u64
        }

        fn stamp(&self) -> Option<String> {
            self.0.stamp.map(str::to_owned)
        }

        fn modified(&self) -> Option<SystemTime> {
            None
        }

        fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
            let mut reads = self.0.reads.lock().unwrap();
            *reads += 1;
            if self.1 <= -self.0.failures || *reads == self.0.failing_read {
                return Err(io::Error::other(format!("try {}", self.1)));
            }
            let piece = |range: &Range<u64>| self.0.bytes[range.start as usize..range.end as usize].to_vec();
            Ok(ranges.iter().map(piece).collect())
        }
    }

    /// An archive with one model.
    fn archive() -> Vec<u8> {
        let model = b"BB3D\x04\0\0\0\x01\0\0\0";
        [&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], model].concat()
    }

    /// What a scan of this input finds, the shelf after it, and the files that are counted.
    fn scan(shelf: Shelf, path: &str, unit: Option<Unit>, known: Option<Known>) -> (Vec<Found>, Arc<Shelf>, u64) {
        let mut of_path = Scan::new([path]);
        of_path.known = known.map(Arc::new);
        scan_with(of_path, shelf, unit)
    }

    fn scan_with(mut scan: Scan, shelf: Shelf, unit: Option<Unit>) -> (Vec<Found>, Arc<Shelf>, u64) {
        let shelf = Arc::new(shelf);
        scan.stores = Some(shelf.clone());
        let mut found = Vec::new();
        let mut units = unit.into_iter().map(Ok);
        let is_unit = units.len() > 0;
        let input = if is_unit { Input::Units(&mut units) } else { Input::Paths };
        scan.run(
            input,
            |_| (),
            |one, _| {
                found.push(one);
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        (found, shelf, scan.progress.files())
    }

    #[test]
    fn a_file_that_failed_is_read_once_more_if_its_store_answers_in_the_end() {
        let answers = [Retry::Never, Retry::Later, Retry::Now];
        // A store fails when it opens the file, or when it reads it.
        for failures in [-3_i32, -2, -1, 0, 1, 2, 3] {
            for first in answers {
                for second in answers {
                    let retries = [Some(first), Some(second)];
                    let shelf = Shelf { bytes: archive(), failures, retries, ..Shelf::default() };
                    let (found, shelf, files) = scan(shelf, "s:/m/x.pbo", None, None);
                    let is_again = failures != 0 && first != Retry::Never && second == Retry::Now;
                    let tries = if is_again { 2 } else { 1 };
                    let case = format!("{failures} {first:?} {second:?}: {found:?}");
                    if failures.abs() < tries {
                        let assets = found.iter().filter(|found| matches!(found, Found::Asset(_))).count();
                        assert_eq!((assets, found.len()), (2, 2), "{case}");
                    } else {
                        let [Found::Unreadable(error)] = &found[..] else { panic!("{case}") };
                        assert!(error.to_string().contains(&format!("try {tries}")), "{case}");
                        assert_eq!(error.path(), Some(Path::new("s:/m/x.pbo")), "{case}");
                    }
                    let answered = match (failures, first) {
                        (0, _) => 0,
                        (_, Retry::Never) => 1,
                        _ => 2,
                    };
                    assert_eq!(*shelf.asked(), (tries, answered), "{case}");
                    // Only what could be read is counted.
                    assert_eq!(files, u64::from(failures.abs() < tries), "{case}");
                }
            }
        }
    }

    #[test]
    fn a_stored_member_of_two_sizes_is_no_asset_by_ranges() {
        use crate::formats::zip::tests::{File, stored, zip};

        let mut model = b"BB3D\xf8\x4f\0\0\x01\0\0\0".to_vec();
        model.resize(0x5000, 0);
        for (size, expected) in [(0x5000, 2), (0x5001, 1)] {
            // The name promises no asset, and the member is large enough to look at its beginning first.
            let bytes = zip(&[File { size, ..stored(b"model", &model) }]);
            let whole = Input::Bytes { path: Path::new("s:/m/x.pbo"), data: &bytes };
            let mut in_whole = 0;
            let count = |_, _| {
                in_whole += 1;
                ControlFlow::Continue(())
            };
            Scan::new([""]).run(whole, |_| (), count).unwrap();
            let shelf = Shelf { bytes, retries: [Some(Retry::Never); 2], ..Shelf::default() };
            let (found, _, _) = scan(shelf, "s:/m/x.pbo", None, None);
            assert_eq!((found.len(), in_whole), (expected, expected), "{size}: {found:?}");
        }
    }

    #[test]
    fn a_unit_is_read_unless_its_stamp_is_another_than_that_of_the_store() {
        for of_unit in [None, Some("a"), Some("b")] {
            for stamp in [None, Some("a")] {
                let unit = Unit {
                    unit: 0,
                    path: "s:/m/x.pbo".into(),
                    range: None,
                    bytes: 1,
                    stamp: of_unit.map(str::to_owned),
                    named: false,
                };
                let retries = [Some(Retry::Never); 2];
                let shelf = Shelf { bytes: archive(), stamp, retries, ..Shelf::default() };
                let (found, _, files) = scan(shelf, "s:/none", Some(unit), None);
                let is_changed = of_unit.is_some() && of_unit != stamp;
                let error = found.iter().find_map(|found| match found {
                    Found::Unreadable(error) => Some(error.to_string()),
                    _ => None,
                });
                assert_eq!(error.is_some(), is_changed, "{of_unit:?} {stamp:?}");
                assert!(error.is_none_or(|error| error.contains("changed since it was cut into units")));
                let expected = if is_changed { (1, 0) } else { (2, 1) };
                assert_eq!((found.len(), files), expected, "{of_unit:?} {stamp:?}");
            }
        }
    }

    #[test]
    fn a_file_is_unchanged_if_it_is_known_with_its_stamp_and_is_scanned_whole() {
        let shelf = |stamp| Shelf { bytes: archive(), stamp, retries: [Some(Retry::Never); 2], ..Shelf::default() };
        let (found, _, _) = scan(shelf(Some("a")), "s:/m/x.pbo", None, None);
        let stamps = found.iter().map(|found| match found {
            Found::Asset(record) => record.stamp.clone(),
            _ => panic!("{found:?}"),
        });
        // The record of the archive has the stamp.
        let stamps: Vec<Option<String>> = stamps.collect();
        let [Some(stamp), None] = &stamps[..] else { panic!("{stamps:?}") };
        assert!(stamp.starts_with("a:"), "{stamp}");
        for (path, now, known, is_unchanged) in [
            ("s:/m/x.pbo", Some("a"), "s:/m/x.pbo", true),
            ("s:/m", Some("a"), "s:/m/x.pbo", true),
            ("s:/m/x.pbo", Some("b"), "s:/m/x.pbo", false),
            ("s:/m/x.pbo", None, "s:/m/x.pbo", false),
            ("s:/m/x.pbo", Some("a"), "s:/m/y.pbo", false),
            ("s:/m/x.pbo!/a.b3d", Some("a"), "s:/m/x.pbo", false),
        ] {
            let mut records = Known::default();
            records.add(PathBuf::from(known), stamp.clone());
            let (found, _, files) = scan(shelf(now), path, None, Some(records));
            let unchanged = found.iter().filter(|found| matches!(found, Found::Unchanged(_))).count();
            assert_eq!(unchanged == found.len(), is_unchanged, "{path} {now:?} {known}: {found:?}");
            let members = if path.contains("!/") { 1 } else { 2 };
            let results = if is_unchanged { 1 } else { members };
            assert_eq!((found.len(), files), (results, 1), "{path} {now:?} {known}");
        }
    }

    #[test]
    fn the_first_error_of_several_threads_is_kept() {
        let error = |number: i32| Error::malformed(number.to_string());
        for results in 0..1 << 4 {
            let failure = Failure::default();
            let mut first = None;
            for number in 0..4 {
                let fails = results >> number & 1 != 0;
                failure.keep(if fails { Err(error(number)) } else { Ok(()) });
                first = first.or(Some(number).filter(|_| fails));
                assert_eq!(failure.is_there(), first.is_some(), "{results:b}");
            }
            let message = failure.into_result().err().map(|error| error.message());
            assert_eq!(message, first.map(|number| number.to_string()), "{results:b}");
        }
    }

    /// An archive that begins with the record of its directory: the model is far behind.
    #[test]
    fn an_error_after_the_first_results_is_reported_and_the_file_is_not_read_again() {
        let large = 200_000_u32;
        let model = b"BB3D\x04\0\0\0\x01\0\0\0";
        let entry = |name: &str, bytes: u32| [name.as_bytes(), &[0; 17], &bytes.to_le_bytes()].concat();
        let header = [entry("a.bin", large), entry("b.b3d", 12), entry("", 0)].concat();
        let bytes = [&header[..], &vec![b'x'; large as usize], model].concat();
        for failing_read in 0..6 {
            let retries = [Some(Retry::Now), Some(Retry::Now)];
            let shelf = Shelf { bytes: bytes.clone(), retries, failing_read, ..Shelf::default() };
            let mut headers = Scan::new(["s:/m/x.pbo"]);
            headers.depth = crate::inspect::Depth::Header;
            let (found, shelf, files) = scan_with(headers, shelf, None);
            let assets = found.iter().filter(|found| matches!(found, Found::Asset(_))).count();
            let errors = found.iter().filter(|found| matches!(found, Found::Unreadable(_))).count();
            // The first read is tried again. The others are those of the members.
            let expected = match failing_read {
                1 => (2, 0, 1, (2, 2)),
                2 | 3 => (1, 1, 0, (1, 0)),
                _ => (2, 0, 1, (1, 0)),
            };
            assert_eq!((assets, errors, files, *shelf.asked()), expected, "{failing_read}: {found:?}");
        }
    }
}
