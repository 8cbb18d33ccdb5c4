//! Materials, and the images on them.

use meshpeek::Result;
use meshpeek::geometry::{Alpha, Material, Texture};
use serde_json::{Map, json};

use super::glb::Use;
use super::{CORNER_WORK, Scene, finite, is_finite};
use crate::export::images::media_type;
use crate::export::picture;

impl Scene<'_, '_> {
    pub(super) fn material(&mut self, material: &Material<'_>, uv_sets: usize) -> Result<usize> {
        let part = |part: f32| if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 };
        let mut surface = json!({
            "baseColorFactor": material.color.map(part),
            "metallicFactor": 0.0,
            "roughnessFactor": part(1.0 - material.shininess),
        });
        self.room.work(CORNER_WORK * material.textures.len() as u64)?;
        let names: Vec<String> = material.textures.iter().map(|texture| self.name(texture.name)).collect();
        let main = material.textures.first().filter(|texture| texture.uv_set < uv_sets);
        if let Some(texture) = main
            && let Some(index) = self.texture(texture)?
        {
            surface["baseColorTexture"] = json!({ "index": index, "texCoord": texture.uv_set });
        }
        let mut json = json!({ "pbrMetallicRoughness": surface });
        let name = self.name(material.name);
        if !name.is_empty() {
            json["name"] = name.into();
        }
        let emissive = finite(material.emissive, [0.0; 3]).map(part);
        if emissive != [0.0; 3] {
            json["emissiveFactor"] = json!(emissive);
        }
        match material.alpha {
            Alpha::Mask(from) => {
                json["alphaMode"] = "MASK".into();
                json["alphaCutoff"] = json!(from);
            }
            Alpha::Blend | Alpha::Add | Alpha::Multiply => json["alphaMode"] = "BLEND".into(),
            _ => {}
        }
        if material.two_sided {
            json["doubleSided"] = true.into();
        }
        if material.unlit {
            json["extensions"] = json!({ "KHR_materials_unlit": {} });
            self.glb.uses("KHR_materials_unlit");
        }
        let mut extras = Map::new();
        match material.alpha {
            Alpha::Add => extras.insert("blend".to_owned(), "add".into()),
            Alpha::Multiply => extras.insert("blend".to_owned(), "multiply".into()),
            _ => None,
        };
        if material.specular != [0.0; 3] && is_finite(&material.specular) {
            extras.insert("specular".to_owned(), json!(material.specular));
        }
        if !names.is_empty() {
            extras.insert("textures".to_owned(), names.into());
        }
        if !extras.is_empty() {
            json["extras"] = extras.into();
        }
        let key = json.to_string();
        self.room.work(key.len() as u64)?;
        Ok(match self.materials.get(&key) {
            Some(index) => *index,
            None => {
                let index = self.glb.push("materials", &key)?;
                self.room.keep(key.len() as u64 + CORNER_WORK)?;
                self.materials.insert(key, index);
                index
            }
        })
    }

    /// The texture of an image that is available in a form that glTF supports.
    fn texture(&mut self, texture: &Texture<'_>) -> Result<Option<usize>> {
        let name = self.name(texture.name);
        let key = (name.clone(), texture.clamped);
        if let Some(known) = self.textures.get(&key) {
            return Ok(*known);
        }
        let bytes = self.images.find(texture, self.room).and_then(|bytes| Some((bytes, media_type(bytes)?)));
        // An image that is valid only at its start would break the file.
        let sound = |bytes: &[u8]| picture::dimensions(bytes).is_some();
        let fits = |bytes: &[u8]| self.room.affords(0, bytes.len() as u64, bytes.len() as u64);
        let made = match bytes.filter(|(bytes, _)| sound(bytes)) {
            None => None,
            Some((bytes, _)) if !fits(bytes) => {
                self.images.leave_out(&name);
                None
            }
            Some((bytes, kind)) => {
                let view = self.glb.view(bytes.len(), bytes.iter().copied(), Use::Other)?;
                let image = json!({ "bufferView": view, "mimeType": kind, "name": &name });
                let image = self.glb.push("images", image)?;
                let wrap = |clamped: bool| if clamped { 33071 } else { 10497 };
                let [u, v] = texture.clamped.map(wrap);
                let sampler = self.glb.push("samplers", json!({ "wrapS": u, "wrapT": v }))?;
                Some(self.glb.push("textures", json!({ "source": image, "sampler": sampler }))?)
            }
        };
        self.room.keep(name.len() as u64 + CORNER_WORK)?;
        self.textures.insert(key, made);
        Ok(made)
    }
}
