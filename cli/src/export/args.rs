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
