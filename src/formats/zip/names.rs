//! Names in an encoding that the caller knows: archives without the flag for UTF-8 do not say which.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use encoding_rs::Encoding;

use crate::base::amount::Amount;
use crate::base::error::{Error, Result};

/// The most bytes that decoded names and their stored forms take.
const MOST: usize = 64 << 20;

/// The numbers of code pages that the Encoding Standard has under another name.
const CODE_PAGES: &[(&str, &str)] = &[("cp932", "shift_jis"), ("cp936", "gbk"), ("cp949", "euc-kr"), ("cp950", "big5")];

static NAMES: OnceLock<Names> = OnceLock::new();

/// The encoding of names, and the names decoded so far.
struct Names {
    encoding: &'static Encoding,
    decoded: Mutex<Decoded>,
}

/// Names live as long as the program, because members borrow them like those in their archives.
#[derive(Default)]
struct Decoded {
    /// The text of each stored name.
    names: HashMap<&'static [u8], &'static str>,
    /// The bytes that both take.
    bytes: usize,
}

/// Reads names that carry no encoding as this one from now on, in all archives that this program opens: a label of the
/// Encoding Standard, or one of `cp932`, `cp936`, `cp949`, `cp950`. Names of ASCII, names marked as UTF-8 and names
/// with an extra field in UTF-8 stay what they are, and so does what is no text in this encoding.
///
/// Each different name stays in memory until the program ends, up to 64 MiB in all; further names stay as stored.
///
/// # Errors
/// Returns an [`Unsupported`](crate::ErrorKind::Unsupported) error for an unknown encoding, and an error if another one
/// was chosen before.
pub fn read_names_as(label: &str) -> Result<()> {
    let mut standard_label = label.trim();
    for (code_page, name) in CODE_PAGES {
        if standard_label.eq_ignore_ascii_case(code_page) {
            standard_label = name;
        }
    }
    let Some(encoding) = Encoding::for_label(standard_label.as_bytes()) else {
        return Err(Error::unsupported(format!(
            "no encoding is called {label:?}; examples are cp866, cp936, shift_jis"
        )));
    };
    // The first call chooses the encoding for good.
    let names = NAMES.get_or_init(|| Names { encoding, decoded: Mutex::default() });
    if names.encoding != encoding {
        let message = format!("names are read as {} already", names.encoding.name());
        return Err(Error::unsupported(message));
    }
    Ok(())
}

/// Returns the name of the encoding, if one was chosen.
#[cfg(feature = "scan")]
pub(crate) fn encoding() -> Option<&'static str> {
    Some(NAMES.get()?.encoding.name())
}

/// Returns a stored name as text in the chosen encoding. Returns `None` if none was chosen, if the name is no text in
/// it, or if all names together take too much memory. The name then stays as stored.
pub(super) fn decoded(stored: &[u8]) -> Option<&'static str> {
    let names = NAMES.get()?;
    let mut decoded = names.decoded.lock().ok()?;
    if let Some(name) = decoded.names.get(stored) {
        return Some(name);
    }
    let name = names.encoding.decode_without_bom_handling_and_without_replacement(stored)?;
    let bytes = (Amount(decoded.bytes) + stored.len() + name.len()).0;
    if bytes > MOST {
        return None;
    }
    decoded.bytes = bytes;
    let name: &'static str = Box::leak(name.into_owned().into_boxed_str());
    decoded.names.insert(Box::leak(stored.to_vec().into_boxed_slice()), name);
    Some(name)
}
