//! Macros of configs: whatever they say, references are resolved within the limits, and twice in the same way.

use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::answers::refs::{Files, State};
use meshpeek::scan::Scan;
use meshpeek::summary::Class;

/// The texts of a config, each after a byte 0.
const NAMES: [&str; 3] = ["m/config.cpp", "m/a.hpp", "m/b.hpp"];

pub fn run(data: &[u8]) {
    let mut scan = Scan::new(["m"]);
    scan.limits.reference_bytes = 1 << 16;
    let first = links(&scan, data);
    assert_eq!(links(&scan, data), first);
}

fn links(scan: &Scan, data: &[u8]) -> Vec<String> {
    let mut files = Files::new(scan, &[]);
    for (name, text) in NAMES.iter().zip(data.splitn(NAMES.len(), |&byte| byte == 0)) {
        let record = scan.record(Path::new(name), text);
        // What is before a limit is added.
        let _ = files.add(record, text, None);
    }
    files.add_path("m/a.paa".into()).unwrap();
    let mut rows = Vec::new();
    let resolved = files.links().unwrap().each(|link| {
        let is_unread = link.state == State::Unread;
        assert_eq!(link.reference.is_none(), is_unread);
        assert!(!is_unread || link.note.is_some());
        assert!(link.state != State::Unresolved || link.note.is_some() || link.place.is_none());
        assert!(link.state != State::Ambiguous);
        let name = link.reference.map_or("", |reference| &reference.name.text);
        rows.push(format!("{} {name} {:?} {:?}", link.state, link.place, link.note));
        ControlFlow::Continue(())
    });
    if let Err(error) = resolved {
        assert!(error.code().class() == Class::Limit, "{error}");
    }
    rows
}
