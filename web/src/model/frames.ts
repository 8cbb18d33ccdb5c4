// How a clip is divided into frames: by its rate, if the file has one, else by its keys.
import type * as three from 'three';

/** Frames closer to each other than this share of one are one. */
const nearly = 1e-3;
/** Keys closer to each other than this are one. */
const instant = 1e-4;

export interface Frames {
  first: number;
  last: number;
  /** Frames per second, if the file says so. */
  rate?: number;
  /** The number of the frame that is shown at a time. */
  at(time: number): number;
  timeOf(frame: number): number;
  next(time: number): number;
  previous(time: number): number;
}

/** The frames of a clip of this length. A rate is in frames per second; animation files have none, as their time is a share. */
export function framesOf(clip: three.AnimationClip, rate: number | undefined): Frames {
  const isRate = rate !== undefined && Number.isFinite(rate) && rate > 0;
  return isRate ? new Rated(clip.duration, rate) : new Keyed(clip);
}

/** Frames in equal steps from 0 on, as editors count them. */
class Rated implements Frames {
  readonly first = 0;
  readonly last: number;

  constructor(private readonly seconds: number, readonly rate: number) {
    this.last = Math.max(0, Math.round(seconds * rate));
  }

  at(time: number): number {
    return Math.min(Math.floor(time * this.rate + nearly), this.last);
  }

  timeOf(frame: number): number {
    return Math.min(frame / this.rate, this.seconds);
  }

  next(time: number): number {
    const frame = this.at(time) + 1;
    return frame > this.last ? this.first : frame;
  }

  previous(time: number): number {
    const frame = Math.ceil(time * this.rate - nearly) - 1;
    return frame < this.first ? this.last : frame;
  }
}

/** The keys of the track with the most, counted from 1. */
class Keyed implements Frames {
  readonly first = 1;
  readonly last: number;
  private readonly times: ArrayLike<number>;

  constructor(clip: three.AnimationClip) {
    let times: ArrayLike<number> = [];
    for (const track of clip.tracks) if (track.times.length > times.length) times = track.times;
    this.times = times;
    this.last = Math.max(1, times.length);
  }

  at(time: number): number {
    return Math.max(1, this.countUntil(time + instant));
  }

  timeOf(frame: number): number {
    return this.times[frame - 1] ?? 0;
  }

  next(time: number): number {
    const frame = this.countUntil(time + instant) + 1;
    return frame > this.last ? 1 : frame;
  }

  previous(time: number): number {
    const frame = this.countUntil(time - instant);
    return frame < 1 ? this.last : frame;
  }

  /** The number of keys up to a time. */
  private countUntil(time: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
