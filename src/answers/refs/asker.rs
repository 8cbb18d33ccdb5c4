//! Assets with references, and the files that each of these means.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::configs::{Ask, Copies, Home};
use super::keys::{Key, address};
use super::lua::is_lua;
use crate::asset::address::MemberPath;
use crate::base::text::Name;
use crate::formats::rap::macros::Define;
use crate::scan::order::by_bytes;

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
    pub(super) asks: Box<[Ask]>,
    /// The number of the root that it is below, if it is a loose file: see [`Index::root_of`].
    pub(super) root: Option<usize>,
    /// The number of the root that it is below, once a reference needs it.
    pub(super) around: OnceLock<Option<usize>>,
    /// What few assets have.
    more: Option<Box<More>>,
    /// The folder of the files next to it, once a reference asks for one.
    pub(super) beside: OnceLock<Key>,
    /// What gives it its textures, once one of them is missing.
    pub(super) binding: OnceLock<Binding>,
}

/// What few askers have, apart from the others: there may be a million of them.
#[derive(Default)]
pub(super) struct More {
    /// The definitions of macros, each with the number of references before it.
    pub(super) defines: Vec<(usize, Define)>,
    /// Why not all of it was read, which matters once a config includes it.
    pub(super) cut: Option<String>,
    /// Its location in the game, for macros and includes.
    pub(super) home: Home,
    pub(super) copies: Option<Copies>,
    /// The names of the images inside the asset, sorted.
    pub(super) inside: Vec<Key>,
}

static NOTHING_MORE: More =
    More { defines: Vec::new(), cut: None, home: Home::NOWHERE, copies: None, inside: Vec::new() };

impl Asker {
    /// An asker without references.
    pub(super) fn new(path: Arc<Path>, member: Option<Name>) -> Self {
        let is_lua = is_lua(MemberPath::own_name(&path, member.as_ref()));
        Self {
            path,
            member,
            is_lua,
            in_game: false,
            is_followed: false,
            is_target: false,
            is_included: false,
            asks: Box::default(),
            root: None,
            around: OnceLock::new(),
            more: None,
            beside: OnceLock::new(),
            binding: OnceLock::new(),
        }
    }

    pub(super) fn more(&self) -> &More {
        match &self.more {
            Some(more) => more,
            None => &NOTHING_MORE,
        }
    }

    pub(super) fn more_mut(&mut self) -> &mut More {
        self.more.get_or_insert_default()
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

/// Who decides about the textures of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// The model.
    Own,
    /// Lua code that names the model.
    Lua,
    /// Perhaps Lua code: it builds names of models.
    Perhaps,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asker(path: &Arc<Path>, member: Option<&str>) -> Asker {
        Asker::new(path.clone(), member.map(|text| Name { text: text.to_owned(), lossy: false }))
    }

    /// A file comes before what is in it, and folders sort by their bytes.
    #[test]
    fn askers_are_in_the_order_of_their_paths_and_then_of_their_members() {
        let places = [
            ("a", None),
            ("a", Some("")),
            ("a", Some("M")),
            ("a", Some("m")),
            ("a", Some("m!/a")),
            ("a.b", None),
            ("a/b", Some("0")),
            ("a0", None),
            ("b", Some("a")),
        ];
        // Assets of one file may share its path, or not.
        let shared: Vec<Arc<Path>> = places.iter().map(|(path, _)| Path::new(path).into()).collect();
        for (a, &(path, member)) in places.iter().enumerate() {
            for (b, &(other_path, other_member)) in places.iter().enumerate() {
                let other = if path == other_path { &shared[a] } else { &shared[b] };
                for other in [other, &Path::new(other_path).into()] {
                    let order = asker(&shared[a], member).order(&asker(other, other_member));
                    assert_eq!(order, a.cmp(&b), "{path} {member:?} and {other_path} {other_member:?}");
                }
            }
        }
    }

    #[test]
    fn a_lua_text_is_known_by_the_name_of_the_file_or_of_the_member() {
        for (path, member, is_lua) in [
            ("a.lua", None, true),
            ("a.LUA", None, true),
            ("lua", None, false),
            ("a.lua/x", None, false),
            ("x.zip", Some("a.lua"), true),
            ("x.zip", Some("b.zip!/a.lua"), true),
            ("x.zip", Some("a.lua!/b"), false),
            ("a.lua", Some("b.txt"), false),
            ("a.txt", None, false),
        ] {
            let asker = asker(&Path::new(path).into(), member);
            assert_eq!(asker.is_lua, is_lua, "{path} {member:?}");
            let address = member.map_or(path.to_owned(), |member| format!("{path}!/{member}"));
            assert_eq!(asker.address().text, address);
        }
    }
}
