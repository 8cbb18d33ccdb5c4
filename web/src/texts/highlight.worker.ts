// Finds the tokens of a text. In a worker of its own, because expressions can take long on odd texts.
import { createLowlight } from 'lowlight';
import cpp from 'highlight.js/lib/languages/cpp';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import lua from 'highlight.js/lib/languages/lua';
import markdown from 'highlight.js/lib/languages/markdown';
import sqf from 'highlight.js/lib/languages/sqf';
import xml from 'highlight.js/lib/languages/xml';
import { type TokenKind, tokenKinds } from './tokens';

const lowlight = createLowlight({ cpp, ini, json, lua, markdown, sqf, xml });

/** The kinds of the library that are drawn alike. */
const alike: Record<string, TokenKind> = {
  comment: 'comment', quote: 'comment', doctag: 'comment',
  keyword: 'keyword', literal: 'keyword', type: 'keyword', 'selector-tag': 'keyword', name: 'keyword', tag: 'keyword', bullet: 'keyword',
  string: 'string', regexp: 'string', link: 'string', code: 'string', symbol: 'string',
  number: 'number',
  meta: 'meta', section: 'meta',
  title: 'title', built_in: 'title', attr: 'title', attribute: 'title', variable: 'title', property: 'title',
};

interface Tree {
  type: string;
  value?: string;
  properties?: { className?: string[] };
  children?: Tree[];
}

self.onmessage = ({ data: { text, language } }: MessageEvent<{ text: string; language: string }>) => {
  const tokens: number[] = [];
  let at = 0;
  // The innermost kind counts. Texts nest only a few levels.
  const visit = (tree: Tree, around: number) => {
    if (tree.type === 'text') {
      const end = at + tree.value!.length;
      if (around >= 0) tokens.push(at, end, around);
      at = end;
      return;
    }
    const [name] = tree.properties?.className ?? [];
    const kind = alike[name?.replace(/^hljs-/, '').replace(/\..*/, '') ?? ''];
    for (const child of tree.children ?? []) visit(child, kind ? tokenKinds.indexOf(kind) : around);
  };
  visit(lowlight.highlight(language, text) as Tree, -1);
  const answer = Uint32Array.from(tokens);
  (self as unknown as Worker).postMessage(answer, [answer.buffer]);
};
