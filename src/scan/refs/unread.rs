//! Assets, texts and archives whose references could not all be read.

use std::path::Path;
use std::sync::Arc;

use super::configs::{is_config, is_surely_config};
use super::keys::name_of;
use crate::base::code::Code;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::scan::Record;
use crate::scan::order::by_bytes;
use crate::summary::Severity;

/// An asset, text, archive or folder whose references could not all be read.
pub(super) struct Unread {
    pub(super) path: Arc<Path>,
    pub(super) member: Option<Name>,
    /// The reason.
    pub(super) note: String,
}

impl Unread {
    /// Joins the reason to that of `first` if both are about one asset, text or archive. Returns true in this case.
    pub(super) fn joins(&mut self, first: &mut Self) -> bool {
        if self.path != first.path || self.member != first.member {
            return false;
        }
        first.note.push_str("; ");
        first.note.push_str(&self.note);
        true
    }

    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_path = by_bytes(&self.path, &other.path);
        if by_path.is_ne() {
            return by_path;
        }
        match (&self.member, &other.member) {
            (Some(one), Some(other)) => one.text.cmp(&other.text),
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }
}

/// Returns true for formats whose assets name other files: not for textures and their indices, animations and keys.
fn names_files(format: Format) -> bool {
    !matches!(format, Format::Paa | Format::TexHeaders | Format::Rtm | Format::Bmtr)
}

/// Returns why not all references of this asset could be read, or `None` if they all were. Says nothing about texts.
pub(super) fn reason(record: &Record) -> Option<String> {
    let summary = &record.summary;
    let name = name_of(&record.path, record.member.as_ref());
    if let Some(format) = summary.format
        && !names_files(format)
    {
        return None;
    }
    let ending = Format::from_extension(name);
    let should_name_files = match ending {
        Some(format) => names_files(format),
        None => false,
    };
    for problem in &summary.problems {
        // A wrong checksum hides no name.
        let is_error = problem.severity == Severity::Error && problem.code != Code::Checksum;
        let is_in_place_of_asset = match problem.code {
            Code::LfsPointer => should_name_files || is_config(name),
            Code::Empty => should_name_files,
            Code::Unknown if is_surely_config(name) => true,
            // Other programs use `.lod` and `.bmx`, too.
            Code::Text | Code::Unknown => {
                matches!(ending, Some(Format::Odol | Format::Mlod | Format::B3d | Format::Pbo | Format::Zip))
            }
            _ => false,
        };
        let is_named_text = summary.format.is_none() && is_config(name);
        if is_in_place_of_asset || is_error && (summary.format.is_some() || ending.is_some() || is_named_text) {
            return Some(problem.message.clone().into_owned());
        }
    }
    None
}
