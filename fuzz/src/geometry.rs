//! Triangles and poses of any model: indices are in range, and counts agree with those of the file.

use std::collections::HashMap;

use meshpeek::geometry::{Primitive, Values};
use meshpeek::pose::{Clip, Rig};
use meshpeek::rtm::Motion;
use meshpeek::summary::{Problems, Severity};
use meshpeek::view::Vec3;
use meshpeek::{Asset, Format, Inspect, Limits};

use crate::views;

/// The maximum number of items examined of each kind: a file of a few bytes may show one thing thousands of times.
const ENOUGH: usize = 300;
const MOST_VERTICES: usize = 1 << 16;

pub fn run(data: &[u8]) {
    let limits = Limits::default().with_decoded_bytes(1 << 24);
    let Ok(asset) = Asset::parse_with(data, &limits) else { return };
    let mut problems = Problems::new(&limits);
    asset.verify(&mut problems);
    let is_sound = problems.into_vec().iter().all(|problem| problem.severity != Severity::Error);
    let bytes = data.len() as u64 + asset.kept_bytes();
    let rigs: Vec<Rig<'_>> = asset.rigs().into_iter().flatten().collect();
    let bones: HashMap<usize, usize> = rigs.iter().map(|rig| (rig.model, rig.bones().len())).collect();
    for primitive in asset.primitives().take(ENOUGH) {
        assert!(!is_sound || primitive.is_ok(), "verify finds nothing, and yet {primitive:?}");
        let Ok(primitive) = primitive else { continue };
        look_at(&primitive, data, bytes, is_sound, bones.get(&primitive.place.model).copied().unwrap_or(0));
    }
    if is_sound {
        counts_agree(&asset);
    }
    rigs.iter().for_each(move_about);
    if let (Ok(motion), [rig, ..]) = (Motion::parse_with(data, &limits), &*rigs) {
        // Posing it by its own bones' names equals posing it by itself, if the names are unique.
        let other = Rig::with_skeleton(motion, rig);
        assert_eq!(other.bones().len(), rig.bones().len());
        move_about(&other);
    }
}

/// Indices of a valid file are in range. Those of other files are requested nevertheless.
/// `bytes` are those of the file and of the tables inflated from it.
fn look_at(primitive: &Primitive<'_>, data: &[u8], bytes: u64, is_sound: bool, bones: usize) {
    let count = primitive.vertex_count();
    if count.as_ref().is_ok_and(|count| *count > MOST_VERTICES) {
        return;
    }
    let (positions, normals) = (primitive.positions(), primitive.normals());
    let (sets, weights) = (primitive.uv_sets(), primitive.to_weights());
    let _ = (primitive.tangents(), primitive.colors());
    if let (Ok(positions), Ok(count)) = (&positions, &count) {
        assert_eq!(positions.len(), *count);
        assert_inside(positions, data);
        numbers_agree(positions);
    }
    let uvs: Vec<_> = (0..*sets.as_ref().unwrap_or(&0)).map(|set| primitive.uvs(set)).collect();
    assert!(!is_sound || uvs.iter().all(|set| set.as_ref().is_ok_and(Option::is_some)), "a set that is counted is there");
    let by_corner = primitive.is_indexed_by_corner();
    let (mut whole, mut corners_seen) = (true, 0_u64);
    for corners in primitive.corners() {
        let Ok(corners) = corners else {
            assert!(!is_sound, "verify finds nothing, and yet a triangle cannot be read");
            whole = false;
            break;
        };
        corners_seen += 1;
        let same = corners.iter().all(|corner| corner.uv(0) == corner.position && corner.normal == corner.position);
        assert!(same || by_corner, "{corners:?}");
        if let (true, Ok(positions)) = (is_sound, &positions) {
            assert!(corners.iter().all(|corner| positions.get(corner.position as usize).is_some()), "{primitive:?}");
        }
    }
    if let (true, Ok(welded)) = (whole, primitive.to_welded(|_| Ok(()))) {
        assert_eq!(welded.triangles.len() as u64 + welded.left_out, corners_seen);
        if let (0, true) = (welded.left_out, corners_seen < 1000) {
            let one_number = welded.triangles.iter().flatten().filter_map(|vertex| welded.corners.get(*vertex as usize));
            let many = primitive.corners().flatten().flatten();
            assert!(one_number.copied().eq(many), "welding exchanges corners");
        }
        assert!(welded.triangles.iter().flatten().all(|vertex| (*vertex as usize) < welded.corners.len()));
        let positions = count.as_ref().map_or(0, |count| *count);
        assert!(welded.corners.iter().all(|corner| (corner.position as usize) < positions));
    }
    if let Ok(Some(weights)) = &weights {
        assert_eq!(weights.len(), *count.as_ref().expect("weights are of vertices"));
        for vertex in 0..weights.len() {
            let sum: f32 = weights.strongest(vertex).iter().map(|one| one.weight).sum();
            assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-3, "{sum}");
            let is_bone = |joint: u32| (joint as usize) < bones;
            assert!(!is_sound || weights.of(vertex).iter().all(|one| is_bone(one.joint)), "{primitive:?}");
        }
    }
    if let Ok(Some(normals)) = &normals {
        assert_inside(normals, data);
    }
    let world = primitive.world_matrix;
    let (at, along, upright) = (world.point([0.0; 3]), world.direction([1.0, 0.0, 0.0]), world.normal([0.0, 0.0, 1.0]));
    let length = upright.iter().map(|part| part * part).sum::<f32>();
    assert!(length == 0.0 || (length - 1.0).abs() < 1e-3 || length.is_nan(), "{upright:?}");
    // Only for shapes that are not flat, huge or tiny: otherwise rounding may lose the signs.
    let [x, y, z] = [along, world.direction([0.0, 1.0, 0.0]), world.direction([0.0, 0.0, 1.0])];
    let across = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    let dot = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let lengths = [x, y, z].map(|axis| dot(axis, axis).sqrt());
    let is_plain = lengths.iter().all(|length| (1e-2..1e2).contains(length)) && at.iter().all(|part| part.abs() < 1e6);
    if is_plain && dot(across, z).abs() > 1e-2 * lengths.iter().product::<f32>() {
        assert!(world.inverse().is_some_and(|back| back.mirrors() == world.mirrors()), "{world:?}");
    }
    assert!((format!("{primitive:?}").len() as u64) < 1000 + 8 * bytes);
    if let Ok(Some(material)) = primitive.material() {
        assert!(!material.alpha.name().is_empty());
        assert!(material.shininess.is_nan() || material.textures.len() <= data.len());
    }
}

/// Items are the same by index, from either end and as native numbers.
fn numbers_agree(values: &Values<'_, Vec3>) {
    views::both_ways(|| values.iter());
    if values.len() < 1000 {
        views::native(&values.to_native(), &values.iter().copied().collect::<Vec<_>>());
    }
    let last = values.len().checked_sub(1).and_then(|last| values.array(last));
    assert_eq!(last.is_none(), values.is_empty());
}

/// Data in place is inside the file, or inside a table inflated from it.
fn assert_inside(values: &Values<'_, Vec3>, data: &[u8]) {
    if let Some(column) = values.borrowed() {
        assert!(column.iter().count() == values.len());
        let in_file = column.get(0).is_none_or(|first| data.as_ptr_range().contains(&std::ptr::from_ref(first).cast()));
        assert!(in_file || data.starts_with(b"PK"), "in place, and yet not in the file");
    }
}

/// The triangles are those that the summary counts, if it counts triangles and each is shown once.
fn counts_agree(asset: &Asset<'_>) {
    let summary = asset.summarize();
    let Some(count) = summary.counts.get("triangles").filter(|count| *count < MOST_VERTICES as u64) else { return };
    if summary.format == Some(Format::B3d) {
        let triangles = asset.primitives().flatten().map(|primitive| primitive.triangles().count() as u64).sum::<u64>();
        assert_eq!(triangles, count);
    }
}

fn move_about(rig: &Rig<'_>) {
    let bones = rig.bones();
    assert!(bones.iter().enumerate().all(|(place, bone)| bone.parent.is_none_or(|parent| parent < place)));
    assert!(format!("{rig:?}").len() < 100);
    let rest = rig.rest();
    // A rig made of the same bones, without the file, has no clips.
    let still = Rig::from_bones(bones.iter().map(|bone| (bone.name, bone.parent)));
    assert!(still.clips().next().is_none() && still.bones().len() == bones.len());
    assert_eq!(rest.locals().len(), bones.len());
    for clip in rig.clips().take(ENOUGH).flatten() {
        assert!(clip.bones().iter().all(|bone| *bone < bones.len()));
        let end = clip.seconds.unwrap_or(1.0);
        for seconds in [0.0, end / 3.0, end, -1.0, f32::INFINITY, f32::NAN] {
            let Ok(pose) = clip.pose_at(seconds) else { break };
            assert_eq!(pose.locals().len(), bones.len());
            assert_eq!(pose.world().is_some(), rest.world().is_some());
            assert!(pose.skin(&rest).is_none_or(|skin| skin.len() == bones.len()));
        }
        clip.bones().iter().take(3).for_each(|&bone| keys_agree(&clip, bone));
    }
}

/// Tracks have no more keys than are stored, and one more at each end of a named range.
fn keys_agree(clip: &Clip<'_>, bone: usize) {
    if let (Ok(track), Ok(stored)) = (clip.to_track(bone), clip.stored_keys(bone)) {
        let keys = [track.translations.len(), track.rotations.len(), track.scales.len()];
        assert!(keys.iter().all(|keys| *keys <= stored.len() + 2), "{keys:?} of {}", stored.len());
        assert_eq!(track.is_empty(), keys == [0; 3]);
    }
}
