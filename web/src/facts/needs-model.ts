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

/** A model that the animation does not move: how many names are alike, and what it lacks. */
interface Near {
  names: number;
  text: string;
}

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
      let unread = 0;
      let nearest: Near | undefined;
      for (const [index, file] of compared.entries()) {
        this.say('comparing', index, compared.length);
        const { fit, near } = await this.compare(file, current);
        if (near && near.names > (nearest?.names ?? 0)) nearest = near;
        if (!fit) unread += 1;
        if (!fit?.plays) continue;
        fitting += 1;
        const bones = t('bonesOf', grouped(fit.fitting), grouped(fit.moved));
        control.append(el('option', { value: file.address }, `${short(file.address, 200)} (${bones})`));
        choice.hidden = false;
      }
      this.say(fitting > 0 ? 'modelsFit' : 'noModelFits', fitting, compared.length);
      if (fitting === 0) {
        this.text.textContent = t('animationNeedsOther');
        this.state.append(' ', nearest?.text ?? t('noneNear'));
      }
      if (unread > 0) this.state.append(' ', t('notReadModels', grouped(unread)));
      const left = files.length - compared.length + more;
      if (left > 0) this.element.append(el('p', {}, t('notCompared', grouped(left))));
      this.element.dataset.done = '';
    });
  }

  private say(key: 'comparing' | 'modelsFit' | 'noModelFits', count: number, all: number) {
    this.state.textContent = t(key, grouped(count), grouped(all));
  }

  /** How the animation fits a model. Nothing if the model cannot be read. */
  private async compare(file: Choice, current: Current): Promise<{ fit?: Fit; near?: Near }> {
    const { client, handle } = this.context;
    try {
      const fit = await current(client.ask(file.handle, 'fit', await current(client.node(handle))));
      return { fit, near: fit.plays ? undefined : await this.nearOf(file, fit, current) };
    } catch (error) {
      if (error instanceof Outdated || error instanceof Cancelled) throw error;
      return {};
    } finally {
      client.forget(file.handle);
    }
  }

  /** What a model that the animation does not move has in common with it. */
  private async nearOf({ address, handle }: Choice, { bones, moved, fitting, missing }: Fit, current: Current): Promise<Near | undefined> {
    const name = short(address, 200);
    // It moves skeletons, and the names are those of selections.
    if (fitting > 0) return { names: fitting, text: t('nearestWithoutBones', name, grouped(fitting), grouped(moved)) };
    const similar = missing.filter(([, names]) => names.length > 0);
    if (similar.length > 0) return { names: similar.length, text: t('nearestBones', name, short(similar[0][0]), short(similar[0][1][0])) };
    const { client } = this.context;
    const { format } = await current(client.ask(handle, 'about'));
    if (format !== 'odol' || bones > 0) return undefined;
    const { names } = await current(client.ask(handle, 'selections', 0));
    const selections = new Set(names.map(([, name]) => name.toLowerCase()));
    const own = missing.filter(([bone]) => selections.has(bone.toLowerCase()));
    if (own.length === 0) return undefined;
    return { names: own.length, text: t('nearestSelections', name, grouped(own.length), grouped(moved)) };
  }

  /** Opens a model with this animation as its clip. */
  private open(model: string) {
    if (model !== '') location.hash = encode({ item: model, tab: 'model', clip: this.context.about.address.replaceAll('\\', '/') });
  }

  close() {
    this.listing.stop();
  }
}
