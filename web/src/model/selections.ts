// The named selections of the level of detail that is shown: their points are marked, or their triangles hidden. A selection
// of sections is whole parts of the level, which are shown in a color.
import * as three from 'three';

import { button, checkbox, el, labelled, select } from '../dom';
import { type Current, Latest } from '../latest';
import type { Context } from '../panel';
import { grouped, short, t } from '../strings';

type Positions = Pick<three.BufferAttribute, 'getX' | 'getY' | 'getZ' | 'count'>;

/** After this many vertices or triangles, the page answers the user before it goes on. */
const slice = 30_000;

export class Selections {
  readonly element = el('span', { class: 'selections tools' });
  /** The meshes and points that show the chosen selection. */
  marked: three.Object3D | undefined;
  private drawnPoints: three.Points | undefined;
  private readonly note = el('span', { class: 'selection-note', role: 'status' });
  /** The points of the chosen selection, without the corners of its sections. */
  private points = new Float32Array();
  /** The numbers of the parts that are in the chosen selection. */
  private sections: ReadonlySet<number> = new Set();
  private readonly listed: Latest;
  private readonly shown: Latest;
  private isOpen = false;
  private isHidden = false;
  private lod: number | undefined;
  private meshes: three.Mesh[] = [];
  /** The name of the chosen selection, and its number among those of its name. */
  private chosen = '';

  constructor(private readonly context: Context, private readonly changed: () => void) {
    this.listed = new Latest(context.failed);
    this.shown = new Latest(context.failed);
  }

  /** Follows the view to another level of detail. */
  take(lod: number | undefined, meshes: three.Mesh[]) {
    this.lod = lod;
    this.meshes = meshes;
    this.unmark();
    this.element.hidden = lod === undefined;
    delete this.element.dataset.lod;
    if (lod === undefined) return;
    if (this.isOpen) this.open();
    else this.element.replaceChildren(button(t('selections'), () => this.open()));
  }

  private open() {
    this.isOpen = true;
    const lod = this.lod!;
    void this.listed.run(async (current) => {
      const { client, handle } = this.context;
      const { names, more } = await current(client.ask(handle, 'selections', lod));
      const values = keysOf(names);
      const options = names.map(([, name, isEmpty], at): [string, string] => [values[at], isEmpty ? t('selectionEmpty', short(name, 100)) : short(name, 100)]);
      const kept = values.includes(this.chosen) ? this.chosen : '';
      const control = select([['', t('noClip')], ...options], kept, (value) => {
        this.chosen = value;
        this.show(lod, names[values.indexOf(value)]?.[0]);
      });
      control.id = 'selection';
      if (names.length === 0) this.note.textContent = t('noSelections');
      const hide = checkbox(t('hideSelection'), this.isHidden, (on) => {
        this.isHidden = on;
        this.hide();
      });
      this.element.replaceChildren(labelled(t('selections'), control), hide, this.note);
      if (more > 0) this.element.append(el('span', {}, t('notListed', grouped(more))));
      this.element.dataset.lod = String(lod);
      if (kept) this.show(lod, names[values.indexOf(kept)][0]);
    });
  }

  /** Marks the points of a selection. */
  private show(lod: number, index: number | undefined) {
    void this.shown.run(async (current) => {
      const { client, handle } = this.context;
      if (index === undefined) {
        this.unmark();
      } else {
        const sections = new Set(await current(client.ask(handle, 'selection_sections', lod, index)));
        const points = await current(client.ask(handle, 'selection', lod, index));
        this.unmark();
        this.points = points;
        this.sections = sections;
        const parts = this.meshes.filter((mesh) => this.isInSections(mesh));
        this.note.textContent = describe(points.length / 3, sections.size, parts.length);
        this.mark(parts);
      }
      await this.cut(current);
      this.changed();
    });
  }

  private hide() {
    void this.shown.run(async (current) => {
      await this.cut(current);
      this.changed();
    });
  }

  /** Shows the points as dots, and the parts in a color over their own. */
  private mark(parts: three.Mesh[]) {
    const group = new three.Group();
    if (this.points.length > 0) {
      this.drawnPoints = pointsAt(this.points);
      group.add(this.drawnPoints);
    }
    for (const part of parts) group.add(tinted(part));
    if (group.children.length > 0) this.marked = group;
  }

  private isInSections({ userData }: three.Mesh): boolean {
    return userData.part !== undefined && this.sections.has(userData.part);
  }

  /** Hides the triangles with all corners in the marked selection, or in its sections, and shows the others. */
  private async cut(current: Current) {
    const chosen = new Set<string>();
    const points = this.isHidden ? new three.BufferAttribute(this.points, 3) : undefined;
    const work = new Slices(current);
    for (let at = 0; points && at < points.count; at++) {
      chosen.add(placeOf(points, at));
      if (work.isDue()) await work.pause();
    }
    for (const mesh of this.meshes) {
      const { geometry } = mesh;
      const index = geometry.getIndex();
      const isHidden = this.isHidden && this.isInSections(mesh);
      if (!index || (chosen.size === 0 && !isHidden && !geometry.userData.all)) continue;
      const all = (geometry.userData.all ??= index.clone()) as three.BufferAttribute;
      if (isHidden) {
        geometry.setDrawRange(0, 0);
        continue;
      }
      const positions = geometry.getAttribute('position');
      const isChosen = new Uint8Array(positions.count);
      for (let vertex = 0; vertex < positions.count; vertex++) {
        if (chosen.has(placeOf(positions, vertex))) isChosen[vertex] = 1;
        if (work.isDue()) await work.pause();
      }
      const kept: number[] = [];
      for (let corner = 0; corner + 2 < all.count; corner += 3) {
        const [a, b, c] = [all.getX(corner), all.getX(corner + 1), all.getX(corner + 2)];
        if (!(isChosen[a] && isChosen[b] && isChosen[c])) kept.push(a, b, c);
        if (work.isDue()) await work.pause();
      }
      // In place, because lines of a wireframe follow the version of the index.
      kept.forEach((vertex, at) => index.setX(at, vertex));
      index.needsUpdate = true;
      geometry.setDrawRange(0, kept.length);
    }
  }

  private unmark() {
    this.drawnPoints?.geometry.dispose();
    this.drawnPoints = undefined;
    this.marked = undefined;
    this.points = new Float32Array();
    this.sections = new Set();
    this.note.textContent = '';
  }

  close() {
    this.listed.stop();
    this.shown.stop();
    this.unmark();
  }
}

/** Work in pieces, between which the page answers the user. */
class Slices {
  private done = 0;

  constructor(private readonly current: Current) {}

  isDue(): boolean {
    this.done += 1;
    return this.done % slice === 0;
  }

  pause(): Promise<void> {
    return this.current(new Promise((resolve) => setTimeout(resolve)));
  }
}

/** Values of the options that stay the same from one level of detail to another: two selections may have one name. */
function keysOf(names: [number, string, boolean][]): string[] {
  const counts = new Map<string, number>();
  const keys: string[] = [];
  for (const [, name] of names) {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    keys.push(`${name}\n${count}`);
  }
  return keys;
}

/** The content of a selection, and the part of it that this level does not draw. */
function describe(points: number, sections: number, parts: number): string {
  if (points === 0 && sections === 0) return t('selectionNothing');
  const said = [];
  if (points > 0) said.push(t('selectionPoints', grouped(points)));
  if (sections > 0) said.push(t('selectionSections', grouped(sections)));
  if (parts < sections) said.push(t('selectionNotDrawn', grouped(sections - parts)));
  return said.join(' ');
}

function placeOf(list: Positions, at: number): string {
  return `${list.getX(at)} ${list.getY(at)} ${list.getZ(at)}`;
}

function pointsAt(places: Float32Array): three.Points {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute('position', new three.BufferAttribute(places, 3));
  const points = new three.Points(geometry, new three.PointsMaterial({ color: 0xd03010, size: 7, sizeAttenuation: false, depthTest: false }));
  points.renderOrder = 2;
  return points;
}

const tint = new three.MeshBasicMaterial({ color: 0xd03010, transparent: true, opacity: 0.55, depthWrite: false, side: three.DoubleSide, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 });

/** A part again, in the color of selections. It has the triangles of the part, which may be hidden, and its bones. */
function tinted(part: three.Mesh): three.Mesh {
  const copy = part.clone();
  copy.material = tint;
  copy.visible = true;
  copy.renderOrder = 1;
  return copy;
}
