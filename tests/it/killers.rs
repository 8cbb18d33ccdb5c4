//! Small files on which other readers crash, hang or allocate gigabytes. The fourth kind, files with three altered
//! bytes, is in `budgets`.

use std::time::{Duration, Instant};

use meshpeek::inspect::Inspect;
use meshpeek::summary::{Problems, Severity};
use meshpeek::{Asset, Limits};

use crate::memory::usage_of;
use crate::writer::pbo::Tail;
use crate::writer::zip::{Entry, zip};
use crate::{any, writer};

/// Returns the problems of these bytes. Finding them must be cheap.
fn errors(bytes: &[u8]) -> Vec<String> {
    let start = Instant::now();
    let (errors, usage) = usage_of(|| match Asset::parse(bytes) {
        Ok(asset) => errors_of(&asset),
        Err(error) => vec![error.to_string()],
    });
    assert!(usage.peak < 8 << 20, "{usage:?}: {errors:?}");
    assert!(start.elapsed() < Duration::from_secs(2), "{errors:?}");
    errors
}

fn errors_of(asset: &dyn Inspect) -> Vec<String> {
    let mut problems = Problems::new(&Limits::default());
    asset.verify(&mut problems);
    let errors = problems.into_vec().into_iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| problem.message.to_string()).collect()
}

#[test]
fn a_mebibyte_of_nested_nodes() {
    let bytes = writer::b3d::nested_by_size(1 << 20);
    let errors = errors(&bytes);
    assert!(errors[0].contains("more than 512 levels of nested nodes"), "{errors:?}");
    let ((), usage) = usage_of(|| any::run(&bytes));
    assert!(usage.peak < 8 << 20, "{usage:?}");
}

/// Counts of 2,147,483,647 and 4,294,967,295: with records of 128 bytes and more, 500 gigabytes.
const MANY: [[u8; 4]; 2] = [[0xff, 0xff, 0xff, 0x7f], [0xff; 4]];

#[test]
fn a_few_bytes_that_ask_for_500_gigabytes() {
    for many in MANY {
        let number = u32::from_le_bytes(many);
        let needs = |bytes: u64, left: u64| format!("needs {bytes} bytes, {left} left");
        let points = writer::mlod::model(&[writer::mlod::lod(0, &[], &[], 1.0)]).set("points", many);
        let after_points = points.len() - points.at("first_point");
        let member =
            |fields, data| writer::pbo::Writer::new().product(&[]).entry(b"a", fields, data).finish(Tail::Bytes(b""));
        let deflated = Entry::deflated("a", b"").both(|header| header.unpacked = number);
        let mut files = vec![
            ([&b"BB3D"[..], &many, &[1, 0, 0, 0]].concat(), needs(number.into(), 4)),
            ([&b"BB3D\x0c\0\0\0\x01\0\0\0TEXS"[..], &many].concat(), needs(number.into(), 0)),
            ([&b"RTM_0101"[..], &many].concat(), needs(28, 12)),
            ([&b"LODka3D1"[..], &many].concat(), needs(12, 4)),
            ([&b"MLOD\x01\x01\0\0"[..], &many].concat(), needs(28, 0)),
            (points.to_vec(), needs(16 * u64::from(number), after_points as u64)),
            (member([0, 0, 0, 0, number], b""), format!("{} bytes missing at the end: a at index 0", grouped(number))),
            (member([0x4370_7273, number, 0, 0, 1], b"!"), format!("1 bytes cannot hold {number} packed ones")),
            (zip(&[], b"").set("directory_bytes", many).to_vec(), "does not end at its end record".to_owned()),
            (
                zip(&[], b"").set("disk_entries", [0xfe, 0xff, 0xfe, 0xff]).to_vec(),
                "the end record says 65534 entries, the directory holds 0".to_owned(),
            ),
            (zip(&[deflated], b"").to_vec(), format!("2 bytes cannot inflate to {number}")),
        ];
        for version in 3..=5_u32 {
            files.push(([&b"BMTR"[..], &version.to_le_bytes(), &many].concat(), needs(37, 12)));
        }
        for version in (40..=52_u32).chain(10_040..=10_043) {
            let model = [&b"ODOL"[..], &version.to_le_bytes(), &many].concat();
            files.push((model, "more than 1024 LODs, the limit set for reading".to_owned()));
        }
        for (bytes, expected) in files {
            let errors = errors(&bytes);
            assert!(errors.len() == 1 && errors[0].ends_with(&expected), "{expected}: {errors:?}");
        }

        let index = [&14_u32.to_le_bytes()[..], &many, &[0; 4]].concat();
        let tables = meshpeek::bmx::Tables { index: &index, objects: &[], meshes: &[], materials: &[], textures: &[] };
        let (errors, usage) = usage_of(|| errors_of(&meshpeek::bmx::Map::from_tables(tables)));
        assert!(usage.peak < 1 << 20, "{usage:?}");
        assert_eq!(errors.len(), 1, "{errors:?}");
    }
}

/// Formats a number with separated thousands.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let parts: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|part| std::str::from_utf8(part).unwrap()).collect();
    parts.join(",")
}

/// Files that end after one of their first fields, whichever of these is a count.
#[test]
fn starts_of_files_whose_last_number_is_a_huge_count() {
    for (name, bytes) in writer::corpus() {
        for end in 12..bytes.len().min(400) {
            for many in MANY {
                let mut start = bytes[..end].to_vec();
                start[end - 4..].copy_from_slice(&many);
                // Some cuts leave a valid file with fewer parts.
                let errors = errors(&start);
                assert!(errors.len() < 100, "{name} cut at {end}: {errors:?}");
            }
        }
    }
}

#[test]
fn an_animation_cut_inside_its_bone_names() {
    for version in 3..=5 {
        let bytes = writer::rtm::motion(version, 3, 20, writer::rtm::NONE).binarised();
        let names = bytes.at("names");
        let all = (0..20).map(|bone| format!("bone_{bone}\0")).collect::<String>();
        let bytes = bytes.to_vec();
        assert_eq!(&bytes[names..names + all.len()], all.as_bytes());
        for length in 0..all.len() {
            let errors = errors(&bytes[..names + length]);
            assert!(errors.len() == 1 && errors[0].contains("bones"), "{length}: {errors:?}");
        }
    }
}

/// A problem of many elements of one array is one message, however many there are.
#[test]
fn bad_indices_by_the_thousand_cost_one_message() {
    let selection = |bad: usize| {
        let strip = writer::odol::Lod::strip(1.0, 5);
        let faces = (0..60_000).map(|index| if index < bad { 999 } else { 0 }).collect();
        let selection = writer::odol::Selection { name: "all", faces, ..Default::default() };
        let selections = (0..20).map(|_| selection.clone()).collect();
        writer::odol::Model::new(50, vec![writer::odol::Lod { selections, ..strip }]).to_vec()
    };
    let cost = |bytes: &[u8]| {
        let asset = Asset::parse(bytes).unwrap();
        usage_of(|| {
            let mut problems = Problems::new(&Limits::default().with_problems(10));
            asset.verify(&mut problems);
            problems.into_vec()
        })
    };
    let (few, many) = (selection(1), selection(60_000));
    let ((few, few_cost), (many, many_cost)) = (cost(&few), cost(&many));
    assert_eq!((few.len(), many.len()), (11, 11));
    assert_eq!(few[0].message, "lods[0].selections[0].faces: 1 of 60,000 face numbers is not below 3: 999 at index 0");
    let message =
        "lods[0].selections[0].faces: 60,000 of 60,000 face numbers are not below 3; the first is 999 at index 0";
    assert_eq!(many[0].message, message);
    assert_eq!(many[10].message, "10 further problems, beyond the limit for one asset");
    // The ten messages kept are longer by a few digits.
    assert!(many_cost.allocations <= few_cost.allocations + 10 * 2, "{few_cost:?}, {many_cost:?}");
}
