//! Describes a Ballance map in words.

use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

use meshpeek::bmx::{Map, Material, Mesh, Object, Placed, Texture};

use super::{FAINT, LONGEST_LINE, LONGEST_LIST, count, link, mentioned, more, numbers, or_unnamed, section, shown};

/// The most objects to read; real maps have a hundredth. Also the most groups of one object; real objects have a few.
const MOST_OBJECTS: usize = 500_000;
const MOST_GROUPS: usize = 1_000;

/// The heading of objects without a group.
const NO_GROUP: &str = "(in no group)";

pub(super) fn write(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    objects(map, out)?;
    meshes(map, out)?;
    materials(map, out)?;
    let textures = map.textures().into_iter().flat_map(|all| all.iter()).flatten();
    section(out, "Textures", textures, |out, texture: Placed<'_, Texture<'_>>| {
        let kept = match (texture.is_external.is_set(), texture.image()) {
            (true, _) => "the game's own".to_owned(),
            (false, Some(image)) => format!("embedded, {}", count(image.decoded_byte_len_hint(), "bytes")),
            (false, None) => "embedded, but missing".to_owned(),
        };
        writeln!(out, "  {}  {}  {FAINT}{kept}{FAINT:#}", texture.index, shown(texture.file_name))
    })
}

/// The objects of a group by index. An object may be in thousands of groups, so its text is built when it is shown.
#[derive(Default)]
struct Group {
    shown: Vec<usize>,
    hidden: usize,
    last: Option<usize>,
}

impl Group {
    /// An object that names its group twice is added once.
    fn add(&mut self, index: usize) {
        if self.last.replace(index) == Some(index) {
            return;
        }
        if self.shown.len() < LONGEST_LIST {
            self.shown.push(index);
        } else {
            self.hidden += 1;
        }
    }
}

/// Components by kind, other objects by group.
fn objects(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let mut components: BTreeMap<u32, (u64, Vec<String>)> = BTreeMap::new();
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for object in map.objects().into_iter().flat_map(|all| all.walk()).flatten().take(MOST_OBJECTS) {
        if let Some(component) = object.component() {
            let (number, names) = components.entry(component.0).or_default();
            *number += 1;
            if names.len() < LONGEST_LINE {
                names.push(mentioned(object.entry.name));
            }
            continue;
        }
        let mut grouped = false;
        for group in object.groups.iter().flatten().take(MOST_GROUPS) {
            grouped = true;
            groups.entry(or_unnamed(group)).or_default().add(object.index);
        }
        if !grouped {
            groups.entry(NO_GROUP.to_owned()).or_default().add(object.index);
        }
    }
    // An object with many groups is large, so it is read once for all of them.
    let mut known: HashMap<usize, String> = HashMap::new();
    section(out, "Objects by group", &groups, |out, (name, group)| {
        writeln!(out, "  {name}")?;
        for index in &group.shown {
            let line = known.entry(*index).or_insert_with(|| object_at(map, *index));
            writeln!(out, "    {line}")?;
        }
        more(out, group.hidden)
    })?;
    section(out, "Components by kind", &components, |out, (component, (number, names))| {
        let kind = meshpeek::bmx::Component(*component).name().unwrap_or("unknown");
        let dots = if *number > names.len() as u64 { ", ..." } else { "" };
        writeln!(out, "  {kind}  {number}  {FAINT}{}{dots}{FAINT:#}", names.join(", "))
    })?;
    more(out, map.objects().map_or(0, |all| all.len()).saturating_sub(MOST_OBJECTS))
}

fn object_at(map: &Map<'_>, index: usize) -> String {
    let object = map.objects().and_then(|all| all.get(index));
    object.ok().flatten().map_or_else(String::new, |object| self::object(map, &object))
}

fn object(map: &Map<'_>, object: &Placed<'_, Object<'_>>) -> String {
    let entry = |index: u32| map.meshes().ok()?.entry(usize::try_from(index).ok()?);
    let mesh = object.mesh().map(|index| link("mesh", index, entry(index).map(|mesh| mesh.name)));
    let mesh = mesh.unwrap_or_else(|| "no mesh".to_owned());
    let hidden = if object.is_hidden.is_some_and(|hidden| hidden.is_set()) { ", hidden" } else { "" };
    let name = object.entry.name;
    let name = if name.is_empty() { or_unnamed(name) } else { mentioned(name) };
    format!("{name}  {FAINT}{mesh}{hidden}{FAINT:#}")
}

fn meshes(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let meshes = map.meshes().into_iter().flat_map(|all| all.iter()).flatten();
    section(out, "Meshes", meshes, |out, mesh: Placed<'_, Mesh<'_>>| {
        let (faces, vertices) = (mesh.faces.len() as u64, mesh.positions.len() as u64);
        let parts = [count(faces, "triangles"), count(vertices, "vertices")];
        writeln!(out, "  {}  {}  {}", mesh.index, or_unnamed(mesh.entry.name), parts.join(", "))
    })
}

fn materials(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let textures = map.textures().ok();
    let texture = |index: u32| textures.as_ref()?.get(usize::try_from(index).ok()?).ok()?;
    let materials = map.materials().into_iter().flat_map(|all| all.iter()).flatten();
    section(out, "Materials", materials, |out, material: Placed<'_, Material<'_>>| {
        let texture =
            material.texture().map(|index| link("texture", index, texture(index).map(|texture| texture.file_name)));
        let texture = texture.unwrap_or_else(|| "no texture".to_owned());
        let diffuse = numbers(&material.colors.diffuse.to_array());
        let (index, name) = (material.index, shown(material.entry.name));
        writeln!(out, "  {index}  {name}  {texture}  {FAINT}diffuse {diffuse}{FAINT:#}")
    })
}
