//! Records exactly as stored: packed, little-endian, at any alignment.

use zerocopy::little_endian::{F32, I16, I32, U16};

use super::codes::{
    BlendingMode, BodyType, ColliderType, Flag, ImageAlpha, JointType, LightStyle, PlayMode, TextureFormat,
    TextureMode, TextureWrap,
};
use crate::bytes::array::elements;
use crate::bytes::chunk::{Header, Tag};
pub use crate::bytes::math::Rotation;
use crate::bytes::{Color, Vec3};
use crate::record::{Framing, wire};

/// A 4x4 matrix: sixteen numbers in stored order.
pub type Matrix = [F32; 16];

wire! {
    /// The header of a chunk.
    ChunkHeader = 12 {
        /// The type of the chunk.
        tag: Framing<[u8; 4]> = "ID",
        /// Number of bytes after this header; negative only in damaged files.
        size: Framing<I32> = "Size",
        /// Number of items in the chunk; their type depends on the tag.
        count: Framing<I32> = "Count",
    }

    /// A bone's transform in one frame of an animation, relative to its parent (`BonesRotPos`).
    Key = 24 rows {
        /// Position, in model units.
        position: Vec3,
        /// Euler angles about X, Y and Z, in radians.
        rotation: Vec3,
    }

    /// One bone's weight for a vertex, in files of up to 127 bones.
    NarrowWeight = 5 rows {
        /// The bone in the low 7 bits; the top bit ends the vertex's list.
        bone: u8 = "BoneID",
        /// The weight of the bone.
        weight: F32 = "Weight",
    }

    /// One bone's weight for a vertex, in files of more than 127 bones.
    WideWeight = 6 rows {
        /// The bone in the low 15 bits; the top bit ends the vertex's list.
        bone: U16 = "BoneID",
        /// The weight of the bone.
        weight: F32 = "Weight",
    }

    /// The appearance of a material (`MaterialOptions`).
    MaterialOptions = 100 rows {
        /// Color in ambient light.
        ambient: Color = "Ambient",
        /// Color in direct light.
        diffuse: Color = "Diffuse",
        /// Emitted color.
        emission: Color = "Emission",
        /// Color of highlights.
        specular: Color = "Specular",
        /// Color of the texture environment.
        environment: Color = "EnvColor",
        /// Sharpness of highlights.
        #[rule(Range(0, 128))]
        shininess: u8 = "Shininess",
        /// Factor for the image's brightness.
        image_brightness: F32 = "ImageBrightness",
        /// Gamma of the image.
        image_gamma: F32 = "ImageGamma",
        /// Height of the bumps in a normal map.
        normal_map_scale: F32 = "NormalMapScale",
        /// How it blends with what is drawn behind it.
        blending_mode: BlendingMode = "BlendingMode",
        /// Source of the image's opacity.
        image_alpha: ImageAlpha = "ImageAlpha",
        /// How the image combines with the material's color.
        texture_mode: TextureMode = "TextureMode",
        /// The axes along which the image repeats.
        texture_wrap: TextureWrap = "TextureWrap",
        /// How the image is kept in video memory.
        texture_format: TextureFormat = "TextureFormat",
        /// True if the texture is drawn.
        texture_enabled: Flag = "TextureEnabled",
        /// True if the material is in use.
        enabled: Flag = "Enabled",
    }

    /// A collection of morph animations; its names, bones and frames are in tables after all records.
    MorphRecord = 28 rows {
        /// Number of bytes of its name.
        name_len: I32 = "MCNameLen",
        /// Number of bytes of its collider's name.
        collider_name_len: I32 = "MCCollNameLen",
        /// Number of bones.
        bones: I32 = "MCBonesCount",
        /// Number of animations.
        animations: I32 = "MCAnimCount",
        /// Its parent collection, -1 at the root.
        parent: I32 = "MCParentID",
        /// The bone of that collection to which it is attached.
        parent_bone: I32 = "MCParentBone",
        /// The collection whose data it uses, -1 for its own.
        proxy: I32 = "MCProxyID",
    }

    /// [`MorphRecord`] with the 4-byte gap that the description's offset column implies.
    WideMorphRecord = 32 rows {
        /// Number of bytes of its name.
        name_len: I32 = "MCNameLen",
        /// Number of bytes of its collider's name.
        collider_name_len: I32 = "MCCollNameLen",
        /// Number of bones.
        bones: I32 = "MCBonesCount",
        /// Number of animations.
        animations: I32 = "MCAnimCount",
        /// Unknown.
        unknown: I32,
        /// Its parent collection, -1 at the root.
        parent: I32 = "MCParentID",
        /// The bone of that collection to which it is attached.
        parent_bone: I32 = "MCParentBone",
        /// The collection whose data it uses, -1 for its own.
        proxy: I32 = "MCProxyID",
    }

    /// A bone of a morph collection.
    MorphBone = 8 rows {
        /// Number of bytes of its name.
        name_len: I32 = "MCBoneNamesLen",
        /// Index of its parent among the collection's bones, -1 at the root.
        parent: I32 = "MCBoneParentID",
    }

    /// An animation of a morph collection.
    MorphAnimation = 13 rows {
        /// Number of bytes of its name.
        name_len: I32 = "MCAnimNameLen",
        /// How it plays.
        mode: PlayMode = "MCAnimMode",
        /// Milliseconds per frame.
        #[rule(Least(0))]
        interval: I32 = "MCAnimInterval",
        /// Number of frames.
        frames: I32 = "MCAnimFramesCount",
    }

    /// A bone's transform in one frame of a morph animation (`MCMatRotPos`).
    MorphMatrix = 48 rows {
        /// First row of the rotation.
        row_0: Vec3 = "MCMatRotPos",
        /// Second row of the rotation.
        row_1: Vec3 = "MCMatRotPos",
        /// Third row of the rotation.
        row_2: Vec3 = "MCMatRotPos",
        /// Position.
        position: Vec3 = "MCMatRotPos",
    }

    /// The bounds of a morph collection in one frame.
    MorphCollider = 40 rows {
        /// The corner with the smallest coordinates.
        min: Vec3 = "MCMins",
        /// The corner with the largest coordinates.
        max: Vec3 = "MCMaxs",
        /// The center.
        position: Vec3 = "MCPosition",
        /// The radius around the center.
        radius: F32 = "MCRadius",
    }

    /// A mesh with morphed vertices.
    MorphMeshRecord = 20 rows {
        /// Number of frames.
        frames: I32 = "MMFramesCount",
        /// Number of vertices in each frame.
        vertices: I32 = "MMVertexCount",
        /// Index of the mesh in MSL1.
        mesh: I32 = "MMMeshIndex",
        /// Number of bytes of the mesh's name.
        name_len: I32 = "MMMeshNameLen",
        /// Number of bytes of the collection's name.
        collection_name_len: I32 = "MMMorphColNameLen",
    }

    /// A rigid body.
    Body = 78 rows {
        /// Its shape: one of the shapes that have mass.
        #[rule(Range(0, 4))]
        kind: BodyType = "BodyTypeA",
        /// Position.
        position: Vec3 = "BodyPosition",
        /// Scale factors along the axes.
        scale: Vec3 = "BodyScale",
        /// Orientation: a quaternion x, y, z, w.
        rotation: Rotation = "BodyRotation",
        /// The axis it is aligned with.
        #[rule(Range(0, 4))]
        axis: I32 = "BodyAxis",
        /// Mass.
        mass: F32 = "BodyMass",
        /// Density.
        density: F32 = "BodyDensity",
        /// User-defined.
        tag: F32 = "isBodyTagFloat",
        /// True if it takes part in the simulation.
        enabled: Flag = "BodyEnabled",
        /// True if gravity applies.
        gravity: Flag = "isBodyGravity",
        /// True if fast rotations are computed exactly.
        finite_rotation: Flag = "isBodyFinRotMode",
        /// True if it falls asleep at rest.
        auto_disable: Flag = "isBodyAutoDisable",
        /// True if the world's thresholds for rest apply.
        auto_disable_default: Flag = "isBodyAutoDisableDef",
        /// Speed below which it counts as at rest.
        linear_threshold: F32 = "BodyADLinearThr",
        /// Angular speed below which it counts as at rest.
        angular_threshold: F32 = "BodyADAngularThr",
        /// Time at rest before it falls asleep.
        auto_disable_time: F32 = "BodyADisableTime",
        /// Steps at rest before it falls asleep.
        auto_disable_steps: I32 = "BodyADSteps",
    }

    /// A collision shape.
    Geom = 70 rows {
        /// Its shape.
        kind: BodyType = "GeomType",
        /// The body it belongs to; -1 presumably for none.
        body: I32 = "GeomBodyIndex",
        /// Position relative to the body.
        position: Vec3 = "GeomPosition",
        /// Scale factors along the axes.
        scale: Vec3 = "GeomScale",
        /// Orientation: a quaternion x, y, z, w.
        rotation: Rotation = "GeomRotation",
        /// The axis it is aligned with.
        #[rule(Range(0, 4))]
        axis: I32 = "GeomAxis",
        /// Mass.
        mass: F32 = "GeomMass",
        /// Density.
        density: F32 = "GeomsDensity",
        /// Index of its first mesh link.
        mesh_link: I32 = "GeomMeshLink",
        /// Number of its mesh links.
        mesh_link_count: I32 = "GeomMeshLinkCount",
        /// User-defined.
        tag: F32 = "GeomsTagFloat",
        /// True if it takes part in the simulation.
        enabled: Flag = "GeomsEnabled",
    }

    /// A joint between two bodies.
    Joint = 101 rows {
        /// How the bodies can move.
        kind: JointType = "JointType",
        /// One body; -1 presumably for none.
        body_1: I32 = "Joint2BodyIndex",
        /// The other body; -1 presumably for none.
        body_2: I32 = "Joint2BodyIndex",
        /// First axis: a quaternion x, y, z, w.
        axis_1: Rotation = "JointAxis",
        /// Second axis: a quaternion x, y, z, w.
        axis_2: Rotation = "JointAxis",
        /// Position.
        position: Vec3 = "JointPosition",
        /// Lower stop.
        lo_stop: F32 = "JointdParamLoStop",
        /// Upper stop.
        hi_stop: F32 = "JointdParamHiStop",
        /// Target speed of the motor.
        vel: F32 = "JointdParamVel",
        /// Maximum force of the motor.
        fmax: F32 = "JointdParamFMax",
        /// Factor for the motor's force when leaving a stop.
        fudge_factor: F32 = "JointdParamFudgeFactor",
        /// Bounciness of the stops.
        bounce: F32 = "JointdParamBounce",
        /// Constraint force mixing between the stops.
        cfm: F32 = "JointdParamCFM",
        /// Error reduction at the stops.
        stop_erp: F32 = "JointdParamStopERP",
        /// Constraint force mixing at the stops.
        stop_cfm: F32 = "JointdParamStopCFM",
        /// Error reduction of the suspension.
        suspension_erp: F32 = "JointdParamSuspensionERP",
        /// Constraint force mixing of the suspension.
        suspension_cfm: F32 = "JointdParamSuspensionCFM",
        /// User-defined.
        tag: F32 = "JointdTagFloat",
    }

    /// A light.
    Light = 94 rows {
        /// True if it is on.
        enabled: Flag = "Enabled",
        /// Type of light.
        style: LightStyle = "LigthStyle",
        /// Position.
        position: Vec3 = "Position",
        /// The direction of a spot.
        direction: Vec3 = "SpotDirection",
        /// Ambient color.
        ambient: Color = "Ambient",
        /// Color of direct light.
        diffuse: Color = "Diffuse",
        /// Color of highlights.
        specular: Color = "Specular",
        /// Half opening angle of a spot in degrees, 0 to 90, or 180.
        cutoff: F32 = "SpotCutOff",
        /// How fast a spot fades towards its rim.
        #[rule(Least(0))]
        exponent: F32 = "SpotExponent",
        /// Attenuation that does not depend on distance.
        #[rule(Least(0))]
        constant_attenuation: F32 = "ConstAtt",
        /// Attenuation proportional to distance.
        #[rule(Least(0))]
        linear_attenuation: F32 = "LinearAtt",
        /// Attenuation proportional to the square of the distance.
        #[rule(Least(0))]
        quadratic_attenuation: F32 = "QuadAtt",
    }

    /// An additional instance of a mesh.
    Proxy = 54 rows {
        /// Its parent proxy in this set, -1 at the root.
        parent: I16 = "ProxyParentIndex",
        /// Index in MSL1 of the mesh it shows, -1 for none.
        mesh: I16 = "SourceMeshIndex",
        /// Reserved, -1.
        #[rule(OneOf(&[-1]))]
        reserved_1: I16 = "ProxyReserved1",
        /// Reserved, -1.
        #[rule(OneOf(&[-1]))]
        reserved_2: I16 = "ProxyReserved2",
        /// Reserved, -1.
        #[rule(OneOf(&[-1]))]
        reserved_3: I16 = "ProxyReserved3",
        /// Reserved, 0.
        #[rule(OneOf(&[0]))]
        reserved_4: I16 = "ProxyReserved4",
        /// Position.
        position: Vec3 = "ProxyPosition",
        /// Orientation: a quaternion x, y, z, w.
        rotation: Rotation = "ProxyRotation",
        /// Scale.
        scale: Vec3 = "ProxyScale",
        /// True if it is drawn. The descendants of a hidden proxy are hidden too.
        visible: Flag = "ProxyVisible",
        /// True if the editor shows it expanded.
        expanded: Flag = "ProxyExpanded",
    }

    /// [`Proxy`] with the 2-byte gap that the description's offset column implies.
    WideProxy = 56 rows {
        /// Its parent proxy in this set, -1 at the root.
        parent: I16 = "ProxyParentIndex",
        /// Unknown.
        unknown: I16,
        /// Index in MSL1 of the mesh it shows, -1 for none.
        mesh: I16 = "SourceMeshIndex",
        /// Reserved, -1.
        reserved_1: I16 = "ProxyReserved1",
        /// Reserved, -1.
        reserved_2: I16 = "ProxyReserved2",
        /// Reserved, -1.
        reserved_3: I16 = "ProxyReserved3",
        /// Reserved, 0.
        reserved_4: I16 = "ProxyReserved4",
        /// Position.
        position: Vec3 = "ProxyPosition",
        /// Orientation: a quaternion x, y, z, w.
        rotation: Rotation = "ProxyRotation",
        /// Scale.
        scale: Vec3 = "ProxyScale",
        /// True if it is drawn. The descendants of a hidden proxy are hidden too.
        visible: Flag = "ProxyVisible",
        /// True if the editor shows it expanded.
        expanded: Flag = "ProxyExpanded",
    }

    /// A collision shape attached to a bone.
    Collider = 124 rows {
        /// The bone's id, not its index.
        bone: I16 = "ColBoneID",
        /// Its shape.
        kind: ColliderType = "SkelCollType",
        /// Its transform relative to the bone. The author's loader takes elements 3, 7 and 11 as the scale; 12 to 14
        /// are presumably the position.
        matrix: Matrix = "CollMatrix",
        /// User-defined.
        tag: I32 = "ColTag",
        /// User-defined.
        tag_float: F32 = "ColTagFloat",
        /// True if it is drawn.
        visible: Flag = "ColVisible",
        /// First axis: a quaternion x, y, z, w.
        axis_1: Rotation = "ColJointAxis1",
        /// Smallest angle about the first axis.
        min_angle_1: F32 = "ColJointAxis1MinAngle",
        /// Largest angle about the first axis.
        max_angle_1: F32 = "ColJointAxis1MaxAngle",
        /// Second axis: a quaternion x, y, z, w.
        axis_2: Rotation = "ColJointAxis2",
        /// Smallest angle about the second axis.
        min_angle_2: F32 = "ColJointAxis2MinAngle",
        /// Largest angle about the second axis.
        max_angle_2: F32 = "ColJointAxis2MaxAngle",
    }
}

impl crate::base::sealed::Sealed for ChunkHeader {}

impl Header for ChunkHeader {
    fn tag(&self) -> Tag {
        Tag(*self.tag)
    }

    /// A negative size is returned as more than 2 GiB, which exceeds every parent.
    fn byte_len_hint(&self) -> u32 {
        self.size.get().cast_unsigned()
    }
}

elements! {
    Matrix = [f32; 16] {
        "0" F32, "1" F32, "2" F32, "3" F32, "4" F32, "5" F32, "6" F32, "7" F32,
        "8" F32, "9" F32, "10" F32, "11" F32, "12" F32, "13" F32, "14" F32, "15" F32,
    }
}

/// Drops the gap.
impl From<&WideMorphRecord> for MorphRecord {
    fn from(wide: &WideMorphRecord) -> Self {
        let &WideMorphRecord { name_len, collider_name_len, bones, animations, parent, parent_bone, proxy, .. } = wide;
        Self { name_len, collider_name_len, bones, animations, parent, parent_bone, proxy }
    }
}

/// Drops the gap.
impl From<&WideProxy> for Proxy {
    fn from(wide: &WideProxy) -> Self {
        Self {
            parent: wide.parent,
            mesh: wide.mesh,
            reserved_1: wide.reserved_1,
            reserved_2: wide.reserved_2,
            reserved_3: wide.reserved_3,
            reserved_4: wide.reserved_4,
            position: wide.position,
            rotation: wide.rotation,
            scale: wide.scale,
            visible: wide.visible,
            expanded: wide.expanded,
        }
    }
}
