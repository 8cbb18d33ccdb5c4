//! How references are resolved.

use std::path::PathBuf;

/// How to resolve references.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Rules {
    /// Prefixes of names that the game itself has, such as `ca` or `a3`.
    pub assumed: Vec<String>,
    /// Prefixes of folders and archives, which go before those in files.
    pub prefixes: Vec<(String, PathBuf)>,
    /// A folder with images. A texture that is found nowhere else is the one with its name that is anywhere below it.
    pub textures: Option<PathBuf>,
    /// True to keep the textures that ODOL models copied from materials, for [`Links::each_stale`](super::Links::each_stale).
    pub copies: bool,
    /// True to look around each path. The files next to a given file may be meant, too. So may those of the folder above
    /// with a prefix file. The materials and texts of this folder are read, though not listed by themselves, and so are texts
    /// anywhere that others include by relative paths.
    pub above: bool,
}
