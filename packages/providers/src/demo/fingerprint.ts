/** Returns sixteen hex digits that stand for a text: not a secret, only the same on every machine. */
export function fingerprint(text: string): string {
  return [0x811c9dc5, 0x2f0b4c47].map((seed) => hash(text, seed).toString(16).padStart(8, '0')).join('');
}

/** Returns a number from 0 to below `limit`, always the same for a text. */
export function pick(text: string, limit: number): number {
  return hash(text, 0x811c9dc5) % limit;
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  // The lowest bits of FNV follow those of the last characters too closely for picking from a short list.
  return (value ^ (value >>> 15)) >>> 0;
}
