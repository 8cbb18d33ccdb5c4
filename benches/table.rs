//! Measures the cost of reading and prints the results as one table.

mod questions;
#[path = "questions/timing.rs"]
mod timing;

fn main() {
    questions::ask(&mut timing::Table::new());
}
