//! Writers of every format, for tests only: what the reader must read comes from code that shares none with it.

pub mod lzss;
