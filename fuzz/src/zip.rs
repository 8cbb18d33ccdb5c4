//! Zip archives as containers: slices, sizes and budgets must agree.

use meshpeek::Limits;
use meshpeek::container::{Budget, Container, Form};
use meshpeek::zip::Archive;

pub fn run(data: &[u8]) {
    crate::any::run(data);
    let limits = Limits { decoded_bytes: 1 << 20, archive_members: 2_000, archive_ratio: 100, ..Limits::default() };
    let Ok(archive) = Archive::parse_with(data, &limits) else { return };
    let budget = Budget::new(data.len() as u64, &limits);
    let mut decoded = 0;
    for (index, member) in Container::Zip(archive).members().map_while(Result::ok).enumerate() {
        assert!(index < 2_000);
        let content = member.decode(&budget);
        match (member.form(), member.borrowed()) {
            (Form::InPlace, Ok(Some(bytes))) => {
                assert_eq!(bytes.len() as u64, member.size_hint());
                assert!(data.as_ptr_range().contains(&bytes.as_ptr()) || bytes.is_empty());
            }
            (Form::Packed(_), Ok(None)) => {
                let Ok(content) = content else { continue };
                assert_eq!(content.len() as u64, member.size_hint());
                decoded += content.len() as u64;
                assert!(decoded <= 100 * data.len() as u64, "{decoded} bytes out of {}", data.len());
            }
            (Form::Encrypted | Form::Unknown, Ok(None)) => assert!(content.is_err()),
            (form, borrowed) => assert!(borrowed.is_err(), "{form:?}"),
        }
    }
}
