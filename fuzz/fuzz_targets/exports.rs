#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| meshpeek_fuzz::exports::run(data));
