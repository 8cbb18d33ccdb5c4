//! Finds the images that a model uses: in the model, next to its file, or next to it in its archive.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use meshpeek::address::{Address, open_checked_member};
use meshpeek::geometry::Texture;
use meshpeek::inspect::Text;
use meshpeek::summary::Name;
use meshpeek::{Access, Asset, Error, FileMap, Limits};

use super::room::Room;
use super::texture;
use crate::args::Common;
use crate::notes::Notes;

/// The most images to search for. Real models have dozens.
const MOST_IMAGES: usize = 1000;
/// The cost of comparing the name of an image, in bytes of work.
const LOOK_WORK: u64 = 64;
/// The most files of a folder to examine for a name in another case.
const MOST_ENTRIES: usize = 10_000;

/// Finds images, each once.
pub(crate) struct Images<'a> {
    asset: &'a Asset<'a>,
    around: Around<'a>,
    limits: Limits,
    /// Reports images that are left out.
    notes: Option<Notes>,
    found: HashMap<String, Option<Bytes>>,
    /// The files next to the model, by lower-case name. Read when an image is not found by its exact name.
    beside: Option<HashMap<String, PathBuf>>,
}

type Bytes = Box<dyn AsRef<[u8]>>;

/// The surroundings of the model.
enum Around<'a> {
    Nothing,
    Folder(PathBuf),
    /// The outer file, its bytes, and the path of the model in it.
    Archive(&'a Path, &'a [u8], &'a [u8]),
}

impl<'a> Images<'a> {
    /// Creates a finder for the asset at an address.
    pub(crate) fn of(asset: &'a Asset<'a>, address: &'a Address, outer: &'a [u8], common: &Common) -> Self {
        let around = match &address.member {
            Some(member) => Around::Archive(&address.file, outer, member),
            None if address.is_stdin() => Around::Nothing,
            None => folder(&address.file),
        };
        Self::new(asset, around, common.limits.limits(), Some(Notes::new(common)))
    }

    /// Creates a finder for an asset that a scan has open. For a member of an archive, it finds only images in the
    /// model itself.
    pub(crate) fn seen(asset: &'a Asset<'a>, file: Option<&Path>, limits: &Limits) -> Self {
        Self::new(asset, file.map_or(Around::Nothing, folder), *limits, None)
    }

    fn new(asset: &'a Asset<'a>, around: Around<'a>, limits: Limits, notes: Option<Notes>) -> Self {
        Self { asset, around, limits, notes, found: HashMap::new(), beside: None }
    }

    /// Reports that an image is left out because it is too large.
    pub(super) fn leave_out(&self, name: &str) {
        if let Some(notes) = self.notes {
            notes.say(format_args!("{name}: image left out: too large for the limits set for reading"));
        }
    }

    /// The bytes of an image, unchanged. `None` if it is not available, or exceeds the limits.
    pub(crate) fn find(&mut self, texture: &Texture<'_>, room: &Room<'_>) -> Option<&[u8]> {
        let name = Name::from(texture.name).text;
        if !self.found.contains_key(&name) {
            if self.found.len() >= MOST_IMAGES {
                return None;
            }
            let bytes = self.inside(texture, room).map(|bytes| Box::new(bytes) as Bytes);
            let bytes = bytes.or_else(|| self.outside(&name, room));
            let bytes = bytes.or_else(|| self.outside(&texture::stored_name(&name)?, room));
            self.found.insert(name.clone(), bytes);
        }
        Some(self.found.get(&name)?.as_ref()?.as_ref().as_ref())
    }

    fn inside(&self, texture: &Texture<'_>, room: &Room<'_>) -> Option<Vec<u8>> {
        match self.asset {
            Asset::Bmx(map) => {
                let image = map.textures().ok()?.get(texture.index?).ok()??.image()?;
                let bytes = image.decoded_byte_len_hint();
                if !room.affords(bytes, 0, bytes) {
                    self.leave_out(&Name::from(texture.name).text);
                    return None;
                }
                room.kept(bytes).ok()?;
                Some(image.decode().ok()?.into_owned())
            }
            Asset::Lodka(model) => {
                let Text::Bytes(name) = texture.name else { return None };
                let lists = model.parts().flatten().filter_map(|part| part.textures().ok()?);
                for one in lists.flat_map(|list| list.textures().flatten().collect::<Vec<_>>()) {
                    room.work(LOOK_WORK).ok()?;
                    if one.file_name.as_bytes().eq_ignore_ascii_case(name.as_bytes()) {
                        let data = one.data.as_bytes();
                        if !room.affords(data.len() as u64, 0, data.len() as u64) {
                            self.leave_out(&Name::from(texture.name).text);
                            return None;
                        }
                        room.kept(data.len() as u64).ok()?;
                        return Some(data.to_vec());
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// The file of this name. Only the last component is used: paths in a model are never followed.
    fn outside(&mut self, full_name: &str, room: &Room<'_>) -> Option<Bytes> {
        let name = file_name(full_name);
        if name.is_empty() || name == "." || name == ".." {
            return None;
        }
        let mut is_too_large = false;
        let found = match &self.around {
            Around::Nothing => None,
            Around::Folder(folder) => {
                let path = folder.join(name);
                let path = if path.is_file() { path } else { self.same_but_for_case(name)? };
                // Always copy: decoders do not support bytes that change.
                let file = FileMap::open_checked(path, Access::READ, &self.limits, |bytes| {
                    // Its own bytes count as read, so the budget always covers them.
                    is_too_large = !room.affords(0, 0, bytes);
                    if is_too_large {
                        return Err(too_large());
                    }
                    room.budget().add_bytes(bytes);
                    room.kept(bytes)
                });
                file.ok().map(|file| Box::new(file) as Bytes)
            }
            Around::Archive(file, outer, member) => {
                let slash = member.iter().rposition(|&byte| byte == b'/' || byte == b'\\');
                let sibling = [&member[..slash.map_or(0, |slash| slash + 1)], name.as_bytes()].concat();
                let mut check = |bytes: u64| {
                    is_too_large = !room.affords(bytes.saturating_mul(2), 0, bytes.saturating_mul(2));
                    if is_too_large { Err(too_large()) } else { Ok(()) }
                };
                let opened = open_checked_member(file, outer, Some(&sibling), room.budget(), &mut check);
                let content = opened.and_then(|opened| opened.content).ok();
                content.and_then(|content| {
                    room.kept(content.len() as u64).ok()?;
                    Some(Box::new(content.to_vec()) as Bytes)
                })
            }
        };
        if is_too_large {
            self.leave_out(full_name);
        }
        found
    }

    fn same_but_for_case(&mut self, name: &str) -> Option<PathBuf> {
        let Around::Folder(folder) = &self.around else { return None };
        let beside = self.beside.get_or_insert_with(|| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
            entries.filter_map(|entry| Some((entry.file_name().to_str()?.to_lowercase(), entry.path()))).collect()
        });
        beside.get(&name.to_lowercase()).filter(|path| path.is_file()).cloned()
    }
}

fn too_large() -> Error {
    Error::unsupported("too large an image")
}

fn folder<'a>(file: &Path) -> Around<'a> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Around::Folder(folder.to_owned())
}

/// The part after the last slash of either kind.
fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\', ':']).next().unwrap_or(name)
}

/// The media type that some bytes start like, if glTF supports it.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => None,
    }
}
