//! Files that are in the place of an asset.

use crate::base::code::Code;
use crate::base::format::Format;

/// Returns true if a file with this problem is in the place of an asset, whose format its name promises: a pointer of
/// Git LFS, or what is left of the asset.
pub(super) fn replaces_asset(code: Code, promised: Option<Format>) -> bool {
    match code {
        Code::LfsPointer | Code::Empty => promised.is_some(),
        // Other programs use `.lod` and `.bmx`, too.
        Code::Text | Code::Unknown => {
            matches!(promised, Some(Format::Odol | Format::Mlod | Format::B3d | Format::Pbo | Format::Zip))
        }
        _ => false,
    }
}
