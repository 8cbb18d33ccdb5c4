// Searches for text or bytes: the next hit, or a list of hits.
import { button, el, labelled, select } from '../dom';
import { type Current, Latest } from '../latest';
import type { Context } from '../panel';
import { grouped, hexOffset, t } from '../strings';

/** The bytes of one step: the search can be cancelled between two. */
const step = 16 << 20;
/** The most hits that are counted, and those that are listed. */
const mostCounted = 100_000;
const mostListed = 1000;

export class Search {
  readonly element: HTMLElement;
  readonly hits = el('div', { class: 'hits', hidden: true });
  private readonly wanted = el('input', { type: 'search', size: 14, spellcheck: 'false', autocomplete: 'off' });
  private readonly form = select([['text', t('searchText')], ['utf16', t('searchUtf16')], ['hex', t('searchHex')]], 'text', () => {});
  private readonly searched: Latest;

  /** `caret` is where the next search starts; `found` is called with a hit. */
  constructor(private readonly context: Context, private readonly caret: () => number, private readonly found: (offset: number, bytes: number) => void) {
    this.searched = new Latest((error) => context.failed(error));
    this.form.setAttribute('aria-label', t('search'));
    this.element = el('form', { role: 'search', onsubmit: (event: Event) => {
      event.preventDefault();
      void this.searched.run((current) => this.next(current));
    } }, labelled(t('searchFor'), this.wanted), this.form, el('button', { type: 'submit' }, t('next')),
    button(t('listHits'), () => void this.searched.run((current) => this.list(current))));
  }

  closed() {
    this.searched.stop();
  }

  /** The bytes to search for; nothing, and a message, if the input is none. */
  private bytes(): Uint8Array<ArrayBuffer> | undefined {
    const text = this.wanted.value;
    if (this.form.value === 'text') return new TextEncoder().encode(text);
    if (this.form.value === 'utf16') {
      const units = Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
      return new Uint8Array(units.buffer);
    }
    const digits = text.replace(/\s+/g, '');
    if (/^([0-9a-f]{2})+$/i.test(digits)) return Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16));
    this.context.say(t('notHex'));
    return undefined;
  }

  private async next(current: Current) {
    const wanted = this.bytes();
    if (!wanted || wanted.length === 0) return;
    const { client, handle, about } = this.context;
    for (let from = this.caret() + 1; from < about.bytes; from += step) {
      this.context.progress(from, about.bytes);
      const found = await current(client.ask(handle, 'search', wanted, from, step));
      if (found < 0) continue;
      this.context.say('');
      this.found(found, wanted.length);
      return;
    }
    const isText = this.form.value !== 'hex';
    this.context.say(isText ? `${t('notFound')} ${t('caseCounts')}` : t('notFound'));
  }

  private async list(current: Current) {
    const wanted = this.bytes();
    if (!wanted || wanted.length === 0) return;
    const { client, handle, about } = this.context;
    const offsets: number[] = [];
    for (let from = 0; from < about.bytes && offsets.length <= mostCounted; from += step) {
      this.context.progress(from, about.bytes);
      const some = await current(client.ask(handle, 'search_all', wanted, from, Math.min(step, about.bytes - from), mostCounted + 1));
      for (const offset of some) offsets.push(offset);
    }
    this.context.say('');
    this.show(offsets, wanted.length);
  }

  private show(offsets: number[], bytes: number) {
    const listed = offsets.slice(0, mostListed);
    let count = t('hits', grouped(offsets.length));
    if (offsets.length > mostCounted) count = t('moreHits', grouped(mostCounted), grouped(mostListed));
    else if (offsets.length > mostListed) count = t('hitsListed', grouped(offsets.length), grouped(mostListed));
    const options = listed.map((offset): [string, string] => [String(offset), hexOffset(offset)]);
    const list = select(options, '', (offset) => this.found(Number(offset), bytes));
    list.size = 6;
    list.setAttribute('aria-label', t('hitList'));
    list.id = 'hits';
    const close = button(t('closeHits'), () => {
      this.hits.hidden = true;
      this.wanted.focus();
    });
    this.hits.replaceChildren(el('div', { class: 'tools' }, el('span', { role: 'status', id: 'hit-count' }, count), close));
    if (listed.length > 0) this.hits.append(list);
    this.hits.hidden = false;
  }
}
