//! How a member is stored in its archive, for reports.

use std::fmt::Display;
use std::iter::zip;
use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::container::Member;
use crate::base::amount::Amount;

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
        let method = match member {
            Member::Pbo(member) => method_text(member.method(), member.method().name()),
            Member::Zip(member) => method_text(member.method(), member.method().name()),
        };
        Self {
            offset: offset_of(member),
            bytes: member.stored_byte_len(),
            method,
            time: time_of(member),
            modified: member.modified(),
        }
    }
}

/// Returns the name of a method, or its number as text if it has none. Copying the name is faster than formatting it.
fn method_text(method: impl Display, name: Option<&str>) -> String {
    match name {
        Some(name) => name.to_owned(),
        None => method.to_string(),
    }
}

fn offset_of(member: &Member<'_>) -> Option<u64> {
    match member {
        Member::Pbo(member) if member.is_inside() => Some(member.offset),
        Member::Pbo(_) => None,
        Member::Zip(member) => {
            let local = member.local().ok()?;
            Some(local.data_offset)
        }
    }
}

/// Returns the time of its last change, as in [`Stored::time`].
fn time_of(member: &Member<'_>) -> Option<String> {
    match member {
        Member::Pbo(member) => {
            let seconds = member.timestamp()?;
            Some(date(seconds.into()) + "Z")
        }
        Member::Zip(member) => {
            if let Some(seconds) = member.timestamp() {
                return Some(date(seconds) + "Z");
            }
            let header = member.entry.header;
            let numbers = dos_numbers(header.date.get(), header.time.get())?;
            Some(written(numbers.map(i64::from)))
        }
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
                let days = Amount(days(year.into(), month.into(), day.into()));
                (days * 86_400 + Amount(hour.into()) * 3600 + Amount(minute.into()) * 60 + u64::from(second)).0
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
    let is_next = month > 2;
    let year = if is_next { year } else { year.saturating_sub(1) };
    let month = if is_next { month.saturating_sub(3) } else { month.saturating_add(9) };
    let leap_days = (Amount(year / 4) - year / 100 + year / 400).0;
    let days_before_month = (Amount(month) * 153 + 2).0 / 5;
    (Amount(year) * 365 + leap_days + days_before_month + day - 719_469).0
}

/// Converts seconds since 1970 to date and time.
pub(crate) fn date(seconds: i64) -> String {
    let second = seconds.rem_euclid(86_400);
    // Years that start in March, in eras of 400, so that leap days come last.
    let days = seconds.div_euclid(86_400).saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let without_leap_days = Amount(day_of_era) + day_of_era.div_euclid(36_524)
        - day_of_era.div_euclid(1460)
        - day_of_era.div_euclid(146_096);
    let year_of_era = without_leap_days.0.div_euclid(365);
    let before_year = Amount(year_of_era) * 365 + year_of_era.div_euclid(4) - year_of_era.div_euclid(100);
    let day_of_year = day_of_era.saturating_sub(before_year.0);
    let month_from_march = (Amount(day_of_year) * 5 + 2).0.div_euclid(153);
    let before_month = (Amount(month_from_march) * 153 + 2).0.div_euclid(5);
    let day = (Amount(day_of_year) - before_month + 1).0;
    let year = (Amount(era) * 400 + year_of_era).0;
    let is_next = month_from_march >= 10;
    let year = if is_next { year.saturating_add(1) } else { year };
    let month = if is_next { month_from_march.saturating_sub(9) } else { month_from_march.saturating_add(3) };
    let hour = second.div_euclid(3600);
    let minute = second.div_euclid(60).rem_euclid(60);
    written([year, month, day, hour, minute, second.rem_euclid(60)])
}

/// Writes year, month, day, hour, minute and second. A scan does this for each member of an archive, and `format!` takes
/// several times as long.
fn written(numbers: [i64; 6]) -> String {
    let mut text = String::with_capacity("2020-09-13T12:26:40Z".len());
    for (number, mark) in zip(numbers, ["", "-", "-", "T", ":", ":"]) {
        text.push_str(mark);
        let places: &[i64] = if mark.is_empty() { &[1000, 100, 10, 1] } else { &[10, 1] };
        for place in places {
            let digit = u32::try_from(number.div_euclid(*place).rem_euclid(10)).unwrap_or(0);
            text.extend(char::from_digit(digit, 10));
        }
    }
    text
}

/// Returns the year, month, day, hour, minute and second of a DOS date and time. Returns `None` if they are not valid, as
/// some writers leave them.
fn dos_numbers(date: u16, time: u16) -> Option<[u16; 6]> {
    let year = (date >> 9).saturating_add(1980);
    let month = date >> 5 & 15;
    let day = date & 31;
    let hour = time >> 11;
    let minute = time >> 5 & 63;
    let second = (time & 31).saturating_mul(2);
    let is_date = (1..=12).contains(&month) && day > 0;
    let is_time = hour < 24 && minute < 60 && second < 60;
    if is_date && is_time { Some([year, month, day, hour, minute, second]) } else { None }
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
