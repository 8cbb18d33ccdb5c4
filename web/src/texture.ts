// A texture or picture: its levels, its channels, and the value of a pixel.
import { button, checkbox, el, fileName, labelled, save, select } from './dom';
import { type Current, Latest } from './latest';
import { messageOf } from './messages';
import type { Context, Panel } from './panel';
import type { Place } from './place';
import { type Channels, drawChannels } from './pictures/channels';
import { mostPixels, type Pixels, type PictureSource, pictureSource, textureSource } from './pictures/sources';
import { PictureView } from './pictures/view';
import { t } from './strings';

export async function openTexture(context: Context): Promise<Panel> {
  return new Picture(context, await textureSource(context));
}

export async function openPicture(context: Context): Promise<Panel> {
  return new Picture(context, await pictureSource(context));
}

class Picture implements Panel {
  readonly element = el('div', { class: 'texture' });
  private readonly view: PictureView;
  private readonly value = el('output', { class: 'pixel' });
  private readonly scale = el('span', { class: 'scale' });
  private readonly notes = el('p', { class: 'notes', role: 'status' });
  private readonly mips: HTMLSelectElement;
  private readonly drawn: Latest;
  private readonly channels: Channels = [true, true, true, true];
  private pixels: Pixels | undefined;
  private level = -1;
  /** The level of the place that was last looked up. */
  private saidMip: Place['mip'];

  constructor(private readonly context: Context, private readonly source: PictureSource) {
    this.drawn = new Latest((error) => this.refused(error));
    this.view = new PictureView((x, y) => this.point(x, y), (scale) => (this.scale.textContent = t('percent', Math.round(scale * 100))));
    const { levels } = source;
    this.mips = select(levels.map(({ width, height }, index): [string, string] => [String(index), `${index}: ${width} × ${height}`]), '0', (level) => this.show(Number(level)));
    this.mips.id = 'mip';
    const tools = el('div', { class: 'tools' });
    if (levels.length > 1) tools.append(labelled(t('mip'), this.mips));
    tools.append(button(t('fit'), () => this.view.fit()), button(t('actualSize'), () => this.view.actual()),
      button('+', () => this.view.zoom(1.25)), button('−', () => this.view.zoom(0.8)), this.scale, this.chooseChannels(),
      button(t('savePng'), () => void this.save().catch(context.failed)), this.value);
    this.element.append(tools, this.notes, this.view.box);
    this.checkLevel(context.place);
    if (levels.length > 0) this.show(this.levelOf(context.place) ?? this.firstLevel());
    else this.refused(new Error(t('noPicture')));
  }

  closed() {
    this.drawn.stop();
  }

  placed(place: Readonly<Place>) {
    this.checkLevel(place);
    const level = this.levelOf(place);
    if (level !== undefined && level !== this.level) this.show(level);
  }

  private levelOf({ mip }: Readonly<Place>): number | undefined {
    return mip !== undefined && mip < this.source.levels.length ? mip : undefined;
  }

  /** Says that the address names a mip that does not exist. */
  private checkLevel({ tab, mip }: Readonly<Place>) {
    if (tab !== 'texture' || mip === this.saidMip) return;
    this.saidMip = mip;
    if (mip !== undefined && mip >= this.source.levels.length) this.context.say(t('noLevel', mip));
  }

  /** The largest that is shown. */
  private firstLevel(): number {
    const index = this.source.levels.findIndex(({ width, height }) => width * height <= mostPixels);
    return Math.max(0, index);
  }

  private chooseChannels(): HTMLElement {
    const group = el('div', { class: 'tools', role: 'group', 'aria-label': t('channels') });
    ['R', 'G', 'B', 'A'].forEach((name, index) => {
      group.append(checkbox(name, true, (on) => {
        this.channels[index] = on;
        void this.drawn.run((current) => this.draw(current));
      }));
    });
    return group;
  }

  private show(level: number) {
    this.level = level;
    this.mips.value = String(level);
    void this.drawn.run(async (current, signal) => {
      this.pixels = await current(this.source.pixels(level, signal));
      // The place of a picture without levels is that of the file.
      if (this.source.levels.length > 1) this.context.move({ mip: level });
      await this.draw(current);
    });
  }

  private async draw(current: Current) {
    if (!this.pixels) return;
    const { width, height, note } = this.pixels;
    this.notes.textContent = note ?? '';
    delete this.notes.dataset.refused;
    const canvas = await drawChannels(this.pixels, this.channels, current);
    canvas.setAttribute('aria-label', t('mipImage', this.level, width, height));
    canvas.dataset.ready = String(this.level);
    canvas.dataset.channels = this.channels.map(Number).join('');
    this.view.show(canvas);
  }

  private refused(error: unknown) {
    this.pixels = undefined;
    this.view.show(undefined);
    this.notes.textContent = messageOf(error);
    this.notes.dataset.refused = '';
    this.value.textContent = '';
  }

  private point(x: number, y: number) {
    const { pixels } = this;
    if (!pixels || x < 0 || y < 0 || x >= pixels.width || y >= pixels.height) {
      this.value.textContent = '';
      return;
    }
    const at = (y * pixels.width + x) * 4;
    const values = pixels.data.subarray(at, at + 4);
    const hex = Array.from(values, (value) => value.toString(16).padStart(2, '0')).join('');
    this.value.textContent = `${x}, ${y}: R ${values[0]} G ${values[1]} B ${values[2]} A ${values[3]} #${hex}`;
  }

  /** Saves all channels as stored, whichever are shown. */
  private async save() {
    if (!this.pixels) return;
    const { width, height, data } = this.pixels;
    const png = await this.context.client.call('png', width, height, new Uint8Array(data));
    const ending = this.source.levels.length > 1 ? `_${this.level}.png` : '.png';
    save(fileName(this.context.about.address, ending), png, 'image/png');
  }
}
