//! DEFLATE: decoding of one stream by flate2, into memory of a claimed size.

use std::sync::OnceLock;
use std::thread;

use bytemuck::Pod;
use flate2::{Decompress, DecompressError, FlushDecompress, Status};

use super::ahead::Ahead;
use crate::base::stop;
use crate::budget::Budget;
use crate::source::pages;

/// The maximum number of decoded bytes per stored byte of DEFLATE.
pub(crate) const RATIO: u64 = 1032;

/// From this size on, touching memory takes longer than asking another thread to do it.
const LARGE: usize = 8 << 20;

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
    inflate_into(data, &mut out.chunks_mut(stop::PIECE))
}

/// Inflates like [`inflate`], while a thread that helps this budget touches the memory ahead.
fn inflate_helped(data: &[u8], out: &mut [u8], budget: &Budget) -> Result<Inflated, DecompressError> {
    super::activity::count_inflation(out.len());
    let ahead = Ahead::new(out);
    let caller = thread::current().id();
    let inflated = OnceLock::new();
    budget.share_out(&|| {
        if thread::current().id() == caller {
            inflated.get_or_init(|| inflate_into(data, &mut ahead.filling()));
        } else {
            ahead.help();
        }
    });
    match inflated.into_inner() {
        Some(inflated) => inflated,
        // Not reached: the budget runs the closure on this thread, too.
        None => inflate_into(data, &mut ahead.filling()),
    }
}

/// Inflates into these pieces, one after another.
fn inflate_into<'o>(data: &[u8], pieces: &mut dyn Iterator<Item = &'o mut [u8]>) -> Result<Inflated, DecompressError> {
    let mut stream = Decompress::new(false);
    let mut room: &mut [u8] = &mut [];
    loop {
        if room.is_empty() {
            // Without room, the stream may still end.
            room = pieces.next().unwrap_or_default();
        }
        let read = stream.total_in();
        let written = stream.total_out();
        let rest = data.get(usize::try_from(read).unwrap_or(usize::MAX)..).unwrap_or_default();
        let status = stream.decompress(rest, room, FlushDecompress::None)?;
        let yielded = stream.total_out().saturating_sub(written);
        room = room.get_mut(usize::try_from(yielded).unwrap_or(usize::MAX)..).unwrap_or_default();
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

/// Inflates a whole stream to the claimed size, into memory aligned for `T`. Takes the help of the budget, but charges it
/// nothing.
///
/// # Errors
/// Returns a message if a stream of this length cannot decode to that size, if there is not enough memory, or if it
/// decodes to another size.
pub(crate) fn unpack<T: Pod>(stream: &[u8], size: u64, help: Option<&Budget>) -> Result<Unpacked<T>, String> {
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
    let out: &mut [u8] = bytemuck::cast_slice_mut(&mut buffer);
    let done = match help {
        Some(budget) if out.len() >= LARGE => inflate_helped(stream, out, budget),
        _ => inflate(stream, out),
    };
    let done = done.map_err(|cause| format!("does not inflate: {cause}"))?;
    match done.yielded {
        _ if stop::is_set() => Err("was stopped".to_owned()),
        yielded if yielded > size => Err(format!("inflates to more than the {size} bytes claimed")),
        yielded if !done.ended => Err(format!("ends inside its stream, after {yielded} bytes")),
        yielded if yielded < size => Err(format!("inflates to {yielded} bytes of {size} claimed")),
        _ => Ok(Unpacked { buffer, bytes, trailing: packed.saturating_sub(done.read) }),
    }
}
