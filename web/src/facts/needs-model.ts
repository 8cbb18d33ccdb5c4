// Shows that an animation file needs a model that it moves, and offers those of the open ones that it can move.
import { el, labelled, select } from '../dom';
import { Cancelled } from '../client';
import { type Current, Latest, Outdated } from '../latest';
import type { Choice } from '../model/choices';
import { choicesOf } from '../model/choices';
import type { Context } from '../panel';
import { encode } from '../place';
import type { Fit } from '../protocol';
import { grouped, short, t } from '../strings';

/** The most models whose bones are compared with those of the animation. */
const mostCompared = 300;

export class NeedsModel {
  private readonly text = el('p', {}, t('animationNeedsModel'));
  private readonly state = el('p', { class: 'compared', hidden: true });
  readonly element = el('div', { class: 'needs-model' }, this.text, this.state);
  private readonly listing: Latest;

  constructor(private readonly context: Context) {
    this.listing = new Latest(context.failed);
    void this.list();
  }

  private async list() {
    await this.listing.run(async (current) => {
      const { files, more } = await current(choicesOf(this.context.client, '.p3d'));
      if (files.length === 0) return;
      const control = select([['', t('chooseModel')]], '', (model) => this.open(model));
      control.id = 'motion-model';
      const choice = labelled(t('playOn'), control);
      choice.hidden = true;
      this.element.append(choice);
      this.state.hidden = false;
      const compared = files.slice(0, mostCompared);
      let fitting = 0;
      for (const [index, file] of compared.entries()) {
        this.say('comparing', index, compared.length);
        const fit = await this.fitOf(file, current);
        if (!fit?.plays) continue;
        fitting += 1;
        const bones = t('bonesOf', grouped(fit.fitting), grouped(fit.moved));
        control.append(el('option', { value: file.address }, `${short(file.address, 200)} (${bones})`));
        choice.hidden = false;
      }
      this.say(fitting > 0 ? 'modelsFit' : 'noModelFits', fitting, compared.length);
      const left = files.length - compared.length + more;
      if (left > 0) this.element.append(el('p', {}, t('notCompared', grouped(left))));
      this.element.dataset.done = '';
    });
  }

  private say(key: 'comparing' | 'modelsFit' | 'noModelFits', count: number, all: number) {
    this.state.textContent = t(key, grouped(count), grouped(all));
  }

  /** How the animation fits a model. Nothing if it cannot be played on it, or if the model cannot be read. */
  private async fitOf(file: Choice, current: Current): Promise<Fit | undefined> {
    const { client, handle } = this.context;
    try {
      return await current(client.ask(file.handle, 'fit', await current(client.node(handle))));
    } catch (error) {
      if (error instanceof Outdated || error instanceof Cancelled) throw error;
      return undefined;
    } finally {
      client.forget(file.handle);
    }
  }

  /** Opens a model with this animation as its clip. */
  private open(model: string) {
    if (model !== '') location.hash = encode({ item: model, tab: 'model', clip: this.context.about.address.replaceAll('\\', '/') });
  }

  close() {
    this.listing.stop();
  }
}
