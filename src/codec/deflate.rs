//! DEFLATE: decoding of one stream by flate2, into memory of a claimed size.

use bytemuck::Pod;
use flate2::{Decompress, DecompressError, FlushDecompress, Status};

use crate::base::stop;
use crate::source::pages;

/// The maximum number of decoded bytes per stored byte of DEFLATE.
pub(crate) const RATIO: u64 = 1032;

/// The progress of a stream.
pub(crate) struct Inflated {
    /// The number of bytes read.
    pub(crate) read: u64,
    /// The number of bytes decoded.
    pub(crate) yielded: u64,
    /// True at the end of the stream, false if only the input or the output ended.
    pub(crate) ended: bool,
}

/// Inflates as much as the input and the output allow, unless the thread is stopped.
///
/// # Errors
/// Returns an error if the bytes are not a DEFLATE stream.
pub(crate) fn inflate(data: &[u8], out: &mut [u8]) -> Result<Inflated, DecompressError> {
    super::activity::count_inflation(out.len());
    let mut stream = Decompress::new(false);
    loop {
        let read = stream.total_in();
        let written = stream.total_out();
        let rest = data.get(usize::try_from(read).unwrap_or(usize::MAX)..).unwrap_or_default();
        let room = out.get_mut(usize::try_from(written).unwrap_or(usize::MAX)..).unwrap_or_default();
        let most = room.len().min(stop::PIECE);
        let room = room.get_mut(..most).unwrap_or_default();
        let status = stream.decompress(rest, room, FlushDecompress::None)?;
        let ended = status == Status::StreamEnd;
        // Without progress, the input or the output has ended.
        if ended || stop::is_set() || (read, written) == (stream.total_in(), stream.total_out()) {
            return Ok(Inflated { read: stream.total_in(), yielded: stream.total_out(), ended });
        }
    }
}

/// The result of inflating a whole stream.
pub(crate) struct Unpacked<T> {
    buffer: Vec<T>,
    bytes: usize,
    /// The number of bytes after the end of the stream.
    pub(crate) trailing: u64,
}

impl<T: Pod> Unpacked<T> {
    /// Returns the decoded bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.buffer).get(..self.bytes).unwrap_or_default()
    }
}

impl Unpacked<u8> {
    /// Returns the decoded bytes.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.buffer.truncate(self.bytes);
        self.buffer
    }
}

/// Inflates a whole stream to the claimed size, into memory aligned for `T`.
///
/// # Errors
/// Returns a message if a stream of this length cannot decode to that size, if there is not enough memory, or if it
/// decodes to another size.
pub(crate) fn unpack<T: Pod>(stream: &[u8], size: u64) -> Result<Unpacked<T>, String> {
    let packed = stream.len() as u64;
    if size > packed.saturating_mul(RATIO) {
        return Err(format!("{packed} bytes cannot inflate to {size}"));
    }
    let bytes = usize::try_from(size).unwrap_or(usize::MAX);
    // At least one byte more than claimed, to detect a stream that decodes to more.
    let elements = bytes.checked_div(size_of::<T>()).unwrap_or(0).saturating_add(1);
    // The system provides zeros when they are first used, so that this takes no time.
    let mut buffer = bytemuck::try_zeroed_vec(elements).map_err(|()| format!("no memory for {size} bytes"))?;
    pages::large(buffer.as_mut_slice());
    let done =
        inflate(stream, bytemuck::cast_slice_mut(&mut buffer)).map_err(|cause| format!("does not inflate: {cause}"))?;
    match done.yielded {
        _ if stop::is_set() => Err("was stopped".to_owned()),
        yielded if yielded > size => Err(format!("inflates to more than the {size} bytes claimed")),
        yielded if !done.ended => Err(format!("ends inside its stream, after {yielded} bytes")),
        yielded if yielded < size => Err(format!("inflates to {yielded} bytes of {size} claimed")),
        _ => Ok(Unpacked { buffer, bytes, trailing: packed.saturating_sub(done.read) }),
    }
}
