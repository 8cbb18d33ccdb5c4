//! Binary configs written as text: what is read back is what was stored.

use std::io::{self, Write};
use std::process::Command;

use meshpeek::rap::text::{EventKind, Reader, Scalar, to_binary};
use meshpeek::rap::{Config, Entry as Stored, Value as StoredValue};
use meshpeek::summary::{Code, Problems};
use meshpeek::{Budget, Error, ErrorKind, Inspect, Limits, Result};

use crate::memory::usage_of;
use crate::support::files::{below, outside, root as repository};
use crate::support::mutate::{Random, Source};
use crate::support::program::Folder;
use crate::writer::rap::{
    Class, Entry, Value, breadth_first, class, corpus, deep, deep_array, everything, file, hostile, root, value,
};

/// Writes the config as text, and returns also what went wrong.
fn try_written(bytes: &[u8], limits: &Limits) -> (Vec<u8>, Result<()>) {
    let mut text = Vec::new();
    let budget = Budget::new(bytes.len() as u64, limits);
    let result = Config::parse_with(bytes, limits).and_then(|config| config.write_text(&mut text, &budget));
    (text, result)
}

fn written(bytes: &[u8]) -> Vec<u8> {
    let (text, result) = try_written(bytes, &Limits::default());
    result.unwrap();
    text
}

/// A name as text. Bytes that are not UTF-8 are replaced in the same way on both sides.
fn plain(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// The classes of a binary config, as the reader of the library finds them.
fn stored(bytes: &[u8]) -> Class {
    let steps: Vec<_> = Config::parse(bytes).unwrap().classes().map(Result::unwrap).collect();
    let mut inner = vec![Vec::new(); steps.len()];
    for step in &steps {
        if let Some(outer) = step.outer {
            inner[outer].push(step.index);
        }
    }
    // Inner classes come after the class that contains them.
    let mut classes: Vec<Option<Class>> = vec![None; steps.len()];
    for step in steps.iter().rev() {
        let mut own = inner[step.index].iter();
        let mut entries = Vec::new();
        for entry in step.class.entries() {
            let name = plain(entry.name().as_bytes());
            entries.push(match entry {
                Stored::Class(_) => Entry::Class(name, classes[*own.next().unwrap()].take().unwrap()),
                Stored::Value(entry) => Entry::Value(name, stored_value(entry.value)),
                Stored::Array(entry) => Entry::Array(name, items(&mut entry.items.items().peekable(), 0)),
                Stored::Append(entry) => Entry::Append(name, items(&mut entry.items.items().peekable(), 0)),
                Stored::Extern(_) => Entry::Extern(name),
                Stored::Delete(_) => Entry::Delete(name),
                other => panic!("{other:?}"),
            });
        }
        classes[step.index] = Some(Class { parent: plain(step.class.parent.as_bytes()), entries });
    }
    classes[0].take().unwrap()
}

fn items(all: &mut std::iter::Peekable<meshpeek::rap::Items<'_>>, depth: usize) -> Vec<Value> {
    let mut found = Vec::new();
    while let Some(item) = all.next_if(|item| item.depth == depth) {
        found.push(match item.value {
            StoredValue::Array(_) => Value::Array(items(all, depth + 1)),
            value => stored_value(value),
        });
    }
    found
}

fn stored_value(value: StoredValue<'_>) -> Value {
    match value {
        StoredValue::Text(text) => Value::Text(text.as_bytes().to_vec()),
        StoredValue::Expression(text) => Value::Expression(text.as_bytes().to_vec()),
        StoredValue::Float(number) => Value::Float(number),
        StoredValue::Int(number) => Value::Int(number),
        // Text has no types: a small number has 32 bits.
        StoredValue::Long(number) => i32::try_from(number).map_or(Value::Long(number), Value::Int),
        other => panic!("{other:?}"),
    }
}

/// A strict reader of what is written, apart from that of the library, which knows no nested arrays and no enums.
struct Strict<'t> {
    rest: &'t [u8],
}

impl Strict<'_> {
    fn accept(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(word.as_bytes()) else { return false };
        self.rest = rest;
        true
    }

    fn expect(&mut self, word: &str) {
        assert!(self.accept(word), "{word:?} expected at {:?}", plain(&self.rest[..self.rest.len().min(80)]));
    }

    /// Takes the bytes before one of these.
    fn until(&mut self, ends: &[u8]) -> &[u8] {
        let end = self.rest.iter().position(|byte| ends.contains(byte)).unwrap();
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn name(&mut self) -> String {
        plain(self.until(b" :;[,\n"))
    }

    /// The entries of a class up to its end, which is not indented as deep.
    fn entries(&mut self, depth: usize) -> Vec<Entry> {
        let mut entries = Vec::new();
        let indent = "\t".repeat(depth);
        while !self.rest.is_empty() && self.rest.starts_with(indent.as_bytes()) && !self.rest.starts_with(b"enum {") {
            self.expect(&indent);
            if self.rest.starts_with(b"};") {
                break;
            }
            entries.push(self.entry(depth));
        }
        entries
    }

    fn entry(&mut self, depth: usize) -> Entry {
        // A value may have one of these names.
        let is_value = |word: &str| self.rest.starts_with(format!("{word} = ").as_bytes());
        let is_key = is_value("class") || is_value("delete");
        if !is_key && self.accept("class ") {
            let name = self.name();
            if self.accept(";\n") {
                return Entry::Extern(name);
            }
            let parent = if self.accept(": ") { self.name() } else { String::new() };
            let entries = if self.accept(" {};\n") {
                Vec::new()
            } else {
                self.expect(" {\n");
                let entries = self.entries(depth + 1);
                assert!(!entries.is_empty());
                self.expect(&"\t".repeat(depth));
                self.expect("};\n");
                entries
            };
            return Entry::Class(name, Class { parent, entries });
        }
        if !is_key && self.accept("delete ") {
            let name = self.name();
            self.expect(";\n");
            return Entry::Delete(name);
        }
        let name = self.name();
        let entry = if self.accept("[] = {") {
            Entry::Array(name, self.array())
        } else if self.accept("[] += {") {
            Entry::Append(name, self.array())
        } else {
            self.expect(" = ");
            Entry::Value(name, self.value())
        };
        self.expect(";\n");
        entry
    }

    fn array(&mut self) -> Vec<Value> {
        let mut items = Vec::new();
        while !self.accept("}") {
            if !items.is_empty() {
                self.expect(", ");
            }
            items.push(if self.accept("{") { Value::Array(self.array()) } else { self.value() });
        }
        items
    }

    fn value(&mut self) -> Value {
        if self.accept("\"") {
            let mut text = Vec::new();
            loop {
                text.extend_from_slice(self.until(b"\"\n"));
                self.expect("\"");
                if self.accept("\"") {
                    text.push(b'"');
                } else if self.accept(" \\n \"") {
                    text.push(b'\n');
                } else {
                    return Value::Text(text);
                }
            }
        }
        if self.rest.starts_with(b"__EVAL(") {
            let mut depth = 0;
            let mut is_text = false;
            let end = self.rest.iter().position(|byte| {
                is_text ^= *byte == b'"';
                depth += i32::from(*byte == b'(' && !is_text) - i32::from(*byte == b')' && !is_text);
                *byte == b')' && depth == 0
            });
            let (call, rest) = self.rest.split_at(end.unwrap() + 1);
            self.rest = rest;
            return unquoted(call);
        }
        unquoted(self.until(b",;}"))
    }

    fn enums(&mut self) -> Vec<(String, u32)> {
        let mut enums = Vec::new();
        if !self.accept("enum {") {
            return enums;
        }
        loop {
            self.expect("\n\t");
            let name = self.name();
            self.expect(" = ");
            enums.push((name, plain(self.until(b",\n")).parse().unwrap()));
            if !self.accept(",") {
                self.expect("\n};\n");
                return enums;
            }
        }
    }
}

/// A value without quotes.
fn unquoted(text: &[u8]) -> Value {
    if let Some(call) = text.strip_prefix(b"__EVAL(") {
        return Value::Expression(call.strip_suffix(b")").unwrap().to_vec());
    }
    let text = std::str::from_utf8(text).unwrap();
    if text.contains('.') {
        return Value::Float(text.parse().unwrap());
    }
    match text.parse() {
        Ok(number) => Value::Int(number),
        Err(_) => Value::Long(text.parse().unwrap()),
    }
}

/// The events that the reader of the library must find. It has the items of nested arrays in a row.
fn expected_events(class: &Class, out: &mut Vec<String>) {
    for entry in &class.entries {
        match entry {
            Entry::Class(name, inner) => {
                out.push(format!("class {name} of {}", inner.parent));
                expected_events(inner, out);
                out.push("end".to_owned());
            }
            Entry::Value(name, value) => out.push(format!("{name} = {value:?}")),
            Entry::Array(name, items) => {
                out.push(format!("array {name}"));
                expected_items(name, items, out);
            }
            Entry::Append(name, items) => {
                out.push(format!("append {name}"));
                expected_items(name, items, out);
            }
            Entry::Extern(name) => out.push(format!("extern {name}")),
            Entry::Delete(name) => out.push(format!("delete {name}")),
        }
    }
}

fn expected_items(name: &str, items: &[Value], out: &mut Vec<String>) {
    for item in items {
        match item {
            Value::Array(inner) => expected_items(name, inner, out),
            value => out.push(format!("item of {name}: {value:?}")),
        }
    }
}

fn events(text: &[u8]) -> Vec<String> {
    let scalar = |value: Scalar<'_>| {
        if value.is_quoted { Value::Text(value.text.into_owned()) } else { unquoted(&value.text) }
    };
    let line = |kind: EventKind<'_>| match kind {
        EventKind::Class { name, parent } => {
            format!(
                "class {} of {}",
                plain(name.as_bytes()),
                parent.map_or_else(String::new, |one| plain(one.as_bytes()))
            )
        }
        EventKind::End => "end".to_owned(),
        EventKind::Extern(name) => format!("extern {}", plain(name.as_bytes())),
        EventKind::Delete(name) => format!("delete {}", plain(name.as_bytes())),
        EventKind::Value(key, value) => format!("{} = {:?}", plain(key.as_bytes()), scalar(value)),
        EventKind::Array(key, false) => format!("array {}", plain(key.as_bytes())),
        EventKind::Array(key, true) => format!("append {}", plain(key.as_bytes())),
        EventKind::Item(key, value) => format!("item of {}: {:?}", plain(key.as_bytes()), scalar(value)),
        other => panic!("{other:?}"),
    };
    Reader::new(text).map(|event| line(event.kind)).collect()
}

/// Checks that a text has these classes and constants, by both readers.
fn check_text(text: &[u8], config: &Class, enums: &[(String, u32)]) {
    let mut strict = Strict { rest: text };
    let found = root(strict.entries(0));
    assert_eq!(format!("{found:?}"), format!("{config:?}"), "{}", plain(text));
    assert_eq!(strict.enums(), enums);
    assert!(strict.rest.is_empty(), "{}", plain(strict.rest));
    let mut expected = Vec::new();
    expected_events(config, &mut expected);
    assert_eq!(events(text), expected, "{}", plain(text));
    // Compiled again, it has the bytes of a packer.
    let enums: Vec<(&str, u32)> = enums.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let budget = Budget::new(text.len() as u64, &Limits::default());
    let binary = to_binary(text, &budget).unwrap();
    assert_eq!(binary.unread(), &[] as &[String]);
    let found = stored(binary.bytes());
    assert_eq!(format!("{found:?}"), format!("{config:?}"), "{}", plain(text));
    // The expected names have a mark for bytes that are not UTF-8.
    let is_replaced = format!("{config:?}{enums:?}").contains('\u{fffd}');
    assert!(is_replaced || binary.bytes() == file(config, &enums).to_vec(), "{}", plain(text));
}

/// Checks that the text of a binary config has all that is stored. Returns false if it has no text.
fn check_file(bytes: &[u8]) -> bool {
    let (text, result) = try_written(bytes, &Limits::default());
    if result.is_err() {
        return false;
    }
    let mut enums = Vec::new();
    for one in Config::parse(bytes).unwrap().enums().unwrap().iter() {
        enums.push((plain(one.name.as_bytes()), one.value));
    }
    check_text(&text, &stored(bytes), &enums);
    true
}

#[test]
fn every_kind_of_entry_and_value_has_its_text() {
    let long: Vec<String> = (0..200).map(|number: i32| number.to_string()).collect();
    let expected = format!(
        "class CfgVehicles {{
\tclass Base;
\tclass House: Base {{
\t\tmodel = \"own\\house\";
\t\tdisplayName = \"House \u{e9}\";
\t\tpicture = \"\\own\\data\\icon.PAA\";
\t\thiddenSelections[] = {{\"camo\", \"camo.paa\"}};
\t\thiddenSelectionsTextures[] = {{\"#(argb,8,8,3)color(1,1,1,1)\", \"own\\data\\camo\", \"\"}};
\t\thiddenSelectionsMaterials[] = {{\"own\\data\\camo.rvmat\"}};
\t\tsounds[] += {{\"own\\data\\door.ogg\", 1.0}};
\t\tcost = __EVAL(1 + 2);
\t\tclass Doors: Doors {{
\t\t\tdelete Door1;
\t\t\tclass Door2 {{}};
\t\t}};
\t}};
\tclass Shed: house {{}};
}};
nested[] = {{\"a\" \\n \"b\", {{-1, {{}}, {{\"own\\inner.paa\"}}}}, 1099511627776, -0.25}};
many[] = {{{}}};
class CfgEmpty {{}};
enum {{
\tONE = 1,
\tTWO = 4294967295
}};
",
        long.join(", ")
    );
    let bytes = file(&everything(), &[("ONE", 1), ("TWO", u32::MAX)]).to_vec();
    assert_eq!(String::from_utf8(written(&bytes)).unwrap(), expected);
    // Where the bodies are does not matter.
    let text = written(&breadth_first(&everything()).to_vec());
    assert_eq!(text, expected.split("enum").next().unwrap().as_bytes());
    assert_eq!(written(&file(&root([]), &[]).to_vec()), b"");
}

#[test]
fn the_files_of_the_corpus_read_back_as_they_are_stored() {
    for (name, bytes) in corpus() {
        assert!(check_file(&bytes), "{name}");
    }
    let mut folders = vec![repository().join("corpus/rap")];
    folders.extend(outside().map(|folder| folder.join("rap")).filter(|folder| folder.is_dir()));
    let mut checked = 0;
    for folder in &folders {
        for path in below(folder) {
            let bytes = std::fs::read(&path).unwrap();
            if bytes.starts_with(b"\0raP") {
                assert!(check_file(&bytes), "{}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked >= if folders.len() > 1 { 16 } else { 5 }, "{checked}");
}

/// Random configs.
struct Generator(Random);

impl Generator {
    fn pick<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.0.below(all.len())]
    }

    fn name(&mut self) -> String {
        let mut name = self.pick(&["a", "Z9", "_", "class", "delete", "enum", "\u{e9}", "0"]).to_owned();
        name += self.pick(&["", "b", "_c", "1"]);
        name
    }

    fn class(&mut self, depth: usize) -> Class {
        let parent = if depth > 0 && self.0.below(2) == 0 { self.name() } else { String::new() };
        let mut entries = Vec::new();
        for _ in 0..self.0.below(6) {
            let name = self.name();
            entries.push(match self.0.below(8) {
                0 | 1 if depth < 6 => Entry::Class(name, self.class(depth + 1)),
                2 => Entry::Array(name, self.items(0)),
                3 => Entry::Append(name, self.items(0)),
                4 => Entry::Extern(name),
                5 => Entry::Delete(name),
                _ => Entry::Value(name, self.value()),
            });
        }
        Class { parent, entries }
    }

    fn items(&mut self, depth: usize) -> Vec<Value> {
        let mut items = Vec::new();
        for _ in 0..self.0.below(5) {
            let is_array = depth < 6 && self.0.below(3) == 0;
            items.push(if is_array { Value::Array(self.items(depth + 1)) } else { self.value() });
        }
        items
    }

    fn value(&mut self) -> Value {
        let bits = self.0.next() >> 8;
        match self.0.below(5) {
            0 => Value::Int(bits as i32),
            1 => Value::Long(i64::from(i32::MAX) + 1 + bits as i64),
            2 => Value::Float(self.float(bits as u32)),
            3 => Value::Expression(self.pieces(&["1", " + ", "(a)", "\")\"", ";", "}", "\n", ",", "\u{e9}", "((b))"])),
            _ => {
                const PIECES: [&str; 18] = [
                    "\"", "\"\"", "\n", "\n\n", "\r\n", "\\n", " ", "a", "{", "}", ";", ",", "//", "/*", "(", "#",
                    "\t", "\u{e9}",
                ];
                let mut text = self.pieces(&PIECES);
                if self.0.below(8) == 0 {
                    text.extend_from_slice(b"\xff\x80\x01");
                }
                Value::Text(text)
            }
        }
    }

    fn pieces(&mut self, all: &[&str]) -> Vec<u8> {
        let mut text = Vec::new();
        for _ in 0..self.0.below(6) {
            text.extend_from_slice(self.pick(all).as_bytes());
        }
        text
    }

    fn float(&mut self, bits: u32) -> f32 {
        const SPECIAL: [f32; 8] =
            [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 16_777_216.0];
        let number = f32::from_bits(bits);
        if number.is_nan() || self.0.below(4) == 0 { SPECIAL[self.0.below(SPECIAL.len())] } else { number }
    }
}

#[test]
fn random_configs_read_back_as_they_were_written() {
    let mut generator = Generator(Random(0x7261_7074));
    let mut entries = 0;
    for _ in 0..3_000 {
        let config = generator.class(0);
        entries += config.entries.len();
        let enums: Vec<(String, u32)> =
            (0..generator.0.below(4)).map(|_| (generator.name(), generator.0.next() as u32)).collect();
        let stored_enums: Vec<(&str, u32)> = enums.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        check_text(&written(&file(&config, &stored_enums).to_vec()), &config, &enums);
        check_text(&written(&breadth_first(&config).to_vec()), &config, &[]);
    }
    assert!(entries > 5_000, "{entries}");
}

/// The program armake2, which the environment variable ARMAKE2 names.
fn armake2() -> Option<std::ffi::OsString> {
    let program = std::env::var_os("ARMAKE2");
    if program.is_none() {
        println!("skipped: ARMAKE2 does not name the program armake2");
    }
    program
}

/// Returns a config with only what armake2 can express: names of ASCII, numbers of 32 bits, texts of UTF-8 on one line.
fn narrowed(class: Class) -> Class {
    let name = |name: String| name.replace('\u{e9}', "e");
    let mut entries = Vec::new();
    for entry in class.entries {
        entries.push(match entry {
            Entry::Class(own, inner) => Entry::Class(name(own), narrowed(inner)),
            Entry::Value(own, value) => Entry::Value(name(own), narrow(value)),
            Entry::Array(own, items) => Entry::Array(name(own), items.into_iter().map(narrow).collect()),
            Entry::Append(own, items) => Entry::Append(name(own), items.into_iter().map(narrow).collect()),
            Entry::Extern(own) => Entry::Extern(name(own)),
            Entry::Delete(own) => Entry::Delete(name(own)),
        });
    }
    Class { parent: name(class.parent), entries }
}

fn narrow(value: Value) -> Value {
    match value {
        Value::Long(number) => Value::Int(number as i32),
        Value::Text(text) | Value::Expression(text) => {
            Value::Text(String::from_utf8_lossy(&text).replace(['\n', '\r'], " ").into_bytes())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(narrow).collect()),
        Value::Int(_) | Value::Float(_) => value,
    }
}

/// Returns true if armake2 can express all of the config.
fn is_narrow(class: &Class) -> bool {
    format!("{:?}", narrowed(class.clone())) == format!("{class:?}")
}

#[test]
fn armake2_packs_the_texts_to_the_same_configs() {
    let Some(armake2) = armake2() else { return };
    let folder = Folder::new("armake2");
    let check = |name: &str, bytes: &[u8]| {
        let text = folder.file("config.cpp", written(bytes));
        let packed = folder.0.join("config.bin");
        let output = Command::new(&armake2).args(["rapify", "-f"]).arg(&text).arg(&packed).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let packed = std::fs::read(&packed).unwrap();
        assert_eq!(format!("{:?}", stored(&packed)), format!("{:?}", stored(bytes)), "{name}");
        let mut problems = Problems::new(&Limits::default());
        Config::parse(&packed).unwrap().verify(&mut problems);
        assert_eq!(problems.into_vec(), [], "{name}");
    };
    let mut files = 0;
    let mut others = Vec::new();
    for folder in [Some(repository().join("corpus/rap")), outside().map(|folder| folder.join("rap"))] {
        for path in folder.iter().flat_map(|folder| below(folder)) {
            let bytes = std::fs::read(&path).unwrap();
            if !bytes.starts_with(b"\0raP") {
                continue;
            }
            if is_narrow(&stored(&bytes)) {
                check(&path.display().to_string(), &bytes);
                files += 1;
            } else {
                others.push(path);
            }
        }
    }
    let mut generator = Generator(Random(0x6172_6d61));
    for number in 0..5_000 {
        let config = narrowed(generator.class(0));
        check(&format!("config {number}"), &file(&config, &[]).to_vec());
    }
    println!("{files} files and 5000 configs; armake2 cannot express {others:?}");
    assert!(files >= 4, "{files}");
}

#[test]
fn floats_have_the_shortest_text_that_reads_as_the_same_bits() {
    let mut random = Random(0x666c_6f61);
    let mut numbers = vec![0.0, -0.0, 1.0, 0.1, 1e16, 1e-7, f32::MAX, f32::from_bits(1), f32::INFINITY, -f32::INFINITY];
    while numbers.len() < 20_000 {
        let number = f32::from_bits(random.next() as u32);
        if !number.is_nan() {
            numbers.push(number);
        }
    }
    let all = numbers.iter().map(|number| Value::Float(*number)).collect();
    let text = plain(&written(&file(&root([Entry::Array("a".to_owned(), all)]), &[]).to_vec()));
    let list = text.strip_prefix("a[] = {").unwrap().strip_suffix("};\n").unwrap();
    let texts: Vec<&str> = list.split(", ").collect();
    assert_eq!(texts.len(), numbers.len());
    let zeros = |count: usize| "0".repeat(count);
    assert_eq!(texts[..6], ["0.0", "-0.0", "1.0", "0.1", "10000000000000000.0", "0.0000001"]);
    assert_eq!(texts[6..8], [format!("34028235{}.0", zeros(31)), format!("0.{}1", zeros(44))]);
    assert_eq!(texts[8..10], [format!("1{}.0", zeros(39)), format!("-1{}.0", zeros(39))]);
    for (text, number) in texts.iter().zip(&numbers) {
        assert_eq!(text.parse::<f32>().unwrap().to_bits(), number.to_bits(), "{text}");
        assert!(text.contains('.') && !text.contains('e'), "{text}");
        // Double precision, in which some readers parse, rounds to the same.
        assert_eq!((text.parse::<f64>().unwrap() as f32).to_bits(), number.to_bits(), "{text}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_written_as_stored() {
    let entry = Entry::Value("n".to_owned(), Value::Text(b"\xe4\"\xff\n\x80".to_vec()));
    let mut bytes = file(&root([class("K", "", [entry])]), &[]).to_vec();
    for byte in &mut bytes[16..] {
        *byte = if *byte == b'K' { 0xfe } else { *byte };
    }
    assert_eq!(written(&bytes), b"class \xfe {\n\tn = \"\xe4\"\"\xff\" \\n \"\x80\";\n};\n");
}

#[test]
fn what_text_cannot_express_is_an_error_at_its_place() {
    let number = |number| Entry::Value("b".to_owned(), Value::Float(number));
    let expression = |text: &str| Entry::Value("b".to_owned(), Value::Expression(text.into()));
    let nested = vec![Value::Int(1), Value::Array(vec![Value::Float(f32::NAN)])];
    let cases = [
        (number(f32::NAN), "classes[0].entries[1].value", "a float that is not a number"),
        (Entry::Array("b".to_owned(), nested), "classes[0].entries[1].items[2]", "a float that is not a number"),
        (expression(")("), "classes[0].entries[1].value", "an expression with unbalanced"),
        (expression("(\""), "classes[0].entries[1].value", "an expression with unbalanced"),
        (value("", "x"), "classes[0].entries[1].name", "a name with such characters"),
        (value("\u{feff}a", "x"), "classes[0].entries[1].name", "a name with such characters"),
        (value("a b", "x"), "classes[0].entries[1].name", "a name with such characters"),
        (class("x {}; class y", "", []), "classes[0].entries[1].name", "a name with such characters"),
        (class("x", "y z", []), "classes[1].parent", "a name with such characters"),
        (Entry::Delete("a;".to_owned()), "classes[0].entries[1].name", "a name with such characters"),
    ];
    for (entry, place, message) in cases {
        let shown = format!("{entry:?}");
        let bytes = file(&root([value("first", "x"), entry]), &[]).to_vec();
        let (text, result) = try_written(&bytes, &Limits::default());
        let error = result.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{shown}: {error}");
        assert!(error.to_string().starts_with(&format!("{place} at 0x")), "{shown}: {error}");
        assert!(error.message().contains(message), "{shown}: {error}");
        assert_eq!(text, b"first = \"x\";\n", "{shown}");
    }
    let (text, result) =
        try_written(&file(&Class { parent: "A".to_owned(), entries: Vec::new() }, &[]).to_vec(), &Limits::default());
    assert!(text.is_empty() && result.unwrap_err().message().contains("a root class that inherits"));
    let (text, result) = try_written(&file(&root([value("a", "b")]), &[("x y", 1)]).to_vec(), &Limits::default());
    assert_eq!(text, b"a = \"b\";\n");
    assert_eq!(result.unwrap_err().location(), "enums[0].name");
}

#[test]
fn damaged_configs_have_text_up_to_the_damage() {
    for (name, bytes) in hostile() {
        let (text, result) = try_written(&bytes, &Limits::default());
        let is_only_untidy = ["rap_end.bin", "rap_gap.bin", "rap_bytes_after.bin"].contains(&name);
        assert_eq!(result.is_ok(), is_only_untidy, "{name}: {result:?}");
        assert!(text.len() < 4_000, "{name}");
        let error = result.err();
        assert!(error.is_none_or(|error| error.offset().is_some()), "{name}");
    }
    // A class before the damaged one is there.
    let two = file(&root([value("a", "b"), class("C", "", [value("d", "e")]), class("F", "", [value("g", "h")])]), &[]);
    let (text, result) = try_written(&two.clone().set("type", [9]).to_vec(), &Limits::default());
    assert_eq!(plain(&text), "a = \"b\";\nclass C {\n\td = \"e\";\n};\n");
    assert_eq!(result.unwrap_err().location(), "classes[2].entries[0].value");
}

#[test]
fn mutated_files_read_back_or_are_refused() {
    let mut seeds = corpus();
    seeds.extend(hostile());
    let sources: Vec<_> = seeds.into_iter().map(|(_, bytes)| Source::new(bytes)).collect();
    let mut random = Random(0x7465_7874);
    let mut sound = 0;
    for _ in 0..10_000 {
        let (a, b) = (random.below(sources.len()), random.below(sources.len()));
        sound += usize::from(check_file(&sources[a].mutated(&sources[b], &mut random)));
    }
    assert!(sound > 200, "{sound}");
}

/// Counts what is written, and fails after this many bytes.
struct Count {
    bytes: u64,
    most: u64,
}

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.most { Err(io::Error::other("full")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Many short entries in the deepest class, whose lines are mostly indentation.
fn indented(count: usize) -> Vec<u8> {
    let entries: Vec<Entry> = (0..count).map(|_| Entry::Extern("a".to_owned())).collect();
    let config = (0..64).fold(root(entries), |inner, _| root([Entry::Class("c".to_owned(), inner)]));
    file(&config, &[]).to_vec()
}

#[test]
fn deep_and_large_configs_are_written_in_little_memory() {
    let bytes = indented(100_000);
    let config = Config::parse(&bytes).unwrap();
    let budget = Budget::new(bytes.len() as u64, &Limits::default());
    let mut count = Count { bytes: 0, most: u64::MAX };
    let (result, usage) = usage_of(|| config.write_text(&mut count, &budget));
    result.unwrap();
    assert!(usage.peak < 64 << 10, "{usage:?}");
    // 64 tabs before each 9 bytes.
    assert!(count.bytes > 73 * 100_000 && count.bytes < 26 * bytes.len() as u64, "{}", count.bytes);
    // The limits end it, and so does the output.
    let limits = Limits::default().with_work(1);
    let (_, result) = try_written(&bytes, &limits);
    assert_eq!(result.unwrap_err().code(), Code::WorkLimit);
    let mut count = Count { bytes: 0, most: 1_000_000 };
    let error: Error = config.write_text(&mut count, &budget).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io(_)) && count.bytes < 1_000_100, "{error}");
    assert_eq!(error.location(), "");
    let (text, result) = try_written(&file(&deep(65), &[]).to_vec(), &Limits::default());
    assert!(matches!(result.unwrap_err().kind(), ErrorKind::Limit { .. }));
    assert_eq!(text.iter().filter(|byte| **byte == b'{').count(), 64);
    let (_, result) = try_written(&file(&deep(9), &[]).to_vec(), &Limits::default().with_depth(4));
    assert_eq!(result.unwrap_err().code(), Code::DepthLimit);
    assert!(check_file(&file(&deep_array(63), &[]).to_vec()));
}
