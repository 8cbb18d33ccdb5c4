//! What `info` writes of Ballance maps and LODka3D models.

use crate::support::program::{Folder, code, program, run, stdout};
use crate::writer::bmx::{COMMENT, IDENTITY, Map, Material, Mesh, Object, Texture, full};
use crate::writer::bytes::Bytes;
use crate::writer::lodka::{self, chunk, file, list};
use crate::writer::zip::{Entry, zip};

/// Returns the lines of a report after its head, from the first heading of the format's own on.
fn body(text: &str, heading: &str) -> String {
    let start = text.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading} in {text}"));
    text[start + 1..].to_owned()
}

#[test]
fn a_model_has_a_line_for_each_of_its_parts() {
    let output = run(["info", "corpus/lodka/everything.lod"]);
    assert_eq!(code(&output), 0);
    let expected = "\
Meshes
  rigid  4 vertices, 1 triangle, 1 face group, one bone per vertex
  weighted  3 vertices, 1 triangle, 1 face group, up to 3 bones per vertex
  two sets  3 vertices, 4 triangles, 2 face groups, 2 uv sets
  mesh  0 vertices, 0 triangles, 0 face groups

Materials
  stone  stone.bmp, light.bmp, modulate
  leaf  leaf.png, modulate

Textures inside
  stone.bmp  bmp, 58 bytes, for material stone
  leaf.png  png, 8 bytes, for material leaf
  (no name)  of unknown kind, 0 bytes, for material (no name)

Shaders
  stone  bumps of leaf
  shader of kind 9  8 bytes
  stone  bumps of leaf
  shader of kind 2  0 bytes

Skeleton
  0  b0  root
  1  b1  on 0
  2  b2  on 1

Animations
  run  2 frames, 0.08 s, loop
  (no name)  0 frames, 0.00 s, loop
  jump  1 frame, 0.04 s, loop

Morph animations
  body  2 bones, 3 frames: walk, (no name)
  hat  1 bone, 3 frames: nod

Morphed meshes
  rigid  3 frames of 4 vertices, by body
  weighted  3 frames of 3 vertices, by hat

Physics
  torso  body: box
  head  body: sphere
  box  geom: ray of body -1
  (no name)  geom: trimesh of body 0
  plane  geom: plane of body 1
  joint 0  none of bodies 0 and -1
  joint 1  ball of bodies 0 and 1
  joint 2  slider of bodies 0 and 1
  joint 3  hinge of bodies 0 and 1
  joint 4  hinge2 of bodies 0 and 1
  joint 5  universal of bodies 0 and 1
  joint 6  corkscrew of bodies 0 and 1
  joint 7  up-vector of bodies 0 and 1

Lights
  day  4 of 8 lights on
  night  4 of 8 lights on

Proxies
  mesh 3  3 proxies

Colliders
  hits  4 colliders
  none  0 colliders

Screenshot
  front  bmp, 58 bytes

User's own
  made for tests  14 bytes
";
    assert_eq!(body(&stdout(&output), "Meshes"), expected);
}

#[test]
fn long_lists_of_a_model_end_with_a_count() {
    let meshes = vec![lodka::Mesh::default(); 405];
    let unknown = chunk(b"ABCD", 1, lodka::text("x"));
    let folder = Folder::new("long-lists");
    let path = folder.file("long.lod", file([lodka::meshes(&meshes), list(b"ANS1", []), unknown]).to_vec());
    let text = stdout(&program().arg("info").arg(&path).output().unwrap());
    let text = body(&text, "Meshes");
    assert_eq!(text.matches("\n  mesh  3 vertices").count(), 400);
    assert!(text.contains("\n  ... and 5 more; --json has all\n"), "{text}");
    assert!(text.contains("\nUnknown chunks\n  ABCD  "), "{text}");
}

#[test]
fn a_map_has_a_line_for_each_of_its_records() {
    let output = run(["info", "corpus/bmx/full.bmx"]);
    assert_eq!(code(&output), 0);
    let expected = "\
Objects by group
  (in no group)
    隐藏的物体  mesh 四面体, hidden
    Empty  mesh Nothing
  (no name)
    (no name)  mesh Quad
  Phys_Floors
    A01_Floor_😀_01  mesh Quad
    (no name)  mesh Quad
  Sound_HitID_01
    A01_Floor_😀_01  mesh Quad
  自定义组
    A01_Floor_😀_01  mesh Quad

Components by kind
  P_Modul_18  1  P_Modul_18_01

Meshes
  0  Quad  2 triangles, 4 vertices
  1  四面体  4 triangles, 4 vertices
  2  Nothing  0 triangles, 0 vertices

Materials
  0  地板材质  texture 我的地板.png  diffuse 0.5 0.25 0.125
  1  Bare  no texture  diffuse 1 1 1

Textures
  0  Floor_Top_Flat.bmp  the game's own
  1  我的地板.png  embedded, 42 bytes
  2  我的地板.png  embedded, 42 bytes
";
    assert_eq!(body(&stdout(&output), "Objects by group"), expected);
}

/// A map of this many objects and of 410 meshes, materials and textures. The first objects and materials refer to the last
/// meshes and textures.
fn long_map(objects: u32) -> Map {
    let name = |what: &str, number: u32| -> &'static str { format!("{what}{number}").leak() };
    let mut map = full(14);
    map.objects.clear();
    map.meshes.clear();
    map.materials.clear();
    map.textures.clear();
    for number in 0..objects {
        let mesh = 409 - number % 410;
        let (matrix, groups) = (IDENTITY, &[][..]);
        map.objects.push(Object {
            name: name("object", number),
            component: false,
            hidden: false,
            matrix,
            groups,
            mesh,
        });
    }
    for number in 0..410 {
        let (positions, uvs, normals, faces) = (vec![], vec![], vec![], vec![]);
        map.meshes.push(Mesh { name: name("mesh", number), positions, uvs, normals, faces });
        map.materials.push(Material {
            name: name("material", number),
            colors: [1.0; 12],
            power: 0.0,
            switches: [false; 4],
            texture: Some(409 - number),
        });
        let file_name = name("image", number);
        map.textures.push(Texture { name: file_name, file_name, external: true });
    }
    map
}

#[test]
fn lines_of_a_map_name_items_that_are_not_shown_themselves() {
    let folder = Folder::new("named-beyond");
    let path = folder.file("long.bmx", long_map(410).packed());
    let text = stdout(&program().arg("info").arg(&path).output().unwrap());
    let text = body(&text, "Objects by group");
    assert!(text.contains("\n    object0  mesh mesh409\n"), "{text}");
    assert!(text.contains("\n  0  material0  texture image409  "), "{text}");
    assert!(text.contains("\n    object399  mesh mesh10\n") && !text.contains("object400"), "{text}");
    // Objects, meshes, materials and textures.
    assert_eq!(text.matches("  ... and 10 more; --json has all\n").count(), 4, "{text}");
}

#[test]
fn images_of_a_map_that_cannot_be_read_are_not_said_to_be_there() {
    let map = full(14);
    let mut entries = map.entries(&map.tables(), |name, bytes| Entry::deflated(name, bytes));
    let is_image = |entry: &&mut Entry| entry.central.name.starts_with(b"Texture/");
    entries.iter_mut().find(is_image).unwrap().header_offset = Some(5);
    let folder = Folder::new("unreadable-image");
    let path = folder.file("map.bmx", zip(&entries, COMMENT).to_vec());
    let output = program().arg("info").arg(&path).output().unwrap();
    let text = stdout(&output);
    assert!(text.contains("\n  1  我的地板.png  embedded, but not readable\n"), "{text}");
}

#[test]
fn a_report_that_a_limit_ends_says_so() {
    let chunks = vec![chunk(b"ABCD", 1, Bytes::new()); 20_000];
    let folder = Folder::new("ended-report");
    let path = folder.file("many.lod", file([list(b"MSL1", chunks)]).to_vec());
    let info = |flags: &[&str]| stdout(&program().arg("info").arg(&path).args(flags).output().unwrap());
    let whole = info(&[]);
    assert!(
        whole.contains("  ... and 19,600 more; --json has all\n") && !whole.contains("not all is shown"),
        "{whole}"
    );
    let ended = info(&["--max-work", "1"]);
    assert!(ended.contains("\n  not all is shown: more than ") && ended.contains("--max-work raises it"), "{ended}");
    assert!(ended.contains("  ... and at least ") && !ended.contains("--json has all"), "{ended}");
}

#[test]
fn what_a_limit_cuts_is_left_out_and_not_called_missing() {
    let folder = Folder::new("cut-items");
    let map = folder.file("map.bmx", long_map(2_000).packed());
    let groups = vec![lodka::Group::new(2, 1); 3_000];
    let meshes = [
        lodka::Mesh { name: "whole", ..lodka::Mesh::default() },
        lodka::Mesh { name: "cut", groups, ..lodka::Mesh::default() },
    ];
    let model = folder.file("model.lod", file([lodka::meshes(&meshes)]).to_vec());
    let info =
        |path: &std::path::Path| stdout(&program().arg("info").arg(path).args(["--max-work", "1"]).output().unwrap());
    let text = info(&map);
    assert!(text.contains("\n    object0  mesh ") && text.contains("not all is shown"), "{text}");
    assert!(!text.contains("missing"), "{text}");
    let text = info(&model);
    assert!(text.contains("\n  whole  3 vertices") && !text.contains("\n  cut  "), "{text}");
    assert!(text.contains("not all is shown"), "{text}");
}

#[test]
fn items_that_cannot_be_read_are_not_counted_among_the_rest() {
    let broken = lodka::Mesh { mode: 9, ..lodka::Mesh::default() };
    let mut meshes = vec![lodka::Mesh::default(); 400];
    meshes.extend(vec![broken; 50]);
    let folder = Folder::new("broken-tail");
    let path = folder.file("tail.lod", file([lodka::meshes(&meshes)]).to_vec());
    let text = stdout(&program().arg("info").arg(&path).output().unwrap());
    let text = body(&text, "Meshes");
    let shown = text.split("\n\n").next().unwrap();
    assert_eq!((shown.lines().count(), shown.contains("more")), (401, false), "{text}");
}
