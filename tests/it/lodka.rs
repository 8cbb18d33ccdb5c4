//! Tests of the LODka3D reader.

use std::time::{Duration, Instant};

use meshpeek::lodka::{AnsiStr, Model, to_cp1251, to_text};
use meshpeek::summary::{Code, Problem, Problems, Severity};
use meshpeek::view::ByteStr;
use meshpeek::{Asset, ErrorKind, Inspect, Limits};
use serde_json::{Value as Json, json};

use crate::memory::usage_of;
use crate::support::outline::{array, floats, is_in_place, numbers, outlined};
use crate::writer::bytes::Bytes;
use crate::writer::lodka::{self as write, Group, Mesh as Written, chunk, file, find, list, with_header};

fn model(bytes: &[u8]) -> Asset<'_> {
    Asset::parse(bytes).unwrap()
}

/// The fields of a model as `info --json` has them.
fn fields(bytes: &[u8]) -> Json {
    outlined(&model(bytes))
}

/// A field of each item of a list.
fn each(items: &Json, field: &str) -> Vec<Json> {
    items.as_array().unwrap().iter().map(|item| item[field].clone()).collect()
}

fn verify(bytes: &[u8]) -> Vec<Problem> {
    let mut problems = Problems::new(&Limits::default());
    Asset::parse(bytes).unwrap().verify(&mut problems);
    problems.into_vec()
}

/// The single problem that verify finds.
#[track_caller]
fn only(bytes: &[u8]) -> (Severity, String, Option<u64>) {
    let problems = verify(bytes);
    let [problem] = &problems[..] else { panic!("{problems:#?}") };
    (problem.severity, problem.message.to_string(), problem.offset)
}

/// The single problem is an error with this text, at this offset.
#[track_caller]
fn error(bytes: &[u8], message: &str, offset: usize) {
    assert_eq!(only(bytes), (Severity::Error, message.to_owned(), Some(offset as u64)));
}

#[track_caller]
fn warning(bytes: &[u8], message: &str, offset: usize) {
    assert_eq!(only(bytes), (Severity::Warning, message.to_owned(), Some(offset as u64)));
}

#[test]
fn every_array_is_inside_the_file() {
    let bytes = write::sound().to_vec();
    let sound = model(&bytes);
    for selector in [
        "infos/0/bytes",
        "animations/0/keys",
        "textures/1/data",
        "textures/1/reserve",
        "shaders/1/data",
        "meshes/0/positions",
        "meshes/0/normals",
        "meshes/0/bone_ids",
        "meshes/2/uvs/1",
        "meshes/2/face_groups/0/vertex_indices",
        "meshes/2/face_groups/0/normal_indices",
        "meshes/2/face_groups/0/uv_indices/1",
        "meshes/2/face_groups/0/smoothing",
        "morph_collections/0/matrices",
        "morph_collections/1/colliders",
        "morph_meshes/1/vertices",
        "physics/0/body_records",
        "physics/0/geom_records",
        "physics/0/joint_records",
        "physics/0/mesh_links",
        "light_schemes/0/light_records",
        "proxy_sets/0/proxy_records",
        "collider_sets/0/collider_records",
        "screenshots/0/data",
    ] {
        is_in_place(&sound, selector, &bytes);
    }
}

/// A mesh of this many vertices, with as many bone ids, normals and texture coordinates, and an animation of as many
/// frames.
fn large(size: u32) -> Vec<u8> {
    let groups = vec![Group { normals: true, uvs: true, ..Group::new(2, size) }];
    let (bone_count, bone_ids) = (2, size);
    let mesh =
        Written { vertices: size, normals: size, uvs: vec![size], bone_count, bone_ids, groups, ..Written::default() };
    let frames = list(b"ANS1", [write::animation("run", size as i32, 2)]);
    file([write::skeleton(2), frames, write::meshes(&[mesh])]).to_vec()
}

#[test]
fn an_outline_allocates_nothing_that_grows_with_arrays() {
    let cost = |size: u32| {
        let bytes = large(size);
        let mut rows = 0;
        let (_, usage) = usage_of(|| meshpeek::inspect::outline_within_limits(&model(&bytes), &mut Rows(&mut rows)));
        ((usage.allocations, usage.total), rows)
    };
    let ((small, few), (large, many)) = (cost(10), cost(20_000));
    assert_eq!(small, large);
    assert!(few > 50 && many == few * 2_000, "{few} and {many} rows");
}

/// Counts the rows of all arrays.
struct Rows<'r>(&'r mut u64);

impl meshpeek::inspect::Visitor for Rows<'_> {
    fn array(&mut self, array: &meshpeek::inspect::PartArray<'_>) {
        *self.0 += array.table.rows();
    }

    fn problem(&mut self, error: &meshpeek::Error) {
        panic!("{error}");
    }
}

#[test]
fn fields_have_the_written_values() {
    let bytes = write::sound().to_vec();
    let lod = fields(&bytes);
    let bones = &lod["skeletons"][0]["bones"];
    assert_eq!(
        (each(bones, "id"), each(bones, "parent")),
        (vec![json!(0), json!(1), json!(2)], vec![json!(-1), json!(0), json!(1)])
    );
    assert_eq!(bones[2]["name"], "b2");

    let run = &lod["animations"][0];
    assert_eq!((&run["name"], &run["interval"], &run["mode_name"]), (&json!("run"), &json!(40), &json!("loop")));
    assert_eq!((&run["frame_count"], &run["bone_count"], &run["duration"]), (&json!(2), &json!(3), &json!(80)));
    // Six floats for each key, numbered in eighths: frame 1 of 3 bones, bone 2 is key 5.
    let keys = floats(&model(&bytes), "animations/0/keys");
    assert_eq!(
        (keys.len(), &keys[30..]),
        (36, &[30.0, 31.0, 32.0, 33.0, 34.0, 35.0].map(|eighths: f32| eighths / 8.0)[..])
    );

    let stone = &lod["materials"][0];
    assert_eq!(stone["textures"], "stone.bmp:light.bmp");
    assert_eq!((&stone["first_texture"], &stone["second_texture"]), (&json!("stone.bmp"), &json!("light.bmp")));
    assert_eq!(stone["environment"], json!([2.0, 2.125, 2.25, 2.375]));
    assert_eq!((&stone["shininess"], &stone["normal_map_scale"]), (&json!(128), &json!(0.5)));
    assert_eq!(stone["image_alpha_name"], "inverse luminance sqrt");
    assert_eq!(stone["texture_format_name"], "RGBA float32");
    assert_eq!((&stone["texture_enabled"], &stone["enabled"]), (&json!(true), &json!(false)));
    assert_eq!(stone["mapping_mode_name"], "cube camera");
}

#[test]
fn embedded_files_have_the_written_values() {
    let bytes = write::sound().to_vec();
    let (sound, lod) = (model(&bytes), fields(&bytes));
    assert_eq!(numbers(&sound, "textures/1/reserve"), [0xee; 7]);
    let leaf = &lod["textures"][1];
    assert_eq!((&leaf["material"], &leaf["file_name"]), (&json!("leaf"), &json!("leaf.png")));
    assert_eq!(each(&lod["textures"], "image_kind"), [json!("bmp"), json!("png"), Json::Null]);
    let bump = &lod["shaders"][2]["bump"];
    assert_eq!((&bump["normal_material"], &bump["light_power"]), (&json!("leaf"), &json!(0.75)));
    assert_eq!(bump["reserve"]["count"], 5);
    assert_eq!(lod["shaders"][1]["kind"], 9);
    assert_eq!(raw(&sound, "shaders/1/data"), b"anything");
    assert!(lod["shaders"][1].get("bump").is_none());
    assert_eq!(raw(&sound, "screenshots/0/data"), write::bitmap());
}

/// The bytes of an array.
fn raw(asset: &Asset<'_>, selector: &str) -> Vec<u8> {
    array(asset, selector, |table| table.in_place().unwrap().bytes.to_vec())
}

#[test]
fn meshes_have_the_written_values() {
    let bytes = write::sound().to_vec();
    let (sound, lod) = (model(&bytes), fields(&bytes));
    assert_eq!(numbers(&sound, "meshes/0/bone_ids"), [0, 1, 2, 0]);
    // The bones of each vertex.
    assert_eq!(weights(&sound, 1), [(0, 0), (0, 1), (1, 1), (1, 0), (1, 2), (2, 2)]);
    let mesh = &lod["meshes"][2];
    assert_eq!(each(&mesh["uvs"], "count"), [json!(4), json!(5)]);
    assert_eq!(mesh["uv_counts_apart"], false);
    assert_eq!(numbers(&sound, "meshes/2/face_groups/0/vertex_indices"), [2, 1, 0, 2, 1, 0]);
    assert_eq!(numbers(&sound, "meshes/2/face_groups/0/uv_indices/1"), [4, 3, 2, 1, 0, 4]);
    let groups = &mesh["face_groups"];
    assert_eq!(groups[0]["materials"], json!(["stone", "leaf"]));
    assert_eq!((&groups[0]["smoothing"]["count"], &groups[1]["smoothing"]["count"]), (&json!(2), &json!(0)));
    assert_eq!(groups[0]["triangle_count"], 2);
}

/// The vertex and the bone of each weight of a mesh.
fn weights(model: &Asset<'_>, mesh: usize) -> Vec<(u32, u32)> {
    let bytes = crate::support::outline::bytes(model, &format!("meshes/{mesh}/weights"));
    let row = |row: &[u8]| (u32::from(row[0]), u32::from(u16::from_le_bytes([row[4], row[5]])));
    bytes.chunks(10).map(row).collect()
}

#[test]
fn morphs_have_the_written_values() {
    let bytes = write::sound().to_vec();
    let (sound, lod) = (model(&bytes), fields(&bytes));
    let collections = &lod["morph_collections"];
    let body = &collections[0];
    assert_eq!((&body["name"], &body["collider_name"]), (&json!("body"), &json!("hull")));
    assert_eq!(each(&body["bones"], "name"), ["hip", "knee"]);
    assert_eq!(each(&body["animations"], "name"), ["walk", ""]);
    assert_eq!((&body["frame_count"], &body["matrices"]["count"]), (&json!(3), &json!(6)));
    assert_eq!(each(&collections[1]["bones"], "name"), ["brim"]);
    // Matrices of 12 floats, numbered in eighths: six of the first collection, then frame 1 of the second.
    assert_eq!(floats(&sound, "morph_collections/1/matrices")[12], 84.0 / 8.0);
    assert_eq!(floats(&sound, "morph_collections/1/colliders")[0], 35.0 / 8.0);
    let faces = &lod["morph_meshes"];
    assert_eq!((&faces[1]["name"], &faces[1]["collection"]), (&json!("weighted"), &json!("hat")));
    // Frame 1 of four vertices starts after twelve floats.
    assert_eq!(floats(&sound, "morph_meshes/0/vertices")[12], 12.0 / 8.0);
    assert_eq!(floats(&sound, "morph_meshes/1/vertices")[0], 36.0 / 8.0);
}

#[test]
fn scenery_has_the_written_values() {
    let lod = fields(&write::sound().to_vec());
    let physics = &lod["physics"][0];
    assert_eq!(each(&physics["bodies"], "name"), ["torso", "head"]);
    assert_eq!(each(&physics["geoms"], "name"), ["box", "", "plane"]);
    let body = &physics["bodies"][1];
    assert_eq!((&body["kind_name"], &body["rotation"][3]), (&json!("sphere"), &json!(10.0 / 8.0)));
    assert_eq!((&body["auto_disable_steps"], &body["tag"]), (&json!(10), &json!(7.0)));
    assert_eq!((&body["auto_disable_time"], &body["angular_threshold"]), (&json!(3.0), &json!(0.02)));
    let geom = &physics["geoms"][2];
    assert_eq!(
        (&geom["kind_name"], &geom["mesh_link_count"], &geom["enabled"]),
        (&json!("plane"), &json!(3), &json!(true))
    );
    let joint = &physics["joints"][7];
    assert_eq!((&joint["kind_name"], &joint["tag"]), (&json!("up-vector"), &json!(29.0 / 8.0)));

    let light = &lod["light_schemes"][1]["lights"][7];
    assert_eq!((&light["style_name"], &light["cutoff"]), (&json!("omni"), &json!(180.0)));
    assert_eq!(light["quadratic_attenuation"], 0.25);
    let set = &lod["proxy_sets"][0];
    let proxy = &set["proxies"][2];
    assert_eq!((&set["mesh"], &proxy["name"]), (&json!(3), &json!("leaf two")));
    assert_eq!((&proxy["parent"], &proxy["mesh"], &proxy["scale"][2]), (&json!(1), &json!(1), &json!(9.0 / 8.0)));
    assert_eq!((&proxy["visible"], &proxy["expanded"]), (&json!(true), &json!(false)));
    let collider = &lod["collider_sets"][0]["colliders"][1];
    assert_eq!(
        (&collider["bone"], &collider["kind_name"], &collider["tag"]),
        (&json!(2), &json!("capsule"), &json!(-7))
    );
    assert_eq!((&collider["matrix"][15], &collider["max_angle_2"]), (&json!(15.0 / 8.0), &json!(20.0 / 8.0)));
}

#[test]
fn indices_are_as_wide_as_their_target_asks() {
    // Mesh layout, face group kind, elements; width of vertex and normal indices, of texture coordinate indices.
    let cases = [
        (3, 2, 256, 1, 1),
        (3, 2, 257, 2, 2),
        (3, 2, 65536, 2, 2),
        (3, 2, 65537, 4, 4),
        (2, 1, 255, 1, 1),
        (2, 1, 256, 2, 2),
        (2, 1, 65535, 2, 2),
        (2, 1, 65536, 4, 4),
        (3, 1, 256, 2, 1),
        (3, 1, 65536, 4, 2),
        (2, 2, 256, 1, 1),
        (2, 2, 65537, 4, 4),
    ];
    for (mode, kind, size, width, uv_width) in cases {
        let groups = vec![Group { normals: true, uvs: true, ..Group::new(kind, 2) }];
        let mesh = Written { mode, vertices: size, normals: size, uvs: vec![size], groups, ..Written::default() };
        let bytes = file([write::meshes(&[mesh])]).to_vec();
        assert_eq!(verify(&bytes), []);
        let sound = model(&bytes);
        let widths = ["vertex_indices", "normal_indices", "uv_indices/0"].map(|list| {
            array(&sound, &format!("meshes/0/face_groups/0/{list}"), |table| table.storage().bytes / table.rows())
        });
        assert_eq!(widths, [width, width, uv_width], "mode {mode}, kind {kind}, {size} elements");
        let top = size - 1;
        let indices = numbers(&sound, "meshes/0/face_groups/0/vertex_indices");
        assert_eq!(indices, [top, top - 1, top - 2, top - 3, top - 4, top - 5]);
    }
}

#[test]
fn bone_numbers_are_as_wide_as_the_skeleton_asks() {
    for (bones, id_width, weight_size) in [(127, 1, 5), (128, 1, 6), (254, 1, 6), (255, 2, 6)] {
        let rigid = Written { bone_count: bones, bone_ids: 3, ..Written::default() };
        let bytes = file([write::skeleton(bones as i16), write::meshes(&[rigid, write::weighted(bones)])]).to_vec();
        let sound = model(&bytes);
        let size_of = |selector| array(&sound, selector, |table| table.storage().bytes / table.rows());
        assert_eq!(size_of("meshes/0/bone_ids"), id_width, "{bones} bones");
        assert_eq!(size_of("meshes/1/weights"), weight_size, "{bones} bones");
        let (_, last) = weights(&sound, 1).pop().unwrap();
        assert_eq!(last, bones - 1);
    }
}

#[test]
fn weight_lists_end_by_bit_by_cap_and_by_their_array() {
    // For each weight record, the index of its vertex.
    let of = |cap: i32, records: &[(u16, bool)]| {
        let mesh = Written { bone_count: 9, weights: Some((cap, records.to_vec())), ..Written::default() };
        let bytes = file([write::skeleton(9), write::meshes(&[mesh])]).to_vec();
        let vertices: Vec<u32> = weights(&model(&bytes), 0).into_iter().map(|(vertex, _)| vertex).collect();
        let is_open =
            verify(&bytes).iter().any(|problem| problem.message.ends_with("the last weight list is not closed"));
        (vertices, is_open)
    };
    assert_eq!(of(4, &[(0, true), (1, false), (2, true)]), (vec![0, 1, 1], false));
    assert_eq!(of(2, &[(0, false), (1, false), (2, false), (3, true)]), (vec![0, 0, 1, 1], false));
    assert_eq!(of(1, &[(0, false), (1, true)]), (vec![0, 1], false));
    assert_eq!(of(3, &[(0, true), (1, false)]), (vec![0, 1], true));
    assert_eq!(of(i32::MAX, &[(0, false), (1, false)]), (vec![0, 0], true));
    assert_eq!(of(2, &[]), (vec![], false));
}

#[test]
fn texture_names_are_cut_at_their_colon_but_not_after_a_drive() {
    for (field, first, second) in [
        ("a.bmp", "a.bmp", ""),
        ("a.bmp:b.bmp", "a.bmp", "b.bmp"),
        ("C:\\a.bmp", "C:\\a.bmp", ""),
        ("C:/a.bmp:D:\\b.bmp", "C:/a.bmp", "D:\\b.bmp"),
        ("a:b:c", "a", "b:c"),
        (":b", "", "b"),
        ("", "", ""),
    ] {
        let bytes = file([write::materials(1, &[(b"m", field.as_bytes())])]).to_vec();
        let material = &fields(&bytes)["materials"][0];
        assert_eq!(
            (&material["first_texture"], &material["second_texture"]),
            (&json!(first), &json!(second)),
            "{field}"
        );
        assert_eq!(material["textures"], field);
    }
}

#[test]
fn names_read_as_utf_8_or_windows_1251() {
    assert_eq!(to_text(ByteStr::from("тест")), "тест");
    assert_eq!(to_text(ByteStr::new(b"\xf2\xe5\xf1\xf2\x98")), "тест\u{98}");
    assert_eq!(to_cp1251(ByteStr::new(b"\xd1\x82")), "С\u{201a}");
}

#[test]
fn the_other_reading_is_taken_where_only_it_fits() {
    let hostile = |name: &str| write::hostile().into_iter().find(|(file, _)| *file == name).unwrap().1;
    let bytes = hostile("uv_counts_apart.lod");
    let mesh = &fields(&bytes)["meshes"][0];
    assert_eq!(mesh["uv_counts_apart"], true);
    assert_eq!(each(&mesh["uvs"], "count"), [json!(4), json!(5)]);
    assert_eq!(mesh["face_groups"].as_array().unwrap().len(), 2);
    warning(&bytes, "meshes[0]: texture coordinate counts each before its own array", find(&bytes, b"MSH1", 0));

    let bytes = hostile("wide_morphs.lod");
    let lod = fields(&bytes);
    assert_eq!(lod["morph_collection_lists"][0]["wide_records"], true);
    let morph = &lod["morph_collections"][1];
    assert_eq!((&morph["parent"], &morph["proxy"], &morph["name"]), (&json!(-1), &json!(-1), &json!("a")));
    warning(&bytes, "morph_collection_lists[0].records: of 32 bytes, not 28", find(&bytes, b"MAN1", 0) + 16);

    let bytes = hostile("wide_proxies.lod");
    let proxy = &fields(&bytes)["proxy_sets"][0]["proxies"][2];
    assert_eq!((&proxy["mesh"], &proxy["visible"]), (&json!(1), &json!(true)));
    let records = find(&bytes, b"PXI1", 0) + 12 + 4 + 12 + "leafleaf two".len();
    warning(&bytes, "proxy_sets[0].proxy_records: of 56 bytes, not 54", records);
}

#[test]
fn counts_of_nothing_cost_nothing() {
    let bones = file([write::skeleton(0), list(b"ANS1", [write::animation("a", i32::MAX, 0)])]).to_vec();
    let nothing = Written { vertices: 0, groups: vec![], ..Written::default() };
    let morphed = write::morph_meshes(&[([i32::MAX, 0, 0], ["mesh", ""])]);
    let vertices = file([write::meshes(&[nothing]), morphed]).to_vec();
    let unknown = file([chunk(b"????", i32::MAX, Bytes::new()), chunk(b"????", i32::MIN, Bytes::new())]).to_vec();
    for bytes in [&bones, &vertices, &unknown] {
        let start = Instant::now();
        let (_, usage) = usage_of(|| crate::any::run(bytes));
        assert!(start.elapsed() < Duration::from_secs(1) && usage.peak < 1 << 16, "{usage:?}");
    }
    assert_eq!(Asset::parse(&bones).unwrap().summarize().counts.get("frames"), Some(i32::MAX as u64));
    warning(&bones, "animations[0]: 2147483647 frames of no bone", find(&bones, b"ANM1", 0) + 8);
    warning(
        &vertices,
        "morph_mesh_lists[0].records: 1 of 1 records is half empty: 2147483647 frames of 0 vertices at index 0",
        find(&vertices, b"MMD1", 0) + 16,
    );
    assert_eq!(verify(&unknown), []);
    assert_eq!(fields(&bones)["animations"][0]["keys"]["count"], 0);
}

#[test]
fn several_models_know_nothing_of_each_other() {
    // The second model's mesh has two bones, though the first has 300.
    let model = |bones: u32| list(b"LOD1", [write::skeleton(bones as i16), write::meshes(&[write::weighted(bones)])]);
    let without = list(b"LOD1", [list(b"ANS1", [write::animation("a", 0, 0)])]);
    let bytes = Bytes::new().raw("LODka3D1").part(&model(300)).part(&model(2)).part(&without).to_vec();
    assert_eq!(each(&fields(&bytes)["meshes"], "bone_count"), [json!(300), json!(2)]);
    let at = find(&bytes, b"ANM1", 0);
    error(&bytes, "animations[0].bone_count: no skeleton (SKL1) before this animation", at);
    let counts = Asset::parse(&bytes).unwrap().summarize().counts;
    assert_eq!((counts.get("models"), counts.get("bones"), counts.get("meshes")), (Some(3), Some(302), Some(2)));
}

#[test]
fn signatures_and_first_chunks_of_others_are_refused() {
    let of = |bytes: &[u8]| Model::parse(bytes).unwrap_err();
    assert_eq!(of(b"").to_string(), "at 0x0: needs 7 bytes, 0 left");
    assert_eq!(of(b"LODka3E1").to_string(), "at 0x0: does not start with LODka3D1");
    let other = of(b"LODka3D2LOD1\0\0\0\0\0\0\0\0");
    assert!(matches!(other.kind(), ErrorKind::Unsupported(_)));
    assert_eq!(other.to_string(), "at 0x7: LODka3D model of version 2, not 1");
    assert_eq!(of(b"LODka3D1").to_string(), "at 0x8: no chunk after the signature");
    assert_eq!(of(b"LODka3D1LOD1").to_string(), "at 0x8: needs 12 bytes, 4 left");
    let info = Bytes::new().raw("LODka3D1").part(&write::info(b"")).to_vec();
    assert_eq!(of(&info).to_string(), "at 0x8: first chunk is INF1, not LOD1");
    assert_eq!(Asset::parse(b"LODka3D2LOD1").unwrap_err().message(), other.message());
}

#[test]
fn negative_sizes_and_counts_are_errors() {
    let mesh = file([write::meshes(&[Written::default()])]);
    let bytes = with_header(mesh.to_vec(), b"MSH1", 4, -9);
    error(&bytes, "meshes[0]: size -9 is negative", find(&bytes, b"MSH1", 0) + 4);
    for (field, place) in [
        ("vertex_count", "positions"),
        ("normal_count", "normals"),
        ("uv_count", "uvs[0]"),
        ("bone_id_count", "bone_ids"),
        ("face_group_count", "face_group_count"),
    ] {
        let bytes = mesh.clone().set(field, (-2_i32).to_le_bytes()).to_vec();
        error(&bytes, &format!("meshes[0].{place}: -2 is negative"), mesh.at(field));
    }
    for (field, place) in [
        ("material_lengths", "materials[0]"),
        ("vertex_index_count", "vertex_indices"),
        ("smoothing_count", "smoothing"),
        ("normal_index_count", "normal_indices"),
        ("uv_index_count", "uv_indices[0]"),
    ] {
        let bytes = mesh.clone().set(field, (-1_i32).to_le_bytes()).to_vec();
        let problem = &verify(&bytes)[0];
        let expected = (format!("meshes[0].face_groups[0].{place}: -1 is negative"), Some(mesh.at(field) as u64));
        assert_eq!((problem.message.to_string(), problem.offset), expected);
    }
    let sound = write::sound();
    for (field, message) in [
        ("material_count", "material_lists[0].material_count: -4 is negative"),
        ("option_size", "texture_lists[0].textures[2].option_size: -4 is negative"),
        ("data_size", "texture_lists[0].textures[2].data_size: -4 is negative"),
        ("shader_size", "shader_lists[0].shaders[2].size: -4 is negative"),
        ("morph_records", "morph_collection_lists[0].records: -4 is negative"),
        ("morph_bones", "morph_collection_lists[0].bones: -4 is negative"),
        ("morph_animations", "morph_collection_lists[0].animations: -4 is negative"),
        ("morph_mesh", "morph_mesh_lists[0].records: -4 is negative"),
        ("physics_counts", "physics[0].body_names_len: -4 is negative"),
        ("proxy_count", "proxy_sets[0].proxy_count: -4 is negative"),
        ("proxy_name_lengths", "proxy_sets[0].names.lengths: -4 is negative"),
        ("screenshot_size", "screenshots[0].data: -4 is negative"),
    ] {
        let bytes = sound.clone().set(field, (-4_i32).to_le_bytes()).to_vec();
        let problems = verify(&bytes);
        assert!(
            problems.iter().any(|p| p.message == message && p.severity == Severity::Error),
            "{field}: {problems:#?}"
        );
    }
    for tag in [b"SKL1", b"ANM1", b"TXTR", b"SHDR", b"MAN1", b"MMD1", b"COL1"] {
        let bytes = with_header(sound.to_vec(), tag, 8, -7);
        let problems = verify(&bytes);
        let at = find(&bytes, tag, 0) as u64 + 8;
        assert!(problems.iter().any(|p| p.message.ends_with("count: -7 is negative") && p.offset == Some(at)));
    }
}

#[test]
fn children_past_their_parent_and_crumbs_are_errors() {
    let bytes = file([write::meshes(&[Written::default()]), write::info(b"behind")]);
    let long = with_header(bytes.to_vec(), b"MSH1", 4, 500);
    let body = find(&long, b"MSH1", 0) + 12;
    let size = find(&long, b"INF1", 0) - body;
    error(&long, &format!("meshes[0]: needs 500 bytes, {size} left"), body);
    // The chunk after it is still found, and references to the lost meshes are not reported as missing.
    assert_eq!(fields(&long)["infos"][0]["text"], "behind");
    for crumbs in [1, 11] {
        let mut bytes =
            Bytes::new().raw("LODka3D1").part(&chunk(b"LOD1", 0, Bytes::new().raw(vec![0; crumbs]))).to_vec();
        error(&bytes, &format!("models[0].chunks: needs 12 bytes, {crumbs} left"), 20);
        bytes = file([]).raw(vec![0; crumbs]).to_vec();
        error(&bytes, &format!("chunks: needs 12 bytes, {crumbs} left"), 20);
    }
}

#[test]
fn fields_must_end_at_the_size() {
    // One more byte at the end of each chunk of data, with all enclosing sizes adjusted.
    let longer = |tag: &[u8; 4]| {
        let mut bytes = write::sound().to_vec();
        let at = find(&bytes, tag, 0);
        let size = |bytes: &[u8], at: usize| i32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap());
        let end = at + 12 + size(&bytes, at) as usize;
        bytes.insert(end, 0);
        let around: Vec<usize> = (0..at)
            .filter(|&start| {
                [b"LOD1", b"MAL1", b"TXTL", b"SHDL", b"MSL1", b"ANS1", b"LGS1", b"PXL1", b"CLL1"]
                    .contains(&&bytes[start..start + 4].try_into().unwrap())
            })
            .filter(|&start| start + 12 + size(&bytes, start) as usize >= end)
            .collect();
        for start in around.into_iter().chain([at]) {
            let size = size(&bytes, start) + 1;
            bytes[start + 4..start + 8].copy_from_slice(&size.to_le_bytes());
        }
        (bytes, end)
    };
    for tag in [
        b"SKL1", b"ANM1", b"MAT1", b"TXTR", b"SHDR", b"MSH1", b"MAN1", b"MMD1", b"PHS1", b"LIG1", b"PXI1", b"COL1",
        b"IMG1",
    ] {
        let (bytes, end) = longer(tag);
        let (severity, message, offset) = only(&bytes);
        assert_eq!((severity, offset), (Severity::Error, Some(end as u64)), "{message}");
        assert!(message.ends_with(": 1 bytes left over after the last field"), "{message}");
    }
    // User data has no fields.
    assert_eq!(verify(&longer(b"INF1").0), []);
}

#[test]
fn arrays_and_names_past_their_chunk_are_errors() {
    let sound = write::sound();
    for (field, place) in [
        ("physics_counts", "physics[0].body_names"),
        ("proxy_name_lengths", "proxy_sets[0].names"),
        ("screenshot_size", "screenshots[0].data"),
        ("morph_records", "morph_collection_lists[0].names"),
        ("morph_mesh", "morph_mesh_lists[0].vertices"),
    ] {
        let bytes = sound.clone().set(field, i32::MAX.to_le_bytes()).to_vec();
        let (severity, message, _) = only(&bytes);
        assert!(severity == Severity::Error && message.starts_with(place) && message.contains("needs"), "{message}");
    }
    // 12 x count overflows to a small number in 32 bits.
    let bytes = file([write::meshes(&[Written::default()])]);
    let wrapped = bytes.clone().set("vertex_count", 0x5555_5556_i32.to_le_bytes()).to_vec();
    assert!(only(&wrapped).1.starts_with("meshes[0].positions: needs 17179869192 bytes"));
    let names = file([list(b"CLL1", [write::colliders("x", &[])])]);
    let names = with_header(names.to_vec(), b"COL1", 8, i32::MAX);
    assert!(only(&names).1.starts_with("collider_sets[0].names.lengths: needs 8589934588 bytes"));
    let bones = with_header(file([write::skeleton(2)]).to_vec(), b"SKL1", 8, i32::MAX);
    assert!(only(&bones).1.starts_with("skeletons[0].bones[2].id: needs 2 bytes"), "{}", only(&bones).1);
}

#[test]
fn unknown_layouts_are_errors() {
    let sound = write::sound();
    for (field, size, place) in [
        ("skeleton_kind", 1, "skeletons[0].kind"),
        ("animation_kind", 1, "animations[2].kind"),
        ("materials_kind", 1, "material_lists[0].kind"),
        ("textures_kind", 1, "texture_lists[0].kind"),
        ("option_type", 4, "textures[2].kind"),
        ("shaders_kind", 1, "shader_lists[0].kind"),
        ("mesh_mode", 1, "meshes[3].mode"),
        ("uv_sets", 1, "meshes[3].uv_set_count"),
        ("weight_kind", 4, "meshes[3].weight_kind"),
        ("face_kind", 4, "meshes[2].face_groups[1].kind"),
        ("morphs_kind", 4, "morph_collection_lists[0].kind"),
        ("morph_meshes_kind", 4, "morph_mesh_lists[0].kind"),
        ("physics_kind", 1, "physics[0].kind"),
        ("screenshot_kind", 4, "screenshots[0].kind"),
    ] {
        let bytes = sound.clone().set(field, &[7, 0, 0, 0][..size]).to_vec();
        let problems = verify(&bytes);
        let cause = meshpeek::Error::malformed(format!("{place}: 7 is no known layout"));
        let expected = Problem::error(&cause.at(sound.at(field) as u64));
        assert!(problems.contains(&expected), "{field}: {problems:#?}");
    }
    let lights = with_header(sound.to_vec(), b"LIG1", 8, 9);
    error(&lights, "light_schemes[0].lights: 9 lights, not 8", find(&lights, b"LIG1", 0) + 8);
    let weights = file([write::skeleton(2), write::meshes(&[write::weighted(2)])]);
    for cap in [0_i32, -1] {
        let bytes = weights.clone().set("bones_per_vertex", cap.to_le_bytes()).to_vec();
        let message = "meshes[0].bones_per_vertex: fewer than 1 bone a vertex";
        error(&bytes, message, weights.at("bones_per_vertex"));
    }
    let version = with_header(file([write::physics(2)]).to_vec(), b"PHS1", 8, 3);
    warning(&version, "unknown_chunks[0]: PHS1 of version 3, only 2 is known", find(&version, b"PHS1", 0));
    assert_eq!(fields(&version)["physics"], json!([]));
}

#[test]
fn bytes_without_meaning_are_warnings() {
    let sound = write::sound();
    for (field, message) in [
        ("play_mode", "animations[2].mode: 77 is unknown"),
        ("blending", "materials[1].blending_mode: 77 is unknown"),
        ("mapping", "materials[1].mapping_mode: 77 is unknown"),
        ("face_mode", "meshes[2].face_groups[1].mode: 77 is not 0"),
        ("face_visible", "meshes[2].face_groups[1].visible: 77 is unknown"),
        ("bodies", "physics[0].bodies[0].kind: 77 is not from 0 to 4"),
        ("joints", "physics[0].joints[0].kind: 77 is unknown"),
        ("last_light", "light_schemes[1].lights[7].enabled: 77 is unknown"),
    ] {
        let bytes = sound.clone().set(field, [77]).to_vec();
        let (severity, found, _) = only(&bytes);
        assert_eq!((severity, &*found), (Severity::Warning, message));
    }
    let bytes = sound.clone().set("shininess", [129]).to_vec();
    assert_eq!(only(&bytes).1, "materials[1].shininess: 129 is not from 0 to 128");
    let bytes = file([write::skeleton(1), list(b"CLL1", [write::colliders("x", &[0])])]);
    let at = bytes.at("colliders");
    let bytes = bytes.set("colliders", [0, 0, 4]).to_vec();
    warning(&bytes, "collider_sets[0].colliders[0].kind: 4 is unknown", at + 2);
    let bytes = sound.clone().set("keys", f32::NAN.to_le_bytes()).to_vec();
    assert_eq!(only(&bytes).1, "animations[2].keys: 1 of 18 numbers is not finite: NaN at index 0");
}

#[test]
fn indices_outside_their_range_are_errors() {
    let sound = write::sound();
    let cases: &[(&str, &[u8], &str)] = &[
        (
            "second_bone",
            &[9, 0, 8, 0],
            "skeletons[0].bones: 2 of 3 parents are the id of no bone before; the first is 8 at index 1",
        ),
        (
            "morph_parent",
            &[2, 0, 0, 0],
            "morph_collection_lists[0].records: 1 of 2 parents is not from -1 to 1: 2 at index 1",
        ),
        (
            "morph_proxy",
            &[0xfe, 0xff, 0xff, 0xff],
            "morph_collection_lists[0].records: 1 of 2 proxies is not from -1 to 1: -2 at index 1",
        ),
        ("mesh_links", &[4, 0, 0, 0], "physics[0].mesh_links: 1 of 3 meshes is not from 0 to 3: 4 at index 0"),
        (
            "last_geom_links",
            &[1, 0, 0, 0],
            "physics[0].geom_records: 1 of 3 ranges of mesh links is not among the 3: 3 from 1 on at index 2",
        ),
        ("last_proxy", &[3, 0], "proxy_sets[0].proxy_records: 1 of 3 parents is not from -1 to 2: 3 at index 2"),
        ("first_index", &[3], "meshes[2].face_groups[1].normal_indices: 1 of 6 indices is not below 3: 3 at index 0"),
    ];
    for (field, value, message) in cases {
        let problems = verify(&sound.clone().set(field, value).to_vec());
        let found = problems.iter().any(|p| p.severity == Severity::Error && p.message == *message);
        assert!(found, "{field}: {problems:#?}");
    }
    let parent_bone = sound.clone().set("morph_parent", [0, 0, 0, 0, 2, 0, 0, 0]).to_vec();
    let message = "morph_collection_lists[0].records: 1 of 2 parent bones is of no bone of the parent: 2 at index 1";
    assert_eq!(only(&parent_bone).1, message);
    let stands_for = with_header(sound.to_vec(), b"PXI1", 8, 4);
    error(&stands_for, "proxy_sets[0].mesh: 4 is not from 0 to 3", find(&stands_for, b"PXI1", 0) + 8);
    let morphed =
        file([write::meshes(&[Written::default()]), write::morph_meshes(&[([1, 3, 1], ["mesh", ""])])]).to_vec();
    error(
        &morphed,
        "morph_mesh_lists[0].records: 1 of 1 meshes is not from 0 to 0: 1 at index 0",
        find(&morphed, b"MMD1", 0) + 24,
    );
    let hit = file([write::skeleton(2), list(b"CLL1", [write::colliders("", &[1, 2])])]);
    error(
        &hit.to_vec(),
        "collider_sets[0].collider_records: 1 of 2 bone ids is of no bone: 2 at index 1",
        hit.at("colliders") + 124,
    );

    let rigid = Written { bone_count: 2, bone_ids: 3, ..Written::default() };
    let rigid = file([write::skeleton(2), write::meshes(&[rigid])]);
    let bytes = rigid.clone().set("bone_ids", [0, 2]).to_vec();
    error(&bytes, "meshes[0].bone_ids: 1 of 3 bones is not below 2: 2 at index 1", rigid.at("bone_ids") + 1);
    let weighted = file([write::skeleton(2), write::meshes(&[write::weighted(2)])]);
    let bytes = weighted.clone().set("weights", [5]).to_vec();
    error(&bytes, "meshes[0].weights: 1 of 6 bones is not below 2: 5 at index 0", weighted.at("weights"));
    let faces = file([write::meshes(&[Written::default()])]);
    let at = faces.at("vertex_index_count") + 4;
    let mut bytes = faces.to_vec();
    bytes[at..at + 3].copy_from_slice(&[2, 3, 255]);
    let message = "meshes[0].face_groups[0].vertex_indices: 2 of 3 indices are not below 3; the first is 3 at index 1";
    error(&bytes, message, at + 1);
}

#[test]
fn chunks_precede_those_that_depend_on_them() {
    let empty = |tag: &[u8; 4]| list(tag, []);
    let nothing = |tag: &[u8; 4]| chunk(tag, 0, Bytes::new().i32(0));
    let cases = [
        (empty(b"ANS1"), write::skeleton(1), "skeletons[0]: SKL1 after ANS1"),
        (empty(b"MSL1"), write::skeleton(1), "skeletons[0]: SKL1 after MSL1"),
        (empty(b"CLL1"), write::skeleton(1), "skeletons[0]: SKL1 after CLL1"),
        (empty(b"PXL1"), empty(b"MSL1"), "lists[1]: MSL1 after PXL1"),
        (nothing(b"MAN1"), empty(b"MSL1"), "lists[0]: MSL1 after MAN1"),
        (write::morph_meshes(&[]), nothing(b"MAN1"), "morph_collection_lists[0]: MAN1 after MMD1"),
    ];
    for (later, first, message) in cases {
        let sound = file([first.clone(), later.clone()]).to_vec();
        assert_eq!(verify(&sound), [], "{message}");
        let offset = 20 + later.len();
        warning(&file([later, first]).to_vec(), message, offset);
    }
    let one = chunk(b"MAT1", 0, Bytes::new().u8(1).i32(0));
    let two = file([list(b"MAL1", [one.clone(), one.clone()])]).to_vec();
    warning(&two, "material_lists[1]: a second MAT1 in one model", 32 + one.len());
}

#[test]
fn likely_mistakes_are_warnings() {
    let counted = |tag: &[u8; 4], value: i32| with_header(write::sound().to_vec(), tag, 8, value);
    for (tag, place, there) in [
        (b"LOD1", "models[0]", 14),
        (b"MSL1", "lists[3]", 4),
        (b"ANS1", "lists[4]", 3),
        (b"MAT1", "material_lists[0]", 2),
        (b"MSH1", "meshes[0]", 1),
        (b"INF1", "infos[0]", 1),
        (b"IMG1", "screenshots[0]", 1),
    ] {
        let bytes = counted(tag, 50);
        let message = format!("{place}: count 50 of {}, there are {there}", tag.escape_ascii());
        warning(&bytes, &message, find(&bytes, tag, 0) + 8);
    }
    let late = file([write::meshes(&[Written::default()]), write::skeleton(1)]).to_vec();
    warning(&late, "skeletons[0]: SKL1 after MSL1", find(&late, b"SKL1", 0));
    let twice = file([write::info(b""), write::info(b"")]).to_vec();
    warning(&twice, "infos[1]: a second INF1 in one model", find(&twice, b"INF1", 1));
    let stray = file([Written::default().chunk()]).to_vec();
    warning(&stray, "unknown_chunks[0]: MSH1 does not belong here", 20);
    let bones = file([write::skeleton(2)]);
    let bytes = bones.clone().set("second_bone", [0, 0]).to_vec();
    warning(&bytes, "skeletons[0].bones: 1 of 2 ids is there twice: 0 at index 1", bones.at("second_bone"));
    let negative = bones.clone().set("second_bone", [0xff, 0xff]).to_vec();
    warning(&negative, "skeletons[0].bones[1].id: -1 is not at least 0", bones.at("second_bone"));
    let total = file([write::meshes(&[Written::default()]), write::morph_meshes(&[([1, 3, 0], ["mesh", ""])])]);
    let bytes = total.clone().set("vertex_total", [4]).to_vec();
    warning(&bytes, "morph_mesh_lists[0].vertex_count: 4, there are 3", total.at("vertex_total"));

    let of = |mesh: Written| file([write::skeleton(2), write::meshes(&[mesh])]).to_vec();
    let mesh = Written { bone_count: 2, ..Written::default() };
    assert_eq!(only(&of(Written { bone_ids: 2, ..mesh.clone() })).1, "meshes[0].bone_ids: 2 bone ids for 3 vertices");
    let both = Written { bone_ids: 3, ..write::weighted(2) };
    assert_eq!(only(&of(both)).1, "meshes[0].bone_ids: both bone ids and weights");
    let fewer = Written { weights: Some((2, vec![(0, true)])), ..mesh.clone() };
    assert_eq!(only(&of(fewer)).1, "meshes[0].weights: 1 weight lists for 3 vertices");
    let open = Written { weights: Some((2, vec![(0, true), (0, true), (1, false)])), ..mesh.clone() };
    assert_eq!(only(&of(open)).1, "meshes[0].weights: the last weight list is not closed");
}

#[test]
fn counts_of_indices_that_do_not_fit_each_other_are_warnings() {
    let found = |extra: u32, normals: u32| {
        let group = Group { extra, normals: normals > 0, ..Group::new(2, 1) };
        let mesh = Written { normals, groups: vec![group], ..Written::default() };
        let problems = verify(&file([write::meshes(&[mesh])]).to_vec());
        assert!(problems.iter().all(|problem| problem.severity == Severity::Warning));
        problems.into_iter().map(|problem| problem.message.into_owned()).collect::<Vec<_>>()
    };
    let place = "meshes[0].face_groups[0]";
    assert_eq!(found(1, 0), [format!("{place}.vertex_indices: 4, not a multiple of 3")]);
    assert_eq!(found(3, 0), [format!("{place}.smoothing: 1 masks for 2 triangles")]);
    assert_eq!(found(1, 2)[1], format!("{place}.normal_indices: 3 indices beside 4 vertex indices"));
    assert_eq!(found(0, 2), [""; 0]);
}

#[test]
fn one_broken_part_does_not_hide_the_others() {
    let sound = write::sound();
    let broken = sound.clone().set("mesh_mode", [9]).set("option_type", [1]).set("screenshot_kind", [5]).to_vec();
    let lod = fields(&broken);
    let readable =
        |items: &Json, field: &str| each(items, field).iter().map(|value| !value.is_null()).collect::<Vec<_>>();
    assert_eq!(readable(&lod["meshes"], "name"), [true, true, true, false]);
    assert_eq!(readable(&lod["textures"], "file_name"), [true, true, false]);
    assert_eq!((readable(&lod["screenshots"], "name"), readable(&lod["skeletons"], "kind")), (vec![false], vec![true]));
    let (before, after) = (Asset::parse(&broken).unwrap().summarize(), verify(&broken));
    assert_eq!(before.problems.len(), 3);
    assert!(before.problems.iter().all(|problem| after.contains(problem)));
}

#[test]
fn assertions_of_the_fuzz_target_pass_for_changed_files() {
    for (name, bytes) in write::corpus().into_iter().chain(write::hostile()) {
        println!("{name}");
        crate::fuzz_lodka::run(&bytes);
        for at in (0..bytes.len()).step_by(bytes.len().div_ceil(40).max(1)) {
            for value in [0, 0x7f, 0xff] {
                let mut bent = bytes.clone();
                bent[at] = value;
                crate::fuzz_lodka::run(&bent);
            }
        }
    }
}

#[test]
fn violations_that_readers_ignore_are_warnings() {
    let sound = write::sound();
    let nan = f32::NAN.to_le_bytes();
    let cases: &[(&str, usize, &[u8], &str)] = &[
        ("face_mode", 0, &[1], "meshes[2].face_groups[1].mode: 1 (strip) is not 0"),
        ("interval", 0, &[0xff; 4], "animations[2].interval: -1 is not at least 0"),
        ("morph_animations", 5, &[0xff; 4], "morph_collections[0].animations[0].interval: -1 is not at least 0"),
        (
            "morph_mesh_names",
            0,
            b"R",
            "morph_mesh_lists[0].records: 1 of 2 mesh names is not that of the mesh: Rigid at index 0",
        ),
        (
            "morph_mesh_names",
            5,
            b"x",
            "morph_mesh_lists[0].records: 1 of 2 collection names is that of no collection: xody at index 0",
        ),
        ("bodies", 1, &nan, "physics[0].bodies[0].position: (NaN, "),
        ("bodies", 41, &[5], "physics[0].bodies[0].axis: 5 is not from 0 to 4"),
        ("geoms", 45, &[9], "physics[0].geoms[0].axis: 9 is not from 0 to 4"),
        ("geoms", 5, &nan, "physics[0].geoms[0].position: (NaN, "),
        ("joints", 41, &nan, "physics[0].joints[0].position: (NaN, "),
        ("bodies", 0, &[5], "physics[0].bodies[0].kind: 5 (cone) is not from 0 to 4"),
        (
            "last_light",
            74,
            &91_f32.to_le_bytes(),
            "light_schemes[1].light_records: 1 of 8 cutoffs is neither from 0 to 90 nor 180: 91 at index 7",
        ),
        ("last_light", 78, &(-1_f32).to_le_bytes(), "light_schemes[1].lights[7].exponent: -1 is not at least 0"),
        (
            "last_light",
            90,
            &(-1_f32).to_le_bytes(),
            "light_schemes[1].lights[7].quadratic_attenuation: -1 is not at least 0",
        ),
        ("last_light", 2, &nan, "light_schemes[1].lights[7].position: (NaN, "),
        ("last_proxy", 4, &[0, 0], "proxy_sets[0].proxies[2].reserved_1: 0 is not -1"),
        ("last_proxy", 10, &[1], "proxy_sets[0].proxies[2].reserved_4: 1 is not 0"),
        ("last_proxy", 12, &nan, "proxy_sets[0].proxies[2].position: (NaN, "),
        ("material_options", 0, &nan, "materials[1].ambient: (NaN, "),
    ];
    for (field, at, value, message) in cases {
        let bytes = sound.clone().poke(field, *at, *value).to_vec();
        let (severity, found, _) = only(&bytes);
        assert!(severity == Severity::Warning && found.starts_with(message), "{found}, not {message}");
    }
    let hit = file([write::skeleton(1), list(b"CLL1", [write::colliders("x", &[0])])]).poke("colliders", 3, nan);
    let found = only(&hit.to_vec()).1;
    assert!(found.starts_with("collider_sets[0].colliders[0].matrix: (NaN, "), "{found}");
    // The second mesh has three vertices.
    let stands_for = with_header(sound.to_vec(), b"PXI1", 8, 1);
    assert_eq!(only(&stands_for).1, "proxy_sets[0].mesh: 1 has 3 vertices; proxies stand for an empty one");
    let single =
        Written { weights: Some((1, vec![(0, true), (0, true), (1, true)])), bone_count: 2, ..Written::default() };
    let single = file([write::skeleton(2), write::meshes(&[single])]).to_vec();
    assert_eq!(only(&single).1, "meshes[0].bones_per_vertex: 1, and where each vertex has one bone there are bone ids");
    let counts = sound.clone().poke("morph_mesh", 4, [5]).poke("vertex_total", 0, [0]).to_vec();
    assert!(verify(&counts).iter().any(|problem| problem.message.starts_with("morph_mesh_lists[0].")));
}

#[test]
fn materials_are_looked_up_by_name() {
    let mesh = || Written { groups: vec![Group { named: true, ..Group::new(2, 1) }], ..Written::default() };
    let model = |name: &[u8]| {
        let parts = [
            write::materials(3, &[(name, b""), (b"leaf", b"")]),
            write::textures(&[write::texture("stone", "a.bmp", 0, b"")]),
            write::shaders(&[write::bump(0)]),
            write::meshes(&[mesh()]),
        ];
        file(parts).to_vec()
    };
    assert_eq!(verify(&model(b"stone")), []);
    let found: Vec<_> = verify(&model(b"Stone")).into_iter().map(|problem| (problem.code, problem.message)).collect();
    let missing = |text: &'static str| (Code::Missing, text.into());
    assert_eq!(
        found,
        [
            missing("textures[0].material: stone is none of the model's materials"),
            missing("shaders[0].bump.material: stone is none of the model's materials"),
            missing("meshes[0].face_groups[0].materials: stone is none of the model's materials"),
        ]
    );
    // Without a list of materials, every name is missing.
    assert_eq!(verify(&file([write::meshes(&[mesh()])]).to_vec()).len(), 1);
}

#[test]
fn texts_are_shown_in_their_code_page_and_keep_their_bytes() {
    use meshpeek::inspect::{Selector, Text};
    let bytes = file([
        write::materials(1, &[(b"\xea\xe0\xec\xe5\xed\xfc", b"\xf2.bmp")]),
        list(b"ANS1", []),
        write::meshes(&[Written { name: "mesh", ..Written::default() }]),
    ])
    .to_vec();
    let name = AnsiStr::new(b"\xea\xe0\xec\xe5\xed\xfc");
    assert_eq!((name.to_string(), name.decode()), ("камень".to_owned(), "камень".to_owned()));
    let text = Text::from(name);
    assert_eq!(
        (text.to_string(), text.to_raw().as_deref()),
        ("камень".to_owned(), Some("\\xea\\xe0\\xec\\xe5\\xed\\xfc"))
    );
    assert_eq!(Text::from(AnsiStr::new(b"\xf2.bmp")).cut(2).to_string(), "т.");
    let material = &fields(&bytes)["materials"][0];
    assert_eq!((&material["name"], &material["textures"]), (&json!("камень"), &json!("т.bmp")));
    assert_eq!(material["name_raw"], "\\xea\\xe0\\xec\\xe5\\xed\\xfc");
    let summary = Asset::parse(&bytes).unwrap().summarize();
    assert_eq!((summary.references[0].name.text.as_str(), summary.references[0].name.lossy), ("т.bmp", false));
    let _ = "materials/@камень/options".parse::<Selector>().unwrap();
}

#[test]
fn weights_are_dumped_vertex_by_vertex() {
    let bytes = file([write::skeleton(255), write::meshes(&[write::weighted(255)])]).to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    let mut rows = Vec::new();
    let selector: meshpeek::inspect::Selector = "meshes/0/weights".parse().unwrap();
    let found = selector.find(&asset, &mut |table| {
        let names: Vec<_> = table.columns().iter().map(|column| column.name).collect();
        assert_eq!((names, table.rows()), (vec!["vertex", "bone", "weight"], 6));
        let bytes = meshpeek::inspect::to_bytes(table, &Limits::default()).unwrap();
        rows.extend(bytes.chunks(10).map(|row| {
            let weight = f32::from_le_bytes(row[6..10].try_into().unwrap());
            (row[0], u16::from_le_bytes([row[4], row[5]]), weight)
        }));
    });
    assert!(found.unwrap());
    let shares = [(0, 0), (0, 1), (1, 1), (1, 0), (1, 254), (2, 254)];
    let expected: Vec<_> = (1_u8..).zip(shares).map(|(n, (vertex, bone))| (vertex, bone, 1.0 / f32::from(n))).collect();
    assert_eq!(rows, expected);
}

/// In a right-handed space, a cross product along the normal means counterclockwise, seen from the side of the normal.
#[test]
fn front_faces_are_counter_clockwise() {
    let Some(bytes) = crate::support::files::outside_file("lodka/model.lod") else { return };
    let (file, lod) = (model(&bytes), fields(&bytes));
    let (mut with, mut against) = (0, 0);
    for (mesh, groups) in each(&lod["meshes"], "face_groups").iter().enumerate() {
        let positions = floats(&file, &format!("meshes/{mesh}/positions"));
        let normals = floats(&file, &format!("meshes/{mesh}/normals"));
        let of = |all: &[f32], index: u32| <[f32; 3]>::try_from(&all[3 * index as usize..][..3]).unwrap();
        for group in 0..groups.as_array().unwrap().len() {
            let indices = |list| numbers(&file, &format!("meshes/{mesh}/face_groups/{group}/{list}"));
            for (corners, own) in indices("vertex_indices").chunks(3).zip(indices("normal_indices").chunks(3)) {
                let [a, b, c] = [corners[0], corners[1], corners[2]].map(|index| of(&positions, index));
                let normal = of(&normals, own[0]);
                let edge = |p: [f32; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
                let (u, v) = (edge(b), edge(c));
                let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
                let product: f32 = cross.iter().zip(normal).map(|(a, b)| a * b).sum();
                with += usize::from(product > 0.0);
                against += usize::from(product < 0.0);
            }
        }
    }
    assert!(with > 20 && against == 0, "{with} and {against}");
}
