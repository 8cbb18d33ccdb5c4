// The context that the panels of one asset share.
import type { Client, Handle } from './client';
import type { Place } from './place';
import type { About } from './protocol';

export interface Context {
  client: Client;
  handle: Handle;
  about: About;
  /** Shows an error in words. */
  failed(error: unknown): void;
  say(text: string): void;
  /** Confirms what the user did: the message leaves by itself. */
  confirm(text: string): void;
  /** Shows how much of long work is done. */
  progress(done: number, all: number): void;
  /** Goes to an address, or to a place in this file. */
  open(address: string, offset?: number): void;
  goTo(offset: number, bytes?: number): void;
  /** The damage that the overview found in this file, or in the members of this archive. */
  readonly damage: { address: string; why: string }[];
  /** The first problem of a damaged file. Nothing if none is known. */
  findDamage(): Promise<Damage | undefined>;
  /** Members of this archive turned out to be damaged: the list marks them. */
  markDamaged(members: { member: string; why: string }[]): void;
  /** Parts of this file cannot be read. If it is damaged, the list marks it, and a message says where. */
  partsUnread(why: string): void;
  /** Where the user is, of which the panel shows its part. */
  readonly place: Readonly<Place>;
  /** Changes where the user is, in the address too. The page calls `placed` of the panels that see it. */
  move(change: Partial<Omit<Place, 'item'>>): void;
}

/** The first problem of a file, and how many more it has. */
export interface Damage {
  offset: number | undefined;
  more: number;
  isError: boolean;
}

export interface Panel {
  readonly element: HTMLElement;
  /** The panel came into view. */
  shown?(): void;
  closed?(): void;
  /** The place changed: by this panel, another one, or the address. Called once after the panel is made, too. */
  placed?(place: Readonly<Place>): void;
  /** The language changed, and the panel writes its words again. A panel without this is made anew, from the place. */
  translated?(): void;
}
