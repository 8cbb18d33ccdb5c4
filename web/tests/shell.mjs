// The frame of the page: its address, the list of files, the overview, the start, and what it says.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answered, at, browser, corpus, drawn, eventually, folder, goTo, longestTask, meshpeek, on, openFiles, pboHeader, ready, server, shown, tab } from './page.mjs';

const title = (page) => page.locator('#title').innerText();
const message = (page) => page.locator('#message');
const rows = (page) => page.locator('#file-list [role=treeitem] .label').allInnerTexts();
/** Waits until the list has these rows. It is drawn in the frame after a change. */
const hasRows = (page, names) => eventually(async () => assert.deepEqual(await rows(page), names));

/** A folder of these files, each a small model unless it has bytes of its own. */
function aFolder(name, files) {
  const model = readFileSync(at('b3d/triangle.b3d'));
  for (const [path, bytes = model] of files) {
    mkdirSync(join(folder, name, path, '..'), { recursive: true });
    writeFileSync(join(folder, name, path), bytes);
  }
  return join(folder, name);
}

/** A PBO of these members, each a small model. */
function aPbo(path, names) {
  const model = readFileSync(at('b3d/triangle.b3d'));
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), Buffer.concat([pboHeader(names.map((name) => [name, model.length])), ...names.map(() => model)]));
  return join(folder, path);
}

async function openFolder(page, path) {
  await page.setInputFiles('#folder', path);
  await page.locator('#overview[data-done=true]').waitFor();
}

// --- Shared addresses.

on('the address of a folder opens in the archive, and that of an archive in the folder', async (page) => {
  const pbo = aPbo('five/addons/five.pbo', ['data\\Tree.b3d', 'other.b3d']);
  const unpacked = aFolder('unpacked', [['five/data/tree.b3d'], ['five/other.b3d']]);
  // Shared by somebody who opened the folder around the archive.
  await goTo(page, '#mod/addons/five.pbo!/data/tree.b3d&facts');
  await page.locator('#awaited', { hasText: 'mod/addons/five.pbo!/data/tree.b3d' }).waitFor();
  await page.setInputFiles('#files', [pbo]);
  await shown(page, 'five.pbo!/data/Tree.b3d');
  assert.equal(await page.locator('#awaited').isVisible(), false);
  assert.equal(await page.locator('[role=tab][aria-selected=true]').getAttribute('id'), 'tab-facts');
  // By somebody who opened the unpacked folder; with other case and other slashes.
  await goTo(page, '#addons%5CFIVE%5Cother.b3d');
  await shown(page, 'five.pbo!/other.b3d');
  // The reverse.
  await page.locator('#close-all').click();
  await goTo(page, '#mod/addons/five.pbo!/data/tree.b3d');
  await page.locator('#awaited').waitFor();
  await page.setInputFiles('#folder', unpacked);
  await shown(page, 'unpacked/five/data/tree.b3d');
});

on('an address waits while other files are opened first, and says for which', async (page) => {
  const wanted = aPbo('late.pbo', ['inside.b3d']);
  await goTo(page, '#late.pbo!/inside.b3d&arrays');
  await page.locator('#awaited', { hasText: 'late.pbo!/inside.b3d' }).waitFor();
  await openFiles(page, [at('paa/dxt1.paa')]);
  await shown(page, 'dxt1.paa');
  assert.equal(await page.locator('#awaited').isVisible(), true);
  await page.setInputFiles('#files', [wanted]);
  await shown(page, 'late.pbo!/inside.b3d');
  assert.equal(await page.locator('#tab-arrays').getAttribute('aria-selected'), 'true');
  await page.locator('#awaited').waitFor({ state: 'hidden' });
  // The wait can be ended.
  await goTo(page, '#never.pbo');
  await page.locator('#await-end').click();
  await page.locator('#awaited').waitFor({ state: 'hidden' });
});

on('an @ that is not encoded belongs to a name or starts a selector, as the open files tell', async (page) => {
  await openFolder(page, aFolder('at', [['icon@2x.b3d'], ['icon'], ['plain.b3d']]));
  await goTo(page, '#at/icon@2x.b3d');
  await shown(page, 'at/icon@2x.b3d');
  await goTo(page, '#at/plain.b3d@nodes/0');
  await shown(page, 'at/plain.b3d');
  await page.locator('.detail-pane', { hasText: 'nodes/0' }).waitFor();
});

on('of several files that end alike, the one that fits best opens', async (page) => {
  await openFolder(page, aFolder('ends', [['a/data/x.b3d'], ['b/data/x.b3d'], ['x.b3d']]));
  await goTo(page, '#elsewhere/b/data/x.b3d');
  await shown(page, 'ends/b/data/x.b3d');
  await goTo(page, '#other/folder/y/x.b3d');
  await page.locator('#awaited', { hasText: 'other/folder/y/x.b3d' }).waitFor();
});

// --- State: one place.

on('back and forward and a changed address stay in the open file', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  await ready(page);
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    window.asked = [];
    const raw = client.raw.bind(client);
    client.raw = (handle, method, ...args) => (window.asked.push(method), raw(handle, method, ...args));
  });
  await goTo(page, '#everything.b3d&facts');
  await page.locator('#panel-facts dl dt').first().waitFor();
  await goTo(page, '#everything.b3d@nodes/0');
  await page.locator('.detail-pane', { hasText: 'nodes/0' }).waitFor();
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('[role=tab][aria-selected=true]').id === 'tab-facts');
  await page.goForward();
  await page.waitForFunction(() => document.querySelector('[role=tab][aria-selected=true]').id === 'tab-bytes');
  await answered(page);
  assert.equal(await page.evaluate(() => window.asked.filter((method) => method === 'about' || method === 'model').length), 0);
  // Back over the overview and another file.
  await page.locator('#home').click();
  await page.locator('#overview').waitFor();
  await page.goBack();
  await shown(page, 'everything.b3d');
  await page.goForward();
  await page.locator('#overview').waitFor();
});

on('back and forward before the other file is there stay in the file that is shown', async (page) => {
  await openFiles(page, [at('b3d/triangle.b3d')]);
  await openFiles(page, [at('b3d/everything.b3d')]);
  await shown(page, 'everything.b3d');
  await answered(page);
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    const ask = client.ask.bind(client);
    window.release = undefined;
    client.ask = async (handle, method, ...args) => {
      if (method === 'about') await new Promise((resolve) => { window.release = resolve; });
      return ask(handle, method, ...args);
    };
    history.back();
  });
  await page.waitForFunction(() => window.release);
  await page.evaluate(() => history.forward());
  await page.waitForFunction(() => location.hash.startsWith('#everything.b3d'));
  await drawn(page);
  await page.evaluate(() => window.release());
  await answered(page);
  assert.equal(await title(page), 'everything.b3d');
});

on('the overview has the address that is waited for, not that of the file that was left', async (page) => {
  await goTo(page, '#never/x.b3d@nodes/0');
  await page.locator('#awaited').waitFor();
  const awaited = await page.evaluate(() => location.hash);
  await openFiles(page, [at('paa/dxt1.paa')]);
  await shown(page, 'dxt1.paa');
  await page.locator('#home').click();
  await page.locator('#overview').waitFor();
  assert.match(await page.evaluate(() => location.hash), new RegExp(`^${awaited}`));
  assert.equal(await page.locator('#awaited').isVisible(), true);
});

on('a change of language that ends late leaves the next file alone', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  await ready(page);
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    const ask = client.ask.bind(client);
    client.ask = async (handle, method, ...args) => {
      if (method === 'arrays') await new Promise((resolve) => { window.release = resolve; });
      return ask(handle, method, ...args);
    };
  });
  await page.locator('#tab-arrays').click();
  await page.waitForFunction(() => window.release);
  await page.locator('#language').selectOption('ru');
  await openFiles(page, [at('paa/dxt1.paa')]);
  await shown(page, 'dxt1.paa');
  await page.evaluate(() => window.release());
  await answered(page);
  await page.locator('#tab-texture[aria-selected=true]').waitFor();
  assert.equal(await page.locator('#tab-model').count(), 0);
});

on('models share one graphics context, also after one that fails, and a fault is said as what it is', async (page) => {
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    window.contexts = new Set();
    const getContext = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...args) {
      const context = getContext.call(this, kind, ...args);
      if (kind.startsWith('webgl') && context) window.contexts.add(context);
      return context;
    };
    const ask = client.ask.bind(client);
    client.ask = async (handle, method, ...args) => {
      const answer = await ask(handle, method, ...args);
      return method === 'model' && window.isBroken ? { ...answer, lods: null } : answer;
    };
  });
  await openFiles(page, [at('b3d/everything.b3d')]);
  assert.equal(await ready(page), 'true');
  // The page may have prepared it before this test looked.
  await page.evaluate(() => window.contexts.add(document.getElementById('view').getContext('webgl2')));
  await page.locator('#home').click();
  await page.locator('#view').waitFor({ state: 'detached' });
  await page.evaluate(() => { window.isBroken = true; });
  await goTo(page, '#everything.b3d');
  await message(page).filter({ hasText: 'null' }).waitFor();
  assert.equal(await page.locator('#panel-model', { hasText: 'WebGL' }).count(), 0);
  await page.evaluate(() => { window.isBroken = false; });
  await openFiles(page, [at('b3d/triangle.b3d')]);
  await shown(page, 'triangle.b3d');
  assert.equal(await ready(page), 'true');
  assert.deepEqual(await page.evaluate(() => [...window.contexts].map((context) => context.isContextLost())), [false]);
});

on('a change of language does not open the file again', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  await tab(page, 'facts');
  await page.locator('#panel-facts dl dt').first().waitFor();
  await goTo(page, '#everything.b3d@nodes/0&lod=3&time=0.5');
  await page.locator('.detail-pane', { hasText: 'nodes/0' }).waitFor();
  await answered(page);
  const hash = await page.evaluate(() => location.hash);
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    window.opened = 0;
    const call = client.call.bind(client);
    client.call = (method, ...args) => {
      if (method.startsWith('open') || method === 'close') window.opened += 1;
      return call(method, ...args);
    };
  });
  await page.locator('#language').selectOption('ru');
  await page.locator('#tab-bytes', { hasText: 'Байты' }).waitFor();
  await page.locator('.detail-pane', { hasText: 'nodes/0' }).waitFor();
  await answered(page);
  assert.equal(await page.evaluate(() => window.opened), 0);
  assert.equal(await page.evaluate(() => location.hash), hash);
  await tab(page, 'facts');
  await page.locator('#panel-facts', { hasText: 'Проблемы' }).waitFor();
});

// --- The overview.

on('a folder opens on an overview: formats, damaged files, missing references, and what was not looked at', async (page) => {
  const root = join(folder, 'overview');
  cpSync(join(corpus, 'mod'), root, { recursive: true });
  cpSync(at('hostile/cut_in_vertices.b3d'), join(root, 'bad.b3d'));
  const large = join(root, 'large.b3d');
  writeFileSync(large, Buffer.alloc((64 << 20) + 1));
  await openFolder(page, root);
  const formats = await page.locator('#formats').innerText();
  assert.match(formats, /Blitz3D scene: 6/);
  assert.match(formats, /PBO archive: 3/);
  await page.locator('summary', { hasText: 'Damaged files: 2' }).click();
  const damaged = page.locator('details.damaged button');
  assert.deepEqual((await damaged.allInnerTexts()).sort(), ['overview/bad.b3d', 'overview/trees/cut.b3d']);
  assert.match(await page.locator('.not-checked').innerText(), /too large or too many: 1\./);
  assert.match(await damaged.first().locator('..').innerText(), /needs \d+ bytes/);
  // The missing ones are those that the program counts, in archives too.
  const links = meshpeek(['refs', 'overview', '--format', 'ndjson'], folder).stdout.toString().trim().split('\n').map(JSON.parse).filter(({ name }) => name !== null);
  const missing = links.filter(({ state }) => state === 'missing').length;
  assert.ok(missing > 3);
  await page.locator('summary', { hasText: `Missing files: ${missing} of ${links.length} references` }).click();
  assert.equal(await page.locator('details.missing-references li').count(), missing);
  // Each leads to its file.
  await damaged.first().click();
  await shown(page, 'overview/bad.b3d');
  await page.locator('#home').click();
  await page.locator('#overview[data-done=true]').waitFor();
});

/** A PNG whose header says 10,000 x 10,000 pixels. */
function tooLargePng() {
  const bytes = readFileSync(join(corpus, 'mod/boats/wood.png'));
  bytes.writeUInt32BE(10_000, 16);
  bytes.writeUInt32BE(10_000, 20);
  return bytes;
}

on('tiles of models and textures are drawn as they come into view, and open their file', async (page) => {
  const model = readFileSync(join(corpus, 'mod/buildings/well.b3d'));
  const files = Array.from({ length: 400 }, (_, index) => [`m${String(index).padStart(3, '0')}.b3d`, model]);
  const root = aFolder('tiles', [...files, ['a.paa', readFileSync(at('paa/dxt1.paa'))], ['b.png', readFileSync(join(corpus, 'mod/boats/wood.png'))], ['c.b3d', Buffer.from('nothing')], ['d.png', tooLargePng()]]);
  await openFolder(page, root);
  await page.waitForFunction(() => ['a.paa', 'b.png', 'm000.b3d'].every((name) => [...document.querySelectorAll('.tile')].some((tile) => tile.textContent.includes(name) && tile.querySelector('canvas'))));
  await page.locator('.tile', { hasText: 'c.b3d' }).locator('.no-picture').waitFor();
  // The limit is said.
  await page.locator('.tile', { hasText: 'd.png' }).locator('.no-picture', { hasText: 'more than 67,108,864 pixels' }).waitFor();
  const drawnModel = await page.locator('.tile', { hasText: 'm000' }).locator('canvas').evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length;
  });
  assert.ok(drawnModel > 100, `${drawnModel} pixels`);
  // Only those in view are elements.
  assert.ok((await page.locator('.tile').count()) < 60);
  // By the keyboard: to the last, and open it.
  await page.locator('#tiles').focus();
  await page.keyboard.press('End');
  await page.locator('.tile[aria-selected=true]', { hasText: 'm399' }).waitFor();
  await page.locator('.tile', { hasText: 'm399' }).locator('canvas').waitFor();
  await page.keyboard.press('Enter');
  await shown(page, 'tiles/m399.b3d');
});

on('the overview stops when it is left or told to, and goes on when it is shown again', async (page) => {
  const model = readFileSync(at('b3d/triangle.b3d'));
  await page.evaluate(async (bytes) => {
    // A fast machine would be done before the button is found.
    const { second } = window.meshpeek;
    const call = second.call.bind(second);
    const stopped = new Promise((resolve) => { window.isStopped = resolve; });
    let added = 0;
    second.call = async (method, ...args) => {
      if (method === 'overview_add' && ++added > 100) await stopped;
      return call(method, ...args);
    };
    const files = Array.from({ length: 1200 }, (_, index) => new File([new Uint8Array(bytes)], `m${index}.b3d`));
    await window.meshpeek.openFiles(files);
  }, [...model]);
  await page.locator('#looking button').click();
  const stopped = /^Stopped after [\d,]+ of 1,200 files\.$/;
  assert.match(await page.locator('#looking').innerText(), stopped);
  await page.evaluate(() => window.isStopped());
  // Longer than the overview waits between two drawings.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
  assert.match(await page.locator('#looking').innerText(), stopped);
  await page.evaluate(() => { location.hash = '#m7.b3d'; });
  await shown(page, 'm7.b3d');
  await page.waitForFunction(() => window.meshpeek.second.waiting.size === 0);
  await page.locator('#home').click();
  await page.locator('#overview[data-done=true]').waitFor();
  assert.match(await page.locator('#formats').innerText(), /Blitz3D scene: 1,200/);
});

on('a file that ends the worker costs the overview only itself, and what is lost is counted', async (page) => {
  await page.evaluate(() => {
    const { second } = window.meshpeek;
    const call = second.call.bind(second);
    let added = 0;
    second.call = (method, ...args) => {
      if (method !== 'overview_add' || ++added !== 3) return call(method, ...args);
      // As the client does after a trap.
      second.stop(new Error('unreachable'));
      return Promise.reject(new Error('unreachable'));
    };
  });
  await openFolder(page, aFolder('trap', Array.from({ length: 6 }, (_, index) => [`m${index}.b3d`])));
  assert.match(await page.locator('#formats').innerText(), /Blitz3D scene: 5/);
  assert.match(await page.locator('.not-checked').innerText(), /Could not be read: 1\. .*references are not counted.*: 2\./);
  assert.equal(await message(page).isVisible(), false);
});

on('an overview that is left leaves no file open in its worker, and draws no tile twice', async (page) => {
  await page.evaluate(() => {
    const { second } = window.meshpeek;
    const [call, ask] = [second.call.bind(second), second.ask.bind(second)];
    window.open = 0;
    window.drawnTiles = [];
    window.held = [];
    const hold = () => new Promise((resolve) => window.held.push(resolve));
    let isFirst = true;
    second.call = async (method, ...args) => {
      if (method === 'close') window.open -= 1;
      const answer = await call(method, ...args);
      if (method === 'open' || method === 'open_member') window.open += 1;
      if (method === 'open_member' && isFirst) {
        isFirst = false;
        await hold();
      }
      return answer;
    };
    second.ask = async (handle, method, ...args) => {
      const answer = await ask(handle, method, ...args);
      if (method === 'thumbnail') window.drawnTiles.push(handle.file);
      if (method === 'thumbnail' && window.drawnTiles.length <= 2) await hold();
      return answer;
    };
  });
  aPbo('leaves/a.pbo', ['x.b3d', 'y.b3d']);
  await page.setInputFiles('#folder', aFolder('leaves', Array.from({ length: 8 }, (_, index) => [`m${index}.b3d`])));
  await page.waitForFunction(() => window.held.length === 2);
  await goTo(page, '#leaves/m1.b3d');
  await shown(page, 'leaves/m1.b3d');
  await page.locator('#home').click();
  // The round that was left ends while the new one draws.
  await page.waitForFunction(() => window.drawnTiles.length === 2);
  await page.evaluate(() => window.held.shift()());
  await page.evaluate(() => window.held.shift()());
  await drawn(page);
  await page.evaluate(() => window.held.forEach((release) => release()));
  await page.locator('#overview[data-done=true]').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.tile canvas').length >= 10);
  await page.waitForFunction(() => window.meshpeek.second.waiting.size === 0);
  const tiles = await page.evaluate(() => window.drawnTiles);
  assert.equal(tiles.length, 1 + 10, tiles.join());
  assert.equal(await page.evaluate(() => window.open), 0);
});

// --- The list.

on('the list is filtered by words and kind in short steps, and the slash goes there', async (page, t) => {
  const names = Array.from({ length: 3000 }, (_, index) => `data\\${index % 2 ? 'trees' : 'rocks'}\\part${index}.${index % 3 ? 'p3d' : 'paa'}`);
  const header = pboHeader(names.map((name) => [name, 1]));
  const path = join(folder, 'many.pbo');
  writeFileSync(path, Buffer.concat([header, Buffer.alloc(3000)]));
  await openFiles(page, [path]);
  await page.waitForFunction(() => window.meshpeek.files.everything().length === 3001);
  await answered(page);
  await page.locator('#title').click();
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel', 'disabled-by-default-devtools.timeline'] });
  await page.evaluate(async () => {
    const input = document.getElementById('filter');
    for (const text of ['t', 'tr', 'trees part29', '', 'trees part29']) {
      input.value = text;
      input.dispatchEvent(new Event('input'));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  });
  const longest = longestTask(await browser.stopTracing());
  t.diagnostic(`longest task ${longest.toFixed(1)} ms of processor time`);
  assert.ok(longest < 50, `${longest} ms`);
  await page.locator('#filtered', { hasText: '56 of 3,001 files' }).waitFor();
  await page.locator('#filter-kind').selectOption('textures');
  await page.locator('#filtered', { hasText: '19 of 3,001 files' }).waitFor();
  await drawn(page);
  assert.ok((await rows(page)).includes('part2901.paa'), (await rows(page)).join(' '));
  assert.ok(!(await rows(page)).some((name) => name.endsWith('p3d')));
  await page.locator('#filter').press('Escape');
  await page.locator('#filter-kind').selectOption('all');
  await page.locator('#filtered').waitFor({ state: 'hidden' });
});

on('archives that the filter has not read are counted, and read when asked', async (page) => {
  aFolder('unread', [['a.b3d']]);
  aPbo('unread/x.pbo', ['needle.b3d']);
  // Files of which none is shown: nothing has read the archive.
  await page.evaluate(async () => {
    window.meshpeek.second.call = () => new Promise(() => {});
    window.meshpeek.second.node = () => new Promise(() => {});
  });
  await page.setInputFiles('#folder', join(folder, 'unread'));
  await page.locator('#filter').fill('needle');
  await page.locator('#filtered', { hasText: '0 of 2 files Archives not read yet: 1.' }).waitFor();
  await page.locator('#filtered button').click();
  await page.locator('#filtered', { hasText: '1 of 3 files' }).waitFor();
  await page.locator('#file-list .label', { hasText: 'needle.b3d' }).waitFor();
});

on('the list is sorted, and letters go to a name', async (page) => {
  const root = aFolder('sorted', [['b.p3d', 'xxx'], ['C.paa', 'x'], ['a.rtm', 'xx'], ['folder/d.b3d']]);
  await openFolder(page, root);
  const order = async (value) => {
    await page.locator('#order').selectOption(value);
    await drawn(page);
    return (await rows(page)).filter((name) => !['sorted', 'folder', 'd.b3d'].includes(name));
  };
  assert.deepEqual(await order('name'), ['a.rtm', 'b.p3d', 'C.paa']);
  assert.deepEqual(await order('size'), ['b.p3d', 'a.rtm', 'C.paa']);
  assert.deepEqual(await order('kind'), ['b.p3d', 'C.paa', 'a.rtm']);
  assert.equal((await rows(page))[1], 'folder', 'folders come first');
  await page.locator('#file-list').focus();
  await page.keyboard.type('c.p');
  await page.locator('#file-list [aria-selected=true]', { hasText: 'C.paa' }).waitFor();
  // Alt and an arrow open the file below, above.
  await page.keyboard.press('Enter');
  await shown(page, 'sorted/C.paa');
  await page.keyboard.press('Alt+ArrowUp');
  await shown(page, 'sorted/b.p3d');
  await page.locator('#next-file').click();
  await shown(page, 'sorted/C.paa');
  // The current file stays the current one at another place, and is the one that is closed.
  assert.deepEqual(await order('stored'), ['C.paa', 'a.rtm', 'b.p3d']);
  assert.equal(await page.locator('#file-list [aria-selected=true] .label').innerText(), 'C.paa');
  assert.deepEqual(await order('name'), ['a.rtm', 'b.p3d', 'C.paa']);
  await page.locator('#close-file').click();
  await page.locator('#overview').waitFor();
  await drawn(page);
  await hasRows(page, ['sorted', 'folder', 'd.b3d', 'a.rtm', 'b.p3d']);
});

on('files that are closed one while another is being closed stay closed', async (page) => {
  await page.evaluate(async () => {
    window.meshpeek.second.call = () => new Promise(() => {});
    await window.meshpeek.openFiles(Array.from({ length: 300 }, (_, index) => new File(['x'], `f${index}.txt`)));
    // Every step of long work seems to have taken long, so that the page answers after each file.
    let now = performance.now();
    performance.now = () => (now += 20);
  });
  await page.locator('#file-list [role=treeitem]').first().waitFor();
  await page.evaluate(() => {
    for (const key of ['Home', 'Delete', 'ArrowDown', 'Delete']) document.getElementById('file-list').dispatchEvent(new KeyboardEvent('keydown', { key }));
  });
  await eventually(async () => assert.deepEqual(await page.evaluate(() => [window.meshpeek.files.items.length, window.meshpeek.files.count()]), [298, 298]));
  await eventually(async () => assert.deepEqual((await rows(page)).slice(0, 2), ['f10.txt', 'f100.txt']));
});

on('a file that comes twice is there once, a newer version takes its place, and files are closed', async (page) => {
  const path = join(folder, 'twice.b3d');
  writeFileSync(path, readFileSync(at('b3d/triangle.b3d')));
  await openFiles(page, [path]);
  await openFiles(page, [at('b3d/everything.b3d')]);
  await shown(page, 'everything.b3d');
  await page.setInputFiles('#files', [path]);
  await shown(page, 'twice.b3d');
  await hasRows(page, ['twice.b3d', 'everything.b3d']);
  writeFileSync(path, readFileSync(at('b3d/names.b3d')));
  await page.setInputFiles('#files', [path]);
  await message(page).filter({ hasText: 'twice.b3d' }).waitFor();
  await eventually(async () => assert.deepEqual((await rows(page)).sort(), ['everything.b3d', 'twice.b3d']));
  await shown(page, 'twice.b3d');
  await tab(page, 'facts');
  await page.locator('#panel-facts', { hasText: `${readFileSync(path).length.toLocaleString('en')} bytes` }).waitFor();
  // Closing the one that is shown leads to the overview; the address no longer finds it.
  await page.locator('#file-list').focus();
  await page.locator('#file-list [aria-selected=true]', { hasText: 'twice.b3d' }).waitFor();
  await page.keyboard.press('Delete');
  await page.locator('#overview').waitFor();
  await hasRows(page, ['everything.b3d']);
  await goTo(page, '#twice.b3d');
  await page.locator('#awaited').waitFor();
  await page.locator('#close-all').click();
  await page.locator('#drop-zone').waitFor();
  // Two of one name in one drop are two files.
  await page.evaluate(() => window.meshpeek.openFiles([new File(['a'], 'config.cpp'), new File(['bb'], 'config.cpp')]));
  await hasRows(page, ['config.cpp', 'config (2).cpp']);
});

on('a closed file is no longer found by others', async (page) => {
  const root = join(corpus, 'mod/buildings');
  await page.setInputFiles('#files', ['mill.b3d', 'stone.png', 'wood.png', 'cloth.png'].map((name) => join(root, name)));
  await page.locator('#overview[data-done=true]', { hasText: 'references lead to files' }).waitFor();
  await page.locator('#file-list .label', { hasText: 'stone.png' }).click();
  await shown(page, 'stone.png');
  await page.locator('#close-file').click();
  await page.locator('#overview[data-done=true]', { hasText: 'Missing files: 1 of' }).waitFor();
});

// --- Saving.

on('a member is saved as it is, piece by piece, and a file above the limit says so', async (page) => {
  const bytes = Buffer.alloc((9 << 20) + 5, 'pieces of four megabytes ');
  const path = join(folder, 'save.pbo');
  writeFileSync(path, Buffer.concat([pboHeader([['data\\big: one.bin', bytes.length]]), bytes]));
  await openFiles(page, [path]);
  await goTo(page, `#save.pbo!/${encodeURIComponent('data/big: one.bin')}`);
  await shown(page, 'save.pbo!/data/big: one.bin');
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('#save-file').click()]);
  assert.equal(file.suggestedFilename(), 'big_ one.bin');
  assert.ok(readFileSync(await file.path()).equals(bytes));
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    const ask = client.ask.bind(client);
    client.ask = async (handle, method, ...args) => {
      const answer = await ask(handle, method, ...args);
      return method === 'about' ? { ...answer, bytes: 2 ** 31 } : answer;
    };
  });
  await page.locator('#save-file').click();
  await message(page).filter({ hasText: 'The page saves files of up to 1,073,741,824 bytes' }).waitFor();
});

// --- Messages.

on('a bad address of the web is said in words, and of several each is tried', async (page) => {
  await message(page).filter({ hasText: 'is not a web address' }).waitFor();
  assert.match(await message(page).innerText(), /the page reads https and http, not ftp/);
  await shown(page, 'triangle.b3d');
}, { url: () => `${server.url}?open=http://&open=ftp://server/a.pbo&open=corpus/b3d/triangle.b3d` });

on('two addresses of one name are two files', async (page) => {
  await page.waitForFunction(() => window.meshpeek.files.items.length === 2);
  await hasRows(page, ['everything.p3d', 'everything (2).p3d']);
}, { url: () => `${server.url}?open=corpus/mlod/everything.p3d&open=corpus/mlod/everything.p3d?other&open=./corpus/mlod/everything.p3d` });

on('what cannot be read in a dropped folder is counted, and the rest opens', async (page) => {
  await page.evaluate(() => {
    const entry = (fullPath, file) => ({ isFile: true, fullPath, file });
    const inner = [entry('/d/bad.b3d', (_, refuse) => refuse(new DOMException('no', 'NotReadableError'))), entry('/d/good.txt', (accept) => accept(new File(['text'], 'good.txt')))];
    const closed = { isFile: false, fullPath: '/d/closed', createReader: () => ({ readEntries: (_, refuse) => refuse(new DOMException('no', 'NotReadableError')) }) };
    const folder = { isFile: false, fullPath: '/d', createReader: () => ({ readEntries: (accept) => accept(inner.length > 0 ? [...inner.splice(0), closed] : []) }) };
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'dataTransfer', { value: { items: [{ webkitGetAsEntry: () => folder }], files: [] } });
    document.body.dispatchEvent(event);
  });
  await message(page).filter({ hasText: 'could not be read: 2, such as /d/' }).waitFor();
  await shown(page, 'd/good.txt');
});

on('a selector that leads nowhere is said', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  await goTo(page, '#everything.b3d@nodes/999');
  await message(page).filter({ hasText: 'nodes/999' }).waitFor();
  await goTo(page, '#everything.b3d@nodes/0');
  await message(page).waitFor({ state: 'hidden' });
  await page.locator('.detail-pane', { hasText: 'nodes/0' }).waitFor();
});

on('no message of the page names flags or commands of the program', async (page) => {
  const paths = readFileSync(at('records.ndjson'), 'utf8').trim().split('\n').map(JSON.parse).filter(({ member }) => member === null).map(({ path }) => path);
  const said = await page.evaluate(async (paths) => {
    const { client, files, openFiles } = window.meshpeek;
    const list = [];
    for (const path of paths) list.push(new File([await (await fetch(`corpus/${path}`)).blob()], path.replaceAll('/', '_')));
    await openFiles(list);
    const texts = [];
    for (const item of files.items) {
      const handle = files.handle(item);
      const about = await client.ask(handle, 'about');
      if (about.error) texts.push(about.error.message);
      if (about.archive) continue;
      for (const method of ['model', 'arrays', 'references', 'verify', 'tree']) await client.ask(handle, method).catch((error) => texts.push(error.message));
      client.forget(handle);
    }
    return texts;
  }, paths);
  assert.ok(said.length > 50, `${said.length} messages`);
  const words = await page.evaluate((said) => said.map((text) => window.meshpeek.pageWords(text)), said);
  const bad = words.filter((text) => /(^|\s)--?[a-z]|`[^`]*::|\bmeshpeek [a-z]|limit set for reading/.test(text));
  assert.deepEqual(bad, []);
  const cut = await page.evaluate(() => [
    'more than 1073741824 decoded bytes (1024 MiB), the limit set for reading', 'too large; raise --max-decoded', 'an archive; `meshpeek unpack` writes its members', 'not glTF; -o model.png draws it', 'a.p3d: at 0x10: needs 4 bytes, 2 left',
  ].map((text) => window.meshpeek.pageWords(text)));
  assert.deepEqual(cut, ['more than 1073741824 decoded bytes (1024 MiB), the limit of this page', 'too large', 'an archive', 'not glTF', 'a.p3d: at 0x10: needs 4 bytes, 2 left']);
});

// --- Narrow.

on('at 360 pixels the header, the list and the panels are legible, and their tools are one press away', async (page) => {
  await openFolder(page, join(corpus, 'mod'));
  await goTo(page, '#mod/buildings/mill.b3d&facts');
  await shown(page, 'mod/buildings/mill.b3d');
  await page.locator('#panel-facts dl dt').first().waitFor();
  const box = async (selector) => (await page.locator(selector).boundingBox()) ?? { height: 0 };
  assert.ok((await box('header')).height < 100);
  assert.ok((await box('#file-list')).height >= 60);
  assert.ok((await box('#panels')).height >= 300);
  assert.equal(await page.locator('#order').isVisible(), false);
  await page.locator('#list-more').click();
  await page.locator('#order').waitFor();
  assert.ok((await box('#file-list')).height >= 60);
  for (const view of ['facts', 'home']) {
    await page.locator(view === 'home' ? '#home' : '#tab-facts').click();
    await drawn(page);
    const wide = await page.evaluate(() => [document.documentElement, document.getElementById('main'), document.getElementById('side')].map((box) => box.scrollWidth - box.clientWidth));
    assert.deepEqual(wide, [0, 0, 0], view);
  }
}, { context: { viewport: { width: 360, height: 740 } } });

on('the heads of a table do not break at 1,280 pixels', async (page) => {
  await openFolder(page, join(corpus, 'mod'));
  await goTo(page, '#mod/addons/village.pbo!/house.p3d&facts');
  await page.locator('#panel-facts th', { hasText: 'Named in' }).waitFor();
  const heights = await page.locator('#panel-facts table', { hasText: 'Named in' }).locator('th').evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().height));
  assert.ok(Math.max(...heights) < 32, heights.join(' '));
}, { context: { viewport: { width: 1280, height: 800 } } });

// --- The start.

on('the start has a drop zone, samples with pictures, and says what happens to files', async (page) => {
  await page.locator('#drop-zone', { hasText: 'Drop files or a folder here' }).waitFor();
  assert.match(await page.locator('#privacy').innerText(), /uploads nothing/);
  await eventually(async () => {
    const widths = await page.locator('.samples img').evaluateAll((images) => images.map((image) => image.naturalWidth));
    assert.deepEqual(widths, [160, 160, 160]);
  });
  const samples = ['windmill/mill.b3d', 'village.pbo!/house.p3d', 'boat/boat.lod'];
  for (const [index, address] of samples.entries()) {
    await page.locator('.samples button').nth(index).click();
    await shown(page, address);
    assert.equal(await ready(page), 'true');
    await page.locator('#close-all').click();
    await page.locator('#drop-zone').waitFor();
  }
});

on('samples open without a network', async (page, t, { context }) => {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await caches.keys()).length > 0 && navigator.serviceWorker.controller !== null);
  await context.setOffline(true);
  await page.reload();
  await page.locator('.samples button').nth(1).click();
  await shown(page, 'village.pbo!/house.p3d');
  assert.equal(await ready(page), 'true');
  await context.setOffline(false);
});

on('the start and the overview speak three languages', async (page) => {
  for (const [language, start, overview] of [['ru', 'Перетащите', 'Открыто файлов'], ['zh', '将文件', '已打开'], ['en', 'Drop files', 'Open files']]) {
    await page.locator('#language').selectOption(language);
    await page.locator('#drop-zone', { hasText: start }).waitFor();
    await openFolder(page, join(corpus, 'mod/boats'));
    await page.locator('#overview-title', { hasText: overview }).waitFor();
    await page.locator('#close-all').click();
    await page.locator('#drop-zone').waitFor();
  }
});

// --- Presses.

on('a press on a row opens that row, also while the overview draws and rows come', async (page) => {
  const names = Array.from({ length: 60 }, (_, index) => `m${String(index).padStart(2, '0')}.b3d`);
  const root = aFolder('presses', names.map((name) => [name]));
  await page.setInputFiles('#folder', root);
  await page.locator('#file-list .label', { hasText: 'm03.b3d' }).waitFor();
  const press = async (name, between = async () => {}) => {
    const box = await page.locator('#file-list [role=treeitem]', { hasText: name }).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.waitForTimeout(80);
    await between();
    await page.mouse.up();
    await shown(page, `presses/${name}`);
    assert.equal(await page.locator('#file-list [aria-selected=true] .label').innerText(), name);
  };
  await press('m03.b3d');
  for (const name of ['m07.b3d', 'm05.b3d']) {
    await page.locator('#home').click();
    await page.evaluate(() => document.activeElement.blur());
    await press(name);
  }
  // The list changes under the pointer.
  await press('m09.b3d', () => page.evaluate(() => {
    window.meshpeek.files.add(0, 'a.b3d', 1);
    window.meshpeek.files.sort('name');
  }));
});

on('the filter says how many archives are not read, until the overview has read them', async (page) => {
  aFolder('halfway', [['a.b3d']]);
  for (const name of ['x', 'y', 'z']) aPbo(`halfway/${name}.pbo`, [`in-${name}.b3d`]);
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    const ask = client.ask.bind(client);
    const go = new Promise((resolve) => { window.release = resolve; });
    client.ask = async (handle, method, ...args) => {
      if (method === 'members') await go;
      return ask(handle, method, ...args);
    };
  });
  await page.setInputFiles('#folder', join(folder, 'halfway'));
  await page.locator('#filter').fill('in-');
  await page.locator('#filtered', { hasText: 'Archives not read yet: 3.' }).waitFor();
  await page.evaluate(() => window.release());
  await page.locator('#overview[data-done=true]').waitFor();
  await page.locator('#filtered', { hasText: /^3 of 7 files$/ }).waitFor();
});
