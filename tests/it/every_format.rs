//! Every format occurs in every place that lists all formats; reports by name where a new one is missing.
//! ADDING_A_FORMAT.md describes these places.

use std::fs;
use std::path::Path;

use meshpeek::summary::{Code, Problems};
use meshpeek::{Asset, Format, Inspect, Limits, OwnedAsset};
use serde_json::Value as Json;

use crate::support::files::{below, root};
use crate::support::program::{Folder, code, program, stderr};

/// A place, and a test whether it has a format.
struct Place {
    name: &'static str,
    holds: fn(&Subject) -> bool,
}

/// A format, as these tests see it.
struct Subject {
    /// Its name in records, such as `b3d`.
    name: &'static str,
    /// Its name in the code, such as `B3d`.
    variant: String,
    /// Its valid files in `corpus/`, the smallest first.
    files: Vec<String>,
}

const PLACES: &[Place] = &[
    Place {
        name: "README.md, the table of formats",
        holds: |of| of.is_in_rows("README.md", "| format | games", "## "),
    },
    Place {
        name: "README.md, the table of features",
        holds: |of| text("README.md").contains(&format!("`{}`", of.name)),
    },
    Place { name: "FORMATS.md", holds: |of| text("FORMATS.md").contains(&format!("\n## {}\n", of.name)) },
    Place { name: "site/src/formats, a page", holds: |of| page(of.name).is_some() },
    Place {
        name: "site/src/formats/index.md",
        holds: |of| page(of.name).is_some_and(|page| text("site/src/formats/index.md").contains(&format!("({page})"))),
    },
    Place {
        name: "site/src/SUMMARY.md",
        holds: |of| {
            page(of.name).is_some_and(|page| text("site/src/SUMMARY.md").contains(&format!("(formats/{page})")))
        },
    },
    Place {
        name: "GUIDE.md, the key `format`",
        holds: |of| line("GUIDE.md", "| `format` |").contains(&format!("`{}`", of.name)),
    },
    Place { name: "CHANGELOG.md", holds: |of| has_word(&text("CHANGELOG.md"), of.name) },
    Place {
        name: "src/lib.rs, `Coordinate spaces`",
        holds: |of| of.is_in_rows("src/lib.rs", "//! # Coordinate spaces", "//! # Features"),
    },
    Place {
        name: "src/inspect/asset.rs, `Depth::Header`",
        holds: |of| of.is_in_rows("src/inspect/asset.rs", "/// | format | counts", " Header ="),
    },
    Place {
        name: "src/ranges/mod.rs, the table",
        holds: |of| of.is_in_rows("src/ranges/mod.rs", "//! | format | to open", "//!\n"),
    },
    Place {
        name: "src/geometry/mod.rs, the table",
        holds: |of| of.is_in_rows("src/geometry/mod.rs", "//! | format |", "//! Nothing"),
    },
    Place {
        name: "src/diff/rules.rs",
        holds: |of| text("src/diff/rules.rs").contains(&format!("Format::{} =>", of.variant)),
    },
    Place {
        name: ".ci/public-api.txt",
        holds: |of| text(".ci/public-api.txt").contains(&format!("Format::{}\n", of.variant)),
    },
    Place { name: "Cargo.toml, a feature", holds: |of| text("Cargo.toml").contains(&format!("\n{} = [", of.name)) },
    Place {
        name: "Cargo.toml, the feature `formats`",
        holds: |of| line("Cargo.toml", "formats = [").contains(&format!("\"{}\"", of.name)),
    },
    Place { name: "fuzz/fuzz_targets", holds: |of| of.has_target() },
    Place {
        name: "fuzz/dictionaries",
        holds: |of| root().join(format!("fuzz/dictionaries/{}.dict", of.name)).is_file(),
    },
    Place { name: "fuzz/README.md", holds: |of| text("fuzz/README.md").contains(&format!("`{}`", of.name)) },
    Place {
        name: "fuzz/src/seeds.rs",
        holds: |of| crate::seeds::seeds().iter().any(|(target, ..)| *target == of.name),
    },
    Place {
        name: "corpus/hostile",
        holds: |of| goldens("hostile").iter().any(|golden| golden["info"]["format"] == of.name),
    },
    Place {
        name: "site/src/ru/index.md",
        holds: |of| of.is_in_rows("site/src/ru/index.md", "| формат | игры", "\n\n"),
    },
    Place {
        name: "site/src/zh/index.md", holds: |of| of.is_in_rows("site/src/zh/index.md", "| 格式 | 游戏", "\n\n")
    },
    Place {
        name: "web/src/shown.ts, `models`",
        holds: |of| line("web/src/shown.ts", "const models = ").contains(&format!("'{}'", of.name)),
    },
];

/// Places that hold the files of a format.
const OF_FILES: &[Place] = &[
    Place {
        name: "corpus/README.md, rows",
        holds: |of| of.files.iter().any(|file| text("corpus/README.md").contains(file.split('/').nth(1).unwrap())),
    },
    Place {
        name: "tests/it/cli/fields.rs, `EACH`",
        holds: |of| of.files.iter().any(|file| text("tests/it/cli/fields.rs").contains(&format!("\"{file}\""))),
    },
    Place {
        name: "tests/it/budgets.rs, `budgets!`",
        holds: |of| of.files.iter().any(|file| text("tests/it/budgets.rs").contains(&format!("\"{}\"", ending(file)))),
    },
    Place { name: "web/README.md", holds: |of| of.is_named_in(&line("web/README.md", "Drop ")) },
    Place {
        name: "web/src/words/page.ts, `welcome`",
        holds: |of| {
            let strings = text("web/src/words/page.ts");
            let mut each = strings.lines().filter(|line| line.trim().starts_with("welcome: '")).peekable();
            each.peek().is_some() && each.all(|welcome| of.is_named_in(welcome))
        },
    },
    Place { name: "OwnedAsset", holds: |of| of.files.iter().any(|file| is_kept(file)) },
    Place { name: "cli/src/report, `info`", holds: |of| of.files.iter().any(|file| has_body(file)) },
    Place { name: "geometry", holds: |of| of.files.iter().any(|file| has_triangles(file)) },
    Place { name: "export, glTF", holds: |of| is_exported(&of.files, "glb") },
    Place { name: "export, a picture", holds: |of| is_exported(&of.files, "png") },
];

/// Formats that are missing in a place, and why that is correct.
const EXEMPT: &[(Format, &[&str], &str)] = &[
    (
        Format::Bmtr,
        &["README.md, the table of features", "Cargo.toml, a feature", "Cargo.toml, the feature `formats`"],
        "the feature `rtm` brings both kinds of animations",
    ),
    (Format::Bmtr, &["src/lib.rs, `Coordinate spaces`"], "the row of rtm describes both"),
    (
        Format::Bmtr,
        &["fuzz/fuzz_targets", "fuzz/dictionaries", "fuzz/README.md", "fuzz/src/seeds.rs"],
        "the target rtm reads both kinds",
    ),
    (
        Format::Bmtr,
        &["geometry", "src/geometry/mod.rs, the table", "export, a picture"],
        "an animation has no triangles",
    ),
    (
        Format::Rtm,
        &["geometry", "src/geometry/mod.rs, the table", "export, a picture"],
        "an animation has no triangles",
    ),
    (Format::Bmtr, &["export, glTF"], "refused by name: the community of Arma forbids it"),
    (Format::Odol, &["export, glTF"], "refused by name: the community of Arma forbids it"),
    (
        Format::Paa,
        &["src/lib.rs, `Coordinate spaces`", "geometry", "src/geometry/mod.rs, the table", "export, glTF"],
        "a texture has no space and no triangles",
    ),
    (Format::Rap, ARCHIVE, "a config has no space"),
    (Format::Rap, &["web/README.md"], "configs have too many endings for one line"),
    (Format::Bikey, ARCHIVE, "a key has no space"),
    (Format::Bisign, ARCHIVE, "a signature has no space"),
    (
        Format::Bikey,
        &[
            "README.md, the table of features",
            "Cargo.toml, a feature",
            "Cargo.toml, the feature `formats`",
            "fuzz/fuzz_targets",
            "fuzz/dictionaries",
            "fuzz/src/seeds.rs",
        ],
        "the feature and the target `bisign` are those of keys, too",
    ),
    (Format::TexHeaders, ARCHIVE, "an index of textures has no space"),
    (Format::TexHeaders, &["web/README.md"], "found in the folder of an addon; its ending is that of configs, too"),
    (Format::Paa, &["web/src/shown.ts, `models`"], "a texture is no model"),
    (Format::Rtm, &["web/src/shown.ts, `models`"], "a motion has no triangles: it opens on its facts"),
    (Format::Bmtr, &["web/src/shown.ts, `models`"], "a motion has no triangles: it opens on its facts"),
    (Format::Pbo, ARCHIVE, "an archive has members and no space"),
    (Format::Zip, ARCHIVE, "an archive has members and no space"),
    (Format::Pbo, &["src/diff/rules.rs"], "archives are compared member by member"),
    (Format::Zip, &["src/diff/rules.rs"], "archives are compared member by member"),
];

const ARCHIVE: &[&str] = &[
    "src/lib.rs, `Coordinate spaces`",
    "geometry",
    "src/geometry/mod.rs, the table",
    "export, glTF",
    "export, a picture",
    "web/src/shown.ts, `models`",
];

#[test]
fn every_format_is_in_every_place() {
    let mut wrong = Vec::new();
    for &format in Format::ALL {
        let subject = Subject::of(format);
        if subject.files.is_empty() {
            let count = OF_FILES.len() + 1;
            wrong
                .push(format!("{format}: no files in corpus/{format} and its goldens: {count} places are not checked"));
        } else {
            wrong.extend(unsaid(&subject));
        }
        let of_files = if subject.files.is_empty() { &[] } else { OF_FILES };
        for place in PLACES.iter().chain(of_files) {
            let exempt = EXEMPT.iter().find(|(of, places, _)| *of == format && places.contains(&place.name));
            match ((place.holds)(&subject), exempt) {
                (false, None) => wrong.push(format!("{format} is not in: {}", place.name)),
                (true, Some((.., why))) => wrong.push(format!("{format} is in: {}, in spite of: {why}", place.name)),
                _ => {}
            }
        }
    }
    for (format, places, _) in EXEMPT {
        let unknown = places.iter().filter(|name| !PLACES.iter().chain(OF_FILES).any(|place| place.name == **name));
        wrong.extend(unknown.map(|name| format!("{format} is exempt from a place that is not here: {name}")));
    }
    assert!(wrong.is_empty(), "see ADDING_A_FORMAT.md\n{}", wrong.join("\n"));
}

/// A place that accepts any name would prove nothing.
#[test]
fn a_format_that_is_not_there_is_in_no_place() {
    let subject = Subject { name: "nosuch", variant: "NoSuch".to_owned(), files: Vec::new() };
    for place in PLACES.iter().chain(OF_FILES) {
        assert!(!(place.holds)(&subject), "{}", place.name);
    }
}

#[test]
fn bytes_after_the_end_have_a_code_of_their_own() {
    // Bytes after a LODka3D model are read as a chunk, those after a PBO archive as a tail of no known form.
    for &format in Format::ALL.iter().filter(|format| !matches!(format, Format::Lodka | Format::Pbo)) {
        let files = Subject::of(format).files;
        let file = files.first().unwrap_or_else(|| panic!("{format}: no files in corpus/{format} and its goldens"));
        let sound = fs::read(root().join(file)).unwrap();
        let longer = [&sound[..], &[0; 3]].concat();
        let asset = Asset::parse_file(Path::new(file), &longer, &Limits::default()).unwrap();
        let mut problems = Problems::new(&Limits::default());
        asset.verify(&mut problems);
        let problems: Vec<_> = problems.into_vec().into_iter().map(|problem| (problem.code, problem.offset)).collect();
        assert_eq!(problems, [(Code::Trailing, Some(sound.len() as u64))], "{file}");
    }
}

/// `.ci/run` runs each step alone, and refuses others before it runs any.
#[cfg(target_os = "linux")]
#[test]
fn each_step_of_the_checks_can_be_named() {
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(root().join(".ci/run")).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, listed) = run(&["--list"]);
    assert_eq!(status, Some(0));
    let script = text(".ci/run");
    for step in listed.lines() {
        assert!(script.contains(&format!("\n{step}() {{")), "{step}");
    }
    assert!(listed.starts_with("tests\n") && listed.lines().count() > 15, "{listed}");
    assert_eq!(run(&["format", "no-such-step"]), (Some(2), String::new()));
}

/// A file of tests that no `mod` names is never compiled.
#[test]
fn every_file_of_tests_is_a_module() {
    let folder = root().join("tests/it");
    let (mut missing, mut seen) = (Vec::new(), 0);
    for file in below(&folder).iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
        let (within, name) = (file.parent().unwrap(), file.file_stem().unwrap().to_str().unwrap());
        if name == "mod" || *file == folder.join("main.rs") {
            continue;
        }
        let parents = [within.join("main.rs"), within.join("mod.rs"), within.with_extension("rs")];
        let parent = parents.iter().find(|parent| parent.is_file()).unwrap();
        let code = fs::read_to_string(parent).unwrap();
        let is_module = |line: &str| line.trim_start_matches("pub ") == format!("mod {name};");
        match code.lines().any(is_module) {
            true => seen += 1,
            false => missing.push(format!("{} lacks `mod {name};`", parent.display())),
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 60, "{seen}");
}

/// Refusals of `export` that give no reason.
fn unsaid(of: &Subject) -> Vec<String> {
    let folder = Folder::new(&format!("unsaid_{}", of.name));
    let mut unsaid = Vec::new();
    for (ending, message) in [("glb", "export does not write"), ("png", "export does not draw")] {
        let said = of.files.first().map(|file| export(file, &folder.0.join(format!("out.{ending}"))).1);
        if said.is_none_or(|said| said.contains(message)) {
            unsaid.push(format!("{} is not in: src/export/file_format.rs, `FileFormat::refused` ({ending})", of.name));
        }
    }
    unsaid
}

impl Subject {
    fn of(format: Format) -> Self {
        let kinds = fs::read_dir(root().join("corpus/golden")).unwrap();
        let kinds = kinds.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
        let goldens = kinds.filter(|kind| kind != "hostile").flat_map(|kind| goldens(&kind));
        let sound = goldens.filter(|golden| golden["info"]["format"] == format.name() && golden["status"][0] == 0);
        let mut files: Vec<String> =
            sound.map(|golden| format!("corpus/{}", golden["file"].as_str().unwrap())).collect();
        files.sort_by_key(|file| root().join(file).metadata().unwrap().len());
        Self { name: format.name(), variant: format!("{format:?}"), files }
    }

    /// Returns true if the first cell of a row between two marks is the name.
    fn is_in_rows(&self, file: &str, from: &str, to: &str) -> bool {
        let text = text(file);
        let start = text.find(from).unwrap_or_else(|| panic!("{file} has no {from}"));
        let rows = &text[start..][..text[start..].find(to).unwrap_or_else(|| panic!("{file} has no {to}"))];
        rows.lines().filter_map(|row| row.split('|').nth(1)).any(|cell| has_word(cell, self.name))
    }

    /// Returns true if the line has the ending of one of its files.
    fn is_named_in(&self, line: &str) -> bool {
        self.files.iter().any(|file| line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == ending(file)))
    }

    fn has_target(&self) -> bool {
        root().join(format!("fuzz/fuzz_targets/{}.rs", self.name)).is_file()
            && text("fuzz/Cargo.toml").contains(&format!("name = \"{}\"", self.name))
            && text("fuzz/src/lib.rs").lines().any(|line| line.trim() == self.name)
    }
}

fn text(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the first line of a file that starts with this.
fn line(file: &str, start: &str) -> String {
    text(file)
        .lines()
        .find(|line| line.starts_with(start))
        .unwrap_or_else(|| panic!("{file} has no {start}"))
        .to_owned()
}

fn ending(file: &str) -> &str {
    file.rsplit('.').next().unwrap()
}

/// Returns true if a word of the text starts with the name, ignoring case.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.to_lowercase().starts_with(name))
}

fn goldens(kind: &str) -> Vec<Json> {
    text(&format!("corpus/golden/{kind}.ndjson")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn is_kept(file: &str) -> bool {
    let bytes = fs::read(root().join(file)).unwrap();
    let opened = Asset::parse_file(Path::new(file), &bytes, &Limits::default()).unwrap().format();
    let kept = OwnedAsset::parse_file(Path::new(file), bytes, &Limits::default()).unwrap();
    kept.clone().asset().format() == opened
}

/// Returns true if `info` prints more than the record and the problems.
fn has_body(file: &str) -> bool {
    let output = program().args(["info", file]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let json = program().args(["info", "--json", file]).output().unwrap();
    let json: Json = serde_json::from_slice(&json.stdout).unwrap();
    // A heading starts a line; those of the record are its keys.
    let headings = text.lines().skip(1).filter(|line| line.starts_with(char::is_uppercase));
    let own = headings.filter(|line| !["Needs", "Problems"].iter().any(|of| line.starts_with(of)));
    json["detail"].is_object() && own.count() > 0
}

fn has_triangles(file: &str) -> bool {
    let bytes = fs::read(root().join(file)).unwrap();
    let asset = Asset::parse_file(Path::new(file), &bytes, &Limits::default()).unwrap();
    let mut primitives = asset.primitives().flatten();
    primitives.any(|primitive| primitive.triangles().flatten().next().is_some())
}

/// The exit status and the messages.
fn export(file: &str, to: &Path) -> (i32, String) {
    let output = program().args(["export", "-q", file, "-o"]).arg(to).output().unwrap();
    (code(&output), stderr(&output))
}

/// Returns the page of the site with the fields of the format.
fn page(name: &str) -> Option<String> {
    let mut pages = fs::read_dir(root().join("site/src/formats")).unwrap().map(|page| page.unwrap().path());
    let has = |page: &Path| fs::read_to_string(page).unwrap().contains(&format!("<!-- fields {name} -->"));
    Some(pages.find(|page| has(page))?.file_name()?.to_str()?.to_owned())
}

/// Returns true if one of the files is written. A picture may be reported as empty, but is written nevertheless.
fn is_exported(files: &[String], ending: &str) -> bool {
    let folder = Folder::new(&format!("every_{ending}"));
    let to = folder.0.join(format!("out.{ending}"));
    files.iter().any(|file| export(file, &to).0 < 2 && to.is_file())
}
