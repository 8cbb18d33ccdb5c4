// Builds the page into `dist`: the library for wasm, its JavaScript, then the page. `node build.mjs wasm` stops before the page.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const target = 'wasm32-unknown-unknown';
const module = join(here, 'target', target, 'release', 'meshpeek_web.wasm');
const run = (program, ...args) => {
  // Flags for the linker of this machine do not fit the one for wasm.
  const env = { ...process.env, RUSTFLAGS: '' };
  execFileSync(program, args, { cwd: here, stdio: 'inherit', env, shell: process.platform === 'win32' });
};

run('cargo', 'build', '--locked', '--release', '--target', target, '-p', 'meshpeek-web');
mkdirSync(join(here, 'pkg'), { recursive: true });
run('cargo', 'run', '--locked', '--quiet', '-p', 'bindgen', '--', module, join(here, 'pkg'));
if (process.argv[2] !== 'wasm') {
  if (!existsSync(join(here, 'node_modules'))) run('npm', 'ci');
  run('npx', '--no-install', 'tsc', '--noEmit');
  run('npx', '--no-install', 'vite', 'build');
}
