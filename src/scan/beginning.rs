//! Describes a member from its beginning, if that is enough.

use super::describe::{At, describe_parsed, parse, unreadable};
use super::record::Record;
use super::target::is_archive;
use crate::asset::container::Member;
use crate::base::format::Format;
use crate::visit::members::{Reading, read};

/// The result of reading the beginning of a member.
pub(super) enum Shown {
    /// The member is not an asset.
    Other,
    Record(Box<Record>),
    /// More of the member is needed.
    Further,
}

/// Describes a member that is not an archive from the bytes that are available. The ranges record missing bytes. The record
/// is not charged. Checksums are not checked: they need the whole member.
pub(super) fn describe_beginning(at: At<'_>, member: &Member<'_>) -> Shown {
    let At { origin, budget } = at;
    let mut needs_more = false;
    let reading = read(member, origin.is_promised(), budget, |format| {
        needs_more = is_archive(format);
        if needs_more { Ok(None) } else { member.content(budget).map(Some) }
    });
    let content = match reading {
        Reading::Content(content) => content,
        Reading::Unread { format, error } => {
            let record = unreadable(at, format, member.decoded_byte_len_hint(), None, &error);
            return Shown::Record(record);
        }
        Reading::Other if needs_more => return Shown::Further,
        Reading::Other => return Shown::Other,
    };
    let Ok(format) = Format::of_file_in(origin.name(), content.data()) else { return Shown::Other };
    if is_archive(format) {
        return Shown::Further;
    }
    if format.is_none() && !origin.is_expected() {
        return Shown::Other;
    }
    let at = At { origin, budget: content.budget() };
    let parsed = parse(at, format, content.data());
    Shown::Record(describe_parsed(at, format, content.data(), &parsed, false).record)
}
