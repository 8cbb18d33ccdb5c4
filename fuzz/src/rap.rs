//! Binary configs: classes must be inside the file, and different ways to read the same thing must agree. Other bytes
//! are a recipe: a config that is written in both forms, which must name the same files.

use std::collections::BTreeSet;

use meshpeek::rap::{Config, Entry, text};
use meshpeek::{Budget, Inspect, Limits};

use crate::writer::rap::{Class, Entry as Written, Value, as_text, file, root};

pub fn run(data: &[u8]) {
    crate::any::run(data);
    match Config::parse(data) {
        Ok(config) => check(&config, data.len() as u64),
        Err(_) if data.starts_with(b"\0raP") => {}
        Err(_) => recipe(data),
    }
}

fn check(config: &Config<'_>, len: u64) {
    let (mut counts, mut bodies, mut is_whole) = ([0; 3], 0, true);
    for (index, step) in config.classes().enumerate() {
        let Ok(step) = step else {
            is_whole = false;
            continue;
        };
        let class = step.class;
        assert!(!is_whole || step.index == index);
        assert!(step.outer.is_none_or(|outer| outer < step.index) && step.outer.is_none() == (step.depth == 0));
        bodies += class.byte_len();
        assert!(class.offset() + class.byte_len() <= len && bodies <= len && step.depth <= 64);
        assert_eq!(class.entries().count(), class.len());
        assert_eq!(class.is_empty(), class.entries().next().is_none());
        for entry in class.entries() {
            match entry {
                Entry::Class(_) => counts[0] += 1,
                Entry::Value(_) => counts[1] += 1,
                Entry::Array(_) | Entry::Append(_) => counts[2] += 1,
                _ => {}
            }
            if let Some(array) = entry.array() {
                assert_eq!(array.items().filter(|item| item.depth == 0).count(), array.len());
                assert_eq!(array.is_empty(), array.items().next().is_none());
                assert!(array.items().all(|item| item.depth < 64));
            }
        }
    }
    let text = config.write_text(std::io::sink(), &Budget::new(len, &Limits::default()));
    assert!(text.is_err() || is_whole && config.enums().is_ok());
    let summary = config.summarize();
    let names = ["classes", "values", "arrays"].map(|name| summary.counts.get(name));
    assert_eq!(names, counts.map(Some));
    assert_eq!(
        is_whole && config.enums().is_ok(),
        summary.problems.iter().all(|problem| problem.severity.name() != "error")
    );
}

/// Builds a config as the bytes say, and checks it.
fn recipe(data: &[u8]) {
    let mut choices = data.iter().copied();
    let config = class(&mut choices, 0);
    let bytes = file(&config, &[]).to_vec();
    let config_read = Config::parse(&bytes).expect("a sound config");
    check(&config_read, bytes.len() as u64);
    let mut problems = meshpeek::summary::Problems::new(&Limits::default());
    config_read.verify(&mut problems);
    assert_eq!(problems.into_vec(), []);
    let mut written = Vec::new();
    let budget = Budget::new(bytes.len() as u64, &Limits::default());
    config_read.write_text(&mut written, &budget).expect("a text");
    let compiled = text::to_binary(&written, &budget).expect("a binary form");
    assert!(compiled.bytes() == bytes, "{}", String::from_utf8_lossy(&written));
    assert!(compiled.unread().is_empty(), "{:?}", compiled.unread());
    let text = as_text(&config);
    let binary = config_read.summarize();
    let asked: BTreeSet<_> = text::Reader::new(text.as_bytes())
        .filter_map(|event| event.ask())
        .map(|ask| (ask.kind.name(), String::from_utf8(ask.name.into_owned()).unwrap()))
        .collect();
    let names: BTreeSet<_> =
        binary.references.into_iter().map(|reference| (reference.kind.name(), reference.name.text)).collect();
    assert_eq!(asked, names, "{text}");
    let count = |is: fn(&text::EventKind<'_>) -> bool| {
        Some(text::Reader::new(text.as_bytes()).filter(|event| is(&event.kind)).count() as u64)
    };
    assert_eq!(count(|kind| matches!(kind, text::EventKind::Class { .. })), binary.counts.get("classes"));
    assert_eq!(count(|kind| matches!(kind, text::EventKind::Value(..))), binary.counts.get("values"));
    assert_eq!(count(|kind| matches!(kind, text::EventKind::Array(..))), binary.counts.get("arrays"));
}

fn class(choices: &mut impl Iterator<Item = u8>, depth: usize) -> Class {
    let count = choices.next().unwrap_or(0) % 6;
    let entry = |_| match choices.next().unwrap_or(0) % 8 {
        0 | 1 if depth < 8 => {
            Written::Class(name(choices), Class { parent: "Base".to_owned(), ..class(choices, depth + 1) })
        }
        2 => Written::Array(key(choices), items(choices, 0)),
        3 => Written::Append(key(choices), items(choices, 0)),
        4 => Written::Extern(name(choices)),
        5 => Written::Delete(name(choices)),
        _ => Written::Value(key(choices), scalar(choices)),
    };
    root((0..count).map(entry).collect::<Vec<_>>())
}

fn items(choices: &mut impl Iterator<Item = u8>, depth: usize) -> Vec<Value> {
    let count = choices.next().unwrap_or(0) % 5;
    let item = |_| match choices.next().unwrap_or(0) % 4 {
        0 if depth < 5 => Value::Array(items(choices, depth + 1)),
        _ => scalar(choices),
    };
    (0..count).map(item).collect()
}

fn scalar(choices: &mut impl Iterator<Item = u8>) -> Value {
    match choices.next().unwrap_or(0) % 5 {
        0 => Value::Int(i8::from_le_bytes([choices.next().unwrap_or(0)]).into()),
        1 => Value::Float(f32::from(choices.next().unwrap_or(0)) / 7.0),
        _ => {
            const ENDS: [&str; 6] = ["", ".paa", ".rvmat", ".P3D", ".ogg", ".txt"];
            let length = choices.next().unwrap_or(0) % 8;
            // Any printable character may be in quotes, but no line break.
            let letters = choices.take(length.into()).map(|byte| char::from(b' ' + byte % 95));
            let start: String = letters.collect();
            Value::Text(format!("{start}{}", ENDS[usize::from(choices.next().unwrap_or(0)) % ENDS.len()]).into())
        }
    }
}

fn name(choices: &mut impl Iterator<Item = u8>) -> String {
    format!("C{}", choices.next().unwrap_or(0))
}

fn key(choices: &mut impl Iterator<Item = u8>) -> String {
    const KEYS: [&str; 4] = ["model", "Texture", "hiddenSelectionsTextures", "hiddenSelections"];
    let choice = usize::from(choices.next().unwrap_or(0));
    KEYS.get(choice % 8).map_or_else(|| format!("key{choice}"), |&key| key.to_owned())
}
