//! The purpose of a LOD of an Arma model as a number, the same in ODOL and MLOD.

use std::fmt;

use crate::base::amount::Amount;

/// A LOD's resolution: below 1000 the distance rank of a visual LOD, above that a code for another purpose.
///
/// ```
/// use meshpeek::resolution::Resolution;
/// assert_eq!(Resolution(1e13).to_string(), "Geometry");
/// assert_eq!(Resolution(10010.0).to_string(), "Shadow Volume 10");
/// assert_eq!(Resolution(2.5).to_string(), "2.5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Resolution(pub f32);

/// Purposes with a single number.
const SINGLE: [(f32, &str); 27] = [
    (1000.0, "View Gunner"),
    (1100.0, "View Pilot"),
    (1e13, "Geometry"),
    (2e13, "Buoyancy"),
    (3e13, "PhysX Old"),
    (4e13, "PhysX"),
    (1e15, "Memory"),
    (2e15, "LandContact"),
    (3e15, "Roadway"),
    (4e15, "Paths"),
    (5e15, "HitPoints"),
    (6e15, "View Geometry"),
    (7e15, "Fire Geometry"),
    (8e15, "View Cargo Geometry"),
    (9e15, "View Cargo Fire Geometry"),
    (1e16, "View Commander"),
    (1.1e16, "View Commander Geometry"),
    (1.2e16, "View Commander Fire Geometry"),
    (1.3e16, "View Pilot Geometry"),
    (1.4e16, "View Pilot Fire Geometry"),
    (1.5e16, "View Gunner Geometry"),
    (1.6e16, "View Gunner Fire Geometry"),
    (1.7e16, "Sub Parts"),
    (1.8e16, "Shadow Volume View Cargo"),
    (1.9e16, "Shadow Volume View Pilot"),
    (2e16, "Shadow Volume View Gunner"),
    (2.1e16, "Wreck"),
];

/// Purposes with a range of numbers: start, end (exclusive), name.
const RANGES: [(f32, f32, &str); 4] = [
    (1200.0, 1300.0, "View Cargo"),
    (10_000.0, 11_000.0, "Shadow Volume"),
    (11_000.0, 12_000.0, "Shadow Buffer"),
    (20_000.0, 100_000.0, "Edit"),
];

impl Resolution {
    /// Returns true for a LOD seen from outside. The number is then its distance rank: 0 to 1000 (exclusive).
    pub fn is_visual(self) -> bool {
        (0.0..1000.0).contains(&self.0)
    }

    /// Returns the name for reports: `Visual 2.5`, `Geometry`.
    pub fn title(self) -> String {
        if self.is_visual() { format!("Visual {self}") } else { self.to_string() }
    }

    /// Returns the name of the purpose of a LOD that is not visual. For purposes with a range, also returns the number
    /// counted from the range's start. Returns `None` for visual LODs and unknown numbers.
    pub fn purpose(self) -> Option<(&'static str, Option<f32>)> {
        // The constants are rounded to `f32` like the stored number, so equality is correct.
        if let Some((_, name)) = SINGLE.iter().find(|(value, _)| *value == self.0) {
            return Some((name, None));
        }
        let (from, _, name) = RANGES.iter().find(|(from, to, _)| (*from..*to).contains(&self.0))?;
        Some((name, Some(self.0 - from)))
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.purpose() {
            Some((name, None)) => f.pad(name),
            Some((name, Some(number))) => f.pad(&format!("{name} {number}")),
            // Numbers without a name: digits are readable up to this size, such as 1500, and an exponent above, such as
            // 3e16.
            None if self.0.abs() < 1e7 => f.pad(&self.0.to_string()),
            None => f.pad(&format!("{:e}", self.0)),
        }
    }
}

/// Counts the visual LODs of a model, and keeps the triangles of the finest: the one with the lowest number, and of
/// several the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VisualLods {
    pub(crate) count: Amount<u64>,
    finest: Option<Finest>,
}

/// The finest visual LOD so far.
#[derive(Clone, Copy, Debug)]
struct Finest {
    resolution: Resolution,
    /// The number of its triangles.
    triangles: u64,
}

impl VisualLods {
    /// Counts a LOD with this number of triangles. Ignores it if it is not visual.
    pub(crate) fn add(&mut self, resolution: Resolution, triangles: u64) {
        if !resolution.is_visual() {
            return;
        }
        self.count += 1;
        if self.finest.is_none_or(|finest| resolution.0 < finest.resolution.0) {
            self.finest = Some(Finest { resolution, triangles });
        }
    }

    /// Returns the number of triangles of the finest visual LOD, or `None` if there is no visual LOD.
    pub(crate) fn triangles(&self) -> Option<u64> {
        self.finest.map(|finest| finest.triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_are_known_by_the_rounded_number() {
        let name = |bits: u32| Resolution(f32::from_bits(bits)).to_string();
        // Values from real files: Geometry, Memory, LandContact, HitPoints, View Geometry, Fire Geometry.
        let bits = [0x5511_84e7, 0x5863_5fa9, 0x58e3_5fa9, 0x598e_1bca, 0x59aa_87bf, 0x59c6_f3b4];
        assert_eq!(
            bits.map(name),
            ["Geometry", "Memory", "LandContact", "HitPoints", "View Geometry", "Fire Geometry"]
        );
    }

    #[test]
    fn everything_else_keeps_its_number() {
        let name = |value: f32| Resolution(value).to_string();
        assert_eq!([name(0.0), name(0.75), name(999.0)], ["0", "0.75", "999"]);
        assert_eq!([name(1000.0), name(1100.0), name(1203.0)], ["View Gunner", "View Pilot", "View Cargo 3"]);
        assert_eq!([name(10_000.0), name(11_010.0)], ["Shadow Volume 0", "Shadow Buffer 10"]);
        assert_eq!([name(-1.0), name(1500.0), name(3e16), name(f32::NAN)], ["-1", "1500", "3e16", "NaN"]);
        assert!(!Resolution(f32::NAN).is_visual() && !Resolution(1000.0).is_visual());
    }
}
