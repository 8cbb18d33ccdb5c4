//! Checks of what depends on several fields of a texture.

use super::{Mip, Texture};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::check::Faults;
use crate::summary::Problems;

/// The most mips that a texture may have.
const MOST_MIPS: usize = 16;
/// The offset of `mip_count` in a texture.
const MIP_COUNT: u64 = 44;
/// The offset of the kind in a mip.
const MIP_KIND: u64 = 6;
/// The offset of the address in a mip.
const MIP_ADDRESS: u64 = 8;

/// The faults of all textures. Those of one kind are reported as one.
#[derive(Default)]
pub(super) struct Checks {
    mip_counts: Faults,
    too_many: Faults,
    kinds: Faults,
    order: Faults,
    outside: Faults,
}

impl Checks {
    /// Checks a texture: its index in the file, and its offset.
    pub(super) fn add(&mut self, index: usize, offset: u64, texture: &Texture<'_>) {
        let own = ("textures", Some(index));
        let count = texture.mips.len();
        if texture.mip_count as usize != count {
            let path = [own, ("mip_count", None)];
            let message = format_args!("{}, but {count} before the mips", texture.mip_count);
            self.mip_counts.add(Code::Damaged, &path, offset.saturating_add(MIP_COUNT), message);
        }
        let path = [own, ("mips", None)];
        if count > MOST_MIPS {
            let message = format_args!("{count} mips, at most {MOST_MIPS}");
            self.too_many.add(Code::Range, &path, texture.mips.offset().saturating_sub(4), message);
        }
        let mut before = None;
        for (number, mip) in texture.mips.iter().enumerate() {
            let row = (Amount(number as u64) * size_of::<Mip>() as u64 + texture.mips.offset()).0;
            if u32::from(mip.kind) != texture.kind.0 {
                let message =
                    format_args!("mip {number} is of kind {}, the texture of kind {}", mip.kind, texture.kind.0);
                self.kinds.add(Code::Damaged, &path, row.saturating_add(MIP_KIND), message);
            }
            let address = mip.address.get();
            let address_offset = row.saturating_add(MIP_ADDRESS);
            if let Some(before) = before
                && address <= before
            {
                let message = format_args!("mip {number} is at {address:#x}, the one before at {before:#x}");
                self.order.add(Code::Order, &path, address_offset, message);
            }
            before = Some(address);
            if address >= texture.file_size {
                let message = format_args!(
                    "mip {number} is at {address:#x}, after the end of the texture of {} bytes",
                    texture.file_size
                );
                self.outside.add(Code::Range, &path, address_offset, message);
            }
        }
    }

    /// Reports the faults.
    pub(super) fn report(self, problems: &mut Problems) {
        for faults in [self.mip_counts, self.too_many, self.kinds, self.order, self.outside] {
            faults.report(problems);
        }
    }
}
