// Where the page is: the address follows it, and it follows the address.
import type { Client, Handle } from './client';
import { type Content, contentOf, notice } from './content';
import { button, byId } from './dom';
import type { Files, Item } from './files';
import { type Current, Latest } from './latest';
import { confirm, failed, offer, progress, say } from './messages';
import { decode, encode, type Place } from './place';
import { pageWords } from './plain';
import type { About } from './protocol';
import { type Frame, Shown } from './shown';
import { grouped, hexOffset, short, t } from './strings';

/** The view when no file is shown: the start, or the overview of all files. */
export interface Home {
  show(): void;
  hide(): void;
}

export class Navigator {
  private readonly opening = new Latest((error) => this.failed(error));
  private shown: Shown | undefined;
  /** The item that is being opened. */
  private coming: Item | undefined;
  /** The file whose damage a message has said. */
  private saidDamaged: Shown | undefined;
  /** How often something was opened. */
  openings = 0;
  private isHome = true;
  /** The places of the address, while no open file contains them. */
  private awaited: Place[] = [];
  private readonly frame: Frame;

  constructor(private readonly client: Client, private readonly files: Files, private readonly home: Home) {
    this.frame = {
      client, say, confirm, failed, progress,
      damageIn: (item) => files.damageIn(item),
      markDamaged: (archive, members) => void files.markMembers(archive, members).catch(failed),
      partsUnread: (shown, why) => void this.markUnread(shown, why),
      open: (address, offset) => void this.openAddress(address, offset),
      write: writeAddress,
    };
    window.addEventListener('hashchange', () => void this.follow());
    window.addEventListener('popstate', () => void this.follow());
    byId('await-end').onclick = () => this.await([]);
  }

  /** The item that is shown. */
  get item(): Item | undefined {
    return this.shown?.item;
  }

  private get place(): Readonly<Place> {
    return this.shown?.place ?? { item: '' };
  }

  /** Goes where the address says. */
  async follow() {
    const text = location.hash.slice(1);
    if (text === encode(this.place)) {
      // The user came back before another file was opened.
      this.stop();
      return;
    }
    if (text === '') this.goHome(false);
    else await this.goTo(decode(text));
  }

  /** Tries again what is awaited, after files came. Returns whether it was found. */
  async retry(): Promise<boolean> {
    return this.awaited.length > 0 && this.goTo(this.awaited);
  }

  /** Waits for what the address of the page names, before any file is open. */
  awaitAddress() {
    this.await(decode(location.hash.slice(1)));
  }

  private async goTo(places: Place[]): Promise<boolean> {
    let isFound = false;
    await this.run(async (current) => {
      if (places.length === 0) return;
      const found = await current(this.files.find(places));
      if (!found) {
        this.await(places);
        return;
      }
      isFound = true;
      this.await([]);
      await current(this.show(found.item, found.place, false, current));
    });
    return isFound;
  }

  /** Opens an address that a panel names. */
  async openAddress(address: string, offset?: number) {
    await this.run(async (current) => {
      const found = await current(this.files.find([{ item: address, tab: offset === undefined ? undefined : 'bytes' }]));
      if (!found) throw new Error(t('missingFile', short(address)));
      await current(this.show(found.item, found.place, true, current));
      if (offset !== undefined) await current(this.shown!.goToOffset(offset));
    });
  }

  /** Opens an item of the list. */
  async open(item: Item, wanted: Partial<Place> = {}) {
    await this.run(async (current) => current(this.show(item, wanted, true, current)));
  }

  private async show(item: Item, wanted: Partial<Place>, push: boolean, current: Current) {
    const place = { ...wanted, item: this.files.address(item) };
    say('');
    if (this.shown?.item === item) {
      await this.shown.goTo(place, push);
      return;
    }
    const handle = this.files.handle(item);
    this.coming = item;
    const { about, content } = await current(this.ask(handle));
    this.coming = undefined;
    this.leave();
    this.isHome = false;
    if (about.archive) {
      item.children ??= [];
      item.expanded = true;
      this.files.load(item).catch(failed);
    }
    this.files.refresh();
    this.home.hide();
    byId('asset').hidden = false;
    byId('title').textContent = short(about.address, 2000);
    document.title = `${short(about.name, 100)} – meshpeek`;
    this.files.reveal(item);
    this.shown = new Shown(item, about, content, place, this.frame);
    if (about.error && content.is === 'damaged') this.files.markDamaged(item, about.error.message);
    const { text, isError } = notice(about, content);
    const isFound = text === '' && item.damage !== undefined;
    const said = isFound ? t('overviewFound', short(pageWords(item.damage!), 300)) : pageWords(text);
    say(said, isFound || isError);
    if (isFound || isError) {
      this.saidDamaged = this.shown;
      void this.offerDamage(this.shown, said);
    }
    await this.shown.open(push);
  }

  /** Adds to the message of a damaged file where its bytes are wrong, and how many more problems it has. */
  private async offerDamage(shown: Shown, said: string) {
    const damage = await shown.findDamage();
    if (!damage || shown !== this.shown) return;
    const { offset, more } = damage;
    const links: HTMLElement[] = [];
    if (offset !== undefined) links.push(button(t('showBytesAt', hexOffset(offset)), () => void shown.goToOffset(offset)));
    if (more > 0) links.push(button(t('moreInFacts', grouped(more)), () => void shown.openTab('facts')));
    offer(said, links);
  }

  /** A file that opens, but of which parts cannot be read, is damaged if its problems say so. */
  private async markUnread(shown: Shown, why: string) {
    const { item } = shown;
    if (this.saidDamaged === shown) return;
    const damage = await shown.firstProblem();
    if (!damage?.isError) return;
    // The overview may have found it meanwhile, and said nothing here.
    if (item.damage === undefined) this.files.markDamaged(item, why);
    if (shown !== this.shown || this.saidDamaged === shown) return;
    this.saidDamaged = shown;
    const said = t('overviewFound', why);
    say(said, true);
    await this.offerDamage(shown, said);
  }

  private async ask(handle: Handle): Promise<{ about: About; content: Content }> {
    const about = await this.client.ask(handle, 'about');
    return { about, content: await contentOf(this.client, handle, about) };
  }

  private run(work: (current: Current) => Promise<void>): Promise<void> {
    this.coming = undefined;
    this.openings += 1;
    return this.opening.run(work);
  }

  /** Opens nothing any more. */
  private stop() {
    this.opening.stop();
    this.coming = undefined;
  }

  /** Opening failed. */
  private failed(error: unknown) {
    this.coming = undefined;
    // It would have taken the place of a file that was closed.
    if (this.shown && !this.files.contains(this.shown.item)) this.goHome(true);
    failed(error);
  }

  /** Closes what is shown. */
  private leave() {
    const { shown } = this;
    this.shown = undefined;
    if (!shown) return;
    shown.close();
    const { handle, about } = shown.context;
    // The list asks archives for their members.
    if (!about.archive) this.client.forget(handle);
  }

  /** Shows the overview of all files, or the start if there are none. */
  goHome(push: boolean) {
    this.stop();
    const wasHome = this.isHome;
    this.leave();
    this.isHome = true;
    say('');
    byId('asset').hidden = true;
    document.title = 'meshpeek';
    // An address that waits for its file stays, or takes the place of that of the file that was left.
    if (this.awaited.length === 0) writeAddress({ item: '' }, push);
    else if (!wasHome) writeAddress(this.awaited[0], push);
    this.home.show();
  }

  /** Files were closed. A file that is being opened takes the place of the shown one. */
  closed(files: Set<number>) {
    const item = this.coming ?? this.shown?.item;
    if (item && files.has(item.file)) this.goHome(true);
    else if (this.isHome) this.home.show();
  }

  async openTab(step: number) {
    const { shown } = this;
    if (!shown) return;
    const tab = shown.tabBeside(step);
    await Promise.all([shown.openTab(tab), byId(`tab-${tab}`).focus()]);
  }

  /** Writes all words in the language of the page. */
  async translate() {
    this.await(this.awaited);
    await this.shown?.translate();
    if (this.isHome) this.home.show();
  }

  /** Says which file is waited for. */
  private await(places: Place[]) {
    this.awaited = places;
    byId('awaited').hidden = places.length === 0;
    // The likeliest reading of the address has the shortest selector, so the longest name is that without one.
    const place = places.at(-1);
    byId('awaited-text').textContent = place ? t('awaited', short(place.item, 300)) : '';
  }
}

function writeAddress(place: Place, push: boolean) {
  const text = encode(place);
  const hash = text === '' ? '' : `#${text}`;
  // Too long to be an address: the one before stays.
  if (hash === location.hash || (text === '' && place.item !== '')) return;
  const address = hash === '' ? `${location.pathname}${location.search}` : hash;
  if (push) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}
