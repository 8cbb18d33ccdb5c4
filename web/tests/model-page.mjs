// Helpers that the tests of the view of a model share.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answered, eventually, folder, openFiles } from './page.mjs';

/** Writes files into a folder of their own. Returns their paths. */
export function files(name, contents) {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  return Object.entries(contents).map(([file, bytes]) => {
    writeFileSync(join(own, file), bytes);
    return join(own, file);
  });
}

/** Opens files, and shows the one of this name. */
export async function show(page, paths, name = paths[0].split('/').at(-1)) {
  await openFiles(page, paths);
  const isShown = (timeout) => page.waitForFunction((name) => document.getElementById('title').textContent.endsWith(name), name, { timeout });
  if (paths.length === 1) {
    await isShown();
    return;
  }
  // A list that is drawn anew between the press and the release of a button loses the click.
  await answered(page);
  await eventually(async () => {
    await page.locator('#file-list [role=treeitem]', { hasText: name }).first().click();
    await isShown(3000);
  });
}

/** An empty page. */
export async function anew(page) {
  const address = page.url().split('#')[0];
  await page.goto('about:blank');
  await page.goto(address);
}

/** Waits until a model and all its textures are drawn. */
export async function whole(page) {
  await page.locator('#view[data-ready=true]').waitFor();
  await page.locator('.textures[data-state=done]').waitFor({ state: 'attached' });
}

/** The color in the view at a place of it, from 0 to 1. */
export function color(page, x = 0.5, y = 0.5) {
  return page.evaluate(async ([x, y]) => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const view = document.getElementById('view');
    const gl = view.getContext('webgl2');
    const pixel = new Uint8Array(4);
    gl.readPixels(Math.floor(x * view.width), Math.floor((1 - y) * view.height), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel.slice(0, 3)];
  }, [x, y]);
}

/** Unfolds the options of the view, which stay so. */
export const unfold = (page) => page.locator('.more-tools:not([open]) > summary').click();

/** Looks at the model from the front. */
export const front = (distance = 4) => `camera=0,0,${distance},0,0,0`;
export async function goTo(page, hash) {
  await page.evaluate((hash) => { location.hash = hash; }, hash);
  const camera = /camera=([^&]*)/.exec(hash)?.[1];
  if (camera) await page.locator(`#view[data-camera="${camera}"]`).waitFor();
}

/** Drops a file on the middle of an element. */
export function drop(page, selector, name, bytes) {
  return page.evaluate(([selector, name, bytes]) => {
    const target = document.querySelector(selector);
    const box = target.getBoundingClientRect();
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
    const where = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, cancelable: true };
    target.dispatchEvent(new DragEvent('drop', { ...where, dataTransfer }));
  }, [selector, name, [...bytes]]);
}

export const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));
