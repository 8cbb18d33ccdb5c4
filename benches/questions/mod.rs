//! What reading costs, by question.

pub mod baseline;
pub mod harness;
pub mod material;

pub mod b3d;
pub mod codec;
mod lodka;
pub mod odol;
mod open;
mod pbo;
mod rtm;

#[path = "../../tests/it/memory.rs"]
mod memory;
#[path = "../../tests/it/writer/mod.rs"]
pub mod writer;

use harness::Table;

/// Asks all questions that need no other library.
pub fn ask(table: &mut Table) {
    open::ask(table);
    b3d::ask(table);
    rtm::ask(table);
    odol::ask(table);
    lodka::ask(table);
    pbo::ask(table);
    codec::ask(table);
}
