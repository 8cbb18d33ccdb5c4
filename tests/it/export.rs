//! `export` and `scan --thumbnails`: what is written, by other programs' judgement where they are at hand.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use meshpeek::{Asset, Format, Inspect};
use serde_json::Value as Json;

use crate::cli::{Folder, code, program, run, stderr};
use crate::corpus::{blessing, outside, root};
use crate::writer;

/// All files of formats that glTF is written of, in `corpus/` and outside.
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
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Said past the test runner, which keeps what tests print to itself.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

fn export(file: &Path, to: &Path) -> std::process::Output {
    program().args(["export", "-q"]).arg(file).arg("-o").arg(to).output().unwrap()
}

/// The document of a binary glTF file.
fn document(glb: &[u8]) -> Json {
    assert_eq!(&glb[..4], b"glTF");
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn len(document: &Json, list: &str) -> usize {
    document[list].as_array().map_or(0, Vec::len)
}

/// What the source has of what glTF counts: skins (meshes that bones move) and animations (with keys).
fn in_source(bytes: &[u8]) -> Option<(usize, usize)> {
    let asset = Asset::parse(bytes).ok()?;
    let mut skinned = std::collections::BTreeSet::new();
    let is_lodka = asset.summarize().format == Format::Lodka;
    for primitive in asset.primitives().flatten() {
        let place = *primitive.place();
        let bones = asset
            .rigs()
            .into_iter()
            .flatten()
            .find(|rig| rig.model() == place.model)
            .map_or(0, |rig| rig.bones().len());
        let has_triangles = primitive.to_welded(|_| Ok(())).is_ok_and(|welded| !welded.triangles.is_empty());
        if has_triangles && bones > 0 && primitive.to_weights().is_ok_and(|weights| weights.is_some()) {
            // All meshes of a LODka3D model have one skeleton.
            skinned.insert((place.model, if is_lodka { 0 } else { place.mesh }));
        }
    }
    let has_keys = |clip: meshpeek::Result<meshpeek::pose::Clip<'_>>| {
        let clip = clip.ok()?;
        let mut tracks = clip.bones().iter().filter_map(|&bone| clip.to_track(bone).ok());
        tracks.any(|track| !track.is_empty()).then_some(())
    };
    let rigs = asset.rigs().into_iter().flatten();
    let animations = rigs.map(|rig| rig.clips().filter_map(has_keys).count()).sum();
    Some((skinned.len(), animations))
}

/// The folder with the validator's package, if npm can bring it.
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

/// Prints a line for each file in the folder named: its name, how many errors, the first.
const VALIDATE: &str = "
const fs = require('fs'), validator = require('gltf-validator');
(async () => {
  for (const name of fs.readdirSync(process.argv[2]).filter(name => name.endsWith('.glb'))) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2] + '/' + name)));
    const first = report.issues.messages.find(message => message.severity == 0);
    console.log(JSON.stringify({ name, errors: report.issues.numErrors, first }));
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
        // What does not even open is no model; everything else is written, as far as it can be read.
        assert!(code(&output) == 0 || code(&output) == 2, "{}: {}", path.display(), stderr(&output));
        if code(&output) != 0 {
            assert!(!to.exists() && !stderr(&output).is_empty(), "{}", path.display());
            continue;
        }
        let document = document(&std::fs::read(&to).unwrap());
        let (skins, animations) = in_source(&bytes).unwrap();
        let counts = (len(&document, "skins"), len(&document, "animations"));
        assert_eq!(counts, (skins, animations), "{}", path.display());
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
        assert_eq!(report["errors"], 0, "{}: {}", path.display(), report["first"]);
    }
}

/// What assimp counts in a file: `Vertices:` and so on, and keys of each kind.
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
        // All bones for each of its meshes, which are our primitives; one more where a vertex has none.
        let asset = Asset::parse(&bytes).unwrap();
        let has_loose = |primitive: meshpeek::geometry::Primitive<'_>| {
            let weights = primitive.to_weights().unwrap();
            weights.is_some_and(|all| (0..all.len()).any(|vertex| all.of(vertex).iter().all(|one| one.weight <= 0.0)))
        };
        let loose = u64::from(asset.primitives().map(Result::unwrap).any(has_loose));
        assert_eq!(get("Bones"), (of("bones") + loose) * get("Meshes"), "{}", path.display());
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
fn what_is_not_exported_says_why() {
    let folder = Folder::new("refused");
    let target = folder.0.join("out.glb");
    for name in ["corpus/odol/v50_lzo.p3d", "corpus/mlod/everything.p3d", "corpus/rtm/plain.rtm"] {
        let output = export(Path::new(name), &target);
        assert_eq!(code(&output), 2, "{name}");
        assert!(stderr(&output).contains("their community forbids ripping them"), "{}", stderr(&output));
    }
    let archive = export(Path::new("corpus/zip/addons.zip"), &target);
    assert!(code(&archive) == 2 && stderr(&archive).contains("an archive is not a model"), "{}", stderr(&archive));
    for args in [&["export", "corpus/b3d/triangle.b3d"][..], &["export", "corpus/b3d/triangle.b3d", "-o", "x.obj"]] {
        let output = run(args);
        assert!(code(&output) == 2 && stderr(&output).contains("-o NAME.glb"), "{}", stderr(&output));
    }
    let nothing = export(Path::new("corpus/rtm/plain.rtm"), &folder.0.join("out.png"));
    assert!(code(&nothing) == 2 && stderr(&nothing).contains("no triangles"), "{}", stderr(&nothing));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
}

/// The size and pixels of a picture.
fn pixels(png: &[u8]) -> (u32, Vec<u8>) {
    let image = image::load_from_memory(png).unwrap().into_rgb8();
    (image.width(), image.into_raw())
}

/// Held against `corpus/pictures`: at most one pixel in a hundred may differ by more than a little.
fn is_golden(name: &str, png: &[u8]) {
    let path = root().join("corpus/pictures").join(name);
    if blessing() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, png).unwrap();
    }
    let (size, now) = pixels(png);
    let (golden_size, golden) = pixels(&std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}")));
    assert_eq!((size, now.len()), (golden_size, golden.len()), "{name}");
    let differ =
        now.chunks(3).zip(golden.chunks(3)).filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24));
    let differ = differ.count();
    assert!(differ * 100 <= now.len() / 3, "{name}: {differ} pixels differ");
}

#[test]
fn letters_stand_as_they_were_written_in_every_format() {
    let folder = Folder::new("letters");
    let mut first: Option<Vec<u8>> = None;
    for (name, bytes) in writer::letters::files() {
        let file = folder.file(name, bytes);
        std::fs::write(folder.0.join("letter.png"), writer::letters::image()).unwrap();
        let to = folder.0.join("out.png");
        let output = program().args(["export", "--size", "192"]).arg(&file).arg("-o").arg(&to).output().unwrap();
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        let png = std::fs::read(&to).unwrap();
        is_golden(&format!("{name}.png"), &png);
        // Formats of Arma name images that only the game has; the others show them, and the very same picture.
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
        ]);
        scan.arg("--thumbnails").arg(&pictures).output().unwrap()
    };
    let output = scan();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let files: Vec<String> =
        pictures.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let records = crate::cli::lines(&output);
    let digests: Vec<&str> = records.iter().filter_map(|record| record["digests"]["file"].as_str()).collect();
    assert!(files.len() > 10, "{files:?}");
    for file in &files {
        assert!(digests.contains(&file.strip_suffix(".png").unwrap()), "{file}");
        assert_eq!(pixels(&std::fs::read(pictures.join(file)).unwrap()).0, 64);
    }
    let triangle = records.iter().find(|record| record["path"] == "corpus/b3d/triangle.b3d").unwrap();
    assert!(files.contains(&format!("{}.png", triangle["digests"]["file"].as_str().unwrap())));
    // A second time nothing is drawn again.
    assert_eq!(code(&scan()), 0);
    assert_eq!(pictures.read_dir().unwrap().count(), files.len());
}
