//! Every byte of a file has a name, and no byte two.

use meshpeek::dissect::{LineKind, dissect};
use meshpeek::{Asset, Format, Inspect};

use crate::corpus;

/// Formats that still leave bytes without a name.
const OPEN: [Format; 2] = [Format::Pbo, Format::Zip];

#[test]
fn leaves_tile_the_file() {
    for (path, bytes) in corpus::files() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let (mut at, mut gaps, mut problems, mut around) = (0, Vec::new(), 0, String::new());
        dissect(&asset, bytes.len() as u64, &mut |line| {
            problems += usize::from(line.name == "problem");
            if line.kind == LineKind::Part {
                line.selector.clone_into(&mut around);
            }
            let Some(span) = line.span.filter(|_| line.kind != LineKind::Part) else { return };
            assert_eq!(span.offset, at, "{}: {line:?}", path.display());
            assert!(span.bytes > 0);
            at += span.bytes;
            if line.kind == LineKind::Gap {
                gaps.push((span, around.clone()));
            }
        });
        assert_eq!(at, bytes.len() as u64, "{}", path.display());
        let summary = asset.summarize();
        if problems == 0 && summary.problems.is_empty() && !OPEN.contains(&summary.format) {
            assert!(gaps.is_empty(), "{}: {gaps:#?}", path.display());
        }
    }
}
