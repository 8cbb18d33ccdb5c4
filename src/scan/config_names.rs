//! What the name of a file says about it as a config.

use std::path::Path;

use crate::base::extension::has_extension;
use crate::formats::rap::looks::{self, Least};

/// Returns true if the extension is one of these, in any case.
pub(crate) fn extension_in(name: &Path, known: &[&str]) -> bool {
    known.iter().any(|known| has_extension(name, known))
}

fn is_called(name: &Path, known: &str) -> bool {
    // Members of archives have `\` between folders, on all systems.
    let mut parts = name.as_os_str().as_encoded_bytes().rsplit(|byte| matches!(byte, b'/' | b'\\'));
    let Some(own) = parts.next() else { return false };
    own.eq_ignore_ascii_case(known.as_bytes())
}

/// Returns true for names of configs and missions, and of texts that they may include.
pub(crate) fn is_config(name: &Path) -> bool {
    const KNOWN: &[&str] = &["rvmat", "bisurf", "cpp", "hpp", "cfg", "ext", "sqm", "h", "hh", "inc"];
    extension_in(name, KNOWN) || is_called(name, "config.bin")
}

/// Returns true for names of files that are configs, or damaged.
pub(crate) fn is_surely_config(name: &Path) -> bool {
    extension_in(name, &["rvmat", "bisurf", "sqm"])
        || ["config.cpp", "config.bin", "description.ext"].iter().any(|known| is_called(name, known))
}

/// Returns true for names of texts of missions, which name files in the folder of the mission.
pub(crate) fn is_mission(name: &Path) -> bool {
    extension_in(name, &["sqm"]) || is_called(name, "description.ext")
}

/// Returns true for names of materials, whose references belong to the assets that ask for them.
pub(crate) fn is_material(name: &Path) -> bool {
    extension_in(name, &["rvmat"])
}

/// Returns true for names of texts that mean nothing unless a config includes them.
pub(crate) fn is_included(name: &Path) -> bool {
    extension_in(name, &["cpp", "hpp", "h", "hh", "inc", "ext"])
        && !is_called(name, "config.cpp")
        && !is_called(name, "description.ext")
}

/// Returns true if a text with this name is a config by its content. Other programs have texts with the same names.
pub(crate) fn looks_like_config(name: &Path, text: &[u8]) -> bool {
    if extension_in(name, &["rvmat", "bisurf"]) {
        return true;
    }
    let least = if extension_in(name, &["cfg"]) {
        Least::Class
    } else if is_surely_config(name) {
        Least::Include
    } else {
        Least::Entry
    };
    looks::is_config(text, least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_configs_materials_and_included_texts_are_known_in_any_case() {
        for (name, config, material, included) in [
            ("config.cpp", true, false, false),
            ("CONFIG.CPP", true, false, false),
            ("a/Config.cpp", true, false, false),
            (r"a\Config.cpp", true, false, false),
            (r"a\b\config.bin", true, false, false),
            (r"a\description.ext", true, false, false),
            (r"a\myconfig.cpp", true, false, true),
            (r"config.cpp\a.cpp", true, false, true),
            ("config.hpp", true, false, true),
            ("a.cpp", true, false, true),
            ("myconfig.cpp", true, false, true),
            ("a.HPP", true, false, true),
            ("a.rvmat", true, true, false),
            ("a.RvMat", true, true, false),
            ("a.bisurf", true, false, false),
            ("model.cfg", true, false, false),
            ("description.ext", true, false, false),
            ("sounds.EXT", true, false, true),
            ("mission.sqm", true, false, false),
            ("macros.h", true, false, true),
            ("config.bin", true, false, false),
            ("texHeaders.bin", false, false, false),
            ("a.paa", false, false, false),
            ("cpp", false, false, false),
            (".cpp", false, false, false),
            ("a.cpp.txt", false, false, false),
            ("", false, false, false),
        ] {
            let name = Path::new(name);
            assert_eq!(
                (is_config(name), is_material(name), is_included(name)),
                (config, material, included),
                "{name:?}"
            );
        }
    }
}
