//! One member of an archive in an archive, by its address.
//!
//! `cargo run --example nested_member -- 'corpus/zip/addons.zip!/b.pbo!/model.p3d'`

use meshpeek::address::{Address, open_member};
use meshpeek::{Access, Asset, Budget, Inspect, Limits, Result};

/// Describes the asset at this address in one line. Unpacks only the members on the way to it.
pub fn describe(address: &str) -> Result<String> {
    let limits = Limits::default();
    let address = Address::parse(address);
    let file = address.open(Access::READ, &limits)?;
    // One budget for all archives on the way.
    let budget = Budget::new(file.len() as u64, &limits);
    let opened = open_member(&address.file, &file, address.member.as_deref(), &budget)?;
    let content = opened.content?;
    let asset = Asset::parse_file(&address.name(), &content, &limits)?;
    let name = opened.member.map_or_else(|| address.file.display().to_string(), |member| member.text);
    Ok(format!("{name}: {}, {} bytes", asset.format().title(), asset.size()))
}

#[allow(dead_code, reason = "the test has addresses of its own")]
fn main() -> Result<()> {
    for address in std::env::args().skip(1) {
        println!("{}", describe(&address)?);
    }
    Ok(())
}
