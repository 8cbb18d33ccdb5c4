//! Arma animations, `.rtm`: binarised (BMTR, versions 3 to 5) and plain (RTM_0101).
//!
//! Two layouts share the extension:
//!
//! ```text
//! BMTR  version, reversed, displacement, frames, preload, bones, bones again
//!   bone names
//!   version 4 and 5: metadata texts; properties: id, name, phase, value
//!   frame times    a count, in version 5 a flag, floats raw or packed
//!   frames         each a count, in version 5 a flag, a transform for every bone, raw or packed
//!
//! RTM_MDAT  reserved, properties: phase, name, value       optional
//! RTM_0101  displacement, frames, bones, bone names
//!   frames         each a time and, for every bone, its name and a matrix
//! ```
//!
//! A transform is a rotation and a translation relative to the parent bone, in 14 bytes; a matrix is in model space, in
//! 48. The bone hierarchy is in the model that the animation is for, not in the animation.
//!
//! Times are phases, 0 at the first frame and 1 at the last; the file does not give the duration in seconds. According
//! to the document, bones keep the pose of a frame until the time of the next; this module does not interpolate poses.
//!
//! | space | |
//! | --- | --- |
//! | axes | x right, y up, z forward |
//! | handedness | left |
//! | front faces | none |
//! | V | none |
//! | quaternions | x, y, z, w, in 1/16384; only in BMTR, with x and z reversed relative to the model's axes ([`to_matrix`](Transform::to_matrix)) |
//! | matrices | four rows of three, the last one the position, for row vectors |
//! | units | meters |
//!
//! Packed arrays are LZO1X streams whose size is not stored. To find frame k, those before it have to be walked
//! ([`Frames::get`]), or all of them once ([`Frames::to_table`]). The offsets of frames that are known to be raw are
//! computed. In either case a frame is only decoded on access.

mod binarised;
mod file;
mod frames;
mod motion;
mod outline;
mod plain;
mod summary;
mod text;
mod track;
mod verify;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
pub(crate) mod wire;

pub use binarised::{Binarised, Texts};
pub use frames::{FlaggedBlock, FrameIter, FrameTable, Frames, PackingMark};
pub use motion::Motion;
pub(crate) use motion::{BINARISED, PLAIN};
pub use plain::{Plain, PlainFrame};
pub use text::{Names, PlainProperty, Property, PropertyId};
pub use track::Track;
pub use wire::{BinarisedHeader, BonePose, Matrix, MetadataHeader, NativeTransform, PlainHeader, Transform};
