// The clips of a model: choosing, playing, speed and single frames.
import * as three from 'three';

import { button, el, labelled, select } from '../dom';
import type { Context } from '../panel';
import type { Place } from '../place';
import type { Timing } from '../protocol';
import { grouped, short, t } from '../strings';
import type { Choice } from './choices';
import { type Frames, framesOf } from './frames';

const speeds = ['0.1', '0.25', '0.5', '1', '2', '4'];
interface Named {
  key: string;
  label: string;
  clip: three.AnimationClip;
  /** Frames per second. */
  rate?: number;
  /** True if its times are shares of its length, from 0 to 1, as in animation files. */
  isShare: boolean;
}

export class Player {
  readonly element = el('div', { class: 'tools clips', hidden: true });
  private readonly timer = new three.Timer();
  private readonly timeline = el('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0, id: 'timeline' });
  private readonly clock = el('output', { class: 'clock' });
  private readonly frame = el('input', { type: 'number', id: 'frame', step: 1, min: 0 });
  private readonly frameCount = el('output', { class: 'frame-count' });
  /** The controls that move a clip: hidden without one. */
  private readonly moving = el('span', { class: 'moving', hidden: true });
  private readonly playButton = button(t('play'), () => this.press());
  private readonly steps = [stepButton('‹', t('frameBack'), () => this.stepBy(-1)), stepButton('›', t('frameForward'), () => this.stepBy(1))];
  private readonly choice = el('select', { id: 'clip' });
  private mixer: three.AnimationMixer | undefined;
  private action: three.AnimationAction | undefined;
  private clips: Named[] = [];
  /** The addresses of animation files. */
  private files = new Set<string>();
  private frames: Frames | undefined;
  private isShare = false;
  private readonly timeName = labelled(t('time'), this.timeline);
  private isPlaying = false;
  private nextFrame = 0;
  private speed = 1;
  /** The part of the place that the view shows. */
  private followed: Pick<Place, 'clip' | 'time'> | undefined;

  /** `posed` is called when the bones moved, `move` changes the place, and `missed` tells of a clip that does not exist. */
  constructor(private readonly context: Context, private readonly posed: () => void, private readonly move: (change: Pick<Place, 'clip' | 'time'>) => void, private readonly missed: (clip: string) => void) {
    const speed = select(speeds.map((factor): [string, string] => [factor, `${factor} ×`]), '1', (factor) => {
      this.speed = Number(factor);
    });
    this.choice.addEventListener('change', () => this.move({ clip: this.choice.value, time: undefined }));
    this.timeline.addEventListener('input', () => {
      this.pause();
      this.seek(Number(this.timeline.value));
    });
    this.timeline.addEventListener('change', () => this.keepTime());
    this.frame.addEventListener('change', () => this.goToFrame());
    const [back, forward] = this.steps;
    this.moving.append(this.playButton, back, labelled(t('frame'), this.frame), forward, this.frameCount, this.timeName, this.clock, labelled(t('speed'), speed));
    this.element.append(labelled(t('clip'), this.choice), this.moving);
  }

  /**
   * Takes the clips of another model or level of detail. An animation file among `motions` is chosen by its address, and
   * its clip is the only one when it is loaded.
   */
  take(root: three.Object3D, clips: three.AnimationClip[], timings: Timing[], motions: Choice[], motion: Choice | undefined) {
    this.stop();
    this.mixer = new three.AnimationMixer(root);
    this.clips = [];
    if (motion) {
      if (clips[0]) this.clips.push({ key: motion.address, label: motion.address, clip: clips[0], isShare: true });
    } else {
      this.clips = named(clips, timings);
    }
    this.listChoices(motions);
    this.followed = undefined;
    this.follow(this.context.place);
  }

  private listChoices(motions: Choice[]) {
    this.element.hidden = this.clips.length === 0 && motions.length === 0;
    this.choice.replaceChildren(el('option', { value: '' }, t('noClip')));
    this.files = new Set(motions.map(({ address }) => address));
    for (const { key, label, clip } of this.clips) {
      if (!this.files.has(key)) this.choice.append(el('option', { value: key }, `${short(label, 100)} (${clip.duration.toFixed(2)} s)`));
    }
    if (motions.length === 0) return;
    const group = el('optgroup', { label: t('motion') });
    for (const { address } of motions) group.append(el('option', { value: address }, short(address, 200)));
    this.choice.append(group);
  }

  /** Shows the clip and the time of a place. */
  follow({ clip, time }: Pick<Place, 'clip' | 'time'>) {
    const before = this.followed;
    if (before && before.clip === clip && before.time === time) return;
    this.followed = { clip, time };
    if (!before || before.clip !== clip) this.start(clip);
    if (time !== undefined) {
      this.pause();
      this.seek(time);
    } else if (!prefersStill()) {
      this.play();
    }
  }

  /** Without a name, the first clip. */
  private start(key: string | undefined) {
    this.pause();
    this.mixer?.stopAllAction();
    this.action = undefined;
    const wanted = key === undefined ? this.clips[0] : this.clips.find((clip) => clip.key === key);
    const isFile = this.files.has(key ?? '');
    if (!wanted && key && !isFile) this.missed(key);
    this.choice.value = wanted?.key ?? (isFile ? key! : '');
    const duration = wanted?.clip.duration ?? 0;
    this.frames = wanted && framesOf(wanted.clip, wanted.rate);
    this.frame.min = String(this.frames?.first ?? 0);
    this.frame.max = String(this.frames?.last ?? 0);
    const rate = this.frames?.rate;
    this.isShare = wanted?.isShare ?? false;
    this.timeName.querySelector('span')!.textContent = t(this.isShare ? 'phase' : 'time');
    this.timeName.title = this.isShare ? t('phaseHint') : '';
    this.frameCount.textContent = this.frames ? t('frameOf', grouped(this.frames.last)) + (rate ? ` · ${t('perSecond', rateText(rate))}` : '') : '';
    this.timeline.max = String(duration || 1);
    const isIdle = !wanted || duration === 0;
    this.moving.hidden = isIdle;
    for (const control of [this.playButton, ...this.steps, this.timeline, this.frame]) control.disabled = isIdle;
    if (wanted) this.action = this.mixer!.clipAction(wanted.clip).play();
    this.seek(0);
  }

  private seek(seconds: number) {
    if (this.action) {
      const { duration } = this.action.getClip();
      this.action.time = Math.min(Math.max(0, seconds), duration);
      this.mixer!.update(0);
    }
    this.showTime();
    this.posed();
  }

  private showTime() {
    const time = this.action?.time ?? 0;
    const number = time.toFixed(2);
    const text = this.isShare ? t('phaseOf', number) : `${number} s`;
    this.timeline.value = String(time);
    this.timeline.setAttribute('aria-valuetext', text);
    this.clock.textContent = this.action ? text : '';
    // Keep the text that the user is typing.
    if (this.frames && (!this.isPlaying || document.activeElement !== this.frame)) this.frame.value = String(this.frames.at(time));
  }

  private press() {
    if (this.isPlaying) {
      this.pause();
      this.keepTime();
      return;
    }
    this.followed = { clip: this.context.place.clip, time: undefined };
    this.move({ time: undefined });
    this.play();
  }

  /** Goes to the next frame, or to the one before. */
  private stepBy(direction: 1 | -1) {
    this.pause();
    const now = this.action?.time ?? 0;
    if (this.frames) this.seek(this.frames.timeOf(direction > 0 ? this.frames.next(now) : this.frames.previous(now)));
    this.keepTime();
  }

  /** Goes to the frame that the user wrote, or to the nearest one that exists. */
  private goToFrame() {
    const { frames } = this;
    if (!frames) return;
    this.pause();
    const wanted = Math.round(Number(this.frame.value)) || frames.first;
    this.seek(frames.timeOf(Math.min(Math.max(frames.first, wanted), frames.last)));
    this.keepTime();
  }

  /** Puts the time of a clip that stands still into the address. */
  private keepTime() {
    const time = this.action?.time;
    this.followed = { clip: this.context.place.clip, time };
    this.move({ time });
  }

  private play() {
    if (this.isPlaying || !this.action || this.playButton.disabled) return;
    this.isPlaying = true;
    this.playButton.textContent = t('pause');
    this.timer.update();
    this.nextFrame = requestAnimationFrame(() => this.tick());
  }

  private tick() {
    if (!this.isPlaying || !this.action) return;
    this.nextFrame = requestAnimationFrame(() => this.tick());
    this.timer.update();
    // In another tab of the file, nobody sees the model.
    if (!this.element.checkVisibility()) return;
    // Not what the page has missed while it was hidden.
    this.mixer!.update(Math.min(this.timer.getDelta(), 0.25) * this.speed);
    this.showTime();
    this.posed();
  }

  private pause() {
    this.isPlaying = false;
    // A clip that plays again at once would move in two loops.
    cancelAnimationFrame(this.nextFrame);
    this.playButton.textContent = t('play');
  }

  private stop() {
    this.pause();
    this.mixer?.stopAllAction();
    this.action = undefined;
  }

  close() {
    this.stop();
  }
}

function prefersStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Names of clips are keys in addresses; those without a name of their own have a number. */
function named(clips: three.AnimationClip[], timings: Timing[]): Named[] {
  const known = new Set<string>();
  const all: Named[] = [];
  const left = [...timings];
  for (const [index, clip] of clips.entries()) {
    let key = clip.name;
    if (!key || known.has(key)) key = `${key}#${index}`;
    known.add(key);
    const own = left.findIndex(({ name }) => name === clip.name);
    const [timing] = own < 0 ? [] : left.splice(own, 1);
    // The last key may lie behind the end that the file gives.
    if (timing?.seconds) clip.duration = timing.seconds;
    all.push({ key, label: clip.name || `#${index}`, clip, rate: timing?.rate ?? undefined, isShare: false });
  }
  return all;
}

function rateText(rate: number): string {
  return grouped(Number(rate.toFixed(2)));
}

function stepButton(sign: string, label: string, onclick: () => void): HTMLButtonElement {
  const made = button(sign, onclick);
  made.setAttribute('aria-label', label);
  made.title = label;
  return made;
}
