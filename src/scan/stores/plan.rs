//! Divides files of stores into units.

use std::ops::ControlFlow;

use super::{Place, Stores};
use crate::asset::Asset;
use crate::asset::address::Address;
use crate::asset::container::Container;
use crate::base::format::Format;
use crate::ranges::Ranges;
use crate::scan::Scan;
use crate::scan::units::{Bin, FILE_BYTES, Unit};
use crate::scan::walk::Target;

impl Scan {
    /// Adds a file of a store to a plan.
    pub(in crate::scan) fn plan_stored(
        &self,
        stores: &dyn Stores,
        target: &Target,
        bin: &mut Bin,
        each: &mut impl FnMut(Unit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let path = &target.path;
        let address = if target.named { Address::parse(path) } else { Address { file: path.clone(), member: None } };
        let Ok(file) = stores.open(&address.file) else { return each(bin.piece(path, None, 0, None)) };
        let (bytes, stamp) = (file.byte_len(), file.stamp());
        self.progress.open(bytes);
        if self.archives && address.member.is_none() && bytes > bin.most {
            let mut ranges = Ranges::new(bytes);
            let place = Place::of(&*file, self.limits.decoded_bytes);
            let listed = place.load(&mut ranges, |ranges| {
                let asset = Asset::parse_ranges(ranges, &self.limits)?;
                if let Some(container) = Container::of(&asset) {
                    container.members().take_while(Result::is_ok).for_each(drop);
                }
                Ok(())
            });
            let mut flow = ControlFlow::Continue(());
            if listed.and_then(|()| Asset::parse_ranges(&ranges, &self.limits)).is_ok_and(|asset| {
                bin.cut(&asset, bytes, path, &stamp, self, &mut |unit| {
                    flow = each(unit);
                    flow
                })
            }) {
                return flow;
            }
        }
        bin.make_room(bytes.saturating_add(FILE_BYTES));
        let named = target.named && Format::from_extension(&address.name()).is_none();
        each(Unit { named, ..bin.piece(path, None, bytes, stamp) })
    }
}
