// A list of any length of which only the rows in view are elements. Browsers clamp heights near 2^24 pixels: a longer list
// scrolls in proportion, and turns of the wheel still move by rows.

import { Press } from './dom';

const tallest = 8_000_000;

export class VirtualList {
  private readonly space = document.createElement('div');
  private readonly layer = document.createElement('div');
  private count = 0;
  /** The place of the view in pixels, as if all rows were there. */
  private position = 0;
  private expected = -1;
  private pending = false;
  private press: Press | undefined;

  constructor(
    readonly box: HTMLElement,
    readonly rowHeight: number,
    private readonly render: (from: number, to: number) => HTMLElement[],
    rowsRole = 'presentation',
    private readonly head?: HTMLElement,
  ) {
    box.classList.add('virtual');
    this.space.className = 'space';
    this.space.setAttribute('role', 'presentation');
    this.layer.className = 'layer';
    this.layer.setAttribute('role', rowsRole);
    box.replaceChildren(this.layer, this.space);
    box.addEventListener('scroll', () => this.scrolled());
    box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.update()).observe(box);
  }

  /** From now on, rows stay as they are while one is pressed. */
  keepPressed() {
    this.press = new Press(this.box, () => this.update());
  }

  get isPressed(): boolean {
    return this.press?.isDown ?? false;
  }

  private get height(): number {
    return this.count * this.rowHeight;
  }

  private get scaled(): boolean {
    return this.height > tallest;
  }

  /** The height of the view, without the row that stays. */
  private get room(): number {
    return this.box.clientHeight - (this.head ? this.rowHeight : 0);
  }

  private get most(): number {
    return Math.max(0, this.height - this.room);
  }

  /** Rows that fit into the view. */
  get page(): number {
    return Math.max(1, Math.floor(this.room / this.rowHeight));
  }

  get first(): number {
    return Math.floor(this.position / this.rowHeight);
  }

  setCount(count: number) {
    this.count = count;
    this.space.style.height = `${Math.min(this.height, tallest) + (this.head ? this.rowHeight : 0)}px`;
    this.moveTo(this.position);
  }

  private moveTo(position: number) {
    this.position = Math.min(Math.max(0, position), this.most);
    const room = Math.max(1, Math.min(this.height, tallest) - this.room);
    const top = this.scaled ? (this.position / Math.max(1, this.most)) * room : this.position;
    if (Math.abs(this.box.scrollTop - top) >= 1) {
      this.box.scrollTop = top;
      this.expected = this.box.scrollTop;
    }
    this.update();
  }

  private scrolled() {
    const top = this.box.scrollTop;
    if (Math.abs(top - this.expected) >= 1 || this.expected < 0) {
      const room = Math.max(1, Math.min(this.height, tallest) - this.room);
      this.position = this.scaled ? (top / room) * this.most : top;
    }
    this.expected = -1;
    this.update();
  }

  private wheel(event: WheelEvent) {
    if (!this.scaled || event.ctrlKey) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? this.rowHeight : event.deltaMode === 2 ? this.box.clientHeight : 1;
    this.moveTo(this.position + event.deltaY * unit);
  }

  /** Scrolls until a row is in view. */
  show(row: number, center = false) {
    const top = row * this.rowHeight;
    const bottom = top + this.rowHeight - this.room;
    if (top >= this.position && bottom <= this.position) return this.update();
    if (center) this.moveTo(top - this.room / 3);
    else this.moveTo(top < this.position ? top : bottom);
  }

  update() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  private draw() {
    if (this.box.clientHeight === 0 || this.isPressed) return;
    this.position = Math.min(this.position, this.most);
    const from = this.first;
    const to = Math.min(this.count, from + Math.ceil(this.box.clientHeight / this.rowHeight) + 1);
    const rows = this.render(from, to);
    rows.forEach((row, index) => {
      row.style.top = `${(from + index) * this.rowHeight - this.position + (this.head ? this.rowHeight : 0)}px`;
      row.style.height = `${this.rowHeight}px`;
    });
    arrange(this.layer, this.head ? [...rows, this.head] : rows);
  }
}

/** Makes these elements the children, in this order. Those that are in their place stay untouched, which saves a layout. */
function arrange(parent: Element, wanted: Element[]) {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  // Rows that left at the top come in again at the bottom.
  const first = [...parent.children].indexOf(wanted[0]);
  if (first <= parent.children.length / 2) {
    for (let moved = 0; moved < first; moved++) parent.append(parent.firstElementChild!);
  }
  let current = parent.firstElementChild;
  for (const element of wanted) {
    if (element === current) current = current.nextElementSibling;
    else parent.insertBefore(element, current);
  }
}
