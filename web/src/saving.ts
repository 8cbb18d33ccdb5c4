// Saves bytes of the file or member that is shown. They are read piece by piece, so that the worker never holds all of them.
import type { Client, Handle } from './client';
import { fileName, save } from './dom';
import { bytesCount, t } from './strings';

const piece = 4 << 20;
/** The most bytes: the browser keeps them until they are on the disk. */
export const mostSaved = 1 << 30;

/** Where the bytes come from that are saved. */
export interface Saved {
  bytes: number;
  read(offset: number, count: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Saves a whole file as it is. */
export async function saveFile(client: Client, handle: Handle, address: string, progress: (done: number, all: number) => void) {
  const { bytes } = await client.ask(handle, 'about');
  const read = (offset: number, count: number) => client.ask(handle, 'bytes', offset, count);
  await saveInPieces(fileName(address, ''), 'application/octet-stream', { bytes, read }, progress);
}

/** Saves all bytes, or none of them if some cannot be read. */
export async function saveInPieces(name: string, type: string, { bytes: size, read }: Saved, progress: (done: number, all: number) => void) {
  if (size > mostSaved) throw new Error(t('fileTooLarge', bytesCount(size), bytesCount(mostSaved)));
  const pieces: Blob[] = [];
  for (let done = 0; done < size; ) {
    const bytes = await read(done, Math.min(piece, size - done));
    if (bytes.length === 0) throw new Error(t('savedTooShort', bytesCount(done), bytesCount(size)));
    // A blob may be kept outside of the memory of the page.
    pieces.push(new Blob([bytes]));
    done += bytes.length;
    progress(done, size);
  }
  save(name, new Blob(pieces), type);
}
