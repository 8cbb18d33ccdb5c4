//! Paths and signals of Windows. What is not special to it runs everywhere.

use std::path::PathBuf;

use crate::support::program::{Folder, code, lines, program, stderr};
use crate::writer::b3d;
use crate::writer::zip::{Entry, zip};

/// Windows has functions for paths of up to 260 characters, and prefixes for longer ones.
#[test]
fn long_paths_are_read_and_written() {
    let folder = Folder::new("long");
    let deep: PathBuf = std::iter::repeat_n("a".repeat(50), 8).collect();
    let model = folder.file(deep.join("model.b3d").to_str().unwrap(), b3d::sound().to_vec());
    let archive = folder.file(deep.join("a.zip").to_str().unwrap(), zip(&[Entry::stored("b", b"c")], b"").to_vec());
    let done = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        output
    };
    assert_eq!(lines(&done(program().arg("scan").arg(&folder.0))).len(), 2);
    let index = model.with_file_name("index.ndjson");
    // A new file, and one that is replaced.
    for _ in 0..2 {
        done(program().arg("scan").arg(&model).arg("-o").arg(&index));
        assert_eq!(std::fs::read_to_string(&index).unwrap().lines().count(), 1);
    }
    done(program().arg("export").arg(&model).arg("-o").arg(model.with_file_name("model.glb")));
    let out = model.with_file_name("out");
    done(program().arg("extract").arg(&archive).arg("-o").arg(&out));
    assert_eq!(std::fs::read(out.join("b")).unwrap(), b"c");
    let output = program().arg("scan").arg(&model).arg("-o").arg(&model).output().unwrap();
    assert!(code(&output) == 2 && stderr(&output).contains("is the same file"), "{}", stderr(&output));
    let mut left = std::fs::read_dir(model.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.all(|name| !name.to_str().unwrap().starts_with('.')), "no temporary file is left");
}

#[cfg(windows)]
mod here {
    use std::io::{BufRead, BufReader, Write};
    use std::os::windows::process::CommandExt;
    use std::path::Path;
    use std::process::Stdio;

    use meshpeek::{Access, FileMap, Limits};

    use super::super::EVERYTHING;
    use crate::support::files::root;
    use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};

    #[test]
    fn a_file_has_many_names() {
        let folder = Folder::new("names");
        let input = folder.file("Model.b3d", std::fs::read(root().join(EVERYTHING)).unwrap());
        let text = input.to_str().unwrap();
        assert!(text.as_bytes()[1..3] == *b":\\", "{text}");
        for name in [text.to_lowercase(), text.to_uppercase(), text.replace('\\', "/"), format!(r"\\?\{text}")] {
            let output = run(["scan", "-q", &name]);
            assert_eq!(lines(&output)[0]["counts"]["vertices"], 7, "{name}: {}", stderr(&output));
            let output = run(["scan", "-q", text, "-o", &name]);
            assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
            assert!(stderr(&output).contains("is the same file"), "{name}: {}", stderr(&output));
        }
        let pattern = folder.0.join("*.B3D");
        assert_eq!(lines(&run([Path::new("scan"), &pattern])).len(), 1);
    }

    #[test]
    fn colors_are_as_asked() {
        let verify = |arguments: &[&str], is_off: bool| {
            let mut command = program();
            command.args(["verify", "corpus/hostile/brush_out_of_range.b3d"]).args(arguments);
            if is_off {
                command.env("NO_COLOR", "1");
            }
            stdout(&command.output().unwrap()).contains('\x1b')
        };
        assert!(verify(&["--color", "always"], false));
        assert!(!verify(&[], false) && !verify(&["--color", "never"], false) && !verify(&[], true));
    }

    #[test]
    fn a_mapped_file_keeps_its_length() {
        let folder = Folder::new("mapped");
        let path = folder.file("a", [7; 1 << 17]);
        // SAFETY: nobody else knows the file.
        let map = FileMap::open_with(&path, unsafe { Access::map() }, &Limits::default()).unwrap();
        assert!(map.is_mapped());
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        assert!(file.set_len(1).is_err());
        assert!(map.iter().all(|byte| *byte == 7));
        drop(map);
        file.set_len(1).unwrap();
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn AllocConsole() -> i32;
        fn GenerateConsoleCtrlEvent(event: u32, group: u32) -> i32;
    }

    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    const CTRL_BREAK_EVENT: u32 = 1;

    #[test]
    fn an_interrupted_scan_ends_in_good_order() {
        // SAFETY: both calls only change consoles. There may already be one.
        let _ = unsafe { AllocConsole() };
        let mut command = program();
        command.args(["scan", "--paths-from", "-"]).creation_flags(CREATE_NEW_PROCESS_GROUP);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut list = child.stdin.take().unwrap();
        writeln!(list, "{EVERYTHING}").unwrap();
        let mut records = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(records.next().unwrap().unwrap().contains("everything.b3d"));
        // SAFETY: as above.
        if unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child.id()) } == 0 {
            println!("skipped: no console");
            child.kill().unwrap();
            return;
        }
        assert!(records.next().is_none());
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 130, "{}", stderr(&output));
        assert!(stderr(&output).ends_with("meshpeek: interrupted\n"), "{}", stderr(&output));
        drop(list);
    }
}
