// The members of an archive as a table, from the lines of the program's `info -v`. Each leads to its file.
import { button, el } from '../dom';
import type { Context } from '../panel';
import { grouped, short, t } from '../strings';
import { table } from './table';

/** Index, bytes, time and name are in columns; how a member is packed follows its name. */
const line = /^\s*(\d+) +([\d,]+) {2}(.{16}) {2}(.*)$/;
const packing = / {2}(\S+, [\d,]+ bytes stored|encrypted|packed with .*, which is not read)$/;

/** The table, and the lines that are no members. */
export function membersTable(context: Context, lines: string[]): { element: HTMLElement; rest: string[] } {
  const rows: RegExpExecArray[] = [];
  const rest: string[] = [];
  for (const text of lines) {
    const row = line.exec(text);
    if (row) rows.push(row);
    else rest.push(text);
  }
  const heads = ['#', t('size'), t('modified'), t('name'), t('packing')];
  const element = table(t('members'), heads, rows.length, (index) => memberRow(context, rows[index]));
  // Many archives keep no times and pack nothing.
  element.classList.toggle('without-times', rows.every(([, , , time]) => time.trim() === ''));
  element.classList.toggle('without-packing', !rows.some(([, , , , name]) => packing.test(name)));
  element.classList.add('members');
  return { element, rest };
}

function memberRow(context: Context, [, index, bytes, time, nameAndPacking]: RegExpExecArray): HTMLTableRowElement {
  const packed = packing.exec(nameAndPacking);
  const name = packed ? nameAndPacking.slice(0, packed.index) : nameAndPacking;
  const open = button(short(name, 300), () => void openMember(context, Number(index)).catch(context.failed));
  return el('tr', {}, el('td', { class: 'number' }, index), el('td', { class: 'number' }, grouped(Number(bytes.replaceAll(',', '')))),
    el('td', {}, time.trim()), el('td', {}, open), el('td', { lang: 'en' }, packed?.[1] ?? ''));
}

/** The line has the name in a form for the eye; the archive has it as it is. */
async function openMember(context: Context, index: number) {
  const page = await context.client.ask(context.handle, 'members', index, 1);
  const member = page?.members[0];
  if (member) context.open(`${context.about.address}!/${member[0]}`);
}
