// The view of a model: levels of detail, textures, clips and the place in the address.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { anew, color, drop, files, front, goTo, hash, show, unfold, whole } from './model-page.mjs';
import { b3d, mlod, plainPng, png, rtm } from './models.mjs';
import { at, drawn, eventually, meshpeek, on, openFiles, pboHeader, ready, tab } from './page.mjs';

const red = [220, 20, 20, 255];
const green = [20, 200, 20, 255];

/** Keeps answers of these methods back, until they are let go in any order. */
async function hold(page, methods) {
  await page.evaluate((methods) => {
    const { client } = window.meshpeek;
    window.held = [];
    const raw = client.raw.bind(client);
    client.raw = async (handle, method, ...args) => {
      const answer = await raw(handle, method, ...args);
      if (methods.includes(method)) await new Promise((resolve) => window.held.push({ args, resolve }));
      return answer;
    };
  }, methods);
}
const held = (page, count) => page.waitForFunction((count) => window.held.length === count, count);
async function letGo(page, index) {
  await page.evaluate(async (index) => {
    window.held[index].resolve();
    // A late answer that counts would be drawn by now.
    for (let frame = 0; frame < 5; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, index);
}

const partsOf = (page) => page.locator('.parts input').count();
const options = (page, control) => page.locator(`${control} option`).allTextContents();

/** Three levels of detail with three, one and two surfaces, and selections of other names. */
const levels = () => mlod([
  { resolution: 1, squares: [{ texture: 'a_co.paa' }, { texture: 'b_co.paa', at: [2, 0, 0] }, { texture: 'c_co.paa', at: [0, 2, 0] }], selections: { hip: [0], spine: [1], only_0: [2] } },
  { resolution: 2, squares: [{ texture: 'a_co.paa' }], selections: { hip: [0], only_1: [0] } },
  { resolution: 3, squares: [{ texture: 'a_co.paa' }, { texture: 'b_co.paa', at: [2, 0, 0] }], selections: { spine: [1], only_2: [0] } },
]);

// --- Levels of detail.

on('a level of detail that is chosen while another loads is the only one that is drawn', async (page) => {
  const [path] = files('lod', { 'levels.p3d': levels() });
  await hold(page, ['glb']);
  await show(page, [path]);
  await held(page, 1);
  await page.locator('#lod').selectOption('1');
  await held(page, 2);
  await page.locator('#lod').selectOption('2');
  await held(page, 3);
  // The answers come in the reverse order.
  await letGo(page, 2);
  await page.locator('#view[data-lod="2"][data-ready=true]').waitFor();
  await letGo(page, 0);
  await letGo(page, 1);
  assert.equal(await page.locator('#view').getAttribute('data-lod'), '2');
  assert.equal(await partsOf(page), 2);
  assert.equal(await page.locator('#lod').inputValue(), '2');
});

on('of triangles without glTF, too, only the level that was chosen last is drawn', async (page) => {
  const [path] = files('lod-odol', { 'soldier.p3d': meshpeek(['cat', `${at('mod/addons/units.pbo')}!/soldier.p3d`]).stdout });
  await hold(page, ['meshes']);
  await show(page, [path]);
  await held(page, 1);
  await page.locator('#lod').selectOption('1');
  await held(page, 2);
  await letGo(page, 1);
  await page.locator('#view[data-lod="1"][data-ready=true]').waitFor();
  await letGo(page, 0);
  assert.equal(await page.locator('#view').getAttribute('data-lod'), '1');
});

on('the selections are those of the level of detail that is shown', async (page) => {
  const [path] = files('selections', { 'levels.p3d': levels() });
  await show(page, [path]);
  await ready(page);
  await page.getByRole('button', { name: 'Selections' }).click();
  await page.locator('.selections[data-lod="0"]').waitFor();
  assert.deepEqual(await options(page, '#selection'), ['None', 'hip', 'spine', 'only_0']);
  await page.locator('#selection').selectOption({ label: 'hip' });
  await page.locator('#lod').selectOption('1');
  await page.locator('.selections[data-lod="1"]').waitFor();
  assert.deepEqual(await options(page, '#selection'), ['None', 'hip', 'only_1']);
  assert.equal(await page.locator('#selection option:checked').textContent(), 'hip', 'a selection of the same name stays chosen');
  // The list of a level that is not shown any more comes late.
  await hold(page, ['selections']);
  await page.locator('#lod').selectOption('0');
  await held(page, 1);
  await page.locator('#lod').selectOption('2');
  await held(page, 2);
  await letGo(page, 1);
  await letGo(page, 0);
  assert.deepEqual(await options(page, '#selection'), ['None', 'spine', 'only_2']);
});

on('level of detail, camera and hidden parts stay, and the address has them', async (page, t, { context }) => {
  const [path] = files('place', { 'levels.p3d': levels() });
  await show(page, [path]);
  await ready(page);
  const part = (name) => page.locator('.parts').getByLabel(name);
  await part('b_co.paa').uncheck();
  await page.locator('#view').press('ArrowLeft');
  await page.waitForFunction(() => location.hash.includes('camera='));
  const camera = /camera=[^&]*/.exec(await hash(page))[0];
  await page.locator('#lod').selectOption('2');
  await page.locator('#view[data-lod="2"][data-ready=true]').waitFor();
  assert.ok((await hash(page)).includes('lod=2'));
  assert.ok((await hash(page)).includes(camera), 'the camera stays');
  assert.equal(await part('b_co.paa').isChecked(), false, 'a hidden part stays hidden');
  assert.equal(await part('a_co.paa').isChecked(), true);
  // In another language.
  await page.locator('#language').selectOption('ru');
  await page.locator('#view[data-lod="2"][data-ready=true]').waitFor();
  assert.ok((await hash(page)).includes(camera));
  // Another reader of the address.
  const other = await context.newPage();
  await other.goto(page.url());
  await openFiles(other, [path]);
  await other.locator('#view[data-lod="2"][data-ready=true]').waitFor();
  assert.equal(await hash(other), await hash(page));
  await other.close();
});

on('the view follows the address', async (page) => {
  const [path] = files('follow', { 'levels.p3d': levels() });
  await show(page, [path]);
  await page.locator('#view[data-lod="0"][data-ready=true]').waitFor();
  await goTo(page, 'levels.p3d&model&lod=1');
  await page.locator('#view[data-lod="1"][data-ready=true]').waitFor();
  assert.equal(await page.locator('#lod').inputValue(), '1');
  assert.equal(await partsOf(page), 1);
});

on('a level of detail that does not exist is said', async (page) => {
  const paths = files('no-level', { 'levels.p3d': levels(), 'plain.b3d': b3d([{}]) });
  await openFiles(page, paths);
  for (const name of ['levels.p3d', 'plain.b3d']) {
    await goTo(page, `${name}&model&lod=99`);
    await page.waitForFunction((name) => document.getElementById('title').textContent === name, name);
    assert.equal(await ready(page), 'true');
    await page.locator('#message', { hasText: 'There is no level 99.' }).waitFor();
  }
});

on('a level of detail that does not come leaves the one before, in the address too', async (page) => {
  const [path] = files('no-answer', { 'levels.p3d': levels() });
  await show(page, [path]);
  await page.locator('#lod').selectOption('2');
  await page.locator('#view[data-lod="2"][data-ready=true]').waitFor();
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    const raw = client.raw.bind(client);
    client.raw = async (handle, method, ...args) => {
      if (method === 'glb' && JSON.parse(args[0]).lod === 1) throw new Error('made to fail');
      return raw(handle, method, ...args);
    };
  });
  await page.locator('#lod').selectOption('1');
  await page.locator('#message.error', { hasText: 'made to fail' }).waitFor();
  await page.locator('#view[data-lod="2"][data-ready=true]').waitFor();
  assert.equal(await page.locator('#lod').inputValue(), '2');
  assert.match(await hash(page), /lod=2/);
  assert.equal(await partsOf(page), 2);
  // It can be tried again, and others can be chosen.
  await page.locator('#lod').selectOption('0');
  await page.locator('#view[data-lod="0"][data-ready=true]').waitFor();
});

on('triangles with a corner that is nowhere are left out and counted', async (page) => {
  const [path] = files('nowhere', { 'nowhere.p3d': mlod([{ resolution: 1, squares: [{ at: [5, 5, 5] }, { at: [NaN, 0, 0] }] }]) });
  await show(page, [path]);
  const { left_out, parts } = await page.evaluate(async () => {
    const { client, files } = window.meshpeek;
    const { left_out, parts } = await client.ask(files.handle(files.items[0]), 'meshes', 0);
    return { left_out, parts: parts.map(({ positions, indices }) => ({ positions: [...positions], indices: [...indices] })) };
  });
  assert.equal(left_out, 2);
  assert.equal(parts.reduce((sum, { indices }) => sum + indices.length / 3, 0), 2);
  for (const { positions } of parts) assert.ok(positions.every((number) => Number.isFinite(number) && number !== 0), String(positions));
});

on('a model of 10,000 nodes is drawn, and one of more says that it has too many', async (page) => {
  const paths = files('nodes', { 'most.b3d': b3d([{}], { pivots: 9_998 }), 'more.b3d': b3d([{}], { pivots: 9_999 }) });
  await show(page, paths);
  await goTo(page, 'most.b3d&model');
  await whole(page);
  assert.equal(await partsOf(page), 1);
  await goTo(page, 'more.b3d&model');
  await page.locator('#message.error').waitFor();
  assert.match(await page.locator('#message').textContent(), /too many nodes to be drawn/);
  await tab(page, 'facts');
  assert.match(await page.locator('.facts .pairs').textContent(), /10,001/);
});

on('a model of many parts without images is drawn with all of them', async (page) => {
  const squares = Array.from({ length: 400 }, (_, index) => ({ at: [3 * (index % 20), 3 * Math.floor(index / 20), 0] }));
  await show(page, files('many', { 'many.b3d': b3d(squares) }));
  await whole(page);
  assert.equal(await partsOf(page), 400);
  await eventually(async () => assert.equal(await page.locator('.textures').getAttribute('data-state'), 'done'));
  assert.match(await page.locator('.textures > summary').textContent(), /names no texture/i);
});

// --- Textures.

on('a model without names of textures takes the image of its own name', async (page) => {
  const paths = files('annie', { 'annie.b3d': b3d([{}]), 'annie.png': plainPng(...red) });
  await show(page, paths);
  await goTo(page, `annie.b3d&model&${front()}`);
  await whole(page);
  await eventually(async () => {
    const [r, g] = await color(page);
    assert.ok(r > 2 * g, `${await color(page)}`);
  });
  assert.match(await page.locator('.textures > summary').textContent(), /annie\.png has the same name/);
});

on('found and missing textures are counted and listed', async (page) => {
  const paths = files('count', { 'two.b3d': b3d([{ texture: 'here.png' }, { texture: 'nowhere.png', at: [2, 0, 0] }, { texture: 'bad.png', at: [0, 2, 0] }]), 'here.png': plainPng(...red), 'bad.png': Buffer.from('no image') });
  await show(page, paths);
  await whole(page);
  const summary = page.locator('.textures > summary');
  assert.match(await summary.textContent(), /^1 of 3 named textures found/);
  await summary.click();
  const rows = await page.locator('.texture-row').evaluateAll((rows) => rows.map((row) => [row.querySelector('.texture-name').textContent, row.dataset.state]));
  assert.deepEqual(Object.fromEntries(rows), { 'here.png': 'found', 'nowhere.png': 'missing', 'bad.png': 'unreadable' });
});

on('an image that is dropped on a part is drawn on it, and one from the list, too', async (page) => {
  const paths = files('drop', { 'two.b3d': b3d([{ texture: 'nowhere.png' }, { texture: 'other.png', at: [2.5, 0, 0] }]), 'green.png': plainPng(...green) });
  await show(page, paths);
  await goTo(page, `two.b3d&model&${front()}`);
  await whole(page);
  await drop(page, '#view', 'dropped.png', plainPng(...red));
  await page.locator('.texture-row[data-state=chosen]').waitFor({ state: 'attached' });
  await page.locator('.textures > summary').click();
  assert.equal(await page.locator('.texture-row[data-state=chosen] .texture-name').textContent(), 'nowhere.png');
  assert.equal(await page.locator('.texture-row[data-state=missing] .texture-name').textContent(), 'other.png');
  await eventually(async () => {
    const [r, g] = await color(page);
    assert.ok(r > 2 * g, 'the dropped image');
  });
  assert.equal(await page.locator('#title').textContent(), 'two.b3d', 'the image is not opened instead');
  // The image is no open file: it is not listed, counted or offered to be opened.
  assert.equal(await page.evaluate(() => window.meshpeek.client.sources.length), paths.length);
  assert.equal(await page.locator('.texture-row[data-state=chosen] .texture-file').textContent(), 'dropped.png');
  assert.equal(await page.locator('.texture-row[data-state=chosen] .texture-file button').count(), 0);
  // Two dropped images may have one name. A file that is no image is refused.
  await drop(page, '#view', 'dropped.png', plainPng(...green));
  await eventually(async () => assert.equal(await page.locator('.texture-row[data-state=chosen] .texture-file').textContent(), 'dropped.png (2)'));
  await eventually(async () => {
    const [r, g] = await color(page);
    assert.ok(g > 2 * r, 'the second dropped image');
  });
  await page.locator('.texture-row[data-state=chosen]').evaluate((row) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['words'], 'notes.txt'));
    row.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
  });
  assert.doesNotMatch(await page.locator('#message').textContent(), /notes\.txt is shown/);
  const control = page.locator('.texture-row[data-state=chosen] select');
  await control.focus();
  await control.locator('option', { hasText: 'green.png' }).waitFor({ state: 'attached' });
  await control.selectOption('green.png');
  await eventually(async () => {
    const [r, g] = await color(page);
    assert.ok(g > 2 * r, 'the chosen image');
  });
  // Another level, or a reload of the model, keeps the choice; without it, the image that the model names is missing again.
  await page.locator('.texture-row[data-state=chosen] select').selectOption('');
  await eventually(async () => assert.equal(await page.locator('.texture-row[data-state=missing]').count(), 2));
});

on('textures that do not come, because the user ends the work, are said', async (page) => {
  const paths = files('ended', { 'two.b3d': b3d([{ texture: 'a.png' }, { texture: 'b.png', at: [2, 0, 0] }]), 'a.png': plainPng(...red), 'b.png': plainPng(...green) });
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    const raw = client.raw.bind(client);
    client.raw = async (handle, method, ...args) => {
      const answer = raw(handle, method, ...args);
      if (method === 'image') {
        // The call is on its way by then, and no answer can have come.
        for (let turn = 0; turn < 50; turn++) await null;
        client.cancel();
      }
      return answer;
    };
  });
  await show(page, paths);
  await whole(page);
  assert.match(await page.locator('.textures > summary').textContent(), /^0 of 2 named textures found\./);
  await page.locator('#message', { hasText: 'Cancelled.' }).waitFor();
});

on('the view and the facts agree on which textures are found', async (page, t) => {
  await page.setInputFiles('#folder', at('mod'));
  await page.locator('#file-list [role=treeitem]').first().waitFor();
  let compared = 0;
  for (const name of ['buildings/mill.b3d', 'trees/oak.b3d', 'trees/cut.b3d', 'boats/boat.lod', 'maps/slope.bmx', 'addons/units.pbo!/soldier.p3d', 'addons/units.pbo!/crate.p3d', 'addons/village.pbo!/house.p3d']) {
    await goTo(page, `mod/${name}&model`);
    await page.waitForFunction((name) => document.getElementById('title').textContent.replaceAll('\\', '/').endsWith(name), name);
    await whole(page);
    const rows = await page.locator('.texture-row').evaluateAll((rows) => rows.map((row) => [row.querySelector('.texture-name').textContent, row.dataset.state]));
    await tab(page, 'facts');
    const links = JSON.parse(await page.evaluate(async (address) => {
      const { client, files } = window.meshpeek;
      const [file, ...names] = address.split('!/');
      const { file: number } = files.items.find(({ label }) => label === file);
      return client.raw(client.handle(number, names), 'references');
    }, `mod/${name}`));
    for (const [texture, state] of rows) {
      const link = links.find((link) => link.kind === 'texture' && link.name === texture && link.via === null);
      if (!link) continue;
      const seen = { found: 'found', unreadable: 'found', ambiguous: 'ambiguous', missing: 'missing', substitute: 'missing', procedural: 'procedural' }[state];
      assert.equal(seen, link.state, `${texture} of ${name}`);
      compared++;
    }
  }
  assert.ok(compared >= 8, `${compared} textures`);
  t.diagnostic(`${compared} textures compared`);
});

on('half opaque images are mixed with what is behind them, and not cut', async (page) => {
  const back = { texture: 'back.png', at: [0, 0, 1] };
  const glass = { texture: 'glass.png', flags: 2, blend: 1, at: [0, 0, 0] };
  // Either is first in a file.
  for (const [name, squares] of [['front', [glass, back]], ['behind', [back, glass]]]) {
    const paths = files(`glass-${name}`, { [`${name}.b3d`]: b3d(squares), 'back.png': plainPng(...red), 'glass.png': plainPng(20, 220, 20, 90) });
    await show(page, paths);
    await goTo(page, `${name}.b3d&model&${front(-4)}`);
    await whole(page);
    await eventually(async () => {
      const [r, g] = await color(page);
      assert.ok(r > 60 && g > 40 && r < 210, `${await color(page)} of ${name}`);
    });
    await anew(page);
  }
});

on('a missing image that hides little is nearly transparent, and the page says so', async (page) => {
  const [path] = files('flare', { 'flare.p3d': mlod([{ resolution: 1, squares: [{ texture: 'light_ca.paa', at: [0, 0, 0], size: 1 }] }]) });
  await show(page, [path]);
  await goTo(page, `flare.p3d&model&${front()}`);
  await whole(page);
  assert.match(await page.locator('.textures > summary').textContent(), /0 of 1 named textures found\..*nearly transparent/);
  await unfold(page);
  await page.getByLabel('Grid').uncheck();
  await eventually(async () => {
    const here = await color(page);
    const ground = await color(page, 0.02, 0.02);
    const distance = Math.max(...here.map((part, at) => Math.abs(part - ground[at])));
    assert.ok(distance > 0 && distance < 40, `${here} on ${ground}`);
  });
});

on('faces seen from behind are drawn, unless the user does not want it', async (page) => {
  const [path] = files('behind', { 'behind.b3d': b3d([{ turned: true }]) });
  await show(page, [path]);
  await unfold(page);
  await page.getByLabel('Grid').uncheck();
  for (const distance of [4, -4]) {
    await goTo(page, `behind.b3d&model&${front(distance)}`);
    await whole(page);
    if (!await page.getByLabel('Both sides').isChecked()) await page.getByLabel('Both sides').check();
    if (await page.getByLabel('Grid').isChecked()) await page.getByLabel('Grid').uncheck();
    const ground = await color(page, 0.02, 0.02);
    await eventually(async () => assert.notDeepEqual(await color(page), ground, `from ${distance}`));
  }
  await page.getByLabel('Both sides').uncheck();
  const hidden = [];
  for (const distance of [4, -4]) {
    await goTo(page, `behind.b3d&model&${front(distance)}`);
    await whole(page);
    if (await page.getByLabel('Both sides').isChecked()) await page.getByLabel('Both sides').uncheck();
    if (await page.getByLabel('Grid').isChecked()) await page.getByLabel('Grid').uncheck();
    const here = await color(page);
    const ground = await color(page, 0.02, 0.02);
    hidden.push(String(here) === String(ground));
  }
  assert.deepEqual(hidden.sort(), [false, true], 'from one side only');
});

on('a surface without material is grey, and a full-bright one shows its shape', async (page) => {
  const paths = files('plain', { 'plain.p3d': mlod([{ resolution: 1, squares: [{}] }]), 'bright.b3d': b3d([{ fx: 1 }]) });
  for (const path of paths) {
    const name = path.split('/').at(-1);
    await show(page, paths, name);
    for (const distance of [4, -4]) {
      await goTo(page, `${name}&model&${front(distance)}`);
      await whole(page);
      await eventually(async () => {
        const here = await color(page);
        assert.ok(Math.min(...here) > 60 && Math.max(...here) < 235, `${here} of ${name} from ${distance}`);
        assert.ok(Math.max(...here) - Math.min(...here) < 25, `${here} is no grey`);
      });
    }
    await anew(page);
  }
});

on('the shape is drawn first, then the textures, one at a time', async (page) => {
  const paths = files('first', { 'first.b3d': b3d([{ texture: 'a.png' }, { texture: 'b.png', at: [0, 2, 0] }]), 'a.png': plainPng(...red), 'b.png': plainPng(...green) });
  await hold(page, ['image']);
  // The address is there before its file.
  await page.evaluate((hash) => { location.hash = hash; }, `first.b3d&model&${front()}`);
  await openFiles(page, paths);
  await page.locator('#view[data-camera][data-ready=true]').waitFor();
  const grey = await color(page);
  assert.ok(Math.max(...grey) - Math.min(...grey) < 25, `${grey} is no grey`);
  await held(page, 1);
  assert.match(await page.locator('.textures > summary').textContent(), /Loading/);
  await letGo(page, 0);
  await held(page, 2);
  await eventually(async () => {
    const [r, g] = await color(page);
    assert.ok(r > 2 * g, 'the first texture is there while the second is not');
  });
  await letGo(page, 1);
  await whole(page);
  assert.equal(await page.evaluate(() => window.held[0].args.at(-1)), 512, 'small at first');
});

// --- Clips.

on('the first clip plays, at other speeds and frame by frame', async (page) => {
  const [path] = files('clips', { 'moves.b3d': b3d([{}], { clip: 10 }) });
  await show(page, [path]);
  assert.equal(await ready(page), 'true');
  const time = async () => Number(await page.locator('#timeline').inputValue());
  const start = await time();
  await eventually(async () => assert.notEqual(await time(), start, 'it plays'));
  await page.getByRole('button', { name: 'Pause' }).click();
  const paused = await time();
  assert.ok((await hash(page)).includes('time='));
  await page.getByRole('button', { name: 'Frame forward' }).click();
  const next = await time();
  assert.notEqual(next, paused);
  await page.getByRole('button', { name: 'Frame back' }).click();
  assert.notEqual(await time(), next);
  await page.getByLabel('Speed').selectOption('0.1');
  await page.getByRole('button', { name: 'Play' }).click();
  assert.ok(!(await hash(page)).includes('time='));
  await page.getByRole('button', { name: 'Pause' }).click();
  // A shared address has a time of its own, and stands still.
  await goTo(page, 'moves.b3d&model&time=0.5');
  await eventually(async () => assert.equal(await time(), 0.5));
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.locator('#clip').selectOption('');
  await eventually(async () => assert.ok((await hash(page)).includes('clip=')));
  await eventually(async () => assert.equal(await page.getByRole('button', { name: 'Play', exact: true }).count(), 0, 'without a clip, nothing to play it with'));
});

on('a clip that is chosen again while it plays moves in one loop, and only in view', async (page) => {
  const [path] = files('loops', { 'moves.b3d': b3d([{}], { clip: 10 }) });
  await show(page, [path]);
  assert.equal(await ready(page), 'true');
  const perFrame = await page.evaluate(async () => {
    const control = document.getElementById('clip');
    const key = control.options[1].value;
    for (let turn = 0; turn < 20; turn++) {
      for (const value of ['', key]) {
        control.value = value;
        control.dispatchEvent(new Event('change'));
      }
    }
    const request = window.requestAnimationFrame.bind(window);
    const frame = () => new Promise((resolve) => request(resolve));
    let count = 0;
    window.requestAnimationFrame = (callback) => {
      count += 1;
      return request(callback);
    };
    for (let frames = 0; frames < 10; frames++) await frame();
    window.requestAnimationFrame = request;
    return count / 10;
  });
  assert.ok(perFrame > 0 && perFrame < 6, `${perFrame} callbacks in a frame`);
  await tab(page, 'bytes');
  const time = () => page.locator('#timeline').inputValue();
  await drawn(page);
  const hidden = await time();
  await drawn(page);
  assert.equal(await time(), hidden);
  await tab(page, 'model');
  await eventually(async () => assert.notEqual(await time(), hidden));
});

on('nothing moves for who prefers less motion', async (page) => {
  const [path] = files('still', { 'still.b3d': b3d([{}], { clip: 10 }) });
  await show(page, [path]);
  assert.equal(await ready(page), 'true');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.equal(await page.locator('#timeline').inputValue(), '0');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await eventually(async () => assert.notEqual(await page.locator('#timeline').inputValue(), '0'));
}, { context: { reducedMotion: 'reduce' } });

on('each way of shading has its own picture', async (page) => {
  const paths = files('shading', { 'shaded.b3d': b3d([{ texture: 'a.png', grid: 4 }]), 'a.png': png(8, 8, (x, y) => (x + y) % 2 ? red : green) });
  await show(page, paths);
  await whole(page);
  const seen = new Map();
  for (const mode of ['lit', 'unlit', 'normals', 'checker', 'wireframe']) {
    await page.locator('#shading').selectOption(mode);
    await eventually(async () => {
      const picture = (await page.locator('#view').screenshot()).toString('base64');
      assert.ok(!seen.has(picture), `${mode} is like ${seen.get(picture)}`);
      seen.set(picture, mode);
    });
  }
  assert.deepEqual(await page.locator('#shading option').evaluateAll((all) => all.map(({ value }) => value)), ['lit', 'unlit', 'flat', 'normals', 'checker', 'wireframe']);
});

// --- Animation files.

const walk = () => readFileSync(at('mod/anims/walk.rtm'));
const soldier = () => meshpeek(['cat', `${at('mod/addons/units.pbo')}!/soldier.p3d`]).stdout;
const hip = () => mlod([{ resolution: 1, squares: [{}, { at: [2, 0, 0] }], selections: { hip: [0], spine: [1] } }]);

on('an animation file moves a model by the names of bones, from an archive, too', async (page) => {
  const pack = Buffer.concat([pboHeader([['anims\\walk.rtm', walk().length]]), walk()]);
  const paths = files('motion', { 'hip.p3d': hip(), 'pack.pbo': pack, 'v73.p3d': readFileSync(at('odol/v73.p3d')), 'walk.rtm': walk(), 'door.rtm': rtm(['Body', 'handle'], [0, 1]) });
  for (const [model, motion] of [['hip.p3d', 'walk.rtm'], ['hip.p3d', 'pack.pbo!/anims/walk.rtm'], ['v73.p3d', 'door.rtm']]) {
    await show(page, paths, model);
    await page.locator('#view[data-ready=true]').waitFor();
    await page.locator(`#clip option[value="${motion}"]`).waitFor({ state: 'attached' });
    const still = await page.locator('#view').screenshot();
    await page.locator('#clip').selectOption(motion);
    await page.locator('#timeline:enabled').waitFor();
    assert.ok((await hash(page)).includes(`clip=${motion}`));
    assert.equal(await page.locator('#clip').inputValue(), motion);
    await page.locator('#timeline').fill('0.5');
    await eventually(async () => assert.ok(!still.equals(await page.locator('#view').screenshot()), `${motion} moves ${model}`));
    await anew(page);
  }
});

on('an animation alone shows its bones, says that it needs a model, and offers the open ones', async (page) => {
  const paths = files('alone', { 'hip.p3d': hip(), 'walk.rtm': walk(), 'packed.rtm': readFileSync(at('rtm/v5_mixed.rtm')) });
  await show(page, paths, 'packed.rtm');
  await page.locator('#panel-facts .needs-model', { hasText: 'needs a model' }).waitFor();
  await page.locator('[data-section=Bones]').waitFor();
  await page.locator('#file-list [role=treeitem]', { hasText: 'walk.rtm' }).click();
  await page.waitForFunction(() => document.getElementById('title').textContent === 'walk.rtm');
  await page.locator('#motion-model').selectOption('hip.p3d');
  await page.waitForFunction(() => document.getElementById('title').textContent === 'hip.p3d');
  await page.locator('#timeline:enabled').waitFor();
  assert.equal(await page.locator('#clip').inputValue(), 'walk.rtm');
});

on('an animation that does not fit is said, and the model is shown', async (page) => {
  const paths = files('misfit', { 'hip.p3d': hip(), 'packed.rtm': readFileSync(at('rtm/v5_mixed.rtm')) });
  await show(page, paths);
  assert.equal(await ready(page), 'true');
  await page.locator('#clip').selectOption('packed.rtm');
  await page.locator('#message.error', { hasText: 'no skeleton' }).waitFor();
  assert.equal(await ready(page), 'true');
  assert.equal(await partsOf(page), 1);
});

// --- Anything in any order.

on('after any order of loads, levels, clips, files and closed files, the view shows the last choice', async (page, t) => {
  const models = {
    'levels.p3d': { bytes: levels(), parts: [3, 1, 2], clips: ['', 'walk.rtm'] },
    'fewer.p3d': { bytes: mlod([{ resolution: 1, squares: [{ texture: 'a_co.paa' }, { texture: 'd.png' }] }, { resolution: 2, squares: [{}] }]), parts: [2, 1], clips: ['', 'walk.rtm'] },
    'soldier.p3d': { bytes: soldier(), parts: undefined, clips: ['', 'walk.rtm'] },
    'moves.b3d': { bytes: b3d([{ texture: 'd.png' }, { texture: 'e.png', at: [2, 0, 0] }], { clip: 10 }), parts: [2], clips: ['', undefined] },
  };
  const contents = Object.fromEntries(Object.entries(models).map(([name, { bytes }]) => [name, bytes]));
  const paths = files('order', { ...contents, 'walk.rtm': walk(), 'd.png': plainPng(...red), 'e.png': plainPng(...green) });
  const seed = Number(process.env.SEED ?? 1);
  t.diagnostic(`seed ${seed}`);
  let state = seed;
  const random = (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  await openFiles(page, paths);
  // Every answer is late, by another time.
  await page.evaluate((seed) => {
    const { client } = window.meshpeek;
    window.under = 0;
    let state = seed;
    for (const name of ['raw', 'call']) {
      const ask = client[name].bind(client);
      client[name] = async (...args) => {
        window.under += 1;
        try {
          const answer = await ask(...args);
          state = (Math.imul(state, 1103515245) + 12345) >>> 0;
          await new Promise((resolve) => setTimeout(resolve, (state >>> 8) % 60));
          return answer;
        } finally {
          window.under -= 1;
        }
      };
    }
  }, seed);
  const names = Object.keys(models);
  const known = {};
  let last;
  for (let round = 0; round < 50; round++) {
    const actions = [];
    let closed;
    for (let count = 2 + random(4); count > 0; count--) {
      let kind = last === undefined ? 'open' : ['open', 'lod', 'lod', 'clip', 'close'][random(5)];
      if (kind === 'close' && closed !== undefined) kind = 'open';
      if (kind === 'close') {
        closed = last.name;
        last = undefined;
        actions.push(['close', closed, random(80)]);
      } else if (kind === 'open') {
        // Another one: the same would only be shown again, without what was chosen in it.
        const others = names.filter((name) => name !== last?.name && name !== closed);
        last = { name: others[random(others.length)] };
        actions.push(['open', last.name]);
      } else actions.push([kind, random(3), random(80)]);
    }
    const done = await page.evaluate(async (actions) => {
      const done = [];
      for (const [kind, what, wait] of actions) {
        if (kind === 'open') {
          const rows = [...document.querySelectorAll('#file-list [role=treeitem]')];
          rows.find((row) => row.textContent.startsWith(what)).click();
          done.push(['open', what]);
          continue;
        }
        await new Promise((resolve) => setTimeout(resolve, wait));
        if (kind === 'close') {
          document.getElementById('close-file').click();
          done.push(['close', what]);
          continue;
        }
        const control = document.getElementById(kind);
        const title = document.getElementById('title').textContent;
        const choice = control?.options[what];
        if (!choice || control.closest('[hidden]')) continue;
        control.value = choice.value;
        control.dispatchEvent(new Event('change'));
        done.push([kind, choice.value, title]);
      }
      return done;
    }, actions);
    for (const [kind, what, title] of done) {
      if (kind === 'open') last = { name: what };
      else if (kind === 'close') last = undefined;
      // A control of the file that is about to be closed.
      else if (title === last?.name) last[kind] = what;
    }
    const context = `seed ${seed}, round ${round}, after ${JSON.stringify(done)}`;
    if (last) await check(last, context);
    else await nothingShown(closed, context);
    if (closed === undefined) continue;
    // The file that was closed is opened again, and shown.
    await page.setInputFiles('#files', [paths.find((path) => basename(path) === closed)]);
    last = { name: closed };
    await check(last, context);
  }

  async function check({ name, lod = '0', clip }, context) {
    const wanted = { title: name, lod: name.endsWith('.b3d') ? '' : lod };
    await page.waitForFunction(({ title, lod }) => window.under === 0 && document.getElementById('title').textContent === title
      && document.querySelector('#view[data-ready=true]')?.dataset.lod === lod && document.querySelector('.textures').dataset.state === 'done', wanted).catch(async (error) => {
      const now = await page.evaluate(() => [window.under, document.getElementById('title').textContent, { ...document.getElementById('view')?.dataset }]);
      throw new Error(`${context}: ${JSON.stringify({ wanted, now })}`, { cause: error });
    });
    const parts = await partsOf(page);
    const expected = models[name].parts?.[Number(lod)] ?? (known[`${name} ${lod}`] ??= parts);
    assert.equal(parts, expected, `${context}: parts of ${name}, ${lod}`);
    if (clip !== undefined) assert.equal(await page.locator('#clip').inputValue(), clip, `${context}: the clip`);
  }

  async function nothingShown(closed, context) {
    const left = paths.map((path) => basename(path)).filter((name) => name !== closed).sort();
    await page.waitForFunction((left) => {
      const rows = [...document.querySelectorAll('#file-list [role=treeitem] .label')].map((row) => row.textContent);
      return window.under === 0 && document.getElementById('asset').hidden && rows.sort().join() === left;
    }, left.join()).catch((cause) => { throw new Error(`${context}: not the overview`, { cause }); });
  }
});
