//! Finds the target of a selector, in an asset or in bytes that do not open.

use std::ops::Range;
use std::process::ExitCode;

use meshpeek::dissect::{Sink, dissect_unread, dissect_until, locate, problem_at, unread};
use meshpeek::inspect::{Selector, Span};
use meshpeek::summary::Severity;
use meshpeek::{Asset, Error, Inspect};

use crate::args::Common;
use crate::failure::message_of;
use crate::failure::text_of;
use crate::limits::with_flag;
use crate::notes::Notes;
use crate::similar::similar;

/// The number of bytes to show at a location that has no end of its own.
const SHOWN: u64 = 16;

/// An asset, or the reason that it does not open.
pub(crate) type Opened<'a> = Result<Asset<'a>, Error>;

/// Passes the lines of an asset to `sink`, or the bytes if they do not open as one.
pub(crate) fn lines(asset: &Opened<'_>, content: &[u8], sink: Sink<'_>) {
    match asset {
        Ok(asset) => dissect_until(asset, content.len() as u64, sink),
        Err(error) => dissect_unread(content, error, sink),
    }
}

/// The bytes of a range, or none if it is not inside the content.
pub(crate) fn bytes(content: &[u8], range: Range<u64>) -> &[u8] {
    let start = usize::try_from(range.start).unwrap_or(usize::MAX);
    let end = usize::try_from(range.end).unwrap_or(usize::MAX);
    content.get(start..end).unwrap_or_default()
}

/// Reports why the bytes are not an asset, and returns the status of a verb that has shown them.
pub(crate) fn status(asset: &Opened<'_>, common: &Common) -> ExitCode {
    let Err(error) = asset else { return ExitCode::SUCCESS };
    Notes::new(common).error(text_of(error));
    ExitCode::from(1)
}

/// The target of a selector.
pub(crate) struct Place {
    /// The part, array or field; `None` for the whole file.
    pub(crate) selector: Option<Selector>,
    pub(crate) span: Option<Span>,
    /// The reason that this is not everything requested.
    pub(crate) note: Option<String>,
}

impl Place {
    /// Prints further notes on the location.
    pub(crate) fn explain(&self, common: &Common) {
        if let Some(note) = &self.note {
            Notes::new(common).say(note);
        }
    }
}

/// The target of a selector in an asset. In bytes that do not open, only the location of the error.
pub(crate) fn place_of(asset: &Opened<'_>, size: u64, text: &str) -> Result<Place, String> {
    match asset {
        Ok(asset) => find(asset, size, text),
        Err(error) => match (text.parse::<Selector>(), error.location().parse::<Selector>(), error.offset()) {
            (Ok(wanted), Ok(path), Some(offset)) if wanted == path => {
                let span = Span::new(offset, size.saturating_sub(offset));
                Ok(Place { selector: None, span: Some(span), note: None })
            }
            _ => Err(message_of(error)),
        },
    }
}

/// The part, array, row or field. The path of a problem leads to its location, even if nothing of that name exists
/// there.
pub(crate) fn find(asset: &Asset<'_>, size: u64, text: &str) -> Result<Place, String> {
    let selector = match text.parse::<Selector>() {
        Ok(selector) => selector,
        Err(error) => return Err(message_of(&error)),
    };
    let mut around = None;
    let mut span = None;
    let mut is_exact = false;
    if let Some(located) = locate(asset, size, &selector) {
        is_exact = located.is_exact;
        span = located.span;
        let has_bytes = span.is_some_and(|span| span.bytes > 0);
        if is_exact && has_bytes {
            return Ok(Place { selector: Some(located.selector), span, note: None });
        }
        if is_exact && let Some(packed) = located.unpacked {
            let Span { offset, bytes, .. } = packed.place;
            let at = format!("{bytes} bytes at {offset:#x} of {}", packed.name);
            let note = format!("{text} is {at}, which is packed in {}", packed.from);
            return Ok(Place { selector: Some(located.selector), span: Some(packed.span), note: Some(note) });
        }
        around = Some(located.selector);
    }
    if let Some((offset, message)) = problem_at(asset, size, &selector) {
        if let Some(offset) = offset {
            span = Some(Span::new(offset.min(size.saturating_sub(1)), SHOWN));
        }
        return Ok(Place { selector: around, span, note: Some(message) });
    }
    if is_exact {
        return Ok(Place { selector: around, span, note: None });
    }
    if let Some(reason) = unread(asset, size, &selector) {
        return Err(format!("{text} cannot be decoded: {reason}"));
    }
    let mut nearest = String::new();
    if let Some(similar) = similar(asset, text) {
        nearest = format!("; nearest: {similar}");
    }
    Err(match around {
        Some(around) => format!("{text} is no part, array or field; {around} is{nearest}"),
        None => {
            let mut message = format!("{text} is no part, array or field (tree --fields lists them){nearest}");
            if let Some(error) = first_error(asset) {
                message += &format!("; the file has errors: {error}");
            }
            message
        }
    })
}

/// Returns the message of the first problem that is an error, because of which something may not be found.
pub(crate) fn first_error(asset: &Asset<'_>) -> Option<String> {
    let problems = asset.summarize().problems;
    let error = problems.iter().find(|problem| problem.severity == Severity::Error)?;
    Some(with_flag(&error.message, error.code))
}
