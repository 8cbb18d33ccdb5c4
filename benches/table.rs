//! Asks what reading costs and prints the answers as one table.

mod questions;

fn main() {
    questions::ask(&mut questions::harness::Table::new());
}
