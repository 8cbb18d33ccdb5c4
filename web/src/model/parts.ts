// The parts of a model, each of which can be hidden. Hidden parts stay hidden in other levels of detail, by their names.
import type * as three from 'three';

import { button, checkbox, el } from '../dom';
import { grouped, short, t } from '../strings';
import { lastName } from './load';

const mostRows = 2000;

export class Parts {
  readonly element = el('div', { class: 'parts', role: 'group', 'aria-label': t('parts') });
  /** The parts that the user showed or hid, by name. */
  private readonly wanted = new Map<string, boolean>();
  private rows: { key: string; mesh: three.Mesh; box?: HTMLInputElement }[] = [];

  constructor(private readonly changed: () => void) {}

  take(meshes: three.Mesh[]) {
    const counts = new Map<string, number>();
    this.rows = [];
    for (const mesh of meshes) {
      const label = String(mesh.userData.label);
      const number = counts.get(label) ?? 0;
      counts.set(label, number + 1);
      const key = `${label}\n${number}`;
      mesh.visible = this.wanted.get(key) ?? mesh.visible;
      this.rows.push({ key, mesh });
    }
    const tools = el('div', { class: 'tools' }, button(t('showAll'), () => this.all(true)), button(t('hideAll'), () => this.all(false)));
    this.element.replaceChildren(el('h3', {}, `${t('parts')} (${grouped(meshes.length)})`), tools);
    for (const row of this.rows.slice(0, mostRows)) {
      const label = checkbox(nameOf(row.mesh), row.mesh.visible, (on) => this.show(row.key, row.mesh, on));
      label.append(el('span', { class: 'part-facts' }, factsOf(row.mesh)));
      row.box = label.querySelector('input')!;
      this.element.append(label);
    }
    if (this.rows.length > mostRows) this.element.append(el('p', {}, t('notListed', grouped(this.rows.length - mostRows))));
  }

  private show(key: string, mesh: three.Mesh, on: boolean) {
    this.wanted.set(key, on);
    mesh.visible = on;
    this.changed();
  }

  private all(on: boolean) {
    for (const { key, mesh, box } of this.rows) {
      this.wanted.set(key, on);
      mesh.visible = on;
      if (box) box.checked = on;
    }
    this.changed();
  }
}

/** Parts of a level of detail have a number, by which they are found among its sections. */
function nameOf({ userData: { label, part } }: three.Mesh): string {
  const name = short(String(label), 200);
  return part === undefined ? name : `${part}: ${name}`;
}

/** The facts that tell parts with one name apart: triangles, material, and why a part is not shown at first. */
function factsOf({ geometry, userData: { label, material, isHidden } }: three.Mesh): string {
  const corners = geometry.getIndex()?.count ?? geometry.getAttribute('position').count;
  const facts = [t('triangleCount', grouped(Math.floor(corners / 3)))];
  const look = lastName(material);
  if (look && look !== label) facts.push(short(look, 100));
  if (isHidden) facts.push(t('partHidden'));
  return facts.join(' · ');
}
