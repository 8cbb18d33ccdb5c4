//! Numbers that other programs accept.

use glam::Quat;

pub(super) fn is_finite(numbers: &[f32]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Returns `numbers` if all are finite, else `other`.
pub(super) fn finite<const N: usize>(numbers: [f32; N], other: [f32; N]) -> [f32; N] {
    if is_finite(&numbers) { numbers } else { other }
}

/// Normalizes a rotation.
pub(super) fn unit(rotation: [f32; 4]) -> [f32; 4] {
    let rotation = Quat::from_array(finite(rotation, [0.0, 0.0, 0.0, 1.0]));
    let length = rotation.length();
    if length > 1e-20 && length.is_finite() {
        rotation.to_array().map(|part| part / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}
