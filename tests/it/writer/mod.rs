//! Writers of every format, for tests only, and their files.

#![allow(dead_code)]

pub mod a_mod;
pub mod addons;
pub mod archives;
pub mod b3d;
pub mod bisign;
pub mod bmx;
pub mod bytes;
pub mod files;
pub mod lodka;
pub mod lzss;
pub mod mlod;
pub mod odol;
pub mod paa;
pub mod paint;
pub mod pbo;
pub mod rap;
pub mod rtm;
pub mod shapes;
pub mod texheaders;
pub mod zip;

pub use files::Files;

/// Every file of `corpus/`: its path and its bytes. Created once for each run.
pub fn corpus() -> Vec<(String, Vec<u8>)> {
    static FILES: std::sync::OnceLock<Vec<(String, Vec<u8>)>> = std::sync::OnceLock::new();
    FILES.get_or_init(make).clone()
}

fn make() -> Vec<(String, Vec<u8>)> {
    let folders: Vec<(&str, Files)> = vec![
        ("b3d", b3d::corpus()),
        ("hostile", b3d::hostile()),
        ("bmx", bmx::corpus()),
        ("hostile", bmx::hostile()),
        ("lodka", lodka::corpus()),
        ("hostile", lodka::hostile()),
        ("mlod", mlod::corpus()),
        ("hostile", mlod::hostile()),
        ("paa", paa::corpus()),
        ("hostile", paa::hostile()),
        ("pbo", pbo::corpus()),
        ("hostile", pbo::hostile()),
        ("rap", rap::corpus()),
        ("hostile", rap::hostile()),
        ("rtm", rtm::corpus()),
        ("hostile", rtm::hostile()),
        ("bisign", bisign::corpus()),
        ("hostile", bisign::hostile()),
        ("texheaders", texheaders::corpus()),
        ("hostile", texheaders::hostile()),
        ("odol", odol::corpus()),
        ("hostile", odol::hostile()),
        ("zip", archives::corpus()),
        ("hostile", archives::hostile()),
    ];
    let named = |(folder, files): (&str, Files)| {
        files.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)).collect::<Vec<_>>()
    };
    folders.into_iter().flat_map(named).collect()
}

/// The mod of the documents in its first and its second version, below `corpus/`. Not part of [`corpus`], because some of
/// its files are not assets, and one is damaged.
pub fn mods() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (folder, is_new) in [("mod_before", false), ("mod", true)] {
        files.extend(a_mod::files(is_new).into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)));
    }
    files
}
