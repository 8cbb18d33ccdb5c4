// The words of the page in each language. Names, values and messages of files are shown as they are.

const en = {
  skip: 'Skip to content', openFiles: 'Open files', openFolder: 'Open folder', language: 'Language', cancel: 'Cancel',
  cancelled: 'Cancelled.', working: 'Working…', progress: 'Progress', files: 'Files', welcomeTitle: 'Look into 3D game assets',
  welcome: 'Drop files or a folder here: .b3d, .bmx, .lod, .p3d, .rtm, .paa, .pbo, .zip. Nothing leaves this browser.',
  facts: 'Facts', bytes: 'Bytes', model: 'Model', texture: 'Texture', arrays: 'Arrays',
  missingFile: 'This address is in {0}. Open that file to see it.', more: 'Show more', members: 'members',
  version: 'Version', size: 'Size', format: 'Format', bounds: 'Bounds', counts: 'Counts', references: 'References',
  problems: 'Problems', noProblems: 'No problems found.', kind: 'Kind', name: 'Name', state: 'State', found: 'found', missing: 'missing', procedural: 'computed by the game', ambiguous: 'several files', unresolved: 'depends on a macro', unread: 'not all read',
  elsewhere: 'Elsewhere:', furtherFiles: '{0} more', file: 'File', via: 'Named in', percent: '{0} %',
  unknown: 'nothing to compare with', severity: 'Severity', offset: 'Offset', message: 'Message', code: 'Code', verify: 'Check everything',
  verified: 'Every block was decoded and every index checked.',
  verifiedArchive: 'The whole archive was checked, and the assets in it: {0}.', verifiedMembers: 'The directory was checked, and the files in the archive: {0}; not the checksum of the whole archive, which is too large for this page.',
  verifySkipped: 'Files that could not be checked: {0} (too large, encrypted, or packed in an unknown way).', verifyCut: 'Further problems are not listed.', verifiedNothing: 'The file did not open, so that its content was not checked.',
  tree: 'Parts and fields', hex: 'Bytes in hexadecimal', goTo: 'Go to offset', go: 'Go', search: 'Search',
  searchText: 'Text', searchHex: 'Hex bytes', searchFor: 'Search for', next: 'Next', notFound: 'Not found.', notHex: 'Write bytes as hex digits, such as 42 42 33 44.',
  notOffset: 'Write an offset such as 0x1f0 or 496.', copyHex: 'Copy hex', copyValue: 'Copy value', copySelector: 'Copy selector', copied: 'Copied.',
  type: 'Type', value: 'Value', meaning: 'Meaning', document: 'In the document', selector: 'Selector', details: 'Selected field', cut: 'The tree is cut after {0} lines.',
  noFields: 'Select a line or a byte.', expandAll: 'Expand all', collapseAll: 'Collapse all', lod: 'Level of detail', parts: 'Parts', selections: 'Selections', hideSelection: 'Hide selection', wireframe: 'Wireframe', normals: 'Normals', uv: 'UV layout', bones: 'Bones',
  boundsBox: 'Bounds', axes: 'Axes', textures: 'Textures', clip: 'Clip', noClip: 'None', play: 'Play', pause: 'Pause', time: 'Time', motion: 'Animation file', saveGlb: 'Save .glb',
  savePng: 'Save .png', saveCsv: 'Save .csv', saveNpy: 'Save .npy', noTriangles: 'No triangles.', tooManyParts: 'This model has too many parts to be drawn here.', leftOut: '{0} triangles have a corner that does not exist and are left out.',
  unreadable: '{0} parts cannot be read and are left out.', notExported: 'Not offered as .glb: {0}', noWebgl: 'This browser has no WebGL, which the view needs.', view3d: 'View of the model: drag to turn, scroll to come nearer, arrow keys to turn',
  mip: 'Mip', mipImage: 'Mip {0}: {1} × {2} pixels', zoom: 'Zoom', array: 'Array', plot: 'Plot of column', rows: '{0} rows', table: 'Rows of the array', row: 'Row', plotLabel: '{0}: from {1} to {2}',
  reset: 'Reset view', showAll: 'Show all', hideAll: 'Hide all', badFile: 'Not opened: {0}', at: 'at {0}', none: 'none', archiveBytes: '{0} of {1} bytes were read.',
};

type Key = keyof typeof en;

const ru: Record<Key, string> = {
  skip: 'К содержимому', openFiles: 'Открыть файлы', openFolder: 'Открыть папку', language: 'Язык', cancel: 'Отмена',
  cancelled: 'Отменено.', working: 'Обработка…', progress: 'Ход работы', files: 'Файлы', welcomeTitle: 'Загляните внутрь игровых 3D-файлов',
  welcome: 'Перетащите сюда файлы или папку: .b3d, .bmx, .lod, .p3d, .rtm, .paa, .pbo, .zip. Ничего не покидает браузер.',
  facts: 'Сведения', bytes: 'Байты', model: 'Модель', texture: 'Текстура', arrays: 'Массивы',
  missingFile: 'Этот адрес находится в {0}. Откройте этот файл, чтобы увидеть его.', more: 'Показать ещё', members: 'файлы архива',
  version: 'Версия', size: 'Размер', format: 'Формат', bounds: 'Границы', counts: 'Количества', references: 'Ссылки',
  problems: 'Проблемы', noProblems: 'Проблем не найдено.', kind: 'Вид', name: 'Имя', state: 'Состояние', found: 'найден', missing: 'отсутствует', procedural: 'вычисляется игрой', ambiguous: 'несколько файлов', unresolved: 'зависит от макроса', unread: 'прочитано не всё',
  elsewhere: 'В другом месте:', furtherFiles: 'ещё {0}', file: 'Файл', via: 'Указано в', percent: '{0} %',
  unknown: 'не с чем сравнить', severity: 'Важность', offset: 'Смещение', message: 'Сообщение', code: 'Код', verify: 'Проверить всё',
  verified: 'Все блоки распакованы, все индексы проверены.',
  verifiedArchive: 'Проверен весь архив и ресурсы в нём: {0}.', verifiedMembers: 'Проверены оглавление и файлы в архиве: {0}. Контрольная сумма всего архива не проверена: он слишком велик для этой страницы.',
  verifySkipped: 'Не удалось проверить файлов: {0} (слишком велики, зашифрованы или упакованы неизвестным способом).', verifyCut: 'Остальные проблемы не показаны.', verifiedNothing: 'Файл не открылся, поэтому его содержимое не проверено.',
  tree: 'Части и поля', hex: 'Байты в шестнадцатеричном виде', goTo: 'Перейти к смещению', go: 'Перейти', search: 'Поиск',
  searchText: 'Текст', searchHex: 'Байты (hex)', searchFor: 'Искать', next: 'Далее', notFound: 'Не найдено.', notHex: 'Запишите байты шестнадцатеричными цифрами, например 42 42 33 44.',
  notOffset: 'Запишите смещение, например 0x1f0 или 496.', copyHex: 'Копировать hex', copyValue: 'Копировать значение', copySelector: 'Копировать селектор', copied: 'Скопировано.',
  type: 'Тип', value: 'Значение', meaning: 'Смысл', document: 'В документе', selector: 'Селектор', details: 'Выбранное поле', cut: 'Дерево обрезано после {0} строк.',
  noFields: 'Выберите строку или байт.', expandAll: 'Развернуть всё', collapseAll: 'Свернуть всё', lod: 'Уровень детализации', parts: 'Части', selections: 'Выделения', hideSelection: 'Скрыть выделение', wireframe: 'Каркас', normals: 'Нормали', uv: 'Развёртка UV', bones: 'Кости',
  boundsBox: 'Границы', axes: 'Оси', textures: 'Текстуры', clip: 'Анимация', noClip: 'Нет', play: 'Пуск', pause: 'Пауза', time: 'Время', motion: 'Файл анимации', saveGlb: 'Сохранить .glb',
  savePng: 'Сохранить .png', saveCsv: 'Сохранить .csv', saveNpy: 'Сохранить .npy', noTriangles: 'Нет треугольников.', tooManyParts: 'В этой модели слишком много частей для просмотра.', leftOut: 'Пропущено треугольников с несуществующей вершиной: {0}.',
  unreadable: 'Пропущено нечитаемых частей: {0}.', notExported: 'Не предлагается как .glb: {0}', noWebgl: 'В этом браузере нет WebGL, который нужен для просмотра.', view3d: 'Вид модели: тяните, чтобы повернуть, прокручивайте, чтобы приблизить, стрелки поворачивают',
  mip: 'Мип', mipImage: 'Мип {0}: {1} × {2} пикселей', zoom: 'Масштаб', array: 'Массив', plot: 'График столбца', rows: 'Строк: {0}', table: 'Строки массива', row: 'Строка', plotLabel: '{0}: от {1} до {2}',
  reset: 'Сбросить вид', showAll: 'Показать все', hideAll: 'Скрыть все', badFile: 'Не открыт: {0}', at: 'на {0}', none: 'нет', archiveBytes: 'Прочитано {0} из {1} байт.',
};

const zh: Record<Key, string> = {
  skip: '跳到内容', openFiles: '打开文件', openFolder: '打开文件夹', language: '语言', cancel: '取消',
  cancelled: '已取消。', working: '处理中…', progress: '进度', files: '文件', welcomeTitle: '查看三维游戏资源的内部',
  welcome: '将文件或文件夹拖到此处：.b3d、.bmx、.lod、.p3d、.rtm、.paa、.pbo、.zip。数据不会离开此浏览器。',
  facts: '信息', bytes: '字节', model: '模型', texture: '纹理', arrays: '数组',
  missingFile: '此地址位于 {0} 中。请打开该文件以查看。', more: '显示更多', members: '成员',
  version: '版本', size: '大小', format: '格式', bounds: '边界', counts: '数量', references: '引用',
  problems: '问题', noProblems: '未发现问题。', kind: '种类', name: '名称', state: '状态', found: '已找到', missing: '缺失', procedural: '由游戏计算', ambiguous: '多个文件', unresolved: '取决于宏', unread: '未能全部读取',
  elsewhere: '在其他位置：', furtherFiles: '另有 {0} 个', file: '文件', via: '引用自', percent: '{0} %',
  unknown: '没有可比较的文件', severity: '严重程度', offset: '偏移', message: '消息', code: '代码', verify: '检查全部',
  verified: '已解码所有数据块并检查所有索引。',
  verifiedArchive: '已检查整个归档及其中的 {0} 个资源。', verifiedMembers: '已检查目录及其中的 {0} 个文件；归档过大，此页面未检查其整体校验和。',
  verifySkipped: '{0} 个文件无法检查：过大、已加密或压缩方式未知。', verifyCut: '其余问题未列出。', verifiedNothing: '文件未能打开，因此未检查其内容。',
  tree: '部分与字段', hex: '十六进制字节', goTo: '转到偏移', go: '转到', search: '搜索',
  searchText: '文本', searchHex: '十六进制字节', searchFor: '搜索内容', next: '下一个', notFound: '未找到。', notHex: '请以十六进制数字书写字节，例如 42 42 33 44。',
  notOffset: '请写出偏移，例如 0x1f0 或 496。', copyHex: '复制十六进制', copyValue: '复制值', copySelector: '复制选择器', copied: '已复制。',
  type: '类型', value: '值', meaning: '含义', document: '文档中的名称', selector: '选择器', details: '所选字段', cut: '树在 {0} 行之后被截断。',
  noFields: '请选择一行或一个字节。', expandAll: '全部展开', collapseAll: '全部折叠', lod: '细节级别', parts: '部分', selections: '选择集', hideSelection: '隐藏选择集', wireframe: '线框', normals: '法线', uv: 'UV 布局', bones: '骨骼',
  boundsBox: '边界', axes: '坐标轴', textures: '纹理', clip: '动画', noClip: '无', play: '播放', pause: '暂停', time: '时间', motion: '动画文件', saveGlb: '保存 .glb',
  savePng: '保存 .png', saveCsv: '保存 .csv', saveNpy: '保存 .npy', noTriangles: '没有三角形。', tooManyParts: '此模型的部分过多，无法在此显示。', leftOut: '{0} 个三角形有不存在的顶点，已略去。',
  unreadable: '{0} 个部分无法读取，已略去。', notExported: '不提供 .glb：{0}', noWebgl: '此浏览器没有视图所需的 WebGL。', view3d: '模型视图：拖动以旋转，滚动以缩放，方向键旋转',
  mip: '层级', mipImage: '层级 {0}：{1} × {2} 像素', zoom: '缩放', array: '数组', plot: '列的图表', rows: '{0} 行', table: '数组的行', row: '行', plotLabel: '{0}：从 {1} 到 {2}',
  reset: '重置视图', showAll: '全部显示', hideAll: '全部隐藏', badFile: '未打开：{0}', at: '位于 {0}', none: '无', archiveBytes: '已读取 {1} 字节中的 {0} 字节。',
};

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
