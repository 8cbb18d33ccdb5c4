//! The indices of a mesh's faces.

use crate::bmx::{Faces, Mesh};
use crate::error::{Context, Error};
use crate::summary::Problems;

/// Faces with the same kind of trouble: the first, and how many in all.
#[derive(Default)]
struct Tally {
    first: Option<(usize, u32)>,
    count: u64,
}

impl Tally {
    fn add(&mut self, face: usize, value: u32) {
        self.first.get_or_insert((face, value));
        self.count = self.count.saturating_add(1);
    }
}

/// Checks every index against the length of the list it points into, and tells each kind of trouble once.
pub(super) fn check(
    mesh: &Mesh<'_>,
    faces: &Faces<'_>,
    lengths: [usize; 3],
    materials: Option<usize>,
    problems: &mut Problems,
) {
    let [mut position, mut uv, mut normal, mut material, mut flag] = <[Tally; 5]>::default();
    let [positions, uvs, normals] = lengths;
    for (index, face) in faces.iter().enumerate() {
        for corner in &face.corners {
            for (tally, value, length) in [
                (&mut position, corner.position.get(), positions),
                (&mut uv, corner.uv.get(), uvs),
                (&mut normal, corner.normal.get(), normals),
            ] {
                if value as usize >= length {
                    tally.add(index, value);
                }
            }
        }
        if let Some(value) = face.material().filter(|value| materials.is_some_and(|count| *value as usize >= count)) {
            material.add(index, value);
        }
        if face.use_material > 1 {
            flag.add(index, face.use_material.into());
        }
    }
    let size = faces.as_bytes().len().checked_div(faces.len()).unwrap_or(0) as u64;
    let mut tell = |tally: &Tally, bad: bool, message: &dyn Fn(u32) -> String| {
        let Some((face, value)) = tally.first else { return };
        let more = match tally.count {
            1 => String::new(),
            count => format!(" ({count} of the kind in this mesh)"),
        };
        let offset = faces.offset().saturating_add(size.saturating_mul(face as u64));
        let error = Error::malformed(format!("face {face} {}{more}", message(value))).at(offset);
        let error = mesh.locate(error.within("faces"));
        if bad { problems.error(&error) } else { problems.warning(&error) }
    };
    tell(&position, true, &|value| format!("names position {value} of {positions}"));
    tell(&uv, true, &|value| format!("names texture coordinate {value} of {uvs}"));
    tell(&normal, true, &|value| format!("names normal {value} of {normals}"));
    tell(&material, true, &|value| format!("names material {value} of {}", materials.unwrap_or(0)));
    tell(&flag, false, &|value| format!("has USE_MATERIAL {value}, which is neither 0 nor 1"));
}
