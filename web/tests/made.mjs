// Files that tests make.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { folder } from './page.mjs';

/** Writes a file for a test. Returns its path. */
export function made(name, bytes) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
