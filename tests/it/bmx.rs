//! Tests of the reader of Ballance maps.

use std::ops::ControlFlow;

use meshpeek::bmx::{Map, Tables};
use meshpeek::codec::activity;
use meshpeek::dissect::dissect;
use meshpeek::inspect::{Field, Outline, Part, PartArray, Visitor, selector};
use meshpeek::summary::{Problem, Problems, Severity};
use meshpeek::{Asset, Budget, ErrorKind, Format, Inspect, Limits};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::memory::usage_of;
use crate::support::files::outside_file;
use crate::support::outline::{array, bytes as bytes_of, floats, is_in_place, outlined};
use crate::writer::bmx::{self as write, COMMENT, full, utf32};
use crate::writer::bytes::Bytes;
use crate::writer::zip::{Entry, zip};

fn problems(bytes: &[u8]) -> Vec<Problem> {
    match Map::parse(bytes) {
        Ok(map) => verified(&map),
        Err(error) => vec![Problem::error(&error)],
    }
}

fn verified(map: &Map<'_>) -> Vec<Problem> {
    let mut problems = Problems::new(&Limits::default());
    map.verify(&mut problems);
    problems.into_vec()
}

/// Returns the number of streams inflated meanwhile.
fn inflations<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = activity().inflations;
    let result = work();
    (result, activity().inflations - before)
}

fn send_and_sync<T: Send + Sync>(_: &T) {}

/// The fields, arrays and problems met in one list, and those of the map itself. Opens no other part of an outline.
struct Records {
    list: &'static str,
    count: usize,
    fields: Vec<&'static str>,
    problems: Vec<String>,
}

impl Records {
    fn of(map: &Map<'_>, list: &'static str) -> Self {
        let mut records = Self { list, count: 0, fields: Vec::new(), problems: Vec::new() };
        map.outline(&mut Outline::new(&mut records));
        records
    }

    /// Returns how many of them have this field or array.
    fn with(&self, field: &str) -> usize {
        self.fields.iter().filter(|name| **name == field).count()
    }
}

impl Visitor for Records {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_in_list = part.name == self.list;
        self.count += usize::from(is_in_list);
        is_in_list
    }

    fn field(&mut self, field: Field<'_>) {
        self.fields.push(field.name);
    }

    fn array(&mut self, array: &PartArray<'_>) {
        self.fields.push(array.name);
    }

    fn problem(&mut self, error: &meshpeek::Error) {
        self.problems.push(error.to_string());
    }
}

/// Returns the value of a field as this type.
#[track_caller]
fn value<T: DeserializeOwned>(record: &Json, field: &str) -> T {
    serde_json::from_value(record[field].clone()).unwrap_or_else(|error| panic!("{field}: {error}"))
}

/// Returns the records of a list, with what was written for each.
#[track_caller]
fn as_written<'a, T>(outline: &'a Json, list: &str, written: &'a [T]) -> impl Iterator<Item = (&'a Json, &'a T)> {
    let records = outline[list].as_array().unwrap();
    assert_eq!(records.len(), written.len(), "{list}");
    records.iter().zip(written)
}

/// A face as written: corners of position, texture coordinate and normal; a material.
type Face = ([[u32; 3]; 3], Option<u32>);

/// Returns the faces of a mesh. Those of version 10 take 44 bytes, because their boolean takes four, and others 41.
fn faces(map: &Map<'_>, mesh: usize) -> Vec<Face> {
    let row_bytes = if map.version().unwrap() == 10 { 44 } else { 41 };
    let rows = bytes_of(map, &format!("meshes/{mesh}/faces"));
    assert_eq!(rows.len() % row_bytes, 0);
    rows.chunks(row_bytes).map(face).collect()
}

fn face(row: &[u8]) -> Face {
    let number = |at: usize| u32::from_le_bytes(row[at..at + 4].try_into().unwrap());
    let corners = [0, 12, 24].map(|at| [number(at), number(at + 4), number(at + 8)]);
    let has_material = row[36..row.len() - 4].iter().any(|byte| *byte != 0);
    (corners, has_material.then(|| number(row.len() - 4)))
}

#[test]
fn every_field_comes_back_as_written() {
    for version in 10..=14 {
        let written = full(version);
        let bytes = written.packed();
        let map = Map::parse(&bytes).unwrap();
        send_and_sync(&map);
        assert_eq!(map.version().unwrap(), version);
        let outline = outlined(&map);
        assert_eq!(outline["version"], version);
        assert_eq!(outline["comment"], std::str::from_utf8(COMMENT).unwrap());
        objects_are_as_written(&outline, &written);
        meshes_are_as_written(&map, &outline, &written);
        materials_are_as_written(&outline, &written);
        textures_are_as_written(&map, &outline, &written);
        assert_eq!(outline["unknown_entries"], json!([]));
        assert_eq!(verified(&map), []);
    }
}

/// Asserts that the index has this record with this name and kind.
fn is_indexed(record: &Json, name: &str, kind: u32, kind_name: &str) {
    assert_eq!(record["name"], name);
    assert_eq!((&record["type"], &record["type_name"]), (&json!(kind), &json!(kind_name)));
}

fn objects_are_as_written(outline: &Json, written: &write::Map) {
    let version = written.version;
    for (object, expected) in as_written(outline, "objects", &written.objects) {
        is_indexed(object, expected.name, 0, "object");
        assert_eq!(object["is_component"], expected.component);
        assert_eq!(object["is_hidden"], json!((version > 10).then_some(expected.hidden)));
        assert_eq!(object["is_forced_no_component"], json!((11..14).contains(&version).then_some(false)));
        assert_eq!(value::<[f32; 16]>(object, "world_matrix"), expected.matrix);
        assert_eq!(object["groups"], json!((version > 12).then_some(expected.groups)));
        assert_eq!(object["mesh_index"], expected.mesh);
        assert_eq!(object["mesh"], json!((!expected.component).then_some(expected.mesh)));
        assert_eq!(object["component"], json!(expected.component.then_some(expected.mesh)));
        assert_eq!(object["component_name"], json!(expected.component.then_some("P_Modul_18")));
    }
}

fn meshes_are_as_written(map: &Map<'_>, outline: &Json, written: &write::Map) {
    for (index, (mesh, expected)) in as_written(outline, "meshes", &written.meshes).enumerate() {
        is_indexed(mesh, expected.name, 1, "mesh");
        let counts = ["positions", "uvs", "normals", "faces"].map(|array| value::<usize>(&mesh[array], "count"));
        let written = [expected.positions.len(), expected.uvs.len(), expected.normals.len(), expected.faces.len()];
        assert_eq!(counts, written);
        assert_eq!(floats(map, &format!("meshes/{index}/positions")), expected.positions.as_flattened());
        assert_eq!(floats(map, &format!("meshes/{index}/uvs")), expected.uvs.as_flattened());
        assert_eq!(floats(map, &format!("meshes/{index}/normals")), expected.normals.as_flattened());
        assert_eq!(faces(map, index), expected.faces);
    }
}

fn materials_are_as_written(outline: &Json, written: &write::Map) {
    let version = written.version;
    for (material, expected) in as_written(outline, "materials", &written.materials) {
        is_indexed(material, expected.name, 2, "material");
        let colors = ["ambient", "diffuse", "specular"].map(|color| value::<[f32; 3]>(material, color));
        assert_eq!(colors.as_flattened(), &expected.colors[..9]);
        let emissive = value::<Option<Vec<f32>>>(material, "emissive");
        assert_eq!(emissive, (version > 10).then(|| expected.colors[9..].to_vec()));
        assert_eq!(value::<Option<f32>>(material, "power"), (version > 10).then_some(expected.power));
        let switches = ["alpha_test", "alpha_blend", "z_buffer", "two_sided"].map(|switch| &material[switch]);
        let expected_switches = expected.switches.map(|set| json!((version == 14).then_some(set)));
        assert_eq!(switches, expected_switches.each_ref());
        assert_eq!(material["use_texture"], expected.texture.is_some());
        assert_eq!(material["texture"], json!(expected.texture));
    }
}

fn textures_are_as_written(map: &Map<'_>, outline: &Json, written: &write::Map) {
    for (index, (texture, expected)) in as_written(outline, "textures", &written.textures).enumerate() {
        is_indexed(texture, expected.name, 3, "texture");
        assert_eq!(texture["file_name"], expected.file_name);
        assert_eq!(texture["is_external"], expected.external);
        let (name, content) = written.images[0];
        assert_eq!(texture["embedded_as"], json!((!expected.external).then_some(name)));
        if expected.external {
            assert_eq!(texture.get("image"), None);
        } else {
            assert_eq!(bytes_of(map, &format!("textures/{index}/image")), content);
        }
    }
}

/// Triangles of all versions are the same, although version 10 stores faces in another layout.
#[test]
fn geometry_has_the_faces_as_written() {
    for version in 10..=14 {
        let written = full(version);
        let bytes = written.packed();
        let asset = Asset::parse(&bytes).unwrap();
        let mut faces: Vec<Face> = Vec::new();
        for primitive in asset.primitives().map(Result::unwrap).filter(|primitive| primitive.place.node == Some(0)) {
            let name = primitive.material().unwrap().map(|material| material.name.to_string());
            let material = written.materials.iter().position(|material| Some(material.name) == name.as_deref());
            for corners in primitive.corners() {
                // Clockwise in the file, and counterclockwise here.
                let [a, c, b] = corners.unwrap().map(|corner| [corner.position, corner.uv(0), corner.normal]);
                faces.push(([a, b, c], material.map(|index| index as u32)));
            }
        }
        let mut expected = written.meshes[0].faces.clone();
        expected.sort_by_key(|(_, material)| *material);
        assert_eq!(faces, expected);
    }
}

#[test]
fn materials_of_2022_are_recognized_by_size_or_by_step() {
    let written = write::Map { short_materials: true, ..full(14) };
    let mut tables = written.tables();
    let plain = |tables: &write::Tables| {
        let bytes = zip(&written.entries(tables, |name, bytes| Entry::deflated(name, bytes)), b"").to_vec();
        let map = Map::parse(&bytes).unwrap();
        let first = &outlined(&map)["materials"][0];
        assert_eq!((&first["power"], &first["texture"]), (&json!(12.5), &json!(1)));
        first["alpha_test"].is_null() && first["record_bytes"] == 57
    };
    assert!(plain(&tables));
    // With extra bytes after the last record, only the distance between the first two decides.
    tables[3].1 = tables[3].1.clone().raw([0; 5]);
    assert!(plain(&tables));
}

#[test]
fn tables_alone_make_a_map_too() {
    let written = full(14);
    let [index, objects, meshes, materials, textures] = written.tables().map(|(_, bytes)| bytes.to_vec());
    let tables =
        Tables { index: &index, objects: &objects, meshes: &meshes, materials: &materials, textures: &textures };
    let map = Map::from_tables(tables);
    assert_eq!(verified(&map), []);
    let summary = map.summarize();
    assert_eq!((summary.counts.get("triangles"), summary.counts.get("components")), (Some(6), Some(1)));
    let outline = outlined(&map);
    assert_eq!((&outline["entries"], &outline["comment"]), (&json!([]), &Json::Null));
    let texture = &outline["textures"][1];
    assert_eq!((&texture["is_external"], &texture["embedded_as"]), (&json!(false), &Json::Null));
    assert_eq!(texture.get("image"), None);
}

#[test]
fn a_table_is_inflated_once_and_only_when_asked_for() {
    let bytes = full(14).packed();
    let (map, cost) = inflations(|| Map::parse(&bytes).unwrap());
    assert_eq!(cost, 0);
    // The index, and the table of the meshes.
    let (positions, cost) = inflations(|| floats(&map, "meshes/0/positions"));
    assert_eq!((positions.len(), cost), (12, 2));
    let (faces, cost) = inflations(|| [0, 1, 2].map(|mesh| faces(&map, mesh).len()));
    assert_eq!((faces, cost), ([2, 4, 0], 0));
    let (entries, cost) = inflations(|| Records::of(&map, "entries"));
    assert_eq!((entries.count, cost), (6, 0));
    // A summary needs objects for components and textures for references, but not materials or images.
    let (_, cost) = inflations(|| map.summarize());
    assert_eq!(cost, 2);
    let (_, cost) = inflations(|| Map::parse(&bytes).unwrap().summarize());
    assert_eq!(cost, 4);
    let (materials, cost) = inflations(|| Records::of(&map, "materials"));
    assert_eq!((materials.count, materials.with("texture_index"), cost), (2, 2, 1));
    // All tables are kept. An outline leaves images packed.
    let (outline, cost) = inflations(|| outlined(&map));
    assert_eq!((&outline["materials"][0]["texture"], cost), (&json!(1), 0));
    // One image for each reading.
    let image = "textures/1/image";
    assert_eq!(inflations(|| array(&map, image, |table| table.rows())), (42, 0));
    assert_eq!(inflations(|| bytes_of(&map, image).len()), (42, 1));
    assert_eq!(inflations(|| bytes_of(&map, image).len()), (42, 1));
    // Entries of the zip need the index alone, for the version before them.
    let (entries, cost) = inflations(|| Records::of(&Map::parse(&bytes).unwrap(), "entries"));
    assert_eq!((entries.count, cost), (6, 1));
    // An empty map has only the index.
    let Some(empty) = outside_file("bmx/empty.bmx") else { return };
    assert_eq!(inflations(|| Map::parse(&empty).unwrap().summarize()).1, 1);
}

#[test]
fn a_table_that_fails_is_not_tried_again() {
    let mut entries = entries();
    entries[2].data[3] ^= 0x55;
    let bytes = zip(&entries, COMMENT).to_vec();
    let map = Map::parse(&bytes).unwrap();
    let (meshes, cost) = inflations(|| Records::of(&map, "meshes"));
    // The index, and the broken table once.
    assert_eq!((meshes.count, meshes.with("positions"), cost), (3, 0, 2));
    let errors = meshes.problems;
    assert!(errors.len() == 3 && errors.iter().all(|error| error.contains("mesh.bm")), "{errors:?}");
    // The objects and the textures.
    let (summary, cost) = inflations(|| map.summarize());
    assert_eq!(cost, 2);
    assert_eq!((summary.counts.get("meshes"), summary.counts.get("vertices")), (Some(3), None));
    assert_eq!((summary.counts.get("objects"), summary.references.len()), (Some(5), 2));
}

/// Counts the names of parts that are not empty. Each must be in the file.
struct Names<'f> {
    file: &'f [u8],
    count: usize,
}

impl Visitor for Names<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        if let Some(name) = part.label.filter(|name| !name.is_empty()) {
            assert!(self.file.as_ptr_range().contains(&name.as_bytes().as_ptr()), "{name}");
            self.count += 1;
        }
        true
    }

    fn problem(&mut self, error: &meshpeek::Error) {
        panic!("{error}");
    }
}

#[test]
fn stored_entries_are_viewed_in_the_file() {
    let map = full(14);
    let bytes = zip(&map.entries(&map.tables(), |name, bytes| Entry::stored(name, bytes)), COMMENT).to_vec();
    let map = Map::parse(&bytes).unwrap();
    for array in ["positions", "uvs", "normals", "faces"] {
        is_in_place(&map, &format!("meshes/0/{array}"), &bytes);
    }
    let mut names = Names { file: &bytes, count: 0 };
    map.outline(&mut Outline::new(&mut names));
    // Those of 6 entries and 13 records, of which one is empty.
    assert_eq!(names.count, 18);
    let mut read = 0;
    let mut image = |rows: &[u8]| {
        assert!(bytes.as_ptr_range().contains(&rows.as_ptr()));
        read += rows.len();
        ControlFlow::Continue(())
    };
    array(&map, "textures/1/image", |table| table.read(&mut image).unwrap());
    assert_eq!(read, 42);
    let (problems, cost) = inflations(|| verified(&map));
    assert_eq!((problems.len(), cost), (1, 0));
    assert_eq!(problems[0].message, "entries[0]: index.bm: stored, though maps are to be deflated (first of 6)");
    assert_eq!(map.summarize().blocks.stored, 6);
}

#[test]
fn inflated_tables_are_aligned() {
    let bytes = full(14).packed();
    let map = Map::parse(&bytes).unwrap();
    // The first mesh is at the start of its table, so its positions are four bytes into aligned memory.
    array(&map, "meshes/0/positions", |table| {
        let positions = table.in_place().unwrap();
        assert_eq!((positions.bytes.len(), positions.stride), (48, 12));
        assert!(positions.bytes.as_ptr().cast::<f32>().is_aligned());
    });
    assert_eq!(floats(&map, "meshes/0/positions")[3..6], [1.0, 0.0, 0.0]);
}

#[test]
fn a_zip_without_an_index_is_no_map() {
    let bytes = zip(&[Entry::deflated("readme.txt", b"hello"), Entry::stored("mesh.bm", b"")], b"").to_vec();
    assert_eq!(Format::sniff(&bytes), Some(Format::Zip));
    let error = Map::parse(&bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)));
    assert_eq!(error.to_string(), "zip archive without index.bm, so no Ballance map");
    let mut problems = Problems::new(&Limits::default());
    Asset::parse(&bytes).unwrap().verify(&mut problems);
    let messages: Vec<_> = problems.into_vec().into_iter().map(|problem| problem.message).collect();
    assert_eq!(messages, ["mesh.bm without index.bm: a Ballance map that cannot be read"]);
    let map = full(14).packed();
    assert_eq!(Format::sniff(&map), Some(Format::Bmx));
    // A map that is cut short is still a map, and is reported as broken.
    let cut = &map[..map.len() / 2];
    assert_eq!(Format::sniff(cut), Some(Format::Bmx));
    assert_eq!(Asset::parse(cut).unwrap_err().to_string(), "Ballance map: zip archive without an end record");
}

#[test]
fn peak_memory_of_a_large_map_is_its_tables() {
    let faces = 1_400_000_u32;
    let mut map = full(14);
    map.meshes[0].positions = vec![[0.5; 3]; 250_000];
    map.meshes[0].faces = vec![([[249_999, 0, 0]; 3], Some(1)); faces as usize];
    let bytes = map.packed();
    let tables: i64 = map.tables().iter().map(|(_, bytes)| bytes.len() as i64).sum();
    assert!(tables > 60_000_000);
    let (_, usage) = usage_of(|| {
        let map = Map::parse(&bytes).unwrap();
        assert_eq!(map.summarize().counts.get("triangles"), Some(u64::from(faces) + 4));
        assert_eq!(verified(&map), []);
        map.digest("faces", &Budget::unlimited(&Limits::default()), &mut |_| {}).unwrap();
    });
    assert!(usage.peak < tables + (1 << 20), "{usage:?} for tables of {tables} bytes");
}

/// The problem of one map, and its message.
struct Case {
    name: &'static str,
    bytes: Vec<u8>,
    severity: Severity,
    message: &'static str,
}

fn entries() -> Vec<Entry> {
    let map = full(14);
    map.entries(&map.tables(), |name, bytes| Entry::deflated(name, bytes))
}

/// A map with a wrong zip: entries 0 to 4 are the tables in the specification's order, 5 is an image.
fn zip_case(name: &'static str, severity: Severity, message: &'static str, change: impl Fn(&mut Vec<Entry>)) -> Case {
    let mut entries = entries();
    change(&mut entries);
    Case { name, bytes: zip(&entries, COMMENT).to_vec(), severity, message }
}

#[test]
fn a_name_that_is_there_twice_is_found_after_another_spelling() {
    let mut entries = entries();
    for name in ["x", "X", "x"] {
        entries.push(Entry::stored(name, name.as_bytes()));
    }
    let found: Vec<String> =
        problems(&zip(&entries, COMMENT).to_vec()).iter().map(|problem| problem.message.to_string()).collect();
    assert_eq!(found, ["X: differs from another name only in case", "x: two entries of this name"]);
}

#[test]
fn flags_of_faces_are_checked_in_every_version() {
    for version in [10, 11, 14] {
        for (flag, is_odd) in [(0, false), (1, false), (2, true), (255, true)] {
            let map = full(version);
            let mut tables = map.tables();
            tables[2].1 = std::mem::take(&mut tables[2].1).poke("mesh0.faces", 4 + 36, [flag]);
            let entries = map.entries(&tables, |name, bytes| Entry::deflated(name, bytes));
            let found = problems(&zip(&entries, COMMENT).to_vec());
            let message = format!("neither 0 nor 1: {flag} at index 0");
            assert_eq!(
                found.iter().any(|problem| problem.message.ends_with(&message)),
                is_odd,
                "{version}: {found:#?}"
            );
        }
    }
}

/// A map with wrong bytes around the entries.
fn raw_case(name: &'static str, message: &'static str, change: impl Fn(Bytes) -> Bytes) -> Case {
    Case { name, bytes: change(zip(&entries(), COMMENT)).to_vec(), severity: Severity::Error, message }
}

/// A map with one wrong table.
fn table_case(
    name: &'static str,
    severity: Severity,
    message: &'static str,
    table: usize,
    change: impl Fn(Bytes) -> Bytes,
) -> Case {
    let map = full(14);
    let mut tables = map.tables();
    tables[table].1 = change(std::mem::take(&mut tables[table].1));
    let entries = map.entries(&tables, |name, bytes| Entry::deflated(name, bytes));
    Case { name, bytes: zip(&entries, COMMENT).to_vec(), severity, message }
}

fn all_say_their_own(cases: Vec<Case>) {
    let mut wrong = Vec::new();
    for Case { name, bytes, severity, message } in cases {
        let problems = problems(&bytes);
        assert!(
            problems.iter().all(|problem| problem.offset.is_none_or(|offset| offset <= bytes.len() as u64)),
            "{name}"
        );
        let found: Vec<_> = problems.iter().map(|problem| (problem.severity, &*problem.message)).collect();
        if found != [(severity, message)] {
            wrong.push(format!("{name}: {found:#?}, not {message:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

use Severity::{Error as Bad, Warning as Odd};

#[test]
fn each_fault_of_the_end_record_has_its_own_problem() {
    let end = |bytes: &Bytes| bytes.at("end");
    all_say_their_own(vec![
        raw_case("no end record", "zip archive without an end record", |b| b.set("end", b"PK??")),
        raw_case("comment too long", "the end record says a comment of 16 bytes, 15 are left", |b| {
            b.set("comment_bytes", [16, 0])
        }),
        Case { severity: Odd, ..raw_case("bytes after", "3 bytes after the zip", |b| b.raw([0; 3])) },
        Case {
            severity: Odd,
            ..raw_case("bytes before", "5 bytes before the zip", |b| Bytes::new().raw([7; 5]).part(&b))
        },
        raw_case("directory elsewhere", "the end record says a directory of 4294967294 bytes, it has 345", |b| {
            b.set("directory_bytes", u32::MAX.wrapping_sub(1).to_le_bytes())
        }),
        raw_case("directory not met", "zip directory of 345 bytes at 0x38e does not end at its end record", |b| {
            b.set("directory", b"PK??")
        }),
        raw_case("too many entries", "the end record says 60000 entries, the directory holds 6", |b| {
            b.set("entries", 60_000_u16.to_le_bytes()).set("disk_entries", 60_000_u16.to_le_bytes())
        }),
        raw_case("a disk", "the end record says that this is disk 1, but the archive is in one piece", |b| {
            b.set("disk", [1, 0])
        }),
        raw_case("zip64 count", "the end record says 65535 entries, the directory holds 6", |b| {
            b.set("entries", [0xff; 2])
        }),
        raw_case("offset", "the end record says that the directory is at 0xffffffff, it is at 0x38e", |b| {
            b.set("directory_offset", [0xff; 4])
        }),
        raw_case("zip64", "zip64 archive", |b| {
            let (end, bytes) = (end(&b), b.to_vec());
            let record = [&b"PK\x06\x06\x2c"[..], &[0; 11], &[0; 40]].concat();
            let locator = [&b"PK\x06\x07\0\0\0\0"[..], &(end as u64).to_le_bytes(), &[1, 0, 0, 0]].concat();
            Bytes::new().raw(&bytes[..end]).raw(record).raw(locator).raw(&bytes[end..])
        }),
    ]);
}

#[test]
fn two_end_records_that_fit_are_refused() {
    let inner = zip(&[], b"").to_vec();
    let bytes = zip(&entries(), &inner).to_vec();
    let error = Map::parse(&bytes).unwrap_err();
    assert!(error.to_string().contains("two zip end records fit"), "{error}");
    // An end record in the comment that does not fit is reported.
    let bytes = zip(&entries(), b"PK\x05\x06 and so on, for 22 bytes.").to_vec();
    let found = problems(&bytes);
    assert!(found.iter().any(|problem| problem.message == "the comment holds another end record"), "{found:?}");
}

#[test]
fn each_fault_of_an_entry_has_its_own_problem() {
    let rename = |name: &'static str| {
        move |e: &mut Vec<Entry>| {
            let entry = Entry::deflated(name, b"hello");
            e.push(entry);
        }
    };
    all_say_their_own(vec![
        zip_case("missing table", Bad, "map without mesh.bm", |e| drop(e.remove(2))),
        zip_case("encrypted", Bad, "entries[2]: mesh.bm: encrypted", |e| e[2] = e[2].clone().both(|h| h.flags |= 1)),
        zip_case("other method", Bad, "entries[2]: mesh.bm: packed with method 12, which maps do not use", |e| {
            e[2] = e[2].clone().both(|h| h.method = 12);
        }),
        zip_case("claims too much", Bad, "entries[2]: mesh.bm: inflates to 474 bytes of 475 claimed", |e| {
            e[2] = e[2].clone().both(|h| h.unpacked += 1);
        }),
        zip_case("claims too little", Bad, "entries[2]: mesh.bm: inflates to more than the 473 bytes claimed", |e| {
            e[2] = e[2].clone().both(|h| h.unpacked -= 1);
        }),
        zip_case("claims what none can", Bad, "entries[2]: mesh.bm: 92 bytes cannot inflate to 1000000", |e| {
            e[2] = e[2].clone().both(|h| h.unpacked = 1_000_000);
        }),
        zip_case("stored of two sizes", Bad, "entries[2]: mesh.bm: stored, but of 3 bytes and of 4", |e| {
            e[2] = Entry::stored("mesh.bm", b"abc").both(|h| h.unpacked = 4);
        }),
        zip_case("cut stream", Bad, "entries[2]: mesh.bm: ends inside its stream, after 474 bytes", |e| {
            let shorter = e[2].data.len() - 1;
            e[2].data.truncate(shorter);
            e[2] = e[2].clone().both(|h| h.packed = shorter as u32);
        }),
        zip_case(
            "bytes after the stream",
            Odd,
            "entries[2]: mesh.bm: 2 bytes after the end of its DEFLATE stream",
            |e| {
                e[2].data.extend([1, 2]);
                e[2] = e[2].clone().both(|h| h.packed += 2);
            },
        ),
        zip_case("crc", Bad, "entries[2]: mesh.bm: its bytes have CRC-32 e979cc24, the directory says 00000001", |e| {
            e[2] = e[2].clone().both(|h| h.crc32 = 1);
        }),
        zip_case(
            "crc of an image",
            Bad,
            "entries[5]: Texture/我的地板.png: its bytes have CRC-32 ccdf5ecb, the directory says 00000001",
            |e| {
                e[5] = e[5].clone().both(|h| h.crc32 = 1);
            },
        ),
        zip_case(
            "crc of a stored entry",
            Bad,
            "entries[6]: x: its bytes have CRC-32 3610a686, the directory says 00000001",
            |e| {
                e.push(Entry::stored("x", b"hello").both(|h| h.crc32 = 1));
            },
        ),
        zip_case(
            "local name",
            Bad,
            "entries[2]: mesh.bm: another name in the header before its data than in the directory",
            |e| {
                e[2].local.name = b"mush.bm".to_vec();
            },
        ),
        zip_case(
            "local method",
            Bad,
            "entries[2]: mesh.bm: another method in the header before its data than in the directory",
            |e| {
                e[2].local.method = 0;
            },
        ),
        zip_case(
            "local size",
            Bad,
            "entries[2]: mesh.bm: another packed size in the header before its data than in the directory",
            |e| {
                e[2].local.packed += 1;
            },
        ),
        zip_case("no local header", Bad, "entries[6]: x: at 0xffff: needs 30 bytes, 0 left", |e| {
            e.push(Entry { header_offset: Some(0xffff), ..Entry::stored("x", b"") });
        }),
        zip_case("duplicate", Bad, "x: two entries of this name", |e| {
            e.push(Entry::stored("x", b"1"));
            e.push(Entry::stored("x", b"2"));
        }),
        zip_case("stored", Odd, "entries[2]: mesh.bm: stored, though maps are to be deflated", |e| {
            let map = full(14);
            e[2] = Entry::stored("mesh.bm", &map.tables()[2].1.to_vec());
        }),
        zip_case("image of no texture", Odd, "entries[6]: Texture/none.png: an image of no texture", |e| {
            e.push(Entry::deflated("Texture/none.png", b"hello"));
        }),
        zip_case(
            "image of an external texture",
            Odd,
            "textures[0].is_external (texture.bm+0x4c): external, but the zip has Texture/Floor_Top_Flat.bmp, which nothing shows",
            |e| e.push(Entry::deflated("Texture/Floor_Top_Flat.bmp", b"hello")),
        ),
        zip_case("but for case", Odd, "Index.bm: differs from another name only in case", rename("Index.bm")),
        zip_case("up", Bad, "a/../b: leads out of the folder that it would be unpacked to", rename("a/../b")),
        zip_case(
            "up on Windows",
            Bad,
            "a\\..\\b: leads out of the folder that it would be unpacked to",
            rename("a\\..\\b"),
        ),
        zip_case("root", Bad, "/etc/x: leads out of the folder that it would be unpacked to", rename("/etc/x")),
        zip_case("drive", Bad, "c:x: leads out of the folder that it would be unpacked to", rename("c:x")),
        zip_case("nul", Odd, "a\\u{0}b: name with a NUL in it", rename("a\0b")),
        zip_case("no utf-8", Odd, "\\xcf\\xf0: name that is not UTF-8", |e| e.push(Entry::stored(b"\xcf\xf0", b""))),
        zip_case(
            "not marked",
            Odd,
            "1 of 6 names of entries is not marked as UTF-8, which strict readers refuse: index.bm at index 0",
            |e| {
                e[0] = e[0].clone().both(|h| h.flags = 0);
            },
        ),
        zip_case("zip64 sizes", Odd, "index.bm: zip64 sizes, which maps must not use", |e| {
            let (packed, unpacked) = (e[0].central.packed, e[0].central.unpacked);
            let sizes = Bytes::new().raw([1, 0, 16, 0]).u32(unpacked).u32(0).u32(packed).u32(0).to_vec();
            e[0].central.extra = sizes;
            e[0].central.packed = u32::MAX;
            e[0].central.unpacked = u32::MAX;
            e[0].local.flags |= 1 << 3;
            e[0].central.flags |= 1 << 3;
            (e[0].local.crc32, e[0].local.packed, e[0].local.unpacked) = (0, 0, 0);
        }),
    ]);
}

#[test]
fn each_fault_of_a_table_has_its_own_problem() {
    let nan = f32::NAN.to_le_bytes();
    all_say_their_own(vec![
        table_case(
            "name of two",
            Odd,
            "index_entries (index.bm+0x1f4): 1 of 13 names is that of another of its kind: 我的地板.png at index 12",
            0,
            |b| {
                let (bytes, name) = (b.to_vec(), b.at("entry12.name"));
                utf32(Bytes::new().raw(&bytes[..name]), "我的地板.png").raw(&bytes[b.at("entry12.type")..])
            },
        ),
        table_case(
            "byte order mark",
            Odd,
            "index_entries[12].name (index.bm+0x1f4): \"\u{feff}gain\" starts with a byte order mark",
            0,
            |b| b.poke("entry12.name", 4, 0xfeff_u32.to_le_bytes()),
        ),
        table_case(
            "color above 1",
            Odd,
            "materials[1].diffuse (material.bm+0x49): (1.5, 1, 1) is not from 0 to 1",
            3,
            |b| b.poke("material1.ambient", 12, 1.5_f32.to_le_bytes()),
        ),
        table_case("no version", Bad, "index.bm+0x0: needs 4 bytes, 3 left", 0, |_| Bytes::new().raw([14, 0, 0])),
        table_case("other version", Bad, "index.bm+0x0: map of version 15; 10 to 14 are known", 0, |b| {
            b.set("version", [15])
        }),
        table_case(
            "index cut short",
            Bad,
            "index_entries[12].record_offset (index.bm+0x20d): needs 8 bytes, 7 left",
            0,
            |b| Bytes::new().raw(&b.to_vec()[..b.len() - 1]),
        ),
        table_case(
            "length of a name",
            Bad,
            "index_entries[12].name (index.bm+0x1f8): needs 17179869180 bytes, 29 left",
            0,
            |b| b.set("entry12.name", [0xff; 4]),
        ),
        table_case(
            "surrogate",
            Bad,
            "index_entries[12].name (index.bm+0x1f4): \"\\u{d800}gain\" has the code point 0xd800, which is no character",
            0,
            |b| b.poke("entry12.name", 4, 0xd800_u32.to_le_bytes()),
        ),
        table_case("nul", Odd, "index_entries[12].name (index.bm+0x1f4): \"\\u{0}gain\" has a NUL in it", 0, |b| {
            b.poke("entry12.name", 4, [0; 4])
        }),
        table_case(
            "unknown type",
            Odd,
            "index_entries[13].kind (index.bm+0x21d): TYPE 4, which readers skip",
            0,
            |b| utf32(b, "x").u8(4).raw([0; 8]),
        ),
        table_case(
            "offset outside",
            Bad,
            "textures[2] (index.bm+0x1f4): OFFSET 4294967296 lies outside the 151 bytes of texture.bm",
            0,
            |b| b.set("entry12.offset", (1_u64 << 32).to_le_bytes()),
        ),
        table_case(
            "no order",
            Odd,
            "materials[1] (material.bm+0x0): lies before the record that the index names before it",
            0,
            |b| b.set("entry8.offset", 61_u64.to_le_bytes()).set("entry9.offset", [0; 8]),
        ),
        table_case("tail", Odd, "texture.bm+0x97: 3 bytes after the last record", 4, |b| b.raw([0; 3])),
        table_case(
            "group count",
            Bad,
            "objects[1].groups (object.bm+0x110): needs 17179869180 bytes, 410 left",
            1,
            |b| b.set("object1.groups", [0xff; 4]),
        ),
        table_case("mesh index", Bad, "objects[0].mesh_index (object.bm+0xc6): 3 is not below 3", 1, |b| {
            b.set("object0.mesh", [3])
        }),
        table_case(
            "component",
            Bad,
            "objects[2].mesh_index (object.bm+0x1ae): component 27; 0 to 26 are known",
            1,
            |b| b.set("object2.mesh", [27]),
        ),
        table_case("bool", Odd, "objects[0].is_hidden (object.bm+0x1): 2 is neither 0 nor 1", 1, |b| {
            b.set("object0.hidden", [2])
        }),
        table_case(
            "matrix nan",
            Odd,
            "objects[0].world_matrix (object.bm+0x2): (NaN, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1, 0, 10, 20, 30, 1) is not finite",
            1,
            |b| b.set("object0.matrix", nan),
        ),
        table_case(
            "last column",
            Odd,
            "objects[0].world_matrix (object.bm+0x2): last column is 1, 1, 1, 1, not 0, 0, 0, 1",
            1,
            |b| b.set("object0.matrix", Bytes::new().f32s([1.0; 16]).to_vec()),
        ),
        table_case(
            "position count",
            Bad,
            "meshes[1].positions (mesh.bm+0xca): needs 51539607540 bytes, 272 left",
            2,
            |b| b.set("mesh1.positions", [0xff; 4]),
        ),
        table_case("face count", Bad, "meshes[2].faces (mesh.bm+0x1da): needs 41 bytes, 0 left", 2, |b| {
            b.set("mesh2.faces", [1])
        }),
        table_case(
            "material index",
            Bad,
            "meshes[0].faces (mesh.bm+0x99): 1 of 2 materials is not below 2: 7 at index 0",
            2,
            |b| b.poke("mesh0.faces", 4 + 37, [7]),
        ),
        table_case(
            "position index",
            Bad,
            "meshes[0].faces (mesh.bm+0x74): 1 of 6 positions is not below 4: 4 at index 0 of faces[0]",
            2,
            |b| b.poke("mesh0.faces", 4, [4]),
        ),
        table_case(
            "uv index",
            Bad,
            "meshes[0].faces (mesh.bm+0x78): 2 of 6 texture coordinates are not below 5; the first is 5 at index 0 of faces[0]",
            2,
            |b| b.poke("mesh0.faces", 4 + 4, [5]).poke("mesh0.faces", 4 + 41 + 4, [5]),
        ),
        table_case(
            "normal index",
            Bad,
            "meshes[0].faces (mesh.bm+0x7c): 1 of 6 normals is not below 1: 1 at index 0 of faces[0]",
            2,
            |b| b.poke("mesh0.faces", 4 + 8, [1]),
        ),
        table_case(
            "flag of a face",
            Odd,
            "meshes[0].faces (mesh.bm+0x98): 1 of 2 uses of a material is neither 0 nor 1: 9 at index 0",
            2,
            |b| b.poke("mesh0.faces", 4 + 36, [9]),
        ),
        table_case(
            "position nan",
            Odd,
            "meshes[0].positions (mesh.bm+0x10): 1 of 4 vectors is not finite: (NaN, 0, 0) at index 1",
            2,
            |b| b.poke("mesh0.positions", 4 + 12, nan),
        ),
        table_case(
            "normal of length 2",
            Odd,
            "meshes[0].normals (mesh.bm+0x64): 1 of 1 vectors is not unit: of length 2.000 at index 0",
            2,
            |b| b.poke("mesh0.normals", 4 + 4, 2_f32.to_le_bytes()),
        ),
        table_case(
            "color infinite",
            Odd,
            "materials[1].ambient (material.bm+0x3d): (inf, 1, 1) is not finite",
            3,
            |b| b.set("material1.ambient", f32::INFINITY.to_le_bytes()),
        ),
        table_case("switch", Odd, "materials[1].alpha_test (material.bm+0x71): 255 is neither 0 nor 1", 3, |b| {
            b.set("material1.switches", [255])
        }),
        table_case("texture index", Bad, "materials[0].texture_index (material.bm+0x39): 3 is not below 3", 3, |b| {
            b.set("material0.texture", [3])
        }),
        table_case(
            "no image",
            Bad,
            "textures[0].file_name (texture.bm+0x0): embedded, but the zip has no Texture/Floor_Top_Flat.bmp",
            4,
            |b| b.set("texture0.external", [0]),
        ),
        table_case(
            "folder",
            Odd,
            "textures[0].file_name (texture.bm+0x0): \"/loor_Top_Flat.bmp\" is more than the name of a file",
            4,
            |b| b.poke("texture0.file_name", 4, b"/"),
        ),
    ]);
}

#[test]
fn records_that_overlap_are_named_and_cost_nothing() {
    let map = full(14);
    let mut tables = map.tables();
    tables[0].1 = std::mem::take(&mut tables[0].1).set("entry1.offset", [0; 8]);
    let bytes = zip(&map.entries(&tables, |name, bytes| Entry::deflated(name, bytes)), COMMENT).to_vec();
    let messages: Vec<_> = problems(&bytes).into_iter().map(|problem| problem.message.to_string()).collect();
    assert_eq!(
        messages,
        [
            "objects[1] (object.bm+0x0): the index names this place for objects[0] too",
            "objects[2] (object.bm+0x114): 74 bytes before it belong to no record",
        ]
    );
    tables[0].1 = std::mem::take(&mut tables[0].1).set("entry1.offset", [66]);
    let bytes = zip(&map.entries(&tables, |name, bytes| Entry::deflated(name, bytes)), COMMENT).to_vec();
    assert_eq!(problems(&bytes)[0].message, "objects[1] (object.bm+0x42): starts inside objects[0]");
    // A hundred thousand objects that all refer to one with fifty thousand groups: read a few times, then refused.
    let groups = Bytes::new().u8(0).u8(0).f32s(write::IDENTITY).u32(50_000).raw(vec![0; 50_000 * 4]).u32(0).to_vec();
    let index = (0..100_000).fold(Bytes::new().u32(14), |bytes, _| bytes.u32(0).raw([0; 9])).to_vec();
    let map = Map::from_tables(Tables { index: &index, objects: &groups, ..Tables::default() });
    let started = std::time::Instant::now();
    let mut problems = Problems::new(&Limits::default().with_problems(u32::MAX));
    map.verify(&mut problems);
    let problems = problems.into_vec();
    assert!(problems.iter().any(|problem| problem.message.contains("records that overlap")), "{}", problems.len());
    let size = (index.len() + groups.len()) as u64;
    assert_eq!(map.summarize().bytes, size);
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

/// 64 entries of the index for one object with 16 million groups: a table of 64 MB in a file of 60 kB.
#[test]
fn a_large_record_of_many_entries_is_inflated_once_and_read_a_few_times() {
    const GROUPS: u32 = 16_000_000;
    let objects = Bytes::new().u8(0).u8(0).f32s(write::IDENTITY).u32(GROUPS).raw(vec![0; 4 * GROUPS as usize]).u32(0);
    let index = (0..64).fold(Bytes::new().u32(14), |bytes, _| bytes.u32(0).raw([0; 9]));
    let empty = Bytes::new();
    let tables = [&index, &objects, &empty, &empty, &empty];
    let names = ["index.bm", "object.bm", "mesh.bm", "material.bm", "texture.bm"];
    let entries: Vec<Entry> =
        std::iter::zip(names, tables).map(|(name, bytes)| Entry::deflated(name, &bytes.clone().to_vec())).collect();
    let bytes = zip(&entries, COMMENT).to_vec();
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    let open = || Asset::parse(&bytes).unwrap();
    // Twice its bytes and 64 MiB.
    const MOST: usize = 4;

    let map = Map::parse(&bytes).unwrap();
    let (objects, cost) = inflations(|| Records::of(&map, "objects"));
    let (read, refused) = (objects.with("mesh_index"), objects.problems);
    assert!((1..=MOST).contains(&read) && read + refused.len() == 64 && cost == 2, "{read} {cost} {refused:?}");
    assert!(refused.iter().all(|error| error.contains("bytes in records that overlap")), "{refused:?}");

    let (summary, cost) = inflations(|| open().summarize());
    assert!(cost <= 5 && summary.counts.get("objects") == Some(64), "{cost} {summary:?}");
    let (problems, cost) = inflations(|| verified(&Map::parse(&bytes).unwrap()));
    let is_limit = |problem: &&Problem| problem.message.contains("bytes in records that overlap");
    assert!(cost <= 5 && problems.iter().filter(is_limit).count() == 1, "{cost} {problems:?}");
    let (read, cost) = inflations(|| {
        let mut read = 0;
        dissect(&open(), bytes.len() as u64, &mut |line| read += usize::from(line.name == "mesh_index"));
        read
    });
    assert!(cost <= 5 && (1..=MOST).contains(&read), "{cost} {read}");
    let (arrays, cost) = inflations(|| {
        let mut arrays = 0;
        selector::each(&open(), &mut |_, _| arrays += 1);
        arrays
    });
    assert!(cost <= 5 && arrays > 0, "{cost} {arrays}");
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let entry = Entry::deflated("mesh.bm", &vec![0; 8 << 20]);
    assert!(entry.central.packed < 9000);
    let mut entries = entries();
    entries[2] = entry;
    let bytes = zip(&entries, COMMENT).to_vec();
    let limits = Limits::default().with_decoded_bytes(1 << 20);
    let map = Map::parse_with(&bytes, &limits).unwrap();
    let (error, usage) = usage_of(|| map.version().unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::Limit { limit: 0x10_0000, .. }), "{error}");
    assert!(usage.peak < 1 << 16, "{usage:?}");
    // Entries that share data are reported, and their data is decompressed once.
    let (_, hostile) = write::hostile().into_iter().find(|(name, _)| *name == "bmx_quilt.bmx").unwrap();
    let map = Map::parse(&hostile).unwrap();
    let (problems, cost) = inflations(|| verified(&map));
    assert!(cost <= 6, "{cost}");
    let [problem] = &problems[..] else { panic!("{problems:#?}") };
    assert_eq!(problem.message, "entries[6]: x0: overlaps the entry before it (first of 40)");
}

#[test]
fn an_archive_of_directory_marks_is_refused_at_once() {
    // Bytes that the crate zip would search: many directory signatures, and end records that point at each other.
    let mut bytes = b"PK\x01\x02".repeat(4 << 20);
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x10\0\0\0\0\0\0\0\0\0".repeat(2900));
    let started = std::time::Instant::now();
    assert!(Map::parse(&bytes).is_err());
    assert_eq!(Format::sniff(&bytes), None);
    bytes[..4].copy_from_slice(b"PK\x03\x04");
    assert_eq!(Format::sniff(&bytes), None);
    assert_eq!(Format::of_file(std::path::Path::new("a.zip"), &bytes), Some(Format::Zip));
    assert!(meshpeek::zip::Archive::parse(&bytes).unwrap().directory.is_lost());
    assert!(started.elapsed() < std::time::Duration::from_secs(2), "{:?}", started.elapsed());
}

/// For each triangle, returns whether its winding matches its first normal, by the sign of the product.
fn turns(map: &Map<'_>, mesh: usize) -> (usize, usize) {
    let positions = floats(map, &format!("meshes/{mesh}/positions"));
    let normals = floats(map, &format!("meshes/{mesh}/normals"));
    let of = |floats: &[f32], index: u32| <[f32; 3]>::try_from(&floats[3 * index as usize..][..3]).unwrap();
    let (mut with, mut against) = (0, 0);
    for (corners, _) in faces(map, mesh) {
        let [a, b, c] = corners.map(|[position, _, _]| of(&positions, position));
        let normal = of(&normals, corners[0][2]);
        let edge = |p: [f32; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
        let (u, v) = (edge(b), edge(c));
        let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let product: f32 = cross.iter().zip(normal).map(|(a, b)| a * b).sum();
        with += usize::from(product > 0.0);
        against += usize::from(product < 0.0);
    }
    (with, against)
}

/// In a left-handed space, a cross product along the normal means clockwise, seen from the side of the normal.
#[test]
fn front_faces_are_clockwise() {
    let Some(bytes) = outside_file("bmx/small_minizip.bmx") else { return };
    let map = Map::parse(&bytes).unwrap();
    // The second mesh has made-up normals.
    assert_eq!(outlined(&map)["meshes"][0]["name"], "Quad");
    assert_eq!(turns(&map, 0), (2, 0));
}
