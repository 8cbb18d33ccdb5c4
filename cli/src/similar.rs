//! The selector that somebody may have meant.

use meshpeek::address;
use meshpeek::inspect::{Inspect, Selector, selector};
use meshpeek::view::ByteStr;

/// Returns a similar selector that leads to something, for one that does not.
pub(crate) fn similar(asset: &dyn Inspect, text: &str) -> Option<String> {
    if let Some(found) = with_sign(asset, text) {
        return Some(found);
    }
    if let Some(found) = with_other_name(asset, text) {
        return Some(found);
    }
    selector::nearest(asset, text)
}

/// The selector with `@` before one of its steps, if that leads to an array.
fn with_sign(asset: &dyn Inspect, text: &str) -> Option<String> {
    for (place, _) in text.match_indices('/').take(8) {
        let (before, after) = text.split_at(place.saturating_add(1));
        let signed = format!("{before}@{after}");
        let Ok(selector) = signed.parse::<Selector>() else { continue };
        if let Ok(true) = selector.find(asset, &mut |_| {}) {
            return Some(signed);
        }
    }
    None
}

/// The selector with a similar name in place of the first one that no item has.
fn with_other_name(asset: &dyn Inspect, text: &str) -> Option<String> {
    for (place, _) in text.match_indices("/@") {
        let (list, rest) = text.split_at(place);
        let wanted = rest.strip_prefix("/@").unwrap_or(rest).split('/').next().unwrap_or_default();
        let until = text.get(..place.saturating_add(2).saturating_add(wanted.len()))?;
        if is_there(asset, until) {
            continue;
        }
        let names = selector::names(asset, list);
        let known = names.iter().map(|name| ByteStr::from(name.as_str()));
        let nearest = address::nearest(known, wanted.as_bytes());
        let other = format!("{list}/@{}", nearest.first()?);
        // Names with special characters are written in another way.
        if !is_there(asset, &other) {
            return None;
        }
        let after = text.get(until.len()..).unwrap_or_default();
        return Some(format!("{other}{after}"));
    }
    None
}

fn is_there(asset: &dyn Inspect, text: &str) -> bool {
    match text.parse::<Selector>() {
        Ok(selector) => selector.numbered(asset).is_some(),
        Err(_) => false,
    }
}
