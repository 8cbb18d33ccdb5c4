//! Configs as text, compiled to the binary form.

use meshpeek::rap::Config;
use meshpeek::rap::text::to_binary;
use meshpeek::summary::{Code, Problems};
use meshpeek::{Budget, Error, Inspect, Limits};

use crate::memory::usage_of;
use crate::support::files::{below, outside};
use crate::support::mutate::Random;
use crate::writer::rap::{Class, Entry, Value, class, corpus, file, root, text};

fn budget(text: &[u8]) -> Budget {
    Budget::new(text.len() as u64, &Limits::default())
}

/// The binary form of a text, and what it lacks.
fn compiled(text: &str) -> (Vec<u8>, Vec<String>) {
    let budget = budget(text.as_bytes());
    let binary = to_binary(text.as_bytes(), &budget).unwrap();
    (binary.bytes().to_vec(), binary.unread().to_vec())
}

fn refused(text: &[u8]) -> Error {
    to_binary(text, &budget(text)).unwrap_err()
}

fn value(name: &str, value: Value) -> Entry {
    Entry::Value(name.to_owned(), value)
}

/// Checks that a text has the binary form of this class, and that nothing in it is not read.
#[track_caller]
fn check(text: &str, config: &Class) {
    let (bytes, unread) = compiled(text);
    assert_eq!(unread, [""; 0], "{text}");
    assert_eq!(bytes, file(config, &[]).to_vec(), "{text}");
}

#[test]
fn values_have_the_types_that_their_text_says() {
    let cases = [
        ("1", Value::Int(1)),
        ("-0", Value::Int(0)),
        ("+7", Value::Int(7)),
        ("2147483647", Value::Int(i32::MAX)),
        ("-2147483648", Value::Int(i32::MIN)),
        ("2147483648", Value::Long(1 << 31)),
        ("-9223372036854775808", Value::Long(i64::MIN)),
        ("9223372036854775808", Value::Float(9_223_372_036_854_775_808.0)),
        ("0x1F", Value::Int(31)),
        ("0XfF", Value::Int(255)),
        ("0x+1", text("0x+1")),
        ("0x-1", text("0x-1")),
        ("0x", text("0x")),
        ("1.", Value::Float(1.0)),
        (".5", Value::Float(0.5)),
        ("-1e-3", Value::Float(-1e-3)),
        ("1e39", Value::Float(f32::INFINITY)),
        ("inf", text("inf")),
        ("nan", text("nan")),
        ("-inf", text("-inf")),
        ("1 + 2", text("1 + 2")),
        ("a word", text("a word")),
        ("true", text("true")),
        ("", text("")),
        ("\"1\"", text("1")),
        ("\"a\"\"b\"", text("a\"b")),
        ("\"a\" \\n \"b\"", text("a\nb")),
        ("__EVAL(1 + (2))", Value::Expression(b"1 + (2)".to_vec())),
        ("1 // not 2", Value::Int(1)),
        ("/* not 2 */ 1", Value::Int(1)),
    ];
    for (written, expected) in cases {
        check(&format!("key = {written};\n"), &root([value("key", expected.clone())]));
        // An array has no empty items.
        if !written.is_empty() {
            let array = Entry::Array("key".to_owned(), vec![expected.clone(), Value::Array(vec![expected])]);
            check(&format!("key[] = {{{written}\n, {{{written}\n}}}};\n"), &root([array]));
        }
    }
}

#[test]
fn what_a_text_leaves_out_is_where_a_reader_expects_it() {
    let inner = || class("Inner", "", [value("a", Value::Int(1))]);
    let outer = root([class("Outer", "Base", [inner()]), value("b", Value::Int(2))]);
    check("class Outer: Base { class Inner { a = 1; }; }; b = 2;", &outer);
    // Braces, semicolons and line breaks may be elsewhere.
    check("class Outer:Base{class Inner{a=1}}b=2", &outer);
    check("CLASS Outer\n:\nBase\n{\nclass Inner\n{\na\n=\n1\n}\n}\n;;\nb = 2\n", &outer);
    let nested = Value::Array(vec![Value::Array(Vec::new()), Value::Int(2)]);
    let array = root([Entry::Array("x".to_owned(), vec![Value::Int(1), nested])]);
    check("x[] = {1, {{}, 2}};", &array);
    check("x[]={1,{{},2,},}", &array);
    check("", &root([]));
    check("// nothing\n", &root([]));
    let others = [Entry::Extern("A".to_owned()), Entry::Delete("B".to_owned())];
    check("class A; delete B;", &root(others));
    check("x[] += {1};", &root([Entry::Append("x".to_owned(), vec![Value::Int(1)])]));
}

#[test]
fn what_ends_too_early_or_too_late_is_closed_and_listed() {
    let inner = || class("Inner", "", [value("a", Value::Int(1))]);
    let nested = Value::Array(vec![Value::Array(Vec::new()), Value::Int(2)]);
    let array = root([Entry::Array("x".to_owned(), vec![Value::Int(1), nested])]);
    let cases = [
        (
            "class Outer: Base { class Inner { a = 1;",
            root([class("Outer", "Base", [inner()])]),
            "the text ends in a class",
        ),
        (
            "class Inner { a = 1; }; }; b = 2;",
            root([inner(), value("b", Value::Int(2))]),
            "line 1: a brace that closes nothing",
        ),
        ("x[] = {1, {{}, 2;", array.clone(), "line 1: an array ends without its braces"),
        ("x[] = {1, {{}, 2", array, "the text ends in an array"),
        (
            "x = \"a\nb = 2;",
            root([value("x", text("a")), value("b", Value::Int(2))]),
            "line 1: a text without a closing quote ends with its line",
        ),
    ];
    for (written, config, expected) in cases {
        let (bytes, unread) = compiled(written);
        assert_eq!(unread, [expected], "{written}");
        assert_eq!(bytes, file(&config, &[]).to_vec(), "{written}");
    }
}

#[test]
fn constants_count_on_from_the_one_before() {
    let (bytes, unread) = compiled("enum { A, B = 7, C, D = -1, E, };");
    let config = Config::parse(&bytes).unwrap();
    let constants: Vec<_> = config.enums().unwrap().iter().map(|one| (one.name.to_string(), one.value)).collect();
    let expected = [("A", 0), ("B", 7), ("C", 8), ("D", u32::MAX), ("E", 0)];
    assert_eq!(constants, expected.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(unread, [""; 0]);
    let same = [
        "enum { A, // one, } two\n B = 7, /* } */ C, D = -1, E };",
        "enum Name { A, B = 0x7, C, D = 4294967295, E };",
        "enum{A,B=7,C,D=-1,E}",
    ];
    for text in same {
        assert_eq!(compiled(text), (bytes.clone(), Vec::new()), "{text}");
    }
    let cases = [
        ("enum { A = B };", "line 1: the value of A is no number of 32 bits"),
        ("enum { A = 5000000000 };", "line 1: the value of A is no number of 32 bits"),
        ("enum { A = -2147483649 };", "line 1: the value of A is no number of 32 bits"),
        ("enum { A B };", "line 1: A B is no name"),
        ("enum { = 1 };", "line 1:  is no name"),
    ];
    for (text, expected) in cases {
        assert_eq!(compiled(text).1, [expected], "{text}");
    }
}

#[test]
fn macros_of_the_text_are_expanded_in_names_and_values() {
    check(
        "#define NAME A\n#define BASE B\n#define KEY k\n#define HEAVY 40\n#define CAT(a,b) a##b\n\
         class NAME: BASE { KEY = 1; CAT(K,EY)[] = {HEAVY}; class CAT(x,y); delete NAME; m = __EVAL(HEAVY*2); };",
        &root([class(
            "A",
            "B",
            [
                value("k", Value::Int(1)),
                Entry::Array("k".to_owned(), vec![Value::Int(40)]),
                Entry::Extern("xy".to_owned()),
                Entry::Delete("A".to_owned()),
                value("m", Value::Expression(b"40*2".to_vec())),
            ],
        )]),
    );

    check(
        "#define ONE 1\n#define NAME \"a\"\"b\"\n#define ADD(a,b) a##b\n#define Q(x) #x\n\
         a = ONE; b = NAME; c[] = {ONE, ADD(1,2)}; d = Q(x y); e = \"ONE\";\n\
         #undef ONE\nf = ONE;\n#define ONE 0.5\ng = ONE;",
        &root([
            value("a", Value::Int(1)),
            value("b", text("a\"b")),
            Entry::Array("c".to_owned(), vec![Value::Int(1), Value::Int(12)]),
            value("d", text("x y")),
            value("e", text("ONE")),
            value("f", text("ONE")),
            value("g", Value::Float(0.5)),
        ]),
    );
}

#[test]
fn what_is_not_read_is_listed_with_its_line() {
    let cases = [
        ("#include \"a\\b.hpp\"", "line 2: #include \"a\\b.hpp\" is not followed"),
        ("#include a.hpp", "line 2: an #include without a path"),
        ("#include <a", "line 2: an #include without a path"),
        ("#include", "line 2: an #include without a path"),
        ("x = \"a\" \"b\";", "line 2: a text that belongs to no entry"),
        ("x[] = {\"a\"+\"b\"};", "line 2: +\"b\" is kept as text"),
        ("class X: Y;", "line 2: a class without a body inherits from no other"),
        ("delete;", "line 2: an entry or a parent without a name"),
        ("class : B {};", "line 2: an entry or a parent without a name"),
        ("w[] -= {1};", "line 2: -= is read as ="),
        ("#define M \"m1\",\"m2\"\nx[] = {M};", "line 3: M is kept as text"),
        ("#define C 1,0,0,1\nx[] = {C};", "line 3: C is kept as text"),
        ("#define E \"a\"; y = 2\nx = E;", "line 3: E is kept as text"),
        ("#define T(x) x\nx = T(\"x\" \"y\");", "line 3: T(\"x\" \"y\") is kept as text"),
        ("#include <a.hpp>", "line 2: #include \"a.hpp\" is not followed"),
        ("#ifdef DEBUG\n#endif", "line 2: both branches of the condition DEBUG are read"),
        ("#ifndef DEBUG\n#else\n#endif", "line 2: both branches of the condition DEBUG are read"),
        ("#if A > 1\n#endif", "line 2: both branches of the condition A > 1 are read"),
        ("ENTRIES(a)", "line 2: ENTRIES(a) may stand for entries"),
        ("ENTRIES", "line 2: ENTRIES may stand for entries"),
        ("x = CALL(a);", "line 2: CALL(a) is kept as text"),
        ("x = QUOTE(a);", "line 2: QUOTE(a) is kept as text"),
        ("x[] = {CALL(a)};", "line 2: CALL(a) is kept as text"),
        ("#define L {1,2}\nx[] = {L};", "line 3: L is kept as text"),
        ("x[] = 1;", "line 2: an array without braces is kept as a value"),
        ("x[] = L;", "line 2: an array without braces is kept as a value"),
        ("x[] += L;", "line 2: an array without braces is kept as a value"),
        ("class NAME(a) {};", "line 2: NAME(a) is kept as a name"),
        ("class B: NAME(a) {};", "line 2: NAME(a) is kept as a name"),
        ("class NAME(a);", "line 2: NAME(a) is kept as a name"),
        ("delete NAME(a);", "line 2: NAME(a) is kept as a name"),
        ("NAME(a) = 1;", "line 2: NAME(a) is kept as a name"),
        ("NAME(a)[] = {1};", "line 2: NAME(a) is kept as a name"),
    ];
    for (line, expected) in cases {
        let (_, unread) = compiled(&format!("class A {{}};\n{line}\n"));
        assert_eq!(unread, [expected], "{line}");
    }
    let (_, unread) = compiled(&"#include \"a.hpp\"\n".repeat(30));
    assert_eq!(unread.len(), 21);
    assert_eq!(unread[19], "line 20: #include \"a.hpp\" is not followed");
    assert_eq!(unread[20], "and 10 more");
    let (_, unread) = compiled(&format!("class A {{}};\nx = F({});", "y".repeat(1000)));
    assert!(unread[0].len() < 200, "{unread:?}");
}

#[test]
fn what_the_binary_form_cannot_hold_is_an_error_at_its_offset() {
    let deepest = |count: usize| "class a{".repeat(count);
    let arrays = |count: usize| format!("x[]={}", "{".repeat(count));
    assert_eq!(compiled(&deepest(64)).1, ["the text ends in a class"]);
    assert_eq!(compiled(&arrays(64)).1, ["the text ends in an array"]);
    let cases = [
        (b"a = \"b\0\";".to_vec(), "a byte 0, which no text of a config has", Some(6)),
        (deepest(65).into_bytes(), "classes in classes deeper than 64", Some(65 * 8)),
        (arrays(65).into_bytes(), "arrays in arrays deeper than 64", Some(4 + 65)),
        (b"<html>".to_vec(), "not a config", None),
        (b"void f() {}".to_vec(), "not a config", None),
    ];
    for (text, expected, offset) in cases {
        let error = refused(&text);
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.offset(), offset, "{error}");
    }
}

#[test]
fn binary_files_of_the_corpus_compile_to_their_own_bytes() {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    files.extend(corpus().into_iter().map(|(name, bytes)| (name.to_owned(), bytes)));
    if let Some(folder) = outside() {
        for path in below(&folder.join("rap")) {
            files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    files.retain(|(_, bytes)| bytes.starts_with(b"\0raP"));
    for (name, bytes) in &files {
        let mut text = Vec::new();
        Config::parse(bytes).unwrap().write_text(&mut text, &budget(bytes)).unwrap();
        let budget = budget(&text);
        let binary = to_binary(&text, &budget).unwrap();
        assert_eq!(binary.unread(), [""; 0], "{name}");
        assert!(binary.bytes() == bytes, "{name}");
    }
    assert!(files.len() >= 5, "{}", files.len());
}

#[test]
fn mutated_texts_compile_or_are_refused() {
    let mut random = Random(0x636f_6d70);
    let texts = [
        &b"#define A(x) x##1\nclass B: C { a[] = {1, {\"x\"\"y\", A(2)}}; class D; delete E; f += 1; };\nenum { G = 1 };"[..],
        b"a = __EVAL(1 + 2);\n#ifdef X\nb[] += {1.5e3, -1};\n#else\n#include \"c.hpp\"\n#endif\n/* d */ // e\n",
    ];
    let mut compiled = 0;
    for _ in 0..20_000 {
        let mut text = texts[random.below(2)].to_vec();
        for _ in 0..=random.below(4) {
            let place = random.below(text.len());
            match random.below(3) {
                0 => drop(text.remove(place)),
                1 => text.insert(place, b"{}[]();=,\"#\\/\n A1"[random.below(17)]),
                _ => text[place] = random.next() as u8,
            }
        }
        let budget = budget(&text);
        let Ok(binary) = to_binary(&text, &budget) else { continue };
        compiled += 1;
        let config = Config::parse(binary.bytes()).unwrap();
        for step in config.classes() {
            step.unwrap();
        }
        config.enums().unwrap();
        // What is compiled has all of its bytes read.
        let mut problems = Problems::new(&Limits::default());
        config.verify(&mut problems);
        let problems = problems.into_vec();
        assert!(problems.is_empty(), "{problems:?}: {}", String::from_utf8_lossy(&text));
    }
    assert!(compiled > 10_000, "{compiled}");
}

#[test]
fn memory_is_in_proportion_to_the_text_and_charged() {
    let limits = Limits::default().with_decoded_bytes(1 << 24);
    for unit in ["class a{};", "a=1;", "x[]={{},{1},2};", "enum{A};", "#define A\n", "A(x)", "#undef A\n", "x=A(1);"] {
        let text = unit.repeat(4_000_000 / unit.len());
        let budget = Budget::new(text.len() as u64, &limits);
        let (result, usage) = usage_of(|| to_binary(text.as_bytes(), &budget));
        match result {
            Ok(binary) => assert!(!binary.bytes().is_empty()),
            Err(error) => assert_eq!(error.code(), Code::DecodedBytesLimit, "{unit}: {error}"),
        }
        assert!(usage.peak < 48 << 20, "{unit}: {}", usage.peak);
    }
}
