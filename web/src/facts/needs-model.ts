// What an animation file lacks: a model that it moves. If models are open, one is chosen here.
import { el, labelled, select } from '../dom';
import { Latest } from '../latest';
import type { Context } from '../panel';
import { encode } from '../place';
import { grouped, short, t } from '../strings';
import { choicesOf } from '../model/choices';

export class NeedsModel {
  readonly element = el('div', { class: 'needs-model' }, el('p', {}, t('animationNeedsModel')));
  private readonly listing: Latest;

  constructor(private readonly context: Context) {
    this.listing = new Latest(context.failed);
    void this.list();
  }

  private async list() {
    await this.listing.run(async (current) => {
      const { files, more } = await current(choicesOf(this.context.client, '.p3d'));
      if (files.length === 0) return;
      const options = files.map(({ address }): [string, string] => [address, short(address, 200)]);
      const control = select([['', t('chooseModel')], ...options], '', (model) => this.open(model));
      control.id = 'motion-model';
      this.element.append(labelled(t('playOn'), control));
      if (more > 0) this.element.append(el('span', {}, t('notListed', grouped(more))));
    });
  }

  /** Opens a model with this animation as its clip. */
  private open(model: string) {
    if (model !== '') location.hash = encode({ item: model, tab: 'model', clip: this.context.about.address.replaceAll('\\', '/') });
  }

  close() {
    this.listing.stop();
  }
}
