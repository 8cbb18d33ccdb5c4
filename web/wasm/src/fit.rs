//! Whether an animation file fits the bones of a model, as the program's `fit` says.

use std::path::Path;

use meshpeek::rtm::Motion;
use meshpeek::{Asset, Budget};
use serde_json::{Value, json};

use crate::Result;
use crate::bones::Bones;

/// The most missing bones that are listed.
const MOST_LISTED: usize = 200;

/// Compares the bones that an animation moves with those of a model: how many there are, how many the model has, and
/// the names that it lacks, each with its nearest names in the model. The animation plays if it has a bone of the model,
/// and if it moves what the model has: bones or selections.
pub(crate) fn of(model: &Asset<'_>, motion: &Asset<'_>, budget: &Budget) -> Result<Value> {
    let moved = moved_by(motion)?;
    let bones = bones_of(model)?;
    let mut missing = Vec::new();
    let mut lacking = 0;
    for name in moved.without(&bones) {
        lacking += 1;
        if missing.len() < MOST_LISTED {
            missing.push(json!([name, bones.nearest(name, budget)]));
        }
    }
    let count = moved.names.len();
    let fitting = count - lacking;
    let plays = fitting > 0 && has_what_moves(model, motion);
    Ok(json!({
        "bones": bones.names.len(), "moved": count, "fitting": fitting, "missing": missing, "plays": plays,
    }))
}

/// Returns true if the model has a skeleton, or if the animation is a plain one, which moves selections, too.
fn has_what_moves(model: &Asset<'_>, motion: &Asset<'_>) -> bool {
    matches!(motion, Asset::Rtm(Motion::Plain(_))) || !model.rigs().is_empty()
}

fn moved_by(motion: &Asset<'_>) -> Result<Bones> {
    let mut bones = Bones::default();
    for rig in motion.rigs() {
        let rig = rig?;
        for clip in rig.clips() {
            let clip = clip?;
            let moved = clip.bones().iter().filter_map(|bone| rig.bones().get(*bone));
            bones.extend(moved.map(|bone| bone.name.to_string()));
        }
    }
    Ok(bones)
}

/// The bones of a model. An MLOD has no skeleton: there, a bone moves the selection of its name.
fn bones_of(model: &Asset<'_>) -> Result<Bones> {
    let mut bones = Bones::default();
    if let Asset::Mlod(_) = model {
        bones = Bones::selections(Path::new(""), model)?;
    }
    for rig in model.rigs() {
        bones.extend(rig?.bones().iter().map(|bone| bone.name.to_string()));
    }
    Ok(bones)
}
