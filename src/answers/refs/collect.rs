//! Adds what scans find to an index.

use std::ops::ControlFlow;

use super::given::GivenPaths;
use super::index::Index;
use super::lua::is_lua;
use super::rules::Rules;
use super::seen::Seen;
use crate::base::error::Result;
use crate::scan::config_names::is_config;
use crate::scan::{Found, Scan};

/// Receives what a scan finds and the index does not keep.
pub(super) type Other<'o> = dyn FnMut(Found) + Send + 'o;

/// Adds everything that a scan finds, except assets below the given paths if these were read before.
pub(super) fn collect(
    scan: &Scan,
    index: &mut Index,
    copies: bool,
    other: &mut Other<'_>,
    read_before: Option<&GivenPaths>,
) -> Result<()> {
    let hash = index.hash.clone();
    let mut failed = Ok(());
    scan.run_showing(
        |name| is_config(name) || is_lua(name),
        |seen| Seen::of(seen, copies, &hash),
        |found, seen| {
            if let Found::Asset(record) = &found
                && let Some(given) = read_before
                && !given.is_new(&record.path)
            {
                return ControlFlow::Continue(());
            }
            failed = index.add(found, seen.flatten(), other);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    failed
}

/// Adds the images that the user gives.
pub(super) fn add_textures(scan: &Scan, index: &mut Index, rules: &Rules, other: &mut Other<'_>) {
    let Some(folder) = &rules.textures else { return };
    let mut below = scan.clone();
    below.paths = vec![folder.clone()];
    below.archives = false;
    for target in below.walk(below.paths()) {
        match target {
            Ok(target) => index.textures.push(target.path),
            Err(error) => other(Found::Unreadable(error)),
        }
    }
}
