//! Limits from the command line.

use std::io;
use std::str::FromStr;

use clap::Args;
use meshpeek::summary::Code;
use meshpeek::{ErrorKind, Limits};

/// Far more than the results of real collections take.
const MOST_TEMPORARY: u64 = 16 << 30;

macro_rules! limit_args {
    ($($(#[doc = $doc:literal])* $flag:literal $field:ident: $type:ty, $value:literal, $parse:path;)*) => {
        /// A flag for every one of [`Limits`], and the program's own limits.
        #[derive(Args)]
        #[command(next_help_heading = "Limits")]
        pub(crate) struct LimitArgs {
            $($(#[doc = $doc])* #[arg(id = $flag, long = $flag, global = true, hide = true, value_name = $value, value_parser = $parse,
                default_value_t = Limits::default().$field, hide_default_value = true)]
            $field: $type,)*
            /// Size of all temporary files, which hold results to be sorted beyond a quarter of what a run holds in
            /// memory [default: 16G]
            #[arg(id = "max-temporary", long = "max-temporary", global = true, hide = true, value_name = "SIZE", value_parser = size,
                default_value_t = MOST_TEMPORARY, hide_default_value = true)]
            pub(crate) temporary: u64,
        }

        impl LimitArgs {
            pub(crate) fn limits(&self) -> Limits {
                let mut limits = Limits::default();
                $(limits.$field = self.$field;)*
                limits
            }
        }
    };
}

limit_args! {
    /// Levels of nested parts, such as nodes in nodes [default: 512]
    "max-depth" depth: u32, "N", u32::from_str;
    /// Size of a decoded block, table or member, and of all that is decoded at once, such as 2G [default: 256M]
    "max-decoded" decoded_bytes: u64, "SIZE", size;
    /// Problems reported per asset; the rest are counted [default: 1000]
    "max-problems" problems: u32, "N", u32::from_str;
    /// Levels of archives inside archives [default: 4]
    "max-archive-depth" archive_depth: u32, "N", u32::from_str;
    /// Members listed from one archive [default: 4000000]
    "max-archive-members" archive_members: u32, "N", u32::from_str;
    /// Work per file: N x (file size + 2 MiB) bytes decoded or examined [default: 256]
    "max-work" work: u32, "N", u32::from_str;
    /// Results per file: N x (file size + 1 MiB) bytes [default: 48]
    "max-output" output: u32, "N", u32::from_str;
    /// Names of other files in one asset: their bytes, and 64 more for each [default: 4M]
    "max-references" reference_bytes: u64, "SIZE", size;
}

/// Returns the flag that raises the limit of this code, or `None` if no flag does.
pub(crate) fn flag_of(code: Code) -> Option<&'static str> {
    match code {
        Code::ArchiveDepthLimit => Some("--max-archive-depth"),
        Code::ArchiveMembersLimit => Some("--max-archive-members"),
        Code::DecodedBytesLimit => Some("--max-decoded"),
        Code::DepthLimit => Some("--max-depth"),
        Code::OutputLimit => Some("--max-output"),
        Code::ProblemsLimit => Some("--max-problems"),
        Code::ReferenceBytesLimit => Some("--max-references"),
        Code::WorkLimit => Some("--max-work"),
        _ => None,
    }
}

/// Returns a message of the library, and the flag that raises the limit if it is about one.
pub(crate) fn with_flag(message: &str, code: Code) -> String {
    match flag_of(code) {
        Some(flag) => format!("{message}; {flag} raises it"),
        None => message.to_owned(),
    }
}

/// Returns the error for a limit that the program watches itself.
pub(crate) fn reached(what: &'static str, limit: u64, flag: &str) -> io::Error {
    io::Error::other(format!("{}; {flag} raises it", ErrorKind::Limit { what, limit }))
}

/// Parses a number of bytes. `k`, `M` or `G` after it multiplies by 1024 once, twice or three times.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 20),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let Ok(number) = digits.parse::<u64>() else {
        return Err("expected a number of bytes, such as 4096, 64k, 512M or 2G".to_owned());
    };
    match number.checked_mul(1 << shift) {
        Some(bytes) => Ok(bytes),
        None => Err("the number is too large".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::verbs::Cli;

    #[test]
    fn sizes_are_counted_in_powers_of_1024() {
        for (text, bytes) in
            [("0", 0), ("17", 17), ("64k", 64 << 10), ("512M", 512 << 20), ("2G", 2 << 30), ("2g", 2 << 30)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1", "1T", "1.5G", "99999999999G", "1 G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    /// Multiplies again and again.
    fn slowly(number: &str, times: usize) -> Option<u64> {
        let mut bytes: u64 = number.parse().ok()?;
        for _ in 0..times {
            bytes = u64::try_from(u128::from(bytes) * 1024).ok()?;
        }
        Some(bytes)
    }

    #[test]
    fn every_letter_multiplies_as_often_as_it_says() {
        let numbers = ["0", "1", "7", "1023", "1024", "16777215", "16777216", "17179869183", "17179869184"];
        let large =
            ["17592186044415", "17592186044416", "18014398509481983", "18014398509481984", "18446744073709551615"];
        for number in numbers.into_iter().chain(large).chain(["18446744073709551616", "", "-1", "1.5", "0x10", "1 "]) {
            for (letters, times) in [(vec!["k", "K"], 1), (vec!["m", "M"], 2), (vec!["g", "G"], 3), (vec![""], 0)] {
                for letter in letters {
                    assert_eq!(size(&format!("{number}{letter}")).ok(), slowly(number, times), "{number}{letter}");
                }
            }
        }
        for letter in (' '..='~').filter(|letter| !letter.is_ascii_digit() && !"kKmMgG".contains(*letter)) {
            assert!(size(&format!("1{letter}")).is_err(), "1{letter}");
        }
        assert_eq!(size("20000000000G"), Err("the number is too large".to_owned()));
    }

    #[test]
    fn every_flag_sets_its_own_limit() {
        let limits = |arguments: &[&str]| {
            let common = Cli::try_parse_from([&["meshpeek", "limits"], arguments].concat()).unwrap().common;
            (common.limits.limits(), common.limits.temporary)
        };
        let usual = Limits::default();
        assert_eq!(limits(&[]), (usual, 16 << 30));
        let changed = |change: fn(&mut Limits)| {
            let mut limits = usual;
            change(&mut limits);
            limits
        };
        for (flag, value, expected) in [
            ("--max-depth", "7", changed(|limits| limits.depth = 7)),
            ("--max-decoded", "7k", changed(|limits| limits.decoded_bytes = 7 << 10)),
            ("--max-problems", "7", changed(|limits| limits.problems = 7)),
            ("--max-archive-depth", "7", changed(|limits| limits.archive_depth = 7)),
            ("--max-archive-members", "7", changed(|limits| limits.archive_members = 7)),
            ("--max-work", "7", changed(|limits| limits.work = 7)),
            ("--max-output", "7", changed(|limits| limits.output = 7)),
            ("--max-references", "7M", changed(|limits| limits.reference_bytes = 7 << 20)),
        ] {
            assert_eq!(limits(&[flag, value]), (expected, 16 << 30), "{flag}");
            assert_ne!(expected, usual, "{flag}");
        }
        assert_eq!(limits(&["--max-temporary", "7G"]), (usual, 7 << 30));
    }
}
