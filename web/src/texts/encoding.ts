// How the bytes of a text become characters.

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1251', 'windows-1252', 'gb18030'] as const;
export type Encoding = (typeof encodings)[number];

/** A text is taken for UTF-8 if at most this share of its other bytes is broken. */
const mostBroken = 0.05;
/** The share of Latin letters, such as spaces and digits, in a text in UTF-16 of any language. */
const someLatin = 0.4;
/** The share of letters with a zero byte on the other side, and the fewest letters that tell. */
const mostOnOtherSide = 0.1;
const fewLetters = 4;

/** The encoding that a beginning is most likely in. */
export function detect(head: Uint8Array<ArrayBuffer>): Encoding {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const wide = looksLikeUtf16(head, someLatin);
  if (wide) return wide;
  // The last character may be cut, which a stream allows.
  const text = new TextDecoder().decode(head, { stream: true });
  const broken = countBroken(text);
  const high = head.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0);
  if (broken <= high * mostBroken) return 'utf-8';
  return isCyrillic(head) ? 'windows-1251' : 'windows-1252';
}

/**
 * A Latin letter in UTF-16 has one zero byte, always on the same side. Returns the order of the bytes if at least this share
 * of the letters is Latin.
 */
export function looksLikeUtf16(head: Uint8Array, share: number): 'utf-16le' | 'utf-16be' | undefined {
  let even = 0;
  let odd = 0;
  head.forEach((byte, index) => {
    if (byte !== 0) return;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  });
  const letters = head.length / 2;
  if (letters < fewLetters) return undefined;
  const few = letters * mostOnOtherSide;
  if (odd > letters * share && even < few) return 'utf-16le';
  if (even > letters * share && odd < few) return 'utf-16be';
  return undefined;
}

/** Cyrillic words are runs of high bytes; in Latin words they stand alone. */
function isCyrillic(head: Uint8Array): boolean {
  let letters = 0;
  let inRuns = 0;
  head.forEach((byte, index) => {
    if (byte < 0xc0) return;
    letters += 1;
    if (head[index - 1] >= 0xc0 || head[index + 1] >= 0xc0) inRuns += 1;
  });
  return inRuns > letters / 2;
}

/** The characters that stand for bytes which are none. */
export function countBroken(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count += 1;
  return count;
}

/** The bytes of the units in which a line ends. */
export function unitBytes(encoding: Encoding): number {
  return encoding.startsWith('utf-16') ? 2 : 1;
}

/** Where the line ends that goes on at an offset: after its newline. -1 if there is none before the end. */
export function afterLine(bytes: Uint8Array, from: number, end: number, encoding: Encoding): number {
  if (unitBytes(encoding) === 1) {
    const at = bytes.indexOf(10, from);
    return at < 0 || at >= end ? -1 : at + 1;
  }
  const [first, second] = encoding === 'utf-16le' ? [10, 0] : [0, 10];
  for (let at = from; at + 1 < end; at += 2) if (bytes[at] === first && bytes[at + 1] === second) return at + 2;
  return -1;
}

/** The first offset from here on at which a character of UTF-8 starts. */
export function atCharacter(bytes: Uint8Array, from: number, encoding: Encoding): number {
  let at = from;
  while (encoding === 'utf-8' && at < from + 3 && (bytes[at] & 0xc0) === 0x80) at += 1;
  return at;
}
