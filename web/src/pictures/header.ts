// The size of a picture, from the start of its file: it is known before the pixels are decoded.

export interface PictureHeader {
  media: string;
  width: number;
  height: number;
}

/** The most pixels of a picture that the browser decodes. */
export const mostDecoded = 1 << 27;

/** A JPEG may have a thumbnail and a color profile before its size. */
export const headerBytes = 1 << 20;

type Reader = (view: DataView) => PictureHeader | undefined;

const readers: Reader[] = [png, gif, webp, bmp, jpeg];

/** Nothing if the file is none of the pictures that browsers show, or if its size is not in these bytes. */
export function readHeader(head: Uint8Array<ArrayBuffer>): PictureHeader | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (const read of readers) {
    try {
      const header = read(view);
      if (header) return header.width > 0 && header.height > 0 ? header : undefined;
    } catch (error) {
      // The file ends in its header.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return undefined;
}

function png(view: DataView): PictureHeader | undefined {
  if (view.getUint32(0) !== 0x89504e47) return undefined;
  return { media: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): PictureHeader | undefined {
  if (view.getUint32(0) !== 0x47494638) return undefined;
  return { media: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function bmp(view: DataView): PictureHeader | undefined {
  if (view.getUint16(0) !== 0x424d) return undefined;
  // The first form has 16 bits for each side.
  if (view.getUint32(14, true) === 12) return { media: 'image/bmp', width: view.getUint16(18, true), height: view.getUint16(20, true) };
  // A negative height means that the first row is the top.
  return { media: 'image/bmp', width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

function webp(view: DataView): PictureHeader | undefined {
  if (view.getUint32(8) !== 0x57454250) return undefined;
  const media = 'image/webp';
  switch (view.getUint32(12)) {
    case 0x56503820: return { media, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { media, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858: {
      const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1;
      return { media, width: three(24), height: three(27) };
    }
    default: return undefined;
  }
}

function jpeg(view: DataView): PictureHeader | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // Fill bytes, and markers without a length.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { media: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
