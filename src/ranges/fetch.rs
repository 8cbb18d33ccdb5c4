//! Sources of bytes that are awaited.

use std::io;
use std::ops::Range;

use super::set::Ranges;
use crate::base::error::{Error, Result};

/// A source of bytes by range that is awaited, for [`load_async`].
///
/// It needs no particular runtime. The future is [`Send`] if that of `fetch` is.
pub trait Fetch {
    /// A buffer, which [`Ranges`] shares and does not copy. It always returns the same slice.
    type Bytes: AsRef<[u8]> + Send + Sync + 'static;

    /// Reads all bytes of these ranges, in order. They are within the size of the file, ascend, and do not overlap. They
    /// do not depend on each other, so they may be read at once.
    ///
    /// # Errors
    /// Returns the errors of the source.
    fn fetch(&self, ranges: &[Range<u64>]) -> impl Future<Output = io::Result<Vec<Self::Bytes>>>;
}

/// [Asks](Ranges::ask) a question, awaits all missing ranges from the source at once, and asks again until there is an
/// answer.
///
/// ```
/// # use std::{future::Future, io, ops::Range};
/// use meshpeek::ranges::{Fetch, Ranges, load_async};
/// use meshpeek::{Asset, Limits};
/// struct Store(&'static [u8]);
/// impl Fetch for Store {
///     type Bytes = &'static [u8];
///     async fn fetch(&self, ranges: &[Range<u64>]) -> io::Result<Vec<&'static [u8]>> {
///         Ok(ranges.iter().map(|range| &self.0[range.start as usize..range.end as usize]).collect())
///     }
/// }
/// # pollster::block_on(async {
/// let store = Store(b"MLOD\x01\x01\0\0\0\0\0\0");
/// let mut ranges = Ranges::new(12);
/// let limits = Limits::default();
/// let format = load_async(&mut ranges, &store, |ranges| Ok(Asset::parse_ranges(ranges, &limits)?.format())).await?;
/// assert_eq!(format.name(), "mlod");
/// # Ok::<(), meshpeek::Error>(())
/// # }).unwrap();
/// ```
///
/// # Errors
/// Returns the errors of the source and of the question.
pub async fn load_async<T>(
    ranges: &mut Ranges,
    source: &impl Fetch,
    question: impl Fn(&Ranges) -> Result<T>,
) -> Result<T> {
    loop {
        let error = match ranges.ask(&question) {
            Err(error) if error.incomplete().is_some() => error,
            answer => return answer,
        };
        let missing = error.incomplete_ranges();
        let buffers = source.fetch(missing).await?;
        if buffers.len() != missing.len() {
            return Err(Error::from(io::Error::from(io::ErrorKind::UnexpectedEof)));
        }
        for (range, bytes) in missing.iter().zip(buffers) {
            ranges.add_read(range, bytes)?;
        }
    }
}
