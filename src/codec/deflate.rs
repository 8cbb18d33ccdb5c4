//! DEFLATE: expansion of one stream by flate2, into memory of a claimed size.

use flate2::{Decompress, DecompressError, FlushDecompress, Status};

/// No stream yields more bytes for each of its own.
pub(crate) const RATIO: u64 = 1032;

/// How far a stream went.
pub(crate) struct Inflated {
    /// Its bytes read.
    pub(crate) read: u64,
    /// The bytes it yielded.
    pub(crate) yielded: u64,
    /// Whether it came to its end, and not to that of the bytes or of the room.
    pub(crate) ended: bool,
}

/// Inflates as much as there is and as fits.
///
/// # Errors
/// Where the bytes are no DEFLATE stream.
pub(crate) fn inflate(data: &[u8], out: &mut [u8]) -> Result<Inflated, DecompressError> {
    super::count_inflation(out.len());
    let mut stream = Decompress::new(false);
    loop {
        let (read, written) = (stream.total_in(), stream.total_out());
        let rest = usize::try_from(read).ok().and_then(|start| data.get(start..)).unwrap_or_default();
        let room = usize::try_from(written).ok().and_then(|start| out.get_mut(start..)).unwrap_or_default();
        let status = stream.decompress(rest, room, FlushDecompress::Finish)?;
        let ended = status == Status::StreamEnd;
        if ended || (read, written) == (stream.total_in(), stream.total_out()) {
            return Ok(Inflated { read: stream.total_in(), yielded: stream.total_out(), ended });
        }
    }
}
