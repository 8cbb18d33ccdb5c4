// The worker as seen from the page: calls with answers, a restart after a failure, and cancelling.
import type { Request, Response, Source } from './worker';

/** A file or member: the way to it. Its number in the worker is found again after a restart. */
export interface Handle {
  file: number;
  /** Names of members, outermost first. */
  path: (string | number)[];
  run: number;
  node?: Promise<number>;
}

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

export class Cancelled extends Error {}

export class Client {
  /** Called with the number of calls under way. */
  onbusy: (count: number) => void = () => {};
  /** Called during long work with how much of it is done. */
  onprogress: (done: number, all: number) => void = () => {};
  readonly sources: Source[] = [];
  private worker: Worker | undefined;
  private run = 0;
  private next = 0;
  private waiting = new Map<number, Waiting>();

  /** Starts the worker, which fetches the library. */
  start(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.worker = worker;
    this.run += 1;
    worker.onmessage = ({ data }: MessageEvent<Response>) => {
      if (data.progress) {
        this.onprogress(...data.progress);
        return;
      }
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      this.onbusy(this.waiting.size);
      if (data.error === undefined) {
        waiting?.resolve(data.answer);
      } else {
        waiting?.reject(new Error(data.error));
        if (data.fatal) this.stop(new Error(data.error));
      }
    };
    worker.onerror = (event) => this.stop(new Error(event.message || 'the worker failed'));
    if (this.sources.length > 0) void this.call('addSources', this.sources).catch(() => {});
    return worker;
  }

  /** Ends the worker. Files stay known, and the next call starts another. */
  private stop(error: Error) {
    this.worker?.terminate();
    this.worker = undefined;
    for (const waiting of this.waiting.values()) waiting.reject(error);
    this.waiting.clear();
    this.onbusy(0);
  }

  cancel() {
    this.stop(new Cancelled('cancelled'));
  }

  call<T>(method: string, ...args: unknown[]): Promise<T> {
    const worker = this.start();
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      worker.postMessage({ id, method, args } satisfies Request);
      this.onbusy(this.waiting.size);
    });
  }

  /** Adds files. Returns the number of the first. */
  async add(sources: Source[]): Promise<number> {
    const first = this.sources.length;
    this.sources.push(...sources);
    if (this.worker) await this.call('addSources', sources);
    else this.start();
    return first;
  }

  async addUrl(url: string, name: string): Promise<number> {
    const { size } = await this.call<{ size: number }>('addUrl', url, name);
    this.sources.push({ name, url, size });
    return this.sources.length - 1;
  }

  handle(file: number, path: (string | number)[] = []): Handle {
    return { file, path, run: -1 };
  }

  /** The number of a handle in the worker. Opens it, and what it lies in, if needed: once for all who ask at that time. */
  node(handle: Handle): Promise<number> {
    this.start();
    if (handle.run !== this.run || !handle.node) {
      handle.run = this.run;
      const opened = this.open(handle);
      handle.node = opened;
      opened.catch(() => {
        if (handle.node === opened) handle.node = undefined;
      });
    }
    return handle.node;
  }

  private async open({ file, path }: Handle): Promise<number> {
    let node = await this.call<number>('open', file);
    for (const step of path) {
      const inner = await this.call<number>(typeof step === 'number' ? 'open_member' : 'open_named', node, step);
      await this.call('close', node);
      node = inner;
    }
    return node;
  }

  /** Forgets a handle, and its memory in the worker. */
  forget(handle: Handle) {
    const { node, run } = handle;
    handle.node = undefined;
    if (node && run === this.run) node.then((number) => this.call('close', number)).catch(() => {});
  }

  async ask<T>(handle: Handle, method: string, ...args: unknown[]): Promise<T> {
    return this.call<T>(method, await this.node(handle), ...args);
  }

  async json<T>(handle: Handle, method: string, ...args: unknown[]): Promise<T> {
    return JSON.parse(await this.ask<string>(handle, method, ...args)) as T;
  }
}
