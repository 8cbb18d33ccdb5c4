//! Ballance maps in their zip: entries, lists and counts must agree.

pub fn run(data: &[u8]) {
    crate::any::run(data);
    meshpeek::fuzzing::bmx(data);
}
