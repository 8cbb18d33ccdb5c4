//! Adds what a scan finds to the index.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::asker::{Asker, More};
use super::collect::Other;
use super::configs::{Ask, Text};
use super::index::Index;
use super::keys::{address, last, path_key};
use super::prefix::folded;
use super::seen::Seen;
use super::unread::reason;
use crate::asset::address::MemberPath;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::Name;
use crate::scan::config_names::{is_config, is_included, is_material};
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
    /// Adds an asset or file. Passes all but assets to `other`.
    pub(super) fn add(&mut self, found: Found, seen: Option<Box<Seen>>, other: &mut Other<'_>) -> Result<()> {
        match found {
            Found::Asset(record) => return self.add_asset(*record, seen, other),
            // Around the given paths, only assets count.
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
        let is_read =
            is_config_text || is_text && is_config(MemberPath::own_name(&record.path, record.member.as_ref()));
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
        let name = MemberPath::own_name(&path, member.as_ref());
        let is_named = is_text && self.is_named(&path, member.as_ref());
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
        let Text { mut asks, defines, .. } = text.unwrap_or_default();
        let mut asker = Asker::new(path.clone(), member);
        if summary.format.is_some() {
            asks.extend(summary.references.into_iter().map(Ask::of));
        }
        asker.asks = asks.into();
        asker.in_game = is_text || matches!(summary.format, Some(Format::Odol | Format::Mlod | Format::Rap));
        asker.is_included = self.is_around || is_text && !is_root;
        asker.is_followed = asker.is_included || is_material;
        asker.is_target = is_text || is_material;
        let has_more = !defines.is_empty() || cut_note.is_some() || copies.is_some() || !inside.is_empty();
        if has_more {
            let more = asker.more_mut();
            more.defines = defines;
            more.cut = cut_note;
            more.copies = copies;
            more.inside = inside;
        }
        self.add_asker(asker)
    }

    /// Returns true if the user named this file or member.
    fn is_named(&self, path: &Path, member: Option<&Name>) -> bool {
        self.named.contains(&path_key(&self.hash, Path::new(&address(path, member).text)))
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
        let More { defines, copies, inside, .. } = asker.more();
        if asker.asks.is_empty() && defines.is_empty() {
            return Ok(());
        }
        self.take(asker.member().unwrap_or_default().len())?;
        for ask in &asker.asks {
            // The path that a macro builds is part of its name.
            self.take(ask.reference.name.text.len().saturating_mul(2))?;
            if let Some(usage) = ask.usage() {
                self.take(usage.byte_len())?;
            }
            self.has_folders |= may_be_folder(ask);
        }
        for (_, define) in defines {
            self.take(define.byte_len())?;
        }
        if let Some(copies) = copies {
            self.take(copies.0.len().saturating_mul(16))?;
        }
        self.take(inside.len().saturating_mul(8))?;
        self.askers.push(asker);
        Ok(())
    }
}

/// Returns true if a name may be that of a folder: that of the functions of a mod, for example.
fn may_be_folder(ask: &Ask) -> bool {
    let is_file = ask.reference.kind == ReferenceKind::File;
    is_file && (ask.usage().is_some() || !last(&folded(&ask.reference.name.text)).contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Scan;
    use crate::summary::Reference;

    const NAMES: [&str; 9] =
        ["config.cpp", "a.hpp", "a.cpp", "a.rvmat", "a.bisurf", "model.cfg", "mission.sqm", "a.lua", "a.txt"];

    fn seen(text: TextKind) -> Option<Box<Seen>> {
        if text == TextKind::None {
            return None;
        }
        let asks = vec![Ask::of(Reference { kind: ReferenceKind::Texture, name: Name::from(Path::new("x.paa")) })];
        let text = Text { asks, is_config: text == TextKind::Config, ..Text::default() };
        Some(Box::new(Seen { text: Some(text), ..Seen::default() }))
    }

    /// Every text is asked by its kind, and every name by what it may be included by.
    #[test]
    fn texts_and_assets_are_followed_included_and_meant_as_their_names_say() {
        let formats = [None].into_iter().chain(Format::ALL.iter().copied().map(Some));
        for format in formats {
            for name in NAMES {
                for text in [TextKind::None, TextKind::Other, TextKind::Config] {
                    if format.is_some() == (text != TextKind::None) {
                        continue;
                    }
                    for (is_around, is_named) in [(false, false), (false, true), (true, false)] {
                        let scan = Scan::new([if is_named { name } else { "none" }]);
                        let mut index = Index::new(&scan, &[]);
                        index.is_around = is_around;
                        let mut record = scan.record(Path::new(name), b"");
                        record.summary.problems.clear();
                        record.summary.format = format;
                        record.summary.references =
                            vec![Reference { kind: ReferenceKind::Texture, name: Name::from(Path::new("y.paa")) }];
                        index.add(Found::Asset(Box::new(record)), seen(text), &mut |_| {}).unwrap();
                        let case = format!("{format:?} {name} around {is_around} named {is_named}");
                        let asker = &index.askers[0];
                        let is_text = text != TextKind::None;
                        let is_material = name == "a.rvmat";
                        let may_be_included = ["a.hpp", "a.cpp"].contains(&name);
                        let is_own = !may_be_included || is_named && text == TextKind::Config;
                        let is_included = is_around || is_text && !is_own;
                        let is_of_game = matches!(format, Some(Format::Odol | Format::Mlod | Format::Rap));
                        assert_eq!(asker.in_game, is_text || is_of_game, "{case}");
                        assert_eq!(asker.is_included, is_included, "{case}");
                        assert_eq!(asker.is_followed, is_included || is_material, "{case}");
                        assert_eq!(asker.is_target, is_text || is_material, "{case}");
                        assert_eq!(asker.is_lua, name == "a.lua", "{case}");
                        let names: Vec<&str> = asker.asks.iter().map(|ask| ask.reference.name.text.as_str()).collect();
                        assert_eq!(names, [if is_text { "x.paa" } else { "y.paa" }], "{case}");
                        // Files around the given ones were added before.
                        assert_eq!(index.loose.len(), usize::from(!is_around), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_name_without_a_dot_may_be_that_of_a_folder() {
        use ReferenceKind::{File, Include, Material, Model, Proxy, Surface, Texture};
        for kind in [File, Include, Material, Model, Proxy, Surface, Texture] {
            for (name, may_be) in [
                ("a", true),
                (r"a\b", true),
                ("a.b/c", true),
                (r"a\b.c", false),
                ("a.", false),
                (".a", false),
                (r"a.b\", true),
                ("", true),
            ] {
                let ask = Ask::of(Reference { kind, name: Name::from(Path::new(name)) });
                assert_eq!(may_be_folder(&ask), kind == File && may_be, "{kind:?} {name:?}");
            }
        }
    }

    #[test]
    fn what_is_no_asset_is_passed_on_unless_it_is_around_the_given_paths() {
        let path = || std::path::PathBuf::from("m/x");
        let error = || Error::malformed("why");
        for is_around in [false, true] {
            for (found, is_loose, is_unread, is_hidden) in [
                (Found::NoAsset(path()), true, false, true),
                (Found::Unreadable(error().in_file(&path())), false, true, true),
                (Found::Unreadable(error()), false, false, true),
                (Found::Unchanged(path()), false, false, false),
                (Found::Continued(path()), false, false, false),
                (Found::Excluded { path: path(), named: false }, false, false, false),
            ] {
                let mut index = Index::new(&Scan::new(["none"]), &[]);
                index.is_around = is_around;
                let case = format!("{found:?} {is_around}");
                let mut passed = Vec::new();
                index.add(found, None, &mut |found| passed.push(format!("{found:?} {is_around}"))).unwrap();
                let is_known = !is_around || !is_hidden;
                assert_eq!(passed, Vec::from_iter(Some(case.clone()).filter(|_| is_known)));
                assert_eq!(index.loose.len(), usize::from(is_loose && is_known), "{case}");
                let unread: Vec<_> = index.unread.iter().map(|unread| (&*unread.path, unread.note.as_str())).collect();
                let expected = Some((Path::new("m/x"), "why")).filter(|_| is_unread && is_known);
                assert_eq!(unread, Vec::from_iter(expected), "{case}");
            }
        }
    }

    #[test]
    fn all_errors_of_an_asset_are_passed_on_and_the_first_reason_is_kept() {
        for note in [None, Some("note")] {
            for cuts in 0..1 << 2 {
                for is_around in [false, true] {
                    let mut index = Index::new(&Scan::new(["none"]), &[]);
                    index.is_around = is_around;
                    let errors = ["one", "two"].map(Error::malformed);
                    let mut number = 0;
                    let cuts = errors.map(|error| {
                        number += 1;
                        Some(error).filter(|_| cuts >> (number - 1) & 1 != 0)
                    });
                    let texts: Vec<String> = cuts.iter().flatten().map(Error::message).collect();
                    let mut passed = Vec::new();
                    let mut other = |found: Found| {
                        let Found::Unreadable(error) = found else { panic!("{found:?}") };
                        assert_eq!(error.path(), Some(Path::new("m/x")));
                        passed.push(error.message());
                    };
                    let member = Name { text: "in".to_owned(), lossy: false };
                    let path: Arc<Path> = Path::new("m/x").into();
                    index.add_cuts(&path, Some(&member), note.map(str::to_owned), cuts, &mut other).unwrap();
                    assert_eq!(passed, texts);
                    let reason = note.or(texts.first().map(String::as_str)).filter(|_| !is_around);
                    let unread: Vec<_> = index.unread.iter().map(|unread| unread.note.as_str()).collect();
                    assert_eq!(unread, Vec::from_iter(reason), "{texts:?} {is_around}");
                    assert!(index.unread.iter().all(|unread| unread.member.as_ref() == Some(&member)));
                }
            }
        }
    }

    #[test]
    fn an_asset_takes_its_member_names_macros_copies_and_images() {
        use super::super::configs::Copies;
        use crate::formats::rap::macros::Define;
        let limit = |decoded_bytes| {
            let mut scan = Scan::new(["none"]);
            scan.limits.decoded_bytes = decoded_bytes;
            Index::new(&scan, &[])
        };
        for with in 0..1 << 5 {
            let has = |number: usize| with >> number & 1 != 0;
            let asker = || {
                let member = Some(Name { text: "in.pbo!/a".to_owned(), lossy: false }).filter(|_| has(0));
                let mut asker = Asker::new(Path::new("m/x").into(), member);
                let name = |text: &str| Name { text: text.to_owned(), lossy: false };
                let of = |text: &str| Ask::of(Reference { kind: ReferenceKind::Texture, name: name(text) });
                asker.asks = if has(1) { vec![of("abc.paa"), of("d")].into() } else { Box::default() };
                let more = asker.more_mut();
                if has(2) {
                    more.defines = vec![(0, Define::parse(b" X 1").unwrap())];
                }
                more.copies = has(3).then(|| Copies([1, 2, 3].into()));
                more.inside = vec![1; if has(4) { 5 } else { 0 }];
                asker
            };
            let mut bytes = 64 + if has(0) { 9 } else { 0 };
            bytes += if has(1) { 64 + 2 * 7 + 64 + 2 } else { 0 };
            bytes += if has(2) { 64 + asker().more().defines[0].1.byte_len() as u64 } else { 0 };
            bytes += if has(3) { 64 + 3 * 16 } else { 0 };
            bytes += 64 + if has(4) { 5 * 8 } else { 0 };
            // Without references and macros it is not kept.
            let is_kept = has(1) || has(2);
            for decoded_bytes in [bytes - 1, bytes] {
                let mut index = limit(decoded_bytes);
                let added = index.add_asker(asker());
                assert_eq!(added.is_ok(), !is_kept || decoded_bytes == bytes, "{with:b}");
                assert_eq!(index.askers.len(), usize::from(is_kept && decoded_bytes == bytes), "{with:b}");
            }
        }
    }
}
