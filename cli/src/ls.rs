//! `meshpeek ls`: every file of folders and every member of archives.

use std::fs::Metadata;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use meshpeek::address::{MemberPath, Names};
use meshpeek::container::{Container, Form, Member};
use meshpeek::scan::{FileId, Globs, Stored, add_sort_key, time_text};
use meshpeek::summary::Name;
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget, Error, FileMap, Format};
use serde::Serialize;
use walkdir::WalkDir;

use crate::args::{Common, LineFormat, SortKey};
use crate::extract::is_archive;
use crate::failure::{Failure, Outcome, status, text_of};
use crate::notes::Notes;
use crate::output::{Output, json_line};
use crate::sorted::Sorter;
use crate::source::Source;
use crate::visible::shown;
use crate::{map, remote, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders with everything below them, archives, and members; `-` is standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Only names that match this pattern, in any case, written as in .gitignore; with `!` in front, only those that do not
    #[arg(short, long = "glob", value_name = "GLOB")]
    globs: Vec<String>,
    /// Collect all lines first and sort them by `path`, `bytes` or `time`; `-KEY` sorts downwards
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, value_parser = SortKey::of_files)]
    sort: Option<SortKey>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
    /// Write only addresses, each with a NUL after it, as `xargs -0` reads them
    #[arg(short = '0', long = "null")]
    null: bool,
    /// Do not look inside archives
    #[arg(long)]
    no_archives: bool,
    /// Descend at most N folders
    #[arg(long, value_name = "N")]
    folder_depth: Option<usize>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut listing = Listing::new(args, common)?;
    for path in &args.paths {
        listing.path(path)?;
    }
    listing.finish()
}

/// A file or a member.
struct Entry<'e> {
    path: &'e Path,
    member: Option<&'e Name>,
    bytes: u64,
    time: Option<String>,
    method: Option<String>,
    link: Option<Name>,
}

/// An entry as a line of JSON.
#[derive(Serialize)]
struct Row<'e> {
    address: String,
    path: String,
    member: Option<&'e str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lossy: bool,
    bytes: u64,
    time: Option<&'e str>,
    method: Option<&'e str>,
    link: Option<&'e str>,
}

#[derive(Clone, Copy)]
enum Shape {
    Text,
    Ndjson,
    Null,
}

/// An archive, or what may be one.
struct Place<'p> {
    path: &'p Path,
    member: Option<&'p Name>,
    /// The number of archives around it.
    depth: u32,
    budget: &'p Budget,
}

struct Listing<'c> {
    args: &'c Args,
    common: &'c Common,
    globs: Globs,
    /// Matches the archives that no pattern keeps closed.
    may_open: Globs,
    form: Shape,
    out: Output,
    sorter: Option<Sorter>,
    files: u64,
    /// The archives whose members are listed, nested ones too.
    archives: u64,
    members: u64,
    chosen: u64,
    failed: u64,
}

impl<'c> Listing<'c> {
    fn new(args: &'c Args, common: &'c Common) -> Result<Self, Failure> {
        let form = match args.format {
            _ if args.null => Shape::Null,
            LineFormat::Ndjson => Shape::Ndjson,
            LineFormat::Text => Shape::Text,
        };
        let exclusions: Vec<String> = args.globs.iter().filter(|glob| glob.starts_with('!')).cloned().collect();
        let mut sorter = None;
        if args.sort.is_some() {
            sorter = Some(Sorter::new(None, 1, common));
        }
        Ok(Self {
            args,
            common,
            globs: Globs::of_members(&args.globs)?,
            may_open: Globs::of_members(&exclusions)?,
            form,
            out: Output::of(common, matches!(form, Shape::Text))?,
            sorter,
            files: 0,
            archives: 0,
            members: 0,
            chosen: 0,
            failed: 0,
        })
    }

    fn path(&mut self, path: &Path) -> Result<(), Failure> {
        if !remote::is_url(path) && path.is_dir() {
            return self.folder(path);
        }
        match Source::open_all(path, self.common) {
            Ok(source) => self.named(&source),
            Err(error) => self.lost(error),
        }
    }

    /// Lists every file below a folder.
    fn folder(&mut self, root: &Path) -> Result<(), Failure> {
        let most = self.args.folder_depth.unwrap_or(usize::MAX);
        let walk = WalkDir::new(root).min_depth(1).max_depth(most).sort_by_file_name();
        for found in walk {
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    self.lost(failure(error, root))?;
                    continue;
                }
            };
            if found.file_type().is_dir() {
                continue;
            }
            if self.is_output(found.path()) {
                let path = shown(found.path());
                Notes::new(self.common).say(format_args!("{path}: skipped, because results are written to it"));
                continue;
            }
            let below = found.path().strip_prefix(root).unwrap_or(found.path());
            match found.metadata() {
                Ok(metadata) => self.file(found.path(), below, &metadata)?,
                Err(error) => self.lost(Failure::io(found.path(), error.into()))?,
            }
        }
        Ok(())
    }

    fn is_output(&self, path: &Path) -> bool {
        let Some(output) = &self.common.output_file else { return false };
        FileId::of(path).is_ok_and(|id| output.ids.contains(&id))
    }

    /// Lists a file of a folder, whose path below the folder is `below`, and what is inside it.
    fn file(&mut self, path: &Path, below: &Path, metadata: &Metadata) -> Result<(), Failure> {
        self.common.results.found();
        self.add_file(path, below, metadata)?;
        let name = ByteStr::new(below.as_os_str().as_encoded_bytes());
        if !metadata.is_file() || self.args.no_archives || !self.may_open.matches(name) {
            return Ok(());
        }
        let limits = self.common.limits.limits();
        let file = match FileMap::open_with(path, map::access(self.common), &limits) {
            Ok(file) => file,
            Err(error) => return self.lost(error.into()),
        };
        self.common.results.read(file.len() as u64);
        let budget = Budget::new(file.len() as u64, &limits);
        let place = Place { path, member: None, depth: 0, budget: &budget };
        self.inside(&place, path, &file)?;
        match file.unchanged() {
            Ok(()) => Ok(()),
            Err(error) => self.lost(error.in_file(path).into()),
        }
    }

    fn add_file(&mut self, path: &Path, name: &Path, metadata: &Metadata) -> Result<(), Failure> {
        self.files += 1;
        if !self.globs.matches(ByteStr::new(name.as_os_str().as_encoded_bytes())) {
            return Ok(());
        }
        let mut link = None;
        if metadata.is_symlink() {
            match path.read_link() {
                Ok(target) => link = Some(target.as_path().into()),
                Err(error) => self.lost(Failure::io(path, error))?,
            }
        }
        let mut time = None;
        if let Ok(modified) = metadata.modified() {
            time = in_seconds(modified);
        }
        self.put(&Entry { path, member: None, bytes: metadata.len(), time, method: None, link })
    }

    /// Lists what is inside a file or member that the caller named, or the file itself if it is no archive.
    fn named(&mut self, source: &Source<'_>) -> Result<(), Failure> {
        let opened = match source.member(self.common) {
            Ok(opened) => opened,
            Err(error) => return self.lost(error),
        };
        let path = &source.address.file;
        let name = match source.name.file_name() {
            Some(name) => Path::new(name),
            None => &source.name,
        };
        let budget = Budget::new(source.bytes().len() as u64, &self.common.limits.limits());
        let place = Place { path, member: opened.member.as_ref(), depth: opened.depth, budget: &budget };
        let mut is_archive = false;
        if !self.args.no_archives {
            match &opened.content {
                Ok(content) => is_archive = self.inside(&place, &source.name, content)?,
                Err(error) => self.lost(error.clone().in_file(source.text).into())?,
            }
        }
        if !is_archive {
            if let Some(member) = &opened.member
                && let Some(Stored { time, method, .. }) = opened.stored
            {
                self.members += 1;
                let member = Some(member);
                self.put(&Entry { path, member, bytes: opened.bytes, time, method: Some(method), link: None })?;
            } else if let Ok(metadata) = path.metadata() {
                self.add_file(path, name, &metadata)?;
            } else {
                // Standard input and URLs have no date here.
                self.files += 1;
                let bytes = opened.bytes;
                self.put(&Entry { path, member: None, bytes, time: None, method: None, link: None })?;
            }
        }
        match source.unchanged() {
            Err(error) => self.lost(error),
            Ok(()) => Ok(()),
        }
    }

    /// Lists the members of an archive with these bytes. Returns false if they are none.
    fn inside(&mut self, place: &Place<'_>, name: &Path, bytes: &[u8]) -> Result<bool, Failure> {
        if !matches!(Format::of_file(name, bytes), Some(Format::Pbo | Format::Zip)) {
            return Ok(false);
        }
        match parse(name, bytes, place.budget) {
            Ok(asset) => {
                if let Some(container) = Container::of(&asset) {
                    self.archives += 1;
                    self.each(place, &container)?;
                }
            }
            Err(error) => self.lost_in(place, &error)?,
        }
        Ok(true)
    }

    fn each(&mut self, place: &Place<'_>, container: &Container<'_>) -> Result<(), Failure> {
        let mut names = Names::of(container);
        let shared = container.overlapping();
        for (index, member) in container.members().enumerate() {
            let member = match counted(member, place.budget) {
                Ok(member) => member,
                // The list cannot be read beyond this.
                Err(error) => return self.lost_in(place, &error),
            };
            let name = MemberPath::join(place.member, names.next(member.name()));
            if let Err(error) = self.member(place, &name, &member, shared.binary_search(&index).is_ok())? {
                return self.lost_in(place, &error);
            }
        }
        match container.list_error() {
            Some(error) => self.lost_in(place, &error),
            None => Ok(()),
        }
    }

    /// Lists a member, and what is inside it. Returns the error of a spent budget.
    fn member(
        &mut self,
        place: &Place<'_>,
        name: &Name,
        member: &Member<'_>,
        is_shared: bool,
    ) -> Result<meshpeek::Result<()>, Failure> {
        self.members += 1;
        let budget = place.budget;
        let own = member.name();
        // A pattern is tried on the whole name, and on what follows each of its folders.
        if !self.args.globs.is_empty() {
            let folders = own.as_bytes().iter().filter(|byte| matches!(byte, b'/' | b'\\')).count() as u64;
            if let Err(error) = budget.charge_work(own.len() as u64 * (folders + 1)) {
                return Ok(Err(error));
            }
        }
        let inner = Place { path: place.path, member: Some(name), depth: place.depth + 1, budget };
        if self.globs.matches(own) {
            // The name is in the address and in the member.
            if let Err(error) = budget.charge_output(name.text.len() as u64 * 2) {
                return Ok(Err(error));
            }
            let link = match member.link_target(budget) {
                Ok(link) => link,
                Err(error) => {
                    self.lost_in(&inner, &error)?;
                    None
                }
            };
            let Stored { time, method, .. } = Stored::of(member);
            let bytes = member.decoded_byte_len_hint();
            self.put(&Entry { path: place.path, member: Some(name), bytes, time, method: Some(method), link })?;
        }
        if member.is_link() || !self.may_open.matches(own) {
            return Ok(Ok(()));
        }
        let work = if member.form() == Form::InPlace { LOOK } else { INFLATE };
        if let Err(error) = budget.charge_work(work) {
            return Ok(Err(error));
        }
        let name = PathBuf::from(own.to_text_lossy());
        let is_named = matches!(Format::from_extension(&name), Some(Format::Pbo | Format::Zip));
        // What is named like an archive and is none is reported.
        if is_named || is_archive(member) {
            self.enter(&inner, member, is_shared)?;
        }
        Ok(Ok(()))
    }

    /// Lists what is inside a member that may be an archive.
    fn enter(&mut self, place: &Place<'_>, member: &Member<'_>, is_shared: bool) -> Result<(), Failure> {
        if is_shared {
            let error = Error::malformed("shares bytes with another member, so what is inside is not listed");
            return self.lost_in(place, &error);
        }
        let most = place.budget.limits().archive_depth;
        if place.depth > most {
            let message = format!("more than {most} archives inside each other; --max-archive-depth raises the limit");
            return self.lost_in(place, &Error::malformed(message));
        }
        match member.view(place.budget) {
            Ok(content) => {
                let name = PathBuf::from(member.name().to_text_lossy());
                self.inside(place, &name, &content).map(drop)
            }
            Err(error) => self.lost_in(place, &error),
        }
    }

    fn put(&mut self, entry: &Entry<'_>) -> Result<(), Failure> {
        self.chosen += 1;
        let line = match self.form {
            Shape::Text => entry.text(),
            Shape::Ndjson => entry.json()?,
            Shape::Null => entry.raw(),
        };
        match (&mut self.sorter, &self.args.sort) {
            (Some(sorter), Some(by)) => Ok(sorter.push(&entry.key(by), &line)?),
            _ => Ok(self.out.write_all(&line)?),
        }
    }

    fn lost_in(&mut self, place: &Place<'_>, error: &Error) -> Result<(), Failure> {
        let path = Name::from(place.path);
        let address = report::address(&path.text, text(place.member));
        self.lost(Failure::Message(format!("{address}: {}", text_of(error))))
    }

    /// Reports what cannot be read, and continues.
    fn lost(&mut self, error: Failure) -> Result<(), Failure> {
        let Failure::Message(message) = error else { return Err(error) };
        self.failed += 1;
        if self.failed <= self.common.limits.limits().problems.into() {
            Notes::new(self.common).error(message);
        }
        Ok(())
    }

    /// Says how much is listed. An archive that the caller named is no file of the list.
    fn contents(&self) -> String {
        let members = report::count(self.members, "members");
        let inside = match self.archives {
            0 if self.members == 0 => return report::count(self.files, "files"),
            0 => members,
            archives => format!("{members} in {}", report::count(archives, "archives")),
        };
        if self.files == 0 { inside } else { format!("{}, {inside}", report::count(self.files, "files")) }
    }

    fn finish(mut self) -> Outcome {
        if let Some(sorter) = &mut self.sorter {
            while let Some((_, line)) = sorter.next()? {
                self.out.write_all(line)?;
            }
        }
        self.out.flush()?;
        let notes = Notes::new(self.common);
        let more = self.failed.saturating_sub(self.common.limits.limits().problems.into());
        if more > 0 {
            notes.error(format_args!("and {} like these", report::count(more, "messages")));
        }
        let mut summary = self.contents();
        if !self.args.globs.is_empty() {
            let all = self.files + self.members;
            summary += &format!("; {} of {} match", report::grouped(self.chosen), report::grouped(all));
        }
        if self.failed > 0 {
            summary += &format!(", {} unreadable", report::grouped(self.failed));
        }
        notes.say(summary);
        Ok(status(self.files + self.members, self.failed))
    }
}

/// The error of a walk through a folder.
fn failure(error: walkdir::Error, root: &Path) -> Failure {
    let path = error.path().unwrap_or(root).to_owned();
    let text = error.to_string();
    match error.into_io_error() {
        Some(error) => Failure::io(&path, error),
        None => Failure::io(&path, std::io::Error::other(text)),
    }
}

fn parse<'a>(name: &Path, bytes: &'a [u8], budget: &Budget) -> meshpeek::Result<Asset<'a>> {
    budget.charge_work(bytes.len() as u64)?;
    Asset::parse_file(name, bytes, budget.limits())
}

fn counted<'a>(member: meshpeek::Result<Member<'a>>, budget: &Budget) -> meshpeek::Result<Member<'a>> {
    let member = member?;
    budget.charge_members(1)?;
    Ok(member)
}

/// The text of a member's name.
fn text(name: Option<&Name>) -> Option<&str> {
    Some(&name?.text)
}

/// The cost of looking at a member, in bytes of work: at its entry, and at the beginning of a compressed one.
const LOOK: u64 = 256;
const INFLATE: u64 = 2048;

/// A time in UTC, in whole seconds.
fn in_seconds(time: SystemTime) -> Option<String> {
    let text = time_text(time)?;
    let (seconds, _) = text.split_once('.')?;
    Some(format!("{seconds}Z"))
}

impl Entry<'_> {
    fn text(&self) -> Vec<u8> {
        let path = Name::from(self.path);
        let address = report::address(&path.text, text(self.member));
        let bytes = report::grouped(self.bytes);
        let time = self.time.as_deref().unwrap_or("-");
        let method = self.method.as_deref().unwrap_or("-");
        let mut line = format!("{bytes:>14}  {time:<20}  {method:<8}  {address}");
        if let Some(link) = &self.link {
            line += &format!(" -> {}", report::escape(&link.text));
        }
        line.push('\n');
        line.into_bytes()
    }

    fn json(&self) -> Result<Vec<u8>, Failure> {
        let path = Name::from(self.path);
        let member = text(self.member);
        let is_lossy = |name: &Name| name.lossy;
        let lossy = path.lossy || self.member.is_some_and(is_lossy) || self.link.as_ref().is_some_and(is_lossy);
        let row = Row {
            address: MemberPath::join_text(&path.text, member),
            path: path.text,
            member,
            lossy,
            bytes: self.bytes,
            time: self.time.as_deref(),
            method: self.method.as_deref(),
            link: text(self.link.as_ref()),
        };
        Ok(json_line(&row, Vec::new())?)
    }

    /// The address as an argument of programs: a path has its own bytes.
    fn raw(&self) -> Vec<u8> {
        let mut line = self.path.as_os_str().as_encoded_bytes().to_vec();
        if let Some(member) = self.member {
            line.extend_from_slice(MemberPath::SEPARATOR.as_bytes());
            line.extend_from_slice(member.text.as_bytes());
        }
        line.push(0);
        line
    }

    fn key(&self, by: &SortKey) -> Vec<u8> {
        let mut key = Vec::new();
        match by.name.as_str() {
            "bytes" => key.extend(self.bytes.to_be_bytes()),
            // Without a time, they come last.
            "time" => match &self.time {
                Some(time) => {
                    key.extend(time.as_bytes());
                    key.push(0);
                }
                None => key.push(if by.is_downwards { 0 } else { 0xff }),
            },
            _ => add_sort_key(&mut key, self.path, text(self.member)),
        }
        if by.is_downwards {
            for byte in &mut key {
                *byte = !*byte;
            }
        }
        if by.name != "path" {
            add_sort_key(&mut key, self.path, text(self.member));
        }
        key
    }
}
