// The start page: what the page is for, where to drop files, and three samples to click.
import boat from '../../corpus/mod/boats/boat.lod?url';
import sail from '../../corpus/mod/boats/sail.png?url';
import boatWood from '../../corpus/mod/boats/wood.png?url';
import village from '../../corpus/mod/addons/village.pbo?url';
import cloth from '../../corpus/mod/buildings/cloth.png?url';
import mill from '../../corpus/mod/buildings/mill.b3d?url';
import stone from '../../corpus/mod/buildings/stone.png?url';
import wood from '../../corpus/mod/buildings/wood.png?url';
import { button, byId, el } from './dom';
import boatPicture from './samples/boat.png?url';
import millPicture from './samples/mill.png?url';
import villagePicture from './samples/village.png?url';
import { t } from './strings';

interface Sample {
  title: () => string;
  picture: string;
  /** The file that is shown. */
  address: string;
  files: { name: string; url: string }[];
}

const samples: Sample[] = [
  {
    title: () => t('sampleMill'), picture: millPicture, address: 'windmill/mill.b3d',
    files: [{ name: 'windmill/mill.b3d', url: mill }, { name: 'windmill/cloth.png', url: cloth }, { name: 'windmill/stone.png', url: stone }, { name: 'windmill/wood.png', url: wood }],
  },
  { title: () => t('sampleVillage'), picture: villagePicture, address: 'village.pbo!/house.p3d', files: [{ name: 'village.pbo', url: village }] },
  {
    title: () => t('sampleBoat'), picture: boatPicture, address: 'boat/boat.lod',
    files: [{ name: 'boat/boat.lod', url: boat }, { name: 'boat/sail.png', url: sail }, { name: 'boat/wood.png', url: boatWood }],
  },
];

export class Start {
  constructor(private readonly openSample: (files: Sample['files'], address: string) => void) {}

  show() {
    byId('welcome').replaceChildren(
      el('h2', { id: 'welcome-title' }, t('welcomeTitle')),
      el('p', {}, t('welcomeWhat')),
      this.dropZone(),
      el('h3', { id: 'samples-title' }, t('samples')),
      el('ul', { class: 'samples', 'aria-labelledby': 'samples-title' }, ...samples.map((sample) => el('li', {}, this.sample(sample)))),
      el('p', { id: 'privacy' }, t('privacy')),
    );
  }

  private dropZone(): HTMLElement {
    const choose = button(t('dropHere'), () => byId('open-files').click());
    choose.id = 'drop-zone';
    choose.append(el('span', { class: 'endings' }, t('welcome')));
    return choose;
  }

  private sample({ title, picture, address, files }: Sample): HTMLElement {
    const open = button('', () => this.openSample(files, address));
    open.append(el('img', { src: picture, alt: '', width: 96, height: 96 }), el('span', {}, title()));
    return open;
  }
}
