// The bytes in rows: offset, codes and text, with the colors of their fields. Rows are made once and used again.
import { el } from '../dom';
import { VirtualList } from '../list';
import type { Context } from '../panel';
import { t } from '../strings';
import type { Lines } from './lines';
import { Pieces } from './pieces';

const rowHeight = 20;
/** Bytes in a row: the most that fit. */
const widths = [16, 8, 4];
/** A row that leaves the view at one end comes in at the other, so a few more rows than are in view suffice. */
const spareRows = 8;

export interface HexEvents {
  /** A byte was chosen with the keyboard or a click. */
  chosen(offset: number): void;
  /** A range was selected by dragging, or with Shift. */
  ranged(): void;
  /** The field at the caret was asked for, by a double click or Enter. */
  field(): void;
}

/** A row with the bytes that it shows at present. */
class HexRow {
  readonly element = el('div', { class: 'row', role: 'row' });
  readonly offset = el('span', { class: 'offset', role: 'rowheader' });
  readonly codes: HTMLElement[] = [];
  readonly letters: HTMLElement[] = [];
  line = -1;
  version = -1;

  constructor(width: number) {
    const codes = el('span', { class: 'codes', role: 'gridcell' });
    const text = el('span', { class: 'text', role: 'gridcell' });
    for (let column = 0; column < width; column++) {
      const code = el('span');
      const letter = el('span');
      this.codes.push(code);
      this.letters.push(letter);
      codes.append(code, column % 8 === 7 && column < width - 1 ? '  ' : ' ');
      text.append(letter);
    }
    this.element.append(this.offset, codes, text);
  }
}

function change(element: HTMLElement, text: string, mark: string, at: number) {
  const own = element.firstChild as Text | null;
  if (!own) element.textContent = text;
  else if (own.data !== text) own.data = text;
  if (element.className !== mark) element.className = mark;
  const place = String(at);
  if (element.dataset.at !== place) element.dataset.at = place;
}

/** Takes a byte after the end of the file out of a row. It keeps its room, so that the text stays in its column. */
function clear(element: HTMLElement, room: string) {
  change(element, room, '', 0);
  delete element.dataset.at;
}

export class Hex {
  readonly box = el('div', { class: 'hex list', tabindex: 0, role: 'grid', 'aria-multiselectable': 'true' });
  private readonly list: VirtualList;
  private readonly pieces: Pieces;
  private readonly digits: number;
  private width = widths[0];
  private rows: HexRow[] = [];
  /** Changes when rows that are drawn may be out of date. */
  private version = 0;
  private from = 0;
  private to = 0;
  /** The field to which the selected byte belongs. */
  private around: [number, number] = [0, 0];
  /** The other end of a range that is extended. */
  private anchor = 0;
  private dragged = false;
  caret = 0;

  constructor(private readonly context: Context, private readonly lines: Lines, private readonly events: HexEvents) {
    const { bytes } = context.about;
    this.digits = Math.max(bytes < 0x10000 ? 4 : 8, Math.max(0, bytes - 1).toString(16).length);
    this.box.setAttribute('aria-label', t('hex'));
    this.list = new VirtualList(this.box, rowHeight, (from, to) => this.draw(from, to), 'rowgroup');
    this.pieces = new Pieces(context, () => this.refresh());
    this.fit();
    this.box.addEventListener('keydown', (event) => this.key(event));
    this.box.addEventListener('pointerdown', (event) => this.press(event));
    this.box.addEventListener('pointermove', (event) => this.drag(event));
    this.box.addEventListener('pointerup', (event) => this.release(event));
    this.box.addEventListener('dblclick', () => this.events.field());
    // A finger that scrolls chooses nothing.
    this.box.addEventListener('pointercancel', () => (this.dragged = false));
    new ResizeObserver(() => this.fit()).observe(this.box);
  }

  /** Chooses the number of bytes in a row. */
  private fit() {
    const room = this.box.clientWidth;
    const letter = parseFloat(getComputedStyle(this.box).fontSize) * 0.62;
    const fits = (width: number) => this.rowLetters(width) * letter <= room;
    const isHidden = room === 0;
    const width = isHidden ? this.width : widths.find(fits) ?? widths.at(-1)!;
    if (width === this.width && this.rows.length > 0) return;
    this.width = width;
    this.rows = [new HexRow(width)];
    const lines = Math.ceil(this.context.about.bytes / width);
    this.box.style.setProperty('--hex-width', `${this.rowLetters(width)}ch`);
    this.box.setAttribute('aria-rowcount', String(lines));
    this.list.setCount(lines);
    // A box without a size has nothing in view.
    if (!isHidden) this.list.show(Math.floor(this.caret / width));
    this.refresh();
  }

  /** The letters of a row: offset, codes, text, and the gaps. */
  private rowLetters(width: number): number {
    return this.digits + width * 4 + Math.max(0, width / 8 - 1) + 4;
  }

  /** The range for `Copy` and the like: the marked bytes, or the one at the caret. */
  get range(): [number, number] {
    return this.to > this.from ? [this.from, this.to - this.from] : [this.caret, 1];
  }

  /** Selects a range and shows its start. */
  mark(offset: number, bytes: number) {
    this.from = offset;
    this.to = Math.min(offset + bytes, this.context.about.bytes);
    this.around = [0, 0];
    this.caret = offset;
    this.anchor = offset;
    this.list.show(Math.floor(offset / this.width), true);
    this.refresh();
  }

  /** Selects one byte, and shows more faintly to which field it belongs. */
  markByte(offset: number, field: number, bytes: number) {
    this.mark(offset, 1);
    this.around = [field, field + bytes];
  }

  /** Moves the caret, which chooses its byte. */
  moveTo(offset: number) {
    this.caret = this.clamp(offset);
    this.anchor = this.caret;
    this.list.show(Math.floor(this.caret / this.width));
    this.events.chosen(this.caret);
    this.refresh();
  }

  /** Moves the caret, and selects from the anchor to it. */
  private extendTo(offset: number) {
    this.caret = this.clamp(offset);
    this.around = [0, 0];
    this.from = Math.min(this.anchor, this.caret);
    this.to = Math.min(Math.max(this.anchor, this.caret) + 1, this.context.about.bytes);
    this.list.show(Math.floor(this.caret / this.width));
    this.events.ranged();
    this.refresh();
  }

  refresh() {
    this.version += 1;
    this.list.update();
  }

  private clamp(offset: number): number {
    return Math.min(Math.max(0, offset), Math.max(0, this.context.about.bytes - 1));
  }

  private draw(from: number, to: number): HTMLElement[] {
    while (this.rows.length < to - from) {
      const wanted = to - from + spareRows;
      this.rows = Array.from({ length: wanted }, () => new HexRow(this.width));
    }
    const elements: HTMLElement[] = [];
    for (let line = from; line < to; line++) {
      const row = this.rows[line % this.rows.length];
      if (row.line !== line || row.version !== this.version) this.fill(row, line);
      elements.push(row.element);
    }
    const line = Math.floor(this.caret / this.width);
    if (line >= from && line < to) this.box.setAttribute('aria-activedescendant', `h${line}`);
    else this.box.removeAttribute('aria-activedescendant');
    return elements;
  }

  private fill(row: HexRow, line: number) {
    if (row.line !== line) {
      row.element.id = `h${line}`;
      row.element.setAttribute('aria-rowindex', String(line + 1));
      row.offset.textContent = (line * this.width).toString(16).padStart(this.digits, '0');
    }
    row.line = line;
    row.version = this.version;
    // The lines of a file come in its order, so one search is enough for the bytes of one line.
    let field = -1;
    let end = 0;
    for (let column = 0; column < this.width; column++) {
      const at = line * this.width + column;
      if (at >= this.context.about.bytes) {
        clear(row.codes[column], '  ');
        clear(row.letters[column], ' ');
        continue;
      }
      if (at >= end) {
        field = this.lines.at(at);
        end = field < 0 ? at + 1 : this.lines.offsets[field] + this.lines.sizes[field];
      }
      const byte = this.pieces.byte(at);
      const code = byte === undefined ? '··' : byte.toString(16).padStart(2, '0');
      const letter = byte === undefined ? ' ' : byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.';
      const mark = this.markOf(at, field);
      change(row.codes[column], code, mark, at);
      change(row.letters[column], letter, mark, at);
    }
  }

  /** The classes of a byte: the color of its field, whether the field starts here, and whether it is selected. */
  private markOf(at: number, field: number): string {
    const start = field >= 0 && this.lines.offsets[field] === at ? ' start' : '';
    let on = '';
    if (at >= this.from && at < this.to) on = ' on';
    else if (at >= this.around[0] && at < this.around[1]) on = ' around';
    if (at === this.caret) on = ' on caret';
    return `is-${this.lines.color(field)}${start}${on}`;
  }

  private byteAt(event: PointerEvent): number {
    const target = event.target as HTMLElement;
    // While the pointer is captured, the target is the box.
    const under = target === this.box ? document.elementFromPoint(event.clientX, event.clientY) : target;
    const at = (under as HTMLElement | null)?.dataset?.at;
    return at === undefined ? -1 : Number(at);
  }

  private press(event: PointerEvent) {
    const at = this.byteAt(event);
    if (at < 0 || event.button !== 0) return;
    this.box.focus({ preventScroll: true });
    event.preventDefault();
    if (event.shiftKey) {
      this.extendTo(at);
      return;
    }
    this.dragged = true;
    this.caret = at;
    this.anchor = at;
    // A finger scrolls.
    if (event.pointerType === 'mouse') this.box.setPointerCapture(event.pointerId);
  }

  private drag(event: PointerEvent) {
    if (!this.dragged || event.pointerType !== 'mouse') return;
    const box = this.box.getBoundingClientRect();
    let at = this.byteAt(event);
    // Beyond the edge, the selection goes on by rows.
    if (event.clientY < box.top) at = this.caret - this.width;
    if (event.clientY > box.bottom) at = this.caret + this.width;
    if (event.clientY < box.top || event.clientY > box.bottom || (at >= 0 && at !== this.caret)) this.extendTo(at);
  }

  private release(event: PointerEvent) {
    if (!this.dragged) return;
    this.dragged = false;
    if (this.box.hasPointerCapture(event.pointerId)) this.box.releasePointerCapture(event.pointerId);
    // A click chooses a byte.
    const isRange = this.caret !== this.anchor;
    if (!isRange) this.moveTo(this.caret);
  }

  private key(event: KeyboardEvent) {
    if (event.altKey || event.metaKey) return;
    const last = this.context.about.bytes - 1;
    const line = this.caret - (this.caret % this.width);
    const page = this.width * this.list.page;
    const steps: Record<string, number> = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.width, ArrowDown: this.width, PageUp: -page, PageDown: page,
    };
    let to: number;
    if (event.key in steps) to = this.caret + steps[event.key];
    else if (event.key === 'Home') to = event.ctrlKey ? 0 : line;
    else if (event.key === 'End') to = event.ctrlKey ? last : line + this.width - 1;
    else if (event.key === 'a' && event.ctrlKey) {
      event.preventDefault();
      this.anchor = 0;
      this.extendTo(last);
      return;
    } else if (event.key === 'Enter') {
      event.preventDefault();
      this.events.field();
      return;
    } else return;
    event.preventDefault();
    if (event.shiftKey) this.extendTo(to);
    else this.moveTo(to);
  }
}
