// Tables and lists that grow by a few rows at a time.
import { button, el } from '../dom';
import { t } from '../strings';

const step = 200;

/** Adds the first rows to a box, and a button that adds further ones. */
export function growing(box: HTMLElement, after: HTMLElement, rows: number, row: (index: number) => HTMLElement) {
  let shown = 0;
  const more = button(t('more'), grow);
  function grow() {
    for (const end = Math.min(rows, shown + step); shown < end; shown++) box.append(row(shown));
    more.hidden = shown >= rows;
  }
  after.append(more);
  grow();
}

export function table(caption: string, heads: string[], rows: number, row: (index: number) => HTMLTableRowElement): HTMLElement {
  const body = el('tbody');
  const head = el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)));
  const box = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    el('table', {}, el('caption', {}, caption), el('thead', {}, head), body));
  growing(body, box, rows, row);
  return box;
}
