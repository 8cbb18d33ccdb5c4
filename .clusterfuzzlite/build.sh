#!/bin/bash -eu
# The targets with their dictionaries and seeds, where OSS-Fuzz and ClusterFuzzLite look for them.
cd "$SRC/meshpeek"

cargo fuzz build -O
replay() {
    # Without the flags of the sanitizer.
    env -u RUSTFLAGS cargo run --quiet --release --manifest-path fuzz/Cargo.toml --no-default-features --example replay -- "$@"
}
replay --seeds fuzz/corpus

for target in $(replay --list); do
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    words="fuzz/dictionaries/${target%_peer}.dict"
    if [ -f "$words" ]; then cp "$words" "$OUT/$target.dict"; fi
    # Short inputs keep a target at its own format: see fuzz/README.md.
    case "$target" in
        lzo | lzss | inflate) longest=64 ;;
        paa | config_text | config_macros | lua | model_cfg | names) longest=512 ;;
        *) longest=4096 ;;
    esac
    printf '[libfuzzer]\nmax_len = %d\ntimeout = 60\n' "$longest" >"$OUT/$target.options"
    # By their contents: names are there more than once.
    seeds=$(mktemp -d)
    find "fuzz/corpus/$target" -type f -exec sh -c 'cp "$2" "$1/$(sha1sum <"$2" | cut -d " " -f 1)"' _ "$seeds" {} \;
    zip -qj "$OUT/${target}_seed_corpus.zip" "$seeds"/*
done
