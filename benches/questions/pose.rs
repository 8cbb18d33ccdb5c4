//! Poses of a character.

use meshpeek::Asset;
use meshpeek::pose::Pose;

use super::harness::{Examiner, contender};
use super::material::files;

/// The times of the poses, in seconds.
const TIMES: std::ops::Range<u16> = 0..100;

/// Sums the places of all bones, so that none is left out.
fn sum(pose_at: impl Fn(f32) -> Pose) -> u64 {
    let places = |time: u16| pose_at(f32::from(time) / 31.0).world().expect("a whole tree");
    TIMES.flat_map(places).flat_map(|place| place.point([0.0; 3])).map(|axis| u64::from(axis.to_bits())).sum()
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("pose: all bones of a character in world space", |question| {
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/b3d/two_tracks.b3d").into();
        let path = files("b3d", "b3d").into_iter().find(|path| path.ends_with("character.b3d")).unwrap_or(own);
        let bytes = std::fs::read(path).expect("a file");
        let asset = Asset::parse(&bytes).expect("a scene");
        let rig = asset.rigs().remove(0).expect("bones");
        let clip = rig.clips().next().expect("an animation").expect("keys");
        let sampler = clip.sampler().expect("keys");
        let poses = TIMES.len() as u64;
        question.compare(vec![
            contender("meshpeek: Sampler::pose_at", || sum(|time| sampler.pose_at(time))).items(poses),
            contender("keys read again: Clip::pose_at", || sum(|time| clip.pose_at(time).expect("a pose")))
                .items(poses)
                .at_most(0.5),
        ]);
    });
}
