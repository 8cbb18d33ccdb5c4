//! Assertions for the fuzz targets: what holds for the records of every file. Different views of the same data agree.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failure is what a fuzzer looks for"
)]

use super::content::Content;
use super::{
    Animation, FaceGroup, Indices, Kind, LodModel, MaterialList, Mesh, Model, MorphCollections, MorphMeshes, Node,
    Skeleton, Weights,
};
use crate::base::limits::Limits;
use crate::base::text::AnsiStr;
use crate::inspect::Inspect;
use crate::summary::Problems;

/// The maximum number of items requested of a list whose count no bytes confirm.
const ENOUGH: usize = 1000;

/// Only the first `LONGER` chunks of files up to `SMALL` bytes are made longer.
const LONGER: usize = 8;
const SMALL: usize = 2048;

/// Asserts what holds for a file, if it opens.
pub fn check(data: &[u8]) {
    let Ok(model) = Model::parse(data) else { return };
    let is_small_and_sound = data.len() <= SMALL && !has_problems(&model);
    let mut nodes = 0;
    let mut skeletons = 0;
    // The places of the chunks around the next one, by depth.
    let mut start_of = [0; 3];
    let mut end_of = [0; 3];
    for node in model.nodes().flatten() {
        let start = node.chunk.offset();
        let end = start + node.chunk.byte_len();
        assert!(node.depth < 3 && end <= data.len() as u64);
        if let Some(outer) = node.depth.checked_sub(1) {
            assert!(end <= end_of[outer], "{node:?} leaves its parent");
        }
        start_of[node.depth] = start;
        end_of[node.depth] = end;
        assert_eq!(node.parent.is_none(), node.depth == 0);
        debug_texts(&node);
        skeletons += usize::from(node.kind == Kind::Skeleton);
        assert!(node.bones_hint.is_none() || skeletons > 0);
        assert!(node.index <= nodes && node.part <= nodes);
        let content = node.content();
        assert_eq!(content.is_ok(), node.content().is_ok());
        if let Ok(content) = content {
            assert!(node.body().is_ok_and(|body| body.left() == node.chunk.body().left()));
            self::content(&node, &content);
            if nodes < LONGER && is_small_and_sound {
                one_byte_more(data, &start_of[..=node.depth], &node, nodes);
            }
        }
        nodes += 1;
    }
    // Each model contains what the walk over the file found in it.
    let mut inside = 0;
    for (index, part) in model.parts().flatten().enumerate() {
        assert_eq!(part.index, index);
        inside += part_nodes(&part);
    }
    let outside = model.nodes().flatten().filter(|node| node.depth == 0).count();
    assert_eq!(nodes, inside + outside);
    let counted = model.summarize().counts;
    assert_eq!(counted.get("meshes"), Some(model.nodes().flatten().filter(|n| n.kind == Kind::Mesh).count() as u64));
}

/// Asserts that a chunk and its body have short texts for debugging.
fn debug_texts(node: &Node<'_>) {
    let chunk = format!("{:?}", node.chunk);
    let tag = format!("{:?}", node.chunk.tag());
    assert!(chunk.len() < 100 && chunk.starts_with(&tag), "{chunk}");
    assert!(format!("{:?}", node.chunk.body()).starts_with("Cursor("));
}

/// Asserts what holds for one model. Returns the number of chunks in it.
fn part_nodes(part: &LodModel<'_>) -> usize {
    assert_eq!(part.chunk.tag().to_string(), "LOD1");
    assert!(part.nodes().flatten().all(|node| node.part == part.index));
    let meshes = part.nodes().flatten().filter(|node| node.kind == Kind::Mesh).count();
    assert!(part.views::<Mesh<'_>>().flatten().count() <= meshes);
    let has_skeleton = part.nodes().flatten().any(|node| node.kind == Kind::Skeleton);
    let read = part.first::<Skeleton<'_>>();
    assert!(has_skeleton || !matches!(read, Ok(Some(_))));
    part.nodes().flatten().count()
}

/// A chunk of a valid file ends where its fields do: one more byte, with the sizes of its parents adjusted, is
/// reported.
fn one_byte_more(data: &[u8], starts: &[u64], node: &Node<'_>, place: usize) {
    if matches!(node.kind, Kind::Part | Kind::List | Kind::Unknown | Kind::Info | Kind::Screenshot) {
        return;
    }
    let mut longer = data.to_vec();
    longer.insert((node.chunk.offset() + node.chunk.byte_len()) as usize, 0);
    for &start in starts {
        let size = &mut longer[start as usize + 4..start as usize + 8];
        let more = i32::from_le_bytes(size.try_into().expect("four bytes")).wrapping_add(1);
        size.copy_from_slice(&more.to_le_bytes());
    }
    let model = Model::parse(&longer).expect("a model, but for one chunk");
    let again = model.nodes().flatten().nth(place).expect("the same chunks");
    assert_eq!((again.kind, again.chunk.offset()), (node.kind, node.chunk.offset()));
    assert!(has_problems(&model), "a byte left in {node:?} is not reported");
}

fn has_problems(model: &Model<'_>) -> bool {
    let mut problems = Problems::new(&Limits::default());
    model.verify(&mut problems);
    !problems.into_vec().is_empty()
}

fn content(node: &Node<'_>, content: &Content<'_>) {
    match content {
        Content::Info(info) => assert_eq!(info.bytes.len() as u64, node.chunk.body().left()),
        Content::Skeleton(skeleton) => {
            let read = skeleton.bones.flatten().count() as u64;
            assert!(read == skeleton.bone_count || { skeleton.bones }.any(|bone| bone.is_err()));
        }
        Content::Animation(animation) => self::animation(animation),
        Content::MaterialList(list) => materials(list),
        Content::TextureList(list) => {
            let records = list.records.flatten().count();
            assert!(list.textures().flatten().count() <= records && records as u64 <= list.texture_count);
            for texture in list.textures().flatten() {
                assert!(texture.image_kind().is_none_or(|kind| !kind.name().is_empty() && !texture.data.is_empty()));
            }
        }
        Content::ShaderList(list) => {
            for shader in list.shaders.flatten() {
                let bump = shader.bump();
                assert!(bump.is_err() || bump.is_ok_and(|bump| bump.is_some() == (shader.kind.0 == 1)));
            }
        }
        Content::Mesh(mesh) => self::mesh(mesh),
        Content::MorphCollections(morphs) => collections(morphs),
        Content::MorphMeshes(morphs) => morph_meshes(morphs),
        Content::Physics(physics) => {
            let names = physics.body_names.iter().chain(physics.geom_names.iter()).map(|name| name.len() as u64);
            assert!(names.sum::<u64>() <= physics.body_names_len + physics.geom_names_len);
            assert_eq!(physics.bodies.len() as u64, physics.body_count);
            assert_eq!(physics.joints.len() as u64, physics.joint_count);
        }
        Content::LightScheme(scheme) => assert_eq!(scheme.lights.len(), 8),
        Content::ProxySet(set) => {
            assert_eq!(set.names.iter().count(), set.proxies.len());
            assert_eq!(set.proxies.iter().count(), set.proxies.len());
        }
        Content::ColliderSet(set) => assert_eq!(set.names.iter().count(), set.colliders.len()),
        Content::Screenshot(screenshot) => {
            assert!(screenshot.image_kind().is_none() || screenshot.data.len() >= 2);
        }
        Content::Chunks => assert!(matches!(node.kind, Kind::Part | Kind::List)),
        Content::Unknown => assert_eq!(node.kind, Kind::Unknown),
    }
}

fn animation(animation: &Animation<'_>) {
    let frames = animation.frame_count as usize;
    let bones = animation.bone_count as usize;
    assert_eq!(animation.keys.len(), frames * bones);
    assert!(animation.frame(frames).is_none());
    let keys = (0..frames.min(ENOUGH)).filter_map(|frame| animation.frame(frame)).flatten();
    for (index, key) in keys.enumerate() {
        assert!(std::ptr::eq(key, &animation.keys.as_slice()[index]));
    }
}

fn materials(list: &MaterialList<'_>) {
    for material in list.materials.flatten() {
        text(material.name);
        let [first, second] = material.texture_files();
        let cut = material.textures.len() - first.len() - second.len();
        assert!(cut == 0 || (cut == 1 && material.textures.as_bytes()[first.len()] == b':'));
        assert_eq!((material.options.is_some(), material.mapping_mode.is_some()), (list.kind >= 2, list.kind >= 3));
    }
}

fn morph_meshes(morphs: &MorphMeshes<'_>) {
    assert_eq!(morphs.meshes().take(ENOUGH).count(), morphs.records.len().min(ENOUGH));
    for mesh in morphs.meshes().take(ENOUGH) {
        let frames = u64::try_from(mesh.record.frames.get()).expect("a negative count is an error");
        let vertices = u64::try_from(mesh.record.vertices.get()).expect("a negative count is an error");
        assert_eq!(mesh.vertices.len() as u64, frames * vertices);
    }
}

fn mesh(mesh: &Mesh<'_>) {
    assert_eq!(mesh.uvs.len(), (0..3).filter(|&set| mesh.uvs.get(set).is_some()).count());
    assert!(mesh.mode == 3 || mesh.uvs.len() == 1);
    assert!(mesh.uvs.len() > 0 && mesh.uvs.iter().count() == mesh.uvs.len());
    text(mesh.name);
    indices(&mesh.bone_ids);
    if let Some(weights) = mesh.weights {
        self::weights(&weights);
    }
    let mut failed = false;
    let mut groups = 0;
    for group in mesh.face_groups {
        failed |= group.is_err();
        if let Ok(group) = group {
            groups += 1;
            face_group(mesh, &group);
        }
    }
    assert!(failed || groups == mesh.face_group_count);
}

fn face_group(mesh: &Mesh<'_>, group: &FaceGroup<'_>) {
    indices(&group.vertex_indices);
    indices(&group.normal_indices);
    for set in 0..3 {
        assert_eq!(mesh.uvs.get(set).is_some(), group.uv_indices.get(set).is_some());
        assert_eq!(mesh.uvs.get(set).is_some(), group.materials.get(set).is_some());
        if let Some(uv_indices) = group.uv_indices.get(set) {
            indices(&uv_indices);
        }
    }
    assert_eq!(group.smoothing.is_some(), group.kind == 2);
    assert!(group.triangle_count() <= group.vertex_indices.len());
}

fn indices(indices: &Indices<'_>) {
    let rows = indices.as_table().in_place().expect("indices are in place");
    let width = match indices {
        Indices::U8(_) => 1,
        Indices::U16(_) => 2,
        Indices::U32(_) => 4,
    };
    assert_eq!(rows.bytes.len(), indices.len() * width);
    assert!(indices.offset() >= 8, "indices in the header");
    assert!(indices.get(indices.len()).is_none());
    for (at, index) in indices.iter().enumerate().take(ENOUGH) {
        assert_eq!(indices.get(at), Some(index));
        assert!(width == 4 || index >> (8 * width) == 0);
    }
}

/// A name is the same however it is obtained.
fn text(name: AnsiStr<'_>) {
    assert!(format!("{name:?}") == format!("\"{name}\""));
    let decoded = name.decode();
    assert_eq!(
        AnsiStr::from(decoded.as_str()) == std::str::from_utf8(name.as_bytes()).unwrap_or(""),
        name.to_text().is_some()
    );
}

fn weights(weights: &Weights<'_>) {
    let mut used = 0;
    for list in weights.vertices() {
        assert!((1..=weights.bones_per_vertex as usize).contains(&list.len()));
        assert_eq!(list.iter().count(), list.len());
        // Only the last record of a list may end it.
        assert!(list.iter().take(list.len() - 1).all(|weight| !weight.is_last));
        used += list.len();
        assert!(list.is_closed() || used == weights.records.len());
    }
    assert_eq!(used, weights.records.len());
}

fn collections(morphs: &MorphCollections<'_>) {
    let mut count = 0;
    let mut bones = 0;
    let mut animations = 0;
    let mut matrices = 0;
    let mut colliders = 0;
    for collection in morphs.collections() {
        count += 1;
        bones += collection.bone_names().count();
        animations += collection.animation_names().count();
        matrices += collection.matrices.len();
        colliders += collection.colliders.len();
    }
    assert_eq!((count, bones, animations), (morphs.records.len(), morphs.bones.len(), morphs.animations.len()));
    assert_eq!((matrices, colliders), (morphs.matrices.len(), morphs.colliders.len()));
}
