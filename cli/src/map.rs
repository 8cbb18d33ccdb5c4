//! Why the program maps files that others may write to.

use meshpeek::Access;

/// Larger files mapped.
#[allow(unsafe_code)]
pub(crate) fn access() -> Access {
    // SAFETY: nobody can promise that no other process writes into the files that a person names. What a write may do
    // to this program is that a number comes out old, new or mixed: all it does with mapped bytes is done by the library,
    // which makes no type over them that they could make invalid (`meshpeek::source`), and by `dump`, which copies them.
    // Results are told as changed where that shows (`FileMap::unchanged`), and `--no-mmap` reads files instead. The
    // language promises less than this; that compilers and systems keep to it is tried in `tests/it/shrink.rs`.
    unsafe { Access::map_large() }
}
