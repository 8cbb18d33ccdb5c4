// Installs the package into an empty folder, and compares its answers with those of the program: test.mjs PACKAGE.tgz. With
// MESHPEEK=none, it compares nothing.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const corpus = resolve(dirname(fileURLToPath(import.meta.url)), '../../corpus');
const program = process.env.MESHPEEK ?? resolve(corpus, '../target/debug/meshpeek');
const folder = mkdtempSync(join(tmpdir(), 'meshpeek-npm-'));
try {
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, resolve(process.argv[2])], { stdio: 'inherit' });
  const { open } = await import(pathToFileURL(join(folder, 'node_modules/meshpeek/index.js')).href);
  const files = readdirSync(corpus, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(b3d|bmx|lod|p3d|rtm|paa|pac|pbo|zip|bikey|bisign)$/.test(entry.name))
    .map((entry) => relative(corpus, join(entry.parentPath, entry.name)))
    .sort();
  assert.ok(files.length > 100);
  const compares = program !== 'none';
  assert.ok(!compares || existsSync(program), `no program to compare with: ${program}`);
  let compared = 0;
  for (const name of files) {
    const asset = await open(name, readFileSync(join(corpus, name)));
    assert.equal(asset.about().bytes, readFileSync(join(corpus, name)).length);
    if (compares) {
      const { stdout } = spawnSync(program, ['info', '--json', name], { cwd: corpus, maxBuffer: 1 << 28 });
      assert.deepEqual(asset.info(), JSON.parse(stdout), name);
      compared += 1;
    }
    asset.close();
  }
  assert.equal(compared, compares ? files.length : 0);
  const pbo = await open('props.pbo', readFileSync(join(corpus, 'mod/addons/props.pbo')));
  const members = pbo.members();
  assert.ok(members.length > 0);
  assert.ok(pbo.member(members[0].name).about().bytes >= 0);
  const mill = await open('mill.b3d', readFileSync(join(corpus, 'mod/buildings/mill.b3d')));
  assert.equal(new TextDecoder().decode(mill.glb().bytes.subarray(0, 4)), 'glTF');
  const [first] = mill.arrays();
  const { rows, columns, values } = mill.array(first.selector);
  assert.equal(values.length, rows * columns.length);
  const cut = await open('cut.b3d', readFileSync(join(corpus, 'mod/trees/cut.b3d')));
  assert.ok(cut.verify().problems.some((problem) => problem.code === 'damaged.truncated'));
  console.log(`${files.length} files opened, ${compared} compared with the program`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
