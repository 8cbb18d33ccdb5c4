//! Compares an animation with the skeleton that the `model.cfg` beside it gives to it.

use std::fs;

use meshpeek::pose::ModelCfg;
use meshpeek::scan::Sighting;
use meshpeek::summary::{Code, Problem};
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget, Error};

use crate::bones::Bones;
use crate::failure::message_of;

/// The largest `model.cfg` that is read.
const LARGEST: u64 = 1 << 20;
/// The bones that a message names.
const NAMED: usize = 5;

/// Returns what is wrong with the bones of an animation. `None` if no skeleton is at hand: the file needs a class of the
/// animation's name, with a skeleton that the file has whole.
pub(super) fn check(seen: &Sighting<'_, '_>) -> Option<Problem> {
    let Some(Asset::Rtm(motion)) = seen.asset else { return None };
    let path = &seen.record.path;
    if seen.record.member.is_some() || !path.is_file() {
        return None;
    }
    let beside = path.with_file_name("model.cfg");
    let metadata = fs::metadata(&beside).ok()?;
    if !metadata.is_file() {
        return None;
    }
    if metadata.len() > LARGEST {
        return Some(warning(format!("model.cfg beside it is larger than {LARGEST} bytes, so bones are not compared")));
    }
    let mut moved = Bones::default();
    for name in motion.bones().iter() {
        moved.add(name.to_string());
    }
    let text = match fs::read(&beside) {
        Ok(text) => text,
        Err(error) => return Some(unread(error)),
    };
    let config = match read_config(&text, seen.budget) {
        Ok(config) => config,
        Err(error) => return Some(unread(message_of(&error))),
    };
    let stem = path.file_stem()?.to_str()?;
    let name = config.model(stem).ok()??.skeleton?;
    let skeleton = config.skeleton(&name.to_string()).ok()?;
    if skeleton.base_elsewhere.is_some() || !skeleton.flaws.is_empty() || skeleton.bones.is_empty() {
        return None;
    }
    let mut bones = Bones::default();
    for [name, _] in skeleton.bones.iter() {
        bones.add(name.to_string());
    }
    let missing: Vec<&str> = moved.without(&bones).collect();
    if missing.is_empty() {
        return None;
    }
    let mut names = missing.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if missing.len() > NAMED {
        names += ", ...";
    }
    let message = format!(
        "{} of {} bones are not in the skeleton {name} of model.cfg: {names}",
        missing.len(),
        moved.names.len()
    );
    Some(warning(message))
}

fn read_config<'a, 'b>(text: &'a [u8], budget: &'b Budget) -> meshpeek::Result<ModelCfg<'a, 'b>> {
    budget.charge_work(text.len() as u64)?;
    ModelCfg::read(text, budget)
}

fn unread(error: impl std::fmt::Display) -> Problem {
    warning(format!("model.cfg beside it cannot be read, so bones are not compared: {error}"))
}

fn warning(message: String) -> Problem {
    // Names in it may contain anything.
    let message = ByteStr::from(message.as_str()).to_string();
    Problem::warning(&Error::malformed(message).coded(Code::Bones))
}
