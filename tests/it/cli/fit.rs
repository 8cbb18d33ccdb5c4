//! `fit`: bones that an animation or a model lacks.

use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};
use crate::writer::b3d;
use crate::writer::rtm::{NONE, motion};

#[test]
fn bones_that_either_side_lacks_are_listed_with_the_nearest_names() {
    let folder = Folder::new("fit");
    let mut walk = motion(0, 2, 4, NONE);
    walk.bones = ["Body", "dor", "handle", "spine"].map(|name| name.as_bytes().to_vec()).to_vec();
    folder.file("walk.rtm", walk.plain().to_vec());
    let model = crate::support::files::root().join("corpus/odol/v54.p3d");
    let fit = |flags: &[&str]| {
        program().current_dir(&folder.0).args(["fit", "walk.rtm"]).arg(&model).args(flags).output().unwrap()
    };
    let output = fit(&[]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    assert_eq!(
        text.lines().skip(1).collect::<Vec<_>>(),
        ["  missing  dor  nearest: door", "  missing  spine", "  unmoved  door  nearest: dor"],
        "{text}"
    );
    assert!(stderr(&output).contains("4 bones moved; 0 models with every bone, 1 without"), "{}", stderr(&output));
    let rows = lines(&fit(&["--format", "ndjson"]));
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (&rows[0]["motion"], &rows[0]["bone"], &rows[0]["state"]),
        (&"walk.rtm".into(), &"dor".into(), &"missing".into())
    );
    assert_eq!(rows[0]["nearest"], serde_json::json!(["door"]));
    assert_eq!((&rows[2]["bone"], &rows[2]["state"]), (&"door".into(), &"unmoved".into()));
    walk.bones = ["door", "HANDLE"].map(|name| name.as_bytes().to_vec()).to_vec();
    for frame in &mut walk.frames {
        frame.truncate(2);
    }
    folder.file("walk.rtm", walk.plain().to_vec());
    assert_eq!((code(&fit(&[])), lines(&fit(&["--format", "ndjson"])).len()), (0, 1));
}

#[test]
fn tracks_of_models_need_nodes_of_that_name() {
    let folder = Folder::new("fit-b3d");
    let scene = |names: &[&str], keyed: bool| {
        let node = |name: &&str| b3d::node(name, keyed.then(|| b3d::keys(1, [1, 2])));
        b3d::scene([b3d::node("root", names.iter().map(node))]).to_vec()
    };
    folder.file("walk.b3d", scene(&["hip", "knee"], true));
    folder.file("hero.b3d", scene(&["hip", "knees"], false));
    folder.file("twin.b3d", scene(&["HIP", "knee"], false));
    let fit =
        |models: &[&str]| program().current_dir(&folder.0).args(["fit", "walk.b3d"]).args(models).output().unwrap();
    let output = fit(&["hero.b3d", "twin.b3d"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    assert!(text.starts_with("hero.b3d\n  missing  knee  nearest: knees\n"), "{text}");
    assert!(
        text.contains("twin.b3d\n  unmoved  root\n  case     hip  is HIP there\n")
            && text.matches("missing").count() == 1,
        "{text}"
    );
    assert_eq!(code(&fit(&["twin.b3d"])), 0);
    assert_eq!(code(&fit(&["none.b3d", "twin.b3d"])), 1);
    assert_eq!(code(&fit(&["none.b3d"])), 2);
    let lodka = run(["fit", "corpus/lodka/everything.lod", "corpus/lodka/everything.lod"]);
    assert_eq!(code(&lodka), 0, "{}", stderr(&lodka));
    for (motion, model, said) in [
        ("corpus/odol/v54.p3d", "corpus/odol/v54.p3d", "without an animation"),
        ("corpus/rtm/plain.rtm", "corpus/bmx/full.bmx", "without bones"),
    ] {
        let output = run(["fit", motion, model]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

/// An MLOD has no skeleton. A bone moves the selection of its name in some LOD; other selections need no bone.
#[test]
fn selections_of_an_mlod_are_taken_for_bones() {
    use crate::writer::mlod::{lod, model, tag};
    let folder = Folder::new("fit-mlod");
    let mut walk = motion(0, 2, 3, NONE);
    walk.bones = ["Door", "hande", "roof"].map(|name| name.as_bytes().to_vec()).to_vec();
    folder.file("walk.rtm", walk.plain().to_vec());
    let of = |names: &[&str]| lod(1, &[], &names.iter().map(|name| tag(name, &[1])).collect::<Vec<_>>(), 1.0);
    let lods = [of(&["door", "#Mass#", "camo", "proxy:roof.001"]), of(&["ROOF", "handle"])];
    folder.file("house.p3d", model(&lods).to_vec());
    let fit =
        |models: &[&str]| program().current_dir(&folder.0).args(["fit", "walk.rtm"]).args(models).output().unwrap();
    let output = fit(&["house.p3d"]);
    assert_eq!(
        (code(&output), stdout(&output).as_str()),
        (
            1,
            "house.p3d\n  missing  hande  nearest: handle\n  case     Door  is door there\n  \
             case     roof  is ROOF there\n"
        )
    );
    folder.file("house.p3d", model(&[of(&["door", "hande", "Roof"])]).to_vec());
    let same = "house.p3d\n  case     Door  is door there\n  case     roof  is Roof there\n";
    assert_eq!((code(&fit(&["house.p3d"])), stdout(&fit(&["house.p3d"])).as_str()), (0, same));
    folder.file("bare.p3d", model(&[of(&["proxy:roof.001"])]).to_vec());
    assert!(stderr(&fit(&["bare.p3d"])).contains("without bones"));
}

/// Very many names that all lack a partner cost no more than the limits say.
#[test]
fn suggestions_are_bounded() {
    let folder = Folder::new("fit-many");
    let names = |mark: &str| {
        let mut motion = motion(0, 0, 0, NONE);
        motion.bones = (0..8_000).map(|index| format!("{mark}{index:025}").into_bytes()).collect();
        motion.plain().to_vec()
    };
    folder.file("a.rtm", names("a"));
    folder.file("b.rtm", names("b"));
    let start = std::time::Instant::now();
    let output = program().current_dir(&folder.0).args(["fit", "a.rtm", "b.rtm", "--max-work", "16"]).output().unwrap();
    assert_eq!((code(&output), stdout(&output).lines().count()), (1, 16_001));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// A plain animation of these bones.
fn plain(bones: &[&str]) -> Vec<u8> {
    let mut walk = motion(0, 2, bones.len(), NONE);
    walk.bones = bones.iter().map(|name| name.as_bytes().to_vec()).collect();
    walk.plain().to_vec()
}

const SKELETONS: &str = r#"class CfgSkeletons {
 class Default { isDiscrete = 1; skeletonInherit = ""; skeletonBones[] = {}; };
 class Legs : Default { skeletonBones[] = { "Pelvis", "", "Leg", "Pelvis" }; };
 class Man : Default { skeletonInherit = "legs"; skeletonBones[] = { "Spine", "Pelvis", "weapon", "Spine" }; };
};
class CfgModels {
 class Default { sections[] = {}; };
 class ace_unconscious : Default { skeletonName = "Man"; };
};
"#;

#[test]
fn every_skeleton_of_a_model_cfg_is_compared_with_its_inherited_bones() {
    let folder = Folder::new("fit-cfg");
    folder.file("walk.rtm", plain(&["pelvis", "Spine", "weapn"]));
    folder.file("ace_unconscious.rtm", plain(&["Pelvis", "Leg", "Spine", "weapon"]));
    folder.file("model.cfg", SKELETONS);
    folder.file("skeletons.txt", SKELETONS);
    let fit = |args: &[&str]| program().current_dir(&folder.0).arg("fit").args(args).output().unwrap();
    let output = fit(&["walk.rtm", "model.cfg"]);
    let rows = "  missing  Spine\n  missing  weapn\n  unmoved  Leg\n  case     pelvis  is Pelvis there\n";
    let man = "  missing  weapn  nearest: weapon\n  unmoved  Leg\n  unmoved  weapon  nearest: weapn\n  \
               case     pelvis  is Pelvis there\n";
    assert_eq!(stdout(&output), format!("model.cfg  Legs\n{rows}model.cfg  Man\n{man}"));
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("model.cfg: left out, because they have no bones: Default"),
        "{}",
        stderr(&output)
    );
    // A text of another name is recognized by its content.
    assert_eq!(stdout(&fit(&["walk.rtm", "skeletons.txt"])).replace("skeletons.txt", "model.cfg"), stdout(&output));
    let rows = lines(&fit(&["walk.rtm", "model.cfg", "--format", "ndjson"]));
    assert_eq!(
        rows[0],
        serde_json::json!({
            "motion": "walk.rtm", "model": "model.cfg", "class": "Legs",
            "kind": "bone", "bone": "Spine", "state": "missing", "nearest": []
        })
    );
    // The class of the animation's name says which skeleton is meant.
    let output = fit(&["ace_unconscious.rtm", "model.cfg"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "model.cfg  Man\n"), "{}", stderr(&output));
    // The same as a binary config.
    use crate::writer::rap::{self, Entry, class, root, texts};
    let bones = Entry::Array("skeletonBones".to_owned(), texts(&["pelvis", "", "Spine", "pelvis", "weapn", "Spine"]));
    let config = root([class("CfgSkeletons", "", [class("Man", "", [bones])])]);
    folder.file("model.bin", rap::file(&config, &[]).to_vec());
    let output = fit(&["walk.rtm", "model.bin"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "model.bin  Man\n"), "{}", stderr(&output));
}

#[test]
fn bones_of_skeletons_elsewhere_are_named_by_the_user() {
    let folder = Folder::new("fit-names");
    folder.file("walk.rtm", plain(&["pelvis", "spine", "tail"]));
    let dog = r#"skeletonInherit = "OFP2_ManSkeleton"; skeletonBones[] = {"tail", "pelvis"};"#;
    folder.file("model.cfg", format!("class CfgSkeletons {{ class Dog {{ {dog} }}; }};"));
    let fit = |args: &[&str]| program().current_dir(&folder.0).args(["fit", "walk.rtm"]).args(args).output().unwrap();
    let alone = fit(&["model.cfg"]);
    assert_eq!((code(&alone), stdout(&alone).as_str()), (2, ""));
    assert!(
        stderr(&alone).contains("Dog inherits from OFP2_ManSkeleton, which is not in the file"),
        "{}",
        stderr(&alone)
    );
    let named = fit(&["model.cfg", "--bones", "pelvis,spine"]);
    assert_eq!((code(&named), stdout(&named).as_str()), (0, "model.cfg  Dog\n"), "{}", stderr(&named));
    let only = fit(&["--bones", "pelvis,Spine"]);
    assert_eq!(
        (code(&only), stdout(&only).as_str()),
        (1, "--bones\n  missing  tail\n  case     spine  is Spine there\n")
    );
    assert_eq!(code(&fit(&[])), 2);
}

#[test]
fn what_a_model_cfg_hides_from_the_comparison_is_said() {
    let folder = Folder::new("fit-unread");
    folder.file("walk.rtm", plain(&["pelvis"]));
    let fit = |text: &str| {
        folder.file("model.cfg", text);
        program().current_dir(&folder.0).args(["fit", "walk.rtm", "model.cfg"]).output().unwrap()
    };
    let of = |bones: &str| format!("class CfgSkeletons {{ class Man {{ skeletonBones[] = {{{bones}}}; }}; }};");
    let clean = fit(&of(r#""pelvis", """#));
    assert_eq!((code(&clean), stderr(&clean).lines().count()), (0, 1), "{}", stderr(&clean));
    let includes = format!("#include \"bones.hpp\"\n{}", of(r#""pelvis", """#));
    let defines = format!("#define LEG \"leg\"\n{}", of(r#""pelvis", "", LEG, "pelvis""#));
    let more: String = (0..30).map(|index| format!("\"b{index}\", \"none\", ")).collect();
    for (text, said) in [
        (includes, "line 1: the include bones.hpp is not read"),
        (defines, "line 2: LEG in skeletonBones is a macro, which is not expanded"),
        (of(r#"BONE(pelvis), "pelvis", """#), "line 1: BONE(pelvis) in skeletonBones is a macro"),
        (of(r#""pelvis", "", "leg""#), "skeletonBones of Man ends with a bone without the name of its parent"),
        (of(r#""pelvis", "", "leg", "hip""#), "the parent hip of the bone leg does not exist"),
        (
            of(r#""pelvis", "", "leg", "pelvis", "Leg", """#),
            r#"the bone Leg is listed with the parent "pelvis", then with "": the first counts"#,
        ),
        (of(&format!(r#"{more} "pelvis", """#)), "and 10 more"),
        ("class CfgSkeletons { class Man { skeletonBones[] = {\"pelvis\", \"\"};".to_owned(), "ends inside a class"),
    ] {
        let output = fit(&text);
        assert!(stderr(&output).contains(said), "{text}: {}", stderr(&output));
        assert_eq!((code(&output), stdout(&output).contains("missing")), (1, false), "{text}: {}", stdout(&output));
    }
    let wrong = fit("class CfgPatches {};");
    assert!(code(&wrong) == 2 && stderr(&wrong).contains("no skeletons"), "{}", stderr(&wrong));
}

/// A class of `CfgModels` names selections in its sections, animations and skeleton, each also by inheritance.
#[test]
fn selections_that_a_model_cfg_names_are_those_of_the_model() {
    use crate::writer::mlod::{lod, model, tag};
    let folder = Folder::new("fit-class");
    let text = r#"class CfgSkeletons {
 class Doors { skeletonBones[] = { "Door", "", "handle", "door", "hatch", "" }; };
};
class CfgModels {
 class Default { sections[] = { "camo" }; sectionsInherit = ""; };
 class Base : Default {
  skeletonName = "Doors";
  sections[] += { "number" };
  class Animations {
   class Door { type = "rotation"; selection = "door"; axis = "door_axs"; };
   class Old { selection = "gone"; };
  };
 };
 class house : Base {
  sectionsInherit = "Extra";
  class Animations : Animations {
   class Door : Door { begin = "start"; };
   class Handle : Door { selection = "hande"; };
   delete Old;
  };
 };
 class Extra { sections[] = { "glas" }; };
 class bare : Base { class Animations { class Turn { selection = "camo"; }; }; };
};"#;
    folder.file("model.cfg", text);
    let of = |names: &[&str]| lod(1, &[], &names.iter().map(|name| tag(name, &[1])).collect::<Vec<_>>(), 1.0);
    let house = model(&[of(&["door", "handle", "camo", "glass"]), of(&["door_axis", "start"])]).to_vec();
    folder.file("house.p3d", house.clone());
    folder.file("bare.p3d", house.clone());
    folder.file("shed.p3d", house);
    let fit = |args: &[&str]| program().current_dir(&folder.0).arg("fit").args(args).output().unwrap();
    let output = fit(&["house.p3d", "model.cfg"]);
    let expected = "model.cfg  house
  missing  hatch
  case     Door  is door there
  missing  section glas  nearest: glass
  missing  section number
  missing  selection hande  nearest: handle
  missing  axis door_axs  nearest: door_axis
";
    assert_eq!((code(&output), stdout(&output).as_str()), (1, expected), "{}", stderr(&output));
    let rows = lines(&fit(&["house.p3d", "model.cfg", "--format", "ndjson"]));
    let kinds: Vec<_> = rows.iter().map(|row| (row["kind"].as_str().unwrap(), row["bone"].as_str().unwrap())).collect();
    assert_eq!(
        kinds,
        [
            ("bone", "hatch"),
            ("bone", "Door"),
            ("section", "glas"),
            ("section", "number"),
            ("selection", "hande"),
            ("axis", "door_axs")
        ]
    );
    // Animations that do not inherit replace the others.
    let bare = stdout(&fit(&["bare.p3d", "model.cfg"]));
    assert!(!bare.contains("selection") && !bare.contains("axis") && bare.contains("section number"), "{bare}");
    let shed = fit(&["shed.p3d", "model.cfg"]);
    assert!(code(&shed) == 2 && stderr(&shed).contains("CfgModels has no class shed"), "{}", stderr(&shed));
    let pair = fit(&["house.p3d", "bare.p3d"]);
    assert!(code(&pair) == 2 && stderr(&pair).contains("only a model.cfg can be checked"), "{}", stderr(&pair));
    // A binarised model has its selections in any version.
    std::fs::copy(crate::support::files::root().join("corpus/odol/v54.p3d"), folder.0.join("v54.p3d")).unwrap();
    folder.file("v54.cfg", r#"class CfgModels { class v54 { sections[] = {"ALL", "none"}; }; };"#);
    let output = fit(&["v54.p3d", "v54.cfg"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("  missing  section none\n"), "{}", stdout(&output));
    // Its names are in lower case, whatever the author wrote.
    assert_eq!(stdout(&output).lines().count(), 2, "{}", stdout(&output));
}
