//! Animations: plain ones, and BMTR of versions 3 and 5.

use super::super::writer::rtm::{Marking, Motion, NO_FLAG_IF_EMPTY, NONE, motion};
use super::random::Random;

/// Three of four frames are packed, which get shorter by it.
const MOST: Marking = Marking::Flag { packed: |index| index % 4 != 0, empty: true };

pub fn files() -> Vec<(String, Vec<u8>)> {
    // The frames, the bones, and those that keep still, as the bones of a face often do.
    let binarised = [
        ("idle_5", 5, [2, 4, 0], NO_FLAG_IF_EMPTY),
        ("walk_5", 5, [165, 66, 3], MOST),
        ("saw", 3, [2, 66, 0], Marking::Size),
        ("stand", 3, [3, 67, 0], Marking::Size),
        ("kneel", 3, [2, 67, 0], Marking::Size),
        ("kneel_death", 3, [83, 127, 58], Marking::Size),
        ("kneel_feed", 3, [263, 68, 0], Marking::Size),
        ("stand_death", 3, [79, 127, 58], Marking::Size),
        ("run", 3, [61, 68, 0], Marking::Size),
        ("idle", 3, [21, 67, 0], Marking::Size),
    ];
    let plain = [("gesture", [2, 4]), ("bark", [17, 33]), ("down", [2, 33])];
    let mut files = Vec::new();
    for (seed, (name, version, [frames, bones, still], marking)) in (1..).zip(binarised) {
        let moving =
            Motion { frames: transforms([frames, bones, still], seed), ..motion(version, frames, bones, marking) };
        files.push((format!("{name}.rtm"), moving.binarised().to_vec()));
    }
    for (name, [frames, bones]) in plain {
        files.push((format!("{name}_plain.rtm"), motion(0, frames, bones, NONE).plain().to_vec()));
    }
    files
}

/// How many of a hundred bones repeat a part of an earlier one.
const REPEATED: u32 = 29;

/// Rotations of length 16384 and translations as half floats, for each frame and bone.
fn transforms([frames, bones, still]: [usize; 3], seed: u64) -> Vec<Vec<[u16; 7]>> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for _ in 0..frames {
        let mut frame = Vec::new();
        for bone in 0..bones {
            let is_still = bone >= bones - still;
            let mut moved = if is_still { [0, 0, 0, 16384, 0, 0, 0] } else { transform(&mut random) };
            // Two axes of the translation, as fingers of both hands have them in common.
            if !is_still && bone > 0 && random.chance(REPEATED) {
                let earlier: [u16; 7] = frame[random.below(bone as u32) as usize];
                moved[5..].copy_from_slice(&earlier[5..]);
            }
            frame.push(moved);
        }
        all.push(frame);
    }
    all
}

fn transform(random: &mut Random) -> [u16; 7] {
    let turn = [random.float(), random.float(), random.float(), 1.0];
    let length = turn.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
    let [x, y, z, w] = turn.map(|axis| (axis / length * 16384.0).round() as i16 as u16);
    // From a thousandth to 2, of either sign.
    let [a, b, c] = [0; 3].map(|_| 0x1400 + random.below(0x2c00) as u16 + 0x8000 * random.below(2) as u16);
    // One bone in ten moves along two axes only.
    [x, y, z, w, a, if random.chance(10) { 0 } else { b }, c]
}
