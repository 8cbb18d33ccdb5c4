//! The data before the LODs; in version 7, after them.

use zerocopy::little_endian::{F32, U32};

use super::animation::{Animations, at_most};
use super::array::Layout;
use super::flashpoint::{self, FlashpointLod};
use super::info::{Lods, ModelInfo};
use super::version::Version;
use crate::base::error::{Context as _, Error, Result};
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::{Cursor, LeArray};
use crate::record::parser::{array, by_value, cond, count, framing, le_f32, le_u32, text_to_nul, verify};
use crate::record::{List, Read as _, grammar};

grammar! {
    /// The start of a file.
    Start<'a>(version: Version) {
        /// `ODOL`.
        #[label("Filetype")] magic: [u8; 4] = framing(by_value()),
        /// 7 and 40 to 75.
        #[label("Version")] version_number: u32 = framing(le_u32()),
        /// Not 0 if the rest of the file is encrypted.
        encryption: Option<[U32; 2]> = cond(version >= 75, verify(by_value(), check_not_encrypted)),
        /// The Steam app id of the game or tool; often 0.
        app_id: Option<u32> = cond(version >= 59, le_u32()),
        /// The model of a muzzle flash (other readers call it a prefix); usually empty.
        muzzle_flash: Option<ByteStr<'a>> = cond(version >= 58, text_to_nul()),
        /// Number of LODs.
        #[label("NoOfLods")]
        lod_count: u32 = verify(framing(le_u32()), move |count| at_most(*count, max_lods(version), "LODs")),
    }
}

grammar! {
    /// Data about all LODs.
    crate Facts<'a>(lods: Lods) {
        /// The purpose of each LOD.
        resolutions: LeArray<'a, F32> = array(lods.count),
        /// Facts about the whole model.
        #[label("ModelInfo")] info: ModelInfo<'a> = ModelInfo::parser(lods),
    }
}

grammar! {
    /// The tables of LODs.
    crate Tables<'a>(lods: Lods) {
        /// Start of each LOD, counted from the start of the file.
        #[label("StartAddressOfLods")] lod_starts: LeArray<'a, U32> = array(lods.count),
        /// End of each LOD (exclusive), counted from the start of the file.
        #[label("EndAddressOfLods")] lod_ends: LeArray<'a, U32> = array(lods.count),
        /// For each LOD, not zero if it has no face default.
        #[label("UseDefault")] use_defaults: LeArray<'a, u8> = array(lods.count),
        /// The face defaults of the LODs that have one.
        #[label("FaceData")] face_defaults: List<'a, FaceDefault, Version> =
            count(FaceDefault::parser(lods.version), face_default_count(&use_defaults)),
    }
}

grammar! {
    /// Data for drawing a LOD before it is read.
    FaceDefault(version: Version) {
        /// Number of faces of the LOD.
        #[label("HeaderFaceCount")] faces: u32,
        /// The LOD's `color`, 0xAARRGGBB.
        #[label("aDefaultLong")] color: u32,
        /// The LOD's `special`.
        #[label("UnknownByte, aFlag, Zeroes")] special: i32,
        /// The LOD's `or_hints`.
        #[label("Zeroes")] or_hints: u32,
        /// Not zero if the LOD has `bones` (hasSkeleton).
        #[label("Zeroes")] has_skeleton: u8,
        /// Number of points of the LOD.
        #[label("AnotherCount")] points: Option<u32> = cond(version >= 51, le_u32()),
        /// The LOD's `face_area`; NaN in some files of the game.
        #[rule(Any)]
        #[label("AnotherFloat")] face_area: Option<f32> = cond(version >= 51, le_f32()),
    }
}

/// Returns an error if one of the two words of `encryption` is not 0.
fn check_not_encrypted(words: &[U32; 2]) -> Result<()> {
    if *words == [U32::ZERO; 2] {
        return Ok(());
    }
    Err(Error::encrypted("encrypted model: nothing after its version can be read"))
}

/// The maximum number of LODs in a file. The indices of the special LODs are signed 8-bit numbers; real files have up
/// to 16 LODs.
const MAX_LODS: u32 = 1024;

/// Returns the maximum number of LODs in a file of this version.
fn max_lods(version: Version) -> u32 {
    if version.is_flashpoint() { flashpoint::MAX_LODS } else { MAX_LODS }
}

/// Returns the number of LODs that have a face default: those whose flag is 0.
fn face_default_count(use_defaults: &LeArray<'_, u8>) -> u32 {
    u32::try_from(use_defaults.iter().filter(|&&flag| flag == 0).count()).unwrap_or(u32::MAX)
}

/// The data before the LODs; in version 7, after them. If the file is cut short, contains what was read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header<'a> {
    pub(super) start: Option<Start<'a>>,
    pub(super) resolutions: Option<LeArray<'a, F32>>,
    pub(super) info: Option<ModelInfo<'a>>,
    pub(super) animations: Option<Animations<'a>>,
    /// The tables, which version 7 lacks.
    pub(super) tables: Option<Tables<'a>>,
    /// The start of the first LOD of version 7. The others are adjacent.
    first: u32,
    /// The end of each LOD of version 7, or 0 if the LOD was not read or ends after 4 GiB.
    ends: [u32; flashpoint::MAX_LODS as usize],
    /// The byte range of resolutions and facts.
    pub(super) facts_span: Span,
    /// The end of the header. No LOD starts before it. In version 7, the start of the LODs.
    pub(super) end: u64,
    /// True if the header was read to its end.
    pub(super) is_whole: bool,
}

impl<'a> Header<'a> {
    /// Reads a file from its start into an empty header, as far as possible. Returns the error that ends it early.
    pub(super) fn read(&mut self, c: &mut Cursor<'a>, layout: Layout) -> Result<()> {
        let version = layout.version;
        let start = Start::read(c, version)?;
        self.start = Some(start);
        self.end = c.offset();
        if version.is_flashpoint() {
            // The LODs come first, without a table. They are read to find their ends and the facts after them.
            self.first = u32::try_from(c.offset()).unwrap_or(0);
            for (index, end) in self.ends.iter_mut().enumerate().take(start.lod_count as usize) {
                FlashpointLod::read(c, layout).within_item("lods", index)?;
                *end = u32::try_from(c.offset()).unwrap_or(0);
            }
        }
        let lods = self.lods_context(layout);
        let offset = c.offset();
        // Read on their own first, so that they are known even if the facts are cut short.
        self.resolutions = c.clone().parse(array(lods.count)).ok();
        let Facts { resolutions, info } = Facts::read(c, lods)?;
        (self.resolutions, self.info) = (Some(resolutions), Some(info));
        self.facts_span = c.since(offset);
        if !version.is_flashpoint() {
            self.animations = Some(Animations::read(c, version)?);
            self.tables = Some(Tables::read(c, lods)?);
            self.end = c.offset();
        }
        self.is_whole = true;
        Ok(())
    }

    /// Returns the context for reading the facts and tables.
    pub(super) fn lods_context(&self, layout: Layout) -> Lods {
        Lods::new(self.lod_count().unwrap_or(0), layout)
    }

    /// Returns the number of LODs that the header claims, or `None` if it is cut short before it.
    pub(super) fn lod_count(&self) -> Option<u32> {
        self.start.map(|start| start.lod_count)
    }

    /// Returns the start and the end (exclusive) of the LOD at `index`, or `None` if it is out of range or, in version
    /// 7, its end is unknown.
    #[inline]
    pub(super) fn range(&self, index: usize) -> Option<(u32, u32)> {
        if let Some(tables) = &self.tables {
            return Some((tables.lod_starts.get(index)?.get(), tables.lod_ends.get(index)?.get()));
        }
        // In version 7 each LOD starts where the one before it ends.
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => self.first,
        };
        let end = *self.ends.get(index)?;
        if end > 0 { Some((start, end)) } else { None }
    }

    /// Returns the face default of the LOD at `index`: its own index in the list of face defaults, the face default,
    /// and its location. Returns `None` if the LOD has none, because its flag is not 0.
    pub(super) fn face_default(&self, index: usize) -> Option<(usize, FaceDefault, Span)> {
        let tables = self.tables.as_ref()?;
        let (before, flags) = tables.use_defaults.as_slice().split_at_checked(index)?;
        if *flags.first()? != 0 {
            return None;
        }
        let number = before.iter().filter(|&&flag| flag == 0).count();
        tables.face_defaults.spanned().nth(number).map(|(default, span)| (number, default, span))
    }
}
