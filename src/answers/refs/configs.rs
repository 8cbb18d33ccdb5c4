//! References of text configs, and the textures that ODOL models copied from materials.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use super::keys::{Key, key, last};
use super::prefix::{below, folded};
use crate::asset::Asset;
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::limits::Limits;
use crate::base::text::{ByteStr, Name};
use crate::formats::rap::macros::Define;
use crate::formats::rap::names::kind_of_key;
use crate::formats::rap::text::{Event, EventKind, Reader, Skipped, Step, Way};
use crate::scan::config_names::{is_included, looks_like_config};
use crate::summary::{Problems, Reference, ReferenceKind, References};

/// A reference, and how it leads to a file.
pub(super) struct Ask {
    pub(super) reference: Reference,
    /// What only the references of texts have.
    written: Option<Box<Written>>,
}

/// How a text writes a reference.
struct Written {
    /// The line and column.
    place: Option<(u32, u32)>,
    way: Way,
    /// The macros that it uses.
    usage: Option<Box<Usage>>,
}

impl Ask {
    /// The reference of an asset, whose name is a path.
    pub(super) fn of(reference: Reference) -> Self {
        Self { reference, written: None }
    }

    /// The reference of a text.
    pub(super) fn in_text(
        reference: Reference,
        place: Option<(u32, u32)>,
        way: Way,
        usage: Option<Box<Usage>>,
    ) -> Self {
        Self { reference, written: Some(Box::new(Written { place, way, usage })) }
    }

    /// The line and column in a text.
    pub(super) fn place(&self) -> Option<(u32, u32)> {
        self.written.as_ref()?.place
    }

    pub(super) fn way(&self) -> &Way {
        match &self.written {
            Some(written) => &written.way,
            None => &Way::Path,
        }
    }

    /// The macros that it uses.
    pub(super) fn usage(&self) -> Option<&Usage> {
        self.written.as_ref()?.usage.as_deref()
    }
}

/// A use of macros in a text.
pub(super) struct Usage {
    /// The text as written.
    pub(super) text: Box<[u8]>,
    shape: Shape,
    /// True if it names a file whatever the macros mean.
    pub(super) is_sure: bool,
}

/// Where a use of macros stands.
enum Shape {
    /// It is the value of this key.
    Value(Box<[u8]>),
    /// It is an item of the array of this key.
    Item(Box<[u8]>),
    /// It stands for entries.
    Entries,
}

impl Usage {
    /// The macros in an event, if it has any.
    fn of(kind: &EventKind<'_>) -> Option<Self> {
        let (text, shape) = match kind {
            EventKind::Value(key, value) if !value.is_quoted => (&*value.text, Shape::Value(key.as_bytes().into())),
            EventKind::Item(key, value) if !value.is_quoted => (&*value.text, Shape::Item(key.as_bytes().into())),
            EventKind::Call(call) => (call.as_bytes(), Shape::Entries),
            _ => return None,
        };
        let is_used = match &shape {
            Shape::Value(key) | Shape::Item(key) => has_call(text) || is_name(text) && kind_of_key(key).is_some(),
            Shape::Entries => true,
        };
        if !is_used {
            return None;
        }
        Some(Self { text: text.into(), shape, is_sure: false })
    }

    /// A config with this text in its place.
    pub(super) fn with(&self, text: &[u8]) -> Vec<u8> {
        match &self.shape {
            Shape::Value(key) => [key, &b" = "[..], text, b";"].concat(),
            Shape::Item(key) => [key, &b"[] = {"[..], text, b"};"].concat(),
            // Any line of the preprocessor marks a config.
            Shape::Entries => [b"#\n", text].concat(),
        }
    }

    /// Returns true if it stands for one value.
    pub(super) fn is_scalar(&self) -> bool {
        !matches!(self.shape, Shape::Entries)
    }

    pub(super) fn byte_len(&self) -> usize {
        let key = match &self.shape {
            Shape::Value(key) | Shape::Item(key) => key.len(),
            Shape::Entries => 0,
        };
        self.text.len().saturating_add(key)
    }
}

/// Returns true if a name is followed by a parenthesis.
fn has_call(text: &[u8]) -> bool {
    for place in memchr::memchr_iter(b'(', text) {
        if let Some((before, _)) = text.split_at_checked(place)
            && let Some(byte) = before.last()
            && is_name_byte(byte)
        {
            return true;
        }
    }
    false
}

/// Returns true for the name of a macro.
fn is_name(text: &[u8]) -> bool {
    let Some(first) = text.first() else { return false };
    !first.is_ascii_digit() && text.iter().all(is_name_byte)
}

fn is_name_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// The location of a config in the game's file system.
#[derive(Default)]
pub(super) struct Home {
    /// The folded root of its addon.
    pub(super) root: String,
    /// The folded path of the config.
    pub(super) path: String,
    /// Another path of it: below the folder that was given.
    pub(super) other: Option<String>,
}

impl Home {
    pub(super) const NOWHERE: Self = Self { root: String::new(), path: String::new(), other: None };

    /// Returns the folded path to which a macro or include leads.
    pub(super) fn resolve(&self, way: &Way, name: &str) -> Option<String> {
        Some(match way {
            Way::Path => folded(name),
            Way::Built { is_below: false, path, .. } => folded_bytes(path),
            Way::Built { addon: None, path, .. } => below(&self.root, &folded_bytes(path)),
            Way::Built { addon: Some(addon), path, .. } => {
                let addon = below(folder(&self.root), &folded_bytes(addon));
                below(&addon, &folded_bytes(path))
            }
            Way::Include if name.starts_with(['\\', '/']) => folded(name),
            Way::Include => plain(&below(folder(&self.path), &folded(name))),
            _ => return None,
        })
    }

    /// Returns another path to which a relative include leads.
    pub(super) fn resolve_other(&self, name: &str) -> Option<String> {
        if name.starts_with(['\\', '/']) {
            return None;
        }
        let other = self.other.as_ref()?;
        Some(plain(&below(folder(other), &folded(name))))
    }
}

fn folded_bytes(bytes: &[u8]) -> String {
    folded(&Name::from(ByteStr::new(bytes)).text)
}

/// The folder of a folded path.
pub(super) fn folder(path: &str) -> &str {
    match path.rsplit_once('\\') {
        Some((folder, _)) => folder,
        None => "",
    }
}

/// Returns a folded path without `.` and `..`.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('\\') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("\\")
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
        /// The mark at the start, in the order of the text.
        const MARK: u16 = 0xfeff;
        let (pairs, _) = data.as_chunks();
        let mut units = pairs.iter().map(|pair| self.unit(*pair)).peekable();
        units.next_if_eq(&MARK);
        let mut text = String::with_capacity(Self::most_in_utf8(data.len()));
        for unit in char::decode_utf16(units) {
            text.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        text
    }

    fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    /// The most bytes that the text takes in UTF-8: a code unit of two bytes may take three.
    pub(super) fn most_in_utf8(bytes: usize) -> usize {
        bytes.div_ceil(2).saturating_mul(3)
    }
}

/// The names and macros of a text config.
#[derive(Default)]
pub(super) struct Text {
    /// The references, each once.
    pub(super) asks: Vec<Ask>,
    /// The definitions of macros, each with the number of references before it.
    pub(super) defines: Vec<(usize, Define)>,
    /// True if its content is that of a config.
    pub(super) is_config: bool,
    /// The error if something is incomplete.
    pub(super) cut: Option<Error>,
}

/// An ask whose name is still in a list of references.
struct Listed {
    place: (u32, u32),
    way: Way,
    usage: Option<Box<Usage>>,
    /// The name and kind, if the list does not have them.
    reference: Option<Reference>,
}

impl Text {
    /// Reads a text config.
    pub(super) fn read(name: &Path, data: &[u8], limits: &Limits) -> Self {
        let is_config = looks_like_config(name, data);
        if !is_config && !is_included(name) {
            return Self::default();
        }
        let mut found = Findings::new(limits);
        let mut reader = Reader::new(data);
        while let Some(step) = reader.next_step() {
            match step {
                Step::Skipped(skipped, place) => found.skipped(skipped, place),
                Step::Event(event) => found.event(event),
            }
        }
        found.into_text(is_config, limits)
    }
}

/// The names and macros of a text, while it is read.
struct Findings {
    references: References,
    uses: Uses,
    /// The references and uses in their order.
    list: Vec<Listed>,
    /// The definitions, each with the number of entries of the list before it.
    defines: Vec<(usize, Define)>,
}

impl Findings {
    fn new(limits: &Limits) -> Self {
        Self { references: References::new(limits), uses: Uses::new(limits), list: Vec::new(), defines: Vec::new() }
    }

    fn skipped(&mut self, skipped: Skipped<'_>, place: (u32, u32)) {
        match skipped {
            Skipped::Define(text) => {
                if let Some(define) = Define::parse(text) {
                    self.defines.push((self.list.len(), define));
                }
            }
            Skipped::Undefine(text) => self.defines.push((self.list.len(), Define::undefine(text))),
            Skipped::Word(word) => {
                if is_name(word) {
                    self.add_use(Usage { text: word.into(), shape: Shape::Entries, is_sure: false }, place);
                }
            }
            // Names of files are found in both branches, and at any depth of arrays.
            Skipped::Condition(_)
            | Skipped::ArrayStart
            | Skipped::ArrayEnd
            | Skipped::ArraysEnd
            | Skipped::Lost(_)
            | Skipped::Enum(_) => {}
        }
    }

    fn event(&mut self, event: Event<'_>) {
        let place = (event.line, event.column);
        let usage = Usage::of(&event.kind);
        let Some(ask) = event.ask() else {
            if let Some(usage) = usage {
                self.add_use(usage, place);
            }
            return;
        };
        if !self.references.add(ask.kind, ByteStr::new(&ask.name)) {
            return;
        }
        let mut listed = Listed { place, way: ask.way, usage: None, reference: None };
        if let Some(mut usage) = usage {
            usage.is_sure = true;
            listed.usage = Some(Box::new(usage));
        }
        self.list.push(listed);
    }

    /// Adds a use that may or may not name a file.
    fn add_use(&mut self, usage: Usage, place: (u32, u32)) {
        // It is known, or there is no room.
        if !self.uses.add(&usage) {
            return;
        }
        let reference = Reference { kind: ReferenceKind::File, name: Name::from(ByteStr::new(&usage.text)) };
        let usage = Some(Box::new(usage));
        self.list.push(Listed { place, way: Way::Unresolved, usage, reference: Some(reference) });
    }

    fn into_text(self, is_config: bool, limits: &Limits) -> Text {
        let mut text = Text { asks: Vec::new(), defines: self.defines, is_config, cut: self.uses.cut };
        if text.cut.is_none() {
            text.cut = self.references.limit_error();
        }
        let mut named = self.references.into_vec(&mut Problems::new(limits)).into_iter();
        for Listed { place, way, usage, reference } in self.list {
            let reference = match reference {
                Some(reference) => reference,
                None => match named.next() {
                    Some(reference) => reference,
                    None => break,
                },
            };
            text.asks.push(Ask::in_text(reference, Some(place), way, usage));
        }
        text
    }
}

/// The uses of macros that may name files, each once.
struct Uses {
    hash: RandomState,
    known: HashSet<Key>,
    /// The bytes that may be kept.
    most: u64,
    /// Those of them that are left.
    left: u64,
    /// The error once there is no room for a use.
    cut: Option<Error>,
}

impl Uses {
    fn new(limits: &Limits) -> Self {
        let most = limits.reference_bytes;
        Self { hash: RandomState::new(), known: HashSet::new(), most, left: most, cut: None }
    }

    /// Returns true if a use is kept.
    fn add(&mut self, usage: &Usage) -> bool {
        /// The bytes of an entry.
        const BESIDE: u64 = 64;
        let key = match &usage.shape {
            Shape::Value(key) | Shape::Item(key) => &**key,
            Shape::Entries => &[],
        };
        if !self.known.insert(self.hash.hash_one((key, &usage.text))) {
            return false;
        }
        let bytes = (usage.byte_len() as u64).saturating_add(BESIDE);
        let Some(left) = self.left.checked_sub(bytes) else {
            if self.cut.is_none() {
                self.cut = Some(Error::limit("bytes of uses of macros", self.most, Code::ReferenceBytesLimit));
            }
            return false;
        };
        self.left = left;
        true
    }
}

/// The textures that an ODOL model copied from its materials: the keys of pairs of material and texture, and of each
/// material with any texture.
pub(super) struct Copies(pub(super) HashSet<Key>);

impl Copies {
    /// The copies in a model, or `None` for assets of other formats.
    #[cfg(feature = "odol")]
    pub(super) fn of(asset: &Asset<'_>, hash: &RandomState) -> Option<Self> {
        let Asset::Odol(model) = asset else { return None };
        let mut copies = HashSet::new();
        for index in 0..model.lod_count() {
            // Later LODs often name the same materials, and the model's own problems report the error.
            let Ok(Some(lod)) = model.lod(index) else { break };
            for material in &lod.materials {
                let name = Name::from(material.name).text;
                let mut has_textures = false;
                for stage in material.all_stages() {
                    if stage.texture.is_empty() {
                        continue;
                    }
                    has_textures = true;
                    copies.insert(key(hash, &pair(&name, &Name::from(stage.texture).text)));
                }
                // A material without textures in the model was not copied.
                if has_textures {
                    copies.insert(key(hash, &pair(&name, "")));
                }
            }
        }
        Some(Self(copies))
    }

    #[cfg(not(feature = "odol"))]
    pub(super) fn of(_: &Asset<'_>, _: &RandomState) -> Option<Self> {
        None
    }

    /// Returns true if the model copied textures from the material, but not this one.
    pub(super) fn lacks(&self, material: &str, texture: &str, hash: &RandomState) -> bool {
        self.0.contains(&key(hash, &pair(material, ""))) && !self.0.contains(&key(hash, &pair(material, texture)))
    }
}

/// Combines a material and a texture of it into one text.
fn pair(material: &str, texture: &str) -> String {
    let texture = folded(texture);
    format!("{}\n{}", folded(material), as_paa(&texture).unwrap_or(texture))
}

/// Returns the name of the texture that the game loads for a `.tga` or `.png`.
pub(super) fn as_paa(path: &str) -> Option<String> {
    for extension in [".tga", ".png"] {
        if let Some(stem) = path.strip_suffix(extension) {
            return Some(format!("{stem}.paa"));
        }
    }
    None
}

/// Other paths to try if no file has this one.
pub(super) fn instead_of(path: &str, kind: ReferenceKind) -> Option<String> {
    let has_extension = last(path).contains('.');
    match kind {
        ReferenceKind::Proxy | ReferenceKind::Model => Some(format!("{path}.p3d")),
        ReferenceKind::Texture if has_extension => as_paa(path),
        ReferenceKind::Texture if !path.is_empty() => Some(format!("{path}.paa")),
        // The animation of a state.
        ReferenceKind::File if !has_extension && !path.is_empty() => Some(format!("{path}.rtm")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_includes_have_no_dots() {
        for (path, expected) in [
            ("a.hpp", "a.hpp"),
            (r"a\b.hpp", r"a\b.hpp"),
            (r".\b.hpp", "b.hpp"),
            (r".\.\b.hpp", "b.hpp"),
            (r"a\.\b.hpp", r"a\b.hpp"),
            (r"a\b\.", r"a\b"),
            (r"a\\b.hpp", r"a\b.hpp"),
            (r"\a\b.hpp", r"a\b.hpp"),
            (r"a\..\b.hpp", "b.hpp"),
            (r"a\.\..\b.hpp", "b.hpp"),
            (r"a\b\..\..\c.hpp", "c.hpp"),
            (r"a\b\..", "a"),
            (r"..\b.hpp", "b.hpp"),
            (r"a\..\..\b.hpp", "b.hpp"),
            // Names that begin or end with dots.
            (r".a\b.hpp", r".a\b.hpp"),
            (r"a.\..b\...\c", r"a.\..b\...\c"),
            ("", ""),
            (".", ""),
            ("..", ""),
        ] {
            assert_eq!(plain(path), expected, "{path:?}");
        }
    }

    /// The rule from the end: each `..` takes the next name before it.
    fn plain_from_the_end(path: &str) -> String {
        let (mut kept, mut taken): (Vec<&str>, usize) = (Vec::new(), 0);
        for part in path.rsplit('\\') {
            match part {
                "" | "." => {}
                ".." => taken += 1,
                _ if taken > 0 => taken -= 1,
                _ => kept.insert(0, part),
            }
        }
        kept.join("\\")
    }

    #[test]
    fn every_short_path_has_no_dots() {
        let parts = ["", ".", "..", "...", "a", "b.c"];
        let mut paths: Vec<String> = parts.map(str::to_owned).to_vec();
        let mut first = 0;
        while paths.len() < 6 + 36 + 216 + 1_296 + 7_776 {
            let path = paths[first].clone();
            paths.extend(parts.map(|part| format!("{path}\\{part}")));
            first += 1;
        }
        for path in paths {
            assert_eq!(plain(&path), plain_from_the_end(&path), "{path:?}");
        }
    }

    #[test]
    fn a_call_is_a_name_before_any_parenthesis() {
        let calls = ["F(x)", "(F(x))", "(1) + f(", "_(", "a9(b)", "((a) (b(c"];
        let others = ["", "(", "(1 + 2)", "a (b)", "((x", "F", "\"(\" + (y)"];
        for (texts, expected) in [(&calls[..], true), (&others, false)] {
            for text in texts {
                assert_eq!(has_call(text.as_bytes()), expected, "{text}");
            }
        }
    }

    #[test]
    fn macros_lead_from_the_root_the_addon_or_its_neighbor() {
        for (root, folder, addon) in [(r"z\my", r"z\my\", r"z\other\"), ("my", r"my\", r"other\"), ("", "", r"other\")]
        {
            let home = Home { root: root.to_owned(), path: r"z\my\main\config.cpp".to_owned(), other: None };
            for path in ["A.paa", r"\a.paa", "data/A.paa", ""] {
                let own = path.trim_start_matches('\\').replace('/', r"\").to_lowercase();
                for (addon_of, is_below, before) in
                    [(None, false, ""), (None, true, folder), (Some("OTHER"), true, addon), (Some("OTHER"), false, "")]
                {
                    let way = Way::Built { addon: addon_of.map(|addon| addon.into()), is_below, path: path.into() };
                    let expected = format!("{before}{own}");
                    assert_eq!(home.resolve(&way, "QUOTE(x)"), Some(expected), "{root:?} {way:?}");
                }
            }
            assert_eq!(home.resolve(&Way::Unresolved, "x"), None);
            assert_eq!(home.resolve(&Way::Path, "/A/B.paa").as_deref(), Some(r"a\b.paa"));
        }
    }

    #[test]
    fn a_missing_path_is_tried_as_the_game_does() {
        use ReferenceKind::{File, Include, Material, Model, Proxy, Surface, Texture};
        for kind in [File, Include, Material, Model, Proxy, Surface, Texture] {
            for (path, paa) in [
                (r"a\b.tga", Some(r"a\b.paa")),
                ("b.png", Some("b.paa")),
                ("b.paa", None),
                ("b.tga.x", None),
                ("tga", Some("tga.paa")),
                (r"a.b\c", Some(r"a.b\c.paa")),
                (".tga", Some(".paa")),
                ("", None),
            ] {
                let is_bare = path == "tga" || path == r"a.b\c";
                let expected = match kind {
                    Texture => paa.map(str::to_owned),
                    File if is_bare => Some(path.to_owned() + ".rtm"),
                    Proxy | Model => Some(path.to_owned() + ".p3d"),
                    _ => None,
                };
                assert_eq!(instead_of(path, kind), expected, "{kind:?} {path:?}");
            }
        }
    }

    #[test]
    fn includes_lead_from_the_folder_of_their_config_or_from_the_root() {
        let home = Home { root: r"z\my".to_owned(), path: r"z\my\main\config.cpp".to_owned(), other: None };
        for (name, expected) in [
            ("a.hpp", r"z\my\main\a.hpp"),
            (r".\a.hpp", r"z\my\main\a.hpp"),
            ("./A.hpp", r"z\my\main\a.hpp"),
            (r"..\a.hpp", r"z\my\a.hpp"),
            ("../other/./a.hpp", r"z\my\other\a.hpp"),
            (r"\x\a.hpp", r"x\a.hpp"),
            ("/x/a.hpp", r"x\a.hpp"),
        ] {
            assert_eq!(home.resolve(&Way::Include, name).as_deref(), Some(expected), "{name:?}");
        }
    }

    /// Below the folder that was given, an include leads as it does in the game.
    #[test]
    fn relative_includes_lead_from_the_other_path_of_their_config_too() {
        let names =
            ["a.hpp", r".\a.hpp", "./A.hpp", r"..\a.hpp", r"..\..\a.hpp", "../other/./b/../a.hpp", r"b\a.hpp", ""];
        for other in ["config.cpp", r"mods\config.cpp", r"mods\main\sub\config.cpp"] {
            let here = Home { root: String::new(), path: other.to_owned(), other: None };
            let home = Home { root: "my".to_owned(), path: r"my\config.cpp".to_owned(), other: Some(other.to_owned()) };
            for name in names {
                assert_eq!(home.resolve_other(name), here.resolve(&Way::Include, name), "{name:?} from {other}");
                assert_eq!(here.resolve_other(name), None);
                for root in ["/", "\\"] {
                    assert_eq!(home.resolve_other(&format!("{root}{name}")), None, "{name:?} from {other}");
                }
            }
        }
    }

    #[test]
    fn a_copied_texture_is_that_of_the_material_in_any_spelling_of_both() {
        let hash = RandomState::new();
        let key = |text: &str| key(&hash, text);
        let copy_of = |material: &str, texture: &str| {
            Copies([key(&pair(material, "")), key(&pair(material, texture))].into_iter().collect())
        };
        let same = [r"a\b_co.paa", r"a\b_co.tga", r"a\b_co.png", "A/B_co.PAA", "a/b_CO.TGA", r"\a\b_co.Png"];
        let others = ["", r"a\b_co", r"a\b_co.jpg", r"a\b_co.tga.paa", r"a\c_co.paa", "b_co.paa", r"a\b_copaa"];
        for copied in same {
            for material in [r"m\a.rvmat", "M/A.rvmat", r"\m\A.RVMAT"] {
                let copies = copy_of(r"m\a.rvmat", copied);
                for texture in same {
                    assert!(!copies.lacks(material, texture, &hash), "{copied} {material} {texture}");
                }
                for texture in others.iter().filter(|other| !other.is_empty()) {
                    assert!(copies.lacks(material, texture, &hash), "{copied} {material} {texture}");
                    assert!(copy_of(r"m\a.rvmat", texture).lacks(material, copied, &hash), "{texture} {copied}");
                }
            }
            // Of this material nothing was copied.
            assert!(!copy_of(r"m\a.rvmat", copied).lacks(r"m\b.rvmat", r"a\c_co.paa", &hash));
        }
    }

    /// A text in UTF-16 of this order, with or without a mark.
    fn in_utf16(text: &str, order: Utf16, has_mark: bool) -> Vec<u8> {
        let mark = if has_mark { "\u{feff}" } else { "" };
        let units = mark.encode_utf16().chain(text.encode_utf16());
        units.flat_map(|unit| if order == Utf16::Big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn utf_16_is_known_by_its_mark_or_its_zeros() {
        let ascii = "class A { texture = \"a.paa\"; };\r\n".repeat(4);
        let wide = "// Текстура 地板 \u{1f600}\r\n".to_owned() + &ascii;
        for order in [Utf16::Little, Utf16::Big] {
            for text in [ascii.as_str(), &wide, "a", ""] {
                let marked = in_utf16(text, order, true);
                assert_eq!(Utf16::of(&marked), Some(order), "{text:?}");
                assert_eq!(order.to_utf8(&marked), text);
            }
            for text in [ascii.as_str(), "a", "ab"] {
                let bare = in_utf16(text, order, false);
                assert_eq!(Utf16::of(&bare), Some(order), "{text:?}");
                assert_eq!(order.to_utf8(&bare), text);
                // A byte is left over.
                assert_eq!(order.to_utf8(&[&bare[..], b"x"].concat()), text);
            }
            // A text that later has other letters.
            let text = format!("{ascii}{wide}");
            let bare = in_utf16(&text, order, false);
            assert_eq!((Utf16::of(&bare), order.to_utf8(&bare)), (Some(order), text));
            // Half of a pair of surrogates.
            let broken = in_utf16("a\u{1f600}b", order, true);
            let broken = [&broken[..6], &broken[8..]].concat();
            assert_eq!(order.to_utf8(&broken), "a\u{fffd}b");
        }
        for other in [
            &b""[..],
            b"a",
            b"\0",
            b"ab",
            b"\xef\xbb\xbfab",
            b"\0\0",
            b"a\0\0\0",
            b"a\0bc",
            b"\0a\0\0",
            b"\xff",
            b"\xfea",
        ] {
            assert_eq!(Utf16::of(other), None, "{other:?}");
        }
    }

    /// Each use of macros in a text, as the text of its place once it is `Y`.
    fn uses(text: &str) -> Vec<String> {
        let reader = Reader::new(text.as_bytes());
        let uses = reader.filter_map(|event| Usage::of(&event.kind));
        uses.map(|usage| String::from_utf8(usage.with(b"Y")).unwrap()).collect()
    }

    #[test]
    fn a_value_may_use_macros_if_it_is_a_call_or_a_name_where_a_file_may_be() {
        for (value, in_texture, in_any) in [
            ("F(x)", true, true),
            ("1 + F(x)", true, true),
            ("NAME", true, false),
            ("_n9", true, false),
            ("9n", false, false),
            ("12", false, false),
            ("(1 + 2)", false, false),
            ("a-b", false, false),
            ("a\\b", false, false),
            ("\"NAME\"", false, false),
            ("\"F(x)\"", false, false),
        ] {
            for (key, is_used) in [("texture", in_texture), ("Texture", in_texture), ("mass", in_any)] {
                let of_value = uses(&format!("{key} = {value};"));
                let of_item = uses(&format!("{key}[] = {{1, {{{value}}}}};"));
                let expected = |text: String| Vec::from_iter(Some(text).filter(|_| is_used));
                assert_eq!(of_value, expected(format!("{key} = Y;")), "{key} {value}");
                assert_eq!(of_item, expected(format!("{key}[] = {{Y}};")), "{key} {value}");
            }
        }
        assert_eq!(uses("F(x)\nclass A {}; class B; delete C;\n#include \"a.hpp\"\nG(y);"), ["#\nY", "#\nY"]);
    }

    #[test]
    fn the_references_of_a_text_are_in_order_each_once_with_the_definitions_between_them() {
        let text = b"#define A 1\ntexture = \"a.paa\";\ntexture = \"A.paa\";\ntexture = \"a.paa\";\n#undef A\n\
            material = \"a.rvmat\";\nWORD\nF(x)\nWORD\n#include \"h.hpp\"\nmass = F(y);\nmass = F(y);\nweight = F(y);\n\
            texture = F(b.paa);\n#define B\n";
        let Text { asks, defines, is_config, cut } = Text::read(Path::new("config.cpp"), text, &Limits::default());
        let row = |ask: &Ask| {
            let usage = ask.usage().map_or("", |usage| if usage.is_sure { " sure" } else { " perhaps" });
            format!("{} {}{usage}", ask.place().unwrap().0, ask.reference.name.text)
        };
        let expected = [
            "2 a.paa",
            "3 A.paa",
            "6 a.rvmat",
            "7 WORD perhaps",
            "8 F(x) perhaps",
            "10 h.hpp",
            "11 F(y) perhaps",
            "13 F(y) perhaps",
            "14 F(b.paa) sure",
        ];
        assert_eq!(asks.iter().map(row).collect::<Vec<_>>(), expected);
        assert_eq!(defines.iter().map(|(before, _)| *before).collect::<Vec<_>>(), [0, 2, 9]);
        assert!(is_config && cut.is_none());
    }

    #[test]
    fn uses_of_macros_take_64_bytes_and_their_texts_up_to_the_limit() {
        let usage = |key: Option<&str>, text: &str| {
            let shape = match key {
                Some(key) => Shape::Value(key.as_bytes().into()),
                None => Shape::Entries,
            };
            Usage { text: text.as_bytes().into(), shape, is_sure: false }
        };
        for reference_bytes in [0, 66, 67, 68, 136, 137, 138, 500] {
            let mut uses = Uses::new(&Limits::default().with_reference_bytes(reference_bytes));
            let mut left = reference_bytes;
            let mut is_cut = false;
            for (key, text, bytes) in
                [(None, "abc", 67), (Some("key"), "long", 71), (None, "", 64), (Some("k"), "", 65)]
            {
                let is_kept = bytes <= left;
                left -= if is_kept { bytes } else { 0 };
                is_cut |= !is_kept;
                assert_eq!(uses.add(&usage(key, text)), is_kept, "{text} {reference_bytes}");
                // The same use counts once, whether or not there was room.
                assert!(!uses.add(&usage(key, text)));
                assert_eq!((uses.left, uses.cut.is_some()), (left, is_cut), "{text} {reference_bytes}");
            }
            if let Some(error) = &uses.cut {
                assert!(error.to_string().contains("bytes of uses of macros"), "{error}");
                assert_eq!(error.code(), Code::ReferenceBytesLimit);
            }
        }
    }

    /// Whatever does not fit, the other names keep their places.
    #[test]
    fn names_within_the_limit_keep_their_lines_and_a_missing_one_is_said() {
        let mut text = String::from("class A;\n");
        for number in 0..6 {
            text += &format!("texture = \"{}{number}.paa\";\nmass = F({number});\n", "long".repeat(number % 3 * 9));
        }
        let all: Vec<&str> = text.lines().collect();
        let mut counts = Vec::new();
        for reference_bytes in 0..900 {
            let limits = Limits::default().with_reference_bytes(reference_bytes);
            let Text { asks, cut, .. } = Text::read(Path::new("config.cpp"), text.as_bytes(), &limits);
            let mut before = 0;
            for ask in &asks {
                let (line, _) = ask.place().unwrap();
                assert!(all[line as usize - 1].contains(&ask.reference.name.text), "{reference_bytes}: {line}");
                assert_eq!(ask.usage().is_some(), *ask.way() == Way::Unresolved, "{reference_bytes}: {line}");
                assert!(line > before, "{reference_bytes}");
                before = line;
            }
            assert_eq!(cut.is_some(), asks.len() < 12, "{reference_bytes}");
            counts.push(asks.len());
        }
        assert!(counts.is_sorted() && counts.first() == Some(&0) && counts.last() == Some(&12), "{counts:?}");
    }
}
