// Search for translated pages: mdBook's own knows words of ASCII letters alone. The build writes the list `pages`.
const box = document.createElement('div');
box.className = 'own-search';
const input = document.createElement('input');
input.type = 'search';
const words = { ru: ['Поиск', 'Ничего не найдено'], 'zh-Hans': ['搜索', '没有找到'] }[document.documentElement.lang];
const list = document.createElement('ul');
list.setAttribute('aria-live', 'polite');

function find() {
  const wanted = input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren();
  if (wanted.length === 0) return;
  const found = pages.filter(({ title, text }) => wanted.every((word) => `${title} ${text}`.toLowerCase().includes(word)));
  for (const { title, text, link } of found.slice(0, 20)) {
    const row = document.createElement('li');
    const anchor = document.createElement('a');
    anchor.href = root + link;
    anchor.textContent = title;
    const at = Math.max(0, text.toLowerCase().indexOf(wanted[0]) - 40);
    row.append(anchor, ` ${text.slice(at, at + 120)}`);
    list.append(row);
  }
  if (found.length === 0) list.append(Object.assign(document.createElement('li'), { textContent: words[1] }));
}

if (words) {
  input.placeholder = words[0];
  input.setAttribute('aria-label', words[0]);
  input.addEventListener('input', find);
  // Keys are for this field, not for mdBook's shortcuts.
  input.addEventListener('keydown', (event) => event.stopPropagation());
  box.append(input, list);
  document.querySelector('main').prepend(box);
}
