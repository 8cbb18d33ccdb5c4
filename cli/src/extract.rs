//! `meshpeek extract`: members of archives as files.

mod folder;

use std::path::{Path, PathBuf};

use meshpeek::address::Address;
use meshpeek::container::{Container, Form, Member};
use meshpeek::scan::{FileId, Globs};
use meshpeek::summary::Name;
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget, Error, Format};

use crate::args::Common;
use crate::failure::{Failure, Outcome, status, without_name};
use crate::notes::Notes;
use crate::source::Source;
use crate::visible::shown;
use crate::{interrupt, report};
use folder::{Done, Folder};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Archives, their members, and globs for these: `mod.pbo`, `mod.pbo!/data/a.p3d`, `mods.zip!/*.pbo!/*.p3d`
    #[arg(value_name = "ADDRESS", required = true)]
    pub(crate) addresses: Vec<PathBuf>,
    /// Write all files directly into the folder, without the folders in their names
    #[arg(long)]
    flat: bool,
    /// Overwrite files
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let needs = "extract needs -o DIR, the folder to write into";
    let folder = common.output.as_deref().ok_or(needs)?;
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))?;
    let inputs = args.addresses.iter().filter_map(|text| FileId::of(&Address::parse(text).file).ok()).collect();
    let folder = Folder::new(folder, args.force, inputs, common);
    interrupt::can_go_on();
    let mut extraction = Extraction { args, common, folder, counts: [0; 4], reported: 0 };
    for address in &args.addresses {
        extraction.address(address)?;
    }
    extraction.finish()
}

struct Extraction<'c> {
    args: &'c Args,
    common: &'c Common,
    folder: Folder<'c>,
    /// Files written, files that exist already, files with another name than their member, members not written.
    counts: [u64; 4],
    /// Messages about single members.
    reported: u64,
}

/// A place in an archive.
struct Place<'p> {
    source: &'p Source<'p>,
    /// The address so far.
    text: String,
    /// The folder to write into, if a glob selected the archive.
    below: String,
    depth: u32,
    budget: &'p Budget,
}

impl Extraction<'_> {
    fn address(&mut self, text: &Path) -> Result<(), Failure> {
        let source = match Source::open_all(text, self.common) {
            Ok(source) => source,
            Err(error) => return self.lost(None, error),
        };
        let member = source.address.member.as_deref().map(|member| ByteStr::new(member).to_text_lossy());
        let levels: Vec<&str> =
            member.iter().flat_map(|text| text.split("!/")).filter(|level| !level.is_empty()).collect();
        let budget = Budget::new(source.bytes().len() as u64, &self.common.limits.limits());
        let file = source.address.file.clone();
        let place = Place { source: &source, text: shown(&file), below: String::new(), depth: 0, budget: &budget };
        self.inside(&place, &file, source.bytes(), &levels)?;
        source.unchanged()
    }

    /// Extracts from an archive with these bytes.
    fn inside(&mut self, place: &Place<'_>, name: &Path, bytes: &[u8], levels: &[&str]) -> Result<(), Failure> {
        let limits = self.common.limits.limits();
        let asset = place.budget.work(bytes.len() as u64).and_then(|()| Asset::parse_file(name, bytes, &limits));
        let container = asset.and_then(|asset| {
            let error = || Error::malformed(format!("{} is not an archive", asset.format().title()));
            Container::of(&asset).ok_or_else(error)
        });
        match container {
            Ok(container) => self.members(place, &container, levels),
            Err(error) => self.lost(Some(&place.text), error.into()),
        }
    }

    fn members(&mut self, place: &Place<'_>, container: &Container<'_>, levels: &[&str]) -> Result<(), Failure> {
        let Some((level, rest)) = levels.split_first() else {
            return self.each(place, container, None, &[]);
        };
        match named(container, level) {
            Ok(Some(member)) if rest.is_empty() && !is_archive(&member) => self.member(place, &member),
            Ok(Some(member)) => self.enter(place, &member, rest, false),
            Ok(None) if level.contains(['*', '?', '[']) => match Globs::of_members(&[(*level).to_owned()]) {
                Ok(globs) => self.each(place, container, Some(&globs), rest),
                Err(error) => self.lost(Some(&place.text), error.into()),
            },
            Ok(None) => {
                let nearest: Vec<String> =
                    container.nearest(level.as_bytes()).iter().map(ToString::to_string).collect();
                let hint =
                    if nearest.is_empty() { String::new() } else { format!("; nearest: {}", nearest.join(", ")) };
                let message = format!("no member {}{hint}", ByteStr::from(*level));
                self.lost(Some(&place.text), Failure::Message(message))
            }
            Err(error) => self.lost(Some(&place.text), error.into()),
        }
    }

    /// Extracts the members that a glob selects, or enters them if there are further levels.
    fn each(
        &mut self,
        place: &Place<'_>,
        container: &Container<'_>,
        globs: Option<&Globs>,
        rest: &[&str],
    ) -> Result<(), Failure> {
        let mut found = false;
        for member in container.members() {
            let is_wanted = |member: &Member<'_>| match globs {
                None => Ok(true),
                Some(globs) => {
                    let (name, bytes) = (member.name(), member.name().len() as u64);
                    let folders = name.as_bytes().iter().filter(|byte| matches!(byte, b'/' | b'\\')).count() as u64;
                    place.budget.work(bytes * (folders + 1)).map(|()| globs.matches(name))
                }
            };
            let member = place.budget.members(1).and(member).and_then(|member| Ok((member, is_wanted(&member)?)));
            let (member, is_wanted) = match member {
                Ok(member) => member,
                // The list cannot be read beyond this, or the budget is spent.
                Err(error) => return self.lost(Some(&place.text), error.into()),
            };
            if is_wanted && rest.is_empty() {
                found = true;
                self.member(place, &member)?;
            } else if is_wanted && is_archive(&member) {
                found = true;
                self.enter(place, &member, rest, true)?;
            }
        }
        match globs {
            Some(_) if !found => self.lost(Some(&place.text), "no member matches".into()),
            _ => Ok(()),
        }
    }

    /// Extracts from an archive in an archive.
    fn enter(&mut self, place: &Place<'_>, member: &Member<'_>, rest: &[&str], by_glob: bool) -> Result<(), Failure> {
        let text = inner_text(place, member);
        let depth = place.depth + 1;
        let limit = place.budget.limits().archive_depth;
        if depth > limit {
            let message = format!("more than {limit} archives inside each other; --max-archive-depth raises the limit");
            return self.lost(Some(&text), Failure::Message(message));
        }
        // The members that are written are checked, not the archive around them.
        match member.view(place.budget) {
            Ok(content) => {
                let mut below = place.below.clone();
                if by_glob {
                    below += &format!("{}/", member.name().to_escaped_path());
                }
                let inner = Place { text, below, depth, ..*place };
                let name = PathBuf::from(member.name().to_text_lossy());
                self.inside(&inner, &name, &content, rest)
            }
            Err(error) => self.lost(Some(&text), Failure::Message(without_name(&error, member.name()))),
        }
    }

    fn member(&mut self, place: &Place<'_>, member: &Member<'_>) -> Result<(), Failure> {
        let name = member.name();
        if member.is_link() {
            let message = match member.link_target(place.budget) {
                Ok(target) => format!("a symbolic link to {}", target.map(|target| target.text).unwrap_or_default()),
                Err(error) => without_name(&error, member.name()),
            };
            return self.lost(Some(&inner_text(place, member)), Failure::Message(message));
        }
        let path = match (self.args.flat, name.to_escaped_path()) {
            (true, path) => path.rsplit('/').next().unwrap_or_default().to_owned(),
            (false, path) => place.below.clone() + &path,
        };
        let path = self.folder.free(&path);
        let is_safe =
            name.to_relative_path().is_ok_and(|safe| path.ends_with(&safe) || self.args.flat && safe.ends_with(&path));
        let [written, existing, renamed, _] = &mut self.counts;
        match self.folder.write(&path, member, place.budget, || place.source.unchanged())? {
            Done::Written => *written += 1,
            Done::Exists => *existing += 1,
            Done::Lost(message) => return self.lost(Some(&inner_text(place, member)), Failure::Message(message)),
        }
        if !is_safe {
            *renamed += 1;
            if self.is_reported() {
                let (text, path) = (inner_text(place, member), ByteStr::from(path.as_str()));
                Notes::new(self.common).say(format_args!("{text}: the file is {path}"));
            }
        }
        Ok(())
    }

    /// Reports a failed extraction, and continues.
    fn lost(&mut self, text: Option<&str>, error: Failure) -> Result<(), Failure> {
        let Failure::Message(message) = error else { return Err(error) };
        let [.., lost] = &mut self.counts;
        *lost += 1;
        let message = text.map_or_else(|| message.clone(), |text| format!("{text}: {message}"));
        if self.is_reported() {
            Notes::new(self.common).error(message);
        }
        Ok(())
    }

    /// Counts a message, and returns false if there have been too many.
    fn is_reported(&mut self) -> bool {
        self.reported += 1;
        self.reported <= self.common.limits.limits().problems.into()
    }

    fn finish(self) -> Outcome {
        let [written, existing, renamed, lost] = self.counts;
        let notes = Notes::new(self.common);
        let more = self.reported.saturating_sub(self.common.limits.limits().problems.into());
        if more > 0 {
            notes.say(format_args!("and {} like these", report::count(more, "messages")));
        }
        let rest = [(existing, "already there"), (renamed, "under another name"), (lost, "not written")];
        let rest = rest.into_iter().filter(|(count, _)| *count > 0);
        let rest: String = rest.map(|(count, words)| format!(", {} {words}", report::grouped(count))).collect();
        notes.say(format_args!("{} written{rest}", report::count(written, "files")));
        Ok(status(written + existing, lost))
    }
}

/// The member with this name, which may end in `#` and a number.
pub(crate) fn named<'a>(container: &Container<'a>, name: &str) -> meshpeek::Result<Option<Member<'a>>> {
    let found = container.find(name.as_bytes(), 0)?;
    let numbered = || name.rsplit_once('#').and_then(|(name, number)| Some((name, number.parse().ok()?)));
    let found = match (found, numbered()) {
        (None, Some((name, number))) => container.find(name.as_bytes(), number)?,
        (found, _) => found,
    };
    Ok(found.map(|found| found.member))
}

/// Returns true if a member starts like an archive. A compressed one of a PBO has only its name to go by.
pub(crate) fn is_archive(member: &Member<'_>) -> bool {
    let is_archive = |format: Option<Format>| matches!(format, Some(Format::Pbo | Format::Zip));
    let named = || Format::from_extension(Path::new(&member.name().to_text_lossy()));
    match member.sniff() {
        Ok(None) if member.form() != Form::InPlace => is_archive(named()),
        Ok(None) => named() == Some(Format::Pbo),
        sniffed => sniffed.is_ok_and(is_archive),
    }
}

fn inner_text(place: &Place<'_>, member: &Member<'_>) -> String {
    format!("{}!/{}", place.text, ByteStr::from(Name::from(member.name()).text.as_str()))
}
