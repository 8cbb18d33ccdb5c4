//! How much a hostile file may cost.

/// What reading may cost at most, whatever a file claims.
///
/// Each bound that is met becomes an error or a problem that names it; nothing is cut off in silence. The defaults lie
/// far above every real file that was seen.
///
/// ```
/// let tight = meshpeek::Limits { depth: 32, ..Default::default() };
/// assert!(tight.depth < meshpeek::Limits::default().depth);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nested parts, such as nodes in nodes. Real files stay below 20.
    pub depth: u32,
    /// Bytes that one block or table may decode to, and that a pipe or other file without a size may hold.
    pub decoded_bytes: u64,
    /// Problems kept for one asset; further ones are counted.
    pub problems: u32,
    /// Archives inside archives.
    pub archive_depth: u32,
    /// Members listed from one archive.
    pub archive_members: u32,
    /// Bytes that one compressed member may decode to, for each byte stored.
    pub archive_ratio: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 512,
            decoded_bytes: 1 << 30,
            problems: 1_000,
            archive_depth: 4,
            archive_members: 4_000_000,
            archive_ratio: 1_100,
        }
    }
}

/// The flags of the program that set each of the [`Limits`], as messages name them.
pub(crate) mod flag {
    #![allow(dead_code, reason = "not every format has every limit")]

    pub(crate) const DEPTH: &str = "--max-depth";
    pub(crate) const DECODED: &str = "--max-decoded";
    pub(crate) const ARCHIVE_DEPTH: &str = "--max-archive-depth";
    pub(crate) const ARCHIVE_MEMBERS: &str = "--max-archive-members";
}
