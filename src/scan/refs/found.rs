//! Adds what a scan finds to the index.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::asker::Asker;
use super::collect::Other;
use super::configs::{Ask, Text, is_config, is_included, is_material};
use super::index::Index;
use super::keys::{address, key, last, name_of};
use super::prefix::folded;
use super::seen::Seen;
use super::unread::reason;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::Name;
use crate::scan::{Found, Record};
use crate::summary::ReferenceKind;

/// Whether a record is that of a text.
#[derive(Clone, Copy, PartialEq)]
enum TextKind {
    None,
    /// Its content is not that of a config.
    Other,
    Config,
}

fn kind_of_text(seen: Option<&Seen>) -> TextKind {
    let Some(seen) = seen else { return TextKind::None };
    match &seen.text {
        None => TextKind::None,
        Some(text) if text.is_config => TextKind::Config,
        Some(_) => TextKind::Other,
    }
}

impl Index {
    /// Adds an asset or file. Passes everything else, and errors, to `other`.
    pub(super) fn add(&mut self, found: Found, seen: Option<Box<Seen>>, other: &mut Other<'_>) -> Result<()> {
        match found {
            Found::Asset(record) => return self.add_asset(*record, seen, other),
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

    fn add_asset(&mut self, record: Record, seen: Option<Box<Seen>>, other: &mut Other<'_>) -> Result<()> {
        let kind = kind_of_text(seen.as_deref());
        let is_text = kind != TextKind::None;
        let is_config_text = kind == TextKind::Config;
        let is_read = is_config_text || is_text && is_config(name_of(&record.path, record.member.as_ref()));
        let note = if is_read { None } else { reason(&record) };
        self.add_odd(&record)?;
        let Record { path, member, summary, .. } = record;
        if member.is_none() && !self.is_around {
            self.add_path(path.clone())?;
        }
        // Most files of most scans are like this.
        if seen.is_none() && summary.references.is_empty() && note.is_none() {
            return Ok(());
        }
        let path = self.shared(path);
        let Seen { mut listing, text, copies, inside, mut cut } = *seen.unwrap_or_default();
        let mut list_cut = None;
        if let Some(listing) = &mut listing {
            list_cut = listing.cut.take();
        }
        let name = name_of(&path, member.as_ref());
        let is_named = self.named.contains(&key(&self.hash, &address(&path, member.as_ref()).text));
        // An included text means nothing by itself, unless the user named it.
        let is_root = !is_included(name) || is_named && is_config_text;
        let mut cut_note = None;
        if is_text && !is_root && !is_config_text {
            // It may be of another language.
            if let Some(error) = cut.take() {
                cut_note = Some(error.message());
            }
        }
        self.add_cuts(&path, member.as_ref(), note, [cut, list_cut], other)?;
        if let Some(listing) = listing {
            self.add_archive(path.clone(), member.clone(), listing)?;
        }
        if is_named && is_text && !is_config_text && member.is_none() {
            other(Found::NoAsset(path.to_path_buf()));
        }
        let is_material = is_material(name);
        let Text { asks, defines, .. } = text.unwrap_or_default();
        let mut asker = Asker::new(path.clone(), member);
        asker.asks = asks;
        asker.defines = defines;
        if summary.format.is_some() {
            asker.asks.extend(summary.references.into_iter().map(Ask::of));
        }
        asker.in_game = is_text || matches!(summary.format, Some(Format::Odol | Format::Mlod | Format::Rap));
        asker.is_included = self.is_around || is_text && !is_root;
        asker.is_followed = asker.is_included || is_material;
        asker.is_target = is_text || is_material;
        asker.cut = cut_note;
        asker.copies = copies;
        asker.inside = inside;
        self.add_asker(asker)
    }

    /// Passes on the errors of what is incomplete, and keeps the first reason why.
    fn add_cuts(
        &mut self,
        path: &Arc<Path>,
        member: Option<&Name>,
        mut note: Option<String>,
        cuts: [Option<Error>; 2],
        other: &mut Other<'_>,
    ) -> Result<()> {
        for error in cuts.into_iter().flatten() {
            if note.is_none() {
                note = Some(error.message());
            }
            other(Found::Unreadable(error.in_file(path)));
        }
        if let Some(note) = note
            && !self.is_around
        {
            self.add_unread(path.clone(), member.cloned(), note)?;
        }
        Ok(())
    }

    /// The path, shared with the last asset if it is the same.
    fn shared(&self, path: PathBuf) -> Arc<Path> {
        if let Some(last) = self.askers.last()
            && *last.path == *path
        {
            return last.path.clone();
        }
        path.into()
    }

    /// Adds an asset or text with references or macros.
    fn add_asker(&mut self, asker: Asker) -> Result<()> {
        if asker.asks.is_empty() && asker.defines.is_empty() {
            return Ok(());
        }
        self.take(asker.member().unwrap_or_default().len())?;
        for ask in &asker.asks {
            // The path that a macro builds is part of its name.
            self.take(ask.reference.name.text.len().saturating_mul(2))?;
            if let Some(usage) = &ask.usage {
                self.take(usage.byte_len())?;
            }
            self.has_folders |= may_be_folder(ask);
        }
        for (_, define) in &asker.defines {
            self.take(define.byte_len())?;
        }
        if let Some(copies) = &asker.copies {
            self.take(copies.0.len().saturating_mul(16))?;
        }
        self.take(asker.inside.len().saturating_mul(8))?;
        self.askers.push(asker);
        Ok(())
    }
}

/// Returns true if a name may be that of a folder: that of the functions of a mod, for example.
fn may_be_folder(ask: &Ask) -> bool {
    let is_file = ask.reference.kind == ReferenceKind::File;
    is_file && (ask.usage.is_some() || !last(&folded(&ask.reference.name.text)).contains('.'))
}
