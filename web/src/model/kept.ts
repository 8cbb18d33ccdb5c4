// The images that the user chose for models: they stay when a model is left, until the page is closed.
import { type Client } from '../client';
import type { Choice } from './choices';

/** The most models whose images are kept. */
const mostModels = 50;

/** An image for a surface: an open file, or one that was dropped here. */
export interface Chosen extends Choice {
  /** Only this view has a dropped image: the page does not list or open it. */
  isDropped?: true;
}

export interface Kept {
  /** By texture: also of levels of detail that are not shown. */
  chosen: Map<string, Chosen>;
  dropped: Chosen[];
  /** A worker for dropped images, which are not among the open files. */
  client?: Client;
}

const models = new WeakMap<Client, Map<string, Kept>>();

/** The images that the user chose for the model at this address. */
export function keptOf(client: Client, address: string): Kept {
  let known = models.get(client);
  if (!known) {
    known = new Map();
    models.set(client, known);
  }
  const kept = known.get(address) ?? { chosen: new Map(), dropped: [] };
  known.delete(address);
  known.set(address, kept);
  const [oldest] = known.keys();
  if (known.size > mostModels) known.delete(oldest);
  return kept;
}
