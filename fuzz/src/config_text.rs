//! Configs as text: places ascend and are inside the text, and each name and value starts at its place.

use meshpeek::rap::Config;
use meshpeek::rap::text::{EventKind, Reader, Way, to_binary};
use meshpeek::summary::Problems;
use meshpeek::{Budget, Inspect, Limits};

pub fn run(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    let mut last = (1, 1);
    let mut events = 0;
    for event in Reader::new(data) {
        events += 1;
        assert!((event.line, event.column) >= last, "{event:?} after {last:?}");
        last = (event.line, event.column);
        let rest = &lines[event.line as usize - 1][event.column as usize - 1..];
        match &event.kind {
            EventKind::Value(_, value) | EventKind::Item(_, value) => {
                let start = if value.is_quoted { rest.strip_prefix(b"\"").expect("a quote") } else { rest };
                let length = value.text.len().min(start.len());
                // A quoted text may contain quotes, or continue on another line.
                let plain = value.text[..length].iter().position(|byte| b"\"\n".contains(byte)).unwrap_or(length);
                assert_eq!(start[..plain], value.text[..plain]);
            }
            EventKind::Include(_) => assert_eq!(rest.first(), Some(&b'#')),
            _ => {}
        }
        if let Some(ask) = event.ask() {
            assert_eq!((ask.line, ask.column), last);
            if let Way::Built { path, .. } = &ask.way {
                assert!(path.len() <= ask.name.len());
            }
            assert!(!ask.name.is_empty() || ask.way == Way::Include);
        }
    }
    assert!(events <= data.len());
    // If another class precedes the text, the events are the same, one line later.
    let shifted = [b"class Before;\n", data].concat();
    let mut shifted = Reader::new(&shifted).skip(1);
    if Reader::new(data).next().is_some() && !data.starts_with(b"\xef\xbb\xbf") {
        for event in Reader::new(data) {
            let later = shifted.next().expect("the same event");
            assert_eq!((later.line - 1, later.column, later.kind), (event.line, event.column, event.kind));
        }
        assert_eq!(shifted.next(), None);
    }
    compile(data);
}

/// Compiles the text: the binary form is sound, and has one entry for each event that is one.
fn compile(data: &[u8]) {
    let budget = Budget::new(data.len() as u64, &Limits::default());
    let Ok(binary) = to_binary(data, &budget) else { return };
    let config = Config::parse(binary.bytes()).expect("a config");
    let mut entries = 0;
    for step in config.classes() {
        entries += step.expect("a class").class.len();
    }
    let is_entry = |kind: &EventKind<'_>| {
        use EventKind::{Array, Class, Delete, Extern, Value};
        matches!(kind, Class { .. } | Extern(_) | Delete(_) | Value(..) | Array(..))
    };
    assert_eq!(entries, Reader::new(data).filter(|event| is_entry(&event.kind)).count());
    let mut problems = Problems::new(&Limits::default());
    config.verify(&mut problems);
    assert_eq!(problems.into_vec(), []);
}
