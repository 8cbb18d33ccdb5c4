// Makes the picture of the page for the documents: `npm run build && node picture.mjs`. It needs Chromium, so nothing makes it
// without being asked. The digests of what the picture shows are kept, and `.ci/pictures --check` says when they differ.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { launch, root, serve } from './tests/browser.mjs';

const model = 'corpus/mod/buildings';
const picture = 'docs/pictures/page.png';

const browser = await launch();
const server = await serve();
try {
  const page = await browser.newPage({ locale: 'en', colorScheme: 'light', viewport: { width: 1100, height: 620 } });
  await page.goto(server.url);
  await page.setInputFiles('#files', readdirSync(join(root, model)).map((name) => join(root, model, name)));
  await page.locator('#file-list [role=treeitem]', { hasText: 'mill.b3d' }).click();
  await page.locator('#view[data-ready]').waitFor();
  // A frame with its textures.
  await page.waitForTimeout(1000);
  await page.screenshot({ path: join(root, picture) });
} finally {
  await browser.close();
  await server.close();
}

const files = ['web/index.html', 'web/picture.mjs'];
for (const folder of ['web/src', model]) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const names = entries.map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll('\\', '/'));
  files.push(...names.sort());
}
const lines = files.map((name) => `${createHash('sha256').update(readFileSync(join(root, name))).digest('hex')}  ${name}\n`);
writeFileSync(join(root, '.ci/page.sha256'), lines.join(''));
