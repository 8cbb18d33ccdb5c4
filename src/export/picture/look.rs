//! Colors of surfaces.

use glam::{Vec2, Vec4};

use super::raster::Color;
use crate::export::Pixels;
use crate::geometry::{Alpha, Material};

/// The color of a surface whose image is missing.
const UNKNOWN: Vec4 = Vec4::new(0.72, 0.72, 0.7, 1.0);

/// Returns the color of a texture at some coordinates.
pub(super) fn texel(pixels: &Pixels, uv: Vec2, clamped: [bool; 2]) -> Vec4 {
    #[allow(clippy::cast_possible_truncation, reason = "the cast saturates")]
    let along = |at: f32, size: u32, clamped: bool| {
        let at = if clamped { at.clamp(0.0, 1.0) } else { at - at.floor() };
        ((at * size as f32) as u32).min(size.saturating_sub(1)) as usize
    };
    let ([width, height], [clamp_u, clamp_v]) = (pixels.size, clamped);
    let row = along(uv.y, height, clamp_v).saturating_mul(width as usize);
    let at = row.saturating_add(along(uv.x, width, clamp_u));
    let texel = pixels.rgba.as_chunks().0.get(at).unwrap_or(&[255; 4]);
    Vec4::from(texel.map(f32::from)) / 255.0
}

/// How a surface is drawn.
#[derive(Default)]
pub(super) struct Look<'s> {
    pub(super) color: Vec4,
    pub(super) skin: Option<&'s Pixels>,
    pub(super) clamped: [bool; 2],
    /// Colors with less opacity are invisible.
    seen_from: f32,
    two_sided: bool,
    unlit: bool,
}

impl<'s> Look<'s> {
    pub(super) fn of(material: Option<&Material<'_>>, skin: Option<&'s Pixels>, has_uvs: bool) -> Self {
        let Some(material) = material else {
            return Self { color: UNKNOWN, ..Self::default() };
        };
        let skin = skin.filter(|_| has_uvs);
        let seen_from = match material.alpha {
            Alpha::Opaque => 0.0,
            Alpha::Image if skin.is_none() => 0.0,
            Alpha::Mask(from) => from.min(0.9),
            _ => 0.1,
        };
        let clamped = material.base().map_or([false; 2], |texture| texture.clamped);
        // An untextured surface without light would be one flat color.
        let unlit = material.unlit && skin.is_some();
        let look = Self { skin, clamped, seen_from, two_sided: material.two_sided, unlit, ..Self::default() };
        let color = look.shown(material.color.into());
        Self { color: if material.alpha == Alpha::Image { color.with_w(1.0) } else { color }, ..look }
    }

    /// Returns the color to show for a color of the file. The content of a missing image is unknown, and an unlit white
    /// surface would show little of the shape.
    pub(super) fn shown(&self, color: Vec4) -> Vec4 {
        if self.skin.is_none() && color.truncate().min_element() > 0.9 { UNKNOWN.with_w(color.w) } else { color }
    }

    /// Returns the brightness of a surface at this angle to the light. Back faces, which are not meant to be seen, are
    /// darker.
    pub(super) fn lit(&self, towards: f32, is_front: bool) -> f32 {
        let towards = if is_front { towards } else { -towards };
        let lit = if self.unlit { 1.0 } else { 0.32 + 0.68 * towards.max(0.0) };
        if is_front || self.two_sided { lit } else { lit * 0.45 }
    }

    /// Returns the visible color, or nothing if it is not opaque enough.
    pub(super) fn seen(&self, color: Vec4) -> Option<Color> {
        #[allow(clippy::cast_possible_truncation, reason = "the cast saturates at 0 and 255")]
        let [red, green, blue] = (color.truncate() * 255.0).to_array().map(|part| part as u8);
        (color.w >= self.seen_from).then_some([red, green, blue, 255])
    }
}
