//! All parts that are released together have one version.

use crate::support::files::root;

/// The first `version = "..."` of a section, after its heading.
fn version(path: &str, section: &str) -> String {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let after = text.split_once(section).unwrap_or_else(|| panic!("{path}: no {section}")).1;
    let line = after.lines().find(|line| line.starts_with("version = ")).unwrap_or_else(|| panic!("{path}"));
    line.split('"').nth(1).unwrap().to_owned()
}

#[test]
fn all_packages_have_the_version_of_the_library() {
    let ours = version("Cargo.toml", "[package]");
    for package in ["cli", "tables", "capi", "python", "web/wasm"] {
        assert_eq!(version(&format!("{package}/Cargo.toml"), "[package]"), ours, "{package}");
    }
    for (lock, names) in [
        ("Cargo.lock", &["meshpeek", "meshpeek-cli", "meshpeek-tables"][..]),
        ("capi/Cargo.lock", &["meshpeek", "meshpeek-capi"]),
        ("python/Cargo.lock", &["meshpeek", "meshpeek-python", "meshpeek-tables"]),
        ("web/Cargo.lock", &["meshpeek", "meshpeek-web"]),
    ] {
        for name in names {
            assert_eq!(version(lock, &format!("\nname = \"{name}\"\n")), ours, "{lock}: {name}");
        }
    }
    // Maturin takes the version of the Python package from its Cargo.toml.
    let project = std::fs::read_to_string(root().join("python/pyproject.toml")).unwrap();
    let project = project.split("[project]").nth(1).unwrap().split("\n[").next().unwrap();
    assert!(project.contains("dynamic = [\"version\"]") && !project.contains("\nversion"), "{project}");
}

#[test]
fn dependencies_between_packages_name_that_version() {
    let ours = version("Cargo.toml", "[package]");
    for package in ["cli", "tables", "capi", "python", "web/wasm"] {
        let text = std::fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
        for line in text.lines().filter(|line| line.starts_with("meshpeek")) {
            let named = line.split("version = \"").nth(1).and_then(|rest| rest.split('"').next());
            assert!(named.is_none_or(|named| named == ours), "{package}: {line}");
        }
    }
}
