//! Models and pictures.

use std::collections::BTreeMap;

use js_sys::{Array as JsArray, Float32Array, Uint32Array};
use meshpeek::budget::Reservation;
use meshpeek::export::{self, Images, Lod, Pixels};
use meshpeek::geometry;
use meshpeek::inspect::Inspect as _;
use meshpeek::paa::Texture;
use meshpeek::resolution::Resolution;
use meshpeek::summary::Name;
use meshpeek::{Asset, Error};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::node::Node;
use crate::{Result, Session, budget};

#[derive(Deserialize)]
#[serde(default)]
pub(crate) struct Options {
    /// A level of detail; the finest if absent.
    lod: Option<usize>,
    /// The node of a plain RTM animation, for an MLOD model.
    pub(crate) motion: Option<u32>,
    /// True to include images.
    images: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { lod: None, motion: None, images: true }
    }
}

pub(crate) fn about(asset: &Asset<'_>) -> Result<Value> {
    let mut lods = BTreeMap::new();
    let (mut primitives, mut unreadable) = (0_u64, 0_u64);
    for primitive in asset.primitives() {
        let Ok(primitive) = primitive else {
            unreadable += 1;
            continue;
        };
        primitives += 1;
        if let Some((index, resolution)) = primitive.place.lod {
            lods.entry(index).or_insert(resolution);
        }
    }
    let lods =
        lods.into_iter().map(|(index, resolution)| json!({ "index": index, "title": Resolution(resolution).title() }));
    let lods: Vec<Value> = lods.collect();
    let rigs = asset.rigs().into_iter().flatten().map(|rig| {
        let clips = rig.clips().flatten().map(|clip| json!({ "name": clip.name.to_string(), "seconds": clip.seconds }));
        let clips: Vec<Value> = clips.take(10_000).collect();
        let bones = rig.bones().iter().take(10_000).map(|bone| json!([bone.name.to_string(), bone.parent]));
        json!({ "bones": bones.collect::<Vec<_>>(), "clips": clips })
    });
    Ok(json!({
        "primitives": primitives, "unreadable": unreadable, "lods": lods, "rigs": rigs.collect::<Vec<_>>(),
        "refused": export::refused(asset.format()),
        "light": light(),
    }))
}

/// The light and the ground of the pictures that the program draws.
fn light() -> Value {
    let mut lights = Vec::new();
    for light in export::LIGHTS {
        lights.push(json!({ "direction": light.direction, "strength": light.strength }));
    }
    json!({ "lights": lights, "ambient": export::AMBIENT, "ground": export::GROUND })
}

pub(crate) fn glb(
    session: &Session,
    node: &Node,
    motion: Option<&Node>,
    options: &Options,
) -> Result<(Value, Vec<u8>)> {
    let lod = options.lod.map_or(Lod::Finest, Lod::Index);
    let write = |asset: &Asset<'_>, rig: Option<&meshpeek::pose::Rig<'_>>| {
        let mut how = export::Options::default();
        (how.lod, how.rig) = (lod, rig);
        let mut images = Open { session, node, last: Vec::new(), is_on: options.images };
        let model = export::glb(asset, &how, &mut images, &budget(asset.size()))?;
        let mut bytes = Vec::new();
        model.write_to(&mut bytes)?;
        let missing = json!({
            "empty": model.is_empty, "unreadable": model.unreadable, "left_out": model.left_out,
        });
        Ok((missing, bytes))
    };
    node.ask(|asset| match motion {
        None => write(asset, None),
        Some(motion) => motion.ask(|moved| match moved.rigs().pop() {
            Some(rig) => write(asset, Some(&rig?)),
            None => Err(Error::unsupported("this is no plain RTM animation")),
        }),
    })
}

/// The images among the open files.
struct Open<'s> {
    session: &'s Session,
    /// The model.
    node: &'s Node,
    last: Vec<u8>,
    is_on: bool,
}

impl Open<'_> {
    fn read(&self, texture: &geometry::Texture<'_>, room: &Reservation<'_>) -> Option<Vec<u8>> {
        if !self.is_on {
            return None;
        }
        let found = self.session.find_image(self.node, &Name::from(texture.name)).ok()?;
        let bytes = found?.bytes;
        room.work(bytes.len() as u64).ok()?;
        Some(bytes)
    }
}

impl Images for Open<'_> {
    fn file(&mut self, texture: &geometry::Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        let bytes = self.read(texture, room).filter(|bytes| media_type(bytes).is_some())?;
        self.last = bytes;
        Some(&self.last)
    }

    fn pixels(&mut self, texture: &geometry::Texture<'_>, most: u32, room: &Reservation<'_>) -> Option<Pixels> {
        let bytes = self.read(texture, room)?;
        let (size, rgba) = picture(&bytes, most).ok()??;
        room.hold(rgba.len() as u64).ok()?;
        Some(Pixels { size, rgba })
    }
}

/// The media type of an image that every browser shows.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', _, _, _, _, b'I', b'H', b'D', b'R', ..] => {
            Some("image/png")
        }
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => None,
    }
}

/// The largest mip of a texture with sides up to `most`, or the smallest.
fn picture(bytes: &[u8], most: u32) -> Result<Option<([u32; 2], Vec<u8>)>> {
    let Ok(texture) = Texture::parse(bytes) else { return Ok(None) };
    let mips: Vec<_> = texture.mips().map_while(|mip| mip.ok()).collect();
    let fitting = mips.iter().find(|mip| u32::from(mip.width().max(mip.height())) <= most);
    let Some(mip) = fitting.or(mips.last()) else { return Ok(None) };
    let picture = texture.to_picture(mip)?;
    Ok(Some(([picture.width.into(), picture.height.into()], picture.rgba)))
}

/// An image for the page: a file that browsers know, or pixels.
pub(crate) fn image(bytes: &[u8], most: u32) -> Result<Option<(Value, Vec<u8>)>> {
    if let Some(kind) = media_type(bytes) {
        return Ok(Some((json!({ "media": kind }), bytes.to_vec())));
    }
    Ok(picture(bytes, most)?.map(|(size, rgba)| (json!({ "size": size }), rgba)))
}

pub(crate) fn mips(asset: &Asset<'_>) -> Value {
    let Asset::Paa(texture) = asset else { return json!([]) };
    let mips = texture.mips().map_while(|mip| mip.ok());
    mips.map(|mip| json!({ "width": mip.width(), "height": mip.height(), "stored": mip.stored_bytes().len() }))
        .collect()
}

pub(crate) fn mip(asset: &Asset<'_>, index: usize) -> Result<([u32; 2], Vec<u8>)> {
    let Asset::Paa(texture) = asset else { return Err(Error::unsupported("this is no texture")) };
    let mip = texture.mips().nth(index).transpose()?;
    let mip = mip.ok_or_else(|| Error::unsupported(format!("no mip {index}")))?;
    let picture = texture.to_picture(&mip)?;
    Ok(([picture.width.into(), picture.height.into()], picture.rgba))
}

pub(crate) fn meshes(asset: &Asset<'_>, lod: Option<usize>) -> Result<JsArray> {
    let (mut facts, mut arrays) = (Vec::new(), Vec::new());
    let budget = budget(asset.size());
    let (mut unreadable, mut left_out) = (0_u64, 0_u64);
    for primitive in asset.primitives() {
        let Ok(primitive) = primitive else {
            unreadable += 1;
            continue;
        };
        let place = primitive.place;
        if place.lod.map(|(index, _)| index) != lod && lod.is_some() {
            continue;
        }
        let mesh = match primitive.to_mesh(&budget) {
            Ok(mesh) => mesh,
            Err(error) if error.incomplete().is_some() => return Err(error),
            Err(_) => {
                unreadable += 1;
                continue;
            }
        };
        left_out += mesh.left_out;
        let material = primitive.material().ok().flatten();
        let texture = material.as_ref().and_then(|material| material.base()).map(|base| Name::from(base.name).text);
        let hides_little = texture.as_deref().is_some_and(export::hides_little);
        let title = material.as_ref().map(|material| material.name.to_string());
        facts.push(json!({
            "name": place.name.to_string(), "part": place.part, "visible": place.visible,
            "material": title, "texture": texture, "hides_little": hides_little,
        }));
        arrays.push(mesh);
    }
    let facts = json!({ "parts": facts, "unreadable": unreadable, "left_out": left_out });
    let answer = JsArray::of1(&facts.to_string().into());
    for mesh in &arrays {
        answer.push(&Float32Array::from(mesh.positions.as_flattened()));
        answer.push(&Float32Array::from(mesh.normals.as_flattened()));
        let uvs = mesh.uvs.first().map_or(&[][..], |uvs| uvs.as_flattened());
        answer.push(&Float32Array::from(uvs));
        answer.push(&Uint32Array::from(&mesh.indices[..]));
    }
    Ok(answer)
}
