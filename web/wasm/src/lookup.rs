//! Finds the files that textures of models mean among the open ones, by the index of `meshpeek refs`.

use std::cell::RefCell;

use meshpeek::scan::Scan;
use meshpeek::scan::refs::{Model, Textures};
use meshpeek::summary::Name;

use crate::node::Node;
use crate::{Result, Session, address_of};

/// Finds the images among the open files.
pub(crate) type Catalog = RefCell<Textures<'static>>;

/// The file of a texture.
pub(crate) struct Found {
    pub(crate) address: String,
    pub(crate) bytes: Vec<u8>,
}

impl Session {
    /// Reads the names of the open files and of the members of archives, unless they are known.
    pub(crate) fn list_images(&mut self) -> Result<()> {
        self.list_archives();
        if self.catalog.is_none() {
            let scan = Scan::new(self.roots());
            let textures = self.files_for(&scan, None, &self.prefixes(), &[])?.textures()?;
            self.catalog = Some(RefCell::new(textures));
        }
        Ok(())
    }

    /// Reads the file that a texture of a model means. Needs [`list_images`](Self::list_images).
    pub(crate) fn find_image(&self, node: &Node, texture: &Name) -> Result<Option<Found>> {
        let Some(catalog) = &self.catalog else { return Ok(None) };
        let Some(format) = node.format() else { return Ok(None) };
        let (path, member) = node.path();
        let found = catalog.borrow_mut().find(Model { path, member, format }, texture)?;
        let Some(image) = found else { return Ok(None) };
        let address = address_of(&image.path, image.member.as_ref());
        let Some(text) = self.content(&address, u64::MAX) else { return Ok(None) };
        Ok(Some(Found { address, bytes: text.bytes }))
    }
}
