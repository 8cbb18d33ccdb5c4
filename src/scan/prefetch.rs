//! Asks the system to load members before they are read, and to release the pages of those that were read.
//!
//! When a thread touches a page of a mapped file, the system loads that page and a few around it, and the thread waits.
//! On a mount with latency, a scan spends nearly all its time that way. So the members ahead are requested while
//! earlier ones are processed: the whole member if its name indicates an asset, else only its beginning. Requests cost
//! system calls, so they start only after a thread has waited for the first time, and one request covers many small members.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;

use crate::asset::address;
use crate::asset::container::Member;
use crate::base::amount::Amount;
use crate::base::format::Format;
use crate::inspect::Depth;
use crate::source::pages;
use crate::visit::members::Named;

/// How many bytes, and how many members, are requested ahead.
const AHEAD: u64 = 2 << 20;
const MOST: usize = 128;
/// More are requested once there is room for this many bytes, and for half of the members.
const ROOM: u64 = 128 << 10;
/// Parts with at most this many bytes between them are one request.
const GAP: u64 = 4096;
/// After this many bytes or members, check again whether a thread has waited.
const UNTIL_ASKED: u64 = 128 << 10;
const UNTIL_ASKED_MEMBERS: u32 = 64;
/// The bytes read from a member that may be an asset, and from one that is read at header depth.
const BEGINNING: u64 = 1 << 10;
const HEADER: u64 = 16 << 10;

/// Members in order, with those ahead requested.
pub(super) struct Prefetch<'a, I> {
    data: &'a [u8],
    depth: Depth,
    members: I,
    ahead: VecDeque<(Named<'a>, u64)>,
    bytes: Amount<u64>,
    waits: Waits,
    release: pages::Release<'a>,
}

impl<'a, I: Iterator<Item = Named<'a>>> Prefetch<'a, I> {
    /// Prefetches members of the archive in `data`.
    pub(super) fn new(data: &'a [u8], depth: Depth, waits: Waits, members: I) -> Self {
        Self {
            data,
            depth,
            members,
            ahead: VecDeque::new(),
            bytes: Amount(0),
            waits,
            release: pages::Release::new(data),
        }
    }

    /// Takes more members ahead, unless there are enough. Returns the ranges to request for them.
    fn take_ahead(&mut self) -> Vec<Range<u64>> {
        let mut requests: Vec<Range<u64>> = Vec::new();
        if self.ahead.len() > MOST / 2 || self.bytes.0 > AHEAD.saturating_sub(ROOM) {
            return requests;
        }
        while self.bytes.0 < AHEAD
            && self.ahead.len() < MOST
            && let Some(named) = self.members.next()
        {
            let place = place(&named, self.depth);
            let bytes = place.end.saturating_sub(place.start);
            self.bytes += bytes;
            self.ahead.push_back((named, bytes));
            match requests.last_mut() {
                Some(last) if is_next(last, &place) => last.end = last.end.max(place.end),
                _ => requests.push(place),
            }
        }
        requests
    }

    /// The offset, or the end of the data if it is beyond it.
    fn within(&self, offset: u64) -> usize {
        usize::try_from(offset).unwrap_or(usize::MAX).min(self.data.len())
    }
}

impl<'a, I: Iterator<Item = Named<'a>>> Iterator for Prefetch<'a, I> {
    type Item = Named<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.waits.have_been {
            for request in self.take_ahead() {
                if let Some(part) = self.data.get(self.within(request.start)..self.within(request.end)) {
                    pages::will_need(part);
                }
            }
        }
        let (named, bytes) = match self.ahead.pop_front() {
            Some(first) => first,
            None => (self.members.next()?, 0),
        };
        self.bytes -= bytes;
        let (_, member) = &named;
        self.waits.pass(member.stored_byte_len());
        self.release.read_on_at(member.start());
        Some(named)
    }
}

/// Returns the byte range in which a member is read.
fn place((name, member): &Named<'_>, depth: Depth) -> Range<u64> {
    let start = member.start();
    let around = match member {
        Member::Pbo(_) => 0,
        // A header of 30 bytes and the name, after which some writers leave space.
        Member::Zip(member) => 128_u64.saturating_add(member.name().len() as u64),
    };
    let most = match (Format::from_extension(Path::new(address::unnumbered(&name.text))), depth) {
        (None, _) => BEGINNING,
        (Some(_), Depth::Header) => HEADER,
        (Some(_), _) => u64::MAX,
    };
    start..start.saturating_add(member.stored_byte_len().min(most)).saturating_add(around)
}

/// Returns true if a range begins where another ends, or a little after that.
fn is_next(before: &Range<u64>, place: &Range<u64>) -> bool {
    place.start >= before.start && place.start <= before.end.saturating_add(GAP)
}

/// Detects that a thread has waited for the system to load a page.
pub(super) struct Waits {
    /// The count before; `None` if it is not checked.
    before: Option<u64>,
    have_been: bool,
    bytes: Amount<u64>,
    members: Amount<u32>,
}

impl Waits {
    /// Starts counting now, if `asks`.
    pub(super) fn from_now_on(asks: bool) -> Self {
        let before = if asks { pages::waits_for_pages() } else { None };
        Self { before, have_been: false, bytes: Amount(0), members: Amount(0) }
    }

    /// Advances to a member of this size.
    fn pass(&mut self, bytes: u64) {
        let Some(before) = self.before else { return };
        if self.have_been {
            return;
        }
        self.bytes += bytes;
        self.members += 1;
        if self.bytes.0 >= UNTIL_ASKED || self.members.0 >= UNTIL_ASKED_MEMBERS {
            self.have_been = pages::waits_for_pages().is_some_and(|now| now > before);
            self.bytes = Amount(0);
            self.members = Amount(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::limits::Limits;
    use crate::base::text::Name;
    use crate::formats::pbo::Archive;

    fn named(member: Member<'_>) -> Named<'_> {
        (Name::from(member.name()), member)
    }

    /// Builds a PBO of this many members of 100,000 bytes.
    fn archive(count: u32) -> Vec<u8> {
        let mut bytes = [&b"\0sreV"[..], &[0; 17]].concat();
        for index in 0..count {
            bytes.extend(format!("{index}.{}\0", if index % 3 == 0 { "p3d" } else { "paa" }).bytes());
            bytes.extend([0, 100_000, 0, 0, 100_000_u32].map(u32::to_le_bytes).as_flattened());
        }
        bytes.extend([0; 21]);
        bytes.resize(bytes.len() + 100_000 * count as usize, 7);
        bytes
    }

    #[test]
    fn members_come_in_order_whether_asked_for_or_not() {
        let bytes = archive(300);
        for cut in [bytes.len(), bytes.len() - 1_050_000] {
            let data = &bytes[..cut];
            let archive = Archive::parse_with(data, &Limits::default()).unwrap();
            let members = || archive.members().map_while(Result::ok).map(|member| named(Member::Pbo(member)));
            let in_order: Vec<_> = members().map(|(name, _)| name).collect();
            assert_eq!(in_order.len(), 300);
            for have_been in [false, true] {
                for depth in [Depth::Header, Depth::Summary] {
                    let waits = Waits { before: Some(0), have_been, bytes: Amount(0), members: Amount(0) };
                    let mut ahead = Prefetch::new(data, depth, waits, members());
                    let mut seen = Vec::new();
                    while let Some((name, _)) = ahead.next() {
                        seen.push(name);
                        assert!(ahead.ahead.len() <= MOST && ahead.bytes.0 <= AHEAD + 100_000);
                    }
                    assert_eq!(seen, in_order);
                    assert_eq!((ahead.bytes.0, ahead.ahead.len()), (0, 0));
                }
            }
        }
    }

    /// The members of an archive are 100,000 bytes long.
    #[test]
    fn members_next_to_each_other_are_requested_at_once_and_again_while_there_is_room() {
        let bytes = archive(300);
        let archive = Archive::parse_with(&bytes, &Limits::default()).unwrap();
        let members = || archive.members().map_while(Result::ok);
        let first = members().next().unwrap().offset;
        let waits = || Waits { before: Some(0), have_been: true, bytes: Amount(0), members: Amount(0) };
        let named = |step| members().step_by(step).map(|member| named(Member::Pbo(member)));
        // All bytes of assets, in one request until the members ahead are enough.
        let mut all = Prefetch::new(&bytes, Depth::Summary, waits(), named(1));
        let requests = all.take_ahead();
        assert_eq!((requests.len(), &requests[0]), (1, &(first..first + 21 * 100_000)));
        assert_eq!(all.take_ahead(), []);
        all.next();
        assert_eq!(all.take_ahead(), []);
        all.next();
        assert_eq!(all.ahead.len(), 19);
        all.next();
        assert_eq!(all.ahead.len(), 20);
        // Members with others between them are a request each.
        let mut apart = Prefetch::new(&bytes, Depth::Summary, waits(), named(2));
        let requests = apart.take_ahead();
        assert_eq!(requests.len(), 21);
        assert_eq!(requests[1], first + 200_000..first + 300_000);
        // Only the beginnings.
        let mut headers = Prefetch::new(&bytes, Depth::Header, waits(), named(1));
        let requests = headers.take_ahead();
        assert_eq!((requests.len(), requests[0].end), (MOST, first + HEADER));
    }

    #[test]
    fn waits_are_checked_only_after_some_bytes_and_on_request() {
        let mut waits = Waits { before: Some(u64::MAX), have_been: false, bytes: Amount(0), members: Amount(0) };
        waits.pass(UNTIL_ASKED - 1);
        assert_eq!((waits.bytes.0, waits.members.0), (UNTIL_ASKED - 1, 1));
        waits.pass(1);
        assert_eq!((waits.bytes.0, waits.members.0, waits.have_been), (0, 0, false));
        let mut never = Waits::from_now_on(false);
        never.pass(u64::MAX);
        assert_eq!((never.bytes.0, never.have_been), (0, false));
    }
}
