// Surfaces: materials, and how they are drawn. The rules are those of the program's pictures.
import * as three from 'three';

import type { Alpha, WantedTexture } from '../protocol';
import type { Picture } from './images';

export const shadings = ['lit', 'unlit', 'flat', 'normals', 'checker', 'wireframe'] as const;
export type Shading = (typeof shadings)[number];

/** How all surfaces are drawn. */
export interface Drawing {
  shading: Shading;
  textures: boolean;
  /** True if the back of every triangle is drawn, too. */
  bothSides: boolean;
}

/** The color of a surface whose image is missing: 0.72, 0.72, 0.7 in sRGB. */
const unknown = new three.Color().setRGB(0.72, 0.72, 0.7, three.SRGBColorSpace);
/** The opacity of a surface whose image is missing, but mostly transparent by its name. */
const hardly = 0.2;
/** A color with more opacity hides what is behind it. */
const solid = 0.98;

export interface SurfaceFacts {
  label: string;
  color: three.Color;
  opacity: number;
  alpha: Alpha;
  cutoff: number;
  unlit: boolean;
  twoSided: boolean;
  vertexColors: boolean;
  /** True if its meshes have no normals. */
  flat: boolean;
  emissive?: three.Color;
  texture?: WantedTexture;
  /** How an image lies on it: a texture whose image does not count. */
  layout: three.Texture;
}

/** The passes of a surface: its opaque part and, after all opaque parts, its blended part. */
interface Passes {
  solid?: { alphaTest: number };
  mixed?: { opacity: number; blending: 'normal' | 'add' | 'multiply' };
}

export class Surface {
  /** Two materials of each mesh that has the surface: its opaque part, and its mixed part. */
  readonly materials: [three.Material, three.Material] = [new three.MeshBasicMaterial(), new three.MeshBasicMaterial()];
  readonly meshes: three.Mesh[] = [];
  private picture: Picture | undefined;
  /** The image, as it lies on this surface. */
  map: three.Texture | null = null;
  /** The image that is drawn until the next call of `draw`. */
  private old: three.Texture | undefined;
  private checked: three.Texture | undefined;
  private blank: three.Texture | undefined;

  constructor(readonly facts: SurfaceFacts) {}

  add(mesh: three.Mesh) {
    const { geometry } = mesh;
    if (geometry.groups.length === 0) {
      // Each triangle is drawn by both materials, of which one may be hidden.
      geometry.addGroup(0, Infinity, 0);
      geometry.addGroup(0, Infinity, 1);
    }
    mesh.material = this.materials;
    this.meshes.push(mesh);
  }

  /** Takes an image, which `draw` shows. */
  show(picture: Picture | undefined) {
    this.picture = picture;
    this.old?.dispose();
    this.old = this.map ?? undefined;
    this.map = null;
    if (!picture) return;
    this.map = likeLayout(this.facts.layout, picture.source);
  }

  draw(drawing: Drawing) {
    const { facts, picture } = this;
    let map = drawing.textures ? this.map : null;
    if (drawing.shading === 'checker') map = this.checked ??= likeLayout(facts.layout, checker());
    const hasSkin = map !== null;
    // A white pixel, so that the programs of the graphics card are made once, before the image is there.
    map ??= this.blank ??= likeLayout(facts.layout, blankSource());
    const isWhite = Math.min(facts.color.r, facts.color.g, facts.color.b) > 0.8;
    let color = !hasSkin && isWhite ? unknown : facts.color;
    if (drawing.shading === 'checker') color = new three.Color(0xffffff);
    const passes = this.passes(drawing, hasSkin, picture);
    if (passes.mixed && this.isPlate(hasSkin)) color = unknown;
    const side = drawing.bothSides || facts.twoSided ? three.DoubleSide : three.FrontSide;
    const common = { color, map, side, vertexColors: facts.vertexColors && drawing.shading !== 'checker' };
    for (const material of this.materials) material.dispose();
    this.materials[0] = this.material(drawing, hasSkin, common);
    this.materials[1] = this.material(drawing, hasSkin, common);
    const [opaque, mixed] = this.materials;
    opaque.visible = passes.solid !== undefined;
    opaque.alphaTest = passes.solid?.alphaTest ?? 0;
    // As above: a surface that may be cut later has the program for it from the start.
    if (facts.alpha !== 'opaque' && opaque.alphaTest === 0 && !hasSkin) opaque.alphaTest = 1e-4;
    mixed.visible = passes.mixed !== undefined;
    mixed.transparent = true;
    mixed.depthWrite = false;
    mixed.opacity = passes.mixed?.opacity ?? 1;
    if (passes.mixed?.blending === 'add') mixed.blending = three.AdditiveBlending;
    if (passes.mixed?.blending === 'multiply') {
      mixed.blending = three.CustomBlending;
      mixed.blendSrc = three.ZeroFactor;
      mixed.blendDst = three.SrcColorFactor;
    }
    for (const mesh of this.meshes) mesh.material = this.materials;
    this.old?.dispose();
    this.old = undefined;
  }

  /** True if a plate of grey would hide what the game shows. */
  private isPlate(hasSkin: boolean): boolean {
    const { texture, alpha } = this.facts;
    return !hasSkin && texture !== undefined && (texture.hides_little || alpha === 'add');
  }

  private passes({ shading }: Drawing, hasSkin: boolean, picture: Picture | undefined): Passes {
    const { alpha, opacity, cutoff, vertexColors } = this.facts;
    const whole = { solid: { alphaTest: 0 } };
    if (shading === 'normals' || shading === 'wireframe' || shading === 'checker') return whole;
    if (this.isPlate(hasSkin)) return { mixed: { opacity: hardly, blending: 'normal' } };
    switch (alpha) {
      case 'opaque': return whole;
      case 'mask': return { solid: { alphaTest: hasSkin ? Math.min(cutoff, 0.9) : 0 } };
      case 'add':
      case 'multiply': return { mixed: { opacity, blending: alpha } };
    }
    if (alpha === 'image' && !hasSkin) return whole;
    const own = alpha === 'image' ? 1 : opacity;
    const of = hasSkin && picture ? picture.opacity : 'opaque';
    if (own >= solid && !vertexColors) {
      if (of === 'opaque') return whole;
      if (of === 'mask') return { solid: { alphaTest: 0.5 } };
    }
    const mixed: Passes = { mixed: { opacity: own, blending: 'normal' } };
    // Opaque pixels hide those behind them, in any order of drawing.
    if (own >= solid) mixed.solid = { alphaTest: solid };
    return mixed;
  }

  private material({ shading }: Drawing, hasSkin: boolean, common: three.MeshLambertMaterialParameters): three.Material {
    // An image without light is what a full-bright surface shows. Without its image it would be one flat color.
    if (shading === 'unlit' || (shading === 'lit' && this.facts.unlit && hasSkin)) return new three.MeshBasicMaterial(common);
    if (shading === 'wireframe') return new three.MeshBasicMaterial({ color: common.color, side: common.side, wireframe: true });
    if (shading === 'normals') return new three.MeshNormalMaterial({ side: common.side, flatShading: this.facts.flat });
    const emissive = hasSkin || !this.facts.emissive ? 0x000000 : this.facts.emissive;
    return new three.MeshLambertMaterial({ ...common, emissive, flatShading: shading === 'flat' || this.facts.flat });
  }

  dispose() {
    for (const material of this.materials) material.dispose();
    this.map?.dispose();
    this.old?.dispose();
    this.checked?.dispose();
    this.blank?.dispose();
    this.facts.layout.dispose();
  }
}

/** A texture that lies as this one does. */
function likeLayout(layout: three.Texture, source: three.Source<ImageBitmap | HTMLCanvasElement>): three.Texture {
  const texture: three.Texture = new three.Texture();
  texture.source = source;
  texture.wrapS = layout.wrapS;
  texture.wrapT = layout.wrapT;
  texture.offset.copy(layout.offset);
  texture.repeat.copy(layout.repeat);
  texture.rotation = layout.rotation;
  texture.center.copy(layout.center);
  texture.channel = layout.channel;
  texture.flipY = false;
  texture.colorSpace = three.SRGBColorSpace;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

let checkerSource: three.Source<HTMLCanvasElement> | undefined;

let whitePixel: three.Source<HTMLCanvasElement> | undefined;

function blankSource(): three.Source<HTMLCanvasElement> {
  if (whitePixel) return whitePixel;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d')!;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, 1, 1);
  whitePixel = new three.Source(canvas);
  return whitePixel;
}

/** Squares in two colors, eight in a row, with a mark in the corner where u and v are 0. */
function checker(): three.Source<HTMLCanvasElement> {
  if (checkerSource) return checkerSource;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 256;
  const context = canvas.getContext('2d')!;
  for (let square = 0; square < 64; square++) {
    const [column, row] = [square % 8, square >> 3];
    context.fillStyle = square === 0 ? '#c03030' : (column + row) % 2 === 0 ? '#e8e8e8' : '#4a6a9a';
    context.fillRect(column * 32, row * 32, 32, 32);
  }
  checkerSource = new three.Source(canvas);
  return checkerSource;
}
