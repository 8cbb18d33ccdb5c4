//! Inflates a member of a zip, and compares with miniz_oxide: equal bytes, or an error from both.

use meshpeek::zip::Archive;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use crate::writer::zip::{Entry, crc32, zip};

/// Streams with larger output are skipped.
const MOST: usize = 1 << 16;

/// The input is a stream. A claimed size that is off by one byte is an error too.
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
        // Uses the checksum of that size, so that the error must come from the size.
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
