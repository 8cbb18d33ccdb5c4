// Messages of the library are also those of the program, whose user can set limits and has its commands. Here they speak of
// what a reader of this page can do.
import { t } from './strings';

const changes: [RegExp, () => string][] = [
  [/, the limit set for reading/g, () => t('pageLimit')],
  // Advice to the programmer, or to somebody at a command line.
  [/; `[^`]*`[^;]*$/g, () => ''],
  [/ ?[;,(] ?(?:(?:use|try|see|with|set|pass|raise|run) )?`?(?:meshpeek [a-z]+|--[a-z][a-z-]+)[^;)”]*\)?$/g, () => ''],
  // A short flag stands after a verb or starts a clause: `-inf` and a name such as `a (-b)` are no flags.
  [/ ?(?:[;,(] ?(?:use|try|see|with|set|pass|raise|run) |; ?)`?-[a-z]\b[^;)”]*\)?$/g, () => ''],
];

/** A message without what only the user of the program can do. */
export function pageWords(message: string): string {
  let text = message;
  for (const [wanted, change] of changes) text = text.replace(wanted, change);
  return text;
}
