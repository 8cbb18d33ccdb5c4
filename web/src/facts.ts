// What `info` says: counts, bounds, references and problems.
import { button, el } from './dom';
import type { Context, Panel } from './panel';
import { bytesCount, grouped, hexOffset, short, t } from './strings';

interface Problem {
  severity: string;
  code: string;
  offset: number | null;
  message: string;
  /** In an archive: the file that has it. */
  member?: string;
}

/** What a check found, and what it could not check. */
interface Verified {
  problems: Problem[];
  cut: boolean;
  members: number;
  skipped: number;
  whole: boolean;
  opened: boolean;
}

interface Info {
  version?: number | null;
  counts?: Record<string, number>;
  bounds?: Record<string, number[]> | null;
  problems?: Problem[];
  [key: string]: unknown;
}

/** As `meshpeek refs` prints it. */
interface Reference {
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

/** Long lists grow by this many rows. */
const step = 200;

function table(caption: string, heads: string[], rows: number, row: (index: number) => HTMLTableRowElement): HTMLElement {
  const body = el('tbody');
  const box = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))), body));
  let shown = 0;
  const more = button(t('more'), () => grow());
  const grow = () => {
    for (const end = Math.min(rows, shown + step); shown < end; shown++) body.append(row(shown));
    more.hidden = shown >= rows;
  };
  box.append(more);
  grow();
  return box;
}

function numbers(value: unknown): string {
  return Array.isArray(value) ? value.map(numbers).join('  ') : typeof value === 'number' ? String(Math.round(value * 1e4) / 1e4) : String(value);
}

export class Facts implements Panel {
  readonly element = el('div', { class: 'facts' });

  constructor(private readonly context: Context) {
    this.load().catch((error: unknown) => context.failed(error));
  }

  private async load() {
    const { client, handle, about } = this.context;
    const info = await client.json<Info>(handle, 'info', false);
    const list = el('dl', { class: 'pairs' });
    const pair = (name: string, value: string) => list.append(el('dt', {}, name), el('dd', {}, value));
    pair(t('format'), about.title ?? t('none'));
    if (info.version != null) pair(t('version'), String(info.version));
    pair(t('size'), bytesCount(about.bytes));
    if (about.ranges) pair(t('bytes'), t('archiveBytes', grouped(about.held), grouped(about.bytes)));
    for (const [name, count] of Object.entries(info.counts ?? {})) if (typeof count === 'number') pair(name, grouped(count));
    for (const [name, corner] of Object.entries(info.bounds ?? {})) pair(`${t('bounds')}: ${name}`, numbers(corner));
    if (typeof info.prefix === 'string') pair('prefix', short(info.prefix));
    this.element.replaceChildren(list);
    const problems = el('div');
    this.problems(problems, info.problems ?? []);
    const check = button(t('verify'), () => void this.verify(problems, check));
    this.element.append(el('h3', {}, t('problems')), check, problems);
    const references = await client.json<Reference[]>(handle, 'references');
    if (references.length === 0) return;
    const row = (index: number) => this.reference(references[index]);
    this.element.append(el('h3', {}, t('references')), table(t('references'), [t('state'), t('kind'), t('name'), t('file'), t('via')], references.length, row));
  }

  private reference({ kind, name, state, target, targets, elsewhere, more, via, line, note }: Reference): HTMLTableRowElement {
    const { client, about } = this.context;
    // A file that was opened alone has nothing around it that could be missing.
    const alone = state === 'missing' && client.sources.length === 1 && !about.address.includes('!/');
    const files = el('td');
    const list = (addresses: string[]) => {
      for (const address of addresses) files.append(button(short(address), () => this.context.open(address)));
    };
    if (target) list([target]);
    if (targets) list(targets);
    if (elsewhere) {
      files.append(el('span', {}, t('elsewhere')));
      list(elsewhere);
    }
    if (more) files.append(el('span', {}, t('furtherFiles', grouped(more))));
    const from = via ? `${short(via)}${line ? `:${line}` : ''}` : '';
    return el('tr', { class: alone ? 'unknown' : state }, el('td', {}, t(alone ? 'unknown' : state)), el('td', {}, kind ?? ''), el('td', {}, short(name ?? note ?? '')), files, el('td', {}, from));
  }

  private async verify(box: HTMLElement, check: HTMLButtonElement) {
    check.disabled = true;
    try {
      const found = await this.context.client.json<Verified>(this.context.handle, 'verify');
      this.problems(box, found.problems);
      box.append(el('p', { 'data-checked': '' }, this.claim(found)));
    } catch (error) {
      this.context.failed(error);
    }
    check.disabled = false;
  }

  /** What was checked, and what was not. */
  private claim({ cut, members, skipped, whole, opened }: Verified): string {
    const { archive } = this.context.about;
    const said = [!opened ? t('verifiedNothing') : !archive ? t('verified') : whole ? t('verifiedArchive', grouped(members)) : t('verifiedMembers', grouped(members))];
    if (skipped > 0) said.push(t('verifySkipped', grouped(skipped)));
    if (cut) said.push(t('verifyCut'));
    return said.join(' ');
  }

  private problems(box: HTMLElement, problems: Problem[]) {
    if (problems.length === 0) {
      box.replaceChildren(el('p', {}, t('noProblems')));
      return;
    }
    const row = (index: number) => {
      const { severity, code, offset, message, member } = problems[index];
      const { about } = this.context;
      // The offset in a member counts from the start of that member.
      const go = member === undefined ? () => this.context.goTo(offset!) : () => this.context.open(`${about.address}!/${member}`, offset ?? undefined);
      const place = offset == null && member === undefined ? '' : button(offset == null ? t('go') : hexOffset(offset), go);
      return el('tr', { class: severity }, el('td', {}, severity), el('td', {}, place), el('td', {}, code), el('td', {}, short(member === undefined ? message : `${member}: ${message}`, 2000)));
    };
    box.replaceChildren(table(t('problems'), [t('severity'), t('offset'), t('code'), t('message')], problems.length, row));
  }
}
