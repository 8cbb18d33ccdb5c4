//! The extension of a file's name.

use std::path::{Path, is_separator};

/// Returns true if the name at the end of a path ends in a dot and this extension, in any case, with at least one character
/// before the dot. Faster than [`Path::extension`], which splits the path.
pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    let bytes = name_end(path.as_os_str().as_encoded_bytes());
    let Some(start) = bytes.len().checked_sub(extension.len()) else { return false };
    let Some((before, end)) = bytes.split_at_checked(start) else { return false };
    let [.., last, b'.'] = before else { return false };
    !is_separator((*last).into()) && end.eq_ignore_ascii_case(extension.as_bytes())
}

/// Returns a path without separators and current folders after the last name, as the standard library takes it.
fn name_end(mut path: &[u8]) -> &[u8] {
    loop {
        path = match path {
            [before @ .., last] if is_separator((*last).into()) => before,
            [before @ .., last, b'.'] if is_separator((*last).into()) => before,
            _ => return path,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All names of up to six of these characters.
    #[test]
    fn an_extension_is_that_of_the_standard_library() {
        let characters = ['a', 'X', '.', '/', '\\'];
        for number in 0..6_usize.pow(6) {
            let digits = (0..6).map(|place| number / 6_usize.pow(place) % 6);
            let name: String = digits.filter_map(|digit| characters.get(digit)).collect();
            let path = Path::new(&name);
            for extension in ["a", "x", "aX", "xxa"] {
                let expected = path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension));
                assert_eq!(has_extension(path, extension), expected, "{name} {extension}");
            }
        }
        assert!(!has_extension(Path::new("a.xé"), "x"));
    }
}
