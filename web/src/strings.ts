// The words of the page in each language. Names, values and messages of files are shown as they are.

import * as bytes from './words/bytes';
import * as model from './words/model';
import * as page from './words/page';

const en = { ...page.en, ...model.en, ...bytes.en };
const ru: typeof en = { ...page.ru, ...model.ru, ...bytes.ru };
const zh: typeof en = { ...page.zh, ...model.zh, ...bytes.zh };

type Key = keyof typeof en;

/** A word stands in one file: of two, the later one would silently take the place of the other. */
type Twice = (keyof typeof page.en & keyof (typeof model.en & typeof bytes.en)) | (keyof typeof model.en & keyof typeof bytes.en);
const noWordTwice: [Twice] extends [never] ? true : Twice = true;
void noWordTwice;

export const languages = { en, ru, zh };
export type Language = keyof typeof languages;

function preferred(): Language {
  const kept = localStorage.getItem('language');
  const wanted = [kept ?? '', ...navigator.languages].map((name) => name.slice(0, 2));
  return (wanted.find((name) => name in languages) ?? 'en') as Language;
}

export let language: Language = preferred();

export function setLanguage(wanted: Language) {
  language = wanted;
  localStorage.setItem('language', wanted);
}

/** A text in the language of the page, with `{0}` and so on replaced. */
export function t(key: Key, ...values: (string | number)[]): string {
  return languages[language][key].replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)] ?? ''));
}

export function grouped(number: number): string {
  return number.toLocaleString(language);
}

/** A number of bytes, in words. */
export function bytesCount(number: number): string {
  return number.toLocaleString(language, { style: 'unit', unit: 'byte', unitDisplay: 'long' });
}

/** A text from a file, cut where a page would no longer be legible: browsers take minutes for a line of a megabyte. */
export function short(text: string, most = 500): string {
  return text.length > most ? `${text.slice(0, most)}… (${grouped(text.length)})` : text;
}

export function hexOffset(offset: number): string {
  return `0x${offset.toString(16)}`;
}
