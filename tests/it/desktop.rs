//! What the package for Linux tells the desktop: types of files, and how to draw them.

use std::fs;
use std::path::Path;

use meshpeek::Format;
use meshpeek::export::FileFormat;

use crate::magics::{ENDINGS, MARKS};
use crate::support::files::{files, root};
use crate::support::program::{Folder, code, run, stderr, stdout};

/// A type of files.
#[derive(Default)]
struct Type {
    name: String,
    /// The title of the format.
    comment: String,
    /// Patterns for names, in lower case.
    globs: Vec<String>,
    /// Each is one way to know it: all of these bytes.
    magic: Vec<Vec<Bytes>>,
}

/// Bytes at a place of a file, and the bits that count.
#[derive(Clone)]
struct Bytes {
    offset: usize,
    value: Vec<u8>,
    mask: Vec<u8>,
}

impl Bytes {
    fn are_in(&self, file: &[u8]) -> bool {
        let Some(found) = file.get(self.offset..self.offset + self.value.len()) else { return false };
        (0..found.len()).all(|place| found[place] & self.mask[place] == self.value[place] & self.mask[place])
    }
}

impl Type {
    /// Reads all types. Each tag has a line of its own.
    fn all() -> Vec<Self> {
        let text = fs::read_to_string(root().join("packaging/linux/meshpeek.xml")).unwrap();
        let mut types: Vec<Self> = Vec::new();
        let mut around: Vec<Bytes> = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(name) = attribute(line, "mime-type type") {
                types.push(Self { name: name.to_owned(), ..Self::default() });
            }
            let Some(current) = types.last_mut() else { continue };
            if let Some(rest) = line.strip_prefix("<comment>") {
                current.comment = rest.strip_suffix("</comment>").unwrap().to_owned();
            } else if let Some(pattern) = attribute(line, "glob pattern") {
                current.globs.push(pattern.to_lowercase());
            } else if line.starts_with("<match ") {
                around.push(bytes(line));
                if line.ends_with("/>") {
                    current.magic.push(around.clone());
                    around.pop();
                }
            } else if line == "</match>" {
                around.pop();
            }
        }
        types
    }

    fn of(types: &[Self], format: Format) -> &Self {
        let mut fitting = types.iter().filter(|of| of.comment == format.title());
        let of = fitting.next().unwrap_or_else(|| panic!("packaging/linux/meshpeek.xml has no type for {format}"));
        assert!(fitting.next().is_none(), "{format}");
        of
    }

    fn fits_bytes(&self, file: &[u8]) -> bool {
        self.magic.iter().any(|all| all.iter().all(|bytes| bytes.are_in(file)))
    }

    fn fits_name(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap().to_str().unwrap().to_lowercase();
        self.globs.iter().any(|glob| match glob.strip_prefix('*') {
            Some(ending) => name.ends_with(ending),
            None => name == *glob,
        })
    }
}

fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let start = format!("{name}=\"");
    let rest = &line[line.find(&start)? + start.len()..];
    Some(&rest[..rest.find('"')?])
}

fn bytes(line: &str) -> Bytes {
    assert_eq!(attribute(line, "type"), Some("string"), "{line}");
    let mut value = Vec::new();
    let mut rest = attribute(line, "value").unwrap();
    while let Some(letter) = rest.chars().next() {
        if let Some(digits) = rest.strip_prefix("\\x") {
            value.push(u8::from_str_radix(&digits[..2], 16).unwrap());
            rest = &digits[2..];
        } else {
            value.push(u8::try_from(letter).unwrap());
            rest = &rest[1..];
        }
    }
    let mut mask = vec![0xff; value.len()];
    if let Some(digits) = attribute(line, "mask") {
        let digits = digits.strip_prefix("0x").unwrap();
        mask = (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..][..2], 16).unwrap()).collect();
        assert_eq!(mask.len(), value.len(), "{line}");
    }
    Bytes { offset: attribute(line, "offset").unwrap().parse().unwrap(), value, mask }
}

#[test]
fn every_format_has_a_type_with_its_endings_and_first_bytes() {
    let types = Type::all();
    assert_eq!(types.len(), Format::ALL.len());
    for &format in Format::ALL {
        Type::of(&types, format);
    }
    for (mark, format) in MARKS {
        assert!(Type::of(&types, format).fits_bytes(mark), "{format} by {mark:?}");
    }
    for (ending, format) in ENDINGS {
        assert!(Type::of(&types, format).fits_name(Path::new(&format!("A.{ending}"))), "{format} by .{ending}");
    }
}

/// As shared-mime-info works: a name that only one type has decides, otherwise the bytes.
#[test]
fn every_file_gets_the_type_of_its_format() {
    let types = Type::all();
    let mut seen = 0;
    for (path, file) in files() {
        // A part of a file may be kept by another name.
        let Some(format) = Format::of_file(&path, &file) else { continue };
        let named: Vec<&Type> = types.iter().filter(|of| of.fits_name(&path)).collect();
        let by_bytes: Vec<&Type> = types.iter().filter(|of| of.fits_bytes(&file)).collect();
        let expected = &Type::of(&types, format).name;
        let names = |types: &[&Type]| types.iter().map(|of| of.name.clone()).collect::<Vec<_>>();
        // A Ballance map is a zip archive, too.
        let is_known = by_bytes.iter().any(|of| of.name == *expected);
        let is_named = named.len() == 1 && named[0].name == *expected;
        let path = path.display();
        assert!(is_known || is_named, "{path}, {format}: {:?} {:?}", names(&named), names(&by_bytes));
        for other in by_bytes.iter().filter(|of| of.name != *expected) {
            assert!(format == Format::Bmx && other.name == "application/zip", "{path}, {format}: {}", other.name);
        }
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

fn thumbnailer(key: &str) -> String {
    let text = fs::read_to_string(root().join("packaging/linux/meshpeek.thumbnailer")).unwrap();
    let start = format!("{key}=");
    text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().to_owned()
}

#[test]
fn file_managers_show_every_format_that_is_drawn() {
    let types = Type::all();
    let mut drawn: Vec<&str> = Vec::new();
    for &format in Format::ALL {
        if format == Format::Paa || FileFormat::Png.refused(format).is_none() {
            drawn.push(&Type::of(&types, format).name);
        }
    }
    let listed = thumbnailer("MimeType");
    let mut listed: Vec<&str> = listed.split_terminator(';').collect();
    drawn.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, drawn);
}

/// The width and height of a PNG.
fn size(path: &Path) -> (u32, u32) {
    let png = fs::read(path).unwrap();
    assert!(png.starts_with(b"\x89PNG"), "{}", path.display());
    let number = |at: usize| u32::from_be_bytes(*png[at..].first_chunk().unwrap());
    (number(16), number(20))
}

#[test]
fn a_thumbnail_is_a_png_by_any_name_and_no_larger_than_asked() {
    let folder = Folder::new("thumbnail");
    let draw = |file: &str, side: &str, name: &str| {
        let path = folder.0.join(name);
        let drawn = run(["export", "-q", "--thumbnail", "--size", side, file, "-o", path.to_str().unwrap()]);
        assert_eq!(code(&drawn), 0, "{file}: {}", stderr(&drawn));
        size(&path)
    };
    assert_eq!(draw("corpus/paa/dxt5_lzo.paa", "48", "picture"), (48, 24));
    assert_eq!(draw("corpus/paa/dxt5_lzo.paa", "64", "picture.glb"), (64, 32));
    assert_eq!(draw("corpus/paa/dxt5_lzo.paa", "1", "picture.png"), (1, 1));
    // Small ones are not enlarged.
    assert_eq!(draw("corpus/paa/dxt4.paa", "256", "small"), (4, 8));
    assert_eq!(draw("corpus/mod/buildings/well.b3d", "96", "model.obj"), (96, 96));
    let file = "corpus/paa/dxt4.paa";
    assert_eq!(code(&run(["export", "--thumbnail", file])), 2);
    assert_eq!(code(&run(["export", "--thumbnail", "--mip", "1", file, "-o", "target/unwritten.png"])), 2);
}

/// Of several mips, the smallest one that is large enough is decoded.
#[test]
fn a_thumbnail_of_a_texture_is_made_of_a_mip() {
    let folder = Folder::new("thumbnail_of_mip");
    let file = "corpus/paa/dxt1_lzo.paa";
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    assert_eq!(code(&run(["export", "--mip", "1", file, "-o", &path("mip.png")])), 0);
    let (width, _) = size(&folder.0.join("mip.png"));
    let side = width.to_string();
    assert_eq!(code(&run(["export", "--thumbnail", "--size", &side, file, "-o", &path("small.png")])), 0);
    assert_eq!(fs::read(path("small.png")).unwrap(), fs::read(path("mip.png")).unwrap());
}

/// The line of the thumbnailer, with its limits of time and memory.
#[cfg(target_os = "linux")]
#[test]
fn the_line_of_the_thumbnailer_draws_models_and_textures() {
    use std::process::Command;
    let line = thumbnailer("Exec");
    let words: Vec<&str> = line.split(' ').collect();
    assert!(words.starts_with(&["timeout", "-k", "1", "5", "prlimit", "--data=268435456"]), "{line}");
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if std::env::var_os("MESHPEEK_RUNNER").is_some() || !has("timeout") || !has("prlimit") {
        println!("skipped: no timeout or prlimit");
        return;
    }
    let folder = Folder::new("thumbnailer");
    for file in ["corpus/mod/buildings/mill.b3d", "corpus/odol/v10043_vbs.p3d", "corpus/paa/dxt5_lzo.paa"] {
        let picture = folder.0.join("picture");
        let mut command = Command::new(words[0]);
        for word in &words[1..] {
            match *word {
                "meshpeek" => command.arg(env!("CARGO_BIN_EXE_meshpeek")),
                "%s" => command.arg("128"),
                "%o" => command.arg(&picture),
                "%i" => command.arg(root().join(file)),
                word => command.arg(word),
            };
        }
        let drawn = command.output().unwrap();
        assert_eq!(code(&drawn), 0, "{file}: {}", stderr(&drawn));
        let (width, height) = size(&picture);
        assert!(width.max(height) <= 128, "{file}: {width} x {height}");
    }
}

/// The script of the action: annotations, a summary in Markdown, and the worse of both statuses.
#[cfg(target_os = "linux")]
#[test]
fn the_action_annotates_and_sums_up() {
    let folder = Folder::new("action");
    let summary = folder.0.join("summary.md");
    let outputs = folder.0.join("outputs");
    let check = |paths: &str| {
        let _ = fs::remove_file(&summary);
        let _ = fs::remove_file(&outputs);
        let mut check = std::process::Command::new(root().join("packaging/action/check"));
        check.current_dir(root().join("corpus/mod")).env("MESHPEEK", env!("CARGO_BIN_EXE_meshpeek"));
        check.env("PATHS", paths).env("ASSUME", "a3\nmy\n").env("LINT", "true").env("STRICT", "false");
        let checked = check.env("GITHUB_STEP_SUMMARY", &summary).env("GITHUB_OUTPUT", &outputs).output().unwrap();
        let said = fs::read_to_string(&summary).unwrap();
        assert_eq!(fs::read_to_string(&outputs).unwrap(), format!("status={}\n", code(&checked)));
        (code(&checked), stdout(&checked), said)
    };
    let (status, annotations, said) = check("trees\nbuildings\n");
    assert_eq!(status, 1, "{annotations}");
    for title in ["damaged.truncated", "refs.missing", "refs.unread"] {
        assert!(annotations.contains(&format!(",title={title}::")), "{annotations}");
    }
    for words in ["### Damage", "trees/cut.b3d: error at 0x8", "### Missing files", "missing     texture   leaf.png"] {
        assert!(said.contains(words), "{said}");
    }
    let (status, annotations, said) = check("buildings");
    assert_eq!((status, annotations.contains("::error")), (0, false), "{annotations}");
    assert_eq!(said.matches("Nothing is wrong.").count(), 2, "{said}");
    let (status, _, said) = check("trees/oak.b3d");
    assert_eq!((status, said.matches("Nothing is wrong.").count()), (0, 1), "{said}");
    assert!(said.contains("trees/oak.b3d: warning at 0xe8"), "{said}");
    assert_eq!(check("\n\n").0, 1);
    assert_eq!(check("no-such-folder").0, 2);
}

/// The hooks for pre-commit see every file that may be an asset.
#[test]
fn hooks_run_for_every_ending() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let patterns: Vec<&str> = hooks.lines().filter_map(|line| line.trim().strip_prefix("files: (?i)\\.(")).collect();
    assert_eq!(patterns.len(), 2);
    for pattern in patterns {
        let endings: Vec<&str> = pattern.strip_suffix(")$").unwrap().split('|').collect();
        for (ending, format) in ENDINGS {
            assert!(endings.contains(&ending), "{format}: {ending}");
        }
    }
}
