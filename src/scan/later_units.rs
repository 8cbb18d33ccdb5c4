//! Scans the parts of an archive that is divided into units, after its first one.

use std::ops::Range;
use std::path::Path;
use std::sync::PoisonError;

use super::describe::At;
use super::members::{MEMBER_WORK, Rest, afford};
use super::progress::Stretch;
use super::run::{Inside, Run};
use super::units::Unit;
use super::{FileId, Found, Record, Sighting};
use crate::asset::Asset;
use crate::asset::container::Container;
use crate::base::error::{Error, Result};
use crate::budget::Budget;
use crate::summary::Summary;

impl<'s> Run<'s> {
    /// Returns the budget that all units of this archive share, for opening it and listing its members.
    pub(super) fn budget_of_units(&self, path: &Path, bytes: u64) -> Budget {
        let budget = || Budget::new(bytes, &self.scan.limits);
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        FileId::of(path).map_or_else(|_| budget(), |id| units.entry(id).or_insert_with(budget).clone())
    }

    /// Visits a later part of an archive, and the parts after it that follow in the list of units. The record of the
    /// archive comes with its first part.
    pub(super) fn look_on(
        &self,
        At { origin, budget }: At<'_>,
        data: &[u8],
        mut stretch: Stretch<'s>,
        first: &Unit,
    ) -> Result<()> {
        let mut origin = origin.clone();
        let asset = Asset::parse_file(origin.name(), data, budget.limits())?;
        if !self.scan.archives {
            return Ok(());
        }
        let Some(container) = Container::of(&asset) else {
            let start = origin.members.start;
            return Err(Error::malformed(format!("no archive, though a unit begins with its member {start}")));
        };
        let count = container.members().map_while(Result::ok).count();
        let [by_entry, _] = MEMBER_WORK;
        // Each entry is read for the count, the names and the shared bytes.
        origin.charge_units((count as u64).saturating_mul(by_entry).saturating_mul(3))?;
        let mut rest = Rest::new(&container, 0..count, budget);
        let around = rest.budget(budget);
        let mut budget = around.clone();
        let path = origin.path;
        let record = origin.record(Summary::new(asset.format(), data.len() as u64), None);
        loop {
            let inside = Inside { data, stretch: &stretch, whole: stretch.bytes };
            let at = At { origin: &origin, budget: &budget };
            if let Err(error) = self.part(at, (&record, &asset), inside, &mut rest) {
                self.put(Found::Unreadable(error.in_file(path)));
            }
            let reached = rest.reached;
            let is_file = origin.member.is_none();
            let is_same = |unit: &Unit| is_file && unit.path == first.path && unit.stamp == first.stamp;
            let follows = |unit: &Unit| is_same(unit) && unit.members().start >= reached;
            let Some(unit) = (self.next_if)(&follows) else { return Ok(()) };
            let bytes = unit.bytes.min(data.len() as u64);
            (stretch, budget) = (Stretch::new(&self.scan.progress, bytes), self.budget(bytes).inside(&around));
            origin.members = unit.members();
            self.scan.progress.begin();
            self.scan.progress.open(data.len() as u64);
            self.scan.progress.add_file();
        }
    }

    /// Visits one part of an archive.
    fn part<'a>(
        &self,
        at: At<'_>,
        (record, asset): (&Record, &Asset<'_>),
        inside: Inside<'_, 'a>,
        rest: &mut Rest<'a>,
    ) -> Result<()> {
        let At { origin, budget } = at;
        let Range { start, end } = origin.members;
        rest.skip_to(start);
        let (count, error) = afford(at, rest.members.clone().take(end.saturating_sub(start)));
        let is_there = rest.reached == start;
        rest.end = start.saturating_add(count);
        let ends = || Error::malformed(format!("its members end before {}, which a unit names", rest.end));
        let error = error.or_else(|| (!is_there || rest.end < end).then(ends));
        let members = start..rest.end;
        let (data, is_continued) = (inside.data, true);
        let sighting = Sighting { record, data, asset: Some(asset), budget, members, is_continued };
        self.put_seen(Found::Continued(origin.path.to_owned()), Some(&sighting));
        self.members(at, inside, rest, None);
        error.map_or(Ok(()), Err)
    }
}
