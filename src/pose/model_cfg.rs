//! Skeletons and models of a `model.cfg`, as text or binarised.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::rig::Rig;
use crate::base::error::{Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::budget::{Budget, Reservation};
use crate::formats::rap::text::{EventKind, Reader, Scalar};
use crate::formats::rap::{Config, Entry};
use crate::outline::Text;

/// The memory of a bone, class, entry or message, and the work of a step from one to another.
const ITEM_BYTES: u64 = 256;
const STEP_WORK: u64 = 64;
/// How many names of skeletons a message has.
const MOST_NAMES: usize = 20;
/// How many flaws are described.
const MOST_FLAWS: usize = 20;

/// The classes of `CfgSkeletons` and `CfgModels` in a `model.cfg`. Includes are not followed, macros are not expanded, and
/// both branches of a condition count.
///
/// ```
/// use meshpeek::pose::ModelCfg;
/// use meshpeek::{Budget, Limits};
/// let text = br#"class CfgSkeletons { class Door { skeletonBones[] = {"frame", "", "wing", "frame"}; }; };"#;
/// let budget = Budget::new(text.len() as u64, &Limits::default());
/// let rig = ModelCfg::read(text, &budget)?.rig("barn")?;
/// assert_eq!(rig.bones()[1].parent, Some(0));
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub struct ModelCfg<'a, 'b> {
    room: Reservation<'b>,
    skeletons: Classes<'a>,
    models: Classes<'a>,
    flaws: Flaws,
}

/// A class of `CfgSkeletons`, with the bones that it inherits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Skeleton<'a> {
    /// The name of the class.
    pub name: ByteStr<'a>,
    /// The name of each bone and of its parent, inherited ones first. The parent is empty for the first bone of a tree.
    pub bones: Vec<[ByteStr<'a>; 2]>,
    /// The skeleton that it inherits from, if the file does not contain it.
    pub base_elsewhere: Option<ByteStr<'a>>,
    /// Bones that are listed differently a second time, that lack a parent, or that are incomplete.
    pub flaws: Vec<String>,
}

/// A class of `CfgModels`, with what it inherits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelClass<'a> {
    /// The name of the class.
    pub name: ByteStr<'a>,
    /// The name of its skeleton, if it has one.
    pub skeleton: Option<ByteStr<'a>>,
    /// The selections in `sections`, inherited ones first.
    pub sections: Vec<ByteStr<'a>>,
    /// The classes in `Animations`.
    pub animations: Vec<Animation<'a>>,
}

/// An animation of a [`ModelClass`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Animation<'a> {
    /// The name of the class.
    pub name: ByteStr<'a>,
    /// The selection that it moves.
    pub selection: Option<ByteStr<'a>>,
    /// The selections with its axis: `axis`, `begin` and `end`.
    pub axes: Vec<ByteStr<'a>>,
}

impl<'a, 'b> ModelCfg<'a, 'b> {
    /// Reads all skeletons and models.
    ///
    /// # Errors
    /// Returns an error if the file has neither, if a binary config cannot be read, or if it exceeds the budget.
    pub fn read(data: &'a [u8], budget: &'b Budget) -> Result<Self> {
        let room = Reservation::new(budget);
        room.charge_work(data.len() as u64)?;
        let mut reading = Reading {
            room: &room,
            macros: HashSet::new(),
            depth: 0,
            section: None,
            is_in_animations: false,
            skeletons: Classes::default(),
            models: Classes::default(),
            flaws: Flaws::default(),
        };
        if data.starts_with(b"\0raP") {
            reading.read_binary(data, budget.limits())?;
        } else {
            reading.read_text(data)?;
        }
        let Reading { skeletons, models, flaws, .. } = reading;
        if skeletons.all.is_empty() && models.all.is_empty() {
            return Err(Error::unsupported("no skeletons: a model.cfg has them in CfgSkeletons"));
        }
        Ok(Self { room, skeletons, models, flaws })
    }

    /// Returns the parts of the file that are not read, such as includes and macros, with their lines. After 20 of them,
    /// the last one counts the rest.
    pub fn unread(&self) -> Vec<String> {
        self.flaws.to_vec()
    }

    /// Returns the names of the skeletons, in the order of the file.
    pub fn skeleton_names(&self) -> impl Iterator<Item = ByteStr<'a>> {
        self.skeletons.all.iter().map(|class| ByteStr::new(class.name))
    }

    /// Returns the skeleton of this name, ignoring case.
    ///
    /// # Errors
    /// Returns an error if there is no such skeleton, if skeletons inherit from each other in a ring, or if they exceed
    /// the budget.
    pub fn skeleton(&self, name: &str) -> Result<Skeleton<'a>> {
        self.skeleton_of(self.known(name.as_bytes())?)
    }

    /// Returns the model of this name, ignoring case, if there is one.
    ///
    /// # Errors
    /// Returns an error if what it inherits exceeds the budget.
    pub fn model(&self, name: &str) -> Result<Option<ModelClass<'a>>> {
        let Some(class) = self.models.named(name.as_bytes()) else { return Ok(None) };
        let skeleton = self.models.name_in(class, Key::SkeletonName, &self.room)?;
        Ok(Some(ModelClass {
            name: ByteStr::new(class.name),
            skeleton: skeleton.map(ByteStr::new),
            sections: self.sections(class)?,
            animations: self.animations(class)?,
        }))
    }

    /// Returns the bones of a model: those of the skeleton that `CfgModels` gives to the model of this name (that of its
    /// file, without extension), else of the only skeleton in the file. The rest pose moves nothing.
    ///
    /// # Errors
    /// Returns an error if there is no such skeleton, if its bones or skeletons inherit from each other in a ring, or if
    /// it exceeds the budget.
    pub fn rig(&self, model: &str) -> Result<Rig<'a>> {
        let skeleton = self.skeleton_of_model(model)?;
        if let Some(base) = skeleton.base_elsewhere {
            return Err(Error::unsupported(format!("no skeleton is called {base}")));
        }
        Ok(Rig::from_bones(in_order(&skeleton.bones)?))
    }

    /// Returns the skeleton that [`rig`](Self::rig) uses.
    ///
    /// # Errors
    /// Returns the errors of [`skeleton`](Self::skeleton).
    pub fn skeleton_of_model(&self, model: &str) -> Result<Skeleton<'a>> {
        if let Some(class) = self.models.named(model.as_bytes()) {
            let Some(name) = self.models.name_in(class, Key::SkeletonName, &self.room)? else {
                return Err(Error::unsupported(format!("the class {} has no skeleton", ByteStr::new(class.name))));
            };
            return self.skeleton_of(self.known(name)?);
        }
        match self.skeletons.all.as_slice() {
            [only] => self.skeleton_of(only),
            [] => Err(Error::unsupported("no skeletons: a model.cfg has them in CfgSkeletons")),
            _ => {
                let names: Vec<String> = self.skeleton_names().take(MOST_NAMES).map(|name| name.to_string()).collect();
                let model = ByteStr::from(model);
                let names = names.join(", ");
                Err(Error::unsupported(format!(
                    "CfgModels has no class {model} that names one of the skeletons {names}"
                )))
            }
        }
    }

    fn known(&self, name: &[u8]) -> Result<&Class<'a>> {
        match self.skeletons.named(name) {
            Some(class) => Ok(class),
            None => Err(Error::unsupported(format!("no skeleton is called {}", ByteStr::new(name)))),
        }
    }

    /// Reads the skeleton of a class: the bones of the skeletons that it inherits from, then its own.
    fn skeleton_of(&self, class: &Class<'a>) -> Result<Skeleton<'a>> {
        let mut lists = Vec::new();
        let mut base_elsewhere = None;
        let mut next = Some(class);
        while let Some(one) = next {
            if lists.len() > self.skeletons.all.len() {
                return Err(Error::malformed("skeletons inherit from each other in a ring"));
            }
            self.room.hold(ITEM_BYTES)?;
            lists.push((one.name, self.skeletons.texts(one, Key::SkeletonBones, &self.room)?));
            let Some(base) = self.skeletons.name_in(one, Key::SkeletonInherit, &self.room)? else { break };
            next = self.skeletons.named(base);
            if next.is_none() {
                base_elsewhere = Some(ByteStr::new(base));
            }
        }
        let mut bones = BoneList::default();
        for (name, list) in lists.into_iter().rev() {
            self.room.hold(ITEM_BYTES.saturating_mul(list.len() as u64))?;
            let (pairs, rest) = list.as_chunks();
            for &[bone, parent] in pairs {
                bones.add(bone, parent);
            }
            if let [bone] = rest {
                bones.add(bone, b"");
                let name = ByteStr::new(name);
                bones.flaws.add(format!("skeletonBones of {name} ends with a bone without the name of its parent"));
            }
        }
        // Parents may be bones of a base in another file.
        if base_elsewhere.is_none() {
            bones.check_parents();
        }
        let BoneList { list, flaws, .. } = bones;
        Ok(Skeleton { name: ByteStr::new(class.name), bones: list, base_elsewhere, flaws: flaws.to_vec() })
    }

    fn sections(&self, class: &Class<'a>) -> Result<Vec<ByteStr<'a>>> {
        let mut lists = Vec::new();
        let mut next = Some(class);
        // As many as there are models: they may inherit from each other in a ring.
        while let Some(one) = next
            && lists.len() <= self.models.all.len()
        {
            lists.push(self.models.texts(one, Key::Sections, &self.room)?);
            let Some(base) = self.models.name_in(one, Key::SectionsInherit, &self.room)? else { break };
            next = self.models.named(base);
        }
        let all: Vec<&[u8]> = lists.into_iter().rev().flatten().collect();
        self.room.hold(ITEM_BYTES.saturating_mul(all.len() as u64))?;
        Ok(all.into_iter().map(ByteStr::new).collect())
    }

    /// The animations of a class and those that it inherits. One that inherits from another takes from it what it lacks.
    fn animations(&self, class: &Class<'a>) -> Result<Vec<Animation<'a>>> {
        let mut levels: Vec<&Classes<'a>> = Vec::new();
        let mut next = Some(class);
        let mut steps = 0_usize;
        while let Some(one) = next
            && steps <= self.models.all.len()
        {
            self.room.charge_work(STEP_WORK)?;
            steps = steps.saturating_add(1);
            let mut inherits = true;
            if let Some(animations) = &one.animations {
                levels.push(&animations.classes);
                inherits = !animations.parent.is_empty();
            }
            next = if inherits { self.models.named(one.parent) } else { None };
        }
        let mut known: HashSet<Vec<u8>> = HashSet::new();
        let mut all = Vec::new();
        for (level, classes) in levels.iter().enumerate() {
            for class in &classes.all {
                self.room.hold(ITEM_BYTES.saturating_add(class.name.len() as u64))?;
                if !known.insert(class.name.to_ascii_lowercase()) || class.is_deleted {
                    continue;
                }
                let around = levels.get(level..).unwrap_or_default();
                let mut animation = Animation { name: ByteStr::new(class.name), selection: None, axes: Vec::new() };
                animation.selection = self.inherited(around, class, Key::Selection)?;
                for key in [Key::Axis, Key::Begin, Key::End] {
                    animation.axes.extend(self.inherited(around, class, key)?);
                }
                all.push(animation);
            }
        }
        Ok(all)
    }

    /// A text of an animation, or of the nearest one that it inherits from: beside it, or in the classes that those
    /// around it inherit from.
    fn inherited(&self, around: &[&Classes<'a>], class: &Class<'a>, key: Key) -> Result<Option<ByteStr<'a>>> {
        let mut level = 0_usize;
        let mut class = class;
        let most: usize = around.iter().map(|classes| classes.all.len()).sum();
        for _ in 0..=most {
            self.room.charge_work(STEP_WORK)?;
            if let Some(text) = class.text(key) {
                return Ok(if text.is_empty() { None } else { Some(ByteStr::new(text)) });
            }
            if class.parent.is_empty() {
                return Ok(None);
            }
            // A class may inherit from the one of its own name further out.
            if class.parent.eq_ignore_ascii_case(class.name) {
                level = level.saturating_add(1);
            }
            let Some(parent) = self.outward(around, &mut level, class.parent)? else { return Ok(None) };
            class = parent;
        }
        Ok(None)
    }

    /// The class of this name in the first of these lists that has it, from a level on.
    fn outward<'c>(&self, around: &[&'c Classes<'a>], level: &mut usize, name: &[u8]) -> Result<Option<&'c Class<'a>>> {
        while let Some(classes) = around.get(*level) {
            self.room.charge_work(STEP_WORK)?;
            if let Some(class) = classes.named(name) {
                return Ok(Some(class));
            }
            *level = level.saturating_add(1);
        }
        Ok(None)
    }
}

impl_fmt!([] Debug for ModelCfg<'_, '_>, |config| "ModelCfg({} skeletons)", config.skeletons.all.len());

/// Descriptions of what is wrong, up to a number.
#[derive(Clone, Debug, Default)]
struct Flaws {
    texts: Vec<String>,
    more: usize,
}

impl Flaws {
    fn add(&mut self, text: String) {
        if self.texts.len() < MOST_FLAWS {
            self.texts.push(text);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    fn to_vec(&self) -> Vec<String> {
        let mut all = self.texts.clone();
        if self.more > 0 {
            all.push(format!("and {} more", self.more));
        }
        all
    }
}

/// The bones of a skeleton, each once. Of several with the same name, the first counts.
#[derive(Default)]
struct BoneList<'a> {
    list: Vec<[ByteStr<'a>; 2]>,
    places: HashMap<Vec<u8>, usize>,
    flaws: Flaws,
}

impl<'a> BoneList<'a> {
    fn add(&mut self, bone: &'a [u8], parent: &'a [u8]) {
        let name = ByteStr::new(bone);
        let parent = ByteStr::new(parent);
        let folded = bone.to_ascii_lowercase();
        let Some(&place) = self.places.get(&folded) else {
            self.places.insert(folded, self.list.len());
            self.list.push([name, parent]);
            return;
        };
        let Some([_, first]) = self.list.get(place) else { return };
        if !first.as_bytes().eq_ignore_ascii_case(parent.as_bytes()) {
            self.flaws.add(format!(
                "the bone {name} is listed with the parent {}, then with {}: the first counts",
                quoted(*first),
                quoted(parent)
            ));
        }
    }

    fn check_parents(&mut self) {
        for [name, parent] in &self.list {
            if !parent.is_empty() && !self.places.contains_key(&parent.as_bytes().to_ascii_lowercase()) {
                self.flaws.add(format!("the parent {parent} of the bone {name} does not exist"));
            }
        }
    }
}

fn quoted(name: ByteStr<'_>) -> String {
    format!("\"{name}\"")
}

/// The entries that are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    SkeletonInherit,
    SkeletonBones,
    SkeletonName,
    SectionsInherit,
    Sections,
    Selection,
    Axis,
    Begin,
    End,
}

/// A class of `CfgSkeletons`, `CfgModels` or `Animations`.
struct Class<'a> {
    name: &'a [u8],
    parent: &'a [u8],
    texts: Vec<(Key, &'a [u8])>,
    arrays: Vec<(Key, Array<'a>)>,
    animations: Option<Box<Animations<'a>>>,
    /// True if it only hides an inherited one.
    is_deleted: bool,
}

struct Array<'a> {
    texts: Vec<&'a [u8]>,
    /// True if it adds to an inherited array.
    is_appended: bool,
}

struct Animations<'a> {
    parent: &'a [u8],
    classes: Classes<'a>,
}

impl<'a> Class<'a> {
    fn text(&self, key: Key) -> Option<&'a [u8]> {
        let (_, text) = self.texts.iter().find(|(known, _)| *known == key)?;
        Some(text)
    }

    fn array(&self, key: Key) -> Option<&Array<'a>> {
        let (_, array) = self.arrays.iter().find(|(known, _)| *known == key)?;
        Some(array)
    }
}

#[derive(Default)]
struct Classes<'a> {
    all: Vec<Class<'a>>,
    /// Their indices, by lower-case name.
    places: HashMap<Vec<u8>, usize>,
}

impl<'a> Classes<'a> {
    fn add(&mut self, name: &'a [u8], parent: &'a [u8]) {
        self.places.entry(name.to_ascii_lowercase()).or_insert(self.all.len());
        self.all.push(Class {
            name,
            parent,
            texts: Vec::new(),
            arrays: Vec::new(),
            animations: None,
            is_deleted: false,
        });
    }

    fn named(&self, name: &[u8]) -> Option<&Class<'a>> {
        self.all.get(*self.places.get(&name.to_ascii_lowercase())?)
    }

    /// A text of a class, or of the nearest one that it inherits from.
    fn text(&self, class: &Class<'a>, key: Key, room: &Reservation<'_>) -> Result<Option<&'a [u8]>> {
        let mut class = Some(class);
        for _ in 0..=self.all.len() {
            room.charge_work(STEP_WORK)?;
            let Some(one) = class else { break };
            if let Some(text) = one.text(key) {
                return Ok(Some(text));
            }
            class = self.named(one.parent);
        }
        Ok(None)
    }

    /// Like `text`, for a name. An empty one is none.
    fn name_in(&self, class: &Class<'a>, key: Key, room: &Reservation<'_>) -> Result<Option<&'a [u8]>> {
        let name = self.text(class, key, room)?;
        Ok(name.filter(|name| !name.is_empty()))
    }

    /// The texts of an array of a class, or of the nearest one that it inherits from.
    fn texts(&self, class: &Class<'a>, key: Key, room: &Reservation<'_>) -> Result<Vec<&'a [u8]>> {
        let mut lists = Vec::new();
        let mut class = Some(class);
        for _ in 0..=self.all.len() {
            room.charge_work(STEP_WORK)?;
            let Some(one) = class else { break };
            if let Some(array) = one.array(key) {
                room.hold(ITEM_BYTES.saturating_mul(array.texts.len() as u64))?;
                lists.push(array.texts.as_slice());
                if !array.is_appended {
                    break;
                }
            }
            class = self.named(one.parent);
        }
        Ok(lists.into_iter().rev().flatten().copied().collect())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Skeletons,
    Models,
}

impl Section {
    /// The section in a class of this name.
    fn of(class: &[u8]) -> Option<Self> {
        if class.eq_ignore_ascii_case(b"CfgSkeletons") {
            Some(Self::Skeletons)
        } else if class.eq_ignore_ascii_case(b"CfgModels") {
            Some(Self::Models)
        } else {
            None
        }
    }
}

struct Reading<'a, 'r, 'b> {
    room: &'r Reservation<'b>,
    /// The names of macros that the text defines.
    macros: HashSet<&'a [u8]>,
    /// The number of classes around the next entry.
    depth: usize,
    section: Option<Section>,
    is_in_animations: bool,
    skeletons: Classes<'a>,
    models: Classes<'a>,
    flaws: Flaws,
}

impl<'a> Reading<'a, '_, '_> {
    fn read_text(&mut self, data: &'a [u8]) -> Result<()> {
        self.find_macros(data)?;
        for event in Reader::new(data) {
            let line = event.line;
            match event.kind {
                EventKind::Class { name, parent } => {
                    let parent = parent.unwrap_or_default();
                    self.class(self.depth, name.as_bytes(), parent.as_bytes())?;
                    self.depth = self.depth.saturating_add(1);
                }
                EventKind::End => self.depth = self.depth.saturating_sub(1),
                EventKind::Array(key, is_appended) => self.array(key, is_appended),
                EventKind::Value(key, scalar) => {
                    if let Some(text) = self.plain(key, scalar, line) {
                        self.value(key, text)?;
                    }
                }
                EventKind::Item(key, scalar) => {
                    if let Some(text) = self.plain(key, scalar, line) {
                        self.item(key, text)?;
                    }
                }
                EventKind::Delete(name) => self.delete(name)?,
                EventKind::Include(path) => self.flaws.add(format!("line {line}: the include {path} is not read")),
                EventKind::Call(call) if self.section.is_some() && self.depth > 0 => {
                    self.flaws.add(format!("line {line}: the macro {call} is not expanded"));
                }
                _ => {}
            }
        }
        if self.depth > 0 && self.section.is_some() {
            self.flaws.add("the text ends inside a class".to_owned());
        }
        Ok(())
    }

    /// Finds the names of macros.
    fn find_macros(&mut self, data: &'a [u8]) -> Result<()> {
        const DEFINE: &[u8] = b"#define";
        for place in memchr::memmem::find_iter(data, DEFINE) {
            let rest = data.get(place.saturating_add(DEFINE.len())..).unwrap_or_default();
            let blank = rest.iter().take_while(|byte| matches!(**byte, b' ' | b'\t')).count();
            let rest = rest.get(blank..).unwrap_or_default();
            let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            let name = rest.get(..length).unwrap_or_default();
            if !name.is_empty() {
                self.room.hold(ITEM_BYTES)?;
                self.macros.insert(name);
            }
        }
        Ok(())
    }

    /// A value or item that is kept, as stored. Macros and texts in several pieces are flaws.
    fn plain(&mut self, key: ByteStr<'_>, scalar: Scalar<'a>, line: u32) -> Option<&'a [u8]> {
        self.key(key)?;
        let is_macro = !scalar.is_quoted && (scalar.text.contains(&b'(') || self.macros.contains(scalar.text.as_ref()));
        match scalar.text {
            Cow::Borrowed(text) if !is_macro => Some(text),
            text => {
                let text = ByteStr::new(&text);
                let why = if is_macro { "is a macro, which is not expanded" } else { "is not in one piece" };
                self.flaws.add(format!("line {line}: {text} in {key} {why}"));
                None
            }
        }
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
                    Entry::Delete(_) => self.delete(key)?,
                    Entry::Array(_) => self.array(key, false),
                    Entry::Append(_) => self.array(key, true),
                    Entry::Value(_) => {
                        for text in entry.texts() {
                            self.value(key, text.as_bytes())?;
                        }
                    }
                    _ => continue,
                }
                if entry.array().is_some() {
                    for text in entry.texts() {
                        self.item(key, text.as_bytes())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a class inside this number of others.
    fn class(&mut self, depth: usize, name: &'a [u8], parent: &'a [u8]) -> Result<()> {
        if depth <= 2 {
            self.is_in_animations = false;
        }
        match (depth, self.section) {
            (0, _) => {
                self.section = Section::of(name);
                return Ok(());
            }
            (1, Some(Section::Skeletons)) => self.skeletons.add(name, parent),
            (1, Some(Section::Models)) => self.models.add(name, parent),
            (2, Some(Section::Models)) if name.eq_ignore_ascii_case(b"Animations") => {
                self.is_in_animations = true;
                if let Some(model) = self.models.all.last_mut() {
                    model.animations.get_or_insert(Box::new(Animations { parent, classes: Classes::default() }));
                }
            }
            (3, Some(Section::Models)) if self.is_in_animations => {
                if let Some(animations) = self.last_animations() {
                    animations.add(name, parent);
                }
            }
            _ => return Ok(()),
        }
        self.room.hold(ITEM_BYTES.saturating_add(name.len() as u64))
    }

    /// The animations of the last model.
    fn last_animations(&mut self) -> Option<&mut Classes<'a>> {
        Some(&mut self.models.all.last_mut()?.animations.as_mut()?.classes)
    }

    /// Hides an inherited animation.
    fn delete(&mut self, name: ByteStr<'a>) -> Result<()> {
        if self.depth != 3 || !self.is_in_animations {
            return Ok(());
        }
        self.class(3, name.as_bytes(), b"")?;
        if let Some(animations) = self.last_animations()
            && let Some(class) = animations.all.last_mut()
        {
            class.is_deleted = true;
        }
        Ok(())
    }

    /// The entry of this name, if it is one that is kept of the class around.
    fn key(&self, key: ByteStr<'_>) -> Option<Key> {
        let keys: &[(&str, Key)] = match (self.section?, self.depth) {
            (Section::Skeletons, 2) => {
                &[("skeletonInherit", Key::SkeletonInherit), ("skeletonBones", Key::SkeletonBones)]
            }
            (Section::Models, 2) => &[
                ("skeletonName", Key::SkeletonName),
                ("sectionsInherit", Key::SectionsInherit),
                ("sections", Key::Sections),
            ],
            (Section::Models, 4) if self.is_in_animations => {
                &[("selection", Key::Selection), ("axis", Key::Axis), ("begin", Key::Begin), ("end", Key::End)]
            }
            _ => return None,
        };
        for (name, kept) in keys {
            if key.as_bytes().eq_ignore_ascii_case(name.as_bytes()) {
                return Some(*kept);
            }
        }
        None
    }

    /// The class around the next entry.
    fn around(&mut self) -> Option<&mut Class<'a>> {
        match self.section? {
            Section::Skeletons => self.skeletons.all.last_mut(),
            Section::Models if self.depth == 4 => self.last_animations()?.all.last_mut(),
            Section::Models => self.models.all.last_mut(),
        }
    }

    /// Keeps a text. Of several with the same key, the last counts.
    fn value(&mut self, key: ByteStr<'_>, text: &'a [u8]) -> Result<()> {
        let Some(key) = self.key(key) else { return Ok(()) };
        self.room.hold(ITEM_BYTES)?;
        if let Some(class) = self.around() {
            class.texts.retain(|(known, _)| *known != key);
            class.texts.push((key, text));
        }
        Ok(())
    }

    fn array(&mut self, key: ByteStr<'_>, is_appended: bool) {
        let Some(key) = self.key(key) else { return };
        let Some(class) = self.around() else { return };
        if is_appended && class.array(key).is_some() {
            return;
        }
        class.arrays.retain(|(known, _)| *known != key);
        class.arrays.push((key, Array { texts: Vec::new(), is_appended }));
    }

    fn item(&mut self, key: ByteStr<'_>, text: &'a [u8]) -> Result<()> {
        let Some(key) = self.key(key) else { return Ok(()) };
        self.room.hold(ITEM_BYTES)?;
        let Some(class) = self.around() else { return Ok(()) };
        if let Some((_, array)) = class.arrays.iter_mut().find(|(known, _)| *known == key) {
            array.texts.push(text);
        }
        Ok(())
    }
}

/// Orders bones, given as pairs of a name and the parent's name, so that each comes after its parent. Returns each with
/// its parent's index in the result. A parent that is not among the bones counts as none. Names are compared without case.
///
/// # Errors
/// Returns an error if bones are parents of each other in a ring.
fn in_order<'a>(bones: &[[ByteStr<'a>; 2]]) -> Result<Vec<(Text<'a>, Option<usize>)>> {
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    for (place, [name, _]) in bones.iter().enumerate() {
        places.insert(name.as_bytes().to_ascii_lowercase(), place);
    }
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    // In reverse, because the last that waits is next.
    for (place, [_, parent]) in bones.iter().enumerate().rev() {
        let parent = places.get(&parent.as_bytes().to_ascii_lowercase()).copied();
        children.entry(parent).or_default().push(place);
    }
    let mut ordered = Vec::new();
    // Bones, with the index of their parents. Each is followed by all its descendants.
    let mut waiting: Vec<(usize, Option<usize>)> = Vec::new();
    for root in children.remove(&None).unwrap_or_default() {
        waiting.push((root, None));
    }
    while let Some((place, parent)) = waiting.pop() {
        for child in children.remove(&Some(place)).unwrap_or_default() {
            waiting.push((child, Some(ordered.len())));
        }
        if let Some([name, _]) = bones.get(place) {
            ordered.push(((*name).into(), parent));
        }
    }
    if ordered.len() < bones.len() {
        return Err(Error::malformed("bones are their own ancestors"));
    }
    Ok(ordered)
}
