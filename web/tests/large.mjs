// Files that are too large to be read whole, and work that takes long.
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { answered, at, browser, drawn, folder, longestTask, meshpeek, memory, on, openFiles, pboHeader, ready, tab } from './page.mjs';

on('a sparse archive of 4 GB opens by ranges, in little memory', async (page, t) => {
  const path = join(folder, 'sparse.pbo');
  const members = Array.from({ length: 2048 }, (_, index) => [`data\\member${index}.bin`, 2 << 20]);
  const model = readFileSync(at('b3d/triangle.b3d'));
  members.push(['data\\last.b3d', model.length]);
  const header = pboHeader(members);
  const end = header.length + 2048 * (2 << 20);
  const file = openSync(path, 'w');
  writeSync(file, header);
  writeSync(file, model, 0, model.length, end);
  closeSync(file);
  truncateSync(path, end + model.length);
  const before = await memory();
  const start = performance.now();
  await page.setInputFiles('#files', [path]);
  await page.locator('#file-list [role=treeitem]', { hasText: 'data' }).waitFor();
  const first = performance.now() - start;
  const began = performance.now();
  meshpeek(['tree', path]);
  const program = performance.now() - began;
  await page.locator('#file-list [role=treeitem]', { hasText: 'data' }).click();
  await page.waitForFunction((count) => window.meshpeek.files.count() > count, members.length);
  await page.locator('#file-list').press('End');
  await page.locator('#file-list [role=treeitem]', { hasText: 'last.b3d' }).locator('.label').click();
  assert.equal(await ready(page), 'true');
  await page.evaluate(() => { location.hash = '#sparse.pbo&bytes'; });
  await page.locator('#panel-bytes:not([hidden]) #tree [role=treeitem]').first().waitFor();
  // The last byte is there, although no browser has a box as high as all lines.
  const last = page.locator(`#hex [data-at="${end + model.length - 1}"]`).first();
  await answered(page);
  await page.locator('#hex').press('Control+End');
  await last.waitFor();
  const used = await memory();
  t.diagnostic(`first list after ${first.toFixed(0)} ms, the program's tree ${program.toFixed(0)} ms: ratio ${(first / program).toFixed(1)}; memory of the page ${used} MB (before: ${before} MB)`);
  assert.ok(used < 300, `${used} MB`);
});

/** A zip of stored members of this many zeros each, without writing the zeros. */
function sparseZip(path, count, bytes) {
  const file = openSync(path, 'w');
  const central = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    const name = Buffer.from(`folder${index % 7}/member${index}.bin`);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(20, 4);
    local.writeUInt32LE(bytes, 18);
    local.writeUInt32LE(bytes, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(20, 4);
    entry.writeUInt16LE(20, 6);
    local.copy(entry, 20, 18, 28);
    entry.writeUInt32LE(at, 42);
    central.push(entry, name);
    writeSync(file, Buffer.concat([local, name]), 0, 30 + name.length, at);
    at += 30 + name.length + bytes;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  writeSync(file, Buffer.concat([directory, end]), 0, directory.length + 22, at);
  closeSync(file);
}

/** The tree in the page, and what was read for it. */
async function treeOf(page) {
  return page.evaluate(async () => {
    const { client, files } = window.meshpeek;
    const handle = files.handle(files.items[0]);
    const { lines } = await client.ask(handle, 'tree');
    const rows = await client.ask(handle, 'tree_rows', Uint32Array.from({ length: lines }, (_, line) => line));
    return { rows, held: (await client.ask(handle, 'about')).held };
  });
}

on('the tree of a large zip needs its headers only', async (page, t) => {
  const path = join(folder, 'large.zip');
  sparseZip(path, 4000, 60_000);
  await openFiles(page, [path]);
  const { rows, held } = await treeOf(page);
  const lines = meshpeek(['tree', '--fields', '--format', 'ndjson', path]).stdout.toString().trim().split('\n');
  assert.deepEqual(rows, lines.map((line) => JSON.parse(line)));
  assert.ok(held < 4 << 20, `${held} bytes`);
  t.diagnostic(`${rows.length} lines of 240 MB with ${held} bytes read`);
});

on('the tree of a large archive of packed members does not unpack them', async (page) => {
  const path = join(folder, 'packed.pbo');
  const header = pboHeader(Array.from({ length: 100 }, (_, index) => [`packed${index}.bin`, 1 << 20, 2 << 20]));
  const file = openSync(path, 'w');
  writeSync(file, header);
  closeSync(file);
  truncateSync(path, header.length + (100 << 20));
  await openFiles(page, [path]);
  const { rows, held } = await treeOf(page);
  const members = rows.filter(({ selector }) => /^members\/\d+\/content$/.test(selector));
  assert.equal(members.length, 100);
  assert.ok(held < 1 << 20, `${held} bytes`);
});

on('a check of a large archive says what it did not check, and how far it is', async (page, t) => {
  const path = join(folder, 'checked.pbo');
  const model = readFileSync(at('hostile/cut_in_vertices.b3d'));
  const members = [...Array.from({ length: 300 }, (_, index) => [`member${index}.bin`, 1 << 20]), ['bad.b3d', model.length]];
  const header = pboHeader(members);
  const file = openSync(path, 'w');
  writeSync(file, header);
  writeSync(file, model, 0, model.length, header.length + (300 << 20));
  closeSync(file);
  await openFiles(page, [path]);
  await tab(page, 'facts');
  await page.evaluate(async () => {
    await window.meshpeek.client.call('interval', 0);
    window.shown = [];
    const text = document.getElementById('busy-text');
    new MutationObserver(() => window.shown.push(text.textContent)).observe(text, { childList: true });
  });
  const panel = page.locator('#panel-facts');
  await panel.getByRole('button', { name: 'Check everything' }).click();
  await panel.locator('[data-checked]').waitFor();
  const claim = await panel.locator('[data-checked]').innerText();
  assert.match(claim, /archive: 301; not the checksum/);
  await panel.locator('table', { hasText: 'Severity' }).locator('tr.error', { hasText: 'bad.b3d' }).first().waitFor();
  const shown = await page.evaluate(() => window.shown.filter((text) => /^\d+ %$/.test(text)).map((text) => parseInt(text, 10)));
  assert.ok(shown.length >= 2 && shown.every((percent, index) => index === 0 || percent >= shown[index - 1]), shown.join(' '));
  t.diagnostic(`progress: ${shown.join(' ')}`);
  // The same of a small archive, as a whole.
  await page.setInputFiles('#files', [at('hostile/bad_sha1.pbo')]);
  await page.waitForFunction(() => document.getElementById('title').textContent === 'bad_sha1.pbo');
  await tab(page, 'facts');
  await panel.getByRole('button', { name: 'Check everything' }).click();
  await panel.getByText('The whole archive was checked').waitFor();
  assert.match(await panel.innerText(), /SHA-1 is not that of the archive/);
});

on('long work can be cancelled, and the page goes on', async (page) => {
  const path = join(folder, 'long.pbo');
  const members = Array.from({ length: 1500 }, (_, index) => [`member${index}.bin`, 1 << 20]);
  const header = pboHeader(members);
  const file = openSync(path, 'w');
  writeSync(file, header);
  closeSync(file);
  truncateSync(path, header.length + 1500 * (1 << 20));
  await openFiles(page, [path]);
  await tab(page, 'facts');
  await page.locator('#panel-facts').getByRole('button', { name: 'Check everything' }).click();
  await page.locator('#cancel').click();
  await page.locator('#message', { hasText: 'Cancelled' }).waitFor();
  assert.equal(await page.locator('#panel-facts [data-checked]').count(), 0);
  await tab(page, 'bytes');
  await page.locator('#tree [role=treeitem]').first().waitFor();
  await openFiles(page, [at('b3d/everything.b3d')]);
  await page.waitForFunction(() => document.getElementById('title').textContent === 'everything.b3d');
  assert.equal(await ready(page), 'true');
});

on('a folder of 100,000 files opens, is filtered, sorted and closed in short steps and little memory', async (page, t) => {
  const model = readFileSync(at('b3d/triangle.b3d'));
  await page.locator('#drop-zone').waitFor();
  await page.evaluate((bytes) => {
    const content = new Uint8Array(bytes);
    const endings = ['b3d', 'paa', 'rvmat', 'sqf'];
    window.many = Array.from({ length: 100_000 }, (_, index) => new File([content], `file${(index * 7919) % 100_000}.${endings[index % 4]}`));
  }, [...model]);
  await drawn(page);
  const step = async (name, run) => {
    const start = performance.now();
    await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel', 'disabled-by-default-devtools.timeline'] });
    await run();
    await drawn(page);
    const longest = longestTask(await browser.stopTracing());
    t.diagnostic(`${name}: ${(performance.now() - start).toFixed(0)} ms, longest task ${longest.toFixed(0)} ms of processor time`);
    assert.ok(longest <= 200, `${name}: a task of ${longest} ms`);
  };
  await step('open', async () => {
    await page.evaluate(() => void window.meshpeek.openFiles(window.many.splice(0)));
    await page.waitForFunction(() => window.meshpeek.files.items.length === 100_000 && window.meshpeek.second.known === 100_000);
    await page.locator('#overview-title', { hasText: '100,000' }).waitFor();
  });
  await step('filter', async () => {
    await page.locator('#filter').fill('file9999');
    await page.locator('#filtered', { hasText: '11 of 100,000' }).waitFor();
  });
  await step('empty the filter', async () => {
    await page.locator('#filter').fill('');
    await page.locator('#filtered').waitFor({ state: 'hidden' });
  });
  await step('sort', async () => {
    await page.locator('#order').selectOption('size');
    await page.locator('#file-list .label').getByText('file0.b3d', { exact: true }).waitFor();
  });
  await step('open one', async () => {
    await page.evaluate(() => { location.hash = '#file77.sqf'; });
    await page.waitForFunction(() => document.getElementById('title').textContent === 'file77.sqf');
  });
  await step('back to the overview', async () => {
    await page.locator('#home').click();
    await page.locator('#looking', { hasText: 'of 100,000' }).waitFor();
  });
  const used = await memory();
  t.diagnostic(`${used} MB`);
  assert.ok(used < 1000, `${used} MB`);
  await step('close all', async () => {
    await page.locator('#close-all').click();
    await page.locator('#drop-zone').waitFor();
  });
});
