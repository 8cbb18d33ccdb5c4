//! The format of the output.

use meshpeek::Format;
use meshpeek::export::FileFormat;

use crate::args::Common;
use crate::failure::Failure;
use crate::output_file::ending;

/// The format of the output, by the extension of its name.
pub(super) fn file_format(common: &Common) -> Result<FileFormat, Failure> {
    match common.output.as_deref().and_then(ending) {
        Some("glb") => Ok(FileFormat::Glb),
        Some("png") => Ok(FileFormat::Png),
        Some("obj") => Ok(FileFormat::Obj),
        Some("ply") => Ok(FileFormat::Ply),
        _ => Err("export needs -o NAME.glb, NAME.obj or NAME.ply for a model, -o NAME.png for a picture of it, or -o \
                 NAME.cpp or NAME.bin for a config"
            .into()),
    }
}

/// The format of a thumbnail. File managers choose its name, which need not end in `.png`.
pub(super) fn thumbnail_format(common: &Common) -> Result<FileFormat, Failure> {
    if common.output.is_none() {
        return Err("export --thumbnail needs -o FILE".into());
    }
    Ok(FileFormat::Png)
}

/// Returns true if a picture of the triangles of this format can be drawn.
pub(crate) fn is_drawn(format: Format) -> bool {
    FileFormat::Png.refused(format).is_none()
}
