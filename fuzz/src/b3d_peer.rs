//! Blitz3D scenes compared with the crate `b3d`: data that it reads correctly must be equal here.

use b3d::{B3D, Key, Node as Theirs, Vertice};
use meshpeek::b3d::{Keys, Mesh, Node, Scene, Vertices};
use meshpeek::view::{Element, Strided};

use crate::peers::quietly;

pub fn run(data: &[u8]) {
    let Ok(scene) = Scene::parse(data) else { return };
    // For such a chunk, it allocates as much memory as the chunk claims.
    let is_claim = |at: &[u8]| at.starts_with(b"PIVO") && le_u32(&at[4..]) as usize > data.len();
    if data.windows(8).any(is_claim) {
        return;
    }
    let Some(Ok(theirs)) = quietly(|| B3D::read(data)) else { return };
    let Ok(ours) = scene.nodes().collect::<Result<Vec<_>, _>>() else { return };
    let mut read = Vec::new();
    flatten(&theirs.node, &mut read);
    // It supports only one root, and misreads chunks that do not end where their records do.
    if !ours.iter().map(place).eq(read.iter().copied().map(their_place)) {
        return;
    }
    if ours.iter().zip(&read).all(|(node, theirs)| ends_agree(node, theirs)) {
        ours.iter().zip(read).for_each(|(node, theirs)| compare(node, theirs));
    }
}

/// A parent node before its children, as in the file.
fn flatten<'a>(node: &'a Theirs, all: &mut Vec<&'a Theirs>) {
    all.push(node);
    node.children.iter().for_each(|child| flatten(child, all));
}

type Place = (Vec<u8>, [[u32; 3]; 2], [u32; 4]);

fn place(node: &Node<'_>) -> Place {
    let (position, scale) = (bits(node.position()), bits(node.scale()));
    (node.name.as_bytes().to_vec(), [position, scale], bits(node.rotation()))
}

fn their_place(node: &Theirs) -> Place {
    (node.name.clone().into_bytes(), [bits(node.position), bits(node.scale)], bits(node.rotation))
}

fn bits<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(f32::to_bits)
}

fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().unwrap())
}

fn bodies<'a>(node: &Node<'a>, tag: &str) -> Vec<&'a [u8]> {
    let of_tag = node.chunks().flatten().filter(|chunk| chunk.tag().to_string() == tag);
    of_tag.map(|chunk| chunk.body().rest()).collect()
}

/// Returns true if each part occurs at most once, of which the crate would keep the last, and ends where its records
/// do.
fn ends_agree(node: &Node<'_>, theirs: &Theirs) -> bool {
    let is = |tag: &str, len: usize| match *bodies(node, tag) {
        [] => true,
        [body] => body.len() == len,
        _ => false,
    };
    let list = &theirs.mesh.vertices;
    let vertices = 12 + list.vertices.len() * record(list.flags, [20, 12, 16, 0]);
    let triangles = theirs.mesh.triangles.iter().map(|list| 12 + 12 * list.indices.len()).sum::<usize>();
    let keys = 4 + theirs.keys.len() * record(theirs.key_flags, [4, 12, 12, 16]);
    is("MESH", 12 + vertices + triangles)
        && is("BONE", 8 * theirs.bones.len())
        && is("KEYS", keys)
        && is("ANIM", 12)
        && node.mesh().ok().flatten().is_none_or(|mesh| parts_agree(&mesh, &theirs.mesh, vertices))
}

/// It reads the first chunk as the vertices, whatever it is, and the others as triangles.
fn parts_agree(ours: &Mesh<'_>, theirs: &b3d::Mesh, vertices: usize) -> bool {
    let chunks = ours.chunks().flatten().map(|chunk| (chunk.tag().to_string(), chunk.body().left() as usize));
    let triangles = theirs.triangles.iter().map(|list| ("TRIS".to_owned(), 4 + 12 * list.indices.len()));
    chunks.eq([("VRTS".to_owned(), vertices)].into_iter().chain(triangles))
}

fn compare(node: &Node<'_>, theirs: &Theirs) {
    if !bodies(node, "MESH").is_empty() {
        let ours = node.mesh().expect("a mesh that is read there").expect("a mesh that is counted");
        assert_eq!(ours.brush_id as u32, theirs.mesh.brush_id);
        mesh(&ours, &theirs.mesh);
    }
    if !bodies(node, "BONE").is_empty() {
        let ours = node.bone().expect("a bone that is read there").expect("a bone that is counted");
        let ours = ours.weights.iter().map(|one| (one.vertex.get() as u32, one.weight.get().to_bits()));
        assert!(ours.eq(theirs.bones.iter().map(|one| (one.vertex_id, one.weight.to_bits()))), "{node:?}");
    }
    if !bodies(node, "KEYS").is_empty() {
        keys(&node.keys().next().expect("keys that are counted").expect("keys that are read there"), &theirs.keys);
    }
    if !bodies(node, "ANIM").is_empty() {
        let ours = node.animation().expect("an animation that is read there").expect("an animation that is counted");
        let theirs = &theirs.animation;
        let facts = (ours.flags as u32, ours.frames as u32, ours.fps.to_bits());
        assert_eq!(facts, (theirs.flags, theirs.frames, theirs.fps.to_bits()));
    }
}

/// Returns the size of a record with a fixed part, or of a record whose parts depend on flags.
fn record(flags: u32, [fixed, others @ ..]: [usize; 4]) -> usize {
    fixed + others.iter().enumerate().filter(|(bit, _)| flags >> bit & 1 == 1).map(|(_, bytes)| bytes).sum::<usize>()
}

fn mesh(ours: &Mesh<'_>, theirs: &b3d::Mesh) {
    let list = &theirs.vertices;
    // It reads one set of two coordinates, whatever the file says.
    if (list.tex_coord_sets, list.tex_coord_set_size) == (1, 2) {
        vertices(&ours.vertices().expect("vertices that are read there"), &list.vertices);
    }
    assert_eq!(ours.triangles().count(), theirs.triangles.len());
    for (ours, theirs) in ours.triangles().zip(&theirs.triangles) {
        let ours = ours.expect("triangles that are read there");
        assert_eq!(ours.brush_id as u32, theirs.brush_id);
        let corners = ours.indices.iter().map(|one| one.vertices.map(|vertex| vertex.get() as u32));
        assert!(corners.eq(theirs.indices.iter().copied()), "{ours:?}");
    }
}

fn vertices(ours: &Vertices<'_>, theirs: &[Vertice]) {
    assert_eq!(ours.len(), theirs.len());
    same(&ours.positions(), theirs.iter().map(|one| one.position));
    ours.normals().iter().for_each(|normals| same(normals, theirs.iter().map(|one| one.normal)));
    ours.colors().iter().for_each(|colors| same(colors, theirs.iter().map(|one| one.color)));
    let uvs = ours.tex_coords(0).and_then(|set| set.uv()).expect("one set of two");
    same(&uvs, theirs.iter().map(|one| one.tex_coords));
}

fn keys(ours: &Keys<'_>, theirs: &[Key]) {
    assert_eq!(ours.len(), theirs.len());
    assert!(ours.frames().iter().map(|frame| frame.get() as u32).eq(theirs.iter().map(|key| key.frame)));
    ours.positions().iter().for_each(|column| same(column, theirs.iter().map(|key| key.position)));
    ours.scales().iter().for_each(|column| same(column, theirs.iter().map(|key| key.scale)));
    ours.rotations().iter().for_each(|column| same(column, theirs.iter().map(|key| key.rotation)));
}

fn same<T: Element, const N: usize>(ours: &Strided<'_, T>, theirs: impl Iterator<Item = [f32; N]>) {
    let ours = ours.iter().flat_map(|one| one.as_bytes().chunks(4)).map(le_u32);
    assert!(ours.eq(theirs.flatten().map(f32::to_bits)), "a column of other numbers");
}
