//! Checks of the sizes of streams.

use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::bytes::Cursor;

/// Returns an error if the stream of this stored size is not the whole of the cursor's part. `last` names the end of
/// the stream in the message.
pub(super) fn check_end(stream: Cursor<'_>, stored_len: u64, last: &str) -> Result<()> {
    let mut after = stream;
    after.skip(stored_len)?;
    if after.is_empty() { Ok(()) } else { Err(after.error(format!("bytes after {last}"))) }
}

/// Checks a claimed size against the limit before memory is allocated for it.
///
/// # Errors
/// Returns [`Limit`](crate::ErrorKind::Limit) if it exceeds the limit.
pub(crate) fn within_limit(decoded_len: u64, limit: u64) -> Result<()> {
    if decoded_len > limit {
        return Err(Error::limit("decoded bytes in a block", limit, Code::DecodedBytesLimit));
    }
    Ok(())
}
