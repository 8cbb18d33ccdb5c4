//! Materials, and the images on them.

use std::borrow::Cow;

use serde_json::{Map, Value as Json, json};

use super::glb::{Use, set};
use super::scene::Scene;
use crate::base::error::Result;
use crate::export::cost::CORNER_WORK;
use crate::export::image::{MOST_SIDE, Pixels, base_name, media_type, to_png};
use crate::export::numbers::{finite, is_finite};
use crate::geometry::{Alpha, Material, Texture, UvTransform, linear};

/// Returns true if the transform can be written as `KHR_texture_transform`, which scales before it rotates.
pub(super) fn is_expressible(transform: &UvTransform) -> bool {
    let UvTransform { offset, scale: [u, v], rotation } = *transform;
    (rotation == 0.0 || u == v) && is_finite(&[offset[0], offset[1], u, v, rotation])
}

/// How to show an image: blended if a pixel is half opaque, masked if all are opaque or invisible.
fn alpha_of(pixels: &Pixels) -> Alpha {
    let mut has_invisible = false;
    for [.., alpha] in pixels.rgba.as_chunks::<4>().0 {
        match alpha {
            0 => has_invisible = true,
            255 => {}
            _ => return Alpha::Blend,
        }
    }
    if has_invisible { Alpha::Mask(0.5) } else { Alpha::Opaque }
}

/// Returns the number that glTF gives to the way an image continues at its edge.
fn wrap(is_clamped: bool) -> u32 {
    if is_clamped { 33071 } else { 10497 }
}

/// Returns a part of a color between 0 and 1.
fn unit(part: f32) -> f32 {
    if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 }
}

/// The color and roughness of a material, without its image.
fn surface(material: &Material<'_>) -> Json {
    let opacity = if material.alpha == Alpha::Image { 1.0 } else { material.color[3] };
    // Vertex colors replace the material's own.
    let [red, green, blue, _] = if material.vertex_colors { [1.0; 4] } else { material.color };
    json!({
        "baseColorFactor": linear([red, green, blue, opacity].map(unit)),
        "metallicFactor": 0.0,
        "roughnessFactor": unit(1.0 - material.shininess),
    })
}

impl Scene<'_> {
    /// Returns the index of a material. Writes it and its images on first use.
    pub(super) fn material(&mut self, material: &Material<'_>, uv_sets: usize) -> Result<usize> {
        self.room.charge_work(CORNER_WORK.saturating_mul(material.textures.len() as u64))?;
        let mut surface = surface(material);
        if let Some(texture) = material.base()
            && let Some(reference) = self.reference(texture, uv_sets)?
        {
            set(&mut surface, "baseColorTexture", reference);
        }
        let extras = self.material_extras(material, uv_sets)?;
        let mut json = json!({ "pbrMetallicRoughness": surface });
        let name = self.name(material.name);
        if !name.is_empty() {
            set(&mut json, "name", name);
        }
        let [red, green, blue] = finite(material.emissive, [0.0; 3]).map(unit);
        let [red, green, blue, _] = linear([red, green, blue, 1.0]);
        if [red, green, blue] != [0.0; 3] {
            set(&mut json, "emissiveFactor", json!([red, green, blue]));
        }
        match self.shown_alpha(material)? {
            Alpha::Mask(from) => {
                set(&mut json, "alphaMode", "MASK");
                set(&mut json, "alphaCutoff", json!(from));
            }
            Alpha::Blend | Alpha::Add | Alpha::Multiply => set(&mut json, "alphaMode", "BLEND"),
            // Without a mode, glTF is opaque.
            Alpha::Opaque | Alpha::Image => {}
        }
        if material.two_sided {
            set(&mut json, "doubleSided", true);
        }
        if material.unlit {
            set(&mut json, "extensions", json!({ "KHR_materials_unlit": {} }));
            self.glb.uses("KHR_materials_unlit");
        }
        if !extras.is_empty() {
            set(&mut json, "extras", extras);
        }
        self.once(&json)
    }

    /// Returns what glTF has no property for: other textures, ways of blending, highlights, and the names of images.
    fn material_extras(&mut self, material: &Material<'_>, uv_sets: usize) -> Result<Map<String, Json>> {
        let mut extras = Map::new();
        for (key, texture) in [("lightmap", material.lightmap()), ("environment", material.environment())] {
            if let Some(texture) = texture
                && let Some(reference) = self.reference(texture, uv_sets)?
            {
                extras.insert(key.to_owned(), reference);
            }
        }
        let blend = match material.alpha {
            Alpha::Add => Some("add"),
            Alpha::Multiply => Some("multiply"),
            Alpha::Opaque | Alpha::Mask(_) | Alpha::Blend | Alpha::Image => None,
        };
        if let Some(blend) = blend {
            extras.insert("blend".to_owned(), blend.into());
        }
        if material.specular != [0.0; 3] && is_finite(&material.specular) {
            extras.insert("specular".to_owned(), json!(material.specular));
        }
        let names: Vec<String> = material.textures.iter().map(|texture| self.name(texture.name)).collect();
        if !names.is_empty() {
            extras.insert("textures".to_owned(), names.into());
        }
        Ok(extras)
    }

    /// Returns how to show a material, whose image may decide it.
    fn shown_alpha(&mut self, material: &Material<'_>) -> Result<Alpha> {
        if material.alpha != Alpha::Image {
            return Ok(material.alpha);
        }
        let Some(base) = material.base() else { return Ok(Alpha::Image) };
        let Some(image) = self.image(base)? else { return Ok(Alpha::Opaque) };
        Ok(self.see_through.get(&image).copied().unwrap_or(Alpha::Opaque))
    }

    /// Returns the material of a surface that has none. That of glTF would be a mirror of metal.
    pub(super) fn plain_material(&mut self) -> Result<usize> {
        self.once(&json!({ "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 1.0 } }))
    }

    /// Returns the index of a material. Writes it on first use.
    fn once(&mut self, material: &Json) -> Result<usize> {
        let key = material.to_string();
        self.room.charge_work(key.len() as u64)?;
        if let Some(index) = self.materials.get(&key) {
            return Ok(*index);
        }
        let index = self.glb.push("materials", &key)?;
        self.room.hold(CORNER_WORK.saturating_add(key.len() as u64))?;
        self.materials.insert(key, index);
        Ok(index)
    }

    /// Returns a reference to a texture, if its coordinates and its image are available.
    fn reference(&mut self, texture: &Texture<'_>, uv_sets: usize) -> Result<Option<Json>> {
        if texture.uv_set >= uv_sets {
            return Ok(None);
        }
        let Some(index) = self.texture(texture)? else { return Ok(None) };
        let mut json = json!({ "index": index, "texCoord": texture.uv_set });
        let UvTransform { offset, scale, rotation } = texture.transform;
        if texture.transform != UvTransform::IDENTITY && is_expressible(&texture.transform) {
            let transform = json!({ "offset": offset, "rotation": rotation, "scale": scale });
            set(&mut json, "extensions", json!({ "KHR_texture_transform": transform }));
            self.glb.uses("KHR_texture_transform");
        }
        Ok(Some(json))
    }

    fn texture(&mut self, texture: &Texture<'_>) -> Result<Option<usize>> {
        let Some(image) = self.image(texture)? else { return Ok(None) };
        let key = (image, texture.clamped);
        if let Some(known) = self.textures.get(&key) {
            return Ok(Some(*known));
        }
        let [u, v] = texture.clamped.map(wrap);
        let sampler = self.glb.push("samplers", json!({ "wrapS": u, "wrapT": v }))?;
        let index = self.glb.push("textures", json!({ "source": image, "sampler": sampler }))?;
        self.room.hold(CORNER_WORK)?;
        self.textures.insert(key, index);
        Ok(Some(index))
    }

    /// Returns the image of a texture, if it is available: PNG and JPEG files as they are, others as PNG.
    fn image(&mut self, texture: &Texture<'_>) -> Result<Option<usize>> {
        let name = self.name(texture.name);
        let key = (name.clone(), texture.is_black_clear);
        if let Some(known) = self.pictures.get(&key) {
            return Ok(*known);
        }
        let room = self.room;
        let file = if texture.is_black_clear { None } else { self.images.file(texture, room) };
        let found = if let Some(file) = file
            && let Some(media_type) = media_type(file)
        {
            Some(ImageFile { bytes: Cow::Borrowed(file), media_type, alpha: Alpha::Opaque })
        } else if let Some(pixels) = self.images.pixels(texture, MOST_SIDE, room) {
            Some(ImageFile::of_pixels(pixels, texture.is_black_clear)?)
        } else {
            None
        };
        let mut written = None;
        if let Some(ImageFile { bytes, media_type, alpha }) = found {
            let length = bytes.len() as u64;
            if room.can_afford(0, length, length) {
                let bytes = bytes.into_owned();
                written = Some(self.write_image(&name, bytes, media_type, alpha)?);
            } else {
                self.images.left_out(&name);
            }
        }
        self.room.hold(CORNER_WORK.saturating_add(name.len() as u64))?;
        self.pictures.insert(key, written);
        Ok(written)
    }

    fn write_image(&mut self, name: &str, bytes: Vec<u8>, media_type: &str, alpha: Alpha) -> Result<usize> {
        let view = self.glb.view(bytes, Use::Other)?;
        let image = json!({ "bufferView": view, "mimeType": media_type, "name": base_name(name) });
        let index = self.glb.push("images", image)?;
        if alpha != Alpha::Opaque {
            self.room.hold(CORNER_WORK)?;
            self.see_through.insert(index, alpha);
        }
        Ok(index)
    }
}

/// An image in a form that glTF accepts.
struct ImageFile<'i> {
    bytes: Cow<'i, [u8]>,
    media_type: &'static str,
    /// How to show it.
    alpha: Alpha,
}

impl ImageFile<'_> {
    fn of_pixels(mut pixels: Pixels, is_black_clear: bool) -> Result<Self> {
        if is_black_clear {
            pixels.clear_black();
        }
        let alpha = alpha_of(&pixels);
        Ok(Self { bytes: Cow::Owned(to_png(&pixels)?), media_type: "image/png", alpha })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any pixel that is neither opaque nor invisible blends all of them.
    #[test]
    fn each_mix_of_opacities_has_its_mode() {
        const SOME: [u8; 5] = [0, 1, 128, 254, 255];
        for number in 0..125 {
            let alphas = [1, 5, 25].map(|place| SOME[number / place % 5]);
            let rgba = alphas.iter().flat_map(|alpha| [9, 9, 9, *alpha]).collect();
            let expected = match () {
                () if alphas.iter().any(|alpha| (1..255).contains(alpha)) => Alpha::Blend,
                () if alphas.contains(&0) => Alpha::Mask(0.5),
                () => Alpha::Opaque,
            };
            assert_eq!(alpha_of(&Pixels { size: [3, 1], rgba }), expected, "{alphas:?}");
        }
        assert_eq!(alpha_of(&Pixels { size: [0, 0], rgba: Vec::new() }), Alpha::Opaque);
    }

    #[test]
    fn each_number_of_a_transform_must_be_finite_and_only_even_scales_turn() {
        let sound = UvTransform { offset: [1.0, 2.0], scale: [3.0, 3.0], rotation: 0.5 };
        assert!(is_expressible(&sound) && is_expressible(&UvTransform::IDENTITY));
        assert!(!is_expressible(&UvTransform { scale: [3.0, 2.0], ..sound }));
        assert!(is_expressible(&UvTransform { scale: [3.0, 2.0], rotation: 0.0, ..sound }));
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for place in 0..5 {
                let mut numbers = [1.0, 2.0, 3.0, 3.0, 0.0];
                numbers[place] = wrong;
                let [x, y, u, v, rotation] = numbers;
                let transform = UvTransform { offset: [x, y], scale: [u, v], rotation };
                assert!(!is_expressible(&transform), "{transform:?}");
            }
        }
    }
}
