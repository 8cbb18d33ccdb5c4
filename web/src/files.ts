// The files that are open, with the folders and members of archives, as a tree that is filled when it is looked into.
import type { Client, Handle } from './client';
import { grouped, short } from './strings';
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
  /** The names and indices that lead to it. */
  path: (string | number)[];
  names: string[];
  handle?: Handle;
}

interface Listed {
  members: [string, number, string][];
  more: boolean;
  problem: string | null;
}

/** Folders are expanded up to this many files. */
const mostExpanded = 500;
/** How many members come first, and then at once: the first show at once. */
const pages = [500, 20_000];
const archives = /\.(pbo|zip)$/i;

export class Files implements TreeModel {
  /** The files that the user opened. */
  readonly items: Item[] = [];
  /** What is on top: files, and folders that were opened. */
  private readonly roots: Item[] = [];
  private readonly folders = new Map<string, Item>();
  readonly view: TreeView;
  private visible: Item[] = [];
  private depths = new Map<Item, number>();

  constructor(box: HTMLElement, label: string, private readonly client: Client, private readonly open: (item: Item) => void, private readonly failed: (error: unknown) => void) {
    this.view = new TreeView(box, label, this);
  }

  add(file: number, name: string, bytes: number): Item {
    const item: Item = { label: name, kind: 'file', expanded: false, loaded: false, bytes, file, path: [], names: [] };
    if (archives.test(name)) item.children = [];
    this.items.push(item);
    this.put(item, undefined, this.folders, name.split('/').slice(0, -1));
    return item;
  }

  /** Puts an item below folders, which are made if needed. A hostile name has any number of slashes. */
  private put(item: Item, root: Item | undefined, folders: Map<string, Item>, names: string[]) {
    let parent = root;
    let path = '';
    for (const name of names.slice(0, 64)) {
      path += `${name}/`;
      let folder = folders.get(path);
      if (!folder) {
        const expanded = !root && this.items.length < mostExpanded;
        folder = { label: name, kind: 'folder', parent, children: [], expanded, loaded: true, bytes: 0, file: item.file, path: [], names: [] };
        folders.set(path, folder);
        (parent?.children ?? this.roots).push(folder);
      }
      parent = folder;
    }
    item.parent = parent;
    (parent?.children ?? this.roots).push(item);
  }

  handle(item: Item): Handle {
    item.handle ??= this.client.handle(item.file, item.path);
    return item.handle;
  }

  refresh() {
    this.visible = [];
    this.depths.clear();
    // Folders nest as deep as a name has slashes.
    const stack: [Item, number][] = this.roots.map((item): [Item, number] => [item, 0]).reverse();
    while (stack.length > 0) {
      const [item, depth] = stack.pop()!;
      this.visible.push(item);
      this.depths.set(item, depth);
      if (item.expanded && item.children) for (let at = item.children.length - 1; at >= 0; at--) stack.push([item.children[at], depth + 1]);
    }
    this.view.refresh();
  }

  /** Reads the directory of an archive. */
  async load(item: Item): Promise<void> {
    if (item.loaded || item.kind === 'folder') return;
    item.loaded = true;
    const handle = this.handle(item);
    item.children = [];
    const folders = new Map<string, Item>();
    let from = 0;
    try {
      for (;;) {
        const page = await this.client.json<Listed | null>(handle, 'members', from, pages[from > 0 ? 1 : 0]);
        if (!page) {
          item.children = undefined;
          break;
        }
        page.members.forEach((member, index) => this.place(item, folders, member, from + index));
        from += page.members.length;
        this.refresh();
        if (page.problem) this.failed(new Error(page.problem));
        if (!page.more || page.members.length === 0) break;
      }
    } catch (error) {
      item.loaded = false;
      throw error;
    } finally {
      this.refresh();
    }
  }

  private place(archive: Item, folders: Map<string, Item>, [name, bytes]: [string, number, string], index: number) {
    const parts = name.split(/[\\/]/);
    const label = parts.pop()!;
    const item: Item = {
      label: label || name, kind: 'member', expanded: false, loaded: false, bytes, file: archive.file,
      path: [...archive.path, index], names: [...archive.names, name],
    };
    if (archives.test(name)) item.children = [];
    this.put(item, archive, folders, parts);
  }

  /** The member of this name, with the folders around it expanded. */
  async find(start: Item, names: string[]): Promise<Item | undefined> {
    let item = start;
    for (const name of names) {
      await this.load(item);
      const wanted = folded(name);
      let found: Item | undefined;
      const stack = [...(item.children ?? [])];
      while (stack.length > 0 && !found) {
        const next = stack.pop()!;
        if (next.kind === 'folder') stack.push(...(next.children ?? []));
        else if (folded(next.names.at(-1) ?? '') === wanted) found = next;
      }
      if (!found) return undefined;
      item = found;
    }
    for (let around = item.parent; around; around = around.parent) around.expanded = true;
    this.refresh();
    this.view.mark(this.visible.indexOf(item));
    return item;
  }

  /** The address of an item: its file, and names of members. */
  address(item: Item): string {
    const file = this.items.find(({ file }) => file === item.file)!;
    return [file.label, ...item.names].join('!/').replaceAll('\\', '/');
  }

  /** Makes an item the current one, if it is in sight. */
  mark(item: Item) {
    const index = this.visible.indexOf(item);
    if (index >= 0) this.view.mark(index, false);
  }

  count(): number {
    return this.visible.length;
  }

  row(index: number): Row {
    const item = this.visible[index];
    return {
      label: short(item.kind === 'file' ? item.label.split('/').pop()! : item.label, 200), depth: this.depths.get(item) ?? 0, expanded: item.children ? item.expanded : undefined, kind: item.kind,
      detail: item.kind === 'folder' ? undefined : grouped(item.bytes),
    };
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
    if (item.kind === 'folder') {
      this.toggle(index, !item.expanded);
      return;
    }
    this.open(item);
  }
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll('\\', '/');
}
