// The keys of the page, in a dialog.
import { button, el } from './dom';
import { t } from './strings';

type Row = [keys: string, does: string];

/** The keys by the part of the page that has them. */
function groups(): [title: string, rows: Row[]][] {
  return [
    [t('keysEverywhere'), [['/', t('key_slash')], ['Alt+↑ Alt+↓', t('key_beside')], ['← →', t('key_tabs')], ['Esc', t('key_escape')], ['?', t('key_help')]]],
    [t('keysList'), [['Enter', t('key_filter')], ['A–Z', t('key_letters')], ['Delete', t('key_delete')]]],
    [t('keysModel'), [['← → ↑ ↓', t('key_turn')]]],
    [t('keysPicture'), [['+ − 0 1', t('key_zoom')]]],
    [t('keysBytes'), [['Shift+← → ↑ ↓', t('key_select')], [t('doubleClick'), t('key_field')], ['Ctrl+C', t('key_copy')], ['Ctrl+A', t('key_all')]]],
  ];
}

export class KeyHelp {
  constructor(private readonly press: HTMLElement, private readonly dialog: HTMLDialogElement) {
    press.onclick = () => this.show();
    document.addEventListener('keydown', (event) => this.key(event), { capture: true });
  }

  translate() {
    this.press.setAttribute('aria-label', t('keys'));
    this.press.title = `${t('keys')} (?)`;
    if (this.dialog.open) this.fill();
  }

  private show() {
    this.fill();
    this.dialog.showModal();
  }

  private fill() {
    const box = el('div', { class: 'key-groups' });
    for (const [title, rows] of groups()) {
      const list = el('dl', { class: 'pairs' });
      for (const [keys, does] of rows) list.append(el('dt', {}, keys), el('dd', {}, does));
      box.append(el('h3', {}, title), list);
    }
    const close = button(t('close'), () => this.dialog.close());
    this.dialog.setAttribute('aria-label', t('keys'));
    this.dialog.replaceChildren(el('h2', {}, t('keys')), box, close);
  }

  /** A question mark opens the help, unless somebody writes. */
  private key(event: KeyboardEvent) {
    if (event.key !== '?' || event.ctrlKey || event.altKey || event.metaKey || this.dialog.open) return;
    if ((event.target as HTMLElement).closest('input, textarea, select')) return;
    this.show();
    event.preventDefault();
    // The lists look for names by letters.
    event.stopPropagation();
  }
}
