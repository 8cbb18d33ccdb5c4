// Decodes a picture with the browser. The colors of transparent pixels stay as stored: a 2D canvas would lose them.

/** `reduced` is the size of a picture that is too large as it is. */
export type Job = { bytes: Uint8Array<ArrayBuffer>; media: string; reduced?: { width: number; height: number } };
export type Done = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer>; isExact: boolean } | { error: string };

self.onmessage = ({ data }: MessageEvent<Job>) => {
  decode(data).then(
    (done) => (self as unknown as Worker).postMessage(done, [(done as { data: Uint8ClampedArray<ArrayBuffer> }).data.buffer]),
    (error: unknown) => self.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies Done),
  );
};

async function decode({ bytes, media, reduced }: Job): Promise<Done> {
  const options: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };
  if (reduced) Object.assign(options, { resizeWidth: reduced.width, resizeHeight: reduced.height });
  const bitmap = await createImageBitmap(new Blob([bytes], { type: media }), options);
  try {
    return byWebgl(bitmap) ?? byCanvas(bitmap);
  } finally {
    bitmap.close();
  }
}

/** Nothing if there is no WebGL, or if the picture is larger than its textures. */
function byWebgl(bitmap: ImageBitmap): Done | undefined {
  const { width, height } = bitmap;
  const gl = new OffscreenCanvas(1, 1).getContext('webgl2');
  if (!gl || Math.max(width, height) > gl.getParameter(gl.MAX_TEXTURE_SIZE)) return undefined;
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  if (gl.checkFramebufferStatus(gl.FRAMEBUFFER) !== gl.FRAMEBUFFER_COMPLETE) return undefined;
  const data = new Uint8ClampedArray(width * height * 4);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
  return gl.getError() === gl.NO_ERROR ? { width, height, data, isExact: true } : undefined;
}

function byCanvas(bitmap: ImageBitmap): Done {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
  context.drawImage(bitmap, 0, 0);
  return { width, height, data: context.getImageData(0, 0, width, height).data as Uint8ClampedArray<ArrayBuffer>, isExact: false };
}
