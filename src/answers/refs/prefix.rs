//! Locates loose files in the game's file system: prefixes of folders, from files such as `$PBOPREFIX$`.

use std::collections::{HashMap, HashSet};
use std::hash::RandomState;
use std::path::{Path, PathBuf};

use super::keys::{Key, folders_around, path_key};
use crate::base::text::ByteStr;
use crate::base::text::Name;

/// Names of prefix files, in lower case. The first one in a folder counts.
const PREFIX_FILES: [&str; 5] = ["$pboprefix$", "$pboprefix$.txt", "$prefix$", "$prefix$.txt", "pboprefix.txt"];
/// Files that make a folder an addon.
const CONFIGS: [&str; 2] = ["config.cpp", "config.bin"];
/// A larger file is not a prefix file.
pub(super) const LARGEST_PREFIX_FILE: u64 = 4096;

/// The contents of prefix files.
pub(super) type Given = HashMap<PathBuf, Vec<u8>>;

/// Returns true for paths of prefix files.
pub(super) fn is_prefix_file(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    PREFIX_FILES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The prefixes of folders.
pub(super) struct Prefixes<'p> {
    hash: &'p RandomState,
    /// Prefixes from files.
    stored: HashMap<Key, Prefix<'p>>,
    addons: HashMap<Key, &'p Path>,
    /// The given folders, with their own names.
    roots: Vec<(&'p Path, String)>,
}

/// Where a file is in the game.
pub(super) struct Places<'p> {
    /// The folder that its paths start from.
    pub(super) root: Option<&'p Path>,
    /// True if a file or the user gives the prefix of this folder.
    pub(super) has_prefix: bool,
    /// Its folded paths, each after the prefix or folder name that it is below.
    pub(super) paths: Vec<(String, String)>,
}

/// The prefix of a folder, from a file in it.
struct Prefix<'p> {
    folder: &'p Path,
    /// The rank of the file's name.
    rank: usize,
    text: String,
}

impl<'p> Prefixes<'p> {
    /// Reads prefix files from the given ones, if there are such, else from the file system.
    pub(super) fn of(files: &'p [PathBuf], roots: &'p [PathBuf], given: Option<&Given>, hash: &'p RandomState) -> Self {
        let mut prefixes = Self { hash, stored: HashMap::new(), addons: HashMap::new(), roots: Vec::new() };
        prefixes.add_roots(files, roots, given.is_some());
        for path in files {
            let Some(folder) = path.parent() else { continue };
            let Some(name) = path.file_name() else { continue };
            if CONFIGS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                prefixes.addons.insert(path_key(hash, folder), folder);
            }
            if let Some(rank) = PREFIX_FILES.iter().position(|known| name.eq_ignore_ascii_case(known)) {
                prefixes.add_file(path, folder, rank, given);
            }
        }
        prefixes
    }

    fn add_roots(&mut self, files: &[PathBuf], roots: &'p [PathBuf], is_given: bool) {
        let mut folders: HashSet<Key> = HashSet::new();
        if is_given {
            for file in files {
                folders.extend(folders_around(self.hash, file));
            }
        }
        for root in roots {
            let is_folder = if is_given { folders.contains(&path_key(self.hash, root)) } else { root.is_dir() };
            if is_folder {
                self.roots.push((root, own_name(root)));
            }
        }
    }

    /// Adds the prefixes of folders that the user gives, and those that prefix files above the given paths give to them.
    pub(super) fn with(mut self, own: &'p [(String, PathBuf)], above: &'p [(PathBuf, String)]) -> Self {
        for (prefix, folder) in own {
            self.stored.insert(path_key(self.hash, folder), Prefix { folder, rank: 0, text: folded(prefix) });
        }
        for (folder, prefix) in above {
            let key = path_key(self.hash, folder);
            self.stored.entry(key).or_insert(Prefix { folder, rank: usize::MAX, text: prefix.clone() });
        }
        self
    }

    /// Reads a prefix file of this folder, unless there is one with a better name.
    fn add_file(&mut self, path: &Path, folder: &'p Path, rank: usize, given: Option<&Given>) {
        let key = path_key(self.hash, folder);
        if let Some(other) = self.stored.get(&key)
            && other.rank <= rank
        {
            return;
        }
        let bytes = match given {
            Some(given) => given.get(path).cloned(),
            None => read(path),
        };
        if let Some(bytes) = bytes {
            self.stored.insert(key, Prefix { folder, rank, text: stored_prefix(&bytes, folder) });
        }
    }

    /// Returns the paths of a file in the game. They use the nearest prefix of an enclosing folder. Without one, they use
    /// the names of the outermost enclosing addon and of the given folder.
    pub(super) fn places_of(&self, path: &Path) -> Places<'p> {
        let mut places = Places { root: None, has_prefix: false, paths: Vec::new() };
        let has_inner = !self.stored.is_empty() || !self.addons.is_empty();
        let folders = if has_inner { folders_around(self.hash, path) } else { Vec::new() };
        for folder in folders.iter().rev() {
            if let Some(prefix) = self.stored.get(folder) {
                places.root = Some(prefix.folder);
                places.has_prefix = true;
                places.paths.extend(in_game(path, prefix.folder, &prefix.text));
                return places;
            }
        }
        for folder in &folders {
            if let Some(addon) = self.addons.get(folder) {
                places.root = Some(addon);
                places.paths.extend(in_game(path, addon, &own_name(addon)));
                break;
            }
        }
        for (root, name) in &self.roots {
            let Some(place) = in_game(path, root, name) else { continue };
            places.root.get_or_insert(root);
            places.paths.push(place);
        }
        places
    }
}

/// The prefix, and the folded path in the game of a file in the folder with this prefix.
fn in_game(path: &Path, folder: &Path, prefix: &str) -> Option<(String, String)> {
    let inside = path.strip_prefix(folder).ok()?;
    Some((prefix.to_owned(), below(prefix, &folded(&text(inside)))))
}

/// Reads a file, unless it is too large for a prefix file.
fn read(path: &Path) -> Option<Vec<u8>> {
    if path.metadata().ok()?.len() > LARGEST_PREFIX_FILE {
        return None;
    }
    std::fs::read(path).ok()
}

/// A folder above a given path that has a prefix file.
pub(super) struct Above {
    pub(super) folder: PathBuf,
    /// The folder of the given path: itself, or the one around the file.
    pub(super) inner: PathBuf,
    /// The folded prefix of that folder.
    pub(super) prefix: String,
}

impl Above {
    /// Looks for a prefix file in the folders above a path, unless the path is a folder with one.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let inner = if path.is_dir() { path } else { path.parent()? };
        if path.is_dir() && prefix_in(path).is_some() {
            return None;
        }
        let whole = if inner.as_os_str().is_empty() { Path::new(".") } else { inner }.canonicalize().ok()?;
        // As the user spells it, if possible.
        for folder in inner.ancestors().chain(whole.ancestors()) {
            if folder.as_os_str().is_empty() {
                continue;
            }
            let Some(prefix) = prefix_in(folder) else { continue };
            let below_it = whole.strip_prefix(folder.canonicalize().ok()?).ok()?;
            let prefix = below(&prefix, &folded(&text(below_it)));
            let prefix = prefix.trim_end_matches('\\').to_owned();
            return Some(Self { folder: folder.to_owned(), inner: inner.to_owned(), prefix });
        }
        None
    }
}

/// Returns the folded prefix that a file in this folder gives.
fn prefix_in(folder: &Path) -> Option<String> {
    for name in PREFIX_FILES {
        let upper = name.to_ascii_uppercase();
        for name in [upper.replace(".TXT", ".txt"), upper, name.to_owned(), name.replace("pboprefix", "PboPrefix")] {
            let Some(bytes) = read(&folder.join(name)) else { continue };
            return Some(stored_prefix(&bytes, folder));
        }
    }
    None
}

/// The folded prefix that a file with these bytes gives to its folder: the folder's own name if it contains none.
fn stored_prefix(bytes: &[u8], folder: &Path) -> String {
    match parse(bytes) {
        Some(prefix) => prefix,
        None => own_name(folder),
    }
}

/// Reads the folded prefix from such a file: the value of the key `prefix`, else the first line without a key. Some
/// tools write `prefix = x\y;` among other keys; some files begin with a byte order mark.
fn parse(bytes: &[u8]) -> Option<String> {
    let text = Name::from(ByteStr::new(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))).text;
    let mut bare = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with("//") {
            continue;
        }
        for part in line.split(';') {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (Some(key.trim()), value),
                None => (None, part),
            };
            let value = folded(value.trim().trim_matches(['"', '\'']).trim());
            if value.is_empty() {
                continue;
            }
            match key {
                Some(key) if key.eq_ignore_ascii_case("prefix") => return Some(value),
                Some(_) => {}
                None => {
                    bare.get_or_insert(value);
                }
            }
        }
    }
    bare
}

/// Returns the folded name of a folder; empty if it has none.
fn own_name(folder: &Path) -> String {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if let Some(name) = here.file_name() {
        return folded(&text(Path::new(name)));
    }
    // A path such as `a/..` does not end with a name.
    let Ok(whole) = here.canonicalize() else { return String::new() };
    match whole.file_name() {
        Some(name) => folded(&text(Path::new(name))),
        None => String::new(),
    }
}

pub(super) fn text(path: &Path) -> String {
    Name::from(path).text
}

/// Folds a name for comparison: lower case, backslashes, none at the start.
pub(super) fn folded(name: &str) -> String {
    let name = name.trim_start_matches(['/', '\\']);
    let mut folded = if name.contains('/') { name.replace('/', "\\") } else { name.to_owned() };
    folded.make_ascii_lowercase();
    folded
}

/// Joins a folded path to a folded folder.
pub(super) fn below(root: &str, path: &str) -> String {
    let root = root.trim_end_matches('\\');
    if root.is_empty() { path.to_owned() } else { format!("{root}\\{path}") }
}

/// The spellings of a path with which a scan of the given ones may find it.
pub(super) fn spellings(path: &Path, given: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = vec![path.to_owned()];
    let Ok(whole) = path.canonicalize() else { return all };
    for root in given {
        if let Ok(root_whole) = root.canonicalize()
            && let Ok(inside) = whole.strip_prefix(root_whole)
        {
            let spelled = if inside.as_os_str().is_empty() { root.clone() } else { root.join(inside) };
            if !all.contains(&spelled) {
                all.push(spelled);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_its_key_or_the_first_line_without_one() {
        for (bytes, expected) in [
            (&b"my\\b\r\n"[..], Some("my\\b")),
            (b"product=dayz ugc;\r\nversion = 3;\r\nprefix=My/Mod\\Data;\r\n", Some("my\\mod\\data")),
            (b"x\\y\nprefix = \"a\\b\";\n", Some("a\\b")),
            (b"product=arma;PREFIX= 'a\\b' ;version=1", Some("a\\b")),
            (b"\xef\xbb\xbfz\\mod\\addons\\main", Some("z\\mod\\addons\\main")),
            (b"\xef\xbb\xbfprefix=z\\mod", Some("z\\mod")),
            (b"// prefix=no; no\\line\n\n \\\\P\\q\\ \nversion=1\n", Some("p\\q\\")),
            (b"product=dayz ugc;\r\n", None),
            (b"prefix=\n", None),
            (b"", None),
        ] {
            assert_eq!(parse(bytes).as_deref(), expected, "{:?}", ByteStr::new(bytes));
        }
    }
    /// A folder may have prefixes from the user, from files in it, and from above a given path.
    #[test]
    fn the_prefix_of_the_user_counts_before_files_and_these_before_what_is_above() {
        let hash = RandomState::new();
        let names = ["$PBOPREFIX$", "$pboprefix$.TXT", "$Prefix$", "$PREFIX$.txt", "pboprefix.txt"];
        let own = [(r"User\Own".to_owned(), PathBuf::from("m"))];
        let above = [(PathBuf::from("m"), "above".to_owned())];
        for present in 0..1 << 7 {
            let is_there = |number: usize| present >> number & 1 != 0;
            // The files come in any order.
            for is_reversed in [false, true] {
                let mut files = vec![PathBuf::from("m/d/A.paa"), "n/$PBOPREFIX$".into()];
                let mut given = Given::from([("n/$PBOPREFIX$".into(), b"n".to_vec())]);
                for (number, name) in names.iter().enumerate() {
                    if is_there(number) {
                        let path = PathBuf::from("m").join(name);
                        given.insert(path.clone(), format!("File{number}").into_bytes());
                        files.push(path);
                    }
                }
                if is_reversed {
                    files.reverse();
                }
                let prefixes = Prefixes::of(&files, &[], Some(&given), &hash);
                let prefixes =
                    prefixes.with(if is_there(5) { &own } else { &[] }, if is_there(6) { &above } else { &[] });
                let first = (0..names.len()).find(|&number| is_there(number));
                let prefix = match first {
                    _ if is_there(5) => Some(r"user\own".to_owned()),
                    Some(first) => Some(format!("file{first}")),
                    None if is_there(6) => Some("above".to_owned()),
                    None => None,
                };
                let places = prefixes.places_of(Path::new("m/d/A.paa"));
                assert_eq!(places.has_prefix, prefix.is_some(), "{present:b}");
                let expected = prefix.map(|prefix| (prefix.clone(), format!(r"{prefix}\d\a.paa")));
                assert_eq!(places.paths, Vec::from_iter(expected), "{present:b}");
            }
        }
    }

    #[test]
    fn without_a_prefix_files_are_below_the_outermost_addon_and_the_given_folders() {
        let hash = RandomState::new();
        let roots = ["Mods".into(), "Mods/A".into(), "other".into()];
        let addons = ["Mods/A/config.cpp", "Mods/A/B/CONFIG.BIN", "Mods/A/B/c/config.hpp"];
        for present in 0..1 << addons.len() {
            let mut files = vec![PathBuf::from("Mods/A/B/c/X.paa")];
            let there = addons.iter().enumerate().filter(|(number, _)| present >> number & 1 != 0);
            files.extend(there.map(|(_, path)| path.into()));
            let prefixes = Prefixes::of(&files, &roots, Some(&Given::new()), &hash);
            let places = prefixes.places_of(&files[0]);
            let mut expected = vec![("mods", r"mods\a\b\c\x.paa"), ("a", r"a\b\c\x.paa")];
            match present & 3 {
                0 => {}
                // A text that others include makes no addon.
                2 => expected.insert(0, ("b", r"b\c\x.paa")),
                _ => expected.insert(0, ("a", r"a\b\c\x.paa")),
            }
            let expected: Vec<_> =
                expected.iter().map(|(root, path)| ((*root).to_owned(), (*path).to_owned())).collect();
            assert_eq!(places.paths, expected, "{present:b}");
            assert!(!places.has_prefix);
            let root = match present & 3 {
                0 => "Mods",
                2 => "Mods/A/B",
                _ => "Mods/A",
            };
            assert_eq!(places.root, Some(Path::new(root)), "{present:b}");
        }
    }

    #[test]
    fn folders_and_paths_are_joined_without_a_second_separator() {
        for (root, path, expected) in [
            ("", "", ""),
            ("", "a", "a"),
            (r"\", "a", "a"),
            ("r", "", r"r\"),
            ("r", "a", r"r\a"),
            (r"r\", "a", r"r\a"),
            (r"r\s\\", r"a\b", r"r\s\a\b"),
        ] {
            assert_eq!(below(root, path), expected, "{root:?} {path:?}");
        }
        for (name, expected) in [
            ("", ""),
            ("/", ""),
            (r"\\a", "a"),
            (r"/\A/b\C", r"a\b\c"),
            ("A B.PAA", "a b.paa"),
            // Letters beyond ASCII keep their case, as in the game.
            ("\u{c4}.paa", "\u{c4}.paa"),
            ("a/", r"a\"),
        ] {
            assert_eq!(folded(name), expected, "{name:?}");
        }
    }

    #[test]
    fn prefix_files_are_known_by_their_names_in_any_case() {
        let names = ["$PBOPREFIX$", "$PboPrefix$.txt", "$prefix$", "$PREFIX$.TXT", "PboPrefix.txt"];
        for name in names {
            for folder in ["", "m/", "m/$PBOPREFIX$/"] {
                assert!(is_prefix_file(Path::new(&format!("{folder}{name}"))), "{folder}{name}");
            }
            for other in [format!("{name}.bak"), format!("x{name}"), format!("{name}/x")] {
                assert!(!is_prefix_file(Path::new(&other)), "{other}");
            }
        }
        for other in ["", "/", "pboprefix", "$pboprefix", "prefix.txt", "prefix"] {
            assert!(!is_prefix_file(Path::new(other)), "{other}");
        }
    }

    /// A folder of the temporary files, without links in its path, which is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("meshpeek-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("Mods/My/sub")).unwrap();
            Self(path.canonicalize().unwrap())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn the_nearest_prefix_file_above_a_path_counts_unless_it_is_in_the_path_itself() {
        let folder = Folder::new("above");
        let at = |path: &str| folder.0.join(path);
        std::fs::write(at("Mods/My/sub/x.paa"), b"x").unwrap();
        let places = [("Mods", r"z\Mods\"), ("Mods/My", "own/"), ("Mods/My/sub", "deep")];
        for present in 0..1 << places.len() {
            let is_there = |number: usize| present >> number & 1 != 0;
            for (number, (place, prefix)) in places.iter().enumerate() {
                let file = at(place).join("$PBOPREFIX$");
                if is_there(number) {
                    std::fs::write(&file, prefix).unwrap();
                } else if file.exists() {
                    std::fs::remove_file(&file).unwrap();
                }
            }
            for (path, inner, depth) in
                [("Mods/My/sub/x.paa", "Mods/My/sub", 2), ("Mods/My/sub", "Mods/My/sub", 2), ("Mods/My", "Mods/My", 1)]
            {
                let has_own = path == inner && is_there(depth);
                let nearest = (0..=depth).rev().find(|&number| is_there(number)).filter(|_| !has_own);
                let expected = nearest.map(|number| {
                    let start = [r"z\mods", "own", "deep"][number];
                    let rest = ["", r"\my", r"\sub"][number + 1..=depth].concat();
                    (at(places[number].0), at(inner), format!("{start}{rest}"))
                });
                let above = Above::of(&at(path)).map(|above| (above.folder, above.inner, above.prefix));
                assert_eq!(above, expected, "{path} {present:b}");
            }
        }
        assert!(Above::of(&at("none/x.paa")).is_none());
    }

    #[test]
    fn a_prefix_file_without_a_prefix_gives_the_name_of_its_folder() {
        for (folder, expected) in [("Mods/My Mod", "my mod"), ("A.B", "a.b"), ("Mods/", "mods"), ("/", "")] {
            for bytes in [&b""[..], b"version=1\n", b"// x", b"\xef\xbb\xbf\n", b"prefix=\"\""] {
                assert_eq!(stored_prefix(bytes, Path::new(folder)), expected, "{folder}");
            }
            assert_eq!(stored_prefix(b"x", Path::new(folder)), "x");
        }
        let here = std::env::current_dir().unwrap();
        let name = here.file_name().unwrap().to_str().unwrap().to_lowercase();
        for folder in ["", "."] {
            assert_eq!(own_name(Path::new(folder)), name, "{folder:?}");
        }
    }

    // On Windows, whole paths have no `..`.
    #[cfg(unix)]
    #[test]
    fn a_path_is_spelled_as_it_is_and_as_a_scan_of_each_given_folder_finds_it() {
        let folder = Folder::new("spellings");
        let at = |path: &str| folder.0.join(path);
        let dotted = at("Mods/My/..");
        for (path, given, expected) in [
            (at("Mods/My"), vec![], vec![at("Mods/My")]),
            (at("Mods/My"), vec![at("Mods")], vec![at("Mods/My")]),
            (at("Mods/My"), vec![dotted.clone()], vec![at("Mods/My"), dotted.join("My")]),
            (at("Mods"), vec![dotted.clone(), dotted.clone()], vec![at("Mods"), dotted.clone()]),
            (at("Mods"), vec![at("Mods/My")], vec![at("Mods")]),
            (at("Mods"), vec![at("none"), dotted.clone()], vec![at("Mods"), dotted.clone()]),
            (at("none"), vec![folder.0.clone()], vec![at("none")]),
        ] {
            let found = spellings(&path, &given);
            let text = |paths: &[PathBuf]| -> Vec<_> { paths.iter().map(|path| path.as_os_str().to_owned()).collect() };
            assert_eq!(text(&found), text(&expected), "{path:?} {given:?}");
        }
    }

    #[test]
    fn a_given_path_is_a_root_if_files_are_below_it() {
        let hash = RandomState::new();
        let files: Vec<PathBuf> = ["a/x.paa", "a/b/y.paa", "c.pbo", "d/e/f"].map(PathBuf::from).to_vec();
        let folder = Folder::new("roots");
        for (root, is_root) in [
            ("a", true),
            ("a/", true),
            ("a/b", true),
            ("a/x.paa", false),
            ("c.pbo", false),
            ("d", true),
            ("d/e/f", false),
            ("q", false),
            ("", true),
        ] {
            let roots = [PathBuf::from(root)];
            let prefixes = Prefixes::of(&files, &roots, Some(&Given::new()), &hash);
            assert_eq!(prefixes.roots.len(), usize::from(is_root), "{root}");
        }
        // In a file system, it is a folder, whatever is in it.
        std::fs::write(folder.0.join("x.paa"), b"").unwrap();
        for (root, is_root) in [("Mods", true), ("Mods/My/sub", true), ("x.paa", false), ("none", false)] {
            let roots = [folder.0.join(root)];
            assert_eq!(Prefixes::of(&files, &roots, None, &hash).roots.len(), usize::from(is_root), "{root}");
        }
    }
}
