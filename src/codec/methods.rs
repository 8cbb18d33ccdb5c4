//! The compression methods of zip archives besides DEFLATE, decoded by other crates: `zip` where its decoder has a bound
//! on its memory, else the crate of the method itself.

use std::io::{self, Cursor, Read};

use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use zip::read::{ZipReadOptions, read_zipfile_from_stream_with_options};

use crate::base::amount::Amount;
use crate::base::stop;
use crate::bytes::Packing;

/// The memory that decoders take besides a dictionary, in bytes.
const BZIP2: u64 = 4 << 20;
const DEFLATE64: u64 = 256 << 10;
const LZMA: u64 = 64 << 10;
const LZMA2: u64 = 1 << 20;
const ZSTD: u64 = 1 << 20;

/// How many bytes are decoded between two looks at the switch that ends long work.
const PIECE: usize = 64 << 10;

/// Returns the most bytes that one byte of a stream can decode to, or 0 for a packing that is not decoded here.
pub(crate) fn ratio(packing: Packing) -> u64 {
    match packing {
        // A block of 900,000 bytes may be runs of up to 255 bytes, five bytes each, in about 40 bytes.
        Packing::Bzip2 => 1_200_000,
        // A match of 65,538 bytes takes at least 18 bits.
        Packing::Deflate64 => 29_200,
        // A match of 273 bytes takes at least 0.3 bits.
        Packing::Lzma | Packing::Xz => 8192,
        // A block of up to 128 KiB may be one byte and its header of three.
        Packing::Zstd => 32_768,
        _ => 0,
    }
}

/// Returns the memory that the decoder of this stream takes: that of its dictionary or window, and of its tables.
pub(crate) fn memory(packing: Packing, stream: &[u8], size: u64) -> u64 {
    match packing {
        Packing::Bzip2 => BZIP2,
        Packing::Deflate64 => DEFLATE64,
        Packing::Lzma => lzma_memory(stream, size),
        Packing::Xz => xz_dictionary(stream).saturating_add(LZMA2),
        Packing::Zstd => zstd_window(stream).saturating_add(ZSTD),
        _ => 0,
    }
}

/// Decodes a stream to exactly this many bytes.
pub(crate) fn unpack(packing: Packing, stream: &[u8], size: u64) -> Result<Vec<u8>, String> {
    // One byte more shows that a stream decodes to more.
    let bytes = read(packing, stream, size, size.saturating_add(1))?;
    let held = bytes.len() as u64;
    match held.cmp(&size) {
        std::cmp::Ordering::Equal => Ok(bytes),
        std::cmp::Ordering::Less => Err(format!("unpacks to {held} bytes of {size} claimed")),
        std::cmp::Ordering::Greater => Err(format!("unpacks to more than the {size} bytes claimed")),
    }
}

/// Decodes the beginning of a stream that is claimed to decode to `size` bytes: at most this many.
pub(crate) fn head(packing: Packing, stream: &[u8], size: u64, most: usize) -> Result<Vec<u8>, String> {
    read(packing, stream, size, size.min(most as u64))
}

/// Decodes a stream that is claimed to decode to `size` bytes, up to `most` bytes.
fn read(packing: Packing, stream: &[u8], size: u64, most: u64) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let filled = match packing {
        Packing::Xz => {
            let most_kib = xz_dictionary(stream).saturating_add(LZMA2) / 1024;
            let most_kib = u32::try_from(most_kib).unwrap_or(u32::MAX);
            let has_several_streams = false;
            fill(&mut XzReader::new_mem_limit(stream, has_several_streams, most_kib), &mut out, most)
        }
        Packing::Zstd => fill(&mut ZstdFrames::new(stream), &mut out, most),
        // `zip` decodes the others, from an archive of one file.
        _ => match one_file(packing, stream, size) {
            Some(header) => {
                let mut archive = Cursor::new(header).chain(stream);
                // The caller compares the CRC-32.
                let options = ZipReadOptions::new().ignore_crc32(true);
                match read_zipfile_from_stream_with_options(&mut archive, options) {
                    Ok(Some(mut file)) => fill(&mut file, &mut out, most),
                    Ok(None) => return Err("does not unpack".to_owned()),
                    Err(error) => return Err(format!("does not unpack: {error}")),
                }
            }
            None => return Err("packed in more than 4 GiB".to_owned()),
        },
    };
    match filled {
        Ok(()) => Ok(out),
        Err(error) => Err(format!("does not unpack: {error}")),
    }
}

/// Reads up to `most` bytes.
fn fill(reader: &mut dyn Read, out: &mut Vec<u8>, most: u64) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    while (out.len() as u64) < most {
        if stop::is_set() {
            return Err(io::Error::other("stopped"));
        }
        let room = usize::try_from(most.saturating_sub(out.len() as u64)).unwrap_or(PIECE).min(PIECE);
        match reader.read(piece.get_mut(..room).unwrap_or_default()) {
            Ok(0) => break,
            Ok(count) => {
                let new = piece.get(..count).unwrap_or_default();
                out.try_reserve(new.len()).map_err(io::Error::other)?;
                out.extend_from_slice(new);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns a header that makes the stream an archive of one file, so that the crate reads no directory. Returns `None`
/// if a size does not fit in its 32 bits.
fn one_file(packing: Packing, stream: &[u8], size: u64) -> Option<Vec<u8>> {
    // The numbers of the methods in zip archives.
    let method: u16 = match packing {
        Packing::Deflate64 => 9,
        Packing::Bzip2 => 12,
        _ => 14,
    };
    let packed = u32::try_from(stream.len()).ok()?;
    let unpacked = u32::try_from(size).ok()?;
    // The signature, version 6.3, and no flags.
    let mut header = b"PK\x03\x04\x3f\0\0\0".to_vec();
    header.extend(method.to_le_bytes());
    // No time and no CRC-32.
    header.extend([0; 8]);
    header.extend(packed.to_le_bytes());
    header.extend(unpacked.to_le_bytes());
    // A name of one byte, and no extra fields.
    header.extend([1, 0, 0, 0, b'n']);
    Some(header)
}

/// Returns the memory that an LZMA stream of a zip archive takes. The stream starts with a version, the size of the
/// properties, the properties, and the size of the dictionary.
fn lzma_memory(stream: &[u8], size: u64) -> u64 {
    let Some([_, _, _, _, properties, dictionary @ ..]) = stream.first_chunk::<9>() else { return LZMA };
    // Of 9 * 5 values, the first says how many bits of the last byte choose the table, and the second how many of the
    // position do.
    let literal_bits = properties % 9;
    let position_bits = (properties / 9) % 5;
    // Each table has 768 probabilities of two bytes.
    let tables = 1536_u64.checked_shl((literal_bits.saturating_add(position_bits)).into()).unwrap_or(u64::MAX);
    let dictionary = u64::from(u32::from_le_bytes(*dictionary)).min(size).max(4096);
    (Amount(dictionary) + tables + LZMA).0
}

/// Returns the size of the dictionary of the first block, or 0 if there is none. The decoder refuses larger ones after
/// it.
fn xz_dictionary(stream: &[u8]) -> u64 {
    /// The bytes of the stream's header.
    const HEADER: usize = 12;
    const LZMA2_FILTER: u8 = 0x21;
    let Some([size, flags, fields @ ..]) = stream.get(HEADER..) else { return 0 };
    let fields = fields.get(..usize::from(*size).saturating_mul(4)).unwrap_or(fields);
    let mut fields = fields.iter();
    // The flags say which sizes of the block are there. They are numbers of 7 bits a byte.
    for bit in [0x40, 0x80] {
        if flags & bit != 0 {
            fields.by_ref().find(|byte| **byte < 0x80);
        }
    }
    // A block has up to four filters.
    for _ in 0..4 {
        let (Some(&id), Some(&bytes)) = (fields.next(), fields.next()) else { return 0 };
        if id != LZMA2_FILTER {
            fields.by_ref().take(bytes.into()).for_each(drop);
            continue;
        }
        let Some(&bits) = fields.next() else { return 0 };
        let bits = u32::from(bits & 0x3f);
        // Two or three times a power of two, up to 4 GiB.
        let mantissa = 2_u64.saturating_add(u64::from(bits & 1));
        return mantissa.checked_shl((bits / 2).saturating_add(11)).unwrap_or(u64::MAX).min(u32::MAX.into());
    }
    0
}

/// Returns the window of the first frame that has one, or 0. The decoder refuses larger ones after it.
fn zstd_window(stream: &[u8]) -> u64 {
    let mut rest = stream;
    // Frames to skip, each with its size.
    while let Some(([a, 0x2a, 0x4d, 0x18, size @ ..], after)) = rest.split_first_chunk::<8>()
        && a & 0xf0 == 0x50
    {
        let size = usize::try_from(u32::from_le_bytes(*size)).unwrap_or(usize::MAX);
        rest = after.get(size..).unwrap_or_default();
    }
    let Some(([0x28, 0xb5, 0x2f, 0xfd, flags], fields)) = rest.split_first_chunk::<5>() else { return 0 };
    let is_single = flags & 0x20 != 0;
    if !is_single {
        let Some(window) = fields.first() else { return 0 };
        // A power of two from 1 KiB on, and up to seven eighths of it.
        let base = 1_u64 << (u32::from(window >> 3).saturating_add(10));
        return (Amount(base / 8) * u64::from(window & 7) + base).0;
    }
    // Without a window, it is the size of the content, which comes after the number of a dictionary.
    let id_bytes = match flags & 3 {
        3 => 4,
        bytes => usize::from(bytes),
    };
    let fields = fields.get(id_bytes..).unwrap_or_default();
    let mut size = [0_u8; 8];
    let bytes = match flags >> 6 {
        0 => 1,
        1 => 2,
        2 => 4,
        _ => 8,
    };
    for (place, byte) in size.iter_mut().zip(fields.iter().take(bytes)) {
        *place = *byte;
    }
    // A size of two bytes is stored less 256.
    let added = if bytes == 2 { 256 } else { 0 };
    u64::from_le_bytes(size).saturating_add(added)
}

/// All frames of a stream, one after another.
struct ZstdFrames<'s> {
    /// The bytes from the current frame on.
    rest: &'s [u8],
    frame: Option<StreamingDecoder<&'s [u8], ruzstd::decoding::FrameDecoder>>,
    most_window: u64,
}

impl<'s> ZstdFrames<'s> {
    /// Creates a reader of the frames. None may have a larger window than the first.
    fn new(stream: &'s [u8]) -> Self {
        Self { rest: stream, frame: None, most_window: zstd_window(stream) }
    }

    /// Opens the next frame. Returns false if there is none.
    fn open(&mut self) -> io::Result<bool> {
        while !self.rest.is_empty() {
            match StreamingDecoder::new_with_max_window_size(self.rest, self.most_window.max(1024)) {
                Ok(frame) => {
                    self.frame = Some(frame);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    // The frame has a signature and its size before this many bytes.
                    let skipped = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(8);
                    self.rest = self.rest.get(skipped..).unwrap_or_default();
                }
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
        Ok(false)
    }
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.frame.is_none() && !self.open()? {
                return Ok(0);
            }
            let Some(frame) = &mut self.frame else { return Ok(0) };
            let count = frame.read(out)?;
            if count > 0 {
                return Ok(count);
            }
            // The frame has ended: what it has not read is the next one.
            self.rest = frame.get_ref();
            self.frame = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `meshpeek` 40 times.
    const SIZE: u64 = 320;

    /// The streams that other programs made of it: Python's bz2, lzma and zipfile, 7-Zip and zstd.
    const STREAMS: &[(Packing, &str)] = &[
        (
            Packing::Bzip2,
            "425a6839314159265359db2145220000778180024a4800200030c002950c982704c1344e89a2689d13e2ee48a70a121b6428a440",
        ),
        (Packing::Lzma, "090405005d000080000036994acd2c6588ab2702e1fcb6fe23fffff63dc000"),
        (
            Packing::Xz,
            "fd377a585a000004e6d6b4460200210116000000742fe5a3e0013f00105d0036994acd2c6588ab2702e1fca23c000000f2476ec77e4ce30100012cc002000000c03127f0b1c467fb020000000004595a",
        ),
        (Packing::Deflate64, "e5c5410600000c03c1d72ea54ac9ffc91f72cd5ce6d03c6cfde106"),
        (Packing::Zstd, "28b52ffd04587d0000406d6573687065656b010035530b172492d410"),
    ];

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn streams_of_other_programs_are_decoded() {
        for (packing, hex) in STREAMS {
            let stream = bytes(hex);
            let expected = b"meshpeek".repeat(40);
            assert_eq!(unpack(*packing, &stream, SIZE), Ok(expected.clone()), "{packing}");
            assert_eq!(head(*packing, &stream, SIZE, 10).unwrap(), expected[..10], "{packing}");
            assert!(unpack(*packing, &stream, SIZE - 1).is_err(), "{packing}");
            assert!(unpack(*packing, &stream, SIZE + 1).is_err(), "{packing}");
            assert!(SIZE <= stream.len() as u64 * ratio(*packing));
            let memory = memory(*packing, &stream, SIZE);
            assert!((1..64 << 20).contains(&memory), "{packing}: {memory}");
        }
    }

    #[test]
    fn damaged_streams_are_errors() {
        for (packing, hex) in STREAMS {
            let stream = bytes(hex);
            for cut in 0..stream.len() {
                if let Ok(found) = unpack(*packing, &stream[..cut], SIZE) {
                    // Only a sum or an end mark is missing.
                    assert_eq!(found, b"meshpeek".repeat(40), "{packing}, {cut}");
                }
                for bit in 0..8 {
                    let mut bent = stream.clone();
                    bent[cut] ^= 1 << bit;
                    if memory(*packing, &bent, SIZE) < 64 << 20 {
                        let _ = unpack(*packing, &bent, SIZE);
                    }
                }
            }
        }
    }

    #[test]
    fn dictionaries_are_known_before_they_are_allocated() {
        let of = |packing| STREAMS.iter().find(|(known, _)| *known == packing).map(|(_, hex)| bytes(hex)).unwrap();
        let mut xz = of(Packing::Xz);
        assert_eq!(xz_dictionary(&xz), 8 << 20);
        // A block header of another size: the dictionary of 4 GiB is known, and refused by its limit.
        let place = xz.windows(2).position(|pair| pair == [0x21, 1]).unwrap() + 2;
        xz[place] = 40;
        assert_eq!(xz_dictionary(&xz), u64::from(u32::MAX));
        let mut lzma = of(Packing::Lzma);
        lzma[5..9].fill(0xff);
        assert!(memory(Packing::Lzma, &lzma, SIZE) < 1 << 20);
        assert!(memory(Packing::Lzma, &lzma, 1 << 30) > 1 << 30);
        assert!(zstd_window(&of(Packing::Zstd)) >= SIZE);
        assert_eq!(zstd_window(b"\x28\xb5\x2f\xfd\x00\xff"), (1 << 41) + 7 * (1 << 38));
    }
}
