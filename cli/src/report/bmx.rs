//! Describes a Ballance map in words.

use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

use meshpeek::bmx::{Component, Map};

use super::items::{Describe, Item, List, Words, describe};
use super::list::{FAINT, LONGEST_LIST, heading, incomplete, more, section};
use super::text::{LONGEST_LINE, count, link, numbers};

/// The most objects to read; real maps have a hundredth.
const MOST_OBJECTS: usize = 500_000;

/// The heading of objects without a group.
const NO_GROUP: &str = "(in no group)";

/// In the order of an outline: what refers to other items comes before them.
const LISTS: &[List] = &[
    List { name: "objects", outer: None, inside: &[] },
    List { name: "meshes", outer: None, inside: &[] },
    List { name: "materials", outer: None, inside: &[] },
    List { name: "textures", outer: None, inside: &[] },
];

pub(super) fn write(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let mut report = Report::default();
    let missing = describe(map, LISTS, &mut report);
    report.objects(out)?;
    report.components(out)?;
    more(out, report.hidden_objects)?;
    report.meshes.write("Meshes", out)?;
    report.materials(out)?;
    report.textures.write("Textures", out)?;
    incomplete(out, missing)
}

/// What is known of a map.
#[derive(Default)]
struct Report {
    /// The shown objects by index. One may be in many groups.
    objects: HashMap<usize, Object>,
    /// Objects that are no components, by group.
    groups: BTreeMap<String, Group>,
    components: BTreeMap<u32, Components>,
    hidden_objects: usize,
    meshes: Lines,
    materials: Vec<Material>,
    hidden_materials: usize,
    textures: Lines,
    /// The names of the meshes and textures that shown lines refer to, as far as they are known.
    mesh_names: HashMap<u64, Option<String>>,
    texture_names: HashMap<u64, Option<String>>,
}

/// The lines of a list of which the first are shown.
#[derive(Default)]
struct Lines {
    shown: Vec<String>,
    hidden: usize,
}

impl Lines {
    fn write(&self, title: &str, out: &mut impl Write) -> Result<()> {
        if self.shown.is_empty() {
            return Ok(());
        }
        heading(out, title)?;
        for line in &self.shown {
            writeln!(out, "  {line}")?;
        }
        more(out, self.hidden)
    }
}

struct Object {
    name: String,
    mesh: u64,
    is_hidden: bool,
}

struct Material {
    index: usize,
    name: String,
    texture: Option<u64>,
    diffuse: Vec<f32>,
}

/// The objects of a group by index.
#[derive(Default)]
struct Group {
    shown: Vec<usize>,
    hidden: usize,
    last: Option<usize>,
}

impl Group {
    /// Adds an object, once if it names its group twice. Returns true if it is shown.
    fn add(&mut self, index: usize) -> bool {
        if self.last.replace(index) == Some(index) {
            return false;
        }
        if self.shown.len() < LONGEST_LIST {
            self.shown.push(index);
            return true;
        }
        self.hidden += 1;
        false
    }
}

/// The components of a kind, of which the first are named.
#[derive(Default)]
struct Components {
    count: u64,
    names: Vec<String>,
}

impl Describe for Report {
    fn wants(&mut self, list: &'static str, index: usize) -> bool {
        let hidden = match list {
            "objects" if index < MOST_OBJECTS => return true,
            "objects" => &mut self.hidden_objects,
            // A mesh that is not shown may have a name that an object shows.
            "meshes" if self.meshes.shown.len() < LONGEST_LIST => return true,
            "meshes" if self.mesh_names.contains_key(&(index as u64)) => return true,
            "meshes" => &mut self.meshes.hidden,
            "materials" if self.materials.len() < LONGEST_LIST => return true,
            "materials" => &mut self.hidden_materials,
            "textures" if self.textures.shown.len() < LONGEST_LIST => return true,
            "textures" if self.texture_names.contains_key(&(index as u64)) => return true,
            _ => &mut self.textures.hidden,
        };
        *hidden += 1;
        false
    }

    fn item(&mut self, item: &Item) {
        match item.list {
            "objects" => self.object(item),
            "meshes" => self.mesh(item),
            "materials" => self.material(item),
            _ => self.texture(item),
        }
    }
}

impl Report {
    fn object(&mut self, object: &Item) {
        let Some(name) = object.text("name") else { return };
        if let Some(kind) = object.number("component") {
            let components = self.components.entry(kind.try_into().unwrap_or(u32::MAX)).or_default();
            components.count += 1;
            if components.names.len() < LONGEST_LINE {
                components.names.push(name.short.clone());
            }
            return;
        }
        // Absent where the object cannot be read.
        let Some(mesh) = object.number("mesh") else { return };
        let mut groups: Vec<String> = Vec::new();
        if let Some(names) = object.own("groups") {
            groups.extend(names.texts.iter().map(Words::or_unnamed));
        }
        if groups.is_empty() {
            groups.push(NO_GROUP.to_owned());
        }
        let mut is_shown = false;
        for group in groups {
            is_shown |= self.groups.entry(group).or_default().add(object.index);
        }
        if !is_shown {
            return;
        }
        let mesh = mesh.unsigned_abs();
        self.mesh_names.insert(mesh, None);
        let name = if name.whole.is_empty() { name.or_unnamed() } else { name.short.clone() };
        self.objects.insert(object.index, Object { name, mesh, is_hidden: object.amount("is_hidden") != 0 });
    }

    fn mesh(&mut self, mesh: &Item) {
        let Some(name) = mesh.text("name") else { return };
        if let Some(known) = self.mesh_names.get_mut(&(mesh.index as u64)) {
            *known = Some(name.short.clone());
        }
        let Some(positions) = mesh.number("positions") else { return };
        if self.meshes.shown.len() >= LONGEST_LIST {
            self.meshes.hidden += 1;
            return;
        }
        let triangles = count(mesh.amount("faces"), "triangles");
        let vertices = count(positions.unsigned_abs(), "vertices");
        self.meshes.shown.push(format!("{}  {}  {triangles}, {vertices}", mesh.index, name.or_unnamed()));
    }

    fn material(&mut self, material: &Item) {
        let Some(name) = material.text("name") else { return };
        let Some(diffuse) = material.own("diffuse") else { return };
        let texture = material.number("texture").map(i64::unsigned_abs);
        if let Some(texture) = texture {
            self.texture_names.insert(texture, None);
        }
        let (index, name) = (material.index, name.whole.clone());
        self.materials.push(Material { index, name, texture, diffuse: diffuse.floats.clone() });
    }

    fn texture(&mut self, texture: &Item) {
        let Some(file) = texture.text("file_name") else { return };
        if let Some(known) = self.texture_names.get_mut(&(texture.index as u64)) {
            *known = Some(file.short.clone());
        }
        if self.textures.shown.len() >= LONGEST_LIST {
            self.textures.hidden += 1;
            return;
        }
        let kept = if texture.amount("is_external") != 0 {
            "the game's own".to_owned()
        } else if let Some(bytes) = texture.number("image") {
            format!("embedded, {}", count(bytes.unsigned_abs(), "bytes"))
        } else if texture.text("embedded_as").is_some() {
            "embedded, but not readable".to_owned()
        } else {
            "embedded, but missing".to_owned()
        };
        self.textures.shown.push(format!("{}  {}  {FAINT}{kept}{FAINT:#}", texture.index, file.whole));
    }

    fn objects(&self, out: &mut impl Write) -> Result<()> {
        section(out, "Objects by group", &self.groups, |out, (name, group)| {
            writeln!(out, "  {name}")?;
            for index in &group.shown {
                let Some(object) = self.objects.get(index) else { continue };
                let mesh = link("mesh", object.mesh, name_of(&self.mesh_names, object.mesh));
                let hidden = if object.is_hidden { ", hidden" } else { "" };
                writeln!(out, "    {}  {FAINT}{mesh}{hidden}{FAINT:#}", object.name)?;
            }
            more(out, group.hidden)
        })
    }

    fn components(&self, out: &mut impl Write) -> Result<()> {
        section(out, "Components by kind", &self.components, |out, (kind, components)| {
            let kind = Component(*kind).name().unwrap_or("unknown");
            let Components { count, names } = components;
            let dots = if *count > names.len() as u64 { ", ..." } else { "" };
            writeln!(out, "  {kind}  {count}  {FAINT}{}{dots}{FAINT:#}", names.join(", "))
        })
    }

    fn materials(&self, out: &mut impl Write) -> Result<()> {
        section(out, "Materials", &self.materials, |out, material| {
            let texture = match material.texture {
                Some(index) => link("texture", index, name_of(&self.texture_names, index)),
                None => "no texture".to_owned(),
            };
            let diffuse = numbers(&material.diffuse);
            writeln!(out, "  {}  {}  {texture}  {FAINT}diffuse {diffuse}{FAINT:#}", material.index, material.name)
        })?;
        more(out, self.hidden_materials)
    }
}

/// The name of an item that a line refers to, if it is known.
fn name_of(names: &HashMap<u64, Option<String>>, index: u64) -> Option<&str> {
    names.get(&index)?.as_deref()
}
