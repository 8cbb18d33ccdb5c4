// The selected bytes: their size, and buttons that copy or save them.
import { button, el, fileName } from '../dom';
import type { Context } from '../panel';
import { mostSaved, saveInPieces } from '../saving';
import { bytesCount, grouped, hexOffset, short, t } from '../strings';

const mostCopied = 1 << 20;

export class RangeTools {
  readonly element = el('div', { class: 'tools range' });
  private readonly size = el('span', { role: 'status', id: 'selected-bytes' });
  private readonly field = el('span', { id: 'field-here' });
  private readonly wholeField = button(t('selectField'), () => this.selectField());

  /** `range` returns the offset and the number of the selected bytes; `selectField` selects the field at the caret. */
  constructor(private readonly context: Context, private readonly range: () => [number, number], private readonly selectField: () => void) {
    this.wholeField.id = 'select-field';
    this.wholeField.title = t('doubleClick');
    // Its size does not depend on its text, so that the bytes do not move.
    this.element.append(el('div', { class: 'where' }, this.size, ' ', this.field), this.wholeField,
      button(t('copyHex'), () => this.copyHex()),
      button(t('copyText'), () => this.copy(textOf)),
      button(t('saveBytes'), () => void this.save().catch(this.context.failed)));
  }

  copyHex() {
    this.copy(hexOf);
  }

  /** Says which bytes are selected, and in which field one of them lies. */
  refresh(field?: { name: string; offset: number; bytes: number }) {
    const [offset, bytes] = this.range();
    this.wholeField.disabled = !field;
    this.field.textContent = field ? t('fieldHere', short(field.name, 60), hexOffset(field.offset), hexOffset(field.offset + field.bytes - 1)) : '';
    this.field.title = this.field.textContent;
    const text = this.context.about.bytes === 0 ? '' : t('selectedBytes', hexOffset(offset), hexOffset(offset + bytes - 1), bytesCount(bytes));
    // A status that is set again is read again.
    if (this.size.textContent !== text) this.size.textContent = text;
  }

  private copy(form: (bytes: Uint8Array<ArrayBuffer>) => string) {
    const [offset, bytes] = this.range();
    this.context.client.ask(this.context.handle, 'bytes', offset, Math.min(bytes, mostCopied))
      .then((part) => navigator.clipboard.writeText(form(part)))
      .then(() => {
        if (bytes > mostCopied) this.context.say(t('copiedPart', grouped(mostCopied), grouped(bytes)));
        else this.context.confirm(t('copied'));
      })
      .catch(this.context.failed);
  }

  private async save() {
    const [offset, bytes] = this.range();
    const { client, handle, about, progress } = this.context;
    const read = (at: number, count: number) => client.ask(handle, 'bytes', offset + at, count);
    const name = fileName(about.address, `_${hexOffset(offset)}.bin`);
    await saveInPieces(name, 'application/octet-stream', { bytes: Math.min(bytes, mostSaved), read }, progress);
    this.context.say(bytes > mostSaved ? t('savedPart', grouped(mostSaved), grouped(bytes)) : '');
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** As UTF-8. A clipboard ends a text at a NUL, so that is copied as its symbol. */
function textOf(bytes: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '\u2400');
}
