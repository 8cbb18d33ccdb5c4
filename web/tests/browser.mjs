// A browser, and a server of the built page: for the tests, and for the picture of the documents.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

export const web = fileURLToPath(new URL('..', import.meta.url));
export const root = join(web, '..');
export const dist = join(web, 'dist');

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const browserPath = candidates.find((path) => path && existsSync(path));

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

/** Serves the page under `/`, and other folders under their names, with ranges. */
export async function serve(folders = {}) {
  const log = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const name = Object.keys(folders).find((name) => path.startsWith(`/${name}/`));
    const file = name ? join(folders[name], path.slice(name.length + 2)) : join(dist, path === '/' ? 'index.html' : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const headers = { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' };
    const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '');
    const { size } = statSync(file);
    const bytes = (start, end) => {
      const part = Buffer.alloc(Math.max(0, end - start));
      const open = openSync(file);
      readSync(open, part, 0, part.length, start);
      closeSync(open);
      return part;
    };
    log.push({ path, range: request.headers.range });
    if (range) {
      const [start, end] = [Number(range[1]), range[2] ? Math.min(Number(range[2]), size - 1) : size - 1];
      response.writeHead(206, { ...headers, 'Content-Range': `bytes ${start}-${end}/${size}` }).end(bytes(start, end + 1));
    } else {
      response.writeHead(200, headers).end(bytes(0, size));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, log, close: () => new Promise((resolve) => server.close(resolve) && server.closeAllConnections()) };
}

const flags = [
  '--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
];

export const launch = () => chromium.launch({ executablePath: browserPath, args: flags });
