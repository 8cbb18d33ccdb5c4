// Where the library looks for a file that another one names: it depends on the game, which the ending of the naming file tells.
import type { Reference } from './protocol';
import { short, t } from './strings';

/** Formats whose images lie beside them. */
const beside = /\.(b3d|bmx|bmtr|lod|cmo|nmo)$/i;
/** Luanti finds media by name in its mods. */
const ofMods = /\.(lua|tr|obj)$/i;

/** `address` is the file that names the missing one. A material that it names may name others in turn. */
export function lookedFor(address: string, { kind, name, via }: Pick<Reference, 'kind' | 'name' | 'via'>): string {
  if (name === null) return '';
  const from = (via ?? address).replaceAll('\\', '/');
  const path = name.replaceAll('\\', '/');
  const folder = folderOf(from);
  if (beside.test(from)) return t('lookedBeside', short(folder + path.slice(path.lastIndexOf('/') + 1), 300));
  if (ofMods.test(from)) return t('lookedInMods');
  const isRelative = kind === 'include' && !path.startsWith('/');
  if (isRelative) return t('lookedBeside', short(folder + path, 300));
  return t('lookedByPath', short(path.replace(/^\/+/, ''), 300));
}

/** The folder or archive around a file, with the separator at its end. */
function folderOf(address: string): string {
  const slash = address.lastIndexOf('/');
  return address.slice(0, slash + 1);
}
