//! The arguments of `meshpeek export`.

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use meshpeek::export::{FileFormat, Lod, Mirror, Up, View};
use meshpeek::{Asset, Format};

use super::file_format::is_drawn;
use super::images::GivenImage;
use super::texture;
use crate::args::folder_parser;
use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.b3d`; `-` is standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(super) pixels: texture::Args,
    /// Search images in this folder and below, by name in any case
    #[arg(long, value_name = "DIR", value_parser = folder_parser())]
    pub(super) textures: Option<PathBuf>,
    /// The image for a name in the model; without NAME, for surfaces that name none
    #[arg(long = "texture", value_name = "[NAME=]FILE")]
    pub(super) texture: Vec<String>,
    /// Write only the animation of this name; for a picture, the one that `--time` is about
    #[arg(long, value_name = "NAME")]
    pub(super) clip: Option<String>,
    /// Frames per second of the animations, in place of those of the file
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) fps: Option<f32>,
    /// The level of detail, counted from 0, or `all` [default: the finest]
    #[arg(long, value_name = "N", value_parser = lod)]
    pub(super) lod: Option<Lod>,
    /// The plain RTM animation of an MLOD model: each of its bones moves the selection of its name
    #[arg(long, value_name = "FILE")]
    pub(super) motion: Option<PathBuf>,
    /// The `model.cfg` with the skeleton of an MLOD model or a plain RTM animation
    #[arg(long, value_name = "FILE")]
    pub(super) model_cfg: Option<PathBuf>,
    /// The axis to mirror from a left-handed format [default: x; z for Arma]
    #[arg(long, value_name = "AXIS", value_parser = either(("x", Mirror::X), ("z", Mirror::Z)))]
    pub(super) mirror: Option<Mirror>,
    /// The axis that points up: `y` or `z`
    #[arg(long, value_name = "AXIS", default_value = "y", value_parser = either(("y", Up::Y), ("z", Up::Z)))]
    pub(super) up: Up,
    /// A factor for all sizes
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    pub(super) scale: f32,
    /// Width and height of a picture
    #[arg(long, value_name = "PIXELS", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(super) size: u32,
    /// Where a picture is seen from
    #[arg(long, value_name = "SIDE", default_value = "corner", value_parser = eye_parser())]
    pub(super) view: [f32; 3],
    /// Draw the model at this time of its animation, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(super) time: Option<f32>,
    /// Draw on a transparent background
    #[arg(long)]
    pub(super) transparent: bool,
    /// Draw the edges of triangles alone
    #[arg(long)]
    pub(super) wireframe: bool,
}

fn number(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("expected a number".to_owned()),
    }
}

fn positive(text: &str) -> Result<f32, String> {
    match number(text) {
        Ok(number) if number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

fn lod(text: &str) -> Result<Lod, String> {
    if text == "all" {
        return Ok(Lod::All);
    }
    match text.parse() {
        Ok(index) => Ok(Lod::Index(index)),
        Err(_) => Err("expected an index or `all`".to_owned()),
    }
}

/// One of two values by its name.
fn either<T: Copy + Send + Sync + 'static>(
    one: (&'static str, T),
    two: (&'static str, T),
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::from([one.0, two.0]).map(move |name| if name == one.0 { one.1 } else { two.1 })
}

/// The direction to the eye. +X is to the left of a model that faces +Z.
fn eye_parser() -> impl TypedValueParser<Value = [f32; 3]> {
    let sides = ["corner", "front", "back", "left", "right", "top", "bottom"];
    PossibleValuesParser::from(sides).map(|side| match side.as_str() {
        "front" => [0.0, 0.0, 1.0],
        "back" => [0.0, 0.0, -1.0],
        "left" => [1.0, 0.0, 0.0],
        "right" => [-1.0, 0.0, 0.0],
        "top" => [0.0, 1.0, 0.0],
        "bottom" => [0.0, -1.0, 0.0],
        _ => View::default().eye,
    })
}

impl Args {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> Vec<&PathBuf> {
        [Some(&self.file), self.motion.as_ref(), self.model_cfg.as_ref()].into_iter().flatten().collect()
    }

    /// Returns true if the output shows the images of a model.
    pub(super) fn has_images(&self, form: FileFormat, format: Format) -> bool {
        match form {
            FileFormat::Glb => is_drawn(format),
            FileFormat::Png => is_drawn(format) && !self.wireframe,
            _ => false,
        }
    }

    /// Refuses what is not exported, and arguments for other assets.
    pub(super) fn check(&self, form: FileFormat, asset: &Asset<'_>) -> Result<(), Failure> {
        let is_picture = form == FileFormat::Png && asset.format() == Format::Paa;
        if !is_picture && let Some(why) = form.refused(asset.format()) {
            let hint = match (form, asset.format()) {
                (FileFormat::Glb | FileFormat::Obj | FileFormat::Ply, Format::Odol) => "; -o NAME.png draws a model",
                (FileFormat::Glb | FileFormat::Obj | FileFormat::Ply, Format::Paa) => "; -o NAME.png does that",
                (_, Format::Pbo | Format::Zip) => ": FILE!/MEMBER",
                _ => "",
            };
            return Err(Failure::at(&self.file, format_args!("{why}{hint}")));
        }
        if let Err(why) = self.pixels.check(asset) {
            return Err(Failure::at(&self.file, why));
        }
        Ok(())
    }

    /// The images that the user gives.
    pub(super) fn given(&self) -> Result<Given, Failure> {
        let mut given = Given::default();
        for text in &self.texture {
            match text.split_once('=') {
                // The name of a file may have a `=`.
                Some((name, file)) if !Path::new(text).is_file() => given.files.push(GivenImage::new(name, file)),
                _ => {
                    given.without_name = Some(text.clone());
                    given.files.push(GivenImage::new(text, text));
                }
            }
        }
        for GivenImage { file, .. } in &given.files {
            if !file.is_file() {
                return Err(Failure::at(file, "no such image"));
            }
            File::open(file).map_err(|error| Failure::io(file, error))?;
        }
        Ok(given)
    }
}

/// The images that the user gives.
#[derive(Default)]
pub(super) struct Given {
    pub(super) files: Vec<GivenImage>,
    /// The name for surfaces that name none.
    pub(super) without_name: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::verbs::{Cli, Verb};

    /// The arguments of a command line. `None` if it is refused.
    fn parsed(arguments: &[&str]) -> Option<Args> {
        let all = [&["meshpeek", "export", "m.b3d", "-o", "x.png"], arguments].concat();
        match Cli::try_parse_from(all).ok()?.verb {
            Verb::Export(args) => Some(args),
            _ => None,
        }
    }

    #[test]
    fn numbers_are_finite_and_factors_are_above_0() {
        // What each is as a number of `--time`, and as one of `--scale` and `--fps`.
        for (text, number, factor) in [
            ("1", true, true),
            ("0.5", true, true),
            ("1e3", true, true),
            ("1e-45", true, true),
            ("0", true, false),
            ("-0", true, false),
            ("-1", true, false),
            ("1e-60", true, false),
            ("1e60", false, false),
            ("inf", false, false),
            ("-inf", false, false),
            ("nan", false, false),
            ("", false, false),
            ("x", false, false),
            ("1,5", false, false),
        ] {
            for (flag, is_taken) in [("--time", number), ("--scale", factor), ("--fps", factor)] {
                assert_eq!(parsed(&[&format!("{flag}={text}")]).is_some(), is_taken, "{flag} {text:?}");
            }
        }
    }

    #[test]
    fn words_of_arguments_have_their_meanings() {
        for (text, expected) in [
            (None, Some(None)),
            (Some("all"), Some(Some(Lod::All))),
            (Some("0"), Some(Some(Lod::Index(0)))),
            (Some("17"), Some(Some(Lod::Index(17)))),
            (Some("-1"), None),
            (Some("1.0"), None),
            (Some("ALL"), None),
            (Some(""), None),
        ] {
            let argument = text.map(|text| format!("--lod={text}"));
            let arguments: Vec<&str> = argument.as_deref().into_iter().collect();
            assert_eq!(parsed(&arguments).map(|args| args.lod), expected, "{text:?}");
        }
        for (text, mirror, up) in [
            ("x", Some(Mirror::X), None),
            ("y", None, Some(Up::Y)),
            ("z", Some(Mirror::Z), Some(Up::Z)),
            ("X", None, None),
            ("", None, None),
        ] {
            assert_eq!(parsed(&["--mirror", text]).and_then(|args| args.mirror), mirror, "{text}");
            assert_eq!(parsed(&["--up", text]).map(|args| args.up), up, "{text}");
        }
        let args = parsed(&[]).unwrap();
        assert_eq!((args.mirror, args.up, args.scale, args.size), (None, Up::Y, 1.0, 512));
    }

    /// Sides are opposite to each other, and the eye is on that side of a model that faces +Z.
    #[test]
    fn every_side_has_its_direction() {
        let eye = |side: &str| parsed(&["--view", side]).map(|args| args.view);
        for (side, opposite, axis) in [("left", "right", 0), ("top", "bottom", 1), ("front", "back", 2)] {
            let mut expected = [0.0; 3];
            expected[axis] = 1.0;
            assert_eq!(eye(side), Some(expected), "{side}");
            assert_eq!(eye(opposite), Some(expected.map(|number| -number)), "{opposite}");
        }
        assert_eq!((eye("corner"), parsed(&[]).unwrap().view), (Some(View::default().eye), View::default().eye));
        assert_eq!(eye("behind"), None);
    }

    #[test]
    fn sizes_of_pictures_are_from_1_to_4096() {
        for (size, is_taken) in [("0", false), ("1", true), ("4096", true), ("4097", false), ("-1", false)] {
            assert_eq!(parsed(&[&format!("--size={size}")]).is_some(), is_taken, "{size}");
        }
    }

    /// Every file that is read is one that `-o` does not replace.
    #[test]
    fn the_inputs_are_all_files_that_are_read() {
        for (arguments, expected) in [
            (&[][..], &["m.b3d"][..]),
            (&["--motion", "a"], &["m.b3d", "a"]),
            (&["--model-cfg", "b"], &["m.b3d", "b"]),
            (&["--model-cfg", "b", "--motion", "a"], &["m.b3d", "a", "b"]),
        ] {
            let args = parsed(arguments).unwrap();
            let inputs: Vec<_> = args.inputs().into_iter().map(|path| path.to_str().unwrap()).collect();
            assert_eq!(inputs, expected);
        }
    }

    #[test]
    fn pictures_and_gltf_show_the_images_of_models() {
        for wireframe in [false, true] {
            let args = parsed(if wireframe { &["--wireframe"] } else { &[] }).unwrap();
            for format in Format::ALL {
                for form in [FileFormat::Glb, FileFormat::Obj, FileFormat::Ply, FileFormat::Png] {
                    let is_model =
                        matches!(format, Format::B3d | Format::Bmx | Format::Lodka | Format::Mlod | Format::Odol);
                    // Nobody sees images between the edges alone.
                    let shows = form == FileFormat::Glb || form == FileFormat::Png && !wireframe;
                    assert_eq!(args.has_images(form, *format), is_model && shows, "{format:?} as {form:?}");
                }
            }
        }
    }

    /// What is before the first `=` is a name in the model, unless the whole is the name of a file.
    #[test]
    fn images_are_given_for_a_name_or_for_surfaces_without_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for name in ["a.png", "b=c.png", "d"] {
            std::fs::write(path(name), "").unwrap();
        }
        std::fs::create_dir(path("folder")).unwrap();
        let (a, whole, d) = (path("a.png"), path("b=c.png"), path("d"));
        let for_name = |name: &str, file: &str| format!("{name}={file}");
        for (texts, expected, without_name) in [
            (vec![], Some(vec![]), None),
            (vec![a.clone()], Some(vec![(a.as_str(), a.as_str())]), Some(&a)),
            (vec![for_name("x", &a)], Some(vec![("x", a.as_str())]), None),
            (vec![for_name("", &a)], Some(vec![("", a.as_str())]), None),
            (vec![for_name("x", &whole)], Some(vec![("x", whole.as_str())]), None),
            (vec![whole.clone()], Some(vec![(whole.as_str(), whole.as_str())]), Some(&whole)),
            (
                vec![for_name("x", &a), d.clone(), for_name("x", &d)],
                Some(vec![("x", a.as_str()), (d.as_str(), d.as_str()), ("x", d.as_str())]),
                Some(&d),
            ),
            // Of two for surfaces without a name, the last one counts.
            (vec![a.clone(), d.clone()], Some(vec![(a.as_str(), a.as_str()), (d.as_str(), d.as_str())]), Some(&d)),
            (vec![for_name("x", &path("none"))], None, None),
            (vec![a.clone(), path("none")], None, None),
            (vec![for_name("x", &path("folder"))], None, None),
        ] {
            let arguments: Vec<&str> = texts.iter().flat_map(|text| ["--texture", text]).collect();
            let found = parsed(&arguments).unwrap().given();
            assert_eq!(found.is_ok(), expected.is_some(), "{texts:?}");
            if let (Ok(found), Some(expected)) = (found, expected) {
                let files: Vec<_> =
                    found.files.iter().map(|one| (one.name.as_str(), one.file.to_str().unwrap())).collect();
                assert_eq!((files, found.without_name.as_ref()), (expected, without_name), "{texts:?}");
            }
        }
    }
}
