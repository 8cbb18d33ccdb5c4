//! Assets with references, and the files that each of these means.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::Arc;

use super::configs::{Ask, Copies, Home};
use super::index::{Index, find, find_or_instead};
use super::keys::{Key, address, after, key, last};
use super::link::{Link, MOST_TARGETS, State};
use super::prefix::{Prefixes, below, folded, text};
use crate::asset::address::unnumbered;
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

    /// The key of a file with this name next to the asker.
    fn beside(&self, asker: &Asker, name: &str) -> Key {
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
        self.hash.hash_one((key(&self.hash, &place), after(&hasher, name)))
    }

    pub(super) fn link<'l>(&mut self, asker: &'l Asker, ask: &'l Ask) -> Link<'l> {
        let (reference, in_game) = (&ask.reference, asker.in_game);
        let name = &reference.name.text;
        let is_inside = || asker.inside.binary_search(&key(&self.hash, &folded(name))).is_ok();
        let link = |state, targets, elsewhere, more| {
            let (path, member, place) = (&*asker.path, asker.member.as_ref(), ask.place);
            Link { path, member, reference, state, targets, elsewhere, more, via: None, place }
        };
        if !asker.inside.is_empty() && is_inside() {
            return link(State::Found, vec![address(&asker.path, asker.member.as_ref())], Vec::new(), 0);
        }
        let path = asker.home.resolve(&ask.way, name);
        let files = match &path {
            None => 0..0,
            Some(path) if in_game => {
                find_or_instead(path, reference.kind, |path| find(&self.in_game, key(&self.hash, path)))
            }
            Some(path) => find(&self.in_place, self.beside(asker, last(path))),
        };
        let files = self.distinct(in_game, files);
        let state = match (files.len(), &path) {
            (1, _) => State::Found,
            (0, None) => State::Unresolved,
            (0, _) if in_game && name.starts_with("#(") => State::Procedural,
            (0, Some(path)) if in_game && self.is_assumed(path) => State::Found,
            (0, _) => State::Missing,
            _ => State::Ambiguous,
        };
        let targets: Vec<Name> = files.iter().take(MOST_TARGETS).filter_map(|&file| self.target(file)).collect();
        let (elsewhere, further) = match (state, &path) {
            (State::Missing, Some(path)) => self.elsewhere(path, reference.kind),
            _ => Default::default(),
        };
        let more = files.len().saturating_sub(targets.len()).saturating_add(further);
        link(state, targets, elsewhere, more)
    }

    fn is_assumed(&self, name: &str) -> bool {
        self.assumed.iter().any(|prefix| {
            let rest = name.strip_prefix(prefix.as_str());
            rest.is_some_and(|rest| rest.is_empty() || prefix.ends_with('\\') || rest.starts_with('\\'))
        })
    }
}
