//! Temporary files without a name: the system removes them when the program ends, in whatever way.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::limits::reached;
use crate::output_file::without_path;
use crate::visible::shown;

/// The variable that names the folder of temporary files.
const VARIABLE: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// The bytes that temporary files may take, all together: `--max-temporary`. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space(Arc<State>);

#[derive(Debug, Default)]
struct State {
    most: OnceLock<u64>,
    taken: AtomicU64,
}

impl Space {
    /// Sets how many bytes may be taken.
    pub(crate) fn limit(&self, most: u64) {
        self.0.most.get_or_init(|| most);
    }

    pub(crate) fn take(&self, bytes: u64) -> io::Result<()> {
        let limit = self.0.most.get().copied().unwrap_or(0);
        if self.0.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > limit {
            let what = "bytes of temporary files";
            return Err(reached(what, limit, "--max-temporary"));
        }
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        self.0.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A file that is written once, from the start to the end, and then read.
pub(crate) struct Temporary {
    file: Arc<File>,
    pub(crate) end: u64,
    /// The bytes that were taken for it.
    taken: u64,
    space: Space,
}

impl Temporary {
    pub(crate) fn new(space: &Space) -> io::Result<Self> {
        let file = tempfile::tempfile().map_err(failed)?;
        Ok(Self { file: Arc::new(file), end: 0, taken: 0, space: space.clone() })
    }

    pub(crate) fn section(&self, start: u64, end: u64) -> Section {
        Section { file: self.file.clone(), start, end }
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.taken += bytes.len() as u64;
        self.space.take(bytes.len() as u64)?;
        let written = (&*self.file).write(bytes).map_err(failed)?;
        self.end += written as u64;
        let unwritten = (bytes.len() - written) as u64;
        self.space.give_back(unwritten);
        self.taken -= unwritten;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.space.give_back(self.taken);
    }
}

/// A part of a file.
pub(crate) struct Section {
    file: Arc<File>,
    start: u64,
    end: u64,
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.start).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(self.start)).map_err(failed)?;
        let read = file.read(&mut buffer[..most]).map_err(failed)?;
        self.start += read as u64;
        Ok(read)
    }
}

/// Names the folder and the variable that selects another.
fn failed(error: io::Error) -> io::Error {
    let cause = without_path(error);
    let folder = shown(&std::env::temp_dir());
    let message = format!("{folder}: a temporary file for results: {cause}; {VARIABLE} names another folder");
    io::Error::new(cause.kind(), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(most: u64) -> Space {
        let space = Space::default();
        space.limit(most);
        space
    }

    #[test]
    fn files_together_take_what_is_allowed_and_give_it_back() {
        for most in [0, 1, 10, 4_096] {
            // Clones share it, and only the first limit counts.
            let space = space(most);
            let other = space.clone();
            other.limit(u64::MAX);
            for first in [0, most / 2, most] {
                let mut one = Temporary::new(&space).unwrap();
                let mut two = Temporary::new(&other).unwrap();
                one.write_all(&vec![1; first as usize]).unwrap();
                two.write_all(&vec![2; (most - first) as usize]).unwrap();
                assert_eq!((one.end, two.end), (first, most - first));
                let error = two.write_all(&[2]).unwrap_err().to_string();
                let said = format!("more than {most} bytes of temporary files, the limit set for reading; ");
                assert!(error.starts_with(&said) && error.contains("--max-temporary"), "{error}");
                // The bytes of the first can be used again, those of the second not yet.
                drop(one);
                let mut three = Temporary::new(&space).unwrap();
                assert!(three.write_all(&vec![3; first as usize + 1]).is_err(), "{first} of {most}");
                drop(three);
                drop(two);
            }
            assert_eq!(space.0.taken.load(Ordering::Relaxed), 0, "{most}");
        }
        // Nobody has set a limit.
        assert!(Temporary::new(&Space::default()).unwrap().write_all(&[0]).is_err());
    }

    #[test]
    fn errors_name_the_folder_and_the_variable_for_another() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied] {
            for text in ["cause", "cause at path \"/tmp/.tmpx\""] {
                let found = failed(io::Error::new(kind, text));
                let folder = shown(&std::env::temp_dir());
                let expected =
                    format!("{folder}: a temporary file for results: cause; {VARIABLE} names another folder");
                assert_eq!((found.kind(), found.to_string()), (kind, expected));
            }
        }
    }

    #[test]
    fn sections_are_read_beside_each_other() {
        let mut file = Temporary::new(&space(u64::MAX)).unwrap();
        let bytes: Vec<u8> = (0..=255).collect();
        bytes.chunks(100).for_each(|part| file.write_all(part).unwrap());
        for (start, end) in [(0, 0), (0, 1), (0, 256), (255, 256), (256, 256), (3, 100), (99, 201)] {
            let expected = &bytes[start as usize..end as usize];
            for step in [1, 7, 100, 300] {
                let mut sections = [file.section(start, end), file.section(start, end)];
                let mut read = [Vec::new(), Vec::new()];
                let mut buffer = vec![0; step];
                // By turns, until both are at their ends.
                for _ in 0..=bytes.len() {
                    for (section, read) in sections.iter_mut().zip(&mut read) {
                        let count = section.read(&mut buffer).unwrap();
                        read.extend_from_slice(&buffer[..count]);
                    }
                }
                assert!(read.iter().all(|read| read == expected), "{start} {end} {step}");
            }
        }
    }
}
