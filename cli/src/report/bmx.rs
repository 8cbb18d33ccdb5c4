//! Describes a Ballance map in words.

use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

use meshpeek::bmx::{Component, Map, Mesh, Object, Placed, Texture};
use meshpeek::view::Utf32Str;

use super::list::{FAINT, LONGEST_LIST, more, section};
use super::text::{LONGEST_LINE, count, link, mentioned, numbers, or_unnamed, shown};

/// The most objects to read; real maps have a hundredth. Also the most groups of one object; real objects have a few.
const MOST_OBJECTS: usize = 500_000;
const MOST_GROUPS: usize = 1_000;

/// The heading of objects without a group.
const NO_GROUP: &str = "(in no group)";

pub(super) fn write(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    objects(map, out)?;
    meshes(map, out)?;
    materials(map, out)?;
    // What cannot be read is listed among the problems.
    let Ok(textures) = map.textures() else { return Ok(()) };
    section(out, "Textures", textures.iter().flatten(), texture)
}

fn texture(out: &mut impl Write, texture: Placed<'_, Texture<'_>>) -> Result<()> {
    let kept = match (texture.is_external.is_set(), texture.image()) {
        (true, _) => "the game's own".to_owned(),
        (false, Some(image)) => format!("embedded, {}", count(image.decoded_byte_len_hint(), "bytes")),
        (false, None) => "embedded, but missing".to_owned(),
    };
    writeln!(out, "  {}  {}  {FAINT}{kept}{FAINT:#}", texture.index, shown(texture.file_name))
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

/// The components of a kind, of which the first are named.
#[derive(Default)]
struct Components {
    count: u64,
    names: Vec<String>,
}

/// Components by kind, other objects by group.
#[derive(Default)]
struct Objects {
    components: BTreeMap<u32, Components>,
    groups: BTreeMap<String, Group>,
}

impl Objects {
    fn add(&mut self, object: &Placed<'_, Object<'_>>) {
        if let Some(Component(kind)) = object.component() {
            let components = self.components.entry(kind).or_default();
            components.count += 1;
            if components.names.len() < LONGEST_LINE {
                components.names.push(mentioned(object.entry.name));
            }
            return;
        }
        let mut is_grouped = false;
        for group in object.groups.iter().flatten().take(MOST_GROUPS) {
            is_grouped = true;
            self.groups.entry(or_unnamed(group)).or_default().add(object.index);
        }
        if !is_grouped {
            self.groups.entry(NO_GROUP.to_owned()).or_default().add(object.index);
        }
    }
}

fn objects(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let Ok(all) = map.objects() else { return Ok(()) };
    let mut objects = Objects::default();
    for object in all.walk().flatten().take(MOST_OBJECTS) {
        objects.add(&object);
    }
    // An object with many groups is large, so it is read once for all of them.
    let mut known: HashMap<usize, String> = HashMap::new();
    section(out, "Objects by group", &objects.groups, |out, (name, group)| {
        writeln!(out, "  {name}")?;
        for index in &group.shown {
            let line = known.entry(*index).or_insert_with(|| object_at(map, *index));
            writeln!(out, "    {line}")?;
        }
        more(out, group.hidden)
    })?;
    section(out, "Components by kind", &objects.components, components)?;
    more(out, all.len().saturating_sub(MOST_OBJECTS))
}

fn components(out: &mut impl Write, (kind, components): (&u32, &Components)) -> Result<()> {
    let kind = Component(*kind).name().unwrap_or("unknown");
    let Components { count, names } = components;
    let dots = if *count > names.len() as u64 { ", ..." } else { "" };
    writeln!(out, "  {kind}  {count}  {FAINT}{}{dots}{FAINT:#}", names.join(", "))
}

fn object_at(map: &Map<'_>, index: usize) -> String {
    match map.objects().and_then(|all| all.get(index)) {
        Ok(Some(object)) => self::object(map, &object),
        _ => String::new(),
    }
}

fn object(map: &Map<'_>, object: &Placed<'_, Object<'_>>) -> String {
    let mesh = match object.mesh() {
        Some(index) => link("mesh", index, mesh_name(map, index)),
        None => "no mesh".to_owned(),
    };
    let hidden = match object.is_hidden {
        Some(hidden) if hidden.is_set() => ", hidden",
        _ => "",
    };
    let name = object.entry.name;
    let name = if name.is_empty() { or_unnamed(name) } else { mentioned(name) };
    format!("{name}  {FAINT}{mesh}{hidden}{FAINT:#}")
}

fn mesh_name<'m>(map: &'m Map<'_>, index: u32) -> Option<Utf32Str<'m>> {
    let mesh = map.meshes().ok()?.entry(usize::try_from(index).ok()?)?;
    Some(mesh.name)
}

fn meshes(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let Ok(meshes) = map.meshes() else { return Ok(()) };
    section(out, "Meshes", meshes.iter().flatten(), mesh)
}

fn mesh(out: &mut impl Write, mesh: Placed<'_, Mesh<'_>>) -> Result<()> {
    let triangles = count(mesh.faces.len() as u64, "triangles");
    let vertices = count(mesh.positions.len() as u64, "vertices");
    writeln!(out, "  {}  {}  {triangles}, {vertices}", mesh.index, or_unnamed(mesh.entry.name))
}

fn materials(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let Ok(materials) = map.materials() else { return Ok(()) };
    section(out, "Materials", materials.iter().flatten(), |out, material| {
        let texture = match material.texture() {
            Some(index) => link("texture", index, texture_name(map, index)),
            None => "no texture".to_owned(),
        };
        let diffuse = numbers(&material.colors.diffuse.to_array());
        let name = shown(material.entry.name);
        writeln!(out, "  {}  {name}  {texture}  {FAINT}diffuse {diffuse}{FAINT:#}", material.index)
    })
}

fn texture_name<'m>(map: &'m Map<'_>, index: u32) -> Option<Utf32Str<'m>> {
    let texture = map.textures().ok()?.get(usize::try_from(index).ok()?).ok()??;
    Some(texture.file_name)
}
