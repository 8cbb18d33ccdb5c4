//! Models and pictures.

use std::collections::BTreeMap;
use std::iter::zip;

use js_sys::{Array as JsArray, Float32Array, Uint16Array, Uint32Array};
use meshpeek::budget::Reservation;
use meshpeek::export::{self, Embedded, FileFormat, Images, Lod, Pixels};
use meshpeek::geometry::{self, Alpha, Mesh, Primitive};
use meshpeek::inspect::Inspect as _;
use meshpeek::paa::Texture;
use meshpeek::pose::Rig;
use meshpeek::resolution::Resolution;
use meshpeek::rtm::Motion;
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Error};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::node::Node;
use crate::{Result, Session, budget, picture};

#[derive(Deserialize)]
#[serde(default)]
pub(crate) struct Options {
    /// A level of detail; the finest if absent.
    lod: Option<usize>,
    /// The node of a plain RTM animation, for an MLOD model.
    pub(crate) motion: Option<u32>,
    /// True to include images.
    images: bool,
    /// True for a pixel instead of each image, which the page replaces by the image when it has it.
    pixels: bool,
    /// The images that the user chose.
    chosen: Vec<Chosen>,
}

/// An image that the user chose for a texture. Its bytes follow those of the one before.
#[derive(Deserialize)]
struct Chosen {
    /// The texture, as the model names it; for surfaces that name none, a name for the image.
    name: String,
    bytes: usize,
    /// True for all surfaces that name no texture.
    #[serde(default)]
    is_for_unnamed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { lod: None, motion: None, images: true, pixels: false, chosen: Vec::new() }
    }
}

/// The memory of a texture that is listed.
const PIXEL_BYTES: u64 = 256;
/// The most pixels of a TGA or DDS file.
const MOST_PIXELS: u64 = 64 << 20;
/// The most pixels of such a file that is put into a model.
const MOST_DECODED: u64 = 16 << 20;
/// The work of looking at a draw call.
const PRIMITIVE_WORK: u64 = 64;
/// The memory of a key of an animation.
const KEY_BYTES: u64 = 20;
/// The most bones, and clips, that are listed of a rig.
const MOST_LISTED: usize = 10_000;

pub(crate) fn about(asset: &Asset<'_>) -> Result<Value> {
    let mut levels = levels_of(asset);
    let mut primitives = 0_u64;
    let mut unreadable = 0_u64;
    for primitive in asset.primitives() {
        let Ok(primitive) = primitive else {
            unreadable += 1;
            continue;
        };
        primitives += 1;
        if let Some((index, resolution)) = primitive.place.lod {
            let level = levels.entry(index).or_insert(Level { resolution, ..Level::default() });
            level.is_drawn = true;
        }
    }
    let mut lods = Vec::new();
    let mut finest = None;
    let mut least = f32::INFINITY;
    for (index, level) in levels {
        let Level { resolution, triangles, faces, is_drawn } = level;
        let is_visual = Resolution(resolution).is_visual();
        if is_drawn && (finest.is_none() || is_visual && resolution < least) {
            finest = Some(index);
            least = if is_visual { resolution } else { f32::INFINITY };
        }
        let title = Resolution(resolution).title();
        lods.push(json!({
            "index": index, "title": title, "triangles": triangles, "faces": faces, "drawn": is_drawn,
        }));
    }
    let mut rigs = Vec::new();
    for rig in asset.rigs() {
        let Ok(rig) = rig else { continue };
        rigs.push(rig_facts(&rig));
    }
    Ok(json!({
        "primitives": primitives, "unreadable": unreadable, "lods": lods, "finest": finest, "rigs": rigs,
        "refused": FileFormat::Glb.refused(asset.format()),
        "light": light(),
    }))
}

/// A level of detail.
#[derive(Default)]
struct Level {
    resolution: f32,
    /// As in the program's table of levels.
    triangles: Option<u64>,
    faces: Option<u64>,
    /// True if it has something to draw.
    is_drawn: bool,
}

/// The levels of detail of an Arma model, also those without triangles.
fn levels_of(asset: &Asset<'_>) -> BTreeMap<usize, Level> {
    let mut levels = BTreeMap::new();
    match asset {
        Asset::Odol(model) => {
            for entry in model.lods() {
                let mut level = Level { resolution: entry.resolution.0, ..Level::default() };
                if let Ok(Some(lod)) = model.lod(entry.index) {
                    level.triangles = Some(lod.faces.triangle_count());
                    level.faces = Some(lod.faces.len() as u64);
                }
                levels.insert(entry.index, level);
            }
        }
        Asset::Mlod(model) => {
            for (index, lod) in model.lods().enumerate() {
                let Ok(lod) = lod else { continue };
                let mut triangles = 0_u64;
                for face in &lod.faces {
                    triangles = triangles.saturating_add(face.triangle_count());
                }
                let resolution = lod.resolution;
                let faces = Some(lod.faces.len() as u64);
                levels.insert(index, Level { resolution, triangles: Some(triangles), faces, is_drawn: false });
            }
        }
        _ => {}
    }
    levels
}

/// The bones of a rig, and its readable clips.
fn rig_facts(rig: &Rig<'_>) -> Value {
    let mut clips = Vec::new();
    for clip in rig.clips() {
        let Ok(clip) = clip else { continue };
        clips.push(json!({ "name": clip.name.to_string(), "seconds": clip.seconds, "rate": clip.rate }));
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
    chosen: &[u8],
) -> Result<(Value, Vec<u8>)> {
    let unnamed = options.chosen.iter().find(|chosen| chosen.is_for_unnamed);
    let mut to_write = export::Options::default();
    to_write.texture = unnamed.map(|chosen| chosen.name.as_str());
    to_write.lod = match options.lod {
        Some(index) => Lod::Index(index),
        None => Lod::Finest,
    };
    node.ask(|asset| {
        let Some(motion) = motion else {
            let images = Open::new(session, node, asset, options).with_chosen(&options.chosen, chosen);
            return write_glb(asset, &to_write, images);
        };
        motion.ask(|moved| {
            let Asset::Rtm(Motion::Plain(_)) = moved else {
                return Err(Error::unsupported(
                    "this is no plain RTM animation, and the model has no skeleton for another",
                ));
            };
            let Some(rig) = moved.rigs().pop() else { return Err(no_animation()) };
            let rig = rig?;
            let mut to_write = to_write;
            to_write.rig = Some(&rig);
            let images = Open::new(session, node, asset, options).with_chosen(&options.chosen, chosen);
            write_glb(asset, &to_write, images)
        })
    })
}

/// Writes a model as glTF. Returns the textures that have no image in it, and its bytes.
fn write_glb(asset: &Asset<'_>, options: &export::Options<'_>, mut images: Open<'_>) -> Result<(Value, Vec<u8>)> {
    let model = export::glb(asset, options, &mut images, &budget(asset.size()))?;
    let mut bytes = Vec::new();
    model.write_to(&mut bytes)?;
    let missing = json!({
        "empty": model.is_empty, "unreadable": model.unreadable, "left_out": model.left_out, "textures": images.asked,
    });
    Ok((missing, bytes))
}

/// The images among the open files.
struct Open<'s> {
    session: &'s Session,
    /// The model.
    node: &'s Node,
    /// Those inside the model.
    inside: Embedded<'s>,
    /// Those that the user chose, by the textures.
    chosen: BTreeMap<&'s str, &'s [u8]>,
    last: Vec<u8>,
    is_on: bool,
    /// True for a pixel instead of each image.
    has_pixels: bool,
    /// The textures that have a pixel, in the order of the images in the file.
    asked: Vec<Value>,
}

impl<'s> Open<'s> {
    fn new(session: &'s Session, node: &'s Node, asset: &'s Asset<'s>, options: &Options) -> Self {
        Self {
            session,
            node,
            inside: Embedded::new(asset),
            chosen: BTreeMap::new(),
            last: Vec::new(),
            is_on: options.images,
            has_pixels: options.pixels,
            asked: Vec::new(),
        }
    }

    /// Takes the images that the user chose before all others. `bytes` are those of all, one after the other.
    fn with_chosen(mut self, chosen: &'s [Chosen], mut bytes: &'s [u8]) -> Self {
        for image in chosen {
            let Some((own, rest)) = bytes.split_at_checked(image.bytes) else { break };
            self.chosen.insert(&image.name, own);
            bytes = rest;
        }
        self
    }

    fn read(&self, texture: &geometry::Texture<'_>, room: &Reservation<'_>) -> Option<Vec<u8>> {
        if !self.is_on {
            return None;
        }
        let name = Name::from(texture.name);
        if let Some(bytes) = self.chosen.get(name.text.as_str()) {
            room.charge_work(bytes.len() as u64).ok()?;
            return Some(bytes.to_vec());
        }
        if let Ok(Some(bytes)) = self.inside.find(texture, room) {
            return Some(bytes);
        }
        let found = self.session.find_image(self.node, &name).ok()?;
        let bytes = found?.bytes;
        room.charge_work(bytes.len() as u64).ok()?;
        Some(bytes)
    }
}

impl Images for Open<'_> {
    fn file(&mut self, texture: &geometry::Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        if self.has_pixels {
            return None;
        }
        let bytes = self.read(texture, room)?;
        // A glTF file may have only PNG and JPEG images.
        media_type(&bytes)?;
        self.last = bytes;
        Some(&self.last)
    }

    fn pixels(&mut self, texture: &geometry::Texture<'_>, most: u32, room: &Reservation<'_>) -> Option<Pixels> {
        if self.has_pixels {
            let facts = texture_facts(texture);
            room.hold(PIXEL_BYTES.saturating_add(texture.name.as_bytes().len() as u64)).ok()?;
            self.asked.push(facts);
            // Half opaque: a surface whose image decides its opacity is marked as blended.
            return Some(Pixels::new([1, 1], vec![128; 4]));
        }
        let bytes = self.read(texture, room)?;
        let (size, rgba) = match picture(&bytes, most).ok()? {
            Some(Picture { size, rgba, .. }) => (size, rgba),
            None if picture::is_named(&Name::from(texture.name).text) => other_pixels(&bytes, most, room)?,
            None => png_pixels(&bytes, most, room)?,
        };
        room.hold(rgba.len() as u64).ok()?;
        Some(Pixels::new(size, rgba))
    }

    fn left_out(&mut self, _: &str) {
        self.asked.pop();
    }
}

/// The facts of a texture that the page needs before it has the image.
fn texture_facts(texture: &geometry::Texture<'_>) -> Value {
    let name = Name::from(texture.name).text;
    json!({
        "hides_little": export::hides_little(&name), "is_black_clear": texture.is_black_clear, "name": name,
    })
}

/// The pixels of a TGA or DDS file: every n-th if a side would be longer than `most`. The name may be wrong, and the file a
/// PNG.
fn other_pixels(bytes: &[u8], most: u32, room: &Reservation<'_>) -> Option<([u32; 2], Vec<u8>)> {
    if media_type(bytes).is_some() {
        return png_pixels(bytes, most, room);
    }
    let ([width, height], rgba) = picture::decode_bytes(bytes, MOST_DECODED).ok()?;
    room.charge_work(rgba.len() as u64).ok()?;
    let step = width.max(height).div_ceil(most.max(1)).max(1) as usize;
    if step == 1 {
        return Some(([width, height], rgba));
    }
    let mut fewer = Vec::new();
    for row in rgba.chunks_exact(width.max(1) as usize * 4).step_by(step) {
        for pixel in row.chunks_exact(4).step_by(step) {
            fewer.extend_from_slice(pixel);
        }
    }
    let size = [width, height].map(|side| (side as usize).div_ceil(step) as u32);
    Some((size, fewer))
}

/// The pixels of a PNG image: every n-th if a side would be longer than `most`.
fn png_pixels(bytes: &[u8], most: u32, room: &Reservation<'_>) -> Option<([u32; 2], Vec<u8>)> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(
        png::Transformations::EXPAND | png::Transformations::ALPHA | png::Transformations::STRIP_16,
    );
    let mut reader = decoder.read_info().ok()?;
    let decoded = reader.output_buffer_size()?;
    // Rows of gray are made to rows of four channels.
    let memory = (decoded as u64).saturating_mul(3);
    room.charge_and_hold(memory).ok()?;
    let mut pixels = vec![0; decoded];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let step = frame.width.max(frame.height).div_ceil(most.max(1)).max(1) as usize;
    let channels = frame.color_type.samples();
    let size = [frame.width, frame.height].map(|side| (side as usize).div_ceil(step));
    let mut rgba = Vec::with_capacity(size[0] * size[1] * 4);
    for row in pixels.chunks_exact(frame.line_size.max(1)).step_by(step) {
        for pixel in row.chunks_exact(channels).step_by(step) {
            match *pixel {
                [gray, opacity] => rgba.extend([gray, gray, gray, opacity]),
                [red, green, blue, opacity] => rgba.extend([red, green, blue, opacity]),
                _ => return None,
            }
        }
    }
    room.give(memory);
    Some((size.map(|side| side as u32), rgba))
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

/// A picture of a texture, or of a model with its textures from the open files. None for all other assets.
pub(crate) fn thumbnail(session: &Session, node: &Node, side: u32) -> Result<Option<([u32; 2], Vec<u8>)>> {
    if node.error().is_some() {
        return Ok(None);
    }
    node.ask(|asset| {
        if let Asset::Paa(texture) = asset {
            return Ok(picture_of(texture, side)?.map(|picture| (picture.size, picture.rgba)));
        }
        if FileFormat::Png.refused(asset.format()).is_some() {
            return Ok(None);
        }
        let mut view = export::View::default();
        view.size = side;
        view.transparent = true;
        let mut images = Open::new(session, node, asset, &Options::default());
        let drawn = export::picture(asset, &view, &mut images, &budget(asset.size()))?;
        Ok(Some(([drawn.side; 2], drawn.to_rgba())))
    })
}

/// The media type of a picture that browsers show, although glTF does not allow it.
fn other_media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some("image/bmp"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        _ => None,
    }
}

/// The pixels of a mip.
struct Picture {
    size: [u32; 2],
    rgba: Vec<u8>,
    /// The larger side of the largest mip.
    largest: u32,
}

/// The largest mip of a texture with sides up to `most`, or the smallest.
fn picture(bytes: &[u8], most: u32) -> Result<Option<Picture>> {
    let Ok(texture) = Texture::parse(bytes) else { return Ok(None) };
    picture_of(&texture, most)
}

fn picture_of(texture: &Texture<'_>, most: u32) -> Result<Option<Picture>> {
    let mut chosen = None;
    let mut largest = 0;
    for mip in texture.mips() {
        let Ok(mip) = mip else { break };
        let side = u32::from(mip.width().max(mip.height()));
        largest = largest.max(side);
        chosen = Some(mip);
        if side <= most {
            break;
        }
    }
    let Some(mip) = chosen else { return Ok(None) };
    let picture = texture.to_picture(&mip)?;
    let size = [picture.width.into(), picture.height.into()];
    Ok(Some(Picture { size, rgba: picture.rgba, largest }))
}

/// Returns the image inside a model that a texture means.
pub(crate) fn image_inside(asset: &Asset<'_>, texture: &str) -> Result<Option<Vec<u8>>> {
    if !matches!(asset, Asset::Bmx(_) | Asset::Lodka(_)) {
        return Ok(None);
    }
    let budget = budget(asset.size());
    let room = Reservation::new(&budget);
    for primitive in asset.primitives() {
        room.charge_work(PRIMITIVE_WORK)?;
        let Ok(primitive) = primitive else { continue };
        let Ok(Some(material)) = primitive.material() else { continue };
        if let Some(base) = material.base()
            && Name::from(base.name).text == texture
        {
            return Embedded::new(asset).find(base, &room);
        }
    }
    Ok(None)
}

/// An image for the page: a file that browsers know, or pixels, of a TGA or DDS file of any size. The facts are empty if it
/// is neither. The name has the ending, because TGA files begin with anything.
pub(crate) fn image(name: &str, bytes: &[u8], most: u32) -> Result<(Value, Vec<u8>)> {
    if let Some(kind) = media_type(bytes).or_else(|| other_media_type(bytes)) {
        return Ok((json!({ "media": kind }), bytes.to_vec()));
    }
    if picture::is_named(name) || bytes.starts_with(b"DDS ") {
        let (size, rgba) = picture::decode_bytes(bytes, MOST_PIXELS)?;
        return Ok((json!({ "size": size, "largest": size.iter().max() }), rgba));
    }
    let Some(Picture { size, rgba, largest }) = picture(bytes, most)? else { return Ok((json!({}), Vec::new())) };
    Ok((json!({ "size": size, "largest": largest }), rgba))
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
    let bones = bone_counts(asset);
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
            Ok(mut mesh) => {
                leave_out_endless(&mut mesh);
                mesh
            }
            Err(error) if error.incomplete().is_some() => return Err(error),
            Err(_) => {
                unreadable += 1;
                continue;
            }
        };
        left_out += mesh.left_out;
        parts.push(part_facts(&primitive));
        let bones = bones.get(&primitive.place.model).copied().unwrap_or_default();
        meshes.push((mesh, bones));
    }
    let facts = json!({ "parts": parts, "unreadable": unreadable, "left_out": left_out });
    let answer = JsArray::of1(&facts.to_string().into());
    for (mesh, bones) in &meshes {
        answer.push(&Float32Array::from(mesh.positions.as_flattened()));
        answer.push(&Float32Array::from(mesh.normals.as_flattened()));
        let mut uvs: &[f32] = &[];
        if let Some(first) = mesh.uvs.first() {
            uvs = first.as_flattened();
        }
        answer.push(&Float32Array::from(uvs));
        answer.push(&Uint32Array::from(&mesh.indices[..]));
        let (joints, weights) = joints(mesh, *bones);
        answer.push(&Uint16Array::from(&joints[..]));
        answer.push(&Float32Array::from(&weights[..]));
    }
    Ok(answer)
}

/// How many bones each model of a file has. A damaged rig moves nothing, and the model is shown at rest.
fn bone_counts(asset: &Asset<'_>) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for rig in asset.rigs() {
        let Ok(rig) = rig else { continue };
        counts.insert(rig.model, rig.bones().len());
    }
    counts
}

/// Leaves out the triangles that have a corner with a number that is not finite: such a corner is nowhere.
fn leave_out_endless(mesh: &mut Mesh) {
    let is_finite = |position: &[f32; 3]| position.iter().all(|number| number.is_finite());
    if mesh.positions.iter().all(is_finite) {
        return;
    }
    let mut kept = Vec::with_capacity(mesh.indices.len());
    for triangle in mesh.indices.chunks_exact(3) {
        let is_whole = triangle.iter().all(|corner| mesh.positions.get(*corner as usize).is_some_and(is_finite));
        if is_whole {
            kept.extend_from_slice(triangle);
        } else {
            mesh.left_out += 1;
        }
    }
    mesh.indices = kept;
    // The page takes the bounds of all positions, so one that is not drawn lies at another.
    let place = mesh.positions.iter().copied().find(is_finite).unwrap_or_default();
    for position in &mut mesh.positions {
        if !is_finite(position) {
            *position = place;
        }
    }
}

/// Four bones of each vertex and their weights. A vertex without bones has one after all others, which rests. Empty if no
/// bone moves the mesh, or if there are too many bones.
fn joints(mesh: &Mesh, bones: usize) -> (Vec<u16>, Vec<f32>) {
    let Ok(resting) = u16::try_from(bones) else { return Default::default() };
    let mut joints = Vec::with_capacity(mesh.joints.len() * 4);
    let mut weights = Vec::with_capacity(mesh.joints.len() * 4);
    for (own_joints, own_weights) in zip(&mesh.joints, &mesh.weights) {
        if own_weights.iter().sum::<f32>() > 0.0 {
            joints.extend(own_joints.map(|joint| u16::try_from(joint).unwrap_or(resting).min(resting)));
            weights.extend(own_weights);
        } else {
            joints.extend([resting, 0, 0, 0]);
            weights.extend([1.0, 0.0, 0.0, 0.0]);
        }
    }
    (joints, weights)
}

/// The looks of a draw call: its names, and the values of its material.
fn part_facts(primitive: &Primitive<'_>) -> Value {
    let place = &primitive.place;
    let mut facts = json!({ "name": place.name.to_string(), "part": place.part, "visible": place.visible });
    if let Ok(Some(material)) = primitive.material() {
        facts["material"] = material.name.to_string().into();
        facts["color"] = json!(geometry::linear(material.color));
        facts["alpha"] = material.alpha.name().into();
        if let Alpha::Mask(from) = material.alpha {
            facts["cutoff"] = json!(from);
        }
        facts["unlit"] = material.unlit.into();
        facts["two_sided"] = material.two_sided.into();
        if let Some(base) = material.base() {
            facts["clamped"] = json!(base.clamped);
            facts["texture"] = texture_facts(base);
        }
    }
    facts
}

/// Moves the bones of a model by an animation file: `[facts, times, positions, times, rotations, times, scales, ...]`, six
/// arrays for each bone that moves.
pub(crate) fn motion(model: &Asset<'_>, moved: &Asset<'_>, budget: &Budget) -> Result<JsArray> {
    let Asset::Rtm(motion) = moved else { return Err(no_animation()) };
    let rig = match model.rigs().pop() {
        Some(skeleton) => Rig::with_skeleton(*motion, &skeleton?),
        None => return Err(Error::unsupported("the model has no skeleton")),
    };
    let Some(clip) = rig.clips().next() else { return Err(no_animation()) };
    let clip = clip?;
    let room = Reservation::new(budget);
    let mut moving = Vec::new();
    let mut arrays: Vec<Float32Array> = Vec::new();
    for bone in clip.bones() {
        let track = clip.to_track(*bone)?;
        room.charge_and_hold(
            (track.translations.len() + track.rotations.len() + track.scales.len()) as u64 * KEY_BYTES,
        )?;
        moving.push(*bone);
        add_keys(&track.translations, &mut arrays);
        add_keys(&track.rotations, &mut arrays);
        add_keys(&track.scales, &mut arrays);
    }
    let mut bones = Vec::new();
    for bone in rig.bones() {
        bones.push(json!([bone.name.to_string(), bone.parent]));
    }
    let facts = json!({ "bones": bones, "moving": moving, "seconds": clip.seconds, "rate": clip.rate });
    let answer = JsArray::of1(&facts.to_string().into());
    for array in arrays {
        answer.push(&array);
    }
    Ok(answer)
}

/// Adds the times and the values of keys.
fn add_keys<const N: usize>(keys: &[(f32, [f32; N])], arrays: &mut Vec<Float32Array>) {
    let mut times = Vec::with_capacity(keys.len());
    let mut values = Vec::with_capacity(keys.len() * N);
    for (time, value) in keys {
        times.push(*time);
        values.extend(value);
    }
    arrays.push(Float32Array::from(&times[..]));
    arrays.push(Float32Array::from(&values[..]));
}

fn no_animation() -> Error {
    Error::unsupported("this is no animation file")
}
