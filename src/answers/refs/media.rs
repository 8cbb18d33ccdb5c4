//! The files that the names in Lua texts of Luanti mods mean: the engine looks for media by file name alone, in the
//! `textures` and `models` folders of all mods.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::asker::{Asker, Binding};
use super::configs::Ask;
use super::index::Index;
use super::keys::key;
use super::lua::IMAGES;
use super::lua_models::folders;
use super::prefix::folded;
use super::resolved::{Meant, Reason, Resolved, State};
use crate::asset::address::{MemberPath, unnumbered};
use crate::base::error::Result;
use crate::formats::rap::text::Way;
use crate::summary::{Reference, ReferenceKind};

/// The folders of a mod whose files the engine sends to players.
const FOLDERS: [&str; 4] = ["textures", "models", "media", "sounds"];

/// Images that the engine itself has, without their extension `.png`, as far as mods use them.
const BUILT_IN: [&str; 28] = [
    "air",
    "blank",
    "bubble",
    "bubble_gone",
    "crack_anylength",
    "halo",
    "heart",
    "heart_gone",
    "ignore",
    "logo",
    "minimap_mask_round",
    "minimap_mask_square",
    "minimap_overlay_round",
    "minimap_overlay_square",
    "no_texture",
    "no_texture_airlike",
    "object_marker_red",
    "player",
    "player_back",
    "player_marker",
    "progress_bar",
    "progress_bar_bg",
    "smoke_puff",
    "sunrisebg",
    "unknown_item",
    "unknown_node",
    "unknown_object",
    "wieldhand",
];

/// The folder of a file that the engine sends to players, and the length of the part up to a folder such as `textures`.
fn media_folder(path: &str) -> Option<(&str, usize)> {
    let folder = path.get(..path.rfind(['/', '\\'])?)?;
    let mut start = 0_usize;
    let mut root = None;
    for part in folder.split(['/', '\\']) {
        let end = start.saturating_add(part.len());
        if root.is_none() && FOLDERS.contains(&part) {
            root = Some(end);
        } else if root.is_some() && part.starts_with(['_', '.']) {
            return None;
        }
        start = end.saturating_add(1);
    }
    Some((folder, root?))
}

/// A file with the name of a medium, in a folder that the engine sends to players.
struct Candidate {
    /// Its number in the index.
    number: usize,
    folder: String,
    /// The length of the part of `folder` up to a folder such as `textures`.
    root: usize,
}

impl Index {
    /// Finds the media that a reference of a Lua text means.
    pub(super) fn resolve_lua(&mut self, ask: &Ask) -> Result<Resolved> {
        if *ask.way() != Way::Path {
            let note = Some("Lua code builds the name".to_owned());
            return Ok(Resolved { note, ..Resolved::new(State::Unresolved, Meant::Files([].into())) });
        }
        let reference = &ask.reference;
        let name = reference.name.text.as_str();
        let files = self.media(reference)?;
        let state = match files.len() {
            1 => State::Found,
            0 if is_built_in(name) || self.is_assumed_media(name) => State::Found,
            0 => State::Missing,
            _ => State::Ambiguous,
        };
        let meant = match state {
            State::Missing => Meant::Elsewhere(self.elsewhere(&folded(name), ReferenceKind::File)),
            _ => Meant::Files(files),
        };
        let reason = if state == State::Found { Some(Reason::Lua) } else { None };
        Ok(Resolved { reason, ..Resolved::new(state, meant) })
    }

    /// Finds the media that a missing texture of a model means, if Lua code gives the model its textures.
    pub(super) fn resolve_bound(&mut self, asker: &Asker, reference: &Reference) -> Result<Option<Resolved>> {
        let binding = asker.binding.get_or_init(|| self.media.binding(asker, &self.hash));
        let state = match binding {
            Binding::Own => return Ok(None),
            Binding::Lua => State::Procedural,
            Binding::Perhaps => State::Unresolved,
        };
        let name = reference.name.text.rsplit(['/', '\\']).next().unwrap_or_default();
        let files = self.media_named(name)?;
        let state = match files.len() {
            0 => state,
            1 => State::Found,
            _ => State::Ambiguous,
        };
        let reason = if state == State::Found { Some(Reason::Lua) } else { None };
        Ok(Some(Resolved { reason, ..Resolved::new(state, Meant::Files(files)) }))
    }

    /// The media of this name. An image may have another extension.
    fn media(&mut self, reference: &Reference) -> Result<Arc<[usize]>> {
        let name = reference.name.text.as_str();
        let mut files = self.media_named(name)?;
        if reference.kind != ReferenceKind::Texture {
            return Ok(files);
        }
        let stem = without_image_extension(name);
        for extension in IMAGES {
            if !files.is_empty() {
                break;
            }
            files = self.media_named(&format!("{stem}.{extension}"))?;
        }
        Ok(files)
    }

    /// The media of exactly this name, by their addresses. Computed once for all callers.
    fn media_named(&mut self, name: &str) -> Result<Arc<[usize]>> {
        let own = key(&self.hash, name);
        self.cost.compare(name.len())?;
        if let Some(known) = self.media.found.get(&own) {
            return Ok(known.clone());
        }
        let named = self.elsewhere(&folded(name), ReferenceKind::File);
        let mut candidates = Vec::new();
        for &number in &*named {
            let Some(file) = self.files.get(number) else { continue };
            let path = self.text_of(file);
            self.cost.compare(path.len())?;
            let path = if file.archive.is_some() { unnumbered(path) } else { path };
            let is_named = path.rsplit(['/', '\\']).next() == Some(name);
            if !is_named {
                continue;
            }
            let Some((folder, root)) = media_folder(path) else { continue };
            let mut around = String::new();
            if let Some(archive) = file.archive {
                around = MemberPath::join_text(&archive.to_string(), Some(""));
            }
            let root = around.len().saturating_add(root);
            candidates.push(Candidate { number, folder: around + folder, root });
        }
        let known: HashSet<&str> = candidates.iter().map(|candidate| candidate.folder.as_str()).collect();
        let mut files = Vec::new();
        for Candidate { number, folder, root } in &candidates {
            // A folder's own file comes before those in the folders below.
            let is_below_another = folders(folder).any(|around| around.len() >= *root && known.contains(around));
            if !is_below_another {
                files.push(*number);
            }
        }
        let files = self.unique(files);
        self.take(name.len())?;
        self.media.found.insert(own, files.clone());
        Ok(files)
    }

    /// Returns true if the name begins with the name of a mod that the user assumes to be there: `default` has
    /// `default_stone.png`.
    fn is_assumed_media(&self, name: &str) -> bool {
        let name = folded(name);
        for prefix in &self.assumed {
            let Some(rest) = name.strip_prefix(prefix.as_str()) else { continue };
            if prefix.ends_with('_') || rest.starts_with(['_', '.']) {
                return true;
            }
        }
        false
    }
}

fn without_image_extension(name: &str) -> &str {
    for extension in IMAGES {
        if let Some(stem) = name.strip_suffix(extension)
            && let Some(stem) = stem.strip_suffix('.')
        {
            return stem;
        }
    }
    name
}

fn is_built_in(name: &str) -> bool {
    let Some(stem) = Path::new(name).file_stem() else { return false };
    let is_image = name.ends_with(".png") || !name.contains('.');
    is_image && BUILT_IN.iter().any(|known| stem == *known)
}

#[cfg(test)]
mod tests {
    use std::hash::RandomState;

    use super::*;
    use crate::answers::refs::lua_models::Media;

    #[test]
    fn media_are_in_folders_that_the_engine_reads() {
        for (path, expected) in [
            ("mods/a/textures/x.png", Some(("mods/a/textures", 15))),
            ("textures/x.png", Some(("textures", 8))),
            (r"a\models\sub\x.b3d", Some((r"a\models\sub", 8))),
            ("a/textures/models/x.png", Some(("a/textures/models", 10))),
            ("a/media/_old/x.png", None),
            ("a/media/.old/x.png", None),
            ("a/_b/media/x.png", Some(("a/_b/media", 10))),
            ("a/Textures/x.png", None),
            ("a/src/x.png", None),
            ("x.png", None),
        ] {
            assert_eq!(media_folder(path), expected, "{path}");
        }
    }

    /// An assumed mod has the files of its name, and those whose names go on after `_`.
    #[test]
    fn media_of_assumed_mods_begin_with_the_whole_name_of_the_mod() {
        let names = [
            ("default.png", true, false),
            ("default_stone.png", true, true),
            ("DEFAULT_Stone.png", true, true),
            ("default_.png", true, true),
            ("default", false, false),
            ("defaults.png", false, false),
            ("default-stone.png", false, false),
            ("default stone_x.png", false, false),
            ("my_default_stone.png", false, false),
            ("my_default.png", false, false),
            ("stone.default", false, false),
            (".png", false, false),
            ("", false, false),
        ];
        for (assumed, is_begun) in [
            (&["default"][..], false),
            (&["Default"], false),
            (&["other", "default"], false),
            (&["default", "other_"], false),
            (&["default_"], true),
            (&["other", "DEFAULT_"], true),
        ] {
            let assumed: Vec<String> = assumed.iter().map(|name| (*name).to_owned()).collect();
            let index = Index::new(&crate::scan::Scan::new([""]), &assumed);
            for (name, of_mod, of_beginning) in names {
                let expected = if is_begun { of_beginning } else { of_mod };
                assert_eq!(index.is_assumed_media(name), expected, "{name} with {assumed:?}");
            }
        }
        assert!(!Index::new(&crate::scan::Scan::new([""]), &[]).is_assumed_media("default.png"));
    }

    #[test]
    fn images_of_the_engine_are_known() {
        for (name, expected) in
            [("blank.png", true), ("blank", true), ("blank.b3d", false), ("blanks.png", false), ("x_blank.png", false)]
        {
            assert_eq!(is_built_in(name), expected, "{name}");
        }
    }
    fn ask(kind: ReferenceKind, way: Way, name: &str) -> Ask {
        let reference = Reference { kind, name: crate::base::text::Name::from(Path::new(name)) };
        Ask::in_text(reference, None, way, None)
    }

    #[test]
    fn an_image_is_found_by_its_name_or_by_the_first_other_extension() {
        use super::super::prefix::Given;
        let images = ["png", "jpg", "tga", "bmp", "jpeg"];
        for there in 0..1 << images.len() {
            let mut index = Index::new(&crate::scan::Scan::new(["none"]), &[]);
            index.allow_cost();
            index.given_prefix_files = Some(Given::new());
            let mut files = Vec::new();
            for (number, ending) in images.iter().enumerate() {
                let is_there = there >> number & 1 != 0;
                let file =
                    index.add_file(None, &format!("m/{}/a.{ending}", if is_there { "textures" } else { "src" }), false);
                files.push((*ending, file, is_there));
            }
            index.sort();
            for asked in ["png", "jpg", "tga", "bmp", "jpeg", "gif", ""] {
                let name = if asked.is_empty() { "a".to_owned() } else { format!("a.{asked}") };
                let same = files.iter().find(|(ending, _, is_there)| *is_there && *ending == asked);
                let first = files.iter().find(|(.., is_there)| *is_there);
                for kind in [ReferenceKind::Texture, ReferenceKind::Model, ReferenceKind::File] {
                    // Only images have other extensions, and `a.gif` is no image of the engine.
                    let is_image = kind == ReferenceKind::Texture && asked != "gif";
                    let expected = if is_image { same.or(first) } else { same };
                    let resolved = index.resolve_lua(&ask(kind, Way::Path, &name)).unwrap();
                    let found: Vec<usize> = resolved.meant.files().collect();
                    assert_eq!(found, Vec::from_iter(expected.map(|(_, file, _)| *file)), "{there:b} {name} {kind:?}");
                    let state = if expected.is_some() { State::Found } else { State::Missing };
                    assert_eq!(resolved.state, state, "{there:b} {name} {kind:?}");
                }
            }
        }
    }

    /// The first text names a model, the second builds names of models.
    #[test]
    fn a_model_has_its_textures_from_lua_if_a_text_names_it_or_may() {
        let hash = RandomState::new();
        let lua = |path: &str, asks: Vec<Ask>| {
            let mut asker = Asker::new(Path::new(path).into(), None);
            asker.asks = asks.into();
            asker
        };
        let models = [
            ("m/models/Named.b3d", true, true),
            ("n/models/named.B3D", true, false),
            ("m/models/sub/x.b3d", false, true),
            ("m/sub/models/x.b3d", false, false),
            ("m/x.b3d", false, false),
            ("n/models/x.b3d", false, false),
            ("m/models/x.p3d", false, false),
            ("m/models/named.obj", false, false),
        ];
        for is_naming in [false, true] {
            for is_building in [false, true] {
                let mut texts = vec![
                    // Neither an image nor a text of another language says anything.
                    lua("m/src/a.lua", vec![ask(ReferenceKind::Texture, Way::Unresolved, "x..\".png\"")]),
                    lua("n/init.cpp", vec![ask(ReferenceKind::Model, Way::Unresolved, "x")]),
                ];
                if is_naming {
                    texts.push(lua("o/init.lua", vec![ask(ReferenceKind::Model, Way::Path, "NAMED.b3d")]));
                }
                if is_building {
                    // One that it builds, between others.
                    let built = ask(ReferenceKind::Model, Way::Unresolved, "x..\".b3d\"");
                    let others = ["y.b3d", "z.b3d"].map(|name| ask(ReferenceKind::Model, Way::Path, name));
                    let [first, last] = others;
                    texts.push(lua("m/src/b.lua", vec![first, built, last]));
                }
                let media = Media::of(&texts, &hash);
                for (model, is_named, is_of_builder) in models {
                    let expected = match (is_naming && is_named, is_building && is_of_builder) {
                        (true, _) => Binding::Lua,
                        (false, true) => Binding::Perhaps,
                        (false, false) => Binding::Own,
                    };
                    let model = Asker::new(Path::new(model).into(), None);
                    assert_eq!(media.binding(&model, &hash), expected, "{:?} {is_naming} {is_building}", model.path);
                }
            }
        }
    }

    /// Files that are given, loose or in an archive, as an index knows them.
    fn given(files: &[(Option<usize>, &str)]) -> Index {
        use super::super::prefix::Given;
        use super::super::seen::Listing;
        let mut index = Index::new(&crate::scan::Scan::new(["none"]), &[]);
        index.allow_cost();
        index.given_prefix_files = Some(Given::new());
        for path in ["a.zip", "b.zip"] {
            index.add_archive(Path::new(path).into(), None, Listing::default()).unwrap();
        }
        for (archive, path) in files {
            index.add_file(*archive, path, false);
        }
        index.sort();
        index
    }

    #[test]
    fn a_file_of_a_folder_goes_before_those_in_the_folders_below_it() {
        let files = [
            (None, "m/textures/x.png"),
            (None, "m/textures/sub/x.png"),
            (None, "m/textures/sub/deep/x.png"),
            (None, "m/textures/subs/x.png"),
            (None, "n/textures/x.png"),
            (Some(0), "m/textures/x.png"),
            (Some(0), "m/textures/sub/x.png"),
            (Some(1), "m/textures/sub/x.png"),
        ];
        // The files that hide each other, by their places in the list.
        let hides = [&[1, 2, 3][..], &[2], &[], &[], &[], &[6], &[], &[]];
        for there in 0_usize..1 << files.len() {
            let is_there = |file: usize| there >> file & 1 != 0;
            let chosen: Vec<usize> = (0..files.len()).filter(|&file| is_there(file)).collect();
            let mut index = given(&Vec::from_iter(chosen.iter().map(|&file| files[file])));
            let is_hidden = |file: usize| chosen.iter().any(|&other| hides[other].contains(&file));
            let mut expected: Vec<usize> = chosen.iter().copied().filter(|&file| !is_hidden(file)).collect();
            // By their addresses.
            expected.sort_by_key(|&file| (files[file].0.map_or("m", |archive| ["a", "b"][archive]), files[file]));
            let found = index.media_named("x.png").unwrap();
            assert_eq!(found.iter().map(|&file| chosen[file]).collect::<Vec<_>>(), expected, "{there:b}");
        }
    }

    #[test]
    fn a_missing_texture_of_a_model_is_what_its_binding_and_the_media_say() {
        for binding in [Binding::Own, Binding::Lua, Binding::Perhaps] {
            for count in 0..3 {
                for name in ["x.png", "sub/x.png", r"C:\old\x.png", "X.png"] {
                    let files = [(None, "m/textures/x.png"), (None, "n/textures/x.png")];
                    let mut index = given(&files[..count]);
                    let asker = Asker::new(Path::new("m/models/a.b3d").into(), None);
                    asker.binding.set(binding).unwrap();
                    let ask = ask(ReferenceKind::Texture, Way::Path, name);
                    let resolved = index.resolve_bound(&asker, &ask.reference).unwrap();
                    // Case counts.
                    let count = if name == "X.png" { 0 } else { count };
                    let expected = match (binding, count) {
                        (Binding::Own, _) => None,
                        (_, 1) => Some((State::Found, Some(Reason::Lua))),
                        (_, 2) => Some((State::Ambiguous, None)),
                        (Binding::Lua, _) => Some((State::Procedural, None)),
                        (Binding::Perhaps, _) => Some((State::Unresolved, None)),
                    };
                    let found = resolved.as_ref().map(|resolved| (resolved.state, resolved.reason));
                    assert_eq!(found, expected, "{binding:?} {count} {name}");
                    let files = resolved.map_or(0, |resolved| resolved.meant.files().count());
                    assert_eq!(files, if binding == Binding::Own { 0 } else { count }, "{binding:?} {name}");
                }
            }
        }
    }

    #[test]
    fn a_name_in_lua_is_found_in_one_file_or_in_the_engine_or_in_an_assumed_mod() {
        let built = Way::Built { addon: None, is_below: false, path: b"x".to_vec() };
        for (name, is_known) in
            [("x.png", false), ("air.png", true), ("air", true), ("my_x.png", true), ("other_x.png", false)]
        {
            for count in 0..3 {
                let paths = ["m", "n"].map(|folder| format!("{folder}/textures/{name}"));
                let mut index = given(&paths.each_ref().map(|path| (None, path.as_str()))[..count]);
                index.add_file(None, &format!("q/src/{name}"), false);
                index.sort();
                index.assumed = vec!["my".to_owned()];
                for way in [Way::Path, Way::Unresolved, Way::Include, built.clone()] {
                    let is_path = way == Way::Path;
                    let resolved = index.resolve_lua(&ask(ReferenceKind::Texture, way, name)).unwrap();
                    let expected = match count {
                        _ if !is_path => (State::Unresolved, None),
                        1 => (State::Found, Some(Reason::Lua)),
                        2 => (State::Ambiguous, None),
                        _ if is_known => (State::Found, Some(Reason::Lua)),
                        _ => (State::Missing, None),
                    };
                    assert_eq!((resolved.state, resolved.reason), expected, "{name} {count}");
                    assert_eq!(resolved.meant.files().count(), if is_path { count } else { 0 }, "{name} {count}");
                    let elsewhere = if let Meant::Elsewhere(files) = &resolved.meant { files.len() } else { 0 };
                    assert_eq!(elsewhere, usize::from(expected.0 == State::Missing), "{name} {count}");
                    assert_eq!(resolved.note.is_some(), !is_path);
                }
            }
        }
    }
}
