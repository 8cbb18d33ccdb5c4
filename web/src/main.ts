// The page: files are opened here, and the panels of one asset are shown.
import { Cancelled, Client } from './client';
import { byId, el } from './dom';
import { Facts } from './facts';
import { Files, type Item } from './files';
import type { About, Context, Panel } from './panel';
import { grouped, type Language, language, setLanguage, short, t } from './strings';

const tabNames = ['model', 'texture', 'facts', 'bytes', 'arrays'] as const;
type Tab = (typeof tabNames)[number];

/** Formats with triangles or bones. */
const models = new Set(['b3d', 'bmx', 'lodka', 'mlod', 'odol', 'rtm', 'bmtr']);

interface Place {
  /** A file, and names of members joined by `!/`. */
  address: string;
  selector: string;
  tab: Tab | undefined;
}

interface Shown {
  item: Item;
  context: Context;
  panels: Map<Tab, Promise<Panel>>;
  tabs: Tab[];
  tab: Tab;
  selector: string;
}

const client = new Client();
const files = new Files(byId('file-list'), t('files'), client, (item) => void show(item), failed);
let shown: Shown | undefined;
let run = 0;

// --- Messages and progress.

function say(text: string, isError = false) {
  const box = byId('message');
  box.hidden = text === '';
  box.textContent = short(text, 2000);
  box.classList.toggle('error', isError);
}

function failed(error: unknown) {
  if (error instanceof Cancelled) say(t('cancelled'));
  else say(error instanceof Error ? error.message : String(error), true);
}

let busySince: ReturnType<typeof setTimeout> | undefined;
client.onbusy = (count) => {
  if (count === 0) {
    clearTimeout(busySince);
    busySince = undefined;
    byId('busy').hidden = true;
    progress();
  } else {
    busySince ??= setTimeout(() => (byId('busy').hidden = false), 400);
  }
};
/** Shows the share of long work that is done, if it is known. */
function progress(done = 0, all = 0) {
  const bar = byId<HTMLProgressElement>('progress');
  if (all > 0) bar.value = Math.min(1, done / all);
  else bar.removeAttribute('value');
  byId('busy-text').textContent = all > 0 ? t('percent', Math.floor(100 * bar.value)) : t('working');
}
client.onprogress = progress;
byId('cancel').onclick = () => client.cancel();

// --- Addresses.

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%20', ' ').replaceAll(' ', '%20');
}

function writeHash(push: boolean) {
  if (!shown) return;
  const selector = shown.selector ? `@${encode(shown.selector)}` : '';
  const hash = `#${encode(files.address(shown.item))}${selector}&${shown.tab}`;
  // Browsers refuse addresses of megabytes.
  if (hash === location.hash || hash.length > 100_000) return;
  if (push) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
}

function readHash(): Place | undefined {
  const [place, tab] = location.hash.slice(1).split('&');
  if (!place) return undefined;
  const at = place.indexOf('@');
  const [address, selector] = at < 0 ? [place, ''] : [place.slice(0, at), place.slice(at + 1)];
  try {
    return {
      address: decodeURIComponent(address), selector: decodeURIComponent(selector),
      tab: tabNames.find((name) => name === tab) ?? (selector ? 'bytes' : undefined),
    };
  } catch {
    return undefined;
  }
}

/** Shows what an address names, if its file is open. */
async function goTo({ address, selector, tab }: Place, push: boolean) {
  const [name, ...names] = address.split('!/');
  const fits = (item: Item) => item.label.replaceAll('\\', '/') === name;
  const ends = (item: Item) => name.endsWith(`/${item.label}`) || item.label.endsWith(`/${name}`);
  const file = files.items.find(fits) ?? files.items.find(ends);
  if (!file) {
    say(t('missingFile', name));
    return;
  }
  const item = await files.find(file, names);
  if (!item) {
    say(t('badFile', address), true);
    return;
  }
  await show(item, { selector, tab, push });
}

function followHash() {
  const place = readHash();
  if (!place) return;
  if (shown && files.address(shown.item) === place.address && (place.tab ?? shown.tab) === shown.tab && place.selector === shown.selector) return;
  goTo(place, false).catch(failed);
}
window.addEventListener('hashchange', followHash);
window.addEventListener('popstate', followHash);

// --- One asset.

async function show(item: Item, wanted: { selector?: string; tab?: Tab; push?: boolean } = {}) {
  const own = ++run;
  say('');
  const handle = files.handle(item);
  let about: About;
  try {
    about = await client.json<About>(handle, 'about');
  } catch (error) {
    failed(error);
    return;
  }
  if (own !== run) return;
  const before = shown;
  close(before);
  if (before && before.context.handle !== handle && !before.context.about.archive) client.forget(before.context.handle);
  if (about.archive) {
    item.children ??= [];
    item.expanded = true;
    files.load(item).catch(failed);
  }
  files.refresh();
  byId('welcome').hidden = true;
  byId('asset').hidden = false;
  byId('title').textContent = short(about.address, 2000);
  files.mark(item);
  document.title = `${short(about.name, 100)} – meshpeek`;
  const tabs: Tab[] = [];
  if (!about.error && models.has(about.format ?? '')) tabs.push('model');
  if (!about.error && about.format === 'paa') tabs.push('texture');
  tabs.push('facts', 'bytes');
  if (!about.error && !about.archive) tabs.push('arrays');
  const context: Context = {
    client, handle, about,
    failed: (error) => own === run && failed(error),
    say: (text) => own === run && say(text),
    progress: (done, all) => own === run && progress(done, all),
    open: (address, offset) => void goTo({ address, selector: '', tab: offset === undefined ? undefined : 'bytes' }, true)
      .then(() => offset === undefined ? undefined : goToOffset(offset)).catch(failed),
    goTo: (offset) => void goToOffset(offset).catch(failed),
    selected: (selector) => {
      if (own !== run || !shown) return;
      shown.selector = selector;
      writeHash(false);
    },
    others: (ending) => files.items.filter((other) => ending.test(other.label)).map((other) => ({ label: other.label, handle: files.handle(other) })),
  };
  const tab = wanted.tab && tabs.includes(wanted.tab) ? wanted.tab : tabs[0];
  shown = { item, context, panels: new Map(), tabs, tab, selector: wanted.selector ?? '' };
  byId('panels').replaceChildren();
  drawTabs();
  if (about.error) say(t('badFile', about.error.message), true);
  try {
    const panel = await openTab(tab, wanted.push ?? true);
    if (tab === 'bytes' && wanted.selector) await (panel as import('./bytes').Bytes).goToSelector(wanted.selector);
  } catch (error) {
    context.failed(error);
  }
}

async function goToOffset(offset: number) {
  const panel = await openTab('bytes');
  await (panel as import('./bytes').Bytes).goToOffset(offset);
}

function close(old: Shown | undefined) {
  if (!old) return;
  for (const panel of old.panels.values()) void panel.then((panel) => panel.closed?.()).catch(() => {});
}

function drawTabs() {
  const { tabs, tab } = shown!;
  byId('tabs').replaceChildren(...tabs.map((name) => el('button', {
    type: 'button', role: 'tab', id: `tab-${name}`, 'aria-selected': String(name === tab), 'aria-controls': `panel-${name}`,
    tabindex: name === tab ? 0 : -1, onclick: () => void openTab(name, false).catch(failed),
  }, t(name))));
}

byId('tabs').addEventListener('keydown', (event) => {
  if (!shown) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const { tabs, tab } = shown;
  const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
  openTab(next, false).catch(failed);
  byId(`tab-${next}`).focus();
  event.preventDefault();
});

async function openTab(tab: Tab, push = false): Promise<Panel> {
  const own = shown!;
  own.tab = tab;
  if (!own.panels.has(tab)) own.panels.set(tab, makePanel(tab, own));
  // Panels exist for their tabs even before their content is there.
  for (const name of own.tabs) {
    let box = document.getElementById(`panel-${name}`);
    if (!box) {
      box = el('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}` });
      byId('panels').append(box);
    }
    box.hidden = name !== tab;
  }
  drawTabs();
  writeHash(push);
  const panel = await own.panels.get(tab)!;
  if (shown === own) {
    byId(`panel-${tab}`).replaceChildren(panel.element);
    panel.shown?.();
  }
  return panel;
}

async function makePanel(tab: Tab, { context, selector }: Shown): Promise<Panel> {
  const { client: asked, handle } = context;
  const nothing = (text: string): Panel => ({ element: el('p', {}, text) });
  switch (tab) {
    case 'facts': return new Facts(context);
    case 'bytes': return new (await import('./bytes')).Bytes(context);
    case 'texture': return new (await import('./texture')).Texture(context, await asked.json(handle, 'mips'));
    case 'arrays': {
      const listed = await asked.json<never[]>(handle, 'arrays');
      return listed.length > 0 ? new (await import('./arrays')).Arrays(context, listed, selector) : nothing(t('none'));
    }
    case 'model': {
      const [module, facts] = await Promise.all([import('./model'), asked.json<import('./model').ModelFacts>(handle, 'model')]);
      try {
        return new module.Model(context, facts);
      } catch {
        return nothing(t('noWebgl'));
      }
    }
  }
}

// --- Opening files.

async function openFiles(list: File[]) {
  if (list.length === 0) return;
  say('');
  const sources = list.map((file) => ({ name: file.webkitRelativePath || paths.get(file) || file.name, blob: file, size: file.size }));
  // Folders come in any order.
  sources.sort((a, b) => (a.name < b.name ? -1 : 1));
  const first = await client.add(sources);
  const items = sources.map(({ name, size }, index) => files.add(first + index, name, size));
  files.refresh();
  const place = readHash();
  const name = place?.address.split('!/')[0];
  if (place && items.some((item) => item.label === name)) await goTo(place, false);
  else if (items.length === 1) await show(items[0]);
}

/** The paths of dropped files inside their folder. */
const paths = new WeakMap<File, string>();
const mostDropped = 100_000;

async function dropped(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  if (entries.length === 0) return [...transfer.files];
  const found: File[] = [];
  while (entries.length > 0 && found.length < mostDropped) {
    const entry = entries.shift()!;
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      paths.set(file, entry.fullPath.replace(/^\//, ''));
      found.push(file);
      continue;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) break;
      entries.push(...some);
    }
  }
  return found;
}

const dragged = (on: boolean) => document.body.classList.toggle('drag', on);
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  dragged(true);
});
document.addEventListener('dragleave', (event) => event.relatedTarget ?? dragged(false));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  dragged(false);
  if (event.dataTransfer) dropped(event.dataTransfer).then(openFiles).catch(failed);
});
for (const [press, chooser] of [['open-files', 'files'], ['open-folder', 'folder']]) {
  const input = byId<HTMLInputElement>(chooser);
  byId(press).onclick = () => input.click();
  input.onchange = () => {
    openFiles([...(input.files ?? [])]).catch(failed);
    input.value = '';
  };
}

/** `?open=ADDRESS` opens a file by HTTP, by ranges if the server has them. */
async function openAddress() {
  const wanted = new URL(location.href).searchParams.getAll('open');
  for (const text of wanted) {
    const url = new URL(text, location.href);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') continue;
    const name = decodeURIComponent(url.pathname.split('/').pop() || url.host);
    const file = await client.addUrl(url.href, name);
    const item = files.add(file, name, client.sources[file].size);
    files.refresh();
    const place = readHash();
    if (place?.address.split('!/')[0] === name) await goTo(place, false);
    else if (wanted.length === 1) await show(item);
  }
  if (wanted.length === 0) followHash();
}

// --- Language.

function translate() {
  document.documentElement.lang = language;
  const words: [string, string][] = [
    ['skip', t('skip')], ['open-files', t('openFiles')], ['open-folder', t('openFolder')], ['language-label', t('language')],
    ['cancel', t('cancel')], ['busy-text', t('working')], ['welcome-title', t('welcomeTitle')], ['welcome-text', t('welcome')],
  ];
  for (const [id, text] of words) byId(id).textContent = text;
  byId('progress').setAttribute('aria-label', t('progress'));
  byId('side').setAttribute('aria-label', t('files'));
  files.view.label(t('files'));
}

const chooser = byId<HTMLSelectElement>('language');
chooser.value = language;
chooser.onchange = () => {
  setLanguage(chooser.value as Language);
  translate();
  if (shown) void show(shown.item, { tab: shown.tab, selector: shown.selector, push: false });
};
translate();
openAddress().catch(failed);
// The library is fetched when the page is painted and has nothing else to do.
const idle = window.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 500));
requestAnimationFrame(() => setTimeout(() => idle(() => client.start())));
if ('serviceWorker' in navigator && import.meta.env.PROD) void navigator.serviceWorker.register('./sw.js').catch(() => {});

// For tests: the calls of the page, as it makes them.
Object.assign(window, { meshpeek: { client, files, openFiles, grouped } });
