//! References of files of a mod: each has a state that its targets fit, in the same way each time, within the limits.

use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::Asset;
use meshpeek::answers::refs::{Files, State};
use meshpeek::scan::{Depth, Scan};
use meshpeek::summary::Class;

/// The names of the files, each of which has a part of the bytes.
const NAMES: [&str; 4] = ["mod/a.p3d", "mod/config.cpp", "mod/a.rvmat", "mod/b.b3d"];
/// Files of which only the name is known.
const MEDIA: [&str; 4] = ["mod/a.paa", "mod/b_co.paa", "mod/textures/c.png", "mod/unused.paa"];

/// One file has all bytes, a model. After `&`, the bytes are those of up to three texts with a byte 0 between them: a config, a
/// material, and a model.
pub fn run(data: &[u8]) {
    let mut scan = Scan::new(["mod"]);
    scan.depth = Depth::Summary;
    scan.limits.reference_bytes = 1 << 16;
    let first = links(&scan, data);
    assert_eq!(links(&scan, data), first);
}

/// The prefix of names that the game is assumed to have.
const ASSUMED: &str = "assumed";

/// Returns true if the name may have that prefix. Paths may lead to it by `..`.
fn is_assumed(name: &str) -> bool {
    name.to_ascii_lowercase().contains(ASSUMED)
}

fn files(scan: &Scan, data: &[u8]) -> Files {
    let mut files = Files::new(scan, &[ASSUMED.to_owned()]);
    for path in MEDIA {
        files.add_path(path.into()).expect("there is room for four names");
    }
    let whole: [&[u8]; 1] = [data];
    let parts: Vec<&[u8]> = match data.split_first() {
        Some((b'&', texts)) => texts.splitn(3, |&byte| byte == 0).collect(),
        _ => whole.to_vec(),
    };
    let names = if parts.len() > 1 { &NAMES[1..] } else { &NAMES[..] };
    for (number, name) in names.iter().enumerate() {
        let Some(part) = parts.get(number.min(parts.len() - 1)) else { continue };
        let record = scan.record(Path::new(name), part);
        let asset = Asset::parse_with(part, &scan.limits).ok();
        // What is before a limit is added.
        let _ = files.add(record, part, asset.as_ref());
    }
    files
}

fn links(scan: &Scan, data: &[u8]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut unused = Vec::new();
    let mut files_unused = 0;
    let Ok(links) = files(scan, data).links() else { return rows };
    let end = links.each_unused(
        |link| {
            let name = link.reference.map_or("", |reference| &reference.name.text);
            let targets: Vec<String> = link.targets().map(|target| target.text).collect();
            match link.state {
                // A name with the assumed prefix counts as found, but has no file here.
                State::Found if is_assumed(name) => {}
                State::Found | State::Ambiguous => assert!(!targets.is_empty(), "{name}"),
                State::Missing | State::Unread => assert!(targets.is_empty(), "{name}: {targets:?}"),
                _ => {}
            }
            assert_eq!(link.reference.is_none(), link.state == State::Unread);
            rows.push(format!("{} {name} {targets:?} {:?}", link.state, link.note_text()));
        },
        |file| {
            files_unused += usize::from(file.member.is_none());
            unused.push(format!("{file:?}"));
            ControlFlow::Continue(())
        },
    );
    if let Err(error) = end {
        assert!(error.code().class() == Class::Limit, "{error}");
    }
    assert!(files_unused <= NAMES.len() + MEDIA.len(), "{unused:?}");
    if let Ok(links) = files(scan, data).links() {
        let mut stale = 0;
        let _ = links.each_stale(|_| {
            stale += 1;
            ControlFlow::Continue(())
        });
        assert!(stale <= rows.len().max(1) * 64, "{stale} of {}", rows.len());
    }
    rows.extend(unused);
    rows
}
