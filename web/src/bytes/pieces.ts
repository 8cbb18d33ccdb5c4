// Bytes of a file, read and kept piece by piece.
import type { Context } from '../panel';

const piece = 4096;
const mostPieces = 512;

export class Pieces {
  private readonly pieces = new Map<number, Uint8Array | null>();

  constructor(private readonly context: Context, private readonly changed: () => void) {}

  /** A byte; nothing until it is read. */
  byte(offset: number): number | undefined {
    const index = Math.floor(offset / piece);
    const bytes = this.pieces.get(index);
    if (bytes === undefined) void this.fetch(index);
    return bytes?.[offset - index * piece];
  }

  private async fetch(index: number) {
    if (this.pieces.size >= mostPieces) this.pieces.delete(this.pieces.keys().next().value!);
    this.pieces.set(index, null);
    try {
      this.pieces.set(index, await this.context.client.ask(this.context.handle, 'bytes', index * piece, piece));
      this.changed();
    } catch (error) {
      this.pieces.delete(index);
      this.context.failed(error);
    }
  }
}
