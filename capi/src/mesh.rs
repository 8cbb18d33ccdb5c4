//! Meshes as plain arrays, for upload to a graphics card.

use std::ffi::{CStr, CString, c_char, c_void};
use std::iter::zip;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;
use std::sync::Arc;

use meshpeek_core::budget::Reservation;
use meshpeek_core::geometry::{self, Alpha, Material, Mesh, Primitive, Role, Texture};
use meshpeek_core::summary::Name;
use meshpeek_core::{Asset, Budget, Error, OwnedAsset};
use self_cell::self_cell;

use crate::asset::meshpeek_asset;
use crate::bytes::Bytes;
use crate::call::{borrow, call};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::handle::{Place, c_text, free};
use crate::rig::index_of;

/// Work and memory that a mesh of a model counts as, so that a model cannot have more of them than it has bytes for.
const MESH_BYTES: u64 = 256;

type Primitives<'a> = Vec<Primitive<'a>>;

self_cell!(
    struct Parts {
        owner: OwnedAsset<Bytes>,

        #[not_covariant]
        dependent: Primitives,
    }
);

/// The meshes of a model: each is a set of triangles with one material.
pub struct meshpeek_model {
    parts: Arc<Parts>,
    /// The names of the meshes.
    names: Vec<CString>,
    budget: Budget,
    count: usize,
}

/// A mesh as plain arrays in one space for all formats: y is up, z points to the viewer, lengths are the file's, as in
/// glTF. Triangles are counterclockwise seen from their front.
pub struct meshpeek_mesh {
    mesh: Mesh,
    name: CString,
    lod_name: CString,
    textures: Vec<meshpeek_texture>,
    _texts: Vec<CString>,
    info: meshpeek_mesh_info,
    /// The error is that of damaged shapes: the mesh itself is sound.
    morphs: Result<Option<Morphs>, Error>,
}

/// The alternative shapes of a mesh.
struct Morphs {
    model: Arc<Parts>,
    /// The index of the mesh in the model.
    index: usize,
    names: Vec<CString>,
    /// The index of the stored position of each vertex.
    places: Vec<u32>,
}

impl Morphs {
    /// Finds the shapes of a primitive, if it has any.
    fn new(
        model: &Arc<Parts>,
        index: usize,
        primitive: &Primitive<'_>,
        budget: &Budget,
    ) -> Result<Option<Self>, Failure> {
        let morphs = primitive.morphs()?;
        if morphs.is_empty() {
            return Ok(None);
        }
        let mut names = Vec::new();
        for morph in &morphs {
            budget.charge_output(MESH_BYTES)?;
            names.push(c_text(&Name::from(morph.name).text));
        }
        let room = Reservation::new(budget);
        let welded = primitive.to_welded(|bytes| room.charge_and_hold(bytes))?;
        let mut places = Vec::new();
        for corner in &welded.corners {
            places.push(corner.position);
        }
        Ok(Some(Self { model: model.clone(), index, names, places }))
    }

    /// Returns the positions of a shape, one for each vertex.
    fn positions(&self, morph: usize) -> Result<Vec<[f32; 3]>, Failure> {
        self.model.with_dependent(|_, list| {
            let Some(primitive) = list.get(self.index) else { return Err(no_morph(morph, 0)) };
            let morphs = primitive.morphs()?;
            let Some(morph) = morphs.get(morph) else { return Err(no_morph(morph, morphs.len())) };
            let mut positions = Vec::with_capacity(self.places.len());
            for place in &self.places {
                let Some(point) = morph.positions.array::<3>(*place as usize) else {
                    return Err(Failure::NotFound(format!("the morph has no position {place}")));
                };
                positions.push(primitive.world_matrix.point(point));
            }
            Ok(positions)
        })
    }
}

fn no_morph(index: usize, count: usize) -> Failure {
    Failure::NotFound(format!("no morph {index}: the mesh has {count}"))
}

/// An array of a mesh.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_attribute {
    /// 3 floats per vertex.
    Position = 0,
    /// 3 floats per vertex, of length 1.
    Normal = 1,
    /// 2 floats per vertex and set; v grows downwards.
    Uv = 2,
    /// 4 floats per vertex: red, green, blue, alpha, as stored (sRGB).
    Color = 3,
    /// 4 uint32_t per vertex: indices of bones in the rig.
    Joints = 4,
    /// 4 floats per vertex: the weights of the joints. They sum to 1, or are all 0.
    Weights = 5,
    /// 1 uint32_t per corner, 3 corners per triangle.
    Index = 6,
}

/// How the alpha of a material is used.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_alpha {
    /// It is ignored.
    Opaque = 0,
    /// Pixels below alpha_cutoff are invisible.
    Mask = 1,
    /// It blends.
    Blend = 2,
    /// The color is added.
    Add = 3,
    /// The color multiplies the background.
    Multiply = 4,
    /// The image of the base texture alone says how opaque it is, as in Arma: where it has no alpha, the surface is
    /// opaque.
    Image = 5,
}

/// The purpose of a texture.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_role {
    /// The color of the surface.
    Base = 0,
    /// Mixed with the base.
    Layer = 1,
    /// Precomputed light.
    Lightmap = 2,
    /// Reflected.
    Environment = 3,
}

/// A texture of a material.
#[repr(C)]
pub struct meshpeek_texture {
    /// The name of the image as the file states it: often a path on its author's machine. Check it before you open it.
    pub name: *const c_char,
    /// Its purpose.
    pub role: meshpeek_role,
    /// Which set of texture coordinates it uses.
    pub uv_set: u32,
    /// How these coordinates are changed: rotated by this angle in radians, scaled, moved.
    pub rotation: f32,
    pub scale: [f32; 2],
    pub offset: [f32; 2],
    /// True if it does not repeat along u and v.
    pub clamped: [bool; 2],
    /// True if its black pixels are invisible.
    pub is_black_clear: bool,
}

/// Facts about a mesh. Pointers are valid until the mesh is freed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct meshpeek_mesh_info {
    /// The name of its node or object; may be empty.
    pub name: *const c_char,
    /// The numbers of vertices, indices and sets of texture coordinates.
    pub vertices: usize,
    pub indices: usize,
    pub uv_sets: usize,
    /// True if the mesh has these arrays.
    pub has_normals: bool,
    pub has_colors: bool,
    pub has_joints: bool,
    /// False if the file hides it.
    pub is_visible: bool,
    /// False if its level of detail is not seen from outside: collision, shadows, views of the crew. Draw a mesh if it is
    /// visible and visual.
    pub is_visual: bool,
    /// The index of its level of detail, or -1, that level's resolution, and its name, such as `Geometry`; empty without a
    /// level.
    pub lod: i64,
    pub resolution: f32,
    pub lod_name: *const c_char,
    /// The index of the model in files with several, which is that of its rig; else 0.
    pub model: usize,
    /// The triangles left out because the file has no position for a corner.
    pub left_out: u64,
    /// The material. All colors are as stored (sRGB).
    pub has_material: bool,
    pub color: [f32; 4],
    pub emissive: [f32; 3],
    pub specular: [f32; 3],
    pub shininess: f32,
    pub alpha: meshpeek_alpha,
    pub alpha_cutoff: f32,
    pub is_two_sided: bool,
    pub is_unlit: bool,
    pub uses_vertex_colors: bool,
    /// Its textures.
    pub textures: *const meshpeek_texture,
    pub texture_count: usize,
}

/// Facts about a mesh of a model that is not decoded. Pointers are valid until the model is freed.
#[repr(C)]
pub struct meshpeek_mesh_facts {
    /// The name of its node or object; may be empty.
    pub name: *const c_char,
    /// The number of positions that the file stores. Meshes of one node may share them, and a position with several
    /// normals or texture coordinates becomes as many vertices.
    pub positions: usize,
    /// The number of sets of texture coordinates.
    pub uv_sets: usize,
    /// These five are as in meshpeek_mesh_info.
    pub is_visible: bool,
    pub is_visual: bool,
    pub lod: i64,
    pub resolution: f32,
    pub model: usize,
}

// SAFETY: the pointers of a mesh are to memory that it owns and never changes. What its shapes borrow is held with them, and is
// shared by reference counts that threads may change.
unsafe impl Send for meshpeek_mesh {}
// SAFETY: as above.
unsafe impl Sync for meshpeek_mesh {}

fn primitives<'a>(asset: &'a Asset<'_>, budget: &Budget) -> Result<Primitives<'a>, Failure> {
    let mut list = Vec::new();
    for primitive in asset.primitives() {
        budget.charge_output(MESH_BYTES)?;
        list.push(primitive?);
    }
    Ok(list)
}

impl meshpeek_model {
    fn new(asset: &meshpeek_asset) -> Result<Self, Failure> {
        let budget = asset.budget();
        let parts = Parts::try_new(asset.view.clone(), |owner| primitives(owner.asset(), &budget))
            .map_err(|failure| asset.located(failure))?;
        let mut names = Vec::new();
        parts.with_dependent(|_, list| {
            for primitive in list {
                names.push(c_text(&Name::from(primitive.place.name).text));
            }
        });
        let count = names.len();
        Ok(Self { parts: Arc::new(parts), names, budget, count })
    }

    fn mesh(&self, index: usize) -> Result<meshpeek_mesh, Failure> {
        self.parts.with_dependent(|_, list| {
            let Some(primitive) = list.get(index) else { return Err(no_mesh(index, list.len())) };
            let mut mesh = meshpeek_mesh::new(primitive, &self.budget)?;
            mesh.morphs = match Morphs::new(&self.parts, index, primitive, &self.budget) {
                Err(Failure::Library(error)) if error.incomplete().is_none() => Err(error),
                morphs => Ok(morphs?),
            };
            Ok(mesh)
        })
    }

    fn facts(&self, index: usize) -> Result<meshpeek_mesh_facts, Failure> {
        self.parts.with_dependent(|_, list| {
            let Some(primitive) = list.get(index) else { return Err(no_mesh(index, list.len())) };
            let Some(name) = self.names.get(index) else { return Err(no_mesh(index, list.len())) };
            let place = primitive.place;
            let (lod, resolution) = lod_of(&place);
            Ok(meshpeek_mesh_facts {
                name: name.as_ptr(),
                positions: primitive.vertex_count()?,
                uv_sets: primitive.uv_sets()?,
                is_visible: place.visible,
                is_visual: place.is_visual(),
                lod,
                resolution,
                model: place.model,
            })
        })
    }
}

fn no_mesh(index: usize, count: usize) -> Failure {
    Failure::NotFound(format!("no mesh {index}: the model has {count}"))
}

/// Returns the index of a LOD, or -1, and its resolution.
fn lod_of(place: &geometry::Place<'_>) -> (i64, f32) {
    match place.lod {
        Some((index, resolution)) => (index_of(Some(index)), resolution),
        None => (-1, 0.0),
    }
}

impl meshpeek_mesh {
    fn new(primitive: &Primitive<'_>, budget: &Budget) -> Result<Self, Failure> {
        // The mesh belongs to the caller now, so the model does not count it any longer.
        let mesh = primitive.to_mesh(&budget.fork())?;
        let material = primitive.material()?;
        let place = primitive.place;
        let name = c_text(&Name::from(place.name).text);
        let lod_name = c_text(&place.lod_name().unwrap_or_default());
        let (lod, resolution) = lod_of(&place);
        let mut info = meshpeek_mesh_info {
            name: name.as_ptr(),
            vertices: mesh.positions.len(),
            indices: mesh.indices.len(),
            uv_sets: mesh.uvs.len(),
            has_normals: !mesh.normals.is_empty(),
            has_colors: !mesh.colors.is_empty(),
            has_joints: !mesh.joints.is_empty(),
            is_visible: place.visible,
            is_visual: place.is_visual(),
            lod,
            resolution,
            lod_name: lod_name.as_ptr(),
            model: place.model,
            left_out: mesh.left_out,
            has_material: false,
            color: [1.0; 4],
            emissive: [0.0; 3],
            specular: [0.0; 3],
            shininess: 0.0,
            alpha: meshpeek_alpha::Opaque,
            alpha_cutoff: 0.0,
            is_two_sided: false,
            is_unlit: false,
            uses_vertex_colors: false,
            textures: ptr::null(),
            texture_count: 0,
        };
        let mut textures = Vec::new();
        let mut texts = Vec::new();
        if let Some(material) = &material {
            info.set_material(material);
            for texture in &material.textures {
                let name = c_text(&Name::from(texture.name).text);
                textures.push(meshpeek_texture::new(texture, &name));
                texts.push(name);
            }
        }
        info.textures = textures.as_ptr();
        info.texture_count = textures.len();
        Ok(Self { mesh, name, lod_name, textures, _texts: texts, info, morphs: Ok(None) })
    }

    /// Returns an array of the mesh and its numbers a row, or `None` if the mesh has none. Every mesh has positions and
    /// indices, which may have 0 rows.
    fn floats(&self, attribute: i32, set: usize) -> Option<(&[f32], usize)> {
        let mesh = &self.mesh;
        Some(match attribute {
            a if a == meshpeek_attribute::Position as i32 => (mesh.positions.as_flattened(), 3),
            a if a == meshpeek_attribute::Normal as i32 => (some(mesh.normals.as_flattened())?, 3),
            a if a == meshpeek_attribute::Uv as i32 => (mesh.uvs.get(set)?.as_flattened(), 2),
            a if a == meshpeek_attribute::Color as i32 => (some(mesh.colors.as_flattened())?, 4),
            a if a == meshpeek_attribute::Weights as i32 => (some(mesh.weights.as_flattened())?, 4),
            _ => return None,
        })
    }

    fn integers(&self, attribute: i32) -> Option<(&[u32], usize)> {
        Some(match attribute {
            a if a == meshpeek_attribute::Joints as i32 => (some(self.mesh.joints.as_flattened())?, 4),
            a if a == meshpeek_attribute::Index as i32 => (&self.mesh.indices, 1),
            _ => return None,
        })
    }
}

/// Returns the numbers, or `None` if there are none.
fn some<T>(numbers: &[T]) -> Option<&[T]> {
    if numbers.is_empty() { None } else { Some(numbers) }
}

impl meshpeek_mesh_info {
    /// Sets the facts of the material, but for its textures.
    fn set_material(&mut self, material: &Material<'_>) {
        self.has_material = true;
        self.color = material.color;
        self.emissive = material.emissive;
        self.specular = material.specular;
        self.shininess = material.shininess;
        self.is_two_sided = material.two_sided;
        self.is_unlit = material.unlit;
        self.uses_vertex_colors = material.vertex_colors;
        self.alpha = match material.alpha {
            Alpha::Mask(least) => {
                self.alpha_cutoff = least;
                meshpeek_alpha::Mask
            }
            Alpha::Blend => meshpeek_alpha::Blend,
            Alpha::Add => meshpeek_alpha::Add,
            Alpha::Multiply => meshpeek_alpha::Multiply,
            Alpha::Image => meshpeek_alpha::Image,
            Alpha::Opaque => meshpeek_alpha::Opaque,
            // The library has no others. A new one is opaque until this interface names it.
            _ => meshpeek_alpha::Opaque,
        };
    }
}

impl meshpeek_texture {
    /// The name must live as long as the result is used.
    pub(crate) fn new(texture: &Texture<'_>, name: &CStr) -> Self {
        Self {
            name: name.as_ptr(),
            role: match texture.role {
                Role::Layer => meshpeek_role::Layer,
                Role::Lightmap => meshpeek_role::Lightmap,
                Role::Environment => meshpeek_role::Environment,
                Role::Base => meshpeek_role::Base,
                // The library has no others.
                _ => meshpeek_role::Base,
            },
            uv_set: u32::try_from(texture.uv_set).unwrap_or(u32::MAX),
            rotation: texture.transform.rotation,
            scale: texture.transform.scale,
            offset: texture.transform.offset,
            clamped: texture.clamped,
            is_black_clear: texture.is_black_clear,
        }
    }
}

/// Opens the meshes of a model. Nothing is decoded yet. Assets without triangles have none.
///
/// # Safety
/// `asset` is a live handle; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_model_open(
    asset: *const meshpeek_asset,
    out: *mut *mut meshpeek_model,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        place.put_handle(meshpeek_model::new(asset)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Returns the number of meshes.
///
/// # Safety
/// `model` is a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_model_mesh_count(model: *const meshpeek_model) -> usize {
    // SAFETY: as promised.
    let Some(model) = (unsafe { model.as_ref() }) else { return 0 };
    model.count
}

/// Frees the meshes of a model. Those that were opened stay valid.
///
/// # Safety
/// `model` is NULL or a live handle, not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_model_free(model: *mut meshpeek_model) {
    // SAFETY: as promised.
    unsafe { free(model) }
}

/// Stores facts about a mesh that are known before it is decoded. Fails with MESHPEEK_STATUS_NOT_FOUND if there is none
/// of this index.
///
/// # Safety
/// `model` is a live handle; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_model_mesh(
    model: *const meshpeek_model,
    index: usize,
    out: *mut meshpeek_mesh_facts,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let model = unsafe { borrow(model) }?;
        place.put(model.facts(index)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Decodes a mesh, within the limits of its asset. meshpeek_model_mesh tells beforehand whether it is wanted.
///
/// # Safety
/// `model` is a live handle; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_mesh_open(
    model: *const meshpeek_model,
    index: usize,
    out: *mut *mut meshpeek_mesh,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let model = unsafe { borrow(model) }?;
        place.put_handle(model.mesh(index)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Stores facts about a mesh.
///
/// # Safety
/// `mesh` is a live handle; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_mesh_describe(mesh: *const meshpeek_mesh, out: *mut meshpeek_mesh_info) {
    // SAFETY: as promised. The texts and textures that it points to do not move while the handle lives.
    let Some(mesh) = (unsafe { mesh.as_ref() }) else { return };
    let mut info = mesh.info;
    info.name = mesh.name.as_ptr();
    info.lod_name = mesh.lod_name.as_ptr();
    info.textures = mesh.textures.as_ptr();
    // SAFETY: as promised.
    if let Ok(place) = unsafe { Place::new(out) } {
        place.put(info);
    }
}

/// Copies an array of a mesh into the caller's buffer, one row every `stride` bytes, so that it can be a part of
/// interleaved vertices. `attribute` is a meshpeek_attribute, and `set` the set of texture coordinates, else 0. Fails
/// with MESHPEEK_STATUS_NOT_FOUND if the mesh has no such array, and with MESHPEEK_STATUS_ARGUMENT if the buffer does
/// not hold all rows. A mesh of 0 vertices has positions and indices of 0 rows, for which `buffer` may be NULL.
///
/// # Safety
/// `mesh` is a live handle; `buffer` is valid for writes of `size` bytes, `error` for a write or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_mesh_read(
    mesh: *const meshpeek_mesh,
    attribute: i32,
    set: usize,
    buffer: *mut c_void,
    size: usize,
    stride: usize,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let mesh = unsafe { borrow(mesh) }?;
        // SAFETY: as promised.
        let buffer = unsafe { uninit(buffer, size) }?;
        if let Some((list, width)) = mesh.floats(attribute, set) {
            return copy(list.iter().map(|float| float.to_ne_bytes()), width, stride, buffer);
        }
        if let Some((list, width)) = mesh.integers(attribute) {
            return copy(list.iter().map(|index| index.to_ne_bytes()), width, stride, buffer);
        }
        Err(Failure::NotFound("the mesh has no such array".to_owned()))
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Returns the caller's buffer. Bytes of any value are written to it, none are read.
///
/// # Safety
/// `buffer` is null or valid for writes of `size` bytes.
unsafe fn uninit<'b>(buffer: *mut c_void, size: usize) -> Result<&'b mut [MaybeUninit<u8>], Failure> {
    if buffer.is_null() && size == 0 {
        return Ok(&mut []);
    }
    if buffer.is_null() {
        return Err(Failure::Argument("the buffer is NULL"));
    }
    // SAFETY: as promised.
    Ok(unsafe { slice::from_raw_parts_mut(buffer.cast::<MaybeUninit<u8>>(), size) })
}

fn copy(
    mut numbers: impl ExactSizeIterator<Item = [u8; 4]>,
    width: usize,
    stride: usize,
    buffer: &mut [MaybeUninit<u8>],
) -> Result<(), Failure> {
    let rows = numbers.len() / width;
    let row_bytes = width * 4;
    if rows == 0 {
        return Ok(());
    }
    let needed = (rows - 1).saturating_mul(stride).saturating_add(row_bytes);
    if stride < row_bytes || needed > buffer.len() {
        return Err(Failure::Argument("the buffer does not hold all rows"));
    }
    for row in buffer.chunks_mut(stride).take(rows) {
        for (place, number) in zip(row.chunks_exact_mut(4).take(width), &mut numbers) {
            for (place, byte) in zip(place, number) {
                place.write(byte);
            }
        }
    }
    Ok(())
}

/// Returns the number of alternative shapes of a mesh: the frames of vertex animations of a LODka3D file. Other formats
/// have none.
///
/// # Safety
/// `mesh` is a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_mesh_morph_count(mesh: *const meshpeek_mesh) -> usize {
    // SAFETY: as promised.
    let Some(mesh) = (unsafe { mesh.as_ref() }) else { return 0 };
    match &mesh.morphs {
        Ok(Some(morphs)) => morphs.names.len(),
        _ => 0,
    }
}

/// Returns the name of the animation that a shape belongs to; may be empty. Valid until the mesh is freed.
///
/// # Safety
/// `mesh` is a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_mesh_morph_name(mesh: *const meshpeek_mesh, index: usize) -> *const c_char {
    // SAFETY: as promised.
    let Some(mesh) = (unsafe { mesh.as_ref() }) else { return c"".as_ptr() };
    let Ok(Some(morphs)) = &mesh.morphs else { return c"".as_ptr() };
    let Some(name) = morphs.names.get(index) else { return c"".as_ptr() };
    name.as_ptr()
}

/// Copies the positions of a shape into the caller's buffer: 3 floats for each vertex of the mesh, in its space, one
/// row every `stride` bytes. Fails with MESHPEEK_STATUS_NOT_FOUND if there is none of this index, and with the error of
/// the shapes if they are damaged.
///
/// # Safety
/// `mesh` is a live handle; `buffer` is valid for writes of `size` bytes, `error` for a write or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_mesh_read_morph(
    mesh: *const meshpeek_mesh,
    index: usize,
    buffer: *mut c_void,
    size: usize,
    stride: usize,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let mesh = unsafe { borrow(mesh) }?;
        // SAFETY: as promised.
        let buffer = unsafe { uninit(buffer, size) }?;
        let Some(morphs) = mesh.morphs.as_ref().map_err(Error::clone)? else { return Err(no_morph(index, 0)) };
        let positions = morphs.positions(index)?;
        copy(positions.as_flattened().iter().map(|float| float.to_ne_bytes()), 3, stride, buffer)
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Frees a mesh.
///
/// # Safety
/// `mesh` is NULL or a live handle, not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_mesh_free(mesh: *mut meshpeek_mesh) {
    // SAFETY: as promised.
    unsafe { free(mesh) }
}
