//! The header is that of the code.

use std::path::Path;

/// Compares `include/meshpeek.h` with what cbindgen makes of this crate. `MESHPEEK_BLESS=1` writes it.
#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::generate_with_config(root, config).unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let made = without_safety(&made);
    let path = root.join("include/meshpeek.h");
    if std::env::var_os("MESHPEEK_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == made, "run with MESHPEEK_BLESS=1 to renew the header");
}

/// The sections on safety repeat for Rust what the comment at the top says for C.
fn without_safety(header: &str) -> String {
    let mut lines = Vec::new();
    let mut in_safety = false;
    for line in header.lines() {
        in_safety = line.trim() == "* # Safety" || in_safety && !line.trim_start().starts_with("*/");
        if !in_safety {
            if line.trim() == "*/" && lines.last().is_some_and(|last: &&str| last.trim() == "*") {
                lines.pop();
            }
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}
