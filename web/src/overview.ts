// The view when no file is shown: the start page, or an overview of all open files.
import type { Client } from './client';
import { button, byId, el, Press } from './dom';
import type { Files, Item } from './files';
import { lookedFor } from './looked-for';
import type { Home } from './navigate';
import { pageWords } from './plain';
import type { Start } from './start';
import { bytesCount, grouped, short, t } from './strings';
import { Survey } from './survey';
import { Tiles } from './tiles';

type Links = NonNullable<Survey['findings']['links']>;

/** The most rows of each list. */
const mostRows = 100;
/** Milliseconds between two drawings while files are looked at. */
const interval = 200;

export class Overview implements Home {
  private readonly survey: Survey;
  private readonly tiles: Tiles;
  private readonly facts = el('div', { class: 'overview-facts', id: 'overview-facts', tabindex: 0, role: 'region' });
  private readonly stopButton = button('', () => this.stop());
  private readonly progress = el('span', {});
  private isShown = false;
  /** The user has seen enough. */
  private isStopped = false;
  /** The files that the survey knows have changed. */
  private isOld = true;
  private drawn = 0;
  private later: ReturnType<typeof setTimeout> | undefined;
  private tiled = -1;
  private readonly press = new Press(byId('overview'), () => requestAnimationFrame(() => this.changed()));

  constructor(client: Client, private readonly files: Files, private readonly start: Start, private readonly open: (address: string) => void, openItem: (item: Item) => void, failed: (error: unknown) => void) {
    this.survey = new Survey(client, files, () => this.changed(), failed);
    this.tiles = new Tiles(client, files, openItem);
    byId('overview').append(el('h2', { id: 'overview-title' }), el('div', { class: 'tools', id: 'looking' }, this.progress, this.stopButton), this.facts, this.tiles.element);
  }

  /** Files came or went. */
  filesChanged() {
    this.isOld = true;
    this.tiled = -1;
    byId('overview').dataset.done = 'false';
    if (this.isShown) this.show();
  }

  show() {
    this.isShown = true;
    const isEmpty = this.files.items.length === 0;
    byId('welcome').hidden = !isEmpty;
    byId('welcome').replaceChildren();
    byId('overview').hidden = isEmpty;
    byId('side').hidden = isEmpty;
    byId('work').classList.toggle('alone', isEmpty);
    if (isEmpty) {
      this.survey.stop();
      this.survey.isDeep = false;
      this.start.show();
      return;
    }
    this.tiled = -1;
    if (this.isOld || !this.survey.findings.isDone) {
      this.isOld = false;
      this.isStopped = false;
      void this.survey.run();
    }
    this.draw();
  }

  /** Another view takes the place: work for this one ends. */
  hide() {
    this.isShown = false;
    byId('welcome').hidden = true;
    byId('welcome').replaceChildren();
    byId('overview').hidden = true;
    byId('side').hidden = false;
    byId('work').classList.remove('alone');
    this.survey.stop();
    this.tiles.stop();
  }

  private stop() {
    this.survey.stop();
    this.isStopped = true;
    this.draw();
  }

  private changed() {
    if (!this.isShown) return;
    const wait = this.drawn + interval - performance.now();
    if (this.press.isDown) return;
    if (wait <= 0 || this.survey.findings.isDone) this.draw();
    else this.later ??= setTimeout(() => this.drawLater(), wait);
  }

  private drawLater() {
    this.later = undefined;
    this.changed();
  }

  private draw() {
    clearTimeout(this.later);
    this.later = undefined;
    this.drawn = performance.now();
    const { findings } = this.survey;
    const { items } = this.files;
    const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
    byId('overview').dataset.done = String(findings.isDone);
    byId('overview-title').textContent = t('overviewTitle', grouped(items.length), bytesCount(bytes));
    byId('looking').hidden = findings.isDone;
    this.stopButton.hidden = this.isStopped;
    this.stopButton.textContent = t('stop');
    this.progress.textContent = t(this.isStopped ? 'lookingStopped' : 'looking', grouped(findings.looked), grouped(findings.all));
    this.facts.setAttribute('aria-label', t('overview'));
    const open = [...this.facts.querySelectorAll('details')].filter((details) => details.open).map((details) => details.className);
    this.facts.replaceChildren(this.formats(), ...this.lists());
    for (const details of this.facts.querySelectorAll('details')) details.open = open.includes(details.className);
    if (findings.all !== this.tiled || findings.isDone) {
      this.tiled = findings.all;
      this.tiles.show(this.files.everything());
    }
  }

  private formats(): HTMLElement {
    const { formats, others } = this.survey.findings;
    const rows = [...formats].sort(([, one], [, other]) => other - one);
    if (others > 0) rows.push([t('otherFiles'), others]);
    return el('ul', { class: 'counts', id: 'formats' }, ...rows.map(([name, count]) => el('li', {}, `${name}: `, el('b', {}, grouped(count)))));
  }

  private lists(): HTMLElement[] {
    const { damaged, links, looked, left, failed, lost, closedArchives, isDone } = this.survey.findings;
    const lists: HTMLElement[] = [];
    if (damaged.length > 0) {
      const rows = damaged.map(({ item, why }) => () => el('li', {}, this.link(this.files.address(item)), why ? ` ${short(pageWords(why), 300)}` : ''));
      lists.push(list('damaged', t('damaged', grouped(damaged.length)), rows, damaged.length));
    } else if (isDone && looked > 0) {
      lists.push(el('p', { class: 'damaged' }, t('noneDamaged')));
    }
    if (links) lists.push(...this.references(links));
    const said: string[] = [];
    if (left > 0) said.push(t('notLooked', grouped(left)));
    if (failed > 0) said.push(t('lookFailed', grouped(failed)));
    if (lost > 0) said.push(t('referencesLost', grouped(lost)));
    if (closedArchives > 0) said.push(t('closedArchives', grouped(closedArchives)));
    if (said.length > 0) lists.push(el('p', { class: 'not-checked' }, said.join(' '), closedArchives > 0 && !this.survey.isDeep ? this.deepButton() : null));
    return lists;
  }

  private deepButton(): HTMLElement {
    const look = button(t('readInner'), () => {
      this.survey.isDeep = true;
      this.isOld = true;
      this.show();
    });
    look.id = 'look-deeper';
    return look;
  }

  private references({ found, missing, unclear, unread, rows }: Links): HTMLElement[] {
    const all = found + missing + unclear;
    const lists: HTMLElement[] = [];
    const row = (link: (typeof rows)[number]) => () => this.reference(link);
    const gone = rows.filter(({ state }) => state === 'missing');
    const notRead = rows.filter(({ state }) => state === 'unread');
    if (missing > 0) lists.push(list('missing-references', t('missingReferences', grouped(missing), grouped(all)), gone.map(row), missing));
    else if (unclear === 0 && unread === 0 && this.survey.findings.lost === 0) lists.push(el('p', {}, t('allFound', grouped(all))));
    else lists.push(el('p', {}, t('noneMissing', grouped(all))));
    if (unclear > 0) lists.push(el('p', {}, t('unclearReferences', grouped(unclear))));
    if (unread > 0) lists.push(list('unread-references', t('unreadReferences', grouped(unread)), notRead.map(row), unread));
    return lists;
  }

  /** Which file names it, where it was looked for, and where one of that name is. */
  private reference({ path, member, elsewhere, more, line, ...own }: Links['rows'][number]): HTMLElement {
    const address = member === null ? path : `${path}!/${member}`;
    const row = el('li', {}, short(own.name ?? own.note ?? '', 200), ' ← ', this.link(address));
    if (own.via) row.append(` ${t('via')} ${short(own.via, 300)}${line ? `:${line}` : ''}. `);
    if (own.state !== 'missing') return row;
    row.append(' ', el('span', { class: 'looked-for' }, lookedFor(address, own)));
    if (!elsewhere?.length) return row;
    row.append(' ', el('span', { class: 'elsewhere' }, t('elsewhere')), ' ');
    for (const other of elsewhere) row.append(this.link(other), ' ');
    if (more) row.append(t('furtherFiles', grouped(more)));
    return row;
  }

  private link(address: string): HTMLButtonElement {
    return button(short(address, 300), () => this.open(address));
  }
}

/** A list that opens, of which the first rows are shown. */
function list(name: string, title: string, rows: (() => HTMLElement)[], all: number): HTMLElement {
  const shown = rows.slice(0, mostRows).map((row) => row());
  if (all > shown.length) shown.push(el('li', {}, t('furtherRows', grouped(all - shown.length))));
  return el('details', { class: name }, el('summary', {}, title), el('ul', {}, ...shown));
}
