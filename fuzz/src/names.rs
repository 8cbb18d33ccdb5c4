//! Names of members as paths of files that `extract` writes: none leads out of its folder, on any system.

use std::path::{Component, Path};

use meshpeek::view::ByteStr;

/// The most bytes of a part that most systems allow.
const LONGEST_PART: usize = 255;
/// The most bytes of a part that are written before its end is made safe.
const LONGEST_WRITTEN: usize = 200;
/// The names of devices on Windows, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Each line is a name.
pub fn run(data: &[u8]) {
    for name in data.split(|&byte| byte == b'\n') {
        let name = ByteStr::new(name);
        let path = name.to_escaped_path();
        is_safe(&path);
        assert!(path.split('/').all(|part| part.len() <= LONGEST_PART), "{path:?}");
        // Written again, it stays. A part that was cut at a blank is longer than others, and would be cut again.
        if path.split('/').all(|part| part.len() <= LONGEST_WRITTEN) {
            assert_eq!(ByteStr::from(path.as_str()).to_escaped_path(), path);
        }
        if let Ok(same) = name.to_relative_path() {
            is_safe(&same);
        }
    }
}

fn is_safe(path: &str) {
    let parts: Vec<&str> = path.split('/').collect();
    for component in Path::new(path).components() {
        assert!(matches!(component, Component::Normal(_)), "{path:?}");
    }
    for part in parts {
        assert!(!part.is_empty() && part != "." && part != "..", "{path:?}");
        assert!(!part.ends_with(['.', ' ']), "{path:?}");
        assert!(!part.contains(|c: char| c.is_control() || "<>:\"|?*\\".contains(c)), "{path:?}");
        let stem = part.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
        let is_port = stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt"));
        let is_number = stem.ends_with(|c: char| ('1'..='9').contains(&c));
        assert!(!DEVICES.contains(&stem.as_str()), "{path:?}");
        assert!(!(is_port && is_number), "{path:?}");
    }
}
