//! Extra fields of entries: an id of two bytes, a length of two bytes, and the data.

/// An iterator over well-formed extra fields: the id and the data of each. It ends before what is none.
#[derive(Clone)]
pub(crate) struct ExtraFields<'a> {
    rest: &'a [u8],
}

impl<'a> ExtraFields<'a> {
    pub(crate) fn of(extra: &'a [u8]) -> Self {
        Self { rest: extra }
    }

    /// Returns the data of the first field with this id.
    pub(crate) fn find(extra: &'a [u8], id: u16) -> Option<&'a [u8]> {
        Self::of(extra).find(|(known, _)| *known == id).map(|(_, data)| data)
    }

    /// Returns the position and a description of bytes that are no field. Zeros are padding, as zipalign writes it.
    pub(crate) fn fault(extra: &'a [u8]) -> Option<(usize, String)> {
        let mut fields = Self::of(extra);
        while fields.next().is_some() {}
        let rest = fields.rest;
        if rest.iter().all(|&byte| byte == 0) {
            return None;
        }
        let message = match rest.split_first_chunk::<4>() {
            None => format!("{} bytes, too few for an extra field", rest.len()),
            Some(([id, high_id, low, high], after)) => {
                let id = u16::from_le_bytes([*id, *high_id]);
                let bytes = u16::from_le_bytes([*low, *high]);
                format!("extra field {id:#06x} of {bytes} bytes, {} left", after.len())
            }
        };
        Some((extra.len().saturating_sub(rest.len()), message))
    }
}

impl<'a> Iterator for ExtraFields<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (&[id, high_id, low, high], after) = self.rest.split_first_chunk()?;
        let (data, rest) = after.split_at_checked(u16::from_le_bytes([low, high]).into())?;
        self.rest = rest;
        Some((u16::from_le_bytes([id, high_id]), data))
    }
}
