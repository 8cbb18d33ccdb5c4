//! Archives and folders among the temporary files.

use std::fs::File;
use std::io::{BufWriter, Read, Result, Write};
use std::path::{Path, PathBuf};

use sha1::{Digest, Sha1};

use super::assets::Asset;
use super::streams::Known;
use super::writer::zip::{crc32, deflate};

/// The folder for all temporary files; deleted on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("meshpeek-bench-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A PBO of stored members: the same assets again and again.
pub struct Archive<'a> {
    pub path: PathBuf,
    known: Vec<Known>,
    assets: &'a [Asset],
    /// The offset of the first member.
    start: usize,
    count: usize,
}

impl<'a> Archive<'a> {
    /// Writes one of at least this total size.
    pub fn write(path: PathBuf, assets: &'a [Asset], size: u64) -> Result<Self> {
        let mut members = Vec::new();
        let mut total = 0;
        while total < size {
            let asset = &assets[members.len() % assets.len()];
            members.push((format!("{}\\{}", members.len(), asset.name), &asset.bytes[..]));
            total += asset.bytes.len() as u64;
        }
        let start = write_pbo(&path, &members)?;
        let known = assets.iter().map(|asset| Known::of(&asset.bytes)).collect();
        Ok(Self { path, known, assets, start, count: members.len() })
    }

    /// The offset of each member, and what is known of it.
    pub fn members(&self) -> impl Iterator<Item = (usize, &Known)> {
        let mut offset = self.start;
        self.known.iter().cycle().take(self.count).map(move |known| {
            let start = offset;
            offset += known.len;
            (start, known)
        })
    }

    /// Appends the SHA-1 of its bytes.
    pub fn append_sha1(&self) -> Result<()> {
        let mut file = File::options().read(true).append(true).open(&self.path)?;
        let mut hash = Sha1::new();
        let mut buffer = vec![0; 1 << 20];
        while let count @ 1.. = file.read(&mut buffer)? {
            hash.update(&buffer[..count]);
        }
        file.write_all(&[0])?;
        file.write_all(&hash.finalize())
    }

    /// How many members it has, and what they are.
    pub fn describe(&self) -> String {
        format!("{} members: {}", self.count, super::assets::mix(self.assets))
    }
}

/// Writes a PBO of stored members. Returns the offset of the first.
pub fn write_pbo(path: &Path, members: &[(String, &[u8])]) -> Result<usize> {
    let mut header = Vec::new();
    for (name, bytes) in members {
        header.extend_from_slice(name.as_bytes());
        header.extend_from_slice(&[0; 17]);
        header.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    }
    header.extend_from_slice(&[0; 21]);
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(&header)?;
    for (_, bytes) in members {
        out.write_all(bytes)?;
    }
    out.flush()?;
    Ok(header.len())
}

/// A zip of deflated members: the assets again and again, up to this total size.
pub fn write_zip(path: &Path, assets: &[Asset], size: u64) -> Result<()> {
    let mut packed = Vec::new();
    for asset in assets {
        packed.push((crc32(&asset.bytes), deflate(&asset.bytes)));
    }
    let mut out = BufWriter::new(File::create(path)?);
    let mut directory = Vec::new();
    let (mut number, mut total, mut offset) = (0_u16, 0, 0_u32);
    while total < size {
        let place = usize::from(number) % assets.len();
        let (sum, stream) = &packed[place];
        let bytes = &assets[place].bytes;
        let name = format!("{number}/{}", assets[place].name);
        let mut header = [[20, 0], [0, 0], [8, 0], [0, 0], [0x21, 0]].concat();
        for field in [*sum, stream.len() as u32, bytes.len() as u32, name.len() as u32] {
            header.extend(field.to_le_bytes());
        }
        let local = [b"PK\x03\x04", &header[..], name.as_bytes(), stream].concat();
        directory.extend([b"PK\x01\x02\x14\0", &header[..], &[0; 10], &offset.to_le_bytes(), name.as_bytes()].concat());
        out.write_all(&local)?;
        number += 1;
        total += bytes.len() as u64;
        offset += local.len() as u32;
    }
    out.write_all(&directory)?;
    let count = number.to_le_bytes();
    let lengths = [(directory.len() as u32).to_le_bytes(), offset.to_le_bytes()].concat();
    out.write_all(&[b"PK\x05\x06\0\0\0\0", &count[..], &count, &lengths, &[0, 0]].concat())?;
    out.flush()
}

/// One file for each asset, again and again up to this total size.
pub fn write_files(folder: &Path, assets: &[Asset], size: u64) -> Result<()> {
    std::fs::create_dir(folder)?;
    let mut total = 0;
    for (number, asset) in assets.iter().cycle().enumerate() {
        if total >= size {
            break;
        }
        std::fs::write(folder.join(format!("{number}_{}", asset.name)), &asset.bytes)?;
        total += asset.bytes.len() as u64;
    }
    Ok(())
}

/// 100,000 files in 100 folders.
pub fn write_small(folder: &Path, bytes: &[u8]) -> Result<()> {
    for number in 0..100 {
        let folder = folder.join(number.to_string());
        std::fs::create_dir_all(&folder)?;
        for file in 0..1000 {
            std::fs::write(folder.join(format!("{file}.b3d")), bytes)?;
        }
    }
    Ok(())
}
