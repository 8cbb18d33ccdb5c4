// The selected field: its value, type and meaning.
import { button, el } from '../dom';
import { type Current, Latest } from '../latest';
import type { Context } from '../panel';
import type { Line, SchemaField } from '../protocol';
import { bytesCount, grouped, hexOffset, short, t } from '../strings';
import { type Lines, shown } from './lines';

const mostMeanings = 4;

export class Detail {
  readonly element = el('div', { class: 'detail-pane', role: 'region', tabindex: 0 });
  private readonly described: Latest;
  private schema: Promise<SchemaField[]> | undefined;

  /** `selected` is called with the selector of a field that is shown. */
  constructor(private readonly context: Context, private readonly lines: Lines, private readonly selected: (selector: string | undefined) => void) {
    this.described = new Latest((error) => context.failed(error));
    this.element.setAttribute('aria-label', t('details'));
    this.element.append(el('p', {}, t('noFields')));
  }

  show(line: number) {
    void this.described.run((current) => this.describe(line, current));
  }

  closed() {
    this.described.stop();
  }

  private async describe(line: number, current: Current) {
    if (!this.lines.line(line)) await current(this.lines.fetch(line));
    const row = this.lines.line(line);
    if (!row) return;
    this.selected(row.selector ?? undefined);
    const list = el('dl', { class: 'pairs' });
    const value = shown(row.value);
    addPair(list, t('name'), short(row.name));
    addPair(list, t('selector'), row.selector && short(row.selector));
    addPair(list, t('type'), row.type);
    addPair(list, t('value'), short(value, 2000) + (row.note ? ` (${short(row.note)})` : ''));
    if (row.offset !== null) addPair(list, t('offset'), `${hexOffset(row.offset)} (${grouped(row.offset)}), ${bytesCount(row.bytes ?? 0)}`);
    const buttons = el('div', { class: 'tools' });
    if (value) buttons.append(button(t('copyValue'), () => this.copy(value)));
    if (row.selector) buttons.append(button(t('copySelector'), () => this.copy(row.selector!)));
    this.element.replaceChildren(list, buttons);
    for (const field of await current(this.meanings(row))) {
      addPair(list, `${field.record}.${field.field}`, field.document ? `${t('document')}: ${field.document}` : null);
      addPair(list, t('meaning'), field.doc);
    }
  }

  /** The fields of the format that have this name and type. A name may be that of a field in several records. */
  private async meanings(row: Line): Promise<SchemaField[]> {
    if (row.kind === 'part' || !this.context.about.format) return [];
    this.schema ??= this.context.client.call('schema', this.context.about.format);
    const name = row.name.replace(/\[\d+\]$/, '');
    const named = (await this.schema).filter((field) => field.field === name);
    const typed = named.filter((field) => field.type === row.type);
    return (typed.length > 0 ? typed : named).slice(0, mostMeanings);
  }

  private copy(text: string) {
    navigator.clipboard.writeText(text).then(() => this.context.confirm(t('copied')), this.context.failed);
  }
}

function addPair(list: HTMLElement, name: string, value: string | null) {
  if (value) list.append(el('dt', {}, name), el('dd', {}, value));
}
