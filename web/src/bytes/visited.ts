// The places that were visited, to go back and forward between them.
import { button, el } from '../dom';
import { t } from '../strings';

const most = 100;

export class Visited {
  readonly element = el('div', { class: 'tools', role: 'group' });
  private readonly back = button(t('goBack'), () => this.step(-1));
  private readonly forward = button(t('goForward'), () => this.step(1));
  private places: number[] = [];
  private current = -1;

  constructor(private readonly goTo: (offset: number) => void) {
    this.element.setAttribute('aria-label', t('visited'));
    this.element.append(this.back, this.forward);
    this.refresh();
  }

  /** A jump led to this offset. */
  add(offset: number) {
    if (this.places[this.current] === offset) return;
    this.places.length = this.current + 1;
    this.places.push(offset);
    if (this.places.length > most) this.places.shift();
    this.current = this.places.length - 1;
    this.refresh();
  }

  private step(by: number) {
    this.current += by;
    this.refresh();
    this.goTo(this.places[this.current]);
  }

  private refresh() {
    this.back.disabled = this.current <= 0;
    this.forward.disabled = this.current >= this.places.length - 1;
  }
}
