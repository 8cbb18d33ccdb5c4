//! The files of a scan, by the names that references use.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::asker::Asker;
use super::configs::{Ask, Home, Text, instead_of, is_config, is_included, is_material, is_mission};
use super::cost::Cost;
use super::keys::{Key, address, after, folder_key, folders_around, key, last, name_of};
use super::link::Odd;
use super::media::Media;
use super::prefix::{Given, Places, Prefixes, below, folded, text};
use super::seen::{LONGEST_POINTER, Listed, Listing, Seen};
use super::unread::{Unread, reason};
use super::{Rules, spellings};
use crate::asset::address::{join, unnumbered};
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::base::limits::flag;
use crate::base::no_asset::NoAsset;
use crate::base::text::Name;
use crate::formats::rap::text::Way;
use crate::scan::{Found, Record, Scan};
use crate::summary::{ReferenceKind, Severity};

/// Every file, by the names that references may use for it.
pub(super) struct Index<'s> {
    pub(super) scan: Cow<'s, Scan>,
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
    /// By container or folder, and the path in it; sorted at the end.
    pub(super) in_place: Vec<(Key, usize)>,
    /// The different files of one key, in order, by the start of their range.
    pub(super) distinct: HashMap<(bool, usize), Arc<[usize]>>,
    /// All files by name, once a reference is missing.
    pub(super) by_name: Option<Vec<(Key, usize)>>,
    /// What Lua texts say about models.
    pub(super) media: Media,
    /// The position of each archive in the order of their addresses, once all are known.
    pub(super) ranks: Vec<usize>,
    /// The bytes that all of this takes.
    pub(super) taken: u64,
    /// The bytes of the files that were given, if they are not read from a file system.
    pub(super) given_bytes: u64,
    /// What remains for lookups.
    pub(super) cost: Cost,
    /// Prefix files, if the files are given and not those of a file system.
    pub(super) given: Option<Given>,
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
    /// What is odd about files that references mean.
    pub(super) looked_at: HashMap<usize, Option<Odd>>,
    /// The files that references mean, if this is asked for.
    pub(super) used: Option<Vec<bool>>,
    /// The prefixes of folders and archives, from the user.
    pub(super) prefixes: Vec<(String, PathBuf)>,
    /// Folders above a given path, with the prefix of that path.
    pub(super) above: Vec<(PathBuf, String)>,
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
    name: String,
    prefix: String,
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
    odd: Option<Odd>,
}

impl<'s> Index<'s> {
    pub(super) fn new(scan: &'s Scan, assumed: &[String]) -> Self {
        Self::over(Cow::Borrowed(scan), assumed)
    }

    pub(super) fn over(scan: Cow<'s, Scan>, assumed: &[String]) -> Self {
        let cost = Cost::new(0, 0, &scan.limits);
        Self {
            scan,
            hash: RandomState::new(),
            assumed: assumed.iter().map(|prefix| folded(prefix)).collect(),
            askers: Vec::new(),
            unread: Vec::new(),
            loose: Vec::new(),
            archives: Vec::new(),
            by_address: HashMap::new(),
            texts: String::new(),
            files: Vec::new(),
            in_game: Vec::new(),
            in_place: Vec::new(),
            distinct: HashMap::new(),
            by_name: None,
            media: Media::default(),
            ranks: Vec::new(),
            taken: 0,
            given_bytes: 0,
            cost,
            given: None,
            named: HashSet::new(),
            roots: Vec::new(),
            folders: HashSet::new(),
            has_folders: false,
            pairs: HashSet::new(),
            odd: HashMap::new(),
            looked_at: HashMap::new(),
            used: None,
            prefixes: Vec::new(),
            above: Vec::new(),
            is_around: false,
            textures: Vec::new(),
            by_texture: HashMap::new(),
            given_loose: usize::MAX,
            first_around: usize::MAX,
        }
        .naming()
    }

    fn naming(mut self) -> Self {
        self.named = self.scan.paths.iter().map(|path| key(&self.hash, &text(path))).collect();
        self
    }

    /// Adds the prefixes that the user gives.
    pub(super) fn add_prefixes(&mut self, rules: &Rules) {
        for (prefix, of) in &rules.prefixes {
            let paths = spellings(of, &self.scan.paths);
            self.prefixes.extend(paths.into_iter().map(|path| (prefix.clone(), path)));
        }
    }

    /// Takes memory for a text and its entry.
    pub(super) fn take(&mut self, bytes: usize) -> Result<()> {
        pub(super) const BESIDE: u64 = 64;
        self.taken = self.taken.saturating_add(bytes as u64).saturating_add(BESIDE);
        let most = self.scan.limits.decoded_bytes.saturating_add(self.scan.progress.opened_bytes());
        if self.taken > most {
            return Err(Error::limit("bytes of names of files, members and references", most, flag::DECODED));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, found: Found, seen: Option<Box<Seen>>, other: &mut impl FnMut(Found)) -> Result<()> {
        match found {
            Found::Asset(record) => {
                let text = seen.as_ref().and_then(|seen| seen.text.as_ref());
                let is_text = text.is_some();
                let is_config_text = text.is_some_and(|text| text.is_config);
                let is_read = is_config_text || is_text && is_config(name_of(&record.path, record.member.as_ref()));
                let mut note = if is_read { None } else { reason(&record) };
                if let Some(odd) = odd_of(&record) {
                    self.take(0)?;
                    self.odd.insert(key(&self.hash, &address(&record.path, record.member.as_ref()).text), odd);
                }
                let Record { path, member, summary, .. } = *record;
                if member.is_none() && !self.is_around {
                    self.add_path(path.clone())?;
                }
                // Most files of most scans are like this.
                if seen.is_none() && summary.references.is_empty() && note.is_none() {
                    return Ok(());
                }
                let path = match self.askers.last().map(|asker| &asker.path) {
                    Some(last) if **last == *path => last.clone(),
                    _ => path.into(),
                };
                let Seen { mut listing, text, copies, inside, cut } = seen.map_or_else(Seen::default, |seen| *seen);
                let list_cut = listing.as_mut().and_then(|listing| listing.cut.take());
                let name = name_of(&path, member.as_ref());
                let is_named = self.named.contains(&key(&self.hash, &address(&path, member.as_ref()).text));
                // An included text means nothing by itself, unless the user named it.
                let is_root = !is_included(name) || is_named && is_config_text;
                let mut cut = cut;
                let mut cut_note = None;
                if is_text && !is_root && !is_config_text {
                    // It may be of another language.
                    cut_note = cut.take().map(|error| error.message());
                }
                for error in cut.into_iter().chain(list_cut) {
                    note.get_or_insert_with(|| error.message());
                    other(Found::Unreadable(error.in_file(&path)));
                }
                if let Some(note) = note.filter(|_| !self.is_around) {
                    self.add_unread(path.clone(), member.clone(), note)?;
                }
                if let Some(listing) = listing {
                    self.add_archive(path.clone(), member.clone(), listing)?;
                }
                let Text { mut asks, defines, .. } = text.unwrap_or_default();
                if is_named && is_text && !is_config_text && member.is_none() {
                    other(Found::NoAsset(path.to_path_buf()));
                }
                if summary.format.is_some() {
                    asks.extend(summary.references.into_iter().map(Ask::of));
                }
                if !asks.is_empty() || !defines.is_empty() {
                    self.take(member.as_ref().map_or(0, |name| name.text.len()))?;
                    // The path that a macro builds is part of its name.
                    asks.iter().try_for_each(|ask| self.take(ask.reference.name.text.len().saturating_mul(2)))?;
                    for usage in asks.iter().filter_map(|ask| ask.usage.as_ref()) {
                        self.take(usage.byte_len())?;
                    }
                    defines.iter().try_for_each(|(_, define)| self.take(define.byte_len()))?;
                    self.take(copies.as_ref().map_or(0, |copies| copies.0.len().saturating_mul(16)))?;
                    self.take(inside.len().saturating_mul(8))?;
                    let in_game = matches!(summary.format, Some(Format::Odol | Format::Mlod | Format::Rap));
                    let is_included = self.is_around || is_text && !is_root;
                    let name = name_of(&path, member.as_ref());
                    let is_material = is_material(name);
                    self.has_folders |= asks.iter().any(may_be_folder);
                    self.askers.push(Asker {
                        in_game: in_game || is_text,
                        is_followed: is_included || is_material,
                        is_target: is_text || is_material,
                        is_included,
                        defines,
                        root: None,
                        around: OnceLock::new(),
                        cut: cut_note,
                        path,
                        member,
                        asks,
                        home: Home::default(),
                        copies,
                        inside,
                        beside: OnceLock::new(),
                    });
                }
            }
            Found::NoAsset(_) | Found::Unreadable(_) if self.is_around => {}
            Found::NoAsset(path) => {
                self.add_path(path.clone())?;
                other(Found::NoAsset(path));
            }
            Found::Unreadable(error) => {
                if let Some(path) = error.path() {
                    self.add_unread(path.into(), None, error.message())?;
                }
                other(Found::Unreadable(error));
            }
            found => other(found),
        }
        Ok(())
    }

    pub(super) fn add_unread(&mut self, path: Arc<Path>, member: Option<Name>, note: String) -> Result<()> {
        self.take(member.as_ref().map_or(0, |name| name.text.len()).saturating_add(note.len()))?;
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
        let (place, archive) = (key(&self.hash, &address.text), self.archives.len());
        // An archive that is given twice is kept once.
        if self.by_address.insert(place, archive).is_some() {
            return Ok(());
        }
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

    /// Adds all files, and prepares for lookups.
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
            let mut root = self.hash.build_hasher();
            root.write(below(&archive.root, "").as_bytes());
            let archive_root = below(&archive.root, "");
            listing.each(|member, own, stored| {
                let path = folded(stored);
                let file = self.add_file(Some(index), own, member.lossy);
                if let Some(file) = self.files.get_mut(file) {
                    (file.bytes, file.odd) = (member.bytes, member.odd);
                }
                if self.has_folders {
                    self.add_folders(&format!("{archive_root}{path}"));
                }
                let in_archive = key(&self.hash, &path);
                self.in_game.push((after(&root, &path), file));
                self.in_place.push((self.hash.hash_one((place, in_archive)), file));
            });
        }
    }

    /// Takes memory for a file with a name of this length.
    fn take_file(&mut self, bytes: usize) -> Result<()> {
        /// The entry of its name without folders.
        const BY_NAME: usize = 16;
        self.take(bytes.saturating_add(BY_NAME))
    }

    fn add_file(&mut self, archive: Option<usize>, name: &str, lossy: bool) -> usize {
        let (file, start) = (self.files.len(), self.texts.len());
        self.texts.push_str(name);
        let text = start..self.texts.len();
        self.files.push(File { archive, text, lossy, root: 0, bytes: 0, odd: None });
        file
    }

    pub(super) fn add_loose(&mut self, roots: &[PathBuf], askers: &mut [Asker]) -> Result<()> {
        let files = std::mem::take(&mut self.loose);
        self.first_around = self.files.len().saturating_add(self.given_loose);
        let given = self.given.as_mut().map(std::mem::take);
        let hash = self.hash.clone();
        let (own, above) = (std::mem::take(&mut self.prefixes), std::mem::take(&mut self.above));
        let prefixes = Prefixes::of(&files, roots, given.as_ref(), &hash).with(&own, &above);
        let mut root_numbers: HashMap<Key, usize> = HashMap::new();
        for asker in askers.iter_mut() {
            if asker.member.is_none() && asker.in_game {
                asker.root = self.root_number(&prefixes.places_of(&asker.path), &mut root_numbers);
            }
            let has_macros = asker.asks.iter().any(|ask| ask.way != Way::Path) || !asker.defines.is_empty();
            if has_macros || is_mission(name_of(&asker.path, asker.member.as_ref())) {
                asker.home = self.home(asker, &prefixes);
                self.take(asker.home.path.len().saturating_add(asker.home.root.len()))?;
            }
        }
        let roots: HashMap<Key, &Path> = roots.iter().map(|root| (folder_key(&hash, root), root.as_path())).collect();
        for path in &files {
            let Some((folder, name)) = path.parent().zip(path.file_name()) else { continue };
            let name = folded(&text(Path::new(name)));
            let address = address(path, None);
            self.take_file(address.text.len())?;
            let file = self.add_file(None, &address.text, address.lossy);
            let (place, in_folder) = (key(&self.hash, &text(folder)), key(&self.hash, &name));
            self.in_place.push((self.hash.hash_one((place, in_folder)), file));
            let mut around = folders_around(&hash, path);
            around.push(folder_key(&hash, path));
            for root in around.iter().filter_map(|folder| roots.get(folder)) {
                let Ok(relative) = path.strip_prefix(root) else { continue };
                let relative = folded(&text(relative));
                // A file that was named itself is at the root.
                let in_game = if relative.is_empty() { &name } else { &relative };
                self.in_game.push((key(&hash, in_game), file));
            }
            let places = prefixes.places_of(path);
            if let (Some(root), Some(file)) = (self.root_number(&places, &mut root_numbers), self.files.get_mut(file)) {
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
        for path in std::mem::take(&mut self.textures) {
            let address = address(&path, None);
            self.take_file(address.text.len())?;
            let file = self.add_file(None, &address.text, address.lossy);
            let folded = folded(&address.text);
            self.by_texture.entry(key(&self.hash, last(&folded))).or_default().push(file);
        }
        Ok(())
    }

    /// The image with the name at the end of a path: the one whose folders are most like those of the path, then the one
    /// with the fewest folders.
    pub(super) fn texture(&self, path: &str) -> Option<usize> {
        /// The most images of one name that are compared.
        const MOST_SAME: usize = 100;
        if self.by_texture.is_empty() {
            return None;
        }
        let other = instead_of(path, ReferenceKind::Texture);
        for name in [Some(path), other.as_deref()].into_iter().flatten() {
            let Some(same) = self.by_texture.get(&key(&self.hash, last(name))) else { continue };
            return self.nearest(same.iter().copied().take(MOST_SAME), name);
        }
        None
    }

    /// The file whose folders are most like those of a path, then the one with the fewest folders.
    pub(super) fn nearest(&self, files: impl Iterator<Item = usize>, path: &str) -> Option<usize> {
        files.min_by_key(|&file| {
            let own = folded(self.files.get(file).map_or("", |file| unnumbered(self.text_of(file))));
            let equal = own.rsplit('\\').zip(path.rsplit('\\')).take_while(|(a, b)| a == b).count();
            (std::cmp::Reverse(equal), own.matches('\\').count(), own)
        })
    }

    /// The number of the folder that a loose file is below. Those of archives come first.
    fn root_number(&mut self, places: &Places<'_>, numbers: &mut HashMap<Key, usize>) -> Option<usize> {
        let folder = places.root?;
        let next = self.archives.len().saturating_add(self.roots.len());
        let number = *numbers.entry(folder_key(&self.hash, folder)).or_insert(next);
        if number == next {
            let prefix = places.paths.first().map(|(prefix, _)| prefix.clone()).unwrap_or_default();
            self.roots.push(Root { name: text(folder), prefix, has_prefix: places.has_prefix });
        }
        Some(number)
    }

    /// The number of the archive that a file is in, or of the folder that it is below.
    pub(super) fn root_of(&self, file: usize) -> usize {
        let Some(file) = self.files.get(file) else { return usize::MAX };
        file.archive.unwrap_or(file.root)
    }

    pub(super) fn prefix_of_root(&self, root: usize) -> Option<&str> {
        match self.archives.get(root) {
            Some(archive) => Some(archive.root.trim_end_matches('\\')),
            None => Some(self.roots.get(root.checked_sub(self.archives.len())?)?.prefix.trim_end_matches('\\')),
        }
    }

    pub(super) fn name_of_root(&self, root: usize) -> &str {
        match self.archives.get(root) {
            Some(archive) => &archive.address.text,
            None => {
                let folder = root.checked_sub(self.archives.len()).and_then(|root| self.roots.get(root));
                folder.map_or("", |root| &root.name)
            }
        }
    }

    /// The path of a loose file, or of the file around a member.
    pub(super) fn path_of(&self, file: usize) -> Option<&Path> {
        let file = self.files.get(file)?;
        Some(self.archive_of(file).map_or(Path::new(self.text_of(file)), |archive| &archive.path))
    }

    /// The name of a file in its archive, or its path.
    pub(super) fn name_of(&self, file: usize) -> &str {
        let Some(file) = self.files.get(file) else { return "" };
        let text = self.text_of(file);
        if file.archive.is_some() { unnumbered(text).rsplit('\\').next().unwrap_or_default() } else { text }
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

    /// Returns what is odd about a file that a reference means. It is looked for once: addresses may be long.
    pub(super) fn odd_of(&mut self, number: usize) -> Option<Odd> {
        if let Some(known) = self.looked_at.get(&number) {
            return *known;
        }
        let odd = self.look_for_odd(self.files.get(number)?);
        self.looked_at.insert(number, odd);
        odd
    }

    fn look_for_odd(&self, file: &File) -> Option<Odd> {
        if file.odd.is_some() {
            return file.odd;
        }
        let archive = self.archive_of(file).map(|archive| &archive.address);
        if !self.odd.is_empty() {
            let name = Name { text: self.text_of(file).to_owned(), lossy: file.lossy };
            if let Some(odd) = self.odd.get(&key(&self.hash, &join(archive, name).text)) {
                return Some(*odd);
            }
        }
        if archive.is_some() || self.given.is_some() {
            return None;
        }
        odd_on_disk(Path::new(self.text_of(file)))
    }

    /// Prepares for lookups.
    pub(super) fn sort(&mut self) {
        // Sorted once, so that long addresses are not compared for each file.
        let mut order: Vec<usize> = (0..self.archives.len()).collect();
        order.sort_by_key(|&archive| self.archives.get(archive).map(|archive| archive.address.text.as_str()));
        self.ranks = vec![0; order.len()];
        for (rank, archive) in order.into_iter().enumerate() {
            if let Some(known) = self.ranks.get_mut(archive) {
                *known = rank;
            }
        }
        for list in [&mut self.in_game, &mut self.in_place] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// The files of a range, by their addresses. A file given by several paths is kept once. Computed once for all
    /// callers.
    pub(super) fn distinct(&mut self, in_game: bool, range: Range<usize>) -> Arc<[usize]> {
        let list = if in_game { &self.in_game } else { &self.in_place };
        let files = list.get(range.clone()).unwrap_or_default().iter().map(|(_, file)| *file);
        if let Some(used) = &mut self.used {
            for file in files.clone() {
                if let Some(is_used) = used.get_mut(file) {
                    *is_used = true;
                }
            }
        }
        if range.len() < 2 {
            return files.collect();
        }
        if let Some(known) = self.distinct.get(&(in_game, range.start)) {
            return known.clone();
        }
        let all: Vec<usize> = files.collect();
        let all = self.unique(all);
        self.distinct.insert((in_game, range.start), all.clone());
        all
    }

    /// These files, each once, by their addresses.
    pub(super) fn unique(&mut self, mut all: Vec<usize>) -> Arc<[usize]> {
        let mut seen: HashSet<Key> = HashSet::new();
        if all.len() > 1 {
            all.retain(|&file| self.identity(file).is_none_or(|identity| seen.insert(identity)));
            all.sort_by(|&a, &b| self.order(a, b));
        }
        all.into()
    }

    pub(super) fn text_of(&self, file: &File) -> &str {
        self.texts.get(file.text.clone()).unwrap_or_default()
    }

    /// A key that is equal for one file, whichever path it was given by.
    pub(super) fn identity(&mut self, file: usize) -> Option<Key> {
        let file = self.files.get(file)?;
        let name = self.texts.get(file.text.clone())?;
        let (hash, is_given) = (&self.hash, self.given.is_some());
        let canonical = |path: &Path| match is_given {
            true => path.into(),
            false => path.canonicalize().unwrap_or_else(|_| path.into()),
        };
        let Some(archive) = file.archive else { return Some(hash.hash_one(canonical(Path::new(name)))) };
        let Archive { path, member, identity, .. } = self.archives.get_mut(archive)?;
        let member = member.as_ref().map(|member| &member.text);
        let archive = *identity.get_or_insert_with(|| hash.hash_one((canonical(path), member)));
        Some(hash.hash_one((archive, name)))
    }

    /// Compares two files: by the addresses of their archives or their own paths, then by their names in the archive.
    pub(super) fn order(&self, a: usize, b: usize) -> Ordering {
        let (Some(a), Some(b)) = (self.files.get(a), self.files.get(b)) else { return Ordering::Equal };
        match (a.archive, b.archive) {
            (Some(one), Some(other)) if one == other => self.text_of(a).cmp(self.text_of(b)),
            (Some(one), Some(other)) => self.ranks.get(one).cmp(&self.ranks.get(other)),
            _ => self.place_of(a).cmp(&self.place_of(b)),
        }
    }

    /// The address of a file's archive and its name in it, or its path and nothing.
    fn place_of(&self, file: &File) -> (&str, &str) {
        match self.archive_of(file) {
            Some(archive) => (&archive.address.text, self.text_of(file)),
            None => (self.text_of(file), ""),
        }
    }

    pub(super) fn archive_of(&self, file: &File) -> Option<&Archive> {
        self.archives.get(file.archive?)
    }

    /// The address of a file, if there is enough left for giving it.
    pub(super) fn target(&self, file: usize) -> Option<Name> {
        let file = self.files.get(file)?;
        let archive = self.archive_of(file);
        let bytes = archive.map_or(0, |archive| archive.address.text.len()).saturating_add(file.text.len());
        if !self.cost.name(bytes) {
            return None;
        }
        let name = Name { text: self.text_of(file).to_owned(), lossy: file.lossy };
        Some(join(archive.map(|archive| &archive.address), name))
    }

    /// Returns true if the address of a file has bytes that are not UTF-8.
    pub(super) fn is_lossy(&self, file: usize) -> bool {
        let Some(file) = self.files.get(file) else { return false };
        file.lossy || self.archive_of(file).is_some_and(|archive| archive.address.lossy)
    }

    /// The key of each file's address, in the order of the files.
    pub(super) fn address_keys(&self) -> impl Iterator<Item = Key> {
        // Files of one archive follow each other, so that its address is hashed once.
        let mut around: Option<(usize, DefaultHasher)> = None;
        self.files.iter().map(move |file| {
            let Some((number, archive)) = file.archive.zip(self.archive_of(file)) else {
                return key(&self.hash, self.text_of(file));
            };
            let begun = match around.take() {
                Some((last, hasher)) if last == number => hasher,
                _ => {
                    let mut hasher = self.hash.build_hasher();
                    hasher.write(archive.address.text.as_bytes());
                    hasher.write(b"!/");
                    hasher
                }
            };
            let address = after(&begun, self.text_of(file));
            around = Some((number, begun));
            address
        })
    }
}

impl_fmt!([] Debug for Index<'_>, |index| "Index({} files)", index.files.len());

/// Returns what is odd about an asset or text by its problems.
fn odd_of(record: &Record) -> Option<Odd> {
    let summary = &record.summary;
    for problem in &summary.problems {
        match problem.code {
            Code::LfsPointer => return Some(Odd::LfsPointer),
            Code::Empty => return Some(Odd::Empty),
            _ if problem.severity == Severity::Error && summary.format.is_some() => return Some(Odd::Damaged),
            _ => {}
        }
    }
    None
}

/// Returns what is odd about a loose file of which a scan says nothing.
fn odd_on_disk(path: &Path) -> Option<Odd> {
    let bytes = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    match bytes {
        0 => Some(Odd::Empty),
        1..=LONGEST_POINTER => {
            let data = std::fs::read(path).ok()?;
            (NoAsset::of(&data) == NoAsset::LfsPointer).then_some(Odd::LfsPointer)
        }
        _ => None,
    }
}

/// Returns true if a name may be that of a folder: that of the functions of a mod, for example.
fn may_be_folder(ask: &Ask) -> bool {
    let is_file = ask.reference.kind == ReferenceKind::File;
    is_file && (ask.usage.is_some() || !last(&folded(&ask.reference.name.text)).contains('.'))
}

/// The range of entries for this path or, without one, for a path to try instead.
pub(super) fn find_or_instead(path: &str, kind: ReferenceKind, find: impl Fn(&str) -> Range<usize>) -> Range<usize> {
    match find(path) {
        found if found.is_empty() => instead_of(path, kind).map_or(found, |other| find(&other)),
        found => found,
    }
}

/// The range of entries with this key.
pub(super) fn find(list: &[(Key, usize)], key: Key) -> Range<usize> {
    let start = list.partition_point(|(known, _)| *known < key);
    let count = list.get(start..).unwrap_or_default().partition_point(|(known, _)| *known == key);
    start..start.saturating_add(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn each_name_takes_its_bytes_and_an_entry() {
        for decoded_bytes in [0, 1, 64, 65, 1_000, 100_000] {
            for bytes in [0, 1, 36, 1_000, usize::MAX] {
                let mut scan = Scan::new(["none"]);
                scan.limits = Limits { decoded_bytes, ..Limits::default() };
                let mut index = Index::new(&scan, &[]);
                let fit = (0..2_000).take_while(|_| index.take(bytes).is_ok()).count() as u64;
                assert_eq!(fit, decoded_bytes / (bytes as u64).saturating_add(64), "{bytes} in {decoded_bytes}");
                let error = index.take(bytes).unwrap_err().to_string();
                assert!(error.contains("bytes of names of files, members and references"), "{error}");
                assert!(error.contains("--max-decoded"), "{error}");
            }
        }
    }

    #[test]
    fn a_file_is_lossy_if_its_name_or_its_archive_is() {
        let scan = Scan::new(["none"]);
        let mut index = Index::new(&scan, &[]);
        for archive in [None, Some(false), Some(true)] {
            let number = archive.map(|lossy| {
                let member = Name { text: format!("{lossy}.zip"), lossy };
                index.add_archive(Path::new("a.zip").into(), Some(member), Listing::default()).unwrap();
                index.archives.len() - 1
            });
            for lossy in [false, true] {
                let file = index.add_file(number, "x", lossy);
                assert_eq!(index.is_lossy(file), lossy || archive == Some(true), "{archive:?} {lossy}");
                assert_eq!(index.target(file).unwrap().lossy, index.is_lossy(file), "{archive:?} {lossy}");
            }
        }
        assert!(!index.is_lossy(usize::MAX));
    }

    /// Files with their archives, in the order that is expected.
    const ORDERED: [(Option<&str>, &str); 8] = [
        (None, "a"),
        (None, "a/b.zip"),
        (Some("a/b.zip"), "a"),
        (Some("a/b.zip"), "b"),
        (Some("a/b.zip!/c.zip"), ""),
        (Some("a/b.zip!/c.zip"), "A"),
        (None, "a/c"),
        (Some("b.zip"), "0"),
    ];

    #[test]
    fn files_are_in_the_order_of_their_addresses() {
        let scan = Scan::new(["none"]);
        // Archives and files are found in any order.
        for shift in 0..ORDERED.len() {
            let mut index = Index::new(&scan, &[]);
            let found: Vec<usize> = (0..ORDERED.len()).map(|place| (place * 3 + shift) % ORDERED.len()).collect();
            let mut places = vec![0; ORDERED.len()];
            for &place in &found {
                let (archive, name) = ORDERED[place];
                let number = archive.map(|archive| {
                    let known = index.by_address.get(&key(&index.hash, archive)).copied();
                    known.unwrap_or_else(|| {
                        index.add_archive(Path::new(archive).into(), None, Listing::default()).unwrap();
                        index.archives.len() - 1
                    })
                });
                let file = index.add_file(number, name, false);
                places[file] = place;
            }
            index.sort();
            for a in 0..places.len() {
                for b in 0..places.len() {
                    assert_eq!(index.order(a, b), places[a].cmp(&places[b]), "{found:?}: {a} {b}");
                }
            }
            // The address of each file is that of its archive and its name.
            let keys: Vec<Key> = index.address_keys().collect();
            for (file, &place) in places.iter().enumerate() {
                let (archive, name) = ORDERED[place];
                let address = archive.map_or(name.to_owned(), |archive| format!("{archive}!/{name}"));
                assert_eq!(keys[file], key(&index.hash, &address), "{address}");
            }
        }
    }

    #[test]
    fn entries_of_a_key_are_those_between_the_smaller_and_the_larger() {
        for number in 0..4_u64.pow(5) {
            let mut list: Vec<(Key, usize)> =
                (0..5).map(|place| (number / 4_u64.pow(place) % 4 * 10, place as usize)).collect();
            list.sort_unstable();
            for length in 0..=list.len() {
                let list = &list[..length];
                for key in [0, 5, 10, 20, 25, 30, 31, Key::MAX] {
                    let expected: Vec<_> = list.iter().copied().filter(|(known, _)| *known == key).collect();
                    assert_eq!(list[find(list, key)], expected, "{list:?} {key}");
                }
            }
        }
    }

    /// A path that has a file is never tried another way.
    #[test]
    fn another_path_is_tried_only_if_the_first_has_no_file() {
        for kind in [ReferenceKind::Texture, ReferenceKind::Model, ReferenceKind::Proxy, ReferenceKind::Material] {
            for path in ["a.tga", "a.png", "a.paa", "a"] {
                let instead = match (kind, path) {
                    (ReferenceKind::Texture, "a.tga" | "a.png" | "a") => Some("a.paa".to_owned()),
                    (ReferenceKind::Model | ReferenceKind::Proxy, _) => Some(format!("{path}.p3d")),
                    _ => None,
                };
                for (first, second) in [(0..0, 0..0), (2..4, 0..0), (0..0, 5..6), (2..4, 5..6)] {
                    let find = |asked: &str| {
                        if asked == path {
                            return first.clone();
                        }
                        assert_eq!(Some(asked), instead.as_deref());
                        second.clone()
                    };
                    let expected = if first.is_empty() && instead.is_some() { second.clone() } else { first.clone() };
                    assert_eq!(find_or_instead(path, kind, find), expected, "{kind:?} {path}");
                }
            }
        }
    }
}
