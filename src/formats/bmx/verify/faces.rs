//! Checks the indices of a mesh's faces.

use crate::base::code::Code;
use crate::base::error::{Context, Error};
use crate::check::{Below, Broken, Check, Rows};
use crate::formats::bmx::{Mesh, Placed};
use crate::summary::Problems;

/// Checks each index against the length of its list.
pub(super) fn check(mesh: &Placed<'_, Mesh<'_>>, materials: Option<usize>, problems: &mut Problems) {
    let faces = &mesh.faces;
    let lengths = [mesh.positions.len(), mesh.uvs.len(), mesh.normals.len()];
    let [mut positions, mut uvs, mut normals] = lengths.map(|length| Check::new(Below(length as u64)));
    // If the number of materials is unknown, any index is accepted.
    let mut used = Check::new(Below(materials.map_or(u64::MAX, |count| count as u64)));
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
