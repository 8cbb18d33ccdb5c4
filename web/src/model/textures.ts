// The textures of a model: which file each one is, what is missing, and what the user chose instead.
import { Cancelled, Client } from '../client';
import { button, el, labelled } from '../dom';
import { type Current, Latest } from '../latest';
import { lookedFor as placesOf } from '../looked-for';
import type { Context } from '../panel';
import type { ImageFacts, Reference, WantedTexture } from '../protocol';
import { Steps } from '../steps';
import { grouped, short, t } from '../strings';
import { choicesOf, imageEndings, isImageName, stemOf } from './choices';
import { disposePicture, Images, type Picture } from './images';
import { type ForFile, type Images as ChosenImages, readChosen } from './chosen';
import { type Chosen, keptOf } from './kept';
import { lastName } from './load';
import type { Stage } from './stage';
import type { Drawing, Surface } from './surface';

/** The largest side of a texture in the view: at first, and then. */
const firstSide = 512;
const mostSide = 2048;
/** The most pixels of all textures together. Further ones stay at the first side. */
const mostPixels = 256 << 20 >> 2;
/** The most textures that are listed. */
const mostRows = 300;

type State = 'waiting' | 'found' | 'ambiguous' | 'substitute' | 'missing' | 'unreadable' | 'procedural' | 'chosen' | 'guessed' | 'unnamed';
const drawn: ReadonlySet<State> = new Set(['found', 'ambiguous', 'substitute', 'chosen', 'guessed']);
const words = {
  waiting: 'textureWaiting', found: 'found', ambiguous: 'ambiguous', substitute: 'textureSubstitute', missing: 'missing', unreadable: 'textureUnreadable',
  procedural: 'procedural', chosen: 'textureChosen', guessed: 'textureGuessed', unnamed: 'textureUnnamed',
} as const;

/** A texture of the model, or a material without one. */
class Slot {
  readonly surfaces: Surface[] = [];
  state: State = 'waiting';
  file = '';
  /** The page can open the file. */
  isOpen = false;
  picture: Picture | undefined;
  /** The image that is shown instead of the one that the model names. */
  choice: Chosen | undefined;
  isWhole = false;
  row: HTMLElement | undefined;

  constructor(readonly key: string, readonly label: string, readonly wanted: WantedTexture | undefined) {}
}

export class Textures {
  readonly element = el('details', { class: 'textures', hidden: true });
  /** Says which of the chosen images a saved model has. */
  readonly forFile = el('span', { class: 'for-file', hidden: true });
  private readonly summary = el('summary');
  private readonly hint = el('p', { class: 'hint' }, t('dropHint'));
  private readonly list = el('div', { class: 'texture-list' });
  private readonly further = el('div', { class: 'further' });
  private readonly images = new Images();
  private readonly loading: Latest;
  private readonly listing: Latest;
  private readonly naming: Latest;
  private readonly disk = el('input', { type: 'file', accept: imageEndings.replaceAll(' ', ','), hidden: true, 'aria-label': t('imageFromDisk') });
  /** The slot for which a file is chosen. */
  private diskSlot: Slot | undefined;
  /** The references of the model and its materials, once they are known. */
  private references: Reference[] = [];
  private slots: Slot[] = [];
  /** The choices of the user, also those made before the model was last left. */
  private readonly kept;
  /** The image that the graphics card takes, while the next one is decoded. */
  private showing: Promise<void> = Promise.resolve();
  private pixels = 0;
  private isReduced = false;
  private isDescribedSoon = false;

  /** `drawing` is how surfaces are drawn when their images come. */
  constructor(private readonly context: Context, private readonly stage: Stage, private readonly drawing: Readonly<Drawing>) {
    this.loading = new Latest((error) => this.failed(error));
    this.listing = new Latest(context.failed);
    this.naming = new Latest(context.failed);
    this.kept = keptOf(context.client, context.about.address);
    this.disk.addEventListener('change', () => this.fromDisk());
    this.element.append(this.summary, this.hint, this.disk, this.list, this.further);
  }

  /** Takes the surfaces of another level of detail. Their images come with `load`. */
  take(surfaces: Surface[]) {
    this.forget();
    const slots = new Map<string, Slot>();
    for (const surface of surfaces) {
      const { texture, label } = surface.facts;
      const key = texture ? `${texture.name}\n${texture.is_black_clear}` : `\n${label}`;
      let slot = slots.get(key);
      if (!slot) {
        slot = new Slot(key, texture?.name ?? (label || t('noMaterial')), texture);
        slots.set(key, slot);
      }
      slot.surfaces.push(surface);
    }
    this.slots = [...slots.values()];
    this.listRows();
  }

  /** Shows the images as they come. */
  load() {
    this.isReduced = false;
    void this.loading.run(async (current) => {
      const guess = await this.guess(current);
      this.showing = Promise.resolve();
      const steps = new Steps();
      for (const most of [firstSide, mostSide]) {
        for (const slot of this.slots) {
          if (steps.isLong) await current(steps.next());
          if (!slot.isWhole) await this.fill(slot, most, guess, current);
        }
        await current(this.showing);
      }
      this.stage.uploaded();
      this.describe();
      void this.findReferences();
    });
  }

  /** Finds where missing textures were looked for, and what the materials miss. */
  private async findReferences() {
    const { client, handle } = this.context;
    // Of a file that was opened alone, nothing around it could be missing.
    if (this.isAlone() || this.references.length > 0) return;
    await this.naming.run(async (current) => {
      this.references = await current(client.ask(handle, 'references'));
      for (const slot of this.slots) this.describeRow(slot);
      this.listFurther();
      this.describe();
    });
  }

  /** Lists the files that the materials miss, with the places where they were looked for. */
  private listFurther() {
    this.further.replaceChildren();
    const missing = this.references.filter(isOfMaterial);
    for (const { name, kind, via, line, elsewhere } of missing.slice(0, mostRows)) {
      const row = el('div', { class: 'texture-row', 'data-state': 'missing' }, el('span', { class: 'texture-state' }, t('missing')), el('span', { class: 'texture-name' }, short(name ?? '', 300)));
      const file = el('span', { class: 'texture-file' });
      if (via) file.append(t('via'), ' ', button(short(via, 300), () => this.context.open(via)), line ? `:${line}` : '', ' ');
      file.append(placesOf(this.context.about.address, { kind, name, via }));
      for (const other of elsewhere ?? []) file.append(' ', button(short(other, 300), () => this.context.open(other)));
      row.append(file);
      this.further.append(row);
    }
    if (missing.length > mostRows) this.further.append(el('p', {}, t('notListed', grouped(missing.length - mostRows))));
  }

  private isAlone(): boolean {
    const { client, about } = this.context;
    return client.isAlone && !about.address.includes('!/');
  }

  /** The work ended early, as by the user. Missing images do not come. */
  private failed(error: unknown) {
    for (const slot of this.slots) {
      if (slot.isWhole) continue;
      slot.isWhole = true;
      if (slot.state === 'waiting') slot.state = 'unreadable';
      this.describeRow(slot);
    }
    this.stage.uploaded();
    this.describe();
    this.context.failed(error);
  }

  /** An image that has the name of the model, for models that name none. In Luanti, Lua code gives them their images. */
  private async guess(current: Current): Promise<Chosen | undefined> {
    const { client, about } = this.context;
    if (about.format !== 'b3d' || this.slots.some(({ wanted }) => wanted)) return undefined;
    const stem = stemOf(about.address);
    const { files } = await current(choicesOf(client, imageEndings));
    return files.find(({ address }) => stemOf(address) === stem);
  }

  /** Shows the image of a slot up to this side. */
  private async fill(slot: Slot, most: number, guess: Chosen | undefined, current: Current) {
    const { client, handle } = this.context;
    const { wanted } = slot;
    const choice = this.kept.chosen.get(slot.key) ?? (wanted ? undefined : guess);
    slot.choice = choice;
    let found: [ImageFacts, Uint8Array<ArrayBuffer>] | null = null;
    if (choice) found = await current(this.readable(this.clientOf(choice).ask(choice.handle, 'own_image', most)));
    else if (wanted && !wanted.name.startsWith('#')) found = await current(this.readable(client.ask(handle, 'image', wanted.name, most)));
    if (!found) {
      slot.isWhole = true;
      slot.state = !wanted && !choice ? 'unnamed' : choice ? 'unreadable' : wanted!.name.startsWith('#') ? 'procedural' : 'missing';
      this.changed(slot);
      return;
    }
    const [facts, bytes] = found;
    slot.file = choice?.address ?? facts.file ?? '';
    slot.isOpen = !choice?.isDropped;
    const picture = await current(this.images.decode(facts, bytes, Math.max(most, facts.media ? mostSide : 0), wanted?.is_black_clear ?? false));
    const isWhole = most === mostSide || facts.media !== undefined || (facts.largest ?? 0) <= most || !picture;
    const grown = (picture?.pixels ?? 0) - (slot.picture?.pixels ?? 0);
    if (picture && this.pixels + grown > mostPixels) {
      disposePicture(picture);
      slot.isWhole = true;
      this.isReduced = true;
      // The smaller image stays, if there is one.
      slot.state = this.stateOf(slot.picture, choice, facts, wanted);
      this.changed(slot);
      return;
    }
    this.pixels += grown;
    try {
      await current(this.showing);
    } catch (error) {
      if (picture) disposePicture(picture);
      throw error;
    }
    this.showing = this.display(slot, picture, current).then(() => {
      slot.isWhole = isWhole;
      slot.state = this.stateOf(picture, choice, facts, wanted);
      this.changed(slot);
    });
    // Who waits for it next is told.
    this.showing.catch(() => {});
  }

  /** Gives an image to the graphics card. From then on no frame needs the one that was there. */
  private async display(slot: Slot, picture: Picture | undefined, current: Current) {
    const before = slot.picture;
    slot.picture = picture;
    for (const surface of slot.surfaces) surface.show(picture);
    const [{ map }] = slot.surfaces;
    try {
      if (map) await current(this.stage.upload(map));
      for (const surface of slot.surfaces) surface.draw(this.drawing);
    } finally {
      if (before) disposePicture(before);
    }
  }

  /** A damaged image is one that cannot be shown. The user may end the work, too, which is no fault of the image. */
  private async readable<T>(answer: Promise<T>): Promise<T | [ImageFacts, Uint8Array<ArrayBuffer>]> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      return [{}, new Uint8Array()];
    }
  }

  private stateOf(picture: Picture | undefined, choice: Chosen | undefined, facts: ImageFacts, wanted: WantedTexture | undefined): State {
    if (!picture) return 'unreadable';
    if (choice) return wanted || this.isChosen(choice) ? 'chosen' : 'guessed';
    if (facts.state === 'missing') return 'substitute';
    return facts.state === 'ambiguous' ? 'ambiguous' : 'found';
  }

  private isChosen(choice: Chosen): boolean {
    return [...this.kept.chosen.values()].includes(choice);
  }

  private changed(slot: Slot) {
    for (const surface of slot.surfaces) surface.draw(this.drawing);
    this.stage.drawSoon();
    this.describeRow(slot);
    this.describeSoon();
  }

  // --- Choices of the user.

  /** Shows another image on the surfaces of a slot; without one, the image that the model names. */
  private choose(slot: Slot, choice: Chosen | undefined) {
    if (choice) this.kept.chosen.set(slot.key, choice);
    else this.kept.chosen.delete(slot.key);
    this.reload([slot]);
  }

  /** Shows an open image of another folder. */
  private use(slot: Slot, address: string) {
    void this.listing.run(async (current) => {
      const { files } = await current(choicesOf(this.context.client, imageEndings));
      const choice = files.find((file) => file.address === address.replaceAll('\\', '/'));
      if (choice) this.choose(slot, choice);
      else this.context.open(address);
    });
  }

  private reload(slots: Slot[]) {
    for (const slot of slots) {
      slot.isWhole = false;
      slot.state = 'waiting';
      this.clear(slot);
      this.describeRow(slot);
    }
    this.load();
  }

  private clear(slot: Slot) {
    const { picture } = slot;
    if (!picture) return;
    for (const surface of slot.surfaces) surface.show(undefined);
    slot.picture = undefined;
    this.pixels -= picture.pixels;
    disposePicture(picture);
  }

  /** The images that a saved model gets, and the number of those that it cannot have. */
  private imagesForFile(): { wanted: ForFile[]; left: number } {
    const wanted: ForFile[] = [];
    const unnamed = this.slots.filter(({ wanted }) => !wanted);
    const [first] = unnamed;
    const isOneForAll = first?.choice !== undefined && unnamed.every(({ choice }) => choice === first.choice);
    let left = 0;
    for (const { wanted: texture, choice, picture } of this.slots) {
      if (!choice || !picture) continue;
      if (texture) wanted.push({ name: texture.name, is_for_unnamed: false, choice });
      else if (!isOneForAll) left += 1;
    }
    if (isOneForAll && first.picture) wanted.push({ name: lastName(first.choice!.address), is_for_unnamed: true, choice: first.choice! });
    return { wanted, left };
  }

  /** Reads the images that the user chose, for a saved model. */
  chosenImages(current: Current): Promise<ChosenImages> {
    const { wanted } = this.imagesForFile();
    return readChosen(wanted, this.context.client, (choice) => this.clientOf(choice), current);
  }

  private describeFile() {
    const { wanted, left } = this.imagesForFile();
    this.forFile.hidden = wanted.length === 0 && left === 0;
    this.forFile.textContent = left > 0 ? t('notInFile', grouped(left)) : t('imagesInFile');
  }

  private clientOf({ isDropped }: Chosen): Client {
    return isDropped ? this.kept.client! : this.context.client;
  }

  /** Shows a dropped image on a surface; without one, on all that have no image. */
  drop(file: File, surface: Surface | undefined) {
    const under = this.slots.filter((slot) => surface && slot.surfaces.includes(surface));
    const bare = this.slots.filter(({ state }) => !drawn.has(state));
    this.showFile(file, under.length > 0 ? under : bare.length > 0 ? bare : this.slots);
  }

  private fromDisk() {
    const file = this.disk.files?.[0];
    const slot = this.diskSlot;
    // The same file can be chosen again.
    this.disk.value = '';
    if (!file || !slot || !this.slots.includes(slot)) return;
    if (isImageName(file.name)) this.showFile(file, [slot]);
    else this.context.say(t('notImage', short(file.name, 200)));
  }

  private showFile(file: File, slots: Slot[]) {
    this.kept.client ??= new Client();
    const { client } = this.kept;
    const number = client.add([{ name: file.name, blob: file, size: file.size }]);
    const choice: Chosen = { address: this.droppedName(file.name), handle: client.handle(number), isDropped: true };
    this.kept.dropped.push(choice);
    for (const slot of slots) this.kept.chosen.set(slot.key, choice);
    this.reload(slots);
    this.context.say(t('textureDropped', file.name, grouped(slots.length)));
  }

  /** A name that no other dropped image has. */
  private droppedName(name: string): string {
    let unique = name;
    for (let count = 2; this.kept.dropped.some(({ address }) => address === unique); count++) unique = `${name} (${count})`;
    return unique;
  }

  // --- The list.

  /** Describes the textures in the next frame, because many may change before it. */
  private describeSoon() {
    if (this.isDescribedSoon) return;
    this.isDescribedSoon = true;
    requestAnimationFrame(() => {
      this.isDescribedSoon = false;
      this.describe();
    });
  }

  private describe() {
    const named = this.slots.filter(({ wanted, state }) => wanted && state !== 'procedural');
    const here = named.filter(({ state }) => state === 'found' || state === 'ambiguous');
    const chosen = this.slots.filter(({ state }) => state === 'chosen');
    const substitutes = named.filter(({ state }) => state === 'substitute');
    const missing = named.filter(({ state }) => state === 'missing' || state === 'unreadable');
    const parts = [];
    if (named.length > 0) parts.push(t('texturesFound', grouped(here.length), grouped(named.length)));
    else parts.push(t('texturesUnnamed'));
    if (substitutes.length > 0) parts.push(t('texturesSubstitute', grouped(substitutes.length)));
    if (chosen.length > 0) parts.push(t('texturesChosen', grouped(chosen.length)));
    const guessed = this.slots.find(({ state }) => state === 'guessed');
    if (guessed) parts.push(t('texturesGuessed', guessed.file));
    if (missing.some(({ surfaces }) => surfaces.some(({ facts }) => facts.texture?.hides_little))) parts.push(t('texturesTransparent'));
    const further = this.references.filter(isOfMaterial);
    if (further.length > 0) parts.push(t('materialsMissing', grouped(further.length), short(lastName(further[0].name ?? ''), 100)));
    if (this.isReduced) parts.push(t('texturesReduced'));
    const isLoading = this.slots.some(({ state, isWhole }) => state === 'waiting' || !isWhole);
    if (isLoading) parts.push(t('texturesLoading'));
    const isBare = !isLoading && (missing.length > 0 || this.slots.every(({ state }) => state === 'unnamed'));
    if (isBare) parts.push(t('dropHint'));
    this.hint.hidden = isBare;
    this.summary.textContent = parts.join(' ');
    this.element.dataset.state = isLoading ? 'loading' : 'done';
    this.describeFile();
    this.element.hidden = this.slots.length === 0;
    this.element.classList.toggle('lacking', missing.length + further.length > 0);
  }

  private listRows() {
    const rows = this.slots.slice(0, mostRows);
    this.list.replaceChildren();
    for (const slot of rows) {
      slot.row = el('div', { class: 'texture-row' });
      this.list.append(slot.row);
      this.describeRow(slot);
    }
    if (rows.length < this.slots.length) this.list.append(el('p', {}, t('notListed', grouped(this.slots.length - rows.length))));
    this.describe();
  }

  private describeRow(slot: Slot) {
    const { row } = slot;
    if (!row) return;
    let control = row.querySelector('select');
    if (!control) {
      control = this.control(slot);
      const name = el('span', { class: 'texture-name' }, short(slot.label, 300));
      const state = el('span', { class: 'texture-state' });
      row.replaceChildren(state, name, el('span', { class: 'texture-file' }), labelled(t('image'), control));
      control.setAttribute('aria-label', t('imageFor', short(slot.label, 100)));
      row.addEventListener('dragover', (event) => event.preventDefault());
      row.addEventListener('drop', (event) => this.droppedOn(event, slot));
    }
    row.dataset.state = slot.state;
    row.querySelector('.texture-state')!.textContent = t(words[slot.state]);
    row.querySelector('.texture-file')!.replaceChildren(...this.fileOf(slot));
    setChoice(control, this.kept.chosen.get(slot.key)?.address ?? '');
  }

  /** The file of a slot; of a missing one, where it was looked for and what has its name elsewhere. */
  private fileOf(slot: Slot): (string | HTMLElement)[] {
    const { file, state, isOpen } = slot;
    if (state === 'missing') return this.lookedFor(slot);
    if (!file || !drawn.has(state)) return [];
    const name = short(file, 300);
    return [isOpen ? button(name, () => this.context.open(file)) : name];
  }

  private lookedFor(slot: Slot): (string | HTMLElement)[] {
    if (this.isAlone()) return [t('lookedAlone')];
    const name = slot.wanted?.name ?? '';
    const said: (string | HTMLElement)[] = [placesOf(this.context.about.address, { kind: 'texture', name, via: null })];
    const reference = this.references.find(({ kind, name: other, via, state }) => kind === 'texture' && state === 'missing' && via === null && other === name);
    if (reference?.elsewhere) {
      said.push(' ', t('elsewhere'), ' ');
      for (const other of reference.elsewhere) {
        said.push(button(short(other, 300), () => this.context.open(other)));
        if (isImageName(other)) said.push(' ', button(t('useImage', short(lastName(other), 100)), () => this.use(slot, other)), ' ');
      }
    }
    if (reference?.more) said.push(' ', t('furtherFiles', grouped(reference.more)));
    return said;
  }

  private droppedOn(event: DragEvent, slot: Slot) {
    const file = event.dataTransfer?.files[0];
    if (!file || !isImageName(file.name)) return;
    event.preventDefault();
    event.stopPropagation();
    document.body.classList.remove('drag');
    this.drop(file, slot.surfaces[0]);
  }

  /** A list of the open images, which is read when it is used. */
  private control(slot: Slot): HTMLSelectElement {
    const control = el('select');
    const own = this.kept.chosen.get(slot.key);
    let choices: Chosen[] = own ? [own] : [];
    fillChoices(control, choices, 0);
    const list = () => void this.listing.run(async (current) => {
      const { files, more } = await current(choicesOf(this.context.client, imageEndings));
      const { dropped } = this.kept;
      choices = [...dropped, ...files.filter(({ address }) => !dropped.some((other) => other.address === address))];
      fillChoices(control, choices, more);
      setChoice(control, this.kept.chosen.get(slot.key)?.address ?? '');
    });
    control.addEventListener('focus', list);
    control.addEventListener('change', () => {
      if (control.value === fromDisk) {
        setChoice(control, this.kept.chosen.get(slot.key)?.address ?? '');
        this.diskSlot = slot;
        this.disk.click();
        return;
      }
      const known = [...choices, ...this.kept.dropped];
      this.choose(slot, known.find(({ address }) => address === control.value));
    });
    return control;
  }

  private forget() {
    this.loading.stop();
    for (const { picture } of this.slots) if (picture) disposePicture(picture);
    this.slots = [];
    this.pixels = 0;
  }

  close() {
    this.forget();
    this.listing.stop();
    this.naming.stop();
    this.images.close();
    // Its worker ends. The next question starts another one.
    this.kept.client?.cancel();
  }
}

/** The value of the option that opens a dialog. No address has a line break at its start. */
const fromDisk = '\ndisk';

function fillChoices(control: HTMLSelectElement, choices: Chosen[], more: number) {
  control.replaceChildren(el('option', { value: '' }, t('imageOwn')), el('option', { value: fromDisk }, t('imageFromDisk')));
  for (const { address } of choices) control.append(el('option', { value: address }, short(address, 200)));
  if (more > 0) control.append(el('option', { disabled: true }, t('notListed', grouped(more))));
}

/** Shows a choice, which may be of a list that was read before it. */
function setChoice(control: HTMLSelectElement, address: string) {
  const isListed = [...control.options].some(({ value }) => value === address);
  if (!isListed) control.append(el('option', { value: address }, short(address, 200)));
  control.value = address;
}

/** True if a material leads to a missing file, or is missing itself. */
function isOfMaterial({ state, kind, via }: Reference): boolean {
  return state === 'missing' && (via !== null || kind === 'material');
}
