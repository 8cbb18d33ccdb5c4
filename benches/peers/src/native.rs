//! Libraries not written in Rust. Each is a feature, because each needs a package of the system.

#[cfg(feature = "assimp")]
mod assimp {
    use std::ffi::{CString, c_char};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    unsafe extern "C" {
        fn assimp_vertices(path: *const c_char) -> u64;
    }

    /// Returns the number of vertices that assimp creates from a file, or 0 if it cannot read it.
    pub fn vertices(path: &Path) -> u64 {
        let path = CString::new(path.as_os_str().as_bytes()).expect("a path without NUL");
        // SAFETY: the path ends with NUL and outlives the call.
        unsafe { assimp_vertices(path.as_ptr()) }
    }
}
#[cfg(feature = "assimp")]
pub use assimp::vertices as assimp_vertices;

/// Expands a stream of LZO1X with liblzo2.
#[cfg(feature = "lzo2")]
pub fn lzo2(src: &[u8], dst: &mut [u8]) {
    use std::ffi::{c_int, c_uchar, c_ulong, c_void};

    unsafe extern "C" {
        fn lzo1x_decompress_safe(
            src: *const c_uchar,
            src_len: c_ulong,
            dst: *mut c_uchar,
            dst_len: *mut c_ulong,
            work: *mut c_void,
        ) -> c_int;
    }
    let mut len = dst.len() as c_ulong;
    // SAFETY: the lengths are those of the slices, and this function of the library stays inside them.
    let status = unsafe {
        lzo1x_decompress_safe(src.as_ptr(), src.len() as c_ulong, dst.as_mut_ptr(), &mut len, std::ptr::null_mut())
    };
    assert_eq!((status, len as usize), (0, dst.len()), "a sound stream");
}
