//! How much a hostile file may cost.

/// What reading may cost at most, whatever a file claims.
///
/// Each bound that is met becomes an error or a problem that names it; nothing is cut off in silence. The defaults lie
/// far above every real file that was seen, but for one: what is decoded has to fit into memory.
///
/// ```
/// let tight = meshpeek::Limits { depth: 32, ..Default::default() };
/// assert!(tight.depth < meshpeek::Limits::default().depth);
/// ```
///
/// # The whole of a file
///
/// `work` and `output` bound what the parts of a file cost together, archives in it included; a scan and the program
/// keep to them, see [`budget`](crate::budget). Both are so many bytes for each byte of the file, which counts 2 MiB
/// larger than it is for the one and 1 MiB for the other; where `decoded_bytes` are more than by default, four bytes of
/// work come with each of those. A byte of work takes 4 ns at most, so that a small file is done with after two seconds, and each
/// further MiB takes one more.
///
/// A real archive needs little of that. Its bytes are charged once where they are inflated, and twice or three times
/// where they are looked at; with archives in archives, blocks in them, `verify` and digests that is some ten bytes of
/// work for each byte unpacked, and archives as a whole unpack to two or three times their size. Single members that
/// deflate 100 : 1 or blocks that stand for 255 times their size change nothing in that. 256 bytes are met by files that
/// were made for it. Results are smaller than what they are made of by far: the smallest entry of an archive has 22
/// bytes, its record 600, which `output` allows 48 times over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nested parts, such as nodes in nodes. Real files stay below 20.
    pub depth: u32,
    /// Bytes that a block, table or member may decode to, those together in which it lies; and bytes that a pipe or
    /// other file without a size may hold. A scan holds no more than these and 64 MiB, whatever its number of threads.
    pub decoded_bytes: u64,
    /// Problems kept for one asset; further ones are counted.
    pub problems: u32,
    /// Bytes that the names of other files in one asset may take as text, 64 for each of them added.
    pub reference_bytes: u64,
    /// Archives inside archives.
    pub archive_depth: u32,
    /// Members listed from one archive; in a scan, those of archives inside it among them.
    pub archive_members: u32,
    /// Bytes decoded and looked at for each byte of a file.
    pub work: u32,
    /// Bytes of results for each byte of a file.
    pub output: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 512,
            decoded_bytes: 256 << 20,
            problems: 1_000,
            reference_bytes: 4 << 20,
            archive_depth: 4,
            archive_members: 4_000_000,
            work: 256,
            output: 48,
        }
    }
}

/// The flags of the program that set each of the [`Limits`], as messages name them.
pub(crate) mod flag {
    #![allow(dead_code, reason = "not every format has every limit")]

    pub(crate) const DEPTH: &str = "--max-depth";
    pub(crate) const DECODED: &str = "--max-decoded";
    pub(crate) const REFERENCES: &str = "--max-references";
    pub(crate) const ARCHIVE_DEPTH: &str = "--max-archive-depth";
    pub(crate) const ARCHIVE_MEMBERS: &str = "--max-archive-members";
    pub(crate) const WORK: &str = "--max-work";
    pub(crate) const OUTPUT: &str = "--max-output";
}
