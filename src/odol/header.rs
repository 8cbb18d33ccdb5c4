//! What is told before the LODs: spec section 3, and section 4 of the later versions.

use zerocopy::little_endian::{F32, U32};

use super::animation::Animations;
use super::flashpoint;
use super::info::ModelInfo;
use super::list::Context;
use super::version::Version;
use super::wire::{FaceDefault, FaceDefaultMore};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::inspect::Span;
use crate::view::{ByteStr, Cursor, LeArray};

/// What is told before the LODs; in version 7, after them. Where it breaks off, what was read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header<'a> {
    pub(super) encryption: Option<[u32; 2]>,
    pub(super) app_id: Option<u32>,
    pub(super) muzzle_flash: Option<ByteStr<'a>>,
    pub(super) lod_count: Option<u32>,
    /// From the signature to the number of LODs.
    pub(super) start: Span,
    pub(super) resolutions: Option<LeArray<'a, F32>>,
    pub(super) info: Option<ModelInfo<'a>>,
    pub(super) has_animations: Option<bool>,
    pub(super) animations: Option<Animations<'a>>,
    /// The byte that says if there are animations, and they.
    pub(super) animation_block: Option<Span>,
    pub(super) starts: Option<LeArray<'a, U32>>,
    pub(super) ends: Option<LeArray<'a, U32>>,
    /// In version 7, in place of `starts` and `ends`.
    pub(super) walk: Option<Walk>,
    pub(super) use_defaults: Option<LeArray<'a, u8>>,
    pub(super) face_defaults: Option<Cursor<'a>>,
    /// Where it ends: no LOD lies before. In version 7, where the LODs begin.
    pub(super) end: u64,
    /// Whether it could be read to its end.
    pub(super) is_whole: bool,
}

/// Where the LODs of version 7 lie: they touch one another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    start: u64,
    ends: [u64; flashpoint::MOST_LODS as usize],
    count: usize,
}

impl Walk {
    pub(super) fn from(start: u64) -> Self {
        Self { start, ends: [start; _], count: 0 }
    }

    pub(super) fn push(&mut self, end: u64) {
        if let Some(place) = self.ends.get_mut(self.count) {
            *place = end;
            self.count = self.count.saturating_add(1);
        }
    }

    fn get(&self, index: usize) -> Option<(u32, u32)> {
        let ends = self.ends.get(..self.count)?;
        let start = index.checked_sub(1).map_or(Some(self.start), |before| ends.get(before).copied())?;
        Some((u32::try_from(start).ok()?, u32::try_from(*ends.get(index)?).ok()?))
    }
}

/// The most LODs in a file. The numbers of the special ones have 8 bits with sign; real files have up to 16.
const MOST_LODS: u32 = 1024;

impl<'a> Header<'a> {
    /// Reads what follows the version into an empty header, as much as there is; the error tells why not all.
    pub(super) fn read(&mut self, mut cursor: Cursor<'a>, context: Context) -> Result<()> {
        self.start.bytes = cursor.offset();
        self.fill(&mut cursor, context)?;
        self.is_whole = true;
        Ok(())
    }

    fn fill(&mut self, c: &mut Cursor<'a>, context: Context) -> Result<()> {
        let v = context.version;
        if v.has_encryption() {
            let offset = c.offset();
            let words = [c.u32().within("encryption")?, c.u32().within("encryption")?];
            self.encryption = Some(words);
            if words != [0; 2] {
                let message = "encrypted model: nothing after its version can be read";
                return Err(Error::new(ErrorKind::Encrypted(message.into())).at(offset));
            }
        }
        if v.has_app_id() {
            self.app_id = Some(c.u32().within("app_id")?);
        }
        if v.has_muzzle_flash() {
            self.muzzle_flash = Some(c.cstr().within("muzzle_flash")?);
        }
        let offset = c.offset();
        let count = c.u32().within("lod_count")?;
        self.start.bytes = c.offset();
        self.end = c.offset();
        let most = if v.is_flashpoint() { flashpoint::MOST_LODS } else { MOST_LODS };
        if count > most {
            return Err(Error::new(ErrorKind::Limit { what: "LODs", limit: most.into(), flag: None }).at(offset));
        }
        if v.is_flashpoint() {
            self.lod_count = Some(count);
            return flashpoint::read(c, context, count, self);
        }
        self.resolutions = Some(c.array(count.into()).within("resolutions")?);
        self.lod_count = Some(count);
        self.info = Some(ModelInfo::read(c, context, count).within("info")?);
        let offset = c.offset();
        let has_animations = c.u8().within("animations")? != 0;
        self.has_animations = Some(has_animations);
        if has_animations {
            self.animations = Some(Animations::read(c, v).within("animations")?);
        }
        self.animation_block = Some(Span { offset, bytes: c.offset().saturating_sub(offset) });
        self.starts = Some(c.array(count.into()).within("starts")?);
        self.ends = Some(c.array(count.into()).within("ends")?);
        let flags: LeArray<'a, u8> = c.array(count.into()).within("use_defaults")?;
        self.use_defaults = Some(flags);
        let given = flags.iter().filter(|&&flag| flag == 0).count() as u64;
        let bytes = given.saturating_mul(face_default_bytes(v));
        self.face_defaults = Some(c.split(bytes).within("face_defaults")?);
        self.end = c.offset();
        Ok(())
    }

    /// Where the LOD at `index` starts and ends.
    #[inline]
    pub(super) fn range(&self, index: usize) -> Option<(u32, u32)> {
        match &self.walk {
            Some(walk) => walk.get(index),
            None => Some((self.starts?.get(index)?.get(), self.ends?.get(index)?.get())),
        }
    }

    /// A LOD's own face default: only those without the flag have one.
    #[inline]
    pub(super) fn face_default(
        &self,
        index: usize,
        version: Version,
    ) -> Option<(FaceDefault, Option<FaceDefaultMore>)> {
        let (before, flags) = self.use_defaults?.as_slice().split_at_checked(index)?;
        if *flags.first()? != 0 {
            return None;
        }
        let place = before.iter().filter(|&&flag| flag == 0).count() as u64;
        let mut cursor = self.face_defaults?;
        cursor.skip(place.saturating_mul(face_default_bytes(version))).ok()?;
        let default = *cursor.read().ok()?;
        let more = version.has_face_area().then(|| cursor.read().copied().ok()).flatten();
        Some((default, more))
    }
}

fn face_default_bytes(version: Version) -> u64 {
    let more = if version.has_face_area() { size_of::<FaceDefaultMore>() } else { 0 };
    size_of::<FaceDefault>().saturating_add(more) as u64
}
