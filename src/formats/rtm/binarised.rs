//! BMTR files, versions 3 to 5.

use std::mem::offset_of;

use nom::Parser as _;
use nom::error::context;
use zerocopy::little_endian::F32;

use super::file::File;
use super::frames::{FlaggedBlock, Frames, PackingMark};
use super::text::Property;
use super::wire::BinarisedHeader;
use crate::base::error::{Context, Error, Result};
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::parser::in_place;
use crate::ranges::Data;
use crate::record::parser::{cond, count, le_u32, length_count, text_to_nul};
use crate::record::{List, grammar};

grammar! {
    /// The texts between the header of a BMTR file and its frame times.
    crate Texts<'a>(header: &'a BinarisedHeader) {
        /// The names of the bones.
        #[label("BoneNames")] bones: List<'a, ByteStr<'a>> = count(text_to_nul(), header.bones.get()),
        /// Texts that are stored with the animation. No known file has any.
        #[label("Zero")]
        metadata: Option<List<'a, ByteStr<'a>>> = cond(header.version.get() >= 4, length_count(le_u32(), text_to_nul())),
        /// Events of the animation.
        #[label("nFrameProperties, FrameProperties")]
        properties: Option<List<'a, Property<'a>>> = cond(header.version.get() >= 4, length_count(le_u32(), Property::parser())),
    }
}

/// Returns the header if its magic and version are known and its two bone counts agree.
fn check_header(header: &BinarisedHeader) -> Result<&BinarisedHeader> {
    if *header.magic != *b"BMTR" {
        return Err(Error::malformed("does not start with BMTR"));
    }
    let version = header.version.get();
    if !(3..=5).contains(&version) {
        // The version follows the magic.
        return Err(Error::unsupported(format!("BMTR of version {version}")).at(4));
    }
    if header.bones_hint != header.bones {
        let message = format!("says {} bones, then {}", header.bones_hint, header.bones);
        return Err(Error::malformed(message).at(offset_of!(BinarisedHeader, bones_hint) as u64));
    }
    Ok(header)
}

/// A binarised animation, borrowed from its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Binarised<'a> {
    /// The header as stored.
    pub header: &'a BinarisedHeader,
    /// Names of bones, metadata and properties.
    pub texts: Texts<'a>,
    pub(super) file: File<'a>,
}

impl<'a> Binarised<'a> {
    /// Opens a BMTR file: reads up to the frame times.
    pub(super) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let start = size_of::<BinarisedHeader>() as u64;
        let header = Cursor::new(data.head(start)?).parse(context("header", in_place()).map_res(check_header))?;
        let (texts, body) = data.read(start, |cursor| Ok((cursor.parse(Texts::parser(header))?, cursor.offset())))?;
        Ok(Self { header, texts, file: File { data, body, limits: *limits } })
    }

    /// Returns the time of each frame, 0 at the first, 1 at the last.
    ///
    /// # Errors
    /// Returns an error if they are cut short, if their number is not the frame count, or if they do not decode.
    pub fn times(&self) -> Result<FlaggedBlock<'a, F32>> {
        self.body().map(|(times, _)| times)
    }

    /// Returns the frames.
    ///
    /// # Errors
    /// Returns the errors of [`times`](Self::times), which are stored before them.
    pub fn frames(&self) -> Result<Frames<'a>> {
        self.body().map(|(_, frames)| frames)
    }

    /// Returns how packed arrays are marked. Version 4 does not say: the mark is the one that uses up the file. To find
    /// it, all frames are walked once for each possible mark, here and on each access to times or frames.
    ///
    /// # Errors
    /// Returns an error if no mark fits, or several.
    pub fn rule(&self) -> Result<PackingMark> {
        match self.candidates() {
            &[only] => Ok(only),
            _ => self.settle(),
        }
    }

    /// Returns times and frames, as [`times`](Self::times) and [`frames`](Self::frames) do, but finds the end of the
    /// times only once.
    pub(super) fn body(&self) -> Result<(FlaggedBlock<'a, F32>, Frames<'a>)> {
        self.body_by(self.rule()?)
    }

    /// Returns times and frames, read as if packed arrays were marked in this way.
    fn body_by(&self, rule: PackingMark) -> Result<(FlaggedBlock<'a, F32>, Frames<'a>)> {
        let mut cursor = self.file.rest();
        let limits = &self.file.limits;
        let frames = self.header.frames.get();
        let bones = self.header.bones.get();
        let times = FlaggedBlock::read(&mut cursor, frames, rule, limits).within("times")?;
        Ok((times, Frames::new(cursor, frames, bones, rule, limits)))
    }

    /// Returns the marks that this file can use. How empty arrays are marked is uncertain, which matters only if there
    /// are any.
    fn candidates(&self) -> &'static [PackingMark] {
        let no_frames = self.header.frames == 0;
        let no_bones = self.header.bones == 0;
        match self.header.version.get() {
            3 => &[PackingMark::Size],
            // Without frames, a missing flag cannot be distinguished from no flag.
            4 if no_bones && !no_frames => &[PackingMark::Size, PackingMark::Flag, PackingMark::FlagUnlessEmpty],
            4 => &[PackingMark::Size, PackingMark::Flag],
            // Version 5.
            _ if no_bones || no_frames => &[PackingMark::Flag, PackingMark::FlagUnlessEmpty],
            _ => &[PackingMark::Flag],
        }
    }

    /// Returns the only mark that uses up the file to its last byte. Walks all frames once for each candidate.
    ///
    /// # Errors
    /// Returns an error if no mark fits, with the reason for each, or if several do.
    fn settle(&self) -> Result<PackingMark> {
        let mut fitting = None;
        let mut faults = Vec::new();
        for &rule in self.candidates() {
            match (self.fits(rule), fitting) {
                (Err(fault), _) => faults.push(format!("{}: {fault}", rule.name())),
                (Ok(()), None) => fitting = Some(rule),
                (Ok(()), Some(first)) => {
                    let message = format!("packed arrays may be marked {} or {}", first.name(), rule.name());
                    return Err(Error::malformed(message).at(self.file.body));
                }
            }
        }
        fitting.ok_or_else(|| {
            let message = format!("packed arrays are marked in no known way; {}", faults.join("; "));
            Error::malformed(message).at(self.file.body)
        })
    }

    /// Returns an error if the frames cannot be walked with this mark, or do not end where the file does.
    fn fits(&self, rule: PackingMark) -> Result<()> {
        let (_, frames) = self.body_by(rule)?;
        match frames.end()?.left() {
            0 => Ok(()),
            left => Err(Error::malformed(format!("{left} bytes are left"))),
        }
    }
}
