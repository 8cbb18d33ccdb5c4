//! Images for display: channels in their original order, and alpha as the texture's flags define it.

use super::mip::Mip;
use super::tag::TagData;
use super::texture::Texture;
use super::wire::{Kind, Source, Swizzle};
use crate::base::error::Result;
use crate::base::word_enum::word_enum;

word_enum! {
    /// The meaning of a texture's alpha.
    #[non_exhaustive]
    pub enum Alpha {
        /// No meaning: all pixels are opaque.
        Opaque = "opaque",
        /// Each pixel is opaque or transparent.
        OnOff = "on or off",
        /// Pixels are blended with what is behind them.
        Blended = "blended",
    }
}

/// An image with eight bits per channel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// The width in pixels.
    pub width: u16,
    /// The height in pixels.
    pub height: u16,
    /// Red, green, blue and alpha of each pixel, in rows from the top.
    pub rgba: Vec<u8>,
    /// The meaning of alpha.
    pub alpha: Alpha,
}

/// Magenta and cyan: the palette colors that mean transparent.
const KEYS: [[u8; 3]; 2] = [[255, 0, 255], [0, 255, 255]];

impl<'a> Texture<'a> {
    /// Returns the meaning of alpha, according to the flags of the tag `FLAG`. Without such flags, palette indices have
    /// an alpha that is on or off, because some colors of a palette mean transparent.
    pub fn alpha(&self) -> Alpha {
        // The bits are those of `TagData::Flags`.
        match self.flags() {
            flags if flags & 1 != 0 => Alpha::Blended,
            flags if flags & 2 != 0 => Alpha::OnOff,
            _ if self.kind() == Kind::P8 => Alpha::OnOff,
            _ => Alpha::Opaque,
        }
    }

    /// Returns the flags of the first tag `FLAG`, or 0 if there is none.
    fn flags(&self) -> u32 {
        for tag in &self.tags() {
            if let TagData::Flags(flags) = tag.data {
                return flags;
            }
        }
        0
    }

    /// Returns the sources of the stored channels, if the texture has the tag `SWIZ`.
    pub fn swizzle(&self) -> Option<&'a Swizzle> {
        for tag in &self.tags() {
            if let TagData::Swizzle(swizzle) = tag.data {
                return Some(swizzle);
            }
        }
        None
    }

    /// Decodes a mip for display: restores the channel order of the source image, and sets alpha according to its
    /// [meaning](Self::alpha). Channels that were not stored are 255.
    ///
    /// # Errors
    /// Returns the errors of [`Mip::to_rgba8`].
    pub fn to_picture(&self, mip: &Mip<'a>) -> Result<Picture> {
        let alpha = self.alpha();
        let mut rgba = mip.to_rgba8()?;
        if self.kind() == Kind::P8 {
            self.clear_keys(&mut rgba);
        }
        if let Some(swizzle) = self.swizzle() {
            swizzle.undo(&mut rgba);
        }
        if alpha != Alpha::Blended {
            for [.., value] in rgba.as_chunks_mut::<4>().0 {
                let is_opaque = alpha == Alpha::Opaque || *value >= 128;
                *value = if is_opaque { 255 } else { 0 };
            }
        }
        Ok(Picture { width: mip.width(), height: mip.height(), rgba, alpha })
    }

    /// Returns the pixel that takes the place of key colors: the average color, with an alpha of 0.
    fn transparent_key(&self) -> [u8; 4] {
        for tag in &self.tags() {
            if let TagData::Color(color) = tag.data
                && tag.name.known() == Some("AVGC")
            {
                return [color.red, color.green, color.blue, 0];
            }
        }
        [0; 4]
    }

    /// Makes the key colors of a palette transparent, as engines do.
    fn clear_keys(&self, rgba: &mut [u8]) {
        let transparent = self.transparent_key();
        for pixel in rgba.as_chunks_mut::<4>().0 {
            let [red, green, blue, _] = *pixel;
            if KEYS.contains(&[red, green, blue]) {
                *pixel = transparent;
            }
        }
    }
}

impl Swizzle {
    /// Moves the channels of RGBA pixels back to those of the source image. Channels that were not stored become 255.
    /// If colors were stored from alpha only, the picture becomes gray.
    pub fn undo(&self, rgba: &mut [u8]) {
        // Codes 0 to 3 are alpha, red, green and blue, 4 to 7 the same inverted. The others are constants.
        let colors = [self.red, self.green, self.blue];
        let is_color_stored = [self.alpha].iter().chain(&colors).any(|source| matches!(source.0, 1..=3 | 5..=7));
        let is_gray = !is_color_stored && colors.iter().any(|source| matches!(source.0, 0 | 4));
        for pixel in rgba.as_chunks_mut::<4>().0 {
            let [red, green, blue, alpha] = *pixel;
            // The channels of the source image, in the order of the codes.
            let mut source = [None; 4];
            for (from, value) in [(self.alpha, alpha), (self.red, red), (self.green, green), (self.blue, blue)] {
                let Source(code @ 0..8) = from else { continue };
                if let Some(channel) = source.get_mut(usize::from(code & 3)) {
                    *channel = Some(if code < 4 { value } else { !value });
                }
            }
            let [alpha, red, green, blue] = source;
            *pixel = match alpha {
                Some(gray) if is_gray => [gray, gray, gray, 255],
                _ => [red, green, blue, alpha].map(|channel| channel.unwrap_or(255)),
            };
        }
    }
}
