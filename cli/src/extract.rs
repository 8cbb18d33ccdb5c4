//! `meshpeek extract`: members of archives as files.

mod folder;

use std::path::{Path, PathBuf};

use meshpeek::address::{Address, MemberPath};
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
    let Some(folder) = common.output.as_deref() else {
        return Err("extract needs -o DIR, the folder to write into".into());
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))?;
    let mut inputs = Vec::new();
    for text in &args.addresses {
        if let Ok(id) = FileId::of(&Address::parse(text).file) {
            inputs.push(id);
        }
    }
    let folder = Folder::new(folder, args.force, inputs, common);
    interrupt::can_go_on();
    let mut extraction = Extraction { args, common, folder, counts: Counts::default(), reported: 0 };
    for address in &args.addresses {
        extraction.address(address)?;
    }
    extraction.finish()
}

struct Extraction<'c> {
    args: &'c Args,
    common: &'c Common,
    folder: Folder<'c>,
    counts: Counts,
    /// Messages about single members.
    reported: u64,
}

#[derive(Default)]
struct Counts {
    /// Files written.
    written: u64,
    /// Files that exist already.
    existing: u64,
    /// Files with another name than their member.
    renamed: u64,
    /// Members not written.
    lost: u64,
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
        let levels = levels(&source.address);
        let budget = Budget::new(source.bytes().len() as u64, &self.common.limits.limits());
        let file = source.address.file.clone();
        let place = Place { source: &source, text: shown(&file), below: String::new(), depth: 0, budget: &budget };
        self.inside(&place, &file, source.bytes(), &levels)?;
        source.unchanged()
    }

    /// Extracts from an archive with these bytes.
    fn inside(&mut self, place: &Place<'_>, name: &Path, bytes: &[u8], levels: &[String]) -> Result<(), Failure> {
        match self.open(place, name, bytes) {
            Ok(container) => self.members(place, &container, levels),
            Err(error) => self.lost(Some(&place.text), error.into()),
        }
    }

    fn open<'b>(&self, place: &Place<'_>, name: &Path, bytes: &'b [u8]) -> meshpeek::Result<Container<'b>> {
        place.budget.charge_work(bytes.len() as u64)?;
        let asset = Asset::parse_file(name, bytes, &self.common.limits.limits())?;
        match Container::of(&asset) {
            Some(container) => Ok(container),
            None => Err(Error::malformed(format!("{} is not an archive", asset.format().title()))),
        }
    }

    fn members(&mut self, place: &Place<'_>, container: &Container<'_>, levels: &[String]) -> Result<(), Failure> {
        let Some((level, rest)) = levels.split_first() else {
            return self.each(place, container, None, &[]);
        };
        match container.find_written(level) {
            Ok(Some(member)) if rest.is_empty() && !is_archive(&member) => self.member(place, &member),
            Ok(Some(member)) => self.enter(place, &member, rest, false),
            Ok(None) if level.contains(['*', '?', '[']) => match Globs::of_members(&[(*level).to_owned()]) {
                Ok(globs) => self.each(place, container, Some(&globs), rest),
                Err(error) => self.lost(Some(&place.text), error.into()),
            },
            Ok(None) => self.lost(Some(&place.text), Failure::Message(no_member(container, level))),
            Err(error) => self.lost(Some(&place.text), error.into()),
        }
    }

    /// Extracts the members that a glob selects, or enters them if there are further levels.
    fn each(
        &mut self,
        place: &Place<'_>,
        container: &Container<'_>,
        globs: Option<&Globs>,
        rest: &[String],
    ) -> Result<(), Failure> {
        let mut found = false;
        for member in container.members() {
            let member = match wanted(member, globs, place.budget) {
                Ok(Some(member)) => member,
                Ok(None) => continue,
                // The list cannot be read beyond this, or the budget is spent.
                Err(error) => return self.lost(Some(&place.text), error.into()),
            };
            if rest.is_empty() {
                found = true;
                self.member(place, &member)?;
            } else if is_archive(&member) {
                found = true;
                self.enter(place, &member, rest, true)?;
            }
        }
        if let Some(error) = container.list_error() {
            self.lost(Some(&place.text), error.into())?;
        }
        if globs.is_some() && !found {
            return self.lost(Some(&place.text), "no member matches".into());
        }
        Ok(())
    }

    /// Extracts from an archive in an archive.
    fn enter(&mut self, place: &Place<'_>, member: &Member<'_>, rest: &[String], by_glob: bool) -> Result<(), Failure> {
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
                Ok(Some(target)) => format!("a symbolic link to {}", target.text),
                Ok(None) => "a symbolic link to ".to_owned(),
                Err(error) => without_name(&error, member.name()),
            };
            return self.lost(Some(&inner_text(place, member)), Failure::Message(message));
        }
        let path = name.to_escaped_path();
        let path = if self.args.flat {
            path.rsplit('/').next().unwrap_or_default().to_owned()
        } else {
            place.below.clone() + &path
        };
        let path = self.folder.free(&path);
        let is_renamed = match name.to_relative_path() {
            Ok(own) if self.args.flat => !path.ends_with(&own) && !own.ends_with(&path),
            Ok(own) => !path.ends_with(&own),
            Err(_) => true,
        };
        match self.folder.write(&path, member, place.budget, || place.source.unchanged())? {
            Done::Written => self.counts.written += 1,
            Done::Exists => self.counts.existing += 1,
            Done::Lost(message) => return self.lost(Some(&inner_text(place, member)), Failure::Message(message)),
        }
        if is_renamed {
            self.counts.renamed += 1;
            if self.is_reported() {
                let text = inner_text(place, member);
                let path = ByteStr::from(path.as_str());
                Notes::new(self.common).say(format_args!("{text}: the file is {path}"));
            }
        }
        Ok(())
    }

    /// Reports a failed extraction, and continues.
    fn lost(&mut self, text: Option<&str>, error: Failure) -> Result<(), Failure> {
        let Failure::Message(message) = error else { return Err(error) };
        self.counts.lost += 1;
        if self.is_reported() {
            let notes = Notes::new(self.common);
            match text {
                Some(text) => notes.error(format_args!("{text}: {message}")),
                None => notes.error(message),
            }
        }
        Ok(())
    }

    /// Counts a message, and returns false if there have been too many.
    fn is_reported(&mut self) -> bool {
        self.reported += 1;
        self.reported <= self.common.limits.limits().problems.into()
    }

    fn finish(self) -> Outcome {
        let Counts { written, existing, renamed, lost } = self.counts;
        let notes = Notes::new(self.common);
        let more = self.reported.saturating_sub(self.common.limits.limits().problems.into());
        if more > 0 {
            notes.say(format_args!("and {} like these", report::count(more, "messages")));
        }
        let mut text = format!("{} written", report::count(written, "files"));
        for (count, words) in [(existing, "already there"), (renamed, "under another name"), (lost, "not written")] {
            if count > 0 {
                text += &format!(", {} {words}", report::grouped(count));
            }
        }
        notes.say(text);
        Ok(status(written + existing, lost))
    }
}

/// The message for a name that no member has, with the nearest names.
fn no_member(container: &Container<'_>, name: &str) -> String {
    let nearest: Vec<String> = container.nearest(name.as_bytes()).iter().map(ToString::to_string).collect();
    let name = ByteStr::from(name);
    if nearest.is_empty() {
        return format!("no member {name}");
    }
    format!("no member {name}; nearest: {}", nearest.join(", "))
}

/// Charges for a member of the list. Returns it if a glob selects it, or if there are no globs.
fn wanted<'a>(
    member: meshpeek::Result<Member<'a>>,
    globs: Option<&Globs>,
    budget: &Budget,
) -> meshpeek::Result<Option<Member<'a>>> {
    budget.charge_members(1)?;
    let member = member?;
    if let Some(globs) = globs {
        let name = member.name();
        let folders = name.as_bytes().iter().filter(|byte| matches!(byte, b'/' | b'\\')).count() as u64;
        budget.charge_work(name.len() as u64 * (folders + 1))?;
        if !globs.matches(name) {
            return Ok(None);
        }
    }
    Ok(Some(member))
}

/// The names of an address after the file, from the outermost.
pub(crate) fn levels(address: &Address) -> Vec<String> {
    let mut levels = Vec::new();
    if let Some(member) = &address.member {
        for level in MemberPath::new(&ByteStr::new(member).to_text_lossy()).names() {
            if !level.is_empty() {
                levels.push(level.to_owned());
            }
        }
    }
    levels
}

/// Returns true if a member starts like an archive. A compressed one of a PBO, and one whose beginning cannot be read,
/// have only their names to go by.
pub(crate) fn is_archive(member: &Member<'_>) -> bool {
    let name = member.name().to_text_lossy();
    let by_name = Format::from_extension(Path::new(&name));
    match member.sniff() {
        Ok(Some(format)) => matches!(format, Format::Pbo | Format::Zip),
        Ok(None) => match by_name {
            Some(Format::Pbo) => true,
            Some(Format::Zip) => member.form() != Form::InPlace,
            _ => false,
        },
        Err(_) => matches!(by_name, Some(Format::Pbo | Format::Zip)),
    }
}

fn inner_text(place: &Place<'_>, member: &Member<'_>) -> String {
    let name = Name::from(member.name()).text;
    MemberPath::join_text(&place.text, Some(&ByteStr::from(name.as_str()).to_string()))
}
