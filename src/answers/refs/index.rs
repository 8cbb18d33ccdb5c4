//! The files of a scan, by the names that references use.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::asker::Asker;
use super::cost::Cost;
use super::keys::{Key, address, after, folder_key, folder_of, folders_around, key, key_in_folder, last, path_key};
use super::lua_models::Media;
use super::prefix::spellings;
use super::prefix::{Given, Places, Prefixes, below, folded, text};
use super::resolved::Odd;
use super::rules::Rules;
use super::seen::{Listed, Listing};
use super::unread::Unread;
use crate::asset::address::MemberPath;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::Name;
use crate::formats::rap::text::Way;
use crate::scan::Scan;
use crate::scan::config_names::is_mission;

/// Every file, by the names that references may use for it.
pub(super) struct Index {
    pub(super) scan: Scan,
    pub(super) hash: RandomState,
    pub(super) assumed: Vec<String>,
    pub(super) askers: Vec<Asker>,
    /// What could not all be read.
    pub(super) unread: Vec<Unread>,
    /// The files that are not in an archive.
    pub(super) loose: Vec<PathBuf>,
    pub(super) archives: Vec<Archive>,
    /// The archives' indices by the keys of their addresses.
    pub(super) by_address: HashMap<Key, usize>,
    /// The names of the files below, concatenated.
    pub(super) texts: String,
    pub(super) files: Vec<File>,
    /// By the path in the game's file system; sorted at the end.
    pub(super) in_game: Vec<(Key, usize)>,
    /// False if no reference needs the paths of members in the game's file system.
    pub(super) needs_game_paths: bool,
    /// By container or folder, and the path in it; sorted at the end.
    pub(super) in_place: Vec<(Key, usize)>,
    /// The different files of one key, in order, by the start of their range.
    pub(super) distinct: HashMap<(bool, usize), Arc<[usize]>>,
    /// All files by name, once a reference is missing.
    pub(super) by_name: Option<Vec<(Key, usize)>>,
    /// The different files of one name, by the start of their range.
    pub(super) same_name: HashMap<usize, Arc<[usize]>>,
    /// What Lua texts say about models.
    pub(super) media: Media,
    /// The position of each archive in the order of their addresses, once all are known.
    pub(super) ranks: Vec<usize>,
    /// The bytes that all of this takes.
    pub(super) taken: u64,
    /// The bytes of the files that were given, if they are not read from a file system.
    pub(super) given_bytes: u64,
    /// The work that remains for lookups.
    pub(super) cost: Cost,
    /// Prefix files, if the files are given and not those of a file system.
    pub(super) given_prefix_files: Option<Given>,
    /// The keys of the paths that the user named.
    pub(super) named: HashSet<Key>,
    /// The folders that loose files are below.
    pub(super) roots: Vec<Root>,
    /// The keys of all folders in the game, if a reference may mean one.
    pub(super) folders: HashSet<Key>,
    pub(super) has_folders: bool,
    /// Pairs of roots with one prefix that were reported.
    pub(super) pairs: HashSet<(usize, usize)>,
    /// The addresses of files that are not what their names promise.
    pub(super) odd: HashMap<Key, Odd>,
    /// Oddities of files that references mean.
    pub(super) looked_at: HashMap<usize, Option<Odd>>,
    /// The files that references mean, if this is asked for.
    pub(super) used: Option<Vec<bool>>,
    /// The prefixes of folders and archives, from the user.
    pub(super) prefixes: Vec<(String, PathBuf)>,
    /// Folders above a given path, with the prefix of that path.
    pub(super) above: Vec<(PathBuf, String)>,
    /// The places of texts that others include by relative paths, by the keys of the includes.
    pub(super) included: HashMap<Key, Key>,
    /// True while files around the given paths are added: they are listed only if others lead to them.
    pub(super) is_around: bool,
    /// Images that the user gives for textures of their names.
    pub(super) textures: Vec<PathBuf>,
    /// These images, by name.
    pub(super) by_texture: HashMap<Key, Vec<usize>>,
    /// The number of loose files that were given. Those after them are around the given paths.
    pub(super) given_loose: usize,
    /// The first file that was not given.
    pub(super) first_around: usize,
}

/// A folder that loose files are below.
pub(super) struct Root {
    pub(super) name: String,
    pub(super) prefix: String,
    /// True if a file or the user gives it.
    pub(super) has_prefix: bool,
}

pub(super) struct Archive {
    pub(super) path: Arc<Path>,
    pub(super) member: Option<Name>,
    pub(super) address: Name,
    /// The prefix of its members' names in the game.
    pub(super) root: String,
    /// Its members, until they are files of the index.
    listing: Listing,
    /// The identity of the file, and the path in it, once computed.
    pub(super) identity: Option<Key>,
}

pub(super) struct File {
    /// The archive; `None` for a loose file, whose name is its path.
    pub(super) archive: Option<usize>,
    pub(super) text: Range<usize>,
    pub(super) lossy: bool,
    /// The number of the folder that a loose file is below.
    pub(super) root: usize,
    /// The size of a member.
    pub(super) bytes: u64,
    pub(super) odd: Option<Odd>,
}

impl Index {
    pub(super) fn new(scan: &Scan, assumed: &[String]) -> Self {
        let hash = RandomState::new();
        let named = scan.paths.iter().map(|path| path_key(&hash, Path::new(&text(path)))).collect();
        Self {
            scan: scan.clone(),
            hash,
            assumed: assumed.iter().map(|prefix| folded(prefix)).collect(),
            askers: Vec::new(),
            unread: Vec::new(),
            loose: Vec::new(),
            archives: Vec::new(),
            by_address: HashMap::new(),
            texts: String::new(),
            files: Vec::new(),
            in_game: Vec::new(),
            needs_game_paths: true,
            in_place: Vec::new(),
            distinct: HashMap::new(),
            by_name: None,
            same_name: HashMap::new(),
            media: Media::default(),
            ranks: Vec::new(),
            taken: 0,
            given_bytes: 0,
            cost: Cost::new(0, 0, &scan.limits),
            given_prefix_files: None,
            named,
            roots: Vec::new(),
            folders: HashSet::new(),
            has_folders: false,
            pairs: HashSet::new(),
            odd: HashMap::new(),
            looked_at: HashMap::new(),
            used: None,
            prefixes: Vec::new(),
            above: Vec::new(),
            included: HashMap::new(),
            is_around: false,
            textures: Vec::new(),
            by_texture: HashMap::new(),
            given_loose: usize::MAX,
            first_around: usize::MAX,
        }
    }

    /// Adds the prefixes that the user gives.
    pub(super) fn add_prefixes(&mut self, rules: &Rules) {
        for (prefix, of) in &rules.prefixes {
            for path in spellings(of, &self.scan.paths) {
                self.prefixes.push((prefix.clone(), path));
            }
        }
    }

    /// Takes memory for a text and its entry.
    pub(super) fn take(&mut self, bytes: usize) -> Result<()> {
        pub(super) const BESIDE: u64 = 64;
        self.taken = self.taken.saturating_add(bytes as u64).saturating_add(BESIDE);
        let most = self.scan.limits.decoded_bytes.saturating_add(self.scan.progress.opened_bytes());
        if self.taken > most {
            return Err(Error::limit("bytes of names of files, members and references", most, Code::DecodedBytesLimit));
        }
        Ok(())
    }

    pub(super) fn add_unread(&mut self, path: Arc<Path>, member: Option<Name>, note: String) -> Result<()> {
        let mut bytes = note.len();
        if let Some(member) = &member {
            bytes = bytes.saturating_add(member.text.len());
        }
        self.take(bytes)?;
        self.unread.push(Unread { path, member, note });
        Ok(())
    }

    pub(super) fn add_path(&mut self, path: PathBuf) -> Result<()> {
        self.take(path.as_os_str().len())?;
        self.loose.push(path);
        Ok(())
    }

    pub(super) fn add_archive(&mut self, path: Arc<Path>, member: Option<Name>, mut listing: Listing) -> Result<()> {
        let address = address(&path, member.as_ref());
        let place = key(&self.hash, &address.text);
        // An archive that is given twice is kept once.
        let Entry::Vacant(free) = self.by_address.entry(place) else { return Ok(()) };
        free.insert(self.archives.len());
        self.take(address.text.len().saturating_mul(2))?;
        self.take(listing.root.len())?;
        let mut start = 0;
        for &Listed { end, .. } in &listing.members {
            self.take_file(end.saturating_sub(start))?;
            start = end;
        }
        let mut root = std::mem::take(&mut listing.root);
        if member.is_none()
            && let Some((prefix, _)) = self.prefixes.iter().find(|(_, of)| **of == *path)
        {
            root = folded(prefix);
        }
        self.archives.push(Archive { path, member, address, root, listing, identity: None });
        Ok(())
    }

    /// Adds all files, and prepares for lookups. Returns the askers in their order.
    pub(super) fn prepare(&mut self) -> Result<Vec<Asker>> {
        self.allow_cost();
        let mut askers = std::mem::take(&mut self.askers);
        self.add_files(&mut askers)?;
        askers.sort_by(Asker::order);
        self.media = Media::of(&askers, &self.hash);
        Ok(askers)
    }

    /// Allows lookups the cost for the size of all files.
    pub(super) fn allow_cost(&mut self) {
        let bytes = self.scan.progress.opened_bytes().saturating_add(self.given_bytes);
        self.cost = Cost::new(self.loose.len() as u64, bytes, &self.scan.limits);
    }

    /// Adds all files.
    pub(super) fn add_files(&mut self, askers: &mut [Asker]) -> Result<()> {
        let roots = self.scan.paths.clone();
        self.add_members();
        self.add_loose(&roots, askers)?;
        self.sort();
        Ok(())
    }

    /// Adds the members of all archives as files, for which memory was taken.
    pub(super) fn add_members(&mut self) {
        for index in 0..self.archives.len() {
            let Some(archive) = self.archives.get_mut(index) else { return };
            let listing = std::mem::take(&mut archive.listing);
            let place = key(&self.hash, &archive.address.text);
            let root = below(&archive.root, "");
            let mut in_root = self.hash.build_hasher();
            in_root.write(root.as_bytes());
            let mut start = 0;
            // Members of one folder follow each other, so that it is hashed once.
            let mut folder = String::new();
            let mut in_folder = folder_key(&self.hash, place, &folder);
            for (number, member) in listing.members.iter().enumerate() {
                let own = listing.texts.get(start..member.end).unwrap_or_default();
                start = member.end;
                let path = folded(listing.stored_name(number, own));
                let file = self.add_file(Some(index), own, member.lossy);
                if let Some(file) = self.files.get_mut(file) {
                    file.bytes = member.bytes;
                    file.odd = member.odd;
                }
                if self.has_folders {
                    self.add_folders(&format!("{root}{path}"));
                }
                if folder != folder_of(&path) {
                    folder_of(&path).clone_into(&mut folder);
                    in_folder = folder_key(&self.hash, place, &folder);
                }
                if self.needs_game_paths {
                    self.in_game.push((after(&in_root, &path), file));
                }
                self.in_place.push((key_in_folder(&self.hash, in_folder, last(&path)), file));
            }
        }
    }

    /// Takes memory for a file with a name of this length.
    fn take_file(&mut self, bytes: usize) -> Result<()> {
        /// The entry of its name without folders.
        const BY_NAME: usize = 16;
        self.take(bytes.saturating_add(BY_NAME))
    }

    pub(super) fn add_file(&mut self, archive: Option<usize>, name: &str, lossy: bool) -> usize {
        let file = self.files.len();
        let start = self.texts.len();
        self.texts.push_str(name);
        let text = start..self.texts.len();
        self.files.push(File { archive, text, lossy, root: 0, bytes: 0, odd: None });
        file
    }

    pub(super) fn add_loose(&mut self, roots: &[PathBuf], askers: &mut [Asker]) -> Result<()> {
        let files = std::mem::take(&mut self.loose);
        self.first_around = self.files.len().saturating_add(self.given_loose);
        let given = self.given_prefix_files.as_mut().map(std::mem::take);
        let hash = self.hash.clone();
        let own = std::mem::take(&mut self.prefixes);
        let above = std::mem::take(&mut self.above);
        let prefixes = Prefixes::of(&files, roots, given.as_ref(), &hash).with(&own, &above);
        let mut root_numbers: HashMap<Key, usize> = HashMap::new();
        for asker in askers {
            self.place(asker, &prefixes, &mut root_numbers)?;
        }
        let mut roots_by_key: HashMap<Key, &Path> = HashMap::new();
        for root in roots {
            roots_by_key.insert(path_key(&hash, root), root);
        }
        for path in &files {
            let Some(place) = self.place_key(path) else { continue };
            let name = folded(&text(path.file_name().map_or(path, Path::new)));
            let address = address(path, None);
            self.take_file(address.text.len())?;
            let file = self.add_file(None, &address.text, address.lossy);
            self.in_place.push((place, file));
            let mut around = folders_around(&hash, path);
            around.push(path_key(&hash, path));
            for folder in &around {
                let Some(root) = roots_by_key.get(folder) else { continue };
                // The key says that the path begins with the root, on Windows in any case.
                let mut relative = path.components();
                for _ in root.components() {
                    relative.next();
                }
                let relative = folded(&text(relative.as_path()));
                // A file that was named itself is at the root.
                let in_game = if relative.is_empty() { &name } else { &relative };
                self.in_game.push((key(&hash, in_game), file));
            }
            let places = prefixes.places_of(path);
            if let Some(root) = self.root_number(&places, &mut root_numbers)
                && let Some(file) = self.files.get_mut(file)
            {
                file.root = root;
            }
            for (_, in_game) in places.paths {
                if self.has_folders {
                    self.add_folders(&in_game);
                }
                self.in_game.push((key(&self.hash, &in_game), file));
            }
        }
        self.first_around = self.first_around.min(self.files.len());
        self.add_textures()
    }

    /// Finds where an asker is in the game, as far as its names depend on that.
    fn place(
        &mut self,
        asker: &mut Asker,
        prefixes: &Prefixes<'_>,
        root_numbers: &mut HashMap<Key, usize>,
    ) -> Result<()> {
        if asker.member.is_none() && asker.in_game {
            asker.root = self.root_number(&prefixes.places_of(&asker.path), root_numbers);
        }
        let has_macros = asker.asks.iter().any(|ask| *ask.way() != Way::Path) || !asker.more().defines.is_empty();
        if has_macros || is_mission(MemberPath::own_name(&asker.path, asker.member.as_ref())) {
            let home = self.home(asker, prefixes);
            self.take(home.path.len().saturating_add(home.root.len()))?;
            asker.more_mut().home = home;
        }
        Ok(())
    }

    /// Adds the images that the user gives.
    fn add_textures(&mut self) -> Result<()> {
        for path in std::mem::take(&mut self.textures) {
            let address = address(&path, None);
            self.take_file(address.text.len())?;
            let file = self.add_file(None, &address.text, address.lossy);
            let folded = folded(&address.text);
            self.by_texture.entry(key(&self.hash, last(&folded))).or_default().push(file);
        }
        Ok(())
    }

    /// The number of the folder that a loose file is below. Those of archives come first.
    fn root_number(&mut self, places: &Places<'_>, numbers: &mut HashMap<Key, usize>) -> Option<usize> {
        let folder = places.root?;
        let next = self.archives.len().saturating_add(self.roots.len());
        let number = *numbers.entry(path_key(&self.hash, folder)).or_insert(next);
        if number == next {
            let mut root = Root { name: text(folder), prefix: String::new(), has_prefix: places.has_prefix };
            if let Some((prefix, _)) = places.paths.first() {
                root.prefix.clone_from(prefix);
            }
            self.roots.push(root);
        }
        Some(number)
    }

    /// Adds the folders around a path in the game, in one pass over it.
    fn add_folders(&mut self, path: &str) {
        /// The most folders around a path, and in all.
        const DEEPEST: usize = 64;
        const MOST_FOLDERS: usize = 1 << 20;
        let mut hasher = self.hash.build_hasher();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\\', path.as_bytes()).take(DEEPEST) {
            hasher.write(path.get(start..end).unwrap_or_default().as_bytes());
            if self.folders.len() < MOST_FOLDERS {
                self.folders.insert(hasher.clone().finish());
            }
            start = end;
        }
    }
}

impl_fmt!([] Debug for Index, |index| "Index({} files)", index.files.len());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn each_name_takes_its_bytes_and_an_entry() {
        for decoded_bytes in [0, 1, 64, 65, 1_000, 100_000] {
            for bytes in [0, 1, 36, 1_000, usize::MAX] {
                let mut scan = Scan::new(["none"]);
                scan.limits = Limits::default().with_decoded_bytes(decoded_bytes);
                let mut index = Index::new(&scan, &[]);
                let fit = (0..2_000).take_while(|_| index.take(bytes).is_ok()).count() as u64;
                assert_eq!(fit, decoded_bytes / (bytes as u64).saturating_add(64), "{bytes} in {decoded_bytes}");
                let error = index.take(bytes).unwrap_err();
                assert!(error.to_string().contains("bytes of names of files, members and references"), "{error}");
                assert_eq!(error.code(), Code::DecodedBytesLimit);
            }
        }
    }

    fn name(text: &str) -> Name {
        Name { text: text.to_owned(), lossy: false }
    }

    /// An index of files that are not in a file system, with the bytes that it may take.
    fn given(paths: &[&str], decoded_bytes: u64) -> Index {
        let mut scan = Scan::new(paths);
        scan.limits = Limits::default().with_decoded_bytes(decoded_bytes);
        Index { given_prefix_files: Some(Given::new()), ..Index::new(&scan, &[]) }
    }

    /// A listing with members of these names.
    fn listing(root: &str, names: &[&str]) -> Listing {
        let mut listing = Listing { root: root.to_owned(), ..Listing::default() };
        for name in names {
            listing.texts.push_str(name);
            listing.members.push(Listed { end: listing.texts.len(), lossy: false, bytes: 7, odd: None });
        }
        listing
    }

    #[test]
    fn an_archive_that_is_given_again_keeps_its_number() {
        let places = [("a.pbo", None), ("a.zip", Some("in.pbo")), ("a.zip", None), ("b.pbo", None)];
        for number in 0..4_usize.pow(5) {
            let mut index = given(&[], 1 << 20);
            let mut known = Vec::new();
            for step in 0..5 {
                let (path, member) = places[number / 4_usize.pow(step) % 4];
                index.add_archive(Path::new(path).into(), member.map(name), listing("r", &["x"])).unwrap();
                if !known.contains(&(path, member)) {
                    known.push((path, member));
                }
                for (expected, (path, member)) in known.iter().enumerate() {
                    let inner = member.map_or("config.cpp".to_owned(), |member: &str| format!("{member}!/config.cpp"));
                    let asker = Asker::new(Path::new(path).into(), Some(name(&inner)));
                    assert_eq!(index.find_root_around(&asker), Some(expected), "{known:?} {path}");
                    assert_eq!(&*index.archives[expected].path, Path::new(path), "{known:?}");
                }
                assert_eq!(index.archives.len(), known.len());
            }
        }
    }

    #[test]
    fn an_archive_takes_its_address_twice_its_prefix_and_each_member() {
        for (path, member, root, names) in [
            ("a.pbo", None, "", &[][..]),
            ("a.pbo", None, r"z\my", &["x.paa", ""]),
            ("long/a.zip", Some("in.pbo"), "in", &["x", "yy", "zzz"]),
        ] {
            let address = path.len() + member.map_or(0, |member: &str| member.len() + 2);
            let members: usize = names.iter().map(|name| name.len() + 16 + 64).sum();
            let expected = (2 * address + 64 + root.len() + 64 + members) as u64;
            for decoded_bytes in [expected - 1, expected] {
                let mut index = given(&[], decoded_bytes);
                let added = index.add_archive(Path::new(path).into(), member.map(name), listing(root, names));
                assert_eq!(added.is_ok(), decoded_bytes == expected, "{path} {member:?}");
            }
        }
    }

    #[test]
    fn the_prefix_of_the_user_goes_before_that_of_an_archive_in_no_other_file() {
        for (path, member, prefix, expected) in [
            ("m/a.pbo", None, Some("Z/My"), r"z\my"),
            ("m/a.pbo", None, Some(""), ""),
            ("m/a.pbo", None, None, "stored"),
            ("m/A.pbo", None, Some("Z/My"), "stored"),
            ("m/a.pbo", Some("in.pbo"), Some("Z/My"), "stored"),
            ("a.pbo", None, Some("Z/My"), "stored"),
        ] {
            let mut index = given(&[], 1 << 20);
            index.prefixes = prefix.map(|prefix| (prefix.to_owned(), "m/a.pbo".into())).into_iter().collect();
            index.add_archive(Path::new(path).into(), member.map(name), listing("stored", &["X.paa"])).unwrap();
            assert_eq!(index.archives[0].root, expected, "{path} {member:?} {prefix:?}");
            index.add_members();
            let in_game = if expected.is_empty() { "x.paa".to_owned() } else { format!(r"{expected}\x.paa") };
            assert_eq!(index.in_game, [(key(&index.hash, &in_game), 0)], "{path} {member:?} {prefix:?}");
        }
    }

    #[test]
    fn the_first_64_folders_around_a_path_are_known_if_a_reference_may_mean_one() {
        for depth in [0, 1, 2, 63, 64, 65, 100] {
            for has_folders in [false, true] {
                let mut index = given(&[], 1 << 20);
                index.has_folders = has_folders;
                let folder = r"d\".repeat(depth);
                index.add_archive(Path::new("a.pbo").into(), None, listing("", &[&format!("{folder}x.paa")])).unwrap();
                index.add_members();
                for around in 1..=depth {
                    let folder = &folder[..around * 2 - 1];
                    let is_known = index.folders.contains(&key(&index.hash, folder));
                    assert_eq!(is_known, has_folders && around <= 64, "{around} of {depth}");
                }
                assert_eq!(index.folders.len(), if has_folders { depth.min(64) } else { 0 }, "{depth}");
            }
        }
    }

    /// Files of the game are below each given folder, and images that the user gives have only their names.
    #[test]
    fn loose_files_are_below_each_root_by_their_relative_paths() {
        let mut index = given(&["m", "m/d", "o/x.paa"], 1 << 20);
        let files = ["m/a.paa", "m/d/E/B.paa", "o/x.paa", "q/y.paa"];
        for file in files {
            index.add_path(file.into()).unwrap();
        }
        index.textures = vec!["t/B.paa".into()];
        index.add_files(&mut []).unwrap();
        for (path, file) in
            [("a.paa", 0), (r"m\a.paa", 0), (r"d\e\b.paa", 1), (r"e\b.paa", 1), (r"m\d\e\b.paa", 1), ("x.paa", 2)]
        {
            let found = super::super::lookup::find(&index.in_game, key(&index.hash, path));
            assert_eq!(index.in_game[found].iter().map(|(_, file)| *file).collect::<Vec<_>>(), [file], "{path}");
        }
        assert_eq!(index.in_game.len(), 6);
        assert_eq!(index.by_texture[&key(&index.hash, "b.paa")], [4]);
        // They are not listed as unused.
        assert_eq!((index.by_texture.len(), index.first_around), (1, 4));
    }

    #[test]
    fn each_folder_that_files_are_below_has_a_number_after_those_of_archives() {
        for archives in 0..3 {
            let mut index = given(&["m", "n"], 1 << 20);
            for number in 0..archives {
                index.add_archive(Path::new(&format!("{number}.pbo")).into(), None, listing("r", &[])).unwrap();
            }
            // A prefix from a file, an addon, and a given folder.
            let prefix = PathBuf::from("m/p/$PBOPREFIX$");
            index.given_prefix_files = Some(Given::from([(prefix, br"Z\P".to_vec())]));
            let roots = [("m/p", r"z\p", true), ("m/a", "a", false), ("m", "m", false), ("n", "n", false)];
            let files = [
                ("m/p/$PBOPREFIX$", 0),
                ("m/p/d/x.paa", 0),
                ("m/a/config.cpp", 1),
                ("m/x.paa", 2),
                ("m/a/d/x.paa", 1),
                ("n/x.paa", 3),
                ("m/d/y.paa", 2),
            ];
            for (file, _) in files {
                index.add_path(file.into()).unwrap();
            }
            let mut askers = ["m/a/d/m.p3d", "n/m.p3d"].map(|path| Asker::new(Path::new(path).into(), None));
            askers[0].in_game = true;
            index.add_files(&mut askers).unwrap();
            for (number, (path, root)) in files.into_iter().enumerate() {
                let found = index.root(index.root_of(number)).unwrap();
                let expected = roots[root];
                assert_eq!((found.name.as_str(), found.prefix.as_str(), found.has_prefix), expected, "{path}");
            }
            assert_eq!(index.roots.len(), roots.len());
            // Only what names files of the game is below one.
            let root = askers[0].root.and_then(|root| index.root(root)).map(|root| root.name.as_str());
            assert_eq!((root, askers[1].root), (Some("m/a"), None));
        }
    }
}
