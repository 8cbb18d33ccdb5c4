//! Assets with references, and the files that each of these means.

use std::cmp::Ordering;
use std::hash::{BuildHasher, DefaultHasher, Hasher};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::configs::{Ask, Copies, Home, folder};
use super::index::Index;
use super::keys::{Key, address, after, key, last, name_of};
use super::link::{MOST_TARGETS, Meant, Reason, Resolved, State};
use super::lookup::{find, find_or_instead};
use super::lua::is_lua;
use super::media::Binding;
use super::prefix::{Prefixes, below, folded, text};
use crate::asset::address::{join_text, split_last, unnumbered};
use crate::base::error::Result;
use crate::base::text::Name;
use crate::formats::rap::macros::Define;
use crate::formats::rap::text::Way;
use crate::scan::order::by_bytes;
use crate::summary::ReferenceKind;

/// An asset with references.
pub(super) struct Asker {
    pub(super) path: Arc<Path>,
    pub(super) member: Option<Name>,
    /// True if it is a Lua text. It is found once, since a name may be long and its references many.
    pub(super) is_lua: bool,
    /// True if its names are those of the game's file system.
    pub(super) in_game: bool,
    /// True if its references come after that of an asset or config that asks for it.
    pub(super) is_followed: bool,
    /// True if references may lead to it, and to those in it.
    pub(super) is_target: bool,
    /// True if it means nothing by itself.
    pub(super) is_included: bool,
    pub(super) asks: Vec<Ask>,
    /// The definitions of macros, each with the number of references before it.
    pub(super) defines: Vec<(usize, Define)>,
    /// The number of the root that it is below, if it is a loose file: see [`Index::root_of`].
    pub(super) root: Option<usize>,
    /// The number of the root that it is below, once a reference needs it.
    pub(super) around: OnceLock<Option<usize>>,
    /// Why not all of it was read, which matters once a config includes it.
    pub(super) cut: Option<String>,
    /// Its location in the game, for macros and includes.
    pub(super) home: Home,
    pub(super) copies: Option<Copies>,
    /// The names of the images inside the asset, sorted.
    pub(super) inside: Vec<Key>,
    /// The files next to it, once a reference asks for one.
    pub(super) beside: OnceLock<Box<Beside>>,
    /// What gives it its textures, once one of them is missing.
    pub(super) binding: OnceLock<Binding>,
}

/// The beginnings of the keys of files that are in one folder.
pub(super) struct Beside {
    /// The folder in the file system, or the archive.
    pub(super) place: Key,
    /// The folder in the archive.
    pub(super) folder: DefaultHasher,
}

impl Asker {
    /// An asker without references.
    pub(super) fn new(path: Arc<Path>, member: Option<Name>) -> Self {
        let is_lua = is_lua(name_of(&path, member.as_ref()));
        Self {
            path,
            member,
            is_lua,
            in_game: false,
            is_followed: false,
            is_target: false,
            is_included: false,
            asks: Vec::new(),
            defines: Vec::new(),
            root: None,
            around: OnceLock::new(),
            cut: None,
            home: Home::default(),
            copies: None,
            inside: Vec::new(),
            beside: OnceLock::new(),
            binding: OnceLock::new(),
        }
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        if !Arc::ptr_eq(&self.path, &other.path) {
            let by_path = by_bytes(&self.path, &other.path);
            if by_path.is_ne() {
                return by_path;
            }
        }
        self.member().cmp(&other.member())
    }

    pub(super) fn address(&self) -> Name {
        address(&self.path, self.member.as_ref())
    }

    pub(super) fn member(&self) -> Option<&str> {
        self.member.as_ref().map(|name| name.text.as_str())
    }
}

impl Index {
    /// The location of an asker in the game.
    pub(super) fn home(&self, asker: &Asker, prefixes: &Prefixes<'_>) -> Home {
        let Some(member) = &asker.member else {
            let mut places = prefixes.places_of(&asker.path).paths.into_iter();
            let (root, path) = places.next().unwrap_or_default();
            return Home { root, path, other: places.last().map(|(_, path)| path) };
        };
        let (_, own) = split_last(&member.text);
        let mut root = String::new();
        if let Some(archive) = self.archive_around(&asker.path, member)
            && let Some(archive) = self.archives.get(archive)
        {
            root.clone_from(&archive.root);
        }
        let path = below(&root, &folded(unnumbered(own)));
        if root.is_empty() {
            // In a zip, the addon is the config's own folder.
            root = folder(&path).to_owned();
        }
        Home { root, path, other: None }
    }

    /// The archive that has a member of this file.
    fn archive_around(&self, path: &Path, member: &Name) -> Option<usize> {
        let (outer, _) = split_last(&member.text);
        let around = join_text(&text(path), outer);
        self.by_address.get(&key(&self.hash, &around)).copied()
    }

    /// The number of the root that an asker is below.
    fn root_around(&self, asker: &Asker) -> Option<usize> {
        *asker.around.get_or_init(|| self.find_root_around(asker))
    }

    pub(super) fn find_root_around(&self, asker: &Asker) -> Option<usize> {
        let Some(member) = &asker.member else { return asker.root };
        self.archive_around(&asker.path, member)
    }

    /// The folder of the asker.
    pub(super) fn beside(&self, asker: &Asker) -> Box<Beside> {
        let (place, folder) = match &asker.member {
            None => (text(asker.path.parent().unwrap_or(Path::new(""))), String::new()),
            Some(member) => {
                let (outer, own) = split_last(&member.text);
                let around = join_text(&text(&asker.path), outer);
                let own = folded(own);
                (around, own.strip_suffix(last(&own)).unwrap_or_default().to_owned())
            }
        };
        let mut hasher = self.hash.build_hasher();
        hasher.write(folder.as_bytes());
        Box::new(Beside { place: key(&self.hash, &place), folder: hasher })
    }

    /// Finds the files that a reference means. `mission` is the folder of the mission that the text is of.
    ///
    /// # Errors
    /// Returns an error if looking up references has cost more than the limits allow.
    pub(super) fn resolve(&mut self, asker: &Asker, ask: &Ask, mission: Option<&str>) -> Result<Resolved> {
        let reference = &ask.reference;
        let name = &reference.name.text;
        let home = asker.home.root.len().saturating_add(asker.home.path.len());
        self.cost.compare(home.saturating_add(name.len()))?;
        if asker.is_lua {
            return self.resolve_lua(ask);
        }
        if !asker.inside.is_empty() && asker.inside.binary_search(&key(&self.hash, &folded(name))).is_ok() {
            return Ok(Resolved { reason: Some(Reason::Beside), ..Resolved::new(State::Found, Meant::Own) });
        }
        let Some(path) = asker.home.resolve(&ask.way, name) else {
            let note = Some("neither a path nor a known macro".to_owned());
            return Ok(Resolved { note, ..Resolved::new(State::Unresolved, Meant::Files([].into())) });
        };
        if !asker.in_game {
            let Beside { place, folder } = &**asker.beside.get_or_init(|| self.beside(asker));
            let entries = find(&self.in_place, self.hash.hash_one((*place, after(folder, last(&path)))));
            let files = self.distinct(false, entries);
            if files.is_empty()
                && let Some(bound) = self.resolve_bound(asker, reference)?
            {
                return Ok(bound);
            }
            return Ok(self.answer(asker, ask, &path, files, Reason::Beside));
        }
        let is_relative = ask.way == Way::Include && !name.starts_with(['\\', '/']);
        let is_of_mission = ask.way == Way::Path && !name.starts_with(['\\', '/']);
        let mut tries = Vec::new();
        if is_of_mission && let Some(mission) = mission {
            tries.push((below(mission, &path), Reason::Beside));
        }
        tries.push((path.clone(), if is_relative { Reason::Beside } else { Reason::Prefix }));
        if is_relative && let Some(other) = asker.home.resolve_other(name) {
            tries.push((other, Reason::Beside));
        }
        for (path, reason) in &tries {
            let kind = reference.kind;
            let entries = find_or_instead(path, kind, |path| find(&self.in_game, key(&self.hash, path)));
            let files = self.distinct(true, entries);
            if !files.is_empty() {
                return Ok(self.answer(asker, ask, path, files, *reason));
            }
            if kind == ReferenceKind::File && self.folders.contains(&key(&self.hash, path.trim_end_matches('\\'))) {
                let found = Resolved::new(State::Found, Meant::Files([].into()));
                return Ok(Resolved { note: Some("a folder".to_owned()), ..found });
            }
        }
        let files = if is_relative { self.included_by(asker, name) } else { [].into() };
        Ok(self.answer(asker, ask, &path, files, Reason::Beside))
    }

    /// The text that a text in a folder includes by a relative path.
    fn included_by(&mut self, asker: &Asker, name: &str) -> Arc<[usize]> {
        if self.included.is_empty() || asker.member.is_some() {
            return [].into();
        }
        let Some(&place) = self.included.get(&self.include_key(asker, name)) else { return [].into() };
        let entries = find(&self.in_place, place);
        self.distinct(false, entries)
    }

    /// What these files with the path of a reference mean.
    fn answer(&mut self, asker: &Asker, ask: &Ask, path: &str, files: Arc<[usize]>, reason: Reason) -> Resolved {
        let name = &ask.reference.name.text;
        let kind = ask.reference.kind;
        match *files {
            [] if asker.in_game && name.starts_with("#(") => Resolved::new(State::Procedural, Meant::Files([].into())),
            [] if asker.in_game && self.is_assumed(path) => Resolved::new(State::Found, Meant::Files([].into())),
            [] => {
                let image = if kind == ReferenceKind::Texture { self.texture(path) } else { None };
                let Some(image) = image else {
                    return Resolved::new(State::Missing, Meant::Elsewhere(self.elsewhere(path, kind)));
                };
                let odd = self.odd_of(image);
                let found = Resolved::new(State::Found, Meant::Files([image].into()));
                Resolved { reason: Some(Reason::FileName), odd, ..found }
            }
            [file] => {
                let odd = self.odd_of(file);
                Resolved { reason: Some(reason), odd, ..Resolved::new(State::Found, Meant::Files(files)) }
            }
            _ if asker.in_game && files.len() <= MOST_TARGETS => self.choose(asker, files, reason),
            _ => Resolved::new(State::Ambiguous, Meant::Files(files)),
        }
    }

    /// Chooses among files with one path: one in the root of the asker, or in the path that was given and leads to it.
    fn choose(&mut self, asker: &Asker, files: Arc<[usize]>, reason: Reason) -> Resolved {
        let own = self.root_around(asker);
        let mut near: Vec<usize> = files.iter().copied().filter(|&file| own == Some(self.root_of(file))).collect();
        if near.is_empty() {
            near = self.given_with(asker, &files);
        }
        let note = self.same_prefix(own, &files);
        let mut resolved = match *near {
            [] => Resolved::new(State::Ambiguous, Meant::Files(files)),
            [file] => {
                let reason = if reason == Reason::Prefix { Reason::OwnRoot } else { reason };
                let odd = self.odd_of(file);
                Resolved { reason: Some(reason), odd, ..Resolved::new(State::Found, Meant::Files(near.into())) }
            }
            _ => Resolved::new(State::Ambiguous, Meant::Files(near.into())),
        };
        resolved.note = note;
        resolved
    }

    /// The files below the given path that the asker is below, if other files are not.
    fn given_with(&self, asker: &Asker, files: &[usize]) -> Vec<usize> {
        /// The most given paths that are compared.
        const MOST_GIVEN: usize = 100;
        if self.scan.paths.len() > MOST_GIVEN {
            return Vec::new();
        }
        let above = self.scan.paths.iter().filter(|path| asker.path.starts_with(path));
        let Some(given) = above.max_by_key(|path| path.as_os_str().len()) else { return Vec::new() };
        let mut near = Vec::new();
        for &file in files {
            if let Some(path) = self.path_of(file)
                && path.starts_with(given)
            {
                near.push(file);
            }
        }
        if near.len() == files.len() { Vec::new() } else { near }
    }

    /// Says once for each pair of roots that they have the same prefix.
    fn same_prefix(&mut self, own: Option<usize>, files: &[usize]) -> Option<String> {
        /// The most pairs that are said.
        const MOST_PAIRS: usize = 10_000;
        let own = match (own, files) {
            (Some(own), _) => own,
            (None, [first, ..]) => self.root_of(*first),
            (None, []) => return None,
        };
        let prefix = self.prefix_of_root(own)?.to_owned();
        if prefix.is_empty() {
            return None;
        }
        for &file in files {
            let other = self.root_of(file);
            let is_same = other != own && self.prefix_of_root(other) == Some(prefix.as_str());
            if is_same && self.pairs.len() < MOST_PAIRS && self.pairs.insert((own.min(other), own.max(other))) {
                let cost = self.name_of_root(other).len();
                if !self.cost.name(cost) {
                    return None;
                }
                return Some(format!("same prefix as {}", self.name_of_root(other)));
            }
        }
        None
    }

    fn is_assumed(&self, name: &str) -> bool {
        for prefix in &self.assumed {
            let Some(rest) = name.strip_prefix(prefix.as_str()) else { continue };
            if rest.is_empty() || prefix.ends_with('\\') || rest.starts_with('\\') {
                return true;
            }
        }
        false
    }
}
