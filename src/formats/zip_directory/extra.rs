//! Extra fields of entries: an id of two bytes, a length of two bytes, and the data.

use flate2::Crc;

use crate::base::text::ByteStr;

/// The ids of extra fields: Info-ZIP's name in UTF-8, Info-ZIP's times, and those of Windows.
const UNICODE_PATH: u16 = 0x7075;
const UNIX_TIMES: u16 = 0x5455;
const WINDOWS_TIMES: u16 = 0x000a;

/// The number of times of 100 ns in a second, and the seconds from 1601 to 1970.
const TICKS: u64 = 10_000_000;
const SECONDS_TO_1970: i64 = 11_644_473_600;

/// What the field with a name in UTF-8 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnicodePath<'a> {
    /// The name.
    Name(ByteStr<'a>),
    /// The field belongs to another name, or is damaged.
    Wrong,
}

/// Returns what the fields say of the name of an entry, if there is such a field. It counts only for the stored name whose
/// CRC-32 it has.
pub(crate) fn unicode_path<'a>(extra: &'a [u8], stored: ByteStr<'_>) -> Option<UnicodePath<'a>> {
    let data = ExtraFields::find(extra, UNICODE_PATH)?;
    let Some(([1, sum @ ..], name)) = data.split_first_chunk::<5>() else { return Some(UnicodePath::Wrong) };
    let mut crc = Crc::new();
    crc.update(stored.as_bytes());
    let is_right = crc.sum() == u32::from_le_bytes(*sum) && !name.is_empty() && std::str::from_utf8(name).is_ok();
    Some(if is_right { UnicodePath::Name(ByteStr::new(name)) } else { UnicodePath::Wrong })
}

/// Returns the time of the last change in seconds since 1970 in UTC, if the fields have it. The times of the header itself
/// are those of an unknown time zone.
pub(crate) fn modified(extra: &[u8]) -> Option<i64> {
    if let Some([flags, rest @ ..]) = ExtraFields::find(extra, UNIX_TIMES)
        && flags & 1 != 0
        && let Some(seconds) = rest.first_chunk()
    {
        return Some(i32::from_le_bytes(*seconds).into());
    }
    let [_, _, _, _, tags @ ..] = ExtraFields::find(extra, WINDOWS_TIMES)? else { return None };
    let ticks = u64::from_le_bytes(*ExtraFields::find(tags, 1)?.first_chunk()?);
    if ticks == 0 {
        return None;
    }
    Some(i64::try_from(ticks / TICKS).ok()?.saturating_sub(SECONDS_TO_1970))
}

/// An iterator over well-formed extra fields: the id and the data of each. It ends before what is none.
#[derive(Clone)]
pub(crate) struct ExtraFields<'a> {
    rest: &'a [u8],
}

impl<'a> ExtraFields<'a> {
    pub(crate) fn of(extra: &'a [u8]) -> Self {
        Self { rest: extra }
    }

    /// Returns the data of the first field with this id.
    pub(crate) fn find(extra: &'a [u8], id: u16) -> Option<&'a [u8]> {
        Self::of(extra).find(|(known, _)| *known == id).map(|(_, data)| data)
    }

    /// Returns the position and a description of bytes that are no field. Zeros are padding, as zipalign writes it.
    pub(crate) fn fault(extra: &'a [u8]) -> Option<(usize, String)> {
        let mut fields = Self::of(extra);
        while fields.next().is_some() {}
        let rest = fields.rest;
        if rest.iter().all(|&byte| byte == 0) {
            return None;
        }
        let message = match rest.split_first_chunk::<4>() {
            None => format!("{} bytes, too few for an extra field", rest.len()),
            Some(([id, high_id, low, high], after)) => {
                let id = u16::from_le_bytes([*id, *high_id]);
                let bytes = u16::from_le_bytes([*low, *high]);
                format!("extra field {id:#06x} of {bytes} bytes, {} left", after.len())
            }
        };
        Some((extra.len().saturating_sub(rest.len()), message))
    }
}

impl<'a> Iterator for ExtraFields<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (&[id, high_id, low, high], after) = self.rest.split_first_chunk()?;
        let (data, rest) = after.split_at_checked(u16::from_le_bytes([low, high]).into())?;
        self.rest = rest;
        Some((u16::from_le_bytes([id, high_id]), data))
    }
}
