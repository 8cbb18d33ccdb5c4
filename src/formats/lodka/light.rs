//! LIG1: eight lights.

use super::chunk::Node;
use super::fields::records;
use super::wire::Light;
use crate::base::error::{Error, Result};
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::record::{External, record};

record! {
    /// Eight lights that are switched together (LIG1).
    LightScheme<'a>(node: Node<'a>) named name {
        /// Its name.
        name: AnsiStr<'a> = "LightSchemeNameLength, Name",
        /// The eight lights.
        lights: LeArray<'a, Light> as External<LeArray<'a, Light>> [8] => |_| eight(&node),
    }
    also |scheme, out| records(("light_records", "lights"), scheme.lights, std::iter::empty(), out)
}

fn eight(node: &Node<'_>) -> Result<()> {
    match node.count_hint() {
        8 => Ok(()),
        other => {
            let at = node.chunk.offset().saturating_add(8);
            Err(Error::malformed(format!("{other} lights, not 8")).at(at))
        }
    }
}
