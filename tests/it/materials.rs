//! What surfaces look like, by each value that a format stores, in the common form and as glTF: transparency, edges,
//! sides and light. Each case is compared with a second statement of the rule.

use meshpeek::budget::Reservation;
use meshpeek::export::{self, Images, Options};
use meshpeek::geometry::{Alpha, Material, Role, Texture};
use meshpeek::{Asset, Budget, Limits};
use serde_json::{Value as Json, json};

use crate::support::models::document;
use crate::support::models::{Layer, PLAIN, square};
use crate::writer::bmx;
use crate::writer::odol::{self, Lod, Model};

/// The same image for every texture.
struct Image(Vec<u8>);

impl Images for Image {
    fn file(&mut self, _: &Texture<'_>, _: &Reservation<'_>) -> Option<&[u8]> {
        Some(&self.0)
    }
}

/// The first material of a file, as `look` wants it.
fn first<T>(bytes: &[u8], look: impl FnOnce(&Material<'_>) -> T) -> T {
    let asset = Asset::parse(bytes).unwrap();
    let primitive =
        asset.primitives().find_map(|one| one.ok().filter(|one| one.material().is_ok_and(|of| of.is_some())));
    look(&primitive.unwrap().material().unwrap().unwrap())
}

/// The first material of a file and the sampler of its image, as glTF.
fn gltf(bytes: &[u8]) -> (Json, Json) {
    let asset = Asset::parse(bytes).unwrap();
    let (budget, mut out) = (Budget::new(1 << 20, &Limits::default()), Vec::new());
    let mut image = Image(crate::support::models::image());
    let model = export::glb(&asset, &Options::default(), &mut image, &budget).unwrap();
    model.write_to(&mut out).unwrap();
    let document = document(&out);
    // A surface without a material has one without a name.
    let named = document["materials"].as_array().unwrap().iter().find(|material| material["name"].is_string());
    let material = named.unwrap().clone();
    let texture = &material["pbrMetallicRoughness"]["baseColorTexture"]["index"];
    let sampler = texture.as_u64().map_or(Json::Null, |texture| {
        let sampler = document["textures"][texture as usize]["sampler"].as_u64().unwrap();
        document["samplers"][sampler as usize].clone()
    });
    (material, sampler)
}

/// Checks that glTF says of a surface what the common form says.
fn compare(bytes: &[u8], name: &str) {
    let (json, sampler) = gltf(bytes);
    first(bytes, |material| {
        let (mode, cutoff, blend) = match material.alpha {
            Alpha::Opaque => (Json::Null, Json::Null, Json::Null),
            Alpha::Mask(from) => (json!("MASK"), json!(from), Json::Null),
            Alpha::Blend => (json!("BLEND"), Json::Null, Json::Null),
            Alpha::Add => (json!("BLEND"), Json::Null, json!("add")),
            Alpha::Multiply => (json!("BLEND"), Json::Null, json!("multiply")),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!((&json["alphaMode"], &json["alphaCutoff"]), (&mode, &cutoff), "{name}");
        assert_eq!(json["extras"]["blend"], blend, "{name}");
        assert_eq!(json["doubleSided"].as_bool().unwrap_or(false), material.two_sided, "{name}");
        assert_eq!(json["extensions"]["KHR_materials_unlit"].is_object(), material.unlit, "{name}");
        if let Some(base) = material.base() {
            let [u, v] = base.clamped.map(|clamped| if clamped { 33071 } else { 10497 });
            assert_eq!(sampler, json!({ "wrapS": u, "wrapT": v }), "{name}");
        }
    });
}

/// Blitz3D draws with the blend mode of the brush: 2 multiplies, 3 adds. In all others a surface is blended if the brush
/// is not opaque or forces it, or if a texture has opacity whose black is not clear; in mode 0 textures count only if
/// there is one. A first texture with clear black is masked in place of opaque.
fn blitz_alpha(layers: &[u32], opacity: f32, blend: i32, fx: u32) -> Alpha {
    if blend == 2 {
        return Alpha::Multiply;
    }
    if blend == 3 {
        return Alpha::Add;
    }
    let has = |flags: u32, bit: u32| flags / bit % 2 == 1;
    let is_seen_through = layers.iter().any(|flags| has(*flags, 2) && !has(*flags, 4));
    let is_counted = blend != 0 || layers.len() < 2;
    if opacity < 1.0 || has(fx, 32) || is_seen_through && is_counted {
        return Alpha::Blend;
    }
    match layers.first() {
        Some(flags) if has(*flags, 4) => Alpha::Mask(0.5),
        _ => Alpha::Opaque,
    }
}

#[test]
fn every_brush_of_blitz3d_is_drawn_as_it_says() {
    let textures: [&[u32]; 9] = [&[], &[1], &[3], &[5], &[7], &[1, 3], &[5, 3], &[3, 1], &[7, 5]];
    for layers in textures {
        for opacity in [1.0, 0.999, 0.5, 0.0] {
            for blend in -1..=5 {
                for fx in [0, 1, 2, 4, 8, 16, 32, 63, 16 | 1, 32 | 16] {
                    let list: Vec<Layer> = layers.iter().map(|flags| Layer("a.png", *flags, PLAIN)).collect();
                    let bytes = square(&list, [1.0, 1.0, 1.0, opacity], blend, fx);
                    let name = format!("layers {layers:?}, opacity {opacity}, blend {blend}, fx {fx}");
                    first(&bytes, |material| {
                        assert_eq!(material.alpha, blitz_alpha(layers, opacity, blend, fx), "{name}");
                        let [unlit, colors, two_sided] = [1, 2, 16].map(|bit| fx / bit % 2 == 1);
                        let found = (material.unlit, material.vertex_colors, material.two_sided);
                        assert_eq!(found, (unlit, colors, two_sided), "{name}");
                    });
                }
            }
        }
    }
    // One of each kind as glTF.
    for (flags, blend, fx) in [(1, 1, 0), (3, 1, 0), (1, 2, 0), (1, 3, 16), (1, 1, 1 | 16), (1, 1, 32)] {
        let bytes = square(&[Layer("a.png", flags, PLAIN)], [1.0; 4], blend, fx);
        compare(&bytes, &format!("flags {flags}, blend {blend}, fx {fx}"));
    }
}

#[test]
fn every_flag_of_a_texture_of_blitz3d_means_what_its_document_says() {
    for bit in 0..32 {
        let flags = 1 << bit;
        let bytes = square(&[Layer("a.png", flags, PLAIN)], [1.0; 4], 1, 0);
        first(&bytes, |material| {
            let texture = &material.textures[0];
            assert_eq!(texture.clamped, [flags == 16, flags == 32], "{flags}");
            assert_eq!(texture.is_black_clear, flags == 4, "{flags}");
            assert_eq!(texture.uv_set, usize::from(flags == 65536), "{flags}");
            let role = match flags {
                64 | 128 => Role::Environment,
                65536 => Role::Lightmap,
                _ => Role::Base,
            };
            assert_eq!(texture.role, role, "{flags}");
        });
    }
    for (flags, clamped) in [(1, [false; 2]), (17, [true, false]), (33, [false, true]), (49, [true; 2])] {
        let bytes = square(&[Layer("a.png", flags, PLAIN)], [1.0; 4], 1, 0);
        first(&bytes, |material| assert_eq!(material.base().unwrap().clamped, clamped, "{flags}"));
        compare(&bytes, &format!("flags {flags}"));
    }
    // A surface that reflects before it has the light of a second set of coordinates.
    let bytes = square(&[Layer("a.png", 64 | 65536, PLAIN)], [1.0; 4], 1, 0);
    first(&bytes, |material| assert_eq!(material.textures[0].role, Role::Environment));
}

#[test]
fn every_switch_of_a_material_of_ballance_is_drawn() {
    for number in 0..16 {
        let switches = [1, 2, 4, 8].map(|bit| number / bit % 2 == 1);
        let [alpha_test, alpha_blend, _, two_sided] = switches;
        let mut map = bmx::full(14);
        for material in &mut map.materials {
            material.switches = switches;
        }
        let bytes = map.packed();
        let alpha = if alpha_blend {
            Alpha::Blend
        } else if alpha_test {
            Alpha::Mask(0.5)
        } else {
            Alpha::Opaque
        };
        first(&bytes, |material| {
            assert_eq!((material.alpha, material.two_sided), (alpha, two_sided), "{switches:?}");
        });
        compare(&bytes, &format!("{switches:?}"));
    }
}

#[test]
fn every_mode_of_a_material_of_lodka3d_is_drawn() {
    let (_, letters) = crate::letters::files().into_iter().find(|(name, _)| name.ends_with(".lod")).unwrap();
    // A scale, then blending, alpha of the image, mode, wrap, format, texture on, material on, mapping.
    let fields = [&0.125_f32.to_le_bytes()[..], &[0, 0, 1, 0, 0, 1, 1, 0]].concat();
    let places: Vec<usize> = (0..letters.len()).filter(|&at| letters[at..].starts_with(&fields)).collect();
    assert_eq!(places.len(), 1);
    let model = |at: usize, value: u8| {
        let mut bytes = letters.clone();
        bytes[places[0] + 4 + at] = value;
        bytes
    };
    for value in 0..=255 {
        let alpha = match value {
            1 => Alpha::Blend,
            2 => Alpha::Add,
            3 => Alpha::Mask(0.5),
            4 => Alpha::Mask(1.0),
            5 => Alpha::Multiply,
            _ => Alpha::Opaque,
        };
        let bytes = model(0, value);
        first(&bytes, |material| assert_eq!(material.alpha, alpha, "blending {value}"));
        if value < 8 {
            compare(&bytes, &format!("blending {value}"));
        }
        // Both ways, none, up and down only, left and right only.
        let repeats = match value {
            1 => [false, false],
            2 => [false, true],
            3 => [true, false],
            _ => [true, true],
        };
        let bytes = model(3, value);
        let clamped = repeats.map(|repeats| !repeats);
        first(&bytes, |material| assert_eq!(material.base().unwrap().clamped, clamped, "wrap {value}"));
        if value < 8 {
            compare(&bytes, &format!("wrap {value}"));
        }
        let bytes = model(5, value);
        first(&bytes, |material| assert_eq!(material.base().is_some(), value > 0, "texture {value}"));
    }
}

#[test]
fn every_flag_of_a_section_and_of_a_material_of_arma_is_drawn() {
    let section = |flags: u32| {
        let bytes = Model::new(73, vec![Lod::strip(1.0, 8)]).bytes();
        bytes.poke("section", crate::geometry::SECTION_FLAGS, flags.to_le_bytes()).to_vec()
    };
    for bit in 0..32 {
        for flags in [1_u32 << bit, !(1 << bit)] {
            let has = |bit: u32| flags >> bit & 1 == 1;
            let bytes = section(flags);
            let asset = Asset::parse(&bytes).unwrap();
            let primitive = asset.primitives().next().unwrap().unwrap();
            assert_eq!(primitive.place.visible, !has(22) && !has(28), "{flags:#x}");
            first(&bytes, |material| {
                assert_eq!(material.two_sided, has(5), "{flags:#x}");
                assert_eq!(material.alpha, Alpha::Image, "{flags:#x}");
                assert_eq!(material.base().unwrap().clamped, [has(14), has(15)], "{flags:#x}");
            });
        }
    }
    let material = |flags: u32| {
        let material =
            odol::material(11, 1, false).poke("codes", 16 + "data\\wall.bisurf".len() + 1 + 4, flags.to_le_bytes());
        let mut lod = Lod { materials: vec![material], ..Lod::strip(1.0, 5) };
        lod.sections[0].2 = 0;
        Model::new(50, vec![lod]).to_vec()
    };
    for bit in 0..32 {
        for flags in [1_u32 << bit, !(1 << bit), (1 << bit) - 1] {
            // The highest of the three that are known.
            let alpha = match flags >> 6 & 7 {
                4.. => Alpha::Mask(64.0 / 255.0),
                2 | 3 => Alpha::Mask(0.5),
                1 => Alpha::Add,
                _ => Alpha::Image,
            };
            first(&material(flags), |material| assert_eq!(material.alpha, alpha, "{flags:#x}"));
        }
    }
}
