// The canvas: camera, light and ground. It draws when something changed.
import * as three from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { el } from '../dom';
import type { Alpha, ModelFacts } from '../protocol';
import { t } from '../strings';
import { Surface, type SurfaceFacts } from './surface';

/** Milliseconds in which images that come one after the other are drawn together. */
const soonDelay = 250;

/** Milliseconds in which an idle graphics card answers, and for which the page waits until it is idle. */
const atOnce = 12;
const mostWait = 300;
/** Milliseconds after which a graphics card that has to draw and to take an image is slow. */
const slow = 30;

/** The browser has no WebGL, or gives none. */
export class NoWebgl extends Error {}

/** A stage that is not used: the graphics card takes long to prepare one. */
let spare: Promise<Stage> | undefined;

/** Models that have a stage. The last of them leaves it for the next. */
let inUse = 0;

/** Prepares a stage before it is needed, if there is none. */
export function prepareStage() {
  if (inUse > 0) return;
  spare ??= openStage().then(async (stage) => {
    await stage.prepare();
    return stage;
  });
  // The next model tries again, and says why it fails.
  spare.catch(() => {});
}

/** A stage for a model: the spare one, if it is there. */
export async function takeStage(): Promise<Stage> {
  const kept = spare;
  spare = undefined;
  inUse += 1;
  const stage = await kept?.catch(() => undefined);
  if (stage?.isWhole) return stage;
  stage?.close();
  try {
    return await openStage();
  } catch (error) {
    inUse -= 1;
    throw error;
  }
}

/** Keeps a stage for the next model. */
export function giveStage(stage: Stage) {
  inUse -= 1;
  if (spare || !stage.isWhole) {
    stage.close();
    return;
  }
  stage.end();
  spare = Promise.resolve(stage);
}

async function openStage(): Promise<Stage> {
  const canvas = el('canvas', { tabindex: 0, role: 'img', id: 'view' });
  await anotherTask();
  const graphics = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
  if (!graphics) throw new NoWebgl();
  await anotherTask();
  return new Stage(canvas, graphics);
}

export class Stage {
  readonly scene = new three.Scene();
  readonly camera = new three.PerspectiveCamera(45, 1, 0.01, 1000);
  /** The user turned or moved the camera. */
  onmoved: () => void = () => {};
  private readonly renderer: three.WebGLRenderer;
  private readonly ambient = new three.AmbientLight(0xffffff);
  /** As many as the program's pictures have, so that the programs of the graphics card fit them. */
  private readonly lights = [new three.DirectionalLight(0xffffff), new three.DirectionalLight(0xffffff)];
  /** Surfaces that keep the programs of the graphics card alive. */
  private readonly samples: Surface[] = [];
  private controls: OrbitControls | undefined;
  private listening = new AbortController();
  private sizes: ResizeObserver | undefined;
  private size = '';
  private isFramed = false;
  private isDrawing = false;
  /** True while images come to a graphics card that is slow. */
  private isSlow = false;
  private soon: ReturnType<typeof setTimeout> | undefined;
  /** False between two models. */
  private isOpen = false;
  private isClosed = false;
  /** Ends when the graphics card has the image before the last. */
  private taken: Promise<void> | undefined;

  constructor(readonly canvas: HTMLCanvasElement, private readonly graphics: WebGL2RenderingContext) {
    this.renderer = rendererFor(canvas, graphics);
    // The page would wait for the graphics card to ask it.
    this.renderer.debug.checkShaderErrors = false;
    this.scene.add(this.camera, this.ambient);
    for (const light of this.lights) this.camera.add(light, light.target);
  }

  /** False once the browser has taken the context away. */
  get isWhole(): boolean {
    return !this.isClosed && !this.graphics.isContextLost();
  }

  /** Makes the programs that most models need. */
  async prepare() {
    const root = new three.Group();
    for (const alpha of ['opaque', 'mask', 'blend'] as const) {
      const surface = new Surface(sampleFacts(alpha));
      surface.add(new three.Mesh(new three.PlaneGeometry()));
      surface.draw({ shading: 'lit', textures: true, bothSides: true });
      this.samples.push(surface);
      root.add(...surface.meshes);
    }
    root.add(new three.GridHelper(1, 1));
    this.scene.add(root);
    await this.compile();
    this.scene.remove(root);
  }

  /** Begins with a model. */
  begin({ lights, ambient, ground }: ModelFacts['light']) {
    this.isOpen = true;
    this.canvas.setAttribute('aria-label', t('view3d'));
    // A matte surface reflects the light divided by pi.
    this.ambient.intensity = ambient * Math.PI;
    for (const [index, light] of this.lights.entries()) {
      light.intensity = (lights[index]?.strength ?? 0) * Math.PI;
      light.position.fromArray(lights[index]?.direction ?? [0, 0, 1]);
    }
    this.renderer.setClearColor(new three.Color(`rgb(${ground.join(', ')})`));
    this.renderer.clear();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => this.draw());
    this.controls.addEventListener('end', () => this.onmoved());
    this.listening = new AbortController();
    this.canvas.addEventListener('keydown', (event) => this.key(event), { signal: this.listening.signal });
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.canvas);
  }

  /** Ends with a model. Its meshes and images are disposed of by the view. */
  end() {
    this.isOpen = false;
    this.isSlow = false;
    this.taken = undefined;
    this.isFramed = false;
    this.onmoved = () => {};
    clearTimeout(this.soon);
    this.soon = undefined;
    this.sizes?.disconnect();
    this.controls?.dispose();
    this.listening.abort();
    for (const name of Object.keys(this.canvas.dataset)) delete this.canvas.dataset[name];
    const kept = new Set<three.Object3D>([this.camera, this.ambient]);
    for (const object of [...this.scene.children]) if (!kept.has(object)) this.scene.remove(object);
    this.camera.position.set(0, 0, 0);
    this.canvas.remove();
  }

  /** Looks at a box from the front and above. */
  frame(box: three.Box3) {
    this.isFramed = true;
    const sphere = box.getBoundingSphere(new three.Sphere());
    this.setRange(sphere);
    this.controls!.target.copy(sphere.center);
    const radius = Math.max(sphere.radius, 1e-3);
    this.camera.position.copy(sphere.center).add(new three.Vector3(1, 0.6, 1.4).setLength(radius * 2.6));
    this.controls!.update();
    this.resize();
  }

  /** Puts the camera where an address says. */
  setView(view: number[], box: three.Box3) {
    this.isFramed = true;
    this.setRange(box.getBoundingSphere(new three.Sphere()));
    this.camera.position.fromArray(view, 0);
    this.controls!.target.fromArray(view, 3);
    this.controls!.update();
    this.resize();
  }

  /** Keeps the camera, but sees all of another box. */
  setRange({ radius, center }: three.Sphere) {
    const size = Math.max(radius, 1e-3);
    this.camera.near = size / 100;
    this.camera.far = Math.max(size * 100, this.camera.position.distanceTo(center) + 2 * size);
    this.camera.updateProjectionMatrix();
  }

  /** Three coordinates of the camera and three of what it looks at. */
  view(): number[] {
    return [...this.camera.position.toArray(), ...this.controls!.target.toArray()];
  }

  /** A ray through a point of the page. */
  ray(x: number, y: number): three.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const place = new three.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    // The camera may have moved since the last drawing.
    this.camera.updateMatrixWorld();
    const ray = new three.Raycaster();
    ray.setFromCamera(place, this.camera);
    return ray;
  }

  private key(event: KeyboardEvent) {
    const turns: Record<string, [number, number]> = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    const offset = this.camera.position.clone().sub(this.controls!.target);
    const place = new three.Spherical().setFromVector3(offset);
    if (event.key in turns) {
      place.theta += turns[event.key][0];
      place.phi += turns[event.key][1];
      place.makeSafe();
    } else if (event.key === '+' || event.key === '=') place.radius /= 1.1;
    else if (event.key === '-') place.radius *= 1.1;
    else return;
    event.preventDefault();
    this.camera.position.setFromSpherical(place).add(this.controls!.target);
    this.controls!.update();
    this.draw();
    this.onmoved();
  }

  resize() {
    // A new size waits for the graphics card, so the canvas gets its first one when everything around it is there.
    if (!this.isFramed) return;
    const { clientWidth, clientHeight } = this.canvas.parentElement ?? this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    const size = [clientWidth, clientHeight, Math.min(window.devicePixelRatio, 2)];
    // Another size, even the same, makes the graphics card begin anew.
    if (size.join() !== this.size) {
      this.size = size.join();
      this.renderer.setPixelRatio(size[2]);
      this.renderer.setSize(clientWidth, clientHeight, false);
    }
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Makes the programs of the graphics card without waiting for them in a frame. */
  async compile() {
    const { info } = this.renderer;
    const before = new Set(info.programs);
    this.renderer.compile(this.scene, this.camera);
    const isNew = info.programs?.some((program) => !before.has(program));
    if (!isNew) return;
    await this.renderer.compileAsync(this.scene, this.camera);
    await this.idle();
    // three.js asks for these at the first use of a program, and waits for the answer: for one program a task.
    for (const program of info.programs ?? []) {
      if (before.has(program)) continue;
      program.getUniforms();
      program.getAttributes();
      await anotherTask();
    }
  }

  /**
   * Returns when the graphics card has nothing to do, also for the rest of the page: an answer then comes at once. Some later
   * calls wait for it, and the page with them.
   */
  async idle() {
    for (const end = performance.now() + mostWait; performance.now() < end && !this.isClosed; ) {
      const start = performance.now();
      await this.done();
      if (performance.now() - start < atOnce) return;
    }
  }

  /** Returns when the graphics card has done all that it was asked for. */
  private async done() {
    const gl = this.graphics;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    gl.flush();
    // A lost context answers at once.
    do await new Promise((resolve) => setTimeout(resolve, 4));
    while (!this.isClosed && gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.UNSIGNALED);
    gl.deleteSync(fence);
  }

  /** Gives an image to the graphics card, which has the one before by then: the page does not wait for it. */
  async upload(texture: three.Texture) {
    const start = performance.now();
    await this.taken;
    this.isSlow = performance.now() - start > slow;
    this.taken = this.done();
    if (this.isOpen) this.renderer.initTexture(texture);
  }

  /** No image comes any more. */
  uploaded() {
    this.isSlow = false;
  }

  /** Draws in the next frame. A slow graphics card draws less often while images come, or they would come late. */
  draw() {
    if (this.isSlow) this.drawSoon();
    else this.drawNext();
  }

  private drawNext() {
    if (this.isDrawing || !this.isOpen) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      if (this.isOpen) this.drawNow();
    });
  }

  /** Draws in a while, with what comes until then. */
  drawSoon() {
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      this.drawNext();
    }, soonDelay);
  }

  drawNow() {
    this.renderer.render(this.scene, this.camera);
  }

  close() {
    this.end();
    this.isClosed = true;
    for (const surface of this.samples) surface.dispose();
    this.renderer.dispose();
    // Browsers keep few contexts, and would end that of an open model before they collect this one.
    this.renderer.forceContextLoss();
  }
}

/** The facts of a surface that stands for those of models. */
function sampleFacts(alpha: Alpha): SurfaceFacts {
  return {
    label: '', color: new three.Color(0xffffff), opacity: 1, alpha, cutoff: 0.5, unlit: false, twoSided: false, vertexColors: false, flat: false,
    layout: new three.Texture(),
  };
}

/** Lets the page answer in between. */
function anotherTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function rendererFor(canvas: HTMLCanvasElement, context: WebGL2RenderingContext): three.WebGLRenderer {
  try {
    return new three.WebGLRenderer({ canvas, context });
  } catch (error) {
    throw new NoWebgl(String(error));
  }
}
