pub(super) fn map(_: &super::Map<'_>, _: &mut crate::summary::Problems) {}
