//! Assets with references, and the files that each of these means.

use std::cmp::Ordering;
use std::hash::{BuildHasher, DefaultHasher, Hasher};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::configs::{Ask, Copies, Home};
use super::index::{Index, find, find_or_instead};
use super::keys::{Key, address, after, key, last, name_of};
use super::link::{Meant, Resolved, State};
use super::lua::is_lua;
use super::prefix::{Prefixes, below, folded, text};
use crate::asset::address::unnumbered;
use crate::base::error::Result;
use crate::base::text::Name;
use crate::scan::order::by_bytes;

/// An asset with references.
pub(super) struct Asker {
    pub(super) path: Arc<Path>,
    pub(super) member: Option<Name>,
    /// True if its names are those of the game's file system.
    pub(super) in_game: bool,
    /// True if its references come after that of an asset or config that asks for it.
    pub(super) is_followed: bool,
    /// True if it means nothing by itself.
    pub(super) is_included: bool,
    pub(super) asks: Vec<Ask>,
    /// Its location in the game, for macros and includes.
    pub(super) home: Home,
    pub(super) copies: Option<Copies>,
    /// The names of the images inside the asset, sorted.
    pub(super) inside: Vec<Key>,
    /// The files next to it, once a reference asks for one.
    pub(super) beside: OnceLock<Box<Beside>>,
}

/// The beginnings of the keys of files that are in one folder.
pub(super) struct Beside {
    /// The folder in the file system, or the archive.
    place: Key,
    /// The folder in the archive.
    folder: DefaultHasher,
}

impl Asker {
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by_path =
            if Arc::ptr_eq(&self.path, &other.path) { Ordering::Equal } else { by_bytes(&self.path, &other.path) };
        by_path.then_with(|| self.member().cmp(&other.member()))
    }

    pub(super) fn member(&self) -> Option<&str> {
        self.member.as_ref().map(|name| name.text.as_str())
    }
}

impl Index<'_> {
    /// The location of an asker in the game.
    pub(super) fn home(&self, asker: &Asker, prefixes: &Prefixes<'_>) -> Home {
        let Some(member) = &asker.member else {
            let (root, path) = prefixes.roots_of(&asker.path).into_iter().next().unwrap_or_default();
            return Home { root, path };
        };
        let (outer, own) =
            member.text.rsplit_once("!/").map_or((None, &*member.text), |(outer, own)| (Some(outer), own));
        let outer = outer.map(|outer| Name { text: outer.to_owned(), lossy: member.lossy });
        let archive = key(&self.hash, &address(&asker.path, outer.as_ref()).text);
        let archive = self.by_address.get(&archive).and_then(|&archive| self.archives.get(archive));
        let root = archive.map(|archive| archive.root.clone()).unwrap_or_default();
        let path = below(&root, &folded(unnumbered(own)));
        // In a zip, the addon is the config's own folder.
        let folder = || path.rsplit_once('\\').map_or("", |(folder, _)| folder).to_owned();
        let root = if root.is_empty() { folder() } else { root };
        Home { root, path }
    }

    /// The folder of the asker.
    fn beside(&self, asker: &Asker) -> Box<Beside> {
        let (place, folder) = match &asker.member {
            None => (text(asker.path.parent().unwrap_or(Path::new(""))), String::new()),
            Some(member) => {
                let (around, own) = match member.text.rsplit_once("!/") {
                    Some((outer, own)) => (format!("{}!/{outer}", text(&asker.path)), own),
                    None => (text(&asker.path), member.text.as_str()),
                };
                let own = folded(own);
                (around, own.strip_suffix(last(&own)).unwrap_or_default().to_owned())
            }
        };
        let mut hasher = self.hash.build_hasher();
        hasher.write(folder.as_bytes());
        Box::new(Beside { place: key(&self.hash, &place), folder: hasher })
    }

    /// Finds the files that a reference means.
    ///
    /// # Errors
    /// Returns an error if looking up references has cost more than the limits allow.
    pub(super) fn resolve(&mut self, asker: &Asker, ask: &Ask) -> Result<Resolved> {
        let reference = &ask.reference;
        let name = &reference.name.text;
        let home = asker.home.root.len().saturating_add(asker.home.path.len());
        self.cost.compare(home.saturating_add(name.len()))?;
        if is_lua(name_of(&asker.path, asker.member.as_ref())) {
            return self.resolve_lua(ask);
        }
        if !asker.inside.is_empty() && asker.inside.binary_search(&key(&self.hash, &folded(name))).is_ok() {
            return Ok(Resolved { state: State::Found, meant: Meant::Own });
        }
        let Some(path) = asker.home.resolve(&ask.way, name) else {
            return Ok(Resolved { state: State::Unresolved, meant: Meant::Files([].into()) });
        };
        let entries = if asker.in_game {
            find_or_instead(&path, reference.kind, |path| find(&self.in_game, key(&self.hash, path)))
        } else {
            let Beside { place, folder } = &**asker.beside.get_or_init(|| self.beside(asker));
            find(&self.in_place, self.hash.hash_one((*place, after(folder, last(&path)))))
        };
        let files = self.distinct(asker.in_game, entries);
        let state = match files.len() {
            1 => State::Found,
            0 if asker.in_game && name.starts_with("#(") => State::Procedural,
            0 if asker.in_game && self.is_assumed(&path) => State::Found,
            0 => State::Missing,
            _ => State::Ambiguous,
        };
        if state == State::Missing
            && !asker.in_game
            && let Some(bound) = self.resolve_bound(asker, reference)?
        {
            return Ok(bound);
        }
        let meant = match state {
            State::Missing => Meant::Elsewhere(self.elsewhere(&path, reference.kind)),
            _ => Meant::Files(files),
        };
        Ok(Resolved { state, meant })
    }

    fn is_assumed(&self, name: &str) -> bool {
        self.assumed.iter().any(|prefix| {
            let rest = name.strip_prefix(prefix.as_str());
            rest.is_some_and(|rest| rest.is_empty() || prefix.ends_with('\\') || rest.starts_with('\\'))
        })
    }
}
