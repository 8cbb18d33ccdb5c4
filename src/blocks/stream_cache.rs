//! A cache of stream ends, with decoding while the ends are found.
//!
//! Finding the end of a stream takes two fifths of the time of decoding it. So code that decodes every stream does both
//! at once, and code that reads an asset twice finds each end only once. This applies while [`StreamCache`] lives, to blocks
//! that its thread finds in its asset. It changes no result: a stream that does not decode is walked as usual, and a
//! decoded stream is kept for its first reader.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use zerocopy::IntoBytes;

use crate::base::amount::Amount;
use crate::base::error::Result;
use crate::budget::{Budget, Held};
use crate::bytes::array::Element;
use crate::bytes::cursor::Cursor;
use crate::codec::Codec;

/// The maximum decoded size of one array. Larger ones would overflow the CPU caches.
const LARGEST: u64 = 1 << 20;
/// The maximum number of decoded bytes kept at once.
const MOST: u64 = 4 << 20;
/// The maximum number of ends kept at once.
const MOST_ENDS: usize = 1024;

thread_local! {
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// While this lives, streams of one asset are found only once. A nested `StreamCache` suspends the outer one.
pub(crate) struct StreamCache<'a> {
    around: Option<Known>,
    /// The asset does not move, so addresses in it identify its streams.
    asset: std::marker::PhantomData<&'a [u8]>,
}

impl<'a> StreamCache<'a> {
    /// Starts caching for the streams of this asset. If `decodes` is set, also decodes them while their ends are found.
    pub(crate) fn over(asset: &'a [u8], budget: &Budget, decodes: bool) -> Self {
        let Range { start, end } = asset.as_ptr_range();
        let asset = start.addr()..end.addr();
        let known = Known { asset, budget: budget.clone(), decodes, streams: BTreeMap::new(), kept: Amount(0) };
        Self { around: KNOWN.replace(Some(known)), asset: std::marker::PhantomData }
    }
}

impl Drop for StreamCache<'_> {
    fn drop(&mut self) {
        KNOWN.set(self.around.take());
    }
}

/// The facts about the streams of one asset that were found so far.
struct Known {
    /// The addresses of its bytes.
    asset: Range<usize>,
    budget: Budget,
    decodes: bool,
    streams: BTreeMap<Stream, Found>,
    /// The decoded bytes that are kept.
    kept: Amount<u64>,
}

/// A stream, by its place and by how it is decoded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stream {
    address: usize,
    decoded_len: u64,
    codec: Codec,
}

impl Stream {
    /// Returns the stream that starts at the cursor.
    fn of(cursor: Cursor<'_>, decoded_len: u64, codec: Codec) -> Self {
        Self { address: cursor.rest().as_ptr().addr(), decoded_len, codec }
    }
}

/// A stream whose end was found.
struct Found {
    stored_len: u64,
    /// All elements until they are taken, and the charge for them.
    elements: Option<(Box<dyn Any>, Held)>,
}

/// Returns [`Codec::stored_byte_len`] of `count` elements, of which at most `limit` bytes may be decoded.
#[inline]
pub(super) fn stored_byte_len<T: Element>(stream: Cursor<'_>, count: u64, codec: Codec, limit: u64) -> Result<u64> {
    let found = if codec == Codec::Raw { None } else { find::<T>(stream, count, codec, limit) };
    found.unwrap_or_else(|| codec.stored_byte_len(stream, count.saturating_mul(size_of::<T>() as u64)))
}

/// Returns the stored size of a stream from the cache, or finds and adds it. Returns `None` if the cache does not
/// apply.
fn find<T: Element>(stream: Cursor<'_>, count: u64, codec: Codec, limit: u64) -> Option<Result<u64>> {
    KNOWN.with_borrow_mut(|known| {
        let decoded_len = count.saturating_mul(size_of::<T>() as u64);
        let key = Stream::of(stream, decoded_len, codec);
        let known = known.as_mut()?;
        if !known.asset.contains(&key.address) {
            return None;
        }
        if let Some(found) = known.streams.get(&key) {
            return Some(Ok(found.stored_len));
        }
        let found = match known.decode::<T>(stream, decoded_len, codec, limit) {
            Some(found) => found,
            None => match codec.stored_byte_len(stream, decoded_len) {
                Ok(stored_len) => Found { stored_len, elements: None },
                Err(error) => return Some(Err(error)),
            },
        };
        let stored_len = found.stored_len;
        if known.streams.len() < MOST_ENDS {
            if found.elements.is_some() {
                known.kept += decoded_len;
            }
            known.streams.insert(key, found);
        }
        Some(Ok(stored_len))
    })
}

/// Returns the elements of a stream that was decoded ahead, to the first caller.
pub(super) fn take<T: Element>(stream: Cursor<'_>, decoded_len: u64, codec: Codec) -> Option<Vec<T>> {
    KNOWN.with_borrow_mut(|known| {
        let known = known.as_mut()?;
        let found = known.streams.get_mut(&Stream::of(stream, decoded_len, codec))?;
        // A caller whose part is longer or shorter gets the error of decoding.
        let (elements, paid) = found.elements.take_if(|_| found.stored_len == stream.left())?;
        known.kept -= decoded_len;
        // The caller has paid for its own decoding.
        paid.refund();
        elements.downcast().ok().map(|elements| *elements)
    })
}

impl Known {
    /// Decodes a stream to find its end. Returns `None` if that is not wanted, takes too much memory or work, or fails.
    fn decode<T: Element>(&self, stream: Cursor<'_>, decoded_len: u64, codec: Codec, limit: u64) -> Option<Found> {
        let fits = decoded_len <= LARGEST.min(limit) && (self.kept + decoded_len).0 <= MOST;
        if !self.decodes || !fits || self.streams.len() >= MOST_ENDS {
            return None;
        }
        codec.within_ratio(stream, decoded_len).ok()?;
        let paid = self.budget.take_ahead(decoded_len)?;
        let count = usize::try_from(decoded_len).ok()?.checked_div(size_of::<T>())?;
        let mut elements = vec![T::new_zeroed(); count];
        let stored_len = codec.decode_first(stream, elements.as_mut_slice().as_mut_bytes()).ok()?;
        Some(Found { stored_len, elements: Some((Box::new(elements), paid)) })
    }
}
