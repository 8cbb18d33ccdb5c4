//! A Ballance map in words.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use meshpeek::bmx::{Map, Material, Mesh, Object, Texture};

use super::{FAINT, LONGEST_LIST, count, heading, list, more, numbers, or_unnamed, plural};

/// Objects that belong to no group stand under this heading.
const NO_GROUP: &str = "(in no group)";

pub(super) fn write(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    objects(map, out)?;
    meshes(map, out)?;
    let textures: Vec<Texture<'_>> = map.textures().into_iter().flat_map(|all| all.iter()).flatten().collect();
    materials(map, &textures, out)?;
    if !textures.is_empty() {
        heading(out, "Textures")?;
        list(out, textures.iter(), |out, texture| {
            let kept = match (texture.is_external != 0, texture.image()) {
                (true, _) => "the game's own".to_owned(),
                (false, Some(image)) => format!("embedded, {}", count(image.unpacked_bytes_hint(), "byte")),
                (false, None) => "embedded, but missing".to_owned(),
            };
            writeln!(out, "  {}  {}  {FAINT}{kept}{FAINT:#}", texture.index(), texture.file_name)
        })?;
    }
    Ok(())
}

/// The objects of a group by their places. An object may be in thousands of groups, so it is put in words when shown.
#[derive(Default)]
struct Group {
    shown: Vec<usize>,
    hidden: usize,
    last: Option<usize>,
}

impl Group {
    /// An object that names its group twice is in it once.
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
    let mut components: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for object in map.objects().into_iter().flat_map(|all| all.walk()).flatten() {
        if let Ok(Some(component)) = object.component() {
            components.entry(component.0).or_default().push(object.entry().name.to_string());
            continue;
        }
        let mut grouped = false;
        for group in object.groups().ok().flatten().into_iter().flatten().flatten() {
            grouped = true;
            groups.entry(or_unnamed(group)).or_default().add(object.index());
        }
        if !grouped {
            groups.entry(NO_GROUP.to_owned()).or_default().add(object.index());
        }
    }
    if !groups.is_empty() {
        heading(out, "Objects by group")?;
        list(out, groups.iter(), |out, (name, group)| {
            writeln!(out, "  {name}")?;
            for index in &group.shown {
                if let Some(Ok(object)) = map.objects().ok().and_then(|all| all.get(*index)) {
                    writeln!(out, "    {}", self::object(map, &object))?;
                }
            }
            more(out, group.hidden)
        })?;
    }
    if !components.is_empty() {
        heading(out, "Components by kind")?;
        list(out, components.iter(), |out, (number, names)| {
            let kind = meshpeek::bmx::Component(*number).name().unwrap_or("unknown");
            writeln!(out, "  {kind}  {}  {FAINT}{}{FAINT:#}", names.len(), names.join(", "))
        })?;
    }
    Ok(())
}

fn object(map: &Map<'_>, object: &Object<'_>) -> String {
    let mesh = match object.mesh() {
        Ok(Some(index)) => {
            let name = map.meshes().ok().and_then(|all| all.entry(usize::try_from(index).ok()?));
            name.map_or_else(|| format!("mesh {index}, which is missing"), |mesh| format!("mesh {}", mesh.name))
        }
        Ok(None) => "no mesh".to_owned(),
        Err(error) => error.message(),
    };
    let hidden = if object.is_hidden.is_some_and(|hidden| hidden != 0) { ", hidden" } else { "" };
    // An object shows once a group, so a name without end would be told without end.
    format!("{:.200}  {FAINT}{mesh:.200}{hidden}{FAINT:#}", or_unnamed(object.entry().name))
}

fn meshes(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let meshes: Vec<Mesh<'_>> = map.meshes().into_iter().flat_map(|all| all.iter()).flatten().collect();
    if meshes.is_empty() {
        return Ok(());
    }
    heading(out, "Meshes")?;
    list(out, meshes.iter(), |out, mesh| {
        let parts = [
            mesh.faces().map(|faces| plural(faces.len() as u64, "triangles")),
            mesh.positions().map(|list| plural(list.len() as u64, "vertices")),
        ];
        let parts: Vec<String> = parts.into_iter().map(|part| part.unwrap_or_else(|error| error.message())).collect();
        writeln!(out, "  {}  {}  {}", mesh.index(), or_unnamed(mesh.entry().name), parts.join(", "))
    })
}

fn materials(map: &Map<'_>, textures: &[Texture<'_>], out: &mut impl Write) -> Result<()> {
    let materials: Vec<Material<'_>> = map.materials().into_iter().flat_map(|all| all.iter()).flatten().collect();
    if materials.is_empty() {
        return Ok(());
    }
    heading(out, "Materials")?;
    list(out, materials.iter(), |out, material| {
        let texture = match material.texture() {
            None => "no texture".to_owned(),
            Some(index) => match textures.iter().find(|texture| texture.index() as u64 == u64::from(index)) {
                Some(texture) => format!("texture {}", texture.file_name),
                None => format!("texture {index}, which is missing"),
            },
        };
        let diffuse = numbers(&material.diffuse().to_array());
        writeln!(out, "  {}  {}  {texture}  {FAINT}diffuse {diffuse}{FAINT:#}", material.index(), material.entry().name)
    })
}
