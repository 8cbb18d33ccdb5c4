//! Whether maps are guarded.

#[cfg(all(feature = "mmap", unix))]
use super::guard;
use crate::base::error::Result;

/// Guards maps against files that are truncated, for the whole process and permanently.
///
/// On Unix this installs a handler for SIGBUS. A fault in one of this crate's maps replaces the lost part with zeros,
/// and the program continues. Every other fault goes to the previous handler. On other systems there is nothing to do.
/// Further calls install the guard again if another handler was installed over it. Opening a file to map it does the
/// same. The [module's docs](super#the-guard) list the limits.
///
/// It costs nothing until a fault occurs. A library should leave this call to the program that uses it.
///
/// # Errors
/// Returns an error of the operating system. Maps are then not guarded, and [`Access::map_large`](super::Access::map_large) reads.
pub fn guard_maps() -> Result<()> {
    #[cfg(all(feature = "mmap", unix))]
    guard::install()?;
    Ok(())
}

/// Returns true if a truncated file cannot end the process now while this thread reads a map of it. Costs two system
/// calls.
pub fn are_maps_guarded() -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_armed();
    #[cfg(not(all(feature = "mmap", unix)))]
    true
}

/// Returns true if these bytes are in a map of which the guard has replaced a part with zeros.
pub(crate) fn is_torn(bytes: &[u8]) -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_torn(bytes);
    #[cfg(not(all(feature = "mmap", unix)))]
    {
        let _ = bytes;
        false
    }
}

/// Returns true if the program has asked for the guard, or if the system needs none.
pub(super) fn is_guard_wanted() -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_installed();
    #[cfg(not(all(feature = "mmap", unix)))]
    true
}

/// Arms the guard again if another handler was installed over it. Returns true if maps read by this thread are then
/// guarded, or if the system needs no guard.
pub(super) fn can_guard() -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_ready();
    #[cfg(not(all(feature = "mmap", unix)))]
    true
}
