//! Finds the files that a reference means.

use std::hash::{BuildHasher as _, Hasher as _};
use std::path::Path;
use std::sync::Arc;

use super::asker::{Asker, More};
use super::configs::{Ask, Home, folder};
use super::index::Index;
use super::keys::{Key, folder_key, folder_of, key, key_in_folder, last, path_key};
use super::lookup::{find, find_or_instead};
use super::prefix::{Prefixes, below, folded, text};
use super::resolved::{MOST_TARGETS, Meant, Reason, Resolved, State};
use crate::asset::address::{MemberPath, unnumbered};
use crate::base::error::Result;
use crate::base::text::Name;
use crate::formats::rap::text::Way;
use crate::summary::ReferenceKind;

impl Index {
    /// The location of an asker in the game.
    pub(super) fn home(&self, asker: &Asker, prefixes: &Prefixes<'_>) -> Home {
        let Some(member) = &asker.member else {
            let mut places = prefixes.places_of(&asker.path).paths.into_iter();
            let (root, path) = places.next().unwrap_or_default();
            return Home { root, path, other: places.last().map(|(_, path)| path) };
        };
        let (_, own) = MemberPath::new(&member.text).split_last();
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
        let (outer, _) = MemberPath::new(&member.text).split_last();
        self.by_address.get(&self.archive_key(path, outer)).copied()
    }

    /// The key of the address of an archive: this file, or this member of it.
    fn archive_key(&self, path: &Path, member: Option<&str>) -> Key {
        let mut hasher = self.hash.build_hasher();
        hasher.write(text(path).as_bytes());
        if let Some(member) = member {
            hasher.write(MemberPath::SEPARATOR.as_bytes());
            hasher.write(member.as_bytes());
        }
        hasher.finish()
    }

    /// The number of the root that an asker is below.
    fn root_around(&self, asker: &Asker) -> Option<usize> {
        *asker.around.get_or_init(|| self.find_root_around(asker))
    }

    pub(super) fn find_root_around(&self, asker: &Asker) -> Option<usize> {
        let Some(member) = &asker.member else { return asker.root };
        self.archive_around(&asker.path, member)
    }

    /// The key of the folder of the asker.
    pub(super) fn beside(&self, asker: &Asker) -> Key {
        let Some(member) = &asker.member else {
            let folder = asker.path.parent().unwrap_or(Path::new(""));
            return folder_key(&self.hash, path_key(&self.hash, folder), "");
        };
        let (outer, own) = MemberPath::new(&member.text).split_last();
        let own = folded(own);
        folder_key(&self.hash, self.archive_key(&asker.path, outer), folder_of(&own))
    }

    /// Finds the files that a reference means. `mission` is the folder of the mission that the text is of.
    ///
    /// # Errors
    /// Returns an error if looking up references has cost more than the limits allow.
    pub(super) fn resolve(&mut self, asker: &Asker, ask: &Ask, mission: Option<&str>) -> Result<Resolved> {
        let reference = &ask.reference;
        let name = &reference.name.text;
        let More { home, inside, .. } = asker.more();
        let home_bytes = home.root.len().saturating_add(home.path.len());
        self.cost.compare(home_bytes.saturating_add(name.len()))?;
        if asker.is_lua {
            return self.resolve_lua(ask);
        }
        if !inside.is_empty() && inside.binary_search(&key(&self.hash, &folded(name))).is_ok() {
            return Ok(Resolved { reason: Some(Reason::Beside), ..Resolved::new(State::Found, Meant::Own) });
        }
        let Some(path) = home.resolve(ask.way(), name) else {
            let note = Some("neither a path nor a known macro".to_owned());
            return Ok(Resolved { note, ..Resolved::new(State::Unresolved, Meant::Files([].into())) });
        };
        if !asker.in_game {
            let folder = *asker.beside.get_or_init(|| self.beside(asker));
            let entries = find(&self.in_place, key_in_folder(&self.hash, folder, last(&path)));
            let files = self.distinct(false, entries);
            if files.is_empty()
                && let Some(bound) = self.resolve_bound(asker, reference)?
            {
                return Ok(bound);
            }
            return Ok(self.answer(asker, ask, &path, files, Reason::Beside));
        }
        let is_relative = *ask.way() == Way::Include && !name.starts_with(['\\', '/']);
        let is_of_mission = *ask.way() == Way::Path && !name.starts_with(['\\', '/']);
        let mut tries = Vec::new();
        if is_of_mission && let Some(mission) = mission {
            tries.push((below(mission, &path), Reason::Beside));
        }
        tries.push((path.clone(), if is_relative { Reason::Beside } else { Reason::Prefix }));
        if is_relative && let Some(other) = home.resolve_other(name) {
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

    /// Decides which of these files a reference with their path means.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::refs::prefix::Given;
    use crate::scan::Scan;
    use crate::summary::Reference;

    fn ask(kind: ReferenceKind, way: &Way, name: &str) -> Ask {
        let reference = Reference { kind, name: Name { text: name.to_owned(), lossy: false } };
        Ask::in_text(reference, None, way.clone(), None)
    }

    /// Where a file may be that a config in `g\main` means by this name, in the order in which it is looked for there.
    /// The config is below the folder `other`, too, and its mission is in `mission`.
    fn places(way: &Way, name: &str) -> Vec<(&'static str, Reason)> {
        let is_absolute = name.starts_with(['\\', '/']);
        match (way, is_absolute) {
            (Way::Path, true) | (Way::Include, true) => vec![("a.hpp", Reason::Prefix)],
            (Way::Path, false) => vec![(r"mission\a.hpp", Reason::Beside), ("a.hpp", Reason::Prefix)],
            (Way::Include, false) => vec![(r"g\main\a.hpp", Reason::Beside), (r"other\a.hpp", Reason::Beside)],
            (Way::Built { addon: Some(_), .. }, _) => vec![(r"ui\a.hpp", Reason::Prefix)],
            (Way::Built { is_below: true, .. }, _) => vec![(r"g\a.hpp", Reason::Prefix)],
            _ => vec![("a.hpp", Reason::Prefix)],
        }
    }

    #[test]
    fn each_way_to_a_file_tries_its_places_in_their_order() {
        let all = ["a.hpp", r"mission\a.hpp", r"g\main\a.hpp", r"other\a.hpp", r"g\a.hpp", r"ui\a.hpp"];
        let built = |addon: Option<&[u8]>, is_below| Way::Built {
            addon: addon.map(<[u8]>::to_vec),
            is_below,
            path: b"A.hpp".to_vec(),
        };
        let ways = [Way::Path, Way::Include, built(None, true), built(None, false), built(Some(b"UI"), true)];
        let kind = ReferenceKind::Include;
        for there in 0..1 << all.len() {
            let mut index = Index::new(&Scan::new(["none"]), &[]);
            index.allow_cost();
            index.given_prefix_files = Some(Given::new());
            for (number, path) in all.iter().enumerate() {
                let file = index.add_file(None, path, false);
                if there >> number & 1 != 0 {
                    index.in_game.push((key(&index.hash, path), file));
                }
            }
            index.sort();
            let mut asker = Asker::new(Path::new("config.cpp").into(), None);
            asker.in_game = true;
            asker.more_mut().home = Home {
                root: "g".to_owned(),
                path: r"g\main\config.cpp".to_owned(),
                other: Some(r"other\config.cpp".to_owned()),
            };
            for way in &ways {
                for name in ["a.hpp", "A.HPP", r"\a.hpp", "/a.hpp"] {
                    let resolved = index.resolve(&asker, &ask(kind, way, name), Some("mission")).unwrap();
                    let expected = places(way, name).into_iter().find_map(|(path, reason)| {
                        let number = all.iter().position(|known| *known == path)?;
                        if there >> number & 1 != 0 { Some((number, reason)) } else { None }
                    });
                    let found = resolved.meant.files().next();
                    assert_eq!(found, expected.map(|(number, _)| number), "{there:b} {way:?} {name}");
                    assert_eq!(resolved.reason, expected.map(|(_, reason)| reason), "{there:b} {way:?} {name}");
                    let state = if expected.is_some() { State::Found } else { State::Missing };
                    assert_eq!(resolved.state, state, "{there:b} {way:?} {name}");
                }
            }
        }
    }

    #[test]
    fn an_asset_outside_of_a_game_names_files_beside_it() {
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        index.allow_cost();
        index.given_prefix_files = Some(Given::new());
        let paths = ["a/x.png", "a/b/x.png", "a/b/y.png", "x.png", "z.png"];
        for path in paths {
            let place = index.place_key(Path::new(path)).unwrap();
            let file = index.add_file(None, path, false);
            index.in_place.push((place, file));
            index.in_game.push((key(&index.hash, &folded(path)), file));
        }
        index.sort();
        for (model, name, expected) in [
            ("a/m.b3d", "x.png", Some("a/x.png")),
            ("a/m.b3d", "X.PNG", Some("a/x.png")),
            ("a/m.b3d", r"C:\other\x.png", Some("a/x.png")),
            ("a/m.b3d", "b/y.png", None),
            ("a/b/m.b3d", "y.png", Some("a/b/y.png")),
            ("a/b/m.b3d", "../x.png", Some("a/b/x.png")),
            ("m.b3d", "x.png", Some("x.png")),
            ("m.b3d", "y.png", None),
            ("a/b/m.b3d", "z.png", None),
        ] {
            let asker = Asker::new(Path::new(model).into(), None);
            let resolved = index.resolve(&asker, &ask(ReferenceKind::Texture, &Way::Path, name), None).unwrap();
            let found = resolved.meant.files().next().map(|file| paths[file]);
            assert_eq!(found, expected, "{name} of {model}");
            assert_eq!(resolved.reason, expected.map(|_| Reason::Beside), "{name} of {model}");
        }
    }

    #[test]
    fn a_text_builds_paths_from_the_root_of_its_archive_or_from_its_folder() {
        use crate::answers::refs::seen::Listing;
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        for (path, member, root) in [("m.pbo", None, r"z\m"), ("m.zip", None, ""), ("m.zip", Some("in.pbo"), "in")] {
            let member = member.map(|text: &str| Name { text: text.to_owned(), lossy: false });
            let listing = Listing { root: root.to_owned(), ..Listing::default() };
            index.add_archive(Path::new(path).into(), member, listing).unwrap();
        }
        let none = Prefixes::of(&[], &[], None, &index.hash);
        for (path, member, root, own) in [
            ("m.pbo", "Config.cpp", r"z\m", r"z\m\config.cpp"),
            ("m.pbo", r"A\config.cpp", r"z\m", r"z\m\a\config.cpp"),
            ("m.pbo", "config.cpp#2", r"z\m", r"z\m\config.cpp"),
            ("m.zip", "config.cpp", "", "config.cpp"),
            ("m.zip", "A/b/config.cpp", r"a\b", r"a\b\config.cpp"),
            ("m.zip", "in.pbo!/config.cpp", "in", r"in\config.cpp"),
            ("m.zip", r"in.pbo!/b\config.cpp", "in", r"in\b\config.cpp"),
            // An archive that is not known.
            ("m.zip", "b.pbo!/c/config.cpp", "c", r"c\config.cpp"),
        ] {
            let asker = Asker::new(Path::new(path).into(), Some(Name { text: member.to_owned(), lossy: false }));
            let home = index.home(&asker, &none);
            assert_eq!((home.root.as_str(), home.path.as_str(), home.other), (root, own, None), "{path} {member}");
        }
    }

    fn name(text: &str) -> Name {
        Name { text: text.to_owned(), lossy: false }
    }

    /// Archives with two prefixes, and files of one path in them.
    const ARCHIVES: [(&str, &str); 4] = [("a.pbo", "p"), ("b.pbo", "p"), ("c.pbo", "q"), ("d.pbo", "p")];
    const FILES: [usize; 5] = [0, 0, 1, 2, 3];

    fn archives() -> Index {
        use crate::answers::refs::seen::Listing;
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        index.allow_cost();
        index.given_prefix_files = Some(Given::new());
        for (path, root) in ARCHIVES {
            index
                .add_archive(Path::new(path).into(), None, Listing { root: root.to_owned(), ..Listing::default() })
                .unwrap();
        }
        index
    }

    /// The note of the first answer, and that of the next about the same files.
    fn notes(own: usize, files: &[usize]) -> [Option<String>; 2] {
        let mut others = Vec::new();
        for &file in files {
            let other = FILES[file];
            if other != own && ARCHIVES[other].1 == ARCHIVES[own].1 && !others.contains(&other) {
                others.push(other);
            }
        }
        [0, 1].map(|number| others.get(number).map(|&other: &usize| format!("same prefix as {}", ARCHIVES[other].0)))
    }

    #[test]
    fn of_files_with_one_path_that_in_the_own_archive_is_meant_and_each_pair_of_prefixes_is_said_once() {
        for there in 0_usize..1 << FILES.len() {
            for own in [None, Some(0), Some(1), Some(2), Some(3)] {
                let mut index = archives();
                for (number, archive) in FILES.into_iter().enumerate() {
                    let file = index.add_file(Some(archive), &format!("{number}"), false);
                    if there >> number & 1 != 0 {
                        index.in_game.push((key(&index.hash, "x.paa"), file));
                    }
                }
                index.sort();
                let mut asker = match own {
                    Some(own) => Asker::new(Path::new(ARCHIVES[own].0).into(), Some(name("m.p3d"))),
                    None => Asker::new(Path::new("m.p3d").into(), None),
                };
                asker.in_game = true;
                let files: Vec<usize> = (0..FILES.len()).filter(|file| there >> file & 1 != 0).collect();
                let near: Vec<usize> = files.iter().copied().filter(|&file| own == Some(FILES[file])).collect();
                let (state, reason, meant) = match (&files[..], &near[..]) {
                    ([], _) => (State::Missing, None, vec![]),
                    ([_], _) => (State::Found, Some(Reason::Prefix), files.clone()),
                    (_, [_]) => (State::Found, Some(Reason::OwnRoot), near),
                    (_, []) => (State::Ambiguous, None, files.clone()),
                    _ => (State::Ambiguous, None, near),
                };
                let notes = match files.first() {
                    Some(&first) if files.len() > 1 => notes(own.unwrap_or(FILES[first]), &files),
                    _ => [None, None],
                };
                for note in notes {
                    let ask = ask(ReferenceKind::Texture, &Way::Path, "x.paa");
                    let resolved = index.resolve(&asker, &ask, None).unwrap();
                    let found: Vec<usize> = resolved.meant.files().collect();
                    let case = format!("{own:?} {files:?}");
                    assert_eq!((resolved.state, resolved.reason, found), (state, reason, meant.clone()), "{case}");
                    assert_eq!(resolved.note, note, "{case}");
                }
            }
        }
    }

    #[test]
    fn of_given_paths_the_innermost_around_the_asker_chooses_if_it_leaves_out_a_file() {
        let files = ["g/x", "g/in/x", "h/x", "g/in/y"];
        for (asker, below) in [
            ("g/m", &["g/"][..]),
            ("g/in/m", &["g/in/"]),
            ("g/in/deep/m", &["g/in/"]),
            ("g/inner/m", &["g/"]),
            ("h/m", &["h/"]),
            ("q/m", &[]),
        ] {
            let asker = Asker::new(Path::new(asker).into(), None);
            for there in 0_usize..1 << files.len() {
                let mut index = Index::new(&Scan::new(["g/in", "g", "h"]), &[]);
                for file in files {
                    index.add_file(None, file, false);
                }
                let all: Vec<usize> = (0..files.len()).filter(|file| there >> file & 1 != 0).collect();
                let is_near = |file: &usize| below.iter().any(|folder| files[*file].starts_with(folder));
                let mut near: Vec<usize> = all.iter().copied().filter(is_near).collect();
                if near.len() == all.len() {
                    near.clear();
                }
                assert_eq!(index.given_with(&asker, &all), near, "{:?} {all:?}", asker.path);
            }
        }
    }

    #[test]
    fn a_name_without_a_file_is_procedural_or_assumed_or_an_image_of_the_user_or_missing() {
        for in_game in [false, true] {
            for kind in [ReferenceKind::Texture, ReferenceKind::Material, ReferenceKind::File] {
                for (text, is_procedural, is_assumed, has_image) in [
                    ("#(argb,8,8,3)color(1,1,1,1)", true, false, false),
                    (r"#(x)\image.paa", true, false, true),
                    ("#x.paa", false, false, false),
                    (r"ca\x.paa", false, true, false),
                    (r"\CA\image.paa", false, true, true),
                    ("ca", false, true, false),
                    ("cab/x.paa", false, false, false),
                    (r"q\image.paa", false, false, true),
                    (r"q\ca\x.paa", false, false, false),
                ] {
                    let mut index = Index::new(&Scan::new(["none"]), &["Ca".to_owned()]);
                    index.allow_cost();
                    index.given_prefix_files = Some(Given::new());
                    let image = index.add_file(None, "t/image.paa", false);
                    index.by_texture.insert(key(&index.hash, "image.paa"), vec![image]);
                    index.sort();
                    let mut asker = Asker::new(Path::new("m.p3d").into(), None);
                    asker.in_game = in_game;
                    let resolved = index.resolve(&asker, &ask(kind, &Way::Path, text), None).unwrap();
                    let expected = match kind {
                        _ if in_game && is_procedural => (State::Procedural, None),
                        _ if in_game && is_assumed => (State::Found, None),
                        ReferenceKind::Texture if has_image => (State::Found, Some(Reason::FileName)),
                        _ => (State::Missing, None),
                    };
                    assert_eq!((resolved.state, resolved.reason), expected, "{text} {kind:?} {in_game}");
                    let files: Vec<usize> = resolved.meant.files().collect();
                    assert_eq!(files.len(), usize::from(expected.1.is_some()), "{text} {kind:?} {in_game}");
                }
            }
        }
    }

    #[test]
    fn a_file_without_a_dot_may_be_a_folder_of_the_game_and_nothing_else_may() {
        for kind in [ReferenceKind::File, ReferenceKind::Texture, ReferenceKind::Include] {
            for (text, is_there) in [
                (r"z\my", true),
                (r"\Z\MY", true),
                ("z/my/", true),
                (r"z\my\x.sqf", false),
                (r"z\m", false),
                ("z", false),
            ] {
                for in_game in [false, true] {
                    let mut index = Index::new(&Scan::new(["none"]), &[]);
                    index.allow_cost();
                    index.given_prefix_files = Some(Given::new());
                    index.folders.insert(key(&index.hash, r"z\my"));
                    index.sort();
                    let mut asker = Asker::new(Path::new("m.bin").into(), None);
                    asker.in_game = in_game;
                    let resolved = index.resolve(&asker, &ask(kind, &Way::Path, text), None).unwrap();
                    let is_folder = in_game && is_there && kind == ReferenceKind::File;
                    let expected = if is_folder { (State::Found, Some("a folder")) } else { (State::Missing, None) };
                    assert_eq!((resolved.state, resolved.note.as_deref()), expected, "{text} {kind:?} {in_game}");
                }
            }
        }
    }
}
