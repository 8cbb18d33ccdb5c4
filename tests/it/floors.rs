//! The modules of the library form layers. Each imports only lower ones, so there are no cycles. Files and the modules of
//! the other crates form none either.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::files::root;

type Floors = &'static [&'static [&'static str]];

/// The modules of `src` from the lowest layer up, one row for each layer. Those of one layer do not import each other.
const FLOORS: Floors = &[
    &["base"],
    &["budget", "bytes", "source"],
    &["codec", "outline", "ranges", "summary"],
    &["blocks", "inspect", "record"],
    &["check", "dissect"],
    &["json"],
    &["formats"],
    &["asset", "signatures"],
    &["diff", "geometry", "visit"],
    &["pose", "scan"],
    &["answers"],
    &["export"],
];

/// The layers inside folders with several parts; `mod` is the file of the folder itself.
const INSIDE: &[(&str, Floors)] = &[
    ("asset", &[&["registry", "schema", "sniff"], &["mod"], &["container", "owned"], &["stored"], &["address"]]),
    (
        "base",
        &[
            &["amount", "delegate", "extension", "impl_fmt", "limits", "sealed", "span", "word_enum"],
            &["code", "format", "text"],
            &["no_asset"],
            &["error"],
            &["place", "stop"],
            &["mod"],
        ],
    ),
    // `*` stands for every other module of the folder: the formats.
    ("formats", &[&["resolution", "zip_directory"], &["*"], &["mod"]]),
];

#[test]
fn imports_point_down() {
    let root = root().join("src");
    let mut wrong = Vec::new();
    let mut seen = 0;
    each_file(&root, &mut Vec::new(), &mut |path, module| {
        let source = fs::read_to_string(path).unwrap();
        let arrows = arrows(module, &source);
        seen += arrows.len();
        let faults = arrows.iter().filter_map(|(line, to)| Some((line, fault(module, to)?)));
        wrong.extend(faults.map(|(line, fault)| format!("{}:{line}: {fault}", path.display())));
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 1000, "only {seen} imports were found");
}

#[test]
fn each_module_has_one_floor() {
    let root = root().join("src");
    for (folder, floors) in INSIDE.iter().copied().chain([("", FLOORS)]) {
        let mut named: Vec<_> = floors.concat().into_iter().filter(|name| *name != "mod").collect();
        let mut modules = modules(&root.join(folder));
        if floors.concat().contains(&"*") {
            named.retain(|name| *name != "*");
            modules.retain(|name| named.contains(&&**name));
        }
        named.sort_unstable();
        assert_eq!(named, modules, "the modules of src/{folder} and the floors of this test");
    }
}

#[test]
fn the_modules_of_no_other_crate_form_a_circle() {
    for folder in ["cli/src", "tables/src", "capi/src", "python/src", "web/wasm/src"] {
        let modules = modules(&root().join(folder));
        let mut imports: BTreeSet<(String, String)> = BTreeSet::new();
        each_file(&root().join(folder), &mut Vec::new(), &mut |path, module| {
            let source = fs::read_to_string(path).unwrap();
            for (_, to) in arrows(module, &source) {
                let to = to.first().cloned().unwrap_or_default();
                if to != module[0] && modules.contains(&to) {
                    imports.insert((module[0].clone(), to));
                }
            }
        });
        assert!(imports.len() > 10, "{folder}: only {} imports were found", imports.len());
        keep_circles(&mut imports);
        assert!(imports.is_empty(), "{folder}: in a circle, or above one: {imports:?}");
    }
}

#[test]
fn the_files_form_no_circle() {
    for folder in ["src", "cli/src"] {
        let mut files: BTreeMap<Vec<String>, Vec<Vec<String>>> = BTreeMap::new();
        each_file(&root().join(folder), &mut Vec::new(), &mut |path, module| {
            let source = fs::read_to_string(path).unwrap();
            let mut named = Vec::new();
            for (_, path) in paths(&source) {
                named.extend(from_root(module, &path));
                // Names of modules inside need no `self`.
                named.push([module, &path].concat());
            }
            files.insert(module.to_vec(), named);
        });
        let mut imports = BTreeSet::new();
        for (module, named) in &files {
            for path in named {
                if let Some(to) = defining_file(&files, path, 0)
                    && to != module
                {
                    imports.insert((module.join("::"), to.join("::")));
                }
            }
        }
        assert!(imports.len() > 300, "{folder}: only {} imports were found", imports.len());
        keep_circles(&mut imports);
        assert!(imports.is_empty(), "{folder}: in a circle, or above one: {imports:?}");
    }
}

/// Returns the file that defines the item of this path: where a module only passes the item on, the one from which it
/// has it. Returns nothing for paths that lead to no file, or only to the root.
fn defining_file<'f>(
    files: &'f BTreeMap<Vec<String>, Vec<Vec<String>>>,
    path: &[String],
    depth: usize,
) -> Option<&'f Vec<String>> {
    let length = (1..=path.len()).rev().find(|length| files.contains_key(&path[..*length]))?;
    let (module, named) = files.get_key_value(&path[..length])?;
    let Some(item) = path.get(length) else { return Some(module) };
    for import in named {
        if depth < 8 && import.len() > module.len() && import.last() == Some(item) && import[..] != path[..] {
            let passed_on = [import, &path[length + 1..]].concat();
            if let Some(file) = defining_file(files, &passed_on, depth + 1)
                && file != module
            {
                return Some(file);
            }
        }
    }
    Some(module)
}

/// Removes the imports of what imports none of the rest, until none is left. What remains is in a circle, or above one.
fn keep_circles(imports: &mut BTreeSet<(String, String)>) {
    loop {
        let before = imports.len();
        let from: BTreeSet<String> = imports.iter().map(|(from, _)| from.clone()).collect();
        imports.retain(|(_, to)| from.contains(to));
        if imports.len() == before {
            return;
        }
    }
}

/// Returns the reason why a module may not import this path.
fn fault(from: &[String], to: &[String]) -> Option<String> {
    let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let floors = match common {
        0 => FLOORS,
        1 => INSIDE.iter().find(|(folder, _)| *folder == from[0])?.1,
        _ => return None,
    };
    let other = floors.iter().position(|floor| floor.contains(&"*"));
    let floor = |name: &str| floors.iter().position(|floor| floor.contains(&name)).or(other);
    let own = |path: &[String]| path.get(common).cloned().unwrap_or_else(|| "mod".to_owned());
    let (from, mut to) = (own(from), own(to));
    if common == 1 && floor(&to).is_none() {
        to = "mod".to_owned();
    }
    match (floor(&from), floor(&to)) {
        (None, _) => Some(format!("`{from}` has no floor")),
        (_, None) => Some(format!("`crate::{to}` is no module: what lib.rs exports is imported from where it is")),
        (Some(own), Some(other)) if own <= other && from != to => {
            Some(format!("`{from}` imports `{to}`, not below it"))
        }
        _ => None,
    }
}

/// Calls it for each file of the library except lib.rs, the program and tests.
fn each_file(folder: &Path, module: &mut Vec<String>, call: &mut dyn FnMut(&Path, &[String])) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if ["lib", "bin", "tests"].contains(&&*name) {
            continue;
        }
        if name == "mod" {
            call(&path, module);
            continue;
        }
        module.push(name);
        if path.is_dir() {
            each_file(&path, module, call);
        } else {
            call(&path, module);
        }
        module.pop();
    }
}

/// The modules in a folder.
fn modules(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        names.push(entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    }
    names.retain(|name| !["lib", "mod", "bin"].contains(&&**name));
    names.sort_unstable();
    names.dedup();
    names
}

/// The paths in the crate that a file uses outside its tests, from the root, each with its line.
fn arrows(module: &[String], source: &str) -> Vec<(usize, Vec<String>)> {
    let mut arrows = Vec::new();
    for (line, path) in paths(source) {
        if let Some(path) = from_root(module, &path) {
            arrows.push((line, path));
        }
    }
    arrows
}

/// The paths that a file uses outside its tests, as written, each with its line.
fn paths(source: &str) -> Vec<(usize, Vec<String>)> {
    let tokens = without_tests(tokens(source));
    let mut paths = Vec::new();
    let mut rest = &tokens[..];
    while let [(line, word), after @ ..] = rest {
        rest = after;
        if word == "use" {
            rest = tree(after, &[], &mut |path| paths.push((*line, path.to_vec())));
        } else if word == "in" && after.first().is_some_and(|(_, word)| word == "crate") {
            // `pub(in crate::codec)` imports nothing.
            rest = &after[1..];
        } else if is_name(word) {
            let mut path = vec![word.clone()];
            while let [(_, colons), (_, name), after @ ..] = rest
                && colons == "::"
                && is_name(name)
            {
                path.push(name.clone());
                rest = after;
            }
            if path.len() > 1 {
                paths.push((*line, path));
            }
        }
    }
    paths
}

/// Returns the path from the crate's root, or `None` for paths of other crates and for names in scope.
fn from_root(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let base = match path[0].as_str() {
        "crate" => &[],
        "self" => module,
        _ if supers > 0 => &module[..module.len().saturating_sub(supers)],
        _ => return None,
    };
    Some([base, &path[supers.max(1)..]].concat())
}

/// Passes the paths of a tree of imports. Returns the rest after it.
fn tree<'t>(
    mut tokens: &'t [(usize, String)],
    around: &[String],
    sink: &mut dyn FnMut(&[String]),
) -> &'t [(usize, String)] {
    let mut path = around.to_vec();
    while let [(_, token), rest @ ..] = tokens {
        match token.as_str() {
            "{" => {
                tokens = rest;
                loop {
                    tokens = tree(tokens, &path, sink);
                    match tokens {
                        [(_, token), rest @ ..] if token == "," => tokens = rest,
                        [(_, token), rest @ ..] if token == "}" => return rest,
                        _ => return tokens,
                    }
                }
            }
            "," | "}" | ";" => break,
            "as" => tokens = &rest[1..],
            "::" | "*" => tokens = rest,
            name => {
                if name != "self" || path.is_empty() {
                    path.push(name.to_owned());
                }
                tokens = rest;
            }
        }
    }
    if path.len() > around.len() || tokens.first().is_some_and(|(_, token)| token != "}") {
        sink(&path);
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Removes each item that exists only for tests.
fn without_tests(tokens: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let mut kept = Vec::new();
    let mut rest = &tokens[..];
    while let Some(token) = rest.first() {
        let words: Vec<_> = rest.iter().take(7).map(|(_, word)| word.as_str()).collect();
        if !matches!(words[..], ["#", "[", "cfg", "(", "test", ..] | ["#", "[", "cfg", "(", "all", "(", "test"]) {
            kept.push(token.clone());
            rest = &rest[1..];
            continue;
        }
        let mut depth = 0_i32;
        let mut in_attribute = true;
        let end = rest.iter().position(|(_, word)| {
            match word.as_str() {
                "{" | "[" | "(" => depth += 1,
                "}" | "]" | ")" => depth -= 1,
                _ => {}
            }
            let is_end = depth == 0 && !in_attribute && matches!(word.as_str(), ";" | "}");
            in_attribute &= !(depth == 0 && word == "]");
            is_end
        });
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
    }
    kept
}

/// The tokens of a source and their lines, without comments and string contents.
fn tokens(source: &str) -> Vec<(usize, String)> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let (token, after) = rest.split_at(length);
        let is_quoted = token.ends_with(['"', '\'', '#']) && token.len() > 1;
        if !token.trim().is_empty() && !token.starts_with("//") && !token.starts_with("/*") && !is_quoted {
            tokens.push((line, token.to_owned()));
        }
        line += token.matches('\n').count();
        rest = after;
    }
    tokens
}

fn token_length(rest: &str, first: char) -> usize {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let hashes = rest[word..].len() - rest[word..].trim_start_matches('#').len();
    let is_raw = matches!(&rest[..word], "r" | "br") && rest[word + hashes..].starts_with('"');
    match first {
        '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        '/' if rest.starts_with("/*") => until("*/", 2),
        _ if is_raw => until(&format!("\"{}", "#".repeat(hashes)), word + hashes + 1),
        '"' | '\'' => quoted_length(rest, first),
        ':' if rest.starts_with("::") => 2,
        _ if word > 0 => word,
        _ => first.len_utf8(),
    }
}

/// The length of a string or character; of a lifetime, that of its mark.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ if quote == '\'' && at > 1 && !rest.starts_with("'\\") => return 1,
            _ => {}
        }
    }
    rest.len()
}

#[test]
fn every_way_to_write_an_import_is_read() {
    let source = r##"
        use crate::{a::{self, B as C}, d};
        pub(crate) use super::e::*;
        use std::fmt; // crate::not::this
        #[cfg(test)]
        mod tests { use crate::nor::this; }
        const QUOTED: &str = "crate::nor::that"; const RAW: &str = r#"crate::"x"#; const Q: char = '"';
        macro_rules! m { () => { $crate::f::G } }
        fn of<'a>(x: &'a crate::h::I) { super::super::j() }
    "##;
    let module = ["x".to_owned(), "y".to_owned()];
    let found: Vec<_> =
        arrows(&module, source).into_iter().map(|(line, path)| format!("{line} {}", path.join("::"))).collect();
    assert_eq!(found, ["2 a", "2 a::B", "2 d", "3 x::e", "8 f::G", "9 h::I", "9 j"]);
    let fault = |from: &str, to: &str| {
        let path = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
        fault(&path(from), &path(to)).is_some()
    };
    assert!(
        fault("bytes::array", "record::List")
            && fault("bytes::array", "LeArray")
            && fault("formats::b3d", "formats::bmx")
    );
    assert!(
        fault("pose", "scan::Scan")
            && fault("base::text", "base::error::Error")
            && fault("asset::registry", "asset::Asset")
    );
    assert!(
        !fault("record", "bytes::LeArray")
            && !fault("formats::bmx::mesh", "formats::zip_directory")
            && !fault("scan::run", "scan")
    );
}
