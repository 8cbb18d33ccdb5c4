//! `meshpeek fit`: whether an animation or a `model.cfg` fits the bones and selections of models.

use std::io::Write;
use std::path::{Path, PathBuf};

use anstyle::Style;
use meshpeek::inspect::Inspect as _;
use meshpeek::pose::{ModelCfg, ModelClass};
use meshpeek::summary::{Code, Severity};
use meshpeek::{Asset, Budget};
use serde_json::json;

use crate::args::{Common, LineFormat};
use crate::bones::Bones;
use crate::failure::{Failure, Outcome, status};
use crate::notes::Notes;
use crate::output::Output;
use crate::report;
use crate::source::Source;
use crate::visible::shown;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The animation: RTM, or a Blitz3D or LODka3D model with one; or a .p3d to check each `model.cfg` against
    #[arg(value_name = "MOTION")]
    pub(crate) motion: PathBuf,
    /// The models with bones, or `model.cfg` files with skeletons
    #[arg(value_name = "MODEL_OR_MODEL_CFG", required_unless_present = "bones")]
    pub(crate) models: Vec<PathBuf>,
    /// Further bones of each model and skeleton, separated by commas; alone, the bones to compare with
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    bones: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

/// What is compared with the models.
enum Subject {
    /// The bones that an animation moves.
    Motion(Bones),
    /// The selections of a model without an animation.
    Selections(Bones),
}

impl Subject {
    fn of(path: &Path, asset: &Asset<'_>) -> Result<Self, Failure> {
        let mut bones = Bones::default();
        let mut clips = 0_u64;
        for rig in asset.rigs() {
            let rig = rig.map_err(|error| error.in_file(path))?;
            for clip in rig.clips() {
                let clip = clip.map_err(|error| error.in_file(path))?;
                clips += 1;
                let moved = clip.bones().iter().filter_map(|bone| rig.bones().get(*bone));
                bones.extend(moved.map(|bone| bone.name.to_string()));
            }
        }
        if clips > 0 {
            return Ok(Self::Motion(bones));
        }
        if !matches!(asset, Asset::Mlod(_) | Asset::Odol(_)) {
            return Err(Failure::at(path, format_args!("{} without an animation", asset.format().title())));
        }
        Ok(Self::Selections(Bones::selections(path, asset)?))
    }
}

/// The bones of a model. An MLOD has no skeleton: there, a bone moves the selection of its name.
fn bones_of(path: &Path, asset: &Asset<'_>) -> Result<Bones, Failure> {
    let mut bones = Bones::default();
    if let Asset::Mlod(_) = asset {
        bones = Bones::selections(path, asset)?;
    }
    bones.is_lower = matches!(asset, Asset::Odol(_));
    for rig in asset.rigs() {
        let rig = rig.map_err(|error| error.in_file(path))?;
        bones.extend(rig.bones().iter().map(|bone| bone.name.to_string()));
    }
    if bones.names.is_empty() {
        return Err(Failure::at(path, format_args!("{} without bones", asset.format().title())));
    }
    Ok(bones)
}

/// The model or skeleton that rows are about.
#[derive(Clone, Copy)]
struct Place<'p> {
    model: Option<&'p Path>,
    /// A class of the `model.cfg`.
    class: Option<&'p str>,
    /// The budget that remains for the model's file.
    budget: &'p Budget,
}

/// A name and how it differs.
struct Row<'r> {
    /// What the name is for: a bone, or a section, selection or axis of a class.
    kind: &'r str,
    name: &'r str,
    state: &'r str,
    nearest: Vec<String>,
}

struct Fit<'a> {
    args: &'a Args,
    common: &'a Common,
    notes: Notes,
    out: Output,
    /// The number of models and skeletons with every name.
    fitting: u64,
    /// The number of those that lack one.
    missing: u64,
    /// The number of files and skeletons that could not be read, or only in part.
    unread: u64,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let notes = Notes::new(common);
    let source = Source::open(&args.motion, common)?;
    let content = source.content(common)?;
    let subject = Subject::of(&args.motion, &source.asset(&content)?)?;
    let out = Output::of(common, args.format == LineFormat::Text)?;
    let mut fit = Fit { args, common, notes, out, fitting: 0, missing: 0, unread: 0 };
    fit.report_cut(&args.motion, &source.asset(&content)?);
    if args.models.is_empty() {
        fit.names(&subject, content.budget())?;
    }
    for model in &args.models {
        match fit.model(model, &subject) {
            Ok(()) => {}
            Err(Failure::Message(message)) => fit.unread(message),
            Err(closed) => return Err(closed),
        }
    }
    fit.out.flush()?;
    source.unchanged()?;
    let unreadable = if fit.unread > 0 { format!(", {} unreadable", fit.unread) } else { String::new() };
    let fitting = report::count(fit.fitting, "models");
    let found = match &subject {
        Subject::Motion(bones) => {
            let bones = report::count(bones.names.len() as u64, "bones");
            format!("{bones} moved; {fitting} with every bone")
        }
        Subject::Selections(names) => {
            let selections = report::count(names.names.len() as u64, "selections");
            format!("{selections}; {fitting} with every name")
        }
    };
    notes.say(format_args!("{found}, {} without{unreadable}", fit.missing));
    Ok(status(fit.fitting + fit.missing, fit.missing + fit.unread))
}

impl Fit<'_> {
    /// Reports something that could not be read.
    fn unread(&mut self, message: impl std::fmt::Display) {
        self.notes.error(message);
        self.unread += 1;
    }

    /// Reports that bones or keys may be missing from a scene of Blitz3D that is cut. The bones of other formats are in a
    /// list that is read whole or not at all.
    fn report_cut(&mut self, path: &Path, asset: &Asset<'_>) {
        let Asset::B3d(_) = asset else { return };
        let summary = asset.summarize();
        let error = summary.problems.iter().find(|problem| problem.code == Code::Truncated);
        if let Some(error) = error {
            self.unread(format_args!("{}: cut, bones or keys may be missing: {}", shown(path), error.message));
        }
    }

    /// Compares an animation with the bones that the user names.
    fn names(&mut self, subject: &Subject, budget: &Budget) -> Result<(), Failure> {
        let Subject::Motion(moved) = subject else {
            return Err(Failure::at(&self.args.motion, "without an animation; --bones needs one"));
        };
        let mut bones = Bones::default();
        bones.extend(self.args.bones.iter().cloned());
        self.compare(Place { model: None, class: None, budget }, moved, &bones, true)
    }

    fn model(&mut self, path: &Path, subject: &Subject) -> Result<(), Failure> {
        let source = Source::open(path, self.common)?;
        let content = source.content(self.common)?;
        let place = Place { model: Some(path), class: None, budget: content.budget() };
        match (source.asset(&content), subject) {
            (Ok(Asset::Rap(_)), _) => self.config(place, path, &content, subject)?,
            (Ok(asset), Subject::Motion(moved)) => {
                let mut bones = bones_of(path, &asset)?;
                bones.extend(self.args.bones.iter().cloned());
                let has_skeleton = !matches!(asset, Asset::Mlod(_));
                self.compare(place, moved, &bones, has_skeleton)?;
                self.report_cut(path, &asset);
            }
            (Ok(_), Subject::Selections(_)) => {
                let why = "is without an animation, so that only a model.cfg can be checked against it";
                return Err(Failure::at(path, format_args!("{} {why}", shown(&self.args.motion))));
            }
            (Err(error), _) => {
                let is_config = match path.extension() {
                    Some(extension) => extension.eq_ignore_ascii_case("cfg"),
                    None => false,
                };
                if !is_config && ModelCfg::read(&content, content.budget()).is_err() {
                    return Err(error.into());
                }
                self.config(place, path, &content, subject)?;
            }
        }
        source.unchanged()
    }

    fn config(&mut self, place: Place<'_>, path: &Path, content: &[u8], subject: &Subject) -> Result<(), Failure> {
        let config = ModelCfg::read(content, place.budget).map_err(|error| error.in_file(path))?;
        for part in config.unread() {
            self.unread(format_args!("{}: {part}", shown(path)));
        }
        match subject {
            Subject::Motion(moved) => self.skeletons(place, path, &config, moved),
            Subject::Selections(selections) => self.class(place, path, &config, selections),
        }
    }

    /// Compares an animation with the skeleton that the `model.cfg` gives to it, else with each one.
    fn skeletons(
        &mut self,
        place: Place<'_>,
        path: &Path,
        config: &ModelCfg<'_, '_>,
        moved: &Bones,
    ) -> Result<(), Failure> {
        let stem = self.args.motion.file_stem().unwrap_or_default().to_string_lossy();
        let class = config.model(&stem).map_err(|error| error.in_file(path))?;
        let names: Vec<String> = match class {
            Some(ModelClass { skeleton: Some(own), .. }) => vec![own.to_string()],
            _ => config.skeleton_names().map(|name| name.to_string()).collect(),
        };
        let mut empty: Vec<&str> = Vec::new();
        for name in &names {
            let Some(bones) = self.skeleton(path, config, name) else { continue };
            if bones.names.is_empty() {
                empty.push(name);
                continue;
            }
            self.compare(Place { class: Some(name), ..place }, moved, &bones, true)?;
        }
        if empty.len() == names.len() {
            return Err(Failure::at(path, "no skeleton with bones"));
        }
        if !empty.is_empty() {
            let names = empty.join(", ");
            self.notes.say(format_args!("{}: left out, because they have no bones: {names}", shown(path)));
        }
        Ok(())
    }

    /// The bones of a skeleton and those that the user names. `None`, with a message, if they are not known.
    fn skeleton(&mut self, path: &Path, config: &ModelCfg<'_, '_>, name: &str) -> Option<Bones> {
        let skeleton = match config.skeleton(name) {
            Ok(skeleton) => skeleton,
            Err(error) => {
                self.unread(error.in_file(path));
                return None;
            }
        };
        for flaw in &skeleton.flaws {
            self.unread(format_args!("{}: {name}: {flaw}", shown(path)));
        }
        if let Some(base) = skeleton.base_elsewhere
            && self.args.bones.is_empty()
        {
            self.unread(format_args!(
                "{}: {name} inherits from {base}, which is not in the file; name its bones with --bones",
                shown(path)
            ));
            return None;
        }
        let mut bones = Bones::default();
        bones.extend(skeleton.bones.iter().map(|[name, _]| name.to_string()));
        if !bones.names.is_empty() || skeleton.base_elsewhere.is_some() {
            bones.extend(self.args.bones.iter().cloned());
        }
        Some(bones)
    }

    /// Compares what the class of a model asks for with the selections of the model.
    fn class(
        &mut self,
        place: Place<'_>,
        path: &Path,
        config: &ModelCfg<'_, '_>,
        selections: &Bones,
    ) -> Result<(), Failure> {
        let stem = self.args.motion.file_stem().unwrap_or_default().to_string_lossy();
        let Some(class) = config.model(&stem).map_err(|error| error.in_file(path))? else {
            return Err(Failure::at(path, format_args!("CfgModels has no class {stem}")));
        };
        let mut bones = Bones::default();
        if let Some(name) = class.skeleton {
            bones = self.skeleton(path, config, &name.to_string()).unwrap_or_default();
        }
        let mut sections = Bones::default();
        sections.extend(class.sections.iter().map(ToString::to_string));
        let mut moved = Bones::default();
        let mut axes = Bones::default();
        for animation in &class.animations {
            moved.extend(animation.selection.iter().map(ToString::to_string));
            axes.extend(animation.axes.iter().map(ToString::to_string));
        }
        let name = class.name.to_string();
        let place = Place { class: Some(&name), ..place };
        self.heading(place)?;
        let mut lacking = 0_u64;
        for (kind, names) in [("bone", bones), ("section", sections), ("selection", moved), ("axis", axes)] {
            for name in names.without(selections) {
                lacking += 1;
                let nearest = selections.nearest(name, place.budget);
                self.row(place, Row { kind, name, state: "missing", nearest })?;
            }
            self.respelled(place, kind, &names, selections)?;
        }
        self.count(lacking);
        Ok(())
    }

    /// Writes the bones that a model or the animation lacks.
    fn compare(&mut self, place: Place<'_>, moved: &Bones, bones: &Bones, has_skeleton: bool) -> Result<(), Failure> {
        self.heading(place)?;
        let mut lacking = 0_u64;
        for name in moved.without(bones) {
            lacking += 1;
            let nearest = bones.nearest(name, place.budget);
            self.row(place, Row { kind: "bone", name, state: "missing", nearest })?;
        }
        // Other selections need not be bones.
        if has_skeleton {
            for name in bones.without(moved) {
                let nearest = moved.nearest(name, place.budget);
                self.row(place, Row { kind: "bone", name, state: "unmoved", nearest })?;
            }
        }
        self.respelled(place, "bone", moved, bones)?;
        self.count(lacking);
        Ok(())
    }

    fn count(&mut self, lacking: u64) {
        if lacking > 0 {
            self.missing += 1;
        } else {
            self.fitting += 1;
        }
    }

    fn heading(&mut self, place: Place<'_>) -> Result<(), Failure> {
        if self.args.format != LineFormat::Text {
            return Ok(());
        }
        let model = match place.model {
            Some(model) => shown(model).to_string(),
            None => "--bones".to_owned(),
        };
        match place.class {
            Some(class) => writeln!(self.out, "{model}  {}", report::escape(class))?,
            None => writeln!(self.out, "{model}")?,
        }
        Ok(())
    }

    /// Writes the names that differ from others in case alone, if both are spelled as their author did.
    fn respelled(&mut self, place: Place<'_>, kind: &str, names: &Bones, others: &Bones) -> Result<(), Failure> {
        if names.is_lower || others.is_lower {
            return Ok(());
        }
        for name in &names.names {
            if let Some(other) = others.spelled(name)
                && other != name
            {
                self.row(place, Row { kind, name, state: "case", nearest: vec![other.to_owned()] })?;
            }
        }
        Ok(())
    }

    fn row(&mut self, place: Place<'_>, row: Row<'_>) -> Result<(), Failure> {
        let Row { kind, name, state, nearest } = row;
        if self.args.format != LineFormat::Text {
            return Ok(self.out.json_line(&json!({
                "motion": shown(&self.args.motion), "model": place.model.map(shown), "class": place.class,
                "kind": kind, "bone": name, "state": state, "nearest": nearest
            }))?);
        }
        let style = if state == "missing" { report::style(Severity::Error) } else { Style::new() };
        let kind = if kind == "bone" { String::new() } else { format!("{kind} ") };
        let name = report::escape(name);
        let hint = match nearest.as_slice() {
            [] => String::new(),
            [other] if state == "case" => format!("  is {} there", report::escape(other)),
            nearest => format!("  nearest: {}", report::escape(&nearest.join(", "))),
        };
        Ok(writeln!(self.out, "  {style}{state:<7}{style:#}  {kind}{name}{hint}")?)
    }
}
