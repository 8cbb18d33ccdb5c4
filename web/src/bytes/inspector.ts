// The values that start at the caret, as each type and in both byte orders.
import { el } from '../dom';
import { Latest } from '../latest';
import type { Context } from '../panel';
import { float64, shortFloat32 } from '../shortest';
import { t } from '../strings';

const longest = 8;
/** The bytes from which text is made. */
const textBytes = 32;

interface Type {
  name: string;
  bytes: number;
  read(view: DataView, little: boolean): string;
}

const types: Type[] = [
  { name: 'i8', bytes: 1, read: (view) => String(view.getInt8(0)) },
  { name: 'u8', bytes: 1, read: (view) => String(view.getUint8(0)) },
  { name: 'i16', bytes: 2, read: (view, little) => String(view.getInt16(0, little)) },
  { name: 'u16', bytes: 2, read: (view, little) => String(view.getUint16(0, little)) },
  { name: 'i32', bytes: 4, read: (view, little) => String(view.getInt32(0, little)) },
  { name: 'u32', bytes: 4, read: (view, little) => String(view.getUint32(0, little)) },
  { name: 'i64', bytes: 8, read: (view, little) => String(view.getBigInt64(0, little)) },
  { name: 'u64', bytes: 8, read: (view, little) => String(view.getBigUint64(0, little)) },
  { name: 'f16', bytes: 2, read: (view, little) => shortFloat32(half(view.getUint16(0, little))) },
  { name: 'f32', bytes: 4, read: (view, little) => shortFloat32(view.getFloat32(0, little)) },
  { name: 'f64', bytes: 8, read: (view, little) => float64(view.getFloat64(0, little)) },
];
const encodings = ['utf-8', 'windows-1251', 'utf-16le', 'utf-16be'];

/** A float of half precision. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The text up to its NUL, with control characters as their symbols. */
function textOf(bytes: Uint8Array<ArrayBuffer>, encoding: string): string {
  const text = new TextDecoder(encoding).decode(bytes, { stream: true });
  const [own] = text.split('\0', 1);
  return own.replace(/[\u0000-\u001f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)));
}

export class Inspector {
  readonly element = el('div', { class: 'inspector', role: 'region', tabindex: 0 });
  private readonly cells = new Map<string, HTMLElement>();
  private readonly read: Latest;

  constructor(private readonly context: Context) {
    this.read = new Latest((error) => context.failed(error));
    this.element.setAttribute('aria-label', t('inspector'));
    const head = el('tr', {}, el('th', { scope: 'col' }, t('type')), el('th', { scope: 'col' }, t('littleEndian')), el('th', { scope: 'col' }, t('bigEndian')));
    const body = el('tbody');
    for (const { name, bytes } of types) {
      const row = el('tr', {}, el('th', { scope: 'row' }, name), this.cell(`${name} little`, bytes === 1 ? 2 : 1));
      if (bytes > 1) row.append(this.cell(`${name} big`, 1));
      body.append(row);
    }
    for (const encoding of encodings) body.append(el('tr', {}, el('th', { scope: 'row' }, encoding), this.cell(encoding, 2)));
    this.element.append(el('table', {}, el('caption', {}, t('inspector')), el('thead', {}, head), body));
  }

  show(offset: number) {
    void this.read.run(async (current) => {
      this.fill(await current(this.context.client.ask(this.context.handle, 'bytes', offset, textBytes)));
    });
  }

  closed() {
    this.read.stop();
  }

  private cell(name: string, columns: number): HTMLElement {
    const cell = el('td', { 'data-value': name, colspan: columns });
    this.cells.set(name, cell);
    return cell;
  }

  private fill(bytes: Uint8Array<ArrayBuffer>) {
    const view = new DataView(new ArrayBuffer(longest));
    bytes.subarray(0, longest).forEach((byte, index) => view.setUint8(index, byte));
    for (const { name, bytes: needed, read } of types) {
      // At the end of the file there may be too few bytes.
      const isThere = bytes.length >= needed;
      this.cells.get(`${name} little`)!.textContent = isThere ? read(view, true) : '–';
      const big = this.cells.get(`${name} big`);
      if (big) big.textContent = isThere ? read(view, false) : '–';
    }
    for (const encoding of encodings) this.cells.get(encoding)!.textContent = textOf(bytes, encoding);
  }
}
