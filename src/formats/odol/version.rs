//! The versions, the programs that write them, and the differences between them.

use std::cmp::Ordering;
use std::fmt;

use crate::base::error::{Error, Result};
use crate::base::word_enum::word_enum;

/// The version of a model: its number, and the dialect that the number belongs to.
///
/// The table in the docs of [the module](super) lists the game that writes each version, and the evidence for its
/// layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    stored: u16,
    /// The number that determines the layout: that of the Arma line.
    layout: u8,
    dialect: Dialect,
}

word_enum! {
    /// The product line that a version number belongs to. The number alone does not determine it; the header does.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Dialect {
        /// Flashpoint, Arma, Arma 2 and 3.
        Arma = "Arma",
        /// VBS, which branched off at 40: thermal fields in every version, no pivots.
        Vbs = "VBS",
        /// DayZ, which branched off at 52 and has numbered its versions separately since.
        DayZ = "DayZ",
    }
}

word_enum! {
    /// The evidence that a version is read correctly.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Evidence {
        /// Files written by the game's own tools, read to the last byte.
        Files = "files of the game",
        /// Files written by other programs.
        OtherWriters = "files of other writers",
        /// The source of the game's engine, and one test file written from it by others.
        Source = "the engine's source, one test file",
        /// No file: read with the differences known from the neighboring versions that have files.
        Between = "none, by its neighbors",
    }
}

/// A range of versions.
struct Range {
    first: u16,
    last: u16,
    dialect: Dialect,
    game: &'static str,
    /// `None` if it is not supported.
    evidence: Option<Evidence>,
}

impl Range {
    /// Returns true if this version number is in the range.
    fn holds(&self, stored: u16) -> bool {
        (self.first..=self.last).contains(&stored)
    }
}

/// Creates a row of the version map.
const fn range(first: u16, last: u16, dialect: Dialect, evidence: Option<Evidence>, game: &'static str) -> Range {
    Range { first, last, dialect, game, evidence }
}

/// The version map. If ranges overlap, the first is the likelier one.
const MAP: [Range; 24] = {
    use Dialect::{Arma, DayZ, Vbs};
    use Evidence::{Between, Files, OtherWriters, Source};
    [
        range(7, 7, Arma, Some(Source), "Operation Flashpoint, Arma: Cold War Assault"),
        range(28, 39, Arma, None, "between Flashpoint and Arma"),
        range(40, 40, Arma, Some(Files), "Arma: Armed Assault"),
        range(41, 43, Arma, Some(OtherWriters), "Arma: Armed Assault, Arma 2"),
        range(40, 43, Vbs, Some(OtherWriters), "VBS"),
        range(44, 47, Arma, Some(OtherWriters), "Arma 2"),
        range(48, 49, Arma, Some(Files), "Arma 2"),
        range(50, 50, Arma, Some(Files), "Arma 2: Operation Arrowhead, Arma 3"),
        range(51, 52, Arma, Some(OtherWriters), "Arma 2: Operation Arrowhead, Take On Helicopters"),
        range(53, 53, DayZ, Some(Files), "DayZ, 2020 to 2026"),
        range(54, 54, DayZ, Some(Files), "DayZ, since 2024"),
        range(55, 55, DayZ, Some(Files), "DayZ, since 2026"),
        range(53, 57, Arma, Some(Between), "Arma 3 before its alpha"),
        range(58, 59, Arma, Some(Files), "Arma 3, 2013 to 2014"),
        range(60, 67, Arma, Some(Between), "Arma 3"),
        range(68, 68, Arma, Some(Files), "Arma 3, 2015 to 2016"),
        range(69, 70, Arma, Some(Between), "Arma 3"),
        range(71, 71, Arma, Some(OtherWriters), "Arma 3, by armake"),
        range(72, 72, Arma, Some(Between), "Arma 3"),
        range(73, 73, Arma, Some(Files), "Arma 3, 2019 to 2025"),
        range(74, 74, Arma, Some(Between), "Arma 3"),
        range(75, 75, Arma, Some(Files), "Arma 3, since 2025"),
        range(10_040, 10_043, Arma, Some(OtherWriters), "VBS"),
        range(10_040, 10_043, Vbs, Some(OtherWriters), "VBS"),
    ]
};

/// The number that VBS adds to the version whose layout it writes.
const VBS: u16 = 10_000;

impl Version {
    /// Returns the version with this number, in the likelier dialect if there are two.
    ///
    /// # Errors
    /// Returns [`Unsupported`](crate::ErrorKind::Unsupported) if it is not supported.
    pub fn new(stored: u32) -> Result<Self> {
        let number = u16::try_from(stored).map_err(|_| unread(stored))?;
        Self::likely(number).next().ok_or_else(|| unread(stored))
    }

    /// Returns the version with the same number in the less likely dialect, if this is the likelier of two.
    pub(super) fn other_dialect(self) -> Option<Self> {
        let mut versions = Self::likely(self.stored);
        versions.find(|likely| *likely == self)?;
        versions.next()
    }

    /// Returns the supported versions with this number, the likelier one first.
    fn likely(stored: u16) -> impl Iterator<Item = Self> {
        let ranges = MAP.iter().filter(move |range| range.evidence.is_some() && range.holds(stored));
        ranges.map(move |range| Self::of(stored, range.dialect))
    }

    /// Returns the version with this number in this dialect. All versions of DayZ have the layout of 52.
    fn of(stored: u16, dialect: Dialect) -> Self {
        let layout = match dialect {
            Dialect::DayZ => 52,
            Dialect::Arma | Dialect::Vbs => stored.checked_sub(VBS).unwrap_or(stored),
        };
        Self { stored, layout: u8::try_from(layout).unwrap_or(u8::MAX), dialect }
    }

    /// Returns the number as stored.
    pub fn stored(self) -> u32 {
        self.stored.into()
    }

    /// Returns the dialect that the number belongs to.
    pub fn dialect(self) -> Dialect {
        self.dialect
    }

    /// Returns the number of the Arma line that determines the layout: 52 in DayZ's files, 40 to 43 in those of VBS.
    pub fn layout(self) -> u32 {
        self.layout.into()
    }

    /// Returns true if VBS wrote the file, judged by the number or the layout.
    pub fn is_vbs(self) -> bool {
        self.stored > VBS || self.dialect == Dialect::Vbs
    }

    /// Returns the row of the version map, or `None` if the version is in none.
    fn range(self) -> Option<&'static Range> {
        MAP.iter().find(|range| range.holds(self.stored) && range.dialect == self.dialect)
    }

    /// Returns the game whose tools write it.
    pub fn game(self) -> &'static str {
        match self.range() {
            Some(range) => range.game,
            None => "",
        }
    }

    /// Returns the evidence that it is read correctly.
    pub fn evidence(self) -> Evidence {
        match self.range() {
            Some(Range { evidence: Some(evidence), .. }) => *evidence,
            _ => Evidence::Between,
        }
    }

    /// Returns true for DayZ's files of this version and later.
    pub fn is_dayz(self, first: u32) -> bool {
        self.dialect == Dialect::DayZ && self.stored() >= first
    }

    /// Returns true if the layout is that of VBS, which left the Arma line at 40.
    pub fn is_vbs_line(self) -> bool {
        self.dialect == Dialect::Vbs
    }
}

/// Compares the [`layout`](Version::layout).
impl PartialEq<u32> for Version {
    fn eq(&self, layout: &u32) -> bool {
        self.layout() == *layout
    }
}

/// Compares the [`layout`](Version::layout).
impl PartialOrd<u32> for Version {
    #[inline]
    fn partial_cmp(&self, layout: &u32) -> Option<Ordering> {
        self.layout().partial_cmp(layout)
    }
}

macro_rules! gates {
    ($($(#[$doc:meta])* $name:ident($version:ident) = $rule:expr;)*) => {
        impl Version {
            $(
                $(#[$doc])*
                pub fn $name(self) -> bool {
                    let $version = self;
                    $rule
                }
            )*
        }

        /// All gates with their names.
        #[cfg(test)]
        const GATES: &[(&str, fn(Version) -> bool)] = &[$((stringify!($name), Version::$name)),*];
    };
}

gates! {
    /// Returns true if the LODs come first, without a table (version 7).
    is_flashpoint(v) = v == 7;
    /// Returns true if compressed blocks are LZO streams, not LZSS with a checksum (from 44 on).
    has_lzo(v) = v >= 44;
    /// Returns true if texture coordinates and vectors are packed, not floats (from 45 on).
    has_packed_vectors(v) = v >= 45;
    /// Returns true if a LOD starts with its point count and has the point flags in its vertex table (from 50 on).
    has_point_count(v) = v >= 50;
    /// Returns true if there is an index for the simple geometry (from 53 on).
    has_simple_geometry(v) = v >= 53;
    /// Returns true if a kind of buoyancy follows the last LOD (from 58 on).
    has_buoyancy(v) = v >= 58;
    /// Returns true if cooked shapes may follow the last LOD (from 60 on).
    may_have_shapes(v) = v >= 60;
    /// Returns true if a flag, not the size, decides whether a block is compressed (from 64 on).
    has_block_flags(v) = v >= 64;
    /// Returns true if sections may have a collimator, and a number follows the vertex table (from 67 on).
    has_collimators(v) = v >= 67;
    /// Returns true if a LOD ends with one more byte (from 68 on).
    has_last_byte(v) = v >= 68;
    /// Returns true if cooked shapes follow the last LOD (from 68 on).
    has_shapes(v) = v >= 68;
    /// Returns true if point and face numbers have 32 bits (from 69 on).
    has_wide_indices(v) = v >= 69;
}

/// Returns the error for a version number that is not supported.
#[cold]
fn unread(stored: u32) -> Error {
    let what = match stored {
        28..40 => "untested: no file is known to test a reader with",
        0..40 => "older than this reader",
        10_000.. => "as VBS counts them, unknown to this reader",
        _ => "newer than this reader",
    };
    Error::unsupported(format!("ODOL version {stored}, {what} (7 and 40 to 75)")).of_version(stored)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_named() {
        for (stored, said) in [
            (6, "ODOL version 6, older than this reader (7 and 40 to 75)"),
            (27, "ODOL version 27, older than this reader (7 and 40 to 75)"),
            (28, "ODOL version 28, untested: no file is known to test a reader with (7 and 40 to 75)"),
            (39, "ODOL version 39, untested: no file is known to test a reader with (7 and 40 to 75)"),
            (76, "ODOL version 76, newer than this reader (7 and 40 to 75)"),
            (10_039, "ODOL version 10039, as VBS counts them, unknown to this reader (7 and 40 to 75)"),
            (10_044, "ODOL version 10044, as VBS counts them, unknown to this reader (7 and 40 to 75)"),
            (u32::MAX, "ODOL version 4294967295, as VBS counts them, unknown to this reader (7 and 40 to 75)"),
        ] {
            let error = Version::new(stored).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.version()), (said, Some(stored)));
        }
        let read = (0..200).filter(|&stored| Version::new(stored).is_ok());
        assert!(read.eq(std::iter::once(7).chain(40..=75)));
        assert_eq!(Version::new(10_043).map(|version| (version.layout(), version.stored())).ok(), Some((43, 10_043)));
    }

    #[test]
    fn numbers_that_mean_two_things_are_read_as_either() {
        let dialects = |stored: u32| {
            let likely = Version::new(stored).ok();
            let other = likely.and_then(Version::other_dialect);
            likely.into_iter().chain(other).map(Version::dialect).collect::<Vec<_>>()
        };
        // In the order of the map.
        for stored in 0..12_000_u16 {
            let ranges = MAP.iter().filter(|range| (range.first..=range.last).contains(&stored));
            let read = ranges.filter(|range| range.evidence.is_some()).map(|range| range.dialect);
            assert_eq!(dialects(stored.into()), read.collect::<Vec<_>>(), "{stored}");
        }
        assert_eq!(dialects(43), [Dialect::Arma, Dialect::Vbs]);
        assert_eq!(dialects(44), [Dialect::Arma]);
        assert_eq!(dialects(53), [Dialect::DayZ, Dialect::Arma]);
        assert_eq!(dialects(55), [Dialect::DayZ, Dialect::Arma]);
        assert_eq!(dialects(56), [Dialect::Arma]);
        assert!(dialects(30).is_empty());
    }

    /// Returns the gates that differ between a version and the one before it.
    fn opened(before: Version, version: Version) -> String {
        let gates = GATES.iter().filter(|(_, gate)| gate(version) != gate(before));
        gates.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn gates_open_where_the_document_says() {
        let mut lines = String::new();
        let mut before = Version::of(7, Dialect::Arma);
        for version in (40..=75).map(|stored| Version::of(stored, Dialect::Arma)) {
            let gates = opened(before, version);
            if !gates.is_empty() {
                lines.push_str(&format!("{version} {gates}\n"));
            }
            before = version;
        }
        assert_eq!(
            lines,
            "\
40 is_flashpoint
44 has_lzo
45 has_packed_vectors
50 has_point_count
53 has_simple_geometry
58 has_buoyancy
60 may_have_shapes
64 has_block_flags
67 has_collimators
68 has_last_byte has_shapes
69 has_wide_indices
"
        );
    }

    #[test]
    fn versions_compare_by_their_layout() {
        let of = Version::of;
        assert!(of(52, Dialect::Arma) >= 52 && of(52, Dialect::Arma) < 53 && of(7, Dialect::Arma) == 7);
        assert!(of(55, Dialect::DayZ) < 53 && of(54, Dialect::DayZ).is_dayz(54) && !of(53, Dialect::DayZ).is_dayz(54));
        assert!(!of(54, Dialect::Arma).is_dayz(53));
        assert!(of(10_043, Dialect::Arma) >= 43 && !of(10_043, Dialect::Arma).is_vbs_line());
        assert!(of(40, Dialect::Vbs).is_vbs_line());
    }

    #[test]
    fn the_version_map_of_the_docs_is_the_one_that_is_read_by() {
        let rows = MAP.iter().map(|Range { first, last, dialect, game, evidence }| {
            let numbers = if first == last { first.to_string() } else { format!("{first}-{last}") };
            let evidence = evidence.map_or_else(|| "not read".to_owned(), |evidence| evidence.to_string());
            format!("//! | {numbers} | {dialect:?} | {game} | {evidence} |\n")
        });
        let rows: String = rows.collect();
        assert!(include_str!("mod.rs").contains(&rows), "mod.rs should have\n{rows}");
    }
}
