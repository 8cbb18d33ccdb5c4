// The page: its parts, and what connects them.
import { Client } from './client';
import { byId } from './dom';
import { Files, type Item } from './files';
import { ListTools } from './listtools';
import { KeyHelp } from './key-help';
import { failed, listenToClose, progress, say, watch } from './messages';
import { Navigator } from './navigate';
import { Opening } from './open';
import { Overview } from './overview';
import { pageWords } from './plain';
import { saveFile } from './saving';
import { Start } from './start';
import { grouped, type Language, language, setLanguage, t } from './strings';

const client = new Client();
/** Looks at all files at once, without keeping the view of one waiting. */
const second = new Client(client.sources);
watch(client);
listenToClose();
const keyHelp = new KeyHelp(byId('keys'), byId<HTMLDialogElement>('key-help'));

const files = new Files(byId('file-list'), t('files'), client, (item) => void navigator.open(item), failed, (item) => closeLater(files.closedWith(item)));
const start = new Start((samples, address) => void openSample(samples, address).catch(failed));
const overview = new Overview(second, files, start, (address) => void navigator.openAddress(address), (item) => void navigator.open(item), failed);
const navigator = new Navigator(client, files, overview);
const tools = new ListTools(files, closeLater);
const opening = new Opening(client, files, navigator, close, filesChanged);

function filesChanged() {
  void tools.apply();
  overview.filesChanged();
}

/** Closes files, after those that are being added or closed. */
function closeLater(items: Item[]) {
  void opening.inTurn(() => close(items)).catch(failed);
}

async function close(items: Item[]) {
  items = items.filter((item) => files.isOpen(item));
  if (items.length === 0) return;
  const closed = new Set(items.map(({ file }) => file));
  client.remove([...closed], [second]);
  await files.remove(items);
  filesChanged();
  navigator.closed(closed);
}

async function openSample(samples: { name: string; url: string }[], address: string) {
  await opening.openSamples(samples);
  await navigator.openAddress(address);
}

// --- The buttons of an open file, and keys that work everywhere.

/** Opens the file before or after the one that is shown. */
function openBeside(step: 1 | -1) {
  const item = files.beside(navigator.item, step);
  if (item) void navigator.open(item);
}

async function saveShown() {
  const { item } = navigator;
  if (item) await saveFile(client, files.handle(item), files.address(item), progress);
}

byId('home').onclick = () => navigator.goHome(true);
byId('previous-file').onclick = () => openBeside(-1);
byId('next-file').onclick = () => openBeside(1);
byId('save-file').onclick = () => void saveShown().catch(failed);
byId('copy-link').onclick = () => window.navigator.clipboard.writeText(location.href).then(() => say(t('linkCopied')), failed);
byId('tabs').addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  void navigator.openTab(step);
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (!event.altKey || event.ctrlKey || event.shiftKey || event.metaKey) return;
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
  openBeside(event.key === 'ArrowUp' ? -1 : 1);
  event.preventDefault();
  event.stopPropagation();
}, { capture: true });

// --- Language.

function translate() {
  document.documentElement.lang = language;
  const words: [string, string][] = [
    ['skip', t('skip')], ['open-files', t('openFiles')], ['open-folder', t('openFolder')], ['language-label', t('language')],
    ['cancel', t('cancel')], ['busy-text', t('working')], ['home', t('overview')], ['save-file', t('saveFile')], ['copy-link', t('copyLink')], ['await-end', t('awaitEnd')],
  ];
  for (const [id, text] of words) byId(id).textContent = text;
  const labels: [string, string][] = [
    ['progress', t('progress')], ['side', t('files')], ['previous-file', t('previousFile')], ['next-file', t('nextFile')], ['message-close', t('closeMessage')],
  ];
  for (const [id, text] of labels) byId(id).setAttribute('aria-label', text);
  byId('previous-file').title = `${t('previousFile')} (Alt+↑)`;
  byId('next-file').title = `${t('nextFile')} (Alt+↓)`;
  keyHelp.translate();
  files.view.label(t('files'));
}

const chooser = byId<HTMLSelectElement>('language');
chooser.value = language;
chooser.onchange = () => {
  setLanguage(chooser.value as Language);
  translate();
  tools.draw();
  files.refresh();
  void navigator.translate();
};

// --- The start.

translate();
overview.show();
navigator.awaitAddress();
const addresses = new URL(location.href).searchParams.getAll('open');
if (addresses.length > 0) opening.openAddresses(addresses).catch(failed);
// The library is fetched when the page is painted and has nothing else to do.
const idle = window.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 500));
requestAnimationFrame(() => setTimeout(() => idle(() => {
  client.start();
  // The graphics card needs a part of a second, in which no model could be seen.
  idle(() => void import('./model').then(({ prepareStage }) => prepareStage(), () => {}));
})));
if ('serviceWorker' in window.navigator && import.meta.env.PROD) void window.navigator.serviceWorker.register('./sw.js').catch(() => {});

// For tests: the calls of the page, as it makes them.
Object.assign(window, { meshpeek: { client, second, files, openFiles: (list: File[]) => opening.open(list), grouped, pageWords } });
