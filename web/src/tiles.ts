// Small pictures of models and textures. Only those in view are drawn, one after the other, in the worker of the overview.
import type { Client } from './client';
import { el } from './dom';
import type { Files, Item } from './files';
import { Latest } from './latest';
import { VirtualList } from './list';
import { headerBytes, readHeader } from './pictures/header';
import { bytesCount, grouped, short, t } from './strings';

const side = 112;
const rowHeight = 164;
const tileWidth = 136;
/** Pictures that stay, and the most bytes of a file that gets one. */
const mostKept = 300;
const mostBytes = 32 << 20;
/** The most pixels of an image that the browser decodes for a tile. */
const mostPixels = 1 << 26;

export class Tiles {
  readonly element = el('div', { class: 'tiles', tabindex: 0, role: 'listbox', id: 'tiles' });
  private items: Item[] = [];
  private current = 0;
  private readonly list: VirtualList;
  private readonly pictures = new Map<Item, HTMLElement>();
  private readonly drawing = new Latest(() => {});
  private readonly shown = new WeakMap<Element, Item>();
  private wanted: Item[] = [];
  private isDrawing = false;
  /** How often drawing began: an older round that ends late says nothing about the newer one. */
  private round = 0;
  private isOn = false;

  constructor(private readonly client: Client, private readonly files: Files, private readonly open: (item: Item) => void) {
    this.list = new VirtualList(this.element, rowHeight, (from, to) => this.rows(from, to));
    this.list.keepPressed();
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('click', (event) => this.click(event));
    new ResizeObserver(() => this.resized()).observe(this.element);
  }

  /** Shows the tiles of these files. */
  show(items: Item[]) {
    this.isOn = true;
    this.element.setAttribute('aria-label', t('tiles'));
    this.items = items.filter(({ type }) => type === 'models' || type === 'textures');
    this.element.hidden = this.items.length === 0;
    const shown = new Set(this.items);
    for (const item of this.pictures.keys()) if (!shown.has(item)) this.pictures.delete(item);
    this.resized();
  }

  /** Draws no more, until it is shown again. */
  stop() {
    this.isOn = false;
    this.wanted = [];
    this.drawing.stop();
    this.isDrawing = false;
  }

  private get columns(): number {
    return Math.max(1, Math.floor(this.element.clientWidth / tileWidth));
  }

  private resized() {
    this.list.setCount(Math.ceil(this.items.length / this.columns));
  }

  private rows(from: number, to: number): HTMLElement[] {
    const { columns } = this;
    const rows: HTMLElement[] = [];
    this.wanted = [];
    for (let row = from; row < to; row++) {
      const tiles: HTMLElement[] = [];
      for (let index = row * columns; index < Math.min(this.items.length, (row + 1) * columns); index++) tiles.push(this.tile(index));
      rows.push(el('div', { class: 'row tile-row', role: 'presentation' }, ...tiles));
    }
    const active = `tile-${this.current}`;
    if (rows.some((row) => row.querySelector(`#${active}`))) this.element.setAttribute('aria-activedescendant', active);
    else this.element.removeAttribute('aria-activedescendant');
    if (this.isOn && !this.isDrawing) void this.draw();
    return rows;
  }

  private tile(index: number): HTMLElement {
    const item = this.items[index];
    const picture = this.pictures.get(item);
    if (!picture) this.wanted.push(item);
    const label = item.label.split('/').pop()!;
    const tile = el('div', { class: 'tile', role: 'option', id: `tile-${index}`, 'data-index': index, title: short(this.files.address(item), 300) },
      el('div', { class: 'tile-picture', 'aria-hidden': 'true' }, picture ?? null), el('div', { class: 'tile-name' }, short(label, 60)));
    this.shown.set(tile, item);
    tile.setAttribute('aria-selected', String(index === this.current));
    return tile;
  }

  /** Draws what is in view and has no picture yet. */
  private async draw() {
    const own = ++this.round;
    this.isDrawing = true;
    await this.drawing.run(async (current) => {
      for (let item = this.wanted.shift(); item; item = this.wanted.shift()) {
        // The rows were made anew while it was drawn.
        if (this.pictures.has(item)) continue;
        const picture = await current(this.picture(item).catch(() => undefined));
        this.keep(item, picture ?? noPicture(t('noTile')));
        // Files that were scrolled into view meanwhile come next.
        this.list.update();
      }
    });
    if (own === this.round) this.isDrawing = false;
  }

  private keep(item: Item, picture: HTMLElement) {
    this.pictures.set(item, picture);
    const [oldest] = this.pictures.keys();
    if (this.pictures.size > mostKept) this.pictures.delete(oldest);
  }

  private async picture(item: Item): Promise<HTMLElement | undefined> {
    if (item.bytes > mostBytes) return noPicture(t('tileTooLarge', bytesCount(mostBytes)));
    const handle = this.client.handle(item.file, item.path);
    try {
      const drawn = await this.client.ask(handle, 'thumbnail', side);
      if (drawn) {
        const [[width, height], pixels] = drawn;
        return canvasOf(await createImageBitmap(new ImageData(new Uint8ClampedArray(pixels), width, height)));
      }
      const head = await this.client.ask(handle, 'bytes', 0, Math.min(item.bytes, headerBytes));
      const header = readHeader(head);
      if (!header) return undefined;
      if (header.width * header.height > mostPixels) return noPicture(t('tileTooManyPixels', grouped(mostPixels)));
      const bytes = head.length === item.bytes ? head : await this.client.ask(handle, 'bytes', 0, item.bytes);
      return canvasOf(await createImageBitmap(new Blob([bytes], { type: header.media })));
    } finally {
      this.client.forget(handle);
    }
  }

  private click(event: MouseEvent) {
    const tile = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    if (!tile) return;
    const item = this.shown.get(tile)!;
    this.current = Math.max(0, this.items.indexOf(item));
    this.open(item);
  }

  private key(event: KeyboardEvent) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { columns } = this;
    const steps: Record<string, number> = {
      ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, PageDown: columns * this.list.page, PageUp: -columns * this.list.page,
      Home: -this.items.length, End: this.items.length,
    };
    if (event.key === 'Enter' || event.key === ' ') this.open(this.items[this.current]);
    else if (steps[event.key]) this.move(this.current + steps[event.key]);
    else return;
    event.preventDefault();
  }

  private move(index: number) {
    this.current = Math.min(Math.max(0, index), this.items.length - 1);
    this.list.show(Math.floor(this.current / this.columns));
    this.list.update();
  }
}

function noPicture(why: string): HTMLElement {
  return el('span', { class: 'no-picture' }, why);
}

/** A canvas that shows an image, not larger than a tile. The image is closed. */
function canvasOf(image: ImageBitmap): HTMLCanvasElement {
  const { width, height } = image;
  const scale = Math.min(1, side / Math.max(width, height));
  const canvas = el('canvas', { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) });
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return canvas;
}
