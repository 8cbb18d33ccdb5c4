//! The images of a picture or an export are the files that `refs` finds.

use super::model;
use crate::cli::{Folder, code, program, stderr};

#[test]
fn a_model_has_the_textures_that_refs_finds_by_the_prefix() {
    let folder = Folder::new("refs-images");
    let image = std::fs::read(crate::corpus::root().join("corpus/paa/dxt1.paa")).unwrap();
    let textures = [r"\My\Addon\data\A_co.tga"];
    folder.file("addon/$PBOPREFIX$", "my\\addon");
    folder.file("addon/models/house.p3d", model(&textures, "", ""));
    let export = |name: &str| {
        let mut export = program();
        export.current_dir(&folder.0).args(["export", "addon/models/house.p3d", "-o", name]);
        let output = export.output().unwrap();
        assert!(code(&output) < 2, "{}", stderr(&output));
        std::fs::read(folder.0.join(name)).unwrap()
    };
    let gray = export("none.glb");
    folder.file("addon/data/a_CO.paa", &image);
    let drawn = export("by_prefix.glb");
    assert!(drawn.len() > gray.len());
    // One next to the model with the same name is another file.
    folder.file("addon/models/a_co.paa", b"no image");
    assert_eq!(export("still.glb"), drawn);
    // The game does not find it under another prefix.
    folder.file("addon/$PBOPREFIX$", "other");
    std::fs::remove_file(folder.0.join("addon/models/a_co.paa")).unwrap();
    assert_eq!(export("other.glb"), gray);
}
