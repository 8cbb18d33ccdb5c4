//! Promises of the reader of binary configs, and of that of configs as text.

use std::collections::BTreeMap;

use meshpeek::dissect::{LineKind, dissect};
use meshpeek::rap::text::{Ask, EventKind, Reader, Way};
use meshpeek::rap::{Config, Entry};
use meshpeek::summary::{Code, Problems, ReferenceKind};
use meshpeek::{Asset, ErrorKind, Format, Inspect, Limits};

use crate::memory::usage_of;
use crate::support::files::outside;
use crate::support::mutate::{Random, Source};
use crate::writer::rap::{
    self, Value, as_text, breadth_first, class, corpus, everything, file, hostile, root, text, value,
};

#[path = "../../fuzz/src/rap.rs"]
pub mod fuzz;
#[path = "../../fuzz/src/config_macros.rs"]
mod fuzz_macros;
#[path = "../../fuzz/src/config_text.rs"]
pub mod fuzz_text;

/// Counts of another reader: classes, extern classes, deletes, values, arrays, appends, files and procedural textures.
/// Then the names of the shader, the surface and the textures.
#[derive(Debug, Default, PartialEq)]
struct Facts {
    counts: [u64; 8],
    named: [String; 3],
}

impl Facts {
    /// Counts a text under a key.
    fn add(&mut self, key: &str, text: &str) {
        use meshpeek::rap::kind_of;
        let key = key.to_lowercase();
        if let Some(index) = ["pixelshaderid", "surfaceinfo"].iter().position(|known| *known == key) {
            self.named[index] = text.to_owned();
        }
        if key == "texture" && !text.is_empty() {
            let bar = if self.named[2].is_empty() { "" } else { "|" };
            self.named[2] += &format!("{bar}{text}");
        }
        // The other reader knows no paths without an extension.
        let is_bare = kind_of(key.as_bytes(), b"word").is_none() && kind_of(b"scope", text.as_bytes()).is_none();
        if !is_bare && kind_of(key.as_bytes(), text.as_bytes()).is_some() {
            self.counts[if text.starts_with("#(") { 7 } else { 6 }] += 1;
        }
    }

    fn of_binary(bytes: &[u8]) -> Self {
        let mut facts = Self::default();
        let config = Config::parse(bytes).unwrap();
        for step in config.classes() {
            for entry in step.unwrap().class.entries() {
                let place = match entry {
                    Entry::Class(_) => 0,
                    Entry::Extern(_) => 1,
                    Entry::Delete(_) => 2,
                    Entry::Value(_) => 3,
                    Entry::Array(_) => 4,
                    Entry::Append(_) => 5,
                    other => panic!("{other:?}"),
                };
                facts.counts[place] += 1;
                entry.texts().for_each(|text| facts.add(&entry.name().to_text_lossy(), &text.to_text_lossy()));
            }
        }
        let counts = config.summarize().counts;
        let own = ["classes", "values", "arrays"].map(|name| counts.get(name).unwrap());
        let [classes, _, _, values, arrays, appends, ..] = facts.counts;
        assert_eq!(own, [classes, values, arrays + appends]);
        facts
    }

    fn of_text(bytes: &[u8]) -> Self {
        let mut facts = Self::default();
        for event in Reader::new(bytes) {
            let place = match &event.kind {
                EventKind::Class { .. } => 0,
                EventKind::Extern(_) => 1,
                EventKind::Delete(_) => 2,
                EventKind::Value(..) => 3,
                EventKind::Array(_, false) => 4,
                EventKind::Array(_, true) => 5,
                _ => 8,
            };
            facts.counts.iter_mut().skip(place).take(1).for_each(|count| *count += 1);
            if let EventKind::Value(key, value) | EventKind::Item(key, value) = &event.kind {
                facts.add(&key.to_text_lossy(), &String::from_utf8_lossy(&value.text));
            }
        }
        facts
    }
}

#[test]
fn other_peoples_configs_read_as_another_reader_reads_them() {
    let Some(folder) = outside().map(|folder| folder.join("rap")).filter(|folder| folder.is_dir()) else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let mut checked = 0;
    for row in lines {
        let row: BTreeMap<_, _> = header.iter().copied().zip(row).collect();
        let bytes = std::fs::read(folder.join(row["file"])).unwrap();
        let is_text = row["form"] == "Text";
        let facts = if is_text { Facts::of_text(&bytes) } else { Facts::of_binary(&bytes) };
        let keys = ["classes", "extern", "deletes", "values", "arrays", "appends", "file_refs", "proc_refs"];
        let named =
            ["shader", "surface", "textures"].map(|key| row[key]).map(|text| if text == "-" { "" } else { text });
        let mut expected = Facts { counts: keys.map(|key| row[key].parse().unwrap()), named: named.map(str::to_owned) };
        // The table gives these of materials alone.
        let mut facts = facts;
        if !row["file"].ends_with(".rvmat") {
            (facts.named, expected.named) = Default::default();
        }
        assert_eq!(facts, expected, "{}", row["file"]);
        assert_eq!(bytes.len().to_string(), row["size"]);
        if !is_text {
            assert_eq!(verify(&bytes), Vec::<String>::new(), "{}", row["file"]);
            crate::any::run(&bytes);
        }
        checked += 1;
    }
    assert!(checked > 20);
}

fn line(code: Code, offset: Option<u64>, message: &str) -> String {
    format!("{code} at {:#x}: {message}", offset.unwrap_or(u64::MAX))
}

fn verify(bytes: &[u8]) -> Vec<String> {
    match Config::parse(bytes) {
        Ok(config) => {
            let mut problems = Problems::new(&Limits::default());
            config.verify(&mut problems);
            problems
                .into_vec()
                .into_iter()
                .map(|problem| line(problem.code, problem.offset, &problem.message))
                .collect()
        }
        Err(error) => vec![line(error.code(), error.offset(), &error.message())],
    }
}

#[test]
fn every_entry_and_value_is_read() {
    let bytes = file(&everything(), &[("ONE", 1), ("TWO", 2)]).to_vec();
    assert_eq!(Format::sniff(&bytes), Some(Format::Rap));
    let config = Config::parse(&bytes).unwrap();
    let classes: Vec<_> = config.classes().map(Result::unwrap).collect();
    let seen: Vec<_> = classes.iter().map(|step| (step.depth, step.outer, step.class.name.to_string())).collect();
    let expected = [
        (0, None, ""),
        (1, Some(0), "CfgVehicles"),
        (2, Some(1), "House"),
        (3, Some(2), "Doors"),
        (4, Some(3), "Door2"),
        (2, Some(1), "Shed"),
        (1, Some(0), "CfgEmpty"),
    ];
    assert_eq!(seen, expected.map(|(depth, outer, name)| (depth, outer, name.to_owned())));
    assert_eq!((classes[2].class.parent, classes[2].class.len()), ("Base".into(), 9));
    let nested = classes[0].class.entries().nth(1).unwrap().array().unwrap();
    let items: Vec<_> = nested.items().map(|item| (item.depth, format!("{:?}", item.value))).collect();
    let shown = [
        (0, "Text(\"a\\nb\")"),
        (0, "Array(3)"),
        (1, "Int(-1)"),
        (1, "Array(0)"),
        (1, "Array(1)"),
        (2, "Text(\"own\\inner.paa\")"),
        (0, "Long(1099511627776)"),
        (0, "Float(-0.25)"),
    ];
    assert_eq!(items, shown.map(|(depth, text)| (depth, text.to_owned())));
    let enums: Vec<_> = config.enums().unwrap().iter().map(|one| (one.name.to_string(), one.value)).collect();
    assert_eq!(enums, [("ONE".to_owned(), 1), ("TWO".to_owned(), 2)]);
    let summary = config.summarize();
    assert_eq!(summary.problems, []);
    let counts: Vec<_> = summary.counts.iter().collect();
    assert_eq!(counts, [("classes", Some(6)), ("values", Some(4)), ("arrays", Some(6))]);
    use ReferenceKind::{File, Material, Model, Texture};
    let references: Vec<_> = summary.references.iter().map(|one| (one.kind, one.name.text.as_str())).collect();
    assert_eq!(
        references,
        [
            (Texture, r"own\inner.paa"),
            (Model, r"own\house"),
            (Texture, r"\own\data\icon.PAA"),
            (Texture, "camo.paa"),
            (Texture, "#(argb,8,8,3)color(1,1,1,1)"),
            (Texture, r"own\data\camo"),
            (Material, r"own\data\camo.rvmat"),
            (File, r"own\data\door.ogg"),
        ]
    );
    assert_eq!(config.summarize_header().counts.iter().filter_map(|(_, count)| count).count(), 0);
}

/// Each rule of the format, broken once.
#[test]
fn each_check_reports_its_fault() {
    let expected = [
        ("flashpoint", "unsupported at 0x4: raP of Operation Flashpoint (version 4), only version 8 is read"),
        ("zero", "damaged at 0x4: 9 after the signature, not 0"),
        ("version", "unsupported at 0x8: raP of version 7, only 8 is known"),
        ("enums", "damaged at 0xc: enum_address: address 0xffffffff is not from 0x10 to 0x3c"),
        ("enums_early", "damaged at 0xc: enum_address: address 0xf is not from 0x10 to 0x3c"),
        ("enum_count", "damaged.truncated at 0x40: enums: "),
        ("loop", "damaged at 0x22: classes[0].entries[1].address: address 0x10 is not between 0x10 and 0x40"),
        ("in_header", "damaged at 0x22: classes[0].entries[1].address: address 0x8 "),
        ("address", "damaged at 0x22: classes[0].entries[1].address: address 0x40 "),
        ("shared", "damaged at 0x18c: classes[22]: the classes so far take more bytes than the file"),
        ("deep", "limit at "),
        ("deep_array", "damaged at 0x94: classes[0].entries[0].items[63]: arrays in arrays deeper than 64"),
        ("value_type", "damaged at 0x33: classes[1].entries[0].value: value of unknown type 5"),
        ("array_value", "damaged at 0x2d: classes[1].entries[0].value_type: an array as value"),
        ("entry_kind", "damaged at 0x2c: classes[1].entries[0].kind: entry of unknown kind 6"),
        ("count", "damaged.truncated at 0x2c: classes[1].entry_count: needs 254 bytes"),
        ("long_count", "damaged at 0x2b: classes[1].entry_count: count of more than 5 bytes"),
        ("large_count", "damaged at 0x2b: classes[1].entry_count: count above 32 bits"),
        ("array_count", "damaged.truncated at 0x16: classes[0].entries[0].items: needs 254 bytes"),
        ("endless_text", "damaged at 0x33: classes[1].entries[0].value: text without its closing NUL"),
        ("end", "suspicious.order at 0x38: classes[1].end: 0x10 is not 0x3c, where the class ends"),
        ("gap", "suspicious.order at 0xc: enum_address: the classes end at 0x3c, the enums start at 0x40"),
        ("bytes_after", "suspicious.trailing at 0x40: 9 bytes after the enums"),
        ("cut", "damaged at 0xc: enum_address: "),
    ];
    let hostile: Vec<_> = hostile();
    assert_eq!(hostile.len(), expected.len());
    let mut wrong = Vec::new();
    for ((name, bytes), (short, message)) in hostile.iter().zip(expected) {
        assert_eq!(*name, format!("rap_{short}.bin"));
        let problems = verify(bytes);
        if !problems.iter().any(|problem| problem.starts_with(message)) {
            wrong.push(format!("{name}: {problems:#?}, not {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let error = Config::parse(&hostile[0].1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)));
}

#[test]
fn classes_may_be_laid_out_breadth_first() {
    let nested = file(&everything(), &[]).to_vec();
    let flat = breadth_first(&everything()).to_vec();
    assert_eq!(nested.len(), flat.len());
    assert_ne!(nested, flat);
    let [expected, found] = [&nested, &flat].map(|bytes| Config::parse(bytes).unwrap());
    let names = |config: &Config<'_>| {
        config
            .classes()
            .map(|step| step.map(|step| (step.depth, step.class.name.to_string())).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&found), names(&expected));
    let [expected, found] = [expected, found].map(|config| config.summarize());
    assert!(found.counts.iter().eq(expected.counts.iter()));
    assert_eq!((found.references, found.problems), (expected.references, expected.problems));
    assert_eq!(verify(&flat), [""; 0]);
    // No byte is left out.
    let mut gaps = 0;
    dissect(&Config::parse(&flat).unwrap(), flat.len() as u64, &mut |line| {
        gaps += usize::from(line.kind == LineKind::Gap)
    });
    assert_eq!(gaps, 0);
    fuzz::run(&flat);
    // A hole before the last body moves it.
    let last = Config::parse(&flat).unwrap().classes().map(|step| step.unwrap().class.offset()).max().unwrap() as usize;
    let mut moved = flat.clone();
    moved.splice(last..last, [0; 3]);
    let address = flat.windows(4).position(|bytes| *bytes == (last as u32).to_le_bytes()).unwrap();
    moved[address..address + 4].copy_from_slice(&(last as u32 + 3).to_le_bytes());
    let enums = u32::from_le_bytes(moved[12..16].try_into().unwrap()) + 3;
    moved[12..16].copy_from_slice(&enums.to_le_bytes());
    let found = verify(&moved);
    assert!(found.iter().any(|line| line.contains(&format!("the body is not at {last:#x}, right after"))), "{found:?}");
    fuzz::run(&moved);
}

/// A class with a wrong address hides what is inside it, and no class after it.
#[test]
fn a_wrong_address_of_a_class_hides_no_other() {
    let sound = file(&everything(), &[]).to_vec();
    let classes = |bytes: &[u8]| {
        let mut found = Vec::new();
        for step in Config::parse(bytes).unwrap().classes().flatten() {
            found.push((step.depth, step.class.name.to_string()));
        }
        found
    };
    let all = classes(&sound);
    let mut places = Vec::new();
    dissect(&Config::parse(&sound).unwrap(), sound.len() as u64, &mut |line| {
        if line.kind == LineKind::Field && line.name == "address" {
            places.push(line.span.unwrap().offset as usize);
        }
    });
    assert!(places.len() > 3, "{places:?}");
    let mut siblings = 0;
    for place in places {
        let mut bytes = sound.clone();
        bytes[place..place + 4].fill(0);
        let found = classes(&bytes);
        let first = all.iter().zip(&found).take_while(|(one, other)| one == other).count();
        // Those inside it are deeper.
        let inside = all[first + 1..].iter().take_while(|(depth, _)| *depth > all[first].0).count();
        let after = &all[first + 1 + inside..];
        assert_eq!(&found[first..], after, "at {place:#x}");
        siblings += after.len();
    }
    assert!(siblings > 3, "{siblings}");
}

#[test]
fn a_wrong_address_of_the_enums_hides_nothing_else() {
    let sound = file(&everything(), &[("ONE", 1)]).to_vec();
    let expected = Config::parse(&sound).unwrap().summarize();
    for address in [0_u32, 0xf, u32::MAX] {
        let mut bytes = sound.clone();
        bytes[12..16].copy_from_slice(&address.to_le_bytes());
        let config = Config::parse(&bytes).unwrap();
        let found = config.summarize();
        assert!(found.counts.iter().eq(expected.counts.iter()));
        assert_eq!(found.references, expected.references);
        assert!(config.enums().is_err());
        assert_eq!(found.problems.len(), 1);
        assert!(found.problems[0].message.starts_with("enum_address: address "), "{:?}", found.problems);
        // Damage after it is named as well.
        let last = bytes.len() - 60;
        bytes[last..].fill(0xee);
        assert!(verify(&bytes).len() > 1);
    }
}

#[test]
fn every_truncation_of_small_files_is_reported() {
    for (name, bytes) in corpus() {
        for end in 0..bytes.len() {
            let problems = verify(&bytes[..end]);
            assert!(!problems.is_empty(), "{name} cut at {end}");
        }
        for end in (0..bytes.len()).filter(|end| bytes.len() < 500 || end % 97 == 0) {
            crate::any::run(&bytes[..end]);
        }
    }
}

#[test]
fn mutated_files_are_read_without_harm() {
    let sources: Vec<_> = corpus().into_iter().map(|(_, bytes)| Source::new(bytes)).collect();
    let mut random = Random(0x7261_7000);
    for round in 0..20_000 {
        let (a, b) = (random.below(sources.len()), random.below(sources.len()));
        let bytes = sources[a].mutated(&sources[b], &mut random);
        let problems = verify(&bytes);
        assert!(problems.len() <= 1001);
        if round % 20 == 0 {
            fuzz::run(&bytes);
        }
    }
}

#[test]
fn mutated_texts_and_recipes_are_read_without_harm() {
    let texts: Vec<_> = [TEXT.to_owned(), as_text(&everything()), as_text(&rap::material(&["a.paa"], "b"))]
        .into_iter()
        .map(|text| Source::new(text.into_bytes()))
        .collect();
    let mut random = Random(0x7465_7874);
    for round in 0..20_000 {
        let (a, b) = (random.below(texts.len()), random.below(texts.len()));
        fuzz_text::run(&texts[a].mutated(&texts[b], &mut random));
        if round % 10 == 0 {
            let choices: Vec<u8> = (0..200).map(|_| random.next() as u8).collect();
            fuzz::run(&choices);
            fuzz_text::run(&choices);
        }
    }
}

/// Comments, macros, includes, conditions, texts in several parts, arrays in arrays, and missing ends.
pub const TEXT: &str = r##"// mikero's "first" line
#include "script_component.hpp"
#define LONG(a) \
    texture = "never.paa"; \
    model = "never.p3d"
/* texture = "nor.paa"; */
class CfgVehicles {
    class Base;
    class GVAR(House): Base { // House
        model = "\own\house";
        author = "It's" \n " ""me""";
        picture = QPATHTOF(data\icon.paa);
        icon = QUOTE(QPATHTOEF(other,data\icon_ca.paa));
        hiddenSelections[] = {"camo"};
        hiddenSelectionsTextures[] = {QPATHTOF(data\camo_co), "#(argb,8,8,3)color(1,1,1,1)", {"deep"}};
        hiddenSelectionsMaterials[] += {"a.rvmat", MATERIAL(b.rvmat)};
        #ifdef ONE
        texture = TEXTURE;
        #else
        texture = a\b.tga
        #endif
        MACRO(data\called.paa);
        scope = 2; cost = 1e3;
        sound[] = {"own\door.ogg", 1, 2,};
        class Nested { items[] = { #include "items.hpp"
            1 }; };
    };
    delete Old;
};
"##;

fn asks(text: &str) -> Vec<(u32, u32, &'static str, String, Way)> {
    let ask = |Ask { line, column, kind, name, way, .. }: Ask<'_>| {
        (line, column, kind.name(), String::from_utf8(name.into_owned()).unwrap(), way)
    };
    Reader::new(text.as_bytes()).filter_map(|event| event.ask()).map(ask).collect()
}

#[test]
fn a_text_names_files_with_line_and_column() {
    let below = |path: &str| Way::Built { addon: None, is_below: true, path: path.into() };
    let other = Way::Built { addon: Some(b"other".to_vec()), is_below: true, path: br"data\icon_ca.paa".to_vec() };
    let expected = [
        (2, 1, "include", "script_component.hpp", Way::Include),
        (10, 17, "model", r"\own\house", Way::Path),
        (12, 19, "texture", r"QPATHTOF(data\icon.paa)", below(r"data\icon.paa")),
        (13, 16, "texture", r"QUOTE(QPATHTOEF(other,data\icon_ca.paa))", other),
        (15, 39, "texture", r"QPATHTOF(data\camo_co)", below(r"data\camo_co")),
        (15, 63, "texture", "#(argb,8,8,3)color(1,1,1,1)", Way::Path),
        (15, 95, "texture", "deep", Way::Path),
        (16, 41, "material", "a.rvmat", Way::Path),
        (16, 52, "material", "MATERIAL(b.rvmat)", Way::Unresolved),
        (18, 19, "texture", "TEXTURE", Way::Unresolved),
        (20, 19, "texture", r"a\b.tga", Way::Path),
        (22, 9, "texture", r"MACRO(data\called.paa)", Way::Unresolved),
        (24, 20, "file", r"own\door.ogg", Way::Path),
        (25, 36, "include", "items.hpp", Way::Include),
    ];
    let expected = expected.map(|(line, column, kind, name, way)| (line, column, kind, name.to_owned(), way));
    assert_eq!(asks(TEXT), expected);
    let crlf = TEXT.replace('\n', "\r\n");
    assert_eq!(asks(&crlf), expected);
    let facts = Facts::of_text(TEXT.as_bytes());
    assert_eq!(facts.counts[..6], [3, 1, 1, 8, 4, 1]);
    let author = Reader::new(TEXT.as_bytes()).find_map(|event| match event.kind {
        EventKind::Value(key, value) if key == "author" => Some(value.text.into_owned()),
        _ => None,
    });
    assert_eq!(author.unwrap(), b"It's\n \"me\"");
}

#[test]
fn a_text_that_is_no_config_names_nothing() {
    for text in ["modded class A { string m = \"a.paa\"; }", "{ \"a\": \"b.paa\" }", "\"a.paa\"", "some words.paa"] {
        assert_eq!(asks(text), [], "{text}");
    }
    for text in ["", "// class", "\u{feff}texture = \"a.paa\";", "MACRO(x)\ntexture = \"a.paa\";", "a[]={\"a.paa\"}"] {
        assert!(asks(text).len() <= 1, "{text}");
        assert_eq!(asks(text).len() == 1, text.contains("a.paa"), "{text}");
    }
}

#[test]
fn a_missing_token_hides_little() {
    for (text, count) in [
        ("class A { texture = \"a.paa\" }; texture = \"b.paa\";", 2),
        ("x[] = {\"a.paa\"; texture = \"b.paa\";", 2),
        ("texture = \"a.paa\n texture = \"b.paa\";", 2),
        ("x = F(a; texture = \"c.paa\";\ntexture = \"b.paa\";\ny = \"d.paa\";", 2),
        ("class A { } } } texture = \"b.paa\";", 1),
        ("#define", 0),
        ("#include", 0),
        ("x[", 0),
        ("class", 0),
    ] {
        assert_eq!(asks(text).len(), count, "{text}: {:?}", asks(text));
    }
}

/// Texts made to take long: each must take a time in proportion to its size.
#[test]
fn hostile_texts_take_linear_time_and_no_memory() {
    for unit in ["(", "x=(", "\"", "x[]={", "/*", "#\\\n", "QUOTE(", "x=QUOTE(", "\" \\n ", "class a{", "x=a/b/", "}"] {
        let bytes = ["class A;", &unit.repeat((1 << 20) / unit.len())].concat();
        let start = std::time::Instant::now();
        let (count, usage) = usage_of(|| Reader::new(bytes.as_bytes()).filter_map(|event| event.ask()).count());
        assert!(start.elapsed().as_secs() < 20, "{unit}: {:?}", start.elapsed());
        assert!(count <= bytes.len() && usage.peak < 8 << 20, "{unit}: {usage:?}");
    }
}

#[test]
fn a_config_that_names_a_million_files_is_cut_at_the_limit() {
    let items = (0..1_000_000).map(|index| text(&format!("{index}.paa"))).collect();
    let bytes = file(&root([rap::Entry::Array("a".to_owned(), items)]), &[]).to_vec();
    let start = std::time::Instant::now();
    let summary = Config::parse(&bytes).unwrap().summarize();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert_eq!(summary.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::ReferenceBytesLimit]);
    let limits = Limits::default();
    assert!(summary.references.len() as u64 * 64 <= limits.reference_bytes);
}

#[test]
fn reading_a_config_allocates_little() {
    let many = (0..2_000).map(|index| class(&format!("C{index}"), "", [value("a", "b")])).collect::<Vec<_>>();
    let bytes = file(&root(many), &[]).to_vec();
    let (count, usage) = usage_of(|| {
        let config = Config::parse(&bytes).unwrap();
        config.classes().map(|step| step.unwrap().class.entries().count()).sum::<usize>()
    });
    assert_eq!(count, 4_000);
    assert!(usage.peak < 4 << 10, "{usage:?}");
}

/// The places of bodies in another order take memory, which is limited.
#[test]
fn the_order_of_bodies_takes_limited_memory() {
    let many = (0..20_000).map(|_| class("C", "", [])).collect::<Vec<_>>();
    let bytes = breadth_first(&root(many)).to_vec();
    let limits = Limits::default().with_decoded_bytes(100_000);
    let config = Config::parse_with(&bytes, &limits).unwrap();
    let (summary, usage) = usage_of(|| config.summarize());
    assert_eq!(summary.counts.get("classes"), Some(20_000));
    assert_eq!(summary.problems.len(), 1, "{:?}", summary.problems);
    assert_eq!(summary.problems[0].code, Code::DecodedBytesLimit);
    assert!(usage.peak < 100_000, "{usage:?}");
    let mut lines = 0;
    let ((), usage) = usage_of(|| dissect(&config, bytes.len() as u64, &mut |_| lines += 1));
    assert!(lines > 20_000 && usage.peak < 200_000, "{lines} {usage:?}");
    // Within the limits there is no problem, and no byte is left out.
    let config = Config::parse(&bytes).unwrap();
    let (summary, usage) = usage_of(|| config.summarize());
    assert_eq!(summary.problems, []);
    assert!(usage.peak < 20_001 * 32 + (8 << 10), "{usage:?}");
}

#[test]
fn both_forms_of_a_config_name_the_same_files() {
    let config = everything();
    let bytes = file(&config, &[]).to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    let of_binary: Vec<_> = asset.summarize().references.into_iter().map(|one| one.name.text).collect();
    let of_text: Vec<_> = asks(&as_text(&config)).into_iter().map(|(.., name, _)| name).collect();
    let both = |names: Vec<String>| names.into_iter().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(both(of_text), both(of_binary));
    let array = rap::Entry::Array("x".to_owned(), vec![Value::Array(vec![text("y.paa")])]);
    assert_eq!(asks(&as_text(&root([array]))).len(), 1);
}

/// Random texts of pieces of macros, as the fuzz target has them.
#[test]
fn random_macros_are_resolved_within_the_limits() {
    let pieces = [
        "#define ",
        "#undef ",
        "#include \"a.hpp\"\n",
        "#include \"b.hpp\"\n",
        "#ifdef A\n",
        "A",
        "B",
        "C(",
        "(x,y)",
        "(x)",
        ")",
        ",",
        "x",
        "##",
        "#",
        "\"",
        "\\",
        "\\\n",
        "\n",
        " ",
        "\0",
        "model = ",
        "icon[] = {",
        "};",
        ";",
        "class D {",
        "a.paa",
        "\\m\\a.paa",
        "QPATHTOF(",
    ];
    let mut random = Random(7);
    for _ in 0..20_000 {
        let count = 3 + random.below(40);
        let text: String = (0..count).map(|_| pieces[random.below(pieces.len())]).collect();
        fuzz_macros::run(text.as_bytes());
    }
}
