//! An asset loader in the style of Bevy: bytes in, plain components out, ready to be sent to another thread.
//!
//! ```sh
//! cargo run --features geometry --example engine -- corpus/b3d/everything.b3d
//! ```

use std::error::Error;
use std::sync::mpsc;

use meshpeek::geometry::{Alpha, Matrix, linear};
use meshpeek::pose::Sampler;
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Limits};

/// A draw call: in Bevy `Mesh`, with `ATTRIBUTE_POSITION` and so on, and `StandardMaterial`.
pub struct Part {
    pub positions: Vec<[f32; 3]>,
    pub indices: Vec<u32>,
    color: [f32; 4],
    image: Option<String>,
    is_blended: bool,
}

/// In Bevy `AnimationClip` and `SkinnedMeshInverseBindposes`.
pub struct Motion {
    name: String,
    seconds: f32,
    pub sampler: Sampler,
    rest: Vec<Matrix>,
}

pub struct Loaded {
    pub parts: Vec<Part>,
    pub motions: Vec<Motion>,
}

/// Does the work of `AssetLoader::load`, given the bytes of its reader.
pub fn load(bytes: &[u8]) -> meshpeek::Result<Loaded> {
    let budget = Budget::new(bytes.len() as u64, &Limits::default());
    let asset = Asset::parse(bytes)?;
    let mut parts = Vec::new();
    for primitive in asset.primitives() {
        let primitive = primitive?;
        if !primitive.place.visible {
            continue;
        }
        let (mesh, material) = (primitive.to_mesh(&budget)?, primitive.material()?);
        parts.push(Part {
            positions: mesh.positions,
            indices: mesh.indices,
            color: material.as_ref().map_or([1.0; 4], |material| linear(material.color)),
            image: material.as_ref().and_then(|material| Some(Name::from(material.base()?.name).text)),
            is_blended: material.is_some_and(|material| !matches!(material.alpha, Alpha::Opaque | Alpha::Image)),
        });
    }
    let mut motions = Vec::new();
    for rig in asset.rigs() {
        let rig = rig?;
        for clip in rig.clips() {
            let clip = clip?;
            motions.push(Motion {
                name: Name::from(clip.name).text,
                seconds: clip.seconds.unwrap_or(0.0),
                sampler: clip.sampler()?,
                rest: rig.rest().world().unwrap_or_default(),
            });
        }
    }
    Ok(Loaded { parts, motions })
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: engine FILE")?;
    let (sender, receiver) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let loaded = std::fs::read(path).map_err(meshpeek::Error::from).and_then(|bytes| load(&bytes));
        // The main thread waits for this, so the send cannot fail.
        let _ = sender.send(loaded);
    });
    let Loaded { parts, motions } = receiver.recv()??;
    worker.join().map_err(|_| "the loader failed")?;
    for Part { positions, indices, color, image, is_blended } in &parts {
        let (vertices, triangles, kind) =
            (positions.len(), indices.len() / 3, if *is_blended { "blended" } else { "opaque" });
        println!("{vertices} vertices, {triangles} triangles, {kind} {color:?} {image:?}");
    }
    for Motion { name, seconds, sampler, rest } in &motions {
        let moved = sampler.pose_at(seconds / 2.0).world().unwrap_or_default();
        let count = moved.iter().zip(rest).filter(|(now, rest)| now != rest).count();
        println!("{name:?}: {seconds} s, {count} of {} bones moved in its middle", rest.len());
    }
    Ok(())
}
