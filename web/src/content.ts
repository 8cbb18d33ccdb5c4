// Recognizes files that do not open as an asset: by their first bytes, then by their names.
import type { Client, Handle } from './client';
import type { Tab } from './place';
import type { About } from './protocol';
import { t } from './strings';
import { looksLikeUtf16 } from './texts/encoding';

/** The first bytes that are looked at. */
const headBytes = 4096;
/** Data of other kinds has zeros, too: what has no ending of a text is one only if it is mostly Latin. */
const mostlyLatin = 0.8;

const groups = ['text', 'picture', 'sound', 'video', 'font', 'archive', 'program', 'document', 'otherModel', 'map', 'empty', 'unknown'] as const;
type Group = (typeof groups)[number];

export interface Content {
  /** `asset`: the library opens it. `damaged`: it should, but does not. */
  is: 'asset' | 'damaged' | Group;
  /** The format, as a name that is the same in all languages. */
  title?: string;
}

const textEndings = /\.(bb|bikb|bisurf|c|cc|cfg|conf|cpp|cs|csv|emat|ext|fsm|fx|fxh|glsl|h|hlsl|hpp|hxx|imageset|inc|ini|json|layout|log|lua|md|meta|mtl|obj|rvmat|sm|sqf|sqm|sqs|styles|surfaces|toml|tr|txt|xml|ya?ml)$/i;
/** Endings of formats that no other program uses for something else. */
const ownEndings = /\.(b3d|bikey|bisign|bmx|p3d|pac|paa|pbo|rtm|zip)$/i;

/** The starts of well-known formats: hexadecimal, and where they start if not at 0. */
const starts: [start: string, at: number, is: Group, title: string][] = [
  ['89504e470d0a1a0a', 0, 'picture', 'PNG'], ['ffd8ff', 0, 'picture', 'JPEG'], ['474946383761', 0, 'picture', 'GIF'], ['474946383961', 0, 'picture', 'GIF'],
  ['57454250', 8, 'picture', 'WebP'], ['44445320', 0, 'picture', 'DDS'],
  ['4f676753', 0, 'sound', 'Ogg'], ['57415645', 8, 'sound', 'WAV'], ['57535330', 0, 'sound', 'WSS'], ['494433', 0, 'sound', 'MP3'], ['fffb', 0, 'sound', 'MP3'], ['664c6143', 0, 'sound', 'FLAC'], ['4d546864', 0, 'sound', 'MIDI'],
  ['66747970', 4, 'video', 'MP4'], ['1a45dfa3', 0, 'video', 'Matroska, WebM'], ['41564920', 8, 'video', 'AVI'],
  ['00010000', 0, 'font', 'TrueType'], ['4f54544f', 0, 'font', 'OpenType'], ['774f4632', 0, 'font', 'WOFF2'], ['774f4646', 0, 'font', 'WOFF'],
  ['377abcaf271c', 0, 'archive', '7z'], ['526172211a07', 0, 'archive', 'RAR'], ['1f8b', 0, 'archive', 'gzip'], ['fd377a585a00', 0, 'archive', 'xz'], ['425a68', 0, 'archive', 'bzip2'], ['28b52ffd', 0, 'archive', 'Zstandard'], ['7573746172', 257, 'archive', 'tar'],
  ['4d5a', 0, 'program', 'Windows'], ['7f454c46', 0, 'program', 'ELF'], ['0061736d', 0, 'program', 'WebAssembly'],
  ['255044462d', 0, 'document', 'PDF'], ['53514c69746520666f726d6174', 0, 'document', 'SQLite'], ['d0cf11e0a1b11ae1', 0, 'document', 'Office'],
  ['676c5446', 0, 'otherModel', 'glTF'], ['4b61796461726120464258', 0, 'otherModel', 'FBX'], ['424c454e444552', 0, 'otherModel', 'Blender'], ['4d4d00', 0, 'otherModel', '3DS'], ['4e656d6f', 0, 'otherModel', 'Virtools'],
  ['4f505257', 0, 'map', 'WRP'], ['38575652', 0, 'map', 'WRP'], ['57565234', 0, 'map', 'WRP'],
];

/** Reads the first bytes of a file that did not open, and says what it is. */
export async function contentOf(client: Client, handle: Handle, about: About): Promise<Content> {
  if (!about.error) return { is: 'asset' };
  return classify(about, await client.ask(handle, 'bytes', 0, headBytes));
}

function classify(about: About, head: Uint8Array): Content {
  if (about.format) return { is: 'damaged' };
  const picture = pictureOf(about, head);
  if (picture) return { is: 'picture', title: picture };
  const known = startOf(head);
  if (known) return known;
  if (about.other === 'text') return { is: 'text' };
  if (about.other === 'lfs' || ownEndings.test(about.name)) return { is: 'damaged' };
  if (head.length === 0) return { is: 'empty' };
  return { is: textEndings.test(about.name) || looksLikeUtf16(head, mostlyLatin) ? 'text' : 'unknown' };
}

function startOf(head: Uint8Array): Content | undefined {
  for (const [start, at, is, title] of starts) {
    const own = head.subarray(at, at + start.length / 2);
    if (Array.from(own, (byte) => byte.toString(16).padStart(2, '0')).join('') === start) return { is, title };
  }
  return undefined;
}

/** BMP and TGA have little or no signature, so more of them has to fit. */
function pictureOf({ name }: About, head: Uint8Array): string | undefined {
  if (head.length < 18) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.getUint16(0) === 0x424d && view.getUint32(6) === 0) return 'BMP';
  const isTga = /\.(tga|icb|vda|vst)$/i.test(name) && head[1] <= 1 && [1, 2, 3, 9, 10, 11].includes(head[2]) && [8, 15, 16, 24, 32].includes(head[16]);
  return isTga ? 'TGA' : undefined;
}

/** The tabs for what is in a file, besides those that every file has. */
export function contentTabs(about: About, { is }: Content): Tab[] {
  if (is === 'picture' || is === 'text') return [is];
  if (is !== 'asset') return [];
  if (about.format === 'paa') return ['texture'];
  return about.format === 'rap' ? ['text'] : [];
}

/** The message for a file that is shown, and whether it is an error. */
export function notice(about: About, content: Content): { text: string; isError: boolean } {
  if (content.is === 'damaged') return { text: t('badFile', about.error!.message), isError: true };
  const isShown = content.is === 'asset' || content.is === 'text' || content.is === 'picture';
  return { text: isShown ? '' : t('onlyBytes', contentTitle(content)), isError: false };
}

/** In words: `sound (Ogg)`. */
export function contentTitle({ is, title }: Content): string {
  const group = is === 'asset' || is === 'damaged' ? t('content_unknown') : t(`content_${is}`);
  return title ? `${group} (${title})` : group;
}
