//! Zip archives in which one field lies: all members are listed, those of which nothing false is said have their content,
//! and a problem names the field, and the member if it is one of a member.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use meshpeek::summary::{Problem, Problems};
use meshpeek::zip::{Archive, Member};
use meshpeek::{Inspect, Limits};
use zip::ZipArchive;

use crate::peers::quietly;
use crate::writer::zip::{Entry, Header, deflate, zip};

/// A field of an archive that lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    Count,
    DiskEntries,
    DirectoryBytes,
    DirectoryOffset,
    Disk,
    DirectoryDisk,
    CommentIsLonger,
    CommentIsShorter,
    CommentHoldsEnd,
    Zip64Count,
    Zip64Bytes,
    Zip64Offset,
    LocatorOffset,
    LocatorDisks,
    Crc32,
    Packed,
    Unpacked,
    Method,
    Flags,
    HeaderOffset,
    EntryDisk,
    Extra,
    LocalCrc32,
    LocalPacked,
    LocalUnpacked,
    LocalMethod,
    LocalFlags,
    LocalName,
    LocalExtra,
    DescriptorCrc32,
    DescriptorPacked,
    DescriptorUnpacked,
}

const LIES: &[Lie] = &[
    Lie::None,
    Lie::Count,
    Lie::DiskEntries,
    Lie::DirectoryBytes,
    Lie::DirectoryOffset,
    Lie::Disk,
    Lie::DirectoryDisk,
    Lie::CommentIsLonger,
    Lie::CommentIsShorter,
    Lie::CommentHoldsEnd,
    Lie::Zip64Count,
    Lie::Zip64Bytes,
    Lie::Zip64Offset,
    Lie::LocatorOffset,
    Lie::LocatorDisks,
    Lie::Crc32,
    Lie::Packed,
    Lie::Unpacked,
    Lie::Method,
    Lie::Flags,
    Lie::HeaderOffset,
    Lie::EntryDisk,
    Lie::Extra,
    Lie::LocalCrc32,
    Lie::LocalPacked,
    Lie::LocalUnpacked,
    Lie::LocalMethod,
    Lie::LocalFlags,
    Lie::LocalName,
    Lie::LocalExtra,
    Lie::DescriptorCrc32,
    Lie::DescriptorPacked,
    Lie::DescriptorUnpacked,
];

/// The lies that the crate `zip` believes, so that its list is not compared.
const BELIEVED: &[Lie] = &[
    Lie::Count,
    Lie::DirectoryBytes,
    Lie::DirectoryOffset,
    Lie::CommentHoldsEnd,
    Lie::Zip64Count,
    Lie::Zip64Bytes,
    Lie::Zip64Offset,
];

impl Lie {
    /// Returns words of which the problem has one.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::Count | Self::DiskEntries | Self::Zip64Count => &["entries"],
            Self::DirectoryBytes | Self::Zip64Bytes => &["a directory of", "bytes of the directory"],
            Self::DirectoryOffset | Self::Zip64Offset => &["the directory is at", "offset of the directory"],
            Self::Disk | Self::DirectoryDisk | Self::EntryDisk | Self::LocatorDisks => &["disk"],
            Self::CommentIsLonger => &["comment"],
            Self::CommentIsShorter => &["after the archive"],
            Self::CommentHoldsEnd => &["another end record"],
            Self::LocatorOffset => &["zip64 locator"],
            Self::Crc32 | Self::LocalCrc32 | Self::DescriptorCrc32 => &["CRC-32"],
            Self::Packed => &["packed size", "bytes"],
            Self::LocalPacked | Self::DescriptorPacked => &["packed size"],
            Self::Unpacked => &["unpacked size", "bytes"],
            Self::LocalUnpacked | Self::DescriptorUnpacked => &["unpacked size"],
            Self::Method => &["method", "bytes", "not read"],
            Self::LocalMethod => &["method"],
            Self::Flags | Self::LocalFlags => &["flags"],
            Self::HeaderOffset => &["header", "shares bytes"],
            Self::Extra | Self::LocalExtra => &["extra field"],
            Self::LocalName => &["the name"],
        }
    }

    /// Returns true if it is a lie about one member.
    fn is_of_member(self) -> bool {
        self as usize >= Self::Crc32 as usize
    }

    /// Returns true if it is a lie of the directory, or of an extra field there, about one member.
    fn is_in_directory(self) -> bool {
        self.is_of_member() && (self as usize) < Self::Extra as usize
    }
}

/// The bytes of the fuzzer as numbers; zeros after their end.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    /// A number that differs from the true one.
    fn other_than(&mut self, number: u32) -> u32 {
        let step = u32::from(self.byte()) + 1;
        match self.byte() % 4 {
            0 => number.wrapping_add(step),
            1 => number.wrapping_sub(step.min(number.max(1))),
            2 => number ^ 1 << (step % 32),
            _ => {
                if number == step << 20 {
                    1
                } else {
                    step << 20
                }
            }
        }
    }
}

struct Made {
    bytes: Vec<u8>,
    lie: Lie,
    /// The member about which it lies.
    target: usize,
    /// True if other bytes are in front of the archive.
    has_prefix: bool,
    names: Vec<String>,
    contents: Vec<Vec<u8>>,
}

/// The bytes are choices: the members, what is around them, and the lie.
pub fn run(data: &[u8]) {
    let Some(made) = make(&mut Choices(data)) else { return };
    check(&made);
}

fn make(choices: &mut Choices<'_>) -> Option<Made> {
    let lie = LIES[choices.below(LIES.len())];
    let count = 1 + choices.below(6);
    let target = choices.below(count);
    let is_wide = matches!(lie, Lie::Zip64Count | Lie::Zip64Bytes | Lie::Zip64Offset | Lie::LocatorOffset)
        || lie == Lie::LocatorDisks
        || choices.below(8) == 0;
    let needs_descriptor = matches!(lie, Lie::DescriptorCrc32 | Lie::DescriptorPacked | Lie::DescriptorUnpacked);
    let mut entries = Vec::new();
    let mut names = Vec::new();
    let mut contents = Vec::new();
    for index in 0..count {
        let name = format!("folder{}/m{index}.bin", choices.below(3));
        let length = 1 + choices.below(40);
        let mut content = format!("content of {index}: ").into_bytes();
        content.extend((0..length).map(|_| choices.byte()));
        let entry = match choices.below(2) {
            0 => Entry::stored(&name, &content),
            _ => Entry::new(&name, 8, deflate(&content), &content),
        };
        let is_stream = index == target && needs_descriptor || choices.below(4) == 0;
        // The fields of the local header have to be there to lie.
        let is_stream =
            is_stream && !(index == target && lie as usize >= Lie::LocalCrc32 as usize && !needs_descriptor);
        entries.push(if is_stream { entry.with_descriptor() } else { entry });
        names.push(name);
        contents.push(content);
    }
    lie_of(&mut entries[target], lie, choices)?;
    if lie == Lie::HeaderOffset {
        let other = choices.other_than(0);
        entries[target].header_offset = Some(if choices.below(2) == 0 { other } else { 0 });
    }
    let mut bytes = assemble(&entries, is_wide, lie, target, choices);
    if let Some(offset) = entries[target].header_offset
        && is_header_of(&bytes, offset, &names[target])
    {
        // The offset is the true one by chance.
        return None;
    }
    // Bytes in front move everything, so that a wrong offset may be the right one.
    let is_of_offset = matches!(lie, Lie::DirectoryOffset | Lie::DirectoryBytes | Lie::Zip64Offset | Lie::Zip64Bytes);
    let has_prefix = choices.below(4) == 0;
    if has_prefix {
        let prefix: &[u8] = if is_of_offset { &[b'x'; 1000] } else { b"MZ\x90\0 a program " };
        bytes.splice(..0, prefix.iter().copied());
    }
    Some(Made { bytes, lie, target, has_prefix, names, contents })
}

/// Returns true if the local header of the member with this name is at this offset.
fn is_header_of(bytes: &[u8], offset: u32, name: &str) -> bool {
    let Some(header) = bytes.get(offset as usize..) else { return false };
    header.starts_with(b"PK\x03\x04") && header.get(30..).is_some_and(|after| after.starts_with(name.as_bytes()))
}

/// Changes the descriptions of a member. Returns `None` if the lie would be none.
fn lie_of(entry: &mut Entry, lie: Lie, choices: &mut Choices<'_>) -> Option<()> {
    const BROKEN: [u8; 6] = [0x99, 0x99, 0xff, 0, 1, 2];
    let method = [0, 1, 8, 12, 93, 77][choices.below(6)];
    let flags = [1, 1 << 1, 1 << 5, 1 << 11][choices.below(4)];
    let change = |header: &mut Header, choices: &mut Choices<'_>| match lie {
        Lie::Crc32 | Lie::LocalCrc32 => header.crc32 = choices.other_than(header.crc32),
        Lie::Packed | Lie::LocalPacked => header.packed = choices.other_than(header.packed),
        Lie::Unpacked | Lie::LocalUnpacked => header.unpacked = choices.other_than(header.unpacked),
        Lie::Method | Lie::LocalMethod => header.method = method,
        Lie::Flags | Lie::LocalFlags => header.flags ^= flags,
        Lie::Extra | Lie::LocalExtra => header.extra = BROKEN.to_vec(),
        Lie::LocalName => header.name[0] ^= 1,
        _ => {}
    };
    let at = match lie {
        Lie::DescriptorCrc32 => 4,
        Lie::DescriptorPacked => 8,
        Lie::DescriptorUnpacked => 12,
        Lie::LocalCrc32 | Lie::LocalPacked | Lie::LocalUnpacked | Lie::LocalMethod | Lie::LocalFlags => {
            let before = entry.local.clone();
            change(&mut entry.local, choices);
            return (before.method != entry.local.method || lie != Lie::LocalMethod).then_some(());
        }
        Lie::LocalName | Lie::LocalExtra => {
            change(&mut entry.local, choices);
            return Some(());
        }
        _ => {
            let before = entry.central.method;
            change(&mut entry.central, choices);
            return (before != entry.central.method || lie != Lie::Method).then_some(());
        }
    };
    let field = entry.after.get_mut(at..at + 4)?;
    let number = u32::from_le_bytes(field.try_into().ok()?);
    field.copy_from_slice(&choices.other_than(number).to_le_bytes());
    Some(())
}

/// Writes the archive, with the lies of its end.
fn assemble(entries: &[Entry], is_wide: bool, lie: Lie, target: usize, choices: &mut Choices<'_>) -> Vec<u8> {
    let comment: &[u8] = match lie {
        Lie::CommentHoldsEnd => b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x10\0\0\0\x20\0\0\0\0\0",
        Lie::CommentIsLonger | Lie::CommentIsShorter => b"a comment",
        _ if choices.below(4) == 0 => b"a comment",
        _ => b"",
    };
    let made = zip(entries, comment);
    let (directory, end) = (made.at("directory"), made.at("end"));
    let count = entries.len() as u16;
    let mut bytes = made.to_vec();
    let mut set = |at: usize, new: &[u8]| bytes[at..at + new.len()].copy_from_slice(new);
    let size = (end - directory) as u32;
    // A count that is less by a multiple of 65,536 cannot be made with so few members.
    let other_count = (choices.other_than(count.into()) as u16).to_le_bytes();
    let other_count = if other_count == count.to_le_bytes() { [0xfe, 0x7f] } else { other_count };
    match lie {
        Lie::Count => {
            set(made.at("disk_entries"), &other_count);
            set(made.at("entries"), &other_count);
        }
        Lie::DiskEntries => set(made.at("disk_entries"), &other_count),
        Lie::DirectoryBytes => set(made.at("directory_bytes"), &choices.other_than(size).to_le_bytes()),
        Lie::DirectoryOffset => {
            set(made.at("directory_offset"), &choices.other_than(directory as u32).to_le_bytes());
        }
        Lie::Disk => set(made.at("disk"), &[1 + choices.byte() % 9]),
        Lie::DirectoryDisk => set(made.at("disk") + 2, &[1 + choices.byte() % 9]),
        Lie::CommentIsLonger => set(made.at("comment_bytes"), &[10 + choices.byte() % 200]),
        Lie::CommentIsShorter => set(made.at("comment_bytes"), &[choices.byte() % 9]),
        Lie::EntryDisk => {
            let entry = offset_of_entry(&bytes, directory, target);
            bytes[entry + 34] = 1 + choices.byte() % 9;
        }
        _ => {}
    }
    if is_wide {
        bytes = widened(&bytes, (directory, end), entries.len() as u64, lie, choices);
    }
    bytes
}

/// Returns the offset of an entry of the directory.
fn offset_of_entry(bytes: &[u8], directory: usize, index: usize) -> usize {
    let mut at = directory;
    for _ in 0..index {
        let [name, extra] = [28, 30].map(|field| u16::from_le_bytes([bytes[at + field], bytes[at + field + 1]]));
        at += 46 + usize::from(name) + usize::from(extra);
    }
    at
}

/// Adds the records of zip64, which say the same as the end record.
fn widened(bytes: &[u8], (directory, end): (usize, usize), count: u64, lie: Lie, choices: &mut Choices<'_>) -> Vec<u8> {
    let mut numbers = [count, count, (end - directory) as u64, directory as u64];
    let mut place = end as u64;
    let mut disks = 1_u32;
    match lie {
        Lie::Zip64Count => numbers[1] = choices.other_than(count as u32).into(),
        Lie::Zip64Bytes => numbers[2] = choices.other_than(numbers[2] as u32).into(),
        Lie::Zip64Offset => numbers[3] = choices.other_than(numbers[3] as u32).into(),
        Lie::LocatorOffset => place = choices.other_than(place as u32).into(),
        Lie::LocatorDisks => disks = 2 + u32::from(choices.byte()),
        _ => {}
    }
    let record = [&b"PK\x06\x06"[..], &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat();
    let numbers = numbers.map(u64::to_le_bytes).concat();
    let locator = [&b"PK\x06\x07\0\0\0\0"[..], &place.to_le_bytes(), &disks.to_le_bytes()].concat();
    [&bytes[..end], &record, &numbers, &locator, &bytes[end..]].concat()
}

fn check(made: &Made) {
    let lie = made.lie;
    let archive = Archive::parse(&made.bytes).unwrap_or_else(|error| panic!("{lie:?}: {error}"));
    assert!(!archive.directory.is_lost(), "{lie:?}: the directory is lost");
    let members: Vec<Member<'_>> = archive.members().map(|member| member.expect("an entry")).collect();
    let names: Vec<String> = members.iter().map(|member| member.name().to_string()).collect();
    assert_eq!(names, made.names, "{lie:?}");
    for (index, member) in members.iter().enumerate() {
        let is_lied_about = lie.is_in_directory() && index == made.target;
        match member.decode() {
            Ok(content) => assert!(*content == made.contents[index], "{lie:?}: {}", names[index]),
            Err(error) => assert!(is_lied_about, "{lie:?}: {}: {error}", names[index]),
        }
    }
    let shared = archive.overlapping();
    assert!(shared.iter().all(|index| *index == made.target && lie.is_of_member()), "{lie:?}: {shared:?}");
    let mut problems = Problems::new(&Limits::default());
    archive.verify(&mut problems);
    let problems = problems.into_vec();
    let is_named = |problem: &Problem| {
        let message = &problem.message;
        let has_word = lie.words().iter().any(|word| message.contains(word));
        // If bytes are in front, the offset of a single member may be right and that of the directory wrong.
        let may_blame_directory = lie == Lie::HeaderOffset && made.has_prefix && made.names.len() == 1;
        has_word && (!lie.is_of_member() || message.contains(&made.names[made.target]))
            || may_blame_directory && message.contains("the directory is at")
    };
    if lie == Lie::None {
        assert_eq!(problems, []);
    } else {
        assert!(problems.iter().any(is_named), "{lie:?} of {}: {problems:?}", made.names[made.target]);
    }
    compare(made, &members);
}

/// Compares the list and the contents with those of the crate `zip`.
fn compare(made: &Made, members: &[Member<'_>]) {
    let lie = made.lie;
    let Some(mut theirs) = quietly(|| ZipArchive::new(Cursor::new(&made.bytes)).ok()).flatten() else { return };
    let mut found = BTreeMap::new();
    for index in 0..theirs.len() {
        let read = quietly(|| {
            let mut file = theirs.by_index(index).ok()?;
            let mut content = Vec::new();
            let is_read = file.read_to_end(&mut content).is_ok();
            Some((String::from_utf8_lossy(file.name_raw()).into_owned(), is_read.then_some(content)))
        });
        if let Some(Some((name, content))) = read {
            found.insert(name, content);
        }
    }
    if BELIEVED.contains(&lie) {
        return;
    }
    for (member, name) in members.iter().zip(&made.names) {
        let Some(Some(there)) = found.get(name) else { continue };
        if let Ok(here) = member.decode() {
            assert!(*here == *there, "{lie:?}: {name} has other content in the crate");
        }
    }
    assert_eq!(theirs.len(), members.len(), "{lie:?}");
}
