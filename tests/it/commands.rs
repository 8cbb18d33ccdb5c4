//! Commands whose cost depends on more than one file: two archives, a list of units, an old stream, images beside a
//! model, or a wrong address. See `amplify` for how to run all of it and how to keep the files.
//!
//! Each command has a folder with its files, and a file `command` with its arguments, one on each line.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::amplify::{Bounds, Folder, run};
use crate::bounds;
use crate::support::models::models;
use crate::support::program::program;
use crate::writer::b3d::{self, chunk};
use crate::writer::bytes::Bytes;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

type Files = Vec<(String, Vec<u8>)>;

/// Commands that use the same files. The files that they write into `out` count as output.
struct Case {
    name: &'static str,
    files: Files,
    commands: Vec<Vec<String>>,
}

fn case(name: &'static str, files: Vec<(&str, Vec<u8>)>, commands: &[&str]) -> Case {
    let files = files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    let words = |command: &&str| command.split(' ').map(str::to_owned).collect();
    Case { name, files, commands: commands.iter().map(words).collect() }
}

/// Returns a scene that refers to this many textures.
fn scene_of_textures(count: usize, name: impl Fn(usize) -> String) -> Vec<u8> {
    let texture = |all: Bytes, index: usize| all.cstr(name(index)).raw([0; 28]);
    b3d::scene([chunk(b"TEXS", (0..count).fold(Bytes::new(), texture))]).to_vec()
}

/// Returns an archive in an archive. Both member names are long, and the member refers to `count` different textures.
fn long_names(name: usize, count: usize, mark: char) -> Vec<u8> {
    let scene = scene_of_textures(count, |index| format!("{mark}{index}"));
    let name = |ending: &[u8]| [&vec![b'n'; name][..], ending].concat();
    let inner = zip(&[Entry::deflated(name(b".b3d"), &scene)], b"").to_vec();
    zip(&[Entry::deflated(name(b".zip"), &inner)], b"").to_vec()
}

/// Returns an archive with this many members that have the same name but different content.
fn equal_members(count: usize, mark: char) -> Vec<u8> {
    let scene = |index: usize| scene_of_textures(1, |_| format!("{mark}{index}"));
    zip(&(0..count).map(|index| Entry::deflated("same.b3d", &scene(index))).collect::<Vec<_>>(), b"").to_vec()
}

/// Returns an archive in an archive. The inner one has this many names with this many control characters each.
fn control_names(count: usize, bytes: usize) -> Vec<u8> {
    let name = |index: usize| [format!("{index:06}").as_bytes(), &vec![1; bytes]].concat();
    let members = (0..count).fold(Writer::new().product(&[]), |all, index| all.stored(&name(index), b""));
    zip(&[Entry::deflated("a.pbo", &members.finish(Tail::Bytes(b"")))], b"").to_vec()
}

/// Returns a scene of triangles, each with a different texture.
fn textured(images: usize) -> Vec<u8> {
    let name = |index: usize| format!("{index}.png");
    let textures = chunk(b"TEXS", (0..images).fold(Bytes::new(), |all, index| all.cstr(name(index)).raw([0; 28])));
    let ids: Vec<[i32; 1]> = (0..images as i32).map(|id| [id]).collect();
    let brushes = b3d::brushes(&ids.iter().map(|id| (&b"b"[..], &id[..])).collect::<Vec<_>>());
    let mesh = |brush| b3d::node("", [b3d::mesh(brush, [b3d::vertices(3, 0, 1, 2), b3d::triangles(brush, CORNERS)])]);
    b3d::scene([textures, brushes].into_iter().chain((0..images as i32).map(mesh))).to_vec()
}

const CORNERS: &[[i32; 3]] = &[[0, 1, 2]];

/// Returns a gray image with sides of this length.
fn image_of(side: u32) -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::GrayImage::new(side, side).write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Returns one image under this many names.
fn images(count: usize, image: &[u8]) -> Files {
    (0..count).map(|index| (format!("{index}.png"), image.to_vec())).collect()
}

/// A unit for each of these members, and units with forged numbers.
fn units(members: impl Iterator<Item = u64>) -> Vec<u8> {
    let unit = |first: u64, last: u64| {
        json!({ "unit": first, "path": "a.zip", "first": first, "last": last, "bytes": u64::MAX }).to_string() + "\n"
    };
    let single = members.map(|member| unit(member, member));
    single.chain([unit(0, u64::MAX), unit(1, u64::MAX), unit(u64::MAX, u64::MAX)]).collect::<String>().into_bytes()
}

fn cases(is_full: bool) -> Vec<Case> {
    let times = if is_full { 8 } else { 1 };
    let (name, count) = (8_000 * times.min(6), 2_000 * times);
    let address = format!("many.zip!/a.pbo!/{}", "\\x01".repeat(500));
    let mut wrong = case(
        "suggestions",
        vec![
            ("many.zip", control_names(count, 1_000)),
            ("index.bmx", bounds::index_of_entries(count << 6)),
            ("named.b3d", b3d::scene((0..count).map(|index| b3d::node(format!("{index:0200}"), []))).to_vec()),
        ],
        &[
            "tree --fields index.bmx indices/@x",
            "tree --fields named.b3d nodes/@1",
            "dump named.b3d nodes/@1/keys",
            "hex index.bmx objects/9",
        ],
    );
    for verb in ["info", "cat", "tree", "refs"] {
        wrong.commands.push(vec![verb.to_owned(), address.clone()]);
    }
    wrong.commands.push(vec!["info".to_owned(), format!("many.zip!/{}", "a!/".repeat(count))]);
    let pictures = |name, model: Vec<u8>, images: Files| {
        let commands = ["export m.b3d -o out/m.png", "export m.b3d -o out/m.glb", "scan . --thumbnails out"];
        let mut case = case(name, vec![("m.b3d", model)], &commands);
        case.files.extend(images);
        case
    };
    let side = if is_full { 4096 } else { 1024 };
    // As said in its header, 2^31 pixels by 2^31.
    let mut claim = image_of(1);
    claim[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    vec![
        case(
            "references",
            vec![
                ("name.zip", bounds::name_times_references(name, count)),
                ("prefix.pbo", bounds::prefix_times_members(name, count)),
                ("archive.zip", bounds::archive_name_times_members(name, count)),
                ("equal.zip", bounds::equal_names(count)),
            ],
            &[
                "refs name.zip",
                "refs prefix.pbo",
                "refs archive.zip",
                "refs equal.zip",
                "refs .",
                "dupes .",
                "extract name.zip archive.zip -o out/a",
                "extract equal.zip -o out/e",
            ],
        ),
        case(
            "differences",
            vec![
                ("1.zip", long_names(name, count, 'a')),
                ("2.zip", long_names(name, count, 'b')),
                ("equal_1.zip", equal_members(count, 'a')),
                ("equal_2.zip", equal_members(count, 'b')),
            ],
            &[
                "diff 1.zip 2.zip",
                "diff 1.zip 2.zip --format ndjson",
                "diff 1.zip 2.zip --format json",
                "diff 1.zip 2.zip --stat",
                "diff equal_1.zip equal_2.zip",
                "diff equal_1.zip equal_2.zip --stat",
            ],
        ),
        wrong,
        case(
            "units",
            vec![
                ("a.zip", models(count / 2)),
                ("units", units(0..count as u64 / 2)),
                ("reversed", units((0..count as u64 / 2).rev())),
                ("equal", units((0..count as u64 / 2).map(|_| 0))),
            ],
            &["scan --units-from units", "scan --units-from reversed", "scan --units-from equal"],
        ),
        // The old stream is forged from a new one.
        case("stream", vec![("in/a.zip", models(count / 8))], &["scan --since old in", "scan --events --since old in"]),
        pictures("large_images", textured(16), images(16, &image_of(side))),
        pictures("many_images", textured(count / 10), images(count / 10, &image_of(side / 4))),
        pictures("claimed_images", textured(4), images(4, &claim)),
        case(
            "thumbnails",
            vec![("in/a.zip", models(count)), ("in/m.b3d", textured(16))],
            &["scan in --thumbnails out", "scan in --thumbnails out --thumbnail-size 1024"],
        ),
    ]
}

/// Old streams: each record again under many other names, with large values that no scan writes, and lines of noise.
fn forged(folder: &Path, times: usize) -> String {
    let output = program().current_dir(folder).args(["scan", "-q", "--events", "in"]).output().unwrap();
    let mut old = String::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let mut record: Json = serde_json::from_str(line).unwrap();
        for copy in 0..if record["member"].is_null() { 0 } else { times } {
            record["member"] = format!("{copy} of {}", record["member"].as_str().unwrap()).into();
            old += &(record.to_string() + "\n");
            record["counts"] = json!({ "x": u64::MAX });
        }
        old += &(line.to_owned() + "\n");
    }
    let nested = ["[", "{\"event\":"].map(|start| start.repeat(times << 10)).join("\n");
    let counts: Vec<String> = (0..times << 10).map(|index| format!("\"{index}\":{index}")).collect();
    format!("{old}{nested}\n{{\"path\":\"in/a.zip\",\"counts\":{{{}}}}}\n", counts.join(","))
}

/// The bytes of all files in this folder.
fn size_of(folder: &Path) -> u64 {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { size_of(&path) } else { path.metadata().unwrap().len() }).sum()
}

#[test]
fn no_command_takes_more_than_the_limits_say_of_its_files() {
    let is_full = crate::support::files::full();
    let folder = Folder::new("commands");
    let mut failed = Vec::new();
    for Case { name, files, commands } in cases(is_full) {
        let place = folder.0.join("commands").join(name);
        for (name, bytes) in &files {
            let path = place.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        if name == "stream" {
            std::fs::write(place.join("old"), forged(&place, if is_full { 64 } else { 8 })).unwrap();
        }
        let lines: Vec<String> = commands.iter().map(|command| command.join("\t") + "\n").collect();
        std::fs::write(place.join("commands"), lines.concat()).unwrap();
        let mut bounds = Bounds::of(size_of(&place), is_full);
        if !is_full {
            // So that a product is noticed. The program allows 3 MiB for each file and 3 bytes for each byte.
            bounds.output = (2 << 20) + files.len() as u64 * (4 << 20) + 3 * size_of(&place);
        }
        for command in commands.iter().filter(|_| !folder.is_kept()) {
            std::fs::create_dir_all(place.join("out")).unwrap();
            let args: Vec<&str> = command.iter().map(String::as_str).collect();
            let shown: String = command.join(" ").chars().take(80).collect();
            match run(&args, &[], &place, &bounds) {
                Ok((bytes, time)) => {
                    let bytes = bytes + size_of(&place.join("out"));
                    println!("{name}: {shown}: {bytes} bytes of {}, {time:?}", bounds.output);
                    if bytes > bounds.output {
                        failed.push(format!("{shown} in {name} writes {bytes} bytes"));
                    }
                }
                Err(error) => failed.push(format!("{shown} in {name}: {error}")),
            }
            std::fs::remove_dir_all(place.join("out")).unwrap();
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
