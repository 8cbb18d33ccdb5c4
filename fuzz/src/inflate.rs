//! Inflating a member of a zip, against miniz_oxide: the same bytes of both, or an error.

use meshpeek::container::Container;
use meshpeek::zip::Archive;
use meshpeek::{Asset, Budget, Limits};
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use crate::writer::zip::{Entry, zip};

/// Streams that yield more are left alone.
const MOST: usize = 1 << 16;

/// The bytes are a stream. A claim of its length that is a byte off is an error too.
pub fn run(stream: &[u8]) {
    let (bytes, is_whole) = match decompress_to_vec_with_limit(stream, MOST) {
        Ok(bytes) => (bytes, true),
        Err(error) if error.status == TINFLStatus::HasMoreOutput => return,
        Err(error) => (error.output, false),
    };
    let longer = [&bytes[..], &[0]].concat();
    for claimed in [bytes.len(), bytes.len() + 1, bytes.len().saturating_sub(1)] {
        // With the sum of so many bytes, so that it does not tell what the length must tell.
        let entry = Entry::new("a", 8, stream.to_vec(), &longer[..claimed]);
        let file = zip(&[entry], b"").to_vec();
        let asset = match Archive::parse(&file) {
            Ok(archive) => Asset::Zip(archive),
            Err(error) => return assert!(error.message().contains("two zip end records"), "{error}"),
        };
        let member = Container::of(&asset).unwrap().members().next().unwrap().unwrap();
        let found = member.decode(&Budget::new(file.len() as u64, &Limits::default())).ok();
        let expected = (is_whole && claimed == bytes.len()).then_some(&*bytes);
        assert_eq!(found.as_deref(), expected, "{claimed} bytes claimed");
    }
}
