// Images for textures, decoded in a worker of their own.
import * as three from 'three';

import type { ImageFacts } from '../protocol';
import type { DecodeRequest, DecodeResponse, Opacity } from './decode';

/** An image that can be drawn. */
export interface Picture {
  source: three.Source<ImageBitmap>;
  opacity: Opacity;
  pixels: number;
}

export class Images {
  private worker: Worker | undefined;
  private next = 0;
  private readonly waiting = new Map<number, (answer: DecodeResponse) => void>();

  /** Returns nothing if the bytes are no image that a browser decodes. */
  async decode({ media, size }: ImageFacts, bytes: Uint8Array<ArrayBuffer>, most: number, isBlackClear: boolean): Promise<Picture | undefined> {
    if (!media && !size) return undefined;
    const { bitmap, opacity } = await this.ask({ id: this.next++, bytes, media, size, most, isBlackClear });
    if (!bitmap) return undefined;
    return { source: new three.Source(bitmap), opacity, pixels: bitmap.width * bitmap.height };
  }

  private ask(request: DecodeRequest): Promise<DecodeResponse> {
    this.worker ??= this.start();
    return new Promise((resolve) => {
      this.waiting.set(request.id, resolve);
      this.worker!.postMessage(request, [request.bytes.buffer]);
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./decode.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<DecodeResponse>) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    };
    // An image that takes all memory ends its worker, and no image of its time is there.
    worker.onerror = () => this.close();
    return worker;
  }

  close() {
    this.worker?.terminate();
    this.worker = undefined;
    for (const [id, resolve] of this.waiting) resolve({ id, opacity: 'opaque' });
    this.waiting.clear();
  }
}

export function disposePicture(picture: Picture) {
  picture.source.data.close();
}
