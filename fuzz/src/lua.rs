//! Lua texts of Luanti mods: names are those of files, each row is at its place, and text before only moves the places.

use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::Format;
use meshpeek::answers::refs::{Files, State};
use meshpeek::scan::{Depth, Scan};

const MEDIA: [&str; 3] = ["mod/textures/a.png", "mod/textures/b.jpg", "mod/models/x.b3d"];

/// A reference: its kind, name, state, place and targets.
type Row = (String, String, State, (u32, u32), Vec<String>);

pub fn run(data: &[u8]) {
    let rows = rows(data);
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    for (kind, name, state, (line, column), targets) in &rows {
        let rest = &lines[*line as usize - 1][*column as usize - 1..];
        assert!(!rest.is_empty(), "{name} at {line}:{column}");
        assert!(kind == "model" || kind == "texture", "{kind}");
        assert!(!name.is_empty());
        match state {
            State::Found => assert!(targets.iter().all(|target| MEDIA.contains(&target.as_str())), "{targets:?}"),
            State::Missing => assert!(!name.contains('/') && targets.is_empty()),
            State::Unresolved => assert!(targets.is_empty()),
            _ => panic!("{state:?}"),
        }
        if *state != State::Unresolved {
            assert!(matches!(rest[0], b'"' | b'\'' | b'['), "{name} at {line}:{column}");
        }
    }
    // A mark, the name of a program or the signature of an asset stands only at the start.
    if Format::sniff(data).is_none() && !data.starts_with(b"#") && !data.starts_with(b"\xef\xbb\xbf") {
        let later: Vec<Row> = self::rows(&[b"-- before\n", data].concat())
            .into_iter()
            .map(|(kind, name, state, (line, column), targets)| (kind, name, state, (line - 1, column), targets))
            .collect();
        assert_eq!(later, rows);
    }
}

fn rows(data: &[u8]) -> Vec<Row> {
    let mut scan = Scan::new(["mod"]);
    scan.depth = Depth::Summary;
    let mut files = Files::new(&scan, &[]);
    for path in MEDIA {
        files.add_path(path.into()).expect("there is room for three names");
    }
    let record = scan.record(Path::new("mod/init.lua"), data);
    // What could be read before an error counts.
    let _ = files.add(record, data, None);
    let mut rows = Vec::new();
    let links = files.links().expect("there is room for the names");
    let end = links.each(|link| {
        // A text that was not read to its end has a row without a name.
        // A model under this name has references without a place.
        let (Some(reference), Some(place)) = (link.reference, link.place) else { return ControlFlow::Continue(()) };
        let kind = reference.kind.name().to_owned();
        let targets = link.targets().map(|target| target.text.replace('\\', "/")).collect();
        rows.push((kind, reference.name.text.clone(), link.state, place, targets));
        ControlFlow::Continue(())
    });
    // Lookups have a limit.
    let _ = end;
    rows
}
