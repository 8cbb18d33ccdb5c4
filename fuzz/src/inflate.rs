//! Inflating a member of a zip, against miniz_oxide: the same bytes of both, or an error.

use meshpeek::zip::Archive;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use crate::writer::zip::{Entry, crc32, zip};

/// Streams that yield more are left alone.
const MOST: usize = 1 << 16;

/// The bytes are a stream. A claim of its length that is a byte off is an error too.
pub fn run(stream: &[u8]) {
    let (mut bytes, is_whole) = match decompress_to_vec_with_limit(stream, MOST) {
        Ok(bytes) => (bytes, true),
        Err(error) if error.status == TINFLStatus::HasMoreOutput => return,
        Err(error) => (error.output, false),
    };
    let len = bytes.len();
    bytes.push(0);
    let file = zip(&[Entry::new("a", 8, stream.to_vec(), b"")], b"");
    let directory = file.at("directory");
    let mut file = file.to_vec();
    for claimed in [len, len + 1, len.saturating_sub(1)] {
        // With the sum of so many bytes, so that it does not tell what the length must tell.
        for (header, value) in [(14, crc32(&bytes[..claimed])), (22, claimed as u32)] {
            file[header..header + 4].copy_from_slice(&value.to_le_bytes());
            file[directory + 2 + header..directory + 6 + header].copy_from_slice(&value.to_le_bytes());
        }
        let archive = match Archive::parse(&file) {
            Ok(archive) => archive,
            Err(error) => return assert!(error.message().contains("two zip end records"), "{error}"),
        };
        let found = archive.members().next().unwrap().unwrap().decode().ok();
        let expected = (is_whole && claimed == len).then_some(&bytes[..len]);
        assert_eq!(found.as_deref(), expected, "{claimed} bytes claimed");
    }
}
