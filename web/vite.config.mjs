import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { defineConfig } from 'vite';

// The service worker keeps every file of the page, under a name that changes with them.
const offline = {
  name: 'offline',
  generateBundle(_, bundle) {
    const hash = createHash('sha256');
    for (const file of Object.values(bundle)) hash.update(file.fileName).update(file.code ?? file.source);
    const files = ['./', './icon.svg', ...Object.keys(bundle).filter((name) => name !== 'index.html').map((name) => `./${name}`)];
    const source = readFileSync(new URL('src/sw.js', import.meta.url), 'utf8')
      .replace('VERSION', hash.digest('hex').slice(0, 16))
      .replace('[/* FILES */]', JSON.stringify(files));
    this.emitFile({ type: 'asset', fileName: 'sw.js', source });
  },
};

export default defineConfig({
  base: './',
  plugins: [offline],
  worker: { format: 'es' },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1000 },
});
