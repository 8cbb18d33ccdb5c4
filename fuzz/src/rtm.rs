//! Animations: calls every accessor, and asserts what must hold between them.

use meshpeek::dissect::dissect;
use meshpeek::rtm::{Binarised, Motion, Plain};
use meshpeek::summary::Problems;
use meshpeek::view::Table;
use meshpeek::{Inspect, Limits, inspect};

/// Reads the bytes as an animation, in place and again at an odd address.
pub fn run(data: &[u8]) {
    let limits = Limits::default().with_decoded_bytes(1 << 20).with_problems(50);
    let motion = match Motion::parse_with(data, &limits) {
        Ok(motion) => motion,
        Err(error) => return assert!(error.offset().is_some_and(|offset| offset <= data.len() as u64), "{error}"),
    };
    visit(&motion, data.len());
    let shifted = [&[0], data].concat();
    let again = Motion::parse_with(&shifted[1..], &limits).unwrap();
    assert_eq!(again.summarize(), motion.summarize());
    for name in motion.digest_names() {
        assert_eq!(digest(&again, name), digest(&motion, name));
    }
}

fn digest(motion: &Motion<'_>, name: &str) -> Result<(usize, u64), String> {
    let (mut bytes, mut sum) = (0, 0_u64);
    let result = motion.digest(name, &meshpeek::Budget::unlimited(&meshpeek::Limits::default()), &mut |rows| {
        bytes += rows.len();
        sum = rows.iter().fold(sum, |sum, &byte| sum.rotate_left(5) ^ u64::from(byte));
    });
    result.map(|()| (bytes, sum)).map_err(|error| error.to_string())
}

fn visit(motion: &Motion<'_>, len: usize) {
    let names: Vec<_> = motion.bones().iter().collect();
    assert_eq!(names.len(), motion.bones().len());
    assert!(motion.bones().byte_len() <= len as u64);
    for index in [0, names.len() / 2, names.len()] {
        assert_eq!(motion.bones().get(index).as_ref(), names.get(index));
    }
    assert_eq!(names.is_empty(), motion.bones().is_empty());
    let _ = motion.displacement();
    let frame_bytes = match motion {
        Motion::Binarised(motion) => binarised(motion, len),
        Motion::Plain(motion) => plain(motion, len),
        _ => unreachable!("there are two forms"),
    };

    let summary = motion.summarize();
    let mut problems = Problems::new(&Limits::default());
    motion.verify(&mut problems);
    let verified = problems.into_vec();
    for problem in summary.problems.iter().chain(&verified) {
        // Only the problem that counts those beyond the limit has no offset.
        let beyond = problem.message.ends_with("beyond the limit for one asset");
        assert!(problem.offset.map_or(beyond, |offset| offset <= len as u64), "{problem:?}");
    }
    assert!(verified.len() >= summary.problems.len());
    assert!(summary.blocks.packed_bytes <= len as u64);
    assert_eq!(summary.bytes, len as u64);
    let times = digest(motion, "times").map(|(bytes, _)| bytes);
    assert_eq!(times.is_ok(), motion.to_times().is_ok());
    if let (Ok(times), Ok((transforms, _))) = (times, digest(motion, "transforms")) {
        let frames = motion.frame_count();
        assert_eq!((times, transforms), (frames * 4, frames * names.len() * frame_bytes));
    }
    for bone in [0, names.len().saturating_sub(1), names.len()] {
        let Some(track) = motion.track(bone) else {
            assert_eq!(bone, names.len());
            continue;
        };
        let row: usize = track.columns().iter().map(|column| column.scalar.byte_len()).sum();
        if let Ok(bytes) = inspect::to_bytes(&track, &Limits::default()) {
            assert_eq!(bytes.len() as u64, track.rows() * row as u64);
        }
    }
    dissect(motion, len as u64, &mut |line| {
        assert!(line.span.is_none_or(|span| span.offset + span.bytes <= len as u64), "{line:?}");
    });
}

/// The bytes of a transform.
fn binarised(motion: &Binarised<'_>, len: usize) -> usize {
    let texts = motion.texts;
    if let Some(metadata) = texts.metadata {
        assert_eq!(metadata.iter().count(), metadata.len());
    }
    if let Some(properties) = texts.properties {
        assert_eq!(properties.iter().count(), properties.len());
        assert_eq!(properties.spanned().map(|(_, span)| span.bytes).sum::<u64>(), properties.byte_len());
    }
    let Ok(frames) = motion.frames() else {
        assert!(motion.times().is_err());
        return 14;
    };
    let times = motion.times().unwrap();
    assert_eq!(times.offset + times.byte_len(), frames.offset());
    let all: Vec<_> = frames.iter().collect();
    let whole = all.iter().all(Result::is_ok);
    assert!(all.len() <= len / 4 + 1);
    let table = frames.to_table();
    assert_eq!(table.is_ok(), whole && all.len() == frames.len());
    let mut end = frames.offset();
    for (index, frame) in all.iter().enumerate() {
        let Ok(frame) = frame else {
            assert_eq!(index + 1, all.len());
            break;
        };
        assert_eq!(frame.offset, end);
        end += frame.byte_len();
        assert!(end <= len as u64);
        assert_eq!(frame.block.count(), texts.bones.len() as u64);
        let decoded = frame.block.decode();
        assert_eq!(
            frame.block.borrowed().map(|array| array.as_slice()),
            decoded.as_deref().ok().filter(|_| { frame.block.borrowed().is_some() })
        );
        if let Ok(transforms) = &decoded {
            for transform in transforms.iter().take(8) {
                let [.., position] = transform.to_matrix();
                let [x, y, z] = transform.translation();
                assert_eq!(position.map(f32::to_bits), [-x, y, -z].map(f32::to_bits));
            }
            assert!(frame.block.to_native().is_ok_and(|native| native.len() == transforms.len()));
        }
        if frame.block.decoded_byte_len() <= 1 << 20 {
            assert!(decoded.is_ok(), "a walked stream decodes: {decoded:?}");
        }
        if let Ok(table) = &table {
            let again = table.get(index).unwrap();
            assert_eq!((again.offset, again.byte_len(), again.flag), (frame.offset, frame.byte_len(), frame.flag));
        }
    }
    for index in [0, all.len() / 2, all.len().saturating_sub(1)] {
        let Some(Ok(frame)) = all.get(index) else { continue };
        let again = frames.get(index).unwrap().unwrap();
        assert_eq!((again.offset, again.byte_len()), (frame.offset, frame.byte_len()));
    }
    assert!(frames.get(frames.len()).unwrap().is_none());
    assert_eq!(frames.is_empty(), all.is_empty());
    if let Ok(table) = &table {
        assert_eq!((table.len(), table.is_empty()), (frames.len(), frames.is_empty()));
    }
    14
}

/// The bytes of a matrix.
fn plain(motion: &Plain<'_>, len: usize) -> usize {
    if let Some(properties) = motion.properties {
        assert_eq!(properties.iter().count(), properties.len());
        assert_eq!(properties.spanned().map(|(_, span)| span.bytes).sum::<u64>(), properties.byte_len());
    }
    let mut end = motion.frames_offset();
    for (index, frame) in motion.frames().enumerate() {
        let Ok(frame) = frame else { break };
        assert_eq!(frame.offset, end);
        end += frame.bytes();
        assert_eq!(frame.names().count(), motion.bones.len());
        assert_eq!(frame.matrices().len(), motion.bones.len());
        let (matrix, bone) = (frame.matrices().get(0), frame.bone(0));
        assert!(matrix.zip(bone).is_none_or(|(matrix, bone)| std::ptr::eq(matrix, &bone.matrix)));
        if let Ok(times) = motion.times() {
            assert_eq!(times.get(index).unwrap().get().to_bits(), frame.time.to_bits());
        }
    }
    assert!(motion.frame(motion.frames().count()).is_ok_and(|frame| frame.is_none()) || motion.times().is_err());
    if let Ok(times) = motion.times() {
        crate::views::strided(&times);
    }
    if motion.times().is_ok() {
        assert_eq!(end + motion.trailing().len() as u64, len as u64);
    }
    48
}
