//! `verify` reports nothing for valid files, or has a reason.

use std::collections::BTreeSet;
use std::path::Path;

use meshpeek::scan::{Depth, Found, Input, Scan};
use meshpeek::summary::{Problems, Severity};
use meshpeek::{Asset, Inspect, Limits};

use crate::support::files::{outside, root};
use crate::writer::{b3d, odol, rtm};

/// Problems that `verify` reports in files that are otherwise valid: the end of the path, the problem's code, and the
/// reason why it is a real problem.
const REAL: [(&str, &str, &str); 13] = [
    ("b3d/animalia_cow.b3d", "suspicious.normals", "the exporter left the normals with z up"),
    (
        "odol_rewritten/*",
        "suspicious",
        "the rewriting program put in frames and transforms that do not fit their models",
    ),
    (
        "odol_rewritten/*",
        "suspicious.range",
        "it wrote 7 as the number of words of render flags; all of 1,880 real materials have 1",
    ),
    (
        "wild/fow_functions.pbo",
        "suspicious",
        "made hard to unpack: names no system takes, sizes that are not those of the data",
    ),
    ("wild/fow_functions.pbo", "damaged", "the same: a config of which most bytes are missing"),
    ("wild/blitzmax_source.bmx", "other.text", "a program in BlitzMax, not a map"),
    ("wild/reticle_titan_short.p3d", "damaged.truncated", "24 bytes are missing"),
    ("wild/freefallLoop_relabelled.rtm", "suspicious.not_unit", "frames of another layout under this version"),
    ("wild/freefallLoop_relabelled.rtm", "suspicious.not_finite", "the same"),
    ("paa/10_df4f54_synthetic_dxt3.paa", "suspicious", "a tool left out the last two bytes"),
    ("trees/cut.b3d", "damaged.truncated", "the mod of the documents has a damaged file"),
    ("zip/locked.zip", "encrypted", "no key is at hand"),
    ("zip/locked.zip", "unsupported", "zstd is not read"),
];

#[test]
fn sound_files_have_no_problem_but_real_ones() {
    let mut folders = vec![root().join("corpus")];
    folders.extend(outside());
    // In `addons`, text files replace textures.
    let broken = ["killers", "hostile", "golden", "pictures", "addons"];
    let (mut wrong, mut met) = (Vec::new(), BTreeSet::new());
    let mut files = 0;
    for folder in folders.iter().flat_map(|folder| folder.read_dir().unwrap()) {
        let folder = folder.unwrap().path();
        if !folder.is_dir() || broken.iter().any(|name| folder.ends_with(name)) {
            continue;
        }
        let mut scan = Scan::new([&folder]);
        scan.depth = Depth::Verify;
        scan.run(
            Input::Paths,
            |_| (),
            |found, _| {
                if let Found::Asset(record) = found {
                    files += 1;
                    for problem in &record.summary.problems {
                        let is_known = |path: &Path, known: &str| match known.strip_suffix("/*") {
                            Some(folder) => path.parent().unwrap().ends_with(folder),
                            None => path.ends_with(known),
                        };
                        let code = problem.code.name();
                        let is_it =
                            |(path, known, _): &(&str, &str, &str)| is_known(&record.path, path) && code == *known;
                        match REAL.iter().position(is_it) {
                            Some(place) => _ = met.insert(place),
                            None => wrong.push(format!("{}: {code}: {}", record.path.display(), problem.message)),
                        }
                    }
                }
                std::ops::ControlFlow::Continue(())
            },
        )
        .unwrap();
    }
    assert!(files > 40, "{files}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(outside().is_none() || met.len() == REAL.len(), "{met:?}: some reasons are no more");
}

fn problems(bytes: &[u8]) -> Vec<(Severity, String)> {
    let mut problems = Problems::new(&Limits::default());
    Asset::parse(bytes).unwrap().verify(&mut problems);
    problems.into_vec().into_iter().map(|problem| (problem.severity, problem.message.into_owned())).collect()
}

#[test]
fn rounding_of_weights_is_no_problem() {
    let model = |weight: f32| {
        let vertices = b3d::mesh(-1, [b3d::vertices(2, 0, 0, 0)]);
        b3d::scene([b3d::node("n", [vertices, b3d::animation(1, 1.0), b3d::node("arm", [b3d::bone(&[(0, weight)])])])])
            .to_vec()
    };
    for weight in [1.0000001, 1.000_000_2, -1e-7, 1.0] {
        assert_eq!(problems(&model(weight)), [], "{weight}");
    }
    for weight in [1.001, -0.001, 30.0] {
        let found = problems(&model(weight));
        assert!(found[0].1.contains("not from 0 to 1"), "{weight}: {found:?}");
    }
}

#[test]
fn a_single_pose_is_at_any_time() {
    let motion = |times: &[f32]| {
        let mut motion = rtm::motion(3, times.len(), 2, rtm::Marking::Size);
        motion.times = times.to_vec();
        problems(&motion.binarised().to_vec())
    };
    assert_eq!(motion(&[0.5]), []);
    assert_eq!(motion(&[0.0, 0.5]), []);
    assert!(motion(&[0.25, 0.5])[0].1.contains("the first is 0.25, not 0"));
}

#[test]
fn the_number_after_the_last_transform_is_checked_from_dayz_on() {
    let model = |kind: u32, number: u32| {
        let mut model = odol::Model { dayz: true, ..odol::whole(53, 12) };
        model.lods[0].materials = vec![odol::material_of(kind, 1, 1).set("stage_transform", number.to_le_bytes())];
        model.lods[0].sections.iter_mut().for_each(|section| section.2 = 0);
        problems(&model.to_vec())
    };
    let is_reported = |found: &[(Severity, String)]| {
        found.iter().any(|(severity, message)| *severity == Severity::Error && message.contains("materials[0]"))
    };
    assert!(!is_reported(&model(16, 1)), "{:?}", model(16, 1));
    assert!(is_reported(&model(16, 2)));
    assert!(is_reported(&model(11, 1)));
}

#[test]
fn a_mark_that_all_entries_of_a_map_lack_is_reported_once() {
    let bytes = crate::writer::corpus().into_iter().find(|(name, _)| name == "bmx/full.bmx").unwrap().1;
    // The flags of each directory record.
    let mut bytes = bytes;
    for at in memchr::memmem::find_iter(&bytes.clone(), b"PK\x01\x02") {
        bytes[at + 9] &= !8;
    }
    let found = problems(&bytes);
    let found_marks: Vec<_> = found.iter().filter(|(_, message)| message.contains("not marked as UTF-8")).collect();
    assert_eq!(found_marks.len(), 1, "{found:#?}");
}
