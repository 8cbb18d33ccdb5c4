//! Arma textures.

use meshpeek::paa::Texture;

use super::harness::{Examiner, contender, measure};
use super::material::files;

/// The largest mips of real textures.
pub fn textures() -> Vec<Vec<u8>> {
    files("paa", "paa").iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

/// The bytes of all pixels of the largest mips.
pub fn to_pixels(textures: &[Vec<u8>]) -> u64 {
    let pixels = |bytes: &[u8]| -> meshpeek::Result<usize> {
        let mip = Texture::parse(bytes)?.mips().next().expect("a mip")?;
        Ok(mip.to_rgba8()?.len())
    };
    textures.iter().map(|bytes| pixels(bytes).expect("a sound texture") as u64).sum()
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("paa: the largest mip of each texture to RGBA", |question| {
        let textures = textures();
        question.compare(vec![
            contender("meshpeek: to_rgba8", || to_pixels(&textures)),
            measure("its streams alone: block().decode()", || {
                let decoded = |bytes: &[u8]| -> meshpeek::Result<usize> {
                    let mip = Texture::parse(bytes)?.mips().next().expect("a mip")?;
                    Ok(mip.block()?.decode()?.len())
                };
                textures.iter().map(|bytes| decoded(bytes).expect("a sound texture") as u64).sum()
            }),
        ]);
    });
}
