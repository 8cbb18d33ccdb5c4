//! MLOD models: LODs must lie behind each other, and their lists in them.

use meshpeek::mlod::Model;
use meshpeek::view::Table;

pub fn run(data: &[u8]) {
    crate::any::run(data);
    let Ok(model) = Model::parse(data) else { return };
    let mut end = 12;
    for lod in model.lods().map_while(Result::ok) {
        assert_eq!(lod.offset(), end);
        end += lod.bytes();
        assert!(end <= data.len() as u64);
        assert_eq!(lod.faces().count() as u64, u64::from(lod.face_count()));
        assert_eq!(lod.faces().rows(), u64::from(lod.face_count()));
        for face in lod.faces() {
            assert!((lod.offset()..end).contains(&face.offset));
            assert!(face.corners().len() <= 4);
        }
        let last = lod.tags().last().expect("the tag that ends them");
        assert_eq!(last.name.to_text().as_deref(), Some("#EndOfFile#"));
        assert!(lod.tags().all(|tag| tag.data.offset() + tag.data.len() as u64 <= end));
    }
}
