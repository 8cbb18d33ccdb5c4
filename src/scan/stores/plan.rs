//! Divides files of stores into units.

use std::ops::ControlFlow;

use super::place::Place;
use super::store::Stores;
use crate::asset::Asset;
use crate::asset::container::Container;
use crate::ranges::Ranges;
use crate::scan::options::Scan;
use crate::scan::target::Target;
use crate::scan::units::Bin;

impl Scan {
    /// Adds a file of a store to a plan.
    pub(in crate::scan) fn plan_stored(
        &self,
        stores: &dyn Stores,
        target: &Target,
        bin: &mut Bin<'_>,
    ) -> ControlFlow<()> {
        let (path, address) = (&target.path, target.address());
        let Ok(file) = stores.open(&address.file) else { return bin.unreadable(path) };
        let (bytes, stamp) = (file.byte_len(), file.stamp());
        self.progress.open(bytes);
        if self.archives && address.member.is_none() && bytes > bin.most {
            let mut ranges = Ranges::new(bytes);
            let place = Place { file: &*file, most: self.limits.decoded_bytes };
            let listed = place.load(&mut ranges, |ranges| {
                let asset = Asset::parse_ranges(ranges, &self.limits)?;
                if let Some(container) = Container::of(&asset) {
                    container.members().take_while(Result::is_ok).for_each(drop);
                }
                Ok(())
            });
            let asset = listed.and_then(|()| Asset::parse_ranges(&ranges, &self.limits));
            if let Some(flow) = asset.ok().and_then(|asset| bin.cut(&asset, bytes, path, &stamp, self)) {
                return flow;
            }
        }
        bin.whole(target, &address, bytes, stamp)
    }
}
