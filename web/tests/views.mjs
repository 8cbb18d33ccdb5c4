// The views of a file: bytes, model, texture, arrays.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { unfold } from './model-page.mjs';
import { at, download, eventually, folder, meshpeek, on, openFiles, ready, shown, tab } from './page.mjs';

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
    // The byte is selected, and the rest of its field is shown. The field is selected on demand.
    await eventually(async () => assert.match(await page.locator('#selected-bytes').innerText(), / 1 byte$/));
    await page.locator('#select-field').click();
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
  await page.getByRole('button', { name: 'Pause' }).click();
  const shot = () => page.locator('#view').screenshot();
  await page.locator('#timeline').fill('0');
  const start = await shot();
  const end = await page.locator('#timeline').getAttribute('max');
  await page.locator('#timeline').fill(String(Number(end) / 2));
  await eventually(async () => assert.ok(!start.equals(await shot()), 'the picture at half time is that at the start'));
  await page.getByRole('button', { name: 'Play' }).click();
  const now = await page.locator('#timeline').inputValue();
  await eventually(async () => assert.notEqual(await page.locator('#timeline').inputValue(), now));
  await page.getByRole('button', { name: 'Pause' }).click();
});

on('the views of a model change its picture', async (page) => {
  await openFiles(page, [at('odol/v73.p3d')]);
  assert.equal(await ready(page), 'true');
  await unfold(page);
  const shot = () => page.locator('#view').screenshot();
  /** The picture, when it is another than this. */
  const changed = (last, why) => eventually(async () => {
    const next = await shot();
    assert.ok(!next.equals(last), why);
    return next;
  });
  let last = await shot();
  for (const name of ['Grid', 'Bounds', 'Axes', 'Normals']) {
    await page.getByLabel(name, { exact: true }).click();
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

/** Keeps what the page saves, which is no download then: Chromium drops what exceeds ten of them in a second. */
async function keepSaved(page) {
  await page.evaluate(() => {
    window.saved = [];
    const made = new Map();
    const create = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => {
      const url = create(blob);
      made.set(url, blob);
      return url;
    };
    HTMLAnchorElement.prototype.click = function () {
      window.saved.push(made.get(this.href));
    };
  });
  return async (name) => {
    const before = await page.evaluate(() => window.saved.length);
    await page.getByRole('button', { name }).click();
    await page.waitForFunction((before) => window.saved.length > before, before);
    return Buffer.from(await page.evaluate(async () => [...new Uint8Array(await window.saved.at(-1).arrayBuffer())]));
  };
}

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
  const saved = await keepSaved(page);
  for (const selector of selectors.slice(0, 12)) {
    await control.selectOption(selector);
    await page.waitForFunction((selector) => decodeURIComponent(location.hash).includes(`@${selector}&`), selector);
    const dump = (format) => meshpeek(['dump', path, selector, '--format', format]).stdout;
    assert.equal((await saved('Save .csv')).toString(), dump('csv').toString(), selector);
    assert.ok((await saved('Save .npy')).equals(dump('npy')), `${selector} as NPY`);
  }
});

on('rows of an array come after an error, and after the user ended the work', async (page) => {
  const path = at('b3d/everything.b3d');
  await openFiles(page, [path]);
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    const raw = client.raw.bind(client);
    let fails = true;
    client.raw = async (handle, method, ...args) => {
      if (method === 'array_texts' && fails) {
        fails = false;
        throw new Error('made to fail');
      }
      return raw(handle, method, ...args);
    };
  });
  await tab(page, 'arrays');
  await page.locator('#message.error', { hasText: 'made to fail' }).waitFor();
  // In view again, it is read again.
  await tab(page, 'facts');
  await tab(page, 'arrays');
  await page.waitForFunction(() => document.querySelector('#panel-arrays [role=gridcell]')?.textContent !== '');
  // A new worker has to decode the array again.
  await page.evaluate(() => window.meshpeek.client.cancel());
  const selector = await page.locator('#panel-arrays select').first().inputValue();
  const csv = meshpeek(['dump', path, selector, '--format', 'csv']).stdout;
  assert.ok((await download(page, 'Save .csv')).equals(csv));
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

on('a binary config has the text of the program', async (page) => {
  const path = at('rap/everything.bin');
  await openFiles(page, [path]);
  await tab(page, 'text');
  const text = meshpeek(['cat', '--text', path]).stdout;
  assert.equal(await page.locator('#config-text').textContent(), text.toString());
  assert.ok((await download(page, 'Save as text')).equals(text));
});

on('a saved text has the name that a text of its kind has', async (page) => {
  const bytes = [...readFileSync(at('rap/everything.bin'))];
  for (const [name, wanted] of [['config.bin', 'config.cpp'], ['x.rvmat', 'x.rvmat']]) {
    await page.evaluate(([name, bytes]) => window.meshpeek.openFiles([new File([new Uint8Array(bytes)], name)]), [name, bytes]);
    await shown(page, name);
    await tab(page, 'text');
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as text' }).click()]);
    assert.equal(file.suggestedFilename(), wanted);
  }
});

on('levels of detail have their faces, in the facts and in the list', async (page) => {
  const path = at('odol/edge_of_packing.p3d');
  const { lods } = JSON.parse(meshpeek(['info', '--json', path]).stdout).detail;
  await openFiles(page, [path]);
  await tab(page, 'facts');
  const table = page.locator('[data-section=LODs] table');
  await table.waitFor();
  assert.equal(await table.locator('th').nth(2).innerText(), 'faces');
  assert.equal(await table.locator('tbody tr').first().locator('td').nth(2).innerText(), '83');
  assert.ok(lods.length > 1);
  await tab(page, 'model');
  const options = await page.locator('#lod option').allTextContents();
  assert.match(options[0], /faces: 83 · triangles: 83/);
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

