// The bytes as a tool, and the numbers of arrays.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { made } from './made.mjs';
import { at, download, eventually, meshpeek, on, openFiles, shown, tab } from './page.mjs';

/** Opens the bytes of a file. */
async function openBytes(page, path) {
  await openFiles(page, [path]);
  // Another file may be shown until then, and its tab would be pressed.
  await shown(page, basename(path));
  await tab(page, 'bytes');
  await page.locator('#hex .codes [data-at="0"]').waitFor();
  await page.locator('#tree [role=treeitem]').first().waitFor();
}

const cell = (page, at) => page.locator(`#hex .codes [data-at="${at}"]`);
const selected = (page) => page.locator('#selected-bytes').innerText();

async function goTo(page, offset) {
  await page.getByLabel('Go to offset').fill(String(offset));
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  await page.locator(`#hex .codes .caret[data-at="${offset}"]`).waitFor();
}

/** Records every text that the page copies. */
async function recordCopies(page) {
  await page.evaluate(() => {
    window.copied = [];
    navigator.clipboard.writeText = async (text) => void window.copied.push(text);
  });
}

for (const colorScheme of ['light', 'dark']) {
  on(`bytes have the color of what their field holds, with enough contrast, ${colorScheme}`, async (page) => {
    const path = at('b3d/everything.b3d');
    await openBytes(page, path);
    const lines = meshpeek(['tree', '--fields', '--format', 'ndjson', path]).stdout.toString().trim().split('\n').map(JSON.parse);
    const wanted = [['u32', 'number'], ['f32[2]', 'float'], ['text', 'text']];
    let checked = 0;
    for (const [type, color] of wanted) {
      const line = lines.find((line) => line.kind === 'field' && line.bytes > 0 && (type === 'text' ? typeof line.value === 'string' && line.name === 'name' : line.type === type));
      if (!line) continue;
      await goTo(page, line.offset);
      assert.match(await cell(page, line.offset).getAttribute('class'), new RegExp(`is-${color} start on`), `${line.name} ${line.type}`);
      checked += 1;
    }
    assert.ok(checked >= 2, `${checked} kinds were there`);
    const contrasts = await page.evaluate(() => {
      const luminance = (color) => {
        const [r, g, b] = color.match(/\d+/g).slice(0, 3).map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const back = getComputedStyle(document.body).backgroundColor;
      return [...document.querySelectorAll('#hex .codes span, .legend li')].map((element) => {
        const style = getComputedStyle(element);
        const own = style.backgroundColor === 'rgba(0, 0, 0, 0)' ? back : style.backgroundColor;
        const [high, low] = [luminance(style.color), luminance(own)].sort((a, b) => b - a);
        return (high + 0.05) / (low + 0.05);
      });
    });
    assert.ok(Math.min(...contrasts) >= 4.5, `least contrast ${Math.min(...contrasts)}`);
    // Selected bytes differ by more than their color.
    const on = await page.locator('#hex .codes .on').first().evaluate((element) => getComputedStyle(element).textDecorationLine);
    assert.equal(on, 'underline');
    assert.equal(await page.locator('#hex .codes .caret').evaluate((element) => getComputedStyle(element).outlineStyle), 'solid');
  }, { context: { colorScheme } });
}

on('the inspector shows the bytes at the caret as every type, in both byte orders', async (page) => {
  const bytes = Buffer.alloc(64);
  bytes.writeFloatLE(0.1, 0);
  bytes.writeInt16BE(-2, 8);
  bytes.writeBigUInt64LE(0xfedcba9876543210n, 16);
  bytes.writeDoubleBE(-1.5e300, 24);
  bytes.writeUInt16LE(0x3c01, 32);
  bytes.set(Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0]), 40);
  bytes.set(Buffer.from('板\0', 'utf8'), 48);
  await openBytes(page, made('values.dat', bytes));
  const value = (name) => page.locator(`.inspector [data-value="${name}"]`).innerText();
  const shows = async (offset, name, text) => {
    await goTo(page, offset);
    await eventually(async () => assert.equal(await value(name), text, `${name} at ${offset}`));
  };
  await shows(0, 'f32 little', '0.1');
  await shows(8, 'i16 big', '-2');
  await shows(8, 'u16 big', '65534');
  await shows(16, 'u64 little', '18364758544493064720');
  await shows(16, 'i64 little', '-81985529216486896');
  await shows(16, 'i8 little', '16');
  await shows(24, 'f64 big', '-1.5e+300');
  await shows(32, 'f16 little', '1.0009766');
  await shows(40, 'windows-1251', 'Привет');
  await shows(48, 'utf-8', '板');
  // At the end there are too few bytes for most types.
  await shows(63, 'u16 little', '–');
  assert.equal(await value('u8 little'), '0');
});

on('a range is selected with the mouse and with Shift, and its size is shown', async (page) => {
  await openBytes(page, at('b3d/everything.b3d'));
  const first = await cell(page, 4).boundingBox();
  const last = await cell(page, 37).boundingBox();
  await page.mouse.move(first.x + 2, first.y + 8);
  await page.mouse.down();
  await page.mouse.move(last.x + 2, last.y + 8, { steps: 5 });
  await page.mouse.up();
  await eventually(async () => assert.match(await selected(page), /0x4 to 0x25, 34 bytes/));
  assert.equal(await page.locator('#hex .codes .on').count(), 34);
  await page.keyboard.press('Shift+ArrowRight');
  await eventually(async () => assert.match(await selected(page), /0x4 to 0x26, 35 bytes/));
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  await eventually(async () => assert.match(await selected(page), /0x0 to 0x4, 5 bytes/));
  await page.keyboard.press('Control+a');
  await eventually(async () => assert.match(await selected(page), /0x0 to 0x569, 1,386 bytes/));
});

on('the selected bytes are copied as hex and as text, and saved; a limit is said', async (page) => {
  const path = at('b3d/everything.b3d');
  await openBytes(page, path);
  await recordCopies(page);
  await page.locator('#hex').press('Control+Home');
  await cell(page, 0).click();
  await cell(page, 3).click({ modifiers: ['Shift'] });
  await eventually(async () => assert.match(await selected(page), /4 bytes/));
  await page.getByRole('button', { name: 'Copy hex' }).click();
  await page.getByRole('button', { name: 'Copy text' }).click();
  await eventually(async () => assert.deepEqual(await page.evaluate(() => window.copied), ['42 42 33 44', 'BB3D']));
  await page.locator('#hex').press('Control+a');
  assert.ok((await download(page, 'Save bytes')).equals(readFileSync(path)));
  // More than a clipboard should hold.
  await openBytes(page, made('large.dat', Buffer.alloc(3 << 20, 'ab')));
  await page.locator('#hex').press('Control+a');
  await page.getByRole('button', { name: 'Copy text' }).click();
  await page.locator('#message', { hasText: 'Only the first 1,048,576 of 3,145,728 bytes' }).waitFor();
  assert.equal(await page.evaluate(() => window.copied.at(-1).length), 1 << 20);
});

on('the hits of a search are counted and listed, up to a limit that is said', async (page) => {
  const bytes = Buffer.alloc(20 << 20);
  for (const offset of [0, 5000, (16 << 20) - 2, (20 << 20) - 4]) bytes.write('wolf', offset);
  await openBytes(page, made('hits.dat', bytes));
  await page.getByLabel('Search for').fill('wolf');
  await page.getByRole('button', { name: 'List all' }).click();
  await page.locator('#hit-count', { hasText: 'Hits: 4' }).waitFor();
  const offsets = await page.locator('#hits option').evaluateAll((options) => options.map((option) => option.value));
  assert.deepEqual(offsets.map(Number), [0, 5000, (16 << 20) - 2, (20 << 20) - 4]);
  await page.locator('#hits').selectOption('5000');
  await page.locator('#hex .codes .caret[data-at="5000"]').waitFor();
  await eventually(async () => assert.match(await selected(page), /0x1388 to 0x138b, 4 bytes/));
  const counted = async (search, text) => {
    await page.getByLabel('Search for').fill(search);
    await page.locator('[role=search] select').selectOption('hex');
    await page.getByRole('button', { name: 'List all' }).click();
    await page.locator('#hit-count', { hasText: text }).waitFor();
  };
  await openBytes(page, made('many.dat', Buffer.alloc(3000, 'ab')));
  await counted('61 62', 'Hits: 1,500; the first 1,000 are listed.');
  assert.equal(await page.locator('#hits option').count(), 1000);
  await openBytes(page, made('more.dat', Buffer.alloc(200_000, 'a')));
  await counted('61', 'More than 100,000 hits');
  await counted('fe', 'Hits: 0');
  await page.getByRole('button', { name: 'Close the list' }).click();
  await page.locator('#hit-count').waitFor({ state: 'hidden' });
});

on('one goes back and forward between places that were visited', async (page) => {
  await openBytes(page, at('b3d/everything.b3d'));
  await goTo(page, 100);
  await goTo(page, 900);
  await goTo(page, 400);
  const caret = (offset) => page.locator(`#hex .codes .caret[data-at="${offset}"]`).waitFor();
  const back = page.getByRole('button', { name: 'Back' });
  const forward = page.getByRole('button', { name: 'Forward' });
  await back.click();
  await caret(900);
  await back.click();
  await caret(100);
  await forward.click();
  await caret(900);
  // A new place ends the way forward.
  await goTo(page, 200);
  assert.ok(await forward.isDisabled());
  await back.click();
  await caret(900);
});

on('scrolling the bytes uses the same elements again', async (page) => {
  await openBytes(page, made('scrolled.dat', Buffer.alloc(1 << 20, 'scrolled bytes')));
  await page.evaluate(() => {
    window.known = new Set(document.querySelectorAll('#hex .row'));
    window.created = 0;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node.nodeType === 1 && !window.known.has(node)) {
        window.known.add(node);
        window.created += 1;
      }
    }).observe(document.querySelector('#hex'), { childList: true, subtree: true });
  });
  const box = await page.locator('#hex').boundingBox();
  await page.mouse.move(box.x + 50, box.y + 50);
  for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, 260);
  await page.waitForFunction(() => Number(document.querySelector('#hex .row')?.id.slice(1)) > 400);
  const created = await page.evaluate(() => window.created);
  assert.ok(created < 60, `${created} elements were made`);
  // The page shows the bytes of the file.
  const [offset, text] = await page.locator('#hex .row').nth(3).evaluate((row) => [parseInt(row.querySelector('.offset').textContent, 16), row.querySelector('.text').textContent]);
  await eventually(async () => assert.equal(text, Buffer.alloc(1 << 20, 'scrolled bytes').toString('latin1', offset, offset + 16)));
});

on('at 360 pixels the text column of the bytes is in view', async (page) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openBytes(page, at('b3d/everything.b3d'));
  const [right, most, wide] = await page.evaluate(() => {
    const box = document.querySelector('#hex');
    return [document.querySelector('#hex .text span:last-child').getBoundingClientRect().right, box.getBoundingClientRect().left + box.clientWidth, box.scrollWidth - box.clientWidth];
  });
  assert.ok(right <= most, `${right} of ${most}`);
  assert.ok(wide <= 0, `${wide} pixels are out of view`);
});

on('a selector that the file does not have is said', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  await page.evaluate(() => { location.hash = '#everything.b3d@no/such&bytes'; });
  await page.locator('#message', { hasText: 'no/such' }).waitFor();
});

/** Chooses all options of a list, one after the other, without a pause. */
function chooseAll(control) {
  return control.evaluate((control) => {
    for (const { value } of control.options) {
      control.value = value;
      control.dispatchEvent(new Event('change'));
    }
    return control.value;
  });
}

on('of arrays, and of mips, that are chosen one right after the other the last is shown', async (page) => {
  const path = at('b3d/everything.b3d');
  await openFiles(page, [path]);
  await tab(page, 'arrays');
  const control = page.locator('#panel-arrays select').first();
  await control.waitFor();
  const last = await chooseAll(control);
  await page.waitForFunction((selector) => decodeURIComponent(location.hash).includes(`@${selector}&`), last);
  const [head, first] = meshpeek(['dump', path, last, '--format', 'csv']).stdout.toString().split('\n');
  const grid = page.locator('#panel-arrays [role=grid]');
  await eventually(async () => assert.equal((await grid.locator('[role=columnheader]').allInnerTexts()).slice(1).join(','), head));
  await eventually(async () => assert.equal((await grid.locator('[role=row]:not(.head)').first().locator('[role=gridcell]').allInnerTexts()).join(','), first));
  await eventually(async () => assert.ok((await page.locator('#panel-arrays figcaption').innerText()).startsWith(`${head.split(',')[0]}:`)));
  await openFiles(page, [at('paa/dxt5_lzo.paa')]);
  await page.locator('canvas[data-ready="0"]').waitFor();
  const mip = await chooseAll(page.locator('#mip'));
  await page.locator(`canvas[data-ready="${mip}"]`).waitFor();
  await eventually(async () => assert.match(page.url(), new RegExp(`&mip=${mip}$`)));
  assert.equal(await page.locator('.picture canvas').count(), 1);
});

/** A Blitz3D scene whose vertices are these numbers, three each. */
function sceneOf(numbers) {
  const floats = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => floats.writeFloatLE(number, index * 4));
  const chunk = (tag, ...parts) => {
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.write(tag);
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body]);
  };
  const numbersOf = (method, ...values) => {
    const bytes = Buffer.alloc(values.length * 4);
    values.forEach((value, index) => bytes[method](value, index * 4));
    return bytes;
  };
  const vertices = chunk('VRTS', numbersOf('writeInt32LE', 0, 0, 0), floats);
  const node = chunk('NODE', Buffer.from('n\0'), numbersOf('writeFloatLE', 0, 0, 0, 1, 1, 1, 1, 0, 0, 0), chunk('MESH', numbersOf('writeInt32LE', -1), vertices));
  return chunk('BB3D', numbersOf('writeInt32LE', 1), node);
}

on('the numbers of arrays and of their plots are those of the program, digit by digit', async (page) => {
  const numbers = [1e13, 0.1, -0, 16777216, 3.4e38, 1.2e-38, 1e-45, 33554432.5];
  // Numbers at powers of two are the hard ones; and some of any kind.
  for (let power = -149; power < 128; power++) numbers.push(2 ** power, -(2 ** power) * (1 + 2 ** -23));
  let seed = 1;
  while (numbers.length < 2400) {
    seed = (seed * 1103515245 + 12345) % 0x7fffffff;
    numbers.push(new Float32Array(new Uint32Array([seed]).buffer)[0]);
  }
  const path = made('numbers.b3d', sceneOf(numbers.filter(Number.isFinite).slice(0, 2397)));
  await openFiles(page, [path]);
  await tab(page, 'arrays');
  const control = page.locator('#panel-arrays select').first();
  await control.waitFor();
  const selector = await control.inputValue();
  const [head, ...rows] = meshpeek(['dump', path, selector, '--format', 'csv']).stdout.toString().trim().split('\n').map((line) => line.split(','));
  assert.deepEqual(head, ['x', 'y', 'z']);
  const grid = page.locator('#panel-arrays [role=grid]');
  const seen = new Map();
  await grid.press('Home');
  for (let step = 0; step < 400 && seen.size < rows.length; step++) {
    // Numbers come in after their rows.
    await page.waitForFunction(() => [...document.querySelectorAll('#panel-arrays [role=row]:not(.head)')].every((row) => [...row.children].every((cell) => cell.textContent !== '')));
    const shown = await grid.locator('[role=row]:not(.head)').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    for (const [row, ...cells] of shown) if (cells.every((text) => text !== '')) seen.set(Number(row), cells);
    await grid.evaluate((box) => { box.scrollTop += box.clientHeight - 60; });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  }
  assert.equal(seen.size, rows.length);
  rows.forEach((cells, row) => assert.deepEqual(seen.get(row), cells, `row ${row}`));
  // The same numbers, by the page's own rule.
  const least = await page.locator('#panel-arrays figcaption').innerText();
  const column = rows.map(([x]) => x);
  const ends = [column.reduce((a, b) => (Number(b) < Number(a) ? b : a)), column.reduce((a, b) => (Number(b) > Number(a) ? b : a))];
  assert.equal(least, `x: from ${ends[0]} to ${ends[1]}`);
});

on('a typed offset is read as the rows show it, and one after the end is said', async (page) => {
  await openBytes(page, at('b3d/everything.b3d'));
  const box = page.getByLabel('Go to offset');
  assert.equal(await box.getAttribute('placeholder'), '0x10 or 16');
  for (const [typed, offset] of [['0010', 16], ['16', 16], ['0x20', 32], ['00a0', 160], ['0', 0]]) {
    await box.fill(typed);
    await box.press('Enter');
    await page.locator(`#hex .codes .caret[data-at="${offset}"]`).waitFor();
  }
  await box.fill('0x7fffffff');
  await box.press('Enter');
  await page.locator('#message', { hasText: 'Offset 0x7fffffff is outside of this file' }).waitFor();
  assert.equal(await page.locator('#hex .codes .caret').getAttribute('data-at'), '0');
});

on('a damaged file leads to the bytes of its first problem, and problems that are alike are one row', async (page) => {
  const whole = readFileSync(at('odol/purposes.p3d'));
  const path = made('cut.p3d', whole.subarray(0, 900));
  const { problems } = JSON.parse(meshpeek(['info', '--json', path]).stdout);
  const alike = problems.filter(({ message }) => /^lods\[\d+\]: ends after the file$/.test(message));
  assert.ok(alike.length > 10);
  // The overview has to look at it before.
  await openFiles(page, [path, at('b3d/triangle.b3d')]);
  await page.locator('#overview[data-done=true]').waitFor();
  await page.locator('#file-list [role=treeitem]', { hasText: 'cut.p3d' }).click();
  await shown(page, 'cut.p3d');
  const more = page.locator('#message-links button', { hasText: `${problems.length - 1} more in Facts` });
  await more.click();
  const rows = page.locator('#panel-facts tr.error', { hasText: 'ends after the file' });
  await page.getByRole('button', { name: `and ${alike.length - 1} more like this` }).waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByRole('button', { name: `and ${alike.length - 1} more like this` }).click();
  assert.equal(await rows.count(), alike.length);
  const { offset } = problems[0];
  await tab(page, 'bytes');
  await page.locator(`#hex .codes .caret[data-at="${offset}"]`).waitFor();
  await page.locator('#hex').press('Control+Home');
  await page.locator('#message-links button', { hasText: `Show the bytes at 0x${offset.toString(16)}` }).click();
  await page.locator(`#hex .codes .caret[data-at="${offset}"]`).waitFor();
});
