//! Bones of all formats in one coordinate system.

use meshpeek::b3d::{Scene, Weight};
use meshpeek::geometry::Matrix;
use meshpeek::pose::{Pose, Rig, StoredRotation};
use meshpeek::{Asset, rtm::Motion};

use crate::support::files::{files, outside_file};

fn near(a: [f32; 3], b: [f32; 3], most: f32) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < most), "{a:?} is not {b:?}");
}

/// Blitz3D's own arithmetic, as far as needed for a pose, in its left-handed space.
mod blitz {
    pub type Vector = [f32; 3];

    /// The images of the axes i, j and k, and a position.
    #[derive(Clone, Copy)]
    pub struct Transform {
        pub axes: [Vector; 3],
        pub position: Vector,
    }

    pub fn add(a: Vector, b: Vector) -> Vector {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
    }

    pub fn times(a: Vector, n: f32) -> Vector {
        a.map(|part| part * n)
    }

    impl Transform {
        /// The images of the axes under a stored quaternion, scaled.
        pub fn new(position: Vector, scale: Vector, [w, x, y, z]: [f32; 4]) -> Self {
            let i = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)];
            let j = [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)];
            let k = [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)];
            Self { axes: [times(i, scale[0]), times(j, scale[1]), times(k, scale[2])], position }
        }

        pub fn turn(&self, v: Vector) -> Vector {
            let [i, j, k] = self.axes;
            add(add(times(i, v[0]), times(j, v[1])), times(k, v[2]))
        }

        pub fn point(&self, v: Vector) -> Vector {
            add(self.turn(v), self.position)
        }

        pub fn after(&self, first: &Self) -> Self {
            Self { axes: first.axes.map(|axis| self.turn(axis)), position: self.point(first.position) }
        }

        pub fn inverse(&self) -> Self {
            let [i, j, k] = self.axes;
            let cross = |a: Vector, b: Vector| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let rows = [cross(j, k), cross(k, i), cross(i, j)];
            let size = i[0] * rows[0][0] + i[1] * rows[0][1] + i[2] * rows[0][2];
            let axes = [0, 1, 2].map(|axis| [rows[0][axis] / size, rows[1][axis] / size, rows[2][axis] / size]);
            let inverse = Self { axes, position: [0.0; 3] };
            Self { position: times(inverse.turn(self.position), -1.0), ..inverse }
        }
    }

    /// The keys before and after a time, or twice the nearer one if there is only one, and the fraction between them.
    pub fn keys<T: Copy>(keys: &[(i32, T)], time: f32) -> (T, T, f32) {
        let next = keys.iter().position(|(frame, _)| *frame > time as i32);
        match next {
            Some(0) => (keys[0].1, keys[0].1, 0.0),
            None => (keys[keys.len() - 1].1, keys[keys.len() - 1].1, 0.0),
            Some(next) => {
                let (start, end) = (keys[next - 1].0, keys[next].0);
                (keys[next - 1].1, keys[next].1, (time - start as f32) / (end - start) as f32)
            }
        }
    }

    pub fn slerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
        let mut cosine: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        let b = if cosine < 0.0 { b.map(|part| -part) } else { b };
        cosine = cosine.abs();
        let (mut first, mut second) = (1.0 - t, t);
        if cosine < 1.0 - 0.000_001 {
            let angle = cosine.acos();
            (first, second) = ((first * angle).sin() / angle.sin(), (second * angle).sin() / angle.sin());
        }
        [0, 1, 2, 3].map(|part| a[part] * first + b[part] * second)
    }
}

/// The positions of the vertices of the first mesh at a frame in Blitz3D. Each vertex is moved by its four strongest
/// bones, with weights scaled to sum 1, from its position when the scene is loaded.
fn by_blitz(bytes: &[u8], frame: f32, vertices: &[usize]) -> Vec<blitz::Vector> {
    let scene = Scene::parse(bytes).unwrap();
    let nodes: Vec<_> = scene.nodes().map(Result::unwrap).collect();
    let (mut loaded, mut now): (Vec<blitz::Transform>, Vec<blitz::Transform>) = Default::default();
    for node in &nodes {
        let (position, scale, rotation) = (node.position(), node.scale(), node.rotation());
        let at_rest = blitz::Transform::new(position, scale, rotation);
        let (mut positions, mut scales, mut rotations) = (Vec::new(), Vec::new(), Vec::new());
        for keys in node.keys().map(Result::unwrap) {
            for (index, frame) in keys.frames().iter().enumerate() {
                let frame = frame.get();
                positions.extend(keys.positions().map(|all| (frame, all.get(index).unwrap().to_array())));
                scales.extend(keys.scales().map(|all| (frame, all.get(index).unwrap().to_array())));
                rotations.extend(keys.rotations().map(|all| (frame, all.get(index).unwrap().to_array())));
            }
        }
        let straight = |keys: &[(i32, [f32; 3])], rest| match keys.is_empty() {
            true => rest,
            false => {
                let (a, b, t) = blitz::keys(keys, frame);
                blitz::add(blitz::times(blitz::add(b, blitz::times(a, -1.0)), t), a)
            }
        };
        let rotation = match rotations.is_empty() {
            true => rotation,
            false => {
                let (a, b, t) = blitz::keys(&rotations, frame);
                blitz::slerp(a, b, t)
            }
        };
        let moved = blitz::Transform::new(straight(&positions, position), straight(&scales, scale), rotation);
        let in_world = |all: &[blitz::Transform], own: blitz::Transform| match node.parent {
            Some(parent) => all[parent].after(&own),
            None => own,
        };
        loaded.push(in_world(&loaded, at_rest));
        now.push(in_world(&now, moved));
    }
    let (home, mesh) = nodes.iter().find_map(|node| Some((node.index, node.mesh().unwrap()?))).unwrap();
    let positions = mesh.vertices().unwrap().positions();
    let of_bones: Vec<(usize, Vec<Weight>)> = nodes
        .iter()
        .filter_map(|node| Some((node.index, node.bone().unwrap()?.weights.iter().copied().collect())))
        .collect();
    let place = |&vertex: &usize| {
        let at_rest = loaded[home].point(positions.get(vertex).unwrap().to_array());
        let mut moving: Vec<(f32, usize)> = Vec::new();
        for (bone, weights) in &of_bones {
            let own = weights.iter().filter(|one| one.vertex.get() as usize == vertex && one.weight.get() > 0.0);
            moving.extend(own.map(|one| (one.weight.get(), *bone)));
        }
        assert!(!moving.is_empty());
        moving.sort_by(|a, b| b.0.total_cmp(&a.0));
        moving.truncate(4);
        let sum: f32 = moving.iter().map(|(weight, _)| weight).sum();
        moving.iter().fold([0.0; 3], |all, (weight, bone)| {
            let moved = now[*bone].point(loaded[*bone].inverse().point(at_rest));
            blitz::add(all, blitz::times(moved, weight / sum))
        })
    };
    vertices.iter().map(place).collect()
}

/// The position of a vertex of a primitive in a pose.
fn posed(asset: &Asset<'_>, pose: &Pose, rest: &Pose, vertex: usize) -> [f32; 3] {
    let primitive = asset.primitives().next().unwrap().unwrap();
    let at_rest = primitive.world_matrix.point(primitive.positions().unwrap().array(vertex).unwrap());
    let skin = pose.skin(rest).unwrap();
    let weights = primitive.to_weights().unwrap().unwrap();
    weights.strongest(vertex).iter().filter(|one| one.weight > 0.0).fold([0.0; 3], |sum, one| {
        let moved = skin[one.joint as usize].point(at_rest);
        [0, 1, 2].map(|axis| sum[axis] + moved[axis] * one.weight)
    })
}

#[test]
fn characters_are_where_blitz3d_has_them() {
    for (name, vertices, frames) in [
        ("b3d/character.b3d", [0, 60, 120], [0.0, 40.5, 175.25]),
        ("b3d/dwarf2.b3d", [3, 500, 900], [1.0, 77.75, 300.0]),
        ("b3d/animalia_cow.b3d", [0, 50, 120], [10.0, 61.3, 200.0]),
    ] {
        let Some(bytes) = outside_file(name) else { return };
        let asset = Asset::parse(&bytes).unwrap();
        let rig = asset.rigs().remove(0).unwrap();
        let clip = rig.clips().next().unwrap().unwrap();
        let rate =
            Scene::parse(&bytes).unwrap().nodes().find_map(|node| node.unwrap().animation().unwrap()).unwrap().fps;
        let rest = rig.rest();
        let mut moved = false;
        for frame in frames {
            let pose = clip.pose_at(frame / rate).unwrap();
            for (vertex, [x, y, z]) in vertices.iter().zip(by_blitz(&bytes, frame, &vertices)) {
                let place = posed(&asset, &pose, &rest, *vertex);
                let size = x.abs().max(y.abs()).max(z.abs()).max(1.0);
                near(place, [-x, y, z], size * 1e-4);
                let still = posed(&asset, &rest, &rest, *vertex);
                moved |= (0..3).any(|axis| (still[axis] - place[axis]).abs() > size * 1e-2);
            }
        }
        assert!(moved, "{name} stands still");
    }
}

#[test]
fn a_binarized_motion_on_a_skeleton_is_the_plain_one() {
    let Some(packed) = outside_file("rtm/animation_bmtr.rtm") else { return };
    let plain = outside_file("rtm/animation_plain.rtm").unwrap();
    let (packed, plain) = (Motion::parse(&packed).unwrap(), Motion::parse(&plain).unwrap());
    let bones = [("pelvis", None), ("torso", Some(0)), ("RIGHTARM", Some(1)), ("leftarm", Some(1)), ("tail", Some(0))];
    let skeleton = Rig::from_bones(bones.map(|(name, parent)| (name.into(), parent)));
    let world = |motion: Motion<'_>, seconds: f32| {
        let clip = Rig::with_skeleton(motion, &skeleton).clips().next().unwrap().unwrap();
        assert_eq!((clip.seconds, clip.bones()), (Some(1.0), &[0, 1, 2, 3][..]));
        clip.pose_at(seconds).unwrap().world().unwrap()
    };
    for seconds in [0.0, 1.0] {
        for (a, b) in world(packed, seconds).iter().zip(&world(plain, seconds)).take(4) {
            for point in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                near(a.point(point), b.point(point), 3e-3);
            }
        }
    }
    assert_eq!(world(plain, 0.5)[4], Matrix::IDENTITY);
}

#[test]
fn a_binarized_motion_alone_has_no_world() {
    let Some(bytes) = outside_file("rtm/animation_bmtr.rtm") else { return };
    let asset = Asset::parse(&bytes).unwrap();
    let rig = asset.rigs().remove(0).unwrap();
    let pose = rig.clips().next().unwrap().unwrap().pose_at(0.5).unwrap();
    assert_eq!((pose.locals().len(), pose.world(), pose.skin(&rig.rest())), (4, None, None));
}

#[test]
fn poses_at_keys_are_the_keys() {
    let mut checked = 0;
    // In deliberately damaged files, times may decrease.
    for (path, bytes) in files().into_iter().filter(|(path, _)| !path.starts_with("corpus/hostile")) {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        for rig in asset.rigs().into_iter().flatten() {
            for clip in rig.clips().flatten() {
                for &bone in clip.bones().iter().take(5) {
                    let (Ok(track), Ok(stored)) = (clip.to_track(bone), clip.stored_keys(bone)) else { continue };
                    let whole = stored.iter().all(|key| key.position.is_none_or(|at| at.iter().all(|x| x.is_finite())));
                    assert!(track.translations.len() <= stored.len(), "{}", path.display());
                    let Some(&(seconds, [x, y, z])) = track.translations.last().filter(|_| whole) else { continue };
                    let Ok(pose) = clip.pose_at(seconds) else { continue };
                    let [.., [a, b, c, _]] = pose.locals()[bone].0;
                    near([a, b, c], [x, y, z], 1e-4 * (1.0 + x.abs() + y.abs() + z.abs()));
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn stored_keys_are_as_in_the_file() {
    let bytes = std::fs::read(crate::support::files::root().join("corpus/b3d/two_tracks.b3d")).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let rig = asset.rigs().remove(0).unwrap();
    let rest = rig.bones()[1].stored_rest.unwrap();
    assert_eq!(rest.rotation, Some(StoredRotation::ConjugateWxyz([0.5, 0.5, 0.5, -0.5])));
    assert_eq!((rest.position, rest.scale), (Some([1.0, 2.0, 3.0]), Some([1.0, 1.0, 2.0])));
    assert_eq!(rig.bones()[1].rest.translation, [-1.0, 2.0, 3.0]);
    let clips: Vec<_> = rig.clips().map(Result::unwrap).collect();
    assert_eq!((clips.len(), clips[0].bones()), (1, &[1][..]));
    let keys = clips[0].stored_keys(1).unwrap();
    assert_eq!((keys.len(), keys[1].frame, keys[1].position), (8, 2.0, Some([2.0, 2.25, 2.5])));
    assert_eq!(keys[7].rotation, Some(StoredRotation::ConjugateWxyz([0.0, 0.6, 0.8, 0.0])));
    // The file has no rate, so the default of 60 applies. The last of two keys in frame 2 counts.
    let track = clips[0].to_track(1).unwrap();
    assert_eq!(track.translations[1], (2.0 / 60.0, [-2.0, 2.25, 2.5]));
    assert_eq!(track.rotations.iter().map(|(time, _)| *time).collect::<Vec<_>>(), [1.0 / 60.0, 2.0 / 60.0, 4.0 / 60.0]);
}
