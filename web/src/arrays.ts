// Arrays as a table of any length, a plot of a column, and files to save.
import { button, el, fileName, labelled, save, select } from './dom';
import { VirtualList } from './list';
import type { Context, Panel } from './panel';
import { grouped, t } from './strings';

interface Listed {
  selector: string;
  rows: number;
  columns: string[];
  stored: string;
}

interface Table {
  columns: { name: string; type: string }[];
  rows: number;
}

/** Rows of a page that is read and kept. */
const page = 256;
const plotParts = 400;

export class Arrays implements Panel {
  readonly element = el('div', { class: 'arrays' });
  private list: VirtualList | undefined;
  private readonly body = el('div', { class: 'array-body' });
  private selector = '';

  constructor(private readonly context: Context, listed: Listed[], wanted?: string) {
    const label = ({ selector, rows, stored }: Listed) => `${selector}  (${grouped(rows)}, ${stored})`;
    const first = listed.find((array) => array.selector === wanted) ?? listed[0];
    const control = select(listed.map((array): [string, string] => [array.selector, label(array)]), first.selector, (selector) => void this.open(selector));
    this.element.append(el('div', { class: 'tools' }, labelled(t('array'), control)), this.body);
    void this.open(first.selector);
  }

  shown() {
    this.list?.update();
  }

  private async open(selector: string) {
    this.selector = selector;
    try {
      const table = await this.context.client.json<Table>(this.context.handle, 'array', selector);
      if (this.selector !== selector) return;
      this.context.selected(selector);
      this.show(table);
    } catch (error) {
      this.body.replaceChildren(el('p', { class: 'error' }, error instanceof Error ? error.message : String(error)));
    }
  }

  private show({ columns, rows }: Table) {
    const { client, handle, about } = this.context;
    const saveAs = (method: string, ending: string, type: string) => button(t(method === 'array_csv' ? 'saveCsv' : 'saveNpy'), () => {
      client.ask<Uint8Array>(handle, method).then(
        (bytes) => save(fileName(`${about.address}_${this.selector.replaceAll('/', '_')}`, ending), bytes as BlobPart, type),
        (error: unknown) => this.context.failed(error),
      );
    });
    const head = el('div', { class: 'row cells head', role: 'row', 'aria-rowindex': 1 }, el('span', { role: 'columnheader' }, t('row')));
    for (const { name, type } of columns) head.append(el('span', { role: 'columnheader', title: type }, name));
    const box = el('div', { class: 'list grid', tabindex: 0, role: 'grid', 'aria-label': t('table'), 'aria-rowcount': rows + 1 });
    const pages = new Map<number, Float64Array | null>();
    const fetch = async (index: number) => {
      if (pages.size > 64) pages.delete(pages.keys().next().value!);
      pages.set(index, null);
      pages.set(index, await client.ask<Float64Array>(handle, 'array_rows', index * page, page));
      this.list?.update();
    };
    this.list = new VirtualList(box, 22, (from, to) => {
      const made: HTMLElement[] = [];
      for (let row = from; row < to; row++) {
        const cells = el('div', { class: 'row cells', role: 'row', 'aria-rowindex': row + 2 }, el('span', { class: 'offset', role: 'rowheader' }, String(row)));
        const index = Math.floor(row / page);
        const numbers = pages.get(index);
        if (numbers === undefined) fetch(index).catch((error: unknown) => this.context.failed(error));
        columns.forEach(({ type }, column) => {
          const number = numbers?.[(row - index * page) * columns.length + column];
          cells.append(el('span', { role: 'gridcell' }, number === undefined ? '' : type.startsWith('f') ? String(Number(number.toPrecision(9))) : String(number)));
        });
        made.push(cells);
      }
      return made;
    }, 'rowgroup', head);
    this.list.setCount(rows);
    const figure = el('figure');
    const control = select(columns.map(({ name }, index): [string, string] => [String(index), name]), '0', (index) => void this.plot(figure, Number(index), columns[Number(index)].name));
    this.body.replaceChildren(
      el('div', { class: 'tools' }, el('span', {}, t('rows', grouped(rows))), saveAs('array_csv', '.csv', 'text/csv'), saveAs('array_npy', '.npy', 'application/octet-stream'), labelled(t('plot'), control)),
      figure, box,
    );
    if (columns.length > 0) void this.plot(figure, 0, columns[0].name);
  }

  /** Draws the least and greatest values along a column. */
  private async plot(figure: HTMLElement, column: number, name: string) {
    const parts = await this.context.client.ask<Float64Array>(this.context.handle, 'array_plot', column, plotParts);
    const finite = parts.filter(Number.isFinite);
    const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
    const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    if (finite.length === 0) return figure.replaceChildren();
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
    const text = t('plotLabel', name, String(Number(least.toPrecision(6))), String(Number(most.toPrecision(6))));
    svg.setAttribute('aria-label', text);
    const line = document.createElementNS(space, 'path');
    line.setAttribute('d', path);
    svg.append(line);
    figure.replaceChildren(svg, el('figcaption', {}, text));
  }
}
