//! Bones of a `model.cfg`, as text or binarised.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Rig;
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::budget::{Budget, Reservation};
use crate::formats::rap::text::{EventKind, Reader, Scalar};
use crate::formats::rap::{Config, Entry};
use crate::outline::Text;

/// The memory of a bone or class, and the work of a step from one to another.
const ITEM_BYTES: u64 = 256;
const STEP_WORK: u64 = 64;
/// How many names of skeletons a message has.
const MOST_NAMES: usize = 20;

impl<'a> Rig<'a> {
    /// Reads the skeleton of a model from a `model.cfg`: the one that `CfgModels` gives to the model of this name (that of
    /// its file, without extension), else the only one in the file. Includes and macros are not resolved. The rest pose
    /// moves nothing.
    ///
    /// ```
    /// use meshpeek::pose::Rig;
    /// use meshpeek::{Budget, Limits};
    /// let text = br#"class CfgSkeletons { class Door { skeletonBones[] = {"frame", "", "wing", "frame"}; }; };"#;
    /// let rig = Rig::from_model_cfg(text, "barn", &Budget::new(text.len() as u64, &Limits::default()))?;
    /// assert_eq!(rig.bones()[1].parent, Some(0));
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such skeleton, if its bones or skeletons inherit from each other in a ring, if a
    /// binary config cannot be read, or if it exceeds the budget.
    pub fn from_model_cfg(data: &'a [u8], model: &str, budget: &Budget) -> Result<Self> {
        let room = Reservation::new(budget);
        room.work(data.len() as u64)?;
        let mut found =
            Found { room: &room, depth: 0, section: None, skeletons: Classes::default(), models: Classes::default() };
        if data.starts_with(b"\0raP") {
            found.read_binary(data, budget.limits())?;
        } else {
            found.read_text(data)?;
        }
        let bones = found.bones(found.skeleton(model.as_bytes())?)?;
        Ok(Self::from_bones(in_order(&bones)?))
    }
}

/// A class of `CfgSkeletons` or `CfgModels`.
struct Class<'a> {
    name: &'a [u8],
    parent: &'a [u8],
    /// `skeletonInherit` or `skeletonName`.
    skeleton: Option<&'a [u8]>,
    /// `skeletonBones`: the name of each bone and of its parent.
    bones: Option<Vec<&'a [u8]>>,
}

#[derive(Default)]
struct Classes<'a> {
    all: Vec<Class<'a>>,
    /// Their indices, by lower-case name.
    places: HashMap<Vec<u8>, usize>,
}

impl<'a> Classes<'a> {
    fn named(&self, name: &[u8]) -> Option<&Class<'a>> {
        self.all.get(*self.places.get(&name.to_ascii_lowercase())?)
    }

    /// A value of a class, or of the nearest one that it inherits from.
    fn inherited<'c, T>(
        &'c self,
        class: &'c Class<'a>,
        room: &Reservation<'_>,
        get: impl Fn(&'c Class<'a>) -> Option<T>,
    ) -> Result<Option<T>> {
        let mut class = Some(class);
        for _ in 0..=self.all.len() {
            room.work(STEP_WORK)?;
            let Some(one) = class else { break };
            if let Some(value) = get(one) {
                return Ok(Some(value));
            }
            class = self.named(one.parent);
        }
        Ok(None)
    }
}

#[derive(Clone, Copy)]
enum Section {
    Skeletons,
    Models,
}

struct Found<'a, 'r> {
    room: &'r Reservation<'r>,
    /// The number of classes around the next entry.
    depth: usize,
    section: Option<Section>,
    skeletons: Classes<'a>,
    models: Classes<'a>,
}

impl<'a> Found<'a, '_> {
    fn read_text(&mut self, data: &'a [u8]) -> Result<()> {
        for event in Reader::new(data) {
            match event.kind {
                EventKind::Class { name, parent } => {
                    self.class(self.depth, name.as_bytes(), parent.map_or(&[][..], |parent| parent.as_bytes()))?;
                    self.depth = self.depth.saturating_add(1);
                }
                EventKind::End => self.depth = self.depth.saturating_sub(1),
                EventKind::Array(key, is_appended) => self.array(key, is_appended),
                EventKind::Value(key, Scalar { text: Cow::Borrowed(text), .. }) => self.value(key, text),
                EventKind::Item(key, Scalar { text: Cow::Borrowed(text), .. }) => self.item(key, text)?,
                // Names that are not written in one piece are no names of bones.
                _ => {}
            }
        }
        Ok(())
    }

    fn read_binary(&mut self, data: &'a [u8], limits: &Limits) -> Result<()> {
        for step in Config::parse_with(data, limits)?.classes() {
            let step = step?;
            self.depth = step.depth;
            if let Some(around) = step.depth.checked_sub(1) {
                self.class(around, step.class.name.as_bytes(), step.class.parent.as_bytes())?;
            }
            for entry in step.class.entries() {
                let key = entry.name();
                match entry {
                    Entry::Array(_) => self.array(key, false),
                    Entry::Append(_) => self.array(key, true),
                    Entry::Value(_) => entry.texts().for_each(|text| self.value(key, text.as_bytes())),
                    _ => continue,
                }
                if entry.array().is_some() {
                    entry.texts().try_for_each(|text| self.item(key, text.as_bytes()))?;
                }
            }
        }
        Ok(())
    }

    fn classes(&mut self) -> Option<&mut Classes<'a>> {
        Some(match self.section? {
            Section::Skeletons => &mut self.skeletons,
            Section::Models => &mut self.models,
        })
    }

    /// Adds a class inside this number of others.
    fn class(&mut self, depth: usize, name: &'a [u8], parent: &'a [u8]) -> Result<()> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if depth == 0 {
            let sections = [("CfgSkeletons", Section::Skeletons), ("CfgModels", Section::Models)];
            self.section = sections.into_iter().find_map(|(known, section)| is(known).then_some(section));
        } else if depth == 1 {
            self.room.keep(ITEM_BYTES.saturating_add(name.len() as u64))?;
            if let Some(classes) = self.classes() {
                classes.places.entry(name.to_ascii_lowercase()).or_insert(classes.all.len());
                classes.all.push(Class { name, parent, skeleton: None, bones: None });
            }
        }
        Ok(())
    }

    /// The class around the next entry, if that has this key.
    fn around(&mut self, key: ByteStr<'_>, known: [&str; 2]) -> Option<&mut Class<'a>> {
        let known = match self.section? {
            Section::Skeletons => known[0],
            Section::Models => known[1],
        };
        let is_known = self.depth == 2 && key.as_bytes().eq_ignore_ascii_case(known.as_bytes());
        self.classes().filter(|_| is_known)?.all.last_mut()
    }

    fn value(&mut self, key: ByteStr<'_>, text: &'a [u8]) {
        if let Some(class) = self.around(key, ["skeletonInherit", "skeletonName"]) {
            class.skeleton = Some(text);
        }
    }

    fn array(&mut self, key: ByteStr<'_>, is_appended: bool) {
        if let Some(class) = self.around(key, ["skeletonBones", ""])
            && !(is_appended && class.bones.is_some())
        {
            class.bones = Some(Vec::new());
        }
    }

    fn item(&mut self, key: ByteStr<'_>, text: &'a [u8]) -> Result<()> {
        let room = self.room;
        if let Some(bones) = self.around(key, ["skeletonBones", ""]).and_then(|class| class.bones.as_mut()) {
            room.keep(ITEM_BYTES)?;
            bones.push(text);
        }
        Ok(())
    }

    /// The skeleton of a model.
    fn skeleton(&self, model: &[u8]) -> Result<&Class<'a>> {
        if let Some(class) = self.models.named(model) {
            let name = self.models.inherited(class, self.room, |class| class.skeleton)?;
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                return Err(Error::unsupported(format!("the class {} has no skeleton", ByteStr::new(class.name))));
            };
            return self.known(name);
        }
        match self.skeletons.all.as_slice() {
            [only] => Ok(only),
            [] => Err(Error::unsupported("no skeletons: a model.cfg has them in CfgSkeletons")),
            all => {
                let names: Vec<String> =
                    all.iter().take(MOST_NAMES).map(|one| ByteStr::new(one.name).to_string()).collect();
                let (model, names) = (ByteStr::new(model), names.join(", "));
                Err(Error::unsupported(format!(
                    "CfgModels has no class {model} that names one of the skeletons {names}"
                )))
            }
        }
    }

    fn known(&self, name: &[u8]) -> Result<&Class<'a>> {
        let missing = || Error::unsupported(format!("no skeleton is called {}", ByteStr::new(name)));
        self.skeletons.named(name).ok_or_else(missing)
    }

    /// The names of all bones of a skeleton and of their parents, those that it inherits first.
    fn bones(&self, skeleton: &Class<'a>) -> Result<Vec<[&'a [u8]; 2]>> {
        let (mut lists, mut next) = (Vec::new(), Some(skeleton));
        while let Some(one) = next {
            if lists.len() > self.skeletons.all.len() {
                return Err(Error::malformed("skeletons inherit from each other in a ring"));
            }
            self.room.keep(ITEM_BYTES)?;
            lists.push(self.skeletons.inherited(one, self.room, |class| class.bones.as_deref())?);
            let name = self.skeletons.inherited(one, self.room, |class| class.skeleton)?;
            next = name.filter(|name| !name.is_empty()).map(|name| self.known(name)).transpose()?;
        }
        let mut bones = Vec::new();
        for list in lists.into_iter().rev().flatten() {
            self.room.keep(ITEM_BYTES.saturating_mul(list.len() as u64))?;
            bones.extend(
                list.chunks(2).filter_map(|pair| Some([*pair.first()?, pair.get(1).copied().unwrap_or_default()])),
            );
        }
        Ok(bones)
    }
}

/// Bones with the index of their parents, each after its parent. Of several with the same name, the first counts.
fn in_order<'a>(bones: &[[&'a [u8]; 2]]) -> Result<Vec<(Text<'a>, Option<usize>)>> {
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    for (place, [name, _]) in bones.iter().enumerate() {
        places.entry(name.to_ascii_lowercase()).or_insert(place);
    }
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (place, [name, parent]) in bones.iter().enumerate().rev() {
        if places.get(&name.to_ascii_lowercase()) == Some(&place) {
            children.entry(places.get(&parent.to_ascii_lowercase()).copied()).or_default().push(place);
        }
    }
    let mut ordered = Vec::new();
    let mut waiting: Vec<(usize, Option<usize>)> = Vec::new();
    let mut below = |parent: Option<usize>, place: Option<usize>, waiting: &mut Vec<_>| {
        waiting.extend(children.remove(&place).into_iter().flatten().map(|child| (child, parent)));
    };
    below(None, None, &mut waiting);
    while let Some((place, parent)) = waiting.pop() {
        below(Some(ordered.len()), Some(place), &mut waiting);
        let [name, _] = bones.get(place).copied().unwrap_or_default();
        ordered.push((ByteStr::new(name).into(), parent));
    }
    if ordered.len() < places.len() {
        return Err(Error::malformed("bones are their own ancestors"));
    }
    Ok(ordered)
}
