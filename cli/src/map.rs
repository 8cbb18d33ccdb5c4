//! Maps files that others may write to, with the reasons why this is acceptable.

use meshpeek::Access;

use crate::args::Common;

/// Access with larger files mapped, unless the user does not want that.
pub(crate) fn access(common: &Common) -> Access {
    if common.no_mmap { Access::READ } else { large() }
}

/// Access with larger files mapped.
#[allow(unsafe_code)]
pub(crate) fn large() -> Access {
    // SAFETY: nobody can promise that no other process writes to the files that a user names. The effect of such a
    // write is limited to numbers that come out old, new or mixed. Only the library and `dump` use mapped bytes. The
    // library creates no type over them that a write could make invalid (`meshpeek::source`), and `dump` copies them.
    // Results are reported as changed if the change is visible (`FileMap::unchanged`), and `--no-mmap` reads files
    // instead. The language promises less than this; `tests/it/shrink.rs` tests that compilers and systems behave this
    // way.
    unsafe { Access::map_large() }
}
