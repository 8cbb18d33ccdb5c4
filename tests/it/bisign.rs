//! Tests of keys and signatures. Other programs signed: see `writer/signed/README.md`.

use meshpeek::bisign::{KeyFile, MOST_BITS};
use meshpeek::pbo::Archive;
use meshpeek::signatures::{Digests, Fit, Part, compare, compare_with};
use meshpeek::summary::{Code, Problems};
use meshpeek::{Asset, Budget, Format, Inspect, Limits};
use sha1::{Digest, Sha1};

use crate::memory::usage_of;
use crate::support::mutate::{Random, Source};
use crate::support::program::{Folder, code, lines, run, stderr, stdout};
use crate::writer::bisign::{
    BARE, BARE_2, BARE_3, HOUSE, HOUSE_3, HOUSE_3_OF_ARMAKE2, KEY, OTHER_KEY, SHED, SHED_2, SHED_3, corpus, hostile,
    marked,
};
use crate::writer::pbo::{Tail, Writer};

#[path = "../../fuzz/src/bisign.rs"]
pub mod fuzz;

/// The problems of a key or signature alone: code and offset.
fn verify(bytes: &[u8]) -> Vec<(Code, Option<u64>)> {
    let mut problems = Problems::new(&Limits::default());
    KeyFile::parse(bytes).unwrap().verify(&mut problems);
    problems.into_vec().into_iter().map(|one| (one.code, one.offset)).collect()
}

fn fit(signature: &[u8], archive: &[u8]) -> meshpeek::Result<Fit> {
    let budget = Budget::new(archive.len() as u64, &Limits::default());
    compare(&KeyFile::parse(signature)?, &Archive::parse(archive)?, &budget)
}

/// The archive with the SHA-1 of its bytes at its end, as those who change archives write it.
fn with_right_checksum(mut archive: Vec<u8>) -> Vec<u8> {
    let end = archive.len() - 21;
    let sum = Sha1::digest(&archive[..end]);
    archive[end + 1..].copy_from_slice(&sum);
    archive
}

#[test]
fn signatures_of_other_programs_fit_their_archives_alone() {
    for (name, signature, archive) in
        [("2", SHED_2, SHED), ("3", SHED_3, SHED), ("2", BARE_2, BARE), ("3", BARE_3, BARE), ("hemtt", HOUSE_3, HOUSE)]
    {
        assert_eq!(verify(signature), [], "{name}");
        for (other, bytes) in [("shed", SHED), ("bare", BARE), ("house", HOUSE)] {
            let expected = if bytes == archive { Fit::Fits } else { Fit::Differs(Part::Archive) };
            assert_eq!(fit(signature, bytes).unwrap(), expected, "{name} {other}");
        }
    }
}

#[test]
fn a_key_and_a_signature_have_a_name_and_a_version() {
    let key = KeyFile::parse(KEY).unwrap();
    assert_eq!((key.key().name.to_string(), key.format()), ("maker_1.2".to_owned(), Format::Bikey));
    assert_eq!((key.key().header.bits.get(), key.key().header.exponent.get()), (1024, 65537));
    assert!(key.signature().unwrap().is_none() && verify(KEY).is_empty());
    for (bytes, version) in [(SHED_2, 2), (SHED_3, 3)] {
        let file = KeyFile::parse(bytes).unwrap();
        assert_eq!(file.format(), Format::Bisign);
        assert_eq!(file.signature().unwrap().unwrap().version, version);
        assert_eq!(file.key().modulus.as_bytes(), key.key().modulus.as_bytes());
        assert_eq!(file.summarize().version, Some(version));
    }
    assert_eq!(fit(KEY, SHED).unwrap_err().message(), "a key without a signature");
}

/// One bit of each byte, whether or not the checksum at the end is made to fit.
#[test]
fn no_archive_with_a_changed_byte_fits() {
    for (signature, archive) in [(SHED_2, SHED), (SHED_3, SHED), (BARE_3, BARE)] {
        for place in 0..archive.len() - 21 {
            let mut bent = archive.to_vec();
            bent[place] ^= 1 << (place % 8);
            for bytes in [with_right_checksum(bent.clone()), bent] {
                assert_ne!(fit(signature, &bytes).ok(), Some(Fit::Fits), "byte {place}");
            }
        }
    }
}

/// Two bits of each byte. The constants show that it is a signature; without them it is none.
#[test]
fn a_changed_byte_of_a_signature_is_an_error() {
    for signature in [SHED_2, SHED_3] {
        // A name is not signed.
        for place in 10..signature.len() {
            for bit in [0, place % 8] {
                let mut bent = signature.to_vec();
                bent[place] ^= 1 << bit;
                // The size of the key says nothing that its number of bits does not say, but is checked.
                let is_size = (10..14).contains(&place);
                assert_eq!(fit(&bent, SHED).ok() == Some(Fit::Fits), is_size, "bit {bit} of byte {place}");
                let Ok(file) = KeyFile::parse(&bent) else { continue };
                let mut problems = Problems::new(&Limits::default());
                file.verify(&mut problems);
                // Without the archive, another version is as good.
                let is_version = place == 294 && bit == 0;
                assert_eq!(problems.into_vec().is_empty(), is_version, "bit {bit} of byte {place}");
            }
        }
    }
}

/// The version decides which content is signed.
#[test]
fn a_signature_does_not_fit_as_another_version() {
    for (bytes, version) in [(SHED_2, 3), (SHED_3, 2), (BARE_3, 2)] {
        let mut bent = bytes.to_vec();
        bent[294] = version;
        let archive = if bytes == BARE_3 { BARE } else { SHED };
        assert_eq!(fit(&bent, archive).unwrap(), Fit::Differs(Part::Content));
    }
}

/// armake2 0.3.0 counts the names of empty members, and other programs do not.
#[test]
fn what_programs_disagree_about_is_said() {
    let unsure = fit(HOUSE_3_OF_ARMAKE2, HOUSE).unwrap();
    assert_eq!(unsure, Fit::Unsure(Part::Names, "empty members"));
    // Of a changed archive, nothing is unsure.
    let mut changed = HOUSE.to_vec();
    let last = HOUSE.len() - 30;
    changed[last] ^= 1;
    assert_eq!(fit(HOUSE_3_OF_ARMAKE2, &with_right_checksum(changed)).unwrap(), Fit::Differs(Part::Archive));
}

#[test]
fn faults_of_keys_are_found() {
    let end = KEY.len() as u64;
    let found = |name: &str| {
        let file = hostile().into_iter().find(|(file, _)| *file == name).unwrap();
        verify(&file.1)
    };
    assert_eq!(found("bikey_no_bits.bikey"), [(Code::Damaged, Some(30))]);
    assert_eq!(found("bikey_odd_bits.bikey"), [(Code::Damaged, Some(22))]);
    assert_eq!(found("bikey_short_modulus.bikey"), [(Code::Damaged, Some(30))]);
    assert_eq!(found("bikey_even_modulus.bikey"), [(Code::Damaged, Some(34))]);
    assert_eq!(found("bikey_zero_modulus.bikey"), [(Code::Damaged, Some(34))]);
    assert_eq!(found("bikey_even_exponent.bikey"), [(Code::Damaged, Some(26))]);
    assert_eq!(found("bikey_exponent_1.bikey"), [(Code::OddRange, Some(26))]);
    assert_eq!(found("bikey_size.bikey"), [(Code::Damaged, Some(6))]);
    assert_eq!(found("bikey_bytes_behind.bikey"), [(Code::Trailing, Some(end))]);
    let parts = [166, 302, 434].map(|offset| (Code::Signature, Some(offset)));
    assert_eq!(found("bisign_other_signature.bisign"), [parts[1]]);
    assert_eq!(found("bisign_not_below_modulus.bisign"), [parts[2]]);
    assert_eq!(found("bisign_other_modulus.bisign"), parts);
    assert_eq!(found("bisign_exponent.bisign"), parts);
    assert_eq!(found("bisign_version.bisign"), [(Code::OddRange, Some(294))]);
    assert_eq!(found("bisign_large_key.bisign").iter().map(|(code, _)| *code).collect::<Vec<_>>(), [Code::Limit]);
    assert_eq!(MOST_BITS, 2048);
    assert_eq!(found("bisign_largest_key.bisign").len(), 3);
}

/// Every product of large numbers is paid for.
#[test]
fn work_with_keys_is_charged() {
    let (_, largest) = hostile().into_iter().find(|(name, _)| *name == "bisign_largest_key.bisign").unwrap();
    let limits = Limits::default().with_work(0);
    let file = KeyFile::parse(&largest).unwrap();
    let key = file.key();
    let signature = file.signature().unwrap().unwrap();
    let spent = key.recover(signature.first.as_bytes(), &Budget::new(0, &limits)).unwrap_err();
    assert_eq!(spent.code(), Code::WorkLimit);
    let budget = Budget::new(0, &limits);
    let refused = compare(&KeyFile::parse(SHED_3).unwrap(), &Archive::parse(SHED).unwrap(), &budget);
    assert_eq!(refused.unwrap_err().code(), Code::WorkLimit);
}

/// An archive is hashed where it is.
#[test]
fn comparing_copies_no_content() {
    let content = vec![7; 8 << 20];
    let archive = Writer::new().product(&[(b"prefix", b"large")]).stored(b"a.sqf", &content).finish(Tail::Sha1);
    let (found, usage) = usage_of(|| fit(SHED_2, &archive).unwrap());
    assert_eq!(found, Fit::Differs(Part::Archive));
    assert!(usage.peak < 64 << 10, "{usage:?}");
}

#[test]
fn archives_that_cannot_be_signed_are_errors() {
    let archive = |tail| Writer::new().stored(b"a.sqf", b"hint").finish(tail);
    let error = fit(SHED_3, &archive(Tail::Bytes(b""))).unwrap_err();
    assert_eq!(error.message(), "an archive without a SHA-1 at its end");
    assert!(fit(SHED_3, &SHED[..SHED.len() - 30]).is_err());
    let (_, other) = hostile().into_iter().find(|(name, _)| *name == "bisign_version.bisign").unwrap();
    assert_eq!(fit(&other, SHED).unwrap_err().code(), Code::Unsupported);
}

#[test]
fn damaged_keys_and_signatures_are_read_without_harm() {
    for (name, bytes) in corpus().into_iter().chain(hostile()).filter(|(name, _)| !name.ends_with(".pbo")) {
        let sound = Asset::parse(&bytes).is_ok();
        assert!(sound || matches!(name, "bikey_bits.bikey" | "bikey_cut.bikey"), "{name}");
        for place in (0..bytes.len()).step_by(1 + bytes.len() / 60) {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0xff;
            fuzz::run(&bytes);
        }
    }
    let sources: Vec<_> = [KEY, SHED_2, SHED_3].map(|bytes| Source::new(bytes.to_vec())).into();
    let mut random = Random(0x6269_7369);
    for _ in 0..1_000 {
        let (a, b) = (random.below(sources.len()), random.below(sources.len()));
        fuzz::run(&sources[a].mutated(&sources[b], &mut random));
    }
}

/// A mod with two signed addons and its key. Returns its folder, and its path.
fn a_mod(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    folder.file("addons/shed.pbo", SHED);
    folder.file("addons/shed.pbo.maker_1.2.bisign", SHED_3);
    folder.file("addons/bare.pbo", BARE);
    folder.file("addons/Bare.pbo.maker_1.2.BISIGN", BARE_2);
    folder.file("keys/maker_1.2.bikey", KEY);
    let path = folder.0.to_str().unwrap().to_owned();
    (folder, path)
}

/// The names, codes and messages of a run's problems, ordered by name.
fn problems(args: &[&str]) -> Vec<(String, String, String)> {
    let output = run([&["verify", "--format", "ndjson"], args].concat());
    let mut problems = Vec::new();
    for record in lines(&output) {
        let path = record["path"].as_str().unwrap().replace('\\', "/");
        let name = path.rsplit('/').next().unwrap().to_owned();
        for problem in record["problems"].as_array().unwrap() {
            let text = |key: &str| problem[key].as_str().unwrap().to_owned();
            problems.push((name.clone(), text("code"), text("message")));
        }
    }
    problems.sort();
    problems
}

/// The names and codes alone.
fn codes(args: &[&str]) -> Vec<(String, String)> {
    problems(args).into_iter().map(|(name, code, _)| (name, code)).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, code)| ((*name).to_owned(), (*code).to_owned())).collect()
}

#[test]
fn a_signed_mod_is_sound() {
    let (_folder, path) = a_mod("signed");
    let output = run(["verify", "--strict", &path]);
    assert_eq!((code(&output), stdout(&output)), (0, String::new()), "{}", stderr(&output));
    assert!(stderr(&output).contains("0 errors, 0 warnings"), "{}", stderr(&output));
}

#[test]
fn a_changed_archive_and_a_foreign_signature_do_not_fit() {
    let (folder, path) = a_mod("changed");
    let mut changed = SHED.to_vec();
    changed[250] ^= 1;
    folder.file("addons/shed.pbo", with_right_checksum(changed));
    folder.file("addons/Bare.pbo.maker_1.2.BISIGN", SHED_3);
    let expected =
        [("Bare.pbo.maker_1.2.BISIGN", "damaged.signature"), ("shed.pbo.maker_1.2.bisign", "damaged.signature")];
    assert_eq!(codes(&[&path]), pairs(&expected));
    assert_eq!(code(&run(["verify", &path])), 1);
}

#[test]
fn an_archive_without_a_signature_is_named_if_others_have_one() {
    let (folder, path) = a_mod("unsigned");
    folder.file("addons/house.pbo", HOUSE);
    folder.file("optional/plain.pbo", HOUSE);
    assert_eq!(codes(&[&path]), pairs(&[("house.pbo", "suspicious.unsigned")]));
    // A file that is only called a signature is none.
    folder.file("addons/house.pbo.me.bisign", "no signature");
    let found = problems(&[&path]);
    assert!(found.contains(&(
        "house.pbo".to_owned(),
        "suspicious.unsigned".to_owned(),
        "no signature: house.pbo.me.bisign is none".to_owned()
    )));
}

#[test]
fn a_missing_key_is_named_wherever_it_is_missing() {
    let (folder, path) = a_mod("keys");
    std::fs::remove_file(folder.0.join("keys/maker_1.2.bikey")).unwrap();
    let missing = [("Bare.pbo.maker_1.2.BISIGN", "suspicious.key"), ("shed.pbo.maker_1.2.bisign", "suspicious.key")];
    assert_eq!(codes(&[&path]), pairs(&missing));
    let messages = |found: Vec<(String, String, String)>| found.into_iter().map(|(.., text)| text).collect::<Vec<_>>();
    assert_eq!(messages(problems(&[&path])), ["its key maker_1.2 (.bikey) is not among the files"; 2]);
    folder.file("server/maker_1.2.bikey", OTHER_KEY);
    assert_eq!(
        messages(problems(&[&path])),
        ["the key maker_1.2 among the files is another than the one that made it"; 2]
    );
    let elsewhere = Folder::new("elsewhere");
    let key = elsewhere.file("given.bikey", KEY);
    assert_eq!(codes(&[&path, key.to_str().unwrap()]), []);
    // A run that leaves out files does not know which keys are there.
    let output = run(["verify", "--type", "bisign", &path]);
    assert_eq!((code(&output), stdout(&output)), (0, String::new()));
    assert!(stderr(&output).contains(", keys of 2 signatures not looked for"), "{}", stderr(&output));
}

#[test]
fn what_is_not_compared_is_said() {
    let (folder, path) = a_mod("uncompared");
    std::fs::remove_file(folder.0.join("addons/bare.pbo")).unwrap();
    folder.file("addons/house.pbo", HOUSE);
    folder.file("addons/house.pbo.maker_1.2.bisign", HOUSE_3_OF_ARMAKE2);
    let found = problems(&[&path]);
    let [(absent, absent_code, absent_text), (unsure, unsure_code, unsure_text)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((absent.as_str(), absent_code.as_str()), ("Bare.pbo.maker_1.2.BISIGN", "suspicious.uncompared"));
    assert!(absent_text.contains("no archive beside it"), "{absent_text}");
    assert_eq!((unsure.as_str(), unsure_code.as_str()), ("house.pbo.maker_1.2.bisign", "suspicious.uncompared"));
    assert!(unsure_text.contains("programs make it in different ways for empty members"), "{unsure_text}");
    // In an archive, the archive beside a signature may be another than the one that was signed.
    let zip = crate::writer::zip::zip(
        &[
            crate::writer::zip::Entry::stored("shed.pbo", SHED),
            crate::writer::zip::Entry::stored("shed.pbo.maker_1.2.bisign", SHED_3),
            crate::writer::zip::Entry::deflated("maker_1.2.bikey", KEY),
        ],
        b"",
    );
    let zip = folder.file("packed/mod.zip", zip.to_vec());
    let zip = zip.to_str().unwrap();
    assert_eq!(codes(&[zip]), pairs(&[("mod.zip", "suspicious.uncompared")]));
    let output = run(["verify", zip]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("only files beside each other are compared"), "{}", stdout(&output));
    assert_eq!(code(&run(["verify", "--strict", zip])), 1);
    assert_eq!(code(&run(["verify", "--strict", "--allow", "suspicious.uncompared", zip])), 0);
}

/// `a.pbo.x.pbo.k.bisign` is for `a.pbo.x.pbo`, not for `a.pbo`.
#[test]
fn a_signature_is_of_the_archive_with_the_longest_name() {
    let folder = Folder::new("longest");
    folder.file("a.pbo", SHED);
    folder.file("a.pbo.x.pbo", SHED);
    folder.file("a.pbo.x.pbo.k.bisign", SHED_3);
    folder.file("maker_1.2.bikey", KEY);
    let path = folder.0.to_str().unwrap();
    assert_eq!(codes(&[path]), pairs(&[("a.pbo", "suspicious.unsigned")]));
    folder.file("a.pbo.k.bisign", SHED_3);
    assert_eq!(codes(&[path]), []);
}

/// Names that differ only in case are several files on Linux.
#[cfg(target_os = "linux")]
#[test]
fn a_signature_is_of_the_archive_with_its_very_name() {
    let mut changed = SHED.to_vec();
    changed[250] ^= 1;
    let changed = with_right_checksum(changed);
    for (signed, other) in [("mod.pbo", "MOD.PBO"), ("MOD.PBO", "mod.pbo"), ("Mod.pbo", "mod.pbo")] {
        let folder = Folder::new("case");
        let path = folder.0.to_str().unwrap().to_owned();
        let signature = format!("{signed}.k.bisign");
        folder.file("maker_1.2.bikey", KEY);
        folder.file(signed, &changed);
        folder.file(other, SHED);
        folder.file(&signature, SHED_3);
        let mut expected = pairs(&[(&signature, "damaged.signature"), (other, "suspicious.unsigned")]);
        expected.sort();
        assert_eq!(codes(&[&path]), expected);
        folder.file(signed, SHED);
        folder.file(other, &changed);
        assert_eq!(codes(&[&path]), pairs(&[(other, "suspicious.unsigned")]));
        // Each has its own.
        folder.file(&format!("{other}.k.bisign"), SHED_3);
        assert_eq!(codes(&[&path]), pairs(&[(&format!("{other}.k.bisign"), "damaged.signature")]));
    }
    // Without the archive of its very name, the first is compared.
    let folder = Folder::new("other-case");
    folder.file("MOD.pbo", SHED);
    folder.file("mod.PBO", &changed);
    folder.file("mod.pbo.k.bisign", SHED_3);
    folder.file("maker_1.2.bikey", KEY);
    assert_eq!(codes(&[folder.0.to_str().unwrap()]), pairs(&[("mod.PBO", "suspicious.unsigned")]));
}

/// A key is missing only from a run that has read all files.
#[test]
fn no_key_is_missing_from_what_was_not_read() {
    let unasked = |args: &[&str]| {
        let output = run([&["verify"], args].concat());
        assert_eq!(stdout(&output), "", "{args:?}");
        assert!(stderr(&output).contains(", keys of 2 signatures not looked for"), "{args:?}: {}", stderr(&output));
        assert_eq!(code(&run([&["verify", "--strict"], args].concat())), 1, "{args:?}");
    };
    let (folder, path) = a_mod("unread");
    unasked(&["--no-archives", &path]);
    unasked(&["-g", "addons/*", &path]);
    unasked(&["--folder-depth", "2", &path]);
    // Hidden, ignored and damaged keys.
    let key = folder.0.join("keys/maker_1.2.bikey");
    std::fs::remove_file(&key).unwrap();
    folder.file(".keys/maker_1.2.BIKEY", KEY);
    unasked(&[&path]);
    let strict = run(["verify", "--strict", "--hidden", &path]);
    assert_eq!((code(&strict), stdout(&strict)), (0, String::new()));
    std::fs::remove_dir_all(folder.0.join(".keys")).unwrap();
    folder.file("keys/maker_1.2.bikey", KEY);
    folder.file(".ignore", "keys");
    unasked(&[&path]);
    assert_eq!(code(&run(["verify", "--strict", "--no-ignore", &path])), 0);
    std::fs::remove_file(folder.0.join(".ignore")).unwrap();
    folder.file("keys/maker_1.2.bikey", &KEY[..KEY.len() / 2]);
    let output = run(["verify", &path]);
    assert!(!stdout(&output).contains("is not among the files"), "{}", stdout(&output));
    // Another that was read is no reason.
    std::fs::remove_file(&key).unwrap();
    folder.file("keys/other.bikey", OTHER_KEY);
    assert_eq!(codes(&[&path]).len(), 2);
    // A file that cannot be read.
    let absent = folder.0.join("absent.bikey");
    let output = run(["verify", "--format", "text", &path, absent.to_str().unwrap()]);
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains(", keys of 2 signatures not looked for"), "{}", stderr(&output));
}

/// Ctrl-C after the signatures, before the keys.
#[cfg(unix)]
#[test]
fn no_key_is_missing_from_an_interrupted_run() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;

    let (_folder, path) = a_mod("interrupted");
    let mut command = crate::support::program::program();
    command.args(["verify", "--format", "ndjson", "-j", "1", "--paths-from", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    let addons = format!("{path}/addons\n");
    let writer = std::thread::spawn(move || while list.write_all(addons.as_bytes()).is_ok() {});
    let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
    // Of the archives; those of signatures wait.
    assert!(rows.next().is_some());
    // SAFETY: the child was not waited for.
    unsafe { libc::kill(child.id().try_into().unwrap(), libc::SIGINT) };
    for row in rows {
        let row = row.unwrap();
        assert!(!row.contains("suspicious.key"), "{row}");
    }
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    writer.join().unwrap();
}

/// All signatures of an archive take little more time than one.
#[test]
fn the_digests_of_an_archive_serve_all_its_signatures() {
    let limits = Limits::default();
    let archive = Archive::parse(SHED).unwrap();
    let kept = Digests::of(&archive, 3, &Budget::new(SHED.len() as u64, &limits)).unwrap();
    let compared = |signature: &[u8], archive: &Digests| {
        let budget = Budget::new(signature.len() as u64, &limits);
        compare_with(&KeyFile::parse(signature).unwrap(), &budget, |_| Ok(archive))
    };
    assert_eq!(compared(SHED_3, &kept).unwrap(), Fit::Fits);
    assert_eq!(compared(BARE_3, &kept).unwrap(), Fit::Differs(Part::Archive));
    assert_eq!(compared(SHED_2, &kept).unwrap_err().message(), "digests of another version than the signature");
    assert_eq!(Digests::of(&archive, 4, &Budget::new(0, &limits)).unwrap_err().code(), Code::Unsupported);

    let folder = Folder::new("hashed");
    let archive = Writer::new().stored(b"a.sqf", &vec![7; 1 << 20]).finish(Tail::Sha1);
    folder.file("a.pbo", &*archive);
    for number in 0..100 {
        folder.file(&format!("a.pbo.{number}.bisign"), SHED_3);
    }
    let output = run(["verify", "--allow", "suspicious", folder.0.to_str().unwrap()]);
    assert_eq!(stdout(&output).lines().count(), 100, "{}", stderr(&output));
}

#[test]
fn the_marks_of_the_writer_are_where_fields_are() {
    assert_eq!(marked().to_vec(), SHED_3);
    assert_eq!((marked().at("modulus"), marked().at("version")), (34, 294));
}
