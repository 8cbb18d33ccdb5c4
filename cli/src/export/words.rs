//! Messages that name images.

use std::path::Path;

use super::decode::Unusable;
use super::images::{GivenImage, Images};
use crate::report::count;
use crate::visible::shown;

/// How many names a message has.
const MOST_NAMES: usize = 20;

/// Says how many images were found by their file names alone. The game does not find them.
pub(crate) fn by_name_alone(images: u64) -> Option<String> {
    if images == 0 {
        return None;
    }
    let images = count(images, "images");
    Some(format!("{images} found by file name alone; refs says that they are missing"))
}

/// Says why surfaces are plain, and how to change that.
pub(super) fn without_images(images: &Images<'_, '_>, is_texture_given: bool) -> Option<String> {
    if images.are_unused() && !is_texture_given {
        return Some("no surface names an image; --texture FILE gives one".to_owned());
    }
    let missing = images.missing();
    if missing.is_empty() {
        return None;
    }
    let count = count(missing.len() as u64, "images");
    let names = listed(&missing);
    Some(format!("{count} not available: {names}; --textures DIR searches a folder, --texture NAME=FILE gives one"))
}

/// Says which images are there and not in the result: a message for each reason.
pub(super) fn lost_images(images: &Images<'_, '_>) -> Vec<String> {
    let mut messages = Vec::new();
    for why in Unusable::ALL {
        let mut names = Vec::new();
        for (name, of_this) in images.lost() {
            if *of_this == why {
                names.push(name.as_str());
            }
        }
        if !names.is_empty() {
            messages.push(format!("{} {why}: {}", count(names.len() as u64, "images"), listed(&names)));
        }
    }
    if let Some(most) = images.most_searched() {
        messages.push(format!("only the first {most} images are searched for"));
    }
    messages
}

/// Says which of the images that the user gives are on no surface, and which names there are.
pub(super) fn given_in_vain(images: &Images<'_, '_>, shows_images: bool) -> Vec<String> {
    let asked = images.asked();
    let mut messages = Vec::new();
    for GivenImage { name, file, .. } in images.given_in_vain() {
        let is_for_a_name = Path::new(name) != file;
        let name = if is_for_a_name { format!("{name}={}", shown(file)) } else { shown(file) };
        let why = match asked.as_slice() {
            _ if !shows_images => "this output shows no images".to_owned(),
            [] => "no surface shows an image".to_owned(),
            names if is_for_a_name => format!("the images of the surfaces are {}", listed(names)),
            _ => "no surface needs it".to_owned(),
        };
        messages.push(format!("--texture {name} has no effect: {why}"));
    }
    messages
}

/// The first names of a list, and the number of the others.
pub(super) fn listed(names: &[&str]) -> String {
    let mut first = names.get(..MOST_NAMES).unwrap_or(names).join(", ");
    if names.len() > MOST_NAMES {
        first += &format!(" and {} more", names.len() - MOST_NAMES);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_the_first_20_names_and_counts_the_others() {
        for count in 0..45 {
            let names: Vec<String> = (0..count).map(|number| format!("n{number}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let text = listed(&names);
            let (first, more) = text.split_once(" and ").unwrap_or((&text, ""));
            let first: Vec<&str> = first.split(", ").filter(|name| !name.is_empty()).collect();
            assert_eq!(first, names.iter().copied().take(20).collect::<Vec<_>>(), "{text}");
            assert_eq!(more, if count > 20 { format!("{} more", count - 20) } else { String::new() }, "{text}");
        }
    }

    #[test]
    fn images_found_by_name_alone_are_said_if_there_are_any() {
        let rest = "found by file name alone; refs says that they are missing";
        for (images, said) in [(0, None), (1, Some("1 image")), (2, Some("2 images")), (1000, Some("1,000 images"))] {
            assert_eq!(by_name_alone(images), said.map(|said| format!("{said} {rest}")));
        }
    }
}
