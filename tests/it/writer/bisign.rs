//! Keys, signatures and signed archives. Writers here cannot sign: the files in `signed` are made with armake2 0.3.0,
//! and one signature with hemtt-signing 1.0.0. `signed/README.md` says how.

use super::bytes::Bytes;
use super::files::Files;

/// The public key. Its name has a dot.
pub const KEY: &[u8] = include_bytes!("signed/maker_1.2.bikey");
/// Another key of the same name.
pub const OTHER_KEY: &[u8] = include_bytes!("signed/other.bikey");
/// An archive with members of each kind.
pub const SHED: &[u8] = include_bytes!("signed/shed.pbo");
/// Its signatures of both versions.
pub const SHED_2: &[u8] = include_bytes!("signed/shed.pbo.v2.bisign");
pub const SHED_3: &[u8] = include_bytes!("signed/shed.pbo.v3.bisign");
/// An archive of which no version covers any content.
pub const BARE: &[u8] = include_bytes!("signed/bare.pbo");
pub const BARE_2: &[u8] = include_bytes!("signed/bare.pbo.v2.bisign");
pub const BARE_3: &[u8] = include_bytes!("signed/bare.pbo.v3.bisign");
/// As [`SHED`], with an empty member, about which programs disagree.
pub const HOUSE: &[u8] = include_bytes!("signed/house.pbo");
pub const HOUSE_3: &[u8] = include_bytes!("signed/house.pbo.hemtt.bisign");
pub const HOUSE_3_OF_ARMAKE2: &[u8] = include_bytes!("signed/house.pbo.armake2.bisign");

/// A key of any numbers.
pub fn key(name: &str, bits: u32, exponent: u32, modulus: &[u8]) -> Bytes {
    let bytes = Bytes::new().cstr(name).mark("key_size").u32(modulus.len() as u32 + 20);
    let bytes = bytes.mark("constants").raw(b"\x06\x02\0\0\0\x24\0\0RSA1").mark("bits").u32(bits);
    bytes.mark("exponent").u32(exponent).mark("modulus").raw(modulus).mark("end")
}

/// A signature with a key of 16 bits more than nothing, so small that nothing is signed with it.
fn small() -> Bytes {
    let bytes = key("small", 16, 3, &[0xf1, 0xff]).mark("first").u32(2).raw([1, 0]);
    let bytes = bytes.mark("version").u32(3).mark("second").u32(2).raw([1, 0]);
    bytes.mark("third").u32(2).raw([1, 0])
}

/// A signature of the shed, with marks.
pub fn marked() -> Bytes {
    let (name, rest) = SHED_3.split_at(10);
    let bytes = Bytes::new().mark("name").raw(name).mark("key_size").raw(&rest[..4]).mark("constants");
    let bytes = bytes.raw(&rest[4..16]).mark("bits").raw(&rest[16..20]).mark("exponent").raw(&rest[20..24]);
    let bytes = bytes.mark("modulus").raw(&rest[24..152]).mark("first").raw(&rest[152..284]);
    let bytes = bytes.mark("version").raw(&rest[284..288]).mark("second").raw(&rest[288..420]);
    bytes.mark("third").raw(&rest[420..])
}

/// Files for `corpus/bisign`.
pub fn corpus() -> Files {
    vec![
        ("maker_1.2.bikey", KEY.to_vec()),
        ("shed.pbo", SHED.to_vec()),
        ("shed.pbo.maker_1.2.bisign", SHED_3.to_vec()),
        // Of version 2, and of an archive of which no content is covered.
        ("bare.pbo", BARE.to_vec()),
        ("bare.pbo.maker_1.2.bisign", BARE_2.to_vec()),
    ]
}

/// Damaged keys and signatures for `corpus/hostile`.
pub fn hostile() -> Files {
    let sound = marked();
    let max = u32::MAX.to_le_bytes();
    let set = |name, value: u32| sound.clone().set(name, value.to_le_bytes()).to_vec();
    let key_of = |bits, exponent, modulus: &[u8]| key("small", bits, exponent, modulus).to_vec();
    let [mut even, mut zero] = [KEY.to_vec(), KEY.to_vec()];
    even[34] ^= 1;
    zero[34..].fill(0);
    vec![
        // More bits than there are bytes, and none.
        ("bikey_bits.bikey", key("small", 0, 3, &[0xf1, 0xff]).set("bits", max).to_vec()),
        ("bikey_no_bits.bikey", key_of(0, 3, b"")),
        ("bikey_odd_bits.bikey", key_of(17, 3, &[0xf1, 0xff])),
        ("bikey_short_modulus.bikey", key_of(16, 3, &[0xf1, 0x7f])),
        ("bikey_even_modulus.bikey", even),
        ("bikey_zero_modulus.bikey", zero),
        ("bikey_even_exponent.bikey", key_of(16, 4, &[0xf1, 0xff])),
        ("bikey_exponent_1.bikey", key_of(16, 1, &[0xf1, 0xff])),
        ("bikey_size.bikey", key("small", 16, 3, &[0xf1, 0xff]).set("key_size", max).to_vec()),
        ("bikey_cut.bikey", KEY[..100].to_vec()),
        ("bikey_bytes_behind.bikey", [KEY, b"xyz"].concat()),
        ("bisign_size.bisign", sound.clone().set("first", max).to_vec()),
        ("bisign_small_size.bisign", set("third", 64)),
        ("bisign_version.bisign", set("version", 4)),
        ("bisign_other_signature.bisign", sound.clone().poke("second", 40, [0; 8]).to_vec()),
        ("bisign_not_below_modulus.bisign", sound.clone().poke("third", 4, [0xff; 128]).to_vec()),
        ("bisign_other_modulus.bisign", sound.clone().poke("modulus", 60, [0; 4]).to_vec()),
        // Raising a number to this exponent takes longest.
        ("bisign_exponent.bisign", sound.clone().set("exponent", max).to_vec()),
        ("bisign_small_key.bisign", small().to_vec()),
        // A key of more bits than are checked, with signatures of as many.
        ("bisign_large_key.bisign", large(2056)),
        ("bisign_largest_key.bisign", large(2048)),
        ("bisign_cut.bisign", SHED_3[..300].to_vec()),
        ("bisign_bytes_behind.bisign", [SHED_3, b"left over"].concat()),
    ]
}

/// A signature with a key of this many bits, and the exponent that takes longest.
fn large(bits: u32) -> Vec<u8> {
    let number = vec![0xff; bits as usize / 8];
    let signature = |bytes: Bytes| bytes.u32(bits / 8).raw(&number[1..]).u8(0x7f);
    let bytes = signature(key("large", bits, u32::MAX, &number));
    signature(signature(bytes.u32(3))).to_vec()
}
