// Files are opened in every way, and addresses lead to them.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { answered, at, drawn, eventually, facts, folder, goTo, meshpeek, on, openFiles, pboHeader, ready, relative, server, shown, tab, walk } from './page.mjs';

const walkNames = (root) => walk(root).map((file) => relative(root, file));

const formats = [
  ['b3d/everything.b3d', 'model'], ['bmx/full.bmx', 'model'], ['lodka/everything.lod', 'model'], ['odol/v73.p3d', 'model'],
  ['mlod/everything.p3d', 'model'], ['rtm/plain.rtm', 'facts'], ['rtm/v5_mixed.rtm', 'facts'], ['paa/dxt1.paa', 'texture'],
  ['rap/everything.bin', 'text'], ['pbo/addon.pbo', 'facts'], ['zip/assets.zip', 'facts'],
];

on('each format opens, with the view that fits it', async (page) => {
  for (const [name, view] of formats) {
    const path = at(name);
    await page.reload();
    await openFiles(page, [path]);
    assert.equal(await page.locator('[role=tab][aria-selected=true]').getAttribute('id'), `tab-${view}`, path);
    if (view === 'model') assert.equal(await ready(page), 'true', path);
    if (view === 'texture') await page.locator('canvas[data-ready="0"]').waitFor();
    const title = JSON.parse(meshpeek(['info', '--json', path]).stdout).title;
    assert.match(await facts(page), new RegExp(title.replace(/[()]/g, '\\$&')), path);
    await tab(page, 'bytes');
    await page.locator('#tree [role=treeitem]').first().waitFor();
    await page.locator('#hex [data-at="0"]').first().waitFor();
  }
});

on('a member of an archive in an archive opens from the list', async (page) => {
  await openFiles(page, [at('zip/nested.zip')]);
  const opened = [];
  // Down the first member that opens, as deep as it goes.
  for (;;) {
    // Until the list is complete, its rows move.
    await answered(page);
    const rows = await page.locator('#file-list [role=treeitem]').evaluateAll((rows) => rows.map((row) => [row.querySelector('.label').textContent, row.getAttribute('aria-level')]));
    const next = rows.findIndex(([label, level]) => Number(level) > opened.length + 1 && /\.(zip|pbo|b3d|p3d|lod|bmx)$/.test(label));
    if (next < 0 || opened.length > 5) break;
    opened.push(rows[next][0]);
    const [label, level] = rows[next];
    await page.locator(`#file-list [aria-level="${level}"] .label`).getByText(label, { exact: true }).first().click();
    await page.waitForFunction((name) => document.getElementById('title').textContent.endsWith(name), rows[next][0]);
  }
  assert.ok(opened.length >= 2, opened.join(' > '));
  const address = await page.locator('#title').textContent();
  assert.ok(address.split('!/').length >= 3, address);
  assert.ok(decodeURIComponent(page.url()).includes(address.replaceAll('\\', '/')));
});

on('a shared address opens the same view', async (page, t, { context }) => {
  await openFiles(page, [at('zip/assets.zip')]);
  const listed = JSON.parse(await page.evaluate(async () => {
    const { client, files } = window.meshpeek;
    return client.raw(files.handle(files.items[0]), 'members', 0, 100);
  }));
  const name = listed.members.map(([name]) => name).find((name) => name.endsWith('.b3d'));
  await page.evaluate((name) => { location.hash = `#assets.zip!/${name}@nodes/0`; }, name);
  await page.waitForFunction(() => document.querySelector('.detail-pane')?.textContent.includes('nodes/0'));
  const view = async (page) => ({
    title: await page.locator('#title').innerText(), tab: await page.locator('[role=tab][aria-selected=true]').innerText(),
    line: await page.locator('#tree [aria-selected=true] .label').innerText(),
    bytes: await page.locator('#hex .on').evaluateAll((bytes) => bytes.map((byte) => byte.dataset.at)), url: page.url().split('#')[1],
  });
  const other = await context.newPage();
  await other.goto(page.url());
  await other.locator('#awaited', { hasText: 'assets.zip' }).waitFor();
  await other.setInputFiles('#files', [at('zip/assets.zip')]);
  await other.waitForFunction(() => document.querySelector('.detail-pane')?.textContent.includes('nodes/0'));
  await eventually(async () => assert.deepEqual(await view(other), await view(page)));
});

on('an address of the web opens by ranges', async (page) => {
  await page.waitForFunction(() => document.getElementById('title').textContent === 'addons.zip');
  await page.locator('#file-list [role=treeitem]').nth(1).waitFor();
  assert.ok(server.log.some(({ path, range }) => path === '/corpus/zip/addons.zip' && range));
}, { url: () => `${server.url}?open=corpus/zip/addons.zip` });

on('a name with HTML in it is text', async (page) => {
  const name = '<img src=x onerror=document.title="run">.b3d';
  const model = readFileSync(at('b3d/triangle.b3d'));
  const path = join(folder, 'html.pbo');
  writeFileSync(path, Buffer.concat([pboHeader([[name, model.length], ['<b>x</b>\\<i>.paa', 3]]), model, Buffer.from('abc')]));
  await openFiles(page, [path]);
  const row = page.locator('#file-list [role=treeitem]', { hasText: 'onerror' });
  await row.waitFor();
  assert.equal(await row.locator('.label').innerText(), name);
  await row.locator('.label').click();
  await page.waitForFunction(() => document.getElementById('title').textContent.includes('onerror'));
  for (const name of ['facts', 'bytes', 'arrays']) await tab(page, name);
  assert.equal(await page.locator('#work img').count(), 0);
  assert.notEqual(await page.title(), 'run');
});

/** A folder of an addon: a model, its textures and materials, loose and in archives. */
function aMod(name) {
  const root = join(folder, name);
  mkdirSync(join(root, 'source/data'), { recursive: true });
  cpSync(at('mlod'), join(root, 'models'), { recursive: true });
  cpSync(at('addons'), join(root, 'addons'), { recursive: true });
  cpSync(at('b3d/everything.b3d'), join(root, 'scene.b3d'));
  const [scene] = JSON.parse(meshpeek(['info', '--json', at('b3d/everything.b3d')]).stdout).references;
  cpSync(at('paa/dxt1.paa'), join(root, scene.name.split(/[\\/]/).pop()));
  // The textures and materials of one model exist: below a prefix, elsewhere, and as a material that names others.
  const { references } = JSON.parse(meshpeek(['info', '--json', at('mlod/everything.p3d')]).stdout);
  writeFileSync(join(root, 'source/$PBOPREFIX$'), 'a_prefix\r\n');
  for (const { kind, name: wanted } of references) {
    const parts = wanted.split(/[\\/]/);
    const file = join(root, ...parts);
    if (wanted.startsWith('#') || kind === 'proxy') continue;
    mkdirSync(join(file, '..'), { recursive: true });
    const text = 'ambient[]={1,1,1,1};\nclass Stage1 { texture="a_prefix\\data\\found.paa"; };\nclass Stage2 { texture="gone\\found.paa"; };';
    writeFileSync(file, kind === 'material' ? text : 'x');
  }
  writeFileSync(join(root, 'source/data/found.paa'), 'x');
  return root;
}

/** The references that the program lists in a folder, without those of texts alone. */
function refs(root) {
  const printed = meshpeek(['refs', basename(root), '--format', 'ndjson'], join(root, '..')).stdout.toString();
  return printed.trim().split('\n').map((line) => JSON.parse(line));
}

/** The answers of the page about one file or member. */
async function references(page, address) {
  return page.evaluate(async (address) => {
    const { client, files } = window.meshpeek;
    const [name, ...names] = address.split('!/');
    const file = files.items.find(({ label }) => label === name).file;
    return client.ask(client.handle(file, names), 'references');
  }, address);
}

on('a folder opens, and its references are those of the program', async (page, t) => {
  const root = aMod('mod');
  await page.setInputFiles('#folder', root);
  await page.locator('#file-list .label').getByText('mod', { exact: true }).waitFor();
  const links = refs(root);
  const addresses = new Set(links.map(({ path, member }) => (member === null ? path : `${path}!/${member}`)));
  for (const address of addresses) {
    const of = links.filter(({ path, member }) => (member === null ? path : `${path}!/${member}`) === address);
    const listed = await references(page, address);
    const plain = (list) => list.filter(({ via }) => via === null);
    assert.deepEqual(plain(listed), plain(of), address);
    // The program lists what a material names for the first asset that leads to it, the page for each.
    const keys = new Set(links.map((link) => JSON.stringify({ ...link, path: '', member: null })));
    for (const link of listed) assert.ok(keys.has(JSON.stringify({ ...link, path: '', member: null })), `${address}: ${JSON.stringify(link)}`);
    const own = new Set(listed.map((link) => JSON.stringify(link)));
    for (const link of of) assert.ok(own.has(JSON.stringify(link)), `${address}: ${JSON.stringify(link)}`);
  }
  for (const state of ['found', 'missing']) assert.ok(links.some((link) => link.state === state), state);
  assert.ok(links.some(({ via }) => via !== null), 'via a material');
  assert.ok(links.some(({ elsewhere }) => elsewhere), 'elsewhere');
  t.diagnostic(`${links.length} references of ${addresses.size} files`);
  // As the user sees them.
  await page.evaluate(() => { location.hash = '#mod/models/everything.p3d&facts'; });
  await page.waitForFunction(() => document.getElementById('title').textContent === 'mod/models/everything.p3d');
  const chosen = page.locator('#file-list [aria-selected=true] .label');
  await eventually(async () => assert.equal(await chosen.innerText(), 'everything.p3d'));
  await tab(page, 'facts');
  await page.locator('#panel-facts tr.found').first().waitFor();
  const own = links.filter(({ path }) => path.endsWith('models/everything.p3d'));
  const rows = page.locator('#panel-facts table', { hasText: 'Named in' }).locator('tbody tr');
  await eventually(async () => assert.equal(await rows.count(), own.length));
  const { target } = own.find((link) => link.target);
  await page.locator('#panel-facts tr.found button', { hasText: target }).first().click();
  await page.waitForFunction((target) => document.getElementById('title').textContent === target, target);
});

on('the images of models are those that refs finds', async (page, t) => {
  const root = aMod('pictures');
  cpSync(at('mod'), join(root, 'mod'), { recursive: true });
  await page.setInputFiles('#folder', root);
  await page.locator('#file-list .label').getByText('pictures', { exact: true }).waitFor();
  const links = refs(root).filter(({ kind, via }) => kind === 'texture' && via === null);
  let found = 0;
  for (const { path, member, name, target } of links) {
    const address = member === null ? path : `${path}!/${member}`;
    // The page shows no images inside these.
    if (!/\.(p3d|b3d)$/.test(address) || target === address) continue;
    const facts = await page.evaluate(async ([address, name]) => {
      const { client, files } = window.meshpeek;
      const [file, ...names] = address.split('!/');
      const { file: number } = files.items.find(({ label }) => label === file);
      const answer = await client.ask(client.handle(number, names), 'image', name, 64);
      return answer?.[0];
    }, [address, name]);
    // A target may be no image.
    if (facts) assert.equal(facts.file, target, `${address} ${name}`);
    if (target?.endsWith('.png')) assert.ok(facts, `${address} ${name} ${target}`);
    found += facts ? 1 : 0;
  }
  assert.ok(found > 5, `${found} images`);
  t.diagnostic(`${found} images of ${links.length} textures`);
});

on('files and folders can be dropped', async (page, t, { context }) => {
  const root = aMod('dropped');
  const session = await context.newCDPSession(page);
  const drop = async (paths) => {
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data: { items: [], files: paths, dragOperationsMask: 1 } });
    }
  };
  await drop([root]);
  await page.locator('#file-list .label').getByText('dropped', { exact: true }).waitFor();
  const labels = await page.evaluate(() => window.meshpeek.files.items.map(({ label }) => label));
  assert.deepEqual(labels.sort(), walkNames(root).map((name) => `dropped/${name}`).sort());
  await drop([at('zip/assets.zip')]);
  await page.waitForFunction(() => document.getElementById('title').textContent === 'assets.zip');
  // Files that a script drops, as other pages and testers do.
  await page.evaluate(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['BB3D\x04\0\0\0\x01\0\0\0'], 'made.b3d'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => document.getElementById('title').textContent === 'made.b3d');
});

on('an address without a file, or with nonsense, does no harm', async (page) => {
  const nonsense = ['#', '#%', '#%E0%A4%A', '#a.b3d@', '#@&&&', '#!/!/!/', '#everything.b3d@nodes/999999&nothing', `#${'x'.repeat(100_000)}`, '#everything.b3d!/x!/y@z', '#__proto__@constructor&arrays'];
  for (const hash of nonsense) await page.evaluate((hash) => { location.hash = hash; }, hash);
  await openFiles(page, [at('b3d/everything.b3d')]);
  for (const hash of nonsense) {
    await goTo(page, hash);
    await answered(page);
  }
  await page.evaluate(() => { location.hash = '#everything.b3d@nodes/0&bytes'; });
  await page.waitForFunction(() => document.querySelector('.detail-pane')?.textContent.includes('nodes/0'));
});

on('an address that cannot be reached is an error in words', async (page) => {
  await page.locator('#message.error', { hasText: 'nowhere.pbo' }).waitFor();
  await openFiles(page, [at('b3d/everything.b3d')]);
  assert.equal(await ready(page), 'true');
}, { url: () => `${server.url}?open=http://127.0.0.1:1/nowhere.pbo`, expected: [/ERR_CONNECTION_REFUSED|ERR_UNSAFE_PORT|Failed to load/] });

on('a file that changes while it is open is an error in words', async (page) => {
  const path = join(folder, 'changes.b3d');
  writeFileSync(path, readFileSync(at('b3d/everything.b3d')));
  await page.setInputFiles('#files', [path, at('paa/dxt1.paa')]);
  await page.locator('#file-list [role=treeitem]', { hasText: 'changes.b3d' }).waitFor();
  writeFileSync(path, 'another content');
  await page.locator('#file-list [role=treeitem] .label', { hasText: 'changes.b3d' }).click();
  await page.locator('#message.error', { hasText: 'changes.b3d' }).waitFor();
  await page.locator('#file-list [role=treeitem] .label', { hasText: 'dxt1.paa' }).click();
  await page.locator('canvas[data-ready="0"]').waitFor();
});

on('strange names are shown and can be opened', async (page) => {
  const model = readFileSync(at('b3d/triangle.b3d'));
  // From right to left, an override, a lone surrogate's bytes, control characters, very long, only slashes.
  const names = ['\u05d0\u05d1\u05d2.b3d', '\u202egpj.b3d', '\x1b[31mred.b3d', `${'long'.repeat(200)}.b3d`, '///.b3d', '..\\..\\up.b3d', 'a#b@c&d?e%20.b3d', '__proto__.b3d'];
  const bytes = names.map((name) => Buffer.from(name)).concat([Buffer.from([0xed, 0xa0, 0x80, 0x2e, 0x62, 0x33, 0x64])]);
  const members = bytes.map((name) => [name.toString('latin1'), model.length]);
  const path = join(folder, 'strange.pbo');
  writeFileSync(path, Buffer.concat([pboHeader(members), ...members.map(() => model)]));
  await openFiles(page, [path]);
  await page.waitForFunction(() => window.meshpeek.files.items[0].children?.length > 0 && window.meshpeek.client.waiting.size === 0);
  const listed = await page.evaluate(async () => {
    const { client, files } = window.meshpeek;
    return (await client.ask(files.handle(files.items[0]), 'members', 0, 100)).members.map(([name]) => name);
  });
  assert.equal(listed.length, members.length);
  for (const name of listed) {
    const hash = `#strange.pbo!/${encodeURIComponent(name)}&facts`;
    await page.evaluate((hash) => { location.hash = hash; }, hash);
    await page.waitForFunction((name) => document.getElementById('title').textContent.replaceAll('\\', '/') === `strange.pbo!/${name}`.replaceAll('\\', '/'), name);
    await page.locator('#panel-facts dl dt').first().waitFor();
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wide, 0);
});
