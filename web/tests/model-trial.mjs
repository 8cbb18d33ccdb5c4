// The view of a model, as a newcomer reads it: frames, selections, bones that fit, textures that are missing, levels and parts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { anew, color, drop, files, front, goTo, hash, show, unfold, whole } from './model-page.mjs';
import { b3d, mlod, plainPng, rtm } from './models.mjs';
import { at, download, drawn, eventually, meshpeek, on, openFiles, pboHeader, ready, tab } from './page.mjs';

const red = [220, 20, 20, 255];
const notes = (page) => page.locator('.notes').first().innerText();
const summary = (page) => page.locator('.textures > summary').textContent();
const step = (page, name) => page.getByRole('button', { name });

/** Opens the folder of the sample mod, and a file in it. */
async function showInMod(page, name, more = '') {
  await page.setInputFiles('#folder', at('mod'));
  await page.locator('#file-list [role=treeitem]').first().waitFor();
  await goTo(page, `mod/${name}&model${more}`);
  await page.waitForFunction((name) => document.getElementById('title').textContent.replaceAll('\\', '/').endsWith(name), name);
  await whole(page);
}

// --- Clips.

on('a clip shows its frame, the number of frames and its rate, and a frame can be entered', async (page) => {
  const [path] = files('frames', { 'moves.b3d': b3d([{}], { clip: 20 }) });
  await show(page, [path]);
  assert.equal(await ready(page), 'true');
  await step(page, 'Pause').click();
  assert.match(await page.locator('.clips').innerText(), /of 20 · 10 fps/);
  await page.locator('#frame').fill('7');
  await page.locator('#frame').press('Enter');
  await eventually(async () => assert.equal(Number(await page.locator('#timeline').inputValue()), 0.7));
  assert.match(await hash(page), /time=0\.7/);
  for (let count = 0; count < 3; count++) await step(page, 'Frame forward').click();
  assert.equal(await page.locator('#frame').inputValue(), '10');
  assert.equal(await page.locator('.clock').textContent(), '1.00 s');
  await step(page, 'Frame back').click();
  assert.equal(await page.locator('#frame').inputValue(), '9');
  // A frame that does not exist becomes the nearest one that does.
  for (const [written, shown] of [['999', '20'], ['-4', '0'], ['', '0']]) {
    await page.locator('#frame').fill(written);
    await page.locator('#frame').press('Tab');
    await eventually(async () => assert.equal(await page.locator('#frame').inputValue(), shown));
  }
  await step(page, 'Frame back').click();
  assert.equal(await page.locator('#frame').inputValue(), '20', 'before the first is the last');
});

on('a clip is as long as the facts say, also with a key after its end', async (page) => {
  const bytes = b3d([{}], { clip: 20 });
  // The last key is one frame later, as in files of Blender.
  const key = bytes.indexOf(Buffer.from(Int32Array.from([20]).buffer), bytes.indexOf('KEYS'));
  bytes.writeInt32LE(21, key);
  const [path] = files('longer', { 'longer.b3d': bytes });
  await show(page, [path]);
  assert.equal(await ready(page), 'true');
  assert.match(await page.locator('#clip option:checked').textContent(), /\(2\.00 s\)/);
  assert.equal(await page.locator('#timeline').getAttribute('max'), '2');
  await tab(page, 'facts');
  await page.locator('#panel-facts', { hasText: '20 frames at 10 fps, 2.00 s' }).waitFor();
});

on('keys of an animation file are counted from 1, and have no rate', async (page) => {
  const paths = files('keys', { 'hip.p3d': mlod([{ resolution: 1, squares: [{}], selections: { hip: [0] } }]), 'three.rtm': rtm(['hip'], [0, 0.5, 1]) });
  await show(page, paths, 'hip.p3d');
  await goTo(page, 'hip.p3d&model&clip=three.rtm&time=0');
  await page.locator('#timeline:enabled').waitFor();
  assert.match(await page.locator('.frame-count').textContent(), /^of 3$/);
  assert.equal(await page.locator('#frame').inputValue(), '1');
  await step(page, 'Frame forward').click();
  assert.equal(await page.locator('#frame').inputValue(), '2');
  assert.equal(Number(await page.locator('#timeline').inputValue()), 0.5);
  // Its times are no seconds.
  assert.equal(await page.locator('.clock').textContent(), '0.50 of 1');
  await page.getByLabel('Phase').waitFor();
  assert.equal(await page.getByLabel('Time').count(), 0);
});

on('without a clip, nothing to play it with is shown', async (page) => {
  await showInMod(page, 'addons/village.pbo!/house.p3d');
  await page.locator('#clip').waitFor();
  for (const name of ['#timeline', '#frame']) assert.equal(await page.locator(name).isVisible(), false, name);
  assert.equal(await page.getByLabel('Speed').isVisible(), false);
  await page.locator('#clip').selectOption('mod/anims/walk.rtm');
  await eventually(async () => assert.match(await notes(page), /^0 of 4 bones of walk\.rtm fit this model\./));
});

on('an animation is offered the models that it moves, and no other', async (page) => {
  const squares = [{}];
  const paths = files('offered', {
    'fits.p3d': mlod([{ resolution: 1, squares, selections: { hip: [0] } }]), 'other.p3d': mlod([{ resolution: 1, squares, selections: { door: [0] } }]),
    'damaged.p3d': Buffer.from('MLOD nothing'), 'walk.rtm': rtm(['hip', 'spine'], [0, 1]), 'packed.rtm': readFileSync(at('rtm/v5_mixed.rtm')),
  });
  await show(page, paths, 'walk.rtm');
  await page.locator('.needs-model[data-done]').waitFor();
  assert.deepEqual(await page.locator('#motion-model option').allTextContents(), ['Choose a model', 'fits.p3d (bones: 1 of 2)']);
  await page.locator('.compared', { hasText: 'Models that it moves: 1 of 3.' }).waitFor();
  // It moves skeletons alone, which none of these models has.
  await page.locator('#file-list [role=treeitem]', { hasText: 'packed.rtm' }).click();
  await page.locator('.needs-model[data-done]', { hasText: 'moves none of the open models' }).waitFor();
  assert.equal(await page.locator('#motion-model').isVisible(), false);
});

// --- What is saved.

/** The images and materials of a glTF file. */
function glbParts(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  const data = bytes.subarray(20 + length + 8);
  const images = (json.images ?? []).map(({ bufferView }) => {
    const { byteOffset = 0, byteLength } = json.bufferViews[bufferView];
    return data.subarray(byteOffset, byteOffset + byteLength);
  });
  return { images, materials: json.materials };
}

on('a saved model has the images that were chosen by hand', async (page) => {
  const own = plainPng(...red);
  const paths = files('given', { 'named.b3d': b3d([{ texture: 'gone.png' }]), 'plain.b3d': b3d([{}, { at: [2, 0, 0] }]) });
  await show(page, paths, 'named.b3d');
  await whole(page);
  assert.equal(glbParts(await download(page, 'Save .glb')).images.length, 0);
  assert.equal(await page.locator('.for-file').isVisible(), false);
  // For a texture that the model names.
  await drop(page, '.view', 'mine.png', own);
  await page.locator('.for-file', { hasText: 'will have the images' }).waitFor();
  assert.ok(glbParts(await download(page, 'Save .glb')).images[0].equals(own));
  // For all surfaces, none of which names an image.
  await page.locator('#file-list [role=treeitem]', { hasText: 'plain.b3d' }).click();
  await page.waitForFunction(() => document.getElementById('title').textContent === 'plain.b3d');
  await whole(page);
  await page.locator('.textures > summary').click();
  const rows = page.locator('.texture-row');
  await drop(page, '.texture-row:first-child', 'mine.png', own);
  await rows.first().locator('.texture-state', { hasText: 'chosen' }).waitFor();
  // One of two: a model file has one image for all of them.
  await page.locator('.for-file', { hasText: 'will not have: 1.' }).waitFor();
  assert.equal(glbParts(await download(page, 'Save .glb')).images.length, 0);
  await rows.nth(1).getByLabel('Image').focus();
  await rows.nth(1).locator('option[value="mine.png"]').waitFor({ state: 'attached' });
  await rows.nth(1).getByLabel('Image').selectOption('mine.png');
  await page.locator('.for-file', { hasText: 'will have the images' }).waitFor();
  const { images, materials } = glbParts(await download(page, 'Save .glb'));
  assert.ok(images[0].equals(own));
  assert.deepEqual(materials.map(({ pbrMetallicRoughness }) => pbrMetallicRoughness.baseColorTexture?.index), [0, 0]);
});

// --- Selections.

/** The lines of a sample in the program's tree. */
function treeOf(name) {
  return meshpeek(['tree', '--fields', `corpus/${name}`]).stdout.toString().split('\n');
}

/** The offset in the first line like `field` after the one like `part`. */
function offsetIn(lines, part, field) {
  const line = lines.slice(lines.findIndex((line) => part.test(line))).find((line) => field.test(line));
  return Number(line.split(' ')[0]);
}

/** An ODOL model whose selection is one of its sections, and no points. */
function withSections() {
  const bytes = readFileSync(at('odol/v73.p3d'));
  const lines = treeOf('odol/v73.p3d');
  for (let row = 0; row < 12; row++) {
    bytes.writeInt32LE(1, offsetIn(lines, /selections\[0\] {2}all/, /sections {2}i32\[\]/) + 4 * row);
    // No point has this number.
    bytes.writeInt32LE(1_000_000, offsetIn(lines, /selections\[0\] {2}all/, /vertices {2}u32\[\]/) + 4 * row);
  }
  return bytes;
}

on('a selection of sections is shown in a color, and hidden', async (page) => {
  const [path] = files('sections', { 'sections.p3d': withSections() });
  await show(page, [path]);
  await whole(page);
  await unfold(page);
  await page.getByLabel('Grid').uncheck();
  await page.getByRole('button', { name: 'Selections' }).click();
  await page.locator('#selection').waitFor();
  // The canvas has another size from here on.
  await drawn(page);
  const plain = await page.locator('#view').screenshot();
  await page.locator('#selection').selectOption({ label: 'all' });
  await page.locator('.selection-note', { hasText: 'Whole sections: 1.' }).waitFor();
  assert.doesNotMatch(await page.locator('.selection-note').textContent(), /Points|not drawn/);
  let shown;
  await eventually(async () => {
    shown = await page.locator('#view').screenshot();
    assert.ok(!shown.equals(plain), 'it is shown');
  });
  await page.getByLabel('Hide selection').check();
  await eventually(async () => assert.ok(!(await page.locator('#view').screenshot()).equals(shown), 'it is hidden'));
  await page.getByLabel('Hide selection').uncheck();
  await eventually(async () => assert.ok((await page.locator('#view').screenshot()).equals(shown), 'it is there again'));
  await page.locator('#selection').selectOption('');
  await eventually(async () => assert.ok((await page.locator('#view').screenshot()).equals(plain), 'nothing is marked'));
  assert.equal(await page.locator('.selection-note').textContent(), '');
});

on('empty selections are marked in the list, and said', async (page) => {
  const [path] = files('empty-selection', { 'two.p3d': mlod([{ resolution: 1, squares: [{}, { at: [2, 0, 0] }], selections: { camo: [0], head: [] } }]) });
  await show(page, [path]);
  await ready(page);
  await page.getByRole('button', { name: 'Selections' }).click();
  await page.locator('#selection').waitFor();
  assert.deepEqual(await page.locator('#selection option').allTextContents(), ['None', 'camo', 'head (empty)']);
  await page.locator('#selection').selectOption({ label: 'head (empty)' });
  await page.locator('.selection-note', { hasText: 'Nothing is in this selection' }).waitFor();
  await page.locator('#selection').selectOption({ label: 'camo' });
  await page.locator('.selection-note', { hasText: 'Points: 4.' }).waitFor();
});

// --- Animation files.

const walk = () => readFileSync(at('mod/anims/walk.rtm'));

on('of a model without bones, the message says so, and not that the animation is missing', async (page) => {
  const paths = files('boneless', { 'plain.p3d': mlod([{ resolution: 1, squares: [{}] }]), 'binarised.p3d': readFileSync(at('odol/lines.p3d')), 'moves.b3d': b3d([{}], { clip: 10 }), 'walk.rtm': walk() });
  await openFiles(page, paths);
  for (const [model, words] of [['plain.p3d', 'plain.p3d has no bones'], ['binarised.p3d', 'binarised.p3d has no bones'], ['moves.b3d', 'moves.b3d has clips of its own']]) {
    await goTo(page, `${model}&model&clip=walk.rtm`);
    await page.locator('#message.error', { hasText: words }).waitFor();
    assert.equal(await ready(page), 'true');
    await goTo(page, `${model}&model&clip=other.rtm`);
    await page.locator('#message', { hasText: 'There is no clip other.rtm.' }).waitFor();
  }
});

on('an animation file that fits in part says which bones the model lacks', async (page) => {
  await showInMod(page, 'addons/units.pbo!/soldier.p3d', '&clip=mod/anims/walk.rtm');
  await eventually(async () => assert.match(await notes(page), /^2 of 4 bones of walk\.rtm fit this model\. The model has no arm_lft \(nearest: arm_left\), weapon\.$/));
  const { stdout } = meshpeek(['fit', '--format', 'ndjson', 'corpus/mod/anims/walk.rtm', 'corpus/mod/addons/units.pbo!/soldier.p3d']);
  const missing = stdout.toString().trim().split('\n').map((line) => JSON.parse(line)).filter(({ state }) => state === 'missing');
  assert.deepEqual(missing.map(({ bone }) => bone), ['arm_lft', 'weapon'], 'as the program says');
  await page.locator('#clip').selectOption('');
  await eventually(async () => assert.equal(await notes(page), ''));
});

on('bones that cannot be shown are no choice, and the page says why', async (page) => {
  const { stdout } = meshpeek(['cat', `${at('mod/addons/units.pbo')}!/soldier.p3d`]);
  const paths = files('no-bones', { 'soldier.p3d': stdout, 'walk.rtm': walk() });
  await show(page, paths, 'soldier.p3d');
  await ready(page);
  await unfold(page);
  const bones = page.getByLabel('Bones');
  assert.equal(await bones.isDisabled(), true);
  await page.getByLabel('Bones (with a clip)').waitFor();
  await page.locator('#clip').selectOption('walk.rtm');
  await page.locator('#timeline:enabled').waitFor();
  await eventually(async () => assert.equal(await bones.isDisabled(), false));
});

// --- Textures.

on('what materials lack is counted apart from the textures of the model', async (page) => {
  await showInMod(page, 'addons/village.pbo!/house.p3d');
  await eventually(async () => assert.match(await summary(page), /^2 of 2 named textures found\. Materials lead to missing files: 1, such as wall_nohq\.paa\.$/));
  // With the material that names it, and the place where it was looked for.
  await page.locator('.textures > summary').click();
  assert.match(await page.locator('.further .texture-row').innerText(), /^missing\s+.*wall_nohq\.paa\s+Named in\s+.*wall\.rvmat.*Looked for/s);
});

on('a missing texture says where it was looked for, and what has its name elsewhere', async (page) => {
  await showInMod(page, 'trees/young/birch.b3d');
  await page.locator('.textures > summary').click();
  const row = (name) => page.locator('.texture-row', { hasText: name }).locator('.texture-file');
  await eventually(async () => assert.equal(await row('birch_bark.png').innerText(), 'Looked for at mod/trees/young/birch_bark.png.'));
  await eventually(async () => assert.match(await row('leaf.png').innerText(), /Elsewhere:\s+mod\/trees\/leaf\.png/));
  await row('leaf.png').getByRole('button', { name: 'mod/trees/leaf.png' }).click();
  await page.waitForFunction(() => document.getElementById('title').textContent === 'mod/trees/leaf.png');
});

on('an image of another folder can be used for a missing texture of its name', async (page) => {
  await showInMod(page, 'trees/young/birch.b3d');
  await page.locator('.textures > summary').click();
  const row = page.locator('.texture-row', { hasText: 'leaf.png' });
  await row.getByRole('button', { name: 'Use leaf.png' }).click();
  await eventually(async () => assert.equal(await row.getAttribute('data-state'), 'chosen'));
  await row.locator('.texture-file', { hasText: 'mod/trees/leaf.png' }).waitFor();
  await eventually(async () => assert.match(await summary(page), /chosen|1/));
});

on('of a file that is open alone, the page says that nothing else is open', async (page) => {
  const [path] = files('by-itself', { 'alone.b3d': b3d([{ texture: 'nowhere.png' }]) });
  await show(page, [path]);
  await whole(page);
  await page.locator('.textures > summary').click();
  assert.match(await page.locator('.texture-file').innerText(), /^Only this file is open\./);
});

on('an image of which only the name fits is no found one, in the view and in the facts', async (page) => {
  const model = b3d([{ texture: 'wood.png' }]);
  const image = plainPng(...red);
  const pack = Buffer.concat([pboHeader([['a\\well.b3d', model.length], ['b\\wood.png', image.length]]), model, image]);
  const paths = files('by-name', { 'pack.pbo': pack });
  await openFiles(page, paths);
  await goTo(page, 'pack.pbo!/a/well.b3d&model');
  await whole(page);
  const state = await page.locator('.texture-row').getAttribute('data-state');
  assert.equal(state, 'substitute');
  assert.match(await summary(page), /^0 of 1 named textures found\. Shown from files of which only the name fits: 1\./);
  await tab(page, 'facts');
  await page.locator('#panel-facts tr.missing', { hasText: 'wood.png' }).waitFor();
  await page.locator('#panel-facts tr.missing', { hasText: 'Elsewhere:' }).waitFor();
});

on('a chosen image is counted apart, shown as the choice, and kept when the model is left', async (page) => {
  const paths = files('kept', { 'two.b3d': b3d([{ texture: 'nowhere.png' }, { texture: 'here.png', at: [2.5, 0, 0] }]), 'here.png': plainPng(20, 200, 20, 255), 'other.b3d': b3d([{}]) });
  await show(page, paths, 'two.b3d');
  await goTo(page, `two.b3d&model&${front()}`);
  await whole(page);
  assert.match(await summary(page), /Drop a picture on a part/);
  await drop(page, '#view', 'dropped.png', plainPng(...red));
  await page.locator('#message', { hasText: 'dropped.png is shown. Surfaces: 1.' }).waitFor();
  await eventually(async () => assert.match(await summary(page), /^1 of 2 named textures found\. Chosen by you: 1\./));
  const control = page.locator('.texture-row[data-state=chosen] select');
  assert.equal(await control.inputValue(), 'dropped.png');
  await goTo(page, 'other.b3d&model');
  await page.waitForFunction(() => document.getElementById('title').textContent === 'other.b3d');
  await whole(page);
  assert.equal(await page.locator('.texture-row[data-state=chosen]').count(), 0, 'only the model for which it was chosen has it');
  await goTo(page, `two.b3d&model&${front()}`);
  await page.waitForFunction(() => document.getElementById('title').textContent === 'two.b3d');
  await whole(page);
  await eventually(async () => assert.equal(await control.inputValue(), 'dropped.png'));
  await eventually(async () => {
    const [r, g] = await color(page);
    assert.ok(r > 2 * g, `${await color(page)}`);
  });
});

on('an image for a part can be chosen from the disk', async (page) => {
  const paths = files('disk', { 'one.b3d': b3d([{ texture: 'nowhere.png' }]), 'mine.png': plainPng(...red), 'words.txt': Buffer.from('words') });
  await show(page, [paths[0]]);
  await whole(page);
  await page.locator('.textures > summary').click();
  const control = page.locator('.texture-row select');
  const choose = async (path) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), control.selectOption({ label: 'From disk…' })]);
    assert.equal(await control.inputValue(), '', 'the choice is not one until there is a file');
    await chooser.setFiles(path);
  };
  await choose(paths[2]);
  await page.locator('#message', { hasText: 'words.txt is not an image' }).waitFor();
  await choose(paths[1]);
  await page.locator('.texture-row[data-state=chosen]').waitFor();
  assert.equal(await control.inputValue(), 'mine.png');
  await control.selectOption('');
  await page.locator('.texture-row[data-state=missing]').waitFor();
});

// --- Levels and parts.

on('levels have their triangles, and those without any are listed', async (page) => {
  const [path] = files('all-levels', { 'levels.p3d': mlod([{ resolution: 1, squares: [{}, { at: [2, 0, 0] }] }, { resolution: 1e15, squares: [] }, { resolution: 2, squares: [{}] }]) });
  await show(page, [path]);
  await ready(page);
  assert.deepEqual(await page.locator('#lod option').allTextContents(), ['LOD 0 · Visual 1 · faces: 2 · triangles: 4', 'LOD 1 · Memory · no triangles', 'LOD 2 · Visual 2 · faces: 1 · triangles: 2']);
  assert.equal(await page.locator('#lod').inputValue(), '0');
  await page.locator('#lod').selectOption('1');
  await page.locator('#view[data-lod="1"][data-ready=true]').waitFor();
  assert.equal(await notes(page), 'This level of detail has no triangles.');
  await page.locator('#lod').selectOption('2');
  await page.locator('#view[data-lod="2"][data-ready=true]').waitFor();
  assert.equal(await notes(page), '');
});

on('parts of one name have a number, their triangles and material, and the hidden ones a reason', async (page) => {
  // Both sections stand for other models. Now one does not.
  const hiding = readFileSync(at('odol/v73.p3d'));
  hiding.writeInt32LE(-1, offsetIn(treeOf('odol/v73.p3d'), /proxies\[0\]/, / section {2}i32/));
  const paths = files('parts', { 'same.p3d': mlod([{ resolution: 1, squares: [{ texture: 'a_co.paa', material: 'x.rvmat' }, { texture: 'a_co.paa', material: 'y.rvmat' }] }]), 'hidden.p3d': hiding });
  await show(page, paths, 'same.p3d');
  await ready(page);
  const rows = () => page.locator('.parts .check').allInnerTexts();
  const said = (await rows()).map((row) => row.replaceAll('\n', ' '));
  assert.deepEqual(said, ['0: a_co.paa triangles: 2 · x.rvmat', '1: a_co.paa triangles: 2 · y.rvmat']);
  await anew(page);
  await show(page, paths, 'hidden.p3d');
  await ready(page);
  const hidden = (await rows()).filter((row) => row.includes('not drawn in the game'));
  const unchecked = await page.locator('.parts input:not(:checked)').count();
  assert.equal(unchecked, 1);
  assert.equal(hidden.length, unchecked);
});

on('an animation that moves no model says which is nearest, and why it is not moved', async (page) => {
  const model = readFileSync(at('odol/v7.p3d'));
  const paths = files('near', { 'boneless.p3d': model, 'other.p3d': mlod([{ resolution: 1, squares: [{}] }]), 'moves.rtm': rtm(['All', 'Spine'], [0, 1]) });
  await show(page, paths, 'moves.rtm');
  const said = page.locator('.needs-model[data-done] .compared');
  await said.waitFor();
  assert.match(await said.innerText(), /^It moves none of the open models\. The nearest is boneless\.p3d, whose first level of detail has selections with 1 of its 2 names\. It is an ODOL without bones/);
});
