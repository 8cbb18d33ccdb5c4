//! Configs in both forms: `cat --text`, `export`, and the verbs that read text as they read the binary form.

use crate::support::files::root;
use crate::support::program::{Folder, code, program, run, stderr, stdout};
use crate::writer::rap::{self, class, file, value};
use crate::writer::zip::{Entry, zip};

const MATERIAL: &str = "corpus/rap/material.rvmat";

#[test]
fn a_binary_config_is_written_as_text_from_a_file_or_a_member() {
    let output = run(["cat", "--text", MATERIAL]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let text = stdout(&output);
    assert!(text.starts_with("ambient[] = {1.0, 0.5, 1, 1.0};\nspecularPower = 60;\n"), "{text}");
    assert!(text.contains("\nclass Stage1 {\n\ttexture = \"own\\data\\house_nohq.paa\";\n"), "{text}");
    assert!(text.ends_with("\tclass uvTransform {\n\t\taside[] = {1.0, 0.5, 1, 1.0};\n\t};\n};\n"), "{text}");

    let folder = Folder::new("config-text");
    let bytes = std::fs::read(root().join(MATERIAL)).unwrap();
    let archive = folder.file("x.zip", zip(&[Entry::stored("a.rvmat", &bytes)], b"").to_vec());
    assert_eq!(stdout(&run(["cat", "--text", &format!("{}!/a.rvmat", archive.display())])), text);
    // What is text already stays as it is, and has no mistakes.
    let written = folder.file("b.rvmat", &text);
    assert_eq!(stdout(&run(["cat", "--text", written.to_str().unwrap()])), text);
    let verified = run(["verify", written.to_str().unwrap()]);
    assert_eq!(code(&verified), 0, "{}{}", stdout(&verified), stderr(&verified));
    // Without the flag, the bytes are the stored ones.
    assert_eq!(run(["cat", MATERIAL]).stdout, bytes);
}

#[test]
fn what_is_no_config_is_refused() {
    for path in ["corpus/b3d/everything.b3d", "README.md", "corpus/zip/addons.zip"] {
        let output = run(["cat", "--text", path]);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{path}");
        assert_eq!(stderr(&output), format!("meshpeek: {path}: not a binary config\n"));
    }
    let output = run(["cat", "--text", "README.md", MATERIAL]);
    assert_eq!(code(&output), 1);
    assert_eq!(stdout(&output), stdout(&run(["cat", "--text", MATERIAL])));
}

#[test]
fn a_damaged_config_is_not_taken_for_a_whole_one() {
    let folder = Folder::new("config-text-damaged");
    let config = rap::root([value("a", "b"), class("C", "", [value("d", "e")])]);
    let damaged = folder.file("damaged.bin", file(&config, &[]).set("type", [9]).to_vec());
    let path = damaged.to_str().unwrap();
    let output = run(["cat", "--text", path]);
    assert_eq!((code(&output), stdout(&output)), (2, "a = \"b\";\n".to_owned()));
    let said = stderr(&output);
    assert!(said.contains("damaged.bin: classes[1].entries[0].value at 0x"), "{said}");
    assert!(said.contains("value of unknown type 9"), "{said}");
    assert_eq!(code(&run(["cat", "--text", path, MATERIAL])), 1);
    let out = folder.0.join("out.cpp");
    let output = program().args(["cat", "--text", path, "-o"]).arg(&out).output().unwrap();
    assert!(code(&output) == 2 && !out.exists(), "{}", stderr(&output));
    let output = run(["cat", "--text", "corpus/hostile/rap_version.bin"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("raP of version 7, only 8 is known"), "{}", stderr(&output));
}

#[test]
fn the_text_of_a_config_is_limited() {
    let entries: Vec<rap::Entry> = (0..100_000).map(|_| rap::Entry::Extern("a".to_owned())).collect();
    let config = (0..64).fold(rap::root(entries), |inner, _| rap::root([rap::Entry::Class("c".to_owned(), inner)]));
    let folder = Folder::new("config-text-limit");
    let path = folder.file("deep.bin", file(&config, &[]).to_vec());
    let path = path.to_str().unwrap();
    let output = run(["cat", "--text", "--max-output", "1", path]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--max-output raises it"), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert_eq!(code(&run(["cat", "--text", path])), 0);
    let output = run(["cat", "--text", "--max-work", "1", path]);
    assert!(code(&output) == 2 && stderr(&output).contains("--max-work raises it"), "{}", stderr(&output));
}

const EVERYTHING: &str = "corpus/rap/everything.bin";

fn json_of(file: &str) -> serde_json::Value {
    serde_json::from_slice(&run(["info", "--json", file]).stdout).unwrap()
}

/// Exports a config, and returns the path of the result.
fn exported(from: &str, folder: &Folder, name: &str) -> String {
    let to = folder.0.join(name);
    let output = program().args(["export", from, "-o"]).arg(&to).output().unwrap();
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (0, String::new(), String::new()), "{from}");
    to.to_str().unwrap().to_owned()
}

#[test]
fn both_forms_of_a_config_are_exported_and_read_alike() {
    let folder = Folder::new("config-forms");
    for binary in [EVERYTHING, MATERIAL] {
        for ending in ["cpp", "hpp", "CPP", "rvmat", "sqm", "cfg", "bisurf"] {
            let text = exported(binary, &folder, &format!("text.{ending}"));
            assert_eq!(std::fs::read_to_string(&text).unwrap(), stdout(&run(["cat", "--text", binary])));
        }
        let text = exported(binary, &folder, "text.cpp");
        let again = exported(&text, &folder, "again.bin");
        assert!(std::fs::read(&again).unwrap() == std::fs::read(root().join(binary)).unwrap());
        for verb in [&["tree"][..], &["tree", "--fields"], &["tree", "--format", "ndjson"], &["dump"]] {
            let of_text = run(verb.iter().chain(&[&text[..]]));
            assert_eq!(code(&of_text), 0, "{}", stderr(&of_text));
            assert_eq!(stdout(&of_text), stdout(&run(verb.iter().chain(&[binary]))), "{verb:?}");
            let is_tree = verb[0] == "tree";
            assert_eq!(stderr(&of_text).contains("offsets are those of the config in binary form"), is_tree);
        }
        let selector = "classes/0/entries/0";
        assert_eq!(stdout(&run(["dump", &text, selector])), stdout(&run(["dump", binary, selector])));
        let [of_text, of_binary] = [&text[..], binary].map(json_of);
        assert_eq!(of_text["detail"], of_binary["detail"]);
        // The binary form has inner classes after the entries of the outer one.
        let names = |json: &serde_json::Value| {
            let mut names: Vec<String> =
                json["references"].as_array().unwrap().iter().map(|reference| reference.to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&of_text), names(&of_binary));
        assert_eq!((&of_text["format"], &of_text["unread"]), (&serde_json::json!(null), &serde_json::json!([])));
        assert_eq!(of_binary.get("unread"), None);
        let classes = |file: &str| stdout(&run(["info", file])).split("Classes\n").nth(1).unwrap().to_owned();
        assert_eq!(classes(&text), classes(binary));
        for (a, b) in [(&text[..], binary), (binary, &text), (&text, &text)] {
            let output = run(["diff", a, b]);
            assert_eq!((code(&output), stdout(&output)), (0, String::new()), "{}", stderr(&output));
        }
    }
}

#[test]
fn a_text_is_compared_with_a_binary_by_values() {
    let folder = Folder::new("config-diff");
    let text = folder.file("a.cpp", "// comment\nclass A\n{\n  b = 2;\n  c[]={1,\"x\"};\n};\n");
    let config = |number| {
        let entries = [value("b", number), rap::Entry::Array("c".to_owned(), vec![rap::Value::Int(1), rap::text("x")])];
        file(&rap::root([class("A", "", entries)]), &[]).to_vec()
    };
    let binary = folder.file("a.bin", config("2"));
    let output = run(["diff".as_ref(), text.as_os_str(), binary.as_os_str()]);
    // A number is no text.
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("value"), "{}", stdout(&output));
}

#[test]
fn texts_are_the_same_only_if_both_are_read_whole() {
    let folder = Folder::new("config-halves");
    // In both, the same is read.
    let whole = folder.file("whole.cpp", "class A { b = 1; };\n");
    let cut = folder.file("cut.cpp", "#include \"b.hpp\"\nclass A { b = 1; };\n");
    for (a, b, status) in [(&whole, &whole, 0), (&whole, &cut, 2), (&cut, &whole, 2), (&cut, &cut, 2)] {
        let output = run(["diff".as_ref(), a.as_os_str(), b.as_os_str()]);
        assert_eq!((code(&output), stdout(&output)), (status, String::new()), "{} {}", a.display(), b.display());
    }
}

#[test]
fn what_is_not_read_of_a_text_is_said_by_every_verb() {
    let folder = Folder::new("config-unread");
    let text = folder.file("a.cpp", "#include \"b.hpp\"\nclass A { b = F(1); };\n");
    let text = text.to_str().unwrap();
    let out = folder.0.join("out.bin");
    let said = [
        format!("meshpeek: {text}: line 1: #include \"b.hpp\" is not followed\n"),
        format!("meshpeek: {text}: line 2: F(1) is kept as text\n"),
    ];
    let out_path = out.to_str().unwrap();
    for (args, status) in [
        (&["tree", text][..], 1),
        (&["dump", text], 1),
        (&["info", text], 1),
        (&["info", "--json", text], 1),
        (&["info", text, EVERYTHING], 1),
        (&["diff", text, text], 2),
        (&["diff", EVERYTHING, text], 2),
        (&["export", text, "-o", out_path], 1),
    ] {
        let output = run(args);
        assert_eq!(code(&output), status, "{args:?}: {}", stderr(&output));
        for line in &said {
            assert!(stderr(&output).contains(line), "{args:?}: {}", stderr(&output));
        }
    }
    let json = json_of(text);
    let unread = ["line 1: #include \"b.hpp\" is not followed", "line 2: F(1) is kept as text"];
    assert_eq!(json["unread"], serde_json::json!(unread));
    assert!(out.exists());
}

#[test]
fn a_config_is_exported_in_its_other_form_alone() {
    let folder = Folder::new("config-refused");
    let text = exported(EVERYTHING, &folder, "text.cpp");
    let out = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    for (from, to, expected) in [
        (&text[..], out("a.cpp"), "is text already"),
        (EVERYTHING, out("a.bin"), "is a binary config already"),
        ("corpus/b3d/everything.b3d", out("a.bin"), "not a config"),
        ("corpus/b3d/everything.b3d", out("a.cpp"), "not a config"),
        ("README.md", out("a.bin"), "not a config"),
        (EVERYTHING, out("a.glb"), "a config has no triangles"),
    ] {
        let output = run(["export", from, "-o", &to]);
        assert_eq!(code(&output), 2, "{from} to {to}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!std::path::Path::new(&to).exists(), "{to}");
    }
    // Deeper classes than the binary form may have.
    let deep = folder.file("deep.cpp", "class a {".repeat(70));
    let deep = deep.to_str().unwrap();
    for args in [&["tree", deep][..], &["dump", deep], &["diff", deep, deep], &["export", deep, "-o", &out("b.bin")]] {
        let output = run(args);
        assert_eq!(code(&output), 2, "{args:?}");
        let said = "deep.cpp: at 0x249: classes in classes deeper than 64";
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
    }
    let output = run(["info", deep]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("Arma config as text"), "{}", stdout(&output));
}
