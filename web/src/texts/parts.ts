// A text of any size, of which one part is read at a time. A part starts and ends with a line, unless a line is longer.
import { afterLine, atCharacter, type Encoding, unitBytes } from './encoding';

/** The bytes of a part, and how far behind it its last line may end. */
const partBytes = 1 << 20;
const lineRest = 64 << 10;

/** Where the bytes of a text come from. */
export interface TextSource {
  bytes: number;
  read(offset: number, count: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface TextPart {
  text: string;
  /** The bytes that are shown. */
  start: number;
  end: number;
  /** The part starts, or ends, inside a line. */
  startsInside: boolean;
  endsInside: boolean;
}

export function partCount(source: TextSource): number {
  return Math.max(1, Math.ceil(source.bytes / partBytes));
}

export async function readPart(source: TextSource, index: number, encoding: Encoding): Promise<TextPart> {
  const unit = unitBytes(encoding);
  const isFirst = index === 0;
  const isLast = index + 1 >= partCount(source);
  // The unit before a part shows whether a line starts there.
  const base = isFirst ? 0 : index * partBytes - unit;
  const ownEnd = (index + 1) * partBytes - unit - base;
  const bytes = await source.read(base, Math.min(source.bytes - base, ownEnd + unit + lineRest));
  const start = isFirst ? { at: 0, isInside: false } : lineFrom(bytes, 0, encoding);
  const end = isLast ? { at: bytes.length, isInside: false } : lineFrom(bytes, ownEnd, encoding);
  const text = new TextDecoder(encoding).decode(bytes.subarray(start.at, end.at));
  return { text, start: base + start.at, end: base + end.at, startsInside: start.isInside, endsInside: end.isInside };
}

/** Where the next line starts; or where the part ends inside a line that is very long. */
function lineFrom(bytes: Uint8Array, from: number, encoding: Encoding): { at: number; isInside: boolean } {
  const unit = unitBytes(encoding);
  const after = afterLine(bytes, from, from + lineRest, encoding);
  if (after >= 0) return { at: after, isInside: false };
  return { at: atCharacter(bytes, from + unit, encoding), isInside: true };
}
