//! What `verify --lint` checks: for each check a file with the fault, and the same file without it.

use std::path::Path;

use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::summary::{Class, Code, Severity};

use crate::support::program::{Folder, built, code, lines, run, stderr, stdout};
use crate::writer::bytes::Bytes;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{b3d, mlod, odol, paa, rap, rtm, texheaders};

fn record(name: &str, bytes: &[u8], lint: bool) -> Record {
    let mut scan = Scan::new([""]);
    scan.depth = Depth::Verify;
    scan.lint = lint;
    scan.record(Path::new(name), bytes)
}

/// The codes of all problems, which are warnings of lint.
fn found(name: &str, bytes: &[u8]) -> Vec<Code> {
    let problems = record(name, bytes, true).summary.problems;
    let of_lint = |code: Code| code.class() == Class::Lint;
    assert!(problems.iter().all(|found| found.severity == Severity::Warning && of_lint(found.code)), "{problems:?}");
    // Without lint, nothing is found.
    assert_eq!(record(name, bytes, false).summary.problems, [], "{name}");
    problems.into_iter().map(|problem| problem.code).collect()
}

type Points = Vec<[f32; 3]>;

/// A cube, and its six sides.
fn cube() -> (Points, Vec<Vec<u32>>) {
    let points =
        (0..8).map(|corner| [corner & 1, corner >> 1 & 1, corner >> 2].map(|side| side as f32 * 2.0)).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points, sides.map(Vec::from).to_vec())
}

/// A bar of an L-shaped section, as one body.
fn corner() -> (Points, Vec<Vec<u32>>) {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let points = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| [x, y, z])).collect();
    let mut faces: Vec<Vec<u32>> =
        (0..6).map(|side| vec![side, (side + 1) % 6, (side + 1) % 6 + 6, side + 6]).collect();
    faces.extend([vec![0, 3, 2, 1], vec![0, 5, 4, 3], vec![6, 7, 8, 9], vec![6, 9, 10, 11]]);
    (points, faces)
}

/// A LOD of an edited model, with a mass for each point unless that is 0.
fn lod(points: &Points, faces: &[Vec<u32>], selections: &[&str], mass: f32, resolution: f32) -> Bytes {
    let mut bytes = Bytes::new().raw(b"P3DM").u32(28).u32(256).u32(points.len() as u32).u32(2);
    bytes = bytes.u32(faces.len() as u32).u32(0);
    bytes = points.iter().fold(bytes, |bytes, point| bytes.f32s(*point).u32(0));
    bytes = bytes.f32s([0.0, -1.0, 0.0]).f32s([0.0, 0.0, 1.0]);
    bytes = faces.iter().fold(bytes, |bytes, face| bytes.part(&mlod::face(face, "", ""))).raw(b"TAGG");
    for name in selections {
        bytes = bytes.part(&mlod::tag(name, &vec![1; points.len() + faces.len()]));
    }
    if mass != 0.0 {
        let masses: Vec<u8> = points.iter().flat_map(|_| mass.to_le_bytes()).collect();
        bytes = bytes.part(&mlod::tag("#Mass#", &masses));
    }
    bytes.part(&mlod::tag("#EndOfFile#", b"")).f32(resolution)
}

fn geometry((points, faces): &(Points, Vec<Vec<u32>>), selections: &[&str], mass: f32) -> Vec<u8> {
    mlod::model(&[lod(points, faces, selections, mass, 1e13)]).to_vec()
}

/// Visual LODs with these resolutions and numbers of faces.
fn visual(lods: &[(f32, usize)]) -> Vec<u8> {
    let (points, faces) = cube();
    let lods: Vec<Bytes> = lods
        .iter()
        .map(|(resolution, count)| {
            let many: Vec<Vec<u32>> = faces.iter().cycle().take(*count).cloned().collect();
            lod(&points, &many, &[], 0.0, *resolution)
        })
        .collect();
    mlod::model(&lods).to_vec()
}

/// A binarised geometry LOD: a cube of which each side has its own points.
fn binarised(version: u32, faces: usize, is_component: bool, texgens: u32) -> Vec<u8> {
    let (points, sides) = cube();
    let mut lod = odol::Lod::strip(1e13, 24);
    lod.positions = sides.iter().flatten().map(|&point| points[point as usize]).collect();
    lod.faces = (0..faces as u16).map(|side| (0..4).map(|corner| side * 4 + corner).collect()).collect();
    lod.sections = vec![(faces, 1, -1)];
    lod.materials = vec![odol::material_of(9, texgens, texgens)];
    if is_component {
        let faces = (0..faces as u16).collect();
        lod.selections = vec![odol::Selection { name: "component01", faces, ..Default::default() }];
    }
    let mut model = odol::Model::new(version, vec![lod]);
    model.dayz = version == 53;
    model.to_vec()
}

fn texture(sides: [u16; 2], alpha: u8) -> Vec<u8> {
    let plain: Vec<u8> = (0..usize::from(sides[0]) * usize::from(sides[1])).flat_map(|_| [128, alpha]).collect();
    let mips = vec![paa::Mip::of(paa::AI88, sides, &plain)];
    paa::Texture { kind: paa::AI88, tags: Vec::new(), palette: Vec::new(), mips }.to_vec()
}

fn material(texgens: usize) -> Vec<u8> {
    let classes: Vec<rap::Entry> = (0..texgens).map(|number| rap::class(&format!("TexGen{number}"), "", [])).collect();
    rap::file(&rap::root(classes), &[]).to_vec()
}

/// A scene of one mesh with these parts, and an animation of 10 frames with one bone.
fn scene(surfaces: &[i32], weights: &[(i32, f32)], frames: &[i32]) -> Vec<u8> {
    let mut parts = vec![b3d::vertices(3, 0, 0, 0)];
    parts.extend(surfaces.iter().map(|brush| b3d::triangles(*brush, &[[0, 1, 2]])));
    let bone = b3d::node("bone", [b3d::bone(weights), b3d::keys(1, frames.iter().copied())]);
    let body = b3d::node("body", [b3d::mesh(-1, parts), b3d::animation(10, 30.0), bone]);
    b3d::scene([b3d::brushes(&[(b"first", &[-1]), (b"second", &[-1])]), body]).to_vec()
}

const ALL: [(i32, f32); 3] = [(0, 1.0), (1, 1.0), (2, 0.5)];

/// For each code, a file with this fault alone and one without it. `lint.bones` and `lint.stale` need two files.
pub fn pairs() -> Vec<(Code, &'static str, Vec<u8>, Vec<u8>)> {
    let mut open = cube();
    open.1.pop();
    let component = ["Component01"];
    let closed = geometry(&cube(), &component, 10.0);
    vec![
        (Code::Alpha, "glass_CA.paa", texture([8, 8], 255), texture([8, 8], 254)),
        (Code::Closed, "a.p3d", geometry(&open, &component, 10.0), closed.clone()),
        (Code::Components, "a.p3d", geometry(&cube(), &["component_a"], 10.0), closed.clone()),
        (Code::Convex, "a.p3d", geometry(&corner(), &component, 10.0), closed.clone()),
        (Code::Frames, "a.b3d", scene(&[0], &ALL, &[0, 1, 12]), scene(&[0], &ALL, &[0, 1, 11])),
        (Code::LodOrder, "a.p3d", visual(&[(1.0, 6), (3.0, 9), (2.0, 4)]), visual(&[(1.0, 60), (3.0, 66)])),
        (Code::LodTwice, "a.p3d", visual(&[(1.0, 6), (1.0, 6)]), visual(&[(1.0, 6), (1.5, 6)])),
        (Code::Mass, "a.p3d", geometry(&cube(), &component, 0.0), closed),
        (Code::Size, "a.paa", texture([8192, 1], 9), texture([4096, 1], 9)),
        (Code::Surfaces, "a.b3d", scene(&[0, 1, 0], &ALL, &[1]), scene(&[0, 1], &ALL, &[1])),
        (Code::Texgens, "a.rvmat", material(9), material(8)),
        (Code::Unweighted, "a.b3d", scene(&[0], &[(0, 1.0), (1, 0.0)], &[1]), scene(&[0], &ALL, &[1])),
    ]
}

#[test]
fn each_check_finds_its_fault_alone() {
    for (code, name, faulty, sound) in pairs() {
        assert_eq!(found(name, &faulty), [code], "{name}");
        assert_eq!(found(name, &sound), [], "{code}");
    }
}

#[test]
fn binarised_geometry_is_checked_as_edited_one() {
    let sound = binarised(48, 6, true, 8);
    assert_eq!(found("a.p3d", &sound), []);
    // The mass follows an empty list of masses.
    let place = sound.windows(4).position(|bytes| bytes == 500.0_f32.to_le_bytes()).unwrap();
    let mut light = sound.clone();
    light[place..place + 4].fill(0);
    assert_eq!(found("a.p3d", &light), [Code::Mass]);
    let mut light = binarised(53, 6, true, 8);
    let place = light.windows(4).position(|bytes| bytes == 500.0_f32.to_le_bytes()).unwrap();
    light[place..place + 4].fill(0);
    assert_eq!(found("a.p3d", &light), [], "DayZ has models without a mass");
    assert_eq!(found("a.p3d", &binarised(53, 5, true, 8)), [Code::Closed]);
    assert_eq!(found("a.p3d", &binarised(53, 6, false, 8)), [Code::Components]);
    assert_eq!(found("a.p3d", &binarised(53, 6, true, 9)), [Code::Texgens]);
}

#[test]
fn flat_and_thin_components_are_no_fault() {
    let (points, _) = cube();
    let both_sides = vec![vec![0, 1, 3, 2], vec![2, 3, 1, 0]];
    assert_eq!(found("a.p3d", &geometry(&(points.clone(), both_sides), &["Component01"], 1.0)), []);
    // A side that is bent by 1 mm.
    let (mut bent, faces) = cube();
    bent[7] = [1.999, 1.999, 1.999];
    assert_eq!(found("a.p3d", &geometry(&(bent, faces), &["Component01"], 1.0)), []);
    // Faces that have no area.
    let (points, mut faces) = cube();
    faces.extend([vec![0, 0, 1], vec![0, 1, 0]]);
    assert_eq!(found("a.p3d", &geometry(&(points, faces), &["Component01"], 1.0)), []);
}

#[test]
fn proxies_are_no_part_of_the_geometry() {
    let (points, faces) = cube();
    let proxies = mlod::model(&[lod(&points, &faces, &[r"proxy:\a\wheel.001"], 0.0, 1e13)]).to_vec();
    assert_eq!(found("a.p3d", &proxies), []);
}

#[test]
fn a_component_without_faces_needs_no_mass() {
    let (points, faces) = (Points::new(), Vec::new());
    let empty = mlod::model(&[lod(&points, &faces, &["Component01"], 0.0, 1e13)]).to_vec();
    assert_eq!(found("a.p3d", &empty), []);
}

#[test]
fn bones_are_those_of_the_skeleton_that_the_model_cfg_gives() {
    let folder = Folder::new("bones");
    let motion = rtm::motion(3, 2, 7, rtm::Marking::Size).binarised().to_vec();
    let path = folder.file("run.rtm", motion);
    let config = |class: &str, bones: &[&str]| {
        let bones: Vec<String> = bones.iter().map(|bone| format!("\"{bone}\", \"\"")).collect();
        let text = format!(
            "class CfgSkeletons {{ class Man {{ isDiscrete = 0; skeletonInherit = \"\"; skeletonBones[] = {{ {} }}; }}; }};
             class CfgModels {{ class {class} {{ skeletonName = \"Man\"; }}; }};",
            bones.join(", ")
        );
        folder.file("model.cfg", text);
    };
    let verify = |flags: &[&str]| run([&["verify", path.to_str().unwrap()], flags].concat());
    let all = ["Bone_0", "bone_1", "bone_2", "bone_3", "bone_4", "bone_5", "bone_6"];
    config("run", &all);
    assert_eq!(stdout(&verify(&["--lint"])), "");
    config("run", &all[1..]);
    let text = stdout(&verify(&["--lint"]));
    assert!(text.contains("1 of 7 bones are not in the skeleton Man of model.cfg: bone_0"), "{text}");
    let records = lines(&verify(&["--lint", "--format", "ndjson"]));
    assert_eq!(records[0]["problems"][0]["code"], "lint.bones");
    assert_eq!(stdout(&verify(&[])), "");
    config("run", &all[6..]);
    let text = stdout(&verify(&["--lint"]));
    assert!(text.contains("6 of 7 bones") && text.contains("bone_4, ..."), "{text}");
    // The skeleton of another animation says nothing.
    config("walk", &all[1..]);
    assert_eq!(stdout(&verify(&["--lint"])), "");
    folder.file("model.cfg", vec![b' '; (1 << 20) + 1]);
    assert!(stdout(&verify(&["--lint"])).contains("larger than 1048576 bytes"));
}

#[test]
fn lints_are_allowed_one_by_one_or_all() {
    let folder = Folder::new("allow");
    let (_, _, faulty, _) = pairs().swap_remove(1);
    let path = folder.file("a.p3d", faulty);
    let verify = |flags: &[&str]| run([&["verify", "--strict", path.to_str().unwrap()], flags].concat());
    assert_eq!(code(&verify(&[])), 0);
    let output = verify(&["--lint"]);
    assert!(code(&output) == 1 && stdout(&output).contains("Component01 is not closed: 4 of 12 edges have one face"));
    for allowed in ["lint", "lint.closed"] {
        let output = verify(&["--lint", "--allow", allowed]);
        assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{allowed}");
        assert!(stderr(&output).contains("0 warnings, 1 allowed by --allow"), "{}", stderr(&output));
    }
    assert_eq!(code(&verify(&["--lint", "--allow", "suspicious,lint.mass"])), 1);
}

/// A folder in which `verify` runs, with a model of one warning.
fn with_rules(name: &str) -> (Folder, impl Fn(&[&str]) -> std::process::Output) {
    let folder = Folder::new(name);
    folder.file("open.p3d", pairs().swap_remove(1).2);
    folder.file("light.p3d", pairs().swap_remove(7).2);
    let place = folder.0.clone();
    let verify = move |flags: &[&str]| {
        let mut program = built();
        program.current_dir(&place).args(["verify", "--lint", "open.p3d", "light.p3d"]).args(flags).output().unwrap()
    };
    (folder, verify)
}

#[test]
fn rules_of_the_working_folder_allow_and_deny() {
    let (folder, verify) = with_rules("rules");
    assert_eq!(code(&verify(&[])), 0);
    folder.file("meshpeek.toml", "# Ours.\nallow = [\"lint\"]\n");
    let output = verify(&[]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, ""));
    assert!(stderr(&output).contains("0 errors, 0 warnings, 2 allowed by meshpeek.toml"), "{}", stderr(&output));
    // A code counts more than its class, and a flag more than the file.
    folder.file("meshpeek.toml", "allow = ['lint.mass']\ndeny = ['lint']\n");
    let output = verify(&[]);
    assert!(code(&output) == 1 && stdout(&output).contains("open.p3d: error at"), "{}", stdout(&output));
    assert!(stderr(&output).contains("1 error (1 denied by meshpeek.toml), 0 warnings, 1 allowed by"));
    assert!(stdout(&verify(&["--format", "github"])).starts_with("::error file=open.p3d,title=lint.closed"));
    assert_eq!(lines(&verify(&["--format", "ndjson"]))[1]["problems"][0]["severity"], "warning");
    let output = verify(&["--allow", "lint.closed"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("1 allowed by --allow, 1 allowed by meshpeek.toml"), "{}", stderr(&output));
    // Another file takes its place.
    folder.file("other.toml", "");
    assert!(stderr(&verify(&["--config", "other.toml"])).contains("2 warnings"));
}

#[test]
fn rules_are_never_those_of_the_inspected_folder() {
    let (folder, verify) = with_rules("inspected");
    let mod_of_strangers = folder.file("mod/a.p3d", pairs().swap_remove(1).2);
    folder.file("mod/meshpeek.toml", "allow = ['lint']");
    let output = verify(&[mod_of_strangers.parent().unwrap().to_str().unwrap()]);
    assert!(stderr(&output).contains("3 warnings"), "{}", stderr(&output));
}

#[test]
fn rules_that_say_nothing_are_refused() {
    let (folder, verify) = with_rules("refused");
    let cases = [
        ("allow = ['damaged.range']", "only `suspicious`, `lint` and the codes below them can be allowed"),
        ("allow = ['limit']", "only `suspicious`, `lint` and the codes below them can be allowed"),
        ("alow = ['lint']", "no key is called \"alow\"; similar: `allow`"),
        ("deny = ['lint.convx']", "\"lint.convx\" in `deny`: no such code; similar: `lint.convex`"),
        ("allow = 'lint'", "`allow` is not a list of codes"),
        ("allow = [1]", "`allow` contains something that is no text"),
        ("allow = ['lint']\ndeny = ['lint']", "`lint` is both allowed and denied"),
        ("deny = []\nallow = [", "line 2: "),
    ];
    for (rules, message) in cases {
        folder.file("meshpeek.toml", rules);
        let output = verify(&[]);
        assert!(code(&output) == 2 && stdout(&output).is_empty(), "{rules}");
        assert!(stderr(&output).contains(message), "{rules}: {}", stderr(&output));
    }
    folder.file("meshpeek.toml", vec![b'#'; (64 << 10) + 1]);
    assert!(stderr(&verify(&[])).contains("larger than 65536 bytes"));
    folder.file("meshpeek.toml", [b'#', 0xff]);
    assert!(code(&verify(&[])) == 2 && stderr(&verify(&[])).contains("not UTF-8"));
    // Deep nesting is an error too, not a crash.
    folder.file("meshpeek.toml", format!("allow = {}", "[".repeat(60_000)));
    assert_eq!(code(&verify(&[])), 2);
    assert!(
        code(&verify(&["--config", "none.toml"])) == 2
            && stderr(&verify(&["--config", "none.toml"])).contains("none.toml")
    );
}

/// What `verify --lint` says of the textures of an index.
fn stale(path: &std::path::Path) -> Vec<String> {
    let output = run(["verify", "--lint", "--format", "ndjson", path.to_str().unwrap()]);
    let problems = lines(&output).into_iter().flat_map(|record| record["problems"].as_array().unwrap().clone());
    let of_index = problems.filter(|problem| problem["code"] == "lint.stale");
    of_index.map(|problem| problem["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_index_fits_the_textures_beside_it() {
    let folder = Folder::new("stale");
    let index = texheaders::sound();
    folder.file("texHeaders.bin", index.to_vec());
    let textures = texheaders::textures();
    let path = |path: &str| path.replace('\\', "/");
    for (name, texture) in &textures {
        // Indices have names in lower case.
        folder.file(&path(name).replace("data/house", "Data/House").replace("data", "Data"), texture.to_vec());
    }
    assert_eq!(stale(&folder.0), [""; 0]);
    let (icon, sound) = (folder.0.join("icon.paa"), textures[4].1.to_vec());
    let written = |bytes: &[u8]| {
        std::fs::write(&icon, bytes).unwrap();
        stale(&folder.0)
    };
    let said = |difference: &str| [format!("1 of 6 textures is not as the index says: icon.paa {difference}")];
    assert_eq!(written(&[&sound[..], b"x"].concat()), said("has 319 bytes, not 318"));
    let changed = |at: usize, bytes: &[u8]| {
        let mut changed = sound.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    assert_eq!(written(&changed(0, &0x4444_u16.to_le_bytes())), said("is ARGB4444, not ARGB1555"));
    // The names of tags are stored from their last letter on, and their data after the length.
    let data = |tag: &[u8]| sound.windows(4).position(|bytes| bytes == tag).unwrap() + 8;
    assert_eq!(written(&changed(data(b"CGVA"), &[1])), said("has another average color (AVGC)"));
    assert_eq!(written(&changed(data(b"CXAM"), &[1])), said("has another largest color (MAXC)"));
    assert_eq!(written(&changed(data(b"SFFO") + 4, &[1, 0])), said("has mip 1 at 0x1, not 0xe7"));
    let first = textures[4].1.bytes().at("mip");
    assert_eq!(written(&changed(first, &[4, 0])), said("has mip 0 of 4 x 8, not 8 x 8"));
    // What is no texture is compared by its size alone, and what is not there not at all.
    assert_eq!(written(&vec![0xee; sound.len()]), [""; 0]);
    std::fs::remove_file(&icon).unwrap();
    assert_eq!(stale(&folder.0), [""; 0]);
    let lint = run(["verify", "--lint", folder.0.to_str().unwrap()]);
    assert!(stderr(&lint).contains(", 1 listed texture not there"), "{}", stderr(&lint));
    let verify = run(["verify", folder.0.to_str().unwrap()]);
    assert_eq!(stdout(&verify), "");
    assert!(!stderr(&verify).contains("not there"), "{}", stderr(&verify));
    // In a zip, an index is compared as in a PBO.
    let entries = [Entry::stored("a/texHeaders.bin", &index.to_vec()), Entry::stored("a/icon.paa", b"x")];
    let zip = folder.file("textures.zip", zip(&entries, b"").to_vec());
    let said = "a/texHeaders.bin: 1 of 1 textures is not as the index says: icon.paa has 1 bytes, not 318";
    assert_eq!(stale(&zip), [said]);
}

/// Whatever an index says otherwise of a texture is said, of textures with and without each tag.
#[test]
fn every_difference_of_every_texture_is_said() {
    let folder = Folder::new("stale-each");
    let textures = texheaders::textures();
    for (name, texture) in &textures {
        folder.file(&name.replace('\\', "/"), texture.to_vec());
    }
    let sound: Vec<_> = textures.iter().map(|(name, texture)| texheaders::Texture::of(name, texture)).collect();
    assert!(sound.iter().any(|texture| texture.max.is_none()) && sound.iter().any(|texture| texture.max.is_some()));
    for (at, (name, _)) in textures.iter().enumerate() {
        let said = |change: &dyn Fn(&mut texheaders::Texture)| {
            let mut listed = sound.clone();
            change(&mut listed[at]);
            folder.file("texHeaders.bin", texheaders::file(&listed).to_vec());
            stale(&folder.0)
        };
        let expected = |words: &str| [format!("1 of 6 textures is not as the index says: {name} has {words}")];
        assert_eq!(said(&|_| {}), [""; 0], "{name}");
        for channel in 0..4 {
            let found = said(&|texture| texture.average[channel] ^= 1);
            assert_eq!(found, expected("another average color (AVGC)"));
            // The largest color of a texture that does not say it is white.
            let max = |change: u8| {
                said(&|texture| {
                    let mut color = texture.max.unwrap_or([0xff; 4]);
                    color[channel] ^= change;
                    texture.max = Some(color);
                })
            };
            assert_eq!(max(0), [""; 0], "{name}");
            assert_eq!(max(1), expected("another largest color (MAXC)"));
        }
        let bytes = sound[at].file_size;
        for other in [bytes - 1, bytes + 1] {
            let found = said(&|texture| texture.file_size = other);
            assert_eq!(found, expected(&format!("{bytes} bytes, not {other}")));
        }
        for (number, mip) in sound[at].mips.iter().enumerate() {
            let [width, height] = mip.sides;
            for side in 0..2 {
                let found = said(&|texture| texture.mips[number].sides[side] *= 2);
                let [other_width, other_height] = [[width * 2, height], [width, height * 2]][side];
                let sides = format!("mip {number} of {width} x {height}, not {other_width} x {other_height}");
                assert_eq!(found, expected(&sides));
            }
            let found = said(&|texture| texture.mips[number].address += 1);
            assert!(found.len() == 1 && found[0].starts_with(&expected(&format!("mip {number} "))[0]), "{found:?}");
        }
    }
}

#[test]
fn an_index_does_not_lead_out_of_its_folder() {
    let folder = Folder::new("stale_outside");
    folder.file("secret.paa", "x");
    let mut texture = texheaders::Texture::of("a.paa", &texheaders::textures()[0].1);
    let absolute = folder.0.join("secret.paa").to_str().unwrap().to_owned();
    for name in [r"..\secret.paa", "../secret.paa", r"sub\..\..\secret.paa", r"\secret.paa", &absolute] {
        texture.path = name.to_owned();
        let path = folder.file("sub/texHeaders.bin", texheaders::file(&[texture.clone()]).to_vec());
        assert_eq!(stale(&path), [""; 0], "{name}");
    }
}

#[test]
fn an_index_in_an_archive_fits_its_members() {
    let folder = Folder::new("stale_pbo");
    let textures = texheaders::textures();
    let archive = |index_name: &str, prefix: &str, change: u8| {
        let mut writer = Writer::new().stored(index_name.as_bytes(), &texheaders::sound().to_vec());
        for (at, (name, texture)) in textures.iter().enumerate() {
            let (mut bytes, name) = (texture.to_vec(), format!("{prefix}{name}"));
            if at == 0 {
                bytes[change as usize] ^= 1;
            }
            // Of a packed member, the size alone is compared.
            writer = match at {
                2 => writer.packed(name.as_bytes(), &bytes),
                _ => writer.stored(name.to_uppercase().as_bytes(), &bytes),
            };
        }
        folder.file("a.pbo", writer.finish(Tail::Sha1))
    };
    // The first byte of the color after the signature, the name and the length.
    let average = textures[0].1.bytes().at("tag") as u8 + 12;
    for (name, prefix) in [("texHeaders.bin", ""), (r"Sub\Texheaders.bin", r"sub\")] {
        let found = stale(&archive(name, prefix, average));
        let message = format!(
            r"{name}: 1 of 6 textures is not as the index says: data\house_co.paa has another average color (AVGC)"
        );
        assert_eq!(found, [message]);
        // Other bytes are not compared.
        let last = textures[0].1.to_vec().len().min(255) as u8 - 1;
        assert_eq!(stale(&archive(name, prefix, last)), [""; 0]);
    }
    // Nothing of another folder is meant.
    assert_eq!(stale(&archive(r"other\texHeaders.bin", "", average)), [""; 0]);
}

/// Keys belong to the frames from 0 to the one after the last, of the animation of their node or of the nearest one
/// around it. All others are counted.
#[test]
fn keys_before_and_after_the_frames_are_counted() {
    let messages = |bytes: &[u8]| {
        let problems = record("a.b3d", bytes, true).summary.problems.into_iter();
        problems.map(|problem| (problem.code, problem.message.into_owned())).collect::<Vec<_>>()
    };
    let (around, own) = (4, 1);
    for first in -2..=6 {
        for second in -2..=6 {
            for has_own in [false, true] {
                let parts = if has_own { vec![b3d::animation(own, 30.0)] } else { Vec::new() };
                let keys = [b3d::keys(1, [first]), b3d::keys(1, [second])];
                let inner = b3d::node("inner", parts.into_iter().chain(keys));
                let between = b3d::node("between", [inner]);
                let body = b3d::node("body", [b3d::one_triangle(), b3d::animation(around, 30.0), between]);
                let (frames, node) = if has_own { (own, 2) } else { (around, 0) };
                let outside = [first, second].iter().filter(|frame| !(0..=frames + 1).contains(*frame)).count();
                let mut expected = Vec::new();
                if outside > 0 {
                    let last = first.max(second);
                    expected.push((
                        Code::Frames,
                        format!(
                            "nodes[{node}].animation: {outside} of 2 keys are outside of the {frames} frames; \
                             the last is at {last}"
                        ),
                    ));
                }
                let found = messages(&b3d::scene([body]).to_vec());
                assert_eq!(found, expected, "keys at {first} and {second}, {frames} frames");
            }
        }
    }
}
