// Everything can be looked at: texts, pictures and files of other programs; and the facts of assets.
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';

import { serve } from './browser.mjs';
import { made } from './made.mjs';
import { at, browser, download, eventually, folder, meshpeek, memory, on, openFiles, tab } from './page.mjs';

const text = (page) => page.locator('#config-text');
const notes = (page) => page.locator('.notes').innerText();

/** Opens a file, and waits until it is the one that is shown. */
async function show(page, path) {
  await openFiles(page, [path]);
  await page.waitForFunction((name) => document.getElementById('title').textContent === name, basename(path));
}

/**
 * Records the tasks of the page. The answer ends that, and returns the processor time of the longest task in milliseconds: time
 * alone would count what else the machine does.
 */
async function watchTasks(page) {
  // A try before this one may have left its record on.
  await browser.stopTracing().catch(() => {});
  await browser.startTracing(page, { categories: ['toplevel'] });
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const isMain = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`));
    const tasks = traceEvents.filter(({ pid, tid, tdur }) => tdur !== undefined && isMain.has(`${pid} ${tid}`));
    assert.ok(tasks.length > 10, `${tasks.length} tasks were recorded`);
    return Math.round(Math.max(...tasks.map(({ tdur }) => tdur)) / 1000);
  };
}

/** Ends the record of tasks. Fails if one was too long, or if the page takes too much memory. */
async function checkTasks(t, longest, more = '') {
  const used = await memory();
  const task = await longest();
  t.diagnostic(`${more}longest task ${task} ms, memory ${used} MB`);
  assert.ok(task <= mostTask, `a task of ${task} ms`);
  assert.ok(used < mostMemory, `${used} MB`);
}

/** The most milliseconds of a task, and the most MB of the page. */
const mostTask = 200;
const mostMemory = 1000;

on('texts in many encodings are shown, and the encoding can be chosen', async (page) => {
  const words = 'Привет, мир: путь к модели\r\nвторая строка\r\n';
  const cyrillic = Buffer.from([...words].map((letter) => {
    const code = letter.charCodeAt(0);
    return code < 0x80 ? code : code - 0x350;
  }));
  const bigEndian = Buffer.from(words, 'utf16le').swap16();
  const files = {
    'utf8.sqf': [Buffer.from(words), 'utf-8'],
    'marked.txt': [Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(words)]), 'utf-8'],
    'utf16.hpp': [Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(words, 'utf16le')]), 'utf-16le'],
    'big.txt': [Buffer.concat([Buffer.from([0xfe, 0xff]), bigEndian]), 'utf-16be'],
    'russian.sqs': [cyrillic, 'windows-1251'],
    'latin.ini': [Buffer.from('Müller = façade à côté\nname = naïve\n', 'latin1'), 'windows-1252'],
  };
  for (const [name, [bytes, encoding]] of Object.entries(files)) {
    await show(page, made(name, bytes));
    const wanted = encoding === 'windows-1252' ? 'Müller = façade' : 'Привет, мир: путь к модели\nвторая строка';
    await eventually(async () => assert.ok((await text(page).textContent()).startsWith(wanted), `${name}: ${await text(page).textContent()}`));
    assert.equal(await page.getByLabel('Encoding').inputValue(), encoding, name);
    assert.equal(await page.locator('#message').isVisible(), false, name);
  }
  // Chosen by hand.
  await show(page, made('russian2.sqs', cyrillic));
  await page.getByLabel('Encoding').selectOption('windows-1252');
  await eventually(async () => assert.ok((await text(page).textContent()).startsWith('Ïðèâåò')));
});

on('texts have the colors of their language', async (page) => {
  const files = {
    'config.cpp': ['class A { /* of\ntwo lines */ x = 1; };\n', 'comment', '/* of'],
    'init.sqf': ['private _a = 1; // last\nif (isServer) then {};\n', 'comment', '// last'],
    'mod.lua': ['local a = "text" -- note\n', 'string', '"text"'],
    'types.xml': ['<type name="A"><!-- note --></type>\n', 'comment', '<!-- note -->'],
    'mod.json': ['{"name": 12}\n', 'number', '12'],
    'game.ini': ['[part]\nkey = 1 ; note\n', 'meta', '[part]'],
    'skin.rvmat': ['class Stage1 { texture = "a.paa"; };\n', 'string', '"a.paa"'],
  };
  for (const [name, [content, kind, token]] of Object.entries(files)) {
    await show(page, made(name, content));
    await page.locator(`#config-text .token-${kind}`, { hasText: token }).first().waitFor();
    assert.equal(await text(page).textContent(), content, name);
  }
  // A file without a language has no colors, and markup in a text stays text.
  await show(page, made('plain.txt', '<b>class</b> "x"\n'));
  await eventually(async () => assert.equal(await text(page).textContent(), '<b>class</b> "x"\n'));
  assert.equal(await page.locator('#config-text [class^=token]').count(), 0);
});

on('a word of a text is found, also in one of many lines', async (page) => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index} of a text`);
  lines[25_000] = 'The Needle is here';
  await show(page, made('many.txt', lines.join('\n')));
  await page.getByLabel('Find', { exact: true }).fill('needle');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.locator('#config-text [data-line="25000"] .on', { hasText: 'Needle' }).waitFor();
  assert.match(await notes(page), /Lines: 30,000/);
  assert.ok(await page.locator('#config-text .row').count() < 100);
  await page.getByLabel('Find', { exact: true }).fill('no such word');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.locator('#message', { hasText: 'Not found in what is shown.' }).waitFor();
  assert.equal((await download(page, 'Save text')).toString(), lines.join('\n'));
});

on('files of other programs say calmly what they are; only damaged ones are errors', async (page) => {
  const files = {
    'music.ogg': [Buffer.from('OggS\0\x02\0\0\0\0\0\0\0\0'), 'Sound (Ogg)'],
    'tool.exe': [Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0'), 'Program (Windows)'],
    'model.glb': [Buffer.from('glTF\x02\0\0\0\x10\0\0\0'), 'Model of another kind (glTF)'],
    'data.xyz': [Buffer.from([1, 2, 3, 0, 250, 7]), 'Unknown format'],
    'empty.xyz': [Buffer.alloc(0), 'Empty file'],
  };
  for (const [name, [bytes, said]] of Object.entries(files)) {
    await show(page, made(name, bytes));
    const message = page.locator('#message');
    await message.getByText(said).waitFor();
    assert.equal(await message.evaluate((box) => box.classList.contains('error')), false, name);
    assert.ok((await page.locator('#panel-facts').innerText()).includes(said), name);
    await tab(page, 'bytes');
    await page.locator('#panel-bytes #hex').waitFor();
  }
  await show(page, made('cut.p3d', Buffer.from([1, 2, 3, 4, 0, 5])));
  await page.locator('#message.error', { hasText: 'Not opened' }).waitFor();
});

on('only what the user of the program can do is cut from a message', async (page) => {
  const cut = {
    'a normal is (0, -inf, 1)': undefined,
    '“x (-old).pbo” cannot be read any more; open it again.': undefined,
    '“x (-old.pbo” cannot be read any more': undefined,
    '“a, --b.pbo” has no members': undefined,
    'too large; raise --max-decoded': 'too large',
    'an archive (see `meshpeek unpack`)': 'an archive',
    'not glTF; -o model.png draws it': 'not glTF',
    'binary: redirect it, use -o FILE': 'binary: redirect it',
  };
  for (const [said, left] of Object.entries(cut)) assert.equal(await page.evaluate((said) => window.meshpeek.pageWords(said), said), left ?? said);
});

on('a text of which a part cannot be read is not saved', async (page) => {
  await show(page, made('short.txt', 'one\ntwo\n'));
  await eventually(async () => assert.equal(await text(page).textContent(), 'one\ntwo\n'));
  await page.evaluate(() => {
    const { client } = window.meshpeek;
    client.raw = async () => new Uint8Array();
  });
  await page.getByRole('button', { name: 'Save text' }).click();
  await page.locator('#message.error', { hasText: 'Only 0 bytes of 8 bytes could be read, so nothing was saved.' }).waitFor();
});

on('a mip that does not exist is said', async (page) => {
  await show(page, at('paa/dxt5_lzo.paa'));
  await page.evaluate(() => { location.hash = 'dxt5_lzo.paa&texture&mip=99'; });
  await page.locator('#message', { hasText: 'There is no level 99.' }).waitFor();
  await page.locator('canvas[data-ready="0"]').waitFor();
});

/** A PNG of RGBA pixels. */
function png(width, height, pixels) {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const chunk = (type, body) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), body, Buffer.alloc(4)]);
    bytes.writeUInt32BE(body.length);
    let crc = 0xffffffff;
    for (const byte of bytes.subarray(4, -4)) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
    bytes.writeUInt32BE((crc ^ 0xffffffff) >>> 0, bytes.length - 4);
    return bytes;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = [];
  for (let row = 0; row < height; row++) rows.push(Buffer.from([0]), pixels.subarray(row * width * 4, (row + 1) * width * 4));
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]);
}

/** A DDS file of 4 x 4 pixels with these flags of its pixel format, a code of four letters, or bits for a pixel. */
function ddsOf(flags, code, bits) {
  const header = Buffer.alloc(128);
  header.write('DDS ');
  for (const [offset, number] of [[4, 124], [8, 0x1007], [12, 4], [16, 4], [76, 32], [80, flags], [88, bits], [108, 0x1000]]) header.writeUInt32LE(number, offset);
  header.write(code, 84);
  if (bits > 0) {
    // Blue comes first.
    for (const [offset, mask] of [[92, 0xff0000], [96, 0xff00], [100, 0xff], [104, bits === 32 ? 0xff000000 : 0]]) header.writeUInt32LE(mask, offset);
    return Buffer.concat([header, ...Array(16).fill(Buffer.from([0, 0, 255, 255]).subarray(0, bits / 8))]);
  }
  if (code === 'BC4U') return Buffer.concat([header, Buffer.from([255, 255, 0, 0, 0, 0, 0, 0])]);
  const more = Buffer.alloc(20);
  // The format is BC7, the image is flat, and there is one.
  for (const [offset, number] of [[0, 98], [4, 3], [12, 1]]) more.writeUInt32LE(number, offset);
  return Buffer.concat([header, more, bc7Red()]);
}

/** A block in mode 5: seven bits for each of red, green and blue at both ends, and eight for alpha. */
function bc7Red() {
  let block = 0n;
  let at = 0n;
  const put = (number, bits) => {
    block |= BigInt(number) << at;
    at += BigInt(bits);
  };
  put(1 << 5, 6);
  put(0, 2);
  for (const channel of [127, 127, 0, 0, 0, 0]) put(channel, 7);
  for (const alpha of [255, 255]) put(alpha, 8);
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(block & 0xffffffffffffffffn, 0);
  bytes.writeBigUInt64LE(block >> 64n, 8);
  return bytes;
}

/** The pixels of a PNG with rows that have no filter or one that adds the pixel at the left or above. */
function pixelsOf(file) {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const parts = [];
  for (let place = 8; place < file.length; ) {
    const length = file.readUInt32BE(place);
    if (file.toString('latin1', place + 4, place + 8) === 'IDAT') parts.push(file.subarray(place + 8, place + 8 + length));
    place += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const pixels = Buffer.alloc(width * height * 4);
  const stride = width * 4;
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)];
    for (let index = 0; index < stride; index++) {
      const left = index >= 4 ? pixels[row * stride + index - 4] : 0;
      const up = row > 0 ? pixels[(row - 1) * stride + index] : 0;
      const corner = index >= 4 && row > 0 ? pixels[(row - 1) * stride + index - 4] : 0;
      const guess = left + up - corner;
      const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      pixels[row * stride + index] = raw[row * (stride + 1) + 1 + index] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  return { width, height, pixels };
}

function tga(width, height, pixels) {
  const header = Buffer.alloc(18);
  header[2] = 2;
  header.writeUInt16LE(width, 12);
  header.writeUInt16LE(height, 14);
  header.set([32, 0x28], 16);
  return Buffer.concat([header, pixels]);
}

on('pictures of all kinds are shown, with the pixels that they store', async (page) => {
  const pixels = Buffer.from([255, 0, 0, 255, 10, 20, 30, 0, 1, 2, 3, 128, 250, 251, 252, 255]);
  await page.setViewportSize({ width: 1280, height: 900 });
  const value = async (x, y, wide, high) => {
    const box = await page.locator('.picture canvas').boundingBox();
    await page.mouse.move(box.x + ((x + 0.5) * box.width) / wide, box.y + ((y + 0.5) * box.height) / high);
    return page.locator('.pixel').innerText();
  };
  const shown = () => page.locator('.picture canvas[data-ready]').waitFor();
  // Colors of transparent pixels are as stored, too.
  await show(page, made('colors.png', png(2, 2, pixels)));
  await shown();
  assert.equal(await value(1, 0, 2, 2), '1, 0: R 10 G 20 B 30 A 0 #0a141e00');
  assert.equal(await value(0, 1, 2, 2), '0, 1: R 1 G 2 B 3 A 128 #01020380');
  assert.ok(pixelsOf(await download(page, 'Save .png')).pixels.equals(pixels));
  const bgra = Buffer.from(pixels);
  for (let index = 0; index < bgra.length; index += 4) [bgra[index], bgra[index + 2]] = [bgra[index + 2], bgra[index]];
  await show(page, made('colors.tga', tga(2, 2, bgra)));
  await shown();
  assert.equal(await value(1, 0, 2, 2), '1, 0: R 10 G 20 B 30 A 0 #0a141e00');
  const dds = Buffer.alloc(128 + 8);
  dds.write('DDS ');
  for (const [offset, number] of [[4, 124], [8, 0x1007], [12, 4], [16, 4], [76, 32], [80, 4], [108, 0x1000]]) dds.writeUInt32LE(number, offset);
  dds.write('DXT1', 84);
  dds.writeUInt16LE(0xf800, 128);
  await show(page, made('red.dds', dds));
  await shown();
  assert.match(await value(1, 1, 4, 4), /R 255 G 0 B 0 A 255/);
  // Uncompressed forms, and further compressed ones, each of them red.
  const forms = { 'rgb24.dds': [0x40, '', 24], 'rgba32.dds': [0x41, '', 32], 'bc4.dds': [4, 'BC4U', 0], 'bc7.dds': [4, 'DX10', 0] };
  for (const [name, [flags, code, bits]] of Object.entries(forms)) {
    await show(page, made(name, ddsOf(flags, code, bits)));
    await shown();
    assert.match(await value(1, 1, 4, 4), name === 'bc4.dds' ? /R 255 G 255 B 255 A 255/ : /R 255 G 0 B 0 A 255/, name);
  }
  await show(page, made('other.dds', ddsOf(4, 'QQQQ', 0)));
  await page.locator('#panel-picture', { hasText: 'of the kind QQQQ' }).waitFor();
  // Those that only the browser knows, made by it.
  for (const [name, type] of [['made.jpg', 'image/jpeg'], ['made.webp', 'image/webp']]) {
    const file = await page.evaluate(async (type) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 8 });
      canvas.getContext('2d').fillRect(0, 0, 16, 8);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, type));
      return [...new Uint8Array(await blob.arrayBuffer())];
    }, type);
    await show(page, made(name, Buffer.from(file)));
    await shown();
    assert.match(await value(3, 3, 16, 8), /R 0 G 0 B 0 A 255/, name);
  }
  const gif = Buffer.from('R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
  await show(page, made('dot.gif', gif));
  await shown();
  assert.match(await value(0, 0, 1, 1), /R 255 G 0 B 0 A 255/);
  await show(page, at('mod/trees/bark.bmp'));
  await shown();
  assert.equal(await page.locator('#message').isVisible(), false);
});

on('a texture is fitted, zoomed and moved, shows its channels, and keeps its mip in the address', async (page) => {
  const path = at('paa/dxt5_lzo.paa');
  await show(page, path);
  const canvas = page.locator('.picture canvas');
  await page.locator('canvas[data-ready="0"]').waitFor();
  const place = () => canvas.boundingBox();
  const box = await page.locator('.picture').boundingBox();
  const fitted = await place();
  assert.ok(fitted.width <= box.width + 1 && fitted.height <= box.height + 1 && (fitted.width > box.width - 4 || fitted.height > box.height - 4));
  // The wheel zooms around the pointer.
  await page.mouse.move(box.x + 100, box.y + 100);
  const zoomed = async (turn) => {
    const before = await place();
    await page.mouse.wheel(0, turn);
    await eventually(async () => assert.notEqual((await place()).width, before.width));
  };
  await zoomed(-100);
  assert.ok((await place()).width > fitted.width);
  const start = await place();
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 130, { steps: 3 });
  await page.mouse.up();
  await eventually(async () => assert.deepEqual([Math.round((await place()).x - start.x), Math.round((await place()).y - start.y)], [60, 30]));
  await page.locator('.picture').press('ArrowLeft');
  await eventually(async () => assert.equal(Math.round((await place()).x - start.x), 100));
  assert.match(await page.locator('.pixel').innerText(), /R \d+ G \d+/);
  await page.getByRole('button', { name: '1:1' }).click();
  await eventually(async () => assert.equal((await place()).width, 64));
  await page.getByRole('button', { name: 'Fit' }).click();
  await eventually(async () => assert.equal(Math.round((await place()).width), Math.round(fitted.width)));
  // One channel alone is gray, and opaque.
  const pixel = () => canvas.evaluate((canvas) => [...canvas.getContext('2d').getImageData(5, 5, 1, 1).data]);
  const [r, g, b] = (await page.locator('.picture').evaluate((box) => box.focus()), await pixel());
  assert.ok(new Set([r, g, b]).size > 1);
  for (const name of ['R', 'G', 'B']) await page.getByLabel(name, { exact: true }).uncheck();
  await page.locator('canvas[data-channels="0001"]').waitFor();
  const alpha = await pixel();
  assert.deepEqual(alpha.slice(0, 3), [alpha[0], alpha[0], alpha[0]]);
  assert.equal(alpha[3], 255);
  // The mip is a part of the address, and a shared address has it.
  await page.locator('#mip').selectOption('2');
  await page.locator('canvas[data-ready="2"]').waitFor();
  await eventually(async () => assert.match(page.url(), /&mip=2$/));
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await page.setInputFiles('#files', [path]);
  await page.locator('canvas[data-ready="2"]').waitFor();
  assert.equal(await page.locator('#mip').inputValue(), '2');
  const saved = pixelsOf(await download(page, 'Save .png'));
  assert.deepEqual([saved.width, saved.height], [16, 8]);
});

on('the facts have the sections of the program, line by line', async (page) => {
  const files = ['odol/v73.p3d', 'mlod/everything.p3d', 'b3d/everything.b3d', 'lodka/everything.lod', 'bmx/full.bmx', 'paa/dxt5_lzo.paa', 'rtm/v5_packed.rtm', 'rap/everything.bin', 'zip/assets.zip', 'texheaders/everything.bin'];
  for (const file of files) {
    await show(page, at(file));
    await tab(page, 'facts');
    await page.locator('.facts[data-complete]').waitFor();
    await page.locator('.facts summary').evaluateAll((all) => all.forEach((summary) => summary.click()));
    const found = await page.locator('.facts [data-section]').evaluateAll((sections) => sections.map((section) => {
      // The page's own column, of faces, is not the program's.
      const cells = (row) => [...row.cells].filter((cell) => !cell.classList.contains('own'));
      const rows = [...section.querySelectorAll('tbody tr')].map((row) => cells(row).map((cell) => cell.textContent).join(' '));
      const lines = [...section.querySelectorAll('.report > div > div')].map((line) => line.textContent);
      return [section.dataset.section, ...rows, ...lines];
    }));
    const words = (line) => line.trim().replace(/\s+/g, ' ');
    const wanted = [];
    const lines = meshpeek(['info', '-v', at(file)]).stdout.toString().replace(/\x1b\[[\d;]*m/g, '').split('\n').slice(1);
    // The program breaks long lines; their rest is indented further.
    lines.forEach((line, index) => {
      const isTitle = line !== '' && !line.startsWith(' ') && lines[index - 1] === '';
      if (isTitle) wanted.push([line]);
      else if (line !== '' && wanted.length > 0) wanted.at(-1).push(line);
    });
    const own = wanted.filter(([title]) => !title.startsWith('Needs ') && title !== 'Problems');
    assert.deepEqual(found.map(([title]) => title), own.map(([title]) => title), file);
    found.forEach(([title, ...shown], index) => {
      // The head of the table of LODs is in its own words.
      const rest = own[index].slice(title === 'LODs' ? 2 : 1);
      assert.equal(words(shown.join(' ')), words(rest.join(' ')), `${file}: ${title}`);
    });
  }
});

on('the facts of a motion say that it needs a model', async (page) => {
  await show(page, at('rtm/plain.rtm'));
  await tab(page, 'facts');
  await page.locator('.needs-model', { hasText: 'needs a model' }).waitFor();
  await page.locator('[data-section=Bones]', { hasText: 'bone_0' }).waitFor();
});

on('a texture that the model view draws is found in the facts, or listed there as lying elsewhere', async (page) => {
  // The model names textures of another folder; files of these names lie beside it.
  const model = made('everything.p3d', readFileSync(at('mlod/everything.p3d')));
  const texture = readFileSync(at('paa/dxt1.paa'));
  await page.setInputFiles('#files', [model, made('a_co.paa', texture), made('b_co.paa', texture)]);
  await page.locator('#file-list [role=treeitem]', { hasText: 'everything.p3d' }).click();
  await page.waitForFunction(() => document.getElementById('title').textContent.endsWith('everything.p3d'));
  const drawn = await page.evaluate(async () => {
    const { client, files } = window.meshpeek;
    const handle = files.handle(files.items.find(({ label }) => label.endsWith('.p3d')));
    const { parts } = await client.ask(handle, 'meshes', 0);
    const names = [...new Set(parts.map(({ texture }) => texture?.name).filter(Boolean))];
    const found = [];
    for (const name of names) if (await client.ask(handle, 'image', name, 64)) found.push(name);
    return found;
  });
  await tab(page, 'facts');
  await page.locator('.facts[data-complete]').waitFor();
  assert.ok(drawn.length > 0, 'the model view finds a texture');
  for (const name of drawn) {
    const file = name.split('\\').at(-1);
    await page.locator('.facts tr.found, .facts tr.missing', { hasText: name }).locator('button', { hasText: file }).first().waitFor();
  }
});

on('the facts at 360 pixels break no word', async (page) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await show(page, at('odol/v73.p3d'));
  await tab(page, 'facts');
  await page.locator('.facts[data-complete]').waitFor();
  const broken = await page.evaluate(() => {
    const found = [];
    for (const cell of document.querySelectorAll('.facts th, .facts td:not(:has(button))')) {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const word of node.data.matchAll(/[\p{L}\p{N}]{1,14}/gu)) {
          const range = document.createRange();
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          if (range.getClientRects().length > 1) found.push(word[0]);
        }
      }
    }
    return found;
  });
  assert.deepEqual(broken, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
});

on('a text of 100 MB opens at once: only the part that is shown is read', async (page, t) => {
  const path = join(folder, 'huge.sqf');
  const file = openSync(path, 'w');
  const block = Buffer.from(Array.from({ length: 50_000 }, (_, index) => `_value${index} = ${index}; // a line\n`).join(''));
  let bytes = 0;
  for (; bytes < 100 << 20; bytes += block.length) writeSync(file, block);
  closeSync(file);
  const far = await serve({ far: folder });
  try {
    await page.goto(`${far.url}?open=${far.url}far/huge.sqf`);
    const longest = await watchTasks(page);
    await page.locator('#config-text [data-line="3"]', { hasText: '_value3 = 3;' }).waitFor({ timeout: 60_000 });
    assert.match(await notes(page), /Shown: bytes 0x0 to 0x[\da-f]+ of 1\d\d,\d\d\d,\d\d\d bytes/);
    const count = await page.locator('#part option').count();
    assert.equal(count, Math.ceil(bytes / 2 ** 20));
    // The parts join without a gap, and each starts with a line.
    const shown = async () => /0x([\da-f]+) to 0x([\da-f]+)/.exec(await notes(page)).slice(1).map((text) => parseInt(text, 16));
    const [, end] = await shown();
    await page.getByRole('button', { name: 'Next part' }).click();
    await page.locator('.config[data-part="1"]').waitFor();
    assert.equal((await shown())[0], end);
    assert.match(await page.locator('#config-text [data-line="0"]').innerText(), /_value\d+ = /);
    await page.locator('#part').selectOption(String(count - 1));
    await page.locator(`.config[data-part="${count - 1}"]`).waitFor();
    assert.equal((await shown())[1], bytes);
    await tab(page, 'facts');
    await page.locator('.facts[data-complete]').waitFor();
    await tab(page, 'bytes');
    await page.locator('#hex [data-at="0"]').first().waitFor();
    const read = far.log.filter(({ path, range }) => path.endsWith('huge.sqf') && range).map(({ range }) => /(\d+)-(\d+)/.exec(range)).reduce((sum, [, from, to]) => sum + Number(to) - Number(from) + 1, 0);
    assert.ok(read < 10 << 20, `${read} bytes were read`);
    await checkTasks(t, longest, `${(read / 2 ** 20).toFixed(1)} MB read, `);
  } finally {
    await far.close();
  }
});

on('a line of 50 MB, and broken UTF-8, are shown as far as they can be, and it is said', async (page, t) => {
  const longest = await watchTasks(page);
  await show(page, made('line.lua', Buffer.alloc(50 << 20, 'local x = "y" ')));
  await page.locator('#config-text', { hasText: 'local x' }).waitFor();
  assert.match(await notes(page), /only the first 2,000 characters are shown: 1\./);
  assert.match(await notes(page), /A line is longer than this part/);
  await page.getByRole('button', { name: 'Next part' }).click();
  await page.locator('.config[data-part="1"]').waitFor();
  const letters = Buffer.concat([Buffer.from('Привет '.repeat(200)), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(' конец\n')]);
  await show(page, made('broken.txt', letters));
  await page.locator('.notes', { hasText: 'Bytes that are not valid utf-8, shown as \ufffd: 2.' }).waitFor();
  assert.match(await text(page).textContent(), /Привет \ufffd\ufffd\( конец/);
  await checkTasks(t, longest);
});

on('pictures of 30,000 × 30,000 pixels are refused before they are decoded', async (page, t) => {
  const longest = await watchTasks(page);
  const header = png(1, 1, Buffer.alloc(4));
  header.writeUInt32BE(30_000, 16);
  header.writeUInt32BE(30_000, 20);
  const files = { 'huge.png': header, 'huge.tga': tga(30_000, 30_000, Buffer.alloc(1 << 20)) };
  for (const [name, bytes] of Object.entries(files)) {
    await show(page, made(name, bytes));
    await page.locator('[data-refused]', { hasText: '30,000 × 30,000 pixels' }).waitFor();
    assert.equal(await page.locator('.picture canvas').isVisible(), false);
  }
  // A header that fits, and no pixels behind it.
  await show(page, made('cut.png', png(64, 64, Buffer.alloc(64 * 64 * 4, 9)).subarray(0, 60)));
  await page.locator('[data-refused]', { hasText: 'cannot decode' }).waitFor();
  await show(page, made('cut.tga', tga(100, 100, Buffer.alloc(20))));
  await page.locator('[data-refused]').waitFor();
  await checkTasks(t, longest);
});

on('a large picture is reduced, and it is said', async (page, t) => {
  const longest = await watchTasks(page);
  const [width, height] = [8192, 8192];
  const row = Buffer.alloc(width * height * 4, 120);
  await show(page, made('large.png', png(width, height, row)));
  await page.locator('.picture canvas[data-ready]').waitFor({ timeout: 60_000 });
  assert.match(await notes(page), /8,192 × 8,192 pixels and is shown at 1\/2 of its size/);
  assert.equal(await page.locator('.picture canvas').evaluate((canvas) => canvas.width), 4096);
  await checkTasks(t, longest);
});

on('textures that lie about themselves are messages, and the page goes on', async (page, t) => {
  const longest = await watchTasks(page);
  for (const name of ['paa_huge.paa', 'paa_huge_lzo.paa', 'paa_no_mips.paa', 'paa_lzo_bent.paa', 'paa_short_end.paa']) {
    await show(page, at(`hostile/${name}`));
    await page.locator('.picture canvas[data-ready], .notes[data-refused], #message.error').first().waitFor();
  }
  await show(page, at('paa/dxt1.paa'));
  await page.locator('canvas[data-ready="0"]').waitFor();
  await checkTasks(t, longest);
});
