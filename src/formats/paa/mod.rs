//! PAA: Arma textures, `.paa` and `.pac`.
//!
//! ```text
//! u16 kind; tags: "GGAT", name, u32 length, data; u16 palette colors: blue, green, red
//! mips, the largest first: u16 width, u16 height, u24 length, data
//! u16 0, u16 0, u16 0
//! ```
//!
//! The DXT kinds store blocks of 4 x 4 pixels ([`bc`]), raw or as one LZO stream. All others store rows of pixels as
//! one LZSS stream. Rows are stored from the top, pixels from the left. A texture has no coordinate space.
//!
//! Files without a kind have a palette and indices into it, compressed with RLE or LZSS. These are known only from the
//! source of an engine. No real file of this kind, of DXT2 or of DXT4 is available.
//!
//! Each mip stores its length. To open a mip, only the headers of the mips before it are read, and nothing is decoded.

pub mod bc;
mod mip;
mod picture;
mod summary;
mod tag;
mod texture;
mod verify;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
mod wire;

pub use mip::{Layout, Mip, Mips, Pixels, Sides};
pub use picture::{Alpha, Picture};
pub use tag::{Tag, TagData, TagName};
pub(crate) use texture::SCHEMA;
pub use texture::{Header, Texture};
pub(crate) use wire::EndMark;
pub use wire::{Color, Kind, PaletteColor, Source, Swizzle, U24};
