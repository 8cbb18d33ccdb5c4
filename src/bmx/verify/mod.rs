//! What can be wrong with a map.

mod faces;
mod zip;

use std::fmt;

use super::index::{Budget, List, Record};
use super::table::{Table, TableId};
use super::{Component, Map, Material, Mesh, Object, Texture};
use crate::check::{self, Below, Broken, Check, Finite, Length, Numbers, Unit};
use crate::error::{Context, Error};
use crate::summary::{Code, Problems, Severity};
use crate::view::{Element, LeArray, Utf32Str, Vec2, Vec3};

pub(super) fn map(map: &Map<'_>, problems: &mut Problems) {
    if let Some(archive) = map.source.archive() {
        zip::archive(map, archive, problems);
    }
    for id in TableId::ALL {
        problems.ok(map.table(id));
    }
    match map.positions() {
        Ok(index) => index.broken.iter().for_each(|error| problems.error(error)),
        Err(error) => {
            if map.table(TableId::Index).is_ok() {
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
/// Goes by place in the table, and looks at no byte twice: records that overlap are named, and the first one checked.
fn records<'m, T: Record<'m>>(map: &'m Map<'m>, problems: &mut Problems, check: fn(&T, &Checks<'m>, &mut Problems)) {
    let (Ok(list), Ok(table)) = (List::<T>::new(map), map.table(T::TABLE.0)) else { return };
    // Their places take 16 bytes each.
    let held = problems.budget().hold((list.len() as u64).saturating_mul(16));
    let Some(_held) = problems.ok(held) else { return };
    let mut places: Vec<(u64, usize)> =
        (0..list.len()).map_while(|index| Some((list.entry(index)?.record_offset, index))).collect();
    let tell = |problems: &mut Problems, severity, offset: u64, index: usize, message: fmt::Arguments<'_>| {
        let error = || Error::malformed(message.to_string()).at(offset);
        problems.tell(severity, || table.locate(error()).within_item(T::LIST, index));
    };
    let steps = places.iter().zip(places.iter().skip(1));
    if let Some((_, (offset, index))) = steps.into_iter().find(|((one, _), (next, _))| next < one) {
        let message = format_args!("lies before the record that the index names before it");
        tell(problems, Severity::Warning, *offset, *index, message);
    }
    places.sort_unstable();
    let checks = Checks { map, table };
    let mut budget = Budget::new(map, T::TABLE.0);
    // Where the records so far end, if it is known of all of them.
    let whole = map.positions().is_ok_and(|index| index.broken.is_none());
    let mut reached = whole.then_some(0);
    let mut last: Option<(u64, usize)> = None;
    for (offset, index) in places {
        match last {
            Some((earlier, other)) if earlier == offset => {
                let message = format_args!("the index names this place for {}[{other}] too", T::LIST);
                tell(problems, Severity::Warning, offset, index, message);
                budget.spend(reached.unwrap_or(table.len()).saturating_sub(offset));
                continue;
            }
            Some((_, other)) if reached.is_some_and(|reached| offset < reached) => {
                let message = format_args!("starts inside {}[{other}]", T::LIST);
                tell(problems, Severity::Error, offset, index, message);
                continue;
            }
            _ => {}
        }
        if let Some(gap) =
            reached.map(|reached| offset.saturating_sub(reached)).filter(|gap| *gap > 0 && offset < table.len())
        {
            let message = format_args!("{gap} bytes before it belong to no record");
            tell(problems, Severity::Warning, offset, index, message);
        }
        let Some(record) = list.get(index) else { return };
        if let Err(error) = budget.pay(&record) {
            return problems.error(&error);
        }
        let Some(record) = problems.ok(record) else {
            reached = None;
            last = None;
            continue;
        };
        check(&record, &checks, problems);
        reached = record.end().ok().filter(|_| whole);
        last = Some((offset, index));
    }
    problems.ok(budget.check());
    if let Some(tail) = reached.and_then(|reached| table.len().checked_sub(reached)).filter(|tail| *tail > 0) {
        let error =
            Error::malformed(format!("{tail} bytes after the last record")).at(table.len().saturating_sub(tail));
        problems.warning(&table.locate(error));
    }
}

/// What the checks of a record need besides it.
struct Checks<'m> {
    map: &'m Map<'m>,
    table: Table<'m>,
}

impl Checks<'_> {
    fn place<'m, T: Record<'m>>(&self, record: &T, error: Error) -> Error {
        self.table.locate(error).within_item(T::LIST, record.at().index)
    }

    fn tell<'m, T: Record<'m>>(
        &self,
        record: &T,
        severity: Severity,
        message: impl fmt::Display,
        problems: &mut Problems,
    ) {
        problems.tell(severity, || self.place(record, Error::malformed(message.to_string()).at(record.start())));
    }

    /// Bools that a program wrote are 0 or 1.
    fn bools<'m, T: Record<'m>>(&self, record: &T, bools: &[(&'static str, u32)], problems: &mut Problems) {
        for &(name, value) in bools.iter().filter(|(_, value)| *value > 1) {
            let rule = Broken::new(Code::Bool, "neither 0 nor 1");
            check::one(rule, value, record.start(), problems, |error| self.place(record, error.within(name)));
        }
    }

    fn finite<'m, T: Record<'m>, const N: usize>(
        &self,
        record: &T,
        name: &'static str,
        numbers: [f32; N],
        problems: &mut Problems,
    ) {
        check::one(Finite, Numbers(numbers), record.start(), problems, |error| self.place(record, error.within(name)));
    }

    /// The number of one of so many items.
    fn index<'m, T: Record<'m>>(
        &self,
        record: &T,
        name: &'static str,
        number: u32,
        count: usize,
        problems: &mut Problems,
    ) {
        check::one(Below(count as u64), number.into(), record.start(), problems, |error| {
            self.place(record, error.within(name))
        });
    }

    fn name<'m, T: Record<'m>>(&self, record: &T, what: &str, name: Utf32Str<'_>, problems: &mut Problems) {
        name_trouble(name, |severity, message| {
            self.tell(record, severity, format_args!("{what} {message}"), problems);
        });
    }

    fn count(&self, kind: TableId) -> Option<usize> {
        match kind {
            TableId::Meshes => Some(self.map.meshes().ok()?.len()),
            TableId::Materials => Some(self.map.materials().ok()?.len()),
            TableId::Textures => Some(self.map.textures().ok()?.len()),
            _ => None,
        }
        // A broken index tells nothing about how many there should be.
        .filter(|_| self.map.positions().is_ok_and(|index| index.broken.is_none()))
    }
}

fn name_trouble(name: Utf32Str<'_>, mut tell: impl FnMut(Severity, fmt::Arguments<'_>)) {
    if let Some(unit) = name.chars().find_map(Result::err) {
        tell(Severity::Error, format_args!("{name:?} has the code point {unit:#x}, which is no character"));
    }
    if name.chars().any(|c| c == Ok('\0')) {
        tell(Severity::Warning, format_args!("{name:?} has a NUL in it"));
    }
}

fn index_names(map: &Map<'_>, problems: &mut Problems) {
    let Ok(table) = map.table(TableId::Index) else { return };
    for entry in map.index().into_iter().flatten().flatten() {
        let mut tell = |severity, message: fmt::Arguments<'_>| {
            problems.tell(severity, || table.locate(Error::malformed(message.to_string()).at(entry.offset)));
        };
        name_trouble(entry.name, |severity, message| tell(severity, format_args!("name {message}")));
        if entry.kind.name().is_none() {
            tell(Severity::Warning, format_args!("entry of TYPE {}, which readers skip", entry.kind.0));
        }
    }
}

fn object<'m>(object: &Object<'m>, checks: &Checks<'m>, problems: &mut Problems) {
    let bools = [
        ("IS_COMPONENT", object.is_component),
        ("IS_FORCED_NO_COMPONENT", object.is_forced_no_component.unwrap_or(0).into()),
        ("IS_HIDDEN", object.is_hidden.unwrap_or(0).into()),
    ];
    checks.bools(object, &bools, problems);
    let matrix = object.world_matrix.to_array();
    checks.finite::<_, 16>(object, "WORLD_MATRIX", zerocopy::transmute!(matrix), problems);
    let [[.., a], [.., b], [.., c], [.., d]] = matrix;
    if [a, b, c, d] != [0.0, 0.0, 0.0, 1.0] {
        let message = format_args!("last column of WORLD_MATRIX is {a}, {b}, {c}, {d}, not 0, 0, 0, 1");
        checks.tell(object, Severity::Warning, message, problems);
    }
    for group in object.groups().ok().flatten().into_iter().flatten().flatten() {
        checks.name(object, "group", group, problems);
    }
    // The number comes behind the groups, so trouble in those is told here too.
    let Some(number) = problems.ok(object.mesh_index()) else { return };
    if object.is_component != 0 {
        if Component(number).name().is_none() {
            let message = format_args!("component {number}; 0 to 26 are known");
            checks.tell(object, Severity::Error, message, problems);
        }
    } else if let Some(count) = checks.count(TableId::Meshes) {
        checks.index(object, "MESH_INDEX", number, count, problems);
    }
}

fn mesh<'m>(mesh: &Mesh<'m>, checks: &Checks<'m>, problems: &mut Problems) {
    let Some(positions) = problems.ok(mesh.positions()) else { return };
    finite(mesh, "positions", &positions, Vec3::to_array, problems);
    // A list that does not fit hides those behind it.
    let Some(uvs) = problems.ok(mesh.uvs()) else { return };
    finite(mesh, "uvs", &uvs, Vec2::to_array, problems);
    let Some(normals) = problems.ok(mesh.normals()) else { return };
    finite(mesh, "normals", &normals, Vec3::to_array, problems);
    let lengths = normals.iter().map(|normal| Length::of(normal.to_array()));
    let check = Check::new(Unit::Direction).array(&normals, lengths);
    check.tell("vectors", problems, |error| mesh.locate(error.within("normals")));
    let lengths = [positions.len(), uvs.len(), normals.len()];
    if let Some(faces) = problems.ok(mesh.faces()) {
        faces::check(mesh, &faces, lengths, checks.count(TableId::Materials), problems);
    }
}

fn finite<T: Element, const N: usize>(
    mesh: &Mesh<'_>,
    list: &'static str,
    vectors: &LeArray<'_, T>,
    numbers: fn(&T) -> [f32; N],
    problems: &mut Problems,
) {
    let check = Check::new(Finite).array(vectors, vectors.iter().map(|vector| Numbers(numbers(vector))));
    check.tell("vectors", problems, |error| mesh.locate(error.within(list)));
}

fn material<'m>(material: &Material<'m>, checks: &Checks<'m>, problems: &mut Problems) {
    let mut bools = vec![("USE_TEXTURE", material.use_texture())];
    if let Some(switches) = material.switches() {
        bools.extend([
            ("ALPHA_TEST", switches.alpha_test.into()),
            ("ALPHA_BLEND", switches.alpha_blend.into()),
            ("Z_BUFFER", switches.z_buffer.into()),
            ("TWO_SIDED", switches.two_sided.into()),
        ]);
    }
    checks.bools(material, &bools, problems);
    let colors = [
        ("AMBIENT", Some(material.ambient())),
        ("DIFFUSE", Some(material.diffuse())),
        ("SPECULAR", Some(material.specular())),
        ("EMISSIVE", material.emissive()),
    ];
    for (name, color) in colors {
        if let Some(color) = color {
            checks.finite(material, name, color.to_array(), problems);
        }
    }
    if let Some(power) = material.power() {
        checks.finite(material, "SPECULAR_POWER", [power], problems);
    }
    if let Some((texture, count)) = material.texture().zip(checks.count(TableId::Textures)) {
        checks.index(material, "MAP_KD", texture, count, problems);
    }
}

fn texture<'m>(texture: &Texture<'m>, checks: &Checks<'m>, problems: &mut Problems) {
    let name = texture.file_name;
    checks.bools(texture, &[("IS_EXTERNAL", texture.is_external)], problems);
    checks.name(texture, "FILENAME", name, problems);
    let has_folder = name.chars().flatten().any(|c| matches!(c, '/' | '\\' | ':'));
    if has_folder || name == ".." {
        let message = format_args!("FILENAME {name:?} is more than the name of a file");
        checks.tell(texture, Severity::Warning, message, problems);
    }
    if texture.is_external == 0 && texture.image().is_none() && checks.map.source.archive().is_some() {
        let message = format_args!("embedded, but the zip has no Texture/{name}");
        checks.tell(texture, Severity::Error, message, problems);
    }
}
