//! The indices of a mesh's faces.

use crate::base::code::Code;
use crate::base::error::{Context, Error};
use crate::check::{Below, Broken, Check, Rows};
use crate::formats::bmx::{Mesh, Placed};
use crate::summary::Problems;

/// Checks every index against the length of the list it points into.
pub(super) fn check(mesh: &Placed<'_, Mesh<'_>>, materials: Option<usize>, problems: &mut Problems) {
    let faces = &mesh.faces;
    let lengths = [mesh.positions.len(), mesh.uvs.len(), mesh.normals.len()];
    let [mut positions, mut uvs, mut normals] = lengths.map(|length| Check::new(Below(length as u64)));
    // Where nobody knows how many there are, none is wrong.
    let mut used = Check::new(Below(materials.map_or(u64::MAX, |count| count as u64)));
    let mut flags = Check::new(Broken::new(Code::Bool, "neither 0 nor 1"));
    let rows = Rows::new(faces.offset(), faces.as_bytes().len().checked_div(faces.len()).unwrap_or(0));
    for (index, face) in faces.iter().enumerate() {
        let (offset, corners) = (rows.offset_of(index as u64), face.corners());
        let corners = corners.iter();
        let list = ("faces", index);
        positions.list(list, offset, corners.clone().map(|corner| corner.position.into()));
        uvs.list(list, offset, corners.clone().map(|corner| corner.uv.into()));
        normals.list(list, offset, corners.map(|corner| corner.normal.into()));
        match face.material() {
            Some(material) => used.next(offset, material.into()),
            None => used.skip(),
        }
        flags.look(offset, face.use_material, face.use_material <= 1);
    }
    let place = |error: Error| mesh.locate(error.within("faces"));
    positions.tell("positions", problems, place);
    uvs.tell("texture coordinates", problems, place);
    normals.tell("normals", problems, place);
    used.tell("materials", problems, place);
    flags.tell("uses of a material", problems, place);
}
