//! The keys of records and of `detail` that options name.

use meshpeek::scan::Record;
use meshpeek::view::ByteStr;
use meshpeek::{Format, address, schema};

/// The keys of a record, and the keys inside their values. Those of `counts` and `texture` may also be written alone.
const OF_RECORD: &[(&str, &[&str])] = &[
    ("path", &[]),
    ("member", &[]),
    ("address", &[]),
    ("lossy", &[]),
    ("format", &[]),
    ("version", &[]),
    ("bytes", &[]),
    ("counts", &[]),
    ("bounds", &["min", "max"]),
    ("references", &["kind", "name", "lossy"]),
    ("blocks", &["stored", "packed", "packed_bytes", "unpacked_bytes"]),
    ("unchecked", &[]),
    ("problems", &["severity", "code", "offset", "message"]),
    ("digests", &["file", "positions", "indices", "uvs", "normals", "faces", "times", "transforms", "pixels"]),
    ("stored", &["offset", "bytes", "method", "time"]),
    ("prefix", &[]),
    ("texture", &["kind", "width", "height"]),
    ("width", &[]),
    ("height", &[]),
    ("stamp", &[]),
    ("name", &[]),
    ("errors", &[]),
    ("warnings", &[]),
];

/// Words of `detail` that are no fields of records in a file.
const OF_DETAIL: &str = "animation animation_records blending_mode body_records bone_records brush brushes bump chunk_count \
    classes clips collection collider collider_records collider_sets columns component content count data_offset depth detail \
    directory dos_date dos_time duration embedded_as encrypted entry enums face_block face_count face_default face_names \
    filter first_face first_texture fx geom_records image image_alpha image_kind index_offset infos is_visual \
    joint_records kind last_time layers light_records light_schemes lists lods lossy map_type material_lists members \
    mesh_offset meshes message method mips mode models morph_collection_lists morph_collections morph_mesh_lists \
    morph_meshes name node nodes normal_vectors objects offset other_bone outer packed_arrays pairs_differ parent physics \
    pivot pixels prefix problems proxy_records proxy_sets record_bytes render_flags screenshots second_texture seconds \
    selector sequences shader_description shader_lists shader_stage_count skeletons stored stride style tail \
    tangent_vectors text texture_lists textures_a_brush track trailer trailing_bytes triangle_count triangles truncated \
    type unknown_chunks unknown_entries utf8 uv_bounds uv_coordinates uv_count uv_sources value_type vertex_table_offset \
    bytes title flag other_bones textures tag value positions indices uvs normals faces times transforms";

/// What a key needs to have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Record,
    /// The asset too: the key is in `detail`.
    Asset,
}

/// Returns what the value of a key needs.
///
/// # Errors
/// Returns a message with the nearest keys if no record has this one.
pub(crate) fn needs(key: &str) -> Result<Needs, String> {
    if is_of_record(key) {
        return Ok(Needs::Record);
    }
    match key.split('.').find(|word| !is_of_detail(word)) {
        None => Ok(Needs::Asset),
        Some(word) => Err(format!("records have no key {}{}", ByteStr::from(key), nearest(word))),
    }
}

/// Checks a key that `--columns` or `--select` names.
pub(crate) fn checked(key: &str) -> Result<String, String> {
    needs(key)?;
    Ok(key.to_owned())
}

/// Returns true for the counts of any format.
pub(crate) fn is_count(name: &str) -> bool {
    Format::ALL.iter().any(|format| format.count_names().contains(&name))
}

/// Returns true for keys whose values are numbers in every record.
pub(crate) fn is_number(key: &str) -> bool {
    let numbers = ["version", "bytes", "width", "height", "errors", "warnings", "texture.width", "texture.height"];
    is_count(key.strip_prefix("counts.").unwrap_or(key)) || numbers.contains(&key)
}

/// Returns the number by which records are sorted.
pub(crate) fn number(record: &Record, name: &str) -> Option<u64> {
    match name {
        "bytes" => Some(record.summary.bytes),
        "width" => record.summary.texture.map(|texture| texture.width.into()),
        "height" => record.summary.texture.map(|texture| texture.height.into()),
        _ => record.summary.counts.get(name),
    }
}

/// The end of a message about a key that is not known: the nearest ones.
pub(crate) fn nearest(key: &str) -> String {
    let mut names = of_records();
    names.extend(words());
    let nearest = address::nearest(names.into_iter().map(ByteStr::from), key.as_bytes());
    if nearest.is_empty() {
        return String::new();
    }
    let nearest: Vec<String> = nearest.iter().map(ToString::to_string).collect();
    format!("; nearest: {}", nearest.join(", "))
}

/// The keys of records, and those of `counts`.
fn of_records() -> Vec<&'static str> {
    let mut keys = Vec::new();
    for (name, _) in OF_RECORD {
        keys.push(*name);
    }
    for format in Format::ALL {
        keys.extend(format.count_names());
    }
    keys
}

/// The keys that begin like this: all of records, and words of `detail` once something is written.
pub(crate) fn beginning_with(begun: &str) -> Vec<&'static str> {
    let mut keys = of_records();
    if !begun.is_empty() {
        keys.extend(words());
    }
    keys.retain(|key| key.starts_with(begun));
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn is_of_record(key: &str) -> bool {
    match key.split_once('.') {
        None => is_count(key) || OF_RECORD.iter().any(|(name, _)| *name == key),
        Some(("counts", name)) => is_count(name),
        // The methods of members.
        Some(("unchecked", _)) => true,
        Some((first, inner)) => OF_RECORD.iter().any(|(name, keys)| *name == first && keys.contains(&inner)),
    }
}

fn is_of_detail(word: &str) -> bool {
    if is_word(word) {
        return true;
    }
    // What the document of the format does not name is named after a field.
    for end in ["_name", "_names", "_raw", "_lossy", "_bytes", "_records"] {
        if let Some(stem) = word.strip_suffix(end)
            && (is_word(stem) || is_word(&format!("{stem}s")))
        {
            return true;
        }
    }
    false
}

fn is_word(word: &str) -> bool {
    is_count(word) || words().contains(&word)
}

fn words() -> Vec<&'static str> {
    let mut words: Vec<&str> = OF_DETAIL.split_whitespace().collect();
    for &format in Format::ALL {
        for record in schema::records(format) {
            for field in record.fields {
                words.push(field.name);
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_no_record_has_are_refused_with_the_nearest() {
        for (key, says) in [
            ("triangels", "records have no key triangels; nearest: triangles"),
            ("lods.nmae", "records have no key lods.nmae; nearest: name"),
            ("stored.metod", "records have no key stored.metod; nearest: method"),
            ("counts.zzzzzzzzz", "records have no key counts.zzzzzzzzz"),
        ] {
            let said = needs(key).unwrap_err();
            assert!(said.starts_with(says), "{said}");
        }
        for key in ["triangles", "counts.visual_lods", "texture.kind", "width", "unchecked.ppmd", "stored.time"] {
            assert_eq!(needs(key), Ok(Needs::Record), "{key}");
        }
        for key in ["lods.name", "detail.lods.is_visual", "clips.seconds", "mips.width", "lods.bones_lossy"] {
            assert_eq!(needs(key), Ok(Needs::Asset), "{key}");
        }
    }
}
