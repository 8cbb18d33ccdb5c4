// Arrays as a table of any length, a plot of a column, and files to save.
import { button, el, fileName, labelled, save, select } from './dom';
import { Latest } from './latest';
import { VirtualList } from './list';
import { messageOf } from './messages';
import type { Context, Panel } from './panel';
import type { Place } from './place';
import type { Answer, Arguments, Calls, ListedArray, Table } from './protocol';
import { float32 } from './shortest';
import { grouped, t } from './strings';

/** Rows of a page that is read and kept. */
const pageRows = 256;
const mostPages = 64;
const plotParts = 400;

/** The calls about the array that the worker keeps. */
type ArrayCall = 'array_texts' | 'array_plot' | 'array_csv' | 'array_npy';

/** The rows of the open array as texts, page by page. */
class Pages {
  private readonly pages = new Map<number, string[][] | null>();

  /** `read` returns rows as lines. */
  constructor(private readonly context: Context, private readonly read: (from: number, count: number) => Promise<string>, private readonly changed: () => void) {}

  /** The cells of a row; nothing until they are read. */
  row(row: number): string[] | undefined {
    const index = Math.floor(row / pageRows);
    const page = this.pages.get(index);
    if (page === undefined) void this.fetch(index);
    return page?.[row - index * pageRows];
  }

  private async fetch(index: number) {
    if (this.pages.size >= mostPages) this.pages.delete(this.pages.keys().next().value!);
    this.pages.set(index, null);
    try {
      const text = await this.read(index * pageRows, pageRows);
      this.pages.set(index, text.split('\n').map((line) => line.split(',')));
      this.changed();
    } catch (error) {
      this.pages.delete(index);
      this.context.failed(error);
    }
  }
}

export class Arrays implements Panel {
  readonly element = el('div', { class: 'arrays' });
  private list: VirtualList | undefined;
  private readonly body = el('div', { class: 'array-body' });
  private readonly figure = el('figure');
  private readonly opened: Latest;
  private readonly plotted: Latest;
  private readonly control: HTMLSelectElement;
  private selector = '';
  /** The number of the file in the worker that keeps the array. */
  private node: Promise<number> | undefined;

  constructor(private readonly context: Context, private readonly listed: ListedArray[]) {
    this.opened = new Latest((error) => this.refused(error));
    this.plotted = new Latest((error) => context.failed(error));
    const label = ({ selector, rows, stored }: ListedArray) => `${selector}  (${grouped(rows)}, ${stored})`;
    const options = listed.map((array): [string, string] => [array.selector, label(array)]);
    const first = this.isListed(context.place.selector) ? context.place.selector! : listed[0].selector;
    this.control = select(options, first, (selector) => this.open(selector));
    this.element.append(el('div', { class: 'tools' }, labelled(t('array'), this.control)), this.body);
    this.open(first);
  }

  shown() {
    if (this.context.place.selector !== this.selector) this.context.move({ selector: this.selector });
    this.list?.update();
  }

  placed({ selector }: Readonly<Place>) {
    if (selector !== this.selector && this.isListed(selector)) this.open(selector!);
  }

  closed() {
    this.opened.stop();
    this.plotted.stop();
  }

  private isListed(selector: string | undefined): boolean {
    return this.listed.some((array) => array.selector === selector);
  }

  private open(selector: string) {
    this.selector = selector;
    this.control.value = selector;
    this.plotted.stop();
    void this.opened.run(async (current) => {
      this.show(await current(this.decode()));
      // In the other tabs, the selector is that of another field.
      if (this.context.place.tab === 'arrays') this.context.move({ selector });
    });
  }

  private async decode(): Promise<Table> {
    const { client, handle } = this.context;
    const node = client.node(handle);
    const table = await client.ask(handle, 'array', this.selector);
    this.node = node;
    return table;
  }

  /** Asks about the array that is open. A worker that was started anew, as after a cancel, has to decode it again. */
  private async ask<M extends ArrayCall>(method: M, ...args: Arguments<Calls[M]>): Promise<Answer<Calls[M]>> {
    const { client, handle } = this.context;
    if (client.node(handle) !== this.node) await this.decode();
    return client.ask(handle, method, ...args);
  }

  private refused(error: unknown) {
    this.body.replaceChildren(el('p', { class: 'error' }, messageOf(error)));
  }

  private show({ columns, rows }: Table) {
    const head = el('div', { class: 'row cells head', role: 'row', 'aria-rowindex': 1 }, el('span', { role: 'columnheader' }, t('row')));
    for (const { name, type } of columns) head.append(el('span', { role: 'columnheader', title: type }, name));
    const box = el('div', { class: 'list grid', tabindex: 0, role: 'grid', 'aria-label': t('table'), 'aria-rowcount': rows + 1 });
    const pages = new Pages(this.context, (from, count) => this.ask('array_texts', from, count), () => list.update());
    const list = new VirtualList(box, 22, (from, to) => {
      const made: HTMLElement[] = [];
      for (let row = from; row < to; row++) made.push(this.row(row, columns.length, pages.row(row)));
      return made;
    }, 'rowgroup', head);
    list.setCount(rows);
    this.list = list;
    this.figure.replaceChildren();
    const control = select(columns.map(({ name }, index): [string, string] => [String(index), name]), '0', (index) => this.plot(columns, Number(index)));
    this.body.replaceChildren(
      el('div', { class: 'tools' }, el('span', {}, t('rows', grouped(rows))),
        button(t('saveCsv'), () => this.save('array_csv', '.csv', 'text/csv')),
        button(t('saveNpy'), () => this.save('array_npy', '.npy', 'application/octet-stream')),
        labelled(t('plot'), control)),
      this.figure, box,
    );
    if (columns.length > 0) this.plot(columns, 0);
  }

  private row(row: number, columns: number, texts: string[] | undefined): HTMLElement {
    const cells = el('div', { class: 'row cells', role: 'row', 'aria-rowindex': row + 2 }, el('span', { class: 'offset', role: 'rowheader' }, String(row)));
    for (let column = 0; column < columns; column++) cells.append(el('span', { role: 'gridcell' }, texts?.[column] ?? ''));
    return cells;
  }

  private save(method: 'array_csv' | 'array_npy', ending: string, type: string) {
    const name = fileName(`${this.context.about.address}_${this.selector.replaceAll('/', '_')}`, ending);
    this.ask(method).then((bytes) => save(name, bytes, type), this.context.failed);
  }

  /** Draws the least and greatest values along a column. */
  private plot(columns: Table['columns'], column: number) {
    void this.plotted.run(async (current) => {
      const parts = await current(this.ask('array_plot', column, plotParts));
      this.draw(parts, columns[column]);
    });
  }

  private draw(parts: Float64Array, { name, type }: Table['columns'][number]) {
    let least = Infinity;
    let most = -Infinity;
    for (const value of parts) {
      if (!Number.isFinite(value)) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    if (least > most) return this.figure.replaceChildren();
    const height = 100;
    const y = (value: number) => (most > least ? height - ((value - least) / (most - least)) * height : height / 2);
    const width = parts.length / 2;
    let path = '';
    for (let index = 0; index < width; index++) {
      const [low, high] = [parts[2 * index], parts[2 * index + 1]];
      if (Number.isFinite(low)) path += `${path ? 'L' : 'M'}${index} ${y(low).toFixed(2)}L${index} ${y(high).toFixed(2)}`;
    }
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('viewBox', `-1 -2 ${Math.max(2, width + 1)} ${height + 4}`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    const inWords = (value: number) => (type.startsWith('f') ? float32(value) : String(value));
    const text = t('plotLabel', name, inWords(least), inWords(most));
    svg.setAttribute('aria-label', text);
    const line = document.createElementNS(space, 'path');
    line.setAttribute('d', path);
    svg.append(line);
    this.figure.replaceChildren(svg, el('figcaption', {}, text));
  }
}
