//! A scene as glTF has it: nodes, meshes, materials, skins and animations.
//!
//! Meshes and nodes of left-handed formats are seen in the mirror that `meshpeek::geometry` tells of, so that no node needs
//! a scale of -1 for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Mat4, Quat, Vec3};
use meshpeek::geometry::{Alpha, Corner, Influence, Material, Primitive, Transform};
use meshpeek::inspect::Text;
use meshpeek::pose::{Clip, Matrix, Rig};
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Inspect, Result, lodka};
use serde_json::{Map, Value as Json, json};

use super::glb::{Glb, Use};
use super::images::{Images, media_type};
use crate::notes::Notes;
use crate::report;

/// What making a vertex or triangle costs, in bytes of work.
const CORNER_WORK: u64 = 64;

/// The file.
pub(super) fn write(asset: &Asset<'_>, images: &mut Images<'_>, budget: &Budget, notes: Notes) -> Result<Vec<u8>> {
    let summary = asset.summarize();
    let mirrored = !matches!(asset, Asset::Lodka(_));
    let mut scene = Scene {
        glb: Glb::new(budget),
        budget,
        images,
        mirrored,
        is_lodka: !mirrored,
        nodes: Vec::new(),
        meshes: HashMap::new(),
        materials: HashMap::new(),
        textures: HashMap::new(),
        times: HashMap::new(),
        left_out: 0,
        unreadable: 0,
    };
    match asset {
        Asset::B3d(_) => scene.blitz(asset)?,
        Asset::Bmx(map) => scene.ballance(asset, map)?,
        Asset::Lodka(model) => scene.lodka(asset, model)?,
        _ => {}
    }
    let (left_out, unreadable) = (scene.left_out, scene.unreadable);
    if left_out > 0 {
        notes.say(format_args!("{} left out, a corner of which is not there", report::count(left_out, "triangle")));
    }
    if unreadable > 0 {
        notes.say(format_args!("{} left out that cannot be read; verify tells why", report::count(unreadable, "part")));
    }
    let extras = json!({ "format": summary.format.name(), "version": summary.version });
    let about =
        json!({ "version": "2.0", "generator": concat!("meshpeek ", env!("CARGO_PKG_VERSION")), "extras": extras });
    scene.finish(about)
}

/// A node, as long as it may get children.
#[derive(Default)]
struct Node {
    json: Map<String, Json>,
    parent: Option<usize>,
    children: Vec<usize>,
}

/// What was made of a mesh: its place among the meshes, where it has triangles, and whether joints move it.
#[derive(Clone, Copy)]
struct Made {
    mesh: usize,
    is_skinned: bool,
    /// Whether some of its vertices go with the mesh itself, no bone moving them.
    has_loose: bool,
}

/// The primitives of a mesh in the making.
#[derive(Default)]
struct Kept {
    primitives: Vec<Json>,
    is_skinned: bool,
    has_loose: bool,
}

struct Scene<'s, 'i, 'b> {
    glb: Glb<'b>,
    budget: &'b Budget,
    images: &'s mut Images<'i>,
    mirrored: bool,
    is_lodka: bool,
    nodes: Vec<Node>,
    /// By model, number and, where its vertices had to be moved for it, node.
    meshes: HashMap<(usize, usize, Option<usize>), Kept>,
    materials: HashMap<String, usize>,
    textures: HashMap<(String, [bool; 2]), Option<usize>>,
    times: HashMap<Vec<u32>, usize>,
    left_out: u64,
    unreadable: u64,
}

fn is_finite(numbers: &[f32]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// The numbers where all are some, else others.
fn finite<const N: usize>(numbers: [f32; N], other: [f32; N]) -> [f32; N] {
    if is_finite(&numbers) { numbers } else { other }
}

/// A rotation of length 1.
fn unit(rotation: [f32; 4]) -> [f32; 4] {
    let rotation = Quat::from_array(finite(rotation, [0.0, 0.0, 0.0, 1.0]));
    let length = rotation.length();
    if length > 1e-20 && length.is_finite() { (rotation / length).to_array() } else { [0.0, 0.0, 0.0, 1.0] }
}

impl<'b> Scene<'_, '_, 'b> {
    fn name(&self, text: Text<'_>) -> String {
        match text {
            Text::Bytes(bytes) if self.is_lodka => lodka::to_text(bytes),
            text => Name::from(text).text,
        }
    }

    fn node(&mut self, name: Text<'_>, parent: Option<usize>, place: &Transform) -> usize {
        let mut json = Map::new();
        let name = self.name(name);
        if !name.is_empty() {
            json.insert("name".to_owned(), name.into());
        }
        let Transform { translation, rotation, scale } = *place;
        let (translation, scale) = (finite(translation, [0.0; 3]), finite(scale, [1.0; 3]));
        if translation != [0.0; 3] {
            json.insert("translation".to_owned(), json!(translation));
        }
        if rotation != [0.0, 0.0, 0.0, 1.0] {
            json.insert("rotation".to_owned(), json!(unit(rotation)));
        }
        if scale != [1.0; 3] {
            json.insert("scale".to_owned(), json!(scale));
        }
        let index = self.nodes.len();
        self.nodes.push(Node { json, parent, children: Vec::new() });
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
            parent.children.push(index);
        }
        index
    }

    fn note(&mut self, node: usize, key: &str, value: Json) {
        if let Some(node) = self.nodes.get_mut(node) {
            let extras = node.json.entry("extras").or_insert_with(|| json!({}));
            extras[key] = value;
        }
    }

    /// Bones as nodes, below this one; where the first is.
    fn bones(&mut self, rig: &Rig<'_>, parent: Option<usize>) -> usize {
        let first = self.nodes.len();
        for bone in rig.bones() {
            self.node(bone.name, bone.parent.map_or(parent, |bone| Some(first + bone)), &bone.rest);
        }
        first
    }

    /// The primitives of the asset, those that cannot be read counted.
    fn primitives<'a>(&mut self, asset: &'a Asset<'_>) -> Result<Vec<Primitive<'a>>> {
        let mut all = Vec::new();
        for primitive in asset.primitives() {
            self.budget.work(CORNER_WORK)?;
            match primitive {
                Ok(primitive) => all.push(primitive),
                Err(_) => self.unreadable += 1,
            }
        }
        Ok(all)
    }

    fn blitz(&mut self, asset: &Asset<'_>) -> Result<()> {
        let rig = match asset.rigs().pop() {
            Some(rig) => rig?,
            None => return Ok(()),
        };
        self.bones(&rig, None);
        let Asset::B3d(scene) = asset else { return Ok(()) };
        let world = rig.rest().world().unwrap_or_default();
        // The numbers of meshes by their places in the file, and the bones that speak of each.
        let mut numbers = HashMap::new();
        let mut joints: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for node in scene.nodes().flatten() {
            for mesh in node.meshes() {
                let next = numbers.len();
                if let Ok(mesh) = mesh {
                    numbers.insert(mesh.chunk().offset(), next);
                } else {
                    numbers.insert(u64::MAX - next as u64, next);
                }
            }
            for mesh in node.bones().flatten().filter_map(|bone| bone.mesh()) {
                if let Some(number) = numbers.get(&mesh.chunk().offset()) {
                    let joints = joints.entry(*number).or_default();
                    // A node may have several BONE chunks, which the format does not mean.
                    if joints.last() != Some(&node.index) {
                        joints.push(node.index);
                    }
                }
            }
        }
        let mut homes: BTreeMap<usize, usize> = BTreeMap::new();
        for primitive in &self.primitives(asset)? {
            let place = primitive.place();
            let (Some(home), mesh) = (place.node, place.mesh) else { continue };
            homes.insert(mesh, home);
            let joints = joints.get(&mesh).map(Vec::as_slice);
            self.part(primitive, None, joints, home)?;
        }
        for (mesh, home) in homes {
            let Some(made) = self.mesh((0, mesh, None), "")? else { continue };
            // Several meshes of one node, which the format does not mean, get nodes of their own.
            let taken = self.nodes[home].json.contains_key("mesh");
            let node = if taken { self.node("".into(), Some(home), &Transform::IDENTITY) } else { home };
            self.nodes[node].json.insert("mesh".to_owned(), made.mesh.into());
            if made.is_skinned
                && let Some(joints) = joints.get(&mesh)
            {
                let skin = self.skin(0, joints, home, made.has_loose, &world)?;
                self.nodes[node].json.insert("skin".to_owned(), skin.into());
            }
        }
        self.animations(&rig, 0)
    }

    fn ballance(&mut self, asset: &Asset<'_>, map: &meshpeek::bmx::Map<'_>) -> Result<()> {
        let mut baked: HashMap<usize, Matrix> = HashMap::new();
        for object in map.objects()?.walk() {
            let object = match object {
                Ok(object) => object,
                Err(_) => {
                    self.unreadable += 1;
                    self.node("".into(), None, &Transform::IDENTITY);
                    continue;
                }
            };
            let mirror = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
            let matrix = mirror * Mat4::from_cols_array_2d(&object.world_matrix.rows) * mirror;
            let place = decomposed(&matrix);
            let node = self.node(object.entry().name.into(), None, &place.unwrap_or(Transform::IDENTITY));
            if place.is_none() {
                baked.insert(node, Matrix(matrix.to_cols_array_2d()));
            }
            if object.is_hidden.is_some_and(|hidden| hidden.is_set()) {
                self.note(node, "visible", false.into());
            }
            if let Some(component) = object.component() {
                self.note(node, "component", component.name().map_or(component.0.into(), Into::into));
            }
            if let Some(groups) = object.groups {
                let names: Vec<String> = groups.iter().map(|group| Name::from(Text::from(group)).text).collect();
                if !names.is_empty() {
                    self.note(node, "groups", names.into());
                }
            }
        }
        let mut homes: BTreeMap<usize, (usize, Option<usize>)> = BTreeMap::new();
        let mut done: BTreeSet<(usize, usize, Option<usize>)> = BTreeSet::new();
        for primitive in asset.primitives() {
            self.budget.work(CORNER_WORK)?;
            let Ok(primitive) = primitive else {
                self.unreadable += 1;
                continue;
            };
            let place = *primitive.place();
            let Some(home) = place.node else { continue };
            let own = baked.get(&home).map(|_| home);
            homes.insert(home, (place.mesh, own));
            if done.insert((place.mesh, place.part, own)) {
                self.part(&primitive, baked.get(&home).copied(), None, home)?;
            }
        }
        let mut made: HashMap<(usize, Option<usize>), Option<Made>> = HashMap::new();
        for (home, (mesh, own)) in homes {
            let name =
                map.meshes()?.entry(mesh).map(|entry| Name::from(Text::from(entry.name)).text).unwrap_or_default();
            let one = match made.get(&(mesh, own)) {
                Some(made) => *made,
                None => *made.entry((mesh, own)).or_insert(self.mesh((0, mesh, own), &name)?),
            };
            if let (Some(one), Some(node)) = (one, self.nodes.get_mut(home)) {
                node.json.insert("mesh".to_owned(), one.mesh.into());
            }
        }
        Ok(())
    }

    fn lodka(&mut self, asset: &Asset<'_>, model: &lodka::Model<'_>) -> Result<()> {
        let mut rigs: Vec<Rig<'_>> = Vec::new();
        for rig in asset.rigs() {
            match rig {
                Ok(rig) => rigs.push(rig),
                Err(_) => self.unreadable += 1,
            }
        }
        let mut roots = BTreeMap::new();
        let mut firsts = BTreeMap::new();
        let mut proxies = BTreeMap::new();
        for part in model.parts().flatten() {
            let index = part.index();
            let root = self.node(format!("model {index}").as_str().into(), None, &Transform::IDENTITY);
            roots.insert(index, root);
            if let Some(rig) = rigs.iter().find(|rig| rig.model() == index) {
                let first = self.bones(rig, Some(root));
                firsts.insert(index, first);
                self.animations(rig, first)?;
            }
            let mut number = 0;
            for set in part.views::<lodka::ProxySet<'_>>().flatten() {
                let first = number;
                let mut names = set.names.iter();
                for proxy in set.proxies.iter() {
                    let carrier = usize::try_from(proxy.parent.get()).ok().map(|parent| first + parent);
                    let carrier = carrier.and_then(|parent| proxies.get(&(index, parent)).copied()).unwrap_or(root);
                    let lodka::wire::Rotation { x, y, z, w } = &proxy.rotation;
                    let place = Transform {
                        translation: proxy.position.to_array(),
                        rotation: [x, y, z, w].map(|part| part.get()),
                        scale: proxy.scale.to_array(),
                    };
                    let name = names.next().map_or("".into(), Text::from);
                    let node = self.node(name, Some(carrier), &place);
                    proxies.insert((index, number), node);
                    number += 1;
                }
            }
        }
        let mut homes = BTreeSet::new();
        let mut names = HashMap::new();
        let mut done: BTreeSet<(usize, usize, usize)> = BTreeSet::new();
        for primitive in asset.primitives() {
            self.budget.work(CORNER_WORK)?;
            let Ok(primitive) = primitive else {
                self.unreadable += 1;
                continue;
            };
            let place = *primitive.place();
            homes.insert((place.model, place.mesh, place.node));
            if place.node.is_none() {
                names.insert((place.model, place.mesh), (self.name(place.name), place.visible));
            }
            if done.insert((place.model, place.mesh, place.part)) {
                let bones = rigs.iter().find(|rig| rig.model() == place.model).map_or(0, |rig| rig.bones().len());
                let joints: Vec<usize> = (0..bones).collect();
                let root = roots.get(&place.model).copied().unwrap_or(0);
                self.part(&primitive, None, (bones > 0).then_some(&joints), root)?;
            }
        }
        let mut made: HashMap<(usize, usize), Option<Made>> = HashMap::new();
        let mut skins: HashMap<usize, usize> = HashMap::new();
        for (model, mesh, node) in homes {
            let (name, visible) = names.get(&(model, mesh)).cloned().unwrap_or_default();
            let one = match made.get(&(model, mesh)) {
                Some(made) => *made,
                None => *made.entry((model, mesh)).or_insert(self.mesh((model, mesh, None), &name)?),
            };
            let Some(one) = one else { continue };
            let root = roots.get(&model).copied();
            let home = match node {
                Some(proxy) => proxies.get(&(model, proxy)).copied(),
                None => {
                    let own = self.node(name.as_str().into(), root, &Transform::IDENTITY);
                    if !visible {
                        self.note(own, "visible", false.into());
                    }
                    Some(own)
                }
            };
            let Some(home) = home else { continue };
            self.nodes[home].json.insert("mesh".to_owned(), one.mesh.into());
            if one.is_skinned
                && let Some(rig) = rigs.iter().find(|rig| rig.model() == model)
            {
                let skin = match skins.get(&model) {
                    Some(skin) => *skin,
                    None => {
                        let world = rig.rest().world().unwrap_or_default();
                        let joints: Vec<usize> = (0..rig.bones().len()).collect();
                        let first = firsts.get(&model).copied().unwrap_or(0);
                        // One for all meshes of the model.
                        let skin = self.skin(first, &joints, root.unwrap_or(0), true, &world)?;
                        skins.insert(model, skin);
                        skin
                    }
                };
                self.nodes[home].json.insert("skin".to_owned(), skin.into());
            }
        }
        Ok(())
    }

    /// Makes a primitive of what is drawn at once and keeps it for its mesh; `bake` moves its vertices. `joints` are the
    /// bones of the mesh; vertices that none of them moves go with the mesh itself, whose node is the joint behind them.
    fn part(
        &mut self,
        primitive: &Primitive<'_>,
        bake: Option<Matrix>,
        joints: Option<&[usize]>,
        home: usize,
    ) -> Result<()> {
        let place = *primitive.place();
        let budget = self.budget;
        let welded = match primitive.to_welded(|| budget.work(CORNER_WORK)) {
            Ok(welded) => welded,
            Err(error) if matches!(error.kind(), meshpeek::ErrorKind::Limit { .. }) => return Err(error),
            Err(_) => {
                self.unreadable += 1;
                return Ok(());
            }
        };
        let Ok(positions) = primitive.positions() else {
            self.unreadable += 1;
            return Ok(());
        };
        self.left_out += welded.left_out;
        if welded.triangles.is_empty() {
            return Ok(());
        }
        let corners = &welded.corners;
        let bake = bake.unwrap_or(Matrix::IDENTITY);
        let mirrored = |[x, y, z]: [f32; 3]| if self.mirrored { [-x, y, z] } else { [x, y, z] };
        let position = |corner: &Corner| {
            let stored = positions.array(corner.position as usize).unwrap_or_default();
            finite(bake.point(mirrored(finite(stored, [0.0; 3]))), [0.0; 3])
        };
        let points: Vec<[f32; 3]> = corners.iter().map(position).collect();
        let mut triangles = welded.triangles.clone();
        if bake.mirrors() {
            triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
        let mut attributes = Map::new();
        attributes.insert("POSITION".to_owned(), self.glb.floats(&points, Use::Vertices, true)?.into());
        if let Ok(Some(normals)) = primitive.normals() {
            let turn = bake.normals();
            let stored = |corner: &Corner| normals.array(corner.normal as usize).unwrap_or_default();
            let mut list: Vec<[f32; 3]> = corners.iter().map(|corner| turn(mirrored(stored(corner)))).collect();
            upright(&mut list, &points, &triangles);
            attributes.insert("NORMAL".to_owned(), self.glb.floats(&list, Use::Vertices, false)?.into());
        }
        let sets = primitive.uv_sets().unwrap_or(0).min(8);
        let mut uv_sets = 0;
        for set in 0..sets {
            let Ok(Some(uvs)) = primitive.uvs(set) else { break };
            let uv = |corner: &Corner| finite(uvs.array(corner.uv(set) as usize).unwrap_or_default(), [0.0; 2]);
            let list: Vec<[f32; 2]> = corners.iter().map(uv).collect();
            attributes.insert(format!("TEXCOORD_{set}"), self.glb.floats(&list, Use::Vertices, false)?.into());
            uv_sets += 1;
        }
        let material = primitive.material().unwrap_or_else(|_| {
            self.unreadable += 1;
            None
        });
        if let Ok(Some(colors)) = primitive.colors() {
            let color = |corner: &Corner| colors.array(corner.position as usize).unwrap_or_default();
            let shown = |corner: &Corner| finite(color(corner), [1.0; 4]).map(|part| part.clamp(0.0, 1.0));
            let list: Vec<[f32; 4]> = corners.iter().map(shown).collect();
            // What the material does not ask for is kept, but not shown.
            let name =
                if material.as_ref().is_some_and(|material| material.vertex_colors) { "COLOR_0" } else { "_COLOR" };
            attributes.insert(name.to_owned(), self.glb.floats(&list, Use::Vertices, false)?.into());
        }
        let (mut is_skinned, mut has_loose) = (false, false);
        if let Some(joints) = joints.filter(|joints| joints.len() < usize::from(u16::MAX))
            && let Ok(Some(weights)) = primitive.to_weights()
        {
            let places: HashMap<u32, u16> =
                joints.iter().zip(0..).map(|(&joint, place)| (joint as u32, place)).collect();
            // In Blitz3D bones are nodes, of which the mesh's own may be one.
            let home = joints.iter().position(|&joint| joint == home && !self.is_lodka);
            let own = home.unwrap_or(joints.len()) as u16;
            let mut numbers = Vec::with_capacity(corners.len());
            let mut shares = Vec::with_capacity(corners.len());
            for corner in corners {
                let (joint, share) = influences(weights.of(corner.position as usize), &places, own);
                has_loose |= home.is_none() && joint.contains(&own);
                numbers.push(joint);
                shares.push(share);
            }
            attributes.insert("JOINTS_0".to_owned(), self.glb.joints(&numbers)?.into());
            attributes.insert("WEIGHTS_0".to_owned(), self.glb.floats(&shares, Use::Vertices, false)?.into());
            is_skinned = true;
        }
        let indices = self.glb.indices(&triangles, points.len())?;
        let mut json = json!({ "attributes": attributes, "indices": indices });
        if let Some(material) = material {
            json["material"] = self.material(&material, uv_sets)?.into();
        }
        let own = (bake != Matrix::IDENTITY).then_some(home);
        let mesh = self.meshes.entry((place.model, place.mesh, own)).or_default();
        mesh.primitives.push(json);
        mesh.is_skinned |= is_skinned;
        mesh.has_loose |= has_loose;
        Ok(())
    }

    /// The mesh of all primitives kept for it; `None` where none has triangles.
    fn mesh(&mut self, key: (usize, usize, Option<usize>), name: &str) -> Result<Option<Made>> {
        let Some(Kept { primitives, is_skinned, has_loose }) = self.meshes.remove(&key) else { return Ok(None) };
        let mut json = json!({ "primitives": primitives });
        if !name.is_empty() {
            json["name"] = name.into();
        }
        Ok(Some(Made { mesh: self.glb.push("meshes", json), is_skinned, has_loose }))
    }

    /// The joints of a mesh, behind them its own node where it is one, and what undoes where each is at rest. `first` is
    /// the node of the first bone, `world` where bones are at rest.
    fn skin(
        &mut self,
        first: usize,
        joints: &[usize],
        home: usize,
        has_loose: bool,
        world: &[Matrix],
    ) -> Result<usize> {
        let at = |bone: usize| world.get(bone).copied().unwrap_or(Matrix::IDENTITY);
        // Bones of Blitz3D are nodes, of which the mesh's own is one; elsewhere the mesh stands at the origin.
        let own = if self.is_lodka { Matrix::IDENTITY } else { at(home) };
        let undone = |bone: Matrix| {
            let matrix = bone.inverse().map_or(Matrix::IDENTITY, |inverse| inverse.after(&own));
            let mut columns = if is_finite(matrix.0.as_flattened()) { matrix.0 } else { Matrix::IDENTITY.0 };
            for (column, last) in columns.iter_mut().zip([0.0, 0.0, 0.0, 1.0]) {
                column[3] = last;
            }
            let mut all = [0.0; 16];
            all.copy_from_slice(columns.as_flattened());
            all
        };
        let mut binds: Vec<[f32; 16]> = joints.iter().map(|&bone| undone(at(bone))).collect();
        binds.extend(has_loose.then(|| undone(own)));
        let binds = self.glb.floats(&binds, Use::Other, false)?;
        let nodes: Vec<usize> = joints.iter().map(|bone| first + bone).chain(has_loose.then_some(home)).collect();
        Ok(self.glb.push("skins", json!({ "joints": nodes, "inverseBindMatrices": binds })))
    }

    fn animations(&mut self, rig: &Rig<'_>, first: usize) -> Result<()> {
        for clip in rig.clips() {
            match clip {
                Ok(clip) => self.animation(&clip, first)?,
                Err(_) => self.unreadable += 1,
            }
        }
        Ok(())
    }

    fn animation(&mut self, clip: &Clip<'_>, first: usize) -> Result<()> {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for &bone in clip.bones() {
            let Ok(track) = clip.to_track(bone) else {
                self.unreadable += 1;
                continue;
            };
            let rotations: Vec<(f32, [f32; 4])> =
                track.rotations.iter().map(|(time, turn)| (*time, unit(*turn))).collect();
            self.budget.work(CORNER_WORK * (track.translations.len() + rotations.len() + track.scales.len()) as u64)?;
            let parts = [
                ("translation", self.keys(&track.translations)?),
                ("rotation", self.keys(&rotations)?),
                ("scale", self.keys(&track.scales)?),
            ];
            for (path, keys) in parts {
                let Some((input, output)) = keys else { continue };
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": first + bone, "path": path } }));
                samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
            }
        }
        if !channels.is_empty() {
            let mut json = json!({ "channels": channels, "samplers": samplers });
            let name = self.name(clip.name);
            if !name.is_empty() {
                json["name"] = name.into();
            }
            if let Some(seconds) = clip.seconds() {
                json["extras"] = json!({ "seconds": seconds });
            }
            self.glb.push("animations", json);
        }
        Ok(())
    }

    /// The arrays of times and values; what glTF cannot say, such as a time before 0, is left out.
    fn keys<const N: usize>(&mut self, keys: &[(f32, [f32; N])]) -> Result<Option<(usize, usize)>> {
        let mut last = f32::NEG_INFINITY;
        let sound = |(time, value): &(f32, [f32; N])| {
            let sound = *time >= 0.0 && *time > last && time.is_finite() && is_finite(value);
            last = if sound { *time } else { last };
            sound
        };
        let (times, values): (Vec<[f32; 1]>, Vec<[f32; N]>) =
            keys.iter().copied().filter(sound).map(|(time, value)| ([time], value)).unzip();
        if times.is_empty() {
            return Ok(None);
        }
        let known: Vec<u32> = times.iter().map(|[time]| time.to_bits()).collect();
        let input = match self.times.get(&known) {
            Some(input) => *input,
            None => {
                let input = self.glb.floats(&times, Use::Other, true)?;
                self.times.insert(known, input);
                input
            }
        };
        Ok(Some((input, self.glb.floats(&values, Use::Other, false)?)))
    }

    fn material(&mut self, material: &Material<'_>, uv_sets: usize) -> Result<usize> {
        let part = |part: f32| if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 };
        let mut surface = json!({
            "baseColorFactor": material.color.map(part),
            "metallicFactor": 0.0,
            "roughnessFactor": part(1.0 - material.shininess),
        });
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
        Ok(match self.materials.get(&key) {
            Some(index) => *index,
            None => {
                let index = self.glb.push("materials", json);
                self.materials.insert(key, index);
                index
            }
        })
    }

    /// The texture of an image that is at hand in a form that glTF takes.
    fn texture(&mut self, texture: &meshpeek::geometry::Texture<'_>) -> Result<Option<usize>> {
        let name = self.name(texture.name);
        let key = (name.clone(), texture.clamped);
        if let Some(known) = self.textures.get(&key) {
            return Ok(*known);
        }
        let bytes = self.images.find(texture, self.budget).and_then(|bytes| Some((bytes, media_type(bytes)?)));
        // What only starts like an image would spoil the file.
        let sound = |bytes: &[u8]| super::picture::dimensions(bytes).is_some();
        let made = match bytes.filter(|(bytes, _)| sound(bytes)) {
            None => None,
            Some((bytes, kind)) => {
                let view = self.glb.view(bytes, Use::Other)?;
                let image = self.glb.push("images", json!({ "bufferView": view, "mimeType": kind, "name": name }));
                let wrap = |clamped: bool| if clamped { 33071 } else { 10497 };
                let [u, v] = texture.clamped.map(wrap);
                let sampler = self.glb.push("samplers", json!({ "wrapS": u, "wrapT": v }));
                Some(self.glb.push("textures", json!({ "source": image, "sampler": sampler })))
            }
        };
        self.textures.insert(key, made);
        Ok(made)
    }

    fn finish(mut self, about: Json) -> Result<Vec<u8>> {
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.nodes[node].parent.is_none()).collect();
        for node in std::mem::take(&mut self.nodes) {
            let mut json = node.json;
            if !node.children.is_empty() {
                json.insert("children".to_owned(), node.children.into());
            }
            self.glb.push("nodes", json.into());
        }
        let scene = if roots.is_empty() { json!({}) } else { json!({ "nodes": roots }) };
        self.glb.finish(about, scene)
    }
}

/// A matrix as translation, rotation and scale, where it is one.
fn decomposed(matrix: &Mat4) -> Option<Transform> {
    if !matrix.is_finite() {
        return Some(Transform::IDENTITY);
    }
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let again = Mat4::from_scale_rotation_translation(scale, rotation, translation);
    let size = matrix.to_cols_array().iter().fold(1.0_f32, |most, number| most.max(number.abs()));
    let sound = again.is_finite() && again.abs_diff_eq(*matrix, size * 1e-4);
    let [translation, scale] = [translation, scale].map(|vector| vector.to_array());
    sound.then_some(Transform { translation, rotation: rotation.to_array(), scale })
}

/// Makes all normals unit; those that are none become that of their triangle.
fn upright(normals: &mut [[f32; 3]], points: &[[f32; 3]], triangles: &[[u32; 3]]) {
    let is_unit = |normal: &[f32; 3]| (Vec3::from(*normal).length() - 1.0).abs() < 1e-3;
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| Vec3::from(points[vertex as usize]));
        let face = (b - a).cross(c - a).normalize_or(Vec3::Y);
        for vertex in triangle {
            let normal = &mut normals[*vertex as usize];
            if !is_unit(normal) {
                *normal = face.to_array();
            }
        }
    }
}

/// The four joints that move a vertex most, each once, and their shares, which sum to 1; the mesh's own where none does.
fn influences(all: &[Influence], places: &HashMap<u32, u16>, own: u16) -> ([u16; 4], [f32; 4]) {
    let mut shares: Vec<(u16, f32)> = Vec::new();
    for one in all.iter().filter(|one| one.weight > 0.0 && one.weight.is_finite()) {
        let Some(&place) = places.get(&one.joint) else { continue };
        match shares.iter_mut().find(|(joint, _)| *joint == place) {
            Some((_, share)) => *share += one.weight,
            None => shares.push((place, one.weight)),
        }
    }
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares.truncate(4);
    let sum: f32 = shares.iter().map(|(_, share)| share).sum();
    if shares.is_empty() || !sum.is_finite() || sum <= 0.0 {
        return ([own, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    }
    let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
    for (index, (joint, share)) in shares.into_iter().enumerate() {
        // A share that is too small to be told from nothing is none.
        let weight = share / sum;
        if weight > 0.0 {
            (joints[index], weights[index]) = (joint, weight);
        }
    }
    (joints, weights)
}
