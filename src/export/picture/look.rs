//! Colors of surfaces.

use glam::{Vec2, Vec3, Vec4};

use super::raster::Color;
use crate::base::text::Name;
use crate::export::{Pixels, base_name};
use crate::geometry::{Alpha, Material};

/// The color of a surface whose image is missing.
const UNKNOWN: Vec4 = Vec4::new(0.72, 0.72, 0.7, 1.0);
/// The opacity of a surface whose image is missing, but mostly transparent by its name.
const HARDLY: f32 = 0.2;
/// A color with more opacity hides what is behind it.
const SOLID: f32 = 0.98;
/// An image with a lower mean brightness, up to 255, is dark by itself.
const DARK: u64 = 64;

/// Returns the color of a texture at some coordinates.
pub(super) fn texel(pixels: &Pixels, uv: Vec2, clamped: [bool; 2]) -> Vec4 {
    let [width, height] = pixels.size;
    let [clamp_u, clamp_v] = clamped;
    let row = texel_along(uv.y, height, clamp_v).saturating_mul(width as usize);
    let at = row.saturating_add(texel_along(uv.x, width, clamp_u));
    let texel = pixels.rgba.as_chunks().0.get(at).unwrap_or(&[255; 4]);
    Vec4::from(texel.map(f32::from)) / 255.0
}

/// Returns the index of the texel at a coordinate along one axis.
#[allow(clippy::cast_possible_truncation, reason = "the cast saturates")]
#[inline]
fn texel_along(at: f32, size: u32, is_clamped: bool) -> usize {
    let at = if is_clamped { at.clamp(0.0, 1.0) } else { at - at.floor() };
    ((at * size as f32) as u32).min(size.saturating_sub(1)) as usize
}

/// An image on a surface.
pub(super) struct Skin {
    pub(super) pixels: Pixels,
    /// True if some pixels are neither opaque nor invisible.
    is_translucent: bool,
    /// True if a picture of it is dark in any light.
    pub(super) is_dark: bool,
}

impl Skin {
    pub(super) fn new(pixels: Pixels) -> Self {
        let mut seen = 0_u64;
        let mut sum = 0_u64;
        let mut is_translucent = false;
        for [red, green, blue, alpha] in pixels.rgba.as_chunks().0 {
            is_translucent |= (1..255).contains(alpha);
            if *alpha > 0 {
                seen = seen.saturating_add(3);
                for part in [red, green, blue] {
                    sum = sum.saturating_add(u64::from(*part));
                }
            }
        }
        Self { pixels, is_translucent, is_dark: sum < seen.saturating_mul(DARK) }
    }
}

/// How opaque a surface is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Opacity {
    /// Everywhere.
    #[default]
    Full,
    /// Where its color has this opacity or more. It is invisible elsewhere.
    From(f32),
    /// As its color is: it is mixed with what is behind it.
    Blended,
    /// Its color is added to what is behind it.
    Added,
    /// What is behind it is multiplied by its color.
    Multiplied,
}

/// How a surface is drawn.
#[derive(Clone, Copy, Default)]
pub(super) struct Look {
    pub(super) color: Vec4,
    pub(super) clamped: [bool; 2],
    opacity: Opacity,
    has_skin: bool,
    /// True if what is behind it is visible in some places.
    is_see_through: bool,
    unlit: bool,
}

impl Look {
    pub(super) fn of(material: Option<&Material<'_>>, skin: Option<&Skin>, has_uvs: bool, has_colors: bool) -> Self {
        let Some(material) = material else {
            return Self { color: UNKNOWN, ..Self::default() };
        };
        let mut look = Self { has_skin: skin.is_some() && has_uvs, ..Self::default() };
        let base = material.base();
        if let Some(texture) = base {
            look.clamped = texture.clamped;
        }
        // An untextured surface without light would be one flat color.
        look.unlit = material.unlit && look.has_skin;
        look.color = look.shown(material.color.into());
        if material.alpha == Alpha::Image {
            look.color.w = 1.0;
        }
        look.opacity = match material.alpha {
            Alpha::Opaque => Opacity::Full,
            Alpha::Mask(from) => Opacity::From(from.min(0.9)),
            Alpha::Image if !look.has_skin => Opacity::Full,
            Alpha::Image | Alpha::Blend => Opacity::Blended,
            Alpha::Add => Opacity::Added,
            Alpha::Multiply => Opacity::Multiplied,
        };
        if let Some(texture) = base
            && skin.is_none()
            && (material.alpha == Alpha::Add || hides_little(&Name::from(texture.name).text))
        {
            // A plate of gray would hide what the game shows.
            look.opacity = Opacity::Blended;
            look.color = UNKNOWN.with_w(HARDLY);
        }
        let is_translucent = skin.is_some_and(|skin| look.has_skin && skin.is_translucent);
        look.is_see_through = match look.opacity {
            Opacity::Full | Opacity::From(_) => false,
            Opacity::Blended => look.color.w < SOLID || is_translucent || has_colors,
            Opacity::Added | Opacity::Multiplied => true,
        };
        look
    }

    /// Returns the color to show for a color of the file. The content of a missing image is unknown, and an unlit white
    /// surface would show little of the shape.
    pub(super) fn shown(&self, color: Vec4) -> Vec4 {
        if !self.has_skin && color.truncate().min_element() > 0.9 { UNKNOWN.with_w(color.w) } else { color }
    }

    pub(super) fn has_skin(&self) -> bool {
        self.has_skin
    }

    /// Returns true if [`blend`](Self::blend) draws some of it.
    pub(super) fn is_see_through(&self) -> bool {
        self.is_see_through
    }

    pub(super) fn is_unlit(&self) -> bool {
        self.unlit
    }

    /// Returns the color where it hides what is behind it.
    pub(super) fn solid(&self, color: Vec4) -> Option<Color> {
        let is_solid = match self.opacity {
            Opacity::Full => true,
            Opacity::From(from) => color.w >= from,
            Opacity::Blended => color.w >= SOLID,
            Opacity::Added | Opacity::Multiplied => false,
        };
        if is_solid { Some(to_color(color.with_w(1.0))) } else { None }
    }

    /// Draws over the colors behind it, where it does not hide them. They are multiplied by their opacity.
    pub(super) fn blend(&self, color: Vec4, behind: &mut Color) {
        let under = Vec4::from(behind.map(f32::from)) / 255.0;
        let opacity = color.w.clamp(0.0, 1.0);
        let rgb = color.truncate().clamp(Vec3::ZERO, Vec3::ONE);
        let mixed = match self.opacity {
            Opacity::Full | Opacity::From(_) => return,
            Opacity::Blended if opacity >= SOLID => return,
            _ if opacity == 0.0 => return,
            Opacity::Blended => under + (rgb.extend(1.0) - under) * opacity,
            Opacity::Added => {
                let added = rgb * opacity;
                // Light is visible on a transparent ground, too.
                (under.truncate() + added).extend(under.w.max(added.max_element()))
            }
            Opacity::Multiplied => {
                let all = under.truncate() * rgb;
                (under.truncate() + (all - under.truncate()) * opacity).extend(under.w.max(1.0 / 255.0))
            }
        };
        *behind = to_color(mixed + 0.5 / 255.0);
    }
}

/// Returns true if an image with this name is mostly transparent: one of Arma with alpha, or a flare. A surface that
/// lacks it is drawn nearly transparent.
pub fn hides_little(name: &str) -> bool {
    let file = base_name(name).to_ascii_lowercase();
    let stem = match file.rsplit_once('.') {
        Some((stem, _)) => stem,
        None => &file,
    };
    stem.ends_with("_ca") || stem.contains("flare")
}

#[allow(clippy::cast_possible_truncation, reason = "the cast saturates at 0 and 255")]
fn to_color(color: Vec4) -> Color {
    (color * 255.0).to_array().map(|part| part as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Texture;

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

    fn skin(color: [u8; 4]) -> Skin {
        Skin::new(Pixels { size: [1, 1], rgba: color.to_vec() })
    }

    fn textured(name: &'static str, alpha: Alpha) -> Material<'static> {
        let mut material = Material { alpha, ..Material::new("a") };
        material.add(Texture::new(name));
        material
    }

    #[test]
    fn each_alpha_decides_from_which_opacity_on_a_color_hides_what_is_behind_it() {
        const NEVER: f32 = 2.0;
        let white = skin([255; 4]);
        for (alpha, with_skin, without) in [
            (Alpha::Opaque, 0.0, 0.0),
            (Alpha::Mask(0.25), 0.25, 0.25),
            (Alpha::Mask(0.5), 0.5, 0.5),
            (Alpha::Mask(1.0), 0.9, 0.9),
            (Alpha::Blend, SOLID, SOLID),
            (Alpha::Add, NEVER, NEVER),
            (Alpha::Multiply, NEVER, NEVER),
            (Alpha::Image, SOLID, 0.0),
        ] {
            for (skin, least) in [(Some(&white), with_skin), (None, without)] {
                let material = Material { alpha, ..Material::new("a") };
                let look = Look::of(Some(&material), skin, true, false);
                for opacity in [0.0, 0.05, 0.1, 0.2, 0.25, 0.4, 0.5, 0.8, 0.9, 1.0] {
                    let is_solid = look.solid(Vec4::new(1.0, 0.5, 0.0, opacity)).is_some();
                    assert_eq!(is_solid, opacity >= least, "{alpha:?} at {opacity}, with image: {}", skin.is_some());
                }
            }
        }
        assert_eq!(Look::default().solid(Vec4::new(1.0, 0.5, -1.0, 0.0)), Some([255, 127, 0, 255]));
    }

    #[test]
    fn colors_are_mixed_added_and_multiplied_with_those_behind() {
        let half = skin([200, 100, 0, 128]);
        let color = Vec4::new(200.0, 100.0, 0.0, 127.5) / 255.0;
        for (alpha, expected) in [
            (Alpha::Opaque, [100, 100, 100, 255]),
            (Alpha::Mask(0.5), [100, 100, 100, 255]),
            (Alpha::Blend, [150, 100, 50, 255]),
            (Alpha::Image, [150, 100, 50, 255]),
            (Alpha::Add, [200, 150, 100, 255]),
            (Alpha::Multiply, [89, 70, 50, 255]),
        ] {
            let look = Look::of(Some(&textured("a.paa", alpha)), Some(&half), true, false);
            let mut behind = [100, 100, 100, 255];
            look.blend(color, &mut behind);
            assert_eq!(behind, expected, "{alpha:?}");
            assert_eq!(look.is_see_through(), expected != [100, 100, 100, 255], "{alpha:?}");
        }
        // On a transparent ground, colors stay multiplied by their opacity.
        let look = Look::of(Some(&textured("a.paa", Alpha::Blend)), Some(&half), true, false);
        let mut behind = [0; 4];
        look.blend(color, &mut behind);
        assert_eq!(behind, [100, 50, 0, 128]);
    }

    #[test]
    fn a_missing_image_is_gray_unless_its_name_says_that_it_hides_little() {
        for (name, alpha, is_gray) in [
            (r"my\data\wall_co.paa", Alpha::Image, true),
            (r"my\data\glass_ca.paa", Alpha::Image, false),
            (r"my\data\GLASS_CA.PAA", Alpha::Mask(0.5), false),
            (r"my\data\flare1_co.paa", Alpha::Image, false),
            (r"my_ca\data\wall.paa", Alpha::Image, true),
            ("glow.png", Alpha::Add, false),
            ("glow.png", Alpha::Opaque, true),
        ] {
            let material = textured(name, alpha);
            let look = Look::of(Some(&material), None, false, false);
            assert_eq!(look.solid(look.color).is_some(), is_gray, "{name}");
            let mut behind = [0, 0, 0, 255];
            look.blend(look.color, &mut behind);
            assert_eq!(behind[0], if is_gray { 0 } else { 37 }, "{name}");
            // With its image, it looks as that says.
            let found = Look::of(Some(&material), Some(&skin([9, 9, 9, 255])), true, false);
            assert_eq!(found.solid(Vec4::ONE).is_some(), alpha != Alpha::Add, "{name}");
        }
    }

    #[test]
    fn a_skin_is_dark_by_the_mean_of_its_visible_pixels() {
        let all = |rgba: [[u8; 4]; 2]| Skin::new(Pixels { size: [2, 1], rgba: rgba.as_flattened().to_vec() });
        for (rgba, is_dark, is_translucent) in [
            ([[29, 29, 29, 255]; 2], true, false),
            ([[63, 63, 63, 255], [65, 65, 64, 255]], true, false),
            ([[63, 63, 63, 255], [65, 65, 65, 255]], false, false),
            ([[9, 9, 9, 255], [255, 255, 255, 0]], true, false),
            ([[0, 0, 0, 0], [255, 255, 255, 1]], false, true),
            ([[0, 0, 0, 254], [255, 255, 255, 255]], false, true),
        ] {
            let skin = all(rgba);
            assert_eq!((skin.is_dark, skin.is_translucent), (is_dark, is_translucent), "{rgba:?}");
        }
    }

    #[test]
    fn only_an_unlit_surface_with_an_image_is_drawn_without_light() {
        let white = skin([255; 4]);
        for number in 0..8 {
            let [unlit, has_skin, has_uvs] = [1, 2, 4].map(|bit| number / bit % 2 == 1);
            let material = Material { unlit, ..Material::new("a") };
            let look = Look::of(Some(&material), has_skin.then_some(&white), has_uvs, false);
            assert_eq!(look.is_unlit(), unlit && has_skin && has_uvs, "{number}");
        }
    }
}
