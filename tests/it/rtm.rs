//! Tests of the animation reader.

use meshpeek::codec::activity;
use meshpeek::inspect::to_bytes;
use meshpeek::rtm::{Binarised, Motion, PackingMark};
use meshpeek::summary::{Problem, Problems, Severity};
use meshpeek::view::Table;
use meshpeek::{Budget, Inspect, Limits};

use crate::memory::usage_of;
use crate::support::files::outside_file;
use crate::writer::bytes::Bytes;
use crate::writer::rtm::{self as write, ALL, EVERY_SECOND, Marking, NO_FLAG_IF_EMPTY, NONE, matrix, motion};

fn binarised(bytes: &[u8]) -> Binarised<'_> {
    match Motion::parse(bytes).unwrap() {
        Motion::Binarised(motion) => motion,
        _ => panic!("plain"),
    }
}

fn verify(bytes: &[u8]) -> Vec<Problem> {
    let mut problems = Problems::new(&Limits::default());
    match Motion::parse(bytes) {
        Ok(motion) => motion.verify(&mut problems),
        Err(error) => problems.error(&error),
    }
    problems.into_vec()
}

/// The single problem that verifying finds.
#[track_caller]
fn problem(bytes: &Bytes, severity: Severity, offset: usize, message: &str) {
    let found = verify(&bytes.to_vec());
    let [found] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((found.severity, found.offset, &*found.message), (severity, Some(offset as u64), message));
}

#[test]
fn every_version_and_marking_reads_back() {
    let cases = [
        (motion(3, 5, 30, Marking::Size), PackingMark::Size, [false, false]),
        (motion(3, 5, 74, Marking::Size), PackingMark::Size, [true, true]),
        (motion(4, 5, 74, Marking::Size).with_properties(), PackingMark::Size, [true, true]),
        (motion(4, 5, 30, EVERY_SECOND).with_properties(), PackingMark::Flag, [true, false]),
        (motion(4, 5, 30, NONE), PackingMark::Flag, [false, false]),
        (motion(5, 5, 30, ALL).with_properties(), PackingMark::Flag, [true, true]),
        (motion(5, 5, 80, NONE), PackingMark::Flag, [false, false]),
    ];
    for (written, rule, packed) in cases {
        let bytes = written.binarised().to_vec();
        let read = binarised(&bytes);
        assert_eq!(read.rule().unwrap(), rule);
        let header = read.header;
        assert_eq!((header.version.get(), header.reversed, header.preload.get()), (written.version, 1, 0));
        assert_eq!(header.displacement.to_array(), written.displacement);
        let texts = read.texts;
        assert!(texts.bones.iter().map(|name| name.as_bytes()).eq(written.bones.iter().map(|name| &name[..])));
        assert_eq!(texts.bones.get(3).unwrap().as_bytes(), &written.bones[3][..]);
        assert_eq!(texts.metadata.is_some(), written.version >= 4);
        assert!(
            texts.metadata.iter().flatten().eq(written.metadata.iter().map(|text| std::str::from_utf8(text).unwrap()))
        );
        let properties: Vec<_> = texts.properties.iter().flatten().collect();
        assert_eq!(properties.len(), written.properties.len());
        for (read, written) in properties.iter().zip(&written.properties) {
            let texts = (read.name.as_bytes(), read.value.as_bytes());
            assert_eq!((read.id.0, read.phase, texts), (written.id, written.phase, (written.name, written.value)));
        }
        assert_eq!(Motion::parse(&bytes).unwrap().to_times().unwrap(), written.times);
        let frames = read.frames().unwrap();
        let table = frames.to_table().unwrap();
        assert_eq!((frames.iter().count(), table.len()), (5, 5));
        for index in [3, 0, 4, 1, 2] {
            let frame = frames.get(index).unwrap().unwrap();
            assert_eq!(to_bytes(&frame.block, &Limits::default()).unwrap(), written.transforms(index));
            assert_eq!(frame.block.borrowed().is_none(), packed[index % 2]);
            let again = table.get(index).unwrap();
            assert_eq!((again.offset, again.byte_len()), (frame.offset, frame.byte_len()));
            assert_eq!(to_bytes(&again.block, &Limits::default()).unwrap(), written.transforms(index));
        }
        assert!(frames.get(5).unwrap().is_none() && table.get(5).is_none());
        assert_eq!(verify(&bytes), []);
    }
}

#[test]
fn plain_files_read_back_in_place() {
    for written in [motion(0, 4, 3, NONE), motion(0, 4, 3, NONE).with_properties()] {
        let bytes = written.plain().to_vec();
        let Motion::Plain(read) = Motion::parse(&bytes).unwrap() else { panic!() };
        assert_eq!(read.header_offset, written.plain().at("magic") as u64);
        assert_eq!(read.metadata.is_some(), !written.properties.is_empty());
        let properties: Vec<_> = read.properties.iter().flatten().collect();
        assert_eq!(properties.len(), written.properties.len());
        for (read, written) in properties.iter().zip(&written.properties) {
            let texts = (read.name.as_bytes(), read.value.as_bytes());
            assert_eq!((read.phase, texts), (written.phase, (written.name, written.value)));
        }
        // The garbage after the NUL is not shown.
        assert!(read.bones.iter().map(|name| name.as_bytes()).eq(written.bones.iter().map(|name| &name[..])));
        assert!(read.times().unwrap().iter().map(|time| time.get()).eq(written.times.iter().copied()));
        for (index, frame) in read.frames().enumerate() {
            let frame = frame.unwrap();
            assert!(frame.names().eq(read.bones.iter()));
            for (bone, read) in frame.matrices().iter().enumerate() {
                assert_eq!(read.to_rows().as_flattened(), matrix(index, bone));
                assert!(bytes.as_ptr_range().contains(&std::ptr::from_ref(read).cast()));
            }
            assert_eq!(read.frame(index).unwrap().unwrap().offset, frame.offset);
        }
        assert_eq!(read.frames().count(), 4);
        assert!(read.frame(4).unwrap().is_none());
        assert_eq!(verify(&bytes), []);
    }
}

#[test]
fn a_track_is_charged_for_the_frames_that_it_decodes() {
    const FRAME: u64 = 40_000 * 14;
    const FRAMES: u64 = 60;
    let mut usages = Vec::new();
    for (marking, frame) in [(ALL, FRAME), (NONE, 0)] {
        let bytes = motion(5, FRAMES as usize, 40_000, marking).binarised().to_vec();
        let track = Motion::parse(&bytes).unwrap().track(5).unwrap();
        let times = if frame > 0 { FRAMES * 4 } else { 0 };
        assert_eq!((track.read_memory(), track.read_work()), (frame + times, FRAMES * (32 + frame) + times));
        let (read, usage) = usage_of(|| track.read(&mut |_| std::ops::ControlFlow::Continue(())));
        read.unwrap();
        assert!(usage.peak as u64 <= track.read_memory() + 4096, "{usage:?}");
        usages.push(usage.peak);
        let read_within = |limits: Limits| {
            let budget = Budget::new(bytes.len() as u64, &limits);
            budget.read(&track, &mut |_| std::ops::ControlFlow::Continue(()))
        };
        read_within(Limits::default()).unwrap();
        let little = Limits::default().with_work(1);
        assert_eq!(read_within(little).is_ok(), frame == 0, "{:?}", read_within(little));
    }
    assert!(usages[0] as u64 > FRAME);
}

#[test]
fn a_track_is_one_bone_through_all_frames() {
    let written = motion(5, 6, 3, EVERY_SECOND);
    let bytes = written.binarised().to_vec();
    let track = Motion::parse(&bytes).unwrap().track(2).unwrap();
    let rows = to_bytes(&track, &Limits::default()).unwrap();
    let floats: Vec<f32> = rows.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!((floats.len(), track.columns().len(), track.rows()), (6 * 8, 8, 6));
    for (frame, row) in floats.chunks(8).enumerate() {
        assert_eq!(row[0], written.times[frame]);
        assert_eq!(row[1], f32::from(written.frames[frame][2][0]) / 16384.0);
        assert_eq!(row[6], -0.25);
    }
    assert!(Motion::parse(&bytes).unwrap().track(3).is_none());
    let plain = written.plain().to_vec();
    let track = Motion::parse(&plain).unwrap().track(1).unwrap();
    let rows = to_bytes(&track, &Limits::default()).unwrap();
    assert_eq!((rows.len(), &rows[5 * 52 + 4..]), (6 * 52, &matrix(5, 1).map(f32::to_le_bytes).concat()[..]));
    // A reader that stops after a frame has decoded no others.
    let before = activity();
    let _ = track.read(&mut |_| std::ops::ControlFlow::Break(()));
    let packed = motion(5, 6, 3, ALL).binarised().to_vec();
    let track = Motion::parse(&packed).unwrap().track(0).unwrap();
    let _ = track.read(&mut |_| std::ops::ControlFlow::Break(()));
    assert_eq!(activity().decodes - before.decodes, 2);
}

#[test]
fn raw_frames_are_found_by_arithmetic() {
    let Some(mut bytes) = outside_file("rtm/zmbStandRunF3.rtm") else { return };
    let whole = bytes.clone();
    let frames = binarised(&whole).frames().unwrap();
    assert_eq!(frames.stride(), Some(4 + 14 * 68));
    let wanted = frames.iter().nth(40).unwrap().unwrap();
    // Nothing before it can have been read: all of it is overwritten.
    let start = frames.offset() as usize;
    bytes[start..wanted.offset as usize].fill(0xff);
    let before = activity();
    let (frame, usage) = usage_of(|| binarised(&bytes).frames().unwrap().get(40).unwrap().unwrap());
    assert_eq!(activity(), before);
    assert_eq!(usage.allocations, 0);
    assert_eq!(frame.block.borrowed().unwrap().as_bytes(), wanted.block.borrowed().unwrap().as_bytes());
    assert!(binarised(&bytes).frames().unwrap().get(39).is_err());
}

#[test]
fn a_packed_frame_costs_one_decode() {
    let Some(bytes) = outside_file("rtm/zmbKneel_deathA.rtm") else { return };
    let before = activity();
    let frames = binarised(&bytes).frames().unwrap();
    assert_eq!(activity(), before);
    let frame = frames.get(40).unwrap().unwrap();
    assert_eq!((activity().walks - before.walks, activity().decodes - before.decodes), (41, 0));
    assert_eq!(frame.block.decode().unwrap().len(), 127);
    assert_eq!(activity().decodes - before.decodes, 1);

    let table = frames.to_table().unwrap();
    let before = activity();
    for index in [80, 3, 41] {
        assert_eq!(table.get(index).unwrap().block.decode().unwrap().len(), 127);
    }
    assert_eq!((activity().walks - before.walks, activity().decodes - before.decodes), (0, 3));
    // Counting blocks decodes none of them.
    let summary = Motion::parse(&bytes).unwrap().summarize();
    assert_eq!((summary.blocks.stored, summary.blocks.packed), (1, 83));
    assert_eq!(activity().decodes - before.decodes, 3);
}

#[test]
fn a_transform_of_a_root_is_the_matrix_of_the_plain_file() {
    let (Some(packed), Some(plain)) = (outside_file("rtm/animation_bmtr.rtm"), outside_file("rtm/animation_plain.rtm"))
    else {
        return;
    };
    let Motion::Plain(plain) = Motion::parse(&plain).unwrap() else { panic!() };
    let frames = binarised(&packed).frames().unwrap();
    for index in 0..2 {
        let transforms = frames.get(index).unwrap().unwrap().block.decode().unwrap().into_owned();
        let ours = transforms[0].to_matrix();
        let theirs = plain.frame(index).unwrap().unwrap().matrices().get(0).unwrap().to_rows();
        let near = ours.as_flattened().iter().zip(theirs.as_flattened()).all(|(a, b)| (a - b).abs() < 2e-3);
        assert!(near, "{ours:?}\n{theirs:?}");
    }
}

#[test]
fn counts_that_the_bytes_cannot_hold_are_refused() {
    let many = u32::MAX.to_le_bytes();
    let raw = motion(3, 3, 2, Marking::Size).binarised();
    let left = raw.len() - raw.at("names");
    let message = format!("bones: needs 4294967295 bytes, {left} left");
    problem(&raw.clone().set("bones_hint", many).set("bones", many), Severity::Error, raw.at("names"), &message);
    problem(
        &raw.clone().set("frames", many),
        Severity::Error,
        raw.at("times"),
        "times: has 3 elements, not 4294967295",
    );
    let both = raw.clone().set("frames", many).set("times", many);
    problem(&both, Severity::Error, raw.at("time elements"), "times: 108 bytes cannot hold 17179869180 packed ones");

    let flagged = motion(5, 3, 2, NONE).with_properties().binarised();
    for (field, part, least) in [("metadata", "metadata", 1), ("properties", "properties", 10)] {
        let at = flagged.at(field) + 4;
        let message = format!("{part}: needs {} bytes, {} left", 0xffff_ffff_u64 * least, flagged.len() - at);
        problem(&flagged.clone().set(field, many), Severity::Error, at, &message);
    }

    let plain = motion(0, 3, 2, NONE).with_properties().plain();
    let at = plain.at("names");
    let message = format!("bones: needs {} bytes, {} left", 0xffff_ffff_u64 * 32, plain.len() - at);
    problem(&plain.clone().set("bones", many), Severity::Error, at, &message);
    let at = plain.at("frame 0");
    let message = format!("frames: needs {} bytes, {} left", 0xffff_ffff_u64 * 164, plain.len() - at);
    problem(&plain.clone().set("frames", many), Severity::Error, at, &message);
    let at = plain.at("properties") + 4;
    let message = format!("properties: needs {} bytes, {} left", 0xffff_ffff_u64 * 6, plain.len() - at);
    problem(&plain.clone().set("properties", many), Severity::Error, at, &message);
}

#[test]
fn counts_that_disagree_are_reported() {
    let raw = motion(3, 3, 2, Marking::Size).binarised();
    problem(&raw.clone().set("bones_hint", [3]), Severity::Error, raw.at("bones_hint"), "says 3 bones, then 2");
    problem(&raw.clone().set("times", [2]), Severity::Error, raw.at("times"), "times: has 2 elements, not 3");
    let at = raw.at("frame 1");
    problem(&raw.clone().set("frame 1", [3]), Severity::Error, at, "frames[1]: has 3 elements, not 2");
    // The frames before and after it can still be read.
    let bytes = raw.clone().set("frame 1", [3]).to_vec();
    let frames = binarised(&bytes).frames().unwrap();
    assert!(frames.get(0).unwrap().is_some() && frames.get(1).is_err() && frames.get(2).unwrap().is_some());
    let mut all = frames.iter();
    assert!(all.next().unwrap().is_ok() && all.next().unwrap().is_err() && all.next().is_none());
}

#[test]
fn names_without_end_are_reported() {
    let raw = motion(5, 3, 2, NONE).with_properties().binarised();
    let cut = |at: usize| Bytes::new().raw(&raw.to_vec()[..at]);
    let (names, property) = (raw.at("names"), raw.at("property"));
    problem(&cut(names + 10), Severity::Error, names + 7, "bones[1]: text without its closing NUL");
    problem(&cut(property + 8), Severity::Error, property + 4, "properties[1].name: text without its closing NUL");
    problem(&cut(property + 2), Severity::Error, property, "properties[1].id: needs 4 bytes, 2 left");
    let plain = motion(0, 3, 2, NONE).with_properties().plain();
    let bent = plain.clone().set("property name", [200]);
    // 200 bytes of name end far after that property, where RTM_0101 is missing.
    let found = verify(&bent.to_vec());
    assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
}

#[test]
fn packed_arrays_must_decode_to_their_counts() {
    let packed = motion(3, 3, 74, Marking::Size).binarised();
    let at = packed.at("elements 1");
    // A stream that starts with one more literal.
    let first = packed.to_vec()[at];
    let found = verify(&packed.clone().set("elements 1", [first + 1]).to_vec());
    assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
    assert!(found[0].message.starts_with("frames[1]: "), "{found:?}");
    assert!(found[0].offset >= Some(at as u64));
    // An end mark in its place.
    let end = packed.clone().set("elements 1", [0x11, 0, 0]);
    problem(&end, Severity::Error, at, "frames[1]: LZO stream decodes to 0 bytes, not 1036");

    let flagged = motion(5, 3, 40, ALL).binarised();
    let at = flagged.at("elements 1");
    problem(
        &flagged.clone().set("flag 1", [7]),
        Severity::Warning,
        at - 1,
        "frames[1]: flag of a packed array is 7, not 2",
    );
    // A packed frame marked as raw: the next one is not where it should be.
    let found = verify(&flagged.clone().set("flag 1", [0]).to_vec());
    assert!(found.iter().any(|problem| problem.message.starts_with("frames[2]: has ")), "{found:?}");
}

#[test]
fn version_4_is_read_as_it_uses_up_the_file() {
    for (bytes, message) in [
        (file("rtm_v4_both.rtm"), "packed arrays may be marked by size or by a flag"),
        (
            file("rtm_v4_neither.rtm"),
            "packed arrays are marked in no known way; by size: 1 bytes are left; by a flag: ",
        ),
    ] {
        let found = verify(&bytes);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
        assert!(found[0].message.starts_with(message), "{found:?}");
        // The data before the frames is still available.
        assert!(Motion::parse(&bytes).unwrap().bones().len() >= 40);
    }
}

fn file(name: &str) -> Vec<u8> {
    write::hostile().into_iter().find(|(file, _)| *file == name).unwrap().1
}

#[test]
fn empty_arrays_may_have_a_flag_or_none() {
    for (frames, bones) in [(0, 2), (3, 0), (0, 0)] {
        for (marking, rule) in [(NONE, PackingMark::Flag), (NO_FLAG_IF_EMPTY, PackingMark::FlagUnlessEmpty)] {
            let bytes = motion(5, frames, bones, marking).binarised().to_vec();
            assert_eq!(binarised(&bytes).rule().unwrap(), rule);
            assert_eq!(verify(&bytes), []);
            let again = motion(4, frames, bones, marking).binarised().to_vec();
            assert_eq!(verify(&again), []);
        }
    }
}

#[test]
fn bytes_after_the_last_frame_are_reported() {
    let raw = motion(3, 3, 2, Marking::Size).binarised();
    problem(&raw.clone().raw([0; 5]), Severity::Warning, raw.len(), "5 bytes after the last frame");
    let plain = motion(0, 3, 2, NONE).plain();
    problem(&plain.clone().raw([0; 5]), Severity::Warning, plain.len(), "5 bytes after the last frame");
}

#[test]
fn invalid_rotations_are_reported_once() {
    // 147 frames of 127 bones cut to the size of 67.
    let Some(bytes) = outside_file("wild/freefallLoop_relabelled.rtm") else { return };
    let found: Vec<_> = verify(&bytes).into_iter().map(|problem| (problem.severity, problem.message)).collect();
    let translations =
        "frames: 1,489 of 9,849 translations are not finite; the first is (-57376, NaN, 908) at index 18 of frames[0]";
    let rotations =
        "frames: 9,549 of 9,849 quaternions are not unit; the first is of length 2.253 at index 0 of frames[0]";
    assert_eq!(found, [(Severity::Warning, rotations.into()), (Severity::Warning, translations.into())]);
}

#[test]
fn relatives_are_named() {
    let raw = motion(3, 3, 2, Marking::Size).binarised();
    problem(&raw.clone().set("version", [2]), Severity::Error, 4, "BMTR of version 2");
    let plain = motion(0, 3, 2, NONE).plain();
    problem(&plain.clone().set("magic", b"RTM_0100"), Severity::Error, 0, "plain RTM of version 0100");
    let with_metadata = motion(0, 3, 2, NONE).with_properties().plain();
    let at = with_metadata.at("magic");
    problem(&with_metadata.set("magic", b"XXX"), Severity::Error, at, "RTM_0101 is missing");
}

#[test]
fn assertions_of_the_fuzz_target_pass_for_every_file_and_its_neighbours() {
    for (name, bytes) in write::corpus().into_iter().chain(write::hostile()) {
        println!("{name}");
        crate::fuzz_rtm::run(&bytes);
        for at in (0..bytes.len()).step_by(bytes.len() / 30 + 1) {
            for value in [0, 0x7f, 0xff] {
                let mut bent = bytes.clone();
                bent[at] = value;
                crate::fuzz_rtm::run(&bent);
            }
        }
    }
}
