//! Patterns for paths, in folders and in archives.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use super::target::{Use, is_archive};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::ByteStr;

/// Patterns as in ripgrep's `--iglob`, ignoring case: the last pattern that matches a path counts.
#[derive(Debug)]
pub struct Globs(pub(super) Override);

impl Globs {
    /// Compiles the patterns for paths below this folder.
    pub(super) fn new<'p>(root: &Path, patterns: impl IntoIterator<Item = &'p String>) -> Result<Self> {
        let mut builder = OverrideBuilder::new(root);
        builder.case_insensitive(true).map_err(bad_pattern)?;
        for pattern in patterns {
            builder.add(pattern).map_err(bad_pattern)?;
        }
        Ok(Self(builder.build().map_err(bad_pattern)?))
    }

    /// Compiles patterns for the names of members.
    ///
    /// # Errors
    /// Returns an error if a pattern is invalid.
    pub fn of_members(patterns: &[String]) -> Result<Self> {
        Self::new(Path::new(""), patterns)
    }

    /// Returns true if the patterns select the member with this name, a path with `/` or `\`. Takes steps in proportion
    /// to the number of folders in the name times its length.
    pub fn matches(&self, name: ByteStr<'_>) -> bool {
        matches!(self.use_of(name), Use::Whole)
    }

    /// Compiles only the patterns with a `!`.
    pub(super) fn exclusions(root: &Path, patterns: &[String]) -> Result<Self> {
        Self::new(root, patterns.iter().filter(|pattern| pattern.starts_with('!')))
    }

    /// Returns true if this file is included.
    pub(super) fn take(&self, path: &Path) -> bool {
        self.may_take(path, false)
    }

    /// Returns true if there are no patterns.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if no pattern excludes this file or folder. Files below a folder may be excluded.
    pub(super) fn may_take(&self, path: &Path, is_folder: bool) -> bool {
        !self.0.matched(path, is_folder).is_ignore()
    }

    /// How to use a member of an archive. Its name is a path with `/` or `\`.
    pub(super) fn use_of(&self, name: ByteStr<'_>) -> Use {
        if self.0.is_empty() {
            return Use::Whole;
        }
        let name = name.to_text_lossy().replace('\\', "/");
        let path = Path::new(name.trim_start_matches('/'));
        // Only a pattern with a `!` excludes a folder. If no pattern matches the folder, files in it may still match.
        if path.ancestors().any(|part| self.0.matched(part, true).is_ignore()) {
            Use::Nothing
        } else if self.take(path) {
            Use::Whole
        } else if is_archive(Format::from_extension(path)) {
            Use::Inside
        } else {
            Use::Nothing
        }
    }
}

fn bad_pattern(error: ignore::Error) -> Error {
    Error::malformed(format!("not a pattern for paths: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_taken_as_files_of_a_folder() {
        let use_of = |patterns: &[&str], name: &str| {
            let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
            match Globs::new(Path::new(""), &patterns).unwrap().use_of(name.into()) {
                Use::Whole => "whole",
                Use::Inside => "inside",
                Use::Nothing => "nothing",
            }
        };
        for (patterns, name, expected) in [
            (&[][..], "a.p3d", "whole"),
            (&["*.p3d"], "a.p3d", "whole"),
            (&["*.p3d"], r"data\sub\a.p3d", "whole"),
            (&["data/*.p3d"], r"data\a.p3d", "whole"),
            (&["data/*.p3d"], r"other\data\a.p3d", "nothing"),
            (&["*.p3d"], "a.rtm", "nothing"),
            (&["*.p3d"], "addons/a.PBO", "inside"),
            (&["!*.rtm"], "a.rtm", "nothing"),
            (&["!*.rtm"], "a.p3d", "whole"),
            (&["!data"], r"data\a.p3d", "nothing"),
            (&["*.p3d", "!*.pbo"], "addons/a.pbo", "nothing"),
            (&["!*.p3d", "b.p3d"], "b.p3d", "whole"),
            (&["*.P3D"], "a.p3d", "whole"),
            (&["DATA/*.p3d"], r"Data\A.P3d", "whole"),
            (&["!*.RTM"], "a.rtm", "nothing"),
        ] {
            assert_eq!(use_of(patterns, name), expected, "{patterns:?} {name}");
        }
    }
}
