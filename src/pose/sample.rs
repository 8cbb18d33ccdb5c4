//! Interpolates between keys.

use glam::Quat;

use super::{Matrix, Transform};

/// The keys of one bone, with ascending times in seconds. A component without keys stays at rest.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Track {
    /// Translations.
    pub translations: Vec<(f32, [f32; 3])>,
    /// Rotations: x, y, z, w.
    pub rotations: Vec<(f32, [f32; 4])>,
    /// Scales.
    pub scales: Vec<(f32, [f32; 3])>,
}

impl Track {
    /// Returns true if it has no keys.
    pub fn is_empty(&self) -> bool {
        self.translations.is_empty() && self.rotations.is_empty() && self.scales.is_empty()
    }

    /// Adds a key without a scale.
    pub(super) fn add(&mut self, seconds: f32, key: Transform) {
        self.translations.push((seconds, key.translation));
        self.rotations.push((seconds, key.rotation));
    }

    /// The keys between two times, which become 0 and the length, with a key at each end.
    pub(super) fn within(&self, range: (f32, f32)) -> Self {
        Self {
            translations: part(&self.translations, range, lerp),
            rotations: part(&self.rotations, range, slerp),
            scales: part(&self.scales, range, lerp),
        }
    }

    /// Returns the transform at a time, for a bone with this rest transform.
    pub fn at(&self, seconds: f32, rest: &Transform) -> Transform {
        Transform {
            translation: value_at(&self.translations, seconds, lerp).unwrap_or(rest.translation),
            rotation: value_at(&self.rotations, seconds, slerp).unwrap_or(rest.rotation),
            scale: value_at(&self.scales, seconds, lerp).unwrap_or(rest.scale),
        }
    }
}

/// Returns the value at a time, or `None` without keys.
#[inline]
fn value_at<T: Copy>(keys: &[(f32, T)], seconds: f32, mix: fn(T, T, f32) -> T) -> Option<T> {
    let (a, b, part) = around(keys, seconds)?;
    Some(mix(a, b, part))
}

/// Returns the keys between two times.
fn part<T: Copy>(keys: &[(f32, T)], (start, end): (f32, f32), mix: fn(T, T, f32) -> T) -> Vec<(f32, T)> {
    let mut kept = Vec::new();
    kept.extend(key_at(keys, start, start, mix));
    for &(time, value) in keys {
        if time > start && time < end {
            kept.push((time - start, value));
        }
    }
    if end > start {
        kept.extend(key_at(keys, end, start, mix));
    }
    kept
}

/// Returns a key at a time, counted from the `start`.
fn key_at<T: Copy>(keys: &[(f32, T)], time: f32, start: f32, mix: fn(T, T, f32) -> T) -> Option<(f32, T)> {
    let (a, b, part) = around(keys, time)?;
    Some((time - start, if part == 0.0 { a } else { mix(a, b, part) }))
}

/// Returns the keys before and after a time, and the fraction of the way between them. Returns `None` without keys.
pub(super) fn around<T: Copy>(keys: &[(f32, T)], seconds: f32) -> Option<(T, T, f32)> {
    let after = keys.partition_point(|(time, _)| *time <= seconds);
    let mut before = None;
    if let Some(place) = after.checked_sub(1) {
        before = keys.get(place);
    }
    match (before, keys.get(after)) {
        (Some(&(start, a)), Some(&(end, b))) => Some((a, b, (seconds - start) / (end - start))),
        (Some(&(_, only)), None) | (None, Some(&(_, only))) => Some((only, only, 0.0)),
        (None, None) => None,
    }
}

fn lerp([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3], part: f32) -> [f32; 3] {
    [(bx - ax) * part + ax, (by - ay) * part + ay, (bz - az) * part + az]
}

/// Interpolates along the shorter arc. Quaternions that are not of unit length keep their length at the keys.
fn slerp(a: [f32; 4], b: [f32; 4], part: f32) -> [f32; 4] {
    let cosine = Quat::from_array(a).dot(Quat::from_array(b));
    let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
    let cosine = cosine.abs();
    let (first, second) = if cosine < 1.0 - 1e-6 {
        let angle = cosine.acos();
        (((1.0 - part) * angle).sin() / angle.sin(), (part * angle).sin() / angle.sin())
    } else {
        (1.0 - part, part)
    };
    let second = second * sign;
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [ax * first + bx * second, ay * first + by * second, az * first + bz * second, aw * first + bw * second]
}

/// Interpolates between transforms of one scale.
pub(super) fn between(a: Transform, b: Transform, part: f32) -> Transform {
    let translation = lerp(a.translation, b.translation, part);
    Transform { translation, rotation: slerp(a.rotation, b.rotation, part), ..a }
}

pub(super) fn mix(a: &Matrix, b: &Matrix, part: f32) -> Matrix {
    Matrix::of(a.glam().mul_scalar(1.0 - part).add_mat4(&b.glam().mul_scalar(part)))
}

/// Converts angles about X, then Y, then Z.
pub(super) fn from_euler([x, y, z]: [f32; 3]) -> [f32; 4] {
    let turned = Quat::from_rotation_y(y).mul_quat(Quat::from_rotation_x(x));
    Quat::from_rotation_z(z).mul_quat(turned).to_array()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn values_are_constant_outside_the_keys_and_interpolated_between() {
        let keys = [(1.0, [0.0; 3]), (3.0, [4.0, 0.0, -2.0])];
        let at = |seconds| around(&keys, seconds).map(|(a, b, part)| lerp(a, b, part)).unwrap();
        assert_eq!([at(0.0), at(1.0), at(2.0), at(3.0)], [[0.0; 3], [0.0; 3], [2.0, 0.0, -1.0], [4.0, 0.0, -2.0]]);
        assert_eq!((at(9.0), around::<[f32; 3]>(&[], 1.0)), ([4.0, 0.0, -2.0], None));
    }

    #[test]
    fn rotations_take_the_shorter_arc() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let (none, quarter) = ([0.0, 0.0, 0.0, 1.0], [0.0, half, 0.0, half]);
        let eighth = slerp(none, quarter, 0.5);
        let same = slerp(none, quarter.map(|part| -part), 0.5);
        for (a, b) in eighth.iter().zip(same) {
            assert!((a - b).abs() < 1e-6, "{eighth:?} {same:?}");
        }
        assert!((eighth[1] - (std::f32::consts::PI / 8.0).sin()).abs() < 1e-6);
    }

    #[test]
    fn euler_angles_turn_about_x_first() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let turned = Quat::from_array(from_euler([quarter, 0.0, quarter])) * Vec3::Y;
        assert!((turned - Vec3::Z).length() < 1e-6, "{turned}");
    }

    /// The value at a time, found key by key.
    fn slowly(keys: &[(f32, [f32; 3])], seconds: f32) -> [f32; 3] {
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        if seconds <= first.0 {
            return first.1;
        }
        for pair in keys.windows(2) {
            let [(start, a), (end, b)] = [pair[0], pair[1]];
            if start <= seconds && seconds <= end {
                let part = f64::from(seconds - start) / f64::from(end - start);
                return [0, 1, 2].map(|axis| (f64::from(a[axis]) * (1.0 - part) + f64::from(b[axis]) * part) as f32);
            }
        }
        last.1
    }

    fn close(a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
    }

    /// An eighth of a turn about the y axis for each second.
    fn turned(seconds: f32) -> [f32; 4] {
        Quat::from_rotation_y(seconds * std::f32::consts::FRAC_PI_4).to_array()
    }

    #[test]
    fn every_component_is_sampled_before_at_between_and_after_its_keys() {
        const TIMES: [f32; 4] = [0.5, 1.0, 1.5, 3.5];
        let rest = Transform { translation: [9.0; 3], rotation: [0.6, 0.0, 0.0, 0.8], scale: [7.0; 3] };
        // As many keys as there are ones in the number, in each component.
        for number in 0..16 {
            let times: Vec<f32> = (0..4).filter(|bit| number >> bit & 1 == 1).map(|bit| TIMES[bit]).collect();
            let moved: Vec<_> = times.iter().map(|&time| (time, [time * time, -time, 2.0])).collect();
            let turns: Vec<_> = times.iter().map(|&time| (time, turned(time))).collect();
            for which in 0..8 {
                let has = |bit: u8| which >> bit & 1 == 1;
                let track = Track {
                    translations: if has(0) { moved.clone() } else { Vec::new() },
                    rotations: if has(1) { turns.clone() } else { Vec::new() },
                    scales: if has(2) { moved.clone() } else { Vec::new() },
                };
                assert_eq!(track.is_empty(), which == 0 || times.is_empty());
                for step in 0..40 {
                    let seconds = step as f32 / 8.0 - 0.5;
                    let found = track.at(seconds, &rest);
                    let has = |bit: u8| has(bit) && !times.is_empty();
                    let translation = if has(0) { slowly(&moved, seconds) } else { rest.translation };
                    let scale = if has(2) { slowly(&moved, seconds) } else { rest.scale };
                    let name = format!("keys {times:?}, components {which:b}, at {seconds}");
                    assert!(close(&found.translation, &translation), "{name}: {found:?}");
                    assert!(close(&found.scale, &scale), "{name}: {found:?}");
                    let mut rotation = rest.rotation;
                    if has(1) {
                        rotation = turned(seconds.clamp(times[0], times[times.len() - 1]));
                    }
                    assert!(close(&found.rotation, &rotation), "{name}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn a_part_of_a_track_has_the_values_of_the_whole_and_a_key_at_each_end() {
        let keys = [0.5, 1.0, 1.5, 3.5].map(|time: f32| (time, [time * time, -time, 2.0])).to_vec();
        let turns = [0.5, 1.0, 1.5, 3.5].map(|time: f32| (time, turned(time))).to_vec();
        let whole = Track { translations: keys.clone(), rotations: turns, scales: keys };
        let times: Vec<f32> = (0..=16).map(|step| step as f32 / 4.0).collect();
        for (place, &start) in times.iter().enumerate() {
            for &end in &times[place..] {
                let part = whole.within((start, end));
                let name = format!("from {start} to {end}");
                let between = [0.5, 1.0, 1.5, 3.5].into_iter().filter(|time| start < *time && *time < end);
                let mut expected: Vec<f32> = [start].into_iter().chain(between).map(|time| time - start).collect();
                if end > start {
                    expected.push(end - start);
                }
                let of = |track: &Track| track.translations.iter().map(|key| key.0).collect::<Vec<_>>();
                assert_eq!(of(&part), expected, "{name}");
                assert!(part.rotations.iter().map(|key| key.0).eq(expected.iter().copied()), "{name}");
                assert!(part.scales.iter().map(|key| key.0).eq(expected.iter().copied()), "{name}");
                for seconds in times.iter().map(|time| time / 2.0).filter(|time| *time <= end - start) {
                    let [a, b] = [(&part, seconds), (&whole, start + seconds)]
                        .map(|(track, seconds)| track.at(seconds, &Transform::IDENTITY));
                    let same = close(&a.translation, &b.translation) && close(&a.rotation, &b.rotation);
                    assert!(same && close(&a.scale, &b.scale), "{name} at {seconds}: {a:?} {b:?}");
                }
            }
        }
        assert!(Track::default().within((0.0, 1.0)).is_empty());
    }

    /// The shorter arc between two turns about one axis, by their angles.
    #[test]
    fn rotations_between_any_two_turns_take_the_shorter_arc() {
        for from in 0..24 {
            for to in 0..24 {
                // Opposite ones have two arcs of one length.
                let apart = (to - from + 36) % 24 - 12;
                if apart == -12 {
                    continue;
                }
                let [a, b] = [from, to].map(|step| Quat::from_rotation_z(step as f32 * std::f32::consts::TAU / 24.0));
                for part in [0.0, 0.25, 0.5, 1.0] {
                    let angle = (from as f32 + apart as f32 * part) * std::f32::consts::TAU / 24.0;
                    let expected = Quat::from_rotation_z(angle);
                    let found = Quat::from_array(slerp(a.to_array(), b.to_array(), part));
                    // A rotation is stored in two ways.
                    assert!(found.dot(expected).abs() > 1.0 - 1e-5, "{from} to {to} at {part}: {found}");
                    assert!((found.length() - 1.0).abs() < 1e-5, "{from} to {to} at {part}: {found}");
                }
            }
        }
    }
}
