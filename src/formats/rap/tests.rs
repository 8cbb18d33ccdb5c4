//! Tests of records and texts made here.
