// The facts of `info`: counts, bounds, sections, references and problems.
import { contentOf, contentTitle } from './content';
import { button, el } from './dom';
import { sectionElement } from './facts/sections';
import { growing, table } from './facts/table';
import { NeedsModel } from './facts/needs-model';
import { type Current, Latest } from './latest';
import type { Context, Panel } from './panel';
import { pageWords } from './plain';
import type { Info, Problem, Reference, Section, Verified } from './protocol';
import { shortFloat32 } from './shortest';
import { lookedFor } from './looked-for';
import { bytesCount, grouped, hexOffset, language, short, t } from './strings';
import { countNames, referenceKinds } from './words/page';

/** Formats that move a model and have no shape of their own. */
const motions = new Set(['rtm', 'bmtr']);

/** The most problems of a group that unfold at once. */
const mostUnfolded = 200;

interface Blocks {
  packed?: number;
  packed_bytes?: number;
  unpacked_bytes?: number;
}

function numbers(value: unknown): string {
  if (Array.isArray(value)) return value.map(numbers).join('  ');
  return typeof value === 'number' ? shortFloat32(value) : String(value);
}

export class Facts implements Panel {
  readonly element = el('div', { class: 'facts' });
  private readonly loaded: Latest;
  private readonly verified: Latest;
  private needsModel: NeedsModel | undefined;

  constructor(private readonly context: Context) {
    this.loaded = new Latest((error) => context.failed(error));
    this.verified = new Latest((error) => context.failed(error));
    void this.loaded.run((current) => this.load(current));
  }

  closed() {
    this.loaded.stop();
    this.verified.stop();
    this.needsModel?.close();
  }

  private async load(current: Current) {
    const { client, handle, about } = this.context;
    const info = await current(client.ask(handle, 'info', false));
    const content = await current(contentOf(client, handle, about));
    this.element.replaceChildren(this.summary(info, about.title ?? contentTitle(content)));
    if (motions.has(about.format ?? '') && !about.error) {
      this.needsModel ??= new NeedsModel(this.context);
      this.element.append(this.needsModel.element);
    }
    const sections = el('div', { class: 'sections' });
    const references = el('div');
    // Of a file that is no asset, the library only says that it is none.
    const isAsset = content.is === 'asset' || content.is === 'damaged';
    if (isAsset) this.element.append(this.checked(info.problems ?? []));
    this.element.append(sections, references);
    if (content.is === 'asset') {
      const parts = await current(client.ask(handle, 'sections'));
      // References have a table of their own, with their files.
      if (language !== 'en' && parts.length > 0) sections.append(el('p', { class: 'english' }, t('englishBelow')));
      const faces = await current(this.facesOf(parts));
      sections.append(...parts.map((part) => sectionElement(this.context, part, faces)));
    }
    const named = await current(client.ask(handle, 'references'));
    this.element.dataset.complete = '';
    if (named.length === 0) return;
    const row = (index: number) => this.reference(named[index]);
    references.append(el('h3', {}, t('references')), table(t('references'), [t('state'), t('kind'), t('name'), t('file'), t('via')], named.length, row));
  }

  /** The faces of each level of detail by its number; nothing for other assets. */
  private async facesOf(parts: Section[]): Promise<Map<string, number>> {
    const faces = new Map<string, number>();
    if (!parts.some(({ title }) => title === 'LODs')) return faces;
    const model = await this.context.client.ask(this.context.handle, 'model').catch(() => undefined);
    for (const lod of model?.lods ?? []) if (lod.faces !== null) faces.set(String(lod.index), lod.faces);
    return faces;
  }

  private summary(info: Info, format: string): HTMLElement {
    const { about } = this.context;
    const list = el('dl', { class: 'pairs' });
    const pair = (name: string, value: string) => list.append(el('dt', {}, name), el('dd', {}, value));
    pair(t('format'), format);
    if (info.version != null) pair(t('version'), String(info.version));
    pair(t('size'), bytesCount(about.bytes));
    if (about.ranges) pair(t('bytes'), t('archiveBytes', grouped(about.held), grouped(about.bytes)));
    for (const [name, count] of Object.entries(info.counts ?? {})) if (typeof count === 'number') pair(countNames[language][name] ?? name, grouped(count));
    for (const [name, corner] of Object.entries(info.bounds ?? {})) pair(boundsTitle(name), numbers(corner));
    const { packed, packed_bytes, unpacked_bytes } = (info.blocks ?? {}) as Blocks;
    if (packed) pair(t('compressed'), t('compressedBlocks', grouped(packed), grouped(packed_bytes ?? 0), grouped(unpacked_bytes ?? 0)));
    if (typeof info.prefix === 'string') pair(t('prefix'), short(info.prefix));
    return list;
  }

  private checked(found: Problem[]): HTMLElement {
    const problems = el('div');
    this.problems(problems, found);
    problems.append(...this.notChecked(found));
    const check = button(t('verify'), () => this.verify(problems, check));
    return el('div', {}, el('h3', {}, t('problems')), check, problems);
  }

  /** Until everything is checked, what the overview knows is more than the head of the file tells. */
  private notChecked(found: Problem[]): HTMLElement[] {
    const said: HTMLElement[] = [];
    if (found.length > 0) said.push(el('p', { class: 'not-checked' }, t('notCheckedYet')));
    const { address: own } = this.context.about;
    const inside = this.context.damage.filter(({ address }) => address !== own.replaceAll('\\', '/'));
    if (inside.length === 0) return said;
    const row = ({ address, why }: (typeof inside)[number]) => el('li', {}, button(short(address, 300), () => this.context.open(address)), why ? ` ${short(pageWords(why), 300)}` : '');
    const list = el('ul', { class: 'overview-damage' });
    const box = el('div', {}, el('p', { class: 'error' }, t('overviewDamaged', grouped(inside.length))), list);
    growing(list, box, inside.length, (index) => row(inside[index]));
    said.push(box);
    return said;
  }

  private reference({ kind, name, state, target, targets, elsewhere, more, via, line, note }: Reference): HTMLTableRowElement {
    const { client, about } = this.context;
    // A file that was opened alone has nothing around it that could be missing.
    const alone = state === 'missing' && client.isAlone && !about.address.includes('!/');
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
    if (state === 'missing' && !alone) files.prepend(el('span', { class: 'looked-for' }, `${lookedFor(about.address, { kind, name, via })} `));
    const from = via ? `${short(via)}${line ? `:${line}` : ''}` : '';
    return el('tr', { class: alone ? 'unknown' : state }, el('td', {}, t(alone ? 'unknown' : state)), el('td', {}, referenceKinds[language][kind ?? ''] ?? kind ?? ''), el('td', {}, short(name ?? note ?? '')), files, el('td', {}, from));
  }

  private verify(box: HTMLElement, check: HTMLButtonElement) {
    check.disabled = true;
    const done = this.verified.run(async (current) => {
      const found = await current(this.context.client.ask(this.context.handle, 'verify'));
      this.problems(box, found.problems, true);
      const damaged = found.problems.filter(({ severity, member }) => severity === 'error' && member !== undefined);
      if (damaged.length > 0) this.context.markDamaged(firstOfEach(damaged));
      box.append(el('p', { 'data-checked': '' }, this.claim(found)));
    });
    void done.then(() => (check.disabled = false));
  }

  /** Says how much was checked, and what was not. */
  private claim({ cut, members, skipped, whole, opened, problems }: Verified): string {
    const { archive } = this.context.about;
    const hasErrors = problems.some(({ severity }) => severity === 'error');
    let text = t(hasErrors ? 'verifiedPartly' : 'verified');
    if (!opened) text = t('verifiedNothing');
    else if (archive) text = t(whole ? 'verifiedArchive' : 'verifiedMembers', grouped(members));
    const said = [text];
    // What an error names was not all read.
    if (opened && hasErrors) said.push(t('errorsUnread'));
    if (skipped > 0) said.push(t('verifySkipped', grouped(skipped)));
    if (cut) said.push(t('verifyCut'));
    return said.join(' ');
  }

  private problems(box: HTMLElement, problems: Problem[], isChecked = false) {
    if (problems.length === 0) {
      box.replaceChildren(el('p', {}, t(isChecked ? 'noProblems' : 'noProblemsYet')));
      return;
    }
    // Offsets in an archive and in its members are in one column, so each row says which file it is about.
    const ofFiles = problems.some(({ member }) => member !== undefined);
    const groups = groupsOf(problems);
    const row = (index: number) => this.group(groups[index], ofFiles);
    const heads = [t('severity'), t('offset'), t('code'), t('message')];
    if (ofFiles) heads.splice(1, 0, t('file'));
    box.replaceChildren(table(t('problems'), heads, groups.length, row));
  }

  /** The first of problems that are alike, and a button for the others. */
  private group([first, ...others]: Problem[], ofFiles: boolean): HTMLTableRowElement {
    const row = this.problem(first, ofFiles);
    if (others.length === 0) return row;
    const unfold = button(t('moreAlike', grouped(others.length)), () => {
      unfold.remove();
      const rows = others.slice(0, mostUnfolded).map((problem) => this.problem(problem, ofFiles));
      const left = others.slice(mostUnfolded);
      if (left.length > 0) rows.push(this.group(left, ofFiles));
      row.after(...rows);
    });
    row.lastElementChild!.append(' ', unfold);
    return row;
  }

  private problem({ severity, code, offset, message, member }: Problem, ofFiles: boolean): HTMLTableRowElement {
    const { about } = this.context;
    const file = member === undefined ? el('td', {}, short(baseName(about.name), 200)) : el('td', {}, button(short(member, 300), () => this.context.open(`${about.address}!/${member}`)));
    const severityWord = severity === 'error' || severity === 'warning' ? t(`severity_${severity}`) : severity;
    // The offset in a member counts from the start of that member.
    const go = () => {
      if (member === undefined) this.context.goTo(offset!);
      else this.context.open(`${about.address}!/${member}`, offset ?? undefined);
    };
    const place = offset == null ? '' : button(hexOffset(offset), go);
    const row = el('tr', { class: severity }, el('td', {}, severityWord));
    if (ofFiles) row.append(file);
    row.append(el('td', {}, place), el('td', {}, code), el('td', { lang: 'en' }, short(pageWords(message), 2000)));
    return row;
  }
}

/** Problems of one kind in parts that differ only by their numbers, in the order of the first of each. */
function groupsOf(problems: Problem[]): Problem[][] {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const { severity, code, member, message } = problem;
    const key = JSON.stringify([severity, code, member, message.replace(/\[\d+\]/g, '[]')]);
    const group = groups.get(key);
    if (group) group.push(problem);
    else groups.set(key, [problem]);
  }
  return [...groups.values()];
}

function boundsTitle(corner: string): string {
  if (corner === 'min') return t('boundsMin');
  return corner === 'max' ? t('boundsMax') : `${t('bounds')}: ${corner}`;
}

function baseName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
}

/** The first problem of each member. */
function firstOfEach(problems: Problem[]): { member: string; why: string }[] {
  const first = new Map<string, string>();
  for (const { member, message } of problems) if (member !== undefined && !first.has(member)) first.set(member, message);
  return [...first].map(([member, why]) => ({ member, why }));
}
