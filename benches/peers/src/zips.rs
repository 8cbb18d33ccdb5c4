//! Zips: what is in them, and their content with its CRC.

use std::io::{Cursor, Read};

use meshpeek::zip::Archive;

use super::questions::dense;
use super::questions::harness::{Examiner, contender, measure};
use super::questions::writer::zip::{Entry, zip};

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("zip: the name and the size of each of 20,000 members", |question| {
        let scene = super::growth::scene();
        let entry = |index| Entry::stored(format!("data/scene_{index:05}.b3d"), &scene);
        let bytes = zip(&(0..20_000).map(entry).collect::<Vec<_>>(), b"").to_vec();
        question.compare(vec![
            contender("meshpeek: Archive::parse, members", || listed(&bytes)).items(20_000),
            contender("rawzip: from_slice, next_entry", || listed_by_rawzip(&bytes)),
            measure("zip: ZipArchive::new, by_index_raw", || {
                let mut archive = zip::ZipArchive::new(Cursor::new(&bytes)).expect("a zip");
                let size = |index| archive.by_index_raw(index).expect("a member").size();
                (0..20_000).map(size).sum()
            }),
        ]);
    });
    examiner.question("zip: every member inflated, with its CRC", |question| {
        let models = dense::files("odol");
        let entries: Vec<Entry> = models.iter().map(|(name, bytes)| Entry::deflated(name, bytes)).collect();
        let bytes = zip(&entries, b"").to_vec();
        question.compare(vec![
            contender("meshpeek: Member::decode", || inflated(&bytes)),
            contender("rawzip with flate2: verifying_reader, read_to_end", || inflated_by_rawzip(&bytes)),
            contender("zip: by_index, read_to_end", || inflated_by_zip(&bytes)),
        ]);
    });
}

fn listed(bytes: &[u8]) -> u64 {
    let mut sum = 0;
    for member in Archive::parse(bytes).expect("a zip").members() {
        let member = member.expect("a member");
        sum += member.decoded_byte_len_hint() + member.name().as_bytes().len() as u64;
    }
    sum
}

fn listed_by_rawzip(bytes: &[u8]) -> u64 {
    let archive = rawzip::ZipArchive::from_slice(bytes).expect("a zip");
    let mut entries = archive.entries();
    let mut sum = 0;
    while let Some(entry) = entries.next_entry().expect("a member") {
        sum += entry.uncompressed_size_hint() + entry.file_path().as_bytes().len() as u64;
    }
    sum
}

fn inflated(bytes: &[u8]) -> u64 {
    let members = Archive::parse(bytes).expect("a zip").members();
    members.map(|member| member.expect("a member").decode().expect("its content").len() as u64).sum()
}

fn inflated_by_rawzip(bytes: &[u8]) -> u64 {
    let archive = rawzip::ZipArchive::from_slice(bytes).expect("a zip");
    let mut entries = archive.entries();
    let mut sum = 0;
    while let Some(entry) = entries.next_entry().expect("a member") {
        let mut content = Vec::with_capacity(entry.uncompressed_size_hint() as usize);
        let entry = archive.get_entry(entry.wayfinder()).expect("a member");
        let decoder = flate2::bufread::DeflateDecoder::new(entry.data());
        entry.verifying_reader(decoder).read_to_end(&mut content).expect("its content");
        sum += content.len() as u64;
    }
    sum
}

fn inflated_by_zip(bytes: &[u8]) -> u64 {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let mut sum = 0;
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).expect("a member");
        let mut content = Vec::with_capacity(member.size() as usize);
        member.read_to_end(&mut content).expect("its content");
        sum += content.len() as u64;
    }
    sum
}
