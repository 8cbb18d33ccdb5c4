//! Records exactly as stored: packed, little-endian, at any alignment.

use zerocopy::little_endian::{F32, I16, I32, U16};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::codes::{BlendingMode, ImageAlpha, TextureFormat, TextureMode, TextureWrap};
use super::codes::{BodyType, ColliderType, Field, Flag, JointType, LightStyle, PlayMode};
use crate::inspect::Outline;
use crate::view::chunk::{Header, Tag};
use crate::view::{Color, Column, Element, Scalar, Vec3};

/// A record that can tell its fields, and which of its codes have no meaning.
pub(crate) trait Record: Element {
    fn tell_fields(&self, out: &mut Outline<'_>);
    fn unknown_codes(&self, report: &mut dyn FnMut(&'static str, u8));
}

/// The columns of a list of fields, those of vectors one by one: `position_x`, `position_y`, `position_z`.
macro_rules! columns {
    ([$($done:expr,)*]) => { &[$($done),*] };
    ([$($done:expr,)*] $field:ident Vec3, $($rest:tt)*) => {
        columns!(@floats [$($done,)*] $field ["_x" "_y" "_z"] $($rest)*)
    };
    ([$($done:expr,)*] $field:ident Rotation, $($rest:tt)*) => {
        columns!(@floats [$($done,)*] $field ["_x" "_y" "_z" "_w"] $($rest)*)
    };
    ([$($done:expr,)*] $field:ident Color, $($rest:tt)*) => {
        columns!(@floats [$($done,)*] $field ["_r" "_g" "_b" "_a"] $($rest)*)
    };
    ([$($done:expr,)*] $field:ident Matrix, $($rest:tt)*) => {
        columns!(@floats [$($done,)*] $field ["_0" "_1" "_2" "_3" "_4" "_5" "_6" "_7" "_8" "_9" "_10" "_11" "_12" "_13" "_14" "_15"] $($rest)*)
    };
    ([$($done:expr,)*] $field:ident F32, $($rest:tt)*) => { columns!(@floats [$($done,)*] $field [""] $($rest)*) };
    ([$($done:expr,)*] $field:ident I32, $($rest:tt)*) => { columns!(@one [$($done,)*] $field I32 $($rest)*) };
    ([$($done:expr,)*] $field:ident I16, $($rest:tt)*) => { columns!(@one [$($done,)*] $field I16 $($rest)*) };
    ([$($done:expr,)*] $field:ident U16, $($rest:tt)*) => { columns!(@one [$($done,)*] $field U16 $($rest)*) };
    // A byte, or a code or flag in one.
    ([$($done:expr,)*] $field:ident $byte:ident, $($rest:tt)*) => { columns!(@one [$($done,)*] $field U8 $($rest)*) };
    (@one [$($done:expr,)*] $field:ident $scalar:ident $($rest:tt)*) => {
        columns!([$($done,)* Column::new(stringify!($field), Scalar::$scalar),] $($rest)*)
    };
    (@floats [$($done:expr,)*] $field:ident [$($suffix:literal)*] $($rest:tt)*) => {
        columns!([$($done,)* $(Column::new(concat!(stringify!($field), $suffix), Scalar::F32),)*] $($rest)*)
    };
}

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident = $size:literal { $($(#[$about:meta])* $field:ident: $kind:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
        #[repr(C)]
        pub struct $name { $($(#[$about])* pub $field: $kind),* }

        const _: () = assert!(size_of::<$name>() == $size);

        impl Element for $name {
            type Native = [u8; $size];
            const COLUMNS: &'static [Column] = columns!([] $($field $kind,)*);
        }

        impl Record for $name {
            fn tell_fields(&self, out: &mut Outline<'_>) {
                $(self.$field.tell(stringify!($field), out);)*
            }

            fn unknown_codes(&self, report: &mut dyn FnMut(&'static str, u8)) {
                $(if let Some(code) = self.$field.unknown() {
                    report(stringify!($field), code);
                })*
            }
        }
    )*};
}

/// A 4x4 matrix, sixteen numbers in the order stored.
pub type Matrix = [F32; 16];

/// What stands before a chunk's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct ChunkHeader {
    /// What the chunk is (`ID`).
    pub tag: [u8; 4],
    /// How many bytes follow this header; negative only in damaged files.
    pub size: I32,
    /// How many of what the chunk holds; what it counts depends on the tag.
    pub count: I32,
}

const _: () = assert!(size_of::<ChunkHeader>() == 12);

impl Header for ChunkHeader {
    fn tag(&self) -> Tag {
        Tag(self.tag)
    }

    /// A negative size reads as one of over 2 GiB, which no parent can hold.
    fn size_hint(&self) -> u32 {
        self.size.get().cast_unsigned()
    }
}

records! {
    /// A quaternion stored with its real part last.
    Rotation = 16 {
        /// The i part.
        x: F32,
        /// The j part.
        y: F32,
        /// The k part.
        z: F32,
        /// The real part.
        w: F32,
    }

    /// A bone's place in one frame of an animation, relative to its parent (`BonesRotPos`).
    Key = 24 {
        /// Position, in model units.
        position: Vec3,
        /// Euler angles about X, Y and Z, in radians.
        rotation: Vec3,
    }

    /// One bone's pull on a vertex, in files of up to 127 bones.
    NarrowWeight = 5 {
        /// The bone in the low 7 bits; the top bit closes the vertex's list.
        bone: u8,
        /// The share, 0 to 1.
        weight: F32,
    }

    /// One bone's pull on a vertex, in files of more than 127 bones.
    WideWeight = 6 {
        /// The bone in the low 15 bits; the top bit closes the vertex's list.
        bone: U16,
        /// The share, 0 to 1.
        weight: F32,
    }

    /// How a material looks (`MaterialOptions`).
    MaterialOptions = 100 {
        /// Colour in ambient light.
        ambient: Color,
        /// Colour in direct light.
        diffuse: Color,
        /// Light of its own.
        emission: Color,
        /// Colour of highlights.
        specular: Color,
        /// Colour of the texture environment (`EnvColor`).
        environment: Color,
        /// Sharpness of highlights, 0 to 128.
        shininess: u8,
        /// Factor on the image's brightness.
        image_brightness: F32,
        /// Gamma of the image.
        image_gamma: F32,
        /// Height of the bumps in a normal map.
        normal_map_scale: F32,
        /// How it covers what lies behind.
        blending_mode: BlendingMode,
        /// Where the image's opacity comes from.
        image_alpha: ImageAlpha,
        /// How the image meets the material's colour.
        texture_mode: TextureMode,
        /// Along which axes the image repeats.
        texture_wrap: TextureWrap,
        /// How the image is kept in video memory.
        texture_format: TextureFormat,
        /// Whether the texture is drawn.
        texture_enabled: Flag,
        /// Whether the material is in use.
        enabled: Flag,
    }

    /// A collection of morph animations; its names, bones and frames lie in tables behind all records.
    MorphRecord = 28 {
        /// Bytes of its name (`MCNameLen`).
        name_len: I32,
        /// Bytes of its collider's name (`MCCollNameLen`).
        collider_name_len: I32,
        /// How many bones (`MCBonesCount`).
        bones: I32,
        /// How many animations (`MCAnimCount`).
        animations: I32,
        /// The collection it hangs on, -1 at the root (`MCParentID`).
        parent: I32,
        /// The bone of that collection it hangs on (`MCParentBone`).
        parent_bone: I32,
        /// The collection whose data it uses, -1 for its own (`MCProxyID`).
        proxy: I32,
    }

    /// [`MorphRecord`] with the 4 bytes that the description's offset column leaves free.
    WideMorphRecord = 32 {
        /// As in the packed record.
        name_len: I32,
        /// As in the packed record.
        collider_name_len: I32,
        /// As in the packed record.
        bones: I32,
        /// As in the packed record.
        animations: I32,
        /// Unknown.
        unknown: I32,
        /// As in the packed record.
        parent: I32,
        /// As in the packed record.
        parent_bone: I32,
        /// As in the packed record.
        proxy: I32,
    }

    /// A bone of a morph collection.
    MorphBone = 8 {
        /// Bytes of its name (`MCBoneNamesLen`).
        name_len: I32,
        /// Its parent's position among the collection's bones, -1 at the root (`MCBoneParentID`).
        parent: I32,
    }

    /// An animation of a morph collection.
    MorphAnimation = 13 {
        /// Bytes of its name (`MCAnimNameLen`).
        name_len: I32,
        /// How it plays (`MCAnimMode`).
        mode: PlayMode,
        /// Milliseconds a frame (`MCAnimInterval`).
        interval: I32,
        /// How many frames (`MCAnimFramesCount`).
        frames: I32,
    }

    /// A bone's place in one frame of a morph animation (`MCMatRotPos`).
    MorphMatrix = 48 {
        /// First row of the rotation.
        row_0: Vec3,
        /// Second row of the rotation.
        row_1: Vec3,
        /// Third row of the rotation.
        row_2: Vec3,
        /// Position.
        position: Vec3,
    }

    /// The bounds of a morph collection in one frame.
    MorphCollider = 40 {
        /// The corner with the smallest coordinates (`MCMins`).
        min: Vec3,
        /// The corner with the largest coordinates (`MCMaxs`).
        max: Vec3,
        /// The centre.
        position: Vec3,
        /// The radius about the centre.
        radius: F32,
    }

    /// A mesh with morphed vertices.
    MorphMeshRecord = 20 {
        /// How many frames (`MMFramesCount`).
        frames: I32,
        /// How many vertices in each (`MMVertexCount`).
        vertices: I32,
        /// The mesh, counted in MSL1 (`MMMeshIndex`).
        mesh: I32,
        /// Bytes of the mesh's name (`MMMeshNameLen`).
        name_len: I32,
        /// Bytes of the collection's name (`MMMorphColNameLen`).
        collection_name_len: I32,
    }

    /// The head of PHS1.
    PhysicsHeader = 25 {
        /// The layout; 1 is known (`PhysType`).
        kind: u8,
        /// Bytes of all body names (`BodyNameLengnt`).
        body_names_len: I32,
        /// Bytes of all geom names (`GeomsNameLength`).
        geom_names_len: I32,
        /// How many mesh links.
        mesh_link_count: I32,
        /// How many bodies.
        body_count: I32,
        /// How many geoms.
        geom_count: I32,
        /// How many joints.
        joint_count: I32,
    }

    /// A rigid body.
    Body = 78 {
        /// Its shape, 0 to 4.
        kind: BodyType,
        /// Position.
        position: Vec3,
        /// Extents along the axes.
        scale: Vec3,
        /// Orientation.
        rotation: Rotation,
        /// The axis it is aligned with.
        axis: I32,
        /// Mass.
        mass: F32,
        /// Density.
        density: F32,
        /// For the user.
        tag: F32,
        /// Whether it takes part.
        enabled: Flag,
        /// Whether it falls.
        gravity: Flag,
        /// Whether fast turns are computed exactly.
        finite_rotation: Flag,
        /// Whether it falls asleep when at rest.
        auto_disable: Flag,
        /// Whether the world's thresholds of rest hold for it.
        auto_disable_default: Flag,
        /// Speed below which it counts as at rest.
        linear_threshold: F32,
        /// Turning speed below which it counts as at rest.
        angular_threshold: F32,
        /// Time at rest before it falls asleep.
        auto_disable_time: F32,
        /// Steps at rest before it falls asleep.
        auto_disable_steps: I32,
    }

    /// A shape that collides.
    Geom = 70 {
        /// Its shape, 0 to 9.
        kind: BodyType,
        /// The body it belongs to; -1 presumably for none.
        body: I32,
        /// Position.
        position: Vec3,
        /// Extents along the axes.
        scale: Vec3,
        /// Orientation.
        rotation: Rotation,
        /// The axis it is aligned with.
        axis: I32,
        /// Mass.
        mass: F32,
        /// Density.
        density: F32,
        /// The first of its mesh links (`GeomMeshLink`).
        mesh_link: I32,
        /// How many mesh links it has (`GeomMeshLinkCount`).
        mesh_link_count: I32,
        /// For the user.
        tag: F32,
        /// Whether it takes part.
        enabled: Flag,
    }

    /// What ties two bodies together.
    Joint = 101 {
        /// How the bodies can move.
        kind: JointType,
        /// One body; -1 presumably for none.
        body_1: I32,
        /// The other body; -1 presumably for none.
        body_2: I32,
        /// First axis.
        axis_1: Rotation,
        /// Second axis.
        axis_2: Rotation,
        /// Where it sits.
        position: Vec3,
        /// Lower stop.
        lo_stop: F32,
        /// Upper stop.
        hi_stop: F32,
        /// Speed that the motor wants.
        vel: F32,
        /// Force that the motor has.
        fmax: F32,
        /// Factor on the motor's force when leaving a stop.
        fudge_factor: F32,
        /// Bounciness of the stops, 0 to 1.
        bounce: F32,
        /// Constraint force mixing between the stops.
        cfm: F32,
        /// Error reduction at the stops.
        stop_erp: F32,
        /// Constraint force mixing at the stops.
        stop_cfm: F32,
        /// Error reduction of the suspension.
        suspension_erp: F32,
        /// Constraint force mixing of the suspension.
        suspension_cfm: F32,
        /// For the user.
        tag: F32,
    }

    /// A light.
    Light = 94 {
        /// Whether it shines.
        enabled: Flag,
        /// How it shines (`LigthStyle`).
        style: LightStyle,
        /// Position.
        position: Vec3,
        /// Where a spot points.
        direction: Vec3,
        /// Colour in the shade.
        ambient: Color,
        /// Colour of direct light.
        diffuse: Color,
        /// Colour of highlights.
        specular: Color,
        /// Half opening angle of a spot in degrees, 0 to 90, or 180.
        cutoff: F32,
        /// How fast a spot fades towards its rim.
        exponent: F32,
        /// Attenuation, the same everywhere.
        constant_attenuation: F32,
        /// Attenuation with distance.
        linear_attenuation: F32,
        /// Attenuation with the square of distance.
        quadratic_attenuation: F32,
    }

    /// A further appearance of a mesh at another place.
    Proxy = 54 {
        /// The proxy of this set it hangs on, -1 at the root (`ProxyParentIndex`).
        parent: I16,
        /// The mesh it shows, counted in MSL1, -1 for none (`SourceMeshIndex`).
        mesh: I16,
        /// Reserved, -1.
        reserved_1: I16,
        /// Reserved, -1.
        reserved_2: I16,
        /// Reserved, -1.
        reserved_3: I16,
        /// Reserved, 0.
        reserved_4: I16,
        /// Position.
        position: Vec3,
        /// Orientation.
        rotation: Rotation,
        /// Scale.
        scale: Vec3,
        /// Whether it is drawn.
        visible: Flag,
        /// Whether the editor shows it unfolded.
        expanded: Flag,
    }

    /// [`Proxy`] with the 2 bytes that the description's offset column leaves free.
    WideProxy = 56 {
        /// As in the packed record.
        parent: I16,
        /// Unknown.
        unknown: I16,
        /// As in the packed record.
        mesh: I16,
        /// As in the packed record.
        reserved_1: I16,
        /// As in the packed record.
        reserved_2: I16,
        /// As in the packed record.
        reserved_3: I16,
        /// As in the packed record.
        reserved_4: I16,
        /// As in the packed record.
        position: Vec3,
        /// As in the packed record.
        rotation: Rotation,
        /// As in the packed record.
        scale: Vec3,
        /// As in the packed record.
        visible: Flag,
        /// As in the packed record.
        expanded: Flag,
    }

    /// A shape that collides, tied to a bone.
    Collider = 124 {
        /// The bone's id, not its position (`ColBoneID`).
        bone: I16,
        /// Its shape (`SkelCollType`).
        kind: ColliderType,
        /// Its place. The author's loader takes elements 3, 7 and 11 as the scale; 12 to 14 are presumably the
        /// position.
        matrix: Matrix,
        /// For the user.
        tag: I32,
        /// For the user.
        tag_float: F32,
        /// Whether it is drawn.
        visible: Flag,
        /// First axis.
        axis_1: Rotation,
        /// Smallest angle about the first axis.
        min_angle_1: F32,
        /// Largest angle about the first axis.
        max_angle_1: F32,
        /// Second axis.
        axis_2: Rotation,
        /// Smallest angle about the second axis.
        min_angle_2: F32,
        /// Largest angle about the second axis.
        max_angle_2: F32,
    }
}

impl From<&WideMorphRecord> for MorphRecord {
    fn from(wide: &WideMorphRecord) -> Self {
        let &WideMorphRecord { name_len, collider_name_len, bones, animations, parent, parent_bone, proxy, .. } = wide;
        Self { name_len, collider_name_len, bones, animations, parent, parent_bone, proxy }
    }
}

impl From<&WideProxy> for Proxy {
    fn from(wide: &WideProxy) -> Self {
        let &WideProxy { parent, mesh, reserved_1, reserved_2, reserved_3, reserved_4, .. } = wide;
        let &WideProxy { position, rotation, scale, visible, expanded, .. } = wide;
        Self {
            parent,
            mesh,
            reserved_1,
            reserved_2,
            reserved_3,
            reserved_4,
            position,
            rotation,
            scale,
            visible,
            expanded,
        }
    }
}
