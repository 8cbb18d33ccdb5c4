//! Tests of the Blitz3D reader.

use meshpeek::b3d::{ChunkKind, Scene};
use meshpeek::summary::Problems;
use meshpeek::view::{LeArray, Strided};
use meshpeek::{Asset, Depth, ErrorKind, Inspect, Limits};

use crate::memory::usage_of;
use crate::support::files::outside_file;
use crate::writer::b3d::{self as write, chunk, mesh, node, scene, triangles, vertices};
use crate::writer::bytes::Bytes;

/// Sums over all positions, indices and keys.
fn read_all(bytes: &[u8]) -> (f64, i64, i64) {
    let scene = Scene::parse(bytes).unwrap();
    let (mut positions, mut indices, mut frames) = (0.0, 0, 0);
    for node in scene.nodes() {
        let node = node.unwrap();
        if let Some(mesh) = node.mesh().unwrap() {
            let vertices = mesh.vertices().unwrap();
            positions += vertices.positions().iter().flat_map(|p| p.to_array()).map(f64::from).sum::<f64>();
            for triangles in mesh.triangles() {
                let corners = triangles.unwrap().indices.iter().flat_map(|triangle| triangle.vertices);
                indices += corners.map(|id| i64::from(id.get())).sum::<i64>();
            }
        }
        for keys in node.keys() {
            frames += keys.unwrap().frames().iter().map(|frame| i64::from(frame.get())).sum::<i64>();
        }
    }
    (positions, indices, frames)
}

/// The names of the textures and brushes in a dissection are those that selectors take.
#[test]
fn textures_and_brushes_of_several_chunks_are_numbered_on() {
    let texture = |bytes: Bytes, name: &&str| bytes.cstr(name).raw([0; 28]);
    let textures = |names: &[&str]| chunk(b"TEXS", names.iter().fold(Bytes::new(), texture));
    let brush = |bytes: Bytes, name: &&str| bytes.cstr(name).raw([0; 28]);
    let brushes = |names: &[&str]| chunk(b"BRUS", names.iter().fold(Bytes::new().u32(0), brush));
    let folder = crate::support::program::Folder::new("b3d-numbers");
    let file = scene([
        textures(&["a", "b"]),
        textures(&[]),
        textures(&["c"]),
        textures(&["d"]),
        brushes(&["e"]),
        brushes(&[]),
        brushes(&["f", "g"]),
    ]);
    folder.file("x.b3d", file.to_vec());
    let path = folder.0.join("x.b3d");
    let tree = crate::support::program::stdout(&crate::support::program::run(["tree", path.to_str().unwrap()]));
    let mut records = Vec::new();
    for line in tree.lines() {
        let words: Vec<&str> = line.split_whitespace().skip(2).collect();
        if words[0].starts_with("textures[") || words[0].starts_with("brushes[") {
            records.push(words.join(" "));
        }
    }
    let expected =
        "textures[0] a, textures[1] b, textures[2] c, textures[3] d, brushes[0] e, brushes[1] f, brushes[2] g";
    assert_eq!(records.join(", "), expected, "{tree}");
    for name in ["textures/3", "brushes/2"] {
        let hex = crate::support::program::run(["hex", path.to_str().unwrap(), name]);
        assert_eq!(crate::support::program::code(&hex), 0, "{}", crate::support::program::stderr(&hex));
    }
}

#[test]
fn reading_everything_allocates_nothing_that_grows_with_the_file() {
    let mut seen = Vec::new();
    for name in ["b3d/character.b3d", "b3d/dwarf2.b3d"] {
        let Some(bytes) = outside_file(name) else { return };
        let (sums, usage) = usage_of(|| read_all(&bytes));
        assert!(sums.1 > 0 && sums.2 > 0);
        seen.push((bytes.len(), usage));
    }
    // The rest is the walk's stack: a frame for each level of nodes, in powers of two.
    for (size, usage) in &seen {
        assert!(usage.total < 8 << 10, "{usage:?} for {size} bytes");
    }
    let wide =
        scene([node("n", [mesh(-1, [vertices(50_000, 3, 2, 2), triangles(-1, &[[0, 1, 2]; 50_000])])])]).to_vec();
    let narrow = scene([node("n", [mesh(-1, [vertices(5, 3, 2, 2), triangles(-1, &[[0, 1, 2]; 5])])])]).to_vec();
    assert_eq!(usage_of(|| read_all(&wide)).1, usage_of(|| read_all(&narrow)).1);
}

#[test]
fn every_array_is_inside_the_file() {
    let bytes = write::sound().to_vec();
    let inside = |pointer: *const u8| assert!(bytes.as_ptr_range().contains(&pointer));
    fn of<T: meshpeek::view::Element>(array: LeArray<'_, T>) -> *const u8 {
        array.as_bytes().as_ptr()
    }
    fn first<T: meshpeek::view::Element>(column: Strided<'_, T>) -> *const u8 {
        std::ptr::from_ref(column.get(0).unwrap()).cast()
    }
    let scene = Scene::parse(&bytes).unwrap();
    inside(scene.textures().next().unwrap().unwrap().name.as_bytes().as_ptr());
    inside(of(scene.brushes().next().unwrap().unwrap().texture_ids));
    let nodes: Vec<_> = scene.nodes().map(Result::unwrap).collect();
    let mesh = nodes[0].mesh().unwrap().unwrap();
    inside(first(mesh.vertices().unwrap().positions()));
    inside(first(mesh.vertices().unwrap().normals().unwrap()));
    inside(first(mesh.vertices().unwrap().tex_coords(0).unwrap().uv().unwrap()));
    inside(of(mesh.triangles().next().unwrap().unwrap().indices));
    inside(of(nodes[1].bone().unwrap().unwrap().weights));
    inside(first(nodes[1].keys().next().unwrap().unwrap().rotations().unwrap()));
}

#[test]
fn columns_have_the_written_values() {
    // 3 + 3 + 4 + 2 x 2 floats for each vertex, numbered in eighths except for the normals.
    let bytes = scene([node("n", [mesh(-1, [vertices(3, 3, 2, 2), triangles(-1, &[[2, 1, 0]])])])]).to_vec();
    let scene = Scene::parse(&bytes).unwrap();
    let mesh = scene.nodes().next().unwrap().unwrap().mesh().unwrap().unwrap();
    let vertices = mesh.vertices().unwrap();
    let eighths = |from: u8, count: u8| (from..from + count).map(|i| f32::from(i) / 8.0).collect::<Vec<_>>();
    assert_eq!((vertices.len(), vertices.stride()), (3, 56));
    assert_eq!(vertices.positions().get(1).unwrap().to_array().to_vec(), eighths(14, 3));
    assert_eq!(vertices.normals().unwrap().get(1).unwrap().to_array(), [0.6, -0.8, 0.0]);
    assert_eq!(vertices.colors().unwrap().get(1).unwrap().to_array(), [0.25, 0.375, 0.5, 0.625]);
    let second = vertices.tex_coords(1).unwrap();
    assert_eq!(second.get(1).unwrap().iter().map(|f| f.get()).collect::<Vec<_>>(), eighths(26, 2));
    assert_eq!(second.uv().unwrap().get(2).unwrap().to_array().to_vec(), eighths(40, 2));
    assert!(vertices.tex_coords(2).is_none());
    assert_eq!(
        mesh.triangles().next().unwrap().unwrap().indices.get(0).unwrap().vertices.map(|id| id.get()),
        [2, 1, 0]
    );
}

#[test]
fn columns_without_a_vertex_are_inside_the_file() {
    // The chunk of vertices is the last in the file, so anything after its fields would be outside.
    let bytes = scene([node("n", [mesh(-1, [vertices(0, 3, 2, 2)])])]).to_vec();
    crate::any::run(&bytes);
}

#[test]
fn brushes_of_triangles_follow_the_rule() {
    for (own, of_mesh, expected) in
        [(2, 1, Some(2)), (-1, 1, Some(1)), (-1, -1, None), (-7, -7, None), (0, -1, Some(0))]
    {
        let bytes = scene([node("n", [mesh(of_mesh, [vertices(3, 0, 0, 0), triangles(own, &[])])])]).to_vec();
        let mesh = Scene::parse(&bytes).unwrap().nodes().next().unwrap().unwrap().mesh().unwrap().unwrap();
        assert_eq!(mesh.triangles().next().unwrap().unwrap().brush(), expected, "{own} in {of_mesh}");
    }
}

#[test]
fn a_bone_speaks_of_the_nearest_mesh_already_read() {
    let sized = |count| mesh(-1, [vertices(count, 0, 0, 0)]);
    let bone = |name| node(name, [write::bone(&[])]);
    let bytes = scene([
        bone("before any"),
        node(
            "outer",
            [
                bone("before outer's own"),
                sized(3),
                bone("in outer"),
                node(
                    "inner",
                    [bone("before inner's own"), sized(4), bone("in inner"), node("x", [bone("below inner")])],
                ),
                bone("behind inner"),
            ],
        ),
    ])
    .to_vec();
    let scene = Scene::parse(&bytes).unwrap();
    let expected = [
        ("before any", None),
        ("before outer's own", None),
        ("in outer", Some(3)),
        ("before inner's own", Some(3)),
        ("in inner", Some(4)),
        ("below inner", Some(4)),
        ("behind inner", Some(3)),
    ];
    let vertices = |mesh: Option<meshpeek::b3d::Mesh<'_>>| mesh.map(|mesh| mesh.vertices().unwrap().len());
    let nodes: Vec<_> = scene.nodes().map(Result::unwrap).collect();
    let mut bones = nodes.iter().filter_map(|node| Some((node, node.bone().unwrap()?)));
    let mut steps = scene.walk().map(Result::unwrap).filter_map(|step| match step.part {
        ChunkKind::Bone(mesh) => Some(mesh),
        _ => None,
    });
    for (name, count) in expected {
        let (node, bone) = bones.next().unwrap();
        assert_eq!(node.name, name);
        assert_eq!(vertices(bone.mesh), count, "{name}");
        assert_eq!(vertices(steps.next().unwrap()), count, "{name} on the walk");
    }
    assert!(bones.next().is_none() && steps.next().is_none());
}

#[test]
fn tracks_put_several_lists_together_and_the_later_key_wins() {
    let late = chunk(b"KEYS", Bytes::new().u32(1).i32(2).f32s([9.0, 9.0, 9.0]));
    let bytes = scene([node("n", [write::keys(1, [1, 2]), write::keys(4, [2]), late])]).to_vec();
    let node = Scene::parse(&bytes).unwrap().nodes().next().unwrap().unwrap();
    let tracks = node.to_tracks().unwrap();
    assert_eq!(tracks.positions.into_iter().collect::<Vec<_>>(), [(1, [1.0, 1.25, 1.5]), (2, [9.0; 3])]);
    assert_eq!(tracks.rotations.into_iter().collect::<Vec<_>>(), [(2, [0.0, 0.6, 0.8, 0.0])]);
    assert!(tracks.scales.is_empty());
}

#[test]
fn additions_of_some_writers_are_read() {
    let bytes = scene([node(
        "n",
        [write::sequence("walk", 1, 20), chunk(b"PIVO", Bytes::new()), write::sequence("run", 21, 30)],
    )])
    .to_vec();
    let node = Scene::parse(&bytes).unwrap().nodes().next().unwrap().unwrap();
    let sequences: Vec<_> = node.sequences().map(Result::unwrap).collect();
    let found: Vec<_> = sequences.iter().map(|s| (s.name.to_string(), s.first_frame, s.last_frame)).collect();
    assert_eq!(found, [("walk".to_owned(), 1, 20), ("run".to_owned(), 21, 30)]);
    assert!(node.is_marked_pivot());
}

/// Returns the number of triangles whose first normal is on the side from which their corners run clockwise, in a
/// left-handed space, and the number of the others.
pub fn winding(triangles: impl Iterator<Item = ([[f32; 3]; 3], [f32; 3])>) -> [usize; 2] {
    let mut sides = [0; 2];
    for ([a, b, c], normal) in triangles {
        let to = |p: [f32; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
        let ([ux, uy, uz], [vx, vy, vz]) = (to(b), to(c));
        let cross = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        let along: f32 = cross.iter().zip(normal).map(|(a, b)| a * b).sum();
        if along != 0.0 {
            sides[usize::from(along < 0.0)] += 1;
        }
    }
    sides
}

#[test]
fn corners_of_front_faces_run_clockwise() {
    // Another real file, a cow, has normals on both sides.
    for (name, least) in [("b3d/character.b3d", 80), ("wild/key.b3d", 4), ("wild/scp860.b3d", 4)] {
        let Some(bytes) = outside_file(name) else { return };
        let node = Scene::parse(&bytes).unwrap().nodes().map(Result::unwrap).find(|n| n.mesh().unwrap().is_some());
        let mesh = node.unwrap().mesh().unwrap().unwrap();
        let vertices = mesh.vertices().unwrap();
        let (positions, normals) = (vertices.positions(), vertices.normals().unwrap());
        let triangles = mesh.triangles().flat_map(|list| list.unwrap().indices).map(|triangle| {
            let corners = triangle.vertices.map(|id| id.get() as usize);
            (corners.map(|id| positions.get(id).unwrap().to_array()), normals.get(corners[0]).unwrap().to_array())
        });
        let [clockwise, other] = winding(triangles);
        assert!(clockwise >= least && other == 0, "{name}: {clockwise} and {other}");
    }
}

#[test]
fn a_stored_rotation_turns_the_other_way() {
    // A quarter turn about Y in the usual convention takes X to -Z. Stored with its vector part unchanged, X goes to
    // +Z.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let own = Bytes::new().cstr("n").f32s([5.0, 6.0, 7.0]).f32s([2.0, 1.0, 1.0]).f32s([half, 0.0, half, 0.0]);
    let bytes = scene([chunk(b"NODE", own)]).to_vec();
    let node = Scene::parse(&bytes).unwrap().nodes().next().unwrap().unwrap();
    assert_eq!(meshpeek::b3d::rotation_xyzw(node.rotation()), [0.0, -half, 0.0, half]);
    let column = |index: usize| node.local_matrix().map(|row| row[index]);
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near(column(0), [0.0, 0.0, 2.0]), "{:?}", column(0));
    assert!(near(column(3), [5.0, 6.0, 7.0]));
}

/// The box that the vertices of all primitives have, in the file's left-handed space.
fn box_of_primitives(asset: &Asset<'_>) -> Option<[[f32; 3]; 2]> {
    let mut around: Option<[[f32; 3]; 2]> = None;
    for primitive in asset.primitives() {
        let primitive = primitive.ok()?;
        let positions = primitive.positions().ok()?;
        for index in 0..positions.len() {
            let [x, y, z] = primitive.world_matrix.point(positions.array(index).unwrap());
            let point = [-x, y, z];
            let [min, max] = around.get_or_insert([point; 2]);
            for axis in 0..3 {
                min[axis] = min[axis].min(point[axis]);
                max[axis] = max[axis].max(point[axis]);
            }
        }
    }
    around
}

#[test]
fn bounds_are_those_of_all_vertices_through_their_nodes() {
    // A unit cube's corner in two nodes: the outer one moves, the inner one scales and turns a quarter about Y.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let head = |place: [f32; 3], scale: [f32; 3], rotation: [f32; 4]| {
        Bytes::new().cstr("n").f32s(place).f32s(scale).f32s(rotation)
    };
    let corners =
        Bytes::new().i32(0).i32(0).i32(0).f32s([0.0, 0.0, 0.0]).f32s([1.0, 2.0, 3.0]).f32s([f32::NAN, 1.0, 1.0]);
    let mesh = mesh(-1, [chunk(b"VRTS", corners)]);
    let inner = write::join(head([0.0; 3], [2.0, 1.0, 1.0], [half, 0.0, half, 0.0]), [mesh]);
    let outer = write::join(head([10.0, 20.0, 30.0], [1.0; 3], [1.0, 0.0, 0.0, 0.0]), [chunk(b"NODE", inner)]);
    let bytes = scene([chunk(b"NODE", outer)]).to_vec();
    let asset = Scene::parse(&bytes).unwrap();
    assert_eq!(asset.summarize_header().bounds, None);
    let found = asset.summarize().bounds.unwrap();
    let mut problems = Problems::new(&Limits::default());
    assert_eq!(asset.survey(Depth::Verify, &mut problems).bounds, Some(found));
    // X goes to Z, and Z to -X.
    let expected = [[7.0, 20.0, 30.0], [10.0, 22.0, 32.0]];
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near(found.min, expected[0]) && near(found.max, expected[1]), "{found:?}");

    let infinite = Bytes::new().i32(0).i32(0).i32(0).f32s([0.0, f32::INFINITY, 0.0]);
    for vertices in [infinite, Bytes::new().i32(0).i32(0).i32(0)] {
        let part = write::mesh(-1, [chunk(b"VRTS", vertices)]);
        let bytes = scene([node("n", [part])]).to_vec();
        assert_eq!(Scene::parse(&bytes).unwrap().summarize().bounds, None);
    }
}

#[test]
fn a_scene_of_which_vertices_cannot_be_read_has_no_bounds() {
    let sound = || node("good", [write::one_triangle()]);
    let bounds = |bytes: &[u8]| Scene::parse(bytes).unwrap().summarize().bounds;
    let bytes = scene([sound(), node("cut", [write::mesh(-1, [chunk(b"VRTS", Bytes::new().u32(0))])])]).to_vec();
    assert_eq!(bounds(&bytes), None);
    // The last node, and with it its mesh, is cut off.
    let bytes = scene([sound(), sound()]).to_vec();
    assert!(bounds(&bytes).is_some());
    for end in [bytes.len() - 8, bytes.len() / 2 + 20] {
        let asset = Scene::parse(&bytes[..end]).unwrap();
        let (summary, whole) = (asset.summarize(), bounds(&bytes).unwrap());
        // The part that is cut off may hold no vertices.
        assert!(summary.bounds.is_none() || summary.bounds == Some(whole), "{end}");
        assert!(!summary.problems.is_empty(), "{end}");
    }
}

#[test]
fn counts_are_those_of_a_summary_of_damaged_scenes_too() {
    let mut compared = 0;
    for (path, bytes) in crate::support::files::files() {
        for end in [bytes.len(), bytes.len() / 2, bytes.len() / 3 * 2] {
            let Ok(scene) = Scene::parse(&bytes[..end]) else { continue };
            assert_eq!(scene.counts().unwrap(), scene.summarize().counts, "{} up to {end}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared}");
}

/// The geometry of every format works the same matrices out in another way.
#[test]
fn bounds_agree_with_geometry() {
    let mut compared = 0;
    let mut all: Vec<_> = crate::support::files::files()
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|name| name == "b3d"))
        .collect();
    if let Some(folder) = crate::support::files::outside() {
        for path in crate::support::files::below(&folder.join("b3d")) {
            all.push((path.clone(), std::fs::read(path).unwrap()));
        }
    }
    for (path, bytes) in all {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let (Some([min, max]), Some(found)) = (box_of_primitives(&asset), asset.summarize().bounds) else {
            continue;
        };
        let size = min.iter().chain(&max).fold(0.0, |most: f32, number| most.max(number.abs()));
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= size * 1e-5);
        assert!(near(min, found.min) && near(max, found.max), "{}: {min:?} {max:?} {found:?}", path.display());
        compared += 1;
    }
    assert!(compared >= 4, "{compared}");
}

/// Damages one part: everything before it and beside it is still available.
#[test]
fn one_broken_part_does_not_hide_the_others() {
    let good = || node("good", [write::one_triangle()]);
    // The offset of the mistake is counted from the start of the broken node.
    let broken = [
        (chunk(b"NODE", Bytes::new().raw(b"no end")), "nodes[1].name", 8, "text without its closing NUL"),
        (chunk(b"NODE", Bytes::new().cstr("n").f32(0.0)), "nodes[1].transform", 10, "needs 40 bytes, 4 left"),
        (node("n", [chunk(b"MESH", Bytes::new().u8(0))]), "nodes[1].mesh.brush_id", 58, "needs 4 bytes, 1 left"),
        (
            node("n", [mesh(-1, [chunk(b"VRTS", Bytes::new().u32(0).u32(0).u32(0).raw([0; 13]))])]),
            "meshes[1].vertices.records",
            82,
            "13 bytes do not divide into records of 12",
        ),
        (
            node("n", [mesh(-1, [vertices(1, 0, 0, 0), chunk(b"TRIS", Bytes::new().i32(0).raw([0; 11]))])]),
            "meshes[1].triangles[0].indices",
            106,
            "11 bytes do not divide into records of 12",
        ),
        (
            node("n", [chunk(b"BONE", Bytes::new().raw([0; 9]))]),
            "bones[0].weights",
            58,
            "9 bytes do not divide into records of 8",
        ),
        (
            node("n", [chunk(b"KEYS", Bytes::new().u32(1).raw([0; 15]))]),
            "nodes[1].keys[0].records",
            62,
            "15 bytes do not divide into records of 16",
        ),
        (
            node("n", [chunk(b"ANIM", Bytes::new().raw([0; 13]))]),
            "nodes[1].animation",
            70,
            "1 bytes after an animation's three fields",
        ),
    ];
    let start = scene([good()]).len() as u64;
    for (part, location, offset, cause) in broken {
        let bytes = scene([good(), part, good()]).to_vec();
        let asset = Asset::parse(&bytes).unwrap();
        let summary = asset.summarize();
        let [problem] = &summary.problems[..] else { panic!("{:?}", summary.problems) };
        assert_eq!((&*problem.message, problem.offset), (&*format!("{location}: {cause}"), Some(start + offset)));
        assert_eq!(summary.counts.get("triangles"), Some(2), "{location}: the good ones beside it");
    }
}

#[test]
fn a_short_or_foreign_header_is_an_error() {
    let of = |bytes: &[u8]| Scene::parse(bytes).unwrap_err();
    assert_eq!(of(b"").to_string(), "at 0x0: needs 8 bytes, 0 left");
    assert_eq!(of(b"BB3D\x04\0").to_string(), "at 0x0: needs 8 bytes, 6 left");
    assert_eq!(of(b"BB3D\x04\0\0\0\x01").to_string(), "version at 0x8: needs 4 bytes, 1 left");
    assert_eq!(of(b"TEXS\0\0\0\0").to_string(), "at 0x0: does not start with BB3D");
    let newer = of(b"BB3D\x04\0\0\0\x64\0\0\0");
    assert!(matches!(newer.kind(), ErrorKind::Unsupported(_)));
    assert_eq!(newer.to_string(), "at 0x8: Blitz3D scene of version 100, newer than this reader");
    assert_eq!(Scene::parse(b"BB3D\x04\0\0\0\x63\0\0\0").unwrap().version(), 99);
}

#[test]
fn a_list_after_a_reference_to_it_is_a_warning() {
    let textures = || write::textures(&[]);
    let brushes = || write::brushes(&[]);
    let node = || node("n", []);
    let problems_of = |parts: [Bytes; 3]| {
        let late: u64 = parts.iter().take(2).map(|part| part.len() as u64).sum();
        let mut problems = Problems::new(&Limits::default());
        Asset::parse(&scene(parts).to_vec()).unwrap().verify(&mut problems);
        let problems = problems.into_vec();
        problems
            .into_iter()
            .map(|problem| (problem.message.into_owned(), problem.offset.map(|at| at - 12 - late)))
            .collect::<Vec<_>>()
    };
    assert_eq!(problems_of([textures(), brushes(), node()]), []);
    assert_eq!(problems_of([textures(), node(), brushes()]), [("BRUS after what refers to it".to_owned(), Some(0))]);
    assert_eq!(problems_of([brushes(), node(), textures()]), [("TEXS after what refers to it".to_owned(), Some(0))]);
}

/// The counts of a scene are the sums of those of its parts, whichever parts it has. Those inside nodes are unknown to a
/// summary of the header.
#[test]
fn counts_are_the_sums_of_what_was_written() {
    let texture = || write::Texture { name: b"a.png", flags: 1, blend: 2 };
    let several = [vertices(3, 0, 0, 0), triangles(-1, &[[0, 1, 2]; 2]), triangles(-1, &[[0, 1, 2]; 3])];
    let parts: [(Bytes, &[(&str, u64)]); 7] = [
        (write::textures(&[texture(), texture()]), &[("textures", 2)]),
        (write::brushes(&[(b"a", &[0]), (b"b", &[0]), (b"c", &[0])]), &[("brushes", 3)]),
        (node("n", [node("n", [])]), &[("nodes", 2)]),
        (node("n", [mesh(-1, [vertices(5, 1, 1, 2)])]), &[("nodes", 1), ("meshes", 1), ("vertices", 5)]),
        (
            node("n", [mesh(-1, several)]),
            &[("nodes", 1), ("meshes", 1), ("vertices", 3), ("surfaces", 2), ("triangles", 5)],
        ),
        (
            node("n", [write::bone(&[(0, 0.5), (1, 0.5), (2, 1.0)]), write::bone(&[(0, 1.0)])]),
            &[("nodes", 1), ("bones", 2), ("weights", 4)],
        ),
        (
            node("n", [write::keys(1, [1, 2]), write::keys(2, [1, 2, 3]), write::animation(3, 25.0)]),
            &[("nodes", 1), ("keys", 5), ("animations", 1)],
        ),
    ];
    for chosen in 0..1 << parts.len() {
        let parts = || parts.iter().enumerate().filter(|(index, _)| chosen >> index & 1 != 0).map(|(_, part)| part);
        // Two of each, so that a count is more than that of its last part.
        let bytes = scene(parts().chain(parts()).map(|(part, _)| Bytes::new().part(part))).to_vec();
        let sum = |name: &str| {
            let of =
                |counts: &[(&str, u64)]| counts.iter().find(|(other, _)| *other == name).map_or(0, |count| count.1);
            2 * parts().map(|(_, counts)| of(counts)).sum::<u64>()
        };
        let scene = Scene::parse(&bytes).unwrap();
        let header = scene.summarize_header().counts;
        let mut names = 0;
        for counts in [scene.counts().unwrap(), scene.summarize().counts] {
            for (name, count) in counts.iter() {
                assert_eq!(count, Some(sum(name)), "{name} of {chosen:b}");
                let is_known = ["textures", "brushes"].contains(&name);
                assert_eq!(header.get(name), is_known.then(|| sum(name)), "{name} of {chosen:b}");
                names += 1;
            }
        }
        assert_eq!(names, 2 * 11);
    }
}

/// A node has at most one MESH, one BONE and one ANIM, and not both MESH and BONE. What comes second has the warning, in
/// any order. Chunks of other nodes do not count.
#[test]
fn what_one_node_has_twice_is_a_warning() {
    let part = |kind: &str| match kind {
        "MESH" => write::one_triangle(),
        "BONE" => write::bone(&[(0, 1.0)]),
        _ => write::animation(1, 25.0),
    };
    let kinds = ["MESH", "BONE", "ANIM"];
    // The headers of the scene and of a node, its name, and its ten numbers.
    let (scene_head, node_head) = (12, 8 + 2 + 40);
    for number in 0..81 {
        let order = [number / 27 % 3, number / 9 % 3, number / 3 % 3, number % 3].map(|index| kinds[index]);
        let whole = node("n", order.map(part));
        let one = node("n", [part(order[0])]);
        let mut expected = Vec::new();
        let mut offset = scene_head + one.len() as u64 + node_head;
        for (index, kind) in order.into_iter().enumerate() {
            let before = &order[..index];
            let other = match kind {
                "MESH" => "BONE",
                "BONE" => "MESH",
                _ => "",
            };
            if before.contains(&kind) {
                expected.push((format!("a second {kind} in one node"), Some(offset)));
            } else if before.contains(&other) {
                expected.push(("MESH and BONE in one node".to_owned(), Some(offset)));
            }
            offset += part(kind).len() as u64;
        }
        let bytes = scene([one.clone(), whole, one]).to_vec();
        let mut problems = Problems::new(&Limits::default());
        Asset::parse(&bytes).unwrap().verify(&mut problems);
        let found: Vec<_> = problems
            .into_vec()
            .into_iter()
            .filter(|problem| problem.message.ends_with("in one node"))
            .map(|problem| (problem.message.into_owned(), problem.offset))
            .collect();
        assert_eq!(found, expected, "{order:?}");
    }
}
