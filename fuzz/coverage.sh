#!/usr/bin/env bash
# The lines of `src` that the targets reach from the committed corpus and the seeds alone: by target, then by folder, as
# tables for README.md. With --missed, every line that none of them reaches, as FILE:LINE instead. Needs rustup.
set -euo pipefail
cd "$(dirname "$0")/.."

rustup component add llvm-tools >/dev/null 2>&1 || true
host=$(rustc -vV | sed -n 's/^host: //p')
tools=$(rustc --print sysroot)/lib/rustlib/$host/bin
out=fuzz/target/coverage
mkdir -p "$out" && rm -rf "$out/seeds" "$out"/*.profraw

# With a target named, build scripts and macros stay as they are.
RUSTFLAGS='-C instrument-coverage' CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$out/target \
    cargo build --quiet --manifest-path fuzz/Cargo.toml --no-default-features --example replay --target "$host"
replay=$out/target/$host/debug/examples/replay
export LLVM_PROFILE_FILE=$out/none.profraw
"$replay" --seeds "$out/seeds"
targets=$("$replay" --list)
for target in $targets; do
    LLVM_PROFILE_FILE=$out/$target.profraw "$replay" --plain --only "$target" corpus "$out/seeds" >/dev/null
done

# The lines that these profiles reach, one record for each source file.
lines() {
    "$tools/llvm-profdata" merge -sparse "$@" -o "$out/merged.profdata"
    "$tools/llvm-cov" export --format=lcov --instr-profile "$out/merged.profdata" "$replay" |
        awk -F'[:,]' -v root="$PWD/src/" '$1 == "SF" { file = substr($2, 1, length(root)) == root ? substr($2, length(root) + 1) : "" }
            $1 == "DA" && file { print file, $2, ($3 > 0) }'
}

if [ "${1:-}" = --missed ]; then
    lines "$out"/*.profraw | awk '!$3 { print "src/" $1 ":" $2 }'
    exit
fi
percent='function row(name, hit, all) { printf "| %s | %d | %.1f %% |\n", name, all, 100 * hit / all }'
printf '| target | lines reached |\n| --- | --- |\n'
for target in $targets; do
    printf '| `%s` | %d |\n' "$target" "$(lines "$out/$target.profraw" | awk '{ sum += $3 } END { print sum }')"
done
printf '\n| folder or file of `src` | lines | reached |\n| --- | --- | --- |\n'
lines "$out"/*.profraw | awk "$percent"'{ split($1, way, "/"); all[way[1]]++; hit[way[1]] += $3 }
    END { for (name in all) row("`" name "`", hit[name], all[name]) }' | sort
