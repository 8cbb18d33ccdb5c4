//! Bones and animations from files other than the model.

use std::path::Path;

use meshpeek::Asset;
use meshpeek::address::Content;
use meshpeek::pose::Rig;
use meshpeek::rtm::Motion;

use super::words::listed;
use crate::args::Common;
use crate::bones::Bones;
use crate::failure::Failure;
use crate::report::count;
use crate::source::Source;

/// Opens a file that an argument names.
pub(super) fn open<'p>(path: Option<&'p Path>, common: &Common) -> Result<Option<Source<'p>>, Failure> {
    let Some(path) = path else { return Ok(None) };
    Ok(Some(Source::open(path, common)?))
}

pub(super) fn content<'s>(source: Option<&'s Source<'_>>, common: &Common) -> Result<Option<Content<'s>>, Failure> {
    let Some(source) = source else { return Ok(None) };
    Ok(Some(source.checked_content(common)?))
}

/// The bones of a `model.cfg` that move nothing, because the model has no selection of their name.
pub(super) fn without_selection(rig: &Rig<'_>, selections: &Bones) -> Option<String> {
    let mut bones = Bones::default();
    for bone in rig.bones() {
        bones.add(bone.name.to_string());
    }
    let names: Vec<&str> = bones.without(selections).collect();
    if names.is_empty() {
        return None;
    }
    let count = count(names.len() as u64, "bones");
    Some(format!("{count} without a selection of the model, left out of its skin: {}", listed(&names)))
}

const NO_MOTION: &str = "--motion needs a plain RTM animation";

/// The bones and the animation of a plain RTM file.
pub(super) fn rig<'a>(motion: &'a Asset<'a>, skeleton: Option<&Rig<'a>>) -> Result<Rig<'a>, Failure> {
    let Asset::Rtm(plain @ Motion::Plain(_)) = motion else { return Err(NO_MOTION.into()) };
    if let Some(skeleton) = skeleton {
        return Ok(Rig::with_skeleton(*plain, skeleton));
    }
    match motion.rigs().pop() {
        Some(rig) => Ok(rig?),
        None => Err(NO_MOTION.into()),
    }
}
