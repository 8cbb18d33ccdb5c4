//! Libraries not written in Rust.

use std::ffi::{CString, c_char, c_int, c_uchar, c_ulong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

unsafe extern "C" {
    #[link_name = "assimp_vertices"]
    fn assimp_vertices_of(path: *const c_char) -> u64;
    fn lzo1x_decompress_safe(
        src: *const c_uchar,
        src_len: c_ulong,
        dst: *mut c_uchar,
        dst_len: *mut c_ulong,
        work: *mut c_void,
    ) -> c_int;
}

/// Returns the number of vertices that assimp creates from a file, or 0 if it cannot read it.
pub fn assimp_vertices(path: &Path) -> u64 {
    let path = CString::new(path.as_os_str().as_bytes()).expect("a path without NUL");
    // SAFETY: the path ends with NUL and outlives the call.
    unsafe { assimp_vertices_of(path.as_ptr()) }
}

/// Expands a stream of LZO1X with liblzo2.
pub fn lzo2(src: &[u8], dst: &mut [u8]) {
    let mut len = dst.len() as c_ulong;
    // SAFETY: the lengths are those of the slices, and this function of the library stays inside them.
    let status =
        unsafe { lzo1x_decompress_safe(src.as_ptr(), src.len() as c_ulong, dst.as_mut_ptr(), &mut len, null_mut()) };
    assert_eq!((status, len as usize), (0, dst.len()), "a sound stream");
}
