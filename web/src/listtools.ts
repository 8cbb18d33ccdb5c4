// The tools above the list of files: a filter, an order, and closing.
import { button, byId, el, select } from './dom';
import type { Files, Item, Order } from './files';
import { orders } from './files';
import { Filter, type FileKind, kinds } from './filter';
import { failed } from './messages';
import { grouped, t } from './strings';

/** Stands for the words, so that the order itself has room in the menu. */
const orderSign = '↕';

export class ListTools {
  private text = '';
  private kind: FileKind = 'all';
  private order: Order = 'stored';
  private run = 0;

  constructor(private readonly files: Files, private readonly close: (items: Item[]) => void) {
    files.loadedMembers = () => void this.apply();
    document.addEventListener('keydown', (event) => this.key(event));
    this.draw();
  }

  /** Writes all words in the language of the page. */
  draw() {
    const filter = el('input', { type: 'search', id: 'filter', 'aria-label': t('filter'), placeholder: t('filter'), autocomplete: 'off', spellcheck: 'false', oninput: () => this.set(filter.value) });
    filter.value = this.text;
    filter.addEventListener('keydown', (event) => this.leaveFilter(event, filter));
    const kind = select(kinds.map((kind): [string, string] => [kind, t(`kind_${kind}`)]), this.kind, (value) => {
      this.kind = value as FileKind;
      void this.apply();
    });
    kind.id = 'filter-kind';
    kind.setAttribute('aria-label', t('kind'));
    kind.title = t('kind');
    const order = select(orders.map((order): [string, string] => [order, `${orderSign} ${t(`order_${order}`)}`]), this.order, (value) => {
      this.order = value as Order;
      this.files.sort(this.order);
    });
    order.id = 'order';
    order.setAttribute('aria-label', t('order'));
    order.title = t('order');
    const more = button('☰', () => {
      const isOpen = byId('side').classList.toggle('more');
      more.setAttribute('aria-expanded', String(isOpen));
    });
    more.id = 'list-more';
    more.setAttribute('aria-label', t('listTools'));
    more.setAttribute('aria-expanded', String(byId('side').classList.contains('more')));
    const closeOne = button(t('closeFile'), () => this.closeCurrent());
    closeOne.id = 'close-file';
    const closeAll = button(t('closeAll'), () => this.closeAll());
    closeAll.id = 'close-all';
    byId('list-tools').replaceChildren(
      el('div', { class: 'filter' }, filter, more),
      el('div', { class: 'list-more tools' }, kind, order, closeOne, closeAll),
      el('p', { id: 'filtered', role: 'status', hidden: true }),
    );
    void this.apply();
  }

  private set(text: string) {
    this.text = text;
    void this.apply();
  }

  /** Files came or went, or the filter changed. */
  async apply() {
    const own = ++this.run;
    const filter = new Filter(this.text, this.kind);
    if (filter.isEmpty && byId('filtered').hidden) return;
    try {
      const result = await this.files.filter(filter, () => own === this.run);
      if (result) this.say(filter, result);
    } catch (error) {
      failed(error);
    }
  }

  private say(filter: Filter, { kept, all, unread }: { kept: number; all: number; unread: number }) {
    const box = byId('filtered');
    box.hidden = filter.isEmpty;
    box.replaceChildren(t('filtered', grouped(kept), grouped(all)));
    if (unread === 0) return;
    box.append(' ', t('archivesUnread', grouped(unread)), ' ', button(t('readArchives'), () => void this.files.loadAll()));
  }

  private closeCurrent() {
    const { current } = this.files;
    if (current) this.close(this.files.closedWith(current));
  }

  /** A filter that stays would hide what is opened next. */
  private closeAll() {
    this.close([...this.files.items]);
    this.text = '';
    this.kind = 'all';
    void this.apply().then(() => this.draw());
  }

  /** Opens the first file that the filter keeps. */
  private async openFirst() {
    await this.apply();
    const filter = new Filter(this.text, this.kind);
    if (filter.isEmpty || !this.files.openFirst(filter)) byId('file-list').focus();
  }

  /** Escape empties the filter, arrow down goes to what it kept, and Enter opens the first of it. */
  private leaveFilter(event: KeyboardEvent, filter: HTMLInputElement) {
    if (event.key === 'Escape') {
      filter.value = '';
      this.set('');
      event.stopPropagation();
    } else if (event.key === 'Enter') {
      void this.openFirst();
    } else if (event.key === 'ArrowDown') {
      byId('file-list').focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** The slash goes to the filter, unless somebody writes. */
  private key(event: KeyboardEvent) {
    if (event.key !== '/' || event.ctrlKey || event.altKey || event.metaKey || byId('side').hidden) return;
    if ((event.target as HTMLElement).closest('input, textarea, select')) return;
    byId('filter').focus();
    event.preventDefault();
  }
}
