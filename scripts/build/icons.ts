import { crc32, deflateSync } from 'node:zlib';

/** The lines of Loom's mark on a grid of 16, as in packages/web/src/styles/icon.svg. */
const lines: readonly (readonly [x1: number, y1: number, x2: number, y2: number])[] = [
  [5, 3, 5, 13],
  [8, 3, 8, 13],
  [11, 3, 11, 13],
  [3, 6, 6, 6],
  [7, 6, 13, 6],
  [3, 10, 9, 10],
  [10, 10, 13, 10],
];
const blue = [0x24, 0x57, 0xc5] as const;

/**
 * Draws Loom's mark as a PNG of so many pixels on each side. A maskable one fills the whole square, with the mark in its inner part: phones cut
 * the corners off in their own way.
 */
export function drawIcon(size: number, { isMaskable = false }: { isMaskable?: boolean } = {}): Uint8Array {
  const pixels = Buffer.alloc(size * (size * 4 + 1));
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const at = y * (size * 4 + 1) + 1 + x * 4;
      const place = (offset: number): number => ((offset + 0.5) / size) * 16;
      const scale = size / 16;
      const ground = isMaskable ? 1 : coverage(-boxDistance(place(x), place(y)), scale);
      // Within the safe zone of a maskable icon, which is a circle of 80 % of its width.
      const shrink = (value: number): number => (isMaskable ? 8 + (value - 8) / 0.7 : value);
      const [left, top] = [shrink(place(x)), shrink(place(y))];
      const distance = Math.min(...lines.map((line) => lineDistance(left, top, line)));
      const white = coverage(0.6 - distance, isMaskable ? scale * 0.7 : scale);
      for (const [channel, value] of blue.entries()) pixels[at + channel] = Math.round(value + (255 - value) * white);
      pixels[at + 3] = Math.round(255 * ground);
    }
  }
  return encodePng(size, pixels);
}

/** Returns how much of a pixel lies inside an edge, by the distance of its middle from that edge. */
function coverage(inside: number, scale: number): number {
  return Math.min(1, Math.max(0, inside * scale + 0.5));
}

/** Returns the distance from a square with round corners; below zero inside. */
function boxDistance(x: number, y: number): number {
  const radius = 3.5;
  const [dx, dy] = [Math.abs(x - 8) - (8 - radius), Math.abs(y - 8) - (8 - radius)];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
}

function lineDistance(x: number, y: number, [x1, y1, x2, y2]: (typeof lines)[number]): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const part = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - x1 - part * dx, y - y1 - part * dy);
}

function encodePng(size: number, pixels: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits for each of red, green, blue and alpha.
  header.set([8, 6], 8);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts]);
}

function chunk(type: string, content: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
