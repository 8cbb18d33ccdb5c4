//! Texts of configs and missions: which are read, their macros, and names without an extension.

use std::path::Path;

use serde_json::Value as Json;

use super::pbo;
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout, with_slashes};

/// Each link as `name state target`, the target without its folder.
fn links(folder: &Folder, path: &str) -> Vec<String> {
    let output = run(["refs", "-q", folder.0.join(path).to_str().unwrap()]);
    let last = |value: &Json| value.as_str().map_or("-", |text| text.rsplit(['/', '\\']).next().unwrap()).to_owned();
    let mut all = Vec::new();
    for link in lines(&output) {
        let name = link["name"].as_str().unwrap_or("-");
        all.push(format!("{name} {} {}", link["state"].as_str().unwrap(), last(&link["target"])));
    }
    let is_wrong = all.iter().any(|link| link.contains(" missing ") || link.contains(" unread "));
    assert_eq!(code(&output), i32::from(is_wrong), "{all:?} {}", stderr(&output));
    all
}

#[test]
fn texts_of_a_mission_name_files_in_its_folder() {
    let folder = Folder::new("refs-mission");
    let description = "onLoadName = \"Test\";\nloadScreen = \"pics\\load.paa\";\n#include \"ui\\dialogs.hpp\"\n\
        class CfgSounds { class horn { sound[] = {\"sounds\\horn.ogg\", 1, 1}; }; };\nclass Params { file = \"\\my\\a.sqf\"; };";
    let dialogs = "class Pic { text = \"pics\\gone.paa\"; };\n";
    let members: [(&str, &[u8]); 4] = [
        ("description.ext", description.as_bytes()),
        ("mission.sqm", b"version=53;\nclass Mission { class Intel { overviewPicture=\"pics\\load.paa\"; }; };"),
        (r"ui\dialogs.hpp", dialogs.as_bytes()),
        (r"pics\load.paa", b"x"),
    ];
    let expected = [
        r"pics\load.paa found load.paa",
        r"ui\dialogs.hpp found dialogs.hpp",
        r"pics\gone.paa missing -",
        r"sounds\horn.ogg missing -",
        r"\my\a.sqf missing -",
        r"pics\load.paa found load.paa",
    ];
    for (name, data) in members {
        folder.file(&format!("one.Altis/{}", name.replace('\\', "/")), data);
    }
    folder.file("two.Altis.pbo", pbo("", &members));
    assert_eq!(links(&folder, "one.Altis"), expected);
    assert_eq!(links(&folder, "two.Altis.pbo"), expected);
}

#[test]
fn a_text_that_is_named_is_read_under_any_name() {
    let folder = Folder::new("refs-named-text");
    let config = "class A { picture = \"my\\gone.paa\"; };\n";
    for name in ["dialogs.hpp", "ui.inc", "settings.cfg", "notes.txt", "noending", "a.rvmat", "functions.ext"] {
        folder.file(&format!("{name}.d/{name}"), config);
        let path = format!("{name}.d/{name}");
        assert_eq!(links(&folder, &path), [r"my\gone.paa missing -"], "{name}");
        let whole = folder.0.join(&path);
        let whole = whole.to_str().unwrap();
        let info = run(["info", whole]);
        assert_eq!(code(&info), 0, "{name}: {}", stderr(&info));
        assert!(stdout(&info).contains("Arma config as text") && stdout(&info).contains(r"my\gone.paa"));
        let json: Json = serde_json::from_str(&stdout(&run(["info", "--json", whole]))).unwrap();
        assert_eq!((&json["format"], &json["references"][0]["name"]), (&Json::Null, &r"my\gone.paa".into()));
        assert_eq!(json["problems"][0]["code"], "other.text");
        let verify = run(["verify", "--strict", whole]);
        assert_eq!((code(&verify), stdout(&verify).as_str()), (0, ""), "{name}");
    }
    // What is included by nothing means nothing in a folder.
    folder.file("mod/dialogs.hpp", config);
    assert_eq!(links(&folder, "mod"), [""; 0]);
    folder.file("readme.txt", "A text of words.\n");
    let readme = run(["refs", folder.0.join("readme.txt").to_str().unwrap()]);
    assert_eq!((code(&readme), stdout(&readme).as_str()), (0, ""));
}

#[test]
fn texts_of_other_programs_name_nothing() {
    let folder = Folder::new("refs-other-texts");
    let texts = [
        (
            "config.cpp",
            "#include <vector>\n#include \"config.h\"\nConfig::Config() { icon = \"a.png\"; }\nint a() { return 1; }\n",
        ),
        ("config.h", "#pragma once\n#include \"gone.h\"\nclass Config : public Base {\npublic:\n  Config();\n};\n"),
        ("all.h", "#ifndef ALL_H\n#define ALL_H\n#include \"gone.h\"\n#include \"core/gone.hpp\"\n#endif\n"),
        ("main.cpp", "#include \"config.h\"\nint main() { load(\"a.png\"); return 0; }\n"),
        ("lit.hpp", "#version 330\nuniform sampler2D a;\nvoid main() { color = texture(a, uv); }\n"),
        ("setup.cfg", "[metadata]\nicon = a.png\nname = b\n"),
        ("autoexec.cfg", "seta r_mode \"6\"\nbind x \"+attack\"\nmodel = \"a.png\";\n"),
        ("window.cfg", "window : { title = \"x\"; icon = \"a.png\"; size = ( 1, 2 ); };\n"),
        ("server.ext", "{ \"icon\": \"a.png\" }\n"),
    ];
    for (name, text) in texts {
        folder.file(&format!("program/{name}"), text);
    }
    let whole = run(["refs", folder.0.join("program").to_str().unwrap()]);
    assert_eq!((code(&whole), stdout(&whole).as_str()), (0, ""), "{}", stderr(&whole));
    for (name, _) in texts {
        let alone = run(["refs", folder.0.join("program").join(name).to_str().unwrap()]);
        assert_eq!((code(&alone), stdout(&alone).as_str()), (0, ""), "{name}: {}", stderr(&alone));
        assert!(stderr(&alone).contains("neither an asset nor a config"), "{name}: {}", stderr(&alone));
    }
}

/// A text of directives alone may also be a header of a C library. The paths of its includes, or its name, say that it is none.
#[test]
fn texts_of_directives_alone_are_configs_by_their_includes_or_their_name() {
    let folder = Folder::new("refs-directives");
    for (name, include) in [
        ("component.hpp", r"\z\my\addons\main\mod.hpp"),
        ("component.h", r"\z\my\addons\main\mod.h"),
        ("ui.inc", "gone.inc"),
        ("config.cpp", "gone.h"),
        ("description.ext", "scripts/gone.h"),
    ] {
        let path = folder.file(&format!("mod/{name}"), format!("#define COMPONENT my\n#include \"{include}\"\n"));
        let refs = run(["refs", "--format", "csv", path.to_str().unwrap()]);
        assert_eq!(code(&refs), 1, "{name}: {}", stderr(&refs));
        assert!(stdout(&refs).contains("missing"), "{name}: {}", stdout(&refs));
        assert!(stdout(&refs).contains(include.rsplit(['/', '\\']).next().unwrap()), "{name}: {}", stdout(&refs));
    }
}

/// A text names others from its own folder, wherever that is.
#[test]
fn texts_that_a_named_text_includes_are_found_and_read_in_any_folder() {
    let folder = Folder::new("refs-included");
    let main = folder.file(
        "mod/ui/main.hpp",
        "#include \"Beside.hpp\"\n#include \"sub\\inner.hpp\"\n#include \"..\\shared\\common.hpp\"\n#include \"gone.hpp\"\n\
         class A { icon = \"a.paa\"; };\n",
    );
    folder.file("mod/ui/beside.hpp", "class B { icon = \"b.paa\"; };\n");
    folder.file("mod/ui/Sub/inner.hpp", "#include \"..\\..\\shared\\common.hpp\"\nclass C { icon = \"c.paa\"; };\n");
    folder.file("mod/shared/common.hpp", "#include \"..\\ui\\main.hpp\"\nclass D { icon = \"d.paa\"; };\n");
    folder.file("mod/ui/other.hpp", "class E { icon = \"e.paa\"; };\n");
    let refs = |paths: &[&Path]| {
        let mut arguments = vec!["refs", "--format", "ndjson"];
        arguments.extend(paths.iter().map(|path| path.to_str().unwrap()));
        let found = run(arguments);
        assert_eq!(code(&found), 1, "{}", stderr(&found));
        let mut lines: Vec<String> = Vec::new();
        for line in stdout(&found).lines() {
            let row: Json = serde_json::from_str(line).unwrap();
            let last = |key: &str| row[key].as_str().unwrap_or("-").rsplit(['/', '\\']).next().unwrap().to_owned();
            lines.push(format!("{} {} {} {}", last("name"), last("state"), last("reason"), last("via")));
        }
        lines.sort();
        lines
    };
    let expected = [
        "Beside.hpp found beside -",
        "a.paa missing - -",
        "b.paa missing - beside.hpp",
        "c.paa missing - inner.hpp",
        "common.hpp found beside -",
        "common.hpp found beside inner.hpp",
        "d.paa missing - common.hpp",
        "gone.hpp missing - -",
        "inner.hpp found beside -",
        "main.hpp found beside common.hpp",
    ];
    assert_eq!(refs(&[&main]), expected);
    // Named together, they find each other, too.
    let both = refs(&[&main, &folder.0.join("mod/ui/Sub/inner.hpp")]);
    assert!(!both.iter().any(|line| line.contains(".hpp missing") && !line.contains("gone.hpp")), "{both:?}");
}

/// Includes may lead above the current folder.
#[test]
fn included_texts_above_the_current_folder_are_found() {
    let folder = Folder::new("refs-included-above");
    folder.file("mod/here/notes.txt", "x");
    let text = "#include \"..\\..\\shared\\a.hpp\"\nclass A { icon = \"a.paa\"; };\n";
    folder.file("mod/other/config.cpp", text);
    folder.file("shared/a.hpp", "#include \"..\\b.hpp\"\nclass B { icon = \"b.paa\"; };\n");
    folder.file("b.hpp", "class C { icon = \"c.paa\"; };\n");
    for (current, path, above) in [
        ("mod/here", "../other/config.cpp", "../.."),
        ("mod/other", "config.cpp", "../.."),
        (".", "mod/other/config.cpp", ""),
    ] {
        let mut command = program();
        let output = command.current_dir(folder.0.join(current)).args(["refs", "-q", path]).output().unwrap();
        let at = |name: &str| if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        let mut found = Vec::new();
        for link in lines(&output) {
            let target = link["target"].as_str().map_or("-".to_owned(), with_slashes);
            let via = link["via"].as_str().map_or("-".to_owned(), with_slashes);
            found.push(format!("{} {target} {via}", link["name"].as_str().unwrap()));
        }
        let expected = [
            format!(r"..\..\shared\a.hpp {} -", at("shared/a.hpp")),
            format!(r"..\b.hpp {} {}", at("b.hpp"), at("shared/a.hpp")),
            format!("c.paa - {}", at("b.hpp")),
            format!("b.paa - {}", at("shared/a.hpp")),
            "a.paa - -".to_owned(),
        ];
        assert_eq!(found, expected, "{current}: {}", stderr(&output));
    }
}

/// A folder of texts that include more than are read says so.
#[test]
fn included_texts_in_other_folders_have_a_limit_that_is_said() {
    let folder = Folder::new("refs-many-included");
    let mut includes = String::new();
    for number in 0..1_001 {
        includes += &format!("#include \"..\\other\\{number}.hpp\"\n");
        folder.file(&format!("other/{number}.hpp"), "class A {};\n");
    }
    let main = folder.file("mod/config.cpp", includes);
    let refs = run(["refs", "--format", "csv", main.to_str().unwrap()]);
    assert_eq!(code(&refs), 1, "{}", stderr(&refs));
    assert_eq!(stdout(&refs).matches(",found,").count(), 1_000);
    assert!(stdout(&refs).contains("includes too many texts in other folders"), "{}", stdout(&refs));
    // A text that was not read for two reasons is one file.
    let mut text = std::fs::read_to_string(&main).unwrap();
    for number in 0..5_000 {
        text += &format!("class A{number} {{ picture = \"{number}.paa\"; }};\n");
    }
    std::fs::write(&main, text).unwrap();
    let refs = run(["refs", "--missing", "--max-references", "200K", main.to_str().unwrap()]);
    assert!(
        stdout(&refs).contains("bytes of references") && stdout(&refs).contains("; includes too many"),
        "{}",
        stdout(&refs)
    );
    assert_eq!(stdout(&refs).matches("\"unread\"").count(), 1, "{}", stdout(&refs));
    assert!(stderr(&refs).contains("not all read: 1 file"), "{}", stderr(&refs));
}

/// The macros of CBA, some of a mod, and uses of them.
#[test]
fn macros_lead_to_the_files_that_their_definitions_say() {
    let folder = Folder::new("refs-macros");
    folder.file("main/$PBOPREFIX$", "z\\my\\addons\\main");
    folder.file("units/$PBOPREFIX$", "z\\my\\addons\\units");
    let macros = "#define MAINPREFIX z\n#define SUBPREFIX addons\n#define PREFIX my\n#define QUOTE(var1) #var1\n\
        #define PATHTOF_SYS(var1,var2,var3) \\MAINPREFIX\\##var1\\SUBPREFIX\\##var2\\##var3\n\
        #define PATHTOF(var1) PATHTOF_SYS(PREFIX,COMPONENT,var1)\n\
        #define PATHTOEF(var1,var2) PATHTOF_SYS(PREFIX,var1,var2)\n\
        #define QPATHTOF(var1) QUOTE(PATHTOF(var1))\n#define QPATHTOEF(var1,var2) QUOTE(PATHTOEF(var1,var2))\n";
    folder.file("main/macros.hpp", macros);
    folder.file(
        "main/config.cpp",
        "#define COMPONENT main\n#include \"macros.hpp\"\nclass A { icon = QPATHTOF(a.paa); };\n",
    );
    folder.file("main/a.paa", "x");
    folder.file("units/component.hpp", "#define COMPONENT units\n#include \"\\z\\my\\addons\\main\\macros.hpp\"\n");
    folder.file(
        "units/config.cpp",
        "#include \"component.hpp\"\n#define ICON(name) QPATHTOF(ui\\##name##_ca.paa)\n\
         #define UNIT(name,skin) class name { \\\n  model = QPATHTOF(name.p3d); \\\n  hiddenSelectionsTextures[] = {skin}; \\\n}\n\
         #define SKIN \"z\\my\\addons\\units\\skin.paa\"\n#define COMMON picture = ICON(common)\n#define SCOPE 2\n\
         class B {\n  scope = SCOPE;\n  icon = ICON(b);\n  other = QPATHTOEF(main,a.paa);\n  COMMON;\n\
           mapSize = ROUND(1);\n  editorPreview = IKON(b);\n  model = IKON(b);\n  \
           hiddenSelectionsTextures[] = {QPATHTOEF(main,b.paa), {QPATHTOEF(main,a.paa)}};\n};\n\
         UNIT(man,SKIN);\n#undef ICON\nclass C { picture = ICON(c); };\n",
    );
    folder.file("units/ui/b_ca.paa", "x");
    folder.file("units/man.p3d", "");
    let skin = r"z\my\addons\units\skin.paa";
    let found: Vec<String> = links(&folder, "units").into_iter().filter(|link| !link.contains(" unread ")).collect();
    // Without the main addon, the macros of its file are not known, but the usual ones are understood.
    assert!(found.contains(&r"\z\my\addons\main\macros.hpp missing -".to_owned()), "{found:?}");
    assert!(found.contains(&"ICON(b) found b_ca.paa".to_owned()), "{found:?}");
    let all: Vec<String> = links(&folder, "").into_iter().filter(|link| !link.contains(" unread ")).collect();
    let missing = format!("{skin} missing -");
    let expected = [
        "macros.hpp found macros.hpp",
        "QPATHTOF(a.paa) found a.paa",
        "component.hpp found component.hpp",
        r"\z\my\addons\main\macros.hpp found macros.hpp",
        "ICON(b) found b_ca.paa",
        "QPATHTOEF(main,a.paa) found a.paa",
        r"\z\my\addons\units\ui\common_ca.paa missing -",
        "IKON(b) unresolved -",
        "QPATHTOEF(main,b.paa) missing -",
        r"\z\my\addons\units\man.p3d found man.p3d",
        &missing,
        "ICON(c) unresolved -",
    ];
    assert_eq!(all, expected);
    let output = lines(&run(["refs", "-q", folder.0.to_str().unwrap()]));
    let notes: Vec<&str> =
        output.iter().filter(|link| link["state"] == "unresolved").map(|link| link["note"].as_str().unwrap()).collect();
    assert_eq!(notes, ["the macro IKON is not defined", "the macro ICON is not defined"]);
}

/// Macros that become too deep or too long are reported, and the rest is read.
#[test]
fn macros_beyond_the_limits_are_unread() {
    let folder = Folder::new("refs-macro-limits");
    let deep: String = (0..100).map(|number| format!("#define D{number}(x) D{}(x)\n", number + 1)).collect();
    let wide: String = (1..60).map(|number| format!("#define W{number}(x) W{0}(x)W{0}(x)\n", number - 1)).collect();
    for (name, text, what) in [
        ("deep", format!("{deep}model = D0(a.p3d);\nicon = \"my\\gone.paa\";\n"), "macros inside each other"),
        (
            "wide",
            format!("#define W0(x) xx\n{wide}model = W59(a.p3d);\nicon = \"my\\gone.paa\";\n"),
            "bytes of expanded macros",
        ),
    ] {
        folder.file(&format!("{name}/config.cpp"), text);
        assert_eq!(links(&folder, name), [r"my\gone.paa missing -", "- unread -"], "{name}");
        let output = run(["refs", folder.0.join(name).to_str().unwrap()]);
        let unread = lines(&output).into_iter().find(|link| link["state"] == "unread").unwrap();
        assert!(unread["note"].as_str().unwrap().contains(what), "{unread}");
    }
    // Texts that include each other end.
    folder.file("loop/config.cpp", "#include \"a.hpp\"\nclass A { icon = ICON(\"x.paa\"); };\n");
    folder.file("loop/a.hpp", "#include \"b.hpp\"\n#include \"b.hpp\"\n");
    folder.file("loop/b.hpp", "#include \"a.hpp\"\n#define ICON(x) x\n");
    let expected = ["a.hpp found a.hpp", "b.hpp found b.hpp", "a.hpp found a.hpp", "ICON(\"x.paa\") missing -"];
    assert_eq!(links(&folder, "loop"), expected);
}

/// However many uses of macros fail in a text, it is said once, and for each text.
#[test]
fn each_text_whose_macros_fail_is_unread_once() {
    let deep: String = (0..100).map(|number| format!("#define D{number}(x) D{}(x)\n", number + 1)).collect();
    for uses in 1..4 {
        let mut text = deep.clone();
        for number in 0..uses {
            text += &format!("class A{number} {{ model = D{number}(a.p3d); }};\n");
        }
        let names = [r"a\config.cpp", r"b\config.cpp", r"c\config.cpp"];
        let loose = names.map(|name| format!("loose/{}", name.replace('\\', "/")));
        let folder = Folder::new("refs-macro-texts");
        for path in &loose {
            folder.file(path, &text);
        }
        let members = names.map(|name| (name, text.as_bytes()));
        folder.file("packed/x.pbo", pbo("x", &members));
        folder.file("packed/y.pbo", pbo("y", &members[..2]));
        let packed = [("x", names[0]), ("x", names[1]), ("x", names[2]), ("y", names[0]), ("y", names[1])]
            .map(|(archive, name)| format!("packed/{archive}.pbo {name}"));
        for (place, expected) in [("loose", loose.map(|path| path + " -").to_vec()), ("packed", packed.to_vec())] {
            let output = program().current_dir(&folder.0).args(["refs", "-q", place]).output().unwrap();
            let mut found = Vec::new();
            for link in lines(&output) {
                if link["state"] == "unread" {
                    let path = with_slashes(link["path"].as_str().unwrap());
                    found.push(format!("{path} {}", link["member"].as_str().unwrap_or("-")));
                }
            }
            assert_eq!(found, expected, "{uses} uses: {}", stderr(&output));
        }
    }
}

/// The expanded text counts, however little of it is in a name.
#[test]
fn expanding_macros_is_charged() {
    let folder = Folder::new("refs-macro-work");
    let mut text = format!("#define LONG {}\n#define SECOND(a,b) b\n", "x".repeat(9_000));
    for number in 0..300 {
        text += &format!("class A{number} {{ icon = SECOND(LONG,\"my\\{number}.paa\"); }};\n");
    }
    let path = folder.file("config.cpp", text);
    let refs = |work: &str| run(["refs", "--format", "csv", "--max-work", work, path.to_str().unwrap()]);
    let output = refs("1");
    let message = "bytes of paths looked up for references, the limit set for reading; --max-work raises it";
    assert!(code(&output) == 2 && stderr(&output).contains(message), "{}", stderr(&output));
    // Some 2 MiB are for 72 KB each, eight times what is expanded.
    let found = stdout(&output).matches(",missing,").count();
    assert!((25..30).contains(&found), "{found}");
    let output = refs("64");
    assert_eq!((code(&output), stdout(&output).matches(",missing,").count()), (1, 300), "{}", stderr(&output));
}

/// A header of another program may exceed the limits; it matters only to a config that includes it.
#[test]
fn a_long_text_that_nothing_includes_is_not_unread() {
    let folder = Folder::new("refs-long-header");
    let uses: String = (0..70_000).map(|number| format!("STDMETHOD(f{number});\n")).collect();
    folder.file("m/long.h", format!("#pragma once\nint a;\n{uses}"));
    folder.file("m/config.cpp", "class A { icon = \"#(argb,8,8,3)color(1,1,1,1)\"; };");
    assert_eq!(links(&folder, "m"), ["#(argb,8,8,3)color(1,1,1,1) procedural -"]);
    folder.file("m/config.cpp", "#include \"long.h\"\nclass A {};");
    assert_eq!(links(&folder, "m"), ["long.h found long.h", "- unread -"]);
}

#[test]
fn names_without_an_extension_are_files_by_their_keys() {
    let folder = Folder::new("refs-bare-names");
    let config = r#"class CfgMovesBasic { class States { class Walk { file = "\my\anims\walk"; }; class Run { file = "my/anims/run"; }; }; };
class CfgFunctions { class my { class all { file = "my\functions"; class gone_fn {}; }; class other { file = "my\gone"; }; }; };
class CfgWeapons { class A {
  picture = "\my\ui\gear_ca"; icon = "my\ui\gone_ca"; portrait = "iconMan"; cursorAim = "EmptyCursor";
  modelOptics = "\my\optic"; gunnerOpticsModel = "my\gone_optic"; driverOpticsModel = "-"; particleShape = "my\shape";
  file = "http://x/y"; displayName = "my\word"; picture = "";
}; };"#;
    folder.file("m/$PBOPREFIX$", "my");
    folder.file("m/config.cpp", config);
    for name in ["anims/walk.rtm", "ui/gear_ca.paa", "optic.p3d", "functions/fn_gone_fn.sqf"] {
        folder.file(&format!("m/{name}"), "x");
    }
    let found: Vec<String> = links(&folder, "m").into_iter().filter(|link| !link.contains(" unread ")).collect();
    let expected = [
        r"\my\anims\walk found walk.rtm",
        "my/anims/run missing -",
        r"my\functions found -",
        r"my\gone missing -",
        r"\my\ui\gear_ca found gear_ca.paa",
        r"my\ui\gone_ca missing -",
        r"\my\optic found optic.p3d",
        r"my\gone_optic missing -",
        r"my\shape missing -",
    ];
    assert_eq!(found, expected);
}
