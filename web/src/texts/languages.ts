// The languages of texts, by the endings of names.

const byEnding: Record<string, string[]> = {
  // Configs and materials of Arma have the preprocessor and the classes of C++. Enforce Script of DayZ is close to it.
  cpp: ['bikb', 'bisurf', 'c', 'cc', 'cfg', 'cpp', 'emat', 'ext', 'fsm', 'fx', 'fxh', 'h', 'hlsl', 'glsl', 'hpp', 'hxx', 'inc', 'rvmat', 'sqm'],
  sqf: ['sqf', 'sqs'],
  lua: ['lua'],
  xml: ['html', 'imageset', 'layout', 'styles', 'svg', 'xml'],
  json: ['json', 'meta', 'gltf'],
  ini: ['conf', 'ini', 'toml'],
  markdown: ['md'],
};

/** The name of the language, or nothing for a plain text. */
export function languageOf(name: string): string | undefined {
  const ending = name.split('.').pop()!.toLowerCase();
  return Object.keys(byEnding).find((language) => byEnding[language].includes(ending));
}
