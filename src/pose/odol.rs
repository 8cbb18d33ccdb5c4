//! ODOL: the bones of a skeleton. The animations are separate files.

use std::collections::HashMap;
use std::marker::PhantomData;

use super::{Bone, Rig, Source};
use crate::base::error::Result;
use crate::formats::odol::{Model, Skeleton};

pub(super) fn rig<'a>(model: &Model<'a>) -> Option<Result<Rig<'a>>> {
    let skeleton = match model.info() {
        Ok(info) => info.skeleton?,
        Err(error) => return Some(Err(error)),
    };
    Some(Ok(Rig::new(0, bones(&skeleton), true, Source::Still(PhantomData))))
}

/// Returns the bones by name. A parent that does not precede its bone is ignored.
fn bones<'a>(skeleton: &Skeleton<'a>) -> Vec<Bone<'a>> {
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut bones = Vec::new();
    for bone in &skeleton.bones {
        let parent = places.get(&folded(bone.parent.as_bytes())).copied();
        places.entry(folded(bone.name.as_bytes())).or_insert(bones.len());
        bones.push(Bone::new(bone.name, parent));
    }
    bones
}

/// Folds a name as the engine compares it.
fn folded(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}
