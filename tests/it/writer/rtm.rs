//! Writes Arma animations: BMTR of versions 3 to 5 with packed arrays marked either way, and plain ones.

use super::bytes::Bytes;
use super::files::Files;

/// An animation to write.
#[derive(Clone)]
pub struct Motion {
    pub version: u32,
    pub displacement: [f32; 3],
    pub preload: u32,
    pub bones: Vec<Vec<u8>>,
    pub metadata: Vec<&'static [u8]>,
    pub properties: Vec<Property>,
    pub times: Vec<f32>,
    /// For each frame and bone: rotation x, y, z, w in 1/16384, translation as half floats.
    pub frames: Vec<Vec<[u16; 7]>>,
    pub marking: Marking,
}

#[derive(Clone)]
pub struct Property {
    pub id: i32,
    pub name: &'static [u8],
    pub phase: f32,
    pub value: &'static [u8],
}

/// How packed arrays are marked, and which are packed.
#[derive(Clone, Copy)]
pub enum Marking {
    /// Those of 1024 bytes and more are packed, without a mark.
    Size,
    /// By a flag: every array, every second one, or none.
    Flag { packed: fn(usize) -> bool, empty: bool },
}

pub const NONE: Marking = Marking::Flag { packed: |_| false, empty: true };
pub const ALL: Marking = Marking::Flag { packed: |_| true, empty: true };
pub const EVERY_SECOND: Marking = Marking::Flag { packed: |index| index % 2 == 1, empty: true };
pub const NO_FLAG_IF_EMPTY: Marking = Marking::Flag { packed: |_| false, empty: false };

/// An animation with this many frames and bones; neighbors differ a little, as real ones do.
pub fn motion(version: u32, frames: usize, bones: usize, marking: Marking) -> Motion {
    let transform = |frame: usize, bone: usize| {
        let turn = (frame * 97 + bone * 31) as u16 % 5000;
        let (x, z) = (f64::from(turn), f64::from(turn / 3));
        let w = (16384.0 * 16384.0 - x * x - z * z).sqrt() as u16;
        [turn, 0, turn / 3, w, 0x3800 + frame as u16, 0xb400, 0x3000 + bone as u16]
    };
    let last = frames.saturating_sub(1).max(1) as f32;
    Motion {
        version,
        displacement: [0.0, 0.25, 1.5],
        preload: 0,
        bones: (0..bones).map(|bone| format!("bone_{bone}").into_bytes()).collect(),
        metadata: Vec::new(),
        properties: Vec::new(),
        times: (0..frames).map(|frame| frame as f32 / last).collect(),
        frames: (0..frames).map(|frame| (0..bones).map(|bone| transform(frame, bone)).collect()).collect(),
        marking,
    }
}

impl Motion {
    /// With a text and two properties, for versions 4 and 5 and the plain form.
    pub fn with_properties(mut self) -> Self {
        self.metadata = vec![b"note"];
        self.properties = vec![
            Property { id: 0, name: b"StepSound", phase: 0.25, value: b"" },
            // Not UTF-8.
            Property { id: -1, name: b"m\xfcsli", phase: 0.75, value: b"value" },
        ];
        self
    }

    /// The file, with marks at its fields.
    pub fn binarised(&self) -> Bytes {
        let bones = self.bones.len() as u32;
        let mut out = Bytes::new().raw("BMTR").mark("version").u32(self.version);
        out = out.mark("reversed").u8(1).f32s(self.displacement);
        out = out.mark("frames").u32(self.frames.len() as u32).u32(self.preload);
        out = out.mark("bones_hint").u32(bones).mark("bones").u32(bones).mark("names");
        out = self.bones.iter().fold(out, Bytes::cstr);
        if self.version >= 4 {
            out = out.mark("metadata").u32(self.metadata.len() as u32);
            out = self.metadata.iter().fold(out, Bytes::cstr);
            out = out.mark("properties").u32(self.properties.len() as u32);
            for Property { id, name, phase, value } in &self.properties {
                out = out.mark("property").i32(*id).cstr(name).f32(*phase).cstr(value);
            }
        }
        let times: Vec<u8> = self.times.iter().flat_map(|time| time.to_le_bytes()).collect();
        out = self.array(0, &times, out.mark("times").u32(self.times.len() as u32), ["times flag", "time elements"]);
        for (index, frame) in self.frames.iter().enumerate() {
            let [start, flag, elements] = marks(index);
            out = self.array(
                index + 1,
                &self.transforms(index),
                out.mark(start).u32(frame.len() as u32),
                [flag, elements],
            );
        }
        out
    }

    /// The transforms of one frame as stored.
    pub fn transforms(&self, frame: usize) -> Vec<u8> {
        self.frames[frame].iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn array(&self, index: usize, raw: &[u8], mut out: Bytes, [flag, elements]: [&'static str; 2]) -> Bytes {
        let packed = match self.marking {
            Marking::Size => raw.len() >= 1024,
            Marking::Flag { empty: false, .. } if raw.is_empty() => false,
            Marking::Flag { packed, .. } => {
                let packed = packed(index) && !raw.is_empty();
                out = out.mark(flag).u8(if packed { 2 } else { 0 });
                packed
            }
        };
        let out = out.mark(elements);
        if packed { out.raw(lzo1x::compress(raw, lzo1x::CompressLevel::new(9))) } else { out.raw(raw) }
    }

    /// The plain file with the same bones and frames, after RTM_MDAT if there are properties. Matrices are numbered;
    /// the bytes after the NUL of each name are garbage.
    pub fn plain(&self) -> Bytes {
        let mut out = Bytes::new();
        if !self.properties.is_empty() {
            out = out.raw("RTM_MDAT").u32(0).mark("properties").u32(self.properties.len() as u32);
            for Property { name, phase, value, .. } in &self.properties {
                out = out.mark("property").f32(*phase).mark("property name").u8(name.len() as u8).raw(name);
                out = out.u8(value.len() as u8).raw(value);
            }
        }
        out = out.mark("magic").raw("RTM_0101").f32s(self.displacement);
        out = out.mark("frames").u32(self.frames.len() as u32).mark("bones").u32(self.bones.len() as u32);
        out = self.bones.iter().fold(out.mark("names"), |out, name| out.raw(field(name, 0xcd)));
        for (index, time) in self.times.iter().enumerate() {
            let [start, _, elements] = marks(index);
            out = out.mark(start).f32(*time).mark(elements);
            for (bone, name) in self.bones.iter().enumerate() {
                out = out.raw(field(name, index as u8)).f32s(matrix(index, bone));
            }
        }
        out
    }
}

/// The marks of a frame, of its flag and of its elements.
fn marks(frame: usize) -> [&'static str; 3] {
    match frame {
        0 => ["frame 0", "flag 0", "elements 0"],
        1 => ["frame 1", "flag 1", "elements 1"],
        2 => ["frame 2", "flag 2", "elements 2"],
        _ => ["last frame", "last flag", "last elements"],
    }
}

/// The matrix of a bone in a plain file.
pub fn matrix(frame: usize, bone: usize) -> [f32; 12] {
    std::array::from_fn(|index| (frame * 10_000 + bone * 100 + index) as f32)
}

/// A name in its field of 32 bytes.
fn field(name: &[u8], garbage: u8) -> [u8; 32] {
    let mut field = [garbage; 32];
    field[..name.len()].copy_from_slice(name);
    if let Some(nul) = field.get_mut(name.len()) {
        *nul = 0;
    }
    field
}

/// The project's own files of both forms.
pub fn corpus() -> Files {
    let mut full_name = motion(0, 2, 2, NONE).with_properties();
    full_name.bones[0] = vec![b'x'; 32];
    vec![
        // Raw frames of one size up to the last that is not packed, 73 bones; preload.
        ("v3_raw_73_bones.rtm", Motion { preload: 1, ..motion(3, 3, 73, Marking::Size) }.binarised().to_vec()),
        // The first size that is packed.
        ("v3_packed_74_bones.rtm", motion(3, 5, 74, Marking::Size).binarised().to_vec()),
        // Packed times before raw frames.
        ("v3_packed_times.rtm", motion(3, 256, 3, Marking::Size).binarised().to_vec()),
        ("v3_empty.rtm", motion(3, 0, 0, Marking::Size).binarised().to_vec()),
        // Version 4 with packed arrays marked as in version 3: packed times, packed frames.
        ("v4_by_size.rtm", motion(4, 300, 2, Marking::Size).with_properties().binarised().to_vec()),
        ("v4_by_size_packed.rtm", motion(4, 3, 90, Marking::Size).binarised().to_vec()),
        // Version 4 with packed arrays marked as in version 5.
        ("v4_by_flag.rtm", motion(4, 6, 20, EVERY_SECOND).with_properties().binarised().to_vec()),
        // Every array packed, including those below 1024 bytes; a property's name that is not UTF-8.
        ("v5_packed.rtm", motion(5, 4, 9, ALL).with_properties().binarised().to_vec()),
        // Alternating raw and packed frames.
        ("v5_mixed.rtm", motion(5, 7, 40, EVERY_SECOND).binarised().to_vec()),
        // Raw frames of over 1024 bytes.
        ("v5_raw_80_bones.rtm", motion(5, 2, 80, NONE).binarised().to_vec()),
        // Empty arrays, without their flag. Those with flags are not in the corpus, because cut in the right place they
        // are equal to these.
        ("v5_no_frames.rtm", motion(5, 0, 2, NO_FLAG_IF_EMPTY).binarised().to_vec()),
        ("v5_no_bones.rtm", motion(5, 3, 0, NO_FLAG_IF_EMPTY).binarised().to_vec()),
        // Garbage after the NUL of each name.
        ("plain.rtm", motion(0, 4, 3, NONE).plain().to_vec()),
        // RTM_MDAT; a name of 32 bytes, without NUL.
        ("plain_metadata.rtm", full_name.plain().to_vec()),
        ("plain_no_bones.rtm", motion(0, 2, 0, NONE).plain().to_vec()),
        ("plain_no_frames.rtm", motion(0, 0, 2, NONE).plain().to_vec()),
    ]
}

/// Files with one error each.
pub fn hostile() -> Files {
    let raw = || motion(3, 3, 2, Marking::Size).binarised();
    let packed = || motion(5, 3, 40, ALL).with_properties().binarised();
    let plain = || motion(0, 3, 2, NONE).with_properties().plain();
    let mut odd_numbers = motion(3, 3, 2, Marking::Size);
    // Infinite, not a number, subnormal.
    odd_numbers.frames[1][0][4..].copy_from_slice(&[0x7c00, 0x7e01, 0x0001]);
    odd_numbers.times[1] = f32::NAN;
    let mut not_unit = motion(5, 3, 40, EVERY_SECOND);
    for frame in &mut not_unit.frames {
        frame[7][..4].copy_from_slice(&[16384, 16384, 0, 0]);
        frame[9][..4].copy_from_slice(&[0; 4]);
    }
    let mut backwards = motion(3, 3, 2, Marking::Size);
    backwards.times.reverse();
    let many = u32::MAX.to_le_bytes();
    let with_odd_phases = |version| {
        let mut odd = motion(version, 3, 2, ALL).with_properties();
        odd.properties[0].phase = -0.5;
        odd.properties[1].phase = f32::NAN;
        odd
    };
    let mut part = motion(3, 3, 2, Marking::Size);
    part.times = vec![0.25, 0.5, 0.75];
    vec![
        // Neither 1 nor a number nor 0 or 1.
        (
            "rtm_odd_header.rtm",
            raw()
                .poke("version", 4, [0])
                .poke("version", 5, f32::NAN.to_le_bytes())
                .poke("version", 21, 2_u32.to_le_bytes())
                .to_vec(),
        ),
        ("rtm_odd_phases.rtm", with_odd_phases(5).binarised().to_vec()),
        ("rtm_plain_odd_phases.rtm", {
            let bytes = with_odd_phases(0).plain();
            bytes.poke("magic", 8, f32::INFINITY.to_le_bytes()).to_vec()
        }),
        ("rtm_part_of_a_cycle.rtm", part.binarised().to_vec()),
        ("rtm_odd_numbers.rtm", odd_numbers.binarised().to_vec()),
        ("rtm_not_unit.rtm", not_unit.binarised().to_vec()),
        ("rtm_times_descend.rtm", backwards.binarised().to_vec()),
        ("rtm_many_bones.rtm", raw().set("bones_hint", many).set("bones", many).to_vec()),
        ("rtm_many_frames.rtm", raw().set("frames", many).to_vec()),
        ("rtm_two_bone_counts.rtm", raw().set("bones_hint", [3]).to_vec()),
        ("rtm_time_count.rtm", raw().set("times", [2]).to_vec()),
        ("rtm_frame_bone_count.rtm", raw().set("frame 1", [3]).to_vec()),
        ("rtm_names_without_end.rtm", raw().to_vec()[..raw().at("names") + 10].to_vec()),
        ("rtm_bytes_behind.rtm", raw().raw([0; 5]).to_vec()),
        (
            "rtm_packed_too_short.rtm",
            motion(3, 3, 74, Marking::Size).binarised().set("elements 1", [0x11, 0, 0]).to_vec(),
        ),
        ("rtm_odd_flag.rtm", packed().set("flag 1", [7]).to_vec()),
        ("rtm_many_properties.rtm", packed().set("properties", many).to_vec()),
        ("rtm_v4_neither.rtm", motion(4, 3, 90, Marking::Size).binarised().raw([0]).to_vec()),
        ("rtm_v4_both.rtm", v4_that_reads_both_ways()),
        ("rtm_v6.rtm", raw().set("version", [6]).to_vec()),
        ("rtm_plain_many_frames.rtm", plain().set("frames", many).to_vec()),
        ("rtm_plain_many_bones.rtm", plain().set("bones", many).to_vec()),
        ("rtm_plain_other_name.rtm", plain().set("elements 1", b"B").to_vec()),
        ("rtm_plain_bytes_behind.rtm", plain().raw([0; 5]).to_vec()),
        ("rtm_plain_without_header.rtm", plain().set("magic", b"RTN").to_vec()),
    ]
}

/// Version 4 with two frames and 40 bones. With flags, every array is a stream; without, the same bytes are raw, and
/// the second frame's count is the first four bytes of its stream.
fn v4_that_reads_both_ways() -> Vec<u8> {
    let empty = motion(4, 0, 40, NONE).binarised();
    let head = empty.set("frames", [2]).to_vec();
    let out = Bytes::new().raw(&head[..head.len() - 5]).u32(2);
    // A literal, 7 more from 1 back.
    let out = out.u8(2).raw([0x12, 0, 0xc0, 0, 0x11, 0, 0]);
    // 544 literals, 16 more from 1 back: 560 bytes from 554.
    let out = out.u32(40).u8(2).raw([0, 0, 0, 16]).raw([7; 544]).raw([0x2e, 0, 0, 0x11, 0, 0]);
    // 23 literals, 6 more from 1 back, 531 literals: 560 bytes from 564, the first four of them 40 as a number.
    let out = out.u32(40).u8(2).raw([40, 0, 0, 0]).raw([7; 20]).raw([0xa0, 0]);
    out.raw([0, 0, 0, 3]).raw([7; 531]).raw([0x11, 0, 0]).to_vec()
}
