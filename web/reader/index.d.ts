/** The facts of a file, without its fields. */
export type About = {
  address: string;
  name: string;
  /** Such as `b3d`; null if it is no asset. */
  format: string | null;
  title: string | null;
  bytes: number;
  archive: boolean;
  /** Why it did not open as an asset. */
  error: { message: string; offset: number | null } | null;
};

/** A problem, as `meshpeek verify` finds it. */
export type Problem = { severity: 'error' | 'warning'; code: string; message: string; offset: number | null; [key: string]: unknown };

export type Verified = {
  problems: Problem[];
  /** Whether there are more problems. */
  cut: boolean;
  /** How many members of an archive were checked, and how many were not. */
  members: number;
  skipped: number;
  whole: boolean;
  opened: boolean;
};

export type Member = { name: string; bytes: number; form: string };

export type ArrayRow = { selector: string; rows: number; columns: string[]; stored: string; offset: number | null; bytes: number };

/** Bytes that are read as they are needed. */
export type Ranges = { size: number; read(start: number, end: number): Uint8Array };

/** Loads the module, once. Without an argument, Node reads the file of the package, and browsers fetch it. */
export function load(module?: URL | Response | BufferSource | WebAssembly.Module): Promise<void>;

/** Opens a file. A file that is no asset opens, too: `about()` says why. */
export function open(name: string, source: Uint8Array | Ranges): Promise<Asset>;

/** A file or a member of an archive. Calls throw an `Error` for what cannot be read. */
export class Asset {
  private constructor();
  about(): About;
  /** The record with `detail`, as `meshpeek info --json` prints it. */
  info(): Record<string, unknown>;
  /** Decodes everything and checks it. */
  verify(): Verified;
  /** The members of an archive; an empty list if it is none. */
  members(): Member[];
  /** Opens a member by its name. */
  member(name: string): Asset;
  bytes(offset: number, count: number): Uint8Array;
  /** The model as binary glTF, and the names of images that are not in it. */
  glb(): { missing: string[]; bytes: Uint8Array };
  arrays(): ArrayRow[];
  /** Decodes an array by its selector: its values, row after row. */
  array(selector: string): { columns: { name: string; type: string }[]; rows: number; values: Float64Array };
  /** Frees its memory. */
  close(): void;
}
