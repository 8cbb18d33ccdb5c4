//! The files in the archives: made by the repository, or those in the folders of `MESHPEEK_CORPUS`.

use std::collections::BTreeMap;
use std::path::Path;

use super::dense;

/// A file and its name.
pub struct Asset {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The densest kinds of files: scenes, LODka3D, ODOL and RTM models, no textures.
pub fn dense() -> Vec<Asset> {
    assets(&["b3d", "lodka", "odol", "rtm"])
}

/// The files of a mod: models, editable ones among them, animations, textures, configs and materials, and as many
/// scripts as all of these.
pub fn of_a_mod() -> Vec<Asset> {
    const SCRIPT: &str = "params [\"_unit\"];\r\nif (alive _unit) then {\r\n\t_unit setDamage 0;\r\n};\r\n";
    let mut assets = assets(&["odol", "rtm", "paa", "rap"]);
    assets.push(Asset { name: "editable.p3d".to_owned(), bytes: editable_model() });
    let names: Vec<String> = assets.iter().map(|asset| format!("fn_{}.sqf", asset.name)).collect();
    for name in names {
        assets.push(Asset { name, bytes: SCRIPT.repeat(40).into_bytes() });
    }
    sorted(assets)
}

/// The files of these kinds.
pub fn assets(kinds: &[&str]) -> Vec<Asset> {
    let outside = std::env::var_os("MESHPEEK_CORPUS");
    let mut assets = Vec::new();
    for kind in kinds {
        let files = match &outside {
            Some(folder) => read_folder(&Path::new(folder).join(kind)),
            None => dense::files(kind),
        };
        assets.extend(files.into_iter().map(|(name, bytes)| Asset { name, bytes }));
    }
    sorted(assets)
}

/// Real archives are sorted by name.
fn sorted(mut assets: Vec<Asset>) -> Vec<Asset> {
    assets.sort_by(|one, other| one.name.cmp(&other.name));
    assets
}

fn read_folder(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        // Beside the files lie tables about them.
        if path.extension().is_some_and(|extension| extension != "tsv") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            files.push((name, std::fs::read(&path).expect("a file")));
        }
    }
    files
}

/// A scene of about 800 bytes, the smallest of its kind.
pub fn scene() -> Vec<u8> {
    let scenes = assets(&["b3d"]).into_iter();
    scenes.min_by_key(|scene| scene.bytes.len()).expect("a scene").bytes
}

/// An MLOD model of three LODs, whose faces name eight textures and materials in runs, as those of real ones do.
pub fn editable_model() -> Vec<u8> {
    const FACES: u32 = 3000;
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = [&b"MLOD"[..], &numbers(&[257, 3])].concat();
    for lod in 1..=3_u16 {
        bytes.extend([&b"P3DM"[..], &numbers(&[28, 256, FACES, FACES, FACES, 0])].concat());
        // Points of 16 bytes and normals of 12, of which each is (0, 1, 0).
        bytes.resize(bytes.len() + 16 * FACES as usize, 0);
        for _ in 0..FACES {
            bytes.extend(numbers(&[0, 1.0_f32.to_bits(), 0]));
        }
        for face in 0..FACES {
            bytes.extend(numbers(&[3]));
            for corner in 0..4 {
                bytes.extend(numbers(&[(face + corner) % FACES, face, 0, 0]));
            }
            bytes.extend(numbers(&[0]));
            let part = face * 8 / FACES;
            bytes.extend(format!("mod\\data\\part_{part}_co.paa\0mod\\data\\part_{part}.rvmat\0").bytes());
        }
        bytes.extend(b"TAGG\x01#EndOfFile#\0\0\0\0\0");
        bytes.extend(f32::from(lod).to_le_bytes());
    }
    bytes
}

/// The number of files with each extension, and their share of the bytes.
pub fn mix(assets: &[Asset]) -> String {
    let all: usize = assets.iter().map(|asset| asset.bytes.len()).sum();
    let mut kinds = BTreeMap::<&str, (usize, usize)>::new();
    for Asset { name, bytes } in assets {
        let (count, total) = kinds.entry(name.rsplit('.').next().unwrap_or_default()).or_default();
        *count += 1;
        *total += bytes.len();
    }
    let mut texts = Vec::new();
    for (kind, (count, total)) in kinds {
        texts.push(format!("{count} {kind} {:.0} %", total as f64 * 100.0 / all as f64));
    }
    texts.join(", ")
}
