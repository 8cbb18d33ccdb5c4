//! A writer of indices of textures.

use super::bytes::Bytes;
use super::paa;

/// What an index says of a texture.
#[derive(Clone)]
pub struct Texture {
    pub path: String,
    pub purpose: u32,
    pub kind: u32,
    /// Blue, green, red and alpha.
    pub average: [u8; 4],
    /// `None` without the tag `MAXC`.
    pub max: Option<[u8; 4]>,
    /// What the tag `FLAG` says.
    pub flag: u8,
    pub mips: Vec<Mip>,
    pub file_size: u32,
}

#[derive(Clone)]
pub struct Mip {
    pub sides: [u16; 2],
    pub address: u32,
}

/// The suffixes of names, and what they say of the texture.
const PURPOSES: [(&str, u32); 6] = [("_dt", 2), ("_nohq", 3), ("_mc", 7), ("_as", 8), ("_smdi", 9), ("_ti_ca", 13)];

impl Texture {
    /// Describes a texture as the tools of Arma do.
    pub fn of(path: &str, texture: &paa::Texture) -> Self {
        let color = |name: &str| {
            let (_, data) = texture.tags.iter().find(|(tag, _)| *tag == name)?;
            data.as_slice().try_into().ok()
        };
        let flag = texture.tags.iter().find(|(tag, _)| *tag == "FLAG").map_or(0, |(_, data)| data[0]);
        let bytes = texture.bytes();
        let mut address = bytes.at("mip") as u32;
        let mut mips = Vec::new();
        for mip in &texture.mips {
            let sides = [mip.sides[0] & 0x7fff, mip.sides[1]];
            if sides[0].min(sides[1]) >= 4 {
                mips.push(Mip { sides, address });
            }
            address += 7 + mip.data.len() as u32;
        }
        let kind = match texture.kind {
            paa::AI88 => 1,
            paa::ARGB1555 => 3,
            paa::ARGB4444 => 4,
            paa::ARGB8888 => 5,
            blocks => u32::from(blocks & 0xff) + 5,
        };
        let stem = path.rsplit_once('.').unwrap().0;
        let purpose = PURPOSES.iter().find(|(suffix, _)| stem.ends_with(suffix)).map_or(0, |(_, purpose)| *purpose);
        Self {
            path: path.to_owned(),
            purpose,
            kind,
            average: color("AVGC").unwrap(),
            max: color("MAXC"),
            flag,
            mips,
            file_size: bytes.len() as u32,
        }
    }

    pub fn bytes(&self) -> Bytes {
        let [blue, green, red, alpha] = self.average;
        let bytes = Bytes::new().mark("palette_count").u32(1).u32(0).mark("average");
        let bytes = bytes.f32s([red, green, blue, alpha].map(|channel| f32::from(channel) / 255.0));
        let bytes = bytes.raw(self.average).raw(self.max.unwrap_or([0xff; 4])).mark("clamp").u32(0).u32(u32::MAX);
        let bytes = bytes.mark("flags").u8(self.max.is_some().into()).u8((self.flag == 1).into());
        let bytes = bytes.u8((self.flag == 2).into()).u8((self.flag == 1 && alpha < 128).into());
        let count = self.mips.len() as u32;
        let bytes = bytes.mark("mip_count").u32(count).mark("kind").u32(self.kind);
        let bytes = bytes.u8(1).u8(self.path.ends_with(".paa").into()).mark("path").cstr(&self.path);
        let mut bytes = bytes.mark("purpose").u32(self.purpose).mark("mips").u32(count).mark("first_mip");
        for mip in &self.mips {
            bytes = bytes.raw(mip.sides.map(u16::to_le_bytes).as_flattened()).raw([0, 0]);
            bytes = bytes.u8(self.kind as u8).u8(3).u32(mip.address);
        }
        bytes.mark("file_size").u32(self.file_size)
    }
}

/// An index. The marks of textures are those of the last one.
pub fn file(textures: &[Texture]) -> Bytes {
    let header = Bytes::new().raw(b"0DHT").mark("version").u32(1).mark("count").u32(textures.len() as u32);
    textures.iter().fold(header, |bytes, texture| bytes.part(&texture.bytes()))
}

/// Textures of several kinds, with their paths.
pub fn textures() -> Vec<(&'static str, paa::Texture)> {
    let chain = paa::Texture::chain;
    let dark = paa::Texture { tags: vec![("AVGC", vec![1, 2, 3, 64])], ..chain(paa::DXT5, [16, 16], 4) };
    vec![
        ("data\\house_co.paa", chain(paa::DXT1, [64, 64], 4).lzo()),
        ("data\\leaf_ca.paa", chain(paa::DXT1, [16, 8], 1).flags(2)),
        ("data\\glass_ti_ca.paa", dark.flags(1)),
        ("data\\house_nohq.paa", chain(paa::DXT5, [32, 32], 4).flags(1).tag("SWIZ", [5, 4, 2, 3])),
        ("icon.paa", chain(paa::ARGB1555, [8, 8], 1)),
        ("sign.pac", chain(paa::ARGB4444, [16, 16], 4).flags(1)),
    ]
}

/// The index of these textures.
pub fn sound() -> Bytes {
    let textures: Vec<_> = textures().iter().map(|(path, texture)| Texture::of(path, texture)).collect();
    file(&textures)
}

/// Files for `corpus/texheaders`.
pub fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        // Mips that are not listed, flags of each kind, with and without MAXC; a `.pac`.
        ("everything.bin", sound().to_vec()),
        // An addon without textures.
        ("empty.bin", file(&[]).to_vec()),
    ]
}

/// Damaged indices for `corpus/hostile`.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let sound = sound();
    let max = u32::MAX.to_le_bytes();
    let set = |name, value: u32| sound.clone().set(name, value.to_le_bytes()).to_vec();
    let poke = |name, distance, value: &[u8]| sound.clone().poke(name, distance, value).to_vec();
    let [mut many, mut empty] = [&textures()[0], &textures()[1]].map(|(path, texture)| Texture::of(path, texture));
    many.mips = (0..17).map(|address| Mip { sides: [4, 4], address: 200 + address }).collect();
    empty.mips.clear();
    vec![
        ("texheaders_version.bin", set("version", 2)),
        // More textures and mips than there are bytes.
        ("texheaders_count.bin", sound.clone().set("count", max).to_vec()),
        ("texheaders_mips.bin", sound.clone().set("mips", max).to_vec()),
        // One texture more than there is, but not more than fit.
        ("texheaders_one_more.bin", set("count", 7)),
        ("texheaders_mip_count.bin", set("mip_count", 16)),
        ("texheaders_many_mips.bin", file(&[many, empty]).to_vec()),
        ("texheaders_kind.bin", set("kind", 11)),
        ("texheaders_mip_kind.bin", poke("first_mip", 12 + 6, &[5])),
        ("texheaders_order.bin", poke("first_mip", 12 + 8, &[1, 0, 0, 0])),
        ("texheaders_address.bin", set("file_size", 128)),
        ("texheaders_purpose.bin", set("purpose", 14)),
        ("texheaders_no_path_end.bin", sound.to_vec()[..sound.at("path") + 5].to_vec()),
        ("texheaders_not_a_number.bin", set("average", f32::NAN.to_bits())),
        ("texheaders_palettes.bin", set("palette_count", 0)),
        ("texheaders_flag.bin", poke("flags", 1, &[2])),
        ("texheaders_bytes_behind.bin", sound.clone().raw("left over").to_vec()),
        ("texheaders_cut.bin", sound.to_vec()[..sound.at("file_size") + 3].to_vec()),
    ]
}
