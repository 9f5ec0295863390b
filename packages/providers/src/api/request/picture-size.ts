/** Width and height in pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

/** Reads the size of a PNG, GIF, JPEG or WebP from its first bytes; `undefined` for anything else, and if the bytes do not hold it. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begins = (text: string, at = 0): boolean =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', at, at + text.length) === text;
  if (begins('\x89PNG') && bytes.length >= 24) return { width: view.getUint32(16), height: view.getUint32(20) };
  if (begins('GIF8') && bytes.length >= 10) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (begins('RIFF') && begins('WEBP', 8) && bytes.length >= 30) return webpSize(view);
  return begins('\xff\xd8') ? jpegSize(view) : undefined;
}

/** Reads a lossy file, a lossless one, or one with more than an image in it: https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(view: DataView): PictureSize | undefined {
  switch (view.getUint32(12)) {
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858: {
      const read = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1;
      return { width: read(24), height: read(27) };
    }
    default:
      return undefined;
  }
}

/** Reads the size from the header of the frame, after segments of any length. */
function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; at + 9 <= view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
