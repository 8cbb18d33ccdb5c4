//! `export` and `scan --thumbnails`: checks their output with other programs, if these are available.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use meshpeek::{Asset, Format, Inspect};
use serde_json::{Value as Json, json};

use crate::support::files::{outside, root};
use crate::support::models::{
    Look, cube, document, export, is_golden, len, picture, picture_in_part, pixels, red, with_images,
};
use crate::support::program::{Folder, code, program, run, stderr};
use crate::writer;

/// All files of formats that can be exported to glTF, in `corpus/` and outside.
fn models() -> Vec<PathBuf> {
    let mut folders = vec![root().join("corpus")];
    folders.extend(outside());
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|ending| ending.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("b3d" | "bmx" | "lod") => files.push(path),
                Some("p3d" | "rtm") if is_source(&path) => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Returns true for an MLOD model or a plain RTM animation. Binarised files are refused.
fn is_source(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap();
    [&b"MLOD"[..], b"RTM_"].iter().any(|start| bytes.starts_with(start))
}

/// Prints the reason for a skipped test directly to stderr, because the test runner hides what tests print.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Returns the source's counts of skins (meshes that bones move), animations (with keys) and morph targets, as glTF counts
/// them.
fn in_source(bytes: &[u8]) -> Option<(usize, usize, usize)> {
    let asset = Asset::parse(bytes).ok()?;
    let mut skinned = std::collections::BTreeSet::new();
    let mut morphs = BTreeMap::new();
    let is_lodka = asset.format() == Format::Lodka;
    for primitive in asset.primitives().flatten() {
        let place = primitive.place;
        let bones =
            asset.rigs().into_iter().flatten().find(|rig| rig.model == place.model).map_or(0, |rig| rig.bones().len());
        // An MLOD has no bones of its own.
        let has_triangles = primitive.to_welded(|_| Ok(())).is_ok_and(|welded| !welded.triangles.is_empty());
        if has_triangles {
            morphs.insert((place.model, place.mesh, place.part), primitive.morphs().map_or(0, |all| all.len()));
        }
        if has_triangles && bones > 0 && primitive.to_weights().is_ok_and(|weights| weights.is_some()) {
            // All meshes of a LODka3D model have one skeleton; what proxies show has a skin for its place.
            let of_proxy = place.node.map_or(0, |proxy| proxy + 1);
            if !is_lodka || of_proxy == 0 || place.visible {
                skinned.insert((place.model, if is_lodka { of_proxy } else { place.mesh }));
            }
        }
    }
    let has_keys = |clip: meshpeek::Result<meshpeek::pose::Clip<'_>>| {
        let clip = clip.ok()?;
        let mut tracks = clip.bones().iter().filter_map(|&bone| clip.to_track(bone).ok());
        tracks.any(|track| !track.is_empty()).then_some(())
    };
    let rigs = asset.rigs().into_iter().flatten();
    let animations = rigs.map(|rig| rig.clips().filter_map(has_keys).count()).sum();
    Some((skinned.len(), animations, morphs.values().sum()))
}

/// The folder with the validator's package, if npm can install it.
fn validator() -> Option<PathBuf> {
    let folder = std::env::temp_dir().join("meshpeek-gltf-validator");
    if !folder.join("node_modules/gltf-validator").is_dir() {
        std::fs::create_dir_all(&folder).unwrap();
        let npm = Command::new("npm")
            .args(["install", "--silent", "gltf-validator@2.0.0-dev.3.10"])
            .current_dir(&folder)
            .output();
        if !npm.is_ok_and(|output| output.status.success()) {
            skipped("npm does not bring gltf-validator");
            return None;
        }
    }
    Some(folder)
}

/// Prints a line for each file in the given folder: its name, the number of errors, the first error.
const VALIDATE: &str = "
const fs = require('fs'), validator = require('gltf-validator');
(async () => {
  for (const name of fs.readdirSync(process.argv[2]).filter(name => name.endsWith('.glb'))) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2] + '/' + name)));
    const first = report.issues.messages.find(message => message.severity < 2);
    console.log(JSON.stringify({ name, errors: report.issues.numErrors, warnings: report.issues.numWarnings, first }));
  }
})();
";

#[test]
fn every_glb_is_sound_to_the_validator_and_whole() {
    let folder = Folder::new("glb");
    let mut written = BTreeMap::new();
    for (index, path) in models().into_iter().enumerate() {
        let to = folder.0.join(format!("{index}.glb"));
        let output = export(&path, &to);
        let bytes = std::fs::read(&path).unwrap();
        // A file that does not open, or is broken and has no triangle left, is not exported. All others are exported as
        // far as they can be read.
        assert!(matches!(code(&output), 0..=2), "{}: {}", path.display(), stderr(&output));
        assert_eq!(code(&output) == 0, stderr(&output).is_empty(), "{}", path.display());
        if code(&output) == 2 {
            assert!(!to.exists() && !stderr(&output).is_empty(), "{}", path.display());
            continue;
        }
        let document = document(&std::fs::read(&to).unwrap());
        let primitives =
            document["meshes"].as_array().into_iter().flatten().flat_map(|mesh| mesh["primitives"].as_array());
        let targets = primitives.flatten().map(|primitive| len(primitive, "targets")).sum();
        let counts = (len(&document, "skins"), len(&document, "animations"), targets);
        assert_eq!(Some(counts), in_source(&bytes), "{}", path.display());
        written.insert(format!("{index}.glb"), path);
    }
    assert!(written.len() > 40, "{}", written.len());
    let Some(validator) = validator() else { return };
    std::fs::write(validator.join("validate.js"), VALIDATE).unwrap();
    let Ok(output) = Command::new("node").arg("validate.js").arg(&folder.0).current_dir(&validator).output() else {
        skipped("no node");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reports: Vec<Json> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), written.len());
    for report in reports {
        let path = &written[report["name"].as_str().unwrap()];
        assert_eq!(
            (&report["errors"], &report["warnings"]),
            (&json!(0), &json!(0)),
            "{}: {}",
            path.display(),
            report["first"]
        );
    }
}

/// Counts of assimp for a file: `Vertices:` and so on, and keys of each kind.
fn assimp(path: &Path) -> Option<BTreeMap<String, u64>> {
    let info = Command::new("assimp").arg("info").arg(path).arg("-r").output().ok()?;
    let text = String::from_utf8_lossy(&info.stdout).into_owned();
    let number =
        |line: &str| Some((line.split(':').next()?.trim().to_owned(), line.split(':').nth(1)?.trim().parse().ok()?));
    Some(text.lines().filter_map(number).collect())
}

#[test]
fn assimp_reads_each_scene_to_the_same_counts() {
    if Command::new("assimp").arg("version").output().is_err() {
        skipped("no assimp");
        return;
    }
    let Some(outside) = outside() else { return };
    let folder = Folder::new("assimp");
    let mut checked = 0;
    for path in models().into_iter().filter(|path| path.starts_with(&outside) && path.extension().unwrap() == "b3d") {
        let to = folder.0.join("scene.glb");
        let output = export(&path, &to);
        assert_eq!(code(&output), 0, "{}: {}", path.display(), stderr(&output));
        let bytes = std::fs::read(&path).unwrap();
        let scene = meshpeek::b3d::Scene::parse(&bytes).unwrap();
        let counts = Asset::parse(&bytes).unwrap().summarize().counts;
        let (of, read) = (|name: &str| counts.get(name).unwrap(), assimp(&to).unwrap());
        let get = |name: &str| read.get(name).copied().unwrap_or(0);
        assert_eq!((get("Vertices"), get("Faces")), (of("vertices"), of("triangles")), "{}", path.display());
        let keyed =
            scene.nodes().flatten().filter(|node| node.keys().flatten().any(|keys| !keys.is_empty())).count() as u64;
        assert_eq!(get("Animation Channels"), keyed, "{}", path.display());
        // All bones for each of its meshes, which are our primitives; one more if a vertex has no bone.
        let asset = Asset::parse(&bytes).unwrap();
        let has_loose = |primitive: meshpeek::geometry::Primitive<'_>| {
            let weights = primitive.to_weights().unwrap();
            weights.is_some_and(|all| (0..all.len()).any(|vertex| all.of(vertex).iter().all(|one| one.weight <= 0.0)))
        };
        let loose = u64::from(asset.primitives().map(Result::unwrap).any(has_loose));
        // Bones without any weight make no skin.
        let is_moved = asset.primitives().any(|one| one.unwrap().to_weights().unwrap().is_some());
        let bones = if is_moved { of("bones") + loose } else { 0 };
        assert_eq!(get("Bones"), bones * get("Meshes"), "{}", path.display());
        // Keys are read back by ourselves: of each part of each node, as many as the file has frames for it.
        let document = document(&std::fs::read(&to).unwrap());
        let mut keys = 0;
        for animation in document["animations"].as_array().into_iter().flatten() {
            for sampler in animation["samplers"].as_array().unwrap() {
                let output = &document["accessors"][sampler["output"].as_u64().unwrap() as usize];
                keys += output["count"].as_u64().unwrap();
            }
        }
        let tracks = scene.nodes().flatten().map(|node| node.to_tracks().unwrap());
        let stored =
            tracks.map(|all| all.positions.len() + all.scales.len() + all.rotations.len()).sum::<usize>() as u64;
        assert_eq!(keys, stored, "{}", path.display());
        checked += 1;
    }
    assert!(checked >= 8, "{checked}");
}

#[test]
fn formats_without_an_export_give_a_reason() {
    let folder = Folder::new("refused");
    let target = folder.0.join("out.glb");
    for (name, kind) in [("corpus/odol/v50_lzo.p3d", "ODOL"), ("corpus/rtm/v5_mixed.rtm", "BMTR")] {
        let output = export(Path::new(name), &target);
        assert_eq!(code(&output), 2, "{name}");
        let said = stderr(&output);
        assert!(said.contains("community forbids ripping them") && said.contains(kind), "{said}");
    }
    for name in ["out.obj", "out.ply"] {
        let output = export(Path::new("corpus/odol/v50_lzo.p3d"), &folder.0.join(name));
        assert!(code(&output) == 2 && stderr(&output).contains("not written as OBJ or PLY"), "{}", stderr(&output));
    }
    let options = meshpeek::export::Options::default();
    let budget = meshpeek::Budget::unlimited(&meshpeek::Limits::default());
    for name in ["odol/v50_lzo.p3d", "rtm/plain.rtm", "rtm/v5_mixed.rtm", "zip/addons.zip"] {
        let bytes = std::fs::read(root().join("corpus").join(name)).unwrap();
        let asset = meshpeek::Asset::parse(&bytes).unwrap();
        for result in
            [meshpeek::export::obj(&asset, &options, &budget), meshpeek::export::ply(&asset, &options, &budget)]
        {
            assert!(matches!(result.unwrap_err().kind(), meshpeek::ErrorKind::Unsupported(_)), "{name}");
        }
    }
    let archive = export(Path::new("corpus/zip/addons.zip"), &target);
    assert!(code(&archive) == 2 && stderr(&archive).contains("an archive is not a model"), "{}", stderr(&archive));
    for args in [&["export", "corpus/b3d/triangle.b3d"][..], &["export", "corpus/b3d/triangle.b3d", "-o", "x.fbx"]] {
        let output = run(args);
        assert!(code(&output) == 2 && stderr(&output).contains("-o NAME.glb"), "{}", stderr(&output));
    }
    let nothing = export(Path::new("corpus/rtm/plain.rtm"), &folder.0.join("out.png"));
    assert!(code(&nothing) == 2 && stderr(&nothing).contains("no triangles"), "{}", stderr(&nothing));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
}

#[test]
fn letters_read_the_same_in_every_format() {
    let folder = Folder::new("letters");
    let mut first: Option<Vec<u8>> = None;
    for (name, bytes) in crate::letters::files() {
        let file = folder.file(name, bytes);
        std::fs::write(folder.0.join("letter.png"), crate::letters::image()).unwrap();
        let to = folder.0.join("out.png");
        let output = program().args(["export", "--size", "192"]).arg(&file).arg("-o").arg(&to).output().unwrap();
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        let png = std::fs::read(&to).unwrap();
        is_golden(&format!("{name}.png"), &png);
        // Formats of Arma refer to images that only the game has. The others show them, all in the same picture.
        if !name.ends_with(".p3d") {
            let (_, now) = pixels(&png);
            let same = first.get_or_insert_with(|| now.clone());
            let differ = now.iter().zip(&*same).filter(|(a, b)| a.abs_diff(**b) > 24).count();
            assert!(differ * 100 <= now.len(), "{name} is not the picture of the others: {differ}");
        }
    }
}

#[test]
fn thumbnails_are_one_for_each_model_by_digest() {
    let folder = Folder::new("thumbnails");
    let pictures = folder.0.join("pictures");
    let scan = || {
        let mut scan = program();
        scan.args([
            "scan",
            "corpus/b3d",
            "corpus/mlod",
            "corpus/zip",
            "corpus/hostile",
            "--digests",
            "--thumbnail-size",
            "64",
            "--thumbnail-names",
            "digest",
        ]);
        scan.arg("--thumbnails").arg(&pictures).output().unwrap()
    };
    let output = scan();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let files: Vec<String> =
        pictures.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let records = crate::support::program::lines(&output);
    let digests: Vec<&str> = records.iter().filter_map(|record| record["digests"]["file"].as_str()).collect();
    assert!(files.len() > 10, "{files:?}");
    for file in &files {
        assert!(digests.contains(&file.strip_suffix(".png").unwrap()), "{file}");
        assert_eq!(pixels(&std::fs::read(pictures.join(file)).unwrap()).0, 64);
    }
    let triangle = records.iter().find(|record| record["path"] == "corpus/b3d/triangle.b3d").unwrap();
    assert!(files.contains(&format!("{}.png", triangle["digests"]["file"].as_str().unwrap())));
    // Nothing is drawn a second time.
    assert_eq!(code(&scan()), 0);
    assert_eq!(pictures.read_dir().unwrap().count(), files.len());
}

#[test]
fn large_images_beside_a_small_model_are_drawn_and_one_that_is_too_large_is_left_out_alone() {
    let folder = Folder::new("large-images");
    let model = folder.file("model.b3d", with_images(&[b"a.png", b"b.png", b"c.png", b"d.png"]));
    let to = folder.0.join("model.png");
    let (plain, said) = picture(&model, &to, &[]);
    assert!(!said.contains("left out"), "{said}");
    // Three of 4096 pixels.
    let large = red(4096);
    for name in ["a.png", "b.png", "c.png"] {
        folder.file(name, &large);
    }
    let (drawn, said) = picture(&model, &to, &[]);
    assert!(!said.contains("left out"), "{said}");
    assert!(drawn != plain, "nothing of them is seen");
    // And one of 8192.
    let side = 8192_u32;
    let head =
        writer::bytes::Bytes::new().raw("BM").u32(0).u32(0).u32(54).u32(40).u32(side).u32(side).raw([1, 0, 24, 0]);
    let bitmap = folder.file("d.png", head.raw([0; 24]).to_vec());
    std::fs::File::options().write(true).open(bitmap).unwrap().set_len(54 + u64::from(side * side * 3)).unwrap();
    let (with_fourth, said) = picture_in_part(&model, &to, &[]);
    assert!(
        said.contains("1 image left out, too large for the limits: d.png") && said.matches("left out").count() == 1,
        "{said}"
    );
    assert!(with_fourth == drawn, "the others are as they were");
    // In a model, images that glTF supports are embedded unchanged.
    let glb = folder.0.join("model.glb");
    assert_eq!(code(&export(&model, &glb)), 1);
    assert_eq!(len(&document(&std::fs::read(&glb).unwrap()), "images"), 3);
}

/// An image that is given for a name that the model does not have is a mistake in the name.
#[test]
fn a_given_image_that_no_surface_shows_is_said_and_ends_with_1() {
    let folder = Folder::new("given-in-vain");
    let model = folder.file("model.b3d", with_images(&[b"textures/a.png", b"b.png"]));
    let bare = folder.file("bare.b3d", with_images(&[]));
    let image = folder.file("red.png", red(8));
    let image = image.to_str().unwrap();
    let named = |name: &str| format!("{name}={image}");
    let [sound, whole, wrong] = ["A.png", "textures/a.png", "c.png"].map(named);
    let names = "the images of the surfaces are b.png, textures/a.png";
    let (none, nowhere) = ("no surface shows an image", "this output shows no images");
    for (model, to, given, why) in [
        (&model, "model.png", &sound, None),
        (&model, "model.glb", &whole, None),
        (&model, "model.png", &wrong, Some(names)),
        (&model, "model.glb", &wrong, Some(names)),
        (&model, "model.obj", &sound, Some(nowhere)),
        (&model, "model.glb", &image.to_owned(), Some("no surface needs it")),
        (&bare, "bare.glb", &sound, Some(none)),
    ] {
        let to = folder.0.join(to);
        let output = program().args(["export", "--texture", given]).arg(model).arg("-o").arg(&to).output().unwrap();
        let said = stderr(&output);
        assert_eq!(code(&output), i32::from(why.is_some()), "{given}: {said}");
        assert_eq!(said.contains("has no effect"), why.is_some(), "{given}: {said}");
        if let Some(why) = why {
            let message = format!("--texture {given} has no effect: {why}\n");
            assert!(said.contains(&message), "{given}: {said}");
        }
        assert!(std::fs::read(&to).is_ok_and(|written| !written.is_empty()), "{given}");
    }
}

/// A file above the size limit is not read, whatever the way files are opened.
#[test]
fn an_image_is_not_read_where_its_file_is_too_large() {
    let folder = Folder::new("huge-image");
    let model = folder.file("model.b3d", with_images(&[b"a.png", b"b.png"]));
    folder.file("b.png", red(8));
    let to = folder.0.join("model.png");
    let (without, _) = picture(&model, &to, &[]);
    let huge = std::fs::File::create(folder.0.join("a.png")).unwrap();
    huge.set_len(6 << 30).unwrap();
    for args in [&[][..], &["--no-mmap"]] {
        let (drawn, said) = picture_in_part(&model, &to, args);
        assert!(said.contains("1 image left out, too large for the limits: a.png"), "{said}");
        assert!(drawn == without);
        let glb = folder.0.join("model.glb");
        let output = program().arg("export").args(args).arg(&model).arg("-o").arg(&glb).output().unwrap();
        assert!(code(&output) == 1 && stderr(&output).contains("1 image left out"), "{}", stderr(&output));
        assert_eq!(len(&document(&std::fs::read(&glb).unwrap()), "images"), 1);
    }
}

/// In an archive too: its packed data is not decompressed first.
#[test]
fn an_image_beside_a_model_in_an_archive_is_checked_before_it_is_unpacked() {
    use writer::zip::{Entry, zip};
    let model = with_images(&[b"a.png", b"b.png"]);
    let (large, small) = (vec![0; 300 << 20], red(8));
    let entries = [
        Entry::deflated("m/model.b3d", &model),
        Entry::deflated("m/a.png", &large),
        Entry::deflated("m/b.png", &small),
    ];
    let folder = Folder::new("archive-image");
    let archive = folder.file("a.zip", zip(&entries, b"").to_vec());
    drop(large);
    let address = PathBuf::from(format!("{}!/m/model.b3d", archive.display()));
    let (_, said) = picture_in_part(&address, &folder.0.join("model.png"), &[]);
    assert!(said.contains("1 image left out, too large for the limits: a.png") && !said.contains("b.png"), "{said}");
    let glb = folder.0.join("model.glb");
    assert_eq!(code(&export(&address, &glb)), 1);
    assert_eq!(len(&document(&std::fs::read(&glb).unwrap()), "images"), 1);
}

#[test]
fn the_sound_parts_of_a_broken_model_are_exported_and_the_others_named() {
    let folder = Folder::new("broken");
    let target = folder.0.join("out.glb");
    for name in ["cut_in_vertices", "cut_sequence", "weights_without_mesh", "mesh_without_vertices"] {
        let output = export(Path::new(&format!("corpus/hostile/{name}.b3d")), &target);
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains("nothing to export: "), "{name}: {}", stderr(&output));
        assert!(!target.exists(), "{name}");
    }
    let output = export(Path::new("corpus/hostile/vertex_out_of_range.b3d"), &target);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    assert!(said.contains("1 triangle left out") && said.contains("meshes[0].triangles[0].indices"), "{said}");
    assert_eq!(len(&document(&std::fs::read(&target).unwrap()), "meshes"), 1);
    // A truncated file with one complete mesh: this mesh is exported and drawn.
    let whole = writer::b3d::one_triangle();
    let bytes = writer::b3d::scene([writer::b3d::node("a", [whole.clone()]), writer::b3d::node("b", [whole])]).to_vec();
    let cut = folder.file("cut.b3d", &bytes[..bytes.len() - 20]);
    for name in ["cut.glb", "cut.png"] {
        let output = export(&cut, &folder.0.join(name));
        assert_eq!(code(&output), 1, "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains("bytes"), "{name}: {}", stderr(&output));
        assert!(folder.0.join(name).metadata().unwrap().len() > 500);
    }
    // Nodes without meshes are a valid model.
    let output = run(["export", "corpus/b3d/deep.b3d", "-o", target.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("no triangles, nodes only"), "{}", stderr(&output));
}

/// The color behind a model.
const GROUND: [u8; 3] = meshpeek::export::GROUND;

fn plain_image(color: [u8; 3]) -> Vec<u8> {
    let [red, green, blue] = color;
    clear_image([red, green, blue, 255])
}

fn clear_image(color: [u8; 4]) -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    let image = image::RgbaImage::from_pixel(2, 2, image::Rgba(color));
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

const GREY: Look = Look(b"none.png", [0.6, 0.6, 0.6, 1.0], 0);

#[test]
fn normals_that_do_not_face_as_their_triangles_are_reported_and_make_no_dark_picture() {
    let folder = Folder::new("normals");
    let picture = |name: &str, model: Vec<u8>| {
        let file = folder.file(&format!("{name}.b3d"), model);
        let to = folder.0.join(format!("{name}.png"));
        assert_eq!(code(&export(&file, &to)), 0, "{name}");
        let verify = run(["verify".as_ref(), "--strict".as_ref(), "-q".as_ref(), file.as_os_str()]);
        (pixels(&std::fs::read(to).unwrap()).1, code(&verify), crate::support::program::stdout(&verify))
    };
    type Turn = fn([f32; 3]) -> [f32; 3];
    let (flat, status, _) = picture("flat", cube(&GREY, Some(|normal| normal)));
    assert_eq!(status, 0);
    // Blitz3D smooths a model that has none.
    let (smooth, status, problems) = picture("smooth", cube(&GREY, None));
    assert!(smooth != flat && status == 0 && problems.is_empty());
    let sound: [(&str, Turn); 1] = [("scaled", |normal| normal.map(|part| part * 37.5))];
    for (name, normal) in sound {
        let (pixels, status, problems) = picture(name, cube(&GREY, Some(normal)));
        assert!(pixels == flat && status == 0 && problems.is_empty(), "{name}: {problems}");
    }
    let wrong: [(&str, Turn); 2] = [("inside out", |normal| normal.map(|part| -part)), ("z up", |[x, y, z]| [x, z, y])];
    for (name, normal) in wrong {
        let (pixels, status, problems) = picture(name, cube(&GREY, Some(normal)));
        assert!(pixels == flat && status == 1, "{name}: {problems}");
        assert_eq!(problems.lines().count(), 1, "{name}: {problems}");
        let count = if name == "z up" { 8 } else { 12 };
        let message = format!("meshes[0].normals: {count} of 12 triangles have normals that point elsewhere");
        assert!(problems.contains(&message), "{name}: {problems}");
    }
}

#[test]
fn pictures_that_show_nothing_are_reported() {
    let folder = Folder::new("faint");
    folder.file("ground.png", plain_image(GROUND));
    folder.file("coal.png", plain_image([29, 29, 29]));
    let draw = |name: &str, look: Look| {
        let to = folder.0.join(format!("{name}.out.png"));
        let output = export(&folder.file(&format!("{name}.b3d"), cube(&look, None)), &to);
        (code(&output), stderr(&output), std::fs::read(to).ok().map(|png| pixels(&png).1))
    };
    // Unlit and white, but without its image: drawn so that its shape is visible.
    let (status, notes, shown) = draw("unlit", Look(b"none.png", [1.0; 4], 1));
    assert_eq!((status, notes.as_str()), (0, ""));
    let distinct = shown.unwrap().chunks(3).filter(|pixel| pixel[0].abs_diff(GROUND[0]) > 24).count();
    assert!(distinct > 512 * 512 / 8, "{distinct}");
    let (status, notes, shown) = draw("bright", Look(b"ground.png", [1.0; 4], 1));
    assert!(status == 1 && notes.contains("nearly empty") && shown.is_some(), "{status} {notes}");
    let (status, notes, shown) = draw("dark", Look(b"none.png", [0.02, 0.02, 0.02, 1.0], 0));
    assert!(status == 0 && notes.contains("nearly black") && shown.is_some(), "{status} {notes}");
    // Of a bright image only the color of the brush makes a dark picture.
    let (status, notes, _) = draw("tinted", Look(b"ground.png", [0.02, 0.02, 0.02, 1.0], 0));
    assert!(status == 0 && notes.contains("nearly black"), "{status} {notes}");
    // An image that is dark itself is shown as it is.
    let (status, notes, _) = draw("coal", Look(b"coal.png", [1.0; 4], 0));
    assert!(status == 0 && !notes.contains("nearly black"), "{status} {notes}");
    let (status, notes, shown) = draw("clear", Look(b"none.png", [1.0, 1.0, 1.0, 0.0], 0));
    assert!(status == 1 && notes.contains("the picture is empty") && shown.is_some(), "{status} {notes}");
    let pictures = folder.0.join("thumbnails");
    let scan = program().arg("scan").arg(&folder.0).arg("--thumbnails").arg(&pictures).output().unwrap();
    assert!(stderr(&scan).contains("6 pictures, 4 nearly black or empty"), "{}", stderr(&scan));
}

/// The colors of a picture along the middle row.
fn middle(picture: &[u8]) -> Vec<[u8; 3]> {
    let side = (picture.len() / 3).isqrt();
    let row = &picture[side / 2 * side * 3..][..side * 3];
    row.as_chunks().0.to_vec()
}

#[test]
fn black_white_and_inward_models_are_visible_on_the_ground() {
    let folder = Folder::new("ground");
    for (name, color) in [("black", [0, 0, 0]), ("white", [255; 3])] {
        folder.file(&format!("{name}.png"), plain_image(color));
    }
    for (image, fx) in [(&b"black.png"[..], 0), (b"white.png", 0), (b"white.png", 1), (b"black.png", 1)] {
        let model = folder.file("model.b3d", cube(&Look(image, [1.0; 4], fx), None));
        let (drawn, _) = picture(&model, &folder.0.join("model.png"), &[]);
        let distinct = middle(&drawn).iter().filter(|pixel| pixel[0].abs_diff(GROUND[0]) > 40).count();
        assert!(distinct > 300, "{}: {distinct} of 512 differ from the ground", String::from_utf8_lossy(image));
    }
    // Each side that faces away from the light is still well above black.
    for view in ["front", "back", "left", "right", "top", "bottom"] {
        let model = folder.file("model.b3d", cube(&Look(b"white.png", [1.0; 4], 0), None));
        let (drawn, _) = picture(&model, &folder.0.join("model.png"), &["--view", view]);
        let least = drawn.iter().min().unwrap();
        assert!(*least >= 80, "{view}: {least}");
    }
}

/// A box inside out, triangles and normals, is a box whose inner sides are visible. They are lit as its outer sides.
#[test]
fn both_sides_of_triangles_are_lit() {
    use meshpeek::Asset;
    let folder = Folder::new("inside-out");
    let grey = cube(&GREY, Some(|normal| normal));
    let (sound, _) = picture(&folder.file("sound.b3d", &grey), &folder.0.join("sound.png"), &[]);
    // Points and normals mirrored at the origin: each triangle is now seen from behind.
    let Asset::B3d(scene) = Asset::parse(&grey).unwrap() else { panic!("not a scene") };
    let node = scene.nodes().next().unwrap().unwrap();
    let vertices = node.mesh().unwrap().unwrap().vertices().unwrap();
    let point: Vec<u8> =
        vertices.positions().get(0).unwrap().to_array().into_iter().flat_map(f32::to_le_bytes).collect();
    let start = grey.windows(12).position(|bytes| bytes == point).unwrap();
    let mut turned = grey.clone();
    for vertex in 0..24 {
        for number in 0..6 {
            turned[start + vertex * 32 + number * 4 + 3] ^= 0x80;
        }
    }
    let (inside_out, _) = picture(&folder.file("turned.b3d", turned), &folder.0.join("turned.png"), &[]);
    // Some pixels between two triangles belong to the other one.
    let apart = inside_out.iter().zip(&sound).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(apart < 300, "the sides are not lit alike: {apart}");
}

/// A wall behind a pane: two squares of two images, the second nearer to the eye.
fn wall_and_pane(pane: &'static [u8], blend: u32, opacity: f32) -> Vec<u8> {
    use writer::b3d::{chunk, join, mesh, scene, triangles};
    let node = |name: &str, parts: Vec<writer::bytes::Bytes>| {
        let still = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        chunk(b"NODE", join(writer::bytes::Bytes::new().cstr(name).f32s(still), parts))
    };
    let texture = |name: &[u8]| writer::bytes::Bytes::new().cstr(name).u32(3).u32(2).f32s([0.0, 0.0, 1.0, 1.0, 0.0]);
    let brush = |image: i32, opacity: f32, blend: u32| {
        let look = writer::bytes::Bytes::new().cstr("b").f32s([1.0, 1.0, 1.0, opacity]).f32(0.0);
        look.u32(blend).u32(1).i32(image)
    };
    let square = |z: f32| {
        let head = writer::bytes::Bytes::new().u32(0).u32(1).u32(2);
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        chunk(b"VRTS", head.f32s(corners.iter().flat_map(|[x, y]| [*x, *y, z, *x, *y])))
    };
    let part = |name: &str, brush: i32, z: f32| {
        node(name, vec![mesh(brush, [square(z), triangles(brush, &[[0, 2, 1], [0, 3, 2]])])])
    };
    let brushes = brush(0, 1.0, 1);
    let both = writer::bytes::Bytes::new().i32(1).raw(brushes.to_vec()).raw(brush(1, opacity, blend).to_vec());
    // The pane first, so that the order in the file does not help.
    let nodes = node("root", vec![part("pane", 1, 0.5), part("wall", 0, -0.5)]);
    scene([chunk(b"TEXS", texture(b"wall.png").raw(texture(pane).to_vec())), chunk(b"BRUS", both), nodes]).to_vec()
}

#[test]
fn transparent_surfaces_are_mixed_with_those_behind_them() {
    let folder = Folder::new("panes");
    folder.file("wall.png", plain_image([200, 0, 100]));
    folder.file("half.png", clear_image([0, 200, 0, 128]));
    folder.file("full.png", plain_image([0, 200, 0]));
    let center = |pane: &'static [u8], blend: u32, opacity: f32, args: &[&str]| {
        let model = folder.file("model.b3d", wall_and_pane(pane, blend, opacity));
        let (drawn, _) = picture(&model, &folder.0.join("model.png"), &[&["--view", "front"], args].concat());
        let row = middle(&drawn);
        // Also on the line between the two triangles of the pane, which passes through the centers of pixels.
        assert!(
            row[100..400].iter().all(|pixel| *pixel == row[100]),
            "{} {blend} {opacity}",
            String::from_utf8_lossy(pane)
        );
        row[100]
    };
    let near = |found: [u8; 3], expected: [u8; 3]| found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 2);
    for (pane, blend, opacity, expected) in [
        (&b"full.png"[..], 1, 1.0, [0, 200, 0]),
        (b"full.png", 1, 0.5, [100, 100, 50]),
        (b"half.png", 1, 0.5, [150, 50, 75]),
        (b"full.png", 3, 1.0, [200, 200, 100]),
        (b"full.png", 2, 1.0, [0, 0, 0]),
        // A glow without its image does not hide the wall.
        (b"none.png", 3, 1.0, [194, 34, 113]),
        (b"glass_ca.png", 1, 1.0, [194, 34, 113]),
    ] {
        let found = center(pane, blend, opacity, &[]);
        assert!(near(found, expected), "{} {blend} {opacity}: {found:?}", String::from_utf8_lossy(pane));
    }
    // A missing image of another name hides the wall with gray.
    let [red, green, blue] = center(b"none.png", 1, 1.0, &[]);
    assert!(red.abs_diff(green) < 3 && green.abs_diff(blue) < 9 && red > 100, "{red} {green} {blue}");
}

#[test]
fn see_through_triangles_that_are_too_many_to_sort_are_counted() {
    use writer::b3d::{chunk, mesh, node, scene, triangles};
    let folder = Folder::new("unsorted");
    let look = writer::bytes::Bytes::new().i32(0).cstr("glass").f32s([1.0, 1.0, 1.0, 0.5]).f32(0.0).u32(1).u32(0);
    for (count, said) in [(1 << 15, ""), ((1 << 15) + 2, "2 see-through triangles too many to sort: ")] {
        let head = writer::bytes::Bytes::new().u32(0).u32(0).u32(0);
        let corners = chunk(b"VRTS", head.f32s([-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 0.0]));
        let all = triangles(0, &vec![[0, 2, 1]; count]);
        let model = scene([chunk(b"BRUS", look.clone()), node("n", [mesh(0, [corners, all])])]).to_vec();
        let model = folder.file("model.b3d", model);
        let (_, notes) = picture(&model, &folder.0.join("model.png"), &["--size", "16"]);
        assert_eq!(notes.contains("too many to sort"), !said.is_empty(), "{notes}");
        assert!(notes.contains(said), "{notes}");
    }
    let mut scan = program();
    scan.arg("scan").arg(&folder.0).arg("--thumbnails").arg(folder.0.join("out")).args(["--thumbnail-size", "16"]);
    let said = stderr(&scan.output().unwrap());
    assert!(said.contains("1 picture, 1 with too many see-through triangles to sort\n"), "{said}");
}

#[test]
fn a_model_without_materials_has_a_plain_rough_one_in_gltf() {
    let folder = Folder::new("plain-material");
    let to = folder.0.join("model.glb");
    let model =
        folder.file("model.b3d", writer::b3d::scene([writer::b3d::node("a", [writer::b3d::one_triangle()])]).to_vec());
    assert_eq!(code(&export(&model, &to)), 0);
    let document = document(&std::fs::read(&to).unwrap());
    assert_eq!(document["meshes"][0]["primitives"][0]["material"], 0);
    let plain = serde_json::json!({ "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 1.0 } });
    assert_eq!(document["materials"], serde_json::json!([plain]));
}

#[test]
fn what_is_not_exported_has_the_hint_that_helps() {
    let folder = Folder::new("hints");
    let (odol, paa, rap) = ("corpus/odol/v50_lzo.p3d", "corpus/paa/dxt4.paa", "corpus/rap/everything.bin");
    let (pbo, zip, bmtr) = ("corpus/pbo/addon.pbo", "corpus/zip/addons.zip", "corpus/rtm/v5_mixed.rtm");
    for ending in ["glb", "obj", "ply", "png"] {
        let is_picture = ending == "png";
        for (file, hint) in [
            (odol, if is_picture { None } else { Some("; -o NAME.png draws a model") }),
            (paa, if is_picture { None } else { Some("; -o NAME.png does that") }),
            (pbo, Some(": FILE!/MEMBER")),
            (zip, Some(": FILE!/MEMBER")),
            (bmtr, Some("")),
            (rap, Some("a config has no triangles")),
        ] {
            let to = folder.0.join(format!("x.{ending}"));
            let output = export(Path::new(file), &to);
            let said = stderr(&output);
            let Some(hint) = hint else {
                assert!(code(&output) < 2, "{file} {ending}: {said}");
                std::fs::remove_file(&to).unwrap();
                continue;
            };
            assert_eq!(code(&output), 2, "{file} {ending}");
            assert!(said.ends_with(&format!("{hint}\n")) && said.lines().count() == 1, "{file} {ending}: {said}");
            let is_hinted = said.contains("-o NAME") || said.contains("FILE!");
            assert_eq!(is_hinted, ![bmtr, rap].contains(&file), "{file} {ending}: {said}");
            assert!(!to.exists(), "{file} {ending}");
        }
    }
}

#[test]
fn motions_are_plain_animations_alone() {
    let folder = Folder::new("motions");
    let to = folder.0.join("x.glb");
    for (motion, is_plain) in [
        ("corpus/rtm/plain.rtm", true),
        ("corpus/rtm/v5_mixed.rtm", false),
        ("corpus/b3d/everything.b3d", false),
        ("corpus/paa/dxt4.paa", false),
    ] {
        let args = ["export", "corpus/mlod/everything.p3d", "--motion", motion, "-o"];
        let output = program().args(args).arg(&to).output().unwrap();
        let said = stderr(&output);
        assert_eq!(said.contains("--motion needs a plain RTM animation"), !is_plain, "{motion}: {said}");
        assert_eq!(code(&output) == 2, !is_plain, "{motion}: {said}");
    }
}
