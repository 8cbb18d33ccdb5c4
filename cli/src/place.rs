//! Finds the target of a selector, in an asset or in bytes that do not open.

use std::ops::Range;
use std::process::ExitCode;

use meshpeek::dissect::{Located, Sink, dissect_unread, dissect_until, locate, problem_at, unread};
use meshpeek::inspect::{Selector, Span};
use meshpeek::{Asset, Error};

use crate::args::Common;
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
    let place = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
    content.get(place(range.start)..place(range.end)).unwrap_or_default()
}

/// Reports why the bytes are not an asset, and returns the status of a verb that has shown them.
pub(crate) fn status(asset: &Opened<'_>, common: &Common) -> ExitCode {
    let Err(error) = asset else { return ExitCode::SUCCESS };
    Notes::new(common).error(error);
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
        Err(error) => {
            let same = |path: &Selector| text.parse::<Selector>().is_ok_and(|text| text == *path);
            let is_its = error.location().parse::<Selector>().is_ok_and(|path| same(&path));
            let span =
                error.offset().filter(|_| is_its).map(|offset| Span { offset, bytes: size.saturating_sub(offset) });
            span.map(|span| Place { selector: None, span: Some(span), note: None }).ok_or_else(|| error.message())
        }
    }
}

/// The part, array, row or field. The path of a problem leads to its location, even if nothing of that name exists
/// there.
pub(crate) fn find(asset: &Asset<'_>, size: u64, text: &str) -> Result<Place, String> {
    let selector = text.parse::<Selector>().map_err(|error| error.message())?;
    let located = locate(asset, size, &selector);
    let is_exact = located.as_ref().is_some_and(|located| located.is_exact);
    let has_bytes = |located: &&Located| located.is_exact && located.span.is_some_and(|span| span.bytes > 0);
    if let Some(Located { selector, span, .. }) = located.as_ref().filter(has_bytes) {
        return Ok(Place { selector: Some(selector.clone()), span: *span, note: None });
    }
    if let Some(packed) = located.as_ref().and_then(|located| located.unpacked.as_ref()).filter(|_| is_exact) {
        let Span { offset, bytes } = packed.place;
        let (name, from) = (&packed.name, &packed.from);
        let note = format!("{text} is {bytes} bytes at {offset:#x} of {name}, which is packed in {from}");
        let selector = located.as_ref().map(|located| located.selector.clone());
        return Ok(Place { selector, span: Some(packed.span), note: Some(note) });
    }
    let (around, span) = located.map(|located| (located.selector, located.span)).unzip();
    if let Some((offset, message)) = problem_at(asset, size, &selector) {
        let at = offset.map(|offset| Span { offset: offset.min(size.saturating_sub(1)), bytes: SHOWN });
        return Ok(Place { selector: around, span: at.or(span.flatten()), note: Some(message) });
    }
    if is_exact {
        return Ok(Place { selector: around, span: span.flatten(), note: None });
    }
    if let Some(reason) = unread(asset, size, &selector) {
        return Err(format!("{text} cannot be decoded: {reason}"));
    }
    let nearest = similar(asset, text).map(|nearest| format!("; nearest: {nearest}")).unwrap_or_default();
    Err(match around {
        Some(around) => format!("{text} is no part, array or field; {around} is{nearest}"),
        None => format!("{text} is no part, array or field (tree --fields lists them){nearest}"),
    })
}
