//! The files that an asset names, and which of the open files they are: by the library's own rules.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::Error;
use meshpeek::address::MemberPath;
use meshpeek::answers::refs::{Files, Link, State};
use meshpeek::scan::{Depth, Scan};
use meshpeek::summary::{Name, ReferenceKind};
use serde_json::Value;

use crate::node::{Node, Step, whole};
use crate::{By, Result, Session, scan};

/// The most bytes of a text, and the most texts that are followed.
const MOST_TEXT: u64 = 1 << 20;
const MOST_TEXTS: usize = 1000;
/// The most levels of texts that name texts.
const MOST_ROUNDS: usize = 8;
/// A larger file is no prefix file.
const MOST_PREFIX: u64 = 4096;

/// A text or image that the asset leads to.
pub(crate) struct Text {
    path: PathBuf,
    member: Option<Name>,
    pub(crate) bytes: Vec<u8>,
}

impl Session {
    /// Reads the directories of all archives among the open files.
    pub(crate) fn list_archives(&mut self) {
        let files = self.files.len();
        for file in self.listed..files {
            let Some(Some((name, size))) = self.files.get(file) else { continue };
            if !is_archive_name(name) {
                continue;
            }
            let _step = Step::begin(file as u64, file as u64 + 1, files as u64);
            if let Some(node) = Node::directory(self.source(file as u32), PathBuf::from(name), *size) {
                self.add(node);
            }
        }
        self.listed = files;
    }

    /// The archives among the open files and members.
    pub(crate) fn archives(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().flatten().map(|opened| &opened.node).filter(|node| node.is_archive())
    }

    /// The references of an asset or text, as `meshpeek refs` prints them for all files that are open. A texture that is
    /// missing there is looked for as the view of the model does.
    pub(crate) fn links(&mut self, node: u32) -> Result<Vec<Value>> {
        let mut rows = self.listed_links(node)?;
        if !rows.iter().any(is_missing_texture) {
            return Ok(rows);
        }
        self.list_images()?;
        let Ok(own) = self.node(node) else { return Ok(rows) };
        for row in &mut rows {
            if is_missing_texture(row)
                && let Some(name) = row["name"].as_str()
                && let Some(address) = self.locate_image(own, &Name::new(name.to_owned()))?
            {
                row["state"] = State::Found.name().into();
                row["target"] = address.into();
                if let Some(fields) = row.as_object_mut() {
                    fields.remove("elsewhere");
                }
            }
        }
        Ok(rows)
    }

    fn listed_links(&mut self, node: u32) -> Result<Vec<Value>> {
        self.list_archives();
        let Ok(own) = self.node(node) else { return Err(Error::unsupported("no file")) };
        let scan = Scan::new(self.roots());
        let prefixes = self.prefixes();
        let mut texts: Vec<Text> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let files = self.files_for(&scan, Some(own), &prefixes, &texts)?;
            let mut found = OwnLinks::default();
            files.links()?.each(|link| {
                if is_of(link, own) {
                    found.add(link);
                }
                ControlFlow::Continue(())
            })?;
            let known: HashSet<String> = texts.iter().map(Text::address).collect();
            let mut wanted = found.texts;
            wanted.retain(|address| !known.contains(address));
            wanted.dedup();
            let before = texts.len();
            let room = MOST_TEXTS.saturating_sub(before);
            for address in wanted.iter().take(room) {
                if let Some(text) = self.content(address, MOST_TEXT) {
                    texts.push(text);
                }
            }
            if texts.len() == before {
                return Ok(found.rows);
            }
        }
        Err(Error::unsupported(format!("texts that include each other more than {MOST_ROUNDS} deep")))
    }

    /// The files and folders that were opened.
    pub(crate) fn roots(&self) -> HashSet<PathBuf> {
        self.open_files().map(|(_, name, _)| root_of(name).into()).collect()
    }

    /// All open files, the asset and the texts.
    pub(crate) fn files_for(
        &self,
        scan_of: &Scan,
        own: Option<&Node>,
        prefixes: &HashMap<u32, Vec<u8>>,
        texts: &[Text],
    ) -> Result<Files> {
        let mut files = Files::new(scan_of, &[]);
        // The files whose content is added.
        let mut done: HashSet<&Path> = HashSet::new();
        for text in texts {
            if text.member.is_none() {
                done.insert(&text.path);
            }
        }
        for node in own.into_iter().chain(self.archives()) {
            let (path, member) = node.path();
            if member.is_none() && !done.insert(path) {
                continue;
            }
            let mut depth = Depth::Header;
            if let Some(own) = own
                && std::ptr::eq(node, own)
            {
                depth = Depth::Summary;
            }
            add_node(&mut files, scan_of, node, depth)?;
        }
        for text in texts {
            let mut record = scan(Depth::Summary).record(text.own_name(), &text.bytes);
            record.path.clone_from(&text.path);
            record.member.clone_from(&text.member);
            files.add(record, &text.bytes, None)?;
        }
        for (file, name, _) in self.open_files() {
            if done.contains(Path::new(name)) {
                continue;
            }
            match prefixes.get(&file) {
                Some(bytes) => files.add(scan(Depth::Header).record(Path::new(name), bytes), bytes, None)?,
                None => files.add_path(name.into())?,
            }
        }
        Ok(files)
    }

    /// The contents of files that may give a prefix to their folder.
    pub(crate) fn prefixes(&self) -> HashMap<u32, Vec<u8>> {
        let mut prefixes = HashMap::new();
        for (file, name, size) in self.open_files() {
            let is_prefix = crate::base_name(name).to_ascii_lowercase().contains("prefix");
            if is_prefix
                && size <= MOST_PREFIX
                && let Ok(bytes) = whole(&self.source(file), 0..size)
            {
                prefixes.insert(file, bytes);
            }
        }
        prefixes
    }

    /// The file at an address, of at most this many bytes.
    pub(crate) fn content(&self, address: &str, most: u64) -> Option<Text> {
        for (file, name, size) in self.open_files() {
            if name != address {
                continue;
            }
            if size > most {
                return None;
            }
            let bytes = whole(&self.source(file), 0..size).ok()?;
            return Some(Text { path: name.into(), member: None, bytes });
        }
        let (archive, name) = self.innermost_archive(address)?;
        let inner = archive.member(&By::Name(name), u64::MAX).ok()?;
        if inner.size() > most {
            return None;
        }
        let (path, outer) = archive.path();
        let member = MemberPath::join(outer, Name::new(name.to_owned()));
        Some(Text { path: path.into(), member: Some(member), bytes: inner.bytes(0, inner.size()).ok()? })
    }

    /// Returns the archive with the longest address around this one, and the rest of the address: the name in it.
    fn innermost_archive<'n>(&self, address: &'n str) -> Option<(&Node, &'n str)> {
        let mut innermost = None;
        let mut longest = 0;
        for archive in self.archives() {
            let around = archive.address();
            if let Some(name) = MemberPath::new(address).inside(&around)
                && around.len() >= longest
            {
                longest = around.len();
                innermost = Some((archive, name));
            }
        }
        innermost
    }
}

/// Adds a node: an asset or, if it did not open, its bytes.
pub(crate) fn add_node(files: &mut Files, scan_of: &Scan, node: &Node, depth: Depth) -> Result<()> {
    if node.error().is_some() {
        return files.add(node.record(depth), node.beginning(), None);
    }
    // Everything is read before the files are added, because a question may be repeated.
    node.ask(|asset| Files::new(scan_of, &[]).add(node.record_of(asset, depth), &[], Some(asset)))?;
    node.ask_here(|asset| files.add(node.record_of(asset, depth), &[], Some(asset)))
}

/// The references of one asset.
#[derive(Default)]
struct OwnLinks {
    /// Each reference in JSON.
    rows: Vec<Value>,
    /// The addresses of the materials and included texts, which may have references of their own.
    texts: Vec<String>,
}

impl OwnLinks {
    fn add(&mut self, link: &Link<'_>) {
        if let Some(reference) = link.reference
            && matches!(reference.kind, ReferenceKind::Material | ReferenceKind::Include)
            && link.state == State::Found
        {
            for target in link.targets() {
                self.texts.push(target.text);
            }
        }
        if let Ok(row) = serde_json::to_value(link) {
            self.rows.push(row);
        }
    }
}

/// Returns true for a reference to a texture that no file has.
fn is_missing_texture(row: &Value) -> bool {
    row["kind"] == ReferenceKind::Texture.name() && row["state"] == State::Missing.name()
}

/// Returns true if the reference is in this asset.
fn is_of(link: &Link<'_>, own: &Node) -> bool {
    let (path, member) = own.path();
    if link.path != path {
        return false;
    }
    match (link.member, member) {
        (Some(one), Some(other)) => one.text == other.text,
        (None, None) => true,
        _ => false,
    }
}

impl Text {
    fn address(&self) -> String {
        MemberPath::address(&self.path, self.member.as_ref())
    }

    /// The innermost name, whose ending hints at the format.
    fn own_name(&self) -> &Path {
        MemberPath::own_name(&self.path, self.member.as_ref())
    }
}

/// Returns true if a file of this name is taken for an archive.
fn is_archive_name(name: &str) -> bool {
    let Some(extension) = Path::new(name).extension() else { return false };
    extension.eq_ignore_ascii_case("pbo") || extension.eq_ignore_ascii_case("zip")
}

/// The folder that was opened, or the file itself.
fn root_of(name: &str) -> &str {
    match name.split_once('/') {
        Some((root, _)) => root,
        None => name,
    }
}
