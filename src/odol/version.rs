//! Which versions there are and what changed between them: spec sections 4, 6, 8 and 15.

use std::fmt;

use crate::error::{Error, Result};

/// The version of a model: 40 to 52, or 10040 to 10043 as VBS counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(u32);

/// What VBS adds to the version whose layout it writes.
const VBS: u32 = 10_000;

impl Version {
    /// The version with this number.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where it is older or newer than this reader, or made by a later
    /// VBS.
    pub fn new(stored: u32) -> Result<Self> {
        let what = match stored {
            40..=52 | 10_040..=10_043 => return Ok(Self(stored)),
            7 => "of Operation Flashpoint, older than this reader",
            0..40 => "older than this reader",
            53..VBS => "newer than this reader",
            VBS.. => "as VBS counts them, unknown to this reader",
        };
        Err(Error::unsupported(format!("ODOL version {stored}, {what} (40 to 52)")))
    }

    /// The number as stored.
    pub fn stored(self) -> u32 {
        self.0
    }

    /// The number that decides the layout, 40 to 52.
    pub fn layout(self) -> u32 {
        self.0.checked_sub(VBS).unwrap_or(self.0)
    }

    /// Whether the number says that VBS wrote the file. VBS also wrote files under the plain numbers up to 43.
    pub fn is_vbs(self) -> bool {
        self.0 > VBS
    }

    /// Whether compressed blocks are LZO streams (from 44 on), not LZSS with a checksum.
    pub fn has_lzo(self) -> bool {
        self.layout() >= 44
    }

    /// Whether texture coordinates and vectors are packed (from 45 on), not floats.
    pub fn has_packed_vectors(self) -> bool {
        self.layout() >= 45
    }

    /// Whether a LOD starts with its point count and keeps the point flags in its vertex table (from 50 on).
    pub fn has_point_count(self) -> bool {
        self.layout() >= 50
    }

    /// Whether LODs and face defaults hold a face area (from 51 on).
    pub fn has_face_area(self) -> bool {
        self.layout() >= 51
    }

    /// Whether the bytes leave open if VBS wrote them (up to 43).
    pub(super) fn may_be_vbs(self) -> bool {
        self.layout() <= 43
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_named() {
        for (stored, said) in [
            (7, "ODOL version 7, of Operation Flashpoint, older than this reader (40 to 52)"),
            (39, "ODOL version 39, older than this reader (40 to 52)"),
            (53, "ODOL version 53, newer than this reader (40 to 52)"),
            (10_044, "ODOL version 10044, as VBS counts them, unknown to this reader (40 to 52)"),
            (u32::MAX, "ODOL version 4294967295, as VBS counts them, unknown to this reader (40 to 52)"),
        ] {
            assert_eq!(Version::new(stored).unwrap_err().to_string(), said);
        }
        assert!((40..=52).all(|stored| Version::new(stored).is_ok()));
        assert_eq!(Version::new(10_043).map(|version| (version.layout(), version.stored())).ok(), Some((43, 10_043)));
    }
}
