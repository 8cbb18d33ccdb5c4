// A canvas that is zoomed by the wheel and moved by dragging or by keys.
import { el } from '../dom';
import { t } from '../strings';

const leastScale = 1 / 64;
const mostScale = 64;
const zoomStep = 1.25;
/** Pixels of the screen that an arrow key moves. */
const keyStep = 40;
/** Squares of the checkerboard behind transparent pixels, in pixels of the screen. */
const square = 16;
const mostFit = 16;

export class PictureView {
  readonly box = el('div', { class: 'picture', tabindex: 0, role: 'region' });
  private canvas = el('canvas');
  private scale = 1;
  private left = 0;
  private top = 0;
  /** True until the user zooms or moves. */
  private fits = true;

  /** `pointed` is called with the place of a pixel, and `zoomed` with the scale. */
  constructor(private readonly pointed: (x: number, y: number) => void, private readonly zoomed: (scale: number) => void) {
    this.box.setAttribute('aria-label', t('pictureKeys'));
    this.box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.box.addEventListener('pointerdown', (event) => this.box.setPointerCapture(event.pointerId));
    this.box.addEventListener('pointermove', (event) => this.move(event));
    this.box.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => (this.fits ? this.fit() : this.place())).observe(this.box);
  }

  /** Shows a picture; nothing if there is none. It keeps the place of the one before if the user chose that. */
  show(canvas: HTMLCanvasElement | undefined) {
    this.box.replaceChildren();
    if (!canvas) return;
    this.canvas = canvas;
    this.box.append(canvas);
    if (this.fits) this.fit();
    else this.place();
  }

  /** All of the picture is in view. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width === 0 || this.canvas.width === 0) return;
    this.scale = Math.min(mostFit, width / this.canvas.width, height / this.canvas.height);
    this.center();
    this.fits = true;
  }

  /** Each pixel is one of the screen. */
  actual() {
    this.fits = false;
    this.scale = 1;
    this.center();
  }

  /** Zooms around the middle of the view. */
  zoom(factor: number) {
    this.zoomAt(factor, this.box.clientWidth / 2, this.box.clientHeight / 2);
  }

  private center() {
    this.left = (this.box.clientWidth - this.canvas.width * this.scale) / 2;
    this.top = (this.box.clientHeight - this.canvas.height * this.scale) / 2;
    this.place();
  }

  private zoomAt(factor: number, x: number, y: number) {
    this.fits = false;
    const scale = Math.min(mostScale, Math.max(leastScale, this.scale * factor));
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.place();
  }

  private place() {
    // A part of the picture stays in view.
    const keep = 20;
    const { width, height } = this.canvas;
    this.left = Math.min(this.box.clientWidth - keep, Math.max(keep - width * this.scale, this.left));
    this.top = Math.min(this.box.clientHeight - keep, Math.max(keep - height * this.scale, this.top));
    const { style } = this.canvas;
    style.transform = `translate(${this.left}px, ${this.top}px) scale(${this.scale})`;
    style.imageRendering = this.scale >= 1 ? 'pixelated' : 'auto';
    style.backgroundSize = `${square / this.scale}px ${square / this.scale}px`;
    this.zoomed(this.scale);
  }

  private wheel(event: WheelEvent) {
    event.preventDefault();
    const box = this.box.getBoundingClientRect();
    this.zoomAt(event.deltaY < 0 ? zoomStep : 1 / zoomStep, event.clientX - box.left, event.clientY - box.top);
  }

  private move(event: PointerEvent) {
    if (this.box.hasPointerCapture(event.pointerId) && event.buttons > 0) {
      this.fits = false;
      this.left += event.movementX;
      this.top += event.movementY;
      this.place();
    }
    const box = this.box.getBoundingClientRect();
    this.point(event.clientX - box.left, event.clientY - box.top);
  }

  private point(x: number, y: number) {
    this.pointed(Math.floor((x - this.left) / this.scale), Math.floor((y - this.top) / this.scale));
  }

  private key(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [keyStep, 0], ArrowRight: [-keyStep, 0], ArrowUp: [0, keyStep], ArrowDown: [0, -keyStep],
    };
    if (event.key in moves) {
      const [x, y] = moves[event.key];
      this.fits = false;
      this.left += x;
      this.top += y;
      this.place();
    } else if (event.key === '+' || event.key === '=') this.zoom(zoomStep);
    else if (event.key === '-') this.zoom(1 / zoomStep);
    else if (event.key === '0') this.fit();
    else if (event.key === '1') this.actual();
    else return;
    event.preventDefault();
    // Keys point at the middle.
    this.point(this.box.clientWidth / 2, this.box.clientHeight / 2);
  }
}
