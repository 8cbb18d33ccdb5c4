//! The lines of a dissection.

use crate::base::code::Code;
use crate::base::span::Span;
use crate::base::word_enum::word_enum;
use crate::bytes::Column;
use crate::outline::Value;

word_enum! {
    /// The kind of a [`Line`].
    #[derive(Default)]
    #[non_exhaustive]
    pub enum LineKind {
        /// A part, which contains fields, arrays and other parts.
        #[default]
        Part = "part",
        /// One value.
        Field = "field",
        /// An array of elements, or a compressed stream of them.
        Array = "array",
        /// Bytes that no field covers.
        Gap = "gap",
    }
}

/// One line of a dissection: a part, a field, an array or a gap.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Line<'l> {
    /// Number of parts around it.
    pub depth: usize,
    /// Path to it: the names of the parts around it, then its name.
    pub selector: &'l str,
    /// Its name, with the index in its list in brackets.
    pub name: &'l str,
    /// The kind of line.
    pub kind: LineKind,
    /// Its range in the file. `None` if it has no contiguous range, or if another line already covers its bytes.
    pub span: Option<Span>,
    /// Its range in the data unpacked from the enclosing part, for a line without bytes in the file.
    pub unpacked: Option<Span>,
    /// Its type, as the schema writes it.
    pub type_name: String,
    /// The columns of an array whose bytes are its rows; otherwise empty.
    pub columns: Vec<Column>,
    /// The value of a field.
    pub value: Option<Value<'l>>,
    /// A short note; often empty.
    pub note: String,
    /// The code, for a problem. Its note is the message.
    pub problem: Option<Code>,
}
