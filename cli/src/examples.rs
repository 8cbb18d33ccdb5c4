//! Examples for `--help` and the manual.

pub(crate) const ALL: &str = "\
Examples:
  meshpeek info model.p3d
  meshpeek scan addons/ -o index.ndjson
  meshpeek verify addons/

Results go to standard output, everything else to standard error. Exit status: 0 done; 1 done, but something is wrong \
(see the verb) or a path could not be read; 2 wrong usage, or nothing could be done; 130 interrupted.

`meshpeek VERB --help` has the flags of a verb. GUIDE.md describes the record, selectors and exit status in full.";

pub(crate) const INFO: &str = "\
Examples:
  meshpeek info model.p3d
  meshpeek info --json model.p3d | jq '.detail | keys'
  meshpeek info a.b3d b.b3d --select name,bones,clips.seconds --format csv

GUIDE.md describes the record and `detail`.";

pub(crate) const LS: &str = "\
Examples:
  meshpeek ls mods.zip
  meshpeek ls addons/ -g 'config.*' -g '*.ogg'
  meshpeek ls mod.pbo --sort -bytes
  meshpeek ls mod.pbo -g '*.cpp' -0 | xargs -0 -n 1 meshpeek cat

Members of archives inside archives are listed too, hidden and ignored files also. What could not be read is reported, \
with exit status 1. NDJSON has address, path, member, bytes, time, method and link, the target of a symbolic link.";

pub(crate) const SCAN: &str = "\
Examples:
  meshpeek scan addons/
  meshpeek scan addons/ -g '*.p3d' --digests -o index.ndjson
  meshpeek scan addons/ --csv-safe -o index.csv
  meshpeek scan addons/ --sort -visual_triangles --top 10 --columns path,member,visual_triangles
  meshpeek scan addons/ --where 'visual_triangles>10000 and format=odol'
  meshpeek scan addons/ --events --since old.ndjson -o new.ndjson
  meshpeek scan addons/ --thumbnails pictures/ -o index.ndjson
  find . -newer index.ndjson -print0 | meshpeek scan --paths-from - -0

`--where` compares keys of the record (`bytes`, a count, `format`, `errors`, ...) with a number, a text or null by =, \
!=, <, <=, >, >= or ~ (contains); `and`, `or`, `not` and parentheses join comparisons. A missing key only equals null.

`-o FOLDER/` writes a Parquet table each, in builds with that feature. GUIDE.md describes the record key by key, and how \
patterns choose files.";

pub(crate) const PLAN: &str = "\
Examples:
  meshpeek plan addons/ -o units.ndjson
  meshpeek scan --units-from units.ndjson
  jq -c 'select(.unit == 3)' units.ndjson | meshpeek scan --units-from - -o part-3.ndjson

Lines with the same `unit` belong together. The records of all units are those of one scan.";

pub(crate) const VERIFY: &str = "\
Examples:
  meshpeek verify model.p3d
  meshpeek verify --strict addons/ -q || echo damaged
  meshpeek verify mod/ --lint --format github

On a terminal, problems with the same code are one entry; -v lists all. GUIDE.md describes codes.

Exit status: 0 no error, 1 an error (with --strict, a warning too), 2 nothing could be verified.";

pub(crate) const EXPLAIN: &str = "\
Examples:
  meshpeek explain damaged.text
  meshpeek explain

Without a code, all are listed.";

pub(crate) const TREE: &str = "\
Examples:
  meshpeek tree model.p3d
  meshpeek tree mission.pbo | less
  meshpeek tree --fields model.p3d
  meshpeek tree --depth 2 --only part,array model.p3d
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
  meshpeek dump scene.b3d meshes/0/positions -o positions.npy

GUIDE.md describes selectors.";

pub(crate) const CAT: &str = "\
Examples:
  meshpeek cat mod.pbo!/config.cpp
  meshpeek cat mods.zip!/a.pbo!/data/tree.p3d -o tree.p3d
  meshpeek cat --text mod.pbo!/config.bin";

pub(crate) const EXTRACT: &str = "\
Examples:
  meshpeek extract mod.pbo -o mod/
  meshpeek extract 'mod.pbo!/*.p3d' -o models/ --flat
  meshpeek extract 'mods.zip!/*.pbo!/config.cpp' -o configs/
  meshpeek extract mods.zip!/addons/a.pbo -o a/

An archive is extracted whole; archives inside it are written as files, unless the address names one. Globs are written \
as in .gitignore and ignore case. Below an archive that a glob selects, its path is a folder.

Nothing is written outside the folder, nor through a link inside it. A name that could leave it, or that some system \
forbids, is escaped, and a name that exists already gets a number; both are reported. Run the same command again to go on \
after an interruption: files with the size and time of their member are skipped, or \
with its content if the archive stores no time.

Exit status: 0 done, 1 a member could not be written, 2 nothing could be done, or the disk is full.";

pub(crate) const EXPORT: &str = "\
Examples:
  meshpeek export scene.b3d -o scene.glb
  meshpeek export mod.zip!/maps/level.bmx -o level.glb
  meshpeek export mob.b3d --textures textures/ --mirror z --scale 0.1 -o mob.glb
  meshpeek export man.p3d --motion walk.rtm -o man.glb
  meshpeek export tree.p3d --size 1024 --view front --transparent -o tree.png
  meshpeek export config.bin -o config.cpp

Models are written as glTF, OBJ or PLY, except for binarised ones of Arma. Models of all formats can be drawn. Configs \
are written as text (-o NAME.cpp, .rvmat, ...) or in binary form (-o NAME.bin).";

pub(crate) const REFS: &str = "\
Examples:
  meshpeek refs addons/ --assume ca --assume a3
  meshpeek refs addons/ --missing -o missing.csv
  meshpeek refs addons/ --stale

For a missing file, the first files of that name in other places are listed.

Exit status: 0 every file is found and everything was read, 1 a file is missing, a copy is
stale, or something could not be read (`unread`), 2 nothing could be done.";

pub(crate) const FIT: &str = "\
Examples:
  meshpeek fit walk.rtm soldier.p3d
  meshpeek fit walk.b3d hero.b3d villain.b3d --format ndjson
  meshpeek fit walk.rtm model.cfg --bones pelvis,spine
  meshpeek fit house.p3d model.cfg

Bones are paired by name, ignoring case. `missing`: the animation moves it, but the model does not have it. `unmoved`: \
the model has it, but the animation does not move it. `case`: both have it, with other capital letters (a \
binarised model has none). An MLOD has no skeleton: a bone needs a selection of its name.

Of a model.cfg, the skeleton of the class with the animation's name is compared, else each skeleton. A .p3d in place of \
the animation is compared with the class of its name: `missing` are bones, sections, and selections and axes of \
animations that no LOD has as a selection. Includes and macros are not read; each is reported.

Exit status: 0 the models have every bone, 1 a bone is missing or something could not be read, 2 nothing could be done.";

pub(crate) const DIFF: &str = "\
Examples:
  meshpeek diff old.p3d new.p3d
  meshpeek diff old.pbo!/tree.p3d new.pbo!/tree.p3d --format ndjson
  meshpeek diff old_mod/ new_mod/ --stat
  meshpeek diff git:v1.0:addons git:HEAD:addons --stat
  meshpeek diff old.b3d new.b3d --tolerance 0.0001

Exit status: 0 no difference, 1 a difference, 2 the files could not be compared, or not all of them.";

pub(crate) const DUPES: &str = "\
Examples:
  meshpeek dupes addons/
  meshpeek dupes addons/ --format ndjson | jq 'select(.same == \"file\")'

Exit status: 0 everything was compared, 1 something could not be read, or not all of it, 2 nothing could be done.";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  meshpeek completions bash -o ~/.local/share/bash-completion/completions/meshpeek
  source <(COMPLETE=bash meshpeek)

With COMPLETE (bash, zsh, fish, powershell or elvish), the shell asks the program itself, which also completes members of archives, \
selectors and keys.";

pub(crate) const MAN: &str = "\
Examples:
  meshpeek man | man -l -";

pub(crate) const LIMITS: &str = "\
Examples:
  meshpeek scan addons/ --max-decoded 2G
  meshpeek verify huge.pbo --max-work 1024

Every verb takes these flags. What exceeds a limit is reported with a code such as `limit.work`; messages name the flag. Raise a \
limit only for files that you trust. SECURITY.md explains what each limit is for.";

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use crate::command::command;
    use crate::verbs::Cli;

    #[test]
    fn every_verb_has_examples_and_each_is_a_command() {
        let command = command();
        let texts = command.get_subcommands().chain([&command]).map(|verb| verb.get_after_help().unwrap().to_string());
        for text in texts {
            let lines = text.lines().filter(|line| line.starts_with("  "));
            let commands: Vec<&str> = lines.filter_map(|line| line.find("meshpeek ").map(|at| &line[at..])).collect();
            assert!(!commands.is_empty(), "{text}");
            for command in commands {
                let command = command.split(['|']).next().unwrap().replace('\'', "");
                // A folder that exists.
                let command = command.replace("textures/", "src/");
                let parsed = self::command().try_get_matches_from(command.split_whitespace());
                if let Err(error) = parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
                    panic!("{command}: {error}");
                }
            }
        }
    }
}
