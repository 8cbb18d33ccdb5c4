//! Asks what reading costs and prints the answers as one table.

mod questions;
#[path = "questions/timing.rs"]
mod timing;

fn main() {
    questions::ask(&mut timing::Table::new());
}
