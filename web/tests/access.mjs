// Keyboard, screen readers, languages, sizes, and a page without a network.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { answered, at, corpus, drawn, eventually, on, openFiles, ready, tab } from './page.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

on('the keyboard alone reaches everything', async (page) => {
  // The browser is told to hand the chooser over, which has to be done before a key opens it.
  const chosen = page.waitForEvent('filechooser');
  await page.locator('#drop-zone').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'skip');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const chooser = await chosen;
  await chooser.setFiles([at('zip/assets.zip')]);
  await page.locator('#file-list [role=treeitem]').nth(1).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
  const tabTo = async (id) => {
    for (let press = 0; press < 60 && (await focused()) !== id; press++) await page.keyboard.press('Tab');
    assert.equal(await focused(), id);
  };
  // Into the archive, and down to a model in it.
  await page.evaluate(() => document.body.focus());
  await tabTo('file-list');
  const current = () => page.evaluate(() => document.querySelector('#file-list [aria-selected=true] .label')?.textContent ?? '');
  for (let step = 0; step < 40 && !(await current()).endsWith('.b3d'); step++) {
    const before = await current();
    await page.keyboard.press('ArrowRight');
    await answered(page);
    if ((await current()) === before) await page.keyboard.press('ArrowDown');
    await drawn(page);
  }
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('title').textContent.endsWith('.b3d'));
  assert.equal(await ready(page), 'true');
  // Every control of every tab is reached, and its focus is seen.
  for (const name of ['model', 'facts', 'bytes', 'arrays']) {
    await tabTo(await page.locator('[role=tab][aria-selected=true]').getAttribute('id'));
    for (let step = 0; step < 6 && (await focused()) !== `tab-${name}`; step++) await page.keyboard.press('ArrowRight');
    await page.locator(`#panel-${name} > div`).first().waitFor();
    await answered(page);
    await page.evaluate(() => {
      window.reached = new Set();
      document.addEventListener('focusin', ({ target }) => window.reached.add(target));
    });
    const wanted = await page.evaluate(() => {
      const all = [...document.querySelectorAll('button, input, select, a[href], [tabindex="0"]')];
      window.wanted = all.filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility());
      return window.wanted.length;
    });
    for (let press = 0; press < wanted + 10; press++) await page.keyboard.press('Tab');
    const left = await page.evaluate(() => window.wanted.filter((element) => !window.reached.has(element)).map((element) => element.outerHTML.slice(0, 120)));
    assert.deepEqual(left, [], name);
    const outline = await page.evaluate(() => {
      document.getElementById('file-list').focus();
      return getComputedStyle(document.querySelector(':focus-visible') ?? document.body).outlineStyle;
    });
    assert.equal(outline, 'solid');
  }
});

for (const colorScheme of ['light', 'dark']) {
  on(`axe finds no serious fault, ${colorScheme}`, async (page) => {
    const check = async (place) => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(serious.map(({ id, nodes }) => [place, id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]), []);
    };
    await page.locator('#drop-zone').waitFor();
    await check('start');
    await openFiles(page, [at('b3d/everything.b3d')]);
    for (const name of ['model', 'facts', 'bytes', 'arrays']) {
      await tab(page, name);
      await answered(page);
      if (name === 'bytes') {
        await page.locator('#hex [data-at="0"]').first().waitFor();
        await page.locator('#hex').press('ArrowDown');
        await answered(page);
      }
      await check(name);
    }
    await openFiles(page, [at('paa/dxt1.paa')]);
    await page.locator('canvas[data-ready="0"]').waitFor();
    await check('texture');
    await page.setInputFiles('#folder', corpus + '/mod');
    await page.locator('#overview[data-done=true] .tile canvas').first().waitFor();
    for (const details of await page.locator('#overview summary').all()) await details.click();
    await check('overview');
    await page.locator('#filter').fill('oak');
    await page.locator('#filtered').waitFor();
    await check('filter');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('#list-more').click();
    await check('narrow');
    await page.evaluate(() => { location.hash = '#elsewhere/gone.p3d'; });
    await page.locator('#awaited').waitFor();
    await check('awaited');
  }, { context: { colorScheme } });
}

on('the page speaks three languages, and keeps the choice', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  for (const [language, facts] of [['ru', 'Сведения'], ['zh', '信息'], ['en', 'Facts']]) {
    await page.locator('#language').selectOption(language);
    await page.locator('#tab-facts', { hasText: facts }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), language);
  }
  await page.locator('#language').selectOption('ru');
  await page.reload();
  assert.equal(await page.locator('#open-files').innerText(), 'Открыть файлы');
});

on('nothing overflows from 360 to 4,000 pixels', async (page) => {
  await openFiles(page, [at('b3d/everything.b3d')]);
  for (const width of [360, 700, 1280, 2560, 4000]) {
    await page.setViewportSize({ width, height: width < 700 ? 740 : 1000 });
    for (const name of ['model', 'facts', 'bytes', 'arrays']) {
      await tab(page, name);
      await answered(page);
      const wide = await page.evaluate(() => [document.documentElement, document.getElementById('main')].map((box) => box.scrollWidth - box.clientWidth));
      assert.deepEqual(wide, [0, 0], `${name} at ${width}`);
    }
  }
});

on('after the first visit the page works without a network', async (page, t, { context }) => {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await caches.keys()).length > 0 && navigator.serviceWorker.controller !== null);
  await context.setOffline(true);
  await page.reload();
  await openFiles(page, [at('b3d/everything.b3d')]);
  assert.equal(await ready(page), 'true');
  await context.setOffline(false);
});

on('the first paint does not wait for the library', async (page, t, { context }) => {
  let asked = 0;
  // The library never comes.
  await context.route('**/*.wasm', () => { asked += 1; });
  await page.reload();
  await page.locator('#welcome-title').waitFor();
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  await page.locator('#open-files').focus();
  await eventually(() => assert.ok(asked > 0, 'the library was asked for'));
}, { context: { serviceWorkers: 'block' } });

on('the policy of the page forbids inline code and other hosts\u2019 code', async (page) => {
  const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
  const [, scripts] = /script-src ([^;]*)/.exec(policy);
  assert.equal(scripts, "'self' 'wasm-unsafe-eval'");
  const run = await page.evaluate(async () => {
    const blocked = new Promise((resolve) => document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve(violatedDirective)));
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return [await blocked, window.ran];
  });
  assert.deepEqual(run, ['script-src-elem', undefined]);
}, { expected: [/Content Security Policy/] });

on('dark and light differ', async (page) => {
  const colors = [];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    colors.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  assert.notEqual(colors[0], colors[1]);
});
