// Long work on the page's own thread, in steps: between two of them the page answers the user.

/** A longer step is felt. */
const longest = 12;

/** Lets the page answer the user. Timers would wait for milliseconds, so a message is sent instead. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Ends a step when it has been long enough. */
export class Steps {
  private start = performance.now();

  get isLong(): boolean {
    return performance.now() - this.start > longest;
  }

  async next() {
    await pause();
    this.start = performance.now();
  }

  /** Ends the step if it has been long enough. */
  async breathe() {
    if (this.isLong) await this.next();
  }
}

/** Calls a function for each of a list. */
export async function eachInSteps<T>(list: ArrayLike<T>, each: (value: T, index: number) => void): Promise<void> {
  const steps = new Steps();
  for (let index = 0; index < list.length; index++) {
    if (steps.isLong) await steps.next();
    each(list[index], index);
  }
}

/** Sorts a list, which stays as it is. Equal values keep their order. */
export async function sortedInSteps<T>(list: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const steps = new Steps();
  let runs: T[][] = [];
  const length = 2000;
  for (let start = 0; start < list.length; start += length) {
    if (steps.isLong) await steps.next();
    runs.push(list.slice(start, start + length).sort(compare));
  }
  while (runs.length > 1) {
    const joined: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      joined.push(index + 1 < runs.length ? await merged(runs[index], runs[index + 1], compare, steps) : runs[index]);
    }
    runs = joined;
  }
  return runs[0] ?? [];
}

async function merged<T>(one: T[], other: T[], compare: (a: T, b: T) => number, steps: Steps): Promise<T[]> {
  const both: T[] = [];
  let left = 0;
  let right = 0;
  while (left < one.length && right < other.length) {
    if ((both.length & 1023) === 0 && steps.isLong) await steps.next();
    both.push(compare(one[left], other[right]) <= 0 ? one[left++] : other[right++]);
  }
  for (; left < one.length; left++) both.push(one[left]);
  for (; right < other.length; right++) both.push(other[right]);
  return both;
}
