// The lines of a text as elements.
import { el } from '../dom';
import { grouped } from '../strings';
import { firstToken, tokenKinds } from './tokens';

/** Letters of a line that are shown: browsers take minutes for a line of a megabyte. */
export const longestLine = 2000;

export class TextLines {
  readonly count: number;
  /** Lines of which only the start is shown. */
  readonly cut: number;
  /** The letters of the longest line that are shown. */
  readonly widest: number;
  tokens = new Uint32Array();
  private readonly starts: Uint32Array;

  constructor(readonly text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    // A newline at the end starts no further line.
    if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
    this.starts = Uint32Array.from(starts);
    this.count = starts.length;
    let cut = 0;
    let widest = 0;
    for (let line = 0; line < this.count; line++) {
      const letters = this.end(line) - this.starts[line];
      if (letters > longestLine) cut += 1;
      widest = Math.max(widest, letters);
    }
    this.cut = cut;
    this.widest = Math.min(widest, longestLine) + 12;
  }

  /** Where a line ends, without its newline. */
  private end(line: number): number {
    const next = line + 1 < this.count ? this.starts[line + 1] : this.text.length;
    let end = next;
    if (end > this.starts[line] && this.text.charCodeAt(end - 1) === 10) end -= 1;
    if (end > this.starts[line] && this.text.charCodeAt(end - 1) === 13) end -= 1;
    return end;
  }

  /** The line that has this letter. */
  at(letter: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= letter) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  start(line: number): number {
    return this.starts[line];
  }

  /** Writes a line into an element, with its colors. A range of letters can be marked. */
  write(line: number, box: HTMLElement, marked: [number, number] = [-1, -1]) {
    const start = this.starts[line];
    const whole = this.end(line);
    const end = Math.min(whole, start + longestLine);
    let at = start;
    for (let index = firstToken(this.tokens, start); at < end && index < this.tokens.length / 3; index++) {
      const [from, to, kind] = this.tokens.subarray(3 * index, 3 * index + 3);
      if (from >= end) break;
      this.add(box, at, Math.max(at, from), '', marked);
      at = Math.max(at, from);
      const until = Math.min(to, end);
      this.add(box, at, until, `token-${tokenKinds[kind]}`, marked);
      at = until;
    }
    this.add(box, at, end, '', marked);
    if (whole > end) box.append(el('span', { class: 'cut' }, `… (${grouped(whole - start)})`));
  }

  private add(box: HTMLElement, start: number, end: number, kind: string, [from, to]: [number, number]) {
    if (start >= end) return;
    const cuts = [start, Math.min(Math.max(from, start), end), Math.min(Math.max(to, start), end), end];
    for (let part = 0; part < 3; part++) {
      if (cuts[part] >= cuts[part + 1]) continue;
      const text = this.text.slice(cuts[part], cuts[part + 1]);
      const name = part === 1 ? `${kind} on`.trim() : kind;
      box.append(name ? el('span', { class: name }, text) : text);
    }
  }
}
