//! Models and pictures.

use std::collections::BTreeMap;

use js_sys::{Array as JsArray, Float32Array, Uint32Array};
use meshpeek::budget::Reservation;
use meshpeek::export::{self, FileFormat, Images, Lod, Pixels};
use meshpeek::geometry::{self, Primitive};
use meshpeek::inspect::Inspect as _;
use meshpeek::paa::Texture;
use meshpeek::pose::Rig;
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

/// The most bones, and clips, that are listed of a rig.
const MOST_LISTED: usize = 10_000;

pub(crate) fn about(asset: &Asset<'_>) -> Result<Value> {
    let mut resolutions = BTreeMap::new();
    let mut primitives = 0_u64;
    let mut unreadable = 0_u64;
    for primitive in asset.primitives() {
        let Ok(primitive) = primitive else {
            unreadable += 1;
            continue;
        };
        primitives += 1;
        if let Some((index, resolution)) = primitive.place.lod {
            resolutions.entry(index).or_insert(resolution);
        }
    }
    let mut lods = Vec::new();
    for (index, resolution) in resolutions {
        lods.push(json!({ "index": index, "title": Resolution(resolution).title() }));
    }
    let mut rigs = Vec::new();
    for rig in asset.rigs() {
        let Ok(rig) = rig else { continue };
        rigs.push(rig_facts(&rig));
    }
    Ok(json!({
        "primitives": primitives, "unreadable": unreadable, "lods": lods, "rigs": rigs,
        "refused": FileFormat::Glb.refused(asset.format()),
        "light": light(),
    }))
}

/// The bones of a rig, and its readable clips.
fn rig_facts(rig: &Rig<'_>) -> Value {
    let mut clips = Vec::new();
    for clip in rig.clips() {
        let Ok(clip) = clip else { continue };
        clips.push(json!({ "name": clip.name.to_string(), "seconds": clip.seconds }));
        if clips.len() >= MOST_LISTED {
            break;
        }
    }
    let mut bones = Vec::new();
    for bone in rig.bones().iter().take(MOST_LISTED) {
        bones.push(json!([bone.name.to_string(), bone.parent]));
    }
    json!({ "bones": bones, "clips": clips })
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
    let lod = match options.lod {
        Some(index) => Lod::Index(index),
        None => Lod::Finest,
    };
    node.ask(|asset| {
        let Some(motion) = motion else {
            return write_glb(asset, lod, None, Open::new(session, node, options));
        };
        motion.ask(|moved| {
            let Some(rig) = moved.rigs().pop() else {
                return Err(Error::unsupported("this is no plain RTM animation"));
            };
            write_glb(asset, lod, Some(&rig?), Open::new(session, node, options))
        })
    })
}

/// Writes a model as glTF, moved by this rig if there is one. Returns what is missing in it, and its bytes.
fn write_glb(asset: &Asset<'_>, lod: Lod, rig: Option<&Rig<'_>>, mut images: Open<'_>) -> Result<(Value, Vec<u8>)> {
    let mut options = export::Options::default();
    options.lod = lod;
    options.rig = rig;
    let model = export::glb(asset, &options, &mut images, &budget(asset.size()))?;
    let mut bytes = Vec::new();
    model.write_to(&mut bytes)?;
    let missing = json!({
        "empty": model.is_empty, "unreadable": model.unreadable, "left_out": model.left_out,
    });
    Ok((missing, bytes))
}

/// The images among the open files.
struct Open<'s> {
    session: &'s Session,
    /// The model.
    node: &'s Node,
    last: Vec<u8>,
    is_on: bool,
}

impl<'s> Open<'s> {
    fn new(session: &'s Session, node: &'s Node, options: &Options) -> Self {
        Self { session, node, last: Vec::new(), is_on: options.images }
    }

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
        let bytes = self.read(texture, room)?;
        // A glTF file may have only PNG and JPEG images.
        media_type(&bytes)?;
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
    let mut chosen = None;
    for mip in texture.mips() {
        let Ok(mip) = mip else { break };
        let side = u32::from(mip.width().max(mip.height()));
        chosen = Some(mip);
        if side <= most {
            break;
        }
    }
    let Some(mip) = chosen else { return Ok(None) };
    let picture = texture.to_picture(&mip)?;
    Ok(Some(([picture.width.into(), picture.height.into()], picture.rgba)))
}

/// An image for the page: a file that browsers know, or pixels.
pub(crate) fn image(bytes: &[u8], most: u32) -> Result<Option<(Value, Vec<u8>)>> {
    if let Some(kind) = media_type(bytes) {
        return Ok(Some((json!({ "media": kind }), bytes.to_vec())));
    }
    let Some((size, rgba)) = picture(bytes, most)? else { return Ok(None) };
    Ok(Some((json!({ "size": size }), rgba)))
}

pub(crate) fn mips(asset: &Asset<'_>) -> Value {
    let Asset::Paa(texture) = asset else { return json!([]) };
    let mut mips = Vec::new();
    for mip in texture.mips() {
        let Ok(mip) = mip else { break };
        mips.push(json!({ "width": mip.width(), "height": mip.height(), "stored": mip.stored_bytes().len() }));
    }
    Value::Array(mips)
}

pub(crate) fn mip(asset: &Asset<'_>, index: usize) -> Result<([u32; 2], Vec<u8>)> {
    let Asset::Paa(texture) = asset else { return Err(Error::unsupported("this is no texture")) };
    let Some(mip) = texture.mips().nth(index) else { return Err(Error::unsupported(format!("no mip {index}"))) };
    let picture = texture.to_picture(&mip?)?;
    Ok(([picture.width.into(), picture.height.into()], picture.rgba))
}

pub(crate) fn meshes(asset: &Asset<'_>, lod: Option<usize>) -> Result<JsArray> {
    let mut parts = Vec::new();
    let mut meshes = Vec::new();
    let mut unreadable = 0_u64;
    let mut left_out = 0_u64;
    let budget = budget(asset.size());
    for primitive in asset.primitives() {
        let Ok(primitive) = primitive else {
            unreadable += 1;
            continue;
        };
        let own_lod = primitive.place.lod.map(|(index, _)| index);
        if lod.is_some() && own_lod != lod {
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
        parts.push(part_facts(&primitive));
        meshes.push(mesh);
    }
    let facts = json!({ "parts": parts, "unreadable": unreadable, "left_out": left_out });
    let answer = JsArray::of1(&facts.to_string().into());
    for mesh in &meshes {
        answer.push(&Float32Array::from(mesh.positions.as_flattened()));
        answer.push(&Float32Array::from(mesh.normals.as_flattened()));
        let mut uvs: &[f32] = &[];
        if let Some(first) = mesh.uvs.first() {
            uvs = first.as_flattened();
        }
        answer.push(&Float32Array::from(uvs));
        answer.push(&Uint32Array::from(&mesh.indices[..]));
    }
    Ok(answer)
}

/// The names of a draw call and of its material and texture.
fn part_facts(primitive: &Primitive<'_>) -> Value {
    let mut title = None;
    let mut texture = None;
    let mut hides_little = false;
    if let Ok(Some(material)) = primitive.material() {
        title = Some(material.name.to_string());
        if let Some(base) = material.base() {
            let name = Name::from(base.name).text;
            hides_little = export::hides_little(&name);
            texture = Some(name);
        }
    }
    let place = &primitive.place;
    json!({
        "name": place.name.to_string(), "part": place.part, "visible": place.visible,
        "material": title, "texture": texture, "hides_little": hides_little,
    })
}
