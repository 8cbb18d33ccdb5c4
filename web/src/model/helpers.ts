// Lines over a model: bounds, axes, ground, normals and bones.
import * as three from 'three';
import { VertexNormalsHelper } from 'three/examples/jsm/helpers/VertexNormalsHelper.js';

import { meshesOf } from './load';

export const helperNames = ['grid', 'axes', 'bounds', 'normals', 'bones'] as const;
export type HelperName = (typeof helperNames)[number];

/** Normals of more vertices would be a solid color, and take seconds. */
const mostNormals = 200_000;

export class Helpers {
  readonly group = new three.Group();
  readonly on: Record<HelperName, boolean> = { grid: true, axes: false, bounds: false, normals: false, bones: false };

  /** Makes all of them again, for what is visible of a model. Returns true if there are too many normals to be shown. */
  rebuild(root: three.Object3D, marked: three.Object3D | undefined): boolean {
    for (const helper of [...this.group.children]) {
      this.group.remove(helper);
      if (helper !== marked) (helper as three.LineSegments).dispose?.();
    }
    const box = boxOf(root);
    const size = box.getSize(new three.Vector3()).length();
    if (this.on.grid) this.group.add(ground(box, size));
    if (marked) this.group.add(marked);
    if (this.on.bounds) this.group.add(new three.Box3Helper(box, 0xd08000));
    if (this.on.axes) this.group.add(axes(box, size));
    const meshes = meshesOf(root).filter(isVisible);
    let isCut = false;
    if (this.on.normals) {
      let left = mostNormals;
      for (const mesh of meshes) {
        const normals = mesh.geometry.getAttribute('normal');
        if (!normals) continue;
        left -= normals.count;
        isCut ||= left < 0;
        if (left >= 0) this.group.add(new VertexNormalsHelper(mesh, size / 60, 0x00a0a0));
      }
    }
    // An animation alone has nothing else to be seen.
    if (this.on.bones || meshesOf(root).length === 0) this.group.add(new Bones(root));
    return isCut;
  }

  dispose() {
    for (const helper of this.group.children) (helper as three.LineSegments).dispose?.();
  }

  /** Follows a model that moves. */
  update() {
    for (const helper of this.group.children) if (helper instanceof Bones || helper instanceof VertexNormalsHelper) helper.update();
  }
}

/** True if lines between the nodes would be seen. */
export function hasBones(root: three.Object3D): boolean {
  const bones = new Bones(root);
  const box = new three.Box3().setFromBufferAttribute(bones.geometry.getAttribute('position') as three.BufferAttribute);
  bones.dispose();
  return !box.isEmpty() && box.getSize(new three.Vector3()).length() > 0;
}

export function isVisible(mesh: three.Mesh): boolean {
  return mesh.visible;
}

/** A box around what is visible, or around the bones of an animation. */
export function boxOf(root: three.Object3D): three.Box3 {
  const box = new three.Box3();
  root.updateMatrixWorld(true);
  for (const mesh of meshesOf(root)) if (mesh.visible) box.expandByObject(mesh);
  const place = new three.Vector3();
  if (box.isEmpty()) root.traverse((object) => box.expandByPoint(object.getWorldPosition(place)));
  const isFinite = [...box.min.toArray(), ...box.max.toArray()].every(Number.isFinite);
  if (isFinite && !box.isEmpty()) return box;
  return new three.Box3(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1));
}

/** Squares of a round length below a model. */
function ground(box: three.Box3, size: number): three.Object3D {
  const square = 10 ** Math.round(Math.log10(Math.max(size, 1e-3) / 8));
  const squares = Math.min(60, 2 * Math.ceil(size / square));
  const grid = new three.GridHelper(squares * square, squares, 0x404850, 0x69727c);
  const center = box.getCenter(new three.Vector3());
  grid.position.set(Math.round(center.x / square) * square, box.min.y, Math.round(center.z / square) * square);
  return grid;
}

/** In the middle of the model and in front of it. */
function axes(box: three.Box3, size: number): three.Object3D {
  const axes = new three.AxesHelper(size / 2 || 1);
  box.getCenter(axes.position);
  (axes.material as three.Material).depthTest = false;
  axes.renderOrder = 1;
  return axes;
}

/** Lines from each node to the one around it. */
class Bones extends three.LineSegments {
  private readonly pairs: [three.Object3D, three.Object3D][] = [];

  constructor(root: three.Object3D) {
    super(new three.BufferGeometry(), new three.LineBasicMaterial({ color: 0xc03080, depthTest: false }));
    root.traverse((object) => {
      if (object !== root && object.parent && object.parent !== root && !(object instanceof three.Mesh)) this.pairs.push([object.parent, object]);
    });
    this.geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(this.pairs.length * 6), 3));
    this.frustumCulled = false;
    this.renderOrder = 1;
    this.update();
  }

  update() {
    const place = new three.Vector3();
    const positions = this.geometry.getAttribute('position');
    this.pairs.forEach(([from, to], index) => {
      from.getWorldPosition(place);
      positions.setXYZ(2 * index, place.x, place.y, place.z);
      to.getWorldPosition(place);
      positions.setXYZ(2 * index + 1, place.x, place.y, place.z);
    });
    positions.needsUpdate = true;
  }

  dispose() {
    this.geometry.dispose();
    (this.material as three.Material).dispose();
  }
}
