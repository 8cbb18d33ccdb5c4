// A texture with its mips.
import { button, el, fileName, labelled, save, select } from './dom';
import type { Context, Panel } from './panel';
import { t } from './strings';

interface Mip {
  width: number;
  height: number;
}

export class Texture implements Panel {
  readonly element = el('div', { class: 'texture' });
  private readonly canvas = el('canvas', { role: 'img' });
  private index = 0;

  constructor(private readonly context: Context, mips: Mip[]) {
    const mip = select(mips.map(({ width, height }, index): [string, string] => [String(index), `${index}: ${width} × ${height}`]), '0', (value) => void this.show(Number(value)));
    const zoom = select(['1', '2', '4', '8'].map((factor): [string, string] => [factor, `${factor} ×`]), '1', (factor) => {
      this.canvas.style.width = `${this.canvas.width * Number(factor)}px`;
    });
    const png = button(t('savePng'), () => this.canvas.toBlob((blob) => blob && save(fileName(context.about.address, `_${this.index}.png`), blob, 'image/png')));
    const scroll = el('div', { class: 'scroll picture', tabindex: 0, role: 'region', 'aria-label': t('texture') }, this.canvas);
    this.element.append(el('div', { class: 'tools' }, labelled(t('mip'), mip), labelled(t('zoom'), zoom), png), scroll);
    void this.show(0);
  }

  private async show(index: number) {
    try {
      const [size, pixels] = await this.context.client.ask<[string, Uint8Array]>(this.context.handle, 'mip', index);
      const [width, height] = JSON.parse(size) as [number, number];
      this.index = index;
      this.canvas.width = width;
      this.canvas.height = height;
      this.canvas.style.width = `${width}px`;
      this.canvas.setAttribute('aria-label', t('mipImage', index, width, height));
      this.canvas.getContext('2d')!.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
      this.canvas.dataset.ready = String(index);
    } catch (error) {
      this.context.failed(error);
    }
  }
}
