//! What the LODs of each model have.

/// What a LOD is for, which decides what it stores.
#[derive(Clone, Copy, PartialEq)]
pub enum Use {
    /// Seen: most points differ, and some are repeated at seams.
    View,
    /// Casts shadows: faces share no points, so that each point is there several times.
    Shadow,
    /// For collisions and hits: few points, without texture coordinates.
    Solid,
}

/// What a LOD has.
#[derive(Clone, Copy)]
pub struct Shape {
    pub purpose: Use,
    pub resolution: f32,
    pub points: u16,
    pub faces: u16,
    pub selections: u16,
    /// The points of each selection; without them, it has sections.
    pub selected: u16,
    /// True if its selections have weights.
    pub is_weighted: bool,
}

const fn shape(purpose: Use, resolution: f32, [points, faces]: [u16; 2], [selections, selected]: [u16; 2]) -> Shape {
    Shape { purpose, resolution, points, faces, selections, selected, is_weighted: false }
}

/// One whose selections have weights.
const fn skin(purpose: Use, resolution: f32, sizes: [u16; 2], selections: [u16; 2]) -> Shape {
    Shape { is_weighted: true, ..shape(purpose, resolution, sizes, selections) }
}

pub const FENCE: &[Shape] = &[
    shape(Use::Shadow, 1.0, [3680, 1190], [0, 0]),
    shape(Use::Solid, 2.0, [104, 28], [0, 0]),
    shape(Use::Shadow, 10_000.0, [144, 192], [0, 0]),
    shape(Use::Solid, 1e13, [12, 12], [1, 12]),
    shape(Use::Solid, 1e15, [1, 0], [0, 0]),
    shape(Use::Solid, 6e15, [122, 48], [0, 0]),
];
pub const BOX: &[Shape] = &[shape(Use::Solid, 1e13, [8, 6], [9, 2])];
pub const BUILDING: &[Shape] = &[
    shape(Use::View, 1.0, [2494, 2758], [0, 0]),
    shape(Use::View, 2.0, [1458, 1336], [0, 0]),
    shape(Use::View, 3.0, [654, 542], [0, 0]),
    shape(Use::View, 4.0, [96, 74], [0, 0]),
    shape(Use::Shadow, 10_000.0, [198, 264], [0, 0]),
    shape(Use::Shadow, 10_010.0, [24, 32], [0, 0]),
    shape(Use::Solid, 1e13, [19, 23], [1, 19]),
    shape(Use::Solid, 6e15, [19, 23], [1, 19]),
    shape(Use::Solid, 7e15, [19, 23], [1, 19]),
    shape(Use::Solid, 1e15, [184, 66], [0, 0]),
    shape(Use::Solid, 4e15, [20, 8], [0, 0]),
];
pub const ANIMAL: &[Shape] = &[
    skin(Use::View, 1.0, [1777, 2652], [31, 100]),
    skin(Use::View, 2.0, [1107, 1356], [31, 78]),
    skin(Use::View, 3.0, [584, 680], [31, 43]),
    skin(Use::View, 4.0, [354, 376], [31, 27]),
    skin(Use::Shadow, 10_000.0, [2064, 2752], [31, 155]),
    skin(Use::Shadow, 10_010.0, [1128, 1504], [31, 88]),
    shape(Use::Solid, 1e13, [34, 48], [35, 2]),
    shape(Use::Solid, 1e15, [4, 0], [4, 1]),
    shape(Use::Solid, 2e15, [1, 0], [0, 0]),
    shape(Use::Solid, 7e15, [184, 184], [28, 8]),
    skin(Use::Shadow, 11_000.0, [2009, 688], [31, 150]),
    skin(Use::Shadow, 11_010.0, [1097, 376], [31, 85]),
];
pub const CHARACTER: &[Shape] = &[
    shape(Use::View, 1.0, [5599, 9065], [87, 0]),
    shape(Use::View, 2.0, [2951, 4390], [85, 0]),
    shape(Use::View, 3.0, [1553, 2143], [85, 0]),
    shape(Use::View, 4.0, [887, 1096], [83, 0]),
    shape(Use::View, 1100.0, [2974, 4533], [80, 0]),
    shape(Use::Shadow, 10_000.0, [4527, 6015], [88, 0]),
    shape(Use::Shadow, 10_010.0, [801, 1053], [36, 0]),
    shape(Use::Solid, 1e13, [42, 54], [44, 2]),
    shape(Use::Solid, 1e15, [53, 6], [58, 2]),
    shape(Use::Solid, 2e15, [1, 0], [0, 0]),
    shape(Use::Solid, 4e15, [12, 0], [18, 1]),
    shape(Use::Solid, 7e15, [148, 224], [34, 9]),
    shape(Use::Shadow, 11_000.0, [4436, 1509], [88, 0]),
    shape(Use::Shadow, 11_010.0, [786, 267], [36, 0]),
];
pub const PASSENGER: &[Shape] = &[
    shape(Use::Solid, 1000.0, [0, 0], [0, 0]),
    shape(Use::View, 1200.0, [6206, 5920], [76, 0]),
    shape(Use::Solid, 1100.0, [0, 0], [0, 0]),
    shape(Use::Solid, 1e13, [42, 54], [44, 2]),
    shape(Use::Solid, 1e15, [39, 2], [47, 1]),
    shape(Use::Solid, 2e15, [1, 0], [0, 0]),
    shape(Use::Solid, 4e15, [13, 0], [17, 1]),
    shape(Use::Solid, 7e15, [148, 224], [34, 9]),
    shape(Use::Solid, 6e15, [0, 0], [0, 0]),
];
