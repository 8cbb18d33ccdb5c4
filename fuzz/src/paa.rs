//! Textures: mips must follow each other, and all ways to read their pixels must agree.

use meshpeek::codec::Codec;
use meshpeek::paa::{Kind, Texture, bc};
use meshpeek::summary::Problems;
use meshpeek::view::{Cursor, Packing, Table};
use meshpeek::{Budget, Inspect, Limits, inspect};

/// Reads the bytes as a texture.
pub fn run(data: &[u8]) {
    crate::any::run(data);
    let limits = Limits::default().with_decoded_bytes(1 << 20).with_problems(50);
    let Ok(texture) = Texture::parse_with(data, &limits) else { return };
    assert!(texture.kind().name().is_some());
    assert_eq!(texture.kind() == Kind::P8, u16::from_le_bytes([data[0], data[1]]) != texture.kind().0);
    let mut problems = Problems::new(&limits);
    texture.verify(&mut problems);
    let problems = problems.into_vec();
    let (mut count, mut all_decode, mut end) = (0, true, texture.mips().offset());
    let mut mips = texture.mips();
    while let Some(mip) = mips.next() {
        let Ok(mip) = mip else { break };
        assert!(mips.offset() > end && mips.offset() <= data.len() as u64);
        assert!(mip.stored_bytes().offset() > end && mip.stored_bytes().len() as u64 <= mips.offset() - end);
        (count, end) = (count + 1, mips.offset());
        let rgba = mip.to_rgba8();
        all_decode &= rgba.is_ok();
        if count == 1 {
            let (mut digest, budget) = (Vec::new(), Budget::unlimited(&limits));
            let digested = texture.digest("pixels", &budget, &mut |rows| digest.extend_from_slice(rows));
            // The picture is four times as long as the longest block, and the limit holds for each.
            assert!(rgba.is_err() || (digested.is_ok() && rgba.as_ref().unwrap() == &digest));
        }
        let Ok(block) = mip.block() else {
            assert!(rgba.is_err());
            continue;
        };
        assert_eq!(block.count(), texture.kind().byte_len(mip.width(), mip.height()));
        let Ok(rgba) = rgba else { continue };
        assert_eq!(rgba.len() as u64, mip.pixels().rows() * 4);
        assert_eq!(mip.pixels().picture(), Some([mip.height().into(), mip.width().into()]));
        assert!(inspect::to_bytes(&mip.pixels(), &Limits::default()).is_ok_and(|rows| rows == rgba));
        let stored = block.decode().expect("what became pixels");
        assert_eq!(block.borrowed().is_some(), block.packing() == Packing::InPlace);
        walked(block.packing(), mip.stored_bytes().as_bytes(), stored.len());
        first(texture.kind(), &stored, &rgba);
        let picture = texture.to_picture(&mip).expect("as the pixels");
        assert_eq!((picture.rgba.len(), picture.width), (rgba.len(), mip.width()));
        if let Some(swizzle) = texture.swizzle() {
            let mut undone = rgba.clone();
            swizzle.undo(&mut undone);
            assert_eq!(undone.len(), rgba.len());
        }
    }
    assert_eq!(texture.summarize().counts.get("mips"), Some(count));
    // A larger picture than the limit is sound.
    let is_small = texture.mips().flatten().all(|mip| mip.pixels().rows() <= 1 << 18);
    assert!(all_decode || !is_small || !problems.is_empty(), "a mip that does not decode is reported");
}

/// A stream that decodes is walked to its end.
fn walked(packing: Packing, stored: &[u8], len: usize) {
    let codec = match packing {
        Packing::Lzo => Codec::Lzo,
        Packing::Lzss => Codec::LzssSigned,
        Packing::Rle => Codec::Rle,
        _ => Codec::Raw,
    };
    assert_eq!(codec.stored_byte_len(Cursor::new(stored), len as u64).unwrap(), stored.len() as u64);
    assert_eq!(codec.packing(), packing);
}

/// The first pixel is that of the first block.
fn first(kind: Kind, stored: &[u8], rgba: &[u8]) {
    let block = match kind {
        Kind::DXT1 => stored.first_chunk().map(bc::bc1),
        Kind::DXT2 | Kind::DXT3 => stored.first_chunk().map(bc::bc2),
        Kind::DXT4 | Kind::DXT5 => stored.first_chunk().map(bc::bc3),
        _ => None,
    };
    assert!(block.is_none_or(|block| rgba.starts_with(&block[0])));
}
