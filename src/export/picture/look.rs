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

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of a coordinate among this many pixels in a row: repeated again and again, or only once.
    fn slowly(mut at: f32, size: u32, clamped: bool) -> u32 {
        if clamped && at <= 0.0 {
            return 0;
        }
        if clamped && at >= 1.0 {
            return size - 1;
        }
        while at < 0.0 {
            at += 1.0;
        }
        while at >= 1.0 {
            at -= 1.0;
        }
        (0..size).rev().find(|&place| place as f32 <= at * size as f32).unwrap_or(0)
    }

    #[test]
    fn edges_of_images_repeat_or_end_along_each_axis() {
        let size = [4, 2];
        let rgba: Vec<u8> = (0..8).flat_map(|place| [place, 0, 0, 255]).collect();
        let pixels = Pixels { size, rgba };
        for clamped in [[false, false], [false, true], [true, false], [true, true]] {
            for (u, v) in (-20..=20).flat_map(|u| (-20..=20).map(move |v| (u, v))) {
                let uv = Vec2::new(u as f32 / 8.0, v as f32 / 8.0);
                let [x, y] = [(uv.x, 0), (uv.y, 1)].map(|(at, axis)| slowly(at, size[axis], clamped[axis]));
                let found = texel(&pixels, uv, clamped).x * 255.0;
                assert_eq!(found.round(), (4 * y + x) as f32, "{uv} with {clamped:?}");
            }
        }
        assert_eq!(texel(&Pixels { size: [0, 0], rgba: Vec::new() }, Vec2::ZERO, [false; 2]), Vec4::ONE);
    }

    #[test]
    fn each_alpha_decides_from_which_opacity_on_a_color_is_seen() {
        let skin = Pixels { size: [1, 1], rgba: vec![255; 4] };
        for (alpha, with_skin, without) in [
            (Alpha::Opaque, 0.0, 0.0),
            (Alpha::Mask(0.25), 0.25, 0.25),
            (Alpha::Mask(0.5), 0.5, 0.5),
            (Alpha::Mask(1.0), 0.9, 0.9),
            (Alpha::Blend, 0.1, 0.1),
            (Alpha::Add, 0.1, 0.1),
            (Alpha::Multiply, 0.1, 0.1),
            (Alpha::Image, 0.1, 0.0),
        ] {
            for (skin, least) in [(Some(&skin), with_skin), (None, without)] {
                let material = Material { alpha, ..Material::new("a") };
                let look = Look::of(Some(&material), skin, true);
                for opacity in [0.0, 0.05, 0.1, 0.2, 0.25, 0.4, 0.5, 0.8, 0.9, 1.0] {
                    let is_seen = look.seen(Vec4::new(1.0, 0.5, 0.0, opacity)).is_some();
                    assert_eq!(is_seen, opacity >= least, "{alpha:?} at {opacity}, with image: {}", skin.is_some());
                }
            }
        }
        assert_eq!(Look::default().seen(Vec4::new(1.0, 0.5, -1.0, 0.0)), Some([255, 127, 0, 255]));
    }

    #[test]
    fn each_side_is_lit_as_its_material_says() {
        let skin = Pixels { size: [1, 1], rgba: vec![255; 4] };
        for number in 0..16 {
            let [two_sided, unlit, has_skin, has_uvs] = [1, 2, 4, 8].map(|bit| number / bit % 2 == 1);
            let material = Material { two_sided, unlit, ..Material::new("a") };
            let look = Look::of(Some(&material), has_skin.then_some(&skin), has_uvs);
            for (towards, is_front) in [(1.0, true), (-1.0, true), (1.0, false), (-1.0, false)] {
                let is_bright = unlit && has_skin && has_uvs;
                let is_towards = (towards > 0.0) == is_front;
                let light: f32 = if is_bright || is_towards { 1.0 } else { 0.32 };
                let expected = if is_front || two_sided { light } else { light * 0.45 };
                let found = look.lit(towards, is_front);
                assert!((found - expected).abs() < 1e-6, "{number} towards {towards}, front: {is_front}: {found}");
            }
        }
    }
}
