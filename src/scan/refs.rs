//! References resolved: which file each asset means by the names of other files in it.
//!
//! Arma's models (odol, mlod) name files of the game's virtual file system. There, a member of a PBO lies below the
//! archive's prefix, or below its own name where it has none. A loose file lies where it does on a P drive: at its path
//! below each given folder, and below the prefix that a file such as `$PBOPREFIX$` gives to the nearest folder around it.
//! Where no folder around it has such a file, it lies below the own names of its addon (the outermost folder with a
//! `config.cpp` or `config.bin`) and of the given folder. A zip is a folder of loose files. Case and kind of slash play no part, nor does a slash in front; a proxy may leave out its
//! `.p3d`.
//!
//! For b3d, bmx and lodka only the last part of a name counts, and the file lies in the model's own folder, of the same
//! archive where it is in one.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::prefix::{Prefixes, below, folded, text};
use super::{Found, Record, Scan, Sighting};
use crate::asset::Asset;
use crate::asset::address::Names;
use crate::asset::container::Container;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::named::named;
use crate::base::text::{ByteStr, Name};
use crate::summary::{Reference, ReferenceKind};

named! {
    /// What a reference comes to.
    #[non_exhaustive]
    pub enum State {
        /// One file is meant, or the name has a prefix that the caller says the game has.
        Found = "found",
        /// No file of this name is there.
        Missing = "missing",
        /// No file is meant: the game works it out, as with `#(argb,8,8,3)color(1,1,1,1)`.
        Procedural = "procedural",
        /// Several files are of this name.
        Ambiguous = "ambiguous",
    }
}

/// One reference of one asset, resolved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link {
    /// The file of the asset that has the reference.
    pub path: PathBuf,
    /// The asset's path inside the archive, where it lies in one.
    pub member: Option<Name>,
    /// The reference.
    pub reference: Reference,
    /// What it comes to.
    pub state: State,
    /// [Addresses](crate::address) of the files it may mean. None also where the game itself is said to have it.
    pub targets: Vec<Name>,
}

impl Serialize for Link {
    /// `{path, member, kind, name, state, target}`; `targets` too where the state is ambiguous, and `target` null then.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { path, member, reference, state, targets } = self;
        let path = Name::from(ByteStr::new(path.as_os_str().as_encoded_bytes()));
        let texts: Vec<&str> = targets.iter().map(|target| target.text.as_str()).collect();
        let names = [&path, &reference.name].into_iter().chain(member).chain(targets);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &path.text)?;
        map.serialize_entry("member", &member.as_ref().map(|member| &member.text))?;
        if names.into_iter().any(|name| name.lossy) {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("kind", &reference.kind)?;
        map.serialize_entry("name", &reference.name.text)?;
        map.serialize_entry("state", state.name())?;
        map.serialize_entry("target", &texts.first().filter(|_| *state == State::Found))?;
        if *state == State::Ambiguous {
            map.serialize_entry("targets", &texts)?;
        }
        map.end()
    }
}

/// Resolves every reference of every asset that the scan finds, among the files that it finds. `assumed` are prefixes of
/// names that the game itself has, such as `ca\` or `a3\`. What else the scan comes upon is passed on.
///
/// Takes memory for the names of all files and members. The order is that of paths and members.
///
/// ```
/// use meshpeek::scan::{Scan, refs};
/// let links = refs::resolve(&Scan::new(["corpus/zip"]), &["ca\\".to_owned()], |_| {})?;
/// assert!(links.iter().any(|link| link.state == refs::State::Missing));
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// As [`Scan::run`].
pub fn resolve(scan: &Scan, assumed: &[String], mut other: impl FnMut(Found) + Send) -> Result<Vec<Link>> {
    let mut index = Index { assumed: assumed.iter().map(|prefix| folded(prefix)).collect(), ..Index::default() };
    let mut loose = Vec::new();
    let mut records = Vec::new();
    scan.run_with(Listing::of, |found, listing| {
        match found {
            Found::Asset(record) => {
                if record.member.is_none() {
                    loose.push(record.path.clone());
                }
                if let Some(listing) = listing.flatten() {
                    index.add_archive(&record, &listing);
                }
                if !record.summary.references.is_empty() {
                    records.push(record);
                }
            }
            Found::NoAsset(path) => {
                loose.push(path.clone());
                other(Found::NoAsset(path));
            }
            found => other(found),
        }
        ControlFlow::Continue(())
    })?;
    index.add_files(&loose, &scan.paths);
    records.sort_by_cached_key(|record| (record.path.clone(), record.member.as_ref().map(|name| name.text.clone())));
    let links = records.iter().flat_map(|record| {
        let link = |reference: &Reference| index.link(record, reference);
        record.summary.references.iter().map(link).collect::<Vec<_>>()
    });
    Ok(links.collect())
}

/// What an archive holds.
struct Listing {
    /// Of a PBO archive.
    prefix: Option<Name>,
    members: Vec<Listed>,
}

struct Listed {
    name: Name,
    /// The name by which an address tells it from others of its name.
    own_name: Name,
}

impl Listing {
    fn of(seen: &Sighting<'_, '_>) -> Option<Self> {
        let asset = seen.asset?;
        let container = Container::of(asset)?;
        let prefix = match asset {
            Asset::Pbo(archive) => archive.prefix().map(Name::from),
            _ => None,
        };
        let mut names = Names::of(&container);
        let members = container.members().map_while(Result::ok);
        let listed = |name| Listed { name: Name::from(name), own_name: names.next(name) };
        let members = members.map(|member| member.name()).map(listed).collect();
        Some(Self { prefix, members })
    }
}

/// Every file by the names that references may have for it.
#[derive(Default)]
struct Index {
    /// Addresses.
    files: Vec<Name>,
    /// By the path in the game's file system.
    in_game: HashMap<String, Vec<usize>>,
    /// By container or folder, and the path there.
    in_place: HashMap<(String, String), Vec<usize>>,
    assumed: Vec<String>,
}

impl Index {
    fn add(&mut self, address: Name, place: (String, String)) -> usize {
        let file = self.files.len();
        self.files.push(address);
        self.in_place.entry(place).or_default().push(file);
        file
    }

    fn add_in_game(&mut self, path: String, file: usize) {
        let files = self.in_game.entry(path).or_default();
        if !files.contains(&file) {
            files.push(file);
        }
    }

    fn add_archive(&mut self, record: &Record, listing: &Listing) {
        let address = address(&record.path, record.member.as_ref());
        let root = match (record.summary.format, &listing.prefix) {
            (Some(Format::Pbo), Some(prefix)) => folded(&prefix.text),
            (Some(Format::Pbo), None) => stem(&folded(&address.text)).to_owned(),
            _ => String::new(),
        };
        for member in &listing.members {
            let path = folded(&member.name.text);
            let inside = crate::asset::address::join(Some(&address), member.own_name.clone());
            let file = self.add(inside, (address.text.clone(), path.clone()));
            self.add_in_game(below(&root, &path), file);
        }
    }

    fn add_files(&mut self, files: &[PathBuf], roots: &[PathBuf]) {
        let prefixes = Prefixes::of(files, roots);
        for path in files {
            let Some((folder, name)) = path.parent().zip(path.file_name()) else { continue };
            let name = Name::from(ByteStr::new(name.as_encoded_bytes()));
            let file = self.add(address(path, None), (text(folder), folded(&name.text)));
            let relative = |folder: &Path| Some(folded(&text(path.strip_prefix(folder).ok()?)));
            for root in roots {
                // A file that was named itself lies at the root.
                let in_game = relative(root).map(|path| if path.is_empty() { folded(&name.text) } else { path });
                if let Some(path) = in_game {
                    self.add_in_game(path, file);
                }
            }
            for in_game in prefixes.paths_of(path) {
                self.add_in_game(in_game, file);
            }
        }
    }

    fn link(&self, record: &Record, reference: &Reference) -> Link {
        let name = &reference.name.text;
        let in_game = matches!(record.summary.format, Some(Format::Odol | Format::Mlod));
        let files = if in_game { self.find_in_game(reference) } else { self.find_beside(record, name) };
        let targets = self.distinct(files);
        let state = match targets.len() {
            1 => State::Found,
            0 if in_game && name.starts_with("#(") => State::Procedural,
            0 if in_game && self.is_assumed(name) => State::Found,
            0 => State::Missing,
            _ => State::Ambiguous,
        };
        Link {
            path: record.path.clone(),
            member: record.member.clone(),
            reference: reference.clone(),
            state,
            targets: targets.into_iter().cloned().collect(),
        }
    }

    fn find_in_game(&self, reference: &Reference) -> &[usize] {
        let path = folded(&reference.name.text);
        let found = self.in_game.get(&path);
        let found = match reference.kind {
            ReferenceKind::Proxy => found.or_else(|| self.in_game.get(&format!("{path}.p3d"))),
            _ => found,
        };
        found.map_or(&[], Vec::as_slice)
    }

    fn find_beside(&self, record: &Record, name: &str) -> &[usize] {
        let wanted = folded(name);
        let wanted = last(&wanted);
        let place = match &record.member {
            None => (text(record.path.parent().unwrap_or(Path::new(""))), wanted.to_owned()),
            Some(member) => {
                let (around, own) = match member.text.rsplit_once("!/") {
                    Some((outer, own)) => (format!("{}!/{outer}", text(&record.path)), own),
                    None => (text(&record.path), member.text.as_str()),
                };
                let own = folded(own);
                let folder = own.strip_suffix(last(&own)).unwrap_or_default();
                (around, format!("{folder}{wanted}"))
            }
        };
        self.in_place.get(&place).map_or(&[], Vec::as_slice)
    }

    fn is_assumed(&self, name: &str) -> bool {
        let name = folded(name);
        self.assumed.iter().any(|prefix| {
            let behind = name.strip_prefix(prefix.as_str());
            behind.is_some_and(|behind| behind.is_empty() || prefix.ends_with('\\') || behind.starts_with('\\'))
        })
    }

    /// The addresses, those of one file given by several paths only once.
    fn distinct(&self, files: &[usize]) -> Vec<&Name> {
        let mut all: Vec<&Name> = files.iter().filter_map(|&file| self.files.get(file)).collect();
        if all.len() > 1 {
            let mut seen = std::collections::HashSet::new();
            all.retain(|name| {
                let (file, member) = name.text.split_once("!/").unwrap_or((&name.text, ""));
                let file = Path::new(file).canonicalize().unwrap_or_else(|_| file.into());
                seen.insert((file, member))
            });
            all.sort_by(|a, b| a.text.cmp(&b.text));
        }
        all
    }
}

fn address(path: &Path, member: Option<&Name>) -> Name {
    let file = Name::from(ByteStr::new(path.as_os_str().as_encoded_bytes()));
    member.map_or(file.clone(), |member| crate::asset::address::join(Some(&file), member.clone()))
}

/// The last part of a folded path.
fn last(path: &str) -> &str {
    path.rsplit('\\').next().unwrap_or_default()
}

/// The last part without its extension.
fn stem(path: &str) -> &str {
    let last = last(path);
    last.rsplit_once('.').map_or(last, |(stem, _)| stem)
}
