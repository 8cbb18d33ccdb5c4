//! Keys and signatures: fields must follow each other, and no input may cost more than a bounded number of products.

use meshpeek::bisign::KeyFile;
use meshpeek::pbo::Archive;
use meshpeek::{Budget, Format, Inspect, Limits, signatures};

/// Reads the bytes as a key or signature, and compares them with an archive.
pub fn run(data: &[u8]) {
    crate::any::run(data);
    let Ok(file) = KeyFile::parse(data) else { return };
    let key = file.key();
    if let Some(format @ (Format::Bikey | Format::Bisign)) = Format::sniff(data) {
        assert_eq!(format, file.format());
    }
    let end = key.modulus.offset() + key.modulus.len() as u64;
    assert_eq!(key.modulus.len(), key.header.bits.get() as usize / 8);
    assert_eq!(key.modulus.offset(), key.name.len() as u64 + 25);
    assert!(end <= data.len() as u64);
    let limits = Limits::default();
    let budget = Budget::new(data.len() as u64, &limits);
    let archive = crate::writer::bisign::SHED;
    let fit = signatures::compare(&file, &Archive::parse(archive).unwrap(), &budget);
    match file.signature() {
        Ok(Some(signature)) => {
            assert_eq!(file.format(), Format::Bisign);
            assert_eq!(signature.first.offset(), end + 4);
            assert_eq!(signature.second.offset(), end + 12 + signature.first.len() as u64);
            let third = signature.second.offset() + 4 + signature.second.len() as u64;
            assert_eq!(signature.third.offset(), third);
            assert_eq!(file.summarize().version, Some(signature.version));
        }
        Ok(None) => assert!(file.format() == Format::Bikey && fit.is_err()),
        Err(_) => assert!(fit.is_err() && !file.summarize().problems.is_empty()),
    }
}
