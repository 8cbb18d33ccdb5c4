//! Zips written field by field, so that each field can be wrong independently.

use super::bytes::Bytes;

/// The description of an entry's data in a header.
#[derive(Clone, Default)]
pub struct Header {
    pub flags: u16,
    pub method: u16,
    pub crc32: u32,
    pub packed: u32,
    pub unpacked: u32,
    pub name: Vec<u8>,
    pub extra: Vec<u8>,
}

/// An entry: its stored data, and its descriptions in the local header and in the directory.
#[derive(Clone, Default)]
pub struct Entry {
    pub data: Vec<u8>,
    pub local: Header,
    pub central: Header,
    /// Bytes after the data: a descriptor, or a gap.
    pub after: Vec<u8>,
    /// A wrong offset for the local header.
    pub header_offset: Option<u32>,
}

/// Returns the same bytes in every build, independent of the library's DEFLATE implementation.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(bytes, 6)
}

pub fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut bit = 0;
        while bit < 256 * 8 {
            let start = if bit % 8 == 0 { bit as u32 / 8 } else { table[bit / 8] };
            table[bit / 8] = (start >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(start & 1));
            bit += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc, byte| (crc >> 8) ^ TABLE[(crc as u8 ^ byte) as usize])
}

impl Entry {
    /// With the name marked as UTF-8, as programs that write maps do.
    pub fn new(name: impl AsRef<[u8]>, method: u16, data: Vec<u8>, bytes: &[u8]) -> Self {
        let header = Header {
            flags: 1 << 11,
            method,
            crc32: crc32(bytes),
            packed: data.len() as u32,
            unpacked: bytes.len() as u32,
            name: name.as_ref().to_vec(),
            extra: Vec::new(),
        };
        Self { data, local: header.clone(), central: header, ..Self::default() }
    }

    pub fn deflated(name: impl AsRef<[u8]>, bytes: &[u8]) -> Self {
        Self::new(name, 8, deflate(bytes), bytes)
    }

    pub fn stored(name: impl AsRef<[u8]>, bytes: &[u8]) -> Self {
        Self::new(name, 0, bytes.to_vec(), bytes)
    }

    /// Stores sizes and CRC-32 only after the data.
    pub fn with_descriptor(mut self) -> Self {
        self.after = Bytes::new()
            .raw(b"PK\x07\x08")
            .u32(self.central.crc32)
            .u32(self.central.packed)
            .u32(self.central.unpacked)
            .to_vec();
        self.local.flags |= 1 << 3;
        self.central.flags |= 1 << 3;
        Header { crc32: 0, packed: 0, unpacked: 0, ..self.local.clone() }.clone_into(&mut self.local);
        self
    }

    /// Applies the change to both headers.
    pub fn both(mut self, change: impl Fn(&mut Header)) -> Self {
        change(&mut self.local);
        change(&mut self.central);
        self
    }
}

fn header(bytes: Bytes, header: &Header) -> Bytes {
    let Header { flags, method, crc32, packed, unpacked, .. } = header;
    // Day 0 of January 1980, as the Virtools plug-in writes it.
    let bytes = bytes.raw(flags.to_le_bytes()).raw(method.to_le_bytes()).raw([0, 0, 0x20, 0]);
    let bytes = bytes.u32(*crc32).u32(*packed).u32(*unpacked);
    bytes.raw((header.name.len() as u16).to_le_bytes()).raw((header.extra.len() as u16).to_le_bytes())
}

/// The whole archive. Marks: `directory`, `end`, and its fields `entries`, `directory_bytes`, `directory_offset`.
pub fn zip(entries: &[Entry], comment: &[u8]) -> Bytes {
    let mut bytes = Bytes::new();
    let mut offsets = Vec::new();
    for entry in entries {
        offsets.push(bytes.len() as u32);
        bytes = header(bytes.raw(b"PK\x03\x04").raw([20, 0]), &entry.local);
        bytes = bytes.raw(&entry.local.name).raw(&entry.local.extra).raw(&entry.data).raw(&entry.after);
    }
    let directory = bytes.len();
    bytes = bytes.mark("directory");
    for (entry, offset) in entries.iter().zip(offsets) {
        bytes = header(bytes.raw(b"PK\x01\x02").raw([0, 0, 20, 0]), &entry.central);
        // Comment, disk, attributes.
        bytes = bytes.raw([0; 10]).u32(entry.header_offset.unwrap_or(offset));
        bytes = bytes.raw(&entry.central.name).raw(&entry.central.extra);
    }
    let directory_bytes = bytes.len() - directory;
    let count = (entries.len() as u16).to_le_bytes();
    bytes = bytes.mark("end").raw(b"PK\x05\x06").mark("disk").raw([0; 4]);
    bytes = bytes.mark("disk_entries").raw(count).mark("entries").raw(count);
    bytes = bytes.mark("directory_bytes").u32(directory_bytes as u32);
    bytes = bytes.mark("directory_offset").u32(directory as u32);
    bytes.mark("comment_bytes").raw((comment.len() as u16).to_le_bytes()).raw(comment)
}
