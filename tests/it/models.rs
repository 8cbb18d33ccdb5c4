//! Models in other programs: materials, clips, axes, images, skins and morphs in glTF; plain arrays; pictures.

use std::collections::BTreeMap;
use std::path::Path;

use meshpeek::budget::Reservation;
use meshpeek::export::{self, Embedded, NoImages, Options};
use meshpeek::geometry::{Matrix, Mesh, Primitive, Texture, Transform, smooth_normals};
use meshpeek::pose::ModelCfg;
use meshpeek::{Asset, Budget, Limits, codec};
use serde_json::{Value as Json, json};

use crate::support::files::outside_file;
use crate::support::models::{
    Layer, Look, PLAIN, cube, document, export as exported, image, is_golden, len, pixels, red, square, with_images,
};
use crate::support::program::{Folder, code, program, stderr};
use crate::writer;
use crate::writer::b3d::{chunk, keys, mesh, node, one_triangle, scene, sequence, triangles};
use crate::writer::bytes::Bytes;

/// The binary part of a file.
fn binary(glb: &[u8]) -> &[u8] {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    &glb[20 + length + 8..]
}

/// The bytes of an accessor.
fn bytes_of<'g>(glb: &'g [u8], document: &Json, accessor: &Json) -> &'g [u8] {
    let view =
        &document["bufferViews"][document["accessors"][index(accessor)]["bufferView"].as_u64().unwrap() as usize];
    let (start, length) =
        (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
    &binary(glb)[start..start + length]
}

fn floats(glb: &[u8], document: &Json, accessor: &Json) -> Vec<f32> {
    let bytes = bytes_of(glb, document, accessor);
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

fn index(json: &Json) -> usize {
    json.as_u64().unwrap() as usize
}

/// Exports with arguments; the file and its document.
fn glb(folder: &Folder, model: &Path, args: &[&str]) -> (Vec<u8>, Json) {
    glb_saying("", folder, model, args)
}

/// Exports a model with an image that cannot be decoded, and lacks nothing else.
fn glb_without_image(folder: &Folder, model: &Path) -> (Vec<u8>, Json) {
    let said = format!("meshpeek: {}: 1 image cannot be decoded: ", model.display());
    glb_saying(&said, folder, model, &[])
}

/// Exports with arguments. If a message is expected, it begins so, and is the only one.
fn glb_saying(expected: &str, folder: &Folder, model: &Path, args: &[&str]) -> (Vec<u8>, Json) {
    let to = folder.0.join("out.glb");
    let output = program().args(["export", "-q"]).args(args).arg(model).arg("-o").arg(&to).output().unwrap();
    let (status, lines) = if expected.is_empty() { (0, 0) } else { (1, 1) };
    let said = stderr(&output);
    assert_eq!((code(&output), said.lines().count()), (status, lines), "{said}");
    assert!(said.starts_with(expected), "{said}");
    let bytes = std::fs::read(to).unwrap();
    let document = document(&bytes);
    (bytes, document)
}

fn budget(bytes: &[u8]) -> Budget {
    Budget::new(bytes.len() as u64, &Limits::default())
}

/// The image beside a model.
struct Beside(Vec<u8>);

impl export::Images for Beside {
    fn file(&mut self, texture: &Texture<'_>, _: &Reservation<'_>) -> Option<&[u8]> {
        (texture.name.to_string() == "letter.png").then_some(&self.0)
    }
}

#[test]
fn program_and_library_write_the_same_bytes() {
    let folder = Folder::new("same-glb");
    let corpus = crate::support::files::root().join("corpus");
    let names = ["b3d/everything.b3d", "bmx/full.bmx", "mlod/everything.p3d", "rtm/plain.rtm"];
    let mut files: Vec<_> = names.map(|name| corpus.join(name)).into();
    // The first has its image beside it, the others inside.
    let letters = crate::letters::files().into_iter().filter(|(name, _)| !name.ends_with(".p3d"));
    files.extend(letters.map(|(name, bytes)| folder.file(name, bytes)));
    folder.file("beside/letter.png", crate::letters::image());
    std::fs::rename(folder.0.join("letters.b3d"), folder.0.join("beside/letters.b3d")).unwrap();
    files[names.len()] = folder.0.join("beside/letters.b3d");
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let asset = Asset::parse(&bytes).unwrap();
        let to = folder.0.join("out.glb");
        exported(&path, &to);
        let mut own = Vec::new();
        let mut images: [Box<dyn export::Images>; 2] =
            [Box::new(Embedded::new(&asset)), Box::new(Beside(crate::letters::image()))];
        let images = &mut *images[usize::from(path.ends_with("beside/letters.b3d"))];
        export::glb(&asset, &Options::default(), images, &budget(&bytes)).unwrap().write_to(&mut own).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(std::fs::read(&to).unwrap() == own, "{name}");
        assert_eq!(len(&document(&own), "images"), usize::from(name.starts_with("letters")), "{name}");
    }
}

#[test]
fn a_budget_ends_an_export_with_an_error() {
    let bytes = with_images(&[b"a.png"]);
    let asset = Asset::parse(&bytes).unwrap();
    let limits = Limits::default().with_decoded_bytes(100);
    let small = Budget::new(0, &limits);
    assert!(export::glb(&asset, &Options::default(), &mut NoImages, &small).is_err());
    assert!(export::picture(&asset, &export::View::default(), &mut NoImages, &small).is_err());
    assert!(export::obj(&asset, &Options::default(), &small).is_err());
}

#[test]
fn materials_are_those_of_blitz3d() {
    let folder = Folder::new("materials");
    folder.file("Base.png", image());
    folder.file("light.png", red(2));
    folder.file("shine.png", red(4));
    const WHITE: [f32; 4] = [1.0; 4];
    let draw = |name: &str, bytes: Vec<u8>| {
        let model = folder.file(&format!("{name}.b3d"), bytes);
        let to = folder.0.join(format!("{name}.out.png"));
        let output = program().args(["export", "-q", "--size", "96"]).arg(&model).arg("-o").arg(&to).output().unwrap();
        assert!(code(&output) < 2, "{}", stderr(&output));
        is_golden(&format!("material_{name}.png"), &std::fs::read(to).unwrap());
        let (bytes, document) = glb(&folder, &model, &[]);
        (document["materials"][0].clone(), document, bytes)
    };
    let base = |material: &Json| material["pbrMetallicRoughness"]["baseColorTexture"].clone();
    // The lightmap and the reflection come first, and are not the base.
    let layers = [
        Layer("light.png", 1 | 65536, PLAIN),
        Layer("shine.png", 1 | 64, PLAIN),
        Layer(r"C:\art work\base.png", 1, PLAIN),
    ];
    let (material, document, _) = draw("lightmap", square(&layers, WHITE, 1, 0));
    let image = |texture: &Json| {
        let texture = &document["textures"][index(&texture["index"])];
        document["images"][index(&texture["source"])]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!((image(&base(&material)), base(&material)["texCoord"].clone()), ("base.png".to_owned(), json!(0)));
    let lightmap = &material["extras"]["lightmap"];
    assert_eq!((image(lightmap), &lightmap["texCoord"]), ("light.png".to_owned(), &json!(1)));
    assert_eq!(image(&material["extras"]["environment"]), "shine.png");
    assert_eq!(material["alphaMode"], Json::Null);
    // Colors are stored as sRGB.
    let (material, ..) = draw("color", square(&[Layer("none.png", 1, PLAIN)], [0.8, 0.8, 0.8, 1.0], 1, 0));
    let factor = material["pbrMetallicRoughness"]["baseColorFactor"][0].as_f64().unwrap();
    assert!((factor - 0.6038).abs() < 1e-3, "{factor}");
    // Black is transparent.
    let (material, document, bytes) = draw("masked", square(&[Layer("base.png", 1 | 4, PLAIN)], WHITE, 1, 0));
    assert_eq!(material["alphaMode"], "MASK");
    let view = &document["bufferViews"][index(&document["images"][0]["bufferView"])];
    let (start, length) = (index(&view["byteOffset"]), index(&view["byteLength"]));
    let png = image::load_from_memory(&binary(&bytes)[start..start + length]).unwrap().into_rgba8();
    let opacities: Vec<u8> = png.pixels().map(|pixel| pixel.0[3]).collect();
    assert_eq!(opacities, [255, 0, 255, 255]);
    // Opacity of the image, of the brush, and none.
    for (name, flags, color, mode) in [
        ("alpha", 1 | 2, WHITE, json!("BLEND")),
        ("clear", 1, [1.0, 1.0, 1.0, 0.5], json!("BLEND")),
        ("opaque", 1, WHITE, Json::Null),
    ] {
        let (material, ..) = draw(name, square(&[Layer("base.png", flags, PLAIN)], color, 1, 0));
        assert_eq!(material["alphaMode"], mode, "{name}");
    }
    // Vertex colors replace that of the brush, and are linear; full bright is unlit.
    let layers = [Layer("base.png", 1 | 16 | 32, [0.25, 0.5, 2.0, 2.0, 0.0])];
    let (material, document, bytes) = draw("vertex_colors", square(&layers, [0.1, 0.1, 0.1, 1.0], 1, 1 | 2));
    assert_eq!(material["pbrMetallicRoughness"]["baseColorFactor"], json!([1.0, 1.0, 1.0, 1.0]));
    assert!(material["extensions"]["KHR_materials_unlit"].is_object());
    let transform = &base(&material)["extensions"]["KHR_texture_transform"];
    assert_eq!(*transform, json!({ "offset": [0.25, 0.5], "rotation": 0.0, "scale": [2.0, 2.0] }));
    let colors = floats(&bytes, &document, &document["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"]);
    assert!((colors[1] - 0.214).abs() < 1e-3 && colors[0] == 1.0, "{colors:?}");
    // The extension scales before it rotates; Blitz3D after. What differs is in the coordinates themselves.
    let layers = [Layer("base.png", 1, [0.0, 0.0, 2.0, 1.0, std::f32::consts::FRAC_PI_2])];
    let (material, document, bytes) = draw("turned", square(&layers, WHITE, 1, 0));
    assert_eq!(base(&material)["extensions"], Json::Null);
    let uvs = floats(&bytes, &document, &document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"]);
    let asset = square(&layers, WHITE, 1, 0);
    let asset = Asset::parse(&asset).unwrap();
    let primitive = asset.primitives().next().unwrap().unwrap();
    let transform = primitive.material().unwrap().unwrap().base().unwrap().transform;
    let stored = primitive.uvs(0).unwrap().unwrap();
    let turned: Vec<f32> = [0, 2, 1].iter().flat_map(|&at| transform.apply(stored.array(at).unwrap())).collect();
    assert!(turned.iter().zip(&uvs).all(|(a, b)| (a - b).abs() < 1e-5) && turned != [0.0; 6], "{turned:?} {uvs:?}");
}

#[test]
fn flags_of_a_texture_give_the_transparency_of_its_material() {
    let folder = Folder::new("texture-flags");
    folder.file("base.png", image());
    for flags in 0..8 {
        let model = folder.file("model.b3d", square(&[Layer("base.png", flags, PLAIN)], [1.0; 4], 1, 0));
        let (_, document) = glb(&folder, &model, &[]);
        // Where black is transparent, opacity does not count.
        let mode = match (flags & 4 != 0, flags & 2 != 0) {
            (true, _) => json!("MASK"),
            (false, true) => json!("BLEND"),
            (false, false) => Json::Null,
        };
        assert_eq!(document["materials"][0]["alphaMode"], mode, "{flags}");
    }
}

#[test]
fn an_image_that_is_clamped_and_repeated_has_two_textures() {
    let folder = Folder::new("clamped-twice");
    folder.file("base.png", image());
    let wrap = |is_clamped: bool| json!(if is_clamped { 33071 } else { 10497 });
    let cases = [0_u32, 16, 32, 48];
    for base in cases {
        for light in cases {
            let layers = [Layer("base.png", 1 | base, PLAIN), Layer("base.png", 1 | 65536 | light, PLAIN)];
            let model = folder.file("model.b3d", square(&layers, [1.0; 4], 1, 0));
            let (_, document) = glb(&folder, &model, &[]);
            let material = &document["materials"][0];
            let textures = document["textures"].as_array().unwrap();
            assert_eq!(textures.len(), if base == light { 1 } else { 2 }, "{base} {light}");
            assert_eq!(document["images"].as_array().unwrap().len(), 1);
            let used = [&material["pbrMetallicRoughness"]["baseColorTexture"], &material["extras"]["lightmap"]];
            for (used, flags) in used.into_iter().zip([base, light]) {
                let sampler = &document["samplers"][index(&textures[index(&used["index"])]["sampler"])];
                let expected = [wrap(flags & 16 != 0), wrap(flags & 32 != 0)];
                assert_eq!([&sampler["wrapS"], &sampler["wrapT"]], [&expected[0], &expected[1]], "{base} {light}");
            }
        }
    }
}

#[test]
fn animations_of_one_rate_are_one_clip_and_sequences_are_its_named_parts() {
    let folder = Folder::new("clips");
    let anim = |frames, fps| writer::b3d::animation(frames, fps);
    let fin = |part: usize| node(format!("fin {part}"), [keys(1, [0, 4, 10]), anim(10, 20.0)]);
    let fish = scene([node("fish", [one_triangle()].into_iter().chain((0..13).map(fin)))]).to_vec();
    let (_, document) = glb(&folder, &folder.file("fish.b3d", &fish), &[]);
    assert_eq!(len(&document, "animations"), 1);
    assert_eq!(document["animations"][0]["channels"].as_array().unwrap().len(), 13);
    // Another rate is another clip.
    let two = scene([node(
        "both",
        [node("a", [keys(1, [0, 4]), anim(4, 20.0)]), node("b", [keys(1, [0, 4]), anim(4, 25.0)])],
    )]);
    let (_, document) = glb(&folder, &folder.file("two.b3d", two.to_vec()), &[]);
    assert_eq!(len(&document, "animations"), 2);
    let parts =
        [keys(1, [0, 10, 40]), sequence("walk", 10, 30), sequence("stand", 30, 40), node("arm", [keys(1, [20])])];
    let man = scene([node("man", [one_triangle(), anim(40, 20.0)].into_iter().chain(parts))]).to_vec();
    let model = folder.file("man.b3d", &man);
    let (bytes, document) = glb(&folder, &model, &[]);
    let clips: Vec<(&str, f64)> = document["animations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|clip| (clip["name"].as_str().unwrap(), clip["extras"]["seconds"].as_f64().unwrap()))
        .collect();
    assert_eq!(clips, [("man", 2.0), ("walk", 1.0), ("stand", 0.5)]);
    let times = |bytes: &[u8], document: &Json, clip: usize| {
        floats(bytes, document, &document["animations"][clip]["samplers"][0]["input"])
    };
    assert_eq!(times(&bytes, &document, 1), [0.0, 1.0]);
    // The rig has the same clips, and each pose is that of the whole at the same time.
    let asset = Asset::parse(&man).unwrap();
    let rig = asset.rigs().pop().unwrap().unwrap();
    let all: Vec<_> = rig.clips().map(Result::unwrap).collect();
    assert_eq!((all.len(), all[1].rate, all[1].seconds), (3, Some(20.0), Some(1.0)));
    for seconds in [0.0, 0.25, 1.0] {
        assert_eq!(all[1].pose_at(seconds).unwrap(), all[0].pose_at(seconds + 0.5).unwrap(), "{seconds}");
        assert_eq!(all[1].sampler().unwrap().pose_at(seconds), all[1].pose_at(seconds).unwrap());
    }
    let (bytes, document) = glb(&folder, &model, &["--clip", "WALK", "--fps", "40"]);
    assert_eq!((len(&document, "animations"), times(&bytes, &document, 0)), (1, vec![0.0, 0.5]));
    let output =
        program().args(["export", "--clip", "run"]).arg(&model).arg("-o").arg(folder.0.join("x.glb")).output().unwrap();
    assert!(code(&output) == 2 && stderr(&output).contains("man, walk, stand"), "{}", stderr(&output));
    // `info` names them.
    let info = program().arg("info").arg(&model).output().unwrap();
    let info = crate::support::program::stdout(&info);
    assert!(info.contains("walk") && info.contains("frames 10 to 30"), "{info}");
}

/// Bits that are the same for 0 and -0.
fn bits(point: [f32; 3]) -> [u32; 3] {
    point.map(|axis| (axis + 0.0).to_bits())
}

#[test]
fn mirrored_along_z_the_coordinates_are_those_of_the_file() {
    let folder = Folder::new("mirror");
    let bytes = outside_file("b3d/character.b3d").unwrap_or_else(|| writer::b3d::sound().to_vec());
    let model = folder.file("model.b3d", &bytes);
    let file = meshpeek::b3d::Scene::parse(&bytes).unwrap();
    let (glb_bytes, document) = glb(&folder, &model, &["--mirror", "z"]);
    let nodes = document["nodes"].as_array().unwrap();
    let number = |json: &Json, at: usize, other: f64| json.get(at).map_or(other, |one| one.as_f64().unwrap()) as f32;
    let mut checked = 0;
    for (node, stored) in nodes.iter().zip(file.nodes().map(Result::unwrap)) {
        let [x, y, z] = stored.position();
        let read = [0, 1, 2].map(|at| number(&node["translation"], at, 0.0));
        assert_eq!([read[0], read[1], -read[2]], [x, y, z]);
        let read = [0, 1, 2, 3].map(|at| number(&node["rotation"], at, [0.0, 0.0, 0.0, 1.0][at]));
        let turned = meshpeek::b3d::rotation_xyzw(stored.rotation());
        let length = turned.iter().map(|part| part * part).sum::<f32>().sqrt();
        for (a, b) in [-read[0], -read[1], read[2], read[3]].iter().zip(turned) {
            assert!((a - b / length).abs() < 1e-6);
        }
    }
    // A skinned mesh has a node of its own.
    let stored = file.nodes().map(Result::unwrap).find_map(|node| node.mesh().unwrap()).unwrap();
    let raw: std::collections::BTreeSet<[u32; 3]> =
        stored.vertices().unwrap().positions().iter().map(|point| bits(point.to_array())).collect();
    for primitive in document["meshes"][0]["primitives"].as_array().unwrap() {
        for point in floats(&glb_bytes, &document, &primitive["attributes"]["POSITION"]).chunks_exact(3) {
            assert!(raw.contains(&bits([point[0], point[1], -point[2]])), "{point:?}");
            checked += 1;
        }
    }
    assert!(checked > 3, "{checked}");
    // Triangles are counterclockwise, scale and the upward axis as asked for.
    let (plain, first) = glb(&folder, &model, &[]);
    let (scaled, second) = glb(&folder, &model, &["--scale", "2", "--up", "z"]);
    let of = |bytes: &[u8], document: &Json| {
        floats(bytes, document, &document["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
    };
    for (a, b) in of(&plain, &first).chunks_exact(3).zip(of(&scaled, &second).chunks_exact(3)) {
        assert_eq!([a[0] * 2.0, -a[2] * 2.0, a[1] * 2.0], [b[0], b[1], b[2]]);
    }
}

#[test]
fn images_are_found_by_folder_by_name_and_in_the_archive() {
    let folder = Folder::new("image-search");
    let images = |model: &Path, args: &[&str]| {
        let (_, document) = glb(&folder, model, args);
        (len(&document, "images"), document["images"][0]["mimeType"].clone(), document["images"][0]["name"].clone())
    };
    let none = (0, Json::Null, Json::Null);
    let model = folder.file("model.b3d", with_images(&[br"c:\work\skins\Fur.PNG"]));
    assert_eq!(images(&model, &[]), none);
    for name in ["deep/skins", "skins", "other"] {
        std::fs::create_dir_all(folder.0.join("t").join(name)).unwrap();
    }
    folder.file("t/other/fur.png", red(2));
    folder.file("t/deep/skins/fur.png", red(3));
    folder.file("t/skins/fur.png", red(4));
    let t = folder.0.join("t");
    let t = t.to_str().unwrap();
    assert_eq!(images(&model, &["--textures", t]), (1, json!("image/png"), json!("Fur.PNG")));
    // The nearest folder first.
    let (bytes, document) = glb(&folder, &model, &["--textures", t]);
    let start = index(&document["bufferViews"][index(&document["images"][0]["bufferView"])]["byteOffset"]);
    assert_eq!(pixels(&binary(&bytes)[start..]).0, 4);
    let file = folder.0.join("t/other/fur.png");
    let given = format!("fur.png={}", file.display());
    assert_eq!(images(&model, &["--texture", &given]).0, 1);
    // A model that names no image.
    let bare = folder.file("bare.b3d", cube(&Look(b"", [1.0; 4], 0), None));
    let bare = {
        let bytes = std::fs::read(&bare).unwrap();
        assert!(Asset::parse(&bytes).is_ok());
        let mesh = mesh(-1, [square_vertices(), triangles(-1, &[[0, 1, 2]])]);
        folder.file("bare.b3d", scene([node("n", [mesh])]).to_vec())
    };
    assert_eq!(images(&bare, &[]).0, 0);
    assert_eq!(images(&bare, &["--texture", file.to_str().unwrap()]), (1, json!("image/png"), json!("fur.png")));
    // Others are written as PNG.
    let mut bitmap = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(2, 2, image::Rgb([9, 8, 7])).write_to(&mut bitmap, image::ImageFormat::Bmp).unwrap();
    folder.file("skin.bmp", bitmap.into_inner());
    let bmp = folder.file("bmp.b3d", with_images(&[b"skin.bmp"]));
    assert_eq!(images(&bmp, &[]), (1, json!("image/png"), json!("skin.bmp")));
    // Elsewhere in the archive around the model.
    use writer::zip::{Entry, zip};
    let (inner, skin) = (with_images(&[b"fur.png"]), red(2));
    let entries = [Entry::deflated("mobs/cow/model.b3d", &inner), Entry::deflated("mobs/textures/FUR.png", &skin)];
    let archive = folder.file("a.zip", zip(&entries, b"").to_vec());
    let address = format!("{}!/mobs/cow/model.b3d", archive.display());
    assert_eq!(images(Path::new(&address), &[]), (1, json!("image/png"), json!("fur.png")));
}

/// Three vertices with coordinates.
fn square_vertices() -> Bytes {
    chunk(
        b"VRTS",
        Bytes::new()
            .u32(0)
            .u32(1)
            .u32(2)
            .f32s([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
    )
}

#[test]
fn mlod_models_are_written_by_lod_without_proxies_and_move_with_plain_rtm() {
    use writer::mlod::{face, lod, model, tag};
    let folder = Folder::new("mlod-glb");
    let faces = [face(&[0, 1, 2], "a.paa", ""), face(&[1, 2, 3], "a.paa", "")];
    // The second face is a proxy; one point moves half.
    let tags = [tag("Bone 0", &[1, 129, 0, 0, 1, 0]), tag(r"proxy:\gun.001", &[0, 0, 0, 0, 0, 1])];
    let fine = lod(4, &faces, &tags, 1.0);
    let bytes = model(&[lod(3, &faces[..1], &[], 2.0), fine, lod(3, &faces[..1], &[], 1e13)]).to_vec();
    let file = folder.file("model.p3d", &bytes);
    let asset = Asset::parse(&bytes).unwrap();
    let visible: Vec<bool> = asset.primitives().map(|one| one.unwrap().place.visible).collect();
    assert_eq!(visible, [true, true, false, true]);
    let names = |args: &[&str]| {
        let (_, document) = glb(&folder, &file, args);
        let nodes = document["nodes"].as_array().unwrap().clone();
        let count = |mesh: &Json| index(&document["accessors"][index(&mesh["primitives"][0]["indices"])]["count"]);
        assert!(document["meshes"].as_array().unwrap().iter().all(|mesh| count(mesh) == 3));
        nodes.iter().map(|node| node["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["Visual 1"]);
    assert_eq!(names(&["--lod", "2"]), ["Geometry"]);
    assert_eq!(names(&["--lod", "all"]), ["Visual 2", "Visual 1", "Geometry"]);
    let output =
        program().args(["export", "--lod", "3"]).arg(&file).arg("-o").arg(folder.0.join("x.glb")).output().unwrap();
    assert!(code(&output) == 2 && stderr(&output).contains("no LOD 3"), "{}", stderr(&output));
    // Bones of an animation, two frames.
    let name = |name: &str| Bytes::new().raw(name).raw(vec![0; 32 - name.len()]);
    let pose = |x: f32| {
        Bytes::new().part(&name("bone 0")).f32s([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, 0.0, 2.0 * x])
    };
    let motion = Bytes::new().raw("RTM_0101").f32s([0.0; 3]).u32(2).u32(1).part(&name("bone 0"));
    let motion = motion.f32(0.0).part(&pose(0.0)).f32(1.0).part(&pose(3.0));
    let rtm = folder.file("walk.rtm", motion.to_vec());
    let (bytes, document) = glb(&folder, &file, &["--motion", rtm.to_str().unwrap()]);
    assert_eq!((len(&document, "skins"), len(&document, "animations")), (1, 1));
    let attributes = &document["meshes"][0]["primitives"][0]["attributes"];
    assert_eq!(document["accessors"][index(&attributes["JOINTS_0"])]["componentType"], 5121);
    assert_eq!(bytes_of(&bytes, &document, &attributes["JOINTS_0"])[..12], [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    let sampler = &document["animations"][0]["samplers"][0];
    assert_eq!(floats(&bytes, &document, &sampler["output"]), [0.0, 0.0, 0.0, 3.0, 0.0, -6.0]);
    let (_, alone) = glb(&folder, &rtm, &[]);
    assert_eq!((len(&alone, "nodes"), len(&alone, "animations")), (1, 1));
}

/// A `model.cfg` with two skeletons, one of which inherits from a third.
fn model_cfg() -> writer::rap::Class {
    model_cfg_of(&["hand", "Arm", "arm", "hip", "HIP", "arm", "tail", "hip"])
}

fn model_cfg_of(body: &[&str]) -> writer::rap::Class {
    use writer::rap::{Entry, class, root, texts, value};
    let bones = |names: &[&str]| Entry::Array("skeletonBones".to_owned(), texts(names));
    let skeletons = [
        class("Default", "", [value("skeletonInherit", ""), bones(&[])]),
        class("Base", "Default", [bones(&["Hip", ""])]),
        class("Body", "Default", [value("SkeletonInherit", "base"), bones(body)]),
    ];
    let turn = class("Animations", "", [class("Turn", "", [value("skeletonName", "Other")])]);
    let models = [
        class("Default", "", [value("skeletonName", "")]),
        class("Man", "Default", [value("skeletonName", "Body"), turn]),
        class("Soldier", "Man", []),
        class("Stone", "Default", []),
        class("Lost", "Default", [value("skeletonName", "Gone")]),
    ];
    root([class("CfgSkeletons", "", skeletons), class("CfgModels", "", models)])
}

#[test]
fn a_model_cfg_gives_the_tree_of_bones_of_a_model() {
    let bones = |config: &[u8], model: &str| -> Result<Vec<_>, String> {
        let budget = budget(config);
        let rig =
            ModelCfg::read(config, &budget).and_then(|config| config.rig(model)).map_err(|error| error.to_string())?;
        Ok(rig.bones().iter().map(|bone| (bone.name.to_string(), bone.parent)).collect::<Vec<_>>())
    };
    let body = [("Hip", None), ("arm", Some(0)), ("hand", Some(1)), ("tail", Some(0))];
    let body = Ok(body.map(|(name, parent)| (name.to_owned(), parent)).to_vec());
    let (text, binary) = (writer::rap::as_text(&model_cfg()), writer::rap::file(&model_cfg(), &[]).to_vec());
    for config in [text.as_bytes(), &binary] {
        assert_eq!((bones(config, "man"), bones(config, "SOLDIER")), (body.clone(), body.clone()));
        let wrong = [
            ("stone", "the class Stone has no skeleton"),
            ("lost", "no skeleton is called Gone"),
            ("tree", "no class tree that names one of the skeletons Default, Base, Body"),
        ];
        for (model, why) in wrong {
            assert!(bones(config, model).unwrap_err().contains(why), "{model}");
        }
        let small = Budget::new(0, &Limits::default().with_decoded_bytes(100));
        assert!(ModelCfg::read(config, &small).is_err());
    }
    // The only skeleton serves any model.
    let only = |entries: &str| format!("class CfgSkeletons {{ class A: A {{ {entries} }}; }};");
    let one = bones(only(r#"skeletonBones[] += {"a", ""};"#).as_bytes(), "tree");
    assert_eq!(one, Ok(vec![("a".to_owned(), None)]));
    let wrong = [
        (only(r#"skeletonBones[] = {"a", "b", "b", "a"};"#), "bones are their own ancestors"),
        (only(r#"skeletonInherit = "A";"#), "skeletons inherit from each other in a ring"),
        ("class CfgModels {};".to_owned(), "no skeletons"),
    ];
    for (config, why) in wrong {
        assert!(bones(config.as_bytes(), "tree").unwrap_err().contains(why), "{config}");
    }
}

/// A plain animation with frames at 0 and 1. In the second, each bone is at a place in the model, turned by quarters
/// about z.
fn plain_motion(bones: &[(&str, [f32; 3], usize)]) -> Vec<u8> {
    let name = |name: &str| Bytes::new().raw(name).raw(vec![0; 32 - name.len()]);
    let head = Bytes::new().raw("RTM_0101").f32s([0.0; 3]).u32(2).u32(bones.len() as u32);
    let head = bones.iter().fold(head, |all, (bone, ..)| all.part(&name(bone)));
    let frame = |all: Bytes, time: usize| {
        let pose = |all: Bytes, (bone, at, quarters): &(&str, [f32; 3], usize)| {
            let (sin, cos) = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][time * quarters];
            let turn = [cos, sin, 0.0, -sin, cos, 0.0, 0.0, 0.0, 1.0];
            all.part(&name(bone)).f32s(turn).f32s(at.map(|axis| axis * time as f32))
        };
        bones.iter().fold(all.f32(time as f32), pose)
    };
    [0, 1].into_iter().fold(head, frame).to_vec()
}

/// The nodes' places in the model at the end of the first animation: the translation of each.
fn ends(glb: &[u8], document: &Json) -> BTreeMap<String, [f32; 3]> {
    let animation = &document["animations"][0];
    let last = |node: usize, path: &str| {
        let mut channels = animation["channels"].as_array().unwrap().iter();
        let channel = channels.find(|one| index(&one["target"]["node"]) == node && one["target"]["path"] == path)?;
        let sampler = &animation["samplers"][index(&channel["sampler"])];
        let all = floats(glb, document, &sampler["output"]);
        Some(all[all.len() / 2..].to_vec())
    };
    let local = |node: usize| {
        let mut local = Transform::IDENTITY;
        local.translation = last(node, "translation").map_or([0.0; 3], |all| all.try_into().unwrap());
        local.rotation = last(node, "rotation").map_or(local.rotation, |all| all.try_into().unwrap());
        local.to_matrix()
    };
    let mut places = BTreeMap::new();
    let roots = document["scenes"][0]["nodes"].as_array().unwrap();
    let mut waiting: Vec<(usize, Matrix)> = roots.iter().map(|root| (index(root), Matrix::IDENTITY)).collect();
    while let Some((node, around)) = waiting.pop() {
        let world = around.after(&local(node));
        let name = document["nodes"][node]["name"].as_str().unwrap().to_owned();
        places.insert(name, world.point([0.0; 3]));
        let children = document["nodes"][node]["children"].as_array();
        waiting.extend(children.into_iter().flatten().map(|child| (index(child), world)));
    }
    places
}

#[test]
fn a_model_cfg_gives_a_motion_parents_and_moves_nothing_elsewhere() {
    use writer::mlod::{face, lod, model, tag};
    let folder = Folder::new("model-cfg");
    let tags = [tag("hand", &[1, 1, 0, 0]), tag("Tail", &[0, 0, 1, 0])];
    let file = folder.file("man.p3d", model(&[lod(3, &[face(&[0, 1, 2], "", "")], &tags, 1.0)]).to_vec());
    let clean = model_cfg_of(&["hand", "Arm", "arm", "hip", "tail", "hip"]);
    let config = folder.file("model.cfg", writer::rap::as_text(&clean));
    let twice = folder.file("twice.cfg", writer::rap::as_text(&model_cfg()));
    // The arm is not in it, so the hand's nearest ancestor is the hip.
    let bones = [("hip", [1.0, 2.0, 3.0], 1), ("HAND", [4.0, 2.0, 0.5], 2)];
    let motion = folder.file("man.rtm", plain_motion(&bones));
    let [config, motion_path] = [&config, &motion].map(|path| path.to_str().unwrap());
    let (_, still) = glb(&folder, &file, &["--model-cfg", config]);
    let export = |config: &str| {
        let out = Path::new(config).with_extension("glb");
        program().args(["export", "--model-cfg", config, "-o"]).args([&out, &file]).output().unwrap()
    };
    let said = export(twice.to_str().unwrap());
    let bones = "2 bones without a selection of the model, left out of its skin: Hip, arm";
    assert!(stderr(&said).contains(bones), "{}", stderr(&said));
    assert!(
        stderr(&said).contains("the bone HIP is listed with the parent \"\", then with \"arm\""),
        "{}",
        stderr(&said)
    );
    assert_eq!(code(&said), 1);
    let clean = export(config);
    assert!(code(&clean) == 0 && stderr(&clean).contains(bones), "{}", stderr(&clean));
    let all = r#"class CfgSkeletons { class A { skeletonBones[] = {"hand", "", "tail", "hand"}; }; };"#;
    let all = export(folder.file("all.cfg", all).to_str().unwrap());
    assert!(code(&all) == 0 && stderr(&all).ends_with("no surface names an image; --texture FILE gives one\n"));
    assert_eq!(stderr(&all).lines().count(), 1);
    let parents = |document: &Json| {
        let nodes = document["nodes"].as_array().unwrap().iter();
        nodes.map(|node| (node["name"].as_str().unwrap().to_owned(), len(node, "children"))).collect::<Vec<_>>()
    };
    let tree = [("Hip", 2), ("arm", 1), ("hand", 0), ("tail", 0)].map(|(name, count)| (name.to_owned(), count));
    assert_eq!(parents(&still)[..4], tree);
    assert_eq!((len(&still, "skins"), len(&still, "animations")), (1, 0));
    assert_eq!(still["skins"][0]["joints"], json!([2, 3]));
    let flat = glb(&folder, &file, &["--motion", motion_path]);
    let moved = glb(&folder, &file, &["--motion", motion_path, "--model-cfg", config]);
    let alone = glb(&folder, &motion, &["--model-cfg", config]);
    for (bytes, document) in [&moved, &alone] {
        assert_eq!(parents(document)[..4], tree);
        let (flat, tree) = (ends(&flat.0, &flat.1), ends(bytes, document));
        for (name, in_flat) in [("Hip", flat["hip"]), ("hand", flat["HAND"])] {
            let near = tree[name].iter().zip(in_flat).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(near, "{name}: {in_flat:?} {:?}", tree[name]);
        }
        // Bones without keys go where their parents go.
        assert_eq!(tree["tail"], tree["Hip"]);
        assert_eq!(tree["arm"], tree["Hip"]);
    }
    let wrong = program()
        .args(["export", "--model-cfg", config])
        .arg(folder.file("tree.p3d", std::fs::read(&file).unwrap()))
        .arg("-o")
        .arg(folder.0.join("x.glb"))
        .output()
        .unwrap();
    assert!(code(&wrong) == 2 && stderr(&wrong).contains("no class tree"), "{}", stderr(&wrong));
}

#[test]
fn lodka_morphs_are_morph_targets() {
    let folder = Folder::new("morphs");
    let path = Path::new("corpus/lodka/everything.lod");
    let bytes = std::fs::read(crate::support::files::root().join(path)).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let (_, document) = glb_without_image(&folder, path);
    let mut expected = 0;
    for primitive in asset.primitives().map(Result::unwrap) {
        let morphs = primitive.morphs().unwrap();
        assert!(morphs.iter().all(|morph| morph.positions.len() == primitive.vertex_count().unwrap()));
        if primitive.place.node.is_none() && primitive.triangles().next().is_some() {
            expected += morphs.len();
        }
    }
    let primitives =
        document["meshes"].as_array().unwrap().iter().flat_map(|mesh| mesh["primitives"].as_array().unwrap());
    let targets: usize = primitives.map(|one| one["targets"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(targets, expected);
    assert!(expected > 0);
}

#[test]
fn bones_without_weights_make_no_skin_and_hidden_objects_are_in_no_scene() {
    let folder = Folder::new("empty-skin");
    let bones = [one_triangle(), node("a", [writer::b3d::bone(&[])]), node("b", [writer::b3d::bone(&[(0, 0.0)])])];
    let (_, document) = glb(&folder, &folder.file("bones.b3d", scene([node("n", bones)]).to_vec()), &[]);
    assert_eq!((len(&document, "skins"), len(&document, "nodes")), (0, 3));
    let (_, document) = glb_without_image(&folder, Path::new("corpus/bmx/full.bmx"));
    let shown: Vec<usize> = document["scenes"][0]["nodes"].as_array().unwrap().iter().map(index).collect();
    let mut hidden = 0;
    for (place, node) in document["nodes"].as_array().unwrap().iter().enumerate() {
        let is_hidden = node["extras"]["visible"] == false;
        assert_eq!(shown.contains(&place), !is_hidden, "{node}");
        hidden += usize::from(is_hidden);
    }
    assert!(hidden > 0);
}

#[test]
fn missing_normals_are_smoothed_by_position_as_blitz3d_does() {
    let folder = Folder::new("smooth");
    let model = cube(&Look(b"none.png", [1.0; 4], 0), None);
    let (bytes, document) = glb(&folder, &folder.file("cube.b3d", &model), &[]);
    let attributes = &document["meshes"][0]["primitives"][0]["attributes"];
    let (points, normals) =
        (floats(&bytes, &document, &attributes["POSITION"]), floats(&bytes, &document, &attributes["NORMAL"]));
    // Each corner belongs to three sides, but to two triangles of some: the normal is near the diagonal.
    for (point, normal) in points.chunks_exact(3).zip(normals.chunks_exact(3)) {
        let along: f32 = point.iter().zip(normal).map(|(a, b)| a * b).sum::<f32>() / 3.0_f32.sqrt();
        assert!(along > 0.9, "{point:?} {normal:?}");
    }
    let asset = Asset::parse(&model).unwrap();
    let primitive = asset.primitives().next().unwrap().unwrap();
    let own = primitive.to_mesh(&budget(&model)).unwrap();
    let turn = primitive.world_matrix.normals();
    for (own, local) in own.normals.iter().zip(normals.chunks_exact(3)) {
        let expected = turn([-local[0], local[1], local[2]]);
        assert!(own.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{own:?} {expected:?}");
    }
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [5.0, 5.0, 5.0]];
    assert_eq!(
        smooth_normals(&flat, &[[0, 1, 2], [0, 1, 9]]),
        [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0; 3]]
    );
}

fn is_send<T: Send>(value: T) -> T {
    value
}

/// All arrays of a primitive by their own methods, in the common space.
fn by_hand(primitive: &Primitive<'_>) -> Vec<[f32; 3]> {
    let (positions, world) = (primitive.positions().unwrap(), primitive.world_matrix);
    let points = is_send(primitive.triangles()).flat_map(Result::unwrap);
    points.filter_map(|vertex| Some(world.point(positions.array(vertex as usize)?))).collect()
}

#[test]
fn a_mesh_equals_its_primitive() {
    let mut checked = 0;
    for name in
        ["b3d/everything.b3d", "bmx/full.bmx", "lodka/everything.lod", "mlod/everything.p3d", "odol/v50_lzo.p3d"]
    {
        let bytes = std::fs::read(crate::support::files::root().join("corpus").join(name)).unwrap();
        let asset = Asset::parse(&bytes).unwrap();
        for primitive in is_send(asset.primitives()) {
            let primitive = primitive.unwrap();
            let mesh = primitive.to_mesh(&budget(&bytes)).unwrap();
            if mesh.left_out > 0 {
                continue;
            }
            let points: Vec<[f32; 3]> = mesh.indices.iter().map(|&vertex| mesh.positions[vertex as usize]).collect();
            assert_eq!(points, by_hand(&primitive), "{name}");
            let Mesh { positions, normals, uvs, colors, joints, weights, .. } = &mesh;
            let lengths = [normals.len(), colors.len(), joints.len(), weights.len()];
            let all = lengths.into_iter().chain(uvs.iter().map(Vec::len));
            assert!(all.into_iter().all(|len| len == 0 || len == positions.len()), "{name}: {lengths:?}");
            let too_small = Budget::new(0, &Limits::default().with_decoded_bytes(10));
            assert_eq!(primitive.to_mesh(&too_small).is_err(), !mesh.indices.is_empty(), "{name}");
            let mut plain = mesh;
            plain.uvs.truncate(1);
            (plain.colors, plain.joints, plain.weights) = Default::default();
            assert_eq!(primitive.to_plain_mesh(&budget(&bytes)).unwrap(), plain, "{name}");
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn arrays_of_a_lod_are_decoded_once_for_all_its_sections() {
    let bytes = std::fs::read(crate::support::files::root().join("corpus/odol/v50_lzo.p3d")).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let all: Vec<_> = asset.primitives().map(Result::unwrap).filter(|one| one.place.mesh == 0).collect();
    let read = || all.iter().for_each(|one| drop((one.positions(), one.normals(), one.uvs(0), one.tangents())));
    read();
    let before = codec::activity().decodes;
    read();
    assert_eq!(codec::activity().decodes, before);
}

#[test]
fn interleaved_vertices_are_ready_for_upload() {
    let bytes = std::fs::read(crate::support::files::root().join("corpus/b3d/everything.b3d")).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let primitive = asset.primitives().next().unwrap().unwrap();
    let normals = primitive.normals().unwrap().unwrap().borrowed().unwrap();
    let (records, stride, column) = (normals.as_bytes(), normals.stride(), normals.column());
    assert!(bytes.as_ptr_range().contains(&records.as_ptr()) && records.len() == stride * normals.len());
    for (record, normal) in records.chunks_exact(stride).zip(normals.iter()) {
        let stored: Vec<f32> = record[column..column + 12]
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
            .collect();
        assert_eq!(stored, normal.to_array());
    }
}

#[test]
fn samplers_give_the_poses_of_their_clips() {
    for (path, bytes) in crate::support::files::files() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        // Matrices of plain RTM are decomposed, so between frames they differ.
        if asset.format() == meshpeek::Format::Rtm {
            continue;
        }
        for clip in asset.rigs().into_iter().flatten().flat_map(|rig| rig.clips().flatten().collect::<Vec<_>>()) {
            let Ok(sampler) = clip.sampler() else { continue };
            for seconds in [0.0, 0.1, 7.0] {
                let (a, b) = (sampler.pose_at(seconds), clip.pose_at(seconds).unwrap());
                for (a, b) in a.locals().iter().zip(b.locals()) {
                    let near =
                        a.0.iter()
                            .flatten()
                            .zip(b.0.iter().flatten())
                            .all(|(a, b)| (a - b).abs() < 1e-4 || a.is_nan() || b.is_nan());
                    assert!(near, "{} at {seconds}: {a:?} {b:?}", path.display());
                }
            }
        }
    }
}

#[test]
fn pictures_show_sides_times_edges_and_no_background() {
    let folder = Folder::new("views");
    let parts = [one_triangle(), writer::b3d::animation(40, 20.0)];
    let arm = node("arm", [cube_mesh(), keys(1, [0, 20])]);
    let model = folder.file("model.b3d", scene([node("body", parts.into_iter().chain([arm]))]).to_vec());
    let draw = |args: &[&str]| {
        let to = folder.0.join("out.png");
        let output = program()
            .args(["export", "-q", "--size", "64"])
            .args(args)
            .arg(&model)
            .arg("-o")
            .arg(&to)
            .output()
            .unwrap();
        assert!(code(&output) < 2, "{args:?}: {}", stderr(&output));
        image::load_from_memory(&std::fs::read(to).unwrap()).unwrap()
    };
    let plain = draw(&[]).into_rgba8();
    for args in [&["--view", "front"][..], &["--view", "top"], &["--time", "1"], &["--wireframe"]] {
        assert!(draw(args).into_rgba8() != plain, "{args:?}");
    }
    assert!(plain.pixels().all(|pixel| pixel.0[3] == 255));
    let clear = draw(&["--transparent"]).into_rgba8();
    assert_eq!(clear.get_pixel(0, 0).0, [0; 4]);
    assert!(clear.pixels().any(|pixel| pixel.0[3] == 255));
    let output = program()
        .args(["export", "--time", "1", "--clip", "none"])
        .arg(&model)
        .arg("-o")
        .arg(folder.0.join("x.png"))
        .output()
        .unwrap();
    assert!(code(&output) == 2 && stderr(&output).contains("no animation is called none"), "{}", stderr(&output));
}

/// A tetrahedron.
fn cube_mesh() -> Bytes {
    let points = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    let vertices = chunk(b"VRTS", Bytes::new().u32(0).u32(0).u32(0).f32s(points));
    mesh(-1, [vertices, triangles(-1, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])])
}

#[test]
fn thumbnails_have_the_paths_of_their_models_and_a_contact_sheet_shows_all() {
    let folder = Folder::new("named-thumbnails");
    std::fs::create_dir_all(folder.0.join("in/b")).unwrap();
    let one = scene([node("n", [cube_mesh()])]).to_vec();
    folder.file("in/a.b3d", &one);
    folder.file("in/b/a.b3d", &one);
    let entries = [writer::zip::Entry::deflated("../x/c.b3d", &one)];
    folder.file("in/z.zip", writer::zip::zip(&entries, b"").to_vec());
    let sheet = folder.0.join("sheet.png");
    let mut scan = program();
    scan.current_dir(folder.0.join("in")).args(["scan", "-q", ".", "--thumbnails", "../out", "--contact-sheet"]);
    let output = scan.arg(&sheet).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut files: Vec<String> = crate::support::files::below(&folder.0.join("out"))
        .into_iter()
        .map(|path| path.strip_prefix(folder.0.join("out")).unwrap().to_str().unwrap().replace('\\', "/"))
        .collect();
    files.sort();
    assert_eq!(files, ["a.b3d.png", "b/a.b3d.png", "z.zip!/__/x/c.b3d.png"]);
    let sheet = image::open(sheet).unwrap();
    assert_eq!((sheet.width(), sheet.height()), (256, 256));
}

/// Up to 64 pictures are as wide on the sheet as apart, at most 256 pixels; more have 64 pixels each.
#[test]
fn cells_of_a_contact_sheet_get_small_when_there_are_many() {
    let folder = Folder::new("sheets");
    let one = scene([node("n", [cube_mesh()])]).to_vec();
    for (count, size, side) in [(64, "100", 8 * 100), (64, "300", 8 * 256), (65, "100", 9 * 64), (65, "40", 9 * 40)] {
        let names: Vec<String> = (0..count).map(|number| format!("{number}.b3d")).collect();
        let entries: Vec<_> = names.iter().map(|name| writer::zip::Entry::deflated(name, &one)).collect();
        folder.file("z.zip", writer::zip::zip(&entries, b"").to_vec());
        let (to, sheet) = (folder.0.join("out"), folder.0.join("sheet.png"));
        let mut scan = program();
        scan.args(["scan", "-q", "--thumbnail-size", size]).arg(folder.0.join("z.zip"));
        let output = scan.arg("--thumbnails").arg(to).arg("--contact-sheet").arg(&sheet).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let sheet = image::open(sheet).unwrap().into_rgb8();
        assert_eq!(sheet.width(), side, "{count} of {size}");
        // All models are equal, so all cells are, also those that were drawn before the others came.
        let columns = if count == 64 { 8 } else { 9 };
        let width = side / columns;
        for (x, y, pixel) in sheet.enumerate_pixels() {
            if y / width * columns + x / width < count {
                assert_eq!(pixel, sheet.get_pixel(x % width, y % width), "{count} of {size}: {x} {y}");
            }
        }
    }
}

/// Another file system may not tell `A` from `a`.
#[test]
fn pictures_of_names_that_differ_in_case_are_different_files_everywhere() {
    let folder = Folder::new("thumbnails-in-case");
    let one = scene([node("n", [cube_mesh()])]).to_vec();
    let entries = ["a.b3d", "A.b3d", "b/É.b3d", "b/é.b3d"].map(|name| writer::zip::Entry::deflated(name, &one));
    let out = folder.0.join("out");
    let mut scan = program();
    scan.args(["scan", "-q", "-j", "1", "--thumbnail-size", "16"])
        .arg(folder.file("z.zip", writer::zip::zip(&entries, b"").to_vec()));
    let output = scan.arg("--thumbnails").arg(&out).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut names: Vec<String> =
        crate::support::files::below(&out).iter().map(|path| path.to_str().unwrap().to_lowercase()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "{names:?}");
}

/// The roof of the house has a texture in its archive, and that of the older version none.
#[test]
fn thumbnails_have_the_images_in_the_archive_around_the_model() {
    let folder = Folder::new("red-roofs");
    for (version, flag, is_red) in
        [("mod", "--mmap", true), ("mod", "--no-mmap", true), ("mod_before", "--mmap", false)]
    {
        let to = folder.0.join(version);
        let mut scan = program();
        scan.args(["scan", "-q", &format!("corpus/{version}/addons/village.pbo"), "--thumbnails"]).arg(&to);
        let output = if flag == "--mmap" { &mut scan } else { scan.arg(flag) }.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let picture = to.join(format!("corpus/{version}/addons/village.pbo!/house.p3d.png"));
        let picture = image::open(picture).unwrap().into_rgb8();
        let red = picture
            .pixels()
            .filter(|pixel| pixel.0[0] > 100 && f32::from(pixel.0[0]) > 1.5 * f32::from(pixel.0[1]))
            .count();
        // The chimney and the base of the walls are red, too.
        assert_eq!(red > 1500, is_red, "{version} {flag}: {red} red pixels");
        std::fs::remove_dir_all(to).unwrap();
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_counted_and_ends_nothing() {
    let folder = Folder::new("unwritten-thumbnails");
    let one = scene([node("n", [cube_mesh()])]).to_vec();
    let names = ["a.b3d", "a.b3d.png/b.b3d", "A.B3D.PNG/c.b3d", "blocked/d.b3d", "e.b3d"];
    let entries = names.map(|name| writer::zip::Entry::deflated(name, &one));
    folder.file("in/z.zip", writer::zip::zip(&entries, b"").to_vec());
    let scan = |to: &str| {
        let mut scan = program();
        scan.current_dir(folder.0.join("in")).args(["scan", ".", "-o", "../records.ndjson", "--thumbnails", to]);
        let output = scan.output().unwrap();
        let records = std::fs::read_to_string(folder.0.join("records.ndjson")).unwrap();
        std::fs::remove_file(folder.0.join("records.ndjson")).unwrap();
        (code(&output), records.lines().count(), stderr(&output))
    };
    let (status, records, notes) = scan("../all");
    assert_eq!((status, records), (0, 6), "{notes}");
    let all = crate::support::files::below(&folder.0.join("all"));
    assert_eq!(all.len(), 5, "{all:?}");
    assert!(notes.contains("5 pictures\n") && !notes.contains("not drawn"), "{notes}");

    // A file where a folder is needed, and a folder with a file where a picture is needed.
    folder.file("some/z.zip!/blocked", "");
    folder.file("some/z.zip!/e.b3d.png/file", "");
    let (status, records, notes) = scan("../some");
    assert_eq!((status, records), (1, 6), "{notes}");
    assert!(notes.contains("3 pictures\n") && notes.contains("2 pictures not drawn; the first: "), "{notes}");
    assert_eq!(crate::support::files::below(&folder.0.join("some")).len(), 5);
}

#[test]
fn triangles_are_written_as_obj_and_ply() {
    let folder = Folder::new("obj");
    let to = folder.0.join("out.obj");
    assert_eq!(code(&exported(Path::new("corpus/b3d/everything.b3d"), &to)), 0);
    let text = std::fs::read_to_string(&to).unwrap();
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    let bytes = std::fs::read(crate::support::files::root().join("corpus/b3d/everything.b3d")).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let meshes: Vec<Mesh> = asset.primitives().map(|one| one.unwrap().to_mesh(&budget(&bytes)).unwrap()).collect();
    let vertices: usize = meshes.iter().map(|mesh| mesh.positions.len()).sum();
    let triangles: usize = meshes.iter().map(|mesh| mesh.indices.len() / 3).sum();
    assert_eq!((count("v "), count("f ")), (vertices, triangles));
    let most = text.lines().filter_map(|line| line.strip_prefix("f ")).flat_map(|line| line.split(' '));
    assert_eq!(most.map(|corner| corner.split('/').next().unwrap().parse::<usize>().unwrap()).max(), Some(vertices));
    let to = folder.0.join("out.ply");
    assert_eq!(code(&exported(Path::new("corpus/b3d/everything.b3d"), &to)), 0);
    let ply = std::fs::read(&to).unwrap();
    let end = ply.windows(11).position(|part| part == b"end_header\n").unwrap() + 11;
    assert_eq!(ply.len() - end, vertices * 36 + triangles * 13);
    for ending in ["obj", "ply"] {
        let output = exported(Path::new("corpus/odol/v50_lzo.p3d"), &folder.0.join(format!("x.{ending}")));
        assert!(code(&output) == 2 && stderr(&output).contains("ODOL"), "{}", stderr(&output));
    }
}

#[test]
fn names_of_thumbnails_are_names_of_files_everywhere() {
    let long = "n".repeat(200);
    let deep = format!("{}x.b3d", "d/".repeat(70));
    let mut names = vec![
        ("a/b.b3d".to_owned(), "a/b.b3d"),
        (r"a\c.b3d".to_owned(), "a/c.b3d"),
        (r"a\f/g.b3d".to_owned(), "a/f/g.b3d"),
        ("//e.b3d".to_owned(), "e.b3d"),
        ("x/./y.b3d".to_owned(), "x/y.b3d"),
        ("x/../y.b3d".to_owned(), "x/__/y.b3d"),
        (r"x\...\y.b3d".to_owned(), "x/___/y.b3d"),
        ("x/..y/z..b3d".to_owned(), "x/..y/z..b3d"),
        ("p.png/q.b3d".to_owned(), "p.png_/q.b3d"),
        ("P.PNG2/q.b3d".to_owned(), "P.PNG2/q.b3d"),
        ("r.PNG/s.pNg/t.b3d".to_owned(), "r.PNG_/s.pNg_/t.b3d"),
        ("C:/d.b3d".to_owned(), "C_/d.b3d"),
        ("é/ö.b3d".to_owned(), "é/ö.b3d"),
        ("a b.b3d".to_owned(), "a b.b3d"),
    ];
    let letters = [':', '*', '?', '"', '<', '>', '|', '\u{1}', '\n', '\u{7f}', '\u{85}'];
    let expected: Vec<String> = (0..letters.len()).map(|number| format!("{number}_{number}.b3d")).collect();
    for (number, letter) in letters.iter().enumerate() {
        names.push((format!("{number}{letter}{number}.b3d"), &expected[number]));
    }
    names.push((long.clone() + ".b3d", &long[..120]));
    names.push((format!("{long}/x.b3d"), ""));
    let below_long = format!("{}/x.b3d", &long[..120]);
    names.last_mut().unwrap().1 = &below_long;
    // Of 64 parts, the first is that of the archive.
    let shortened = vec!["d"; 63].join("/");
    names.push((deep, &shortened));
    let one = scene([node("n", [cube_mesh()])]).to_vec();
    let entries: Vec<_> = names.iter().map(|(name, _)| writer::zip::Entry::deflated(name, &one)).collect();
    let folder = Folder::new("thumbnail-names");
    folder.file("in/z.zip", writer::zip::zip(&entries, b"").to_vec());
    let mut scan = program();
    scan.current_dir(folder.0.join("in")).args(["scan", "-q", ".", "-j", "1", "--thumbnail-size", "16"]);
    let output = scan.args(["--thumbnails", "../out"]).output().unwrap();
    assert!(code(&output) < 2, "{}", stderr(&output));
    let out = folder.0.join("out");
    let mut found: Vec<String> = crate::support::files::below(&out)
        .iter()
        .map(|path| path.strip_prefix(&out).unwrap().to_str().unwrap().replace('\\', "/"))
        .collect();
    let mut expected: Vec<String> = names.iter().map(|(_, name)| format!("z.zip!/{name}.png")).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

/// Returns a point for each corner of the faces in an OBJ file, and a texture coordinate and normal if it names them.
fn corners_of_obj(text: &str) -> Vec<[Option<Vec<f32>>; 3]> {
    let mut lists = [const { Vec::new() }; 3];
    let mut corners = Vec::new();
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ').unwrap();
        let words = rest.split(' ');
        match ["v", "vt", "vn"].iter().position(|known| *known == kind) {
            Some(list) => lists[list].push(words.map(|number| number.parse().unwrap()).collect::<Vec<f32>>()),
            None if kind == "f" => {
                for corner in words {
                    let mut places = corner.split('/').map(|number| number.parse::<usize>().ok());
                    corners.push([0, 1, 2].map(|list: usize| {
                        let place = places.next().flatten()?;
                        Some(lists[list][place - 1].clone())
                    }));
                }
            }
            None => {}
        }
    }
    corners
}

/// A scene of meshes with texture coordinates or without them; no two have the same numbers.
fn meshes_by_uvs(with_uvs: [bool; 3]) -> Vec<u8> {
    let nodes = with_uvs.iter().enumerate().map(|(number, has_uvs)| {
        let (points, floats) = (number as u32 + 3, if *has_uvs { 5 } else { 3 });
        let head = Bytes::new().u32(0).u32((*has_uvs).into()).u32(2);
        let numbers = (0..points * floats).map(|at| number as f32 * 100.0 + (at * at) as f32 / 4.0);
        let corners = [[0, 1, 2], [2, 1, number as i32 + 2]];
        node("n", [mesh(-1, [chunk(b"VRTS", head.f32s(numbers)), triangles(-1, &corners)])])
    });
    scene(nodes).to_vec()
}

/// A model of meshes with normals or without them; each is one point longer than the one before.
fn meshes_by_normals(with_normals: [bool; 3]) -> Vec<u8> {
    use crate::writer::lodka::{Group, Mesh as Written, file, meshes};
    let list = [0, 1, 2].map(|number: u32| {
        let normals = with_normals[number as usize];
        let groups = vec![Group { normals, uvs: true, ..Group::new(2, number + 1) }];
        let count = if normals { number + 2 } else { 0 };
        Written { vertices: number + 3, normals: count, uvs: vec![number + 4], groups, ..Written::default() }
    });
    file([meshes(&list)]).to_vec()
}

/// The numbers of an OBJ file count its points, texture coordinates and normals each by themselves, over meshes with
/// and without them in any order.
#[test]
fn corners_of_obj_have_the_numbers_of_their_own_mesh() {
    for kinds in 0..8 {
        let kinds = [1, 2, 4].map(|bit| kinds & bit != 0);
        for (bytes, is_by_uvs) in [(meshes_by_uvs(kinds), true), (meshes_by_normals(kinds), false)] {
            let asset = Asset::parse(&bytes).unwrap();
            let mut obj = Vec::new();
            export::obj(&asset, &Options::default(), &budget(&bytes)).unwrap().write_to(&mut obj).unwrap();
            let mut expected = Vec::new();
            for (primitive, has_it) in asset.primitives().zip(kinds) {
                let mesh = primitive.unwrap().to_mesh(&budget(&bytes)).unwrap();
                // Blitz3D computes normals that are not there.
                let both = if is_by_uvs { [has_it, true] } else { [true, has_it] };
                assert_eq!([!mesh.uvs.is_empty(), !mesh.normals.is_empty()], both, "{kinds:?}");
                for &vertex in &mesh.indices {
                    let vertex = vertex as usize;
                    // In an OBJ file, v grows upwards.
                    let uv = mesh.uvs.first().map(|uvs| vec![uvs[vertex][0], 1.0 - uvs[vertex][1]]);
                    let normal = mesh.normals.get(vertex).map(|normal| normal.to_vec());
                    expected.push([Some(mesh.positions[vertex].to_vec()), uv, normal]);
                }
            }
            assert_eq!(expected.len(), 18, "{kinds:?}");
            assert_eq!(corners_of_obj(std::str::from_utf8(&obj).unwrap()), expected, "{kinds:?}");
        }
    }
}
