//! Scans the parts of an archive that is divided into units, after its first one.

use std::ops::Range;
use std::path::Path;
use std::sync::PoisonError;

use super::descent::{Inside, Spot};
use super::describe::At;
use super::found::{Found, Sighting};
use super::identity::FileId;
use super::members::afford;
use super::progress::Stretch;
use super::record::Record;
use super::run::Run;
use super::unit::Unit;
use crate::asset::Asset;
use crate::asset::container::Container;
use crate::base::error::{Error, Result};
use crate::budget::Budget;
use crate::summary::Summary;
use crate::visit::members::{ENTRY_WORK, Rest};

impl<'s> Run<'s> {
    /// Returns the budget that all units of this archive share, for opening it and listing its members.
    pub(super) fn budget_of_units(&self, path: &Path, bytes: u64) -> Budget {
        let own = Budget::new(bytes, &self.scan.limits);
        let Ok(id) = FileId::of(path) else { return own };
        let mut budgets = self.budgets_of_units.lock().unwrap_or_else(PoisonError::into_inner);
        budgets.entry(id).or_insert(own).clone()
    }

    /// Visits a later part of an archive, and the parts after it that follow in the list of units. The record of the
    /// archive comes with its first part.
    pub(super) fn look_on<'u>(&'u self, mut spot: Spot<'u>, data: &[u8], budget: &Budget, first: &Unit) -> Result<()> {
        let origin = &spot.origin;
        let asset = Asset::parse_file(origin.name(), data, budget.limits())?;
        if !self.scan.archives {
            return Ok(());
        }
        let Some(container) = Container::of(&asset) else {
            let start = origin.members.start;
            return Err(Error::malformed(format!("no archive, though a unit begins with its member {start}")));
        };
        let count = container.members().map_while(Result::ok).count();
        // Each entry is read for the count, the names and the shared bytes.
        origin.charge_units((count as u64).saturating_mul(ENTRY_WORK).saturating_mul(3))?;
        let mut rest = Rest::new(&container, 0..count, budget);
        let around = rest.budget(budget);
        let mut budget = around.clone();
        let path = origin.path;
        let record = origin.record(Summary::new(asset.format(), data.len() as u64), None);
        loop {
            let inside = Inside { data, whole: spot.stretch.bytes, budget: &budget };
            if let Err(error) = self.part(&spot, (&record, &asset), inside, &mut rest) {
                self.put(Found::Unreadable(error.in_file(path)));
            }
            if spot.origin.member.is_some() {
                return Ok(());
            }
            let Some(units) = self.units_left else { return Ok(()) };
            let Some(unit) = units.next_part(first, rest.reached) else { return Ok(()) };
            let bytes = unit.bytes.min(data.len() as u64);
            spot.stretch = Stretch::new(&self.scan.progress, bytes);
            budget = self.budget(bytes).inside(&around);
            spot.origin.members = unit.members();
            self.scan.progress.begin();
            self.scan.progress.open(data.len() as u64);
            self.scan.progress.add_file();
        }
    }

    /// Visits one part of an archive.
    fn part<'a>(
        &self,
        spot: &Spot<'_>,
        (record, asset): (&Record, &Asset<'_>),
        inside: Inside<'_, 'a>,
        rest: &mut Rest<'a>,
    ) -> Result<()> {
        let (origin, budget) = (&spot.origin, inside.budget);
        let at = At { origin, budget };
        let Range { start, end } = origin.members;
        rest.skip_to(start);
        let (count, limit) = afford(at, rest.members.clone().take(end.saturating_sub(start)));
        let is_there = rest.reached == start;
        rest.end = start.saturating_add(count);
        let sighting = Sighting {
            record,
            data: inside.data,
            asset: Some(asset),
            budget,
            members: start..rest.end,
            is_continued: true,
        };
        self.put_seen(Found::Continued(origin.path.to_owned()), Some(&sighting));
        self.members(spot, inside, rest, None);
        if let Some(limit) = limit {
            return Err(limit);
        }
        if !is_there || rest.end < end {
            let message = format!("its members end before {}, which a unit names", rest.end);
            return Err(Error::malformed(message));
        }
        Ok(())
    }
}
