//! Checks maps.

mod zip;

use std::fmt;

use super::index::{List, Listed, OverlapBudget, Placed};
use super::table::{Kind, TableId};
use super::wire::Flag;
use super::{Map, Material, Mesh, Object, Texture};
use crate::base::code::Code;
use crate::base::error::{Context, Error};
use crate::base::text::Utf32Str;
use crate::bytes::{Element, LeArray, Vec2, Vec3};
use crate::check::{self, Below, Broken, Check, Finite, Length, Numbers, Repeated, Rows, Rule, Unit, UnitRange};
use crate::outline::Outline;
use crate::record::describe_fields;
use crate::summary::{Problems, Severity};

pub(super) fn map(map: &Map<'_>, problems: &mut Problems) {
    if let Some(archive) = map.source.archive() {
        zip::archive(map, archive, problems);
    }
    for id in TableId::ALL {
        problems.ok(map.source.table(id));
    }
    match map.positions() {
        Ok(index) => index.broken.iter().for_each(|error| problems.error(error)),
        Err(error) => {
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
/// Proceeds in the order of the table and reads no byte twice. Of records that overlap, only the first is checked; the
/// others are reported.
fn records<'m, T: Listed<'m>>(map: &'m Map<'m>, problems: &mut Problems, check: fn(Checks<'_, 'm, T>)) {
    let (Ok(list), Ok(table)) = (List::<T>::new(map), map.source.table(T::TABLE)) else { return };
    // The list of positions takes 16 bytes for each record.
    let held = problems.budget().hold((list.len() as u64).saturating_mul(16));
    let Some(_held) = problems.ok(held) else { return };
    let mut places: Vec<(u64, usize)> =
        (0..list.len()).map_while(|index| Some((list.entry(index)?.record_offset, index))).collect();
    let report = |problems: &mut Problems, severity, offset: u64, index: usize, message: fmt::Arguments<'_>| {
        let error = || Error::malformed(message.to_string()).at(offset);
        problems.report(severity, || table.locate(error()).within_item(T::LIST, index));
    };
    let steps = places.iter().zip(places.iter().skip(1));
    if let Some((_, (offset, index))) = steps.into_iter().find(|((one, _), (next, _))| next < one) {
        let message = format_args!("lies before the record that the index names before it");
        report(problems, Severity::Warning, *offset, *index, message);
    }
    places.sort_unstable();
    let mut budget = OverlapBudget::new(map, T::TABLE);
    // The end of the records so far, or `None` if an end is unknown.
    let whole = map.positions().is_ok_and(|index| index.broken.is_none());
    let mut reached = whole.then_some(0);
    let mut last: Option<(u64, usize)> = None;
    for (offset, index) in places {
        match last {
            Some((earlier, other)) if earlier == offset => {
                let message = format_args!("the index names this place for {}[{other}] too", T::LIST);
                report(problems, Severity::Warning, offset, index, message);
                budget.spend(reached.unwrap_or(table.len()).saturating_sub(offset));
                continue;
            }
            Some((_, other)) if reached.is_some_and(|reached| offset < reached) => {
                let message = format_args!("starts inside {}[{other}]", T::LIST);
                report(problems, Severity::Error, offset, index, message);
                continue;
            }
            _ => {}
        }
        if let Some(gap) =
            reached.map(|reached| offset.saturating_sub(reached)).filter(|gap| *gap > 0 && offset < table.len())
        {
            let message = format_args!("{gap} bytes before it belong to no record");
            report(problems, Severity::Warning, offset, index, message);
        }
        if let Err(error) = budget.check() {
            return problems.error(&error);
        }
        let Some(record) = list.paid(index, &mut budget) else { return };
        let Some(record) = problems.ok(record) else {
            reached = None;
            last = None;
            continue;
        };
        check(Checks { record: &record, problems });
        reached = Some(record.end).filter(|_| whole);
        last = Some((offset, index));
    }
    problems.ok(budget.check());
    if let Some(tail) = reached.and_then(|reached| table.len().checked_sub(reached)).filter(|tail| *tail > 0) {
        let error = Error::trailing(tail, "the last record").at(table.len().saturating_sub(tail));
        problems.warning(&table.locate(error));
    }
}

/// The context for checking a record.
struct Checks<'c, 'm, T> {
    record: &'c Placed<'m, T>,
    problems: &'c mut Problems,
}

impl<'m, T: Listed<'m>> Checks<'_, 'm, T> {
    fn report(&mut self, field: &'static str, severity: Severity, message: impl fmt::Display) {
        let error = || Error::malformed(message.to_string()).at(place_of(self.record, field)).within(field);
        self.problems.report(severity, || self.record.locate(error()));
    }

    /// Checks a field against a rule.
    fn one<R: Rule>(&mut self, field: &'static str, rule: R, value: R::Value) {
        if rule.holds(value) {
            return;
        }
        let place = |error: Error| self.record.locate(error.within(field));
        check::one(rule, value, place_of(self.record, field), self.problems, place);
    }

    /// Reports booleans other than 0 and 1, the values that programs write.
    fn bools(&mut self, bools: &[(&'static str, Option<Flag>)]) {
        for (name, value) in
            bools.iter().filter_map(|(name, flag)| Some((*name, (*flag)?.0)).filter(|(_, value)| *value > 1))
        {
            self.one(name, Broken::new(Code::Bool, "neither 0 nor 1"), value);
        }
    }

    fn name(&mut self, field: &'static str, name: Utf32Str<'_>) {
        name_trouble(name, |severity, message| self.report(field, severity, message));
    }

    fn count(&self, kind: Kind) -> Option<u64> {
        self.record.map.positions().ok()?.count(kind)
    }
}

/// Returns the offset of a field in the record's table.
#[cold]
fn place_of<'m, T: Listed<'m>>(record: &Placed<'m, T>, field: &str) -> u64 {
    let describe = |out: &mut Outline<'_>| describe_fields::<T, _>(record.cursor(), record.layout, out);
    check::place_of(field, describe).unwrap_or(record.entry.record_offset)
}

fn name_trouble(name: Utf32Str<'_>, mut report: impl FnMut(Severity, fmt::Arguments<'_>)) {
    if let Some(unit) = name.chars().find_map(Result::err) {
        report(Severity::Error, format_args!("{name:?} has the code point {unit:#x}, which is no character"));
    }
    if name.chars().any(|c| c == Ok('\0')) {
        report(Severity::Warning, format_args!("{name:?} has a NUL in it"));
    }
    if name.chars().next() == Some(Ok('\u{feff}')) {
        report(Severity::Warning, format_args!("{name:?} starts with a byte order mark"));
    }
}

fn index_names(map: &Map<'_>, problems: &mut Problems) {
    let Ok(table) = map.source.table(TableId::Index) else { return };
    let entries = || map.index().into_iter().flatten().flatten();
    let names = entries().map(|entry| (entry.kind, entry.name)).enumerate();
    let mut repeated = Repeated::find(entries().count(), names, problems);
    let mut twice = Check::new(Broken::new(Code::Duplicate, "that of another of its kind"));
    for (index, entry) in entries().enumerate() {
        let mut report = |field: &'static str, offset: u64, severity, message: fmt::Arguments<'_>| {
            problems.report(severity, || {
                let error = Error::malformed(message.to_string()).at(offset).within(field);
                table.locate(error.within_item("index_entries", index))
            });
        };
        name_trouble(entry.name, |severity, message| report("name", entry.offset, severity, message));
        if entry.kind.name().is_none() {
            // The kind follows the name.
            let name = (entry.name.as_bytes().len() as u64).saturating_add(4);
            report(
                "kind",
                entry.offset.saturating_add(name),
                Severity::Warning,
                format_args!("TYPE {}, which readers skip", entry.kind.0),
            );
        }
        let is_first = repeated.first_of(index).is_none();
        twice.look(entry.offset, entry.name, is_first);
    }
    twice.report("names", problems, |error| table.locate(error.within("index_entries")));
}

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

fn mesh<'m>(checks: Checks<'_, 'm, Mesh<'m>>) {
    let mesh = checks.record;
    finite(mesh, "positions", &mesh.positions, Vec3::to_array, checks.problems);
    finite(mesh, "uvs", &mesh.uvs, Vec2::to_array, checks.problems);
    finite(mesh, "normals", &mesh.normals, Vec3::to_array, checks.problems);
    let lengths = mesh.normals.iter().map(|normal| Length::of(normal.to_array()));
    let check = Check::new(Unit::Direction).array(&mesh.normals, lengths);
    check.report("vectors", checks.problems, |error| mesh.locate(error.within("normals")));
    faces(mesh, checks.count(Kind::MATERIAL), checks.problems);
}

fn finite<T: Element, const N: usize>(
    mesh: &Placed<'_, Mesh<'_>>,
    list: &'static str,
    vectors: &LeArray<'_, T>,
    numbers: fn(&T) -> [f32; N],
    problems: &mut Problems,
) {
    let check = Check::new(Finite).array(vectors, vectors.iter().map(|vector| Numbers(numbers(vector))));
    check.report("vectors", problems, |error| mesh.locate(error.within(list)));
}

/// Checks each index of the faces against the length of its list.
fn faces(mesh: &Placed<'_, Mesh<'_>>, materials: Option<u64>, problems: &mut Problems) {
    let faces = &mesh.faces;
    let lengths = [mesh.positions.len(), mesh.uvs.len(), mesh.normals.len()];
    let [mut positions, mut uvs, mut normals] = lengths.map(|length| Check::new(Below(length as u64)));
    // If the number of materials is unknown, any index is accepted.
    let mut used = Check::new(Below(materials.unwrap_or(u64::MAX)));
    let mut flags = Check::new(Broken::new(Code::Bool, "neither 0 nor 1"));
    let step = faces.as_bytes().len().checked_div(faces.len()).unwrap_or(0);
    let (rows, bytes) = (Rows::new(faces.offset(), step), step as u64);
    for (index, face) in faces.iter().enumerate() {
        let (offset, corners) = (rows.offset_of(index as u64), face.corners());
        // A corner has three indices. The material fields follow the last corner.
        let each = |number: u64| Rows::new(offset.saturating_add(number.saturating_mul(4)), 12);
        let uses = each(9).offset_of(0);
        let corners = corners.iter();
        let list = ("faces", index);
        positions.list(list, each(0), corners.clone().map(|corner| corner.position.into()));
        uvs.list(list, each(1), corners.clone().map(|corner| corner.uv.into()));
        normals.list(list, each(2), corners.map(|corner| corner.normal.into()));
        match face.material() {
            Some(material) => used.next(uses.saturating_add(bytes.saturating_sub(40)), material.into()),
            None => used.skip(),
        }
        flags.look(uses, face.use_material, face.use_material <= 1);
    }
    let place = |error: Error| mesh.locate(error.within("faces"));
    positions.report("positions", problems, place);
    uvs.report("texture coordinates", problems, place);
    normals.report("normals", problems, place);
    used.report("materials", problems, place);
    flags.report("uses of a material", problems, place);
}

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
    for (name, color) in colors.into_iter().filter_map(|(name, color)| Some((name, color?))) {
        checks.one(name, Finite, Numbers(color));
        checks.one(name, UnitRange, Numbers(color));
    }
    if let Some(power) = material.power {
        checks.one("power", Finite, Numbers([power]));
    }
    if let Some((texture, count)) = material.texture().zip(checks.count(Kind::TEXTURE)) {
        checks.one("texture_index", Below(count), texture.into());
    }
}

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
