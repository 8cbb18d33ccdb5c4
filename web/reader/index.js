// The library meshpeek, compiled for wasm: opens bytes, and answers as the program does.
import init, { Session } from './meshpeek_web.js';

const here = new URL('./meshpeek_web_bg.wasm', import.meta.url);
let loading;

/** Loads the module, once. Node reads the file beside this one, browsers fetch it. */
export function load(module) {
  loading ??= (async () => {
    let source = module ?? here;
    if (module === undefined && here.protocol === 'file:') {
      const { readFile } = await import('node:fs/promises');
      source = await readFile(here);
    }
    await init({ module_or_path: source });
  })();
  return loading;
}

/** Opens a file: its name, and its bytes or `{ size, read(start, end) }`, whose `read` returns a `Uint8Array` at once. */
export async function open(name, source) {
  await load();
  const size = source instanceof Uint8Array ? source.length : source.size;
  const read = (_file, start, end) => (source instanceof Uint8Array ? source.subarray(start, end) : source.read(start, end));
  const session = new Session(read, () => {}, 4 << 20);
  return new Asset(session, session.open(session.add_file(name, size)));
}

/** A file or a member of an archive. */
export class Asset {
  #session;
  #node;

  constructor(session, node) {
    this.#session = session;
    this.#node = node;
  }

  about() {
    return JSON.parse(this.#session.about(this.#node));
  }

  info() {
    return JSON.parse(this.#session.info(this.#node, true));
  }

  verify() {
    return JSON.parse(this.#session.verify(this.#node));
  }

  /** The members of an archive; an empty list if it is none. */
  members() {
    const members = [];
    for (let more = true; more; ) {
      const answer = JSON.parse(this.#session.members(this.#node, members.length, 10_000));
      if (!answer) break;
      for (const [name, bytes, form] of answer.members) members.push({ name, bytes, form });
      more = answer.more && answer.members.length > 0;
    }
    return members;
  }

  member(name) {
    return new Asset(this.#session, this.#session.open_named(this.#node, name));
  }

  bytes(offset, count) {
    return this.#session.bytes(this.#node, offset, count);
  }

  glb() {
    const [missing, bytes] = this.#session.glb(this.#node, '{}');
    return { missing: JSON.parse(missing), bytes };
  }

  arrays() {
    return JSON.parse(this.#session.arrays(this.#node));
  }

  array(selector) {
    const about = JSON.parse(this.#session.array(this.#node, selector));
    return { ...about, values: this.#session.array_rows(this.#node, 0, about.rows) };
  }

  close() {
    this.#session.close(this.#node);
  }
}
