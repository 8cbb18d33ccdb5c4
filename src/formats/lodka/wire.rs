//! Records exactly as stored: packed, little-endian, at any alignment.

use zerocopy::little_endian::{F32, I16, I32, U16};

use super::codes::{
    BlendingMode, BodyType, ColliderType, Flag, ImageAlpha, JointType, LightStyle, PlayMode, TextureFormat,
    TextureMode, TextureWrap,
};
use crate::bytes::array::elements;
use crate::bytes::chunk::{Header, Tag};
pub(crate) use crate::bytes::math::Rotation;
use crate::bytes::{Color, Vec3};
use crate::record::{Framing, wire};

/// A 4x4 matrix: sixteen numbers in stored order.
pub(crate) type Matrix = [F32; 16];

wire! {
    /// The header of a chunk.
    ChunkHeader = 12 {
        /// The type of the chunk.
        #[label("ID")] tag: Framing<[u8; 4]>,
        /// Number of bytes after this header; negative only in damaged files.
        #[label("Size")] size: Framing<I32>,
        /// Number of items in the chunk; their type depends on the tag.
        #[label("Count")] count: Framing<I32>,
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
        #[label("BoneID")] bone: u8,
        /// The weight of the bone.
        #[label("Weight")] weight: F32,
    }

    /// One bone's weight for a vertex, in files of more than 127 bones.
    WideWeight = 6 rows {
        /// The bone in the low 15 bits; the top bit ends the vertex's list.
        #[label("BoneID")] bone: U16,
        /// The weight of the bone.
        #[label("Weight")] weight: F32,
    }

    /// The appearance of a material (`MaterialOptions`).
    MaterialOptions = 100 rows {
        /// Color in ambient light.
        #[label("Ambient")] ambient: Color,
        /// Color in direct light.
        #[label("Diffuse")] diffuse: Color,
        /// Emitted color.
        #[label("Emission")] emission: Color,
        /// Color of highlights.
        #[label("Specular")] specular: Color,
        /// Color of the texture environment.
        #[label("EnvColor")] environment: Color,
        /// Sharpness of highlights.
        #[rule(Range(0, 128))]
        #[label("Shininess")] shininess: u8,
        /// Factor for the image's brightness.
        #[label("ImageBrightness")] image_brightness: F32,
        /// Gamma of the image.
        #[label("ImageGamma")] image_gamma: F32,
        /// Height of the bumps in a normal map.
        #[label("NormalMapScale")] normal_map_scale: F32,
        /// How it blends with what is drawn behind it.
        #[label("BlendingMode")] blending_mode: BlendingMode,
        /// Source of the image's opacity.
        #[label("ImageAlpha")] image_alpha: ImageAlpha,
        /// How the image combines with the material's color.
        #[label("TextureMode")] texture_mode: TextureMode,
        /// The axes along which the image repeats.
        #[label("TextureWrap")] texture_wrap: TextureWrap,
        /// How the image is kept in video memory.
        #[label("TextureFormat")] texture_format: TextureFormat,
        /// True if the texture is drawn.
        #[label("TextureEnabled")] texture_enabled: Flag,
        /// True if the material is in use.
        #[label("Enabled")] enabled: Flag,
    }

    /// A collection of morph animations; its names, bones and frames are in tables after all records.
    MorphRecord = 28 rows {
        /// Number of bytes of its name.
        #[label("MCNameLen")] name_len: I32,
        /// Number of bytes of its collider's name.
        #[label("MCCollNameLen")] collider_name_len: I32,
        /// Number of bones.
        #[label("MCBonesCount")] bones: I32,
        /// Number of animations.
        #[label("MCAnimCount")] animations: I32,
        /// Its parent collection, -1 at the root.
        #[label("MCParentID")] parent: I32,
        /// The bone of that collection to which it is attached.
        #[label("MCParentBone")] parent_bone: I32,
        /// The collection whose data it uses, -1 for its own.
        #[label("MCProxyID")] proxy: I32,
    }

    /// [`MorphRecord`] with the 4-byte gap that the description's offset column implies.
    WideMorphRecord = 32 rows {
        /// Number of bytes of its name.
        #[label("MCNameLen")] name_len: I32,
        /// Number of bytes of its collider's name.
        #[label("MCCollNameLen")] collider_name_len: I32,
        /// Number of bones.
        #[label("MCBonesCount")] bones: I32,
        /// Number of animations.
        #[label("MCAnimCount")] animations: I32,
        /// Unknown.
        unknown: I32,
        /// Its parent collection, -1 at the root.
        #[label("MCParentID")] parent: I32,
        /// The bone of that collection to which it is attached.
        #[label("MCParentBone")] parent_bone: I32,
        /// The collection whose data it uses, -1 for its own.
        #[label("MCProxyID")] proxy: I32,
    }

    /// A bone of a morph collection.
    MorphBone = 8 rows {
        /// Number of bytes of its name.
        #[label("MCBoneNamesLen")] name_len: I32,
        /// Index of its parent among the collection's bones, -1 at the root.
        #[label("MCBoneParentID")] parent: I32,
    }

    /// An animation of a morph collection.
    MorphAnimation = 13 rows {
        /// Number of bytes of its name.
        #[label("MCAnimNameLen")] name_len: I32,
        /// How it plays.
        #[label("MCAnimMode")] mode: PlayMode,
        /// Milliseconds per frame.
        #[rule(Least(0))]
        #[label("MCAnimInterval")] interval: I32,
        /// Number of frames.
        #[label("MCAnimFramesCount")] frames: I32,
    }

    /// A bone's transform in one frame of a morph animation (`MCMatRotPos`).
    MorphMatrix = 48 rows {
        /// First row of the rotation.
        #[label("MCMatRotPos")] row_0: Vec3,
        /// Second row of the rotation.
        #[label("MCMatRotPos")] row_1: Vec3,
        /// Third row of the rotation.
        #[label("MCMatRotPos")] row_2: Vec3,
        /// Position.
        #[label("MCMatRotPos")] position: Vec3,
    }

    /// The bounds of a morph collection in one frame.
    MorphCollider = 40 rows {
        /// The corner with the smallest coordinates.
        #[label("MCMins")] min: Vec3,
        /// The corner with the largest coordinates.
        #[label("MCMaxs")] max: Vec3,
        /// The center.
        #[label("MCPosition")] position: Vec3,
        /// The radius around the center.
        #[label("MCRadius")] radius: F32,
    }

    /// A mesh with morphed vertices.
    MorphMeshRecord = 20 rows {
        /// Number of frames.
        #[label("MMFramesCount")] frames: I32,
        /// Number of vertices in each frame.
        #[label("MMVertexCount")] vertices: I32,
        /// Index of the mesh in MSL1.
        #[label("MMMeshIndex")] mesh: I32,
        /// Number of bytes of the mesh's name.
        #[label("MMMeshNameLen")] name_len: I32,
        /// Number of bytes of the collection's name.
        #[label("MMMorphColNameLen")] collection_name_len: I32,
    }

    /// A rigid body.
    Body = 78 rows {
        /// Its shape: one of the shapes that have mass.
        #[rule(Range(0, 4))]
        #[label("BodyTypeA")] kind: BodyType,
        /// Position.
        #[label("BodyPosition")] position: Vec3,
        /// Scale factors along the axes.
        #[label("BodyScale")] scale: Vec3,
        /// Orientation: a quaternion x, y, z, w.
        #[label("BodyRotation")] rotation: Rotation,
        /// The axis it is aligned with.
        #[rule(Range(0, 4))]
        #[label("BodyAxis")] axis: I32,
        /// Mass.
        #[label("BodyMass")] mass: F32,
        /// Density.
        #[label("BodyDensity")] density: F32,
        /// User-defined.
        #[label("isBodyTagFloat")] tag: F32,
        /// True if it takes part in the simulation.
        #[label("BodyEnabled")] enabled: Flag,
        /// True if gravity applies.
        #[label("isBodyGravity")] gravity: Flag,
        /// True if fast rotations are computed exactly.
        #[label("isBodyFinRotMode")] finite_rotation: Flag,
        /// True if it falls asleep at rest.
        #[label("isBodyAutoDisable")] auto_disable: Flag,
        /// True if the world's thresholds for rest apply.
        #[label("isBodyAutoDisableDef")] auto_disable_default: Flag,
        /// Speed below which it counts as at rest.
        #[label("BodyADLinearThr")] linear_threshold: F32,
        /// Angular speed below which it counts as at rest.
        #[label("BodyADAngularThr")] angular_threshold: F32,
        /// Time at rest before it falls asleep.
        #[label("BodyADisableTime")] auto_disable_time: F32,
        /// Steps at rest before it falls asleep.
        #[label("BodyADSteps")] auto_disable_steps: I32,
    }

    /// A collision shape.
    Geom = 70 rows {
        /// Its shape.
        #[label("GeomType")] kind: BodyType,
        /// The body it belongs to; -1 presumably for none.
        #[label("GeomBodyIndex")] body: I32,
        /// Position relative to the body.
        #[label("GeomPosition")] position: Vec3,
        /// Scale factors along the axes.
        #[label("GeomScale")] scale: Vec3,
        /// Orientation: a quaternion x, y, z, w.
        #[label("GeomRotation")] rotation: Rotation,
        /// The axis it is aligned with.
        #[rule(Range(0, 4))]
        #[label("GeomAxis")] axis: I32,
        /// Mass.
        #[label("GeomMass")] mass: F32,
        /// Density.
        #[label("GeomsDensity")] density: F32,
        /// Index of its first mesh link.
        #[label("GeomMeshLink")] mesh_link: I32,
        /// Number of its mesh links.
        #[label("GeomMeshLinkCount")] mesh_link_count: I32,
        /// User-defined.
        #[label("GeomsTagFloat")] tag: F32,
        /// True if it takes part in the simulation.
        #[label("GeomsEnabled")] enabled: Flag,
    }

    /// A joint between two bodies.
    Joint = 101 rows {
        /// How the bodies can move.
        #[label("JointType")] kind: JointType,
        /// One body; -1 presumably for none.
        #[label("Joint2BodyIndex")] body_1: I32,
        /// The other body; -1 presumably for none.
        #[label("Joint2BodyIndex")] body_2: I32,
        /// First axis: a quaternion x, y, z, w.
        #[label("JointAxis")] axis_1: Rotation,
        /// Second axis: a quaternion x, y, z, w.
        #[label("JointAxis")] axis_2: Rotation,
        /// Position.
        #[label("JointPosition")] position: Vec3,
        /// Lower stop.
        #[label("JointdParamLoStop")] lo_stop: F32,
        /// Upper stop.
        #[label("JointdParamHiStop")] hi_stop: F32,
        /// Target speed of the motor.
        #[label("JointdParamVel")] vel: F32,
        /// Maximum force of the motor.
        #[label("JointdParamFMax")] fmax: F32,
        /// Factor for the motor's force when leaving a stop.
        #[label("JointdParamFudgeFactor")] fudge_factor: F32,
        /// Bounciness of the stops.
        #[label("JointdParamBounce")] bounce: F32,
        /// Constraint force mixing between the stops.
        #[label("JointdParamCFM")] cfm: F32,
        /// Error reduction at the stops.
        #[label("JointdParamStopERP")] stop_erp: F32,
        /// Constraint force mixing at the stops.
        #[label("JointdParamStopCFM")] stop_cfm: F32,
        /// Error reduction of the suspension.
        #[label("JointdParamSuspensionERP")] suspension_erp: F32,
        /// Constraint force mixing of the suspension.
        #[label("JointdParamSuspensionCFM")] suspension_cfm: F32,
        /// User-defined.
        #[label("JointdTagFloat")] tag: F32,
    }

    /// A light.
    Light = 94 rows {
        /// True if it is on.
        #[label("Enabled")] enabled: Flag,
        /// Type of light.
        #[label("LigthStyle")] style: LightStyle,
        /// Position.
        #[label("Position")] position: Vec3,
        /// The direction of a spot.
        #[label("SpotDirection")] direction: Vec3,
        /// Ambient color.
        #[label("Ambient")] ambient: Color,
        /// Color of direct light.
        #[label("Diffuse")] diffuse: Color,
        /// Color of highlights.
        #[label("Specular")] specular: Color,
        /// Half opening angle of a spot in degrees, 0 to 90, or 180.
        #[label("SpotCutOff")] cutoff: F32,
        /// How fast a spot fades towards its rim.
        #[rule(Least(0))]
        #[label("SpotExponent")] exponent: F32,
        /// Attenuation that does not depend on distance.
        #[rule(Least(0))]
        #[label("ConstAtt")] constant_attenuation: F32,
        /// Attenuation proportional to distance.
        #[rule(Least(0))]
        #[label("LinearAtt")] linear_attenuation: F32,
        /// Attenuation proportional to the square of the distance.
        #[rule(Least(0))]
        #[label("QuadAtt")] quadratic_attenuation: F32,
    }

    /// An additional instance of a mesh.
    Proxy = 54 rows {
        /// Its parent proxy in this set, -1 at the root.
        #[label("ProxyParentIndex")] parent: I16,
        /// Index in MSL1 of the mesh it shows, -1 for none.
        #[label("SourceMeshIndex")] mesh: I16,
        /// Reserved, -1.
        #[rule(OneOf(&[-1]))]
        #[label("ProxyReserved1")] reserved_1: I16,
        /// Reserved, -1.
        #[rule(OneOf(&[-1]))]
        #[label("ProxyReserved2")] reserved_2: I16,
        /// Reserved, -1.
        #[rule(OneOf(&[-1]))]
        #[label("ProxyReserved3")] reserved_3: I16,
        /// Reserved, 0.
        #[rule(OneOf(&[0]))]
        #[label("ProxyReserved4")] reserved_4: I16,
        /// Position.
        #[label("ProxyPosition")] position: Vec3,
        /// Orientation: a quaternion x, y, z, w.
        #[label("ProxyRotation")] rotation: Rotation,
        /// Scale.
        #[label("ProxyScale")] scale: Vec3,
        /// True if it is drawn. The descendants of a hidden proxy are hidden too.
        #[label("ProxyVisible")] visible: Flag,
        /// True if the editor shows it expanded.
        #[label("ProxyExpanded")] expanded: Flag,
    }

    /// [`Proxy`] with the 2-byte gap that the description's offset column implies.
    WideProxy = 56 rows {
        /// Its parent proxy in this set, -1 at the root.
        #[label("ProxyParentIndex")] parent: I16,
        /// Unknown.
        unknown: I16,
        /// Index in MSL1 of the mesh it shows, -1 for none.
        #[label("SourceMeshIndex")] mesh: I16,
        /// Reserved, -1.
        #[label("ProxyReserved1")] reserved_1: I16,
        /// Reserved, -1.
        #[label("ProxyReserved2")] reserved_2: I16,
        /// Reserved, -1.
        #[label("ProxyReserved3")] reserved_3: I16,
        /// Reserved, 0.
        #[label("ProxyReserved4")] reserved_4: I16,
        /// Position.
        #[label("ProxyPosition")] position: Vec3,
        /// Orientation: a quaternion x, y, z, w.
        #[label("ProxyRotation")] rotation: Rotation,
        /// Scale.
        #[label("ProxyScale")] scale: Vec3,
        /// True if it is drawn. The descendants of a hidden proxy are hidden too.
        #[label("ProxyVisible")] visible: Flag,
        /// True if the editor shows it expanded.
        #[label("ProxyExpanded")] expanded: Flag,
    }

    /// A collision shape attached to a bone.
    Collider = 124 rows {
        /// The bone's id, not its index.
        #[label("ColBoneID")] bone: I16,
        /// Its shape.
        #[label("SkelCollType")] kind: ColliderType,
        /// Its transform relative to the bone. The author's loader takes elements 3, 7 and 11 as the scale; 12 to 14
        /// are presumably the position.
        #[label("CollMatrix")] matrix: Matrix,
        /// User-defined.
        #[label("ColTag")] tag: I32,
        /// User-defined.
        #[label("ColTagFloat")] tag_float: F32,
        /// True if it is drawn.
        #[label("ColVisible")] visible: Flag,
        /// First axis: a quaternion x, y, z, w.
        #[label("ColJointAxis1")] axis_1: Rotation,
        /// Smallest angle about the first axis.
        #[label("ColJointAxis1MinAngle")] min_angle_1: F32,
        /// Largest angle about the first axis.
        #[label("ColJointAxis1MaxAngle")] max_angle_1: F32,
        /// Second axis: a quaternion x, y, z, w.
        #[label("ColJointAxis2")] axis_2: Rotation,
        /// Smallest angle about the second axis.
        #[label("ColJointAxis2MinAngle")] min_angle_2: F32,
        /// Largest angle about the second axis.
        #[label("ColJointAxis2MaxAngle")] max_angle_2: F32,
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
