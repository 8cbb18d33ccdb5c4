//! Arrays that may be compressed, decoded on access.

use std::borrow::Cow;
use std::marker::PhantomData;

use bytemuck::Zeroable as _;
use zerocopy::IntoBytes;

#[cfg(feature = "scan")]
use super::stream_cache;
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::stop;
use crate::bytes::array::{self, Column, Element, InPlace, LeArray, Packing, Storage, Table, to_machine};
use crate::bytes::batch::{BATCH, RowSink};
use crate::bytes::cursor::Cursor;
use crate::codec::{self, Codec, pieces};

/// An array that is either stored in place or as one compressed stream.
///
/// ```
/// use meshpeek::{Limits, codec::Codec, view::{Block, Cursor}};
/// let mut cursor = Cursor::new(b"\x14abc\xa9\0X\x04\x02\x11\0\0 and more");
/// let block = Block::<u8>::parse(&mut cursor, 12, Codec::Lzo, &Limits::default())?;
/// assert_eq!((block.count(), block.stored_byte_len()), (12, 12));
/// assert_eq!(cursor.rest(), b" and more");
/// assert_eq!(&*block.decode()?, b"abcabcabcXab");
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Block<'a, T> {
    stored: Cursor<'a>,
    count: u64,
    codec: Codec,
    limit: u64,
    element: PhantomData<&'a T>,
}

impl<'a, T: Element> Block<'a, T> {
    /// Parses the block of `count` elements at the cursor, and moves the cursor after it. This takes O(1) time for an
    /// array in place. A compressed stream is walked to find its end, in time linear in its bytes, without decoding.
    ///
    /// # Errors
    /// Returns an error if the cursor has too few bytes left, or if the stream breaks a rule of its codec.
    #[inline]
    pub fn parse(cursor: &mut Cursor<'a>, count: u64, codec: Codec, limits: &Limits) -> Result<Self> {
        // Nearly all blocks are in place, many of a few bytes.
        let bytes = match codec {
            Codec::Raw => bytes_of::<T>(count),
            _ => Self::packed_byte_len(*cursor, count, codec, limits)?,
        };
        let stored = cursor.split(bytes)?;
        Ok(Self { stored, count, codec, limit: limits.decoded_bytes, element: PhantomData })
    }

    /// Returns the bytes of the stream at the cursor.
    #[inline(never)]
    fn packed_byte_len(cursor: Cursor<'a>, count: u64, codec: Codec, limits: &Limits) -> Result<u64> {
        #[cfg(feature = "scan")]
        let bytes = stream_cache::stored_byte_len::<T>(cursor, count, codec, limits.decoded_bytes)?;
        #[cfg(not(feature = "scan"))]
        let bytes = {
            // Only scans keep streams that they decoded, up to this limit.
            let _ = limits;
            codec.stored_byte_len(cursor, bytes_of::<T>(count))?
        };
        Ok(bytes)
    }

    /// Parses a block of `count` elements that takes the whole part of the cursor. A compressed stream is not examined
    /// until it is decoded.
    ///
    /// # Errors
    /// Returns an error if the elements are in place and take more or fewer bytes.
    pub fn exactly(part: Cursor<'a>, count: u64, codec: Codec, limits: &Limits) -> Result<Self> {
        if codec == Codec::Raw && bytes_of::<T>(count) != part.left() {
            return Err(Error::truncated(bytes_of::<T>(count), part.left()).at(part.offset()));
        }
        Ok(Self { stored: part, count, codec, limit: limits.decoded_bytes, element: PhantomData })
    }

    /// Returns the number of elements.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the offset of the first byte, counted from the start of the asset.
    pub fn offset(&self) -> u64 {
        self.stored.offset()
    }

    /// Returns its size in the file in bytes.
    pub fn stored_byte_len(&self) -> u64 {
        self.stored.left()
    }

    /// Returns the size of its decoded elements in bytes.
    pub fn decoded_byte_len(&self) -> u64 {
        bytes_of::<T>(self.count())
    }

    /// Returns how it is stored.
    pub fn packing(&self) -> Packing {
        self.codec.packing()
    }

    /// Returns an error if a stream of this length cannot decode to that many elements.
    pub(crate) fn check_claim(&self) -> Result<()> {
        self.codec.within_ratio(self.stored, self.decoded_byte_len())
    }

    /// Returns true if its rows are not read at once: they do not fit in a window of a stream.
    fn comes_in_pieces(&self) -> bool {
        let is_short = size_of::<T>() <= pieces::LONGEST_ROW;
        self.codec != Codec::Raw && is_short && self.decoded_byte_len() > pieces::WINDOW as u64
    }

    /// Returns the elements in place, or `None` if they are compressed.
    pub fn borrowed(&self) -> Option<LeArray<'a, T>> {
        match self.codec {
            Codec::Raw => LeArray::new(self.stored.rest(), self.stored.offset()).ok(),
            _ => None,
        }
    }

    /// Returns the elements: borrowed if they are in place, else decoded into new memory.
    ///
    /// # Errors
    /// Returns an error if the elements take more than [`Limits::decoded_bytes`], if there is not enough memory, or if
    /// the stream does not decode.
    pub fn decode(&self) -> Result<Cow<'a, [T]>> {
        if let Some(array) = self.borrowed() {
            return Ok(array.as_slice().into());
        }
        self.check_claim()?;
        #[cfg(feature = "scan")]
        if let Some(elements) = stream_cache::take(self.stored, self.decoded_byte_len(), self.codec) {
            return Ok(Cow::Owned(elements));
        }
        let mut elements: Vec<T> = repeated(T::new_zeroed(), self.count, self.limit, self.offset())?;
        self.codec.decode_into(self.stored, elements.as_mut_slice().as_mut_bytes())?;
        Ok(elements.into())
    }

    /// Returns the elements as native numbers. They are borrowed if they are in place and aligned on a little-endian
    /// machine, else copied or decoded into new memory.
    ///
    /// # Errors
    /// Returns the errors of [`decode`](Self::decode).
    pub fn to_native(&self) -> Result<Cow<'a, [T::Native]>> {
        if let Some(array) = self.borrowed() {
            return Ok(array.to_native());
        }
        self.check_claim()?;
        let mut numbers = repeated(T::Native::zeroed(), self.count, self.limit, self.offset())?;
        let bytes = bytemuck::cast_slice_mut(&mut numbers);
        self.codec.decode_into(self.stored, bytes)?;
        to_machine(bytes, T::COLUMNS);
        Ok(numbers.into())
    }

    /// Copies or decodes the elements into existing memory of exactly [`count`](Self::count) elements.
    ///
    /// # Errors
    /// Returns an error if `out` is longer or shorter, or if the stream does not decode. The content of `out` is then
    /// unspecified.
    pub fn decode_into(&self, out: &mut [T]) -> Result<()> {
        if out.len() as u64 != self.count() {
            let message = format!("{} elements do not go into {}", self.count(), out.len());
            return Err(Error::malformed(message).at(self.offset()));
        }
        self.codec.decode_into(self.stored, out.as_mut_bytes())
    }
}

/// Returns the bytes that this many elements take.
fn bytes_of<T>(count: u64) -> u64 {
    count.saturating_mul(size_of::<T>() as u64)
}

/// Repeats one element `count` times. Errors name the offset of the array.
///
/// # Errors
/// Returns an error if the elements take more than `limit` bytes, if there is not enough memory, or if the work on this
/// thread was stopped.
fn repeated<T: Clone>(element: T, count: u64, limit: u64, offset: u64) -> Result<Vec<T>> {
    codec::within_limit(bytes_of::<T>(count), limit).map_err(|error| error.at(offset))?;
    let mut elements = Vec::new();
    // If it does not fit in memory, it cannot be reserved either.
    let number = usize::try_from(count).unwrap_or(usize::MAX);
    if elements.try_reserve_exact(number).is_err() {
        return Err(Error::out_of_memory().at(offset));
    }
    while elements.len() < number {
        if stop::is_set() {
            return Err(stop::error());
        }
        let more = elements.len().saturating_add(stop::PIECE);
        elements.resize(more.min(number), element.clone());
    }
    Ok(elements)
}

impl<'a, T: Element> From<LeArray<'a, T>> for Block<'a, T> {
    fn from(array: LeArray<'a, T>) -> Self {
        // Only decoding has a limit.
        let stored = Cursor::with_offset(array.as_bytes(), array.offset());
        Self { stored, count: array.len() as u64, codec: Codec::Raw, limit: 0, element: PhantomData }
    }
}

impl<T: Element> Table for Block<'_, T> {
    fn rows(&self) -> u64 {
        self.count()
    }

    fn columns(&self) -> Vec<Column> {
        T::COLUMNS.to_vec()
    }

    fn storage(&self) -> Storage {
        Storage { offset: self.offset(), bytes: self.stored_byte_len(), packing: self.packing() }
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        self.borrowed().map(|array| InPlace { bytes: array.as_bytes(), stride: size_of::<T>() })
    }

    fn read_memory(&self) -> u64 {
        match self.borrowed() {
            Some(_) => 0,
            None if self.comes_in_pieces() => pieces::WINDOW as u64,
            None => self.decoded_byte_len(),
        }
    }

    /// Passes rows in place at once, and those of a stream in pieces of at most 64 KiB. So the limit for decoded bytes
    /// does not apply to the whole.
    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        if let Some(elements) = self.borrowed() {
            // All rows are one piece, so it does not matter whether the sink wants more.
            let _ = sink(elements.as_bytes());
            return Ok(());
        }
        if !self.comes_in_pieces() {
            pass_on(&self.decode()?, sink);
            return Ok(());
        }
        self.check_claim()?;
        #[cfg(feature = "scan")]
        if let Some(elements) = stream_cache::take::<T>(self.stored, self.decoded_byte_len(), self.codec) {
            pass_on(&elements, sink);
            return Ok(());
        }
        self.codec.decode_in_pieces(self.stored, self.decoded_byte_len(), size_of::<T>(), sink)
    }
}

/// Passes decoded rows on in pieces, until the sink wants no more.
fn pass_on<T: Element>(elements: &[T], sink: &mut RowSink<'_>) {
    for rows in elements.chunks(pieces::rows_of_piece(size_of::<T>())) {
        if sink(rows.as_bytes()).is_break() {
            return;
        }
    }
}

/// An array that is either a [`Block`] or a single value for all elements.
#[derive(Clone, Copy, Debug)]
pub struct Filled<'a, T> {
    /// The single value, if only that is stored.
    fill: Option<&'a T>,
    block: Block<'a, T>,
}

impl<'a, T: Element> Filled<'a, T> {
    /// Parses the single value at the cursor for all `count` elements, and moves the cursor after it.
    ///
    /// # Errors
    /// Returns a [`Truncated`](crate::ErrorKind::Truncated) error if the part has fewer bytes than one element.
    pub fn parse_fill(cursor: &mut Cursor<'a>, count: u64, limits: &Limits) -> Result<Self> {
        let fill = cursor.clone().read()?;
        let stored = cursor.split(size_of::<T>() as u64)?;
        // The block is where the value is, and has the claimed number of elements.
        let block = Block { count, ..Block::exactly(stored, 1, Codec::Raw, limits)? };
        Ok(Self { fill: Some(fill), block })
    }

    /// Returns the number of elements. For a [`fill`](Self::fill) this is a claim that no stored bytes confirm.
    pub fn count(&self) -> u64 {
        self.block.count
    }

    /// Returns the single value for all elements.
    pub fn fill(&self) -> Option<&'a T> {
        self.fill
    }

    /// Returns the elements if each is stored.
    pub fn block(&self) -> Option<Block<'a, T>> {
        if self.fill.is_none() { Some(self.block) } else { None }
    }

    /// Returns the element at `index` if that needs no decoding. Returns `None` if the index is out of range or the
    /// elements are compressed.
    pub fn get(&self, index: usize) -> Option<&'a T> {
        match self.fill {
            Some(value) if (index as u64) < self.count() => Some(value),
            Some(_) => None,
            None => self.block.borrowed()?.get(index),
        }
    }

    /// Returns all elements: borrowed if they are in place, else decoded or filled into new memory.
    ///
    /// # Errors
    /// Returns the errors of [`Block::decode`].
    pub fn decode(&self) -> Result<Cow<'a, [T]>> {
        let Block { count, limit, .. } = self.block;
        match self.fill {
            Some(value) => repeated(*value, count, limit, self.block.offset()).map(Cow::Owned),
            None => self.block.decode(),
        }
    }

    /// Returns all elements as native numbers. They are borrowed if they are in place and aligned on a little-endian
    /// machine, else copied, decoded or filled into new memory.
    ///
    /// # Errors
    /// Returns the errors of [`Block::decode`].
    pub fn to_native(&self) -> Result<Cow<'a, [T::Native]>> {
        let Some(value) = self.fill else { return self.block.to_native() };
        let number = array::to_native(std::slice::from_ref(value)).first().copied();
        let Block { count, limit, .. } = self.block;
        repeated(number.unwrap_or_else(T::Native::zeroed), count, limit, self.block.offset()).map(Cow::Owned)
    }
}

impl<'a, T: Element> From<Block<'a, T>> for Filled<'a, T> {
    fn from(block: Block<'a, T>) -> Self {
        Self { fill: None, block }
    }
}

impl<T: Element> Table for Filled<'_, T> {
    fn rows(&self) -> u64 {
        self.count()
    }

    fn columns(&self) -> Vec<Column> {
        T::COLUMNS.to_vec()
    }

    fn storage(&self) -> Storage {
        let packing = if self.fill.is_some() { Packing::Fill } else { self.block.packing() };
        Storage { packing, ..self.block.storage() }
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        if self.fill.is_some() { None } else { self.block.in_place() }
    }

    fn read_memory(&self) -> u64 {
        if self.fill.is_some() { 0 } else { self.block.read_memory() }
    }

    /// Passes a fill in batches, up to [`Limits::decoded_bytes`]. Returns an error if there are more rows.
    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        let Some(value) = self.fill else { return self.block.read(sink) };
        let Block { count, limit, .. } = self.block;
        // The rows within the limit, and those of one batch.
        let allowed = limit.checked_div(size_of::<T>() as u64).unwrap_or(0).min(count);
        let most = (BATCH as u64).checked_div(size_of::<T>() as u64).unwrap_or(0).max(1);
        let batch: Vec<T> = (0..most.min(allowed)).map(|_| *value).collect();
        let mut left = allowed;
        while left > 0 {
            let rows = usize::try_from(left).ok().and_then(|left| batch.get(..left)).unwrap_or(&batch);
            if sink(rows.as_bytes()).is_break() {
                return Ok(());
            }
            left = left.saturating_sub(rows.len() as u64);
        }
        codec::within_limit(bytes_of::<T>(count), limit).map_err(|error| error.at(self.block.offset()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::ErrorKind;
    use zerocopy::little_endian::U32;

    // `abcabcabcXab`.
    const STREAM: &[u8] = b"\x14abc\xa9\0X\x04\x02\x11\0\0";

    #[test]
    fn in_place_borrows_and_compressed_does_not() {
        let limits = Limits::default();
        let bytes = [&[1, 0, 0, 0, 2, 0, 0, 0][..], STREAM].concat();
        let mut cursor = Cursor::with_offset(&bytes, 0x10);
        let raw = Block::<U32>::parse(&mut cursor, 2, Codec::Raw, &limits).unwrap();
        let before = codec::activity();
        let packed = Block::<U32>::parse(&mut cursor, 3, Codec::Lzo, &limits).unwrap();
        assert!(cursor.is_empty());
        assert_eq!((raw.count(), raw.offset(), raw.stored_byte_len(), raw.decoded_byte_len()), (2, 0x10, 8, 8));
        assert_eq!(
            (packed.count(), packed.offset(), packed.stored_byte_len(), packed.decoded_byte_len()),
            (3, 0x18, 12, 12)
        );
        assert_eq!(packed.storage(), Storage { offset: 0x18, bytes: 12, packing: Packing::Lzo });
        assert!(matches!(raw.decode().unwrap(), Cow::Borrowed(all) if all == [1, 2]));
        assert_eq!(raw.borrowed().unwrap().as_slice(), [1, 2]);
        assert!(packed.borrowed().is_none());
        assert_eq!(*raw.to_native().unwrap(), [1, 2]);
        let after = codec::activity();
        assert_eq!((after.walks - before.walks, after.decodes - before.decodes), (1, 0));
        let mut out = [U32::ZERO; 2];
        raw.decode_into(&mut out).unwrap();
        assert_eq!(out, [1, 2]);
        assert!(packed.decode_into(&mut out).is_err());
        assert_eq!(codec::activity(), after);
    }

    #[test]
    fn a_compressed_block_is_decoded_when_it_is_read() {
        let packed = Block::<u8>::parse(&mut Cursor::new(STREAM), 12, Codec::Lzo, &Limits::default()).unwrap();
        let before = codec::activity().decodes;
        assert_eq!(&*packed.decode().unwrap(), b"abcabcabcXab");
        let numbers = Block::<U32>::exactly(Cursor::new(STREAM), 3, Codec::Lzo, &Limits::default()).unwrap();
        assert_eq!(*numbers.to_native().unwrap(), [*b"abca", *b"bcab", *b"cXab"].map(u32::from_le_bytes));
        assert_eq!(crate::outline::to_bytes(&packed, &Limits::default()).unwrap(), b"abcabcabcXab");
        let mut out = [0; 12];
        packed.decode_into(&mut out).unwrap();
        assert_eq!(&out, b"abcabcabcXab");
        assert_eq!(codec::activity().decodes - before, 4);
        let unseen = Block::<u8>::exactly(Cursor::new(&STREAM[..11]), 12, Codec::Lzo, &Limits::default()).unwrap();
        assert_eq!(unseen.decode().unwrap_err().offset(), Some(9));
    }

    #[test]
    fn lzss_blocks_check_their_sum() {
        let mut stream = *b"\x27P3D\x64\0\x06\x03\xe9\x37\x03\0\0";
        let limits = Limits::default();
        let good = stream;
        let block = Block::<u8>::parse(&mut Cursor::new(&good), 13, Codec::Lzss, &limits).unwrap();
        assert_eq!(&*block.decode().unwrap(), b"P3D   P3D   \xe9");
        stream[1] = b'Q';
        let block = Block::<u8>::parse(&mut Cursor::new(&stream), 13, Codec::Lzss, &limits).unwrap();
        assert_eq!(block.decode().unwrap_err().offset(), Some(9));
    }

    #[test]
    fn claims_are_refused_before_memory_is_taken() {
        let limits = Limits::default().with_decoded_bytes(11);
        for codec in [Codec::Raw, Codec::Lzo, Codec::Lzss] {
            for count in [12 * 255, u64::from(u32::MAX), u64::MAX] {
                assert!(Block::<U32>::parse(&mut Cursor::new(STREAM), count, codec, &limits).is_err());
            }
        }
        let block = Block::<u8>::parse(&mut Cursor::new(STREAM), 12, Codec::Lzo, &limits).unwrap();
        let error = block.decode().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { limit: 11, .. }), "{error}");
        assert!(Block::<u8>::exactly(Cursor::new(STREAM), 11, Codec::Raw, &limits).is_err());
    }

    #[test]
    fn a_fill_is_expanded_only_on_request() {
        let limits = Limits::default().with_decoded_bytes(1 << 16);
        let mut cursor = Cursor::with_offset(&[7, 0, 0, 0, 9], 0x20);
        let many = Filled::<U32>::parse_fill(&mut cursor, u64::from(u32::MAX), &limits).unwrap();
        assert_eq!(cursor.offset(), 0x24);
        assert_eq!((many.count(), many.fill().unwrap().get()), (u64::from(u32::MAX), 7));
        assert!(many.block().is_none());
        assert_eq!(many.get(4_000_000_000).unwrap().get(), 7);
        assert!(many.get(u32::MAX as usize).is_none());
        assert!(many.decode().is_err());
        let mut calls = 0;
        many.read(&mut |_| {
            calls += 1;
            std::ops::ControlFlow::Break(())
        })
        .unwrap();
        assert_eq!(calls, 1);
        let mut bytes = 0;
        let error = many
            .read(&mut |rows| {
                bytes += rows.len();
                std::ops::ControlFlow::Continue(())
            })
            .unwrap_err();
        assert_eq!((bytes, error.offset()), (1 << 16, Some(0x20)));

        let few = Filled::<U32>::parse_fill(&mut Cursor::new(&[7, 0, 0, 0]), 3, &limits).unwrap();
        assert_eq!(*few.decode().unwrap(), [7, 7, 7]);
        assert_eq!(*few.to_native().unwrap(), [7, 7, 7]);
        assert!(many.to_native().is_err());
        assert_eq!(crate::outline::to_bytes(&few, &Limits::default()).unwrap(), [7, 0, 0, 0].repeat(3));
        assert_eq!(few.storage(), Storage { offset: 0, bytes: 4, packing: Packing::Fill });
    }

    #[test]
    fn stored_elements_answer_as_their_block() {
        let limits = Limits::default();
        let filled = Filled::from(Block::<u8>::parse(&mut Cursor::new(b"abc"), 3, Codec::Raw, &limits).unwrap());
        assert_eq!((filled.count(), filled.fill(), filled.get(1), filled.get(3)), (3, None, Some(&b'b'), None));
        assert_eq!(filled.block().unwrap().stored_byte_len(), 3);
        let packed = Filled::from(Block::<u8>::parse(&mut Cursor::new(STREAM), 12, Codec::Lzo, &limits).unwrap());
        assert_eq!(packed.get(0), None);
    }
}
