// The tree of parts and fields beside the bytes. Selecting in one selects in the other.
import { Detail } from './bytes/detail';
import { Hex } from './bytes/hex';
import { Inspector } from './bytes/inspector';
import { legend, Lines } from './bytes/lines';
import { RangeTools } from './bytes/range';
import { Search } from './bytes/search';
import { Visited } from './bytes/visited';
import { button, el, labelled } from './dom';
import { Latest } from './latest';
import type { Context, Panel } from './panel';
import type { Place } from './place';
import { bytesCount, grouped, hexOffset, t } from './strings';
import { TreeView } from './tree';

/** Milliseconds after which a selection is in the address: browsers slow pages down that change it with every move of the mouse. */
const rangeDelay = 200;

export class Bytes implements Panel {
  readonly element = el('div', { class: 'bytes' });
  private readonly lines: Lines;
  private readonly tree: TreeView;
  private readonly hex: Hex;
  private readonly detail: Detail;
  private readonly inspector: Inspector;
  private readonly rangeTools: RangeTools;
  private readonly search: Search;
  private readonly visited: Visited;
  private readonly found: Latest;
  private readonly ready: Promise<void>;
  /** The selector that is shown, as far as the place knows it. */
  private selector: string | undefined;
  /** The selected bytes, as far as the place knows them. */
  private range: Place['range'];
  private rangeTimer: ReturnType<typeof setTimeout> | undefined;
  /** The line of the field at the caret, or -1. */
  private field = -1;

  constructor(private readonly context: Context) {
    const box = el('div', { class: 'list', id: 'tree' });
    this.found = new Latest((error) => context.failed(error));
    this.lines = new Lines(context, () => this.linesChanged(), (line) => this.chooseLine(line));
    this.tree = new TreeView(box, t('tree'), this.lines);
    this.hex = new Hex(context, this.lines, {
      chosen: (offset) => this.chooseByte(offset), ranged: () => this.rangeSelected(), field: () => this.selectField(),
    });
    this.hex.box.id = 'hex';
    this.detail = new Detail(context, this.lines, (selector) => this.chosen(selector));
    this.inspector = new Inspector(context);
    this.rangeTools = new RangeTools(context, () => this.hex.range, () => this.selectField());
    this.search = new Search(context, () => this.hex.caret, (offset, bytes) => this.showHit(offset, bytes));
    this.visited = new Visited((offset) => this.hex.moveTo(offset));
    this.element.append(this.tools(), this.search.hits, el('div', { class: 'panes' }, box, this.hex.box), this.explainColors(), this.rangeTools.element,
      el('div', { class: 'at-caret' }, this.detail.element, this.inspector.element));
    this.element.addEventListener('keydown', (event) => this.copyKey(event));
    this.ready = this.load();
    this.ready.catch((error: unknown) => context.failed(error));
  }

  private async load() {
    await this.lines.load();
    if (this.lines.cut) this.context.say(t('cut', grouped(this.lines.count_)));
    this.hex.refresh();
    this.describe();
    await this.showDamage();
  }

  /** A damaged file opens at its first problem, unless the address says where. */
  private async showDamage() {
    const damage = await this.context.findDamage();
    const { selector, range } = this.context.place;
    if (damage?.offset === undefined || selector !== undefined || range !== undefined) return;
    this.hex.moveTo(damage.offset);
    this.visited.add(this.hex.caret);
  }

  shown() {
    this.tree.list.update();
    this.hex.refresh();
  }

  placed({ tab, selector, range }: Readonly<Place>) {
    if (tab !== 'bytes') return;
    const isOtherField = selector !== undefined && selector !== this.selector;
    const isOtherRange = range?.join() !== this.range?.join();
    if (isOtherField || isOtherRange) void this.goTo(selector, range);
  }

  closed() {
    clearTimeout(this.rangeTimer);
    for (const part of [this.detail, this.inspector, this.search]) part.closed();
    this.found.stop();
  }

  private tools(): HTMLElement {
    const offset = el('input', { type: 'text', size: 10, placeholder: t('offsetHint'), spellcheck: 'false', autocomplete: 'off' });
    const go = el('form', { onsubmit: (event: Event) => {
      event.preventDefault();
      this.goToTyped(offset.value.trim());
    } }, labelled(t('goTo'), offset), el('button', { type: 'submit' }, t('go')));
    return el('div', { class: 'tools' }, go, this.search.element, this.visited.element,
      button(t('expandAll'), () => this.lines.setAll(true)), button(t('collapseAll'), () => this.lines.setAll(false)));
  }

  private goToTyped(text: string) {
    const offset = offsetOf(text);
    const { bytes } = this.context.about;
    if (offset === undefined) {
      this.context.say(t('notOffset'));
    } else if (offset >= bytes) {
      this.context.say(t('rangeOutside', hexOffset(offset), bytesCount(bytes)));
    } else {
      this.context.say('');
      this.jumpTo(offset);
    }
  }

  private explainColors(): HTMLElement {
    const list = el('ul', { class: 'legend', 'aria-label': t('colors') });
    for (const color of legend) list.append(el('li', { class: `is-${color}` }, t(`color_${color}`)));
    return list;
  }

  /** Goes to a byte, from where one can go back. */
  private jumpTo(offset: number) {
    this.visited.add(this.hex.caret);
    this.hex.moveTo(offset);
    this.visited.add(this.hex.caret);
  }

  private showHit(offset: number, bytes: number) {
    this.jumpTo(offset);
    this.hex.mark(offset, bytes);
    this.rangeSelected();
  }

  /** A byte was chosen: the field that it belongs to becomes the current line. */
  private chooseByte(offset: number) {
    const line = this.lines.at(offset);
    if (line < 0) {
      this.hex.mark(offset, 1);
    } else {
      this.tree.mark(this.lines.reveal(line));
      this.hex.markByte(offset, this.lines.offsets[line], this.lines.sizes[line]);
      this.detail.show(line);
    }
    this.rangeSelected();
  }

  private chooseLine(line: number) {
    this.showLine(line);
    if (this.lines.offsets[line] >= 0) this.fieldSelected();
  }

  /** Selects the bytes of a line and describes it. */
  private showLine(line: number) {
    const offset = this.lines.offsets[line];
    if (offset >= 0) {
      this.visited.add(this.hex.caret);
      this.hex.mark(offset, this.lines.sizes[line]);
      this.visited.add(offset);
      this.describe();
    }
    this.detail.show(line);
  }

  /** Selects the whole field at the caret. */
  private selectField() {
    if (this.field < 0) return;
    this.hex.mark(this.lines.offsets[this.field], this.lines.sizes[this.field]);
    this.detail.show(this.field);
    this.describe();
    this.fieldSelected();
  }

  /** A whole field is selected: its selector is enough to find it again. */
  private fieldSelected() {
    clearTimeout(this.rangeTimer);
    this.range = undefined;
    this.context.move({ range: undefined });
  }

  /** Bytes are selected: they are a part of the address. */
  private rangeSelected() {
    this.describe();
    clearTimeout(this.rangeTimer);
    this.rangeTimer = setTimeout(() => {
      this.range = this.hex.range;
      this.context.move({ range: this.range });
    }, rangeDelay);
  }

  /** Says which bytes are selected, what they hold, and in which field they start. */
  private describe() {
    const [offset] = this.hex.range;
    this.inspector.show(offset);
    this.field = this.lines.at(offset);
    this.describeField();
  }

  private linesChanged() {
    this.tree.refresh();
    // The name of the field may have come.
    this.describeField();
  }

  private describeField() {
    const { field } = this;
    const name = field < 0 ? undefined : this.lines.line(field)?.name;
    this.rangeTools.refresh(field < 0 ? undefined : { name: name ?? '', offset: this.lines.offsets[field], bytes: this.lines.sizes[field] });
  }

  /** Copies the selected bytes, unless a text is selected or written. */
  private copyKey(event: KeyboardEvent) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'c') return;
    const isWriting = (event.target as HTMLElement).closest('input, textarea, select');
    if (isWriting || String(getSelection()) !== '') return;
    this.rangeTools.copyHex();
    event.preventDefault();
  }

  private chosen(selector: string | undefined) {
    this.selector = selector;
    this.context.move({ selector });
  }

  /** Shows a field, or the bytes that are selected in it, as from an address. */
  private async goTo(selector: string | undefined, range: Place['range']) {
    this.selector = selector;
    this.range = range;
    clearTimeout(this.rangeTimer);
    await this.found.run(async (current) => {
      await current(this.ready);
      const isField = selector !== undefined && await current(this.goToSelector(selector));
      if (range) this.goToRange(range, isField);
    });
  }

  /** Returns false if there is no such field, which the page around says. */
  private async goToSelector(selector: string): Promise<boolean> {
    const line = await this.context.client.ask(this.context.handle, 'tree_find', selector);
    if (line < 0) return false;
    this.tree.mark(this.lines.reveal(line));
    this.showLine(line);
    return true;
  }

  private goToRange([offset, bytes]: [number, number], isFieldShown: boolean) {
    const { about } = this.context;
    if (offset >= about.bytes) {
      this.context.say(t('rangeOutside', hexOffset(offset), bytesCount(about.bytes)));
      return;
    }
    const line = this.lines.at(offset);
    if (bytes <= 1 && line >= 0) this.hex.markByte(offset, this.lines.offsets[line], this.lines.sizes[line]);
    else this.hex.mark(offset, Math.max(1, bytes));
    if (line >= 0 && !isFieldShown) {
      this.tree.mark(this.lines.reveal(line));
      this.detail.show(line);
    }
    this.rangeSelected();
  }

  async goToOffset(offset: number) {
    await this.ready;
    this.jumpTo(offset);
  }
}

/** A typed offset. The rows show theirs in hexadecimal, with zeros in front. */
function offsetOf(text: string): number | undefined {
  if (/^0x[0-9a-f]+$/i.test(text)) return Number(text);
  if (/^0[0-9a-f]+$/i.test(text)) return Number(`0x${text}`);
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
