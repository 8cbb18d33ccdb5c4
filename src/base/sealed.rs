//! A marker for traits that only this crate implements, so that methods can be added later.

/// Prevents other crates from implementing a trait.
pub trait Sealed {}

impl<V: Sealed + ?Sized> Sealed for &V {}
