// Shared by all tests: one browser on the built page, one server on the loopback, one folder for files.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';

import { browserPath, dist, launch, root, serve, web } from './browser.mjs';

const builds = [process.env.MESHPEEK, join(root, 'target/release/meshpeek'), join(root, 'target/debug/meshpeek')];
export const program = builds.find((path) => path && existsSync(path));

/** Why tests cannot run here; `false` if they can. */
export const skip =
  (!browserPath && 'no Chromium (set CHROMIUM)') ||
  (!program && 'no program (cargo build -p meshpeek-cli, or set MESHPEEK)') ||
  (!existsSync(join(dist, 'index.html')) && 'no page (npm run build)');

/** Runs the program in the folder of the repository, unless another is given. */
export function meshpeek(args, cwd = root) {
  const { stdout, status } = spawnSync(program, args, { cwd, maxBuffer: 1 << 30 });
  return { stdout, status };
}

/** Every file below a folder, relative to it. */
export function walk(folder) {
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...walk(path));
    else found.push(path);
  }
  return found.sort();
}

export const corpus = join(root, 'corpus');
/** Real files, and files that once were too much for the library; not in every checkout. */
export const shared = join(root, '../shared/corpus');
export const at = (name) => join(corpus, name);
export let browser, server, folder;

before(async () => {
  if (skip) return;
  browser = await launch();
  server = await serve({ corpus, shared });
  folder = mkdtempSync(join(tmpdir(), 'page-'));
});
after(async () => {
  await browser?.close();
  await server?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Runs on a fresh page, which must end without an error of its own. */
export function on(name, run, { url, context, skip: not, timeout = 480_000, expected = [] } = {}) {
  test(name, { skip: skip || not, timeout }, async (t) => {
    const opened = await open(browser, url?.() ?? server.url, context);
    try {
      await run(opened.page, t, opened);
      assert.deepEqual(opened.errors.filter((error) => !expected.some((known) => known.test(error))), []);
    } finally {
      await opened.context.close();
    }
  });
}

/** Waits until a check holds. Fails as the check does if it does not hold for 15 seconds. */
export async function eventually(check) {
  for (const end = Date.now() + 15_000; ; ) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A page of which every error is kept. */
async function open(browser, url, options = {}) {
  const context = await browser.newContext({ locale: 'en', ...options });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(url);
  return { page, context, errors };
}

/** Opens files as a user does, and waits until one of them, or the list of them, is shown. */
export async function openFiles(page, paths) {
  await page.setInputFiles('#files', paths);
  if (paths.length === 1) await page.locator('#asset').waitFor();
  else await page.locator('#file-list [role=treeitem]').first().waitFor();
}

/** Chooses a tab, and waits until its panel is there. */
export async function tab(page, name) {
  await page.locator(`#tab-${name}`).click();
  await page.locator(`#panel-${name} > *`).first().waitFor();
}

/** Goes to an address in the page, as a link or a user does. */
export async function goTo(page, hash) {
  await page.evaluate((hash) => { location.hash = hash; }, hash);
}

/** Waits until this file is shown. */
export async function shown(page, address) {
  await page.waitForFunction((address) => {
    const title = document.getElementById('title');
    return title.checkVisibility() && title.textContent.replaceAll('\\', '/') === address;
  }, address.replaceAll('\\', '/'));
}

/** Waits until the page has drawn twice: what it does within a frame is done then. */
export async function drawn(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Waits until the worker has answered everything. */
export async function answered(page) {
  await page.waitForFunction(() => window.meshpeek.client.waiting.size === 0);
  await drawn(page);
}

/** Waits until a model is drawn. */
export async function ready(page) {
  await page.locator('#view[data-ready]').waitFor();
  return page.locator('#view').getAttribute('data-ready');
}

/** The main facts that the page shows of a file, or its error. */
export async function facts(page) {
  await tab(page, 'facts');
  await page.locator('#panel-facts dl dt').first().waitFor();
  return page.locator('#panel-facts').innerText();
}

export async function download(page, name) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  return readFileSync(await file.path());
}

/** The header of a PBO of these members: `[name, bytes]`, and the size after unpacking of a packed one. */
export function pboHeader(members) {
  const parts = [];
  for (const [name, bytes, packed] of [...members, ['', 0]]) {
    const numbers = Buffer.alloc(20);
    if (packed) {
      numbers.write('srpC', 'latin1');
      numbers.writeUInt32LE(packed, 4);
    }
    numbers.writeUInt32LE(bytes, 16);
    parts.push(Buffer.from(`${name}\0`, 'latin1'), numbers);
  }
  return Buffer.concat(parts);
}

/** The memory of the largest process that shows a page, in MB. */
export async function memory() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
  });
  await session.detach();
  return Math.round(Math.max(...sizes));
}

/** The longest task of a page's main thread, in milliseconds of processor time: other programs do not count. */
export function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const main = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid, tdur }) => name.endsWith('RunTask') && tdur !== undefined && main.has(`${pid} ${tid}`));
  assert.ok(tasks.length > 10, `${tasks.length} tasks`);
  return tasks.reduce((most, { tdur }) => Math.max(most, tdur / 1000), 0);
}

export { dist, relative, root, serve, web };
