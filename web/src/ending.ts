// Addresses are compared from their end: who shares one may have opened a folder, and who follows it an archive in another
// place, or the unpacked folder of that archive.

const archiveEnding = /\.(pbo|zip)$/;

/** A name in the form in which two are compared: games ignore case, and both slashes separate. */
export function folded(name: string): string {
  return name.toLowerCase().replaceAll('\\', '/');
}

/** The names of which an address is made, outermost first. An archive counts as the folder of its members. */
export function namesOf(address: string): string[] {
  const names = folded(address).split(/!\/|\//).filter((name) => name !== '' && name !== '.');
  return names.map((name, index) => (index < names.length - 1 ? name.replace(archiveEnding, '') : name));
}

/** How many names at the end of both are equal. */
function commonEnding(one: string[], other: string[]): number {
  let common = 0;
  while (common < one.length && common < other.length && one.at(-1 - common) === other.at(-1 - common)) common += 1;
  return common;
}

/**
 * How well something that is open fits a wanted address, 0 if not at all. A name alone is not enough where both have folders
 * around it, unless only the outermost one differs: many folders have a `config.bin`.
 */
export function fit(wanted: string[], open: string[]): number {
  const common = commonEnding(wanted, open);
  const shorter = Math.min(wanted.length, open.length);
  const isRenamedRoot = wanted.length === open.length && common === wanted.length - 1;
  return common >= 2 || common === shorter || isRenamedRoot ? common : 0;
}

/** Whether an archive may contain a wanted address: its own name is in the way, or the address starts inside it. */
export function mayContain(wanted: string[], archive: string[]): boolean {
  const own = archive.at(-1)?.replace(archiveEnding, '');
  return own !== undefined && wanted.slice(0, -1).includes(own);
}
