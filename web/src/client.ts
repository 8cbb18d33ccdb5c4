// The worker as seen from the page: calls with answers, a restart after a failure, and cancelling.
import { type Answer, type Arguments, type Calls, type Controls, readAnswer, type Request, type Response, type Source } from './protocol';
import { Steps } from './steps';

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

/** Files are made known to a worker this many at once: a message of that many takes about a millisecond. */
const sourcesAtOnce = 100;

export class Client {
  /** Called with the number of calls under way. */
  onbusy: (count: number) => void = () => {};
  /** Called during long work with how much of it is done. */
  onprogress: (done: number, all: number) => void = () => {};
  private worker: Worker | undefined;
  private run = 0;
  private next = 0;
  private waiting = new Map<number, Waiting>();
  /** How many of the files the worker knows. */
  private known = 0;
  private introducing: Promise<void> | undefined;

  /** Two clients may share their files: each has a worker of its own. A file that was closed is null, so that the numbers of others stay. */
  constructor(readonly sources: (Source | null)[] = []) {}

  /** Starts the worker, which fetches the library. */
  start(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.worker = worker;
    this.run += 1;
    this.known = 0;
    this.introducing = undefined;
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
    return worker;
  }

  /** Which worker gets the next call: another number after a restart. */
  get generation(): number {
    return this.worker ? this.run : this.run + 1;
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

  /** A call about the session. */
  async call<M extends keyof Controls>(method: M, ...args: Arguments<Controls[M]>): Promise<Answer<Controls[M]>> {
    return readAnswer(method, await this.post(method, args)) as Answer<Controls[M]>;
  }

  private async post(method: string, args: unknown[]): Promise<unknown> {
    const worker = this.start();
    const id = this.next++;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.onbusy(this.waiting.size);
    while (worker === this.worker && this.known < this.sources.length) await this.introduce(worker);
    // A worker that was stopped meanwhile has refused the call.
    if (worker === this.worker) worker.postMessage({ id, method, args } satisfies Request);
    return answer;
  }

  /** Makes the worker know the files that were added since it was last asked: once for all who ask at that time. */
  private introduce(worker: Worker): Promise<void> {
    if (!this.introducing) {
      const introducing = this.sendSources(worker).finally(() => {
        if (this.introducing === introducing) this.introducing = undefined;
      });
      this.introducing = introducing;
    }
    return this.introducing;
  }

  private async sendSources(worker: Worker) {
    const steps = new Steps();
    while (worker === this.worker && this.known < this.sources.length) {
      const some = this.sources.slice(this.known, this.known + sourcesAtOnce);
      this.known += some.length;
      worker.postMessage({ id: -1, method: 'addSources', args: [some] } satisfies Request);
      if (steps.isLong) await steps.next();
    }
  }

  /** Adds files. Returns the number of the first. */
  add(sources: Source[]): number {
    const first = this.sources.length;
    for (const source of sources) this.sources.push(source);
    this.start();
    return first;
  }

  /** Forgets files that the user closed. All clients with these files are told. */
  remove(files: number[], others: Client[] = []) {
    for (const file of files) this.sources[file] = null;
    for (const client of [this, ...others]) {
      const known = files.filter((file) => file < client.known);
      if (client.worker && known.length > 0) void client.call('remove_files', Uint32Array.from(known)).catch(() => {});
    }
  }

  /** True if only one file is open: nothing around it could be missing. */
  get isAlone(): boolean {
    let open = 0;
    for (const source of this.sources) {
      if (source) open += 1;
      if (open > 1) return false;
    }
    return open === 1;
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
    let node = await this.call('open', file);
    for (const step of path) {
      const inner = await (typeof step === 'number' ? this.call('open_member', node, step) : this.call('open_named', node, step));
      await this.call('close', node);
      node = inner;
    }
    return node;
  }

  /** Forgets a handle, and its memory in the worker. */
  forget(handle: Handle) {
    const { node, run } = handle;
    handle.node = undefined;
    if (node && run === this.generation) node.then((number) => this.call('close', number)).catch(() => {});
  }

  /** A call about a file or member. */
  async ask<M extends keyof Calls>(handle: Handle, method: M, ...args: Arguments<Calls[M]>): Promise<Answer<Calls[M]>> {
    return readAnswer(method, await this.raw(handle, method, ...args)) as Answer<Calls[M]>;
  }

  /** The answer as it comes from the library, JSON as text. */
  async raw<M extends keyof Calls>(handle: Handle, method: M, ...args: Arguments<Calls[M]>): Promise<unknown> {
    return this.post(method, [await this.node(handle), ...args]);
  }
}
