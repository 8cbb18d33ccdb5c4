//! A writer of configs, binary and as text.

use std::fmt::Write;

use super::bytes::Bytes;

#[derive(Clone, Debug)]
pub enum Value {
    Text(Vec<u8>),
    Float(f32),
    Int(i32),
    Array(Vec<Value>),
    Expression(Vec<u8>),
    Long(i64),
}

#[derive(Clone, Debug)]
pub enum Entry {
    Class(String, Class),
    Value(String, Value),
    Array(String, Vec<Value>),
    Extern(String),
    Delete(String),
    Append(String, Vec<Value>),
}

#[derive(Clone, Debug, Default)]
pub struct Class {
    pub parent: String,
    pub entries: Vec<Entry>,
}

pub fn text(text: &str) -> Value {
    Value::Text(text.into())
}

pub fn texts(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|one| text(one)).collect()
}

pub fn value(name: &str, value: &str) -> Entry {
    Entry::Value(name.to_owned(), text(value))
}

pub fn class(name: &str, parent: &str, entries: impl Into<Vec<Entry>>) -> Entry {
    Entry::Class(name.to_owned(), Class { parent: parent.to_owned(), entries: entries.into() })
}

pub fn root(entries: impl Into<Vec<Entry>>) -> Class {
    Class { parent: String::new(), entries: entries.into() }
}

fn count(bytes: Bytes, mut count: usize) -> Bytes {
    let mut bytes = bytes;
    while count > 0x7f {
        bytes = bytes.u8(count as u8 | 0x80);
        count >>= 7;
    }
    bytes.u8(count as u8)
}

fn stored(bytes: Bytes, value: &Value) -> Bytes {
    match value {
        Value::Text(text) | Value::Expression(text) => bytes.cstr(text),
        Value::Float(number) => bytes.f32(*number),
        Value::Int(number) => bytes.i32(*number),
        Value::Array(items) => array(bytes, items),
        Value::Long(number) => bytes.raw(number.to_le_bytes()),
    }
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Text(_) => 0,
        Value::Float(_) => 1,
        Value::Int(_) => 2,
        Value::Array(_) => 3,
        Value::Expression(_) => 4,
        Value::Long(_) => 6,
    }
}

fn array(bytes: Bytes, items: &[Value]) -> Bytes {
    items.iter().fold(count(bytes, items.len()), |bytes, item| stored(bytes.u8(kind(item)), item))
}

/// The body of a class, with the addresses that the classes in it have.
fn own_body(class: &Class, mut addresses: impl Iterator<Item = u32>, end: u32) -> Bytes {
    let bytes = count(Bytes::new().mark("parent").cstr(&class.parent).mark("count"), class.entries.len());
    let entry = |bytes: Bytes, entry: &Entry| match entry {
        Entry::Class(name, _) => bytes.u8(0).cstr(name).mark("address").u32(addresses.next().unwrap_or(0)),
        Entry::Value(name, value) => {
            stored(bytes.mark("kind").u8(1).mark("type").u8(kind(value)).mark("name").cstr(name), value)
        }
        Entry::Array(name, items) => array(bytes.u8(2).cstr(name).mark("array"), items),
        Entry::Extern(name) => bytes.u8(3).cstr(name),
        Entry::Delete(name) => bytes.u8(4).cstr(name),
        Entry::Append(name, items) => array(bytes.u8(5).u32(1).cstr(name), items),
    };
    class.entries.iter().fold(bytes, entry).mark("end").u32(end)
}

/// Returns the body of a class at this address, followed by the bodies of the classes in it.
fn body(class: &Class, at: usize) -> Bytes {
    let mut next = at + own_body(class, std::iter::repeat(0), 0).len();
    let (mut inner, mut addresses) = (Vec::new(), Vec::new());
    for entry in &class.entries {
        if let Entry::Class(_, class) = entry {
            let bytes = body(class, next);
            addresses.push(next as u32);
            next += bytes.len();
            inner.push(bytes);
        }
    }
    inner.iter().fold(own_body(class, addresses.into_iter(), next as u32), Bytes::part)
}

/// A binary config. The marks are those of the last class that has the field.
pub fn file(root: &Class, enums: &[(&str, u32)]) -> Bytes {
    let body = body(root, 16);
    let header = Bytes::new().raw(b"\0raP").mark("zero").u32(0).mark("version").u32(8);
    let bytes = header.mark("enums").u32(16 + body.len() as u32).part(&body);
    let bytes = bytes.mark("enum_count").u32(enums.len() as u32);
    enums.iter().fold(bytes, |bytes, (name, value)| bytes.cstr(name).u32(*value))
}

/// A binary config whose classes end with their own bodies, which are in breadth-first order.
pub fn breadth_first(root: &Class) -> Bytes {
    let mut classes = vec![root];
    let mut next = 0;
    while let Some(class) = classes.get(next).copied() {
        classes.extend(inner(class));
        next += 1;
    }
    let mut starts = vec![16];
    for class in &classes {
        let bytes = own_body(class, std::iter::repeat(0), 0).len() as u32;
        starts.push(starts[starts.len() - 1] + bytes);
    }
    let mut bodies = Bytes::new();
    let mut first_inner = 1;
    for (index, class) in classes.iter().enumerate() {
        let addresses = starts[first_inner..].iter().copied();
        bodies = bodies.part(&own_body(class, addresses, starts[index + 1]));
        first_inner += inner(class).count();
    }
    let header = Bytes::new().raw(b"\0raP").u32(0).u32(8).u32(16 + bodies.len() as u32);
    header.part(&bodies).u32(0)
}

fn inner(class: &Class) -> impl Iterator<Item = &Class> {
    class.entries.iter().filter_map(|entry| match entry {
        Entry::Class(_, class) => Some(class),
        _ => None,
    })
}

/// Returns the config as text. Names and texts must not contain anything that the text form cannot express.
pub fn as_text(root: &Class) -> String {
    let mut text = String::new();
    entries(&mut text, &root.entries);
    text
}

fn entries(out: &mut String, all: &[Entry]) {
    for entry in all {
        match entry {
            Entry::Class(name, class) => {
                let colon = if class.parent.is_empty() { "" } else { ": " };
                writeln!(out, "class {name}{colon}{} {{", class.parent).unwrap();
                entries(out, &class.entries);
                out.push_str("};\n");
            }
            Entry::Value(name, value) => writeln!(out, "{name} = {};", written(value)).unwrap(),
            Entry::Array(name, items) => writeln!(out, "{name}[] = {{{}}};", all_written(items)).unwrap(),
            Entry::Append(name, items) => writeln!(out, "{name}[] += {{{}}};", all_written(items)).unwrap(),
            Entry::Extern(name) => writeln!(out, "class {name};").unwrap(),
            Entry::Delete(name) => writeln!(out, "delete {name};").unwrap(),
        }
    }
}

fn all_written(items: &[Value]) -> String {
    items.iter().map(written).collect::<Vec<_>>().join(", ")
}

fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{}\"", String::from_utf8_lossy(text).replace('"', "\"\"")),
        Value::Expression(text) => format!("__EVAL({})", String::from_utf8_lossy(text)),
        Value::Float(number) => format!("{number:?}"),
        Value::Int(number) => number.to_string(),
        Value::Long(number) => number.to_string(),
        Value::Array(items) => format!("{{{}}}", all_written(items)),
    }
}

/// A material with these textures in its stages.
pub fn material(textures: &[&str], surface: &str) -> Class {
    let color = || vec![Value::Float(1.0), Value::Float(0.5), Value::Int(1), Value::Float(1.0)];
    let mut entries = vec![
        Entry::Array("ambient".to_owned(), color()),
        Entry::Value("specularPower".to_owned(), Value::Int(60)),
        value("PixelShaderID", "Super"),
    ];
    if !surface.is_empty() {
        entries.push(value("surfaceInfo", surface));
    }
    for (index, texture) in textures.iter().enumerate() {
        let transform = class("uvTransform", "", [Entry::Array("aside".to_owned(), color())]);
        let stage = [value("texture", texture), value("uvSource", "tex"), transform];
        entries.push(class(&format!("Stage{}", index + 1), "", stage));
    }
    root(entries)
}

/// Every kind of entry and value.
pub fn everything() -> Class {
    let nested = vec![
        text("a\nb"),
        Value::Array(vec![Value::Int(-1), Value::Array(Vec::new()), Value::Array(vec![text(r"own\inner.paa")])]),
        Value::Long(1 << 40),
        Value::Float(-0.25),
    ];
    let many = (0..200).map(Value::Int).collect();
    let house = [
        value("model", r"own\house"),
        value("displayName", "House \u{e9}"),
        value("picture", r"\own\data\icon.PAA"),
        Entry::Array("hiddenSelections".to_owned(), texts(&["camo", "camo.paa"])),
        Entry::Array(
            "hiddenSelectionsTextures".to_owned(),
            texts(&["#(argb,8,8,3)color(1,1,1,1)", r"own\data\camo", ""]),
        ),
        Entry::Array("hiddenSelectionsMaterials".to_owned(), texts(&[r"own\data\camo.rvmat"])),
        Entry::Append("sounds".to_owned(), vec![text(r"own\data\door.ogg"), Value::Float(1.0)]),
        Entry::Value("cost".to_owned(), Value::Expression(b"1 + 2".to_vec())),
        class("Doors", "Doors", [Entry::Delete("Door1".to_owned()), class("Door2", "", [])]),
    ];
    let vehicles = [Entry::Extern("Base".to_owned()), class("House", "Base", house), class("Shed", "house", [])];
    root([
        class("CfgVehicles", "", vehicles),
        Entry::Array("nested".to_owned(), nested),
        Entry::Array("many".to_owned(), many),
        class("CfgEmpty", "", []),
    ])
}

/// Classes inside each other.
pub fn deep(depth: usize) -> Class {
    (0..depth).fold(root([]), |inner, _| root([Entry::Class("c".to_owned(), inner)]))
}

/// Arrays inside each other, the outermost not counted.
pub fn deep_array(depth: usize) -> Class {
    let items = (0..depth).fold(vec![Value::Int(1)], |inner, _| vec![Value::Array(inner)]);
    root([Entry::Array("a".to_owned(), items)])
}

/// Files for `corpus/rap`.
pub fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    let names: [&str; 3] =
        [r"own\data\house_nohq.paa", "#(argb,8,8,3)color(0.5,0.5,0.5,1,DT)", r"own\data\house_smdi.tga"];
    vec![
        ("everything.bin", file(&everything(), &[("ONE", 1), ("TWO", 2)]).to_vec()),
        ("material.rvmat", file(&material(&names, r"own\data\wood.bisurf"), &[]).to_vec()),
        ("empty.bin", file(&root([]), &[]).to_vec()),
        // As deep as is read.
        ("deep.bin", file(&deep(64), &[]).to_vec()),
        ("deep_array.bin", file(&deep_array(63), &[]).to_vec()),
    ]
}

/// Damaged configs for `corpus/hostile`.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let sound = file(&root([value("first", "text"), class("A", "", [value("last", "text")])]), &[]);
    let array = file(&root([Entry::Array("a".to_owned(), texts(&["b"]))]), &[]);
    let set = |name, value: u32| sound.clone().set(name, value.to_le_bytes()).to_vec();
    let end = sound.at("enum_count");
    let mut endless = sound.to_vec();
    endless[sound.at("end") - 1..].iter_mut().for_each(|byte| *byte |= b'x');
    // Two classes whose bodies are one, twenty times.
    let mut shared = Bytes::new().raw(b"\0raP").u32(0).u32(8).u32(0);
    for _ in 0..20 {
        let next = shared.len() as u32 + 20;
        shared = shared.raw(b"\0\x02").raw(b"\0a\0").u32(next).raw(b"\0b\0").u32(next).u32(next);
    }
    let enums = shared.len() as u32 + 6;
    let shared = shared.raw(b"\0\0").u32(0).u32(0).to_vec();
    let shared = [&shared[..12], &enums.to_le_bytes(), &shared[16..]].concat();
    vec![
        ("rap_flashpoint.bin", set("zero", 4)),
        ("rap_zero.bin", set("zero", 9)),
        ("rap_version.bin", set("version", 7)),
        ("rap_enums.bin", set("enums", u32::MAX)),
        ("rap_enums_early.bin", set("enums", 15)),
        ("rap_enum_count.bin", set("enum_count", u32::MAX)),
        // A class that is in itself, one whose body starts in the header, and one after the end.
        ("rap_loop.bin", set("address", 16)),
        ("rap_in_header.bin", set("address", 8)),
        ("rap_address.bin", set("address", end as u32 + 4)),
        ("rap_shared.bin", shared),
        ("rap_deep.bin", file(&deep(65), &[]).to_vec()),
        ("rap_deep_array.bin", file(&deep_array(64), &[]).to_vec()),
        ("rap_value_type.bin", sound.clone().set("type", [5]).to_vec()),
        ("rap_array_value.bin", sound.clone().set("type", [3]).to_vec()),
        ("rap_entry_kind.bin", sound.clone().set("kind", [6]).to_vec()),
        ("rap_count.bin", sound.clone().set("count", [0x7f]).to_vec()),
        ("rap_long_count.bin", sound.clone().set("count", [0xff; 5]).to_vec()),
        ("rap_large_count.bin", sound.clone().set("count", [0xff, 0xff, 0xff, 0xff, 0x1f]).to_vec()),
        ("rap_array_count.bin", array.clone().set("array", [0x7f]).to_vec()),
        // No NUL after the start of the last text.
        ("rap_endless_text.bin", endless),
        ("rap_end.bin", set("end", 16)),
        ("rap_gap.bin", gap(&sound)),
        ("rap_bytes_after.bin", sound.clone().raw("left over").to_vec()),
        ("rap_cut.bin", sound.to_vec()[..end + 2].to_vec()),
    ]
}

/// The config with unused bytes before the enums.
fn gap(sound: &Bytes) -> Vec<u8> {
    let (bytes, at) =
        (sound.clone().set("enums", (sound.at("enum_count") as u32 + 4).to_le_bytes()), sound.at("enum_count"));
    let bytes = bytes.to_vec();
    [&bytes[..at], b"gap!", &bytes[at..]].concat()
}
