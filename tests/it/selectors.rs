//! Selectors lead to the array they name, in every available file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::inspect::{self, Inspect, Selector, selector, to_bytes};
use meshpeek::view::Table;
use meshpeek::{Asset, Budget, Format, Limits, Until};
use serde_json::Value as Json;

use crate::support::files::{below, outside, root};
use crate::support::program::program;
use crate::writer::{self, b3d, odol};

/// The listing of an array, and the facts that identify it.
#[derive(Debug, PartialEq)]
struct Array {
    rows: u64,
    offset: u64,
    bytes: u64,
    stored: &'static str,
    columns: Vec<&'static str>,
}

impl Array {
    fn of(table: &dyn Table) -> Self {
        let storage = table.storage();
        let columns = table.columns().iter().map(|column| column.name).collect();
        let (offset, bytes, stored) = (storage.offset, storage.bytes, storage.packing.name());
        Self { rows: table.rows(), offset, bytes, stored, columns }
    }
}

fn all(asset: &dyn Inspect) -> Vec<(String, Array)> {
    let mut all = Vec::new();
    selector::each(asset, &mut |selector, table| all.push((selector.to_owned(), Array::of(table))));
    all
}

fn found<T>(asset: &dyn Inspect, text: &str, take: impl Fn(&dyn Table) -> T) -> Option<T> {
    let mut found = None;
    let selector: Selector = text.parse().unwrap();
    assert_eq!(selector.find(asset, &mut |table| found = Some(take(table))).unwrap(), found.is_some());
    found
}

/// The available models: the project's own valid ones, and other people's.
fn models() -> Vec<(PathBuf, Vec<u8>)> {
    let own = below(&root().join("corpus")).into_iter();
    let others = outside().map(|folder| below(&folder)).unwrap_or_default();
    let files = own.chain(others).map(|path| (std::fs::read(&path).unwrap(), path));
    files.filter(|(bytes, _)| Format::sniff(bytes).is_some()).map(|(bytes, path)| (path, bytes)).collect()
}

fn printed(verb: &[&str], path: &Path) -> String {
    let output = program().args(verb).arg("-q").arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_selector_that_is_listed_leads_back_to_its_array() {
    let mut checked = 0_usize;
    for (path, bytes) in models() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let listed = all(&asset);
        // All of them: those of empty lists are usually left out.
        let listing = program().args(["dump", "-v"]).arg(&path).output().unwrap();
        let listing = String::from_utf8(listing.stdout).unwrap();
        let lines: Vec<Vec<&str>> = listing.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), listed.len(), "{}", path.display());
        // In a file with thousands of arrays, finding each is slow, so only some of them are tried.
        let stride = listed.len() / 400 + 1;
        for ((selector, array), line) in listed.iter().zip(&lines).step_by(stride) {
            assert_eq!((line[0], line[1]), (selector.as_str(), array.rows.to_string().as_str()), "{}", path.display());
            let again = found(&asset, selector, Array::of);
            assert_eq!(again.as_ref(), Some(array), "{}: {selector}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 1_000, "{checked}");
    println!("{checked} selectors");
}

#[test]
fn faces_of_every_lod_are_those_of_info() {
    let mut checked = 0;
    for (path, bytes) in models() {
        if !matches!(Format::sniff(&bytes), Some(Format::Odol | Format::Mlod)) {
            continue;
        }
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let info: Json = serde_json::from_str(&printed(&["info", "--json"], &path)).unwrap();
        for (index, lod) in info["detail"]["lods"].as_array().into_iter().flatten().enumerate() {
            let Some(count) = lod["faces"]["count"].as_u64() else { continue };
            let selector = format!("lods/{index}/faces");
            assert_eq!(lod["faces"]["selector"], selector.as_str());
            assert_eq!(found(&asset, &selector, |table| table.rows()), Some(count), "{}: {selector}", path.display());
            let mut rows = 0;
            let row: usize =
                found(&asset, &selector, |table| table.columns()).unwrap().iter().map(|c| c.scalar.byte_len()).sum();
            if let Some(Ok(bytes)) = found(&asset, &selector, |table| to_bytes(table, &Limits::default())) {
                rows += bytes.len() / row;
                assert_eq!(rows as u64, count, "{}: {selector}", path.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

/// The selector with names in place of numbers, where an item has a name of letters, digits and spaces.
fn with_names(asset: &dyn Inspect, selector: &str) -> String {
    let (mut numbered, mut named) = (String::new(), String::new());
    for step in selector.split('/') {
        let list = named.clone();
        let sign = if numbered.is_empty() { "" } else { "/" };
        numbered += &format!("{sign}{step}");
        named += &format!("{sign}{step}");
        if !step.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let leads_here = |with_name: &String| {
            let selector: Selector = with_name.parse().unwrap();
            selector.numbered(asset).is_some_and(|found| found.to_string() == numbered)
        };
        let is_plain = |name: &String| name.len() > 2 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ');
        let names = selector::names(asset, &list).into_iter().filter(is_plain);
        if let Some(with_name) = names.map(|name| format!("{list}/@{name}")).find(leads_here) {
            named = with_name;
        }
    }
    named
}

/// Each name of a selector in turn has a letter too many. The program suggests the selector as it was: all of its other
/// steps, before and after the name, are right.
#[test]
fn a_misspelt_name_is_put_right_wherever_it_stands() {
    let mut seen = std::collections::BTreeSet::new();
    let mut places = std::collections::BTreeMap::new();
    for path in below(&root().join("corpus")) {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        for (selector, _) in all(&asset).iter().take(60) {
            let right = with_names(&asset, selector);
            let steps: Vec<&str> = right.split('/').collect();
            // One selector of a kind is enough: those that differ in names or numbers alone are found in the same way.
            let kind = steps.iter().map(|step| match step.as_bytes()[0] {
                b'@' => "@",
                b'0'..=b'9' => "0",
                _ => step,
            });
            if !right.contains('@') || !seen.insert(kind.collect::<Vec<_>>().join("/")) {
                continue;
            }
            let names = (0..steps.len()).filter(|place| steps[*place].starts_with('@'));
            for (nth, place) in names.enumerate() {
                let mut wrong: Vec<String> = steps.iter().map(|&step| step.to_owned()).collect();
                wrong[place].insert(2, 'x');
                let output = program().arg("dump").arg(&path).arg(wrong.join("/")).output().unwrap();
                let said = String::from_utf8(output.stderr).unwrap();
                let hint = format!("; nearest: {right} (");
                assert!(said.contains(&hint), "{}: {}: {said}", path.display(), wrong.join("/"));
                *places.entry(nth).or_insert(0) += 1;
            }
        }
    }
    println!("{places:?}");
    assert!(places[&0] > 10 && places[&1] > 2, "{places:?}");
}

#[test]
fn a_number_is_never_a_name() {
    let bytes = odol::Model::new(48, vec![odol::Lod::strip(1.0, 3), odol::Lod::strip(2.0, 5)]).to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    let rows = |selector: &str| found(&asset, selector, |table| table.rows());
    assert_eq!(
        [rows("lods/0/positions"), rows("lods/1/positions"), rows("lods/2/positions")],
        [Some(3), Some(5), None]
    );
    assert_eq!([rows("lods/@1/positions"), rows("lods/@2/positions")], [Some(3), Some(5)]);
    assert_eq!([rows("lods/@0/positions"), rows("lods/@1#1/positions"), rows("lods/positions")], [None; 3]);
}

#[test]
fn names_select_their_items() {
    let names: [&[u8]; 9] =
        [b"1", b"arm", b"a/b", b"", b"arm", b"\xcf\x1b", b"arm#1", b"back\\x", "\u{677f}".as_bytes()];
    let nodes = names.iter().zip(1..).map(|(name, weights)| {
        let weights: Vec<_> = (0..weights).map(|vertex| (vertex, 1.0)).collect();
        b3d::node(name, [b3d::bone(&weights)])
    });
    let bytes = b3d::scene(nodes).to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    let weights = |name: &str| found(&asset, &format!("bones/{name}/weights"), |table| table.rows());
    for (name, rows) in [
        ("0", Some(1)),
        ("1", Some(2)),
        ("8", Some(9)),
        ("9", None),
        ("@1", Some(1)),
        ("@arm", Some(2)),
        ("@arm#0", Some(2)),
        ("@arm#1", Some(5)),
        ("@arm#2", None),
        ("@arm\\x231", Some(7)),
        ("@a\\x2fb", Some(3)),
        ("@", Some(4)),
        ("@\\xcf\\x1b", Some(6)),
        ("@back\\x5cx", Some(8)),
        ("@\u{677f}", Some(9)),
        ("@leg", None),
    ] {
        assert_eq!(weights(name), rows, "{name}");
    }
}

#[test]
fn finding_an_array_takes_no_memory_for_other_parts() {
    let many = (0..20_000).map(|_| b3d::node("twin", [b3d::bone(&[(0, 1.0)])]));
    let bytes = b3d::scene(many).to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    let (found, usage) = crate::memory::usage_of(|| {
        let selector: Selector = "bones/@twin#19999/weights".parse().unwrap();
        selector.find(&asset, &mut |_| {})
    });
    assert!(found.unwrap() && usage.total < 16 << 10, "{usage:?}");
}

/// Returns true if the asset has this array, and the message of the error if that is not known.
fn is_there(asset: &dyn Inspect, text: &str) -> Result<bool, String> {
    let selector: Selector = text.parse().unwrap();
    selector.find(asset, &mut |_| {}).map_err(|error| error.message())
}

#[test]
fn no_array_of_a_cut_file_is_called_missing() {
    let mut cut_off = 0;
    for (path, bytes) in models() {
        if bytes.len() > 40_000 {
            continue;
        }
        let format = Format::sniff(&bytes);
        let Ok(whole) = Asset::parse(&bytes) else { continue };
        let selectors: Vec<String> = all(&whole).into_iter().map(|(name, _)| name).collect();
        for part in 1..16 {
            let cut = &bytes[..bytes.len() * part / 16];
            let Ok(asset) = Asset::parse(cut) else { continue };
            // A cut signature is a valid key, which is another format.
            if Some(asset.format()) != format {
                continue;
            }
            for text in &selectors {
                let found = is_there(&asset, text);
                assert_ne!(found, Ok(false), "{} cut to {} bytes: {text}", path.display(), cut.len());
                cut_off += usize::from(found.is_err());
            }
        }
    }
    assert!(cut_off > 100, "{cut_off}");
}

#[test]
fn an_array_is_missing_only_if_its_part_was_read() {
    let bytes = std::fs::read(root().join("corpus/odol/purposes.p3d")).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    for text in ["lods/0/none", "lods/99/positions", "lods/@none/positions", "none"] {
        assert_eq!(is_there(&asset, text), Ok(false), "{text}");
    }
    let asset = Asset::parse(&bytes[..bytes.len() * 3 / 4]).unwrap();
    let mut read = 0;
    let mut unread = 0;
    for lod in 0..26 {
        match is_there(&asset, &format!("lods/{lod}/positions")) {
            // Another LOD that is cut does not hide anything in this one.
            Ok(true) => {
                read += 1;
                assert_eq!(is_there(&asset, &format!("lods/{lod}/none")), Ok(false));
            }
            Ok(false) => panic!("{lod}"),
            Err(message) => {
                unread += 1;
                assert_eq!(message, format!("lods[{lod}]: ends after the file"));
            }
        }
    }
    assert!(read > 0 && unread > 0, "{read} {unread}");
    // Without the part, any error of the asset may hide it.
    assert!(is_there(&asset, "lods/99/positions").is_err());
    assert!(is_there(&asset, "lods/@none/positions").is_err());
}

#[test]
fn an_error_elsewhere_hides_no_array_of_a_part_that_was_read() {
    for (name, text, expected) in [
        // An error of another item, or in another list.
        ("mlod_lod_version.p3d", "lods/0/none", Ok(false)),
        ("v7_face.p3d", "lods/0/none", Ok(false)),
        ("texheaders_cut.bin", "textures/0/none", Ok(false)),
        ("negative_layers.b3d", "meshes/0/none", Ok(false)),
        ("negative_layers.b3d", "brushes/0/none", Err("brushes[0].n_texs: -2 is negative")),
        // Names that only get a warning.
        ("names.pbo", "members/2/none", Ok(false)),
        ("zip_names.zip", "members/2/none", Ok(false)),
        // An error whose location lacks the list and index of its part.
        ("face_kind.lod", "meshes/2/none", Err("meshes[2].face_groups[1].kind: 3 is no known layout")),
        ("face_kind.lod", "meshes/0/none", Ok(false)),
    ] {
        let bytes = std::fs::read(root().join("corpus/hostile").join(name)).unwrap();
        let asset = Asset::parse_file(Path::new(name), &bytes, &Limits::default()).unwrap();
        assert_eq!(is_there(&asset, text), expected.map_err(str::to_owned), "{name}: {text}");
    }
    // In the tree of a Blitz3D scene, an error hides all that follows: here, a chunk of a mesh.
    let mut bytes = std::fs::read(root().join("corpus/b3d/everything.b3d")).unwrap();
    assert_eq!(&bytes[563..567], b"TRIS");
    bytes[563] = b'X';
    bytes[567..571].copy_from_slice(&0x7fff_u32.to_le_bytes());
    let asset = Asset::parse(&bytes).unwrap();
    let error = is_there(&asset, "meshes/0/triangles/1/indices").unwrap_err();
    assert_eq!(error, "nodes[0]: needs 32767 bytes, 28 left");
}

#[test]
fn stopped_work_is_no_missing_array() {
    let bytes = std::fs::read(root().join("corpus/b3d/triangle.b3d")).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let budget = Budget::new(bytes.len() as u64, &Limits::default());
    let selector = "meshes/0/none".parse().unwrap();
    assert!(inspect::Array::find(&asset, &bytes, &selector, &budget).unwrap().is_none());
    let _until = Until::new(Arc::new(true.into()));
    let error = inspect::Array::find(&asset, &bytes, &selector, &budget).unwrap_err();
    assert_eq!(error.code().name(), "cancelled");
}

#[test]
fn an_array_beyond_the_work_is_no_missing_array() {
    let many = (0..20_000).map(|_| b3d::node("twin", [b3d::bone(&[(0, 1.0)])]));
    let bytes = b3d::scene(many).to_vec();
    let asset = Asset::parse_with(&bytes, &Limits::default().with_work(2)).unwrap();
    assert_eq!(is_there(&asset, "bones/0/weights"), Ok(true));
    for text in ["bones/19999/weights", "bones/@twin#19999/weights"] {
        let error = is_there(&asset, text).unwrap_err();
        assert!(error.contains("the limit set for reading"), "{error}");
    }
}

#[test]
fn mlod_lods_go_by_their_purpose() {
    let bytes = writer::mlod::sound().to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    assert_eq!(found(&asset, "lods/@1/points", |table| table.rows()), Some(4));
    assert_eq!(found(&asset, "lods/@Memory/normals", |table| table.rows()), Some(2));
}
