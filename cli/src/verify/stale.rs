//! Compares the textures that an index lists (`texHeaders.bin`) with those beside it, in its folder or its archive.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use meshpeek::container::{Container, Form, Member};
use meshpeek::paa::{self, TagData};
use meshpeek::scan::Sighting;
use meshpeek::summary::{Code, Problem};
use meshpeek::texheaders::{Color, Index, Texture};
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget, Error};

/// The name of an index, in lower case.
const NAME: &[u8] = b"texheaders.bin";
/// The textures that a message names.
const NAMED: usize = 3;
/// The bytes that hold the tags of a texture, and its palette.
const HEAD: usize = 4096;
/// The most names of files that are kept to find textures in any case.
const MOST_NAMES: usize = 100_000;

/// The result of comparing indices.
#[derive(Default)]
pub(super) struct Compared {
    pub(super) problems: Vec<Problem>,
    /// The number of listed textures that are not there, and so are not compared.
    pub(super) absent: u64,
}

/// Compares the indices of an asset: itself, or those in it if it is an archive.
pub(super) fn check(seen: &Sighting<'_, '_>) -> Compared {
    let mut compared = Compared::default();
    let path = &seen.record.path;
    match seen.asset {
        // An index in an archive is compared when the archive is seen: it does not lead to the members beside it.
        Some(Asset::TexHeaders(index)) if seen.record.member.is_none() && path.is_file() => {
            let mut textures = Textures::InFolder(Folder::of(path));
            compared.add(index, "", &mut textures, seen.budget);
        }
        Some(Asset::Pbo(archive)) if !seen.is_continued => {
            compared.add_archive(&Container::Pbo(*archive), seen.budget);
        }
        Some(Asset::Zip(archive)) if !seen.is_continued => {
            compared.add_archive(&Container::Zip(*archive), seen.budget);
        }
        _ => {}
    }
    compared
}

/// Returns the path of a member in one form: in lower case, with `\` between folders.
fn key(path: &[u8]) -> Vec<u8> {
    let mut key = path.to_ascii_lowercase();
    for byte in &mut key {
        if *byte == b'/' {
            *byte = b'\\';
        }
    }
    key
}

/// The files beside an index.
enum Textures<'t, 'a> {
    InFolder(Folder),
    /// The members of an archive by their key, and the key of the index's folder.
    InArchive {
        folder: Vec<u8>,
        members: &'t HashMap<Vec<u8>, Member<'a>>,
    },
}

impl<'a> Textures<'_, 'a> {
    /// Returns true if there are more files than may be kept, so that some were not found.
    fn are_cut(&self) -> bool {
        match self {
            Self::InFolder(folder) => folder.is_cut,
            Self::InArchive { .. } => false,
        }
    }

    /// Returns the texture with this path, if it is there.
    fn open(&mut self, path: &[u8]) -> Option<Content<'a>> {
        match self {
            Self::InFolder(folder) => folder.open(path),
            Self::InArchive { folder, members } => {
                let member = members.get(&key(&[folder, path].concat()))?;
                let mut content = Content { size: member.decoded_byte_len_hint(), source: None };
                if member.form() == Form::InPlace {
                    content.source = member.borrowed().ok()?.map(Source::Bytes);
                }
                Some(content)
            }
        }
    }
}

impl Compared {
    /// Compares each index in an archive with the members beside it.
    fn add_archive(&mut self, archive: &Container<'_>, budget: &Budget) {
        let mut bytes = 0_u64;
        let mut indices = Vec::new();
        for member in archive.members().flatten() {
            let name = key(member.name().as_bytes());
            bytes = bytes.saturating_add((name.len() + size_of::<(Vec<u8>, Member<'_>)>()) as u64);
            if let Some(folder) = name.strip_suffix(NAME) {
                indices.push((folder.to_vec(), member));
            }
        }
        if indices.is_empty() {
            return;
        }
        let _held = match budget.charge_and_hold(bytes) {
            Ok(held) => held,
            Err(error) => return self.problems.push(Problem::error(&error)),
        };
        let mut members = HashMap::new();
        for member in archive.members().flatten() {
            members.insert(key(member.name().as_bytes()), member);
        }
        for (folder, member) in indices {
            // An index that cannot be read has a record that says so.
            let Ok(data) = member.view(budget) else { continue };
            let Ok(index) = Index::parse(&data) else { continue };
            let mut textures = Textures::InArchive { folder, members: &members };
            self.add(&index, &format!("{}: ", member.name()), &mut textures, budget);
        }
    }

    /// Compares an index with the textures that are there. `name` comes before the message.
    fn add(&mut self, index: &Index<'_>, name: &str, textures: &mut Textures<'_, '_>, budget: &Budget) {
        let mut found = 0_u64;
        let mut differ = 0_u64;
        let mut named = Vec::new();
        // A record that cannot be read ends the list, and is reported by the survey.
        for texture in index.textures().map_while(Result::ok) {
            if let Err(error) = budget.charge_work(HEAD as u64) {
                return self.problems.push(Problem::error(&error));
            }
            // Of 1,980 listed textures of real addons, 105 are not there.
            let Some(content) = textures.open(texture.path.as_bytes()) else {
                self.absent += 1;
                continue;
            };
            found += 1;
            let difference = match difference(&texture, content) {
                Ok(Some(difference)) => difference,
                Ok(None) => continue,
                // The index is not to blame for an error of the system.
                Err(error) => return self.problems.push(Problem::error(&error.into())),
            };
            differ += 1;
            if named.len() < NAMED {
                named.push(format!("{} {difference}", texture.path));
            }
        }
        if textures.are_cut() {
            let error = Error::limit("names of files beside an index", MOST_NAMES as u64, Code::Limit);
            self.problems.push(Problem::error(&error));
        }
        if differ == 0 {
            return;
        }
        let more = if differ > NAMED as u64 { "; ..." } else { "" };
        let verb = if differ == 1 { "is" } else { "are" };
        let list = named.join("; ");
        let message = format!("{name}{differ} of {found} textures {verb} not as the index says: {list}{more}");
        // Names in it may contain anything.
        let message = ByteStr::from(message.as_str()).to_string();
        self.problems.push(Problem::warning(&Error::malformed(message).coded(Code::Stale)));
    }
}

/// Returns how a texture differs from what the index says of it, as words after its path.
fn difference(listed: &Texture<'_>, mut content: Content<'_>) -> io::Result<Option<String>> {
    if content.size != u64::from(listed.file_size) {
        return Ok(Some(format!("has {} bytes, not {}", content.size, listed.file_size)));
    }
    let head = content.read(0, HEAD)?;
    // A texture that is packed or cannot be read is compared by its size alone.
    let Ok(texture) = paa::Texture::parse(&head) else { return Ok(None) };
    if let (Some(kind), Some(said)) = (texture.kind().name(), listed.kind.name())
        && kind != said
    {
        return Ok(Some(format!("is {kind}, not {said}")));
    }
    let tags = Tags::of(&texture);
    if tags.average.is_some_and(|color| color != channels(listed.average_color)) {
        return Ok(Some("has another average color (AVGC)".to_owned()));
    }
    if tags.max.unwrap_or([u8::MAX; 4]) != channels(listed.max_color) {
        return Ok(Some("has another largest color (MAXC)".to_owned()));
    }
    for (number, mip) in listed.mips.iter().enumerate() {
        let address = mip.address.get();
        if let Some(offset) = tags.offsets.get(number)
            && *offset != address
        {
            return Ok(Some(format!("has mip {number} at {offset:#x}, not {address:#x}")));
        }
        let sides = content.read(address.into(), 4)?;
        // Before the sides of palette indices there may be marks.
        let &[w, lzo_and_w, h, high_h] = sides.as_slice() else { continue };
        if texture.kind() == paa::Kind::P8 {
            continue;
        }
        let found = [u16::from_le_bytes([w, lzo_and_w & 0x7f]), u16::from_le_bytes([h, high_h])];
        if found != [mip.width.get(), mip.height.get()] {
            let [width, height] = found;
            return Ok(Some(format!("has mip {number} of {width} x {height}, not {} x {}", mip.width, mip.height)));
        }
    }
    Ok(None)
}

/// The tags of a texture that an index repeats.
#[derive(Default)]
struct Tags {
    average: Option<[u8; 4]>,
    max: Option<[u8; 4]>,
    offsets: Vec<u32>,
}

impl Tags {
    fn of(texture: &paa::Texture<'_>) -> Self {
        let mut tags = Self::default();
        for tag in &texture.tags() {
            match (tag.name.known(), tag.data) {
                (Some("AVGC"), TagData::Color(color)) => tags.average = Some(channels_of_tag(color)),
                (Some("MAXC"), TagData::Color(color)) => tags.max = Some(channels_of_tag(color)),
                (_, TagData::Offsets(offsets)) => tags.offsets = offsets.iter().map(|offset| offset.get()).collect(),
                _ => {}
            }
        }
        tags
    }
}

fn channels(color: &Color) -> [u8; 4] {
    [color.blue, color.green, color.red, color.alpha]
}

fn channels_of_tag(color: &paa::Color) -> [u8; 4] {
    [color.blue, color.green, color.red, color.alpha]
}

/// A texture that is there.
struct Content<'a> {
    size: u64,
    /// `None` for a packed member, whose bytes are not at hand.
    source: Option<Source<'a>>,
}

enum Source<'a> {
    Bytes(&'a [u8]),
    File(File),
}

impl Content<'_> {
    /// Returns bytes from this offset, fewer if it ends before.
    fn read(&mut self, offset: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match &mut self.source {
            None => {}
            Some(Source::Bytes(all)) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = all.get(start..).unwrap_or_default();
                bytes.extend_from_slice(rest.get(..most).unwrap_or(rest));
            }
            Some(Source::File(file)) => {
                file.seek(SeekFrom::Start(offset))?;
                file.take(most as u64).read_to_end(&mut bytes)?;
            }
        }
        Ok(bytes)
    }
}

/// The folder of an index, whose files are found in any case: indices list them in lower case.
struct Folder {
    path: PathBuf,
    /// The names in each folder, by their lower-case form.
    names: HashMap<PathBuf, HashMap<String, PathBuf>>,
    /// The number of names that may still be kept.
    left: usize,
    /// True if there were more.
    is_cut: bool,
}

impl Folder {
    /// The folder of the file with this path.
    fn of(path: &Path) -> Self {
        let path = path.parent().unwrap_or(Path::new("")).to_owned();
        Self { path, names: HashMap::new(), left: MOST_NAMES, is_cut: false }
    }

    /// Opens the file with this path, if there is one below the folder.
    fn open(&mut self, path: &[u8]) -> Option<Content<'static>> {
        let path = str::from_utf8(path).ok()?;
        let mut found = self.path.clone();
        for name in path.split('\\') {
            // An index of strangers must not lead out of its folder.
            if matches!(name, "" | "." | "..") || name.contains(['/', ':', '\0']) {
                return None;
            }
            found = self.names_in(found).get(&name.to_lowercase())?.clone();
            // A link leads out, too.
            if fs::symlink_metadata(&found).ok()?.is_symlink() {
                return None;
            }
        }
        // A pipe would wait.
        if !fs::metadata(&found).ok()?.is_file() {
            return None;
        }
        let file = File::open(&found).ok()?;
        let size = file.metadata().ok()?.len();
        Some(Content { size, source: Some(Source::File(file)) })
    }

    /// Returns the paths in a folder by their lower-case names, as many as may be kept.
    fn names_in(&mut self, folder: PathBuf) -> &HashMap<String, PathBuf> {
        if !self.names.contains_key(&folder) {
            let names = self.list(&folder);
            self.names.insert(folder.clone(), names);
        }
        &self.names[&folder]
    }

    fn list(&mut self, folder: &Path) -> HashMap<String, PathBuf> {
        let mut names = HashMap::new();
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // What cannot be listed has no textures.
        let Ok(entries) = fs::read_dir(folder) else { return names };
        for entry in entries.flatten() {
            if self.left == 0 {
                self.is_cut = true;
                break;
            }
            self.left -= 1;
            if let Some(name) = entry.file_name().to_str() {
                names.insert(name.to_lowercase(), entry.path());
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_texture_is_a_file_below_the_folder_in_any_case() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["d/Sub/deep", "out"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for file in ["d/A_co.PAA", "d/Sub/b.paa", "d/Sub/deep/c.paa", "out/x.paa", "d/texHeaders.bin"] {
            fs::write(root.path().join(file), file).unwrap();
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../out", root.path().join("d/link")).unwrap();
            std::os::unix::fs::symlink("A_co.PAA", root.path().join("d/same.paa")).unwrap();
        }
        for (path, expected) in [
            ("a_co.paa", Some("d/A_co.PAA")),
            ("A_CO.Paa", Some("d/A_co.PAA")),
            (r"sub\b.paa", Some("d/Sub/b.paa")),
            (r"SUB\Deep\c.paa", Some("d/Sub/deep/c.paa")),
            ("sub", None),
            ("", None),
            (".", None),
            (r".\a_co.paa", None),
            (r"sub\..\a_co.paa", None),
            (r"..\out\x.paa", None),
            (r"\a_co.paa", None),
            (r"sub\\b.paa", None),
            (r"sub\", None),
            ("sub/b.paa", None),
            ("c:a_co.paa", None),
            ("a_co.paa\0", None),
            ("b.paa", None),
            (r"a_co.paa\a_co.paa", None),
            (r"link\x.paa", None),
            ("same.paa", None),
        ] {
            let mut folder = Folder::of(&root.path().join("d/texHeaders.bin"));
            let found = folder.open(path.as_bytes()).map(|mut content| {
                let bytes = content.read(0, HEAD).unwrap();
                assert_eq!(content.size, bytes.len() as u64, "{path}");
                String::from_utf8(bytes).unwrap()
            });
            assert_eq!(found.as_deref(), expected, "{path:?}");
        }
        assert!(Folder::of(&root.path().join("d/texHeaders.bin")).open(b"\xff.paa").is_none());
    }

    #[test]
    fn as_many_names_as_the_limit_are_kept() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("sub")).unwrap();
        for number in 0..4 {
            fs::write(root.path().join(format!("{number}.paa")), "").unwrap();
            fs::write(root.path().join(format!("sub/{number}.paa")), "").unwrap();
        }
        for left in 0..12 {
            let mut folder = Folder::of(&root.path().join("texHeaders.bin"));
            assert_eq!(folder.left, 100_000);
            folder.left = left;
            folder.open(b"0.paa");
            // One folder and four files.
            assert_eq!((folder.is_cut, folder.left), (left < 5, left.saturating_sub(5)), "{left}");
            assert_eq!(Textures::InFolder(folder).are_cut(), left < 5, "{left}");
            let mut folder = Folder::of(&root.path().join("texHeaders.bin"));
            folder.left = left;
            // A folder is listed once.
            for _ in 0..3 {
                let is_found = folder.open(br"sub\3.paa").is_some();
                assert!(is_found || left < 9, "{left}");
            }
            assert!(folder.is_cut || left >= 9, "{left}");
        }
    }

    #[test]
    fn bytes_are_read_from_an_offset_up_to_the_end() {
        let bytes: Vec<u8> = (0..100).collect();
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.paa");
        fs::write(&path, &bytes).unwrap();
        for offset in [0, 1, 50, 96, 97, 99, 100, 101, u64::from(u32::MAX)] {
            for most in [0, 1, 4, 100, 4096] {
                let expected: Vec<u8> =
                    bytes.iter().copied().skip(usize::try_from(offset).unwrap()).take(most).collect();
                let sources = [Some(Source::Bytes(&bytes)), Some(Source::File(File::open(&path).unwrap())), None];
                for (number, source) in sources.into_iter().enumerate() {
                    let mut content = Content { size: 100, source };
                    let expected = if number == 2 { &[][..] } else { &expected };
                    assert_eq!(content.read(offset, most).unwrap(), expected, "{number} {offset} {most}");
                }
            }
        }
    }

    #[test]
    fn paths_of_members_are_compared_in_lower_case_with_backslashes() {
        for (path, expected) in [("A/b\\C.PAA", r"a\b\c.paa"), ("", ""), ("\u{c4}/x", "\u{c4}\\x"), ("//", r"\\")] {
            assert_eq!(key(path.as_bytes()), expected.as_bytes(), "{path:?}");
        }
    }
}
