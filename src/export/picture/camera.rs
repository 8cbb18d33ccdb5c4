//! The axes of a picture, and the mapping from points to pixels.

use glam::{Mat3A, Vec3A, vec3a};

use crate::export::numbers::finite;

/// Returns the axes of the picture: right, up, and towards the eye.
pub(super) fn axes(eye: [f32; 3]) -> Mat3A {
    let eye = Vec3A::from(finite(eye, [0.0; 3])).normalize_or(Vec3A::Z);
    let right = Vec3A::Y.cross(eye).normalize_or(Vec3A::X);
    Mat3A::from_cols(right, eye.cross(right), eye)
}

/// The bounds of the visible points.
pub(super) struct Bounds {
    least: Vec3A,
    most: Vec3A,
}

impl Bounds {
    pub(super) const NONE: Self = Self { least: Vec3A::INFINITY, most: Vec3A::NEG_INFINITY };

    pub(super) fn take(&mut self, point: Vec3A) {
        if point.is_finite() {
            self.least = self.least.min(point);
            self.most = self.most.max(point);
        }
    }

    /// Returns the frame for a picture. Returns `None` if there are no points.
    pub(super) fn frame(&self, width: usize) -> Option<Frame> {
        let has_points = self.least.x <= self.most.x;
        if !has_points {
            return None;
        }
        let width = width as f32;
        let size = self.most - self.least;
        let scale = width * 0.92 / size.x.max(size.y).max(f32::MIN_POSITIVE);
        Some(Frame {
            middle: (self.least + size / 2.0).with_z(0.0),
            scale: vec3a(scale, -scale, scale),
            center: vec3a(width / 2.0, width / 2.0, 0.0),
        })
    }
}

/// The mapping from points to the picture.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    middle: Vec3A,
    scale: Vec3A,
    center: Vec3A,
}

impl Frame {
    pub(super) fn place(&self, point: Vec3A) -> Vec3A {
        (point - self.middle) * self.scale + self.center
    }
}
