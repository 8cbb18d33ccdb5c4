//! `meshpeek export`: a model in a form that other programs take, or as a picture.

mod gltf;
mod images;
pub(crate) mod picture;
mod raster;
mod room;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use meshpeek::Asset;

use crate::args::Common;
use crate::notes::{Notes, shown};
use crate::output::{Failure, Outcome, Output};
use crate::source::Source;
pub(crate) use images::Images;
pub(crate) use picture::Edges;
pub(crate) use raster::Canvas;
pub(crate) use room::Room;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file, or the address of a member, such as `mod.pbo!/tree.b3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Width and height of a picture, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=4096))]
    size: u32,
}

/// What is written, by the ending of its name.
enum Form {
    Glb,
    Png,
}

impl Form {
    fn of(common: &Common) -> Result<Self, Failure> {
        let ending = common.output.as_ref().and_then(|path| path.extension()).map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("glb") => Ok(Self::Glb),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::Told("export writes a model (-o NAME.glb) or a picture of it (-o NAME.png)".to_owned())),
        }
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let form = Form::of(common)?;
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content)?;
    let mut images = Images::of(&asset, &source.address, source.bytes(), common);
    let room = Room::new(content.budget());
    let written = match form {
        Form::Glb => {
            refuse(&asset, &args.file)?;
            gltf::write(&asset, &mut images, &room, Notes::new(common))
        }
        Form::Png => {
            let picture =
                picture::draw(&asset, (args.size, Edges::Sampled), &mut Canvas::default(), &mut images, &room);
            picture.and_then(|picture| Ok(vec![picture.to_png()?]))
        }
    };
    let pieces = written.map_err(|error| error.in_file(&args.file))?;
    let mut out = Output::data(common)?;
    // How large they are is bounded where they are made.
    common.results.read(pieces.iter().map(|piece| piece.len() as u64).sum());
    pieces.iter().try_for_each(|piece| out.write_all(piece))?;
    out.flush()?;
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

/// Whose makers do not want their models taken out of them is left alone.
fn refuse(asset: &Asset<'_>, path: &std::path::Path) -> Result<(), Failure> {
    let why = match asset {
        Asset::B3d(_) | Asset::Bmx(_) | Asset::Lodka(_) => return Ok(()),
        Asset::Odol(_) | Asset::Mlod(_) | Asset::Rtm(_) => {
            "models and animations of Arma are not written as glTF: their community forbids ripping them; \
             -o NAME.png draws a picture"
        }
        _ => "an archive is no model; name a member, as FILE!/MEMBER",
    };
    Err(Failure::Told(format!("{}: {why}", shown(path))))
}
