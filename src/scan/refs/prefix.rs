//! Locates loose files in the game's file system: prefixes of folders, from files such as `$PBOPREFIX$`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::base::text::ByteStr;
use crate::base::text::Name;

/// Names of prefix files, in lower case. The first one in a folder counts.
const PREFIX_FILES: [&str; 5] = ["$pboprefix$", "$pboprefix$.txt", "$prefix$", "$prefix$.txt", "pboprefix.txt"];
/// Files that make a folder an addon.
const CONFIGS: [&str; 2] = ["config.cpp", "config.bin"];
/// A larger file is not a prefix file.
pub(super) const LARGEST: u64 = 4096;

/// The contents of prefix files.
pub(super) type Given = HashMap<PathBuf, Vec<u8>>;

/// Returns true for paths of prefix files.
pub(super) fn is_prefix_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).map(str::to_ascii_lowercase);
    name.is_some_and(|name| PREFIX_FILES.contains(&name.as_str()))
}

/// The prefixes of folders.
pub(super) struct Prefixes<'p> {
    /// Prefixes from files, with the rank of the file's name.
    stored: HashMap<&'p Path, (usize, String)>,
    addons: HashSet<&'p Path>,
    /// The given folders, with their own names.
    roots: Vec<(&'p Path, String)>,
}

impl<'p> Prefixes<'p> {
    /// Reads prefix files from the given ones, if there are such, else from the file system.
    pub(super) fn of(files: &'p [PathBuf], roots: &'p [PathBuf], given: Option<&Given>) -> Self {
        let named: HashSet<&Path> = roots.iter().map(PathBuf::as_path).collect();
        let around = |file: &'p PathBuf| file.ancestors().skip(1).filter(|folder| named.contains(folder));
        let folders: HashSet<&Path> = given.map(|_| files.iter().flat_map(around).collect()).unwrap_or_default();
        let is_folder = |root: &Path| given.map_or_else(|| root.is_dir(), |_| folders.contains(root));
        let roots = roots.iter().map(PathBuf::as_path);
        let roots = roots.filter(|root| is_folder(root)).map(|root| (root, own_name(root))).collect();
        let mut prefixes = Self { stored: HashMap::new(), addons: HashSet::new(), roots };
        for path in files {
            let Some((folder, name)) = path.parent().zip(path.file_name()) else { continue };
            let Some(name) = name.to_str().map(str::to_ascii_lowercase) else { continue };
            if CONFIGS.contains(&name.as_str()) {
                prefixes.addons.insert(folder);
            }
            if let Some(rank) = PREFIX_FILES.iter().position(|known| *known == name)
                && prefixes.stored.get(folder).is_none_or(|(other, _)| rank < *other)
                && let Some(bytes) = given.map_or_else(|| read(path), |given| given.get(path).cloned())
            {
                prefixes.stored.insert(folder, (rank, parse(&bytes).unwrap_or_else(|| own_name(folder))));
            }
        }
        prefixes
    }

    /// Returns the folded paths of a file in the game, each after the prefix or folder name that it is below. They use
    /// the nearest prefix of an enclosing folder. Without one, they use the names of the outermost enclosing addon and
    /// of the given folder.
    pub(super) fn roots_of(&self, path: &Path) -> Vec<(String, String)> {
        let Some(folder) = path.parent() else { return Vec::new() };
        let in_game = |around: &Path, prefix: &str| {
            Some((prefix.to_owned(), below(prefix, &folded(&text(path.strip_prefix(around).ok()?)))))
        };
        if let Some((around, (_, prefix))) = folder.ancestors().find_map(|around| self.stored.get_key_value(around)) {
            return in_game(around, prefix).into_iter().collect();
        }
        let addon = folder.ancestors().filter(|around| self.addons.contains(around)).last();
        let addon = addon.and_then(|addon| in_game(addon, &own_name(addon)));
        addon.into_iter().chain(self.roots.iter().filter_map(|(root, name)| in_game(root, name))).collect()
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let is_small = path.metadata().ok()?.len() <= LARGEST;
    is_small.then(|| std::fs::read(path).ok()).flatten()
}

/// Reads the folded prefix from such a file: the value of the key `prefix`, else the first line without a key. Some
/// tools write `prefix = x\y;` among other keys; some files begin with a byte order mark.
fn parse(bytes: &[u8]) -> Option<String> {
    let text = Name::from(ByteStr::new(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))).text;
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let parts = lines.flat_map(|line| line.split(';')).map(|part| match part.split_once('=') {
        Some((key, value)) => (Some(key.trim()), value),
        None => (None, part),
    });
    let clean = |value: &str| folded(value.trim().trim_matches(['"', '\'']).trim());
    let parts: Vec<(Option<&str>, String)> =
        parts.map(|(key, value)| (key, clean(value))).filter(|(_, value)| !value.is_empty()).collect();
    let keyed = parts.iter().find(|(key, _)| key.is_some_and(|key| key.eq_ignore_ascii_case("prefix")));
    keyed.or_else(|| parts.iter().find(|(key, _)| key.is_none())).map(|(_, value)| value.clone())
}

/// Returns the folded name of a folder; empty if it has none.
fn own_name(folder: &Path) -> String {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let name = |path: &Path| path.file_name().map(|name| folded(&text(Path::new(name))));
    name(here).or_else(|| name(&here.canonicalize().ok()?)).unwrap_or_default()
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
}
