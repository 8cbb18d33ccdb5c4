//! `meshpeek export`: writes a model in a format of other programs, or a model or texture as a picture.

mod around;
mod decode;
mod images;
mod texture;

use std::borrow::Cow;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use meshpeek::budget::Reservation;
use meshpeek::export::{self, Edges, Flaw, Lod, Mirror, Model, Options, Picture, Up, View};
use meshpeek::inspect::Depth;
use meshpeek::pose::{ModelCfg, Rig};
use meshpeek::rtm::Motion;
use meshpeek::scan::refs;
use meshpeek::summary::{Problem, Problems, Severity};
use meshpeek::{Asset, Budget, Format, Inspect};

use crate::args::{Common, folder_parser};
use crate::bones::Bones;
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::notes::Notes;
use crate::output::Output;
use crate::output_file::ending;
use crate::report::count;
use crate::source::Source;
use crate::visible::shown;
pub(crate) use around::Around;
pub(crate) use images::Images;

/// How many names a message has.
const MOST_NAMES: usize = 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.b3d`; `-` is standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pixels: texture::Args,
    /// Search images in this folder and below, by name in any case
    #[arg(long, value_name = "DIR", value_parser = folder_parser())]
    textures: Option<PathBuf>,
    /// The image for a name in the model; without NAME, for surfaces that name none
    #[arg(long = "texture", value_name = "[NAME=]FILE")]
    texture: Vec<String>,
    /// Write only the animation of this name; for a picture, the one that `--time` is about
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Frames per second of the animations, in place of those of the file
    #[arg(long, value_name = "N", value_parser = positive)]
    fps: Option<f32>,
    /// The level of detail, counted from 0, or `all` [default: the finest]
    #[arg(long, value_name = "N", value_parser = lod)]
    lod: Option<Lod>,
    /// The plain RTM animation of an MLOD model: each of its bones moves the selection of its name
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// The `model.cfg` with the skeleton of an MLOD model or a plain RTM animation
    #[arg(long, value_name = "FILE")]
    model_cfg: Option<PathBuf>,
    /// The axis to mirror from a left-handed format [default: x; z for Arma]
    #[arg(long, value_name = "AXIS", value_parser = either(("x", Mirror::X), ("z", Mirror::Z)))]
    mirror: Option<Mirror>,
    /// The axis that points up: `y` or `z`
    #[arg(long, value_name = "AXIS", default_value = "y", value_parser = either(("y", Up::Y), ("z", Up::Z)))]
    up: Up,
    /// A factor for all sizes
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    scale: f32,
    /// Width and height of a picture
    #[arg(long, value_name = "PIXELS", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=4096))]
    size: u32,
    /// Where a picture is seen from
    #[arg(long, value_name = "SIDE", default_value = "corner", value_parser = eye_parser())]
    view: [f32; 3],
    /// Draw the model at this time of its animation, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    time: Option<f32>,
    /// Draw on a transparent background
    #[arg(long)]
    transparent: bool,
    /// Draw the edges of triangles alone
    #[arg(long)]
    wireframe: bool,
}

fn number(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|number: &f32| number.is_finite()).ok_or_else(|| "expected a number".to_owned())
}

fn positive(text: &str) -> Result<f32, String> {
    number(text).ok().filter(|number| *number > 0.0).ok_or_else(|| "expected a number above 0".to_owned())
}

fn lod(text: &str) -> Result<Lod, String> {
    match text {
        "all" => Ok(Lod::All),
        index => index.parse().map(Lod::Index).map_err(|_| "expected an index or `all`".to_owned()),
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

/// The format of the output, by the extension of its name.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Glb,
    Png,
    Obj,
    Ply,
}

impl Form {
    fn of(common: &Common) -> Result<Self, Failure> {
        match common.output.as_deref().and_then(ending) {
            Some("glb") => Ok(Self::Glb),
            Some("png") => Ok(Self::Png),
            Some("obj") => Ok(Self::Obj),
            Some("ply") => Ok(Self::Ply),
            _ => {
                Err("export needs -o NAME.glb, NAME.obj or NAME.ply for a model, or -o NAME.png for a picture of it"
                    .into())
            }
        }
    }

    /// Returns the reason why assets of this format are not written in this form, or `None` if they are.
    fn refused(self, format: Format) -> Option<Cow<'static, str>> {
        use Format::{B3d, Bmtr, Bmx, Lodka, Mlod, Odol, Paa, Pbo, Rap, Rtm, Zip};
        let why = match (self, format) {
            (Self::Glb, _) | (Self::Obj | Self::Ply, Odol | Paa | Pbo | Rap | Zip) => return export::refused(format),
            (_, B3d | Bmx | Lodka | Mlod) | (Self::Png, Odol | Paa) => return None,
            (_, Rap) => "a config has no triangles",
            (_, Bmtr | Rtm) => "nothing to draw: an animation has no triangles",
            (_, Pbo | Zip) => "an archive is not a model; name a member, as FILE!/MEMBER",
            #[allow(unreachable_patterns, reason = "for formats to come")]
            (_, _) => return Some(format!("export does not draw a {}", format.title()).into()),
        };
        Some(why.into())
    }
}

impl Args {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> Vec<&PathBuf> {
        [Some(&self.file), self.motion.as_ref(), self.model_cfg.as_ref()].into_iter().flatten().collect()
    }

    /// Returns true if the output shows the images of a model.
    fn has_images(&self, form: Form, format: Format) -> bool {
        match form {
            Form::Glb => is_drawn(format),
            Form::Png => is_drawn(format) && !self.wireframe,
            Form::Obj | Form::Ply => false,
        }
    }

    /// The images that the user gives for names, and the name for surfaces that name none.
    fn given(&self) -> (Vec<(String, PathBuf)>, Option<String>) {
        let mut given = Vec::new();
        let mut without_name = None;
        for text in &self.texture {
            match text.split_once('=').filter(|_| !Path::new(text).is_file()) {
                Some((name, file)) => given.push((name.to_owned(), file.into())),
                None => {
                    without_name = Some(text.clone());
                    given.push((text.clone(), text.into()));
                }
            }
        }
        (given, without_name)
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let form = Form::of(common)?;
    let source = Source::open_all(&args.file, common)?;
    let (content, member) = source.checked_member(common)?;
    let content = content?;
    let asset = source.asset(&content)?;
    if let Some(why) = form.refused(asset.format()) {
        return Err(Failure::at(&args.file, why));
    }
    args.pixels.check(&asset).map_err(|why| Failure::at(&args.file, why))?;
    let (given, texture) = args.given();
    for (_, file) in &given {
        if !file.is_file() {
            return Err(Failure::at(file, "no such image"));
        }
        File::open(file).map_err(|error| Failure::io(file, error))?;
    }
    let motion = args.motion.as_ref().map(|path| Source::open(path, common)).transpose()?;
    let motion_content = motion.as_ref().map(|motion| motion.checked_content(common)).transpose()?;
    let motion =
        motion.as_ref().zip(motion_content.as_ref()).map(|(motion, content)| motion.asset(content)).transpose()?;
    let config = args.model_cfg.as_ref().map(|path| Source::open(path, common)).transpose()?;
    let config_content = config.as_ref().map(|config| config.checked_content(common)).transpose()?;
    let notes = Notes::new(common);
    let mut is_config_whole = true;
    let mut skeleton = None;
    if let (Some(config), Some(content)) = (&config, &config_content) {
        let name = source.name.file_stem().unwrap_or_default().to_string_lossy();
        let read = ModelCfg::read(content, content.budget()).map_err(|error| error.in_file(&config.name))?;
        let rig = read.rig(&name);
        // What is not read may be why there is no skeleton.
        let mut flaws = read.unread();
        if rig.is_ok() {
            flaws.extend(read.skeleton_of_model(&name)?.flaws);
        }
        is_config_whole = flaws.is_empty();
        for flaw in flaws {
            notes.error(format_args!("{}: {flaw}", shown(&config.name)));
        }
        let rig = rig.map_err(|error| error.in_file(&config.name))?;
        if let Asset::Mlod(_) = &asset {
            let selections = Bones::selections(&args.file, &asset)?;
            if let Some(bones) = without_selection(&rig, &selections) {
                notes.say(format_args!("{}: {bones}", shown(&args.file)));
            }
        }
        skeleton = Some(rig);
    }
    let rig = match &motion {
        Some(motion) => Some(rig(motion, skeleton.as_ref())?),
        None => skeleton,
    };
    let scan = input::scan_whole(&[], None, common)?;
    let around = Around::of_model(&scan, args.textures.as_deref(), &source.address, source.bytes());
    let model = refs::Model { path: &source.address.file, member: member.as_ref(), format: asset.format() };
    let mut images = Images::of(&asset, model, &around, given, notes);
    let budget = content.budget();
    let mut options = Options::default();
    (options.space.mirror, options.space.up, options.space.scale) = (args.mirror, args.up, args.scale);
    (options.clip, options.fps, options.texture) = (args.clip.as_deref(), args.fps, texture.as_deref());
    (options.lod, options.rig) = (args.lod.unwrap_or_default(), rig.as_ref());
    let depth = if form == Form::Png { Depth::Summary } else { Depth::Verify };
    let errors = errors(&asset, depth, budget);
    let written = match (form, &asset) {
        (Form::Glb, _) => export::glb(&asset, &options, &mut images, budget).map(Written::Model),
        (Form::Obj, _) => export::obj(&asset, &options, budget).map(Written::Model),
        (Form::Ply, _) => export::ply(&asset, &options, budget).map(Written::Model),
        (Form::Png, Asset::Paa(texture)) => {
            let png = texture::to_png(texture, &args.pixels, &Reservation::new(budget));
            png.map(|png| Written::Png { png, unreadable: 0, unsorted: 0, flaw: None })
        }
        (Form::Png, _) => {
            let mut view = View::default();
            (view.size, view.eye, view.time) = (args.size, args.view, args.time);
            (view.clip, view.lod, view.texture) = (options.clip, options.lod, options.texture);
            (view.transparent, view.wireframe, view.edges) = (args.transparent, args.wireframe, Edges::Sampled);
            export::picture(&asset, &view, &mut images, budget).and_then(|picture| {
                let mut png = Vec::new();
                picture.write_png(&mut png)?;
                let Picture { unreadable, unsorted, flaw, .. } = picture;
                Ok(Written::Png { png, unreadable, unsorted, flaw })
            })
        }
    };
    let written = written.map_err(|error| error.in_file(&args.file))?;
    let mut lost = written.lost(&errors);
    if let Some(note) = by_name_alone(images.by_name_alone()) {
        notes.say(format_args!("{}: {note}", shown(&args.file)));
    }
    let is_empty = matches!(&written, Written::Model(model) if model.is_empty);
    if !is_empty
        && args.has_images(form, asset.format())
        && let Some(note) = without_images(&images, texture.is_some())
    {
        notes.say(format_args!("{}: {note}", shown(&args.file)));
    }
    let undecoded = images.undecoded();
    if !undecoded.is_empty() {
        let count = count(undecoded.len() as u64, "images");
        notes.say(format_args!("{}: {count} cannot be decoded: {}", shown(&args.file), listed(&undecoded)));
    }
    if let Some(error) = around.failure() {
        lost.push(format!("not all images are found: {error}"));
    }
    if is_empty && !lost.is_empty() {
        return Err(Failure::at(&args.file, format_args!("nothing to export: {}", lost.join("; "))));
    }
    let mut out = Output::data(common)?;
    // Their size is bounded where they are built.
    match &written {
        Written::Model(model) => {
            common.results.read(model.byte_len());
            model.write_to(&mut out)?;
        }
        Written::Png { png, .. } => {
            common.results.read(png.len() as u64);
            out.write_all(png)?;
        }
    }
    out.flush()?;
    source.unchanged()?;
    if is_empty {
        notes.say(format_args!("{}: no triangles, nodes only", shown(&args.file)));
    }
    if let Written::Png { unsorted, .. } = written
        && unsorted > 0
    {
        let triangles = count(unsorted, "see-through triangles");
        notes.say(format_args!(
            "{}: {triangles} too many to sort: they are drawn in the order of the file",
            shown(&args.file)
        ));
    }
    if written.flaw() == Some(Flaw::Dark) {
        notes.error(format_args!("{}: {}", shown(&args.file), Flaw::Dark));
    }
    lost.iter().for_each(|lost| notes.error(format_args!("{}: {lost}", shown(&args.file))));
    Ok(if lost.is_empty() && is_config_whole { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Says how many images were found by their file names alone. The game does not find them.
pub(crate) fn by_name_alone(images: u64) -> Option<String> {
    if images == 0 {
        return None;
    }
    let images = count(images, "images");
    Some(format!("{images} found by file name alone; refs says that they are missing"))
}

/// Says why surfaces are plain, and how to change that.
fn without_images(images: &Images<'_, '_>, is_texture_given: bool) -> Option<String> {
    if images.are_unused() && !is_texture_given {
        return Some("no surface names an image; --texture FILE gives one".to_owned());
    }
    let missing = images.missing();
    if missing.is_empty() {
        return None;
    }
    let count = count(missing.len() as u64, "images");
    let names = listed(&missing);
    Some(format!("{count} not available: {names}; --textures DIR searches a folder, --texture NAME=FILE gives one"))
}

/// The bones of a `model.cfg` that move nothing, because the model has no selection of their name.
fn without_selection(rig: &Rig<'_>, selections: &Bones) -> Option<String> {
    let mut bones = Bones::default();
    bones.extend(rig.bones().iter().map(|bone| bone.name.to_string()));
    let names: Vec<&str> = bones.without(selections).collect();
    if names.is_empty() {
        return None;
    }
    let count = count(names.len() as u64, "bones");
    Some(format!("{count} without a selection of the model, left out of its skin: {}", listed(&names)))
}

/// The first names of a list, and the number of the others.
fn listed(names: &[&str]) -> String {
    let mut first = names.get(..MOST_NAMES).unwrap_or(names).join(", ");
    if names.len() > MOST_NAMES {
        first += &format!(" and {} more", names.len() - MOST_NAMES);
    }
    first
}

/// The bones and the animation of a plain RTM file.
fn rig<'a>(motion: &'a Asset<'a>, skeleton: Option<&Rig<'a>>) -> Result<Rig<'a>, Failure> {
    let wrong = || Failure::from("--motion needs a plain RTM animation");
    let Asset::Rtm(plain @ Motion::Plain(_)) = motion else { return Err(wrong()) };
    match skeleton {
        Some(skeleton) => Ok(Rig::with_skeleton(*plain, skeleton)),
        None => Ok(motion.rigs().pop().ok_or_else(wrong)??),
    }
}

/// The result of exporting a model or texture.
enum Written {
    Model(Model),
    Png {
        png: Vec<u8>,
        /// The number of parts that cannot be read.
        unreadable: u64,
        /// The number of see-through triangles in the order of the file.
        unsorted: u64,
        flaw: Option<Flaw>,
    },
}

impl Written {
    fn flaw(&self) -> Option<Flaw> {
        match self {
            Self::Model(_) => None,
            Self::Png { flaw, .. } => *flaw,
        }
    }

    /// The parts of the model that are missing from the result, and why.
    fn lost(&self, errors: &[Problem]) -> Vec<String> {
        let (unreadable, left_out) = match self {
            Self::Model(model) => (model.unreadable, model.left_out),
            Self::Png { unreadable, .. } => (*unreadable, 0),
        };
        let flaw = self.flaw().filter(|&flaw| flaw != Flaw::Dark);
        let mut lost: Vec<String> = flaw.iter().map(Flaw::to_string).collect();
        if left_out > 0 {
            lost.push(format!("{} left out with a corner that does not exist", count(left_out, "triangles")));
        }
        if unreadable > 0 {
            lost.push(format!("{} left out that cannot be read", count(unreadable, "parts")));
        }
        match errors {
            [] => {}
            [only] => lost.push(only.message.to_string()),
            [first, more @ ..] => {
                let more = count(more.len() as u64, "errors");
                lost.push(format!("{} (and {more} more; verify lists them)", first.message));
            }
        }
        lost
    }
}

/// The errors of an asset: the parts that an export lacks.
fn errors(asset: &Asset<'_>, depth: Depth, budget: &Budget) -> Vec<Problem> {
    let room = Reservation::new(budget);
    let mut problems = Problems::within(room.budget().clone());
    asset.survey(depth, &mut problems);
    problems.into_vec().into_iter().filter(|problem| problem.severity == Severity::Error).collect()
}

/// Returns true if a picture of the triangles of this format can be drawn.
pub(crate) fn is_drawn(format: Format) -> bool {
    format != Format::Paa && Form::Png.refused(format).is_none()
}
