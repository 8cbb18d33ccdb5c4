//! The examples in C99 and C++17, compiled with all warnings, run on files of the repository's corpus, and compared with
//! the library. Under valgrind, if it is installed, they have no error and no leak.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use meshpeek_core::budget::Reservation;
use meshpeek_core::export::{self, Embedded, Images, Options, Pixels, View, base_name};
use meshpeek_core::geometry::{Alpha, Texture};
use meshpeek_core::scan::{Depth, Scan, Subject};
use meshpeek_core::{Asset, Budget, Limits, json};
use serde_json::Value;

const FILES: [&str; 9] = [
    "b3d/everything.b3d",
    "bmx/full.bmx",
    "lodka/everything.lod",
    "mlod/everything.p3d",
    "odol/v75_lzo.p3d",
    "paa/dxt1_lzo.paa",
    "pbo/addon.pbo",
    "rtm/v5_mixed.rtm",
    "zip/nested.zip",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the libraries that are built with the tests.
fn built() -> PathBuf {
    // target/PROFILE/deps/examples-HASH
    std::env::current_exe().unwrap().ancestors().nth(1).unwrap().to_owned()
}

/// The compiler of this name, if it is installed.
fn compiler(names: [&'static str; 2]) -> Option<&'static str> {
    names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
}

struct Programs {
    folder: tempfile::TempDir,
    has_valgrind: bool,
}

/// The compiled examples; `None` without compilers.
fn programs() -> Option<&'static Programs> {
    static PROGRAMS: OnceLock<Option<Programs>> = OnceLock::new();
    let compile = || {
        let (c, cpp) = (compiler(["cc", "clang"])?, compiler(["c++", "clang++"])?);
        let folder = tempfile::tempdir().unwrap();
        let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"];
        let sources = [
            (c, "-std=c99", "examples/inspect.c"),
            (cpp, "-std=c++17", "examples/model.cpp"),
            (cpp, "-std=c++17", "tests/all.cpp"),
            (c, "-std=c99", "tests/facts.c"),
        ];
        for (compiler, standard, source) in sources {
            let (_, name) = source.split_once('/').unwrap();
            let output = Command::new(compiler)
                .args([standard, "-g", "-I"])
                .arg(root().join("include"))
                .args(warnings)
                .arg(root().join(source))
                .arg("-o")
                .arg(folder.path().join(name))
                .arg(built().join("libmeshpeek.a"))
                .args(["-lpthread", "-ldl", "-lm"])
                .output()
                .unwrap();
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let has_valgrind = Command::new("valgrind").arg("--version").output().is_ok();
        Some(Programs { folder, has_valgrind })
    };
    let programs = PROGRAMS.get_or_init(compile).as_ref();
    if programs.is_none() {
        eprintln!("skipped: no C and C++ compiler");
    }
    programs
}

impl Programs {
    fn run(&self, name: &str, args: &[&Path]) -> Output {
        let program = self.folder.path().join(name);
        let output = Command::new(&program).args(args).output().unwrap();
        if self.has_valgrind {
            let checked = Command::new("valgrind")
                .args(["-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect"])
                .arg(&program)
                .args(args)
                .output()
                .unwrap();
            assert_ne!(checked.status.code(), Some(99), "{name}: {}", String::from_utf8_lossy(&checked.stderr));
            assert_eq!(checked.stdout, output.stdout, "{name}");
        } else {
            eprintln!("skipped: no valgrind");
        }
        output
    }
}

fn text(output: &Output) -> &str {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::str::from_utf8(&output.stdout).unwrap()
}

/// The answer of the library, which is that of `meshpeek info --json`.
fn expected(path: &Path, bytes: &[u8]) -> Value {
    let asset = Asset::parse_file(path, bytes, &Limits::default()).unwrap();
    let mut scan = Scan::new([""; 0]);
    scan.depth = Depth::Summary;
    let mut document = json::Document::new(Vec::new()).unwrap();
    document.record(&scan.record(path, Subject::Asset(bytes, &asset))).unwrap();
    document.entry("title", asset.format().title()).unwrap();
    document.outline("detail", &asset).unwrap();
    serde_json::from_slice(&document.finish().unwrap()).unwrap()
}

#[test]
fn c_sees_what_the_library_sees() {
    let Some(programs) = programs() else { return };
    for name in FILES {
        let path = root().join("../corpus").join(name);
        let bytes = std::fs::read(&path).unwrap();
        let output = programs.run("inspect.c", &[&path]);
        let (lists, json) = text(&output).split_once("\njson ").unwrap();
        assert_eq!(serde_json::from_str::<Value>(json).unwrap(), expected(&path, &bytes), "{name}");
        let asset = Asset::parse_file(&path, &bytes, &Limits::default()).unwrap();
        let mut arrays = Vec::new();
        meshpeek_core::inspect::selector::each(&asset, &mut |selector, table| {
            arrays.push(format!("array {selector} {} x {}, ", table.rows(), table.columns().len()));
        });
        let found: Vec<&str> = lists.lines().filter(|line| line.starts_with("array ")).collect();
        assert_eq!(found.len(), arrays.len(), "{name}");
        assert!(found.iter().zip(&arrays).all(|(found, array)| found.starts_with(array)), "{name}: {found:?}");
    }
}

#[test]
fn c_reads_an_array_after_the_asset_is_closed() {
    let Some(programs) = programs() else { return };
    let path = root().join("../corpus/b3d/everything.b3d");
    let bytes = std::fs::read(&path).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let mut selector = None;
    meshpeek_core::inspect::selector::each(&asset, &mut |name, _| {
        if name.ends_with("positions") && selector.is_none() {
            selector = Some(name.to_owned());
        }
    });
    let selector = selector.unwrap();
    let output = programs.run("inspect.c", &[&path, Path::new(&selector)]);
    let lines = text(&output).lines().filter(|line| line.starts_with("sum ")).count();
    assert_eq!(lines, 3, "{}", text(&output));
}

#[test]
fn errors_have_a_text_a_code_and_an_offset() {
    let Some(programs) = programs() else { return };
    let hostile = root().join("../corpus/hostile");
    let mut failed = 0;
    let mut paths: Vec<_> = std::fs::read_dir(hostile).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().step_by(30) {
        let output = programs.run("inspect.c", &[path]);
        let error = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(1) => failed += usize::from(error.contains(": ") && error.contains(" [")),
            code => panic!("{}: {code:?}: {error}", path.display()),
        }
    }
    assert!(failed > 0);
    let output = programs.run("inspect.c", &[&root().join("../corpus/b3d/everything.b3d"), Path::new("meshes/9/x")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no array meshes/9/x"), "{output:?}");
}

#[test]
fn cpp_loads_meshes_poses_and_writes_the_same_glb() {
    let Some(programs) = programs() else { return };
    for name in ["b3d/everything.b3d", "bmx/full.bmx", "lodka/everything.lod", "mlod/everything.p3d"] {
        let path = root().join("../corpus").join(name);
        let out = programs.folder.path().join("out.glb");
        let output = programs.run("model.cpp", &[&path, &out]);
        let bytes = std::fs::read(&path).unwrap();
        let asset = Asset::parse_file(&path, &bytes, &Limits::default()).unwrap();
        let budget = Budget::new(bytes.len() as u64, &Limits::default());
        let meshes: Vec<_> = asset.primitives().map(|primitive| primitive.unwrap().to_mesh(&budget).unwrap()).collect();
        let wanted = meshes.iter().map(|mesh| {
            let sum: f64 = mesh.positions.iter().map(|p| f64::from(p[0] + p[1] + p[2])).sum();
            (format!("mesh {} vertices, {} triangles, sum ", mesh.positions.len(), mesh.indices.len() / 3), sum)
        });
        let found: Vec<&str> = text(&output).lines().filter(|line| line.starts_with("mesh ")).collect();
        assert_eq!(found.len(), meshes.len(), "{name}");
        for (line, (start, sum)) in found.iter().zip(wanted) {
            let rest = line.strip_prefix(&start).unwrap_or_else(|| panic!("{line}, not {start}"));
            let read: f64 = rest.split(' ').next().unwrap().parse().unwrap();
            assert!((read - sum).abs() <= 1e-4 * sum.abs().max(1.0), "{line}, not {sum}");
        }
        let mut glb = Vec::new();
        export::glb(&asset, &Options::default(), &mut Embedded::new(&asset), &budget)
            .unwrap()
            .write_to(&mut glb)
            .unwrap();
        assert_eq!(std::fs::read(&out).unwrap(), glb, "{name}");
    }
}

/// The images of a folder, as `examples/model.cpp` finds them.
struct Folder<'a>(&'a Path, Vec<u8>, Embedded<'a>);

impl Folder<'_> {
    fn read(&mut self, texture: &Texture<'_>) -> Option<()> {
        let name = meshpeek_core::summary::Name::from(texture.name).text;
        self.1 = std::fs::read(self.0.join(base_name(&name))).ok()?;
        Some(())
    }
}

impl Images for Folder<'_> {
    fn file(&mut self, texture: &Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        match self.read(texture) {
            Some(()) => export::is_embeddable(&self.1).then_some(&self.1),
            None => self.2.file(texture, room),
        }
    }

    fn pixels(&mut self, texture: &Texture<'_>, most: u32, room: &Reservation<'_>) -> Option<Pixels> {
        self.read(texture)?;
        Pixels::of_paa(&self.1, most, room).ok()
    }
}

/// Half of the images are PNG files, which a .glb contains as they are; the others are .paa files under any name.
#[test]
fn images_of_the_caller_are_in_models_and_pictures() {
    let Some(programs) = programs() else { return };
    let paa = std::fs::read(root().join("../corpus/paa/dxt1_lzo.paa")).unwrap();
    for name in ["b3d/everything.b3d", "bmx/full.bmx", "lodka/everything.lod", "mlod/everything.p3d"] {
        let path = root().join("../corpus").join(name);
        let bytes = std::fs::read(&path).unwrap();
        let asset = Asset::parse_file(&path, &bytes, &Limits::default()).unwrap();
        let budget = || Budget::new(bytes.len() as u64, &Limits::default());
        let mut png = Vec::new();
        let view = View::default();
        export::picture(&asset, &view, &mut Embedded::new(&asset), &budget()).unwrap().write_png(&mut png).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        for primitive in asset.primitives() {
            for texture in primitive.unwrap().material().unwrap().map(|found| found.textures).unwrap_or_default() {
                names.push(base_name(&meshpeek_core::summary::Name::from(texture.name).text).to_owned());
            }
        }
        names.sort();
        names.dedup();
        assert!(!names.is_empty(), "{name}");
        for (number, image) in names.iter().enumerate() {
            std::fs::write(folder.path().join(image), if number % 2 == 0 { &png } else { &paa }).unwrap();
        }
        let out = |form: &str, images: &[&Path]| {
            let out = programs.folder.path().join(format!("images.{form}"));
            text(&programs.run("model.cpp", &[&[&path, out.as_path()], images].concat()));
            std::fs::read(out).unwrap()
        };
        let mut images = Folder(folder.path(), Vec::new(), Embedded::new(&asset));
        let mut glb = Vec::new();
        export::glb(&asset, &Options::default(), &mut images, &budget()).unwrap().write_to(&mut glb).unwrap();
        assert!(out("glb", &[folder.path()]) == glb && out("glb", &[]) != glb, "{name}");
        assert!(glb.windows(png.len()).any(|part| part == png), "{name}: a file is contained as it is");
        let mut picture = Vec::new();
        export::picture(&asset, &view, &mut images, &budget()).unwrap().write_png(&mut picture).unwrap();
        assert!(out("png", &[folder.path()]) == picture, "{name}");
    }
}

#[test]
fn every_call_survives_every_file_from_two_threads() {
    let Some(programs) = programs() else { return };
    let mut files = Vec::new();
    for folder in std::fs::read_dir(root().join("../corpus")).unwrap() {
        let Ok(entries) = std::fs::read_dir(folder.unwrap().path()) else { continue };
        files.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()));
    }
    files.sort();
    assert!(files.len() > 100);
    let output = Command::new(programs.folder.path().join("all.cpp")).args(&files).output().unwrap();
    assert_eq!(text(&output), format!("{} files\n", files.len()));
    // Valgrind is slow, so it gets a part of them.
    let some: Vec<&Path> = files.iter().step_by(20).map(PathBuf::as_path).collect();
    programs.run("all.cpp", &some);
}

/// A PBO of members that are stored as they are.
fn pbo(members: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut head = Vec::new();
    let mut data = Vec::new();
    for (name, bytes) in members {
        head.extend_from_slice(name);
        head.extend_from_slice(&[0; 17]);
        head.extend_from_slice(&u32::try_from(bytes.len()).unwrap().to_le_bytes());
        data.extend_from_slice(bytes);
    }
    head.extend_from_slice(&[0; 21]);
    [head, data].concat()
}

/// What `tests/facts.c` prints.
fn facts(programs: &Programs, what: &str, args: &[&Path]) -> Vec<String> {
    let output = programs.run("facts.c", &[&[Path::new(what)], args].concat());
    text(&output).lines().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn paths_and_members_have_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let Some(programs) = programs() else { return };
    let bytes = std::fs::read(root().join("../corpus/b3d/triangle.b3d")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let any = |name: &'static [u8]| Path::new(std::ffi::OsStr::from_bytes(name));
    let path = folder.path().join(any(b"caf\xe9.b3d"));
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(facts(programs, "open", &[&path]), ["format b3d"]);
    let archive = folder.path().join(any(b"\xff.pbo"));
    std::fs::write(&archive, pbo(&[(b"m\xe9.b3d", &bytes)])).unwrap();
    assert_eq!(facts(programs, "member", &[&archive, any(b"m\xe9.b3d")]), ["format pbo"]);
    let inside =
        Path::new(std::ffi::OsStr::from_bytes(&[archive.as_os_str().as_bytes(), b"!/m\xe9.b3d"].concat())).to_owned();
    assert_eq!(facts(programs, "open", &[&inside]), ["format b3d"]);
}

#[test]
fn what_is_missing_is_not_found() {
    let Some(programs) = programs() else { return };
    let archive = root().join("../corpus/pbo/addon.pbo");
    let not_found = "status 8 [io.not_found]";
    assert_eq!(facts(programs, "member", &[&archive, Path::new("none.p3d")]), ["format pbo", not_found]);
    let inside = PathBuf::from(format!("{}!/none.p3d", archive.display()));
    assert_eq!(facts(programs, "open", &[&inside]), [not_found]);
    assert_eq!(facts(programs, "open", &[&root().join("none.p3d")]), [not_found]);
}

/// Lists the members of a large archive and opens one of them, reading little of it.
#[test]
fn a_source_reads_ranges() {
    let Some(programs) = programs() else { return };
    let model = std::fs::read(root().join("../corpus/b3d/triangle.b3d")).unwrap();
    let sound = vec![7; 1 << 20];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.pbo");
    std::fs::write(&path, pbo(&[(b"a.ogg", &sound), (b"tree.b3d", &model), (b"b.ogg", &sound)])).unwrap();
    let lines = facts(programs, "ranges", &[&path, Path::new("TREE.b3d")]);
    let [a, tree, b, listed, format, read] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!([a, b], ["member a.ogg 1048576", "member b.ogg 1048576"]);
    assert_eq!((tree.as_str(), format.as_str()), (format!("member tree.b3d {}", model.len()).as_str(), "format b3d"));
    let number = |line: &str| line.strip_prefix("read ").unwrap().parse::<usize>().unwrap();
    assert!(number(listed) < 20_000 && number(read) < number(listed) + model.len() + 20_000, "{lines:?}");
    let lines = facts(programs, "ranges", &[&path, Path::new("none")]);
    assert_eq!(lines.last().unwrap(), "status 8 [io.not_found]");
    let lines = facts(programs, "ranges", &[&path, Path::new("b.ogg"), Path::new("100000")]);
    assert!(lines.last().unwrap().ends_with("[limit.decoded_bytes]"), "{lines:?}");
}

/// Meshes have facts before they are decoded, arrays of 0 rows, and the shapes of vertex animations.
#[test]
fn meshes_have_facts_and_shapes() {
    let Some(programs) = programs() else { return };
    let mut shapes = 0;
    let mut empty = 0;
    for name in ["b3d/everything.b3d", "lodka/everything.lod", "mlod/everything.p3d"] {
        let path = root().join("../corpus").join(name);
        let bytes = std::fs::read(&path).unwrap();
        let asset = Asset::parse_file(&path, &bytes, &Limits::default()).unwrap();
        let budget = Budget::new(bytes.len() as u64, &Limits::default());
        let mut expected = vec![format!("format {}", asset.format().name())];
        for primitive in asset.primitives() {
            let primitive = primitive.unwrap();
            let mesh = primitive.to_mesh(&budget).unwrap();
            empty += usize::from(mesh.positions.is_empty());
            let alpha = match primitive.material().unwrap().map(|material| material.alpha) {
                None | Some(Alpha::Opaque) => 0,
                Some(Alpha::Mask(_)) => 1,
                Some(Alpha::Blend) => 2,
                Some(Alpha::Add) => 3,
                Some(Alpha::Multiply) => 4,
                Some(Alpha::Image) => 5,
                Some(other) => panic!("{other:?}"),
            };
            let positions = primitive.vertex_count().unwrap();
            expected.push(format!("mesh {positions} positions, {} vertices, alpha {alpha}", mesh.positions.len()));
            let welded = primitive.to_welded(|_| Ok(())).unwrap();
            for morph in primitive.morphs().unwrap() {
                let mut sum = 0.0;
                for corner in &welded.corners {
                    let point = morph.positions.array(corner.position as usize).unwrap();
                    sum += primitive.world_matrix.point(point).iter().map(|part| f64::from(*part)).sum::<f64>();
                }
                let name = meshpeek_core::summary::Name::from(morph.name).text;
                expected.push(format!("morph {name} {sum:.3}"));
                shapes += 1;
            }
        }
        assert_eq!(facts(programs, "meshes", &[&path]), expected, "{name}");
    }
    assert!(shapes > 0 && empty > 0, "{shapes} shapes, {empty} empty meshes");
}

#[test]
fn a_motion_moves_the_bones_of_a_model() {
    let Some(programs) = programs() else { return };
    let corpus = root().join("../corpus");
    let motion = corpus.join("rtm/v5_mixed.rtm");
    let mut moved = 0;
    for name in ["odol/v75_lzo.p3d", "b3d/everything.b3d", "lodka/everything.lod"] {
        let path = corpus.join(name);
        let bytes = std::fs::read(&path).unwrap();
        let asset = Asset::parse_file(&path, &bytes, &Limits::default()).unwrap();
        let lines = facts(programs, "motion", &[&path, &motion]);
        match asset.rigs().into_iter().next() {
            Some(Ok(rig)) => {
                assert_eq!(lines[1], format!("rig {} bones, 1 clips", rig.bones().len()), "{name}");
                moved += 1;
            }
            _ => assert_eq!(lines[1], "status 8 []", "{name}"),
        }
    }
    assert!(moved > 0);
    let lines = facts(programs, "motion", &[&corpus.join("b3d/everything.b3d"), &corpus.join("b3d/everything.b3d")]);
    assert_eq!(lines[1], "status 9 []");
}
