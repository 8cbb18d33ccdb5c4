// Runs the library. Every call of a session is a message; files are read here, range by range, as the library asks.
import init, { Session } from '../pkg/meshpeek_web.js';
import module from '../pkg/meshpeek_web_bg.wasm?url';
import { checkRequest, type Request, type Response, type Source } from './protocol';

/** Files up to this size are read whole. */
let wholeBelow = 4 << 20;
/** Milliseconds between two messages about progress. */
let interval = 100;

// Of workers only; the types of a page do not have it.
declare const FileReaderSync: { new (): { readAsArrayBuffer(blob: Blob): ArrayBuffer } };

/** By the number of the file. Null once it was closed. */
const sources: (Source | null)[] = [];
const reader = new FileReaderSync();
let session: Session | undefined;
let asked = -1;
let lastReport = 0;

/** Says how much of the call under way is done, a few times per second. */
function progress(done: number, all: number) {
  const now = performance.now();
  if (now - lastReport < interval) return;
  lastReport = now;
  self.postMessage({ id: asked, progress: [done, all] } satisfies Response);
}

function read(file: number, start: number, end: number): Uint8Array {
  const source = sources[file];
  if (!source) throw new Error('this file was closed');
  if (source.blob) {
    try {
      return new Uint8Array(reader.readAsArrayBuffer(source.blob.slice(start, end)));
    } catch (error) {
      // A file that was changed or deleted after it was chosen.
      throw new Error(`${source.name} cannot be read any more; open it again. (${error instanceof Error ? error.message : error})`);
    }
  }
  const request = new XMLHttpRequest();
  request.open('GET', source.url!, false);
  request.responseType = 'arraybuffer';
  request.setRequestHeader('Range', `bytes=${start}-${end - 1}`);
  request.send();
  if (request.status !== 206) throw new Error(`HTTP ${request.status} for bytes ${start} to ${end} of ${source.name}`);
  return new Uint8Array(request.response as ArrayBuffer);
}

/** A file by its address: by ranges if the server has them, else whole. */
async function fetchSource(url: string, name: string): Promise<Source> {
  const head = await fetch(url, { headers: { Range: 'bytes=0-0' } }).catch((error: unknown) => {
    throw new Error(`${url} cannot be reached, or its server does not let this page read it. (${error instanceof Error ? error.message : error})`);
  });
  const range = /\/(\d+)$/.exec(head.headers.get('Content-Range') ?? '');
  if (head.status === 206 && range) {
    await head.body?.cancel();
    return { name, url, size: Number(range[1]) };
  }
  if (!head.ok) throw new Error(`HTTP ${head.status} for ${url}`);
  await head.body?.cancel();
  const whole = await fetch(url);
  if (!whole.ok) throw new Error(`HTTP ${whole.status} for ${url}`);
  const bytes = Number(whole.headers.get('Content-Length'));
  const parts: BlobPart[] = [];
  const reader = whole.body!.getReader();
  for (let done = 0; ; ) {
    const { value } = await reader.read();
    if (!value) break;
    parts.push(value as BlobPart);
    done += value.length;
    progress(done, bytes);
  }
  const blob = new Blob(parts);
  return { name, blob, size: blob.size };
}

/** The module is fetched when the worker starts, before the first question. */
const ready = init({ module_or_path: module });
ready.catch(() => {});

async function handle(request: Request): Promise<unknown> {
  checkRequest(request);
  const { method, args } = request;
  // For tests: small archives by ranges, too, and every step of the progress.
  if (method === 'wholeBelow') {
    wholeBelow = args[0] as number;
    return null;
  }
  if (method === 'interval') {
    interval = args[0] as number;
    return null;
  }
  await ready;
  session ??= new Session(read, progress, wholeBelow);
  if (method === 'fetchSource') return fetchSource(args[0] as string, args[1] as string);
  if (method === 'addSources') {
    for (const source of args[0] as (Source | null)[]) {
      const file = session.add_file(source?.name ?? '', source?.size ?? 0);
      sources.push(source);
      if (!source) session.remove_file(file);
    }
    return null;
  }
  if (method === 'remove_files') {
    for (const file of args[0] as Uint32Array) {
      sources[file] = null;
      session.remove_file(file);
    }
    return null;
  }
  const call = (session as unknown as Record<string, (...args: unknown[]) => unknown>)[method];
  return call.apply(session, args);
}

// One after the other: a session is not asked twice at once.
let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<Request>) => {
  last = last.then(async () => {
    const { id } = data;
    asked = id;
    lastReport = performance.now();
    try {
      self.postMessage({ id, answer: await handle(data) } satisfies Response);
    } catch (error) {
      // After a trap the module is not to be used again.
      const fatal = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
      const message = error instanceof Error ? error.message : String(error);
      self.postMessage({ id, error: message, fatal } satisfies Response);
    }
  });
};
