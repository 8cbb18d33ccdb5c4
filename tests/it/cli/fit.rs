//! `fit`: bones that an animation or a model lacks.

use super::{Folder, code, lines, program, run, stderr, stdout};
use crate::writer::b3d;
use crate::writer::rtm::{NONE, motion};

#[test]
fn bones_that_either_side_lacks_are_listed_with_the_nearest_names() {
    let folder = Folder::new("fit");
    let mut walk = motion(0, 2, 4, NONE);
    walk.bones = ["Body", "dor", "handle", "spine"].map(|name| name.as_bytes().to_vec()).to_vec();
    folder.file("walk.rtm", walk.plain().to_vec());
    let model = crate::corpus::root().join("corpus/odol/v54.p3d");
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
    assert!(text.contains("twin.b3d\n  unmoved  root\n") && text.matches("missing").count() == 1, "{text}");
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
    assert_eq!((code(&output), stdout(&output).as_str()), (1, "house.p3d\n  missing  hande  nearest: handle\n"));
    folder.file("house.p3d", model(&[of(&["door", "hande", "Roof"])]).to_vec());
    assert_eq!((code(&fit(&["house.p3d"])), stdout(&fit(&["house.p3d"])).as_str()), (0, "house.p3d\n"));
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
