//! Patterns for the names of members in addresses, such as `mod.pbo!/*.p3d`.

use std::path::{Path, PathBuf};

use meshpeek::address::{Address, MemberPath, Names};
use meshpeek::container::{Container, Member};
use meshpeek::scan::Globs;
use meshpeek::summary::Name;
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget};

use crate::args::Common;
use crate::extract::{is_archive, levels};
use crate::failure::Failure;
use crate::source::Source;
use crate::visible::shown;

/// The addresses that a message lists.
const MOST_LISTED: usize = 3;

/// Replaces each address that has a pattern by those of the members that match, in the order of their archive. An address
/// stays as it is if nothing matches: the verb then says what is wrong with it.
pub(crate) fn expand(paths: &mut Vec<PathBuf>, common: &Common) -> Result<(), Failure> {
    if !paths.iter().any(|path| has_pattern(path)) {
        return Ok(());
    }
    let mut all = Vec::new();
    for path in std::mem::take(paths) {
        let found = matching(&path, common)?;
        if found.is_empty() {
            all.push(path);
        }
        all.extend(found);
    }
    *paths = all;
    Ok(())
}

/// Replaces an address that has a pattern by that of the only member that matches.
///
/// # Errors
/// Returns an error if several match.
pub(crate) fn expand_one(path: &mut PathBuf, common: &Common) -> Result<(), Failure> {
    if !has_pattern(path) {
        return Ok(());
    }
    let mut found = matching(path, common)?;
    match found.len() {
        0 => {}
        1 => path.clone_from(&found.remove(0)),
        count => {
            let listed: Vec<String> = found.iter().take(MOST_LISTED).map(|path| shown(path)).collect();
            let more = if count > MOST_LISTED { ", ..." } else { "" };
            let message = format!("{count} members match, but only one can be read: {}{more}", listed.join(", "));
            return Err(Failure::at(path, message));
        }
    }
    Ok(())
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

fn matching(path: &Path, common: &Common) -> Result<Vec<PathBuf>, Failure> {
    let mut search = Search { found: Vec::new(), file: Address::parse(path).file };
    // The verb reports what does not open.
    let Ok(source) = Source::open_all(path, common) else { return Ok(search.found) };
    let levels = levels(&source.address);
    let budget = Budget::new(source.bytes().len() as u64, &common.limits.limits());
    let file = search.file.clone();
    search.inside(&Place { member: None, depth: 0, budget: &budget }, &file, source.bytes(), &levels)?;
    Ok(search.found)
}

struct Place<'p> {
    member: Option<&'p Name>,
    depth: u32,
    budget: &'p Budget,
}

struct Search {
    file: PathBuf,
    found: Vec<PathBuf>,
}

impl Search {
    fn inside(&mut self, place: &Place<'_>, name: &Path, bytes: &[u8], levels: &[String]) -> meshpeek::Result<()> {
        let Some((level, rest)) = levels.split_first() else { return Ok(()) };
        let limits = place.budget.limits();
        place.budget.charge_work(bytes.len() as u64)?;
        let Ok(asset) = Asset::parse_file(name, bytes, limits) else { return Ok(()) };
        let Some(container) = Container::of(&asset) else { return Ok(()) };
        if let Ok(Some(member)) = container.find_written(level) {
            let name = Name::from(ByteStr::from(level.as_str()));
            return self.member(place, &member, name, rest);
        }
        if !is_pattern(level) {
            return Ok(());
        }
        let globs = Globs::of_members(std::slice::from_ref(level))?;
        let mut names = Names::of(&container);
        // What is beyond an error in the list is not found here; the verb says so when it opens the archive.
        for member in container.members() {
            let Ok(member) = member else { break };
            let name = names.next(member.name());
            let own = member.name();
            let folders = own.as_bytes().iter().filter(|byte| matches!(byte, b'/' | b'\\')).count() as u64;
            place.budget.charge_members(1)?;
            place.budget.charge_work(own.len() as u64 * (folders + 1))?;
            if globs.matches(own) && !own.as_bytes().ends_with(b"/") {
                self.member(place, &member, name, rest)?;
            }
        }
        Ok(())
    }

    fn member(&mut self, place: &Place<'_>, member: &Member<'_>, name: Name, rest: &[String]) -> meshpeek::Result<()> {
        let name = MemberPath::join(place.member, name);
        if rest.is_empty() {
            place.budget.charge_output(name.text.len() as u64)?;
            self.found.push(MemberPath::join_path(&self.file, &name.text));
            return Ok(());
        }
        let depth = place.depth + 1;
        if depth > place.budget.limits().archive_depth || !is_archive(member) {
            return Ok(());
        }
        // The verb reports what cannot be decoded, if it is named without a pattern.
        let Ok(content) = member.view(place.budget) else { return Ok(()) };
        let inner = Place { member: Some(&name), depth, budget: place.budget };
        self.inside(&inner, &PathBuf::from(member.name().to_text_lossy()), &content, rest)
    }
}
