// The sections of the program's `info -v`.
import { el } from '../dom';
import type { Context } from '../panel';
import type { Section } from '../protocol';
import { membersTable } from './members';
import { grouped, language, t } from '../strings';
import { sectionTitles } from '../words/bytes';
import { growing, table } from './table';

/** A longer section is closed at first. */
const mostOpen = 40;
/** The program says that its JSON has all. */
const cutList = /^\s*\.\.\. and ([\d,]+) more; --json has all$/;

/** A number of the program, with its separators. */
const number = /(?<![^\s(])\d{1,3}(?:,\d{3})+(?=[\s),;:.]|$)/g;
/** Values of files, in which digits and commas may mean anything. */
const isValue = / = /;

/** A line with its numbers in the form of this page. A user has no command `verify` here. */
function inPageWords(line: string): string {
  const text = line.replace(/, which verify compares$/, '');
  return isValue.test(text) ? text : text.replace(number, (found) => grouped(Number(found.replaceAll(',', ''))));
}

/** The title of a section in the language of the page, if it is a known one. */
export function sectionTitle(title: string): string {
  const known = sectionTitles[language];
  if (known[title]) return known[title];
  // The name of a skeleton follows the word.
  const [word] = title.split(' ', 1);
  return word === 'Skeleton' && known[word] ? known[word] + title.slice(word.length) : title;
}

/** `faces` are those of the levels of detail, whose table lacks them. */
export function sectionElement(context: Context, { title, lines: all }: Section, faces: Map<string, number>): HTMLElement {
  let lines = all;
  const box = el('section', { 'data-section': title }, el('h3', {}, sectionTitle(title)));
  if (title === 'LODs' && lines.length > 1) {
    box.append(lodTable(lines, faces));
    return box;
  }
  if (title === 'Members') {
    const { element, rest } = membersTable(context, lines);
    box.append(element);
    if (rest.length === 0) return box;
    lines = rest;
  }
  if (lines.length <= mostOpen) {
    box.append(listOf(lines));
    return box;
  }
  // A closed section has no elements yet.
  const details = el('details', {}, el('summary', {}, t('sectionLines', grouped(lines.length))));
  details.addEventListener('toggle', () => details.append(listOf(lines)), { once: true });
  box.append(details);
  return box;
}

function listOf(lines: string[]): HTMLElement {
  const box = el('div', { class: 'report', lang: 'en' });
  const list = el('div');
  box.append(list);
  growing(list, box, lines.length, (index) => lineElement(lines[index]));
  return box;
}

/** A line with its indent. Two spaces separate what is said of a thing from its name. */
function lineElement(ofProgram: string): HTMLElement {
  const cut = cutList.exec(ofProgram);
  if (cut) return el('div', { lang: language }, t('sectionCut', grouped(Number(cut[1].replaceAll(',', '')))));
  const line = inPageWords(ofProgram);
  const text = line.trimStart();
  const box = el('div');
  box.style.paddingInlineStart = `${Math.min(20, line.length - text.length)}ch`;
  const parts = text.split(/ {2,}/);
  // A number comes before the name of a numbered thing.
  const name = /^\d+$/.test(parts[0]) ? 1 : 0;
  parts.forEach((part, index) => {
    if (index > 0) box.append('  ');
    box.append(index === name ? part : el('span', { class: 'more' }, part));
  });
  return box;
}

/** The first line has the titles of the columns after the number and the name. */
function lodTable([head, ...rows]: string[], faces: Map<string, number>): HTMLElement {
  const titles = head.trim().split(/ {2,}/);
  const columns = titles.map((title) => sectionTitle(title));
  if (faces.size > 0) columns.unshift(sectionTitle('faces'));
  return table('LODs', ['#', t('name'), ...columns], rows.length, (index) => {
    const [number, name, ...facts] = rows[index].trim().split(/ {2,}/);
    const row = el('tr', {}, el('td', {}, number), el('td', {}, name));
    const own = faces.get(number);
    if (faces.size > 0) row.append(el('td', { class: 'number own' }, own === undefined ? '-' : grouped(own)));
    // A level that cannot be read has one text in place of its numbers.
    if (facts.length < titles.length) row.append(el('td', { colspan: titles.length }, facts.join('  ')));
    else for (const fact of facts) row.append(el('td', { class: 'number' }, inPageWords(fact)));
    return row;
  });
}
