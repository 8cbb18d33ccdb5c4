//! The images that a model asks for, where they are at hand: in the model, beside its file, or beside it in its archive.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use meshpeek::address::{Address, open_member};
use meshpeek::geometry::Texture;
use meshpeek::inspect::Text;
use meshpeek::summary::Name;
use meshpeek::{Access, Asset, FileMap, Limits};

use super::room::Room;
use crate::args::Common;
use crate::input;

/// The most images that are looked for; real models have dozens.
const MOST_IMAGES: usize = 1000;
/// What comparing the name of an image costs, in bytes of work.
const LOOK_WORK: u64 = 64;
/// The most files of a folder that are looked at for one of another case.
const MOST_ENTRIES: usize = 10_000;

/// Finds images, each once.
pub(crate) struct Images<'a> {
    asset: &'a Asset<'a>,
    around: Around<'a>,
    access: Access,
    limits: Limits,
    found: HashMap<String, Option<Vec<u8>>>,
    /// What is beside the model, by names in lower case; read when one is missing by its own name.
    beside: Option<HashMap<String, PathBuf>>,
}

/// What lies around the model.
enum Around<'a> {
    Nothing,
    Folder(PathBuf),
    /// The outer file, its bytes, and the way to the model in it.
    Archive(&'a Path, &'a [u8], &'a [u8]),
}

impl<'a> Images<'a> {
    /// For the asset that an address leads to.
    pub(crate) fn of(asset: &'a Asset<'a>, address: &'a Address, outer: &'a [u8], common: &Common) -> Self {
        let around = match &address.member {
            Some(member) => Around::Archive(&address.file, outer, member),
            None if address.is_stdin() => Around::Nothing,
            None => folder(&address.file),
        };
        Self::new(asset, around, input::access(common), common.limits.limits())
    }

    /// For an asset that a scan has open: of a member of an archive, only images in the model itself.
    pub(crate) fn seen(asset: &'a Asset<'a>, file: Option<&Path>, access: Access, limits: &Limits) -> Self {
        Self::new(asset, file.map_or(Around::Nothing, folder), access, *limits)
    }

    fn new(asset: &'a Asset<'a>, around: Around<'a>, access: Access, limits: Limits) -> Self {
        Self { asset, around, access, limits, found: HashMap::new(), beside: None }
    }

    /// The bytes of an image as they are; `None` where it is not at hand, or larger than the limits allow.
    pub(crate) fn find(&mut self, texture: &Texture<'_>, room: &Room<'_>) -> Option<&[u8]> {
        let name = Name::from(texture.name).text;
        if !self.found.contains_key(&name) {
            if self.found.len() >= MOST_IMAGES {
                return None;
            }
            let bytes = self.inside(texture, room).or_else(|| self.outside(file_name(&name), room));
            self.found.insert(name.clone(), bytes);
        }
        self.found.get(&name)?.as_deref()
    }

    fn inside(&self, texture: &Texture<'_>, room: &Room<'_>) -> Option<Vec<u8>> {
        match self.asset {
            Asset::Bmx(map) => {
                let image = map.textures().ok()?.get(texture.index?).ok()??.image()?;
                room.kept(image.decoded_byte_len_hint()).ok()?;
                Some(image.decode().ok()?.into_owned())
            }
            Asset::Lodka(model) => {
                let Text::Bytes(name) = texture.name else { return None };
                let lists = model.parts().flatten().filter_map(|part| part.textures().ok()?);
                for one in lists.flat_map(|list| list.textures().flatten().collect::<Vec<_>>()) {
                    room.work(LOOK_WORK).ok()?;
                    if one.file_name.as_bytes().eq_ignore_ascii_case(name.as_bytes()) {
                        return copy(one.data.as_bytes(), room);
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// The file of this name, which is no path: what a model says is never gone after.
    fn outside(&mut self, name: &str, room: &Room<'_>) -> Option<Vec<u8>> {
        if name.is_empty() || name == "." || name == ".." {
            return None;
        }
        match &self.around {
            Around::Nothing => None,
            Around::Folder(folder) => {
                let path = folder.join(name);
                let path = if path.is_file() { path } else { self.same_but_for_case(name)? };
                copy(&FileMap::open_with(&path, self.access, &self.limits).ok()?, room)
            }
            Around::Archive(file, outer, member) => {
                let slash = member.iter().rposition(|&byte| byte == b'/' || byte == b'\\');
                let sibling = [&member[..slash.map_or(0, |slash| slash + 1)], name.as_bytes()].concat();
                copy(&open_member(file, outer, Some(&sibling), room.budget()).ok()?.content.ok()?, room)
            }
        }
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

fn copy(bytes: &[u8], room: &Room<'_>) -> Option<Vec<u8>> {
    room.kept(bytes.len() as u64).ok()?;
    Some(bytes.to_vec())
}

fn folder<'a>(file: &Path) -> Around<'a> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Around::Folder(folder.to_owned())
}

/// What is behind the last slash of either kind.
fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\', ':']).next().unwrap_or(name)
}

/// What kind of image some bytes start like, of those that glTF takes.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => None,
    }
}
