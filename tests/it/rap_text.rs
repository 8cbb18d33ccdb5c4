//! Rules of the reader of config texts: written configs are read back, small texts are compared with a slow statement of
//! each rule, and repeated texts cost in proportion to their length.

use std::path::Path;
use std::time::Duration;

use meshpeek::rap::text::{Ask, Event, EventKind, Reader, Scalar, Way};
use meshpeek::scan::{Depth, Scan};
use meshpeek::summary::{Code, ReferenceKind, Severity};
use meshpeek::view::ByteStr;

use crate::support::files::{below, outside, root};
use crate::support::mutate::Random;

/// An event as a line.
fn line(event: &Event<'_>) -> String {
    let scalar = |value: &Scalar<'_>| {
        let text = String::from_utf8_lossy(&value.text).into_owned();
        if value.is_quoted { format!("{text:?}") } else { text }
    };
    let plain = |name: &ByteStr<'_>| String::from_utf8_lossy(name.as_bytes()).into_owned();
    let what = match &event.kind {
        EventKind::Class { name, parent: None } => format!("class {}", plain(name)),
        EventKind::Class { name, parent: Some(parent) } => format!("class {} of {}", plain(name), plain(parent)),
        EventKind::End => "end".to_owned(),
        EventKind::Extern(name) => format!("extern {}", plain(name)),
        EventKind::Delete(name) => format!("delete {}", plain(name)),
        EventKind::Value(key, value) => format!("{} = {}", plain(key), scalar(value)),
        EventKind::Array(key, false) => format!("array {}", plain(key)),
        EventKind::Array(key, true) => format!("append {}", plain(key)),
        EventKind::Item(key, value) => format!("item of {}: {}", plain(key), scalar(value)),
        EventKind::Include(path) => format!("include {}", plain(path)),
        EventKind::Call(call) => format!("call {}", plain(call)),
        other => format!("{other:?}"),
    };
    format!("{}:{} {what}", event.line, event.column)
}

fn lines(text: &str) -> Vec<String> {
    Reader::new(text.as_bytes()).map(|event| line(&event)).collect()
}

/// Writes random configs, and beside them the events that a reader must find.
struct Written {
    random: Random,
    text: String,
    events: Vec<String>,
}

impl Written {
    fn new(seed: u64) -> Self {
        let mut written = Self { random: Random(seed), text: String::new(), events: Vec::new() };
        written.add(&["", "// class ; { \"\n", "/* x = \"y\"; */", " \r\n\t"]);
        written.event("class Start");
        written.text += "class Start {";
        written.entries(0);
        written.blank();
        written.event("end");
        written.text += "};";
        written
    }

    fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.random.below(all.len())]
    }

    fn add(&mut self, all: &[&str]) {
        let one = self.pick(all);
        self.text += one;
    }

    /// An event that starts here.
    fn event(&mut self, what: &str) {
        let line = self.text.matches('\n').count() + 1;
        let column = self.text.len() - self.text.rfind('\n').map_or(0, |at| at + 1) + 1;
        self.events.push(format!("{line}:{column} {what}"));
    }

    /// Anything between two words that means nothing.
    fn blank(&mut self) {
        for _ in 0..self.random.below(3) {
            self.add(&[
                " ",
                "\t",
                "\n",
                "\r\n",
                "// not x = \"here\"; } ( /*\n",
                "/* nor \"( {\n x = 1; // } */",
                "/**/",
                "/***/",
                "//\n",
            ]);
        }
    }

    /// The same with at least one white space.
    fn gap(&mut self) {
        self.add(&[" ", "\n", "\t "]);
        self.blank();
    }

    fn name(&mut self) -> &'static str {
        self.pick(&["A", "b_1", "texture", "GVAR(House)", "DOUBLES(a,b)", "Äpfel", "class_", "deleted", "enumerate"])
    }

    /// A quoted text, with its content as the event shows it.
    fn quoted(&mut self) -> String {
        let mut content = String::new();
        loop {
            self.text += "\"";
            for _ in 0..self.random.below(4) {
                let part =
                    self.pick(&["a", "\\b\\c.paa", "\"\"", "{;}", "// no comment", "/*", ")", "(", " ", "#", "\\n"]);
                self.text += part;
                content += if part == "\"\"" { "\"" } else { part };
            }
            self.text += "\"";
            if self.random.below(4) > 0 {
                return format!("{content:?}");
            }
            self.add(&["\\n", " \\n", "\t \\n"]);
            self.blank();
            content += "\n";
        }
    }

    /// A value without quotes, with the text that the event shows.
    fn bare(&mut self) -> String {
        let value = self.pick(&[
            "1",
            "-2.5e3",
            "a\\b.paa",
            "a/b.paa",
            "/a",
            "TRUE",
            "two words",
            "F(a)",
            "F(a;b}c,d{e)",
            "F((a)(b)) + G()",
            "F(\"a)b\", \"(\", \"\"\"\")",
            "F(a\n b)c",
            "F(\"not closed\n)",
            "F(\")\"\"(\")",
            "QUOTE(QPATHTOF(data\\x.paa))",
            "F(// no comment)",
            "F(/* nor this )",
            "#(argb,8,8,3)color(1,1,1,1)",
            "(1 + (2 * 3)) / 4",
        ]);
        self.text += value;
        // White space after it does not count.
        self.add(&["", " ", "\t", "\r\n", " // end\n", "/* end */"]);
        value.to_owned()
    }

    fn scalar(&mut self) -> String {
        if self.random.below(2) == 0 { self.quoted() } else { self.bare() }
    }

    /// A line of the preprocessor.
    fn directive(&mut self) {
        self.text += "\n";
        self.add(&["", " ", "\t"]);
        if self.random.below(2) == 0 {
            self.event("include a\\b (c).hpp");
            self.add(&["#include", "# include", "#\tinclude"]);
            self.add(&[" \"a\\b (c).hpp\"", "\"a\\b (c).hpp\" // so", "  <a\\b (c).hpp>", "<a\\b (c).hpp> x"]);
        } else {
            self.add(&[
                "#define A(x) class x {",
                "#define A \\\n x = \"1\"; \\\n }",
                "#define A \\\r\n x = \"1\";\\\r\n }",
                "#ifdef A /* (",
                "#else",
                "#endif",
                "#includes \"no.hpp\"",
                "#include",
                "#include \"no",
                "#",
                "#define B \"",
            ]);
        }
        self.text += "\n";
    }

    fn items(&mut self, key: &str, depth: usize) {
        self.text += "{";
        for _ in 0..self.random.below(4) {
            self.blank();
            match self.random.below(5) {
                0 if depth < 3 => self.items(key, depth + 1),
                1 => self.directive(),
                kind => {
                    let events = self.events.len();
                    self.event("");
                    let value = if kind == 2 { self.bare() } else { self.quoted() };
                    self.events[events] += &format!("item of {key}: {value}");
                }
            }
            self.blank();
            self.text += ",";
        }
        self.blank();
        self.text += "}";
    }

    fn entries(&mut self, depth: usize) {
        for _ in 0..self.random.below(6) {
            self.blank();
            match self.random.below(9) {
                0 if depth < 3 => {
                    let name = self.name();
                    let is_child = self.random.below(2) == 0;
                    let what = if is_child { format!("class {name} of Base") } else { format!("class {name}") };
                    self.event(&what);
                    self.add(&["class", "CLASS", "Class"]);
                    self.gap();
                    self.text += name;
                    self.blank();
                    if is_child {
                        self.text += ":";
                        self.blank();
                        self.text += "Base";
                        self.blank();
                    }
                    self.text += "{";
                    self.entries(depth + 1);
                    self.blank();
                    self.event("end");
                    self.add(&["}", "};", "} ;"]);
                }
                1 => {
                    let name = self.name();
                    let word = self.pick(&["class", "delete", "Delete"]);
                    let what = if word == "class" { "extern" } else { "delete" };
                    self.event(&format!("{what} {name}"));
                    self.text += word;
                    self.gap();
                    self.text += name;
                    self.blank();
                    self.text += ";";
                }
                2 => {
                    let key = self.name();
                    let is_append = self.random.below(2) == 0;
                    self.event(&format!("{} {key}", if is_append { "append" } else { "array" }));
                    self.text += key;
                    self.blank();
                    self.add(&["[]", "[ ]", "[2]"]);
                    self.add(&["", " "]);
                    self.text += if is_append { "+=" } else { "=" };
                    self.blank();
                    self.items(key, 0);
                    self.blank();
                    self.text += ";";
                }
                3 => self.directive(),
                4 => {
                    let call = self.pick(&["MACRO(data\\a.paa)", "M(\")\", (x))", "M(a\nb)"]);
                    self.event(&format!("call {call}"));
                    self.text += call;
                    self.add(&[";", "\n", " ;", "// x\n"]);
                }
                5 => self.add(&["enum { A = 1, B = \"x\" };", "ENUM\n{};", ";", "\"loose\";"]),
                _ => {
                    let key = self.name();
                    self.text += key;
                    self.blank();
                    self.add(&["=", "[] = ", "[]+="]);
                    self.blank();
                    let events = self.events.len();
                    self.event("");
                    let value = self.scalar();
                    self.events[events] += &format!("{key} = {value}");
                    self.blank();
                    self.text += ";";
                }
            }
        }
    }
}

#[test]
fn what_a_config_says_is_read_back_with_its_places() {
    let mut events = 0;
    for seed in 1..6_000_u64 {
        let written = Written::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        assert_eq!(lines(&written.text), written.events, "{}", written.text);
        let marked = format!("\u{feff}{}", written.text);
        let after_mark = Reader::new(marked.as_bytes()).map(|event| event.kind).collect::<Vec<_>>();
        assert!(after_mark.into_iter().eq(Reader::new(written.text.as_bytes()).map(|event| event.kind)));
        events += written.events.len();
    }
    assert!(events > 30_000, "{events}");
}

/// All texts of these letters up to a length.
fn texts(letters: &[char], most: u32) -> impl Iterator<Item = String> {
    let count = letters.len();
    (0..=most).flat_map(move |length| {
        (0..count.pow(length))
            .map(move |number| (0..length).map(|place| letters[number / count.pow(place) % count]).collect::<String>())
    })
}

/// The place after the parenthesis that closes the first one: the first place with as many `)` as `(` before it, of those
/// that are outside of quotes. Quotes end with their line.
fn closed(text: &[u8]) -> Option<usize> {
    (1..=text.len()).find(|&end| {
        let mut open = 0;
        for line in text[..end].split(|byte| *byte == b'\n') {
            for outside in line.split(|byte| *byte == b'"').step_by(2) {
                open += outside.iter().filter(|byte| **byte == b'(').count() as isize;
                open -= outside.iter().filter(|byte| **byte == b')').count() as isize;
            }
        }
        open == 0
    })
}

/// A value without quotes: up to `;`, `}`, the end of the line or a comment outside of parentheses. A parenthesis that
/// nothing closes ends with its line, and once there is one, all do.
fn bare(text: &[u8], mut is_open_ended: bool) -> &[u8] {
    let mut end = 0;
    while end < text.len() && !matches!(text[end], b';' | b'}' | b'\n') {
        let rest = &text[end..];
        if rest.starts_with(b"//") || rest.starts_with(b"/*") {
            break;
        }
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        end += match rest[0] {
            b'(' => {
                let close = closed(if is_open_ended { &rest[..line] } else { rest });
                is_open_ended |= close.is_none();
                close.unwrap_or(line)
            }
            _ => 1,
        };
    }
    text[..end].trim_ascii_end()
}

#[test]
fn parentheses_of_every_small_text_end_where_the_rule_says() {
    let mut checked = 0;
    for text in texts(&['(', ')', '"', '\n', ';', '/'], 7) {
        for (before, is_open_ended) in [("x=a", false), ("z=((((((((;\nx=a", true)] {
            let whole = format!("{before}{text}");
            let value = Reader::new(whole.as_bytes()).find_map(|event| match event.kind {
                EventKind::Value(key, value) if key == "x" => Some(value.text.into_owned()),
                _ => None,
            });
            let after = format!("a{text}");
            let expected = bare(after.as_bytes(), is_open_ended);
            assert_eq!(value.as_deref(), Some(expected), "{whole:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, 2 * (0..=7).map(|length| 6_usize.pow(length)).sum::<usize>());
}

/// What a quoted text says, and how many of its bytes are read: up to a quote that is not doubled, or the end of the
/// line. If `\n` and another text follow, they belong to it. This text has no comments.
fn unquoted(text: &str) -> String {
    let mut said = String::new();
    let mut rest = &text[1..];
    loop {
        let Some(end) = rest.find(['"', '\n']) else { return said + rest };
        said += &rest[..end];
        let after = &rest[end + 1..];
        if rest[end..].starts_with('\n') {
            return said;
        }
        if let Some(doubled) = after.strip_prefix('"') {
            said.push('"');
            rest = doubled;
            continue;
        }
        let next = after.trim_start_matches(' ').strip_prefix("\\n").map(str::trim_ascii_start);
        match next.and_then(|next| next.strip_prefix('"')) {
            Some(next) => {
                said.push('\n');
                rest = next;
            }
            None => return said,
        }
    }
}

#[test]
fn quotes_of_every_small_text_end_where_the_rule_says() {
    for text in texts(&['"', '\\', 'n', '\n', ' ', ';'], 7) {
        let whole = format!("x=\"{text}");
        let first = Reader::new(whole.as_bytes()).next().unwrap();
        let EventKind::Value(_, Scalar { text: said, is_quoted: true, .. }) = first.kind else { panic!("{whole:?}") };
        assert_eq!(String::from_utf8_lossy(&said), unquoted(&whole[2..]), "{whole:?}");
    }
}

/// The time that this thread has worked.
#[cfg(unix)]
fn worked() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[cfg(not(unix))]
fn worked() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Three parts of a config after each other, again and again: no order of them costs more than a little for each byte.
/// What goes over the rest of the text for each part costs more than a hundred times as much.
#[test]
fn no_repeated_parts_make_reading_slow() {
    const SIZE: usize = 16 << 10;
    const MOST: Duration = Duration::from_micros(SIZE as u64 / 2);
    const PARTS: [&str; 20] = [
        "(", "()", "(\n", "\"", "\" \\n ", "\n", "{", "}", "[", "=", ";", ",", "/*", "*/", "//", "#", "\\\n", "x",
        "enum{", "class a:",
    ];
    let time = |text: &str| {
        let start = worked();
        let found = Reader::new(text.as_bytes()).filter_map(Event::ask).count();
        assert!(found <= text.len());
        worked() - start
    };
    for number in 0..PARTS.len().pow(3) {
        let unit: String = [1, 20, 400].map(|place| PARTS[number / place % 20]).concat();
        let text = |size: usize| format!("class A;{}", unit.repeat(size / unit.len()));
        let whole = text(SIZE);
        // The best of several, because a computer does other things too.
        if (0..5).any(|_| time(&whole) < MOST) {
            continue;
        }
        // On a slow or busy computer, the time still grows with the size: four times as much, where going over the rest for
        // each part takes sixteen times as much.
        let quarter = text(SIZE / 4);
        let is_linear = (0..20).any(|_| time(&whole) < time(&quarter) * 8);
        assert!(is_linear, "{unit:?}: {:?} for {SIZE} bytes", time(&whole));
    }
}

/// Every ending and key that names a file, as the documentation of the function lists them.
#[test]
fn every_ending_and_key_names_its_kind_of_file() {
    use ReferenceKind::{File, Material, Model, Surface, Texture};
    let endings: [(&str, ReferenceKind); 5] = [
        ("paa pac tga png jpg jpeg", Texture),
        ("rvmat", Material),
        ("bisurf", Surface),
        ("p3d", Model),
        ("rtm wss wav ogg lip ogv bikb sqf sqs fsm wrp xml html emat edds csv", File),
    ];
    for (all, kind) in endings {
        for ending in all.split_whitespace() {
            for name in [format!(r"a\b.{ending}"), format!(".{}", ending.to_uppercase()), format!("a.x.{ending}")] {
                assert_eq!(meshpeek::rap::kind_of(b"scope", name.as_bytes()), Some(kind), "{name}");
            }
            for name in [format!("a.{ending}x"), format!("a{ending}"), format!("a.{ending}."), format!("a.{ending} ")] {
                assert_eq!(meshpeek::rap::kind_of(b"scope", name.as_bytes()), None, "{name}");
            }
        }
    }
    for (key, kind) in [
        ("model", Model),
        ("texture", Texture),
        ("surfaceInfo", Surface),
        ("hiddenSelectionsTextures", Texture),
        ("hiddenSelectionsMaterials", Material),
    ] {
        for key in [key.to_owned(), key.to_uppercase(), key.to_lowercase()] {
            assert_eq!(meshpeek::rap::kind_of(key.as_bytes(), b"word"), Some(kind), "{key}");
            assert_eq!(meshpeek::rap::kind_of(key.as_bytes(), b""), None, "{key}");
            // The ending counts more.
            assert_eq!(meshpeek::rap::kind_of(key.as_bytes(), b"a.ogg"), Some(File), "{key}");
            assert_eq!(meshpeek::rap::kind_of(format!("{key}s").as_bytes(), b"word"), None, "{key}");
        }
    }
    // The table in FORMATS.md has every key.
    let page = std::fs::read_to_string(crate::support::files::root().join("FORMATS.md")).unwrap();
    let mut keys = 0;
    for row in page.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 4) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for key in cells[1].split(", ").map(|key| key.trim_matches('`')) {
            let path = meshpeek::rap::kind_of(key.as_bytes(), br"a\b c/d");
            let word = meshpeek::rap::kind_of(key.as_bytes(), b"word");
            assert!(path.is_some(), "{key}");
            assert_eq!(word, path.filter(|_| cells[2] == "all"), "{key}");
            let kind = match cells[3] {
                "`.p3d`" => Some(Model),
                "`.paa`" => Some(Texture),
                "`.rtm`" => Some(File),
                _ => path,
            };
            assert_eq!(path, kind, "{key}");
            keys += 1;
        }
    }
    assert_eq!(keys, 14);
    for text in ["a.b", r"a\b.", r"a\b.x", r"a\", "http://a/b", "a/b?c", r"a\b;", "a\n/b", "%1/a"] {
        assert_eq!(meshpeek::rap::kind_of(b"icon", text.as_bytes()), None, "{text}");
    }
    for key in ["scope", "model"] {
        assert_eq!(meshpeek::rap::kind_of(key.as_bytes(), b"#(argb,8,8,3)color(1,1,1,1)"), Some(Texture), "{key}");
    }
}

/// Macros that build paths, around every kind of path, under keys that name files and under others.
#[test]
fn every_macro_around_every_path_leads_where_it_says() {
    use ReferenceKind::{Model, Texture};
    let ask = |key: &str, value: &str| -> Option<(ReferenceKind, Way)> {
        let text = format!("{key} = {value};");
        let asks: Vec<Ask<'_>> = Reader::new(text.as_bytes()).filter_map(Event::ask).collect();
        assert!(asks.iter().all(|ask| ask.name == value.as_bytes()), "{text}");
        assert!(asks.len() <= 1, "{text}");
        asks.into_iter().next().map(|ask| (ask.kind, ask.way))
    };
    for (key, of_key) in [("model", Some(Model)), ("scope", None)] {
        for (path, of_ending) in [(r"a\b.paa", Some(Texture)), ("b.paa", Some(Texture)), (r"a\b", None), ("b", None)] {
            let kind = of_ending.or(of_key);
            for quotes in 0..3 {
                let around = |inner: &str| (0..quotes).fold(inner.to_owned(), |inner, _| format!("QUOTE({inner})"));
                for name in ["PATHTOF", "QPATHTOF", "QPATHTO_R"] {
                    for inner in [format!("{name}({path})"), format!("{name}( {path} )")] {
                        let way = Way::Built { addon: None, is_below: true, path: path.into() };
                        let value = around(&inner);
                        assert_eq!(ask(key, &value), kind.map(|kind| (kind, way)), "{key} = {value}");
                    }
                }
                let value = around(&format!("QPATHTOEF(own , {path})"));
                let way = Way::Built { addon: Some(b"own".to_vec()), is_below: true, path: path.into() };
                assert_eq!(ask(key, &value), kind.map(|kind| (kind, way)), "{key} = {value}");
                // Without a comma it names no addon.
                assert_eq!(ask(key, &around(&format!("QPATHTOEF({path})"))), None);
                for other in ["OTHER", "pathtof", "QUOTES"] {
                    let value = around(&format!("{other}({path})"));
                    assert_eq!(ask(key, &value), kind.map(|kind| (kind, Way::Unresolved)), "{key} = {value}");
                }
                let value = around(path);
                let way = match quotes {
                    0 if of_ending.is_some() || path.contains('\\') => Way::Path,
                    0 => Way::Unresolved,
                    _ => Way::Built { addon: None, is_below: false, path: path.into() },
                };
                assert_eq!(ask(key, &value), kind.map(|kind| (kind, way)), "{key} = {value}");
            }
        }
        // Numbers and nothing name no file.
        for value in ["", "1", "-2.5e3", "0", ".5"] {
            assert_eq!(ask(key, value), None, "{key} = {value}");
        }
    }
}

/// What `verify` says about a config.
fn mistakes(text: &str) -> Vec<String> {
    let mut scan = Scan::new([""]);
    scan.depth = Depth::Verify;
    let record = scan.record(Path::new("config.cpp"), text.as_bytes());
    let of_syntax = record.summary.problems.into_iter().filter(|problem| problem.code == Code::Syntax);
    of_syntax
        .map(|problem| {
            assert_eq!(problem.severity, Severity::Warning);
            problem.message.into_owned()
        })
        .collect()
}

#[test]
fn mistakes_in_configs_have_line_and_column() {
    let start = "class CfgPatches\n{\n\tclass own { units[] = {}; };\n};\n";
    let found = |text: &str| mistakes(&format!("{start}{text}"));
    let cases = [
        ("class a\n{\n\tx = \"b\"\n\ty = 2;\n};\n", "line 7, column 9: ; is missing after a value"),
        ("class a\n{\n\tx = -0.5 // here\n};\n", "line 7, column 10: ; is missing after a value"),
        ("class a\n{\n\tx[] = {1, 2}\n\ty[] = {3};\n};\n", "line 7, column 14: ; is missing after }"),
        ("class a\n{\n}\nclass b {};\n", "line 7, column 2: ; is missing after }"),
        ("class a\n{\n\tx = \"b;\n};\n", "line 7, column 6: a text does not end on its line"),
        ("class a\n{\n\tx = 1;\n", "line 6, column 1: the file ends before the } of this {"),
        ("class a {};\n};\n", "line 6, column 1: } closes nothing"),
    ];
    for (text, message) in cases {
        assert_eq!(found(text), [message], "{text}");
    }
}

/// Comments of every form, closed or open, at the start, in the middle and after the last entry.
#[test]
fn an_open_comment_hides_the_rest() {
    for (text, expected) in [
        ("a = 1; /* b = 2; */ c = 3;", &["1:5 a = 1", "1:25 c = 3"][..]),
        ("a = 1; /* b = 2; c = 3;", &["1:5 a = 1"]),
        ("a = 1; /* b = 2;\n c = 3;\n/* d = 4;", &["1:5 a = 1"]),
        ("a = 1; /*/ b = 2;", &["1:5 a = 1"]),
        ("/* a = 1; class B { c = 2; };", &[]),
        ("a = 1; // b = 2;\nc = 3; // d = 4;", &["1:5 a = 1", "2:5 c = 3"]),
    ] {
        assert_eq!(lines(text), expected, "{text}");
    }
}

#[test]
fn arrays_on_their_own_line_make_a_config() {
    let text = "class CfgPatches\n{\n\tclass own\n\t{\n\t\tunits[]=\n\t\t{\n\t\t\t\"a\"\n\t\t};\n\t};\n};\n";
    let record = Scan::new([""]).record(Path::new("other.txt"), text.as_bytes());
    let plain = Scan::new([""]).record(Path::new("other.txt"), b"no config");
    assert_ne!(record.summary.problems[0].message, plain.summary.problems[0].message);
}

/// A semicolon ends an array at any depth, so that missing braces cost no entry after it.
#[test]
fn a_semicolon_ends_all_levels_of_an_array() {
    for opened in 1..5 {
        for closed in 0..=opened {
            let text = format!("a[] = {}1{}; b = 2; c[] = {{3}};", "{".repeat(opened), "}".repeat(closed));
            let mut events = Vec::new();
            for event in lines(&text) {
                events.push(event.split_once(' ').unwrap().1.to_owned());
            }
            assert_eq!(events, ["array a", "item of a: 1", "b = 2", "array c", "item of c: 3"], "{text}");
        }
    }
}

#[test]
fn what_macros_and_conditions_may_explain_is_no_mistake() {
    let sound = [
        "x = QUOTE(a)\ny = 1;",
        "x = 1 SEMICOLON\ny = 1;",
        "class a { MACRO(b) class c {}; };",
        "OPEN(a)\n x = 1;\n};",
        "#ifdef A\nclass a {\n#else\nclass b {\n#endif\n};",
        "#define OPEN class a {\nOPEN\n x = 1; };",
        "x = \"say \"\"hello\"\"; {\";",
        "// } {\n/* { \" */ x = 1;",
        "x[] = {\n \"a\",\n {1, 2}\n};",
        "x[] += {1};\nclass a;\ndelete b;\nclass c: a {};",
        "x = \"one\" \\n \"two\";",
        "class a { x = 1; }; // the end",
        "#define LONG(x) x = 1; \\\n y = \"b\nclass a {};",
    ];
    for text in sound {
        assert_eq!(
            mistakes(&format!("class CfgPatches {{ class own {{ units[] = {{}}; }}; }};\n{text}\n")),
            [""; 0],
            "{text}"
        );
    }
    let mut configs = 0;
    for path in below(&root().join("corpus")).into_iter().chain(outside().into_iter().flat_map(|folder| below(&folder)))
    {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| ["cpp", "rvmat", "cfg", "bisurf", "sqm"].contains(&extension)) {
            configs += 1;
            assert_eq!(mistakes(&text), [""; 0], "{}", path.display());
        }
    }
    assert!(configs >= 3, "{configs}");
}
