// Small helpers for elements. Text from files only ever becomes `textContent`.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: any) => void)>;

/** Creates an element. Attributes that start with `on` are listeners. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (typeof value === 'boolean') element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export function button(label: string, onclick: () => void): HTMLButtonElement {
  return el('button', { type: 'button', onclick }, label);
}

/** Whether a pointer is pressed that went down in a box. A click needs the element on which it began, so that stays meanwhile. */
export class Press {
  isDown = false;
  private listening: AbortController | undefined;

  constructor(box: HTMLElement, private readonly released: () => void) {
    box.addEventListener('pointerdown', () => this.start());
    // A box that scrolls shows other rows.
    box.addEventListener('scroll', () => this.end());
  }

  private start() {
    this.end();
    this.isDown = true;
    this.listening = new AbortController();
    const { signal } = this.listening;
    for (const end of ['pointerup', 'pointercancel', 'contextmenu', 'blur']) window.addEventListener(end, () => this.end(), { signal });
  }

  private end() {
    if (!this.isDown) return;
    this.isDown = false;
    this.listening?.abort();
    this.released();
  }
}

let nextId = 0;

/** A control with its label. */
export function labelled<T extends HTMLElement>(label: string, control: T): HTMLLabelElement {
  control.id ||= `c${nextId++}`;
  return el('label', { for: control.id }, el('span', {}, label), control);
}

export function checkbox(label: string, checked: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const input = el('input', { type: 'checkbox', onchange: () => change(input.checked) });
  input.checked = checked;
  return el('label', { class: 'check' }, input, el('span', {}, label));
}

export function select(options: [string, string][], value: string, change: (value: string) => void): HTMLSelectElement {
  const control = el('select', { onchange: () => change(control.value) });
  for (const [key, label] of options) control.append(el('option', { value: key }, label));
  control.value = value;
  return control;
}

export function save(name: string, content: BlobPart, type: string) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The name of a file to save: the last name of an address, without what no file system takes, and an ending. */
export function fileName(address: string, ending: string): string {
  const last = address.split(/[\\/]/).pop() ?? '';
  // Directions and controls would show another ending than the file has.
  const name = last.replace(/[\p{C}<>:"|?*]+/gu, '_').slice(0, 200);
  return `${name.replace(/^\.+$/, '') || 'file'}${ending}`;
}
