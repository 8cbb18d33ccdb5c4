//! The files that an asset names, and which of the open files they are: by the library's own rules.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::Error;
use meshpeek::scan::refs::{Files, State};
use meshpeek::scan::{Depth, Scan};
use meshpeek::summary::{Name, ReferenceKind};
use serde_json::Value;

use crate::node::{Node, step, whole};
use crate::{Result, Session, scan};

/// The most archives whose directories are read.
const MOST_ARCHIVES: usize = 4096;
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
        let is_archive = |name: &str| {
            let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| ["pbo", "zip"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
        };
        let files = self.files.len();
        for file in self.listed..files.min(self.listed.saturating_add(MOST_ARCHIVES)) {
            let Some((name, size)) = self.files.get(file).filter(|(name, _)| is_archive(name)).cloned() else {
                continue;
            };
            let (source, all) = (self.source(file as u32), files as u64);
            let node = step(file as u64, file as u64 + 1, all, || Node::directory(source, PathBuf::from(name), size));
            if let Some(node) = node {
                self.add(node);
            }
        }
        self.listed = files;
    }

    /// The references of an asset or text, as `meshpeek refs` prints them for all files that are open.
    pub(crate) fn links(&mut self, node: u32) -> Result<Vec<Value>> {
        self.list_archives();
        let own =
            self.nodes.get(node as usize).and_then(Option::as_ref).ok_or_else(|| Error::unsupported("no file"))?;
        let scan = Scan::new(self.roots());
        let prefixes = self.prefixes();
        let mut texts: Vec<Text> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let files = self.files_for(&scan, Some(own), &prefixes, &texts)?;
            let (mut rows, mut wanted) = (Vec::new(), Vec::new());
            files.links()?.each(|link| {
                if (link.path, link.member.map(|member| &member.text))
                    != (own.path().0, own.path().1.map(|name| &name.text))
                {
                    return ControlFlow::Continue(());
                }
                if matches!(
                    link.reference.map(|reference| reference.kind),
                    Some(ReferenceKind::Material | ReferenceKind::Include)
                ) && link.state == State::Found
                {
                    wanted.extend(link.targets().map(|target| target.text));
                }
                rows.extend(serde_json::to_value(link));
                ControlFlow::Continue(())
            })?;
            let known: HashSet<String> = texts.iter().map(Text::address).collect();
            wanted.retain(|address| !known.contains(address));
            wanted.dedup();
            let before = texts.len();
            let room = MOST_TEXTS.saturating_sub(before);
            texts.extend(wanted.iter().take(room).filter_map(|address| self.content(address, MOST_TEXT)));
            if texts.len() == before {
                return Ok(rows);
            }
        }
        Err(Error::unsupported(format!("texts that include each other more than {MOST_ROUNDS} deep")))
    }

    /// The files and folders that were opened.
    pub(crate) fn roots(&self) -> HashSet<PathBuf> {
        self.files.iter().filter_map(|(name, _)| Some(root_of(name)?.into())).collect()
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
        let mut done: HashSet<&Path> =
            texts.iter().filter(|text| text.member.is_none()).map(|text| &*text.path).collect();
        let archives = self.nodes.iter().flatten().filter(|node| node.is_archive());
        for node in own.into_iter().chain(archives) {
            let (path, member) = node.path();
            if member.is_none() && !done.insert(path) {
                continue;
            }
            let is_own = own.is_some_and(|own| std::ptr::eq(node, own));
            let depth = if is_own { Depth::Summary } else { Depth::Header };
            match node.in_memory().filter(|_| node.error().is_some()) {
                Some(bytes) => files.add(node.record(depth), bytes, None)?,
                None => {
                    // Everything is read before the files are added, because a question may be repeated.
                    node.ask(|asset| Files::new(scan_of, &[]).add(node.record_of(asset, depth), &[], Some(asset)))?;
                    node.ask_here(|asset| files.add(node.record_of(asset, depth), &[], Some(asset)))?;
                }
            }
        }
        for text in texts {
            let name = text.member.as_ref().map_or(&*text.path, |member| crate::unnumbered(&member.text));
            let mut record = scan(Depth::Summary).record(name, &text.bytes);
            record.path.clone_from(&text.path);
            record.member.clone_from(&text.member);
            files.add(record, &text.bytes, None)?;
        }
        for (file, (name, _)) in self.files.iter().enumerate() {
            match prefixes.get(&(file as u32)) {
                _ if done.contains(Path::new(name)) => {}
                Some(bytes) => files.add(scan(Depth::Header).record(Path::new(name), bytes), bytes, None)?,
                None => files.add_path(name.into())?,
            }
        }
        Ok(files)
    }

    /// The contents of files that may give a prefix to their folder.
    pub(crate) fn prefixes(&self) -> HashMap<u32, Vec<u8>> {
        let is_prefix = |name: &str| crate::base_name(name).to_ascii_lowercase().contains("prefix");
        let named = self.files.iter().enumerate().filter(|(_, (name, size))| is_prefix(name) && *size <= MOST_PREFIX);
        let read = |file: u32, size| whole(&self.source(file), 0..size).ok();
        named.filter_map(|(file, (_, size))| Some((file as u32, read(file as u32, *size)?))).collect()
    }

    /// The file at an address, of at most this many bytes.
    pub(crate) fn content(&self, address: &str, most: u64) -> Option<Text> {
        let file = self.files.iter().position(|(name, _)| name == address);
        if let Some(file) = file {
            let (name, size) = self.files.get(file).filter(|(_, size)| *size <= most)?;
            let bytes = whole(&self.source(file as u32), 0..*size).ok()?;
            return Some(Text { path: name.into(), member: None, bytes });
        }
        let archives = self.nodes.iter().flatten().filter(|node| node.is_archive());
        let inside = |node: &Node| Some(address.strip_prefix(&node.address())?.strip_prefix("!/")?.to_owned());
        let (node, name) =
            archives.filter_map(|node| Some((node, inside(node)?))).max_by_key(|(node, _)| node.address().len())?;
        let inner = node.member(&crate::By::Name(&name), u64::MAX).ok().filter(|inner| inner.size() <= most)?;
        let member = match node.path().1 {
            Some(outer) => Name { text: format!("{}!/{name}", outer.text), lossy: outer.lossy },
            None => Name { text: name, lossy: false },
        };
        Some(Text { path: node.path().0.into(), member: Some(member), bytes: inner.bytes(0, inner.size()).ok()? })
    }
}

impl Text {
    fn address(&self) -> String {
        let path = self.path.to_string_lossy();
        self.member.as_ref().map_or_else(|| path.to_string(), |member| format!("{path}!/{}", member.text))
    }
}

/// The folder that was opened, or the file itself.
fn root_of(name: &str) -> Option<&str> {
    name.split('/').next()
}
