// Addresses as pure functions: what is written is read again, and what is open is found by its ending.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { transformWithOxc } from 'vite';

/** A module of the page that imports nothing. */
async function load(name) {
  const path = fileURLToPath(new URL(`../src/${name}`, import.meta.url));
  const { code } = await transformWithOxc(readFileSync(path, 'utf8'), path);
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

const { decode, encode } = await load('place.ts');
const { fit, mayContain, namesOf } = await load('ending.ts');
const { Filter, kindOf } = await load('filter.ts');

const hostile = [
  'a.b3d', 'mod/a.pbo!/data/tree.p3d', 'a@b.paa', '@', '@@@', 'a@b@c@d', 'a&b', 'a=b', 'a%b', '100%', '%41', '%', '%E0%A4%A', 'a!/b', '!/', 'a!/', 'a#b', 'a?b', 'a+b', ' ', 'a b',
  'lod=1', '&lod=1', 'model', '&facts', '../..', '//', '\\', 'a\\b', '__proto__', '\u05d0\u202e', '\0', '\n', '\u{1f600}', 'é', '"<>\'', 'x'.repeat(30_000), '@'.repeat(3000),
];

test('a place is read as it was written, whatever its names', () => {
  for (const item of hostile) {
    for (const more of [{}, { tab: 'bytes', selector: 'nodes/0' }, { tab: 'model', lod: 3, clip: item, time: 1.5, camera: [1, 2, 3, 0, 0, -0.5] }, { mip: 0 }, { tab: 'bytes', selector: 'nodes/0', range: [64, 16] }, { tab: 'bytes', range: [0, 999_999_999_999_999] }, { tab: 'bytes', selector: item }]) {
      const place = { ...more, item };
      const text = encode(place);
      if (text === '') {
        assert.ok(item.length > 1000, item);
        continue;
      }
      const [first] = decode(text);
      assert.deepEqual(first, place, text.slice(0, 200));
      assert.match(text, /^[\x21-\x7e]*$/, 'only printable ASCII');
    }
  }
});

test('an address stays within what browsers take, and a name of half a character is written', () => {
  assert.equal(encode({ item: 'x'.repeat(100_001) }), '');
  assert.equal(encode({ item: 'я'.repeat(50_000) }), '');
  assert.equal(encode({ item: '' }), '');
  assert.deepEqual(decode(encode({ item: 'a\ud800b' })), [{ item: 'a\ufffdb' }]);
  assert.deepEqual(decode(''), []);
});

test('of an @ that is not encoded both readings are given, and nonsense gives none', () => {
  assert.deepEqual(decode('icon@2x.paa'), [{ tab: 'bytes', item: 'icon', selector: '2x.paa' }, { item: 'icon@2x.paa' }]);
  assert.deepEqual(decode('a@b.pbo!/c.p3d@lods/1').map(({ item, selector }) => [item, selector]), [
    ['a@b.pbo!/c.p3d', 'lods/1'], ['a', 'b.pbo!/c.p3d@lods/1'], ['a@b.pbo!/c.p3d@lods/1', undefined],
  ]);
  for (const text of ['%', '%E0%A4%A', '%@%']) assert.deepEqual(decode(text), [], text);
  assert.ok(decode('@'.repeat(100_000)).length <= 17);
  const wrong = 'a.p3d&lod=x&lod=1e3&time=&time=Infinity&camera=1,2&mip=-1&range=1&range=1,&range=-1,2&range=1e3,2&nothing&__proto__=1';
  const [place] = decode(wrong);
  assert.deepEqual(Object.entries(place).filter(([, value]) => value !== undefined), [['item', 'a.p3d']]);
});

test('an address fits what ends like it: an archive or its unpacked folder, in any case, with both slashes', () => {
  const fits = (wanted, open) => fit(namesOf(wanted), namesOf(open));
  for (const [wanted, open] of [
    ['mod/addons/x.pbo!/data/a.p3d', 'x.pbo!/data/a.p3d'], ['mod/addons/x.pbo!/data/a.p3d', 'addons/x/data/a.p3d'], ['mod/addons/x.pbo!/data/a.p3d', 'data/a.p3d'],
    ['addons/x/data/a.p3d', 'mod/addons/x.pbo!/data\\a.p3d'], ['x.pbo!/data/a.p3d', 'other/place/x/data/a.p3d'], ['MOD\\A.P3D', 'mod/a.p3d'],
    ['mod/a.p3d', 'a.p3d'], ['a.p3d', 'mod/deep/a.p3d'], ['mod/a.p3d', 'mod-copy/a.p3d'], ['outer.zip!/x.pbo!/a.p3d', 'x.pbo!/a.p3d'],
  ]) assert.ok(fits(wanted, open) > 0, `${wanted} in ${open}`);
  for (const [wanted, open] of [
    ['a/x/config.bin', 'other/config.bin'], ['mod/a.p3d', 'mod/b.p3d'], ['mod/a.p3d', 'mod'], ['a.p3d', 'xa.p3d'], ['', 'a.p3d'], ['x.pbo', 'x.zip'],
  ]) assert.equal(fits(wanted, open), 0, `${wanted} in ${open}`);
  assert.ok(fits('mod/x.pbo!/data/a.p3d', 'mod/x.pbo!/data/a.p3d') > fits('mod/x.pbo!/data/a.p3d', 'y.pbo!/data/a.p3d'), 'the longest wins');
  assert.ok(mayContain(namesOf('mod/addons/x.pbo!/data/a.p3d'), namesOf('downloads/X.PBO')));
  assert.ok(!mayContain(namesOf('mod/addons/x.pbo!/data/a.p3d'), namesOf('y.pbo')));
});

test('a filter keeps what has every word and is of the kind', () => {
  const filter = new Filter('Data\\ TREE', 'models');
  const keeps = (path) => filter.keeps(path, kindOf(path));
  assert.ok(keeps('mod/data/big_tree.p3d'));
  assert.ok(!keeps('mod/data/big_tree.paa'));
  assert.ok(!keeps('mod/tree.p3d'));
  assert.deepEqual(['a.p3d', 'b.rvmat', 'c', 'd.__proto__', 'constructor'].map(kindOf), ['models', 'texts', 'other', 'other', 'other']);
  assert.ok(new Filter(' ', 'all').isEmpty);
});
