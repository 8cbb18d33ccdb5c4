//! The names and references that are taken from an asset or a text while it is open.

use std::hash::RandomState;

use super::configs::{Copies, Text, Utf16};
use super::inside::inside;
use super::keys::{Key, stem};
use super::lua;
use super::prefix::{folded, text};
use super::resolved::Odd;
use crate::asset::Asset;
use crate::asset::address::{MemberPath, Names, has_seam, unnumbered};
use crate::asset::container::{Container, Form, Member};
use crate::base::error::{Error, Result};
use crate::base::no_asset::NoAsset;
use crate::base::text::Name;
use crate::scan::config_names::is_config;
use crate::scan::{Record, Sighting};
use crate::source::pages::Release;

/// The parts of an asset or text that are kept.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) listing: Option<Listing>,
    /// The references and macros of a text.
    pub(super) text: Option<Text>,
    pub(super) copies: Option<Copies>,
    /// The names of the images inside the asset, sorted.
    pub(super) inside: Vec<Key>,
    /// The error if something is incomplete.
    pub(super) cut: Option<Error>,
}

impl Seen {
    /// Returns `None` if there is nothing to keep, as from most assets.
    pub(super) fn of(seen: &Sighting<'_, '_>, copies: bool, hash: &RandomState) -> Option<Box<Self>> {
        let this = Self::read(seen, copies, hash);
        let Self { listing, text, copies, inside, cut } = &this;
        let is_empty = listing.is_none() && text.is_none() && copies.is_none() && inside.is_empty() && cut.is_none();
        if is_empty { None } else { Some(Box::new(this)) }
    }

    fn read(seen: &Sighting<'_, '_>, wants_copies: bool, hash: &RandomState) -> Self {
        let Some(asset) = seen.asset else { return Self::of_text(seen) };
        // The materials of a model are read a second time for it, which is paid for.
        let mut copies = None;
        if wants_copies && seen.budget.charge_work(seen.data.len() as u64).is_ok() {
            copies = Copies::of(asset, hash);
        }
        let mut this = Self { listing: Listing::of(seen), copies, ..Self::default() };
        if !seen.record.summary.references.is_empty() {
            this.cut = inside(asset, seen.budget, hash, &mut this.inside).err();
        }
        this
    }
}

impl Seen {
    /// Reads what has no view: a text, a damaged asset, or another file.
    fn of_text(seen: &Sighting<'_, '_>) -> Self {
        let name = MemberPath::own_name(&seen.record.path, seen.record.member.as_ref());
        let is_lua = lua::is_lua(name);
        let is_text = NoAsset::of(seen.data) == NoAsset::Text || is_config(name) && Utf16::of(seen.data).is_some();
        let is_damaged = seen.record.summary.format.is_some();
        if is_damaged || !(is_text || is_lua) {
            return Self::default();
        }
        match read_text(seen, is_lua) {
            Ok(mut text) => Self { cut: text.cut.take(), text: Some(text), ..Self::default() },
            Err(error) => Self { cut: Some(error), ..Self::default() },
        }
    }
}

/// The references of a text, within the budget of its file.
fn read_text(seen: &Sighting<'_, '_>, is_lua: bool) -> Result<Text> {
    /// The most bytes that references take per byte of a text: the shortest has four.
    const NAMES_PER_BYTE: u64 = 32;
    let bytes = seen.data.len() as u64;
    let limits = seen.budget.limits();
    seen.budget.charge_work(bytes)?;
    let _held = seen.budget.hold(bytes.saturating_mul(NAMES_PER_BYTE).min(limits.reference_bytes.saturating_mul(2)))?;
    if is_lua {
        let (asks, cut) = lua::asks(seen.data, limits);
        return Ok(Text { asks, cut, ..Text::default() });
    }
    let name = MemberPath::own_name(&seen.record.path, seen.record.member.as_ref());
    let Some(order) = Utf16::of(seen.data) else { return Ok(Text::read(name, seen.data, limits)) };
    let copied = Utf16::most_in_utf8(seen.data.len()) as u64;
    seen.budget.charge_work(copied)?;
    let _copy = seen.budget.hold(copied)?;
    let mut text = Text::read(name, order.to_utf8(seen.data).as_bytes(), limits);
    if !bytes.is_multiple_of(2) {
        let error = Error::malformed("text in UTF-16 with an odd number of bytes");
        text.cut.get_or_insert(error.at(bytes.saturating_sub(1)));
    }
    Ok(text)
}

/// The contents of an archive.
#[derive(Default)]
pub(super) struct Listing {
    /// The names by which addresses distinguish its members, concatenated.
    pub(super) texts: String,
    pub(super) members: Vec<Listed>,
    /// The members whose addresses spell their names differently, in order, with the names in the addresses.
    pub(super) respelled: Vec<(usize, String)>,
    /// The prefix of their names in the game.
    pub(super) root: String,
    /// The error if the list is incomplete.
    pub(super) cut: Option<Error>,
}

pub(super) struct Listed {
    /// The end of its name.
    pub(super) end: usize,
    pub(super) lossy: bool,
    pub(super) bytes: u64,
    pub(super) odd: Option<Odd>,
}

/// The cost of listing a member, in bytes of [work](crate::Budget::charge_work), in addition to its name.
const LISTED_WORK: u64 = 64;

impl Listing {
    pub(super) fn of(seen: &Sighting<'_, '_>) -> Option<Self> {
        let asset = seen.asset?;
        let container = Container::of(asset)?;
        let mut names = Names::of(&container);
        let mut listing = Self { root: root_of(asset, seen.record), ..Self::default() };
        // Small members are looked at: each page of an archive of such.
        let mut release = Release::new(seen.data);
        for member in container.members() {
            let Ok(member) = member else { break };
            release.read_on_at(member.start());
            let name = member.name();
            if let Err(error) = seen.budget.charge_work(LISTED_WORK.saturating_add(name.len() as u64)) {
                listing.cut = Some(error);
                break;
            }
            let own = names.next(name);
            if has_seam(name.as_bytes()) {
                listing.respelled.push((listing.members.len(), Name::from(name).text));
            }
            listing.texts.push_str(&own.text);
            listing.members.push(Listed {
                end: listing.texts.len(),
                lossy: own.lossy,
                bytes: member.decoded_byte_len_hint(),
                odd: odd_of(&member),
            });
        }
        Some(listing)
    }

    /// Returns the name as stored of the member with this number, whose name in addresses is `own`.
    pub(super) fn stored_name<'n>(&'n self, number: usize, own: &'n str) -> &'n str {
        let place = self.respelled.partition_point(|(member, _)| *member < number);
        match self.respelled.get(place) {
            Some((member, name)) if *member == number => name,
            _ => unnumbered(own),
        }
    }
}

/// Returns what is odd about a member, without decoding it.
fn odd_of(member: &Member<'_>) -> Option<Odd> {
    let bytes = member.decoded_byte_len_hint();
    if bytes == 0 {
        return Some(Odd::Empty);
    }
    if bytes > LONGEST_POINTER || member.form() != Form::InPlace {
        return None;
    }
    let data = member.borrowed().ok()??;
    if NoAsset::is_lfs_pointer(data) { Some(Odd::LfsPointer) } else { None }
}

/// The most bytes of a pointer of Git LFS.
pub(super) const LONGEST_POINTER: u64 = 1024;

/// The prefix of the names of an archive's members in the game's file system. Without a prefix of its own, it is the name
/// of the archive, without folders and extension. Empty for all but PBOs.
fn root_of(asset: &Asset<'_>, record: &Record) -> String {
    let Asset::Pbo(archive) = asset else { return String::new() };
    if let Some(prefix) = archive.prefix() {
        return folded(&Name::from(prefix).text);
    }
    let name = match &record.member {
        Some(member) => folded(&member.text),
        None => folded(&text(&record.path)),
    };
    stem(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::base::format::Format;
    use crate::base::limits::Limits;

    /// A PBO with one member of these bytes.
    fn pbo(prefix: Option<&str>, method: u32, original: u32, data: &[u8]) -> Vec<u8> {
        let entry = |name: &str, numbers: [u32; 5]| {
            let mut bytes = [name.as_bytes(), b"\0"].concat();
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            bytes
        };
        let mut bytes = entry("", [0x5665_7273, 0, 0, 0, 0]);
        if let Some(prefix) = prefix {
            bytes.extend(format!("prefix\0{prefix}\0").as_bytes());
        }
        bytes.push(0);
        bytes.extend(entry("a.p3d", [method, original, 0, 0, data.len() as u32]));
        bytes.extend(entry("", [0; 5]));
        [&bytes, data].concat()
    }

    #[test]
    fn a_member_is_odd_if_it_is_empty_or_a_pointer_of_up_to_1024_bytes() {
        const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
        for length in [0, 1, 42, 43, 1023, 1024, 1025, 4096] {
            for start in [POINTER, b"ODOL"] {
                for is_packed in [false, true] {
                    let mut data = start.to_vec();
                    data.resize(length, b'x');
                    // A packed member has another size than its bytes.
                    let original = if is_packed && length > 0 { length as u32 + 1 } else { 0 };
                    let bytes = pbo(None, if is_packed { 0x4370_7273 } else { 0 }, original, &data);
                    let asset = Asset::parse_with(&bytes, &Limits::default()).unwrap();
                    let member = Container::of(&asset).unwrap().members().next().unwrap().unwrap();
                    let is_pointer = start == POINTER && (42..=1024).contains(&length) && !is_packed;
                    let expected = match length {
                        0 => Some(Odd::Empty),
                        _ if is_pointer => Some(Odd::LfsPointer),
                        _ => None,
                    };
                    assert_eq!(odd_of(&member), expected, "{length} {is_packed}");
                }
            }
        }
    }

    #[test]
    fn an_archive_has_the_prefix_that_it_stores_or_else_its_name() {
        let scan = crate::scan::Scan::new(["x"]);
        for (prefix, of_prefix) in
            [(None, None), (Some(""), Some("")), (Some("Z/My\\Main"), Some(r"z\my\main")), (Some(r"\a\"), Some(r"a\"))]
        {
            let bytes = pbo(prefix, 0, 0, b"x");
            let asset = Asset::parse_with(&bytes, &Limits::default()).unwrap();
            for (path, member, name) in [
                ("a.pbo", None, "a"),
                ("d/My.Mod.PBO", None, "my.mod"),
                ("d.d/a", None, "a"),
                ("x.zip", Some("B.pbo"), "b"),
                ("x.zip", Some("in.pbo"), "in"),
            ] {
                let mut record = scan.record(Path::new(path), &bytes);
                assert_eq!(record.summary.format, Some(Format::Pbo));
                record.member = member.map(|text: &str| Name { text: text.to_owned(), lossy: false });
                assert_eq!(root_of(&asset, &record), of_prefix.unwrap_or(name), "{prefix:?} {path} {member:?}");
            }
        }
    }

    #[test]
    fn a_member_has_the_name_that_its_archive_stores_or_that_of_its_address_without_a_number() {
        for respelled in 0..1 << 3 {
            let mut listing = Listing::default();
            for number in (0..3).filter(|number| respelled >> number & 1 != 0) {
                listing.respelled.push((number, format!("stored{number}#2")));
            }
            for number in 0..4 {
                for (own, bare) in [("a.paa", "a.paa"), ("a.paa#2", "a.paa"), ("", "")] {
                    let is_respelled = number < 3 && respelled >> number & 1 != 0;
                    let expected = if is_respelled { format!("stored{number}#2") } else { bare.to_owned() };
                    assert_eq!(listing.stored_name(number, own), expected, "{respelled:b} {number}");
                }
            }
        }
    }

    #[test]
    fn texts_and_lua_are_read_unless_they_are_damaged_assets_and_utf_16_only_of_configs() {
        use crate::budget::Budget;
        let text = "texture = \"a.png\";\n";
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let odd = [&wide[..], b"x"].concat();
        let scan = crate::scan::Scan::new(["x"]);
        for (path, member, is_config, is_lua) in [
            ("config.cpp", None, true, false),
            ("a.hpp", None, true, false),
            ("x.zip", Some("a.rvmat"), true, false),
            ("config.cpp", Some("a.txt"), false, false),
            ("a.txt", None, false, false),
            ("a.lua", None, false, true),
            ("x.zip", Some("a.lua"), false, true),
        ] {
            for (data, is_text, is_wide) in [
                (text.as_bytes(), true, false),
                (&wide, false, true),
                (&odd, false, true),
                (b"\0\xff\x01\x02\x80", false, false),
            ] {
                for format in [None, Some(Format::Rap)] {
                    let mut record = scan.record(Path::new(path), data);
                    record.member = member.map(|text| Name { text: text.to_owned(), lossy: false });
                    record.summary.format = format;
                    let budget = Budget::new(data.len() as u64, &Limits::default());
                    let (record, budget) = (&record, &budget);
                    let seen = Sighting { record, data, asset: None, budget, members: 0..0, is_continued: false };
                    let found = Seen::of_text(&seen);
                    let is_read = format.is_none() && (is_text || is_lua || is_wide && is_config);
                    let case = format!("{path} {member:?} {is_text} {is_wide} {format:?}");
                    assert_eq!(found.text.is_some(), is_read, "{case}");
                    let names = found.text.as_ref().map_or(0, |text| text.asks.len());
                    let has_names = is_read && (is_text || is_wide && is_config);
                    assert_eq!(names, usize::from(has_names), "{case}");
                    // A byte is left over.
                    let is_cut = has_names && data.len() == odd.len();
                    assert!(
                        !is_cut || found.cut.is_some_and(|cut| cut.offset() == Some(odd.len() as u64 - 1)),
                        "{case}"
                    );
                }
            }
        }
    }
}
