// The view of a model, drawn by three.js. Loaded only when a model is looked at.
import * as three from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { VertexNormalsHelper } from 'three/examples/jsm/helpers/VertexNormalsHelper.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

import { button, checkbox, el, fileName, labelled, save, select } from './dom';
import type { Context, Panel } from './panel';
import { grouped, short, t } from './strings';

export interface ModelFacts {
  primitives: number;
  unreadable: number;
  lods: { index: number; title: string }[];
  rigs: { bones: [string, number | null][]; clips: { name: string; seconds: number | null }[] }[];
  refused: string | null;
  /** As in the pictures that the program draws: directions are those of the camera, strengths those of linear light. */
  light: { lights: { direction: [number, number, number]; strength: number }[]; ambient: number; ground: [number, number, number] };
}

interface Missing {
  empty?: boolean;
  unreadable: number;
  left_out: number;
}

interface Part {
  name: string;
  part: number;
  visible: boolean;
  material: string | null;
  texture: string | null;
  /** True if a missing texture would hide little. */
  hides_little: boolean;
}

type Positions = Pick<three.BufferAttribute, 'getX' | 'getY' | 'getZ'>;

/** The largest side of a texture in the view. */
const mostSide = 2048;
const mostParts = 2000;
/** The most bytes that describe a glTF model, and the most draw calls. */
const mostDescription = 4 << 20;
const mostDrawn = 10_000;
const mostUvTriangles = 100_000;

export class Model implements Panel {
  readonly element = el('div', { class: 'model' });
  private readonly canvas = el('canvas', { tabindex: 0, role: 'img', id: 'view' });
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(45, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly timer = new three.Timer();
  private root = new three.Group();
  private helpers = new three.Group();
  private clips: three.AnimationClip[] = [];
  private mixer: three.AnimationMixer | undefined;
  private action: three.AnimationAction | undefined;
  private marked: three.Points | undefined;
  private isSelectionHidden = false;
  private playing = false;
  private drawing = false;
  private lod: number | undefined;
  private motion: number | undefined;
  private readonly on = { wireframe: false, normals: false, bones: false, bounds: false, axes: false, textures: true };
  private readonly timeline = el('input', { type: 'range', min: 0, max: 1, step: 0.001, value: 0 });
  private readonly playButton = button(t('play'), () => this.play(!this.playing));
  private readonly clipTools = el('div', { class: 'tools', hidden: true });
  private readonly partList = el('div', { class: 'parts', role: 'group' });
  private readonly notes = el('div', { class: 'notes' });
  private readonly uv = el('canvas', { class: 'uv', width: 512, height: 512, role: 'img', hidden: true });

  constructor(private readonly context: Context, private readonly facts: ModelFacts) {
    this.renderer = new three.WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.canvas.setAttribute('aria-label', t('view3d'));
    // A matte surface reflects the light divided by pi.
    const { lights, ambient, ground } = facts.light;
    this.scene.add(this.root, this.helpers, this.camera, new three.AmbientLight(0xffffff, ambient * Math.PI));
    for (const { direction, strength } of lights) {
      const light = new three.DirectionalLight(0xffffff, strength * Math.PI);
      light.position.set(...direction);
      this.camera.add(light, light.target);
    }
    this.renderer.setClearColor(new three.Color(`rgb(${ground.join(', ')})`));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => this.draw());
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.uv.setAttribute('aria-label', t('uv'));
    this.partList.setAttribute('aria-label', t('parts'));
    const view = el('div', { class: 'view' }, this.canvas, this.uv);
    this.element.append(this.tools(), this.clipTools, this.notes, el('div', { class: 'view-and-parts' }, view, this.partList));
    new ResizeObserver(() => this.resize()).observe(view);
    void this.load();
  }

  shown() {
    this.resize();
  }

  closed() {
    this.play(false);
    this.clear();
    this.renderer.dispose();
    this.controls.dispose();
  }

  private tools(): HTMLElement {
    const { lods, refused, rigs } = this.facts;
    const box = el('div', { class: 'tools' });
    if (lods.length > 0) {
      const list = lods.map(({ index, title }): [string, string] => [String(index), `${index}: ${title}`]);
      this.lod = refused ? lods[0].index : undefined;
      if (!refused) list.unshift(['', '—']);
      box.append(labelled(t('lod'), select(list, refused ? String(lods[0].index) : '', (value) => {
        this.lod = value === '' ? undefined : Number(value);
        this.marked = undefined;
        void this.load();
      })));
    }
    const motions = this.context.about.format === 'mlod' ? this.context.others(/\.rtm$/i) : [];
    if (motions.length > 0) {
      const list = motions.map(({ label }, index): [string, string] => [String(index), label]);
      box.append(labelled(t('motion'), select([['', t('noClip')], ...list], '', (value) => {
        const motion = value === '' ? undefined : motions[Number(value)].handle;
        void Promise.resolve(motion && this.context.client.node(motion)).then((node) => {
          this.motion = node;
          return this.load();
        });
      })));
    }
    const flag = (name: keyof typeof this.on, label: string) => checkbox(label, this.on[name], (on) => {
      this.on[name] = on;
      this.decorate();
    });
    box.append(flag('textures', t('textures')), flag('wireframe', t('wireframe')), flag('normals', t('normals')));
    if (rigs.length > 0) box.append(flag('bones', t('bones')));
    box.append(flag('bounds', t('boundsBox')), flag('axes', t('axes')), checkbox(t('uv'), false, (on) => {
      this.uv.hidden = !on;
      this.drawUv();
    }));
    if (lods.length > 0) {
      const list = button(t('selections'), () => void this.listSelections(list).catch((error: unknown) => this.context.failed(error)));
      box.append(list);
    }
    box.append(button(t('reset'), () => this.frame()));
    const name = (ending: string) => fileName(this.context.about.address, ending);
    box.append(button(t('savePng'), () => {
      this.renderer.render(this.scene, this.camera);
      this.canvas.toBlob((blob) => blob && save(name('.png'), blob, 'image/png'));
    }));
    if (!refused) box.append(button(t('saveGlb'), () => void this.glb().then(
      ([, bytes]) => save(name('.glb'), bytes as BlobPart, 'model/gltf-binary'),
      (error: unknown) => this.context.failed(error),
    )));
    else box.append(el('p', {}, t('notExported', refused.split('; -o ')[0])));
    return box;
  }

  private async glb(): Promise<[string, Uint8Array]> {
    const options = JSON.stringify({ lod: this.lod ?? null, motion: this.motion ?? null, images: true });
    return this.context.client.ask(this.context.handle, 'glb', options);
  }

  private async load() {
    try {
      const missing = this.facts.refused ? await this.loadMeshes() : await this.loadGlb();
      this.notes.replaceChildren();
      const note = (text: string) => this.notes.append(el('p', {}, text));
      if (this.facts.primitives === 0) note(t('noTriangles'));
      if (missing.left_out > 0) note(t('leftOut', grouped(missing.left_out)));
      if (missing.unreadable > 0) note(t('unreadable', grouped(missing.unreadable)));
      this.listParts();
      this.listClips();
      this.decorate();
      this.frame();
      this.canvas.dataset.ready = 'true';
    } catch (error) {
      this.canvas.dataset.ready = 'failed';
      this.context.failed(error);
    }
  }

  private clear() {
    this.action = undefined;
    this.mixer = undefined;
    this.clips = [];
    this.root.traverse((object) => {
      if (!(object instanceof three.Mesh)) return;
      object.geometry.dispose();
      for (const material of materials(object)) {
        material.map?.dispose();
        material.dispose();
      }
    });
    this.root.clear();
  }

  private async loadGlb(): Promise<Missing> {
    const [missing, bytes] = await this.glb();
    // The length of the description, which the loader turns into objects at once: without a limit the page would hang.
    if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true) > mostDescription) throw new Error(t('tooManyParts'));
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer as ArrayBuffer, '');
    this.clear();
    this.root.add(gltf.scene);
    this.clips = gltf.animations;
    return JSON.parse(missing) as Missing;
  }

  /** Triangles without the detour over glTF, for formats that have none. */
  private async loadMeshes(): Promise<Missing> {
    const answer = await this.context.client.ask<unknown[]>(this.context.handle, 'meshes', this.lod ?? -1);
    const { parts, ...missing } = JSON.parse(answer[0] as string) as Missing & { parts: Part[] };
    if (parts.length > mostDrawn) throw new Error(t('tooManyParts'));
    this.clear();
    const textures = new Map<string, three.Texture | null>();
    const shown = parts.some((part) => part.visible);
    for (const [index, part] of parts.entries()) {
      const [positions, normals, uvs, indices] = answer.slice(1 + index * 4, 5 + index * 4) as [Float32Array, Float32Array, Float32Array, Uint32Array];
      // No triangle with such a corner can be drawn, and none is to spoil the bounds.
      positions.forEach((number, at) => Number.isFinite(number) || (positions[at] = 0));
      const geometry = new three.BufferGeometry();
      geometry.setAttribute('position', new three.BufferAttribute(positions, 3));
      if (normals.length > 0) geometry.setAttribute('normal', new three.BufferAttribute(normals, 3));
      if (uvs.length > 0) geometry.setAttribute('uv', new three.BufferAttribute(uvs, 2));
      geometry.setIndex(new three.BufferAttribute(indices, 1));
      if (normals.length === 0) geometry.computeVertexNormals();
      const material = new three.MeshStandardMaterial({ color: 0xcccccc, roughness: 0.9, side: three.DoubleSide });
      if (part.texture) {
        if (!textures.has(part.texture)) textures.set(part.texture, await this.texture(part.texture));
        material.map = textures.get(part.texture) ?? null;
        if (material.map) {
          material.color.set(0xffffff);
          material.transparent = material.map.userData.translucent === true;
          material.alphaTest = material.transparent ? 0.02 : 0.5;
        } else if (part.hides_little) {
          material.transparent = true;
          material.opacity = 0.2;
        }
      }
      const mesh = new three.Mesh(geometry, material);
      mesh.name = part.name || part.texture || part.material || `${t('parts')} ${index}`;
      mesh.visible = part.visible || !shown;
      this.root.add(mesh);
    }
    return missing;
  }

  private async texture(name: string): Promise<three.Texture | null> {
    const { client, handle } = this.context;
    const found = await client.ask<[string, Uint8Array] | null>(handle, 'image', name, mostSide).catch(() => null);
    if (!found) return null;
    const facts = JSON.parse(found[0]) as { media?: string; size?: [number, number] };
    let texture: three.Texture;
    if (facts.size) {
      texture = new three.DataTexture(found[1], ...facts.size);
      texture.userData.translucent = found[1].some((part, at) => at % 4 === 3 && part > 0 && part < 255);
      texture.generateMipmaps = true;
      texture.minFilter = three.LinearMipmapLinearFilter;
      texture.magFilter = three.LinearFilter;
      texture.needsUpdate = true;
    } else {
      const image = await createImageBitmap(new Blob([found[1] as BlobPart], { type: facts.media })).catch(() => null);
      if (!image) return null;
      texture = new three.Texture(image);
      texture.flipY = false;
      texture.needsUpdate = true;
    }
    texture.wrapS = texture.wrapT = three.RepeatWrapping;
    texture.colorSpace = three.SRGBColorSpace;
    return texture;
  }

  private meshes(): three.Mesh[] {
    const meshes: three.Mesh[] = [];
    this.root.traverse((object) => {
      if (object instanceof three.Mesh) meshes.push(object);
    });
    return meshes;
  }

  private listParts() {
    const meshes = this.meshes();
    this.partList.replaceChildren(el('h3', {}, `${t('parts')} (${grouped(meshes.length)})`));
    const boxes: HTMLInputElement[] = [];
    const all = (on: boolean) => {
      for (const box of boxes) box.checked = on;
      for (const mesh of meshes) mesh.visible = on;
      this.changed();
    };
    this.partList.append(el('div', { class: 'tools' }, button(t('showAll'), () => all(true)), button(t('hideAll'), () => all(false))));
    for (const mesh of meshes.slice(0, mostParts)) {
      const label = mesh.name || mesh.parent?.name || materials(mesh)[0]?.name || '—';
      const row = checkbox(short(label, 200), mesh.visible, (on) => {
        mesh.visible = on;
        this.changed();
      });
      boxes.push(row.querySelector('input')!);
      this.partList.append(row);
    }
  }

  /** Replaces the button by the named selections of the level of detail that is shown. */
  private async listSelections(press: HTMLButtonElement) {
    const { client, handle, about } = this.context;
    const lod = this.lod ?? (this.facts.lods.find(({ title }) => title.startsWith('Visual')) ?? this.facts.lods[0]).index;
    const info = await client.json<{ detail: { info?: { bounding_center?: number[] }; lods: Record<string, { name?: string }[]>[] } }>(handle, 'info', true);
    // The positions of ODOL are counted from there.
    const center = (about.format === 'odol' && info.detail.info?.bounding_center) || [0, 0, 0];
    const list = about.format === 'odol' ? 'selections' : 'tags';
    // In MLOD, tags whose names start with # are no selections.
    const named = (info.detail.lods[lod]?.[list] ?? []).map(({ name }, index): [string, string] => [String(index), name ?? '']);
    const names = named.filter(([, name]) => name && !name.startsWith('#'));
    const control = select([['', t('noClip')], ...names], '', (index) => {
      this.showSelection(lod, list, index, center).catch((error: unknown) => this.context.failed(error));
    });
    control.id = 'selection';
    const hide = checkbox(t('hideSelection'), this.isSelectionHidden, (on) => {
      this.isSelectionHidden = on;
      this.hideSelection();
    });
    press.replaceWith(labelled(t('selections'), control), hide);
  }

  /** Marks the vertices of a selection. */
  private async showSelection(lod: number, list: string, index: string, center: number[]) {
    this.marked = undefined;
    if (index !== '') {
      const read = async (selector: string) => {
        const { client, handle } = this.context;
        const { rows, columns } = await client.json<{ rows: number; columns: unknown[] }>(handle, 'array', `lods/${lod}/${selector}`);
        return { width: columns.length, rows, numbers: await client.ask<Float64Array>(handle, 'array_rows', 0, rows) };
      };
      const points = await read(list === 'tags' ? 'points' : 'positions');
      const chosen = await read(`${list}/${index}/${list === 'tags' ? 'data' : 'vertices'}`);
      // A tag has a byte for each point, and then for each face; a selection of ODOL has indices.
      const indices = list === 'tags'
        ? Array.from({ length: points.rows }, (_, point) => point).filter((point) => chosen.numbers[point] > 0)
        : [...chosen.numbers].filter((point) => point < points.rows);
      // The models face against z.
      const places = indices.flatMap((point) => [0, 1, 2].map((axis) => (points.numbers[point * points.width + axis] + center[axis]) * (axis === 2 ? -1 : 1)));
      const geometry = new three.BufferGeometry();
      geometry.setAttribute('position', new three.BufferAttribute(Float32Array.from(places, (place) => (Number.isFinite(place) ? place : 0)), 3));
      this.marked = new three.Points(geometry, new three.PointsMaterial({ color: 0xd03010, size: 7, sizeAttenuation: false, depthTest: false }));
      this.marked.renderOrder = 2;
    }
    this.hideSelection();
    this.decorate();
  }

  /** Hides the triangles with all corners in the marked selection, and shows the others. */
  private hideSelection() {
    const chosen = new Set<string>();
    const place = (list: Positions, at: number) => `${list.getX(at)} ${list.getY(at)} ${list.getZ(at)}`;
    const marks = this.isSelectionHidden && this.marked?.geometry.getAttribute('position');
    if (marks) for (let at = 0; at < marks.count; at++) chosen.add(place(marks, at));
    for (const { geometry } of this.meshes()) {
      const index = geometry.getIndex();
      if (!index) continue;
      const all = (geometry.userData.all ??= index.clone()) as three.BufferAttribute;
      const positions = geometry.getAttribute('position');
      const isChosen = Array.from({ length: positions.count }, (_, vertex) => chosen.has(place(positions, vertex)));
      const kept: number[] = [];
      for (let corner = 0; corner + 2 < all.count; corner += 3) {
        const triangle = [all.getX(corner), all.getX(corner + 1), all.getX(corner + 2)];
        if (!triangle.every((vertex) => isChosen[vertex])) kept.push(...triangle);
      }
      // In place, because lines of a wireframe follow the version of the index.
      kept.forEach((vertex, at) => index.setX(at, vertex));
      index.needsUpdate = true;
      geometry.setDrawRange(0, kept.length);
    }
    this.changed();
  }

  private listClips() {
    this.clipTools.hidden = this.clips.length === 0;
    if (this.clips.length === 0) return;
    this.mixer = new three.AnimationMixer(this.root);
    const list = this.clips.map((clip, index): [string, string] => [String(index), `${short(clip.name || String(index), 100)} (${clip.duration.toFixed(2)} s)`]);
    const control = select([['', t('noClip')], ...list], '', (value) => this.choose(value === '' ? undefined : this.clips[Number(value)]));
    control.id = 'clip';
    this.timeline.id = 'timeline';
    this.timeline.oninput = () => {
      this.play(false);
      this.seek(Number(this.timeline.value));
    };
    this.playButton.disabled = this.timeline.disabled = true;
    this.clipTools.replaceChildren(labelled(t('clip'), control), this.playButton, labelled(t('time'), this.timeline));
  }

  private choose(clip: three.AnimationClip | undefined) {
    this.play(false);
    this.mixer?.stopAllAction();
    this.action = clip && this.mixer?.clipAction(clip).play();
    this.playButton.disabled = this.timeline.disabled = !clip;
    this.timeline.max = String(clip?.duration ?? 1);
    this.seek(0);
  }

  private seek(seconds: number) {
    if (this.action) {
      this.action.time = seconds;
      this.mixer!.update(0);
    }
    this.timeline.value = String(seconds);
    this.timeline.setAttribute('aria-valuetext', `${seconds.toFixed(2)} s`);
    this.changed();
  }

  private play(on: boolean) {
    this.playing = on && this.action !== undefined;
    this.playButton.textContent = t(this.playing ? 'pause' : 'play');
    if (!this.playing) return;
    this.timer.update();
    const step = () => {
      if (!this.playing || !this.action) return;
      this.timer.update();
      this.mixer!.update(this.timer.getDelta());
      this.timeline.value = String(this.action.time);
      this.changed();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  private decorate() {
    for (const mesh of this.meshes()) {
      for (const material of materials(mesh)) {
        material.wireframe = this.on.wireframe;
        material.userData.map ??= material.map;
        const map = this.on.textures ? (material.userData.map as three.Texture | null) : null;
        if (material.map !== map) {
          material.map = map;
          material.needsUpdate = true;
        }
      }
    }
    for (const helper of [...this.helpers.children]) {
      this.helpers.remove(helper);
      if (helper === this.marked) continue;
      (helper as three.LineSegments).dispose?.();
    }
    const box = this.box();
    if (this.marked) this.helpers.add(this.marked);
    if (this.on.bounds) this.helpers.add(new three.Box3Helper(box, 0xd08000));
    const size = box.getSize(new three.Vector3()).length();
    if (this.on.axes) {
      const axes = new three.AxesHelper(size / 2 || 1);
      // In the middle of the model and in front of it.
      box.getCenter(axes.position);
      (axes.material as three.Material).depthTest = false;
      axes.renderOrder = 1;
      this.helpers.add(axes);
    }
    if (this.on.normals) {
      for (const mesh of this.meshes()) if (mesh.visible && mesh.geometry.getAttribute('normal')) this.helpers.add(new VertexNormalsHelper(mesh, size / 60, 0x00a0a0));
    }
    // An animation alone has nothing else to be seen.
    if (this.on.bones || this.meshes().length === 0) {
      const bones = new Bones(this.root);
      this.helpers.add(bones);
    }
    this.changed();
  }

  private changed() {
    for (const helper of this.helpers.children) if (helper instanceof Bones || helper instanceof VertexNormalsHelper) helper.update();
    this.drawUv();
    this.draw();
  }

  private box(): three.Box3 {
    const box = new three.Box3();
    this.root.updateMatrixWorld(true);
    for (const mesh of this.meshes()) if (mesh.visible) box.expandByObject(mesh);
    const place = new three.Vector3();
    if (box.isEmpty()) this.root.traverse((object) => box.expandByPoint(object.getWorldPosition(place)));
    const isFinite = [...box.min.toArray(), ...box.max.toArray()].every(Number.isFinite);
    return box.isEmpty() || !isFinite ? new three.Box3(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1)) : box;
  }

  private frame() {
    const sphere = this.box().getBoundingSphere(new three.Sphere());
    const radius = Math.max(sphere.radius, 1e-3);
    this.controls.target.copy(sphere.center);
    this.camera.near = radius / 100;
    this.camera.far = radius * 100;
    this.camera.position.copy(sphere.center).add(new three.Vector3(1, 0.6, 1.4).setLength(radius * 2.6));
    this.controls.update();
    this.resize();
  }

  private key(event: KeyboardEvent) {
    const turns: Record<string, [number, number]> = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    const offset = this.camera.position.clone().sub(this.controls.target);
    const place = new three.Spherical().setFromVector3(offset);
    if (event.key in turns) {
      place.theta += turns[event.key][0];
      place.phi += turns[event.key][1];
      place.makeSafe();
    } else if (event.key === '+' || event.key === '=') place.radius /= 1.1;
    else if (event.key === '-') place.radius *= 1.1;
    else return;
    event.preventDefault();
    this.camera.position.setFromSpherical(place).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  private resize() {
    const box = this.canvas.parentElement!;
    if (box.clientWidth === 0 || box.clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(box.clientWidth, box.clientHeight, false);
    this.camera.aspect = box.clientWidth / box.clientHeight;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  private draw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.renderer.render(this.scene, this.camera);
    });
  }

  private drawUv() {
    if (this.uv.hidden) return;
    const context = this.uv.getContext('2d')!;
    const side = this.uv.width;
    context.clearRect(0, 0, side, side);
    context.strokeStyle = getComputedStyle(this.element).color;
    context.lineWidth = 0.5;
    context.beginPath();
    let left = mostUvTriangles;
    for (const mesh of this.meshes()) {
      const uv = mesh.geometry.getAttribute('uv');
      const index = mesh.geometry.getIndex();
      if (!mesh.visible || !uv || !index) continue;
      for (let at = 0; at + 2 < index.count && left > 0; at += 3, left--) {
        [0, 1, 2, 0].forEach((corner, order) => {
          const vertex = index.getX(at + corner);
          const [x, y] = [uv.getX(vertex) * side, uv.getY(vertex) * side];
          if (order === 0) context.moveTo(x, y);
          else context.lineTo(x, y);
        });
      }
    }
    context.stroke();
  }
}

function materials(mesh: three.Mesh): three.MeshStandardMaterial[] {
  return (Array.isArray(mesh.material) ? mesh.material : [mesh.material]) as three.MeshStandardMaterial[];
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
