//! Describes a Ballance map in words.

use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

use meshpeek::bmx::{Component, Map};

use super::items::{Describe, Item, List, MOST_TEXTS, Words, describe};
use super::list::{FAINT, LONGEST_LIST, heading, incomplete, rest, section};
use super::text::{LONGEST_LINE, count, grouped, link, numbers};

/// The heading of objects without a group.
const NO_GROUP: &str = "(in no group)";

// An outline has its limit for itself, and shown objects and materials name meshes and textures. So the lists that may be
// long are read one after the other.
const OBJECTS: &[List] = &[List { name: "objects", outer: None, inside: &[] }];
const MESHES: &[List] = &[List { name: "meshes", outer: None, inside: &[] }];
const MATERIALS: &[List] = &[List { name: "materials", outer: None, inside: &[] }];
const TEXTURES: &[List] = &[List { name: "textures", outer: None, inside: &[] }];

pub(super) fn write(map: &Map<'_>, out: &mut impl Write) -> Result<()> {
    let mut report = Report::default();
    let mut missing = [OBJECTS, MESHES, MATERIALS, TEXTURES].map(|lists| describe(map, lists, &mut report));
    let [all_objects, all_meshes, all_materials, all_textures] = missing.each_ref().map(Option::is_none);
    report.mesh_names.is_complete = all_meshes;
    report.texture_names.is_complete = all_textures;
    report.objects(all_objects, out)?;
    report.components(out)?;
    report.meshes.write("Meshes", all_meshes, out)?;
    report.materials(all_materials, out)?;
    report.textures.write("Textures", all_textures, out)?;
    // The first limit is the one to raise.
    incomplete(out, missing.iter_mut().find_map(Option::take))
}

/// The lines of a report on a map, before they are written.
#[derive(Default)]
struct Report {
    /// The shown objects by index. One may be in many groups.
    objects: HashMap<usize, Object>,
    /// Objects that are not components, by group.
    groups: BTreeMap<String, Group>,
    /// The number of objects in more groups than are kept of one.
    in_more_groups: u64,
    components: BTreeMap<u32, Components>,
    meshes: Lines,
    materials: Vec<Material>,
    hidden_materials: usize,
    textures: Lines,
    mesh_names: Names,
    texture_names: Names,
}

/// The names of the items of a list that shown lines refer to.
#[derive(Default)]
struct Names {
    /// By index, as far as they are known.
    known: HashMap<u64, Option<String>>,
    /// True if the whole list was read.
    is_complete: bool,
}

impl Names {
    /// Asks for the name of an item, which is read later.
    fn ask(&mut self, index: u64) {
        self.known.insert(index, None);
    }

    /// Keeps the name of an item if a line refers to it.
    fn learn(&mut self, index: usize, name: &Words) {
        if let Some(known) = self.known.get_mut(&(index as u64)) {
            *known = Some(name.short.clone());
        }
    }

    /// The words for an item that a line refers to.
    fn link(&self, what: &str, index: u64) -> String {
        match self.known.get(&index) {
            Some(Some(name)) => link(what, index, Some(name)),
            _ if self.is_complete => link(what, index, None),
            _ => format!("{what} {index}"),
        }
    }
}

/// The lines of a list of which the first are shown.
#[derive(Default)]
struct Lines {
    shown: Vec<String>,
    hidden: usize,
}

impl Lines {
    fn add(&mut self, line: impl FnOnce() -> String) {
        if self.shown.len() < LONGEST_LIST {
            self.shown.push(line());
        } else {
            self.hidden += 1;
        }
    }

    fn write(&self, title: &str, is_complete: bool, out: &mut impl Write) -> Result<()> {
        if self.shown.is_empty() {
            return Ok(());
        }
        heading(out, title)?;
        for line in &self.shown {
            writeln!(out, "  {line}")?;
        }
        rest(out, self.hidden, is_complete)
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
            self.in_more_groups += names.hidden;
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
        self.mesh_names.ask(mesh);
        let name = if name.whole.is_empty() { name.or_unnamed() } else { name.short.clone() };
        self.objects.insert(object.index, Object { name, mesh, is_hidden: object.amount("is_hidden") != 0 });
    }

    fn mesh(&mut self, mesh: &Item) {
        let Some(name) = mesh.text("name") else { return };
        self.mesh_names.learn(mesh.index, name);
        let Some(positions) = mesh.number("positions") else { return };
        self.meshes.add(|| {
            let triangles = count(mesh.amount("faces"), "triangles");
            let vertices = count(positions.unsigned_abs(), "vertices");
            format!("{}  {}  {triangles}, {vertices}", mesh.index, name.or_unnamed())
        });
    }

    fn material(&mut self, material: &Item) {
        let Some(name) = material.text("name") else { return };
        let Some(diffuse) = material.own("diffuse") else { return };
        if self.materials.len() >= LONGEST_LIST {
            self.hidden_materials += 1;
            return;
        }
        let texture = material.number("texture").map(i64::unsigned_abs);
        if let Some(texture) = texture {
            self.texture_names.ask(texture);
        }
        let diffuse = diffuse.floats.clone();
        self.materials.push(Material { index: material.index, name: name.whole.clone(), texture, diffuse });
    }

    fn texture(&mut self, texture: &Item) {
        let Some(file) = texture.text("file_name") else { return };
        self.texture_names.learn(texture.index, file);
        self.textures.add(|| format!("{}  {}  {FAINT}{}{FAINT:#}", texture.index, file.whole, place_of(texture)));
    }

    fn objects(&self, is_complete: bool, out: &mut impl Write) -> Result<()> {
        section(out, "Objects by group", &self.groups, |out, (name, group)| {
            writeln!(out, "  {name}")?;
            for index in &group.shown {
                let Some(object) = self.objects.get(index) else { continue };
                let mesh = self.mesh_names.link("mesh", object.mesh);
                let hidden = if object.is_hidden { ", hidden" } else { "" };
                writeln!(out, "    {}  {FAINT}{mesh}{hidden}{FAINT:#}", object.name)?;
            }
            rest(out, group.hidden, is_complete)
        })?;
        if self.in_more_groups == 0 {
            return Ok(());
        }
        let objects = count(self.in_more_groups, "objects");
        writeln!(out, "  {FAINT}{objects} in more groups than {}{FAINT:#}", grouped(MOST_TEXTS as u64))
    }

    fn components(&self, out: &mut impl Write) -> Result<()> {
        section(out, "Components by kind", &self.components, |out, (kind, components)| {
            let kind = Component(*kind).name().unwrap_or("unknown");
            let Components { count, names } = components;
            let dots = if *count > names.len() as u64 { ", ..." } else { "" };
            writeln!(out, "  {kind}  {count}  {FAINT}{}{dots}{FAINT:#}", names.join(", "))
        })
    }

    fn materials(&self, is_complete: bool, out: &mut impl Write) -> Result<()> {
        section(out, "Materials", &self.materials, |out, material| {
            let texture = match material.texture {
                Some(index) => self.texture_names.link("texture", index),
                None => "no texture".to_owned(),
            };
            let diffuse = numbers(&material.diffuse);
            writeln!(out, "  {}  {}  {texture}  {FAINT}diffuse {diffuse}{FAINT:#}", material.index, material.name)
        })?;
        rest(out, self.hidden_materials, is_complete)
    }
}

/// Where the image of a texture is.
fn place_of(texture: &Item) -> String {
    if texture.amount("is_external") != 0 {
        return "the game's own".to_owned();
    }
    match (texture.number("image"), texture.text("embedded_as")) {
        (Some(bytes), _) => format!("embedded, {}", count(bytes.unsigned_abs(), "bytes")),
        (None, Some(_)) => "embedded, but not readable".to_owned(),
        (None, None) => "embedded, but missing".to_owned(),
    }
}
