//! Models of boxes, tubes and sheets, and how each format stores them.
//!
//! A shape is defined once, in world space: right-handed, y up, fronts counterclockwise, v downwards, meters. A model
//! faces z. `letters` says how the formats differ.

use super::bytes::Bytes;
use super::odol::{Array, Lod};
use super::{b3d, bmx, lodka, mlod};

pub type Point = [f32; 3];

#[derive(Clone, Copy, PartialEq)]
pub struct Corner {
    pub point: Point,
    pub normal: Point,
    pub uv: [f32; 2],
}

/// A triangle or a quad.
#[derive(Clone)]
pub struct Face {
    pub corners: Vec<Corner>,
    /// The number of its image.
    pub image: usize,
    /// The number of the part of the model that it belongs to, such as a bone.
    pub part: u8,
}

/// A part of an image: left, top, right, bottom.
pub type Rect = [f32; 4];

pub const ALL: Rect = [0.0, 0.0, 1.0, 1.0];

/// Faces, and the image and part of those that come.
#[derive(Clone, Default)]
pub struct Shape {
    pub faces: Vec<Face>,
    pub image: usize,
    pub part: u8,
}

pub fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn times(a: Point, by: f32) -> Point {
    a.map(|axis| axis * by)
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn unit(a: Point) -> Point {
    let length = a.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
    times(a, 1.0 / length.max(f32::MIN_POSITIVE))
}

/// The normal of the face of three points.
fn normal([a, b, c]: [Point; 3]) -> Point {
    unit(cross(add(b, times(a, -1.0)), add(c, times(a, -1.0))))
}

impl Shape {
    pub fn image(&mut self, image: usize) -> &mut Self {
        self.image = image;
        self
    }

    pub fn part(&mut self, part: u8) -> &mut Self {
        self.part = part;
        self
    }

    fn face(&mut self, corners: Vec<Corner>) {
        self.faces.push(Face { corners, image: self.image, part: self.part });
    }

    /// A flat quad, from the lower left on.
    pub fn quad(&mut self, points: [Point; 4], [left, top, right, bottom]: Rect) {
        let normal = normal([points[0], points[1], points[2]]);
        let uvs = [[left, bottom], [right, bottom], [right, top], [left, top]];
        self.face(std::iter::zip(points, uvs).map(|(point, uv)| Corner { point, normal, uv }).collect());
    }

    pub fn triangle(&mut self, points: [Point; 3], uvs: [[f32; 2]; 3]) {
        let normal = normal(points);
        self.face(std::iter::zip(points, uvs).map(|(point, uv)| Corner { point, normal, uv }).collect());
    }

    /// A box on its bottom: the middle of the bottom, width, height and depth, the image of front and back, and that of
    /// the other sides.
    pub fn cuboid(&mut self, [x, y, z]: Point, [width, height, depth]: Point, front: Rect, sides: Rect) {
        let (left, right) = (x - width / 2.0, x + width / 2.0);
        let (back, near) = (z - depth / 2.0, z + depth / 2.0);
        let (below, above) = (y, y + height);
        let upright = |[a, b]: [[f32; 2]; 2]| {
            [[a[0], below, a[1]], [b[0], below, b[1]], [b[0], above, b[1]], [a[0], above, a[1]]]
        };
        self.quad(upright([[left, near], [right, near]]), front);
        self.quad(upright([[right, back], [left, back]]), front);
        self.quad(upright([[right, near], [right, back]]), sides);
        self.quad(upright([[left, back], [left, near]]), sides);
        self.quad([[left, above, near], [right, above, near], [right, above, back], [left, above, back]], sides);
        self.quad([[left, below, back], [right, below, back], [right, below, near], [left, below, near]], sides);
    }

    /// A round tube from one end to the other.
    pub fn tube(&mut self, ends: [Point; 2], radii: [f32; 2], sides: usize, repeats: [f32; 2]) {
        let along = unit(add(ends[1], times(ends[0], -1.0)));
        let aside = unit(cross(along, if along[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] }));
        let other = cross(along, aside);
        let corner = |step: usize, end: usize| {
            let angle = std::f32::consts::TAU * step as f32 / sides as f32;
            let normal = add(times(aside, angle.cos()), times(other, angle.sin()));
            let point = add(ends[end], times(normal, radii[end]));
            let uv = [repeats[0] * step as f32 / sides as f32, if end == 0 { repeats[1] } else { 0.0 }];
            Corner { point, normal, uv }
        };
        for step in 0..sides {
            self.face(vec![corner(step, 0), corner(step + 1, 0), corner(step + 1, 1), corner(step, 1)]);
        }
    }

    /// A ball of rings.
    pub fn ball(&mut self, middle: Point, radius: f32, sides: usize) {
        let corner = |step: usize, ring: usize| {
            let [turn, height] = [step as f32 / sides as f32, ring as f32 / (sides / 2) as f32];
            let [angle, tilt] = [turn * std::f32::consts::TAU, height * std::f32::consts::PI];
            let normal = unit([angle.sin() * tilt.sin(), -tilt.cos(), angle.cos() * tilt.sin()]);
            Corner { point: add(middle, times(normal, radius)), normal, uv: [turn, 1.0 - height] }
        };
        for ring in 0..sides / 2 {
            for step in 0..sides {
                let mut corners = vec![
                    corner(step, ring),
                    corner(step + 1, ring),
                    corner(step + 1, ring + 1),
                    corner(step, ring + 1),
                ];
                match ring {
                    0 => drop(corners.remove(1)),
                    _ if ring + 1 == sides / 2 => drop(corners.remove(2)),
                    _ => {}
                }
                self.face(corners);
            }
        }
    }

    /// A square sheet around `middle`; `right` and `up` are half its sides. Its normals are `out`, the direction away from
    /// the middle of the crown, so that the leaves of a crown are lit like one ball.
    pub fn leaf(&mut self, middle: Point, [right, up]: [Point; 2], out: Point) {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[across, above]: [f32; 2]| Corner {
            point: add(middle, add(times(right, across), times(up, above))),
            normal: unit(out),
            uv: [(1.0 + across) / 2.0, (1.0 - above) / 2.0],
        });
        self.face(corners.to_vec());
    }

    /// Its vertices, each once, and of each face their numbers.
    fn indexed(&self) -> (Vec<Corner>, Vec<Vec<u32>>) {
        let mut vertices: Vec<Corner> = Vec::new();
        let mut faces = Vec::new();
        for face in &self.faces {
            let mut numbers = Vec::new();
            for corner in &face.corners {
                let number = vertices.iter().position(|vertex| vertex == corner).unwrap_or(vertices.len());
                if number == vertices.len() {
                    vertices.push(*corner);
                }
                numbers.push(number as u32);
            }
            faces.push(numbers);
        }
        (vertices, faces)
    }

    /// The triangles of the faces with this image.
    fn triangles(&self, faces: &[Vec<u32>], image: usize, is_clockwise: bool) -> Vec<[u32; 3]> {
        let mut list = Vec::new();
        for (face, numbers) in std::iter::zip(&self.faces, faces).filter(|(face, _)| face.image == image) {
            for last in 2..face.corners.len() {
                let [a, b, c] = [numbers[0], numbers[last - 1], numbers[last]];
                list.push(if is_clockwise { [a, c, b] } else { [a, b, c] });
            }
        }
        list
    }

    fn images(&self) -> usize {
        self.faces.iter().map(|face| face.image + 1).max().unwrap_or(0)
    }

    /// The numbers of the vertices of a part.
    pub fn vertices_of(&self, part: u8) -> Vec<u16> {
        let (_, faces) = self.indexed();
        let of = std::iter::zip(&self.faces, faces).filter(|(face, _)| face.part == part);
        let mut list: Vec<u16> = of.flat_map(|(_, numbers)| numbers).map(|number| number as u16).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// A mesh of Blitz3D. The brush of a face has the number of its image.
    pub fn b3d(&self) -> Bytes {
        let (vertices, faces) = self.indexed();
        let mut own = Bytes::new().u32(1).u32(1).u32(2);
        for Corner { point, normal, uv } in vertices {
            own = own.f32s(mirrored(point)).f32s(mirrored(normal)).f32s(uv);
        }
        let mut parts = vec![b3d::chunk(b"VRTS", own)];
        for image in 0..self.images() {
            let list = self.triangles(&faces, image, true);
            let list: Vec<[i32; 3]> = list.into_iter().map(|triangle| triangle.map(|number| number as i32)).collect();
            if !list.is_empty() {
                parts.push(b3d::triangles(image as i32, &list));
            }
        }
        b3d::mesh(-1, parts)
    }

    /// A LOD of a model as its author edits it. Names of a texture and a material for each image.
    pub fn mlod(&self, resolution: f32, names: &[[&str; 2]], parts: &[&str]) -> Bytes {
        let (vertices, faces) = self.indexed();
        let count = vertices.len() as u32;
        let mut bytes = Bytes::new().raw(b"P3DM").u32(28).u32(256);
        bytes = bytes.u32(count).u32(count).u32(faces.len() as u32).u32(0);
        bytes = vertices.iter().fold(bytes, |all, vertex| all.f32s(turned(vertex.point)).u32(0));
        for vertex in &vertices {
            bytes = bytes.f32s(turned(times(vertex.normal, -1.0)));
        }
        for (face, numbers) in std::iter::zip(&self.faces, &faces) {
            bytes = bytes.u32(numbers.len() as u32);
            for corner in 0..4 {
                let number = numbers.get(corner).copied().unwrap_or(0);
                let uv = face.corners.get(corner).map_or([0.0; 2], |corner| corner.uv);
                bytes = bytes.u32(number).u32(number).f32s(uv);
            }
            let [texture, material] = names[face.image];
            bytes = bytes.u32(0).cstr(texture).cstr(material);
        }
        bytes = bytes.raw(b"TAGG");
        for (part, name) in (0_u8..).zip(parts) {
            let own = self.vertices_of(part);
            let points = (0..count).map(|number| u8::from(own.contains(&(number as u16))));
            let faces = self.faces.iter().map(|face| u8::from(face.part == part));
            bytes = bytes.part(&mlod::tag(name, &points.chain(faces).collect::<Vec<u8>>()));
        }
        bytes.part(&mlod::tag("#EndOfFile#", b"")).f32(resolution)
    }

    /// A LOD of a model as the game reads it. Coordinates of images are between 0 and 1.
    pub fn odol(&self, resolution: f32, textures: &[&'static str]) -> Lod {
        let (vertices, faces) = self.indexed();
        let number = |at: f32, least: f32, most: f32| ((at - least) / (most - least) * 65534.0 - 32767.0) as i16;
        let uv = |corner: &Corner| [number(corner.uv[0], 0.0, 1.0), number(corner.uv[1], -1.0, 3.0)];
        let mut lod = Lod::strip(resolution, vertices.len() as u16);
        lod.textures = textures.to_vec();
        lod.material_name = "";
        (lod.faces, lod.sections) = (Vec::new(), Vec::new());
        for image in 0..self.images() {
            let before = lod.faces.len();
            for (face, numbers) in std::iter::zip(&self.faces, &faces).filter(|(face, _)| face.image == image) {
                let order: &[usize] = if face.corners.len() == 3 { &[0, 2, 1] } else { &[0, 3, 2, 1] };
                lod.faces.push(order.iter().map(|&corner| numbers[corner] as u16).collect());
            }
            lod.sections.push((lod.faces.len() - before, image as i16, -1));
        }
        lod.uvs = vec![Array::Each(vertices.iter().map(uv).collect())];
        lod.positions = vertices.iter().map(|vertex| turned(vertex.point)).collect();
        let normal = |corner: &Corner| turned(corner.normal).map(|axis| (axis * 511.0).round() as i32);
        lod.normals = Array::Each(vertices.iter().map(normal).collect());
        lod
    }

    /// A mesh of LODka3D. A group of faces for each image, whose material has its name.
    pub fn lodka(&self, name: &str, materials: &[&str]) -> Bytes {
        let (vertices, faces) = self.indexed();
        let count = vertices.len();
        let floats = |all: Vec<f32>| all.into_iter().fold(Bytes::new().i32(count as i32), Bytes::f32);
        let positions = floats(vertices.iter().flat_map(|vertex| vertex.point).collect());
        let normals = floats(vertices.iter().flat_map(|vertex| vertex.normal).collect());
        let uvs = floats(vertices.iter().flat_map(|vertex| [vertex.uv[0], 1.0 - vertex.uv[1]]).collect());
        let mesh = lodka::text(name).u8(0).u8(3).u8(1).part(&positions).part(&normals).u8(1).part(&uvs).i32(0).i32(0);
        let mut mesh = mesh.i32(materials.len() as i32);
        for (image, material) in materials.iter().enumerate() {
            let all: Vec<u32> = self.triangles(&faces, image, false).into_flattened();
            let numbers = all.iter().fold(Bytes::new().i32(all.len() as i32), |bytes, &number| match count {
                0..=256 => bytes.u8(number as u8),
                _ => bytes.raw((number as u16).to_le_bytes()),
            });
            let group = Bytes::new().i32(2).u8(0).part(&lodka::text("")).u8(1).part(&lodka::text(material));
            mesh = mesh.part(&group.part(&numbers).i32(0).part(&numbers).part(&numbers));
        }
        lodka::chunk(b"MSH1", materials.len() as i32, mesh)
    }

    /// A mesh of a Ballance map. The material of a face has the number of its image.
    pub fn bmx(&self, name: &'static str) -> bmx::Mesh {
        let (vertices, faces) = self.indexed();
        let mut list = Vec::new();
        for image in 0..self.images() {
            for triangle in self.triangles(&faces, image, true) {
                list.push((triangle.map(|number| [number; 3]), Some(image as u32)));
            }
        }
        bmx::Mesh {
            name,
            positions: vertices.iter().map(|vertex| mirrored(vertex.point)).collect(),
            uvs: vertices.iter().map(|vertex| vertex.uv).collect(),
            normals: vertices.iter().map(|vertex| mirrored(vertex.normal)).collect(),
            faces: list,
        }
    }
}

fn mirrored([x, y, z]: Point) -> Point {
    [-x, y, z]
}

/// The space of Arma, whose models face against z.
fn turned([x, y, z]: Point) -> Point {
    [x, y, -z]
}
