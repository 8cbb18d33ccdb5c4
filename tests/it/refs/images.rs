//! The images of a picture or an export are the files that `refs` finds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::address::Address;
use meshpeek::answers::refs;
use meshpeek::scan::{Input, Scan, Sighting};
use meshpeek::summary::{Name, ReferenceKind};
use meshpeek::{Asset, Format, Limits};

use super::generated::{Addon, FORMS, Form};
use super::{model, pbo};
use crate::support::models::pixels;
use crate::support::mutate::Random;
use crate::support::program::{Folder, code, program, stderr, with_slashes};
use crate::writer::mlod;
use crate::writer::zip::{Entry, zip};

#[test]
fn a_model_has_the_textures_that_refs_finds_by_the_prefix() {
    let folder = Folder::new("refs-images");
    let image = std::fs::read(crate::support::files::root().join("corpus/paa/dxt1.paa")).unwrap();
    let textures = [r"\My\Addon\data\A_co.tga"];
    folder.file("addon/$PBOPREFIX$", "my\\addon");
    folder.file("addon/models/house.p3d", model(&textures, "", ""));
    let export = |name: &str| {
        let mut export = program();
        export.current_dir(&folder.0).args(["export", "addon/models/house.p3d", "-o", name]);
        let output = export.output().unwrap();
        assert!(code(&output) < 2, "{}", stderr(&output));
        std::fs::read(folder.0.join(name)).unwrap()
    };
    let gray = export("none.glb");
    folder.file("addon/data/a_CO.paa", &image);
    let drawn = export("by_prefix.glb");
    assert!(drawn.len() > gray.len());
    // One next to the model with the same name is another file.
    folder.file("addon/models/a_co.paa", b"no image");
    assert_eq!(export("still.glb"), drawn);
    // The game does not find it under another prefix.
    folder.file("addon/$PBOPREFIX$", "other");
    std::fs::remove_file(folder.0.join("addon/models/a_co.paa")).unwrap();
    assert_eq!(export("other.glb"), gray);
}

/// A file of the folder, as `refs` and the finder name it.
type Place = (PathBuf, Option<String>);

fn place(address: &str) -> String {
    with_slashes(address).replace('\\', "/")
}

fn address((path, member): &Place) -> String {
    let path = path.display();
    place(&member.as_ref().map_or_else(|| path.to_string(), |member| format!("{path}!/{member}")))
}

/// A model's texture, and what `refs` says about it.
struct Asked {
    model: Place,
    member: Option<Name>,
    format: Format,
    name: Name,
    state: refs::State,
    target: Option<String>,
}

/// The textures of all models that a scan of these paths finds, without images inside the models.
fn asked(paths: &[&Path]) -> Vec<Asked> {
    let mut scan = Scan::new(paths.iter().copied());
    scan.selection.ignored = true;
    let mut rules = refs::Rules::default();
    rules.above = true;
    let mut all = Vec::new();
    let each = |link: &refs::Link<'_>| {
        let own = link.member.map_or(link.path.to_owned(), |member| PathBuf::from(&member.text));
        let texture = link.reference.filter(|reference| reference.kind == ReferenceKind::Texture);
        let format = Format::from_extension(&own).filter(|_| link.via.is_none());
        if let (Some(texture), Some(format)) = (texture, format) {
            let model = (link.path.to_owned(), link.member.map(|member| member.text.clone()));
            let target = link.targets().next().map(|target| place(&target.text));
            if target.as_ref() != Some(&address(&model)) {
                let (member, name, state) = (link.member.cloned(), texture.name.clone(), link.state);
                all.push(Asked { model, member, format, name, state, target });
            }
        }
        ControlFlow::Continue(())
    };
    refs::resolve_by(&scan, &rules, |_| {}).unwrap().each(each).unwrap();
    all
}

/// The file that a finder names. A file that has only the name is none for `refs`.
fn found(textures: &mut refs::Textures<'_>, asked: &Asked) -> Option<String> {
    let model = refs::Model::new(&asked.model.0, asked.member.as_ref(), asked.format);
    let image = textures.find(model, &asked.name).unwrap()?;
    assert_eq!(image.state, asked.state);
    let is_found = image.state != refs::State::Missing;
    is_found.then(|| address(&(image.path, image.member.map(|member| member.text))))
}

/// The finder of the page, for the files below a folder: it has the names of all, archives, and prefix files.
fn finder_of_page(root: &Path) -> refs::Textures<'static> {
    let mut scan = Scan::new([root]);
    scan.selection.ignored = true;
    let archives = std::sync::Mutex::new(Vec::new());
    let view = |seen: &Sighting<'_, '_>| {
        if matches!(seen.record.summary.format, Some(Format::Pbo | Format::Zip)) {
            archives.lock().unwrap().push((seen.record.clone(), seen.data.to_vec()));
        }
    };
    scan.run(Input::Paths, view, |_, _| ControlFlow::Continue(())).unwrap();
    let mut files = refs::Files::new(&Scan::new([root]), &[]);
    let archives = archives.into_inner().unwrap();
    for (record, data) in &archives {
        let name = record.member.as_ref().map_or(record.path.clone(), |member| PathBuf::from(&member.text));
        let asset = Asset::parse_file(&name, data, &Limits::default()).unwrap();
        files.add(record.clone(), data, Some(&asset)).unwrap();
    }
    for path in crate::support::files::below(root) {
        let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
        if archives.iter().any(|(record, _)| record.path == path) {
            continue;
        }
        if name.contains("prefix") {
            let bytes = std::fs::read(&path).unwrap();
            files.add(scan.record(&path, &bytes), &bytes, None).unwrap();
        } else {
            files.add_path(path).unwrap();
        }
    }
    files.textures().unwrap()
}

/// Compares the finders for a scan, for the page, and for each model alone with `refs`. Returns the number of textures
/// that have a file.
fn compare(root: &Path) -> usize {
    let all = asked(&[root]);
    let mut scan = Scan::new([root]);
    let mut rules = refs::Rules::default();
    rules.above = true;
    let mut textures = refs::Textures::of_scan(&scan, &rules);
    let mut page = finder_of_page(root);
    let mut count = 0;
    for asked in &all {
        assert_eq!(found(&mut textures, asked), asked.target, "{:?} {}", asked.model, asked.name.text);
        assert_eq!(found(&mut page, asked), asked.target, "page: {:?} {}", asked.model, asked.name.text);
        count += usize::from(asked.target.is_some());
    }
    scan = Scan::new([""; 0]);
    let files: BTreeSet<&Path> = all.iter().map(|asked| asked.model.0.as_path()).collect();
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        for asked in asked(&[file]) {
            let (path, member) = &asked.model;
            let own = Address::new(path.clone(), member.clone().map(String::into_bytes));
            for data in [None, Some(&*bytes)] {
                let mut alone = refs::Textures::of_file(&scan, &rules, &own, data);
                assert_eq!(found(&mut alone, &asked), asked.target, "{:?} {}", asked.model, asked.name.text);
                assert!(alone.take_unreadable().is_none());
            }
        }
    }
    count
}

/// Colors of which each channel is there or not.
fn color(number: usize) -> [u8; 3] {
    [1, 2, 4].map(|bit| if (number + 1) & bit > 0 { 255 } else { 0 })
}

/// The number of the color that a picture shows, if it is not gray.
fn shown(png: &[u8]) -> Option<usize> {
    let (_, pixels) = pixels(png);
    let spread = |pixel: &&[u8]| pixel.iter().max().unwrap() - pixel.iter().min().unwrap();
    let pixel = pixels.chunks_exact(3).max_by_key(spread).unwrap();
    let middle = (pixel.iter().max().unwrap() / 2).max(1);
    let bits: usize = pixel.iter().zip([1, 2, 4]).map(|(channel, bit)| usize::from(*channel > middle) * bit).sum();
    (spread(&pixel) > 40).then(|| bits - 1)
}

fn solid(number: usize) -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    let image = image::RgbImage::from_pixel(4, 4, image::Rgb(color(number)));
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// A triangle, seen from both sides, with this texture.
fn triangle(texture: &str) -> Vec<u8> {
    let faces = [mlod::face(&[0, 1, 2], texture, ""), mlod::face(&[2, 1, 0], texture, "")];
    let corners = [[0.0_f32, 0.0, 0.0], [0.0, 4.0, 0.0], [4.0, 0.0, -4.0]];
    let points: Vec<u8> =
        corners.iter().flat_map(|corner| corner.iter().flat_map(|value| value.to_le_bytes()).chain([0; 4])).collect();
    mlod::model(&[mlod::lod(3, &faces, &[], 1.0)]).set("first_point", points).to_vec()
}

/// The image in a `.glb`.
fn embedded(glb: &[u8]) -> Option<usize> {
    let start = glb.windows(4).position(|four| four == b"\x89PNG")?;
    shown(&glb[start..])
}

#[test]
fn export_thumbnails_and_refs_name_the_same_file_for_each_texture() {
    let mut count = 0;
    for seed in 1..=3_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let folder = Folder::new("refs-pictures");
        let mut all = Vec::new();
        for number in 0..3 {
            for copy in 0..1 + random.below(2) {
                let form = FORMS[random.below(FORMS.len())];
                all.push(Addon::new(number, copy, form));
            }
        }
        // One of each form in archives.
        all.push(Addon::new(3, 0, [Form::Pbo, Form::Zip, Form::Pbo][seed as usize - 1]));
        let mut colors = BTreeMap::new();
        for (color, addon) in all.iter().enumerate() {
            let other = Addon::prefix(all[random.below(all.len())].number);
            let own = Addon::prefix(addon.number);
            let names = [
                format!("{own}\\data\\T0.png"),
                format!("\\{}/data/t0.PNG", other.to_uppercase()),
                format!("{other}\\gone.png"),
                "#(argb,8,8,3)color(1,1,1,1)".to_owned(),
            ];
            let mut files: Vec<(String, Vec<u8>)> = names
                .iter()
                .enumerate()
                .map(|(index, name)| (format!("models/m{index}.p3d"), triangle(name)))
                .collect();
            files.push(("data/T0.png".to_owned(), solid(color % 6)));
            // A file that has only the name.
            files.push(("models/gone.png".to_owned(), solid(5)));
            addon.write_bytes(&folder, &files);
            colors.insert(place(&format!("m/{}", addon.address("data/T0.png"))), color % 6);
        }
        let root = folder.0.join("m");
        count += compare(&root);
        let own = place(&format!("{}/", folder.0.display()));
        let short = |text: &str| text.replacen(&own, "", 1);
        let mut scan = program();
        scan.current_dir(&folder.0).args(["scan", "m", "--thumbnails", "out", "--thumbnail-size", "32"]);
        let scan = scan.output().unwrap();
        assert_eq!(code(&scan), 0, "{}", stderr(&scan));
        for Asked { model, target, .. } in asked(&[&root]) {
            let name = short(&address(&model));
            let picture = std::fs::read(folder.0.join("out").join(format!("{name}.png"))).unwrap();
            let expected = target.as_deref().map(|target| colors[&short(target)]);
            assert_eq!(shown(&picture), expected, "{name}");
        }
        let files: BTreeSet<PathBuf> = asked(&[&root]).into_iter().map(|asked| asked.model.0).collect();
        for Asked { model, target, .. } in files.iter().flat_map(|file| asked(&[file])) {
            let name = short(&address(&model));
            let mut export = program();
            export.current_dir(&folder.0).args(["export", &name, "-o", "out.glb"]);
            let output = export.output().unwrap();
            assert!(code(&output) < 2, "{}", stderr(&output));
            let glb = std::fs::read(folder.0.join("out.glb")).unwrap();
            let expected = target.as_deref().map(|target| colors[&short(target)]);
            assert_eq!(embedded(&glb), expected, "{name}");
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn the_corpus_has_the_same_textures_for_pictures_and_references() {
    assert!(compare(&crate::support::files::root().join("corpus/addons")) > 1);
    assert!(compare(&crate::support::files::root().join("corpus/mod")) > 5);
    if let Some(outside) = crate::support::files::outside() {
        println!("{} textures of other people's archives", compare(&outside.join("pbo")));
    }
}

#[test]
fn images_are_found_in_archives_of_any_name() {
    let folder = Folder::new("refs-archive-names");
    folder.file("m/a/$PBOPREFIX$", "x\\a");
    folder.file("m/a/m.p3d", triangle("x\\b\\t.png"));
    folder.file("m/b.mod", pbo("x\\b", &[("t.png", &solid(1)), ("m.p3d", &triangle("x\\b\\t.png"))]));
    assert_eq!(compare(&folder.0.join("m")), 2);
    let mut scan = program();
    scan.current_dir(&folder.0).args(["scan", "m", "--thumbnails", "out"]);
    let output = scan.output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for name in ["a/m.p3d", "b.mod!/m.p3d"] {
        let picture = std::fs::read(folder.0.join(format!("out/m/{name}.png"))).unwrap();
        assert_eq!(shown(&picture), Some(1), "{name}");
    }
}

/// The model and an image that has only the name are in an archive; the file with the path is in another one around both.
#[test]
fn a_file_with_the_path_goes_before_one_with_the_name_in_a_nearer_archive() {
    let name = r"x\b\t.png";
    let inner = zip(&[Entry::stored("models/m.p3d", &triangle(name)), Entry::stored("other/t.png", &solid(2))], b"");
    for (has_path, color) in [(true, 1), (false, 2)] {
        let folder = Folder::new("refs-nearer-archive");
        let other = if has_path { pbo("x\\b", &[("t.png", &solid(1))]) } else { pbo("x\\b", &[("u.png", &solid(1))]) };
        let outer = zip(&[Entry::stored("inner.zip", &inner.to_vec()), Entry::stored("b.pbo", &other)], b"");
        folder.file("outer.zip", outer.to_vec());
        let mut export = program();
        export.current_dir(&folder.0).args(["export", "outer.zip!/inner.zip!/models/m.p3d", "-o", "out.glb"]);
        let output = export.output().unwrap();
        assert!(code(&output) < 2, "{}", stderr(&output));
        let glb = std::fs::read(folder.0.join("out.glb")).unwrap();
        assert_eq!(embedded(&glb), Some(color), "{}", stderr(&output));
    }
}

#[test]
fn surfaces_without_an_image_are_explained() {
    let folder = Folder::new("refs-plain-surfaces");
    folder.file("m.p3d", triangle(r"some\where\none.png"));
    folder.file("computed.p3d", triangle("#(argb,8,8,3)color(1,0,0,1,CO)"));
    folder.file("plain.p3d", triangle(""));
    folder.file("a.png", solid(0));
    let said = |args: &[&str]| {
        let mut export = program();
        export.current_dir(&folder.0).arg("export").args(args);
        let output = export.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output)
    };
    for out in ["x.glb", "x.png"] {
        let text = said(&["m.p3d", "-o", out]);
        assert!(text.contains(r"m.p3d: 1 image not available: some\where\none.png; --textures DIR"), "{text}");
        let text = said(&["plain.p3d", "-o", out]);
        assert!(text.contains("plain.p3d: no surface names an image; --texture FILE gives one"), "{text}");
        assert_eq!(said(&["m.p3d", "-o", out, "--texture", r"some\where\none.png=a.png"]), "");
        assert_eq!(said(&["plain.p3d", "-o", out, "--texture", "a.png"]), "");
        assert_eq!(said(&["computed.p3d", "-o", out]), "");
    }
    for args in [["m.p3d", "-o", "x.obj"], ["m.p3d", "-o", "x.ply"]] {
        assert_eq!(said(&args), "");
    }
    assert_eq!(said(&["m.p3d", "-o", "x.png", "--wireframe"]), "");
}

#[test]
fn folders_and_files_of_images_that_cannot_be_read_are_refused() {
    let folder = Folder::new("refs-unreadable-images");
    folder.file("m.p3d", triangle("none.png"));
    folder.file("a.png", solid(0));
    folder.file("notes.txt", "no image");
    let run = |args: &[&str]| {
        let mut command = program();
        let output = command.current_dir(&folder.0).args(args).output().unwrap();
        (code(&output), stderr(&output))
    };
    for verb in
        [&["export", "-o", "x.glb"][..], &["export", "-o", "x.png"], &["refs"], &["scan", "--thumbnails", "out"]]
    {
        for textures in ["nowhere", "a.png"] {
            let (status, said) = run(&[verb, &["m.p3d", "--textures", textures]].concat());
            assert_eq!(status, 2, "{verb:?} {textures}: {said}");
            assert!(said.contains(&format!("'{textures}' for '--textures <DIR>'")), "{said}");
        }
    }
    for out in ["x.glb", "x.png"] {
        let refused = |given: &str| {
            let (status, said) = run(&["export", "m.p3d", "-o", out, "--texture", given]);
            assert_eq!(status, 2, "{said}");
            assert!(!folder.0.join(out).exists());
            said
        };
        assert_eq!(refused("none.png=nowhere"), "meshpeek: nowhere: no such image\n");
        #[cfg(unix)]
        {
            let closed = folder.file("closed.png", solid(0));
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o0);
            std::fs::set_permissions(&closed, mode).unwrap();
            // Not for root, who may read everything.
            if std::fs::read(&closed).is_err() {
                assert!(refused("none.png=closed.png").starts_with("meshpeek: closed.png: Permission denied"));
            }
        }
        let (status, said) = run(&["export", "m.p3d", "-o", out, "--texture", "none.png=notes.txt"]);
        assert_eq!((status, said.as_str()), (1, "meshpeek: m.p3d: 1 image cannot be decoded: none.png\n"));
        std::fs::remove_file(folder.0.join(out)).unwrap();
    }
    folder.file("none.png", "no image");
    let (status, said) = run(&["scan", "m.p3d", "--thumbnails", "out"]);
    let why = "1 image missing from pictures; the first: none.png: cannot be decoded\n";
    assert!(status == 0 && said.contains(why), "{status}: {said}");
}

/// Without any prefix, no rule of the game says what a name means.
#[test]
fn a_model_below_no_prefix_has_images_by_file_name_and_says_so() {
    let folder = Folder::new("refs-substitutes");
    folder.file("a/m.p3d", triangle(r"some\where\A.png"));
    folder.file("a/a.png", solid(0));
    folder.file("b/m.p3d", triangle(r"some\where\b.png"));
    folder.file("images/deep/B.PNG", solid(1));
    let export = |args: &[&str]| {
        let mut export = program();
        export.current_dir(&folder.0).arg("export").args(args).args(["-o", "out.glb"]);
        let output = export.output().unwrap();
        assert!(code(&output) < 2, "{}", stderr(&output));
        let glb = std::fs::read(folder.0.join("out.glb")).unwrap();
        (embedded(&glb), stderr(&output).contains("1 image found by file name alone"))
    };
    assert_eq!(export(&["a/m.p3d"]), (Some(0), true));
    assert_eq!(export(&["b/m.p3d"]), (None, false));
    assert_eq!(export(&["b/m.p3d", "--textures", "images"]), (Some(1), false));
    // Thumbnails have the same, also of models whose paths come later.
    let thumbnails = |args: &[&str]| {
        let _ = std::fs::remove_dir_all(folder.0.join("out"));
        let mut scan = program();
        scan.current_dir(&folder.0).args(["scan", "--thumbnails", "out"]).args(args);
        let output = scan.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).contains("1 image found by file name alone; refs says that"), "{}", stderr(&output));
        ["a", "b"].map(|name| shown(&std::fs::read(folder.0.join(format!("out/{name}/m.p3d.png"))).unwrap()))
    };
    assert_eq!(thumbnails(&["a", "b"]), [Some(0), None]);
    assert_eq!(thumbnails(&["a", "b", "--textures", "images"]), [Some(0), Some(1)]);
    folder.file("list", "a/m.p3d\nb/m.p3d\n");
    assert_eq!(thumbnails(&["--paths-from", "list", "--textures", "images"]), [Some(0), Some(1)]);
}

/// Of those given for one name the first one counts, for the whole name or the end of it.
#[test]
fn given_images_go_before_those_beside_the_model() {
    let folder = Folder::new("refs-given-images");
    folder.file("m.p3d", triangle(r"some\where\t.png"));
    folder.file("t.png", solid(0));
    for number in 1..4 {
        folder.file(&format!("{number}.png"), solid(number));
    }
    folder.file("notes.txt", "no image");
    for (given, color, status) in [
        (&[][..], Some(0), 0),
        (&["t.png=1.png"], Some(1), 0),
        (&["t.png=1.png", "t.png=2.png"], Some(1), 0),
        (&["T.PNG=3.png", "t.png=2.png"], Some(3), 0),
        (&[r"some\where\t.png=2.png", "t.png=1.png"], Some(2), 0),
        (&["t.png=1.png", r"some\where\t.png=2.png"], Some(1), 0),
        (&["u.png=1.png"], Some(0), 1),
        (&["u.png=1.png", "t.png=2.png"], Some(2), 1),
        (&[r"where\t.png=1.png"], Some(0), 1),
        (&["t.png=notes.txt", "t.png=1.png"], None, 1),
    ] {
        let mut export = program();
        export.current_dir(&folder.0).args(["export", "m.p3d", "-o", "out.glb"]);
        let output = export.args(given.iter().flat_map(|given| ["--texture", given])).output().unwrap();
        assert_eq!(code(&output), status, "{given:?}: {}", stderr(&output));
        let glb = std::fs::read(folder.0.join("out.glb")).unwrap();
        assert_eq!(embedded(&glb), color, "{given:?}: {}", stderr(&output));
    }
}
