//! Checks maps.

mod zip;

use std::fmt;

use super::list::{List, Listed, OverlapBudget, Placed};
use super::table::{Kind, Table, TableId};
use super::wire::Flag;
use super::{IndexEntry, Map, Material, Mesh, Object, Texture};
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::place::Locate;
use crate::base::text::Utf32Str;
use crate::bytes::{Element, LeArray, Vec2, Vec3};
use crate::check::{self, Below, Broken, Check, Finite, Length, Numbers, Repeated, Rows, Rule, Unit, UnitRange};
use crate::summary::{Problems, Severity};

/// Reports what is wrong with a map: its zip, its tables, its index and every record.
pub(super) fn map(map: &Map<'_>, problems: &mut Problems) {
    if let Some(archive) = map.source.archive() {
        zip::archive(map, archive, problems);
    }
    for &id in TableId::VARIANTS {
        problems.ok(map.source.table(id));
    }
    match map.positions() {
        Ok(index) => {
            if let Some(error) = &index.broken {
                problems.error(error);
            }
        }
        Err(error) => {
            // If the table is unreadable, that was reported above.
            if map.source.table(TableId::Index).is_ok() {
                problems.error(&error);
            }
            return;
        }
    }
    index_names(map, problems);
    records(map, problems, object);
    records(map, problems, mesh);
    records(map, problems, material);
    records(map, problems, texture);
}

/// Checks every record of one kind.
///
/// Proceeds in the order of the table and reads no byte twice. Of records that overlap, only the first is checked, and
/// the others are reported.
fn records<'m, T: Listed<'m>>(map: &'m Map<'m>, problems: &mut Problems, check: fn(Checks<'_, 'm, T>)) {
    let (Ok(list), Ok(table)) = (List::<T>::new(map), map.source.table(T::TABLE)) else { return };
    // The list of positions takes 16 bytes for each record.
    let held = problems.budget().hold((list.len() as u64).saturating_mul(16));
    let Some(_held) = problems.ok(held) else { return };
    let mut places = places(&list);
    if let Some((offset, index)) = first_out_of_order(&places) {
        let message = "lies before the record that the index names before it";
        problems.report_at(Severity::Warning, table.item(T::LIST, index), offset, message);
    }
    places.sort_unstable();
    let mut budget = OverlapBudget::new(map, T::TABLE);
    // A broken index does not name all records, so the bytes between those that it names mean nothing.
    let is_whole = map.positions().is_ok_and(|index| index.broken.is_none());
    let reached = if is_whole { Some(0) } else { None };
    let mut covered = Covered { table, list: T::LIST, reached, last: None };
    for (offset, index) in places {
        match covered.overlap(offset) {
            Some(Overlap::SamePlace(other)) => {
                let message = format_args!("the index names this place for {}[{other}] too", T::LIST);
                problems.report_at(Severity::Warning, table.item(T::LIST, index), offset, message);
                // It is not read again but charged, so that the limit that readers of the list meet is reported here,
                // too.
                budget.spend(covered.reached.unwrap_or(table.len()).saturating_sub(offset));
                continue;
            }
            Some(Overlap::Inside(other)) => {
                let message = format_args!("starts inside {}[{other}]", T::LIST);
                problems.report_at(Severity::Error, table.item(T::LIST, index), offset, message);
                continue;
            }
            None => covered.report_gap(offset, index, problems),
        }
        if let Err(error) = budget.check() {
            return problems.error(&error);
        }
        let Some(record) = list.paid(index, &mut budget) else { return };
        let Some(record) = problems.ok(record) else {
            // The end of a record that cannot be read is unknown.
            covered.reached = None;
            covered.last = None;
            continue;
        };
        check(Checks { record: &record, problems });
        covered.reached = if is_whole { Some(record.end) } else { None };
        covered.last = Some((offset, index));
    }
    problems.ok(budget.check());
    covered.report_tail(problems);
}

/// Returns the offset of each record in its table, with its index.
fn places<'m, T: Listed<'m>>(list: &List<'m, T>) -> Vec<(u64, usize)> {
    let mut places = Vec::with_capacity(list.len());
    for index in 0..list.len() {
        let Some(entry) = list.entry(index) else { break };
        places.push((entry.record_offset, index));
    }
    places
}

/// Returns the first place that lies before the one before it.
fn first_out_of_order(places: &[(u64, usize)]) -> Option<(u64, usize)> {
    for pair in places.windows(2) {
        if let [(before, _), (offset, index)] = pair
            && offset < before
        {
            return Some((*offset, *index));
        }
    }
    None
}

/// The part of a table that the records checked so far take.
struct Covered<'m> {
    table: Table<'m>,
    list: &'static str,
    /// The end of the records so far, or `None` if an end is unknown.
    reached: Option<u64>,
    /// The offset and the index of the record before.
    last: Option<(u64, usize)>,
}

/// How a record overlaps the one with this index.
enum Overlap {
    SamePlace(usize),
    Inside(usize),
}

impl Covered<'_> {
    /// Returns how a record at this offset overlaps the one before it, or `None` if it does not, or if the end of the
    /// one before is unknown.
    fn overlap(&self, offset: u64) -> Option<Overlap> {
        let (earlier, other) = self.last?;
        if earlier == offset {
            return Some(Overlap::SamePlace(other));
        }
        if offset < self.reached? { Some(Overlap::Inside(other)) } else { None }
    }

    /// Warns about bytes before a record that belong to no record.
    fn report_gap(&self, offset: u64, index: usize, problems: &mut Problems) {
        let Some(reached) = self.reached else { return };
        let gap = offset.saturating_sub(reached);
        if gap > 0 && offset < self.table.len() {
            let message = format_args!("{gap} bytes before it belong to no record");
            problems.report_at(Severity::Warning, self.table.item(self.list, index), offset, message);
        }
    }

    /// Warns about bytes after the last record.
    fn report_tail(&self, problems: &mut Problems) {
        let Some(reached) = self.reached else { return };
        let tail = self.table.len().saturating_sub(reached);
        if tail > 0 {
            let error = Error::trailing(tail, "the last record").at(reached);
            problems.warning(&self.table.locate(error));
        }
    }
}

/// The context for checking a record.
struct Checks<'c, 'm, T> {
    record: &'c Placed<'m, T>,
    problems: &'c mut Problems,
}

impl<'m, T: Listed<'m>> Checks<'_, 'm, T> {
    /// Reports a problem of the record at this field.
    fn report(&mut self, field: &'static str, severity: Severity, message: impl fmt::Display) {
        if self.problems.keeps_another(severity) {
            let error = Error::malformed(message.to_string()).at(offset_of(self.record, field));
            self.problems.add(severity, &self.record.field(field).locate(error));
        }
    }

    /// Checks a field against a rule.
    fn one<R: Rule>(&mut self, field: &'static str, rule: R, value: R::Value) {
        if rule.holds(value) {
            return;
        }
        check::one(rule, value, offset_of(self.record, field), self.problems, self.record.field(field));
    }

    /// Reports booleans other than 0 and 1, the values that programs write.
    fn bools(&mut self, bools: &[(&'static str, Option<Flag>)]) {
        for (name, flag) in bools {
            if let Some(Flag(value @ 2..)) = flag {
                self.one(name, Broken::new(Code::Bool, "neither 0 nor 1"), *value);
            }
        }
    }

    /// Reports what is wrong with the name in this field.
    fn name(&mut self, field: &'static str, name: Utf32Str<'_>) {
        for (severity, message) in name_trouble(name) {
            self.report(field, severity, message);
        }
    }

    /// Returns the number of records of this kind in the map, if it is known.
    fn count(&self, kind: Kind) -> Option<u64> {
        self.record.map.positions().ok()?.count(kind)
    }
}

/// Returns the offset of a field in the record's table.
#[cold]
fn offset_of<'m, T: Listed<'m>>(record: &Placed<'m, T>, field: &str) -> u64 {
    check::offset_of_field::<T, _>(field, record.cursor(), record.layout).unwrap_or(record.entry.record_offset)
}

/// Returns what is wrong with a name: a severity and a message for each problem.
fn name_trouble(name: Utf32Str<'_>) -> Vec<(Severity, String)> {
    let mut trouble = Vec::new();
    if let Some(unit) = name.chars().find_map(Result::err) {
        trouble.push((Severity::Error, format!("{name:?} has the code point {unit:#x}, which is no character")));
    }
    if name.chars().any(|c| c == Ok('\0')) {
        trouble.push((Severity::Warning, format!("{name:?} has a NUL in it")));
    }
    if name.chars().next() == Some(Ok('\u{feff}')) {
        trouble.push((Severity::Warning, format!("{name:?} starts with a byte order mark")));
    }
    trouble
}

/// Returns the readable entries of the index.
fn entries<'m>(map: &'m Map<'_>) -> impl Iterator<Item = IndexEntry<'m>> {
    map.index().into_iter().flatten().flatten()
}

/// Checks the names and kinds in the index, and reports names that another record of the same kind has, too.
fn index_names(map: &Map<'_>, problems: &mut Problems) {
    let Ok(table) = map.source.table(TableId::Index) else { return };
    let Ok(known) = map.positions() else { return };
    let names = entries(map).map(|entry| (entry.kind, entry.name)).enumerate();
    let mut repeated = Repeated::find(known.entries, names, problems);
    let mut twice = Check::new(Broken::new(Code::Duplicate, "that of another of its kind"));
    for (index, entry) in entries(map).enumerate() {
        let place = table.item("index_entries", index);
        for (severity, message) in name_trouble(entry.name) {
            problems.report_at(severity, place.field("name"), entry.offset, message);
        }
        if entry.kind.name().is_none() {
            // The kind follows the name, which starts with its count of 4 bytes.
            let name_bytes = (entry.name.as_bytes().len() as u64).saturating_add(4);
            let offset = entry.offset.saturating_add(name_bytes);
            let message = format_args!("TYPE {}, which readers skip", entry.kind.0);
            problems.report_at(Severity::Warning, place.field("kind"), offset, message);
        }
        let is_first = repeated.first_of(index).is_none();
        twice.look(entry.offset, entry.name, is_first);
    }
    twice.report("names", problems, table.field("index_entries"));
}

/// Checks an object's booleans, matrix, groups, and its mesh or component.
fn object<'m>(mut checks: Checks<'_, 'm, Object<'m>>) {
    let object = checks.record;
    let bools = [
        ("is_component", Some(object.is_component)),
        ("is_forced_no_component", object.is_forced_no_component),
        ("is_hidden", object.is_hidden),
    ];
    checks.bools(&bools);
    let matrix = object.world_matrix.rows;
    checks.one("world_matrix", Finite::<16>, Numbers(zerocopy::transmute!(matrix)));
    let [[.., a], [.., b], [.., c], [.., d]] = matrix;
    if [a, b, c, d] != [0.0, 0.0, 0.0, 1.0] {
        let message = format_args!("last column is {a}, {b}, {c}, {d}, not 0, 0, 0, 1");
        checks.report("world_matrix", Severity::Warning, message);
    }
    for group in object.groups.iter().flatten() {
        checks.name("groups", group);
    }
    if let Some(component) = object.component() {
        if component.name().is_none() {
            let message = format_args!("component {}; 0 to 26 are known", component.0);
            checks.report("mesh_index", Severity::Error, message);
        }
    } else if let Some(count) = checks.count(Kind::MESH) {
        checks.one("mesh_index", Below(count), object.mesh_index.into());
    }
}

/// Checks a mesh's vectors and faces.
fn mesh<'m>(checks: Checks<'_, 'm, Mesh<'m>>) {
    let mesh = checks.record;
    finite(mesh, "positions", &mesh.positions, Vec3::to_array, checks.problems);
    finite(mesh, "uvs", &mesh.uvs, Vec2::to_array, checks.problems);
    finite(mesh, "normals", &mesh.normals, Vec3::to_array, checks.problems);
    let lengths = mesh.normals.iter().map(|normal| Length::of(normal.to_array()));
    let check = Check::new(Unit::Direction).array(&mesh.normals, lengths);
    check.report("vectors", checks.problems, mesh.field("normals"));
    faces(mesh, checks.count(Kind::MATERIAL), checks.problems);
}

/// Checks that all numbers of a list of a mesh are finite.
fn finite<T: Element, const N: usize>(
    mesh: &Placed<'_, Mesh<'_>>,
    list: &'static str,
    vectors: &LeArray<'_, T>,
    numbers: fn(&T) -> [f32; N],
    problems: &mut Problems,
) {
    let check = Check::new(Finite).array(vectors, vectors.iter().map(|vector| Numbers(numbers(vector))));
    check.report("vectors", problems, mesh.field(list));
}

/// Checks each index of the faces against the length of its list. `materials` is the number of materials in the map, if
/// known.
fn faces(mesh: &Placed<'_, Mesh<'_>>, materials: Option<u64>, problems: &mut Problems) {
    let faces = &mesh.faces;
    let lengths = [mesh.positions.len(), mesh.uvs.len(), mesh.normals.len()];
    let [mut positions, mut uvs, mut normals] = lengths.map(|length| Check::new(Below(length as u64)));
    // If the number of materials is unknown, any index is accepted.
    let mut used = Check::new(Below(materials.unwrap_or(u64::MAX)));
    let mut flags = Check::new(Broken::new(Code::Bool, "neither 0 nor 1"));
    // The size of a face, which depends on the version.
    let step = faces.as_bytes().len().checked_div(faces.len()).unwrap_or(0);
    let rows = Rows::new(faces.offset(), step);
    for (index, face) in faces.iter().enumerate() {
        let offset = rows.offset_of(index as u64);
        let corners = face.corners();
        let list = ("faces", index);
        // A corner has three indices of 4 bytes. The material fields follow the last corner.
        let corner_rows = Rows::new(offset, 12);
        positions.list(list, corner_rows, corners.iter().map(|corner| corner.position.into()));
        uvs.list(list, corner_rows.into(4), corners.iter().map(|corner| corner.uv.into()));
        normals.list(list, corner_rows.into(8), corners.iter().map(|corner| corner.normal.into()));
        let flag_offset = corner_rows.offset_of(3);
        // The flag takes what the corners, 36 bytes, and the index of the material, 4 bytes, leave of the face.
        let flag_bytes = (step as u64).saturating_sub(40);
        match face.material() {
            Some(material) => used.next(flag_offset.saturating_add(flag_bytes), material.into()),
            None => used.skip(),
        }
        flags.look(flag_offset, face.use_material, face.use_material <= 1);
    }
    let place = mesh.field("faces");
    positions.report("positions", problems, place);
    uvs.report("texture coordinates", problems, place);
    normals.report("normals", problems, place);
    used.report("materials", problems, place);
    flags.report("uses of a material", problems, place);
}

/// Checks a material's booleans, colors, and texture.
fn material<'m>(mut checks: Checks<'_, 'm, Material<'m>>) {
    let material = checks.record;
    let bools = [
        ("use_texture", Some(material.use_texture)),
        ("alpha_test", material.alpha_test),
        ("alpha_blend", material.alpha_blend),
        ("z_buffer", material.z_buffer),
        ("two_sided", material.two_sided),
    ];
    checks.bools(&bools);
    let colors = [
        ("ambient", Some(material.colors.ambient.to_array())),
        ("diffuse", Some(material.colors.diffuse.to_array())),
        ("specular", Some(material.colors.specular.to_array())),
        ("emissive", material.emissive),
    ];
    for (name, color) in colors {
        let Some(color) = color else { continue };
        checks.one(name, Finite, Numbers(color));
        checks.one(name, UnitRange, Numbers(color));
    }
    if let Some(power) = material.power {
        checks.one("power", Finite, Numbers([power]));
    }
    if let Some(texture) = material.texture()
        && let Some(count) = checks.count(Kind::TEXTURE)
    {
        checks.one("texture_index", Below(count), texture.into());
    }
}

/// Checks a texture's boolean and name, and whether the zip has its image exactly if it should.
fn texture<'m>(mut checks: Checks<'_, 'm, Texture<'m>>) {
    let texture = checks.record;
    let name = texture.file_name;
    checks.bools(&[("is_external", Some(texture.is_external))]);
    checks.name("file_name", name);
    let has_folder = name.chars().flatten().any(|c| matches!(c, '/' | '\\' | ':'));
    if has_folder || name == ".." {
        let message = format_args!("{name:?} is more than the name of a file");
        checks.report("file_name", Severity::Warning, message);
    }
    // Without a zip, there are no images to compare with.
    if checks.record.map.source.archive().is_none() {
        return;
    }
    match (texture.is_external.is_set(), texture.entry_of_name().is_some()) {
        (false, false) => {
            let message = format_args!("embedded, but the zip has no Texture/{name}");
            checks.report("file_name", Severity::Error, message);
        }
        (true, true) => {
            let message = format_args!("external, but the zip has Texture/{name}, which nothing shows");
            checks.report("is_external", Severity::Warning, message);
        }
        _ => {}
    }
}
