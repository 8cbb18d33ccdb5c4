//! ODOL: the bones of a skeleton. The animations are separate files.

use std::collections::HashMap;
use std::marker::PhantomData;

use super::rig::{Bone, Rig};
use super::source::Source;
use crate::base::error::Result;
use crate::formats::odol::Model;

pub(super) fn rig<'a>(model: &Model<'a>) -> Option<Result<Rig<'a>>> {
    let skeleton = match model.info() {
        Ok(info) => info.skeleton?,
        Err(error) => return Some(Err(error)),
    };
    // The engine compares names without case. A parent that does not precede its bone is ignored.
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut bones = Vec::new();
    for (place, bone) in skeleton.bones.iter().enumerate() {
        let parent = places.get(&bone.parent.as_bytes().to_ascii_lowercase()).copied();
        places.entry(bone.name.as_bytes().to_ascii_lowercase()).or_insert(place);
        bones.push(Bone::new(bone.name, parent));
    }
    Some(Ok(Rig::new(0, bones, true, Source::Still(PhantomData))))
}
