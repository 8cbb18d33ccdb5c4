// The messages between the page and its worker. Each call is listed once, with the kinds of its arguments and of its
// answer; both sides check what they receive, so a mistake is an error with a name and not a strange picture.

export type Source = { name: string; blob?: Blob; url?: string; size: number };
export type Request = { id: number; method: string; args: unknown[] };
export type Response = { id: number; answer?: unknown; error?: string; fatal?: boolean; progress?: [number, number] };

/** A kind of value: how it is recognized and, in an answer, what becomes of it. */
interface Kind<T> {
  read(value: unknown): T;
}

function kind<T>(name: string, is: (value: unknown) => boolean): Kind<T> {
  return {
    read(value) {
      if (!is(value)) throw new TypeError(`${name} expected`);
      return value as T;
    },
  };
}

const number = kind<number>('a number', (value) => typeof value === 'number');
const text = kind<string>('a text', (value) => typeof value === 'string');
const flag = kind<boolean>('true or false', (value) => typeof value === 'boolean');
const bytes = kind<Uint8Array<ArrayBuffer>>('bytes', (value) => value instanceof Uint8Array);
const indices = kind<Uint32Array<ArrayBuffer>>('indices', (value) => value instanceof Uint32Array);
const floats = kind<Float64Array<ArrayBuffer>>('numbers', (value) => value instanceof Float64Array);
const singles = kind<Float32Array<ArrayBuffer>>('numbers', (value) => value instanceof Float32Array);
const nothing = kind<void>('no answer', (value) => value == null);

/** JSON, whose form is that of the program's own records. */
function json<T>(): Kind<T> {
  return { read: (value) => JSON.parse(text.read(value)) as T };
}

/** Facts as JSON, and bytes. */
function withBytes<T>(): Kind<[T, Uint8Array<ArrayBuffer>]> {
  const facts = json<T>();
  return {
    read(value) {
      if (!Array.isArray(value) || value.length !== 2) throw new TypeError('a pair expected');
      return [facts.read(value[0]), bytes.read(value[1])];
    },
  };
}

function orNull<T>(inner: Kind<T>): Kind<T | null> {
  return { read: (value) => (value === null ? null : inner.read(value)) };
}

export interface About {
  address: string;
  name: string;
  format: string | null;
  title: string | null;
  bytes: number;
  archive: boolean;
  ranges: boolean;
  held: number;
  error: { message: string; offset: number | null } | null;
  /** Of a file without a format: empty, text, lfs, image, sound, unknown and so on. */
  other: string | null;
}

/** A part of what `info -v` says. */
export interface Section {
  title: string;
  lines: string[];
}

export interface Members {
  members: [string, number, string][];
  more: boolean;
  problem: string | null;
}

export interface Problem {
  severity: string;
  code: string;
  offset: number | null;
  message: string;
  /** In an archive: the file that has it. */
  member?: string;
}

export interface Info {
  version?: number | null;
  counts?: Record<string, number>;
  bounds?: Record<string, number[]> | null;
  problems?: Problem[];
  /** The fields of the format; only if they were asked for. */
  detail?: Record<string, unknown>;
  [key: string]: unknown;
}

/** The problems that a check found, and counts of what it could not check. */
export interface Verified {
  problems: Problem[];
  cut: boolean;
  members: number;
  skipped: number;
  whole: boolean;
  opened: boolean;
}

/** As `meshpeek refs` prints it. */
export interface Reference {
  /** Null in the state `unread`, as the name. */
  kind: string | null;
  name: string | null;
  state: 'found' | 'missing' | 'procedural' | 'ambiguous' | 'unresolved' | 'unread';
  target: string | null;
  targets?: string[];
  elsewhere?: string[];
  more?: number;
  via: string | null;
  line?: number;
  note: string | null;
}

/** A line of the tree, as `tree --fields --format ndjson` prints it. */
export interface Line {
  depth: number;
  selector: string | null;
  name: string;
  kind: string;
  offset: number | null;
  bytes: number | null;
  type: string | null;
  value: unknown;
  note: string | null;
}

export interface ListedArray {
  selector: string;
  rows: number;
  columns: string[];
  stored: string;
}

export interface Table {
  columns: { name: string; type: string }[];
  rows: number;
}

/** A clip: its length, and its frames per second, as far as the file says. */
export interface Timing {
  name: string;
  seconds: number | null;
  rate: number | null;
}

/** Of the bones that an animation file moves, how many a model has; and those that it lacks, with similar names it has. */
export interface Fit {
  bones: number;
  moved: number;
  fitting: number;
  /** The first of them. */
  missing: [string, string[]][];
  /** True if the animation moves something of the model. */
  plays: boolean;
}

export interface ModelFacts {
  primitives: number;
  unreadable: number;
  /** Triangles as the program counts them, if the level can be read; `drawn` is false if nothing of it can be drawn. */
  lods: { index: number; title: string; triangles: number | null; faces: number | null; drawn: boolean }[];
  /** The finest level of detail that is meant to be seen, else the first. */
  finest: number | null;
  rigs: { bones: [string, number | null][]; clips: Timing[] }[];
  refused: string | null;
  /** As in the pictures that the program draws: directions are those of the camera, strengths those of linear light. */
  light: { lights: { direction: [number, number, number]; strength: number }[]; ambient: number; ground: [number, number, number] };
}

/** The parts that a drawn model lacks. */
export interface Missing {
  empty?: boolean;
  unreadable: number;
  left_out: number;
}

/** A texture that a model names. */
export interface WantedTexture {
  name: string;
  /** True if a missing image would hide little. */
  hides_little: boolean;
  /** True if its black pixels are invisible. */
  is_black_clear: boolean;
}

/** A model as glTF: the textures in the order of its images, if these are single pixels. */
export interface Glb extends Missing {
  textures: WantedTexture[];
}

export type Alpha = 'opaque' | 'mask' | 'blend' | 'add' | 'multiply' | 'image';

/** A draw call. Without a material, all from `material` on is absent. */
export interface Part {
  name: string;
  part: number;
  visible: boolean;
  material?: string;
  /** Linear red, green and blue, and the opacity. */
  color?: [number, number, number, number];
  alpha?: Alpha;
  /** The opacity from which a masked surface is visible. */
  cutoff?: number;
  unlit?: boolean;
  two_sided?: boolean;
  texture?: WantedTexture;
  clamped?: [boolean, boolean];
}

type Floats = Float32Array<ArrayBuffer>;

/** Four bones of each vertex, and their weights. Empty if no bone moves it. */
export interface Mesh extends Part {
  positions: Floats;
  normals: Floats;
  uvs: Floats;
  indices: Uint32Array<ArrayBuffer>;
  joints: Uint16Array<ArrayBuffer>;
  weights: Floats;
}

export interface Meshes extends Missing {
  parts: Mesh[];
}

const meshes: Kind<Meshes> = {
  read(value) {
    if (!Array.isArray(value) || value.length === 0) throw new TypeError('meshes expected');
    const { parts, ...missing } = json<Missing & { parts: Part[] }>().read(value[0]);
    if (value.length !== 1 + 6 * parts.length) throw new TypeError('six arrays for each part expected');
    const whole = parts.map((part, index) => {
      type Arrays = [Floats, Floats, Floats, Uint32Array<ArrayBuffer>, Uint16Array<ArrayBuffer>, Floats];
      const [positions, normals, uvs, indices, joints, weights] = value.slice(1 + 6 * index, 7 + 6 * index) as Arrays;
      return { ...part, positions, normals, uvs, indices, joints, weights };
    });
    return { ...missing, parts: whole };
  },
};

/** Times in seconds, and a value for each. */
export interface Keys {
  times: Floats;
  values: Floats;
}

/** How an animation file moves the skeleton of a model. */
export interface Motion {
  bones: [string, number | null][];
  tracks: { bone: number; positions: Keys; rotations: Keys; scales: Keys }[];
  seconds: number | null;
}

const motion: Kind<Motion> = {
  read(value) {
    if (!Array.isArray(value) || value.length === 0) throw new TypeError('a motion expected');
    const { moving, ...facts } = json<Omit<Motion, 'tracks'> & { moving: number[] }>().read(value[0]);
    if (value.length !== 1 + 6 * moving.length) throw new TypeError('six arrays for each bone expected');
    const tracks = moving.map((bone, index) => {
      const arrays = value.slice(1 + 6 * index, 7 + 6 * index) as Floats[];
      const keys = (at: number): Keys => ({ times: arrays[at], values: arrays[at + 1] });
      return { bone, positions: keys(0), rotations: keys(2), scales: keys(4) };
    });
    return { ...facts, tracks };
  },
};

/** Files and members to choose from, and the number of those that are not listed. */
export interface Named {
  files: { address: string; file: number; path: string[] }[];
  more: number;
}

/** An image as the file of a known type, or as pixels. Neither, if the file cannot be shown. */
export interface ImageFacts {
  /** The file that a texture means, and how it was found: `missing` if it has only the name. */
  file?: string;
  state?: Reference['state'];
  media?: string;
  size?: [number, number];
  /** The larger side of the largest mip. */
  largest?: number;
}

/** The facts of one file in an overview. */
export interface Glance {
  format: string | null;
  archive: boolean;
  /** False for texts, pictures and everything else that is no damaged asset. */
  asset: boolean;
  errors: number;
  warnings: number;
  /** The message of the first error. */
  error: string | null;
  opened: boolean;
}

/** The references of all files of an overview. `unclear` may mean several files, or depend on a macro. */
export interface LinkCounts {
  found: number;
  missing: number;
  unclear: number;
  unread: number;
  /** The first of the missing and unread ones. */
  rows: (Reference & { path: string; member: string | null })[];
}

/** A record of a format: names of a field here and in its document. */
export interface SchemaField {
  record: string;
  field: string;
  document: string | null;
  type: string;
  doc: string;
}

function call<A extends Kind<unknown>[], T>(args: [...A], answer: Kind<T>) {
  return { args, answer };
}

/** Calls about a file or member, whose number in the worker comes before the other arguments. */
export const calls = {
  about: call([], json<About>()),
  members: call([number, number], json<Members | null>()),
  info: call([flag], json<Info>()),
  sections: call([], json<Section[]>()),
  verify: call([], json<Verified>()),
  references: call([], json<Reference[]>()),
  tree: call([], json<{ lines: number; cut: boolean }>()),
  tree_depths: call([], indices),
  tree_offsets: call([], floats),
  tree_bytes: call([], floats),
  tree_kinds: call([], bytes),
  tree_types: call([], bytes),
  tree_rows: call([indices], json<(Line | null)[]>()),
  tree_find: call([text], number),
  has_selector: call([text], flag),
  bytes: call([number, number], bytes),
  search: call([bytes, number, number], number),
  search_all: call([bytes, number, number, number], floats),
  arrays: call([], json<ListedArray[]>()),
  array: call([text], json<Table>()),
  array_rows: call([number, number], floats),
  array_texts: call([number, number], text),
  array_plot: call([number, number], floats),
  array_csv: call([], bytes),
  array_npy: call([], bytes),
  model: call([], json<ModelFacts>()),
  glb: call([text, bytes], withBytes<Glb>()),
  meshes: call([number], meshes),
  motion: call([number], motion),
  fit: call([number], json<Fit>()),
  selections: call([number], json<{ names: [number, string, boolean][]; more: number }>()),
  selection: call([number, number], singles),
  selection_sections: call([number, number], indices),
  image: call([text, number], orNull(withBytes<ImageFacts>())),
  own_image: call([number], withBytes<ImageFacts>()),
  mips: call([], json<{ width: number; height: number }[]>()),
  mip: call([number], withBytes<[number, number]>()),
  picture: call([number], withBytes<[number, number]>()),
  thumbnail: call([number], orNull(withBytes<[number, number]>())),
  config_text: call([], withBytes<{ problem: string | null }>()),
};

/** Calls about the session. */
export const controls = {
  open: call([number], number),
  open_member: call([number, number], number),
  open_named: call([number, text], number),
  close: call([number], nothing),
  png: call([number, number, bytes], bytes),
  schema: call([text], json<SchemaField[]>()),
  named: call([text], json<Named>()),
  addSources: call([kind<(Source | null)[]>('sources', Array.isArray)], nothing),
  fetchSource: call([text, text], kind<Source>('a file', (value) => typeof value === 'object' && value !== null)),
  remove_files: call([indices], nothing),
  overview_begin: call([], nothing),
  overview_add: call([number], json<Glance>()),
  overview_links: call([number], json<LinkCounts>()),
  // For tests: small archives by ranges, too, and every step of the progress.
  wholeBelow: call([number], nothing),
  interval: call([number], nothing),
};

type Called<C> = C extends { args: [...infer A]; answer: Kind<infer T> } ? { args: Values<A>; answer: T } : never;
type Values<A> = { [Index in keyof A]: A[Index] extends Kind<infer T> ? T : never };
export type Arguments<C> = Called<C>['args'];
export type Answer<C> = Called<C>['answer'];
export type Calls = typeof calls;
export type Controls = typeof controls;

/** Reads the answer of a call on the page. */
export function readAnswer(method: keyof Calls | keyof Controls, answer: unknown): unknown {
  const { answer: kind } = method in calls ? calls[method as keyof Calls] : controls[method as keyof Controls];
  try {
    return kind.read(answer);
  } catch (error) {
    throw new Error(`${method}: ${error instanceof Error ? error.message : error} as its answer`);
  }
}

/** Checks a call in the worker: its name, and the number and kinds of its arguments. */
export function checkRequest({ method, args }: Request) {
  const kinds: Kind<unknown>[] = [];
  if (Object.hasOwn(calls, method)) kinds.push(number, ...calls[method as keyof Calls].args);
  else if (Object.hasOwn(controls, method)) kinds.push(...controls[method as keyof Controls].args);
  else throw new Error(`the worker has no ${method}`);
  if (args.length !== kinds.length) throw new Error(`${method}: ${kinds.length} arguments expected, ${args.length} given`);
  kinds.forEach((kind, index) => {
    try {
      kind.read(args[index]);
    } catch (error) {
      throw new Error(`${method}: ${error instanceof Error ? error.message : error} as argument ${index + 1}`);
    }
  });
}
