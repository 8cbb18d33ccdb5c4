//! The rules of fields are checked, and the records of a format are complete.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use meshpeek::inspect::{Field, FieldValue, Outline, Part, PartArray, Span, Value, Visitor, Wants};
use meshpeek::schema::Schema;
use meshpeek::schema::{Rule, Type, records};
use meshpeek::summary::Problems;
use meshpeek::{Asset, Error, Format, Inspect, Limits};

use crate::writer;

/// Fields whose broken values `verify` accepts, and why. The name of the part is before that of the field.
const ACCEPTED: &[(Format, &[&str], &str)] = &[
    (
        Format::Odol,
        &[
            "components.physx_version",
            "mirrored_components.physx_version",
            "mirrored_roadway.physx_version",
            "roadway.physx_version",
        ],
        "each number is a version, and its name follows from it",
    ),
    (Format::Rap, &["items.value"], "a config may contain any number"),
];

/// Fields with a rule or codes that no sound file shows as a field with this rule or a known code, and why.
const UNSEEN: &[(Format, &[&str], &str)] = &[
    (Format::Bmx, &["IndexEntry.kind", "Object.mesh_index"], "in packed tables, whose bytes this test does not change"),
    (Format::Odol, &["StageTransform.uv_source"], "a column of an array, which `verify` checks itself"),
    (Format::Bmtr, &["Frame.flag", "FrameTimes.times_flag"], "shown as plain numbers; `verify` checks them itself"),
];

/// Names that a dissection shows and no record has, and why. The name of the part is before that of the field.
const WITHOUT_RECORD: &[(Format, &[&str], &str)] = &[
    (Format::B3d, &["brushes.layers"], "a list of numbers that the record has by another name"),
    (Format::B3d, &["pivot.data", "unknown_chunks.data"], "the bytes of unknown chunks"),
    (
        Format::Bmx,
        &["entries.data", "entries.materials", "entries.meshes", "entries.objects", "entries.textures"],
        "the content of zip entries",
    ),
    (Format::Lodka, &["signature"], "stands alone before the chunks"),
    (Format::Odol, &["lods"], "a list by a table of addresses"),
    (
        Format::Odol,
        &["lods.indices", "lods.normal_vectors", "lods.tangent_vectors", "lods.uv_coordinates"],
        "worked out from other fields",
    ),
    (Format::Odol, &["lods.uv_count"], "the count in the middle of the list `uv_sets`"),
    (Format::Bmtr, &["bones.track"], "worked out from the frames"),
    (Format::Rtm, &["bones.track", "times"], "worked out from the frames"),
    (Format::Rtm, &["frames.time", "frames.transforms"], "a frame is a time and records `BonePose`"),
    (Format::Mlod, &["lods"], "a list of records `Lod`"),
    (Format::Paa, &["mips"], "a list of records `Mip`"),
    (Format::Paa, &["mips.mark_height", "mips.mark_width"], "the mark of LZSS, before the real sides"),
    (Format::Paa, &["mips.pixels"], "unpacked data"),
    (Format::Rap, &["classes.end", "classes.entries", "entries.count", "items.count"], "parts of the walk by address"),
    (Format::Rap, &["enum_count", "enums"], "a list of records `Enum`"),
    (Format::TexHeaders, &["textures"], "a list of records `Texture`"),
    (Format::Pbo, &["entries.end_of_properties"], "an empty text"),
    (Format::Pbo, &["members.content"], "the bytes of a member"),
    (Format::Zip, &["members.data", "members.stored"], "the bytes of a member"),
];

/// The valid files of `corpus/`, with their assets.
fn each_sound(run: &mut dyn FnMut(&str, &[u8], &Asset<'_>)) {
    for (file, bytes) in writer::corpus().into_iter().filter(|(name, _)| !name.starts_with("hostile/")) {
        if let Ok(asset) = Asset::parse_file(Path::new(&file), &bytes, &Limits::default()) {
            run(&file, &bytes, &asset);
        }
    }
}

/// A field that has a rule, a code or a float.
struct Ruled {
    rule: Rule,
    /// The name of its part and its own: `part.field`.
    path: String,
    name: &'static str,
    is_float: bool,
    span: Span,
}

/// Finds the fields with rules that the file itself stores, and the names of all fields, arrays and lists.
#[derive(Default)]
struct Fields {
    /// The names of the parts, and whether they are unpacked from others.
    parts: Vec<(&'static str, bool)>,
    ruled: Vec<Ruled>,
    names: BTreeSet<(String, &'static str)>,
}

impl Fields {
    fn of(asset: &Asset<'_>) -> Self {
        let mut fields = Self::default();
        asset.dissect(&mut Outline::new(&mut fields));
        fields
    }

    fn name(&mut self, name: &'static str) {
        self.names.insert((self.path(name), name));
    }

    fn path(&self, name: &str) -> String {
        self.parts.last().map_or_else(|| name.to_owned(), |(part, _)| format!("{part}.{name}"))
    }

    /// Returns true if the part opened last is unpacked from another.
    fn is_unpacked(&self) -> bool {
        self.parts.last().is_some_and(|(_, is_unpacked)| *is_unpacked)
    }
}

impl Visitor for Fields {
    fn wants(&self) -> Wants {
        Wants { dissection: true, ..Wants::default() }
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_unpacked = part.unpacked.is_some() || self.is_unpacked();
        self.parts.push((part.name, is_unpacked));
        true
    }

    fn close(&mut self) {
        self.parts.pop();
    }

    fn list(&mut self, name: &'static str) {
        self.name(name);
    }

    fn array(&mut self, array: &PartArray<'_>) {
        self.name(array.name);
    }

    fn field(&mut self, field: Field<'_>) {
        let Some(stored) = field.stored else { return };
        let FieldValue::One(value) = field.value else { return };
        self.name(field.name);
        let has_rule = match field.rule {
            Rule::Any => false,
            Rule::Sound => matches!(value, Value::Coded(_, Some(_)) | Value::Float(_) | Value::Floats(_)),
            _ => true,
        };
        let is_unpacked = field.unpacked.is_some() || self.is_unpacked();
        if !is_unpacked && has_rule && stored.span.bytes > 0 {
            let path = self.path(field.name);
            let is_float = matches!(value, Value::Float(_) | Value::Floats(_));
            self.ruled.push(Ruled { rule: field.rule, path, name: field.name, is_float, span: stored.span });
        }
    }

    fn problem(&mut self, _: &Error) {}
}

impl Ruled {
    /// Writes a value that breaks the rule.
    fn break_in(&self, bytes: &mut [u8]) {
        let place = &mut bytes[self.span.offset as usize..][..self.span.bytes as usize];
        let number = match self.rule {
            Rule::Range(_, most) => most + 1,
            Rule::Least(least) => least - 1,
            Rule::OneOf(numbers) => numbers.iter().max().unwrap() + 1,
            // Two, which is no length, and a bit that is not one of a few.
            Rule::Unit => 2,
            _ => 0x7b7b_7b7b,
        };
        let float = if self.rule == Rule::Sound { f32::INFINITY } else { number as f32 };
        let stored =
            if self.is_float { float.to_le_bytes().repeat(place.len() / 4) } else { number.to_le_bytes().to_vec() };
        for (to, from) in place.iter_mut().zip(stored) {
            *to = from;
        }
    }
}

fn problems(file: &str, bytes: &[u8]) -> Vec<(Option<u64>, String)> {
    let mut problems = Problems::new(&Limits::default());
    match Asset::parse_file(Path::new(file), bytes, &Limits::default()) {
        Ok(asset) => asset.verify(&mut problems),
        Err(error) => problems.error(&error),
    }
    problems.into_vec().into_iter().map(|problem| (problem.offset, problem.message.to_string())).collect()
}

/// Returns what `names` has and `exempt` has not, and the reverse, as complaints.
fn compare(names: &BTreeMap<(Format, String), String>, exempt: &[(Format, &[&str], &str)]) -> Vec<String> {
    let is_exempt = |format: Format, name: &str| exempt.iter().any(|(of, all, _)| *of == format && all.contains(&name));
    let missing = names.iter().filter(|((format, name), _)| !is_exempt(*format, name));
    let missing = missing.map(|((format, name), what)| format!("{format}, {name}: {what}"));
    let all = exempt.iter().flat_map(|(format, all, _)| all.iter().map(|name| (*format, (*name).to_owned())));
    let needless = all.filter(|key| !names.contains_key(key));
    let needless = needless.map(|(format, name)| format!("{format}, {name}: needs no exemption"));
    missing.chain(needless).collect()
}

#[test]
fn verify_reports_each_broken_rule() {
    let (mut accepted, mut reported, mut seen) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    each_sound(&mut |file, bytes, asset| {
        let format = asset.format();
        let sound = problems(file, bytes);
        for field in Fields::of(asset).ruled {
            seen.insert((format, field.name));
            let key = (format, field.path.clone());
            // A broken value may also change what a file means, so one file that shows the problem is enough.
            if reported.contains(&key) || accepted.contains_key(&key) {
                continue;
            }
            let mut broken = bytes.to_vec();
            field.break_in(&mut broken);
            if problems(file, &broken) == sound {
                let place = format!("verify accepts a broken value at {:#x} of {file}", field.span.offset);
                accepted.insert(key, format!("{place}; does it call check::fields?"));
            } else {
                reported.insert(key);
            }
        }
    });
    println!("{} fields", reported.len());
    let mut unseen = BTreeMap::new();
    for &format in Format::ALL {
        for (record, field) in records(format).iter().flat_map(|of| of.fields.iter().map(move |field| (of, field))) {
            let has_rule = match field.rule {
                Rule::Any => false,
                // A flag is shown as a boolean, and its other values are true.
                Rule::Sound => !field.codes.is_empty() && !matches!(field.kind, Type::Number("Flag", _)),
                _ => true,
            };
            if has_rule && !seen.contains(&(format, field.name)) {
                let words = "has a rule or codes, but no sound file shows it as a field that is checked";
                unseen.insert((format, format!("{}.{}", record.name, field.name)), words.to_owned());
            }
        }
    }
    let wrong = [compare(&accepted, ACCEPTED), compare(&unseen, UNSEEN)].concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(reported.len() > 150, "{}", reported.len());
}

/// The records in a type.
fn inside(kind: &'static Type, run: &mut dyn FnMut(&'static Schema)) {
    match kind {
        Type::Record(record) => run(record),
        Type::Times(one, _) | Type::List(one, _) | Type::Derived(one) => inside(one, run),
        Type::Either(one, other) => [one, other].into_iter().for_each(|kind| inside(kind, run)),
        _ => {}
    }
}

#[test]
fn each_record_inside_another_is_in_the_schema() {
    let (mut wrong, mut right) = (Vec::new(), 0);
    for &format in Format::ALL {
        let all = records(format);
        for (record, field) in all.iter().flat_map(|of| of.fields.iter().map(move |field| (of, field))) {
            inside(&field.kind, &mut |inner| match all.contains(&inner) {
                true => right += 1,
                false => wrong.push(format!(
                    "{format}: {}.{} is of the record {}, which is not in SCHEMA of the format's mod.rs",
                    record.name, field.name, inner.name
                )),
            });
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 50, "{right}");
}

#[test]
fn each_name_in_a_dissection_is_in_a_record() {
    let mut unknown = BTreeMap::new();
    each_sound(&mut |file, _, asset| {
        let format = asset.format();
        // A map is in a zip archive.
        let around = if format == Format::Bmx { records(Format::Zip) } else { &[] };
        let known: BTreeSet<_> =
            records(format).iter().chain(around).flat_map(|record| record.fields).map(|field| field.name).collect();
        for (path, _) in Fields::of(asset).names.into_iter().filter(|(_, name)| !known.contains(name)) {
            unknown.entry((format, path)).or_insert_with(|| {
                format!("{file} has it, but no record does; is one missing in SCHEMA of the format's mod.rs?")
            });
        }
    });
    let wrong = compare(&unknown, WITHOUT_RECORD);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
