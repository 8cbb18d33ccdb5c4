//! MLOD models: LODs must follow each other, and so must the lists in them.

use meshpeek::Inspect;
use meshpeek::mlod::Model;

pub fn run(data: &[u8]) {
    crate::any::run(data);
    let Ok(model) = Model::parse(data) else { return };
    assert_eq!(model.lods().count_hint(), model.lod_count() as u64);
    let (mut end, mut vertices, mut faces, mut is_whole) = (12, 0, 0, true);
    let mut triangles = Vec::new();
    for (lod, span) in model.lods().spanned() {
        let Ok(lod) = lod else {
            is_whole = false;
            break;
        };
        vertices += lod.points.len() as u64;
        faces += lod.faces.len() as u64;
        assert_eq!(span.offset, end);
        end += span.bytes;
        assert!(end <= data.len() as u64);
        assert_eq!(lod.faces.iter().count(), lod.faces.len());
        for (face, place) in lod.faces.spanned() {
            assert!((span.offset..end).contains(&place.offset));
            assert!(face.corners().len() <= 4);
        }
        triangles
            .push((lod.resolution, lod.faces.iter().map(|face| face.corners().len().max(2) as u64 - 2).sum::<u64>()));
        let last = lod.tags.iter().last().expect("the tag that ends them");
        assert_eq!(last.name.to_text().as_deref(), Some("#EndOfFile#"));
        for tag in &lod.tags {
            let property = tag.property().map(|(name, value)| name.len().max(value.len()));
            assert!(property.is_none_or(|longest| longest <= 64 && !tag.is_selection() && tag.proxy().is_none()));
        }
        assert!(lod.tags.iter().all(|tag| tag.data.offset() + tag.data.len() as u64 <= end));
    }
    let counts = model.summarize().counts;
    if is_whole {
        assert_eq!((counts.get("vertices"), counts.get("faces")), (Some(vertices), Some(faces)));
        crate::any::same_triangles(&counts, &triangles);
    }
}
