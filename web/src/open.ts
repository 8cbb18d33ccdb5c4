// Files come in: chosen, dropped, by an address of the web, or as a sample.
import type { Client } from './client';
import { byId } from './dom';
import type { Files, Item } from './files';
import { failed, say } from './messages';
import type { Navigator } from './navigate';
import type { Source } from './protocol';
import { eachInSteps, sortedInSteps } from './steps';
import { grouped, short, t } from './strings';

/** The most files that come at once: of a folder, a drop or a choice. */
const mostFiles = 200_000;

/** A file, and how two versions of it are told apart. */
interface Coming extends Source {
  stamp: string;
}

export class Opening {
  /** The version of each open file, by its name. */
  private readonly stamps = new Map<string, string>();
  /** The paths of dropped files inside their folder. */
  private readonly paths = new WeakMap<File, string>();
  private changing: Promise<unknown> = Promise.resolve();
  /** Of several that come at once, the last is shown. */
  private newest = 0;

  constructor(
    private readonly client: Client, private readonly files: Files, private readonly navigator: Navigator,
    private readonly close: (items: Item[]) => Promise<void>, private readonly came: () => void,
  ) {
    for (const [press, chooser] of [['open-files', 'files'], ['open-folder', 'folder']]) this.listenTo(press, chooser);
    this.listenToDrops();
  }

  private listenTo(press: string, chooser: string) {
    const input = byId<HTMLInputElement>(chooser);
    byId(press).onclick = () => input.click();
    input.onchange = () => {
      const chosen = input.files;
      // The list empties with the input.
      if (chosen) this.open([...chosen]).catch(failed);
      input.value = '';
    };
  }

  private listenToDrops() {
    const mark = (on: boolean) => document.body.classList.toggle('drag', on);
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      mark(true);
    });
    document.addEventListener('dragleave', (event) => event.relatedTarget ?? mark(false));
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      mark(false);
      if (event.dataTransfer) this.drop(event.dataTransfer).catch(failed);
    });
  }

  private async drop(transfer: DataTransfer) {
    // Both are there only until the event ends.
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
    const files = [...transfer.files];
    if (entries.length === 0) return this.open(files);
    const { found, unread } = await this.filesOf(entries);
    await this.open(found, unread);
  }

  /** The files of dropped folders, with their paths: one more than are opened, if there are more. */
  private async filesOf(entries: FileSystemEntry[]): Promise<{ found: File[]; unread: string[] }> {
    const found: File[] = [];
    const unread: string[] = [];
    const left = [...entries].reverse();
    while (left.length > 0 && found.length <= mostFiles) {
      const entry = left.pop()!;
      try {
        if (entry.isFile) found.push(await this.dropped(entry as FileSystemFileEntry));
        else for (const inner of await entriesOf(entry as FileSystemDirectoryEntry)) left.push(inner);
      } catch {
        // Its owner may have forbidden it, or it was deleted meanwhile. The others can be read.
        unread.push(entry.fullPath);
      }
    }
    return { found, unread };
  }

  private async dropped(entry: FileSystemFileEntry): Promise<File> {
    const file = await fileOf(entry);
    this.paths.set(file, entry.fullPath.replace(/^\//, ''));
    return file;
  }

  /** Opens files: one is shown, of several the overview, and of all what the address names. Says which could not be read. */
  async open(list: File[], unread: string[] = []) {
    const notes: string[] = [];
    if (list.length > mostFiles) notes.push(t('folderCut', grouped(mostFiles)));
    if (unread.length > 0) notes.push(t('notRead', grouped(unread.length), short(unread[0], 200)));
    say(notes.join(' '), notes.length > 0);
    if (list.length === 0) return;
    const before = this.files.items.length;
    const { replaced, added } = await this.openAll(list.slice(0, mostFiles));
    const isError = notes.length > 0;
    // The title says which file it is, if only one came, and the overview how many, if they are all.
    if (before > 0 && list.length > 1) notes.push(added > 0 ? t('filesAdded', grouped(added), grouped(this.files.items.length)) : t('nothingAdded', grouped(list.length)));
    if (replaced.length > 0) notes.push(t('replaced', grouped(replaced.length), short(replaced[0].label, 200)));
    if (notes.length > 0) say(notes.join(' '), isError);
  }

  /** Returns how many were added, and the older versions that were closed. */
  private async openAll(list: File[]): Promise<{ replaced: Item[]; added: number }> {
    const coming: Coming[] = [];
    await eachInSteps(list, (file) => {
      const name = file.webkitRelativePath || this.paths.get(file) || file.name;
      coming.push({ name, blob: file, size: file.size, stamp: `${file.size} ${file.lastModified}` });
    });
    // Folders come in any order.
    const sorted = await sortedInSteps(coming, (one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
    const own = ++this.newest;
    const { openings } = this.navigator;
    const { only, ...changes } = await this.inTurn(() => this.add(sorted));
    // The user opened one of them before all were there.
    if (this.navigator.openings !== openings) return changes;
    const isFound = await this.navigator.retry();
    if (isFound || own !== this.newest) return changes;
    if (only) await this.navigator.open(only);
    else this.navigator.goHome(true);
    return changes;
  }

  /** Changes what is open, one change after the other: two that come at once may have files of one name. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.changing.then(change);
    this.changing = changed.catch(() => {});
    return changed;
  }

  /** Adds what is not open yet. Returns the file if it is only one, and the older versions that were closed. */
  private async add(sources: Coming[]): Promise<{ only: Item | undefined; replaced: Item[]; added: number }> {
    const added: Coming[] = [];
    const replaced: Item[] = [];
    const names = new Set<string>();
    let last: Item | undefined;
    await eachInSteps(sources, (source) => {
      const own = withoutCopies(source, names);
      const open = this.files.named(own.name);
      if (open && this.stamps.get(own.name) === own.stamp) {
        last = open;
        return;
      }
      if (open) replaced.push(open);
      added.push(own);
    });
    if (replaced.length > 0) await this.close(replaced);
    const first = this.client.add(added.map(({ stamp: _, ...source }) => source));
    await eachInSteps(added, ({ name, size, stamp }, index) => {
      this.stamps.set(name, stamp);
      last = this.files.add(first + index, name, size);
    });
    this.files.refresh();
    this.came();
    return { only: sources.length === 1 ? last : undefined, replaced, added: added.length };
  }

  /** Files that the page has, as if they were dropped. */
  async openSamples(samples: { name: string; url: string }[]) {
    const files = await Promise.all(samples.map(async ({ name, url }) => {
      const answer = await fetch(url);
      if (!answer.ok) throw new Error(`HTTP ${answer.status} for ${name}`);
      const file = new File([await answer.blob()], name.split('/').pop()!, { lastModified: 0 });
      this.paths.set(file, name);
      return file;
    }));
    await this.open(files);
  }

  /** `?open=ADDRESS` opens a file by HTTP, by ranges if the server has them. Each is tried, and what is wrong with one is said. */
  async openAddresses(wanted: string[]) {
    const problems: string[] = [];
    const opened: Item[] = [];
    for (const text of wanted) {
      try {
        opened.push(await this.openAddress(text));
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
    }
    const isFound = await this.navigator.retry();
    if (!isFound && opened.length === 1) await this.navigator.open(opened[0]);
    else if (!isFound && opened.length > 1) this.navigator.goHome(true);
    if (problems.length > 0) failed(new Error(problems.join(' ')));
  }

  private async openAddress(text: string): Promise<Item> {
    const url = urlOf(text);
    const stamp = url.href;
    const source = await this.client.call('fetchSource', stamp, nameOf(url));
    return this.inTurn(async () => this.addFetched({ ...source, stamp }));
  }

  private addFetched(source: Coming): Item {
    const names = new Set(this.files.items.map(({ label }) => label).filter((name) => this.stamps.get(name) !== source.stamp));
    const { stamp, ...own } = withoutCopies(source, names);
    const open = this.files.named(own.name);
    if (open) return open;
    this.stamps.set(own.name, stamp);
    const item = this.files.add(this.client.add([own]), own.name, own.size);
    this.files.refresh();
    this.came();
    return item;
  }
}

/** Two files of one name in one drop, or of two addresses, are two files. */
function withoutCopies(source: Coming, names: Set<string>): Coming {
  let { name } = source;
  // The ending stays, as it hints at the format.
  for (let copy = 2; names.has(name); copy++) name = source.name.replace(/(\.[^./]*)?$/, ` (${copy})$1`);
  names.add(name);
  return { ...source, name };
}

function urlOf(text: string): URL {
  let url: URL;
  try {
    url = new URL(text, location.href);
  } catch {
    throw new Error(t('badUrl', short(text, 200)));
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error(t('badScheme', short(text, 200), url.protocol.slice(0, -1)));
  return url;
}

function nameOf(url: URL): string {
  const last = url.pathname.split('/').pop() || url.host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}
