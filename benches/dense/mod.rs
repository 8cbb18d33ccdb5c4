//! Files with the sizes and contents of real ones, made by the writers of the tests.
//!
//! Each kind has as many files as the author's collection of real ones, each about as long, with as many parts. What
//! decides the cost of a scan is distributed as there: LODs and selections, blocks that are packed or not, and the
//! literals and matches in packed ones. `benches/README.md` compares both.

mod b3d;
mod lodka;
mod odol;
mod paa;
mod random;
mod rap;
mod rtm;

/// The files of a kind, which is the name of a folder of the corpus: `b3d`, `lodka`, `odol`, `paa`, `rap` or `rtm`,
/// or `odol_rewritten` for models of an older version.
pub fn files(kind: &str) -> Vec<(String, Vec<u8>)> {
    match kind {
        "b3d" => b3d::files(),
        "lodka" => lodka::files(),
        "odol" => odol::files(50),
        "odol_rewritten" => odol::files(43),
        "paa" => paa::files(),
        "rap" => rap::files(),
        "rtm" => rtm::files(),
        _ => Vec::new(),
    }
}
