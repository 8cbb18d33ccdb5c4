// The layout of the texture coordinates, as lines over a square.
import type * as three from 'three';

import { el } from '../dom';
import { t } from '../strings';

const mostTriangles = 100_000;

export class UvLayout {
  readonly canvas = el('canvas', { class: 'uv', width: 512, height: 512, role: 'img', hidden: true, 'aria-label': t('uv') });

  /** Draws the visible meshes. Returns the number of triangles that are not drawn. */
  draw(meshes: three.Mesh[]): number {
    if (this.canvas.hidden) return 0;
    const context = this.canvas.getContext('2d')!;
    const side = this.canvas.width;
    context.clearRect(0, 0, side, side);
    context.strokeStyle = getComputedStyle(this.canvas).color;
    context.lineWidth = 0.5;
    context.beginPath();
    let left = mostTriangles;
    let cut = 0;
    for (const mesh of meshes) {
      const uv = mesh.geometry.getAttribute('uv');
      const index = mesh.geometry.getIndex();
      if (!mesh.visible || !uv || !index) continue;
      const triangles = Math.floor(index.count / 3);
      const drawn = Math.min(triangles, left);
      left -= drawn;
      cut += triangles - drawn;
      for (let at = 0; at < 3 * drawn; at += 3) {
        const [a, b, c] = [index.getX(at), index.getX(at + 1), index.getX(at + 2)];
        context.moveTo(uv.getX(a) * side, uv.getY(a) * side);
        context.lineTo(uv.getX(b) * side, uv.getY(b) * side);
        context.lineTo(uv.getX(c) * side, uv.getY(c) * side);
        context.lineTo(uv.getX(a) * side, uv.getY(a) * side);
      }
    }
    context.stroke();
    return cut;
  }
}
