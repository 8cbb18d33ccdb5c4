//! The files that the names in Lua texts of Luanti mods mean: the engine looks for media by file name alone, in the
//! `textures` and `models` folders of all mods.

use std::collections::{HashMap, HashSet};
use std::hash::RandomState;
use std::path::Path;
use std::sync::Arc;

use super::asker::Asker;
use super::configs::{Ask, extension_in};
use super::index::Index;
use super::keys::{Key, address, key, last, name_of};
use super::link::{Meant, Reason, Resolved, State};
use super::lua::IMAGES;
use super::prefix::{folded, text};
use crate::asset::address::unnumbered;
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

/// What the Lua texts of a scan say about models, and the media that were looked up.
#[derive(Default)]
pub(super) struct Media {
    /// The file names of models that Lua names, folded.
    named: HashSet<Key>,
    /// The folders around Lua texts that build names of models.
    building: HashSet<Key>,
    /// The files of each name.
    found: HashMap<Key, Arc<[usize]>>,
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

impl Media {
    pub(super) fn of(askers: &[Asker], hash: &RandomState) -> Self {
        let mut media = Self::default();
        for asker in askers {
            if !asker.is_lua {
                continue;
            }
            let mut is_building = false;
            for ask in &asker.asks {
                if ask.reference.kind != ReferenceKind::Model {
                    continue;
                }
                if ask.way == Way::Path {
                    media.named.insert(key(hash, &folded(&ask.reference.name.text)));
                }
                is_building |= ask.way == Way::Unresolved;
            }
            if is_building {
                let address = address(&asker.path, asker.member.as_ref()).text;
                for folder in folders(&address) {
                    media.building.insert(key(hash, folder));
                }
            }
        }
        media
    }

    fn binding(&self, asker: &Asker, hash: &RandomState) -> Binding {
        if self.named.is_empty() && self.building.is_empty() {
            return Binding::Own;
        }
        let name = name_of(&asker.path, asker.member.as_ref());
        if !extension_in(name, &["b3d"]) {
            return Binding::Own;
        }
        if self.named.contains(&key(hash, last(&folded(&text(name))))) {
            return Binding::Lua;
        }
        let address = address(&asker.path, asker.member.as_ref()).text;
        let Some(owner) = owner(&address) else { return Binding::Own };
        if self.building.contains(&key(hash, owner)) { Binding::Perhaps } else { Binding::Own }
    }
}

/// The folders around a file, outermost first, without separators at their ends. The first is the current folder.
fn folders(address: &str) -> impl Iterator<Item = &str> {
    let ends = address.match_indices(['/', '\\']).map(|(end, _)| end);
    std::iter::once(0).chain(ends).filter_map(|end| address.get(..end))
}

/// The folder of the mod that has this model: the one around the innermost `models`.
fn owner(address: &str) -> Option<&str> {
    let mut owner = None;
    for folder in folders(address) {
        if let Some(around) = folder.strip_suffix("models")
            && (around.is_empty() || around.ends_with(['/', '\\']))
        {
            owner = Some(around.trim_end_matches(['/', '\\']));
        }
    }
    owner
}

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
        if ask.way != Way::Path {
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
                around = format!("{archive}!/");
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
    use super::*;

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

    #[test]
    fn a_model_belongs_to_the_mod_around_its_folder() {
        for (path, expected) in [
            ("mods/a/models/x.b3d", Some("mods/a")),
            ("models/x.b3d", Some("")),
            ("/models/x.b3d", Some("")),
            ("a.zip!/a/models/b/x.b3d", Some("a.zip!/a")),
            ("models/a/models/x.b3d", Some("models/a")),
            ("a/x.b3d", None),
            ("a/mymodels/x.b3d", None),
        ] {
            assert_eq!(owner(path), expected, "{path}");
        }
        assert_eq!(folders("a/b/x.lua").collect::<Vec<_>>(), ["", "a", "a/b"]);
        assert_eq!(folders("x.lua").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn images_of_the_engine_are_known() {
        for (name, expected) in
            [("blank.png", true), ("blank", true), ("blank.b3d", false), ("blanks.png", false), ("x_blank.png", false)]
        {
            assert_eq!(is_built_in(name), expected, "{name}");
        }
    }
}
