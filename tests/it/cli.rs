//! The program, run for real.
