//! The textures and materials of faces.

use std::collections::HashMap;

use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::array::columns;
use crate::bytes::batch::{Batch, Derived};
use crate::outline::Outline;

/// The names at the end of a face.
pub(super) struct FaceNames<'a> {
    pub(super) texture: ByteStr<'a>,
    pub(super) material: ByteStr<'a>,
}

/// Describes the textures and materials of faces, each once, and a table with the indices of each face's own. `from` is
/// the byte range of the faces.
pub(super) fn describe<'a>(names: impl Iterator<Item = FaceNames<'a>>, from: Span, out: &mut Outline<'_>) {
    let mut textures = Unique::default();
    let mut materials = Unique::default();
    let mut rows = Vec::new();
    for face in names {
        let row = [textures.index(face.texture), materials.index(face.material)];
        rows.push(row.map(u32::to_le_bytes));
    }
    for (name, Unique { list, .. }) in [("textures", textures), ("materials", materials)] {
        out.texts(name, list);
    }
    let indices = Derived {
        rows: rows.len() as u64,
        columns: columns!["texture" U32, "material" U32],
        from,
        make: |batch: &mut Batch<'_>| batch.extend(rows.iter().map(|row| Ok(row.as_flattened()))),
    };
    out.array("face_names", &indices);
}

/// Distinct texts in order of first use.
#[derive(Default)]
struct Unique<'a> {
    list: Vec<ByteStr<'a>>,
    /// Keyed by copies, because the hash of mapped bytes may change.
    known: HashMap<Vec<u8>, u32>,
}

impl<'a> Unique<'a> {
    /// Returns the index of a text in the list. Adds it to the list if it is not there.
    fn index(&mut self, text: ByteStr<'a>) -> u32 {
        // A face takes 74 bytes, so a `u32` can number them all.
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        if let Some(&known) = self.known.get(text.as_bytes()) {
            return known;
        }
        self.list.push(text);
        self.known.insert(text.as_bytes().to_vec(), next);
        next
    }
}
