//! What `--help` and the manual show each verb by.

pub(crate) const ALL: &str = "\
Examples:
  meshpeek info model.p3d
  meshpeek scan addons/ --format ndjson -o index.ndjson
  meshpeek verify addons/

`meshpeek VERB --help` has more. GUIDE.md describes the record, selectors and exit status in full.";

pub(crate) const INFO: &str = "\
Examples:
  meshpeek info model.p3d
  meshpeek info --json model.p3d | jq '.detail | keys'

The record and what `detail` adds to it are described in GUIDE.md.";

pub(crate) const SCAN: &str = "\
Examples:
  meshpeek scan addons/
  meshpeek scan addons/ -g '*.p3d' --digests -o index.ndjson
  meshpeek scan addons/ --format csv --csv-safe -o index.csv
  meshpeek scan addons/ --events --since index.ndjson -o index.ndjson
  meshpeek scan addons/ --thumbnails pictures/ -o index.ndjson
  find . -newer index.ndjson -print0 | meshpeek scan --paths-from - -0

The record is described field by field in GUIDE.md.";

pub(crate) const PLAN: &str = "\
Examples:
  meshpeek plan addons/ -o units.ndjson
  meshpeek scan --units-from units.ndjson
  jq -c 'select(.unit == 3)' units.ndjson | meshpeek scan --units-from - -o part-3.ndjson

Lines of one unit belong together. The records of all units are those of one scan; GUIDE.md says how to share them out.";

pub(crate) const VERIFY: &str = "\
Examples:
  meshpeek verify model.p3d
  meshpeek verify --strict addons/ -q || echo damaged
  meshpeek verify --format ndjson addons/ | jq 'select(.problems != [])'

The status is 0 where there is no error, 1 where there is one (with --strict, a warning), 2 where nothing could be
verified. Problems and their codes are described in GUIDE.md.";

pub(crate) const TREE: &str = "\
Examples:
  meshpeek tree model.p3d
  meshpeek tree mission.pbo | less
  meshpeek tree --fields model.p3d
  meshpeek tree --fields --format ndjson model.p3d | jq 'select(.kind == \"gap\")'";

pub(crate) const HEX: &str = "\
Examples:
  meshpeek hex walk.rtm
  meshpeek hex walk.rtm --at 0x2c
  meshpeek hex walk.rtm frames/0
  meshpeek hex walk.rtm --range 0x20..0x80";

pub(crate) const SCHEMA: &str = "\
Examples:
  meshpeek schema rtm
  meshpeek schema --format ndjson | jq 'select(.gate)'";

pub(crate) const DUMP: &str = "\
Examples:
  meshpeek dump scene.b3d
  meshpeek dump scene.b3d meshes/0/positions
  meshpeek dump scene.b3d meshes/0/positions --format npy -o positions.npy

Selectors are described in GUIDE.md; the first of these examples lists those of a file.";

pub(crate) const CAT: &str = "\
Examples:
  meshpeek cat mod.pbo!/config.cpp
  meshpeek cat mods.zip!/a.pbo!/data/tree.p3d -o tree.p3d";

pub(crate) const EXPORT: &str = "\
Examples:
  meshpeek export scene.b3d -o scene.glb
  meshpeek export mod.zip!/maps/level.bmx -o level.glb
  meshpeek export tree.p3d --size 1024 -o tree.png

Models of Blitz3D, Ballance and LODka3D are written as glTF; models of all formats can be drawn.";

pub(crate) const REFS: &str = "\
Examples:
  meshpeek refs addons/ --assume 'a3/'
  meshpeek refs addons/ --missing --format csv -o missing.csv

The status is 0 where every reference is found, 1 where one is missing or a path could not be read, 2 where nothing
could be done.";

pub(crate) const DIFF: &str = "\
Examples:
  meshpeek diff old.p3d new.p3d
  meshpeek diff old.pbo!/tree.p3d new.pbo!/tree.p3d --format ndjson
  meshpeek diff old_mod/ new_mod/ --stat
  meshpeek diff old.b3d new.b3d --tolerance 0.0001

The status is 0 where nothing differs, 1 where something does, 2 where they could not be compared.";

pub(crate) const DUPES: &str = "\
Examples:
  meshpeek dupes addons/
  meshpeek dupes addons/ --format ndjson | jq 'select(.same == \"file\")'";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  meshpeek completions bash -o ~/.local/share/bash-completion/completions/meshpeek";

pub(crate) const MAN: &str = "\
Examples:
  meshpeek man | man -l -";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use crate::verbs::Cli;

    #[test]
    fn every_verb_has_examples_and_each_is_a_command() {
        let command = Cli::command();
        let texts = command.get_subcommands().chain([&command]).map(|verb| verb.get_after_help().unwrap().to_string());
        for text in texts {
            let lines = text.lines().filter(|line| line.starts_with("  "));
            let commands: Vec<&str> = lines.filter_map(|line| line.find("meshpeek ").map(|at| &line[at..])).collect();
            assert!(!commands.is_empty(), "{text}");
            for command in commands {
                let command = command.split(['|']).next().unwrap().replace('\'', "");
                if let Err(error) = Cli::try_parse_from(command.split_whitespace()) {
                    panic!("{command}: {error}");
                }
            }
        }
    }
}
