//! Indices of textures: textures must follow each other, and so must the lists in them.

use meshpeek::Inspect;
use meshpeek::texheaders::Index;

/// Reads the bytes as an index of textures.
pub fn run(data: &[u8]) {
    crate::any::run(data);
    let Ok(index) = Index::parse(data) else { return };
    assert_eq!(index.textures().count_hint(), index.texture_count() as u64);
    let (mut end, mut mips, mut is_whole) = (12, 0, true);
    for (texture, span) in index.textures().spanned() {
        let Ok(texture) = texture else {
            is_whole = false;
            break;
        };
        assert_eq!(span.offset, end);
        end += span.bytes;
        assert!(end <= data.len() as u64);
        mips += texture.mips.len() as u64;
        // The size of the file follows the mips.
        assert_eq!(texture.mips.offset() + 12 * texture.mips.len() as u64 + 4, end);
        assert!(!texture.path.as_bytes().contains(&0));
    }
    let summary = index.summarize();
    if is_whole {
        assert_eq!(summary.counts.get("textures"), Some(index.texture_count() as u64));
        assert_eq!(summary.counts.get("mips"), Some(mips));
        let trailing = summary.problems.iter().any(|problem| problem.code.name() == "suspicious.trailing");
        assert_eq!(trailing, end < data.len() as u64);
    } else {
        assert!(summary.counts.get("mips").is_none() && !summary.problems.is_empty());
    }
}
