//! References of text configs, and the textures that ODOL models copied from materials.

use std::collections::HashSet;
use std::path::Path;

use super::keys::Key;
use super::prefix::{below, folded};
use crate::asset::Asset;
use crate::base::error::Error;
use crate::base::limits::Limits;
use crate::base::text::{ByteStr, Name};
use crate::formats::rap::text::{Reader, Way};
use crate::summary::{Problems, Reference, ReferenceKind, References};

/// A reference, and how it leads to a file.
pub(super) struct Ask {
    pub(super) reference: Reference,
    /// The line and column in a text.
    pub(super) place: Option<(u32, u32)>,
    pub(super) way: Way,
}

impl Ask {
    pub(super) fn of(reference: Reference) -> Self {
        Self { reference, place: None, way: Way::Path }
    }
}

/// The location of a config in the game's file system.
#[derive(Default)]
pub(super) struct Home {
    /// The folded root of its addon.
    pub(super) root: String,
    /// The folded path of the config.
    pub(super) path: String,
}

impl Home {
    /// Returns the folded path to which a macro or include leads.
    pub(super) fn resolve(&self, way: &Way, name: &str) -> Option<String> {
        let text = |bytes: &[u8]| folded(&Name::from(ByteStr::new(bytes)).text);
        let folder = |path: &str| path.rsplit_once('\\').map_or("", |(folder, _)| folder).to_owned();
        Some(match way {
            Way::Path => folded(name),
            Way::Built { is_below: false, path, .. } => text(path),
            Way::Built { addon: None, path, .. } => below(&self.root, &text(path)),
            Way::Built { addon: Some(addon), path, .. } => {
                below(&below(&folder(&self.root), &text(addon)), &text(path))
            }
            Way::Include if name.starts_with(['\\', '/']) => folded(name),
            Way::Include => plain(&below(&folder(&self.path), &folded(name))),
            _ => return None,
        })
    }
}

/// Returns a folded path without `.` and `..`.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('\\').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("\\")
}

fn extension_in(name: &Path, known: &[&str]) -> bool {
    let extension = name.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| known.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Returns true for names of text configs, and of files that they may include.
pub(super) fn is_config(name: &Path) -> bool {
    extension_in(name, &["rvmat", "bisurf", "cpp", "hpp", "cfg"])
}

/// Returns true for names of materials, whose references belong to the assets that ask for them.
pub(super) fn is_material(name: &Path) -> bool {
    extension_in(name, &["rvmat"])
}

/// Returns true for names of texts that mean nothing unless a config includes them.
pub(super) fn is_included(name: &Path) -> bool {
    let is_config = name.file_name().is_some_and(|name| name.eq_ignore_ascii_case("config.cpp"));
    extension_in(name, &["cpp", "hpp"]) && !is_config
}

/// The byte order of a text in UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Utf16 {
    Little,
    Big,
}

impl Utf16 {
    /// Returns the order if the text begins with a byte order mark, or if one byte of each pair at its start is 0.
    pub(super) fn of(data: &[u8]) -> Option<Self> {
        /// The bytes that are examined.
        const HEAD: usize = 64;
        let (pairs, _) = data.get(..HEAD).unwrap_or(data).as_chunks();
        match pairs {
            [] => None,
            [[0xff, 0xfe], ..] => Some(Self::Little),
            [[0xfe, 0xff], ..] => Some(Self::Big),
            pairs if pairs.iter().all(|[low, high]| *low != 0 && *high == 0) => Some(Self::Little),
            pairs if pairs.iter().all(|[high, low]| *low != 0 && *high == 0) => Some(Self::Big),
            _ => None,
        }
    }

    /// Returns the text in UTF-8, without the mark. Code units that are not characters become U+FFFD.
    pub(super) fn to_utf8(self, data: &[u8]) -> String {
        let (pairs, _) = data.as_chunks();
        let units = pairs.iter().map(|pair| match self {
            Self::Little => u16::from_le_bytes(*pair),
            Self::Big => u16::from_be_bytes(*pair),
        });
        let text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        match text.strip_prefix('\u{feff}') {
            Some(text) => text.to_owned(),
            None => text,
        }
    }
}

/// Returns the references of a text config, each once, and the error if they exceed the limit.
pub(super) fn asks(data: &[u8], limits: &Limits) -> (Vec<Ask>, Option<Error>) {
    let mut references = References::new(limits);
    let mut ways = Vec::new();
    for ask in Reader::new(data).filter_map(|event| event.ask()) {
        if references.add(ask.kind, ByteStr::new(&ask.name)) {
            ways.push((Some((ask.line, ask.column)), ask.way));
        }
    }
    let limit = references.limit_error();
    let list = references.into_vec(&mut Problems::new(limits));
    let asks = list.into_iter().zip(ways).map(|(reference, (place, way))| Ask { reference, place, way });
    (asks.collect(), limit)
}

/// The textures that an ODOL model copied from its materials: the keys of pairs of material and texture, and of each
/// material with any texture.
pub(super) struct Copies(pub(super) HashSet<Key>);

impl Copies {
    #[cfg(feature = "odol")]
    pub(super) fn of(asset: &Asset<'_>, key: impl Fn(&str) -> Key) -> Option<Self> {
        let Asset::Odol(model) = asset else { return None };
        let mut copies = HashSet::new();
        for lod in (0..model.lod_count()).map_while(|index| model.lod(index).ok().flatten()) {
            for material in &lod.materials {
                let name = Name::from(material.name).text;
                let textures = material.all_stages().map(|stage| stage.texture).filter(|texture| !texture.is_empty());
                let mut textures = textures.map(|texture| key(&pair(&name, &Name::from(texture).text))).peekable();
                if textures.peek().is_some() {
                    copies.insert(key(&pair(&name, "")));
                }
                copies.extend(textures);
            }
        }
        Some(Self(copies))
    }

    #[cfg(not(feature = "odol"))]
    pub(super) fn of(_: &Asset<'_>, _: impl Fn(&str) -> Key) -> Option<Self> {
        None
    }

    /// Returns true if the model copied textures from the material, but not this one.
    pub(super) fn lacks(&self, material: &str, texture: &str, key: impl Fn(&str) -> Key) -> bool {
        self.0.contains(&key(&pair(material, ""))) && !self.0.contains(&key(&pair(material, texture)))
    }
}

/// Combines a material and a texture of it into one text.
fn pair(material: &str, texture: &str) -> String {
    let texture = folded(texture);
    format!("{}\n{}", folded(material), as_paa(&texture).unwrap_or(texture))
}

/// Returns the name of the texture that the game loads for a `.tga` or `.png`.
pub(super) fn as_paa(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".tga").or_else(|| path.strip_suffix(".png"))?;
    Some(format!("{stem}.paa"))
}

/// Other paths to try if no file has this one.
pub(super) fn instead_of(path: &str, kind: ReferenceKind) -> Option<String> {
    match kind {
        ReferenceKind::Proxy | ReferenceKind::Model => Some(format!("{path}.p3d")),
        ReferenceKind::Texture => as_paa(path),
        _ => None,
    }
}
