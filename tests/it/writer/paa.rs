//! A writer of Arma textures.

use super::bytes::Bytes;
use super::lzss;

pub const P8: u16 = 0;
pub const ARGB1555: u16 = 0x1555;
pub const ARGB4444: u16 = 0x4444;
pub const AI88: u16 = 0x8080;
pub const ARGB8888: u16 = 0x8888;
pub const DXT1: u16 = 0xff01;
pub const DXT5: u16 = 0xff05;

/// A tag; the name is written from its last letter to its first.
pub type Tag = (&'static str, Vec<u8>);

/// A mip as stored: its width may have bit 15 set.
#[derive(Clone)]
pub struct Mip {
    pub sides: [u16; 2],
    /// True if the numbers 1234 and 8765 precede the sides.
    pub is_marked: bool,
    pub data: Vec<u8>,
}

/// A texture, to which the writer adds the tag `OFFS` if it has other tags.
#[derive(Clone)]
pub struct Texture {
    /// 0 for none.
    pub kind: u16,
    pub tags: Vec<Tag>,
    pub palette: Vec<[u8; 3]>,
    pub mips: Vec<Mip>,
}

/// The average color as writers store it, and white.
fn colors() -> Vec<Tag> {
    vec![("AVGC", vec![0x20, 0x40, 0x80, 0xff]), ("MAXC", vec![0xff; 4])]
}

/// Bytes of a plain pattern that changes from place to place.
pub fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 % 61 * 4) as u8 ^ (at / 97) as u8).collect()
}

/// Returns the pattern as indices below `colors`.
pub fn indices(len: usize, colors: u8) -> Vec<u8> {
    pattern(len).into_iter().map(|byte| byte / 4 % colors).collect()
}

/// How many bytes the pixels take.
pub fn need(kind: u16, [width, height]: [u16; 2]) -> usize {
    let (width, height) = (usize::from(width), usize::from(height));
    match kind {
        DXT1 => width.div_ceil(4) * height.div_ceil(4) * 8,
        0xff02.. => width.div_ceil(4) * height.div_ceil(4) * 16,
        ARGB8888 => width * height * 4,
        P8 => width * height,
        _ => width * height * 2,
    }
}

pub fn lzo(plain: &[u8]) -> Vec<u8> {
    lzo1x::compress(plain, lzo1x::CompressLevel::new(9))
}

/// An LZSS stream with a checksum of signed bytes.
pub fn lzss_signed(plain: &[u8]) -> Vec<u8> {
    let mut stream = lzss::pack(plain);
    let sum = plain.iter().fold(0_u32, |sum, &byte| sum.wrapping_add_signed((byte as i8).into()));
    let at = stream.len() - 4;
    stream[at..].copy_from_slice(&sum.to_le_bytes());
    stream
}

pub fn rle(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for run in plain.chunk_by(|a, b| a == b).flat_map(|run| run.chunks(128)) {
        match run {
            &[one] => out.extend([0, one]),
            _ => out.extend([0x7f + run.len() as u8, run[0]]),
        }
    }
    out
}

impl Mip {
    /// Packed as tools pack this kind.
    pub fn of(kind: u16, sides: [u16; 2], plain: &[u8]) -> Self {
        let data = match kind {
            0xff00.. => plain.to_vec(),
            P8 => rle(plain),
            _ => lzss_signed(plain),
        };
        Self { sides, is_marked: false, data }
    }

    pub fn lzo(self) -> Self {
        let [width, height] = self.sides;
        Self { sides: [width | 0x8000, height], data: lzo(&self.data), ..self }
    }
}

impl Texture {
    /// A texture with the usual tags and mips down to a side of `least`.
    pub fn chain(kind: u16, mut sides: [u16; 2], least: u16) -> Self {
        let palette = if kind == P8 { (0..64).map(|at| [at * 4, 255 - at, at]).collect() } else { Vec::new() };
        let mut mips = Vec::new();
        while sides.into_iter().min() >= Some(least) {
            let plain = if kind == P8 { indices(need(kind, sides), 64) } else { pattern(need(kind, sides)) };
            mips.push(Mip::of(kind, sides, &plain));
            sides = sides.map(|side| (side / 2).max(1));
            if mips.last().unwrap().sides == [1, 1] {
                break;
            }
        }
        Self { kind, tags: colors(), palette, mips }
    }

    pub fn tag(mut self, name: &'static str, data: impl AsRef<[u8]>) -> Self {
        self.tags.push((name, data.as_ref().to_vec()));
        self
    }

    pub fn flags(self, flags: u32) -> Self {
        self.tag("FLAG", flags.to_le_bytes())
    }

    /// Packs the mips that get shorter by it.
    pub fn lzo(mut self) -> Self {
        for mip in &mut self.mips {
            let packed = mip.clone().lzo();
            if packed.data.len() < mip.data.len() {
                *mip = packed;
            }
        }
        self
    }

    pub fn bytes(&self) -> Bytes {
        let mut out = Bytes::new().mark("kind");
        if self.kind != P8 {
            out = out.raw(self.kind.to_le_bytes());
        }
        for (at, (name, data)) in self.tags.iter().enumerate() {
            out = tag(if at == 0 { out.mark("tag") } else { out }, name, data);
        }
        let offs = if self.tags.is_empty() { 0 } else { 12 + 64 };
        let mut offset = out.len() + offs + 2 + 3 * self.palette.len();
        if offs > 0 {
            let mut data = [0; 64];
            for (mip, place) in self.mips.iter().zip(data.chunks_exact_mut(4)) {
                place.copy_from_slice(&(offset as u32).to_le_bytes());
                offset += 7 + 4 * usize::from(mip.is_marked) + mip.data.len();
            }
            out = tag(out.mark("offs"), "OFFS", &data);
        }
        out = out.mark("palette").raw((self.palette.len() as u16).to_le_bytes()).raw(self.palette.as_flattened());
        const NAMES: [[&str; 3]; 3] = [["mip", "length", "data"], ["next", "-", "-"], ["-", "-", "-"]];
        for (at, mip) in self.mips.iter().enumerate() {
            let [start, length, data] = NAMES[at.min(2)];
            let mark = if mip.is_marked { &[0xd2, 4, 0x3d, 0x22][..] } else { &[] };
            out = out.mark(start).raw(mark).raw(mip.sides.map(u16::to_le_bytes).as_flattened());
            out = out.mark(length).raw(&(mip.data.len() as u32).to_le_bytes()[..3]).mark(data).raw(&mip.data);
        }
        out.mark("end").raw([0; 6])
    }

    pub fn to_vec(&self) -> Vec<u8> {
        self.bytes().to_vec()
    }
}

fn tag(out: Bytes, name: &str, data: &[u8]) -> Bytes {
    let reversed: Vec<u8> = name.bytes().rev().collect();
    out.raw(b"GGAT").raw(reversed).u32(data.len() as u32).raw(data)
}

/// Indices whose stream is LZSS, with the colors that games make transparent.
pub fn marked_palette() -> Texture {
    let mut texture = Texture::chain(P8, [9, 5], 2);
    texture.palette[..3].copy_from_slice(&[[255, 0, 255], [255, 255, 0], [1, 2, 3]]);
    texture.mips[0] = Mip { sides: [9, 5], is_marked: true, data: lzss_signed(&indices(45, 4)) };
    texture
}

/// Files for `corpus/paa`.
pub fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    let chain = Texture::chain;
    let smdi = Texture { tags: vec![("AVGC", vec![1; 4])], ..chain(DXT1, [8, 8], 4) };
    vec![
        // Blocks in place, with mips below the size of a block.
        ("dxt1.paa", chain(DXT1, [16, 8], 1).flags(2).to_vec()),
        // The first mips are streams, the last ones are not.
        ("dxt1_lzo.paa", chain(DXT1, [64, 64], 4).lzo().to_vec()),
        ("dxt1_smdi.pac", smdi.tag("SWIZ", [8, 8, 2, 3]).to_vec()),
        ("dxt1_dt.paa", chain(DXT1, [8, 8], 4).tag("SWIZ", [8, 0, 0, 0]).to_vec()),
        ("dxt2.paa", chain(0xff02, [8, 4], 4).flags(1).to_vec()),
        // No tag at all.
        ("dxt3.paa", Texture { tags: Vec::new(), ..chain(0xff03, [8, 8], 4) }.to_vec()),
        ("dxt4.paa", chain(0xff04, [4, 8], 4).flags(1).to_vec()),
        // Upper bits that some writers set.
        ("dxt5_lzo.paa", chain(DXT5, [64, 32], 4).flags(0xffff_ff01).lzo().to_vec()),
        ("dxt5_nohq.paa", chain(DXT5, [8, 8], 4).flags(1).tag("SWIZ", [5, 4, 2, 3]).to_vec()),
        // Sides that are no powers of two.
        ("argb4444.paa", chain(ARGB4444, [19, 9], 2).flags(1).to_vec()),
        ("argb1555.paa", chain(ARGB1555, [12, 8], 1).to_vec()),
        ("ai88.paa", chain(AI88, [16, 16], 1).flags(1).to_vec()),
        ("argb8888.paa", chain(ARGB8888, [6, 7], 1).flags(1).to_vec()),
        // No kind: a palette.
        ("palette_rle.pac", chain(P8, [16, 8], 2).to_vec()),
        ("palette_lzss.paa", marked_palette().to_vec()),
        // Nothing but a tag of unknown name and the text of a procedural texture.
        ("other_tags.paa", chain(DXT1, [4, 4], 4).tag("NEWS", [1, 2, 3]).tag("PROC", "#(argb,8,8,3)color").to_vec()),
    ]
}

/// Damaged textures for `corpus/hostile`.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let dxt1 = || Texture::chain(DXT1, [16, 16], 4);
    let raw = || Texture::chain(ARGB4444, [8, 8], 4).flags(1);
    let set = |texture: Texture, mark, bytes: &[u8]| texture.bytes().set(mark, bytes).to_vec();
    let poke = |texture: Texture, mark, distance, bytes: &[u8]| texture.bytes().poke(mark, distance, bytes).to_vec();
    let end = raw().bytes().at("end");
    let lzo = dxt1().lzo();
    let stream = lzo.mips[0].data.len();
    let sum = raw().mips[0].data.len() - 4;
    let unsigned = Mip { data: lzss::pack(&[0x90; 128]), ..Mip::of(ARGB4444, [8, 8], &[]) };
    let many = Texture { mips: vec![Mip::of(DXT1, [1, 1], &[0; 8]); 17], ..dxt1() };
    let index = Mip::of(P8, [4, 4], &[64; 16]);
    vec![
        ("paa_tag_length.paa", poke(dxt1(), "tag", 8, &[0xff; 4])),
        ("paa_tag_name.paa", poke(dxt1(), "tag", 4, &[0xe9])),
        ("paa_tag_twice.paa", dxt1().flags(1).flags(1).to_vec()),
        ("paa_color_of_three.paa", Texture { tags: vec![("AVGC", vec![1; 3])], ..dxt1() }.to_vec()),
        ("paa_odd_offsets.paa", Texture { tags: vec![("OFFS", vec![0; 6])], ..dxt1() }.to_vec()),
        ("paa_offset.paa", poke(dxt1(), "offs", 16, &[0])),
        ("paa_offset_behind.paa", poke(dxt1(), "offs", 72, &[1])),
        ("paa_flags.paa", dxt1().flags(4).to_vec()),
        ("paa_swizzle.paa", dxt1().tag("SWIZ", [1, 2, 3, 10]).to_vec()),
        ("paa_palette_unused.paa", Texture { palette: vec![[1, 2, 3]], ..dxt1() }.to_vec()),
        ("paa_palette_too_long.paa", set(dxt1(), "palette", &[1, 1])),
        ("paa_no_width.paa", set(dxt1(), "mip", &[0, 0])),
        ("paa_high.paa", set(dxt1(), "mip", &[16, 0, 0, 0x80])),
        // 65,535 x 65,535 pixels in a few bytes, of a kind that is packed and of one that is not.
        ("paa_huge.paa", set(raw(), "mip", &[0xff, 0x7f, 0xff, 0x7f])),
        ("paa_huge_lzo.paa", set(lzo.clone(), "mip", &[0xff; 4])),
        ("paa_many_mips.paa", many.to_vec()),
        ("paa_no_mips.paa", Texture { mips: Vec::new(), ..dxt1() }.to_vec()),
        ("paa_not_half.paa", set(dxt1(), "next", &[4, 0, 16, 0])),
        ("paa_raw_size.paa", set(dxt1(), "mip", &[32, 0])),
        ("paa_beyond.paa", set(dxt1(), "length", &[0xff; 3])),
        ("paa_lzo_bent.paa", poke(lzo.clone(), "data", stream - 3, &[0x12])),
        ("paa_lzo_short.paa", set(lzo, "mip", &[8, 0x80])),
        ("paa_marked_lzss.paa", set(raw(), "mip", &[8, 0x80])),
        ("paa_checksum.paa", poke(raw(), "data", sum, &[0x55; 4])),
        ("paa_unsigned.paa", Texture { mips: vec![unsigned], ..raw() }.to_vec()),
        ("paa_index.paa", Texture { mips: vec![index], ..Texture::chain(P8, [4, 4], 4) }.to_vec()),
        ("paa_short_end.paa", raw().to_vec()[..end + 4].to_vec()),
        ("paa_no_end.paa", raw().to_vec()[..end].to_vec()),
        ("paa_odd_end.paa", poke(raw(), "end", 4, &[1])),
        ("paa_bytes_behind.paa", [&raw().to_vec()[..], b"left over"].concat()),
        ("paa_cut.paa", raw().to_vec()[..end - 20].to_vec()),
    ]
}
