// Draws the chosen channels of a picture, some rows at a time, so that the page stays responsive.
import { el } from '../dom';
import type { Current } from '../latest';
import type { Pixels } from './sources';

/** Red, green, blue, alpha. */
export type Channels = [boolean, boolean, boolean, boolean];

/** The pixels of one step. */
const stepPixels = 1 << 18;

/**
 * Returns a canvas of its own: one that is shown is copied as a whole for each step. On the graphics card, each step would
 * wait for the one before.
 */
export async function drawChannels(pixels: Pixels, channels: Channels, current: Current): Promise<HTMLCanvasElement> {
  const { width, height, data } = pixels;
  const canvas = el('canvas', { role: 'img', width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  const rows = Math.max(1, Math.floor(stepPixels / width));
  for (let top = 0; top < height; top += rows) {
    // The page may do other work between two steps. The room for the canvas alone takes its time, too.
    await current(new Promise((resolve) => setTimeout(resolve)));
    const bottom = Math.min(height, top + rows);
    const band = new Uint8ClampedArray(data.subarray(top * width * 4, bottom * width * 4));
    choose(band, channels);
    context.putImageData(new ImageData(band, width, bottom - top), 0, top);
  }
  return canvas;
}

/** One channel alone is gray. Without alpha, pixels are opaque. */
function choose(band: Uint8ClampedArray, channels: Channels) {
  if (channels.every(Boolean)) return;
  const [red, green, blue, alpha] = channels;
  const chosen = channels.indexOf(true);
  const isOne = channels.filter(Boolean).length === 1;
  for (let at = 0; at < band.length; at += 4) {
    if (isOne) {
      const value = band[at + chosen];
      band[at] = value;
      band[at + 1] = value;
      band[at + 2] = value;
    } else {
      if (!red) band[at] = 0;
      if (!green) band[at + 1] = 0;
      if (!blue) band[at + 2] = 0;
    }
    if (isOne || !alpha) band[at + 3] = 255;
  }
}
