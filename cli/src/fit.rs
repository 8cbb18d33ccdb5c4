//! `meshpeek fit`: whether an animation fits the bones of models.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anstyle::Style;
use meshpeek::address::nearest;
use meshpeek::pose::Rig;
use meshpeek::summary::Severity;
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget};
use serde_json::json;

use crate::args::{Common, LineFormat};
use crate::failure::{Failure, Outcome, status};
use crate::notes::Notes;
use crate::output::Output;
use crate::report;
use crate::source::Source;
use crate::visible::shown;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The animation: RTM, or a Blitz3D or LODka3D model with one
    #[arg(value_name = "MOTION")]
    pub(crate) motion: PathBuf,
    /// The models with bones
    #[arg(value_name = "MODEL", required = true)]
    pub(crate) models: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

/// Names of bones in file order, each once whatever its case.
#[derive(Default)]
struct Bones {
    names: Vec<String>,
    folded: HashSet<String>,
    /// True for selections, which need not be bones.
    are_selections: bool,
}

impl Bones {
    fn add(&mut self, name: String) {
        if !name.is_empty() && self.folded.insert(name.to_lowercase()) {
            self.names.push(name);
        }
    }

    /// The names that others do not have.
    fn without<'b>(&'b self, others: &'b Self) -> impl Iterator<Item = &'b str> {
        self.names.iter().map(String::as_str).filter(|name| !others.folded.contains(&name.to_lowercase()))
    }

    /// The names that are most similar to this one, if the budget allows the search.
    fn nearest(&self, name: &str, budget: &Budget) -> Vec<String> {
        let letters: u64 = self.names.iter().map(|known| known.len() as u64 + 16).sum();
        match budget.work(letters.saturating_mul(name.len() as u64 + 16)) {
            Ok(()) => {
                let names = self.names.iter().map(|known| ByteStr::from(known.as_str()));
                nearest(names, name.as_bytes()).iter().map(ToString::to_string).collect()
            }
            Err(_) => Vec::new(),
        }
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let notes = Notes::new(common);
    let source = Source::open(&args.motion, common)?;
    let content = source.content(common)?;
    let moved = moved(&args.motion, &source.asset(&content)?)?;
    let mut out = Output::of(common, args.format == LineFormat::Text)?;
    let (mut fitting, mut missing, mut unread) = (0_u64, 0_u64, 0_u64);
    for model in &args.models {
        match with_model(args, model, &moved, &mut out, common) {
            Ok(0) => fitting += 1,
            Ok(_) => missing += 1,
            Err(Failure::Message(message)) => {
                notes.error(message);
                unread += 1;
            }
            Err(closed) => return Err(closed),
        }
    }
    out.flush()?;
    source.unchanged()?;
    let unreadable = if unread > 0 { format!(", {unread} unreadable") } else { String::new() };
    notes.say(format_args!(
        "{} moved; {} with every bone, {missing} without{unreadable}",
        report::count(moved.names.len() as u64, "bones"),
        report::count(fitting, "models"),
    ));
    Ok(status(fitting + missing, missing + unread))
}

/// The bones that an animation moves.
fn moved(path: &Path, asset: &Asset<'_>) -> Result<Bones, Failure> {
    let mut bones = Bones::default();
    let mut clips = 0_u64;
    for rig in asset.rigs() {
        let rig = rig.map_err(|error| error.in_file(path))?;
        for clip in rig.clips() {
            let clip = clip.map_err(|error| error.in_file(path))?;
            clips += 1;
            let names = clip.bones().iter().filter_map(|bone| rig.bones().get(*bone));
            names.for_each(|bone| bones.add(bone.name.to_string()));
        }
    }
    match clips {
        0 => Err(Failure::at(path, format_args!("{} without an animation", asset.format().title()))),
        _ => Ok(bones),
    }
}

/// The bones of a model. An MLOD has no skeleton: there, a bone moves the selection of its name.
fn bones(path: &Path, asset: &Asset<'_>) -> Result<Bones, Failure> {
    let mut bones = Bones::default();
    if let Asset::Mlod(model) = asset {
        bones.are_selections = true;
        for lod in model.lods() {
            let tags = lod.map_err(|error| error.in_file(path))?.tags;
            let selections = tags.iter().filter(|tag| tag.is_selection() && tag.proxy().is_none());
            selections.for_each(|tag| bones.add(tag.name.to_string()));
        }
    }
    let rigs: Vec<Rig<'_>> =
        asset.rigs().into_iter().collect::<meshpeek::Result<_>>().map_err(|error| error.in_file(path))?;
    rigs.iter().flat_map(Rig::bones).for_each(|bone| bones.add(bone.name.to_string()));
    match bones.names.is_empty() {
        true => Err(Failure::at(path, format_args!("{} without bones", asset.format().title()))),
        false => Ok(bones),
    }
}

/// Writes the bones that the model or the animation lacks. Returns how many the model lacks.
fn with_model(args: &Args, model: &Path, moved: &Bones, out: &mut Output, common: &Common) -> Result<u64, Failure> {
    let source = Source::open(model, common)?;
    let content = source.content(common)?;
    let bones = bones(model, &source.asset(&content)?)?;
    let missing: Vec<&str> = moved.without(&bones).collect();
    let is_text = args.format == LineFormat::Text;
    if is_text {
        writeln!(out, "{}", shown(model))?;
    }
    let lacking = missing.iter().map(|name| (*name, "missing", &bones));
    let unmoved = bones.without(moved).filter(|_| !bones.are_selections).map(|name| (name, "unmoved", moved));
    for (name, state, others) in lacking.chain(unmoved) {
        let nearest = others.nearest(name, content.budget());
        if is_text {
            row(name, state, &nearest, out)?;
        } else {
            out.json_line(&json!({
                "motion": shown(&args.motion), "model": shown(model), "bone": name, "state": state, "nearest": nearest
            }))?;
        }
    }
    source.unchanged()?;
    Ok(missing.len() as u64)
}

fn row(name: &str, state: &str, nearest: &[String], out: &mut Output) -> std::io::Result<()> {
    let style = if state == "missing" { report::style(Severity::Error) } else { Style::new() };
    let hint = if nearest.is_empty() { String::new() } else { format!("  nearest: {}", nearest.join(", ")) };
    writeln!(out, "  {style}{state}{style:#}  {name}{hint}")
}
