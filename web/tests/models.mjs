// Small models and images, made for tests and benches.
import { deflateSync } from 'node:zlib';

const crcs = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc >>> 0;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ crcs[(crc ^ byte) & 255];
  return (crc ^ 0xffffffff) >>> 0;
}

/** A PNG of this size whose pixels are `[red, green, blue, opacity]` of their place. */
export function png(width, height, pixel) {
  const rows = Buffer.alloc((1 + 4 * width) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(pixel(x, y), y * (1 + 4 * width) + 1 + 4 * x);
  }
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    return Buffer.concat([u32be(data.length), body, u32be(crc32(body))]);
  };
  const header = Buffer.concat([u32be(width), u32be(height), Buffer.from([8, 6, 0, 0, 0])]);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 1 })), chunk('IEND', Buffer.alloc(0))]);
}

export const plainPng = (...color) => png(4, 4, () => color);

function u32be(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

const i32 = (...numbers) => Buffer.from(Int32Array.from(numbers).buffer);
const f32 = (...numbers) => Buffer.from(Float32Array.from(numbers).buffer);
const text = (value) => Buffer.from(`${value}\0`, 'latin1');

function chunk(tag, ...parts) {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(tag, 'latin1'), i32(body.length), body]);
}

/** The corners of a square across the z axis: x, y, z and texture coordinates. */
function corners([x, y, z], size) {
  return [[x - size, y - size, z, 0, 1], [x + size, y - size, z, 1, 1], [x + size, y + size, z, 1, 0], [x - size, y + size, z, 0, 0]];
}

/**
 * A B3D file of squares: `{ texture, flags, fx, blend, alpha, at, size, turned, grid }` each, where all may be absent. With
 * `clip`, its node moves by one to the right in that number of frames. `pivots` is the number of further nodes, without a mesh.
 */
export function b3d(squares, { clip, pivots = 0 } = {}) {
  const textures = [...new Map(squares.filter(({ texture }) => texture).map((square) => [square.texture, square])).values()];
  const parts = [i32(1)];
  if (textures.length > 0) parts.push(chunk('TEXS', ...textures.map(({ texture, flags = 1 }) => Buffer.concat([text(texture), i32(flags, 2), f32(0, 0, 1, 1, 0)]))));
  const brushes = squares.map(({ texture, fx = 0, blend = 0, alpha = 1 }, index) => {
    const number = textures.findIndex((other) => other.texture === texture);
    return Buffer.concat([text(`brush${index}`), f32(1, 1, 1, alpha, 0), i32(blend, fx, number)]);
  });
  parts.push(chunk('BRUS', i32(1), ...brushes));
  const meshes = squares.map((square, index) => {
    const { at = [0, 0, 0], size = 1, turned = false, grid = 1 } = square;
    const vertices = [];
    const triangles = [];
    for (let row = 0; row < grid; row++) {
      for (let column = 0; column < grid; column++) {
        const step = size / grid;
        const first = vertices.length;
        const middle = [at[0] - size + step * (2 * column + 1), at[1] - size + step * (2 * row + 1), at[2]];
        for (const [x, y, z, u, v] of corners(middle, step)) vertices.push(f32(x, y, z, 0, 0, turned ? 1 : -1, u, v));
        const order = turned ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
        triangles.push(i32(...order.map((corner) => first + corner)));
      }
    }
    const mesh = chunk('MESH', i32(-1), chunk('VRTS', i32(1, 1, 2), ...vertices), chunk('TRIS', i32(index), ...triangles));
    const keys = clip ? [chunk('KEYS', i32(1), i32(0), f32(0, 0, 0), i32(clip), f32(1, 0, 0)), chunk('ANIM', i32(0, clip), f32(10))] : [];
    return chunk('NODE', text(`square${index}`), f32(0, 0, 0, 1, 1, 1, 1, 0, 0, 0), mesh, ...keys);
  });
  const pivot = chunk('NODE', text('pivot'), f32(0, 0, 0, 1, 1, 1, 1, 0, 0, 0));
  parts.push(chunk('NODE', text('root'), f32(0, 0, 0, 1, 1, 1, 1, 0, 0, 0), ...meshes, ...Array(pivots).fill(pivot)));
  return chunk('BB3D', ...parts);
}

/** An MLOD file of levels of detail: `{ resolution, squares: [{ texture, material, at, size }], selections: { name: [squares] } }` each. */
export function mlod(lods) {
  return Buffer.concat([Buffer.from('MLOD', 'latin1'), i32(257, lods.length), ...lods.map(mlodLevel)]);
}

function mlodLevel({ resolution, squares, selections = {} }) {
  const points = squares.flatMap(({ at = [0, 0, 0], size = 1 }) => corners(at, size));
  const faces = squares.map(({ texture = '', material = '' }, index) => {
    const parts = [i32(4)];
    // The order is that of the clock.
    for (const corner of [0, 3, 2, 1]) {
      const [, , , u, v] = points[4 * index + corner];
      parts.push(i32(4 * index + corner, 0), f32(u, v));
    }
    return Buffer.concat([...parts, i32(0), text(texture), text(material)]);
  });
  const tags = Object.entries(selections).map(([name, chosen]) => {
    const bytes = Buffer.alloc(points.length + faces.length);
    for (const square of chosen) {
      bytes.fill(1, 4 * square, 4 * square + 4);
      bytes[points.length + square] = 1;
    }
    return Buffer.concat([Buffer.from([1]), text(name), i32(bytes.length), bytes]);
  });
  const end = Buffer.concat([Buffer.from([1]), text('#EndOfFile#'), i32(0)]);
  return Buffer.concat([
    Buffer.from('P3DM', 'latin1'), i32(28, 256, points.length, 1, faces.length, 0),
    ...points.map(([x, y, z]) => Buffer.concat([f32(x, y, z), i32(0)])), f32(0, 0, -1),
    ...faces, Buffer.from('TAGG', 'latin1'), ...tags, end, f32(resolution),
  ]);
}

/** A plain RTM file: each bone moves to the right by the time. */
export function rtm(bones, times) {
  const name = (text) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(32)]).subarray(0, 32);
  const frames = times.map((time) => Buffer.concat([f32(time), ...bones.map((bone) => Buffer.concat([name(bone), f32(1, 0, 0, 0, 1, 0, 0, 0, 1, time, 0, 0)]))]));
  return Buffer.concat([Buffer.from('RTM_0101', 'latin1'), f32(0, 0, 0), i32(times.length, bones.length), ...bones.map(name), ...frames]);
}
