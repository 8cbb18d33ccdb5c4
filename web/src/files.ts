// The files that are open, with the folders and members of archives, as a tree that is filled when it is looked into.
import type { Client, Handle } from './client';
import { fit, folded, mayContain, namesOf } from './ending';
import { type FileKind, type Filter, kindOf } from './filter';
import type { Place } from './place';
import { eachInSteps, Steps } from './steps';
import { grouped, short, t } from './strings';
import { type Row, type TreeModel, TreeView } from './tree';

export interface Item {
  /** The whole path of a file, the last name of all others. */
  label: string;
  kind: 'file' | 'folder' | 'member';
  parent?: Item;
  /** `undefined` if it has none; empty until an archive is read. */
  children?: Item[];
  expanded: boolean;
  loaded: boolean;
  bytes: number;
  file: number;
  depth: number;
  /** The names and indices that lead to it. */
  path: (string | number)[];
  names: string[];
  handle?: Handle;
  /** Why it is damaged, as far as something has looked. */
  damage?: string;
  /** Something in it is damaged. */
  holdsDamage?: boolean;
  /** The path of a file, or of a member in its archive, in small letters. */
  folded: string;
  type: FileKind;
  /** The children in the order of the list, and which order that is. */
  sorted?: { order: Order; of: number; children: Item[] };
}

export const orders = ['stored', 'name', 'size', 'kind'] as const;
export type Order = (typeof orders)[number];

/** Folders are expanded up to this many files. */
const mostExpanded = 500;
/** How many members come first, and then at once: the first show at once. */
const pages = [500, 5000];
/** Archives are read for an address up to this many, if no name says that it is in them. */
const mostSearched = 64;
/** The most damaged members of an archive that are marked and listed. */
const mostMarked = 1000;
/** Lists up to this length are filtered at once, within a frame. */
const mostAtOnce = 5000;
export const archives = /\.(pbo|zip)$/i;

export class Files implements TreeModel {
  /** The files that the user opened. */
  items: Item[] = [];
  readonly view: TreeView;
  /** Called when members of an archive become known. */
  loadedMembers: () => void = () => {};
  /** The top level: files, and folders that were opened. */
  private roots: Item[] = [];
  private folders = new Map<string, Item>();
  private readonly byLabel = new Map<string, Item>();
  private readonly byFile = new Map<number, Item>();
  private visible: Item[] = [];
  private order: Order = 'stored';
  /** The items that the filter keeps, with the folders around them. */
  private kept: Set<Item> | undefined;
  private readonly loading = new Map<Item, Promise<void>>();

  constructor(
    box: HTMLElement, label: string, private readonly client: Client, private readonly open: (item: Item) => void,
    private readonly failed: (error: unknown) => void, private readonly closeItem: (item: Item) => void,
  ) {
    this.view = new TreeView(box, label, this);
  }

  // --- Files come and go.

  add(file: number, name: string, bytes: number): Item {
    const item: Item = { label: name, kind: 'file', expanded: false, loaded: false, bytes, file, depth: 0, path: [], names: [], folded: folded(name), type: kindOf(folded(name)) };
    if (archives.test(name)) item.children = [];
    this.items.push(item);
    this.byLabel.set(name, item);
    this.byFile.set(file, item);
    this.putFile(item, this.roots, this.folders);
    return item;
  }

  private putFile(item: Item, roots: Item[], folders: Map<string, Item>) {
    this.put(item, undefined, roots, folders, item.label.split('/').slice(0, -1));
  }

  /** Puts an item on top of a list, or below folders, which are made if needed. A hostile name has any number of slashes. */
  private put(item: Item, root: Item | undefined, top: Item[], folders: Map<string, Item>, names: string[]) {
    let parent = root;
    let path = '';
    for (const name of names.slice(0, 64)) {
      path += `${name}/`;
      let folder = folders.get(path);
      if (!folder) {
        const expanded = !root && this.items.length < mostExpanded;
        folder = { label: name, kind: 'folder', parent, children: [], expanded, loaded: true, bytes: 0, file: item.file, depth: depthIn(parent), path: [], names: [], folded: folded(name), type: 'other' };
        folders.set(path, folder);
        (parent?.children ?? top).push(folder);
      }
      parent = folder;
    }
    item.parent = parent;
    item.depth = depthIn(parent);
    (parent?.children ?? top).push(item);
    if (item.damage !== undefined || item.holdsDamage) markAround(item);
  }

  // --- Damage that was found.

  /** Marks an item in the list, and what is around it. */
  markDamaged(item: Item, why: string) {
    item.damage = why;
    markAround(item);
    this.view.list.update();
  }

  /** Marks members by the names that a check of their archive gives them. */
  async markMembers(archive: Item, members: { member: string; why: string }[]) {
    for (const { member, why } of members.slice(0, mostMarked)) {
      const item = await this.exactly(`${this.address(archive)}!/${member}`);
      if (item) this.markDamaged(item, why);
    }
  }

  /** An item that is damaged, and the damaged ones in it. */
  damageIn(item: Item): { address: string; why: string }[] {
    const found: { address: string; why: string }[] = [];
    const stack = [item];
    while (stack.length > 0 && found.length < mostMarked) {
      const next = stack.pop()!;
      if (next.damage !== undefined) found.push({ address: this.address(next), why: next.damage });
      if (!next.holdsDamage) continue;
      for (let at = (next.children?.length ?? 0) - 1; at >= 0; at--) stack.push(next.children![at]);
    }
    return found;
  }

  /** The open file of this name. */
  named(label: string): Item | undefined {
    return this.byLabel.get(label);
  }

  /** The file that an item is, or is in. */
  fileOf(item: Item): Item {
    return this.byFile.get(item.file)!;
  }

  /** The files that closing an item closes: itself, the file it is in, or all of a folder. */
  closedWith(item: Item): Item[] {
    if (item.kind !== 'folder') return [this.fileOf(item)];
    // A folder in an archive is closed with the archive.
    for (let around = item.parent; around; around = around.parent) if (around.kind !== 'folder') return [this.fileOf(around)];
    const found: Item[] = [];
    const stack = [item];
    while (stack.length > 0) {
      const next = stack.pop()!;
      if (next.kind === 'file') found.push(next);
      else for (const child of next.children ?? []) stack.push(child);
    }
    return found;
  }

  /** True until the file is closed. */
  isOpen(item: Item): boolean {
    return this.byFile.get(item.file) === item;
  }

  /** True until the file is closed that an item is, or lies in. */
  contains(item: Item): boolean {
    return this.byFile.has(item.file);
  }

  /** Takes files out of the list, and the folders that are empty then. Nothing else may add or remove files meanwhile. */
  async remove(gone: Item[]) {
    const set = new Set(gone);
    const left = this.items.filter((item) => !set.has(item));
    const roots: Item[] = [];
    const folders = new Map<string, Item>();
    await eachInSteps(left, (item) => this.putFile(item, roots, folders));
    for (const [path, folder] of folders) {
      const old = this.folders.get(path)!;
      folder.expanded = old.expanded;
      if (this.kept?.has(old)) this.kept.add(folder);
    }
    // As many folders are on top as before, but other ones.
    this.top.sorted = undefined;
    this.items = left;
    this.roots = roots;
    this.folders = folders;
    for (const item of gone) {
      this.byFile.delete(item.file);
      if (this.byLabel.get(item.label) === item) this.byLabel.delete(item.label);
      this.kept?.delete(item);
    }
    this.refresh();
  }

  handle(item: Item): Handle {
    item.handle ??= this.client.handle(item.file, item.path);
    return item.handle;
  }

  // --- The order and the filter of the list.

  sort(order: Order) {
    this.order = order;
    this.refresh();
  }

  private childrenOf(item: Item): Item[] {
    return this.inOrder(item, item.children ?? []);
  }

  private inOrder(owner: { sorted?: Item['sorted'] }, children: Item[]): Item[] {
    if (this.order === 'stored') return children;
    if (owner.sorted?.order !== this.order || owner.sorted.of !== children.length) {
      owner.sorted = { order: this.order, of: children.length, children: [...children].sort(comparisons[this.order]) };
    }
    return owner.sorted.children;
  }

  private readonly top: { sorted?: Item['sorted'] } = {};

  /** Shows only what a filter keeps. Returns how many files and members that are, of how many; nothing if a newer one came. */
  async filter(filter: Filter, current: () => boolean): Promise<{ kept: number; all: number; unread: number } | undefined> {
    const everything = this.everything();
    const keeps = filter.isEmpty ? undefined : new Set<Item>();
    let kept = 0;
    let unread = 0;
    const look = (item: Item) => {
      if (item.children && !item.loaded) unread += 1;
      if (!filter.keeps(item.folded, item.type)) return;
      kept += 1;
      for (let around: Item | undefined = item; around && !keeps?.has(around); around = around.parent) keeps?.add(around);
    };
    if (everything.length <= mostAtOnce) everything.forEach(look);
    else await eachInSteps(everything, look);
    if (!current()) return undefined;
    this.kept = keeps;
    this.refresh();
    return { kept, all: everything.length, unread };
  }

  /** Opens the first shown file that a filter keeps. Folders and archives around it may be shown without being kept. */
  openFirst(filter: Filter): boolean {
    const hit = this.visible.find((item) => item.kind !== 'folder' && filter.keeps(item.folded, item.type));
    if (hit) this.open(hit);
    return hit !== undefined;
  }

  /** All files and known members, without folders. */
  everything(): Item[] {
    const found: Item[] = [];
    for (const file of this.items) {
      found.push(file);
      if (!file.children?.length) continue;
      const stack = [...file.children].reverse();
      while (stack.length > 0) {
        const item = stack.pop()!;
        if (item.kind !== 'folder') found.push(item);
        if (item.children) for (let at = item.children.length - 1; at >= 0; at--) stack.push(item.children[at]);
      }
    }
    return found;
  }

  /** Reads the directories of all archives, so that the filter sees their members. */
  async loadAll(): Promise<void> {
    for (const item of this.everything()) if (item.children && !item.loaded) await this.load(item).catch(this.failed);
  }

  /** The file or member before or after an item in the list. */
  beside(item: Item | undefined, step: 1 | -1): Item | undefined {
    let index = item ? this.visible.indexOf(item) : -1;
    if (index < 0 && step < 0) index = this.visible.length;
    for (index += step; index >= 0 && index < this.visible.length; index += step) {
      if (this.visible[index].kind !== 'folder') return this.visible[index];
    }
    return undefined;
  }

  refresh() {
    const { current } = this;
    this.visible = [];
    // Folders nest as deep as a name has slashes.
    const stack: Item[] = [...this.inOrder(this.top, this.roots)].reverse();
    while (stack.length > 0) {
      const item = stack.pop()!;
      if (this.kept && !this.kept.has(item)) continue;
      this.visible.push(item);
      if (!item.children || !(this.kept || item.expanded)) continue;
      const children = this.childrenOf(item);
      for (let at = children.length - 1; at >= 0; at--) stack.push(children[at]);
    }
    // Its row is another one now, or none: what closes the current item must not close its neighbour.
    this.view.current = current ? this.visible.indexOf(current) : -1;
    // On a narrow screen the list takes no more room than its rows.
    this.view.box.style.setProperty('--rows', String(this.visible.length));
    this.view.refresh();
  }

  // --- Archives.

  /** Reads the directory of an archive. */
  load(item: Item): Promise<void> {
    if (item.loaded || item.kind === 'folder' || !item.children) return Promise.resolve();
    let loading = this.loading.get(item);
    if (!loading) {
      loading = this.loadMembers(item).finally(() => this.loading.delete(item));
      this.loading.set(item, loading);
    }
    return loading;
  }

  private async loadMembers(item: Item): Promise<void> {
    const handle = this.handle(item);
    item.children = [];
    const folders = new Map<string, Item>();
    let from = 0;
    try {
      for (;;) {
        const page = await this.client.ask(handle, 'members', from, pages[from > 0 ? 1 : 0]);
        if (!page) {
          item.children = undefined;
          break;
        }
        const start = from;
        await eachInSteps(page.members, (member, index) => this.place(item, folders, member, start + index));
        from += page.members.length;
        this.refresh();
        if (page.problem) this.failed(new Error(page.problem));
        if (!page.more || page.members.length === 0) break;
      }
      item.loaded = true;
    } finally {
      this.refresh();
      this.loadedMembers();
    }
  }

  private place(archive: Item, folders: Map<string, Item>, [name, bytes]: [string, number, string], index: number) {
    const parts = name.split(/[\\/]/);
    const label = parts.pop()!;
    const item: Item = {
      label: label || name, kind: 'member', expanded: false, loaded: false, bytes, file: archive.file, depth: 0,
      path: [...archive.path, index], names: [...archive.names, name], folded: folded(name), type: kindOf(folded(name)),
    };
    if (archives.test(name)) item.children = [];
    this.put(item, archive, this.roots, folders, parts);
  }

  // --- Addresses.

  /** The address of an item: its file, and names of members. */
  address(item: Item): string {
    return [this.fileOf(item).label, ...item.names].join('!/').replaceAll('\\', '/');
  }

  /** Finds the item that the first of these places names, or the one with the longest common ending. */
  async find(places: Place[]): Promise<{ item: Item; place: Place } | undefined> {
    // Where an address can be read in several ways, the longer name says more.
    const readings = [...places].sort((one, other) => other.item.length - one.item.length);
    for (const place of readings) {
      const item = await this.exactly(place.item);
      if (item) return { item, place };
    }
    let best: { item: Item; place: Place } | undefined;
    let bestFit = 0;
    for (const place of readings) {
      const found = await this.ending(namesOf(place.item));
      if (found && found.fit > bestFit) {
        bestFit = found.fit;
        best = { item: found.item, place };
      }
    }
    return best;
  }

  /** The item of exactly this address. A name may itself have `!/` in it. */
  private async exactly(address: string): Promise<Item | undefined> {
    const parts = address.split('!/');
    for (let own = 1; own <= Math.min(parts.length, 8); own++) {
      let item = this.byLabel.get(parts.slice(0, own).join('!/'));
      for (const name of item ? parts.slice(own) : []) item = item && await this.member(item, name);
      if (item) return item;
    }
    return undefined;
  }

  private async member(archive: Item, name: string): Promise<Item | undefined> {
    await this.load(archive).catch(() => {});
    const wanted = folded(name);
    return membersOf(archive).find((member) => folded(member.names.at(-1)!) === wanted);
  }

  /** The items that end like a wanted address. */
  private async ending(wanted: string[]): Promise<{ item: Item; fit: number } | undefined> {
    if (wanted.length === 0) return undefined;
    const last = wanted.at(-1)!;
    let best: { item: Item; fit: number } | undefined;
    const steps = new Steps();
    const others: Item[] = [];
    const queue: Item[] = [...this.items];
    let searched = 0;
    for (let index = 0; index < queue.length; index++) {
      if (steps.isLong) await steps.next();
      const item = queue[index];
      const isLast = item.folded.endsWith(last);
      if (!isLast && !item.children) continue;
      const names = namesOf(this.address(item));
      const found = isLast ? fit(wanted, names) : 0;
      if (found > (best?.fit ?? 0)) best = { item, fit: found };
      if (!item.children) continue;
      if (!mayContain(wanted, names)) others.push(item);
      else await this.enqueueMembers(item, queue);
      // Nothing has said in which archive it is.
      while (index === queue.length - 1 && !best && others.length > 0 && searched < mostSearched) {
        searched += 1;
        await this.enqueueMembers(others.shift()!, queue);
      }
    }
    return best;
  }

  private async enqueueMembers(archive: Item, queue: Item[]) {
    await this.load(archive).catch(() => {});
    for (const member of membersOf(archive)) queue.push(member);
  }

  /** Makes an item the current one of the list, with the folders around it expanded. */
  reveal(item: Item) {
    let isChanged = false;
    for (let around = item.parent; around; around = around.parent) {
      isChanged ||= !around.expanded;
      around.expanded = true;
    }
    if (isChanged) this.refresh();
    const index = this.visible.indexOf(item);
    if (index >= 0) this.view.mark(index, isChanged);
  }

  // --- The tree.

  count(): number {
    return this.visible.length;
  }

  row(index: number): Row {
    const item = this.visible[index];
    return {
      label: this.label(index), depth: item.depth, expanded: item.children ? this.kept !== undefined && item.loaded || item.expanded : undefined, kind: item.kind,
      detail: item.kind === 'folder' ? undefined : grouped(item.bytes), sign: this.sign(item),
    };
  }

  /** The damage of an item, or of a hidden item inside it. */
  private sign(item: Item): string | undefined {
    if (item.damage !== undefined) return t('damagedFile');
    return item.holdsDamage ? t('holdsDamaged') : undefined;
  }

  item(index: number): Item {
    return this.visible[index];
  }

  indexOf(item: Item): number {
    return this.visible.indexOf(item);
  }

  label(index: number): string {
    const item = this.visible[index];
    return short(item.kind === 'file' ? item.label.split('/').pop()! : item.label, 200);
  }

  parent(index: number): number {
    const around = this.visible[index]?.parent;
    return around ? this.visible.indexOf(around) : -1;
  }

  toggle(index: number, expand: boolean) {
    const item = this.visible[index];
    item.expanded = expand;
    if (expand) this.load(item).catch(this.failed);
    this.refresh();
  }

  select(index: number, how: 'move' | 'open') {
    const item = this.visible[index];
    if (how === 'move') return;
    if (item.kind === 'folder') this.toggle(index, !item.expanded);
    else this.open(item);
  }

  close(index: number) {
    this.closeItem(this.visible[index]);
  }

  get current(): Item | undefined {
    return this.visible[this.view.current];
  }
}

function markAround(item: Item) {
  for (let around = item.parent; around && !around.holdsDamage; around = around.parent) around.holdsDamage = true;
}

function depthIn(parent: Item | undefined): number {
  return parent ? parent.depth + 1 : 0;
}

/** The members of an archive, in its folders too. */
function membersOf(archive: Item): Item[] {
  const found: Item[] = [];
  const stack = [...(archive.children ?? [])].reverse();
  while (stack.length > 0) {
    const item = stack.pop()!;
    if (item.kind === 'member') found.push(item);
    else for (let at = (item.children?.length ?? 0) - 1; at >= 0; at--) stack.push(item.children![at]);
  }
  return found;
}

function byName(one: Item, other: Item): number {
  // Folders come first, as in the programs that show folders.
  if ((one.kind === 'folder') !== (other.kind === 'folder')) return one.kind === 'folder' ? -1 : 1;
  // Of items in one folder, so that only the last names differ.
  return one.folded < other.folded ? -1 : one.folded > other.folded ? 1 : 0;
}

function endingOf(item: Item): string {
  return item.kind === 'folder' ? '' : /\.([^./\\]*)$/.exec(item.label)?.[1].toLowerCase() ?? '';
}

function byKind(one: Item, other: Item): number {
  const [first, second] = [endingOf(one), endingOf(other)];
  return first < second ? -1 : first > second ? 1 : byName(one, other);
}

function bySize(one: Item, other: Item): number {
  return other.bytes - one.bytes || byName(one, other);
}

const comparisons = { name: byName, size: bySize, kind: byKind };
