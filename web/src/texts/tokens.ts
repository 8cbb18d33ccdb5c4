// The tokens of a text: for each its start, end and kind, in order.

export const tokenKinds = ['comment', 'keyword', 'string', 'number', 'meta', 'title'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** Longer ones stay plain: a text of odd form could take minutes. */
const mostMilliseconds = 10_000;

/** Finds tokens in a worker, which is ended if nobody waits any more. No tokens if it takes too long. */
export function tokensOf(text: string, language: string, signal: AbortSignal): Promise<Uint32Array> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' });
    const end = (tokens: Uint32Array) => {
      worker.terminate();
      clearTimeout(timer);
      resolve(tokens);
    };
    const none = new Uint32Array();
    const timer = setTimeout(end, mostMilliseconds, none);
    signal.addEventListener('abort', () => end(none));
    worker.onmessage = ({ data }: MessageEvent<Uint32Array>) => end(data);
    // Colors are no reason for an error.
    worker.onerror = () => end(none);
    worker.postMessage({ text, language });
  });
}

/** The index of the first token that ends after this place. */
export function firstToken(tokens: Uint32Array, at: number): number {
  let low = 0;
  let high = tokens.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens[3 * middle + 1] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
