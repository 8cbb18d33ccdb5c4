// Where the user is: the only state of the page that is kept in its address. Every panel draws itself from it.

export const tabNames = ['model', 'texture', 'picture', 'text', 'facts', 'bytes', 'arrays'] as const;
export type Tab = (typeof tabNames)[number];

export interface Place {
  /** A file and names of members, joined by `!/`. Empty: the overview of all files. */
  item: string;
  /** `undefined`: the first tab of the asset. */
  tab?: Tab;
  /** The part, field or array that is selected. */
  selector?: string;
  /** The bytes that are selected: the offset of the first, and how many. */
  range?: [number, number];
  /** The level of detail, by its number. */
  lod?: number;
  /** The name of the clip that plays, or of the file with the motion. */
  clip?: string;
  /** Seconds since the start of the clip. */
  time?: number;
  /** Three coordinates of the camera and three of what it looks at. */
  camera?: number[];
  /** The level of a texture. */
  mip?: number;
}

/** Browsers refuse addresses of megabytes. */
const longest = 100_000;
/** An address is tried as cut at this many of its `@`. */
const mostCuts = 16;

/** As `encodeURIComponent`, but slashes and `!` stay readable. A name with half a surrogate pair gets U+FFFD there. */
function encodeName(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/');
}

/** Writes a place as the part of an address after `#`. Empty if there is nothing to say, or if it would be too long. */
export function encode(place: Place): string {
  if (!place.item) return '';
  const selector = place.selector ? `@${encodeName(place.selector)}` : '';
  const parts = [`${encodeName(place.item)}${selector}`];
  if (place.tab) parts.push(place.tab);
  if (place.range) parts.push(`range=${place.range.join(',')}`);
  if (place.lod !== undefined) parts.push(`lod=${place.lod}`);
  if (place.clip !== undefined) parts.push(`clip=${encodeName(place.clip)}`);
  if (place.time !== undefined) parts.push(`time=${shortest(place.time)}`);
  if (place.camera) parts.push(`camera=${place.camera.map(shortest).join(',')}`);
  if (place.mip !== undefined) parts.push(`mip=${place.mip}`);
  const text = parts.join('&');
  return text.length > longest ? '' : text;
}

function shortest(number: number): string {
  return String(Number(number.toPrecision(6)));
}

/**
 * Reads the part of an address after `#`. Several places if the address has an `@` that is not encoded: it may belong to a
 * name or start a selector, and only the open files tell. The likeliest is first; none if there is no address.
 */
export function decode(text: string): Place[] {
  const [whole, ...words] = text.split('&');
  const rest = decodeWords(words);
  const places: Place[] = [];
  const cuts = [...whole.matchAll(/@/g)].map(({ index }) => index).slice(-mostCuts);
  for (const cut of cuts.reverse()) {
    const item = decodeName(whole.slice(0, cut));
    const selector = decodeName(whole.slice(cut + 1));
    if (item && selector) places.push({ tab: 'bytes', ...rest, item, selector });
  }
  const item = decodeName(whole);
  if (item) places.push({ ...rest, item });
  return places;
}

function decodeWords(words: string[]): Omit<Place, 'item'> {
  const place: Omit<Place, 'item'> = {};
  for (const word of words) {
    const equals = word.indexOf('=');
    const [name, value] = equals < 0 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)];
    const tab = tabNames.find((tab) => tab === name);
    if (equals < 0 && tab) place.tab = tab;
    if (name === 'range') place.range = decodeRange(value);
    if (name === 'lod') place.lod = decodeIndex(value);
    if (name === 'mip') place.mip = decodeIndex(value);
    if (name === 'time') place.time = decodeNumber(value);
    if (name === 'clip') place.clip = decodeName(value);
    if (name === 'camera') place.camera = decodeCamera(value);
  }
  return place;
}

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decodeIndex(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** An offset and a number of bytes, both in decimal digits. */
function decodeRange(text: string): [number, number] | undefined {
  const numbers = /^(\d{1,15}),(\d{1,15})$/.exec(text);
  return numbers ? [Number(numbers[1]), Number(numbers[2])] : undefined;
}

function decodeNumber(text: string): number | undefined {
  const number = Number(text);
  return text !== '' && Number.isFinite(number) ? number : undefined;
}

function decodeCamera(text: string): number[] | undefined {
  const numbers = text.split(',').map(decodeNumber);
  return numbers.length === 6 && numbers.every((number) => number !== undefined) ? (numbers as number[]) : undefined;
}
