//! What can be wrong with a map.

mod faces;
mod zip;

use super::index::{Budget, List, Record};
use super::table::{Table, TableId};
use super::{Component, Map, Material, Mesh, Object, Texture};
use crate::error::{Context, Error};
use crate::summary::Problems;
use crate::view::{LeArray, Utf32Str};

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
    let warn = |problems: &mut Problems, offset: u64, index: usize, message: String| {
        problems.warning(&table.locate(Error::malformed(message).at(offset)).within_item(T::LIST, index));
    };
    let steps = places.iter().zip(places.iter().skip(1));
    if let Some((_, (offset, index))) = steps.into_iter().find(|((one, _), (next, _))| next < one) {
        warn(problems, *offset, *index, "lies before the record that the index names before it".to_owned());
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
                warn(problems, offset, index, format!("the index names this place for {}[{other}] too", T::LIST));
                budget.spend(reached.unwrap_or(table.len()).saturating_sub(offset));
                continue;
            }
            Some((_, other)) if reached.is_some_and(|reached| offset < reached) => {
                let message = format!("starts inside {}[{other}]", T::LIST);
                problems.error(&table.locate(Error::malformed(message).at(offset)).within_item(T::LIST, index));
                continue;
            }
            _ => {}
        }
        if let Some(gap) =
            reached.map(|reached| offset.saturating_sub(reached)).filter(|gap| *gap > 0 && offset < table.len())
        {
            warn(problems, offset, index, format!("{gap} bytes before it belong to no record"));
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
            Error::malformed(format!("{tail} bytes behind the last record")).at(table.len().saturating_sub(tail));
        problems.warning(&table.locate(error));
    }
}

/// What the checks of a record need besides it.
struct Checks<'m> {
    map: &'m Map<'m>,
    table: Table<'m>,
}

impl Checks<'_> {
    fn error<'m, T: Record<'m>>(&self, record: &T, message: String) -> Error {
        self.table.locate(Error::malformed(message).at(record.start())).within_item(T::LIST, record.at().index)
    }

    /// Bools that a program wrote are 0 or 1.
    fn bools<'m, T: Record<'m>>(&self, record: &T, bools: &[(&str, u32)], problems: &mut Problems) {
        for (name, value) in bools.iter().filter(|(_, value)| *value > 1) {
            problems.warning(&self.error(record, format!("{name} is {value}, which is neither 0 nor 1")));
        }
    }

    fn finite<'m, T: Record<'m>>(
        &self,
        record: &T,
        name: &str,
        mut numbers: impl Iterator<Item = f32>,
        problems: &mut Problems,
    ) {
        if let Some(number) = numbers.find(|number| !number.is_finite()) {
            problems.warning(&self.error(record, format!("{name} has a component that is {number}")));
        }
    }

    fn name<'m, T: Record<'m>>(&self, record: &T, what: &str, name: Utf32Str<'_>, problems: &mut Problems) {
        name_trouble(name, |bad, message| {
            let error = self.error(record, format!("{what} {message}"));
            if bad { problems.error(&error) } else { problems.warning(&error) }
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

fn name_trouble(name: Utf32Str<'_>, mut tell: impl FnMut(bool, String)) {
    if let Some(unit) = name.chars().find_map(Result::err) {
        tell(true, format!("{name:?} has the code point {unit:#x}, which is no character"));
    }
    if name.chars().any(|c| c == Ok('\0')) {
        tell(false, format!("{name:?} has a NUL in it"));
    }
}

fn index_names(map: &Map<'_>, problems: &mut Problems) {
    let Ok(table) = map.table(TableId::Index) else { return };
    for entry in map.index().into_iter().flatten().flatten() {
        let located = |message: String| table.locate(Error::malformed(message).at(entry.offset));
        name_trouble(entry.name, |bad, message| {
            let error = located(format!("name {message}"));
            if bad { problems.error(&error) } else { problems.warning(&error) }
        });
        if entry.kind.name().is_none() {
            problems.warning(&located(format!("entry of TYPE {}, which readers skip", entry.kind.0)));
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
    checks.finite(object, "WORLD_MATRIX", matrix.into_iter().flatten(), problems);
    let [[.., a], [.., b], [.., c], [.., d]] = matrix;
    if [a, b, c, d] != [0.0, 0.0, 0.0, 1.0] {
        let message = format!("last column of WORLD_MATRIX is {a}, {b}, {c}, {d}, not 0, 0, 0, 1");
        problems.warning(&checks.error(object, message));
    }
    for group in object.groups().ok().flatten().into_iter().flatten().flatten() {
        checks.name(object, "group", group, problems);
    }
    // The number comes behind the groups, so trouble in those is told here too.
    let Some(number) = problems.ok(object.mesh_index()) else { return };
    if object.is_component != 0 {
        if Component(number).name().is_none() {
            problems.error(&checks.error(object, format!("component {number}; 0 to 26 are known")));
        }
    } else if let Some(count) = checks.count(TableId::Meshes).filter(|count| number as usize >= *count) {
        problems.error(&checks.error(object, format!("MESH_INDEX {number}, but the map has {count} meshes")));
    }
}

fn mesh<'m>(mesh: &Mesh<'m>, checks: &Checks<'m>, problems: &mut Problems) {
    let lists = [
        mesh.positions().map(|list| (list.len(), finite(list))),
        mesh.uvs().map(|list| (list.len(), finite(list))),
        mesh.normals().map(|list| (list.len(), finite(list))),
    ];
    let mut lengths = [0; 3];
    for ((length, list), name) in lengths.iter_mut().zip(lists).zip(["positions", "uvs", "normals"]) {
        // A list that does not fit hides those behind it.
        let Some((count, odd)) = problems.ok(list) else { return };
        *length = count;
        if let Some((element, offset)) = odd {
            let error = Error::malformed(format!("element {element} has a component that is no finite number"));
            problems.warning(&mesh.locate(error.at(offset).within(name)));
        }
    }
    if let Some(faces) = problems.ok(mesh.faces()) {
        faces::check(mesh, &faces, lengths, checks.count(TableId::Materials), problems);
    }
}

/// The first element with a component that is not finite, and where it lies.
fn finite<T: crate::view::Element + FloatRecord>(list: LeArray<'_, T>) -> Option<(usize, u64)> {
    let index = list.iter().position(|element| !element.is_finite())?;
    Some((index, list.offset().saturating_add((index as u64).saturating_mul(size_of::<T>() as u64))))
}

trait FloatRecord {
    fn is_finite(&self) -> bool;
}

impl FloatRecord for crate::view::Vec2 {
    fn is_finite(&self) -> bool {
        self.to_array().iter().all(|number| number.is_finite())
    }
}

impl FloatRecord for crate::view::Vec3 {
    fn is_finite(&self) -> bool {
        self.to_array().iter().all(|number| number.is_finite())
    }
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
        checks.finite(material, name, color.into_iter().flat_map(|color| color.to_array()), problems);
    }
    checks.finite(material, "SPECULAR_POWER", material.power().into_iter(), problems);
    let (texture, count) = (material.texture(), checks.count(TableId::Textures));
    if let Some((texture, count)) = texture.zip(count).filter(|(texture, count)| *texture as usize >= *count) {
        problems.error(&checks.error(material, format!("MAP_KD {texture}, but the map has {count} textures")));
    }
}

fn texture<'m>(texture: &Texture<'m>, checks: &Checks<'m>, problems: &mut Problems) {
    let name = texture.file_name;
    checks.bools(texture, &[("IS_EXTERNAL", texture.is_external)], problems);
    checks.name(texture, "FILENAME", name, problems);
    let has_folder = name.chars().flatten().any(|c| matches!(c, '/' | '\\' | ':'));
    if has_folder || name == ".." {
        problems.warning(&checks.error(texture, format!("FILENAME {name:?} is more than the name of a file")));
    }
    if texture.is_external == 0 && texture.image().is_none() && checks.map.source.archive().is_some() {
        problems.error(&checks.error(texture, format!("embedded, but the zip has no Texture/{name}")));
    }
}
