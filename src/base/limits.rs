//! Limits on the cost of a hostile file.

/// Limits on the cost of reading, whatever a file claims.
///
/// Reaching a limit produces an error or a problem that names it. Nothing is truncated silently. The defaults are far
/// above every real file seen so far, with one exception: decoded data has to fit into memory.
///
/// ```
/// let tight = meshpeek::Limits::default().with_depth(32);
/// assert!(tight.depth < meshpeek::Limits::default().depth);
/// ```
///
/// # Limits for a whole file
///
/// `work` and `output` bound the total cost of the parts of a file, including archives in it. A scan and the program
/// apply them, see [`budget`](crate::budget). Both are numbers of bytes per byte of the file. For this, `work` counts
/// the file as 2 MiB larger than it is, and `output` as 1 MiB larger. If `decoded_bytes` is above its default, each
/// additional byte adds four bytes of work. A byte of work takes 4 ns at most. So a small file takes at most two
/// seconds, and each further MiB adds at most one second.
///
/// A real archive needs only a fraction of that. Its bytes are charged once when they are inflated, and two or three
/// times when they are examined. With nested archives, blocks in them, `verify` and digests, that is about ten bytes of
/// work for each unpacked byte. Archives as a whole unpack to two or three times their size. Single members that
/// deflate 100 : 1, or blocks that expand 255 times, do not change that. Only files made for the purpose reach 256
/// bytes. Results are much smaller than their sources: the smallest entry of an archive has 22 bytes and its record
/// 600, and `output` allows 48 times that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum levels of nested parts, such as nodes in nodes. Real files stay below 20.
    pub depth: u32,
    /// Maximum bytes of a decoded block, table or member in memory, together with the decoded parts around it. Longer
    /// blocks can be read in pieces ([`Table::read`](crate::view::Table::read)). Also the
    /// maximum bytes of a pipe or other file without a size. A scan holds no more than this and 64 MiB, whatever its
    /// number of threads.
    pub decoded_bytes: u64,
    /// Maximum problems kept for one asset. Further ones are counted.
    pub problems: u32,
    /// Maximum bytes that the names of other files in one asset may take as text, plus 64 for each name.
    pub reference_bytes: u64,
    /// Maximum depth of archives inside archives.
    pub archive_depth: u32,
    /// Maximum members listed from one archive. In a scan this includes those of archives inside it.
    pub archive_members: u32,
    /// Maximum bytes decoded and examined, for each byte of a file.
    pub work: u32,
    /// Maximum bytes of results, for each byte of a file.
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

impl Limits {
    /// Returns these limits with another [`depth`](Self::depth).
    #[must_use]
    pub const fn with_depth(self, depth: u32) -> Self {
        Self { depth, ..self }
    }

    /// Returns these limits with another [`decoded_bytes`](Self::decoded_bytes).
    #[must_use]
    pub const fn with_decoded_bytes(self, decoded_bytes: u64) -> Self {
        Self { decoded_bytes, ..self }
    }

    /// Returns these limits with another [`problems`](Self::problems).
    #[must_use]
    pub const fn with_problems(self, problems: u32) -> Self {
        Self { problems, ..self }
    }

    /// Returns these limits with another [`reference_bytes`](Self::reference_bytes).
    #[must_use]
    pub const fn with_reference_bytes(self, reference_bytes: u64) -> Self {
        Self { reference_bytes, ..self }
    }

    /// Returns these limits with another [`archive_depth`](Self::archive_depth).
    #[must_use]
    pub const fn with_archive_depth(self, archive_depth: u32) -> Self {
        Self { archive_depth, ..self }
    }

    /// Returns these limits with another [`archive_members`](Self::archive_members).
    #[must_use]
    pub const fn with_archive_members(self, archive_members: u32) -> Self {
        Self { archive_members, ..self }
    }

    /// Returns these limits with another [`work`](Self::work).
    #[must_use]
    pub const fn with_work(self, work: u32) -> Self {
        Self { work, ..self }
    }

    /// Returns these limits with another [`output`](Self::output).
    #[must_use]
    pub const fn with_output(self, output: u32) -> Self {
        Self { output, ..self }
    }
}
