// The view of a model, drawn by three.js. Loaded only when a model is looked at.
import type * as three from 'three';

import { button, checkbox, el, fileName, labelled, save, select } from '../dom';
import { Cancelled } from '../client';
import { type Current, Latest, Outdated } from '../latest';
import type { Context, Panel } from '../panel';
import { pageWords } from '../plain';
import type { Place } from '../place';
import type { Fit, Glb, ModelFacts } from '../protocol';
import { pause } from '../steps';
import { grouped, short, t } from '../strings';
import { type Choice, choicesOf, isImageName, motionEndings } from './choices';
import { boxOf, hasBones, type HelperName, Helpers, helperNames } from './helpers';
import { disposeLoaded, lastName, type Loaded, loadGlb, loadMeshes, meshesOf } from './load';
import { Parts } from './parts';
import { Player } from './player';
import { Selections } from './selections';
import { giveStage, NoWebgl, type Stage, takeStage } from './stage';
import { type Drawing, type Shading, shadings, type Surface } from './surface';
import { Textures } from './textures';
import { UvLayout } from './uv';

export { prepareStage } from './stage';

const shadingWords = { lit: 'lit', unlit: 'unlit', flat: 'flat', normals: 'normalColors', checker: 'checker', wireframe: 'wireframe' } as const;
const helperWords = { grid: 'grid', axes: 'axes', bounds: 'boundsBox', normals: 'normals', bones: 'bones' } as const;
/** Milliseconds after which a turn of the camera is in the address. */
const cameraDelay = 200;
/** The most levels of detail, and the most missing bones, that are listed. */
const mostLods = 1000;
const mostBones = 20;
/** True if the user unfolded the options, for every model. */
let areOptionsOpen = false;

/** The level and the clip that a run of loading was started for. */
interface Asked {
  lod: number | undefined;
  clip: string | undefined;
}

/** Formats that have one glTF file, whatever the place says. */
const single = new Set(['b3d', 'bmx', 'lodka']);

/** The view of a model, or nothing if the browser cannot draw it. */
export async function openModel(context: Context): Promise<Model | undefined> {
  const { client, handle, about } = context;
  // The library works while the graphics card does.
  const asked = client.ask(handle, 'model');
  const ahead = single.has(about.format ?? '') ? askGlb(context, { lod: null, motion: null }) : undefined;
  for (const answer of [asked, ahead]) answer?.catch(() => {});
  let stage: Stage;
  try {
    stage = await takeStage();
  } catch (error) {
    if (error instanceof NoWebgl) return undefined;
    throw error;
  }
  try {
    const facts = await asked;
    stage.begin(facts.light);
    return new Model(context, facts, stage, facts.refused ? undefined : ahead);
  } catch (error) {
    giveStage(stage);
    throw error;
  }
}

type GlbAnswer = Promise<[Glb, Uint8Array<ArrayBuffer>]>;

/** Asks for a model as glTF, with a pixel instead of each image. */
function askGlb({ client, handle }: Context, options: { lod: number | null; motion: number | null }): GlbAnswer {
  return client.ask(handle, 'glb', JSON.stringify({ ...options, pixels: true }), new Uint8Array());
}

export class Model implements Panel {
  readonly element = el('div', { class: 'model' });
  private readonly helpers = new Helpers();
  private readonly textures: Textures;
  private readonly parts: Parts;
  private readonly selections: Selections;
  private readonly player: Player;
  private readonly uv = new UvLayout();
  private readonly loading: Latest;
  private readonly saving: Latest;
  private readonly looking: Latest;
  private readonly notes = el('div', { class: 'notes' });
  private readonly extras = el('div', { class: 'notes' });
  private readonly drawing: Drawing = { shading: 'lit', textures: true, bothSides: true };
  private lods: HTMLSelectElement | undefined;
  private bones: HTMLElement | undefined;
  private loaded: Loaded | undefined;
  private motions: Choice[] = [];
  private motion: Choice | undefined;
  private asked: Asked | undefined;
  /** The level of the place that the view shows. */
  private shownLod: Place['lod'];
  /** The level of the place that was last looked up. */
  private saidLod: Place['lod'];
  private isFramed = false;
  private camera = '';
  private cameraTimer: ReturnType<typeof setTimeout> | undefined;

  /** `ahead` is the model as glTF, if it was asked for already. */
  constructor(private readonly context: Context, private readonly facts: ModelFacts, private readonly stage: Stage, private ahead: GlbAnswer | undefined) {
    this.stage.scene.add(this.helpers.group);
    this.stage.onmoved = () => this.keepCamera();
    this.loading = new Latest((error) => this.failed(error));
    this.saving = new Latest(context.failed);
    this.looking = new Latest(context.failed);
    this.textures = new Textures(context, this.stage, this.drawing);
    this.parts = new Parts(() => this.decorate());
    this.selections = new Selections(context, () => this.decorate());
    this.player = new Player(context, () => this.posed(), (change) => this.move(change), (clip) => this.missClip(clip));
    const view = el('div', { class: 'view' }, this.stage.canvas, this.uv.canvas);
    view.addEventListener('dragover', (event) => event.preventDefault());
    view.addEventListener('drop', (event) => this.dropped(event));
    const body = el('div', { class: 'view-and-parts' }, view, this.parts.element);
    this.element.append(this.tools(), this.player.element, this.notes, this.extras, this.textures.element, body);
    this.follow(context.place);
  }

  shown() {
    this.stage.resize();
  }

  placed(place: Readonly<Place>) {
    this.follow(place);
  }

  closed() {
    clearTimeout(this.cameraTimer);
    for (const work of [this.loading, this.saving, this.looking]) work.stop();
    for (const part of [this.player, this.selections, this.textures]) part.close();
    if (this.loaded) disposeLoaded(this.loaded);
    this.helpers.dispose();
    giveStage(this.stage);
  }

  // --- The place.

  /** Shows what a place says, as far as it is not shown. */
  private follow(place: Readonly<Place>) {
    const lod = this.lodOf(place);
    const { clip } = place;
    this.checkLod(place);
    if (this.lods) this.lods.value = String(lod);
    const isOther = !this.asked || this.asked.lod !== lod || (this.asked.clip !== clip && this.changesMotion(clip));
    if (isOther) {
      this.asked = { lod, clip };
      void this.load(lod, clip);
      return;
    }
    this.asked!.clip = clip;
    if (!this.loaded) return;
    this.player.follow(place);
    this.followCamera(place);
  }

  /** The level of detail of a place, if the model has it, else the finest. */
  private lodOf({ lod }: Readonly<Place>): number | undefined {
    const { lods, finest } = this.facts;
    const known = lods.find(({ index }) => index === lod);
    return known?.index ?? finest ?? undefined;
  }

  /** Says that the address names a level of detail that the model does not have. */
  private checkLod({ tab, lod }: Readonly<Place>) {
    if (tab !== 'model' || lod === this.saidLod) return;
    this.saidLod = lod;
    const isKnown = lod === undefined || this.facts.lods.some(({ index }) => index === lod);
    if (!isKnown) this.context.say(t('noLevel', lod));
  }

  /** True if another clip comes from another file, or no longer from one: the model has to be loaded with it. */
  private changesMotion(clip: string | undefined): boolean {
    if (!this.takesMotions()) return false;
    if (!this.loaded) return true;
    return this.motionOf(clip) !== this.motionOf(this.asked?.clip) || (clip !== undefined && clip !== '' && this.motionOf(clip) === undefined);
  }

  private takesMotions(): boolean {
    const { format } = this.context.about;
    return format === 'mlod' || (format === 'odol' && this.facts.rigs.length > 0);
  }

  private motionOf(clip: string | undefined): Choice | undefined {
    return this.motions.find(({ address }) => address === clip);
  }

  private followCamera({ camera }: Readonly<Place>) {
    const text = camera?.join() ?? '';
    if (text === this.camera) return;
    this.camera = text;
    this.setCamera(camera);
  }

  private setCamera(camera: number[] | undefined) {
    this.stage.canvas.dataset.camera = this.camera;
    const box = boxOf(this.loaded!.root);
    if (camera) this.stage.setView(camera, box);
    else this.stage.frame(box);
  }

  /** Puts the view into the address, when the camera comes to rest. */
  private keepCamera() {
    clearTimeout(this.cameraTimer);
    this.cameraTimer = setTimeout(() => {
      const camera = this.stage.view().map((number) => Number(number.toPrecision(6)));
      this.camera = camera.join();
      this.context.move({ camera });
    }, cameraDelay);
  }

  private move(change: Partial<Omit<Place, 'item'>>) {
    this.context.move(change);
    this.follow(this.context.place);
  }

  // --- Loading.

  private async load(lod: number | undefined, clip: string | undefined) {
    const { canvas } = this.stage;
    delete canvas.dataset.ready;
    const { lod: lodOfPlace } = this.context.place;
    await this.loading.run(async (current) => {
      if (this.takesMotions()) this.motions = (await current(choicesOf(this.context.client, motionEndings))).files;
      let motion = this.motionOf(clip);
      const fit = motion && await this.fitOf(motion, current);
      if (fit?.bones === 0) {
        this.context.failed(new Error(t('noBones', this.ownName())));
        motion = undefined;
      }
      let loaded: Loaded;
      try {
        loaded = await this.fetch(lod, motion, current);
      } catch (error) {
        if (!motion || error instanceof Outdated) throw error;
        // An animation that does not fit is said, and the model is shown at rest.
        this.context.failed(error);
        loaded = await this.fetch(lod, undefined, current);
      }
      this.shownLod = lodOfPlace;
      await current(this.stage.idle());
      const isMoved = loaded.clips.length > 0;
      this.take(loaded, lod, isMoved ? motion : undefined);
      this.say(loaded, lod, fit);
      await current(this.stage.compile());
      // To compile many parts and to draw them are two long tasks. The page answers in between.
      await current(pause());
      this.stage.drawNow();
      canvas.dataset.lod = String(lod ?? '');
      canvas.dataset.ready = 'true';
      this.textures.load();
    });
  }

  /** How a motion fits the model; nothing if that cannot be read, which loading it says. */
  private async fitOf(motion: Choice, current: Current): Promise<Fit | undefined> {
    const { client, handle } = this.context;
    try {
      return await current(client.ask(handle, 'fit', await current(client.node(motion.handle))));
    } catch (error) {
      if (error instanceof Outdated || error instanceof Cancelled) throw error;
      return undefined;
    }
  }

  /** Says why there is no clip of this name. */
  private missClip(clip: string) {
    void this.looking.run(async (current) => {
      const { files } = await current(choicesOf(this.context.client, motionEndings));
      const isOpen = files.some(({ address }) => address === clip);
      const { format } = this.context.about;
      const name = short(clip, 200);
      if (!isOpen) this.context.say(t('clipMissing', name));
      else if (format === 'odol') this.context.failed(new Error(t('noBones', this.ownName())));
      else this.context.failed(new Error(t('takesNoFiles', this.ownName(), name)));
    });
  }

  private ownName(): string {
    return short(lastName(this.context.about.address), 200);
  }

  private async fetch(lod: number | undefined, motion: Choice | undefined, current: Current): Promise<Loaded> {
    const { client, handle } = this.context;
    const moved = motion && await current(client.node(motion.handle));
    if (!this.facts.refused) {
      const asked = this.ahead ?? askGlb(this.context, { lod: this.wantedLod(lod), motion: moved ?? null });
      this.ahead = undefined;
      const [facts, bytes] = await current(asked);
      return current(loadGlb(facts, bytes, current));
    }
    const moves = moved === undefined ? undefined : await current(client.ask(handle, 'motion', moved));
    return loadMeshes(await current(client.ask(handle, 'meshes', lod ?? -1)), moves);
  }

  /** The level of detail to ask for. `null` lets the library choose, as the program does. */
  private wantedLod(lod: number | undefined): number | null {
    return this.context.place.lod === undefined ? null : lod ?? null;
  }

  private take(loaded: Loaded, lod: number | undefined, motion: Choice | undefined) {
    const before = this.loaded;
    if (before) {
      this.stage.scene.remove(before.root);
      disposeLoaded(before);
    }
    this.loaded = loaded;
    this.motion = motion;
    this.stage.scene.add(loaded.root);
    const meshes = meshesOf(loaded.root);
    for (const surface of loaded.surfaces) surface.draw(this.drawing);
    this.parts.take(meshes);
    this.selections.take(this.facts.lods.length > 0 ? lod : undefined, meshes);
    this.textures.take(loaded.surfaces);
    this.player.take(loaded.root, loaded.clips, this.facts.rigs.flatMap(({ clips }) => clips), this.motions, motion);
    this.allowBones(loaded.root);
    this.decorate();
    // Last, because the canvas has the room that the others leave.
    const { place } = this.context;
    if (!this.isFramed) {
      this.isFramed = true;
      this.camera = place.camera?.join() ?? '';
      this.setCamera(place.camera);
    } else {
      // Of another level of detail, the same is in view.
      this.followCamera(place);
    }
  }

  /** Says what is not shown, and what does not move. */
  private say({ root, missing: { left_out, unreadable } }: Loaded, lod: number | undefined, fit: Fit | undefined) {
    this.notes.replaceChildren();
    const note = (text: string) => this.notes.append(el('p', {}, text));
    if (this.facts.primitives === 0) note(t('noTriangles'));
    else if (lod !== undefined && meshesOf(root).length === 0) note(t('levelEmpty'));
    if (left_out > 0) note(t('leftOut', grouped(left_out)));
    if (unreadable > 0) {
      const why = t('unreadable', grouped(unreadable));
      note(why);
      this.context.partsUnread(why);
    }
    if (fit && fit.bones > 0 && fit.fitting < fit.moved) note(this.misfit(fit));
  }

  /** Which bones of the animation file the model lacks. */
  private misfit({ fitting, moved, missing }: Fit): string {
    const names: string[] = [];
    for (const [name, nearest] of missing.slice(0, mostBones)) {
      const bone = short(name, 100);
      names.push(nearest.length > 0 ? t('boneNearest', bone, nearest.map((other) => short(other, 100)).join(', ')) : bone);
    }
    const said = [t('bonesFit', grouped(fitting), grouped(moved), this.motionName()), t('bonesLacking', names.join(', '))];
    if (moved - fitting > names.length) said.push(t('notListed', grouped(moved - fitting - names.length)));
    return said.join(' ');
  }

  private motionName(): string {
    return short(lastName(this.asked?.clip), 200);
  }

  private failed(error: unknown) {
    const { canvas } = this.stage;
    canvas.dataset.ready = 'failed';
    this.context.failed(error);
    if (!this.loaded) return;
    // The level that was shown before is still there, so the place is that again.
    canvas.dataset.ready = 'true';
    this.asked = { lod: this.lodOf({ ...this.context.place, lod: this.shownLod }), clip: this.context.place.clip };
    this.move({ lod: this.shownLod });
  }

  // --- Drawing.

  private redraw(surfaces: Surface[]) {
    for (const surface of surfaces) surface.draw(this.drawing);
    this.stage.draw();
  }

  /** After a change of what is visible. */
  private decorate() {
    if (!this.loaded) return;
    const { root } = this.loaded;
    const isCut = this.helpers.rebuild(root, this.selections.marked);
    const triangles = this.uv.draw(meshesOf(root));
    this.extras.replaceChildren();
    if (isCut) this.extras.append(el('p', {}, t('normalsCut')));
    if (triangles > 0) this.extras.append(el('p', {}, t('uvCut', grouped(triangles))));
    this.stage.draw();
  }

  /** After a movement of the bones. */
  private posed() {
    this.helpers.update();
    this.stage.draw();
  }

  // --- Controls.

  private tools(): HTMLElement {
    const { lods, refused } = this.facts;
    const main = el('div', { class: 'tools' });
    if (lods.length > 0) {
      const list = lods.slice(0, mostLods).map((lod): [string, string] => [String(lod.index), levelTitle(lod)]);
      this.lods = select(list, '', (value) => this.move({ lod: Number(value) }));
      this.lods.id = 'lod';
      main.append(labelled(t('lod'), this.lods));
      if (lods.length > mostLods) main.append(el('span', {}, t('notListed', grouped(lods.length - mostLods))));
    }
    const modes = shadings.map((mode): [string, string] => [mode, t(shadingWords[mode])]);
    const shading = select(modes, 'lit', (mode) => {
      this.drawing.shading = mode as Shading;
      this.redrawAll();
    });
    shading.id = 'shading';
    main.append(labelled(t('shading'), shading), button(t('reset'), () => this.resetView()));
    if (lods.length > 0) main.append(this.selections.element);
    main.append(this.saves());
    const more = el('details', { class: 'more-tools', open: areOptionsOpen }, el('summary', {}, t('viewOptions')), this.options());
    more.addEventListener('toggle', () => (areOptionsOpen = more.open));
    const box = el('div', { class: 'model-tools' }, main, more);
    if (refused) box.append(el('p', { class: 'refused' }, t('notExported', pageWords(refused))));
    return box;
  }

  private options(): HTMLElement {
    const box = el('div', { class: 'tools' });
    box.append(checkbox(t('textures'), true, (on) => {
      this.drawing.textures = on;
      this.redrawAll();
    }), checkbox(t('bothSides'), true, (on) => {
      this.drawing.bothSides = on;
      this.redrawAll();
    }));
    for (const name of helperNames) if (name !== 'bones' || this.hasBones()) box.append(this.helper(name));
    box.append(checkbox(t('uv'), false, (on) => {
      this.uv.canvas.hidden = !on;
      this.decorate();
    }));
    return box;
  }

  private saves(): HTMLElement {
    const name = (ending: string) => fileName(this.context.about.address, ending);
    const box = el('span', { class: 'tools' }, button(t('savePng'), () => {
      this.stage.drawNow();
      this.stage.canvas.toBlob((blob) => blob && save(name('.png'), blob, 'image/png'));
    }));
    if (!this.facts.refused) box.append(button(t('saveGlb'), () => this.saveGlb(name('.glb'))), this.textures.forFile);
    return box;
  }

  private hasBones(): boolean {
    return this.facts.rigs.length > 0 || this.takesMotions();
  }

  private helper(name: HelperName): HTMLElement {
    const control = checkbox(t(helperWords[name]), this.helpers.on[name], (on) => {
      this.helpers.on[name] = on;
      this.decorate();
    });
    if (name === 'bones') this.bones = control;
    return control;
  }

  /** Bones of a model at rest have no place in some formats, and nothing would be seen. */
  private allowBones(root: three.Object3D) {
    if (!this.bones) return;
    const isShown = hasBones(root);
    this.bones.hidden = !isShown && !this.takesMotions();
    this.bones.querySelector('input')!.disabled = !isShown;
    this.bones.querySelector('span')!.textContent = isShown ? t('bones') : `${t('bones')} (${t('bonesNeedClip')})`;
  }

  private redrawAll() {
    if (this.loaded) this.redraw(this.loaded.surfaces);
  }

  private resetView() {
    clearTimeout(this.cameraTimer);
    if (!this.loaded) return;
    this.camera = '';
    this.setCamera(undefined);
    this.context.move({ camera: undefined });
  }

  /** Saves what the program would write, with whole images, and with those that the user chose. */
  private saveGlb(name: string) {
    void this.saving.run(async (current) => {
      const { client, handle } = this.context;
      const lod = this.wantedLod(this.lodOf(this.context.place));
      const moved = this.motion && await current(client.node(this.motion.handle));
      const { list: chosen, bytes: images } = await this.textures.chosenImages(current);
      const options = JSON.stringify({ lod, motion: moved ?? null, images: true, chosen });
      const [, bytes] = await current(client.ask(handle, 'glb', options, images));
      save(name, bytes, 'model/gltf-binary');
    });
  }

  /** An image goes on the part below it; other files are opened by the page. */
  private dropped(event: DragEvent) {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!this.loaded || files.length !== 1 || !isImageName(files[0].name)) return;
    event.preventDefault();
    event.stopPropagation();
    document.body.classList.remove('drag');
    this.textures.drop(files[0], this.surfaceAt(event.clientX, event.clientY));
  }

  private surfaceAt(x: number, y: number): Surface | undefined {
    const meshes = meshesOf(this.loaded!.root).filter((mesh) => mesh.visible);
    const [hit] = this.stage.ray(x, y).intersectObjects(meshes, false);
    return this.loaded!.surfaces.find(({ meshes }) => meshes.includes(hit?.object as three.Mesh));
  }
}

/** The number of a level, its purpose, and its faces and triangles. */
function levelTitle({ index, title, triangles, faces, drawn }: ModelFacts['lods'][number]): string {
  const counts: string[] = [];
  if (faces !== null && (faces > 0 || drawn)) counts.push(t('faceCount', grouped(faces)));
  if (triangles === null) counts.push(drawn ? '' : t('lodUnread'));
  else counts.push(drawn ? t('triangleCount', grouped(triangles)) : t('lodEmpty'));
  return [`LOD ${index}`, title, ...counts].filter(Boolean).join(' · ');
}
