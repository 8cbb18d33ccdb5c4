// Files that are meant to do harm: each opens, or is an error in words, and the page goes on.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

import { at, folder, memory, on, openFiles, ready, shared, tab } from './page.mjs';

on('every hostile file shows its problems or an error in words', async (page, t) => {
  // The program's message for each, as in its own tests.
  const records = readFileSync(at('records.ndjson'), 'utf8').trim().split('\n').map(JSON.parse);
  const hostile = records.filter(({ path, member }) => path.startsWith('hostile/') && member === null);
  let opened = 0;
  for (const { path, verify, format, version, counts } of hostile) {
    await page.setInputFiles('#files', [at(path)]);
    await page.waitForFunction((name) => document.getElementById('title').textContent === name, basename(path));
    await tab(page, 'facts');
    const panel = page.locator('#panel-facts');
    await panel.getByRole('button', { name: 'Check everything' }).click();
    await panel.locator('[data-checked]').waitFor();
    // Problems that are alike are folded.
    const unfold = panel.getByRole('button', { name: /^and [\d,]+ more like this$/ });
    while ((await unfold.count()) > 0) await unfold.first().click();
    const text = await panel.innerText();
    for (const { message } of verify.slice(0, 3)) {
      // The page speaks of its own limits.
      const [words] = message.split(', the limit set for reading');
      assert.ok(text.includes(words), `${path}: ${message}`);
    }
    if (Object.keys(counts).length > 0) {
      opened += 1;
      if (version !== null) assert.ok(text.includes(String(version)), path);
    } else {
      assert.match(await page.locator('#message').innerText(), /\S/, `${path} as ${format}`);
    }
    await tab(page, 'bytes');
    await page.locator('#panel-bytes:not([hidden]) #tree').waitFor();
  }
  t.diagnostic(`${hostile.length} files, of which ${opened} open`);
});

/** One of each kind: the first part of the name, and the format. */
function killers() {
  const kinds = new Map();
  for (const name of readdirSync(join(shared, 'killers')).filter((name) => name.endsWith('.xz')).sort()) {
    const [kind, second] = name.split('_');
    kinds.set(`${kind} ${second.replace(/\d.*/, '')} ${extname(name.slice(0, -3))}`, name);
  }
  return [...kinds.values()];
}

/** The most seconds for the facts of one file, and the most MB of the page. */
const mostSeconds = 60;
const mostMemory = 1000;

on('each kind of killer ends in facts or an error, and the page stays usable', async (page, t) => {
  const names = killers();
  let slowest = [0, ''];
  let largest = [0, ''];
  for (const name of names) {
    const path = join(folder, name.slice(0, -3));
    const out = openSync(path, 'w');
    execFileSync('xz', ['-dc', join(shared, 'killers', name)], { stdio: ['ignore', out, 'inherit'] });
    closeSync(out);
    await page.reload();
    const start = performance.now();
    await page.setInputFiles('#files', [path]);
    const wait = { timeout: mostSeconds * 1000 };
    await page.waitForFunction((name) => document.getElementById('title').textContent === name || document.getElementById('message').classList.contains('error'), basename(path), wait);
    if (await page.locator('#tab-facts').isVisible()) {
      await tab(page, 'facts');
      await page.waitForFunction(() => document.querySelector('#panel-facts dl dt') || document.getElementById('message').classList.contains('error'), null, wait);
      await tab(page, 'bytes');
      await page.waitForFunction(() => document.querySelector('#tree [role=treeitem]') || document.getElementById('message').classList.contains('error'), null, wait);
    } else {
      assert.match(await page.locator('#message').innerText(), /\S/, name);
    }
    const seconds = (performance.now() - start) / 1000;
    const used = await memory();
    if (seconds > slowest[0]) slowest = [seconds, name];
    if (used > largest[0]) largest = [used, name];
    assert.ok(used < mostMemory, `${name}: ${used} MB`);
  }
  await openFiles(page, [at('b3d/everything.b3d')]);
  await page.waitForFunction(() => document.getElementById('title').textContent === 'everything.b3d');
  assert.equal(await ready(page), 'true');
  t.diagnostic(`${names.length} files; slowest ${slowest[1]} in ${slowest[0].toFixed(1)} s; most memory ${largest[1]} with ${largest[0]} MB`);
}, { skip: !existsSync(join(shared, 'killers')) && `no ${join(shared, 'killers')}`, timeout: 900_000 });
