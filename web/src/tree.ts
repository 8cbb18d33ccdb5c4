// A tree as a virtual list with the keys of a tree: used for files and for the parts of one file.
import { el } from './dom';
import { VirtualList } from './list';

export interface Row {
  label: string;
  depth: number;
  /** `undefined` for a leaf. */
  expanded?: boolean;
  kind?: string;
  detail?: string;
  /** A warning, in words. */
  sign?: string;
}

export interface TreeModel {
  count(): number;
  row(index: number): Row;
  /** What a row shows. It may get another row, which `indexOf` finds; -1 if it has none. */
  item(index: number): unknown;
  indexOf(item: unknown): number;
  toggle(index: number, expand: boolean): void;
  /** The row around this one, or -1. */
  parent(index: number): number;
  /** A row became the current one. */
  select(index: number, how: 'move' | 'open'): void;
  /** The name of a row, by whose first letters it is found. Without this, letters do nothing. */
  label?(index: number): string;
  /** The key Delete was pressed. */
  close?(index: number): void;
}

/** Letters that follow each other within this time, in milliseconds, are one word. */
const mostBetweenLetters = 800;

let nextTree = 0;

export class TreeView {
  readonly list: VirtualList;
  current = -1;
  private readonly id = `t${nextTree++}`;
  /** What is shown by the elements of rows. */
  private readonly items = new WeakMap<Element, unknown>();
  private typed = '';
  private typedAt = 0;

  constructor(readonly box: HTMLElement, label: string, private readonly model: TreeModel) {
    box.tabIndex = 0;
    box.setAttribute('role', 'tree');
    this.label(label);
    this.list = new VirtualList(box, 24, (from, to) => this.rows(from, to));
    this.list.keepPressed();
    box.addEventListener('keydown', (event) => this.key(event));
    box.addEventListener('click', (event) => this.click(event));
    box.addEventListener('focus', () => {
      // A press chooses its own row.
      if (this.current < 0 && this.model.count() > 0 && !this.list.isPressed) this.move(0, false);
    });
  }

  label(label: string) {
    this.box.setAttribute('aria-label', label);
  }

  refresh() {
    if (this.current >= this.model.count()) this.current = this.model.count() - 1;
    this.list.setCount(this.model.count());
  }

  /** Makes a row the current one without calling the model. */
  mark(index: number, center = true) {
    this.current = index;
    if (index >= 0) this.list.show(index, center);
    this.list.update();
  }

  private rows(from: number, to: number): HTMLElement[] {
    const rows: HTMLElement[] = [];
    for (let index = from; index < to; index++) {
      const { label, depth, expanded, kind, detail, sign } = this.model.row(index);
      const row = el('div', { role: 'treeitem', id: `${this.id}-${index}`, class: `row ${kind ?? ''}`, 'data-index': index });
      this.items.set(row, this.model.item(index));
      row.setAttribute('aria-level', String(depth + 1));
      row.setAttribute('aria-selected', String(index === this.current));
      if (expanded !== undefined) row.setAttribute('aria-expanded', String(expanded));
      const mark = el('span', { class: 'twist', 'aria-hidden': 'true' }, expanded === undefined ? '' : expanded ? '▾' : '▸');
      mark.style.marginInlineStart = `${Math.min(depth, 40) * 14}px`;
      row.append(mark, el('span', { class: 'label' }, label), sign ? el('span', { class: 'sign', role: 'img', 'aria-label': sign, title: sign }, '⚠') : '', detail ? el('span', { class: 'detail' }, detail) : '');
      rows.push(row);
    }
    if (this.current >= from && this.current < to) this.box.setAttribute('aria-activedescendant', `${this.id}-${this.current}`);
    else this.box.removeAttribute('aria-activedescendant');
    return rows;
  }

  private move(index: number, select = true) {
    const last = this.model.count() - 1;
    this.current = Math.min(Math.max(0, index), last);
    this.list.show(this.current);
    this.list.update();
    if (select && this.current >= 0) this.model.select(this.current, 'move');
  }

  private click(event: MouseEvent) {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>('[data-index]');
    if (!row) return;
    // Rows may have come or gone since it was drawn.
    const index = this.model.indexOf(this.items.get(row));
    if (index < 0) return;
    const { expanded } = this.model.row(index);
    if (expanded !== undefined && target.classList.contains('twist')) {
      this.model.toggle(index, !expanded);
      return;
    }
    this.current = index;
    this.list.update();
    this.model.select(index, 'open');
  }

  private key(event: KeyboardEvent) {
    if (this.model.count() === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const row = this.current >= 0 ? this.model.row(this.current) : undefined;
    switch (event.key) {
      case 'ArrowDown': this.move(this.current + 1); break;
      case 'ArrowUp': this.move(this.current - 1); break;
      case 'PageDown': this.move(this.current + this.list.page); break;
      case 'PageUp': this.move(this.current - this.list.page); break;
      case 'Home': this.move(0); break;
      case 'End': this.move(this.model.count() - 1); break;
      case 'ArrowRight':
        if (row?.expanded === false) this.model.toggle(this.current, true);
        else if (row?.expanded) this.move(this.current + 1);
        break;
      case 'ArrowLeft':
        if (row?.expanded) this.model.toggle(this.current, false);
        else if (this.model.parent(this.current) >= 0) this.move(this.model.parent(this.current));
        break;
      case 'Enter':
      case ' ':
        if (event.key === ' ' && this.isTyping(event)) this.type(event);
        else if (this.current >= 0) this.model.select(this.current, 'open');
        break;
      case 'Delete':
        if (!this.model.close || this.current < 0) return;
        this.model.close(this.current);
        break;
      default:
        // The page has the slash for its filter.
        if (!this.model.label || event.key.length !== 1 || event.key === '/') return;
        this.type(event);
    }
    event.preventDefault();
  }

  private isTyping(event: KeyboardEvent): boolean {
    return this.model.label !== undefined && this.typed !== '' && event.timeStamp - this.typedAt < mostBetweenLetters;
  }

  /** Goes to the next row whose name starts with what was typed; the same letter again goes on. */
  private type(event: KeyboardEvent) {
    this.typed = this.isTyping(event) ? this.typed + event.key.toLowerCase() : event.key.toLowerCase();
    this.typedAt = event.timeStamp;
    const isOneLetter = [...this.typed].every((letter) => letter === this.typed[0]);
    const wanted = isOneLetter ? this.typed[0] : this.typed;
    const count = this.model.count();
    const start = Math.max(0, this.current) + (isOneLetter ? 1 : 0);
    for (let step = 0; step < count; step++) {
      const index = (start + step) % count;
      if (this.model.label!(index).toLowerCase().startsWith(wanted)) {
        this.move(index);
        return;
      }
    }
  }
}
