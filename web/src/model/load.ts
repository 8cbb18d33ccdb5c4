// Models as three.js draws them, from glTF or from plain triangles, with a surface for each material.
import * as three from 'three';
import { type GLTF, GLTFLoader, type GLTFLoaderPlugin, type GLTFParser } from 'three/examples/jsm/loaders/GLTFLoader.js';

import type { Current } from '../latest';
import type { Alpha, Glb, Keys, Mesh, Meshes, Missing, Motion, WantedTexture } from '../protocol';
import { eachInSteps, Steps } from '../steps';
import { t } from '../strings';
import { Surface, type SurfaceFacts } from './surface';

/** The most bytes that describe a glTF model. */
const mostDescription = 4 << 20;
/** The most nodes of a glTF model. The scene of more is felt each time that it is gone through. */
const mostNodes = 10_000;
/** Nodes that are loaded at once. */
const fewNodes = 500;
/** The most draw calls of other models. */
const mostDrawn = 10_000;

export interface Loaded {
  root: three.Group;
  clips: three.AnimationClip[];
  surfaces: Surface[];
  missing: Missing;
}

/** The parts of the description of a glTF file that are read here: its nodes, and which image a material has. */
interface Description {
  nodes?: unknown[];
  materials?: { alphaMode?: 'OPAQUE' | 'MASK' | 'BLEND'; alphaCutoff?: number; pbrMetallicRoughness?: { baseColorTexture?: { index: number } } }[];
  textures?: { source?: number }[];
}

/** Loads a glTF file whose images are single pixels. */
export async function loadGlb(facts: Glb, bytes: Uint8Array<ArrayBuffer>, current: Current): Promise<Loaded> {
  // The length of the description, which is parsed at once: without a limit the page would hang.
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true) > mostDescription) throw new Error(t('tooManyParts'));
  const loader = new GLTFLoader().register((parser) => new NodesInSteps(parser, current));
  const gltf = await current(loader.parseAsync(bytes.buffer, ''));
  const root = new three.Group();
  root.add(gltf.scene);
  const surfaces = new Map<three.Material, Surface>();
  await eachInSteps(meshesOf(root), (mesh, index) => {
    const material = mesh.material as three.MeshStandardMaterial;
    let surface = surfaces.get(material);
    if (!surface) {
      surface = new Surface(factsOf(gltf, material, facts.textures));
      surfaces.set(material, surface);
      material.dispose();
    }
    surface.add(mesh);
    mesh.userData.label = labelOf(mesh, surface.facts);
    mesh.userData.material = surface.facts.label;
    if (isOfLod(mesh)) mesh.userData.part = index;
  });
  return { root, clips: gltf.animations, surfaces: [...surfaces.values()], missing: facts };
}

/**
 * Loads many nodes of a model in steps. By itself, the loader makes all of them at once. Ends when a newer model is asked
 * for.
 */
class NodesInSteps implements GLTFLoaderPlugin {
  readonly name = 'nodes_in_steps';
  private readonly steps = new Steps();
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly parser: GLTFParser, private readonly current: Current) {}

  private get nodes(): number {
    return (this.parser.json as Description).nodes?.length ?? 0;
  }

  async beforeRoot() {
    if (this.nodes > mostNodes) throw new Error(t('tooManyNodes'));
  }

  loadNode(index: number): Promise<three.Object3D> | null {
    // The loader then loads it, in the order that gives equal names their numbers.
    if (this.nodes <= fewNodes) return null;
    this.turn = this.turn.then(() => this.current(this.steps.breathe()));
    return this.turn.then(() => this.parser.loadNode(index));
  }
}

function factsOf({ parser }: GLTF, material: three.MeshStandardMaterial, textures: WantedTexture[]): SurfaceFacts {
  const json = parser.json as Description;
  const index = parser.associations.get(material)?.materials;
  const stored = index === undefined ? undefined : json.materials?.[index];
  const texture = stored?.pbrMetallicRoughness?.baseColorTexture?.index;
  const image = texture === undefined ? undefined : json.textures?.[texture]?.source;
  const modes: Record<string, Alpha> = { MASK: 'mask', BLEND: 'blend' };
  const blend = material.userData.blend as Alpha | undefined;
  return {
    label: material.name,
    color: material.color.clone(),
    opacity: material.opacity,
    alpha: blend ?? modes[stored?.alphaMode ?? ''] ?? 'opaque',
    cutoff: stored?.alphaCutoff ?? 0.5,
    unlit: material instanceof three.MeshBasicMaterial,
    twoSided: material.side === three.DoubleSide,
    vertexColors: material.vertexColors,
    flat: material.flatShading,
    emissive: material.emissive?.clone(),
    texture: image === undefined ? undefined : textures[image],
    layout: material.map ?? plainLayout([false, false]),
  };
}

/**
 * The meshes of a level of detail have its name, so their surfaces tell them apart, and are the same ones in each level. The
 * loader invents names for the parts of a node.
 */
function labelOf(mesh: three.Mesh, surface: SurfaceFacts): string {
  const look = lastName(surface.texture?.name) || lastName(surface.label);
  if (isOfLod(mesh)) return look || t('noMaterial');
  const isInvented = /^mesh_\d+(_\d+)?$/.test(mesh.name);
  if (!isInvented && mesh.name) return mesh.name;
  return [mesh.parent?.name, look].filter(Boolean).join(' · ') || mesh.name || '—';
}

function isOfLod(mesh: three.Mesh): boolean {
  return mesh.userData.lod !== undefined || mesh.parent?.userData.lod !== undefined;
}

export function lastName(path = ''): string {
  return path.split(/[\\/]/).at(-1)!;
}

/** Loads triangles without the detour over glTF, for formats that have none. */
export function loadMeshes({ parts, ...missing }: Meshes, motion?: Motion): Loaded {
  if (parts.length > mostDrawn) throw new Error(t('tooManyParts'));
  const root = new three.Group();
  const skeleton = motion && skeletonOf(motion, root);
  const surfaces = new Map<string, Surface>();
  const isAnyShown = parts.some((part) => part.visible);
  for (const part of parts) {
    const facts = factsOfPart(part);
    const key = JSON.stringify([facts.label, facts.texture, part.color, part.alpha, part.clamped, part.unlit, part.two_sided]);
    let surface = surfaces.get(key);
    if (!surface) {
      surface = new Surface(facts);
      surfaces.set(key, surface);
    }
    const mesh = meshOf(part, skeleton);
    mesh.userData.label = part.name || lastName(part.texture?.name) || lastName(part.material) || t('noMaterial');
    mesh.userData.material = part.material;
    mesh.userData.part = part.part;
    mesh.userData.isHidden = !part.visible && isAnyShown;
    mesh.visible = !mesh.userData.isHidden;
    surface.add(mesh);
    root.add(mesh);
  }
  const clips = motion ? [clipOf(motion)] : [];
  return { root, clips, surfaces: [...surfaces.values()], missing };
}

function factsOfPart({ material, color, alpha, cutoff, unlit, two_sided, texture, clamped }: Mesh): SurfaceFacts {
  const [red, green, blue, opacity] = color ?? [1, 1, 1, 1];
  return {
    label: material ?? '',
    color: new three.Color(red, green, blue),
    opacity,
    alpha: alpha ?? 'opaque',
    cutoff: cutoff ?? 0.5,
    unlit: unlit ?? false,
    twoSided: two_sided ?? false,
    vertexColors: false,
    flat: false,
    texture,
    layout: plainLayout(clamped ?? [false, false]),
  };
}

function plainLayout([u, v]: [boolean, boolean]): three.Texture {
  const layout = new three.Texture();
  layout.wrapS = u ? three.ClampToEdgeWrapping : three.RepeatWrapping;
  layout.wrapT = v ? three.ClampToEdgeWrapping : three.RepeatWrapping;
  return layout;
}

function meshOf({ positions, normals, uvs, indices, joints, weights }: Mesh, skeleton: three.Skeleton | undefined): three.Mesh {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute('position', new three.BufferAttribute(positions, 3));
  if (normals.length > 0) geometry.setAttribute('normal', new three.BufferAttribute(normals, 3));
  if (uvs.length > 0) geometry.setAttribute('uv', new three.BufferAttribute(uvs, 2));
  geometry.setIndex(new three.BufferAttribute(indices, 1));
  if (normals.length === 0) geometry.computeVertexNormals();
  if (!skeleton || joints.length === 0) return new three.Mesh(geometry);
  geometry.setAttribute('skinIndex', new three.BufferAttribute(joints, 4));
  geometry.setAttribute('skinWeight', new three.BufferAttribute(weights, 4));
  const mesh = new three.SkinnedMesh(geometry);
  mesh.bindMode = three.DetachedBindMode;
  mesh.bind(skeleton, new three.Matrix4());
  return mesh;
}

/** Bones that move nothing at rest, and one more that never moves. */
function skeletonOf({ bones }: Motion, root: three.Group): three.Skeleton {
  const made: three.Bone[] = [];
  for (const [index, [name, parent]] of bones.entries()) {
    const bone = new three.Bone();
    bone.userData.name = name;
    bone.name = boneName(index);
    (parent === null ? root : made[parent]).add(bone);
    made.push(bone);
  }
  const resting = new three.Bone();
  root.add(resting);
  made.push(resting);
  return new three.Skeleton(made, made.map(() => new three.Matrix4()));
}

/** Names of the file may be equal, and clips find bones by name. */
function boneName(index: number): string {
  return `bone${index}`;
}

function clipOf({ tracks, seconds }: Motion): three.AnimationClip {
  const made: three.KeyframeTrack[] = [];
  for (const { bone, positions, rotations, scales } of tracks) {
    const name = boneName(bone);
    if (hasKeys(positions)) made.push(new three.VectorKeyframeTrack(`${name}.position`, positions.times, positions.values));
    if (hasKeys(rotations)) made.push(new three.QuaternionKeyframeTrack(`${name}.quaternion`, rotations.times, rotations.values));
    if (hasKeys(scales)) made.push(new three.VectorKeyframeTrack(`${name}.scale`, scales.times, scales.values));
  }
  return new three.AnimationClip('', seconds ?? -1, made);
}

/** Times that do not ascend, or numbers that are none, would stop the clip. */
function hasKeys({ times, values }: Keys): boolean {
  let last = -Infinity;
  for (const time of times) {
    if (!(time >= last)) return false;
    last = time;
  }
  return times.length > 0 && values.every(Number.isFinite);
}

export function meshesOf(root: three.Object3D): three.Mesh[] {
  const meshes: three.Mesh[] = [];
  root.traverse((object) => {
    if (object instanceof three.Mesh) meshes.push(object);
  });
  return meshes;
}

export function disposeLoaded({ root, surfaces }: Loaded) {
  for (const mesh of meshesOf(root)) {
    mesh.geometry.dispose();
    if (mesh instanceof three.SkinnedMesh) mesh.skeleton.dispose();
  }
  for (const surface of surfaces) surface.dispose();
}
