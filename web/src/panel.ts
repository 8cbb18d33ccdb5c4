// What the panels of one asset share.
import type { Client, Handle } from './client';

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
}

export interface Context {
  client: Client;
  handle: Handle;
  about: About;
  /** Shows an error in words. */
  failed(error: unknown): void;
  say(text: string): void;
  /** Shows how much of long work is done. */
  progress(done: number, all: number): void;
  /** Goes to an address, or to a place in this file. */
  open(address: string, offset?: number): void;
  goTo(offset: number, bytes?: number): void;
  /** The selected part or field, for the address of the page. */
  selected(selector: string): void;
  /** Open files whose name ends so. */
  others(ending: RegExp): { label: string; handle: Handle }[];
}

export interface Panel {
  readonly element: HTMLElement;
  /** The panel came into view. */
  shown?(): void;
  closed?(): void;
}
