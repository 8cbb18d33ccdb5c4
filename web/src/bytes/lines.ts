// The parts and fields of a file as lines of a tree.
import type { Context } from '../panel';
import type { Line } from '../protocol';
import { short } from '../strings';
import type { Row, TreeModel } from '../tree';

const kinds = ['part', 'field', 'array', 'gap', 'problem'];

/** The kinds of values in the bytes of a line, in the order of the library's numbers. */
const colors = ['other', 'number', 'float', 'text', 'other', 'mixed'] as const;
export type Color = (typeof colors)[number] | 'gap';
/** The colors, as they are explained. */
export const legend: Color[] = ['number', 'float', 'mixed', 'text', 'other', 'gap'];

export function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The lines of a file, of which expanded parts show what is in them. */
export class Lines implements TreeModel {
  count_ = 0;
  cut = false;
  depths = new Uint32Array();
  offsets = new Float64Array();
  sizes = new Float64Array();
  kinds = new Uint8Array();
  types = new Uint8Array();
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
    const { lines, cut } = await client.ask(handle, 'tree');
    this.count_ = lines;
    this.cut = cut;
    [this.depths, this.offsets, this.sizes, this.kinds, this.types] = await Promise.all([
      client.ask(handle, 'tree_depths'), client.ask(handle, 'tree_offsets'),
      client.ask(handle, 'tree_bytes'), client.ask(handle, 'tree_kinds'), client.ask(handle, 'tree_types'),
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
    const rows = await this.context.client.ask(this.context.handle, 'tree_rows', Uint32Array.from(wanted));
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

  item(index: number): number {
    return this.visible[index];
  }

  indexOf(line: number): number {
    return this.visible.indexOf(line);
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

  /** The color of a line's bytes. */
  color(line: number): Color {
    if (line < 0) return 'gap';
    if (this.kinds[line] >= 3) return 'gap';
    return colors[this.types[line]] ?? 'other';
  }
}
