//! The cost of reading, by question.

mod archive;
pub mod baseline;
pub mod harness;
pub mod material;

pub mod b3d;
pub mod bmx;
pub mod codec;
pub mod growth;
mod lodka;
pub mod odol;
mod open;
pub mod paa;
mod pbo;
#[cfg(feature = "geometry")]
mod pose;
mod rtm;
#[cfg(feature = "scan")]
mod scan;

#[path = "../dense/mod.rs"]
pub mod dense;
#[path = "../../tests/it/writer/mod.rs"]
pub mod writer;

use harness::Examiner;

/// Asks all questions that need no other library. Files are opened like in the program `meshpeek`: larger ones are
/// mapped.
pub fn ask(examiner: &mut dyn Examiner) {
    meshpeek::source::guard_maps().expect("a handler");
    open::ask(examiner);
    b3d::ask(examiner);
    rtm::ask(examiner);
    odol::ask(examiner);
    lodka::ask(examiner);
    paa::ask(examiner);
    #[cfg(feature = "geometry")]
    pose::ask(examiner);
    pbo::ask(examiner);
    bmx::ask(examiner);
    codec::ask(examiner);
    #[cfg(feature = "scan")]
    scan::ask(examiner);
    growth::ask(examiner);
}
