//! LODka3D models: different views of the same data must agree.

pub fn run(data: &[u8]) {
    crate::any::run(data);
    meshpeek::fuzzing::lodka(data);
}
