//! An MLOD model in words.

use std::io::{Result, Write};

use meshpeek::mlod::Model;

use super::{heading, list, plural};

pub(super) fn write(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    heading(out, "LODs")?;
    list(out, model.lods().enumerate(), |out, (index, lod)| match lod {
        Ok(lod) => {
            let points = plural(lod.points().len() as u64, "points");
            let faces = plural(lod.face_count().into(), "faces");
            writeln!(out, "  {index}  resolution {}  {points}, {faces}", lod.resolution())
        }
        Err(error) => writeln!(out, "  {index}  {}", error.message()),
    })
}
