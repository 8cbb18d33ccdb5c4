//! Patterns for the names of members in addresses, such as `mod.pbo!/*.p3d`.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use meshpeek::address::{Address, MemberPath, Names};
use meshpeek::container::{Container, Member};
use meshpeek::scan::Globs;
use meshpeek::summary::Name;
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget};

use crate::args::Common;
use crate::extract::{is_archive, levels};
use crate::failure::{Failure, text_of, without_name};
use crate::notes::Notes;
use crate::source::Source;
use crate::visible::shown;

/// The addresses that a message lists.
const MOST_LISTED: usize = 3;

/// Replaces each address that has a pattern by those of the members that match, in the order of their archive. An address
/// stays as it is if nothing matches: the verb then says what is wrong with it. Returns false, and reports why, if other
/// members may match.
pub(crate) fn expand(paths: &mut Vec<PathBuf>, common: &Common) -> Result<bool, Failure> {
    if !paths.iter().any(|path| has_pattern(path)) {
        return Ok(true);
    }
    let mut is_complete = true;
    let mut all = Vec::new();
    for path in std::mem::take(paths) {
        let search = matching(&path, common)?;
        is_complete &= search.is_complete(common);
        if search.found.is_empty() {
            all.push(path);
        }
        all.extend(search.found);
    }
    *paths = all;
    Ok(is_complete)
}

/// Replaces an address that has a pattern by that of the only member that matches. Returns false, and reports why, if
/// other members may match.
///
/// # Errors
/// Returns an error if several match.
pub(crate) fn expand_one(path: &mut PathBuf, common: &Common) -> Result<bool, Failure> {
    if !has_pattern(path) {
        return Ok(true);
    }
    let mut search = matching(path, common)?;
    match search.found.len() {
        0 => Ok(search.is_complete(common)),
        1 => {
            path.clone_from(&search.found.remove(0));
            Ok(search.is_complete(common))
        }
        count => {
            let listed: Vec<String> = search.found.iter().take(MOST_LISTED).map(|path| shown(path)).collect();
            let more = if count > MOST_LISTED { ", ..." } else { "" };
            let message = format!("{count} members match, but only one can be read: {}{more}", listed.join(", "));
            Err(Failure::at(path, message))
        }
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn has_pattern(path: &Path) -> bool {
    // Most paths have neither, and need no look at the file system.
    let text = path.as_os_str().to_string_lossy();
    if MemberPath::new(&text).split_last().0.is_none() || !is_pattern(&text) {
        return false;
    }
    let member = Address::parse(path).member;
    member.is_some_and(|member| is_pattern(&ByteStr::new(&member).to_text_lossy()))
}

fn matching(path: &Path, common: &Common) -> Result<Search, Failure> {
    let mut search = Search { file: Address::parse(path).file, found: Vec::new(), unsearched: Vec::new() };
    // The verb reports what does not open.
    let Ok(source) = Source::open_all(path, common) else { return Ok(search) };
    let levels = levels(&source.address);
    let budget = Budget::new(source.bytes().len() as u64, &common.limits.limits());
    let file = search.file.clone();
    search.inside(&Place { member: None, depth: 0, budget: &budget }, &file, source.bytes(), &levels)?;
    Ok(search)
}

struct Place<'p> {
    member: Option<&'p Name>,
    depth: u32,
    budget: &'p Budget,
}

struct Search {
    file: PathBuf,
    found: Vec<PathBuf>,
    /// Why archives could not be searched to their ends, with their addresses.
    unsearched: Vec<String>,
}

impl Search {
    /// Returns true if all archives were searched to their ends. Otherwise reports those that were not.
    fn is_complete(&self, common: &Common) -> bool {
        for message in &self.unsearched {
            Notes::new(common).error(format_args!("{message}; other members may match"));
        }
        self.unsearched.is_empty()
    }

    /// Notes that the archive at a place was not searched to its end.
    fn note_unsearched(&mut self, place: &Place<'_>, why: impl Display) -> meshpeek::Result<()> {
        let archive = match place.member {
            Some(member) => MemberPath::join_path(&self.file, &member.text),
            None => self.file.clone(),
        };
        let message = format!("{}: {}", shown(&archive), why);
        place.budget.charge_output(message.len() as u64)?;
        self.unsearched.push(message);
        Ok(())
    }

    fn inside(&mut self, place: &Place<'_>, name: &Path, bytes: &[u8], levels: &[String]) -> meshpeek::Result<()> {
        let Some((level, rest)) = levels.split_first() else { return Ok(()) };
        let limits = place.budget.limits();
        place.budget.charge_work(bytes.len() as u64)?;
        let asset = match Asset::parse_file(name, bytes, limits) {
            Ok(asset) => asset,
            // The verb reports a file that does not open.
            Err(_) if place.depth == 0 => return Ok(()),
            Err(error) => return self.note_unsearched(place, text_of(&error)),
        };
        let Some(container) = Container::of(&asset) else { return Ok(()) };
        match container.find_written(level) {
            Ok(Some(member)) => {
                let name = Name::from(ByteStr::from(level.as_str()));
                return self.member(place, &member, name, rest);
            }
            Err(error) if !is_pattern(level) => return self.note_unsearched(place, text_of(&error)),
            Ok(None) if !is_pattern(level) => return self.note_end(place, &container),
            _ => {}
        }
        let globs = Globs::of_members(std::slice::from_ref(level))?;
        let mut names = Names::of(&container);
        for member in container.members() {
            let member = match member {
                Ok(member) => member,
                Err(error) => return self.note_unsearched(place, text_of(&error)),
            };
            let name = names.next(member.name());
            let own = member.name();
            let folders = own.as_bytes().iter().filter(|byte| matches!(byte, b'/' | b'\\')).count() as u64;
            place.budget.charge_members(1)?;
            place.budget.charge_work(own.len() as u64 * (folders + 1))?;
            if globs.matches(own) && !own.as_bytes().ends_with(b"/") {
                self.member(place, &member, name, rest)?;
            }
        }
        self.note_end(place, &container)
    }

    /// Notes that an archive lacks members, if its list says so.
    fn note_end(&mut self, place: &Place<'_>, container: &Container<'_>) -> meshpeek::Result<()> {
        match container.list_error() {
            Some(error) => self.note_unsearched(place, text_of(&error)),
            None => Ok(()),
        }
    }

    fn member(&mut self, place: &Place<'_>, member: &Member<'_>, name: Name, rest: &[String]) -> meshpeek::Result<()> {
        let name = MemberPath::join(place.member, name);
        if rest.is_empty() {
            place.budget.charge_output(name.text.len() as u64)?;
            self.found.push(MemberPath::join_path(&self.file, &name.text));
            return Ok(());
        }
        if !is_archive(member) {
            return Ok(());
        }
        let inner = Place { member: Some(&name), depth: place.depth + 1, budget: place.budget };
        let most = place.budget.limits().archive_depth;
        if inner.depth > most {
            let message = format!("more than {most} archives inside each other; --max-archive-depth raises the limit");
            return self.note_unsearched(&inner, message);
        }
        match member.view(place.budget) {
            Ok(content) => self.inside(&inner, &PathBuf::from(member.name().to_text_lossy()), &content, rest),
            Err(error) => self.note_unsearched(&inner, without_name(&error, member.name())),
        }
    }
}
