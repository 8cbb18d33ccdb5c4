// Work that ends after it was asked for, of which only the newest counts.

/** Why work was given up: something newer took its place, or nobody looks at its result any more. */
export class Outdated extends Error {
  constructor() {
    super('outdated');
  }
}

/**
 * A place on the screen that shows the result of asynchronous work. A run ends every run before it, so an answer that comes
 * late is dropped instead of drawn over a newer one.
 *
 *     private readonly drawn = new Latest(context.failed);
 *     ...
 *     this.drawn.run(async (current) => {
 *       const bytes = await current(client.ask(handle, 'mip', index));
 *       this.paint(bytes);
 *     });
 */
export class Latest {
  private controller = new AbortController();

  constructor(private readonly failed: (error: unknown) => void) {}

  /** Runs work whose every wait goes through `current`, which throws `Outdated` if a newer run has started meanwhile. */
  async run(work: (current: Current, signal: AbortSignal) => Promise<void>): Promise<void> {
    this.controller.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    const current = async <T>(waiting: Promise<T>): Promise<T> => {
      const answer = await waiting.catch((error: unknown) => {
        throw signal.aborted ? new Outdated() : error;
      });
      if (signal.aborted) throw new Outdated();
      return answer;
    };
    try {
      await work(current, signal);
    } catch (error) {
      if (!(error instanceof Outdated)) this.failed(error);
    }
  }

  /** Ends the run under way, and starts no other. */
  stop() {
    this.controller.abort();
  }
}

export type Current = <T>(waiting: Promise<T>) => Promise<T>;
