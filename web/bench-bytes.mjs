// Measures the bytes of a file while the wheel turns: `npm run build && node bench-bytes.mjs [FILE]`. Prints the milliseconds of
// processor time for a frame: scripts, styles, layout and painting on the main thread.
import { join } from 'node:path';

import { launch, root, serve } from './tests/browser.mjs';

const path = process.argv[2] ?? join(root, 'corpus/odol/v73.p3d');
const turns = 300;

const browser = await launch();
const server = await serve();
try {
  const page = await browser.newPage({ locale: 'en', viewport: { width: 1280, height: 900 } });
  await page.goto(server.url);
  await page.setInputFiles('#files', path);
  await page.locator('#tab-bytes').click();
  await page.locator('#hex .codes [data-at="0"]').waitFor();
  await page.locator('#tree [role=treeitem]').first().waitFor();
  const box = await page.locator('#hex').boundingBox();
  await page.mouse.move(box.x + 60, box.y + 60);
  await page.evaluate(() => {
    window.frames = 0;
    const count = () => {
      window.frames += 1;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  await browser.startTracing(page, { categories: ['toplevel'] });
  const first = await page.evaluate(() => window.frames);
  for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, turn % 60 < 30 ? 120 : -120);
  const frames = (await page.evaluate(() => window.frames)) - first;
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const main = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid, tdur }) => tdur && name === 'ThreadControllerImpl::RunTask' && main.has(`${pid} ${tid}`));
  const milliseconds = tasks.reduce((sum, { tdur }) => sum + tdur / 1000, 0);
  const longest = Math.max(...tasks.map(({ tdur }) => tdur / 1000));
  console.log(`${frames} frames, ${turns} turns of the wheel: ${(milliseconds / frames).toFixed(2)} ms for a frame, the longest task ${longest.toFixed(1)} ms`);
} finally {
  await browser.close();
  await server.close();
}
