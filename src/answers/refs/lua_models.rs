//! What the Lua texts of a scan say about models: which of them Lua gives their textures.

use std::collections::{HashMap, HashSet};
use std::hash::RandomState;
use std::sync::Arc;

use super::asker::{Asker, Binding};
use super::keys::{Key, address, key, last};
use super::prefix::{folded, text};
use crate::asset::address::MemberPath;
use crate::formats::rap::text::Way;
use crate::scan::config_names::extension_in;
use crate::summary::ReferenceKind;

/// The textures that Lua texts give to models, and the media that were looked up.
#[derive(Default)]
pub(super) struct Media {
    /// The file names of models that Lua names, folded.
    named: HashSet<Key>,
    /// The folders around Lua texts that build names of models.
    building: HashSet<Key>,
    /// The files of each name.
    pub(super) found: HashMap<Key, Arc<[usize]>>,
}

impl Media {
    pub(super) fn of(askers: &[Asker], hash: &RandomState) -> Self {
        let mut media = Self::default();
        for asker in askers {
            if !asker.is_lua {
                continue;
            }
            let mut builds_names = false;
            for ask in &asker.asks {
                if ask.reference.kind != ReferenceKind::Model {
                    continue;
                }
                if *ask.way() == Way::Path {
                    media.named.insert(key(hash, &folded(&ask.reference.name.text)));
                }
                builds_names |= *ask.way() == Way::Unresolved;
            }
            // The script makes a name when it runs: that of any model in its folders.
            if builds_names {
                let address = address(&asker.path, asker.member.as_ref()).text;
                for folder in folders(&address) {
                    media.building.insert(key(hash, folder));
                }
            }
        }
        media
    }

    pub(super) fn binding(&self, asker: &Asker, hash: &RandomState) -> Binding {
        if self.named.is_empty() && self.building.is_empty() {
            return Binding::Own;
        }
        let name = MemberPath::own_name(&asker.path, asker.member.as_ref());
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
pub(super) fn folders(address: &str) -> impl Iterator<Item = &str> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
