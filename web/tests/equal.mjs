// The page and the program answer alike: `info --json` and `tree --fields --format ndjson`, for every file of the corpus, through the
// calls that the page makes.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { corpus, meshpeek, on, relative, server, shared, walk } from './page.mjs';

const folders = { corpus, shared };

/** The answers of the page about a file, in a worker of its own. */
async function ask(page, name, path, wholeBelow) {
  return page.evaluate(async ([name, path, wholeBelow]) => {
    const { client } = window.meshpeek;
    if (wholeBelow !== undefined) await client.call('wholeBelow', wholeBelow);
    const blob = await (await fetch(path)).blob();
    const handle = client.handle(await client.add([{ name, blob, size: blob.size }]));
    const info = await client.raw(handle, 'info', true);
    const { lines, cut } = await client.ask(handle, 'tree');
    const rows = await client.raw(handle, 'tree_rows', Uint32Array.from({ length: lines }, (_, line) => line));
    const { ranges } = await client.ask(handle, 'about');
    client.forget(handle);
    return { info, rows, lines, cut, ranges };
  }, [name, `${server.url}${path}`, wholeBelow]);
}

/** The list of rows is the lines with commas between them. */
function compare(page, name, cwd) {
  const info = meshpeek(['info', '--json', name], cwd).stdout.toString();
  const facts = info && JSON.parse(info);
  if (facts.unread) {
    // A config that is text. Its fields have no bytes of their own, so only the program shows them.
    const { detail, unread, ...others } = facts;
    assert.deepEqual(JSON.parse(page.info), { ...others, detail: null }, `info of ${name}`);
    return;
  }
  assert.equal(`${page.info}\n`, info, `info of ${name}`);
  const tree = meshpeek(['tree', '--fields', '--format', 'ndjson', name], cwd).stdout.toString().trimEnd();
  assert.equal(page.cut, false, name);
  assert.equal(page.lines, tree ? tree.split('\n').length : 0, `lines of ${name}`);
  assert.equal(page.rows, `[${tree.split('\n').join(',')}]`, `tree of ${name}`);
}

for (const [key, folder] of Object.entries(folders)) {
  const missing = !existsSync(folder) && `no ${folder}`;
  on(`every file of ${key} has the facts and lines of the program`, async (page, t) => {
    const files = walk(folder);
    for (const file of files) {
      const name = relative(folder, file);
      compare(await ask(page, name, `${key}/${name}`), name, folder);
    }
    assert.ok(files.length > 50);
    t.diagnostic(`${files.length} files compared`);
  }, { skip: missing, timeout: 600_000 });
}

on('archives of which only ranges are read have the same facts and lines', async (page, t) => {
  let archives = 0;
  for (const file of walk(folders.corpus).filter((file) => /\.(pbo|zip)$/.test(file) && statSync(file).size > 0)) {
    const name = relative(folders.corpus, file);
    // A new worker, which keeps its limit.
    await page.reload();
    const shown = await ask(page, name, `corpus/${name}`, 0);
    compare(shown, name, folders.corpus);
    archives += shown.ranges ? 1 : 0;
  }
  assert.ok(archives >= 5, `${archives} archives were read by ranges`);
  t.diagnostic(`${archives} archives by ranges`);
});
