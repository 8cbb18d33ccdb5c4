//! What is read in place.

use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// A record exactly as stored, without padding or alignment. Every bit pattern is valid.
pub trait Wire: FromBytes + Immutable + KnownLayout + Unaligned + Copy + 'static {}
impl<T: FromBytes + Immutable + KnownLayout + Unaligned + Copy + 'static> Wire for T {}
