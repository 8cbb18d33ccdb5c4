//! The textures and materials of faces.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::Face;
use crate::error::Result;
use crate::inspect::Outline;
use crate::view::batch::write_batched;
use crate::view::{ByteStr, Column, List, Packing, Scalar, Storage, Table};

/// Which of the LOD's textures and materials each face has.
struct FaceNames<'a> {
    faces: List<'a, Face<'a>>,
    rows: Vec<[u8; 8]>,
}

/// Tells the textures and materials of faces, each once, and which of them each face has.
pub(super) fn tell(faces: &List<'_, Face<'_>>, out: &mut Outline<'_>) {
    let (mut textures, mut materials) = (Unique::default(), Unique::default());
    let mut rows = Vec::new();
    for face in faces {
        let row = [textures.index(face.texture), materials.index(face.material)];
        rows.push(bytemuck::cast(row.map(u32::to_le_bytes)));
    }
    for (name, Unique { list, .. }) in [("textures", textures), ("materials", materials)] {
        out.texts(name, list);
    }
    out.array("face_names", &FaceNames { faces: *faces, rows });
}

/// Texts in order of first use, each once.
#[derive(Default)]
struct Unique<'a> {
    list: Vec<ByteStr<'a>>,
    /// By copies: of bytes in a map the hash may change.
    known: HashMap<Vec<u8>, u32>,
}

impl<'a> Unique<'a> {
    fn index(&mut self, text: ByteStr<'a>) -> u32 {
        // A face takes 74 bytes, so there are fewer of them than numbers.
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        if let Some(&known) = self.known.get(text.as_bytes()) {
            return known;
        }
        self.list.push(text);
        self.known.insert(text.as_bytes().to_vec(), next);
        next
    }
}

impl Table for FaceNames<'_> {
    fn rows(&self) -> u64 {
        self.rows.len() as u64
    }

    fn columns(&self) -> Vec<Column> {
        vec![Column::new("texture", Scalar::U32), Column::new("material", Scalar::U32)]
    }

    fn storage(&self) -> Storage {
        Storage { offset: self.faces.offset(), bytes: self.faces.byte_len(), packing: Packing::Derived }
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        write_batched(self.rows.iter(), sink);
        Ok(())
    }
}
