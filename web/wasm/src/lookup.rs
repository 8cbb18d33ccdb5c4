//! Finds the files that textures of models mean among the open ones, by the index of `meshpeek refs`.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

use meshpeek::address::{MemberPath, Names, unnumbered};
use meshpeek::answers::refs::{Model, State, Textures};
use meshpeek::container::Container;
use meshpeek::scan::Scan;
use meshpeek::summary::Name;
use meshpeek::{Asset, Error};
use serde_json::{Value, json};

use crate::node::Node;
use crate::{Result, Session, picture};

/// The most files that are listed by their ending.
const MOST_NAMED: usize = 2000;

/// Finds the images among the open files.
pub(crate) type Catalog = RefCell<Textures<'static>>;

/// Where the file of a texture is.
struct Located {
    address: String,
    state: State,
}

/// The file of a texture.
pub(crate) struct Found {
    pub(crate) address: String,
    /// How it was found; `Missing` if it has only the name.
    pub(crate) state: State,
    pub(crate) bytes: Vec<u8>,
}

impl Session {
    /// Reads the names of the open files and of the members of archives, unless they are known.
    pub(crate) fn list_images(&mut self) -> Result<()> {
        self.list_archives();
        if self.catalog.is_none() {
            let scan = Scan::new(self.roots());
            let textures = self.files_for(&scan, None, &self.prefixes(), &[])?.textures()?;
            self.catalog = Some(RefCell::new(textures));
        }
        Ok(())
    }

    /// Reads the file that a texture of a model means. Needs [`list_images`](Self::list_images).
    ///
    /// # Errors
    /// Returns an error if the file is there but is too large or cannot be read.
    pub(crate) fn find_image(&self, node: &Node, texture: &Name) -> Result<Option<Found>> {
        let Some(Located { address, state }) = self.locate(node, texture)? else { return Ok(None) };
        let Some(text) = self.content(&address, picture::MOST_BYTES) else {
            return Err(Error::unsupported(format!("{address} is too large or cannot be read")));
        };
        Ok(Some(Found { address, state, bytes: text.bytes }))
    }

    /// The address of the file that a texture of a model means, and not of one that has only the name. Needs
    /// [`list_images`](Self::list_images).
    pub(crate) fn locate_image(&self, node: &Node, texture: &Name) -> Result<Option<String>> {
        let Some(Located { address, state }) = self.locate(node, texture)? else { return Ok(None) };
        Ok(if state == State::Missing { None } else { Some(address) })
    }

    fn locate(&self, node: &Node, texture: &Name) -> Result<Option<Located>> {
        let Some(catalog) = &self.catalog else { return Ok(None) };
        let Some(format) = node.format() else { return Ok(None) };
        let (path, member) = node.path();
        let found = catalog.borrow_mut().find(Model::new(path, member, format), texture)?;
        let Some(image) = found else { return Ok(None) };
        Ok(Some(Located { address: MemberPath::address(&image.path, image.member.as_ref()), state: image.state }))
    }

    /// Lists the open files, and the members of open archives, whose names have one of these lower-case endings.
    pub(crate) fn named_files(&mut self, endings: &[String]) -> Value {
        self.list_archives();
        let mut found = NamedFiles::default();
        for (file, open) in self.files.iter().enumerate() {
            let Some((name, _)) = open else { continue };
            if has_ending(name, endings) {
                found.add(json!({ "address": name, "file": file, "path": [] }));
            }
        }
        let mut done = HashSet::new();
        for archive in self.archives() {
            let (path, outer) = archive.path();
            let address = archive.address();
            // An archive that was opened is there twice.
            if !done.insert(address.clone()) {
                continue;
            }
            let is_own = |open: &Option<(String, u64)>| open.as_ref().is_some_and(|(name, _)| Path::new(name) == path);
            let Some(file) = self.files.iter().position(is_own) else { continue };
            let mut outer_names = Vec::new();
            if let Some(outer) = outer {
                outer_names.extend(MemberPath::new(&outer.text).names().map(str::to_owned));
            }
            // An archive that cannot be listed offers no files.
            let Ok(members) = archive.ask(|asset| Ok(names_of(asset, endings))) else { continue };
            for member in members {
                let mut names = outer_names.clone();
                names.push(member.clone());
                found.add(
                    json!({ "address": MemberPath::join_text(&address, Some(&member)), "file": file, "path": names }),
                );
            }
        }
        json!({ "files": found.files, "more": found.more })
    }
}

/// Files for a list to choose from.
#[derive(Default)]
struct NamedFiles {
    files: Vec<Value>,
    /// The number of those that are not listed.
    more: u64,
}

impl NamedFiles {
    fn add(&mut self, file: Value) {
        if self.files.len() < MOST_NAMED {
            self.files.push(file);
        } else {
            self.more += 1;
        }
    }
}

fn has_ending(name: &str, endings: &[String]) -> bool {
    let name = name.to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

/// The names of the members of an archive that have one of these endings.
fn names_of(asset: &Asset<'_>, endings: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let Some(container) = Container::of(asset) else { return found };
    let mut names = Names::of(&container);
    for member in container.members() {
        let Ok(member) = member else { break };
        let name = names.next(member.name());
        if has_ending(unnumbered(&name.text), endings) {
            found.push(name.text);
        }
    }
    found
}
