//! `meshpeek export`: writes a model in a format of other programs, or a model or texture as a picture.

mod gltf;
mod images;
pub(crate) mod picture;
mod raster;
mod room;
mod texture;

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use meshpeek::inspect::Depth;
use meshpeek::summary::{Problem, Problems, Severity};
use meshpeek::{Asset, Error, Format, Inspect};

use crate::args::Common;
use crate::failure::{Failure, Outcome};
use crate::notes::Notes;
use crate::output::Output;
use crate::report::count;
use crate::source::Source;
use crate::visible::shown;
pub(crate) use images::Images;
pub(crate) use picture::{Edges, Flaw};
pub(crate) use raster::Canvas;
pub(crate) use room::Room;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.b3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Width and height of the picture of a model
    #[arg(long, value_name = "PIXELS", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=4096))]
    size: u32,
    #[command(flatten)]
    texture: texture::Args,
}

/// The format of the output, by the extension of its name.
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
            _ => {
                Err(Failure::Told("export needs -o NAME.glb for a model or -o NAME.png for a picture of it".to_owned()))
            }
        }
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let form = Form::of(common)?;
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content)?;
    if let Some(why) = form.refused(asset.format()) {
        return Err(Failure::Told(format!("{}: {why}", shown(&args.file))));
    }
    args.texture.check(&asset).map_err(|why| Failure::Told(format!("{}: {why}", shown(&args.file))))?;
    let mut images = Images::of(&asset, &source.address, source.bytes(), common);
    let room = Room::new(content.budget());
    let located = |error: Error| error.in_file(&args.file);
    let (errors, written) = match (form, &asset) {
        (Form::Png, Asset::Paa(texture)) => {
            let png = texture::to_png(texture, &args.texture, &room).map_err(located)?;
            let written = Written { pieces: vec![png], is_empty: false, unreadable: 0, left_out: 0, flaw: None };
            (errors(&asset, Depth::Summary, &room), written)
        }
        (Form::Glb, _) => {
            (errors(&asset, Depth::Verify, &room), gltf::write(&asset, &mut images, &room).map_err(located)?)
        }
        (Form::Png, _) => {
            let how = (args.size, Edges::Sampled);
            let picture = picture::draw(&asset, how, &mut Canvas::default(), &mut images, &room).map_err(located)?;
            let png = picture.to_png().map_err(located)?;
            let (unreadable, flaw) = (picture.unreadable, picture.flaw);
            let written = Written { pieces: vec![png], is_empty: false, unreadable, left_out: 0, flaw };
            (errors(&asset, Depth::Summary, &room), written)
        }
    };
    let lost = written.lost(&errors);
    if written.is_empty && !lost.is_empty() {
        return Err(Failure::Told(format!("{}: nothing to export: {}", shown(&args.file), lost.join("; "))));
    }
    let mut out = Output::data(common)?;
    // Their size is bounded where they are built.
    common.results.read(written.pieces.iter().map(|piece| piece.len() as u64).sum());
    written.pieces.iter().try_for_each(|piece| out.write_all(piece))?;
    out.flush()?;
    source.unchanged()?;
    let notes = Notes::new(common);
    if written.is_empty {
        notes.say(format_args!("{}: no triangles, nodes only", shown(&args.file)));
    }
    if written.flaw == Some(Flaw::Dark) {
        notes.error(format_args!("{}: {}", shown(&args.file), Flaw::Dark));
    }
    lost.iter().for_each(|lost| notes.error(format_args!("{}: {lost}", shown(&args.file))));
    Ok(if lost.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The result of exporting a model.
struct Written {
    pieces: Vec<Vec<u8>>,
    /// True if it contains no triangles.
    is_empty: bool,
    /// The number of parts that cannot be read.
    unreadable: u64,
    /// The number of triangles with a missing corner.
    left_out: u64,
    flaw: Option<Flaw>,
}

impl Written {
    /// The parts of the model that are missing from the result, and why.
    fn lost(&self, errors: &[Problem]) -> Vec<String> {
        let mut lost: Vec<String> = self.flaw.filter(|&flaw| flaw != Flaw::Dark).iter().map(Flaw::to_string).collect();
        if self.left_out > 0 {
            lost.push(format!("{} left out with a corner that does not exist", count(self.left_out, "triangle")));
        }
        if self.unreadable > 0 {
            lost.push(format!("{} left out that cannot be read", count(self.unreadable, "part")));
        }
        if let Some(first) = errors.first() {
            let more = errors.len() - 1;
            let more = if more > 0 {
                format!(" (and {} more; verify lists them)", count(more as u64, "error"))
            } else {
                String::new()
            };
            lost.push(format!("{}{more}", first.message));
        }
        lost
    }
}

/// The errors of an asset: the parts that an export lacks.
fn errors(asset: &Asset<'_>, depth: Depth, room: &Room<'_>) -> Vec<Problem> {
    let mut problems = Problems::within(room.budget().clone());
    asset.survey(depth, &mut problems);
    problems.into_vec().into_iter().filter(|problem| problem.severity == Severity::Error).collect()
}

impl Form {
    /// Why an asset of this format is not written so; `None` where it is.
    fn refused(&self, format: Format) -> Option<Cow<'static, str>> {
        use Format::{B3d, Bmtr, Bmx, Lodka, Mlod, Odol, Paa, Pbo, Rap, Rtm, Zip};
        let why = match (self, format) {
            (_, B3d | Bmx | Lodka) | (Self::Png, Odol | Mlod | Paa) => return None,
            // Their makers do not want them extracted.
            (Self::Glb, Odol | Mlod | Bmtr | Rtm) => {
                "Arma models and animations are not written as glTF: their community forbids ripping them; \
                 -o NAME.png draws a model"
            }
            (Self::Glb, Paa) => "a texture has no triangles; -o NAME.png writes it as a picture",
            (Self::Png, Bmtr | Rtm) => "nothing to draw: an animation has no triangles",
            (_, Rap) => "a config has no triangles",
            (_, Pbo | Zip) => "an archive is not a model; name a member, as FILE!/MEMBER",
            (Self::Glb, _) => return Some(format!("export does not write a {} as glTF", format.title()).into()),
            (Self::Png, _) => return Some(format!("export does not draw a {}", format.title()).into()),
        };
        Some(why.into())
    }
}

/// Whether a picture can be drawn of the triangles of the format.
pub(crate) fn is_drawn(format: Format) -> bool {
    format != Format::Paa && Form::Png.refused(format).is_none()
}
