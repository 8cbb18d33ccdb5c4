//! ODOL: the bones of a skeleton. The animations are separate files.

use std::collections::HashMap;

use super::Rig;
use crate::base::error::Result;
use crate::formats::odol::Model;

pub(super) fn rig<'a>(model: &Model<'a>) -> Option<Result<Rig<'a>>> {
    let skeleton = model.info().map(|info| info.skeleton).transpose()?;
    Some(skeleton.map(|skeleton| {
        // The engine compares names without case. A parent that does not precede its bone is ignored.
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        Rig::from_bones(skeleton.bones.iter().enumerate().map(|(place, bone)| {
            let parent = places.get(&bone.parent.as_bytes().to_ascii_lowercase()).copied();
            places.entry(bone.name.as_bytes().to_ascii_lowercase()).or_insert(place);
            (bone.name.into(), parent)
        }))
    }))
}
