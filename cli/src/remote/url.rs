//! Which paths are URLs.

use std::path::Path;

use meshpeek::{Error, Result};

/// The beginnings of URLs that name files.
const SCHEMES: [&str; 8] = ["s3://", "s3a://", "gs://", "az://", "azure://", "abfs://", "http://", "https://"];

/// Returns true if this path is a URL. No path of a file system needs two slashes after a colon.
pub(crate) fn is_url(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    for scheme in SCHEMES {
        if let Some(start) = bytes.get(..scheme.len())
            && start.eq_ignore_ascii_case(scheme.as_bytes())
        {
            return true;
        }
    }
    false
}

/// Returns the path, or an error if it is a URL and the program was built without them.
pub(crate) fn openable<P: AsRef<Path>>(path: P) -> Result<P> {
    if cfg!(feature = "remote") || !is_url(path.as_ref()) {
        return Ok(path);
    }
    let error = std::io::Error::other("a URL, but this program was built without the feature remote");
    Err(Error::from(error).in_file(path.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::is_url;

    #[test]
    fn every_scheme_begins_a_url_in_any_case() {
        for scheme in ["s3", "s3a", "gs", "az", "azure", "abfs", "http", "https"] {
            let (first, rest) = scheme.split_at(1);
            for scheme in [scheme.to_owned(), scheme.to_uppercase(), first.to_uppercase() + rest] {
                for rest in ["", "h", "h/x", "/"] {
                    assert!(is_url(format!("{scheme}://{rest}").as_ref()), "{scheme} {rest}");
                }
                for path in ["", ":", ":/", ":/h", "//h", ".://h", "x://h", " ://h"] {
                    assert!(!is_url(format!("{scheme}{path}").as_ref()), "{scheme}{path}");
                }
                for before in ["./", "x", " ", "/"] {
                    assert!(!is_url(format!("{before}{scheme}://h").as_ref()), "{before}{scheme}");
                }
            }
        }
        for other in ["ftp", "file", "abfss", "s3b", "gcs", "wasb", "git", ""] {
            assert!(!is_url(format!("{other}://h/x").as_ref()), "{other}");
        }
    }

    #[test]
    fn urls_are_distinguished_from_paths() {
        for url in ["s3://b/k", "S3://b", "https://h/x.pbo!/a.p3d", "gs://b/k", "az://c/k"] {
            assert!(is_url(url.as_ref()), "{url}");
        }
        for path in ["s3:/b", "a/s3://b", "C:\\x", "file.pbo", "s3:", "ftp://h/x"] {
            assert!(!is_url(path.as_ref()), "{path}");
        }
    }
}
