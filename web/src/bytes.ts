// The tree of parts and fields beside the bytes. Selecting in one selects in the other.
import { button, el, labelled, select } from './dom';
import { VirtualList } from './list';
import type { Context, Panel } from './panel';
import { bytesCount, grouped, hexOffset, short, t } from './strings';
import { type Row, type TreeModel, TreeView } from './tree';

interface Line {
  depth: number;
  selector: string | null;
  name: string;
  kind: string;
  offset: number | null;
  bytes: number | null;
  type: string | null;
  value: unknown;
  note: string | null;
}

interface Field {
  record: string;
  field: string;
  document: string | null;
  type: string;
  doc: string;
}

const kinds = ['part', 'field', 'array', 'gap', 'problem'];
/** The bytes of a piece that is read and kept. */
const piece = 4096;
const mostPieces = 512;
/** The bytes of one search step: the search can be cancelled between two. */
const searchStep = 16 << 20;
const mostCopied = 1 << 20;

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The lines of a file, of which expanded parts show what is in them. */
class Lines implements TreeModel {
  count_ = 0;
  cut = false;
  depths = new Uint32Array();
  offsets = new Float64Array();
  sizes = new Float64Array();
  kinds = new Uint8Array();
  /** Where the lines inside each line end. */
  private ends = new Uint32Array();
  private expanded = new Uint8Array();
  visible = new Uint32Array();
  /** Lines with bytes and nothing in them, in the order of the file. */
  private leaves = new Uint32Array();
  private rows = new Map<number, Line | null>();
  private wanted = new Set<number>();

  constructor(private readonly context: Context, private readonly changed: () => void, private readonly onselect: (line: number, how: 'move' | 'open') => void) {}

  async load() {
    const { client, handle } = this.context;
    const { lines, cut } = await client.json<{ lines: number; cut: boolean }>(handle, 'tree');
    this.count_ = lines;
    this.cut = cut;
    [this.depths, this.offsets, this.sizes, this.kinds] = await Promise.all([
      client.ask<Uint32Array<ArrayBuffer>>(handle, 'tree_depths'), client.ask<Float64Array<ArrayBuffer>>(handle, 'tree_offsets'),
      client.ask<Float64Array<ArrayBuffer>>(handle, 'tree_bytes'), client.ask<Uint8Array<ArrayBuffer>>(handle, 'tree_kinds'),
    ]);
    this.ends = new Uint32Array(lines).fill(lines);
    const open: number[] = [];
    const leaves: number[] = [];
    for (let line = 0; line < lines; line++) {
      while (open.length > 0 && this.depths[open.at(-1)!] >= this.depths[line]) this.ends[open.pop()!] = line;
      open.push(line);
    }
    for (let line = 0; line < lines; line++) if (this.ends[line] === line + 1 && this.offsets[line] >= 0 && this.sizes[line] > 0) leaves.push(line);
    leaves.sort((a, b) => this.offsets[a] - this.offsets[b]);
    this.leaves = Uint32Array.from(leaves);
    this.expanded = new Uint8Array(lines);
    if (lines <= 300) this.expanded.fill(1);
    this.refresh();
  }

  refresh() {
    const visible: number[] = [];
    for (let line = 0; line < this.count_; line = this.expanded[line] ? line + 1 : this.ends[line]) visible.push(line);
    this.visible = Uint32Array.from(visible);
    this.changed();
  }

  setAll(expanded: boolean) {
    this.expanded.fill(expanded ? 1 : 0);
    this.refresh();
  }

  count(): number {
    return this.visible.length;
  }

  isPart(line: number): boolean {
    return this.ends[line] > line + 1;
  }

  /** The line as JSON; `undefined` until it is here. */
  line(line: number): Line | undefined {
    const row = this.rows.get(line);
    if (row !== undefined) return row ?? undefined;
    if (this.wanted.size === 0) setTimeout(() => void this.fetch().catch((error: unknown) => this.context.failed(error)));
    this.wanted.add(line);
    return undefined;
  }

  async fetch(line?: number): Promise<void> {
    const wanted = line === undefined ? [...this.wanted] : [line];
    if (line === undefined) this.wanted.clear();
    const rows = await this.context.client.json<(Line | null)[]>(this.context.handle, 'tree_rows', Uint32Array.from(wanted));
    if (this.rows.size > 5000) this.rows.clear();
    wanted.forEach((number, index) => this.rows.set(number, rows[index]));
    this.changed();
  }

  row(index: number): Row {
    const line = this.visible[index];
    const row = this.line(line);
    const base = this.isPart(line) ? { expanded: this.expanded[line] === 1 } : {};
    const kind = kinds[this.kinds[line]];
    if (!row) return { label: '…', depth: this.depths[line], kind, ...base };
    const value = shown(row.value);
    const said = short(row.note ?? '', 200);
    const note = said && value ? ` (${said})` : said;
    const detail = `${short(value, 200)}${note}` || (row.kind === 'array' || row.kind === 'part' ? row.type ?? '' : '');
    return { label: short(row.name, 200), depth: row.depth, kind, detail, ...base };
  }

  toggle(index: number, expand: boolean) {
    this.expanded[this.visible[index]] = expand ? 1 : 0;
    this.refresh();
  }

  parentLine(line: number): number {
    const depth = this.depths[line];
    let above = line - 1;
    while (above >= 0 && this.depths[above] >= depth) above--;
    return above;
  }

  parent(index: number): number {
    const above = this.parentLine(this.visible[index]);
    return above < 0 ? -1 : this.place(above);
  }

  select(index: number, how: 'move' | 'open') {
    this.onselect(this.visible[index], how);
  }

  /** The place of a line among the visible ones, or -1. */
  place(line: number): number {
    let [low, high] = [0, this.visible.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.visible[middle] < line) low = middle + 1;
      else high = middle;
    }
    return this.visible[low] === line ? low : -1;
  }

  /** Expands what is around a line. Returns its place. */
  reveal(line: number): number {
    if (this.place(line) < 0) {
      for (let above = this.parentLine(line); above >= 0; above = this.parentLine(above)) this.expanded[above] = 1;
      this.refresh();
    }
    return this.place(line);
  }

  /** The line that has this byte, or -1. */
  at(offset: number): number {
    let [low, high] = [0, this.leaves.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offsets[this.leaves[middle]] <= offset) low = middle + 1;
      else high = middle;
    }
    const line = this.leaves[low - 1];
    return line !== undefined && offset < this.offsets[line] + this.sizes[line] ? line : -1;
  }
}

/** Bytes of the file, piece by piece. */
class Pieces {
  private readonly pieces = new Map<number, Uint8Array | null>();

  constructor(private readonly context: Context, private readonly changed: () => void) {}

  byte(offset: number): number | undefined {
    const index = Math.floor(offset / piece);
    const bytes = this.pieces.get(index);
    if (bytes === undefined) void this.fetch(index).catch((error: unknown) => this.context.failed(error));
    return bytes?.[offset - index * piece];
  }

  private async fetch(index: number) {
    if (this.pieces.size >= mostPieces) this.pieces.delete(this.pieces.keys().next().value!);
    this.pieces.set(index, null);
    try {
      this.pieces.set(index, await this.context.client.ask<Uint8Array>(this.context.handle, 'bytes', index * piece, piece));
    } finally {
      if (this.pieces.get(index) === null) this.pieces.delete(index);
    }
    this.changed();
  }
}

class Hex {
  readonly box = el('div', { class: 'hex list', tabindex: 0, role: 'grid' });
  private readonly list: VirtualList;
  private readonly pieces: Pieces;
  private readonly width: number;
  private readonly digits: number;
  private from = -1;
  private to = -1;
  caret = 0;

  constructor(private readonly context: Context, private readonly oncaret: (offset: number) => void) {
    this.width = window.innerWidth < 700 ? 8 : 16;
    this.digits = Math.max(8, context.about.bytes.toString(16).length);
    this.box.setAttribute('aria-label', t('hex'));
    this.box.setAttribute('aria-rowcount', String(Math.ceil(context.about.bytes / this.width)));
    this.box.style.setProperty('--hex-width', `${this.digits + this.width * 4 + 6}ch`);
    this.list = new VirtualList(this.box, 20, (from, to) => this.rows(from, to), 'rowgroup');
    this.pieces = new Pieces(context, () => this.list.update());
    this.list.setCount(Math.ceil(context.about.bytes / this.width));
    this.box.addEventListener('keydown', (event) => this.key(event));
    this.box.addEventListener('click', (event) => {
      const at = (event.target as HTMLElement).dataset.at;
      if (at !== undefined) this.moveTo(Number(at));
    });
  }

  private rows(from: number, to: number): HTMLElement[] {
    const rows: HTMLElement[] = [];
    for (let line = from; line < to; line++) {
      const start = line * this.width;
      const row = el('div', { class: 'row', role: 'row', id: `h${line}`, 'aria-rowindex': line + 1 });
      const hex = el('span', { class: 'codes', role: 'gridcell' });
      const text = el('span', { class: 'text', role: 'gridcell' });
      for (let at = start; at < Math.min(start + this.width, this.context.about.bytes); at++) {
        const byte = this.pieces.byte(at);
        const mark = at === this.caret ? 'on caret' : at >= this.from && at < this.to ? 'on' : '';
        const code = byte === undefined ? '··' : byte.toString(16).padStart(2, '0');
        const letter = byte === undefined ? ' ' : byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.';
        hex.append(el('span', { class: mark, 'data-at': at }, code), at % 8 === 7 ? '  ' : ' ');
        text.append(el('span', { class: mark, 'data-at': at }, letter));
      }
      // The text of the last line is in its column, too.
      for (let at = Math.max(start, this.context.about.bytes); at < start + this.width; at++) hex.append(at % 8 === 7 ? '    ' : '   ');
      row.append(el('span', { class: 'offset', role: 'rowheader' }, start.toString(16).padStart(this.digits, '0')), hex, text);
      rows.push(row);
    }
    const line = Math.floor(this.caret / this.width);
    if (line >= from && line < to) this.box.setAttribute('aria-activedescendant', `h${line}`);
    else this.box.removeAttribute('aria-activedescendant');
    return rows;
  }

  /** Marks a range and shows its start. */
  mark(offset: number, bytes: number, caret = offset) {
    [this.from, this.to, this.caret] = [offset, offset + bytes, caret];
    this.list.show(Math.floor(caret / this.width), true);
    this.list.update();
  }

  get range(): [number, number] {
    return this.to > this.from ? [this.from, this.to - this.from] : [this.caret, 1];
  }

  moveTo(offset: number) {
    const last = Math.max(0, this.context.about.bytes - 1);
    this.caret = Math.min(Math.max(0, offset), last);
    this.list.show(Math.floor(this.caret / this.width));
    this.oncaret(this.caret);
    this.list.update();
  }

  shown() {
    this.list.update();
  }

  private key(event: KeyboardEvent) {
    if (event.altKey || event.metaKey) return;
    const page = this.width * this.list.page;
    const steps: Record<string, number> = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.width, ArrowDown: this.width, PageUp: -page, PageDown: page,
    };
    if (event.key in steps) this.moveTo(this.caret + steps[event.key]);
    else if (event.key === 'Home') this.moveTo(event.ctrlKey ? 0 : this.caret - (this.caret % this.width));
    else if (event.key === 'End') this.moveTo(event.ctrlKey ? this.context.about.bytes - 1 : this.caret - (this.caret % this.width) + this.width - 1);
    else return;
    event.preventDefault();
  }
}

export class Bytes implements Panel {
  readonly element = el('div', { class: 'bytes' });
  private readonly lines: Lines;
  private readonly tree: TreeView;
  private readonly hex: Hex;
  private readonly detail = el('div', { class: 'detail-pane', role: 'region', tabindex: 0 });
  private readonly ready: Promise<void>;
  private schema: Promise<Field[]> | undefined;
  private line = -1;

  constructor(private readonly context: Context) {
    const box = el('div', { class: 'list', id: 'tree' });
    this.lines = new Lines(context, () => this.tree.refresh(), (line) => this.choose(line, false));
    this.tree = new TreeView(box, t('tree'), this.lines);
    this.hex = new Hex(context, (offset) => this.caret(offset));
    this.hex.box.id = 'hex';
    this.detail.setAttribute('aria-label', t('details'));
    this.detail.append(el('p', {}, t('noFields')));
    this.element.append(this.tools(), el('div', { class: 'panes' }, box, this.hex.box), this.detail);
    this.ready = this.lines.load().then(() => {
      if (this.lines.cut) context.say(t('cut', grouped(this.lines.count_)));
    });
    this.ready.catch((error: unknown) => context.failed(error));
  }

  shown() {
    this.tree.list.update();
    this.hex.shown();
  }

  private tools(): HTMLElement {
    const offset = el('input', { type: 'text', size: 10, spellcheck: 'false', autocomplete: 'off' });
    const go = el('form', { onsubmit: (event: Event) => {
      event.preventDefault();
      const place = /^(0x[0-9a-f]+|\d+)$/i.test(offset.value.trim()) ? Number(offset.value) : NaN;
      if (Number.isNaN(place)) this.context.say(t('notOffset'));
      else this.hex.moveTo(place);
    } }, labelled(t('goTo'), offset), el('button', { type: 'submit' }, t('go')));
    const wanted = el('input', { type: 'search', size: 14, spellcheck: 'false', autocomplete: 'off' });
    const form = select([['text', t('searchText')], ['hex', t('searchHex')]], 'text', () => {});
    form.setAttribute('aria-label', t('search'));
    const find = el('form', { role: 'search', onsubmit: (event: Event) => {
      event.preventDefault();
      this.search(wanted.value, form.value === 'hex').catch((error: unknown) => this.context.failed(error));
    } }, labelled(t('searchFor'), wanted), form, el('button', { type: 'submit' }, t('next')));
    return el('div', { class: 'tools' }, go, find, button(t('expandAll'), () => this.lines.setAll(true)), button(t('collapseAll'), () => this.lines.setAll(false)));
  }

  private async search(text: string, isHex: boolean) {
    const digits = text.replace(/\s+/g, '');
    if (isHex && !/^([0-9a-f]{2})+$/i.test(digits)) return this.context.say(t('notHex'));
    const wanted = isHex ? Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16)) : new TextEncoder().encode(text);
    if (wanted.length === 0) return;
    for (let from = this.hex.caret + 1; from < this.context.about.bytes; from += searchStep) {
      this.context.progress(from, this.context.about.bytes);
      const found = await this.context.client.ask<number>(this.context.handle, 'search', wanted, from, searchStep);
      if (found >= 0) {
        this.context.say('');
        this.hex.moveTo(found);
        this.hex.mark(found, wanted.length);
        return;
      }
    }
    this.context.say(t('notFound'));
  }

  /** A byte was chosen: the field that it belongs to becomes the current line. */
  private caret(offset: number) {
    const line = this.lines.at(offset);
    if (line < 0) {
      this.hex.mark(offset, 1);
      return;
    }
    this.tree.mark(this.lines.reveal(line));
    this.choose(line, true, offset);
  }

  private choose(line: number, keepsCaret: boolean, caret?: number) {
    this.line = line;
    const offset = this.lines.offsets[line];
    if (offset >= 0) this.hex.mark(offset, this.lines.sizes[line], keepsCaret ? caret : offset);
    this.describe(line).catch((error: unknown) => this.context.failed(error));
  }

  /** Shows a selector, as from an address. */
  async goToSelector(selector: string) {
    await this.ready;
    const line = await this.context.client.ask<number>(this.context.handle, 'tree_find', selector);
    if (line < 0) return;
    this.tree.mark(this.lines.reveal(line));
    this.choose(line, false);
  }

  async goToOffset(offset: number) {
    await this.ready;
    this.hex.moveTo(offset);
  }

  private async describe(line: number) {
    if (!this.lines.line(line)) await this.lines.fetch(line);
    const row = this.lines.line(line);
    if (!row || line !== this.line) return;
    this.context.selected(row.selector ?? '');
    const list = el('dl', { class: 'pairs' });
    const pair = (name: string, value: string | null) => {
      if (value) list.append(el('dt', {}, name), el('dd', {}, value));
    };
    const value = shown(row.value);
    pair(t('name'), short(row.name));
    pair(t('selector'), row.selector && short(row.selector));
    pair(t('type'), row.type);
    pair(t('value'), short(value, 2000) + (row.note ? ` (${short(row.note)})` : ''));
    if (row.offset !== null) pair(t('offset'), `${hexOffset(row.offset)} (${grouped(row.offset)}), ${bytesCount(row.bytes ?? 0)}`);
    const buttons = el('div', { class: 'tools' }, button(t('copyHex'), () => void this.copyHex()));
    if (value) buttons.append(button(t('copyValue'), () => void this.copy(value)));
    if (row.selector) buttons.append(button(t('copySelector'), () => void this.copy(row.selector!)));
    this.detail.replaceChildren(list, buttons);
    for (const field of await this.meanings(row)) {
      if (line !== this.line) return;
      pair(`${field.record}.${field.field}`, field.document ? `${t('document')}: ${field.document}` : null);
      pair(t('meaning'), field.doc);
    }
  }

  /** The fields of the format that have this name and type. A name may be that of a field in several records. */
  private async meanings(row: Line): Promise<Field[]> {
    if (row.kind === 'part' || !this.context.about.format) return [];
    this.schema ??= this.context.client.call<string>('schema', this.context.about.format).then((text) => JSON.parse(text) as Field[]);
    const name = row.name.replace(/\[\d+\]$/, '');
    const named = (await this.schema).filter((field) => field.field === name);
    const typed = named.filter((field) => field.type === row.type);
    return (typed.length > 0 ? typed : named).slice(0, 4);
  }

  private async copyHex() {
    const [offset, count] = this.hex.range;
    const bytes = await this.context.client.ask<Uint8Array>(this.context.handle, 'bytes', offset, Math.min(count, mostCopied));
    await this.copy(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' '));
  }

  private async copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      this.context.say(t('copied'));
    } catch (error) {
      this.context.failed(error);
    }
  }
}
