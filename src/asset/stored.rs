//! How a member is stored in its archive, for reports.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::container::Member;

/// How a member is stored in its archive. Unknown facts are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stored {
    /// The offset of its first byte, counted from the start of the archive.
    pub offset: Option<u64>,
    /// The bytes it takes in the archive.
    pub bytes: u64,
    /// The compression method: `stored`, `lzss`, `deflated`, ...
    pub method: String,
    /// The time of its last change, as `2020-09-13T12:26:40Z`. Without the `Z`, it is the local time of the writer, whose
    /// time zone is unknown: a zip has the time in UTC only in an extra field (Info-ZIP's, or that of Windows).
    pub time: Option<String>,
    /// [`Member::modified`], which is `time` as a point in time. Not in JSON.
    #[serde(skip)]
    pub modified: Option<SystemTime>,
}

impl Stored {
    /// Returns how this member is stored in its archive.
    pub fn of(member: &Member<'_>) -> Self {
        let (offset, method, time) = match member {
            Member::Pbo(member) => (
                member.is_inside().then_some(member.offset),
                member.method().to_string(),
                member.timestamp().map(|seconds| date(seconds.into()) + "Z"),
            ),
            Member::Zip(member) => {
                let (offset, header) = (member.local().ok().map(|local| local.data_offset), member.entry.header);
                let time = match member.timestamp() {
                    Some(seconds) => Some(date(seconds) + "Z"),
                    None => dos_numbers(header.date.get(), header.time.get()).map(|time| written(time.map(i64::from))),
                };
                (offset, member.method().to_string(), time)
            }
        };
        Self { offset, bytes: member.stored_byte_len(), method, time, modified: member.modified() }
    }
}

impl Member<'_> {
    /// Returns the time of its last change, if it is known. A zip without the time in an extra field does not state the
    /// time zone: its times are taken as those of UTC.
    pub fn modified(&self) -> Option<SystemTime> {
        let seconds = match self {
            Member::Pbo(member) => member.timestamp()?.into(),
            Member::Zip(member) => {
                if let Some(seconds) = member.timestamp() {
                    return since_1970(seconds);
                }
                let header = member.entry.header;
                let [year, month, day, hour, minute, second] = dos_numbers(header.date.get(), header.time.get())?;
                let day = days(year.into(), month.into(), day.into()).saturating_mul(86_400);
                let time = u64::from(hour).saturating_mul(3600).saturating_add(u64::from(minute).saturating_mul(60));
                day.saturating_add(time).saturating_add(second.into())
            }
        };
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    }
}

fn since_1970(seconds: i64) -> Option<SystemTime> {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        return SystemTime::UNIX_EPOCH.checked_sub(distance);
    }
    SystemTime::UNIX_EPOCH.checked_add(distance)
}

/// Returns the days from 1970 to a date since then.
fn days(year: u64, month: u64, day: u64) -> u64 {
    // Years that start in March, so that leap days come last.
    let (year, month) =
        if month > 2 { (year, month.saturating_sub(3)) } else { (year.saturating_sub(1), month.saturating_add(9)) };
    let leaps = (year / 4).saturating_sub(year / 100).saturating_add(year / 400);
    let months = month.saturating_mul(153).saturating_add(2) / 5;
    let days = [leaps, months, day].into_iter().fold(year.saturating_mul(365), u64::saturating_add);
    days.saturating_sub(719_469)
}

/// Converts seconds since 1970 to date and time.
pub(crate) fn date(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years that start in March, in eras of 400, so that leap days come last.
    let shifted = days.saturating_add(719_468);
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let leaps =
        [day.div_euclid(36_524), day.div_euclid(1460).saturating_neg(), day.div_euclid(146_096).saturating_neg()];
    let year = leaps.into_iter().fold(day, i64::saturating_add).div_euclid(365);
    let before = year.saturating_mul(365).saturating_add(year.div_euclid(4)).saturating_sub(year.div_euclid(100));
    let day = day.saturating_sub(before);
    let month = day.saturating_mul(5).saturating_add(2).div_euclid(153);
    let day = day.saturating_sub(month.saturating_mul(153).saturating_add(2).div_euclid(5)).saturating_add(1);
    let (month, later) = if month < 10 { (month.saturating_add(3), 0) } else { (month.saturating_sub(9), 1) };
    let year = era.saturating_mul(400).saturating_add(year).saturating_add(later);
    let (hour, minute) = (second.div_euclid(3600), second.div_euclid(60).rem_euclid(60));
    written([year, month, day, hour, minute, second.rem_euclid(60)])
}

/// Writes year, month, day, hour, minute and second. A scan does this for each member of an archive, and `format!` takes
/// several times as long.
fn written(numbers: [i64; 6]) -> String {
    let mut text = String::with_capacity("2020-09-13T12:26:40Z".len());
    for (number, mark) in numbers.into_iter().zip(["", "-", "-", "T", ":", ":"]) {
        text.push_str(mark);
        let places: &[i64] = if mark.is_empty() { &[1000, 100, 10, 1] } else { &[10, 1] };
        let digits = places.iter().map(|&place| u32::try_from(number.div_euclid(place).rem_euclid(10)).unwrap_or(0));
        text.extend(digits.filter_map(|digit| char::from_digit(digit, 10)));
    }
    text
}

/// Returns the year, month, day, hour, minute and second of a DOS date and time. Returns `None` if they are not valid, as
/// some writers leave them.
fn dos_numbers(date: u16, time: u16) -> Option<[u16; 6]> {
    let (year, month, day) = ((date >> 9).saturating_add(1980), date >> 5 & 15, date & 31);
    let (hour, minute, second) = (time >> 11, time >> 5 & 63, (time & 31).saturating_mul(2));
    let is_sound = (1..=12).contains(&month) && day > 0 && hour < 24 && minute < 60 && second < 60;
    is_sound.then_some([year, month, day, hour, minute, second])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        for day in (0..60_000).step_by(13).chain([59, 60, 789, 11_016, 11_017, 47_540, 47_541]) {
            let text = date(day * 86_400);
            let number = |range: std::ops::Range<usize>| text[range].parse().unwrap();
            assert_eq!(days(number(0..4), number(5..7), number(8..10)), day as u64, "{text}");
        }
    }
}
