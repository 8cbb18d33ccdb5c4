//! `cat --text`: binary configs as text.

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
