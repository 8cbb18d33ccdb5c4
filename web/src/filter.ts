// Which files of the list are shown: by a part of their name, and by their kind.

export const kinds = ['all', 'models', 'animations', 'textures', 'archives', 'texts', 'other'] as const;
export type FileKind = (typeof kinds)[number];

const endings: Record<Exclude<FileKind, 'all' | 'other'>, string> = {
  models: 'b3d bmx lod p3d', animations: 'rtm bmtr', textures: 'paa pac png jpg jpeg bmp tga dds gif webp', archives: 'pbo zip',
  texts: 'cpp hpp h sqf sqs fsm rvmat cfg bin txt md csv xml json lua conf inc ext bikb sqm',
};

const kindByEnding = new Map<string, FileKind>();
for (const [kind, names] of Object.entries(endings)) for (const name of names.split(' ')) kindByEnding.set(name, kind as FileKind);

/** The kind of a file, by the ending of its name in small letters. */
export function kindOf(name: string): FileKind {
  return kindByEnding.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'other';
}

export class Filter {
  private readonly words: string[];

  /** Each word of the text has to be in the path. */
  constructor(readonly text: string, readonly kind: FileKind) {
    this.words = text.toLowerCase().replaceAll('\\', '/').split(/\s+/).filter((word) => word !== '');
  }

  get isEmpty(): boolean {
    return this.words.length === 0 && this.kind === 'all';
  }

  /** Whether a file is shown: its path is in small letters. */
  keeps(path: string, kind: FileKind): boolean {
    for (const word of this.words) if (!path.includes(word)) return false;
    return this.kind === 'all' || kind === this.kind;
  }
}
