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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::verbs::Cli;

    #[test]
    fn the_ending_of_the_output_is_its_format_unless_it_is_a_thumbnail() {
        let endings = [
            ("glb", Some(FileFormat::Glb)),
            ("obj", Some(FileFormat::Obj)),
            ("ply", Some(FileFormat::Ply)),
            ("png", Some(FileFormat::Png)),
            ("gltf", None),
            ("jpg", None),
            ("json", None),
            ("csv", None),
            ("tsv", None),
        ];
        let common = |name: &str| Cli::try_parse_from(["meshpeek", "limits", "-o", name]).unwrap().common;
        for (ending, expected) in endings {
            for name in [format!("x.{ending}"), format!("x.{}", ending.to_uppercase()), format!("a.glb.{ending}")] {
                assert_eq!(file_format(&common(&name)).ok(), expected, "{name}");
                assert_eq!(thumbnail_format(&common(&name)).ok(), Some(FileFormat::Png), "{name}");
            }
            for name in [ending.to_owned(), format!(".{ending}"), format!("x.{ending}/")] {
                assert_eq!(file_format(&common(&name)).ok(), None, "{name}");
                assert_eq!(thumbnail_format(&common(&name)).ok(), Some(FileFormat::Png), "{name}");
            }
        }
        let none = Cli::try_parse_from(["meshpeek", "limits"]).unwrap().common;
        assert!(file_format(&none).is_err() && thumbnail_format(&none).is_err());
    }
}
