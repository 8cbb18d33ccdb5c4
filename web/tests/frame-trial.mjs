// Obstacles that a first-time user met: missing explanations, and behavior other than expected.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { made } from './made.mjs';
import { answered, at, corpus, drawn, eventually, goTo, on, openFiles, pboHeader, shown, tab } from './page.mjs';

/** An archive of these members, each with its bytes. */
function pbo(name, members) {
  const header = pboHeader(members.map(([path, bytes]) => [path, bytes.length]));
  return made(name, Buffer.concat([header, ...members.map(([, bytes]) => bytes)]));
}

const triangle = readFileSync(at('b3d/triangle.b3d'));
const cut = readFileSync(at('mod/trees/cut.b3d'));
const damagedPbo = (name) => pbo(name, [['good.b3d', triangle], ['data\\cut.b3d', cut]]);

async function openFolder(page, path) {
  await page.setInputFiles('#folder', path);
  await page.locator('#overview[data-done=true]').waitFor();
}

const rowsOfList = (page) => page.locator('#file-list [role=treeitem] .label').allInnerTexts();
const message = (page) => page.locator('#message');

on('the overview says where a missing file was looked for, who names it, and where one of its name is', async (page) => {
  await openFolder(page, join(corpus, 'mod'));
  await page.locator('details.missing-references summary').click();
  const row = (name) => page.locator('details.missing-references li', { hasText: name });
  await row('birch_bark.png').filter({ hasText: 'Looked for at mod/trees/young/birch_bark.png.' }).waitFor();
  const normal = await row('wall_nohq.paa').innerText();
  assert.match(normal, /Named in mod\/addons\/village\.pbo!\/data\\wall\.rvmat:1/);
  assert.match(normal, /Looked for by the path my\/village\/data\/wall_nohq\.paa: after a prefix/);
  await row('leaf.png').filter({ hasText: 'Elsewhere: mod/trees/leaf.png' }).waitFor();
  await row('leaf.png').getByRole('button', { name: 'mod/trees/leaf.png' }).click();
  await shown(page, 'mod/trees/leaf.png');
  // The facts of the model say the same.
  await goTo(page, '#mod/trees/young/birch.b3d&facts');
  await page.locator('tr.missing', { hasText: 'Looked for at mod/trees/young/leaf.png.' }).filter({ hasText: 'mod/trees/leaf.png' }).waitFor();
});

on('until the contents are checked the facts say so, and show what the overview found', async (page) => {
  await openFiles(page, [damagedPbo('unchecked.pbo'), at('b3d/triangle.b3d')]);
  await page.locator('#overview[data-done=true]').waitFor();
  await goTo(page, '#unchecked.pbo&facts');
  await page.locator('#panel-facts', { hasText: 'No problems found so far; the contents are not checked yet.' }).waitFor();
  const found = page.locator('.overview-damage button');
  assert.deepEqual(await found.allInnerTexts(), ['unchecked.pbo!/data/cut.b3d']);
  await page.getByRole('button', { name: 'Check everything' }).click();
  await page.locator('#panel-facts [data-checked]').waitFor();
  assert.equal(await page.locator('#panel-facts', { hasText: 'not checked yet' }).count(), 0);
  // The damaged file says so when it is opened.
  await goTo(page, '#unchecked.pbo!/data/cut.b3d');
  await page.locator('#message.error', { hasText: 'This file is damaged: ' }).waitFor();
  // A sound archive says so after the check.
  await goTo(page, '#triangle.b3d&facts');
  await page.locator('#panel-facts', { hasText: 'No problems found so far' }).waitFor();
  await page.getByRole('button', { name: 'Check everything' }).click();
  await page.locator('#panel-facts', { hasText: 'No problems found.' }).waitFor();
});

on('a cut file that opens is marked, says where it is damaged, and is not said to be checked whole', async (page) => {
  const bytes = readFileSync(at('odol/v75_lzo.p3d'));
  const path = made('cut.p3d', bytes.subarray(0, bytes.length - 20_000));
  // The overview, which would find the damage at some time, finds nothing.
  await page.evaluate(() => { window.meshpeek.second.call = () => new Promise(() => {}); });
  await openFiles(page, [path, at('b3d/triangle.b3d')]);
  await goTo(page, '#cut.p3d&model');
  await page.locator('#message.error', { hasText: /This file is damaged: \d+ parts cannot be read/ }).waitFor();
  await page.locator('#file-list [role=treeitem]', { hasText: 'cut.p3d' }).locator('[title*="amaged"], .damaged').first().waitFor({ timeout: 5000 });
  await page.locator('#message button', { hasText: 'Show the bytes at 0x' }).click();
  await page.locator('#hex .codes [data-at]').first().waitFor();
  await goTo(page, '#cut.p3d&facts');
  await page.getByRole('button', { name: 'Check everything' }).click();
  await page.locator('#panel-facts [data-checked]', { hasText: 'What the errors name could not all be read.' }).waitFor();
  // Of a sound file, everything is checked.
  await goTo(page, '#triangle.b3d&facts');
  await page.getByRole('button', { name: 'Check everything' }).click();
  await page.locator('#panel-facts [data-checked]', { hasText: 'Every block was decoded and every index checked.' }).waitFor();
});

on('a cut file says that it is damaged if the overview finds that before it is opened, or while it opens', async (page) => {
  const bytes = readFileSync(at('odol/v75_lzo.p3d'));
  const path = made('cut.p3d', bytes.subarray(0, bytes.length - 20_000));
  await openFiles(page, [path, at('b3d/triangle.b3d')]);
  await page.locator('#overview[data-done=true]').waitFor();
  await goTo(page, '#cut.p3d&model');
  await page.locator('#message.error', { hasText: 'This file is damaged: ' }).waitFor();
  await page.reload();
  await page.evaluate(() => {
    const { client, second, files } = window.meshpeek;
    second.call = () => new Promise(() => {});
    const ask = client.ask.bind(client);
    client.ask = async (handle, method, ...args) => {
      const answer = await ask(handle, method, ...args);
      if (method === 'meshes') files.items.find(({ label }) => label === 'cut.p3d').damage = 'found meanwhile';
      return answer;
    };
  });
  await openFiles(page, [path, at('b3d/triangle.b3d')]);
  await goTo(page, '#cut.p3d&model');
  await page.locator('#message.error', { hasText: /This file is damaged: \d+ parts cannot be read/ }).waitFor();
});

on('a text that is not found says that case counts', async (page) => {
  await openBytes(page);
  const search = page.getByRole('search');
  await search.locator('input').fill('bb3D');
  await search.getByRole('button', { name: 'Next' }).click();
  await message(page).filter({ hasText: 'Not found. Upper and lower case count.' }).waitFor();
  await search.locator('select').selectOption('hex');
  await search.locator('input').fill('ff fe fd fc fb');
  await search.getByRole('button', { name: 'Next' }).click();
  await eventually(async () => assert.match(await message(page).innerText(), /^Not found\.\s+×$/));
});

async function openBytes(page) {
  await openFiles(page, [at('b3d/everything.b3d')]);
  await tab(page, 'bytes');
  await page.locator('#hex .codes [data-at="0"]').waitFor();
  await page.locator('#tree [role=treeitem]').first().waitFor();
  await page.evaluate(() => {
    window.copied = [];
    navigator.clipboard.writeText = async (text) => void window.copied.push(text);
  });
}

const cell = (page, at) => page.locator(`#hex .codes [data-at="${at}"]`);
const selectedIs = (page, text) => page.locator('#selected-bytes', { hasText: text }).waitFor();

on('a click selects the byte under the mouse, a double click its field, and Ctrl+C copies them', async (page) => {
  await openBytes(page);
  await cell(page, 5).click();
  await selectedIs(page, '0x5 to 0x5, 1 byte');
  await page.locator('#field-here', { hasText: /^Field \S+: 0x4 to 0x7$/ }).waitFor();
  await eventually(async () => assert.equal(await page.locator('#hex .codes .around').count(), 3));
  await page.keyboard.press('Control+c');
  await cell(page, 5).dblclick();
  await selectedIs(page, '0x4 to 0x7, 4 bytes');
  await page.keyboard.press('Control+c');
  // By the keyboard.
  await cell(page, 2).click();
  await selectedIs(page, '1 byte');
  await page.keyboard.press('Enter');
  await selectedIs(page, '0x0 to 0x3, 4 bytes');
  await page.keyboard.press('Control+c');
  const bytes = readFileSync(at('b3d/everything.b3d'));
  const hex = (from, to) => bytes.subarray(from, to).toString('hex').replace(/..(?=.)/g, '$& ');
  await eventually(async () => assert.deepEqual(await page.evaluate(() => window.copied), [hex(5, 6), hex(4, 8), hex(0, 4)]));
  // A field for text has its own copies.
  await page.getByLabel('Search for').fill('a');
  await page.getByLabel('Search for').press('Control+c');
  await drawn(page);
  assert.equal(await page.evaluate(() => window.copied.length), 3);
});

on('the values are those at the start of the selection, whichever way it was dragged', async (page) => {
  await openBytes(page);
  const bytes = readFileSync(at('b3d/everything.b3d'));
  const value = page.locator('.inspector [data-value="u32 little"]');
  for (const [from, to] of [[0x40, 0x4f], [0x4f, 0x40]]) {
    const [first, last] = [await cell(page, from).boundingBox(), await cell(page, to).boundingBox()];
    await page.mouse.move(first.x + 3, first.y + 8);
    await page.mouse.down();
    await page.mouse.move(last.x + 3, last.y + 8, { steps: 4 });
    await page.mouse.up();
    await selectedIs(page, '0x40 to 0x4f, 16 bytes');
    await eventually(async () => assert.equal(await value.innerText(), String(bytes.readUInt32LE(0x40))));
  }
});

on('the address holds the selected bytes, and leads to them again', async (page) => {
  await openBytes(page);
  await cell(page, 0x40).click();
  await cell(page, 0x4f).click({ modifiers: ['Shift'] });
  await page.waitForFunction(() => location.hash.endsWith('&range=64,16'));
  await answered(page);
  const address = await page.evaluate(() => location.href);
  await page.goto('about:blank');
  await page.goto(address);
  await openFiles(page, [at('b3d/everything.b3d')]);
  await selectedIs(page, '0x40 to 0x4f, 16 bytes');
  await page.locator('#hex .codes .caret[data-at="64"]').waitFor();
  await answered(page);
  assert.match(page.url(), /range=64,16$/);
  // A whole field needs no range.
  await page.locator('#select-field').click();
  await page.waitForFunction(() => !location.hash.includes('range='));
  await goTo(page, '#everything.b3d&bytes&range=99999,1');
  await message(page).filter({ hasText: 'Offset 0x1869f is outside of this file' }).waitFor();
});

for (const [width, height] of [[1280, 800], [360, 740]]) {
  on(`a message moves nothing on the page, at ${width} pixels`, async (page) => {
    await openBytes(page);
    const places = () => page.evaluate(() => ['#title', '#tabs', '#hex', '#tree', '#file-list'].map((name) => document.querySelector(name).getBoundingClientRect().top));
    await cell(page, 5).click();
    await selectedIs(page, '1 byte');
    const copy = page.getByRole('button', { name: 'Copy hex' });
    await copy.scrollIntoViewIfNeeded();
    let before = await places();
    await copy.click();
    await message(page).filter({ hasText: 'Copied.' }).waitFor();
    assert.deepEqual(await places(), before);
    await page.locator('#message-close').click();
    await message(page).waitFor({ state: 'hidden' });
    assert.deepEqual(await places(), before);
    await page.getByLabel('Go to offset').fill('nowhere');
    before = await places();
    await page.keyboard.press('Enter');
    await message(page).filter({ hasText: 'Write an offset' }).waitFor();
    assert.deepEqual(await places(), before);
    await page.keyboard.press('Escape');
    await message(page).waitFor({ state: 'hidden' });
  }, { context: { viewport: { width, height } } });
}

on('problems of an archive have a column for the file, damaged files are marked in the list, and members open', async (page) => {
  await openFiles(page, [damagedPbo('marked.pbo')]);
  await tab(page, 'facts');
  await page.getByRole('button', { name: 'Check everything' }).click();
  await page.locator('#panel-facts [data-checked]').waitFor();
  const problems = page.locator('#panel-facts table', { hasText: 'Severity' });
  assert.deepEqual(await problems.locator('th').allInnerTexts(), ['Severity', 'File', 'Offset', 'Code', 'Message']);
  await problems.locator('tr.error', { hasText: 'cut.b3d' }).first().waitFor();
  // The mark is on the file, and on what is around it.
  await page.locator('#file-list .row', { hasText: 'marked.pbo' }).getByRole('img', { name: 'Contains damaged files' }).waitFor();
  await page.locator('#file-list .row', { hasText: 'data' }).locator('.twist').click();
  await page.locator('#file-list .row', { hasText: 'cut.b3d' }).getByRole('img', { name: 'Damaged' }).waitFor();
  assert.equal(await page.locator('#file-list .row', { hasText: 'good.b3d' }).locator('.sign').count(), 0);
  // Members: columns that line up, and a way to each file.
  const cells = await page.locator('.members tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(cells, [['0', String(triangle.length), '', 'good.b3d', ''], ['1', cut.length.toLocaleString('en'), '', 'data\\cut.b3d', '']]);
  const rights = await page.locator('.members tbody td:nth-child(2)').evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().right));
  assert.equal(rights[0], rights[1]);
  await page.locator('.members button', { hasText: 'good.b3d' }).click();
  await shown(page, 'marked.pbo!/good.b3d');
});

on('closing all empties the filter, adding files says how many came, and what a link does not hold is said', async (page) => {
  const boats = join(corpus, 'mod/boats');
  await openFiles(page, [join(boats, 'boat.lod'), join(boats, 'sail.png')]);
  await page.locator('#filter').fill('boat');
  await page.locator('#filter-kind').selectOption('models');
  await page.locator('#filtered', { hasText: '1 of 2 files' }).waitFor();
  await page.locator('#close-all').click();
  await page.locator('#drop-zone').waitFor();
  await openFiles(page, [join(boats, 'wood.png'), join(boats, 'sail.png')]);
  await eventually(async () => assert.deepEqual(await rowsOfList(page), ['sail.png', 'wood.png']));
  assert.equal(await page.locator('#filter').inputValue(), '');
  assert.equal(await page.locator('#filter-kind').inputValue(), 'all');
  // Two of these three are open.
  await page.setInputFiles('#files', ['boat.lod', 'sail.png', 'wood.png'].map((name) => join(boats, name)));
  await message(page).filter({ hasText: 'Files added: 1. Open now: 3.' }).waitFor();
  await page.setInputFiles('#files', [join(boats, 'sail.png'), join(boats, 'wood.png')]);
  await message(page).filter({ hasText: 'No file was added: all 2 are open already.' }).waitFor();
  await goTo(page, '#boat.lod');
  await shown(page, 'boat.lod');
  await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
  await page.locator('#copy-link').click();
  await message(page).filter({ hasText: 'Not in it: the files, the filter, view options' }).waitFor();
  assert.match(await page.evaluate(() => window.copied), /#boat\.lod&model/);
});

on('an animation that is played on a model leaves the model marked in the list', async (page) => {
  await openFolder(page, join(corpus, 'mod'));
  await goTo(page, '#mod/anims/walk.rtm&facts');
  await page.locator('#motion-model').selectOption('mod/addons/units.pbo!/soldier.p3d');
  await shown(page, 'mod/addons/units.pbo!/soldier.p3d');
  await page.locator('#file-list [aria-selected=true]', { hasText: 'soldier.p3d' }).waitFor();
  // Members that come late do not take the mark away.
  await answered(page);
  assert.equal(await page.locator('#file-list [aria-selected=true] .label').innerText(), 'soldier.p3d');
});

on('the start names all kinds of files that the page shows', async (page) => {
  for (const language of ['en', 'ru', 'zh']) {
    await page.locator('#language').selectOption(language);
    for (const name of ['config.bin', '.rvmat', '.cpp', '.p3d']) await page.locator('#drop-zone .endings', { hasText: name }).waitFor();
  }
});

on('archives in archives are looked into when asked', async (page) => {
  const inner = readFileSync(damagedPbo('inner.pbo'));
  await openFiles(page, [pbo('outer.pbo', [['inner.pbo', inner]]), at('b3d/triangle.b3d')]);
  await page.locator('#overview[data-done=true]').waitFor();
  await page.locator('.not-checked', { hasText: 'members were not looked at: 1.' }).waitFor();
  assert.equal(await page.locator('details.damaged').count(), 0);
  await page.locator('#look-deeper').click();
  await page.locator('#overview[data-done=true] details.damaged', { hasText: 'Damaged files: 1' }).waitFor();
  assert.equal(await page.locator('.not-checked', { hasText: 'not looked at' }).count(), 0);
  await page.locator('details.damaged summary').click();
  await page.locator('details.damaged button').click();
  await shown(page, 'outer.pbo!/inner.pbo!/data/cut.b3d');
});

on('the menus of the list have room for every choice, in each language', async (page) => {
  await openFiles(page, [at('b3d/triangle.b3d')]);
  for (const language of ['en', 'ru', 'zh']) {
    await page.locator('#language').selectOption(language);
    const wide = await page.evaluate(() => ['filter-kind', 'order'].flatMap((id) => {
      const menu = document.getElementById(id);
      return [...menu.options].map((option) => {
        const whole = document.createElement('select');
        whole.append(option.cloneNode(true));
        whole.style.cssText = 'width: max-content; max-width: none; position: absolute';
        document.body.append(whole);
        const width = whole.offsetWidth;
        whole.remove();
        return [option.textContent, Math.max(0, width - menu.offsetWidth)];
      });
    }).filter(([, over]) => over > 0));
    assert.deepEqual(wide, [], language);
    assert.ok(await page.locator('#order').getAttribute('aria-label'));
  }
}, { context: { viewport: { width: 1280, height: 800 } } });

on('a long line that is cut on the screen is said to be whole in the saved file', async (page) => {
  const text = `short\n${'x'.repeat(5000)}\n`;
  await openFiles(page, [made('long.cpp', text)]);
  await page.locator('.notes', { hasText: 'Long lines of which only the first 2,000 characters are shown: 1. The saved file has them whole.' }).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save text' }).click()]);
  assert.equal(readFileSync(await file.path(), 'utf8'), text);
});

on('Enter in the filter opens the first hit, not a folder around it', async (page) => {
  await openFolder(page, join(corpus, 'mod'));
  await page.locator('#filter').fill('birch');
  await page.keyboard.press('Enter');
  await shown(page, 'mod/trees/young/birch.b3d');
  await page.locator('#filter').fill('young birch');
  await page.locator('#filter').press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'file-list');
  // Nothing to open: the list has the focus.
  await page.locator('#filter').fill('no such name');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.id), 'file-list'));
  await shown(page, 'mod/trees/young/birch.b3d');
});

on('a question mark, and a button, show the keys, in each language', async (page) => {
  const help = page.locator('#key-help');
  for (const [language, word] of [['ru', 'копировать выбранные байты'], ['zh', '复制所选字节'], ['en', 'copy the selected bytes']]) {
    await page.locator('#language').selectOption(language);
    await page.locator('#keys').click();
    await help.filter({ hasText: word }).waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
  }
  await openFiles(page, [at('b3d/triangle.b3d')]);
  await page.locator('#file-list').focus();
  await page.keyboard.press('?');
  await help.waitFor();
  await help.getByRole('button', { name: 'Close' }).click();
  await help.waitFor({ state: 'hidden' });
  // Somebody who writes means the letter.
  await page.locator('#filter').focus();
  await page.keyboard.press('?');
  assert.equal(await page.locator('#filter').inputValue(), '?');
  assert.equal(await help.isVisible(), false);
});

on('at 360 pixels the list is as high as its rows, none is cut, and the level of a model is above its view', async (page) => {
  await openFiles(page, [at('b3d/triangle.b3d'), at('mlod/everything.p3d')]);
  await page.locator('#overview').waitFor();
  const list = () => page.locator('#file-list').evaluate((box) => [box.clientHeight, box.scrollTop % 24]);
  await eventually(async () => assert.deepEqual(await list(), [48, 0]));
  await goTo(page, '#everything.p3d');
  await shown(page, 'everything.p3d');
  const top = async (name) => (await page.locator(name).boundingBox()).y;
  await page.locator('#lod').waitFor();
  assert.ok((await top('#lod')) < (await top('#view')) && (await top('#shading')) < (await top('#view')));
  // Of many rows, whole ones are shown.
  await page.setInputFiles('#folder', join(corpus, 'mod'));
  await goTo(page, '#mod/trees/oak.b3d');
  await shown(page, 'mod/trees/oak.b3d');
  await eventually(async () => {
    const [height, cut] = await list();
    assert.ok(height >= 72 && height % 24 === 0 && cut === 0, `${height} ${cut}`);
  });
}, { context: { viewport: { width: 360, height: 740 } } });

on('the facts have their names in the language of the page, and numbers in one form', async (page) => {
  await openFolder(page, join(corpus, 'mod'));
  await page.locator('#language').selectOption('ru');
  await goTo(page, '#mod/addons/village.pbo!/house.p3d&facts');
  const facts = page.locator('.facts[data-complete]');
  await facts.waitFor();
  const names = await page.locator('.facts .pairs dt').allInnerTexts();
  assert.deepEqual(names.filter((name) => !/\p{Script=Cyrillic}/u.test(name)), []);
  assert.ok(names.some((name) => name.toLowerCase() === 'уровни детализации'), names.join());
  await facts.filter({ hasText: 'по-английски' }).waitFor();
  // The program writes thousands with a comma.
  await goTo(page, '#mod/addons/village.pbo&facts');
  await page.locator('.members', { hasText: 'data\\wall_co.paa' }).waitFor();
  const all = await page.locator('.facts').innerText();
  assert.doesNotMatch(all, /\d,\d{3}/);
  assert.match(all, /11\u00a0080/);
  assert.doesNotMatch(all, /which verify/);
  await page.locator('#language').selectOption('en');
  await page.locator('.members', { hasText: '11,080' }).waitFor();
  await page.locator('#language').selectOption('ru');
  await openFiles(page, [at('odol/edge_of_packing.p3d')]);
  await tab(page, 'facts');
  await page.locator('.facts [data-section=LODs]', { hasText: '2\u00a0202' }).waitFor();
  await facts.waitFor();
  assert.doesNotMatch(await page.locator('.facts').innerText(), /\d,\d{3}(?!\d)/);
});
