// The images that the user chose, as bytes for a saved model.
import type { Client } from '../client';
import type { Current } from '../latest';
import type { Chosen } from './kept';

/** The largest side of an image in a saved model. */
const mostSide = 8192;

/** An image for a texture of the model, or for all surfaces that name none. */
export interface ForFile {
  name: string;
  is_for_unnamed: boolean;
  choice: Chosen;
}

/** Images as the library takes them: a list, and the bytes of all, one after the other. */
export interface Images {
  list: { name: string; is_for_unnamed: boolean; bytes: number }[];
  bytes: Uint8Array<ArrayBuffer>;
}

/** Reads images. `clientOf` has the worker that knows a file, and `client` writes PNG. */
export async function readChosen(wanted: ForFile[], client: Client, clientOf: (choice: Chosen) => Client, current: Current): Promise<Images> {
  const list: Images['list'] = [];
  const files: Uint8Array<ArrayBuffer>[] = [];
  for (const { name, is_for_unnamed, choice } of wanted) {
    const file = await current(pngOrJpeg(choice, client, clientOf(choice)));
    list.push({ name, is_for_unnamed, bytes: file.length });
    files.push(file);
  }
  return { list, bytes: new Uint8Array(await current(new Blob(files).arrayBuffer())) };
}

/** The bytes of an image in a form that glTF allows. */
async function pngOrJpeg({ handle, address }: Chosen, client: Client, own: Client): Promise<Uint8Array<ArrayBuffer>> {
  const [{ media, size }, bytes] = await own.ask(handle, 'own_image', mostSide);
  if (media === 'image/png' || media === 'image/jpeg') return bytes;
  if (size) return client.call('png', ...size, bytes);
  if (!media) throw new Error(address);
  const image = await createImageBitmap(new Blob([bytes], { type: media }), { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext('2d')!.drawImage(image, 0, 0);
  image.close();
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  return new Uint8Array(await blob.arrayBuffer());
}
