// The views of a file: bytes, model, texture, arrays.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { at, download, eventually, folder, meshpeek, on, openFiles, ready, tab } from './page.mjs';

on('selecting a field selects its bytes, and a byte its field', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  await tab(page, 'bytes');
  const lines = meshpeek(['tree', '--fields', '--format', 'ndjson', at('b3d/everything.b3d')]).stdout.toString().trim().split('\n').map(JSON.parse);
  const fields = lines.filter((line) => line.kind === 'field' && line.bytes > 0 && line.bytes < 64);
  await page.getByRole('button', { name: 'Expand all' }).click();
  const current = () => page.locator('#tree [aria-selected=true] .label').innerText();
  for (const field of [fields[1], fields[fields.length >> 1], fields.at(-1)]) {
    // From the byte to the field.
    await page.getByLabel('Go to offset').fill(`0x${field.offset.toString(16)}`);
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await page.waitForFunction((selector) => document.querySelector('.detail-pane')?.textContent.includes(selector), field.selector);
    await eventually(async () => assert.equal(await current(), field.name));
    const marked = () => page.locator('#hex .codes .on').evaluateAll((bytes) => bytes.map((byte) => Number(byte.dataset.at)));
    const own = Array.from({ length: field.bytes }, (_, index) => field.offset + index);
    await eventually(async () => assert.deepEqual(await marked(), own));
  }
  // From the field to its bytes: the line before the current one.
  await page.locator('#tree').focus();
  await page.keyboard.press('ArrowUp');
  const selector = await page.locator('.detail-pane dd').nth(1).innerText();
  const line = lines.find((line) => line.selector === selector);
  const first = page.locator('#hex .codes .on').first();
  await page.waitForFunction((offset) => document.querySelector('#hex .codes .on')?.dataset.at === String(offset), line.offset);
  assert.equal(await first.getAttribute('data-at'), String(line.offset));
  // A click on a byte.
  await page.locator(`#hex .codes [data-at="0"]`).first().scrollIntoViewIfNeeded().catch(() => {});
  await page.locator('#hex').press('Control+Home');
  await page.locator('#hex .codes [data-at="5"]').click();
  const there = lines.find((line) => line.kind === 'field' && line.offset <= 5 && line.offset + line.bytes > 5);
  await page.waitForFunction((name) => document.querySelector('#tree [aria-selected=true] .label')?.textContent === name, there.name);
});

on('a clip moves the model', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  assert.equal(await ready(page), 'true');
  const clips = page.locator('#clip');
  await clips.selectOption({ index: 1 });
  const shot = async () => {
    await page.waitForTimeout(300);
    return page.locator('#view').screenshot();
  };
  const start = await shot();
  const end = await page.locator('#timeline').getAttribute('max');
  await page.locator('#timeline').fill(String(Math.floor(Number(end) * 500) / 1000));
  await eventually(async () => assert.ok(!start.equals(await shot()), 'the picture at half time is that at the start'));
  await page.getByRole('button', { name: 'Play' }).click();
  const now = await page.locator('#timeline').inputValue();
  await eventually(async () => assert.notEqual(await page.locator('#timeline').inputValue(), now));
  await page.getByRole('button', { name: 'Pause' }).click();
});

on('the views of a model change its picture', async (page) => {
  await openFiles(page, [at('odol/v73.p3d')]);
  assert.equal(await ready(page), 'true');
  const shot = async () => {
    await page.waitForTimeout(250);
    return page.locator('#view').screenshot();
  };
  /** The picture, when it is another than this. */
  const changed = (last, why) => eventually(async () => {
    const next = await shot();
    assert.ok(!next.equals(last), why);
    return next;
  });
  let last = await shot();
  for (const name of ['Wireframe', 'Bounds', 'Axes']) {
    await page.getByLabel(name, { exact: true }).check();
    last = await changed(last, name);
  }
  await page.getByRole('button', { name: 'Selections' }).click();
  await page.locator('#selection').selectOption({ index: 1 });
  last = await changed(last, 'the vertices of a selection are marked');
  await page.getByLabel('Hide selection', { exact: true }).check();
  await changed(last, 'a selection is hidden');
  await page.getByLabel('Hide selection', { exact: true }).uncheck();
  await eventually(async () => assert.ok((await shot()).equals(last), 'and shown again'));
  assert.equal(await page.getByRole('button', { name: 'Save .glb' }).count(), 0);
  assert.match(await page.locator('#panel-model').innerText(), /Not offered as \.glb/);
});

on('saved files are those of the program', async (page) => {
  const path = at('b3d/everything.b3d');
  await openFiles(page, [path]);
  assert.equal(await ready(page), 'true');
  const glb = join(folder, 'model.glb');
  meshpeek(['export', path, '-o', glb], folder);
  assert.ok((await download(page, 'Save .glb')).equals(readFileSync(glb)), 'glb');
  await tab(page, 'arrays');
  const control = page.locator('#panel-arrays select').first();
  await control.waitFor();
  const selectors = await control.locator('option').evaluateAll((options) => options.map((option) => option.value));
  assert.ok(selectors.length > 5);
  for (const selector of selectors.slice(0, 12)) {
    await control.selectOption(selector);
    await page.waitForFunction((selector) => decodeURIComponent(location.hash).includes(`@${selector}&`), selector);
    const dump = (format) => meshpeek(['dump', path, selector, '--format', format]).stdout;
    assert.equal((await download(page, 'Save .csv')).toString(), dump('csv').toString(), selector);
    assert.ok((await download(page, 'Save .npy')).equals(dump('npy')), `${selector} as NPY`);
    // Chromium drops what exceeds ten downloads in a second.
    await page.waitForTimeout(400);
  }
});

on('a texture is that of the program', async (page) => {
  const path = at('paa/dxt5_lzo.paa');
  await openFiles(page, [path]);
  await page.locator('canvas[data-ready="0"]').waitFor();
  const about = JSON.parse(meshpeek(['info', '--json', path]).stdout);
  const size = await page.locator('.picture canvas').evaluate((canvas) => [canvas.width, canvas.height]);
  const first = about.detail.mips[0];
  assert.deepEqual(size, [first.width, first.height]);
  assert.equal((await download(page, 'Save .png')).subarray(1, 4).toString(), 'PNG');
});

on('text and bytes are found', async (page) => {
  const path = at('b3d/names.b3d');
  const bytes = readFileSync(path);
  await openFiles(page, [path]);
  await tab(page, 'bytes');
  await page.getByLabel('Search for').fill('NODE');
  await page.getByRole('button', { name: 'Next' }).click();
  const caret = (offset) => page.waitForFunction((offset) => document.querySelector('#hex .codes .caret')?.dataset.at === String(offset), offset);
  await caret(bytes.indexOf('NODE'));
  await page.getByLabel('Search for').fill('4e 4f 44 45');
  await page.locator('[role=search] select').selectOption('hex');
  await page.locator('#hex').press('Control+Home');
  await page.getByRole('button', { name: 'Next' }).click();
  await caret(bytes.indexOf('NODE'));
  await page.getByLabel('Search for').fill('zz');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.locator('#message', { hasText: 'hex digits' }).waitFor();
});

