//! Generated mods, of which each reference has a known answer.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use meshpeek::answers::refs;
use meshpeek::scan::Scan;

use super::pbo;
use crate::support::mutate::Random;
use crate::support::program::{Folder, with_slashes};
use crate::writer::zip::{Entry, zip};

/// How an addon is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A folder with a prefix file of this name and content, in which `@` stands for the prefix.
    Folder(&'static str, &'static str),
    Pbo,
    /// A PBO in a zip.
    Zip,
}

pub const FORMS: [Form; 6] = [
    Form::Folder("$PBOPREFIX$", "@\r\n"),
    Form::Folder("$PREFIX$", "// of a tool\nprefix = \"@\";\n"),
    Form::Folder("$PBOPREFIX$.txt", "\u{feff}@"),
    Form::Folder("pboprefix.txt", "product=a;\nPREFIX=@;\nversion=1;\n"),
    Form::Pbo,
    Form::Zip,
];

/// An addon, or a copy of one.
#[derive(Clone, Debug)]
pub struct Addon {
    pub number: usize,
    /// The path of its folder or file.
    place: String,
    form: Form,
}

impl Addon {
    pub fn new(number: usize, copy: usize, form: Form) -> Self {
        let ending = match form {
            Form::Folder(..) => "",
            Form::Pbo => ".pbo",
            Form::Zip => ".zip",
        };
        Self { number, place: format!("c{copy}/a{number}{ending}"), form }
    }

    pub fn prefix(number: usize) -> String {
        format!("z\\mod\\addons\\a{number}")
    }

    /// The address of a file in it.
    pub fn address(&self, file: &str) -> String {
        match self.form {
            Form::Folder(..) => format!("{}/{file}", self.place),
            Form::Pbo => format!("{}!/{}", self.place, file.replace('/', "\\")),
            Form::Zip => format!("{}!/in/addon.pbo!/{}", self.place, file.replace('/', "\\")),
        }
    }

    fn write(&self, folder: &Folder, files: &[(String, String)]) {
        let files: Vec<(String, Vec<u8>)> =
            files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
        self.write_bytes(folder, &files);
    }

    pub fn write_bytes(&self, folder: &Folder, files: &[(String, Vec<u8>)]) {
        let prefix = Self::prefix(self.number);
        if let Form::Folder(name, content) = self.form {
            folder.file(&format!("m/{}/{name}", self.place), content.replace('@', &prefix));
            for (name, content) in files {
                folder.file(&format!("m/{}/{name}", self.place), content);
            }
            return;
        }
        let names: Vec<String> = files.iter().map(|(name, _)| name.replace('/', "\\")).collect();
        let members: Vec<(&str, &[u8])> =
            names.iter().zip(files).map(|(name, (_, content))| (name.as_str(), content.as_slice())).collect();
        let archive = pbo(&prefix, &members);
        match self.form {
            Form::Zip => {
                folder.file(&format!("m/{}", self.place), zip(&[Entry::stored("in/addon.pbo", &archive)], b"").to_vec())
            }
            _ => folder.file(&format!("m/{}", self.place), archive),
        };
    }
}

/// The parts of a config: its texts, and the answers in order.
struct Config {
    files: Vec<(String, String)>,
    answers: Vec<String>,
}

/// A row: name, state, target and reason.
fn row(name: &str, state: &str, target: &str, reason: &str) -> String {
    format!("{name} | {state} | {target} | {reason}")
}

/// Writes a reference to a texture of an addon, and its answer.
fn texture(name: &str, own: &Addon, other: &[&Addon]) -> String {
    let file = "data/T0.paa";
    match other {
        [only] => row(name, "found", &only.address(file), "prefix"),
        all if all.iter().any(|addon| addon.place == own.place) => row(name, "found", &own.address(file), "own root"),
        _ => row(name, "ambiguous", "-", "-"),
    }
}

fn config(random: &mut Random, own: &Addon, all: &[Addon]) -> Config {
    let of = |number: usize| -> Vec<&Addon> { all.iter().filter(|addon| addon.number == number).collect() };
    let own_files = of(own.number);
    let own_prefix = Addon::prefix(own.number);
    let mut files = vec![("data/T0.paa".to_owned(), "x".to_owned())];
    let mut answers = Vec::new();
    let mut main = String::from("// A config.\n");
    // Texts that include each other; the innermost defines macros.
    let depth = random.below(5);
    let spell = ["inc/l@.hpp", "inc\\L@.hpp", "./inc/l@.hpp"][random.below(3)];
    for level in 1..=depth {
        let name = if level == 1 { spell } else { ["l@.hpp", "../inc/l@.hpp", ".\\l@.HPP"][random.below(3)] };
        let name = name.replace('@', &level.to_string());
        answers.push(row(&name, "found", &own.address(&format!("inc/l{level}.hpp")), "beside"));
        let line = format!("#include \"{name}\"\n");
        if level == 1 {
            main += &line
        } else {
            files.last_mut().unwrap().1 += &line
        }
        files.push((format!("inc/l{level}.hpp"), String::from("#define EMPTY\n")));
    }
    let macros = "#define QUOTE(x) #x\n#define OWN(x) QUOTE(z\\mod\\addons\\@\\##x)\n\
        #define ICON(name,kind) OWN(data\\##name##0.##kind)\n#define BOTH(a) class a { \\\n  picture = OWN(data\\##a); \\\n}\n"
        .replace('@', &format!("a{}", own.number));
    if depth == 0 {
        main += &macros
    } else {
        files.last_mut().unwrap().1 += &macros
    }
    main += "class Vehicles {\n";
    for index in 0..random.below(8) {
        let other = all[random.below(all.len())].number;
        let prefix = Addon::prefix(other);
        match random.below(9) {
            0 => {
                let name = format!("{own_prefix}\\data\\t0.paa");
                main += &format!("  a{index} = \"{name}\";\n");
                answers.push(texture(&name, own, &own_files));
            }
            1 => {
                let name = format!("\\{}/data/t0.TGA", prefix.to_uppercase());
                main += &format!("  a{index}[] = {{\"{name}\", 1}};\n");
                answers.push(texture(&name, own, &of(other)));
            }
            2 => {
                let name = format!("{prefix}\\gone\\t{index}.paa");
                main += &format!("  a{index} = \"{name}\";\n");
                answers.push(row(&name, "missing", "-", "-"));
            }
            3 => {
                main += "  icon = QPATHTOF(data\\t0.paa);\n";
                answers.push(texture("QPATHTOF(data\\t0.paa)", own, &own_files));
            }
            4 => {
                main += "  icon = ICON(t,paa);\n";
                answers.push(texture("ICON(t,paa)", own, &own_files));
            }
            5 => {
                main += &format!("  model = NOPE{index}(x);\n");
                answers.push(row(&format!("NOPE{index}(x)"), "unresolved", "-", "-"));
            }
            6 => {
                let name = format!("{prefix}\\data\\t0");
                main += &format!("  picture = \"{name}\";\n");
                answers.push(texture(&name, own, &of(other)));
            }
            7 => {
                main += "  BOTH(T0);\n";
                answers.push(texture(&format!("{own_prefix}\\data\\T0"), own, &own_files));
            }
            _ => {
                let name = format!("#(argb,8,8,{index})color(1,1,1,1)");
                main += &format!("  texture = \"{name}\";\n");
                answers.push(row(&name, "procedural", "-", "-"));
            }
        }
    }
    main += "};\n";
    files.push(("config.cpp".to_owned(), main));
    // A text lists each name once.
    let mut unique = Vec::new();
    for answer in answers {
        let is_known = unique.iter().any(|known: &String| known.split(" | ").next() == answer.split(" | ").next());
        if !is_known {
            unique.push(answer);
        }
    }
    Config { files, answers: unique }
}

#[test]
fn every_reference_of_300_mods_has_its_answer() {
    let mut count = 0;
    for seed in 1..=300_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let folder = Folder::new("refs-generated");
        let mut all = Vec::new();
        for number in 0..1 + random.below(4) {
            for copy in 0..if random.below(3) == 0 { 2 } else { 1 } {
                let form = FORMS[random.below(FORMS.len())];
                all.push(Addon::new(number, copy, form));
            }
        }
        let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for addon in &all {
            let Config { files, answers } = config(&mut random, addon, &all);
            addon.write(&folder, &files);
            if !answers.is_empty() {
                expected.insert(addon.address("config.cpp"), answers);
            }
        }
        let mut scan = Scan::new([folder.0.join("m")]);
        scan.selection.ignored = true;
        let root = with_slashes(&format!("{}/", folder.0.join("m").display()));
        let short = |text: &str| with_slashes(text).replacen(&root, "", 1);
        let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let links = refs::resolve(&scan, &[], |_| {}).unwrap();
        links
            .each(|link| {
                let member = link.member.map(|member| format!("!/{}", member.text)).unwrap_or_default();
                let asker = short(&format!("{}{member}", link.path.display()));
                let target = link.target().map_or("-".to_owned(), |target| short(&target.text));
                let name = &link.reference.unwrap().name.text;
                let reason = link.reason.map_or("-", refs::Reason::name);
                seen.entry(asker).or_default().push(row(name, link.state.name(), &target, reason));
                count += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
        let expected: BTreeMap<String, Vec<String>> = expected
            .into_iter()
            .map(|(asker, rows)| (with_slashes(&asker), rows.iter().map(|row| slashed(row)).collect()))
            .collect();
        let seen: BTreeMap<String, Vec<String>> =
            seen.into_iter().map(|(asker, rows)| (asker, rows.iter().map(|row| slashed(row)).collect())).collect();
        assert_eq!(seen, expected, "{seed}: {all:?}");
    }
    assert!(count > 2_000, "{count}");
}

/// A row with one kind of slash.
fn slashed(row: &str) -> String {
    row.replace('\\', "/")
}
