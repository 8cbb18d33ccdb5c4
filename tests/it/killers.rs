//! Small files on which other readers crash, hang or ask for gigabytes. The fourth of them, files with three altered
//! bytes, is in `budgets`.

use std::time::{Duration, Instant};

use meshpeek::inspect::Inspect;
use meshpeek::summary::{Problems, Severity};
use meshpeek::{Asset, Limits};

use crate::memory::usage_of;
use crate::{any, writer};

/// What is wrong with these bytes; finding it out must be cheap.
fn errors(bytes: &[u8]) -> Vec<String> {
    let start = Instant::now();
    let (errors, usage) = usage_of(|| match Asset::parse(bytes) {
        Ok(asset) => errors_of(&*asset),
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
    any::run(&bytes);
}

/// Counts of 2,147,483,647 and 4,294,967,295: with records of 128 bytes and more, 500 gigabytes.
const MANY: [[u8; 4]; 2] = [[0xff, 0xff, 0xff, 0x7f], [0xff; 4]];

#[test]
fn twelve_bytes_that_ask_for_500_gigabytes() {
    for many in MANY {
        let number = u32::from_le_bytes(many);
        let scene = [&b"BB3D"[..], &many, &1_u32.to_le_bytes()].concat();
        assert_eq!(errors(&scene), [format!("BB3D: needs {number} bytes, 4 left")]);
        let header = [b"TEXS", &many, &[0; 4][..]].concat();
        let chunk = [b"BB3D\x10\0\0\0\x01\0\0\0", &*header].concat();
        assert!(errors(&chunk)[0].contains(&format!("needs {number} bytes, 4 left")), "{:?}", errors(&chunk));

        let plain = [b"RTM_0101", &many[..]].concat();
        assert_eq!(errors(&plain).len(), 1);
        for version in 3..=5_u32 {
            let motion = [b"BMTR", &version.to_le_bytes()[..], &many].concat();
            assert_eq!(errors(&motion).len(), 1);
        }

        let model = [b"LODka3D1", &many[..]].concat();
        assert_eq!(errors(&model).len(), 1);

        let index = [&14_u32.to_le_bytes()[..], &many, &[0; 4]].concat();
        let tables = meshpeek::bmx::Tables { index: &index, objects: &[], meshes: &[], materials: &[], textures: &[] };
        let (errors, usage) = usage_of(|| errors_of(&meshpeek::bmx::Map::from_tables(tables)));
        assert!(usage.peak < 1 << 20, "{usage:?}");
        assert_eq!(errors.len(), 1, "{errors:?}");
    }
}

/// Whichever field of a file's start it is that is a count: the file ends behind it.
#[test]
fn starts_of_files_whose_last_number_is_a_huge_count() {
    for (name, bytes) in writer::corpus() {
        for end in 12..bytes.len().min(400) {
            for many in MANY {
                let mut start = bytes[..end].to_vec();
                start[end - 4..].copy_from_slice(&many);
                // Some cuts leave a whole file of fewer parts.
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
