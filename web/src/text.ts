// A text: read part by part, in the encoding that it seems to have, with colors for its language.
import { button, el, fileName, labelled, save, select } from './dom';
import { Latest } from './latest';
import { VirtualList } from './list';
import { messageOf } from './messages';
import type { Context, Panel } from './panel';
import { saveInPieces } from './saving';
import { bytesCount, grouped, hexOffset, t } from './strings';
import { countBroken, detect, type Encoding, encodings } from './texts/encoding';
import { languageOf } from './texts/languages';
import { longestLine, TextLines } from './texts/lines';
import { partCount, readPart, type TextPart, type TextSource } from './texts/parts';
import { tokensOf } from './texts/tokens';

const headBytes = 64 << 10;
const lineHeight = 20;
/** A text up to this size is one element, in which the browser finds and selects; of a larger one, only lines in view are. */
const mostWholeLines = 1500;
const mostWholeLetters = 64 << 10;

/** The text of an open file: of a binary config, what the library writes; else its own bytes. */
export async function openText(context: Context): Promise<Panel> {
  const { client, handle, about } = context;
  if (about.format !== 'rap') {
    const read = (offset: number, count: number) => client.ask(handle, 'bytes', offset, count);
    return new TextView(context, { bytes: about.bytes, read }, await read(0, headBytes));
  }
  const [{ problem }, bytes] = await client.ask(handle, 'config_text');
  const source: TextSource = { bytes: bytes.length, read: async (offset, count) => bytes.slice(offset, offset + count) };
  return new TextView(context, source, bytes.subarray(0, headBytes), { bytes, problem });
}

/** A text that is made of a binary config. */
interface Made {
  bytes: Uint8Array<ArrayBuffer>;
  /** Why it ends early. */
  problem: string | null;
}

class TextView implements Panel {
  readonly element = el('div', { class: 'config' });
  private readonly notes = el('div', { class: 'notes', role: 'status' });
  private readonly box = el('div', { class: 'text-box' });
  private readonly read: Latest;
  private readonly find = el('input', { type: 'search', size: 14, spellcheck: 'false', autocomplete: 'off' });
  private readonly parts: HTMLSelectElement;
  private encoding: Encoding;
  private part = 0;
  private lines = new TextLines('');
  private list: VirtualList | undefined;
  /** The lines in the list. */
  private listed: TextLines | undefined;
  private marked: [number, number] = [-1, -1];

  constructor(private readonly context: Context, private readonly source: TextSource, head: Uint8Array<ArrayBuffer>, private readonly made?: Made) {
    this.encoding = detect(head);
    this.read = new Latest((error) => context.failed(error));
    const encoding = select(encodings.map((name): [string, string] => [name, name]), this.encoding, (name) => {
      this.encoding = name as Encoding;
      this.open(this.part);
    });
    const count = partCount(source);
    this.parts = select(Array.from({ length: count }, (_, index): [string, string] => [String(index), t('partOf', grouped(index + 1), grouped(count))]), '0', (index) => this.open(Number(index)));
    this.parts.id = 'part';
    const finder = el('form', { role: 'search', onsubmit: (event: Event) => {
      event.preventDefault();
      this.findNext();
    } }, labelled(t('findInText'), this.find), el('button', { type: 'submit' }, t('next')));
    const tools = el('div', { class: 'tools' }, finder);
    if (!made) tools.append(labelled(t('encoding'), encoding));
    if (count > 1) {
      const step = (by: number) => this.open(Math.min(Math.max(0, this.part + by), count - 1));
      tools.append(labelled(t('shownPart'), this.parts), button(t('partBefore'), () => step(-1)), button(t('partAfter'), () => step(1)));
    }
    tools.append(button(made ? t('saveAsText') : t('saveText'), () => void this.save().catch(context.failed)));
    this.element.append(tools, this.notes, this.box);
    this.open(0);
  }

  shown() {
    this.list?.update();
  }

  closed() {
    this.read.stop();
  }

  private open(index: number) {
    this.part = index;
    this.parts.value = String(index);
    void this.read.run(async (current, signal) => {
      const part = await current(readPart(this.source, index, this.encoding));
      this.marked = [-1, -1];
      this.lines = new TextLines(part.text);
      this.show();
      this.describe(part);
      const language = this.made ? 'cpp' : languageOf(this.context.about.name);
      if (!language) return;
      const tokens = await current(tokensOf(part.text, language, signal));
      this.lines.tokens = tokens as Uint32Array<ArrayBuffer>;
      this.show();
      this.element.dataset.colored = language;
    });
  }

  /** Says what is shown, and what is not. */
  private describe(part: TextPart) {
    const notes: string[] = [];
    const isWhole = part.start === 0 && part.end === this.source.bytes;
    if (!isWhole) notes.push(t('shownBytes', hexOffset(part.start), hexOffset(part.end), bytesCount(this.source.bytes)));
    notes.push(t('textLines', grouped(this.lines.count)));
    if (part.startsInside || part.endsInside) notes.push(t('insideLine'));
    if (this.lines.cut > 0) notes.push(t('linesCut', grouped(this.lines.cut), grouped(longestLine)));
    const broken = countBroken(part.text);
    if (broken > 0) notes.push(t('brokenLetters', grouped(broken), this.encoding));
    if (this.made?.problem) notes.push(t('textEnds', messageOf(this.made.problem)));
    const isConfig = !this.made && languageOf(this.context.about.name) === 'cpp';
    if (this.context.about.ranges && isConfig) notes.push(t('namesNotRead'));
    this.notes.replaceChildren(...notes.map((note) => el('span', {}, note)));
    this.element.dataset.part = String(this.part);
  }

  private show() {
    const isWhole = this.lines.count <= mostWholeLines && this.lines.text.length <= mostWholeLetters;
    if (isWhole) this.showWhole();
    else this.showLines();
  }

  private showWhole() {
    this.list = undefined;
    this.listed = undefined;
    const text = el('pre', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('text'), id: 'config-text' });
    for (let line = 0; line < this.lines.count; line++) {
      const box = el('span', { 'data-line': line });
      this.lines.write(line, box, this.marked);
      text.append(box, line + 1 < this.lines.count || this.lines.text.endsWith('\n') ? '\n' : '');
    }
    const { scrollTop, scrollLeft } = this.box.firstElementChild ?? { scrollTop: 0, scrollLeft: 0 };
    this.box.replaceChildren(text);
    text.scrollTo(scrollLeft, scrollTop);
  }

  private showLines() {
    if (this.listed === this.lines) {
      this.list!.update();
      return;
    }
    this.listed = this.lines;
    const box = el('div', { class: 'list text-lines', tabindex: 0, role: 'region', 'aria-label': t('text'), id: 'config-text' });
    box.style.setProperty('--text-width', `${this.lines.widest}ch`);
    this.list = new VirtualList(box, lineHeight, (from, to) => this.rows(from, to));
    this.list.setCount(this.lines.count);
    this.box.replaceChildren(box);
    box.addEventListener('keydown', (event) => this.key(event));
  }

  private rows(from: number, to: number): HTMLElement[] {
    const rows: HTMLElement[] = [];
    for (let line = from; line < Math.min(to, this.lines.count); line++) {
      const own = el('span');
      this.lines.write(line, own, this.marked);
      rows.push(el('div', { class: 'row', 'data-line': line }, el('span', { class: 'number', 'aria-hidden': 'true' }, String(line + 1)), own));
    }
    return rows;
  }

  /** A box of lines in proportion to millions does not scroll by keys itself. */
  private key(event: KeyboardEvent) {
    const list = this.list!;
    const steps: Record<string, number> = { ArrowDown: list.page, ArrowUp: -1, PageDown: 2 * list.page - 2, PageUp: 2 - list.page };
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in steps || event.key === 'Home' || event.key === 'End')) return;
    event.preventDefault();
    let line = list.first + (steps[event.key] ?? 0);
    if (event.key === 'Home') line = 0;
    if (event.key === 'End') line = this.lines.count - 1;
    list.show(Math.min(Math.max(0, line), this.lines.count - 1));
  }

  private findNext() {
    const wanted = this.find.value.toLowerCase();
    if (!wanted) return;
    // Lower case may have another length, such as that of a dotted I; then letters are compared as they are.
    const lower = this.lines.text.toLowerCase();
    const isSame = lower.length === this.lines.text.length;
    const text = isSame ? lower : this.lines.text;
    let at = text.indexOf(isSame ? wanted : this.find.value, this.marked[1] < 0 ? 0 : this.marked[0] + 1);
    if (at < 0) at = text.indexOf(isSame ? wanted : this.find.value);
    if (at < 0) {
      this.context.say(t('notFoundInPart'));
      return;
    }
    this.context.say('');
    this.marked = [at, at + wanted.length];
    const line = this.lines.at(at);
    this.show();
    this.list?.show(line, true);
    this.list?.update();
    this.box.querySelector(`pre [data-line="${line}"]`)?.scrollIntoView({ block: 'nearest' });
  }

  private async save() {
    const { about } = this.context;
    if (this.made) {
      // A config has another ending as a text; a material has the same.
      save(fileName(about.address, '').replace(/\.bin$/i, '.cpp'), this.made.bytes, 'text/plain');
      return;
    }
    await saveInPieces(fileName(about.address, ''), 'text/plain', this.source, this.context.progress);
  }
}
