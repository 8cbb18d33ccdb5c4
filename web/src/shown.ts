// One open file or member: its tabs, and the panel of each. The panels draw themselves from the place of the page.
import type { Client } from './client';
import { type Content, contentTabs } from './content';
import { byId, el } from './dom';
import { Facts } from './facts';
import type { Item } from './files';
import { Latest } from './latest';
import type { Context, Damage, Panel } from './panel';
import { encode, type Place, type Tab } from './place';
import type { About } from './protocol';
import { short, t } from './strings';

/** Formats with triangles. */
const models = new Set(['b3d', 'bmx', 'lodka', 'mlod', 'odol']);

/** The services that the page gives to an open file. */
export interface Frame {
  client: Client;
  say(text: string): void;
  confirm(text: string): void;
  failed(error: unknown): void;
  progress(done: number, all: number): void;
  /** Goes to another file, and to an offset in it. */
  open(address: string, offset?: number): void;
  /** The damage that is known in an item and in its members. */
  damageIn(item: Item): Context['damage'];
  markDamaged(archive: Item, members: { member: string; why: string }[]): void;
  /** Parts of an open file cannot be read. */
  partsUnread(shown: Shown, why: string): void;
  /** Writes the place into the address of the page. */
  write(place: Place, push: boolean): void;
}

/** The place of an open asset: its tab is known. */
type AssetPlace = Place & { tab: Tab };

export class Shown {
  readonly context: Context;
  private readonly tabs: Tab[] = [];
  private readonly panels = new Map<Tab, Promise<Panel>>();
  private readonly opening: Latest;
  private readonly translating: Latest;
  private isClosed = false;
  private damage: Promise<Damage | undefined> | undefined;
  private current: AssetPlace;

  constructor(readonly item: Item, about: About, content: Content, place: Place, private readonly frame: Frame) {
    this.tabs = tabsOf(about, content);
    this.current = this.withTab(place);
    this.opening = new Latest((error) => this.failed(error));
    this.translating = new Latest((error) => this.failed(error));
    const shown = this;
    this.context = {
      client: frame.client, handle: item.handle!, about,
      failed: (error) => shown.failed(error),
      say: (text) => shown.isClosed || frame.say(text),
      confirm: (text) => shown.isClosed || frame.confirm(text),
      progress: (done, all) => shown.isClosed || frame.progress(done, all),
      open: frame.open,
      goTo: (offset) => void shown.goToOffset(offset),
      get damage() {
        return frame.damageIn(item);
      },
      findDamage: () => shown.findDamage(),
      markDamaged: (members) => frame.markDamaged(item, members),
      partsUnread: (why) => shown.isClosed || frame.partsUnread(shown, why),
      get place() {
        return shown.current;
      },
      move: (change) => shown.move(change),
    };
  }

  get place(): Readonly<AssetPlace> {
    return this.current;
  }

  /** The first problem of a damaged file. */
  findDamage(): Promise<Damage | undefined> {
    const { about } = this.context;
    if (!about.error && this.item.damage === undefined) return Promise.resolve(undefined);
    return this.firstProblem();
  }

  /** The first problem of the file, and the number of the others. */
  firstProblem(): Promise<Damage | undefined> {
    this.damage ??= this.askDamage();
    return this.damage;
  }

  private async askDamage(): Promise<Damage | undefined> {
    const { client, handle, about } = this.context;
    // It is an addition to what is shown: without it, the offset of the error itself is known.
    const info = await client.ask(handle, 'info', false).catch(() => undefined);
    const problems = info?.problems ?? [];
    const first = problems.find(({ severity }) => severity === 'error') ?? problems[0];
    const offset = first?.offset ?? about.error?.offset ?? undefined;
    return { offset, more: Math.max(0, problems.length - 1), isError: about.error != null || first?.severity === 'error' };
  }

  /** A place in this asset. The first tab is shown if the wanted one does not exist. */
  private withTab(place: Place): AssetPlace {
    const tab = place.tab && this.tabs.includes(place.tab) ? place.tab : this.tabs[0];
    return { ...place, tab };
  }

  private failed(error: unknown) {
    if (!this.isClosed) this.frame.failed(error);
  }

  /** Shows the asset in the page. */
  async open(push: boolean) {
    byId('panels').replaceChildren(...this.tabs.map((name) => el('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, hidden: true })));
    this.frame.write(this.current, push);
    await this.draw();
    await this.checkSelector();
  }

  /** Goes to another place in this asset, as the address says. */
  async goTo(place: Place, push: boolean) {
    this.current = this.withTab({ ...place, item: this.current.item });
    this.frame.write(this.current, push);
    this.tellPanels();
    await this.draw();
    await this.checkSelector();
  }

  /** A panel changed its part of the place. */
  private move(change: Partial<Place>) {
    if (this.isClosed) return;
    const before = encode(this.current);
    this.current = this.withTab({ ...this.current, ...change });
    if (encode(this.current) === before) return;
    this.frame.write(this.current, false);
    this.tellPanels();
  }

  private tellPanels() {
    const place = this.current;
    for (const panel of this.panels.values()) void panel.then((panel) => this.current === place && panel.placed?.(place)).catch(() => {});
  }

  /** Says that the address names a field that does not exist. The library shows what is around it. */
  private async checkSelector() {
    const { selector } = this.current;
    if (!selector || this.current.tab !== 'bytes') return;
    await this.opening.run(async (current) => {
      const { client, handle } = this.context;
      await current(client.ask(handle, 'tree'));
      if (!await current(client.ask(handle, 'has_selector', selector))) this.frame.failed(new Error(t('nearSelector', short(selector))));
    });
  }

  async goToOffset(offset: number) {
    await this.openTab('bytes');
    await this.opening.run(async (current) => {
      const panel = await current(this.panel('bytes'));
      await current((panel as import('./bytes').Bytes).goToOffset(offset));
    });
  }

  async openTab(tab: Tab) {
    this.current = { ...this.current, tab };
    this.frame.write(this.current, false);
    this.tellPanels();
    await this.draw();
  }

  /** The tab that is this many to the right of the current one. */
  tabBeside(step: number): Tab {
    const { tabs } = this;
    return tabs[(tabs.indexOf(this.current.tab) + step + tabs.length) % tabs.length];
  }

  private async draw() {
    if (this.isClosed) return;
    const { tab } = this.current;
    this.drawTabs();
    for (const name of this.tabs) byId(`panel-${name}`).hidden = name !== tab;
    await this.opening.run(async (current) => {
      const panel = await current(this.panel(tab));
      byId(`panel-${tab}`).replaceChildren(panel.element);
      panel.shown?.();
    });
  }

  private drawTabs() {
    const { tab } = this.current;
    const focused = document.activeElement?.id;
    byId('tabs').replaceChildren(...this.tabs.map((name) => el('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-selected': String(name === tab), 'aria-controls': `panel-${name}`,
      tabindex: name === tab ? 0 : -1, onclick: () => void this.openTab(name),
    }, t(name))));
    if (focused?.startsWith('tab-')) document.getElementById(focused)?.focus();
  }

  private panel(tab: Tab): Promise<Panel> {
    const open = this.panels.get(tab);
    if (open) return open;
    const panel = makePanel(tab, this.context).then((made) => {
      made.placed?.(this.current);
      return made;
    });
    this.panels.set(tab, panel);
    // Opening the tab again tries again.
    panel.catch(() => this.drop(tab, panel));
    return panel;
  }

  /** Forgets a panel, unless another one has taken its place. */
  private drop(tab: Tab, panel: Promise<Panel>) {
    if (this.panels.get(tab) === panel) this.panels.delete(tab);
  }

  /** Writes all words in the language of the page. The asset stays open. */
  async translate() {
    await this.translating.run(async (current) => {
      for (const [tab, made] of [...this.panels]) {
        const panel = await current(made.catch(() => undefined));
        if (panel?.translated) {
          panel.translated();
          continue;
        }
        panel?.closed?.();
        this.drop(tab, made);
      }
      await current(this.draw());
      await current(this.checkSelector());
    });
  }

  close() {
    this.isClosed = true;
    this.opening.stop();
    this.translating.stop();
    for (const panel of this.panels.values()) void panel.then((panel) => panel.closed?.()).catch(() => {});
  }
}

function tabsOf(about: About, content: Content): Tab[] {
  const tabs: Tab[] = [];
  if (!about.error && models.has(about.format ?? '')) tabs.push('model');
  tabs.push(...contentTabs(about, content), 'facts', 'bytes');
  if (!about.error && !about.archive) tabs.push('arrays');
  return tabs;
}

async function makePanel(tab: Tab, context: Context): Promise<Panel> {
  const { client, handle } = context;
  switch (tab) {
    case 'facts': return new Facts(context);
    case 'bytes': return new (await import('./bytes')).Bytes(context);
    case 'texture': return (await import('./texture')).openTexture(context);
    case 'picture': return (await import('./texture')).openPicture(context);
    case 'text': return (await import('./text')).openText(context);
    case 'arrays': {
      const listed = await client.ask(handle, 'arrays');
      return listed.length > 0 ? new (await import('./arrays')).Arrays(context, listed) : sentence(t('none'));
    }
    case 'model': return (await (await import('./model')).openModel(context)) ?? sentence(t('noWebgl'));
  }
}

function sentence(text: string): Panel {
  return { element: el('p', {}, text) };
}
