//! Skeletons and models of `model.cfg`, as text or binary: bones have parents before them, within the limits.

use meshpeek::pose::ModelCfg;
use meshpeek::{Budget, Limits};

/// The maximum number of skeletons and models to ask for.
const ENOUGH: usize = 16;

pub fn run(data: &[u8]) {
    let limits = Limits::default().with_decoded_bytes(1 << 22);
    let budget = Budget::new(data.len() as u64, &limits);
    let Ok(config) = ModelCfg::read(data, &budget) else { return };
    assert!(config.unread().len() <= 21);
    let names: Vec<String> = config.skeleton_names().take(ENOUGH).map(|name| name.to_text_lossy()).collect();
    for name in &names {
        let Ok(skeleton) = config.skeleton(name) else { continue };
        assert!(skeleton.bones.iter().all(|[bone, _]| bone.len() <= data.len()));
        // Twice in the same way.
        assert_eq!(config.skeleton(name).ok(), Some(skeleton), "{name}");
    }
    for name in names.iter().map(String::as_str).chain(["model", "Default", ""]) {
        if let Ok(rig) = config.rig(name) {
            let bones = rig.bones();
            assert!(bones.iter().enumerate().all(|(place, bone)| bone.parent.is_none_or(|parent| parent < place)));
            assert_eq!(rig.rest().locals().len(), bones.len());
            assert!(rig.clips().next().is_none());
        }
        if let Ok(Some(model)) = config.model(name) {
            assert!(model.name.to_text_lossy().eq_ignore_ascii_case(name), "{} is not {name}", model.name);
            assert!(model.animations.len() <= data.len() && model.sections.len() <= data.len());
        }
    }
}
