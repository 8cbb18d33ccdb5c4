// The open files, and members of open archives, that fit a control: images for textures, animations for models.
import type { Client, Handle } from '../client';

export interface Choice {
  address: string;
  handle: Handle;
}

export interface Choices {
  files: Choice[];
  /** The number of those that are not listed. */
  more: number;
}

export const imageEndings = '.paa .pac .png .jpg .jpeg .bmp .webp .gif .tga .dds';
export const motionEndings = '.rtm';

export async function choicesOf(client: Client, endings: string): Promise<Choices> {
  const { files, more } = await client.call('named', endings);
  const choices = files.map(({ address, file, path }) => ({ address: address.replaceAll('\\', '/'), handle: client.handle(file, path) }));
  return { files: choices, more };
}

export function isImageName(name: string): boolean {
  const lower = name.toLowerCase();
  return imageEndings.split(' ').some((ending) => lower.endsWith(ending));
}

/** The last name of an address without its ending, in lower case. */
export function stemOf(address: string): string {
  const name = address.split(/[\\/]/).at(-1)!.toLowerCase();
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
