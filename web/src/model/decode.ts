// A worker that decodes images and looks at their opacity, so that the page never waits for it.
import { mostDecoded, readHeader } from '../pictures/header';

/** How opaque the pixels are: all wholly, all wholly or not at all, or some in between. */
export type Opacity = 'opaque' | 'mask' | 'blend';
/** An image file, or pixels of a size. */
export interface DecodeRequest {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
  media?: string;
  size?: [number, number];
  /** The largest side of the result. */
  most: number;
  isBlackClear: boolean;
}
export type DecodeResponse = { id: number; bitmap?: ImageBitmap; opacity: Opacity };

/** As stored: what is invisible keeps its color, and colors are not converted. */
const asStored: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };

self.onmessage = async ({ data }: MessageEvent<DecodeRequest>) => {
  const { id } = data;
  try {
    const decoded = data.size ? await ofPixels(data) : await ofFile(data);
    (self as unknown as Worker).postMessage({ id, ...decoded } satisfies DecodeResponse, [decoded.bitmap]);
  } catch {
    // The page says that the file cannot be shown as an image.
    self.postMessage({ id, opacity: 'opaque' } satisfies DecodeResponse);
  }
};

async function ofPixels({ bytes, size, most, isBlackClear }: DecodeRequest) {
  const pixels = new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isBlackClear) clearBlack(pixels);
  const opacity = opacityOf(pixels);
  return { bitmap: await fitted(await createImageBitmap(new ImageData(pixels, ...size!), asStored), most), opacity };
}

/** The image with sides up to this one. */
async function fitted(bitmap: ImageBitmap, most: number): Promise<ImageBitmap> {
  const { width, height } = bitmap;
  const share = most / Math.max(width, height);
  if (share >= 1) return bitmap;
  const resizeWidth = Math.max(1, Math.round(width * share));
  const resizeHeight = Math.max(1, Math.round(height * share));
  const small = await createImageBitmap(bitmap, { ...asStored, resizeWidth, resizeHeight, resizeQuality: 'medium' });
  bitmap.close();
  return small;
}

async function ofFile({ bytes, media, most, isBlackClear }: DecodeRequest) {
  const header = readHeader(bytes);
  if (!header || header.width * header.height > mostDecoded) throw new Error('the image is too large or has no size');
  let bitmap = await fitted(await createImageBitmap(new Blob([bytes], { type: media }), asStored), most);
  // A JPEG has no opacity.
  if (media === 'image/jpeg' && !isBlackClear) return { bitmap, opacity: 'opaque' as const };
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(bitmap, 0, 0);
  const image = context.getImageData(0, 0, bitmap.width, bitmap.height);
  if (isBlackClear) {
    clearBlack(image.data);
    bitmap.close();
    bitmap = await createImageBitmap(image, asStored);
  }
  return { bitmap, opacity: opacityOf(image.data) };
}

function clearBlack(pixels: Uint8ClampedArray) {
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    if (pixels[at] === 0 && pixels[at + 1] === 0 && pixels[at + 2] === 0) pixels[at + 3] = 0;
  }
}

function opacityOf(pixels: Uint8ClampedArray): Opacity {
  let hasInvisible = false;
  for (let at = 3; at < pixels.length; at += 4) {
    if (pixels[at] === 0) hasInvisible = true;
    else if (pixels[at] !== 255) return 'blend';
  }
  return hasInvisible ? 'mask' : 'opaque';
}
