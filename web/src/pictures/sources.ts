// Where the pixels of a picture come from: the library, or the browser.
import type { Context } from '../panel';
import { grouped, t } from '../strings';
import type { Done, Job } from './decode.worker';
import { headerBytes, mostDecoded, readHeader } from './header';

/** The most pixels that are shown. A larger picture is reduced if the browser can decode it, and else refused. */
export const mostPixels = 1 << 25;
const mostFile = 256 << 20;

export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel. */
  data: Uint8ClampedArray<ArrayBuffer>;
  /** The differences from the file. */
  note?: string;
}

export interface PictureSource {
  /** The sizes of a picture, largest first. */
  levels: { width: number; height: number }[];
  pixels(level: number, signal: AbortSignal): Promise<Pixels>;
}

function isTooLarge({ width, height }: { width: number; height: number }): boolean {
  return width * height > mostPixels;
}

function refuse({ width, height }: { width: number; height: number }): never {
  throw new Error(t('tooManyPixels', grouped(width), grouped(height), grouped(mostPixels)));
}

/** A texture with its mips. */
export async function textureSource({ client, handle }: Context): Promise<PictureSource> {
  const levels = await client.ask(handle, 'mips');
  return {
    levels,
    async pixels(level) {
      if (isTooLarge(levels[level])) refuse(levels[level]);
      const [[width, height], data] = await client.ask(handle, 'mip', level);
      return { width, height, data: new Uint8ClampedArray(data.buffer) };
    },
  };
}

/** A picture that the browser decodes, or that the library does. */
export async function pictureSource(context: Context): Promise<PictureSource> {
  const { client, handle, about } = context;
  const head = await client.ask(handle, 'bytes', 0, headerBytes);
  const header = readHeader(head);
  if (!header) return libraryPicture(context, head);
  return {
    levels: [header],
    async pixels(_, signal) {
      const reduced = { width: header.width, height: header.height };
      let factor = 1;
      for (; isTooLarge(reduced); factor *= 2) {
        reduced.width = Math.ceil(reduced.width / 2);
        reduced.height = Math.ceil(reduced.height / 2);
      }
      if (header.width * header.height > mostDecoded) refuse(header);
      if (about.bytes > mostFile) throw new Error(t('tooLargeFile', grouped(about.bytes), grouped(mostFile)));
      const bytes = await client.ask(handle, 'bytes', 0, about.bytes);
      const done = await decode({ bytes, media: header.media, reduced: factor > 1 ? reduced : undefined }, signal);
      const notes: string[] = [];
      if (factor > 1) notes.push(t('reduced', grouped(header.width), grouped(header.height), factor));
      if (!done.isExact) notes.push(t('notExact'));
      return { ...done, note: notes.join(' ') };
    },
  };
}

/** TGA has its size at a fixed place, and DDS, too. */
function libraryPicture({ client, handle }: Context, head: Uint8Array<ArrayBuffer>): PictureSource {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isDds = head.length >= 20 && view.getUint32(0) === 0x44445320;
  let size = { width: 0, height: 0 };
  if (isDds) size = { width: view.getUint32(16, true), height: view.getUint32(12, true) };
  else if (head.length >= 18) size = { width: view.getUint16(12, true), height: view.getUint16(14, true) };
  return {
    levels: [size],
    async pixels() {
      if (isTooLarge(size)) refuse(size);
      const [[width, height], data] = await client.ask(handle, 'picture', mostPixels);
      return { width, height, data: new Uint8ClampedArray(data.buffer) };
    },
  };
}

/** Decodes in a worker, which is ended if nobody waits any more. */
function decode(job: Job, signal: AbortSignal): Promise<Exclude<Done, { error: string }>> {
  return new Promise((resolve, reject) => {
    // The bytes may have come when nobody waited any more.
    signal.throwIfAborted();
    const worker = new Worker(new URL('./decode.worker.ts', import.meta.url), { type: 'module' });
    const fail = (error: Error) => {
      worker.terminate();
      reject(error);
    };
    signal.addEventListener('abort', () => fail(new Error('aborted')));
    worker.onerror = (event) => fail(new Error(event.message || t('notDecoded')));
    worker.onmessage = ({ data }: MessageEvent<Done>) => {
      worker.terminate();
      if ('error' in data) reject(new Error(`${t('notDecoded')} (${data.error})`));
      else resolve(data);
    };
    worker.postMessage(job, [job.bytes.buffer]);
  });
}
