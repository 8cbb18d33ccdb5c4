//! Rules of textures with several cases: all cases, each against a slow statement of the rule.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use meshpeek::paa::{Alpha, Kind, Source, Swizzle, Texture};
use meshpeek::summary::Problems;
use meshpeek::view::Table;
use meshpeek::{Inspect, Limits};

use crate::support::mutate::Random;
use crate::writer::paa::{AI88, ARGB1555, ARGB4444, ARGB8888, DXT1, DXT5, Mip, P8, Texture as Written};
use crate::writer::{lzss, paa};

const DXT2: u16 = 0xff02;
const DXT3: u16 = 0xff03;
const DXT4: u16 = 0xff04;

const KINDS: [u16; 10] = [P8, ARGB1555, ARGB4444, AI88, ARGB8888, DXT1, DXT2, DXT3, DXT4, DXT5];

fn is_blocks(kind: u16) -> bool {
    kind >= DXT1
}

/// The whole number that is nearest to a fraction, the larger one of two.
fn nearest(numerator: i64, denominator: i64) -> u8 {
    (0..=255).min_by_key(|&number| ((number * denominator - numerator).abs(), Reverse(number))).unwrap() as u8
}

/// Pixels as stored, looked up one at a time.
struct Stored<'s> {
    kind: u16,
    sides: [u16; 2],
    palette: &'s [[u8; 3]],
    bytes: &'s [u8],
}

impl Stored<'_> {
    fn word(&self, at: usize) -> i64 {
        i64::from(self.bytes[at]) + 256 * i64::from(self.bytes[at + 1])
    }

    /// Some bits of the number of many bytes that starts here.
    fn bits(&self, at: usize, first: usize, count: usize) -> i64 {
        (0..count).map(|bit| (i64::from(self.bytes[at + (first + bit) / 8]) >> ((first + bit) % 8) & 1) << bit).sum()
    }

    /// The color of a block's pixel and its alpha, if colors alone are stored in it.
    fn color(&self, at: usize, place: usize, is_alone: bool) -> [u8; 4] {
        let (first, second) = (self.word(at), self.word(at + 2));
        // Parts of the first and of the second color.
        let [a, b] = match (self.bits(at + 4, 2 * place, 2), first > second || !is_alone) {
            (0, _) => [1, 0],
            (1, _) => [0, 1],
            (2, true) => [2, 1],
            (3, true) => [1, 2],
            (2, false) => [1, 1],
            _ => return [0; 4],
        };
        let channel = |shift: i64, most: i64| {
            let [first, second] = [first, second].map(|color| (color >> shift) % (most + 1));
            nearest(255 * (a * first + b * second), (a + b) * most)
        };
        [channel(11, 31), channel(5, 63), channel(0, 31), 255]
    }

    /// The alpha of a pixel beside two stored ones.
    fn step(&self, at: usize, place: usize) -> u8 {
        let [first, second] = [at, at + 1].map(|at| i64::from(self.bytes[at]));
        let steps = if first > second { 7 } else { 5 };
        match self.bits(at + 2, 3 * place, 3) {
            0 => first as u8,
            1 => second as u8,
            index if index <= steps => nearest((steps + 1 - index) * first + (index - 1) * second, steps),
            6 => 0,
            _ => 255,
        }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        let width = usize::from(self.sides[0]);
        let index = y * width + x;
        let (block, place) = (y / 4 * width.div_ceil(4) + x / 4, y % 4 * 4 + x % 4);
        match self.kind {
            P8 => {
                let [blue, green, red] = self.palette[usize::from(self.bytes[index])];
                [red, green, blue, 255]
            }
            ARGB1555 => {
                let five = |shift: usize| nearest(255 * self.bits(2 * index, shift, 5), 31);
                [five(10), five(5), five(0), 255 * self.bits(2 * index, 15, 1) as u8]
            }
            ARGB4444 => [8, 4, 0, 12].map(|shift| nearest(255 * self.bits(2 * index, shift, 4), 15)),
            AI88 => {
                let [gray, alpha] = [self.bytes[2 * index], self.bytes[2 * index + 1]];
                [gray, gray, gray, alpha]
            }
            ARGB8888 => [2, 1, 0, 3].map(|channel| self.bytes[4 * index + channel]),
            DXT1 => self.color(8 * block, place, true),
            _ => {
                let [red, green, blue, _] = self.color(16 * block + 8, place, false);
                let alpha = match self.kind {
                    DXT2 | DXT3 => nearest(255 * self.bits(16 * block, 4 * place, 4), 15),
                    _ => self.step(16 * block, place),
                };
                [red, green, blue, alpha]
            }
        }
    }

    fn pixels(&self) -> Vec<[u8; 4]> {
        let [width, height] = self.sides.map(usize::from);
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| self.pixel(x, y)).collect()
    }
}

/// Palette colors, among them the two that mean transparent and those next to them.
fn palette() -> Vec<[u8; 3]> {
    let mut colors = Vec::new();
    for key in [[255, 0, 255], [255, 255, 0]] {
        colors.push(key);
        for channel in 0..3 {
            let mut next = key;
            next[channel] = if key[channel] == 0 { 1 } else { 254 };
            colors.push(next);
        }
    }
    colors.extend((0..248).map(|index: u8| [index, 255 - index, index / 2]));
    colors
}

/// Random pixels. The two numbers of a block are in any order, or equal.
fn random_pixels(kind: u16, sides: [u16; 2], random: &mut Random) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..paa::need(kind, sides)).map(|_| random.next() as u8).collect();
    if is_blocks(kind) {
        for half in bytes.chunks_mut(8) {
            match random.below(4) {
                0 => half.copy_within(..2, 2),
                1 => half[1] = half[0],
                _ => {}
            }
        }
    }
    bytes
}

/// A texture of one mip.
fn one(kind: u16, mip: Mip) -> Written {
    let palette = if kind == P8 { palette() } else { Vec::new() };
    Written { kind, tags: Vec::new(), palette, mips: vec![mip] }
}

fn read(written: &Written) -> Vec<[u8; 4]> {
    let bytes = written.to_vec();
    let mip = Texture::parse(&bytes).unwrap().mips().next().unwrap().unwrap();
    mip.to_rgba8().unwrap().as_chunks().0.to_vec()
}

#[test]
fn every_kind_of_pixel_is_read_in_every_small_size() {
    let mut random = Random(0x7061_615f_7275_6c65);
    let palette = palette();
    let mut checked = 0;
    for kind in KINDS {
        for sides in (1..=9).flat_map(|width| (1..=9).map(move |height| [width, height])).chain([[33, 18]]) {
            let plain = random_pixels(kind, sides, &mut random);
            let expected = Stored { kind, sides, palette: &palette, bytes: &plain }.pixels();
            let bytes = one(kind, Mip::of(kind, sides, &plain)).to_vec();
            let mip = Texture::parse(&bytes).unwrap().mips().next().unwrap().unwrap();
            let name = format!("{kind:x} of {sides:?}: {plain:x?}");
            assert_eq!(mip.to_rgba8().unwrap().as_chunks().0, expected, "{name}");
            let mut rows: Vec<Vec<u8>> = Vec::new();
            let read = mip.pixels().read(&mut |row| {
                rows.push(row.to_vec());
                ControlFlow::Continue(())
            });
            assert!(read.is_ok() && rows.concat() == expected.as_flattened(), "{name}");
            assert_eq!(mip.pixels().rows(), expected.len() as u64, "{name}");
            assert_eq!(mip.pixels().picture(), Some([sides[1], sides[0]].map(u64::from)), "{name}");
            checked += expected.len();
        }
    }
    assert!(checked > 20_000, "{checked}");
}

#[test]
fn reading_rows_stops_where_the_caller_has_enough() {
    for kind in KINDS {
        let bytes = one(kind, Mip::of(kind, [6, 9], &vec![0; paa::need(kind, [6, 9])])).to_vec();
        let mip = Texture::parse(&bytes).unwrap().mips().next().unwrap().unwrap();
        for most in 1..=9 {
            let mut rows = 0;
            let read = mip.pixels().read(&mut |_| {
                rows += 1;
                if rows == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert!(read.is_ok() && rows == most, "{kind:x}: {rows} of {most}");
        }
    }
}

#[test]
fn every_kind_of_pixel_is_read_from_every_form_of_storage() {
    let mut random = Random(0x666f_726d);
    let sides = [40, 20];
    for kind in KINDS {
        let mut plain = random_pixels(kind, sides, &mut random);
        // Enough that is equal for a packed form to be shorter.
        let unit = if is_blocks(kind) { 16 } else { 8 };
        for place in unit..plain.len() {
            if place / unit % 3 > 0 {
                plain[place] = plain[place - unit];
            }
        }
        let expected = Stored { kind, sides, palette: &palette(), bytes: &plain }.pixels();
        let usual = Mip::of(kind, sides, &plain);
        let forms = if is_blocks(kind) {
            vec![usual.clone(), usual.lzo()]
        } else if kind == P8 {
            let data = paa::lzss_signed(&plain);
            let unsigned = lzss::pack(&plain);
            let marked = |data| Mip { sides, is_marked: true, data };
            vec![usual, marked(data), marked(unsigned)]
        } else {
            // A mark of LZO means nothing here.
            let with_mark = Mip { sides: [sides[0] | 0x8000, sides[1]], ..usual.clone() };
            vec![usual.clone(), Mip { data: lzss::pack(&plain), ..usual }, with_mark]
        };
        for (form, mip) in forms.into_iter().enumerate() {
            assert_eq!(read(&one(kind, mip)), expected, "{kind:x}, form {form}");
        }
    }
}

#[test]
fn sizes_count_the_blocks_that_hold_a_pixel() {
    for kind in KINDS {
        for (width, height) in (0..=9_u16).flat_map(|width| (0..=9_u16).map(move |height| (width, height))) {
            let pixels = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            let blocks = pixels().map(|(x, y)| (x / 4, y / 4)).collect::<std::collections::BTreeSet<_>>().len();
            let bytes = match kind {
                DXT1 => 8 * blocks,
                _ if is_blocks(kind) => 16 * blocks,
                P8 => pixels().count(),
                ARGB8888 => 4 * pixels().count(),
                _ => 2 * pixels().count(),
            };
            assert_eq!(Kind(kind).byte_len(width, height), bytes as u64, "{kind:x} of {width} x {height}");
        }
    }
}

/// Blocks are stored whole and alone. Streams fill their length, and their pixels their sides.
#[test]
fn a_mip_of_any_other_length_or_side_is_refused() {
    for kind in KINDS {
        let plain = vec![1; paa::need(kind, [8, 8])];
        let mip = Mip::of(kind, [8, 8], &plain);
        let is_read = |mip: Mip| {
            let bytes = one(kind, mip).to_vec();
            let mip = Texture::parse(&bytes).unwrap().mips().next();
            mip.is_some_and(|mip| mip.unwrap().to_rgba8().is_ok())
        };
        assert!(is_read(mip.clone()), "{kind:x}");
        let mut longer = mip.clone();
        longer.data.push(0);
        assert!(!is_read(longer), "{kind:x}: a byte more");
        let mut shorter = mip.clone();
        shorter.data.pop();
        assert!(!is_read(shorter), "{kind:x}: a byte less");
        for sides in [[0, 8], [8, 0], [9, 8], [8, 9], [4, 8], [8, 4], [8, 0x8000], [8, 0xffff], [0x7fff, 0x7fff]] {
            assert!(!is_read(Mip { sides, ..mip.clone() }), "{kind:x}: {sides:?}");
        }
    }
}

/// The sources name where stored alpha, red, green and blue come from: 0 to 3 are alpha, red, green and blue, 4 to 7 the
/// same inverted, all others nothing. Each goes back there; what was not stored is 255. Where colors hold the source's
/// alpha and no color is stored, the picture is that alpha in gray.
fn unswizzled(sources: [u8; 4], stored: [u8; 4]) -> [u8; 4] {
    let mut source = [None; 4];
    for channel in 0..4 {
        match sources[channel] {
            from @ 0..=3 => source[usize::from(from)] = Some(stored[channel]),
            from @ 4..=7 => source[usize::from(from) - 4] = Some(255 - stored[channel]),
            _ => {}
        }
    }
    let is_alpha_in_colors = sources[1..].iter().any(|from| *from == 0 || *from == 4);
    match source {
        [Some(gray), None, None, None] if is_alpha_in_colors => [gray, gray, gray, 255],
        [alpha, red, green, blue] => [red, green, blue, alpha].map(|channel| channel.unwrap_or(255)),
    }
}

#[test]
fn every_swizzle_is_undone() {
    const SOURCES: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255];
    let stored = [10, 60, 130, 200];
    let [alpha, red, green, blue] = stored;
    for number in 0..SOURCES.len().pow(4) {
        let sources = [1728, 144, 12, 1].map(|place| SOURCES[number / place % 12]);
        let mut rgba = [red, green, blue, alpha];
        let [of_alpha, of_red, of_green, of_blue] = sources.map(Source);
        Swizzle { alpha: of_alpha, red: of_red, green: of_green, blue: of_blue }.undo(&mut rgba);
        assert_eq!(rgba, unswizzled(sources, stored), "sources {sources:?} of stored {stored:?}");
    }
    // Those of real textures, as their document shows them.
    for (sources, shown) in [
        ([5, 4, 2, 3], [245, 130, 200, 195]),
        ([8, 8, 2, 3], [255, 130, 200, 255]),
        ([8, 8, 2, 8], [255, 130, 255, 255]),
        ([8, 0, 0, 0], [200, 200, 200, 255]),
        ([8, 1, 2, 3], [60, 130, 200, 255]),
    ] {
        assert_eq!(unswizzled(sources, stored), shown, "{sources:?}");
    }
}

/// The picture's alpha according to the flags of a texture.
fn shown(kind: u16, flags: Option<u32>, stored: u8) -> (Alpha, u8) {
    let flags = flags.unwrap_or(0);
    if flags % 2 == 1 {
        (Alpha::Blended, stored)
    } else if flags / 2 % 2 == 1 || kind == P8 {
        // The nearer end.
        (Alpha::OnOff, if stored.abs_diff(255) < stored.abs_diff(0) { 255 } else { 0 })
    } else {
        (Alpha::Opaque, 255)
    }
}

#[test]
fn flags_decide_what_alpha_means_in_every_kind() {
    let mut random = Random(0x0061_6c70_6861);
    let sides = [16, 16];
    let flags = (0..8).chain([0xffff_ff00, 0xffff_ff01, 0xffff_ff02, 0xffff_ff03, 0x8000_0000]);
    let flags: Vec<Option<u32>> = flags.map(Some).chain([None]).collect();
    for kind in KINDS {
        let mut plain = random_pixels(kind, sides, &mut random);
        // Every alpha, where there are so many.
        let each = match kind {
            AI88 => 2,
            ARGB8888 => 4,
            _ => usize::MAX,
        };
        plain.chunks_mut(each).enumerate().filter(|_| each <= 4).for_each(|(index, pixel)| {
            pixel[each - 1] = index as u8;
        });
        let stored = Stored { kind, sides, palette: &palette(), bytes: &plain }.pixels();
        for &flags in &flags {
            let written = one(kind, Mip::of(kind, sides, &plain));
            let written = match flags {
                Some(flags) => written.flags(flags),
                None => written,
            };
            let bytes = written.to_vec();
            let texture = Texture::parse(&bytes).unwrap();
            let picture = texture.to_picture(&texture.mips().next().unwrap().unwrap()).unwrap();
            assert_eq!((picture.width, picture.height), (16, 16));
            for (found, stored) in picture.rgba.as_chunks::<4>().0.iter().zip(&stored) {
                let is_key = kind == P8 && matches!(stored, [255, 0, 255, 255] | [0, 255, 255, 255]);
                let [red, green, blue, alpha] = if is_key { [0; 4] } else { *stored };
                let (meaning, alpha) = shown(kind, flags, alpha);
                let name = format!("{kind:x} with {flags:x?}: stored {stored:?}");
                assert_eq!((picture.alpha, *found), (meaning, [red, green, blue, alpha]), "{name}");
            }
        }
    }
}

/// The first tag of a name counts, and one of another length does not.
#[test]
fn the_first_sound_tag_counts() {
    let mip = || one(ARGB8888, Mip::of(ARGB8888, [1, 1], &[1, 2, 3, 4]));
    let alpha = |written: Written| Texture::parse(&written.to_vec()).unwrap().alpha();
    assert_eq!(alpha(mip().flags(1).flags(2)), Alpha::Blended);
    assert_eq!(alpha(mip().flags(0).flags(1)), Alpha::Opaque);
    assert_eq!(alpha(mip().tag("FLAG", [1, 0, 0]).flags(2)), Alpha::OnOff);
    let swizzle = |written: Written| Texture::parse(&written.to_vec()).unwrap().swizzle().map(|found| found.red.0);
    assert_eq!(swizzle(mip().tag("SWIZ", [0, 1, 2, 3]).tag("SWIZ", [0, 2, 2, 2])), Some(1));
    assert_eq!(swizzle(mip().tag("SWIZ", [0, 1, 2]).tag("SWIZ", [0, 2, 2, 2])), Some(2));
    assert_eq!(swizzle(mip().tag("AVGC", [0, 1, 2, 3])), None);
}

/// Engines show the two key colors of a palette as the average color, and transparent.
#[test]
fn key_colors_of_a_palette_become_the_average_color() {
    let colors = palette();
    let indices: Vec<u8> = (0..=255).collect();
    let average = || vec![("AVGC", vec![30, 20, 10, 99])];
    let largest = || vec![("MAXC", vec![33, 22, 11, 99])];
    let short = || vec![("AVGC", vec![30, 20, 10])];
    let cases = [
        (vec![], [0; 3]),
        (largest(), [0; 3]),
        (short(), [0; 3]),
        (average(), [10, 20, 30]),
        ([average(), largest()].concat(), [10, 20, 30]),
        ([largest(), average()].concat(), [10, 20, 30]),
        ([short(), largest(), average()].concat(), [10, 20, 30]),
    ];
    for (tags, [red, green, blue]) in cases {
        let written = Written { tags, ..one(P8, Mip::of(P8, [16, 16], &indices)) };
        let bytes = written.to_vec();
        let texture = Texture::parse(&bytes).unwrap();
        let picture = texture.to_picture(&texture.mips().next().unwrap().unwrap()).unwrap();
        for (index, (found, &[b, g, r])) in picture.rgba.as_chunks::<4>().0.iter().zip(&colors).enumerate() {
            let is_key = matches!([r, g, b], [255, 0, 255] | [0, 255, 255]);
            let expected = if is_key { [red, green, blue, 0] } else { [r, g, b, 255] };
            assert_eq!(*found, expected, "color {index}, tags {:?}", written.tags);
        }
    }
    // No other kind has key colors.
    for kind in [ARGB8888, ARGB4444, ARGB1555, DXT1] {
        let pixel = match kind {
            ARGB8888 => vec![255, 0, 255, 255],
            ARGB4444 => vec![0x0f, 0xff],
            ARGB1555 => vec![0x1f, 0xfc],
            _ => vec![0x1f, 0xf8, 0, 0, 0, 0, 0, 0],
        };
        let bytes = Written { tags: average(), ..one(kind, Mip::of(kind, [1, 1], &pixel)) }.to_vec();
        let texture = Texture::parse(&bytes).unwrap();
        let picture = texture.to_picture(&texture.mips().next().unwrap().unwrap()).unwrap();
        assert_eq!(picture.rgba, [255, 0, 255, 255], "{kind:x}");
    }
}

fn messages(written: &Written) -> Vec<String> {
    let mut problems = Problems::new(&Limits::default());
    Texture::parse(&written.to_vec()).unwrap().verify(&mut problems);
    problems.into_vec().into_iter().map(|problem| problem.message.into_owned()).collect()
}

#[test]
fn every_value_of_a_tag_is_judged() {
    let plain = || Written { tags: Vec::new(), ..Written::chain(DXT1, [8, 8], 4) };
    let has = |written: &Written, message: &str| messages(written).iter().any(|found| found.contains(message));
    for value in 0..=255_u8 {
        // Some writers set the upper bits, which say nothing.
        for upper in [0, 0xffff_ff00] {
            let written = plain().flags(u32::from(value) | upper);
            assert_eq!(has(&written, "of which two bits are known"), value > 3, "flags {value:#x} with {upper:#x}");
        }
        for (place, name) in ["alpha", "red", "green", "blue"].into_iter().enumerate() {
            let mut sources = [0, 1, 2, 3];
            sources[place] = value;
            let written = plain().tag("SWIZ", sources);
            let message = format!("{name} from the unknown source {value}");
            assert_eq!(has(&written, &message), value > 9, "{name} from {value}");
            assert_eq!(messages(&written).len(), usize::from(value > 9), "{name} from {value}");
        }
    }
    for name in ["AVGC", "MAXC", "FLAG", "SWIZ", "OFFS", "PROC", "OTHR"] {
        for length in 0..=12 {
            let tags = vec![(name, vec![0; length])];
            // The writer adds the tag of offsets, which would be there twice.
            let written = Written { tags, ..plain() };
            let wrong = match name {
                "OFFS" => length % 4 != 0,
                "PROC" | "OTHR" => false,
                _ => length != 4,
            };
            assert_eq!(has(&written, &format!("{name} of {length} bytes")), wrong, "{name} of {length}");
        }
    }
}

#[test]
fn every_count_of_colors_is_read_or_refused() {
    for count in [0, 1, 2, 255, 256, 257, 1000, 0xffff] {
        for kind in [P8, DXT1] {
            let plain = vec![0; paa::need(kind, [4, 4])];
            let palette = vec![[1, 2, 3]; count];
            let bytes = Written { palette, ..one(kind, Mip::of(kind, [4, 4], &plain)) }.to_vec();
            let found = Texture::parse(&bytes).ok().map(|texture| texture.palette().len());
            let is_sound = count <= 256 && (kind != P8 || count > 0);
            assert_eq!(found, is_sound.then_some(count), "{kind:x} with {count} colors");
        }
    }
}

/// Each address of the list is that of its mip, and those after the last mip are 0.
#[test]
fn every_offset_of_the_list_is_compared() {
    let written = Written::chain(ARGB4444, [16, 16], 1).flags(1);
    let bytes = written.bytes();
    for index in 0..16 {
        let changed = bytes.clone().poke("offs", 12 + 4 * index, [0x77]).to_vec();
        let mut problems = Problems::new(&Limits::default());
        Texture::parse(&changed).unwrap().verify(&mut problems);
        let found: Vec<String> = problems.into_vec().into_iter().map(|one| one.message.into_owned()).collect();
        let place = format!(" at index {index}");
        let is_named = |message: &String| message.contains("1 of 16 offsets") && message.ends_with(&place);
        assert!(found.iter().any(is_named), "{index}: {found:?}");
    }
}

/// Each mip is half as large as the one before, and no side is 0.
#[test]
fn every_pair_of_sides_of_mips_is_compared() {
    let mip = |sides| Mip::of(ARGB8888, sides, &vec![9; paa::need(ARGB8888, sides)]);
    let half = |sides: [u16; 2]| sides.map(|side| if side == 1 { 1 } else { side / 2 });
    let all = [1, 2, 3, 4, 7, 8].map(|width| [1, 2, 3, 4, 7, 8].map(|height| [width, height]));
    for first in all.concat() {
        for second in all.concat() {
            // The third is compared with the second, whatever the first was.
            for third in [half(second), half(half(second))] {
                let mips = [first, second, third];
                let written = Written { mips: mips.map(mip).to_vec(), ..one(ARGB8888, mip([1, 1])) };
                let mut expected = Vec::new();
                for (index, pair) in (1..).zip(mips.windows(2)) {
                    let ([width, height], [half_width, half_height]) = (pair[1], half(pair[0]));
                    if pair[1] != [half_width, half_height] {
                        let half = format!("half of the one before is {half_width} x {half_height}");
                        expected.push(format!("mips[{index}]: {width} x {height}, {half}"));
                    }
                }
                assert_eq!(messages(&written), expected, "{mips:?}");
            }
        }
    }
}

#[test]
fn sides_of_the_first_mip_of_blocks_are_powers_of_two() {
    let said = "sides of compressed textures are powers of two";
    for kind in KINDS {
        let mip = |sides| Mip::of(kind, sides, &vec![0; paa::need(kind, sides)]);
        for width in 1..=17 {
            for height in [1, 2, 3, 4, 6, 8, 12, 16] {
                let is_odd = [width, height].into_iter().any(|side: u16| ![1, 2, 4, 8, 16].contains(&side));
                let expected = if is_blocks(kind) && is_odd {
                    vec![format!("mips[0]: {width} x {height}, {said}")]
                } else {
                    Vec::new()
                };
                assert_eq!(messages(&one(kind, mip([width, height]))), expected, "{kind:x}");
                // Of a later one, only the half counts.
                let mips = vec![mip([32, 32]), mip([width, height])];
                let found = messages(&Written { mips, ..one(kind, mip([1, 1])) });
                assert!(!found.iter().any(|message| message.contains(said)), "{kind:x}: {found:?}");
            }
        }
    }
}

/// Four zeros end the mips; two bytes follow, which games do not read.
#[test]
fn every_end_of_a_file_is_judged() {
    let whole = one(DXT1, Mip::of(DXT1, [4, 4], &[7; 8])).to_vec();
    let start = &whole[..whole.len() - 6];
    for length in 0..=12 {
        for unread in [0_u16, 1, 0x100, 0xffff] {
            let mut bytes = start.to_vec();
            bytes.extend([&[0; 4][..], &unread.to_le_bytes(), &[5; 6]].concat().iter().take(length));
            let mut problems = Problems::new(&Limits::default());
            Texture::parse(&bytes).unwrap().verify(&mut problems);
            let found: Vec<_> =
                problems.into_vec().into_iter().map(|one| (one.offset, one.message.into_owned())).collect();
            let at = start.len() as u64;
            if length < 4 {
                // The start of another mip.
                assert!(found.len() == 1 && found[0].1.starts_with("mips[1].sides: needs"), "{found:?}");
                continue;
            }
            let mut expected = Vec::new();
            if length < 6 {
                expected.push((Some(at), format!("end: an end mark of {length} bytes, not 6")));
            } else if unread != 0 {
                expected.push((Some(at), format!("end: ends with {unread:#x}, not 0")));
            }
            if length > 6 {
                let rest = length - 6;
                let s = if rest == 1 { "" } else { "s" };
                expected.push((Some(at + 6), format!("{rest} byte{s} after the end mark")));
            }
            assert_eq!(found, expected, "{length} bytes with {unread:#x}");
        }
    }
}

#[test]
fn every_byte_of_the_name_of_a_tag_is_judged() {
    let written = Written { tags: vec![("OTHR", vec![0])], ..Written::chain(DXT1, [8, 8], 4) };
    for byte in 0..=255_u8 {
        for place in 0..4 {
            let bytes = written.bytes().poke("tag", 4 + place, [byte]).to_vec();
            let mut problems = Problems::new(&Limits::default());
            Texture::parse(&bytes).unwrap().verify(&mut problems);
            let is_odd = !(0x21..=0x7e).contains(&byte);
            let found: Vec<_> = problems.into_vec().into_iter().map(|one| (one.offset, one.message)).collect();
            assert_eq!(found.len(), usize::from(is_odd), "{byte:#x} at {place}: {found:?}");
            for (offset, message) in found {
                assert!(message.starts_with("tags: 1 of 2 names is not ASCII letters"), "{byte:#x}: {message}");
                assert_eq!(offset, Some(2), "{byte:#x}");
            }
        }
    }
}

#[test]
fn names_of_tags_that_are_there_again_are_counted() {
    // The writer adds the tag of offsets as the last one.
    for names in [
        &["AVGC"][..],
        &["AVGC", "AVGC"],
        &["AVGC", "MAXC", "AVGC"],
        &["OTHR", "othr"],
        &["OTHR", "OTHR", "OTHR"],
        &["PROC", "OTHR", "PROC", "OTHR", "PROC"],
        &["OTHR", "OTHS"],
    ] {
        let tags = names.iter().map(|name| (*name, vec![0; 4])).collect();
        let mut seen = std::collections::BTreeSet::new();
        let again: Vec<usize> = (0..names.len()).filter(|&index| !seen.insert(names[index])).collect();
        let total = names.len() + 1;
        let mut expected = Vec::new();
        if let Some(&first) = again.first() {
            let (verb, colon) = if again.len() == 1 { ("is", ": ") } else { ("are", "; the first is ") };
            let name = names[first];
            expected.push(format!(
                "tags: {} of {total} names {verb} there twice{colon}{name} at index {first}",
                again.len()
            ));
        }
        assert_eq!(messages(&Written { tags, ..Written::chain(DXT1, [8, 8], 4) }), expected, "{names:?}");
    }
}

#[test]
fn colors_of_a_palette_are_unused_by_every_kind_but_indices() {
    for kind in KINDS {
        for count in [0, 1, 2, 255, 256] {
            if kind == P8 && count == 0 {
                continue;
            }
            let palette = vec![[1, 2, 3]; count];
            let plain = vec![0; paa::need(kind, [4, 4])];
            let written = Written { palette, ..one(kind, Mip::of(kind, [4, 4], &plain)) };
            let name = Kind(kind).name().unwrap();
            let expected = match kind != P8 && count > 0 {
                true => vec![format!("palette: {count} colors, which {name} does not use")],
                false => Vec::new(),
            };
            assert_eq!(messages(&written), expected, "{name}");
        }
    }
}

#[test]
fn files_have_up_to_16_mips() {
    for count in 0..=18 {
        let mip = Mip::of(ARGB8888, [1, 1], &[1, 2, 3, 4]);
        let written = Written { mips: vec![mip.clone(); count], ..one(ARGB8888, mip) };
        let bytes = written.to_vec();
        let texture = Texture::parse(&bytes).unwrap();
        let read: Vec<bool> = texture.mips().map(|mip| mip.is_ok()).collect();
        let mut expected = vec![true; count.min(16)];
        if count > 16 {
            expected.push(false);
        }
        assert_eq!(read, expected, "{count}");
        let found = Some(count.min(16) as u64);
        assert_eq!(texture.summarize().counts.get("mips"), found, "{count}");
        assert_eq!(texture.summarize_header().counts.get("mips"), found, "{count}");
        let said = messages(&written);
        assert_eq!(said.len(), usize::from(count == 0 || count > 16), "{count}: {said:?}");
    }
}

/// The numbers that mark a stream of LZSS are sides everywhere else.
#[test]
fn sides_of_1234_and_8765_are_a_mark_in_palettes_alone() {
    for kind in KINDS {
        for sides in [[1234, 8765], [1234, 8764], [1235, 8765], [8765, 1234]] {
            let written = one(kind, Mip { sides, is_marked: false, data: vec![4, 1, 0, 0, 7] });
            let bytes = written.to_vec();
            let mip = Texture::parse(&bytes).unwrap().mips().next().unwrap();
            // After a mark, the length and the data would be the sides.
            let is_mark = kind == P8 && sides == [1234, 8765];
            let found = mip.map(|mip| [mip.width(), mip.height()]).ok();
            assert_eq!(found, if is_mark { Some([5, 1024]) } else { Some(sides) }, "{kind:x} {sides:?}");
        }
    }
}

#[test]
fn pictures_take_as_many_bytes_as_the_limit() {
    for sides in [[1, 1], [5, 3], [4, 4], [3, 9]] {
        let bytes = one(DXT1, Mip::of(DXT1, sides, &vec![0; paa::need(DXT1, sides)])).to_vec();
        let need = 4 * u64::from(sides[0]) * u64::from(sides[1]);
        for decoded_bytes in [0, need - 1, need, need + 1] {
            let limits = Limits::default().with_decoded_bytes(decoded_bytes);
            let mip = Texture::parse_with(&bytes, &limits).unwrap().mips().next().unwrap().unwrap();
            assert_eq!(mip.to_rgba8().is_ok(), decoded_bytes >= need, "{sides:?} in {decoded_bytes}");
        }
    }
}

#[test]
fn every_index_is_compared_with_the_palette() {
    for count in [1, 2, 100, 255, 256] {
        for index in [0, 1, 99, 100, 101, 254, 255_u8] {
            let palette = vec![[1, 2, 3]; count];
            for place in [0, 7, 15] {
                let mut plain = vec![0; 16];
                plain[place] = index;
                let palette = palette.clone();
                let written = Written { palette, ..one(P8, Mip::of(P8, [4, 4], &plain)) };
                let is_there = usize::from(index) < count;
                let bytes = written.to_vec();
                let mip = Texture::parse(&bytes).unwrap().mips().next().unwrap().unwrap();
                assert_eq!(mip.to_rgba8().is_ok(), is_there, "{index} of {count}");
                let expected = format!("mips[0]: 1 of 16 pixels is not below {count}: {index} at index {place}");
                let expected = if is_there { Vec::new() } else { vec![expected] };
                assert_eq!(messages(&written), expected);
            }
        }
    }
}

/// Games sum bytes with signs. The sum of bytes without them is read, too.
#[test]
fn streams_are_warned_of_if_their_sum_is_that_of_bytes_without_signs() {
    for kind in [P8, ARGB1555, ARGB4444, AI88, ARGB8888] {
        for (byte, differs) in [(1, false), (0x7f, false), (0x80, true), (0xff, true)] {
            let plain = vec![byte; paa::need(kind, [4, 4])];
            let signed = paa::lzss_signed(&plain);
            for (data, is_unsigned) in [(signed.clone(), false), (lzss::pack(&plain), true)] {
                let end = data.len();
                let mip = Mip { sides: [4, 4], is_marked: kind == P8, data };
                let written = Written { kind, tags: Vec::new(), palette: Vec::new(), mips: vec![mip] };
                let written = if kind == P8 { Written { palette: vec![[0; 3]; 256], ..written } } else { written };
                let found = messages(&written);
                let expected: &[&str] = match is_unsigned && differs {
                    true => &["mips[0]: the checksum sums unsigned bytes, not signed ones"],
                    false => &[],
                };
                assert_eq!(found, expected, "{kind:x} {byte:#x}");
                let mut wrong = written.clone();
                wrong.mips[0].data[end - 1] ^= 0x55;
                assert!(messages(&wrong)[0].contains("LZSS checksum is"), "{kind:x}");
            }
        }
    }
}

#[test]
fn the_mark_of_lzo_is_warned_of_in_every_kind_that_has_none() {
    for kind in KINDS {
        for width in [8, 8 | 0x8000] {
            let plain = vec![0; paa::need(kind, [8, 8])];
            let mip = Mip::of(kind, [8, 8], &plain);
            let is_marked = width > 8;
            let mip = if is_marked && is_blocks(kind) { mip.lzo() } else { Mip { sides: [width, 8], ..mip } };
            let expected: &[&str] = match is_marked && !is_blocks(kind) {
                true => &["mips[0]: marked as LZO, which only DXT kinds are"],
                false => &[],
            };
            assert_eq!(messages(&one(kind, mip)), expected, "{kind:x}");
        }
    }
}

#[test]
fn the_digest_is_that_of_the_first_mip_in_every_kind() {
    for kind in KINDS {
        let bytes = Written::chain(kind, [16, 8], 4).flags(1).tag("SWIZ", [0, 3, 2, 1]).to_vec();
        let texture = Texture::parse(&bytes).unwrap();
        let mut found = Vec::new();
        let budget = meshpeek::Budget::unlimited(&Limits::default());
        texture.digest("pixels", &budget, &mut |rows| found.extend_from_slice(rows)).unwrap();
        // As stored: neither swizzled nor made opaque.
        assert_eq!(found, texture.mips().next().unwrap().unwrap().to_rgba8().unwrap(), "{kind:x}");
        assert_eq!(texture.digest_names(), ["pixels"]);
        for other in ["", "pixel", "positions", "PIXELS"] {
            assert!(texture.digest(other, &budget, &mut |_| {}).is_err(), "{other}");
        }
    }
}

/// Of a file that is cut, it is not known where the mips are that it lacks.
#[test]
fn offsets_are_compared_if_all_mips_are_there() {
    let written = Written::chain(ARGB4444, [16, 16], 1);
    let wrong = written.bytes().poke("offs", 12 + 4 * 15, [7]).to_vec();
    let end = written.bytes().at("end");
    for cut in [wrong.len(), end + 6, end + 4, end + 3, end, end - 1, end - 20] {
        let mut problems = Problems::new(&Limits::default());
        Texture::parse(&wrong[..cut]).unwrap().verify(&mut problems);
        let found: Vec<String> = problems.into_vec().into_iter().map(|one| one.message.into_owned()).collect();
        let is_said = found.iter().any(|message| message.contains("1 of 16 offsets"));
        assert_eq!(is_said, cut >= end + 4, "{cut} of {end}: {found:?}");
    }
}

/// A file begins with the number of a kind, or else with the number of colors in its palette.
#[test]
fn every_first_word_is_a_kind_or_a_number_of_colors() {
    let mut bytes = vec![0; 2000];
    for word in 0..=0xffff_u16 {
        bytes[..2].copy_from_slice(&word.to_le_bytes());
        let found = Texture::parse(&bytes).ok().map(|texture| (texture.kind().0, texture.palette().len()));
        let expected = match word {
            1..=256 => Some((P8, usize::from(word))),
            _ if word != 0 && KINDS.contains(&word) => Some((word, 0)),
            _ => None,
        };
        assert_eq!(found, expected, "{word:#x}");
    }
}

/// Of a mip whose pixels do not fit its sides, the mip counts and its pixels do not.
#[test]
fn summaries_count_the_pixels_that_can_be_read() {
    for kind in KINDS {
        let sound = Mip::of(kind, [16, 16], &vec![1; paa::need(kind, [16, 16])]);
        let raw = paa::need(kind, [16, 16]) as u64;
        // Sides that no data fits.
        let wrong = Mip { sides: [0, 4], ..sound.clone() };
        let packed = if is_blocks(kind) { sound.clone().lzo() } else { sound.clone() };
        for mips in [
            vec![&sound],
            vec![&wrong],
            vec![&sound, &packed],
            vec![&wrong, &sound, &packed],
            vec![&packed, &wrong, &packed],
        ] {
            let written = Written { mips: mips.iter().copied().cloned().collect(), ..one(kind, sound.clone()) };
            let bytes = written.to_vec();
            let texture = Texture::parse(&bytes).unwrap();
            let summary = texture.summarize();
            let sides = mips[0].sides.map(|side| u32::from(side & 0x7fff));
            let name = Kind(kind).name().unwrap();
            for found in [summary.texture, texture.summarize_header().texture] {
                let found = found.unwrap();
                assert_eq!((found.kind, [found.width, found.height]), (name, sides), "{kind:x}");
            }
            assert_eq!(summary.counts.get("mips"), Some(mips.len() as u64), "{kind:x}");
            let is_packed = |mip: &&&Mip| mip.sides[0] != 0 && (!is_blocks(kind) || mip.sides[0] > 0x7fff);
            let readable = mips.iter().filter(|mip| mip.sides[0] != 0).count() as u64;
            let packed: Vec<_> = mips.iter().filter(is_packed).collect();
            let blocks = summary.blocks;
            let count = packed.len() as u64;
            assert_eq!((blocks.stored, blocks.packed), (readable - count, count), "{kind:x}");
            let bytes: usize = packed.iter().map(|mip| mip.data.len()).sum();
            assert_eq!((blocks.packed_bytes, blocks.unpacked_bytes), (bytes as u64, raw * count), "{kind:x}");
        }
        let none = Written { mips: Vec::new(), ..one(kind, sound) }.to_vec();
        assert!(Texture::parse(&none).unwrap().summarize().texture.is_none(), "{kind:x}");
    }
}

#[test]
fn pixels_say_where_they_are_stored_and_what_reading_takes() {
    for kind in KINDS {
        let raw = Mip::of(kind, [16, 16], &vec![1; paa::need(kind, [16, 16])]);
        let forms = if is_blocks(kind) { vec![raw.clone(), raw.lzo()] } else { vec![raw] };
        for mip in forms {
            let is_packed = mip.sides[0] > 0x7fff || !is_blocks(kind);
            let written = one(kind, mip.clone());
            let (bytes, at) = (written.to_vec(), written.bytes().at("data") as u64);
            let pixels = Texture::parse(&bytes).unwrap().mips().next().unwrap().unwrap().pixels();
            let storage = pixels.storage();
            let length = mip.data.len() as u64;
            assert_eq!((storage.offset, storage.bytes), (at, length), "{kind:x}");
            assert_eq!(storage.packing, meshpeek::view::Packing::Derived, "{kind:x}");
            let decoded = paa::need(kind, [16, 16]) as u64;
            assert_eq!(pixels.read_memory(), if is_packed { decoded } else { 0 }, "{kind:x} {is_packed}");
            let columns: Vec<_> = pixels.columns().iter().map(|column| column.name).collect();
            assert_eq!(columns, ["red", "green", "blue", "alpha"], "{kind:x}");
        }
    }
}
