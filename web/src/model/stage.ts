// The canvas: camera, light and ground. It draws when something changed.
import * as three from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { el } from '../dom';
import type { ModelFacts } from '../protocol';
import { t } from '../strings';

/** Milliseconds in which images that come one after the other are drawn together. */
const soonDelay = 250;

/** The browser has no WebGL, or gives none. */
export class NoWebgl extends Error {}

/** A canvas for a model. The graphics card takes long to prepare one, so the page answers in between. */
export async function openStage(facts: ModelFacts): Promise<Stage> {
  const canvas = el('canvas', { tabindex: 0, role: 'img', id: 'view', 'aria-label': t('view3d') });
  await frames();
  const graphics = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
  if (!graphics) throw new NoWebgl();
  await anotherTask();
  return new Stage(canvas, graphics, facts);
}

export class Stage {
  readonly scene = new three.Scene();
  readonly camera = new three.PerspectiveCamera(45, 1, 0.01, 1000);
  /** The user turned or moved the camera. */
  onmoved: () => void = () => {};
  private readonly renderer: three.WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly sizes: ResizeObserver;
  private size = '';
  private isFramed = false;
  private isDrawing = false;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;

  constructor(readonly canvas: HTMLCanvasElement, private readonly graphics: WebGL2RenderingContext, { light: { lights, ambient, ground } }: ModelFacts) {
    this.renderer = rendererFor(canvas, graphics);
    // The page would wait for the graphics card to ask it.
    this.renderer.debug.checkShaderErrors = false;
    // A matte surface reflects the light divided by pi.
    this.scene.add(this.camera, new three.AmbientLight(0xffffff, ambient * Math.PI));
    for (const { direction, strength } of lights) {
      const light = new three.DirectionalLight(0xffffff, strength * Math.PI);
      light.position.set(...direction);
      this.camera.add(light, light.target);
    }
    this.renderer.setClearColor(new three.Color(`rgb(${ground.join(', ')})`));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => this.draw());
    this.controls.addEventListener('end', () => this.onmoved());
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.canvas);
  }

  /** Looks at a box from the front and above. */
  frame(box: three.Box3) {
    this.isFramed = true;
    const sphere = box.getBoundingSphere(new three.Sphere());
    this.setRange(sphere);
    this.controls.target.copy(sphere.center);
    const radius = Math.max(sphere.radius, 1e-3);
    this.camera.position.copy(sphere.center).add(new three.Vector3(1, 0.6, 1.4).setLength(radius * 2.6));
    this.controls.update();
    this.resize();
  }

  /** Puts the camera where an address says. */
  setView(view: number[], box: three.Box3) {
    this.isFramed = true;
    this.setRange(box.getBoundingSphere(new three.Sphere()));
    this.camera.position.fromArray(view, 0);
    this.controls.target.fromArray(view, 3);
    this.controls.update();
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
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  /** What is below a point of the page. */
  ray(x: number, y: number): three.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const place = new three.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const ray = new three.Raycaster();
    ray.setFromCamera(place, this.camera);
    return ray;
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
    await this.renderer.compileAsync(this.scene, this.camera);
    await this.idle();
    // three.js asks for these at the first use of a program, and waits for the answer: for one program a task.
    for (const program of this.renderer.info.programs ?? []) {
      program.getUniforms();
      program.getAttributes();
      await anotherTask();
    }
  }

  /** Returns when the graphics card has done what it was asked for. What comes next does not wait for it. */
  private async idle() {
    const gl = this.graphics;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    gl.flush();
    // A lost context answers at once.
    do await new Promise((resolve) => setTimeout(resolve, 4));
    while (!this.isClosed && gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.UNSIGNALED);
    gl.deleteSync(fence);
  }

  /** Gives an image to the graphics card, in a task of its own: a frame that needs it does not wait. */
  async upload(texture: three.Texture) {
    await anotherTask();
    if (!this.isClosed) this.renderer.initTexture(texture);
  }

  /** Draws in the next frame. */
  draw() {
    if (this.isDrawing || this.isClosed) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      if (!this.isClosed) this.drawNow();
    });
  }

  /** Draws in a while, with what comes until then. */
  drawSoon() {
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      this.draw();
    }, soonDelay);
  }

  drawNow() {
    this.renderer.render(this.scene, this.camera);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.soon);
    this.sizes.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    // Browsers keep few contexts, and would end that of an open model before they collect this one.
    this.renderer.forceContextLoss();
  }
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

/** Lets the page show what it has. A hidden page shows nothing, and goes on. */
function frames(): Promise<unknown> {
  const shown = new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return Promise.race([shown, new Promise((resolve) => setTimeout(resolve, 500))]);
}
