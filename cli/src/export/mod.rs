//! `meshpeek export`: writes a model in a format of other programs, a model or texture as a picture, or a config in its
//! other form.

mod args;
mod around;
mod config;
mod decode;
mod file_format;
mod images;
mod rig;
mod texture;
mod words;
mod written;

use std::fmt::Display;
use std::process::ExitCode;

use meshpeek::address::Content;
use meshpeek::answers::refs;
use meshpeek::budget::Reservation;
use meshpeek::export::{self, Edges, FileFormat, Flaw, Options, Picture, View};
use meshpeek::inspect::Depth;
use meshpeek::pose::{ModelCfg, Rig};
use meshpeek::{Asset, Budget};

use self::file_format::{file_format, thumbnail_format};
use self::words::{lost_images, without_images};
use self::written::Written;
use crate::args::Common;
use crate::bones::Bones;
use crate::failure::{Failure, Outcome, text_of};
use crate::input;
use crate::notes::Notes;
use crate::report::count;
use crate::source::Source;
use crate::visible::shown;
pub(crate) use args::Args;
pub(crate) use around::Around;
pub(crate) use file_format::is_drawn;
pub(crate) use images::Images;
pub(crate) use words::by_name_alone;

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    if !args.pixels.thumbnail
        && let Some(form) = config::Form::of_output(common)
    {
        return config::run(form, args, common);
    }
    let form = if args.pixels.thumbnail { thumbnail_format(common)? } else { file_format(common)? };
    let source = Source::open_all(&args.file, common)?;
    let (content, member) = source.checked_member(common)?;
    let content = content?;
    let asset = source.asset(&content)?;
    args.check(form, &asset)?;
    let given = args.given()?;
    let motion = rig::open(args.motion.as_deref(), common)?;
    let motion_content = rig::content(motion.as_ref(), common)?;
    let mut motion_asset = None;
    if let (Some(motion), Some(content)) = (&motion, &motion_content) {
        motion_asset = Some(motion.asset(content)?);
    }
    let model_cfg = rig::open(args.model_cfg.as_deref(), common)?;
    let config_content = rig::content(model_cfg.as_ref(), common)?;
    let notes = Notes::new(common);
    let export = Export { args, form, source: &source, asset: &asset, notes };
    let mut is_config_whole = true;
    let mut rig = None;
    if let (Some(config), Some(content)) = (&model_cfg, &config_content) {
        let skeleton = export.skeleton(config, content)?;
        is_config_whole = skeleton.is_whole;
        rig = Some(skeleton.rig);
    }
    if let Some(motion) = &motion_asset {
        rig = Some(rig::rig(motion, rig.as_ref())?);
    }
    let scan = input::scan_whole(&[], None, common)?;
    let around = Around::of_model(&scan, args.textures.as_deref(), &source.address, source.bytes());
    let model = refs::Model::new(&source.address.file, member.as_ref(), asset.format());
    let mut images = Images::of(&asset, model, &around, given.files);
    // The pixels of a texture are decoded below, and thumbnails are drawn for a folder that a person looks at.
    let is_for_a_look = matches!(asset, Asset::Paa(_)) || args.pixels.thumbnail;
    let depth = if is_for_a_look { Depth::Summary } else { Depth::Verify };
    let errors = written::errors(&asset, depth, content.budget());
    let options = export.options(given.without_name.as_deref(), rig.as_ref());
    let written = export.build(&options, &mut images, content.budget());
    let written = written.map_err(|error| error.in_file(&args.file))?;
    let mut lost = written.lost(&errors);
    lost.extend(lost_images(&images));
    export.say_of_images(&images, &written, given.without_name.is_some());
    if let Some(error) = around.failure() {
        lost.push(format!("not all images are found: {}", text_of(error)));
    }
    if written.is_empty() && !lost.is_empty() {
        return Err(Failure::at(&args.file, format_args!("nothing to export: {}", lost.join("; "))));
    }
    let in_vain = words::given_in_vain(&images, args.has_images(form, asset.format()));
    written.save(common)?;
    source.unchanged()?;
    export.say_of_flaws(&written, &lost);
    for given in &in_vain {
        export.error(given);
    }
    Ok(if lost.is_empty() && in_vain.is_empty() && is_config_whole { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The skeleton that a `model.cfg` gives.
struct Skeleton<'a> {
    rig: Rig<'a>,
    /// False if parts of the file were not read.
    is_whole: bool,
}

/// The export of one asset.
struct Export<'a> {
    args: &'a Args,
    form: FileFormat,
    source: &'a Source<'a>,
    asset: &'a Asset<'a>,
    notes: Notes,
}

impl<'a> Export<'a> {
    fn say(&self, message: impl Display) {
        self.notes.say(format_args!("{}: {message}", shown(&self.args.file)));
    }

    fn error(&self, message: impl Display) {
        self.notes.error(format_args!("{}: {message}", shown(&self.args.file)));
    }

    /// Reads the skeleton of the model from a `model.cfg`, and reports what cannot be read.
    fn skeleton<'c>(&self, config: &Source<'_>, content: &'c Content<'_>) -> Result<Skeleton<'c>, Failure> {
        let name = self.source.name.file_stem().unwrap_or_default().to_string_lossy();
        let read = ModelCfg::read(content, content.budget()).map_err(|error| error.in_file(&config.name))?;
        let rig = read.rig(&name);
        // What is not read may be why there is no skeleton.
        let mut flaws = read.unread();
        if rig.is_ok() {
            flaws.extend(read.skeleton_of_model(&name)?.flaws);
        }
        for flaw in &flaws {
            self.notes.error(format_args!("{}: {flaw}", shown(&config.name)));
        }
        let rig = rig.map_err(|error| error.in_file(&config.name))?;
        if let Asset::Mlod(_) = self.asset {
            let selections = Bones::selections(&self.args.file, self.asset)?;
            if let Some(bones) = rig::without_selection(&rig, &selections) {
                self.say(bones);
            }
        }
        Ok(Skeleton { rig, is_whole: flaws.is_empty() })
    }

    fn options<'o>(&self, texture: Option<&'o str>, rig: Option<&'o Rig<'o>>) -> Options<'o>
    where
        'a: 'o,
    {
        let mut options = Options::default();
        options.space.mirror = self.args.mirror;
        options.space.up = self.args.up;
        options.space.scale = self.args.scale;
        options.clip = self.args.clip.as_deref();
        options.fps = self.args.fps;
        options.lod = self.args.lod.unwrap_or_default();
        // In a format without images, a surface would name a material that the file does not have.
        if self.args.has_images(self.form, self.asset.format()) {
            options.texture = texture;
        }
        options.rig = rig;
        options
    }

    /// Builds the model or the picture.
    fn build(&self, options: &Options<'_>, images: &mut Images<'_, '_>, budget: &Budget) -> meshpeek::Result<Written> {
        match (self.form, self.asset) {
            (FileFormat::Glb, asset) => Ok(Written::Model(export::glb(asset, options, images, budget)?)),
            (FileFormat::Obj, asset) => Ok(Written::Model(export::obj(asset, options, budget)?)),
            (FileFormat::Ply, asset) => Ok(Written::Model(export::ply(asset, options, budget)?)),
            (FileFormat::Png, Asset::Paa(texture)) => {
                let png = texture::to_png(texture, &self.args.pixels, self.args.size, &Reservation::new(budget))?;
                Ok(Written::Png { png, unreadable: 0, unsorted: 0, flaw: None })
            }
            (FileFormat::Png, _) => self.draw(options, images, budget),
        }
    }

    fn draw(&self, options: &Options<'_>, images: &mut Images<'_, '_>, budget: &Budget) -> meshpeek::Result<Written> {
        let mut view = View::default();
        view.size = self.args.size;
        view.eye = self.args.view;
        view.time = self.args.time;
        view.clip = options.clip;
        view.lod = options.lod;
        view.texture = options.texture;
        view.transparent = self.args.transparent;
        view.wireframe = self.args.wireframe;
        view.edges = Edges::Sampled;
        let picture = export::picture(self.asset, &view, images, budget)?;
        let mut png = Vec::new();
        picture.write_png(&mut png)?;
        let Picture { unreadable, unsorted, flaw, .. } = picture;
        Ok(Written::Png { png, unreadable, unsorted, flaw })
    }

    /// Says which images were not found, or are others than those of the game.
    fn say_of_images(&self, images: &Images<'_, '_>, written: &Written, is_texture_given: bool) {
        if let Some(note) = by_name_alone(images.by_name_alone()) {
            self.say(note);
        }
        if !written.is_empty()
            && self.args.has_images(self.form, self.asset.format())
            && let Some(note) = without_images(images, is_texture_given)
        {
            self.say(note);
        }
    }

    /// Reports what the result lacks.
    fn say_of_flaws(&self, written: &Written, lost: &[String]) {
        if written.is_empty() {
            self.say("no triangles, nodes only");
        }
        if let Written::Png { unsorted, .. } = *written
            && unsorted > 0
        {
            let triangles = count(unsorted, "see-through triangles");
            self.say(format_args!("{triangles} too many to sort: they are drawn in the order of the file"));
        }
        if written.flaw() == Some(Flaw::Dark) {
            self.error(Flaw::Dark);
        }
        for lost in lost {
            self.error(lost);
        }
    }
}
